"""Files all of which was used before: nothing of them is paid again, and all of it is counted."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from types import MappingProxyType

import pandas as pd

from flows.steps.count_in import worth_cents
from flows.steps.inputs import Inputs, Statement, readable_cents
from flows.steps.owe import obligation_rows
from flows.steps.sum_lines import of_files
from schemas.issues import IssueCode
from schemas.plan import Place
from schemas.tables.frames import DataFrame, records
from schemas.tables.payments import Payments
from schemas.tables.row_books import PERSON_NAMES
from schemas.tables.row_runs import USED, RowRuns, runs_frame

REASON = IssueCode.FILE_DUPLICATE.value


@dataclass(frozen=True, slots=True)
class SetAside:
    """What repeated files hold.

    Attributes:
        payments: Their payments rows, as obligation rows that are duplicates.
        lines_cents: Their royalty lines in the job's currency, exact centavos; rounded together with all others.
    """

    payments: pd.DataFrame
    lines_cents: Fraction


def set_aside(inputs: Inputs, repeated: Collection[str]) -> tuple[Inputs, SetAside]:
    """Part the inputs into what is new and what repeated files hold.

    Args:
        inputs: All that came in.
        repeated: Names of the files that were used before.
    """
    if not repeated:
        return inputs, SetAside(obligation_rows(pd.DataFrame()), Fraction(0))
    new = replace(
        inputs,
        payments=DataFrame[Payments](_rows(inputs.payments, repeated, keep=False)),
        held_payments=_rows(inputs.held_payments, repeated, keep=False),
        statements=tuple(_statement(one, repeated, keep=False) for one in inputs.statements),
    )
    old = (_statement(one, repeated, keep=True) for one in inputs.statements)
    return new, SetAside(_duplicates(inputs, repeated), sum(map(worth_cents, old), Fraction(0)))


def rows_besides(inputs: Inputs, repeated: Collection[str]) -> frozenset[tuple[str, str]]:
    """Return payee and reference of the payments rows that are there and not owed: with problems, or repeated."""
    there = pd.concat([_rows(inputs.payments, repeated, keep=True), inputs.held_payments], ignore_index=True)
    pairs = there[["tax_id", "reference"]].fillna("").itertuples(index=False, name=None)
    return frozenset((tax_id, reference) for tax_id, reference in pairs if tax_id)


def mark_repeated(
    rows: DataFrame[RowRuns], repeated: Mapping[str, str], renamed: Mapping[str, str] = MappingProxyType({})
) -> DataFrame[RowRuns]:
    """Tell every row of a repeated file as a duplicate, but for blank ones.

    Args:
        rows: All rows, in runs.
        repeated: File name -> where it was used before.
        renamed: The same of files under a new name, of which only what is claimed already is a duplicate.
    """
    if not repeated and not renamed:
        return rows
    old = rows["file"].isin(list(repeated)) & (rows["disposition"] != "ignored")
    old |= rows["file"].isin(list(renamed)) & (rows["disposition"] == USED)
    repeated = {**repeated, **renamed}
    told = rows.assign(
        disposition=rows["disposition"].where(~old, "duplicate"),
        reason=rows["reason"].where(~old, rows["file"].map(lambda file: repeated.get(file, ""))),
    )
    return runs_frame(records(told))


def _rows(frame: pd.DataFrame, files: Collection[str], *, keep: bool) -> pd.DataFrame:
    return frame[frame["file"].isin(list(files)) == keep].reset_index(drop=True)


def _statement(statement: Statement, files: Collection[str], *, keep: bool) -> Statement:
    totals = of_files(statement.totals, files, keep=keep)
    return replace(statement, totals=totals, held=_rows(statement.held, files, keep=keep))


def _duplicates(inputs: Inputs, repeated: Collection[str]) -> pd.DataFrame:
    sound = _rows(inputs.payments, repeated, keep=True)
    held = _rows(inputs.held_payments, repeated, keep=True)
    parts = [
        sound.assign(amount_cents=sound["amount_cents"] + sound["owner_amount_cents"]),
        held.reindex(columns=["file", "sheet", "row", "tax_id", *PERSON_NAMES], fill_value="").assign(
            amount_cents=[readable_cents(amount) for amount in held["amount"]]
        ),
    ]
    told = {"kind": "payment", "place": Place.DUPLICATE.value, "reason": REASON}
    return pd.concat([obligation_rows(part.assign(**told)) for part in parts], ignore_index=True)
