"""Every problem can be told in both languages, and what weighs how is settled."""

import string

import pytest

from schemas.issue_texts import TEXTS, make_issue, severity_of
from schemas.issues import IssueCode, Severity


@pytest.mark.parametrize("language", ["pt-BR", "en"])
@pytest.mark.parametrize("code", IssueCode)
def test_every_code_says_what_is_wrong_and_what_would_be_right(code, language):
    issue = make_issue(code, language=language, file="a.xlsx", sheet="Plan1", cell="C7", row=7, column="Valor")
    assert issue.message
    assert issue.accepts
    assert issue.message != TEXTS["en" if language == "pt-BR" else "pt-BR"][code][0]
    assert (issue.code, issue.severity, issue.cell) == (code, severity_of(code), "C7")


def test_both_languages_name_the_same_facts():
    def facts(text):
        return {name for _, name, _, _ in string.Formatter().parse(text) if name}

    for code in IssueCode:
        english, portuguese = (set.union(*map(facts, TEXTS[language][code])) for language in ("en", "pt-BR"))
        assert english == portuguese, code


def test_a_lost_zero_is_named():
    issue = make_issue(IssueCode.TAXID_LENGTH, language="en", file="a.csv", found=10)
    assert issue.message == "has 10 digits; 11 or 14 expected; did a leading zero get lost?"


def test_a_fact_that_is_missing_never_hides_a_problem():
    assert "?" in make_issue(IssueCode.TAXID_LENGTH, language="en", file="a.csv").message


def test_a_table_may_weigh_a_code_otherwise():
    issue = make_issue(IssueCode.ROW_DUPLICATE, language="en", file="a.csv", severity=Severity.WARNING, other="3")
    assert issue.severity is Severity.WARNING
