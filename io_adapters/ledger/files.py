"""Files in the ledger: which run used which, so that nothing is paid twice under another name; what people wrote."""

import datetime as dt
import hashlib
import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import parquet
from sqlalchemy import ColumnElement, Connection, Row, Select, and_, delete, func, insert, literal, or_, select, update

from io_adapters.ledger.acts import record_act, sound_acts
from io_adapters.ledger.engine import Database, Seal, chunks
from io_adapters.ledger.tables import (
    corrected_rows,
    file_lines,
    file_uses,
    files,
    journal_entries,
    payee_names,
    pix_key_types,
    plan_runs,
    plans,
    run_inputs,
    sources,
)
from schemas.acts import Act, ActKind, Delivery, digest_of
from schemas.corrections import CorrectedRow
from schemas.journal import STATEMENTS
from schemas.line_sketch import NO_LINES, LineSketch
from schemas.sources import FileUse, SourceKind, UsedSource, WhoseMoney
from schemas.stated_sums import NO_SUMS, WHOLE

# As a row of `run_inputs` holds it.
LONGEST_NAME: Final = 256


class Files:
    def __init__(self, database: Database) -> None:
        self._db = database

    def record(  # noqa: PLR0913  # the columns of a row, by keyword
        self,
        run_id: str,
        job: str,
        period: str,
        source: str,
        name: str,
        *,
        file_sha256: str,
        content_sha256: str,
        used: bool = True,
        again: bool = False,
        lines: LineSketch = NO_LINES,
        sums: pa.Table = NO_SUMS,
    ) -> None:
        """Write down that a run read a file, once per run, source and name."""
        same = and_(files.c.run_id == run_id, files.c.source == source, files.c.name == name)
        kept = {"sketch": lines.to_bytes(), "sums": _to_parquet(sums)} if lines else {}
        with self._db.writing() as connection:
            lines_sha256 = hashlib.sha256(b"".join(kept.values())).hexdigest() if kept else None
            known = select(file_lines.c.sha256).where(file_lines.c.sha256 == lines_sha256)
            if kept and connection.execute(known).first() is None:
                connection.execute(insert(file_lines).values(kept | {"sha256": lines_sha256}))
            before = select(files.c.id).where(same)
            connection.execute(delete(file_uses).where(file_uses.c.file_id.in_(before)))
            connection.execute(delete(files).where(same))
            recorded = connection.execute(
                insert(files)
                .values(
                    run_id=run_id,
                    job=job,
                    period=period,
                    source=source,
                    name=name,
                    file_sha256=file_sha256,
                    content_sha256=content_sha256,
                    recorded_at=self._db.now(),
                )
                .returning(files.c.id)
            )
            use = {"file_id": recorded.scalar_one(), "used": used, "again": again, "lines_sha256": lines_sha256}
            connection.execute(insert(file_uses).values(use))

    def record_inputs(
        self, run_id: str, read: Iterable[tuple[str, str]], settled: Iterable[tuple[str, str]] = ()
    ) -> None:
        """Write down the bytes of everything that a run has read."""
        i = run_inputs.c
        with self._db.writing() as connection:
            known = set(connection.execute(select(i.name, i.sha256).where(i.run_id == run_id)).tuples())
            wanted = {(name[:LONGEST_NAME], sha256) for name, sha256 in read}
            for run, name in set(settled):
                before = select(i.name, i.sha256).where(i.run_id == run, i.name == name[:LONGEST_NAME])
                wanted |= set(connection.execute(before).tuples())
            rows = [{"run_id": run_id, "name": name, "sha256": sha256} for name, sha256 in sorted(wanted - known)]
            if rows:
                connection.execute(insert(run_inputs), rows)

    def of_run(self, run_id: str) -> dict[str, str]:
        """Return the files a run has planned with, name -> hex digest of its bytes; nothing, when it made no plan."""
        query = select(files.c.name, files.c.file_sha256).where(files.c.run_id == run_id).order_by(files.c.id)
        with self._db.reading() as connection:
            return {row.name: row.file_sha256 for row in connection.execute(query)}

    def handed_in(self, sha256: str) -> dict[Delivery, str]:
        """Return the deliveries of a file that was planned with, by the beginning of its digest -> its name."""
        query = select(files.c.job, files.c.period, files.c.file_sha256, files.c.name).order_by(files.c.id)
        with self._db.reading() as connection:
            rows = connection.execute(query.where(files.c.file_sha256.startswith(sha256, autoescape=True)))
            return {Delivery(*row[:3]): row.name for row in rows}

    def handed_in_for(self, job: str, at_most: int) -> list[tuple[Delivery, str, dt.datetime]]:
        """Return the latest deliveries of a job, each with its name and when a run last planned with it."""
        last = func.max(files.c.recorded_at)
        query = select(files.c.job, files.c.period, files.c.file_sha256, func.max(files.c.name), last)
        query = query.where(files.c.job == job).group_by(files.c.job, files.c.period, files.c.file_sha256)
        with self._db.reading() as connection:
            rows = connection.execute(query.order_by(last.desc()).limit(at_most))
            return [(Delivery(*row[:3]), row[3], row[4]) for row in rows]

    def again_in(self, digests: Collection[str]) -> frozenset[str]:
        query = select(files.c.name).join(file_uses, file_uses.c.file_id == files.c.id)
        query = query.join(plan_runs, plan_runs.c.run_id == files.c.run_id)
        with self._db.reading() as connection:
            found = connection.execute(query.where(file_uses.c.again, plan_runs.c.digest.in_(list(digests))))
            return frozenset(row.name for row in found)

    def uses_of(self, sha256s: Collection[str]) -> list[FileUse]:
        """Return the uses, by runs that had an effect, of files of any of these bytes or rows; oldest first.

        Those runs are the ones whose plan was ever approved, and those that carried or recouped everything.
        """
        wanted = list(sha256s)
        same = or_(files.c.file_sha256.in_(wanted), files.c.content_sha256.in_(wanted))
        return list(dict.fromkeys(_use(row) for row in self._used(same)))

    def uses_of_lines(self, here: WhoseMoney) -> list[FileUse]:
        """Return the uses of royalty lines by runs that had an effect, oldest first."""
        versions: dict[tuple[WhoseMoney, str, str, str], Row[Any]] = {}
        for row in self._used(file_uses.c.lines_sha256.is_not(None)):
            whose = _whose(row)
            versions.setdefault((whose, row.run_id if whose == here else "", row.name, row.lines_sha256), row)
        return self._with_lines(versions.values())

    def uses_of_job(self, job: str) -> list[FileUse]:
        """Return the uses of files by runs of a job that had an effect, each file of a period once, oldest first."""
        rows = {(row.period, row.source, row.file_sha256): row for row in self._used(files.c.job == job)}
        return self._with_lines(rows.values())

    def _with_lines(self, rows: Collection[Row[Any]]) -> list[FileUse]:
        wanted = {row.lines_sha256 for row in rows} - {None}
        with self._db.reading() as connection:
            found = connection.execute(select(file_lines)).all() if wanted else ()
        lines = {
            row.sha256: (LineSketch.from_bytes(row.sketch), _from_parquet(row.sums))
            for row in found
            if row.sha256 in wanted
        }
        return [_use(row, *lines.get(row.lines_sha256, ())) for row in rows]

    def _used(self, which: ColumnElement[bool]) -> list[Row[Any]]:
        """Return the files that runs with an effect have used, with whose money that was."""
        columns = (
            files.c.id,
            files.c.job,
            files.c.period,
            files.c.run_id,
            files.c.source,
            files.c.name,
            files.c.file_sha256,
            files.c.content_sha256,
            file_uses.c.lines_sha256,
        )
        read = files.outerjoin(file_uses, file_uses.c.file_id == files.c.id)
        used = and_(which, or_(file_uses.c.used.is_(None), file_uses.c.used))
        by_plan = read.join(plan_runs, plan_runs.c.run_id == files.c.run_id)
        by_plan = by_plan.join(plans, plans.c.digest == plan_runs.c.digest)
        posted = _posted_without_plan().subquery()
        by_posting = read.join(posted, posted.c.run_id == files.c.run_id)
        queries = (
            select(*columns, plans.c.payer, plans.c.currency, literal(value=False).label("only_carried"))
            .select_from(by_plan)
            .where(used, plans.c.approved_at.is_not(None)),
            select(*columns, posted.c.payer, posted.c.currency, literal(value=True).label("only_carried"))
            .select_from(by_posting)
            .where(used),
        )
        with self._db.reading() as connection:
            return sorted((row for query in queries for row in connection.execute(query)), key=lambda row: row.id)


def _whose(row: Row[Any]) -> WhoseMoney:
    return WhoseMoney(row.job, row.payer, row.period, row.currency)


def _use(row: Row[Any], lines: LineSketch = NO_LINES, sums: pa.Table = NO_SUMS) -> FileUse:
    return FileUse(
        whose=_whose(row),
        run_id=row.run_id,
        name=row.name,
        file_sha256=row.file_sha256,
        content_sha256=row.content_sha256,
        layout=row.source,
        only_carried=bool(row.only_carried),
        lines=lines,
        sums=sums,
    )


def _to_parquet(sums: pa.Table) -> bytes:
    """Write the sums of whole accounts; by the shape of lines a file is compared with itself alone."""
    written = pa.BufferOutputStream()
    parquet.write_table(sums.filter(pc.equal(sums["shape"], WHOLE)), written, compression="zstd")
    return bytes(written.getvalue())


def _from_parquet(content: bytes) -> pa.Table:
    return parquet.read_table(pa.py_buffer(content))


class CorrectedRows:
    def __init__(self, database: Database) -> None:
        self._db = database

    def record(self, run_id: str, job: str, period: str, rows: Sequence[CorrectedRow]) -> None:
        """Write down what a run has read from corrections workbooks and used; once, however often it is said."""
        with self._db.writing() as connection:
            connection.execute(delete(corrected_rows).where(corrected_rows.c.run_id == run_id))
            for row in rows:
                names = ("file", "sheet", "row", "original_sha256", "corrections_file")
                values = {name: getattr(row, name) for name in names}
                where = {"run_id": run_id, "job": job, "period": period}
                cells = json.dumps([row.cells, row.kinds], ensure_ascii=False)
                connection.execute(insert(corrected_rows).values(values | where | {"cells_json": cells}))

    def known(self, job: str, period: str) -> list[CorrectedRow]:
        """Return what was put right for a job's period by runs that had an effect, the latest of each row last."""
        c = corrected_rows.c
        query = select(corrected_rows).where(c.job == job, c.period == period, _had_an_effect(c.run_id)).order_by(c.id)
        with self._db.reading() as connection:
            return [_corrected_row_of(row) for row in connection.execute(query)]


class PixKeyTypes:
    """The record of which type a Pix key is, where a job's sheets do not say it and somebody has confirmed it."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def confirm(self, job: str, types: Mapping[str, str], by: str) -> None:
        """Write down what somebody has confirmed; what stands already is nobody's new word."""
        with self._db.writing() as connection:
            said = sorted(types.items() - _known_types(connection, self._db.seal, job).items())
            if not said:
                return
            facts = {"keys": str(len(said)), "types": digest_of(*said)}
            about = Act(ActKind.CONFIRM_KEY_TYPES, by, job, "", self._db.now(), facts)
            confirmed = {"job": job, "act": record_act(connection, self._db.seal, about)}
            rows = [confirmed | {"key_sha256": digest, "key_type": kind} for digest, kind in said]
            connection.execute(insert(pix_key_types), rows)

    def known(self, job: str) -> dict[str, str]:
        """Return the type of each key, by its digest, as it was confirmed last."""
        with self._db.reading() as connection:
            return _known_types(connection, self._db.seal, job)


def _known_types(connection: Connection, seal: Seal, job: str) -> dict[str, str]:
    """Read types with their acts: where one of an act's rows is not what was confirmed, none of them is."""
    c = pix_key_types.c
    by_act = defaultdict[int, list[tuple[str, str]]](list)
    for row in connection.execute(select(pix_key_types).where(c.job == job).order_by(c.act, c.key_sha256)):
        by_act[row.act].append((row.key_sha256, row.key_type))
    acts, known = sound_acts(connection, seal, by_act), dict[str, str]()
    for number, types in by_act.items():
        act = acts.get(number)
        if act is None or (act.kind, act.subject) != (ActKind.CONFIRM_KEY_TYPES, job):
            continue
        if act.facts.get("types") == digest_of(*types):
            known.update(types)
    return known


class Sources:
    """The record of invoices that counted, and of what opening balances said was paid outside.

    A row that is gone later, or comes again, is a question.
    """

    def __init__(self, database: Database) -> None:
        self._db = database

    def record(self, run_id: str, used: Iterable[UsedSource]) -> None:
        """Write down what a plan has used; what it says no more stays known."""
        c = sources.c
        with self._db.writing() as connection:
            for source in used:
                key = {name: getattr(source, name) for name in _SOURCE_KEY}
                connection.execute(delete(sources).where(*(c[name] == value for name, value in key.items())))
                values = key | {"amount_cents": source.amount_cents, "run_id": run_id}
                connection.execute(insert(sources).values(values))

    def of_period(self, kind: SourceKind, job: str, period: str) -> list[UsedSource]:
        c = sources.c
        return self._read(c.kind == kind.value, c.job == job, c.period == period)

    def of_payer(self, kind: SourceKind, payer: str) -> list[UsedSource]:
        """Return what was used for any job of a payer by runs that had an effect."""
        c = sources.c
        return self._read(c.kind == kind.value, c.payer == payer, _had_an_effect(c.run_id))

    def _read(self, *conditions: ColumnElement[bool]) -> list[UsedSource]:
        with self._db.reading() as connection:
            rows = connection.execute(select(sources).where(*conditions).order_by(*(sources.c[n] for n in _SOURCE_KEY)))
            return [
                UsedSource(SourceKind(row.kind), *(getattr(row, name) for name in (*_SOURCE_KEY[1:], "amount_cents")))
                for row in rows
            ]


_SOURCE_KEY: Final = ("kind", "payer", "job", "period", "payee", "reference")


def _corrected_row_of(row: Row[Any]) -> CorrectedRow:
    cells, kinds = json.loads(row.cells_json)
    return CorrectedRow(
        file=row.file,
        sheet=row.sheet,
        row=row.row,
        original_sha256=row.original_sha256,
        cells=tuple(cells),
        kinds=tuple(kinds),
        corrections_file=row.corrections_file,
        read_as=(row.file, row.sheet, row.row),
        run_id=row.run_id,
    )


_IS_READ: Final = journal_entries.c.cause.startswith(STATEMENTS)


def _posted_without_plan() -> Select[tuple[str, str, str]]:
    """Select run, payer and currency of what stands read of periods by runs that had nothing to send.

    Of a period that is the last run that found other statements in it than the one before.
    """
    e = journal_entries.c
    last = select(func.max(e.number)).where(_IS_READ).group_by(e.job, e.payer, e.currency, e.period)
    sent = select(plan_runs.c.run_id).join(plans, plans.c.digest == plan_runs.c.digest)
    sent = sent.where(plans.c.approved_at.is_not(None))
    return select(e.by.label("run_id"), e.payer, e.currency).where(e.number.in_(last), e.by.not_in(sent)).distinct()


def _had_an_effect(run_id: ColumnElement[str]) -> ColumnElement[bool]:
    """Whether a run's plan was approved and never rejected, or it carried or recouped everything."""
    approved = select(plan_runs.c.run_id).join(plans, plans.c.digest == plan_runs.c.digest)
    approved = approved.where(plans.c.approved_at.is_not(None), plans.c.rejected_at.is_(None))
    return or_(run_id.in_(approved), run_id.in_(select(journal_entries.c.by).where(_IS_READ)))


_N: Final = payee_names.c


class PayeeNames:
    """The names that payees were listed with, by document: the latest beside a balance, all of them to be found by."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def note(self, names: Mapping[str, str]) -> None:
        """Write down what payees are called now: tax id -> name."""
        now = self._db.now()
        with self._db.writing() as connection:
            for some in chunks(names):
                query = select(_N.tax_id, _N.name).where(_N.tax_id.in_(some)).order_by(_N.seen_at, _N.name)
                known = [(tax_id, name) for tax_id, name in connection.execute(query)]
                last = dict(known)
                changed = [(tax_id, names[tax_id]) for tax_id in some if last.get(tax_id) != names[tax_id]]
                new = set(changed) - set(known)
                if new:
                    rows = [{"tax_id": tax_id, "name": name, "seen_at": now} for tax_id, name in sorted(new)]
                    connection.execute(insert(payee_names), rows)
                for tax_id, name in set(changed) - new:  # called as before
                    again = update(payee_names).where(_N.tax_id == tax_id, _N.name == name)
                    connection.execute(again.values(seen_at=now))

    def latest(self) -> dict[str, str]:
        with self._db.reading() as connection:
            return {
                row.tax_id: row.name for row in connection.execute(select(payee_names).order_by(_N.seen_at, _N.name))
            }

    def all(self) -> list[tuple[str, str]]:
        with self._db.reading() as connection:
            return [(tax_id, name) for tax_id, name in connection.execute(select(_N.tax_id, _N.name))]
