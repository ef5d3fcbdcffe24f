"""Comparing bank accounts with the list of institutions: which ISPB they lack, which contradict it."""

import datetime as dt
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final, TypeVar

import pandas as pd

from flows.intake.rules.inputs import Inputs
from schemas.issues import IssueCode
from schemas.obligation import Obligation, Obligations
from schemas.plan import Place
from schemas.reasons import because
from schemas.values.bank_account import BankAccount, bank_named
from schemas.values.reading import fold_word
from schemas.wire import Institution

_CODE_DIGITS: Final = 3
NONE_LISTED: Final[Mapping[str, Institution]] = MappingProxyType({})


def fill_psp_ids(inputs: Inputs, listed: Mapping[str, Institution]) -> Inputs:
    """Give accounts without an ISPB the one that the list has for their bank's code, where it has exactly one.

    Args:
        listed: ISPB (8 digits) -> institution; empty where no list is known.

    Returns:
        The same object where nothing was filled in.
    """
    by_code = _psp_ids(listed)
    payments, payees = _filled(inputs.payments, by_code), _filled(inputs.payees, by_code)
    if payments is inputs.payments and payees is inputs.payees:
        return inputs
    return replace(inputs, payments=payments, payees=payees)


def _psp_ids(listed: Mapping[str, Institution]) -> dict[str, str]:
    """Return bank code -> ISPB, for codes of one institution; of several, one that alone is active."""
    found = defaultdict[str, list[tuple[str, bool]]](list)
    for psp_id, institution in listed.items():
        if code := (institution.compe_number or "").strip():
            found[code.zfill(_CODE_DIGITS)].append((psp_id, institution.is_active is not False))
    active = {code: [psp_id for psp_id, is_active in those if is_active] for code, those in found.items()}
    chosen = {code: active[code] or [psp_id for psp_id, _ in those] for code, those in found.items()}
    return {code: psp_ids[0] for code, psp_ids in chosen.items() if len(psp_ids) == 1}


Rows = TypeVar("Rows", bound=pd.DataFrame)


def _filled(rows: Rows, by_code: Mapping[str, str]) -> Rows:
    psp_ids = rows["bank_code"].map(by_code)
    lacking = (rows["account"] != "") & (rows["psp_id"] == "") & psp_ids.notna()
    return rows.assign(psp_id=rows["psp_id"].mask(lacking, psp_ids)) if lacking.any() else rows


def hold_unlisted(obligations: Obligations, listed: Mapping[str, Institution]) -> Obligations:
    """Hold every planned payment to a bank account without an ISPB, or that the list of institutions speaks against.

    Args:
        listed: ISPB (8 digits) -> institution; an empty list speaks against nobody.
    """

    def judged(obligation: Obligation) -> Obligation:
        account = obligation.account
        if obligation.place is not Place.PLANNED or not isinstance(account, BankAccount):
            return obligation
        code = fault_of_bank(account.bank_code, account.psp_id, listed) if listed else None
        code = code if account.psp_id else IssueCode.BANK_PSP_UNLISTED
        return replace(obligation, place=Place.HELD, reasons=because(code.value)) if code else obligation

    return tuple(map(judged, obligations))


def has_bank_accounts(obligations: Iterable[Obligation]) -> bool:
    """Say whether any payment goes to a bank account of which the list has something to say, its ISPB perhaps."""
    lacking = IssueCode.BANK_PSP_UNLISTED.value
    return any(
        (obligation.place is Place.PLANNED or obligation.reason == lacking)
        and isinstance(obligation.account, BankAccount)
        for obligation in obligations
    )


def fault_of_bank(bank_code: str, psp_id: str, listed: Mapping[str, Institution]) -> IssueCode | None:
    """Say what is wrong with a bank code and an ISPB; None when nothing is, or nothing is known to be.

    An institution that has no code of its own (many only take part in Pix) goes with any; one of which the list does
    not say whether it is active counts as active.

    >>> fault_of_bank("001", "60701190", {"60701190": Institution(ispb_number="60701190", compe_number="341")}).value
    'BANK_MISMATCH'
    """
    institution = listed.get(psp_id)
    if institution is None:
        return IssueCode.BANK_UNKNOWN
    if institution.is_active is False:
        return IssueCode.BANK_INACTIVE
    code = (institution.compe_number or "").strip()
    return IssueCode.BANK_MISMATCH if code and code.zfill(_CODE_DIGITS) != bank_code.zfill(_CODE_DIGITS) else None


def propose_bank(text: str, listed: Mapping[str, Institution]) -> str | None:
    """Return the code of the one bank that a name means; None where it means none, or several.

    Args:
        listed: ISPB -> institution; where it is empty, the names by which people call the largest banks count alone.

    >>> propose_bank("Itaú", {}), propose_bank("1 - Banco do Brasil", {}), propose_bank("Banco da Esquina", {})
    ('341', '001', None)
    """
    name = _CODE_BEFORE_NAME.sub("", text)
    codes = {
        (institution.compe_number or "").strip().zfill(_CODE_DIGITS): _words(institution.name or "")
        for institution in listed.values()
        if (institution.compe_number or "").strip() and institution.is_active is not False
    }
    if code := bank_named(name):
        return code if not listed or code in codes else None
    wanted = _words(name)
    found = [code for code, words in codes.items() if wanted and wanted <= words]
    return found[0] if len(found) == 1 else None


# A code that is not whole says nothing of the name behind it.
_CODE_BEFORE_NAME: Final = re.compile(r"^[0-9]{1,2} *[-–—/|] *")
_SAYS_NOTHING: Final = frozenset({"banco", "bco", "bank", "sa", "s", "a", "do", "da", "de", "e", "brasil"})


def _words(name: str) -> frozenset[str]:
    return frozenset(filter(None, map(fold_word, re.split(r"[^\w]+", name)))) - _SAYS_NOTHING


FRESH_FOR: Final = dt.timedelta(days=1)
USABLE_FOR: Final = dt.timedelta(days=30)
# Institutions come and go one at a time. A list with less than half of what there was has been cut, not thinned.
_SHRUNK: Final = 2


def is_fresh(read_at: dt.datetime | None, now: dt.datetime) -> bool:
    """Say whether a copy need not be read again yet; one from the future was dated by a wrong clock."""
    return read_at is not None and dt.timedelta(0) <= now - read_at < FRESH_FOR


def is_usable(read_at: dt.datetime | None, now: dt.datetime) -> bool:
    """Say whether a copy that could not be read again may still be held against people's rows."""
    return read_at is not None and now - read_at < USABLE_FOR


def is_believable(listed: Collection[Institution], kept: int) -> bool:
    """Say whether a list that was read may take the place of the kept one: a cut list would hold sound accounts."""
    return len(listed) > 0 and len(listed) * _SHRUNK >= kept


def find_institutions(
    listed: Iterable[Institution],
    *,
    name: str = "",
    started_from: dt.date | None = None,
    started_to: dt.date | None = None,
) -> list[Institution]:
    """Find institutions, by name.

    Args:
        name: Part of the name, capitals and accents aside; or the whole code or ISPB; "" for any.
    """
    wanted = fold_word(name)
    found = [
        institution
        for institution in listed
        if (
            not name
            or wanted in fold_word(institution.name or "")
            or name in {institution.compe_number, institution.ispb_number}
        )
        and _started_within(institution, started_from, started_to)
    ]
    return sorted(found, key=lambda institution: (fold_word(institution.name or ""), institution.ispb_number or ""))


def _started_within(institution: Institution, first: dt.date | None, last: dt.date | None) -> bool:
    if first is None and last is None:
        return True
    try:
        started = dt.date.fromisoformat((institution.str_start_date or "")[:10])
    except ValueError:
        return False
    return (first is None or first <= started) and (last is None or started <= last)
