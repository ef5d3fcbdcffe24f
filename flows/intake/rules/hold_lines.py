"""Holding statement lines: those used before, those that do not add up to what the bank got, unread money."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Final, cast

import numpy as np
import numpy.typing as npt
import pandas as pd

from flows.intake.rules.inputs import EXACT, Inputs, Statement, UsedFile, held_lines, merge, of_files, sum_lines, sum_up
from flows.intake.rules.used_before import SharedLines
from schemas.issues import Issue, IssueCode, make_issue
from schemas.line_sketch import Hashes, identify_frame
from schemas.messages import Listed, Money
from schemas.parsing.row_accounting import PERSON_NAMES, USED, RowRun, hold_used_rows
from schemas.reasons import codes_json
from schemas.stated_sums import NO_SUMS, stated_sums
from schemas.tables.model import DataFrame, records
from schemas.tables.royalties import LineTotals, RoyaltyLines, asked_about, worth_anything
from schemas.values.money import round_half_even_cents

# Codes that hold lines sound in themselves; told apart from lines with problems wherever centavos are.
HELD_FOR: Final = (
    IssueCode.LINES_USED_BEFORE,
    IssueCode.FILE_OVERLAP,
    IssueCode.STATEMENT_AGAIN,
    IssueCode.STATEMENT_TWICE,
    IssueCode.FILE_CARRIED,
    IssueCode.RECEIVED_MISMATCH,
    IssueCode.MONEY_UNREAD,
    IssueCode.FILE_OTHER_MONTH,
)
_USED_BEFORE: Final = tuple(
    code.value
    for code in (
        IssueCode.LINES_USED_BEFORE,
        IssueCode.FILE_OVERLAP,
        IssueCode.STATEMENT_AGAIN,
        IssueCode.STATEMENT_TWICE,
        IssueCode.FILE_CARRIED,
    )
)
# Lines have more decimals than a bank: a sum that is less than a cent away is what the bank got.
_ONE_CENT: Final = Decimal("0.01")


def hold_shared(inputs: Inputs, shared: Mapping[str, SharedLines]) -> Inputs:
    """Hold the lines that were used before; the other lines of the same files are honest money.

    Args:
        shared: File name -> its lines that were used before; where they cannot be told apart, all of it is held.

    Returns:
        With the lines and sums of these files without what is held.
    """
    for file in inputs.files:
        if file.name in shared:
            inputs = _hold_shared(inputs, file, shared[file.name])
    if not shared:
        return inputs
    left = stated_sums(statement.totals for statement in inputs.statements)
    files = (replace(file, sums=left.get(file.name, NO_SUMS)) if file.name in shared else file for file in inputs.files)
    return replace(inputs, files=tuple(files))


def _hold_shared(inputs: Inputs, file: UsedFile, shared: SharedLines) -> Inputs:
    if not shared.line_by_line or file.read_lines is None:
        return _hold_whole(inputs, file, shared)
    lines = file.read_lines()
    identified = identify_frame(lines)
    known_again, editions = _known_again(lines, identified.hashes, shared), _of_editions(lines, shared)
    held = known_again | editions
    codes = {IssueCode.LINES_USED_BEFORE: known_again, IssueCode.STATEMENT_AGAIN: editions & ~known_again}
    conditions = asked_about([inputs.shares, inputs.costs])
    rows = [
        RowRun(file.name, sheet, row, row, 1, "held", codes_json(code.value))
        for code, chosen in codes.items()
        for sheet, row in zip(lines["sheet"][chosen], lines["row"][chosen], strict=True)
    ]
    statements, amounts = list[Statement](), {code: dict[str, Decimal]() for code in codes}
    for statement in inputs.statements:
        own = of_files(statement.totals, {file.name}, keep=True)
        here = np.asarray(lines["sheet"].isin(own.by_platform["sheet"].unique()), dtype=bool)
        left = sum_lines(_some(lines, ~held & here), conditions)
        totals = merge([of_files(statement.totals, {file.name}, keep=False), left])
        all_held = statement.held
        for code, chosen in codes.items():
            taken = held_lines(sum_lines(_some(lines, chosen & here)), code.value)
            all_held, amounts[code] = _added(all_held, taken), _plus(amounts[code], taken)
        statements.append(replace(statement, totals=totals, held=all_held))
    counts = {code: int(chosen.sum()) for code, chosen in codes.items()}
    issues = [_issue(code, file, shared, counts[code], amounts[code]) for code in codes if counts[code]]
    of_file = replace(file, lines=identified.sketch(~held))
    return replace(
        inputs,
        statements=tuple(statements),
        files=tuple(of_file if other is file else other for other in inputs.files),
        rows=hold_used_rows(inputs.rows, rows),
        issues=(*inputs.issues, *issues),
    )


def _hold_whole(inputs: Inputs, file: UsedFile, shared: SharedLines) -> Inputs:
    code = IssueCode.FILE_OVERLAP if shared.marks else IssueCode.STATEMENT_AGAIN
    code = IssueCode.STATEMENT_TWICE if shared.twice else IssueCode.FILE_CARRIED if shared.carried else code
    statements, amounts = list[Statement](), dict[str, Decimal]()
    for statement in inputs.statements:
        taken = held_lines(of_files(statement.totals, {file.name}, keep=True), code.value)
        totals = of_files(statement.totals, {file.name}, keep=False)
        statements.append(replace(statement, totals=totals, held=_added(statement.held, taken)))
        amounts = _plus(amounts, taken)
    count = shared.lines if shared.marks or shared.carried else file.lines.lines
    moved = hold_used_rows(inputs.rows, _used_rows(inputs, {file.name}, code))
    issue = _issue(code, file, shared, count, amounts)
    return replace(inputs, statements=tuple(statements), rows=moved, issues=(*inputs.issues, issue))


def _issue(code: IssueCode, file: UsedFile, shared: SharedLines, count: int, amounts: Mapping[str, Decimal]) -> Issue:
    if code is IssueCode.STATEMENT_AGAIN:
        why = Listed(tuple(edition.message for edition in shared.editions.values()), "; ")
        return make_issue(code, file=file.name, lines=count, found=why, amount=_amounts(amounts))
    found = shared.twice if code is IssueCode.STATEMENT_TWICE else shared.found
    return make_issue(code, file=file.name, lines=count, found=found, amount=_amounts(amounts))


def _known_again(lines: pd.DataFrame, hashes: Hashes, shared: SharedLines) -> npt.NDArray[np.bool_]:
    """Tell which lines were used before: of several that say the same, the lowest ones in the file."""
    chosen = np.zeros(len(lines), dtype=bool)
    if shared.marks is None:
        return chosen
    marks = shared.marks
    at = np.minimum(np.searchsorted(marks.hashes, hashes), len(marks.hashes) - 1)
    candidates = np.flatnonzero((marks.hashes[at] == hashes) & worth_anything(lines))[::-1]
    occurrence = pd.Series(hashes[candidates]).groupby(hashes[candidates]).cumcount().to_numpy()
    chosen[candidates] = occurrence < marks.counts[at[candidates]]
    return chosen


def _of_editions(lines: pd.DataFrame, shared: SharedLines) -> npt.NDArray[np.bool_]:
    months = lines["period"].str.slice(0, len("2026-01"))
    accounts = zip(lines["currency"], months, strict=True)
    return np.array([account in shared.editions for account in accounts], dtype=bool)


def _some(lines: pd.DataFrame, chosen: npt.NDArray[np.bool_]) -> DataFrame[RoyaltyLines]:
    return cast("DataFrame[RoyaltyLines]", lines[chosen].reset_index(drop=True))


def hold_unreceived(inputs: Inputs, repeated: Collection[str]) -> Inputs:
    """Hold sources whose lines do not add up to what the bank got for them.

    Files that were used before are no part of it. Lines that were used before may or may not be in what the bank got:
    either sum is right.
    """
    for position, statement in enumerate(inputs.statements):
        files = statement.files - set(repeated)
        if statement.received and files:
            inputs = _hold_unreceived(inputs, position, files)
    return inputs


def _hold_unreceived(inputs: Inputs, position: int, files: Collection[str]) -> Inputs:
    statement = inputs.statements[position]
    totals = of_files(statement.totals, files, keep=True)
    problems = statement.held[statement.held["file"].isin(list(files))]
    used_before = problems["codes"].isin(_USED_BEFORE)
    new, old = _plus(_sums(totals), problems[~used_before]), _plus({}, problems[used_before])
    everything = {name: new.get(name, Decimal(0)) + old.get(name, Decimal(0)) for name in {*new, *old}}
    if _agrees(new, statement.received) or _agrees(everything, statement.received):
        return inputs
    code = IssueCode.RECEIVED_MISMATCH
    issues = [
        _mismatch(code, currency, new.get(currency, Decimal(0)), statement.received, sorted(files))
        for currency in sorted({*new, *statement.received})
        if not _agree(new.get(currency, Decimal(0)), statement.received.get(currency))
    ]
    left = of_files(statement.totals, files, keep=False)
    changed = replace(statement, totals=left, held=_added(statement.held, held_lines(totals, code.value)))
    statements = (*inputs.statements[:position], changed, *inputs.statements[position + 1 :])
    rows = hold_used_rows(inputs.rows, _used_rows(inputs, files, code))
    return replace(inputs, statements=statements, rows=rows, issues=(*inputs.issues, *issues))


def hold_files(inputs: Inputs, files: Collection[str], code: IssueCode) -> Inputs:
    """Hold all that is read of some files, for one reason."""
    if not files:
        return inputs
    statements = tuple(
        replace(
            statement,
            totals=of_files(statement.totals, files, keep=False),
            held=_added(statement.held, held_lines(of_files(statement.totals, files, keep=True), code.value)),
        )
        for statement in inputs.statements
    )
    is_held = inputs.payments["file"].isin(list(files))
    return replace(
        inputs,
        statements=statements,
        payments=inputs.payments[~is_held].reset_index(drop=True),
        held_payments=_added(_as_held(inputs.payments[is_held], code), inputs.held_payments),
        rows=hold_used_rows(inputs.rows, _used_rows(inputs, files, code)),
    )


def _as_held(payments: pd.DataFrame, code: IssueCode) -> pd.DataFrame:
    kept = payments[["file", "sheet", "row", "tax_id", *PERSON_NAMES]]
    cents = payments["amount_cents"] + payments["owner_amount_cents"]
    amounts = pd.Series([Decimal(amount).scaleb(-2) for amount in cents.tolist()], index=kept.index, dtype=object)
    return kept.assign(amount=amounts, currency="", codes=code.value)


def _agrees(sums: Mapping[str, Decimal], received: Mapping[str, Decimal]) -> bool:
    return all(_agree(sums.get(name, Decimal(0)), received.get(name)) for name in {*sums, *received})


def _agree(found: Decimal, received: Decimal | None) -> bool:
    """Whether lines are what the bank got; of a currency it got nothing in, there may be lines that come to nothing."""
    return abs(EXACT.subtract(found, received or Decimal(0))) < _ONE_CENT


def _mismatch(  # each is a fact of the message
    code: IssueCode,
    currency: str,
    found: Decimal,
    received: Mapping[str, Decimal],
    files: list[str],
) -> Issue:
    expected = received.get(currency, Decimal(0))
    return make_issue(
        code,
        file=files[0],
        currency=currency or "?",
        expected=_in_cents(expected),
        found=_in_cents(found),
        difference=_in_cents(EXACT.subtract(found, expected)),
        files=", ".join(files),
    )


def _used_rows(inputs: Inputs, files: Collection[str], code: IssueCode) -> list[RowRun]:
    used = (run for run in records(inputs.rows) if run["disposition"] == USED and run["file"] in files)
    return [RowRun(**run | {"disposition": "held", "reasons": codes_json(code.value)}) for run in used]


def _added(held: pd.DataFrame, more: pd.DataFrame) -> pd.DataFrame:
    return pd.concat([held, more], ignore_index=True) if len(held) else more


def _sums(totals: LineTotals) -> dict[str, Decimal]:
    return {
        str(total["currency"]): Decimal(str(total["amount"])) for total in sum_up(totals.by_territory, ["currency"])
    }


def _plus(sums: Mapping[str, Decimal], held: pd.DataFrame) -> dict[str, Decimal]:
    added = defaultdict[str, Decimal](Decimal, sums)
    for amount, currency in zip(held["amount"], held["currency"], strict=True):
        added[currency] = EXACT.add(added[currency], amount or Decimal(0))
    return dict(added)


def _amounts(sums: Mapping[str, Decimal]) -> Listed:
    return Listed(tuple(_in_cents(amount, currency) for currency, amount in sorted(sums.items())))


def _in_cents(amount: Decimal, currency: str = "") -> Money:
    return Money(round_half_even_cents(Fraction(amount) * 100), currency)
