"""What a job says of the headers of its files, under `columns`: one answer each, for every table."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from schemas.layouts.drafting import yaml_scalar
from schemas.layouts.headers import with_columns
from schemas.layouts.layout import Layout, fold


class CellsOf(StrEnum):
    """What the cells of a column are, all of them where nothing else is said."""

    TEXT = "text"
    WHOLE_NUMBER = "whole_number"
    MONEY = "money"  # most of them, percentages among it
    DATE = "date"
    YES_NO = "yes_no"


@dataclass(frozen=True, slots=True)
class IgnoredWhile:
    """An answer that stands as long as the cells are of this kind; others are asked about again."""

    kind: CellsOf


# What a job says of a header: the column it is, one of these two words, or the texts by which rows are asked for.
ColumnAnswer = str | tuple[str, ...] | IgnoredWhile
REMARK: Final = "remark"
IGNORED: Final = "ignored"


def answer_value(answer: ColumnAnswer) -> str | dict[str, str | list[str]]:
    """Return an answer as the value that stands behind its header in a job file."""
    if isinstance(answer, IgnoredWhile):
        return {IGNORED: str(answer.kind)}
    return answer if isinstance(answer, str) else {"only": list(answer)}


def answer_yaml(answer: ColumnAnswer) -> str:
    """Write an answer as a job file has it.

    >>> answer_yaml("amount"), answer_yaml(("Pendente", "Em aberto")), answer_yaml(IgnoredWhile(CellsOf.DATE))
    ('amount', '{only: [Pendente, Em aberto]}', '{ignored: date}')
    """
    value = answer_value(answer)
    if isinstance(value, str):
        return value
    ((word, what),) = value.items()
    return f"{{{word}: {what if isinstance(what, str) else '[' + ', '.join(map(yaml_scalar, what)) + ']'}}}"


def columns_yaml(answers: Mapping[str, ColumnAnswer]) -> str:
    """Write what is said of headers as a job file has it, in one line."""
    return f"{{{', '.join(f'{yaml_scalar(header)}: {answer_yaml(answer)}' for header, answer in answers.items())}}}"


def columns_among(answers: Mapping[str, ColumnAnswer]) -> dict[str, str]:
    """Return header -> column, of the answers that name one."""
    return {
        header: answer
        for header, answer in answers.items()
        if isinstance(answer, str) and answer not in {REMARK, IGNORED}
    }


def over(answers: Mapping[str, ColumnAnswer], others: Mapping[str, ColumnAnswer]) -> dict[str, ColumnAnswer]:
    """Return all answers; of a header that is in both, however it is written, the others'."""
    said = set(map(fold, others))
    return {header: answer for header, answer in answers.items() if fold(header) not in said} | dict(others)


def with_answers(layout: Layout, answers: Mapping[str, ColumnAnswer]) -> Layout:
    """Return a layout with what a job says of headers, whatever it says of them itself."""
    only = {header: list(answer) for header, answer in answers.items() if isinstance(answer, tuple)}
    kinds = {header: answer.kind for header, answer in answers.items() if isinstance(answer, IgnoredWhile)}
    left = {word: [header for header, answer in answers.items() if answer == word] for word in (REMARK, IGNORED)}
    ignored = [*left[IGNORED], *kinds]
    changes = {"only": only, "ignore_columns": ignored, "ignored_kinds": kinds, "remarks": left[REMARK]}
    return with_columns(layout, columns_among(answers)).model_copy(update=changes)
