"""What the desk needs from the rest of Repasse, as small protocols that `flows` fills, and what they answer with."""

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from schemas.approval import DecisionKind
from schemas.desk_people import DeskUser, FirstApproval, Language, Upload
from schemas.issues import Issue
from schemas.plan_view import PlanPage
from schemas.submission import PlanFate, Submission
from schemas.waits import Wait


class Users(Protocol):
    """Who may sign in."""

    def get(self, name: str) -> DeskUser | None:
        """Return a user, disabled or not."""

    def set_language(self, key: str, language: Language) -> None:
        """Remember a user's language."""


class Sessions(Protocol):
    """Who is signed in."""

    def start(self, token: str, user: DeskUser, absolute: dt.timedelta) -> bool:
        """Begin a session; False where the user may no longer sign in, or has another password by now."""

    def find(self, token: str, *, idle: dt.timedelta, absolute: dt.timedelta, seen: bool = True) -> DeskUser | None:
        """Return whose session it is; with `seen` somebody has used it."""

    def end(self, token: str) -> None:
        """Sign out."""


class Attempts(Protocol):
    """Attempts to sign in."""

    def begin(self, name: str, address: str, *, per_name: int, per_address: int, within: dt.timedelta) -> int | None:
        """Write an attempt down; None when there were too many."""

    def succeed(self, attempt: int) -> None:
        """Take it out of the count."""


class Uploads(Protocol):
    """What was uploaded."""

    def record(self, sha256: str, name: str, size_bytes: int, by: str) -> Upload:
        """Write an upload down."""


@dataclass(frozen=True, slots=True)
class RunLine:
    """One run in a list; `exit_code` and `finished_at` are None while it runs."""

    run_id: str
    job: str
    period: str
    command: str
    by: str
    state: str
    exit_code: int | None
    started_at: dt.datetime
    finished_at: dt.datetime | None


@dataclass(frozen=True, slots=True)
class JobLine:
    """One job of the jobs folder.

    Attributes:
        token: Names it in addresses.
        file: Its file, relative to the jobs folder.
        name: As it declares; "" when the file has mistakes.
        period: Label of the days it would pay for now.
        payer: Who pays.
        sources: What the caller may give files for: (name to give, files it reads otherwise).
        problem: What is wrong with its file; "" when nothing is.
        last_run: Its latest run.
        waiting_digest: The plan that waits for approval; "" when none does.
    """

    token: str
    file: str
    name: str
    period: str
    payer: str
    sources: tuple[tuple[str, str], ...]
    problem: str
    last_run: RunLine | None
    waiting_digest: str


class Jobs(Protocol):
    """The jobs folder."""

    def list(self) -> tuple[JobLine, ...]:
        """Return all jobs, by file."""

    def get(self, token: str) -> JobLine | None:
        """Return one job."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table that was recognised: where, as what, how many rows went where, and what was decided on the way."""

    file: str
    sheet: str
    layout: str
    header_row: int
    rows: Mapping[str, int]
    decisions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Preview:
    """What a look at a job's files has found.

    Attributes:
        tables: What was recognised.
        rows: Rows read, used, held, duplicate, ignored.
        issues: Every problem, values masked.
        corrections: The workbook to correct; None when there is nothing to correct.
        missing_shares: The list of shares to fill in.
        failure: Why there is no plan; "" when there is one.
        plan: What would be paid.
    """

    tables: tuple[Table, ...]
    rows: Mapping[str, int]
    issues: tuple[Issue, ...]
    corrections: Path | None
    missing_shares: Path | None
    failure: str
    plan: PlanPage | None


@dataclass(frozen=True, slots=True)
class Look:
    """A look at a job's files; `seen` is None while it goes on."""

    token: str
    job: JobLine
    files: tuple[str, ...]
    seen: Preview | None


class Previews(Protocol):
    """Reading and checking a job, offline."""

    def begin(self, job_token: str, files: Sequence[str]) -> str:
        """Start to look, with files "SOURCE=PATH" in place of the job's; returns the look's token at once."""

    def get(self, token: str) -> Look | None:
        """Return a look; None when it is unknown, or was too long ago."""


@dataclass(frozen=True, slots=True)
class Given:
    """One approval of a plan; `signed_in` tells how the name is known."""

    by: str
    at: dt.datetime
    signed_in: bool
    counts: bool


@dataclass(frozen=True, slots=True)
class PlanStanding:
    """A frozen plan and how it stands.

    Attributes:
        digest, job, period, currency, payments, batches, total_cents, largest_cents: Of the plan.
        run_id: The last run that arrived at it.
        prepared_by: Who started the run that made it first.
        state: Where it stands.
        rejected: Who rejected it, and why; "" when nobody did.
        given: The approvals that stand, or were used.
        missing: How many more people must say yes.
        only_signed_in: Whether only words given in the desk count.
        preparers: Who prepared it, where they do not count in the desk; empty where they do.
        fate: Its batches, by what became of them.
        job_problem: Why its job file does not tell whose words it takes; "" when it does.
        page: The plan as it was frozen; None where no run has kept it.
    """

    digest: str
    job: str
    period: str
    currency: str
    payments: int
    batches: int
    total_cents: int
    largest_cents: int
    run_id: str
    prepared_by: str
    created_at: dt.datetime
    state: Literal["waiting", "rejected", "approved", "replaced"]
    rejected: str
    given: tuple[Given, ...]
    missing: int
    only_signed_in: bool
    preparers: tuple[str, ...]
    fate: PlanFate
    job_problem: str
    page: PlanPage | None


class Plans(Protocol):
    """Frozen plans, and people's words on them."""

    def get(self, digest: str) -> PlanStanding:
        """Return a plan; raises ApprovalWanted for one that is not stored."""

    def approve(self, digest: str, *, by: str, total_text: str) -> str:
        """Record the yes of somebody signed in; with the last needed one, launch the rest.

        Returns:
            The launch's key; "" where more people must say yes.
        """

    def reject(self, digest: str, *, by: str, why: str) -> None:
        """Record a no; what of the plan was not sent is withdrawn."""


@dataclass(frozen=True, slots=True)
class LaunchStanding:
    """A launch: the run it became, or why there is none yet."""

    job: JobLine | None
    run_id: str
    words: tuple[str, ...]
    ended: bool


class Launches(Protocol):
    """Starting runs."""

    def payout(self, job_token: str, files: Sequence[str], *, by: str, key: str, period: str = "") -> str:
        """Start a job's payout for a period; the same key starts nothing twice.

        Returns:
            The launch's name for addresses.
        """

    def go_on(self, run_id: str, *, by: str) -> str:
        """Start the same payout again, with the same files, to finish what is left."""

    def get(self, key: str) -> LaunchStanding | None:
        """Return what became of a launch."""

    def settle(self, *, key: str) -> None:
        """Look once at everything that is open or in doubt."""


@dataclass(frozen=True, slots=True)
class Output:
    """A file a run has left; `token` names it in addresses."""

    token: str
    name: str
    size_bytes: int


@dataclass(frozen=True, slots=True)
class RunStanding:
    """How a run stands at this moment.

    Attributes:
        line: The run.
        live: Whether it still runs.
        steps: Which stages are done, which one goes on.
        digest: Its plan; "" when it has none.
        batches: What it has planned or sent.
        checks: Account checks: made, cost_cents.
        currency: Of the amounts.
        totals: Centavos by place; empty while it runs.
        discrepancies: What does not agree.
        issues: How many problems of each code.
        outputs: What it has left, statements aside.
        statements: How many statements it has left.
    """

    line: RunLine
    live: bool
    steps: tuple[tuple[str, Literal["done", "now", "later"]], ...]
    digest: str
    batches: tuple[Submission, ...]
    checks: Mapping[str, int]
    currency: str
    totals: Mapping[str, int]
    discrepancies: tuple[str, ...]
    issues: Mapping[str, int]
    outputs: tuple[Output, ...]
    statements: int


class Runs(Protocol):
    """Runs and what they left."""

    def list(self, limit: int) -> tuple[RunLine, ...]:
        """Return the latest runs, newest first."""

    def get(self, run_id: str) -> RunStanding | None:
        """Return one run."""

    def statements(self, run_id: str) -> tuple[Output, ...]:
        """Return the statements a run has left, by name."""

    def file(self, run_id: str, token: str) -> Path | None:
        """Return where an output of that very run is."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """A submission, or an exchange rate, that nobody can tell the fate of.

    Attributes:
        subject: rp-... or xr-...
        job, period, currency: Of it.
        payments: How many; 0 of an exchange rate.
        amount_cents: How much; 0 of an exchange rate.
        sent_at: When it was sent.
        absent_from: From when on people may declare it absent.
        reason: What is known, and what it could be.
        first_word: One person's word that it is absent, waiting for a second.
    """

    subject: str
    job: str
    period: str
    currency: str
    payments: int
    amount_cents: int
    sent_at: dt.datetime | None
    absent_from: dt.datetime | None
    reason: str
    first_word: FirstApproval | None


@dataclass(frozen=True, slots=True)
class Stop:
    """What stops all sending.

    Attributes:
        hold: Who put it on hold, and why; "" when nobody did.
        freeze: Why ledger and service disagree; "" when they agree.
        tags: What people must accept by name to lift the freeze.
        first_word: One person's word on the freeze, waiting for a second.
    """

    hold: str
    freeze: str
    tags: tuple[str, ...]
    first_word: FirstApproval | None


class Unresolved(Protocol):
    """What takes people's words."""

    def list(self) -> tuple[Doubt, ...]:
        """Return everything in doubt."""

    def undetermined(self) -> tuple[Submission, ...]:
        """Return the reports that ended without telling whom they paid, and wait for a decision."""

    def link(self, subject: str, report_id: str, *, by: str) -> None:
        """Take a person's word that a report of the service is the one in doubt."""

    def declare_absent(self, subject: str, *, by: str, evidence: str) -> bool:
        """Take the word that the service never had it; True once a second person has confirmed the first."""

    def decide(self, keys: Sequence[str], kind: DecisionKind, *, by: str, evidence: str) -> int:
        """Take a person's word on obligations; returns how many."""

    def stop(self) -> Stop:
        """Return what stops all sending."""

    def hold(self, *, by: str, why: str) -> None:
        """Stop all sending."""

    def release(self, *, by: str) -> None:
        """Let sending go on after a hold."""

    def unfreeze(self, tags: Sequence[str], *, by: str, evidence: str) -> bool:
        """Take the word that a freeze is understood; True once a second person has confirmed the first."""


@dataclass(frozen=True, slots=True)
class LeftOpen:
    """Something that a run has left open; `reasons` says why, by language."""

    wait: Wait
    reasons: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Waits:
    """What waits for people or for the service."""

    approvals: tuple[PlanStanding, ...]
    doubts: int
    undetermined: int
    unsent: tuple[Submission, ...]
    open: tuple[Submission, ...]
    left: tuple[LeftOpen, ...]


class Waiting(Protocol):
    """What waits for whom."""

    def now(self) -> Waits:
        """Return what waits at this moment."""


@dataclass(frozen=True, slots=True)
class Ports:
    """Everything the desk is given."""

    users: Users
    sessions: Sessions
    attempts: Attempts
    uploads: Uploads
    jobs: Jobs
    looks: Previews
    plans: Plans
    launches: Launches
    runs: Runs
    doubts: Unresolved
    waiting: Waiting


def names_of(files: Iterable[str]) -> tuple[str, ...]:
    """Return the base names of files given as "SOURCE=PATH"."""
    return tuple(Path(text.partition("=")[2] or text).name for text in files)
