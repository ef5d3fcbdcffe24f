"""Who reads what is told: people at their own work, or strangers; and what of people's texts strangers may see.

Strangers read whatever is kept or passed on: logs, Prefect's records, output that no terminal shows, exceptions and
alerts. Everybody is one until somebody says otherwise (`for_people`): pages of the desk, files of the output folder and
a terminal are people's own. To strangers a text that came from outside is written by the first letters of its words,
unless it is a fact that `_OPEN` lists, has a form that can name nobody, or is made of words that can.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, partial
from pathlib import Path
from typing import Final

from schemas.words import vocabulary

_PEOPLE_READ: Final = ContextVar("_PEOPLE_READ", default=False)

# Facts of messages that the house, the service or a program has named: nothing of a payee, a file or a cell stands in
# them. Those of all messages, and those of one family, which an id begins with.
_OPEN: Final = frozenset(
    {
        *("after", "before", "cell", "code_point", "cost", "currencies", "currency", "day", "digest", "hash", "job"),
        *("jobs", "kind", "layout", "month", "months", "outcome", "period", "plan", "rate", "roles", "rows", "run"),
        *("since", "split_id", "state", "status", "tag", "tags", "total", "update", "variable"),
    }
)
_OPEN_OF: Final[dict[str, frozenset[str]]] = {
    "answer": frozenset({"error", "fields", "host", "places"}),
    "cli": frozenset({"fields", "page", "source_line"}),
    "desk": frozenset({"page"}),
    "error": frozenset({"consequence", "host", "known", "types", "url", "value", "what"}),
    "file": frozenset({"found", "how", "profile", "record", "types"}),
    "judged": frozenset({"fields", "first", "second"}),
    "lease": frozenset({"name", "owner"}),
    "service": frozenset({"path", "places", "what", "why"}),
}
# What a text is made of: what names nobody in any place, other numbers, and words.
_PIECES: Final = re.compile(
    r"""
    (?P<plain>
        \*{3}\.[0-9]{3}\.[0-9]{3}-\*\* | [^\W\d_]?\*{3,}[^\W\d_]?          # masked already
      | sha256:[0-9a-f]+ | (?:rp-[0-9a-z]{4,8}|ob|xr)-[a-z2-7]{20,}        # a plan, a report, a payment, a rate
      | [0-9]{8}T[0-9]{6}-[0-9a-f]{6}                                      # a run
      | (?<![0-9])
        (?: 20[0-9]{2}[-._]?[01][0-9](?:[-._]?[0-3][0-9])?                 # a month, a day
          | [0-3]?[0-9]([-./])[01]?[0-9]\2(?:20)?[0-9]{2} )
        (?: [ T][0-2][0-9]:[0-5][0-9](?::[0-5][0-9](?:\.[0-9]+)?)?         # a moment of it
            (?:Z|[+-][0-9]{2}:[0-9]{2})? )?
        (?![0-9])
    )
    | (?P<number> \+?\(?[0-9](?:[ .,\-/()]{0,2}[0-9])* )
    | (?P<word> [^\W\d_][^\W_]* )
    """,
    re.VERBOSE,
)
_MOST_DIGITS: Final = 4  # of a number that is nobody's document, account or phone
_WORD: Final = re.compile(r"[^\W\d_][^\W_]*")


def people_read() -> bool:
    """Whether what is told now is read by people at their own work."""
    return _PEOPLE_READ.get()


@contextmanager
def _read_by(*, people: bool) -> Iterator[None]:
    token = _PEOPLE_READ.set(people)
    try:
        yield
    finally:
        _PEOPLE_READ.reset(token)


for_people = partial(_read_by, people=True)  # within the context, or in a function, people at their own work are told
for_strangers = partial(_read_by, people=False)  # though people have asked


def fact_shown(id_: str, name: str, text: str) -> str:
    """Return a text fact of a message as whoever reads now may see it."""
    is_open = people_read() or name in _OPEN or name in _OPEN_OF.get(id_.partition(".")[0], ())
    return text if is_open else shown(text)


def shown(text: str) -> str:
    """Return a text that came from outside (a cell, a header, the name of a file) as whoever reads now may see it.

    >>> with for_strangers():
    ...     shown("pagamentos Ana Souza 2026-10.xlsx"), shown("out/sol/20261128T175322-0e71e3"), shown("529.982.247-25")
    ('pagamentos A*** S*** 2026-10.xlsx', 'out/s***/20261128T175322-0e71e3', '***')
    """
    return text if people_read() else _PIECES.sub(_piece_shown, text)


def _piece_shown(piece: re.Match[str]) -> str:
    text = piece[0]
    if piece["number"]:
        return text if sum(map(str.isdigit, text)) <= _MOST_DIGITS else "***"
    return text if piece["plain"] or text.casefold() in _plain_words() else f"{text[0]}***"


@cache
def _plain_words() -> frozenset[str]:
    """Return words of headers, files and layouts that can be nobody's name."""
    phrases = [*vocabulary("plain")["words"]]
    phrases += [header for headers in vocabulary("headers")["columns"].values() for header in headers]
    phrases += [layout.stem for layout in Path(__file__).with_name("layouts").glob("*.yaml")]
    return frozenset(word.casefold() for phrase in phrases for word in _WORD.findall(str(phrase)))
