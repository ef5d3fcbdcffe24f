"""Whoever does what `check` says of a job's files, tables and columns is rid of the problem, and no other one arises.

Held constant: a job of one sheet of payments, or of one statement with its tables; the remedies of cells and rows are
in tests/spec/test_every_remedy_ends_its_problem.py. What varies: the problem, and whether the job or a file is changed;
where the remedy is a line for the job, it is that line, as it is printed.
"""

import json
import re
from pathlib import Path

import pytest
from openpyxl import Workbook
from ruamel.yaml import YAML

from schemas.errors import ExitCode
from tests.flows.test_new_jobs_and_sheets_without_one import repasse

pytestmark = pytest.mark.usefixtures("home")
HEAD = (
    "job: um\npayer: {tax_id: 12.ABC.345/01DE-35, name: Selo Aurora}\nperiod: 2026-10\naccount_checks: {when: never}\n"
)
PEOPLE = "Nome,CPF,Chave Pix,Tipo da chave"
MARIA, ANA = (
    "Maria Silva,529.982.247-25,maria@example.com,E-mail",
    "Ana Lima,111.444.777-35,ana@example.com,E-mail",
)
PAYMENTS = f"{PEOPLE},Valor\n{MARIA},10.00\n{ANA},20.00\n"
LINES = "Period,Title,ISRC,Amount,Currency\n2026-09,Samba,BRABC2600001,10.00,BRL\n2026-09,Valsa,BRABC2600002,5.00,BRL\n"
SHARES = "ISRC,CPF,Share\nBRABC2600001,529.982.247-25,50%\nBRABC2600002,111.444.777-35,50%\n"
PAID = "sources:\n  - {files: pagamentos.csv, layout: payments}\n"
SHARED = "sources:\n  - {files: linhas.csv, layout: royalties}\npayees: quem.csv\nshares: partes.csv\n"
ROYALTIES = {"linhas.csv": LINES, "quem.csv": f"{PEOPLE}\n{MARIA}\n{ANA}\n", "partes.csv": SHARES}


class Folder:
    """A job and its files, as a person has them."""

    def __init__(self, path, job, files):
        self.path, self.job = path, path / "job.yaml"
        self.job.write_text(HEAD + job, encoding="utf-8")
        for name, text in files.items():
            self.write(name, text)

    def write(self, name, text):
        if name.endswith(".xlsx"):
            book = Workbook()
            book.remove(book.active)
            for title, rows in text.items():
                sheet = book.create_sheet(title)
                for line in rows.splitlines():
                    sheet.append(line.split(","))
            book.save(self.path / name)
        else:
            (self.path / name).write_bytes(text if isinstance(text, bytes) else text.encode())

    def replace(self, name, old, new):
        text = (self.path / name).read_text("utf-8")
        assert old in text
        (self.path / name).write_text(text.replace(old, new), encoding="utf-8")

    def say(self, told):
        """Write what is told between backquotes into the source, as a person does."""
        (line,) = [part for part in re.findall(r"`([^`]+)`", told) if ": " in part][:1]
        yaml = YAML()
        document = yaml.load(self.job.read_text("utf-8"))
        document["sources"][0].update(YAML(typ="safe").load(line))
        with self.job.open("w", encoding="utf-8") as file:
            yaml.dump(document, file)

    def check(self):
        checked = json.loads(repasse("check", self.job, "--json").stdout)
        return {issue["code"]: issue["accepts"] for issue in checked["issues"] if issue["severity"] == "error"}


def put(name, text):
    return lambda folder, _: folder.write(name, text)


def mend(name, old, new):
    return lambda folder, _: folder.replace(name, old, new)


def as_told(folder, told):
    folder.say(told)


def the_sheet_of_october(folder, _):
    """Name it; the money of the other sheet is then asked about by itself."""
    folder.replace("job.yaml", "payments}", "payments, sheet: Outubro}")
    folder.say(folder.check()["MONEY_UNREAD"])


TWO_SHEETS = {"Outubro": PAYMENTS, "Setembro": PAYMENTS}
CASES = {
    "FILE_MISSING": (PAID, {}, put("pagamentos.csv", PAYMENTS)),
    "FILE_EMPTY": (PAID, {"pagamentos.csv": ""}, put("pagamentos.csv", PAYMENTS)),
    "FILE_TYPE": (PAID, {"pagamentos.csv": b"%PDF-1.7 x"}, put("pagamentos.csv", PAYMENTS)),
    "FILE_CORRUPT": (PAID, {"pagamentos.csv": b"PK\x03\x04 cut"}, put("pagamentos.csv", PAYMENTS)),
    "COLUMN_MISSING": (
        PAID, {"pagamentos.csv": PAYMENTS.replace("Valor", "Zebra")}, mend("pagamentos.csv", "Zebra", "Valor"),
    ),
    "COLUMN_DUPLICATE": (
        PAID, {"pagamentos.csv": f"{PEOPLE},Valor,Total\n{MARIA},10.00,11.00\n{ANA},20.00,23.00\n"}, as_told,
    ),
    "COLUMN_UNANSWERED": (PAID, {"pagamentos.csv": f"{PEOPLE},Zebra,Valor\n{MARIA},listrada,10.00\n"}, as_told),
    "DESTINATION_CONFLICT": (
        PAID,
        {"pagamentos.csv": f"{PEOPLE},Banco,Agência,Conta,Tipo de conta,Valor\n{MARIA},341,4313,43129-0,CC,10.00\n"},
        as_told,
    ),
    "SHEET_AMBIGUOUS": (
        PAID.replace(".csv", ".xlsx"), {"pagamentos.xlsx": TWO_SHEETS},
        the_sheet_of_october,
    ),
    "SHEET_MISSING": (
        PAID.replace(".csv", ".xlsx").replace("payments}", "payments, sheet: Agosto}"),
        {"pagamentos.xlsx": {"Outubro": PAYMENTS}},
        mend("job.yaml", "Agosto", "Outubro"),
    ),
    "LAYOUT_UNKNOWN": (
        PAID.replace("layout: payments", "layout: auto"), {"pagamentos.csv": "a,b\n1,2\n"},
        put("pagamentos.csv", PAYMENTS),
    ),
    "TAXID_UNKNOWN_PAYEE": (
        SHARED, ROYALTIES | {"quem.csv": f"{PEOPLE}\n{MARIA}\n"}, put("quem.csv", ROYALTIES["quem.csv"]),
    ),
    "PERCENT_SUM": (
        SHARED, ROYALTIES | {"partes.csv": SHARES + "BRABC2600001,111.444.777-35,60%\n"}, put("partes.csv", SHARES),
    ),
    "CURRENCY_NO_RATE": (
        SHARED, ROYALTIES | {"linhas.csv": LINES.replace("BRL", "USD")},
        mend("job.yaml", "royalties}", 'royalties, exchange: {USD: {rate: "5.00", date: 2026-10-30, source: PTAX}}}'),
    ),
    "RECEIVED_MISMATCH": (
        SHARED.replace("royalties}", 'royalties, received: {BRL: "14.00"}}'), ROYALTIES,
        mend("job.yaml", "14.00", "15.00"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("code", CASES)
def test_what_the_remedy_says_ends_the_problem(tmp_path: Path, code):
    job, files, obey = CASES[code]
    (tmp_path / "job").mkdir()
    folder = Folder(tmp_path / "job", job, files)
    told = folder.check()
    assert set(told) == {code}
    obey(folder, told[code])
    assert folder.check() == {}
    assert repasse("check", folder.job).exit_code in {ExitCode.DONE, ExitCode.ROWS_HELD}
