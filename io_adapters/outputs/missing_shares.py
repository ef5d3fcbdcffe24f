"""missing-shares.xlsx: the rows that the table of shares lacks, for a person to fill in and hand back."""

from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Final

from io_adapters.outputs.atomic import replace_atomically
from io_adapters.outputs.labels import Labels
from io_adapters.outputs.tables import Column, write_headers
from io_adapters.outputs.workbook import GENERAL, MONEY, PLAIN, TEXT, TITLE, WHOLE, Book, Ink, Page, Setup, Tone
from schemas.missing_share import MissingShare, MissingShares

# In the order of the table of shares; what comes after the share, and the title, that table leaves alone.
_COLUMNS: Final = (
    ("isrc", 16, GENERAL),
    ("upc", 16, GENERAL),
    ("release", 28, GENERAL),
    ("artist", 28, GENERAL),
    ("title", 32, GENERAL),
    ("tax_id", 20, GENERAL),
    ("role", 18, GENERAL),
    ("share", 15, GENERAL),
    ("periods", 27, GENERAL),
    ("lines", 25, WHOLE),
    ("amount", 25, MONEY),
)
# Columns (from 1) in which a leading zero must survive whatever a person types.
_TEXTS: Final = frozenset({1, 2, 6})
_PERIODS_NAMED: Final = 2
_TO_FILL_IN: Final = Ink(tone=Tone.WAITING)
_STEPS: Final = ("fill_in", "several", "delete", "hand_in", "shares_key", "holds_for")


def write_missing_shares(missing: MissingShares, path: Path, language: str) -> Path | None:
    """Write the list: a sheet in the layout of shares, payee and share left to fill in, and a sheet on how to use it.

    Args:
        missing: What no share covers.
        path: Where it should be; its folder is made when missing.
        language: "pt-BR" or "en"; the headers are those the layout has in it.

    Returns:
        Where it is, as `atomic.replace_atomically` says; None, and no file, when nothing is missing.

    Raises:
        OSError: the folder cannot be written.
    """
    return replace_atomically(path, missing_shares_xlsx(missing, language)) if missing else None


def missing_shares_xlsx(missing: MissingShares, language: str) -> bytes:
    """Write the workbook's bytes."""
    labels = Labels(language)
    book = Book()
    if missing.named:
        _write_rows(book, missing, labels)
    _write_how_to(book, missing, labels)
    return book.to_bytes()


def _write_rows(book: Book, missing: MissingShares, labels: Labels) -> None:
    columns = [Column(labels(f"missing.{name}"), width, form) for name, width, form in _COLUMNS]
    page = book.page(Setup(labels("sheet.missing_shares"), [column.width for column in columns], 1, _TEXTS))
    write_headers(page, columns)
    for one in missing.named:
        _write_row(page, one)
    page.filter(1, len(columns))


def _write_row(page: Page, one: MissingShare) -> None:
    names = [page.cell(text, Ink(TEXT) if text else PLAIN) for text in (one.isrc, one.upc)]
    words = [page.cell(text) for text in (one.release, one.artist, one.title)]
    to_fill_in = [page.cell(None, _TO_FILL_IN._replace(number_format=form)) for form in (TEXT, GENERAL, GENERAL)]
    about = [page.cell(_periods(one)), page.cell(one.lines, Ink(WHOLE)), page.cell(_shown(one.amount), Ink(MONEY))]
    page.append([*names, *words, *to_fill_in, *about])


def _write_how_to(book: Book, missing: MissingShares, labels: Labels) -> None:
    page = book.page(Setup(labels("sheet.how_to"), [110]))
    page.write(labels("sheet.how_to"), ink=TITLE)
    if missing.named:
        for step in _STEPS:
            page.write(labels(f"missing.{step}"))
        page.write(labels("missing.amounts").format(currency=missing.currency))
    if not missing.nameless:
        return
    page.append()
    page.write(labels("missing.nameless"), ink=_TO_FILL_IN)
    for one in missing.nameless:
        amount = "" if one.amount is None else f"{missing.currency} {_shown(one.amount)}"
        page.write("; ".join(filter(None, (one.title, _periods(one), f"{labels('lines')}: {one.lines}", amount))))


def _periods(one: MissingShare) -> str:
    """Name one or two periods; of more, the first and the last."""
    named = [period for period in one.periods if period]
    return ", ".join(named) if len(named) <= _PERIODS_NAMED else f"{named[0]} … {named[-1]}"


def _shown(amount: Decimal | None) -> Decimal | None:
    """Round to centavos, half to even, for the eye: who is owed what is never computed from this list."""
    return None if amount is None else Decimal(round(Fraction(amount) * 100)).scaleb(-2)
