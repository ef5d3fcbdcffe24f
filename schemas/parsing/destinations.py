"""Destination columns of a row, read together, completed and checked: Pix key or bank account."""

import re
from itertools import islice
from typing import Final

import numpy as np

from schemas.issues import IssueCode
from schemas.messages import Message
from schemas.parsing.cells import CellFinding
from schemas.parsing.draft import Mask, TableDraft
from schemas.values.bank_account import (
    check_account_digit,
    read_account_with_operation,
    read_agency_with_digit,
    with_digit,
)
from schemas.values.pix_key import document_type, key_digest, proposed_key_type, read_pix_key
from schemas.values.reading import fold_word, without_accents

_ACCOUNT_FIELDS = ("bank_code", "psp_id", "agency", "account", "account_type")

_WITHOUT_DIGIT = re.compile(r"(?:sem|s)o?(?:digito|dv)")

_BANK_OF_ZEROS = "001"  # Banco do Brasil, ISPB 00000000


def check_destinations(draft: TableDraft) -> None:
    """Check and complete the destination columns; a destination given partly is checked as given.

    Reads Pix keys by their stated type, names every missing field of an account, lets the payee's name stand in for the
    holder's, and clears account columns beside a Pix key, which alone decides. An ISPB may be missing: the service's
    list of institutions has it for the bank's code.
    """
    key, key_type = draft.given("pix_key"), draft.given("pix_key_type")
    account = draft.given("account")
    bank = np.logical_or.reduce([draft.given(name) for name in _ACCOUNT_FIELDS])
    draft.report(key & (account | draft.given("agency")), None, IssueCode.DESTINATION_CONFLICT)
    key_type = key_type | _take_types(draft, key & ~key_type)
    draft.report(key_type & ~key, "pix_key", IssueCode.PIX_KEY_REQUIRED)
    if draft.payee_data_required:
        draft.report(~key & ~key_type & ~bank, None, IssueCode.DESTINATION_MISSING)
    _report_documents_apart(draft, key & key_type)
    _read_pix_keys(draft, key & key_type)
    _read_by_bank(draft)
    _join_digits(draft, account)
    _complete_accounts(draft, account | (bank & ~key))
    _check_lone_zeros(draft)
    _check_account_digits(draft, account)
    for name in (*_ACCOUNT_FIELDS, "account_holder"):
        draft.canonical[name][key] = ""


def _take_types(draft: TableDraft, untyped: Mask) -> Mask:
    """Give keys the types that people have confirmed, and propose what others show; returns which have one now."""
    typed = np.zeros(len(untyped), dtype=bool)
    keys, types = draft.texts["pix_key"], draft.canonical["pix_key_type"]
    column = "pix_key_type" if "pix_key_type" in draft.evidence else "pix_key"  # a sheet may lack the column
    for position in np.flatnonzero(untyped).tolist():
        shown = proposed_key_type(keys[position], draft.canonical["tax_id"][position] or "")
        known = draft.key_types.known.get(key_digest(keys[position]))
        if kind := known or (shown if draft.key_types.taken else None):
            types[position], typed[position] = kind, True
            draft.findings.append(CellFinding(position, "pix_key", IssueCode.PIX_TYPE_TAKEN))
        elif shown:
            draft.proposed[position] = shown
            facts = {"type": Message(f"pix.{shown}")}
            draft.findings.append(CellFinding(position, column, IssueCode.PIX_TYPE_PROPOSED, facts))
        else:
            draft.findings.append(CellFinding(position, column, IssueCode.PIX_TYPE_REQUIRED))
    return typed


def _report_documents_apart(draft: TableDraft, typed: Mask) -> None:
    """Settle the type of keys that are stated to be a CPF or a CNPJ."""
    types = draft.canonical["pix_key_type"]
    for position in np.flatnonzero(typed & draft.sound("pix_key_type") & (types == "")).tolist():
        owner = draft.canonical["tax_id"][position] or ""
        types[position] = document_type(draft.texts["pix_key"][position], owner) or ""
        if not types[position]:
            draft.findings.append(CellFinding(position, "pix_key_type", IssueCode.PIX_TYPE_UNKNOWN))


def _read_pix_keys(draft: TableDraft, typed: Mask) -> None:
    readable = typed & draft.sound("pix_key_type") & draft.sound("pix_key")
    owners = np.where(draft.sound("tax_id"), draft.canonical["tax_id"], "")
    keys, types = draft.canonical["pix_key"], draft.canonical["pix_key_type"]
    for position in np.flatnonzero(readable).tolist():
        reading = read_pix_key(keys[position], types[position], owners[position])
        keys[position] = reading.value or ""
        if reading.code is not None:
            draft.findings.append(CellFinding(position, "pix_key", reading.code))


def _read_by_bank(draft: TableDraft) -> None:
    """Read agencies with a check digit, and accounts behind an operation, where the bank's own rule proves them."""
    banks, agencies = (draft.canonical[name] for name in ("bank_code", "agency"))
    for column, wrong, stated in (
        ("agency", IssueCode.AGENCY_FORMAT, IssueCode.AGENCY_DIGIT),
        ("account", IssueCode.ACCOUNT_FORMAT, IssueCode.ACCOUNT_OPERATION),
    ):
        for at, found in enumerate(draft.findings):
            if (found.column, found.code) != (column, wrong):
                continue
            text, bank = draft.texts[column][found.position], banks[found.position]
            if column == "agency":
                value = read_agency_with_digit(text, bank)
            else:
                value = read_account_with_operation(text, bank, agencies[found.position])
            if value:
                draft.canonical[column][found.position] = value
                draft.findings[at] = CellFinding(found.position, column, stated)


def _join_digits(draft: TableDraft, account: Mask) -> None:
    """Join accounts and the check digits of a column of their own; hold those that are without one, or have two."""
    says_without = _WITHOUT_DIGIT.search(fold_word(draft.labels["account"])) is not None
    if not says_without and not draft.given("account_digit").any():
        return
    wrong = "account_digit" if "account_digit" in draft.evidence else "account"
    joinable = account & draft.sound("account") & draft.sound("account_digit")
    columns = [draft.canonical[name] for name in ("account", "account_digit", "bank_code", "agency")]
    for position in np.flatnonzero(joinable).tolist():
        account_number, digit, bank, agency = (column[position] for column in columns)
        whole = with_digit(draft.texts["account"][position], account_number, digit, bank, agency)
        if whole is None:
            draft.findings.append(CellFinding(position, wrong, IssueCode.ACCOUNT_DIGIT_FORMAT))
        else:
            columns[0][position] = whole


def _complete_accounts(draft: TableDraft, with_account: Mask) -> None:
    by_code = with_account & ~draft.given("psp_id")
    draft.report(by_code & draft.given("bank_code") & draft.sound("bank_code"), "psp_id", IssueCode.BANK_PSP_LISTED)
    for name in _ACCOUNT_FIELDS:
        if name == "psp_id":
            continue
        missing = with_account & ~draft.given(name)
        draft.report(missing, name, IssueCode.BANK_FIELD_REQUIRED, missing=draft.labels[name])
    holders = draft.canonical["account_holder"]
    defaulted = with_account & ~draft.given("account_holder")
    holders[defaulted] = draft.canonical["name"][defaulted]
    nameless = defaulted & ~draft.given("name")
    if draft.payee_data_required:
        draft.report(nameless, "account_holder", IssueCode.BANK_FIELD_REQUIRED, missing=draft.labels["account_holder"])


def _check_lone_zeros(draft: TableDraft) -> None:
    """Refuse an account's ISPB of fewer than eight zeros where its bank's code is another's: 0 may mean none."""
    texts = draft.texts["psp_id"]
    lone = draft.given("psp_id") & np.array([len(text) < 8 and not text.strip("0.") for text in texts], dtype=bool)
    another = ~draft.given("pix_key") & (draft.canonical["bank_code"] != _BANK_OF_ZEROS)
    draft.report(lone & another, "psp_id", IssueCode.BANK_PSP)


def _check_account_digits(draft: TableDraft, with_account: Mask) -> None:
    needed = ("bank_code", "agency", "account")
    whole = with_account & np.logical_and.reduce([draft.given(name) & draft.sound(name) for name in needed])
    banks, agencies, accounts = (draft.canonical[name] for name in needed)
    for position in np.flatnonzero(whole).tolist():
        if check_account_digit(banks[position], agencies[position], accounts[position]) is False:
            draft.findings.append(CellFinding(position, "account", IssueCode.ACCOUNT_DIGIT))


def report_shared_keys(draft: TableDraft) -> None:
    """Warn of Pix keys that stand beside different people, where one of them may have the other's."""
    people = draft.canonical["tax_id"]
    for positions in draft.groups("pix_key"):
        if len({people[position] for position in positions} - {""}) < 2:
            continue
        others: dict[str, str] = {}
        for position in positions:
            own = people[position]
            if own not in others:
                others[own] = draft.row_list(other for other in positions if people[other] != own)
            draft.findings.append(CellFinding(position, "pix_key", IssueCode.PIX_KEY_SHARED, {"other": others[own]}))


def hold_two_names(draft: TableDraft) -> None:
    """Hold rows of one document under names that have no word in common: one of them is somebody else's."""
    names = [frozenset(_NAME_WORD.findall(without_accents(name))) for name in draft.canonical["name"]]
    for positions in draft.groups("tax_id"):
        first_of: dict[frozenset[str], int] = {}
        for position in positions:
            if names[position]:
                first_of.setdefault(names[position], position)
        if len(first_of) < 2 or frozenset.intersection(*first_of):
            continue
        compared = list(islice(first_of.items(), _MOST_NAMES_COMPARED))
        others = {
            name: draft.row_list(position for other, position in compared if not other & name) for name in first_of
        }
        draft.findings += [
            CellFinding(position, "name", IssueCode.IDENTITY_CONFLICT, {"other": others[names[position]]})
            for position in positions
            if others.get(names[position])
        ]


# Of so many names of one document each is held against the others; nobody has as many.
_MOST_NAMES_COMPARED: Final = 50
_NAME_WORD: Final = re.compile(r"[^\W\d_]{2,}")


def require_names(draft: TableDraft) -> None:
    """Require the payee's name where rows must bring the payee's own data."""
    if draft.payee_data_required:
        draft.report(~draft.given("name") & draft.sound("name"), "name", IssueCode.NAME_REQUIRED)
