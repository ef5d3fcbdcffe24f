"""Hold a plan against what the ledger knows: what was paid before, and the last plan of its period."""

from dataclasses import dataclass

from flows.stages.document import RunDocument
from flows.stages.earlier_reports import attempts_of
from flows.stages.run import Run
from flows.steps.exchange_rate import terms_of
from flows.steps.pay_again import notices_of_attempts
from flows.steps.payee_history import PaidBefore, notices_of
from flows.steps.plan_changes import (
    changes_between,
    elsewhere_of,
    items_by_payee,
    items_of,
    items_paid,
    names_in,
    period_before,
    rates_between,
    shares_changed,
    sum_of,
)
from schemas.paid_before import PaidPart
from schemas.plan import Place
from schemas.plan_view import Against, Notice, PayeeNotice, PlanChanges, RateChange
from schemas.tables.frames import DataFrame
from schemas.tables.obligations import Obligations


@dataclass(frozen=True, slots=True)
class Compared:
    """What a comparison found.

    Attributes:
        notices: Whom to look at.
        changes: What is not as it was.
        names: Tax id -> name, of everybody in either plan who has one.
    """

    notices: tuple[PayeeNotice, ...]
    changes: PlanChanges
    names: dict[str, str]


def compare(run: Run, placed: DataFrame[Obligations]) -> Compared:
    """Hold a plan against the last one, and its payees against what they were paid before.

    Args:
        run: Whose plan.
        placed: Its obligations, each in its place.
    """
    job, label, history = run.job.job, run.order.period.label, run.ledger.history
    last_period = period_before(history.periods(job), label)
    paid = history.payments(job, last_period) if last_period else []
    last = _document_of(run, label)
    names = names_in(run.require_inputs().payees, placed, *([last[1].obligations] if last else []))
    if any(part.payee not in names for part in paid) and (earlier := _document_of(run, last_period)):
        names = names_in(earlier[1].obligations) | names
    payees = placed.loc[(placed["place"] == Place.PLANNED.value) & (placed["kind"] != "owner"), "tax_id"].unique()
    before = PaidBefore(history.sums(payees), history.destinations(payees), paid)
    again = notices_of_attempts(placed, attempts_of(run))
    tried = {notice.tax_id for notice in again}
    found = notices_of(placed, before, names, job=job, period=label, currency=run.job.currency)
    # Whom a report was to pay before is nobody new, whether it paid or not.
    notices = (*again, *(one for one in found if one.notice is not Notice.NEW or one.tax_id not in tried))
    if last:
        return Compared(notices, _against_plan(run, placed, *last), names)
    return Compared(notices, _against_period(placed, last_period, paid, names), names)


def _document_of(run: Run, period: str) -> tuple[str, RunDocument] | None:
    """Return the last run of one of the job's periods, this one aside, and its document."""
    found = run.ledger.history.last_document(run.job.job, period, run.id)
    return (found[0], RunDocument.from_bytes(found[1])) if found else None


def _against_plan(run: Run, placed: DataFrame[Obligations], run_id: str, last: RunDocument) -> PlanChanges:
    before, now = items_of(last.obligations), items_of(placed)
    earnings, record = run.require_worked().earnings, run.ledger.runs.get(run_id)
    changes = changes_between(before, now, held_before=elsewhere_of(last.obligations), held_now=elsewhere_of(placed))
    return PlanChanges(
        Against.LAST_PLAN,
        run_id=run_id,
        at=record.started_at if record else None,
        period=last.period,
        before_cents=sum_of(before),
        now_cents=sum_of(now),
        changes=changes,
        rates=(*rates_between(last.earnings, earnings), *_rate_of_reports(run, last)),
        shares=shares_changed(last.earnings, earnings),
    )


def _rate_of_reports(run: Run, last: RunDocument) -> tuple[RateChange, ...]:
    """Tell another exchange rate of the reports themselves, where both plans are in a foreign currency."""
    terms = run.ledger.history.exchange_of(last.plan_digest) if last.plan_digest else None
    ours = terms_of(run.job)
    if terms is None or ours is None or terms.plain_rate == ours.plain_rate:
        return ()
    return (RateChange(ours.currency, terms.plain_rate, ours.plain_rate),)


def _against_period(
    placed: DataFrame[Obligations], period: str, paid: list[PaidPart], names: dict[str, str]
) -> PlanChanges:
    """Compare by payee: another period owes everybody something else, so that payments cannot be told apart."""
    if not paid:
        return PlanChanges(Against.NOTHING)
    before, now = items_paid(paid, names), items_by_payee(placed)
    return PlanChanges(
        Against.LAST_PERIOD,
        period=period,
        before_cents=sum_of(before),
        now_cents=sum_of(now),
        changes=changes_between(before, now, held_now=elsewhere_of(placed), destinations=False),
    )
