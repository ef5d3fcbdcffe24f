"""Whoever does what a problem's remedy says is rid of the problem, and of no row more than was meant.

Each case shows a sheet that raises the problem, and the same sheet as its person leaves it who has read the remedy.
Held constant: sheets of one to three rows under our own headers; the remedies of columns, of files and of what no
sheet alone raises are obeyed in tests/flows/test_remedies_of_jobs.py.
"""

from pathlib import Path

import pytest

from io_adapters.spreadsheets.declarations import read_layout
from schemas.issues import NOTES, IssueCode, Severity
from schemas.messages import render
from schemas.parsing.table import parse_table
from schemas.sheet_cells import CellKind, Oddities
from tests.schemas.sheets import ACCOUNT_PAYEE, COLUMNS, PIX_PAYEE, parse, sheet

C = IssueCode
PIX = PIX_PAYEE | {"amount": "10,00"}
ANA = PIX | {"name": "Ana Lima", "tax_id": "11144477735", "pix_key": "ana@example.com", "amount": "20,00"}
BANK = ACCOUNT_PAYEE | {"amount": "10,00"}
SHARE = {"isrc": "BRABC2600001", "tax_id": "52998224725", "share": "50%"}
LINE = {"period": "2026-09", "isrc": "BRABC2600001", "title": "Samba", "amount": "10.00", "currency": "BRL"}
ADVANCE = {"tax_id": "52998224725", "reference": "a", "amount": "10,00"}

OPENING = {"tax_id": "52998224725", "kind": "saldo anterior", "period": "2026-09", "amount": "10,00"}
RATE = {"currency": "USD", "date": "2026-10-30", "rate": "5,43"}
TAX = {"tax_id": "52998224725", "kind": "IRRF", "percentage": "15%"}

# Code -> the table, a sound row, what stands in it and raises the problem, and what stands there afterwards.
CELLS = {
    C.CELL_REQUIRED: ("payments", PIX, {"tax_id": ""}, {}),
    C.NAME_REQUIRED: ("payments", PIX, {"name": ""}, {}),
    C.NAME_LENGTH: ("payments", PIX, {"name": "M"}, {}),
    C.NAME_CONTROL: ("payments", PIX, {"name": "Maria\u200bSilva"}, {}),
    C.NAME_FORMULA: ("payments", PIX, {"name": "=Maria"}, {"name": "Maria"}),
    C.NAME_LETTERS: ("payments", PIX, {"name": "12-34"}, {}),
    C.NAME_CONFUSABLE: ("payments", PIX, {"name": "Mаria Silva"}, {}),
    C.NAME_ENCODING: ("payments", PIX, {"name": "JoÃ£o Silva"}, {"name": "João Silva"}),
    C.TEXT_LENGTH: ("payments", PIX, {"reference": "r" * 1_001}, {"reference": "r"}),
    C.TEXT_CONTROL: ("payments", PIX, {"reference": "a\u200bb"}, {"reference": "ab"}),
    C.TAXID_FORMAT: ("payments", PIX, {"tax_id": "isento"}, {}),
    C.TAXID_LENGTH: ("payments", PIX, {"tax_id": "5299822472"}, {}),
    C.TAXID_CHECK: ("payments", PIX, {"tax_id": "52998224724"}, {}),
    C.EMAIL_FORMAT: ("payments", PIX, {"email": "sem arroba"}, {"email": "maria@example.com"}),
    C.AMOUNT_FORMAT: ("payments", PIX, {"amount": "dez"}, {}),
    C.AMOUNT_TYPE: ("payments", PIX, {"amount": "50%"}, {"amount": "5,00"}),
    C.AMOUNT_AMBIGUOUS: ("payments", PIX, {"amount": "1.234"}, {"amount": "1.234,00"}),
    C.AMOUNT_DECIMALS: ("payments", PIX, {"amount": "1,0005"}, {"amount": "1,00"}),
    C.AMOUNT_NOT_POSITIVE: ("payments", PIX, {"amount": "-10,00"}, {}),
    C.AMOUNT_CURRENCY: ("payments", PIX, {"amount": "US$ 10,00"}, {}),
    C.AMOUNT_ZEROS: ("payments", PIX, {"amount": "0000125000"}, {"amount": "1250,00"}),
    C.PIX_OWNER: ("payments", PIX, {"pix_key": "11144477735", "pix_key_type": "CPF"}, {"pix_key": PIX["tax_id"]}),
    C.PIX_TYPE_REQUIRED: ("payments", PIX, {"pix_key": "x y", "pix_key_type": ""}, {}),
    C.PIX_TYPE_PROPOSED: ("payments", PIX, {"pix_key_type": ""}, {}),
    C.PIX_TYPE_UNKNOWN: ("payments", PIX, {"pix_key_type": "TED"}, {}),
    C.PIX_KEY_REQUIRED: ("payments", PIX, {"pix_key": ""}, {}),
    C.PIX_CPF: ("payments", PIX, {"pix_key": "123", "pix_key_type": "CPF"}, {"pix_key": PIX["tax_id"]}),
    C.PIX_CNPJ: (
        "payments", PIX | {"tax_id": "11444777000161"}, {"pix_key": "123", "pix_key_type": "CNPJ"},
        {"pix_key": "11444777000161"},
    ),
    C.PIX_PHONE: ("payments", PIX, {"pix_key": "123", "pix_key_type": "Celular"}, {"pix_key": "+5511987654321"}),
    C.PIX_EMAIL: ("payments", PIX, {"pix_key": "maria"}, {"pix_key": "maria@example.com"}),
    C.PIX_EVP: (
        "payments", PIX, {"pix_key": "123", "pix_key_type": "Aleatória"},
        {"pix_key": "0f8fad5b-d9cb-469f-a165-70867728950e"},
    ),
    C.DESTINATION_MISSING: ("payments", PIX, {"pix_key": "", "pix_key_type": ""}, {}),
    C.BANK_CODE: ("payments", BANK, {"bank_code": "Banco da Esquina"}, {}),
    C.BANK_PSP: ("payments", BANK, {"psp_id": "abc"}, {}),
    C.BANK_FIELD_REQUIRED: ("payments", BANK, {"agency": ""}, {}),
    C.AGENCY_FORMAT: ("payments", BANK, {"agency": "ag. 1"}, {}),
    C.ACCOUNT_FORMAT: ("payments", BANK, {"account": "conta 5"}, {}),
    C.ACCOUNT_PRECISION: ("payments", BANK, {"account": "1,23E+10"}, {}),
    C.ACCOUNT_TYPE: ("payments", BANK, {"account_type": "Conjunta"}, {}),
    C.ACCOUNT_DIGIT_FORMAT: ("payments", BANK, {"account": "43129", "account_digit": "xx"}, {"account_digit": "0"}),
    C.BOOL_FORMAT: ("payments", PIX, {"withhold": "talvez"}, {"withhold": "não"}),
    C.PERCENT_RANGE: ("shares", SHARE, {"share": "120%"}, {"share": "12%"}),
    C.PERCENT_FORMAT: ("shares", SHARE, {"share": "metade"}, {"share": "50%"}),
    C.ISRC_FORMAT: ("shares", SHARE, {"isrc": "BRABC26"}, {}),
    C.UPC_FORMAT: ("shares", SHARE, {"isrc": "", "upc": "123"}, {"upc": "7899990000021"}),
    C.DATE_FORMAT: ("shares", SHARE, {"valid_from": "logo"}, {"valid_from": "2026-01-01"}),
    C.DATE_ORDER: (
        "shares", SHARE, {"valid_from": "2026-02-01", "valid_to": "2026-01-01"}, {"valid_from": "2026-01-01"},
    ),
    C.COUNT_FORMAT: ("royalty_lines", LINE, {"units": "muitas"}, {"units": "3"}),
    C.CURRENCY_UNKNOWN: ("royalty_lines", LINE, {"currency": ""}, {}),
}  # fmt: skip
# Code -> what happens in a cell that is no text: its kind, or what stands beside it.
OF_KINDS = {
    C.CELL_ERROR: ("#REF!", CellKind.ERROR),
    C.FORMULA_NO_VALUE: ("", CellKind.FORMULA_WITHOUT_VALUE),
}
AT_THE_AMOUNT = (2, list(PIX).index("amount"))
ODD = {
    C.CELL_MERGED: {"merged": frozenset({AT_THE_AMOUNT})},
    C.FORMULA_EXTERNAL: {"external": frozenset({AT_THE_AMOUNT})},
    C.AMOUNT_SHOWN: {"shown_otherwise": frozenset({AT_THE_AMOUNT})},
    C.ROW_STRUCK: {"struck": frozenset({AT_THE_AMOUNT})},
}
# Code -> the table, the rows that raise the problem, and the rows afterwards.
ROWS = {
    C.ROW_STOPPED: ("payments", [PIX | {"name": "Maria Silva - CANCELADO"}, ANA], [ANA]),
    C.ROW_BESIDE_NEGATIVE: (
        "payments", [PIX | {"reference": "a"}, PIX | {"reference": "b", "amount": "-4,00"}],
        [PIX | {"reference": "a", "amount": "6,00"}],
    ),
    C.ROW_DUPLICATE: ("payments", [PIX, PIX], [PIX | {"reference": "a"}, PIX | {"reference": "b"}]),
    C.IDENTITY_CONFLICT: ("payees", [PIX_PAYEE, PIX_PAYEE | {"name": "Mara Silva"}], [PIX_PAYEE]),
    C.SHARE_SCOPE: ("shares", [SHARE, SHARE | {"isrc": ""}], [SHARE, SHARE | {"isrc": "", "upc": "7899990000021"}]),
    C.DESTINATION_CONFLICT: (
        "payments", [BANK | PIX | {"agency": "4313"}], [PIX],
    ),
    C.OPENING_KIND: ("opening", [OPENING | {"kind": "outros"}], [OPENING]),
    C.RATE_CONFLICT: ("rates", [RATE, RATE | {"rate": "5,40"}], [RATE]),
    C.RATE_DIGITS: ("rates", [RATE | {"rate": "5,1234567890123"}], [RATE]),
    C.TAX_RATE: ("taxes", [TAX | {"percentage": ""}], [TAX]),
    C.TERM_UNKNOWN: ("payees", [PIX_PAYEE | {"frequency": "às vezes"}], [PIX_PAYEE | {"frequency": "mensal"}]),
    C.TOTAL_MISMATCH: (
        "payments", [PIX, ANA, dict.fromkeys(PIX, "") | {"name": "Total", "amount": "31,00"}],
        [PIX, ANA, dict.fromkeys(PIX, "") | {"name": "Total", "amount": "30,00"}],
    ),
}  # fmt: skip


def codes_of(parsed, severity=None):
    return {issue.code for issue in parsed.issues if severity is None or issue.severity is severity}


def errors(parsed):
    return codes_of(parsed, Severity.ERROR)


def read(table, *rows):
    """Read a table by the layout that people's own sheets have, under our own names of its columns."""
    if table in COLUMNS and table != "payees":
        return parse(table, *rows, **({"totals": ["Total"]} if table == "payments" else {}))
    own = read_layout(table, Path())
    return parse_table(sheet(*rows), own.model_copy(update={"columns": {name: [name] for name in own.columns}}))


@pytest.mark.parametrize("code", CELLS)
def test_a_cell_written_as_the_remedy_says_is_read(code):
    table, sound, wrong, right = CELLS[code]
    raised = parse(table, sound | wrong)
    assert code in codes_of(raised)
    assert all(render(issue.accepts, language) for issue in raised.issues for language in ("en", "pt-BR"))
    obeyed = parse(table, sound | wrong | right if right else sound)
    assert errors(obeyed) == set()
    assert len(obeyed.frame) == 1


@pytest.mark.parametrize("code", OF_KINDS)
def test_a_cell_typed_anew_is_read(code):
    text, kind = OF_KINDS[code]
    assert code in errors(parse("payments", PIX | {"amount": text}, kinds={(0, "amount"): kind}))
    assert errors(parse("payments", PIX, kinds={(0, "amount"): CellKind.TEXT})) == set()


@pytest.mark.parametrize("code", ODD)
def test_a_cell_without_what_stands_in_its_way_is_read(code):
    assert code in codes_of(parse("payments", PIX, oddities=Oddities(**ODD[code])))
    assert errors(parse("payments", PIX)) == set()


@pytest.mark.parametrize("code", ROWS)
def test_rows_put_right_as_the_remedy_says_are_used(code):
    table, wrong, right = ROWS[code]
    assert code in codes_of(read(table, *wrong))
    obeyed = read(table, *right)
    assert codes_of(obeyed) - NOTES == set()
    assert len(obeyed.frame) == sum("Total" not in row.values() for row in right)
