"""The intake stage: read every file of the job, name every problem, and account for every row."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import partial
from typing import cast

import pandas as pd
import pyarrow as pa

from flows.intake.hand_in import hand_in_files
from flows.intake.intake import Intake, ReadSheet
from flows.intake.read_files import FileReader, ReadTable
from flows.intake.rules.inputs import (
    Inputs,
    RateTable,
    Statement,
    UsedFile,
    held_payees_of,
    in_question,
    merge,
    of_other_periods,
    parted,
)
from flows.intake.which_files import Corrections, Slot, find_files, slots_of
from flows.run import Run
from io_adapters.spreadsheets.files import split_member
from io_adapters.statement_lines.sums import give_memory_back
from schemas.corrections import CorrectedRow
from schemas.errors import ConfigurationError
from schemas.issues import Issue, IssueCode, make_issue
from schemas.job import Source
from schemas.line_sketch import NO_LINES
from schemas.messages import Message
from schemas.parsing.content_hash import RowsContent
from schemas.parsing.row_accounting import PERSON_NAMES, join_runs
from schemas.parsing.table import empty_of
from schemas.payee_statement import Quote
from schemas.raw_table import RawTable
from schemas.stated_sums import NO_SUMS, stated_sums
from schemas.tables.model import DataFrame, Model
from schemas.tables.payees import Advances, Invoices, Opening, Payees, Payments, Taxes
from schemas.tables.royalties import Costs, Rates, RoyaltyLines, Shares


def read(run: Run) -> Intake:
    """Read the sources and the tables beside them; all problems of all files in one pass.

    Raises:
        UnreadableFile: files are missing, damaged or lack a column; every such file is named.
        ConfigurationError: a layout is unknown, or two files have one name.
    """
    job, given = run.job, [path for _, path in run.request.files]
    corrections = Corrections(given, run.ledger.corrected_rows.known(job.job, run.request.period.label))
    reader = FileReader(run, corrections)
    tables = _without_withdrawn(run, reader.read_all(_slots(run, corrections)))
    reader.raise_what_cannot_be_read()
    corrections.refuse_what_was_not_read()
    everything = [table for found in tables for table in found]
    _refuse_namesakes(everything)
    _refuse_strangers(run, [table.raw for table in everything])
    before = [_corrected_before(row) for row in corrections.settled]
    unread = reader.unread()
    intake = _intake(run, tables, corrections, [*unread, *before], reader.held)
    give_memory_back()
    intake = replace(intake, proposed_key_types=reader.proposed, confirmed_key_types=reader.confirmed)
    return hand_in_files(run, intake, corrections.plain)


def _intake(
    run: Run,
    tables: Sequence[list[ReadTable]],
    corrections: Corrections,
    unread: Sequence[Issue],
    held: Collection[str] = (),
) -> Intake:
    everything = [table for found in tables for table in found]
    sources = tables[: len(run.job.sources)]
    by_name = dict(zip(run.job.tables, tables[len(sources) :], strict=True))
    payees, shares, costs = (by_name[name] for name in ("payees", "shares", "costs"))
    advances, opening = (by_name[name] for name in ("advances", "opening"))
    paid_ahead, guarantees = parted(_joined(advances, Advances))
    rates = RateTable.of(_joined(by_name["rates"], Rates), _held(by_name["rates"])["currency"])
    paid_from = [table for found in sources for table in found]
    payments = [table for table in paid_from if table.layout.table == "payments"]
    balances, period = _joined(opening, Opening), run.request.period
    statements = tuple(
        _statement(source, lines, rates.quotes(source.exchange, run.job.currency, period), run.job.currency)
        for source, found in zip(run.job.sources, sources, strict=True)
        if (lines := [table for table in found if table.layout.table == "royalty_lines"])
    )
    inputs = Inputs(
        payments=_joined(payments, Payments),
        held_payments=_held(payments, PERSON_NAMES),
        statements=statements,
        payees=_joined(payees, Payees),
        payee_problems=dict(_held(payees)[["tax_id", "codes"]].itertuples(index=False, name=None)),
        held_payees=held_payees_of(table.held for table in payees),
        shares=_joined(shares, Shares),
        advances=paid_ahead,
        guarantees=guarantees,
        advance_problems=dict(_held(advances)[["tax_id", "codes"]].itertuples(index=False, name=None)),
        shares_in_question=in_question(share.held for share in shares),
        costs=_joined(costs, Costs),
        costs_in_question=in_question(cost.held for cost in costs),
        opening=balances,
        opening_problems=dict(_held(opening)[["tax_id", "codes"]].itertuples(index=False, name=None)),
        rows=of_other_periods(join_runs([table.runs for table in everything]), balances, period),
        files=_used_files(paid_from, stated_sums(statement.totals for statement in statements)),
        issues=tuple(dict.fromkeys((*(issue for table in everything for issue in table.issues), *unread))),
        decisions=tuple(table.decisions for table in everything),
        taxes=_joined(by_name["taxes"], Taxes),
        tax_problems=dict(_held(by_name["taxes"])[["tax_id", "codes"]].itertuples(index=False, name=None)),
        invoices=_joined(by_name["invoices"], Invoices),
        unread_money=frozenset(held),
    )
    return Intake(
        came_in=inputs,
        inputs=inputs,
        sheets=tuple(ReadSheet(table.raw, table.origin, table.layout, table.path) for table in everything),
        put_right=tuple(corrections.put_right),
        settled=tuple(corrections.settled),
        files=frozenset({(table.raw.file.name, table.raw.file.sha256) for table in everything} | corrections.files),
        written=tuple(text for table in everything for text in table.written),
    )


def _without_withdrawn(run: Run, tables: Sequence[list[ReadTable]]) -> list[list[ReadTable]]:
    """Leave out the files that people have withdrawn from the period, or put another in their place."""
    given = {path for _, path in run.request.files}
    files = {table.raw.file for found in tables for table in found if split_member(table.path)[0] not in given}
    gone = {file.sha256 for file in files if run.request.is_gone(file.sha256)}
    names = {file.name for file in files if file.sha256 in gone}
    for name in sorted(names):
        run.show(Message("file.withdrawn", file=name))
    return [[table for table in found if table.raw.file.sha256 not in gone] for found in tables]


def _slots(run: Run, corrections: Corrections) -> list[Slot]:
    sources, others = slots_of(run.job, run.request.folder, run.request.columns[0])
    slots = [*sources, *others]
    find_files(slots, run.request, corrections)
    return slots


def _corrected_before(row: CorrectedRow) -> Issue:
    found = f"{row.corrections_file}, {row.run_id}"
    code, sheet = IssueCode.ROW_CORRECTED, row.sheet or None
    return make_issue(code, file=row.file, sheet=sheet, row=row.row, found=found)


def _refuse_strangers(run: Run, tables: Sequence[RawTable]) -> None:
    strangers = sorted(run.request.again - {raw.file.name for raw in tables})
    if strangers:
        raise ConfigurationError(Message("error.again_unknown", files=", ".join(strangers)))


def _refuse_namesakes(tables: Sequence[ReadTable]) -> None:
    """Refuse two files of one name: people and books tell rows apart by file, sheet and row."""
    contents: dict[str, set[str]] = {}
    for table in tables:
        contents.setdefault(table.raw.file.name, set()).add(table.raw.file.sha256)
    places = Counter((table.raw.file.name, table.raw.sheet) for table in tables)
    twice = sorted(
        {name for name, found in contents.items() if len(found) > 1}
        | {name for (name, _), n in places.items() if n > 1}
    )
    if twice:
        raise ConfigurationError(Message("error.same_name", files=", ".join(twice)))


def _joined(files: Sequence[ReadTable], model: type[Model]) -> DataFrame[Model]:
    """Put the tables of several files together: each was validated as it was read."""
    frames = [file.frame for file in files]
    return cast("DataFrame[Model]", pd.concat(frames, ignore_index=True)) if frames else empty_of(model)


def _held(files: Sequence[ReadTable], more: Sequence[str] = ()) -> pd.DataFrame:
    columns = ["file", "sheet", "row", "tax_id", "amount", "currency", "codes", *more]
    held = pd.concat([pd.DataFrame(columns=columns), *(file.held for file in files)], ignore_index=True)
    return held.fillna(dict.fromkeys(more, "")) if more else held


def _statement(source: Source, files: Sequence[ReadTable], quotes: Sequence[Quote], currency: str) -> Statement:
    rates = {quote.currency: quote.rate for quote in quotes} | {currency: Decimal(1)}
    totals = merge(file.totals for file in files)
    return Statement(totals=totals, held=_held(files), rates=rates, received=source.received, quotes=tuple(quotes))


def _used_files(tables: Sequence[ReadTable], sums: Mapping[str, pa.Table]) -> tuple[UsedFile, ...]:
    """Say which files were used, each once, however many of its sheets were read."""
    by_file: dict[str, list[ReadTable]] = {}
    for table in tables:
        by_file.setdefault(table.raw.file.name, []).append(table)
    return tuple(_used(read, sums.get(name, NO_SUMS)) for name, read in by_file.items())


def _used(read: Sequence[ReadTable], sums: pa.Table) -> UsedFile:
    file = read[0].raw.file
    content = sum((table.content for table in read), RowsContent())
    readers = [table.lines for table in read if table.lines is not None]
    return UsedFile(
        read[0].layout.layout,
        file.name,
        file.sha256,
        content.sha256 if content.rows else file.sha256,  # all files without a sound row are alike
        stands_for=frozenset(table.origin.file for table in read) - {file.name},
        lines=sum((table.sketch for table in read), NO_LINES),
        sums=sums,
        read_lines=partial(_all_lines, readers) if len(readers) == len(read) else None,
    )


def _all_lines(readers: Sequence[Callable[[], DataFrame[RoyaltyLines]]]) -> DataFrame[RoyaltyLines]:
    return pd.concat([read() for read in readers], ignore_index=True)
