"""What checking a large statement costs: CPU for each line beside a bare query, and memory, however many lines."""

import gzip
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from schemas.errors import ExitCode
from tests.bench.conftest import Figures, cpu_s
from tests.bench.lines import MILLION, write_lines
from tests.bench.plot import Curve, plotted
from tests.spec.tables import CPF

pytestmark = [pytest.mark.bench, pytest.mark.timeout(3600)]

REPASSE = str(Path(sys.executable).with_name("repasse"))
# How many times as many lines the larger statement has; BENCH_TIMES=100 for a hundred million lines.
TIMES = int(os.environ.get("BENCH_TIMES", "10"))
JOB = """
job: linhas
payer: {{tax_id: 11.222.333/0001-81, name: Selo Aurora}}
period: 2026-10
currency: BRL
sources: [{{files: {name}, layout: royalties}}]
payees: payees.csv
shares: shares.csv
outputs: {{folder: out, formats: [json]}}
"""
# The two groupings that the job needs, in one scan each, and nothing else.
BARE = """
import duckdb, sys
text = dict.fromkeys(["period", "platform", "territory", "isrc", "title", "artist"], "VARCHAR")
columns = {**text, "units": "BIGINT", "amount": "DECIMAL(38, 18)", "currency": "VARCHAR"}
lines = f"read_csv({sys.argv[1]!r}, header=true, auto_detect=false, delim=',', quote='\\"', columns={columns})"
for place in ("title, platform", "territory"):
    duckdb.sql(
        f"SELECT period, isrc, artist, currency, {place}, sum(amount), sum(units), count(*) FROM {lines} GROUP BY ALL"
    ).fetchnumpy()
"""


def job_for(statement: Path) -> Path:
    """Write a job that shares a statement between two people."""
    folder = statement.parent
    rows = [f"{name},{CPF[name]},{CPF[name]},CPF" for name in ("ana", "bia")]
    (folder / "payees.csv").write_text("\n".join(["Nome,CPF,Chave Pix,Tipo da chave", *rows]) + "\n", encoding="utf-8")
    shares = [f"{CPF['ana']},12.3457", f"{CPF['bia']},55.0001"]
    (folder / "shares.csv").write_text("\n".join(["CPF,Participação", *shares]) + "\n", encoding="utf-8")
    path = folder / f"{statement.name}.yaml"
    path.write_text(JOB.format(name=statement.name), encoding="utf-8")
    return path


def check(statement: Path) -> float:
    """Check a statement in a process of its own; returns the most memory that it took, in MB."""
    command = [REPASSE, "check", str(job_for(statement))]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == ExitCode.DONE
    return usage.ru_maxrss / 1024


def bare(statement: Path) -> None:
    subprocess.run([sys.executable, "-c", BARE, str(statement)], check=True)


def cpu_of(work: Callable[[Path], object], statement: Path) -> float:
    began = cpu_s()
    work(statement)
    return cpu_s() - began


def test_checking_millions_of_lines(figures: Figures, tmp_path: Path, pytestconfig: pytest.Config):
    """From ten thousand lines to many millions: what the first ones cost, what each costs, and a plot of it."""
    counts = (MILLION // 100, MILLION // 10, MILLION, TIMES * MILLION)
    statements = {count: tmp_path / f"{count}.csv" for count in counts}
    check_s_of, peak_mb_of = dict[int, float](), dict[int, float]()
    for count, statement in statements.items():
        write_lines(statement, count)
        began_s = cpu_s()
        peak_mb_of[count] = check(statement)
        check_s_of[count] = cpu_s() - began_s
    more = (TIMES - 1) * MILLION
    few, many = statements[MILLION], statements[TIMES * MILLION]
    check_s = (check_s_of[TIMES * MILLION] - check_s_of[MILLION]) / more
    peak_mb = peak_mb_of[TIMES * MILLION]
    bare_s = (cpu_of(bare, many) - cpu_of(bare, few)) / more
    figures.add("check ten thousand lines: CPU", check_s_of[counts[0]])
    fixed_s = check_s_of[MILLION] - MILLION * check_s
    figures.add("check a million lines, beyond what each line costs: CPU", fixed_s, at_most=3)
    curves = [
        Curve("CPU, s", "#1f5f8b", tuple(check_s_of.items())),
        Curve("memory, MB", "#b3541e", tuple(peak_mb_of.items())),
    ]
    picture = pytestconfig.rootpath / "build" / "lines.svg"
    picture.parent.mkdir(exist_ok=True)
    picture.write_text(plotted("repasse check of a statement", "lines", curves), encoding="utf-8")
    figures.add(
        f"check a line, between 1 and {TIMES} million: CPU",
        check_s,
        baseline="bare DuckDB, two groupings",
        baseline_median=bare_s,
        at_most=2,
    )
    figures.add(f"check {TIMES} million lines: memory", peak_mb, at_most=500, unit="MB")


@pytest.mark.parametrize("variant", ["quoted", "cp1252", "decimal comma", "gzip"])
def test_other_ways_to_write_a_million_lines(figures: Figures, tmp_path: Path, variant: str):
    plain, other = tmp_path / "plain.csv", tmp_path / "other.csv"
    write_lines(plain, MILLION)
    if variant == "decimal comma":
        write_lines(other, MILLION, delimiter=";", decimal=",")
    else:
        write_lines(other, MILLION, quote='"' if variant == "quoted" else "")
    if variant == "cp1252":
        other.write_bytes(other.read_text(encoding="utf-8").encode("cp1252"))
    if variant == "gzip":
        other = other.with_suffix(".csv.gz")
        other.write_bytes(gzip.compress(plain.read_bytes(), compresslevel=4))
    figures.add(
        f"check a million lines, {variant}: CPU",
        cpu_of(check, other),
        baseline="plain",
        baseline_median=cpu_of(check, plain),
        at_most=1.5,
    )
