"""The page of deals that go on: what the command says, for whoever may look; with its workbook."""

import io

import pytest
from openpyxl import load_workbook

from tests.flows.desk.office import plan_of, prepare, words_of
from tests.flows.jobs import declare, line, payee, people, share, write_sheet

(ANA,) = people(1)
pytestmark = pytest.mark.long


def test_a_ladder_of_tiers_is_shown_once_its_month_is_booked(ana, bia, job, the_job, service):
    assert "nenhum contrato passa de um mês" in words_of(bia.get("/deals"))
    of_ana = share(ANA, "10") | {"Até": "R$ 100,00"}, share(ANA, "20") | {"A partir de": "R$ 100,00", "Até": ""}
    write_sheet(job.parent / "shares.xlsx", [of_ana[0] | {"A partir de": ""}, of_ana[1]])
    write_sheet(job.parent / "payees.xlsx", [payee(ANA)])
    write_sheet(job.parent / "lines.xlsx", [line("80,00")])
    sources = [{"files": "lines.xlsx", "layout": "royalties"}]
    declare(job, sources=sources, payees="payees.xlsx", shares="shares.xlsx")
    plan = plan_of(bia, prepare(ana, the_job))
    bia.post(f"{plan}/approve", at=plan, total="80,00")
    page = words_of(bia.get("/deals"))
    assert "Contratos em andamento" in page
    assert "R$ 100,00 R$ 80,00 R$ 20,00" in page
    assert service.paid == [800]
    book = load_workbook(io.BytesIO(bia.http.get("/deals/deals.xlsx").content))
    assert {100, 80, 20} <= {cell.value for row in book.worksheets[0] for cell in row}
    assert "/deals" in bia.get("/months/2026-10")
