"""Telling another edition of a statement by the sums that it states, and one that says the same twice by itself.

A statement is compared month by month of account with what was accounted. Its lines may be rounded, split, added up,
net of a fee, in another currency, without codes, and stand beside new lines: at some level (`schemas.stated_sums`) its
sums are the same, or all in one proportion; or every sum is at least what it was, and the month is cumulative.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from schemas.line_sketch import WEIGHT_PLACES, LineSketch
from schemas.messages import Message, Money
from schemas.queries import query
from schemas.stated_sums import OF_TERRITORIES, SUMS, WHOLE
from schemas.values.money import round_half_even_cents


@dataclass(frozen=True, slots=True)
class ComparedStatement:
    """A statement that others are compared with, or that is.

    Attributes:
        where: What it is called, for people.
        together: Statements of one number are not compared: corrections, and what they stand for.
        sums: Shaped `SUMS`.
    """

    where: str
    layout: str
    sums: pa.Table
    together: int = -1


class Account(NamedTuple):
    """What a statement says of one currency and month; "" where its lines do not say the month."""

    currency: str
    month: str
    amount: Decimal
    lines: int

    @property
    def key(self) -> tuple[str, str]:
        return self.currency, self.month


def accounts_of(sums: pa.Table) -> list[Account]:
    """Return what a statement adds up to, by currency and month of account; in millionths of the currency."""
    rows = sums.to_pylist()
    return [
        Account(row["currency"], row["month"], Decimal(row["amount_micros"]).scaleb(-6), row["lines"])
        for row in rows
        if row["level"] == "" and row["shape"] == WHOLE
    ]


# Editions round each line: of n lines, sums differ by some half a centavo times the root of n, and by no more than one
# in twenty where a recording is known by its name. A total alone, or that of a platform, tells by less than one in two
# thousand, and by four digits or more: what is this round comes again by chance. Amounts are millionths.
_FOUND: Final = """
WITH sums AS (
    SELECT * FROM statements
    UNION ALL  -- of recordings that may be called otherwise, the amounts alone, in centavos
    SELECT DISTINCT number, is_new, together, layout, currency, month, shape, 'amount',
        (abs(amount_micros) // 10000)::UBIGINT, abs(amount_micros) // 10000 * 10000, 1
    FROM statements
    WHERE level IN ('isrc', 'upc', 'title') AND length(rtrim((abs(amount_micros) // 10000)::VARCHAR, '0')) >= 4
),
accounts AS (
    SELECT *, max(money) OVER (PARTITION BY number, shape, currency, month) AS money_of_all FROM (
        SELECT number, is_new, together, layout, shape, currency, month, level,
            sum(abs(amount_micros)) AS money, count(*) AS keys
        FROM sums GROUP BY ALL)
),
levels AS (
    SELECT own.*, its.number AS its_number, its.currency AS its_currency, its.month AS its_month,
        its.money AS its_money, its.keys AS its_keys, its.money_of_all AS its_money_of_all,
        own.month = its.month OR own.month = '' OR its.month = '' AS is_month_s,
        own.layout = its.layout AS is_sender_s, own.currency = its.currency AS is_currency_s,
        regexp_matches(level, 'isrc|upc|title') AS is_fine, is_fine OR level IN ('platform', 'territory') AS is_named
    FROM accounts AS own JOIN accounts AS its USING (level)
    WHERE own.is_new AND own.number > its.number AND own.together <> its.together AND its.shape = -1
),
pairs AS (
    SELECT own.number, own.shape, own.currency, own.month, level,
        its.number AS its_number, its.currency AS its_currency, its.month AS its_month,
        own.amount_micros::HUGEINT AS amount, its.amount_micros::HUGEINT AS its_amount,
        abs(amount - its_amount) AS difference, amount * its_amount > 0 AS is_signed_alike,
        5000 * (1 + floor(sqrt(greatest(own.lines, its.lines)))::HUGEINT) AS rounding,
        length(rtrim((abs(its_amount) // 10000)::VARCHAR, '0')) >= 4
            AND difference <= abs(its_amount) // 2000 AS is_tight,
        is_signed_alike AND (level = 'amount' OR difference <= least(
            rounding, abs(its_amount) // if(regexp_matches(level, 'isrc|upc|title'), 20, 2000))) AS is_same
    FROM sums AS own JOIN sums AS its USING (level, key)
    WHERE own.is_new AND own.number > its.number AND own.together <> its.together AND its.shape = -1
        AND (own.month = its.month OR own.month = '' OR its.month = ''
            OR (level IN ('isrc', 'upc', 'title') AND is_same))
),
compared AS (
    SELECT *, 20000 * (1000000 + abs(ratio)) AS two_cents,
        abs(amount * 1000000 - its_amount * ratio) <= greatest(abs(its_amount * ratio) // 500, two_cents)
            AND abs(amount) * 100000 > two_cents AS is_in_proportion,
        abs(amount) * 10000 > two_cents AS is_firm
    FROM (
        SELECT *, quantile_disc(amount * 1000000 // its_amount, 0.5) OVER (
            PARTITION BY number, shape, currency, month, level, its_number, its_currency, its_month) AS ratio
        FROM pairs)
),
counted AS (
    SELECT number, shape, currency, month, level, its_number, its_currency, its_month, count(*) AS met,
        coalesce(sum(abs(its_amount)) FILTER (is_same), 0) AS same_money, count(*) FILTER (is_same) AS same_keys,
        count(*) FILTER (is_same AND is_tight) AS tight,
        count(DISTINCT its_amount) FILTER (
            is_same AND abs(its_amount) >= 1000000 AND its_amount % 10000000 <> 0) AS same_amounts,
        coalesce(sum(abs(its_amount)) FILTER (
            is_signed_alike AND abs(amount) >= abs(its_amount) - rounding), 0) AS no_less,
        coalesce(sum(abs(its_amount)) FILTER (is_in_proportion), 0) AS proportional,
        count(DISTINCT its_amount) FILTER (is_in_proportion) AS proportional_amounts,
        count(*) FILTER (is_firm) AS firm,
        count(DISTINCT its_amount) FILTER (is_firm AND is_in_proportion) AS firm_proportional
    FROM compared GROUP BY ALL
),
judged AS (
    SELECT levels.*, same_money, proportional, coalesce(met, 0) AS met,
        coalesce(no_less, 0) AS no_less, least(money, its_money) AS least_money,
        same_keys = least(keys, its_keys) AND tight >= 1 AS are_all_same,
        2 * money >= money_of_all AND 2 * its_money >= its_money_of_all AS are_most,
        coalesce(is_currency_s AND are_most AND same_keys > 0 AND CASE
            WHEN level = '' THEN is_month_s AND tight = 1
            WHEN NOT is_fine THEN is_month_s AND 2 * same_money >= least_money
                AND if(level = 'amount', same_amounts >= 3, tight >= 2 OR are_all_same)
            WHEN is_month_s THEN (4 * same_money >= least_money AND (same_amounts >= 3 OR are_all_same))
                OR (tight >= 10 AND 10 * tight >= least(keys, its_keys))
            ELSE 2 * same_money >= least_money AND same_amounts >= 3
        END, false) AS are_equal,
        coalesce(is_month_s AND are_most AND is_fine AND (
            (3 * proportional >= 2 * its_money AND proportional_amounts >= 3 AND 2 * proportional_amounts >= met)
            OR (firm_proportional >= 5 AND 5 * firm_proportional >= firm)), false) AS are_proportional
    FROM levels LEFT JOIN counted
        USING (number, shape, currency, month, level, its_number, its_currency, its_month)
)
SELECT number, currency, month, its_number, its_currency, its_month,
    coalesce(any_value(its_money) FILTER (level = ''), 0)::BIGINT AS its_micros,
    coalesce(max(if(are_equal, same_money, proportional)) FILTER (are_equal OR are_proportional), its_micros)::BIGINT
        AS matched_micros,
    CASE
        WHEN bool_or(are_equal AND level = '') THEN 'same_total'
        WHEN bool_or(are_equal AND level IN ('platform', 'territory')) THEN 'same_platforms'
        WHEN bool_or(are_equal OR are_proportional) THEN 'same_recordings'
        WHEN shape <> -1 OR NOT any_value(is_sender_s) OR max(met) FILTER (is_named) IS NULL
            -- two files of the table that anybody may fill in need not come from one sender
            OR (any_value(layout) = 'royalties' AND NOT bool_or(level = 'platform')) THEN NULL
        WHEN NOT any_value(is_currency_s) AND month = its_month AND month <> ''
            AND bool_and(met > 0) FILTER (is_named) THEN 'other_currency'
        WHEN any_value(is_currency_s AND is_month_s) AND max(met) FILTER (is_named) >= 5
            AND 5 * max(its_money_of_all) >= max(money_of_all)
            AND bool_and(10 * no_less >= 9 * its_money) FILTER (is_named) THEN 'cumulative'
    END AS how
FROM judged
GROUP BY number, shape, currency, month, its_number, its_currency, its_month
HAVING how IS NOT NULL
ORDER BY number, currency, month, its_number, its_currency, its_month
"""


# How one statement may be another's edition, the surest first.
_EQUAL: Final = ("same_total", "same_recordings", "same_platforms")
_HOW: Final = (*_EQUAL, "cumulative", "other_currency")


@dataclass(frozen=True, slots=True)
class Edition:
    """Of what an account looks like another edition, and why.

    Attributes:
        how: Part of the id of a message, "again....".
        matched_micros: How much of the other it states again, in millionths.
    """

    how: str
    where: str
    month: str
    currency: str
    total: Money
    matched_micros: int

    @property
    def message(self) -> Message:
        facts = {"other": self.where, "month": self.month or "-", "currency": self.currency, "total": self.total}
        return Message(f"again.{self.how}", **facts)


def find_editions(
    statements: Sequence[ComparedStatement], before: Sequence[ComparedStatement]
) -> dict[str, dict[tuple[str, str], Edition]]:
    """Find the accounts of statements that look like another edition of what was accounted, or stands before.

    Args:
        statements: Those of a run, the first first: each is compared with those before it.
        before: Those that were accounted.

    Returns:
        Name of the statement -> currency and month of the account -> of what it looks like an edition.
    """
    everything = [*_comparable(before, statements), *statements]
    found = dict[str, dict[tuple[str, str], Edition]]()
    for row in sorted(_compare(everything, len(before)), key=lambda row: _HOW.index(row["how"])):
        accounts = found.setdefault(everything[row["number"]].where, {})
        other = everything[row["its_number"]]
        edition = Edition(
            how=row["how"],
            where=other.where,
            month=row["month"] or row["its_month"],
            currency=row["its_currency"],
            total=Money(round_half_even_cents(Fraction(row["its_micros"], 10_000)), row["its_currency"]),
            matched_micros=row["matched_micros"],
        )
        accounts.setdefault((row["currency"], row["month"]), edition)
    return found


# Of other months, the recordings of most money say whether a statement was dated anew.
_MOST_DATED_ANEW: Final = 100


def _comparable(before: Sequence[ComparedStatement], now: Sequence[ComparedStatement]) -> list[ComparedStatement]:
    """Leave out the sums of months that no statement is of, but for those of its largest recordings."""
    if not before or not now:
        return list(before)
    sums = pa.concat_tables([statement.sums for statement in now])
    months = pc.unique(sums["month"])
    recordings = sums.filter(pc.is_in(sums["level"], pa.array(["isrc", "upc", "title"])))
    heaviest = recordings["key"].take(pc.array_sort_indices(pc.abs(recordings["amount_micros"]), order="descending"))
    largest = heaviest[: _MOST_DATED_ANEW * max(1, len(now))]
    if "" in months.to_pylist():
        return list(before)

    def kept(other: pa.Table) -> pa.Table:
        of_months = pc.or_(pc.is_in(other["month"], months), pc.equal(other["month"], ""))
        return other.filter(pc.or_(of_months, pc.is_in(other["key"], largest)))

    return [replace(other, sums=kept(other.sums)) for other in before]


def _compare(statements: Sequence[ComparedStatement], known: int = 0) -> list[dict[str, Any]]:
    """Compare each statement with those before it; the first ones are known, and are not judged."""
    if len(statements) <= max(known, 1):
        return []
    tables = []
    for number, statement in enumerate(statements):
        sums, count = statement.sums.cast(SUMS), len(statement.sums)
        facts = {
            "number": number,
            "is_new": number >= known,
            "together": statement.together,
            "layout": statement.layout,
        }
        about = [pa.repeat(fact, count) for fact in facts.values()]
        tables.append(pa.table([*about, *sums.columns], names=[*facts, *SUMS.names]))
    rows: list[dict[str, Any]] = query(_FOUND, statements=pa.concat_tables(tables)).to_pylist()
    return rows


# Lines of one recording, day, store and country may come to the same, as sales one by one do, or streams at one price.
# Amounts of four digits, from one unit of money on, do not; nor do most lines of a file.
_FEWEST_TWICE: Final = 3
_FEWEST_OF_MOST: Final = 6
_ONE: Final = 10**WEIGHT_PLACES
_LONG_DIGITS: Final = 4


def says_twice(lines: LineSketch, sums: pa.Table) -> Message | None:
    """Say how a statement says the same money twice by itself; None where it does not.

    Its lines stand twice, in whatever order; or some of its lines, which fill other columns, add up to what the others
    do; or recordings come in pairs, called otherwise, with the same amounts.
    """
    again = _lines_again(lines)
    if again:
        return Message("twice.lines", count=again)
    shapes = pc.unique(sums["shape"]).to_pylist()
    for same_columns in (
        [shape for shape in shapes if 0 <= shape < OF_TERRITORIES],
        [shape for shape in shapes if shape >= OF_TERRITORIES],
    ):
        parts = [_part(sums, shape, number) for number, shape in enumerate(sorted(same_columns, reverse=True))]
        if any(row["how"] in _EQUAL for row in _compare(parts)):
            return Message("twice.sums")
    return Message("twice.recordings") if _recordings_again(sums) else None


def _lines_again(lines: LineSketch) -> int:
    """Count the lines that stand once more, where these are more than chance."""
    more = lines.counts - 1
    again = np.count_nonzero(more)
    long = {weight for weight in lines.weights[more > 0].tolist() if weight >= _ONE and _digits(weight) >= _LONG_DIGITS}
    is_every_line = again == len(more) >= _FEWEST_TWICE
    are_most = again >= _FEWEST_OF_MOST and 3 * again >= 2 * len(more)
    are_long = len(long) > max(_FEWEST_TWICE, len(more) // 100)
    return lines.lines_of(more) if is_every_line or are_most or are_long else 0


def _digits(weight: int) -> int:
    return len(str(weight).rstrip("0"))


def _part(sums: pa.Table, shape: int, number: int) -> ComparedStatement:
    """Return the sums of lines of one shape, whatever month they are of: sums below often say none."""
    own = sums.filter(pc.equal(sums["shape"], shape))
    added = own.group_by(["currency", "level", "key"]).aggregate([("amount_micros", "sum"), ("lines", "sum")])
    columns = {
        "currency": added["currency"],
        "month": pa.repeat("", len(added)),
        "shape": pa.repeat(WHOLE, len(added)),
        "level": added["level"],
        "key": added["key"],
        "amount_micros": added["amount_micros_sum"],
        "lines": added["lines_sum"],
    }
    return ComparedStatement(str(shape), "", pa.table(columns).cast(SUMS), together=number)


_TWINS: Final = """
SELECT count(*) FROM (
    SELECT currency, month, sum(abs(amount_micros) * times) AS money, sum(abs(amount_micros) * (times - 1)) AS again,
        count(*) FILTER (times > 1 AND length(rtrim((abs(amount_micros) // 10000)::VARCHAR, '0')) >= 4) AS amounts
    FROM (SELECT currency, month, amount_micros, count(*) AS times FROM sums
          WHERE shape = -1 AND level = 'title' GROUP BY ALL)
    GROUP BY ALL)
WHERE 3 * again >= money AND amounts >= 3
"""


def _recordings_again(sums: pa.Table) -> bool:
    return bool(query(_TWINS, sums=sums).column(0)[0].as_py())
