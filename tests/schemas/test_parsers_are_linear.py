"""Twice the input takes twice the work: no cell, name, code or declaration that a stranger writes fells the program."""

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from itertools import pairwise, product

import pytest
from stdnum.br import cpf

from io_adapters.spreadsheets.yaml_text import yaml_words
from schemas.errors import ConfigurationError
from schemas.parsing.readers import _BY_CELL, LONGEST_REFERENCE, Convention, reader_factory
from schemas.sheet_cells import CellKind
from schemas.tables.model import ColumnKind
from schemas.values.brcode import read_brcode
from schemas.values.money import parse_amount
from schemas.values.names import is_plain_name, normal_reference, same_person, scripts_of
from schemas.values.pix_key import read_pix_key_type
from schemas.values.tax_id import require_tax_id
from tests.counted_steps import steps_of
from tests.sampled import sampled
from tests.schemas.sheets import COLUMNS, PIX_PAYEE, parse

ALLOWED = 2.3
SIZE = 300
PUMPS = ("0", "1.", "n. ", "#", "-", " / ", "'\"", "a1 ", "١", "é", ".,", "(", "\u200d", "=", "@a.", "Ⅷ", "ﷺ")
VALUES: dict[str, Callable[[str], object]] = {
    "normal_reference": normal_reference.__wrapped__,
    "same_person": same_person,
    "is_plain_name": is_plain_name,
    "scripts_of": scripts_of,
    "parse_amount": parse_amount,
    "require_tax_id": require_tax_id,
    "read_pix_key_type": read_pix_key_type,
    "read_brcode": read_brcode,
}
CONVENTION = Convention("auto", "BRL", "auto")


def pumped(pump: str, size: int, tail: str) -> str:
    return (pump * size)[: size - len(tail)] + tail


def assert_linear(compute: Callable[[str], object], write: Callable[[int], str], *, walks: bool = True) -> None:
    once, twice = write(SIZE), write(2 * SIZE)
    steps_of(partial(compute, write(SIZE // 2)))  # imports and compiled patterns belong to no text
    small, large = (steps_of(partial(compute, text), walks=walks) for text in (once, twice))
    assert large <= ALLOWED * small + 200, f"{small} steps for {SIZE} characters, {large} for twice as many"


def read_job(text: str) -> None:
    with suppress(ConfigurationError):
        yaml_words(text, "job.yaml")


@pytest.mark.parametrize(("name", "pump", "tail"), sampled(product(VALUES, PUMPS, ("", "7", "x")), one_in=4))
def test_a_value_twice_as_long_takes_twice_the_steps(name, pump, tail):
    assert_linear(VALUES[name], lambda size: pumped(pump, size, tail))


@pytest.mark.parametrize(
    ("kind", "pump"), sampled(product([*_BY_CELL, ColumnKind.PAYABLE, ColumnKind.DATE], PUMPS), one_in=4)
)
def test_a_cell_twice_as_long_takes_twice_the_steps(kind, pump):
    def read(text: str) -> object:
        return reader_factory(kind, CONVENTION)([(text, CellKind.TEXT)]).read(text, CellKind.TEXT)

    assert_linear(read, lambda size: pumped(pump, size, ""))


@pytest.mark.parametrize(
    "one", sampled(["[[x], ", "k{i}: {i}\n", "{a: ", "- ", "a: ", "x", "# c\n", "? ", "'", "- &a b\n"])
)
def test_a_declaration_twice_as_long_takes_twice_the_steps(one):
    # YAML looks ahead for a key over 1,024 characters, so that only what is longer tells how the steps grow.
    assert_linear(read_job, lambda size: "".join(one.replace("{i}", str(i)) for i in range(size)), walks=False)


def test_what_few_bytes_of_aliases_stand_for_is_never_made():
    names = "abcdefghijklmnop"
    lines = ["a: &a [x, x, x, x, x, x, x, x, x]"]
    for before, name in pairwise(names):
        lines.append(f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]")
    assert steps_of(lambda: read_job("\n".join(lines))) < 100_000
    with pytest.raises(ConfigurationError, match="anchors"):
        yaml_words("\n".join(lines), "job.yaml")


@pytest.mark.parametrize("text", ["[" * 5_000, "{a: " * 5_000, "k: 1\n" * 40_000, "[" + "1," * 60_000 + "]"])
def test_what_no_declaration_needs_is_refused_before_anything_is_made_of_it(text):
    with pytest.raises(ConfigurationError, match="no declaration"):
        yaml_words(text, "job.yaml")


def test_the_counting_finds_what_grows_with_the_square():
    def peel(text: str) -> str:
        while text.startswith("n"):
            text = text[1:]
        return text

    with pytest.raises(AssertionError, match="steps for"):
        assert_linear(peel, lambda size: "n" * size)
    assert_linear(str.casefold, lambda size: "n" * size)


def test_a_reference_fits_a_line_of_a_bank_statement():
    reader = reader_factory(ColumnKind.REFERENCE, CONVENTION)([])
    assert reader.read("x" * LONGEST_REFERENCE, CellKind.TEXT).code is None
    assert reader.read("x" * (LONGEST_REFERENCE + 1), CellKind.TEXT).value is None


ONE = PIX_PAYEE | {"amount": "10,00"}
# What many rows can have in common that is looked for among all of them: number of the row -> what it says.
CROWDS: dict[str, Callable[[int], dict[str, str]]] = {
    "all different": lambda at: {"name": f"Ana {word(at)}", "tax_id": tax_id(at), "pix_key": f"a{at}@example.com"},
    "one person": lambda at: {"reference": f"r{at}"},
    "one row again and again": lambda at: {},
    "one document under many names": lambda at: {"name": f"{word(at)} {word(at + 1)}", "reference": f"r{at}"},
    "one document under many names that agree": lambda at: {"name": f"Maria {word(at)}", "reference": f"r{at}"},
    "one document under two names, the other one last": lambda at: {"name": "Maria" if at % 400 else "Ana"},
    "one key of many people": lambda at: {"name": f"Ana {word(at)}", "tax_id": tax_id(at)},
    "one document with many keys": lambda at: {"pix_key": f"a{at}@example.com", "reference": f"r{at}"},
    "one amount and one reference of many people": lambda at: {"tax_id": tax_id(at), "reference": "r"},
    "nothing but problems": lambda at: {"tax_id": "1", "amount": "dez", "pix_key": "?", "name": "9"},
    "rows that say not to pay": lambda at: {"reference": f"já pago em {at}"},
}


def word(number: int) -> str:
    return "".join("abcdefghij"[int(digit)] for digit in f"{number:06}")


def tax_id(number: int) -> str:
    return (nine := f"{number + 100_000_000:09}") + cpf._calc_check_digits(nine)


@pytest.mark.parametrize(("table", "crowd"), sampled(product(("payments", "payees", "shares"), CROWDS), one_in=4))
def test_twice_the_rows_take_twice_the_steps(table, crowd):
    def rows(count: int) -> list[dict[str, str]]:
        written = [ONE | {"share": "0,01"} | CROWDS[crowd](at) for at in range(count)]
        names = [name for name in written[0] if name in COLUMNS[table][0]]
        return [{name: row[name] for name in names} for row in written]

    parse(table, *rows(50))
    small, large = (steps_of(partial(parse, table, *rows(count)), walks=False) for count in (400, 800))
    assert large <= ALLOWED * small, f"{small} steps for 400 rows, {large} for twice as many"
