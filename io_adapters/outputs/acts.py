"""What people did, as a table for people."""

from collections.abc import Iterable

from io_adapters.outputs.grid import Grid, GridColumn
from schemas.acts import RecordedAct
from schemas.job import BRASILIA
from schemas.messages import Catalogue, Said
from schemas.values.masking import mask_value

_COLUMNS = ("number", "at", "by", "what", "about", "why")
_SUBJECT_DIGITS = 15


def acts_grid(recorded: Iterable[RecordedAct], labels: Catalogue) -> Grid:
    """Show acts in the order they are given; what people wrote is masked like any cell."""
    rows = [
        (
            str(told.number),
            f"{told.act.at.astimezone(BRASILIA):%d/%m/%Y %H:%M}",
            Said(told.act.by) if told.act.by else labels("act.nobody"),
            labels(f"act.{told.act.kind.value}"),
            Said(told.act.subject[:_SUBJECT_DIGITS]),
            mask_value("evidence", told.act.why),
        )
        for told in recorded
    ]
    columns = [GridColumn(labels(f"act.column.{name}")) for name in _COLUMNS]
    return Grid(labels("act.title"), columns, rows, () if rows else (labels("act.none"),))
