"""Pauses between looks at open reports grow from half a second to the job's pace."""

from itertools import accumulate, repeat

import pytest

from flows.reports.rules.judge_report import next_pause_s


def pauses(every_s, count=20):
    return list(accumulate(repeat(every_s, count), next_pause_s, initial=0.0))[1:]


@pytest.mark.parametrize("every_s", [0.1, 0.5, 2.0, 30.0])
def test_pauses_never_shrink_and_end_at_the_job_s_pace(every_s):
    waited = pauses(every_s)
    assert waited == sorted(waited)
    assert waited[0] == min(0.5, every_s)
    assert waited[-1] == every_s


def test_a_quick_report_is_seen_within_seconds_and_a_slow_one_is_not_pestered():
    assert sum(pauses(30.0, 5)) < 7
    assert sum(pauses(30.0, 60)) > 50 * 25
