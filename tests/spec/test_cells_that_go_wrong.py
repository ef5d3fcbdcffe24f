"""Values people and programs write into cells, and what becomes of each: a value, or the rule it breaks.

A row of a table is a cell as it is written, and what comes of it; a code means that its row is held, a code in
parentheses that the value is used and something is said of it.
"""

import unicodedata

import pytest

from schemas.sheet_cells import CellKind
from tests.schemas.sheets import ACCOUNT_PAYEE, PIX_PAYEE, codes, comes_of, parse

PAYMENT = PIX_PAYEE | {"amount": "10,00"}
ACCOUNT_PAYMENT = ACCOUNT_PAYEE | {"amount": "10,00", "bank_code": "077", "psp_id": "00416968"}


AMOUNTS = [
    ("0", "AMOUNT_NOT_POSITIVE"), ("0,00", "AMOUNT_NOT_POSITIVE"), ("-0", "AMOUNT_NOT_POSITIVE"),
    ("-10,00", "AMOUNT_NOT_POSITIVE"), ("(10,00)", "AMOUNT_NOT_POSITIVE"), ("10-", "AMOUNT_NOT_POSITIVE"),
    ("\u221210,00", "AMOUNT_NOT_POSITIVE"), ("R$ -", "AMOUNT_NOT_POSITIVE"), ("-(10,00)", "AMOUNT_FORMAT"),
    ("33.333333", "AMOUNT_DECIMALS"), ("10.0051", "AMOUNT_DECIMALS"), ("0,005", "AMOUNT_DECIMALS"),
    ("0.30000000000000004", "30"), ("0.299999999999", "30"), ("0.29999", "AMOUNT_DECIMALS"),
    ("1.234,56", "123456"), ("1,234.56", "123456"), ("1.234.567", "123456700"), ("1234,5", "123450"),
    ("1.234", "AMOUNT_AMBIGUOUS"), ("1,234", "AMOUNT_AMBIGUOUS"), ("10,005", "AMOUNT_AMBIGUOUS"),
    ("1.999", "AMOUNT_AMBIGUOUS"), ("1.23.4", "AMOUNT_FORMAT"), ("1,23,4", "AMOUNT_FORMAT"),
    ("12.34,56", "AMOUNT_FORMAT"), ("1 234,56", "123456"), ("1 234", "AMOUNT_FORMAT"), ("5,", "AMOUNT_FORMAT"),
    (",50", "50"), (".50", "50"), (".", "AMOUNT_FORMAT"), ("-,50", "AMOUNT_NOT_POSITIVE"),
    ("R$ 10,00", "1000"), ("R$\u00a010,00", "1000"), ("R$10,00", "1000"), ("10 BRL", "1000"), ("BRL 10,00", "1000"),
    ("US$ 5", "AMOUNT_CURRENCY"), ("5 EUR", "AMOUNT_CURRENCY"), ("€ 5,00", "AMOUNT_CURRENCY"),
    ("$ 5,00", "AMOUNT_CURRENCY"), ("R$ 5 BRL", "AMOUNT_FORMAT"),
    ("1e5", "AMOUNT_FORMAT"), ("1E+5", "AMOUNT_FORMAT"), ("1_000", "AMOUNT_FORMAT"), ("NaN", "AMOUNT_FORMAT"),
    ("Infinity", "AMOUNT_FORMAT"), ("0x10", "AMOUNT_FORMAT"), ("１０", "AMOUNT_FORMAT"), ("١٠", "AMOUNT_FORMAT"),
    ("10²", "AMOUNT_FORMAT"), ("10\n20", "AMOUNT_FORMAT"), ("dez", "AMOUNT_FORMAT"), ("TRUE", "AMOUNT_FORMAT"),
    ("=1+1", "AMOUNT_FORMAT"), ("9" * 70, "AMOUNT_FORMAT"), ("99999999999999", "AMOUNT_FORMAT"),
    ("10%", "AMOUNT_TYPE"), ("10,5 %", "AMOUNT_TYPE"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), AMOUNTS)
def test_an_amount_to_be_paid_is_above_zero_exact_and_reads_one_way(text, expected):
    assert comes_of("payments", PAYMENT, "amount", text, becomes="amount_cents") == expected


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        ("TRUE", CellKind.BOOL, "AMOUNT_TYPE"), ("2026-01-05", CellKind.DATE, "AMOUNT_TYPE"),
        ("10:30:00", CellKind.DATE, "AMOUNT_TYPE"), ("10%", CellKind.NUMBER, "AMOUNT_TYPE"),
        ("10.005", CellKind.NUMBER, "AMOUNT_DECIMALS"), ("1.999", CellKind.NUMBER, "AMOUNT_DECIMALS"),
        ("1.234", CellKind.NUMBER, "AMOUNT_DECIMALS"), ("-10", CellKind.NUMBER, "AMOUNT_NOT_POSITIVE"),
        ("0.30000000000000004", CellKind.NUMBER, "30"), ("100000", CellKind.NUMBER, "10000000"),
    ],
)  # fmt: skip
def test_what_a_cell_held_counts_for_an_amount(text, kind, expected):
    assert comes_of("payments", PAYMENT, "amount", text, kind, becomes="amount_cents") == expected


@pytest.mark.parametrize(
    ("column", "text", "kind", "expected"),
    [
        ("account", "12345678901234567", CellKind.NUMBER, "ACCOUNT_PRECISION"),
        ("account", "12345678901234567", CellKind.TEXT, "12345678901234567"),
        ("account", "123456789012345", CellKind.NUMBER, "123456789012345"),
        ("account", "1,23E+10", CellKind.TEXT, "ACCOUNT_PRECISION"),
        ("account", "12345-6", CellKind.TEXT, "123456"),
        ("account", "12345-x", CellKind.TEXT, "12345X"),
        ("account", "12 345-6", CellKind.TEXT, "ACCOUNT_FORMAT"),
        ("account", "2026-01-05", CellKind.DATE, "ACCOUNT_FORMAT"),
        ("agency", "0001", CellKind.TEXT, "0001"),
        ("agency", "1", CellKind.NUMBER, "0001 (VALUE_NORMALISED)"),
        ("agency", "1234-5", CellKind.TEXT, "AGENCY_FORMAT"),
        ("bank_code", "60701190", CellKind.TEXT, "BANK_CODE"),
        ("bank_code", "0", CellKind.NUMBER, "BANK_CODE"),
        ("account_type", "corrente", CellKind.TEXT, "checking_account"),
        ("account_type", "POUPANCA", CellKind.TEXT, "saving_account"),
        ("account_type", "CC", CellKind.TEXT, "checking_account"),
        ("account_type", "c/c", CellKind.TEXT, "checking_account"),
        ("account_type", "CP", CellKind.TEXT, "ACCOUNT_TYPE"),
        ("account_type", "x", CellKind.TEXT, "ACCOUNT_TYPE"),
    ],
)
def test_bank_data_are_completed_where_nothing_was_lost(column, text, kind, expected):
    assert comes_of("payments", ACCOUNT_PAYMENT, column, text, kind) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *((word, "phone_number") for word in ("Tel", "Tel.", "Fone", "Cel.", "CELULAR", "Celular/Telefone")),
        ("Nº celular", "phone_number"),
        *((word, "random_key") for word in ("Chave aleatória (EVP)", "EVP", "aleatório", "Random key", "random_key")),
        *((word, "email") for word in ("Email", "e-mail", "E mail", "Mail", "Chave e-mail", "Correo")),
        ("CPF", "cpf"), ("Chave CPF", "cpf"), ("CPF ou celular", "PIX_TYPE_UNKNOWN"), ("Pix", "PIX_TYPE_UNKNOWN"),
        ("chave", "PIX_TYPE_UNKNOWN"), ("E-mail do produtor", "PIX_TYPE_UNKNOWN"), ("1", "PIX_TYPE_UNKNOWN"),
    ],
)  # fmt: skip
def test_the_type_of_a_key_is_known_in_people_s_words(text, expected):
    keys = {"phone_number": "+5511912345678", "random_key": "8d7b9f5e-2c1a-4d3e-9f6b-1a2b3c4d5e6f"}
    row = PAYMENT | {"pix_key": keys.get(expected, "529.982.247-25" if "CPF" in text else "maria@example.com")}
    assert comes_of("payments", row, "pix_key_type", text) == expected


@pytest.mark.parametrize(
    ("tax_id", "key", "expected"),
    [
        ("52998224725", "529.982.247-25", "cpf"),
        ("52998224725", "52998224725", "cpf"),
        ("12.ABC.345/01DE-35", "12ABC34501DE35", "cnpj"),
        ("52998224725", "11912345684", "PIX_TYPE_UNKNOWN"),  # a CPF and a mobile, and not the payee's
        ("52998224725", "10100000126", "PIX_TYPE_UNKNOWN"),
        ("52998224725", "101.000.001-26", "PIX_OWNER"),
        ("52998224725", "maria@example.com", "PIX_TYPE_UNKNOWN"),
    ],
)
@pytest.mark.parametrize("text", ["CPF/CNPJ", "CPF ou CNPJ"])
def test_a_key_that_is_either_document_is_the_one_it_proves_to_be_and_never_guessed(tax_id, key, expected, text):
    row = PAYMENT | {"tax_id": tax_id, "pix_key": key}
    assert comes_of("payments", row, "pix_key_type", text).removesuffix(" (TAXID_NORMALISED)") == expected


NOTHING = ["-", "--", "—", "n/a", "N/D", "não tem", "Nao possui", "sem", "NÃO INFORMADO", "nenhum", "não se aplica"]


@pytest.mark.parametrize("text", NOTHING)
@pytest.mark.parametrize("column", ["email", "agency", "account", "reference", "original_tax_id"])
def test_a_word_for_nothing_in_a_cell_that_may_be_empty_is_nothing(column, text):
    assert comes_of("payments", PAYMENT, column, text) == ""


@pytest.mark.parametrize("text", NOTHING)
def test_a_word_for_nothing_in_a_cell_that_is_needed_is_a_cell_that_is_needed(text):
    assert comes_of("payments", PAYMENT, "amount", text, becomes="amount_cents") == "CELL_REQUIRED"
    assert comes_of("payments", PAYMENT, "tax_id", text) == "CELL_REQUIRED"


@pytest.mark.parametrize("text", ["-", "não tem", "n/a"])
def test_a_name_may_be_a_word_for_nothing_but_no_phrase(text):
    assert comes_of("payments", PAYMENT, "name", text) == "NAME_REQUIRED"
    assert comes_of("payments", PAYMENT, "artist_name", text) == ""


@pytest.mark.parametrize("name", ["NA", "Nada", "Sem", "None"])
def test_an_artist_may_be_called_by_a_word_for_nothing(name):
    share = {"artist": "Ana", "tax_id": "52998224725", "share": "50%"}
    assert comes_of("shares", share, "artist", name) == name
    assert comes_of("payments", PAYMENT, "artist_name", name) == name


def test_a_destination_that_is_said_to_be_none_is_missing():
    none = dict.fromkeys(["pix_key", "pix_key_type"], "não tem")
    assert codes(parse("payments", PAYMENT | none)) == ["DESTINATION_MISSING"]
    account = ACCOUNT_PAYMENT | {"pix_key": "-", "pix_key_type": "-"}
    assert codes(parse("payments", account)) == []


@pytest.mark.parametrize("text", ["-", "não tem", "n/a"])
def test_a_share_of_a_recording_without_a_code_is_not_one_of_the_whole_catalogue(text):
    share = {"isrc": "BRABC2600001", "tax_id": "52998224725", "share": "50%"}
    assert comes_of("shares", share, "isrc", text) == "CELL_REQUIRED"
    assert comes_of("shares", share | {"isrc": "BRABC2600001"}, "upc", text) == ""


@pytest.mark.parametrize("title", ["-", "Sem", "Nada", "N/A", "None"])
def test_a_song_may_be_called_nothing(title):
    line = {"period": "2026-09", "platform": "Spotify", "amount": "1.00", "currency": "USD", "isrc": "BRABC2600001"}
    assert comes_of("royalty_lines", line, "title", title) == title


NAMES = [
    *((name, name) for name in ("NA", "NULL", "None", "nan", "True", "1E5", "José D'Ávila", "Анна Каренина")),
    ("00123", "NAME_LETTERS"), ("12-34", "NAME_LETTERS"),
    ("", "NAME_REQUIRED"), ("   ", "NAME_REQUIRED"), ("X", "NAME_LENGTH"), ("X" * 200, "X" * 200),
    ("X" * 5000, "NAME_LENGTH"),
    ("=Maria", "NAME_FORMULA"), ("+cmd|calc", "NAME_FORMULA"), ("@SUM(1)", "NAME_FORMULA"), ("-Maria", "NAME_FORMULA"),
    ("\r=Maria", "NAME_FORMULA"), ("Maria\nINFO paid", "NAME_CONTROL"), ("Ma\u200bria", "NAME_CONTROL"),
    ("Ma\u202eria", "NAME_CONTROL"), ("Ma\u00adria", "NAME_CONTROL"), ("Ma\u200dria", "NAME_CONTROL"),
    ("Ma\ufe0fria", "NAME_CONTROL"), ("Ma\u3164ria", "NAME_CONTROL"), ("Ma\U000e0041ria", "NAME_CONTROL"),
    ("Ma\x1b[31mria", "NAME_CONTROL"),
    ("M\u0430ria Silva", "M\u0430ria Silva (NAME_CONFUSABLE)"),
    ("Maria S\u03b9lva", "Maria S\u03b9lva (NAME_CONFUSABLE)"),
    ("Maria Анна", "Maria Анна"), ("\u0391\u043d\u043d\u0430", "\u0391\u043d\u043d\u0430 (NAME_CONFUSABLE)"),
    ("Jo‹o", "Jo‹o (NAME_ENCODING)"), ("JoÆo", "JoÆo (NAME_ENCODING)"), ("D’Ávila", "D’Ávila"),
    ("JosÃ© Silva", "JosÃ© Silva (NAME_ENCODING)"), ("ConceiÃ§Ã£o", "ConceiÃ§Ã£o (NAME_ENCODING)"),
    ("Dâ€™Ã\u00a1vila", "Dâ€™Ã\u00a1vila (NAME_ENCODING)"), ("JosÃƒÂ©", "JosÃƒÂ© (NAME_ENCODING)"),
    ("Jos\ufffd Silva", "Jos\ufffd Silva (NAME_ENCODING)"),
    ("ANDRÉ’S", "ANDRÉ’S"), ("Grupo “AMANHÔ", "Grupo “AMANHÔ"), ("JOÃO DA CONCEIÇÃO", "JOÃO DA CONCEIÇÃO"),
    ("São João", "São João"), ("Ângela", "Ângela"), ("Łukasz Žižek", "Łukasz Žižek"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), NAMES, ids=lambda text: ascii(text)[:40])
def test_a_name_is_kept_exactly_or_held(text, expected):
    assert comes_of("payments", PAYMENT, "name", text) == expected


def test_letters_of_other_alphabets_are_named_by_their_code_points():
    parsed = parse("payments", PAYMENT | {"name": "M\u0430ria S\u0456lva"})
    (issue,) = parsed.issues
    assert "U+0430, U+0456" in str(issue.message)
    assert "Maria" not in str(issue.message)


@pytest.mark.parametrize(
    "other", ["Jose\u0301  da Silva", "JOSÉ DA SILVA", "Jose da Silva", unicodedata.normalize("NFD", "José da Silva")]
)
def test_one_person_spelled_in_two_ways_is_one_payee(other):
    payee = PIX_PAYEE | {"name": "José da Silva"}
    parsed = parse("payees", payee, payee | {"name": other})
    assert codes(parsed) == ["ROW_DUPLICATE"]
    assert parsed.frame["name"].tolist() == ["José da Silva"]
    assert codes(parse("payees", payee, payee | {"name": "José de Souza"})) == ["IDENTITY_CONFLICT"] * 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a@example.com", "a@example.com"), ("a@b", "EMAIL_FORMAT"), ("a@exämple.com", "EMAIL_FORMAT"),
        ("a@example.com\r\nBcc: b@example.com", "EMAIL_FORMAT"), ("a@exam\nple.com", "EMAIL_FORMAT"),
        ("a@@example.com", "EMAIL_FORMAT"), ("a@example.com; b@example.com", "EMAIL_FORMAT"),
        ("A <a@example.com>", "EMAIL_FORMAT"), ("a" * 250 + "@example.com", "EMAIL_FORMAT"),
        (" a@example.com ", "a@example.com"),
    ],
)  # fmt: skip
def test_an_e_mail_is_one_address(text, expected):
    assert comes_of("payments", PAYMENT, "email", text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-11-20", "2026-11-20"), ("31/02/2026", "DATE_FORMAT"), ("01/02/2026", "DATE_AMBIGUOUS"),
        ("02/02/2026", "2026-02-02"), ("31/12/2026", "2026-12-31"), ("12/31/2026", "2026-12-31"),
        ("45292", "2024-01-01 (VALUE_NORMALISED)"), ("45292.75", "2024-01-01 (VALUE_NORMALISED)"),
        ("1/2/26", "DATE_FORMAT"), ("2026-11-20T23:59:59-03:00", "2026-11-20"), ("2023-10-01T00:00:00Z", "2023-10-01"),
        ("20231015", "2023-10-15"), ("15 de outubro de 2023", "2023-10-15"), ("15-Oct-2023", "2023-10-15"),
        ("31 de fevereiro de 2023", "DATE_FORMAT"), ("ontem", "DATE_FORMAT"),
    ],
)  # fmt: skip
def test_a_day_is_read_when_it_reads_one_way(text, expected):
    advance = {"tax_id": "52998224725", "amount": "10,00"}
    assert comes_of("advances", advance, "date", text) == expected


def test_a_share_that_ends_before_it_begins_is_held():
    share = {"artist": "Ana", "tax_id": "52998224725", "share": "50%", "valid_from": "2026-02-01"}
    assert comes_of("shares", share, "valid_to", "2026-01-31") == "DATE_ORDER"


@pytest.mark.parametrize(
    ("text", "expected"),
    [("33,33", "333300"), ("33.3333", "333333"), ("33,33333", "PERCENT_FORMAT"), ("100,01", "PERCENT_RANGE"),
     ("0", "PERCENT_RANGE"), ("-5", "PERCENT_RANGE"), ("0,5", "PERCENT_FORMAT"), ("0,5%", "5000")],
)  # fmt: skip
def test_a_share_has_four_decimals_at_most_and_a_scale(text, expected):
    share = {"artist": "Ana", "tax_id": "52998224725"}
    assert comes_of("shares", share, "share", text, becomes="share_ppm") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("sim", "True"), ("NÃO", "False"), ("nao", "False"), ("x", "True"), ("1", "True"), ("0", "False"), ("", "False"),
     ("TRUE", "True"), ("talvez", "BOOL_FORMAT"), ("2", "BOOL_FORMAT"), ("n/a", "False")],
)  # fmt: skip
@pytest.mark.parametrize("column", ["advance", "withhold"])
def test_yes_and_no_are_of_a_closed_list(column, text, expected):
    assert comes_of("payments", PAYMENT, column, text) == expected


HOSTILE = ["a\nINFO payment released", "a\r\nb", "\x1b[2J", "{{ 7*7 }}\u2028", "a\u202eb"]


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
@pytest.mark.parametrize("column", ["name", "tax_id", "email", "artist_name", "pix_key", "amount", "reference"])
def test_nothing_that_a_cell_holds_breaks_a_line_of_what_is_said(column, text):
    parsed = parse("payments", PAYMENT | {column: text})
    assert parsed.frame.empty
    for issue in parsed.issues:
        told = f"{issue.message}{issue.accepts}{issue.value_masked}"
        assert told.isprintable(), ascii(told)
