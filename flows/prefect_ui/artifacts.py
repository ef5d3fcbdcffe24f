"""What Prefect shows of a run: artifacts of tables and totals, and events that call people. None holds it up."""

import contextvars
import json
import queue
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from logging import Logger, LoggerAdapter
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.client.schemas.actions import ArtifactCreate, ArtifactUpdate
from prefect.events import emit_event
from prefect.settings import PREFECT_CLIENT_MAX_RETRIES, temporary_settings

from flows.acts.approve import approve
from flows.books.write import rewrite, write
from flows.intake.read import read
from flows.nights.night import ANOTHER_NIGHT, JobNight, NightReport
from flows.payables.draft import Draft
from flows.reports.funding import unsettled_fundings
from flows.run import Run
from flows.run_options import RunOptions
from flows.run_request import job_of_folder, read_run_request
from flows.settings import read_settings
from io_adapters.ledger.run_record import read_heads
from io_adapters.outputs.grid import Field, Grid, GridColumn, facts_grid, field_text
from io_adapters.outputs.run_grids import batches_grid, discrepancies_grid, totals_grid
from io_adapters.outputs.service_reports import funding_grid
from schemas.errors import ExitCode, RepasseError
from schemas.funding import WANTS_PAYER
from schemas.issues import Issue
from schemas.messages import Money, Said, catalogue_in, render, state_text
from schemas.plan import PaymentPlan, Place, short_digest
from schemas.readers import shown
from schemas.reconciliation import AccountCheckCounts, Summary
from schemas.values.money import format_cents

IN_DOUBT: Final = "repasse.in-doubt"
FROZEN: Final = "repasse.frozen"
DISCREPANCIES: Final = "repasse.discrepancies"
APPROVAL_WANTED: Final = "repasse.approval-wanted"
FUNDING_WANTED: Final = "repasse.funding-wanted"
_NAMES: Final = {
    ExitCode.IN_DOUBT: IN_DOUBT,
    ExitCode.FROZEN: FROZEN,
    ExitCode.DISCREPANCIES: DISCREPANCIES,
    ExitCode.APPROVAL_WANTED: APPROVAL_WANTED,
}


@dataclass(frozen=True, slots=True)
class RunEvent:
    """Something a person should know of at once.

    Attributes:
        resource: Which run, of which job and period; identities only.
        payload: Counts, totals and digests; nothing that names a payee.
    """

    name: str
    resource: dict[str, str]
    payload: dict[str, str | int]


def events_of(
    codes: Iterable[ExitCode], *, run_id: str, job: str, period: str, payload: dict[str, str | int]
) -> list[RunEvent]:
    """Say which events a run gives rise to.

    Args:
        codes: All that holds of the run, not only the worst.
        job: Name of the job; "" for a run of several.
        period: Label of the period; "" likewise.
    """
    resource = {
        "prefect.resource.id": f"repasse.run.{run_id}",
        "prefect.resource.name": " ".join(part for part in (job, period, run_id) if part),
        "repasse.job": job,
        "repasse.period": period,
    }
    return [RunEvent(_NAMES[code], resource, payload) for code in sorted(set(codes)) if code in _NAMES]


MOST_ROWS: Final = 500
_MOST_LINES: Final = 50


def plan_page(
    plan: PaymentPlan,
    unpaid_cents: Mapping[Place, int],
    checks: AccountCheckCounts,
    language: str,
    *,
    waits: bool,
    in_desk: bool = False,
    page: str = "",
) -> str:
    """Write what a plan would pay, and what it leaves out.

    Args:
        waits: Whether people have to approve it.
        in_desk: Whether only people who have signed in at the desk can.
        page: Address of the plan's page on the desk; "" where nobody has said where the desk is.
    """
    labels = catalogue_in(language)
    cost, budget = Money(checks.cost_cents), Money(checks.budget_cents)
    total = Money(plan.total_cents, plan.currency)
    facts: list[tuple[str, Field]] = [
        (labels("prefect.total"), total),
        (labels("prefect.payments"), plan.payees),
        (labels("prefect.largest"), Money(plan.largest_cents, plan.currency)),
        (labels("prefect.batches"), len(plan.batches)),
        (labels("prefect.checks"), labels("prefect.checks.cost", made=checks.made, cost=cost, budget=budget)),
        (labels("prefect.digest"), plan.digest),
    ]
    lines = [f"# {labels('prefect.plan', job=plan.job, period=plan.period)}", ""]
    lines += [f"[{labels('prefect.on_desk')}]({page})", ""] if page else []
    lines += _table(facts_grid("", facts), language) if plan.batches else [labels("prefect.nothing")]
    if any(unpaid_cents.values()):
        places = [
            (labels(f"place.{place}"), Money(cents, plan.currency)) for place, cents in unpaid_cents.items() if cents
        ]
        lines += _table(facts_grid(labels("prefect.not_in_plan"), places), language)
    if waits:
        how = "prefect.approve.desk" if in_desk else "prefect.approve"
        digest, typed = short_digest(plan.digest), format_cents(plan.total_cents, language)
        lines += ["", labels(how, digest=digest, total=typed)]
    return "\n".join(lines)


def problems_table(issues: Sequence[Issue], language: str) -> list[dict[str, Any]]:
    """List problems as rows of a table in the reader's words, errors first; values are masked.

    At most `MOST_ROWS` of them.
    """
    labels = catalogue_in(language)
    order = {"error": 0, "warning": 1, "note": 2}
    ranked = sorted(issues, key=lambda issue: order[issue.severity.value])
    return [
        {
            labels("prefect.problem.file"): issue.file,
            labels("prefect.problem.sheet"): issue.sheet or "",
            labels("prefect.problem.cell"): issue.cell or "",
            labels("prefect.problem.row"): "" if issue.row is None else str(issue.row),
            labels("prefect.problem.code"): issue.code.value,
            labels("prefect.problem.severity"): labels(f"desk.severity.{issue.severity}"),
            labels("prefect.problem.value"): issue.value_masked,
            labels("prefect.problem.wrong"): render(issue.message, language),
            labels("prefect.problem.right"): render(issue.accepts, language),
        }
        for issue in (wrong.as_shown() for wrong in ranked[:MOST_ROWS])
    ]


def problems_title(job: str, period: str, count: int, language: str) -> str:
    """Name the table of problems, and say how many there are when it does not hold them all."""
    title = render("prefect.problems", language, job=job, period=period)
    shown = min(count, MOST_ROWS)
    more = render("prefect.problems.more", language, shown=shown, count=count)
    return f"{title}: {count}" if shown == count else f"{title}: {more}"


def reconciliation_page(summary: Summary, language: str) -> str:
    """Write where every centavo is, what each report came to, and what does not fit."""
    labels = catalogue_in(language)

    facts = [
        (labels("prefect.state"), state_text(summary.state, language)),
        (labels("prefect.run"), summary.run),
    ]
    lines = [f"# {labels('prefect.reconciliation', job=summary.job, period=summary.period)}", ""]
    lines += _table(facts_grid("", facts), language)
    lines += _table(totals_grid(summary.totals_cents, labels, summary.currency), language)
    lines += ["", labels("prefect.rows", **summary.rows.model_dump())]
    if summary.batches:
        lines += _table(batches_grid(summary.batches, labels), language)
    if summary.discrepancies:
        lines += _table(discrepancies_grid(summary.discrepancies, labels), language)
    return "\n".join(lines)


def outputs_page(job: str, period: str, outputs: Sequence[Path], language: str, page: str = "") -> str:
    """Name the files of a run, and link the run's page on the desk, where people open them.

    Args:
        page: Address of the run's page on the desk; "" where nobody has said where the desk is.
    """
    lines = [f"# {render('prefect.outputs', language, job=job, period=period)}", ""]
    lines += [f"[{render('prefect.on_desk', language)}]({page})", ""] if page else []
    folder = common_folder(outputs)
    lines += [f"`{shown(str(folder))}`", ""] if folder else []
    lines += [f"- {name}" for name in sorted({path.name for path in outputs if path.parent == folder})]
    return "\n".join(lines)


def contacts_page(job: str, counts: Mapping[str, int], language: str, *, applied: bool) -> str:
    """Write how many contacts came, or would come, to what; nobody is named."""
    labels = catalogue_in(language)

    lines = [
        f"# {render('prefect.contacts', language, job=job)}",
        "",
        labels("prefect.contacts.done" if applied else "prefect.contacts.preview"),
    ]
    columns = [GridColumn(labels("prefect.contacts.what")), GridColumn(labels("prefect.contacts.count"))]
    rows = [(Said(what), count) for what, count in sorted(counts.items())]
    return "\n".join([*lines, *_table(Grid("", columns, rows), language)])


def common_folder(outputs: Sequence[Path]) -> Path | None:
    """Return the run's own folder, in which all its outputs lie; None when there are none."""
    return min((path.parent for path in outputs), key=lambda folder: len(folder.parts), default=None)


def _table(grid: Grid, language: str) -> list[str]:
    """Write a grid as a Markdown table, below its title; of a long one its beginning, and how many rows are left."""

    def line(fields: Iterable[Field]) -> str:
        texts = (" ".join(field_text(field, language).split()).replace("|", "\\|") for field in fields)
        return f"| {' | '.join(texts)} |"

    lines = ["", f"## {grid.title}"] if grid.title else []
    lines += ["", line(column.header for column in grid.columns), "|---" * len(grid.columns) + "|"]
    lines += [line(row) for row in grid.rows[:_MOST_LINES]]
    left = len(grid.rows) - _MOST_LINES
    lines += [line(grid.total)] if grid.total else []
    return [*lines, "", render("prefect.more", language, count=left)] if left > 0 else lines


def night_page(report: NightReport, language: str) -> str:
    """Write one line for each job: whether it was run, why, and how it stands."""
    labels = catalogue_in(language)

    lines = [f"# {labels('prefect.night', run=report.run_id)}", "", f"**{state_text(report.state, language)}**", ""]
    lines += [f"- {labels.write(message)}" for message in report.messages]
    if report.state == ANOTHER_NIGHT:
        return "\n".join(lines)
    if not report.jobs:
        return "\n".join([*lines, labels("prefect.night.none")])
    columns = [GridColumn(labels(f"prefect.{key}")) for key in ("job", "period", "why", "state", "run", "message")]
    return "\n".join([*lines, *_table(Grid("", columns, [_night_row(job, language) for job in report.jobs]), language)])


def _night_row(job: JobNight, language: str) -> tuple[str, ...]:
    why = render(f"prefect.why.{job.why.value if job.why else ''}", language)
    message = Said(render(job.message, language).splitlines()[0]) if job.message else ""
    return Said(job.job or job.file), job.period, why, state_text(job.state, language), job.run_id or "", message


def name_of_job(named: str, period: str = "") -> str:
    """Return job and period, as far as they can be read; what is wrong with them the run itself will say.

    >>> name_of_job("nowhere", "2026-10")
    'nowhere 2026-10'
    """
    try:
        order = read_run_request(job_of_folder(named, read_settings()), RunOptions(period=period))
    except (RepasseError, OSError):
        return f"{shown(named)} {period}".rstrip()
    return f"{order.job.job} {order.period.label}"


ANSWER_S: Final = 5.0
CLOSE_S: Final = 10.0
MOST_WAITING: Final = 500
PROGRESS_EVERY_S: Final = 1.0

RunLogger = Logger | LoggerAdapter[Logger]
Work = Callable[[SyncPrefectClient], None]


class Recorder:
    """The records of one flow run.

    Args:
        logger: Where to say that a record could not be written.
    """

    def __init__(self, flow_run_id: UUID, tags: list[str], logger: RunLogger) -> None:
        self._flow_run_id = flow_run_id
        self._tags = list(tags)
        self._logger = logger
        self._waiting: queue.Queue[tuple[str, Work] | None] = queue.Queue(MOST_WAITING)
        self._progress: dict[str, UUID] = {}
        self._told_s: dict[str, float] = {}
        self._complained = False
        # The thread lives in a copy of this context: it knows the server and the flow run as its caller does.
        context = contextvars.copy_context()
        self._thread = threading.Thread(target=context.run, args=(self._write,), name="prefect-records", daemon=True)
        self._thread.start()

    def markdown(self, key: str, text: str, description: str) -> None:
        """Show a page."""
        self._artifact("markdown", key, text, description)

    def table(self, key: str, rows: list[dict[str, Any]], description: str) -> None:
        """Show a table: rows of equal keys."""
        self._artifact("table", key, json.dumps(rows, ensure_ascii=False), description)

    def progress(self, key: str, done: int, total: int, description: str) -> None:
        """Show how far something has come; at most once a second, and at its end."""
        now = time.monotonic()
        if done < total and now - self._told_s.get(key, float("-inf")) < PROGRESS_EVERY_S:
            return
        self._told_s[key] = now
        percent = round(100.0 * done / total, 1) if total else 100.0

        def work(client: SyncPrefectClient) -> None:
            if key in self._progress:
                client.update_artifact(self._progress[key], ArtifactUpdate(data=percent, description=description))
            else:
                made = client.create_artifact(self._new("progress", key, percent, description))
                self._progress[key] = made.id

        self._add(key, work)

    def tag(self, *tags: str) -> None:
        """Add tags to the flow run."""
        fresh = [tag for tag in dict.fromkeys(tags) if tag not in self._tags]
        if not fresh:
            return
        self._tags += fresh
        wanted = list(self._tags)
        self._add("tags", lambda client: _ignore(client.update_flow_run(self._flow_run_id, tags=wanted)))

    def event(self, event: RunEvent) -> None:
        """Tell Prefect, and whoever has asked it to call them, that something happened."""
        resource, payload = dict(event.resource), dict(event.payload)
        self._add(event.name, lambda _: _ignore(emit_event(event.name, resource, payload=payload)))

    def close(self) -> None:
        """Wait for what is still to be written, for some seconds at most."""
        try:
            self._waiting.put_nowait(None)
        except queue.Full:
            return
        self._thread.join(CLOSE_S)

    def _artifact(self, kind: str, key: str, data: object, description: str) -> None:
        self._add(key, lambda client: _ignore(client.create_artifact(self._new(kind, key, data, description))))

    def _new(self, kind: str, key: str, data: Any, description: str) -> ArtifactCreate:  # noqa: ANN401
        return ArtifactCreate(
            type=kind, key=key, data=data, description=description, flow_run_id=self._flow_run_id, task_run_id=None
        )

    def _add(self, what: str, work: Work) -> None:
        try:
            self._waiting.put_nowait((what, work))
        except queue.Full:
            self._complain(what, "too many are waiting")

    def _write(self) -> None:
        try:
            with (
                temporary_settings({PREFECT_CLIENT_MAX_RETRIES: 0}),
                get_client(sync_client=True, httpx_settings={"timeout": ANSWER_S}) as client,
            ):
                while (item := self._waiting.get()) is not None:
                    self._write_one(client, *item)
        except Exception as error:  # noqa: BLE001  # without a thread the queue fills, and is let go
            self._complain("all of them", type(error).__name__)

    def _write_one(self, client: SyncPrefectClient, what: str, work: Work) -> None:
        try:
            work(client)
        except Exception as error:  # noqa: BLE001  # whatever is wrong with Prefect, the run goes on
            self._complain(what, type(error).__name__)

    def _complain(self, what: str, why: str) -> None:
        if not self._complained:
            self._complained = True
            self._logger.warning("Prefect did not take a record (%s: %s); the run goes on without", what, why)


def _ignore(_: object) -> None:
    """Make a statement of an expression."""


def report_after(
    stage: str, run: Run, made: Sequence[object], recorder: Recorder, codes_before: Mapping[str, int | None]
) -> None:
    """Record what a stage has found; anything that can be read again later is recorded once, at its last word.

    Args:
        stage: Name of the stage that has ended, well or not.
        made: What the stage was given of what others had made.
        codes_before: How runs stood before they were looked at again; what is no news calls nobody.
    """
    if run.asked is not None:
        drafted = next((part for part in made if isinstance(part, Draft)), None)
        _report_payout(stage, run, drafted, recorder)
    elif stage == rewrite.__name__:
        _report_settlement(run, recorder, codes_before)


def _report_payout(stage: str, run: Run, drafted: Draft | None, recorder: Recorder) -> None:
    job, period, language = run.job.job, run.request.period.label, run.language
    if stage == read.__name__:
        recorder.tag(f"job:{job}", f"period:{period}", f"run:{run.id}")
    if stage == approve.__name__ and drafted is not None:
        _report_plan(run, drafted, recorder)
    if stage != write.__name__:
        return
    page = run.desk_page(f"runs/{run.id}")
    if run.issues:
        title = problems_title(job, period, len(run.issues), language)
        recorder.table(f"problems-{job}", problems_table(run.issues, language), title)
    if run.summary is not None:
        title = render("prefect.reconciliation", language, job=job, period=period)
        recorder.markdown(f"reconciliation-{job}", reconciliation_page(run.summary, language), title)
    if run.outputs:
        title = render("prefect.outputs", language, job=job, period=period)
        recorder.markdown(f"outputs-{job}", outputs_page(job, period, run.outputs, language, page), title)
    payload: dict[str, str | int] = {"run": run.id, "job": job, "period": period}
    payload |= {"page": page} if page else {}
    plan = drafted.plan if drafted is not None else None
    if plan is not None and plan.batches:
        payload |= {"digest": plan.digest, "payments": plan.payees, "total_cents": plan.total_cents}
    for event in events_of(run.codes, run_id=run.id, job=job, period=period, payload=payload):
        recorder.event(event)
    _report_funding(run, job, recorder, language)


def _report_funding(run: Run, job: str, recorder: Recorder, language: str) -> None:
    """Record what the reports of a job cost and wait for, and call whoever pays; the text of no code stands there."""
    found = unsettled_fundings(run.ledger, job)
    if not found:
        return
    title = render("prefect.funding", language, job=job)
    lines = [f"# {title}", *_table(funding_grid(found, catalogue_in(language)), language)]
    recorder.markdown(f"funding-{job}", "\n".join(lines), title)
    own = [stands for stands in found if stands.state in WANTS_PAYER]
    if own:
        page, total_cents = run.desk_page("funding"), sum(stands.sum_cents for stands in own)
        payload: dict[str, str | int] = {"job": job, "reports": len(own), "sum_cents": total_cents}
        payload |= {"states": ",".join(sorted({stands.state.value for stands in own}))} | (
            {"page": page} if page else {}
        )
        resource = {"prefect.resource.id": f"repasse.run.{run.id}", "prefect.resource.name": job, "repasse.job": job}
        recorder.event(RunEvent(FUNDING_WANTED, resource, payload))


def _report_plan(run: Run, drafted: Draft, recorder: Recorder) -> None:
    if drafted.plan is None:
        return
    unpaid = Counter[Place]()
    for obligation in sorted(drafted.payables.obligations, key=lambda obligation: obligation.place):
        if obligation.place is not Place.PLANNED:
            unpaid[obligation.place] += obligation.amount_cents
    waits = ExitCode.APPROVAL_WANTED in run.codes
    page = plan_page(
        drafted.plan,
        unpaid,
        drafted.checks.counts,
        run.language,
        waits=waits,
        in_desk=run.decides_in_desk,
        page=run.desk_page(f"plans/{drafted.plan.digest}"),
    )
    title = render("prefect.plan", run.language, job=run.job.job, period=run.request.period.label)
    recorder.markdown(f"plan-{run.job.job}", page, title)


def _report_settlement(run: Run, recorder: Recorder, codes_before: Mapping[str, int | None]) -> None:
    """Record the reconciliation, as it stands now, of every run that was looked at again."""
    jobs = dict[str, str]()
    for run_id in sorted(run.touched):
        stored, head = run.ledger.runs.get(run_id), read_heads(run.ledger, [run_id]).get(run_id)
        if stored is None or stored.summary_json is None or head is None:
            continue
        summary = Summary.model_validate_json(stored.summary_json)
        language = head.language
        recorder.tag(f"job:{summary.job}", f"period:{summary.period}")
        title = render("prefect.reconciliation", language, job=summary.job, period=summary.period)
        recorder.markdown(f"reconciliation-{summary.job}", reconciliation_page(summary, language), title)
        codes = set() if codes_before.get(run_id) == summary.exit_code else {ExitCode(summary.exit_code)}
        page = run.desk_page(f"runs/{run_id}")
        payload: dict[str, str | int] = {"run": run_id, "job": summary.job, "period": summary.period}
        payload |= {"page": page} if page else {}
        for event in events_of(codes, run_id=run_id, job=summary.job, period=summary.period, payload=payload):
            recorder.event(event)
        jobs[summary.job] = language
    for job, language in jobs.items():
        _report_funding(run, job, recorder, language)
