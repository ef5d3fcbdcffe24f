"""Hold payments to bank accounts whose institution cannot be right, by the service's own list; it costs nothing."""

from collections.abc import Mapping
from typing import Final

from flows.steps.owe import obligations_frame
from schemas.issues import IssueCode
from schemas.plan import Place
from schemas.tables.frames import DataFrame, Record, records
from schemas.tables.obligations import Obligations
from schemas.wire import Institution

_CODE_DIGITS: Final = 3


def hold_unlisted(obligations: DataFrame[Obligations], listed: Mapping[str, Institution]) -> DataFrame[Obligations]:
    """Hold every planned payment to a bank account that the list of institutions speaks against.

    Args:
        obligations: What is owed, after claims.
        listed: ISPB (8 digits) -> institution; nothing is held where the list is empty.
    """
    if not listed:
        return obligations
    rows = records(obligations)
    held = False
    for row in rows:
        code = _fault_of(row, listed)
        if code is not None:
            row |= {"place": Place.HELD.value, "reason": code.value}
            held = True
    return obligations_frame(type(obligations)(rows, columns=list(obligations.columns))) if held else obligations


def has_bank_accounts(obligations: DataFrame[Obligations]) -> bool:
    """Say whether any planned payment goes to a bank account, which the list has something to say of."""
    planned = obligations["place"] == Place.PLANNED.value
    return bool((planned & (obligations["account"] != "") & (obligations["pix_key"] == "")).any())


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


def _fault_of(row: Record, listed: Mapping[str, Institution]) -> IssueCode | None:
    if row["place"] != Place.PLANNED.value or row["pix_key"] or not row["account"]:
        return None
    return fault_of_bank(row["bank_code"], row["psp_id"], listed)
