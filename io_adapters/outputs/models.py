"""Model sheets to fill in: payments, payees, shares and advances, with lists to choose from and notes."""

from typing import Final

from io_adapters.outputs.workbook import HEADER, Book, Cell, Setup
from schemas.messages import catalogue_in
from schemas.readers import for_people
from schemas.states import Tone
from schemas.tables.royalties import CONDITIONS

_PAYEE: Final = (
    *("name", "tax_id", "email", "pix_key", "pix_key_type", "bank_code", "psp_id", "agency", "account"),
    *("account_type", "account_holder"),
)
MODELS: Final = {
    "payments": ("name", "tax_id", "amount", *_PAYEE[2:], "reference"),
    "payees": (*_PAYEE, "artist_name", "minimum", "frequency", "language", "hold", "hold_until", "recoup_from"),
    "shares": (
        *("isrc", "upc", "release", "artist", "tax_id", "role", "share", "base", "valid_from", "valid_to"),
        *("contract", *CONDITIONS, "tier_from", "tier_to", "cap", "reserve", "given_back"),
    ),
    "costs": (
        *("order", "cost", "part", "fixed_amount", "cap", "cost_date", "isrc", "upc", "release", "artist"),
        *(*CONDITIONS, "payee"),
    ),
    "advances": (
        *("tax_id", "amount", "date", "reference", "isrc", "contract", "release", "artist", "recoup", "advance_kind"),
    ),
}
_NEEDED: Final = frozenset({"name", "tax_id", "amount", "share"})
# Whatever is typed there stays text, so that no zero before it is lost.
_TEXTS: Final = frozenset({"tax_id", "pix_key", "bank_code", "psp_id", "agency", "account", "isrc", "upc", "reference"})
_CHOICES: Final = {
    "pix_key_type": True,
    "account_type": True,
    "role": False,
    **dict.fromkeys(("frequency", "language", "hold", "recoup_from"), True),
}  # whether nothing else may be written
_WIDTHS: Final = {"name": 34, "email": 30, "pix_key": 38, "release": 28, "artist": 28, "account_holder": 34}
_NEEDED_HEADER: Final = HEADER._replace(tone=Tone.WAITING)


def model_file(table: str, language: str) -> str:
    return catalogue_in(language)(f"model.file.{table}") + ".xlsx"


@for_people()
def model_xlsx(table: str, language: str) -> bytes:
    """Write the model of a table: one header row with notes, no other row."""
    labels = catalogue_in(language)
    columns = MODELS[table]
    book = Book()
    texts = frozenset(at for at, column in enumerate(columns, start=1) if column in _TEXTS)
    widths = [_WIDTHS.get(column, 18) for column in columns]
    page = book.page(Setup(labels(f"model.sheet.{table}"), widths, 1, texts))
    page.append(
        Cell(
            labels(f"model.column.{column}"),
            _NEEDED_HEADER if column in _NEEDED else HEADER,
            labels(f"model.note.{column}"),
        )
        for column in columns
    )
    for at, column in enumerate(columns):
        if column in _CHOICES:
            page.offer(at, labels(f"model.choices.{column}").split(", "), nothing_else=_CHOICES[column])
    return book.to_bytes()
