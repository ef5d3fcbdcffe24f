"""What somebody has in front of them before they say yes: where the money goes, whom to look at, and the total."""

import re

import pytest

from schemas.approval import Role
from tests.flows.desk.office import plan_of, prepare, words_of
from tests.flows.jobs import declare, payment, people, write_sheet

ANA, BIA = people(2)
pytestmark = [pytest.mark.long, pytest.mark.usefixtures("service")]


@pytest.fixture
def caio(at_desk):
    return at_desk("Caio Reis", Role.APPROVER)


def paid_once(admin, caio, the_job) -> None:
    """Pay the job as it stands, so that there is something to compare with."""
    plan = plan_of(caio, prepare(admin, the_job))
    caio.post(f"{plan}/approve", at=plan, total="30,00")


@pytest.mark.journey
def test_each_payment_shows_where_it_goes_and_when_the_service_confirmed_it(admin, caio, job, the_job):
    declare(job, account_checks={"when": "new_or_changed"})
    plan = plan_of(caio, prepare(admin, the_job))
    for address in (plan, f"{plan}/payments"):
        words = words_of(caio.get(address))
        for payee in (ANA, BIA):
            assert payee.destination.pix_key not in words
            local, _, domain = payee.destination.pix_key.partition("@")
            assert f"Pix e-mail {local[0]}***{local[-1]}@{domain[0]}***" in words
        assert re.search(r"confirmado pelo serviço em \d\d/\d\d/\d{4}", words)


def test_before_checks_are_made_a_destination_is_called_not_confirmed(admin, the_job):
    look = admin.bring(the_job, ())
    words = admin.wait_for(look, "O que foi reconhecido")
    assert "não confirmado pelo serviço" in words


@pytest.mark.journey
def test_a_changed_destination_stands_first_with_the_new_one_beside_it(admin, caio, job, the_job):
    paid_once(admin, caio, the_job)
    moved = payment(ANA, "11,00", **{"Chave Pix": "nova.chave@example.com"})
    write_sheet(job.parent / "payments.xlsx", [payment(BIA, "900,00"), moved])
    text = job.read_text(encoding="utf-8").replace("2026-10", "2026-11")
    job.write_text(text, encoding="utf-8")
    plan = plan_of(caio, prepare(admin, the_job))
    page = caio.get(plan)
    assert "n***e@e***.com" in words_of(page)
    assert "nova.chave" not in page
    listed = words_of(caio.get(f"{plan}/payments"))
    assert listed.index(ANA.name) < listed.index(BIA.name), "the one whose destination changed comes before the largest"


def test_notices_are_one_line_for_each_kind_with_count_and_sum(admin, caio, job, the_job):
    paid_once(admin, caio, the_job)
    newcomers = people(30)[2:]
    write_sheet(job.parent / "payments.xlsx", [payment(who, "10,00") for who in newcomers])
    text = job.read_text(encoding="utf-8").replace("2026-10", "2026-11")
    job.write_text(text, encoding="utf-8")
    plan = plan_of(caio, prepare(admin, the_job))
    page = caio.get(plan)
    notices = page[page.index('id="look-first"') : page.index('id="largest"')]
    assert re.search(r"Nunca pago antes 28 280,00", words_of(notices), re.IGNORECASE)
    assert re.search(r"ausente agora 2 30,00", words_of(notices), re.IGNORECASE)
    assert newcomers[0].name not in notices, "those who are merely new are counted, and stand in the list"


def test_the_total_and_the_way_to_the_decision_stay_in_sight_on_plan_and_list(admin, caio, the_job):
    plan = plan_of(caio, prepare(admin, the_job))
    bar = re.compile(r'<aside class="bar".*?</aside>', re.DOTALL)
    (on_plan,), (on_list,) = bar.findall(caio.get(plan)), bar.findall(caio.get(f"{plan}/payments"))
    assert "R$ 30,00" in words_of(on_plan)
    assert 'href="#decide"' in on_plan
    assert f'href="{plan}#decide"' in on_list
