"""People's words on obligations: kept for ever, the latest counts, and only what nobody can tell is given up."""

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.exc import DBAPIError, IntegrityError

from io_adapters.ledger.claims import ClaimCollision
from schemas.approval import Decision, DecisionKind
from schemas.submission import Outcome, SubmissionState

PAY, PAID, DROP = DecisionKind.PAY, DecisionKind.PAID, DecisionKind.DROP
S = SubmissionState


@pytest.fixture
def sent(desk, ledger, make_plan, me):
    """Send a plan of one report for ana and bia, and let the report come to a state."""

    def send(state, **amounts):
        (submission,) = desk.approve(make_plan(amounts or {"ana": 100, "bia": 200}))
        desk.take(submission, me)
        ledger.submissions.record_outcome(
            submission.id,
            Outcome.ACCEPTED,
            http_status=200,
            raw_answer=b"{}",
            split_id=f"s of {submission.id}",
            reason=None,
        )
        return ledger.submissions.record_status(submission.id, b"{}", "X", S(state), by="run-1")

    return send


@pytest.fixture
def say(ledger, clock, key):
    """Say a word about payees, of a report or of their rows."""

    def words(kind, *payees, report="", by="Bia", cents=100):
        ledger.decisions.record(
            [Decision(key(payee), report, kind, cents, f"fingerprint of {payee}", by, "x", clock()) for payee in payees]
        )

    return words


def claimed(ledger, key):
    return {claim.payee for claim in ledger.claims.live_for([key("ana"), key("bia")])}


def test_a_word_is_read_back_as_it_was_said(ledger, clock, key):
    on_row = Decision(key("ana"), "", PAID, 10**12, "there", "Bia", "recibo nº 7", clock())
    on_report = Decision(key("ana"), "rp-1", DROP, 200, "elsewhere", "Caio", "e-mail", clock())
    ledger.decisions.record([on_row, on_report])
    assert ledger.decisions.on_rows([key("ana"), key("bia")]) == {key("ana"): on_row}
    assert ledger.decisions.on_reports([key("ana"), key("bia")]) == {(key("ana"), "rp-1"): on_report}
    assert ledger.decisions.on_rows([]) == ledger.decisions.on_reports([key("bia")]) == {}


def test_the_latest_word_counts_and_the_earlier_ones_stay(ledger, say, key, ledger_url):
    for kind in (PAID, DROP, PAY):
        say(kind, "ana")
    assert ledger.decisions.on_rows([key("ana")])[key("ana")].kind is PAY
    engine = create_engine(ledger_url)
    with engine.connect() as connection:
        assert connection.scalars(text("SELECT kind FROM decisions ORDER BY id")).all() == ["paid", "drop", "pay"]
    engine.dispose()


@pytest.mark.parametrize("change", ["UPDATE decisions SET kind = 'pay'", "DELETE FROM decisions"])
def test_a_word_is_never_changed_or_unsaid(say, ledger_url, change):
    say(PAID, "ana")
    engine = create_engine(ledger_url)
    with pytest.raises(DBAPIError, match="decisions is append-only"), engine.begin() as connection:
        connection.execute(text(change))
    engine.dispose()


@pytest.mark.parametrize("state", ["partial", "excluded"])
def test_pay_gives_up_one_claim_of_a_report_that_did_not_tell(sent, say, ledger, key, desk, make_plan, state):
    report = sent(state)
    say(PAY, "ana", report=report.id)
    assert claimed(ledger, key) == {"bia"}
    assert ledger.submissions.get(report.id).state is S(state)
    with pytest.raises(ClaimCollision):
        desk.approve(make_plan({"ana": 100, "bia": 200}))
    assert len(desk.approve(make_plan({"ana": 100}))) == 1


@pytest.mark.parametrize("state", ["paid", "processing"])
def test_pay_never_gives_up_what_was_paid_or_still_may_be(sent, say, ledger, key, state):
    report = sent(state)
    say(PAY, "ana", "bia", report=report.id)
    assert claimed(ledger, key) == {"ana", "bia"}


@pytest.mark.parametrize("outcome", [None, Outcome.IN_DOUBT, Outcome.NOT_SENT])
def test_pay_never_gives_up_what_is_approved_being_sent_or_in_doubt(desk, say, ledger, key, make_plan, me, outcome):
    (submission,) = desk.approve(make_plan({"ana": 100}))
    say(PAY, "ana", report=submission.id)
    assert claimed(ledger, key) == {"ana"}
    desk.take(submission, me)
    if outcome:
        ledger.submissions.record_outcome(
            submission.id, outcome, http_status=None, raw_answer=b"", split_id=None, reason=None
        )
    say(PAY, "ana", report=submission.id)
    assert claimed(ledger, key) == {"ana"}


@pytest.mark.parametrize("kind", [PAID, DROP])
def test_what_was_paid_or_dropped_stays_claimed(sent, say, ledger, key, kind):
    report = sent("partial")
    say(kind, "ana", "bia", report=report.id)
    assert claimed(ledger, key) == {"ana", "bia"}


def test_a_word_on_a_row_or_on_another_report_gives_up_nothing(sent, say, ledger, key):
    sent("partial")
    say(PAY, "ana")
    say(PAY, "ana", report="rp-another")
    assert claimed(ledger, key) == {"ana", "bia"}


def test_a_report_is_explained_when_a_word_was_said_of_each_of_its_payments(sent, say, ledger):
    report = sent("partial")
    assert ledger.decisions.undecided([report.id, "rp-unknown"]) == {report.id}
    say(PAY, "ana", report=report.id)
    say(PAID, "bia")
    assert ledger.decisions.undecided([report.id]) == {report.id}
    say(PAID, "bia", report=report.id)
    assert ledger.decisions.undecided([report.id]) == frozenset()


def test_a_word_on_one_report_does_not_explain_the_next_that_pays_the_same(sent, say, ledger):
    first = sent("partial", ana=100)
    say(PAY, "ana", report=first.id)
    second = sent("partial", ana=100)
    assert ledger.decisions.undecided([first.id, second.id]) == {second.id}


def test_a_run_s_books_are_to_be_told_anew_until_they_are_younger_than_the_word(sent, say, ledger, clock):
    ledger.runs.begin("run-1", "aurora-royalties", "2026-10", "payout", "Ana", "job.yaml")
    report = sent("partial")
    ledger.runs.finish("run-1", "discrepancies", 40, None)
    assert ledger.decisions.runs_to_rewrite(None) == frozenset()
    clock.move(seconds=1)
    say(PAID, "ana", "bia", report=report.id)
    assert ledger.decisions.runs_to_rewrite(None) == ledger.decisions.runs_to_rewrite("aurora-royalties") == {"run-1"}
    assert ledger.decisions.runs_to_rewrite("another") == frozenset()
    clock.move(seconds=1)
    ledger.runs.finish("run-1", "done", 0, None)
    assert ledger.decisions.runs_to_rewrite(None) == frozenset()


def test_of_many_words_all_or_none_are_recorded(ledger, clock, key):
    sound = Decision(key("ana"), "", PAID, 100, "there", "Bia", "x", clock())
    broken = Decision(key("bia"), None, PAID, 100, "there", "Bia", "x", clock())  # type: ignore[arg-type]
    with pytest.raises(IntegrityError):
        ledger.decisions.record([sound, broken])
    assert ledger.decisions.on_rows([key("ana")]) == {}
