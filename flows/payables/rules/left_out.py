"""Rows whose money is left out of what is owed: of files used before, and those people have corrected since."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from types import MappingProxyType
from typing import Any

import pandas as pd

from flows.intake.rules.inputs import Inputs, Statement, readable_cents, worth_cents
from flows.intake.rules.sum_lines import of_files
from flows.payables.rules.claims import RENAMED
from flows.payables.rules.obligations import obligation_rows, obligations_frame
from schemas.corrections import CorrectedRow
from schemas.issue_texts import make_issue
from schemas.issues import FOUND_AFTER_READING, Issue, IssueCode
from schemas.plan import Place
from schemas.tables.contract import DataFrame, Record, records
from schemas.tables.obligations import Obligations
from schemas.tables.payments import Payments
from schemas.tables.row_accounting import PERSON_NAMES, USED, RowRuns, runs_frame
from schemas.used_before import PaidAlike, alike_in_words

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
        statements=tuple(_statement(statement, repeated, keep=False) for statement in inputs.statements),
    )
    old = (_statement(statement, repeated, keep=True) for statement in inputs.statements)
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


def used_corrections(
    put_right: Sequence[CorrectedRow], obligations: pd.DataFrame, rows: pd.DataFrame
) -> list[CorrectedRow]:
    """Choose the rows that a run goes by: payments that it plans, and sound rows of other tables.

    A payments row that is held all the same, in conflict, or takes the place of one that was paid before, proves
    nothing of the row it stands for.

    Args:
        put_right: What corrections workbooks have otherwise than the files.
        obligations: `schemas.tables.obligations.Obligations`, after claims and checks.
        rows: `schemas.tables.row_accounting.RowRuns`, as they were read.
    """
    if not put_right:
        return []
    own = obligations[obligations["row"] > 0]
    places = zip(own["file"], own["sheet"], own["row"].tolist(), strict=True)
    place_of = dict(zip(places, own["place"], strict=True))
    unused = rows[rows["disposition"] != USED]
    apart = list(unused[["file", "sheet", "first_row", "last_row"]].itertuples(index=False, name=None))
    paid_by_row = set(own["file"])

    def is_used(one: CorrectedRow) -> bool:
        file, sheet, row = one.read_as
        if file in paid_by_row:
            return place_of.get(one.read_as) == Place.PLANNED.value
        return not any((file, sheet) == held[:2] and held[2] <= row <= held[3] for held in apart)

    return [one for one in put_right if is_used(one)]


def tell_settled(obligations: DataFrame[Obligations], settled: Collection[CorrectedRow]) -> DataFrame[Obligations]:
    """Say of payments that were paid as somebody had put their rows right, which workbook and which run did it.

    Args:
        obligations: After claims and checks.
        settled: Rows read as they were put right before.
    """
    by_place = {row.place: row for row in settled}
    if not by_place:
        return obligations
    told = records(obligations)
    for row in told:
        one = by_place.get((row["file"], row["sheet"], int(row["row"])))
        if one is not None and row["place"] == Place.DUPLICATE.value:
            row["reason"] = f"settled by {one.corrections_file}, run {one.run_id}"
    return obligations_frame(pd.DataFrame(told, columns=list(obligations.columns)))


# Obligation -> the service's words on its account; "" where it has said nothing.
Said = Callable[[Record], str]


def issues_for_obligations(
    obligations: DataFrame[Obligations],
    inputs: Inputs,
    alike: Mapping[str, Sequence[PaidAlike]],
    language: str,
    said: Said = lambda _: "",
) -> list[Issue]:
    """Name each row that is not paid, or looks paid already, with its place.

    Args:
        obligations: After claims and checks.
        inputs: Where payees stand, for royalties that have no row of their own.
        alike: Obligation key -> what a row that is to be paid looks like.
        language: Of the messages.
        said: What the service said of the account of one that is held for it, fit to be shown.
    """
    payees = {record["tax_id"]: record for record in records(inputs.payees[["tax_id", "file", "sheet", "row"]])}
    issues = []
    for row in records(obligations):
        code, facts = _problem(row, alike, language)
        if code is None:
            continue
        place = row if row["row"] else payees.get(row["tax_id"], row)
        where = {"file": place["file"], "sheet": place["sheet"] or None, "row": int(place["row"]) or None}
        issue = make_issue(code, language=language, **where, **facts)
        words = said(row) if code is IssueCode.ACCOUNT_INVALID else ""
        issues.append(replace(issue, message=f"{issue.message}: {words}") if words else issue)
    return issues


def _problem(
    row: Record, alike: Mapping[str, Sequence[PaidAlike]], language: str
) -> tuple[IssueCode | None, dict[str, Any]]:
    if row["place"] == Place.HELD.value and row["reason"] in FOUND_AFTER_READING:
        return IssueCode(row["reason"]), {}
    if row["place"] == Place.CONFLICT.value:
        renamed = row["reason"].startswith(RENAMED)
        code = IssueCode.ROW_RENAMED if renamed else IssueCode.ROW_CONFLICT
        return code, {"found": row["submission_id"], "key": row["key"]}
    found = alike.get(row["key"]) if row["key"] else None
    return (IssueCode.ROW_PAID_BEFORE, {"found": alike_in_words(found, language)}) if found else (None, {})
