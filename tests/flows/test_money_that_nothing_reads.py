"""Money in a sheet that nothing reads holds its file until the job says what it is; what holds no money does not."""

import shutil
from pathlib import Path
from zipfile import ZipFile

import pytest
from openpyxl import load_workbook

from schemas.errors import ExitCode
from tests.flows.books import places
from tests.flows.jobs import line, payee, payment, people, share
from tests.flows.label import summary_of

ANA, BIA = people(2)
SAMPLES = Path(__file__).resolve().parents[2] / "sample_data" / "statements"
pytestmark = pytest.mark.long


@pytest.fixture
def royalties(label):
    """Ana and Bia have a quarter each of two statements."""
    label.write("payees.csv", [payee(ANA), payee(BIA)])
    label.write("shares.csv", [share(ANA, "25"), share(BIA, "25")])
    label.write("one.xlsx", [line("60,00"), line("40,00", "Choro")])
    label.write("two.xlsx", [line("20,00", "Frevo")])
    declare(label)
    return label


def declare(label, **changes):
    sources = [{"files": "one.xlsx", "layout": "royalties"} | changes, {"files": "two.xlsx", "layout": "royalties"}]
    label.declare(sources=sources, payees="payees.csv", shares="shares.csv")


def add_sheet(label, name, *rows, file="one.xlsx"):
    path = label.folder / file
    book = load_workbook(path)
    sheet = book.create_sheet(name)
    for row in rows:
        sheet.append(row)
    book.save(path)


SUMMARY = (["Loja", "Receita (R$)"], ["Spotify", 70.5], ["Deezer", 29.5], ["Total", 100])


@pytest.mark.long
@pytest.mark.journey
def test_money_in_another_sheet_is_told_with_its_sum_and_holds_its_file_alone(royalties, service):
    add_sheet(royalties, "Resumo", *SUMMARY)
    document = royalties.ask("check", royalties.job, code=12)
    (issue,) = document["issues"]
    assert (issue["code"], issue["severity"], issue["file"]) == ("MONEY_UNREAD", "error", "one.xlsx")
    assert (issue["sheet"], issue["column"]) == ("Resumo", "Receita (R$)")
    assert issue["message"].startswith("2 ")
    assert "R$ 100,00" in issue["message"]
    assert "`ignore: [Resumo]`" in issue["accepts"]
    assert document["rows"]["held"] == 2
    report = royalties.run()
    assert report.exit_code == ExitCode.ROWS_HELD
    assert service.paid == [500, 500]
    assert places(summary_of(report)) == {"paid": 1000, "owner": 1000, "held": 10000}


def test_what_the_message_says_to_write_is_what_lets_it_go(royalties, service):
    add_sheet(royalties, "Resumo", *SUMMARY)
    assert royalties.run().exit_code == ExitCode.ROWS_HELD
    declare(royalties, ignore=["Resumo"])
    assert royalties.ask("check", royalties.job)["issues"] == []
    assert royalties.run().exit_code == ExitCode.DONE
    assert service.paid == [500, 500, 2500, 2500]


def test_of_two_sheets_that_fit_the_one_is_read_that_the_job_does_not_ignore(royalties):
    add_sheet(royalties, "Resumo", ["Loja", "Valor"], ["Spotify", 100])
    (issue,) = royalties.ask("check", royalties.job, code=11)["issues"]
    assert issue["code"] == "SHEET_AMBIGUOUS"
    declare(royalties, ignore="Resumo")
    assert royalties.ask("check", royalties.job)["issues"] == []


@pytest.mark.parametrize(
    "rows",
    [
        [["Relatório", "Outubro"], ["Emitido por", "Selo Aurora"], ["Total", 100]],
        [["Observações", "Responsável"], ["conferido", "Ana"]],
        [["Loja", "Receita"]],
        [["Loja", "Streams", "% Share"], ["Spotify", 12345, 50]],
    ],
)
def test_a_cover_notes_an_empty_table_and_counts_hold_nothing(royalties, rows):
    add_sheet(royalties, "Capa", *rows)
    (issue,) = royalties.ask("check", royalties.job)["issues"]
    assert (issue["code"], issue["severity"]) == ("SHEET_UNREAD", "warning")


def test_payments_are_held_likewise_and_paid_once_the_job_has_said_so(label, service):
    label.write("payments.xlsx", [payment(ANA, "10,00"), payment(BIA, "20,00")])
    add_sheet(label, "Novembro", ["Nome", "Valor"], ["Ana", 10], file="payments.xlsx")
    report = label.run()
    assert report.exit_code == ExitCode.ROWS_REFUSED
    assert service.paid == []
    assert places(summary_of(report)) == {"held": 3000}
    label.declare(sources=[{"files": "payments.xlsx", "layout": "payments", "ignore": "nov*"}])
    assert label.run().exit_code == ExitCode.DONE
    assert sorted(service.paid) == [1000, 2000]


def test_money_beside_payees_or_shares_is_no_more_than_told(royalties):
    royalties.write("shares.xlsx", [share(ANA, "25"), share(BIA, "25")])
    add_sheet(royalties, "Resumo", *SUMMARY, file="shares.xlsx")
    sources = [{"files": "one.xlsx", "layout": "royalties"}, {"files": "two.xlsx", "layout": "royalties"}]
    royalties.declare(sources=sources, payees="payees.csv", shares="shares.xlsx")
    (issue,) = royalties.ask("check", royalties.job)["issues"]
    assert (issue["code"], issue["severity"]) == ("SHEET_UNREAD", "warning")


EXCHANGE = {"USD": {"rate": "5.00", "date": "2026-10-31", "source": "PTAX"}}


@pytest.fixture
def onerpm(label):
    """A month of ONErpm, whose shares between accounts are in a sheet of their own."""
    label.write("payees.csv", [payee(ANA)])
    label.write("shares.csv", [share(ANA, "100")])
    shutil.copy(SAMPLES / "onerpm-2026-10-details.xlsx", label.folder / "onerpm.xlsx")
    return label


def owed(label, files="onerpm.xlsx", layout="onerpm", **changes):
    source = {"files": files, "layout": layout, "exchange": EXCHANGE} | changes
    label.declare(sources=[source], payees="payees.csv", shares="shares.csv")
    document = label.ask("check", label.job, code=0 if changes else 12)
    return [issue for issue in document["issues"] if issue["code"] == "MONEY_UNREAD"], document["rows"]


def test_onerpm_s_shares_hold_the_book_until_the_job_adds_them_or_leaves_them_out(onerpm):
    (issue,), rows = owed(onerpm)
    assert issue["sheet"] == "Shares In & Out"
    assert '`read: ["Shares In & Out"]`' in issue["accepts"]
    assert '`ignore: ["Shares In & Out"]`' in issue["accepts"]
    assert rows["held"] == 48
    none, rows = owed(onerpm, ignore=["Shares In & Out"])
    assert (none, rows["held"]) == ([], 0)
    none, more = owed(onerpm, read=["Shares In & Out"])
    assert (none, more["held"]) == ([], 0)
    assert more["used"] == rows["used"] + 6


@pytest.mark.parametrize("layout", ["onerpm", "auto"])
def test_onerpm_s_files_of_each_sheet_are_read_and_shares_are_asked_for(onerpm, layout):
    book = load_workbook(onerpm.folder / "onerpm.xlsx", read_only=True, data_only=True)
    for sheet, name in (("Masters", "masters"), ("Youtube Channels", "youtube"), ("Shares In & Out", "shares")):
        table = book[sheet].iter_rows(values_only=True)
        header, *rows = [["" if cell is None else str(cell) for cell in row] for row in table]
        onerpm.write(f"2026-10-15_{name}.csv", [dict(zip(header, row, strict=True)) for row in rows])
    (issue,), rows = owed(onerpm, files="2026-10-15_*.csv", layout=layout)
    assert issue["file"] == "2026-10-15_shares.csv"
    assert rows["held"] == 48
    none, more = owed(onerpm, files="2026-10-15_*.csv", layout=layout, ignore=["*shares*"])
    assert (none, more["used"] - rows["used"], more["held"]) == ([], 48, 0)
    none, all_of_them = owed(onerpm, files="2026-10-15_*.csv", layout=layout, read=["Shares In & Out"])
    assert (none, all_of_them["used"]) == ([], more["used"] + 6)


CARGO = {"GBP": "6.50", "USD": "5.00", "EUR": "6.00"}
ARTISTS = "Artist,Royalty,Currency\nBanda,12.50,GBP\n"


@pytest.fixture
def cargo(onerpm):
    """What Cargo sends: an archive of the report and of its sums by artist and by store."""
    report = (SAMPLES / "fuga-2026Q3.csv").read_text(encoding="utf-8")
    with ZipFile(onerpm.folder / "cargo.zip", "w") as archive:
        archive.writestr("2026Q3/90001-royalty_extended.csv", report)
        archive.writestr("2026Q3/90001-artists.csv", ARTISTS)
    return onerpm


def exchanges():
    return {name: {"rate": rate, "date": "2026-10-31", "source": "PTAX"} for name, rate in CARGO.items()}


@pytest.mark.parametrize("layout", ["fuga", "auto"])
def test_of_an_archive_of_several_each_is_read_or_known_to_repeat_it(cargo, layout):
    none, rows = owed(cargo, files="cargo.zip", layout=layout, exchange=exchanges())
    assert (none, rows["used"], rows["held"]) == ([], 47, 0)  # one payee and one share among them


def test_money_in_a_member_that_nothing_reads_holds_its_archive_until_the_job_has_said_so(cargo):
    with ZipFile(cargo.folder / "cargo.zip", "a") as archive:
        archive.writestr("adjustments.csv", "Item,Net Amount,Currency\nCorreção,-80.00,GBP\n")
        archive.writestr("read me.txt", "Thank you")
    declared = {"files": "cargo.zip", "layout": "fuga", "exchange": exchanges()}
    cargo.declare(sources=[declared], payees="payees.csv", shares="shares.csv")
    document = cargo.ask("check", cargo.job, code=12)
    (issue,) = document["issues"]
    assert (issue["code"], issue["file"]) == ("MONEY_UNREAD", "cargo.zip!adjustments.csv")
    assert "GBP -80,00" in issue["message"]
    assert '`ignore: ["adjustments.csv"]`' in issue["accepts"]
    assert document["rows"]["held"] == 45
    none, rows = owed(cargo, files="cargo.zip", layout="fuga", exchange=exchanges(), ignore=["adjustments.csv"])
    assert (none, rows["used"]) == ([], 47)


def test_an_archive_of_which_no_member_is_known_is_refused(cargo):
    with ZipFile(cargo.folder / "cargo.zip", "w") as archive:
        archive.writestr("one.csv", ARTISTS)
        archive.writestr("two.csv", ARTISTS)
    cargo.declare(sources=[{"files": "cargo.zip", "layout": "auto"}], payees="payees.csv", shares="shares.csv")
    codes = {issue["code"] for issue in cargo.ask("check", cargo.job, code=11)["issues"]}
    assert codes == {"LAYOUT_UNKNOWN"}


def test_two_statements_in_one_archive_are_read_as_two_files(royalties, service):
    header = "Título;Artista;Plataforma;Valor;Moeda\n"
    with ZipFile(royalties.folder / "months.zip", "w") as archive:
        archive.writestr("09.csv", header + "Samba;Banda;Loja;60,00;BRL\n")
        archive.writestr("10.csv", header + "Choro;Banda;Loja;40,00;BRL\n")
    sources = [{"files": "months.zip", "layout": "royalties"}]
    royalties.declare(sources=sources, payees="payees.csv", shares="shares.csv")
    assert royalties.run().exit_code == ExitCode.DONE
    assert service.paid == [2500, 2500]
    again = royalties.run()
    assert again.exit_code == ExitCode.DONE
    assert service.paid == [2500, 2500]
