"""Ordinary sheets of payments: what finance people send every month, in the headers and forms that they use.

Headers of the columns that are read are those of Brazilian spreadsheets; what stands beside them is named by CLDR,
whose words nobody chose for what this program reads. Nothing in them says of anybody that they are not to be paid.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Final

from babel import Locale
from openpyxl import Workbook
from stdnum.br import cpf

NAMES: Final = (
    "Nome", "Músico", "Artista", "Favorecido", "Artista/Favorecido", "Beneficiário", "Nome completo", "Profissional",
    "Integrante", "Prestador", "Fornecedor", "Colaborador",
)  # fmt: skip
DOCUMENTS: Final = ("CPF", "CPF/CNPJ", "Documento", "CPF ou CNPJ", "C.P.F.", "Nº CPF")
KEYS: Final = ("PIX", "Chave Pix", "CHAVE PIX", "Chave", "Pix (chave)")
AMOUNTS: Final = ("Valor", "Valor (R$)", "Cachê", "Valor a pagar", "Total a pagar", "A receber", "Valor\n(R$)", "VALOR")
WORDS: Final = sorted(
    {
        name
        for language in ("pt", "es", "fi", "tr", "vi", "hu")
        for names in (Locale(language).languages, Locale(language).territories)
        for name in names.values()
        if 3 < len(name) < 24 and name.replace(" ", "").isalpha()
    }
)

Row = dict[str, object]


@dataclass
class Ordinary:
    """A sheet.

    Attributes:
        rows: Header -> cell, in order; nothing for a blank row.
        cents: What is to be paid, payment by payment.
        drawn: What is peculiar about it.
    """

    titles: list[str]
    rows: list[Row]
    cents: list[int]
    amount: str
    drawn: list[str] = field(default_factory=list)

    @property
    def headers(self) -> list[str]:
        return list(dict.fromkeys(header for row in self.rows for header in row))

    @property
    def first(self) -> str:
        return self.headers[0]

    def put_before(self, header: str, cells: Sequence[object]) -> None:
        """Put a column left of the amounts."""
        for row, cell in zip(self.rows, cells, strict=True):
            amount = row.pop(self.amount)
            row |= {header: cell, self.amount: amount}

    def put_after(self, header: str, cells: Sequence[object]) -> None:
        for row, cell in zip(self.rows, cells, strict=True):
            row[header] = cell

    def write(self, path: Path) -> Path:
        book = Workbook()
        sheet = book.active
        sheet.title = "Planilha1"
        for title in self.titles:
            sheet.append([title] if title else [])
        headers = self.headers
        sheet.append(headers)
        for row in self.rows:
            sheet.append([row.get(header) for header in headers])
        book.save(path)
        return path


def _reais(cents: int) -> float:
    return float(Decimal(cents).scaleb(-2))


def _subtotals(sheet: Ordinary, draw: random.Random) -> None:
    where = draw.randrange(1, len(sheet.rows))
    label = draw.choice(("Subtotal", "Soma", "Total da banda", draw.choice(WORDS)))
    first, rows = sheet.first, list[Row]()
    for part in (slice(where), slice(where, None)):
        rows += [*sheet.rows[part], {first: label, sheet.amount: _reais(sum(sheet.cents[part]))}]
    sheet.rows[:] = rows


def _total(sheet: Ordinary, draw: random.Random) -> None:
    label = draw.choice(("TOTAL", "Total geral", "Soma", None))
    sheet.rows.append({sheet.first: label, sheet.amount: _reais(sum(sheet.cents))})


def _net_of_tax(sheet: Ordinary, draw: random.Random) -> None:
    taxes = [draw.randrange(1, 5) * 1_000 for _ in sheet.rows]
    gross = [_reais(cents + tax) for cents, tax in zip(sheet.cents, taxes, strict=True)]
    sheet.put_before(draw.choice(("Bruto", "Valor bruto", "Cachê bruto")), gross)
    sheet.put_before(draw.choice(("IRRF", "INSS", "ISS", "Desconto")), [_reais(tax) for tax in taxes])


def _times(sheet: Ordinary, draw: random.Random) -> None:
    units = [draw.choice((1, 2, 4, 5)) for _ in sheet.rows]
    each = [float(Decimal(cents).scaleb(-2) / unit) for cents, unit in zip(sheet.cents, units, strict=True)]
    sheet.put_before(draw.choice(("Qtd", "Shows", "Diárias", "Horas")), units)
    sheet.put_before(draw.choice(("Unitário", "Valor unitário", "Cachê por show", "Diária")), each)


def _two_shows(sheet: Ordinary, draw: random.Random) -> None:
    """Give the first two rows to one person, for two shows."""
    person = [header for header in sheet.headers if header != sheet.amount]
    sheet.rows[1] |= {header: sheet.rows[0][header] for header in person}
    sheet.put_after(draw.choice(("Show", "Evento", "Cidade", "Projeto")), draw.sample(WORDS, len(sheet.rows)))


def _bank_beside_the_key(sheet: Ordinary, draw: random.Random) -> None:
    bank = {"Banco": draw.choice(("341", "237")), "Agência": "1234", "Conta": "56789-7", "Tipo de conta": "Corrente"}
    for header, cell in bank.items():
        sheet.put_after(header, [cell for _ in sheet.rows])


def _remarks(sheet: Ordinary, draw: random.Random) -> None:
    for header in draw.sample(WORDS, draw.randrange(1, 3)):
        sheet.put_after(header, [draw.choice(("", *draw.sample(WORDS, 2))) for _ in sheet.rows])


def _number_of_an_office(sheet: Ordinary, draw: random.Random) -> None:
    numbers = [f"{draw.randrange(10**10, 10**11)}" for _ in sheet.rows]
    sheet.put_before(draw.choice(("PIS", "PIS/PASEP", "RG", "Telefone")), numbers)


def _index(sheet: Ordinary, draw: random.Random) -> None:
    first, header = draw.choice((0, 1)), draw.choice(("Unnamed: 0", "Nº", "Item", "#"))
    sheet.rows[:] = [{header: at} | row for at, row in enumerate(sheet.rows, first)]


def _marks_of_programs(sheet: Ordinary, draw: random.Random) -> None:
    for row in sheet.rows:
        for header, cell in row.items():
            if isinstance(cell, str) and header != sheet.amount:
                row[header] = draw.choice((cell, f" {cell} ", f"{cell}_x000D_", f"{cell}\u00a0"))


def _blank_row(sheet: Ordinary, draw: random.Random) -> None:
    sheet.rows.insert(draw.randrange(1, len(sheet.rows)), {})


FEATURES: Final[dict[str, Callable[[Ordinary, random.Random], None]]] = {
    "bank beside the key": _bank_beside_the_key,
    "two shows": _two_shows,
    "quantity times price": _times,
    "net of tax": _net_of_tax,
    "remarks": _remarks,
    "number of an office": _number_of_an_office,
    "marks of programs": _marks_of_programs,
    "index": _index,
    "subtotals": _subtotals,
    "total": _total,
    "blank row": _blank_row,
}


def _amount_as(draw: random.Random, cents: int, *, as_number: bool) -> object:
    if as_number:
        return _reais(cents)
    text = f"{cents // 100:,}".replace(",", ".") + f",{cents % 100:02}"
    return f"R$ {text}" if draw.random() < 0.3 else text


def _person(draw: random.Random) -> tuple[str, str]:
    nine = f"{draw.randrange(10**8, 10**9)}"
    return " ".join(word.title() for word in draw.sample(WORDS, 2)), nine + cpf._calc_check_digits(nine)


def ordinary(seed: int) -> Ordinary:
    """Draw a sheet with up to three of these, in the order in which they stand here."""
    draw = random.Random(seed)
    name, document, key, amount = (draw.choice(words) for words in (NAMES, DOCUMENTS, KEYS, AMOUNTS))
    as_number, typed = draw.random() < 0.6, draw.random() < 0.5
    rows, cents = list[Row](), [draw.randrange(100, 400_000) * 5 for _ in range(draw.randrange(3, 12))]
    for at, paid in enumerate(cents):
        who, tax_id = _person(draw)
        keys = {"E-mail": f"pessoa{seed}.{at}@example.com", "CPF": cpf.format(tax_id)}
        kind = draw.choice(sorted(keys))
        row: Row = {name: who, document: draw.choice((tax_id, cpf.format(tax_id))), key: keys[kind]}
        row |= {"Tipo de chave": kind} if typed else {}
        rows.append(row | {amount: _amount_as(draw, paid, as_number=as_number)})
    titles = ["Pagamentos", "outubro de 2026", ""][: draw.randrange(4)]
    sheet = Ordinary(titles, rows, cents, amount)
    chosen = set(draw.sample(sorted(FEATURES), draw.randrange(4)))
    chosen -= {"net of tax"} if "quantity times price" in chosen else set()
    for feature, put in FEATURES.items():
        if feature in chosen:
            put(sheet, draw)
            sheet.drawn.append(feature)
    return sheet
