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
# Levels are numbered as in `LEVELS`; "?" is `UNREAD_UPC`. What rows ask and lines say stands between bars, "" is
# silence.
# A spot is what lines name at a level, with what rows of that level ask besides: rows are held against spots, of which
# there are far fewer than lines, and lines are told by the spots that they are at.
_QUESTION: Final = """
WITH asking AS (  -- what rows of a level ask at all
    SELECT level, bool_or(beside <> '') AS beside, bool_or(valid_from <> '' OR valid_to <> '') AS day,
        bool_or(territory <> '') AS territory, bool_or(income <> '') AS income, bool_or(platform <> '') AS platform,
        bool_or(format <> '') AS format
    FROM rows GROUP BY level
),
named AS (  -- what a line names at each level, and says beside
    SELECT key, 0 AS level, isrc AS name, upc AS said FROM keys WHERE isrc <> ''
    UNION ALL SELECT key, 1, upc, '' FROM keys WHERE upc <> ''
    UNION ALL SELECT key, 2, release, artist FROM keys WHERE release <> ''
    UNION ALL SELECT key, 3, artist, '' FROM keys WHERE artist <> ''
    UNION ALL SELECT key, 4, '', '' FROM keys
),
spots AS MATERIALIZED (
    SELECT row_number() OVER () AS spot, * FROM (
        SELECT level, name, if(asking.beside AND said <> '?', said, '') AS said, if(asking.day, keys.day, '') AS day,
            if(asking.territory, keys.territory, '') AS territory, if(asking.income, keys.income, '') AS income,
            if(asking.platform, keys.platform, '') AS platform, if(asking.format, keys.format, '') AS format,
            list(key) AS keys
        FROM named SEMI JOIN rows USING (level, name) JOIN asking USING (level) JOIN keys USING (key)
        GROUP BY ALL)
),
met AS MATERIALIZED (  -- rows that are a spot's own, or may be
    SELECT spot, level, said, number, place, beside, adds, unsure, asked, conditions, has_price, is_cost,
        beside = '' OR said = '' OR said = beside AS agrees,
        agrees AND unsure = ''
            AND (rows.territory = '' OR (spots.territory <> ''
                AND contains(rows.territory, spots.territory) <> starts_with(rows.territory, '!')))
            AND (rows.income = '' OR (spots.income <> ''
                AND contains(rows.income, spots.income) <> starts_with(rows.income, '!')))
            AND (rows.platform = '' OR (spots.platform <> ''
                AND contains(rows.platform, spots.platform) <> starts_with(rows.platform, '!')))
            AND (rows.format = '' OR (spots.format <> ''
                AND contains(rows.format, spots.format) <> starts_with(rows.format, '!'))) AS is_own,
        agrees AND (
            (rows.territory <> '' AND spots.territory = '') OR (rows.income <> '' AND spots.income = '')
            OR (rows.platform <> '' AND spots.platform = '') OR (rows.format <> '' AND spots.format = '')
        ) AS is_unanswered
    FROM spots JOIN rows USING (level, name)
    WHERE (valid_from = '' OR valid_from <= day) AND (valid_to = '' OR day <= valid_to)
        AND (is_own OR is_unanswered OR unsure <> '' OR beside <> '')
),
of_shares AS MATERIALIZED (  -- what rows of shares come to at a spot: those that decide there, and what is not known
    SELECT spot, level,
        list(number ORDER BY number) FILTER (is_group) AS shares,
        list(number ORDER BY asked DESC, place) FILTER (is_own AND adds) AS added,
        list(number ORDER BY asked DESC, number) FILTER (is_own AND NOT adds AND NOT is_group) AS others,
        coalesce(bool_or(NOT adds AND (is_own OR (agrees AND unsure = 'in question'))), false) AS may_decide,
        coalesce(min(conditions) FILTER (is_group) <> max(conditions) FILTER (is_group), false) AS clashes,
        coalesce(bool_or(has_price) FILTER (is_group), false) AS has_price,
        coalesce(bool_or(has_price) FILTER (is_own AND adds), false) AS adds_price,
        bool_or(unsure = 'ambiguous')
            OR (any_value(said) = '' AND coalesce(min(nullif(beside, '')) <> max(nullif(beside, '')), false))
            AS is_ambiguous,
        CASE WHEN is_ambiguous THEN 'ambiguous' WHEN bool_or(agrees AND unsure = 'in question') THEN 'in question'
            WHEN bool_or(is_unanswered) THEN 'silent' END AS problem,
        CASE WHEN is_ambiguous AND bool_or(adds) THEN 'ambiguous'
            WHEN bool_or(adds AND agrees AND unsure = 'in question') THEN 'in question'
            WHEN bool_or(adds AND is_unanswered) THEN 'silent' END AS problem_of_added
    FROM (
        SELECT *, is_own AND NOT adds AND asked = max(asked) FILTER (is_own AND NOT adds) OVER (PARTITION BY spot)
            AS is_group
        FROM met WHERE NOT is_cost)
    GROUP BY spot, level
),
of_costs AS MATERIALIZED (
    SELECT spot, level, list(number) FILTER (is_own) AS costs,
        CASE WHEN bool_or(agrees AND unsure = 'in question') THEN 'in question'
            WHEN bool_or(unsure = 'ambiguous') THEN 'ambiguous' WHEN bool_or(is_unanswered) THEN 'silent' END AS problem
    FROM met WHERE is_cost GROUP BY spot, level
),
at_spots AS (SELECT unnest(keys) AS key, spot FROM spots),
decided AS (  -- of each line: the narrowest spot that decides, those that add, and what is not known
    SELECT key, any_value(spot) FILTER (level = deciding) AS decides,
        list(spot ORDER BY level) FILTER (added IS NOT NULL) AS adding,
        list(spot ORDER BY level) FILTER (level > deciding AND shares IS NOT NULL OR others IS NOT NULL) AS wider,
        bool_or(clashes) FILTER (level = deciding) AS clashes,
        coalesce(bool_or(has_price) FILTER (level = deciding), false) OR bool_or(adds_price) AS needs_price,
        arg_min(if(deciding IS NULL OR level <= deciding, problem, problem_of_added), level) AS problem
    FROM (
        SELECT key, of_shares.*, min(level) FILTER (may_decide) OVER (PARTITION BY key) AS deciding
        FROM at_spots JOIN of_shares USING (spot))
    GROUP BY key
),
taken AS (
    SELECT key, list(spot ORDER BY level) FILTER (costs IS NOT NULL) AS taking, arg_min(problem, level) AS problem
    FROM at_spots JOIN of_costs USING (spot) GROUP BY key
),
told AS MATERIALIZED (  -- lines of which the same spots decide, together
    SELECT row_number() OVER (ORDER BY min(key)) AS decision, status, decides, adding, wider, taking, price,
        list(key) AS keys
    FROM (
        SELECT key,
            CASE WHEN decided.problem IS NOT NULL THEN decided.problem WHEN clashes THEN 'clash'
                WHEN needs_price AND trim(keys.price) = '' THEN 'silent' WHEN decides IS NULL THEN 'unmatched'
                ELSE coalesce(taken.problem, '') END AS status,
            if(status IN ('', 'clash'), decides, NULL) AS decides, if(status = '', adding, NULL) AS adding,
            if(status = '', wider, NULL) AS wider, if(status = '', taking, NULL) AS taking,
            if(status = '' AND needs_price, keys.price, '') AS price
        FROM keys LEFT JOIN decided USING (key) LEFT JOIN taken USING (key))
    GROUP BY status, decides, adding, wider, taking, price
),
added AS (
    SELECT decision, flatten(list(added ORDER BY level)) AS added
    FROM (SELECT decision, unnest(adding) AS spot FROM told) JOIN of_shares USING (spot) GROUP BY decision
),
wider AS (
    SELECT decision, flatten(list(list_concat(if(spot = decides, NULL, shares), others) ORDER BY level)) AS wider
    FROM (SELECT decision, decides, unnest(wider) AS spot FROM told) JOIN of_shares USING (spot) GROUP BY decision
),
costs AS (
    SELECT decision, list_sort(flatten(list(costs))) AS costs
    FROM (SELECT decision, unnest(taking) AS spot FROM told) JOIN of_costs USING (spot) GROUP BY decision
)
SELECT status, coalesce(shares, []) AS shares, coalesce(added.added, []) AS added, coalesce(wider.wider, []) AS wider,
    coalesce(costs.costs, []) AS costs, price, told.keys
FROM told LEFT JOIN of_shares ON decides = spot LEFT JOIN added USING (decision) LEFT JOIN wider USING (decision)
    LEFT JOIN costs USING (decision)
ORDER BY decision
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
        words = {text: f"|{word_of(name, text)}|" if text.strip() else "" for text in set(said)}
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
