"""Printing contacts: masked, problems first, long lists cut; complete in a JSON document."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.table import Table

from flows.address_book.rules import Action, ContactStep, LeftOut, PayeeRow
from flows.address_book.sync import ContactOutcome, ContactsReport, Result
from flows.cli.printing import show_issues
from schemas.contact_book import KnownContact
from schemas.issues import IssueCode
from schemas.messages import render
from schemas.values.masking import mask_email, mask_name, mask_tax_id

SHOWN: Final = 50
_WENT_WELL: Final = frozenset({Result.CREATED, Result.FOUND, Result.EMAIL_CHANGED, Result.KEPT})


def show_sync(console: Console, report: ContactsReport, job: Path) -> None:
    """Print what a sync would do, or what it did."""
    language, sync = report.language, report.sync
    refused = [issue for issue in report.issues if issue.code is IssueCode.CONTACT_REFUSED]
    show_issues(console, refused, "--json", language)
    if sync.applied:
        _show_lines(
            console, [_outcome_line(outcome, language) for outcome in sync.outcomes if _wants_a_look(outcome)], language
        )
        for result, count in sorted(sync.results.items()):
            console.print(f"{count:6}  {render(f'contacts.result.{result}', language)}")
        if sync.marked:
            console.print(f"{sync.marked:6}  {render('contacts.favorite.marked', language)}")
    else:
        _show_lines(console, [_step_line(step, language) for step in sync.plan.steps if step.calls], language)
        for action in Action:
            if count := sync.plan.count(action):
                console.print(f"{count:6}  {render(f'contacts.action.{action}', language)}")
        if count := sum(step.favorite.mark is not None for step in sync.plan.steps):
            console.print(f"{count:6}  {render('contacts.action.favorite', language)}")
    _show_names(console, report)
    _show_left_out(console, sync.plan.left_out, language)
    if sync.plan.not_named:
        console.print(render("contacts.not_named", language, count=len(sync.plan.not_named)), soft_wrap=True)
    if not any(step.calls for step in sync.plan.steps):
        console.print(render("contacts.nothing", language), soft_wrap=True)
    elif not sync.applied:
        console.print(render("contacts.preview", language, job=job), soft_wrap=True, markup=False)


def _show_lines(console: Console, lines: Sequence[str], language: str) -> None:
    for line in lines[:SHOWN]:
        console.print(f"  {line}", soft_wrap=True, markup=False)
    if len(lines) > SHOWN:
        console.print("  " + render("contacts.more", language, count=len(lines) - SHOWN))


def _step_line(step: ContactStep, language: str) -> str:
    parts = [] if step.action is Action.KEEP else [render(f"contacts.action.{step.action}", language)]
    if step.favorite.mark:
        parts.append(render("contacts.action.favorite", language))
    return f"{_who(step)}: {'; '.join(parts)}"


def _wants_a_look(outcome: ContactOutcome) -> bool:
    """Say whether a person may have something to do about a contact; those that went well are only counted."""
    nameless = outcome.known is None or outcome.known.contact_id is None
    return nameless or outcome.result not in _WENT_WELL or bool(outcome.favorite_result or outcome.favorite.note)


def _outcome_line(outcome: ContactOutcome, language: str) -> str:
    parts = [render(f"contacts.result.{outcome.result}", language)]
    if outcome.marked:
        parts.append(render("contacts.favorite.marked", language))
    if outcome.favorite_result:
        why = render(f"contacts.result.{outcome.favorite_result}", language)
        parts.append(render("contacts.favorite.failed", language, why=why))
    if outcome.favorite.note:
        parts.append(render(f"contacts.favorite.{outcome.favorite.note}", language))
    if outcome.known and not outcome.known.contact_id and not outcome.message:
        parts.append(render("contacts.no_id", language))
    if outcome.message:
        parts.append(outcome.message)
    return f"{_who(outcome.step)}: {'; '.join(parts)}"


def _show_names(console: Console, report: ContactsReport) -> None:
    """Tell of names the service has otherwise; no call changes one."""
    if report.sync.applied:
        pairs = [(outcome.step, outcome.known) for outcome in report.sync.outcomes if outcome.name_differs]
    else:
        pairs = [(step, step.known) for step in report.sync.plan.steps if step.name_differs]
    named = [(step, mask_name(known.name or "") if known else "") for step, known in pairs]
    lines = [f"{_who(step)}: {render('contacts.name_differs', report.language, name=name)}" for step, name in named]
    _show_lines(console, lines, report.language)


def _show_left_out(console: Console, left_out: Sequence[LeftOut], language: str) -> None:
    if not left_out:
        return
    console.print(render("contacts.left_out", language, count=len(left_out)))
    lines = [
        f"{' '.join(filter(None, (_place(row.place, language), mask_tax_id(row.tax_id) if row.tax_id else '')))}: "
        f"{render(f'contacts.left_out.{row.because}', language)}"
        for row in left_out
    ]
    _show_lines(console, lines, language)


def _place(place: PayeeRow, language: str) -> str:
    return render("contacts.place", language, file=place.file, row=place.row) if place.row else place.file


def _who(step: ContactStep) -> str:
    return f"{mask_name(step.wanted.name)} ({mask_tax_id(step.wanted.tax_id)})"


def show_known(console: Console, known: Sequence[KnownContact]) -> None:
    """Print what is remembered of contacts."""
    table = Table(show_edge=False, pad_edge=False)
    for name in ("contact", "payee", "tax id", "e-mail", "accounts", "favorite", "state"):
        table.add_column(name, overflow="fold")
    for contact in known:
        ids = ", ".join(account.id for account in contact.accounts if account.id)
        table.add_row(
            contact.contact_id or "-",
            mask_name(contact.name) if contact.name else "-",
            mask_tax_id(contact.tax_id),
            mask_email(contact.email) if contact.email else "-",
            ids or "-",
            contact.favorite_account_id or "-",
            contact.state.value,
        )
    console.print(table)


def known_document(contact: KnownContact) -> dict[str, Any]:
    """Return what is remembered of a contact as JSON values, masked."""
    return {
        "contact_id": contact.contact_id,
        "name": mask_name(contact.name) if contact.name else None,
        "tax_id": mask_tax_id(contact.tax_id),
        "email": mask_email(contact.email) if contact.email else None,
        "accounts": [account.id for account in contact.accounts],
        "favorite": contact.favorite_account_id,
        "state": contact.state.value,
        "told_at": contact.told_at.isoformat() if contact.told_at else None,
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
