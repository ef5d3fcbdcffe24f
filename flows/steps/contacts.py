"""What a job's payees want of the service's address book: create, change the e-mail, mark the favorite, or nothing.

The service can neither list nor fetch contacts. What is known comes from memory and from answers of PUT and POST, so:

* A taxpayer who is not remembered is looked up first, by the one call that answers with a contact and makes none: PUT
  by tax id with the wanted e-mail. Only where the service says that it has no such contact is one created. POST first
  would make a second contact wherever the service does not refuse one, which nobody has promised.
* A creation is written down before the call. Where no answer is known, it is looked up again the same way, and begun
  anew only when the service says so *and* the earlier call is old enough to have had its effect.
* A contact is recognised by its exact tax id alone. Nothing is ever deleted.

PUT may be repeated at will: it sets what it sets. So may marking a favorite.
"""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from flows.steps.contacts_favorite import Favorite, choose_favorite
from flows.steps.contacts_wanted import LeftOut, Wanted, WantedContact
from schemas.contact_book import ContactState, KnownContact
from schemas.words import fold_word

# A creation without a known answer may still take effect; older than this it has, or never will.
SETTLED_AFTER: Final = dt.timedelta(minutes=10)


class Action(StrEnum):
    """What is to be done about one contact.

    Attributes:
        CREATE: not remembered; looked up, and created where the service has none.
        FINISH: its creation was begun and no answer is known; looked up, and begun anew only when that is safe.
        CHANGE_EMAIL: remembered with another e-mail.
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
        wanted: As the rows describe it.
        action: About the contact itself.
        known: What is remembered of it.
        favorite: About its favorite account, as far as its accounts are known now.
        may_create: Whether it is created where the service says that there is none.
        name_differs: Whether the service knows it under another name; no call changes a name.
    """

    wanted: WantedContact
    action: Action
    known: KnownContact | None
    favorite: Favorite
    may_create: bool
    name_differs: bool

    @property
    def calls(self) -> bool:
        """Whether the service would be called."""
        return self.action is not Action.KEEP or self.favorite.mark is not None


@dataclass(frozen=True, slots=True)
class ContactsPlan:
    """What a sync would do.

    Attributes:
        steps: One per contact wanted, by tax id.
        left_out: Payees of whom no contact is made.
        not_named: Contacts remembered, of whoever, that this job's rows do not name; they stay as they are.
    """

    steps: tuple[ContactStep, ...]
    left_out: tuple[LeftOut, ...]
    not_named: tuple[KnownContact, ...]

    def count(self, action: Action) -> int:
        """Count the contacts that one action is planned for."""
        return sum(step.action is action for step in self.steps)


def plan_contacts(
    wanted: Wanted, remembered: Mapping[str, KnownContact], now: dt.datetime, *, ask_again: bool = False
) -> ContactsPlan:
    """Hold what the rows want against what is remembered.

    Args:
        wanted: From `wanted_contacts`.
        remembered: All contacts of the ledger, by tax id.
        now: The present moment.
        ask_again: Whether contacts that need no change are asked for their accounts too.
    """
    steps = tuple(_step(one, remembered.get(one.tax_id), now, ask_again=ask_again) for one in wanted.contacts)
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


def is_same_email(wanted: str, told: str | None) -> bool:
    """Compare e-mails as people do: capitals do not make another address."""
    return told is not None and wanted.strip().casefold() == told.strip().casefold()


def differs_in_name(wanted: str, told: str | None) -> bool:
    """Compare names as people read them; a name that was never told does not differ."""
    return bool(told) and fold_word(wanted) != fold_word(told or "")
