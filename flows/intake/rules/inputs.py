"""Inputs: the sound rows of every table, what was held back, and what came in."""

import datetime as dt
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Context, Decimal
from enum import Enum
from fractions import Fraction
from functools import cache
from typing import Final, cast

import pandas as pd
import pyarrow as pa

from schemas.issues import Issue
from schemas.job import Exchange, Period
from schemas.line_sketch import NO_LINES, LineSketch
from schemas.messages import Message
from schemas.parsing.row_accounting import ASSET_NAMES, PAYEE_NAMES, PAYEE_TERMS, RowRun, RowRuns, move_rows
from schemas.parsing.table import empty_of
from schemas.payee_statement import Quote
from schemas.reasons import codes_json
from schemas.stated_sums import NO_SUMS
from schemas.tables.model import DataFrame, Record, records
from schemas.tables.payees import GUARANTEE, TO_RECOUP, Advances, Invoices, Opening, Payees, Payments, Taxes
from schemas.tables.royalties import (
    LINE_SUM,
    PLATFORM_KEY,
    TERRITORY_KEY,
    TOGETHER,
    UNIT_SUM,
    Costs,
    LineTotals,
    PlatformTotals,
    Rates,
    RoyaltyLines,
    Shares,
    TerritoryTotals,
    together,
    totals_frame,
)
from schemas.values.money import exact_text, round_half_even_cents

_HOW: Final = {"amount": "sum", "units": "sum", "lines": "sum", "first_row": "min", "last_row": "max"}


def sum_lines(lines: DataFrame[RoyaltyLines], conditions: Collection[str] = ()) -> LineTotals:
    """Add lines up per file, recording, period and currency: once by platform, once by territory.

    Args:
        conditions: Columns about which share rows ask, by which both tell lines apart.
    """
    columns = list(dict.fromkeys((*PLATFORM_KEY, *TERRITORY_KEY, "amount", "units", "row")))
    table = pa.Table.from_pandas(lines[columns], preserve_index=False)
    # A line is the sum of one line.
    amount, units, row = table["amount"].cast(LINE_SUM), table["units"].cast(UNIT_SUM), table["row"]
    single = table.drop_columns(["amount", "units", "row"]).append_column("amount", amount)
    single = single.append_column("units", units).append_column("lines", pa.repeat(1, len(table)).cast(pa.int64()))
    placed = single.append_column("first_row", row).append_column("last_row", row)
    return LineTotals(
        DataFrame[PlatformTotals](totals_frame(_apart(placed, PLATFORM_KEY, conditions), PlatformTotals)),
        DataFrame[TerritoryTotals](totals_frame(_apart(single, TERRITORY_KEY, conditions), TerritoryTotals)),
    )


def _apart(table: pa.Table, key: Sequence[str], conditions: Collection[str]) -> pa.Table:
    alike = pa.repeat(TOGETHER, len(table)).cast(pa.large_string())
    for name in together(key, conditions):
        table = table.set_column(table.column_names.index(name), name, alike)
    return _grouped(table, key)


def merge(totals: Iterable[LineTotals]) -> LineTotals:
    """Add sums up; those of nothing are empty."""
    found = [total for total in totals if _size(total)] or [nothing()]
    if len(found) == 1:
        return found[0]
    return LineTotals(
        DataFrame[PlatformTotals](_merged([totals.by_platform for totals in found], PLATFORM_KEY, PlatformTotals)),
        DataFrame[TerritoryTotals](_merged([totals.by_territory for totals in found], TERRITORY_KEY, TerritoryTotals)),
    )


@cache
def nothing() -> LineTotals:
    """Return the sums of no line; always the same ones."""
    return sum_lines(empty_of(RoyaltyLines))


def of_files(totals: LineTotals, files: Collection[str], *, keep: bool) -> LineTotals:
    """Return the sums of the files named, or with `keep=False` those of all others."""

    def part(frame: pd.DataFrame) -> pd.DataFrame:
        return frame[frame["file"].isin(list(files)) == keep].reset_index(drop=True)

    return LineTotals(
        cast("DataFrame[PlatformTotals]", part(totals.by_platform)),
        cast("DataFrame[TerritoryTotals]", part(totals.by_territory)),
    )


def sum_up(totals: pd.DataFrame, key: Sequence[str]) -> list[dict[str, object]]:
    """Add sums of either kind up by fewer columns; returns key, amount, units and lines of each, in order of key."""
    table = pa.Table.from_pandas(totals[[*key, "amount", "units", "lines"]], preserve_index=False)
    found: list[dict[str, object]] = _grouped(table, key).to_pylist()
    return found


def of_all_files(totals: LineTotals) -> tuple[pa.Table, pa.Table]:
    """Add sums up whatever file and sheet they are of; returns those by platform and by territory, in order of key."""
    return (
        _of_all_files(totals.by_platform, PLATFORM_KEY, ("file", "sheet")),
        _of_all_files(totals.by_territory, TERRITORY_KEY, ("file",)),
    )


def _of_all_files(totals: pd.DataFrame, key: Sequence[str], place: Sequence[str]) -> pa.Table:
    about = [name for name in key if name not in place]
    table = pa.Table.from_pandas(totals[[*about, "amount", "units", "lines"]], preserve_index=False)
    # Those of one sheet are what they are already, and in order.
    return table if all(len(totals[name].unique()) <= 1 for name in place) else _grouped(table, about)


def held_lines(totals: LineTotals, code: str) -> pd.DataFrame:
    """Tell lines as held, one row per file, sheet and currency, for a reason that is none of any single line.

    Returns:
        Columns as of `flows.intake.rules.inputs.Statement.held`.
    """
    frame = totals.by_platform
    key = ["file", "sheet", "currency"]
    sums = pd.DataFrame(sum_up(frame, key), columns=[*key, "amount", "units", "lines"])
    first = frame.groupby(key, as_index=False).agg(row=("first_row", "min"))
    held = sums.merge(first, on=key).assign(tax_id="", codes=code)
    return held[["file", "sheet", "row", "tax_id", "amount", "currency", "codes"]]


def _size(totals: LineTotals) -> int:
    return len(totals.by_platform) + len(totals.by_territory)


def _grouped(table: pa.Table, key: Sequence[str]) -> pa.Table:
    summed = [name for name in _HOW if name in table.column_names]
    found = table.group_by(list(key)).aggregate([(name, _HOW[name]) for name in summed])
    return found.rename_columns([*key, *summed]).sort_by([(name, "ascending") for name in key])


_Model = type[PlatformTotals | TerritoryTotals]


def _merged(frames: Sequence[pd.DataFrame], key: Sequence[str], model: _Model) -> pd.DataFrame:
    tables = [pa.Table.from_pandas(frame, preserve_index=False) for frame in frames]
    return totals_frame(_grouped(pa.concat_tables(tables, promote_options="permissive"), key), model)


# Exactness needs 18 decimals and 40 digits of a sum, a rate of 20 and six of a share.
EXACT: Final = Context(prec=100)


def readable_cents(amount: Decimal | None) -> int:
    """Centavos that a payments row with problems stands for: what can be read of it, never less than nothing.

    >>> readable_cents(Decimal("12.345")), readable_cents(Decimal(-5)), readable_cents(None)
    (1234, 0, 0)
    """
    return max(0, int((amount or Decimal(0)) * 100))


@dataclass(frozen=True, slots=True)
class Statement:
    """The royalty lines of one source, and what its currencies are worth.

    Attributes:
        held: Lines with problems, each or added up: file, sheet, row (the first), `tax_id`, amount (exact or None),
            currency, codes.
        rates: Currency -> worth of one unit in the job's currency; the job's own is 1.
        received: Currency -> what the bank got for it; empty where the job does not say.
    """

    totals: LineTotals
    held: pd.DataFrame
    rates: Mapping[str, Decimal]
    received: Mapping[str, Decimal] = field(default_factory=dict)
    quotes: tuple[Quote, ...] = ()

    @property
    def files(self) -> frozenset[str]:
        return frozenset({*self.totals.by_platform["file"].unique(), *self.held["file"].unique()})


def line_sums(statements: Iterable[Statement]) -> pd.DataFrame:
    """Return in which rows of which files the lines of statements are, as `PlatformTotals`, with the rate of each."""
    found = []
    for statement in statements:
        sums = statement.totals.by_platform
        rates = {currency: exact_text(rate) for currency, rate in statement.rates.items()}
        found.append(sums.assign(rate=sums["currency"].map(rates).astype("str")))
    return pd.concat(found, ignore_index=True) if found else nothing().by_platform.assign(rate="")


@dataclass(frozen=True, slots=True)
class UsedFile:
    """A file that was read, so that last month's can be recognised whatever it is called now.

    Attributes:
        file_sha256: Identity of its bytes.
        lines: Its royalty lines, as far as a sketch knows them.
        sums: What they add up to, see `schemas.stated_sums`.
        read_lines: Reads them all once more, one by one; None for a file of more than are kept.
    """

    source: str
    name: str
    file_sha256: str
    content_sha256: str
    stands_for: frozenset[str] = frozenset()
    lines: LineSketch = field(default=NO_LINES, repr=False)
    sums: pa.Table = field(default_factory=lambda: NO_SUMS, repr=False, compare=False)
    read_lines: Callable[[], DataFrame[RoyaltyLines]] | None = field(default=None, repr=False)

    @property
    def names(self) -> frozenset[str]:
        return self.stands_for | {self.name}


def in_question(held: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """Return what held rows of shares or costs are of, whether that was read, and what shares are taken from."""
    columns = {**dict.fromkeys((*ASSET_NAMES, "base"), "str"), "asset_read": "bool"}
    nothing = pd.DataFrame({name: pd.Series(dtype=kind) for name, kind in columns.items()})
    frames = [nothing, *(frame for frame in held if len(frame))]
    return pd.concat(frames, ignore_index=True)[[*columns]].fillna({"base": ""}).astype(columns)


_OF_HELD_PAYEES: Final = {
    **dict.fromkeys(("tax_id", *PAYEE_NAMES, *PAYEE_TERMS), "str"),
    "minimum_cents": "int64",
    "must_invoice": "bool",
    "recoup_read": "bool",
}


def held_payees_of(held: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """Return what can be read of held payees, see `Inputs.held_payees`."""
    frames = [frame for frame in held if len(frame)] or [pd.DataFrame(columns=list(_OF_HELD_PAYEES))]
    return pd.concat(frames, ignore_index=True)[list(_OF_HELD_PAYEES)].astype(_OF_HELD_PAYEES)


@dataclass(frozen=True, slots=True)
class Inputs:
    """All that came in.

    Attributes:
        payee_problems: Tax id -> codes, of payees whose row has problems.
        opening_problems: Tax id -> codes, of opening balances with problems; "" where it cannot be read whose it is.
        advance_problems: Tax id -> codes, of advances with problems; "" where it cannot be read whose it is.
        tax_problems: Tax id -> codes, of taxes with problems; "" where it cannot be read whose it is.
    """

    payments: DataFrame[Payments]
    held_payments: pd.DataFrame
    statements: tuple[Statement, ...]
    payees: DataFrame[Payees]
    payee_problems: Mapping[str, str]
    shares: DataFrame[Shares]
    advances: DataFrame[Advances]
    rows: DataFrame[RowRuns]
    files: tuple[UsedFile, ...]
    issues: tuple[Issue, ...]
    decisions: tuple[Message, ...]
    opening: DataFrame[Opening] = field(default_factory=lambda: empty_of(Opening))
    opening_problems: Mapping[str, str] = field(default_factory=dict)
    advance_problems: Mapping[str, str] = field(default_factory=dict)
    unread_money: frozenset[str] = frozenset()
    taxes: DataFrame[Taxes] = field(default_factory=lambda: empty_of(Taxes))
    tax_problems: Mapping[str, str] = field(default_factory=dict)
    invoices: DataFrame[Invoices] = field(default_factory=lambda: empty_of(Invoices))
    shares_in_question: pd.DataFrame = field(default_factory=lambda: in_question(()))
    costs: DataFrame[Costs] = field(default_factory=lambda: empty_of(Costs))
    costs_in_question: pd.DataFrame = field(default_factory=lambda: in_question(()))
    guarantees: DataFrame[Advances] = field(default_factory=lambda: empty_of(Advances))
    held_payees: pd.DataFrame = field(default_factory=lambda: held_payees_of(()))

    @property
    def terms(self) -> pd.DataFrame:
        """What payees have of their own, whatever else is wrong with their rows: `tax_id`, once each, `PAYEE_TERMS`."""
        columns = ["tax_id", *PAYEE_TERMS]
        held = self.held_payees.loc[self.held_payees["tax_id"] != "", columns]
        return pd.concat([self.payees[columns], held], ignore_index=True).drop_duplicates("tax_id")

    @property
    def recouped_in_question(self) -> frozenset[str]:
        """Of whom it cannot be read what their advances may be taken from; "" among them where not even of whom."""
        held = self.held_payees
        said = held.groupby("tax_id")["recoup_from"].nunique()
        unread = held.loc[~held["recoup_read"] | (held["tax_id"] == ""), "tax_id"]
        return frozenset({*unread, *said.index[said > 1]})


def input_totals(inputs: Inputs, carried_in: Mapping[str, int]) -> int:
    """Count the centavos a run answers for: payments rows, statements in the job's currency, and what was carried in.

    Counted without shares, advances or batches, so that a mistake in any of them shows as a sum that does not close.
    """
    payments = int(inputs.payments["amount_cents"].sum()) + int(inputs.payments["owner_amount_cents"].sum())
    held = sum(readable_cents(amount) for amount in inputs.held_payments["amount"])
    lines = round_half_even_cents(sum((worth_cents(statement) for statement in inputs.statements), Fraction(0)))
    return payments + held + lines + sum(carried_in.values())


def worth_cents(statement: Statement) -> Fraction:
    """Sum a statement's lines, sound and held, in exact centavos of the job's currency.

    By territory, while they are shared out by platform: sums made apart from each other prove each other.
    """
    sums: dict[str, Fraction] = defaultdict(Fraction)
    for total in sum_up(statement.totals.by_territory, ["currency"]):
        sums[str(total["currency"])] += Fraction(str(total["amount"]))
    for amount, currency in zip(statement.held["amount"], statement.held["currency"], strict=True):
        sums[currency] += Fraction(amount or 0)
    return sum((total * Fraction(statement.rates.get(name, 0)) for name, total in sums.items()), Fraction(0)) * 100


@dataclass(frozen=True, slots=True)
class RateTable:
    """The table of rates of a job.

    Attributes:
        in_question: Currencies of rows with problems; "" where it cannot be read which.
    """

    rows: tuple[Quote, ...]
    in_question: frozenset[str]

    @classmethod
    def of(cls, rates: DataFrame[Rates], in_question: Iterable[str]) -> "RateTable":
        rows = sorted(records(rates), key=lambda row: (row["currency"], row["date"], row["row"]))
        return cls(tuple(map(_quote_of, rows)), frozenset(in_question))

    def quotes(self, exchange: Mapping[str, Exchange], currency: str, period: Period) -> Sequence[Quote]:
        """Choose the rates of a source: its own, else the last of the table up to the last day of the period.

        A currency of which a row has a problem has no rate: that row may be the one that counts.
        """
        own = {name: Quote(name, quote.rate, quote.date, quote.source) for name, quote in exchange.items()}
        if "" in self.in_question:
            return list(own.values())
        listed = {
            quote.currency: quote
            for quote in self.rows
            if quote.day <= period.end and quote.currency not in self.in_question | {currency}
        }
        return list((listed | own).values())


def _quote_of(row: Record) -> Quote:
    rate = Decimal(exact_text(row["rate"]))  # without the zeros that fill its column
    return Quote(row["currency"], rate, dt.date.fromisoformat(row["date"]), row["source"])


def parted(rows: DataFrame[Advances]) -> tuple[DataFrame[Advances], DataFrame[Advances]]:
    """Part what was paid ahead from what is guaranteed."""
    guaranteed = rows["kind"] == GUARANTEE
    return rows[~guaranteed].reset_index(drop=True), rows[guaranteed].reset_index(drop=True)


def left_of_advances(advances: DataFrame[Advances], opening: DataFrame[Opening], period: Period) -> DataFrame[Advances]:
    """Put what was left of advances in the place of the advances, from the period on that a row names."""
    begun = [
        record
        for record in records(opening)
        if record["kind"] == TO_RECOUP and when_is(record, period) is not When.LATER
    ]
    if not begun:
        return advances
    latest = dict[tuple[str, str, str], dt.date]()
    for balance in begun:
        latest[_advance(balance)] = max(first_day(balance), latest.get(_advance(balance), dt.date.min))
    parts = {_advance(row): row["recoup_ppm"] for row in records(advances)}
    now = [row for row in begun if first_day(row) == latest[_advance(row)]]
    left = pd.DataFrame([row | {"recoup_ppm": parts.get(_advance(row), "")} for row in now])
    others = [_advance(record) not in latest for record in records(advances)]
    columns = list(advances.columns)
    joined = pd.concat([advances[others], left[columns]], ignore_index=True).astype(advances.dtypes)
    return cast("DataFrame[Advances]", joined)


def of_other_periods(rows: DataFrame[RowRuns], opening: DataFrame[Opening], period: Period) -> DataFrame[RowRuns]:
    """Tell the rows of opening balances that say nothing about this period as ignored."""
    silent = [
        _moved(record["file"], record["sheet"], record["row"], "ignored", OTHER_PERIOD)
        for record in records(opening)
        if when_is(record, period) is When.LATER
        or (when_is(record, period) is When.EARLIER and record["kind"] != TO_RECOUP)
    ]
    return move_rows(rows, silent)


def _advance(row: Record) -> tuple[str, str, str]:
    return row["tax_id"], row["reference"], row["scope"]


class When(Enum):
    """Whether a row names an earlier period than the job's, this one or a later one."""

    EARLIER = "earlier"
    NOW = "now"
    LATER = "later"


def first_day(row: Record) -> dt.date:
    """Return the day a row names, or the first one of the month it names."""
    named: str = row["period"]
    return dt.date.fromisoformat(named if len(named) > len("2026-10") else f"{named}-01")


def when_is(row: Record, period: Period) -> When:
    """A month is named by its number or any of its days; other periods by any of theirs."""
    day = first_day(row)
    if day < period.start:
        return When.EARLIER
    return When.NOW if day <= period.end else When.LATER


OTHER_PERIOD: Final = "other_period"


def _moved(file: str, sheet: str, row: int, disposition: str, code: str) -> RowRun:
    return RowRun(file, sheet, row, row, 1, disposition, codes_json(code))
