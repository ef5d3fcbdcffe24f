"""Two workers on one ledger: one job is paid by one of them, two jobs do not disturb each other."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from schemas.errors import ExitCode
from tests.crash.payday import check_books, opened_payday
from tests.payments_job import write_payments_job

pytestmark = pytest.mark.crash


@pytest.mark.parametrize("trial", range(3))
def test_of_two_workers_that_start_together_one_pays_and_the_other_says_that_the_job_is_taken(
    tmp_path: Path, new_ledger: Callable[[], str], trial: int
):
    with opened_payday(tmp_path, 10, per_batch=1, ledger_url=new_ledger()) as payday:
        payday.plant("POST /split", "hang", seconds=0.1, times=None)
        both = [payday.start() for _ in range(2)]  # the ledger does not exist yet: they race for making it, too
        assert sorted(worker.ended() for worker in both) == [ExitCode.DONE, ExitCode.ANOTHER_RUN]
        assert payday.states() == ["paid"] * 10
        assert payday.posts() == 10
        check_books(payday)


def test_a_second_worker_is_turned_away_while_the_first_one_sends(tmp_path: Path):
    with opened_payday(tmp_path, 4) as payday:
        payday.plant("POST /split", "hang", seconds=0.5, times=None)
        first = payday.start()
        assert first.reaches("send")
        assert payday.pay() == ExitCode.ANOTHER_RUN
        assert first.ended() == ExitCode.DONE
        assert payday.posts() == 4
        check_books(payday)


def test_two_jobs_are_paid_side_by_side_and_neither_doubts_what_the_other_is_sending(tmp_path: Path):
    with opened_payday(tmp_path, 12) as payday:
        other = write_payments_job(tmp_path / "other", 12, name="other", per_batch=1)
        payday.plant("POST /split", "hang", seconds=0.05, times=None)
        both = [payday.start(), payday.start(other)]
        assert [worker.ended() for worker in both] == [ExitCode.DONE, ExitCode.DONE]
        assert payday.states() == ["paid"] * 24
        assert payday.posts() == 24
        with payday.ledger() as ledger:
            submissions = ledger.submissions.list(bodies=False)
        assert not any(submission.was_in_doubt for submission in submissions)


@pytest.mark.parametrize("other_period", [False, True], ids=["under two names", "under two names, for two months"])
def test_one_list_started_by_two_people_at_one_moment_is_paid_once(
    tmp_path: Path, new_ledger: Callable[[], str], other_period: bool
):
    """Account checks between look and approval hold the window open, in either process."""
    with opened_payday(tmp_path / "one", 8, per_batch=2, checks="always", ledger_url=new_ledger()) as payday:
        other = write_payments_job(tmp_path / "other", 8, name="other", per_batch=2, checks="always")
        shutil.copyfile(payday.job.workbook, other.workbook)
        if other_period:
            told = other.path.read_text(encoding="utf-8").replace("period: 2026-10", "period: 2026-11")
            other.path.write_text(told, encoding="utf-8")
        payday.plant("POST /validate/account", "hang", seconds=0.4, times=None)
        both = [payday.start(), payday.start(other)]
        ends = {worker.ended() for worker in both}
        assert ExitCode.DONE in ends
        assert ends - {ExitCode.DONE} <= {ExitCode.ANOTHER_RUN, ExitCode.APPROVAL_WANTED, ExitCode.ROWS_REFUSED}
        sent = [payment["final_amount_cents"] for made in payday.audit()["creates"] for payment in made["payments"]]
        assert sorted(sent) == sorted(payday.job.owed.values())
        for job in (payday.job, other):
            payday.start(job).ended()
        assert payday.posts() == 4
