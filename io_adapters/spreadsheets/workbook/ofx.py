"""Bank statements in OFX, of both editions (SGML, without ends of fields, and XML), as a workbook of two sheets."""

import html
import re
from collections.abc import Iterator
from typing import Final

from io_adapters.spreadsheets.workbook.markup import MarkupWorkbook
from io_adapters.spreadsheets.workbook.sheets import CellValue, SheetName

# Fields of a line, and of the statement as a whole, in the words of the OFX specification.
LINE_FIELDS: Final = ("DTPOSTED", "TRNAMT", "FITID", "MEMO", "NAME", "CHECKNUM", "TRNTYPE")
STATEMENT_FIELDS: Final = ("ORG", "BANKID", "ACCTID", "CURDEF", "DTSTART", "DTEND", "BALAMT", "DTASOF")
_TAG: Final = re.compile(r"<(/?)([A-Za-z0-9.]+)>([^<]*)")
_DAYS: Final = frozenset({"DTPOSTED", "DTSTART", "DTEND", "DTASOF"})
_DAY: Final = re.compile(r"(\d{4})(\d{2})(\d{2})")


def open_ofx(content: bytes) -> MarkupWorkbook:
    """Open a bank statement: a sheet of its lines, a row each, and one of what it says of each account.

    Days are written as ISO, whatever hour and zone stand behind them; all else stands as the bank wrote it. Of two
    balances the one of the books counts, not the one that is available.
    """
    text = _text(content)
    lines: list[list[CellValue]] = [list(LINE_FIELDS)]
    wholes, line = [dict[str, str]()], dict[str, str]()
    within, balance = False, ""
    for ends, tag, value in _fields(text):
        if tag in {"LEDGERBAL", "AVAILBAL"}:
            balance = "" if ends else tag
        elif tag == "STMTTRN":
            if line:
                lines.append([line.get(name, "") for name in LINE_FIELDS])
            line, within = {}, not ends
        elif not ends and value:
            if within and tag in LINE_FIELDS:
                line.setdefault(tag, value)
            elif not within and balance != "AVAILBAL" and tag in STATEMENT_FIELDS:
                if tag == "ACCTID" and wholes[-1].get(tag, value) != value:
                    wholes.append({})
                wholes[-1].setdefault(tag, value)
    if line:
        lines.append([line.get(name, "") for name in LINE_FIELDS])
    of_whole: list[list[CellValue]] = [list(STATEMENT_FIELDS)]
    of_whole += [[whole.get(name, "") for name in STATEMENT_FIELDS] for whole in wholes]
    return MarkupWorkbook([(SheetName("OFX", visible=True), lines), (SheetName("OFX conta", visible=True), of_whole)])


def _fields(text: str) -> Iterator[tuple[bool, str, str]]:
    """Yield tags: whether one ends, its name, and what stands behind it."""
    for found in _TAG.finditer(text):
        tag, value = found[2].upper(), html.unescape(found[3]).strip()
        day = _DAY.match(value) if tag in _DAYS else None
        yield bool(found[1]), tag, f"{day[1]}-{day[2]}-{day[3]}" if day else value


def _text(content: bytes) -> str:
    """Decode a statement: its header seldom says truly how it is written, so what is no UTF-8 is Windows' Latin-1."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", "replace")
