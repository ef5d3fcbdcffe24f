"""What waits of one job and kind is one matter, whatever the reasons: added up, each reason told once."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.errors import ExitCode
from schemas.messages import render
from schemas.reasons import because
from schemas.waits import Wait, WaitKind, matters

CODES = ("TAXID_CHECK", "NAME_REQUIRED", "SHARE_UNMATCHED", "PIX_UNREADABLE", "AMOUNT_UNREADABLE")
WAITS = st.builds(
    Wait,
    kind=st.sampled_from(WaitKind),
    job=st.sampled_from(["aurora", "boreal"]),
    period=st.sampled_from(["2026-09", "2026-10"]),
    run_id=st.sampled_from(["run-1", "run-2"]),
    reasons=st.sampled_from(CODES).map(because),
    count=st.integers(1, 9),
    amount_cents=st.integers(0, 99_999),
    currency=st.sampled_from(["BRL", "USD"]),
    code=st.just(ExitCode.ROWS_HELD),
    command=st.just("repasse run job.yaml"),
    folder=st.just(""),
    language=st.just("pt-BR"),
    obligation_kind=st.sampled_from(["payment", "royalty"]),
)


@given(st.lists(WAITS, max_size=30), st.booleans())
def test_nothing_is_lost_and_nothing_told_twice(waits, across_periods):
    found = matters(waits, across_periods=across_periods)
    assert Counter(wait for matter in found for wait in matter.waits) == Counter(waits)
    for total in ("amount_cents", "count"):
        assert sum(getattr(matter, total) for matter in found) == sum(getattr(wait, total) for wait in waits)


@given(st.lists(WAITS, max_size=30))
def test_no_two_currencies_are_added_up_and_each_card_has_one_way_on(waits):
    for matter in matters(waits, across_periods=True):
        assert len({(wait.job, wait.kind, wait.currency) for wait in matter.waits}) == 1
        assert len({wait.way for wait in matter.waits}) == 1


@pytest.mark.parametrize("across_periods", [False, True])
def test_twelve_reasons_of_one_file_are_one_card_with_their_sum(across_periods):
    held = [
        Wait(
            WaitKind.HELD,
            "aurora",
            "2026-10",
            "run-1",
            because(code),
            1,
            100,
            "BRL",
            ExitCode.ROWS_HELD,
            "",
            "",
            "pt-BR",
        )
        for code in CODES
    ]
    (matter,) = matters(held, across_periods=across_periods)
    assert (matter.count, matter.amount_cents) == (5, 500)
    assert len(render(matter.why, "pt-BR").split("; ")) == len(CODES)
