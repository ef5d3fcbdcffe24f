"""Typst, which turns the template and a page's texts into a PDF."""

import json
from pathlib import Path
from typing import Final

from typst import Compiler, Fonts, TypstError

_TEMPLATE: Final = Path(__file__).with_name("statement.typ")


class Typesetter:
    """Sets pages, one after the other.

    Only the fonts that Typst brings are used (Libertinus Serif for Latin, Greek, Cyrillic and Hebrew; DejaVu Sans Mono
    for Arabic, Armenian and Georgian), so that a page looks the same on every machine. A character that none of them
    has is shown as an empty box; the text itself stays in the file.
    """

    def __init__(self) -> None:
        fonts = Fonts(include_system_fonts=False)
        self._compiler = Compiler(_TEMPLATE, root=_TEMPLATE.parent, font_paths=fonts, ignore_system_fonts=True)

    def pdf(self, page: dict[str, object]) -> bytes:
        """Set one page of `page_of`; the same page gives the same bytes.

        Raises:
            OSError: Typst cannot set the page; its own words are left out, for they may repeat what is on it.
            TypeError: Typst gave something else than a PDF; a bug.
        """
        try:
            # Without a time of making, which would make every writing differ.
            made = self._compiler.compile(format="pdf", sys_inputs={"page": json.dumps(page, ensure_ascii=False)})
        except TypstError:
            raise OSError("a statement could not be set") from None
        if not isinstance(made, bytes):
            raise TypeError("a PDF was expected")
        return made
