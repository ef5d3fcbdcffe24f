"""What one POST /split can meet, and what a service tells of its reports."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal

import httpx

URL: Final = "https://payouts.example/external"
LATE_S: Final = 600.0
LAG_S: Final = 600.0
NEVER: Final = float("inf")
PATIENCE_S: Final = 60.0
REFUSAL: Final = {"detail": [{"loc": ["body", "payments", 0, "name"], "msg": "not today", "type": "value_error"}]}

Answering = Callable[[dict[str, Any]], httpx.Response]


@dataclass(frozen=True, slots=True)
class Behaviour:
    """What one POST /split meets.

    Attributes:
        name: For people.
        effect_after_s: When the report comes into being; NEVER for not at all.
        answer: What comes back, from the report as the service tells it; may raise as httpx does.
        waits_s: How long the answer takes.
        arrives: Whether the service receives the request at all.
        refuses: Whether this is the documented proof that nothing was created.
        ends: What the service says of the report in the end, and truly: status, counts, amounts.
        paid_parts: How many of the report's payments are truly paid in the end; -1 for all.
        until_then: What the service says of the report before, by age: until so many seconds, and what.
        copies: How many reports come into being; a proxy that delivers twice makes two of one POST.
        answers_of: Which report the answer is made of: this one, or the first there is, as a cache would have it.
        freezes: Whether ledger and service then disagree, so that people must look before anything more is sent.
    """

    name: str
    effect_after_s: float
    answer: Answering
    waits_s: float = 0.0
    arrives: bool = True
    refuses: bool = False
    ends: tuple[tuple[str, object], ...] = (("status", "DONE"),)
    paid_parts: int = -1
    until_then: tuple[tuple[float, tuple[tuple[str, object], ...]], ...] = ()
    copies: int = 1
    answers_of: Literal["itself", "the first"] = "itself"
    freezes: bool = False


@dataclass(frozen=True, slots=True)
class Listing:
    """What the lists of a service show of a report, and how soon."""

    name: str
    report_id: bool
    batch_name: bool
    lag_s: float = 0.0


def _raising(failure: type[httpx.TransportError]) -> Answering:
    def answer(_: dict[str, Any]) -> httpx.Response:
        raise failure("simulated")

    return answer


def _saying(status: int, content: object, **headers: str) -> Answering:
    if isinstance(content, str):
        return lambda _: httpx.Response(status, text=content, headers=headers)
    return lambda _: httpx.Response(status, json=content, headers=headers)


class _CutShort(httpx.SyncByteStream):
    def __iter__(self) -> Iterator[bytes]:
        yield b'{"_id": "spl'
        raise httpx.RemoteProtocolError("peer closed connection without sending complete message body")


def _report(said: dict[str, Any]) -> httpx.Response:
    return httpx.Response(200, json=said | {"status": "PENDING"})


def _misquoting(**wrong: object) -> Answering:
    return lambda said: httpx.Response(200, json=said | {"status": "PENDING"} | wrong)


def _of_another(said: dict[str, Any]) -> httpx.Response:
    return httpx.Response(200, json=said | {"_id": "split-of-somebody-else", "reportId": "rp-of-somebody-else"})


def _cut(_: dict[str, Any]) -> httpx.Response:
    return httpx.Response(200, stream=_CutShort())


_LOST, _SLOW = _raising(httpx.ReadError), _raising(httpx.ReadTimeout)
_HTML = "<html><body>Bad Gateway</body></html>"
_ELSEWHERE = _saying(307, {}, location=f"{URL}/split")
_ONE_OF_TWO = (
    ("status", "DONE"),
    ("donePayments", 1),
    ("pendingPayments", 0),
    ("withholdPayments", 0),
    ("paidAmount", 10.0),
)
_NOTHING_PAID = (("status", "ERROR"), ("donePayments", 0), ("paidAmount", 0))

GOES_WELL: Final = Behaviour("accepted", 0, _report)
BEHAVIOURS: Final = (
    GOES_WELL,
    Behaviour("refused as documented", NEVER, _saying(422, REFUSAL), refuses=True),
    Behaviour("422 of another shape, not created", NEVER, _saying(422, {"detail": "no"})),
    Behaviour("422 of another shape, created", 0, _saying(422, {"detail": "no"})),
    Behaviour("connection refused", NEVER, _raising(httpx.ConnectError), arrives=False),
    Behaviour("dropped before the effect", NEVER, _LOST),
    Behaviour("dropped after the effect", 0, _LOST),
    Behaviour("no answer in time, no effect", NEVER, _SLOW, waits_s=PATIENCE_S),
    Behaviour("no answer in time, created", 0, _SLOW, waits_s=PATIENCE_S),
    Behaviour("no answer in time, created minutes later", LATE_S, _SLOW, waits_s=PATIENCE_S),
    Behaviour("504, created minutes later", LATE_S, _saying(504, _HTML), waits_s=PATIENCE_S),
    Behaviour("answer cut short", 0, _cut),
    Behaviour("500 before the effect", NEVER, _saying(500, {"detail": "oops"})),
    Behaviour("500 after the effect", 0, _saying(500, {"detail": "oops"})),
    Behaviour("502 as a web page, created", 0, _saying(502, _HTML)),
    Behaviour("200 with garbage, not created", NEVER, _saying(200, "%&$")),
    Behaviour("200 with garbage, created", 0, _saying(200, "%&$")),
    Behaviour("429", NEVER, _saying(429, {"detail": "slow down"}, **{"retry-after": "1"})),
    Behaviour("redirect, not created", NEVER, _ELSEWHERE),
    Behaviour("redirect, created", 0, _ELSEWHERE),
    Behaviour("answer about another report", 0, _of_another),
    Behaviour("accepted, in the end one of two is paid", 0, _report, ends=_ONE_OF_TWO, paid_parts=1),
    Behaviour("accepted, in the end an error that says no more", 0, _report, ends=(("status", "ERROR"),)),
    Behaviour("accepted, in the end an error and nothing paid", 0, _report, ends=_NOTHING_PAID, paid_parts=0),
    Behaviour("accepted, in the end excluded", 0, _report, ends=(("status", "EXCLUDED"),), paid_parts=0),
)
HALF_AN_HOUR_S: Final = 1800.0
_DONE_BUT = (("status", "DONE"), ("donePayments", 0), ("withholdPayments", 0), ("paidAmount", 0))
_DONE_WITHOUT = (("status", "DONE"), ("donePayments", None), ("paidAmount", None))
_ALL_DONE = (("status", "DONE"), ("donePayments", 2), ("pendingPayments", 0), ("paidAmount", 20.0))
_ONE_KEPT = (("status", "DONE"), ("donePayments", 1), ("withholdPayments", 1), ("pendingPayments", 0))
# Moods that came later; each is played at fewer places, where an answer is known, half known, or lost.
MOODS: Final = (
    Behaviour("answer of the first report, created", 0, _report, answers_of="the first"),
    Behaviour("answer of the first report, not created", NEVER, _report, answers_of="the first"),
    Behaviour("answer of another total", 0, _misquoting(totalAmount=19.99), freezes=True),
    Behaviour("answer in another currency", 0, _misquoting(currency="USD"), freezes=True),
    Behaviour("answer of another payer", 0, _misquoting(taxId="11222333000181"), freezes=True),
    Behaviour("delivered twice by a proxy", 0, _report, copies=2, freezes=True),
    Behaviour("delivered twice by a proxy, and dropped", 0, _LOST, copies=2, freezes=True),
    Behaviour("done before its counters", 0, _report, ends=_ALL_DONE, until_then=((HALF_AN_HOUR_S, _DONE_BUT),)),
    Behaviour("done and silent before", 0, _report, ends=_ALL_DONE, until_then=((HALF_AN_HOUR_S, _DONE_WITHOUT),)),
    Behaviour(
        "flapping",
        0,
        _report,
        ends=_ALL_DONE,
        until_then=((30.0, _ALL_DONE), (90.0, (("status", "PROCESSING"),)), (HALF_AN_HOUR_S, (("status", "PENDING"),))),
    ),
    Behaviour("failed first, paid later", 0, _report, ends=_ALL_DONE, until_then=((HALF_AN_HOUR_S, _NOTHING_PAID),)),
    Behaviour("one of two withheld that nobody asked to", 0, _report, ends=_ONE_KEPT, paid_parts=1),
    *(
        Behaviour(f"{status} {words}", effect_after_s, _saying(status, {"detail": "no"}))
        for status in (401, 403, 404, 405, 413)
        for words, effect_after_s in (("before the effect", NEVER), ("after the effect", 0))
    ),
)
LISTINGS: Final = (
    Listing("tells id and name", report_id=True, batch_name=True),
    Listing("tells the id alone", report_id=True, batch_name=False),
    Listing("tells the name alone", report_id=False, batch_name=True),
    Listing("tells neither", report_id=False, batch_name=False),
    Listing("tells both, ten minutes late", report_id=True, batch_name=True, lag_s=LAG_S),
    Listing("tells neither, ten minutes late", report_id=False, batch_name=False, lag_s=LAG_S),
)
