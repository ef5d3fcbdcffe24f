"""Whatever a reader answers that somebody has taken over, a file is refused with its place, and nothing else happens.

Varied: what it is asked, and what it answers. Held constant: one text file; the answers are well-framed JSON.
"""

import json

import pyarrow as pa
import pytest

from io_adapters.spreadsheets import readers
from io_adapters.spreadsheets.kinds import FileKind
from io_adapters.spreadsheets.readers import READERS, kind_of_content, members_of
from io_adapters.spreadsheets.reading import open_file
from schemas.errors import UnreadableFile
from schemas.issues import IssueCode
from tests.io_adapters.spreadsheets.texts import PLAIN

VIEW = {"name": None, "delimiter": ";", "visible": True, "head": [[1, ["CPF", "Valor"]]], "rows": 2}
OPENED = {"done": True, "kind": "text", "name": "p.csv", "packing": "", "views": [VIEW], "decisions": [], "profile": ""}
TABLE = {"done": True, "header_row": 1, "headers": ["CPF", "Valor"], "decisions": []}


REFUSED = {"code": "FILE_ZIP", "sheet": None, "row": None, "facts": {}}
NO_MISSHAPEN = {"done": True, "misshapen": []}


def block(**columns: list[object]) -> dict[str, object]:
    kinds = {True: pa.large_string(), False: None}
    table = pa.table(
        {name: pa.array(cells, kinds[isinstance(cells[:1] and cells[0], str)]) for name, cells in columns.items()}
    )
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    return {"words": NO_MISSHAPEN, "body": sink.getvalue().to_pybytes().hex()}


LIES = {
    "opened: nothing": {"open": {"done": True}},
    "opened: a kind that there is not": {"open": OPENED | {"kind": "../../etc/passwd"}},
    "opened: views that are none": {"open": OPENED | {"views": [{"name": 1}]}},
    "opened: a head of numbers": {"open": OPENED | {"views": [VIEW | {"head": [[1, 5]]}]}},
    "opened: a decision that nobody has written": {"open": OPENED | {"decisions": [{"id": "x", "facts": 3}]}},
    "refused: with a code that there is not": {"open": {"refused": {"code": "X", "facts": {}}}},
    "refused: with a text that there is not": {"open": {"refused": REFUSED | {"message": {"id": "x", "facts": {}}}}},
    "table: nothing": {"open": OPENED, "table": {"done": True}},
    "block: no Arrow": {"open": OPENED, "table": TABLE, "block": {"words": NO_MISSHAPEN, "body": "00"}},
    "block: no rows": {"open": OPENED, "table": TABLE, "block": block(row=[], a=[], b=[])},
    "block: rows that are texts": {"open": OPENED, "table": TABLE, "block": block(row=["1"], a=["x"], b=["1"])},
    "block: rows out of order": {"open": OPENED, "table": TABLE, "block": block(row=[3, 2], a=["x"] * 2, b=["1"] * 2)},
    "block: amounts that are numbers": {"open": OPENED, "table": TABLE, "block": block(row=[2], a=["x"], b=[1.0])},
    "block: what has a wrong width is no number": {
        "open": OPENED, "table": TABLE,
        "block": block(row=[2], a=["x"], b=["1"]) | {"words": NO_MISSHAPEN | {"misshapen": ["x"]}},
    },
}  # fmt: skip


@pytest.fixture
def liar(tmp_path, monkeypatch):
    READERS.end()
    monkeypatch.setattr(readers, "_MODULE", "tests.io_adapters.spreadsheets.liar")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setenv("TEMP", str(tmp_path))
    yield lambda lies: (tmp_path / "lies.json").write_text(json.dumps(lies))
    READERS.end()


@pytest.mark.parametrize("lies", LIES.values(), ids=LIES)
def test_what_a_reader_answers_is_taken_for_a_damaged_file_at_the_worst(liar, tmp_path, lies):
    liar(lies)
    (tmp_path / "p.csv").write_text("CPF;Valor\nx;1\n")
    with pytest.raises(UnreadableFile) as caught, open_file(str(tmp_path / "p.csv")) as file:
        list(file.tables(PLAIN))
    (issue,) = caught.value.issues
    assert issue.code is IssueCode.FILE_CORRUPT
    assert issue.file == "p.csv"


def test_an_answer_in_the_right_form_is_read(liar, tmp_path, monkeypatch):
    honest = {"open": OPENED, "table": TABLE, "block": block(row=[2, 4], a=["x", "y"], b=["1", "2"])}
    liar(honest)
    (tmp_path / "p.csv").write_text("CPF;Valor\nx;1\n")
    with open_file(str(tmp_path / "p.csv")) as file:
        (fit,) = file.fits(PLAIN)
        table = next(file.blocks(fit))
    assert table.cells.loc[4].tolist() == ["y", "2"]


@pytest.mark.parametrize("names", [[1, 2], "ab", [["x"], ["y"]], {"a": 1, "b": 2}])
def test_members_that_are_no_names_are_none(liar, tmp_path, names):
    liar({"members": {"done": True, "members": names}})
    (tmp_path / "a.zip").write_bytes(b"PK\x03\x04")
    found = members_of(str(tmp_path / "a.zip"))
    assert all(path.startswith(str(tmp_path / "a.zip")) for path in found)


def test_a_kind_that_there_is_not_is_nobodys(liar):
    liar({"kind": {"done": True, "kind": "sheet"}})
    assert kind_of_content(b"x") is FileKind.BINARY
