"""However often it rings: one look at once, one after, never two at a time."""

import threading
import time

import pytest

from io_adapters.webhooks import Bell


class Looks:
    """Counts polls, and how many ran at a time."""

    def __init__(self, takes_s=0.0):
        self.began = []
        self.slots = []
        self.at_a_time = 0
        self.most_at_a_time = 0
        self._takes_s = takes_s

    def __call__(self, slot):
        self.at_a_time += 1
        self.most_at_a_time = max(self.most_at_a_time, self.at_a_time)
        self.began.append(time.monotonic())
        self.slots.append(slot)
        time.sleep(self._takes_s)
        self.at_a_time -= 1


def test_a_ring_is_answered_at_once(eventually):
    looks = Looks()
    with Bell(looks, every_s=60) as bell:
        began = time.monotonic()
        bell.ring()
        eventually(lambda: bool(looks.began))
        assert looks.began[0] - began < 0.5


def test_a_burst_is_one_look_now_and_one_after(eventually):
    looks = Looks()
    with Bell(looks, every_s=0.5) as bell:
        for _ in range(1000):
            bell.ring()
        eventually(lambda: len(looks.began) == 1)
        for _ in range(10_000):
            bell.ring()
        eventually(lambda: len(looks.began) == 2)
        time.sleep(1.2)
    assert len(looks.began) == 2
    assert looks.began[1] - looks.began[0] >= 0.5


def test_what_rings_during_a_look_is_looked_at_after_it_and_never_beside_it(eventually):
    looks = Looks(takes_s=0.3)
    with Bell(looks, every_s=0.05) as bell:
        bell.ring()
        eventually(lambda: looks.at_a_time == 1)
        workers = [threading.Thread(target=bell.ring) for _ in range(20)]
        for worker in workers:
            worker.start()
        eventually(lambda: len(looks.began) == 2)
        time.sleep(0.5)
    assert (len(looks.began), looks.most_at_a_time) == (2, 1)


def test_silence_looks_at_nothing():
    looks = Looks()
    with Bell(looks, every_s=0.01):
        time.sleep(0.2)
    assert looks.began == []


def test_a_look_that_fails_is_told_and_the_next_ring_tries_again(eventually):
    told, tries = [], []

    def fails(slot):
        tries.append(slot)
        raise OSError("no server")

    with Bell(fails, every_s=0.01, on_failure=told.append) as bell:
        bell.ring()
        eventually(lambda: len(told) == 1)
        bell.ring()
        eventually(lambda: len(tries) == 2)


def test_nobody_to_tell_of_a_failure_is_no_reason_to_fall_silent(eventually):
    tries = []

    def fails(what):
        tries.append(what)
        raise BrokenPipeError

    with Bell(fails, every_s=0.01, on_failure=fails) as bell:
        bell.ring()
        eventually(lambda: len(tries) == 2)
        bell.ring()
        eventually(lambda: len(tries) == 4)


@pytest.mark.parametrize(("now_s", "slot"), [(59.9, 1), (60.0, 2), (89.9, 2)])
def test_a_look_bears_the_number_of_its_slot(eventually, now_s, slot):
    looks = Looks()
    with Bell(looks, every_s=30, now_s=lambda: now_s) as bell:
        bell.ring()
        eventually(lambda: looks.slots == [slot])
