"""A sheet that lies in a job's folder is somebody's all the same: who dropped it there does not pay it alone.

Varied: who says that they have received it, how many approve, who starts the run and where. Held constant: one job, the
rule that somebody other than the preparer approves.
"""

import re

import pytest

from flows.run_options import RunOptions
from flows.runner import run_payout
from schemas.approval import Role
from tests.flows.desk.office import plan_of, prepare
from tests.flows.jobs import declare

RULE = {"above": "0.00", "identities": "signed_in", "other_than_preparer": True}
NOBODY = "Não se sabe quem entregou job.yaml, payments.xlsx"


@pytest.fixture
def dora(at_desk):
    return at_desk("Dora Melo", Role.APPROVER)


@pytest.fixture
def dropped(ana, bia, job, service) -> str:
    """The page of a night's plan, of which nobody is known to have brought the sheet: Bia may have dropped it."""
    declare(job, approval=RULE)
    run_payout(job, RunOptions(by="the night"))
    return re.search(r'href="(/plans/sha256:[0-9a-f]{64})"', bia.get("/"))[1]


def approve(who, plan: str) -> None:
    who.post(f"{plan}/approve", at=plan, total="30,00")


def test_whoever_dropped_a_sheet_into_the_folder_does_not_pay_it_alone(bia, dora, dropped, service):
    assert NOBODY in bia.get(dropped)
    assert re.search(r"payments\.xlsx</th>.*?não se sabe", bia.get(dropped), re.DOTALL), (
        "and beside each file it says so"
    )
    assert "Faltam 2 aprovações." in bia.get(dropped)
    approve(bia, dropped)
    assert not service.paid
    approve(dora, dropped)
    assert service.paid == [1000, 2000]


def test_who_says_that_they_have_received_it_does_not_approve_and_one_other_does(ana, bia, dora, dropped, service):
    bia.post(f"{dropped}/received", at=dropped)
    assert NOBODY not in bia.get(dropped)
    assert re.search(r"payments\.xlsx</th>.*?Bia Reis", bia.get(dropped), re.DOTALL)
    approve(bia, dropped)
    assert not service.paid, "it was Bia's then"
    approve(dora, dropped)
    assert service.paid == [1000, 2000]


def test_a_house_of_two_pays_when_the_preparer_has_received_it(ana, bia, dropped, service):
    ana.post(f"{dropped}/received", at=dropped)
    approve(bia, dropped)
    assert service.paid == [1000, 2000]


def test_who_starts_what_they_have_looked_at_has_received_it(ana, bia, job, the_job, service):
    declare(job, approval=RULE)
    ana.wait_for(ana.bring(the_job, []), "você diz que recebeu")
    plan = plan_of(bia, prepare(ana, the_job))
    assert NOBODY not in bia.get(plan)
    approve(bia, plan)
    assert service.paid == [1000, 2000]


def test_who_approves_besides_has_not_received_by_starting(at_desk, bia, job, the_job, service):
    """They could never approve these bytes again, also where another starts them."""
    declare(job, approval=RULE)
    eva = at_desk("Eva Cruz", Role.PREPARER, Role.APPROVER)
    plan = plan_of(bia, prepare(eva, the_job))
    assert NOBODY in bia.get(plan)
    approve(bia, plan)
    assert not service.paid


def test_the_same_bytes_ask_nobody_again(ana, bia, dropped, the_job, service):
    ana.post(f"{dropped}/received", at=dropped)
    bia.post(f"{dropped}/reject", at=dropped, why="another look")
    again = plan_of(bia, prepare(ana, the_job))
    assert NOBODY not in bia.get(again)
