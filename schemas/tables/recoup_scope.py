"""What an advance is recouped from: one recording, contract, release or artist, several of these together, or all.

Kept as one text, which is part of the advance's name in the journal: an ISRC, and "contract=", "release=" and "artist="
with what they name in small letters, ";" between; "" for all that the payee earns.
"""

import re
from collections.abc import Mapping
from typing import Final

from schemas.messages import Listed, Message
from schemas.tables.model import ISRC

# Beside the ISRC: columns of advances, and of earnings.
NAMED: Final = ("contract", "release", "artist")
_PART: Final = rf"(?:{'|'.join(NAMED)})=[^;|]+"
SCOPE: Final = rf"(?:{ISRC}|{_PART})(?:;{_PART})*"
_MARKS: Final = re.compile(r"[;|=]+")


def scope_of(named: Mapping[str, str]) -> str:
    """Write a scope: column -> what it names, "" for nothing.

    >>> scope_of({"isrc": "", "contract": "Nº  1", "release": "", "artist": "LUA"})
    'contract=nº 1;artist=lua'
    """
    parts = [f"{column}={word}" for column in NAMED if (word := fold_name(named[column]))]
    return ";".join(filter(None, (named["isrc"], *parts)))


def names_in_scope(scope: str) -> dict[str, str]:
    """Read a scope: column of earnings -> what earnings must say there.

    >>> names_in_scope("BRAUR2600001;artist=lua"), names_in_scope("")
    ({'isrc': 'BRAUR2600001', 'artist': 'lua'}, {})
    """
    found = dict[str, str]()
    for part in filter(None, scope.split(";")):
        column, mark, name = part.partition("=")
        found[column if mark else "isrc"] = name if mark else part
    return found


def fold_name(text: str) -> str:
    return " ".join(_MARKS.sub(" ", text).casefold().split())


def scope_text(scope: str) -> Listed:
    """Tell a scope to people."""
    named = names_in_scope(scope).items()
    return Listed(tuple(name if column == "isrc" else Message(f"scope.{column}", name=name) for column, name in named))
