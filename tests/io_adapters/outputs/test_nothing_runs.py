"""Whatever text people put into a statement, no output ever runs it."""

import csv
import io
import re
import zipfile

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from openpyxl import load_workbook

from io_adapters.outputs.run_folder import payments_csv, reconciliation_xlsx
from io_adapters.outputs.workbook import cell_text, csv_text, looks_like_formula
from schemas.issues import Issue, IssueCode, Severity
from schemas.plan import Place
from tests.io_adapters.outputs.builder import obligation, reconciliation
from tests.written import saying

DANGEROUS = [
    "=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "\0=1", "  =1", " =1", "\u200b=1", "＝1", "＋1", "－1",
    "＠a", "﹦1", "\ufeff=1", '=HYPERLINK("http://exemplo.test")', "=cmd|' /C calc'!A0", "#REF!", "http://exemplo.test",
    "mailto:a@exemplo.test", "{=1}", "_x003D_1", "<r><t>1</t></r>", "<r></r>", "<r>",
]  # fmt: skip
# The formulas of the workbook itself: sums below tables, and the checks of the summary.
OURS = re.compile(
    r"SUBTOTAL\(109,[A-Z]+\d+:[A-Z]+\d+\)$|SUM\((B\d+:B\d+|('[A-Za-z ]+'!G2:G\d+,?)+)\)$|IF\(AND\(ROUND\(B"
)
texts = st.one_of(st.sampled_from(DANGEROUS), st.text(), st.tuples(st.sampled_from(DANGEROUS), st.text()).map("".join))


def with_text(text):
    why = f"{text}?"  # no code of a reason that bears facts, whatever the text
    owed = [
        obligation(-100, place, name=text, reference=text, reason=why, pix_key=text, pix_key_type=text, file=text)
        for place in (Place.PAID, Place.HELD)
    ]
    issue = Issue(IssueCode.NAME_FORMULA, Severity.ERROR, text, text, "A1", 1, text, text, saying(text), saying(text))
    return reconciliation(owed, issues=(issue,), payer_name=text, decisions=(saying(text),))


def parts_of(content):
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


@given(texts)
def test_no_text_becomes_a_formula_or_a_link_in_the_workbook(text):
    content = reconciliation_xlsx(with_text(text))
    for name, xml in parts_of(content).items():
        if name.startswith("xl/worksheets/"):
            assert not re.search(r"<hyperlink|t=\"e\"", xml)
            assert [formula for formula in re.findall(r"<f\b[^>]*>([^<]*)", xml) if not OURS.match(formula)] == []
    for sheet in load_workbook(io.BytesIO(content)):
        for row in sheet.iter_rows():
            assert {cell.data_type for cell in row} <= {"s", "n", "f"}


@example("submission")  # a reason that bears facts, when it has them
@example("claimed_by")
@given(texts)
def test_no_field_of_the_csv_begins_like_a_formula(text):
    content = payments_csv(with_text(text)).decode("utf-8-sig")
    header, *rows = csv.reader(io.StringIO(content, newline=""), delimiter=";")
    amount = header.index("Valor")
    assert len(rows) == 2
    for row in rows:
        assert row[amount] == "-1,00"
        assert not [field for position, field in enumerate(row) if position != amount and looks_like_formula(field)]


@pytest.mark.parametrize("text", DANGEROUS[:17])
def test_what_could_run_is_recognised_behind_spaces_and_in_full_width(text):
    assert looks_like_formula(text)
    assert csv_text(text).startswith("'")


@pytest.mark.parametrize("text", ["", "Ana", "10", "1-2", "a=b", "R$ 1", "*", "'=1"])
def test_ordinary_text_is_left_alone(text):
    assert not looks_like_formula(text)
    assert csv_text(text) == cell_text(text) == text


def test_a_name_that_looks_like_a_formula_reads_the_same_and_stays_text_when_edited():
    sheet = load_workbook(io.BytesIO(reconciliation_xlsx(with_text("=1+1"))))["Pagamentos"]
    assert sheet["A2"].value == "=1+1"
    assert sheet["A2"].data_type == "s"
    assert sheet["A2"].quotePrefix
    assert not sheet["B2"].quotePrefix


def test_text_that_xml_cannot_hold_is_shown_as_unreadable_and_not_lost():
    assert cell_text("a\x00b\ud800c") == "a�b�c"
    assert len(cell_text("x" * 40_000)) == 32_767
