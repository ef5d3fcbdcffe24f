"""Columns that make up the amount in every row ask nothing; a number that nothing explains holds its table."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from io_adapters.spreadsheets.declarations import read_layout
from schemas.errors import UnreadableFile
from schemas.messages import render
from schemas.parsing.table import parse_table
from tests.schemas.sheets import PIX_PAYEE, codes, parse, sheet
from tests.spec.tables import table

PEOPLE = [("Maria Silva", "52998224725"), ("Ana Lima", "11144477735"), ("Caio Reis", "39053344705")]


def sheet_of(text: str) -> list[dict[str, str]]:
    """Write a sheet whose first columns say who is paid; the drawn ones follow in their order."""
    rows = table(text)
    return [
        {"name": name, "tax_id": tax_id} | {k: PIX_PAYEE[k] for k in ("pix_key", "pix_key_type")}
        | {"pix_key": f"pessoa{at}@example.com"} | row
        for at, (row, (name, tax_id)) in enumerate(zip(rows, PEOPLE, strict=False))
    ]  # fmt: skip


EXPLAINED = {
    "amount = Qtd x Unitário": """
        | Qtd | Unitário | amount |
        | 2   | 150,00   | 300,00 |
        | 3   | 99,90    | 299,70 |
    """,
    "amount = Bruto - IRRF": """
        | Bruto    | IRRF  | amount |
        | 1.000,00 | 15,00 | 985,00 |
        | 500,00   |       | 500,00 |
    """,
    "amount = Honra + Ajuda de custo": """
        | Honra  | Ajuda de custo | amount |
        | 100,00 | 30,00          | 130,00 |
        | 100,00 | 45,50          | 145,50 |
    """,
    "amount = Base x% Rateio": """
        | Base     | Rateio | amount |
        | 1.000,00 | 30%    | 300,00 |
        | 333,33   | 25%    | 83,33  |
    """,
    "amount = Base -% Comissão": """
        | Base     | Comissão | amount |
        | 1.000,00 | 20%      | 800,00 |
        | 333,33   | 20%      | 266,66 |
    """,
    "amount = Diárias x Diária - Vale": """
        | Diárias | Diária | Vale  | amount |
        | 2       | 150,00 | 20,00 | 280,00 |
        | 3       | 100,00 |       | 300,00 |
        | 1       | 150,00 | 50,00 | 100,00 |
    """,
    "amount = Cachet + Acerto": """
        | Cachet | Acerto | amount |
        | 100,00 | -10,00 | 90,00  |
        | 100,00 | 5,00   | 105,00 |
    """,
}


@pytest.mark.parametrize(("how", "drawn"), EXPLAINED.items(), ids=list(EXPLAINED))
def test_what_makes_up_the_amount_in_every_row_asks_nothing_and_is_told(how, drawn):
    parsed = parse("payments", *sheet_of(drawn))
    assert "COLUMN_CONDITION" not in codes(parsed)
    assert parsed.held.empty
    assert f"{how} in every row" in [render(said, "en") for said in parsed.decisions if not isinstance(said, str)]
    assert not [said for said in parsed.written if said.kind == "column" and said.token], "nobody has to look at it"


OPEN = {
    "a row does not come out": """
        | Qtd | Unitário | amount |
        | 2   | 150,00   | 300,00 |
        | 3   | 99,90    | 299,69 |
    """,
    "the amount stands before what is paid in the end": """
        | amount | Vale  | Saldo |
        | 100,00 | 10,00 | 90,00 |
        | 200,00 | 25,00 | 175,00 |
    """,
    "what is taken off is added": """
        | Base  | Desconto | amount |
        | 90,00 | 10,00    | 100,00 |
        | 80,00 | 20,00    | 100,00 |
    """,
    "one row alone may come out by chance": """
        | Vale  | Bônus | Extra | amount |
        | 30,00 | 20,00 | 50,00 | 100,00 |
    """,
    "a cap is no part of a sum": """
        | Base  | Teto  | amount |
        | 90,00 | 10,00 | 100,00 |
        | 80,00 | 15,00 | 95,00  |
    """,
    "a number without its unit": """
        | Shows | amount |
        | 3     | 100,00 |
        | 1     | 80,00  |
    """,
    "an advance in whole numbers": """
        | Vale | amount |
        | 30   | 100,00 |
        | 30   | 80,00  |
    """,
}


@pytest.mark.parametrize(("why", "drawn"), OPEN.items(), ids=list(OPEN))
def test_a_number_that_nothing_explains_holds_the_table(why, drawn):
    parsed = parse("payments", *sheet_of(drawn))
    assert "COLUMN_CONDITION" in codes(parsed), why
    assert parsed.frame.empty


@pytest.mark.parametrize(("first", "holds"), [(0, False), (1, False), (7, True)])
def test_numbers_that_only_count_the_rows_ask_nothing(first, holds):
    rows = "".join(f"\n| {first + at} | {amount} |" for at, amount in enumerate(("10,00", "20,00", "5,00")))
    parsed = parse("payments", *sheet_of(f"| Zebra | amount |{rows}"))
    assert parsed.frame.empty == holds


CENTS = st.integers(1, 10_000_00)


@given(parts=st.lists(st.tuples(CENTS, CENTS), min_size=2, max_size=3, unique=True), off=st.integers(1, 99))
def test_one_centavo_more_in_one_row_is_explained_by_nothing(parts, off):
    """Of sums: whatever the numbers are, what comes out in every row is explained, and what does not is asked."""

    def drawn(extra: int) -> str:
        lines = [(a, b, a + b + (extra if at == 0 else 0)) for at, (a, b) in enumerate(parts)]
        return "\n".join(
            ["| Honra | Ajuda | amount |", *(f"| {money(a)} | {money(b)} | {money(c)} |" for a, b, c in lines)]
        )

    assert parse("payments", *sheet_of(drawn(0))).held.empty
    assert parse("payments", *sheet_of(drawn(off))).frame.empty


def money(cents: int) -> str:
    return f"{cents // 100},{cents % 100:02}"


PEOPLES_OWN = read_layout("payments", Path())


def as_people_draw_it(drawn: str):
    """Read a sheet under the headers that people use, of which several may be the amount."""
    rows = [
        {"Nome": row["name"], "CPF": row["tax_id"], "Chave Pix": row["pix_key"], "Tipo da chave": row["pix_key_type"]}
        | {header: text for header, text in row.items() if header not in {*PIX_PAYEE, "name", "tax_id"}}
        for row in sheet_of(drawn)
    ]
    return parse_table(sheet(*rows), PEOPLES_OWN)


@pytest.mark.parametrize(
    ("drawn", "cents"),
    [
        ("| Shows | Cachê | Total |\n| 2 | 100,00 | 200,00 |\n| 3 | 150,00 | 450,00 |", [20000, 45000]),
        ("| Valor | Quantidade | Valor total |\n| 100,00 | 2 | 200,00 |\n| 50,00 | 3 | 150,00 |", [20000, 15000]),
        ("| Valor | Desconto | Líquido |\n| 100,00 | 10,00 | 90,00 |\n| 50,00 | | 50,00 |", [9000, 5000]),
        ("| Valor bruto | ISS | Valor líquido |\n| 100,00 | 5,00 | 95,00 |\n| 50,00 | 2,50 | 47,50 |", [9500, 4750]),
        ("| Cachê | Ajuda de custo | A pagar |\n| 100,00 | 10,00 | 110,00 |\n| 50,00 | | 50,00 |", [11000, 5000]),
        ("| Bruto | Imposto | Líquido | Obs |\n| 10,00 | 1,00 | 9,00 | |\n| 5,00 | 0,50 | 4,50 | |", [900, 450]),
    ],
)
def test_of_several_that_may_be_the_amount_it_is_the_end_of_what_adds_up_in_every_row(drawn, cents):
    parsed = as_people_draw_it(drawn)
    assert codes(parsed) == []
    assert parsed.frame["amount_cents"].tolist() == cents


@pytest.mark.parametrize(
    "drawn",
    [
        "| Valor | Desconto | Líquido |\n| 100,00 | 10,00 | 90,00 |\n| 50,00 | 5,00 | 45,01 |",
        "| Líquido | Desconto | Valor |\n| 100,00 | 10,00 | 110,00 |\n| 50,00 | 5,00 | 55,00 |",
        "| Valor | Líquido |\n| 100,00 | 90,00 |\n| 50,00 | 45,00 |",
        "| Valor | Desconto | Líquido |\n| 100,00 | 10,00 | 90,00 |",
        "| Cachê | Valor | Vale | Total |\n| 9,00 | 100,00 | 10,00 | 110,00 |\n| 7,00 | 50,00 | 5,00 | 55,00 |",
    ],
    ids=["a row is off", "a discount is added", "nothing says how", "one row alone", "a candidate is no part of it"],
)
def test_where_nothing_adds_up_so_a_person_says_which_one_it_is(drawn):
    with pytest.raises(UnreadableFile) as refused:
        as_people_draw_it(drawn)
    assert [issue.code.value for issue in refused.value.issues] == ["COLUMN_DUPLICATE"]


@given(st.lists(st.tuples(st.integers(1, 99_999), st.integers(0, 9_999)), min_size=3, max_size=3, unique=True))
def test_nobody_is_paid_more_than_the_end_of_what_adds_up(pairs):
    written = [(gross + off, off, gross) for gross, off in pairs]
    rows = "\n".join("| " + " | ".join(f"{cents / 100:.2f}" for cents in row) + " |" for row in written)
    try:
        parsed = as_people_draw_it(f"| Valor | Taxa | A receber |\n{rows}")
    except UnreadableFile:
        return
    assert parsed.frame["amount_cents"].tolist() in ([], [gross for gross, _ in pairs])
