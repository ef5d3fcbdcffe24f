"""corrections.xlsx put right and given back: each of its sheets takes the place of the one it is a copy of."""

import csv

import pytest
from openpyxl import load_workbook

from schemas.errors import ExitCode
from tests.flows.books import places
from tests.flows.jobs import NOBODY, Row, line, payee, payment, people, share
from tests.flows.label import Label, corrections_of, put_right, summary_of

ANA, BIA, CAIO = people(3)
pytestmark = pytest.mark.long


def test_corrections_of_a_file_that_was_given_by_hand_stand_for_it(label, service):
    label.payments(payment(CAIO, "30,00"))
    by_hand = label.folder.parent / "lista.xlsx"
    label.write("x.xlsx", [payment(ANA, "10,00"), payment(BIA, "vinte")]).rename(by_hand)
    workbook = corrections_of(label.run(files=[by_hand]))
    report = label.run(files=[put_right(workbook, Dados_D3="20,00")])
    assert report.exit_code == ExitCode.DONE
    assert service.paid == [1000, 2000]


def test_corrections_of_a_job_that_does_not_read_the_file_are_refused(label, service, tmp_path):
    label.payments(payment(ANA, "dez"))
    workbook = put_right(corrections_of(label.run()), Dados_D2="10,00")
    other = Label(tmp_path / "other")
    other.declare(sources=[{"files": "lines.xlsx", "layout": "royalties"}], payees="payees.xlsx", shares="shares.xlsx")
    other.write("lines.xlsx", [line("1,00")])
    other.write("payees.xlsx", [payee(ANA)])
    other.write("shares.xlsx", [share(ANA, "100")])
    result = other.say("run", other.job, "--file", workbook, code=ExitCode.CONFIGURATION)
    assert "payments.xlsx" in result.output
    assert service.posts == 0


def test_a_plain_file_for_a_job_of_several_sources_must_say_which(label, service):
    label.declare(sources=[{"files": "payments.xlsx", "layout": "payments"}, {"files": "b.xlsx", "layout": "payments"}])
    label.payments(payment(ANA, "10,00"))
    label.write("b.xlsx", [payment(BIA, "20,00")])
    path = label.write("c.xlsx", [payment(CAIO, "30,00")])
    assert "SOURCE=PATH" in label.say("run", label.job, "--file", path, code=ExitCode.CONFIGURATION).output
    label.say("run", label.job, "--file", f"2={path}", "--yes")
    assert service.paid == [1000, 3000]


@pytest.mark.long
def test_a_large_statement_is_corrected_by_the_rows_that_were_wrong(label, service):
    label.declare(sources=[{"files": "lines.xlsx", "layout": "royalties"}], payees="payees.xlsx", shares="shares.xlsx")
    label.write("payees.xlsx", [payee(ANA)])
    label.write("shares.xlsx", [share(ANA, "100")])
    label.write("lines.xlsx", [line("0,01") for _ in range(50_010)] + [line("mil")])
    workbook = corrections_of(label.run())
    assert sum(1 for row in load_workbook(workbook)["Dados"].values if any(row)) == 2
    report = label.run(files=[put_right(workbook, Dados_D50012="1000,00")])
    assert report.exit_code == ExitCode.DONE
    assert service.paid == [50_010, 100_000]


def test_an_account_whose_digits_the_spreadsheet_lost_is_not_healed_by_being_copied(label, service):
    """Copied as text the digits that are left would look whole, and somebody else's account might be paid."""
    account = {"Banco": "341", "ISPB": "60701190", "Agência": "3337", "Conta": "", "Tipo de conta": "Corrente"}
    sheet = label.payments(payment(ANA, "10,00", Chave_Pix="", Tipo_da_chave="") | account)
    book = load_workbook(sheet)
    (cell,) = (cell.offset(row=1) for cell in book.worksheets[0][1] if cell.value == "Conta")
    cell.value = 12345678901234567
    book.save(sheet)
    workbook = corrections_of(label.run())
    assert load_workbook(workbook)["Dados"][cell.coordinate].value is None
    assert label.run(files=[workbook]).exit_code == ExitCode.ROWS_REFUSED
    assert service.paid == []
    assert label.run(files=[put_right(workbook, **{f"Dados_{cell.coordinate}": "12345-5"})]).exit_code == ExitCode.DONE
    assert service.paid == [1000]


def rows_told(report) -> list[tuple[str, str, str]]:
    """Rows of the CSV: place, amount, reason."""
    (path,) = (path for path in report.outputs if path.name == "payments.csv")
    with path.open(encoding="utf-8-sig", newline="") as stream:
        return [(row["Situação"], row["Valor"], row["Motivo"]) for row in csv.DictReader(stream, delimiter=";")]


def corrected_and_paid(label, *rows: Row, **cells: str):
    """Pay a sheet and its corrections; returns the run that was given them, and the workbook."""
    label.declare(outputs={"folder": "out", "statements": False, "formats": ["csv", "json"]})
    label.payments(*rows)
    workbook = put_right(corrections_of(label.run()), **cells)
    report = label.run(files=[workbook])
    assert report.exit_code == ExitCode.DONE
    return report, workbook


@pytest.mark.long
@pytest.mark.journey
def test_the_file_run_again_without_its_corrections_is_told_as_settled_by_them(label, service):
    rows = [payment(ANA, "10,00"), payment(BIA, "20,00", CPF=NOBODY), payment(CAIO, "trinta", "Nota 1")]
    settled, workbook = corrected_and_paid(label, *rows, Dados_B3=BIA.tax_id, Dados_D4="30,00")
    again = label.run()
    assert again.exit_code == ExitCode.DONE
    summary = summary_of(again)
    assert places(summary) == {"duplicate": 6000}
    assert summary["rows"] == {"read": 3, "used": 0, "held": 0, "duplicate": 3, "ignored": 0}
    by = f"acertado por {workbook.name}, execução {settled.run_id}"
    assert [reason for _, amount, reason in rows_told(again) if amount in {"20,00", "30,00"}] == [by, by]
    assert label.ask("status")["waits"] == []
    assert service.paid == [1000, 2000, 3000]


def test_a_row_more_in_the_file_is_paid_and_the_corrected_ones_stay_settled(label, service):
    rows = [payment(ANA, "10,00"), payment(BIA, "20,00", CPF=NOBODY)]
    corrected_and_paid(label, *rows, Dados_B3=BIA.tax_id)
    label.payments(*rows, payment(CAIO, "5,00"))
    assert label.run().exit_code == ExitCode.DONE
    assert service.paid == [500, 1000, 2000]


def test_rows_put_right_before_stay_so_in_the_corrections_of_others(label, service):
    rows = [payment(ANA, "10,00"), payment(BIA, "20,00", CPF=NOBODY)]
    corrected_and_paid(label, *rows, Dados_B3=BIA.tax_id)
    label.payments(*rows, payment(CAIO, "cinco"))
    workbook = put_right(corrections_of(label.run()), Dados_D4="5,00")
    report = label.run(files=[workbook])
    assert (report.exit_code, summary_of(report)["rows"]["held"]) == (ExitCode.DONE, 0)
    assert service.paid == [500, 1000, 2000]


@pytest.mark.parametrize(
    "changed", [payment(BIA, "25,00", CPF=NOBODY), payment(BIA, "20,00", "Nota 9", CPF=NOBODY), payment(CAIO, "vinte")]
)
def test_a_row_that_was_changed_since_is_another_row_and_is_held(label, service, changed):
    corrected_and_paid(label, payment(ANA, "10,00"), payment(BIA, "20,00", CPF=NOBODY), Dados_B3=BIA.tax_id)
    label.payments(payment(ANA, "10,00"), changed)
    again = label.run()
    assert again.exit_code == ExitCode.ROWS_HELD
    assert summary_of(again)["rows"]["held"] == 1
    assert service.paid == [1000, 2000]


def test_a_corrected_line_of_a_statement_is_not_clawed_back_when_the_statement_is_run_again(label, service):
    """The line is short in the original: paid by its corrections, it would look as if too much had been paid."""
    label.declare(sources=[{"files": "lines.xlsx", "layout": "royalties"}], payees="payees.xlsx", shares="shares.xlsx")
    label.write("payees.xlsx", [payee(ANA)])
    label.write("shares.xlsx", [share(ANA, "100")])
    label.write("lines.xlsx", [line("10,00"), line("sete")])
    workbook = corrections_of(label.run())
    assert label.run(files=[put_right(workbook, Dados_D3="7,00")]).exit_code == ExitCode.DONE
    again = label.run()
    assert again.exit_code == ExitCode.DONE
    assert places(summary_of(again)) == {"duplicate": 1700}
    assert summary_of(again)["rows"]["held"] == 0
    assert sorted(service.paid) == [700, 1000]


def test_a_payee_put_right_stays_put_right_for_the_period(label, service):
    label.declare(payees="payees.xlsx")
    label.write("payees.xlsx", [payee(ANA) | {"Chave Pix": "ana"}])
    label.payments(payment(ANA, "10,00", Chave_Pix="", Tipo_da_chave=""))
    workbook = corrections_of(label.run())
    assert label.run(files=[put_right(workbook, Dados_D2=ANA.destination.pix_key)]).exit_code == ExitCode.DONE
    assert label.run().exit_code == ExitCode.DONE
    assert service.paid == [1000]


def test_corrections_with_a_row_taken_out_are_not_laid_over_the_rows_below(label, service):
    """What moved up stands in another row's place: laid over the statement it would be paid a second time."""
    label.declare(sources=[{"files": "lines.xlsx", "layout": "royalties"}], payees="payees.xlsx", shares="shares.xlsx")
    label.write("payees.xlsx", [payee(ANA)])
    label.write("shares.xlsx", [share(ANA, "100")])
    label.write("lines.xlsx", [line("10,00"), line("sete"), line("5,00")])
    workbook = corrections_of(label.run())
    book = load_workbook(workbook)
    book["Dados"].delete_rows(3)
    book.save(workbook)
    assert label.run(files=[workbook]).exit_code == ExitCode.DONE
    again = label.run()
    assert again.exit_code == ExitCode.ROWS_HELD
    assert sum(service.paid) == 1500


def test_the_column_that_tells_of_each_row_is_not_read_back_even_where_it_was_filtered(label, service):
    label.payments(payment(ANA, "10,00", CPF=NOBODY), payment(BIA, "20,00"))
    workbook = corrections_of(label.run())
    book = load_workbook(workbook)
    sheet = book["Dados"]
    assert [cell.value for cell in sheet[1]][-1] == "Problema"
    assert str([cell.value for cell in sheet[2]][-1]).startswith("B2 CPF: ")
    assert [cell.value for cell in sheet[3]][-1] is None
    sheet["B2"] = ANA.tax_id
    sheet.row_dimensions[3].hidden = True
    book.save(workbook)
    report = label.run(files=[workbook])
    assert (report.exit_code, sorted(service.paid)) == (ExitCode.DONE, [1000, 2000])
    assert {issue.code.value for issue in report.issues} <= {"ROW_CORRECTED", "VALUE_NORMALISED"}


def test_a_bank_written_by_its_name_is_paid_once_a_person_has_handed_the_proposal_in(label, service):
    account = {"Banco": "Itaú", "ISPB": "", "Agência": "0001", "Conta": "123456", "Tipo de conta": "Corrente"}
    label.payments(payment(ANA, "10,00") | {"Chave Pix": "", "Tipo da chave": ""} | account)
    first = label.run()
    assert (service.posts, [issue.code.value for issue in first.issues if issue.cell == "H2"]) == (0, ["BANK_CODE"])
    workbook = corrections_of(first)
    cell = load_workbook(workbook)["Dados"]["H2"]
    assert cell.value == "341"
    assert "Itaú" in cell.comment.text
    report = label.run(files=[workbook])
    assert (report.exit_code, service.paid) == (ExitCode.DONE, [1000])


def test_a_sheet_with_percentages_can_be_put_right_and_given_back(label, service):
    label.declare(sources=[{"files": "um.xlsx", "layout": "royalties"}], payees="payees.xlsx", shares="shares.xlsx")
    label.write("payees.xlsx", [payee(ANA), payee(BIA)])
    label.write("um.xlsx", [line("10,00")])
    path = label.write("shares.xlsx", [share(ANA, "50%"), share(BIA, "metade")])
    book = load_workbook(path)
    book.active["B2"], book.active["B2"].number_format = 0.5, "0%"
    book.save(path)
    workbook = corrections_of(label.run())
    report = label.run(files=[put_right(workbook, **{f"{book.active.title}_B3": "50"})])
    assert (report.exit_code, sorted(service.paid)) == (ExitCode.DONE, [500, 500])
