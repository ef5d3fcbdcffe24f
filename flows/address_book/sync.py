"""Synchronising the service's address book with a job's payees: a preview, then the calls it lists."""

import datetime as dt
import secrets
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Final

from flows.address_book.rules import (
    Action,
    ContactsPlan,
    ContactStep,
    Favorite,
    PayeeRow,
    WantedContact,
    WantedOfBook,
    choose_favorite,
    differs_in_name,
    plan_contacts,
    wanted_contacts,
)
from flows.house_ledger import open_ledger_of
from flows.intake.intake import Intake, find_cell
from flows.intake.read import read
from flows.intake.rules.inputs import Inputs
from flows.payables.judge_inputs import judge_inputs
from flows.run import SYSTEM_CLOCK, Clock, Progress, Run
from flows.run_request import RunRequest, current_user, read_run_request
from flows.runner import opened_service
from flows.sending.send import send_once
from flows.settings import Settings, read_settings
from io_adapters.ledger.leases import Owner, is_gone
from io_adapters.ledger.outbox import Proof
from io_adapters.payout_api.commands import ContactsApi, CreationAnswer, contact_body
from io_adapters.payout_api.errors import NotFound, RefusedByService, RuleBroken, Unanswered
from schemas.acts import Act, ActKind
from schemas.attempt import AttemptState
from schemas.contact_book import KnownContact
from schemas.errors import BrokenInvariant, ExitCode, NotSent, RepasseError
from schemas.issues import Issue, IssueCode, make_issue
from schemas.messages import Message

AT_A_TIME: Final = 8
UNANSWERED_IN_A_ROW: Final = 5


class Result(StrEnum):
    """What came of a step.

    Attributes:
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
        known: What is remembered of it now; None where the service told nothing.
        message: What the client says went wrong; nothing personal.
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

    Only the creation of a contact is an attempt of the outbox. An e-mail and a favorite are set to a value: a call that
    may have happened is made again by the next sync, and changes nothing then.
    """

    def __init__(self, run: Run) -> None:
        self._run = run
        self._api = run.require_service().api.contacts
        self._book = run.ledger.contacts
        self._lock = Lock()
        self._unanswered = 0
        self._unreachable = ""

    def make(self, steps: Sequence[ContactStep]) -> Iterator[ContactOutcome]:
        """Make the calls of steps, in their order; yields what came of each.

        A service that cannot be reached, or that leaves five in a row unanswered, is not called for the rest.
        """
        with ThreadPoolExecutor(AT_A_TIME, thread_name_prefix="contacts") as pool:
            yield from pool.map(self._outcome_of, steps)

    def _outcome_of(self, step: ContactStep) -> ContactOutcome:
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
        return _MET[step.action], self._book.as_answered(wanted.tax_id, answer, asked_email=wanted.email)

    def _create(self, step: ContactStep) -> tuple[Result, KnownContact | None]:
        if not step.may_create:
            return Result.WAITING, step.known
        wanted = step.wanted
        body = contact_body(wanted.name, wanted.tax_id, wanted.email)
        attempt = self._book.begin(wanted.tax_id, body, self._run.id)
        create = partial(self._api.create, tax_id=wanted.tax_id)
        sent = send_once(self._run, self._book, attempt, create, _proof_of) if attempt else None
        if sent is None:
            return Result.WAITING, step.known
        answer = sent[1]
        if answer.contact is None:
            raise answer.failure or BrokenInvariant("a contact was not created, and nothing says why")
        return Result.CREATED, self._book.as_answered(wanted.tax_id, answer.contact, asked_email=wanted.email)

    def _mark(self, step: ContactStep, result: Result, known: KnownContact) -> ContactOutcome:
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
            case RefusedByService():
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


def _proof_of(answer: CreationAnswer) -> Proof:
    reason = Message("answer.http", status=answer.http_status)
    if answer.failure is not None:
        reason = Message("answer.error", error=answer.failure.content)
    return Proof(AttemptState(answer.outcome.value), reason)


LEASE: Final = "contacts"  # one address book for all jobs
LEASE_S: Final = 900.0
RENEW_AFTER: Final = dt.timedelta(seconds=LEASE_S / 3)

_CODES: Final = {
    Result.REFUSED: ExitCode.REFUSED,
    Result.IN_DOUBT: ExitCode.IN_DOUBT,
    Result.WAITING: ExitCode.IN_DOUBT,
    Result.NOT_REACHED: ExitCode.NOT_SENT,
}


@dataclass(frozen=True, slots=True)
class ContactsSync:
    """What a sync would do, and what it did."""

    plan: ContactsPlan
    outcomes: tuple[ContactOutcome, ...]
    applied: bool

    @property
    def results(self) -> Counter[str]:
        return Counter(outcome.result.value for outcome in self.outcomes)

    @property
    def counts(self) -> Counter[str]:
        """How many contacts came to which result; in a preview, for how many which action is planned."""
        return self.results if self.applied else Counter(step.action.value for step in self.plan.steps)

    @property
    def marked(self) -> int:
        return sum(outcome.marked is not None for outcome in self.outcomes)


def sync_contacts(run: Run, intake: Intake, *, apply: bool = False, ask_again: bool = False) -> ContactsSync:
    """Plan a sync of a job's payees, and carry it out when asked to.

    Effects: with `apply`, the calls of the plan, and every answer in the ledger. Nothing is deleted. Safe to repeat:
    what was answered is not asked again.

    Raises:
        AnotherRun: another sync is at work on the same address book.
        ConfigurationError: the environment names another service than the ledger's.
    """
    if not apply:
        return ContactsSync(_plan(run, intake.inputs, ask_again=ask_again), (), applied=False)
    refuse_another_service(run)
    run.ledger.leases.take(LEASE, run.owner, LEASE_S)
    _record(run, run.request.by, "sync", run.job.job)
    try:
        run.ledger.contacts.doubt_abandoned(lambda owner: is_gone(owner, run.owner))
        plan = _plan(run, intake.inputs, ask_again=ask_again)  # under the lease: what another sync did is known
        outcomes = _carry_out(run, plan)
    finally:
        run.ledger.leases.release(LEASE, run.owner)
    for outcome in outcomes:
        _account_for(run, intake, outcome)
    return ContactsSync(plan, outcomes, applied=True)


def _record(run: Run, by: str, what: str, subject: str) -> None:
    run.ledger.acts.record(Act(ActKind.CHANGE_CONTACTS, by, subject, "", run.clock.now(), {"what": what}))


def refuse_another_service(run: Run) -> None:
    """Refuse to call a service that is not the ledger's; a ledger without one is bound by the first answer.

    Raises:
        ConfigurationError: the environment names another service, or a key nobody accepted.
    """
    if run.ledger.service.current().url:
        _bind(run)


def _bind(run: Run) -> None:
    service = run.require_service()
    run.ledger.service.bind_or_check(service.url, service.key_fingerprint)


def _plan(run: Run, inputs: Inputs, *, ask_again: bool) -> ContactsPlan:
    wanted = wanted_contacts(inputs)
    return plan_contacts(wanted, run.ledger.contacts.all(), run.clock.now(), ask_again=ask_again)


def _carry_out(run: Run, plan: ContactsPlan) -> tuple[ContactOutcome, ...]:
    calls = ContactCalls(run)
    steps = [step for step in plan.steps if step.calls]
    renewed_at, outcomes = run.clock.now(), list[ContactOutcome]()
    for outcome in calls.make(steps):
        if outcome.result in ANSWERED and not run.ledger.service.current().url:
            _bind(run)
        outcomes.append(outcome)
        run.progress.advance("contacts", len(outcomes), len(steps))
        if run.clock.now() - renewed_at > RENEW_AFTER:
            run.ledger.leases.renew(LEASE, run.owner, LEASE_S)
            renewed_at = run.clock.now()
    return tuple(outcomes)


def _account_for(run: Run, intake: Intake, outcome: ContactOutcome) -> None:
    """Turn what went wrong with a contact into the run's exit code, and a refusal into an issue at its cells."""
    for result in (outcome.result, outcome.favorite_result):
        if result in _CODES:
            run.codes.add(_CODES[result])
    if outcome.result is Result.REFUSED:
        for field in outcome.refused_fields or ("",):
            _report_refusal(run, intake, outcome.step, field)


def _report_refusal(run: Run, intake: Intake, step: ContactStep, field: str) -> None:
    place: PayeeRow = step.wanted.place
    found = find_cell(intake, place.file, place.sheet, place.row, field)
    issue = make_issue(
        IssueCode.CONTACT_REFUSED,
        file=place.file,
        sheet=place.sheet or None,
        cell=found.cell,
        row=place.row or None,
        column=found.header or field or None,
    )
    run.issues += [issue] if issue not in run.issues else []


def set_contact(run: Run, tax_id: str, name: str, email: str) -> ContactOutcome:
    """Create one contact, or give the one there is another e-mail; its name the service does not let anybody change.

    Effects: at most two calls; what was answered is on record. Safe to repeat.

    Raises:
        AnotherRun: a sync is at work on the same address book.
        ConfigurationError: the environment names another service than the ledger's.
    """
    wanted = WantedOfBook((WantedContact(tax_id, name, email, None, PayeeRow()),), ())
    with _changing(run, "set", ""):
        run.ledger.contacts.doubt_abandoned(lambda owner: is_gone(owner, run.owner))
        (step,) = plan_contacts(wanted, run.ledger.contacts.of([tax_id]), run.clock.now()).steps
        (outcome,) = ContactCalls(run).make([step])
        if outcome.result in ANSWERED and not run.ledger.service.current().url:
            _bind(run)
    if outcome.result in _CODES:
        run.codes.add(_CODES[outcome.result])
    return outcome


def delete_contact(run: Run, *, contact_id: str | None, tax_id: str | None) -> None:
    """Delete one contact of the service.

    Effects: one DELETE. The deletion is written down first: until a sync finds the contact again, its id is not used,
    whatever became of the call.

    Raises:
        NotFound: the service has no such contact.
        Refused, NotSent: it certainly was not deleted, and stays on record.
        Unanswered: it may have been deleted.
    """
    book = run.ledger.contacts
    known = book.by_id(contact_id) if contact_id else book.of([tax_id or ""]).get(tax_id or "")
    with _changing(run, "delete", contact_id or "") as api:
        if known:
            book.gone(known.tax_id)
        try:
            api.delete(contact_id=contact_id, tax_id=None if contact_id else tax_id)
        except (NotFound, Unanswered):
            raise
        except RepasseError:
            if known:
                book.still_there(known.tax_id)
            raise


def delete_account(run: Run, account_id: str) -> None:
    """Delete one account of a contact; raises as `delete_contact` does."""
    with _changing(run, "delete_account", account_id) as api:
        try:
            api.delete_account(account_id)
        except NotFound:
            _forget_account(run, account_id)
            raise
        _forget_account(run, account_id)


def mark_favorite(run: Run, account_id: str) -> None:
    """Make one account its contact's favorite; raises as `delete_contact` does, and may be repeated at will."""
    with _changing(run, "favorite", account_id) as api:
        api.mark_favorite(account_id)
        owner = run.ledger.contacts.with_account(account_id)
        if owner:
            run.ledger.contacts.favorite(owner.tax_id, account_id)


def _forget_account(run: Run, account_id: str) -> None:
    owner: KnownContact | None = run.ledger.contacts.with_account(account_id)
    if owner:
        run.ledger.contacts.account_gone(owner.tax_id, account_id)


@contextmanager
def _changing(run: Run, what: str, subject: str) -> Iterator[ContactsApi]:
    """Hold the address book against a sync, and make sure that it is the ledger's own service that is called.

    Effects: what somebody asks for is on record before the service is, whatever becomes of the call.
    """
    refuse_another_service(run)
    run.ledger.leases.take(LEASE, run.owner, LEASE_S)
    try:
        _record(run, current_user(), what, subject)
        yield run.require_service().api.contacts
    finally:
        run.ledger.leases.release(LEASE, run.owner)


@dataclass(frozen=True, slots=True)
class ContactsReport:
    """What a sync came to, for whoever started it."""

    job: str
    language: str
    sync: ContactsSync
    issues: tuple[Issue, ...]
    exit_code: ExitCode


def sync_job_contacts(
    job: Path, *, apply: bool, progress: Progress, ask_again: bool = False, clock: Clock = SYSTEM_CLOCK
) -> ContactsReport:
    """Read a job's payees, and preview or carry out a sync of their contacts.

    Raises:
        RepasseError: the job cannot be read, another sync is at work, or the environment names no service.
    """
    order = read_run_request(job)
    with _opened(order, read_settings(), progress, clock, calling=apply) as run:
        intake = judge_inputs(run, read(run))
        progress.stage("contacts")
        sync = sync_contacts(run, intake, apply=apply, ask_again=ask_again)
        return ContactsReport(run.job.job, run.language, sync, tuple(run.issues), run.exit_code)


@contextmanager
def _opened(order: RunRequest, settings: Settings, progress: Progress, clock: Clock, *, calling: bool) -> Iterator[Run]:
    """Open a run that pays nothing: it needs no lease of the job, and is not among its runs."""
    run_id = f"contacts-{clock.now():%Y%m%dT%H%M%S}-{secrets.token_hex(3)}"
    with ExitStack() as exits:
        service = exits.enter_context(opened_service(settings, clock)) if calling else None
        ledger = exits.enter_context(open_ledger_of(settings, create=calling, now=clock.now))
        owner = Owner.current(run_id)
        yield Run(run_id, order, ledger, service, owner, clock, progress, settings.timeout_s)
