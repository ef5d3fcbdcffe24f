"""Destination columns of a row, read together, completed and checked: Pix key or bank account."""

import re
from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from typing import Final

import numpy as np

from schemas.issues import IssueCode
from schemas.layouts.answers import IGNORED, columns_yaml
from schemas.messages import Message
from schemas.parsing.cells import CellFinding
from schemas.parsing.typed_table import Mask, TypedTable, read_each
from schemas.parsing.unread_columns import where_answered
from schemas.values.bank_account import (
    check_account_digit,
    read_account_with_operation,
    read_agency_with_digit,
    with_digit,
)
from schemas.values.pix_key import document_type, key_digest, proposed_key_type, read_pix_key, written_key
from schemas.values.reading import fold_word, without_accents
from schemas.values.tax_id import kind_of

_ACCOUNT_FIELDS = ("bank_code", "psp_id", "agency", "account", "account_type")

_WITHOUT_DIGIT = re.compile(r"(?:sem|s)o?(?:digito|dv)")

_BANK_OF_ZEROS = "001"  # Banco do Brasil, ISPB 00000000


def check_destinations(table: TypedTable) -> TypedTable:
    """Check and complete the destination columns; a destination given partly is checked as given.

    Reads Pix keys by their stated type, names every missing field of an account, lets the payee's name stand in for the
    holder's, and clears account columns beside a Pix key, which alone decides. An ISPB may be missing: the service's
    list of institutions has it for the bank's code.
    """
    key, account = table.given("pix_key"), table.given("account")
    stated = table.given("pix_key_type")
    bank = np.logical_or.reduce([table.given(name) for name in _ACCOUNT_FIELDS])
    table = _hold_two_destinations(table, key, account | table.given("agency"))
    table, taken = _take_types(table, key & ~stated)
    typed = stated | taken
    table = table.flag(typed & ~key, "pix_key", IssueCode.PIX_KEY_REQUIRED)
    if table.payee_data_required:
        table = table.flag(~key & ~typed & ~bank, None, IssueCode.DESTINATION_MISSING)
    table = _read_pix_keys(_tell_documents_apart(table, key & typed), key & typed)
    table = _join_digits(_read_by_bank(table), account)
    table = _complete_accounts(table, account | (bank & ~key))
    table = _check_account_digits(_check_lone_zeros(table), account)
    return table.assign(
        **{name: np.where(key, "", table.canonical[name]) for name in (*_ACCOUNT_FIELDS, "account_holder")}
    )


def _hold_two_destinations(table: TypedTable, key: Mask, account: Mask) -> TypedTable:
    """Hold rows with a key and an account; where no row has an account alone, one answer for the sheet pays by Pix."""
    both = key & account
    whole: Message | str = ""
    if both.any() and not (account & ~key).any():
        headers = {
            table.labels[name]: IGNORED for name in (*_ACCOUNT_FIELDS, "account_digit") if table.given(name).any()
        }
        where = where_answered("payments" if "amount" in table.canonical else "payees")
        whole = Message("destination.whole_sheet", where=where, answer=f"columns: {columns_yaml(headers)}")
    facts = {"whole": whole}
    return table.add(
        CellFinding(at, None, IssueCode.DESTINATION_CONFLICT, facts) for at in np.flatnonzero(both).tolist()
    )


def _take_types(table: TypedTable, untyped: Mask) -> tuple[TypedTable, Mask]:
    """Give keys the types that people have confirmed, and propose what others show; tell which keys were given one."""
    typed = np.zeros(len(untyped), dtype=bool)
    keys, types = table.texts["pix_key"], table.canonical["pix_key_type"].copy()
    column = "pix_key_type" if "pix_key_type" in table.evidence else "pix_key"  # a sheet may lack the column
    proposed: dict[int, str] = {}
    findings = []
    for position in np.flatnonzero(untyped).tolist():
        shown = proposed_key_type(keys[position], *_payee_at(table, position), table.labels["pix_key"])
        known = table.key_types.known.get(key_digest(keys[position]))
        if kind := known or (shown if table.key_types.taken else None):
            types[position], typed[position] = kind, True
            findings.append(CellFinding(position, "pix_key", IssueCode.PIX_TYPE_TAKEN))
        elif shown:
            proposed[position] = shown
            facts = {"type": Message(f"pix.{shown}")}
            findings.append(CellFinding(position, column, IssueCode.PIX_TYPE_PROPOSED, facts))
        else:
            findings.append(CellFinding(position, column, IssueCode.PIX_TYPE_REQUIRED))
    return replace(table.assign(pix_key_type=types), proposed=proposed).add(findings), typed


def _payee_at(table: TypedTable, position: int) -> tuple[str, str]:
    """Return the document and the e-mail of a row; "" for what it does not say."""
    emails = table.canonical.get("email")
    return table.canonical["tax_id"][position] or "", (emails[position] if emails is not None else "") or ""


def _tell_documents_apart(table: TypedTable, typed: Mask) -> TypedTable:
    types = table.canonical["pix_key_type"].copy()
    unknown = np.zeros(len(types), dtype=bool)
    for position in np.flatnonzero(typed & table.sound("pix_key_type") & (types == "")).tolist():
        owner, email = _payee_at(table, position)
        types[position] = document_type(written_key(table.texts["pix_key"][position], owner, email).text, owner) or ""
        unknown[position] = not types[position]
    return table.assign(pix_key_type=types).flag(unknown, "pix_key_type", IssueCode.PIX_TYPE_UNKNOWN)


def _read_pix_keys(table: TypedTable, typed: Mask) -> TypedTable:
    readable = typed & table.sound("pix_key_type") & table.sound("pix_key")
    owners = np.where(table.sound("tax_id"), table.canonical["tax_id"], "")
    keys, types = table.canonical["pix_key"].copy(), table.canonical["pix_key_type"]
    kinds = np.array(read_each(owners, lambda owner: kind_of(owner) if owner else ""), dtype=object)
    # The payee's own document, as the document column has it, is what it is: most keys are.
    is_own = np.asarray((keys == owners) & (types == kinds), dtype=bool)
    findings = []
    for position in np.flatnonzero(readable & ~is_own).tolist():
        written = written_key(keys[position], *_payee_at(table, position))
        is_named = written.named in {None, types[position]}  # else the cell says another type than its column
        text = written.text if is_named else keys[position]
        reading = read_pix_key(text, types[position], owners[position])
        keys[position] = reading.value or ""
        if reading.code is not None:
            findings.append(CellFinding(position, "pix_key", reading.code))
    return table.assign(pix_key=keys).add(findings)


def _read_by_bank(table: TypedTable) -> TypedTable:
    """Read agencies with a check digit, then accounts behind an operation, where the bank's own rule proves them."""
    banks = table.canonical["bank_code"]
    table = _read_again(
        table,
        "agency",
        (IssueCode.AGENCY_FORMAT, IssueCode.AGENCY_DIGIT),
        lambda text, position: read_agency_with_digit(text, banks[position]),
    )
    agencies = table.canonical["agency"]
    return _read_again(
        table,
        "account",
        (IssueCode.ACCOUNT_FORMAT, IssueCode.ACCOUNT_OPERATION),
        lambda text, position: read_account_with_operation(text, banks[position], agencies[position]),
    )


def _read_again(
    table: TypedTable, column: str, codes: tuple[IssueCode, IssueCode], read: Callable[[str, int], str | None]
) -> TypedTable:
    """Read the cells of a column that one code refused in another way."""
    refused, understood = codes
    values = table.canonical[column].copy()
    findings = list(table.findings)
    for at, found in enumerate(findings):
        if (found.column, found.code) != (column, refused):
            continue
        if value := read(table.texts[column][found.position], found.position):
            values[found.position] = value
            findings[at] = CellFinding(found.position, column, understood)
    return replace(table.assign(**{column: values}), findings=findings)


def _join_digits(table: TypedTable, account: Mask) -> TypedTable:
    """Join accounts and the check digits of a column of their own; hold those that are without one, or have two."""
    says_without = _WITHOUT_DIGIT.search(fold_word(table.labels["account"])) is not None
    if not says_without and not table.given("account_digit").any():
        return table
    wrong = "account_digit" if "account_digit" in table.evidence else "account"
    joinable = account & table.sound("account") & table.sound("account_digit")
    digits, banks, agencies = (table.canonical[name] for name in ("account_digit", "bank_code", "agency"))
    accounts = table.canonical["account"].copy()
    alone = np.zeros(len(accounts), dtype=bool)
    for at in np.flatnonzero(joinable).tolist():
        whole = with_digit(table.texts["account"][at], accounts[at], digits[at], banks[at], agencies[at])
        if whole is None:
            alone[at] = True
        else:
            accounts[at] = whole
    return table.assign(account=accounts).flag(alone, wrong, IssueCode.ACCOUNT_DIGIT_FORMAT)


def _complete_accounts(table: TypedTable, with_account: Mask) -> TypedTable:
    by_code = with_account & ~table.given("psp_id") & table.given("bank_code") & table.sound("bank_code")
    table = table.flag(by_code, "psp_id", IssueCode.BANK_PSP_LISTED)
    for name in _ACCOUNT_FIELDS:
        if name != "psp_id":
            missing = with_account & ~table.given(name)
            table = table.flag(missing, name, IssueCode.BANK_FIELD_REQUIRED, missing=table.labels[name])
    defaulted = with_account & ~table.given("account_holder")
    holders = np.where(defaulted, table.canonical["name"], table.canonical["account_holder"])
    table = table.assign(account_holder=holders)
    if not table.payee_data_required:
        return table
    nameless = defaulted & ~table.given("name")
    return table.flag(nameless, "account_holder", IssueCode.BANK_FIELD_REQUIRED, missing=table.labels["account_holder"])


def _check_lone_zeros(table: TypedTable) -> TypedTable:
    """Refuse an account's ISPB of fewer than eight zeros where its bank's code is another's: 0 may mean none."""
    texts = table.texts["psp_id"]
    lone = table.given("psp_id") & np.array([len(text) < 8 and not text.strip("0.") for text in texts], dtype=bool)
    another = ~table.given("pix_key") & (table.canonical["bank_code"] != _BANK_OF_ZEROS)
    return table.flag(lone & another, "psp_id", IssueCode.BANK_PSP)


def _check_account_digits(table: TypedTable, with_account: Mask) -> TypedTable:
    needed = ("bank_code", "agency", "account")
    whole = with_account & np.logical_and.reduce([table.given(name) & table.sound(name) for name in needed])
    banks, agencies, accounts = (table.canonical[name] for name in needed)
    wrong = np.zeros(len(whole), dtype=bool)
    for at in np.flatnonzero(whole).tolist():
        wrong[at] = check_account_digit(banks[at], agencies[at], accounts[at]) is False
    return table.flag(wrong, "account", IssueCode.ACCOUNT_DIGIT)


def flag_shared_keys(table: TypedTable) -> TypedTable:
    people = table.canonical["tax_id"]
    findings = []
    for positions in table.groups("pix_key"):
        if len({people[position] for position in positions} - {""}) < 2:
            continue
        others: dict[str, str] = {}
        for position in positions:
            own = people[position]
            if own not in others:
                others[own] = table.row_list(other for other in positions if people[other] != own)
            findings.append(CellFinding(position, "pix_key", IssueCode.PIX_KEY_SHARED, {"other": others[own]}))
    return table.add(findings)


def hold_two_names(table: TypedTable) -> TypedTable:
    """Hold rows of one document under names that have no word in common: one of them is somebody else's."""
    names = [frozenset(_NAME_WORD.findall(without_accents(name))) for name in table.canonical["name"]]
    findings: list[CellFinding] = []
    for positions in table.groups("tax_id"):
        first_of: dict[frozenset[str], int] = {}
        for position in positions:
            if names[position]:
                first_of.setdefault(names[position], position)
        if len(first_of) < 2 or frozenset.intersection(*first_of):
            continue
        compared = list(islice(first_of.items(), _MOST_NAMES_COMPARED))
        others = {
            name: table.row_list(position for other, position in compared if not other & name) for name in first_of
        }
        findings += [
            CellFinding(position, "name", IssueCode.IDENTITY_CONFLICT, {"other": others[names[position]]})
            for position in positions
            if others.get(names[position])
        ]
    return table.add(findings)


# Of so many names of one document each is held against the others; nobody has as many.
_MOST_NAMES_COMPARED: Final = 50
_NAME_WORD: Final = re.compile(r"[^\W\d_]{2,}")


def require_names(table: TypedTable) -> TypedTable:
    """Require the payee's name where rows must bring the payee's own data."""
    if not table.payee_data_required:
        return table
    return table.flag(~table.given("name") & table.sound("name"), "name", IssueCode.NAME_REQUIRED)
