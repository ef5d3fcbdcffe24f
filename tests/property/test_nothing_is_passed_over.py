"""Whatever column is added to whatever table: no row is used as long as nobody has said what it is."""

import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from io_adapters.spreadsheets.declarations import known_layouts, read_layout
from schemas.errors import UnreadableFile
from schemas.layouts.answers import with_answers
from schemas.layouts.headers import match_headers
from schemas.messages import render
from schemas.parsing.table import parse_table
from schemas.parsing.what_holds_rows import STOPPING
from tests.schemas.sheets import sheet

HEADERS = (
    *("Status", "Situação", "Pago?", "Aprovado", "Pagar", "Forma de pagamento", "Empresa pagadora", "Vencimento"),
    *("Moeda", "Desconto", "Diárias", "Parcela", "Ativo", "Território", "Tipo de receita", "Taxa", "Comissão", "Teto"),
    *("UPC", "% do selo", "Retenção", "Observação", "Telefone", "Endereço", "Projeto", "Centro de custo", "Nº", "Obs"),
    *("Evento", "Função", "Payment method", "Due date", "Discount", "Currency", "Country", "Rights", "Fee", "Cap"),
    *("Withholding", "Installment", "Approved", "Notes", "Phone", "City", "Cost center", "Item", "Active", "Share %"),
    *("Estado", "Forma de pago", "Vencimiento", "Divisa", "Descuento", "País", "Derechos", "Comisión", "Tope", "Cuota"),
    *("Aprobado", "Nota", "Teléfono", "Ciudad", "Proyecto", "Activo", "Retención", "Importe bruto", "Fecha", "Orden"),
)
WORDS = st.text("abcdefghijklmnopqrstuvwxyzçãé -", min_size=2, max_size=14).filter(str.strip)
CELLS = st.sampled_from(
    ("", "sim", "não", "Pago", "Pendente", "10,00", "R$ 5,00", "10%", "BR", "US", "2027-01-10", "x", "abc", "7", "0,00")
)
WHO = {"Nome": "Maria Silva", "CPF/CNPJ": "529.982.247-25"}
KEY = {"Chave Pix": "maria@example.com", "Tipo da chave": "E-mail"}
TABLES = {
    "payments": WHO | KEY | {"Valor": "10,00"},
    "payees": WHO | KEY,
    "shares": {"ISRC": "BRABC2600001", "CPF/CNPJ": "529.982.247-25", "Participação": "50%"},
    "advances": WHO | {"Valor": "10,00"},
    "royalties": {"Período": "2026-09", "Título": "Samba", "Valor": "10.00", "Moeda": "BRL"},
}
LAYOUTS = {name: read_layout(name, Path()) for name in known_layouts()}


@given(st.sampled_from(sorted(TABLES)), st.sampled_from(HEADERS) | WORDS, st.lists(CELLS, min_size=2, max_size=2))
def test_a_column_more_is_read_or_holds_its_rows_until_it_is_answered(table, header, texts):
    row, layout = TABLES[table], LAYOUTS[table]
    if header in row:
        return
    other = {"CPF/CNPJ": "111.444.777-35", "ISRC": "BRABC2600002", "Título": "Valsa", "Chave Pix": "ana@example.com"}
    rows = [row | {header: texts[0]}, row | {name: text for name, text in other.items() if name in row}]
    rows[1] |= {header: texts[1]}
    raw = sheet(*rows)
    try:
        parsed = parse_table(raw, layout)
    except UnreadableFile:
        return  # a second header for one column is refused by name
    match = match_headers(raw.headers, layout)
    position = raw.headers.index(header)
    is_read = position in match.positions.values() or position in match.ignored
    says_something = any(text not in {"", "0,00"} for text in texts)
    assert is_read or parsed.frame.empty == says_something
    assert is_read or any(header.strip() in render(told, "pt-BR") for told in parsed.decisions)
    answered = parse_table(raw, with_answers(layout, {header: "ignored"}))
    assert not {"COLUMN_CONDITION", "COLUMN_UNANSWERED"} & {issue.code.value for issue in answered.issues}
    assert len(parsed.frame) + len(parsed.held) + int((parsed.rows["disposition"] == "ignored").sum()) == 2


# How people write the words that are looked for in small letters without accents.
ACCENTS = {"nao": "não", "ja": "já", "pago": "pagó", "deposito": "depósito", "transferencia": "transferência"}


@pytest.mark.parametrize("letters", sorted(STOPPING))
@settings(max_examples=2)
@given(st.data())
def test_whatever_says_that_somebody_is_not_to_be_paid_holds_the_row(letters, data):
    texts = [data.draw(written_as_people_do(STOPPING[letters])) for _ in range(6)]
    row = TABLES["payments"]
    answered = with_answers(LAYOUTS["payments"], {"Obs": "remark"})
    parsed = parse_table(sheet(*(row | {"Obs": text} for text in texts)), answered)
    stopped = [issue.row for issue in parsed.issues if issue.code == "ROW_STOPPED"]
    assert stopped == [2, 3, 4, 5, 6, 7], texts
    assert parsed.frame.empty


@st.composite
def written_as_people_do(draw, expression):
    text = draw(st.from_regex(expression, fullmatch=True))
    if draw(st.booleans()):
        text = " ".join(ACCENTS.get(word, word) for word in text.split(" "))
    write = draw(st.sampled_from([str, str.upper, str.capitalize]))
    around = draw(st.sampled_from(["{}", "{} (ver contrato)", "urgente: {}!", "2026 - {}."]))
    return unicodedata.normalize(draw(st.sampled_from(["NFC", "NFD"])), around.format(write(text)))
