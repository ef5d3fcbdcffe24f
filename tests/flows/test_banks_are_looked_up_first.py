"""A bank account whose institution the service's list speaks against is held before a centavo is spent on it."""

import pytest

from schemas.errors import ExitCode
from tests.flows.books import places
from tests.flows.jobs import payment, people
from tests.flows.label import summary_of
from tests.flows.oracle import CHECK

ANA, BIA, CAIO, DORA = people(4)
INSTITUTIONS = "GET /pix/financial_institutions"
ITAU, NOBODY = "60701190", "99999999"
HEADERS = {"Banco": "", "ISPB": "", "Agência": "", "Conta": "", "Tipo de conta": ""}
pytestmark = pytest.mark.long


def by_bank(who, amount, code, ispb):
    """A row that is paid to a bank account."""
    account = {"Banco": code, "ISPB": ispb, "Agência": "0001", "Conta": "123456", "Tipo de conta": "Corrente"}
    return payment(who, amount) | {"Chave Pix": "", "Tipo da chave": ""} | account


def by_pix(who, amount):
    return payment(who, amount) | HEADERS


@pytest.fixture
def checked(label):
    label.declare(account_checks={"when": "new_or_changed", "fee": "0.35", "budget": "25.00"})
    return label


def codes(report):
    return {code: count for code, count in summary_of(report)["issues"].items() if code.startswith("BANK_")}


@pytest.mark.parametrize(
    ("code", "ispb", "inactive", "found"),
    [
        ("341", NOBODY, [], "BANK_UNKNOWN"),
        ("341", ITAU, [ITAU], "BANK_INACTIVE"),
        ("001", ITAU, [], "BANK_MISMATCH"),
    ],
)
def test_an_account_the_list_speaks_against_is_held_and_never_asked_about(
    checked, service, code, ispb, inactive, found
):
    service.behave(inactive_institutions=inactive)
    checked.payments(by_pix(ANA, "10,00"), by_bank(BIA, "20,00", code, ispb))
    report = checked.run()
    assert report.exit_code == ExitCode.ROWS_HELD
    assert codes(report) == {found: 1}
    assert places(summary_of(report)) == {"paid": 1000, "held": 2000}
    assert service.calls(CHECK) == 1


def test_without_a_list_the_check_is_left_out_and_said_so(checked, service, capsys):
    service.plant(INSTITUTIONS, "status", status=400, times=None)
    checked.payments(by_bank(ANA, "10,00", "341", NOBODY))
    assert checked.run().exit_code == ExitCode.DONE
    assert "instituições" in capsys.readouterr().err


def test_the_plan_does_not_count_the_cost_of_accounts_the_list_speaks_against(checked, service):
    checked.payments(by_bank(ANA, "10,00", "341", NOBODY), by_bank(BIA, "10,00", "341", ITAU), by_pix(CAIO, "5,00"))
    before = checked.ask("plan", checked.job, code=0)["account_checks"]
    assert before["wanted"] == 3
    checked.run(yes=False)
    checked.payments(
        by_bank(ANA, "10,00", "341", NOBODY),
        by_bank(BIA, "10,00", "341", ITAU),
        by_pix(CAIO, "5,00"),
        by_pix(DORA, "1,00"),
    )
    after = checked.ask("plan", checked.job, code=15)["account_checks"]
    assert (after["wanted"], after["cost_cents"]) == (1, 36)


@pytest.mark.parametrize("code", ["999", "341"])
def test_an_account_without_ispb_waits_where_the_list_has_none_for_its_bank_or_cannot_be_read(checked, service, code):
    if code == "341":
        service.plant(INSTITUTIONS, "status", status=400, times=None)
    checked.payments(by_bank(ANA, "10,00", code, ""), by_pix(BIA, "5,00"))
    report = checked.run()
    assert places(summary_of(report)) == {"paid": 500, "held": 1000}
    assert codes(report) == {"BANK_PSP_LISTED": 1, "BANK_PSP_UNLISTED": 1}
    assert service.calls(CHECK) == 1


def test_a_list_that_can_be_read_again_frees_what_waited_for_it(checked, service):
    service.plant(INSTITUTIONS, "status", status=400, times=None)
    checked.payments(by_bank(ANA, "10,00", "341", ""))
    assert places(summary_of(checked.run())) == {"held": 1000}
    service.clear()
    assert places(summary_of(checked.run())) == {"paid": 1000}


def test_one_account_with_and_without_its_ispb_is_the_same_account(checked, service):
    rows = [by_bank(ANA, amount, "341", ispb) for amount, ispb in (("10,00", ITAU), ("20,00", ""))]
    checked.payments(*(row | {"Referência": str(number)} for number, row in enumerate(rows)))
    assert checked.run().exit_code == ExitCode.DONE
    assert (service.calls(CHECK), service.paid) == (1, [1000, 2000])
