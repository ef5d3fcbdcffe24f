"""Texts of strangers as YAML."""

import json
import re
from typing import Final

_PLAIN: Final = re.compile(r"[A-Za-zÀ-ÿ][\wÀ-ÿ /()$%'-]*[\w)]")
_WORDS_OF_YAML: Final = frozenset({"yes", "no", "on", "off", "true", "false", "null", "y", "n"})


def yaml_scalar(text: str) -> str:
    """Write a text as YAML that can stand in a list or in a comment, whatever it holds."""
    if _PLAIN.fullmatch(text) and text.casefold() not in _WORDS_OF_YAML:
        return text
    return json.dumps(text, ensure_ascii=not text.isprintable())
