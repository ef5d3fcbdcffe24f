"""Jobs as a finance team writes them: a folder with a declaration and spreadsheets, each in a few words."""

import csv
import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from openpyxl import Workbook

from sample_data.making.people import Payee, Registry, masked

Row = Mapping[str, str]

PAYER = "12ABC34501DE35"
FORMATS = ["csv", "json"]  # what runs write; the fixture `workbooks` adds the workbook, which takes as long as the rest
JOB = "aurora"
PERIOD = "2026-10"
NOBODY = "123.456.789-00"  # a CPF whose check digits are wrong


@cache
def people(count: int) -> tuple[Payee, ...]:
    """Invent people who are paid by Pix to their e-mail; the first ones are the same however many are asked for."""
    registry = Registry("tests of flows")
    return tuple(registry.person("email") for _ in range(count))


def payment(who: Payee, amount: str, reference: str = "", **changes: str) -> Row:
    """Write a row of the payments layout; changes are by header, blanks as underscores."""
    row = {
        "Nome": who.name,
        "CPF": masked(who.tax_id),
        "E-mail": who.email,
        "Valor": amount,
        "Chave Pix": who.destination.pix_key,
        "Tipo da chave": who.destination.pix_key_type,
        "Referência": reference,
    }
    return row | {name.replace("_", " "): value for name, value in changes.items()}


def payee(who: Payee) -> Row:
    """Write a row of the payees layout."""
    key = {"Chave Pix": who.destination.pix_key, "Tipo da chave": who.destination.pix_key_type}
    return {"Nome": who.name, "CPF": masked(who.tax_id), "E-mail": who.email} | key


def share(who: Payee, percent: str) -> Row:
    """Write a row of the shares layout: a part of the whole catalogue."""
    return {"CPF": masked(who.tax_id), "Participação": percent}


def line(amount: str, title: str = "Samba", month: str = "") -> Row:
    """Write a row of a royalty statement, which says its month or not."""
    row = {"Título": title, "Artista": "Banda", "Plataforma": "Loja", "Valor": amount, "Moeda": "BRL"}
    return row | ({"Período": month} if month else {})


def advance(who: Payee, amount: str) -> Row:
    """Write a row of the advances layout."""
    return {"tax_id": masked(who.tax_id), "reference": "adv-1", "amount": amount, "date": "2026-01-15"}


def write_sheet(path: Path, rows: Sequence[Row]) -> Path:
    """Write rows as a workbook of one sheet, every cell as text, or as CSV where the name says so."""
    headers = list(rows[0])
    if path.suffix == ".csv":
        with path.open("w", encoding="utf-8", newline="") as stream:
            writer = csv.DictWriter(stream, headers, delimiter=";")
            writer.writeheader()
            writer.writerows(rows)
        return path
    book = Workbook()
    sheet = book.active
    sheet.title = "Dados"
    sheet.append(headers)
    for row in rows:
        sheet.append([row[header] or None for header in headers])
    book.save(path)
    return path


def declare(path: Path, **changes: object) -> Path:
    """Write a job file that pays payments.xlsx without account checks; changes are by top-level key."""
    job: dict[str, object] = {
        "job": JOB,
        "payer": {"tax_id": PAYER, "name": "Selo Aurora"},
        "period": PERIOD,
        "sources": [{"files": "payments.xlsx", "layout": "payments"}],
        "account_checks": {"when": "never"},
        "settle": {"every_s": "0.1", "for_s": "5"},
        "outputs": {"folder": "out", "statements": False, "formats": FORMATS},
    }
    path.write_text(json.dumps(job | changes, ensure_ascii=False, indent=1), encoding="utf-8")  # JSON is YAML
    return path


def private(text: str) -> bool:
    """Whether a text tells no document, e-mail or key of the first three people."""
    told = [
        secret
        for who in people(3)
        for secret in (who.tax_id, masked(who.tax_id), who.email, who.destination.pix_key)
        if secret in text
    ]
    return not told
