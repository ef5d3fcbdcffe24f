"""The service's list of financial institutions, kept so that a night does not depend on asking for it."""

import datetime as dt
from collections.abc import Iterable, Mapping

from sqlalchemy import delete, insert, select

from io_adapters.ledger.directory_tables import institution_reads, institutions
from io_adapters.ledger.engine import Database
from schemas.wire import Institution

_ONLY_ROW = 1
_ISPB_DIGITS = 8
_FIELDS = {
    "code": "compe_number",
    "name": "name",
    "is_active": "is_active",
    "is_compe_participant": "is_compe_participant",
    "str_start_date": "str_start_date",
    "created_at": "created_at",
}


class Institutions:
    """The last list that was read as a whole."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def all(self) -> Mapping[str, Institution]:
        """Return the institutions by ISPB (8 digits); empty where no list was ever read."""
        with self._db.reading() as connection:
            rows = connection.execute(select(institutions).order_by(institutions.c.ispb)).all()
        return {
            row.ispb: Institution(
                ispb_number=row.ispb, **{wire: getattr(row, column) for column, wire in _FIELDS.items()}
            )
            for row in rows
        }

    def read_at(self) -> dt.datetime | None:
        """Return when the list was read (UTC); None where it never was."""
        with self._db.reading() as connection:
            return connection.scalar(select(institution_reads.c.read_at))

    def replace(self, listed: Iterable[Institution], at: dt.datetime) -> None:
        """Keep a list that was read to its end, in place of the former.

        Args:
            listed: As the service told them. One without an ISPB cannot be looked up and is left out; of two with the
                same ISPB the active one counts.
            at: When it was read.
        """
        by_ispb: dict[str, Institution] = {}
        for institution in listed:
            ispb = _ispb_of(institution)
            if ispb and (ispb not in by_ispb or not by_ispb[ispb].is_active):
                by_ispb[ispb] = institution
        rows = [
            {"ispb": ispb, "seen_at": at} | {column: getattr(one, wire) for column, wire in _FIELDS.items()}
            for ispb, one in by_ispb.items()
        ]
        with self._db.writing() as connection:
            connection.execute(delete(institutions))
            if rows:
                connection.execute(insert(institutions), rows)
            connection.execute(delete(institution_reads))
            connection.execute(insert(institution_reads).values(only_row=_ONLY_ROW, read_at=at))


def _ispb_of(institution: Institution) -> str:
    """Return the ISPB with the zeros a sender may have lost: it has eight digits by definition."""
    text = (institution.ispb_number or "").strip()
    return text.zfill(_ISPB_DIGITS) if text.isdecimal() else text
