"""Text files for tests, opened and read as the reader does, in blocks as small as a test likes."""

import io

from io_adapters.spreadsheets.text.opened_text import OpenedText, open_text
from schemas.layouts.headers import match_headers
from schemas.layouts.layout import Layout
from schemas.layouts.recognise import Fit, find_header
from schemas.raw_table import FileIdentity, RawTable, joined
from schemas.sheet_cells import HeadRow, View

WHOLE = 2**24
PLAIN = Layout(layout="plain", title="Anything", table="payments", columns={"tax_id": ["CPF"]}, required=["tax_id"])


def opened(content: str | bytes, *, block_bytes: int = WHOLE) -> OpenedText:
    """Open a text as a file called p.csv; its messages are in English."""
    data = content if isinstance(content, bytes) else content.encode()
    return open_text(io.BytesIO(data), FileIdentity("p.csv", "", len(data)), block_bytes=block_bytes)


def fit_of(file: OpenedText, layout: Layout = PLAIN) -> Fit:
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
