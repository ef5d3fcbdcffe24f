"""A statement of more lines than anybody looks at: corrected by its bad rows alone, told in few records."""

from pathlib import Path

import pytest
from openpyxl import load_workbook

from flows.intake.read import read
from flows.payables.check import write_check
from flows.payables.draft import draft
from flows.payables.preview import view_plan
from flows.run import QuietProgress, opened_offline
from flows.run_options import RunOptions
from flows.run_request import read_run_request
from schemas.errors import ConfigurationError
from tests.spec.tables import CPF

LINES = 70_000
BAD = {30_000: "um real", 69_999: "1,2,3"}
JOB = """
job: large
payer: {tax_id: 12.ABC.345/01DE-35, name: Selo Aurora}
period: 2026-10
sources: [{files: statement.csv, layout: royalties}]
payees: payees.csv
shares: shares.csv
outputs: {language: en}
"""
pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def job(tmp_path_factory):
    """70,000 lines of a thousandth of a real; two cannot be read, and only the last says what a comma is."""
    folder = tmp_path_factory.mktemp("large")
    (folder / "job.yaml").write_text(JOB, encoding="utf-8")
    amounts = [BAD.get(row, "0.001".replace(".", ",")) for row in range(2, LINES + 1)]
    lines = [f"2026-10;Onda;BRAUR2600001;{amount};BRL" for amount in (*amounts, "1.000,5")]
    text = "\n".join(["Período;Plataforma;ISRC;Valor;Moeda", *lines])
    (folder / "statement.csv").write_text(text, encoding="utf-8")
    payee = f"Ana;{CPF['ana']};ana@example.com;ana@example.com;E-mail"
    (folder / "payees.csv").write_text(f"Nome;CPF;E-mail;Chave Pix;Tipo da chave\n{payee}\n", encoding="utf-8")
    (folder / "shares.csv").write_text(f"CPF;Participação\n{CPF['ana']};100\n", encoding="utf-8")
    return folder / "job.yaml"


def worked_out(job: Path, *files: Path):
    """Read and work out, with an empty ledger; returns the draft, view of the plan and what `check` writes."""
    order = read_run_request(job, RunOptions(files=[str(path) for path in files], by="test"))
    with opened_offline(order, QuietProgress()) as run:
        drafted = draft(run, read(run))
        return drafted, view_plan(run, drafted), write_check(run, drafted.intake)


@pytest.mark.long
@pytest.mark.journey
def test_one_bad_row_among_thousands_is_corrected_in_a_sheet_of_its_own(job):
    drafted, view, checked = worked_out(job)
    assert view.rows.model_dump() == {"read": 70_002, "used": 70_000, "held": 2, "duplicate": 0, "ignored": 0}
    assert len(drafted.inputs.rows) < 8
    assert len(drafted.intake.sheets[0][0].cells) == len(BAD)
    assert view.total_cents == 107_050  # 69,997 thousandths and 1,000.50, which is 1,070.497
    book = load_workbook(checked.corrections)
    sheet = book["statement"]
    assert [sheet.cell(row, 4).value for row in BAD] == list(BAD.values())
    for row in BAD:
        sheet.cell(row, 4).value = "5,00"
    corrected = job.with_name("corrected.xlsx")
    book.save(corrected)
    _, view, _ = worked_out(job, job.with_name("statement.csv"), corrected)
    assert view.rows.model_dump() == {"read": 70_002, "used": 70_002, "held": 0, "duplicate": 0, "ignored": 0}
    assert view.total_cents == 108_050


def test_a_corrected_row_that_the_file_no_longer_has_is_refused(job, tmp_path):
    _, _, checked = worked_out(job)
    book = load_workbook(checked.corrections)
    book["statement"].cell(LINES + 50, 4).value = "0,001"
    book.save(tmp_path / "corrected.xlsx")
    with pytest.raises(ConfigurationError, match=r"its rows are no longer those of statement\.csv"):
        worked_out(job, job.with_name("statement.csv"), tmp_path / "corrected.xlsx")
