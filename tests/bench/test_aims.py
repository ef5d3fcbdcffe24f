"""The figures with an aim: what is worked out, written and kept of a month of very many payees."""

import gc
import io
import os
import random
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Sequence
from decimal import Decimal
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest
import xlsxwriter
from stdnum.br import cnpj, cpf

from flows.payables.rules.compute import compute_payables
from io_adapters.outputs.reconciliation_workbook import tables_of
from io_adapters.outputs.run_folder import reconciliation_xlsx
from io_adapters.outputs.workbook import Toned
from schemas.errors import ExitCode
from schemas.parsing.table import empty_table
from schemas.plan import Place
from schemas.tables.royalties import LINE_AMOUNT
from schemas.values.tax_id import check_digits, format_tax_id, read_tax_ids
from tests.bench.conftest import Figures, median_cpu_s
from tests.crash.payday import opened_payday
from tests.io_adapters.outputs.builder import obligation, reconciliation
from tests.payments_job import write_payments_job
from tests.spec.office import Office, inputs
from tests.spec.office import statement as statement_of

pytestmark = [pytest.mark.bench, pytest.mark.timeout(3600)]

REPASSE = str(Path(sys.executable).with_name("repasse"))
# What `check` imports when it runs.
CHECK_IMPORTS = (
    "flows.cli, flows.payables.check, flows.cli.printing, flows.intake.read, flows.payables.draft, flows.run"
)
LETTERS_AND_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def table(name: str, /, **columns: Sequence[object]) -> pd.DataFrame:
    """Make a table of so many rows; columns that are not given are blank, as in a file that has none."""
    count = len(next(iter(columns.values())))
    given = {"file": [f"{name}.csv"] * count, "row": range(2, count + 2)} | columns
    blank = {"int64": 0, "bool": False}
    types = empty_table(name).dtypes.items()
    return pd.DataFrame(
        {column: pd.Series(given.get(column, [blank.get(str(kind), "")] * count), dtype=kind) for column, kind in types}
    )


def process(*command: str) -> Callable[[], object]:
    """Return what runs a whole process and expects it to end well."""
    return lambda: subprocess.run(command, check=True, capture_output=True)


def test_starting(figures: Figures, tmp_path: Path):
    """As people start it, compiled modules and all; CPU, which on a machine of one's own is what the clock says."""
    job = write_payments_job(tmp_path, 1_000)
    programs = (
        process(sys.executable, "-c", "import pandas, duckdb"),
        process(REPASSE, "--help"),
        process(REPASSE, "check", str(job.path)),
        process(sys.executable, "-c", f"import gc; gc.set_threshold(50_000, 10, 10); import {CHECK_IMPORTS}"),
    )
    for program in programs:
        program()
    bare_s, help_s, check_s, imports_s = median_cpu_s(*programs, times=5)
    beside = {"baseline": "import pandas, duckdb", "baseline_median": bare_s}
    figures.add("repasse --help, CPU", help_s, at_most=0.3)
    figures.add("repasse check, 1,000 payments in XLSX, CPU", check_s, at_most=2.2)
    figures.add("    its imports, CPU", imports_s, at_most=0.6)
    figures.add("    the same", imports_s, **beside)


def test_from_sums_to_obligations(figures: Figures):
    """50,000 payees, 60,000 shares of as many recordings, every tenth payee with an advance."""
    payees = [body + check_digits(body) for body in map(str, range(100_000_001, 100_050_001))]
    recordings = [f"BRAUR{number:07d}" for number in range(len(payees))]
    amounts = [Decimal(number % 9_973 + 1) * 7 / 100 + Decimal("0.000001") for number in range(len(payees))]
    halves, quarters = [500_000] * len(payees), [250_000] * len(payees[1::5])
    lines = table(
        "royalty_lines",
        isrc=recordings,
        platform=["Loja"] * len(payees),
        territory=["BR"] * len(payees),
        units=[3] * len(payees),
        currency=["BRL"] * len(payees),
        amount=pa.array(amounts, type=LINE_AMOUNT),
    )
    came_in = inputs(
        [statement_of(lines)],
        payees=table("payees", tax_id=payees, name=payees, pix_key=payees, pix_key_type=["cpf"] * len(payees)),
        shares=table(
            "shares",
            tax_id=payees + payees[1::5],
            isrc=recordings + recordings[::5],
            share_ppm=halves + quarters,
        ),
        advances=table(
            "advances",
            tax_id=payees[::10],
            amount_cents=range(1_000, 1_000 + len(payees[::10])),
            date=["2026-01-01"] * len(payees[::10]),
        ),
    )
    office = Office()
    standing = office.stand(came_in)
    gc.set_threshold(50_000, 10, 10)  # as every run does
    (taken_s,) = median_cpu_s(lambda: compute_payables(came_in, office.job, office.period, standing, {}))
    figures.add("50,000 payees: from sums to obligations, CPU", taken_s, at_most=2)


def test_the_reconciliation_workbook(figures: Figures):
    """100,000 obligations, beside a loop that writes the same cells in one look for each column."""
    many = reconciliation([sample(number) for number in range(100_000)])
    sheets = [
        (table.title, [[cell.text if isinstance(cell, Toned) else cell for cell in row] for row in table.rows])
        for table in tables_of(many)
    ]

    def plain_loop() -> None:
        with xlsxwriter.Workbook(io.BytesIO(), {"constant_memory": True}) as book:
            for title, rows in sheets:
                page, looks = book.add_worksheet(title), [book.add_format({"valign": "top"}) for _ in range(20)]
                for number, row in enumerate(rows):
                    for position, cell in enumerate(row):
                        page.write(number, position, cell, looks[position])

    ours_s, plain_s = median_cpu_s(lambda: reconciliation_xlsx(many), plain_loop)
    beside = {"baseline": "XlsxWriter's plain loop", "baseline_median": plain_s}
    figures.add("reconciliation.xlsx of 100,000 obligations, CPU", ours_s, **beside, at_most=1.3)


def sample(number: int) -> object:
    """Make an obligation like many."""
    return obligation(
        100 + number,
        Place.PAID if number % 3 else Place.HELD,
        name=f"Pessoa Exemplo {number}",
        tax_id=f"{number:011d}",
        reference="royalties",
        key=f"ob-{number:026d}",
        submission_id=f"rp-{number // 500}",
        file="pagamentos.xlsx",
        sheet="Outubro",
        row=number + 2,
        pix_key=f"pessoa{number}@example.com",
        pix_key_type="email",
    )


def test_a_column_of_tax_ids(figures: Figures):
    """A million CPF and CNPJ, with masks and without, 5 % of them bad in four ways."""
    chance = random.Random(5)
    texts = [written(chance, number) for number in range(100_000)]
    column = pd.Series(texts * 10, dtype="str")

    def one_by_one() -> list[bool]:
        return [cpf.is_valid(text) or cnpj.is_valid(text) for text in texts]

    assert (read_tax_ids(column).tax_ids != "").tolist() == one_by_one() * 10
    ours_s, bare_s = median_cpu_s(lambda: read_tax_ids(column), one_by_one)
    beside = {"baseline": "python-stdnum", "baseline_median": bare_s * 10}
    figures.add("a million CPF and CNPJ, 5 % of them bad, CPU", ours_s, **beside, at_most=1 / 50)


def written(chance: random.Random, number: int) -> str:
    """Write a document as people do; every twentieth is wrong."""
    letters = "0123456789" if number % 4 else LETTERS_AND_DIGITS
    body = "".join(chance.choices(letters, k=12)) if number % 2 else f"{chance.randrange(10**9):09d}"
    tax_id = body + check_digits(body)
    if number % 20:
        return format_tax_id(tax_id) if number % 3 else tax_id
    wrong_digit = f"{tax_id[:-1]}{(int(tax_id[-1]) + 1) % 10}"
    return [wrong_digit, tax_id[1:], "isento", f"{tax_id[:4]}X{tax_id[5:]}"][number // 20 % 4]


ROYALTIES = """\
job: royalties
payer: {{tax_id: 12.ABC.345/01DE-35, name: Selo Aurora}}
period: {period}
sources: [{{files: "lines-{{period}}.csv", layout: royalties}}]
payees: payees.csv
shares: shares.csv
account_checks: {{when: never}}
settle: {{every_s: "0.5", for_s: "60"}}
outputs: {{folder: out, formats: [json], statements: false}}
"""


def write_royalties_month(folder: Path, payees: int, period: str) -> Path:
    """Write a month of two lines and one share for each payee; returns the job file."""
    folder.mkdir(exist_ok=True)
    people = [body + check_digits(body) for body in map(str, range(100_000_001, 100_000_001 + payees))]
    keys = [f"pessoa{number}@example.com" for number in range(payees)]
    month = int(period[:4]) * 12 + int(period[-2:])
    tables = {
        "payees.csv": [
            "Nome;CPF;E-mail;Chave Pix;Tipo da chave",
            *(
                f"Pessoa Exemplo {n};{tax_id};{key};{key};E-mail"
                for n, (tax_id, key) in enumerate(zip(people, keys, strict=True))
            ),
        ],
        "shares.csv": ["ISRC;CPF;Participação", *(f"BRAUR{n:07d};{tax_id};50" for n, tax_id in enumerate(people))],
        f"lines-{period}.csv": [
            "Período;Plataforma;Território;ISRC;Faixa;Artista;Quantidade;Valor;Moeda",
            *(
                f"{period};Loja {(n + line) % 10};{territory};BRAUR{n:07d};Canção número {n % 9_973} da manhã;"
                f"Trio {n % 977};{(n * 7 + month) % 977};{(n * 31 + month * 17 + line) % 9_000 + 100},"
                f"{(n * 13 + month) % 100:02d};BRL"
                for n in range(payees)
                for line, territory in enumerate(("PT", "BR"))
            ),
        ],
        "job.yaml": [ROYALTIES.format(period=period)],
    }
    for name, lines in tables.items():
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder / "job.yaml"


def test_what_a_month_of_royalties_adds_to_the_ledger(figures: Figures, tmp_path: Path):
    """10,000 payees; 36 months of them were 839 MB once, of which a fifth is aimed at."""
    with opened_payday(tmp_path, 1, timeout_s=60) as payday:
        ledger, sizes_mb = Path(payday.environment["REPASSE_LEDGER_URL"].removeprefix("sqlite:///")), []
        for period in ("2026-08", "2026-09"):
            job = write_royalties_month(tmp_path / "royalties", 10_000, period)
            command = [REPASSE, "run", str(job), "--yes"]
            done = subprocess.run(command, check=False, capture_output=True, env=os.environ | payday.environment)
            assert done.returncode == ExitCode.DONE
            with sqlite3.connect(ledger) as connection:
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            sizes_mb.append(ledger.stat().st_size / 1e6)
    added_mb = sizes_mb[1] - sizes_mb[0]
    figures.add("what a month of royalties of 10,000 adds to the ledger", added_mb, at_most=839 / 5 / 36, unit="MB")


def test_a_month_of_ten_thousand_payees(figures: Figures, tmp_path: Path):
    """The command as people run it, imports and all, with a service that answers at once and no account checks."""
    taken_s, ledgers_mb = [], []
    for number in range(3):
        formats = "xlsx, csv, json"
        with opened_payday(tmp_path / f"{number}", 10_000, per_batch=500, formats=formats, timeout_s=60) as payday:
            environment = os.environ | payday.environment
            command = [REPASSE, "run", str(payday.job.path), "--yes"]

            def pay(command: list[str] = command, environment: dict[str, str] = environment) -> None:
                done = subprocess.run(command, check=False, capture_output=True, env=environment)
                assert done.returncode == ExitCode.DONE

            taken_s += median_cpu_s(pay, times=1)
            ledger = payday.environment["REPASSE_LEDGER_URL"].removeprefix("sqlite:///")
            with sqlite3.connect(ledger) as connection:
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            ledgers_mb.append(Path(ledger).stat().st_size / 1e6)
    figures.add("pay 10,000 people from end to end, CPU", sorted(taken_s)[1], at_most=8)
    figures.add("    what that adds to the ledger", sorted(ledgers_mb)[1], unit="MB")
