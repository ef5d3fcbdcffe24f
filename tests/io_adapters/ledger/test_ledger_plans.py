"""Plans and people's words on them."""

import datetime as dt
import hashlib
import json

import pytest

from io_adapters.ledger.claims import ClaimCollision
from schemas.errors import ApprovalWanted, UnsoundPlan
from schemas.journal import AccountKind, EntryKind, JournalEntry, Posting, Series
from schemas.plan import Approval, ApprovalKind
from schemas.submission import Outcome, SubmissionState
from tests.io_adapters.ledger.conftest import evidence


def end(desk, submission, owner, outcome, split_id=None):
    assert desk.take(submission, owner)
    return desk.ledger.submissions.record_outcome(
        submission.id, outcome, http_status=None, raw_answer=b"", split_id=split_id, reason=None
    )


def test_a_stored_plan_holds_the_exact_bytes_to_send(desk, ledger, make_plan):
    plan = make_plan({"ana": 12345, "bia": 100}, {"caio": 50})
    first, second = desk.store(plan)
    body = json.loads(first.body)
    assert body["reportId"] == first.report_id == first.id
    assert body["paymentBatchName"] == f"aurora-royalties 2026-10 1/2 [{first.id}]"
    assert b'"amount":123.45' in first.body
    assert body.keys() - json.loads(plan.batches[0].content).keys() == {"reportId", "paymentBatchName"}
    assert (first.payments, first.amount_cents, second.amount_cents) == (2, 12445, 50)
    assert f"-{ledger.tag}-" in first.id
    assert ledger.claims.payments_of(first.id) == list(plan.batches[0].payments)
    assert ledger.submissions.get(first.id) == first


def test_storing_a_plan_again_changes_nothing_but_the_run(desk, ledger, make_plan):
    plan = make_plan({"ana": 100}, {"bia": 200})
    first = desk.store(plan, "run-1")
    again = desk.store(plan, "run-2")
    assert [s.id for s in again] == [s.id for s in first]
    assert {s.run_id for s in again} == {"run-2"}
    assert len(ledger.submissions.list()) == 2
    assert ledger.plans.get(plan.digest).run_id == "run-2"


def test_a_newer_plan_replaces_the_one_nobody_approved(desk, ledger, make_plan):
    old, new = make_plan({"ana": 100}), make_plan({"ana": 200})
    (replaced,) = desk.store(old)
    desk.sign(old)
    desk.store(new)
    assert ledger.submissions.get(replaced.id).state is SubmissionState.WITHDRAWN
    with pytest.raises(ApprovalWanted, match="replaced"):
        ledger.submissions.approve_plan(old.digest, "run-1", (), desk.clock())


def test_an_approved_plan_is_not_replaced(desk, ledger, make_plan):
    (approved,) = desk.approve(make_plan({"ana": 100}))
    desk.store(make_plan({"bia": 200}))
    assert ledger.submissions.get(approved.id).state is SubmissionState.APPROVED


def test_a_plan_without_batches_only_replaces(desk, ledger, make_plan):
    (replaced,) = desk.store(make_plan({"ana": 100}))
    assert desk.store(make_plan()) == []
    assert ledger.submissions.get(replaced.id).state is SubmissionState.WITHDRAWN
    with pytest.raises(ApprovalWanted):
        ledger.plans.get(make_plan().digest)


def test_a_plan_that_pays_an_obligation_twice_is_refused(desk, make_plan):
    with pytest.raises(UnsoundPlan, match="more than once"):
        desk.store(make_plan({"ana": 100}, {"ana": 200}))


def test_a_plan_is_found_by_the_beginning_of_its_digest(desk, ledger, make_plan):
    plan = make_plan({"ana": 100, "bia": 300})
    desk.store(plan)
    found = ledger.plans.get(plan.digest.removeprefix("sha256:")[:8].upper())
    assert (found.digest, found.total_cents, found.payees, found.largest_cents) == (plan.digest, 400, 2, 300)
    assert [s.amount_cents for s in found.submissions] == [400]
    for wrong in ("", "abc", "00000000", "%%%%%%%%", plan.digest[:12]):
        with pytest.raises(ApprovalWanted):
            ledger.plans.get(wrong)


def test_no_report_id_is_ever_given_twice_to_content_that_may_have_left(desk, ledger, make_plan, me, clock):
    """Whatever becomes of an attempt, the next one of the same content has a name the service has never seen."""
    plan = make_plan({"ana": 100})
    posted = []

    def plan_and_take():
        clock.move(minutes=1)
        (submission,) = desk.approve(plan)
        posted.append(ledger.submissions.get(submission.id).report_id)
        return submission

    end(desk, plan_and_take(), me, Outcome.REFUSED)
    accepted = end(desk, plan_and_take(), me, Outcome.ACCEPTED, "s2")
    ledger.submissions.record_status(accepted.id, b"{}", "ERROR", SubmissionState.FAILED, by="run-1")
    end(desk, plan_and_take(), me, Outcome.NOT_SENT)
    unsent = [submission.id for submission in ledger.submissions.list(states=[SubmissionState.NOT_SENT])]
    ledger.submissions.withdraw_unsent(unsent, run_id="run-1", reason=evidence("test"))
    desk.store(plan)
    desk.store(make_plan({"bia": 1}))  # replaces it before it is approved
    doubtful = end(desk, plan_and_take(), me, Outcome.IN_DOUBT)
    (following,) = ledger.submissions.declare_absent(
        [doubtful.id], by=("Ana", "Bia"), evidence="call 7", run_id="run-2"
    )
    posted.append(following.report_id)
    assert len(posted) == len(set(posted)) == 5
    assert [s.attempt for s in ledger.submissions.list() if s.content_hash == doubtful.content_hash] == [
        1,
        2,
        3,
        4,
        5,
        6,
    ]


def test_what_was_certainly_not_sent_is_sent_under_its_own_name(desk, ledger, make_plan, me):
    (submission,) = desk.approve(make_plan({"ana": 100}))
    before = ledger.submissions.get(submission.id)
    assert end(desk, submission, me, Outcome.NOT_SENT).state is SubmissionState.NOT_SENT
    ledger.submissions.reapprove_not_sent(submission.id, by="run-2")
    again = ledger.submissions.get(submission.id)
    assert (again.state, again.body, again.report_id) == (SubmissionState.APPROVED, before.body, before.report_id)
    assert desk.take(again, me)


def test_the_next_attempt_of_an_absent_report_pays_the_same_under_a_new_name(desk, ledger, make_plan, me, key):
    plan = make_plan({"ana": 100, "bia": 250})
    (submission,) = desk.approve(plan)
    end(desk, submission, me, Outcome.IN_DOUBT)
    with pytest.raises(ApprovalWanted, match="two different people"):
        ledger.submissions.declare_absent([submission.id], by=("Ana", " ana "), evidence="x", run_id="run-2")
    (following,) = ledger.submissions.declare_absent(
        [submission.id], by=("Ana", "Bia"), evidence="call 7", run_id="run-2"
    )
    old, new = (json.loads(ledger.submissions.get(s.id).body) for s in (submission, following))
    assert {name for name in new if new[name] != old[name]} == {"reportId", "paymentBatchName"}
    assert following.state is SubmissionState.APPROVED
    assert ledger.claims.payments_of(following.id) == list(plan.batches[0].payments)
    assert {c.submission_id for c in ledger.claims.live_for([key("ana"), key("bia")])} == {following.id}
    assert ledger.submissions.transitions(submission.id)[-1].reason == evidence("call 7")
    assert desk.take(following, me)


def test_a_plan_needs_a_standing_approval_at_the_moment_it_is_approved(desk, ledger, make_plan, clock):
    plan = make_plan({"ana": 100})
    desk.store(plan)
    with pytest.raises(ApprovalWanted, match="0 of 1"):
        ledger.submissions.approve_plan(plan.digest, "run-1", (), clock())
    desk.sign(plan, hours=1)
    clock.move(hours=2)
    assert ledger.approvals.valid(plan.digest, clock()) == []
    with pytest.raises(ApprovalWanted):
        ledger.submissions.approve_plan(plan.digest, "run-1", (), clock())
    desk.sign(plan, by="Ana")  # who prepared it: not one of two
    desk.sign(plan, by="Bia")
    desk.sign(plan, by="BIA")
    with pytest.raises(ApprovalWanted, match="1 of 2"):
        ledger.submissions.approve_plan(plan.digest, "run-1", (), clock(), approvers=2)
    desk.sign(plan, by="Caio")
    assert len(ledger.submissions.approve_plan(plan.digest, "run-1", (), clock(), approvers=2)) == 1


@pytest.mark.parametrize(
    "other", ["ANA  LIMA", "Ana\u00a0Lima", "Ana\u200b Lima", "A\uff4ea Lima", "\u0410na Lima", "Ána Líma"]
)
def test_one_person_is_not_two_however_the_name_is_written(desk, ledger, make_plan, clock, other):
    plan = make_plan({"ana": 100})
    desk.store(plan)
    desk.sign(plan, by="Ana Lima")
    desk.sign(plan, by=other)
    with pytest.raises(ApprovalWanted, match="1 of 2"):
        ledger.submissions.approve_plan(plan.digest, "run-1", (), clock(), approvers=2)


def test_an_approval_is_used_once(desk, ledger, make_plan, me, clock):
    plan = make_plan({"ana": 100})
    (submission,) = desk.approve(plan)
    assert ledger.approvals.valid(plan.digest, clock()) == []
    assert ledger.submissions.approve_plan(plan.digest, "run-1", (), clock()) == []
    end(desk, submission, me, Outcome.REFUSED)
    desk.store(plan, "run-2")
    with pytest.raises(ApprovalWanted):
        ledger.submissions.approve_plan(plan.digest, "run-2", (), clock())


def test_a_plan_below_the_jobs_limit_needs_nobodys_word(desk, ledger, make_plan, clock):
    plan = make_plan({"ana": 100})
    desk.store(plan)
    assert len(ledger.submissions.approve_plan(plan.digest, "run-1", (), clock(), approvers=0)) == 1


def test_an_approval_of_another_total_is_refused(desk, ledger, make_plan, clock):
    plan = make_plan({"ana": 100})
    desk.store(plan)
    wrong = Approval(plan.digest, "Ana", ApprovalKind.PERSON, 101, clock(), clock() + dt.timedelta(days=1))
    with pytest.raises(ApprovalWanted, match="total"):
        ledger.approvals.record(wrong)


def test_a_rejection_voids_approvals_until_a_later_run_arrives_at_the_plan_again(desk, ledger, make_plan, clock):
    plan = make_plan({"ana": 100})
    desk.store(plan, "run-1")
    desk.sign(plan)
    ledger.submissions.reject_plan(plan.digest, "Bia", "wrong period")
    assert ledger.approvals.valid(plan.digest, clock()) == []
    assert ledger.plans.get(plan.digest).rejected_why == "wrong period"
    desk.store(plan, "run-1")
    with pytest.raises(ApprovalWanted, match="rejected by Bia: wrong period"):
        desk.sign(plan)
    with pytest.raises(ApprovalWanted, match="rejected"):
        ledger.submissions.approve_plan(plan.digest, "run-1", (), clock(), approvers=0)
    desk.store(plan, "run-2")
    assert ledger.approvals.valid(plan.digest, clock()) == []
    desk.sign(plan)
    assert len(ledger.submissions.approve_plan(plan.digest, "run-2", (), clock())) == 1


def test_nothing_changes_when_approving_fails(desk, ledger, make_plan, clock, key):
    desk.approve(make_plan({"ana": 100}))
    plan = make_plan({"bia": 200}, {"ana": 999})
    submissions = desk.store(plan)
    desk.sign(plan)
    series = Series("aurora-royalties", "payer", "BRL")
    legs = (Posting(series.account(AccountKind.PAYEE, "caio"), -5), Posting(series.account(AccountKind.SOURCE), 5))
    entry = JournalEntry("je-1", EntryKind.READ, series, "2026-10", dt.date(2026, 10, 1), "read", legs)
    before = ledger.journal.balances()
    with pytest.raises(ClaimCollision) as caught:
        ledger.submissions.approve_plan(plan.digest, "run-1", [entry], clock())
    assert caught.value.obligation_keys == (key("ana"),)
    assert {ledger.submissions.get(s.id).state for s in submissions} == {SubmissionState.PLANNED}
    assert ledger.claims.live_for([key("bia")]) == []
    assert len(ledger.approvals.valid(plan.digest, clock())) == 1
    assert ledger.journal.balances() == before


def test_content_that_is_live_cannot_be_stored_again(desk, make_plan, key):
    plan = make_plan({"ana": 100})
    desk.approve(plan)
    with pytest.raises(ClaimCollision) as caught:
        desk.store(plan, "run-2")
    assert caught.value.obligation_keys == (key("ana"),)


def test_only_what_was_not_sent_can_be_withdrawn(desk, ledger, make_plan, me, key):
    plan = make_plan({"ana": 100}, {"bia": 200})
    first, second = desk.approve(plan)
    desk.take(first, me)
    withdrawn = ledger.submissions.withdraw_unsent([first.id, second.id], run_id="run-1", reason=evidence("stop"))
    assert [submission.id for submission in withdrawn] == [second.id]
    assert [c.submission_id for c in ledger.claims.live_for([key("ana"), key("bia")])] == [first.id]


def test_bytes_are_kept_as_they_were_approved(desk, ledger, make_plan):
    plan = make_plan({"ana": 100})
    (submission,) = desk.store(plan)
    assert hashlib.sha256(plan.batches[0].content).hexdigest() == submission.content_hash
    entries = [
        f'"paymentBatchName":"aurora-royalties 2026-10 1/1 [{submission.id}]",',
        f',"reportId":"{submission.id}"',
    ]
    body = submission.body.decode()
    for entry in entries:
        body = body.replace(entry, "")
    assert body.encode() == plan.batches[0].content
