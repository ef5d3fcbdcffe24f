"""Totals that a file states: the words they go by, their rows among the lines, and the block below these."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Context, Decimal
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow.compute as pc

from schemas.layouts.layout import ControlRows, Layout, fold
from schemas.parsing.amounts import AmountColumn
from schemas.raw_table import RawTable
from schemas.sheet_cells import CellKind
from schemas.values.money import DecimalMark, read_amount_text
from schemas.values.reading import BLANKS
from schemas.words import vocabulary

_BREAK: Final = re.compile(r"[\s:=]+")
# What may stand beside the word in a row of totals; anything else begins a title, such as "Total eclipse".
_SAID_OF_TOTALS: Final = frozenset(vocabulary("rows")["said_of_totals"])
_WORD: Final = re.compile(r"\w+")
_ASIDE: Final = re.compile(r"\([^()]*\)")
_CENTAVOS: Final = 2
# A spreadsheet keeps 15 digits of a number; what it adds up bears the noise of binary arithmetic besides.
_KEPT: Final = Context(prec=15, rounding=ROUND_HALF_EVEN)
_NOISE: Final = Decimal("1e-11")
_MOST_NOISE: Final = Decimal("0.004")


@dataclass(frozen=True, slots=True)
class StatedTotal:
    """A total as the file states it."""

    row: int
    position: int
    text: str
    kind: CellKind
    counts: bool = False
    currency: str = ""
    labelled: bool = True


@dataclass(frozen=True, slots=True)
class Stated:
    """What a total's amount means."""

    value: Decimal
    tolerance: Decimal
    currency: str

    @property
    def decimals(self) -> int:
        return max(_CENTAVOS, _decimals(self.value))

    def agrees(self, total: Decimal) -> bool:
        return abs(total - self.value) <= self.tolerance


class TotalWords:
    """The words with which rows of totals, or a control block, begin.

    Attributes:
        beginning: Regular expression, for Arrow and Python alike, of the first letters of all of them, capitals aside;
            it also lets texts through that are none of them.
    """

    def __init__(self, words: Iterable[str]) -> None:
        self._words = frozenset(map(fold, words))
        accented = r"[^\x00-\x7f]"
        beginnings = {"".join(rf"[\W_]*(?:{re.escape(mark)}|{accented})" for mark in word[:3]) for word in self._words}
        self.beginning = "|".join(sorted(beginnings))

    def begin(self, text: str) -> bool:
        """Tell whether a text is one of the words, or one followed by an amount, or by what is said of totals.

        >>> words = TotalWords(["Total geral", "TOTAL"])
        >>> words.begin("Total geral:"), words.begin("Total: R$ 12.345,00"), words.begin("Total eclipse")
        (True, True, False)
        >>> words.begin("Total a pagar (R$)"), words.begin("TOTAL (3 favorecidos)"), words.begin("Total a mais")
        (True, True, False)
        """
        return self._split(text) is not None

    def word(self, text: str) -> str:
        """Return the word, folded, with which a text begins; "" for none."""
        return (self._split(text) or ("", ""))[0]

    def amount(self, text: str) -> str:
        """Return the amount behind the word; "" for none."""
        return (self._split(text) or ("", ""))[1]

    def _split(self, text: str) -> tuple[str, str] | None:
        if (word := fold(text)) in self._words:
            return word, ""
        for found in _BREAK.finditer(text):
            word, amount = fold(text[: found.start()]), text[found.end() :]
            if word in self._words and read_amount_text(amount) is not None:
                return word, amount
        first, *others = list(map(fold, _WORD.findall(_ASIDE.sub(" ", text)))) or [""]
        return (first, "") if first in self._words and _SAID_OF_TOTALS.issuperset(others) else None


def readings(text: str, kind: CellKind, mark: DecimalMark | None) -> tuple[Stated, ...]:
    """Return what an amount may mean: nothing, one value, or two when it reads as thousands and as decimals alike."""
    amount = read_amount_text(text.strip(BLANKS)) if kind in {CellKind.TEXT, CellKind.NUMBER} else None
    if amount is None:
        return ()
    marks: tuple[DecimalMark, ...] = (amount.mark or ".",)
    if kind == CellKind.TEXT and amount.ambiguous:
        marks = (mark,) if mark else (",", ".")
    values = [value for mark in marks if (value := amount.value(mark)) is not None]
    currency = amount.currency.replace("$", "")
    return tuple(_number(value) if kind == CellKind.NUMBER else as_written(value, currency) for value in values)


def as_written(value: Decimal, currency: str = "") -> Stated:
    """Return what an amount means that is as exact as its last decimal."""
    return Stated(value, Decimal(5).scaleb(-1 - max(_CENTAVOS, _decimals(value))), currency)


def _number(value: Decimal) -> Stated:
    kept = as_written(_KEPT.plus(value).normalize(), "")
    return Stated(kept.value, max(kept.tolerance, min(_MOST_NOISE, abs(value) * _NOISE)), "")


def _decimals(value: Decimal) -> int:
    exponent = value.as_tuple().exponent
    return -exponent if isinstance(exponent, int) else 0


Mask = npt.NDArray[np.bool_]


class RowLabel(NamedTuple):
    """The text by which a row is known to be no line."""

    at: int
    position: int
    text: str


def row_labels(raw: RawTable, among: Mask, words: TotalWords, anywhere: Collection[int] = ()) -> list[RowLabel]:
    """Return the labels of rows that have one of the words looked for, in order of row."""
    labels: list[RowLabel] = []
    left = among.copy()
    first = among.copy()
    for position in range(len(raw.headers)):
        looked_at = left if position in anywhere else left & first
        rows = np.flatnonzero(looked_at)
        rows = rows[raw.kinds_of(position)[rows] == CellKind.TEXT] if rows.size else rows
        if not rows.size:
            continue
        texts = raw.cells[position].iloc[rows].array.__arrow_array__()
        # Whole columns at once: what may be one of the words, and what says nothing. The few that may be are looked at.
        promising = pc.match_substring_regex(texts, f"^(?:{words.beginning})", ignore_case=True).to_numpy()
        for at, text in zip(rows[promising].tolist(), texts.filter(promising).to_pylist(), strict=True):
            if words.begin(stripped := text.strip(BLANKS)):
                labels.append(RowLabel(at, position, stripped))
                left[at] = False
        first[rows] &= pc.equal(pc.utf8_trim_whitespace(texts), "").to_numpy()
    return sorted(labels)


# A row that says whom or what it is about is a line, whatever its first words are.
_IDENTIFYING: Final = {"royalty_lines": ("isrc", "upc")}
_IDENTIFYING_PAYEES: Final = ("tax_id", "pix_key")


class ControlBlock(NamedTuple):
    """A block of totals below the lines."""

    first: int
    stated: tuple[StatedTotal, ...]


def find_totals(
    raw: RawTable, layout: Layout, positions: Mapping[str, int], among: Mask, lines: Collection[int] = ()
) -> dict[int, StatedTotal]:
    """Find the rows of totals: those with a word for it, and those that hold an amount and nothing else.

    Returns:
        Row among the file's cells, from 0 -> what it states.
    """
    nameless = among.copy()
    words = TotalWords(layout.totals)
    for column in _IDENTIFYING.get(layout.table, _IDENTIFYING_PAYEES):
        if column in positions:
            cells = raw.cells[positions[column]][nameless].str.strip()
            nameless[nameless] = ((cells == "") | _are_words(cells, words)).to_numpy(dtype=bool)
    names = ("title", "release", "artist") if layout.table == "royalty_lines" else ()  # a song may be called Total
    anywhere = set(range(len(raw.headers))) - {positions.get(column) for column in names}
    labels = [
        label for label in row_labels(raw, nameless, words, anywhere) if not _is_a_name(raw, label, positions, names)
    ]
    found = {label.at: _total(raw, label, words, positions) for label in labels}
    nameless[list(found)] = False
    return found | _amounts_alone(raw, positions, nameless & ~raw.cells.index.isin(list(lines)))


# "Total de favorecidos: 12" counts them.
_COUNTED: Final = re.compile(r"\b(?:favorecidos?|ite[nm]s?|linhas?|lines|rows|pagamentos?|payments?)\b", re.IGNORECASE)


def totals_above(raw: RawTable, layout: Layout) -> list[StatedTotal]:
    """Return the totals of a person's own sheet above its header: a word, and an amount behind or beside it."""
    if not layout.recognise.nothing_else or raw.cells.empty or raw.cells.index[0] != raw.header_row + 1:
        return []
    words, found = TotalWords(layout.totals), []
    for head in raw.above:
        for position, text in enumerate(head.texts):
            label, _, behind = (part.strip(BLANKS) for part in text.partition(":"))
            if not words.begin(label):
                continue
            beside = next(((at, cell) for at, cell in enumerate(head.texts) if at > position and cell.strip()), None)
            amount = behind or words.amount(label)
            place, amount = (position, amount) if amount else beside or (position, "")
            if readings(amount, CellKind.TEXT, None):
                counts = amount.strip().isdecimal() and _COUNTED.search(label) is not None
                found.append(StatedTotal(head.row, place, amount, CellKind.TEXT, counts=counts))
    return found


def _are_words(cells: "pd.Series[str]", words: TotalWords) -> "pd.Series[bool]":
    may = cells.str.match(words.beginning, case=False)
    may[may] = cells[may].map(words.begin)
    return may.astype(bool)


def _is_a_name(raw: RawTable, label: RowLabel, positions: Mapping[str, int], names: Collection[str]) -> bool:
    """Tell whether a label is what an artist or a song is called: it stands where names do, and its row says more."""
    if label.position not in {positions.get(column) for column in names}:
        return False
    about = (*names, *_DECIDING["royalty_lines"])
    others = {positions[column] for column in about if column in positions} - {label.position}
    return any(cell_at(raw, label.at, position)[0] for position in others)


# What a row is about; one that says nothing of all this may be the sum of others.
_DECIDING: Final = {
    "royalty_lines": ("isrc", "upc", "platform", "period"),
    "payments": ("tax_id", "pix_key", "account"),
}
_CODES: Final = frozenset({"isrc", "upc", "tax_id", "pix_key", "account"})
_SAYS: Final = dict.fromkeys(("isrc", "upc", "tax_id"), "[0-9]")  # without a digit it is a label
_MOST_BARE: Final = 50
_FEWEST_LINES: Final = 2
_NEARLY: Final = Decimal("0.01")
_A_CENTAVO: Final = Decimal("0.01")


def bare_rows(raw: RawTable, table: str, positions: Mapping[str, int], among: Mask | None = None) -> list[int]:
    """Return the rows that say of no code, store, period or payee, where others do; of a statement, if they are few.

    A row of one text alone beside its figures is bare, too, where that text is no code: it names a sum, by whatever
    word, month or store.

    Args:
        positions: Canonical column -> position in the file.
        among: Which rows to look at; None looks at all.

    Returns:
        Their places among the rows, from 0.
    """
    deciding = {column: positions[column] for column in _DECIDING.get(table, ()) if column in positions}
    looked_at = np.ones(len(raw.cells), dtype=bool) if among is None else among.copy()
    said, few = np.zeros(len(raw.cells), dtype=np.int64), looked_at.copy()
    for column, position in deciding.items():  # most rows are settled by the first
        cells = raw.cells[position][few]
        says = cells.str.contains(_SAYS.get(column, r"\S"), regex=True).to_numpy(dtype=bool)
        filled = (cells.str.strip() != "").to_numpy(dtype=bool)
        said[few] += np.where(says & (column in _CODES), 2, filled)
        few &= said <= 1
    most = min(_MOST_BARE, looked_at.sum() // 2) if table == "royalty_lines" else looked_at.sum() - 1
    if not deciding or not 0 < few.sum() <= most:
        return []
    currency = positions.get("currency")
    needs_label = (said > 0) | (table != "royalty_lines")
    return [
        at
        for at in np.flatnonzero(few).tolist()
        if not needs_label[at] or _is_label(raw, at, deciding.values(), currency)
    ]


def _is_label(raw: RawTable, at: int, deciding: Collection[int], currency: int | None) -> bool:
    """Tell whether a row has one text at most, and figures."""
    filled = [(position, *cell) for position in range(len(raw.headers)) if (cell := cell_at(raw, at, position))[0]]
    texts = [p for p, text, kind in filled if p in deciding or not readings(text, kind, None)]
    return len([position for position in texts if position != currency]) <= 1


def find_sums(raw: RawTable, table: str, positions: Mapping[str, int], among: Mask) -> dict[int, StatedTotal]:
    """Find rows that are the exact sum of the lines above them, whatever words they bear, groups of one included.

    Where none is the sum of several lines, a row that repeats the amount above it is a line. In a statement, where a
    row without a code is a line like another, one that is nearly the sum of all above is found, too: it is held against
    them.

    Returns:
        Row among the file's cells, from 0 -> what it states.
    """
    bare = frozenset(bare_rows(raw, table, positions, among))
    if not bare or "amount" not in positions:
        return {}
    cells = [cell_at(raw, at, positions["amount"]) for at in range(len(raw.cells))]
    mark = AmountColumn(list(dict.fromkeys(cells)), "auto", scientific=True).mark
    rows = [(at, readings(*cells[at], mark)) for at in np.flatnonzero(among).tolist()]
    nearly = _NEARLY if table == "royalty_lines" else Decimal(0)
    found = sums_among(rows, bare, nearly)

    def stated(at: int) -> StatedTotal:
        currency = cell_at(raw, at, positions["currency"])[0] if "currency" in positions else ""
        row = int(raw.cells.index[at])
        return StatedTotal(row, positions["amount"], *cells[at], currency=currency, labelled=False)

    return {at: stated(at) for at in found}


_Rows = Sequence[tuple[int, tuple[Stated, ...]]]


def sums_among(rows: _Rows, bare: Collection[int], nearly: Decimal = Decimal(0)) -> dict[int, int]:
    """Return the rows that are sums -> of how many lines: of all above, or of those since the last sum.

    Args:
        rows: Place of each row, and what its amount may mean.
        bare: Places that may be sums.
        nearly: By which part of the sum of all lines one may be off.
    """
    found = _sums_of(rows, bare, nearly, fewest=1)
    several = max(found.values(), default=0) >= _FEWEST_LINES
    return found if several else _sums_of(rows, bare, nearly, fewest=_FEWEST_LINES)


def _sums_of(rows: _Rows, bare: Collection[int], nearly: Decimal, *, fewest: int) -> dict[int, int]:
    found: dict[int, int] = {}
    whole, part, lines, since = Decimal(0), Decimal(0), 0, 0
    for at, stated in rows:
        of_part = since and any(meaning.agrees(part) for meaning in stated)
        margin = max(abs(whole) * nearly, _A_CENTAVO) if nearly and lines >= _FEWEST_LINES else Decimal(0)
        of_all = any(abs(whole - meaning.value) <= max(meaning.tolerance, margin) for meaning in stated)
        if at in bare and lines >= fewest and (of_part or of_all):
            found[at] = since if of_part else lines
            part, since = Decimal(0), 0
        elif stated:
            whole, part = whole + stated[0].value, part + stated[0].value
            lines, since = lines + 1, since + 1
    return found


def _amounts_alone(raw: RawTable, positions: Mapping[str, int], among: Mask) -> dict[int, StatedTotal]:
    own = {positions[column] for column in ("amount", "currency") if column in positions}
    if "amount" not in positions or len(positions) == len(own):
        return {}
    found = {}
    for at in np.flatnonzero(rows_empty_but_for(raw, own, among)).tolist():
        text, kind = cell_at(raw, at, positions["amount"])
        if readings(text, kind, None):
            currency = cell_at(raw, at, positions["currency"])[0] if "currency" in positions else ""
            row = int(raw.cells.index[at])
            found[at] = StatedTotal(row, positions["amount"], text, kind, currency=currency, labelled=False)
    return found


def rows_empty_but_for(raw: RawTable, positions: Collection[int], among: Mask) -> Mask:
    empty = among.copy()
    for position in range(len(raw.headers)):
        if position in positions or not empty.any():
            continue
        # Each column only where the row may still be empty; most rows are settled by the first.
        empty[empty] = (raw.cells[position][empty].str.strip() == "").to_numpy(dtype=bool)
        if raw.kinds is not None:  # a formula without a value is an empty text, and not nothing
            empty &= raw.kinds_of(position) != CellKind.FORMULA_WITHOUT_VALUE
    return empty


def find_control_block(raw: RawTable, control: ControlRows, among: Mask) -> ControlBlock | None:
    """Find the block of totals below the lines; None when there is none."""
    words = TotalWords(control.words)
    labels = row_labels(raw, among, words)
    stated = [
        _control(raw, label, words, counts=counts)
        for label in labels
        for wanted, counts in ((control.rows, True), (control.amount, False))
        if wanted and words.word(label.text) == fold(wanted)
    ]
    return ControlBlock(labels[0].at, tuple(stated)) if labels else None


def _total(raw: RawTable, label: RowLabel, words: TotalWords, positions: Mapping[str, int]) -> StatedTotal:
    row = int(raw.cells.index[label.at])
    currency = cell_at(raw, label.at, positions["currency"])[0] if "currency" in positions else ""
    amount_at = positions.get("amount", label.position)
    if amount_at != label.position:
        text, kind = cell_at(raw, label.at, amount_at)
        if text:
            return StatedTotal(row, amount_at, text, kind, currency=currency)
    return StatedTotal(row, label.position, words.amount(label.text), CellKind.TEXT, currency=currency)


def _control(raw: RawTable, label: RowLabel, words: TotalWords, *, counts: bool) -> StatedTotal:
    row = int(raw.cells.index[label.at])
    if text := words.amount(label.text):
        return StatedTotal(row, label.position, text, CellKind.TEXT, counts=counts)
    for position in range(label.position + 1, len(raw.headers)):
        text, kind = cell_at(raw, label.at, position)
        if text:
            return StatedTotal(row, position, text, kind, counts=counts)
    return StatedTotal(row, label.position, "", CellKind.EMPTY, counts=counts)


def cell_at(raw: RawTable, at: int, position: int) -> tuple[str, CellKind]:
    kind = CellKind.TEXT if raw.kinds is None else CellKind(int(raw.kinds[at, position]))
    return str(raw.cells.iloc[at, position]).strip(BLANKS), kind
