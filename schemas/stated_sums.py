"""What the lines of a statement add up to at every level that they state, by which a statement is known again.

A level is what sums are by: a recording (`isrc`, `upc`, `title`), a `platform`, a `territory`, a recording on a
platform or in a territory (`isrc+platform`, ...), and "", which is all of it. Another edition of a statement, whatever
its words and its cut, states the same sums at some level: amounts are rounded, lines split or added up, codes left out,
but the money is the same.
"""

from collections.abc import Iterable
from typing import Final

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from schemas.queries import query
from schemas.tables.royalties import LineTotals

# Shape of sums: one row per currency, month of account ("" where lines do not say), shape of lines, level and key.
#   shape: which of the columns that levels are made of the lines fill, as bits; `WHOLE` is all lines of the account.
#       Lines are added up twice, by platform and by territory: from `OF_TERRITORIES` on, shapes are of the latter.
#   key: of what the sum is, hashed. Of a level of an account, those of most money are kept, 1,024 at most.
#   amount_micros: in millionths of the currency, to be compared, never to be paid.
SUMS: Final = pa.schema(
    [
        ("currency", pa.string()),
        ("month", pa.string()),
        ("shape", pa.int32()),
        ("level", pa.string()),
        ("key", pa.uint64()),
        ("amount_micros", pa.int64()),
        ("lines", pa.int64()),
    ]
)
NO_SUMS: Final = SUMS.empty_table()
WHOLE: Final = -1
OF_TERRITORIES: Final = 16


def stated_sums(totals: Iterable[LineTotals]) -> dict[str, pa.Table]:
    """Add the sound lines of each file up at every level.

    Returns:
        File name -> its sums, shaped `SUMS`.
    """
    found = [total for total in totals if len(total.by_platform)]
    if not found:
        return {}
    platforms = _with_micros([total.by_platform for total in found], ("title", "platform"))
    territories = _with_micros([total.by_territory for total in found], ("territory",))
    sums = query(_STATED, platform_totals=platforms, territory_totals=territories)
    return {
        str(file): sums.filter(pc.equal(sums["file"], file)).drop_columns(["file"]).cast(SUMS)
        for file in pc.unique(sums["file"]).to_pylist()
    }


def _with_micros(frames: list[pd.DataFrame], names: tuple[str, ...]) -> pa.Table:
    columns = ["file", "isrc", "upc", "period", "currency", *names, "amount", "lines"]
    table = pa.concat_tables(pa.Table.from_pandas(frame[columns], preserve_index=False) for frame in frames)
    rounded = pc.round(table["amount"].combine_chunks(), 6).cast(pa.decimal128(38, 6))
    micros = np.frombuffer(rounded.buffers()[1], np.int64)[2 * rounded.offset :][: 2 * len(rounded) : 2]
    return table.drop_columns(["amount"]).append_column("micros", pa.array(micros))


# `least` is found by heaps of 1,024 sums; only what may be among them is put in order.
_STATED: Final = r"""
WITH platforms AS MATERIALIZED (
    SELECT *, (isrc <> '')::INTEGER + 2 * (upc <> '')::INTEGER + 4 * (title <> '')::INTEGER
        + 8 * (platform <> '')::INTEGER AS shape
    FROM (
        SELECT file, currency, left(period, 7) AS month, isrc, ltrim(replace(upc, '?', ''), '0') AS upc, micros, lines,
            regexp_replace(strip_accents(lower(title)), '[^\p{L}\p{N}]', '', 'g') AS title,
            regexp_replace(strip_accents(lower(platform)), '[^\p{L}\p{N}]', '', 'g') AS platform
        FROM platform_totals)
),
territories AS MATERIALIZED (
    SELECT *, 16 + (isrc <> '')::INTEGER + 2 * (upc <> '')::INTEGER + 4 * (territory <> '')::INTEGER AS shape
    FROM (
        SELECT file, currency, left(period, 7) AS month, isrc, ltrim(replace(upc, '?', ''), '0') AS upc, micros, lines,
            regexp_replace(strip_accents(lower(territory)), '[^\p{L}\p{N}]', '', 'g') AS territory
        FROM territory_totals)
),
by_shape AS (
    SELECT file, currency, month, shape, NULL AS territory, isrc, upc, title, platform,
        sum(micros) AS micros, sum(lines) AS lines
    FROM platforms
    GROUP BY file, currency, month, shape, GROUPING SETS (
        (), (isrc), (upc), (title), (platform), (isrc, platform), (title, platform))
    UNION ALL
    SELECT file, currency, month, shape, territory, isrc, NULL, NULL, NULL, sum(micros), sum(lines)
    FROM territories
    GROUP BY file, currency, month, shape, GROUPING SETS ((), (territory), (isrc, territory))
),
named AS MATERIALIZED (
    SELECT file, currency, month, shape, micros, lines, concat_ws('|', isrc, upc, title, platform, territory) AS name,
        concat_ws('+', if(isrc IS NULL, NULL, 'isrc'), if(upc IS NULL, NULL, 'upc'), if(title IS NULL, NULL, 'title'),
            if(platform IS NULL, NULL, 'platform'), if(territory IS NULL, NULL, 'territory')) AS level
    FROM by_shape
    WHERE NOT coalesce(isrc = '', false) AND NOT coalesce(upc = '', false) AND NOT coalesce(title = '', false)
        AND NOT coalesce(platform = '', false) AND NOT coalesce(territory = '', false)
),
of_several_shapes AS (
    SELECT DISTINCT file FROM (
        SELECT file FROM platforms GROUP BY file HAVING min(shape) < max(shape)
        UNION ALL
        SELECT file FROM territories GROUP BY file HAVING min(shape) < max(shape))
),
sums AS NOT MATERIALIZED (
    SELECT * FROM named SEMI JOIN of_several_shapes USING (file)
    UNION ALL
    SELECT file, currency, month, -1, sum(micros), sum(lines), name, level
    FROM named SEMI JOIN of_several_shapes USING (file) WHERE level <> '' OR shape < 16 GROUP BY ALL
    UNION ALL
    SELECT file, currency, month, -1, micros, lines, name, level
    FROM named ANTI JOIN of_several_shapes USING (file) WHERE level <> '' OR shape < 16
),
least AS (
    SELECT file, currency, month, shape, level, list_min(max(abs(micros), 1024)) AS micros_least
    FROM sums WHERE micros <> 0 GROUP BY ALL
)
SELECT file, currency, month, shape, level, md5_number_lower(level || ':' || name) AS key,
    micros::BIGINT AS amount_micros, lines::BIGINT AS lines
FROM sums JOIN least USING (file, currency, month, shape, level)
WHERE micros <> 0 AND abs(micros) >= least.micros_least
QUALIFY row_number() OVER (
    PARTITION BY file, currency, month, shape, level ORDER BY abs(micros) DESC, name) <= 1024
ORDER BY ALL
"""
