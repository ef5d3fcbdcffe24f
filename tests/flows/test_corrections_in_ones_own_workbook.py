"""The corrections of one workbook are that workbook, marked: whatever held a row holds it until a person changes it."""

from copy import copy

import openpyxl
import pytest
from openpyxl.comments import Comment
from openpyxl.styles import Border, Font, PatternFill, Side
from openpyxl.worksheet.datavalidation import DataValidation

from flows.payables.check import check_files
from flows.run import QuietProgress
from flows.run_options import RunOptions
from flows.run_request import read_run_request
from schemas.sheet_cells import NOTE_MARK
from tests.io_adapters.spreadsheets.trap_workbook import libreoffice
from tests.sampled import sampled

convert = pytest.fixture(scope="module")(libreoffice)

HEAD = ("Nome", "CPF", "Chave Pix", "Tipo da chave", "Valor", "Referência")
ANA = ("Ana Lima", "111.444.777-35", "ana@example.com", "E-mail", 10.5, "a")
MARIA = ("Maria Silva", "529.982.247-25", "maria@example.com", "E-mail", 20.0, "b")
JOB = """job: folha
payer: {tax_id: 12.ABC.345/01DE-35, name: Selo Aurora}
period: 2026-10
sources: [{files: %s, layout: payments, columns: {Nota: remark, Obs: remark}}]
"""


def sheet_of(path, *rows):
    book = openpyxl.Workbook()
    book.active.title = "Folha"
    for row in (HEAD, *rows):
        book.active.append(row)
    book.save(path)
    return book


def checked(folder, *names):
    """Check a job of some files; returns what was found."""
    declared = names[0] if len(names) == 1 else f"[{', '.join(names)}]"
    (folder / "job.yaml").write_text(JOB % declared, "utf-8")
    found, _ = check_files(read_run_request(folder / "job.yaml"), QuietProgress())
    return found


def given_back(folder, corrections, *names):
    """Check the same job with its corrections; returns what was found."""
    found, _ = check_files(read_run_request(folder / "job.yaml", RunOptions(files=[str(corrections)])), QuietProgress())
    return found


def comment(cell):
    cell.comment = Comment("não pagar este mês", "Chefe")


def struck(cell):
    for one in cell.parent[cell.row]:
        one.font = Font(strike=True)


def words(cell):
    cell.offset(column=1).value = "já pago em 10/10"


def dollars(cell):
    cell.number_format = "[$USD] #,##0.00"


def thousands(cell):
    cell.number_format = "#,##0.0,"


def merged(cell):
    cell.parent.merge_cells(start_row=cell.row - 1, end_row=cell.row, start_column=5, end_column=5)


def digits(cell):
    cell.offset(column=-3).value = 11144477736


def blank(cell):
    cell.value = None


def error(cell):
    cell.value = "#REF!"


SEEDS = (comment, struck, words, dollars, thousands, merged, digits, blank, error)


@pytest.mark.long
@pytest.mark.parametrize("others", ["alone", "beside another with problems"])
@pytest.mark.parametrize("seed", sampled([pytest.param(seed, id=seed.__name__) for seed in SEEDS]))
def test_corrections_that_nobody_touched_hold_what_was_held(tmp_path, seed, others):
    book = sheet_of(tmp_path / "p.xlsx", MARIA, ANA)
    seed(book.active["E3"])
    book.save(tmp_path / "p.xlsx")
    names = ["p.xlsx"]
    if others != "alone":
        sheet_of(tmp_path / "q.xlsx", (*MARIA[:4], "dez", "q"))
        names.append("q.xlsx")
    first = checked(tmp_path, *names)
    assert first.rows.held
    again = given_back(tmp_path, first.corrections, *names)
    assert (again.rows.held, again.rows.used) == (first.rows.held, first.rows.used)


TEXT_HEAD = "Nome,CPF,Chave Pix,Tipo da chave,Valor,Nota"
TEXT_ANA = "Ana Lima,111.444.777-35,ana@example.com,E-mail"
TEXTS = {
    "a field too many": ["Nome,CPF,Chave Pix,Tipo da chave,Valor", f"{TEXT_ANA},10,50"],
    "centavos in the next field": [TEXT_HEAD, f"{TEXT_ANA},10,50"],
    "a legend above": ["vermelho = não pagar", TEXT_HEAD, f'{TEXT_ANA},"10,50",x'],
    "a legend below": [TEXT_HEAD, f'{TEXT_ANA},"10,50",x', "vermelho = não pagar"],
    "a wrong total above": ['Total,"99,00"', TEXT_HEAD, f'{TEXT_ANA},"10,50",x'],
    "a wrong total below": [TEXT_HEAD, f'{TEXT_ANA},"10,50",x', 'Total,,,,"99,00",'],
}


@pytest.mark.long
@pytest.mark.parametrize("text", TEXTS)
def test_the_copy_of_a_text_that_nobody_touched_holds_what_was_held(tmp_path, text):
    (tmp_path / "p.csv").write_text("\n".join(TEXTS[text]) + "\n", "utf-8")
    first = checked(tmp_path, "p.csv")
    assert (first.rows.held, first.rows.used) == (1, 0)
    again = given_back(tmp_path, first.corrections, "p.csv")
    assert (again.rows.held, again.rows.used) == (1, 0)


def test_an_own_workbook_keeps_all_that_a_person_made_of_it(tmp_path):
    book = sheet_of(tmp_path / "p.xlsx", MARIA, (*ANA[:4], "dez", "a"))
    sheet = book.active
    sheet["H1"], sheet["H2"] = "Obs", "=UPPER(A2)"
    sheet["A2"].font, sheet["A2"].border = Font(name="Georgia", italic=True), Border(left=Side("thick"))
    sheet["A2"].comment = Comment("é a nova", "Chefe")
    sheet["E3"].comment = Comment("conferir", "Chefe")
    sheet.column_dimensions["B"].width = 41
    sheet.row_dimensions[3].height = 33
    sheet.freeze_panes = "B2"
    sheet.add_data_validation(DataValidation("list", '"a,b"', sqref="F2:F9"))
    notes = book.create_sheet("Notas")
    notes["B2"], notes["B3"] = "só para nós", "=Folha!E2"
    book.save(tmp_path / "p.xlsx")
    own = openpyxl.load_workbook(checked(tmp_path, "p.xlsx").corrections)
    marked = own["Folha"]
    assert own.sheetnames == ["Folha", "Notas", "Problemas"]
    assert (marked["H2"].value, own["Notas"]["B3"].value) == ("=UPPER(A2)", "=Folha!E2")
    assert (marked["A2"].font.name, marked["A2"].font.italic, marked["A2"].border.left.style) == (
        "Georgia",
        True,
        "thick",
    )
    assert (marked.column_dimensions["B"].width, marked.row_dimensions[3].height) == (41, 33)
    assert (marked.freeze_panes, len(marked.data_validations.dataValidation)) == ("B2", 1)
    assert marked["A2"].comment.text == "é a nova"
    assert marked["E3"].comment.text.startswith(f"conferir\n\n{NOTE_MARK}")
    assert marked["E3"].fill.fgColor.rgb.endswith("F8D9CF")
    assert marked["I1"].value == "Problema"
    assert marked["I3"].value.startswith("E3 Valor:")


def test_what_was_put_right_is_no_longer_marked_and_what_is_still_wrong_is(tmp_path):
    book = sheet_of(tmp_path / "p.xlsx", (*MARIA[:4], "vinte", "b"), (*ANA[:4], "dez", "a"))
    book.active["E2"].comment = Comment("conferir", "Chefe")
    book.save(tmp_path / "p.xlsx")
    once = checked(tmp_path, "p.xlsx").corrections
    half = openpyxl.load_workbook(once)
    half["Folha"]["E2"] = 20
    half.save(tmp_path / "half.xlsx")
    found = given_back(tmp_path, tmp_path / "half.xlsx", "p.xlsx")
    assert (found.rows.used, found.rows.held) == (1, 1)
    twice = openpyxl.load_workbook(found.corrections)
    assert twice.sheetnames == ["Folha", "Problemas"]
    sheet = twice["Folha"]
    assert sheet["E2"].comment.text == "conferir"
    assert sheet["E2"].fill.fill_type is None
    assert sheet["E3"].comment.text.count(NOTE_MARK) == 1
    assert [sheet.cell(row, 7).value for row in (1, 2)] == ["Problema", None]
    assert sheet["H1"].value is None
    sheet["E3"] = 10.5
    twice.save(tmp_path / "whole.xlsx")
    assert given_back(tmp_path, tmp_path / "whole.xlsx", "p.xlsx").rows.used == 2


def test_what_held_a_row_can_be_taken_away_in_the_corrections(tmp_path):
    book = sheet_of(tmp_path / "p.xlsx", MARIA, ANA)
    comment(book.active["E2"])
    struck(book.active["E3"])
    book.save(tmp_path / "p.xlsx")
    own = openpyxl.load_workbook(checked(tmp_path, "p.xlsx").corrections)
    own["Folha"]["E2"].comment = None
    for cell in own["Folha"][3]:
        cell.font = copy(own["Folha"]["A2"].font)
    own.save(tmp_path / "c.xlsx")
    assert given_back(tmp_path, tmp_path / "c.xlsx", "p.xlsx").rows.used == 2


def test_a_type_to_fill_in_stands_at_the_end_of_the_own_sheet(tmp_path):
    rows = [
        tuple(text for at, text in enumerate(row) if at != 3)
        for row in (HEAD, MARIA, (*ANA[:2], "11144477735", *ANA[3:]))
    ]
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    book.active["A2"].fill = PatternFill("solid", fgColor="00FF00")
    book.save(tmp_path / "p.xlsx")
    own = openpyxl.load_workbook(checked(tmp_path, "p.xlsx").corrections)
    sheet = own.worksheets[0]
    assert [cell.value for cell in sheet[1]][5:] == ["Tipo da chave", "Problema"]
    assert sheet["F2"].value == "E-mail"
    assert sheet["A2"].fill.fgColor.rgb.endswith("00FF00")
    sheet["F3"] = "CPF"
    own.save(tmp_path / "c.xlsx")
    assert given_back(tmp_path, tmp_path / "c.xlsx", "p.xlsx").rows.used == 2


@pytest.mark.long
def test_saved_by_libreoffice_it_comes_back(tmp_path, convert):
    book = sheet_of(tmp_path / "p.xlsx", MARIA, (*ANA[:4], "dez", "a"))
    book.active["H1"], book.active["H2"] = "Obs", "=UPPER(A2)"
    book.save(tmp_path / "p.xlsx")
    own = openpyxl.load_workbook(checked(tmp_path, "p.xlsx").corrections)
    own["Folha"]["E3"] = 10.5
    own.save(tmp_path / "c.xlsx")
    saved = convert(tmp_path / "c.xlsx", "xlsx", tmp_path / "saved")
    assert given_back(tmp_path, saved, "p.xlsx").rows.used == 2


LINES = (
    ("Período", "Loja", "ISRC", "Faixa", "Artista", "Valor", "Moeda"),
    ("2026-09", "Deezer", "BRABC2600001", "Samba do Mar", "Banda", "10.00", "BRL"),
    ("2026-09", "Deezer", "BRABC2600002", "Valsa", "Banda", "20.00", "BRL"),
    ("2026-09", "Deezer", "BRABC2600003", "Choro", "Banda", "5.00", "BRL"),
    ("2026-09", "Deezer", "BRABC2600004", "Choro", "Outra Banda", "5.00", "BRL"),
)
DEAL = """job: royalties
payer: {tax_id: 12.ABC.345/01DE-35, name: Selo Aurora}
period: 2026-09
sources: [{files: lines.csv, layout: royalties}]
payees: payees.xlsx
shares: shares.xlsx
"""


@pytest.mark.long
@pytest.mark.parametrize("codes", ["a blank column of codes", "no column of codes"])
@pytest.mark.parametrize("artist", ["an artist beside it", "a title alone"])
def test_the_recording_of_a_title_is_proposed_and_nothing_is_paid_on_a_title_alone(tmp_path, codes, artist):
    (tmp_path / "lines.csv").write_text("\n".join(";".join(row) for row in LINES), "utf-8")
    (tmp_path / "job.yaml").write_text(DEAL, "utf-8")
    people = openpyxl.Workbook()
    for row in (HEAD[:4], MARIA[:4], ANA[:4]):
        people.active.append(row)
    people.save(tmp_path / "payees.xlsx")
    deal = openpyxl.Workbook()
    head = ["Faixa", "CPF", "Participação"]
    rows = [
        ["samba do mar", MARIA[1], "50%"],
        ["Valsa", ANA[1], "40%"],
        ["Choro", ANA[1], "30%"],
        ["Frevo", ANA[1], "9%"],
    ]
    for row in (head, *rows):
        more = [("Artista" if row is head else "Banda")] if artist == "an artist beside it" else []
        more += [("ISRC" if row is head else None)] if codes == "a blank column of codes" else []
        deal.active.append([*row, *more])
    deal.save(tmp_path / "shares.xlsx")
    found, _ = check_files(read_run_request(tmp_path / "job.yaml"), QuietProgress())
    assert [issue.row for issue in found.issues if issue.code.value == "SHARE_SCOPE"] == [2, 3, 4, 5]
    sheet = openpyxl.load_workbook(found.corrections).worksheets[0]
    at = [cell.value for cell in sheet[1]].index("ISRC") + 1
    third = "BRABC2600003" if artist == "an artist beside it" else None
    assert [sheet.cell(row, at).value for row in range(2, 6)] == ["BRABC2600001", "BRABC2600002", third, None]
    again, _ = check_files(
        read_run_request(tmp_path / "job.yaml", RunOptions(files=[str(found.corrections)])), QuietProgress()
    )
    held = [issue.row for issue in again.issues if issue.code.value == "SHARE_SCOPE"]
    assert held == ([5] if artist == "an artist beside it" else [4, 5])
