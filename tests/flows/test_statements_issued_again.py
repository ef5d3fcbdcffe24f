"""A statement that is issued again, however it is written by then, pays nobody twice; what is new in it is paid."""

from decimal import Decimal

import pytest

from schemas.errors import ExitCode
from schemas.messages import render
from tests.flows.jobs import payee, people, share
from tests.simulation.editions import ADDED_UP, OTHERWISE, cents, comma, each, month_of, number, rounded

(ANA,) = people(1)
pytestmark = pytest.mark.long


@pytest.fixture
def royalties(label):
    label.write("payees.csv", [payee(ANA)])
    label.write("shares.csv", [share(ANA, "100")])
    declare(label, "2026-09")
    return label


def declare(label, period, **changes):
    sources = [{"files": "{period}*", "layout": "royalties"} | changes.pop("source", {})]
    label.declare(period=period, sources=sources, payees="payees.csv", shares="shares.csv", **changes)


def about(amount):
    return pytest.approx(float(amount), abs=1)


def again(report):
    codes = ("STATEMENT_AGAIN", "LINES_USED_BEFORE", "FILE_OVERLAP", "FILE_DUPLICATE")
    return {issue.file: render(issue.message, "pt-BR") for issue in report.issues if issue.code.value in codes}


@pytest.mark.parametrize("name", sorted(OTHERWISE.keys() - {"without months"}))
def test_a_cumulative_edition_written_otherwise_pays_what_is_new_in_it(royalties, service, name):
    royalties.write("2026-09.csv", month_of(9))
    royalties.run()
    declare(royalties, "2026-10")
    edition = OTHERWISE[name](month_of(9))
    october = [{column: row.get(column, "") for column in edition[0]} for row in month_of(10)]
    royalties.write("2026-10.csv", edition + october)
    report = royalties.run()
    assert report.exit_code == ExitCode.ROWS_HELD
    assert "aurora 2026-09" in again(report)["2026-10.csv"]
    assert service.paid == sorted([about(cents(month_of(10))), about(cents(month_of(9)))], key=lambda a: a.expected)


def test_a_cumulative_edition_that_does_not_say_its_months_is_held_whole(royalties, service):
    royalties.write("2026-09.csv", month_of(9))
    royalties.run()
    declare(royalties, "2026-10")
    royalties.write("2026-10.csv", OTHERWISE["without months"](month_of(9) + month_of(10)))
    assert "aurora 2026-09" in again(royalties.run())["2026-10.csv"]
    assert service.paid == [about(cents(month_of(9)))]


@pytest.mark.parametrize("name", OTHERWISE | ADDED_UP)
def test_another_edition_beside_it_in_one_month_pays_nothing(royalties, service, name):
    royalties.write("2026-09-a.csv", month_of(9))
    royalties.write("2026-09-b.csv", (OTHERWISE | ADDED_UP)[name](month_of(9)))
    report = royalties.run()
    assert service.paid == [about(cents(month_of(9)))]
    assert "2026-09-a.csv" in again(report)["2026-09-b.csv"]


@pytest.mark.parametrize("name", OTHERWISE | ADDED_UP)
def test_another_edition_that_comes_a_month_later_or_under_another_job_pays_nothing(royalties, service, name):
    royalties.write("2026-09.csv", month_of(9))
    royalties.run()
    royalties.write("2026-10.csv", (OTHERWISE | ADDED_UP)[name](month_of(9)))
    declare(royalties, "2026-10", job="boreal")
    assert royalties.run().exit_code == ExitCode.ROWS_REFUSED
    assert service.paid == [about(cents(month_of(9)))]


@pytest.mark.long
@pytest.mark.journey
def test_what_is_held_of_a_cumulative_edition_stays_held_when_the_job_is_run_again(royalties, service):
    royalties.write("2026-09.csv", month_of(9))
    royalties.run()
    declare(royalties, "2026-10")
    royalties.write("2026-10.csv", rounded(2)(month_of(9)) + month_of(10))
    for _ in range(3):
        report = royalties.run()
        assert list(again(report)) == ["2026-10.csv"]
    assert sum(service.paid) == about(cents(month_of(9)) + cents(month_of(10)))


@pytest.mark.parametrize("rounding", [2, 4, 7])
def test_an_edition_in_another_currency_is_a_question(royalties, service, rounding):
    def in_reais(row):
        return comma(round(number(row["Valor"]) * Decimal("5.4321"), rounding))

    dollars = month_of(9, currency="USD")
    royalties.write("2026-09-usd.csv", dollars)
    royalties.write("2026-09-brl.csv", each(Valor=in_reais, Moeda=lambda row: "BRL")(dollars))
    declare(
        royalties, "2026-09", source={"exchange": {"USD": {"rate": "5.4321", "date": "2026-09-30", "source": "banco"}}}
    )
    report = royalties.run()
    assert len(service.paid) == 1
    assert service.paid == [pytest.approx(float(cents(dollars) * Decimal("5.4321")), abs=10)]
    assert len(again(report)) == 1


def test_what_looks_issued_again_and_is_money_of_its_own_is_paid_when_people_say_so(royalties, service):
    royalties.write("2026-09-a.csv", month_of(9))
    second = royalties.write("2026-09-b.csv", rounded(2)(month_of(9)))
    royalties.run()
    waiting = royalties.ask("run", royalties.job, "--again", second, "--yes", code=14)
    assert len(service.paid) == 1
    amount = comma(Decimal(waiting["totals_cents"]["planned"]).scaleb(-2))
    royalties.approve(waiting["plan_digest"], amount, "bia")
    royalties.say("run", royalties.job, "--again", second)
    assert service.paid == [pytest.approx(float(cents(month_of(9))), abs=10)] * 2
    report = royalties.run()
    assert (len(service.paid), again(report)) == (2, {})


def test_honest_months_of_one_catalogue_raise_no_question(royalties, service):
    for month in (9, 10, 11, 12):
        declare(royalties, f"2026-{month:02}")
        royalties.write(f"2026-{month:02}-a.csv", month_of(month))
        royalties.write(f"2026-{month:02}-b.csv", month_of(month, seed=month + 50))  # another store's
        late = month_of(month - 1, count=10, seed=month + 90)
        royalties.write(f"2026-{month:02}-late.csv", late)
        report = royalties.run()
        assert (report.exit_code, again(report)) == (ExitCode.DONE, {})
    assert len(service.paid) == 4
