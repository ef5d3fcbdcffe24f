"""The rate of a report in a foreign currency is kept with its plan, and set by one worker, once."""

import subprocess
import sys
import threading
from dataclasses import replace
from decimal import Decimal
from hashlib import sha256

import pytest

from io_adapters.ledger.leases import Owner, is_gone
from io_adapters.ledger.ledger import open_ledger
from io_adapters.ledger.tables import attempts
from schemas.errors import ApprovalWanted, BrokenInvariant, NotSent, SendingFrozen
from schemas.exchange_update import ExchangeState
from schemas.plan import ExchangeTerms
from schemas.submission import Outcome, SubmissionState
from tests.io_adapters.ledger.conftest import evidence

X = ExchangeState
JOB = "aurora-royalties"
TERMS = ExchangeTerms("USD", Decimal("5.4312"), "EX-1", show_exchange_data=True)

TAKE_AND_DIE = """
import datetime as dt, hashlib, os, sys
from io_adapters.ledger.leases import Owner
from io_adapters.ledger.ledger import open_ledger
clock = lambda: dt.datetime(2026, 11, 20, 9, 0, tzinfo=dt.UTC)
ledger = open_ledger(sys.argv[1], clock=clock)
(update,) = ledger.exchange_updates.list()
owner = Owner.current("run-2")
took = ledger.exchange_updates.take_for_sending(
    update.id, owner, "run-2", body_sha256=hashlib.sha256(update.body).hexdigest(),
    deadline_at=clock() + dt.timedelta(seconds=60),
)
os._exit(7 if took else 1)
"""


@pytest.fixture
def abroad(make_plan):
    """Make a plan in dollars."""
    return lambda amounts, terms=TERMS: replace(make_plan(amounts), currency=terms.currency, exchange=terms)


@pytest.fixture
def update(ledger, desk, abroad, me):
    """An update that nobody has sent, of a report that the service has."""
    (submission,) = desk.approve(abroad({"ana": 100}))
    accept(ledger, desk, submission, me)
    ledger.exchange_updates.prepare(JOB, "run-1")
    (written,) = ledger.exchange_updates.list()
    return written


def accept(ledger, desk, submission, me, split_id="s1"):
    desk.take(submission, me)
    answer = {"http_status": 200, "raw_answer": b"{}", "split_id": split_id, "reason": None}
    ledger.submissions.record_outcome(submission.id, Outcome.ACCEPTED, **answer)


def take(ledger, desk, update, owner, body=None):
    digest = sha256(body or update.body).hexdigest()
    return ledger.exchange_updates.take_for_sending(
        update.id, owner, owner.run_id, body_sha256=digest, deadline_at=desk.clock()
    )


def answered(ledger, update, state):
    return ledger.exchange_updates.record_outcome(
        update.id, state, http_status=200, raw_answer=b"{}", reason=evidence("as the answer says")
    )


def doubted(ledger, desk, update, me):
    take(ledger, desk, update, me)
    return answered(ledger, update, X.IN_DOUBT)


def test_the_rate_stays_with_the_plan_it_was_approved_with(ledger, desk, abroad, make_plan):
    desk.store(abroad({"ana": 100}))
    dearer = abroad({"ana": 100}, replace(TERMS, rate=Decimal("6.00")))
    desk.store(dearer)
    at_home = make_plan({"bia": 100})
    desk.store(at_home)
    terms_of = ledger.exchange_updates.terms_of
    assert terms_of(abroad({"ana": 100}).digest) == TERMS
    assert terms_of(dearer.digest).rate == 6
    assert terms_of(at_home.digest) is None
    assert ledger.exchange_updates.jobs() == [JOB]
    assert ledger.exchange_updates.jobs("another") == []


def test_an_update_is_written_down_once_for_every_report_the_service_has(ledger, desk, abroad, make_plan, me):
    sent, unsent = desk.approve(replace(abroad({}), batches=make_plan({"ana": 100}, {"bia": 200}).batches))
    ledger.exchange_updates.prepare(JOB, "run-1")
    assert ledger.exchange_updates.list() == []
    accept(ledger, desk, sent, me)
    for _ in range(2):
        ledger.exchange_updates.prepare(JOB, "run-1")
        (update,) = ledger.exchange_updates.list()
        assert (update.report_id, update.split_id, update.attempt, update.state) == (sent.id, "s1", 1, X.APPROVED)
        assert update.body == TERMS.body
    accept(ledger, desk, unsent, me, "s2")
    ledger.exchange_updates.prepare(JOB, "run-1")
    assert set(ledger.exchange_updates.of_reports([sent.id, unsent.id])) == {sent.id, unsent.id}


def test_reports_in_reais_need_no_update(ledger, desk, make_plan, me):
    (submission,) = desk.approve(make_plan({"ana": 100}))
    accept(ledger, desk, submission, me)
    ledger.exchange_updates.prepare(JOB, "run-1")
    assert ledger.exchange_updates.list() == []


def test_of_eight_workers_one_sets_the_rate(ledger, desk, update):
    owners = [Owner.current(f"run-{number}") for number in range(8)]
    barrier, won = threading.Barrier(8), []

    def work(owner):
        barrier.wait()
        if take(ledger, desk, update, owner):
            won.append(owner)

    threads = [threading.Thread(target=work, args=(owner,)) for owner in owners]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(won) == 1
    assert [owner for owner in owners if ledger.exchange_updates.still_mine(update.id, owner)] == won
    assert ledger.exchange_updates.get(update.id).sending_at == desk.clock()


def test_a_worker_that_dies_leaves_a_doubt(ledger_url, ledger, update, clock):
    done = subprocess.run([sys.executable, "-c", TAKE_AND_DIE, ledger_url], check=False)
    assert done.returncode == 7
    with open_ledger(ledger_url, clock=clock) as reopened:
        updates = reopened.exchange_updates
        assert updates.get(update.id).state is X.SENDING
        here = Owner.current("run-3")
        (doubtful,) = updates.doubt_abandoned(lambda owner: is_gone(owner, here))
        assert (doubtful.state, doubtful.was_in_doubt) == (X.IN_DOUBT, True)
        states = [line.after.value for line in updates.transitions(update.id)]
        assert states == ["approved", "sending", "in_doubt"]


def test_what_a_living_worker_sends_is_left_alone_until_its_time_is_long_over(ledger, desk, update, me, clock):
    take(ledger, desk, update, me)

    def doubt():
        return ledger.exchange_updates.doubt_abandoned(lambda owner: is_gone(owner, me))

    assert doubt() == []
    clock.move(minutes=6)
    assert [one.id for one in doubt()] == [update.id]


@pytest.mark.parametrize(("stop", "error"), [("hold", NotSent), ("freeze", SendingFrozen)])
def test_what_stops_sending_stops_setting_rates(ledger, desk, update, me, stop, error):
    put = {
        "hold": lambda: ledger.hold.put("Ana", "wait"),
        "freeze": lambda: ledger.freeze.put(evidence("lost"), ["rp-1"]),
    }
    put[stop]()
    with pytest.raises(error):
        take(ledger, desk, update, me)
    assert ledger.exchange_updates.get(update.id).state is X.APPROVED


def test_other_bytes_than_the_stored_ones_are_never_sent(ledger, desk, update, me):
    with pytest.raises(BrokenInvariant, match="not those in the ledger"):
        take(ledger, desk, update, me, body=b'{"rate":6}')


def test_bytes_that_the_approved_digest_does_not_hold_are_never_sent(ledger, desk, update, me):
    forged = update.body.replace(b"5.4312", b"6.4312")
    with ledger._database.writing() as connection:
        digest = sha256(forged).hexdigest()
        this = attempts.c.id == update.id
        connection.execute(attempts.update().where(this).values(body=forged, body_sha256=digest))
    with pytest.raises(BrokenInvariant, match="not that of the approved plan"):
        take(ledger, desk, update, me, body=forged)


def test_the_rate_of_a_report_that_has_ended_is_not_set(ledger, desk, update, me):
    ledger.submissions.record_status(update.report_id, b"{}", "EXCLUDED", SubmissionState.EXCLUDED, by="run-1")
    assert not take(ledger, desk, update, me)


def test_an_answer_that_comes_late_is_kept_and_undoes_nothing_that_is_proven(ledger, desk, update, me):
    doubted(ledger, desk, update, me)
    assert answered(ledger, update, X.REFUSED).state is X.IN_DOUBT
    assert answered(ledger, update, X.NOT_SENT).state is X.IN_DOUBT
    assert answered(ledger, update, X.ACCEPTED).state is X.ACCEPTED
    assert answered(ledger, update, X.IN_DOUBT).state is X.ACCEPTED
    assert answered(ledger, update, X.DIFFERS).state is X.DIFFERS
    assert answered(ledger, update, X.ACCEPTED).state is X.DIFFERS
    steps = [line.after for line in ledger.exchange_updates.transitions(update.id)]
    assert steps == [X.APPROVED, X.SENDING, X.IN_DOUBT, X.ACCEPTED, X.DIFFERS]
    told = [answer.outcome for answer in ledger.exchange_updates.answers(update.id)]
    assert told == [X.IN_DOUBT, X.REFUSED, X.NOT_SENT, X.ACCEPTED, X.IN_DOUBT, X.DIFFERS, X.ACCEPTED]


def test_what_was_not_sent_is_ready_again_and_nothing_else_is(ledger, desk, update, me):
    take(ledger, desk, update, me)
    answered(ledger, update, X.NOT_SENT)
    assert ledger.exchange_updates.reapprove_not_sent(update.id, by="run-2").state is X.APPROVED
    assert take(ledger, desk, update, me)
    with pytest.raises(BrokenInvariant, match="only what was not sent"):
        ledger.exchange_updates.reapprove_not_sent(update.id, by="run-2")


def test_a_look_counts_only_where_nobody_has_looked_later(ledger, desk, update, me):
    seen = doubted(ledger, desk, update, me)
    found = ledger.exchange_updates.record_seen(seen, X.ACCEPTED, by="run-2", reason=evidence("there"))
    assert found.state is X.ACCEPTED
    assert (
        ledger.exchange_updates.record_seen(seen, X.DIFFERS, by="run-3", reason=evidence("not there")).state
        is X.ACCEPTED
    )


def test_a_rate_by_hand_takes_two_people_whoever_asks_for_it(ledger, desk, update, me):
    take(ledger, desk, update, me)
    answered(ledger, update, X.REFUSED)

    def give(*by):
        terms = replace(TERMS, rate=Decimal("9.99"))
        return ledger.exchange_updates.prepare_by_hand(update.report_id, terms, by=by, run_id="run-2")

    with pytest.raises(ApprovalWanted):
        give("Bia", " BIA ")
    assert ledger.exchange_updates.get(update.id).state is X.REFUSED
    assert give("Bia", "Caio").attempt == 2


def test_after_two_peoples_word_the_same_bytes_may_go_again_as_the_next_attempt(ledger, desk, update, me):
    doubted(ledger, desk, update, me)

    def declare(*by):
        return ledger.exchange_updates.declare_absent(update.id, by=by, evidence="ticket 7", run_id="run-2")

    with pytest.raises(ApprovalWanted):
        declare("Bia", " BIA ")
    following = declare("Bia", "Caio")
    assert (following.state, following.attempt, following.body) == (X.APPROVED, 2, update.body)
    assert following.was_in_doubt
    assert following.id != update.id
    assert ledger.exchange_updates.get(update.id).state is X.ABSENT
    assert list(ledger.exchange_updates.of_reports([update.report_id]).values()) == [following]
    assert take(ledger, desk, following, me)
    with pytest.raises(BrokenInvariant, match="cannot go from absent"):
        declare("Bia", "Caio")
