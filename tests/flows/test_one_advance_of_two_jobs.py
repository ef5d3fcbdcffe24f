"""An advance that two jobs of one payer list is recouped once, whichever of them comes first."""

import pytest

from tests.flows.jobs import PAYER, advance, line, payee, people, share

ANA, BIA = people(2)
pytestmark = pytest.mark.long


@pytest.fixture
def two_jobs(label, service):
    """The label's recordings and its publishing: Ana has all of both, and one advance of 100.00."""
    label.write("payees.xlsx", [payee(ANA), payee(BIA)])
    label.write("shares.xlsx", [share(ANA, "100")])
    label.write("advances.csv", [advance(ANA, "100,00")])
    return label


def run(label, job, month, amount, *, yes=True, **changes):
    label.write(f"{job}-{month}.xlsx", [line(amount, f"Faixa {job} {month}")])
    sources = [{"files": f"{job}-{{period}}.xlsx", "layout": "royalties"}]
    tables = {"payees": "payees.xlsx", "shares": "shares.xlsx", "advances": "advances.csv"}
    label.declare(**{"job": job, "period": month, "sources": sources} | tables | changes)
    return label.run(yes=yes)


def paid(service):
    return [entry["final_amount_cents"] for report in service.reports for entry in report["payments"]]


@pytest.mark.long
@pytest.mark.journey
def test_what_one_job_has_recouped_the_other_does_not_recoup_again(two_jobs, service):
    run(two_jobs, "gravadora", "2026-07", "70,00")
    run(two_jobs, "editora", "2026-07", "70,00")
    run(two_jobs, "gravadora", "2026-08", "10,00")
    assert paid(service) == [4000, 1000]


def test_each_run_again_finds_what_it_found_and_pays_nothing_more(two_jobs, service):
    run(two_jobs, "gravadora", "2026-07", "70,00")
    run(two_jobs, "editora", "2026-07", "70,00")
    for job in ("gravadora", "editora", "gravadora"):
        run(two_jobs, job, "2026-07", "70,00")
    assert paid(service) == [4000]


def test_an_advance_without_a_reference_is_each_jobs_own(two_jobs, service):
    two_jobs.write("advances.csv", [advance(ANA, "100,00") | {"reference": ""}])
    run(two_jobs, "gravadora", "2026-07", "120,00")
    run(two_jobs, "editora", "2026-07", "120,00")
    assert paid(service) == [2000, 2000]


def test_of_two_plans_side_by_side_the_later_one_is_worked_out_anew(two_jobs, service):
    first = run(two_jobs, "gravadora", "2026-07", "150,00", yes=False)
    run(two_jobs, "editora", "2026-07", "160,00")
    assert paid(service) == [6000]
    two_jobs.declare(
        job="gravadora", period="2026-07", sources=[{"files": "gravadora-{period}.xlsx", "layout": "royalties"}],
        payees="payees.xlsx", shares="shares.xlsx", advances="advances.csv",
    )  # fmt: skip
    two_jobs.approve(first.summary.plan_digest, "50,00", "bia")
    again = two_jobs.run(yes=False)
    assert again.summary.plan_digest != first.summary.plan_digest
    assert paid(service) == [6000]
    two_jobs.run()
    assert paid(service) == [6000, 15000]


def test_another_payers_advance_of_the_same_name_is_another_advance(two_jobs, service):
    other = "11222333000181"
    assert other != PAYER
    run(two_jobs, "gravadora", "2026-07", "120,00")
    run(two_jobs, "editora", "2026-07", "120,00", payer={"tax_id": other, "name": "Outra Editora"})
    assert sorted(paid(service)) == [2000, 2000]
