"""Read every file of the job, name every problem, and account for every row."""

from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

import pandas as pd

from flows.stages.run import Run
from flows.steps.cross_check import cross_check
from flows.steps.inputs import Inputs, Statement, UsedFile
from io_adapters.spreadsheets.declarations import read_layout
from io_adapters.spreadsheets.files import expand
from io_adapters.spreadsheets.reading import read_table
from schemas.errors import ConfigurationError, UnreadableFile
from schemas.exit_codes import ExitCode
from schemas.issues import errors_among
from schemas.job import Source
from schemas.layouts.layout import Layout
from schemas.raw_table import RawTable
from schemas.tables.advances import Advances
from schemas.tables.content_hash import content_sha256
from schemas.tables.frames import DataFrame
from schemas.tables.parsing import ParsedTable, empty_table, parse_table
from schemas.tables.payees import Payees
from schemas.tables.payments import Payments
from schemas.tables.royalty_lines import RoyaltyLines
from schemas.tables.shares import Shares


class _Read(NamedTuple):
    layout: Layout
    raw: RawTable
    parsed: ParsedTable


def read(run: Run) -> None:
    """Read the sources and the tables beside them; all problems of all files in one pass.

    Raises:
        UnreadableFile: files are missing, damaged or lack a column; every such file is named.
        ConfigurationError: a layout is unknown, or two files have one name.
    """
    found = _Reader(run)
    sources = [(source, found.source(position, source)) for position, source in enumerate(run.job.sources, start=1)]
    payees = found.beside("payees", run.job.payees)
    shares = found.beside("shares", run.job.shares)
    advances = found.beside("advances", run.job.advances)
    found.raise_what_cannot_be_read()
    payments = [one for _, files in sources for one in files if one.layout.table == "payments"]
    statements = [(source, files) for source, files in sources if files and files[0].layout.table == "royalty_lines"]
    everything = [*(one for _, files in sources for one in files), *payees, *shares, *advances]
    _refuse_namesakes([one.raw for one in everything])
    _refuse_strangers(run, [one.raw for one in everything])
    inputs = Inputs(
        payments=DataFrame[Payments](_joined(payments, "payments")),
        held_payments=_held(payments),
        statements=tuple(_statement(source, files, run.job.currency) for source, files in statements),
        payees=DataFrame[Payees](_joined(payees, "payees")),
        payee_problems=dict(_held(payees)[["tax_id", "codes"]].itertuples(index=False, name=None)),
        shares=DataFrame[Shares](_joined(shares, "shares")),
        advances=DataFrame[Advances](_joined(advances, "advances")),
        rows=pd.concat([one.parsed.rows for one in everything], ignore_index=True),
        files=tuple(_used(one) for _, files in sources for one in files),
        issues=tuple(issue for one in everything for issue in one.parsed.issues),
        decisions=tuple(f"{one.raw.file.name}: {', '.join(one.raw.decisions)}" for one in everything),
    )
    run.inputs = cross_check(inputs, run.job, run.order.period.start.isoformat())
    run.issues += run.inputs.issues
    run.tables = [one.raw for one in everything]
    if errors_among(run.issues):
        run.codes.add(ExitCode.ROWS_HELD)


def _refuse_strangers(run: Run, tables: Sequence[RawTable]) -> None:
    """Refuse to pay a file again that is not among the job's."""
    strangers = sorted(run.order.again - {raw.file.name for raw in tables})
    if strangers:
        raise ConfigurationError(f"--again {', '.join(strangers)}: no file of this job is called so")


def _refuse_namesakes(tables: Sequence[RawTable]) -> None:
    """Refuse two files of one name: people and books tell rows apart by file, sheet and row."""
    counts = Counter(raw.file.name for raw in tables)
    twice = sorted(name for name, count in counts.items() if count > 1)
    if twice:
        raise ConfigurationError(f"several files of this job are called {', '.join(twice)}: rename all but one of each")


class _Reader:
    """Reads files one by one and keeps what could not be read, so that all of it is told at once."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._failures: list[UnreadableFile] = []

    def source(self, position: int, source: Source) -> list[_Read]:
        """Read the files of one source, or those the caller gave instead."""
        layout = read_layout(source.layout, self._run.order.folder)
        if layout.table not in {"payments", "royalty_lines"}:
            raise ConfigurationError(f"sources[{position}]: layout {layout.layout} is not of payments or royalty lines")
        names = {"", layout.layout, str(position), source.layout if isinstance(source.layout, str) else ""}
        given = [path for name, path in self._run.order.files if name in names]
        return self._files(layout, given or source.files)

    def beside(self, layout: str, patterns: Sequence[str] | None) -> list[_Read]:
        """Read the tables beside the sources, where the job names them."""
        return self._files(read_layout(layout, self._run.order.folder), patterns) if patterns else []

    def raise_what_cannot_be_read(self) -> None:
        """Raise once for all files."""
        if self._failures:
            issues = tuple(issue for failure in self._failures for issue in failure.issues)
            self._run.issues += issues
            raise UnreadableFile("\n".join(failure.message for failure in self._failures), issues=issues)

    def _files(self, layout: Layout, patterns: Sequence[str]) -> list[_Read]:
        try:
            language = self._run.job.outputs.language
            paths = expand(patterns, self._run.order.folder, self._run.order.period.label, language)
        except UnreadableFile as failure:
            self._failures.append(failure)
            return []
        return [one for path in paths if (one := self._file(layout, path))]

    def _file(self, layout: Layout, path: str) -> _Read | None:
        language = self._run.job.outputs.language
        try:
            raw = read_table(path, layout, language=language)
            own_data = self._run.job.payees is None
            parsed = parse_table(raw, layout, language=language, payee_data_required=own_data)
        except UnreadableFile as failure:
            self._failures.append(failure)
            return None
        self._run.progress.tell(f"{raw.file.name}: {', '.join(raw.decisions)}")
        return _Read(layout, raw, parsed)


def _joined(files: Sequence[_Read], table: str) -> pd.DataFrame:
    if not files:
        return empty_table(table)
    return pd.concat([one.parsed.frame for one in files], ignore_index=True)


def _held(files: Sequence[_Read]) -> pd.DataFrame:
    columns = ["file", "sheet", "row", "tax_id", "amount", "currency", "codes"]
    return pd.concat([pd.DataFrame(columns=columns), *(one.parsed.held for one in files)], ignore_index=True)


def _statement(source: Source, files: Sequence[_Read], currency: str) -> Statement:
    rates = {name: exchange.rate for name, exchange in source.exchange.items()} | {currency: Decimal(1)}
    lines = DataFrame[RoyaltyLines](_joined(files, "royalty_lines"))
    return Statement(lines=lines, held=_held(files), rates=rates)


def _used(one: _Read) -> UsedFile:
    file = one.raw.file
    rows = one.parsed.frame
    content = content_sha256(rows) if len(rows) else file.sha256  # all files without a sound row are alike
    return UsedFile(one.layout.layout, file.name, file.sha256, content)
