"""What came in is held against the bank, and what nothing has read, or what was written twice, is said."""

import shutil
from pathlib import Path

import pytest
from openpyxl import load_workbook

from schemas.errors import ExitCode
from tests.flows.books import places
from tests.flows.jobs import advance, line, payee, people, share
from tests.flows.label import summary_of

ANA, BIA = people(2)
SAVED = Path(__file__).parents[1] / "io_adapters" / "spreadsheets" / "files"
pytestmark = pytest.mark.long


@pytest.fixture
def royalties(label):
    """Ana and Bia have a quarter each of two statements."""
    label.write("payees.csv", [payee(ANA), payee(BIA)])
    label.write("shares.csv", [share(ANA, "25"), share(BIA, "25")])
    label.write("one.xlsx", [line("60,00"), line("40,00", "Choro")])
    label.write("two.xlsx", [line("20,00", "Frevo")])
    declare(label, {})
    return label


def declare(label, received, **changes):
    sources = [
        {"files": "one.xlsx", "layout": "royalties", "received": received},
        {"files": "two.xlsx", "layout": "royalties"},
    ]
    label.declare(**{"sources": sources, "payees": "payees.csv", "shares": "shares.csv"} | changes)


def codes(document):
    return [(issue["code"], issue["file"]) for issue in document["issues"]]


def test_a_source_that_is_what_the_bank_got_is_paid(royalties, service):
    declare(royalties, {"BRL": "100.00"})
    assert royalties.run().exit_code == ExitCode.DONE
    assert service.paid == [3000, 3000]


@pytest.mark.journey
def test_a_source_that_is_not_what_the_bank_got_is_held_in_check_plan_and_run(royalties, service):
    declare(royalties, {"BRL": "99.90"})
    checked = royalties.ask("check", royalties.job, code=12)
    assert codes(checked) == [("RECEIVED_MISMATCH", "one.xlsx")]
    assert "R$ 99,90" in checked["issues"][0]["message"]
    assert "100,00" in checked["issues"][0]["message"]
    assert checked["rows"]["held"] == 2
    planned = royalties.ask("plan", royalties.job, code=15)
    assert codes(planned) == [("RECEIVED_MISMATCH", "one.xlsx")]
    report = royalties.run()
    assert report.exit_code == ExitCode.ROWS_HELD
    assert service.paid == [500, 500]
    assert places(summary_of(report)) == {"paid": 1000, "owner": 1000, "held": 10000}


def test_an_amount_that_is_a_float_is_a_matter_of_configuration(royalties):
    declare(royalties, {"BRL": 100.0})
    royalties.say("check", royalties.job, code=10)


def test_rows_in_sheets_that_nothing_reads_are_told_and_blank_sheets_are_not(royalties):
    path = royalties.folder / "one.xlsx"
    book = load_workbook(path)
    extra = book.create_sheet("Ajustes")
    for number in range(5):
        extra.append(["Ajuste", number])
    book.create_sheet("Vazia")
    book.save(path)
    (issue,) = royalties.ask("check", royalties.job)["issues"]
    assert (issue["code"], issue["severity"], issue["sheet"]) == ("SHEET_UNREAD", "warning", "Ajustes")
    assert issue["message"].startswith("5 ")


def test_a_sheet_that_another_table_of_the_job_reads_is_not_unread(royalties):
    path = royalties.folder / "one.xlsx"
    book = load_workbook(path)
    extra = book.create_sheet("Pessoas")
    for who in (None, ANA, BIA):
        extra.append(list(payee(ANA)) if who is None else list(payee(who).values()))
    book.save(path)
    declare(royalties, {}, payees="one.xlsx")
    assert royalties.ask("check", royalties.job)["issues"] == []


def test_of_an_ods_that_its_values_alone_are_read_is_told_once_however_many_of_its_sheets_are_read(royalties):
    shutil.copy(SAVED / "lines-and-people.ods", royalties.folder / "one.ods")
    sources = [{"files": "one.ods", "layout": "royalties"}]
    declare(royalties, {}, sources=sources, payees="one.ods")
    document = royalties.ask("check", royalties.job)
    assert codes(document) == [("FILE_VALUES_ONLY", "one.ods")]
    assert document["rows"]["held"] == 0


def test_a_share_or_an_advance_written_twice_pays_nobody_twice(royalties, service):
    royalties.write("shares.csv", [share(ANA, "25"), share(BIA, "25"), share(ANA, "25")])
    assert royalties.run().exit_code == ExitCode.ROWS_REFUSED
    assert service.paid == []
    royalties.write("shares.csv", [share(ANA, "25"), share(BIA, "25")])
    royalties.write("advances.csv", [advance(ANA, "10,00"), advance(BIA, "10,00"), advance(ANA, "10,00")])
    declare(royalties, {}, advances="advances.csv")
    report = royalties.run()
    assert service.paid == [2000]
    assert [issue.row for issue in report.issues if issue.code.value == "ROW_DUPLICATE"] == [4]
