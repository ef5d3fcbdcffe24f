"""`repasse deals` and the desk's page: how far each deal has come that goes on over months, as it is posted.

Judged by what the program received and paid, added up by hand here. Varied: what the deal is of, months that come, come
late or are run again, a statement that is withdrawn, a payee with a new document. Held constant: one label, reais.
"""

import json

import pytest

from tests.flows.jobs import masked, people
from tests.flows.test_deals_over_periods import cost, late_file, money, months, share  # noqa: F401

ANA, BIA, CAIO = people(3)
pytestmark = pytest.mark.long


def told(label):
    """What the command says in JSON: of each row its kind, what it is of, and its sums."""
    rows = json.loads(label.say("deals", "--json").stdout)["deals"]
    return [
        tuple(row.get(name) for name in ("kind", "what", "agreed_cents", "so_far_cents", "left_cents", "day"))
        for row in rows
    ]


def test_a_cost_says_what_is_recovered_and_what_is_still_to_recover(months):  # noqa: F811
    through = months([share(ANA, "80%")], [cost("estúdio", Valor="500,00")])
    through.comes_in(*money("300,00"))
    assert told(through.label) == [("cost", "estúdio", 50000, 30000, 20000, "")]
    late_file(through, 1, "50,00")
    through.run(1)
    through.run(1)
    assert told(through.label) == [("cost", "estúdio", 50000, 35000, 15000, "")]
    through.comes_in(*money("1.000,00"))
    assert told(through.label) == [("cost", "estúdio", 50000, 50000, 0, "")]


def test_a_ladder_says_in_which_tier_it_is_and_how_far_the_next_one_is(months):  # noqa: F811
    through = months([share(ANA, "10%", Até="R$ 100,00"), share(ANA, "20%", **{"A partir de": "R$ 100,00"})])
    through.comes_in(*money("80,00"))
    assert told(through.label) == [("tier", "", 10000, 8000, 2000, "")]
    through.comes_in(*money("100,00"))
    assert told(through.label) == [("tier", "", None, 18000, None, "")], "the last tier has no end"


def test_tiers_of_units_are_counted_in_units(months):  # noqa: F811
    through = months([share(ANA, "0,10/un", Até="5.000 un"), share(ANA, "0,20/un", **{"A partir de": "5.000 un"})])
    through.comes_in({"Valor": "9.000,00", "Quantidade": "3000"})
    (row,) = json.loads(through.label.say("deals", "--json").stdout)["deals"]
    assert (row["agreed_units"], row["so_far_units"], row["left_units"]) == (5000, 3000, 2000)
    assert "5.000 unidades" in through.label.say("deals").output


def test_a_cap_says_what_the_share_may_still_give(months):  # noqa: F811
    through = months([share(ANA, "5%", Teto="8,00", Função="sample"), share(BIA, "50%", Função="artista")])
    through.comes_in(*money("100,00"))
    assert told(through.label) == [("cap", "sample", 800, 500, 300, "")]


def test_a_reserve_says_when_each_part_of_it_is_due_and_what_is_given_is_gone(months):  # noqa: F811
    through = months([share(ANA, "25%", Reserva="20%", **{"Liberar em": "50%, 50%"})])
    through.comes_in(*money("100,00"))
    assert told(through.label) == [
        ("reserve", "", None, None, 250, "2026-02-01"), ("reserve", "", None, None, 250, "2026-03-01"),
    ]  # fmt: skip
    through.comes_in(*money("40,00"))
    assert told(through.label) == [
        ("reserve", "", None, None, 350, "2026-03-01"), ("reserve", "", None, None, 100, "2026-04-01"),
    ]  # fmt: skip


def test_a_guarantee_says_what_is_still_to_be_earned_until_when(months):  # noqa: F811
    promised = [{"CPF": masked(ANA.tax_id), "Valor": "50,00", "Data": "2026-02-28", "Tipo": "garantia"}]
    through = months([share(ANA, "50%")], advances=promised)
    through.comes_in(*money("40,00"))
    assert [row[2:] for row in told(through.label)] == [(5000, 2000, 3000, "2026-02-28")]
    through.comes_in(*money("30,00"))
    assert [row[2:] for row in told(through.label)] == [(5000, 3500, 0, "2026-02-28")], "the rest was owed and paid"


def test_an_advance_of_a_contract_says_what_is_still_to_be_recouped(months):  # noqa: F811
    ahead = {"CPF": masked(ANA.tax_id), "Data": "2026-01-05"}
    advances = [
        ahead | {"Valor": "30,00", "Contrato": "Contrato 1"},
        ahead | {"Valor": "9,00", "Contrato": "Contrato 2"},
    ]
    through = months([share(ANA, "50%", Contrato="Contrato 1")], advances=advances)
    through.comes_in(*money("20,00"))
    assert [(row[0], row[4]) for row in told(through.label)] == [("advance", 2000), ("advance", 900)]
    assert "contrato 1" in through.label.say("deals").output


def test_who_has_no_such_deal_is_told_so(months):  # noqa: F811
    through = months([share(ANA, "50%")])
    through.comes_in(*money("20,00"))
    assert "nenhum contrato passa de um mês" in through.label.say("deals").output


def test_a_statement_that_is_withdrawn_gives_back_what_it_had_recovered(months):  # noqa: F811
    through = months([share(ANA, "80%")], [cost("estúdio", Valor="500,00")])
    through.comes_in(*money("300,00"))
    late = late_file(through, 1, "50,00")
    through.run(1)
    assert told(through.label)[0][3] == 35000
    through.label.say("withdraw", late, "--by", "bia", "--why", "de outro selo")
    through.run(1)
    assert told(through.label)[0][3:5] == (30000, 20000)


def test_rows_that_were_taken_out_of_the_sheets_are_gone_and_what_is_in_reserve_stays(months):  # noqa: F811
    through = months([share(ANA, "25%", Reserva="20%", Teto="99,00", **{"Liberar em": "0%, 0%, 0%, 100%"})])
    through.comes_in(*money("100,00"))
    assert [row[0] for row in told(through.label)] == ["cap", "reserve"]
    through.label.write("shares.xlsx", [share(ANA, "25%")])
    through.comes_in(*money("40,00"))
    assert told(through.label) == [("reserve", "", None, None, 500, "2026-05-01")]
    assert ANA.name in through.label.say("deals").output


def test_what_is_due_stays_in_reserve_while_the_plan_that_gives_it_waits(months):  # noqa: F811
    through = months([share(ANA, "25%", Reserva="20%", **{"Liberar em": "50%, 50%"})])
    through.comes_in(*money("100,00"))
    before = told(through.label)
    through.label.write("2026-02.xlsx", [{"Artista": "Lua", "Título": "B", "Moeda": "BRL", "Valor": "40,00"}])
    tables, sources = through.tables, [{"files": "{period}*.xlsx", "layout": "royalties"}]
    through.label.declare(period="2026-02", sources=sources, **tables)
    through.label.run(yes=False)
    assert told(through.label) == before
