"""A payee's account and what is owed on a day, as grids of texts and centavos: for terminal, workbook and page."""

import datetime as dt
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Final

from io_adapters.outputs.atomic import replace_atomically
from io_adapters.outputs.grid import Field, Grid, GridColumn, Link, field_text
from io_adapters.outputs.statements.folder import Typesetter
from io_adapters.outputs.statements.page import (
    Numbers,
    Page,
    PageColumn,
    Section,
    correction_text,
    place_text,
    printable,
    reasons_text,
    wrappable,
)
from io_adapters.outputs.workbook import Book, unique_sheet_name
from io_adapters.outputs.workbook_tables import sheet_of, write_table
from schemas.account import (
    WHERE_IT_IS,
    AccountEntry,
    JournalSums,
    MonthSums,
    MonthView,
    NamedCode,
    Owed,
    PayeeAccount,
    PayeeAccounts,
    Receipt,
    TaxedPayment,
)
from schemas.deal_standing import DealStanding
from schemas.job import BRASILIA
from schemas.messages import Catalogue, Money, catalogue_in, currency_sign, period_text
from schemas.plan import Place
from schemas.readers import for_people
from schemas.reasons import reasons_message
from schemas.values.masking import mask_tax_id

_AMOUNTS: Final = ("amount", "came_in", "gross", "net", "balance", "planned", "fee", "checks")
# For how many days at most a sum of each column was owed; of the last, for more.
_AGES: Final = {"to_30_days": 30, "to_60_days": 60, "to_90_days": 90, "over_90_days": sys.maxsize}
_NARROW: Final = frozenset({*_AMOUNTS, *_AGES, *(name.removesuffix("_cents") for name in WHERE_IT_IS)})


def entries_grid(account: PayeeAccount, labels: Catalogue) -> Grid:
    """One row per entry, by day, between what was owed before and what is owed since; columns of nothing are left out.

    Of every row, and of all: what came in is what went elsewhere and what is owed by it.
    """
    sums = [name for name in _used(account.entries) if name != "owed_cents"]
    names = ["day", "period", "what", *map(_column, sums), "balance", "report"]
    owed_cents = account.opening_cents
    rows: list[list[Field]] = [["", "", labels("account.opening"), *([""] * len(sums)), Money(owed_cents), ""]]
    for entry in account.entries:
        owed_cents += entry.owed_cents
        period = period_text(entry.period, labels.language) if entry.period else ""
        amounts: list[Field] = [Money(cents) if (cents := getattr(entry, name)) else "" for name in sums]
        rows.append([entry.day, period, _what(entry, labels), *amounts, Money(owed_cents), entry.report])
    whole = [Money(account.sum_cents(name)) for name in sums]
    total: list[Field] = ["", "", labels("account.total"), *whole, Money(account.closing_cents), ""]
    title = labels("account.entries", job=account.job, currency=account.currency)
    return Grid(title, _columns(names, labels), rows, total=total)


def _what(entry: AccountEntry, labels: Catalogue) -> str:
    """Say what was booked; of a correction, of which recordings; of a report, what was kept of nobody in particular."""
    if entry.recordings is not None:
        return correction_text(entry.recordings, labels)
    what = labels(f"account.entry.{entry.kind}")
    if not entry.report_tax_cents:
        return what
    return labels("account.entry.with_tax", what=what, tax=Money(entry.report_tax_cents, entry.currency))


def payments_grid(account: PayeeAccount, labels: Catalogue, *, to_payee: bool = False) -> Grid:
    """One row per sum that is paid, on its way, or held; in the words of statements where the payee reads it."""
    names = ("period", "what", "amount", "place", "reason", "sent_on", "report")
    rows: list[list[Field]] = []
    for payment in account.payments:
        place, reason = labels(f"place.{payment.place}"), labels.write(reasons_message(payment.reasons))
        if to_payee:
            place = place_text(payment.place, labels)
            is_held = payment.place == Place.HELD.value
            reason = reasons_text((why.text for why in payment.reasons), labels) if is_held else ""
        what = " ".join(filter(None, (labels(f"cli.trace.kind_{payment.kind}"), payment.reference)))
        sent_on = payment.sent_at.astimezone(BRASILIA).date() if payment.sent_at else None
        period = _run_link(period_text(payment.period, labels.language), payment.run_id)
        amount = Money(payment.amount_cents)
        rows.append([period, what, amount, place, reason, sent_on, payment.report])
    title = labels("account.payments", job=account.job, currency=account.currency)
    return Grid(title, _columns(names, labels), rows)


def advances_grid(accounts: PayeeAccounts, labels: Catalogue) -> Grid:
    """One row per advance of which something is still to be recouped."""
    rows: list[list[Field]] = [
        [advance.job, advance.reference.replace("|", " ").strip(), advance.currency, Money(advance.left_cents)]
        for advance in accounts.advances
    ]
    return Grid(labels("account.advances"), _columns(("job", "reference", "currency", "amount"), labels), rows)


def owed_grid(owed: Owed, labels: Catalogue, *, masked: bool) -> Grid:
    """One row per sum that was owed and not paid; documents are masked where the grid leaves the finance team."""
    names = ("job", "period", "name", "code", "tax_id", "what", "currency", "amount", "place", "reason", "report")
    rows: list[list[Field]] = [
        [
            *(due.job, due.period, due.name, due.code),
            mask_tax_id(due.tax_id) if masked and due.tax_id else due.tax_id,
            " ".join(filter(None, (labels(f"cli.trace.kind_{due.kind}"), due.reference))),
            *(due.currency, Money(due.amount_cents), labels(f"place.{due.place}")),
            *(labels.write(reasons_message(due.reasons)), due.report, due.since),
        ]
        for due in owed.sums
    ]
    return Grid(labels("account.owed", day=owed.at), _columns((*names, "owed_since"), labels), rows)


def owed_totals_grid(owed: Owed, labels: Catalogue) -> Grid:
    """One row per currency and place of what was owed, by for how long; what is not booked has no age."""
    sums = defaultdict[tuple[str, str], dict[str, int]](lambda: dict.fromkeys(("amount", *_AGES), 0))
    for due in owed.sums:
        own, days = sums[due.currency, due.place], owed.days(due)
        own["amount"] += due.amount_cents
        if days is not None:
            own[next(age for age, most in _AGES.items() if days <= most)] += due.amount_cents
    rows: list[list[Field]] = [
        [currency, labels(f"place.{place}"), *map(Money, own.values())]
        for (currency, place), own in sorted(sums.items())
    ]
    names = ("currency", "place", "amount", *_AGES)
    return Grid(labels("account.owed", day=owed.at), _columns(names, labels), rows)


def deals_grid(standings: Iterable[DealStanding], labels: Catalogue) -> Grid:
    """One row per row of a deal that goes on over periods: what is agreed, what came so far, and what is left."""
    rows: list[list[Field]] = [
        [
            *(row.job, labels(f"deals.kind_{row.kind}"), row.name, row.what, labels.write(row.about)),
            *(_quantity(quantity, labels) for quantity in (row.agreed, row.so_far, row.left)),
            dt.date.fromisoformat(row.day) if row.day else None,
        ]
        for row in standings
    ]
    names = ("job", "deal", "name", "what", "scope", "agreed", "so_far", "left", "due")
    return Grid(labels("deals.title"), _columns(names, labels), rows).without_empty()


def _quantity(quantity: Money | int | None, labels: Catalogue) -> Field:
    return labels("deal.units", count=quantity) if isinstance(quantity, int) else quantity


def codes_grid(codes: Iterable[NamedCode], labels: Catalogue) -> Grid:
    """One row per code of the exported journal: whose it is, in full; kept apart from the journal."""
    names = ("code", "ledger_account", "name", "tax_id", "job", "reference")
    rows = [[found.code, found.account, found.name, found.tax_id, found.job, found.reference] for found in codes]
    return Grid(labels("account.codes"), _columns(names, labels), rows)


_COSTS: Final = ("fee_cents", "checks_cents")


def _used(rows: Sequence[JournalSums]) -> list[str]:
    """Name the sums that are not nothing in all rows, in the order they are shown; what came in is always there."""
    return ["came_in_cents", *(name for name in WHERE_IT_IS if any(getattr(row, name) for row in rows))]


def month_grids(view: MonthView, labels: Catalogue, *, runs: bool = True) -> list[Grid]:
    """Of the periods of a month, as they stand; and below, where anything was, what was booked in it."""
    grids = [month_grid(view, labels, runs=runs)]
    return [*grids, booked_grid(view, labels)] if view.booked else grids


def month_grid(view: MonthView, labels: Catalogue, *, runs: bool = True) -> Grid:
    """One row per job and period, a sum per currency below: what came in, and was owed before, is where it is."""
    planned = ["planned_cents"] if any(line.planned_cents for line in view.lines) else []
    sums = [*_used(view.lines), *planned, *_COSTS]
    names = ["job", "period", "currency", "state", "payments_count", *map(_column, sums), *(["run"] if runs else [])]
    rows: list[list[Field]] = [
        [
            *(_run_link(line.job, line.run_id), period_text(line.period, labels.language), line.currency),
            *(labels(f"state.{line.state}"), line.payments, *_amounts([line], sums), *([line.run_id] if runs else [])),
        ]
        for line in view.lines
    ]

    def whole(currency: str) -> list[Field]:
        own = [line for line in view.lines if line.currency == currency]
        count = sum(line.payments for line in own)
        return [labels("account.total"), "", currency, "", count, *_amounts(own, sums), *([""] if runs else [])]

    title = labels("account.month", month=period_text(view.month, labels.language))
    return _with_totals(title, _columns(names, labels), rows, [whole(name) for name in _currencies(view.lines)])


def booked_grid(view: MonthView, labels: Catalogue) -> Grid:
    """One row per job and period of which something was booked in the month, a sum per currency below."""
    sums = [*_used(view.booked), *(name for name in _COSTS if any(getattr(row, name) for row in view.booked))]
    rows: list[list[Field]] = [
        [row.job, period_text(row.period, labels.language) if row.period else "", row.currency, *_amounts([row], sums)]
        for row in view.booked
    ]
    totals: list[list[Field]] = [
        [labels("account.total"), "", name, *_amounts([row for row in view.booked if row.currency == name], sums)]
        for name in _currencies(view.booked)
    ]
    title = labels("account.booked", month=period_text(view.month, labels.language))
    return _with_totals(title, _columns(("job", "period", "currency", *map(_column, sums)), labels), rows, totals)


def _column(name: str) -> str:
    return "balance" if name == "owed_cents" else name.removesuffix("_cents")


def _currencies(rows: Iterable[MonthSums]) -> list[str]:
    return list(dict.fromkeys(row.currency for row in rows))


def _amounts(rows: Sequence[JournalSums], names: Iterable[str]) -> list[Field]:
    return [Money(sum(getattr(row, name) for row in rows)) for name in names]


def _with_totals(title: str, columns: Sequence[GridColumn], rows: list[list[Field]], totals: list[list[Field]]) -> Grid:
    """Return the grid with its sums; below several currencies no one sum stands."""
    if len(totals) == 1:
        return Grid(title, columns, rows, total=totals[0])
    return Grid(title, columns, [*rows, *totals])


def individuals_grid(payments: Sequence[TaxedPayment], labels: Catalogue) -> Grid:
    """One row per payment to a person, as the monthly return of them (EFD-Reinf, event R-4010) wants it.

    What only the accountant knows is left blank: the taxable part, and the nature where the table of taxes has none.
    """
    own = [payment for payment in payments if payment.is_of_individual]
    kinds = sorted({kind for payment in own for kind in payment.withheld_cents})
    names = ("payer", "payer_name", "tax_id", "name", "nature", "paid_on", "what", "gross", "taxable")
    columns = [*_columns(names, labels), *map(GridColumn, kinds)]
    columns += _columns(("net", "currency", "job", "period", "report"), labels)
    rows: list[list[Field]] = [
        [
            *(payment.payer, payment.payer_name, payment.tax_id, payment.name, payment.nature, payment.paid_on),
            *(labels(f"cli.trace.kind_{payment.kind}"), Money(payment.gross_cents), ""),
            *(Money(payment.withheld_cents.get(kind, 0)) for kind in kinds),
            *(Money(payment.net_cents), payment.currency, payment.job, payment.period, payment.report),
        ]
        for payment in own
    ]
    return Grid(labels("account.individuals"), columns, rows)


def yearly_grids(payments: Sequence[TaxedPayment], labels: Catalogue) -> tuple[Grid, Grid]:
    """One grid of the year and one of its months: a row per payee and currency, gross, withheld by kind, net.

    Each adds up by itself: no sum of one stands among those of the other.
    """
    year = _taxed_grid(labels("account.yearly"), payments, labels, lambda paid_on: f"{paid_on:%Y}")
    return year, _taxed_grid(labels("account.yearly_by_month"), payments, labels, lambda paid_on: f"{paid_on:%Y-%m}")


def _taxed_grid(
    title: str, payments: Sequence[TaxedPayment], labels: Catalogue, span: Callable[[dt.date], str]
) -> Grid:
    kinds = sorted({kind for payment in payments for kind in payment.withheld_cents})
    sums = dict[tuple[str, str, str, str, str], list[int]]()
    for payment in payments:
        figures = [payment.gross_cents, *(payment.withheld_cents.get(kind, 0) for kind in kinds), payment.net_cents]
        key = (payment.payer, payment.tax_id, payment.name, payment.currency, span(payment.paid_on))
        sums[key] = [a + b for a, b in zip(sums.get(key, [0] * len(figures)), figures, strict=True)]
    columns = _columns(("payer", "tax_id", "name", "currency", "paid_in", "gross"), labels)
    rows: list[list[Field]] = [[*key, *map(Money, figures)] for key, figures in sorted(sums.items())]
    return Grid(title, [*columns, *map(GridColumn, kinds), *_columns(("net",), labels)], rows)


def _columns(names: Iterable[str], labels: Catalogue) -> list[GridColumn]:
    return [GridColumn(labels(f"account.{name}"), 16 if name in _NARROW else 24) for name in names]


def _run_link(text: str, run_id: str) -> str | Link:
    return Link(text, f"/runs/{run_id}") if run_id else text


def account_grids(accounts: PayeeAccounts, labels: Catalogue, *, to_payee: bool = False) -> list[Grid]:
    grids = [grid for account in accounts.accounts for grid in account_grids_of(account, labels, to_payee=to_payee)]
    return [*grids, *([advances_grid(accounts, labels)] if accounts.advances else [])]


def account_grids_of(account: PayeeAccount, labels: Catalogue, *, to_payee: bool = False) -> tuple[Grid, Grid]:
    return entries_grid(account, labels), payments_grid(account, labels, to_payee=to_payee)


@for_people()
def write_workbook(grids: Iterable[Grid], path: Path, language: str) -> Path:
    """Write each grid as a sheet (mode 0600); returns where the file is.

    Raises:
        OSError: the folder cannot be written.
    """
    return replace_atomically(path, workbook_of(grids, language))


@for_people()
def workbook_of(grids: Iterable[Grid], language: str) -> bytes:
    book, taken = Book(), set[str]()
    for grid in grids:
        write_table(book, sheet_of(grid, language, unique_sheet_name(grid.title, taken), grid.title))
    return book.to_bytes()


def write_page(accounts: PayeeAccounts, path: Path) -> Path:
    """Set a payee's accounts as a PDF (mode 0600); returns where the file is.

    Raises:
        OSError: the folder cannot be written, or the page cannot be set.
    """
    return replace_atomically(path, Typesetter().pdf(account_page(accounts)))


@for_people()
def account_page(accounts: PayeeAccounts) -> Page:
    """Write out what `statement.typ` shows of a payee's accounts, as plain JSON values; nothing of it is markup."""
    labels, numbers = catalogue_in(accounts.language), Numbers(accounts.language)
    span = f"{numbers.day(accounts.since)} – {numbers.day(accounts.until)}"
    name = printable(accounts.name) or labels("statement.nameless")
    payers = dict.fromkeys(account.payer_name for account in accounts.accounts if account.payer_name)
    return {
        "landscape": True,
        "lang": "pt" if accounts.language == "pt-BR" else "en",
        "region": "BR" if accounts.language == "pt-BR" else "US",
        "title": labels("account.title", span=span),
        "running": f"{name} · {span}",
        "payer": printable(" · ".join(payers)),
        "payee": wrappable(accounts.name) or labels("statement.nameless"),
        "tax_id": f"{labels('statement.tax_id')} {accounts.tax_id_masked}",
        "facts": [
            [labels("statement.period"), span],
            [labels("statement.job"), ", ".join(dict.fromkeys(account.job for account in accounts.accounts))],
        ],
        "boxes": _boxes(accounts, labels, numbers),
        "sections": [_section(grid, numbers, labels.language).as_json() for grid in _grids_of_page(accounts, labels)],
        "pairs": [],
        "how": {"title": labels("statement.how"), "lines": [labels("account.how"), labels("account.how_total")]},
        "words": {key: labels(f"statement.{key}") for key in ("payee", "page", "of")},
    }


def _boxes(accounts: PayeeAccounts, labels: Catalogue, numbers: Numbers) -> list[dict[str, str]]:
    """Sum up by currency: what came in, advances, what is on its way, what was paid, and what is owed."""
    boxes = list[dict[str, str]]()
    for currency in dict.fromkeys(account.currency for account in accounts.accounts):
        own = [account for account in accounts.accounts if account.currency == currency]
        names = ("came_in_cents", "recouped_cents", "transit_cents", "paid_cents")
        figures = {name.removesuffix("_cents"): sum(account.sum_cents(name) for account in own) for name in names}
        figures["balance"] = sum(account.closing_cents for account in own)
        for key, cents in figures.items():
            amount = f"{currency_sign(currency)} {numbers.cents(cents)}" if key == "balance" else numbers.cents(cents)
            boxes.append({"name": labels(f"account.{key}"), "amount": amount, "note": ""})
    return boxes


def _grids_of_page(accounts: PayeeAccounts, labels: Catalogue) -> list[Grid]:
    """List the grids without what is nothing in all rows."""
    return [grid.without_empty() for grid in account_grids(accounts, labels, to_payee=True) if grid.rows]


def _section(grid: Grid, numbers: Numbers, language: str) -> Section:
    columns = [
        PageColumn(column.header, number=is_figure)
        for column, is_figure in zip(grid.columns, grid.are_figures, strict=True)
    ]
    rows = [[_written(field, numbers, language) for field in row] for row in grid.rows]
    return Section(grid.title, columns, rows, [_written(field, numbers, language) for field in grid.total])


def _written(field: Field, numbers: Numbers, language: str) -> str:
    match field:
        case Money():
            return numbers.cents(field.cents)
        case dt.date():
            return numbers.day(field)
        case _:
            return wrappable(field_text(field, language)) or "—"


def receipt_pdf(receipt: Receipt) -> bytes:
    """Set the receipt of one payment as a PDF.

    Raises:
        OSError: the page cannot be set.
    """
    return Typesetter().pdf(receipt_page(receipt))


@for_people()
def receipt_page(receipt: Receipt) -> Page:
    """Write out what `statement.typ` shows of one payment, as plain JSON values; nothing of it is markup."""
    labels, numbers = catalogue_in(receipt.language), Numbers(receipt.language)
    name, period = printable(receipt.name) or labels("statement.nameless"), period_text(receipt.period, labels.language)
    what = " ".join(filter(None, (labels(f"cli.trace.kind_{receipt.kind}"), printable(receipt.reference))))
    facts = [
        [labels("receipt.what"), what],
        [labels("statement.period"), period],
        [labels("receipt.destination"), receipt.destination],
        [labels("receipt.sent_at"), _moment(receipt.sent_at, labels)],
        [labels("receipt.ended_at"), _moment(receipt.ended_at, labels)],
        [labels("receipt.split_id"), receipt.split_id or labels("statement.not_stated")],
        [labels("receipt.report"), receipt.report_id],
        [
            labels("output.approved_by"),
            ", ".join(map(printable, receipt.approved_by)) or labels("output.approval_not_needed"),
        ],
    ]
    sign = currency_sign(receipt.currency)
    boxes = [{"name": labels("receipt.amount"), "amount": f"{sign} {numbers.cents(receipt.amount_cents)}", "note": ""}]
    if receipt.tax_cents:
        net_cents = receipt.amount_cents - receipt.tax_cents
        boxes.append({"name": labels("output.tax"), "amount": numbers.cents(-receipt.tax_cents), "note": ""})
        boxes.append({"name": labels("receipt.net"), "amount": f"{sign} {numbers.cents(net_cents)}", "note": ""})
    lines = [labels("receipt.says")] + ([labels("receipt.less_tax")] if receipt.tax_cents is None else [])
    return {
        "lang": "pt" if receipt.language == "pt-BR" else "en",
        "region": "BR" if receipt.language == "pt-BR" else "US",
        "title": labels("receipt.title"),
        "running": f"{name} · {period}",
        "payer": printable(receipt.payer_name),
        "payee": wrappable(receipt.name) or labels("statement.nameless"),
        "tax_id": f"{labels('statement.tax_id')} {receipt.tax_id_masked}",
        "facts": facts,
        "boxes": boxes,
        "sections": [],
        "pairs": [],
        "how": {"title": labels("statement.how"), "lines": lines},
        "words": {key: labels(f"statement.{key}") for key in ("payee", "page", "of")},
    }


def _moment(at: dt.datetime | None, labels: Catalogue) -> str:
    return labels("receipt.moment", at=at.astimezone(BRASILIA)) if at else labels("statement.not_stated")
