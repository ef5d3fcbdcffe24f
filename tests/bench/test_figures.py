"""How long the work takes, beside the barest program that could do part of it. `make bench` prints the figures."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import pytest
from openpyxl import Workbook
from python_calamine import CalamineWorkbook

from flows.house_ledger import open_ledger_of
from flows.intake.read_lines import SummedTable, parts_of, read_blocks
from flows.settings import read_settings
from io_adapters.spreadsheets.declarations import read_layout
from io_adapters.spreadsheets.reading import open_file, read_table
from schemas.errors import ExitCode
from schemas.layouts.layout import Layout
from tests.bench.conftest import Figures, median_s
from tests.bench.large_ledger import approve_many
from tests.crash import workers
from tests.crash.payday import opened_payday
from tests.payments_job import write_payments_job

pytestmark = [pytest.mark.bench, pytest.mark.timeout(1200)]

REPASSE = str(Path(sys.executable).with_name("repasse"))
BARE_READ = (
    "import sys, python_calamine as c; c.CalamineWorkbook.from_path(sys.argv[1]).get_sheet_by_index(0).to_python()"
)


def process(*command: str) -> Callable[[], object]:
    """Return what runs a whole process and expects it to end well."""
    return lambda: subprocess.run(command, check=True, capture_output=True)


def test_checking_ten_thousand_payments(figures: Figures, tmp_path: Path):
    job = write_payments_job(tmp_path, 10_000)
    bare_s = median_s(process(sys.executable, "-c", BARE_READ, str(job.workbook)))
    check_s = median_s(process(REPASSE, "check", str(job.path)))
    figures.add("repasse check, 10,000 payments in XLSX", check_s, baseline_median=bare_s, baseline="calamine alone")


def test_reading_a_large_workbook(figures: Figures, tmp_path: Path):
    path = tmp_path / "statement.xlsx"
    write_statement(path, 200_000)
    layout = read_layout("royalties", tmp_path)
    bare_s = median_s(lambda: CalamineWorkbook.from_path(str(path)).get_sheet_by_index(0).to_python())
    read_s = median_s(lambda: read_table(str(path), layout))
    checked_s = median_s(lambda: checked(path, layout))
    assert checked(path, layout).totals.by_platform["lines"].sum() == 200_000
    beside = {"baseline": "calamine alone", "baseline_median": bare_s}
    figures.add("200,000 statement lines in XLSX, read", read_s, **beside)
    # That nothing but plain cells is in it is proven on the way; only a sheet with more is looked at by a parser.
    figures.add("200,000 statement lines in XLSX, read, checked and added up", checked_s, **beside, at_most=3)


def checked(path: Path, layout: Layout) -> SummedTable:
    """Read a statement as a run does."""
    with open_file(str(path)) as file:
        (fit,) = file.fits(layout)
        return read_blocks(lambda: parts_of(file.blocks(fit)), layout)


def write_statement(path: Path, lines: int) -> None:
    """Write a statement in the generic layout: 1,000 recordings on ten platforms."""
    book = Workbook(write_only=True)
    page = book.create_sheet("Statement")
    page.append(["Período", "Plataforma", "ISRC", "Faixa", "Quantidade", "Valor", "Moeda"])
    for n in range(lines):
        isrc = f"BRAUR26{n % 1_000:05d}"
        page.append(["2026-10", f"Loja {n % 10}", isrc, f"Faixa {n % 1_000}", n % 977, (n % 9_973) / 1_000, "BRL"])
    book.save(path)


@pytest.mark.parametrize(("checks", "payments"), [("never", 10_000), ("new_or_changed", 10_000)])
def test_paying_ten_thousand_people(figures: Figures, tmp_path: Path, checks: str, payments: int):
    formats = "xlsx, csv, json"
    with opened_payday(tmp_path, payments, per_batch=500, checks=checks, formats=formats, timeout_s=60) as payday:
        began, stages = perf_counter(), list[tuple[str, float]]()
        worker = payday.start()
        while (name := worker.next_stage()) is not None:
            stages.append((name, perf_counter()))
        ended = perf_counter()
        assert worker.ended() == ExitCode.DONE
        assert payday.posts() == 20
    figures.add(f"pay {payments:,} people in 20 batches, account checks: {checks}", ended - began)
    for (name, start), (_, end) in zip(stages, [*stages[1:], ("", ended)], strict=True):
        figures.add(f"    {name.replace('_', ' ')}", end - start)


def test_how_fast_is_the_disk(figures: Figures, tmp_path: Path):
    """What one durable commit costs here at least: two of them stand around every batch that is sent."""
    with (tmp_path / "file").open("wb") as file:

        def write_through() -> None:
            file.write(b"x" * 4096)
            file.flush()
            os.fsync(file.fileno())

        figures.add("fsync of 4 kB on this disk", median_s(write_through, 50))


def test_a_ledger_of_a_hundred_thousand_payments(figures: Figures, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    batches = 200
    with opened_payday(tmp_path, 1, timeout_s=60) as payday:
        for name, value in payday.environment.items():
            monkeypatch.setenv(name, value)
        with open_ledger_of(read_settings()) as ledger:  # as a run opens it, which seals approvals
            approve_many(ledger, payday.job.name, payday.environment["REPASSE_API_URL"], batches)
        worker = payday.start(payday.job, workers.finish_stored)
        for _ in range(batches - 4):
            worker.next_stage()
        worker.process.kill()
        assert worker.ended() < 0, "it was to be killed in the middle"
        environment = os.environ | payday.environment
        empty = environment | {"REPASSE_LEDGER_URL": f"sqlite:///{tmp_path}/empty.db"}
        status_s, empty_s = median_s(status(environment)), median_s(status(empty))
        with payday.ledger() as ledger:
            list_s = median_s(lambda: ledger.submissions.list(bodies=False))
        worker = payday.start(payday.job, workers.finish_stored)
        began = perf_counter()
        while worker.next_stage() is not None:
            pass
        recover_s = perf_counter() - began
        assert worker.ended() == ExitCode.DONE
        assert payday.posts() == batches
        check_s = median_s(lambda: payday.start(does=workers.settle).ended(), 1)
    figures.add("repasse status, 100,000 payments", status_s, baseline_median=empty_s, baseline="an empty ledger")
    figures.add("    the ledger's part of it", list_s)
    figures.add("recover after a kill, 100,000 payments", recover_s)
    figures.add("repasse settle with nothing left to settle", check_s)


def status(environment: dict[str, str]) -> Callable[[], object]:
    """Return what asks how things stand; that something waits is an exit code of its own."""
    return lambda: subprocess.run([REPASSE, "status"], check=False, env=environment, capture_output=True)
