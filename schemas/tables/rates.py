"""Exchange rates: what one unit of a currency was worth in the job's currency on a day, and who says so."""

from decimal import Decimal
from typing import Annotated, Final

import numpy as np
import pandas as pd

from schemas.issues import IssueCode
from schemas.tables.cells import CellFinding, ColumnKind
from schemas.tables.draft import TableDraft
from schemas.tables.model import CURRENCY, ISO_DAY, Series, SheetTable, cells
from schemas.tables.royalty_lines import LINE_AMOUNT


class Rates(SheetTable):
    """Shape: one row per currency and day. `date` is an ISO text; `rate` is exact, above zero."""

    currency: Series[str] = cells(ColumnKind.CURRENCY, required=True, str_matches=CURRENCY)
    date: Series[str] = cells(ColumnKind.DATE, required=True, str_matches=f"^{ISO_DAY}$")
    rate: Series[Annotated[pd.ArrowDtype, LINE_AMOUNT]] = cells(ColumnKind.LINE_AMOUNT, required=True)
    source: Series[str] = cells(ColumnKind.TEXT)


_MOST: Final = Decimal(10**8)
_DECIMALS: Final = 12


def require_rates_above_zero(draft: TableDraft) -> None:
    """Hold rows whose rate is nothing or less."""
    not_above = [amount is not None and amount.value <= 0 for amount in draft.canonical["rate"]]
    draft.report(np.array(not_above, dtype=bool) & draft.sound("rate"), "rate", IssueCode.AMOUNT_NOT_POSITIVE)


def require_few_digits(draft: TableDraft) -> None:
    """Hold rates of more digits than a job file may write: eight before the mark, twelve behind it."""
    rates = [Decimal(0) if amount is None else amount.value for amount in draft.canonical["rate"]]
    too_long = [rate >= _MOST or rate != round(rate, _DECIMALS) for rate in rates]
    draft.report(np.array(too_long, dtype=bool) & draft.sound("rate"), "rate", IssueCode.RATE_DIGITS)


def hold_contradictions(draft: TableDraft) -> None:
    """Hold rows that say two rates of one currency and day; the same one twice is no contradiction."""
    rates = draft.canonical["rate"]
    for positions in draft.groups("currency", "date"):
        if len({rates[position].value for position in positions if rates[position] is not None}) < 2:
            continue
        for position in positions:
            others = draft.row_list(positions, but=position)
            draft.findings.append(CellFinding(position, None, IssueCode.RATE_CONFLICT, {"other": others}))


RULES = (require_rates_above_zero, require_few_digits, hold_contradictions)
