"""What of an unexpected reply may be told: the words that everybody's errors are made of, and nothing else.

A reply may quote what was sent, or the key. Masking what looks personal would miss names, and whatever nobody thought
of; so it is the other way round: a word passes when it is in a closed vocabulary of errors, in English or Portuguese,
and everything else, each digit included, becomes an ellipsis.
"""

import html
import re
import unicodedata
from collections.abc import Iterator
from typing import Any, Final

from io_adapters.payout_api.excerpt_words import WORDS
from schemas.wire import parse_json

_LONGEST: Final = 160
_READ: Final = 4_000
_HIDDEN: Final = "…"
_TAG: Final = re.compile(r"<[^<>]{0,200}>")
_PIECE: Final = re.compile(r"[^\s\"'{}\[\](),;:=<>/\\|!?…]+")
_NAME: Final = re.compile(r"[A-Za-zÀ-ÖØ-öø-ÿ._\-]+")
_PART: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def safe_excerpt(body: bytes, *, secret: str) -> str:
    """Return what may be told of a reply's body; "" when there is nothing.

    Args:
        body: Any bytes: JSON, a page, or neither.
        secret: The API key, which is hidden even where it is made of words that pass.
    """
    text = unicodedata.normalize("NFC", " ".join(_texts(body)))
    if secret:
        text = re.sub(re.escape(secret), " * ", text, flags=re.IGNORECASE)
    told: list[str] = []
    for piece in _PIECE.findall(text):
        shown = piece.strip("._-") if _passes(piece) else _HIDDEN
        if not shown or (shown == _HIDDEN and told and told[-1] == _HIDDEN):
            continue
        told.append(shown)
        if sum(map(len, told)) + len(told) > _LONGEST:
            told[-1] = _HIDDEN
            break
    words = " ".join(told)
    if secret and secret.casefold() in words.casefold():
        return ""
    return words if words.strip(f" {_HIDDEN}") else ""


def _passes(piece: str) -> bool:
    """Let a word pass, or several joined to a name (`tax_id`, `ContactNotFound`), each in the vocabulary."""
    plain = _without_accents(piece)
    if not (_NAME.fullmatch(piece) and plain.isascii()):
        return False
    return all(part.lower() in WORDS for word in re.split(r"[._\-]+", plain) for part in _PART.findall(word))


def _without_accents(text: str) -> str:
    return "".join(char for char in unicodedata.normalize("NFD", text) if unicodedata.category(char) != "Mn")


def _texts(body: bytes) -> Iterator[str]:
    try:
        yield from _leaves(parse_json(body[:_READ]))
    except ValueError:
        yield html.unescape(_TAG.sub(" ", body[:_READ].decode("utf-8", errors="replace")))


def _leaves(data: Any) -> Iterator[str]:  # noqa: ANN401
    if isinstance(data, dict):
        for name, value in data.items():
            yield name
            yield from _leaves(value)
    elif isinstance(data, list):
        for value in data:
            yield from _leaves(value)
    elif isinstance(data, str):
        yield html.unescape(data)
