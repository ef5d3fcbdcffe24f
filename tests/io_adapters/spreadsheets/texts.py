"""Text files for tests, opened and read as the reader does, in blocks as small as a test likes."""

import io
from collections.abc import Iterator
from typing import BinaryIO

from io_adapters.spreadsheets import limits
from io_adapters.spreadsheets.text.opened_text import open_text
from io_adapters.spreadsheets.texts import raw_tables
from schemas.layouts.headers import match_headers
from schemas.layouts.layout import Layout
from schemas.layouts.recognise import Fit, find_header
from schemas.raw_table import FileIdentity, RawTable, joined
from schemas.sheet_cells import HeadRow, View

WHOLE = 2**24
PLAIN = Layout(layout="plain", title="Anything", table="payments", columns={"tax_id": ["CPF"]}, required=["tax_id"])


class InThisProcess:
    """A text as `TextFile` shows it, read in this process in blocks of any size."""

    def __init__(self, stream: BinaryIO, block_bytes: int = limits.TEXT_BLOCK_BYTES) -> None:
        self._text = open_text(stream, "p.csv", block_bytes=block_bytes)
        self._identity = FileIdentity("p.csv", "", stream.seek(0, io.SEEK_END))
        self.views, self.decisions = self._text.views, self._text.decisions

    def blocks(self, fit: Fit) -> Iterator[RawTable]:
        table = self._text.table(fit.view.delimiter or ",", fit.header, quotes=fit.layout.quotes)
        return raw_tables(table, self._identity)


def opened(content: str | bytes, *, block_bytes: int = WHOLE) -> InThisProcess:
    """Open a text as a file called p.csv; its messages are in English."""
    return InThisProcess(io.BytesIO(content if isinstance(content, bytes) else content.encode()), block_bytes)


def fit_of(file: InThisProcess, layout: Layout = PLAIN) -> Fit:
    """Return where a layout's header is, under the delimiter that gives the most fields."""
    fits = [fit for view in file.views if (fit := find_header(view, layout))]
    return max(fits, key=lambda fit: len(fit.header.texts))


def read(content: str | bytes, layout: Layout = PLAIN, *, block_bytes: int = WHOLE) -> RawTable:
    """Read a whole text."""
    file = opened(content, block_bytes=block_bytes)
    return joined(list(file.blocks(fit_of(file, layout))))


def below_first_line(content: bytes, headers: tuple[str, ...], delimiter: str, *, block_bytes: int) -> RawTable:
    """Read what is below a header in the first line, without looking for it."""
    view = View(None, delimiter, visible=True, head=(HeadRow(1, headers),))
    fit = Fit(PLAIN, view, view.head[0], match_headers(headers, PLAIN))
    return joined(list(opened(content, block_bytes=block_bytes).blocks(fit)))
