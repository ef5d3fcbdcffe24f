"""A job under a new name goes on where the old one ended, and no period is run under both."""

import datetime as dt

import pytest

from schemas.job import BRASILIA
from tests.flows.every_view import look_through
from tests.flows.jobs import advance, line, payee, people, share

ANA, BIA = people(2)
TOMORROW = dt.datetime.now(tz=BRASILIA).date() + dt.timedelta(days=1)
pytestmark = pytest.mark.long


@pytest.fixture
def halves(label, service):
    """Ana and Bia have half of everything each; less than 20.00 is carried; Ana has an advance without a reference."""
    label.write("payees.xlsx", [payee(ANA), payee(BIA)])
    label.write("shares.xlsx", [share(ANA, "50"), share(BIA, "50")])
    label.write("advances.csv", [advance(ANA, "30,00") | {"reference": ""}])
    return label


def run(label, month, name, amount=None, *, continues=None):
    if amount:
        label.write(f"{month}-a.xlsx", [line(amount, f"Faixa {month}")])
    sources = [{"files": "{period}-*.xlsx", "layout": "royalties"}]
    names = {"job": name} | ({"continues": continues} if continues else {})
    label.declare(
        **names, period=month, sources=sources, payees="payees.xlsx", shares="shares.xlsx", advances="advances.csv",
        rules={"minimum_payout": "20.00"},
    )  # fmt: skip
    return label.run()


def paid(service):
    return [sorted(entry["final_amount_cents"] for entry in report["payments"]) for report in service.reports]


@pytest.mark.long
@pytest.mark.journey
def test_the_new_name_takes_up_what_the_old_one_carried_and_recouped(halves, service):
    run(halves, "2026-07", "selo", "30,00")  # Ana: 15.00 recouped; Bia: 15.00 carried
    run(halves, "2026-08", "selo-aurora", "100,00", continues="selo")
    run(halves, "2026-09", "selo-aurora", "60,00", continues="selo")
    # Ana: 50 less the 15 left of the advance; Bia: 50 and the 15 carried in.
    assert paid(service) == [[3500, 6500], [3000, 3000]]


def test_what_a_job_took_up_of_the_other_left_its_account_and_every_view_adds_up(halves, service):
    run(halves, "2026-07", "selo", "30,00")
    run(halves, "2026-08", "selo-aurora", "100,00", continues="selo")
    accounts = {one["job"]: one for one in halves.ask("account", BIA.tax_id)["accounts"]}
    assert {job: one["closing_cents"] for job, one in accounts.items()} == {"selo": 0, "selo-aurora": 0}
    moves = {job: [e["came_in_cents"] for e in one["entries"] if e["kind"] == "move"] for job, one in accounts.items()}
    assert moves == {"selo": [-1500], "selo-aurora": [1500]}
    look_through(halves.job, at_desk=True)


def test_a_month_of_the_new_name_run_again_finds_what_it_found(halves, service):
    run(halves, "2026-07", "selo", "30,00")
    run(halves, "2026-08", "selo-aurora", "100,00", continues="selo")
    run(halves, "2026-09", "selo-aurora", "60,00", continues="selo")
    halves.write("2026-08-b.xlsx", [line("10,00", "Tarde")])
    for _ in range(2):
        run(halves, "2026-08", "selo-aurora", continues="selo")
    assert paid(service) == [[3500, 6500], [3000, 3000]]  # 5.00 more each, which wait for the minimum
    run(halves, "2026-10", "selo-aurora", "40,00", continues="selo")
    assert paid(service)[2:] == [[2500, 2500]]


@pytest.mark.parametrize("month", ["2026-07", "2026-06"])
def test_a_period_that_the_old_name_has_run_or_closed_is_refused_under_the_new_one(halves, service, month):
    run(halves, "2026-07", "selo", "90,00")
    report = run(halves, month, "selo-aurora", "90,00", continues="selo")
    assert (report.exit_code, len(service.reports)) == (13, 1)
    assert "selo" in " ".join(report.messages)


@pytest.mark.parametrize("month", ["2026-07", "2026-09"])
def test_the_old_name_is_refused_once_the_new_one_has_run(halves, service, month):
    run(halves, "2026-07", "selo", "30,00")
    run(halves, "2026-08", "selo-aurora", "100,00", continues="selo")
    report = run(halves, month, "selo", "50,00")
    assert (report.exit_code, len(service.reports)) == (13, 1)
    assert "selo-aurora" in " ".join(report.messages)


def test_a_name_may_change_again(halves, service):
    run(halves, "2026-07", "a", "20,00")
    run(halves, "2026-08", "b", "20,00", continues="a")
    run(halves, "2026-09", "c", "100,00", continues="b")
    # Ana: 50 less the 10 left of the advance; Bia: 50, her 20 were paid in August.
    assert paid(service) == [[2000], [4000, 5000]]


def test_what_was_carried_is_owed_once_whatever_the_job_is_called(halves, service):
    run(halves, "2026-07", "selo", "30,00")
    run(halves, "2026-08", "selo-aurora", "2,00", continues="selo")
    owed = halves.ask("owed", "--at", TOMORROW)["owed"]
    assert [(due["period"], due["amount_cents"]) for due in owed] == [("2026-08", 1600)]
