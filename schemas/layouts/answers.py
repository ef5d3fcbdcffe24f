"""What a job says of the headers of its files, under `columns`: one answer each, for every table."""

from collections.abc import Mapping
from typing import Final

from schemas.layouts.drafting import yaml_scalar
from schemas.layouts.headers import with_columns
from schemas.layouts.layout import Layout

# What a job says of a header: the column it is, one of these two words, or the texts by which rows are asked for.
ColumnAnswer = str | tuple[str, ...]
REMARK: Final = "remark"
IGNORED: Final = "ignored"


def answer_yaml(answer: ColumnAnswer) -> str:
    """Write an answer as a job file has it.

    >>> answer_yaml("amount"), answer_yaml(("Pendente", "Em aberto"))
    ('amount', '{only: [Pendente, Em aberto]}')
    """
    return answer if isinstance(answer, str) else f"{{only: [{', '.join(map(yaml_scalar, answer))}]}}"


def columns_among(answers: Mapping[str, ColumnAnswer]) -> dict[str, str]:
    """Return header -> column, of the answers that name one."""
    return {
        header: answer
        for header, answer in answers.items()
        if isinstance(answer, str) and answer not in {REMARK, IGNORED}
    }


def with_answers(layout: Layout, answers: Mapping[str, ColumnAnswer]) -> Layout:
    """Return a layout with what a job says of headers, whatever it says of them itself."""
    only = {header: list(answer) for header, answer in answers.items() if not isinstance(answer, str)}
    left = {word: [header for header, answer in answers.items() if answer == word] for word in (REMARK, IGNORED)}
    changes = {"only": only, "ignore_columns": left[IGNORED], "remarks": left[REMARK]}
    return with_columns(layout, columns_among(answers)).model_copy(update=changes)
