"""Doubts as cards: the service's reports beside what was sent, and people's words by a tick at each payment."""

import json
import re
from datetime import UTC, datetime, timedelta

import httpx
import pytest

from flows.acts.act import Word
from flows.acts.forms import DeclareAbsent
from flows.acts.perform import perform
from flows.house_ledger import open_ledger_of
from flows.settings import read_settings
from schemas.approval import Role
from schemas.submission import LIKENESS, SubmissionState
from tests.flows.desk.office import plan_of, prepare, words_of
from tests.flows.jobs import declare, people
from tests.flows.oracle import CREATE

ANA, BIA = people(2)
pytestmark = [pytest.mark.long, pytest.mark.usefixtures("service")]


def made_by_hand(like, service, **changes) -> str:
    content = json.loads(like.body) | {"reportId": None, "paymentBatchName": None} | changes
    headers = {"Authorization": service.api_key, "Content-Type": "application/json"}
    made = httpx.post(f"{service.url}/split", headers=headers, content=json.dumps(content)).raise_for_status()
    return made.json()["_id"]


@pytest.mark.long
@pytest.mark.journey
def test_reports_that_could_be_it_are_shown_beside_ours_and_one_click_links_the_right_one(caio, in_doubt, service):
    other = json.loads(in_doubt.body)
    other["payments"] = other["payments"][:1]
    wrong = made_by_hand(in_doubt, service, payments=other["payments"], amount=other["payments"][0]["amount"])
    right = made_by_hand(in_doubt, service)
    caio.token("/doubts")
    answer = caio.http.post(
        "/doubts/look",
        data={"token": caio.token("/doubts"), "subject": in_doubt.id},
        headers={"Origin": "http://127.0.0.1"},
    )
    page = answer.text
    cards = re.findall(r'<section class="card (good|wait)".*?</section>', page, re.DOTALL)
    assert cards == ["good", "wait"], "the likeliest first"
    words = words_of(page)
    assert "total difere" in words
    assert "número de pagamentos confere" in words
    assert f'value="{right}"' in page
    assert f'value="{wrong}"' not in page, "what contradicts what was sent is not offered"
    assert caio.post("/doubts/link", at="/doubts", subject=in_doubt.id, report=right) == "/doubts?done=linked"
    with open_ledger_of(read_settings()) as ledger:
        assert ledger.submissions.get(in_doubt.id).split_id == right


def test_no_candidate_is_no_proof_and_says_so(caio, in_doubt, service):
    words = caio.post("/doubts/look", at="/doubts", code=200, subject=in_doubt.id)
    assert "nada prova" not in words
    assert "isso não prova nada" in words


def test_payments_of_a_report_that_did_not_tell_are_decided_by_a_tick_at_each(ana, bia, caio, plan, service):
    service.behave(failing_payees=[BIA.destination.pix_key])
    bia.post(f"{plan}/approve", at=plan, total="30,00")
    page = caio.get("/doubts")
    ticks = dict(re.findall(r'name="key:(ob-[a-z0-9]+)"> ([^<]+?) <', page))
    assert sorted(ticks.values()) == sorted([ANA.name, BIA.name])
    (key,) = [key for key, name in ticks.items() if name == ANA.name]
    told = caio.post("/doubts/decide", at="/doubts", kind="paid", evidence="bank statement", **{f"key:{key}": "on"})
    assert told == "/doubts?done=decided"
    with open_ledger_of(read_settings()) as ledger:
        (submission,) = ledger.submissions.list(bodies=False)
        (word,) = ledger.decisions.on_reports([key]).values()
    assert (word.by, word.kind.value) == ("Caio Nunes", "paid")
    assert submission.state == "partial"


def test_all_of_a_report_but_those_ticked_is_decided_by_one_tick(ana, bia, caio, plan, service):
    service.behave(failing_payees=[BIA.destination.pix_key])
    bia.post(f"{plan}/approve", at=plan, total="30,00")
    page = caio.get("/doubts")
    ticks = {name: key for key, name in re.findall(r'name="key:(ob-[a-z0-9]+)"> ([^<]+?) <', page)}
    (whole,) = re.findall(r'name="(report:[^"]+)"', page)
    form = {"kind": "paid", "evidence": "bank statement", whole: "on", f"key:{ticks[BIA.name]}": "on"}
    assert caio.post("/doubts/decide", at="/doubts", **form) == "/doubts?done=decided"
    with open_ledger_of(read_settings()) as ledger:
        words = {key: word.kind.value for (key, _), word in ledger.decisions.on_reports(list(ticks.values())).items()}
    assert words == {ticks[ANA.name]: "paid"}


def test_nothing_ticked_decides_nothing(caio, service):
    caio.post("/doubts/decide", at="/doubts", code=422, kind="paid", evidence="bank statement")


@pytest.fixture
def likely(bia, plan, service):
    """A batch whose answer was lost, at a service that echoes nothing: the one report there was taken for its own."""
    service.behave(echo_report_id=False, echo_name=False)
    service.plant(CREATE, "drop", when="after")
    bia.post(f"{plan}/approve", at=plan, total="30,00")
    with open_ledger_of(read_settings()) as ledger:
        (submission,) = ledger.submissions.list(linked_by=LIKENESS)
    return submission


def test_a_report_that_was_found_by_likeness_is_another_one_on_two_peoples_word(likely, at_desk, service):
    caio, dora, bia = at_desk("Caio", Role.RESOLVER), at_desk("Dora", Role.RESOLVER), at_desk("Bia", Role.APPROVER)
    page = words_of(caio.get("/doubts"))
    assert likely.report_id in page
    assert likely.split_id in page
    assert "É outro relatório" in page
    assert "É outro relatório" not in words_of(bia.get("/doubts")), "it is for those who resolve"
    word = {"subject": likely.id, "evidence": "another team made that one by hand"}
    assert bia.post("/doubts/unlink", at="/doubts", code=403, **word)
    assert "diga o motivo" in dora.post("/doubts/unlink", at="/doubts", code=422, **word | {"evidence": " "})
    assert caio.post("/doubts/unlink", at="/doubts", **word) == "/doubts?done=first"
    assert caio.post("/doubts/unlink", at="/doubts", **word) == "/doubts?done=first"  # one person remains one
    assert "Já dito por Caio" in words_of(dora.get("/doubts"))
    assert dora.post("/doubts/unlink", at="/doubts", **word) == "/doubts?done=taken_back"
    with open_ledger_of(read_settings()) as ledger:
        assert ledger.submissions.get(likely.id).state is SubmissionState.IN_DOUBT
        assert ledger.first_decisions.pending("unlike", likely.id) is None
    assert "Encontrados por semelhança" not in words_of(dora.get("/doubts"))
    assert "não há o que desfazer" in caio.post("/doubts/unlink", at="/doubts", code=422, **word)
    assert service.posts == 1


def test_a_first_word_on_one_batch_is_none_on_another_beside_it(ana, bia, the_job, job, desk, clock, service):
    """No page asks about several at once; whoever did would not take one person's word on the other for two."""
    declare(job, rules={"max_payments_per_batch": 1})
    plan = plan_of(bia, prepare(ana, the_job))
    service.plant(CREATE, "reset", when="before", times=2)
    bia.post(f"{plan}/approve", at=plan, total="30,00")
    with open_ledger_of(read_settings()) as ledger:
        first, second = (submission.id for submission in ledger.submissions.list(states={SubmissionState.IN_DOUBT}))
    clock.move(hours=25)
    caio, dora = Word(("Caio",), is_signed_in=True), Word(("Dora",), is_signed_in=True)
    assert perform(desk.house, caio, DeclareAbsent((first,), "ticket 7")).name == "first"
    assert perform(desk.house, dora, DeclareAbsent((first, second), "ticket 7")).name == "first"
    with open_ledger_of(read_settings()) as ledger:
        assert {ledger.submissions.get(name).state for name in (first, second)} == {SubmissionState.IN_DOUBT}


def recorded_from_its_line(caio, service):
    """Follow the link beside a paid line; returns it, the page, and what is to be said of all of that payment."""
    link = re.search(r'href="(/doubts\?payment=ob-[a-z0-9]+)#returned"', caio.get("/payments"))[1]
    page = caio.get(link)
    (key,) = re.findall(r'name="payment" value="([^"]+)"', page)
    today = (datetime.now(UTC) - timedelta(hours=3)).date().isoformat()
    cents = next(p["final_amount_cents"] for p in service.reports[0]["payments"] if p["extPaymentId"] == key)
    return link, page, {"payment": key, "amount": f"{cents // 100},00", "day": today, "evidence": "extrato"}


def test_what_was_recorded_by_mistake_is_taken_back_from_the_line_of_what_is_all_back(bia, caio, plan, service):
    bia.post(f"{plan}/approve", at=plan, total="30,00")
    link, _, said = recorded_from_its_line(caio, service)
    caio.post("/doubts/returned", at=link, **said)
    again = re.search(r'href="(/doubts\?payment=ob-[a-z0-9]+/r1)#returned"', caio.get("/payments"))[1]
    assert f'name="payment" value="{said["payment"]}"' in caio.get(again)
    assert caio.post("/doubts/returned", at=again, **said | {"amount": f"-{said['amount']}"}) == "/doubts?done=returned"
    assert f'href="{link}#returned"' in caio.get("/payments")


def test_a_payment_that_came_back_is_recorded_from_its_line_and_decided_as_what_it_is(bia, caio, plan, service):
    bia.post(f"{plan}/approve", at=plan, total="30,00")
    link, page, said = recorded_from_its_line(caio, service)
    key, cents = said["payment"], int(said["amount"].replace(",", ""))
    assert f"R$ {cents // 100},00" in words_of(page)
    assert "não pode ser mais" in caio.post("/doubts/returned", at=link, code=422, **said | {"amount": "99,00"})
    assert caio.post("/doubts/returned", at="/doubts", **said) == "/doubts?done=returned"
    assert "já está registrada" in caio.post("/doubts/returned", at="/doubts", code=422, **said)
    page = caio.get("/doubts")
    assert "Pagar de novo na mesma conta" in words_of(page)
    assert f'name="key:{key}/r1"' in page
    assert f'href="/doubts?payment={key}#returned"' not in caio.get("/payments")
    word = {"kind": "pay", "same_account": "yes", "evidence": "ligou", f"key:{key}/r1": "on"}
    assert caio.post("/doubts/decide", at="/doubts", **word) == "/doubts?done=decided"
    with open_ledger_of(read_settings()) as ledger:
        assert ledger.returns.called(f"{key}/r1").word == "pay"
