"""What people wrote in a sheet of payments beside what is read: remarks, comments, notes, names of its tab and file.

It travels with its payment to whoever approves. A text that the job's people have not seen before is looked at then;
what changes from month to month is left out of the comparison: digits, months, weekdays, and the row's own names.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import PurePath
from typing import Final

from schemas.layouts.layout import fold
from schemas.parsing.excluded_rows import ExcludedRows
from schemas.parsing.unread_columns import MONTHS, UnreadColumn
from schemas.parsing.what_holds_rows import notes_of
from schemas.raw_table import RawTable
from schemas.sheet_cells import OVER_THE_SHEET, Look, SeenBeside
from schemas.values.masking import digest_of
from schemas.values.reading import BLANKS, without_accents
from schemas.words import vocabulary


class Wrote(StrEnum):
    """Where a text was written."""

    COLUMN = "column"
    COMMENT = "comment"
    NOTE = "note"
    TAB = "tab"
    FILE = "file"
    FORMAT = Look.FORMAT.value
    COLOUR = Look.COLOUR.value
    UNSEEN = Look.UNSEEN.value
    BOX = Look.BOX.value
    PICTURE = Look.PICTURE.value


_OF_ROWS: Final = frozenset({Wrote.COLUMN, Wrote.COMMENT, Wrote.FORMAT, Wrote.COLOUR, Wrote.UNSEEN})


# What is seen otherwise than it stands there: news though it is nothing but digits, or the row's own name.
_SEEN: Final = frozenset({Wrote.UNSEEN, Wrote.PICTURE, Wrote.BOX})


@dataclass(frozen=True, slots=True)
class WrittenText:
    """A text beside the figures.

    Attributes:
        row: Physical row; 0 of the name of a tab or file.
        column: Header of the column where it stands; "" of what is of no column.
        token: Stands for what it says, wherever that is said again; "" where nothing is left to look at.
    """

    file: str
    sheet: str
    row: int
    kind: Wrote
    column: str
    text: str = field(repr=False)
    token: str

    @property
    def header(self) -> str:
        """The column whose texts people wrote; "" elsewhere."""
        return self.column if self.kind is Wrote.COLUMN else ""

    @property
    def is_of_row(self) -> bool:
        """Whether it is about one row, and not about the whole sheet."""
        return self.kind in _OF_ROWS


_WORDS: Final = vocabulary("rows")
_CALENDAR: Final = frozenset([*MONTHS, *_WORDS["weekdays"]])
_TOKEN: Final = re.compile(r"[^\W\d_]+|[^\w\s]")
_HARMLESS_MARKS: Final = frozenset(".,;:/\\-–—−()[]'\"`´ºª°#&+*_|")
# What a spreadsheet program writes before a threaded comment, for programs that know none.
_THREADED: Final = re.compile(r"^\[[^\]]+\].*?linkid=\d+\s*\n\s*\S+:\s*", re.DOTALL)
# What a program puts before a file's name.
_HASH: Final = re.compile(r"\b(?=[0-9a-f]*[0-9])[0-9a-f]{8,}(?:-|\b)")
# What people write behind a name in its cell: "Maria Silva - FORA", "Ana (só em novembro)".
_BEHIND: Final = re.compile(r"\w\s*((?:\s[-–—/|]\s|[(\[{*]).+)$")
_OWN_NAMES: Final = ("name", "artist_name", "reference", "account_holder")


def folded_text(text: str, own: Collection[str] = ()) -> str:
    """Reduce a text to what counts when it is written again another month: words and marks, no digits, no dates.

    Args:
        own: Words that are the row's own, such as its payee's name.

    >>> folded_text("Show 05/10 - Recife (quinta)"), folded_text("NÃO pagar Ana em março!", {"ana"})
    ('show recife', 'nao pagar em !')
    """
    found = _TOKEN.findall(without_accents(text))
    return " ".join(word for word in found if word not in _HARMLESS_MARKS and word not in _CALENDAR and word not in own)


def words_in(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(word for text in texts for word in _TOKEN.findall(without_accents(text)))


def written_in(
    raw: RawTable,
    unread: Sequence[UnreadColumn],
    excluded: ExcludedRows,
    positions: Mapping[str, int],
    named: Collection[str] = (),
) -> tuple[WrittenText, ...]:
    """Gather what stands beside the figures of a sheet of payments.

    Args:
        unread: Its columns that are not read.
        positions: Canonical column -> where it is.
        named: What the job says of its files and tabs; of their names, only what it does not say is looked at.
    """
    lines = raw.cells.index[excluded.lines]
    own_columns = [raw.cells[positions[name]].to_dict() for name in _OWN_NAMES if name in positions]
    explained = {column.header for column in unread if column.is_explained}

    def said(row: int, kind: Wrote, column: str, text: str, own: Collection[str]) -> WrittenText:
        meant = "" if kind is Wrote.COLUMN and column in explained else folded_text(text, own)
        meant = meant or ("#" if kind in _SEEN else "")  # an amount that nobody sees is news, whatever it is
        token = digest_of(kind, fold(column), meant)[:16] if meant else ""
        return WrittenText(raw.file.name, raw.sheet or "", row, kind, column, text.strip(BLANKS), token)

    def of_rows() -> Iterator[WrittenText]:
        remarks = [column for column in unread if column.condition is None and not column.is_asked]
        texts = [(column.header, raw.cells[column.position].to_dict()) for column in remarks]
        beside = defaultdict[int, list[tuple[Wrote, str, str]]](list)
        for row, position, text in raw.oddities.comments:
            if position < len(raw.headers):
                beside[row].append((Wrote.COMMENT, "", _THREADED.sub("", text)))
        for row, position, look, text in _looks(raw, lines.tolist()):
            beside[row].append((Wrote(look), raw.header_at(position).strip() if look is not Look.COLOUR else "", text))
        behind = defaultdict[int, set[str]](set)
        for row, header, text in _behind_names(raw, lines.tolist(), positions):
            behind[row].add(text)
            beside[row].append((Wrote.COLUMN, header, text))
        for row in lines.tolist() if texts or beside else ():
            here = [(Wrote.COLUMN, header, str(cells[row])) for header, cells in texts] + beside[row]
            if any(text.strip(BLANKS) for _, _, text in here):
                own = words_in(_without(str(cells[row]), behind[row]) for cells in own_columns)
                yield from (said(row, kind, header, text, own) for kind, header, text in here if text.strip(BLANKS))

    known = frozenset(_WORDS["usual_names"]) | frozenset("abcdefghijklmnopqrstuvwxyz") | words_in(named)
    notes = [said(row, Wrote.NOTE, "", text, ()) for row, _, text in notes_of(raw, excluded) if text.strip(BLANKS)]
    looks = raw.oddities.looks
    notes += [said(row, Wrote(look), "", text, ()) for row, _, look, text in looks if look in OVER_THE_SHEET]
    tabs = [said(0, Wrote.TAB, "", raw.sheet, known)] if raw.sheet else []
    file = said(0, Wrote.FILE, "", _HASH.sub("", PurePath(raw.file.name).stem), known)
    return (*of_rows(), *notes, *tabs, file)


def _looks(raw: RawTable, lines: Sequence[int]) -> Iterator[SeenBeside]:
    """Yield what rows show beside their values: words of formats, text that nobody sees, and colours that differ.

    Rows in one colour, or in two or three by turns, say nothing.
    """
    colours = {row: text for row, _, look, text in raw.oddities.looks if look is Look.COLOUR}
    shown = [colours.get(row, "white") for row in lines]
    turns = (count for count in (1, 2, 3) if count == 1 or len(shown) > 2 * count)
    if colours and not any(all(seen == shown[at % count] for at, seen in enumerate(shown)) for count in turns):
        usual, _ = Counter(shown).most_common(1)[0]
        yield from ((row, 0, Look.COLOUR, seen) for row, seen in zip(lines, shown, strict=True) if seen != usual)
    for row, position, look, text in raw.oddities.looks:
        if look is Look.FORMAT and position < len(raw.headers):
            yield row, position, look, text
        elif look is Look.UNSEEN and position < len(raw.headers) and row in raw.cells.index:
            yield row, position, look, str(raw.cells[position][row])


def _behind_names(raw: RawTable, lines: Sequence[int], positions: Mapping[str, int]) -> Iterator[tuple[int, str, str]]:
    for position in (positions[name] for name in ("name", "artist_name") if name in positions):
        cells = raw.cells[position].loc[[*lines]]
        for row, cell in zip(lines, cells, strict=True):
            if found := _BEHIND.search(cell):
                yield row, raw.headers[position].strip(), found[1]


def _without(text: str, endings: Iterable[str]) -> str:
    for ending in endings:
        text = text.removesuffix(ending)
    return text


@dataclass(frozen=True, slots=True)
class TextToCheck(WrittenText):
    """A text that has not been seen before, as whoever approves looks at it, where it stands first.

    Attributes:
        count: How many payments it stands beside, of those that are planned.
    """

    count: int

    @property
    def where(self) -> str:
        """Names the column, or the kind of place, whose texts can be looked at together."""
        return f"{self.kind} {self.column}".strip()


def texts_to_check(
    written: Iterable[WrittenText], paid: Collection[tuple[str, str, int]], seen: Collection[str]
) -> tuple[TextToCheck, ...]:
    """Tell which texts nobody has seen, each once, in the order in which they stand.

    Args:
        paid: File, sheet and row of each payment of the plan; nothing else is looked at.
        seen: Tokens of what people have seen.
    """
    sheets, counts, first = {(file, sheet) for file, sheet, _ in paid}, dict[str, int](), dict[str, WrittenText]()
    for said in written:
        stands = (said.file, said.sheet, said.row) in paid if said.is_of_row else (said.file, said.sheet) in sheets
        if stands and said.token and said.token not in seen:
            first.setdefault(said.token, said)
            counts[said.token] = counts.get(said.token, 0) + 1
    return tuple(
        TextToCheck(said.file, said.sheet, said.row, said.kind, said.column, said.text, token, counts[token])
        for token, said in first.items()
    )
