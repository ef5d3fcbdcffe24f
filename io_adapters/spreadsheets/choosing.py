"""Which sheets of a file, or which way of cutting its text, a layout means."""

from collections.abc import Iterable, Sequence

from io_adapters.spreadsheets.refusals import Place, refusal
from schemas.file_view import HeadRow, View
from schemas.issues import IssueCode
from schemas.layouts.headers import fold, match_headers
from schemas.layouts.layout import Layout
from schemas.layouts.recognise import Fit, candidates, find_header, missing_of_nearest


def recognised(views: Sequence[View], layouts: Iterable[Layout], place: Place) -> Layout:
    """Return the one layout that recognises a file.

    Raises:
        UnreadableFile: none does (LAYOUT_UNKNOWN, naming the nearest), or several do (LAYOUT_AMBIGUOUS).
    """
    layouts = list(layouts)
    found = candidates(views, layouts)
    if len(found) == 1:
        return found[0].layout
    if found:
        raise refusal(IssueCode.LAYOUT_AMBIGUOUS, place, found=", ".join(fit.layout.layout for fit in found))
    nearest = missing_of_nearest(views, layouts)
    near, missing = (nearest[0].layout, ", ".join(nearest[1])) if nearest else ("-", "-")
    raise refusal(IssueCode.LAYOUT_UNKNOWN, place, near=near, missing=missing)


def fits_of(views: Sequence[View], layout: Layout, place: Place) -> list[Fit]:
    """Return what a layout reads of a file: one table, or one for each sheet it names.

    A table that lacks required columns is returned all the same, under its likeliest header: the parser tells what is
    missing, as it does of cells.

    Raises:
        UnreadableFile: no sheet is of the name wanted, no sheet fits, or several do, or there is nothing to read.
    """
    if layout.sheets:
        return [_fit_or_likeliest([view], layout, place) for view in _named(views, layout, place)]
    visible = [view for view in views if view.visible]
    if not visible:
        raise refusal(IssueCode.SHEET_MISSING, place, "no_visible_sheet")
    if len(visible) == 1 or visible[0].sheet is None:
        return [_fit_or_likeliest(visible, layout, place)]
    fitting = [fit for view in visible if (fit := find_header(view, layout))]
    names = ", ".join(str(fit.view.sheet) for fit in fitting)
    if not fitting:
        required = ", ".join(layout.columns[column][0] for column in layout.required)
        sheets = ", ".join(str(view.sheet) for view in visible)
        raise refusal(IssueCode.SHEET_AMBIGUOUS, place, "no_sheet_fits", sheets=sheets, columns=required)
    if len(fitting) > 1:
        raise refusal(IssueCode.SHEET_AMBIGUOUS, place, "which_sheet", sheets=names)
    return fitting


def _named(views: Sequence[View], layout: Layout, place: Place) -> list[View]:
    """Return the sheets a layout names, hidden ones included, in the file's order."""
    exact = [view for view in views if view.sheet in layout.sheets]
    wanted = {fold(name) for name in layout.sheets}
    found = exact or [view for view in views if view.sheet is not None and fold(view.sheet) in wanted]
    if not found:
        there = ", ".join(view.sheet or "-" for view in views)
        named = ", ".join(layout.sheets)
        raise refusal(IssueCode.SHEET_MISSING, place, "no_such_sheet", sheet=named, sheets=there)
    return found


def _fit_or_likeliest(views: Sequence[View], layout: Layout, place: Place) -> Fit:
    fits = [fit for view in views if (fit := find_header(view, layout))]
    if fits:
        return max(fits, key=lambda fit: fit.known)
    rows = [(view, head) for view in views for head in view.head if layout.header_row in (None, head.row)]
    if not rows:
        if not any(view.head for view in views):
            raise refusal(IssueCode.FILE_EMPTY, place, "empty", sheet=views[0].sheet)
        raise refusal(IssueCode.FILE_NO_ROWS, place, "no_rows", sheet=views[0].sheet, row=layout.header_row)
    return max((_fit(view, head, layout) for view, head in rows), key=_likelihood)


def _fit(view: View, head: HeadRow, layout: Layout) -> Fit:
    return Fit(layout, view, head, match_headers(head.texts, layout))


def _likelihood(fit: Fit) -> tuple[int, int, int]:
    """Rank headers of which none is complete: the most columns of the layout, the widest cut, the uppermost row."""
    fields = sum(bool(text.strip()) for text in fit.header.texts)
    return fit.known, fields if fit.view.delimiter else 0, -fit.header.row
