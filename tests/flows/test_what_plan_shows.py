"""What `repasse plan` shows before anybody says yes, over a real ledger and a real service."""

import json
import re

import pytest
from python_calamine import CalamineWorkbook

from tests.flows.jobs import advance, line, payee, payment, people, share

ANA, BIA, CAIO, DAVI = people(4)
pytestmark = pytest.mark.long


def plan(label, *, names: bool = True, code: int = 0) -> dict:
    """Ask for the plan as one document."""
    return label.ask(*(["--names"] if names else []), "plan", label.job, code=code)


def shown(label, code: int = 0) -> str:
    """What the terminal shows of the plan, every run of white space as one space."""
    return " ".join(label.say("plan", label.job, code=code).output.split())


def noticed(document) -> list[tuple[str, str]]:
    """Whom to look at, and why."""
    return [(notice["notice"], notice["name"]) for notice in document["people"]["notices"]]


def changed(document) -> list[tuple[str, str, int, int]]:
    """What changed."""
    return [
        (one["change"], one["name"], one["before_cents"], one["now_cents"]) for one in document["people"]["changes"]
    ]


@pytest.fixture
def september(label, service):
    """September is paid: Ana 100.00, Bia 20.00, Caio 30.00; October is declared, and its sheet is as it was."""
    label.declare(period="2026-09")
    label.payments(payment(ANA, "100,00"), payment(BIA, "20,00"), payment(CAIO, "30,00"))
    assert label.run(yes=True).exit_code == 0
    label.declare(period="2026-10")
    return label


@pytest.mark.usefixtures("workbooks")
def test_a_destination_that_changed_is_told_and_never_shown(september):
    moved = payment(ANA, "100,00", **{"Chave Pix": "nova.chave@example.com"})
    september.payments(moved, payment(BIA, "21,00"), payment(CAIO, "31,00"))
    document = plan(september)
    assert noticed(document) == [("paid_before", ANA.name), ("changed_destination", ANA.name)]
    _, told = document["people"]["notices"]
    assert told["last_paid_at"] is not None
    assert told["last_used_at"] is None
    output = shown(september)
    assert "destino nunca usado; pago em outro até" in repr(sheets(document))
    everything = json.dumps(document) + output + repr(sheets(document))
    assert "nova.chave" not in everything
    assert ANA.email not in everything
    assert ANA.tax_id not in everything


def test_a_hundred_times_last_month_is_the_first_thing_told(september):
    september.payments(payment(ANA, "10.000,00"), payment(BIA, "21,00"), payment(CAIO, "3.000,00"))
    document = plan(september)
    assert noticed(document) == [("times_100", ANA.name), ("times_100", CAIO.name)]
    assert document["notices"]["times_100"] == 2
    output = shown(september)
    assert "Cem vezes o valor anterior 2 13.000,00" in output
    assert re.search(r"\*\*\* 100,00 10\.000,00|-\*\* 100,00 10\.000,00", output)


def test_a_plan_is_held_against_the_last_run_that_planned_the_period(september, service):
    september.payments(payment(ANA, "110,00"), payment(BIA, "20,01"), payment(CAIO, "30,01"))
    september.run(yes=False)
    assert plan(september)["changes"]["against"] == "last_plan"
    assert changed(plan(september)) == []
    moved = payment(CAIO, "30,01", **{"Chave Pix": "nova.chave@example.com"})
    september.payments(payment(ANA, "112,00"), moved, payment(DAVI, "5,00"))
    document = plan(september)
    assert changed(document) == [
        ("removed", BIA.name, 2_001, 0),
        ("added", DAVI.name, 0, 500),
        ("amount", ANA.name, 11_000, 11_200),
        ("destination", CAIO.name, 3_001, 3_001),
    ]
    assert document["changes"]["removed"] == {"payments": 1, "difference_cents": -2_001}
    output = shown(september)
    assert "Desde o último plano" in output
    counts = ("Acrescentado 1 5,00", "Retirado 1 -20,01", "Valor mudou 1 2,00", "Outro destino 1 0,00")
    for count in (*counts, "Mudanças ao todo 4 -13,01"):
        assert count in output


def test_a_row_that_was_held_and_is_corrected_says_where_it_comes_from(september, service):
    september.payments(payment(ANA, "110,00"), payment(BIA, "vinte"), payment(CAIO, "31,00"))
    september.run(yes=False)
    september.payments(payment(ANA, "110,00"), payment(BIA, "20,01"), payment(CAIO, "31,00"))
    (change,) = plan(september)["people"]["changes"]
    assert (change["change"], change["name"], change["elsewhere"]) == ("added", BIA.name, "held")
    assert "antes retido" in shown(september)


def test_reasons_are_told_in_words_of_the_jobs_language(september, service):
    september.payments(payment(ANA, "110,00"), payment(BIA, "vinte"), payment(CAIO, "31,00"))
    assert "Retido" in shown(september, code=15)
    (held,) = plan(september, code=15)["not_paid"]
    assert (held["place"], held["words"]) == ("held", "isto não é um valor")
    september.declare(period="2026-10", outputs={"folder": "out", "language": "en"})
    (held,) = plan(september, code=15)["not_paid"]
    assert held["words"] == "this is no amount"


@pytest.fixture
def royalties(label, service):
    """September's royalties are paid; October's statement is there, with a minimum and an advance."""
    label.write("payees.xlsx", [payee(ANA), payee(BIA), payee(CAIO)])
    label.write("shares.xlsx", [share(ANA, "25"), share(BIA, "25"), share(CAIO, "1")])
    label.write("2026-09-a.xlsx", [line("100,00")])
    label.write("2026-10-a.xlsx", [line("120,00", "Choro")])
    label.write("advances.csv", [advance(BIA, "10,00")])
    declare(label, "2026-09", rules={"minimum_payout": "5.00"})
    assert label.run(yes=True).exit_code == 0
    declare(label)
    return label


def declare(label, period: str = "2026-10", **changes: object) -> None:
    sources = [{"files": "{period}-*.xlsx", "layout": "royalties"}]
    beside = {"payees": "payees.xlsx", "shares": "shares.xlsx"}
    label.declare(**{"period": period, "sources": sources, **beside, "rules": {"minimum_payout": "5.00"}} | changes)


def test_a_share_or_a_rate_that_changed_since_the_last_plan_is_told(royalties):
    royalties.run(yes=False)
    royalties.write("shares.xlsx", [share(ANA, "26"), share(BIA, "25"), share(CAIO, "1")])
    document = plan(royalties)
    assert document["changes"]["shares"] == 1
    assert ("amount", ANA.name, 3_000, 3_120) in changed(document)
    assert "1 participação mudou" in shown(royalties)


def test_the_budget_of_checks_is_told_with_what_it_does_not_reach(label, service):
    label.payments(payment(ANA, "100,00"), payment(BIA, "20,00"), payment(CAIO, "30,00"))
    label.declare(account_checks={"when": "new_or_changed", "fee": "0.35", "budget": "1.00"})
    checks = plan(label)["account_checks"]
    assert checks == {"wanted": 3, "cost_cents": 108, "budget_cents": 100, "left_cents": 0, "beyond_budget": 1}
    output = shown(label)
    assert "o orçamento não alcança 1 conta," in output
    assert "ainda provisório" in output


def sheets(document) -> dict[str, list[list[object]]]:
    """Read the workbook that a plan has written."""
    book = CalamineWorkbook.from_path(document["workbook"])
    return {name: book.get_sheet_by_name(name).to_python() for name in book.sheet_names}


def test_a_look_at_a_plan_changes_nothing_in_ledger_and_service(september, service):
    september.payments(payment(ANA, "110,00"))
    before = (service.posts, september.ask("runs"), september.ask("status"))
    plan(september)
    assert (service.posts, september.ask("runs"), september.ask("status")) == before


def test_a_plan_shows_from_whom_something_is_taken_back_and_how_much(label, service):
    label.write("payees.xlsx", [payee(ANA), payee(BIA)])
    label.write("shares.xlsx", [share(ANA, "50"), share(BIA, "30")])
    label.write("lines.xlsx", [line("100,00")])
    sources = [{"files": "lines.xlsx", "layout": "royalties"}]
    label.declare(sources=sources, payees="payees.xlsx", shares="shares.xlsx")
    label.run()
    label.write("shares.xlsx", [share(ANA, "20"), share(BIA, "30")])
    label.write("more.xlsx", [line("10,00", "Choro") | {"Artista": "Outra"}])
    label.declare(
        sources=[*sources, {"files": "more.xlsx", "layout": "royalties"}], payees="payees.xlsx", shares="shares.xlsx"
    )
    found = plan(label)
    (less,) = [notice for notice in found["people"]["notices"] if notice["notice"] == "taken_back"]
    assert (less["name"], less["before_cents"]) == (ANA.name, 2800)
    assert re.search(r"Pago a mais, a compensar .* 28,00 [\d.,]+ lançado", shown(label))
