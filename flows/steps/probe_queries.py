"""Which query name a service follows: what an answer must show for a name to be the right one. Pure."""

import re
from collections.abc import Callable, Collection

from schemas.wire import InstitutionPage

# What one page of institutions must show for a query name to be the right one.
Follows = Callable[[InstitutionPage], bool]


def total_of(page: InstitutionPage) -> int | None:
    """Return how many rows there are in all; None when the page does not say."""
    return page.pagination.total_rows if page.pagination else None


def follows_name(searched: str, rows_in_all: int) -> Follows:
    """Fewer than all, at least one, and each with the name that was searched."""

    def fits(page: InstitutionPage) -> bool:
        rows = page.data or ()
        alike = all(searched.casefold() in (one.name or "").casefold() for one in rows)
        return len(rows) > 0 and (total_of(page) or len(rows)) < rows_in_all and alike

    return fits


def follows_dates(page: InstitutionPage) -> bool:
    """No institution starts in that time, so none is left."""
    return page.data == ()


def follows_size(rows: int) -> Follows:
    """As many rows as were asked for, on a page that says so."""

    def fits(page: InstitutionPage) -> bool:
        said = page.pagination.rows_per_page if page.pagination else None
        return len(page.data or ()) == rows and said in {None, rows}

    return fits


def follows_page(number: int, first: InstitutionPage) -> Follows:
    """Other rows than the first page's, on the page that was asked for."""

    def fits(page: InstitutionPage) -> bool:
        said = page.pagination.current_page if page.pagination else None
        return said in {None, number} and bool(page.data) and page.data != first.data

    return fits


def name_wanted(places: Collection[tuple[tuple[str | int, ...], str]], assumed: str) -> str | None:
    """Tell from a 422 which query name was missing: the one it names, or the assumed one when its value is at fault.

    Args:
        places: Place and kind of each fault.
        assumed: The name that was sent.
    """
    named = [(str(loc[-1]), kind) for loc, kind in places if len(loc) > 1 and loc[0] == "query"]
    missing = [name for name, kind in named if "missing" in kind or "required" in kind]
    if missing:
        return missing[0]
    return assumed if any(name == assumed and not re.search("extra|unknown", kind) for name, kind in named) else None
