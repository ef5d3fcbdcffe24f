"""Rows left out of what is owed: of files used before, and those corrected since."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Final, cast

import pandas as pd

from flows.intake.rules.inputs import Inputs, Statement, of_files, worth_cents
from flows.payables.rules.claims import RENAMED, places_of
from flows.payables.rules.obligations import owe_repeated, owe_unreadable
from flows.royalties.rules.balances import ToInvoice
from schemas.corrections import CorrectedRow
from schemas.issues import FOUND_AFTER_READING, Issue, IssueCode, make_issue
from schemas.messages import Message, Money
from schemas.obligation import Obligation, Obligations
from schemas.parsing.row_accounting import USED, RowRuns, runs_frame
from schemas.plan import Place
from schemas.reasons import because, reasons_json, reasons_of
from schemas.sources import PaidAlike, paid_alike_message
from schemas.tables.model import DataFrame, records
from schemas.tables.payees import Payments

REASON = IssueCode.FILE_DUPLICATE.value


@dataclass(frozen=True, slots=True)
class SetAside:
    """What repeated files hold.

    Attributes:
        lines_cents: Their royalty lines in the job's currency, exact centavos; rounded together with all others.
    """

    payments: Obligations
    lines_cents: Fraction


def set_aside(inputs: Inputs, repeated: Collection[str]) -> tuple[Inputs, SetAside]:
    """Part the inputs into what is new and what repeated files hold."""
    if not repeated:
        return inputs, SetAside((), Fraction(0))
    new = replace(
        inputs,
        payments=cast("DataFrame[Payments]", _rows(inputs.payments, repeated, keep=False)),
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
        repeated: File name -> where it was used before.
    """
    if not repeated and not renamed:
        return rows
    old = rows["file"].isin(list(repeated)) & (rows["disposition"] != "ignored")
    old |= rows["file"].isin(list(renamed)) & (rows["disposition"] == USED)
    used = {**repeated, **renamed}
    where = {file: reasons_json(because("used_before", where=found)) for file, found in used.items()}
    marked = rows.assign(
        disposition=rows["disposition"].where(~old, "duplicate"),
        reasons=rows["reasons"].where(~old, rows["file"].map(where)),
    )
    return runs_frame(records(marked))


def _rows(frame: pd.DataFrame, files: Collection[str], *, keep: bool) -> pd.DataFrame:
    return frame[frame["file"].isin(list(files)) == keep].reset_index(drop=True)


def _statement(statement: Statement, files: Collection[str], *, keep: bool) -> Statement:
    totals = of_files(statement.totals, files, keep=keep)
    return replace(statement, totals=totals, held=_rows(statement.held, files, keep=keep))


def _duplicates(inputs: Inputs, repeated: Collection[str]) -> Obligations:
    reasons = reasons_of(REASON)
    sound = records(_rows(inputs.payments, repeated, keep=True))
    held = records(_rows(inputs.held_payments, repeated, keep=True))
    unreadable = (owe_unreadable(row, {}, Place.DUPLICATE, reasons) for row in held)
    return (*(owe_repeated(row, reasons) for row in sound), *unreadable)


def used_corrections(
    put_right: Sequence[CorrectedRow], obligations: Iterable[Obligation], rows: pd.DataFrame
) -> list[CorrectedRow]:
    """Choose the rows that a run goes by: payments that it plans, and sound rows of other tables.

    A payments row that is held all the same, in conflict, or takes the place of one that was paid before, proves
    nothing of the row it stands for.
    """
    if not put_right:
        return []
    own = {
        (obligation.source.file, obligation.source.sheet, obligation.source.row): obligation
        for obligation in obligations
        if obligation.source.row
    }
    unused = rows[rows["disposition"] != USED]
    apart = list(unused[["file", "sheet", "first_row", "last_row"]].itertuples(index=False, name=None))
    paid_by_row = {file for file, _, _ in own}

    def is_used(corrected: CorrectedRow) -> bool:
        file, sheet, row = corrected.read_as
        if file in paid_by_row:
            return corrected.read_as in own and own[corrected.read_as].place is Place.PLANNED
        return not any((file, sheet) == held[:2] and held[2] <= row <= held[3] for held in apart)

    return [row for row in put_right if is_used(row)]


def report_settled(obligations: Obligations, settled: Collection[CorrectedRow]) -> Obligations:
    """Say of payments that were paid as somebody had put their rows right, which workbook and which run did it."""
    by_place = {row.place: row for row in settled}
    if not by_place:
        return obligations
    found = []
    for obligation in obligations:
        row = by_place.get((obligation.source.file, obligation.source.sheet, obligation.source.row))
        if row is not None and obligation.place is Place.DUPLICATE:
            reasons = because("settled_by", file=row.corrections_file, run=row.run_id)
            found.append(replace(obligation, reasons=reasons))
        else:
            found.append(obligation)
    return tuple(found)


# Obligation -> the service's words on its account; "" where it has said nothing.
AnswerOf = Callable[[Obligation], str]


def issues_for_obligations(
    obligations: Iterable[Obligation],
    inputs: Inputs,
    alike: Mapping[str, Sequence[PaidAlike]],
    answer_of: AnswerOf = lambda _: "",
    wanting: Mapping[str, ToInvoice] = MappingProxyType({}),
    *,
    is_preview: bool = False,
) -> list[Issue]:
    """Name each row that is not paid, or looks paid already, with its place.

    Args:
        alike: Obligation key -> what a row that is to be paid looks like.
        wanting: Tax id -> what is to be invoiced, of payees held for it.
    """
    place_of = places_of(inputs)
    issues = []
    for obligation in obligations:
        code, facts = _problem(obligation, alike)
        if code is None:
            continue
        if obligation.payee.tax_id in wanting:
            gross_cents, invoiced_cents = wanting[obligation.payee.tax_id]
            facts |= {"amount": Money(gross_cents), "invoiced": Money(invoiced_cents)}
        issue = make_issue(code, **place_of(obligation), **facts)
        if code is IssueCode.ROW_CONFLICT and "paid" in obligation.reasons[0].facts:
            more = {name: obligation.reasons[0].facts[name] for name in ("paid", "whole")}
            issue = replace(issue, message=Message("issue.ROW_CONFLICT.paid", wrong=issue.message, **more))
        if code in _DECIDED_BY_PEOPLE:
            issue = replace(issue, accepts=_decision_on(obligation, is_preview=is_preview))
        if code is IssueCode.ACCOUNT_INVALID and (answer := answer_of(obligation)):
            issue = replace(issue, message=Message("issue.ACCOUNT_INVALID.said", wrong=issue.message, said=answer))
        issues.append(issue)
    return issues


_DECIDED_BY_PEOPLE: Final = frozenset({IssueCode.ROW_CONFLICT, IssueCode.ROW_RENAMED})


def _decision_on(obligation: Obligation, *, is_preview: bool) -> Message:
    """Say what people can decide on a row in conflict: the rest alone, where it says more than was paid for it."""
    if is_preview:
        return Message("issue.ROW_CONFLICT.after_run")
    paid = obligation.reasons[0].facts.get("paid", Money(0))
    more = obligation.code != RENAMED and 0 < paid.cents < obligation.amount_cents
    return Message("issue.ROW_CONFLICT.more" if more else "issue.ROW_CONFLICT.right", key=obligation.key)


def _problem(
    obligation: Obligation, alike: Mapping[str, Sequence[PaidAlike]]
) -> tuple[IssueCode | None, dict[str, Any]]:
    if obligation.place is Place.HELD and obligation.code in FOUND_AFTER_READING:
        return IssueCode(obligation.code), {}
    if obligation.place is Place.CONFLICT:
        facts = {"found": obligation.submission_id, "key": obligation.key}
        if obligation.code != RENAMED:
            return IssueCode.ROW_CONFLICT, facts
        return IssueCode.ROW_RENAMED, facts | {name: obligation.reasons[0].facts[name] for name in ("paid", "whole")}
    found = alike.get(obligation.key) if obligation.key else None
    return (IssueCode.ROW_PAID_BEFORE, {"found": paid_alike_message(found)}) if found else (None, {})
