"""The page of a check: its answer first, problems by rule with the payee's name, and slips put right in the page."""

import re

import pytest

from flows.house_ledger import open_ledger_of
from flows.settings import read_settings
from tests.flows.desk.office import plan_of, words_of
from tests.flows.jobs import declare, payment, people, write_sheet

ANA, BIA, CAIO, DAVI = people(4)
pytestmark = [pytest.mark.long, pytest.mark.usefixtures("service")]
WRONG = "529.982.247-26"


@pytest.fixture
def three_rows(job):
    """Two sound payments, 10.00 and 20.00; one with a wrong CPF, 40.00, and one whose amount is no amount."""
    rows = [payment(ANA, "10,00"), payment(CAIO, "40,00", CPF=WRONG), payment(BIA, "20,00"), payment(DAVI, "5O,00")]
    write_sheet(job.parent / "payments.xlsx", rows)


def looked_at(who, job, files=()):
    look = who.bring(job, files)
    who.wait_for(look, "O que foi reconhecido")
    return look


def field_of(page: str, value: str) -> str:
    """Return the name of the field in which a value of a sheet stands."""
    found = re.search(rf'<input[^>]* name="(cell-\d+)" value="{re.escape(value)}"', page)
    assert found, f"no field holds {value}"
    return found[1]


def launched(who, look):
    nonce = re.search(r'name="launch" value="([^"]+)"', who.get(look))[1]
    return who.follow(who.post(f"{look}/launch", at=look, launch=nonce))


@pytest.mark.journey
@pytest.mark.usefixtures("three_rows")
def test_the_page_begins_with_its_answer(ana, the_job):
    words = words_of(ana.get(looked_at(ana, the_job)))
    answer = words[words.index("A resposta") : words.index("Problemas")]
    assert "Pronto para pagar R$ 30,00 2 pagamentos" in answer
    assert "Retido R$ 40,00 2 pagamentos" in answer
    assert "Iniciar a execução" in answer
    assert "Baixar corrections.xlsx" in answer


@pytest.mark.usefixtures("three_rows")
def test_problems_are_grouped_by_rule_and_name_the_payee(ana, the_job):
    page = ana.get(looked_at(ana, the_job))
    groups = re.findall(r"<details class=\"group\".*?</details>", page, re.DOTALL)
    assert [re.search(r"mono\">([A-Z_]+)<", group)[1] for group in groups] == ["AMOUNT_FORMAT", "TAXID_CHECK"]
    assert DAVI.name in groups[0]
    assert CAIO.name in groups[1]


@pytest.mark.journey
@pytest.mark.usefixtures("three_rows")
def test_only_whoever_may_bring_files_sees_what_stands_in_a_cell(ana, bia, the_job):
    look = looked_at(ana, the_job)
    assert WRONG in ana.get(look)
    for address in (look, f"{look}/problems/TAXID_CHECK"):
        page = bia.get(address)
        assert WRONG not in page
        assert "Corrigir estas células" not in page


@pytest.mark.usefixtures("three_rows")
def test_slips_put_right_in_the_page_are_paid_once_and_their_giver_is_kept(ana, bia, the_job, service):
    look = looked_at(ana, the_job)
    page = ana.get(look)
    typed = {field_of(page, WRONG): payment(CAIO, "0")["CPF"], field_of(page, "5O,00"): "50,00"}
    put_right = ana.post(f"{look}/put-right", at=look, **typed)
    ana.wait_for(put_right, "Nenhum problema")
    plan = plan_of(bia, launched(ana, put_right))
    bia.post(f"{plan}/approve", at=plan, total="120,00")
    assert sorted(service.paid) == [1000, 2000, 4000, 5000]
    with open_ledger_of(read_settings()) as ledger:
        ((upload,),) = [
            ledger.desk_uploads.find(path.parent.name)
            for path in (read_settings().home / "uploads").rglob("*-corrections.xlsx")
        ]
    assert upload.by == "Ana Lima"


@pytest.mark.usefixtures("three_rows")
def test_a_second_slip_is_put_right_on_top_of_the_first(ana, the_job):
    look = looked_at(ana, the_job)
    first = ana.post(f"{look}/put-right", at=look, **{field_of(ana.get(look), "5O,00"): "50,00"})
    words = ana.wait_for(first, "O que foi reconhecido")
    assert "Pronto para pagar R$ 80,00 3 pagamentos" in words
    second = ana.post(f"{first}/put-right", at=first, **{field_of(ana.get(first), WRONG): payment(CAIO, "0")["CPF"]})
    assert "Pronto para pagar R$ 120,00 4 pagamentos" in ana.wait_for(second, "Nenhum problema")


@pytest.mark.usefixtures("three_rows")
def test_a_correction_that_is_wrong_again_is_told_like_any_other_cell(ana, the_job):
    look = looked_at(ana, the_job)
    again = ana.post(f"{look}/put-right", at=look, **{field_of(ana.get(look), "5O,00"): "cinquenta"})
    assert "Pronto para pagar R$ 30,00 2 pagamentos" in ana.wait_for(again, "O que foi reconhecido")
    assert 'value="cinquenta"' in ana.get(again)


@pytest.mark.usefixtures("three_rows")
def test_nothing_typed_and_cells_that_are_none_of_the_page_change_nothing(ana, the_job):
    look = looked_at(ana, the_job)
    same = {field_of(ana.get(look), WRONG): WRONG}
    for fields in (same, {"cell-9999": "1,00"}, {"cell-x": "1,00"}, {}):
        assert "Nada foi mudado" in ana.post(f"{look}/put-right", at=look, code=422, **fields)


@pytest.mark.long
@pytest.mark.journey
def test_types_that_keys_show_are_taken_by_one_word_which_is_kept(ana, bia, job, the_job, service):
    rows = [payment(ANA, "10,00"), payment(BIA, "20,00", Chave_Pix="(11) 98765-4321"), payment(CAIO, "40,00")]
    rows[2] = rows[2] | {"Chave Pix": "11144477735", "Situação": ""}
    bare = [{name: text for name, text in row.items() if name != "Tipo da chave"} for row in rows]
    write_sheet(job.parent / "payments.xlsx", [row | {"Situação": ""} for row in bare])
    look = looked_at(ana, the_job)
    words = words_of(ana.get(look))
    assert "2 chaves não trazem o tipo ao lado" in words
    assert "1 e-mail 1 celular" in words
    assert "não usadas: Situação" in words, "a column that nothing reads is shown, though nothing stands in it"
    assert "Confirmar estes tipos" not in bia.get(look)
    taken = ana.post(f"{look}/key-types", at=look)
    words = ana.wait_for(taken, "O que foi reconhecido")
    assert "Pronto para pagar R$ 30,00 2 pagamentos" in words
    ana.post(f"{taken}/key-types", at=taken, code=422)
    plan = plan_of(bia, launched(ana, taken))
    bia.post(f"{plan}/approve", at=plan, total="30,00")
    assert sorted(service.paid) == [1000, 2000]


def test_files_that_people_brought_are_put_right_too_and_stay_as_they_are(ana, the_job, tmp_path):
    sheet = write_sheet(tmp_path / "outubro.xlsx", [payment(ANA, "10,00"), payment(DAVI, "5O,00")])
    before = sheet.read_bytes()
    look = looked_at(ana, the_job, [sheet])
    put_right = ana.post(f"{look}/put-right", at=look, **{field_of(ana.get(look), "5O,00"): "50,00"})
    assert "Pronto para pagar R$ 60,00 2 pagamentos" in ana.wait_for(put_right, "Nenhum problema")
    assert sheet.read_bytes() == before


def test_a_rule_that_many_rows_break_has_a_page_of_its_own(ana, job, the_job):
    rows = [payment(who, "x") for who in people(60)]
    write_sheet(job.parent / "payments.xlsx", [payment(people(61)[-1], "10,00"), *rows])
    look = looked_at(ana, the_job)
    assert "Todos os 60" in words_of(ana.get(look))
    page = ana.get(f"{look}/problems/AMOUNT_FORMAT?page=2")
    assert people(60)[55].name in page
    put_right = ana.post(f"{look}/put-right", at=look, **dict.fromkeys(re.findall(r'name="(cell-\d+)"', page), "1,00"))
    assert "11 pagamentos" in ana.wait_for(put_right, "O que foi reconhecido")
    ana.get(f"{look}/problems/TAXID_CHECK", code=404)


def test_a_job_of_several_sources_takes_corrections_of_each(ana, job, the_job):
    write_sheet(job.parent / "others.xlsx", [payment(BIA, "7,00"), payment(CAIO, "9O,00")])
    write_sheet(job.parent / "payments.xlsx", [payment(ANA, "10,00"), payment(DAVI, "5O,00")])
    sources = [{"files": name, "layout": "payments"} for name in ("payments.xlsx", "others.xlsx")]
    declare(job, sources=sources)
    look = looked_at(ana, the_job)
    page = ana.get(look)
    typed = {field_of(page, "5O,00"): "50,00", field_of(page, "9O,00"): "90,00"}
    words = ana.wait_for(ana.post(f"{look}/put-right", at=look, **typed), "Nenhum problema")
    assert "Pronto para pagar R$ 157,00 4 pagamentos" in words
