"""Every problem can be told in both languages, and what weighs how is settled."""

import pytest

from schemas.issues import IssueCode, Severity, make_issue, severity_of
from tests.written import written


@pytest.mark.parametrize("code", IssueCode)
def test_every_code_says_what_is_wrong_and_what_would_be_right_in_each_language(code):
    issue = make_issue(code, file="a.xlsx", sheet="Plan1", cell="C7", row=7, column="Valor")
    (wrong, right), (errado, certo) = (
        written((issue.message, issue.accepts), language) for language in ("en", "pt-BR")
    )
    assert all([wrong, right, errado, certo])
    assert wrong != errado
    assert (issue.code, issue.severity, issue.cell) == (code, severity_of(code), "C7")


def test_a_lost_zero_is_named():
    issue = make_issue(IssueCode.TAXID_LENGTH, file="a.csv", found=10)
    assert str(issue.message) == "has 10 digits; 11 or 14 expected; did a leading zero get lost?"


def test_a_fact_that_is_missing_never_hides_a_problem():
    assert "?" in str(make_issue(IssueCode.TAXID_LENGTH, file="a.csv").message)


def test_a_table_may_weigh_a_code_otherwise():
    issue = make_issue(IssueCode.ROW_DUPLICATE, file="a.csv", severity=Severity.WARNING, other="3")
    assert issue.severity is Severity.WARNING
