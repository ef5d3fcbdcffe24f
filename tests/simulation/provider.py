"""A payout service on a socket of its own, written from the interface alone, that remembers what it received.

It knows no ledger and no key of ours: what it is asked to pay, to whom, and what it truly paid in the end, is the truth
that everything else is held against. What the next POST /split meets, what becomes of a report, and what its lists
show are the test's to choose.
"""

import json
import threading
from dataclasses import dataclass, field
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final, Self
from urllib.parse import parse_qs, urlsplit

from schemas.wire import parse_json

KEY: Final = "provider-key"
REFUSAL: Final = {"detail": [{"loc": ["body", "payments", 0, "name"], "msg": "not today", "type": "value_error"}]}
Told = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Meets:
    """What one POST /split meets.

    Attributes:
        name: For people.
        creates: How many reports come of it; a proxy that delivers twice makes two.
        status: Of the answer; 0 drops the connection.
        body: Of the answer where it is not the report.
        changes: What the answer says otherwise than the report.
        says_another: Whether the answer is the first report there ever was: a stale one, of a cache.
        refuses: Whether this is the documented proof that nothing was created.
    """

    name: str
    creates: int = 1
    status: int = 200
    body: object = None
    changes: Told = field(default_factory=dict)
    says_another: bool = False
    refuses: bool = False


GOES_WELL: Final = Meets("goes well")
DROPPED: Final = Meets("dropped after the effect", status=0)
DELIVERED_TWICE: Final = Meets("a proxy delivers it twice", creates=2)
OF_ANOTHER: Final = Meets("the answer is of another report", says_another=True)
OF_ANOTHER_AND_NOT_CREATED: Final = Meets(
    "the answer is of another report, and nothing came of it", 0, says_another=True
)
REFUSED: Final = Meets("refused as documented", creates=0, status=422, body=REFUSAL, refuses=True)
WRONG_ECHOES: Final = tuple(
    Meets(f"the answer bears another {name}", changes={name: value})
    for name, value in (("totalAmount", 0.01), ("currency", "USD"), ("taxId", "11222333000181"))
)
STATUSES: Final = tuple(
    Meets(f"{status} {when} the effect", creates=effect, status=status, body={"detail": "no"})
    for status in (401, 403, 404, 405, 413, 429, 500, 503)
    for effect, when in ((0, "before"), (1, "after"))
)
MEETINGS: Final = (
    GOES_WELL,
    DROPPED,
    Meets("dropped before the effect", creates=0, status=0),
    DELIVERED_TWICE,
    Meets("a proxy delivers it twice and drops the answer", creates=2, status=0),
    OF_ANOTHER,
    OF_ANOTHER_AND_NOT_CREATED,
    REFUSED,
    *WRONG_ECHOES,
    *STATUSES,
)


@dataclass(frozen=True, slots=True)
class Fate:
    """What becomes of a report.

    Attributes:
        name: For people.
        pays: What is truly paid in the end: all, none, the first payment, or all but the first.
        looks: What is said of it, look by look; the last one stays. Each is a word of `_said`.
    """

    name: str
    pays: str
    looks: tuple[str, ...]


PAYS: Final = Fate("pays", "all", ("done",))
FAILS: Final = Fate("fails", "none", ("error",))
FATES: Final = (
    PAYS,
    Fate("pays in doubles", "all", ("done in doubles",)),
    Fate("is done before its counters say so", "all", ("done, counters null", "done, counters zero", "done")),
    Fate("flaps", "all", ("processing", "done", "processing", "done")),
    FAILS,
    Fate("fails first and pays later", "all", ("error", "error", "processing", "done")),
    Fate("fails and does not say what it paid", "all", ("error, counters null",)),
    Fate("is partly paid", "first", ("part",)),
    Fate("is partly paid first and pays all later", "all", ("part", "part", "done")),
    Fate("withholds what nobody asked it to", "rest", ("withheld",)),
    Fate("withholds by count alone", "rest", ("withheld by count",)),
    Fate("keeps tax back", "all", ("taxed",)),
    Fate("is excluded", "none", ("excluded",)),
    Fate("stays pending", "none", ("pending",)),
)


@dataclass(slots=True)
class Report:
    """One report that exists.

    Attributes:
        split_id: Its `_id`.
        asked: The body it came of.
        fate: What becomes of it.
        looks: How often it was looked at.
    """

    split_id: str
    asked: Told
    fate: Fate
    looks: int = 0

    @property
    def cents(self) -> list[int]:
        """Centavos of its payments, in order."""
        return [cents_of(entry["finalAmount"]) for entry in self.asked["payments"]]

    @property
    def tax_cents(self) -> int:
        """What of it is kept back as tax."""
        return round(sum(self.cents) * 0.15) if "taxed" in self.fate.looks else 0

    @property
    def paid(self) -> list[Told]:
        """The entries that are truly paid in the end."""
        entries: list[Told] = self.asked["payments"]
        return {"all": entries, "none": [], "first": entries[:1], "rest": entries[1:]}[self.fate.pays]


@dataclass(frozen=True, slots=True)
class Post:
    """One request that arrived, and what it met."""

    asked: Told
    meets: Meets


class Provider:
    """Serves on loopback until the context ends.

    Attributes:
        url: Where.
        posts: POST /split, in order, whatever came of it.
        reports: Reports that exist, in order.
        meetings: What the next POSTs meet, in order; then they go well.
        fates: What becomes of the next reports, in order; then they pay.
        tells: Which of reportId and paymentBatchName are echoed.
        hides: How many of the newest reports lists do not show.
        lists_fail: How many of the next lists are a 503.
    """

    def __init__(self) -> None:
        self.posts: list[Post] = []
        self.reports: list[Report] = []
        self.meetings: list[Meets] = []
        self.fates: list[Fate] = []
        self.tells: frozenset[str] = frozenset({"reportId", "paymentBatchName"})
        self.hides = 0
        self.lists_fail = 0
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler_of(self))
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/external"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def entries(self) -> list[Told]:
        """Every payment it was ever asked for, but for what it refused as documented."""
        return [entry for post in self.posts if not post.meets.refuses for entry in post.asked["payments"]]

    def paid_cents(self) -> list[int]:
        """Centavos of every payment that is truly paid in the end, and in full, smallest first."""
        in_full = [report for report in self.reports if not report.tax_cents]
        return sorted(cents_of(entry["finalAmount"]) for report in in_full for entry in report.paid)

    def reached_cents(self) -> list[int]:
        """Centavos, as they were asked, of every payment that reached its payee, in full or less tax."""
        return sorted(cents_of(entry["finalAmount"]) for report in self.reports for entry in report.paid)

    def taxed_cents(self) -> list[int]:
        """Centavos of payments of which tax was kept back: what was asked, and what is left where that is known."""
        taxed = [report for report in self.reports if report.tax_cents]
        left = [report.cents[0] - report.tax_cents for report in taxed if len(report.cents) == 1]
        return [*left, *(cents for report in taxed for cents in report.cents)]

    def net_cents(self) -> int:
        """What is left of all those together."""
        return sum(sum(report.cents) - report.tax_cents for report in self.reports if report.tax_cents)

    def answer(self, method: str, path: str, query: dict[str, str], body: bytes) -> tuple[int, object]:
        """Answer one request; status 0 is none."""
        with self._lock:
            route = path.removeprefix("/external")
            if (method, route) == ("POST", "/split"):
                return self._create(parse_json(body))
            if (method, route) == ("GET", "/split"):
                return self._list(query.get("status"))
            for report in self.reports:
                if (method, route) == ("GET", f"/split/{report.split_id}/get"):
                    report.looks += 1
                    return 200, self._told(report)
            return 404, {"detail": "not here"}

    def _create(self, asked: Told) -> tuple[int, object]:
        meets = self.meetings.pop(0) if self.meetings else GOES_WELL
        if meets.says_another and not self.reports:
            meets = GOES_WELL  # there is no other yet
        self.posts.append(Post(asked, meets))
        for _ in range(meets.creates):
            fate = self.fates.pop(0) if self.fates else PAYS
            self.reports.append(Report(f"sp{len(self.reports):05}", asked, fate))
        if meets.says_another:
            return 200, self._told(self.reports[0])
        if meets.status != 200:
            return meets.status, meets.body
        return 200, self._told(self.reports[-1], "pending") | meets.changes

    def _list(self, status: str | None) -> tuple[int, object]:
        if self.lists_fail:
            self.lists_fail -= 1
            return 503, {"detail": "not now"}
        shown = self.reports[: len(self.reports) - self.hides]
        for report in shown if status is None else ():
            report.looks += 1
        told = [self._told(report) for report in shown]
        return 200, [report for report in told if status in {None, report["status"]}]

    def _told(self, report: Report, look: str = "") -> Told:
        looks = report.fate.looks
        told = _said(report, look or looks[min(max(report.looks, 1), len(looks)) - 1])
        return {name: value for name, value in told.items() if name in self.tells or name not in _NAMES}


_NAMES: Final = frozenset({"reportId", "paymentBatchName"})
_COUNTS: Final = ("donePayments", "pendingPayments", "withholdPayments")
_AMOUNTS: Final = ("paidAmount", "pendingAmount", "withholdAmount")


def _said(report: Report, look: str) -> Told:
    cents, count = report.cents, len(report.cents)
    asked = [entry.get("isWithhold", False) for entry in report.asked["payments"]]
    kept = sum(amount for amount, is_kept in zip(cents, asked, strict=True) if is_kept)
    total, owner = sum(cents), cents_of(report.asked.get("ownerAmount", 0))
    tax = report.tax_cents
    done = (count - sum(asked), 0, sum(asked), total - kept, 0, kept)
    pending, nothing = (0, count, 0, 0, total, 0), (0, 0, 0, 0, 0, 0)
    first = (1, count - 1, 0, cents[0], total - cents[0], 0)
    rest = (count - 1, 0, 1, total - cents[0], 0, cents[0])
    status, figures = {
        "pending": ("PENDING", pending),
        "processing": ("PROCESSING", pending),
        "done": ("DONE", done),
        "done in doubles": ("DONE", done),
        "done, counters null": ("DONE", None),
        "done, counters zero": ("DONE", nothing),
        "error": ("ERROR", (0, count, 0, 0, total, 0)),
        "error, counters null": ("ERROR", None),
        "part": ("DONE", (1, 0, 0, cents[0], 0, 0) if count > 1 else first),
        "withheld": ("DONE", rest),
        "withheld by count": ("DONE", (*rest[:3], None, None, None)),
        "taxed": ("DONE", (count, 0, 0, total - tax, 0, 0)),
        "excluded": ("EXCLUDED", nothing),
    }[look]
    told: Told = {"_id": report.split_id, "status": status, "taxId": report.asked["taxId"]}
    told |= {name: report.asked.get(name) for name in ("currency", "reportId", "paymentBatchName")}
    told["totalAmount"] = _amount(total + owner, in_doubles=look == "done in doubles")
    told |= dict.fromkeys((*_COUNTS, *_AMOUNTS))
    if figures is not None:
        counts, amounts = figures[:3], figures[3:]
        told |= dict(zip(_COUNTS, counts, strict=True))
        in_doubles = look == "done in doubles"
        told |= {
            name: None if amount is None else _amount(amount, in_doubles=in_doubles)
            for name, amount in zip(_AMOUNTS, amounts, strict=True)
        }
    if look == "taxed":
        told["irAmount"] = _amount(tax)
    return told


def cents_of(amount: Decimal | float | str) -> int:
    """Read an amount of the wire."""
    return int((Decimal(str(amount)) * 100).to_integral_exact())


def _amount(cents: int, *, in_doubles: bool = False) -> object:
    """Say an amount; a service that adds in doubles says it a hair off."""
    return cents / 100 + 4e-11 if in_doubles and cents else Decimal(cents) / 100


def _handler_of(provider: Provider) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _serve(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            if self.headers.get("authorization") != KEY:
                self._say(401, {"detail": "who are you"})
                return
            url = urlsplit(self.path)
            query = {name: values[0] for name, values in parse_qs(url.query).items()}
            self._say(*provider.answer(self.command, url.path, query, body))

        do_GET = do_POST = _serve

        def _say(self, status: int, document: object) -> None:
            self.close_connection = True
            if not status:
                return
            content = json.dumps(document, default=_plain).encode()
            head = f"HTTP/1.1 {status} -\r\ncontent-type: application/json\r\ncontent-length: {len(content)}\r\n"
            self.wfile.write(head.encode() + b"connection: close\r\n\r\n" + content)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    return Handler


def _plain(value: object) -> object:
    if isinstance(value, Decimal):
        return float(value)
    raise TypeError(type(value).__name__)
