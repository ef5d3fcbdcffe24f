"""What the lines of a statement add up to at every level that they state, by which a statement is known again.

A level is what sums are by: a recording (`isrc`, `upc`, `title`), a `platform`, a `territory`, a recording on a
platform or in a territory, and `all`. Another edition of a statement, whatever its words and its cut, states the same sums at
some level: amounts are rounded, lines split or added up, codes left out, but the money is the same.
"""

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from schemas.queries import query
from schemas.tables.royalties import UNREAD_UPC, LineTotals

# Shape of sums: one row per currency, month of account ("" where lines do not say), shape of lines, level and key.
#   shape: which of the columns that levels are made of the lines fill, as bits; `WHOLE` is all lines of the account.
#   key: of what the sum is, hashed.
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
# Lines are added up twice, by platform and by territory; from this shape on, sums are of the latter.
OF_TERRITORIES: Final = 16
# Of an account, a level has those of its sums that are of most money; so many say whether it is another's edition.
MOST_SUMS: Final = 4096

RECORDINGS: Final = ("isrc", "upc", "title")
# Of what sums are, by level: of which of the two kinds of totals, and by which of their columns. A recording is known
# by any of its names, also on a platform or in a territory.
_LEVELS: Final = (
    *((name, "platforms", (name,)) for name in RECORDINGS),
    *((f"{name}+platform", "platforms", (name, "platform")) for name in RECORDINGS),
    ("platform", "platforms", ("platform",)),
    *((f"{name}+territory", "territories", (name, "territory")) for name in ("isrc", "upc")),
    ("territory", "territories", ("territory",)),
    ("all", "platforms", ()),
    ("all", "territories", ()),
)
# Levels that name recordings; platforms and territories come again by chance.
FINE: Final = tuple(level for level, _, names in _LEVELS if {*names} & {*RECORDINGS})
COARSE: Final = ("platform", "territory")


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


def _lines(table: str, names: Sequence[str], base: int) -> str:
    letters = ", ".join(
        f"regexp_replace(strip_accents(lower({name})), '[^\\p{{L}}\\p{{N}}]', '', 'g') AS {name}" for name in names
    )
    filled = " + ".join(f"{1 << at} * ({name} <> '')::INTEGER" for at, name in enumerate(("isrc", "upc", *names)))
    return f"""
        SELECT *, {base} + {filled} AS shape FROM (
            SELECT file, currency, left(period, 7) AS month, isrc,
                ltrim(replace(upc, '{UNREAD_UPC}', ''), '0') AS upc, {letters}, micros, lines
            FROM {table})"""


def _by(level: str, lines: str, names: Sequence[str]) -> str:
    stated = " AND ".join(["true", *(f"{name} <> ''" for name in names)])
    of = f"concat_ws('|', {', '.join(names)})" if names else "''"
    return f"""
        SELECT file, currency, month, shape, '{level}' AS level, {of} AS key,
            sum(micros) AS micros, sum(lines) AS lines
        FROM {lines} WHERE {stated} GROUP BY ALL"""


_STATED: Final = f"""
WITH platforms AS ({_lines("platform_totals", ("title", "platform"), 0)}),
territories AS ({_lines("territory_totals", ("territory",), OF_TERRITORIES)}),
by_shape AS ({" UNION ALL ".join(_by(*level) for level in _LEVELS)}),
in_shapes AS (
    SELECT file FROM by_shape GROUP BY ALL
    HAVING count(DISTINCT shape) FILTER (shape < {OF_TERRITORIES}) > 1 OR count(DISTINCT shape) FILTER (shape >= {OF_TERRITORIES}) > 1
),
sums AS (
    SELECT * FROM by_shape SEMI JOIN in_shapes USING (file)
    UNION ALL
    SELECT file, currency, month, {WHOLE}, level, key, sum(micros), sum(lines)
    FROM by_shape WHERE level <> 'all' OR shape < {OF_TERRITORIES} GROUP BY ALL
)
SELECT file, currency, month, shape, level, md5_number_lower(level || ':' || key) AS key, micros::BIGINT AS amount_micros, lines::BIGINT AS lines
FROM sums WHERE micros <> 0
QUALIFY row_number() OVER (PARTITION BY file, currency, month, shape, level ORDER BY abs(micros) DESC, key) <= {MOST_SUMS}
ORDER BY ALL
"""
