"""What people see of a plan: `repasse plan`, plan.xlsx and the desk's page, held against what the ledger knows."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from flows.account_checks.rules import accounts_to_ask, accounts_to_pay, check_cost_cents
from flows.intake.rules.inputs import input_totals
from flows.payables.earlier_reports import attempts_of
from flows.payables.freeze_plan import alike_of, told_rows
from flows.payables.rules.claims import SecondAttempt, notices_of_attempts, planned_payments
from flows.payables.rules.compute import identity_of
from flows.payables.rules.left_out import mark_repeated
from flows.payables.rules.obligations import break_down
from flows.payables.rules.plan_batches import plan_batches
from flows.payables.rules.plan_review import (
    PaidBefore,
    changes_between,
    elsewhere_of,
    items_by_payee,
    items_of,
    items_paid,
    names_in,
    not_paid_of,
    notices_of,
    notices_of_rows,
    period_before,
    rates_between,
    rows_of,
    shares_changed,
    sum_of,
)
from flows.reconciliation.rules.reconcile import count_rows, place_rows, reconcile, total_up
from flows.reconciliation.waits import waits_elsewhere
from flows.reconciliation.write import RunDocument, output_folder
from flows.run import Run
from flows.sending.rules import facts_of, terms_of
from io_adapters.outputs.labels import Labels, reason_in_words
from io_adapters.outputs.plan_workbook import write_plan_workbook
from schemas.desk_people import LANGUAGES
from schemas.issues import errors_among
from schemas.plan import HOME_CURRENCY, PaymentPlan, Place
from schemas.plan_view import (
    Against,
    BatchLine,
    ChecksView,
    Notice,
    PayeeNotice,
    PlanChanges,
    PlanPage,
    PlanView,
    RateChange,
)
from schemas.submission import Claim
from schemas.tables.contract import DataFrame, records
from schemas.tables.obligations import Obligations
from schemas.told import Told
from schemas.used_before import PaidPart, alike_in_words
from schemas.values.masking import mask_tax_id
from schemas.values.money import format_cents


def page_of(view: PlanView) -> PlanPage:
    """Keep of a view what people look at."""
    plan, changes = view.plan, view.changes
    reasons = {unpaid.reason for unpaid in view.not_paid} | {row.reason for row in view.others}

    def told(notice: Notice) -> bool:
        """Where everybody is new, one sentence says so."""
        return not (view.first_ever and notice is Notice.NEW)

    labels = {language: Labels(language) for language in LANGUAGES}
    return PlanPage(
        digest=view.digest,
        job=plan.job,
        period=plan.period,
        currency=plan.currency,
        payer_name=view.payer_name,
        exchange=_exchange(view),
        total_cents=plan.total_cents,
        payees=view.payees,
        batches=tuple(BatchLine(b.number, b.payees, b.amount_cents, b.owner_cents) for b in plan.batches),
        totals=view.totals.model_dump(by_alias=True),
        rows=view.rows.model_dump(),
        planned=tuple(replace(row, notices=tuple(filter(told, row.notices))) for row in view.planned),
        others=view.others,
        not_paid=view.not_paid,
        checks=view.checks,
        notices=tuple(replace(one, tax_id=_masked(one.tax_id)) for one in view.notices if told(one.notice)),
        first_ever=view.first_ever,
        changes=replace(
            changes, changes=tuple(replace(change, tax_id=_masked(change.tax_id)) for change in changes.changes)
        ),
        stopped=view.stopped,
        reasons={
            reason: {language: reason_in_words(reason, labels[language]) for language in LANGUAGES}
            for reason in reasons
        },
        reasons_to_look=tuple(
            {language: reason.in_words(language) for language in LANGUAGES} for reason in view.reasons_to_look
        ),
    )


def _exchange(view: PlanView) -> str:
    if view.plan.exchange is None:
        return ""
    facts = facts_of(view.plan.exchange)
    return f"1 {facts['currency']} = {HOME_CURRENCY} {facts['rate']}"


def _masked(tax_id: str) -> str:
    return mask_tax_id(tax_id) if tax_id else ""


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
    job, label, history = run.job.job, run.request.period.label, run.ledger.history
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
    notices = (*again, *(notice for notice in found if notice.notice is not Notice.NEW or notice.tax_id not in tried))
    if last:
        return Compared(notices, _against_plan(run, placed, *last), names)
    return Compared(notices, _against_period(placed, last_period, paid, names), names)


def _document_of(run: Run, period: str) -> tuple[str, RunDocument] | None:
    """Return the last run of one of the job's periods, this one aside, and its document."""
    found = run.ledger.history.last_document(run.job.job, period, run.id)
    return (found[0], RunDocument.from_bytes(found[1])) if found else None


def _against_plan(run: Run, placed: DataFrame[Obligations], run_id: str, last: RunDocument) -> PlanChanges:
    before, now = items_of(last.obligations), items_of(placed)
    earnings, record = run.require_payables().earnings, run.ledger.runs.get(run_id)
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


_SHOWN: Final = 5


def reasons_to_look(run: Run, plan: PaymentPlan) -> list[Told]:
    """Say why a person must look at a plan before it is sent, a sentence for each reason; empty when none must.

    Whoever is asked for a word is told all of them: in the terminal, in plan.xlsx, and on the desk's page.
    """
    if not plan.batches:
        return []
    unanswered = [run.checks_broke_off] if run.checks_broke_off else []
    return [
        *_files_again(run),
        *_rows_paid_before(run),
        *_second_attempts(run, plan),
        *_other_books(run),
        *_rejected(run, plan),
        *unanswered,
    ]


def were_shown(run: Run, plan: PaymentPlan, reasons: Iterable[Told]) -> bool:
    """Say whether people were told all of these when they last looked at the plan; a yes from before does not count."""
    page = run.ledger.plan_views.get(plan.digest)
    shown = PlanPage.from_bytes(page).reasons_to_look if page else ()
    return all(reason.in_words(language) in _words(shown, language) for reason in reasons for language in LANGUAGES)


def _words(shown: Iterable[Mapping[str, str]], language: str) -> set[str]:
    return {words[language] for words in shown}


def _files_again(run: Run) -> list[Told]:
    """Name the files that are used again, with where they, or lines of theirs, were used before."""
    used = {**run.used_before.released, **run.used_before.renamed}
    told = [Told("look.used_again", file=file, found=found) for file, found in sorted(used.items())]
    others = sorted(run.request.again - used.keys())
    return [*told, Told("look.again", files=", ".join(others))] if others else told


def _rows_paid_before(run: Run) -> list[Told]:
    alike, obligations = alike_of(run), run.require_payables().obligations
    if not alike:
        return []
    rows = [row for row in records(obligations[obligations["key"].isin(list(alike))]) if row["key"] in alike]
    total = format_cents(sum(int(row["amount_cents"]) for row in rows), run.language)
    told = [
        Told(
            "look.row", file=row["file"], row=row["row"], found=alike_in_words(alike[row["key"]], run.language)
        ).in_words(run.language)
        for row in rows[:_SHOWN]
    ]
    if len(rows) > _SHOWN:
        told.append(Told("look.rows_more", count=len(rows) - _SHOWN).in_words(run.language))
    return [Told("look.paid_before", rows=len(rows), total=total, places="; ".join(told))]


def _second_attempts(run: Run, plan: PaymentPlan) -> list[Told]:
    """Name each failed report whose payments the plan attempts again."""
    attempts = attempts_of(run)
    amounts = dict[SecondAttempt, list[int]]()
    for row in planned_payments(run.require_payables().obligations) if attempts else ():
        if row["key"] in attempts:
            amounts.setdefault(attempts[row["key"]], []).append(int(row["amount_cents"]))
    return [
        Told(
            "look.second_attempt",
            number=attempt.number,
            report=attempt.report_id,
            payments=len(cents),
            total=f"{plan.currency} {format_cents(sum(cents), run.language)}",
        )
        for attempt, cents in amounts.items()
    ]


def _other_books(run: Run) -> list[Told]:
    """Tell that the payer, or the currency, changed within the job and period: every key rests on them."""
    others = run.standing.other_books if run.standing else ()
    by_payer, by_currency = dict[str, list[Claim]](), dict[str, list[Claim]]()
    for claim in others:
        if claim.payer != run.job.payer.tax_id:
            by_payer.setdefault(mask_tax_id(claim.payer), []).append(claim)
        else:
            by_currency.setdefault(claim.currency, []).append(claim)
    return [
        *(
            Told("look.other_payer", payer=payer, payments=len(claims), total=_total(run, claims))
            for payer, claims in by_payer.items()
        ),
        *(
            Told("look.other_currency", currency=currency, payments=len(claims), total=_total(run, claims))
            for currency, claims in by_currency.items()
        ),
    ]


def _total(run: Run, claims: Iterable[Claim]) -> str:
    return format_cents(sum(claim.amount_cents for claim in claims), run.language)


def _rejected(run: Run, plan: PaymentPlan) -> list[Told]:
    keys = [payment.obligation_key for batch in plan.batches for payment in batch.payments]
    return [Told("look.rejected")] if run.ledger.approvals.any_rejected(plan.digest, keys) else []


NAME: Final = "plan.xlsx"


def view_plan(run: Run) -> PlanView:
    """Turn what was worked out, or the plan that was frozen, into a view; asks nobody, writes nothing."""
    job = run.job
    told = told_rows(run)
    run.issues += [issue for issue in told if issue not in run.issues]
    plan = _plan(run)
    placed = _placed(run, plan)
    found = compare(run, placed)
    checks = _checks(run)
    alike = alike_of(run)
    planned, others = rows_of(placed, found.notices, found.names, alike)
    held = placed["place"].isin([Place.HELD.value, Place.CONFLICT.value]).any()
    stopped = job.rules.invalid_payee == "stop" and bool(held or errors_among(run.issues))
    inputs, standing = run.require_inputs(), run.standing
    carried_in = standing.history.carried_in if standing else {}
    rows = mark_repeated(inputs.rows, run.used_before.repeated, run.used_before.renamed)
    return PlanView(
        plan=plan,
        payer_name=job.payer.name,
        language=run.language,
        digest=plan.digest if plan.batches and not checks.wanted and not stopped else None,
        totals=total_up(placed, input_totals(inputs, carried_in), {}, {}, run.id),
        rows=count_rows(place_rows(rows, placed)),
        payees=_payees(placed),
        planned=planned,
        others=others,
        not_paid=not_paid_of(placed),
        checks=checks,
        notices=(*notices_of_rows(placed, alike), *found.notices),
        first_ever=not (run.ledger.history.ever_paid() or any(notice.attempt for notice in found.notices)),
        changes=found.changes,
        stopped=stopped,
        reasons_to_look=tuple(reasons_to_look(run, plan)),
        waits=waits_elsewhere(run.ledger, job.job, plan.period),
    )


def write_plan(run: Run, view: PlanView, folder: Path | None = None) -> Path | None:
    """Write the plan's workbook, where the job wants workbooks.

    Args:
        run: What is planned.
        view: As `view_plan` gives it.
        folder: Where; beside the folders of the runs, in "plan", when None.

    Returns:
        Where it is; None when the job's formats leave workbooks out.
    """
    if "xlsx" not in run.job.outputs.formats:
        return None
    return write_plan_workbook(view, (folder or output_folder(run).with_name("plan")) / NAME)


def warn_of_plan(run: Run) -> None:
    """Tell, in a run that waits for approval, whom to look at before saying yes, and where all of it stands.

    Effects: keeps the plan as people see it in the ledger, for the desk; writes plan.xlsx into the run's folder; adds
    one message, of counts alone.
    """
    view = view_plan(run)
    if run.plan is not None:
        run.ledger.plan_views.save(run.plan.digest, run.id, page_of(view).to_bytes())
    path = write_plan(run, view, output_folder(run))
    counts = [run.say(f"look.{notice}", count=count) for notice, count in view.notice_counts.items() if count]
    what = run.say("look.first_ever") if view.first_ever else "; ".join(counts) or run.say("look.nothing")
    run.messages.append(run.say("look.run", what=what, where=path) if path else run.say("look.only", what=what))


def _plan(run: Run) -> PaymentPlan:
    """The frozen plan where there is one; what would be frozen now otherwise."""
    if run.plan is not None:
        return run.plan
    per_batch = run.job.rules.max_payments_per_batch
    identity, payables = identity_of(run.job, run.request.period), run.require_payables()
    return plan_batches(
        payables.obligations,
        identity,
        run.request.period,
        max_payments=per_batch,
        exchange=terms_of(run.job),
        arrays=break_down(run.job.breakdown, payables.obligations, payables.earnings, payables.territories),
    )


def _placed(run: Run, plan: PaymentPlan) -> DataFrame[Obligations]:
    obligations = run.require_payables().obligations
    submissions = {
        submission.id: submission
        for submission in run.ledger.submissions.with_ids(set(obligations["submission_id"]) - {""})
    }
    words = run.ledger.decisions.on_reports(obligations["key"])
    return reconcile(obligations, submissions, run.id, decisions=words, planned_owner=bool(plan.batches))


def _payees(placed: DataFrame[Obligations]) -> int:
    paid = (placed["place"] == Place.PLANNED.value) & (placed["kind"] != "owner")
    return int(placed.loc[paid, "tax_id"].nunique())


def _checks(run: Run) -> ChecksView:
    """What checks are still to be made; none of a frozen plan, before which they are made."""
    rules = run.job.account_checks
    accounts = accounts_to_pay(run.require_payables().obligations, ownership=rules.ownership)
    asked = accounts_to_ask(accounts, run.verdicts, rules.when) if run.plan is None else []
    return ChecksView(len(asked), check_cost_cents(rules.fee), rules.budget)
