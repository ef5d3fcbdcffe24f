"""Setting the exchange rate of each report in a foreign currency, at most once."""

from functools import partial
from typing import Final

from flows.payables.rules.exchange_rate import ENDED, after_answer, after_look, codes_of, judge_rate
from flows.reports.report_list import poll_reports
from flows.reports.rules.report_list import MOST_DOUBTS
from flows.run import Run
from flows.sending.send import LEASE_S, check_may_send, listing_is_old, send_once
from io_adapters.ledger.leases import Owner, is_gone
from io_adapters.ledger.outbox import Proof
from io_adapters.payout_api.outcome import PostAnswer
from schemas.errors import (
    AnotherRun,
    BrokenInvariant,
    ExitCode,
    NotSent,
    SendingFrozen,
    worst,
)
from schemas.exchange_update import LOOKED_UP, UNSETTLED, ExchangeState, ExchangeUpdate
from schemas.messages import Listed, Message
from schemas.reconciliation import Discrepancy
from schemas.submission import OPEN
from schemas.wire import SplitReport

X = ExchangeState


def set_rate(run: Run, update: ExchangeUpdate, *, by: str = "") -> ExchangeUpdate:
    """Set one rate, unless the report has one already, has ended, or another worker has taken it."""
    if update.body != update.terms.body:
        raise BrokenInvariant(f"{update.id}: the stored body is not what was approved")
    report = find_report_of(run, update)
    if report is None or report.status in ENDED:
        return update
    stands = record_rate(run, update, report)
    if stands.state is not X.APPROVED:
        return stands

    def classify(answer: PostAnswer) -> Proof:
        reason, places = answer.reason, tuple(error.place for error in answer.validation_errors)
        if places:
            reason = Message("answer.places", reason=reason, places=Listed(places))
        return Proof(after_answer(answer.outcome, update.terms, answer.report), reason)

    api = run.require_service().api
    post = partial(api.update_exchange_rate, _path_id(run, update), was_in_doubt=update.was_in_doubt)
    sent = send_once(run, run.ledger.exchange_updates, update, post, classify, by=by)
    if sent is None:
        run.show(Message("cli.send.taken", report=update.id))
        return run.ledger.exchange_updates.get(update.id)
    stands, answer = sent
    return _act_on(run, stands, answer.report)


def find_report_of(run: Run, update: ExchangeUpdate) -> SplitReport | None:
    """Ask for the report an update is for, by whichever of its ids the service takes.

    None when the service shows none, or the report was found in a list that did not tell its id.
    """
    path_id = _path_id(run, update)
    return run.require_service().api.find_report(path_id) if path_id else None


def _path_id(run: Run, update: ExchangeUpdate) -> str:
    return run.require_service().path_id(split_id=update.split_id, report_id=update.report_id)


def _act_on(run: Run, stands: ExchangeUpdate, report: SplitReport | None) -> ExchangeUpdate:
    """Tell what came of it; look a doubt up at once, and stop where going on is of no use."""
    facts = {"update": stands.id, "report": stands.report_id, "rate": stands.terms.plain_rate}
    run.show(Message("cli.rate.outcome", **facts, outcome=Message(f"state.{stands.state}"), reason=stands.reason))
    match stands.state:
        case X.NOT_SENT:
            raise NotSent(Message("cli.rate.not_sent", **facts, reason=stands.reason))
        case X.IN_DOUBT:
            return look_up(run, stands)
        case X.DIFFERS if report is not None:
            _note_difference(run, stands, report)
    return stands


def look_up(run: Run, update: ExchangeUpdate) -> ExchangeUpdate:
    """Ask for the report of an update; a look that fails is no information."""
    try:
        report = find_report_of(run, update)
    except NotSent as unreachable:
        run.show(Message("cli.poll.none", reason=unreachable.content))
        return update
    return update if report is None else record_rate(run, update, report)


def record_rate(run: Run, update: ExchangeUpdate, report: SplitReport) -> ExchangeUpdate:
    """Write down what a look at a report says of its exchange rate; another rate than ours is for people to explain."""
    after = after_look(update.state, judge_rate(update.terms, report))
    if after is update.state:
        return update
    shown = report.exchangeRate
    reason = Message("rate.shown", rate=str(shown)) if shown is not None else Message("rate.shown_unreadable")
    stands = run.ledger.exchange_updates.record_seen(update, after, by=run.id, reason=reason)
    if stands.state is X.DIFFERS:
        _note_difference(run, stands, report)
    elif stands.state is X.ACCEPTED:
        run.show(Message("cli.rate.found", report=update.report_id, rate=update.terms.plain_rate))
    return stands


def _note_difference(run: Run, stands: ExchangeUpdate, report: SplitReport) -> None:
    ours = stands.terms
    theirs = "unreadable" if report.exchangeRate is None else f"{report.exchangeRate} {report.currency or ''}".strip()
    expected = f"{ours.plain_rate} {ours.currency}"
    run.note_discrepancies([Discrepancy.of("exchange_rate", stands.report_id, expected, theirs)])
    run.codes.add(ExitCode.DISCREPANCIES)


_WORDS: Final = {
    X.SENDING: "rate.doubt",
    X.IN_DOUBT: "rate.doubt",
    X.REFUSED: "rate.refused",
    X.DIFFERS: "rate.differs",
    X.APPROVED: "rate.waits",
    X.NOT_SENT: "rate.waits",
}


def exchange_rate(run: Run) -> None:
    """Set the rate of every report of the job that waits for it, whatever run sent the report.

    Raises:
        NotSent: sending is on hold, no connection could be made, or the listing failed in between.
        SendingFrozen: ledger and service disagree.
    """
    set_rates(run, run.job.job)


def set_rates_left(run: Run, only_job: str | None) -> None:
    """Do the same for all jobs, or one, outside a run of them; a job that another run holds is left to that run."""
    for job in run.ledger.exchange_updates.jobs(only_job):
        try:
            run.ledger.leases.take(job, run.owner, LEASE_S)
        except AnotherRun as busy:
            run.show(busy.content)
            continue
        try:
            set_rates(run, job)
        except (NotSent, SendingFrozen, AnotherRun) as stopped:
            run.end_with(stopped.exit_code, stopped.content)
        finally:
            run.ledger.leases.release(job, run.owner)


def set_rates(run: Run, job: str) -> None:
    """Settle what is in doubt of a job's exchange rates, then send what nobody has sent yet."""
    updates = run.ledger.exchange_updates
    if not updates.jobs(job):
        return
    _doubt_abandoned(run)
    updates.prepare(job, run.id)
    for doubtful in updates.list(job=job, states=LOOKED_UP):
        look_up(run, doubtful)
    for waiting in updates.list(job=job, states={X.NOT_SENT}):
        updates.reapprove_not_sent(waiting.id, by=run.id)
    _send_all(run, [update for update in updates.list(job=job, states={X.APPROVED}) if update.report_state in OPEN])


def note_rates(run: Run, job: str | None) -> None:
    """Say in the run's outcome what of a job's exchange rates, or of all, is not settled."""
    for update in run.ledger.exchange_updates.list(job=job, states=UNSETTLED):
        codes = codes_of([update])
        if codes:
            words = Message(
                f"cli.{_WORDS[update.state]}", update=update.id, report=update.report_id, rate=update.terms.plain_rate
            )
            run.end_with(worst(codes), Listed((words, update.reason), "; ") if update.reason else words)


def _doubt_abandoned(run: Run) -> None:
    def gone(owner: Owner) -> bool:
        return is_gone(owner, run.owner)

    for update in run.ledger.exchange_updates.doubt_abandoned(gone):
        run.show(Message("cli.rate.abandoned", update=update.id, report=update.report_id))


def _send_all(run: Run, approved: list[ExchangeUpdate]) -> None:
    for done, update in enumerate(approved, start=1):
        check_may_send(run)
        if listing_is_old(run):
            poll_reports(run)
        doubts = len(run.ledger.exchange_updates.list(states={X.IN_DOUBT}))
        if doubts >= MOST_DOUBTS:
            run.end_with(ExitCode.IN_DOUBT, Message("cli.rate.doubts", count=doubts))
            return
        stands = set_rate(run, update)
        run.progress.advance("exchange rates", done, len(approved))
        run.ledger.leases.renew(update.job, run.owner, LEASE_S)
        if stands.state is X.DIFFERS:
            return
