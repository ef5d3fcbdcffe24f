"""The kinds of files: what their bytes say, and what their names promise."""

import zipfile
from enum import StrEnum
from pathlib import PurePosixPath
from typing import BinaryIO, Final

from io_adapters.spreadsheets.text.encodings import utf_16_without_a_mark

ZIP: Final = b"PK\x03\x04"
_OLE: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_UTF8_BOM: Final = b"\xef\xbb\xbf"
_UTF16_BOMS: Final = (b"\xff\xfe", b"\xfe\xff")
_HTML: Final = (b"<!doctype html", b"<html", b"<head", b"<body", b"<table", b"<meta")
_XML_SHEET: Final = b"urn:schemas-microsoft-com:office:spreadsheet"
_START_BYTES: Final = 2**16
# The names of an OLE file's streams stand somewhere in it; its first megabytes would do for most.
_OLE_BYTES: Final = 256 * 2**20


class FileKind(StrEnum):
    """The kinds of file that are told apart; workbooks and text are read."""

    XLSX = "xlsx"
    XLS = "xls"
    XLSB = "xlsb"
    ODS = "ods"
    HTML_TABLE = "html_table"
    XML_SHEET = "xml_sheet"
    OFX = "ofx"
    TEXT = "text"
    ENCRYPTED = "encrypted"
    OLE = "ole"
    ZIP = "zip"
    PDF = "pdf"
    HTML = "html"
    XML = "xml"
    IMAGE = "image"
    BINARY = "binary"


WORKBOOKS: Final = frozenset(
    {
        *(FileKind.XLSX, FileKind.XLS, FileKind.XLSB, FileKind.ODS),
        *(FileKind.HTML_TABLE, FileKind.XML_SHEET, FileKind.OFX),
    }
)

_MARKS: Final = {
    FileKind.PDF: (b"%PDF",),
    FileKind.IMAGE: (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"II*\0", b"MM\0*"),
}

_BY_SUFFIX: Final = {
    ".xlsx": FileKind.XLSX,
    ".xlsm": FileKind.XLSX,
    ".xls": FileKind.XLS,
    ".xlsb": FileKind.XLSB,
    ".ods": FileKind.ODS,
    ".csv": FileKind.TEXT,
    ".tsv": FileKind.TEXT,
    ".txt": FileKind.TEXT,
    ".ofx": FileKind.OFX,
}


def kind_by_name(name: str) -> FileKind | None:
    """Return what a name promises; None for a name that promises nothing.

    >>> kind_by_name("royalties.TSV")
    <FileKind.TEXT: 'text'>
    """
    return _BY_SUFFIX.get(PurePosixPath(name.lower()).suffix)


def is_sheet_by_name(name: str) -> bool:
    """Say whether a name promises a spreadsheet, or an archive of some.

    >>> is_sheet_by_name("payments.xlsx"), is_sheet_by_name("june.csv.gz"), is_sheet_by_name("job.yaml")
    (True, True, False)
    """
    return kind_by_name(name) is not None or name.lower().endswith((".gz", ".zip"))


def kind_of(stream: BinaryIO) -> FileKind:
    """Return what a seekable stream holds, and leave it at its start.

    Raises:
        zipfile.BadZipFile, ValueError: it begins like a ZIP archive and is none.
    """
    start = stream.read(_START_BYTES)
    try:
        if start.startswith(ZIP):
            return _zip_kind(stream)
        if start.startswith(_OLE):
            return _ole_kind(start + stream.read(_OLE_BYTES))
    finally:
        stream.seek(0)
    if start.startswith(_UTF16_BOMS):
        return FileKind.TEXT
    for kind, marks in _MARKS.items():
        if start.startswith(marks):
            return kind
    if b"\0" in start:
        return FileKind.TEXT if utf_16_without_a_mark(start) else FileKind.BINARY
    return _text_kind(start)


def _text_kind(start: bytes) -> FileKind:
    start = start.removeprefix(_UTF8_BOM).lstrip().lower()
    if start.startswith((b"ofxheader", b"<ofx>")) or b"<?ofx " in start[:256]:
        return FileKind.OFX
    is_xml = start.startswith(b"<?xml")
    if start.startswith(_HTML) or (is_xml and b"<html" in start[:1024]):
        return FileKind.HTML_TABLE if b"<table" in start else FileKind.HTML
    if is_xml and _XML_SHEET in start[:4096]:
        return FileKind.XML_SHEET
    return FileKind.XML if is_xml else FileKind.TEXT


def _zip_kind(stream: BinaryIO) -> FileKind:
    with zipfile.ZipFile(stream) as archive:
        names = set(archive.namelist())
        if "xl/workbook.bin" in names:
            return FileKind.XLSB
        if "[Content_Types].xml" in names and any(name.startswith("xl/") for name in names):
            return FileKind.XLSX
        if "mimetype" in names and archive.getinfo("mimetype").file_size < _START_BYTES:
            is_sheet = b"opendocument.spreadsheet" in archive.read("mimetype")
            return FileKind.ODS if is_sheet else FileKind.ZIP
    return FileKind.ZIP


def _ole_kind(content: bytes) -> FileKind:
    # An OLE directory names its streams in UTF-16; a locked .xlsx is an OLE file around an encrypted package.
    if "EncryptedPackage".encode("utf-16-le") in content:
        return FileKind.ENCRYPTED
    if "Workbook".encode("utf-16-le") in content or "Book".encode("utf-16-le") in content:
        return FileKind.XLS
    return FileKind.OLE
