"""Rows that people have put right in a corrections workbook: which of them count, and what is told of them later."""

from collections.abc import Collection, Sequence

import pandas as pd

from flows.steps.owe import obligations_frame
from schemas.corrections import CorrectedRow
from schemas.plan import Place
from schemas.tables.frames import DataFrame, records
from schemas.tables.obligations import Obligations
from schemas.tables.row_runs import USED


def used_corrections(
    put_right: Sequence[CorrectedRow], obligations: pd.DataFrame, rows: pd.DataFrame
) -> list[CorrectedRow]:
    """Choose the rows that a run goes by: payments that it plans, and sound rows of other tables.

    A payments row that is held all the same, in conflict, or takes the place of one that was paid before, proves
    nothing of the row it stands for.

    Args:
        put_right: What corrections workbooks have otherwise than the files.
        obligations: `schemas.tables.obligations.Obligations`, after claims and checks.
        rows: `schemas.tables.row_runs.RowRuns`, as they were read.
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
    by_place = {one.place: one for one in settled}
    if not by_place:
        return obligations
    told = records(obligations)
    for row in told:
        one = by_place.get((row["file"], row["sheet"], int(row["row"])))
        if one is not None and row["place"] == Place.DUPLICATE.value:
            row["reason"] = f"settled by {one.corrections_file}, run {one.run_id}"
    return obligations_frame(pd.DataFrame(told, columns=list(obligations.columns)))
