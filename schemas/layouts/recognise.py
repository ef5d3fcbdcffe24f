"""Finding a layout's table in what a file shows, and finding which of several layouts a file has."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from schemas.file_view import HeadRow, View
from schemas.layouts.headers import HeaderMatch, fold, match_headers
from schemas.layouts.layout import Layout, WrittenAs

_WRITTEN_AS: Final[dict[str | None, WrittenAs]] = {
    "\t": "tab",
    ",": "comma",
    ";": "semicolon",
    "|": "bar",
    None: "sheet",
}


@dataclass(frozen=True, slots=True)
class Fit:
    """A layout's header found in a view.

    Attributes:
        layout: Which layout.
        view: Which sheet, or which delimiter.
        header: The header row.
        match: Which header is which column.
    """

    layout: Layout
    view: View
    header: HeadRow
    match: HeaderMatch

    @property
    def known(self) -> int:
        """How many headers are columns of the layout."""
        return len(self.match.positions) + len(self.match.duplicates)


def find_header(view: View, layout: Layout) -> Fit | None:
    """Return the first row of a view that has every required header of a layout; None when no row has."""
    for head in view.head:
        if layout.header_row in (None, head.row):
            match = match_headers(head.texts, layout)
            if not match.missing:
                return Fit(layout, view, head, match)
    return None


def candidates(views: Sequence[View], layouts: Iterable[Layout]) -> list[Fit]:
    """Return, for each layout that recognises the file, its best fit: the most of its headers, in a visible sheet."""
    found = []
    for layout in layouts:
        fits = [fit for view in views if (fit := find_header(view, layout)) and _recognised(fit)]
        if fits:
            found.append(max(fits, key=lambda fit: (fit.view.visible, fit.known)))
    return found


def missing_of_nearest(views: Sequence[View], layouts: Iterable[Layout]) -> tuple[Layout, tuple[str, ...]] | None:
    """Return the layout of which the most recognised headers are found in one row, and those that are not found."""
    best: tuple[float, Layout, tuple[str, ...]] | None = None
    for layout in layouts:
        wanted = layout.recognise.headers
        for view in views:
            for head in view.head:
                missing = _not_there(wanted, head, layout)
                share = 1 - len(missing) / len(wanted) if wanted else 0.0
                if share > 0 and (best is None or share > best[0]):
                    best = share, layout, missing
    return best[1:] if best else None


def _recognised(fit: Fit) -> bool:
    recognise = fit.layout.recognise
    there = {fold(text) for text in fit.header.texts}
    return (
        bool(recognise.headers)
        and not _not_there(recognise.headers, fit.header, fit.layout)
        and not any(fold(header) in there for header in recognise.absent)
        and (not recognise.written_as or _WRITTEN_AS.get(fit.view.delimiter) in recognise.written_as)
        and not (recognise.nothing_else and fit.match.unknown)
    )


def _not_there(wanted: Sequence[str], head: HeadRow, layout: Layout) -> tuple[str, ...]:
    """Return the headers that a row has under none of their names."""
    there = {fold(text) for text in head.texts}
    names = {fold(header): {fold(header)} for header in wanted}
    for aliases in layout.columns.values():
        folded = {fold(alias) for alias in aliases}
        for header in names.keys() & folded:
            names[header] = folded
    return tuple(header for header in wanted if not names[fold(header)] & there)
