"""Matching headers to columns: as a layout declares them, and as people usually write them."""

import functools
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from schemas.layouts.layout import Layout, fold
from schemas.raw_table import column_letter
from schemas.words import vocabulary

_WORDS: Final = vocabulary("headers")
_USUAL: Final[dict[str, list[str]]] = _WORDS["columns"]

# Between the title of a group and the header below it, where both together are the header of a column.
GROUP_MARK: Final = " > "

_BRACKETS: Final = re.compile(r"[(\[{]([^()\[\]{}]*)[)\]}]")
_MONEY_WORD: Final = re.compile(
    r"(?:\b(?:em|in|en)\s+)?(?:[RU]S?\$|\$|€|£|\b(?:BRL|USD|EUR|GBP|ARS|MXN|CLP|COP|CAD|JPY|CHF|reais)\b)",
    re.IGNORECASE,
)
_OF_THE_PAYEE: Final = re.compile(
    r"\b(?:d[oa]|del|of(?:\s+the)?)\s+(?:favorecid[oa]|benefici[aá]ri[oa]|recebedor|credor|payee|beneficiary|recipient)"
    r"(?:\([ao]\))?\s*$",
    re.IGNORECASE,
)
# Without any of these, a header has no units, hints or payee to be left out.
_ADORNED: Final = re.compile(rf"[(\[{{]|{_MONEY_WORD.pattern}|{_OF_THE_PAYEE.pattern}", re.IGNORECASE)
# What may stand in brackets and says nothing of which column it is.
_HINT: Final = re.compile(
    r"%|em|(?:em)?percentual|percent|"
    r"(?:(?:com|sem|c|s)(?:o)?(?:digito|dv|pontos?|tracos?|hifen|mascara|espacos?)(?:verificador)?)+|"
    r"(?:so|somente|apenas|only)(?:numeros|digitos|numbers|digits)|[0-9]+(?:digitos|digits)|"
    r"obrigatori[oa]|opcional|required|optional|sehouver|setiver|ifany|texto|text|"
    r"(?:dd|mm|aaaa|yyyy|aa|yy)+|(?:ex|exemplo|eg).+"
)
_KINDS_OF_KEY: Final = re.compile(
    r"(?:cpf|cnpj|email|celular|cel|telefone|tel|fone|chavealeatoria|aleatoria|aleatorio|evp|ou|e|or|etc|phone|random)+"
)
_HAVE_KINDS: Final = frozenset({"pix_key", "pix_key_type", "tax_id"})


@dataclass(frozen=True, slots=True)
class HeaderMatch:
    """What a header row says about a layout's columns. Positions count from 0, column A.

    Attributes:
        positions: Canonical column -> position; a column that more than one header claims is not in it.
        duplicates: Canonical column -> the positions that claim it, two or more.
    """

    positions: dict[str, int]
    duplicates: dict[str, tuple[int, ...]]
    missing: tuple[str, ...]
    unknown: tuple[int, ...]
    ignored: tuple[int, ...]

    @property
    def claimed(self) -> frozenset[str]:
        return frozenset((*self.positions, *self.duplicates))

    @property
    def claims(self) -> int:
        return len(self.positions) + sum(map(len, self.duplicates.values()))


def match_headers(headers: Sequence[str], layout: Layout) -> HeaderMatch:
    """Tell which header is which column of a layout.

    Args:
        headers: Texts of the header row, from column A; "" for a column without one, which a job names by its letter.

    Returns:
        Every position with a header in exactly one of positions, duplicates, unknown and ignored.
    """
    declared = {fold(alias): column for column, aliases in layout.columns.items() for alias in aliases}
    not_read = set(map(fold, layout.not_columns))
    left_alone, remarks = set(map(fold, layout.ignore_columns)), set(map(fold, layout.remarks))
    claims: dict[str, list[int]] = {}
    rest: dict[str, list[int]] = {_UNKNOWN: [], _IGNORED: [], _RIVAL: []}
    column = ""
    for position, header in enumerate(headers):
        folded = fold(header)
        if not folded:
            rest[_IGNORED] += [position] if fold(column_letter(position)) in left_alone else []
            continue
        left, column = column, declared.get(folded) or (_IGNORED if folded in not_read else "")
        if not column and layout.usual_headers:
            column = _usual_column(header, layout, declared, not_read)
        if left == "agency" and folded in _A_DIGIT_FOLDED:
            column = _IGNORED  # the service takes an agency without it
        if folded in left_alone:
            column = _IGNORED
        elif folded in remarks:
            column = ""
        if column in rest or not column:
            rest[column or _UNKNOWN].append(position)
        else:
            claims.setdefault(column, []).append(position)
    if "amount" in claims:
        claims["amount"] = sorted((*claims["amount"], *rest[_RIVAL]))
        rest[_RIVAL] = []
    return HeaderMatch(
        positions={column: found[0] for column, found in claims.items() if len(found) == 1},
        duplicates={column: tuple(found) for column, found in claims.items() if len(found) > 1},
        missing=tuple(column for column in layout.required if column not in claims),
        unknown=tuple(sorted((*rest[_UNKNOWN], *rest[_RIVAL]))),
        ignored=tuple(rest[_IGNORED]),
    )


_UNKNOWN, _IGNORED, _RIVAL = "?", "-", "?amount"


def _usual_column(header: str, layout: Layout, declared: Mapping[str, str], not_read: set[str]) -> str:
    """Return the column of a header that is not declared as it stands; "" for none, or a mark of another fate."""
    usual = _usual_of(layout.table)
    for spelling in _spellings(header):
        folded = spelling.folded
        if folded in not_read:
            return _IGNORED
        if folded in _RIVALS_FOLDED and "amount" in layout.columns and "amount" not in layout.exact:
            return _RIVAL
        if folded in _NEITHER_FOLDED:
            return ""
        columns = (declared.get(folded, ""), *usual.get(folded, ()))
        open_to = [column for column in columns if column and spelling.may_be(column)]
        for column in open_to:
            if column in layout.columns and column not in layout.exact:
                return column
        if any(column in _columns_of(not_read) for column in open_to):
            return _IGNORED
    return ""


@dataclass(frozen=True, slots=True)
class _Spelling:
    """One way to read a header: what is left of it, and whether kinds of keys stood beside that in brackets."""

    folded: str
    names_kinds: bool = False

    def may_be(self, column: str) -> bool:
        return not self.names_kinds or column in _HAVE_KINDS


@functools.lru_cache(maxsize=4096)  # each row in which a header is looked for, under each layout
def _spellings(header: str) -> tuple[_Spelling, ...]:
    """Return the ways to read a header, the fullest first: with the title of its group, without units and hints."""
    return tuple(_all_spellings(header))


def _all_spellings(header: str) -> Iterator[_Spelling]:
    group, _, own = header.rpartition(GROUP_MARK)
    for text in (f"{own} {group}", f"{group} {own}", own) if group else (own,):
        yield _Spelling(fold(text))
        if not _ADORNED.search(text):
            continue
        hints = [fold(_MONEY_WORD.sub("", inner)) for inner in _BRACKETS.findall(text)]
        kinds = [hint for hint in hints if hint and not _HINT.fullmatch(hint)]
        if all(_KINDS_OF_KEY.fullmatch(hint) for hint in kinds):
            plain = _OF_THE_PAYEE.sub("", _MONEY_WORD.sub(" ", _BRACKETS.sub(" ", text)))
            yield _Spelling(fold(plain), names_kinds=bool(kinds))


_RIVALS_FOLDED: Final = frozenset(map(fold, _WORDS["rivals"]))
_NEITHER_FOLDED: Final = frozenset(map(fold, _WORDS["neither"]))
_A_DIGIT_FOLDED: Final = frozenset(map(fold, _WORDS["digits"]))


def is_about_the_amount(header: str) -> bool:
    """Tell whether a header is one that people write over what is paid, or over what is not always that."""
    usual = _usual_of("payments")
    folded = [spelling.folded for spelling in _spellings(header)]
    return any(text in _RIVALS_FOLDED or "amount" in usual.get(text, ()) for text in folded)


@functools.cache
def _usual_of(table: str) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    of_table = {"amount": [*_USUAL["amount"], *_WORDS["advances"]]} if table == "advances" else {}
    for column, headers in (_USUAL | of_table).items():
        for header in headers:
            found[fold(header)] = tuple(dict.fromkeys((*found.get(fold(header), ()), column)))
    return found


def _columns_of(folded: set[str]) -> frozenset[str]:
    """Return the columns that headers usually are: where one of a column's headers is not read, none of them is."""
    return _usual_columns_of(frozenset(folded))


@functools.cache
def _usual_columns_of(folded: frozenset[str]) -> frozenset[str]:
    usual = _usual_of("")
    return frozenset(column for header in folded for column in usual.get(header, ()))


def usual_columns(table: str, columns: Collection[str]) -> dict[str, str]:
    found = {header: [column for column in usual if column in columns] for header, usual in _usual_of(table).items()}
    return {header: usual[0] for header, usual in found.items() if usual}


def with_columns(layout: Layout, chosen: Mapping[str, str]) -> Layout:
    """Return a layout that reads some headers as columns, whatever it says of them itself.

    Args:
        chosen: Header, as the file has it -> canonical column; no other header is then that column.
    """
    if not chosen:
        return layout
    taken = {fold(header) for header in chosen}
    columns = {
        column: [alias for alias in aliases if fold(alias) not in taken]
        for column, aliases in layout.columns.items()
        if column not in chosen.values()
    }
    columns = {column: aliases or [column] for column, aliases in columns.items()}
    for header, column in chosen.items():
        columns.setdefault(column, []).append(header)
    renamed = {
        fold(alias): columns[column][0] for column in chosen.values() for alias in layout.columns.get(column, ())
    }
    deciding = [renamed.get(fold(header), header) for header in layout.recognise.headers]
    return layout.model_copy(
        update={
            "columns": columns,
            "exact": sorted({*layout.exact, *chosen.values()}),
            "ignored": [header for header in layout.ignored if fold(header) not in taken],
            "recognise": layout.recognise.model_copy(update={"headers": deciding}),
        }
    )
