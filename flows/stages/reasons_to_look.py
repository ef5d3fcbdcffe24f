"""Why a person must look at a plan, whatever the job lets go without one and whatever --yes says."""

from collections.abc import Iterable, Mapping
from typing import Final

from flows.stages.earlier_reports import attempts_of
from flows.stages.freeze_plan import alike_of
from flows.stages.run import Run
from flows.steps.pay_again import SecondAttempt, planned_payments
from schemas.desk_people import LANGUAGES
from schemas.masking import mask_tax_id
from schemas.money import format_cents
from schemas.paid_before import alike_in_words
from schemas.plan import PaymentPlan
from schemas.plan_page import PlanPage
from schemas.submission import Claim
from schemas.tables.frames import records
from schemas.told import Told

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
    others = sorted(run.order.again - used.keys())
    return [*told, Told("look.again", files=", ".join(others))] if others else told


def _rows_paid_before(run: Run) -> list[Told]:
    alike, obligations = alike_of(run), run.require_worked().obligations
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
    for row in planned_payments(run.require_worked().obligations) if attempts else ():
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
