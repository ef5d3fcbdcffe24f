"""What was planned in one month may be approved in the next, when `previous_month` means another."""

import pytest

from flows.run_options import RunOptions
from flows.run_request import read_run_request
from schemas.errors import ConfigurationError
from tests.flows.jobs import declare


def job_for(period: object, tmp_path):
    sources = [{"files": "payments-{period}.csv", "layout": "payments"}]
    return declare(tmp_path / "job.yaml", period=period, sources=sources)


def test_a_job_for_the_previous_month_can_be_run_for_the_month_its_plan_was_made_for(tmp_path):
    order = read_run_request(job_for("previous_month", tmp_path), RunOptions(period="2026-02"))
    assert (order.period.label, order.period.start.day, order.period.end.day) == ("2026-02", 1, 28)


def test_without_a_word_it_is_run_for_the_month_before_this_one(tmp_path):
    job = job_for("previous_month", tmp_path)
    assert read_run_request(job).period == read_run_request(job, RunOptions(period="")).period


@pytest.mark.parametrize("own", ["2026-10", {"start": "2026-10-01", "end": "2026-10-15"}])
def test_a_job_that_states_its_period_takes_no_other(tmp_path, own):
    job = job_for(own, tmp_path)
    assert (
        read_run_request(job, RunOptions(period=read_run_request(job).period.label)).period
        == read_run_request(job).period
    )
    with pytest.raises(ConfigurationError, match="only a job for previous_month"):
        read_run_request(job, RunOptions(period="2026-09"))


@pytest.mark.parametrize(
    "month", ["2026-13", "oct2ber", "2026-10 e 2026-11", "2026-10-01..2026-10-15", "previous_month"]
)
def test_another_period_is_one_month(tmp_path, month):
    with pytest.raises(ConfigurationError, match="a period is a month"):
        read_run_request(job_for("previous_month", tmp_path), RunOptions(period=month))
