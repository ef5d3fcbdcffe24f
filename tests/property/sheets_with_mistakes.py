"""Payments sheets as senders make them, and mistakes seeded in them, each with the code it must be told by."""

import csv
import datetime as dt
import io
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path

from openpyxl import Workbook
from openpyxl.utils import get_column_letter

from sample_data.making.payments import HEADERS, Payment
from sample_data.making.people import Payee, Registry, masked
from sample_data.making.workbooks import CellError, Formula, Value
from schemas.issues import IssueCode as Code

# Other headers that senders use for the same columns.
ALIASES = {
    "Nome": ("Favorecido", "NOME", "nome "),
    "CPF/CNPJ": ("Documento", "CPF / CNPJ", "cpf/cnpj"),
    "E-mail": ("email", "E-MAIL"),
    "Valor": ("Valor líquido", "VALOR", "valor liquido"),
    "Tipo da chave": ("Tipo de chave Pix",),
    "Banco": ("Código do banco", "CODIGO DO BANCO"),
    "Agência": ("Agencia", "AGÊNCIA"),
}
PIX_KINDS = ("cpf", "phone_number", "email", "random_key")
ACCOUNT_KINDS = ("checking_account", "saving_account")
TEXT_FORMS = [(encoding, delimiter) for encoding in ("utf-8", "utf-8-sig", "cp1252", "utf-16") for delimiter in ";\t|"]

Change = tuple[Mapping[str, Value], tuple[tuple[str | None, Code], ...]]
Mistake = Callable[[random.Random, Payee], Change]


@dataclass
class Row:
    """A row of a sheet: its cells by our own headers, and the (column, code) pairs that must be told of it."""

    cells: dict[str, Value]
    wrong: tuple[tuple[str | None, Code], ...] = ()


@dataclass(frozen=True)
class MadeSheet:
    """A file, and what must be told of it: (cell or row, code) pairs."""

    path: Path
    expected: set[tuple[str, Code]] = field(default_factory=set)
    mistakes: int = 0


def _one(column: str, code: Code, *values: Value) -> Mistake:
    return lambda rng, _: ({column: rng.choice(values)}, ((column, code),))


def _wrong_digit(rng: random.Random, payee: Payee) -> Change:
    wrong = payee.tax_id[:-1] + str((int(payee.tax_id[-1]) + rng.randrange(1, 10)) % 10)
    return {"CPF/CNPJ": rng.choice((masked(wrong), wrong))}, (("CPF/CNPJ", Code.TAXID_CHECK),)


def _lost_digits(rng: random.Random, payee: Payee) -> Change:
    shorter = payee.tax_id[rng.randrange(1, 4) :]
    return {"CPF/CNPJ": rng.choice((shorter, int(shorter.lstrip("0") or "1")))}, (("CPF/CNPJ", Code.TAXID_LENGTH),)


def _inner_blanks(_: random.Random, payee: Payee) -> Change:
    return {"CPF/CNPJ": f"{payee.tax_id[:3]} {payee.tax_id[3:]}"}, (("CPF/CNPJ", Code.TAXID_FORMAT),)


def _nowhere(_: random.Random, __: Payee) -> Change:
    return {"Chave Pix": "", "Tipo da chave": ""}, ((None, Code.DESTINATION_MISSING),)


def _two_destinations(_: random.Random, payee: Payee) -> Change:
    return {"Chave Pix": payee.email, "Tipo da chave": "E-mail"}, ((None, Code.DESTINATION_CONFLICT),)


# What goes wrong in any row.
ANYWHERE: dict[str, Mistake] = {
    "a wrong check digit": _wrong_digit,
    "digits lost from a document": _lost_digits,
    "blanks inside a document": _inner_blanks,
    "one digit repeated": _one("CPF/CNPJ", Code.TAXID_CHECK, "111.111.111-11", "99999999999", "00000000000000"),
    "no document at all": _one("CPF/CNPJ", Code.CELL_REQUIRED, ""),
    "a word for a document": _one("CPF/CNPJ", Code.TAXID_FORMAT, "isento", "a definir", "???"),
    "words for an amount": _one("Valor", Code.AMOUNT_FORMAT, "mil", "dez reais", "1_000", "0x10", "12,3,4", "x"),
    "no amount": _one("Valor", Code.CELL_REQUIRED, "", " ", "--", "não tem", "N/D"),
    "too many decimals": _one("Valor", Code.AMOUNT_DECIMALS, "1,0005", "33,3333", "0,001"),
    "nothing or less": _one("Valor", Code.AMOUNT_NOT_POSITIVE, "0,00", "-12,30", "(12,30)", "12,30-", 0),
    "another currency": _one("Valor", Code.AMOUNT_CURRENCY, "US$ 50,00", "EUR 5,00", "€ 9,99"),
    "an error cell": _one("Valor", Code.CELL_ERROR, CellError("#REF!"), CellError("#N/A"), CellError("#DIV/0!")),
    "a percentage": _one("Valor", Code.AMOUNT_TYPE, "50%", "12,5%"),
    "no name": _one("Nome", Code.NAME_REQUIRED, ""),
    "one letter": _one("Nome", Code.NAME_LENGTH, "M", "Z"),
    "a name that runs": _one("Nome", Code.NAME_FORMULA, "=1+1", "+Ana", "@SOMA(A1)", "-Bia"),
    "a hidden mark": _one("Nome", Code.NAME_CONTROL, "Ana\u200bLima", "Ana\u202eLima", "Ana\u00adLima"),
    "no address": _one("E-mail", Code.EMAIL_FORMAT, "sem arroba", "a@b", "a@@example.com", "a b@example.com"),
    "neither yes nor no": _one("Reter", Code.BOOL_FORMAT, "talvez", "2", "quem sabe"),
    "an odd advance": _one("Adiantamento", Code.BOOL_FORMAT, "parcial", "50"),
}
# What goes wrong where the payee has a Pix key: `email` is one that fits all of them.
WITH_PIX: dict[str, Mistake] = {
    "a key without its type": _one("Tipo da chave", Code.PIX_TYPE_PROPOSED, ""),
    "an unknown type": _one("Tipo da chave", Code.PIX_TYPE_UNKNOWN, "Chave fixa", "TED", "?"),
    "a type without its key": _one("Chave Pix", Code.PIX_KEY_REQUIRED, ""),
    "nowhere to pay": _nowhere,
}
BY_KIND: dict[str, dict[str, Mistake]] = {
    "email": WITH_PIX | {"no e-mail key": _one("Chave Pix", Code.PIX_EMAIL, "a b@example.com", "ana", "@example.com")},
    "cpf": {"no CPF key": _one("Chave Pix", Code.PIX_CPF, "123.456.789-00", "12345", "abc")},
    "phone_number": {"no phone key": _one("Chave Pix", Code.PIX_PHONE, "+551133334444", "+5520912345678", "+55119")},
    "random_key": {"no random key": _one("Chave Pix", Code.PIX_EVP, "0f8fad5bd9cb469fa165", "zzz", "0f8fad5b-d9cb")},
    "checking_account": {
        "no agency": _one("Agência", Code.BANK_FIELD_REQUIRED, ""),
        "no bank": _one("Banco", Code.BANK_FIELD_REQUIRED, ""),
        "no account": _one("Conta", Code.BANK_FIELD_REQUIRED, ""),
        "a bank's name": _one("Banco", Code.BANK_CODE, "Banco da Esquina", "Nu", "12345"),
        "no such ISPB": _one("ISPB", Code.BANK_PSP, "123456789", "abc"),
        "an agency that became a date": _one("Agência", Code.AGENCY_FORMAT, dt.date(2026, 1, 5), "15/2", "ag. 1"),
        "an odd account": _one("Conta", Code.ACCOUNT_FORMAT, "12345/67", "conta 5", "1.2.3"),
        "lost digits": _one("Conta", Code.ACCOUNT_PRECISION, "1,23E+10", "1.23457E+11"),
        "an unknown kind of account": _one("Tipo de conta", Code.ACCOUNT_TYPE, "Conjunta", "CC2"),
        "two destinations": _two_destinations,
    },
}
# A text file has no cells of other kinds.
ONLY_IN_CELLS: dict[str, Mistake] = {
    "a formula never calculated": _one("Valor", Code.FORMULA_NO_VALUE, Formula("=E2*2"), Formula("=SUM(A1:A9)")),
    "yes for an amount": _one("Valor", Code.AMOUNT_TYPE, *(True, False)),
    "a date for an amount": _one("Valor", Code.AMOUNT_TYPE, dt.date(2026, 10, 5)),
}
ONLY_IN_ACCOUNT_CELLS: dict[str, Mistake] = {
    "more digits than a number holds": _one("Conta", Code.ACCOUNT_PRECISION, 12345678901234567),
}


def make_sheet(folder: Path, seed: int, *, mistakes: bool) -> MadeSheet:
    """Write one file: a workbook or a text, with a preamble or none, its columns in any order and under any alias."""
    rng = random.Random(seed)
    registry = Registry(f"sheet {seed}")
    as_text = rng.random() < 0.4
    rows = [
        _row(rng, registry, mistakes=mistakes, as_text=as_text) for _ in range(rng.randrange(5, 12) * (1 + mistakes))
    ]
    order = [*HEADERS]
    rng.shuffle(order)
    headers = [rng.choice((header, *ALIASES.get(header, ()))) for header in order]
    preamble = rng.choice((0, 0, 1, 3, 6))
    cells = [[row.cells[header] for header in order] for row in rows]
    path = folder / f"lista {seed}.{'csv' if as_text else 'xlsx'}"
    write = _write_text if as_text else _write_workbook
    write(rng, path, preamble, headers, cells)
    expected = set()
    for number, row in enumerate(rows, start=preamble + 2):
        for column, code in row.wrong:
            cell = f"{get_column_letter(order.index(column) + 1)}{number}" if column else str(number)
            expected.add((cell, code))
    return MadeSheet(path, expected, sum(len(row.wrong) for row in rows))


def _row(rng: random.Random, registry: Registry, *, mistakes: bool, as_text: bool) -> Row:
    kind = rng.choice((*PIX_KINDS, *ACCOUNT_KINDS))
    payee = registry.person(kind)
    cells = dict(zip(HEADERS, Payment(payee, rng.randrange(100, 5_000_000)).cells(), strict=True))
    if not mistakes or rng.random() < 0.1:
        return Row(cells)
    known = ANYWHERE | BY_KIND.get(kind, {})
    if not as_text:
        known |= {
            name: one for name, one in ONLY_IN_CELLS.items() if kind == "checking_account" or "digits" not in name
        }
    changes, wrong = {}, ()
    # Several in a row, each in a column of its own; those that change the CPF of a CPF key have a say in two.
    for name in rng.sample(sorted(known), rng.choice((1, 1, 2, 3))):
        change, told = known[name](rng, payee)
        touches_owner = kind == "cpf" and not {"CPF/CNPJ", "Chave Pix"}.isdisjoint(change)
        destination = not set(change).isdisjoint(HEADERS[5:13])
        settled = destination and not set(changes).isdisjoint(HEADERS[5:13])
        if not set(change).isdisjoint(changes) or settled or (touches_owner and name != "no CPF key"):
            continue
        changes |= change
        wrong += told
    return Row(cells | changes, wrong)


def _write_workbook(rng: random.Random, path: Path, preamble: int, headers: list[str], rows: list[list[Value]]) -> None:
    book = Workbook()
    page = book.active
    page.title = "Pagamentos"
    for number in range(preamble):
        page.cell(number + 1, 1, f"Selo Aurora, linha {number + 1}")
    if preamble:
        page.merge_cells(start_row=1, start_column=1, end_row=1, end_column=5)
    for column, header in enumerate(headers, start=1):
        page.cell(preamble + 1, column, header)
    for number, row in enumerate(rows, start=preamble + 2):
        for column, value in enumerate(row, start=1):
            if value != "":
                _write_cell(page.cell(number, column), value)
    if rng.random() < 0.3:
        book.create_sheet("Anotações")["A1"] = "nada"
    book.save(path)


def _write_cell(cell, value: Value) -> None:
    cell.value = value.text if isinstance(value, Formula | CellError) else value
    if isinstance(value, CellError):
        cell.data_type = "e"
    elif isinstance(value, str):
        cell.data_type, cell.number_format = "s", "@"


def _write_text(rng: random.Random, path: Path, preamble: int, headers: list[str], rows: list[list[Value]]) -> None:
    encoding, delimiter = rng.choice(TEXT_FORMS)
    out = io.StringIO()
    for number in range(preamble):
        out.write(f"Selo Aurora, linha {number + 1}\r\n")
    quoting = rng.choice((csv.QUOTE_MINIMAL, csv.QUOTE_ALL))
    writer = csv.writer(out, delimiter=delimiter, quoting=quoting)
    writer.writerows([headers, *([_text(value) for value in row] for row in rows)])
    text = out.getvalue()
    try:
        path.write_bytes(text.encode(encoding))
    except UnicodeEncodeError:  # a mark that cp1252 has no letter for
        path.write_bytes(text.encode("utf-8"))


def _text(value: Value) -> str:
    if isinstance(value, Decimal):
        return f"{value:.2f}".replace(".", ",")
    if isinstance(value, CellError | Formula):
        return value.text
    return f"{value:%d/%m/%Y}" if isinstance(value, dt.date) else str(value)
