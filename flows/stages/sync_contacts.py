"""Bring the service's address book in step with a job's payees: a preview first, then the calls it lists."""

import datetime as dt
from collections import Counter
from dataclasses import dataclass
from typing import Final

from flows.stages.apply_contacts import ANSWERED, ContactCalls, ContactOutcome, Result
from flows.stages.cells import find_cell
from flows.stages.run import Run
from flows.steps.contacts import ContactsPlan, ContactStep, plan_contacts
from flows.steps.contacts_wanted import SourceRow, wanted_contacts
from schemas.exit_codes import ExitCode
from schemas.issue_texts import make_issue
from schemas.issues import IssueCode

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
    """What a sync would do, and what it did.

    Attributes:
        plan: What it would do.
        outcomes: What came of each step; empty in a preview.
        applied: Whether the service was called.
    """

    plan: ContactsPlan
    outcomes: tuple[ContactOutcome, ...]
    applied: bool

    @property
    def results(self) -> Counter[str]:
        """How many contacts came to which result."""
        return Counter(outcome.result.value for outcome in self.outcomes)

    @property
    def marked(self) -> int:
        """How many favorites were marked."""
        return sum(outcome.marked is not None for outcome in self.outcomes)


def sync_contacts(run: Run, *, apply: bool = False, ask_again: bool = False) -> ContactsSync:
    """Plan a sync of a job's payees, and carry it out when asked to.

    Args:
        run: Has read its files.
        apply: Whether to call the service; a preview reads the ledger alone.
        ask_again: Whether contacts that need no change are asked for their accounts.

    Effects: with `apply`, the calls of the plan, and every answer in the ledger. Nothing is deleted. Safe to repeat:
    what was answered is not asked again.

    Raises:
        AnotherRun: another sync is at work on the same address book.
        ConfigurationError: the environment names another service than the ledger's.
    """
    if not apply:
        return ContactsSync(_plan(run, ask_again=ask_again), (), applied=False)
    refuse_another_service(run)
    run.ledger.leases.take(LEASE, run.owner, LEASE_S)
    try:
        plan = _plan(run, ask_again=ask_again)  # under the lease: what another sync did is known
        outcomes = _carry_out(run, plan)
    finally:
        run.ledger.leases.release(LEASE, run.owner)
    for outcome in outcomes:
        _account_for(run, outcome)
    return ContactsSync(plan, outcomes, applied=True)


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


def _plan(run: Run, *, ask_again: bool) -> ContactsPlan:
    wanted = wanted_contacts(run.require_inputs())
    return plan_contacts(wanted, run.ledger.contacts.all(), run.clock.now(), ask_again=ask_again)


def _carry_out(run: Run, plan: ContactsPlan) -> tuple[ContactOutcome, ...]:
    calls = ContactCalls(run.require_service().api.contacts, run.ledger.contacts)
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


def _account_for(run: Run, outcome: ContactOutcome) -> None:
    """Turn what went wrong with a contact into the run's exit code, and a refusal into an issue at its cells."""
    for result in (outcome.result, outcome.favorite_result):
        if result in _CODES:
            run.codes.add(_CODES[result])
    if outcome.result is Result.REFUSED:
        for field in outcome.refused_fields or ("",):
            _tell_refusal(run, outcome.step, field)


def _tell_refusal(run: Run, step: ContactStep, field: str) -> None:
    place: SourceRow = step.wanted.place
    found = find_cell(run, place.file, place.sheet, place.row, field)
    issue = make_issue(
        IssueCode.CONTACT_REFUSED,
        language=run.language,
        file=place.file,
        sheet=place.sheet or None,
        cell=found.cell,
        row=place.row or None,
        column=found.header or field or None,
    )
    run.issues += [issue] if issue not in run.issues else []
