"""The tables of reconciliation.xlsx: every payment, report, approval, payee, earning, row, check and problem."""

import datetime as dt
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from decimal import ROUND_HALF_EVEN, Context, Decimal
from types import MappingProxyType
from typing import Final

import pandas as pd

from io_adapters.outputs.grid import Toned
from io_adapters.outputs.workbook import GENERAL, MOMENT, MOMENT_PT, MONEY, PRECISE, TEXT, WHOLE, Linked, Row
from io_adapters.outputs.workbook_tables import SheetColumn, WorkbookTable, records
from schemas.issues import Issue, Severity
from schemas.job import BRASILIA
from schemas.messages import Catalogue, catalogue_in
from schemas.obligation import Obligation
from schemas.plan import HOME_CURRENCY, Place, short_digest, shown_place
from schemas.reasons import reasons_from_json, reasons_message, reasons_text
from schemas.reconciliation import BatchExchange, Reconciliation, RecordedDecision, ReportLine
from schemas.share_texts import costs_text, terms_text, unit_amount
from schemas.states import PAYMENTS, Tone, tone_of
from schemas.tables.payees import GUARANTEE
from schemas.tables.royalties import TOGETHER, TOLD_APART
from schemas.values.bank_account import BankAccount, Destination, PixKey
from schemas.values.masking import mask_account, mask_pix_key
from schemas.values.millionths import fraction_text, percent_of, read_millionths
from schemas.values.money import exact_text

# On the sheet of payments; everything else that is owed is on the sheet of what was not paid, so that both sheets
# together hold each obligation once.
ON_ITS_WAY: Final = frozenset(
    {Place.PAID, Place.PROCESSING, Place.PLANNED, Place.WITHHELD, Place.INCOME_TAX, Place.OWNER}
)


def moment_format(labels: Catalogue) -> str:
    return MOMENT_PT if labels.language == "pt-BR" else MOMENT


def local(at: dt.datetime | None) -> dt.datetime | None:
    """Return a moment as clocks in Brasília show it; a spreadsheet knows no zones."""
    return at.astimezone(BRASILIA).replace(tzinfo=None) if at else None


def obligation_columns(labels: Catalogue, folded: Collection[str] = ()) -> tuple[SheetColumn, ...]:
    """Name the columns of `obligation_rows`."""
    moment = moment_format(labels)
    known: tuple[tuple[str, int, str], ...] = (
        ("name", 30, TEXT),
        ("tax_id", 16, TEXT),
        ("reference", 14, TEXT),
        ("kind", 14, GENERAL),
        ("destination_type", 16, GENERAL),
        ("destination", 24, TEXT),
        (AMOUNT, 16, MONEY),
        ("place", 27, GENERAL),
        ("reason", 36, GENERAL),
        ("submission", 36, TEXT),
        ("file", 22, TEXT),
        ("sheet", 14, TEXT),
        ("row", 9, WHOLE),
        ("key", 32, TEXT),
        ("sent_at", 17, moment),
        ("ended_at", 17, moment),
        ("approved_by", 22, GENERAL),
        ("code", 24, GENERAL),
    )
    return tuple(
        SheetColumn(
            labels(f"output.{key}"),
            width,
            number_format,
            total=key == AMOUNT,
            folded=key in folded,
            wrap=key == "reason",
        )
        for key, width, number_format in known
    )


AMOUNT: Final = "amount"
AMOUNT_LETTER: Final = "G"  # of the amounts on the sheets of obligations
_CODES: Final = ("submission", "key", "code")
_FOLDED_OF_PAYMENTS: Final = ("kind", "file", "sheet", "row", *_CODES)
_FOLDED_OF_OTHERS: Final = ("kind", "destination_type", "destination", "approved_by", *_CODES)


def obligation_rows(
    obligations: Iterable[Obligation], labels: Catalogue, reports: Iterable[ReportLine] = ()
) -> Iterator[Row]:
    """Describe obligations for the finance team: tax ids in full, Pix keys and accounts masked.

    Yields:
        One row per obligation, in the order given; the amount as an exact Decimal, the row number None where there is
        no source row, moments as clocks in Brasília show them.
    """
    by_id = {report.submission_id: report for report in reports}
    for obligation in obligations:
        kind, destination = destination_of(obligation.account, labels)
        report = by_id.get(obligation.submission_id)
        yield (
            obligation.payee.name,
            obligation.payee.tax_id,
            obligation.reference if obligation.kind == "payment" else "",
            labels.of_value("output.kind", obligation.kind),
            kind,
            destination,
            amount(obligation.amount_cents),
            Toned(
                labels.of_value("place", shown_place(obligation.place, obligation.reason)),
                PAYMENTS[obligation.place].tone,
            ),
            labels.write(reasons_message(obligation.reasons)),
            obligation.submission_id,
            obligation.source.file,
            obligation.source.sheet,
            obligation.source.row or None,
            obligation.key,
            local(report.sent_at) if report else None,
            local(report.ended_at) if report else None,
            approvers_text(report, labels) if report else "",
            obligation.reason,
        )


def approvers_text(report: ReportLine, labels: Catalogue) -> str:
    """Say by whose yes a report was sent; nothing of one that was not."""
    if report.sent_at is None:
        return ""
    return ", ".join(report.approved_by) or labels("output.approval_not_needed")


def amount(cents: int) -> Decimal:
    """Return centavos as an exact amount with two decimals."""
    return Decimal(int(cents)).scaleb(-2)


def destination_of(account: Destination | None, labels: Catalogue) -> tuple[str, str]:
    """Say what kind of account money goes to, and which, masked; "" for none."""
    match account:
        case PixKey(key, key_type):
            return labels.of_value("output.pix", key_type), mask_pix_key(key, key_type)
        case BankAccount(bank_code, psp_id, agency, number, account_type):
            bank = bank_code or psp_id
            return labels.of_value("output.account", account_type), f"{bank} / {agency} / {mask_account(number)}"
        case None:
            return "", ""


SEVERITY_TONES: Final = {Severity.ERROR: Tone.TROUBLE, Severity.WARNING: Tone.WAITING, Severity.NOTE: Tone.NONE}
_CHECK_TONES: Final = {"valid": Tone.NONE, "invalid": Tone.TROUBLE}
_DISPOSITION_TONES: Final = {"held": Tone.WAITING, "duplicate": Tone.QUIET, "ignored": Tone.QUIET}


def tables_of(reconciliation: Reconciliation) -> Iterator[WorkbookTable]:
    """Give the tables that follow the summary, in order; payees and earnings only where there are royalties."""
    labels = catalogue_in(reconciliation.language)
    for title, obligations, folded in sheets_of_obligations(reconciliation):
        rows = obligation_rows(obligations, labels, reconciliation.reports)
        columns = obligation_columns(labels, folded)
        yield WorkbookTable(title, columns, rows, total=labels("output.total"))
    yield _reports(reconciliation.reports, labels)
    yield _recorded(reconciliation.recorded, labels)
    if len(reconciliation.payees):
        yield _payees(reconciliation.payees, labels)
    if len(reconciliation.earnings):
        yield _earnings(reconciliation.earnings, labels)
    yield _rows(reconciliation.rows, labels)
    yield _checks(reconciliation.checks, labels)
    yield issues_table(reconciliation.issues, labels)


def sheets_of_obligations(
    reconciliation: Reconciliation,
) -> tuple[tuple[str, list[Obligation], Collection[str]], ...]:
    """Return the sheets that hold each obligation once: title, obligations, columns out of sight."""
    labels = catalogue_in(reconciliation.language)
    on_its_way, others = list[Obligation](), list[Obligation]()
    for obligation in reconciliation.obligations:
        (on_its_way if obligation.place in ON_ITS_WAY else others).append(obligation)
    return (
        (labels("output.sheet.payments"), on_its_way, _FOLDED_OF_PAYMENTS),
        (labels("output.sheet.held"), others, _FOLDED_OF_OTHERS),
    )


def _reports(reports: Sequence[ReportLine], labels: Catalogue) -> WorkbookTable:
    """List each report: when it was sent and ended, by whose yes, and what the service kept and paid."""
    abroad = [report for report in reports if report.exchange]
    columns = _columns(
        labels,
        SheetColumn("state", 22),
        SheetColumn("sent_at", 17, moment_format(labels)),
        SheetColumn("ended_at", 17, moment_format(labels)),
        SheetColumn("payments", 12, WHOLE, total=True),
        SheetColumn("amount", 16, MONEY, total=True),
        SheetColumn("tax", 14, MONEY, total=True),
        SheetColumn("fee", 14, MONEY, total=True),
        SheetColumn("net", 16, MONEY, total=True),
        SheetColumn("approved_by", 30),
        SheetColumn("status", 20),
        *([SheetColumn("exchange_rate", 20), SheetColumn("exchange_outcome", 20)] if abroad else []),
        SheetColumn("report_id", 44, TEXT, folded=True),
        SheetColumn("split_id", 28, TEXT, folded=True),
        SheetColumn("plan_digest", 28, TEXT, folded=True),
    )

    def row(report: ReportLine) -> Row:
        state_text, tone = labels(f"state.{report.state}"), tone_of(report.state)
        figures = (report.tax_cents, report.fee_cents, report.paid_cents)
        return (
            Toned(f"{state_text}, {labels('output.by_likeness')}" if report.is_likely else state_text, tone),
            local(report.sent_at),
            local(report.ended_at),
            report.payments,
            amount(report.amount_cents),
            *(None if cents is None else amount(cents) for cents in figures),
            approvers_text(report, labels),
            report.status,
            *(_exchange(report.exchange, labels) if abroad else ()),
            report.submission_id,
            report.split_id,
            report.plan_digest,
        )

    note, total = labels("output.note.reports"), labels("output.total")
    return WorkbookTable(labels("output.sheet.reports"), columns, map(row, reports), note, total)


def _exchange(exchange: BatchExchange | None, labels: Catalogue) -> tuple[str, str]:
    if exchange is None:
        return "", ""
    return f"1 {exchange.currency} = {HOME_CURRENCY} {exchange.rate}", labels(f"state.{exchange.outcome}")


def _recorded(decisions: Sequence[RecordedDecision], labels: Catalogue) -> WorkbookTable:
    columns = _columns(
        labels,
        SheetColumn("said_at", 17, moment_format(labels)),
        SheetColumn("by", 24, TEXT),
        SheetColumn("said", 40, wrap=True),
        SheetColumn("how", 24, wrap=True),
        SheetColumn("amount", 16, MONEY),
        SheetColumn("plan", 12, TEXT),
        SheetColumn("payee", 30, TEXT),
        SheetColumn("evidence", 40, TEXT, wrap=True),
        SheetColumn("plan_digest", 28, TEXT, folded=True),
    )
    rows = (
        (
            local(decision.at),
            decision.by,
            labels.write(decision.decided),
            labels.write(decision.how) if decision.how else "",
            amount(decision.amount_cents),
            short_digest(decision.plan_digest),
            decision.payee,
            decision.why,
            decision.plan_digest,
        )
        for decision in decisions
    )
    return WorkbookTable(labels("output.sheet.words"), columns, rows, labels("output.note.words"))


NO_SHEETS: Final[Mapping[tuple[str, str | None], str]] = MappingProxyType({})


def issues_table(
    issues: Sequence[Issue], labels: Catalogue, note: str = "", sheets: Mapping[tuple[str, str | None], str] = NO_SHEETS
) -> WorkbookTable:
    """List problems, each with its place, what is wrong and what would be right; values are masked."""

    def place(issue: Issue) -> str | Linked | None:
        sheet, cell = sheets.get((issue.file, issue.sheet)), issue.cell or (f"A{issue.row}" if issue.row else "")
        return Linked(cell, sheet, cell) if sheet and cell else issue.cell

    columns = _columns(
        labels,
        SheetColumn("severity", 10),
        SheetColumn("file", 24, TEXT),
        SheetColumn("sheet", 14, TEXT),
        SheetColumn("cell", 8),
        SheetColumn("row", 8),
        SheetColumn("column", 18, TEXT),
        SheetColumn("value_masked", 20, TEXT),
        SheetColumn("problem", 44, wrap=True),
        SheetColumn("accepts", 44, wrap=True),
        SheetColumn("code", 24, folded=True),
    )
    rows = (
        (
            Toned(labels.of_value("output.severity", issue.severity), SEVERITY_TONES[issue.severity]),
            *(issue.file, issue.sheet, place(issue), issue.row, issue.column),
            *(issue.value_masked, labels.write(issue.message), labels.write(issue.accepts), issue.code.value),
        )
        for issue in issues
    )
    return WorkbookTable(labels("output.sheet.issues"), columns, rows, note)


def to_millionths(amount: Decimal) -> Decimal:
    """Round an exact amount half to even at six decimals.

    >>> to_millionths(Decimal("0.3333335"))
    Decimal('0.333334')
    """
    return amount.quantize(_MILLIONTH, context=_EXACT)


_MILLIONTH: Final = Decimal("0.000001")
_EXACT: Final = Context(prec=200, rounding=ROUND_HALF_EVEN)


def _payees(payees: pd.DataFrame, labels: Catalogue) -> WorkbookTable:
    taxed = ("taxed",) if (payees.get("taxed_cents", pd.Series(dtype="int64")) > 0).any() else ()
    steps = ("earned", "recouped", "carried_in", "carried_out", "held", *taxed, "payable")
    sums = [SheetColumn(step, 18, MONEY, total=True) for step in steps]
    columns = _columns(labels, SheetColumn("name", 32, TEXT), SheetColumn("tax_id", 16, TEXT), *sums)
    rows = (
        (payee.name, payee.tax_id, *(amount(getattr(payee, f"{step}_cents")) for step in steps))
        for payee in records(payees)
    )
    return WorkbookTable(
        labels("output.sheet.payees"), columns, rows, labels("output.note.payees"), labels("output.total")
    )


def _earnings(earnings: pd.DataFrame, labels: Catalogue) -> WorkbookTable:
    asked = [name for name in TOLD_APART if name != "platform" and (earnings[name] != TOGETHER).any()]
    names = ("tax_id", "role", "isrc", "upc", "release", "title", "artist", "platform", *asked, "sale_period")
    widths = dict(zip(("tax_id", "role", "isrc", "upc"), (16, 14, 15, 15), strict=True))
    widths |= {"release": 22, "title": 26, "artist": 22, "sale_period": 12}
    guaranteed = earnings["role"] == GUARANTEE
    earnings = earnings.assign(role=earnings["role"].mask(guaranteed, labels("deal.role_guarantee")))
    if "price" in asked:
        prices = [Decimal(price) if price.strip() else None for price in earnings["price"]]
        earnings = earnings.assign(price=pd.Series(prices, index=earnings.index, dtype=object))
    after_costs = bool((earnings["costs"] != "").any())
    columns = _columns(
        labels,
        *(SheetColumn(name, widths.get(name, 18), PRECISE if name == "price" else TEXT) for name in names),
        SheetColumn("units", 10, WHOLE, total=True),
        SheetColumn("lines", 10, WHOLE, total=True),
        SheetColumn("source_amount", 16, PRECISE),
        SheetColumn("source_currency", 9),
        SheetColumn("rate", 12),
        *([SheetColumn("costs_before", 28, TEXT)] if after_costs else []),
        SheetColumn("share", 14, "0.0000"),
        SheetColumn("earned_rounded", 16, PRECISE, total=True),
        SheetColumn("earned_exact", 28, TEXT, folded=True),
    )
    kept = (*names[:-1], "period", "units", "lines")
    counted = ("source_amount", "currency", "rate", "costs", "share_ppm", "per_unit", "terms", "earned")
    parts = zip(*(earnings[name].tolist() for name in (*kept, *counted)), strict=True)
    rows = (
        (
            *(*about, amount, currency, rate, *([_costs(costs, amount, rate, labels)] if after_costs else [])),
            _share_cell(share, unit, terms, labels),
            *(to_millionths(earned), exact_text(earned)),
        )
        for *about, amount, currency, rate, costs, share, unit, terms, earned in parts
    )
    note, total = labels("output.note.earnings"), labels("output.total")
    return WorkbookTable(labels("output.sheet.earnings"), columns, rows, note, total)


def _costs(costs: str, source_amount: Decimal, rate: str, labels: Catalogue) -> str:
    return labels.write(costs_text(costs, _EXACT.multiply(source_amount, Decimal(rate)), ""))


def _share_cell(share_ppm: str, per_unit: str, terms: str, labels: Catalogue) -> Decimal | str:
    if terms:
        return labels.write(terms_text(terms, ""))
    if per_unit:
        return labels("statement.a_unit", amount=unit_amount(per_unit))
    part = read_millionths(share_ppm)
    percent = percent_of(part)
    return fraction_text(part) if percent is None else percent


def _rows(rows: pd.DataFrame, labels: Catalogue) -> WorkbookTable:
    """Used rows are counted by file and sheet; all others are listed, in runs. The counts add up to the rows read."""
    columns = _columns(
        labels,
        SheetColumn("file", 28, TEXT),
        SheetColumn("sheet", 18, TEXT),
        SheetColumn("row", 10, WHOLE),
        SheetColumn("last_row", 10, WHOLE),
        SheetColumn("disposition", 16),
        SheetColumn("reason", 60, wrap=True),
        SheetColumn("row_count", 12, WHOLE, total=True),
        SheetColumn("code", 30, folded=True),
    )
    is_used = rows["disposition"] == "used"

    def lines() -> Iterator[Row]:
        for (file, sheet), used in rows[is_used].groupby(["file", "sheet"], sort=False, dropna=False):
            used_word, count = labels("output.disposition.used"), int(used["rows"].sum())
            yield str(file), _text(sheet), None, None, used_word, "", count, ""
        for run in records(rows[~is_used]):
            fate = Toned(labels.of_value("output.disposition", run.disposition), _DISPOSITION_TONES[run.disposition])
            reasons = reasons_from_json(run.reasons)
            place = (run.file, _text(run.sheet), int(run.first_row), int(run.last_row))
            yield (*place, fate, labels.write(reasons_message(reasons)), int(run.rows), reasons_text(reasons))

    return WorkbookTable(labels("output.sheet.rows"), columns, lines(), total=labels("output.total"))


def _checks(checks: pd.DataFrame, labels: Catalogue) -> WorkbookTable:
    columns = _columns(
        labels,
        SheetColumn("payee", 30, TEXT),
        SheetColumn("destination", 30, TEXT),
        SheetColumn("result", 26),
        SheetColumn("made", 12),
        SheetColumn("reused", 14),
        SheetColumn("cost", 12, MONEY, total=True),
        SheetColumn("message", 56, wrap=True),
    )
    rows = (
        (
            *(check.payee, check.destination_masked),
            Toned(labels.of_value("output.check", check.result), _CHECK_TONES.get(check.result, Tone.WAITING)),
            labels("output.yes" if check.made else "output.no"),
            # Documents that runs left before this was told do not say.
            labels("output.yes" if getattr(check, "reused", False) else "output.no"),
            *(amount(check.cost_cents), check.message),
        )
        for check in records(checks)
    )
    return WorkbookTable(
        labels("output.sheet.checks"), columns, rows, labels("output.note.checks"), labels("output.total")
    )


def _columns(labels: Catalogue, *columns: SheetColumn) -> tuple[SheetColumn, ...]:
    return tuple(column._replace(header=labels(f"output.{column.header}")) for column in columns)


def _text(value: object) -> str:
    # Text files have no sheet: the table holds "" or a missing value there.
    return value if isinstance(value, str) else ""
