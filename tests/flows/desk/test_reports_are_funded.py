"""What a report costs, at the desk: the card that says whose turn it is, the code to pay, and people's words on both.

Judged by what the service says it waits for. Varied: who looks, the state of the report, and what they say.
"""

import re

import pytest

from schemas.approval import Role
from tests.flows.desk.office import plan_of, prepare, words_of
from tests.flows.jobs import declare, payment, people, write_sheet

ANA, BIA = people(2)
RECEIVER = "SANDBOX, SAO PAULO, 0c3f6a5e-6f0e-4d0f-9a53-2f4f6f1b7c11"
pytestmark = pytest.mark.long


@pytest.fixture
def waiting(ana, bia, job, the_job, service):
    """A report of 30.00 that waits for its Pix; returns its name."""
    service.behave(funding="pix")
    declare(job, settle={"every_s": "0.1", "for_s": "0.2"})
    write_sheet(job.parent / "payments.xlsx", [payment(ANA, "10,00"), payment(BIA, "20,00")])
    plan = plan_of(bia, prepare(ana, the_job))
    bia.post(f"{plan}/approve", at=plan, total="30,00")
    assert service.awaits == ["money"]
    return service.reports[0]["reportId"]


def confirm(browser, report, **fields):
    fields = {"report": report, "receiver": RECEIVER, "evidence": "contrato"} | fields
    return browser.post("/funding/receiver", at="/funding", **fields)


def test_the_way_of_a_report_from_its_first_code_to_its_end(ana, bia, caio, waiting, service, the_job):
    home = words_of(bia.get("/"))
    assert "Confirme quem recebe" in home
    assert "R$ 30,00" in home
    page = bia.get("/funding")
    assert RECEIVER in words_of(page)
    assert "<svg" not in page.partition("<main")[2]  # nothing to pay before people know whom
    confirm(bia, waiting)
    assert "Pague agora" in words_of(bia.get("/"))
    page = ana.get("/funding")
    assert "<svg" in page.partition("<main")[2]
    (payload,) = re.findall(r"<textarea[^>]*readonly>([^<]+)</textarea>", page)
    assert service.fund(payload=payload) == 200
    paid = {"report": waiting, "amount": "30,00", "day": "2026-10-31", "evidence": "comprovante"}
    caio.post("/funding/paid", at="/funding", **paid)
    assert "Pago, ainda sem confirmação do serviço" in words_of(bia.get("/"))
    bia.post("/settle", at="/")
    assert service.awaits in (["time"], ["nothing"])
    assert service.paid == [1000, 2000]


def test_a_receiver_that_changes_is_told_in_red_and_its_code_is_not_drawn(bia, waiting, service):
    confirm(bia, waiting)
    service.behave(receiver="OUTRO NOME")
    bia.post("/settle", at="/")
    page = bia.get("/funding")
    assert "não pague: o código não é deste relatório" in words_of(page)
    assert "<svg" not in page.partition("<main")[2]
    assert '<textarea class="mono" rows="6" readonly>' not in page
    assert "Não pague este código" in words_of(bia.get("/"))


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("receiver", "OUTRO", "o código nomeia outro recebedor"),
        ("evidence", "", "motivo"),
        ("report", "rp-unknown", "rp-unknown"),
    ],
)
def test_a_word_that_is_not_on_what_stands_there_is_refused_on_the_same_page(bia, waiting, field, value, words):
    fields = {"report": waiting, "receiver": RECEIVER, "evidence": "contrato"} | {field: value}
    told = bia.post("/funding/receiver", code=422, at="/funding", does=False, **fields)
    assert words in words_of(told)
    assert "Confirme quem recebe" in words_of(bia.get("/"))


def test_where_plans_take_two_the_receiver_takes_the_words_of_two_who_have_signed_in(
    at_desk, ana, bia, job, the_job, service
):
    service.behave(funding="pix")
    declare(job, settle={"every_s": "0.1", "for_s": "0.2"}, approval={"above": "0.00", "approvers": 2})
    write_sheet(job.parent / "payments.xlsx", [payment(ANA, "10,00")])
    plan, dora = plan_of(bia, prepare(ana, the_job)), at_desk("Dora Melo", Role.APPROVER)
    bia.post(f"{plan}/approve", at=plan, total="10,00")
    dora.post(f"{plan}/approve", at=plan, total="10,00")
    report = service.reports[0]["reportId"]
    confirm(bia, report)
    confirm(bia, report)  # the same person twice is one
    assert "Bia Reis" in words_of(dora.get("/funding"))
    assert "<svg" not in dora.get("/funding").partition("<main")[2]
    confirm(dora, report)
    assert "<svg" in dora.get("/funding").partition("<main")[2]
