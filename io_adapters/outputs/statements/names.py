"""What statements' files are called, and which files of a folder are statements."""

import re
import unicodedata
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from schemas.payee_statement import PayeeStatement

_LONGEST_SLUG: Final = 48
_NO_LETTER: Final = re.compile(r"[^a-z]+")
# Also "name (2).pdf", which stands beside a file that could not be replaced.
_OURS: Final = re.compile(r"statement-(?:[a-z]+-)*[a-z2-7]{8}(?: \([2-9]\))?\.pdf")


def file_name(statement: PayeeStatement) -> str:
    """Name a statement's file: "statement-", the letters of the name, and the token.

    Digits of a name are left out: a company's may hold its tax id. Only lower-case ASCII, so that no file system
    confuses two names or refuses one.
    """
    plain = unicodedata.normalize("NFKD", statement.name).encode("ascii", "ignore").decode().lower()
    slug = _NO_LETTER.sub("-", plain)[:_LONGEST_SLUG].strip("-")
    return "-".join(filter(None, ("statement", slug, statement.token))) + ".pdf"


def remove_other_statements(folder: Path, kept: Iterable[Path]) -> None:
    """Remove statements of an earlier writing that are not among the kept ones; other files are left alone."""
    staying = {path.name for path in kept}
    for path in folder.iterdir():
        if _OURS.fullmatch(path.name) and path.name not in staying:
            path.unlink(missing_ok=True)
