"""Obligations as people read them: one row each, the same in the workbook and in the CSV."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any, Final

import pandas as pd

from io_adapters.outputs.labels import Labels
from io_adapters.outputs.tables import Column, Row, Toned, records
from io_adapters.outputs.workbook import MONEY, WHOLE, Tone
from schemas.masking import mask_account, mask_pix_key
from schemas.plan import Place
from schemas.standing_words import standing_of

PLACE_TONES: Final[dict[Place, Tone]] = {
    Place.PAID: Tone.GOOD,
    Place.OWNER: Tone.GOOD,
    Place.PROCESSING: Tone.MOVING,
    Place.PLANNED: Tone.MOVING,
    Place.WITHHELD: Tone.WAITING,
    Place.INCOME_TAX: Tone.QUIET,
    Place.RECOUPED: Tone.QUIET,
    Place.CARRIED: Tone.QUIET,
    Place.DUPLICATE: Tone.QUIET,
    Place.HELD: Tone.WAITING,
    Place.NOT_SENT: Tone.WAITING,
    Place.UNDETERMINED: Tone.WAITING,
    Place.CONFLICT: Tone.TROUBLE,
    Place.IN_DOUBT: Tone.TROUBLE,
    Place.REFUSED: Tone.TROUBLE,
    Place.FAILED: Tone.TROUBLE,
    Place.EXCLUDED: Tone.TROUBLE,
}

# On the sheet of payments; everything else that is owed is on the sheet of what was not paid, so that both sheets
# together hold each obligation once.
ON_ITS_WAY: Final = frozenset(
    {Place.PAID, Place.PROCESSING, Place.PLANNED, Place.WITHHELD, Place.INCOME_TAX, Place.OWNER}
)

_HEADERS: Final = (
    ("name", 32, "General"),
    ("tax_id", 20, "General"),
    ("reference", 16, "General"),
    ("kind", 16, "General"),
    ("destination_type", 18, "General"),
    ("destination", 24, "General"),
    ("amount", 16, MONEY),
    ("place", 22, "General"),
    ("reason", 40, "General"),
    ("submission", 36, "General"),
    ("file", 24, "General"),
    ("sheet", 16, "General"),
    ("row", 9, WHOLE),
    ("key", 32, "General"),
)


def obligation_columns(labels: Labels) -> tuple[Column, ...]:
    """Name the columns of `obligation_rows`."""
    return tuple(Column(labels(key), width, number_format) for key, width, number_format in _HEADERS)


def obligation_rows(obligations: pd.DataFrame, labels: Labels) -> Iterator[Row]:
    """Describe obligations for the finance team: tax ids in full, Pix keys and accounts masked.

    Args:
        obligations: `schemas.tables.obligations.Obligations`.
        labels: The words.

    Yields:
        One row per obligation, in the order given; the amount as an exact Decimal, the row number None where there is
        no source row.
    """
    for owed in records(obligations):
        kind, destination = _destination(owed, labels)
        yield (
            owed.name,
            owed.tax_id,
            owed.reference,
            labels.of_value("kind", str(owed.kind)),
            kind,
            destination,
            amount(owed.amount_cents),
            Toned(labels.of_value("place", standing_of(owed.place, owed.reason)), PLACE_TONES[Place(owed.place)]),
            labels.of_value("reason", owed.reason),
            owed.submission_id,
            owed.file,
            owed.sheet,
            int(owed.row) or None,
            owed.key,
        )


def amount(cents: int) -> Decimal:
    """Return centavos as an exact amount with two decimals."""
    return Decimal(int(cents)).scaleb(-2)


def is_on_its_way(obligations: pd.DataFrame) -> pd.Series:
    """Tell for each obligation whether it is paid or on its way, bool."""
    return obligations["place"].isin([place.value for place in ON_ITS_WAY])


def _destination(owed: Any, labels: Labels) -> tuple[str, str]:  # noqa: ANN401  a named tuple pandas makes
    if owed.pix_key:
        return labels.of_value("pix", owed.pix_key_type), mask_pix_key(owed.pix_key, owed.pix_key_type)
    if not owed.account:
        return "", ""
    bank = owed.bank_code or owed.psp_id
    return labels.of_value("account", owed.account_type), f"{bank} / {owed.agency} / {mask_account(owed.account)}"
