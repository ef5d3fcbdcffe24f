"""A night's work: settle what is open, pay every job that is due, settle again; with Prefect or without."""

import os
import secrets
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Final

from flows.books.alerts import Occasion, alert_after_night, alert_of_overdue_nights
from flows.books.rules.reconcile import state_name
from flows.house_ledger import open_ledger_of, utc_now
from flows.nights.due import NIGHTLY, DueReason, Facts, facts_of, is_brought_to_an_end, remember, why_due
from flows.payables.waits import gather_waits
from flows.run import QuietProgress
from flows.run_options import RunOptions
from flows.run_request import RunRequest, current_user, find_jobs, read_run_request
from flows.runner import CALLER, Caller, RunReport, Watch, call, describe_bug, nothing_is_open, run_settle, walk_request
from flows.settings import check_environment, read_settings
from io_adapters.ledger.leases import Owner
from io_adapters.ledger.ledger import Ledger
from schemas.errors import ConfigurationError, ExitCode, JobIsBusy, RepasseError, worst
from schemas.job import BRASILIA, PREVIOUS_MONTH, PeriodRange, Settle
from schemas.messages import Listed, Message
from schemas.submission import UNSENT
from schemas.waits import matters

FAILED_TO_BEGIN: Final = "could_not_begin"
ANOTHER_NIGHT: Final = "another_night"
# No job has this name. A night of another machine that lasts longer has the next begin beside it: jobs are held one by
# one all the same.
_LEASE: Final = f":{NIGHTLY}"
_LEASE_S: Final = 6 * 3600.0


@dataclass(frozen=True, slots=True)
class JobNight:
    """What a night came to for one job.

    Attributes:
        job: Name of the job; "" where the file could not be read.
        period: Label of the period; "" likewise.
        why: Why it was run, or was not; None where that could not be found out.
        run_id: The run that stands for it, of this night or of an earlier one; "" when there was none.
        message: The first thing a person should know; None where there is nothing.
    """

    file: str
    job: str
    period: str
    why: DueReason | None
    state: str
    exit_code: ExitCode
    run_id: str
    message: Message | Listed | None

    @property
    def was_run(self) -> bool:
        return self.why is not None and self.why.is_due


@dataclass(frozen=True, slots=True)
class NightReport:
    """What a night came to."""

    run_id: str
    jobs: tuple[JobNight, ...]
    exit_code: ExitCode
    state: str
    messages: tuple[Message | Listed, ...]


def folder_of_jobs(given: str | None, environment: Mapping[str, str] = os.environ) -> Path:
    """Return the folder whose jobs a night looks at: the given one, else REPASSE_JOBS.

    Raises:
        ConfigurationError: neither names a folder.
    """
    text = given or environment.get("REPASSE_JOBS", "")
    if not text:
        raise ConfigurationError(Message("error.jobs_unset"))
    folder = Path(text).absolute()
    if not folder.is_dir():
        raise ConfigurationError(Message("error.jobs_folder", folder=str(folder)))
    return folder


def run_night(folder: Path, *, by: str | None = None, watch: Watch = call) -> NightReport:
    """Settle, pay every job that is due, settle again.

    What happens to one job stops no other. A job that is being run by somebody else is left to them; so is everything
    where another night is under way, which ends this one before its first job.

    Args:
        by: Who asks; whoever runs the program when None.

    Raises:
        RepasseError: the night could not even begin: configuration, a policy among the jobs, a newer ledger.
    """
    check_environment()
    settings = read_settings()
    settings.require_service()
    settings.require_policy_outside(folder)
    progress = (CALLER.get() or Caller(QuietProgress())).progress
    alert_of_overdue_nights(settings, NIGHTLY, utc_now(), progress.show)
    prepared_by = by or current_user()
    night_id = f"{utc_now():%Y%m%dT%H%M%S}-{secrets.token_hex(3)}"
    owner = Owner.current(night_id)
    with open_ledger_of(settings) as ledger, ExitStack() as exits:
        try:
            ledger.leases.take(_LEASE, owner, _LEASE_S)
        except JobIsBusy:
            return _left_to_another(ledger, night_id)
        exits.callback(ledger.leases.release, _LEASE, owner)
        ledger.runs.begin(night_id, "", "", NIGHTLY, prepared_by, str(folder))
        night = _Night(folder, prepared_by, watch, ledger, night_id)
        report = night.run()
        ledger.runs.finish(night_id, report.state, int(report.exit_code), None)
    not_begun = tuple(job.job or job.file for job in report.jobs if job.state == FAILED_TO_BEGIN)
    alert_after_night(settings, night_id, not_begun, night.occasions(report), progress.show)
    return report


def _left_to_another(ledger: Ledger, night_id: str) -> NightReport:
    lease = ledger.leases.current(_LEASE)
    since = f"{lease.since.astimezone(BRASILIA):%d/%m/%Y %H:%M}" if lease else "?"
    return NightReport(night_id, (), ExitCode.DONE, ANOTHER_NIGHT, (Message("night.another", since=since),))


class _Night:
    def __init__(self, folder: Path, by: str, watch: Watch, ledger: Ledger, night_id: str) -> None:
        self._folder, self._by, self._watch, self._ledger, self._id = folder, by, watch, ledger, night_id
        self._follow_s = 0.0
        self._settled: list[RunReport] = []
        self._occasions: list[Occasion] = []
        self._failures: list[Message] = []

    def run(self) -> NightReport:
        self._settle(0.0)
        jobs = [night for path in find_jobs(self._folder) for night in self._run_file(path)]
        self._settle(self._follow_s)
        jobs = [self._as_it_stands(job) for job in jobs]
        # Of two looks at what is open the later one counts.
        codes = [job.exit_code for job in jobs] + [report.exit_code for report in self._settled[-1:]]
        if self._failures:
            codes.append(ExitCode.BUG)
        code = worst(codes)
        sent = any(job.state != state_name(ExitCode.DONE, sent=False) for job in jobs if job.was_run)
        messages = [message for report in self._settled[-1:] for message in report.notes] + self._failures
        return NightReport(self._id, tuple(jobs), code, state_name(code, sent=sent), tuple(dict.fromkeys(messages)))

    def occasions(self, report: NightReport) -> list[Occasion]:
        """Return for what people may be called: what this night did, and what a night that was killed told nobody."""
        known = {run_id for occasion in self._occasions for run_id in occasion.run_ids}
        others = {job.run_id for job in report.jobs if job.run_id} - known
        return [*self._occasions, *(Occasion((run_id,)) for run_id in sorted(others))]

    def _settle(self, follow_s: float) -> None:
        try:
            if nothing_is_open(None):
                self._settled.clear()
            else:
                self._settled.append(run_settle(None, self._watch, follow_s=follow_s, is_nights=True))
                self._occasions.append(self._settled[-1].occasion)
        except RepasseError as error:
            self._settled.append(_failed_settle(error))
        except Exception as bug:  # noqa: BLE001  # the jobs have their turn all the same
            self._failures.append(describe_bug(bug))

    def _run_file(self, path: Path) -> list[JobNight]:
        """Run a job: earlier periods that still wait for something first, then the one that it is for now.

        An earlier period can be run where the job is for the previous month, or files were handed in for it; of others
        it is told what they hold.
        """
        shown = str(path.relative_to(self._folder))
        try:
            order = read_run_request(path, RunOptions(by=self._by))
        except RepasseError as error:
            return [JobNight(shown, "", "", None, FAILED_TO_BEGIN, error.exit_code, "", error.content)]
        job = order.job
        waits = gather_waits(self._ledger, utc_now(), job.job)
        waiting = {wait.period for wait in waits}
        planned = {sent.period for sent in self._ledger.submissions.list(job=job.job, states=UNSENT, bodies=False)}
        earlier = sorted((waiting | planned) - {order.period.label})
        nights = []
        for label in earlier:
            is_days = isinstance(job.period, PeriodRange)
            try:
                again = None if is_days else read_run_request(path, RunOptions(by=self._by, period=label))
            except RepasseError as error:
                nights.append(
                    JobNight(shown, job.job, label, None, FAILED_TO_BEGIN, error.exit_code, "", error.content)
                )
                continue
            if again is not None and (job.period == PREVIOUS_MONTH or again.month.files):
                nights.append(self._run_job(shown, again))
            elif label in waiting:
                nights.append(JobNight(shown, job.job, label, DueReason.SAME, "", ExitCode.DONE, "", None))
        return [*nights, self._run_job(shown, order)]

    def _run_job(self, shown: str, order: RunRequest) -> JobNight:
        name, label = order.job.job, order.period.label

        def night(
            why: DueReason | None, state: str, code: ExitCode, run_id: str = "", message: Message | Listed | None = None
        ) -> JobNight:
            return JobNight(shown, name, label, why, state, code, run_id, message)

        why: DueReason | None = None
        try:
            facts = facts_of(order, self._ledger, utc_now())
            why = why_due(facts)
            if not why.is_due:
                return night(why, "", ExitCode.DONE)
            report = walk_request(replace(_that_waits_for_no_report(order), is_nights=True), self._watch)
            self._occasions.append(report.occasion)
            self._note(order, facts, report)
        except JobIsBusy as busy:
            return night(DueReason.BUSY, "", ExitCode.DONE, message=busy.content)
        except RepasseError as error:
            return night(why, FAILED_TO_BEGIN, error.exit_code, message=error.content)
        except Exception as bug:  # noqa: BLE001  # one job's failure never stops the next
            return night(why, FAILED_TO_BEGIN, ExitCode.BUG, message=describe_bug(bug))
        return night(why, report.state, report.exit_code, report.run_id, report.first_note)

    def _note(self, order: RunRequest, facts: Facts, report: RunReport) -> None:
        self._follow_s = max(self._follow_s, float(order.job.settle.for_s))
        issues = report.summary.issues if report.summary else {}
        if facts.content and is_brought_to_an_end(report.exit_code, issues):
            remember(self._ledger, self._id, order, facts.content)

    def _as_it_stands(self, job: JobNight) -> JobNight:
        """Tell how the job's period stands after the last look; for a job that was not run, since its last run."""
        if job.run_id:
            stored = self._ledger.runs.get(job.run_id)
        else:
            looked_at = bool(job.job) and job.why is not None and not job.was_run
            stored = self._ledger.runs.last_payout(job.job, job.period) if looked_at else None
        if stored is not None and stored.exit_code is not None:
            job = replace(job, state=stored.state, exit_code=ExitCode(stored.exit_code), run_id=stored.run_id)
        return job if job.was_run or not job.job else self._with_what_waits(job)

    def _with_what_waits(self, job: JobNight) -> JobNight:
        waits = [wait for wait in gather_waits(self._ledger, utc_now(), job.job) if wait.period == job.period]
        if not waits:
            return job
        lines = [Listed((matter.line, matter.first.way), ": ") for matter in matters(waits)]
        message = Listed(tuple(filter(None, [job.message, *lines])), "; ")
        return replace(job, exit_code=worst([job.exit_code, *(wait.code for wait in waits)]), message=message)


def _that_waits_for_no_report(order: RunRequest) -> RunRequest:
    """Look at the reports once: the night follows those of all its jobs together, when all have been sent."""
    settle = Settle(every_s=order.job.settle.every_s, for_s=Decimal(0))
    return replace(order, job=order.job.model_copy(update={"settle": settle}))


def _failed_settle(error: RepasseError) -> RunReport:
    code = error.exit_code
    return RunReport("", code, state_name(code, sent=False), (error.content,), error.issues, (), None, "en")
