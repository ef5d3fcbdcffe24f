"""Columns that nothing reads: each holds its table until the job answers it, and some are a question of their own."""

import re
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from io_adapters.spreadsheets.declarations import read_layout
from schemas.errors import UnreadableFile
from schemas.issues import Severity
from schemas.job import TableFiles
from schemas.layouts.answers import with_answers
from schemas.parsing.columns_by_cells import as_proposed
from schemas.parsing.table import parse_table
from tests.schemas.sheets import PIX_PAYEE, codes, layout, parse, sheet

PAYMENT = PIX_PAYEE | {"amount": "10,00"}
OTHER = PAYMENT | {"tax_id": "11144477735", "name": "Ana Lima", "pix_key": "ana@example.com"}
SHARE = {"isrc": "BRABC2600001", "tax_id": "52998224725", "share": "50%"}
ADVANCE = {"tax_id": "52998224725", "amount": "10,00"}
COST = {"cost": "estúdio", "share": "10%"}

CONDITIONS_OF_PAYMENTS = [
    ("Status", ["Pago", "Pendente"]), ("Situação", ["", "Cancelado"]), ("STATUS PGTO", ["ok", "ok"]),
    ("Pago?", ["x", ""]), ("Aprovado", ["não", "sim"]), ("Aprovado por", ["Bia Reis", ""]),
    ("Pagar", ["TRUE", "FALSE"]),
    ("Forma de pagamento", ["dinheiro", "Pix"]), ("Meio de pgto", ["cheque", ""]), ("Payment method", ["Cash", "Pix"]),
    ("Empresa pagadora", ["Selo A", "Selo B"]), ("Vencimento", ["10/03/2027", "10/03/2027"]),
    ("Data prevista", ["2027-01-05", ""]), ("Data de pagamento", ["05/11/2026", "05/12/2026"]),
    ("Desconto", ["5,00", ""]), ("IRRF", ["1,50", "0"]), ("ISS retido", ["", "0,50"]), ("Taxa", ["10%", "10%"]),
    ("Comissão", ["20", "20"]), ("Bônus", ["100,00", ""]), ("Teto", ["500", ""]), ("Valor mínimo", ["50,00", ""]),
    ("Diárias", ["3", "2"]), ("Parcela", ["1/3", "2/3"]), ("Qtd", ["2", "1"]), ("Set/26", ["5,00", "5,00"]),
    ("Outubro", ["10,00", "5,00"]), ("Ajuda de custo", ["300,00", "150,00"]), ("Deslocamento", ["R$ 50,00", ""]),
    ("Rateio", ["30%", "70%"]), ("Liberado", ["S", "N"]), ("Conferência", ["ok", ""]), ("Zebra", ["sim", "não"]),
    ("Zebra", ["Pendente", "Zulu"]), ("", ["algo", ""]), ("Descuento", ["2,00", ""]), ("Withholding", ["1.00", ""]),
    ("Due date", ["2026-12-01", ""]), ("Approved", ["yes", "no"]), ("Estado del pago", ["Pendiente", "Pagado"]),
    ("Ativo", ["não", "sim"]), ("Situação cadastral", ["Inativo", "Ativo"]), ("Estornar", ["", "x"]),
    ("Pago?", ["1", ""]), ("Quitado", ["0", "1"]), ("Zuva", ["1", ""]), ("Zuva", ["0", "1"]),
    ("Zuva", ["0", "0"]), ("Zuva", ["não", "não"]), ("Comisión", ["", "não"]),
]  # fmt: skip
REMARKS_OF_PAYMENTS = [
    ("Telefone", ["(11) 91234-5678", ""]), ("Celular", ["11912345678", ""]), ("Endereço", ["Rua A, 10", ""]),
    ("Cidade", ["Santos", "Recife"]), ("UF", ["SP", "PE"]), ("Estado", ["SP", "PE"]), ("CEP", ["11000-000", ""]),
    ("Centro de custo", ["Turnê", "Disco"]), ("Projeto", ["Turnê 2026", ""]),
    ("Observação", ["deixar na portaria", ""]),
    ("Obs.", ["músico", "roadie"]), ("Código", ["00123", "00124"]),
    ("Matrícula", ["991", "992"]), ("Evento", ["Festa", "Show"]), ("Data do show", ["05/10/2026", ""]),
    ("Função", ["Baixo", "Voz"]), ("Categoria", ["Músico", "Técnico"]), ("RG", ["12.345.678-9", ""]),
    ("Nascimento", ["01/02/1990", ""]), ("Instagram", ["@ana", ""]), ("Produtor", ["Bia Reis", "Caio"]),
    ("Phone", ["+55 11 91234-5678", ""]), ("City", ["Santos", ""]), ("Notes", ["guitar", "drums"]),
    ("Project", ["Tour", ""]), ("Teléfono", ["11 5555", ""]), ("Ciudad", ["Lima", ""]), ("Zebra", ["uma", "duas"]),
    ("Banda", ["Os Tais", ""]), ("Motivo", ["cachê", "direitos"]), ("ID interno", ["A-1", "A-2"]),
    ("Nº", ["1", "2"]), ("Xerloque", ["blim", "blam"]), ("Kategorie", ["neu", "alt"]), ("備考", ["済", ""]),
]  # fmt: skip
NOTHING_MORE = [
    ("Desconto", ["0,00", "-"]), ("IRRF", ["", "0"]), ("Retenção", ["", ""]), ("Status", ["", ""]),
    ("Forma de pagamento", ["Pix", "PIX"]), ("Tipo de pagamento", ["TED", "Pix"]), ("Moeda", ["BRL", "R$"]),
    ("", ["", ""]), ("Zebra", ["0,00", "-"]),
]  # fmt: skip
CONDITIONS_OF_DEALS = [
    ("shares", SHARE, "Território", ["BR", "US"]), ("shares", SHARE, "Country", ["Brazil", ""]),
    ("shares", SHARE, "Tipo de receita", ["Streaming", "Sync"]),
    ("shares", SHARE, "Taxa de administração", ["10%", ""]),
    ("shares", SHARE, "Comissão", ["20%", ""]), ("shares", SHARE, "Teto", ["1000", ""]),
    ("shares", SHARE, "Plataforma", ["Spotify", ""]), ("shares", SHARE, "Direitos", ["conexos", "autorais"]),
    ("shares", SHARE, "Status", ["Assinado", "Pendente"]), ("shares", SHARE, "Revenue type", ["Ads", "Subs"]),
    ("advances", ADVANCE, "UPC", ["7891234567895", ""]), ("advances", ADVANCE, "Faixa", ["Samba", ""]),
    ("advances", ADVANCE, "Status", ["Quitado", "Aberto"]), ("payees", PIX_PAYEE, "Ativo", ["não", "sim"]),
    ("payees", PIX_PAYEE, "Situação", ["Inativo", "Ativo"]), ("payees", PIX_PAYEE, "Moeda", ["USD", "BRL"]),
]  # fmt: skip


def said_of(header):
    """What the job says of a header that is none of our columns."""
    return {"remarks": [header]} if header[0].isupper() else {}


def two(row, header, texts):
    return [row | {header: texts[0]}, row | {"isrc": "BRABC2600002", "tax_id": "11144477735"} | {header: texts[1]}]


def payments(header, texts):
    return [PAYMENT | {header: texts[0]}, OTHER | {header: texts[1]}]


@pytest.mark.parametrize(("header", "texts"), CONDITIONS_OF_PAYMENTS)
def test_what_may_bear_on_a_payment_holds_the_rows_until_the_job_says_what_it_is(header, texts):
    parsed = parse("payments", *payments(header, texts))
    assert parsed.frame.empty
    (issue,) = [issue for issue in parsed.issues if issue.code.value == "COLUMN_CONDITION"]
    assert (issue.severity, issue.cell) == (Severity.ERROR, "F1")
    if header:
        ignored = parse("payments", *payments(header, texts), ignore_columns=[header])
        assert "COLUMN_CONDITION" not in codes(ignored)
        assert len(ignored.frame) == 2


@pytest.mark.parametrize(("header", "texts"), REMARKS_OF_PAYMENTS)
def test_a_header_that_nobody_has_answered_holds_its_table_with_one_question(header, texts):
    rows = [row | {"Zona": "norte"} for row in payments(header, texts)]
    parsed = parse("payments", *rows)
    assert parsed.frame.empty
    (issue,) = parsed.issues
    assert (issue.code.value, issue.severity, issue.cell) == ("COLUMN_UNANSWERED", Severity.ERROR, "F1")
    (said,) = re.findall(r"`columns: ([^`]+)`", str(issue.accepts))
    proposed = YAML(typ="safe").load(said)
    assert list(proposed) == [header, "Zona"]
    said = TableFiles(files=("p.xlsx",), columns=proposed).answers
    answered = parse_table(sheet(*rows), with_answers(layout("payments"), said))
    assert (len(answered.frame), codes(answered)) == (2, [])
    about_rows = {written.column for written in answered.written if written.is_of_row}
    assert about_rows == {name for name, answer in proposed.items() if answer == "remark"}


@pytest.mark.parametrize(("header", "texts"), NOTHING_MORE)
def test_what_says_no_more_than_what_is_done_anyway_asks_nothing(header, texts):
    parsed = parse("payments", *payments(header, texts))
    assert (len(parsed.frame), codes(parsed)) == (2, [])
    assert not [written for written in parsed.written if written.is_of_row and written.token]


@pytest.mark.parametrize(("table", "row", "header", "texts"), CONDITIONS_OF_DEALS)
def test_a_deal_that_says_more_than_the_table_reads_is_no_deal_yet(table, row, header, texts):
    names = tuple(name for name in (*row, header))
    parsed = parse(
        table, *({name: text for name, text in one.items() if name in names} for one in two(row, header, texts))
    )
    assert parsed.frame.empty
    assert "COLUMN_CONDITION" in codes(parsed)


@pytest.mark.parametrize(
    ("table", "row", "header", "texts", "column"),
    [
        ("shares", SHARE, "Limite total", ["8.000,00", ""], "cap"),
        ("shares", SHARE, "Max payout", ["500.00", ""], "cap"),
        ("shares", SHARE, "Somente nos países", ["BR", ""], "territory"),
        ("shares", SHARE, "Loja", ["Onda", ""], "platform"),
        ("shares", SHARE, "Escalonamento", ["5.000 un", ""], "tier_from"),
        ("shares", SHARE, "Canal", ["Onda", ""], "platform"),
        ("shares", SHARE, "Nº do acordo", ["Acordo 1", ""], "contract"),
        ("shares", SHARE, "Renda", ["sync", ""], "income"),
        ("shares", SHARE, "Incide sobre", ["por fora", ""], "base"), ("shares", SHARE, "Mídia", ["CD", ""], "format"),
        ("advances", ADVANCE, "% recuperável", ["50%", ""], "recoup"),
        ("advances", ADVANCE, "Deal", ["d1", ""], "contract"),
        ("costs", COST, "Limite", ["100,00", ""], "cap"), ("costs", COST, "Mercado", ["BR", ""], "territory"),
    ],
)  # fmt: skip
def test_a_term_of_a_deal_under_another_name_is_offered_by_ours_and_read_as_that(table, row, header, texts, column):
    """Varied: the table, the language, the term. Whoever takes what is offered is asked nothing more about it."""
    rows = [row | {header: texts[0]}, row | {"isrc": "BRABC2600002", "reference": "b", "cost": "b", header: texts[1]}]
    rows = [{name: text for name, text in drawn.items() if name in {*row, header}} for drawn in rows]
    (issue,) = [issue for issue in parse(table, *rows).issues if issue.code.value == "COLUMN_CONDITION"]
    (said,) = re.findall(r"`columns: ([^`]+)`", str(issue.accepts))
    assert YAML(typ="safe").load(said) == {header: column}
    answered = TableFiles(files=("p.xlsx",), columns={header: column}).answers
    parsed = parse_table(sheet(*rows), with_answers(layout(table), answered))
    assert (len(parsed.frame), codes(parsed)) == (2, [])
    without = parse(table, *({name: text for name, text in drawn.items() if name in row} for drawn in rows))
    assert not parsed.frame.equals(without.frame), "the term says something"


def test_a_condition_tells_what_stands_in_it_and_what_to_write():
    status = ["Pago", "Pendente", "Pendente"]
    rows = [PAYMENT | {"reference": str(at), "Status": text} for at, text in enumerate(status)]
    parsed = parse("payments", *rows)
    (issue,) = parsed.issues
    assert "2 Pendente, 1 Pago" in str(issue.message)
    assert "columns: {Status: {only: [Pendente]}}" in str(issue.accepts)
    assert "ignored" not in str(issue.accepts)  # it would pay what is paid once more
    assert "not used: Status (2 Pendente, 1 Pago)" in "; ".join(map(str, parsed.decisions))


@pytest.mark.parametrize("header", ["Status", "Vencimento", "Comissão", "F"])
def test_what_the_job_calls_a_remark_holds_nobody_and_stands_beside_its_row(header):
    parsed = parse("payments", *payments(header, ["20%", "10/03/2027"]), remarks=[header])
    assert parsed.held.empty
    assert [(said.column, said.text) for said in parsed.written if said.is_of_row] == [
        (header, "20%"), (header, "10/03/2027")
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("header", "texts", "written"),
    [
        ("Status", ["Pago", "Em análise"], "columns: {Status: {only: [...]}}"),
        ("Pago?", ["sim", "sim"], 'columns: {"Pago?": {only: [...]}}'),
        ("Aprovado", ["sim", "não"], "columns: {Aprovado: {only: [...]}}"),
        ("Situação", ["Aprovado", "Reprovado"], "columns: {Situação: {only: [Aprovado]}}"),
        ("Forma de pagamento", ["dinheiro", "Pix"], "columns: {Forma de pagamento: {only: [Pix]}}"),
        ("Vencimento", ["10/03/2027", "10/03/2027"], "columns: {Vencimento: {ignored: date}}"),
        ("Empresa pagadora", ["Selo A", "Selo B"], "columns: {Empresa pagadora: {only: [...]}}"),
    ],
)
def test_a_text_is_proposed_where_it_says_itself_that_the_money_is_still_to_go_out(header, texts, written):
    (issue,) = parse("payments", *payments(header, texts)).issues
    assert written in str(issue.accepts)


CLAUSES = [
    *(("payments", PAYMENT, header, texts) for header, texts in (
        ("Desconto", ["5,00", ""]), ("IRRF", ["1,50", "0"]), ("Teto", ["500", ""]), ("Diárias", ["3", "2"]),
        ("Ajuda de custo", ["300,00", "150,00"]), ("Rateio", ["30%", "70%"]), ("Outubro", ["10,00", "5,00"]),
    )),
    *CONDITIONS_OF_DEALS[:6], ("shares", SHARE, "Plataforma", ["Spotify", ""]), ("shares", SHARE, "Moeda", ["USD", ""]),
    ("shares", SHARE, "Vencimento", ["2026-12-31", ""]), ("advances", ADVANCE, "Faixa", ["Samba", ""]),
    ("shares", SHARE, "share", ["50%", "20%"]), ("shares", SHARE, "isrc", ["BRABC2600001", "BRABC2600002"]),
]  # fmt: skip


@pytest.mark.parametrize(("table", "row", "header", "texts"), CLAUSES)
def test_rows_are_not_chosen_by_what_changes_what_they_pay(table, row, header, texts):
    rows = payments(header, texts) if table == "payments" else two(row, header, texts)
    rows = [{name: text for name, text in drawn.items() if name in {*row, header}} for drawn in rows]
    parsed = parse(table, *rows, only={header: [texts[0]]})
    assert (parsed.frame.empty, "COLUMN_CLAUSE" in codes(parsed)) == (True, True)
    (issue,) = [issue for issue in parsed.issues if issue.code.value == "COLUMN_CLAUSE"]
    assert "chooses rows by a state" in str(issue.accepts)
    assert "ignored" not in str(issue.accepts)


def test_a_column_without_a_header_is_named_by_its_letter():
    rows = payments("", ["algo", ""])
    (issue,) = parse("payments", *rows).issues
    assert 'columns: {"F": {ignored: text}}' in str(issue.accepts)
    assert len(parse("payments", *rows, ignore_columns=["f"]).frame) == 2
    assert parse("payments", *rows, ignore_columns=["E"]).frame.empty


def test_texts_that_could_name_somebody_are_not_told():
    parsed = parse("payments", *payments("Aprovado por", ["Bia Reis", "Caio Nunes"]))
    assert "Bia" not in "".join(map(str, (*parsed.decisions, *(issue.message for issue in parsed.issues))))


@pytest.mark.parametrize("text", ["1198765432", "12345678", "4313-1", "43129-0", "4313", "341", "MARIA", "529.982.247"])
def test_numbers_that_could_be_somebody_s_account_or_phone_are_not_told(text):
    parsed = parse("payments", *payments("Conta do pagador", [text, text]))
    told = "".join(map(str, (*parsed.decisions, *(issue.message for issue in parsed.issues))))
    assert "COLUMN_CONDITION" in codes(parsed)
    assert text not in told


def test_only_the_rows_that_the_job_asks_for_are_used_and_the_others_are_counted():
    parsed = parse("payments", *payments("Status", ["Pago", "pendente "]), only={"Status": ["Pendente"]})
    assert parsed.frame["row"].tolist() == [3]
    assert parsed.rows["codes"].tolist() == ["not_asked", ""]
    assert "1 row left out, which the job does not ask for" in map(str, parsed.decisions)


@pytest.mark.parametrize("text", ["Pendnte", "Pendentes", "pendente?a", "Pedente"])
def test_a_row_that_says_nearly_what_is_asked_for_is_left_out_and_named(text):
    parsed = parse("payments", *payments("Status", [text, "PENDENTE"]), only={"Status": ["Pendente"]})
    (issue,) = (issue for issue in parsed.issues if issue.code.value == "ROW_NEARLY_ASKED")
    assert (issue.row, issue.severity.value, parsed.frame["row"].tolist()) == (2, "warning", [3])


@pytest.mark.parametrize("text", ["Pago", "Não pendente", "", "Cancelado", "Pend."])
def test_a_row_that_says_something_else_is_left_out_without_a_word(text):
    parsed = parse("payments", *payments("Status", [text, "Pendente"]), only={"Status": ["Pendente"]})
    assert "ROW_NEARLY_ASKED" not in codes(parsed)


@pytest.mark.parametrize(
    ("text", "currency"), [("USD", "USD"), ("US$", "USD"), ("eur", "EUR"), ("€", "EUR"), ("GBP", "GBP")]
)
def test_a_payment_in_another_currency_than_is_paid_in_is_held_at_its_cell(text, currency):
    raw = sheet(PAYMENT | {"Moeda": text}, OTHER | {"Moeda": "R$"})
    parsed = parse_table(raw, read_layout("payments", Path()))
    assert (codes(parsed), parsed.frame["row"].tolist()) == (["AMOUNT_CURRENCY"], [3])
    assert parsed.issues[0].cell == "F2"
    assert parsed.held["currency"].tolist() == [currency]


@pytest.mark.parametrize("text", ["BRL", "brl", "R$", "Real", "reais", ""])
def test_the_currency_that_is_paid_in_may_be_said_in_words(text):
    assert (
        len(
            parse_table(
                sheet(PAYMENT | {"Moeda": text}, OTHER | {"Moeda": "BRL"}), read_layout("payments", Path())
            ).frame
        )
        == 2
    )


def test_a_total_over_all_rows_agrees_although_some_are_not_asked_for():
    rows = [*payments("Status", ["Pago", "Pendente"]), {"name": "Total", "amount": "20,00"}]
    parsed = parse("payments", *rows, only={"Status": ["Pendente"]}, totals=["Total"])
    assert (parsed.frame["row"].tolist(), codes(parsed)) == ([3], [])
    wrong = parse(
        "payments", *rows[:2], {"name": "Total", "amount": "25,00"}, only={"Status": ["Pendente"]}, totals=["Total"]
    )
    assert (wrong.frame.empty, codes(wrong)) == (True, ["TOTAL_MISMATCH"])


STOPPED = [
    ("name", "Maria Silva (CANCELADO)"), ("reference", "já pago em 10/10"), ("Observação", "NÃO PAGAR"),
    ("Obs", "nao pagar este mes"), ("reference", "estorno"), ("Notes", "do NOT pay"),
    ("name", "Maria Silva - falecida"),
    ("Observação", "contrato suspenso"), ("Projeto", "Pagamento suspenso até nova ordem"), ("Obs", "ya pagado"),
    ("Comentário", "don't pay"), ("Observações", "Já foi pago"), ("reference", "estornado"), ("Obs", "desconsiderar"),
    ("Obs", "não paguem"), ("Obs", "nao pagem"), ("Obs", "ya pagó en junio"), ("Obs", "já pg"), ("Obs", "CANCELEM"),
    ("Obs", "não é pra pagar"), ("Obs", "Não repassem"), ("Obs", "não depositar"), ("Obs", "segurar pagamento"),
    ("Obs", "já transferido em mãos"), ("Obs", "conta bloqueada pelo banco"), ("Obs", "favor estornar"),
    ("Obs", "Não deve ser pago"), ("Obs", "não podem mais ser pagas"), ("Obs", "não vou pagar"),
    ("Obs", "suspender até a ação acabar"), ("Obs", "não fazer o pix"), ("Obs", "cancelou o contrato"),
]  # fmt: skip


@pytest.mark.parametrize(("header", "text"), STOPPED)
def test_words_that_stop_a_person_stop_the_row_at_their_cell(header, text):
    parsed = parse("payments", PAYMENT | {header: text}, OTHER, **said_of(header))
    assert parsed.frame["row"].tolist() == [3]
    (issue,) = [issue for issue in parsed.issues if issue.code.value == "ROW_STOPPED"]
    assert (issue.row, issue.column) == (2, header)
    assert issue.cell is not None


@pytest.mark.parametrize(
    ("header", "text"),
    [
        ("name", "Paga Leve Produções"), ("reference", "pagamento de outubro"), ("Observação", "pagar na segunda"),
        ("Observação", "cancela o recibo anterior"), ("artist_name", "Cancelado"),
        ("Obs", "pago pela gravadora em 2025"),
        ("reference", "a pagar"), ("Projeto", "Suspense"), ("name", "João Estorninho"), ("Obs", "página 3"),
        ("Obs", "não pago ainda"),
        ("Obs", "liberar na segunda"), ("Obs", "não esquecer o recibo"), ("Obs", "pagamento por transferência"),
        ("Projeto", "Bloqueio de carnaval"), ("Obs", "segurança do show"), ("name", "Repasse Produções"),
    ],
)  # fmt: skip
def test_words_like_these_stop_nobody(header, text):
    assert len(parse("payments", PAYMENT | {header: text}, OTHER, **said_of(header)).frame) == 2


def test_a_column_that_the_job_ignores_stops_nobody():
    rows = payments("Obs", ["cancelado", ""])
    assert len(parse("payments", *rows, ignore_columns=["Obs"]).frame) == 2


@pytest.mark.parametrize("table", ["payments", "payees"])
def test_what_is_left_aside_as_proposed_still_stops_a_row_by_words_that_stop_a_person(table):
    names = PAYMENT if table == "payments" else PIX_PAYEE
    rows = [
        {name: row[name] for name in names} | {"Telefone": text} for row, text in ((PAYMENT, "11 5555"), (OTHER, ""))
    ]
    answered = as_proposed(sheet(*rows), layout(table))
    assert answered.ignored_kinds == {"Telefone": "text"}
    rows[1]["Telefone"] = "não pagar"
    parsed = parse_table(sheet(*rows), answered)
    assert parsed.frame["row"].tolist() == [2]
    assert codes(parsed) == ["ROW_STOPPED"]


def test_a_column_that_the_job_asks_rows_of_must_be_there():
    with pytest.raises(UnreadableFile, match="Status"):
        parse_table(sheet(PAYMENT), layout("payments", only={"Status": ["Pendente"]}))


@pytest.mark.parametrize("header", ["% do selo", "Retenção", "Imposto retido", "Withholding tax", "Parte da gravadora"])
def test_a_statement_of_which_something_is_kept_back_is_held_whole(header):
    line = {"period": "2026-09", "title": "Samba", "amount": "10.00", "currency": "BRL"}
    parsed = parse("royalty_lines", line | {header: "1.50"}, line)
    assert parsed.frame.empty
    assert set(codes(parsed)) == {"COLUMN_CONDITION"}
    assert len(parse("royalty_lines", line | {header: "0.00"}, line).frame) == 2


WHOLE = {"tax_id": "11144477735", "share": "10%"}


@pytest.mark.parametrize(
    ("rows", "held"),
    [
        ([SHARE, WHOLE], [3]), ([WHOLE, SHARE, WHOLE | {"share": "5%", "role": "x"}], [2, 4]), ([WHOLE], []),
        ([SHARE, WHOLE | {"isrc": "todo o catálogo"}], []), ([SHARE, WHOLE | {"artist": "Todos"}], []),
        ([WHOLE | {"release": "Whole catalogue"}, SHARE], []), ([SHARE, WHOLE | {"title": "all tracks"}], []),
        ([WHOLE | {"title": "Samba"}, {"tax_id": "52998224725", "share": "50%", "title": "Valsa"}], [2, 3]),
        ([SHARE | {"title": "Samba"}], []), ([SHARE | {"title": "Samba"}, WHOLE | {"title": "Valsa"}], [3]),
        ([WHOLE | {"artist": "Banda", "title": "Samba"}], [2]), ([WHOLE | {"release": "Mar", "title": "Samba"}], [2]),
        ([WHOLE | {"artist": "Banda", "title": "Todas"}], []), ([SHARE | {"artist": "Banda", "title": "Samba"}], []),
    ],
)  # fmt: skip
def test_a_share_says_what_it_is_a_share_of(rows, held):
    names = ("isrc", "release", "artist", "title", "tax_id", "role", "share")
    raw = sheet(*rows, headers=names)
    parsed = parse_table(raw, read_layout("shares", Path()))
    assert parsed.held["row"].tolist() == held
    assert set(codes(parsed)) == ({"SHARE_SCOPE"} if held else set())


@pytest.mark.parametrize(
    ("texts", "held"),
    [
        (["0,5", "50%"], [2]), (["0.25", "25 %", "1"], [2, 4]), (["0,5%", "50%"], []), (["0,5", "50"], []),
        (["1%", "99%"], []), (["0,5", "0,5"], [2, 3]),
    ],
)  # fmt: skip
def test_a_fraction_beside_percentages_is_not_read_as_less_than_one_of_a_hundred(texts, held):
    rows = [SHARE | {"isrc": f"BRABC260000{at}", "share": text} for at, text in enumerate(texts)]
    parsed = parse("shares", *rows)
    assert parsed.held["row"].tolist() == held
    assert set(codes(parsed)) == ({"PERCENT_FORMAT"} if held else set())


@pytest.mark.parametrize(
    ("rows", "held"),
    [
        ([SHARE | {"Zona": "norte"}, SHARE | {"Zona": "sul", "share": "30%"}, SHARE | {"Zona": "sul"}], True),
        (
            [
                SHARE | {"Zona": "norte"},
                SHARE | {"Zona": "norte", "role": "produtor"},
                SHARE | {"tax_id": "11144477735"},
            ],
            False,
        ),
        (
            [
                SHARE | {"Zona": "norte"},
                SHARE | {"Zona": "sul", "isrc": "BRABC2600009"},
                SHARE | {"Zona": "sul", "role": "x"},
            ],
            False,
        ),
        ([SHARE | {"Zona": "1"}, SHARE | {"Zona": "2"}, SHARE | {"Zona": "3"}], False),
    ],
    ids=["one share, several zones", "alike in it", "other recordings", "numbered rows"],
)
def test_a_column_by_which_alone_two_shares_of_one_scope_differ_is_a_condition(rows, held):
    names = tuple(dict.fromkeys(name for row in rows for name in row))
    answered = with_answers(read_layout("shares", Path()), {"Zona": "remark"})
    parsed = parse_table(sheet(*rows, headers=names), answered)
    assert ("COLUMN_CONDITION" in codes(parsed)) == held
    assert parsed.frame.empty == held
