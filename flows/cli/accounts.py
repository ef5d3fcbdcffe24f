"""account, owed, month, taxes, journal: a payee's account, what is owed on a day, a month's totals, taxes withheld."""

import dataclasses
import datetime as dt
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from flows.cli.ending import AsJson, Result, as_day, as_month, console_for, opened_ledger, suffix_of
from schemas.errors import ConfigurationError, ExitCode
from schemas.messages import Message
from schemas.readers import shown

if TYPE_CHECKING:
    from collections.abc import Iterable

    from schemas.account import OwedSum, PayeeAccounts, PaymentLine
    from schemas.bank import BankMonth
    from schemas.deal_standing import DealStanding

# Of a table in the terminal.
_MOST_ROWS: Final = 60


def account(
    what: Annotated[str, typer.Argument(metavar="PAYEE", help="A tax id, a name, or one of their payments.")],
    year: Annotated[int | None, typer.Option(min=2000, max=9999, help="The days of one year.")] = None,
    since: Annotated[str | None, typer.Option("--from", metavar="DAY", help="The first day, in Brazil.")] = None,
    until: Annotated[str | None, typer.Option("--to", metavar="DAY", help="The last day; today without.")] = None,
    job: Annotated[str | None, typer.Option(metavar="NAME", help="Only this job.")] = None,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Write it to a .xlsx or .pdf as well.")] = None,
    as_json: AsJson = False,
) -> Result:
    """Show a payee's account by day.

    What was owed before, what each day brought, recouped, sent and paid, what is owed since; each payment as it stands.
    """
    from flows.bank.closing import against_bank
    from flows.books.account import accounts_of_payee
    from flows.books.trace import find_people
    from flows.cli.explanations import show_nobody
    from flows.cli.printing import show_grid
    from io_adapters.outputs.accounts import account_grids, write_page, write_workbook
    from io_adapters.outputs.bank import bank_months_grids
    from schemas.messages import catalogue_in, render

    suffix = suffix_of(out, {".xlsx", ".pdf"})
    if year is not None and (since or until):
        raise ConfigurationError(Message("error.year_or_days"))
    first = dt.date(year, 1, 1) if year else as_day(since) if since else dt.date.min
    last = dt.date(year, 12, 31) if year else as_day(until) if until else None
    console = console_for(as_json=as_json)
    with opened_ledger(create=False) as ledger:
        found = find_people(ledger, what, job=job)
        if not found.people:
            return show_nobody(console, found)
        accounts = accounts_of_payee(ledger, found.people[0], since=first, until=last, job=job)
        closed = against_bank(ledger, accounts.since, accounts.until)
    labels = catalogue_in(accounts.language)
    grids = account_grids(accounts, labels)
    grids += bank_months_grids(closed, labels) if grids else []
    whose = "  ".join(filter(None, (shown(accounts.name), accounts.tax_id_masked, accounts.code)))
    console.print(whose, soft_wrap=True, markup=False)
    if not grids:
        console.print(labels("account.nothing_booked"), soft_wrap=True, markup=False)
    for grid in grids:
        show_grid(console, grid, accounts.language, most_rows=_MOST_ROWS)
    if out is not None:
        written = write_page(accounts, out) if suffix == ".pdf" else write_workbook(grids, out, accounts.language)
        console.print(render("account.written", accounts.language, path=str(written)), soft_wrap=True, markup=False)
    return ExitCode.DONE, _account_document(accounts) | _bank_document(closed)


def owed(
    at: Annotated[str, typer.Option(metavar="DAY", help="At the end of which day, in Brazil: 2026-10-31.")],
    job: Annotated[str | None, typer.Option(metavar="NAME", help="Only this job.")] = None,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Write every sum to a .xlsx.")] = None,
    as_json: AsJson = False,
) -> Result:
    """Show balances owed on a day.

    By where it was then (carried, held, waiting for approval, on its way, in doubt) and for how long: up to 30, 60, 90
    days and more. What comes in first is paid first. The sheet names every payee.
    """
    from flows.bank.closing import against_bank
    from flows.books.owed import owed_at
    from flows.cli.printing import show_grid
    from io_adapters.outputs.accounts import owed_grid, owed_totals_grid, write_workbook
    from io_adapters.outputs.bank import bank_months_grids
    from schemas.messages import catalogue_in, render

    suffix_of(out, {".xlsx"})
    day = as_day(at)
    console = console_for(as_json=as_json)
    with opened_ledger(create=False) as ledger:
        found, closed = owed_at(ledger, day, job), against_bank(ledger, day, day)
    labels = catalogue_in(found.language)
    at_bank = bank_months_grids(closed, labels)
    if not found.sums:
        console.print(render("account.nothing_owed", found.language, day=day), soft_wrap=True, markup=False)
    for grid in (owed_totals_grid(found, labels), owed_grid(found, labels, masked=True), *at_bank):
        show_grid(console, grid, found.language, most_rows=_MOST_ROWS)
    if out is not None:
        written = write_workbook(
            [owed_totals_grid(found, labels), owed_grid(found, labels, masked=False), *at_bank], out, found.language
        )
        console.print(render("account.written", found.language, path=str(written)), soft_wrap=True, markup=False)
    document = {"at": day.isoformat(), "owed": [_sum_document(due) for due in found.sums]}
    return ExitCode.DONE, document | _bank_document(closed)


def deals(
    job: Annotated[str | None, typer.Option(metavar="NAME", help="Only this job.")] = None,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Write it to a .xlsx.")] = None,
    as_json: AsJson = False,
) -> Result:
    """Show how far deals have come.

    Costs and advances still to recover, tiers reached, what is left below caps and of guarantees, reserves and when
    they are due: over all periods, as posted by now.
    """
    from flows.books.deals import deals_now
    from flows.cli.printing import show_grid
    from io_adapters.outputs.accounts import deals_grid, write_workbook
    from schemas.messages import catalogue_in, render

    suffix_of(out, {".xlsx"})
    console = console_for(as_json=as_json)
    with opened_ledger(create=False) as ledger:
        view = deals_now(ledger, job)
    labels = catalogue_in(view.language)
    grid = deals_grid(view.standings, labels)
    if not view.standings:
        console.print(labels("deals.none"), soft_wrap=True, markup=False)
    else:
        show_grid(console, grid, view.language, most_rows=_MOST_ROWS)
    if out is not None:
        written = write_workbook([grid], out, view.language)
        console.print(render("account.written", view.language, path=str(written)), soft_wrap=True, markup=False)
    return ExitCode.DONE, {"deals": [_standing_document(row) for row in view.standings]}


def month(
    month: Annotated[str, typer.Argument(metavar="MONTH", help="Of the periods, such as 2026-10.", callback=as_month)],
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the view to a .xlsx.")] = None,
    as_json: AsJson = False,
) -> Result:
    """Show one month over all jobs and runs.

    What came in, where it is now, and what fees and account checks cost; by job, with the sum of each currency.
    """
    from flows.bank.closing import against_bank
    from flows.books.month import view_of_month
    from flows.cli.printing import show_grid
    from io_adapters.outputs.accounts import month_grids, write_workbook
    from io_adapters.outputs.bank import bank_months_grids
    from schemas.job import resolve_period
    from schemas.messages import catalogue_in, render

    suffix_of(out, {".xlsx"})
    try:
        days = resolve_period(month, dt.date.min)
    except (ValueError, OverflowError):
        raise ConfigurationError(Message("error.month", found=month)) from None
    console = console_for(as_json=as_json)
    with opened_ledger(create=False) as ledger:
        view, closed = view_of_month(ledger, days.label), against_bank(ledger, days.start, days.end)
    labels = catalogue_in(view.language)
    at_bank = bank_months_grids(closed, labels)
    if not view.lines:
        console.print(render("account.no_month", view.language, month=days.label), markup=False)
    for grid in (*month_grids(view, labels, runs=False), *at_bank):
        show_grid(console, grid, view.language, most_rows=_MOST_ROWS)
    if out is not None:
        written = write_workbook([*month_grids(view, labels), *at_bank], out, view.language)
        console.print(render("account.written", view.language, path=str(written)), soft_wrap=True, markup=False)
    jobs, booked = ([dataclasses.asdict(row) for row in rows] for rows in (view.lines, view.booked))
    return ExitCode.DONE, {"month": days.label, "jobs": jobs, "booked": booked} | _bank_document(closed)


class JournalFormat(StrEnum):
    """What reads the journal."""

    BEANCOUNT = "beancount"
    HLEDGER = "hledger"
    CSV = "csv"
    PARQUET = "parquet"


def journal(
    since: Annotated[str, typer.Option("--from", metavar="DAY", help="The first day, in Brazil: 2026-01-01.")],
    until: Annotated[str, typer.Option("--to", metavar="DAY", help="The last day: 2026-12-31.")],
    form: Annotated[JournalFormat, typer.Option("--format", help="What is to read it.")] = JournalFormat.CSV,
    accounts: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A .csv of account names and your codes of them, for csv.")
    ] = None,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Where to; journal-DAY-DAY.* without.")] = None,
    key: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A .xlsx beside it: whose each code is, names and documents.")
    ] = None,
    as_json: AsJson = False,
) -> Result:
    """Write the double-entry journal, for the books.

    Every centavo by the day on which it was booked; payees stand by codes, never by their documents.
    """
    from flows.books.accountant import exported_journal, named_codes
    from io_adapters.outputs.accounts import codes_grid, write_workbook
    from io_adapters.outputs.atomic import replace_atomically
    from schemas.job import Outputs
    from schemas.messages import catalogue_in, render

    suffix_of(key, {".xlsx"})
    first, last = as_day(since), as_day(until)
    suffix = {"hledger": "journal"}.get(form.value, form.value)
    path = out or Path(f"journal-{first}-{last}.{suffix}")
    with opened_ledger(create=False) as ledger:
        count, content = exported_journal(ledger, first, last, form.value, accounts)
        codes = named_codes(ledger) if key else []
    language, console = Outputs().language, console_for(as_json=as_json)
    written = [replace_atomically(path, content)]
    if key:
        written.append(write_workbook([codes_grid(codes, catalogue_in(language))], key, language))
    for file in written:
        console.print(render("account.written", language, path=str(file)), soft_wrap=True, markup=False)
    return ExitCode.DONE, {"entries": count, "path": str(written[0]), "key": str(written[1]) if key else None}


def taxes(
    month: Annotated[
        str | None, typer.Option(metavar="MONTH", help="Paid in it, to people: as 2026-11.", callback=as_month)
    ] = None,
    year: Annotated[int | None, typer.Option(min=2000, max=9999, help="Paid in it, by payee and month.")] = None,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="The .xlsx; taxes-2026.xlsx without.")] = None,
    as_json: AsJson = False,
) -> Result:
    """Write what was paid and withheld, for the accountant.

    Data by day of payment, not advice: names and documents stand in the file alone.
    """
    from flows.bank.closing import against_bank
    from flows.books.accountant import taxed_payments
    from io_adapters.outputs.accounts import individuals_grid, write_workbook, yearly_grids
    from io_adapters.outputs.bank import bank_months_grids
    from schemas.job import Outputs, PeriodRange, resolve_period
    from schemas.messages import catalogue_in, render

    if (month is None) == (year is None):
        raise ConfigurationError(Message("error.month_or_year"))
    try:
        whole_year = PeriodRange(start=dt.date(year, 1, 1), end=dt.date(year, 12, 31)) if year else str(month)
        days = resolve_period(whole_year, dt.date.min)
    except (ValueError, OverflowError):
        raise ConfigurationError(Message("error.month", found=month)) from None
    path = out or Path(f"taxes-{month or year}.xlsx")
    suffix_of(path, {".xlsx"})
    with opened_ledger(create=False) as ledger:
        payments, closed = taxed_payments(ledger, days.start, days.end), against_bank(ledger, days.start, days.end)
    language = Outputs().language
    labels = catalogue_in(language)
    grids = yearly_grids(payments, labels) if year else (individuals_grid(payments, labels),)
    written = write_workbook([*grids, *bank_months_grids(closed, labels)], path, language)
    console = console_for(as_json=as_json)
    console.print(
        render("account.taxes", language, count=len(grids[0].rows), path=str(written)), soft_wrap=True, markup=False
    )
    return ExitCode.DONE, {"rows": len(grids[0].rows), "file": str(written)} | _bank_document(closed)


def _bank_document(months: "Iterable[BankMonth]") -> dict[str, Any]:
    return {"bank": [dataclasses.asdict(month) for month in months]}


def _account_document(accounts: "PayeeAccounts") -> dict[str, Any]:
    return {
        "name": accounts.name,
        "tax_id": accounts.tax_id_masked,
        "code": accounts.code,
        "from": accounts.since.isoformat(),
        "to": accounts.until.isoformat(),
        "accounts": [
            {
                "job": account.job,
                "currency": account.currency,
                "opening_cents": account.opening_cents,
                "entries": [dataclasses.asdict(entry) | {"day": entry.day.isoformat()} for entry in account.entries],
                "closing_cents": account.closing_cents,
                "payments": [_sum_document(payment) for payment in account.payments],
            }
            for account in accounts.accounts
        ],
        "advances": [
            {name: value for name, value in dataclasses.asdict(advance).items() if name != "payee"}
            for advance in accounts.advances
        ],
    }


def _standing_document(row: "DealStanding") -> dict[str, Any]:
    sums = {"agreed": row.agreed, "so_far": row.so_far, "left": row.left}
    plain = {
        f"{name}_units" if isinstance(value, int) else f"{name}_cents": value if isinstance(value, int) else value.cents
        for name, value in sums.items()
        if value is not None
    }
    about = {"job": row.job, "currency": row.currency, "kind": row.kind.value, "name": row.name, "what": row.what}
    return about | {"about": str(row.about), **plain, "day": row.day}


def _sum_document(line: "PaymentLine | OwedSum") -> dict[str, Any]:
    """Write one sum: the document masked, its reasons as programs read them."""
    from schemas.reasons import reasons_text
    from schemas.values.masking import mask_tax_id

    plain = {field.name: getattr(line, field.name) for field in dataclasses.fields(line)}
    plain["reason"] = reasons_text(plain.pop("reasons"))
    if "tax_id" in plain:
        plain["tax_id"] = mask_tax_id(plain["tax_id"]) if plain["tax_id"] else ""
    moments = {name: plain[name].isoformat() if plain[name] else None for name in ("sent_at", "since") if name in plain}
    return plain | moments
