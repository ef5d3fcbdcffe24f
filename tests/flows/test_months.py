"""`repasse month`: all jobs and runs of one month, as they stand now."""

import json

import pytest
from openpyxl import load_workbook

from schemas.account import WHERE_IT_IS, MonthSums
from schemas.errors import BrokenInvariant
from schemas.job import BRASILIA
from tests.flows.every_view import look_through
from tests.flows.jobs import line, payee, payment, people, private, share
from tests.flows.label import summary_of

ANA, BIA, CAIO = people(3)
PLAIN = {"outputs": {"folder": "out", "statements": False}}
pytestmark = pytest.mark.long


def month_of(label, month="2026-10"):
    document = label.ask("month", month)
    assert private(json.dumps(document, ensure_ascii=False))
    for job in document["jobs"]:
        assert job["came_in_cents"] == sum(where(job).values())
    return document["jobs"]


def where(job):
    """Where what came in is."""
    return {name.removesuffix("_cents"): job[name] for name in WHERE_IT_IS if job[name]}


def royalties(label, period, amount):
    label.write("lines.xlsx", [line(amount)])
    label.write("payees.xlsx", [payee(ANA), payee(BIA)])
    label.write("shares.xlsx", [share(ANA, "25"), share(BIA, "25")])
    tables = {"payees": "payees.xlsx", "shares": "shares.xlsx"}
    label.declare(job="royalties", period=period, sources=[{"files": "lines.xlsx", "layout": "royalties"}], **tables)
    return label.run()


@pytest.mark.long
@pytest.mark.journey
def test_a_month_adds_up_what_came_in_over_jobs_and_tells_where_it_is(label, service):
    label.declare(period="2026-10", **PLAIN)
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"), payment(CAIO, "trinta", "x"))
    first = label.run()
    shared = royalties(label, {"start": "2026-10-01", "end": "2026-10-15"}, "40,00")
    assert sum(service.paid) == 3000 + 2000
    jobs = {job["job"]: job for job in month_of(label)}
    assert set(jobs) == {"aurora", "royalties"}
    assert where(jobs["aurora"]) == {"paid": 3000}
    assert where(jobs["royalties"]) == {"paid": 2000, "owner": 2000}  # the payer's own part is paid to nobody
    assert [jobs[name]["payments"] for name in ("aurora", "royalties")] == [2, 2]
    for report, name in ((first, "aurora"), (shared, "royalties")):
        assert jobs[name]["came_in_cents"] == summary_of(report)["totals_cents"]["in"]
        assert jobs[name]["checks_cents"] == summary_of(report)["account_checks"]["cost_cents"]
    assert month_of(label, "2026-11") == []
    assert "nenhum job" in label.say("month", "2026-11").output


def test_what_an_earlier_run_paid_is_paid_and_no_duplicate_whatever_the_last_run_was(label, service):
    label.declare(period="2026-10", **PLAIN)
    label.payments(payment(ANA, "10,00"))
    label.run()
    label.run()
    (job,) = month_of(label)
    assert (where(job), job["state"]) == ({"paid": 1000}, "nothing_to_pay")


def test_what_was_paid_stays_in_the_month_when_its_row_leaves_the_sheet(label, service):
    label.declare(period="2026-10", **PLAIN)
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"))
    label.run()
    label.payments(payment(BIA, "20,00"))
    label.run()
    (job,) = month_of(label)
    assert where(job) == {"paid": 3000}
    assert service.paid == [1000, 2000]


def test_the_sheet_of_a_month_holds_the_same_figures(label, service, tmp_path):
    label.declare(period="2026-10", **PLAIN)
    label.payments(payment(ANA, "1.234,50"))
    label.run()
    out = tmp_path / "month.xlsx"
    shown = label.say("month", "2026-10", "--out", str(out)).output
    assert "outubro de 2026" in shown
    assert "1.234,50" in shown
    rows = [[cell for cell in row if cell is not None] for row in load_workbook(out).worksheets[0].values]
    assert rows[2][:6] == ["aurora", "outubro de 2026", "BRL", "concluída", 1, 1234.5]


def test_no_month_is_told_as_such(label, service):
    label.declare(period="2026-10", **PLAIN)
    label.payments(payment(ANA, "10,00"))
    label.run()
    assert "trezembro" in label.say("month", "trezembro", code=10).output


def test_what_was_paid_is_paid_while_a_plan_waits_for_a_row_that_came_later(label, service):
    label.declare(period="2026-10", **PLAIN)
    rows = [payment(ANA, "100,00"), payment(BIA, "200,00"), payment(CAIO, "3,00")]
    label.payments(*rows)
    label.run()
    label.payments(*rows, payment(people(4)[3], "5,00"))
    label.run(yes=False)
    (job,) = month_of(label)
    assert (where(job), job["planned_cents"]) == ({"paid": 30300}, 500)
    look_through(label.job, at_desk=True)


def test_what_was_booked_in_a_month_stands_beside_what_is_about_it(label, service):
    label.declare(period="2026-10", **PLAIN)
    label.payments(payment(ANA, "10,00"))
    label.run()
    with label.ledger() as ledger:
        this_month = f"{ledger.now().astimezone(BRASILIA):%Y-%m}"
    if this_month != "2026-10":
        assert label.ask("month", "2026-10")["booked"] == []
    (booked,) = label.ask("month", this_month)["booked"]
    assert (booked["job"], booked["period"], where(booked)) == ("aurora", "2026-10", {"paid": 1000})
    assert "Lançado em" in label.say("month", this_month).output


@pytest.mark.parametrize(("came_in", "places"), [(500, {"paid_cents": 400}), (0, {"owed_cents": -303})])
def test_a_line_of_a_month_whose_places_do_not_make_what_came_in_cannot_be_shown(came_in, places):
    sums = dict.fromkeys(WHERE_IT_IS, 0) | places
    with pytest.raises(BrokenInvariant):
        MonthSums(job="a", period="2026-10", currency="BRL", fee_cents=0, checks_cents=0, came_in_cents=came_in, **sums)
