"""Row accounting: every row of a file as used, held with its codes, or ignored; in runs of rows."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final, NamedTuple, cast

import numpy as np
import numpy.typing as npt
import pandas as pd
import pandera.pandas as pa

from schemas.errors import BrokenInvariant
from schemas.issues import IssueCode
from schemas.parsing.amounts import ExactAmount
from schemas.parsing.excluded_rows import ExcludedRows
from schemas.parsing.reading import filled
from schemas.parsing.typed_table import TypedTable, is_error
from schemas.raw_table import RawTable
from schemas.reasons import codes_json
from schemas.tables.model import DataFrame, Record, Series, TableModel, names_of, records
from schemas.tables.payees import USUAL_MINIMUM

ASSET_NAMES: Final = ("isrc", "upc", "release", "artist")
UNREAD_BASE: Final = "?"
# What a held row keeps, so that people see whose it is; where it would be paid is not among it.
PERSON_NAMES: Final = ("name", "email", "artist_name", "reference")
# And of whom a held payee is said to have been.
PAYEE_NAMES: Final = ("name", "email", "artist_name", "previous_tax_id")
# What a payee has of their own, which counts whatever else is wrong with the row.
_TERMS_IN_WORDS: Final = ("frequency", "language", "hold", "hold_until", "recoup_from")
PAYEE_TERMS: Final = (*_TERMS_IN_WORDS, "minimum_cents", "must_invoice")


def codes_by_position(table: TypedTable, held_whole: IssueCode | None) -> dict[int, str]:
    """Return the comma-joined codes of each position that is held."""
    codes: dict[int, dict[str, None]] = {}
    for finding in table.findings:
        if is_error(finding):
            codes.setdefault(finding.position, {})[finding.code.value] = None
    held = {position: ",".join(found) for position, found in codes.items()}
    if held_whole:
        sound = dict.fromkeys(range(len(table.rows)), held_whole.value)
        held = {position: code for position, code in sound.items() if position not in table.ignored} | held
    return held


def places(file: str, sheet: str | None, rows: npt.NDArray[np.int64]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "file": pd.Series([file] * len(rows), dtype="str"),
            "sheet": pd.Series([sheet or ""] * len(rows), dtype="str"),
            "row": pd.Series(rows, dtype="int64"),
        }
    )


def held_rows(table: TypedTable, raw: RawTable, codes: dict[int, str]) -> pd.DataFrame:
    positions = np.array(sorted(codes, key=lambda position: table.rows[position]), dtype=np.int64)
    held = places(raw.file.name, raw.sheet, table.rows[positions])
    tax_ids = table.canonical["tax_id"][positions] if "tax_id" in table.canonical else filled(len(positions), "")
    currencies = (
        table.canonical["currency"][positions]
        if "currency" in table.canonical
        else filled(len(positions), table.currency)
    )
    held["tax_id"] = pd.Series(tax_ids, dtype="str")
    held["amount"] = pd.Series([_exact(table, position) for position in positions.tolist()], dtype=object)
    held["currency"] = pd.Series(currencies, dtype="str")
    held["codes"] = pd.Series([codes[position] for position in positions.tolist()], dtype="str")
    if "share" in table.canonical:
        _add_assets(held, table, positions)
    _add_person(held, table, positions)
    return held


def _add_person(held: pd.DataFrame, table: TypedTable, positions: npt.NDArray[np.int64]) -> None:
    """Keep what was read well of whose row it is, and a payee's own terms; a wrong cell, and a row cut askew, none."""
    wrong = {(found.position, found.column) for found in table.findings if is_error(found)}
    askew = {found.position for found in table.findings if found.code is IssueCode.ROW_WIDTH}

    def read(name: str) -> list[Any]:
        values = table.canonical[name]
        return [None if p in askew or (p, name) in wrong else values[p] for p in positions.tolist()]

    for name in dict.fromkeys((*PERSON_NAMES, *PAYEE_NAMES, *_TERMS_IN_WORDS)):
        if name in table.canonical:
            held[name] = pd.Series([str(value or "") for value in read(name)], dtype="str")
    if "recoup_from" in table.canonical:
        minimum = [USUAL_MINIMUM if amount is None else int(amount.value * 100) for amount in read("minimum")]
        held["minimum_cents"] = pd.Series(minimum, dtype="int64")
        held["must_invoice"] = pd.Series([bool(value) for value in read("must_invoice")], dtype="bool")
        held["recoup_read"] = pd.Series([value is not None for value in read("recoup_from")], dtype="bool")


def _add_assets(held: pd.DataFrame, table: TypedTable, positions: npt.NDArray[np.int64]) -> None:
    """Say what held shares and costs are of, and whether that can be read: until they are sound it pays nobody.

    `base` is what a share is taken from; `UNREAD_BASE` where it cannot be read.
    """
    for name in ASSET_NAMES:
        held[name] = pd.Series(table.canonical[name][positions], dtype="str")
    wrong = [found for found in table.findings if is_error(found)]
    askew = {found.position for found in wrong if found.code is IssueCode.ROW_WIDTH}
    misread = askew | {found.position for found in wrong if found.column in ASSET_NAMES}
    held["asset_read"] = pd.Series([position not in misread for position in positions.tolist()], dtype="bool")
    if "base" in table.canonical:
        unread = askew | {found.position for found in wrong if found.column == "base"}
        bases = [UNREAD_BASE if at in unread else table.canonical["base"][at] for at in positions.tolist()]
        held["base"] = pd.Series(bases, dtype="str")


def _exact(table: TypedTable, position: int) -> Decimal | None:
    amount: ExactAmount | None = table.canonical["amount"][position] if "amount" in table.canonical else None
    return amount.value if amount else None


def dispositions(table: TypedTable, raw: RawTable, excluded: ExcludedRows, codes: dict[int, str]) -> pd.DataFrame:
    """Build `ParsedTable.rows`: every row of the file once."""
    number = raw.cells.index.to_numpy(dtype=np.int64)
    rows = places(raw.file.name, raw.sheet, number)
    otherwise = {
        int(row): ("ignored", str(why))
        for row, why in zip(number[~excluded.lines], excluded.why[~excluded.lines], strict=True)
    }
    otherwise |= {int(table.rows[position]): ("ignored", why) for position, why in table.ignored.items()}
    otherwise |= {int(table.rows[position]): ("held", why) for position, why in codes.items()}
    ends = [otherwise.get(row, (USED, "")) for row in number.tolist()]
    rows["disposition"] = pd.Series([end for end, _ in ends], dtype="str")
    rows["codes"] = pd.Series([why for _, why in ends], dtype="str")
    return rows


USED = "used"


class RowRuns(TableModel):
    """How many rows between two rows of a sheet came to the same end, for the same reason.

    Shape: one row per sheet for all its used rows; for the others, one per run of neighbours, or one per recording of
    lines that no share covers, which are scattered. The sum of `rows` is what was read; each row of a file is in one.
    `reasons` are as `schemas.obligation.reasons_json` writes them.
    """

    file: Series[str]
    sheet: Series[str]
    first_row: Series[int] = pa.Field(ge=1)
    last_row: Series[int] = pa.Field(ge=1)
    rows: Series[int] = pa.Field(ge=1)
    disposition: Series[str]
    reasons: Series[str]


COLUMNS = tuple(names_of(RowRuns))


class RowRun(NamedTuple):
    """Some rows that come to another end than before."""

    file: str
    sheet: str
    first_row: int
    last_row: int
    rows: int
    disposition: str
    reasons: str


def runs_frame(runs: Iterable[Sequence[object] | Record]) -> DataFrame[RowRuns]:
    frame = pd.DataFrame(list(runs), columns=list(COLUMNS))
    types = {name: "int64" if name in {"first_row", "last_row", "rows"} else "str" for name in COLUMNS}
    return cast("DataFrame[RowRuns]", frame.astype(types))


def runs_of(rows: pd.DataFrame) -> DataFrame[RowRuns]:
    """Tell rows in runs."""
    ends = rows[["file", "sheet", "disposition", "codes"]]
    begins = (ends != ends.shift()).any(axis=1)
    numbered = rows.assign(run=begins.cumsum(), first_row=rows["row"], last_row=rows["row"], rows=1)
    kept = {"first_row": "first", "last_row": "last", "rows": "sum", "disposition": "first", "codes": "first"}
    runs = numbered.groupby("run", sort=False).agg({"file": "first", "sheet": "first"} | kept)
    runs["reasons"] = runs["codes"].map(codes_json)
    return join_runs([runs[list(COLUMNS)]])


def join_runs(frames: Iterable[pd.DataFrame]) -> DataFrame[RowRuns]:
    """Put the runs of blocks or files together: of each sheet its used rows as one record, then the others in order."""
    used: dict[tuple[str, str], Record | None] = {}
    others = defaultdict[tuple[str, str], list[Record]](list)
    for frame in frames:
        for run in records(frame):
            sheet = (run["file"], run["sheet"])
            known = used.setdefault(sheet, None)
            if run["disposition"] != USED:
                _append(others[sheet], run)
            elif known is None:
                used[sheet] = run
            else:
                known["first_row"] = min(known["first_row"], run["first_row"])
                known["last_row"] = max(known["last_row"], run["last_row"])
                known["rows"] += run["rows"]
    return runs_frame(run for sheet, of_sheet in used.items() for run in (of_sheet, *others[sheet]) if run)


def used_run(file: str, sheet: str | None, first_row: int, last_row: int, rows: int) -> DataFrame[RowRuns]:
    """Return so many used rows between two rows of a sheet; nothing for none."""
    return runs_frame([RowRun(file, sheet or "", first_row, last_row, rows, USED, "")] if rows else [])


def _append(joined: list[Record], run: Record) -> None:
    last = joined[-1] if joined else None
    same = ("disposition", "reasons")
    if last is not None and all(last[name] == run[name] for name in same) and last["last_row"] < run["first_row"]:
        last["last_row"] = run["last_row"]
        last["rows"] += run["rows"]
    else:
        joined.append(run)


def move_rows(runs: DataFrame[RowRuns], moved: Sequence[RowRun]) -> DataFrame[RowRuns]:
    """Tell some rows otherwise; how many there are does not change."""
    if not moved:
        return runs
    kept = records(runs)
    taken = _Taken(kept)
    added = [run for run in moved if taken.take(run)]
    left = [run for run in kept if run["rows"]]
    return runs_frame([*left, *(run._asdict() for run in added)])


def hold_used_rows(runs: DataFrame[RowRuns], moved: Sequence[RowRun]) -> DataFrame[RowRuns]:
    """Tell some used rows otherwise; neighbours with one end become one run.

    Raises:
        BrokenInvariant: a sheet has not so many used rows.
    """
    if not moved:
        return runs
    kept = records(runs)
    used = {(run["file"], run["sheet"]): run for run in kept if run["disposition"] == USED}
    added = list[Record]()
    for run in moved:
        known = used.get((run.file, run.sheet))
        if known is None or known["rows"] < run.rows:
            raise BrokenInvariant("more rows are held than were used")
        known["rows"] -= run.rows
        last = added[-1] if added else None
        if last is not None and _neighbours(last, run):
            last["last_row"], last["rows"] = run.last_row, last["rows"] + run.rows
        else:
            added.append(run._asdict())
    return runs_frame([*(run for run in kept if run["rows"]), *added])


def _neighbours(last: Record, run: RowRun) -> bool:
    place = (last["file"], last["sheet"], last["last_row"] + 1, last["disposition"], last["reasons"])
    return place == (run.file, run.sheet, run.first_row, run.disposition, run.reasons)


class _Taken:
    """Runs of which rows are taken out; what is left of them is in the records given."""

    def __init__(self, runs: Sequence[Record]) -> None:
        self._used: Mapping[tuple[str, str], Record] = {
            (run["file"], run["sheet"]): run for run in runs if run["disposition"] == USED
        }
        others = defaultdict[tuple[str, str], list[Record]](list)
        for run in runs:
            if run["disposition"] != USED:
                others[run["file"], run["sheet"]].append(run)
        self._others = {sheet: sorted(found, key=lambda run: run["first_row"]) for sheet, found in others.items()}
        self._firsts = {sheet: [run["first_row"] for run in found] for sheet, found in self._others.items()}

    def take(self, moved: RowRun) -> bool:
        """Take rows out; False when they are in no run, or are told as they are to be."""
        sheet = (moved.file, moved.sheet)
        at = bisect_right(self._firsts.get(sheet, []), moved.first_row) - 1
        run = self._others[sheet][at] if at >= 0 else None
        if run is None or moved.last_row > run["last_row"] or run["rows"] < moved.rows:
            run = self._used.get(sheet)
        if run is None or run["rows"] < moved.rows or run["disposition"] == moved.disposition:
            return False
        run["rows"] -= moved.rows
        return True
