"""plan.xlsx: a plan for the person who says yes or no to it, before anything is sent."""

import datetime as dt
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Final

from io_adapters.outputs.atomic import replace_atomically
from io_adapters.outputs.labels import Labels
from io_adapters.outputs.obligation_rows import PLACE_TONES, amount
from io_adapters.outputs.plan_summary_sheet import NOTICE_TONES, write_plan_summary
from io_adapters.outputs.reasons import reason_in_words
from io_adapters.outputs.tables import Column, Row, Table, Toned, write_table
from io_adapters.outputs.workbook import GENERAL, MONEY, WHOLE, Book, Tone
from schemas.masking import mask_tax_id
from schemas.paid_before import alike_in_words
from schemas.plan_view import Change, ChangeKind, Notice, PayeeNotice, PlanRow, PlanView

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
        view: The plan.
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
    for table in _tables(view, Labels(view.language)):
        write_table(book, table)
    return book.to_bytes()


def _tables(view: PlanView, labels: Labels) -> Iterator[Table]:
    if view.notices:
        yield _notices(view.notices, labels)
    if view.changes.changes:
        yield _changes(view.changes.changes, labels)
    yield _not_paid(view.others, labels)
    yield _planned(view.planned, labels)


def _notices(notices: tuple[PayeeNotice, ...], labels: Labels) -> Table:
    date = _DATES[labels.language]
    columns = _columns(
        labels,
        *[("notice", 34, GENERAL), ("name", 32, GENERAL), ("tax_id", 20, GENERAL), ("basis", 24, GENERAL)],
        *[("before", 16, MONEY), ("now", 16, MONEY), ("difference", 16, MONEY), ("times", 9, _TIMES)],
        *[("last_paid", 18, date), ("last_used", 26, date)],
    )
    rows = (
        (
            Toned(labels(f"notice.{one.notice}"), NOTICE_TONES[one.notice]),
            *(one.name, mask_tax_id(one.tax_id), _basis(one, labels)),
            *(_before(one), amount(one.now_cents), _difference(one), _times(one)),
            *(_day(one.last_paid_at), _last_used(one, labels)),
        )
        for one in notices
    )
    return Table(labels("sheet.notices"), columns, rows)


def _changes(changes: tuple[Change, ...], labels: Labels) -> Table:
    columns = _columns(
        labels,
        *[("change", 18, GENERAL), ("name", 32, GENERAL), ("tax_id", 20, GENERAL), ("reference", 18, GENERAL)],
        *[("where", 50, GENERAL), ("before", 16, MONEY), ("now", 16, MONEY), ("difference", 16, MONEY)],
    )
    rows = (
        (
            Toned(labels(f"change.{one.kind}"), _CHANGE_TONES[one.kind]),
            *(one.name, mask_tax_id(one.tax_id), one.reference, where_in_words(one, labels)),
            *(amount(one.before_cents), amount(one.now_cents), amount(one.difference_cents)),
        )
        for one in changes
    )
    return Table(labels("sheet.changes"), columns, rows)


def where_in_words(change: Change, labels: Labels) -> str:
    """Say where the money of a removed payment is now, or that of an added one was before; "" for nowhere."""
    if change.elsewhere is None:
        return ""
    when = labels("now_in" if change.kind is ChangeKind.REMOVED else "was_in")
    place = labels(f"place.{change.elsewhere}").lower()
    why = reason_in_words(change.reason, labels)
    return f"{when} {place}: {why}" if why else f"{when} {place}"


def _not_paid(rows: tuple[PlanRow, ...], labels: Labels) -> Table:
    columns = _columns(
        labels,
        *[("place", 24, GENERAL), ("reason", 60, GENERAL), ("name", 32, GENERAL), ("tax_id", 20, GENERAL)],
        *[("reference", 18, GENERAL), ("kind", 20, GENERAL), ("amount", 16, MONEY)],
        *[("row", 9, WHOLE), ("sheet", 16, GENERAL), ("file", 26, GENERAL)],
    )
    lines = (
        (
            Toned(labels(f"place.{one.place}"), PLACE_TONES[one.place]),
            *(reason_in_words(one.reason, labels), one.name, one.tax_id_masked),
            *(one.reference, labels.of_value("kind", one.kind), amount(one.amount_cents)),
            *(one.row or None, one.sheet, one.file),
        )
        for one in rows
    )
    return Table(labels("sheet.not_paid"), columns, lines)


def _planned(rows: tuple[PlanRow, ...], labels: Labels) -> Table:
    columns = _columns(
        labels,
        *[("name", 32, GENERAL), ("tax_id", 20, GENERAL), ("reference", 18, GENERAL), ("kind", 20, GENERAL)],
        *[("notice", 40, GENERAL), ("amount", 16, MONEY)],
        *[("row", 9, WHOLE), ("sheet", 16, GENERAL), ("file", 26, GENERAL)],
    )

    def line(one: PlanRow) -> Row:
        told = "; ".join(labels(f"notice.{notice}") for notice in one.notices)
        told = f"{told}: {alike_in_words(one.alike, labels.language)}" if one.alike else told
        look: Toned | str = Toned(told, NOTICE_TONES[one.notices[0]]) if one.notices else ""
        who = (one.name, one.tax_id_masked, one.reference, labels.of_value("kind", one.kind))
        return *who, look, amount(one.amount_cents), one.row or None, one.sheet, one.file

    return Table(labels("sheet.planned"), columns, map(line, rows))


def _columns(labels: Labels, *entries: tuple[str, int, str]) -> tuple[Column, ...]:
    return tuple(Column(labels(key), width, number_format) for key, width, number_format in entries)


def _before(one: PayeeNotice) -> Decimal | None:
    return amount(one.before_cents) if one.before_cents else None


def _difference(one: PayeeNotice) -> Decimal | None:
    return amount(one.now_cents - one.before_cents) if one.before_cents else None


def _times(one: PayeeNotice) -> Decimal | None:
    """How many times the earlier amount, with one decimal, never rounded up."""
    ten_times = one.now_cents * 10 // one.before_cents if one.before_cents and one.now_cents else 0
    return Decimal(ten_times).scaleb(-1) if ten_times else None


def _basis(one: PayeeNotice, labels: Labels) -> str:
    if one.alike:
        return alike_in_words(one.alike, labels.language)
    if one.notice is Notice.SECOND_ATTEMPT:
        return labels(f"basis.{one.notice}").format(number=one.attempt, report=one.report)
    return labels(f"basis.{one.notice}").format(amounts=one.amounts) if one.before_cents else ""


def _day(moment: dt.datetime | None) -> dt.date | None:
    return moment.date() if moment else None


def _last_used(one: PayeeNotice, labels: Labels) -> dt.date | str | None:
    if one.notice is not Notice.DESTINATION:
        return None
    return _day(one.last_used_at) or labels("never")
