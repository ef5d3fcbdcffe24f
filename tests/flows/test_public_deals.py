"""Deals as public pages compute them, with the page's address and figures, through the whole program.

Each is a row or a few, as somebody would write it after reading the page, and is paid to the centavo month by month;
each month is run twice. Sums are the page's, in reais. Held constant: one label, one currency, months in their order.
"""

import pytest

from tests.flows.jobs import masked, people
from tests.flows.test_deals_over_periods import cost, money, months, share  # noqa: F401

ANA, BIA, CAIO = people(3)
pytestmark = pytest.mark.long
ARTIST, PRODUCER = {"Função": "artista"}, {"Função": "produtor", "Base": "da parte de artista"}


def ahead(amount, **more):
    return {"CPF": masked(ANA.tax_id), "Valor": amount, "Data": "2026-01-01", "Tipo": ""} | more


def sold(*copies, price="", each="1,00"):
    """A month of copies: what came in for them all, how many, and the price of one."""
    return [{"Valor": each, "Quantidade": count, "Preço": price} for count in copies]


def tracks(who, part, numbers):
    """A share of some of twelve tracks."""
    return [share(who, part, ISRC=f"BRAUR26{number:05d}") for number in numbers]


ALBUM = [{"Valor": "100,00", "ISRC": f"BRAUR26{number:05d}"} for number in range(1, 13)]

DEALS = [
    (
        "https://goldmidi.com/what-are-music-producer-points/",
        {"shares": [share(ANA, "25%", **ARTIST), share(BIA, "4%", **PRODUCER)]},
        [(money("100,00"), [400, 2100])],
    ),
    (
        "https://elevenelevenmusicconsulting.com/2024/02/11/advances-recouping-and-cross-collateralization-part-2",
        {"shares": [share(ANA, "50%")], "advances": [ahead("100.000,00")]},
        [(money("150.000,00"), []), (money("50.000,00"), []), (money("1,00"), [50])],
    ),
    (
        "https://www.lynda.com/Audio-Music-Live-Performance-tutorials/Advances-royalties/176622/361565-4.html",
        {"shares": [share(ANA, "12%")], "advances": [ahead("10.000,00")]},
        # 4,000.00 are still owed: 12 % of 33,333.33, and of all beyond it.
        [(money("50.000,00"), []), (money("43.333,33"), [120000])],
    ),
    (
        "https://bobbrooke.blogspot.com/2013/03/royalties-dont-always-amount-to-kingly.html",
        {"shares": [
            share(ANA, "10% do preço", Até="5.000 un"),
            share(ANA, "12% do preço", **{"A partir de": "5.000 un", "Até": "10.000 un"}),
            share(ANA, "15% do preço", **{"A partir de": "10.000 un"}),
        ]},
        [(sold("3000", price="20,00", each="60.000,00"), [600000])],
    ),
    (
        "https://royaltieshq.com/blog/reserves-against-returns",
        {"shares": [share(ANA, "100%", Reserva="20%", **{"Liberar em": "100%"})]},
        [(money("1.000,00"), [80000]), (money("10,00"), [20800])],
    ),
    (
        "https://www.details.eu/helpdesk/how-to-set-return-reserves/",
        {"shares": [share(ANA, "100%", Reserva="20%", **{"Liberar em": "25%, 25%, 25%, 25%"})]},
        [(money("100,00"), [8000]), *[(money("0,00"), [500])] * 4],
    ),
    (
        "https://musiccontracts.com/blog/2018/4/23/how-does-a-producer-get-paid",
        {"shares": [share(ANA, "3% do preço")]},
        [(sold("1", price="10,98"), [33]), (sold("1", price="9,98"), [30])],
    ),
    (
        "https://www.gearslutz.com/board/high-end/361940-producer-points.html",
        {"shares": [share(ANA, "13%", **ARTIST), share(BIA, "3%", **PRODUCER)]},
        [(money("10,00"), [30, 100])],
    ),
    (
        "http://musicians.about.com/od/ip/g/points.htm",
        {"shares": tracks(ANA, "2%", range(1, 6))},
        [(ALBUM[:5], [1000])],  # five twelfths of 2 % of 1,200.00
    ),
    (
        "https://musictechpolicy.com/2012/01/04/twenty-more-questions-for-artists-record-producer-agreements-part-5-proration/",
        {"shares": [*tracks(ANA, "4%", range(1, 7)), *tracks(BIA, "1%", range(7, 13))]},
        [(ALBUM, [600, 2400])],  # half of 4 % of 1,200.00; another producer made the other six
    ),
    (
        "https://musictechpolicy.com/2012/01/04/twenty-more-questions-for-artists-record-producer-agreements-part-5-proration/#three",
        {"shares": [
            *tracks(ANA, "3%", range(1, 5)), *tracks(BIA, "5%", range(5, 7)), *tracks(CAIO, "4%", range(7, 13)),
        ]},
        [(ALBUM, [1000, 1200, 2400])],
    ),
    (
        "https://zh-tw.coursera.org/lecture/music-industry/methods-and-practices-part-2-standard-recording-agreements-part-2-DJ39T",
        {"shares": [share(ANA, "15% do preço")]},
        [(sold("100", price="10,00", each="900,00"), [15000])],  # 1.50 a unit, before what that lecture takes off
    ),
    (
        "https://modernmusicbiz.com/p/about.html",
        {"shares": [share(ANA, "18%")], "advances": [ahead("100.000,00")]},
        [(money("555.555,55"), []), (money("100,00"), [1800])],
    ),
    (
        "https://musiccontracts.com/shop-music-publishing-contracts/single-song-copublishing-agreement",
        {"shares": [share(ANA, "75%", Função="autor"), share(BIA, "25%", Função="editora")]},
        [(money("100,00"), [2500, 7500])],
    ),
    (
        "http://mainekick-musicmaking.blogspot.com/2011/05/make-my-own-music-your-team-members.html",
        {"shares": [share(ANA, "1/7")], "costs": [cost("empresário", Porcentagem="15%", Para=masked(BIA.tax_id))]},
        [(money("100.000,00"), [1214286, 1500000])],
    ),
    (
        "http://mainekick-musicmaking.blogspot.com/2011/05/make-my-own-music-your-team-members.html#a-million",
        {"shares": [
            share(ANA, "15%", Até="R$ 1.000.000"), share(ANA, "20%", **{"A partir de": "R$ 1.000.000"}),
        ]},
        [(money("800.000,00"), [12000000]), (money("400.000,00"), [7000000])],
    ),
    (
        "http://easyroyaltiesusa.com/2011/07/minimum-guaranteed-royalties/",
        {"shares": [share(ANA, "100%")], "advances": [ahead("10.000,00", Tipo="garantia", Data="2026-01-31")]},
        [(money("8.000,00"), [1000000])],
    ),
    (
        "https://www.animenewsnetwork.com/encyclopedia/lexicon.php?id=124",
        {"shares": [share(ANA, "50%")], "advances": [ahead("100.000,00")]},
        [(money("200.000,00"), []), (money("50.000,00"), [2500000])],
    ),
    (
        "https://www.pacificlicensing.com/blogs/view/24",
        {"shares": [share(ANA, "100%")],
         "advances": [ahead("10.000,00"), ahead("20.000,00", Tipo="garantia", Data="2026-02-28")]},
        [(money("12.000,00"), [200000]), (money("0,00"), [800000])],
    ),
    (
        "https://californiaconsumerbanking.com/?p=4152",
        {"shares": [share(ANA, "5%")], "advances": [ahead("10.000,00", Tipo="garantia", Data="2026-01-31")]},
        [(money("400.000,00"), [2000000])],
    ),
    (
        "https://californiaconsumerbanking.com/?p=4152#below",
        {"shares": [share(ANA, "5%")], "advances": [ahead("10.000,00", Tipo="garantia", Data="2026-01-31")]},
        [(money("100.000,00"), [1000000])],
    ),
    (
        "http://avaladsf.blogspot.com/2012/06/why-become-independent.html",
        {"shares": [share(ANA, "0,75/un")], "advances": [ahead("300.000,00")]},
        [(sold("400000", each="900.000,00"), []), (sold("66666", each="100.000,00"), [4999950])],
    ),
    (
        "https://sportsmktgstudyguide.examzify.com/question/when-sales-of-licensed-product-69dbbc8c8a7f864f",
        {"shares": [share(ANA, "100%")], "advances": [ahead("1.000.000,00", Tipo="garantia", Data="2026-01-31")]},
        [(money("750.000,00"), [100000000])],
    ),
    (
        "https://amworldgroup.com/glossary/entertainment/commission-structure",
        {"shares": [
            share(ANA, "20%", **{"Tipo de receita": "sync"}), share(ANA, "0%", **{"Tipo de receita": "edição"}),
        ]},
        [([{"Valor": "100,00", "Tipo de receita": "sync"}, {"Valor": "100,00", "Tipo de receita": "edição"}], [2000])],
    ),
    (
        "http://easyroyaltiesusa.com/2015/03/reserve-for-returns-2/",
        {"shares": [share(ANA, "100%", Reserva="10%", **{"Liberar em": "100%"})]},
        [(money("1.000,00"), [90000]), (money("2.000,00"), [190000])],
    ),
    (
        "https://www.musiclawcontracts.com/royalties-in-recording-contracts-explained/",
        {"shares": [share(ANA, "50%"), share(ANA, "70%", **{"Tipo de receita": "sync"})],
         "costs": [cost("gravação", Valor="30,00")]},
        [([{"Valor": "130,00", "Tipo de receita": "venda"}], [5000]),
         ([{"Valor": "10,00", "Tipo de receita": "sync"}], [700])],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("tables", "played"), [deal[1:] for deal in DEALS], ids=[deal[0] for deal in DEALS])
def test_a_public_deal_is_paid_as_its_page_computes_it(months, tables, played):  # noqa: F811
    through = months(tables["shares"], tables.get("costs", ()), tables.get("advances", ()))
    assert [through.comes_in(*of_month) for of_month, _ in played] == [paid for _, paid in played]
