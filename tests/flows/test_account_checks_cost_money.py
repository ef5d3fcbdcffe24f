"""A paid check is made once for each account, within the budget, and never for a row that cannot be paid anyway."""

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from openpyxl import load_workbook

from schemas.errors import ExitCode
from tests.flows.books import places
from tests.flows.jobs import payment, people
from tests.flows.label import Label, digest_of, summary_of
from tests.flows.oracle import CHECK

ANA, BIA, CAIO, DORA, EVA = people(5)
COST = 36  # a centavo and the fee
pytestmark = pytest.mark.long


@pytest.fixture
def checked(label):
    label.declare(account_checks={"when": "new_or_changed", "fee": "0.35", "budget": "25.00"})
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"))
    return label


@pytest.mark.usefixtures("workbooks")
def test_a_bad_account_is_held_with_the_words_of_the_service(checked, service):
    service.behave(invalid_accounts=[BIA.destination.pix_key])
    report = checked.run()
    assert report.exit_code == ExitCode.ROWS_HELD
    assert service.paid == [1000]
    assert places(summary_of(report)) == {"paid": 1000, "held": 2000}
    (path,) = (path for path in report.outputs if path.name == "reconciliation.xlsx")
    cells = {str(cell) for sheet in load_workbook(path) for row in sheet.iter_rows(values_only=True) for cell in row}
    assert "account does not exist or cannot receive" in cells
    (corrections,) = (path for path in report.outputs if path.name == "corrections.xlsx")
    comments = [
        cell.comment.text for sheet in load_workbook(corrections) for row in sheet for cell in row if cell.comment
    ]
    assert any("account does not exist or cannot receive" in comment for comment in comments)


@pytest.fixture
def short(checked, service):
    """Five payments, and a budget that reaches two accounts in a run."""
    checked.declare(account_checks={"when": "new_or_changed", "fee": "0.35", "budget": "1.00"})
    checked.payments(*(payment(who, "10,00") for who in people(5)))
    return checked


@pytest.mark.parametrize("who", ["ana", "bia", "approve"])
def test_what_was_approved_is_sent_though_another_run_could_check_more_accounts(short, service, who):
    """Whoever starts that run: the plan is kept as it is, and the rest is planned by the run after it."""
    waiting = short.run(yes=False)
    short.approve(digest_of(waiting), "20,00", "bia")
    report = short.run(yes=False, by=who)
    assert service.paid == [1000, 1000]
    assert digest_of(report) == digest_of(waiting)
    assert service.checks_cost_cents == 2 * COST
    assert any("o plano aprovado é enviado antes" in message for message in report.messages)
    rest = short.run(yes=False)
    assert (rest.exit_code, service.checks_cost_cents) == (ExitCode.APPROVAL_WANTED, 4 * COST)
    short.approve(digest_of(rest), "20,00", "bia")
    short.run(yes=False, by=who)
    assert service.paid == [1000] * 4


def test_an_account_without_an_answer_is_not_asked_again_before_the_approved_plan_is_sent(checked, service):
    checked.payments(*(payment(who, "10,00") for who in people(5)))
    service.plant(CHECK, "status", when="after", status=500, call=2)
    waiting = checked.run(yes=False)
    planned = summary_of(waiting)["totals_cents"]["planned"]
    checked.approve(digest_of(waiting), f"{planned // 100},00", "bia")
    checked.run(yes=False)
    assert sum(service.paid) == planned
    assert service.calls(CHECK) == 5


@pytest.mark.parametrize("who", ["bia", "approve"])
def test_a_run_that_an_approval_started_never_puts_another_plan_in_its_place(short, service, who):
    """Its preparer would be who has just approved, and nobody of two could approve it then."""
    waiting = short.run(yes=False)
    short.approve(digest_of(waiting), "20,00", "bia")
    short.payments(*(payment(one, "11,00") for one in people(5)))
    report = short.run(yes=False, by=who)
    assert (report.exit_code, service.posts) == (ExitCode.APPROVAL_WANTED, 0)
    assert any("repasse reject" in message for message in report.messages)
    with short.ledger() as ledger:
        assert ledger.plans.get(digest_of(waiting)).prepared_by == "ana"
    anew = short.run(yes=False, by="ana")
    assert digest_of(anew) != digest_of(waiting)
    with short.ledger() as ledger:
        assert ledger.plans.get(digest_of(anew)).prepared_by == "ana"


def test_one_person_who_prepares_and_approves_alone_may_plan_anew(short, service):
    waiting = short.run(yes=False, by="ana")
    short.approve(digest_of(waiting), "20,00", "ana")
    short.payments(*(payment(one, "11,00") for one in people(5)))
    anew = short.run(yes=False, by="ana")
    assert (anew.exit_code, service.posts) == (ExitCode.APPROVAL_WANTED, 0)
    assert digest_of(anew) != digest_of(waiting)


def test_a_service_that_answers_no_check_is_not_asked_for_ever(checked, service):
    service.plant(CHECK, "html", times=None)
    checked.payments(*(payment(who, "10,00") for who in people(30)))
    report = checked.run()
    assert report.exit_code == ExitCode.NOT_SENT
    assert service.calls(CHECK) < 20
    assert service.posts == 0


def test_two_runs_at_once_pay_for_one_check_and_share_its_answer(checked, service, tmp_path):
    """Another job pays the same people; the one that comes second waits for the answer of the first."""
    other = Label(tmp_path / "other")
    other.declare(job="other", account_checks={"when": "new_or_changed", "fee": "0.35", "budget": "25.00"})
    other.payments(payment(ANA, "10,00"), payment(BIA, "20,00"))
    service.plant(CHECK, "hang", seconds=1.0, times=2)
    with ThreadPoolExecutor(2) as pool:
        reports = list(pool.map(lambda one: one.run(yes=False), (checked, other)))
    assert [report.exit_code for report in reports] == [ExitCode.APPROVAL_WANTED] * 2
    assert service.calls(CHECK) == 2
    counts = [summary_of(report)["account_checks"] for report in reports]
    assert sum(count["made"] for count in counts) == sum(count["reused"] for count in counts) == 2


def test_a_service_that_comes_to_a_stop_is_told_with_what_was_not_asked(checked, service):
    service.plant(CHECK, "html", times=None)
    checked.declare(account_checks={"when": "new_or_changed", "budget": "25.00", "at_a_time": 2})
    checked.payments(*(payment(who, "10,00") for who in people(30)))
    report = checked.run()
    made = service.calls(CHECK)
    assert 5 <= made <= 5 + 2
    counts = summary_of(report)["account_checks"]
    assert (counts["made"], counts["unknown"], counts["cost_cents"]) == (made, 30, made * COST)


def test_the_few_that_were_answered_before_the_service_came_to_a_stop_are_not_paid_unwatched(checked, service):
    service.plant(CHECK, "html", call=4, times=None)
    checked.declare(
        account_checks={"when": "new_or_changed", "fee": "0.35", "budget": "25.00", "at_a_time": 1},
        approval={"above": "10000.00"},
    )
    checked.payments(*(payment(who, "10,00") for who in people(12)))
    for yes in (True, False):
        report = checked.run(yes=yes)
        assert (report.exit_code, service.posts) == (ExitCode.APPROVAL_WANTED, 0)
        assert places(summary_of(report)) == {"planned": 3000, "held": 9000}
    assert any("9 contas ficaram sem resposta" in message for message in report.messages)
    checked.approve(digest_of(report), "30,00", "bia")
    report = checked.run(yes=False)
    assert (report.exit_code, service.paid) == (ExitCode.ROWS_HELD, [1000] * 3)
    service.clear()
    report = checked.run(yes=False)
    assert (report.exit_code, service.paid) == (ExitCode.DONE, [1000] * 12)


PHONE = {"Chave_Pix": "+5511987654321", "Tipo_da_chave": "Celular"}


@pytest.mark.parametrize(
    ("keys", "limit", "made"),
    [
        (PHONE, "15.00", 2),
        (PHONE, "33.00", 1),
        (PHONE, None, 1),
        ({}, "15.00", 1),  # an e-mail's key cannot pass to another person
    ],
)
def test_a_telephones_key_is_checked_again_before_each_payment_above_what_the_house_says(
    label, service, tmp_path, monkeypatch, keys, limit, made
):
    checks = {} if limit is None else {"phone_again_above": limit}
    policy = tmp_path / "policy" / "policy.yaml"
    policy.parent.mkdir()
    policy.write_text(json.dumps({"account_checks": checks}), encoding="utf-8")
    monkeypatch.setenv("REPASSE_POLICY", str(policy))
    for number, amount in enumerate(("20,00", "33,00")):
        label.declare(period=f"2026-{number + 10}", account_checks={"when": "new_or_changed"})
        label.payments(payment(ANA, amount, reference=f"show {number}", **keys))
        label.run()
    assert len(service.paid) == 2
    assert service.checks == made


def test_a_plan_that_waits_is_not_checked_again_each_night(label, service):
    label.declare(account_checks={"when": "new_or_changed", "phone_again_above": "0.00"})
    label.payments(payment(ANA, "20,00", **PHONE))
    label.run()
    label.payments(payment(ANA, "20,00", **PHONE), payment(ANA, "30,00", reference="outro", **PHONE))
    for _ in range(3):
        report = label.run(yes=False)
    assert service.checks == 2
    label.approve(digest_of(report), "30,00", "bia")
    label.run(yes=False)
    assert (service.checks, service.paid) == (2, [2000, 3000])


@pytest.mark.parametrize(
    ("keys", "days", "made"), [(PHONE, 29, 1), (PHONE, 31, 2), ({}, 31, 1), ({}, 179, 1), ({}, 181, 2)]
)
def test_how_long_an_answer_is_believed_depends_on_what_the_key_can_do(label, service, keys, days, made):
    label.declare(account_checks={"when": "new_or_changed"})
    label.payments(payment(ANA, "20,00", **keys))
    label.run()
    label.payments(payment(ANA, "20,00", **keys), payment(ANA, "30,00", reference="outro", **keys))
    with time_machine.travel(datetime.now(UTC) + timedelta(days=days), tick=True):
        label.run()
    assert service.checks == made
