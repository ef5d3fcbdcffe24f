"""What the ledger knows of what was paid before, on both databases."""

import pytest

from schemas.approval import Decision, DecisionKind
from schemas.submission import Outcome, SubmissionState

S = SubmissionState
JOB = "aurora-royalties"


@pytest.fixture
def pay(ledger, desk, make_plan, me, clock):
    """Send a batch, and let its report come to a state; a month goes by. Returns the submission."""

    def do(amounts, *, job=JOB, period="2026-10", state=S.PAID):
        (submission,) = desk.approve(make_plan(amounts, job=job, period=period))
        assert desk.take(submission, me)
        answered = Outcome.IN_DOUBT if state is S.IN_DOUBT else Outcome.ACCEPTED
        split_id = None if answered is Outcome.IN_DOUBT else f"split {submission.id}"
        ledger.submissions.record_outcome(
            submission.id, answered, http_status=200, raw_answer=b"{}", split_id=split_id, reason=None
        )
        if state not in {S.ACCEPTED, S.IN_DOUBT}:
            ledger.submissions.record_status(submission.id, b"{}", "X", state, by="run-1")
        clock.move(days=30)
        return submission

    return do


def test_an_empty_ledger_has_paid_nobody(ledger):
    history = ledger.history
    assert not history.ever_paid()
    assert (history.sums(["ana"]), history.destinations(["ana"]), history.periods(JOB)) == ([], [], [])
    assert history.payments(JOB, "2026-10") == []
    assert history.exchange_of("sha256:nothing") is None


def test_sums_are_by_payee_job_and_period_with_the_day_of_the_last_payment(ledger, pay):
    pay({"ana": 1_000, "bia": 2_000}, period="2026-09")
    pay({"ana": 1_500}, period="2026-10")
    pay({"ana": 70}, job="another", period="2026-10")
    sums = sorted((s.payee, s.job, s.period, s.amount_cents, s.last_at.month) for s in ledger.history.sums(["ana"]))
    assert sums == [
        ("ana", "another", "2026-10", 70, 1),
        ("ana", JOB, "2026-09", 1_000, 11),
        ("ana", JOB, "2026-10", 1_500, 12),
    ]
    assert sorted(ledger.history.periods(JOB)) == ["2026-09", "2026-10"]


def test_of_a_long_history_the_latest_thirteen_sums_are_told(ledger, pay):
    for month in range(1, 16):
        pay({"ana": 100 * month}, period=f"{2025 + (month - 1) // 12}-{(month - 1) % 12 + 1:02d}")
    sums = ledger.history.sums(["ana"])
    assert sorted(one.amount_cents for one in sums) == [100 * month for month in range(3, 16)]


@pytest.mark.parametrize(
    ("state", "paid"),
    [(S.ACCEPTED, True), (S.PROCESSING, True), (S.PAID, True), (S.IN_DOUBT, False), (S.PARTIAL, False)],
)
def test_only_what_the_service_was_seen_to_pay_is_history(ledger, pay, state, paid):
    pay({"ana": 1_000}, state=state)
    assert ledger.history.ever_paid() == paid
    assert bool(ledger.history.sums(["ana"])) == paid
    assert bool(ledger.history.payments(JOB, "2026-10")) == paid
    assert bool(ledger.history.periods(JOB)) == paid


@pytest.mark.parametrize(("word", "paid"), [(DecisionKind.PAID, True), (DecisionKind.PAY, False)])
def test_what_people_last_said_of_a_partial_report_is_history(ledger, pay, clock, key, word, paid):
    submission = pay({"ana": 1_000}, state=S.PARTIAL)
    for kind in (DecisionKind.DROP, word):
        said = Decision(key("ana"), submission.id, kind, 1_000, "fingerprint of ana", "Bia", "a receipt", clock())
        ledger.decisions.record([said])
    assert bool(ledger.history.sums(["ana"])) == paid
    assert [part.amount_cents for part in ledger.history.payments(JOB, "2026-10")] == ([1_000] if paid else [])


def test_a_destination_is_told_with_its_last_use(ledger, pay):
    pay({"ana": 1_000}, period="2026-09")
    pay({"ana": 1_000}, period="2026-10")
    (used,) = ledger.history.destinations(["ana"])
    assert (used.destination, used.job, used.period, used.last_at.month) == (
        "fingerprint of ana",
        JOB,
        "2026-10",
        12,
    )
