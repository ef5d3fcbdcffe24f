"""What a month of tens of thousands of payees costs to check, beside one SQL program that reads, shares and rounds."""

import csv
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from random import Random
from statistics import median

import pytest

from schemas.values.tax_id import check_digits
from tests.bench.conftest import Figures, cpu_s

pytestmark = [pytest.mark.bench, pytest.mark.timeout(3600)]

REPASSE = str(Path(sys.executable).with_name("repasse"))
LINES, PAYEES = 300_000, 50_000
JOB = """
job: muitos
payer: {tax_id: 11.222.333/0001-81, name: Selo Aurora}
period: 2026-10
currency: BRL
sources: [{files: statement.csv, layout: royalties}]
payees: payees.csv
shares: shares.csv
rules: {minimum_payout: "20.00", limits: {payment: "50000.00", run: "200000000.00"}}
outputs: {folder: out, formats: [json]}
"""
# What such a month asks of any program: each cell has its form, nobody is twice or unknown, no share is of more than
# the whole, and what each has is rounded once, by largest remainder.
BARE = r"""
import duckdb, sys
db, folder = duckdb.connect(), sys.argv[1]
for name in ("statement", "payees", "shares"):
    db.execute(f"CREATE TABLE {name} AS FROM read_csv('{folder}/{name}.csv', header=true, all_varchar=true)")
wrong = db.sql('''
    SELECT count(*) FROM statement WHERE NOT regexp_full_match(ISRC, '[A-Z]{2}[A-Z0-9]{3}[0-9]{7}')
        OR NOT regexp_full_match("Valor", '-?[0-9]+[.][0-9]+') OR NOT regexp_full_match("Período", '[0-9]{4}-[0-9]{2}')
    UNION ALL SELECT count(*) FROM payees WHERE NOT regexp_full_match("CPF/CNPJ", '[0-9]{11}')
        OR NOT regexp_full_match("E-mail", '[^@ ]+@[^@ ]+[.][a-z]+') OR "Chave Pix" <> "CPF/CNPJ"
    UNION ALL SELECT count(*) - count(DISTINCT "CPF/CNPJ") FROM payees
    UNION ALL SELECT count(*) FROM shares ANTI JOIN payees USING ("CPF/CNPJ")
    UNION ALL SELECT count(*) FROM (SELECT ISRC FROM shares GROUP BY ISRC HAVING sum("Participação"::INTEGER) > 100)
''').fetchall()
assert not any(count for count, in wrong), wrong
paid = db.sql('''
    WITH sums AS (SELECT ISRC, sum("Valor"::DECIMAL(28, 14)) AS amount FROM statement GROUP BY ISRC),
    exact AS (SELECT "CPF/CNPJ" AS payee, sum(amount * "Participação"::INTEGER) AS cents
        FROM sums JOIN shares USING (ISRC) GROUP BY payee),
    cut AS (SELECT payee, cents, floor(cents)::BIGINT AS whole, row_number() OVER (ORDER BY cents - floor(cents) DESC,
        payee) AS place FROM exact)
    SELECT payee, whole + (place <= (SELECT round(sum(cents)) - sum(whole) FROM cut))::INTEGER AS cents FROM cut
''').fetchnumpy()
assert len(paid["cents"]) > 0
"""


def write_month(folder: Path, lines: int, payees: int) -> None:
    """Write a statement, its payees, one recording each, and shares: half of each to one, of a fifth a part more."""
    random = Random(3)
    tax_ids = [body + check_digits(body) for body in map(str, range(100_000_001, 100_000_001 + payees))]
    isrcs = [f"BRAUR26{number:05d}" for number in range(payees)]

    def line(number: int) -> tuple[object, ...]:
        of = random.randrange(payees)
        platform, amount = (
            f"Plataforma {random.randrange(12):02d}",
            f"{random.random() * 30:.{random.randrange(6, 14)}f}",
        )
        named = (f"Canção {of}", f"Artista {of % 3_000}")
        return "2026-10", platform, random.choice(("BR", "US", "PT")), isrcs[of], *named, number % 977, amount, "BRL"

    more = ((isrcs[at], tax_ids[(at + 1) % payees], 25) for at in range(0, payees, 5))
    tables: dict[str, tuple[str, Iterable[tuple[object, ...]]]] = {
        "statement": (
            "Período,Plataforma,Território,ISRC,Título,Artista,Quantidade,Valor,Moeda",
            map(line, range(lines)),
        ),
        "payees": (
            "Nome,CPF/CNPJ,E-mail,Chave Pix,Tipo da chave",
            ((f"Pessoa {n}", own, f"p{n}@example.com", own, "CPF") for n, own in enumerate(tax_ids)),
        ),
        "shares": (
            "ISRC,CPF/CNPJ,Participação",
            [*((isrc, own, 50) for isrc, own in zip(isrcs, tax_ids, strict=True)), *more],
        ),
    }
    for name, (headers, rows) in tables.items():
        with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as stream:
            csv.writer(stream).writerows([headers.split(","), *rows])
    (folder / "job.yaml").write_text(JOB, encoding="utf-8")


def cpu_and_peak_mb(*command: str) -> tuple[float, float]:
    """Run a process to its good end; returns what it and its children took of the processor, and its most memory."""
    began = cpu_s()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return cpu_s() - began, usage.ru_maxrss / 1024


def test_checking_fifty_thousand_payees(figures: Figures, tmp_path: Path):
    write_month(tmp_path, LINES, PAYEES)
    programs = (
        (REPASSE, "check", str(tmp_path / "job.yaml")),
        (sys.executable, "-c", BARE, str(tmp_path)),
    )
    ours, bare = zip(*([cpu_and_peak_mb(*program) for program in programs] for _ in range(3)), strict=True)
    ours_s, bare_s = (median(seconds for seconds, _ in runs) for runs in (ours, bare))
    work, beside = f"check {LINES:,} lines, {PAYEES:,} payees and 60,000 shares", "one program in SQL"
    figures.add(f"{work}: CPU", ours_s, baseline=beside, baseline_median=bare_s, at_most=6)
    figures.add(f"{work}: memory", max(peak for _, peak in ours), unit="MB", at_most=400)
