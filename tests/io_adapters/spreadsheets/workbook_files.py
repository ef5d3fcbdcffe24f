"""Real workbooks for tests, and ways to spoil them."""

import hashlib
import io
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile

import openpyxl

from io_adapters.spreadsheets.files import FileContent
from io_adapters.spreadsheets.readers import READERS, Readers
from io_adapters.spreadsheets.reading import OpenedFile, opened_in_child
from schemas.layouts.headers import match_headers
from schemas.layouts.layout import Layout
from schemas.layouts.recognise import Fit
from schemas.raw_table import FileIdentity, RawTable
from schemas.sheet_cells import View

HEADERS = ("Nome", "CPF/CNPJ", "Valor")
ANA = ("Ana", "529.982.247-25", 10.5)
SHEET = "xl/worksheets/sheet1.xml"
SHARED_TEXTS = "xl/sharedStrings.xml"
MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
ANYTHING = Layout(layout="anything", title="Anything", table="payments", columns={})


def saved(folder: Path, sheets: Mapping[str, Iterable[tuple]], name: str = "payments.xlsx") -> str:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    book.save(folder / name)
    return str(folder / name)


def rewritten(path: str, part: str, change: Callable[[bytes], bytes]) -> str:
    """Replace one part of a package."""
    Path(path).write_bytes(with_part(Path(path).read_bytes(), part, change))
    return path


def with_part(content: bytes, part: str, change: Callable[[bytes], bytes]) -> bytes:
    """Return a package with one part changed; one that is not there is made from nothing."""
    changed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(changed, "w", zipfile.ZIP_DEFLATED) as new:
        for name in {*old.namelist(), part}:
            before = old.read(name) if name in old.namelist() else b""
            new.writestr(name, change(before) if name == part else before)
    return changed.getvalue()


def workbook(rows: Iterable[tuple] = (HEADERS, ANA)) -> bytes:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    return bytes_of(book)


def bytes_of(book: openpyxl.Workbook) -> bytes:
    content = io.BytesIO()
    book.save(content)
    return content.getvalue()


def with_sheet(xml: str, content: bytes | None = None) -> bytes:
    """Return a workbook whose only sheet has this XML."""
    return with_part(content or workbook(), SHEET, lambda _: f"<worksheet {MAIN}>{xml}</worksheet>".encode())


def with_shared_texts(texts: str, rows: str, before: str = "") -> bytes:
    """Return a workbook whose cells refer to texts that stand apart, as Excel writes them.

    Args:
        texts: <si> elements.
        rows: <row> elements.
        before: What precedes the root element of the texts.
    """
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/sharedStrings"
    relation = f'<Relationship Id="rId99" Type="{kind}" Target="sharedStrings.xml"/></Relationships>'.encode()
    content = with_sheet(f"<sheetData>{rows}</sheetData>")
    content = with_part(content, SHARED_TEXTS, lambda _: f"{before}<sst {MAIN}>{texts}</sst>".encode())
    return with_part(content, "xl/_rels/workbook.xml.rels", lambda xml: xml.replace(b"</Relationships>", relation))


def identity(content: bytes, name: str = "payments.xlsx") -> FileIdentity:
    return FileIdentity(name, hashlib.sha256(content).hexdigest(), len(content))


@contextmanager
def opened(content: bytes, readers: Readers = READERS, name: str = "payments.xlsx") -> Iterator[OpenedFile]:
    """Open some bytes, as a file of a name, in a process that reads them."""
    with TemporaryFile() as stream, TemporaryFile() as spare:
        stream.write(content)
        stream.flush()
        known = identity(content, name)
        given = FileContent(known, lambda: known, stream, spare, "", lambda: None)
        with opened_in_child(given, readers) as (book, _):
            yield book


def table_of(book: OpenedFile, header_row: int = 1, sheet: int = 0) -> RawTable:
    """Return what stands below a header row of a sheet."""
    view: View = book.views[sheet]
    (head,) = (head for head in view.head if head.row == header_row)
    (table,) = book.blocks(Fit(ANYTHING, view, head, match_headers(head.texts, ANYTHING)))
    return table


def read(content: bytes, readers: Readers = READERS) -> RawTable:
    """Open a workbook, read its first sheet below row 1, and close it."""
    with opened(content, readers) as book:
        return table_of(book)
