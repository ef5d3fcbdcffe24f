"""What was decided while a file was parsed, for people."""

from collections.abc import Iterable
from decimal import Decimal
from enum import StrEnum
from typing import Final


class Decision(StrEnum):
    """What the cells of a column left open, and the layout or the other cells decided."""

    DECIMAL_COMMA = "decimal_comma"
    DECIMAL_POINT = "decimal_point"
    DAY_FIRST = "day_first"
    MONTH_FIRST = "month_first"


_PT: Final = {
    "decimal_comma": "vírgula decimal",
    "decimal_point": "ponto decimal",
    "day_first": "dia antes do mês",
    "month_first": "mês antes do dia",
    "left_out_1": "1 linha deixada de fora",
    "left_out": "{n} linhas deixadas de fora",
    "totals_1": "1 linha de total deixada de fora",
    "totals": "{n} linhas de total deixadas de fora",
    "of_them_not_compared": "{n} delas sem comparação com as linhas",
    "not_compared": "sem comparação com as linhas",
    "control_compared": "totais de controle conferidos: {found}",
    "control_not_compared": "totais de controle sem comparação com as linhas",
    "lines_1": "1 linha",
    "lines": "{n} linhas",
    "hidden_rows": "linhas {found}",
    "hidden_columns": "colunas {found}",
}
_EN: Final = {
    "decimal_comma": "decimal comma",
    "decimal_point": "decimal point",
    "day_first": "day before month",
    "month_first": "month before day",
    "left_out_1": "1 row left out",
    "left_out": "{n} rows left out",
    "totals_1": "1 totals row left out",
    "totals": "{n} totals rows left out",
    "of_them_not_compared": "{n} of them not compared with the lines",
    "not_compared": "not compared with the lines",
    "control_compared": "control totals compared: {found}",
    "control_not_compared": "control totals not compared with the lines",
    "lines_1": "1 row",
    "lines": "{n} rows",
    "hidden_rows": "rows {found}",
    "hidden_columns": "columns {found}",
}


def decisions_of(decided: Iterable[Decision], left_out: int, language: str) -> list[str]:
    """Say what was decided for columns, each thing once, and how many rows the layout left out."""
    told = [say(decision, language) for decision in dict.fromkeys(decided)]
    return [*told, say("left_out", language, n=left_out)] if left_out else told


def say(key: str, language: str, **facts: object) -> str:
    """Return a phrase; one that counts has its singular under the key and "_1".

    >>> say("totals", "en", n=2), say("totals", "pt-BR", n=1)
    ('2 totals rows left out', '1 linha de total deixada de fora')
    """
    phrases = _PT if language == "pt-BR" else _EN
    return phrases.get(f"{key}_{facts.get('n')}", phrases[key]).format(**facts)


def tell_amount(value: Decimal, decimals: int, language: str) -> str:
    """Write an amount with separators, rounded to some decimals.

    >>> tell_amount(Decimal("1234.5"), 2, "pt-BR"), tell_amount(Decimal("-0.0000001"), 7, "en")
    ('1.234,50', '-0.0000001')
    """
    written = f"{value:,.{decimals}f}"
    return written.translate(str.maketrans(",.", ".,")) if language == "pt-BR" else written
