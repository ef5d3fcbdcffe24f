"""Where each row of a file went: held with its codes, ignored, or used."""

from decimal import Decimal
from typing import Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from schemas.issues import IssueCode
from schemas.raw_table import RawTable
from schemas.tables.amounts import ExactAmount
from schemas.tables.apart import ExcludedRows
from schemas.tables.draft import Draft, is_error
from schemas.tables.reading import filled

ASSET_NAMES: Final = ("isrc", "upc", "release", "artist")
# What a held payments row keeps, so that people see whose it is; where it would be paid is not among it.
PERSON_NAMES: Final = ("name", "email", "artist_name", "reference")


def codes_by_position(draft: Draft) -> dict[int, str]:
    """Return the comma-joined codes of each position that is held."""
    codes: dict[int, dict[str, None]] = {}
    for finding in draft.findings:
        if is_error(finding):
            codes.setdefault(finding.position, {})[finding.code.value] = None
    held = {position: ",".join(found) for position, found in codes.items()}
    if draft.held_whole:
        sound = dict.fromkeys(range(len(draft.rows)), draft.held_whole.value)
        held = {position: code for position, code in sound.items() if position not in draft.ignored} | held
    return held


def places(file: str, sheet: str | None, rows: npt.NDArray[np.int64]) -> pd.DataFrame:
    """Return file, sheet ("" for text files) and row of rows, index from 0."""
    return pd.DataFrame(
        {
            "file": pd.Series([file] * len(rows), dtype="str"),
            "sheet": pd.Series([sheet or ""] * len(rows), dtype="str"),
            "row": pd.Series(rows, dtype="int64"),
        }
    )


def held_rows(draft: Draft, raw: RawTable, codes: dict[int, str]) -> pd.DataFrame:
    """Build `ParsedTable.held` in order of row."""
    positions = np.array(sorted(codes, key=lambda position: draft.rows[position]), dtype=np.int64)
    held = places(raw.file.name, raw.sheet, draft.rows[positions])
    tax_ids = draft.canonical["tax_id"][positions] if "tax_id" in draft.canonical else filled(len(positions), "")
    currencies = (
        draft.canonical["currency"][positions]
        if "currency" in draft.canonical
        else filled(len(positions), draft.currency)
    )
    held["tax_id"] = pd.Series(tax_ids, dtype="str")
    held["amount"] = pd.Series([_exact(draft, position) for position in positions.tolist()], dtype=object)
    held["currency"] = pd.Series(currencies, dtype="str")
    held["codes"] = pd.Series([codes[position] for position in positions.tolist()], dtype="str")
    if "share" in draft.canonical:
        _add_assets(held, draft, positions)
    _add_person(held, draft, positions)
    return held


def _add_person(held: pd.DataFrame, draft: Draft, positions: npt.NDArray[np.int64]) -> None:
    """Keep what was read well of whose row it is; a wrong cell, and a row cut askew, keep nothing."""
    wrong = {(found.position, found.column) for found in draft.findings if is_error(found)}
    askew = {found.position for found in draft.findings if found.code is IssueCode.ROW_WIDTH}
    for name in PERSON_NAMES:
        if name not in draft.canonical:
            continue
        values = draft.canonical[name]
        held[name] = pd.Series(
            ["" if p in askew or (p, name) in wrong else str(values[p] or "") for p in positions.tolist()], dtype="str"
        )


def _add_assets(held: pd.DataFrame, draft: Draft, positions: npt.NDArray[np.int64]) -> None:
    """Say what held shares are shares of, and whether that can be read: nobody is paid from it until they are sound."""
    for name in ASSET_NAMES:
        held[name] = pd.Series(draft.canonical[name][positions], dtype="str")
    misread = {
        found.position
        for found in draft.findings
        if is_error(found) and (found.column in ASSET_NAMES or found.code is IssueCode.ROW_WIDTH)
    }
    held["asset_read"] = pd.Series([position not in misread for position in positions.tolist()], dtype="bool")


def _exact(draft: Draft, position: int) -> Decimal | None:
    amount: ExactAmount | None = draft.canonical["amount"][position] if "amount" in draft.canonical else None
    return amount.value if amount else None


def dispositions(draft: Draft, raw: RawTable, apart: ExcludedRows, codes: dict[int, str]) -> pd.DataFrame:
    """Build `ParsedTable.rows`: every row of the file once."""
    number = raw.cells.index.to_numpy(dtype=np.int64)
    rows = places(raw.file.name, raw.sheet, number)
    told = {
        int(row): ("ignored", str(why)) for row, why in zip(number[~apart.lines], apart.why[~apart.lines], strict=True)
    }
    told |= {int(draft.rows[position]): ("ignored", why) for position, why in draft.ignored.items()}
    told |= {int(draft.rows[position]): ("held", why) for position, why in codes.items()}
    ends = [told.get(row, ("used", "")) for row in number.tolist()]
    rows["disposition"] = pd.Series([end for end, _ in ends], dtype="str")
    rows["reason"] = pd.Series([why for _, why in ends], dtype="str")
    return rows
