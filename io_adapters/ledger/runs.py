"""Runs in the ledger: job, period, stages, and how each ended."""

import builtins
import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Table,
    and_,
    delete,
    func,
    insert,
    null,
    or_,
    select,
    true,
    update,
)

from io_adapters.ledger.acts import record_act
from io_adapters.ledger.engine import Database, chunks
from io_adapters.ledger.run_tables import run_discrepancies, run_results
from io_adapters.ledger.tables import alerts, approvals, meta, run_stages, runs, transitions
from schemas.acts import Act, ActKind
from schemas.errors import BrokenInvariant, ConfigurationError
from schemas.messages import Listed, Message

# The command that pays, as runs are written down under it.
PAYOUT: Final = "payout"


@dataclass(frozen=True, slots=True)
class StoredRun:
    """One run of a command.

    Attributes:
        job: Name of the job; "" for a command without one.
        period: Label of the period; "" likewise.
        exit_code: How it ended; None while it runs.
        summary_json: Content of `summary.json`; None while it runs.
        finished_at: When it ended (UTC); None while it runs, and after a crash.
    """

    run_id: str
    job: str
    period: str
    payer: str = field(repr=False)
    command: str
    prepared_by: str
    job_file: str
    state: str
    exit_code: int | None
    summary_json: str | None
    started_at: dt.datetime
    finished_at: dt.datetime | None


@dataclass(frozen=True, slots=True)
class RunStage:
    """One stage of a run, as it was written down when it began and when it ended.

    Attributes:
        ended_at: When it ended (UTC); None while it goes on, and where its run died in it.
        exit_code: How the run stood by it alone, 0 where nothing was wrong; None until it ends.
    """

    name: str
    began_at: dt.datetime
    ended_at: dt.datetime | None
    exit_code: int | None
    stopped: bool
    notes: tuple[Message | Listed, ...]


# How far clocks of machines that share a ledger may be apart.
_CLOCKS_APART: Final = dt.timedelta(minutes=2)


class Runs:
    def __init__(self, database: Database) -> None:
        self._db = database

    def require_clock(self) -> None:
        """Refuse to begin by a clock that is behind the ledger's newest row: what had expired would count again.

        Raises:
            ConfigurationError: it is, and nobody has said that the clock was ahead before.
        """
        now = self._db.now()
        with self._db.reading() as connection:
            newest = _newest(connection)
            accepted = connection.scalar(select(meta.c.clock_accepted_at))
        if newest is not None and now + _CLOCKS_APART < newest and (accepted is None or accepted < newest):
            moments = {"now": f"{now:%Y-%m-%d %H:%M:%S} UTC", "newest": f"{newest:%Y-%m-%d %H:%M:%S} UTC"}
            raise ConfigurationError(Message("error.clock_behind", **moments))

    def accept_clock(self, by: str) -> dt.datetime | None:
        """Take the present clock for right, on a person's word, which is kept: the newest rows' clock was ahead."""
        with self._db.writing() as connection:
            newest = _newest(connection)
            connection.execute(update(meta).values(clock_accepted_at=newest, clock_accepted_by=by))
            record_act(connection, self._db.seal, Act(ActKind.ACCEPT_CLOCK, by, "", "", self._db.now()))
        return newest

    def begin(  # noqa: PLR0913  # what is known of a run when it begins
        self,
        run_id: str,
        job: str,
        period_label: str,
        command: str,
        prepared_by: str,
        job_file: str,
        payer: str = "",
        *,
        is_asked_for: bool = False,
    ) -> StoredRun:
        """Write a run down, or find it again when its flow is run again from the top.

        Args:
            is_asked_for: Whether somebody asks for it, as `prepared_by`; that is an act of theirs.

        Raises:
            BrokenInvariant: the id is in use for another job or period.
        """
        with self._db.writing() as connection:
            known = connection.execute(select(runs).where(runs.c.run_id == run_id)).one_or_none()
            if known is None:
                connection.execute(
                    insert(runs).values(
                        run_id=run_id,
                        job=job,
                        period=period_label,
                        payer=payer,
                        command=command,
                        prepared_by=prepared_by,
                        job_file=job_file,
                        state="running",
                        started_at=self._db.now(),
                    )
                )
                if is_asked_for:
                    facts = {"run": run_id, "period": period_label}
                    about = Act(ActKind.RUN, prepared_by, job, "", self._db.now(), facts)
                    record_act(connection, self._db.seal, about)
                known = connection.execute(select(runs).where(runs.c.run_id == run_id)).one()
        if (known.job, known.period) != (job, period_label):
            raise BrokenInvariant(f"run {run_id} is already known as one of {known.job} {known.period}")
        return _run_of(known)

    def begin_stage(self, run_id: str, name: str) -> int:
        """Write down that a stage of a run begins; returns its number, which `end_stage` takes."""
        with self._db.writing() as connection:
            last = connection.scalar(select(func.max(run_stages.c.number)).where(run_stages.c.run_id == run_id))
            number = (last or 0) + 1
            values = {"run_id": run_id, "number": number, "name": name, "began_at": self._db.now()}
            connection.execute(insert(run_stages).values(**values, stopped=False, notes=None))
        return number

    def end_stage(
        self, run_id: str, number: int, exit_code: int, notes: Sequence[Message | Listed], *, stopped: bool
    ) -> None:
        listed = Listed(tuple(notes), "\n") if notes else None
        with self._db.writing() as connection:
            connection.execute(
                update(run_stages)
                .where(run_stages.c.run_id == run_id, run_stages.c.number == number)
                .values(ended_at=self._db.now(), exit_code=exit_code, notes=listed, stopped=stopped)
            )

    def stages(self, run_id: str) -> tuple[RunStage, ...]:
        query = select(run_stages).where(run_stages.c.run_id == run_id).order_by(run_stages.c.number)
        with self._db.reading() as connection:
            return tuple(map(_stage_of, connection.execute(query)))

    def next_payout(self, run: StoredRun) -> StoredRun | None:
        """Return the payout of the same job and period that began next after a run; None when there was none."""
        same_moment = runs.c.started_at == run.started_at
        query = (
            select(runs)
            .where(runs.c.job == run.job, runs.c.period == run.period, runs.c.command == PAYOUT)
            .where(or_(runs.c.started_at > run.started_at, and_(same_moment, runs.c.run_id > run.run_id)))
            .order_by(runs.c.started_at, runs.c.run_id)
            .limit(1)
        )
        with self._db.reading() as connection:
            row = connection.execute(query).one_or_none()
        return None if row is None else _run_of(row)

    def was_alerted(self, key: str) -> bool:
        with self._db.reading() as connection:
            return connection.scalar(select(alerts.c.key).where(alerts.c.key == key)) is not None

    def note_alert(self, key: str) -> None:
        """Write down that people have been called for something; again changes nothing."""
        with self._db.writing() as connection:
            if connection.scalar(select(alerts.c.key).where(alerts.c.key == key)) is None:
                connection.execute(insert(alerts).values(key=key, sent_at=self._db.now()))

    def begun_and_not_ended(self, command: str, before: dt.datetime) -> builtins.list[StoredRun]:
        """Return the runs of a command that began before some moment and never wrote down their end, oldest first."""
        query = (
            select(runs)
            .where(runs.c.command == command, runs.c.finished_at.is_(None), runs.c.started_at < before)
            .order_by(runs.c.started_at)
        )
        with self._db.reading() as connection:
            return [_run_of(row) for row in connection.execute(query)]

    def last_ended(self, command: str) -> StoredRun | None:
        """Return the run of a command that wrote down its end last; None when there was none."""
        ended = select(runs).where(runs.c.command == command, runs.c.finished_at.is_not(None))
        with self._db.reading() as connection:
            row = connection.execute(ended.order_by(runs.c.finished_at.desc()).limit(1)).one_or_none()
        return None if row is None else _run_of(row)

    def keep(self, run_id: str, rows: Mapping[Table, Sequence[Mapping[str, object]]]) -> None:
        """Keep what a run read and decided, by table, in place of what was kept of it before."""
        with self._db.writing() as connection:
            for table, own in rows.items():
                connection.execute(delete(table).where(table.c.run_id == run_id))
                if own:
                    connection.execute(insert(table), [{**row, "run_id": run_id} for row in own])

    def keep_discrepancies(self, run_id: str, found: Sequence[Mapping[str, object]]) -> None:
        """Keep what was seen of a run later, behind what is kept of it."""
        if not found:
            return
        known = select(func.count()).select_from(run_discrepancies).where(run_discrepancies.c.run_id == run_id)
        with self._db.writing() as connection:
            first = connection.scalar(known) or 0
            rows = [{**row, "run_id": run_id, "number": first + more} for more, row in enumerate(found)]
            connection.execute(insert(run_discrepancies), rows)

    def kept(self, table: Table, run_ids: Iterable[str] | None, *where: ColumnElement[bool]) -> builtins.list[Row[Any]]:
        """Return what some runs, or all, have kept in one of their tables, in order; that of the oldest run first."""
        order = (runs.c.started_at, runs.c.run_id, *([table.c.number] if "number" in table.c else ()))
        query = select(table).join(runs, runs.c.run_id == table.c.run_id).where(*where).order_by(*order)
        some = [true()] if run_ids is None else [table.c.run_id.in_(portion) for portion in chunks(run_ids)]
        with self._db.reading() as connection:
            return [row for of_runs in some for row in connection.execute(query.where(of_runs))]

    def last_with_results(
        self, *, job: str | None = None, before: dt.datetime | None = None, other_than: str = ""
    ) -> builtins.list[StoredRun]:
        """Return the last run of each job and period that kept anything, the latest first; without summaries."""
        has_kept = runs.c.run_id.in_(select(run_results.c.run_id))
        early = runs.c.started_at < before if before is not None else true()
        return self._last_of_periods(job, has_kept, early, runs.c.run_id != other_than)

    def finish(self, run_id: str, state: str, exit_code: int, summary_json: str | None) -> None:
        """Write down how a run ended; settling later may do so again.

        Raises:
            BrokenInvariant: the run is unknown.
        """
        with self._db.writing() as connection:
            changed = connection.execute(
                update(runs)
                .where(runs.c.run_id == run_id)
                .values(state=state, exit_code=exit_code, summary_json=summary_json, finished_at=self._db.now())
            ).rowcount
        if changed != 1:
            raise BrokenInvariant(f"run {run_id} was never begun")

    def get(self, run_id: str) -> StoredRun | None:
        """Return one run; None when it is unknown."""
        with self._db.reading() as connection:
            row = connection.execute(select(runs).where(runs.c.run_id == run_id)).one_or_none()
        return None if row is None else _run_of(row)

    def latest(self, job: str) -> StoredRun | None:
        """Return the job's run that began last; None when there was none."""
        found = self._newest(job=job, limit=1)
        return found[0] if found else None

    def _newest(self, job: str | None, limit: int | None) -> list[StoredRun]:
        query = select(runs).order_by(runs.c.started_at.desc(), runs.c.run_id.desc()).limit(limit)
        if job is not None:
            query = query.where(runs.c.job == job)
        with self._db.reading() as connection:
            return [_run_of(row) for row in connection.execute(query)]

    def last_payout(self, job: str, period: str) -> StoredRun | None:
        """Return the payout of a job and period that began last, without its summary; None when there was none."""
        return next((run for run in self.last_payouts(job) if run.period == period), None)

    def last_payouts(self, job: str | None = None) -> builtins.list[StoredRun]:
        """Return the payout that began last of each job and period, the latest first; without its summary."""
        return self._last_of_periods(job, runs.c.command == PAYOUT)

    def _last_of_periods(self, job: str | None, *conditions: ColumnElement[bool]) -> builtins.list[StoredRun]:
        newest_first = func.row_number().over(
            partition_by=(runs.c.job, runs.c.period), order_by=(runs.c.started_at.desc(), runs.c.run_id.desc())
        )
        fields = [null().label(column.name) if column is runs.c.summary_json else column for column in runs.c]
        numbered = select(*fields, newest_first.label("number")).where(runs.c.job != "", *conditions)
        if job is not None:
            numbered = numbered.where(runs.c.job == job)
        found = numbered.subquery().c
        query = (
            select(*(found[column.name] for column in runs.c))
            .where(found.number == 1)
            .order_by(found.started_at.desc(), found.run_id.desc())
        )
        with self._db.reading() as connection:
            return [_run_of(row) for row in connection.execute(query)]

    def jobs(self) -> frozenset[str]:
        with self._db.reading() as connection:
            return frozenset(connection.scalars(select(runs.c.job).where(runs.c.job != "").distinct()))

    def list(self, limit: int | None = 50) -> list[StoredRun]:
        """Return the runs that began last, newest first; all of them without a limit."""
        return self._newest(job=None, limit=limit)


def _newest(connection: Connection) -> dt.datetime | None:
    """Return when the last row of those that tell what was done was written (UTC)."""
    last = (
        select(func.max(runs.c.started_at)),
        select(transitions.c.at).order_by(transitions.c.id.desc()).limit(1),
        select(approvals.c.at).order_by(approvals.c.id.desc()).limit(1),
    )
    return max((at for query in last if (at := connection.scalar(query)) is not None), default=None)


def _stage_of(row: Row[Any]) -> RunStage:
    notes = row.notes.parts if row.notes else ()
    return RunStage(row.name, row.began_at, row.ended_at, row.exit_code, row.stopped, notes)


def _run_of(row: Row[Any]) -> StoredRun:
    return StoredRun(**row._mapping)  # noqa: SLF001 - SQLAlchemy's public name for a row as a mapping
