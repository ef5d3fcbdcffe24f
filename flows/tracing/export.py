"""The journal of some days, as accountants' programs read it."""

import csv
import datetime as dt
from pathlib import Path

from io_adapters.ledger.ledger import Ledger
from io_adapters.outputs.journal_export import Booked, Format, JournalToExport, day_of, export_journal
from schemas.errors import ConfigurationError
from schemas.job import BRASILIA
from schemas.messages import Message

_COLUMNS = ["account", "code"]


def exported_journal(
    ledger: Ledger, first: dt.date, last: dt.date, form: Format, codes: Path | None = None
) -> tuple[int, bytes]:
    """Export what was booked on some days.

    Args:
        ledger: The record.
        first: The first of the days, in Brazil.
        last: The last one.
        form: What reads it.
        codes: A CSV with the columns account and code: an account's name, or the beginning of one, and what it is in
            the accountant's chart of accounts.

    Returns:
        How many entries there are, and what is to be written.

    Raises:
        ConfigurationError: the days are not in order, or the table of codes cannot be read.
    """
    if first > last:
        raise ConfigurationError(Message("error.days_order", first=first, last=last))
    since, before = (dt.datetime.combine(day, dt.time(), BRASILIA) for day in (first, last + dt.timedelta(days=1)))
    booked = [Booked(day_of(at), entry) for at, _, entry in ledger.journal.entries(since, before)]
    journal = JournalToExport(
        booked=[found for found in booked if found.entry.postings],
        opening=dict(sorted(ledger.journal.balances(since).items())),
        since=first,
        until=last,
        numbers=ledger.journal.account_numbers(),
        codes=_codes(codes) if codes else {},
    )
    return len(journal.booked), export_journal(journal, form)


def _codes(path: Path) -> dict[str, str]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            rows = list(csv.DictReader(stream))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ConfigurationError(Message("error.account_codes", file=path.name, why=type(error).__name__)) from None
    if not rows or not set(_COLUMNS) <= rows[0].keys():
        raise ConfigurationError(Message("error.account_codes", file=path.name, why=", ".join(_COLUMNS)))
    return {row["account"].strip(): row["code"].strip() for row in rows if row["account"] and row["code"]}
