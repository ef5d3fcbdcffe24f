"""A payout service in memory, on virtual time. What it received and created is the truth that a ledger is held against.

It is an httpx transport, so the real client talks to it. What its second POST /split meets is chosen beforehand; every
other call goes well. What it tells of a report in its lists, and how soon, is chosen too.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Final

import httpx

from tests.simulation.behaviours import GOES_WELL, NEVER, Behaviour, Listing
from tests.simulation.clock import VirtualClock

STRUCK_POST: Final = 2


@dataclass(frozen=True, slots=True)
class Post:
    """One request that arrived, when, and what it met."""

    body: bytes
    behaviour: Behaviour
    at_s: float

    @property
    def content(self) -> dict[str, Any]:
        """The body, read."""
        content: dict[str, Any] = json.loads(self.body)
        return content

    @property
    def report_id(self) -> str:
        """The name it bears."""
        return str(self.content["reportId"])

    @property
    def obligations(self) -> list[str]:
        """What it is to pay."""
        return [entry["extPaymentId"] for entry in self.content["payments"]]

    @property
    def payees(self) -> list[str]:
        """Whom it is to pay."""
        return [entry["taxId"] for entry in self.content["payments"]]


@dataclass(frozen=True, slots=True)
class Created:
    """One report that exists."""

    split_id: str
    post: Post
    since_s: float

    def told(self, listing: Listing, now_s: float) -> dict[str, Any]:
        """What the service says of it, at that moment."""
        said: dict[str, Any] = {"_id": self.split_id, "taxId": self.post.content["taxId"], "currency": "BRL"}
        said["totalAmount"] = self.post.content["amount"]
        behaviour, age_s = self.post.behaviour, now_s - self.since_s
        said |= dict(next((then for until_s, then in behaviour.until_then if age_s < until_s), behaviour.ends))
        if listing.report_id:
            said["reportId"] = self.post.report_id
        if listing.batch_name:
            said["paymentBatchName"] = self.post.content["paymentBatchName"]
        return said

    @property
    def paid_parts(self) -> int:
        """How many of its payments are truly paid in the end."""
        parts = self.post.behaviour.paid_parts
        return len(self.post.obligations) if parts < 0 else parts


@dataclass(slots=True)
class Service:
    """The service and its memory.

    Attributes:
        clock: Its time.
        behaviour: What the second POST meets.
        listing: What lists tell.
        after_effect: Called when a POST has had its effect and nothing has been answered yet.
        posts: Requests that arrived, in order.
        created: Reports that exist or will, in order.
        attempts: POSTs that were tried, arrived or not.
    """

    clock: VirtualClock
    behaviour: Behaviour
    listing: Listing
    after_effect: Callable[[], None] = lambda: None
    posts: list[Post] = field(default_factory=list)
    created: list[Created] = field(default_factory=list)
    attempts: int = 0

    def handle(self, request: httpx.Request) -> httpx.Response:
        """Answer as httpx expects of a transport."""
        path = request.url.path.removeprefix("/external")
        if request.method == "POST" and path == "/split":
            return self._create(request.content)
        if request.method == "GET" and path == "/split":
            return httpx.Response(200, json=self._listed(request.url.params.get("status")))
        for report in self._there():
            if path == f"/split/{report.split_id}/get":
                return httpx.Response(200, json=report.told(self.listing, self.clock.monotonic_s()))
        return httpx.Response(404, json={"detail": "not found"})

    def _create(self, body: bytes) -> httpx.Response:
        self.attempts += 1
        behaviour = self.behaviour if self.attempts == STRUCK_POST else GOES_WELL
        if not behaviour.arrives:
            return behaviour.answer({})
        post = Post(body, behaviour, self.clock.monotonic_s())
        report = Created(f"split-{self.attempts}", post, self.clock.monotonic_s() + behaviour.effect_after_s)
        self.posts.append(post)
        if behaviour.effect_after_s < NEVER:
            self.created += [replace(report, split_id=f"{report.split_id}{'+' * n}") for n in range(behaviour.copies)]
        self.after_effect()
        self.clock.sleep(behaviour.waits_s)
        told_of = self.created[0] if behaviour.answers_of == "the first" else report
        return behaviour.answer(told_of.told(self.listing, self.clock.monotonic_s()))

    def _there(self) -> list[Created]:
        return [report for report in self.created if report.since_s <= self.clock.monotonic_s()]

    def _listed(self, status: str | None) -> list[dict[str, Any]]:
        seen = [one for one in self._there() if one.since_s + self.listing.lag_s <= self.clock.monotonic_s()]
        told = [report.told(self.listing, self.clock.monotonic_s()) for report in seen]
        return [one for one in told if status in {None, one["status"]}]
