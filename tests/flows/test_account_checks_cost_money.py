"""A paid check is made once for each account, within the budget, and never for a row that cannot be paid anyway."""

import pytest
from openpyxl import load_workbook

from schemas.exit_codes import ExitCode
from tests.flows.books import places
from tests.flows.jobs import payment, people
from tests.flows.label import summary_of
from tests.flows.oracle import CHECK

ANA, BIA, CAIO, DORA, EVA = people(5)
COST = 36  # a centavo and the fee


@pytest.fixture
def checked(label):
    label.declare(account_checks={"when": "new_or_changed", "fee": "0.35", "budget": "25.00"})
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"))
    return label


def test_an_account_is_checked_once_and_the_answer_is_used_again(checked, service):
    waiting = checked.run(yes=False)
    assert waiting.exit_code == ExitCode.APPROVAL_WANTED
    assert service.checks == 2
    checked.payments(payment(ANA, "10,00"), payment(BIA, "20,00"), payment(CAIO, "30,00"))
    report = checked.run()
    assert report.exit_code == ExitCode.DONE
    assert service.checks == 3
    made = {"made": 1, "reused": 2, "invalid": 0, "unknown": 0, "cost_cents": COST, "budget_cents": 2500}
    assert summary_of(report)["account_checks"] == made


def test_what_is_paid_already_is_not_checked_again(checked, service):
    checked.run()
    checked.run()
    assert service.checks == 2


def test_a_bad_account_is_held_with_the_words_of_the_service(checked, service):
    service.behave(invalid_accounts=[BIA.destination.pix_key])
    report = checked.run()
    assert report.exit_code == ExitCode.ROWS_HELD
    assert service.paid == [1000]
    assert places(summary_of(report)) == {"paid": 1000, "held": 2000}
    (path,) = (path for path in report.outputs if path.name == "reconciliation.xlsx")
    cells = {str(cell) for sheet in load_workbook(path) for row in sheet.iter_rows(values_only=True) for cell in row}
    assert "account does not exist or cannot receive" in cells


def test_the_budget_caps_what_is_spent_and_the_rest_waits(checked, service):
    checked.declare(account_checks={"when": "new_or_changed", "fee": "0.35", "budget": "1.00"})
    checked.payments(*(payment(who, "10,00") for who in people(5)))
    report = checked.run()
    assert report.exit_code == ExitCode.ROWS_HELD
    assert service.checks_cost_cents == 2 * COST
    assert service.paid == [1000, 1000]
    assert places(summary_of(report)) == {"paid": 2000, "held": 3000}
    assert checked.run().exit_code == ExitCode.ROWS_HELD
    assert service.checks_cost_cents == 4 * COST
    assert checked.run().exit_code == ExitCode.DONE
    assert service.paid == [1000] * 5


def test_no_check_is_paid_for_a_row_that_is_held_anyway(checked, service):
    broken = payment(BIA, "20,00", CPF="123.456.789-00"), payment(CAIO, "zero"), payment(DORA, "1,00", Chave_Pix="x")
    checked.payments(payment(ANA, "10,00"), *broken)
    checked.run()
    assert service.calls(CHECK) == 1


def test_a_job_that_says_never_checks_nothing(checked, service):
    checked.declare(account_checks={"when": "never"})
    assert checked.run().exit_code == ExitCode.DONE
    assert service.calls(CHECK) == 0


@pytest.mark.parametrize("when", ["before", "after"])
def test_an_unanswered_check_counts_as_spent_and_holds_the_payment(checked, service, when):
    service.plant(CHECK, "drop", when=when)
    report = checked.run()
    assert report.exit_code == ExitCode.ROWS_HELD
    assert len(service.paid) == 1
    checks = summary_of(report)["account_checks"]
    assert (checks["made"], checks["unknown"], checks["cost_cents"]) == (2, 1, 2 * COST)


def test_a_service_that_answers_no_check_is_not_asked_for_ever(checked, service):
    service.plant(CHECK, "html", times=None)
    checked.payments(*(payment(who, "10,00") for who in people(30)))
    report = checked.run()
    assert report.exit_code == ExitCode.ROWS_REFUSED
    assert service.calls(CHECK) < 20
    assert service.posts == 0
