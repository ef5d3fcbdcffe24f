"""A grid in a terminal of any width: no figure is cut off, no word and no id is broken, and a name runs nothing."""

import datetime as dt
import io
from decimal import Decimal

import pytest
from rich.console import Console

from flows.cli.printing import show_grid
from io_adapters.outputs.grid import Field, Grid, GridColumn, Toned, field_text
from schemas.messages import Money
from schemas.states import Tone

HEADERS = ("Execução", "Favorecido", "Saldo levado", "Pagamentos", "Vezes", "Enviado em", "Situação", "Motivo")
ROWS: list[tuple[Field, ...]] = [
    (
        *("20261126T121151-d348cd", "Ana Exemplo da Silva", Money(123_456_789), 10_000, Decimal("100.0")),
        *(dt.date(2026, 10, 31), Toned("concluída", Tone.GOOD), "nenhuma participação cobre estas linhas"),
    ),
    (
        "20261126T121150-c5c58f",
        "[bold]=Bia[/bold]\x1b[31m",
        Money(-5),
        0,
        None,
        None,
        Toned("em dúvida", Tone.TROUBLE),
        "",
    ),
]
TOTAL: tuple[Field, ...] = ("Total", "", Money(123_456_784, "BRL"), 10_000, None, None, "", "")
GRID = Grid("Contas", [GridColumn(header) for header in HEADERS], ROWS, ["uma nota"], TOTAL)


def shown(grid: Grid, width: int, **options: int) -> str:
    console = Console(file=io.StringIO(), width=width, highlight=False)
    show_grid(console, grid, "pt-BR", **options)
    return console.file.getvalue()


@pytest.mark.parametrize("width", [20, 40, 60, 80, 100, 160, 400])
def test_every_figure_and_every_word_stands_whole_whatever_the_width(width):
    text = shown(GRID, width)
    fields = [field for row in (*ROWS[:1], TOTAL) for field in row] + [ROWS[1][0], ROWS[1][2]]
    for field in fields:
        whole = field_text(field, "pt-BR")
        parts = whole.split() if isinstance(field, str | Toned) else [whole]
        assert [part for part in parts if part not in text] == []
    for header in HEADERS:
        assert all(word in text for word in header.split())


def test_what_others_wrote_is_neither_markup_nor_a_command_to_the_terminal():
    text = shown(GRID, 200)
    assert "[bold]=Bia[/bold]" in text
    assert "\x1b" not in text


def test_a_long_grid_is_cut_and_says_by_how_much():
    long = Grid("Linhas", [GridColumn("Linha")], [(number,) for number in range(1, 31)])
    text = shown(long, 80, most_rows=12)
    assert "12" in text
    assert "13" not in text
    assert "... e mais 18" in text


def test_a_grid_that_says_nothing_is_not_shown():
    assert shown(Grid("Nada", [GridColumn("x")], []), 80) == ""
