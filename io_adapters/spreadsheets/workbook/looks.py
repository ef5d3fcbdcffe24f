"""What a sheet of an .xlsx shows beside its values: words of number formats, colours, white text, boxes, pictures."""

import colorsys
import re
import zipfile
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Final, NamedTuple
from xml.etree.ElementTree import Element

from io_adapters.spreadsheets.workbook.archive import local_name, xml_tree
from schemas.sheet_cells import Look, SeenBeside

_WHITE: Final = "FFFFFF"
_OTHER: Final = "?"  # a colour of an old palette, or a damaged one
# The order in which a theme's colours are numbered, which is not that of its part; and the first colours of all.
_THEME: Final = ("lt1", "dk1", "lt2", "dk2", *(f"accent{number}" for number in range(1, 7)))
_INDEXED: Final = ("000000", _WHITE, "FF0000", "00FF00", "0000FF", "FFFF00", "FF00FF", "00FFFF")
_FORMAT_PART: Final = re.compile(r'"([^"]*)"|\\(.)|[_*].|\[[^\]]*\]|.', re.DOTALL)
# Currencies, and what stands between the parts of a day.
_USUAL: Final = re.compile(r"R\$|US\$|\b(?:BRL|USD|EUR|GBP|reais|real|de|of|del|às|at|h|min)\b", re.IGNORECASE)
_HUES: Final = ((0.04, "red"), (0.11, "orange"), (0.19, "yellow"), (0.45, "green"), (0.72, "blue"), (0.8, "purple"),
                (0.94, "pink"), (1.01, "red"))  # fmt: skip
_MOST: Final = 5_000
_MOST_ROWS: Final = 20_000
_LONGEST: Final = 500


@dataclass(frozen=True, slots=True)
class StyleLooks:
    """Cell styles under which something is seen that is no value.

    Attributes:
        words: Style -> words that its number format writes beside the number.
        fills: Style -> colour of its cells, in the words of `colour_word`.
        unseen: Styles of text in the colour of its cell.
    """

    words: Mapping[int, str] = field(default_factory=dict)
    fills: Mapping[int, str] = field(default_factory=dict)
    unseen: frozenset[int] = frozenset()

    @property
    def styles(self) -> frozenset[int]:
        return frozenset({*self.words, *self.fills, *self.unseen})


NO_LOOKS: Final = StyleLooks()


class StyledCell(NamedTuple):
    """Row and column from 0, and its style."""

    row: int
    column: int
    style: int


def words_of_format(code: str) -> str:
    """Return the words that a format writes beside a number or day, currencies and what parts a day aside.

    >>> words_of_format('0.00" pagar à Bia"'), words_of_format('"R$" #,##0.00'), words_of_format('dd" de "mmmm')
    ('pagar à Bia', '', '')
    >>> words_of_format('dd/mm" cancelado"')
    'cancelado'
    """
    sections = (" ".join("".join(part) for part in _FORMAT_PART.findall(section)) for section in code.split(";"))
    shown = _USUAL.sub(" ", " ".join(dict.fromkeys(" ".join(section.split()) for section in sections)))
    return " ".join(shown.split()) if re.search(r"[^\W\d_]{2}", shown) else ""


def colour_word(rgb: str) -> str:
    """Name a colour as people do who speak of it.

    >>> [colour_word(rgb) for rgb in ("FFFF00", "FF0000", "C6EFCE", "D9D9D9", "FFFFFF", "DDEBF7")]
    ['yellow', 'red', 'green', 'grey', 'white', 'blue']
    """
    if rgb == _OTHER:
        return "other"
    hue, lightness, saturation = colorsys.rgb_to_hls(*(int(rgb[at : at + 2], 16) / 255 for at in (0, 2, 4)))
    if lightness > 0.99:
        return "white"
    if lightness < 0.05 or saturation < 0.12:
        return "black" if lightness < 0.2 else "grey"
    return next(word for below, word in _HUES if hue < below)


def looks_of(styles: Element, theme: Element | None) -> StyleLooks:
    """Read which styles show something beside values."""
    palette = _palette(theme)
    codes = {
        element.get("numFmtId", ""): element.get("formatCode", "")
        for element in styles.iter()
        if local_name(element) == "numFmt"
    }
    fonts = [_colour(_first(font, "color"), palette) for font in _children(styles, "fonts")]
    fills = [_filled(fill, palette) for fill in _children(styles, "fills")]
    words, coloured, unseen = dict[int, str](), dict[int, str](), set[int]()
    for style, look in enumerate(_children(styles, "cellXfs")):
        text, ground = _numbered(fonts, look.get("fontId")), _numbered(fills, look.get("fillId"))
        code = codes.get(look.get("numFmtId", ""), "")
        if shown := words_of_format(code):
            words[style] = shown
        if ground not in {None, _WHITE}:
            coloured[style] = colour_word(str(ground))
        if (text is not None and text == (ground or _WHITE)) or _SHOWS_NOTHING.fullmatch(code):
            unseen.add(style)
    return StyleLooks(words, coloured, frozenset(unseen))


_SHOWS_NOTHING: Final = re.compile(r"\s*;\s*;\s*;?\s*")


def _numbered(colours: Sequence[str | None], number: str | None) -> str | None:
    """Return the colour of a number; None where there is no such one: who damaged it has not damaged a cell."""
    at = int(number) if number and number.isdecimal() else 0
    return colours[at] if at < len(colours) else None


def _children(tree: Element, tag: str) -> Iterable[Element]:
    return next((element for element in tree if local_name(element) == tag), ())


def _first(element: Element, tag: str) -> Element | None:
    return next((inner for inner in element.iter() if local_name(inner) == tag), None)


def _palette(theme: Element | None) -> Mapping[str, str]:
    scheme = _first(theme, "clrScheme") if theme is not None else None
    return {
        local_name(colour): str(inner.get("lastClr") or inner.get("val", ""))
        for colour in (scheme if scheme is not None else ())
        for inner in colour
    }


def _filled(fill: Element, palette: Mapping[str, str]) -> str | None:
    pattern = _first(fill, "patternFill")
    if pattern is None or pattern.get("patternType", "none") == "none":
        return None
    ink = _first(pattern, "fgColor")
    return None if ink is None else _colour(ink, palette) or _OTHER


def _colour(element: Element | None, palette: Mapping[str, str]) -> str | None:
    """Return a colour as RRGGBB; None for the usual one, or one that is not known."""
    if element is None:
        return None
    number = element.get("theme") or element.get("indexed") or ""
    if rgb := element.get("rgb"):
        found = rgb[-6:].upper()
    elif not number.isdecimal():
        return None
    elif "theme" in element.keys():  # noqa: SIM118 - an element's attributes
        found = palette.get(_THEME[int(number)], "").upper() if int(number) < len(_THEME) else ""
    else:
        found = _INDEXED[int(number) % 8] if int(number) < 16 else ""
    if not re.fullmatch(r"[0-9A-F]{6}", found):
        return None
    tint = element.get("tint", "0")
    return _tinted(found, float(tint) if _TINT.fullmatch(tint) else 0.0)


_TINT: Final = re.compile(r"-?[01](?:\.[0-9]{1,20})?(?:[eE]-?[0-9]{1,2})?")


def _tinted(rgb: str, tint: float) -> str:
    parts = (int(rgb[at : at + 2], 16) for at in (0, 2, 4))
    moved = (part * (1 + tint) if tint < 0 else part + (255 - part) * tint for part in parts)
    return "".join(f"{min(255, max(0, round(part))):02X}" for part in moved)


def seen_in(cells: Iterable[StyledCell], looks: StyleLooks, ours: Collection[tuple[int, int]]) -> Iterator[SeenBeside]:
    """Yield what the cells of a sheet show beside their values: row from 1, column from 0.

    A row's colours are one entry, at column 0.

    Args:
        ours: Row and column of cells that Repasse has coloured.
    """
    colours = defaultdict[int, set[str]](set)
    count = 0
    for row, column, style in cells:
        if count < _MOST and (style in looks.words or style in looks.unseen):
            count += 1
            if style in looks.words:
                yield row + 1, column, Look.FORMAT, looks.words[style]
            if style in looks.unseen:
                yield row + 1, column, Look.UNSEEN, ""
        if style in looks.fills and (row + 1, column) not in ours:
            colours[row + 1].add(looks.fills[style])
    for row, found in islice(colours.items(), _MOST_ROWS):
        yield row, 0, Look.COLOUR, ", ".join(sorted(found))


def drawn_in(
    archive: zipfile.ZipFile, relations: Callable[[str], Mapping[str, tuple[str, str]]], part: str
) -> Iterator[SeenBeside]:
    """Yield what is drawn over a sheet: the text of boxes, and pictures, which nobody can read for it."""
    drawings = [target for kind, target in relations(part).values() if kind == "drawing"]
    for drawing in (target for target in drawings if target in archive.namelist()):
        for anchor in xml_tree(archive, drawing):
            row = _first(anchor, "row")
            at = int(row.text or 0) + 1 if row is not None and (row.text or "").isdecimal() else 0
            bodies = (body for body in anchor.iter() if local_name(body) == "txBody")
            text = " ".join("".join(line.itertext()) for body in bodies for line in body if local_name(line) == "p")
            if text.strip():
                yield at, 0, Look.BOX, " ".join(text.split())[:_LONGEST]
            elif _first(anchor, "pic") is not None:
                properties = _first(anchor, "cNvPr")
                name = properties.get("name", "") if properties is not None else ""
                yield at, 0, Look.PICTURE, name[:_LONGEST] or "?"
