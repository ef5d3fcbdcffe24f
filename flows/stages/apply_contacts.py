"""The calls of a contacts sync, some at a time: look up first, write down before creating, keep every answer."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import StrEnum
from threading import Lock
from typing import Final

from flows.steps.contacts import Action, ContactStep, differs_in_name
from flows.steps.contacts_favorite import Favorite, choose_favorite
from io_adapters.ledger.contacts import Contacts
from io_adapters.split_api.contacts import ContactsApi
from io_adapters.split_api.errors import NotFound, Refused, RuleBroken, Unanswered
from schemas.contact_book import KnownContact
from schemas.errors import NotSent, RepasseError

AT_A_TIME: Final = 8
UNANSWERED_IN_A_ROW: Final = 5


class Result(StrEnum):
    """What came of a step.

    Attributes:
        CREATED: a new contact.
        FOUND: the service had it already; it has the wanted e-mail now.
        EMAIL_CHANGED: it was known with another e-mail.
        KEPT: nothing about the contact itself had to change.
        WAITING: its creation was begun a moment ago and has no known answer; a later sync looks again.
        REFUSED: the service finds fault with what was sent; nothing happened.
        IN_DOUBT: no answer proves what happened; the next sync looks first.
        NOT_REACHED: certainly nothing was sent.
    """

    CREATED = "created"
    FOUND = "found"
    EMAIL_CHANGED = "email_changed"
    KEPT = "kept"
    WAITING = "waiting"
    REFUSED = "refused"
    IN_DOUBT = "in_doubt"
    NOT_REACHED = "not_reached"


@dataclass(frozen=True, slots=True)
class ContactOutcome:
    """What came of one step.

    Attributes:
        step: Which.
        result: About the contact itself.
        known: What is remembered of it now; None where the service told nothing.
        marked: Id of the account that was made the favorite.
        favorite_result: What went wrong with marking it.
        favorite: What is left to do or to know about the favorite.
        message: What the client says went wrong; nothing personal.
        refused_fields: Names of the fields a refusal is about.
    """

    step: ContactStep
    result: Result
    known: KnownContact | None = None
    marked: str | None = None
    favorite_result: Result | None = None
    favorite: Favorite = Favorite()  # noqa: RUF009 - frozen
    message: str = ""
    refused_fields: tuple[str, ...] = ()

    @property
    def name_differs(self) -> bool:
        """Whether the service knows the contact under another name."""
        return self.known is not None and differs_in_name(self.step.wanted.name, self.known.name)


_MET: Final = {
    Action.CREATE: Result.FOUND,
    Action.FINISH: Result.FOUND,
    Action.CHANGE_EMAIL: Result.EMAIL_CHANGED,
    Action.ASK_AGAIN: Result.KEPT,
}


# What only a service that has contacts can have said.
ANSWERED: Final = frozenset({Result.CREATED, Result.FOUND, Result.EMAIL_CHANGED, Result.REFUSED})


class ContactCalls:
    """Carries steps out.

    Args:
        api: The service's address book.
        book: The ledger's memory of it.
    """

    def __init__(self, api: ContactsApi, book: Contacts) -> None:
        self._api = api
        self._book = book
        self._lock = Lock()
        self._unanswered = 0
        self._unreachable = ""

    def make(self, steps: Sequence[ContactStep]) -> Iterator[ContactOutcome]:
        """Make the calls of steps, in their order; yields what came of each.

        A service that cannot be reached, or that leaves five in a row unanswered, is not called for the rest.
        """
        with ThreadPoolExecutor(AT_A_TIME, thread_name_prefix="contacts") as pool:
            yield from pool.map(self._one, steps)

    def _one(self, step: ContactStep) -> ContactOutcome:
        if self._unreachable:
            return ContactOutcome(step, Result.NOT_REACHED, step.known, message=self._unreachable)
        try:
            result, known = self._bring_about(step)
        except RepasseError as failure:
            result, message, fields = self._explain(failure)
            return ContactOutcome(step, result, step.known, message=message, refused_fields=fields)
        self._answered()
        if known is None or result is Result.WAITING:
            return ContactOutcome(step, result, known)
        return self._mark(step, result, known)

    def _bring_about(self, step: ContactStep) -> tuple[Result, KnownContact | None]:
        """Look a contact up by setting its e-mail, and create it where the service has none."""
        if step.action is Action.KEEP:
            return Result.KEPT, step.known
        wanted = step.wanted
        try:
            answer = self._api.update_email(wanted.email, tax_id=wanted.tax_id)
        except NotFound:
            return self._create(step)
        return _MET[step.action], self._book.told(wanted.tax_id, answer, asked_email=wanted.email)

    def _create(self, step: ContactStep) -> tuple[Result, KnownContact | None]:
        if not step.may_create:
            return Result.WAITING, step.known
        wanted = step.wanted
        self._book.begin(wanted.tax_id)
        try:
            answer = self._api.create(wanted.name, wanted.tax_id, wanted.email)
        except (NotSent, Refused, RuleBroken):
            self._book.not_begun(wanted.tax_id)
            raise
        return Result.CREATED, self._book.told(wanted.tax_id, answer, asked_email=wanted.email)

    def _mark(self, step: ContactStep, result: Result, known: KnownContact) -> ContactOutcome:
        """Mark the favorite among the accounts that are known by now."""
        favorite = choose_favorite(step.wanted.destination, known.accounts)
        if favorite.mark is None:
            return ContactOutcome(step, result, known, favorite=favorite)
        try:
            self._api.mark_favorite(favorite.mark)
        except RepasseError as failure:
            problem, message, _ = self._explain(failure)
            return ContactOutcome(step, result, known, None, problem, favorite, message)
        self._book.favorite(step.wanted.tax_id, favorite.mark)
        return ContactOutcome(step, result, known, marked=favorite.mark)

    def _answered(self) -> None:
        with self._lock:
            self._unanswered = 0

    def _explain(self, failure: RepasseError) -> tuple[Result, str, tuple[str, ...]]:
        """Say what a failure means for its contact; a failure nobody foresaw is raised."""
        match failure:
            case Refused():
                fields = tuple(str(error.loc[-1]) for error in failure.validation_errors if error.loc)
                return Result.REFUSED, failure.message, fields
            case RuleBroken() | NotFound():
                return Result.REFUSED, failure.message, ()
            case NotSent():
                self._unreachable = failure.message
                return Result.NOT_REACHED, failure.message, ()
            case Unanswered():
                with self._lock:
                    self._unanswered += 1
                    if self._unanswered >= UNANSWERED_IN_A_ROW:
                        self._unreachable = failure.message
                return Result.IN_DOUBT, failure.message, ()
            case _:
                raise failure
