"""The intent to send is durable before the connection opens, and belongs to one worker."""

import datetime as dt
import subprocess
import sys
import threading

import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError

from io_adapters.ledger.leases import Owner, is_gone
from io_adapters.ledger.ledger import open_ledger
from schemas.errors import BrokenInvariant, NotSent, SendingFrozen
from schemas.messages import Message, render
from schemas.submission import Alarm, Outcome, SubmissionState, Withheld
from tests.io_adapters.ledger.conftest import evidence

pytestmark = pytest.mark.journey

ANSWER = {"http_status": 200, "raw_answer": b'{"_id": "s1"}', "split_id": "s1", "reason": evidence("created")}

TAKE_AND_DIE = """
import datetime as dt, hashlib, os, sys
from io_adapters.ledger.leases import Owner
from io_adapters.ledger.ledger import open_ledger
from io_adapters.ledger.account_checks import CheckBudget
clock = lambda: dt.datetime(2026, 11, 20, 9, 0, tzinfo=dt.UTC)
ledger = open_ledger(sys.argv[1], clock=clock)
(submission,) = ledger.submissions.list()
sha256 = hashlib.sha256(submission.body).hexdigest()
owner = Owner.current("run-2")
deadline = clock() + dt.timedelta(seconds=60)
took = ledger.submissions.take_for_sending(submission.id, owner, "run-2", body_sha256=sha256, deadline_at=deadline)
ledger.leases.take("job:aurora-royalties", owner, ttl_s=3600)
ledger.checks.record_and_reserve((), {"account": b"{}"}, CheckBudget("run-2", 36, 100, owner), deadline)
os._exit(7 if took else 1)
"""


@pytest.fixture
def approved(desk, make_plan):
    (submission,) = desk.approve(make_plan({"ana": 100}))
    return submission


def test_of_eight_workers_one_takes_a_submission(ledger, desk, approved):
    owners = [Owner.current(f"run-{number}") for number in range(8)]
    barrier = threading.Barrier(8)
    won = []

    def work(owner):
        barrier.wait()
        if desk.take(approved, owner):
            won.append(owner)

    threads = [threading.Thread(target=work, args=(owner,)) for owner in owners]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(won) == 1
    assert [owner for owner in owners if ledger.submissions.still_mine(approved.id, owner)] == won
    taken = ledger.submissions.get(approved.id)
    assert (taken.state, taken.run_id, taken.sending_at) == (SubmissionState.SENDING, won[0].run_id, desk.clock())


def test_a_worker_that_dies_leaves_its_intent_and_the_intent_becomes_a_doubt(ledger_url, ledger, approved, clock, key):
    done = subprocess.run([sys.executable, "-c", TAKE_AND_DIE, ledger_url], check=False)
    assert done.returncode == 7
    with open_ledger(ledger_url, clock=clock) as reopened:
        assert reopened.submissions.get(approved.id).state is SubmissionState.SENDING
        here = Owner.current("run-3")
        (doubtful,) = reopened.submissions.doubt_abandoned(lambda owner: is_gone(owner, here))
        assert (doubtful.id, doubtful.state, doubtful.was_in_doubt) == (approved.id, SubmissionState.IN_DOUBT, True)
        assert len(reopened.claims.live_for([key("ana")])) == 1
        assert reopened.leases.take("job:aurora-royalties", here, ttl_s=60).owner == here
        (check,) = reopened.checks.doubt_abandoned(lambda owner: is_gone(owner, here))
        assert (check.fingerprint, check.state) == ("account", "in_doubt")
        assert reopened.checks.spent("run-2") == 36


def test_what_a_living_worker_sends_is_left_alone(ledger, desk, approved, me, clock):
    desk.take(approved, me)
    assert ledger.submissions.doubt_abandoned(lambda owner: is_gone(owner, me)) == []
    clock.move(minutes=7)  # its deadline is long over, and a worker on another machine could not be proven gone
    assert [s.id for s in ledger.submissions.doubt_abandoned(lambda owner: is_gone(owner, me))] == [approved.id]
    assert not ledger.submissions.still_mine(approved.id, me)


def test_other_bytes_than_the_stored_ones_are_never_sent(ledger, approved, me, clock):
    with pytest.raises(BrokenInvariant, match="bytes"):
        ledger.submissions.take_for_sending(approved.id, me, "run-1", body_sha256="0" * 64, deadline_at=clock())
    assert ledger.submissions.get(approved.id).state is SubmissionState.APPROVED


def test_the_answer_is_kept_as_it_came(ledger, desk, approved, me, clock):
    desk.take(approved, me)
    now = ledger.submissions.record_outcome(approved.id, Outcome.ACCEPTED, **ANSWER)
    assert (now.state, now.split_id, now.reason) == (SubmissionState.ACCEPTED, "s1", evidence("created"))
    (answer,) = ledger.submissions.answers(approved.id)
    assert (answer.outcome, answer.http_status, answer.raw) == (Outcome.ACCEPTED, 200, b'{"_id": "s1"}')
    steps = [(line.before, line.after) for line in ledger.submissions.transitions(approved.id)]
    s = SubmissionState
    assert steps == [(None, s.PLANNED), (s.PLANNED, s.APPROVED), (s.APPROVED, s.SENDING), (s.SENDING, s.ACCEPTED)]
    assert {line.at for line in ledger.submissions.transitions(approved.id)} == {clock()}


@pytest.mark.parametrize(
    ("outcome", "state"),
    [
        (Outcome.ACCEPTED, SubmissionState.ACCEPTED),
        (Outcome.REFUSED, SubmissionState.IN_DOUBT),
        (Outcome.NOT_SENT, SubmissionState.IN_DOUBT),
        (Outcome.IN_DOUBT, SubmissionState.IN_DOUBT),
    ],
)
def test_an_answer_that_comes_after_a_doubt_can_only_confirm(ledger, desk, approved, me, key, outcome, state):
    desk.take(approved, me)
    ledger.submissions.doubt_abandoned(lambda _: True)
    assert ledger.submissions.record_outcome(approved.id, outcome, **ANSWER).state is state
    assert len(ledger.submissions.answers(approved.id)) == 1
    assert len(ledger.claims.live_for([key("ana")])) == 1


def test_an_answer_that_comes_after_the_report_was_found_is_kept(ledger, desk, approved, me):
    desk.take(approved, me)
    ledger.submissions.doubt_abandoned(lambda _: True)
    ledger.submissions.record_found(approved.id, "s1", by="run-2", reason=evidence("listed"))
    assert ledger.submissions.record_outcome(approved.id, Outcome.IN_DOUBT, **ANSWER).state is SubmissionState.ACCEPTED
    assert len(ledger.submissions.answers(approved.id)) == 1


def test_nothing_is_taken_while_a_person_holds_sending(ledger, desk, approved, me):
    ledger.hold.put("Ana", "bank holiday")
    with pytest.raises(NotSent, match="Ana: bank holiday"):
        desk.take(approved, me)
    assert ledger.hold.current().why == "bank holiday"
    assert ledger.hold.release("Bia")
    assert not ledger.hold.release("Bia")
    assert desk.take(approved, me)


def test_nothing_is_taken_while_ledger_and_service_disagree(ledger, desk, approved, me):
    ledger.freeze.put(evidence("a report of an unknown ledger"), ["zzzzzz"])
    ledger.freeze.put(evidence("a report this ledger does not know"), ["rp-1", "zzzzzz"])
    with pytest.raises(SendingFrozen, match="unknown ledger"):
        desk.take(approved, me)
    assert ledger.freeze.current().tags == ("zzzzzz", "rp-1")
    assert ledger.freeze.lift(["Ana", "Bia"], "the old ledger's backup", ["zzzzzz"])
    assert ledger.freeze.current() is None
    assert ledger.freeze.accepted() == {("by_hand", "zzzzzz")}
    assert desk.take(approved, me)


def test_reports_are_kept_when_they_say_something_new(ledger, desk, approved, me, clock):
    desk.take(approved, me)
    ledger.submissions.record_outcome(approved.id, Outcome.ACCEPTED, **ANSWER)
    for document, status in [(b"1", "PENDING"), (b"1", "PENDING"), (b"2", "PROCESSING"), (b"1", "PENDING")]:
        clock.move(seconds=30)
        now = ledger.submissions.record_status(approved.id, document, status, SubmissionState.PROCESSING, by="run-1")
    assert (now.state, now.status) == (SubmissionState.PROCESSING, "PENDING")
    assert [s.status for s in ledger.reports.history(approved.id)] == ["PENDING", "PROCESSING", "PENDING"]
    assert ledger.reports.latest([approved.id])[approved.id].at == clock()
    assert ledger.submissions.record_status(approved.id, b"3", None, None, by="run-1").status is None


def test_a_list_can_leave_the_bodies_out(ledger, approved):
    assert [s.body for s in ledger.submissions.list(job="aurora-royalties", bodies=False)] == [b""]
    assert ledger.submissions.list(job="another") == []
    assert ledger.submissions.list(states=[]) == []
    assert len(ledger.submissions.list(run_id="run-1", plan_digest=approved.plan_digest, period="2026-10")) == 1


def test_a_process_is_gone_only_when_that_is_proven(me):
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    start = Owner.current("x")
    stat = open(f"/proc/{child.pid}/stat").read().rpartition(")")[2].split()[19]  # noqa: SIM115, PTH123
    owner = Owner(start.host, child.pid, start.boot_id, stat, "x")
    assert not is_gone(owner, me)
    assert is_gone(Owner(start.host, child.pid, start.boot_id, stat + "1", "x"), me)  # the id was given to another
    child.communicate(b"\n")
    assert is_gone(owner, me)
    for unproven in (
        Owner("elsewhere", child.pid, start.boot_id, stat, "x"),
        Owner(start.host, child.pid, "another boot", stat, "x"),
        Owner(start.host, child.pid, "", stat, "x"),
    ):
        assert not is_gone(unproven, me)
    assert not is_gone(me, me)
    assert Owner.from_json(me.to_json()) == me


def test_moments_are_utc_whatever_the_clock_shows(ledger_url, make_desk, make_plan, me):
    there = dt.timezone(dt.timedelta(hours=-3))
    with open_ledger(ledger_url, clock=lambda: dt.datetime(2026, 11, 20, 6, 0, tzinfo=there)) as ledger:
        desk = make_desk(ledger, lambda: dt.datetime(2026, 11, 20, 6, 0, tzinfo=there))
        (submission,) = desk.approve(make_plan({"ana": 100}))
        desk.take(submission, me)
        sent = ledger.submissions.get(submission.id).sending_at
    assert sent == dt.datetime(2026, 11, 20, 9, 0, tzinfo=dt.UTC)
    assert sent.utcoffset() == dt.timedelta(0)


def test_a_clock_without_a_time_zone_is_a_bug(tmp_path):
    with pytest.raises(BrokenInvariant, match="time zone"):
        open_ledger(f"sqlite:///{tmp_path}/ledger.db", clock=lambda: dt.datetime(2026, 11, 20))  # noqa: DTZ001


def test_the_ledger_owns_up_only_to_reports_that_may_have_left(ledger, desk, make_plan, me):
    """A report the service shows and this list lacks means that the ledger was restored from a copy."""
    unsent, sent = desk.approve(make_plan({"ana": 100}, {"bia": 200}))
    assert ledger.submissions.sent_reports() == []
    assert not ledger.submissions.ever_sent("aurora-royalties")
    desk.take(sent, me)
    assert [report.report_id for report in ledger.submissions.sent_reports()] == [sent.id]
    assert ledger.submissions.ever_sent("aurora-royalties")
    ledger.submissions.record_outcome(
        sent.id, Outcome.NOT_SENT, http_status=None, raw_answer=b"", split_id=None, reason=None
    )
    assert ledger.submissions.sent_reports() == []
    assert {s.id for s in ledger.submissions.with_ids([unsent.id, sent.id, "rp-unknown"])} == {unsent.id, sent.id}


@pytest.fixture
def two(desk, make_plan):
    """Two submissions that may be sent, the first of ana, the second of bia."""
    return desk.approve(make_plan({"ana": 100}, {"bia": 200}))


def sent(desk, me, submission, split_id, outcome=Outcome.ACCEPTED, **more):
    desk.take(submission, me)
    answer = {"http_status": 200, "raw_answer": b"{}", "split_id": split_id, "reason": None}
    return desk.ledger.submissions.record_outcome(submission.id, outcome, **answer | more)


def test_a_report_that_is_linked_already_leaves_the_second_in_doubt_and_freezes_in_the_same_breath(
    ledger, desk, two, me
):
    first, second = two
    assert sent(desk, me, first, "s1").state is SubmissionState.ACCEPTED
    now = sent(desk, me, second, "s1")
    assert (now.state, now.split_id) == (SubmissionState.IN_DOUBT, None)
    assert first.id in str(now.reason)
    assert ledger.freeze.current().tags == (f"{second.id}:id",)
    with pytest.raises(BrokenInvariant, match="cannot be that of"):
        ledger.submissions.record_found(second.id, "s1", by="bia", reason=evidence("x"))
    assert ledger.submissions.record_found(second.id, "s2", by="bia", reason=evidence("x")) == ()


def test_even_past_our_own_checks_no_two_submissions_have_one_report(ledger, desk, two, me):
    for number, submission in enumerate(two):
        sent(desk, me, submission, f"s{number}")
    with pytest.raises(IntegrityError), ledger._database.writing() as connection:
        connection.execute(text("UPDATE submissions SET split_id = 's1'"))


def test_reports_whose_id_the_service_does_not_tell_are_not_one_report(ledger, desk, two, me):
    for submission in two:
        sent(desk, me, submission, None, Outcome.IN_DOUBT)
        ledger.submissions.record_found(submission.id, "", by="run-1", reason=evidence("found in the list"))
    assert {submission.state for submission in ledger.submissions.list()} == {SubmissionState.ACCEPTED}


def alarm(name, tag=None):
    message = Message("alarm.wrong_amount", name=name, found="1", expected="2")
    return Alarm("wrong_amount", tag or f"{name}:amount", message)


def test_an_answer_that_is_an_alarm_freezes_with_the_record_of_it_once(ledger, desk, two, me):
    first, _ = two
    sent(desk, me, first, "s1", alarms=(alarm(first.id),))
    standing = ledger.freeze.current()
    assert standing.tags == (f"{first.id}:amount",)
    assert "outro valor" in render(standing.reason, "pt-BR")
    ledger.freeze.raise_alarms((alarm(first.id),))
    assert ledger.freeze.current() == standing
    ledger.freeze.lift(("ana", "bia"), "seen", standing.tags)
    ledger.freeze.raise_alarms((alarm(first.id),))
    assert ledger.freeze.current() is None
    ledger.freeze.raise_alarms((alarm(first.id, "another"),))
    assert ledger.freeze.current().tags == ("another",)


def test_a_failed_report_that_is_paid_after_all_takes_its_claims_back_from_what_is_unsent(ledger, desk, make_plan, me):
    (first,) = desk.approve(make_plan({"ana": 100}))
    sent(desk, me, first, "s1")
    ledger.submissions.record_status(first.id, b"{}", "ERROR", SubmissionState.FAILED, by="run-1")
    (second,) = desk.approve(make_plan({"ana": 100}))
    ledger.submissions.record_status(first.id, b"{ }", "DONE", SubmissionState.PAID, by="run-2")
    assert ledger.submissions.get(second.id).state is SubmissionState.WITHDRAWN
    assert ledger.freeze.current() is None
    (claim,) = ledger.claims.live_of(first.job, first.period)
    assert claim.submission_id == first.id


def test_one_that_was_paid_again_meanwhile_freezes_in_the_same_breath(ledger, desk, make_plan, me):
    (first,) = desk.approve(make_plan({"ana": 100}))
    sent(desk, me, first, "s1")
    ledger.submissions.record_status(first.id, b"{}", "ERROR", SubmissionState.FAILED, by="run-1")
    (second,) = desk.approve(make_plan({"ana": 100}))
    sent(desk, me, second, "s2")
    now = ledger.submissions.record_status(first.id, b"{ }", "DONE", SubmissionState.PAID, by="run-2")
    assert now.state is SubmissionState.PAID
    assert ledger.freeze.current().tags == (first.id,)
    (claim,) = ledger.claims.live_of(first.job, first.period)
    assert claim.submission_id == second.id


def test_the_ledger_knows_what_it_asked_to_hold_back(ledger, desk, two):
    with ledger._database.writing() as connection:
        connection.execute(text("UPDATE claims SET withheld = :yes WHERE payee <> ''"), {"yes": True})
    first, second = two
    assert ledger.claims.withheld([first.id, second.id, "rp-unknown"]) == {
        first.id: Withheld(1, 100),
        second.id: Withheld(1, 200),
    }
