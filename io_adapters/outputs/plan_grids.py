"""A plan as grids, which terminal, desk and Prefect show; and plan.xlsx, the workbook of all of them."""

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Final, NamedTuple

from io_adapters.outputs.atomic import replace_atomically
from io_adapters.outputs.grid import Field, Grid, GridColumn, Toned, facts_grid
from io_adapters.outputs.run_grids import totals_grid, waits_grid
from io_adapters.outputs.workbook import TITLE, Book, Setup
from io_adapters.outputs.workbook_tables import sheet_of, write_grid, write_table
from schemas.job import BRASILIA
from schemas.messages import Catalogue, Money, Said, catalogue_in, for_desk, period_text
from schemas.plan import HOME_CURRENCY, ExchangeTerms, Place
from schemas.plan_view import (
    AMOUNTS_LOOKED_AT,
    MUCH_ABOVE_BY_CENTS,
    MUCH_ABOVE_TIMES,
    ONE_BY_ONE,
    Against,
    Change,
    ChangeKind,
    Notice,
    PayeeNotice,
    PlanChanges,
    PlannedDestination,
    PlanRow,
    PlanView,
)
from schemas.readers import for_people
from schemas.reasons import reasons_message
from schemas.sources import paid_alike_message
from schemas.states import PAYMENTS, Tone
from schemas.values.money import format_cents
from schemas.waits import Wait
from schemas.wire import PaymentEntry

_IDENTITY: Final = "extPaymentId"  # ours, the key of the obligation: of use to programs above all
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
_CHANGE_TONES: Final = {
    ChangeKind.ADDED: Tone.MOVING,
    ChangeKind.REMOVED: Tone.WAITING,
    ChangeKind.AMOUNT: Tone.WAITING,
    ChangeKind.DESTINATION: Tone.TROUBLE,
}


class PlanGrids(NamedTuple):
    """What is shown of a plan, in the order in which people want to know it."""

    identity: Grid
    review: Grid
    to_check: Grid
    notices: Grid
    changes: Grid
    changed: Grid
    totals: Grid
    not_paid: Grid
    largest: Grid
    batches: Grid
    checks: Grid
    rows: Grid


def plan_grids(view: PlanView, labels: Catalogue, *, at_desk: bool = False) -> PlanGrids:
    """Lay a plan out as grids; whoever they name is named with a masked tax id."""
    return PlanGrids(
        _identity(view, labels),
        _review(view, labels, at_desk=at_desk),
        _to_check(view, labels),
        notices_grid([notice for notice in view.notices if notice.notice in ONE_BY_ONE], labels),
        _changes(view.changes, labels),
        _changed(view.changes.changes, labels),
        totals_grid(view.totals, labels),
        _not_paid(view, labels),
        _largest(view, labels),
        _batches(view, labels),
        _checks(view, labels),
        _rows(view, labels),
    )


def _identity(view: PlanView, labels: Catalogue) -> Grid:
    facts: list[tuple[str, Field]] = [
        ("summary.job", Said(view.job)),
        ("summary.payer", " ".join(filter(None, (view.payer_name, view.payer_document)))),
        ("summary.period", period_text(view.period, labels.language)),
        ("plan.total", Money(view.total_cents, view.currency)),
        *([("plan.owner", Money(view.owner_cents))] if view.owner_cents else []),
        *([("plan.ready", Said(labels.write(view.ready)))] if view.ready else []),
        ("plan.payees", view.payees),
        ("payments", view.payments),
        ("summary.batches", len(view.batches)),
        *([("plan.exchange", _rate_text(view.exchange))] if view.exchange else []),
        ("summary.plan_digest", digest_text(view, labels)),
    ]
    return facts_grid(labels("output.plan.title"), [(labels(f"output.{key}"), value) for key, value in facts])


def _rate_text(terms: ExchangeTerms) -> str:
    order = f" ({terms.order_id})" if terms.order_id else ""
    return f"1 {terms.currency} = {HOME_CURRENCY} {terms.plain_rate}{order}"


def digest_text(view: PlanView, labels: Catalogue) -> str:
    """Name the plan, or say why it has no name yet."""
    if view.digest:
        return view.digest
    if view.stopped:
        return labels("output.plan.stopped")
    return labels("output.plan.provisional" if view.batches else "output.plan.empty")


def _review(view: PlanView, labels: Catalogue, *, at_desk: bool) -> Grid:
    reasons = map(for_desk, view.review_reasons) if at_desk else view.review_reasons
    notes: list[str | Toned] = [Toned(labels.write(reason), Tone.TROUBLE) for reason in reasons]
    if view.first_ever:
        notes.append(labels("output.plan.first_ever"))
    elif not view.notices:
        notes.append(labels("output.plan.nobody"))
    columns = _columns(labels, ("notice", 34), ("plan.payees", 14), ("amount", 16), ("meaning", 50))
    by = format_cents(MUCH_ABOVE_BY_CENTS, labels.language)
    rows = [
        (
            Toned(labels(f"output.notice.{group.notice}"), NOTICE_TONES[group.notice]),
            group.count,
            Money(group.amount_cents),
            labels(f"output.rule.{group.notice}", times=MUCH_ABOVE_TIMES, amounts=AMOUNTS_LOOKED_AT, by=by),
        )
        for group in view.notice_groups
        if not (view.first_ever and group.notice is Notice.NEW)
    ]
    return Grid(labels("output.plan.notices"), columns, rows, notes)


def _to_check(view: PlanView, labels: Catalogue) -> Grid:
    """List the texts beside payments that nobody has seen before."""
    columns = _columns(
        labels, ("written_in", 26), ("text", 60), ("payments", 12), ("row", 9), ("sheet", 16), ("file", 26)
    )
    rows = [
        (
            *(text.header or labels(f"output.written.{text.kind}"), text.text, text.count),
            *(text.row or None, text.sheet, text.file),
        )
        for text in view.to_check
    ]
    return Grid(labels("output.plan.to_check"), columns, rows)


def notices_grid(notices: Iterable[PayeeNotice], labels: Catalogue) -> Grid:
    """List payees to look at: what for, how much it was and is, and where their money goes."""
    columns = _columns(
        labels,
        *(("notice", 34), ("name", 32), ("tax_id", 20), ("before", 16), ("now", 16)),
        *(("difference", 16, True), ("times", 9, True), ("basis", 50), ("destination", 50)),
    )
    rows = [
        (
            Toned(labels(f"output.notice.{notice.notice}"), NOTICE_TONES[notice.notice]),
            *(notice.name or "?", notice.tax_id),
            Money(notice.before_cents) if notice.before_cents else None,
            Money(notice.now_cents),
            Money(notice.now_cents - notice.before_cents) if notice.before_cents else None,
            _times(notice),
            _basis(notice, labels),
            "; ".join(destination_text(destination, labels) for destination in notice.destinations),
        )
        for notice in notices
    ]
    return Grid(labels("output.sheet.notices"), columns, rows)


def _times(notice: PayeeNotice) -> Decimal | None:
    """How many times the earlier amount, with one decimal, never rounded up."""
    ten_times = notice.now_cents * 10 // notice.before_cents if notice.before_cents and notice.now_cents else 0
    return Decimal(ten_times).scaleb(-1) if ten_times else None


def _basis(notice: PayeeNotice, labels: Catalogue) -> str:
    match notice.notice:
        case Notice.PAID_BEFORE:
            return labels.write(paid_alike_message(notice.alike))
        case Notice.SECOND_ATTEMPT:
            return labels("output.basis.second_attempt", number=notice.attempt, report=notice.report)
        case Notice.DESTINATION:
            used, paid = _day(notice.last_used_at), _day(notice.last_paid_at)
            return labels(f"output.basis.destination_{'old' if used else 'new'}", used=used or "", paid=paid or "")
        case Notice.NEW:
            return ""
        case _:
            return labels(f"output.basis.{notice.notice}", count=notice.amounts)


def _day(moment: dt.datetime | None) -> dt.date | None:
    return moment.astimezone(BRASILIA).date() if moment else None


def destination_text(destination: PlannedDestination | None, labels: Catalogue) -> str:
    """Say where money goes, whose account it is if somebody else's, and since when the service confirmed it."""
    if destination is None:
        return ""
    confirmed = _day(destination.confirmed_at)
    key = "output.confirmed" if confirmed else "output.not_confirmed"
    return f"{labels.write(destination.message)} ({labels(key, day=confirmed or '')})"


def _changes(changes: PlanChanges, labels: Catalogue) -> Grid:
    facts = {"period": changes.period, "run": changes.run_id, "day": _day(changes.at) or ""}
    title = labels(f"output.plan.against_{changes.against}", **facts)
    columns = _columns(labels, ("change", 34), ("count", 14), ("difference", 16))
    if changes.against is Against.NOTHING:
        return Grid(labels("output.sheet.changes"), columns, (), (title,))
    notes: list[str | Toned] = [
        Toned(labels("output.plan.rate", currency=rate.currency, before=rate.before, now=rate.now), Tone.WAITING)
        for rate in changes.rates
    ]
    if changes.shares:
        notes.append(Toned(labels("output.plan.shares", count=changes.shares), Tone.WAITING))
    if not changes.any:
        notes.append(labels("output.plan.unchanged"))
    rows = [
        (
            Toned(labels(f"output.change.{kind}"), _CHANGE_TONES[kind]),
            len(some),
            Money(sum(change.difference_cents for change in some)),
        )
        for kind in ChangeKind
        if (some := changes.of_kind(kind))
    ]
    whole = (labels("output.plan.whole_change"), len(changes.changes), Money(changes.now_cents - changes.before_cents))
    return Grid(title, columns, rows, notes, whole if changes.any else ())


def _changed(changes: Iterable[Change], labels: Catalogue) -> Grid:
    columns = _columns(
        labels,
        *(("change", 18), ("name", 32), ("tax_id", 20), ("reference", 18, True)),
        *(("before", 16), ("now", 16), ("difference", 16, True), ("where", 50)),
    )
    rows = [
        (
            Toned(labels(f"output.change.{change.kind}"), _CHANGE_TONES[change.kind]),
            *(change.name or "?", change.tax_id, change.reference),
            *(Money(change.before_cents), Money(change.now_cents), Money(change.difference_cents)),
            _where_text(change, labels),
        )
        for change in changes
    ]
    return Grid(labels("output.sheet.changes"), columns, rows)


def _where_text(change: Change, labels: Catalogue) -> str:
    """Say where the money of a removed payment is now, or that of an added one was before; "" for nowhere."""
    if change.elsewhere is None:
        return ""
    when = labels("output.now_in" if change.kind is ChangeKind.REMOVED else "output.was_in")
    place = labels(f"place.{change.elsewhere}").lower()
    why = labels.write(reasons_message(change.reasons))
    return f"{when} {place}: {why}" if why else f"{when} {place}"


def _place(place: Place, labels: Catalogue) -> Toned:
    return Toned(labels(f"place.{place}"), PAYMENTS[place].tone)


def _not_paid(view: PlanView, labels: Catalogue) -> Grid:
    columns = _columns(labels, ("place", 34), ("amount", 16), ("summary.count", 14), ("reason", 50))
    rows = [
        (
            _place(unpaid.place, labels),
            *(Money(unpaid.amount_cents), unpaid.count, labels.write(reasons_message(unpaid.reasons))),
        )
        for unpaid in view.not_paid
    ]
    return Grid(labels("output.plan.not_paid"), columns, rows)


def _largest(view: PlanView, labels: Catalogue) -> Grid:
    columns = _columns(labels, ("name", 32), ("tax_id", 20), ("amount", 16), ("destination", 50))
    sent = _sent_columns(view.largest)
    rows = [
        (
            *(row.name, row.tax_id_masked, Money(row.amount_cents), destination_text(row.destination, labels)),
            *_sent_of(row, sent, labels),
        )
        for row in view.largest
    ]
    return Grid(labels("output.plan.largest"), (*columns, *_sent_headers(sent, labels)), rows)


def _sent_columns(rows: Iterable[PlanRow]) -> list[str]:
    """Name the fields that any of the payments sends beside payee, amount and destination, as the wire orders them."""
    used = {name for row in rows for name in row.sent}
    return [name for name in PaymentEntry.model_fields if name in used]


def _sent_headers(names: Iterable[str], labels: Catalogue) -> list[GridColumn]:
    return [GridColumn(labels(f"output.sent.{name}"), 20, name == _IDENTITY) for name in names]


def _sent_of(row: PlanRow, names: Iterable[str], labels: Catalogue) -> list[Field]:
    values = [row.sent.get(name, "") for name in names]
    return [labels("output.yes") if value is True else value for value in values]


def _batches(view: PlanView, labels: Catalogue) -> Grid:
    columns = _columns(labels, ("number", 14), ("payments", 14), ("amount", 16), ("plan.owner", 16))
    rows = [(b.number, b.payments, Money(b.amount_cents), Money(b.owner_cents)) for b in view.batches]
    return Grid(labels("output.summary.batches"), columns, rows)


def _checks(view: PlanView, labels: Catalogue) -> Grid:
    checks = view.checks
    facts: list[tuple[str, Field]] = [
        ("plan.checks_wanted", checks.wanted),
        ("plan.checks_cost", Money(checks.cost_cents)),
        ("checks.budget", Money(checks.budget_cents)),
        ("plan.checks_left", Money(checks.left_cents)),
    ]
    notes = []
    if checks.beyond_budget:
        notes.append(Toned(labels("output.plan.checks_beyond", count=checks.beyond_budget), Tone.WAITING))
    named = [(labels(f"output.{key}"), value) for key, value in facts]
    return facts_grid(labels("output.plan.checks"), named, notes)


def _rows(view: PlanView, labels: Catalogue) -> Grid:
    rows = view.rows.model_dump()
    facts = [(labels("output.summary.rows_read"), rows.pop("read"))]
    facts += [(labels(f"output.disposition.{name}"), count) for name, count in rows.items()]
    return facts_grid(labels("output.summary.rows"), facts)


def others_grid(rows: Iterable[PlanRow], labels: Catalogue) -> Grid:
    """List what is not paid, obligation by obligation, and why."""
    columns = _columns(
        labels,
        *(("place", 24), ("name", 32), ("tax_id", 20), ("reference", 18), ("kind", 20)),
        *(("amount", 16), ("reason", 60), ("row", 9), ("sheet", 16, True), ("file", 26)),
    )
    lines = [
        (
            *(_place(row.place, labels), row.name or "?", row.tax_id_masked, row.reference),
            *(labels.of_value("output.kind", row.kind), Money(row.amount_cents)),
            *(labels.write(reasons_message(row.reasons)), row.row or None, row.sheet, row.file),
        )
        for row in rows
    ]
    return Grid(labels("output.sheet.not_paid"), columns, lines)


def planned_grid(rows: Iterable[PlanRow], labels: Catalogue, *, first_ever: bool) -> Grid:
    """List what is paid, payment by payment: to whom, where to, what else is sent, what to look at, and its row."""
    rows = list(rows)
    sent, written = _sent_columns(rows), any(row.written for row in rows)
    columns = (
        *_columns(labels, ("name", 32), ("tax_id", 20), ("reference", 18), ("kind", 20), ("amount", 16)),
        *_columns(labels, ("notice", 40), ("destination", 60)),
        *_sent_headers(sent, labels),
        *(_columns(labels, ("written", 60)) if written else ()),
        *_columns(labels, ("row", 9), ("sheet", 16, True), ("file", 26)),
    )
    stays = [labels("output.plan.reference_stays")] if any(row.reference for row in rows) else []

    def notices_text(row: PlanRow) -> str | Toned:
        shown = [notice for notice in row.notices if not (first_ever and notice is Notice.NEW)]
        if not shown:
            return ""
        text = "; ".join(labels(f"output.notice.{notice}") for notice in shown)
        text = f"{text}: {labels.write(paid_alike_message(row.alike))}" if row.alike else text
        return Toned(text, NOTICE_TONES[shown[0]])

    lines = [
        (
            *(row.name or "?", row.tax_id_masked, row.reference, labels.of_value("output.kind", row.kind)),
            *(Money(row.amount_cents), notices_text(row), destination_text(row.destination, labels)),
            *_sent_of(row, sent, labels),
            *(["; ".join(f"{column}: {text}" for column, text in row.written)] if written else []),
            *(row.row or None, row.sheet, row.file),
        )
        for row in rows
    ]
    return Grid(labels("output.sheet.planned"), columns, lines, stays)


def _columns(labels: Catalogue, *columns: tuple[str, int] | tuple[str, int, bool]) -> tuple[GridColumn, ...]:
    """Name columns: the key of the header's text, the width, and whether it is a detail."""
    return tuple(GridColumn(labels(f"output.{key}"), width, *detail) for key, width, *detail in columns)


def write_plan_workbook(view: PlanView, waits: Sequence[Wait], path: Path) -> Path:
    """Write plan.xlsx. The same view gives the same bytes every time.

    Names are written, so that people recognise whom they pay; tax ids are masked; nothing else of anybody is in it.

    Raises:
        OSError: the folder cannot be written.
    """
    return replace_atomically(path, plan_xlsx(view, waits))


@for_people()
def plan_xlsx(view: PlanView, waits: Sequence[Wait] = ()) -> bytes:
    """Write the workbook's bytes: the summary, whom to look at, what changed, what is not paid, what is."""
    labels, book = catalogue_in(view.language), Book()
    grids = plan_grids(view, labels)
    page = book.page(Setup(labels("output.sheet.plan"), [44, 24, 18, 50, 50, *[18] * len(PaymentEntry.model_fields)]))
    page.write(labels("output.plan.title"), ink=TITLE)
    page.write(labels("output.plan.nothing_sent"))
    overview = (
        replace(grids.identity, title=""),
        grids.review,
        *([grids.to_check] if view.to_check else []),
        grids.changes,
        grids.totals,
        grids.not_paid,
        grids.largest,
    )
    for grid in (*overview, grids.batches, grids.checks, grids.rows, waits_grid(waits, labels)):
        write_grid(page, grid, view.language)
    lists = [notices_grid(view.notices, labels)] if view.notices else []
    lists += [grids.changed] if view.changes.changes else []
    lists += [others_grid(view.others, labels), planned_grid(view.planned, labels, first_ever=view.first_ever)]
    for grid in lists:
        write_table(book, sheet_of(grid, view.language))
    return book.to_bytes()
