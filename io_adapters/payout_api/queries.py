"""GETs, harmless to repeat: split reports, and lists read page by page."""

import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from typing import Any, Final, TypeVar, get_args

from io_adapters.payout_api.assumptions import Assumptions
from io_adapters.payout_api.connection import Connections, RateLimiter, Reply, exchange, path_part
from io_adapters.payout_api.errors import NotThere, QuestionRefused, places, read_validation_errors
from schemas.errors import NotSent
from schemas.messages import Message
from schemas.wire import Institution, InstitutionPage, Pagination, ReportStatus, SplitReport, parse_json

TRIES: Final = 3
MAX_LISTING_BYTES: Final = 200_000_000
_WORTH_REPEATING: Final = frozenset({408, 425, 429, 500, 502, 503, 504})


class Queries:
    """Asks over shared connections, in up to three tries with growing pauses, or the pause the service asks for."""

    def __init__(
        self,
        connections: Connections,
        *,
        timeout_s: float,
        pace: RateLimiter,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        """Prepare to ask.

        Args:
            pace: Every try waits for its place in it, outside of any time limit.
            pause: Waits so many seconds between tries.
        """
        self.timeout_s = timeout_s
        self._client = connections.open(timeout_s)
        self._pace = pace
        self._pause = pause

    def close(self) -> None:
        """Give up the shared connections."""
        self._client.close()

    def ask(self, path: str, params: Mapping[str, str] | None = None, *, deadline_s: float) -> Any:  # noqa: ANN401
        """GET a JSON document.

        Returns:
            The document, numbers as int and Decimal.

        Raises:
            NotThere: 404.
            QuestionRefused: 422 as documented.
            NotSent: no whole answer came; the message gives the status or the exception's class.
        """
        ends_at = time.monotonic() + deadline_s
        why = ""
        for attempt in range(1, TRIES + 1):
            ends_at += self._pace.wait()
            request = self._client.build_request("GET", path, params=params)
            reply = exchange(self._client, request, deadline_s=ends_at - time.monotonic(), max_bytes=MAX_LISTING_BYTES)
            if reply.failure is None and reply.status is not None and 200 <= reply.status < 300:
                try:
                    return parse_json(reply.body)
                except ValueError:
                    why = f"HTTP {reply.status} with an unreadable body"
            else:
                why = self._explain(reply, _shown(path))
            asked_s = self._pace.heed(reply)
            wait_s = 0.25 * 2.0**attempt * random.uniform(0.5, 1.5) if asked_s is None else asked_s
            if attempt == TRIES or wait_s >= ends_at - time.monotonic():
                break
            if asked_s is None:
                self._pause(wait_s)
            else:  # the next place in the pace comes after that time, which is part of the deadline
                ends_at -= wait_s
        raise NotSent(Message("service.silent", path=str(_shown(path)), why=why))

    def _explain(self, reply: Reply, asked: str) -> str:
        """Say why a try failed, or raise where trying again is of no use."""
        if reply.failure is not None or reply.status is None:
            return type(reply.failure).__name__
        if reply.status in {401, 403}:
            raise NotSent(Message("service.key_refused", status=reply.status))
        if reply.status == 404:
            raise NotThere(Message("service.nothing_there", path=asked))
        if reply.status == 422 and (errors := read_validation_errors(reply.body)):
            raise QuestionRefused(Message("service.refused", what=asked, places=places(errors)), errors)
        if reply.status not in _WORTH_REPEATING:
            raise NotSent(Message("service.status", status=reply.status))
        return f"HTTP {reply.status}"


def _shown(path: str) -> str:
    """Name a question without the id in it."""
    parts = path.split("/")
    return "GET /" + "/".join(part for at, part in enumerate(parts[1:]) if at == 0 or parts[1] != "split")[:60]


_Answer = TypeVar("_Answer")


def at_once(questions: Sequence[Callable[[], _Answer]]) -> list[_Answer]:
    """Ask several questions at the same time; returns the answers in the order of the questions.

    Nobody waits for the threads of questions whose answers are not wanted any more: an interrupt ends the program.

    Raises:
        Exception: of the questions that raise one, that of the first in order.
    """
    answers = [Future[_Answer]() for _ in questions]
    for question, answer in zip(questions, answers, strict=True):
        threading.Thread(target=_answer, args=(question, answer), name="split-api-question", daemon=True).start()
    return [answer.result() for answer in answers]


def _answer(question: Callable[[], _Answer], answer: Future[_Answer]) -> None:
    try:
        answer.set_result(question())
    except BaseException as failure:  # noqa: BLE001 (whatever it is, the waiting thread judges it)
        answer.set_exception(failure)


LISTING_TIME: Final = 10  # a listing may be long: it has so many times the time of one answer


class ReportsReader:
    """What can be asked about reports. Asking changes nothing, and is tried again."""

    def __init__(self, queries: Queries, assumptions: Assumptions) -> None:
        """Prepare; nothing is sent yet."""
        self._queries = queries
        self._assumptions = assumptions

    def list_reports(self, status: ReportStatus | None = None) -> tuple[SplitReport, ...]:
        """List the reports, all or of one status, in the service's order.

        Raises:
            NotSent: the listing failed, was cut, or is not a list of objects: no information.
        """
        params = {"status": status} if status else None
        data = self._queries.ask("/split", params, deadline_s=LISTING_TIME * self._queries.timeout_s)
        if not isinstance(data, list) or not all(isinstance(element, dict) for element in data):
            raise NotSent(Message("service.no_reports"))
        return tuple(map(SplitReport.model_validate, data))

    def list_all_reports(self) -> tuple[SplitReport, ...]:
        """List without a filter and by each status, united by `_id`: either way alone may leave reports out.

        All of them are asked for at the same time.

        Raises:
            NotSent: any one of the listings failed.
        """
        return union(at_once([partial(self.list_reports, status) for status in (None, *get_args(ReportStatus))]))

    def get_report(self, split_id: str) -> SplitReport:
        """Fetch one report.

        Args:
            split_id: The id that `Assumptions.id_for_get` names.

        Raises:
            ValueError: the id is empty, or dots alone.
            NotThere: the service answers 404.
            NotSent: no answer, or one about another report.
        """
        path = f"/split/{path_part(split_id)}/get"
        data = self._queries.ask(path, deadline_s=TRIES * self._queries.timeout_s)
        if not isinstance(data, dict):
            raise NotSent(Message("service.no_report"))
        report = SplitReport.model_validate(data)
        if self._read_id(report) not in {None, split_id}:
            raise NotSent(Message("service.other_report"))
        return report

    def find_report(self, split_id: str) -> SplitReport | None:
        """Fetch one report as `get_report` does; None when the service answers 404."""
        try:
            return self.get_report(split_id)
        except NotThere:
            return None

    def _read_id(self, report: SplitReport) -> str | None:
        """Return the id of a report that paths take."""
        return report.id if self._assumptions.get_takes == "_id" else report.reportId


def union(listings: Iterable[Iterable[SplitReport]]) -> tuple[SplitReport, ...]:
    """Unite listings by `_id`; of two readings of one report the later counts.

    Reports without an id stay apart as often as one single listing shows them: two twins are two.
    """
    reports: dict[str, SplitReport] = {}
    for listing in listings:
        nameless: Counter[str] = Counter()
        for report in listing:
            key = report.id
            if key is None:
                content = repr(report)
                nameless[content] += 1
                key = f"{nameless[content]} {content}"
            reports[key] = report
    return tuple(reports.values())


MOST_PAGES: Final = 500
_MOST_GROWTHS: Final = 5  # a list may grow while it is read; one that grows page after page has no end


class PagesRead:
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
            raise NotSent(Message("service.list_none"))
        pagination = page.pagination or Pagination()
        self._check_advance(page, pagination)
        self._check_growth(pagination)
        self.found += page.data
        self._pages += 1
        self._last = page
        following = self._following(pagination)
        if following is None:
            self._check_whole(pagination)
        elif not page.data:
            raise NotSent(Message("service.list_gap"))
        elif self._pages >= MOST_PAGES:
            raise NotSent(Message("service.list_long", limit=MOST_PAGES))
        self._asked = self.next_page = following

    def _following(self, pagination: Pagination) -> int | None:
        """Return the next page's number: the one told, unless the last page is reached; else one that must exist."""
        current, total = pagination.current_page, pagination.total_pages
        if current is not None and total is not None and current >= total:
            return None
        all_seen = pagination.total_rows is not None and len(self.found) >= pagination.total_rows
        if pagination.next_page is None:
            more = current is not None and total is not None and current < total and not all_seen
            return current + 1 if more and current is not None else None
        if pagination.next_page <= max(current if current is not None else -1, self._asked or 0):
            raise NotSent(Message("service.list_stuck", next=pagination.next_page))
        return pagination.next_page

    def _check_advance(self, page: InstitutionPage, pagination: Pagination) -> None:
        if self._last is None:
            return
        if pagination.current_page not in {None, self._asked} or (page.data and page.data == self._last.data):
            raise NotSent(Message("service.list_other_page", asked=self._asked))

    def _check_growth(self, pagination: Pagination) -> None:
        total = pagination.total_pages or 0
        self._growths += self._last is not None and total > self._total_pages
        self._total_pages = total
        if total > MOST_PAGES or self._growths > _MOST_GROWTHS:
            raise NotSent(Message("service.list_grows", total=total, pages=self._pages))

    def _check_whole(self, pagination: Pagination) -> None:
        wanted = pagination.total_rows
        if wanted is not None and len(self.found) < wanted and not self._filtered:
            raise NotSent(Message("service.list_short", found=len(self.found), wanted=wanted))
