"""A draft of a layout is sound YAML whatever the file holds, guesses what a person would, and says that it guesses."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from io_adapters.spreadsheets.declarations import known_layouts, parse_yaml, read_layout
from io_adapters.spreadsheets.reading import open_file
from schemas.layouts.drafting import draft_layout
from schemas.layouts.layout import Layout, fold
from schemas.layouts.recognise import candidates, find_header, variants
from schemas.sheet_cells import HeadRow, View

KNOWN = [read_layout(name, Path()) for name in known_layouts()]
HEADER = ("Mês", "Loja", "Cód. da faixa", "ISRC", "Valor bruto (R$)", "Taxa", "Valor líquido (R$)")
LINES = (
    ("25/10/2026", "Deezer", "881", "BRAUR2600001", "1.250,00", "20%", "1.000,004"),
    ("26/10/2026", "Spotify", "882", "BRAUR2600002", "0,30", "20%", "0,24"),
)


def view(*rows, delimiter=";", sheet=None):
    return View(sheet, delimiter, visible=True, head=tuple(HeadRow(row, texts) for row, texts in enumerate(rows, 1)))


def draft(*views, **settings):
    text = draft_layout(views, KNOWN, "minha", **settings)
    return text, Layout.model_validate(parse_yaml(text, "minha.yaml").values)


def comment_of(text, beginning):
    (line,) = [line for line in text.splitlines() if line.strip().startswith(beginning)]
    return line.partition("#")[2]


def test_a_draft_reads_back_as_a_layout_that_finds_the_header_and_recognises_the_file():
    shown = view(("Relatório de outubro",), (), HEADER, *LINES)
    _, layout = draft(shown)
    assert (layout.layout, layout.table, layout.required) == (
        "minha",
        "royalty_lines",
        ["period", "platform", "isrc", "amount"],
    )
    assert find_header(shown, layout).header.row == 3
    assert [fit.layout for fit in candidates([shown], [layout])] == [layout]


def test_what_is_left_is_the_money_and_what_comes_before_it_is_not():
    text, layout = draft(view(HEADER, *LINES))
    assert layout.columns["amount"] == ["Valor líquido (R$)"]
    assert {"Valor bruto (R$)", "Taxa"} <= set(layout.ignored)
    assert "CONFIRM" in comment_of(text, "- Valor bruto")
    assert "Valor bruto (R$)" in comment_of(text, "amount:")


def test_decimal_mark_order_of_dates_and_currency_come_from_the_first_rows_and_are_to_be_confirmed():
    text, layout = draft(view(HEADER, *LINES))
    assert (layout.decimal, layout.dates, layout.currency) == (",", "day_first", "BRL")
    for key in ("decimal", "dates", "currency"):
        assert "CONFIRM" in comment_of(text, f"{key}:")


def test_what_proves_nothing_is_left_open():
    lines = [
        ("1/10/2026", "Deezer", "881", "BRAUR2600001", "10", "20%", "8"),
        ("2/10/2026", *LINES[1][1:4], "5", "20%", "4"),
    ]
    text, layout = draft(view(tuple(header.replace(" (R$)", "") for header in HEADER), *lines))
    assert (layout.decimal, layout.dates, layout.currency) == ("auto", "auto", None)
    assert "CONFIRM" in comment_of(text, "# dates:")
    assert "CONFIRM" in comment_of(text, "# currency:")


def test_headers_nobody_knows_are_listed_for_the_person():
    text, layout = draft(view(HEADER, *LINES))
    assert re.search(r"^  # - \"?Cód. da faixa", text, re.MULTILINE)
    assert "Cód. da faixa" in layout.recognise.headers


def test_rows_of_totals_are_seen():
    _, layout = draft(view(HEADER, *LINES, ("Total", "", "", "", "1.250,30", "", "1.000,244")))
    assert layout.totals == ["Total"]


def test_documents_and_keys_make_it_a_sheet_of_payments():
    header = ("Nome", "CPF/CNPJ", "Chave Pix", "Tipo da chave", "Valor", "Centro de custo")
    row = ("Maria Silva", "529.982.247-25", "maria@example.com", "E-mail", "1.234,56", "Shows")
    text, layout = draft(view(header, row, delimiter=None, sheet="Folha"))
    assert (layout.table, layout.required, layout.sheets) == ("payments", ["tax_id", "amount"], ["Folha"])
    assert layout.columns["pix_key_type"] == ["Tipo da chave"]
    assert [one for one in row if one in text] == []


def test_the_delimiter_that_cuts_the_text_into_columns_is_found():
    rows = [HEADER, *LINES]
    as_one_field = view(*((";".join(row),) for row in rows), delimiter="\t")
    _, layout = draft(as_one_field, view(*rows))
    assert layout.columns["isrc"] == ["ISRC"]


@pytest.mark.parametrize(
    "header",
    [
        'Nome "artístico"',
        "a: b",
        "- item",
        "# Units Sold",
        "linha\numa",
        "dois\u2028três",
        "\x85",
        "{x}",
        "[x",
        "yes",
        "null",
        "*sinal",
        "&sinal",
        "!tag",
        "%",
        "'",
        "a, b",
        "\x00",
        "emoji 🎵",
    ],
)
def test_a_header_of_any_characters_stays_one_header_of_sound_yaml(header):
    text, layout = draft(view((*HEADER, header), *((*line, "x") for line in LINES)))
    read = [header for headers in layout.columns.values() for header in headers]
    left = [line for line in text.splitlines() if line.startswith("  # - ")]
    assert len(read) + len(layout.ignored) + len(left) == len(HEADER) + bool(header.strip())
    assert set(layout.recognise.headers) <= {*HEADER, header.strip()}


@pytest.mark.parametrize("rows", [(), ((),), (("a", "b"),), (("a", "b", "c"), ("d", "e", "f"))])
def test_a_file_without_a_table_gives_a_draft_without_columns(rows):
    text, layout = draft(view(*rows))
    assert layout.columns == {}
    assert "no row of this file looks like a header" in text


@pytest.mark.parametrize("name", ["2026-10-01", "202610", "no", "1e5"])
@pytest.mark.parametrize("rows", [(HEADER, *LINES), ()])
def test_a_name_that_yaml_takes_for_something_else_stays_a_name(name, rows):
    text = draft_layout([view(*rows)], KNOWN, name)
    assert Layout.model_validate(parse_yaml(text, "x.yaml").values).layout == name


def test_a_draft_speaks_the_person_s_language():
    text, _ = draft(view(HEADER, *LINES), language="pt-BR")
    assert "CONFIRMAR" in text
    assert "CONFIRM:" not in text


def test_counts_and_percentages_are_never_the_money():
    head = ("Faixa", "Total de execuções", "Net Streams", "% Royalty", "Valor do mês")
    text, layout = draft(view(head, ("Samba", "120", "99", "50%", "1,25"), ("Choro", "8", "3", "25%", "0,75")))
    assert layout.columns["amount"] == ["Valor do mês"]
    assert "Net Streams" not in text.split("amount:")[1].split("\n")[0]


def test_what_is_left_after_the_fee_and_the_partner_s_part_are_the_money():
    _, cargo = draft(view(("Period", "Gross", "Fee", "Net after fee"), ("2026-09", "10.00", "1.50", "8.50")))
    assert cargo.columns["amount"] == ["Net after fee"]
    head = ("Asset", "YouTube Revenue Split", "Partner Revenue : Auction", "Partner Revenue")
    _, youtube = draft(view(head, ("A1", "4.10", "3.00", "5.10")))
    assert youtube.columns["amount"] == ["Partner Revenue"]


@pytest.mark.parametrize(
    ("head", "row", "money"),
    [
        (("Obra", "ISRC", "Titular", "Rubrica", "RATEIO"), ("A", "BRUM71500001", "Ana", "Rádio", "12,34"), "RATEIO"),
        (("Faixa", "ISRC", "Execuções", "Rendimento"), ("A", "BRUM71500001", "1000", "3,21"), "Rendimento"),
        (("Faixa", "ISRC", "Bruto", "Repasse"), ("A", "BRUM71500001", "4,21", "3,21"), "Repasse"),
        (("Track", "ISRC", "UnitPrice", "FinalValue"), ("A", "BRUM71500001", "0.01", "3.21"), "FinalValue"),
        (
            ("Track", "ISRC", "Streams", "Share", "Estimated Payment (USD)"),
            ("A", "BRUM71500001", "10", "0.7", "3.21"),
            "Estimated Payment (USD)",
        ),
        (("Faixa", "ISRC", "Share", "Pago"), ("A", "BRUM71500001", "0,7", "3,21"), "Pago"),
        (("Track", "ISRC", "Split", "Value"), ("A", "BRUM71500001", "50", "3.21"), "Value"),
        (("Faixa", "ISRC", "Cota", "A receber"), ("A", "BRUM71500001", "1", "3,21"), "A receber"),
    ],
)
def test_what_senders_call_their_money_is_found_and_a_part_of_a_whole_is_none(head, row, money):
    _, layout = draft(view(head, row))
    assert layout.columns["amount"] == [money]


@pytest.mark.parametrize("part", ["0,7", "0.25", "1", "50", "100"])
def test_a_part_of_a_whole_is_never_proposed_as_money(part):
    text, layout = draft(view(("Faixa", "ISRC", "Loja", "Share"), ("A", "BRUM71500001", "Deezer", part)))
    assert "amount" not in layout.columns
    assert "no column looks like the money" in text


def test_a_partner_s_share_below_one_is_money():
    _, layout = draft(view(("Track", "ISRC", "Partner Share"), ("A", "BRUM71500001", "0.0031")))
    assert layout.columns["amount"] == ["Partner Share"]


def test_what_stands_above_the_header_or_in_two_columns_is_offered():
    above = view(("Start Date", "08/30/2026"), ("Currency", "AUD"), ("Track", "ISRC", "Net"), ("Samba", "x", "1.50"))
    _, layout = draft(above)
    assert layout.preamble["currency"].label == "Currency"
    assert layout.preamble["period"].label == "Start Date"
    assert layout.dates == "month_first"
    _, layout = draft(view(("Track", "Year", "Month", "Net"), ("Samba", "2026", "9", "1.50")))
    assert (layout.months.year, layout.months.month) == ("Year", "Month")
    assert "period" not in layout.columns


def test_rows_that_may_be_no_sales_are_pointed_at():
    text, _ = draft(view(("Track", "Sale or Void", "Net"), ("Samba", "Sale", "1.50"), ("Choro", "Void", "0.50")))
    assert "# sign: {column: Sale or Void, negative: [Void]}" in text
    assert "# totals: [Total]" in text


SENDERS = [layout for layout in KNOWN if layout.table == "royalty_lines" and not layout.recognise.nothing_else]
STATEMENTS = sorted((Path(__file__).parents[2] / "sample_data" / "statements").iterdir())


def renamed(views, header):
    """Return the views with one header under a name that nobody knows."""
    return [
        replace(
            shown, head=tuple(replace(row, texts=tuple(new(text, header) for text in row.texts)) for row in shown.head)
        )
        for shown in views
    ]


def new(text, header):
    return "Something else" if fold(text) == fold(header) else text


@pytest.mark.parametrize("path", STATEMENTS, ids=lambda path: path.name)
def test_a_sender_s_statement_with_a_header_renamed_is_nearly_that_sender_s(path):
    with open_file(str(path)) as file:
        views = list(file.views)
    for fit in candidates(views, SENDERS):
        for header in fit.layout.recognise.headers if not path.name.startswith("DSR") else ():
            changed = renamed(views, header)
            if not candidates(changed, SENDERS):
                assert fit.layout.layout in {layout.layout for layout in variants(changed, SENDERS)}


@pytest.mark.parametrize("path", STATEMENTS, ids=lambda path: path.name)
def test_a_sender_s_statement_is_nearly_nobody_else_s(path):
    with open_file(str(path)) as file:
        views = list(file.views)
    own = {fit.layout.layout for fit in candidates(views, SENDERS)}
    others = [layout for layout in SENDERS if layout.layout.split("-")[0] not in {name.split("-")[0] for name in own}]
    assert not own or variants(views, others) == []
