"""The destination of each row: one Pix key of a stated type, or one whole bank account."""

import numpy as np

from schemas.issues import IssueCode
from schemas.tables.cells import Finding
from schemas.tables.draft import Draft, Mask
from schemas.values.bank_account import check_account_digit
from schemas.values.pix_key import read_pix_key

_ACCOUNT_FIELDS = ("bank_code", "psp_id", "agency", "account", "account_type")

_BANK_OF_ZEROS = "001"  # Banco do Brasil, ISPB 00000000


def check_destinations(draft: Draft) -> None:
    """Check and complete the destination columns; a destination given partly is checked as given.

    Reads Pix keys by their stated type, names every missing field of an account, lets the payee's name stand in for the
    holder's, and clears account columns beside a Pix key, which alone decides.
    """
    key, key_type = draft.given("pix_key"), draft.given("pix_key_type")
    account = draft.given("account")
    bank = np.logical_or.reduce([draft.given(name) for name in _ACCOUNT_FIELDS])
    draft.report(key & (account | draft.given("agency")), None, IssueCode.DESTINATION_CONFLICT)
    draft.report(key & ~key_type, "pix_key_type", IssueCode.PIX_TYPE_REQUIRED)
    draft.report(key_type & ~key, "pix_key", IssueCode.PIX_KEY_REQUIRED)
    if draft.payee_data_required:
        draft.report(~key & ~key_type & ~bank, None, IssueCode.DESTINATION_MISSING)
    _read_pix_keys(draft, key & key_type)
    _complete_accounts(draft, account | (bank & ~key))
    _check_lone_zeros(draft)
    _check_account_digits(draft, account)
    for name in (*_ACCOUNT_FIELDS, "account_holder"):
        draft.canonical[name][key] = ""


def _read_pix_keys(draft: Draft, typed: Mask) -> None:
    readable = typed & draft.sound("pix_key_type") & draft.sound("pix_key")
    owners = np.where(draft.sound("tax_id"), draft.canonical["tax_id"], "")
    keys, types = draft.canonical["pix_key"], draft.canonical["pix_key_type"]
    for position in np.flatnonzero(readable).tolist():
        reading = read_pix_key(keys[position], types[position], owners[position])
        keys[position] = reading.value or ""
        if reading.code is not None:
            draft.findings.append(Finding(position, "pix_key", reading.code))


def _complete_accounts(draft: Draft, with_account: Mask) -> None:
    for name in _ACCOUNT_FIELDS:
        missing = with_account & ~draft.given(name)
        draft.report(missing, name, IssueCode.BANK_FIELD_REQUIRED, missing=draft.labels[name])
    holders = draft.canonical["account_holder"]
    defaulted = with_account & ~draft.given("account_holder")
    holders[defaulted] = draft.canonical["name"][defaulted]
    nameless = defaulted & ~draft.given("name")
    if draft.payee_data_required:
        draft.report(nameless, "account_holder", IssueCode.BANK_FIELD_REQUIRED, missing=draft.labels["account_holder"])


def _check_lone_zeros(draft: Draft) -> None:
    """Refuse an account's ISPB of fewer than eight zeros where its bank's code is another's: 0 may mean none."""
    texts = draft.texts["psp_id"]
    lone = draft.given("psp_id") & np.array([len(text) < 8 and not text.strip("0.") for text in texts], dtype=bool)
    another = ~draft.given("pix_key") & (draft.canonical["bank_code"] != _BANK_OF_ZEROS)
    draft.report(lone & another, "psp_id", IssueCode.BANK_PSP)


def _check_account_digits(draft: Draft, with_account: Mask) -> None:
    needed = ("bank_code", "agency", "account")
    whole = with_account & np.logical_and.reduce([draft.given(name) & draft.sound(name) for name in needed])
    banks, agencies, accounts = (draft.canonical[name] for name in needed)
    for position in np.flatnonzero(whole).tolist():
        if check_account_digit(banks[position], agencies[position], accounts[position]) is False:
            draft.findings.append(Finding(position, "account", IssueCode.ACCOUNT_DIGIT))


def require_names(draft: Draft) -> None:
    """Require the payee's name where rows must bring the payee's own data."""
    if draft.payee_data_required:
        draft.report(~draft.given("name") & draft.sound("name"), "name", IssueCode.NAME_REQUIRED)
