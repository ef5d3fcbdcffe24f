"""What was owed and not paid at the end of a day: balances of the journal, transit by report, and plans that wait."""

import datetime as dt
from dataclasses import replace

from flows.payables.unpaid import Unpaid
from io_adapters.ledger.ledger import Ledger
from schemas.account import Owed


def owed_at(ledger: Ledger, day: dt.date, job: str | None = None) -> Owed:
    """Tell what was owed and not paid at the end of a day."""
    unpaid = Unpaid(ledger, day)
    codes = ledger.journal.payee_codes()
    sums = [replace(due, code=codes.get(due.tax_id, "")) for due in unpaid.sums() if job in {None, due.job}]
    in_order = sorted(sums, key=lambda due: (due.job, due.period, due.name, due.tax_id))
    return Owed(day, unpaid.language(job), tuple(in_order))
