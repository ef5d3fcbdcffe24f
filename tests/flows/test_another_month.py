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


def test_a_job_for_some_days_takes_no_other_period(tmp_path):
    job = job_for({"start": "2026-10-01", "end": "2026-10-15"}, tmp_path)
    own = read_run_request(job).period
    assert read_run_request(job, RunOptions(period=own.label)).period == own
    with pytest.raises(ConfigurationError, match="only a job for months"):
        read_run_request(job, RunOptions(period="2026-09"))


def test_of_another_month_a_job_reads_what_bears_its_name_or_was_handed_in(tmp_path):
    order = read_run_request(job_for("2026-10", tmp_path), RunOptions(period="2026-09"))
    assert (order.period.label, order.reads("payments.csv"), order.reads("{period}.csv")) == ("2026-09", False, True)
    assert read_run_request(job_for("2026-10", tmp_path)).reads("payments.csv")


@pytest.mark.parametrize(
    "month", ["2026-13", "oct2ber", "2026-10 e 2026-11", "2026-10-01..2026-10-15", "previous_month"]
)
def test_another_period_is_one_month(tmp_path, month):
    with pytest.raises(ConfigurationError, match="a period is a month"):
        read_run_request(job_for("previous_month", tmp_path), RunOptions(period=month))
