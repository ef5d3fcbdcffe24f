"""What a file is, by its first bytes; a name says only what someone hoped."""

import io
import zipfile
from enum import StrEnum
from pathlib import PurePosixPath
from typing import Final

_OLE: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_TEXT_BOMS: Final = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
_HTML: Final = (b"<!doctype html", b"<html", b"<head", b"<body", b"<table", b"<meta")


class FileKind(StrEnum):
    """The kinds of file that are told apart; only XLSX and TEXT are read."""

    XLSX = "xlsx"
    TEXT = "text"
    XLS = "xls"
    ENCRYPTED = "encrypted"
    OLE = "ole"
    XLSB = "xlsb"
    ODS = "ods"
    ZIP = "zip"
    PDF = "pdf"
    HTML = "html"
    XML = "xml"
    IMAGE = "image"
    BINARY = "binary"


_MARKS: Final = {
    FileKind.PDF: (b"%PDF",),
    FileKind.IMAGE: (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"II*\0", b"MM\0*"),
}

_BY_SUFFIX: Final = {
    ".xlsx": FileKind.XLSX,
    ".xlsm": FileKind.XLSX,
    ".csv": FileKind.TEXT,
    ".tsv": FileKind.TEXT,
    ".txt": FileKind.TEXT,
}


def kind_by_name(name: str) -> FileKind | None:
    """Return what a name promises; None for a name that promises nothing.

    >>> kind_by_name("royalties.tsv.gz")
    <FileKind.TEXT: 'text'>
    """
    return _BY_SUFFIX.get(PurePosixPath(name.lower().removesuffix(".gz")).suffix)


def kind_of(content: bytes) -> FileKind:
    """Return what the bytes are.

    Raises:
        zipfile.BadZipFile: they begin like a ZIP archive and are none.
    """
    if content.startswith(b"PK\x03\x04"):
        return _zip_kind(content)
    if content.startswith(_OLE):
        return _ole_kind(content)
    if content.startswith(_TEXT_BOMS[1:]):
        return FileKind.TEXT
    for kind, marks in _MARKS.items():
        if content.startswith(marks):
            return kind
    return FileKind.BINARY if b"\0" in content[:65536] else _text_kind(content[:1024])


def _text_kind(start: bytes) -> FileKind:
    start = start.removeprefix(_TEXT_BOMS[0]).lstrip().lower()
    if start.startswith(_HTML) or (start.startswith(b"<?xml") and b"<html" in start):
        return FileKind.HTML
    return FileKind.XML if start.startswith(b"<?xml") else FileKind.TEXT


def _zip_kind(content: bytes) -> FileKind:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        names = set(archive.namelist())
        if "xl/workbook.bin" in names:
            return FileKind.XLSB
        if "[Content_Types].xml" in names and any(name.startswith("xl/") for name in names):
            return FileKind.XLSX
        if "mimetype" in names and b"opendocument.spreadsheet" in archive.read("mimetype"):
            return FileKind.ODS
    return FileKind.ZIP


def _ole_kind(content: bytes) -> FileKind:
    # An OLE directory names its streams in UTF-16; a locked .xlsx is an OLE file around an encrypted package.
    if "EncryptedPackage".encode("utf-16-le") in content:
        return FileKind.ENCRYPTED
    if "Workbook".encode("utf-16-le") in content or "Book".encode("utf-16-le") in content:
        return FileKind.XLS
    return FileKind.OLE
