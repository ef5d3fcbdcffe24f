"""Comparing a job's payees with the service's address book: which contacts to create or change."""

import datetime as dt
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

import pandas as pd

from flows.intake.rules.inputs import Inputs
from schemas.contact_book import ContactState, KnownContact
from schemas.tables.model import records
from schemas.values.bank_account import DESTINATION_COLUMNS, BankAccount, Destination, PixKey, destination_of
from schemas.values.pix_key import read_pix_key, read_pix_key_type
from schemas.values.reading import fold_word
from schemas.wire import ContactAccount

_OWN_COLUMNS: Final = ("name", "email")


class LeftOutBecause(StrEnum):
    """Why no contact is made of a payee.

    Attributes:
        ROW_PROBLEM: its row has problems; `repasse check` tells which.
        NO_NAME: no row says a name.
        NO_EMAIL: no row says an e-mail, and the service's contacts have one.
        ROWS_DIFFER: its rows say different names or e-mails, and no payees table settles it.
    """

    ROW_PROBLEM = "row_problem"
    NO_NAME = "no_name"
    NO_EMAIL = "no_email"
    ROWS_DIFFER = "rows_differ"


@dataclass(frozen=True, slots=True)
class PayeeRow:
    """Where a payee stands, for people; row 0 where no single row is known."""

    file: str = ""
    sheet: str = ""
    row: int = 0


@dataclass(frozen=True, slots=True)
class WantedContact:
    """A contact as a job's rows describe it.

    Attributes:
        destination: Where the payee is paid; None where the rows say none, or several.
    """

    tax_id: str
    name: str
    email: str
    destination: Destination | None
    place: PayeeRow


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A payee of whom no contact is made, and why; `tax_id` is "" where it cannot be read."""

    tax_id: str
    because: LeftOutBecause
    place: PayeeRow


@dataclass(frozen=True, slots=True)
class WantedOfBook:
    """What a job's rows want of the address book, by tax id."""

    contacts: tuple[WantedContact, ...]
    left_out: tuple[LeftOut, ...]

    @property
    def tax_ids(self) -> frozenset[str]:
        """Everybody the rows name, those left out included."""
        return frozenset({contact.tax_id for contact in self.contacts} | {row.tax_id for row in self.left_out})


def wanted_contacts(inputs: Inputs) -> WantedOfBook:
    """Gather a job's payees: the payees table says who somebody is; payments rows say it where it is silent."""
    rows: dict[str, list[Mapping[str, Any]]] = {}
    for row in records(inputs.payments):
        rows.setdefault(row["tax_id"], []).append(row)
    own = {row["tax_id"]: row for row in records(inputs.payees)}
    contacts, left_out = list[WantedContact](), _with_problems(inputs, own.keys() | rows.keys())
    for tax_id in sorted(own.keys() | rows.keys()):
        made = _contact(tax_id, own.get(tax_id), rows.get(tax_id, []))
        if isinstance(made, WantedContact):
            contacts.append(made)
        else:
            left_out.append(made)
    return WantedOfBook(tuple(contacts), tuple(left_out))


def _contact(
    tax_id: str, own: Mapping[str, Any] | None, payments: Sequence[Mapping[str, Any]]
) -> WantedContact | LeftOut:
    place = _place_of(own or payments[0])
    values = {name: _value_in(name, own, payments) for name in _OWN_COLUMNS}
    if None in values.values():
        return LeftOut(tax_id, LeftOutBecause.ROWS_DIFFER, place)
    if not values["name"]:
        return LeftOut(tax_id, LeftOutBecause.NO_NAME, place)
    if not values["email"]:
        return LeftOut(tax_id, LeftOutBecause.NO_EMAIL, place)
    return WantedContact(tax_id, str(values["name"]), str(values["email"]), _destination([own, *payments]), place)


def _value_in(column: str, own: Mapping[str, Any] | None, payments: Iterable[Mapping[str, Any]]) -> str | None:
    """Return what the rows say of a payee; "" for nothing, None where payments rows disagree and nothing settles it."""
    if own is not None and own[column]:
        return str(own[column])
    spellings = {_folded(column, row[column]): str(row[column]) for row in payments if row[column]}
    if len(spellings) > 1:
        return None
    return next(iter(spellings.values()), "")


def _folded(column: str, text: str) -> str:
    """Fold what people spell in many ways: capitals and accents make nobody another."""
    return text.strip().casefold() if column == "email" else fold_word(text)


def _destination(rows: Iterable[Mapping[str, Any] | None]) -> Destination | None:
    """Return the one place a payee is paid at: the payees table's, else what all payments rows agree on."""
    own, *payments = [_read_destination(row) for row in rows]
    if own is not None:
        return own
    found = {payment.fingerprint: payment for payment in payments if payment is not None}
    return next(iter(found.values())) if len(found) == 1 else None


def _read_destination(row: Mapping[str, Any] | None) -> Destination | None:
    return None if row is None else destination_of(**{name: row[name] for name in DESTINATION_COLUMNS})


def _with_problems(inputs: Inputs, sound: Iterable[str]) -> list[LeftOut]:
    known, left = set(sound), list[LeftOut]()
    for row in records(inputs.held_payments[["file", "sheet", "row", "tax_id"]].astype(object)):
        tax_id = str(row["tax_id"])
        if tax_id not in known:
            left.append(LeftOut(tax_id, LeftOutBecause.ROW_PROBLEM, _place_of(row)))
        if tax_id:
            known.add(tax_id)
    left += [
        LeftOut(tax_id, LeftOutBecause.ROW_PROBLEM, PayeeRow())
        for tax_id in sorted(inputs.payee_problems)
        if tax_id not in known
    ]
    return left


def _place_of(row: Mapping[str, Any]) -> PayeeRow:
    return PayeeRow(row["file"], row["sheet"] if not pd.isna(row["sheet"]) else "", int(row["row"]))


_MARKS: Final = re.compile(r"[^0-9A-Z]")


class FavoriteNote(StrEnum):
    """Why no account is marked, where a person may want to know.

    Attributes:
        NO_SUCH_ACCOUNT: none of the accounts the service told is the payee's destination.
    """

    NO_SUCH_ACCOUNT = "no_such_account"
    SEVERAL_ACCOUNTS = "several_accounts"


@dataclass(frozen=True, slots=True)
class Favorite:
    """What to do about the favorite.

    Attributes:
        mark: Id of the account to mark; None when there is nothing to do.
    """

    mark: str | None = None
    note: FavoriteNote | None = None


def choose_favorite(destination: Destination | None, accounts: Sequence[ContactAccount]) -> Favorite:
    """Say which account to mark as favorite: the one that is the destination, unless it is the favorite already.

    Args:
        destination: Where the payee is paid; None where that is not one place.
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
        _plain(theirs) == _plain(ours)
        for theirs, ours in ((account.bank_code, wanted.bank_code), (account.bank_ispb, wanted.psp_id))
        if theirs and ours
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


# A creation without a known answer may still take effect; older than this it has, or never will.
SETTLED_AFTER: Final = dt.timedelta(minutes=10)


class Action(StrEnum):
    """What is to be done about one contact.

    Attributes:
        CREATE: not remembered; looked up, and created where the service has none.
        FINISH: its creation was begun and no answer is known; looked up, and begun anew only when that is safe.
        ASK_AGAIN: nothing to change; asked again on request, to learn its accounts.
        KEEP: nothing to do.
    """

    CREATE = "create"
    FINISH = "finish"
    CHANGE_EMAIL = "change_email"
    ASK_AGAIN = "ask_again"
    KEEP = "keep"


@dataclass(frozen=True, slots=True)
class ContactStep:
    """What is to be done about one payee's contact.

    Attributes:
        may_create: Whether it is created where the service says that there is none.
    """

    wanted: WantedContact
    action: Action
    known: KnownContact | None
    favorite: Favorite
    may_create: bool
    name_differs: bool

    @property
    def calls(self) -> bool:
        return self.action is not Action.KEEP or self.favorite.mark is not None


@dataclass(frozen=True, slots=True)
class ContactsPlan:
    """What a sync would do."""

    steps: tuple[ContactStep, ...]
    left_out: tuple[LeftOut, ...]
    not_named: tuple[KnownContact, ...]

    def count(self, action: Action) -> int:
        return sum(step.action is action for step in self.steps)


def plan_contacts(
    wanted: WantedOfBook, remembered: Mapping[str, KnownContact], now: dt.datetime, *, ask_again: bool = False
) -> ContactsPlan:
    """Hold what the rows want against what is remembered."""
    steps = tuple(
        _step(contact, remembered.get(contact.tax_id), now, ask_again=ask_again) for contact in wanted.contacts
    )
    named = wanted.tax_ids
    not_named = tuple(
        known
        for tax_id, known in sorted(remembered.items())
        if tax_id not in named and known.state is not ContactState.GONE
    )
    return ContactsPlan(steps, wanted.left_out, not_named)


def _step(wanted: WantedContact, known: KnownContact | None, now: dt.datetime, *, ask_again: bool) -> ContactStep:
    action = _action(wanted, known, ask_again=ask_again)
    here = known is not None and known.state is ContactState.KNOWN
    return ContactStep(
        wanted,
        action,
        known,
        favorite=choose_favorite(wanted.destination, known.accounts) if known and here else Favorite(),
        may_create=may_create(known, now),
        name_differs=here and known is not None and differs_in_name(wanted.name, known.name),
    )


def _action(wanted: WantedContact, known: KnownContact | None, *, ask_again: bool) -> Action:
    if known is None or known.state is ContactState.GONE:
        return Action.CREATE
    if known.state is ContactState.CREATING:
        return Action.FINISH
    if not is_same_email(wanted.email, known.email):
        return Action.CHANGE_EMAIL
    return Action.ASK_AGAIN if ask_again else Action.KEEP


def may_create(known: KnownContact | None, now: dt.datetime) -> bool:
    """Say whether a contact may be created once the service says that it has none.

    Not while an earlier creation of it may still be on its way; the next sync will.
    """
    if known is None or known.state is not ContactState.CREATING or known.asked_at is None:
        return True
    return now - known.asked_at >= SETTLED_AFTER


def is_same_email(wanted: str, shown: str | None) -> bool:
    """Compare e-mails as people do: capitals do not make another address."""
    return shown is not None and wanted.strip().casefold() == shown.strip().casefold()


def differs_in_name(wanted: str, shown: str | None) -> bool:
    """Compare names as people read them; a name that was never told does not differ."""
    return bool(shown) and fold_word(wanted) != fold_word(shown or "")
