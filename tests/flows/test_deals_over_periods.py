"""Deals that rest on several months, through the whole program: from sheets to what the service received.

The examples are published ones; each is paid to the centavo month by month, each month is run twice, and then all of
them again in another order, which pays and posts nothing. Varied: what the deal is of, money or units, the measure of
its tiers, caps, costs; that a month brings less than nothing. Held constant: one label, one currency, months that are
paid as they come.
"""

from collections import Counter
from dataclasses import replace

import pytest

from schemas.errors import ExitCode
from schemas.issues import IssueCode
from schemas.messages import Money
from tests.flows.jobs import masked, payee, people
from tests.flows.label import summary_of

ANA, BIA, CAIO = people(3)
pytestmark = pytest.mark.long


def share(who, part, **more):
    return {"CPF": masked(who.tax_id), "Participação": part} | more


def cost(name, **more):
    return {"Ordem": "1", "Custo": name, "Porcentagem": "", "Valor": ""} | more


def alike(rows):
    """Rows of one sheet: each has a cell for each header that any of them has."""
    return [dict.fromkeys((header for row in rows for header in row), "") | row for row in rows]


class Months:
    """A label with one deal, and the months that have come in."""

    def __init__(self, label, service, shares, costs=(), advances=()):
        self.label, self.service, self.tables = label, service, {"payees": "payees.xlsx", "shares": "shares.xlsx"}
        label.write("payees.xlsx", [payee(who) for who in (ANA, BIA, CAIO)])
        label.write("shares.xlsx", alike(shares))
        for name, rows in (("costs", costs), ("advances", advances)):
            if rows:
                label.write(f"{name}.xlsx", alike(rows))
                self.tables[name] = f"{name}.xlsx"
        self.count = 0

    def run(self, month):
        self.label.declare(
            period=f"2026-{month:02}", sources=[{"files": "{period}*.xlsx", "layout": "royalties"}],
            outputs={"folder": "out", "statements": True, "formats": ["xlsx", "json"]}, **self.tables,
        )  # fmt: skip
        report = self.label.run()
        assert report.exit_code is ExitCode.DONE, [issue.code for issue in report.issues]
        return report

    def comes_in(self, *lines):
        """A month comes in, and is run twice; returns what was paid for it."""
        self.count += 1
        before = Counter(self.service.paid)
        self.label.write(
            f"2026-{self.count:02}.xlsx",
            [
                {"Artista": "Lua", "Título": f"Faixa {self.count}", "Moeda": "BRL"} | line
                for line in alike([dict(line) for line in lines])
            ],
        )
        self.report = self.run(self.count)
        received = Counter(self.service.paid)
        self.run(self.count)
        assert Counter(self.service.paid) == received, "a month run again pays nothing"
        return sorted((received - before).elements())


@pytest.fixture
def months(label, service):
    return lambda *tables, **more: Months(label, service, *tables, **more)


def money(*amounts):
    return [{"Valor": amount} for amount in amounts]


@pytest.mark.parametrize(
    ("shares", "costs", "came_in", "paid"),
    [
        # The studio's 500.00 are recovered before the artist's 80 %.
        ([share(ANA, "80%")], [cost("estúdio", Valor="500,00")], ["1.000,00"], [[40000]]),
        # What is left of them is recovered a month later, and then never again.
        ([share(ANA, "80%")], [cost("estúdio", Valor="500,00")], ["300,00", "300,00", "100,00"], [[], [8000], [8000]]),
        # A month that brings less than nothing recovers nothing and gives nothing back.
        ([share(ANA, "100%")], [cost("vídeo", Valor="60,00")], ["50,00", "-20,00", "100,00"], [[], [], [7000]]),
        # What came in does not reach for the costs: nobody is paid, and the rest is still to recover.
        (
            [share(ANA, "50%")],
            [cost("gravação", Valor="10.500,00")],
            ["5.150,00", "6.350,00"],
            [[], [50000]],
        ),
        # A manager has a fifth of what the band gets of what the tour's costs have left.
        (
            [
                share(ANA, "100%", Função="artista"),
                share(BIA, "20%", Função="empresário", Base="sobre a parte de artista"),
            ],
            [cost("turnê", Valor="300.000,00")],
            ["500.000,00"],
            [[4000000, 16000000]],
        ),
        # Two costs of a payee who has laid them out, and thirds of what is left.
        (
            [share(ANA, "1/3"), share(BIA, "1/3"), share(CAIO, "1/3")],
            [cost("gráfica", Valor="1.000", Para=masked(CAIO.tax_id)),
             cost("lançamento", Valor="500", Para=masked(CAIO.tax_id), Ordem="2")],
            ["3.000,00"],
            [[50000, 50000, 200000]],
        ),
        # Not before its day.
        ([share(ANA, "50%")], [cost("turnê", Valor="40,00", Data="2026-02-28")], ["100,00"] * 2, [[5000], [3000]]),
        # A percentage that has a most.
        ([share(ANA, "100%")], [cost("marketing", Porcentagem="20%", Teto="30,00")], ["100,00"] * 2, [[8000], [9000]]),
        # What stands before a cost in order is taken of the whole, what stands behind it of what it has left.
        (
            [share(ANA, "100%")],
            [cost("selo", Porcentagem="10%"), cost("estúdio", Valor="45,00", Ordem="2"),
             cost("agente", Porcentagem="50%", Ordem="3")],
            ["100,00", "100,00"],
            [[2250], [4500]],
        ),
        # A sample has 5 %, up to 8,000.00.
        ([share(ANA, "5%", Teto="8.000")], [], ["100.000,00"] * 3, [[500000], [300000], []]),
        # Tiers of money: 10, 15 and 20 %; what is credited back falls back from the highest.
        (
            [share(ANA, "10%", Até="R$ 100.000"),
             share(ANA, "15%", **{"A partir de": "R$ 100.000", "Até": "R$ 500.000"}),
             share(ANA, "20%", **{"A partir de": "R$ 500.000"})],
            [],
            ["90.000,00", "520.000,00", "-10.000,00", "20.000,00"],
            [[900000], [8300000], [], [200000]],
        ),
    ],
)  # fmt: skip
def test_months_are_paid_to_the_centavo_and_run_again_in_any_order_they_pay_nothing(
    months, service, shares, costs, came_in, paid
):
    through = months(shares, costs)
    assert [through.comes_in(*money(amount)) for amount in came_in] == paid
    received = list(service.paid)
    for month in reversed(range(1, len(came_in) + 1)):
        through.run(month)
    assert service.paid == received


def test_what_is_advanced_and_what_is_a_cost_are_not_the_same(months):
    """500.00 of the studio: off the top they cost the artist 80 % of them, as an advance all of them."""
    ahead = [{"CPF": masked(ANA.tax_id), "Valor": "500,00", "Data": "2026-01-05"}]
    assert months([share(ANA, "80%")], advances=ahead).comes_in(*money("1.000,00")) == [30000]


def test_a_producers_money_a_unit_is_owed_for_all_copies_once_so_many_are_sold(months):
    """Nothing for 150,000 copies; with 100,000 more, 0.10 for each of the 250,000, of which the advance is recouped."""
    ahead = [{"CPF": masked(ANA.tax_id), "Valor": "10.000,00", "Data": "2026-01-05"}]
    rows = [share(ANA, "0,10/un", **{"A partir de": "200.000 un retroativo", "Função": "produtor"}), share(BIA, "50%")]
    through = months(rows, advances=ahead)
    copies = [{"Valor": "1.000,00", "Quantidade": "150000"}, {"Valor": "1.000,00", "Quantidade": "100000"}]
    assert [through.comes_in(line) for line in copies] == [[50000], [50000, 1500000]]


LADDER = [
    share(ANA, "10%", Até="R$ 100,00"),
    share(ANA, "20%", **{"A partir de": "R$ 100,00"}),
]


@pytest.mark.parametrize(("part", "paid"), [("10%", [[400], [700, 1000]]), ("25%", [[400], [1700]])])
def test_no_more_is_taken_out_of_a_role_than_its_tiers_give_it(months, part, paid):
    """5 % of 80.00 are all that there is; then 5 % of 20.00 and 20 % of 80.00."""
    tiers = [share(ANA, "5%", Até="R$ 100,00"), share(ANA, "20%", **{"A partir de": "R$ 100,00"})]
    out_of = share(BIA, part, Base="da parte de artista")
    through = months([*(tier | {"Função": "artista"} for tier in tiers), out_of])
    assert [through.comes_in(*money(amount)) for amount in ("80,00", "100,00")] == paid


def test_nothing_is_taken_out_of_a_role_that_has_nothing_yet(months):
    """Its part of everything so far, 20 % of 180.00, comes with the second month."""
    of_all = share(ANA, "20%", Função="artista", **{"A partir de": "R$ 100,00 retroativo"})
    through = months([of_all, share(BIA, "10%", Base="da parte de artista"), share(CAIO, "30%")])
    assert [through.comes_in(*money(amount)) for amount in ("80,00", "100,00")] == [[2400], [1000, 2600, 3000]]


def late_file(through, month, amount):
    rows = [{"Artista": "Lua", "Título": f"Late {amount}", "Moeda": "BRL", "Valor": amount}]
    return through.label.write(f"2026-{month:02}-late.xlsx", rows)


def test_a_late_file_that_moves_the_tiers_of_a_later_month_is_told_and_that_month_put_right_when_it_runs(
    months, service
):
    through = months(LADDER)
    assert through.comes_in(*money("80,00")) == [800]
    assert through.comes_in(*money("100,00")) == [1800]  # 20.00 at 10 %, 80.00 at 20 %
    late_file(through, 1, "15,00")
    told = [issue for issue in through.run(1).issues if issue.code is IssueCode.TIER_MOVED]
    facts = [dict(issue.message.given) for issue in told]
    assert [(fact["found"], fact["period"], fact["amount"]) for fact in facts] == [
        (ANA.name, "2026-02", Money(150, "BRL"))
    ]
    assert sorted(service.paid) == [150, 800, 1800]
    assert through.run(1).issues == (), "once it is posted there is nothing to tell"
    through.run(2)
    assert sorted(service.paid) == [150, 150, 800, 1800], "5.00 at 10 %, 95.00 at 20 %: 19.50"


def test_a_later_month_whose_tier_of_the_price_moved_is_told_by_what_its_copies_were_sold_at(months, service):
    tiers = [
        share(ANA, "10% do preço", Até="100 un"),
        share(ANA, "20% do preço", **{"A partir de": "100 un"}),
    ]
    through = months(tiers)

    def copies(count, price):
        return {"Valor": f"{count * 50},00", "Quantidade": str(count), "Preço": price}

    assert through.comes_in(copies(80, "20,00")) == [16000]
    # 20 at 10 %, 80 at 20 % of what a copy was sold at, 14.00 and 26.00, which is 20.00 in the middle.
    assert through.comes_in(copies(50, "14,00"), copies(50, "26,00")) == [36000]
    rows = [{"Artista": "Lua", "Título": "Late", "Moeda": "BRL"} | copies(15, "20,00")]
    through.label.write("2026-01-late.xlsx", rows)
    told = [dict(issue.message.given) for issue in through.run(1).issues if issue.code is IssueCode.TIER_MOVED]
    assert [(fact["period"], fact["amount"]) for fact in told] == [("2026-02", Money(3000, "BRL"))]
    through.run(2)
    assert sum(service.paid) == 16000 + 3000 + 36000 + 3000


def test_months_that_come_late_and_in_any_order_are_right_once_each_has_run_again(months, service):
    """January comes in after March: what all months come to in their order is what is paid in the end."""
    through = months(LADDER, [cost("estúdio", Valor="30,00")])
    for month, amount in ((3, "90,00"), (1, "70,00"), (2, "60,00")):
        late_file(through, month, amount)
        through.run(month)
    for month in (1, 2, 3, 1, 2, 3):
        through.run(month)
    # Of 220.00 the studio takes 30.00; 100.00 of the rest are at 10 %, 90.00 at 20 %.
    assert sum(service.paid) == 2800


def test_what_was_withdrawn_takes_its_part_of_tiers_and_costs_back(months, service):
    through = months(LADDER, [cost("estúdio", Valor="50,00")])
    assert through.comes_in(*money("100,00")) == [500]
    wrong = late_file(through, 1, "40,00")
    through.run(1)
    assert sorted(service.paid) == [400, 500]
    through.label.say("withdraw", wrong, "--by", "bia", "--why", "de outro selo")
    through.run(1)
    # 50.00 have gone through the ladder: 50.00 at 10 %, 150.00 at 20 %, less the 4.00 that are owed back.
    assert through.comes_in(*money("200,00")) == [3100]


def test_a_cost_whose_day_or_payee_is_put_right_is_not_taken_again(months):
    through = months([share(ANA, "50%")], [cost("turnê", Valor="40,00", Data="2026-01-05")])
    assert through.comes_in(*money("100,00")) == [3000]
    through.label.write("costs.xlsx", [cost("turnê", Valor="40,00", Data="2026-01-06", Para=masked(BIA.tax_id))])
    assert through.comes_in(*money("90,00")) == [4500]


def test_a_ladder_goes_with_a_payee_whose_document_changes(months):
    through = months(LADDER)
    assert through.comes_in(*money("80,00")) == [800]
    company = replace(ANA, tax_id="11222333000181", name="Rosana Produções Ltda")
    through.label.write("payees.xlsx", [payee(company) | {"CPF anterior": masked(ANA.tax_id)}])
    assert through.comes_in(*money("100,00")) == [1800], "20.00 at 10 %, 80.00 at 20 %"


def test_explain_multiplies_tiers_caps_and_costs_out_and_check_says_them_back(months):
    """A finance person follows each sum with a pocket calculator; the statement's page says the same."""
    rows = [
        share(ANA, "10%", Até="R$ 100.000"),
        share(ANA, "15%", **{"A partir de": "R$ 100.000", "Até": "R$ 500.000"}),
        share(BIA, "5%", Teto="8.000"),
    ]
    through = months(rows, [cost("estúdio", Valor="10.000,00")])
    through.comes_in(*money("100.000,00"))
    through.comes_in(*money("160.000,00"))
    told = through.label.say("explain", masked(ANA.tax_id), "--period", "2026-02").output
    assert "R$ 160.000 x 10 % x 0,0625 (até R$ 100.000,00) = R$ 1.000" in told
    assert "R$ 160.000 x 15 % x 0,9375 (do que passa de R$ 100.000,00, até R$ 500.000,00) = R$ 22.500" in told
    capped = through.label.say("explain", masked(BIA.tax_id), "--period", "2026-02").output
    assert "x 5 % x 0,4375 (nunca mais de R$ 8.000,00, somados todos os períodos) = R$ 3.500" in capped
    before = through.label.say("explain", masked(ANA.tax_id), "--period", "2026-01").output
    assert "R$ 100.000 x 0,9 (depois de estúdio R$ 10.000,00) x 10 % = R$ 9.000" in before
    said = through.label.say("check", through.label.job).output
    assert "15 % do que resta depois dos custos, do que passa de R$ 100.000,00, até R$ 500.000,00" in said
    assert "5 % do que resta depois dos custos, nunca mais de R$ 8.000,00, somados todos os períodos" in said
    assert "estúdio tira antes R$ 10.000,00, à medida que houver, fica com o pagador" in said


def test_a_guarantee_that_was_not_earned_is_paid_once_out_of_the_owners_part(months, service):
    """50,000.00 by the end of February, of which 20,000.00 and 15,000.00 were earned."""
    promised = [{"CPF": masked(ANA.tax_id), "Valor": "50.000,00", "Data": "2026-02-28", "Tipo": "garantia"}]
    through = months([share(ANA, "50%")], advances=promised)
    came_in = ["40.000,00", "30.000,00", "10.000,00"]
    assert [through.comes_in(*money(amount)) for amount in came_in] == [[2000000], [3000000], [500000]]
    received = list(service.paid)
    for month in (3, 2, 1):
        through.run(month)
    assert service.paid == received
    told = through.label.say("explain", masked(ANA.tax_id), "--period", "2026-02").output
    assert "1 unidade x R$ 15.000 (garantia) = R$ 15.000" in told
    assert "garantia de R$ 50.000,00 até 28/02/2026" in through.label.say("check", through.label.job).output


def test_a_guarantee_that_was_paid_in_a_month_that_earned_nothing_is_not_paid_again(months, service):
    promised = [{"CPF": masked(ANA.tax_id), "Valor": "50,00", "Data": "2026-02-28", "Tipo": "garantia"}]
    through = months([share(ANA, "50%")], advances=promised)
    assert [through.comes_in(*money(amount)) for amount in ("40,00", "0,00", "10,00")] == [[2000], [3000], [500]]


@pytest.mark.parametrize(
    ("shares", "came_in", "paid"),
    [
        # A tenth is kept back for returns, and given in the period after.
        (
            [share(ANA, "100%", Reserva="10%", **{"Liberar em": "100%"})],
            ["1.000,00", "2.000,00", "0,00"],
            [[90000], [190000], [20000]],
        ),
        # A fifth of 25 %, in two halves.
        (
            [share(ANA, "25%", Reserva="20%", **{"Liberar em": "50%, 50%"})],
            ["100,00", "0,00", "0,00", "0,00"],
            [[2000], [250], [250], []],
        ),
        # Of a month that brings less than nothing nothing is kept, and what was kept is given all the same.
        (
            [share(ANA, "100%", Reserva="50%", **{"Liberar em": "100%"})],
            ["100,00", "-30,00", "10,00"],
            [[5000], [2000], [500]],
        ),
    ],
)
def test_what_is_kept_in_reserve_is_given_in_the_months_after_it(months, service, shares, came_in, paid):
    through = months(shares)
    assert [through.comes_in(*money(amount)) for amount in came_in] == paid
    received = list(service.paid)
    for month in reversed(range(1, len(came_in) + 1)):
        through.run(month)
    assert service.paid == received


def test_a_reserve_is_said_back_where_a_job_is_checked_where_a_month_is_explained_and_on_the_statement(months):
    through = months([share(ANA, "25%", Reserva="20%", **{"Liberar em": "50%, 50%"})])
    through.comes_in(*money("100,00"))
    report = through.report
    told = through.label.say("explain", masked(ANA.tax_id)).output
    assert "25,00 - 20,00 pagos antes ou a caminho - 5,00 em reserva, ainda não vencidos = 0,00" in told
    assert (
        "25 % do que entra, 20 % disso em reserva, liberado nos períodos seguintes: 50 %, 50 %"
        in through.label.say("check", through.label.job).output
    )
    totals = {place: cents for place, cents in summary_of(report)["totals_cents"].items() if cents}
    assert totals == {"in": 10000, "paid": 2000, "owner": 7500, "carried": 500}
