"""Which rows of shares and costs are of which lines: one question about what lines say and what rows name and ask.

The narrowest level decides, there the rows with the most conditions, all of them met; rows with a base are added to
whatever decides, from every level. Of lines that may be a row's in question, or that do not say what a row asks, it is
not known what decides.
"""

import re
from typing import Final

import numpy as np
import pandas as pd
import pyarrow as pa

from flows.royalties.rules.assets import BESIDE, LEVELS, day_of, folded_all
from schemas.queries import query
from schemas.tables.royalties import CONDITIONS, UNREAD_UPC
from schemas.values.line_conditions import word_of
from schemas.values.millionths import OF_PRICE

_BETWEEN_BARS: Final = re.compile("^(!?)(.+)$")
# Levels are numbered as in `LEVELS`; "?" is `UNREAD_UPC`. What rows ask and lines say stands between bars.
_QUESTION: Final = """
WITH named AS (
    SELECT key, 0 AS level, isrc AS name, upc AS said FROM keys WHERE isrc <> ''
    UNION ALL SELECT key, 1, upc, '' FROM keys WHERE upc <> ''
    UNION ALL SELECT key, 2, release, artist FROM keys WHERE release <> ''
    UNION ALL SELECT key, 3, artist, '' FROM keys WHERE artist <> ''
    UNION ALL SELECT key, 4, '', '' FROM keys
),
met AS (
    SELECT key, level, said, number, place, beside, adds, unsure, asked, conditions, has_price, is_cost,
        beside = '' OR said IN ('', '?') OR said = beside AS agrees,
        agrees AND unsure = '' AND coalesce(
            (rows.territory = '' OR contains(rows.territory, keys.territory) <> starts_with(rows.territory, '!'))
            AND (rows.income = '' OR contains(rows.income, keys.income) <> starts_with(rows.income, '!'))
            AND (rows.platform = '' OR contains(rows.platform, keys.platform) <> starts_with(rows.platform, '!'))
            AND (rows.format = '' OR contains(rows.format, keys.format) <> starts_with(rows.format, '!')), false
        ) AS is_own,
        agrees AND (
            (rows.territory <> '' AND keys.territory IS NULL) OR (rows.income <> '' AND keys.income IS NULL)
            OR (rows.platform <> '' AND keys.platform IS NULL) OR (rows.format <> '' AND keys.format IS NULL)
        ) AS is_unanswered
    FROM named JOIN rows USING (level, name) JOIN keys USING (key)
    WHERE valid_from <= day AND (valid_to = '' OR day <= valid_to)
),
of_shares AS (
    SELECT *,
        min(level) FILTER (NOT adds AND (is_own OR (agrees AND unsure = 'in question'))) OVER (PARTITION BY key)
            AS deciding,
        max(asked) FILTER (is_own AND NOT adds) OVER (PARTITION BY key, level) AS most
    FROM met WHERE NOT is_cost
),
problems AS (
    SELECT key, arg_min(problem, level) AS problem FROM (
        SELECT key, level, bool_or(adds OR deciding IS NULL OR level <= deciding) AS matters,
            CASE WHEN matters AND (bool_or(unsure = 'ambiguous') OR (any_value(said) IN ('', '?')
                    AND min(nullif(beside, '')) <> max(nullif(beside, '')))) THEN 'ambiguous'
                WHEN bool_or(agrees AND unsure = 'in question' AND (adds OR level <= deciding)) THEN 'in question'
                WHEN bool_or(is_unanswered AND (adds OR deciding IS NULL OR level <= deciding)) THEN 'silent'
            END AS problem
        FROM of_shares GROUP BY key, level
    ) GROUP BY key
),
decided AS (
    SELECT key, list(number ORDER BY number) FILTER (is_group) AS shares,
        list(number ORDER BY level, asked DESC, place) FILTER (is_own AND adds) AS added,
        list(number ORDER BY level, asked DESC, number) FILTER (is_own AND NOT adds AND NOT is_group) AS wider,
        min(conditions) FILTER (is_group) <> max(conditions) FILTER (is_group) AS clashes,
        coalesce(bool_or(has_price) FILTER (is_group OR (is_own AND adds)), false) AS needs_price
    FROM (SELECT *, is_own AND NOT adds AND level = deciding AND asked = most AS is_group FROM of_shares)
    GROUP BY key
),
taken AS (
    SELECT key, list(number ORDER BY number) FILTER (is_own) AS costs,
        CASE WHEN bool_or(agrees AND unsure = 'in question') THEN 'in question'
            ELSE arg_min(CASE WHEN unsure = 'ambiguous' THEN unsure WHEN is_unanswered THEN 'silent' END, number)
        END AS problem
    FROM met WHERE is_cost GROUP BY key
),
told AS (
    SELECT key,
        CASE WHEN problems.problem IS NOT NULL THEN problems.problem
            WHEN decided.shares IS NULL THEN 'unmatched'
            WHEN decided.clashes THEN 'clash'
            WHEN decided.needs_price AND trim(keys.price) = '' THEN 'silent'
            ELSE coalesce(taken.problem, '') END AS status,
        CASE WHEN status IN ('', 'clash') THEN decided.shares END AS shares,
        CASE WHEN status = '' THEN decided.added END AS added,
        CASE WHEN status = '' THEN decided.wider END AS wider,
        CASE WHEN status = '' THEN taken.costs END AS costs,
        CASE WHEN status = '' AND decided.needs_price THEN keys.price ELSE '' END AS price
    FROM keys LEFT JOIN decided USING (key) LEFT JOIN problems USING (key) LEFT JOIN taken USING (key)
)
SELECT status, coalesce(shares, []) AS shares, coalesce(added, []) AS added, coalesce(wider, []) AS wider,
    coalesce(costs, []) AS costs, price, list(key ORDER BY key) AS keys
FROM told GROUP BY ALL ORDER BY min(key)
"""


def match(keys: pa.Table, rows: pa.Table) -> pa.Table:
    """Tell what decides of lines.

    Args:
        keys: Of `keys_of`.
        rows: Of `rows_to_match`.

    Returns:
        For all lines of which the same rows decide, one row: `status`, "" where that is known; the numbers of the rows
        that decide together (`shares`), that are added, of which costs are taken, and that would decide of them if
        others did not (`wider`); their price, where a row asks for it; and the numbers of the `keys`.
    """
    return query(_QUESTION, keys=keys, rows=rows)


def keys_of(lines: pa.Table, first_day: str) -> pa.Table:
    """Return lines as rows are held against them.

    Args:
        lines: With the columns of `schemas.tables.royalties.PlatformTotals` that lines are known by.
        first_day: Of the job's period (ISO), for lines that do not say their own.
    """
    columns: dict[str, object] = {level: folded_all(lines[level].to_pylist()) for level in LEVELS}
    for name in CONDITIONS:
        said = lines[name].to_pylist()
        words = {text: f"|{word_of(name, text)}|" if text.strip() else None for text in set(said)}
        columns[name] = pa.array([words[text] for text in said], pa.string())
    days = [day_of(period, first_day) for period in lines["period"].to_pylist()]
    return pa.table({"key": np.arange(len(lines)), **columns, "price": lines["price"], "day": days})


def rows_to_match(
    shares: pd.DataFrame, costs: pd.DataFrame, shares_in_question: pd.DataFrame, costs_in_question: pd.DataFrame
) -> pa.Table:
    """Return what rows name and ask, of shares and of costs, each numbered in its order.

    Args:
        shares_in_question, costs_in_question: Held rows, as `flows.intake.rules.inputs.in_question` tells them.
    """
    found = list[pd.DataFrame]()
    for is_cost, sound, held in ((False, shares, shares_in_question), (True, costs, costs_in_question)):
        rows = pd.concat([_named(sound), _named(held, unsure="in question")], ignore_index=True)
        by_upc = rows[rows["level"] == LEVELS.index("upc")]
        # Each of which may be of a line that has an unreadable one.
        unread = by_upc[:1].assign(name=UNREAD_UPC, unsure="ambiguous", adds=bool(by_upc["adds"].any()), asked=0)
        unread[["conditions", "valid_from", "valid_to", *CONDITIONS]] = ""
        found += [rows.assign(is_cost=is_cost), unread.assign(is_cost=is_cost)]
    return pa.Table.from_pandas(pd.concat(found, ignore_index=True), preserve_index=False)


def _named(rows: pd.DataFrame, unsure: str = "") -> pd.DataFrame:
    names = (*LEVELS, *CONDITIONS, "valid_from", "valid_to", "base", "per_unit")
    texts = {name: rows[name].to_numpy(dtype=object) if name in rows else np.full(len(rows), "") for name in names}
    levels = np.full(len(rows), len(LEVELS), dtype=np.int64)
    of_level, beside = np.full(len(rows), "", dtype=object), np.full(len(rows), "", dtype=object)
    for number, level in reversed([*enumerate(LEVELS)]):
        named = texts[level] != ""
        levels[named], of_level[named] = number, folded_all(texts[level][named])
        beside[named] = folded_all(texts[BESIDE[level]][named]) if level in BESIDE else ""
    asked = [texts[name] for name in CONDITIONS]
    found = {
        "number": np.arange(len(rows)),
        "place": rows.get("place", 0),
        "level": levels,
        "name": of_level,
        "beside": beside,
        "adds": texts["base"] != "",
        "unsure": unsure,
        "asked": sum((said != "").astype(np.int64) for said in asked),
        "conditions": [";".join(said) for said in zip(*asked, strict=True)],
        "has_price": [text.startswith(OF_PRICE) for text in texts["per_unit"]],
        **{name: [text and _BETWEEN_BARS.sub(r"\1|\2|", text) for text in texts[name]] for name in CONDITIONS},
        **{name: texts[name] for name in ("valid_from", "valid_to")},
    }
    kinds = dict.fromkeys(("number", "place", "level", "asked"), "int64") | dict.fromkeys(("adds", "has_price"), "bool")
    return pd.DataFrame(found).astype({name: kinds.get(name, "str") for name in found})
