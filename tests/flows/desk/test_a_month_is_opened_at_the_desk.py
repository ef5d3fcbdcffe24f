"""A month is opened at the desk: one button, one answer on what a file is of, and then the approval.

Varied here: lists and statements, whether the month is opened first or the file comes first, what was there, and
whether what belongs to one month alone is said.
"""

import re
from pathlib import Path

import pytest

from flows.house_ledger import open_ledger_of
from flows.settings import read_settings
from tests.flows.desk.office import ORIGIN, plan_of, prepare, start, words_of
from tests.flows.desk.test_jobs_made_and_changed import address_of
from tests.flows.jobs import declare, line, payee, payment, people, share, write_sheet

ANA, BIA, CAIO = people(3)
pytestmark = [pytest.mark.long, pytest.mark.usefixtures("service")]


def open_month(who, job: str, month: str, files: dict[str, Path], **said: str) -> str:
    """Open a month as the form does; returns the preview's address."""
    parts = [("token", (None, who.token(job))), ("month", (None, month))]
    parts += [(name.replace("_", "-"), (None, text)) for name, text in said.items()]
    parts += [(f"file:{source}", (path.name, path.read_bytes())) for source, path in files.items()]
    answer = who.http.post(f"{job}/months", files=parts, headers={"Origin": ORIGIN})
    assert answer.status_code == 303, words_of(answer.text)
    return answer.headers["location"]


def approve(who, run: str, total: str) -> None:
    plan = plan_of(who, run)
    who.follow(who.post(f"{plan}/approve", at=plan, total=total))


def ways(page: str) -> list[str]:
    return re.findall(r'name="way" value="([^"]+)"', page)


def test_the_next_month_of_a_list_is_opened_by_its_button_and_paid(ana, bia, the_job, service, tmp_path):
    approve(bia, prepare(ana, the_job), "30,00")
    page = words_of(ana.get(the_job))
    assert "Novo mês" in page
    assert 'value="novembro de 2026"' in ana.get(the_job)
    file = write_sheet(tmp_path / "lista.xlsx", [payment(ANA, "11,00"), payment(BIA, "22,00")])
    look = open_month(ana, the_job, "novembro de 2026", {"payments": file})
    assert "novembro de 2026" in ana.wait_for(look, "O que foi reconhecido")
    assert ways(ana.get(look)) == []
    approve(bia, start(ana, look), "33,00")
    assert sum(service.paid) == 3000 + 3300
    assert 'value="dezembro de 2026"' in ana.get(the_job)
    again = ana.wait_for(ana.bring(the_job, []), "O que foi reconhecido")
    assert "novembro de 2026" in again, "the month at hand is November"
    assert 'name="launch"' not in again
    assert sum(service.paid) == 3000 + 3300


def test_a_file_of_another_month_is_asked_for_before_it_can_be_started(ana, bia, the_job, service, tmp_path):
    approve(bia, prepare(ana, the_job), "30,00")
    file = write_sheet(tmp_path / "novembro.xlsx", [payment(ANA, "11,00"), payment(BIA, "22,00")])
    look = ana.bring(the_job, [file])
    said = ana.wait_for(look, "O que foi reconhecido")
    assert "De que mês é novembro.xlsx?" in said
    assert "0 em comum com payments.xlsx" in said
    assert 'name="launch"' not in ana.get(look)
    ana.post(f"{look}/launch", at=look, code=409, launch="x")
    proposed, *others = ways(ana.get(look))
    assert (proposed, others) == ("2026-11 new", ["2026-10 added"])
    answered = ana.post(f"{look}/answer", at=look, way=proposed, month="")
    approve(bia, start(ana, answered), "33,00")
    assert sum(service.paid) == 3000 + 3300


def test_a_list_that_was_put_right_takes_the_place_of_the_one_that_waits(ana, bia, the_job, service, tmp_path):
    first = write_sheet(tmp_path / "a.xlsx", [payment(ANA, "10,00"), payment(BIA, "2000,00")])
    run = prepare(ana, the_job, [first])
    right = write_sheet(tmp_path / "b.xlsx", [payment(ANA, "10,00"), payment(BIA, "20,00")])
    look = ana.bring(the_job, [right])
    ana.wait_for(look, "O que foi reconhecido")
    proposed = ways(ana.get(look))[0]
    assert proposed.startswith("2026-10 in_place ")
    approve(bia, start(ana, ana.post(f"{look}/answer", at=look, way=proposed, month="")), "30,00")
    assert service.paid == [1000, 2000]
    assert run
    with open_ledger_of(read_settings()) as ledger:
        assert {act.by for act in ledger.acts.on_months()} == {"Ana Lima"}
        assert ledger.acts.first_broken() is None


def test_another_month_than_the_proposed_one_is_typed(ana, bia, the_job, service, tmp_path):
    approve(bia, prepare(ana, the_job), "30,00")
    file = write_sheet(tmp_path / "novembro.xlsx", [payment(ANA, "11,00"), payment(BIA, "22,00")])
    look = ana.bring(the_job, [file])
    ana.wait_for(look, "O que foi reconhecido")
    answered = ana.post(f"{look}/answer", at=look, way=ways(ana.get(look))[0], month="dez/26")
    assert "dezembro de 2026" in ana.wait_for(answered, "O que foi reconhecido")
    approve(bia, start(ana, answered), "33,00")
    with open_ledger_of(read_settings()) as ledger:
        assert {act.facts["period"] for act in ledger.acts.on_months()} == {"2026-12"}


def test_a_month_asks_for_its_own_rate_and_never_takes_the_one_before(ana, bia, desk, job, service, tmp_path):
    folder = job.parent.parent / "dollars"
    folder.mkdir()
    own = {"USD": {"rate": "5.00", "date": "2026-10-31", "source": "PTAX"}}
    sources = [{"files": "lines.xlsx", "layout": "royalties", "exchange": own, "received": {"USD": "10.00"}}]
    tables = {"payees": "payees.xlsx", "shares": "shares.xlsx"}
    declare(folder / "job.yaml", job="dollars", period="2026-10", sources=sources, **tables)
    write_sheet(folder / "payees.xlsx", [payee(ANA)])
    write_sheet(folder / "shares.xlsx", [share(ANA, "50")])
    write_sheet(folder / "lines.xlsx", [line("10,00", "Um") | {"Moeda": "USD", "Período": "2026-09"}])
    page = address_of(desk, folder / "job.yaml")
    run = ana.bring(page, [])
    ana.wait_for(run, "O que foi reconhecido")
    approve(bia, start(ana, run), "50,00")
    assert sum(service.paid) == 2500
    file = write_sheet(tmp_path / "nov.xlsx", [line("20,00", "Dois") | {"Moeda": "USD", "Período": "2026-10"}])
    without = open_month(ana, page, "2026-11", {"royalties": file})
    assert "USD" in ana.wait_for(without, "O que foi encontrado")
    assert 'name="launch"' not in ana.get(without)
    said = {"rates": "USD 6,00 30/11/2026 PTAX", "received_royalties": "USD 20,00"}
    with_rate = open_month(ana, page, "2026-11", {"royalties": file}, **said)
    approve(bia, start(ana, with_rate), "120,00")
    assert sum(service.paid) == 2500 + 6000


@pytest.mark.parametrize("month", ["treze", "", "2026-13"])
def test_what_is_no_month_opens_nothing(ana, the_job, month):
    parts = [("token", (None, ana.token(the_job))), ("month", (None, month))]
    answer = ana.http.post(f"{the_job}/months", files=parts, headers={"Origin": ORIGIN})
    assert answer.status_code == 422
    with open_ledger_of(read_settings()) as ledger:
        assert ledger.acts.on_months() == []


def test_who_only_approves_opens_no_month(bia, the_job):
    parts = [("token", (None, bia.token("/"))), ("month", (None, "2026-11"))]
    assert bia.http.post(f"{the_job}/months", files=parts, headers={"Origin": ORIGIN}).status_code == 403
