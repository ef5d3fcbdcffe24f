"""GETs, harmless to repeat: split reports, and lists read page by page."""

import base64
import binascii
import datetime as dt
import random
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, Literal, TypeVar, get_args

from io_adapters.payout_api.assumptions import Assumptions
from io_adapters.payout_api.commands import Commands, answer_in
from io_adapters.payout_api.connection import Connections, RateLimiter, Reply, exchange, fault_of, path_part
from io_adapters.payout_api.errors import NotThere, QuestionRefused, RuleBroken, places, read_validation_errors
from schemas.errors import NotSent
from schemas.messages import Message
from schemas.values.brcode import BrCodeProblem, check_brcode
from schemas.wire import (
    Institution,
    InstitutionPage,
    Pagination,
    QrCode,
    QrCodeRequest,
    ReportStatus,
    SplitReport,
    parse_json,
)

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
        """Prepare to ask."""
        self.timeout_s = timeout_s
        self._client = connections.open(timeout_s)
        self._pace = pace
        self._pause = pause

    def close(self) -> None:
        self._client.close()

    def ask(self, path: str, params: Mapping[str, str] | None = None, *, deadline_s: float) -> Any:  # noqa: ANN401
        """GET a JSON document.

        Raises:
            NotThere: 404.
            QuestionRefused: 422 as documented.
            NotSent: no whole answer came; the message says what came instead.
        """
        ends_at = time.monotonic() + deadline_s
        why: str | Message = ""
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

    def _explain(self, reply: Reply, asked: str) -> str | Message:
        if reply.failure is not None or reply.status is None:
            return fault_of(reply.failure)
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
    def __init__(self, queries: Queries, assumptions: Assumptions) -> None:
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
    """

    def __init__(self, *, filtered: bool) -> None:
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


Holds = Literal["any", "text", "base64_of_text", "image"]
_BEGINS: Final = "0002"  # the first field of every code


@dataclass(frozen=True, slots=True)
class QrCodeFindings:
    """What a QR code turned out to be."""

    payload: str | None = field(repr=False)
    problems: tuple[BrCodeProblem, ...]
    differs: tuple[str, ...]

    @property
    def is_sound(self) -> bool:
        return self.payload is not None and not self.differs and all(problem.leaves_open for problem in self.problems)

    @property
    def messages(self) -> tuple[Message | str, ...]:
        """All that a person should know: the deprecation first, then what was found."""
        unchecked = (Message("brcode.unchecked"),) if self.payload is None else ()
        problems = (Message(f"brcode.{problem.name.lower()}") for problem in self.problems)
        return (Message("brcode.deprecated"), *unchecked, *problems, *self.differs)


def check_qr_code(request: QrCodeRequest, code: QrCode, *, holds: Holds = "any") -> QrCodeFindings:
    """Find the text of a QR code and compare it, and the answer's own fields, with what was asked for."""
    payload = _payload(code.base_64 or "", holds)
    asked, shown = (
        {"amount": qr.amount, "pix_key": qr.pix_key, "receiver_conciliation_id": qr.receiver_conciliation_id}
        for qr in (request, code)
    )
    differs = tuple(name for name, ours in asked.items() if None not in {ours, shown[name]} and ours != shown[name])
    if payload is None:
        return QrCodeFindings(None, (), differs)
    cents = None if request.amount is None else int(request.amount.scaleb(2))
    return QrCodeFindings(payload, check_brcode(payload, pix_key=request.pix_key, amount_cents=cents), differs)


def _payload(text: str, holds: Holds) -> str | None:
    if holds == "image" or not text.strip():
        return None
    if holds == "text" or (holds == "any" and text.lstrip().startswith(_BEGINS)):
        return text
    decoded = _decoded(text)
    return decoded if decoded is not None and (holds == "base64_of_text" or decoded.startswith(_BEGINS)) else None


def _decoded(text: str) -> str | None:
    """Decode base64 of a text, wrapped and without padding if need be; None when it is neither."""
    compact = "".join(text.split()).translate(str.maketrans("-_", "+/")).rstrip("=")
    try:
        return base64.b64decode(compact + "=" * (-len(compact) % 4), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None


_PATH: Final = "/pix/financial_institutions"
_PAGE_TIME: Final = 3  # a page may be asked for three times


class PixApi:
    def __init__(self, queries: Queries, commands: Commands, assumptions: Assumptions) -> None:
        self._queries = queries
        self._commands = commands
        self._assumptions = assumptions
        self._warned = False

    def institutions(
        self,
        name: str | None = None,
        min_start_date: dt.date | None = None,
        max_start_date: dt.date | None = None,
    ) -> tuple[Institution, ...]:
        """GET /pix/financial_institutions: all pages, in the service's order.

        Raises:
            RuleBroken: the dates are the wrong way round.
            QuestionRefused: 422 as documented.
            NotSent: a page failed, does not advance, or there are too many: no information.
        """
        if min_start_date and max_start_date and min_start_date > max_start_date:
            raise RuleBroken(Message("rule.start_dates"))
        assumed = self._assumptions
        filters = {
            assumed.institutions_name: (name or "").strip(),
            assumed.institutions_min_start_date: min_start_date.isoformat() if min_start_date else "",
            assumed.institutions_max_start_date: max_start_date.isoformat() if max_start_date else "",
        }
        asked = {name: value for name, value in filters.items() if value}
        size = {assumed.institutions_page_size: str(assumed.institutions_rows)} if assumed.institutions_rows else {}
        reading = PagesRead(filtered=bool(asked))
        while (number := reading.next_page) is not None:
            page = {assumed.institutions_page: str(number)} if number else {}
            data = self._queries.ask(_PATH, asked | size | page, deadline_s=_PAGE_TIME * self._queries.timeout_s)
            if not isinstance(data, dict):
                raise NotSent(Message("service.no_institutions"))
            reading.take(InstitutionPage.model_validate(data))
        return tuple(reading.found)

    def create_qr_code(self, request: QrCodeRequest) -> QrCode:
        """POST /create_pix_qrcode, once. Deprecated by the service: warns the first time.

        What comes back is not looked at; `check_qr_code` does.

        Raises:
            RuleBroken: an amount without two decimals, or another value that cannot be meant; nothing was sent.
            NotSent: certainly nothing was sent.
            Refused: 422 as documented.
            Unanswered: a code may have been made.
        """
        _check_rules(request)
        if not self._warned:
            self._warned = True
            message = "POST /create_pix_qrcode is deprecated; the service names /pix/create_dynamic_pix_payment instead"
            warnings.warn(message, DeprecationWarning, stacklevel=2)
        what = "creating a QR code"
        return answer_in(self._commands.do(what, "POST", "/create_pix_qrcode", request), QrCode, what)

    def check_qr_code(self, request: QrCodeRequest, code: QrCode) -> QrCodeFindings:
        """Decode what `base_64` of a QR code holds, and compare it with what was asked for; sends nothing."""
        return check_qr_code(request, code, holds=self._assumptions.qr_base_64_holds)


def _check_rules(request: QrCodeRequest) -> None:
    broken = []
    amount = request.amount
    if amount is not None and not (amount.is_finite() and amount.as_tuple().exponent == -2 and amount > 0):
        broken.append(Message("rule.qr_amount"))
    if request.expiration_seconds is not None and request.expiration_seconds <= 0:
        broken.append(Message("rule.qr_expiration"))
    if any(not entry.key_name.strip() for entry in request.additional_data or ()):
        broken.append(Message("rule.qr_key_name"))
    if not request.model_fields_set:
        broken.append(Message("rule.qr_empty"))
    if broken:
        raise RuleBroken(*broken)
