"""Reading a statement of the bank: OFX, or a sheet whose headers a layout knows."""

import datetime as dt
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import numpy as np

from flows.bank.rules.balances import follow
from io_adapters.spreadsheets.declarations import bank_layouts, read_layout
from io_adapters.spreadsheets.reading import SpreadsheetFile, open_file
from schemas.bank import BankStatement, lines_of
from schemas.errors import UnreadableFile
from schemas.issues import Issue, IssueCode, make_issue
from schemas.layouts.headers import HeaderMatch, match_headers
from schemas.layouts.layout import Layout, fold
from schemas.messages import Message, Said
from schemas.parsing.amounts import line_amounts
from schemas.parsing.cells import Cells
from schemas.parsing.dates import dates
from schemas.plan import HOME_CURRENCY
from schemas.raw_table import RawTable, column_letter
from schemas.values.masking import mask_value


def read_statement(path: Path, account: str, layout: str = "") -> BankStatement:
    """Read all lines of a statement.

    Args:
        account: As people call it; "" takes the number that the statement says.
        layout: Path of a layout of the house; "" knows the statement by its headers.

    Raises:
        UnreadableFile: it is no statement that can be read, or cells of it cannot be: all of them are named.
        ConfigurationError: the layout cannot be read.
    """
    with open_file(str(path)) as file:
        layouts = [read_layout(layout, Path.cwd())] if layout else list(bank_layouts())
        known = file.recognise(layouts) if layout else _recognised(file, layouts)
        (table,) = file.tables(known)
        whole = _whole(file) if known.layout == "ofx" else {}
    if (currency := whole.get("CURDEF", "").upper()) not in {"", HOME_CURRENCY}:
        raise UnreadableFile(Message("bank.currency", file=path.name, currency=currency))
    name = account or whole.get("ACCTID", "")
    if not name:
        raise UnreadableFile(Message("bank.no_account", file=path.name))
    rows, numbers, balances = _rows_of(table, known)
    days, cents, _ = list(zip(*rows, strict=True)) or ((), (), ())
    first, last, as_of = (_day(whole.get(name)) for name in ("DTSTART", "DTEND", "DTASOF"))
    if not rows and not (first and last):
        raise UnreadableFile(Message("bank.no_lines", file=path.name))
    first, last = min(filter(None, [*days, first])), max(filter(None, [*days, last]))
    found = follow(days, cents, [balance for _, balance in balances])
    opening_cents, closing_cents, _ = found
    if (total := whole.get("BALAMT")) and (as_of is None or as_of <= last):  # else lines after it are in the balance
        closing_cents = int(Decimal(total.replace(",", ".")) * 100)
        opening_cents = closing_cents - sum(cents)
    return BankStatement(
        account=name,
        sha256=table.file.sha256,
        first=first,
        last=last,
        opening_cents=opening_cents,
        closing_cents=closing_cents,
        lines=lines_of(name, rows, numbers),
        breaks=tuple((_place(table, known, balances[at][0]), off_cents) for at, off_cents in found.breaks),
    )


def _recognised(file: SpreadsheetFile, layouts: list[Layout]) -> Layout:
    """Return the layout whose required columns stand in a row of the file; the first of them."""
    for layout in layouts:
        for view in file.views:
            if any(
                _has_all(layout, head.texts) for head in view.head if not layout.sheets or view.sheet in layout.sheets
            ):
                return layout
    raise UnreadableFile(Message("bank.no_headers", file=file.name))


def _has_all(layout: Layout, texts: tuple[str, ...]) -> bool:
    found = match_headers(texts, layout).claimed
    return found.issuperset(layout.required) and bool(found & {"amount", "credit", "debit"})


def _whole(file: SpreadsheetFile) -> dict[str, str]:
    """Return what an OFX statement says of itself, by the names of its fields.

    Raises:
        UnreadableFile: it says several accounts.
    """
    heads = next((view.head for view in file.views if view.sheet == "OFX conta"), ())
    names, *rows = [head.texts for head in heads]
    if len(rows) > 1:
        raise UnreadableFile(Message("bank.accounts", file=file.name, count=len(rows)))
    return dict(zip(names, rows[0], strict=False)) if rows else {}


Row = tuple[dt.date, int, str]


def _rows_of(table: RawTable, layout: Layout) -> tuple[list[Row], list[str], list[tuple[int, int | None]]]:
    """Return day, centavos and text of each line, its number, and the balance behind it, as far as there are any.

    Of a balance its row in the table is told as well.

    Raises:
        UnreadableFile: cells that cannot be read, all of them; two columns say the day, or the same money.
    """
    match = _matched(table, layout)
    positions = match.positions
    is_total = _totals(table, layout)
    columns, issues = dict[str, list[Any]](), list[Issue]()
    for name in ("date", "amount", "credit", "debit", "balance"):
        if name in positions:
            columns[name], wrong = _column(table, positions[name], name, layout)
            issues += [issue for at, issue in wrong if not is_total[at]]
    words, own_numbers = _joined(table, match, "text", "more"), _joined(table, match, "number")
    rows, numbers, balances = list[Row](), list[str](), list[tuple[int, int | None]]()
    amounts = [None if is_total[at] else _signed(columns, at) for at in range(len(table.cells))]
    told = (_sides(table, position, amounts) for position in _all_of(match, "side"))
    sides = next((sides for sides in told if sides is not None), None)
    for at, cents in enumerate(amounts):
        day = columns["date"][at]
        if not cents:
            continue
        if not day:  # of one that cannot be read, its cell tells already
            if not str(table.cells[positions["date"]].iloc[at]).strip():
                issues.append(_issue(table, positions["date"], "date", at, IssueCode.DATE_FORMAT, {}))
            continue
        rows.append((dt.date.fromisoformat(str(day)), abs(cents) * sides[at] if sides else cents, words[at]))
        numbers.append(own_numbers[at])
        balances.append((at, _cents(columns["balance"][at]) if "balance" in columns else None))
    if issues:
        raise UnreadableFile(Message("bank.cells", file=table.file.name, count=len(issues)), issues=tuple(issues))
    return rows, numbers, balances


def _matched(table: RawTable, layout: Layout) -> HeaderMatch:
    match = match_headers(table.headers, layout)
    for name in ("date", "amount", "credit", "debit"):
        if name in match.duplicates:
            headers = ", ".join(table.header_at(position) for position in match.duplicates[name])
            raise UnreadableFile(Message("bank.twice", file=table.file.name, headers=headers))
    return match


def _joined(table: RawTable, match: HeaderMatch, *names: str) -> list[str]:
    """Return what stands under some headers of each row as one text: banks spread a line's words over several."""
    positions = [position for name in names for position in _all_of(match, name)]
    columns = [[str(text).strip() for text in table.cells[position]] for position in positions]
    return [" ".join(filter(None, parts)) for parts in zip([""] * len(table.cells), *columns, strict=True)]


def _all_of(match: HeaderMatch, name: str) -> tuple[int, ...]:
    return (match.positions[name],) if name in match.positions else match.duplicates.get(name, ())


def _sides(table: RawTable, position: int, amounts: Sequence[int | None]) -> list[int] | None:
    """Return -1 for each debit and 1 for each credit; None where the column tells something else.

    Raises:
        UnreadableFile: it tells them of some lines, and of others not, or calls a credit what has a minus.
    """
    told = [_SIDES.get(fold(str(text))) for text in table.cells[position]]
    if not any(told):
        return None
    untold = [
        at for at, side in enumerate(told) if (amounts[at] and side is None) or (side == 1 and (amounts[at] or 0) < 0)
    ]
    if untold:
        cells = ", ".join(f"{column_letter(position)}{table.cells.index[at]}" for at in untold[:_MOST_CELLS])
        raise UnreadableFile(Message("bank.sides", file=table.file.name, count=len(untold), cells=Said(cells)))
    return [side or 1 for side in told]


_SIDES: Final = {
    **dict.fromkeys(("d", "deb", "debito", "saida", "-", "debit"), -1),
    **dict.fromkeys(("c", "cred", "credito", "entrada", "+", "credit"), 1),
}
_MOST_CELLS: Final = 20
# A mark of debit or credit behind an amount, as banks write it: `30,00 D`, `30,00-`.
_MARKED: Final = re.compile(r"(-?)(.*[0-9])\s*([DdCc+-])\s*")


def _marked_before(text: str) -> str:
    """Return an amount with its sign before it; one with a minus that is marked as a credit stays as it is, unread.

    >>> _marked_before("1.030,00 D"), _marked_before("-3,00-"), _marked_before("-R$ 3,00"), _marked_before("3,00C")
    ('-1.030,00', '-3,00', '-R$ 3,00', '3,00')
    """
    found = _MARKED.fullmatch(text)
    is_debit = found is not None and found[3] in "Dd-"
    if found is None or (found[1] and not is_debit):
        return text
    return ("-" if is_debit else "") + found[2].strip()


def _column(table: RawTable, position: int, name: str, layout: Layout) -> tuple[list[Any], list[tuple[int, Issue]]]:
    is_day = name == "date"
    texts = table.cells[position] if is_day else table.cells[position].map(_marked_before)
    cells = Cells(name, texts, np.asarray(table.kinds_of(position), dtype=np.int8))
    reading = cells.read(
        lambda distinct: dates(distinct, layout.dates) if is_day else line_amounts(distinct, layout.decimal),
        absent=None,
        required=None,
    )
    values = list(reading.canonical)
    wrong = [(found.position, found.code, found.facts) for found in reading.findings if values[found.position] is None]
    fractions = (at for at, value in enumerate(values) if not is_day and value and (value.value * 100) % 1)
    wrong += [(at, IssueCode.AMOUNT_DECIMALS, {"limit": _DECIMALS}) for at in fractions]
    return values, [(at, _issue(table, position, name, at, code, facts)) for at, code, facts in wrong]


_DECIMALS: Final = 2


def _place(table: RawTable, layout: Layout, at: int) -> str:
    cell = _cell(table, _matched(table, layout).positions["balance"], at)
    return ", ".join(filter(None, (table.file.name, table.sheet, cell)))


def _cell(table: RawTable, position: int, at: int) -> str:
    return f"{column_letter(position)}{int(table.cells.index[at])}"


def _issue(table: RawTable, position: int, name: str, at: int, code: IssueCode, facts: Mapping[str, Any]) -> Issue:
    return make_issue(
        code,
        file=table.file.name,
        sheet=table.sheet,
        cell=_cell(table, position, at),
        row=int(table.cells.index[at]),
        column=table.header_at(position),
        value_masked=mask_value(name, str(table.cells[position].iloc[at])),
        **facts,
    )


def _totals(table: RawTable, layout: Layout) -> list[bool]:
    """Say of each row whether it is a balance or a total of the bank's, and no line."""
    words, found = {fold(word) for word in layout.totals}, np.zeros(len(table.cells), dtype=bool)
    for _, column in table.cells.items() if words else ():
        named = [text for text in column.unique() if fold(str(text)) in words]
        found |= column.isin(named).to_numpy()
    return [bool(each) for each in found]


def _signed(columns: dict[str, list[Any]], at: int) -> int | None:
    if "amount" in columns:
        return _cents(columns["amount"][at])
    credit, debit = (_cents(columns[name][at]) if name in columns else None for name in ("credit", "debit"))
    if credit is None and debit is None:
        return None
    return (credit or 0) - abs(debit or 0)


def _cents(value: Any) -> int | None:  # noqa: ANN401  # a cell as read
    amount = getattr(value, "value", value)
    return int(Decimal(amount) * 100) if isinstance(amount, Decimal) else None


def _day(text: str | None) -> dt.date | None:
    return dt.date.fromisoformat(text) if text else None
