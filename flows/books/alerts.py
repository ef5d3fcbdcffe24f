"""Alerting people by e-mail and webhook: after a run, after a night, and of a night that does not end."""

import datetime as dt
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from flows.house_ledger import open_ledger_of
from flows.reports.funding import unsettled_fundings
from flows.settings import Settings
from io_adapters.alerts import NotAlerted, post_webhook, send_email
from io_adapters.ledger.ledger import Ledger
from io_adapters.ledger.run_record import read_heads
from schemas.errors import ExitCode, RepasseError, worst
from schemas.job import BRASILIA, Outputs
from schemas.messages import Listed, Message, Money, for_desk, render
from schemas.readers import for_strangers
from schemas.reconciliation import Summary
from schemas.submission import UNTOLD, SubmissionState
from schemas.values.money import SignedSums
from schemas.waits import (
    Alert,
    WaitingPlan,
    alert_after_all,
    alert_of_jobs,
    alert_of_night,
    alert_of_run,
    alerts_of_fundings,
    kind_of,
)

S = SubmissionState
Show = Callable[[str], None]
# A day, and two hours for a night that takes longer than the one before.
NIGHT_EXPECTED_WITHIN: Final = dt.timedelta(hours=26)


@dataclass(frozen=True, slots=True)
class Occasion:
    """What a run, or a look at several, leaves for people.

    Attributes:
        codes: What holds of the one run, beside its summary; nothing of several.
    """

    run_ids: tuple[str, ...] = ()
    codes: frozenset[ExitCode] = frozenset()
    notes: tuple[Message | Listed, ...] = ()


NOTHING_TO_TELL: Final = Occasion()


def alert_after_run(settings: Settings, occasion: Occasion, show: Show) -> None:
    """Call people for what a run, or a look at several, leaves them.

    Args:
        show: Is told of what could not be sent: that stops nobody's pay.
    """
    if settings.alerts.any:
        _send_all(settings, lambda ledger: _alerts_of(ledger, [occasion], settings.desk_url), show)


def alert_after_night(
    settings: Settings, night_id: str, not_begun: tuple[str, ...], occasions: Sequence[Occasion], show: Show
) -> None:
    """Call people once for all that a night leaves them: whose turn it is, and for what sum.

    Whoever pays the service, where the house has named them, has a mail of their own beside it, with the codes. What a
    night that was killed has told nobody is told by the next.

    Args:
        not_begun: Jobs that could not even begin.
        occasions: Of the runs by which each job stands, and of the looks at what was open.
        show: Is told of what could not be sent.
    """
    ways, language = settings.alerts, Outputs().language
    if not ways.any:
        return

    def found(ledger: Ledger) -> Iterable[Alert | None]:
        jobs = [alert_of_jobs(night_id, not_begun, desk_url=settings.desk_url, language=language)] if not_begun else []
        all_there_is = {alert.key: alert for alert in _alerts_of(ledger, occasions, settings.desk_url) if alert}
        told = [*jobs, *(alert for key, alert in all_there_is.items() if not ledger.runs.was_alerted(key))]
        theirs = [alert for alert in told if alert.kind == "funding" and ways.funding_to]
        if len(told) == len(theirs) or len(told) == 1:
            return told
        return [*theirs, alert_after_all(night_id, told, theirs, desk_url=settings.desk_url, language=language)]

    _send_all(settings, found, show)


def alert_of_overdue_nights(settings: Settings, command: str, now: dt.datetime, show: Show) -> None:
    """Call people for nights that began long ago and have not ended, and where none has ended since the day before.

    Args:
        settings: Who is told, how, and after how many hours.
        show: Is told of what could not be sent.
    """
    if not settings.alerts.any:
        return
    before = now - dt.timedelta(hours=settings.alerts.night_hours)

    def found(ledger: Ledger) -> Iterable[Alert]:
        for night in ledger.runs.begun_and_not_ended(command, before):
            told = Message("alert.night", began=f"{night.started_at.astimezone(BRASILIA):%d/%m/%Y %H:%M}")
            yield alert_of_night(night.run_id, told, "running", desk_url=settings.desk_url, language=Outputs().language)
        last = ledger.runs.last_ended(command)
        if last is not None and last.finished_at is not None and last.finished_at < now - NIGHT_EXPECTED_WITHIN:
            told = Message("alert.no_night", ended=f"{last.finished_at.astimezone(BRASILIA):%d/%m/%Y %H:%M}")
            yield alert_of_night(last.run_id, told, last.state, desk_url=settings.desk_url, language=Outputs().language)

    _send_all(settings, found, show)


def _alerts_of(ledger: Ledger, occasions: Sequence[Occasion], desk_url: str) -> Iterable[Alert | None]:
    for occasion in occasions:
        yield from (_alert_of(ledger, run_id, occasion, desk_url) for run_id in occasion.run_ids)
    yield from _alerts_of_fundings(ledger, [run_id for one in occasions for run_id in one.run_ids], desk_url)


def _alert_of(ledger: Ledger, run_id: str, occasion: Occasion, desk_url: str) -> Alert | None:
    run, notes = ledger.runs.get(run_id), occasion.notes
    if run is None or not run.job:
        return None
    summary = Summary.model_validate_json(run.summary_json) if run.summary_json else None
    holds = _holds_by_now(occasion.codes, run.exit_code)
    plan = None
    if summary is not None and summary.plan_digest and ExitCode.APPROVAL_WANTED in holds:
        stored = ledger.plans.get(summary.plan_digest)
        if ledger.submissions.list(states={S.PLANNED}, plan_digest=stored.digest, bodies=False):
            plan = WaitingPlan(stored.digest, stored.payees, Money(stored.total_cents, stored.currency))
    head = read_heads(ledger, [run_id]).get(run_id)
    return alert_of_run(
        holds,
        run_id=run_id,
        job=run.job,
        period=run.period,
        plan=plan,
        sums=_sums_of(ledger, run.job, run.period, kind_of(holds)),
        desk_url=desk_url,
        language=head.language if head else Outputs().language,
        notes=tuple(map(for_desk, notes)) if desk_url else notes,
    )


def _holds_by_now(codes: frozenset[ExitCode], exit_code: int | None) -> frozenset[ExitCode]:
    """Return what holds of a run by now: of what it ended with, only the plan that waits, where it stands otherwise."""
    if exit_code is None:
        return codes
    as_it_ended = codes if not codes or worst(codes) == exit_code else codes & {ExitCode.APPROVAL_WANTED}
    return as_it_ended | {ExitCode(exit_code)}


def _sums_of(ledger: Ledger, job: str, period: str, kind: str | None) -> tuple[Money, ...]:
    """Add up what nobody can tell the fate of, or what was approved and has not been sent."""
    states = {"doubt": {S.IN_DOUBT, *UNTOLD}, "failure": {S.APPROVED, S.NOT_SENT}}.get(kind or "")
    if states is None:
        return ()
    found = ledger.submissions.list(job=job, period=period, states=states, bodies=False)
    untold = ledger.decisions.undecided(report.id for report in found if report.state in UNTOLD)
    sums = SignedSums[str]()
    for report in found:
        if report.state not in UNTOLD or report.id in untold:
            sums[report.currency] += report.amount_cents
    return tuple(Money(cents, currency) for currency, cents in sums.items() if cents)


def _alerts_of_fundings(ledger: Ledger, run_ids: Iterable[str], desk_url: str) -> Iterable[Alert | None]:
    """Call whoever pays for the reports of the jobs of some runs, in each job's language."""
    heads = read_heads(ledger, run_ids)
    for job, language in {head.job: head.language for head in heads.values()}.items():
        yield from alerts_of_fundings(unsettled_fundings(ledger, job), desk_url=desk_url, language=language)


def _send_all(settings: Settings, find: Callable[[Ledger], Iterable[Alert | None]], show: Show) -> None:
    """Send each alert that has not been sent; one that cannot be sent keeps none of the others from it."""
    try:
        with open_ledger_of(settings) as ledger:
            for alert in find(ledger):
                if alert is None or ledger.runs.was_alerted(alert.key):
                    continue
                try:
                    _send(settings, alert)
                    for key in alert.covers or (alert.key,):
                        ledger.runs.note_alert(key)
                except NotAlerted as failed:
                    show(failed.message)
    except RepasseError as error:
        show(error.message)


def _send(settings: Settings, alert: Alert) -> None:
    """Send an alert by every way there is.

    Raises:
        NotAlerted: by none of them; by some of them is enough.
    """
    ways = settings.alerts
    with for_strangers():
        subject = render(alert.subject, alert.language)
        notes = [render(note, alert.language) for note in alert.notes]
    sent, failed = 0, list[NotAlerted]()
    if to := (ways.funding_to or ways.email_to) if alert.kind == "funding" else ways.email_to:
        text = "\n\n".join(filter(None, (subject, alert.page, *notes, *alert.codes)))
        try:
            send_email(ways.smtp_url, ways.email_from, to, f"Repasse: {subject}", text, egress=ways.egress)
            sent += 1
        except NotAlerted as error:
            failed.append(error)
    if ways.webhook_url:
        line = f"{subject} {alert.page}".strip()
        try:
            document = {"event": alert.kind, "text": line, "page": alert.page, **alert.facts}
            post_webhook(ways.webhook_url, document, egress=ways.egress)
            sent += 1
        except NotAlerted as error:
            failed.append(error)
    if not sent:
        raise failed[0]
