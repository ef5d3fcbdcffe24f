"""Vocabularies: what people call columns, and words by which columns that nothing reads are known.

Words propose, they never decide. Each is a YAML file, so that whoever knows a word adds it without touching code.
"""

from functools import cache
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML


@cache
def vocabulary(name: str) -> dict[str, Any]:
    """Return a vocabulary by its name: lists of words, or such lists by what they mean; for reading alone."""
    words: dict[str, Any] = YAML(typ="safe").load((Path(__file__).parent / f"{name}.yaml").read_text("utf-8"))
    return words
