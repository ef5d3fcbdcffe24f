"""Reading a table: bytes -> RawTable, whatever the file is called."""

import zipfile

from io_adapters.spreadsheets.delimited import read_delimited
from io_adapters.spreadsheets.files import is_gzip, read_bytes, unpack
from io_adapters.spreadsheets.refusals import Place, refusal
from io_adapters.spreadsheets.signatures import FileKind, kind_by_name, kind_of
from io_adapters.spreadsheets.words import say
from io_adapters.spreadsheets.workbooks import read_workbook
from schemas.issues import IssueCode
from schemas.layouts.layout import Layout
from schemas.raw_table import RawTable


def read_table(path: str, layout: Layout, *, language: str = "pt-BR") -> RawTable:
    """Read one file as a layout means it, every cell as text.

    Reads .xlsx and delimited text (.csv, .tsv, .txt), also packed with gzip. What a file is, its bytes say; when they
    contradict the name, it is refused rather than guessed at.

    Args:
        path: Local path or fsspec URL.
        layout: Says which sheet, where the header is, which columns are required. Missing columns are not an error
            here: the parser reports them, as it does the cells.
        language: Of decisions and messages, "pt-BR" or "en".

    Raises:
        UnreadableFile: with one issue: FILE_MISSING, FILE_EMPTY, FILE_TYPE, FILE_CORRUPT, FILE_ENCODING, FILE_NO_ROWS,
            SHEET_MISSING or SHEET_AMBIGUOUS.
    """
    identity, content = read_bytes(path, language)
    place = Place(identity.name, language)
    if is_gzip(content):
        content = unpack(content, place)
    kind = _agreed_kind(content, place)
    read = read_workbook if kind is FileKind.XLSX else read_delimited
    return read(identity, content, layout, language)


def _agreed_kind(content: bytes, place: Place) -> FileKind:
    """Return XLSX or TEXT; refuse what is neither, or not what the name says."""
    try:
        found = kind_of(content)
    except zipfile.BadZipFile as error:
        raise refusal(IssueCode.FILE_CORRUPT, place, "corrupt", reason=str(error)) from error
    promised = kind_by_name(place.file)
    readable = found in (FileKind.XLSX, FileKind.TEXT)
    if not readable or promised not in (None, found):
        expected = say(f"kind_{promised or FileKind.XLSX}", place.language)
        raise refusal(IssueCode.FILE_TYPE, place, "type", found=say(f"kind_{found}", place.language), expected=expected)
    return found
