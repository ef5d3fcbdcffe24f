"""The text of a new job file: what its files turned out to be and what a person answered, with a word on each line."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from schemas.layouts.drafting import yaml_scalar
from schemas.messages import render

_PLAIN_PATH: Final = re.compile(r"[A-Za-z.][A-Za-z0-9_./-]*")


@dataclass(frozen=True, slots=True)
class DraftedFiles:
    """Files that are read alike.

    Attributes:
        files: Paths relative to the job's folder.
        layout: What they are read with: a known layout, or the path of a drafted one.
        what: Id of the text that says what they are.
        sheet: Which sheet is meant; "" where there is no doubt.
        columns: Header -> canonical column, where a person had to say.
        currencies: Foreign currencies that need a rate.
    """

    files: tuple[str, ...]
    layout: str
    what: str
    sheet: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)
    currencies: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class JobDraft:
    """All that a new job file says.

    Attributes:
        name: The job's.
        payer_tax_id: Canonical or as written.
        payer_name: As written.
        period: A month, or `previous_month`.
        sources: What is paid from.
        beside: payees, shares, advances or opening -> its files.
        language: Of the comments and of what the job writes.
    """

    name: str
    payer_tax_id: str
    payer_name: str
    period: str
    sources: Sequence[DraftedFiles]
    beside: Mapping[str, DraftedFiles]
    language: str


def job_yaml(draft: JobDraft) -> str:
    """Write a job file: one screen, with comments in the person's language."""
    return "\n".join(_lines(draft)) + "\n"


def _lines(draft: JobDraft) -> Iterator[str]:
    def comment(key: str, **facts: object) -> str:
        return f"    # {render(f'new.{key}', draft.language, **facts)}"

    payer = f"{{tax_id: {_quoted(draft.payer_tax_id)}, name: {yaml_scalar(draft.payer_name)}}}"
    yield f"job: {yaml_scalar(draft.name)}{comment('job')}"
    yield f"payer: {payer}"
    yield f"period: {draft.period}{comment('period')}"
    yield ""
    yield "sources:"
    for source in draft.sources:
        yield from _source(source, draft.language)
    for table, files in draft.beside.items():
        yield f"{table}: {_beside(files)}{comment(f'is.{table}')}"
    if any(source.what == "statement" for source in draft.sources):
        for table in ("payees", "shares"):
            if table not in draft.beside:
                yield f"# {table}: {table}.xlsx{comment(f'is.{table}')}"
    yield ""
    yield f'rules: {{minimum_payout: "0.00", unmatched: hold, invalid_payee: hold}}{comment("rules")}'
    yield f'account_checks: {{budget: "25.00"}}{comment("checks")}'
    yield f"outputs: {{folder: out, language: {draft.language}}}{comment('outputs')}"


def _source(source: DraftedFiles, language: str) -> Iterator[str]:
    yield f"  - files: {_files(source.files)}"
    yield f"    layout: {_path(source.layout)}    # {render(f'new.what.{source.what}', language)}"
    if source.sheet:
        yield f"    sheet: {yaml_scalar(source.sheet)}"
    if source.columns:
        yield f"    columns: {_columns(source.columns)}    # {render('new.columns', language)}"
    for currency in source.currencies:
        rate = f'{{{currency}: {{rate: "0.0000", date: 2026-01-31, source: PTAX}}}}'
        yield f"    # exchange: {rate}    # {render('new.exchange', language, currency=currency)}"


def _beside(files: DraftedFiles) -> str:
    if not files.sheet and not files.columns:
        return _files(files.files)
    parts = [f"files: {_files(files.files)}"]
    parts += [f"sheet: {yaml_scalar(files.sheet)}"] if files.sheet else []
    parts += [f"columns: {_columns(files.columns)}"] if files.columns else []
    return f"{{{', '.join(parts)}}}"


def _files(paths: Sequence[str]) -> str:
    written = [_path(path) for path in paths]
    return written[0] if len(written) == 1 else f"[{', '.join(written)}]"


def _columns(columns: Mapping[str, str]) -> str:
    return f"{{{', '.join(f'{yaml_scalar(header)}: {column}' for header, column in columns.items())}}}"


def _path(path: str) -> str:
    return path if _PLAIN_PATH.fullmatch(path) else _quoted(path)


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
