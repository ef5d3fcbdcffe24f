"""Two jobs at one moment on one ledger: what a run has judged still holds when it claims, or it judges again."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from io_adapters.ledger.claims import LedgerMoved
from schemas.errors import ExitCode
from tests.flows.books import places
from tests.flows.jobs import line, payee, payment, people, share
from tests.flows.label import Label, summary_of
from tests.flows.oracle import CHECK

ANA, BIA, CAIO = people(3)
CHECKED = {"when": "always", "fee": "0.35", "budget": "25.00"}


@pytest.fixture
def two_jobs(label: Label, service, tmp_path: Path) -> tuple[Label, Label]:
    """Two jobs of one payer, each of which asks about accounts before it pays; an answer takes half a second."""
    other = Label(tmp_path / "other")
    label.declare(account_checks=CHECKED)
    other.declare(job="boreal", account_checks=CHECKED)
    service.plant(CHECK, "hang", seconds=0.5, times=None)
    return label, other


def run_at_once(*labels: Label) -> list:
    with ThreadPoolExecutor(len(labels)) as pool:
        return list(pool.map(Label.run, labels))


@pytest.mark.long
def test_one_list_under_two_names_at_one_moment_is_paid_once(two_jobs, service):
    for label in two_jobs:
        label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"))
    reports = run_at_once(*two_jobs)
    assert service.paid == [1000, 2000]
    assert sorted(report.exit_code for report in reports) == [ExitCode.DONE, ExitCode.APPROVAL_WANTED]  # row by row
    for label in two_jobs:
        label.run()
    assert service.paid == [1000, 2000]


def test_rows_that_another_list_pays_at_that_moment_wait_for_a_person(two_jobs, service):
    first, second = two_jobs
    first.payments(payment(ANA, "10,00"), payment(BIA, "20,00"))
    second.payments(payment(ANA, "10,00"), payment(BIA, "20,00"), payment(CAIO, "30,00"))
    reports = run_at_once(first, second)
    assert sorted(report.exit_code for report in reports) == [ExitCode.DONE, ExitCode.APPROVAL_WANTED]
    assert service.paid in ([1000, 2000], [1000, 2000, 3000])
    (waits,) = (report for report in reports if report.exit_code is ExitCode.APPROVAL_WANTED)
    assert "planned" in places(summary_of(waits))


@pytest.mark.long
def test_one_statement_under_two_names_at_one_moment_is_paid_once(two_jobs, service):
    statement = [line("100,00", "Samba"), line("60,00", "Valsa"), line("40,00", "Choro"), line("20,00", "Frevo")]
    for label, name in zip(two_jobs, ("aurora", "boreal"), strict=True):
        label.write("royalties.csv", statement)
        label.write("payees.csv", [payee(ANA)])
        label.write("shares.csv", [share(ANA, "100")])
        sources = [{"files": "royalties.csv", "layout": "royalties"}]
        label.declare(job=name, sources=sources, payees="payees.csv", shares="shares.csv", account_checks=CHECKED)
    reports = run_at_once(*two_jobs)
    assert service.paid == [22000]
    assert {report.exit_code for report in reports} & {ExitCode.ANOTHER_RUN, ExitCode.DONE}
    for label in two_jobs:
        label.run()
    assert service.paid == [22000]


def test_two_jobs_that_have_nothing_to_do_with_each_other_are_both_paid(two_jobs, service):
    for label, who in zip(two_jobs, (ANA, BIA), strict=True):
        label.payments(payment(who, "10,00"))
    reports = run_at_once(*two_jobs)
    assert [report.exit_code for report in reports] == [ExitCode.DONE] * 2
    assert service.paid == [1000, 1000]


def approve_late(label: Label, meanwhile: Callable[[], object]) -> type[Exception] | None:
    """Store a plan, let something happen, and approve the plan on what was known before."""
    report = label.run(yes=False)
    with label.ledger() as ledger:
        epoch = ledger.claims.epoch()
        meanwhile()
        try:
            ledger.submissions.approve_plan(
                report.summary.plan_digest, report.run_id, (), ledger.now(), approvers=0, epoch=epoch
            )
        except LedgerMoved as moved:
            return type(moved)
    return None


def test_an_approval_on_what_was_known_before_another_one_changes_nothing(label, service, tmp_path):
    label.payments(payment(ANA, "10,00"))
    other = Label(tmp_path / "other")
    other.declare(job="boreal")
    other.payments(payment(BIA, "20,00"))
    assert approve_late(label, other.run) is LedgerMoved
    assert service.paid == [2000]
    assert approve_late(label, lambda: None) is None
