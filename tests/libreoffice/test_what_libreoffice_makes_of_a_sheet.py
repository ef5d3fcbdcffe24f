"""Finance teams open our workbooks and save theirs with LibreOffice; nothing may change on the way."""

import os
import shutil
from pathlib import Path

import pandas as pd
import pytest
from openpyxl import load_workbook

from flows.launch import start_payout
from flows.run import QuietProgress
from flows.run_options import RunOptions
from flows.runner import RunReport
from io_adapters.spreadsheets.declarations import read_layout
from io_adapters.spreadsheets.reading import read_table
from schemas.errors import ExitCode
from schemas.parsing.content_hash import content_sha256
from schemas.parsing.table import ParsedTable, parse_table

pytestmark = pytest.mark.long
SAMPLES = Path(__file__).parents[2] / "sample_data"
CSV_FILTER = "csv:Text - txt - csv (StarCalc):59,34,76,1"  # semicolons, quotes, UTF-8, from the first line
CP1252_FILTER = "csv:Text - txt - csv (StarCalc):9,34,1,1"  # tabs, quotes, cp1252
FORMS = {"xlsx": "xlsx", "ods": "ods", "xls": "xls", "csv": CSV_FILTER, "csv in cp1252": CP1252_FILTER}


@pytest.fixture
def sandbox_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in [name for name in os.environ if name.startswith(("REPASSE_", "PREFECT_API"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("REPASSE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("REPASSE_API_URL", "sandbox")
    return tmp_path


def read(path: Path, layout: str) -> ParsedTable:
    declared = read_layout(layout, path.parent)
    return parse_table(read_table(str(path), declared), declared)


def pay(job: Path) -> RunReport:
    return start_payout(job, RunOptions(yes=True), progress=QuietProgress(), watched=False)


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize(
    ("sample", "layout"),
    [
        ("payments/payments.xlsx", "payments"),
        ("royalties/distribuidora-2026-10.xlsx", "royalties"),
        ("royalties/payees.xlsx", "payees"),
        ("royalties/shares.xlsx", "shares"),
    ],
)
def test_a_sheet_saved_by_libreoffice_says_the_same_in_the_same_rows(libreoffice, tmp_path, sample, layout, form):
    ours = read(SAMPLES / sample, layout)
    theirs = read(*libreoffice(form, tmp_path, SAMPLES / sample), layout)
    told = [name for name in ours.frame.columns if name not in {"file", "sheet"}]
    pd.testing.assert_frame_equal(ours.frame[told], theirs.frame[told])
    assert content_sha256(ours.frame) == content_sha256(theirs.frame)
    assert (len(ours.held), len(theirs.held)) == (0, 0)


def test_a_sheet_saved_again_by_libreoffice_pays_nothing_twice(libreoffice, sandbox_home):
    job = Path(shutil.copytree(SAMPLES / "payments", sandbox_home / "job", ignore=shutil.ignore_patterns("out")))
    assert pay(job / "job.yaml").exit_code is ExitCode.DONE
    (saved,) = libreoffice("xlsx", sandbox_home / "saved", job / "payments.xlsx")
    shutil.copy(saved, job / "payments.xlsx")
    again = pay(job / "job.yaml")
    assert (again.exit_code, again.state) == (ExitCode.DONE, "nothing_to_pay")


def test_libreoffice_opens_the_reconciliation_and_shows_that_it_closes(libreoffice, sandbox_home):
    job = Path(shutil.copytree(SAMPLES / "payments", sandbox_home / "job", ignore=shutil.ignore_patterns("out")))
    outputs = {path.name: path for path in pay(job / "job.yaml").outputs}
    (path,) = libreoffice(CSV_FILTER, sandbox_home / "shown", outputs["reconciliation.xlsx"])
    shown = path.read_text(encoding="utf-8")
    assert "✓ fecha" in shown
    assert "Err:" not in shown
    assert "#" not in shown


@pytest.mark.journey
def test_every_sum_of_the_workbook_is_what_libreoffice_computes_anew(libreoffice, sandbox_home):
    computed = 0
    for sample in ("payments", "royalties"):
        job = Path(
            shutil.copytree(SAMPLES / sample, sandbox_home / sample, ignore=shutil.ignore_patterns("out")), "job.yaml"
        )
        (path,) = [path for path in pay(job).outputs if path.name == "reconciliation.xlsx"]
        ours, formulas = load_workbook(path, data_only=True), load_workbook(path)
        forgotten = sandbox_home / f"{sample}.xlsx"
        formulas.save(forgotten)  # without what the formulas came to
        (again,) = libreoffice("xlsx", sandbox_home / "computed", forgotten)
        theirs = load_workbook(again, data_only=True)
        for sheet in formulas:
            for row in sheet.iter_rows():
                for cell in (cell for cell in row if cell.data_type == "f"):
                    expected, found = (book[sheet.title][cell.coordinate].value for book in (ours, theirs))
                    assert found == pytest.approx(expected, rel=1e-12) if isinstance(expected, float) else expected
                    computed += 1
    assert computed > 30
