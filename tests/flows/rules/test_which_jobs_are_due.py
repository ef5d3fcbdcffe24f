"""Which jobs a night runs, and which it leaves alone."""

import pytest

from flows.nights.due import DueReason, Facts, is_brought_to_an_end, why_due
from schemas.errors import ExitCode


@pytest.mark.parametrize(
    ("facts", "why"),
    [
        (Facts(content="1", seen=None), DueReason.NEW),
        (Facts(content="2", seen="1"), DueReason.NEW),
        (Facts(content="1", seen="1"), DueReason.SAME),
        (Facts(content="1", seen="1", interrupted=True), DueReason.INTERRUPTED),
        (Facts(content="1", seen="1", reason_gone=True), DueReason.REASON_GONE),
        (Facts(content="2", seen="1", reason_gone=True), DueReason.NEW),
        (Facts(content=None, seen="1", interrupted=True, reason_gone=True), DueReason.NO_FILES),
        (Facts(content=None, seen="1"), DueReason.NO_FILES),
        (Facts(content="1", seen="1", left_over=True), DueReason.LEFT_OVER),
        (Facts(content=None, seen=None, left_over=True), DueReason.LEFT_OVER),
        (Facts(content="1", seen="1", approved=True), DueReason.APPROVED),
        (Facts(content="2", seen="1", approved=True, approved_reads_the_same=False), DueReason.OTHER_FILES),
    ],
)
def test_a_job_is_due_for_what_is_new_and_for_what_waits(facts: Facts, why: DueReason):
    assert why_due(facts) is why


def test_an_approved_plan_is_never_replaced_by_a_night_that_reads_other_files():
    assert not why_due(Facts(content="2", seen=None, approved=True, approved_reads_the_same=False)).is_due


@pytest.mark.parametrize(
    "code", [ExitCode.NOT_SENT, ExitCode.REFUSED, ExitCode.BUG, ExitCode.ANOTHER_RUN, ExitCode.FROZEN]
)
def test_what_stood_in_the_way_is_tried_again_the_next_night(code: ExitCode):
    assert not is_brought_to_an_end(code, {})


@pytest.mark.parametrize("code", [ExitCode.DONE, ExitCode.APPROVAL_WANTED, ExitCode.ROWS_HELD, ExitCode.STILL_OPEN])
def test_what_waits_for_people_or_the_service_is_left_to_them(code: ExitCode):
    assert is_brought_to_an_end(code, {"TAXID_CHECK": 3})


def test_account_checks_that_the_budget_left_over_go_on_the_next_night():
    assert not is_brought_to_an_end(ExitCode.ROWS_HELD, {"ACCOUNT_BUDGET": 1})
