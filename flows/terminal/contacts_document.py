"""Contacts as one JSON document: masked, and every one of them."""

from typing import Any

from flows.address_book.rules import Action, ContactStep, SourceRow
from flows.address_book.start import ContactsReport
from flows.address_book.sync import ContactOutcome
from schemas.contact_book import KnownContact
from schemas.values.masking import mask_email, mask_name, mask_tax_id


def known_document(one: KnownContact) -> dict[str, Any]:
    """Return what is remembered of a contact as JSON values, masked."""
    return {
        "contact_id": one.contact_id,
        "name": mask_name(one.name) if one.name else None,
        "tax_id": mask_tax_id(one.tax_id),
        "email": mask_email(one.email) if one.email else None,
        "accounts": [account.id for account in one.accounts],
        "favorite": one.favorite_account_id,
        "state": one.state.value,
        "told_at": one.told_at.isoformat() if one.told_at else None,
    }


def contacts_document(report: ContactsReport) -> dict[str, Any]:
    """Return a sync as JSON values: counts, and every contact masked."""
    sync = report.sync
    outcomes = {outcome.step.wanted.tax_id: outcome for outcome in sync.outcomes}
    planned = {action.value: sync.plan.count(action) for action in Action}
    return {
        "job": report.job,
        "applied": sync.applied,
        "planned": planned | {"favorite": sum(step.favorite.mark is not None for step in sync.plan.steps)},
        "results": dict(sorted(sync.results.items())) | {"favorite_marked": sync.marked},
        "contacts": [_step_document(step, outcomes.get(step.wanted.tax_id)) for step in sync.plan.steps],
        "left_out": [
            {"payee": mask_tax_id(one.tax_id) if one.tax_id else "", "because": one.because.value}
            | _place_of(one.place)
            for one in sync.plan.left_out
        ],
        "not_named": len(sync.plan.not_named),
        "issues": [issue.as_json() for issue in report.issues],
    }


def _step_document(step: ContactStep, outcome: ContactOutcome | None) -> dict[str, Any]:
    known = outcome.known if outcome else step.known
    favorite = outcome.favorite if outcome else step.favorite
    return {
        "payee": mask_tax_id(step.wanted.tax_id),
        "contact_id": known.contact_id if known else None,
        "action": step.action.value,
        "result": outcome.result.value if outcome else None,
        "favorite": outcome.marked if outcome else favorite.mark,
        "favorite_note": favorite.note.value if favorite.note else None,
        "name_differs": outcome.name_differs if outcome else step.name_differs,
        "message": outcome.message if outcome else "",
    } | _place_of(step.wanted.place)


def _place_of(place: SourceRow) -> dict[str, Any]:
    return {"file": place.file, "sheet": place.sheet or None, "row": place.row or None}
