"""Starting a contacts sync, for the command line and for Prefect."""

import secrets
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from flows.address_book.sync import ContactsSync, sync_contacts
from flows.intake.read import read
from flows.opening import open_ledger_of
from flows.payables.judge_inputs import judge_inputs
from flows.run import SYSTEM_CLOCK, Clock, Progress, Run, RunRequest, read_run_request
from flows.runner import opened_service
from flows.settings import Settings, read_settings
from io_adapters.ledger.leases import Owner
from schemas.exit_codes import ExitCode
from schemas.issues import Issue


@dataclass(frozen=True, slots=True)
class ContactsReport:
    """What a sync came to, for whoever started it.

    Attributes:
        job: Name of the job.
        language: Of the job.
        sync: What it would do, and did.
        issues: All problems of the job's files, and refusals of the service.
        exit_code: How it ended.
    """

    job: str
    language: str
    sync: ContactsSync
    issues: tuple[Issue, ...]
    exit_code: ExitCode


def sync_job_contacts(
    job: Path, *, apply: bool, progress: Progress, ask_again: bool = False, clock: Clock = SYSTEM_CLOCK
) -> ContactsReport:
    """Read a job's payees, and preview or carry out a sync of their contacts.

    Args:
        job: The job file.
        apply: Whether to call the service; a preview reads files and ledger alone, and leaves no trace.
        progress: Is told how far it has come.
        ask_again: Whether contacts that need no change are asked for their accounts.
        clock: Tells the time.

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
