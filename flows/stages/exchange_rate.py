"""The exchange rates of reports in a foreign currency: settle what is in doubt, then set what nobody has set yet."""

from typing import Final

from flows.stages.listing import look_at_service
from flows.stages.run import Run
from flows.stages.send import LEASE_S, check_may_send, listing_is_old
from flows.stages.set_rate import look_up, set_rate
from flows.steps.doubts import MOST_DOUBTS
from flows.steps.exchange_rate import codes_of
from io_adapters.ledger.owner import Owner, is_gone
from schemas.errors import AnotherRun, NotSent, SendingFrozen
from schemas.exchange_update import LOOKED_UP, UNSETTLED, ExchangeState, ExchangeUpdate
from schemas.exit_codes import ExitCode, worst
from schemas.submission import OPEN

X = ExchangeState

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
            run.progress.tell(busy.message)
            continue
        try:
            set_rates(run, job)
        except (NotSent, SendingFrozen, AnotherRun) as stopped:
            run.end_with(stopped.exit_code, stopped.message)
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
    _send_all(run, [one for one in updates.list(job=job, states={X.APPROVED}) if one.report_state in OPEN])


def note_rates(run: Run, job: str | None) -> None:
    """Say in the run's outcome what of a job's exchange rates, or of all, is not settled."""
    for one in run.ledger.exchange_updates.list(job=job, states=UNSETTLED):
        codes = codes_of([one])
        if codes:
            words = run.say(_WORDS[one.state], update=one.id, report=one.report_id, rate=one.terms.plain_rate)
            run.end_with(worst(codes), f"{words}; {one.reason}" if one.reason else words)


def _doubt_abandoned(run: Run) -> None:
    def gone(owner: Owner) -> bool:
        return is_gone(owner, run.owner)

    for one in run.ledger.exchange_updates.doubt_abandoned(gone):
        run.progress.tell(run.say("rate.abandoned", update=one.id, report=one.report_id))


def _send_all(run: Run, approved: list[ExchangeUpdate]) -> None:
    for done, update in enumerate(approved, start=1):
        check_may_send(run)
        if listing_is_old(run):
            look_at_service(run)
        doubts = len(run.ledger.exchange_updates.list(states={X.IN_DOUBT}))
        if doubts >= MOST_DOUBTS:
            run.end_with(ExitCode.IN_DOUBT, run.say("rate.doubts", count=doubts))
            return
        stands = set_rate(run, update)
        run.progress.advance("exchange rates", done, len(approved))
        run.ledger.leases.renew(update.job, run.owner, LEASE_S)
        if stands.state is X.DIFFERS:
            return
