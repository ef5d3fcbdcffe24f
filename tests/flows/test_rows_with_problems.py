"""A row with a problem is never paid, is named to the cell, and is paid once when it has been put right."""

from openpyxl import load_workbook

from schemas.errors import ExitCode
from schemas.issues import Severity
from tests.flows.books import places
from tests.flows.jobs import NOBODY, payment, people
from tests.flows.label import corrections_of, summary_of

ANA, BIA, CAIO = people(3)


def test_a_broken_row_is_held_and_named_and_the_others_are_paid(label, service):
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00", CPF=NOBODY), payment(CAIO, "30,00"))
    report = label.run()
    assert report.exit_code == ExitCode.ROWS_HELD
    assert service.paid == [1000, 3000]
    summary = summary_of(report)
    assert places(summary) == {"paid": 4000, "held": 2000}
    assert summary["rows"] == {"read": 3, "used": 2, "held": 1, "duplicate": 0, "ignored": 0}
    assert summary["state"] == "done_with_rows_held"
    (issue,) = (issue for issue in report.issues if issue.severity is Severity.ERROR)
    assert (issue.code, issue.file, issue.sheet, issue.cell) == ("TAXID_CHECK", "payments.xlsx", "Dados", "B3")


def test_where_the_job_says_stop_one_broken_row_stops_everything(label, service):
    label.declare(rules={"invalid_payee": "stop"})
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00", CPF=NOBODY))
    report = label.run()
    assert report.exit_code == ExitCode.ROWS_REFUSED
    assert service.posts == 0
    assert places(summary_of(report)) == {"planned": 1000, "held": 2000}


def test_a_sheet_of_nothing_but_broken_rows_sends_nothing(label, service):
    label.payments(payment(ANA, "dez"), payment(BIA, "20,00", CPF=NOBODY))
    report = label.run()
    assert report.exit_code == ExitCode.ROWS_REFUSED
    assert service.posts == 0
    assert summary_of(report)["state"] == "rows_refused"


def test_every_problem_of_every_row_is_told_in_one_pass(label, service):
    label.payments(payment(ANA, "dez", CPF=NOBODY), payment(BIA, "-1,00"), payment(CAIO, "30,00", Chave_Pix="caio"))
    report = label.run()
    assert {issue.cell for issue in report.issues if issue.severity is Severity.ERROR} >= {"B2", "D2", "D3", "E4"}


def test_a_corrected_sheet_pays_what_was_missing_and_nothing_twice(label, service):
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00", CPF=NOBODY))
    label.run()
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"))
    report = label.run()
    assert report.exit_code == ExitCode.DONE
    assert service.paid == [1000, 2000]
    assert places(summary_of(report)) == {"duplicate": 1000, "paid": 2000}


def test_the_corrections_workbook_put_right_in_place_pays_what_was_missing(label, service):
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00", CPF=NOBODY), payment(CAIO, "trinta"))
    workbook = corrections_of(label.run())
    book = load_workbook(workbook)
    sheet = book["Dados"]
    assert sheet["B3"].comment is not None
    sheet["B3"], sheet["D4"] = BIA.tax_id, "30,00"
    book.save(workbook)
    report = label.run(files=[workbook])
    assert report.exit_code == ExitCode.DONE
    assert service.paid == [1000, 2000, 3000]
    assert places(summary_of(report)) == {"duplicate": 1000, "paid": 5000}
