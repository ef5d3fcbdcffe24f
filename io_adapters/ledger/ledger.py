"""The ledger: the durable record of obligations, plans, approvals, submissions, reports, checks and carry-overs."""

import datetime as dt
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError

from io_adapters.ledger.account_checks import AccountChecks, CheckRequests
from io_adapters.ledger.acts import Acts, ChainHead
from io_adapters.ledger.approvals import Approvals
from io_adapters.ledger.authors import ContentAuthors
from io_adapters.ledger.bank import Bank
from io_adapters.ledger.claims import Claims
from io_adapters.ledger.contacts import Contacts
from io_adapters.ledger.decisions import Decisions, Freezes, Holds
from io_adapters.ledger.desk import (
    DeskLaunches,
    DeskSessions,
    DeskUploads,
    DeskUsers,
    FirstDecisions,
    JobVersions,
    SignInAttempts,
)
from io_adapters.ledger.directory import Institutions, ServiceBinding, Webhooks
from io_adapters.ledger.engine import NO_KEY, Database, Seal, bring_up_to_date, is_memory, make_engine, prepare_file
from io_adapters.ledger.exchange_updates import ExchangeUpdates
from io_adapters.ledger.files import CorrectedRows, Files, PayeeNames, PixKeyTypes, Sources
from io_adapters.ledger.funding import Fundings
from io_adapters.ledger.journal import Journal
from io_adapters.ledger.leases import Leases
from io_adapters.ledger.plans import DecisionRules, PaidHistory, Plans, PlanViews
from io_adapters.ledger.reports import Reports
from io_adapters.ledger.returns import Returns
from io_adapters.ledger.runs import Runs
from io_adapters.ledger.statement_mails import MailAddresses, StatementMails
from io_adapters.ledger.submissions import Submissions
from io_adapters.ledger.tables import metadata
from io_adapters.ledger.views import Views
from schemas.approval import PolicyOnRecord
from schemas.errors import ConfigurationError
from schemas.job import BRASILIA
from schemas.messages import Message


class Ledger:
    """All subjects of the record. Safe to share between threads; each process opens its own."""

    def __init__(
        self, database: Database, head: ChainHead, policy: Callable[[], PolicyOnRecord | None] = lambda: None
    ) -> None:
        self._database = database
        self.service = ServiceBinding(database)
        self.runs = Runs(database)
        self.leases = Leases(database)
        self.files = Files(database)
        self.acts = Acts(database, head)
        self.corrected_rows = CorrectedRows(database)
        self.sources = Sources(database)
        self.pix_key_types = PixKeyTypes(database)
        self.plans = Plans(database)
        self.approvals = Approvals(database)
        self.submissions = Submissions(database)
        self.claims = Claims(database)
        self.history = PaidHistory(database)
        self.payee_names = PayeeNames(database)
        self.reports = Reports(database)
        self.returns = Returns(database)
        self.fundings = Fundings(database)
        self.bank = Bank(database)
        self.exchange_updates = ExchangeUpdates(database)
        self.checks = AccountChecks(database)
        self.check_requests = CheckRequests(database)
        self.decisions = Decisions(database)
        self.journal = Journal(database)
        self.views = Views(database)
        self.hold = Holds(database)
        self.freeze = Freezes(database)
        self.contacts = Contacts(database)
        self.institutions = Institutions(database)
        self.webhooks = Webhooks(database)
        self.plan_views = PlanViews(database)
        self.decision_rules = DecisionRules(database, policy)
        self.first_decisions = FirstDecisions(database)
        self.desk_users = DeskUsers(database)
        self.desk_sessions = DeskSessions(database)
        self.sign_in_attempts = SignInAttempts(database)
        self.desk_uploads = DeskUploads(database)
        self.authors = ContentAuthors(database)
        self.desk_launches = DeskLaunches(database)
        self.job_versions = JobVersions(database)
        self.statement_mails = StatementMails(database)
        self.mail_addresses = MailAddresses(database)
        self.tag = self.service.ensure_tag()

    def now(self) -> dt.datetime:
        """Tell the time as everything in the ledger is dated by it (UTC)."""
        return self._database.now()

    def today(self) -> dt.date:
        """Tell the day in Brazil, by which entries are booked."""
        return self.now().astimezone(BRASILIA).date()

    def close(self) -> None:
        self._database.engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def open_ledger(
    url: str,
    *,
    clock: Callable[[], dt.datetime],
    create: bool = True,
    policy: Callable[[], PolicyOnRecord | None] = lambda: None,
    seal: Seal = NO_KEY,
    head_of_acts: Path | None = None,
) -> Ledger:
    """Open the ledger, create it where it is missing, and bring its schema up to date.

    Args:
        policy: Returns the house's policy, which no job can undercut; None for none.
        head_of_acts: File in which the end of the chain of acts is kept beside the ledger.

    Raises:
        ConfigurationError: the database cannot be reached, or is not one of those two, or not a ledger.
        AnotherRun: the ledger was written by a newer program, or before the first release.
    """
    try:
        where = make_url(url)
    except ArgumentError:
        raise ConfigurationError(Message("error.ledger_url")) from None
    file = _file_of(where)
    if file is not None and not create and not file.exists():
        where, file = make_url("sqlite://"), None
    if file is not None:
        prepare_file(file)
    seal = NO_KEY if is_memory(where) else seal
    head = ChainHead(None if is_memory(where) else head_of_acts, seal)
    database = Database(make_engine(where), clock, seal, head.keep, head.require_whole, head.is_there)
    try:
        if is_memory(where):
            metadata.create_all(database.engine)  # nobody else sees it: no version, no migrations
        else:
            bring_up_to_date(database)
        return Ledger(database, head, policy)
    except DBAPIError as error:
        database.engine.dispose()
        raise ConfigurationError(Message("error.ledger_closed", why=str(error.orig).splitlines()[0])) from error
    except Exception:
        database.engine.dispose()
        raise


def is_there(url: str) -> bool:
    """Whether there is a ledger to ask: of SQLite its file, and of a server that it is named."""
    try:
        file = _file_of(make_url(url))
    except ArgumentError:
        return True  # whoever opens it says what is wrong with the address
    return file is None or file.exists()


def _file_of(url: URL) -> Path | None:
    if url.get_backend_name() != "sqlite" or is_memory(url):
        return None
    return Path(str(url.database))
