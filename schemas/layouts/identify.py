"""Identifying a file that no job names: a sender's statement, or one of the tables people keep."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from schemas.layouts.headers import match_headers
from schemas.layouts.layout import Layout
from schemas.layouts.recognise import Fit, candidates, find_header, is_money, variants
from schemas.sheet_cells import HeadRow, View

_DESTINATION: Final = frozenset({"pix_key", "pix_key_type", "account", "agency", "bank_code"})
_OF_LINES: Final = frozenset({"isrc", "upc", "title", "platform", "units", "release"})
_SAMPLE_ROWS: Final = 25


@dataclass(frozen=True, slots=True)
class Possibility:
    """One thing a file could be.

    Attributes:
        layout: Which layout would read it.
        fits: Its table in each visible sheet that has one; the likeliest header where columns are missing.
        open_columns: Canonical column that nothing decides -> headers that could be it, in the file's order.
        is_variant: Whether it is nearly a sender's statement, and a person has to say whether it is one.
    """

    layout: Layout
    fits: tuple[Fit, ...]
    open_columns: dict[str, tuple[str, ...]]
    is_variant: bool = False

    @property
    def sheets(self) -> tuple[str, ...]:
        """Sheets of which a person has to say which is meant; none, where there is one alone or all are read."""
        names = tuple(fit.view.sheet for fit in self.fits if fit.view.sheet is not None)
        return names if len(names) > 1 and not self.layout.sheets else ()


# What one table of a file could be, the likeliest first.
Possibilities = tuple[Possibility, ...]


def identify(views: Sequence[View], known: Iterable[Layout]) -> tuple[Possibilities, ...]:
    """Return what each table of a file could be; nothing, where no layout speaks of it.

    Sheets that are alike are one table, of which a person has to say which sheet is meant.

    Args:
        views: Its sheets, or its text under each delimiter.
        known: All layouts: those of senders, and those of tables that anybody keeps.
    """
    layouts = list(known)
    senders = candidates(views, [layout for layout in layouts if not layout.recognise.nothing_else])
    if senders:
        return (tuple(Possibility(fit.layout, _fits(views, fit.layout), {}) for fit in senders),)
    own = {layout.layout: layout for layout in layouts if layout.recognise.nothing_else}
    shown = [view for view in views if view.visible]
    alike: dict[tuple[str, ...], list[View]] = {}
    for part in [shown] if any(view.sheet is None for view in shown) else [[view] for view in shown]:
        if names := _names(part, own):
            alike.setdefault(names, []).extend(part)
    return tuple(tuple(_possibility(part, own[name]) for name in names) for names, part in alike.items())


def variants_of(views: Sequence[View], known: Iterable[Layout]) -> Possibilities:
    """Return the senders' statements that an unknown file is nearly one of; a person says whether it is.

    Args:
        views: Its sheets, or its text under each delimiter.
    """
    senders = [layout for layout in known if not layout.recognise.nothing_else and layout.table == "royalty_lines"]
    shown = [view for view in views if view.visible]
    return tuple(replace(_possibility(shown, layout), is_variant=True) for layout in variants(shown, senders))


def as_table(views: Sequence[View], known: Iterable[Layout], name: str) -> Possibilities:
    """Return a file as what a person says it is; nothing, where there is no such layout.

    Args:
        views: Its sheets, or its text under each delimiter.
        name: Of a layout, such as payments or distrokid.
    """
    shown = [view for view in views if view.visible]
    return tuple(_possibility(shown, layout) for layout in known if layout.layout == name)


def _names(views: Sequence[View], own: dict[str, Layout]) -> tuple[str, ...]:
    """Tell tables that people keep apart by the columns that only some of them have."""
    payments, advances = _claimed(views, own["payments"]), _claimed(views, own["advances"])
    if {"tax_id", "share"} <= _claimed(views, own["shares"]):
        return ("shares",)
    if {"tax_id", "kind", "period", "amount"} <= _claimed(views, own["opening"]):
        return ("opening",)
    has_money = "amount" in payments | advances or _money(views, own["payments"])
    if "tax_id" in payments and has_money:
        return _paid_or_advanced(payments, advances)
    if {"tax_id", "name"} <= payments:
        return ("payees",)
    lines = _claimed(views, own["royalties"])
    if "amount" in lines and len(lines & _OF_LINES) > 1:
        return ("royalties",)
    return ("payments",) if _DESTINATION & payments and has_money else ()


def _paid_or_advanced(payments: frozenset[str], advances: frozenset[str]) -> tuple[str, ...]:
    if _DESTINATION & payments:
        return ("payments",)
    if "amount" in advances - payments:
        return ("advances",)
    return ("advances", "payments") if {"date", "isrc"} & advances else ("payments", "advances")


def _claimed(views: Sequence[View], layout: Layout) -> frozenset[str]:
    """Return the columns that the row with the most of them has."""
    return max((fit.match.claimed for fit in _rows(views, layout)), key=len, default=frozenset())


def _rows(views: Sequence[View], layout: Layout) -> list[Fit]:
    """Return every row as if it were the header; where all required columns are there, the header that is found."""
    found = [fit for view in views if (fit := find_header(view, layout))]
    if found:
        return found
    return [Fit(layout, view, head, match_headers(head.texts, layout)) for view in views for head in view.head]


def _fits(views: Sequence[View], layout: Layout) -> tuple[Fit, ...]:
    return tuple(fit for view in views if (view.visible or layout.sheets) and (fit := find_header(view, layout)))


def _possibility(views: Sequence[View], layout: Layout) -> Possibility:
    fits = _fits(views, layout) or (max(_rows(views, layout), key=lambda fit: fit.match.claims),)
    fit = fits[0]
    headers = fit.header.texts
    open_columns = {
        column: tuple(headers[position].strip() for position in positions)
        for column, positions in fit.match.duplicates.items()
    }
    for column in fit.match.missing:
        positions = _money_columns(fit) if column == "amount" else fit.match.unknown
        open_columns[column] = tuple(headers[position].strip() for position in positions)
    return Possibility(layout, fits, open_columns)


def _money(views: Sequence[View], layout: Layout) -> bool:
    """Tell whether a table whose amount nobody named has columns that could be it."""
    rows = [fit for fit in _rows(views, layout) if "tax_id" in fit.match.claimed or _DESTINATION & fit.match.claimed]
    return any(_money_columns(fit) for fit in rows)


def _money_columns(fit: Fit) -> list[int]:
    """Return the columns under headers that say nothing which hold amounts alone."""
    below = [head for head in fit.view.head if head.row > fit.header.row][:_SAMPLE_ROWS]
    return [position for position in fit.match.unknown if is_money(_texts(below, position))]


def _texts(rows: Sequence[HeadRow], position: int) -> list[str]:
    return [text for row in rows if len(row.texts) > position and (text := row.texts[position].strip())]
