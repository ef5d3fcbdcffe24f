"""Hold payments to accounts whose institution cannot be right, by a kept list that is believed within limits."""

import datetime as dt
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Final

from schemas.issues import IssueCode
from schemas.obligation import Obligation, Obligations, because
from schemas.plan import Place
from schemas.values.destination import BankAccount
from schemas.values.reading import fold_word
from schemas.wire import Institution

_CODE_DIGITS: Final = 3


def hold_unlisted(obligations: Obligations, listed: Mapping[str, Institution]) -> Obligations:
    """Hold every planned payment to a bank account that the list of institutions speaks against.

    Args:
        obligations: What is owed, after claims.
        listed: ISPB (8 digits) -> institution; nothing is held where the list is empty.
    """
    if not listed:
        return obligations

    def judged(owed: Obligation) -> Obligation:
        account = owed.account
        if owed.place is not Place.PLANNED or not isinstance(account, BankAccount):
            return owed
        code = fault_of_bank(account.bank_code, account.psp_id, listed)
        return replace(owed, place=Place.HELD, reasons=because(code.value)) if code else owed

    return tuple(map(judged, obligations))


def has_bank_accounts(obligations: Iterable[Obligation]) -> bool:
    """Say whether any planned payment goes to a bank account, which the list has something to say of."""
    return any(owed.place is Place.PLANNED and isinstance(owed.account, BankAccount) for owed in obligations)


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
        listed: All.
        name: Part of the name, capitals and accents aside; or the whole code or ISPB; "" for any.
        started_from: Earliest start of operation; one without a readable date does not fit.
        started_to: Latest start of operation.
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
