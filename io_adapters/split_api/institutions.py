"""Reading a list page by page, and noticing when the pages lead nowhere."""

from typing import Final

from schemas.errors import NotSent
from schemas.wire import Institution, InstitutionPage, Pagination

MOST_PAGES: Final = 500
_MOST_GROWTHS: Final = 5  # a list may grow while it is read; one that grows page after page has no end
_WHOSE: Final = "the payout service's list of institutions"


class Reading:
    """The pages read so far, and which one is next.

    The first page is asked for without a number, so that it does not matter whether the service counts from 0 or 1.

    Attributes:
        found: What the pages held, in order.
        next_page: The number to ask for next; 0 for the first page, None at the end.
    """

    def __init__(self, *, filtered: bool) -> None:
        """Begin; `filtered` when not all is asked for, so that `total_rows` may speak of more."""
        self.found: list[Institution] = []
        self.next_page: int | None = 0
        self._filtered = filtered
        self._pages = 0
        self._last: InstitutionPage | None = None
        self._asked: int | None = None
        self._total_pages = 0
        self._growths = 0

    def take(self, page: InstitutionPage) -> None:
        """Add the page that was asked for, and work out the next.

        Raises:
            NotSent: it holds no list, is not the page asked for, or the pages do not come to an end.
        """
        if page.data is None:
            raise NotSent(f"{_WHOSE} holds no list")
        told = page.pagination or Pagination()
        self._check_advance(page, told)
        self._check_growth(told)
        self.found += page.data
        self._pages += 1
        self._last = page
        following = self._following(told)
        if following is None:
            self._check_whole(told)
        elif not page.data:
            raise NotSent(f"{_WHOSE} has an empty page before its end")
        elif self._pages >= MOST_PAGES:
            raise NotSent(f"{_WHOSE} has more than {MOST_PAGES} pages")
        self._asked = self.next_page = following

    def _following(self, told: Pagination) -> int | None:
        """Return the next page's number: the one told, unless the last page is reached; else one that must exist."""
        current, total = told.current_page, told.total_pages
        if current is not None and total is not None and current >= total:
            return None
        all_seen = told.total_rows is not None and len(self.found) >= told.total_rows
        if told.next_page is None:
            more = current is not None and total is not None and current < total and not all_seen
            return current + 1 if more and current is not None else None
        if told.next_page <= max(current if current is not None else -1, self._asked or 0):
            raise NotSent(f"{_WHOSE} does not advance: page {told.next_page} is said to come next")
        return told.next_page

    def _check_advance(self, page: InstitutionPage, told: Pagination) -> None:
        if self._last is None:
            return
        if told.current_page not in {None, self._asked} or (page.data and page.data == self._last.data):
            raise NotSent(
                f"{_WHOSE} does not advance: another page than number {self._asked} came;"
                " check REPASSE_ASSUME_INSTITUTIONS_PAGE"
            )

    def _check_growth(self, told: Pagination) -> None:
        total = told.total_pages or 0
        self._growths += self._last is not None and total > self._total_pages
        self._total_pages = total
        if total > MOST_PAGES or self._growths > _MOST_GROWTHS:
            raise NotSent(f"{_WHOSE} grows without end: {total} pages after {self._pages} read")

    def _check_whole(self, told: Pagination) -> None:
        wanted = told.total_rows
        if wanted is not None and len(self.found) < wanted and not self._filtered:
            raise NotSent(f"{_WHOSE} ended after {len(self.found)} of {wanted} rows")
