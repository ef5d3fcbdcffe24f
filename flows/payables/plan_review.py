"""Gathering the review of a plan: why a person must look at it, and what changed since the last one."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from flows.intake.rules.used_before import UsedBefore
from flows.payables.draft import Draft
from flows.payables.earlier_reports import attempts_of
from flows.payables.freeze_plan import alike_of
from flows.payables.rules.claims import PAID_BESIDE, SecondAttempt, notices_of_attempts
from flows.payables.rules.compute import identity_of
from flows.payables.rules.exchange_rate import terms_of
from flows.payables.rules.paid_before import alike_without_question, find_twins, row_of_twin
from flows.payables.rules.plan_review import (
    PaidBefore,
    changes_between,
    elsewhere_of,
    names_in,
    notices_of,
    notices_of_less,
    owner_jumps,
    period_before,
    rates_between,
    shares_changed,
    sums_by_payee,
    sums_of,
    sums_paid,
)
from flows.reports.rules.report_list import made_before
from flows.run import Run
from io_adapters.ledger.run_record import RunRecord, read_record
from schemas.issues import Issue, IssueCode, make_issue
from schemas.messages import Listed, Message, Money
from schemas.obligation import Obligations, planned_payments, sum_cents
from schemas.parsing.written import TextToCheck, texts_to_check
from schemas.plan import BatchPayment, PaymentPlan
from schemas.plan_view import (
    Against,
    Notice,
    PayeeNotice,
    PlanChanges,
    PlanView,
    RateChange,
)
from schemas.sources import paid_alike_message
from schemas.submission import UNSENT, Claim
from schemas.values.masking import mask_tax_id
from schemas.values.millionths import Millionths
from schemas.values.money import exact_text


@dataclass(frozen=True, slots=True)
class Compared:
    """What a comparison found."""

    notices: tuple[PayeeNotice, ...]
    changes: PlanChanges
    names: dict[str, str]


def compare(run: Run, drafted: Draft, placed: Obligations) -> Compared:
    job, label, history = run.job.job, run.request.period.label, run.ledger.history
    last_period = period_before(history.periods(job), label)
    paid = history.payments(job, last_period) if last_period else []
    last = _record_of(run, label)
    payees = drafted.inputs.payees
    listed = zip(payees["tax_id"], payees["name"], strict=True)
    here = names_in([*listed, *((obligation.payee.tax_id, obligation.payee.name) for obligation in placed)])
    names = run.ledger.payee_names.latest() | here
    planned = {obligation.payee.tax_id for obligation in planned_payments(placed)}
    before = PaidBefore(history.sums(planned), history.destinations(planned), paid)
    again = notices_of_attempts(placed, attempts_of(run.ledger, run.job.job, drafted.payables.obligations))
    tried = {notice.tax_id for notice in again}
    found = notices_of(placed, before, names, job=job, period=label, currency=run.job.currency)
    # Whom a report was to pay before is nobody new, whether it paid or not.
    known = [notice for notice in found if notice.notice is not Notice.NEW or notice.tax_id not in tried]
    notices = (*again, *known, *notices_of_less(drafted.payables.entries, names))
    if last:
        return Compared(notices, _against_plan(run, drafted, placed, *last), names)
    return Compared(notices, _against_period(placed, last_period, paid, names), names)


def _record_of(run: Run, period: str) -> tuple[str, RunRecord] | None:
    found = run.ledger.runs.last_with_results(job=run.job.job, other_than=run.id)
    last = next((other.run_id for other in found if other.period == period), None)
    record = read_record(run.ledger, last) if last else None
    return (last, record) if last and record else None


def _against_plan(run: Run, drafted: Draft, placed: Obligations, run_id: str, last: RunRecord) -> PlanChanges:
    before, now = sums_of(last.obligations), sums_of(placed)
    earnings, record = drafted.payables.earnings, run.ledger.runs.get(run_id)
    changes = changes_between(before, now, held_before=elsewhere_of(last.obligations), held_now=elsewhere_of(placed))
    return PlanChanges(
        Against.LAST_PLAN,
        run_id=run_id,
        at=record.started_at if record else None,
        period=last.period,
        before_cents=sum_cents(before.values()),
        now_cents=sum_cents(now.values()),
        changes=changes,
        rates=(*rates_between(last.earnings, earnings), *_rate_of_reports(run, last)),
        shares=shares_changed(last.earnings, earnings),
    )


def _rate_of_reports(run: Run, last: RunRecord) -> tuple[RateChange, ...]:
    """Tell another exchange rate of the reports themselves, where both plans are in a foreign currency."""
    terms = run.ledger.history.exchange_of(last.plan_digest) if last.plan_digest else None
    ours = terms_of(run.job)
    if terms is None or ours is None or terms.plain_rate == ours.plain_rate:
        return ()
    return (RateChange(ours.currency, terms.plain_rate, ours.plain_rate),)


def _against_period(placed: Obligations, period: str, paid: list[BatchPayment], names: dict[str, str]) -> PlanChanges:
    """Compare by payee: another period owes everybody something else, so that payments cannot be told apart."""
    if not paid:
        return PlanChanges(Against.NOTHING)
    before, now = sums_paid(paid, names), sums_by_payee(placed)
    return PlanChanges(
        Against.LAST_PERIOD,
        period=period,
        before_cents=sum_cents(before.values()),
        now_cents=sum_cents(now.values()),
        changes=changes_between(before, now, held_now=elsewhere_of(placed), destinations=False),
    )


def owner_issues(run: Run, drafted: Draft) -> list[Issue]:
    """Tell of each asset of which the owner has a far larger or smaller part than in the period before."""
    inputs, job = drafted.inputs, run.job.job
    if not inputs.statements or inputs.shares.empty:
        return []
    before = _record_of(run, period_before(run.ledger.history.periods(job), run.request.period.label))
    jumps = owner_jumps(before[1].earnings, drafted.payables.earnings) if before else []
    return [
        make_issue(
            IssueCode.OWNER_PART_JUMPED,
            file=inputs.shares["file"].iloc[0],
            found=jump.asset,
            before=_percent(jump.before_ppm),
            now=_percent(jump.now_ppm),
        )
        for jump in jumps
    ]


def _percent(share_ppm: Millionths) -> Decimal:
    """Return a part in percent, to the four decimals that a sheet may write."""
    return Decimal(exact_text(Decimal(round(share_ppm)).scaleb(-4)))


_SHOWN: Final = 5


def review_reasons(run: Run, drafted: Draft, plan: PaymentPlan) -> list[Message]:
    """Say why a person must look at a plan before it is sent, a sentence for each reason; empty when none must.

    Whoever is asked for a word is told all of them: in the terminal, in plan.xlsx, and on the desk's page.
    """
    if not plan.batches:
        return []
    unanswered = [drafted.checks.broke_off] if drafted.checks.broke_off else []
    texts = to_check(run, drafted)
    return [
        *([Message("review.written", count=len(texts))] if texts else []),
        *_files_again(run, drafted.intake.used_before),
        *_rows_paid_before(run, drafted),
        *_rows_twice(drafted),
        *_second_attempts(run, drafted, plan),
        *_other_series(run, drafted.snapshot.claims_elsewhere),
        *drafted.snapshot.waiting,
        *_rejected(run, plan),
        *_unknown_reports(run, plan),
        *unanswered,
    ]


def notes_on(run: Run, drafted: Draft) -> list[Message]:
    """Say what people should know of a plan before they approve it, and that by itself asks for nobody."""
    payees = (obligation.payee for obligation in planned_payments(drafted.payables.obligations))
    before = run.ledger.mail_addresses.before({payee.tax_id: payee.email for payee in payees if payee.email})
    moved = sum(bool(address) for address in before.values())
    paid_otherwise = [
        Message(
            "review.paid_beside", file=obligation.source.file, row=obligation.source.row, **obligation.reasons[0].facts
        )
        for obligation in planned_payments(drafted.payables.obligations)
        if obligation.code == PAID_BESIDE
    ]
    addresses = [Message("review.addresses", count=moved)] if moved else []
    alike = alike_without_question(
        drafted.payables.obligations,
        drafted.snapshot.elsewhere,
        identity_of(run.job, run.request.period),
        alike_of(run, drafted),
    )
    as_before = [Message("review.as_before", count=alike)] if alike else []
    return [
        *_first_of(paid_otherwise),
        *as_before,
        *addresses,
        *([drafted.checks.short] if drafted.checks.short else []),
    ]


def to_check(run: Run, drafted: Draft) -> tuple[TextToCheck, ...]:
    """Tell which texts beside the planned payments nobody has seen who approved a plan of the job."""
    planned = planned_payments(drafted.payables.obligations)
    paid = {(owed.source.file, owed.source.sheet, owed.source.row) for owed in planned if owed.source.row}
    return texts_to_check(drafted.intake.written, paid, run.ledger.plan_views.seen(run.job.job))


def _first_of(rows: Sequence[Message]) -> tuple[Message, ...]:
    more = (Message("review.rows_more", count=len(rows) - _SHOWN),) if len(rows) > _SHOWN else ()
    return (*rows[:_SHOWN], *more)


def were_shown(run: Run, plan: PaymentPlan, reasons: Iterable[Message], texts: Iterable[TextToCheck]) -> bool:
    """Say whether people were told all of these when they last looked at the plan; a yes from before does not count."""
    page = run.ledger.plan_views.get(plan.digest)
    shown = PlanView.from_bytes(page).review_reasons if page else ()
    tokens = run.ledger.plan_views.texts_of(plan.digest)
    return all(reason in shown for reason in reasons) and tokens >= {text.token for text in texts}


def _files_again(run: Run, before: UsedBefore) -> list[Message]:
    used = {**before.released, **before.renamed}
    reasons = [Message("review.used_again", file=file, found=found) for file, found in sorted(used.items())]
    reasons += [Message("review.file_gone", file=file, found=found) for file, found in sorted(before.gone.items())]
    others = sorted(run.request.again - used.keys())
    return [*reasons, Message("review.again", files=", ".join(others))] if others else reasons


def _rows_paid_before(run: Run, drafted: Draft) -> list[Message]:
    alike, obligations = alike_of(run, drafted), drafted.payables.obligations
    if not alike:
        return []
    rows = [obligation for obligation in obligations if obligation.key in alike]
    total = Money(sum_cents(rows))
    places = [
        Message(
            "review.row",
            file=obligation.source.file,
            row=obligation.source.row,
            found=paid_alike_message(alike[obligation.key]),
        )
        for obligation in rows
    ]
    return [Message("review.paid_before", count=len(rows), total=total, places=Listed(_first_of(places), "; "))]


def _rows_twice(drafted: Draft) -> list[Message]:
    twins = find_twins(drafted.payables.obligations)
    if not twins:
        return []
    rows = [obligation for obligation in drafted.payables.obligations if obligation.key in twins]
    places = [
        Message(
            "review.twin",
            file=obligation.source.file,
            row=obligation.source.row,
            first=row_of_twin(obligation, twins[obligation.key]),
        )
        for obligation in rows
    ]
    return [
        Message("review.twins", count=len(rows), total=Money(sum_cents(rows)), places=Listed(_first_of(places), "; "))
    ]


def _second_attempts(run: Run, drafted: Draft, plan: PaymentPlan) -> list[Message]:
    obligations = drafted.payables.obligations
    attempts = attempts_of(run.ledger, run.job.job, obligations)
    amounts = dict[SecondAttempt, list[int]]()
    for obligation in planned_payments(obligations) if attempts else ():
        if obligation.key in attempts:
            amounts.setdefault(attempts[obligation.key], []).append(obligation.amount_cents)
    return [
        Message(
            "review.second_attempt",
            number=attempt.number,
            report=attempt.report_id,
            count=len(cents),
            total=Money(sum(cents), plan.currency),
        )
        for attempt, cents in amounts.items()
    ]


def _other_series(run: Run, others: Sequence[Claim]) -> list[Message]:
    """Tell that the payer, or the currency, changed within the job and period: every key rests on them."""
    by_payer, by_currency = dict[str, list[Claim]](), dict[str, list[Claim]]()
    for claim in others:
        if claim.payer != run.job.payer.tax_id:
            by_payer.setdefault(mask_tax_id(claim.payer), []).append(claim)
        else:
            by_currency.setdefault(claim.currency, []).append(claim)
    return [
        *(
            Message("review.other_payer", payer=payer, count=len(claims), total=_total(claims))
            for payer, claims in by_payer.items()
        ),
        *(
            Message("review.other_currency", currency=currency, count=len(claims), total=_total(claims))
            for currency, claims in by_currency.items()
        ),
    ]


def _total(claims: Iterable[Claim]) -> Money:
    return Money(sum(claim.amount_cents for claim in claims))


def _unknown_reports(run: Run, plan: PaymentPlan) -> list[Message]:
    """Name the reports this ledger does not know that people accepted since anybody approved a plan of the job.

    What they paid is not claimed here, so that the plan may hold it once more; batches that the list shows are not
    sent, and need nobody's word.
    """
    unknown = run.ledger.freeze.unknown_reports(run.ledger.approvals.last_by_person(run.job.job))
    if not unknown:
        return []
    batches = run.ledger.submissions.list(plan_digest=plan.digest, states=UNSENT, bodies=False)
    if batches and all(made_before(batch, run.listed) for batch in batches):
        return []
    return [Message("review.unknown_reports", reports=", ".join(unknown))]


def _rejected(run: Run, plan: PaymentPlan) -> list[Message]:
    keys = [payment.obligation_key for batch in plan.batches for payment in batch.payments]
    return [Message("review.rejected")] if run.ledger.approvals.any_rejected(plan.digest, keys) else []
