"""The sample DDEX sales reports are read as they were invented, record by record."""

import gzip
import io
import json
from decimal import Decimal
from pathlib import Path

import pandas as pd
import pytest

from io_adapters.spreadsheets.ddex.head import is_records
from io_adapters.spreadsheets.ddex.report import open_records
from io_adapters.spreadsheets.declarations import known_layouts, read_layout
from io_adapters.spreadsheets.reading import open_file
from io_adapters.spreadsheets.texts import raw_tables
from schemas.errors import UnreadableFile
from schemas.issues import IssueCode
from schemas.layouts.layout import missing_parts
from schemas.layouts.recognise import candidates, find_header
from schemas.messages import render
from schemas.parsing.table import parse_table
from schemas.raw_table import FileIdentity

SAMPLES = Path(__file__).resolve().parents[2] / "sample_data"
EXPECTED = json.loads((SAMPLES / "expected" / "ddex.json").read_text(encoding="utf-8"))


def opened(name):
    content = (SAMPLES / "statements" / name).read_bytes()
    content = gzip.decompress(content) if name.endswith(".gz") else content
    assert is_records(content[:4096])
    return open_records(io.BytesIO(content), name)


@pytest.fixture(params=EXPECTED, ids=lambda known: known["file"][4:60])
def known(request):
    return request.param


def parsed(known):
    layout = read_layout(known["layout"], Path())
    report = opened(known["file"])
    fit = find_header(report.views[0], layout)
    return [parse_table(raw, layout) for raw in raw_tables(report.table(fit), FileIdentity(known["file"], "", 0))]


def test_every_line_says_what_was_invented(known):
    lines = pd.concat([table.frame for table in parsed(known)])
    told = [
        {**line, "amount": Decimal(line["amount"])}
        for line in lines.drop(columns=["file", "sheet", "platform", "income", "format", "price"]).to_dict("records")
    ]
    assert told == [{**line, "amount": Decimal(line["amount"])} for line in known["lines"]]
    assert set(lines["platform"]) == {"Onda Sonora"}


def test_the_lines_add_up_by_currency(known):
    lines = pd.concat([table.frame for table in parsed(known)])
    sums = lines.groupby("currency")["amount"].agg(lambda amounts: sum(amounts, Decimal(0)))
    assert {currency: Decimal(total) for currency, total in sums.items()} == {
        currency: Decimal(total) for currency, total in known["amounts"].items()
    }


def test_nothing_is_wrong_with_the_samples_and_no_column_is_unknown(known):
    assert [issue for table in parsed(known) for issue in table.issues] == []


def test_each_report_is_recognised_by_its_profile_and_by_no_other_layout(known):
    views = opened(known["file"]).views
    layouts = [read_layout(name, Path()) for name in known_layouts()]
    assert [fit.layout.layout for fit in candidates(views, layouts)] == [known["layout"]]


def test_the_samples_are_worth_reading():
    royalties = [line for known in EXPECTED if known["layout"] == "ddex-royalties" for line in known["lines"]]
    assert len(royalties) > 30
    assert any(Decimal(line["amount"]) < 0 for line in royalties)
    assert {"|", "\\"} <= {mark for line in royalties for mark in line["title"]}


def test_both_parts_are_there_and_without_one_it_is_missed():
    names = [known["file"] for known in EXPECTED]
    assert missing_parts(names) == []
    (missing,) = missing_parts([name for name in names if "_2of2_" not in name])
    assert (missing.file, missing.part, missing.parts) == (names[0], 2, 2)


def test_a_report_of_a_profile_that_no_layout_reads_is_told_to_be_ddex(tmp_path):
    (file,) = (SAMPLES / "statements").glob("DSR_SeloAurora_*.tsv")
    other = file.read_bytes().replace(b"FinancialReportingToRecordCompaniesProfileSRB", b"UgcProfile")
    path = tmp_path / file.name
    path.write_bytes(other)
    with open_file(str(path)) as opened, pytest.raises(UnreadableFile) as refused:
        opened.recognise([read_layout(name, Path()) for name in known_layouts()])
    (issue,) = refused.value.issues
    assert issue.code is IssueCode.LAYOUT_UNKNOWN
    told = "this is a DDEX sales report of the profile UgcProfile, which no layout reads yet"
    assert render(issue.message, "en") == told
