"""A refusal points at the payee's row, whatever part of the body the service names."""

from dataclasses import replace

import pytest

from flows.payables.rules.plan_batches import entry_digest, explain_refusal, refused_entries
from schemas.obligation import NO_ROW
from tests.spec.office import Office, inputs
from tests.spec.reports import submission
from tests.spec.tables import payments


@pytest.fixture(scope="module")
def sent():
    """Obligations in the order of the sheet, and their submission, whose payments are in order of payee."""
    office = Office()
    payables = office.compute_payables(inputs(payments=payments("| payee | amount |\n| bia | 2.00 |\n| ana | 1.00 |")))
    (batch,) = office.plan(payables).batches
    return payables.obligations, submission(body=batch.content)


def explained(sent, *places):
    obligations, refused = sent
    return explain_refusal(refused, places, obligations)


@pytest.mark.parametrize(("index", "row"), [(0, 3), (1, 2)])
def test_the_service_s_index_is_the_row_of_the_sheet(sent, index, row):
    (issue,) = explained(sent, (("body", "payments", index, "bankAccount", "pixKey"), "value_error"))
    assert (issue.code.value, issue.file, issue.row, issue.column) == (
        "REFUSED_BY_SERVICE",
        "payments.xlsx",
        row,
        "pixKey",
    )


@pytest.mark.parametrize(
    ("loc", "column"),
    [
        (("body", "amount"), "amount"),
        (("body", "payments"), "payments"),
        (("body", "payments", 7, "taxId"), "taxId"),
        (("body", "payments", -1, "taxId"), "taxId"),
        (("body", "payments", "0", "taxId"), "taxId"),
        ((), "body"),
    ],
    ids=["the report", "the list", "beyond the list", "before the list", "a text", "nothing"],
)
def test_what_names_no_payment_of_ours_points_at_no_row_and_holds_nobody(sent, loc, column):
    (issue,) = explained(sent, (loc, "missing"))
    assert (issue.file, issue.row, issue.column) == ("", None, column)
    assert refused_entries(sent[1].body, [(loc, "missing")]) == []


def test_every_place_is_told(sent):
    places = [(("body", "payments", n, "taxId"), "value_error") for n in (0, 1)]
    assert [issue.row for issue in explained(sent, *places)] == [3, 2]


def test_a_royalty_points_at_the_payee_s_field_without_a_row(sent):
    obligations, refused = sent
    royalty = [replace(owed, source=NO_ROW) for owed in obligations]
    (issue,) = explained((royalty, refused), (("body", "payments", 0, "name"), "missing"))
    assert (issue.row, issue.column) == (None, "name")


def test_a_refused_entry_is_recognised_when_it_is_planned_again_and_only_then(sent):
    obligations, refused = sent
    (digest,) = refused_entries(refused.body, [(("body", "payments", 0, "name"), "a"), (("body", "payments", 0), "b")])
    by_row = {owed.source.row: entry_digest(owed) for owed in obligations}
    assert by_row[3] == digest != by_row[2]
    corrected = replace(refused, body=refused.body.replace(b'"Ana"', b'"Ana Serra"'))
    assert refused_entries(corrected.body, [(("body", "payments", 0), "b")]) != [digest]
