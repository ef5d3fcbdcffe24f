"""The first sheet of plan.xlsx: what would be sent, and what to know before approving it."""

import datetime as dt
from collections.abc import Iterable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Final

from io_adapters.outputs.atomic import replace_atomically
from io_adapters.outputs.reconciliation_summary import write_waits
from io_adapters.outputs.reconciliation_workbook import PLACE_TONES, amount
from io_adapters.outputs.workbook import (
    GENERAL,
    HEADING,
    MONEY,
    PLAIN,
    TITLE,
    WHOLE,
    Book,
    Cell,
    Ink,
    Page,
    Row,
    Setup,
    Tone,
    Toned,
    Value,
)
from io_adapters.outputs.workbook_tables import GAP, SheetColumn, WorkbookTable, write_small_table, write_table
from schemas.messages import Catalogue, catalogue_in, render
from schemas.obligation import reasons_message
from schemas.plan import Place
from schemas.plan_view import (
    AMOUNTS_LOOKED_AT,
    MUCH_ABOVE_BY_CENTS,
    MUCH_ABOVE_TIMES,
    Against,
    Change,
    ChangeKind,
    Notice,
    PayeeNotice,
    PlannedDestination,
    PlanRow,
    PlanView,
)
from schemas.statement_sketches import paid_alike_message
from schemas.values.masking import mask_tax_id
from schemas.values.money import format_cents

NOTICE_TONES: Final = {
    Notice.PAID_BEFORE: Tone.TROUBLE,
    Notice.SECOND_ATTEMPT: Tone.TROUBLE,
    Notice.TIMES_100: Tone.TROUBLE,
    Notice.DESTINATION: Tone.TROUBLE,
    Notice.MUCH_ABOVE: Tone.WAITING,
    Notice.TAKEN_BACK: Tone.WAITING,
    Notice.NEW: Tone.MOVING,
    Notice.DISAPPEARED: Tone.QUIET,
}
LARGEST: Final = 10

_BOLD: Final = Ink(bold=True)


def write_plan_summary(book: Book, view: PlanView) -> None:
    """Write the sheet a person reads before approving."""
    labels = catalogue_in(view.language)
    page = book.page(Setup(labels("output.sheet.plan"), [44, 24, 16, 4, 50, 44, 18]))
    page.write(labels("output.plan.title"), ink=TITLE)
    page.write(labels("output.plan.nothing_sent"))
    page.append()
    _write_identity(page, view, labels)
    _write_notices(page, view, labels)
    _write_changes(page, view, labels)
    _write_totals(page, view, labels)
    _write_not_paid(page, view, labels)
    _write_largest(page, view, labels)
    _write_batches(page, view, labels)
    _write_checks(page, view, labels)
    _write_rows(page, view, labels)
    write_waits(page, view.waits, labels)


def _start(page: Page, heading: str) -> None:
    page.append()
    page.write(heading, ink=HEADING)


def _write_identity(page: Page, view: PlanView, labels: Catalogue) -> None:
    facts: list[tuple[str, Value, Ink]] = [
        ("summary.job", view.plan.job, PLAIN),
        ("summary.payer", view.payer_name, PLAIN),
        ("summary.period", view.plan.period, PLAIN),
        ("summary.currency", view.plan.currency, PLAIN),
        ("plan.total", amount(view.plan.total_cents), Ink(MONEY, bold=True)),
        ("plan.payees", view.payees, Ink(WHOLE)),
        ("summary.plan_digest", digest_text(view, labels), PLAIN),
    ]
    if view.plan.exchange:
        facts.append(("plan.exchange", f"1 {view.plan.exchange.currency} = BRL {view.plan.exchange.plain_rate}", PLAIN))
    for key, value, ink in facts:
        page.append((Cell(labels(f"output.{key}"), _BOLD), Cell(value, ink)))


def digest_text(view: PlanView, labels: Catalogue) -> str:
    """Name the plan, or say why it has no name yet."""
    if view.digest:
        return view.digest
    if view.stopped:
        return labels("output.plan.stopped")
    return labels("output.plan.provisional" if view.plan.batches else "output.plan.empty")


def rule_text(notice: Notice, labels: Catalogue) -> str:
    """Say what a notice means, with the figures of its rule."""
    by = format_cents(MUCH_ABOVE_BY_CENTS, labels.language)
    return labels(f"output.rule.{notice}", times=MUCH_ABOVE_TIMES, amounts=AMOUNTS_LOOKED_AT, by=by)


def _write_notices(page: Page, view: PlanView, labels: Catalogue) -> None:
    _start(page, labels("output.plan.notices"))
    for reason in view.review_reasons:
        page.write(render(reason, view.language), ink=Ink(tone=Tone.TROUBLE))
    if view.first_ever:
        page.write(labels("output.plan.first_ever"))
    columns = [
        SheetColumn(labels("output.notice")),
        SheetColumn(labels("output.plan.payees"), 0, WHOLE),
        SheetColumn(labels("output.amount"), 0, MONEY),
        GAP,
        SheetColumn(labels("output.meaning")),
    ]
    write_small_table(
        page,
        columns,
        (
            (
                Toned(
                    labels(f"output.notice.{group.notice}"), NOTICE_TONES[group.notice] if group.count else Tone.NONE
                ),
                *(group.count, amount(group.amount_cents), None, rule_text(group.notice, labels)),
            )
            for group in view.notice_groups
        ),
    )


def _write_changes(page: Page, view: PlanView, labels: Catalogue) -> None:
    changes = view.changes
    _start(page, labels(f"output.plan.against_{changes.against}", period=changes.period))
    if changes.against is Against.NOTHING:
        return
    if changes.run_id:
        page.append((Cell(labels("output.summary.run"), _BOLD), Cell(changes.run_id)))
    sums = {"plan.paid_then": changes.before_cents, "plan.paid_now": changes.now_cents}
    for key, cents in sums.items():
        page.append((Cell(labels(f"output.{key}"), _BOLD), Cell(amount(cents), Ink(MONEY))))
    for rate in changes.rates:
        facts = {"currency": rate.currency, "before": rate.before, "now": rate.now}
        page.write(labels("output.plan.rate", **facts), ink=Ink(tone=Tone.WAITING))
    if changes.shares:
        page.append((Cell(labels("output.plan.shares"), _BOLD), Cell(changes.shares, Ink(WHOLE))))
    counted = labels("output.payments" if changes.against is Against.LAST_PLAN else "output.plan.payees")
    columns = [
        SheetColumn(labels("output.change")),
        SheetColumn(counted, 0, WHOLE),
        SheetColumn(labels("output.difference"), 0, MONEY),
    ]
    of_kinds = ((kind, changes.of_kind(kind)) for kind in ChangeKind)
    write_small_table(
        page,
        columns,
        (
            (labels(f"output.change.{kind}"), len(some), amount(sum(change.difference_cents for change in some)))
            for kind, some in of_kinds
        ),
    )


def _write_totals(page: Page, view: PlanView, labels: Catalogue) -> None:
    _start(page, labels("output.summary.totals"))
    money = Ink(MONEY)
    for place in Place:
        cents = getattr(view.totals, place.value)
        if cents:
            label = Cell(labels(f"place.{place}"), Ink(tone=PLACE_TONES[place]))
            page.append((label, Cell(amount(cents), money)))
    for key, cents in {"summary.in": view.totals.in_, "summary.sum": view.totals.placed()}.items():
        page.append((Cell(labels(f"output.{key}"), _BOLD), Cell(amount(cents), money._replace(bold=True))))
    balanced = view.totals.in_ == view.totals.placed()
    mark = labels("output.summary.balanced" if balanced else "output.summary.unbalanced")
    page.append((None, Cell(mark, Ink(tone=Tone.GOOD if balanced else Tone.TROUBLE, bold=True))))


def _write_not_paid(page: Page, view: PlanView, labels: Catalogue) -> None:
    _start(page, labels("output.plan.not_paid"))
    columns = [
        SheetColumn(labels("output.place")),
        SheetColumn(labels("output.amount"), 0, MONEY),
        SheetColumn(labels("output.summary.count"), 0, WHOLE),
    ]
    write_small_table(
        page,
        [*columns, GAP, SheetColumn(labels("output.reason"))],
        (
            (
                Toned(labels(f"place.{unpaid.place}"), PLACE_TONES[unpaid.place]),
                *(amount(unpaid.amount_cents), unpaid.count, None, labels.write(reasons_message(unpaid.reasons))),
            )
            for unpaid in view.not_paid
        ),
    )


def _write_largest(page: Page, view: PlanView, labels: Catalogue) -> None:
    _start(page, labels("output.plan.largest"))
    columns = [
        SheetColumn(labels("output.name")),
        SheetColumn(labels("output.tax_id")),
        SheetColumn(labels("output.amount"), 0, MONEY),
    ]
    largest = ((row.name, row.tax_id_masked, amount(row.amount_cents)) for row in view.largest(LARGEST))
    write_small_table(page, columns, largest)


def _write_batches(page: Page, view: PlanView, labels: Catalogue) -> None:
    _start(page, labels("output.summary.batches"))
    columns = [SheetColumn(labels("output.number"), 0, WHOLE), SheetColumn(labels("output.payments"), 0, WHOLE)]
    money = [SheetColumn(labels("output.amount"), 0, MONEY), GAP, SheetColumn(labels("output.plan.owner"), 0, MONEY)]
    rows = ((b.number, b.payees, amount(b.amount_cents), None, amount(b.owner_cents)) for b in view.plan.batches)
    write_small_table(page, [*columns, *money], rows)


def _write_checks(page: Page, view: PlanView, labels: Catalogue) -> None:
    _start(page, labels("output.plan.checks"))
    checks = view.checks
    figures: dict[str, tuple[Value, str]] = {
        "plan.checks_wanted": (checks.wanted, WHOLE),
        "plan.checks_cost": (amount(checks.cost_cents), MONEY),
        "checks.budget": (amount(checks.budget_cents), MONEY),
        "plan.checks_left": (amount(checks.left_cents), MONEY),
    }
    if checks.beyond_budget:
        figures["plan.checks_beyond"] = (checks.beyond_budget, WHOLE)
    _write_figures(page, figures.items(), labels)


def _write_rows(page: Page, view: PlanView, labels: Catalogue) -> None:
    _start(page, labels("output.summary.rows"))
    rows = view.rows.model_dump()
    named = {"summary.rows_read": rows.pop("read")} | {f"disposition.{name}": count for name, count in rows.items()}
    _write_figures(page, ((key, (count, WHOLE)) for key, count in named.items()), labels)


def _write_figures(page: Page, figures: Iterable[tuple[str, tuple[Value, str]]], labels: Catalogue) -> None:
    for key, (value, number_format) in figures:
        page.write_row((labels(f"output.{key}"), value), [Ink(GENERAL), Ink(number_format)])


_DATES: Final = {"pt-BR": "dd/mm/yyyy", "en": "yyyy-mm-dd"}
_TIMES: Final = '0.0"×"'
_CHANGE_TONES: Final = {
    ChangeKind.ADDED: Tone.MOVING,
    ChangeKind.REMOVED: Tone.WAITING,
    ChangeKind.AMOUNT: Tone.NONE,
    ChangeKind.DESTINATION: Tone.TROUBLE,
}


def write_plan_workbook(view: PlanView, path: Path) -> Path:
    """Write the workbook. The same view gives the same bytes every time.

    Names are written, so that people recognise whom they pay; tax ids are masked; nothing else of anybody is told.

    Args:
        path: Where it should be; its folder is made when missing.

    Returns:
        Where it is: as `atomic.replace_atomically` says.

    Raises:
        OSError: the folder cannot be written.
    """
    return replace_atomically(path, plan_xlsx(view))


def plan_xlsx(view: PlanView) -> bytes:
    """Write the workbook's bytes: the summary, whom to look at, what changed, what is not paid, what is."""
    book = Book()
    write_plan_summary(book, view)
    for table in _tables(view, catalogue_in(view.language)):
        write_table(book, table)
    return book.to_bytes()


def _tables(view: PlanView, labels: Catalogue) -> Iterator[WorkbookTable]:
    if view.notices:
        yield _notices(view.notices, labels)
    if view.changes.changes:
        yield _changes(view.changes.changes, labels)
    yield _not_paid(view.others, labels)
    yield _planned(view.planned, labels)


def _notices(notices: tuple[PayeeNotice, ...], labels: Catalogue) -> WorkbookTable:
    date = _DATES[labels.language]
    columns = _columns(
        labels,
        *[("notice", 34, GENERAL), ("name", 32, GENERAL), ("tax_id", 20, GENERAL), ("basis", 24, GENERAL)],
        *[("before", 16, MONEY), ("now", 16, MONEY), ("difference", 16, MONEY), ("times", 9, _TIMES)],
        *[("last_paid", 18, date), ("last_used", 26, date), ("destination", 50, GENERAL)],
    )
    rows = (
        (
            Toned(labels(f"output.notice.{notice.notice}"), NOTICE_TONES[notice.notice]),
            *(notice.name, mask_tax_id(notice.tax_id), _basis(notice, labels)),
            *(_before(notice), amount(notice.now_cents), _difference(notice), _times(notice)),
            *(_day(notice.last_paid_at), _last_used(notice, labels)),
            "; ".join(labels.write(destination.message) for destination in notice.destinations),
        )
        for notice in notices
    )
    return WorkbookTable(labels("output.sheet.notices"), columns, rows)


def _changes(changes: tuple[Change, ...], labels: Catalogue) -> WorkbookTable:
    columns = _columns(
        labels,
        *[("change", 18, GENERAL), ("name", 32, GENERAL), ("tax_id", 20, GENERAL), ("reference", 18, GENERAL)],
        *[("where", 50, GENERAL), ("before", 16, MONEY), ("now", 16, MONEY), ("difference", 16, MONEY)],
    )
    rows = (
        (
            Toned(labels(f"output.change.{change.kind}"), _CHANGE_TONES[change.kind]),
            *(change.name, mask_tax_id(change.tax_id), change.reference, where_text(change, labels)),
            *(amount(change.before_cents), amount(change.now_cents), amount(change.difference_cents)),
        )
        for change in changes
    )
    return WorkbookTable(labels("output.sheet.changes"), columns, rows)


def where_text(change: Change, labels: Catalogue) -> str:
    """Say where the money of a removed payment is now, or that of an added one was before; "" for nowhere."""
    if change.elsewhere is None:
        return ""
    when = labels("output.now_in" if change.kind is ChangeKind.REMOVED else "output.was_in")
    place = labels(f"place.{change.elsewhere}").lower()
    why = labels.write(reasons_message(change.reasons))
    return f"{when} {place}: {why}" if why else f"{when} {place}"


def _not_paid(rows: tuple[PlanRow, ...], labels: Catalogue) -> WorkbookTable:
    columns = _columns(
        labels,
        *[("place", 24, GENERAL), ("reason", 60, GENERAL), ("name", 32, GENERAL), ("tax_id", 20, GENERAL)],
        *[("reference", 18, GENERAL), ("kind", 20, GENERAL), ("amount", 16, MONEY)],
        *[("row", 9, WHOLE), ("sheet", 16, GENERAL), ("file", 26, GENERAL)],
    )
    lines = (
        (
            Toned(labels(f"place.{row.place}"), PLACE_TONES[row.place]),
            *(labels.write(reasons_message(row.reasons)), row.name, row.tax_id_masked),
            *(row.reference, labels.of_value("output.kind", row.kind), amount(row.amount_cents)),
            *(row.row or None, row.sheet, row.file),
        )
        for row in rows
    )
    return WorkbookTable(labels("output.sheet.not_paid"), columns, lines)


def _planned(rows: tuple[PlanRow, ...], labels: Catalogue) -> WorkbookTable:
    columns = _columns(
        labels,
        *[("name", 32, GENERAL), ("tax_id", 20, GENERAL), ("reference", 18, GENERAL), ("kind", 20, GENERAL)],
        *[("notice", 40, GENERAL), ("amount", 16, MONEY)],
        *[("destination_type", 18, GENERAL), ("destination", 26, GENERAL), ("bank", 34, GENERAL)],
        *[("holder", 28, GENERAL), ("confirmed", 18, _DATES[labels.language])],
        *[("row", 9, WHOLE), ("sheet", 16, GENERAL), ("file", 26, GENERAL)],
    )

    def line(row: PlanRow) -> Row:
        text = "; ".join(labels(f"output.notice.{notice}") for notice in row.notices)
        text = f"{text}: {labels.write(paid_alike_message(row.alike))}" if row.alike else text
        look: Toned | str = Toned(text, NOTICE_TONES[row.notices[0]]) if row.notices else ""
        who = (row.name, row.tax_id_masked, row.reference, labels.of_value("output.kind", row.kind))
        return *who, look, amount(row.amount_cents), *where(row.destination), row.row or None, row.sheet, row.file

    def where(destination: PlannedDestination | None) -> Row:
        if destination is None:
            return "", "", "", "", None
        confirmed = _day(destination.confirmed_at) or labels("output.not_confirmed")
        return labels(destination.kind), destination.number, destination.bank, destination.holder, confirmed

    return WorkbookTable(labels("output.sheet.planned"), columns, map(line, rows))


def _columns(labels: Catalogue, *entries: tuple[str, int, str]) -> tuple[SheetColumn, ...]:
    return tuple(SheetColumn(labels(f"output.{key}"), width, number_format) for key, width, number_format in entries)


def _before(notice: PayeeNotice) -> Decimal | None:
    return amount(notice.before_cents) if notice.before_cents else None


def _difference(notice: PayeeNotice) -> Decimal | None:
    return amount(notice.now_cents - notice.before_cents) if notice.before_cents else None


def _times(notice: PayeeNotice) -> Decimal | None:
    """How many times the earlier amount, with one decimal, never rounded up."""
    ten_times = notice.now_cents * 10 // notice.before_cents if notice.before_cents and notice.now_cents else 0
    return Decimal(ten_times).scaleb(-1) if ten_times else None


def _basis(notice: PayeeNotice, labels: Catalogue) -> str:
    if notice.alike:
        return labels.write(paid_alike_message(notice.alike))
    if notice.notice is Notice.SECOND_ATTEMPT:
        return labels(f"output.basis.{notice.notice}", number=notice.attempt, report=notice.report)
    return labels(f"output.basis.{notice.notice}", count=notice.amounts) if notice.before_cents else ""


def _day(moment: dt.datetime | None) -> dt.date | None:
    return moment.date() if moment else None


def _last_used(notice: PayeeNotice, labels: Catalogue) -> dt.date | str | None:
    if notice.notice is not Notice.DESTINATION:
        return None
    return _day(notice.last_used_at) or labels("output.never")
