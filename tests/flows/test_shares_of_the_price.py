"""Shares of the price at which each unit was sold, through the whole program.

Varied: tiers, languages, how prices are written, their currency, files of text and spreadsheets, a few lines and many
(which whole columns are read of). Held constant: one author, one month unless tiers need more.
"""

import pytest
from openpyxl import load_workbook

from schemas.errors import ExitCode
from tests.flows.jobs import masked, payee, people
from tests.flows.test_deals_over_periods import months, share  # noqa: F401

(ANA,) = people(1)
pytestmark = pytest.mark.long
BOOK = {"Artista": "Lua", "Título": "Livro", "Moeda": "BRL", "Valor": "500,00"}


@pytest.fixture
def book_of(label):
    def declared(part, lines, ending="xlsx", **changes):
        label.write("payees.xlsx", [payee(ANA)])
        label.write("shares.xlsx", [{"CPF": masked(ANA.tax_id), "Artista": "Lua", "Participação": part}])
        label.write(f"2026-10.{ending}", [BOOK | line for line in lines])
        label.declare(
            **{
                "period": "2026-10", "payees": "payees.xlsx", "shares": "shares.xlsx",
                "sources": [{"files": f"{{period}}.{ending}", "layout": "royalties"}],
                "outputs": {"folder": "out", "statements": True, "formats": ["xlsx", "json"]},
            } | changes
        )  # fmt: skip
        return label

    return declared


def test_an_author_has_more_of_the_price_the_more_copies_are_sold(months, service):  # noqa: F811
    """10 % of 20.00 for 5,000 copies, 12.5 % for as many more, then 15 %: 3,000 and then 9,000 copies."""
    through = months(
        [
            share(ANA, "10% do preço", Até="5.000 un"),
            share(ANA, "12,5% do preço", **{"A partir de": "5.000 un", "Até": "10.000 un"}),
            share(ANA, "15% do preço", **{"A partir de": "10.000 un"}),
        ]
    )
    sold = [
        {"Valor": money, "Quantidade": copies, "Preço": "20,00"}
        for money, copies in (("30.000,00", "3000"), ("90.000,00", "9000"), ("-10.000,00", "-1000"))
    ]
    assert [through.comes_in(line) for line in sold] == [[600000], [2250000], []]
    told = through.label.say("explain", masked(ANA.tax_id), "--period", "2026-02").output
    assert "9.000 unidades x 10 % do preço por unidade x 20 x 2/9" in told.replace(",00", "")
    assert "= R$ 4.000" in told


def test_the_workbook_shows_the_price_of_each_sum_of_lines_as_a_number(book_of):
    report = book_of(
        "10% do preço", [{"Quantidade": "100", "Preço": "20,00"}, {"Quantidade": "8", "Preço": "12,50"}]
    ).run()
    (workbook,) = (path for path in report.outputs if path.name == "reconciliation.xlsx")
    _, header, *rows = load_workbook(workbook)["Rendimentos"].iter_rows(values_only=True)
    assert {row[header.index("Preço")] for row in rows[:-1]} == {20, 12.5}


@pytest.mark.parametrize("ending", ["xlsx", "csv"])
@pytest.mark.parametrize(
    ("part", "lines", "paid"),
    [
        ("10% do preço", [("100", "20,00"), ("10", "12,50")], 21250),
        ("10 % of the price", [("100", "R$ 20,00"), ("10", "R$ 12,50")], 21250),
        ("12,5% sobre o preço", [("100", "0"), ("8", "1.000,00"), ("-1", "1.000,00")], 87500),
        ("33,3333% do preço", [("3", "1,00")], 100),
    ],
)
def test_each_line_is_paid_at_its_own_price(book_of, service, part, lines, paid, ending):
    rows = [{"Quantidade": units, "Preço": price} for units, price in lines]
    report = book_of(part, rows, ending).run()
    assert (report.exit_code, report.issues, service.paid) == (ExitCode.DONE, (), [paid])


def test_two_thousand_lines_of_many_prices_come_to_what_each_alone_does(book_of, service):
    rows = [{"Quantidade": "1", "Preço": f"{number % 50 + 1},50"} for number in range(2_000)]
    book_of("10% do preço", rows, "csv").run()
    assert service.paid == [sum(number % 50 * 100 + 150 for number in range(2_000)) // 10]


def test_a_price_in_dollars_is_worth_what_the_dollars_of_the_line_are(book_of, service):
    rows = [{"Quantidade": "10", "Preço": "US$ 20.00", "Moeda": "USD", "Valor": "300.00"}]
    dollar = {"USD": {"rate": "5.40", "date": "2026-10-31", "source": "PTAX"}}
    label = book_of(
        "10% do preço", rows, sources=[{"files": "2026-10.xlsx", "layout": "royalties", "exchange": dollar}]
    )
    report = label.run()
    assert service.paid == [10800], [(issue.code, issue.text) for issue in report.issues]
    assert (
        "10 unidades x 10 % do preço por unidade x 20 x 5,4 = R$ 108" in label.say("explain", masked(ANA.tax_id)).output
    )


@pytest.mark.parametrize(
    ("price", "code"),
    [
        ("", "SHARE_LINE_SILENT"),
        ("US$ 20,00", "AMOUNT_CURRENCY"),
        ("vinte", "AMOUNT_FORMAT"),
        ("-20,00", "AMOUNT_NOT_POSITIVE"),
    ],
)
@pytest.mark.parametrize("others", [1, 1_200])
def test_a_line_whose_price_is_not_known_is_held_and_the_others_are_paid(book_of, service, price, code, others):
    rows = [{"Quantidade": "10", "Preço": price}, *[{"Quantidade": "1", "Preço": "20,00"}] * others]
    report = book_of("10% do preço", rows, "csv").run()
    assert code in {issue.code.value for issue in report.issues}
    assert service.paid == [others * 200]


def test_check_says_back_what_a_share_of_the_price_means(book_of):
    label = book_of("10% do preço", [{"Quantidade": "1", "Preço": "20,00"}])
    assert "10 % do preço por unidade" in label.say("check", label.job).output


@pytest.mark.parametrize("part", ["110% do preço", "0% do preço", "preço", "10 do preço", "10% do preço de capa"])
def test_what_is_no_part_of_the_price_is_told_at_its_cell(book_of, service, part):
    report = book_of(part, [{"Quantidade": "1", "Preço": "20,00"}]).run()
    assert any(issue.code.value.startswith("PERCENT_") and issue.row == 2 for issue in report.issues)
    assert service.paid == []
