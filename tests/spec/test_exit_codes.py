"""One exit code per kind of outcome; the worst of those that hold is the run's."""

import itertools

import pytest

from flows.books.rules.reconcile import closing_codes, state_name
from schemas.errors import PRECEDENCE, ExitCode, worst
from schemas.reconciliation import Discrepancy
from schemas.submission import SubmissionState
from tests.spec.reports import submission
from tests.spec.tables import table

S = SubmissionState

STATES = table(
    """
    | report stands at | exit code |
    | planned          | 14        |
    | approved         | 21        |
    | not_sent         | 21        |
    | sending          | 22        |
    | in_doubt         | 22        |
    | absent           | 22        |
    | accepted         | 23        |
    | processing       | 23        |
    | refused          | 20        |
    | partial          | 40        |
    | failed           | 40        |
    | excluded         | 40        |
    | paid             | 0         |
    | withdrawn        | 14        |
    """
)


def closing(*states, noted=(), discrepancies=(), ever_sent=True):
    sent = [submission(f"rp-{number}", state=S(state)) for number, state in enumerate(states)]
    return closing_codes(noted, sent, discrepancies, ever_sent=ever_sent)


@pytest.mark.parametrize("case", STATES, ids=[case["report stands at"] for case in STATES])
def test_where_a_report_stands_is_how_the_run_ended(case):
    assert worst(closing(case["report stands at"])) == int(case["exit code"])


def test_every_state_has_an_exit_code():
    assert {case["report stands at"] for case in STATES} == {state.value for state in S}


def test_when_several_hold_the_worst_one_wins():
    said = [70, 31, 30, 22, 20, 21, 14, 40, 23, 15, 12, 0]
    for worse, better in itertools.combinations(said, 2):
        assert worst([ExitCode(better), ExitCode(worse)]) == worse
    assert set(PRECEDENCE) == set(ExitCode)
    assert worst([]) is ExitCode.DONE


@pytest.mark.parametrize(
    ("noted", "states", "ever_sent", "ends"),
    [
        ((), (), False, 0),
        ((15,), (), False, 12),
        ((15,), (), True, 15),
        ((15,), ("paid",), True, 15),
        ((15,), ("paid", "in_doubt"), True, 22),
        ((23,), ("paid",), True, 0),
        ((22, 40), ("paid",), True, 0),
        ((14,), ("planned",), True, 14),
        ((14,), ("paid",), True, 0),
        ((70,), ("paid",), True, 70),
        ((13,), (), False, 13),
        ((31,), ("paid",), True, 31),
    ],
)
def test_what_following_the_reports_can_change_is_told_anew_and_the_rest_stays(noted, states, ever_sent, ends):
    assert worst(closing(*states, noted=noted, ever_sent=ever_sent)) == ends


def test_a_discrepancy_is_told_also_when_everything_was_paid():
    seen = [Discrepancy(kind="total", report_id="rp-0", message="another total")]
    assert closing("paid", discrepancies=seen) == {ExitCode.DISCREPANCIES}


@pytest.mark.parametrize(
    ("code", "sent", "name"),
    [
        (0, True, "done"),
        (0, False, "nothing_to_pay"),
        (14, True, "awaiting_approval"),
        (23, True, "settling"),
        (22, True, "in_doubt"),
    ],
)
def test_a_run_s_state_has_a_name_people_can_read(code, sent, name):
    assert state_name(ExitCode(code), sent=sent) == name
