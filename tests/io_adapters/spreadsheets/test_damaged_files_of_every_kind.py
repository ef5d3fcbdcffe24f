"""Files of every kind, damaged at random: each is read or refused, and nothing else ever comes of it.

Varied: the kind, where and how the bytes are damaged, of packed kinds also before they are packed again. Held constant:
the table below the first row is read. `FUZZ_S=600 pytest` damages each kind for so long.
"""

import gzip
import io
import os
import random
import resource
import sys
import time
import zipfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from io_adapters.spreadsheets.limits import MOST_COLUMNS
from io_adapters.spreadsheets.readers import Readers
from schemas.errors import UnreadableFile
from schemas.issues import IssueCode
from schemas.layouts.headers import match_headers
from schemas.layouts.recognise import Fit
from tests.io_adapters.spreadsheets.ddex_reports import RECORD_COMPANIES
from tests.io_adapters.spreadsheets.workbook_files import ANYTHING, opened, workbook

SAMPLES: Final = Path(__file__).parents[3] / "sample_data"
FILES: Final = Path(__file__).parent / "files"
FUZZ_S: Final = float(os.environ.get("FUZZ_S", "1"))
SEED: Final = int(os.environ.get("SEED", "0"))
MOST_MEMORY_BYTES: Final = 2 * 2**30
pytestmark = [pytest.mark.long, pytest.mark.timeout(FUZZ_S + 300)]

HTML: Final = b"<html><body><table><tr><td>Nome</td><td>Valor</td></tr><tr><td>Ana</td><td>1,00</td></tr></table>"
XML: Final = b"""<?xml version="1.0"?><Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet"
xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet"><Worksheet ss:Name="a"><Table><Row><Cell><Data ss:Type="String">
Nome</Data></Cell></Row><Row><Cell><Data ss:Type="Number">1.5</Data></Cell></Row></Table></Worksheet></Workbook>"""
TEXT: Final = 'Nome;Título;Valor\r\n"Ana ""A"" Lima";Samba;1.234,50\r\nBia;"dois\nversos";-7,00\r\n'.encode()
REPORT: Final = next(SAMPLES.glob("statements/DSR_SeloAurora*.tsv"))
# Of each kind: its name, and a whole file of it.
WHOLE: Final[dict[str, tuple[str, bytes]]] = {
    "xlsx": ("a.xlsx", workbook()),
    "xls": ("a.xls", (FILES / "numbers.xls").read_bytes()),
    "xlsb": ("a.xlsb", (FILES / "numbers.xlsb").read_bytes()),
    "ods": ("a.ods", (FILES / "numbers.ods").read_bytes()),
    "html": ("a.xls", HTML),
    "xml": ("a.xls", XML),
    "text": ("a.csv", TEXT),
    "text in UTF-16": ("a.csv", TEXT.decode().encode("utf-16")),
    "report of records": (REPORT.name, REPORT.read_bytes()),
    "gzip": ("a.csv.gz", gzip.compress(TEXT)),
    "zip": ("a.zip", b""),
}


def zipped(parts: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return packed.getvalue()


WHOLE["zip"] = "a.zip", zipped({"lista.csv": TEXT})


def damaged(content: bytes, drawn: random.Random) -> bytes:
    changed = bytearray(content)
    for _ in range(drawn.choice((1, 1, 2, 5, 20))):
        at, length = drawn.randrange(len(changed) + 1), drawn.choice((1, 1, 2, 8, 200))
        ways: tuple[Callable[[], bytes], ...] = (
            lambda length=length: drawn.randbytes(length),
            lambda: b"",
            lambda: drawn.choice((b"<", b'"', b"9" * 40, b"-1", b"&#1;", b"\t", b"\n", b"\xff" * 4, b"\0" * 9)),
            lambda at=at, length=length: bytes(changed[at : at + length]) * drawn.choice((2, 50)),
        )
        changed[at : at + drawn.choice((0, length))] = drawn.choice(ways)()
    return bytes(changed[: drawn.randrange(len(changed) + 1)] if drawn.random() < 1 / 10 else changed)


def damaged_within(content: bytes, drawn: random.Random) -> bytes:
    """Damage a file, or what it has packed."""
    if drawn.random() < 1 / 2 and zipfile.is_zipfile(io.BytesIO(content)):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            parts = {name: archive.read(name) for name in archive.namelist()}
        worst = drawn.choice(sorted(parts))
        return zipped(parts | {worst: damaged(parts[worst], drawn)})
    if drawn.random() < 1 / 2 and content.startswith(b"\x1f\x8b"):
        return gzip.compress(damaged(gzip.decompress(content), drawn))
    return damaged(content, drawn)


def outcome(content: bytes, readers: Readers, name: str) -> str:
    try:
        with opened(content, readers, name) as file:
            layout = RECORD_COMPANIES if name == REPORT.name else ANYTHING
            shown = [view for view in file.views if view.head]
            if any(view.delimiter for view in shown):
                shown = [max(shown, key=lambda view: len(view.head[0].texts))]
            for view in shown:
                head = view.head[0]
                for table in file.blocks(Fit(layout, view, head, match_headers(head.texts, layout))):
                    assert len(table.cells.columns) <= MOST_COLUMNS
    except UnreadableFile as failure:
        (issue,) = failure.issues
        assert issue.code in IssueCode
        return str(issue.code)
    return "read"


@pytest.mark.parametrize("kind", WHOLE)
def test_a_damaged_file_is_read_or_refused(kind):
    name, whole = WHOLE[kind]
    drawn, readers = random.Random(f"{SEED} {kind}"), Readers(seconds=30)
    assert outcome(whole, readers, name) == "read"
    found, ends = Counter[str](), time.monotonic() + FUZZ_S
    try:
        while time.monotonic() < ends or not found:
            found[outcome(damaged_within(whole, drawn), readers, name)] += 1
    finally:
        readers.end()
    print(kind, dict(found))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1024 if sys.platform == "linux" else 1) < (
        MOST_MEMORY_BYTES
    ), "the parent has taken it all in"
