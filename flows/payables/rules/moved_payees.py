"""Payees who changed their document, usually from CPF to CNPJ: what the old one had counts as the new one's."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

import pandas as pd

from flows.intake.rules.inputs import Inputs
from flows.payables.rules.obligations import RowsByPayee, account_of
from schemas.issues import Issue, IssueCode, make_issue
from schemas.journal import JournalAccount, to_the_last
from schemas.plan import JobIdentity
from schemas.submission import Claim, FormerPayee
from schemas.tables.model import DataFrame
from schemas.values.names import same_person

# Old document -> new one.
Moves = Mapping[str, str]
_TABLES: Final = ("payments", "shares", "costs", "advances", "guarantees", "opening", "taxes", "invoices")


def moves_of(inputs: Inputs, posted: Moves = MappingProxyType({})) -> Moves:
    """Return who has moved: the document before -> the payee's own, whatever else is wrong with the payee's row.

    Nobody has whose move is itself in question. Who moves again takes along what moved before.

    Args:
        posted: Moves that the journal knows.
    """
    named = [*_moved(inputs.held_payees), *_moved(inputs.payees)]
    problems = inputs.payee_problems.items()
    unclear = {tax_id for tax_id, codes in problems if IssueCode.IDENTITY_CONFLICT in codes.split(",")}
    declared = {before: tax_id for before, tax_id in named if tax_id and not {before, tax_id} & unclear}
    present = {*inputs.payees["tax_id"].tolist(), *inputs.payee_problems}
    moves = to_the_last({old: new for old, new in posted.items() if old not in present} | declared)
    return {old: new for old, new in moves.items() if old in declared or new in present}


def _moved(payees: pd.DataFrame) -> Iterable[tuple[str, str]]:
    rows = payees.loc[payees["previous_tax_id"] != "", ["previous_tax_id", "tax_id"]]
    return rows.itertuples(index=False, name=None)


def gone_payees(claims: Iterable[Claim], inputs: Inputs, posted: Moves) -> dict[str, list[Claim]]:
    """Find who was paid royalties and is in no table any more, under their document or as somebody's before.

    Returns:
        Tax id -> what was claimed for them.
    """
    there = {*inputs.payees["tax_id"].tolist(), *moves_of(inputs, posted), *inputs.payee_problems}
    gone: dict[str, list[Claim]] = {}
    for claim in claims:
        if claim.payee not in there:
            gone.setdefault(claim.payee, []).append(claim)
    return gone


def replaced_payees(
    known: RowsByPayee, formers: Iterable[FormerPayee], paid: Iterable[Claim], period: str
) -> frozenset[str]:
    """Find the payees who may be somebody who was paid under another document: people say whether they are.

    They have the account of the last payment, or the name and the e-mail; and they were not paid themselves: never, or
    not for this period if the other was.

    Returns:
        Tax ids of those in the table.
    """
    gone = list(formers)
    if not gone:
        return frozenset()
    periods: dict[str, set[str]] = {}
    for claim in paid:
        periods.setdefault(claim.payee, set()).add(claim.period)
    found = set[str]()
    for tax_id, row in known.items():
        account = account_of(row)
        is_like = [
            former
            for former in gone
            if (account is not None and account.fingerprint == former.destination)
            or (_person(row["name"], row["email"]) == _person(former.name, former.email) and former.email)
        ]
        own = periods.get(tax_id, set())
        if any(not own or (period in former.periods and period not in own) for former in is_like):
            found.add(tax_id)
    return frozenset(found)


def _person(name: str, email: str) -> tuple[str, str]:
    return same_person(name), email.casefold()


def rename_in_tables(inputs: Inputs, posted: Moves) -> Inputs:
    """Read rows that still bear an old document as the new one's, with a notice of each.

    Returns:
        The same object where no row does.
    """
    moves = moves_of(inputs, posted)
    changes, issues = dict[str, object](), list[Issue]()
    for name in _TABLES if moves else ():
        rows: pd.DataFrame = getattr(inputs, name)
        old = rows["tax_id"].isin(list(moves))
        if old.any():
            changes[name] = DataFrame(rows.assign(tax_id=rows["tax_id"].replace(dict(moves))))
            issues += [
                make_issue(IssueCode.TAXID_MOVED, file=file, sheet=sheet or None, row=row)
                for file, sheet, row in rows.loc[old, ["file", "sheet", "row"]].itertuples(index=False, name=None)
            ]
    if inputs.held_payments["tax_id"].isin(list(moves)).any():
        changes["held_payments"] = inputs.held_payments.assign(
            tax_id=inputs.held_payments["tax_id"].replace(dict(moves))
        )
    for name in ("opening_problems", "advance_problems", "tax_problems"):
        problems: Mapping[str, str] = getattr(inputs, name)
        if moves.keys() & problems.keys():
            changes[name] = {moves.get(tax_id, tax_id): codes for tax_id, codes in problems.items()}
    return replace(inputs, issues=(*inputs.issues, *issues), **changes) if changes else inputs  # type: ignore[arg-type]


def keys_before(
    moves: Moves, identity: JobIdentity, payers: Iterable[str], rows: Iterable[tuple[str, str]]
) -> dict[str, str]:
    """Return the base keys of rows under former documents and numbers of the payer -> those they have now.

    Args:
        moves: Document before -> document since.
    """
    before, found = defaultdict[str, list[str]](list), dict[str, str]()
    for old, new in moves.items():
        before[new].append(old)
    identities = [replace(identity, payer=payer) for payer in payers]
    for tax_id, reference in rows:
        now = identity.payment_key(tax_id, reference)
        for former in identities:
            found |= {former.payment_key(document, reference): now for document in (tax_id, *before[tax_id])}
    return {key: now for key, now in found.items() if key != now}


def renaming(moves: Moves, keys: Mapping[str, str]) -> Callable[[JournalAccount], JournalAccount]:
    """Return what finds the account that one of a former document, or a row under a former key, goes on as."""

    def rename(account: JournalAccount) -> JournalAccount:
        payee, reference = moves.get(account.payee, account.payee), keys.get(account.reference, account.reference)
        return replace(account, payee=payee, reference=reference)

    return rename


def rename_in_claims(
    claims: Iterable[Claim], moves: Moves, identity: JobIdentity, payers: Collection[str], keys: Mapping[str, str]
) -> tuple[Claim, ...]:
    """Return claims under former documents and numbers of the payer as the present ones.

    What was paid to the one is not paid to the other again.
    """

    def present(claim: Claim) -> Claim:
        payee = moves.get(claim.payee, claim.payee)
        if claim.payer not in payers or claim.currency != identity.currency:
            return replace(claim, payee=payee)
        before = replace(identity, payer=claim.payer)
        own = {before.royalty_key(claim.payee): identity.royalty_key(payee), before.owner_key(): identity.owner_key()}
        return replace(claim, payee=payee, base_key=own.get(claim.base_key) or keys.get(claim.base_key, claim.base_key))

    return tuple(map(present, claims))
