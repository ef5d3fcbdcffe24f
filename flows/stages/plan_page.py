"""Turn a plan's view into what the desk shows of it, with every reason in both languages and every tax id masked."""

from dataclasses import replace

from flows.steps.exchange_rate import facts_of
from io_adapters.outputs.labels import Labels
from io_adapters.outputs.reasons import reason_in_words
from schemas.desk_people import LANGUAGES
from schemas.exchange_terms import HOME_CURRENCY
from schemas.masking import mask_tax_id
from schemas.plan_page import BatchLine, PlanPage
from schemas.plan_view import Notice, PlanView


def page_of(view: PlanView) -> PlanPage:
    """Keep of a view what people look at."""
    plan, changes = view.plan, view.changes
    reasons = {one.reason for one in view.not_paid} | {row.reason for row in view.others}

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
        changes=replace(changes, changes=tuple(replace(one, tax_id=_masked(one.tax_id)) for one in changes.changes)),
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
