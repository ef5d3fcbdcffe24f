"""What a cell of an OpenDocument sheet holds, from the attributes of its element and the text that it shows."""

import datetime as dt
import math
import re
from collections.abc import Mapping
from typing import Final

from io_adapters.spreadsheets.workbook.sheets import CellValue, ExactCell
from io_adapters.spreadsheets.workbook.xls_numbers import percentage
from schemas.sheet_cells import CellKind

# Names as the XML parser hands them on, with the namespace spelt out: prefixes are the writer's choice.
OFFICE: Final = "urn:oasis:names:tc:opendocument:xmlns:office:1.0 "
TABLE: Final = "urn:oasis:names:tc:opendocument:xmlns:table:1.0 "
FORMULA: Final = TABLE + "formula"
_TYPE: Final = OFFICE + "value-type"
_VALUE: Final = OFFICE + "value"
_STRING: Final = OFFICE + "string-value"
_DATE: Final = OFFICE + "date-value"
_TIME: Final = OFFICE + "time-value"
_BOOLEAN: Final = OFFICE + "boolean-value"
_LIBREOFFICE_TYPE: Final = "urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0 value-type"

# Only looked for where a formula stands; in any language, and with the numbers of errors that Excel does not have.
_ERROR: Final = re.compile(r"#[\w/ÚÑ]{1,10}[!?]|#N/\w{1,5}|Erro?:\d{3}")
_DURATION: Final = re.compile(
    r"P(?:(\d{1,7})D)?T?(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9}(?:[.,]\d{1,9})?)S)?", re.ASCII
)
_QUOTED: Final = re.compile(r'"[^"]*"')
# A double holds every whole number of as many digits.
_PRECISE_DIGITS: Final = 15
_ONE_DAY: Final = dt.timedelta(days=1)
_MIDNIGHT: Final = dt.datetime.fromisoformat("1899-12-30")


def cell_value(attributes: Mapping[str, str], text: str | None) -> CellValue:
    """Return what a cell holds.

    Args:
        attributes: Of its element.
        text: What it shows, paragraphs joined by line breaks; None when it shows none, not even an empty one.

    Raises:
        ValueError, KeyError: its value is none of its type.
    """
    formula = attributes.get(FORMULA)
    if formula is not None:
        if attributes.get(_LIBREOFFICE_TYPE) == "error" or (text and _ERROR.fullmatch(text)):
            return ExactCell(text or "#ERROR!", CellKind.ERROR)
        if _has_no_value(attributes, text):
            return ExactCell("", CellKind.FORMULA_WITHOUT_VALUE)
        # LibreOffice writes 1 and shows TRUE, in whatever language; nobody is owed 1.00 for that.
        if text and text.isalpha() and attributes.get(_VALUE) in {"0", "1"}:
            return attributes[_VALUE] == "1"
    return _typed(attributes.get(_TYPE), attributes, text or "")


def is_external(formula: str) -> bool:
    r"""Tell whether a formula takes its value from another document, whose address stands before a #.

    >>> is_external("of:=['file:///home/ana/taxas.ods'#$Taxas.A1]"), is_external('of:=[.A1]&"a\'#b"')
    (True, False)
    """
    return "'#" in _QUOTED.sub("", formula)


def _has_no_value(attributes: Mapping[str, str], text: str | None) -> bool:
    # A formula that gives an empty text has an empty paragraph, or a type.
    kind = attributes.get(_TYPE)
    if kind is None:
        return text is None
    return kind in {"float", "currency", "percentage"} and _VALUE not in attributes


def _typed(kind: str | None, attributes: Mapping[str, str], text: str) -> CellValue:
    if kind in {"float", "currency"}:
        return _number(attributes[_VALUE])
    if kind == "percentage":
        number = _number(attributes[_VALUE])
        return number if isinstance(number, ExactCell) else percentage(number)
    if kind == "date":
        return _moment(attributes[_DATE])
    if kind == "time":
        return _duration(attributes[_TIME])
    if kind == "boolean":
        return attributes[_BOOLEAN] == "true"
    return attributes.get(_STRING, text)


def _number(written: str) -> float | ExactCell:
    # Python reads more than XML allows: 1_000, and digits of every script.
    if "_" in written or not written.isascii():
        raise ValueError("not a number")
    number = float(written)
    if not math.isfinite(number):
        return ExactCell("#NUM!", CellKind.ERROR)
    if len(written) > _PRECISE_DIGITS and written.isdigit():  # an identifier is worth each of its digits
        return ExactCell(str(int(written)), CellKind.NUMBER)
    return number


def _moment(written: str) -> dt.date | str:
    """A date, with its time of day if it has one; as written, when no calendar has it."""
    try:
        if len(written) == 10:
            return dt.date.fromisoformat(written)
        return dt.datetime.fromisoformat(written).replace(tzinfo=None)
    except ValueError:
        return written


def _duration(written: str) -> dt.time | dt.timedelta | str:
    """A time of day, or a duration of a day and more; as written, when it is neither."""
    match = _DURATION.fullmatch(written)
    if match is None:
        return written
    days, hours, minutes = (int(part or 0) for part in match.groups()[:3])
    seconds = float((match[4] or "0").replace(",", "."))
    duration = dt.timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds)
    return (_MIDNIGHT + duration).time() if duration < _ONE_DAY else duration
