"""Days and months are read as the layout says and the column's cells bear out; what is left open is held."""

from pathlib import Path

import pytest

from io_adapters.spreadsheets.declarations import read_layout
from schemas.layouts.headers import with_columns
from schemas.parsing.table import parse_table
from tests.schemas.sheets import codes, parse, sheet
from tests.written import written

LINE = {"isrc": "BRABC2600001", "amount": "0.5", "currency": "USD"}


def periods(*texts, **settings):
    """Read periods; "" where the row is held."""
    parsed = parse("royalty_lines", *(LINE | {"period": text} for text in texts), **settings)
    read = dict(zip(parsed.frame["row"], parsed.frame["period"], strict=True))
    return [read.get(row, "") for row in range(2, 2 + len(texts))]


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("out/2023", "2023-10"), ("Oct-2023", "2023-10"), ("Oct 2023", "2023-10"), ("October 2023", "2023-10"),
        ("outubro de 2023", "2023-10"), ("Março/2024", "2024-03"), ("MAR 2024", "2024-03"), ("fev. 2024", "2024-02"),
        ("Sept 2023", "2023-09"), ("set-2023", "2023-09"), ("dez/2023", "2023-12"), ("Dec-2023", "2023-12"),
        ("mai 2023", "2023-05"), ("May 2023", "2023-05"), ("out-23", "2023-10"), ("Oct-23", "2023-10"),
        ("10/15/2023 12:00:00 AM", "2023-10-15"), ("2023/10/15", "2023-10-15"), ("2017M10", "2017-10"),
        ("2023-10-01T00:00:00Z", "2023-10-01"), ("2023-10-01T00:00:00.000+00:00", "2023-10-01"),
        ("20231015", "2023-10-15"), ("44884", "2022-11-19"), ("15-Oct-2023", "2023-10-15"),
        ("Octember 2023", ""), ("Oc 2023", ""), ("Oct", ""), ("2023", ""), ("15-Oct", ""), ("Oct-2023-15", ""),
    ],
)  # fmt: skip
def test_a_month_may_be_written_in_words_of_either_language(written, read):
    assert periods(written) == [read]


def test_a_month_with_two_digits_is_of_this_century_and_noted():
    parsed = parse("royalty_lines", LINE | {"period": "out-23"})
    assert codes(parsed) == ["VALUE_NORMALISED"]


@pytest.mark.parametrize(("style", "read"), [("month_first", "2026-03-04"), ("day_first", "2026-04-03"), ("auto", "")])
def test_the_layout_decides_what_the_cells_leave_open(style, read):
    assert periods("3/4/2026", dates=style) == [read]


@pytest.mark.parametrize(
    ("written", "read"),
    [("3/14/26 5:08pm", "2026-03-14"), ("3/4/26 5:08pm", "2026-03-04"), ("10/1/26 3:24pm", "2026-10-01")],
)
def test_years_of_two_digits_are_read_where_the_layout_says_what_comes_first(written, read):
    assert periods(written, dates="month_first") == [read]
    assert periods(written) == [""]


def test_a_column_whose_cells_all_contradict_the_layout_is_read_by_them():
    assert periods("3/4/2026", "31/12/2026", dates="month_first") == ["2026-04-03", "2026-12-31"]
    assert periods("3/4/2026", "12/31/2026", dates="month_first") == ["2026-03-04", "2026-12-31"]


def test_one_column_of_days_tells_how_those_beside_it_are_written():
    share = {"isrc": "BRABC2600001", "tax_id": "52998224725", "share": "50%", "valid_from": "01/09/2026"}
    told, open_ = (parse("shares", share | {"valid_to": day}) for day in ("31/10/2026", "01/10/2026"))
    assert told.frame[["valid_from", "valid_to"]].to_numpy().tolist() == [["2026-09-01", "2026-10-31"]]
    assert codes(open_) == ["DATE_AMBIGUOUS", "DATE_AMBIGUOUS"]


def test_cells_that_contradict_one_another_leave_open_what_they_do_whatever_the_layout_says():
    assert periods("3/4/2026", "31/12/2026", "12/31/2026", dates="month_first") == ["", "2026-12-31", "2026-12-31"]


def test_cells_that_contradict_one_another_are_read_where_each_reads_one_way():
    assert periods("31/12/2026", "12/31/2026", "1/2/2026", "5/5/2026") == ["2026-12-31", "2026-12-31", "", "2026-05-05"]


def test_a_date_that_is_none_proves_nothing():
    assert periods("31/13/2026", "1/2/2026", "12/31/2026") == ["", "2026-01-02", "2026-12-31"]


@pytest.mark.parametrize(
    ("texts", "style", "told"),
    [
        (["3/4/2026"], "month_first", ("month before day",)),
        (["3/4/2026", "31/3/2026"], "auto", ("day before month",)),
        (["31/3/2026"], "auto", ()),
        (["5/5/2026"], "month_first", ()),
        (["3/4/2026"], "auto", ()),
        (["2026-03-04"], "month_first", ()),
    ],
)
def test_what_was_decided_is_told_when_it_mattered(texts, style, told):
    parsed = parse("royalty_lines", *(LINE | {"period": text, "amount": "1"} for text in texts), dates=style)
    assert written(parsed.decisions) == told


@pytest.mark.parametrize(
    ("texts", "settings", "told"),
    [
        (["1234,56"], {}, ("vírgula decimal",)),
        (["1.234,56", "1.234"], {}, ("vírgula decimal",)),
        (["1.50"], {}, ("ponto decimal",)),
        (["1.234"], {"decimal": ","}, ("vírgula decimal",)),
        (["1234"], {"decimal": ","}, ()),
        (["1,5", "1.5"], {}, ()),
    ],
)
def test_the_decimal_mark_is_told_when_typed_amounts_bear_one(texts, settings, told):
    rows = [LINE | {"amount": text} for text in texts]
    assert written(parse("royalty_lines", *rows, **settings).decisions, "pt-BR") == told


HERE = ["Data", "Vigência de", "Competência", "Fecha", "Pago em", "Mês de venda", "Válido desde", "Data da venda"]
ABROAD = ["Date", "Sale Date", "Valid from", "Transaction Date", "Payment date", "Period", "To"]


def lines_under(header, *texts, **settings):
    raw = sheet(
        *({"ISRC": "BRABC2600001", "Valor": f"{at},50", "Moeda": "BRL", header: text} for at, text in enumerate(texts))
    )
    how = read_layout("royalties", Path()).model_copy(update=settings)
    return parse_table(raw, with_columns(how, {header: "period"}))


@pytest.mark.parametrize("header", HERE)
def test_the_day_comes_first_below_a_header_of_brazil(header):
    parsed = lines_under(header, "01/09/2026", "03/04/26", "10/2026")
    assert parsed.frame["period"].tolist() == ["2026-09-01", "2026-04-03", "2026-10"]
    assert "day before month" in map(str, parsed.decisions)


@pytest.mark.parametrize("header", ABROAD)
def test_below_an_english_header_dates_that_read_two_ways_are_one_question_of_the_column(header):
    parsed = lines_under(header, "01/09/2026", "03/04/2026", "05/05/2026")
    (issue,) = parsed.issues
    assert (issue.code.value, issue.cell) == ("DATE_AMBIGUOUS", "D2")
    assert "2 dates of this column" in str(issue.message)
    assert "dates: day_first" in str(issue.accepts)
    assert parsed.held["row"].tolist() == [2, 3]
    assert lines_under(header, "01/09/2026", dates="day_first").frame["period"].tolist() == ["2026-09-01"]
    assert lines_under(header, "01/09/2026", dates="month_first").frame["period"].tolist() == ["2026-01-09"]


@pytest.mark.parametrize("header", [*HERE, *ABROAD])
def test_cells_that_prove_an_order_go_before_the_header(header):
    assert lines_under(header, "01/09/2026", "12/31/2026").frame["period"].tolist() == ["2026-01-09", "2026-12-31"]


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("set/26", "2026-09"), ("agosto de 2026", "2026-08"), ("10/2026", "2026-10"), ("Jul - 2017", "2017-07"),
        ("Sep 10, 2026", "2026-09-10"), ("September 1 2026", "2026-09-01"), ("Jul-2017", "2017-07"),
        ("jul / 2017", "2017-07"), ("Out. 26", "2026-10"), ("10 de agosto de 2026", "2026-08-10"),
        ("Dez 2026", "2026-12"),
    ],
)  # fmt: skip
def test_months_as_brazilians_and_stores_write_them_are_periods(written, read):
    assert lines_under("Competência", written).frame["period"].tolist() == [read]
