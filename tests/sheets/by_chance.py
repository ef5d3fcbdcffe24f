"""Sheets of payments as people draw them: honest ones, and ones that say of a row that it is not to be paid."""

import random
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from openpyxl import Workbook
from openpyxl.comments import Comment
from openpyxl.styles import Font
from stdnum.br import cpf

FIRST: Final = (
    "Ana",
    "Bia",
    "Caio",
    "Davi",
    "Elis",
    "Fábio",
    "Gil",
    "Hugo",
    "Inês",
    "João",
    "Kátia",
    "Luísa",
    "Márcio",
)
LAST: Final = ("Lima", "Reis", "Nunes", "da Silva", "Souza", "d'Ávila", "Conceição", "Prado", "Macedo", "Antunes")
HEADERS: Final = {
    "name": ("Nome", "Beneficiário", "NOME COMPLETO", "Favorecido", "Nome do favorecido"),
    "tax_id": ("CPF", "CPF/CNPJ", "CPF ou CNPJ", "Documento", "C.P.F."),
    "pix_key": ("PIX", "Chave Pix", "CHAVE PIX", "Chave"),
    "pix_key_type": ("Tipo da chave", "Tipo de chave", "Tipo Pix", "TIPO DE CHAVE PIX"),
    "amount": ("Valor", "VALOR", "Valor (R$)", "Valor a pagar", "Valor líquido"),
}
# Header and cells of columns that are for people; none of them says anything of what is to be paid.
FOR_PEOPLE: Final = (
    ("Telefone", ("11 98765-4321", "", "(21) 99876-5432")),
    ("Endereço", ("Rua das Flores, 10", "Av. Brasil 200 ap 3", "")),
    ("Cidade", ("São Paulo", "Recife", "Porto Alegre")),
    ("Centro de custo", ("Artístico", "Técnico", "102")),
    ("Projeto", ("Turnê 2026", "Disco novo", "")),
    ("Evento", ("Show em Olinda", "Festival", "")),
    ("Função", ("Baterista", "Técnico de som", "Produção")),
    ("Observação", ("gravou em setembro", "", "manda recibo por e-mail")),
    ("Obs.", ("", "novo no mês", "")),
    ("Cargo", ("Músico", "Roadie", "Diretora")),
    ("Nº", ("1", "2", "3")),
    ("Item", ("01", "02", "03")),
    ("Contato", ("Marta", "", "José")),
    ("Faixa", ("Samba do Mar", "Valsa", "Choro Novo")),
)


@dataclass
class Drawn:
    """A sheet, and what is true of it.

    Attributes:
        titles: Rows above the header.
        headers: From column A.
        rows: Below them; None for a blank row.
        total: The row below them; empty for none.
        unpaid: Places among `rows` of which nothing may be used.
        looks: What is put on cells of the workbook: row and column among `rows`, and what to do there.
    """

    titles: list[list[str]]
    headers: list[str]
    rows: list[list[str] | None]
    total: list[str]
    unpaid: set[int] = field(default_factory=set)
    looks: list[tuple[int, int, Callable[[Any], None]]] = field(default_factory=list)

    def column(self, name: str) -> int:
        """Return where a column that is read stands."""
        return next(at for at, header in enumerate(self.headers) if header in HEADERS[name])

    @property
    def filled(self) -> list[int]:
        """Places of the rows that are not blank."""
        return [at for at, row in enumerate(self.rows) if row is not None]

    @property
    def paid_cents(self) -> list[int]:
        """What is to be paid, in the order of the sheet."""
        amounts = [self.rows[at][self.column("amount")] for at in self.filled if at not in self.unpaid]
        return [int("".join(mark for mark in text if mark.isdecimal())) for text in amounts]

    def add(self, header: str, cells: Sequence[str]) -> int:
        """Put a column to the right, its cells in turn; returns where it is."""
        self.headers.append(header)
        for at, row in enumerate(self.filled):
            self.rows[row].append(cells[at % len(cells)])
        return len(self.headers) - 1

    def grid(self) -> list[list[str]]:
        """Return all rows as texts."""
        rows = [row or [] for row in self.rows]
        return [*self.titles, self.headers, *rows, *([self.total] if self.total else [])]

    def write_xlsx(self, path: Path, *, numbers: bool) -> Path:
        """Write it as a workbook; amounts as numbers, where they are plain ones."""
        book = Workbook()
        sheet = book.active
        for row in self.grid():
            sheet.append([_number(text) if numbers and _is_plain(text) else text or None for text in row])
        first = len(self.titles) + 2
        for row, column, look in self.looks:
            look(sheet.cell(first + row, column + 1))
        book.save(path)
        return path

    def write_csv(self, path: Path) -> Path:
        """Write it as text between semicolons."""
        path.write_text("\n".join(";".join(row) for row in self.grid()) + "\n", "utf-8")
        return path


def _is_plain(text: str) -> bool:
    whole, comma, cents = text.partition(",")
    return bool(comma) and whole.replace(".", "").isdecimal() and len(cents) == 2 and cents.isdecimal()


def _number(text: str) -> float:
    return float(text.replace(".", "").replace(",", "."))


def _amount(draw: random.Random) -> str:
    cents = draw.choice((draw.randrange(100, 100_000), draw.randrange(100_000, 2_000_000)))
    return f"{cents // 100:,}".replace(",", ".") + f",{cents % 100:02}"


def _tax_id(draw: random.Random) -> str:
    nine = f"{draw.randrange(10**9):09}"
    digits = nine + cpf._calc_check_digits(nine)
    return draw.choice((digits, cpf.format(digits)))


def honest(seed: int) -> Drawn:
    """Draw a sheet in which everything is to be paid."""
    draw = random.Random(seed)
    names = list(HEADERS)
    if draw.random() < 0.3:
        draw.shuffle(names)
    headers = [draw.choice(HEADERS[name]) for name in names]
    rows: list[list[str] | None] = []
    prefix = draw.choice(("", "", "R$ "))
    for number in range(draw.randrange(3, 12)):
        name = f"{FIRST[number % len(FIRST)]} {draw.choice(LAST)}"
        values = {
            "name": draw.choice((name, name.upper())),
            "tax_id": _tax_id(draw),
            "pix_key": f"pessoa{seed}.{number}@example.com",
            "pix_key_type": draw.choice(("E-mail", "email", "EMAIL")),
            "amount": prefix + _amount(draw),
        }
        rows.append([values[column] for column in names])
        if draw.random() < 0.1:
            rows.append(None)
    titles = [["Folha de pagamento"], ["outubro de 2026"], []][: draw.randrange(4)]
    drawn = Drawn(titles, headers, rows, [])
    for header, cells in draw.sample(FOR_PEOPLE, draw.randrange(4)):
        drawn.add(header, draw.sample(cells, len(cells)))
    if draw.random() < 0.5:
        cents = sum(drawn.paid_cents)
        drawn.total = ["" for _ in drawn.headers]
        drawn.total[0] = draw.choice(("TOTAL", "Total geral", "Total"))
        drawn.total[drawn.column("amount")] = f"{prefix}{cents // 100},{cents % 100:02}"
        if drawn.column("amount") == 0:
            drawn.total = []
    return drawn


Spoil = Callable[[Drawn, random.Random], None]


def _column(header: str, *cells: str) -> Spoil:
    """A column that may bear on every row: nothing is used until the job says what it means."""

    def spoil(drawn: Drawn, _: random.Random) -> None:
        drawn.add(header, cells)
        drawn.unpaid = set(drawn.filled)

    return spoil


def _cell(column: str, text: str | Callable[[str], str]) -> Spoil:
    """A cell that says that its row is not to be paid."""

    def spoil(drawn: Drawn, draw: random.Random) -> None:
        row = draw.choice(drawn.filled)
        at = drawn.column(column) if column in HEADERS else drawn.add(column, ("",))
        drawn.rows[row][at] = text(drawn.rows[row][at]) if callable(text) else text
        drawn.unpaid = {row}
        drawn.total = []

    return spoil


def _look(column: str, look: Callable[[Any], None]) -> Spoil:
    """Something that only the eye sees, in a workbook."""

    def spoil(drawn: Drawn, draw: random.Random) -> None:
        row = draw.choice(drawn.filled)
        drawn.looks.append((row, drawn.column(column), look))
        drawn.unpaid = {row}

    return spoil


def _two_names(drawn: Drawn, _: random.Random) -> None:
    first, second = drawn.filled[:2]
    drawn.rows[second][drawn.column("tax_id")] = drawn.rows[first][drawn.column("tax_id")]
    drawn.rows[first][drawn.column("name")] = "Otávio Brandão"
    drawn.rows[second][drawn.column("name")] = "Zuleica Werneck"
    drawn.unpaid = {first, second}


def _twice(drawn: Drawn, _: random.Random) -> None:
    first, *_ = drawn.filled
    drawn.rows.append(deepcopy(drawn.rows[first]))
    drawn.unpaid = {first, len(drawn.rows) - 1}
    drawn.total = []


def _set(name: str, value: object) -> Callable[[Any], None]:
    return lambda cell: setattr(cell, name, value)


IN_TEXT: Final[dict[str, Spoil]] = {
    "a state": _column("Status", "Pago", "Pendente", "Cancelado"),
    "a state in Spanish": _column("Estado", "Pagado", "Pendiente"),
    "paid or not": _column("Pago?", "sim", "não"),
    "approved or not": _column("Aprovado", "Sim", "", "Não"),
    "a tick": _column("Pagar", "x", "", "x"),
    "a way of paying": _column("Forma de pagamento", "PIX", "dinheiro", "PIX"),
    "a company that pays": _column("Empresa pagadora", "Selo Aurora", "Aurora Edições"),
    "a day on which it is due": _column("Vencimento", "10/11/2026", "10/11/2027"),
    "a discount": _column("Desconto", "10,00", "", "5,00"),
    "days and amounts": _column("Diárias", "2", "3"),
    "instalments": _column("Parcela", "1/3", "2/3"),
    "people who are there no longer": _column("Ativo", "sim", "não"),
    "a commission": _column("Comissão", "10%", "15%"),
    "a tax": _column("Retenção", "4,65", "0,00"),
    "no header above amounts": _column("", "12,00", "15,50"),
    "a currency": _cell("Moeda", "USD"),
    "words in a remark": _cell("Observação", "NÃO PAGAR"),
    "words beside a name": _cell("name", lambda name: f"{name} (CANCELADO)"),
    "paid before": _cell("Referência", "já pago em 10/10"),
    "somebody who died": _cell("Obs.", "falecido em 2025"),
    "dollars in the cell": _cell("amount", "US$ 10,00"),
    "centavos behind zeros": _cell("amount", "0000125000"),
    "three decimals": _cell("amount", "10,555"),
    "nothing to pay": _cell("amount", "0,00"),
    "less than nothing": _cell("amount", "-10,00"),
    "no amount": _cell("amount", "a combinar"),
    "a document that is none": _cell("tax_id", "123.456.789-00"),
    "a name of digits": _cell("name", "52998224725"),
    "two names of one document": _two_names,
    "a row twice": _twice,
}
IN_A_WORKBOOK: Final[dict[str, Spoil]] = {
    "shown in dollars": _look("amount", _set("number_format", "[$USD] #,##0.00")),
    "shown in euros": _look("amount", _set("number_format", '#,##0.00 "€"')),
    "shown in thousands": _look("amount", _set("number_format", "#,##0.0,")),
    "struck through": _look("name", _set("font", Font(strike=True))),
    "a comment": _look("amount", lambda cell: setattr(cell, "comment", Comment("não pagar este mês", "Chefe"))),
}


def spoiled(seed: int, spoil: Spoil) -> Drawn:
    """Draw a sheet of which some rows, or all, are not to be paid as they stand."""
    drawn = honest(seed)
    spoil(drawn, random.Random(seed))
    return drawn
