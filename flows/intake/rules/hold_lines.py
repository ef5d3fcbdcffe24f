"""Holding statement lines: those used before, those that do not add up to what the bank got, unread money."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from flows.intake.rules.inputs import Inputs, Statement, UsedFile
from flows.intake.rules.sum_lines import EXACT, held_lines, merge, of_files, sum_lines, sum_up
from flows.intake.rules.used_before import SharedLines
from schemas.issues import Issue, IssueCode, make_issue
from schemas.messages import Listed, Money
from schemas.tables.content_hash import hash_frame
from schemas.tables.contract import DataFrame, records
from schemas.tables.line_sums import LineTotals
from schemas.tables.payments import Payments
from schemas.tables.row_accounting import PERSON_NAMES, USED, Run, hold_used_rows
from schemas.tables.royalty_lines import TEXTS, RoyaltyLines
from schemas.values.money import round_half_even_cents

# Codes that hold lines sound in themselves; told apart from lines with problems wherever centavos are.
HELD_FOR: Final = (
    IssueCode.LINES_USED_BEFORE,
    IssueCode.FILE_OVERLAP,
    IssueCode.RECEIVED_MISMATCH,
    IssueCode.MONEY_UNREAD,
)
_USED_BEFORE: Final = (IssueCode.LINES_USED_BEFORE.value, IssueCode.FILE_OVERLAP.value)
# Lines have more decimals than a bank: a sum that is less than a cent away is what the bank got.
_ONE_CENT: Final = Decimal("0.01")


def hold_shared(inputs: Inputs, shared: Mapping[str, SharedLines]) -> Inputs:
    """Hold the lines that were used before; the other lines of the same files are honest money.

    Args:
        inputs: All that came in.
        shared: File name -> its lines that were used before; where they cannot be told apart, all of it is held.
    """
    for file in inputs.files:
        if file.name in shared:
            inputs = _hold_shared(inputs, file, shared[file.name])
    return inputs


def _hold_shared(inputs: Inputs, file: UsedFile, shared: SharedLines) -> Inputs:
    code = IssueCode.LINES_USED_BEFORE if shared.line_by_line else IssueCode.FILE_OVERLAP
    lines = file.lines() if shared.line_by_line and file.lines is not None else None
    chosen = None if lines is None else _chosen(lines, shared)
    rows = _used_rows(inputs, {file.name}, code)
    if lines is not None and chosen is not None:
        places = zip(lines["sheet"][chosen], lines["row"][chosen], strict=True)
        rows = [Run(file.name, sheet, row, row, 1, "held", code.value) for sheet, row in places]
    statements, amounts = list[Statement](), dict[str, Decimal]()
    for statement in inputs.statements:
        own = of_files(statement.totals, {file.name}, keep=True)
        held, sound = own, of_files(own, (), keep=True)
        if lines is not None and chosen is not None:
            here = np.asarray(lines["sheet"].isin(own.by_platform["sheet"].unique()), dtype=bool)
            held, sound = sum_lines(_some(lines, chosen & here)), sum_lines(_some(lines, ~chosen & here))
        totals = merge([of_files(statement.totals, {file.name}, keep=False), sound])
        taken = held_lines(held, code.value)
        statements.append(replace(statement, totals=totals, held=_added(statement.held, taken)))
        amounts = _plus(amounts, taken)
    issue = make_issue(
        code,
        file=file.name,
        lines=shared.lines,
        found=shared.found,
        amount=_amounts(amounts),
    )
    moved = hold_used_rows(inputs.rows, rows)
    return replace(inputs, statements=tuple(statements), rows=moved, issues=(*inputs.issues, issue))


def _chosen(lines: pd.DataFrame, shared: SharedLines) -> npt.NDArray[np.bool_]:
    """Tell which lines are held: of several that say the same, the lowest ones in the file."""
    worth = np.asarray(lines["amount"] != 0, dtype=bool)
    hashes = hash_frame(lines, TEXTS)
    at = np.minimum(np.searchsorted(shared.hashes, hashes), len(shared.hashes) - 1)
    known = (shared.hashes[at] == hashes) & worth
    chosen = np.zeros(len(lines), dtype=bool)
    candidates = np.flatnonzero(known)[::-1]
    occurrence = pd.Series(hashes[candidates]).groupby(hashes[candidates]).cumcount().to_numpy()
    chosen[candidates] = occurrence < shared.counts[at[candidates]]
    return chosen


def _some(lines: pd.DataFrame, chosen: npt.NDArray[np.bool_]) -> DataFrame[RoyaltyLines]:
    return DataFrame[RoyaltyLines](lines[chosen].reset_index(drop=True))


def hold_unreceived(inputs: Inputs, repeated: Collection[str]) -> Inputs:
    """Hold sources whose lines do not add up to what the bank got for them.

    Files that were used before are no part of it. Lines that were used before may or may not be in what the bank got:
    either sum is right.

    Args:
        inputs: All that came in, with lines used before held already.
        repeated: Names of files of which nothing is paid.
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


def hold_unread(inputs: Inputs, repeated: Collection[str]) -> Inputs:
    """Hold what is read of files that have money in a sheet which nothing reads, until the job says what to do with it.

    Args:
        inputs: All that came in.
        repeated: Names of files of which nothing is paid.
    """
    files = inputs.unread_money - set(repeated)
    if not files:
        return inputs
    code = IssueCode.MONEY_UNREAD
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
        payments=DataFrame[Payments](inputs.payments[~is_held].reset_index(drop=True)),
        held_payments=_added(_as_held(inputs.payments[is_held], code), inputs.held_payments),
        rows=hold_used_rows(inputs.rows, _used_rows(inputs, files, code)),
    )


def _as_held(payments: pd.DataFrame, code: IssueCode) -> pd.DataFrame:
    """Tell sound payments rows as rows with a problem."""
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


def _used_rows(inputs: Inputs, files: Collection[str], code: IssueCode) -> list[Run]:
    used = (run for run in records(inputs.rows) if run["disposition"] == USED and run["file"] in files)
    return [Run(**run | {"disposition": "held", "reason": code.value}) for run in used]


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
