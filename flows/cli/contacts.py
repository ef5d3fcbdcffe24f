"""Printing contacts: masked, problems first, long lists cut; complete in a JSON document."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from rich.console import Console

from flows.address_book.rules import Action, ContactStep, PayeeRow
from flows.address_book.sync import ContactOutcome, ContactsReport, ContactsSync, Result
from flows.cli.printing import show_grid, show_issues
from io_adapters.outputs.grid import Grid, GridColumn, facts_grid
from schemas.contact_book import KnownContact
from schemas.issues import IssueCode
from schemas.job import BRASILIA
from schemas.messages import Catalogue, Message, Said, catalogue_in, render
from schemas.values.masking import mask_account, mask_email, mask_name, mask_tax_id, mask_value
from schemas.wire import ContactAccount

SHOWN: Final = 50
_WENT_WELL: Final = frozenset({Result.CREATED, Result.FOUND, Result.EMAIL_CHANGED, Result.KEPT})


def show_sync(console: Console, report: ContactsReport, job: Path) -> None:
    """Print what a sync would do, or what it did."""
    language, sync = report.language, report.sync
    refused = [issue for issue in report.issues if issue.code is IssueCode.CONTACT_REFUSED]
    show_issues(console, refused, "--json", language)
    for grid in contacts_grids(sync, catalogue_in(language)):
        show_grid(console, grid, language, most_rows=SHOWN)
    lines = [Message("contacts.not_named", count=len(sync.plan.not_named))] if sync.plan.not_named else []
    if not any(step.calls for step in sync.plan.steps):
        lines.append(Message("contacts.nothing"))
    elif not sync.applied:
        lines.append(Message("contacts.preview", job=str(job)))
    for line in lines:
        console.print(render(line, language), soft_wrap=True, markup=False)


def contacts_grids(sync: ContactsSync, labels: Catalogue) -> tuple[Grid, Grid, Grid]:
    """Lay out a sync: counts, contacts that somebody may have to do something about, payees of whom none is made."""
    if sync.applied:
        rows = [_outcome_row(outcome, labels) for outcome in sync.outcomes if _wants_a_look(outcome)]
    else:
        rows = [_step_row(step, labels) for step in sync.plan.steps if step.calls or step.name_differs]
    left_out = [
        (
            mask_tax_id(row.tax_id) if row.tax_id else "",
            labels("contacts.place", file=row.place.file, row=row.place.row) if row.place.row else row.place.file,
            labels(f"contacts.left_out.{row.because}"),
        )
        for row in sync.plan.left_out
    ]
    who = [GridColumn(labels(f"output.{name}")) for name in ("name", "tax_id", "state")]
    where = [GridColumn(labels(f"output.{name}")) for name in ("tax_id", "file", "reason")]
    kind = "result" if sync.applied else "action"
    counts = [(labels(f"contacts.{kind}.{name}"), count) for name, count in sorted(sync.counts.items())]
    counts += [(labels("contacts.favorite.marked"), sync.marked)] if sync.marked else []
    return (
        facts_grid(labels("contacts.counts"), counts),
        Grid(labels("contacts.each"), who, rows),
        Grid(labels("contacts.left_out", count=len(left_out)), where, left_out),
    )


def _step_row(step: ContactStep, labels: Catalogue) -> tuple[str, ...]:
    parts = [] if step.action is Action.KEEP else [labels(f"contacts.action.{step.action}")]
    parts += [labels("contacts.action.favorite")] if step.favorite.mark else []
    parts += _other_name(step.known, labels) if step.name_differs else []
    return mask_name(step.wanted.name), mask_tax_id(step.wanted.tax_id), "; ".join(parts)


def _wants_a_look(outcome: ContactOutcome) -> bool:
    """Say whether a person may have something to do about a contact; those that went well are only counted."""
    nameless = outcome.known is None or outcome.known.contact_id is None
    is_odd = outcome.result not in _WENT_WELL or bool(outcome.favorite_result or outcome.favorite.note)
    return nameless or is_odd or outcome.name_differs


def _outcome_row(outcome: ContactOutcome, labels: Catalogue) -> tuple[str, ...]:
    parts = [labels(f"contacts.result.{outcome.result}")]
    if outcome.marked:
        parts.append(labels("contacts.favorite.marked"))
    if outcome.favorite_result:
        why = labels(f"contacts.result.{outcome.favorite_result}")
        parts.append(labels("contacts.favorite.failed", why=why))
    if outcome.favorite.note:
        parts.append(labels(f"contacts.favorite.{outcome.favorite.note}"))
    if outcome.known and not outcome.known.contact_id and not outcome.message:
        parts.append(labels("contacts.no_id"))
    if outcome.message:
        parts.append(outcome.message)
    parts += _other_name(outcome.known, labels) if outcome.name_differs else []
    wanted = outcome.step.wanted
    return mask_name(wanted.name), mask_tax_id(wanted.tax_id), "; ".join(parts)


def _other_name(known: KnownContact | None, labels: Catalogue) -> list[str]:
    return [labels("contacts.name_differs", name=mask_name((known.name if known else "") or ""))]


def show_known(console: Console, known: Sequence[KnownContact], language: str) -> None:
    """Print what is remembered of contacts."""
    names = ("contact", "name", "tax_id", "email", "accounts", "has_bank_account", "manager", "told_at", "state")
    columns = [GridColumn(render(f"contacts.column.{name}", language)) for name in names]
    rows = [
        (
            contact.contact_id,
            mask_name(contact.name) if contact.name else "",
            mask_tax_id(contact.tax_id),
            mask_email(contact.email) if contact.email else "",
            len(contact.accounts),
            None if contact.has_bank_account is None else render(_YES_NO[contact.has_bank_account], language),
            mask_tax_id(contact.tax_id_manager) if contact.tax_id_manager else "",
            f"{contact.told_at.astimezone(BRASILIA):%d/%m/%Y}" if contact.told_at else "",
            contact.state.value,
        )
        for contact in known
    ]
    show_grid(console, Grid(render("contacts.title", language), columns, rows), language, most_rows=len(rows))
    accounts = _accounts_grid(known, catalogue_in(language))
    show_grid(console, accounts, language, most_rows=max(1, len(accounts.rows)))


_YES_NO: Final = {True: "output.yes", False: "output.no"}
_ACCOUNT_COLUMNS: Final = (
    "account",
    "contact",
    "bank",
    "agency",
    "number",
    "kind",
    "key",
    "holder",
    "manager",
    "favorite",
)


def _accounts_grid(known: Sequence[KnownContact], labels: Catalogue) -> Grid:
    """List the accounts of contacts, as the service told them last; whose they are is masked."""
    rows = [
        (
            *(account.id, account.contact_id or contact.contact_id),
            Said(" ".join(filter(None, (account.bank_code, account.bank_ispb, account.bank_name)))),
            account.agency,
            mask_account(account.account_number) if account.account_number else "",
            Said(account.account_type or account.pix_key_type or ""),
            mask_value("pix_key", account.pix_key or ""),
            *(mask_tax_id(document) if document else "" for document in (account.tax_id, account.tax_id_manager)),
            labels("output.yes") if account.is_favorite else "",
        )
        for contact in known
        for account in contact.accounts
    ]
    columns = [GridColumn(labels(f"contacts.account.{name}")) for name in _ACCOUNT_COLUMNS]
    return Grid(labels("contacts.accounts"), columns, rows)


def known_document(contact: KnownContact) -> dict[str, Any]:
    """Return what is remembered of a contact as JSON values, masked."""
    return {
        "contact_id": contact.contact_id,
        "name": mask_name(contact.name) if contact.name else None,
        "tax_id": mask_tax_id(contact.tax_id),
        "email": mask_email(contact.email) if contact.email else None,
        "accounts": [_account_document(account) for account in contact.accounts],
        "favorite": contact.favorite_account_id,
        "tax_id_manager": mask_tax_id(contact.tax_id_manager) if contact.tax_id_manager else None,
        "has_bank_account": contact.has_bank_account,
        "state": contact.state.value,
        "told_at": contact.told_at.isoformat() if contact.told_at else None,
    }


def _account_document(account: ContactAccount) -> dict[str, Any]:
    """Return an account of a contact as JSON values: bank and branch as they are, whose it is masked."""
    document: dict[str, Any] = {name: getattr(account, name) for name in ContactAccount.model_fields}
    masked = {name: mask_tax_id(document[name]) for name in ("tax_id", "tax_id_manager") if document[name]}
    masked |= {"account_number": mask_account(account.account_number)} if account.account_number else {}
    return document | masked | ({"pix_key": mask_value("pix_key", account.pix_key)} if account.pix_key else {})


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
            {"payee": mask_tax_id(row.tax_id) if row.tax_id else "", "because": row.because.value}
            | _place_of(row.place)
            for row in sync.plan.left_out
        ],
        "not_named": len(sync.plan.not_named),
        "issues": [issue.as_json(report.language) for issue in report.issues],
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


def _place_of(place: PayeeRow) -> dict[str, Any]:
    return {"file": place.file, "sheet": place.sheet or None, "row": place.row or None}
