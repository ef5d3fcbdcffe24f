"""Set the exchange rate of one report, at most once; and say what a look at the report proves of it.

With its rate set the service pays, so the discipline is that of sending: look whether the report has a rate already;
commit `sending` with the exact body of the approved plan, in a compare-and-set that one worker wins; re-check row and
deadline immediately before connecting; send the stored bytes over a fresh connection; classify; commit the outcome with
the raw answer. What is not proven is in doubt, and is never sent again without people's word.
"""

import datetime as dt
from collections.abc import Callable
from hashlib import sha256

from flows.stages.run import Run
from flows.steps.exchange_rate import ENDED, after_answer, after_look, judge_rate
from schemas.errors import BrokenInvariant, NotSent
from schemas.exchange_update import ExchangeState, ExchangeUpdate
from schemas.exit_codes import ExitCode
from schemas.reconciliation import Discrepancy
from schemas.wire import SplitReport

X = ExchangeState


def set_rate(run: Run, update: ExchangeUpdate, *, by: str = "") -> ExchangeUpdate:
    """Set one rate, unless the report has one already, has ended, or another worker has taken it.

    Args:
        run: Who sets it.
        update: Approved.
        by: The people who asked for it by hand; "" where nobody did.
    """
    if update.body != update.terms.body:
        raise BrokenInvariant(f"{update.id}: the stored body is not what was approved")
    report = find_report_of(run, update)
    if report is None or report.status in ENDED:
        return update
    stands = look_at_rate(run, update, report)
    if stands.state is not X.APPROVED:
        return stands
    run.require_service().api.await_turn()
    timeout_s, began_s = run.timeout_s, run.clock.monotonic_s()
    taken = run.ledger.exchange_updates.take_for_sending(
        update.id,
        owner=run.owner,
        run_id=run.id,
        body_sha256=sha256(update.body).hexdigest(),
        deadline_at=run.clock.now() + dt.timedelta(seconds=timeout_s),
        by=by,
    )
    if not taken:
        run.progress.tell(run.say("send.taken", report=update.id))
        return run.ledger.exchange_updates.get(update.id)
    timeout_s = max(0.0, timeout_s - (run.clock.monotonic_s() - began_s))  # the deadline is the one written down
    answer = run.require_service().api.update_exchange_rate(
        _path_id(run, update),
        update.body,
        was_in_doubt=update.was_in_doubt,
        deadline_s=timeout_s,
        before_connect=_last_look(run, update, run.clock.monotonic_s() + timeout_s),
    )
    places = "".join(f" at {error.place}" for error in answer.validation_errors)
    stands = run.ledger.exchange_updates.record_outcome(
        update.id,
        after_answer(answer.outcome, update.terms, answer.report),
        http_status=answer.http_status,
        raw_answer=answer.body,
        reason=answer.reason + places,
    )
    return _act_on(run, stands, answer.report)


def find_report_of(run: Run, update: ExchangeUpdate) -> SplitReport | None:
    """Ask for the report an update is for, by whichever of its ids the service takes.

    None when the service shows none, or the report was found in a list that did not tell its id.
    """
    path_id = _path_id(run, update)
    return run.require_service().api.find_report(path_id) if path_id else None


def _path_id(run: Run, update: ExchangeUpdate) -> str:
    return run.require_service().path_id(split_id=update.split_id, report_id=update.report_id)


def _last_look(run: Run, update: ExchangeUpdate, deadline_s: float) -> Callable[[], None]:
    """Make the check that runs immediately before connecting: the row is still ours, and there is time left."""

    def look() -> None:
        if run.clock.monotonic_s() >= deadline_s or not run.ledger.exchange_updates.still_mine(update.id, run.owner):
            why = "this worker was late and has lost the row; nothing was sent"
            run.ledger.exchange_updates.record_outcome(
                update.id, X.NOT_SENT, http_status=None, raw_answer=b"", reason=why
            )
            raise NotSent(f"{update.id}: {why}")

    return look


def _act_on(run: Run, stands: ExchangeUpdate, report: SplitReport | None) -> ExchangeUpdate:
    """Tell what came of it; look a doubt up at once, and stop where going on is of no use."""
    facts = {"update": stands.id, "report": stands.report_id, "rate": stands.terms.plain_rate}
    run.progress.tell(run.say("rate.outcome", **facts, outcome=stands.state.value, reason=stands.reason))
    match stands.state:
        case X.NOT_SENT:
            raise NotSent(run.say("rate.not_sent", **facts, reason=stands.reason))
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
        run.progress.tell(run.say("look.none", reason=unreachable.message))
        return update
    return update if report is None else look_at_rate(run, update, report)


def look_at_rate(run: Run, update: ExchangeUpdate, report: SplitReport) -> ExchangeUpdate:
    """Write down what a look at a report says of its exchange rate; another rate than ours is for people to explain."""
    after = after_look(update.state, judge_rate(update.terms, report))
    if after is update.state:
        return update
    shown = report.exchangeRate
    reason = f"the report shows the rate {shown}" if shown is not None else "the report shows a rate nobody can read"
    stands = run.ledger.exchange_updates.record_seen(update, after, by=run.id, reason=reason)
    if stands.state is X.DIFFERS:
        _note_difference(run, stands, report)
    elif stands.state is X.ACCEPTED:
        run.progress.tell(run.say("rate.found", report=update.report_id, rate=update.terms.plain_rate))
    return stands


def _note_difference(run: Run, stands: ExchangeUpdate, report: SplitReport) -> None:
    ours = stands.terms
    theirs = "unreadable" if report.exchangeRate is None else f"{report.exchangeRate} {report.currency or ''}".strip()
    run.note_discrepancies(
        [
            Discrepancy(
                kind="exchange_rate",
                report_id=stands.report_id,
                message="the report has another exchange rate than the approved one; nothing more is sent for it",
                expected=f"{ours.plain_rate} {ours.currency}",
                found=theirs,
            )
        ]
    )
    run.codes.add(ExitCode.DISCREPANCIES)
