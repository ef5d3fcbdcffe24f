"""Which headers could be which column: by what known layouts call it, by usual words, and by the numbers below."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, Literal

from schemas.layouts.header_words import money_weight, usual_columns
from schemas.layouts.headers import fold
from schemas.layouts.layout import Layout
from schemas.layouts.sampled import is_money

SourceTable = Literal["payments", "royalty_lines"]

_READ_AS_AMOUNT: Final = 2
_NOT_READ: Final = 1


class Vocabulary:
    """What the known layouts of one table, and usage, say of headers."""

    def __init__(self, known: Sequence[Layout], table: SourceTable) -> None:
        layouts = [layout for layout in known if layout.table == table]
        self._read: dict[str, Counter[str]] = {}
        for layout in layouts:
            for column, aliases in layout.columns.items():
                for alias in aliases:
                    self._read.setdefault(fold(alias), Counter())[column] += 1
        self._not_read = Counter(fold(header) for layout in layouts for header in layout.ignored)
        columns = {column for layout in layouts for column in layout.columns}
        self._usual = {header: column for header, column in usual_columns().items() if column in columns}

    def claims(self, headers: Sequence[str], samples: Mapping[int, Sequence[str]]) -> dict[str, tuple[int, ...]]:
        """Return canonical column -> the positions that could be it, the likeliest first, then the leftmost.

        Args:
            headers: From column A.
            samples: Position of each header that is not blank -> texts below it.
        """
        weighed: dict[str, list[tuple[int, int]]] = {}
        for position, texts in samples.items():
            column, weight = self._column(headers[position])
            if column != "amount" and weight > 0:
                weighed.setdefault(column, []).append((weight, position))
            elif is_money(texts) and money_weight(headers[position]) > 0:
                weighed.setdefault("amount", []).append((self._money(headers[position]), position))
        return {
            column: tuple(position for _, position in sorted(found, key=lambda one: (-one[0], one[1])))
            for column, found in weighed.items()
        }

    def _column(self, header: str) -> tuple[str, int]:
        """Return the column that most layouts read a header as, or else the usual one, and by how many votes."""
        folded = fold(header)
        if votes := self._read.get(folded):
            column, count = votes.most_common(1)[0]
            return column, count - self._not_read[folded]
        usual = self._usual.get(folded, "")
        return usual, 1 if usual and not self._not_read[folded] else 0

    def _money(self, header: str) -> int:
        folded = fold(header)
        read = self._read.get(folded, Counter[str]())["amount"]
        return money_weight(header) + _READ_AS_AMOUNT * read - _NOT_READ * self._not_read[folded]
