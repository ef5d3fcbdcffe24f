"""However often it rings: one look at once, one after, never two at a time."""

import threading
import time

import pytest

from io_adapters.webhooks import Debouncer

LONGER_THAN_ANY_TEST_S = 3600


class Previews:
    """Counts polls, and how many ran at a time."""

    def __init__(self, takes_s=0.0):
        self.count = 0
        self.slots = []
        self.at_a_time = 0
        self.most_at_a_time = 0
        self._takes_s = takes_s

    def __call__(self, slot):
        self.at_a_time += 1
        self.most_at_a_time = max(self.most_at_a_time, self.at_a_time)
        self.count += 1
        self.slots.append(slot)
        time.sleep(self._takes_s)
        self.at_a_time -= 1


def test_a_ring_is_answered_at_once(eventually):
    looks = Previews()
    with Debouncer(looks, every_s=LONGER_THAN_ANY_TEST_S) as bell:
        bell.ring()
        eventually(lambda: looks.count == 1)


def test_a_burst_is_one_look_now_and_one_after(eventually):
    looks, looking = Previews(), threading.Event()

    def look(slot):
        looks(slot)
        looking.wait()

    with Debouncer(look, every_s=0.01) as bell:
        for _ in range(1000):
            bell.ring()
        eventually(lambda: looks.count == 1)
        for _ in range(10_000):
            bell.ring()
        assert looks.count == 1
        looking.set()
        eventually(lambda: looks.count == 2)
        time.sleep(0.3)  # many pauses, in none of which anybody rang
    assert looks.count == 2


def test_what_rings_soon_after_a_look_waits_for_the_pause_to_end(eventually):
    looks = Previews()
    with Debouncer(looks, every_s=LONGER_THAN_ANY_TEST_S) as bell:
        bell.ring()
        eventually(lambda: looks.count == 1)
        bell.ring()
        time.sleep(0.3)
    assert looks.count == 1


def test_what_rings_during_a_look_is_looked_at_after_it_and_never_beside_it(eventually):
    looks = Previews(takes_s=0.3)
    with Debouncer(looks, every_s=0.05) as bell:
        bell.ring()
        eventually(lambda: looks.at_a_time == 1)
        workers = [threading.Thread(target=bell.ring) for _ in range(20)]
        for worker in workers:
            worker.start()
        eventually(lambda: looks.count == 2)
        time.sleep(0.5)
    assert (looks.count, looks.most_at_a_time) == (2, 1)


def test_silence_looks_at_nothing():
    looks = Previews()
    with Debouncer(looks, every_s=0.01):
        time.sleep(0.2)
    assert looks.count == 0


def test_a_look_that_fails_is_told_and_the_next_ring_tries_again(eventually):
    told, tries = [], []

    def fails(slot):
        tries.append(slot)
        raise OSError("no server")

    with Debouncer(fails, every_s=0.01, on_failure=told.append) as bell:
        bell.ring()
        eventually(lambda: len(told) == 1)
        bell.ring()
        eventually(lambda: len(tries) == 2)


def test_nobody_to_tell_of_a_failure_is_no_reason_to_fall_silent(eventually):
    tries = []

    def fails(what):
        tries.append(what)
        raise BrokenPipeError

    with Debouncer(fails, every_s=0.01, on_failure=fails) as bell:
        bell.ring()
        eventually(lambda: len(tries) == 2)
        bell.ring()
        eventually(lambda: len(tries) == 4)


@pytest.mark.parametrize(("now_s", "slot"), [(59.9, 1), (60.0, 2), (89.9, 2)])
def test_a_look_bears_the_number_of_its_slot(eventually, now_s, slot):
    looks = Previews()
    with Debouncer(looks, every_s=30, now_s=lambda: now_s) as bell:
        bell.ring()
        eventually(lambda: looks.slots == [slot])
