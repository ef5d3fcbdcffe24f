"""Words that can be nobody else's, in every place in which people write; and a search for them in what is told."""

import unicodedata
from pathlib import Path

from openpyxl import load_workbook

from tests.flows.jobs import payment, people
from tests.flows.label import Label

ANA, BIA, CAIO = people(3)
# One word for each place that a person writes in; none is part of a word of ours.
WORDS = {
    "name": "Zulmira",
    "artist": "Xavantina",
    "reference": "Bromelia",
    "holder": "Quaresmeira",
    "remark": "Zenobio",
    "unknown header": "Jabuticaba",
    "sheet": "Zenaide",
    "file": "Zoraide",
    "folder": "Zozimo",
    "cell": "Zarabatana",
    "title": "Cambuquira",
    "platform": "Itaquaque",
    "role": "Tamborilete",
}
DOCUMENTS = {ANA.tax_id, BIA.tax_id, CAIO.tax_id, ANA.email, BIA.email, CAIO.email}
COLUMNS = ["Valor", "Chave Pix", "Tipo da chave", "CPF", "E-mail", "Nome", "Referência", "Banco", "Agência", "Conta"]


def folded(text: str) -> str:
    letters = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def named_in(text: str) -> list[str]:
    """Return what of our people stands in a text, in any spelling."""
    plain = folded(text)
    digits = plain.translate(str.maketrans("", "", ".-/() "))
    found = [what for what, word in WORDS.items() if folded(word) in plain]
    return found + ["document" for document in DOCUMENTS if folded(document) in plain or document in digits]


def row(who, amount: str, **changes: str) -> dict[str, str]:
    beside = {
        "Nome artístico": f"{WORDS['artist']} Lunar",
        "Titular": f"{who.name} {WORDS['holder']}",
        "Jabuticaba": "doce",
        "Obs": f"falar com {WORDS['remark']}",
    }
    return dict(payment(who, amount, f"{WORDS['reference']} 12", Nome=f"{WORDS['name']} {who.name}")) | beside | changes


def declare(label: Label, **answers: object) -> None:
    source = {"files": f"{WORDS['folder']} filho/*.xlsx", "layout": "payments", "sheet": WORDS["sheet"]}
    label.declare(sources=[source | answers])


def sheet_of(label: Label) -> Path:
    folder = label.folder / f"{WORDS['folder']} filho"
    folder.mkdir(exist_ok=True)
    return folder / f"Cachês {WORDS['file']}.xlsx"


def write(label: Label, rows: list[dict[str, str]]) -> None:
    path = sheet_of(label)
    label.write(str(path), rows)
    book = load_workbook(path)
    book["Dados"].title = WORDS["sheet"]
    book.save(path)
