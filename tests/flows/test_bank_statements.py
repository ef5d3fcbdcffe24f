"""A statement of the bank is read as the bank wrote it: OFX of both editions, and sheets with a sign or two columns.

Varied: the format, the encoding, marks of decimals, what the bank says of its balances, and what cannot be read.
"""

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flows.bank.read_statement import read_statement
from io_adapters.spreadsheets.kinds import FileKind, kind_of
from io_adapters.spreadsheets.workbook.ofx import open_ofx
from schemas.errors import UnreadableFile

SGML = """OFXHEADER:100
DATA:OFXSGML
VERSION:102
ENCODING:USASCII
CHARSET:1252

<OFX><SIGNONMSGSRSV1><SONRS><FI><ORG>Banco X<FID>341</FI></SONRS></SIGNONMSGSRSV1>
<BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>BRL<BANKACCTFROM><BANKID>0341<ACCTID>12345-6</BANKACCTFROM>
<BANKTRANLIST><DTSTART>20261001000000[-3:BRT]<DTEND>20261031
<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>20261005120000[-3:BRT]<TRNAMT>-30.00<FITID>77<MEMO>PIX SERVIÇO &amp; CIA</STMTTRN>
<STMTTRN><TRNTYPE>CREDIT<DTPOSTED>20261006<TRNAMT>1000,50<FITID>78<MEMO>TED</STMTTRN>
</BANKTRANLIST><LEDGERBAL><BALAMT>1970.50<DTASOF>20261031</LEDGERBAL><AVAILBAL><BALAMT>9999.99<DTASOF>20261031</AVAILBAL>
</STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>
"""
XML = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<?OFX OFXHEADER="200" VERSION="211"?>\n'
    "<OFX><STMTRS><BANKACCTFROM><ACCTID>12345-6</ACCTID></BANKACCTFROM><BANKTRANLIST>"
    "<STMTTRN><DTPOSTED>20261005</DTPOSTED><TRNAMT>-30.00</TRNAMT><MEMO>PIX SERVIÇO &amp; CIA</MEMO></STMTTRN>"
    "<STMTTRN><DTPOSTED>20261006</DTPOSTED><TRNAMT>1000.50</TRNAMT><MEMO>TED</MEMO></STMTTRN>"
    "</BANKTRANLIST></STMTRS></OFX>"
)
SIGNED = "Data;Histórico;Valor;Saldo\n05/10/2026;PIX SERVIÇO & CIA;-30,00;970,00\n06/10/2026;TED;1.000,50;1.970,50\n"
TWO_COLUMNS = (
    "Data;Histórico;Crédito;Débito\n01/10/2026;Saldo anterior;;\n05/10/2026;PIX SERVIÇO & CIA;;30,00\n"
    "06/10/2026;TED;1.000,50;\n31/10/2026;Total;1.000,50;30,00\n"
)
LINES = [(dt.date(2026, 10, 5), -3000, "PIX SERVIÇO & CIA"), (dt.date(2026, 10, 6), 100050, "TED")]


def written(tmp_path, text, name="extrato.ofx", encoding="utf-8"):
    path = tmp_path / name
    path.write_bytes(text.encode(encoding))
    return path


@pytest.mark.parametrize(
    ("text", "name", "encoding"),
    [
        (SGML, "extrato.ofx", "cp1252"),
        (SGML, "extrato.txt", "utf-8"),
        (XML, "extrato.ofx", "utf-8"),
        (SIGNED, "extrato.csv", "utf-8"),
        (TWO_COLUMNS, "extrato.csv", "cp1252"),
    ],
)
def test_the_same_lines_are_read_from_every_form_of_a_statement(tmp_path, text, name, encoding):
    found = read_statement(written(tmp_path, text, name, encoding), "itau")
    assert [(line.day, line.cents) for line in found.lines] == [(day, cents) for day, cents, _ in LINES]
    assert all(line.text.startswith(words) for line, (*_, words) in zip(found.lines, LINES, strict=True))
    assert found.gap_cents == 0


@pytest.mark.parametrize(
    ("text", "name", "opening", "closing"),
    [
        (SGML, "a.ofx", 100000, 197050),
        (XML, "a.ofx", None, None),
        (SIGNED, "a.csv", 100000, 197050),
        (TWO_COLUMNS, "a.csv", None, None),
    ],
)
def test_the_balances_before_and_after_are_those_that_the_bank_says(tmp_path, text, name, opening, closing):
    found = read_statement(written(tmp_path, text, name), "itau")
    assert (found.opening_cents, found.closing_cents) == (opening, closing)


def test_a_month_in_which_nothing_moved_is_a_statement_where_it_says_its_days(tmp_path):
    empty = SGML[: SGML.index("<STMTTRN>")] + SGML[SGML.index("</BANKTRANLIST>") :]
    found = read_statement(written(tmp_path, empty), "itau")
    assert (found.lines, found.first, found.last) == ((), dt.date(2026, 10, 1), dt.date(2026, 10, 31))
    assert (found.opening_cents, found.closing_cents) == (197050, 197050)
    with pytest.raises(UnreadableFile):
        read_statement(written(tmp_path, empty.replace("<DTEND>20261031", "")), "itau")


def test_a_balance_of_a_later_day_than_the_lines_is_none_of_theirs(tmp_path):
    later = SGML.replace("<BALAMT>1970.50<DTASOF>20261031", "<BALAMT>1970.50<DTASOF>20261105")
    found = read_statement(written(tmp_path, later), "itau")
    assert (found.opening_cents, found.closing_cents) == (None, None)


def test_a_balance_that_does_not_follow_is_named_by_its_cell(tmp_path):
    found = read_statement(written(tmp_path, SIGNED.replace("1.970,50", "1.970,49"), "a.csv"), "itau")
    assert found.breaks == (("a.csv, D3", -1),)


def test_an_account_is_called_as_people_say_or_as_its_bank_does_and_one_that_nobody_names_is_asked_about(tmp_path):
    assert read_statement(written(tmp_path, SGML), "").account == "12345-6"
    assert read_statement(written(tmp_path, SGML), "itau").account == "itau"
    with pytest.raises(UnreadableFile, match="--account"):
        read_statement(written(tmp_path, SIGNED, "a.csv"), "")


def test_a_line_has_one_name_in_every_file_that_has_it_and_equal_lines_of_a_day_have_two(tmp_path):
    twice = SIGNED + "06/10/2026;TED;1.000,50;2.971,00\n"
    first = read_statement(written(tmp_path, SIGNED, "a.csv"), "itau")
    second = read_statement(written(tmp_path, twice, "b.csv"), "itau")
    assert [line.id for line in second.lines[:2]] == [line.id for line in first.lines]
    assert len({line.id for line in second.lines}) == 3


@pytest.mark.parametrize(
    ("was", "now"), [("<FITID>77", "<FITID>2026-1"), ("<FITID>77", ""), ("<FITID>78", "<FITID>77")]
)
def test_a_line_keeps_its_name_though_its_bank_numbers_it_anew_in_each_file(tmp_path, was, now):
    first = read_statement(written(tmp_path, SGML), "itau")
    second = read_statement(written(tmp_path, SGML.replace(was, now)), "itau")
    assert [line.id for line in second.lines] == [line.id for line in first.lines]


def test_every_cell_that_cannot_be_read_is_named_and_nothing_is_taken(tmp_path):
    broken = SIGNED.replace("05/10/2026", "ontem").replace("1.000,50;1.970,50", "mil;1.970,50")
    with pytest.raises(UnreadableFile) as refused:
        read_statement(written(tmp_path, broken, "a.csv"), "itau")
    assert {issue.cell for issue in refused.value.issues} == {"A2", "C3"}


HEADS = "Data;Histórico;Valor"


@pytest.mark.parametrize(
    "text",
    [
        f"{HEADS};D/C\n05/10/2026;PIX SERVIÇO & CIA;30,00;D\n06/10/2026;TED;1.000,50;C\n",
        f"{HEADS};Tipo lançamento\n05/10/2026;PIX SERVIÇO & CIA;30,00;Saída\n06/10/2026;TED;1.000,50;Entrada\n",
        (
            f"{HEADS};C/D\n05/10/2026;PIX SERVIÇO & CIA;-30,00;DÉBITO\n06/10/2026;TED;1.000,50;CRÉDITO\n"
            ";Total;5,00;\n;Disponível;;\n"
        ),
        f"{HEADS}\n05/10/2026;PIX SERVIÇO & CIA;30,00 D\n06/10/2026;TED;1.000,50 C\n",
        f"{HEADS}\n05/10/2026;PIX SERVIÇO & CIA;30,00-\n06/10/2026;TED;1.000,50+\n",
        f"{HEADS}\n05/10/2026;PIX SERVIÇO & CIA;(30,00)\n06/10/2026;TED;1.000,50\n",
        f"{HEADS};Tipo\n05/10/2026;PIX SERVIÇO & CIA;-R$ 30,00;Pix\n06/10/2026;TED;R$ 1.000,50;TED\n",
    ],
)
def test_what_left_and_what_came_in_are_told_apart_as_banks_write_it(tmp_path, text):
    found = read_statement(written(tmp_path, text, "a.csv"), "itau")
    assert [(line.day, line.cents) for line in found.lines] == [(day, cents) for day, cents, _ in LINES]


# How ten banks of Brazil head the sheets that they let their customers download.
OF_BANKS = {
    "balances between the lines": (
        "Nome:;SELO LTDA\n\ndata;lançamento;ag./origem;valor (R$);saldos (R$)\n01/10/2026;SALDO ANTERIOR;;;1.000,00\n"
        "05/10/2026;PIX SERVIÇO & CIA;;-30,00;\n"
        "05/10/2026;SALDO TOTAL DISPONÍVEL DIA;;;970,00\n"
        "06/10/2026;TED;;1.000,50;\n"
    ),
    "two columns and a total": (
        "Extrato de: Ag: 1\n"
        "Data;Histórico;Docto.;Crédito (R$);Débito (R$);Saldo (R$)\n"
        "05/10/2026;PIX SERVIÇO & CIA;123;;-30,00;970,00\n"
        "06/10/2026;TED;124;1.000,50;;1.970,50\n;Total;;1.000,50;-30,00;1.970,50\n"
    ),
    "a day that is none": (
        '"Data","Lançamento","Detalhes","N° documento","Valor","Tipo Lançamento"\n'
        '"30/09/2026","Saldo Anterior","","","1.000,00",""\n'
        '"05/10/2026","PIX SERVIÇO & CIA","05/10 RP-1","1","-30,00","Saída"\n'
        '"06/10/2026","TED","x","2","1.000,50","Entrada"\n'
        '"00/00/0000","Saldo do dia","","","1.970,50",""\n'
    ),
    "days and points of machines": (
        '"Conta";"Data_Mov";"Nr_Doc";"Historico";"Valor";"Deb_Cred"\n'
        '"1";"20261005";"1";"PIX SERVIÇO & CIA";"30.00";"D"\n'
        '"1";"20261006";"2";"TED";"1000.50";"C"\n'
    ),
    "ids": "Data,Valor,Identificador,Descrição\n05/10/2026,-30.00,a-1,PIX SERVIÇO & CIA\n06/10/2026,1000.50,a-2,TED\n",
    "words in two columns": (
        "Conta ;123\nSaldo ;1.970,50\n\nData Lançamento;Histórico;Descrição;Valor;Saldo\n"
        "05/10/2026;PIX SERVIÇO & CIA;RP-1;-30,00;970,00\n06/10/2026;TED;X;1.000,50;1.970,50\n"
    ),
    "two days": (
        "Data Lançamento,Data Contábil,Descrição,Entrada(R$),Saída(R$),Saldo do Dia(R$)\n"
        "05/10/2026,05/10/2026,PIX SERVIÇO & CIA,0.00,30.00,970.00\n06/10/2026,06/10/2026,TED,1000.50,0.00,1970.50\n"
    ),
    "marks behind amounts": (
        "DATA;DOCUMENTO;HISTÓRICO;VALOR\n01/10/2026;;SALDO ANTERIOR;1.000,00C\n05/10/2026;1;PIX SERVIÇO & CIA;30,00D\n"
        "06/10/2026;2;TED;1.000,50C\n06/10/2026;;SALDO DO DIA;1.970,50C\n"
    ),
    "English": (
        "INITIAL_BALANCE;FINAL_BALANCE\n"
        "1.000,00;1.970,50\n"
        "\n"
        "RELEASE_DATE;TRANSACTION_TYPE;REFERENCE_ID;TRANSACTION_NET_AMOUNT\n"
        "05-10-2026;PIX SERVIÇO & CIA;1;-30,00\n06-10-2026;TED;2;1.000,50\n"
    ),
    "a side beside a sign": (
        "Data,Transação,Tipo Transação,Identificação,Valor\n05/10/2026,PIX SERVIÇO & CIA,DÉBITO,X,-30.00\n"
        "06/10/2026,TED,CRÉDITO,X,1000.50\n"
    ),
}


@pytest.mark.parametrize("how", OF_BANKS)
def test_sheets_are_read_as_banks_give_them_to_their_customers(tmp_path, how):
    found = read_statement(written(tmp_path, OF_BANKS[how], "a.csv"), "conta")
    assert [(line.day, line.cents) for line in found.lines] == [(day, cents) for day, cents, _ in LINES]
    assert all(line.text.startswith(words) for line, (*_, words) in zip(found.lines, LINES, strict=True))
    if "RP-1" in OF_BANKS[how]:
        assert "RP-1" in found.lines[0].text


@pytest.mark.parametrize("heads", ["Data;Data lançamento;Valor", "Data;Valor;Montante", "Data;Histórico;Débito;Saída"])
def test_of_two_columns_that_may_be_the_one_none_is_taken(tmp_path, heads):
    width = heads.count(";")
    row = ";".join(["05/10/2026", *["30,00"] * width]) if "lançamento" not in heads else "05/10/2026;06/10/2026;30,00"
    with pytest.raises(UnreadableFile, match="several columns"):
        read_statement(written(tmp_path, f"{heads}\n{row}\n", "a.csv"), "conta")


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        (f"{HEADS}\n05/10/2026;PIX;-30,00\n;TED;1.000,50\n", "A3"),
        (f"{HEADS};D/C\n05/10/2026;PIX;30,00;D\n06/10/2026;TED;1.000,50;\n", "D3"),
        (f"{HEADS};D/C\n05/10/2026;PIX;30,00;D\n06/10/2026;ESTORNO;-1.000,50;C\n", "D3"),
        (f"{HEADS}\n05/10/2026;PIX;30,00D\n06/10/2026;ESTORNO;-1.000,50C\n", "C3"),
    ],
)
def test_a_line_without_a_day_or_a_side_is_named_and_not_left_out(tmp_path, text, cell):
    with pytest.raises(UnreadableFile) as refused:
        read_statement(written(tmp_path, text, "a.csv"), "itau")
    assert cell in [issue.cell for issue in refused.value.issues] or f"({cell})" in str(refused.value)


OTHER_ACCOUNT = SGML[SGML.index("<STMTTRNRS>") : SGML.index("</BANKMSGSRSV1>")].replace("12345-6", "99999-9")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (SGML.replace("<CURDEF>BRL", "<CURDEF>USD"), "USD"),
        (SGML.replace("</BANKMSGSRSV1>", f"{OTHER_ACCOUNT}</BANKMSGSRSV1>"), "2 accounts"),
    ],
)
def test_dollars_are_not_read_as_reais_nor_lines_of_one_account_as_anothers(tmp_path, text, why):
    with pytest.raises(UnreadableFile, match=why):
        read_statement(written(tmp_path, text), "itau")


@pytest.mark.parametrize("text", ["nome;valor\nana;3,00\n", "", "<OFX></OFX>"])
def test_what_is_no_statement_is_refused(tmp_path, text):
    with pytest.raises(UnreadableFile):
        read_statement(written(tmp_path, text, "a.csv"), "itau")


@given(
    st.text(max_size=400)
    | st.lists(st.sampled_from(["<STMTTRN>", "</STMTTRN>", "<TRNAMT>", "1", "<MEMO>", "<"])).map("".join)
)
def test_no_text_makes_the_reader_of_ofx_fail(text):
    book = open_ofx(text.encode(errors="replace"))
    assert [sheet.name for sheet in book.sheets] == ["OFX", "OFX conta"]


def test_a_statement_is_known_by_its_bytes_under_any_name(tmp_path):
    for text in (SGML, XML):
        with written(tmp_path, text, "x.bin").open("rb") as stream:
            assert kind_of(stream) is FileKind.OFX
