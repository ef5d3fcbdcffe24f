"""Money in a sheet that nothing reads: its rows and their sum."""

from collections import defaultdict
from decimal import Decimal
from fractions import Fraction
from functools import partial

from flows.intake.read_lines import SummedTable, read_blocks
from flows.intake.rules.sum_lines import EXACT, sum_up
from io_adapters.spreadsheets.reading import open_file
from schemas.errors import UnreadableFile
from schemas.issues import Issue, IssueCode, make_issue
from schemas.layouts.drafting import yaml_scalar
from schemas.layouts.layout import Layout
from schemas.layouts.recognise import MoneyColumn
from schemas.messages import Listed, Message, Money
from schemas.values.money import round_half_even_cents


def unread_money(path: str, money: MoneyColumn, name: str, layout: Layout) -> Issue:
    """Tell of a sheet, or a text, with money that nothing reads, and what to write in the job.

    Args:
        path: Where the file is; it is opened once more to add the sheet up.
        money: Its column of amounts.
        name: What the job is to call it.
        layout: With which the rest of its file, or of its source, is read.
    """
    is_asked_for = layout.asked_for is not None and layout.asked_for.sheet == name
    found = _summed(path, money)
    return make_issue(
        IssueCode.MONEY_UNREAD,
        file=path.rsplit("/", 1)[-1],
        sheet=money.view.sheet,
        row=money.header.row,
        column=money.name,
        count=_lines(found) if found else money.view.rows,
        amount=_amounts(found) if found else "?",
        how=Message("money.read_or_ignore" if is_asked_for else "money.ignore", name=yaml_scalar(name)),
    )


def sum_money(path: str, money: MoneyColumn) -> Listed | None:
    """Return what a column of amounts comes to, by currency; None where it cannot be read."""
    found = _summed(path, money)
    return _amounts(found) if found else None


def _summed(path: str, money: MoneyColumn) -> SummedTable | None:
    try:
        with open_file(path) as file:
            (fit,) = file.fits(money.layout)
            return read_blocks(partial(file.blocks, fit), money.layout)
    except UnreadableFile:  # that there is money in it is told all the same
        return None


def _lines(found: SummedTable) -> int:
    runs = found.books.runs
    return int(runs["rows"][runs["disposition"] != "ignored"].sum())


def _amounts(found: SummedTable) -> Listed:
    sums = defaultdict[str, Decimal](Decimal)
    for total in sum_up(found.totals.by_territory, ["currency"]):
        sums[str(total["currency"])] += Decimal(str(total["amount"]))
    for amount, currency in zip(found.held["amount"], found.held["currency"], strict=True):
        sums[currency] = EXACT.add(sums[currency], amount or Decimal(0))
    cents = {currency: round_half_even_cents(Fraction(total) * 100) for currency, total in sorted(sums.items())}
    return Listed(tuple(Money(amount, currency) for currency, amount in cents.items()))
