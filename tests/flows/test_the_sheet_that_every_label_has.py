"""Nome, CPF, PIX, Valor, with a title and a total: ready once somebody has said one word for the keys of the sheet."""

from functools import partial
from pathlib import Path

import pytest
from openpyxl import Workbook, load_workbook

from flows.launch import start_payout
from flows.run import QuietProgress
from flows.run_options import RunOptions
from sample_data.making.people import masked
from schemas.errors import ExitCode
from tests.flows.jobs import people
from tests.flows.label import corrections_of

ANA, BIA, CAIO, DORA = people(4)
SHOWN = {ANA: "ana.lima@example.com", BIA: masked(BIA.tax_id), CAIO: "(11) 98765-4321"}
DIGITS = "21 9876 54321"  # parted as nobody parts a mobile number: only a person can say what it is
SOURCE = {"sources": [{"files": "payments.xlsx", "layout": "payments"}]}


def write_fees(folder: Path, step: int = 10) -> Path:
    """Write the sheet, its total below."""
    book = Workbook()
    sheet = book.active
    sheet.title = "Cachês"
    sheet.append(["Cachês de outubro"])
    sheet.append(["Nome", "CPF", "PIX", "Valor"])
    for at, (who, key) in enumerate([*SHOWN.items(), (DORA, DIGITS)], start=1):
        sheet.append([who.name, masked(who.tax_id), key, f"{at * step},00"])
    sheet.append(["TOTAL", None, None, f"{10 * step},00"])
    path = folder / "payments.xlsx"
    book.save(path)
    return path


def pay(label, **options):
    """Run it; whoever is asked to look at its title and its tab has looked at both."""
    run = partial(start_payout, label.job, progress=QuietProgress(), watched=False)
    report = run(RunOptions(yes=True, by="ana", **options))
    if report.exit_code == ExitCode.APPROVAL_WANTED:
        total = f"{report.summary.totals_cents.planned / 100:.2f}"
        label.approve(report.summary.plan_digest, total, "bia", seen=2)
        report = run(RunOptions(by="ana", **options))
    return report


def test_without_a_word_nobody_is_paid_and_check_names_the_flag(label, service):
    label.declare(**SOURCE)
    write_fees(label.folder)
    told = label.say("check", label.job, code=12)
    assert "--key-types" in told.output
    assert pay(label).exit_code == ExitCode.ROWS_REFUSED
    assert service.paid == []


@pytest.mark.long
def test_one_word_for_the_sheet_pays_all_that_show_their_type_and_is_kept_for_these_keys(label, service):
    label.declare(**SOURCE)
    write_fees(label.folder)
    assert pay(label, pix_types=True).exit_code == ExitCode.ROWS_HELD, "digits parted otherwise stay a choice"
    assert service.paid == [1000, 2000, 3000]
    label.declare(**SOURCE, period="2026-11")
    write_fees(label.folder, 11)
    assert pay(label).exit_code == ExitCode.ROWS_HELD
    assert service.paid == [1000, 1100, 2000, 2200, 3000, 3300], "what was confirmed once is known"


@pytest.mark.long
def test_another_job_is_asked_anew(label, service):
    label.declare(**SOURCE)
    write_fees(label.folder)
    pay(label, pix_types=True)
    label.declare(**SOURCE, job="outro")
    write_fees(label.folder, 11)
    assert pay(label).exit_code == ExitCode.ROWS_REFUSED
    assert service.paid == [1000, 2000, 3000]


@pytest.mark.long
def test_the_corrections_have_a_column_for_the_types_filled_in_where_keys_show_them(label, service):
    label.declare(**SOURCE)
    write_fees(label.folder)
    workbook = corrections_of(pay(label))
    book = load_workbook(workbook)
    sheet = book["Cachês"]
    assert [cell.value for cell in sheet[2]][:5] == ["Nome", "CPF", "PIX", "Valor", "Tipo da chave"]
    assert [sheet.cell(row, 5).value for row in (3, 4, 5, 6)] == ["E-mail", "CPF", "Celular", None]
    sheet["E6"] = "Celular"
    book.save(workbook)
    assert pay(label, files=[str(workbook)]).exit_code == ExitCode.DONE
    assert service.paid == [1000, 2000, 3000, 4000]
    label.declare(**SOURCE, period="2026-11")
    write_fees(label.folder, 11)
    assert pay(label).exit_code == ExitCode.DONE, "types that were filled in are known, too"
    assert len(service.paid) == 8


@pytest.mark.parametrize("flag", [(), ("--key-types",)])
def test_a_plan_shows_what_the_word_would_do(label, service, flag):
    label.declare(**SOURCE)
    write_fees(label.folder)
    document = label.ask("plan", label.job, *flag, code=15)
    assert document["total_cents"] == (6000 if flag else 0)
