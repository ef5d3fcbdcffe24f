"""An .ods says what the same workbook says as .xlsx, and a few bytes of it never become a million cells."""

import datetime as dt
import io
import re
import zipfile

import openpyxl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from io_adapters.spreadsheets.workbook.ods import open_ods
from io_adapters.spreadsheets.workbook.sheets import Sheet
from io_adapters.spreadsheets.workbook.xlsx import open_xlsx
from schemas.sheet_cells import CellKind
from tests.io_adapters.spreadsheets.trap_workbook import (
    Convert,
    cells_of,
    libreoffice,
    refusal,
    texts_of,
    trap_workbook,
)

convert = pytest.fixture(scope="module")(libreoffice)

OASIS = "urn:oasis:names:tc:opendocument:xmlns:"
SPACES = {name: f"{OASIS}{name}:1.0" for name in ("office", "table", "text", "style", "meta", "manifest")} | {
    "calcext": "urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0"
}
DECLARED = " ".join(f'xmlns:{prefix}="{space}"' for prefix, space in SPACES.items())
MIMETYPE = "application/vnd.oasis.opendocument.spreadsheet"


def text_cell(text: str, more: str = "") -> str:
    return f'<table:table-cell office:value-type="string" {more}><text:p>{text}</text:p></table:table-cell>'


def cell(attributes: str, text: str = "") -> str:
    return f"<table:table-cell {attributes}>{f'<text:p>{text}</text:p>' if text else ''}</table:table-cell>"


def float_cell(value: str, more: str = "") -> str:
    return cell(f'office:value-type="float" office:value="{value}" {more}', value)


def row(*cells: str, more: str = "") -> str:
    return f"<table:table-row {more}>{''.join(cells)}</table:table-row>"


def table(*rows: str, name: str = "Dados", more: str = "") -> str:
    return f'<table:table table:name="{name}" {more}>{"".join(rows)}</table:table>'


def content_of(*tables: str, styles: str = "", before: str = "") -> str:
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>{before}<office:document-content {DECLARED}>'
        f"<office:automatic-styles>{styles}</office:automatic-styles>"
        f"<office:body><office:spreadsheet>{''.join(tables)}</office:spreadsheet></office:body></office:document-content>"
    )


def package(content: str | bytes, **parts: str) -> bytes:
    """An .ods; further parts by name, with __ for / and _ for a dot."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", MIMETYPE)
        archive.writestr("content.xml", content)
        for name, part in parts.items():
            archive.writestr(name.replace("__", "/").replace("_", "."), part)
    return packed.getvalue()


def only_sheet(*rows: str, **of_content: str) -> Sheet:
    return open_ods(package(content_of(table(*rows), **of_content))).load("Dados")


def only_cell(written: str) -> tuple[str, CellKind]:
    cells = cells_of(only_sheet(row(written)))
    return cells[0][0] if cells else ("", CellKind.EMPTY)


def test_every_cell_says_in_ods_what_it_says_in_xlsx(convert: Convert, tmp_path):
    source = trap_workbook(tmp_path / "traps.xlsx")
    excel = open_xlsx(convert(source, "xlsx", tmp_path / "xlsx").read_bytes())
    ours = open_ods(convert(source, "ods", tmp_path / "ods").read_bytes())
    assert list(ours.sheets) == list(excel.sheets)
    for name, _ in excel.sheets:
        one, other = ours.load(name), excel.load(name)
        assert one.oddities == other.oddities
        assert cells_of(one) == cells_of(other)


def test_dates_of_the_1904_calendar_stay_dates_and_that_is_told(convert: Convert, tmp_path):
    book = openpyxl.Workbook()
    book.epoch = openpyxl.utils.datetime.CALENDAR_MAC_1904
    book.active.append([dt.date(2026, 10, 1)])
    book.save(tmp_path / "mac.xlsx")
    ours = open_ods(convert(tmp_path / "mac.xlsx", "ods", tmp_path).read_bytes())
    assert ours.traits.date_1904
    assert texts_of(ours.load("Sheet")) == [["2026-10-01"]]


def test_text_is_what_the_cell_shows_and_nothing_else():
    comment = "<office:annotation><dc:date xmlns:dc='d'>2026</dc:date><text:p>comentário</text:p></office:annotation>"
    inside = f"<table:table-cell office:value-type='string'>{comment}<text:p>Ana</text:p></table:table-cell>"
    picture = "<draw:frame xmlns:draw='d'><draw:text-box><text:p>figura</text:p></draw:text-box></draw:frame>"
    within = f"<table:table-cell office:value-type='string'><text:p>Bia{picture} Sá</text:p></table:table-cell>"
    nested = f"<table:table-cell><text:p>Caio</text:p>{table(row(text_cell('subtabela')), name='x')}</table:table-cell>"
    assert texts_of(only_sheet(row(inside, within, nested))) == [["Ana", "Bia Sá", "Caio"]]


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("José<text:s/> <text:s text:c='2'/>Ação", "José    Ação"),
        ("a<text:tab/>b<text:line-break/>c", "a\tb\nc"),
        ("um</text:p>\n <text:p>dois</text:p><text:p>", "um\ndois\n"),
        ("<text:span>00<text:span>12</text:span></text:span><text:a>3</text:a>4", "0012" + "34"),
        ("de <text:sheet-name>Dados</text:sheet-name>!", "de Dados!"),
        ("a<text:note><text:note-body><text:p>nota</text:p></text:note-body></text:note>b", "ab"),
        (" 00 ", " 00 "),
        ("&lt;&amp;&#x1F600;", "<&😀"),
    ],
)
def test_blanks_lines_and_marked_text_are_kept(written, text):
    assert only_cell(text_cell(written)) == (text, CellKind.TEXT)


@pytest.mark.parametrize(
    ("attributes", "shown", "text", "kind"),
    [
        ('office:value-type="float" office:value="1234.5"', "R$ 1.234,50", "1234.5", CellKind.NUMBER),
        ('office:value-type="currency" office:currency="BRL" office:value="-7"', "-7", "-7", CellKind.NUMBER),
        ('office:value-type="float" office:value="12345678901234567"', "1,23E16", "12345678901234567", CellKind.NUMBER),
        ('office:value-type="float" office:value="1.5E-7"', "0", "0.00000015", CellKind.NUMBER),
        ('office:value-type="float" office:value="INF"', "?", "#NUM!", CellKind.ERROR),
        ('office:value-type="percentage" office:value="0.3333"', "33%", "33.33%", CellKind.NUMBER),
        ('office:value-type="percentage" office:value="NaN"', "?", "#NUM!", CellKind.ERROR),
        ('office:value-type="boolean" office:boolean-value="true"', "SIM", "TRUE", CellKind.BOOL),
        ('office:value-type="date" office:date-value="2026-10-01"', "01/10", "2026-10-01", CellKind.DATE),
        ('office:value-type="date" office:date-value="2026-10-01T00:00:00"', "01/10", "2026-10-01", CellKind.DATE),
        (
            'office:value-type="date" office:date-value="2026-10-01T09:30:00Z"',
            "x",
            "2026-10-01T09:30:00",
            CellKind.DATE,
        ),
        ('office:value-type="date" office:date-value="-0044-03-15"', "x", "-0044-03-15", CellKind.TEXT),
        ('office:value-type="time" office:time-value="PT09H30M00S"', "9:30", "09:30:00", CellKind.DATE),
        ('office:value-type="time" office:time-value="PT30H00M00.5S"', "30:00", "1 day, 6:00:00.500000", CellKind.DATE),
        ('office:value-type="time" office:time-value="P1DT1M"', "x", "1 day, 0:01:00", CellKind.DATE),
        ('office:value-type="time" office:time-value="-PT1H"', "x", "-PT1H", CellKind.TEXT),
        ('office:value-type="string" office:string-value="00123"', "123", "00123", CellKind.TEXT),
        ("", "sem tipo", "sem tipo", CellKind.TEXT),
        ('office:value-type="void"', "outro", "outro", CellKind.TEXT),
    ],
)
def test_a_value_is_taken_from_the_file_and_not_from_how_it_is_shown(attributes, shown, text, kind):
    assert only_cell(cell(attributes, shown)) == (text, kind)


@pytest.mark.parametrize(
    ("attributes", "shown", "text"),
    [
        ('office:value-type="string" office:string-value="" calcext:value-type="error"', "#REF!", "#REF!"),
        ('office:value-type="string" office:string-value="" calcext:value-type="error"', "Err:502", "Err:502"),
        ('office:value-type="string" office:string-value="" calcext:value-type="error"', "", "#ERROR!"),
        ('office:value-type="string"', "#DIV/0!", "#DIV/0!"),
        ('office:value-type="float" office:value="0"', "#N/D", "#N/D"),
        ('office:value-type="float" office:value="0"', "#NOME?", "#NOME?"),
        ('office:value-type="float" office:value="0"', "Err:508", "Err:508"),
    ],
)
def test_an_error_is_told_and_never_read_as_empty_or_zero(attributes, shown, text):
    assert only_cell(cell(f'table:formula="of:=1/0" {attributes}', shown)) == (text, CellKind.ERROR)
    assert only_sheet(row(cell(f'table:formula="of:=1/0" {attributes}', shown))).oddities.formulas == frozenset()


def test_what_looks_like_an_error_and_was_typed_is_text():
    assert only_cell(text_cell("#N/A")) == ("#N/A", CellKind.TEXT)


@pytest.mark.parametrize(("shown", "value", "text"), [("TRUE", "1", "TRUE"), ("FALSO", "0", "FALSE")])
def test_a_truth_that_is_written_as_a_number_is_nobodys_amount(shown, value, text):
    written = f'table:formula="of:=[.A1]&gt;1" office:value-type="float" office:value="{value}"'
    assert only_cell(cell(written, shown)) == (text, CellKind.BOOL)
    assert only_cell(cell(written, "1,00")) == (value, CellKind.NUMBER)


def test_formulas_without_a_value_are_told_and_an_empty_text_is_a_value():
    sheet = only_sheet(
        row(
            cell('table:formula="of:=SUM([.A2])"'),
            cell('table:formula="of:=1" office:value-type="float"'),
            '<table:table-cell table:formula="of:=&quot;&quot;"><text:p/></table:table-cell>',
            cell('table:formula="of:=&quot;&quot;" office:value-type="string" office:string-value=""'),
            float_cell("7", 'table:formula="of:=3+4"'),
        )
    )
    kinds = [kind for _, kind in cells_of(sheet)[0]]
    assert kinds == [CellKind.FORMULA_WITHOUT_VALUE] * 2 + [CellKind.EMPTY] * 2 + [CellKind.NUMBER]
    assert sheet.oddities.formulas == {(1, 2), (1, 3), (1, 4)}


def test_formulas_that_look_into_another_document_are_told():
    formulas = [
        "of:=['file:///home/ana/taxas.ods'#$Taxas.A1]",
        "of:=SUM(['https://example.org/a b.xlsx'#Folha.B2:.B9])*2",
        "of:=[$Outra.A1]",
        "of:=&quot;['x'#a]&quot;&amp;[.B1]",
    ]
    sheet = only_sheet(row(*(float_cell("1", f'table:formula="{formula}"') for formula in formulas)))
    assert sheet.oddities.external == {(1, 0), (1, 1)}


def test_hidden_rows_columns_and_sheets_are_told():
    styles = (
        '<style:style style:name="ta1" style:family="table">'
        '<style:table-properties table:display="false"/></style:style>'
        '<style:style style:name="co1" style:family="table-column"><style:table-column-properties/></style:style>'
    )
    columns = (
        '<table:table-column table:number-columns-repeated="2"/><table:table-column table:visibility="collapse"/>'
        '<table:table-column table:visibility="filter" table:number-columns-repeated="1000000000"/>'
    )
    rows = [
        row(text_cell("a"), text_cell("b"), text_cell("c"), text_cell("d")),
        row(text_cell("a"), more='table:visibility="collapse" table:number-rows-repeated="2"'),
        row(text_cell("a"), more='table:visibility="visible"'),
        row(text_cell("a"), more='table:visibility="filter"'),
        row("<table:table-cell/>", more='table:visibility="filter" table:number-rows-repeated="1000000000"'),
    ]
    tables = table(columns, *rows), table(row(text_cell("x")), name="Oculta", more='table:style-name="ta1"')
    book = open_ods(package(content_of(*tables, styles=styles)))
    assert list(book.sheets) == [("Dados", True), ("Oculta", False)]
    oddities = book.load("Dados").oddities
    assert (oddities.hidden_rows, oddities.hidden_columns) == ((2, 3, 5), (2, 3))


def test_rows_inside_groups_and_headers_count_like_the_others():
    rows = (
        f"<table:table-header-rows>{row(text_cell('a'))}</table:table-header-rows>"
        f"<table:table-row-group>{row(text_cell('b'))}<table:table-row-group>{row(text_cell('c'))}"
        f"</table:table-row-group></table:table-row-group><table:table-rows>{row(text_cell('d'))}</table:table-rows>"
    )
    assert texts_of(only_sheet(rows)) == [["a"], ["b"], ["c"], ["d"]]


def test_what_is_repeated_is_written_out_up_to_the_last_cell_with_anything_in_it():
    sheet = only_sheet(
        row("<table:table-cell/>", more='table:number-rows-repeated="2"'),
        row(
            '<table:table-cell table:number-columns-repeated="2"/>',
            text_cell("x", 'table:number-columns-repeated="3"'),
            '<table:table-cell table:number-columns-repeated="16000"/>',
            more='table:number-rows-repeated="2"',
        ),
        row(text_cell("y"), '<table:table-cell table:number-columns-repeated="16383"/>'),
        row('<table:table-cell table:number-columns-repeated="16384"/>', more='table:number-rows-repeated="1048571"'),
    )
    repeated = ["", "", "x", "x", "x"]
    assert texts_of(sheet) == [[""] * 5, [""] * 5, repeated, repeated, ["y", "", "", "", ""]]


def test_rows_that_are_repeated_do_not_share_their_cells():
    first, second = only_sheet(row(text_cell("a"), more='table:number-rows-repeated="2"')).rows
    first[0] = "b"
    assert second == ["a"]


@pytest.mark.parametrize(
    "rows",
    [
        row(text_cell("x", 'table:number-columns-repeated="1000000000"')),
        row(text_cell("x"), more='table:number-rows-repeated="1000000000"'),
        row('<table:table-cell table:number-columns-repeated="1000000000"/>', text_cell("x")),
        row("<table:table-cell/>", more='table:number-rows-repeated="1000000000"') + row(text_cell("x")),
        row(text_cell("x", 'table:number-columns-repeated="10000"'), more='table:number-rows-repeated="10000"'),
        row(cell('table:formula="of:=1" table:number-columns-repeated="1000000000"')),
    ],
    ids=["cells", "rows", "blanks before a cell", "blank rows before a cell", "both", "formulas"],
)
def test_a_few_bytes_never_become_a_million_cells(rows):
    content = package(content_of(table(rows)))
    assert len(content) < 1500
    assert refusal(open_ods, content) == "FILE_EXTENT"


def test_blanks_without_end_after_the_last_cell_are_no_cells():
    endless = '<table:table-cell table:number-columns-repeated="1000000000"/>'
    many = 'table:number-columns-repeated="1000000000"'
    vacant = f'<table:table-cell table:formula="of:=&quot;&quot;" {many}><text:p/></table:table-cell>'
    sheet = only_sheet(
        row(text_cell("x"), endless), row(vacant, more='table:number-rows-repeated="1000000000"'), row(endless)
    )
    assert texts_of(sheet) == [["x"]]
    assert sheet.oddities.formulas == frozenset()


def test_merged_cells_are_told_within_the_sheet():
    spanned = 'table:number-columns-spanned="2" table:number-rows-spanned="1000000000"'
    covered = "<table:covered-table-cell/>"
    sheet = only_sheet(
        row(text_cell("título", spanned), covered, text_cell("c")), row(covered, covered, text_cell("c"))
    )
    assert sheet.oddities.merged == {(1, 1), (2, 0), (2, 1)}
    assert texts_of(sheet) == [["título", "", "c"], ["", "", "c"]]


def test_a_merged_cell_that_covers_more_than_a_table_could_is_refused():
    spanned = 'table:number-columns-spanned="3000" table:number-rows-spanned="3000"'
    rows = row(text_cell("x", spanned)), row("<table:table-cell/>", more='table:number-rows-repeated="2998"')
    corner = row('<table:table-cell table:number-columns-repeated="2999"/>', text_cell("z"))
    assert refusal(open_ods, package(content_of(table(*rows, corner)))) == "FILE_EXTENT"


def test_other_prefixes_and_encodings_are_read_alike():
    plain = content_of(table(row(text_cell("José"), float_cell("7"))))
    content = re.sub(r"(</?|xmlns:(?=\w+=)| )(office|table|text|style)\b", r"\1x\2", plain)
    assert "<xtable:table-cell xoffice:value-type" in content
    expected = [[("José", CellKind.TEXT), ("7", CellKind.NUMBER)]]
    assert cells_of(open_ods(package(content)).load("Dados")) == expected
    utf_16 = content.replace('encoding="UTF-8"', 'encoding="UTF-16"').encode("utf-16")
    assert cells_of(open_ods(package(utf_16)).load("Dados")) == expected


def test_macros_and_properties_are_told():
    told = '<meta:user-defined meta:name="origem">7</meta:user-defined>'
    meta = f"<office:document-meta {DECLARED}>{told}</office:document-meta>"
    traits = open_ods(package(content_of(table()), meta_xml=meta)).traits
    assert (traits.macros, dict(traits.properties)) == (False, {"origem": "7"})
    assert open_ods(package(content_of(table()), Basic__Standard__Module1_xml="?")).traits.macros
    assert open_ods(package(content_of(table()), Scripts__python__a_py="?")).traits.macros


def test_a_workbook_locked_by_a_password_is_refused():
    entry = '<manifest:file-entry manifest:full-path="content.xml"><manifest:encryption-data/></manifest:file-entry>'
    manifest = f"<manifest:manifest {DECLARED}>{entry}</manifest:manifest>"
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("mimetype", MIMETYPE)
        archive.writestr("META-INF/manifest.xml", manifest)
        archive.writestr("content.xml", b"\x8f\x01 locked")
    assert refusal(open_ods, packed.getvalue()) == "FILE_ENCRYPTED"


def test_a_document_type_is_refused():
    bomb = '<!DOCTYPE office:document-content [<!ENTITY a "aaaa">]>'
    assert refusal(open_ods, package(content_of(table(row(text_cell("&a;"))), before=bomb))) == "FILE_XML_FORBIDDEN"
    assert refusal(open_ods, package(content_of(table()), meta_xml=f"{bomb}<a/>")) == "FILE_XML_FORBIDDEN"


@pytest.mark.parametrize(
    "written",
    [
        'office:value-type="float" office:value="529.982y"',
        'office:value-type="float" office:value="5_2"',
        'office:value-type="float" office:value="٥"',
        'office:value-type="float"',
        'office:value-type="date"',
        'office:value-type="string" table:number-columns-repeated="0"',
        'office:value-type="string" table:number-columns-repeated="x"',
    ],
)
def test_a_value_that_is_none_is_refused_without_repeating_it(written):
    assert refusal(open_ods, package(content_of(table(row(cell(written, "529.982")))))) == "FILE_CORRUPT"


def test_a_workbook_without_sheets_of_their_own_name_is_refused():
    assert refusal(open_ods, package(content_of(table(name="A"), table(name="A")))) == "FILE_CORRUPT"
    assert refusal(open_ods, package(content_of(table())[:-1])) == "FILE_CORRUPT"
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("mimetype", MIMETYPE)
    assert refusal(open_ods, packed.getvalue()) == "FILE_CORRUPT"


def test_a_sheet_may_be_loaded_again():
    book = open_ods(package(content_of(table(row(text_cell("a"))))))
    assert texts_of(book.load("Dados")) == texts_of(book.load("Dados")) == [["a"]]


SAMPLE = content_of(
    table(
        '<table:table-column table:visibility="collapse" table:number-columns-repeated="2"/>',
        row(text_cell("a<text:s/>b", 'table:number-columns-spanned="2"'), float_cell("1.5")),
        row(cell('table:formula="of:=1" office:value-type="date" office:date-value="2026-10-01"', "x")),
        row(float_cell("7", 'table:number-columns-repeated="3"'), more='table:number-rows-repeated="4"'),
        row(cell('office:value-type="time" office:time-value="PT9H"'), text_cell("Ação")),
    )
).encode()


@given(st.data())
@settings(max_examples=150)
def test_damaged_bytes_are_refused_or_read_and_raise_nothing_else(data):
    damaged = bytearray(SAMPLE)
    for place in data.draw(st.lists(st.integers(SAMPLE.index(b"<table"), len(SAMPLE) - 1), min_size=1, max_size=4)):
        damaged[place] = data.draw(st.sampled_from(b'0123456789<>"/= azT:-\xff'))
    assert refusal(open_ods, package(bytes(damaged))) in {None, "FILE_CORRUPT", "FILE_EXTENT"}


@given(st.integers(0, 99))
@settings(max_examples=20)
def test_a_package_cut_short_is_refused(percent):
    whole = package(SAMPLE)
    assert refusal(open_ods, whole[: len(whole) * percent // 100]) == "FILE_CORRUPT"
