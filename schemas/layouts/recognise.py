"""Recognising which of several layouts a file has, and where in the file its table begins."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, zip_longest
from typing import Final

from schemas.layouts.headers import GROUP_MARK, HeaderMatch, match_headers
from schemas.layouts.layout import Above, Layout, WrittenAs, fold
from schemas.layouts.money_column import currency_in, is_money, is_number
from schemas.messages import Message
from schemas.sheet_cells import HeadRow, View


def is_data(texts: Sequence[str]) -> bool:
    """Tell whether a row is somebody's data rather than headers; its texts are not to be repeated then."""
    return any("@" in text or is_number(text) or _DIGITS.search(text) for text in texts)


_DIGITS: Final = re.compile(r"(?:[0-9][-./() ]*){6}")
_MOST_SHOWN: Final = 8


def no_known_header(row: int, texts: Sequence[str]) -> Message:
    """Say that no header of a file is known, and what stands in the row that is likeliest one."""
    shown = [text.strip() for text in texts if text.strip()]
    if is_data(shown):
        return Message("file.no_header_but_data", row=row)
    more = ["..."] if len(shown) > _MOST_SHOWN else []
    return Message("file.no_header", row=row, headers=", ".join([*shown[:_MOST_SHOWN], *more]))


_WRITTEN_AS: Final[dict[str | None, WrittenAs]] = {
    "\t": "tab",
    ",": "comma",
    ";": "semicolon",
    "|": "bar",
    None: "sheet",
}


@dataclass(frozen=True, slots=True)
class Fit:
    """A layout's header found in a view."""

    layout: Layout
    view: View
    header: HeadRow
    match: HeaderMatch

    @property
    def known(self) -> int:
        """How many headers are columns of the layout."""
        return len(self.match.positions) + len(self.match.duplicates)


def find_header(view: View, layout: Layout) -> Fit | None:
    """Return the first row of a view that has every required header of a layout; None when no row has.

    Where people's own headers may stand in two rows, the two are taken together when more columns are known so.
    """
    if layout.headers:
        return _without_header(view, layout)
    before = 0
    for at, head in enumerate(view.head):
        if layout.header_row not in (None, head.row):
            continue
        alone = match_headers(head.texts, layout)
        fits = [Fit(layout, view, head, alone)]
        if layout.usual_headers and (alone.claims or before):
            around = view.head[max(at - 1, 0) : at + (1 if alone.missing else 2)]
            pairs = [_two_rows(above, below) for above, below in pairwise(around) if below.row == above.row + 1]
            fits += [Fit(layout, view, pair, match_headers(pair.texts, layout)) for pair in pairs]
        before = alone.claims
        whole = [fit for fit in fits if not fit.match.missing]
        if whole:
            return max(whole, key=lambda fit: fit.match.claims)
    return None


def _two_rows(above: HeadRow, below: HeadRow) -> HeadRow:
    """Put the titles of groups before the headers below them; a title reaches over the blank cells to its right."""
    texts = []
    group = ""
    for title, own in zip_longest(above.texts, below.texts, fillvalue=""):
        if title.strip():
            group = title.strip() if own.strip() else ""
        is_of_group = group and own.strip() and fold(group) != fold(own)
        texts.append(f"{group}{GROUP_MARK}{own.strip()}" if is_of_group else own if own.strip() else title)
    return HeadRow(below.row, tuple(texts))


def _without_header(view: View, layout: Layout) -> Fit | None:
    """Take the headers that a layout gives a file without any, where its first row has as many columns."""
    first = next(iter(view.head), None)
    if first is None or len(first.texts) != len(layout.headers):
        return None
    header = HeadRow(0, tuple(layout.headers))
    return Fit(layout, view, header, match_headers(header.texts, layout))


def preamble_of(fit: Fit) -> dict[str, tuple[str, int]]:
    """Return what a layout finds above the header: canonical column -> the text, and its physical row."""
    found: dict[str, tuple[str, int]] = {}
    for head in fit.view.head:
        if head.row >= fit.header.row:
            break
        for column, above in fit.layout.preamble.items():
            if column not in found and (text := _value_in(head.texts, above)):
                found[column] = (text, head.row)
    return found


def currency_of_amounts(fit: Fit) -> str | None:
    """Return the currency of statement lines that people name in the header of the amounts, and nowhere else."""
    layout, position = fit.layout, fit.match.positions.get("amount")
    is_open = layout.table == "royalty_lines" and layout.usual_headers and layout.currency is None
    if not is_open or position is None or "currency" in fit.match.claimed:
        return None
    return currency_in(fit.header.texts[position])


# What a value above the header may look like in a sentence; no declaration holds an expression of its own.
_SHAPES: Final[Mapping[str, re.Pattern[str]]] = {
    "currency": re.compile(r"\b[A-Z]{3}\b"),
    "month": re.compile(r"\b(?:(?:19|20)[0-9]{2}-[0-9]{2}|[0-9]{2}/(?:19|20)[0-9]{2})\b"),
    "day": re.compile(r"\b(?:(?:19|20)[0-9]{2}-[0-9]{2}-[0-9]{2}|[0-9]{2}/[0-9]{2}/(?:19|20)[0-9]{2})\b"),
}


def _value_in(texts: Sequence[str], above: Above) -> str:
    """Return the value that a row above the header holds; "" for none."""
    cells = [text.strip() for text in texts if text.strip()]
    if above.behind is not None and above.shape is not None:
        row, words = " ".join(cells), fold(above.behind)
        found = _SHAPES[above.shape].finditer(row)
        return next((value[0] for value in found if fold(row[: value.start()]).endswith(words)), "")
    at = next((n for n, text in enumerate(cells[:-1]) if fold(text) == fold(above.label or "")), None)
    return cells[at + 1] if at is not None else ""


def candidates(views: Sequence[View], layouts: Iterable[Layout]) -> list[Fit]:
    """Return, for each layout that recognises the file, its best fit: the most of its headers, in a visible sheet."""
    found = []
    for layout in layouts:
        fits = [fit for view in views if (fit := find_header(view, layout)) and _recognised(fit)]
        if fits:
            found.append(max(fits, key=lambda fit: (fit.view.visible, fit.known)))
    # What a sender's own headers tell goes before words that anybody uses.
    return [fit for fit in found if not fit.layout.recognise.nothing_else] or found


def missing_of_nearest(views: Sequence[View], layouts: Iterable[Layout]) -> tuple[Layout, tuple[str, ...]] | None:
    """Return the layout of which the most recognised headers are found in one row, and those that are not found."""
    found = [(layout, missing) for layout in layouts if (missing := _missing_of(layout, views)) is not None]
    return min(found, key=lambda pair: _part_of(*pair), default=None)


_MOST_MISSING: Final = 0.5
_MOST_VARIANTS: Final = 3


def variants(views: Sequence[View], layouts: Iterable[Layout]) -> list[Layout]:
    """Return the senders' layouts that a file is nearly of, the nearest first: a column more or less than they know.

    At least half of what they are recognised by stands in one row. Of what they need, a column may have a new name.
    """
    found = [(layout, missing) for layout in layouts if (missing := _missing_of(layout, views)) is not None]
    near = sorted((_part_of(*pair), pair[0].layout) for pair in found)
    named = {layout.layout: layout for layout, _ in found}
    return [named[name] for part, name in near if part <= _MOST_MISSING][:_MOST_VARIANTS]


def _part_of(layout: Layout, missing: Sequence[str]) -> float:
    return len(missing) / len(layout.recognise.headers)


def _missing_of(layout: Layout, views: Sequence[View]) -> tuple[str, ...] | None:
    """Return what the row with the most of a layout's telling headers lacks of them; None where no row has any."""
    rows = (_not_there(layout, head, match_headers(head.texts, layout)) for view in views for head in view.head)
    missing = min(rows, key=len, default=layout.recognise.headers)
    return tuple(missing) if len(missing) < len(layout.recognise.headers) else None


def _recognised(fit: Fit) -> bool:
    recognise = fit.layout.recognise
    there = {fold(text) for text in fit.header.texts}
    return (
        bool(recognise.headers)
        and not _not_there(fit.layout, fit.header, fit.match)
        and not any(fold(header) in there for header in recognise.absent)
        and (not recognise.written_as or _WRITTEN_AS.get(fit.view.delimiter) in recognise.written_as)
        and not (recognise.nothing_else and fit.match.unknown)
    )


def _not_there(layout: Layout, head: HeadRow, match: HeaderMatch) -> tuple[str, ...]:
    """Return the telling headers that a row has under none of their names."""
    there = {fold(text) for text in head.texts}
    column_of = {fold(alias): column for column, aliases in layout.columns.items() for alias in aliases}
    return tuple(
        header
        for header in layout.recognise.headers
        if fold(header) not in there and column_of.get(fold(header)) not in match.claimed
    )


_DESTINATION: Final = frozenset({"pix_key", "pix_key_type", "account", "agency", "bank_code"})
_SAMPLE_ROWS: Final = 25
_OF_LINES: Final = frozenset({"isrc", "upc", "title", "platform", "units", "release"})


@dataclass(frozen=True, slots=True)
class Possibility:
    """One thing a file could be.

    Attributes:
        open_columns: Canonical column that nothing decides -> headers that could be it, in the file's order.
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
    """Return the senders' statements that an unknown file is nearly one of; a person says whether it is."""
    senders = [layout for layout in known if not layout.recognise.nothing_else and layout.table == "royalty_lines"]
    shown = [view for view in views if view.visible]
    return tuple(replace(_possibility(shown, layout), is_variant=True) for layout in variants(shown, senders))


def as_table(views: Sequence[View], known: Iterable[Layout], name: str) -> Possibilities:
    """Return a file as what a person says it is; nothing, where there is no such layout."""
    shown = [view for view in views if view.visible]
    return tuple(_possibility(shown, layout) for layout in known if layout.layout == name)


# Tables of deals, each with the columns that no other table has together.
_TOLD_BY: Final = {
    "shares": frozenset({"tax_id", "share"}),
    "costs": frozenset({"order", "cost", "share"}),
    "opening": frozenset({"tax_id", "kind", "period", "amount"}),
}


def _names(views: Sequence[View], own: dict[str, Layout]) -> tuple[str, ...]:
    payments, advances = _claimed(views, own["payments"]), _claimed(views, own["advances"])
    for name, columns in _TOLD_BY.items():
        if columns <= _claimed(views, own[name]):
            return (name,)
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
    below = [head for head in fit.view.head if head.row > fit.header.row][:_SAMPLE_ROWS]
    return [position for position in fit.match.unknown if is_money(_texts(below, position))]


def _texts(rows: Sequence[HeadRow], position: int) -> list[str]:
    return [text for row in rows if len(row.texts) > position and (text := row.texts[position].strip())]
