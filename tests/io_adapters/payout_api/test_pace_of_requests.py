"""No more requests a second than the job allows, of all kinds and threads together."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import chain

import httpx
import pytest

from io_adapters.payout_api.connection import RateLimiter, Reply
from schemas.errors import ConfigurationError, NotSent


class Clock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now

    def sleep(self, seconds):
        self.now += seconds


def test_requests_are_spaced_evenly_and_unused_time_is_not_saved_up():
    clock = Clock()
    pace = RateLimiter(4, pause=clock.sleep, clock=clock)
    waits = [pace.wait() for _ in range(3)]
    clock.now += 10
    waits += [pace.wait() for _ in range(2)]
    assert waits == [0, 0.25, 0.25, 0, 0.25]


def test_a_place_is_taken_even_when_somebody_else_waits_for_it():
    clock = Clock()
    pace = RateLimiter(2, clock=clock)
    assert [pace.delay_s() for _ in range(4)] == [0, 0.5, 1.0, 1.5]


def test_without_a_pace_nobody_waits():
    assert [RateLimiter(None).wait() for _ in range(1000)] == [0.0] * 1000


@pytest.mark.parametrize("pace", [0, -1, float("nan"), float("inf")])
def test_a_pace_at_which_nothing_is_ever_sent_is_refused(pace):
    with pytest.raises(ConfigurationError, match="above zero"):
        RateLimiter(pace)


@pytest.mark.parametrize("requests_per_s", [None, 10])
def test_a_pause_that_the_service_asks_for_is_kept_by_everybody(requests_per_s):
    clock = Clock()
    pace = RateLimiter(requests_per_s, pause=clock.sleep, clock=clock)
    assert pace.wait() == 0
    assert pace.heed(Reply(429, {"retry-after": "7"}, b"", None)) == 7
    assert pace.heed(Reply(200, {}, b"", None)) is None
    assert [pace.delay_s() for _ in range(2)] == pytest.approx([7, 7 + 0.1 * bool(requests_per_s)])


def test_a_list_that_came_too_often_holds_a_payment_back_too(talk):
    pauses = []
    busy = httpx.Response(429, headers={"Retry-After": "29"})
    api, _ = talk(busy, timeout_s=1, pause=pauses.append)
    with pytest.raises(NotSent):
        api.list_reports()
    assert pauses == []
    api.await_turn()
    assert pauses == pytest.approx([29], abs=5)


def test_many_threads_together_keep_to_the_pace():
    everybody = threading.Barrier(6, timeout=60)  # one thread's sleep keeps no other from its own
    pace = RateLimiter(100, pause=lambda _seconds: everybody.wait(), clock=lambda: 100.0)
    assert pace.wait() == 0
    with ThreadPoolExecutor(6) as pool:
        waits = list(pool.map(lambda _: [pace.wait() for _ in range(5)], range(6)))
    assert sorted(chain(*waits)) == pytest.approx([0.01 * n for n in range(1, 31)])


def test_questions_and_orders_share_one_pace(talk):
    clock = Clock()
    pauses = []
    api, service = talk(
        lambda request: httpx.Response(200, json=[] if request.method == "GET" else {"valid": True}),
        requests_per_s=10,
        pause=lambda seconds: (pauses.append(seconds), clock.sleep(seconds)),
    )
    api.list_reports()
    api.contacts.update_email("ana@example.com", tax_id="52998224725")
    api.webhooks.register("https://hooks.example/x")
    assert len(service.asked) == 3
    assert len(pauses) == 2
    assert all(0 < pause <= 0.2 for pause in pauses)


def test_waiting_for_its_place_takes_nothing_from_the_time_of_a_payment(talk):
    steps = []
    api, _ = talk(
        lambda _request: httpx.Response(200, json={"_id": "a"}),
        requests_per_s=1000,
        pause=lambda _seconds: steps.append("waited"),
    )
    api._pace._next_at = time.monotonic() + 60
    api.await_turn()
    last_look = {"deadline_s": 5, "before_connect": lambda: steps.append("last look")}
    created = api.create_report(b"{}", report_id="rp-1", was_in_doubt=False, **last_look)
    rated = api.update_exchange_rate("a", b"{}", was_in_doubt=False, **last_look)
    known = api.contacts.create(b"{}", tax_id="52998224725", **last_look)
    assert steps == ["waited", *["last look"] * 3]
    assert created.http_status == rated.http_status == known.http_status == 200
