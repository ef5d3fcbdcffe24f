"""An obligation is in at most one live submission."""

import contextlib
import threading
from dataclasses import replace

import pytest
from sqlalchemy import create_engine, event, text
from sqlalchemy.exc import IntegrityError

from io_adapters.ledger.claims import ClaimCollision
from io_adapters.ledger.ledger import open_ledger
from schemas.submission import Outcome, SubmissionState
from tests.io_adapters.ledger.conftest import evidence

pytestmark = pytest.mark.journey


@contextlib.contextmanager
def statements_of(ledger):
    """Collect what is said to the database: work is counted, since seconds tell of the machine."""
    said = []

    def keep(_connection, _cursor, statement, *_):
        said.append(statement)

    engine = ledger._database.engine
    event.listen(engine, "before_cursor_execute", keep)
    yield said
    event.remove(engine, "before_cursor_execute", keep)


def race(contestants):
    """Run functions at the same moment; return what each returned or raised."""
    barrier = threading.Barrier(len(contestants))
    results = [None] * len(contestants)

    def run(number, contestant):
        barrier.wait()
        try:
            results[number] = contestant()
        except Exception as error:  # noqa: BLE001 - it is the result
            results[number] = error

    threads = [threading.Thread(target=run, args=pair) for pair in enumerate(contestants)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def test_of_plans_that_overlap_one_is_approved(ledger_url, clock, make_desk, make_plan, key):
    """Eight programs, each with its own connection, approve plans of different jobs that share one obligation."""
    shared = make_plan({"ana": 100}).batches[0].payments
    ledgers = [open_ledger(ledger_url, clock=clock) for _ in range(8)]
    contestants = []
    for number, ledger in enumerate(ledgers):
        plan = make_plan({f"payee {number}": 100 + number}, job=f"job-{number}")
        object.__setattr__(plan.batches[0], "payments", plan.batches[0].payments + shared)
        desk = make_desk(ledger, clock)
        desk.store(plan)
        desk.sign(plan)
        contestants.append(
            lambda ledger=ledger, plan=plan: ledger.submissions.approve_plan(plan.digest, "run-1", (), clock())
        )
    results = race(contestants)
    assert sorted(type(result).__name__ for result in results) == ["ClaimCollision"] * 7 + ["list"]
    assert len(ledgers[0].claims.live_for([key("ana")])) == 1
    assert len(ledgers[0].submissions.list(states=[SubmissionState.APPROVED])) == 1
    for ledger in ledgers:
        ledger.close()


def test_the_database_itself_refuses_a_second_live_claim(ledger_url, desk, make_plan):
    desk.approve(make_plan({"ana": 100}))
    desk.store(make_plan({"ana": 200}))
    engine = create_engine(ledger_url)
    with pytest.raises(IntegrityError), engine.begin() as connection:
        connection.execute(text("UPDATE claims SET live = true"))
    engine.dispose()


@pytest.mark.parametrize(
    ("outcome", "kept"),
    [(Outcome.ACCEPTED, True), (Outcome.NOT_SENT, True), (Outcome.IN_DOUBT, True), (Outcome.REFUSED, False)],
)
def test_only_a_certain_refusal_frees_what_was_claimed(desk, ledger, make_plan, me, key, outcome, kept):
    (submission,) = desk.approve(make_plan({"ana": 100}))
    desk.take(submission, me)
    ledger.submissions.record_outcome(
        submission.id, outcome, http_status=1, raw_answer=b"x", split_id=f"s of {submission.id}", reason=None
    )
    assert bool(ledger.claims.live_for([key("ana")])) is kept
    second = make_plan({"ana": 300})
    if kept:
        with pytest.raises(ClaimCollision):
            desk.approve(second)
    else:
        assert len(desk.approve(second)) == 1


@pytest.mark.parametrize(
    ("state", "kept"),
    [("processing", True), ("paid", True), ("partial", True), ("excluded", True), ("failed", False)],
)
def test_only_a_certain_failure_frees_what_was_reported(desk, ledger, make_plan, me, key, state, kept):
    (submission,) = desk.approve(make_plan({"ana": 100}))
    desk.take(submission, me)
    ledger.submissions.record_outcome(
        submission.id,
        Outcome.ACCEPTED,
        http_status=200,
        raw_answer=b"{}",
        split_id=f"s of {submission.id}",
        reason=None,
    )
    ledger.submissions.record_status(submission.id, b"{}", "X", SubmissionState(state), by="run-1")
    live = ledger.claims.live_for([key("ana")])
    assert [claim.state for claim in live] == ([SubmissionState(state)] if kept else [])


def test_a_claim_says_who_pays_what_and_where(desk, ledger, make_plan, key):
    (submission,) = desk.approve(make_plan({"ana": 100}))
    (claim,) = ledger.claims.live_for([key("ana")])
    assert ledger.claims.live_for_obligations([key("ana")]) == [claim] == ledger.claims.trace("ana")
    assert ledger.claims.live_of("aurora-royalties", "2026-10") == [claim]
    assert ledger.claims.live_of("aurora-royalties", "2026-11") == []
    assert (claim.submission_id, claim.amount_cents, claim.period) == (submission.id, 100, "2026-10")
    assert (claim.state, claim.run_id, claim.destination) == (SubmissionState.APPROVED, "run-1", "fingerprint of ana")


def test_a_payment_is_found_by_its_amount_and_its_payee_or_account_whatever_job_and_period_it_is_of(
    desk, ledger, clock, make_plan
):
    def plan(job, period, **cents):
        made = make_plan(cents, job=job, period=period)
        rows = tuple(replace(payment, kind="payment") for payment in made.batches[0].payments)
        return replace(made, batches=(replace(made.batches[0], payments=rows),))

    desk.approve(plan("aurora", "2026-09", ana=100, bia=200))
    clock.move(hours=1)
    desk.approve(plan("boreal", "2026-10", ana=100, caio=100))
    asked = [("ana", "elsewhere", 100), ("edu", "fingerprint of bia", 200), ("caio", "", 300), ("edu", "", 100)]
    found = ledger.claims.paid_to(asked, "BRL", "2026-12")
    assert [(one.job, one.payer, one.period, one.payee, one.amount_cents, one.destination) for one in found] == [
        ("aurora", "payer", "2026-09", "ana", 100, "fingerprint of ana"),
        ("aurora", "payer", "2026-09", "bia", 200, "fingerprint of bia"),
        ("boreal", "payer", "2026-10", "ana", 100, "fingerprint of ana"),
        ("boreal", "payer", "2026-10", "caio", 100, "fingerprint of caio"),
    ]
    assert ledger.claims.paid_to(asked, "USD", "2026-12") == ledger.claims.paid_to([], "BRL", "2026-12") == []
    of_the_month = ledger.claims.paid_to([("bia", "", 1)], "BRL", "2026-09")
    assert [(one.payee, one.amount_cents) for one in of_the_month] == [("bia", 200)]


def test_a_report_found_after_all_claims_again_and_withdraws_what_was_not_sent(desk, ledger, make_plan, me, key):
    (submission,) = desk.approve(make_plan({"ana": 100}))
    desk.take(submission, me)
    ledger.submissions.doubt_abandoned(lambda _: True)
    (following,) = ledger.submissions.declare_absent([submission.id], by=("Ana", "Bia"), evidence="x", run_id="run-2")
    assert ledger.submissions.record_found(submission.id, "s1", by="run-3", reason=evidence("listed")) == ()
    assert ledger.submissions.get(following.id).state is SubmissionState.WITHDRAWN
    assert ledger.submissions.get(submission.id).state is SubmissionState.ACCEPTED
    assert [claim.submission_id for claim in ledger.claims.live_for([key("ana")])] == [submission.id]
    assert ledger.submissions.record_found(submission.id, "s1", by="run-3", reason=evidence("listed again")) == ()


def test_a_report_found_after_its_next_attempt_was_sent_is_named_as_paid_twice(desk, ledger, make_plan, me, key):
    (submission,) = desk.approve(make_plan({"ana": 100, "bia": 200}))
    desk.take(submission, me)
    ledger.submissions.doubt_abandoned(lambda _: True)
    (following,) = ledger.submissions.declare_absent([submission.id], by=("Ana", "Bia"), evidence="x", run_id="run-2")
    desk.take(following, me)
    twice = ledger.submissions.record_found(submission.id, "s1", by="run-3", reason=evidence("listed"))
    assert set(twice) == {key("ana"), key("bia")}
    assert {claim.submission_id for claim in ledger.claims.live_for(twice)} == {following.id}
    assert ledger.submissions.get(submission.id).state is SubmissionState.ACCEPTED


@pytest.mark.long
def test_a_hundred_thousand_keys_are_answered_in_a_few_questions(desk, ledger, make_plan, key):
    batches = [
        dict.fromkeys((f"payee {number}" for number in some), 100)
        for some in (range(first, first + 500) for first in range(0, 2000, 500))
    ]
    desk.approve(make_plan(*batches))
    keys = [key(f"payee {number}") for number in range(2000)] + [f"ob-{number:026}" for number in range(98_000)]
    with statements_of(ledger) as asked:
        assert len(ledger.claims.live_for(keys)) == 2000
    assert len(asked) <= len(keys) // 400


@pytest.mark.long
def test_ten_thousand_payments_are_stored_and_approved_without_a_statement_for_each(desk, ledger, make_plan):
    plan = make_plan(*(dict.fromkeys((f"payee {b * 500 + n}" for n in range(500)), 100) for b in range(20)))
    with statements_of(ledger) as said:
        desk.approve(plan)
    assert len(said) <= 500
    assert len(ledger.submissions.list(states=[SubmissionState.APPROVED], bodies=False)) == 20


def test_claims_are_found_by_index_however_they_are_asked_for(clock):
    with open_ledger("sqlite://", clock=clock) as ledger:
        asked = []
        event.listen(ledger._database.engine, "before_cursor_execute", lambda *words: asked.append(words[2:4]))
        ledger.claims.trace("ob-1")
        ledger.claims.live_for(["ob-1"])
        ledger.claims.live_for_obligations(["ob-1"])
        ledger.claims.live_of("job", "2026-10")
        ledger.claims.paid_to([("payee", "destination", 1)], "BRL", "2026-10")
        ledger.claims.failed_before(["ob-1"], ["destination"])
        ledger.approvals.any_rejected("digest", ["ob-1"])
        connection = ledger._database.engine.raw_connection()
        steps = [
            step
            for query, words in asked[:]
            if query.startswith("SELECT")
            for *_, step in connection.execute(f"EXPLAIN QUERY PLAN {query}", words)
        ]
        connection.close()
        of_claims = [step for step in steps if any(name in step for name in ("claims", "same_key", "same_account"))]
        assert len(of_claims) >= 13
        assert all(step.startswith("SEARCH") for step in of_claims), of_claims
