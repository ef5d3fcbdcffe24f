"""Which of a contact's accounts is the place a payee is paid at, and so its favorite.

What the service writes into a stored account is not shown beyond examples: texts are compared as people mean them, and
an account that could be two things is never chosen.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from schemas.destination import BankAccount, Destination, PixKey
from schemas.pix_key import read_pix_key, read_pix_key_type
from schemas.wire import ContactAccount

_MARKS: Final = re.compile(r"[^0-9A-Z]")


class FavoriteNote(StrEnum):
    """Why no account is marked, where a person may want to know.

    Attributes:
        NO_SUCH_ACCOUNT: none of the accounts the service told is the payee's destination.
        SEVERAL_ACCOUNTS: several look like it.
    """

    NO_SUCH_ACCOUNT = "no_such_account"
    SEVERAL_ACCOUNTS = "several_accounts"


@dataclass(frozen=True, slots=True)
class Favorite:
    """What to do about the favorite.

    Attributes:
        mark: Id of the account to mark; None when there is nothing to do.
        note: What a person may want to know.
    """

    mark: str | None = None
    note: FavoriteNote | None = None


def choose_favorite(destination: Destination | None, accounts: Sequence[ContactAccount]) -> Favorite:
    """Say which account to mark as favorite: the one that is the destination, unless it is the favorite already.

    Args:
        destination: Where the payee is paid; None where that is not one place.
        accounts: The contact's, as the service last told them.
    """
    if destination is None or not accounts:
        return Favorite()
    same = [account for account in accounts if account.id and _is_same(account, destination)]
    if not same:
        return Favorite(note=FavoriteNote.NO_SUCH_ACCOUNT)
    if any(account.is_favorite for account in same):
        return Favorite()
    if len(same) > 1:
        return Favorite(note=FavoriteNote.SEVERAL_ACCOUNTS)
    return Favorite(mark=same[0].id)


def _is_same(account: ContactAccount, destination: Destination) -> bool:
    if isinstance(destination, PixKey):
        return _is_key(account, destination)
    return _is_account(account, destination)


def _is_key(account: ContactAccount, wanted: PixKey) -> bool:
    """Compare keys as their type reads them; a stated other type is another key, an unknown word states nothing."""
    stated = read_pix_key_type(account.pix_key_type or "").value
    if not account.pix_key or stated not in {None, wanted.key_type}:
        return False
    return read_pix_key(account.pix_key, wanted.key_type).value == wanted.key


def _is_account(account: ContactAccount, wanted: BankAccount) -> bool:
    """Compare bank, agency and number without marks and leading zeros; how a type is worded is not known."""
    banks = [
        _plain(told) == _plain(ours)
        for told, ours in ((account.bank_code, wanted.bank_code), (account.bank_ispb, wanted.psp_id))
        if told and ours
    ]
    same_bank = bool(banks) and all(banks)
    same_agency = _plain(account.agency) == _plain(wanted.agency)
    return same_bank and same_agency and _plain(account.account_number) == _plain(wanted.account) != ""


def _plain(text: str | None) -> str:
    """Keep letters and digits, without leading zeros.

    The bank of ISPB 00000000 is Banco do Brasil, and "" here like its ISPB written as 0: never a missing one, which is
    not compared.
    """
    return _MARKS.sub("", (text or "").upper()).lstrip("0")
