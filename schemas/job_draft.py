"""Drafting a job file: its text, made from what files turned out to be and what a person answered."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from schemas.layouts.answers import ColumnAnswer, columns_yaml
from schemas.layouts.drafting import yaml_scalar
from schemas.layouts.layout import fold
from schemas.layouts.money_column import ISO_CODE
from schemas.messages import Message, render
from schemas.plan import HOME_CURRENCY
from schemas.values.money import exact_text, read_amount_text
from schemas.values.reading import MONTHS

_PLAIN_PATH: Final = re.compile(r"[A-Za-z.][A-Za-z0-9_./-]*")
_PERIOD_IN_A_NAME: Final = re.compile(r"[-_ ]?\b(?:19|20)[0-9]{2}(?:[-_.]?(?:0[1-9]|1[0-2]))?\b")
_LONGEST_NAME: Final = 63
# What a person says of sheets that are alike, where the rows of all of them are meant: one for each band.
EVERY_SHEET: Final = "*"
# Tables that people are paid from; all others stand beside them.
SOURCE_TABLES: Final = frozenset({"payments", "royalty_lines"})


@dataclass(frozen=True, slots=True)
class DraftedLayout:
    """A layout that has to stand beside the job, as a file."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class DraftedFiles:
    """Files that are read alike.

    Attributes:
        sheets: Which sheets are meant; none where there is no doubt.
        columns: Header -> what it is, where a person had to say.
        received: Currency -> what the bank got for them, as far as a person has said.
    """

    files: tuple[str, ...]
    layout: str
    what: str
    sheets: tuple[str, ...] = ()
    columns: Mapping[str, ColumnAnswer] = field(default_factory=dict)
    currencies: tuple[str, ...] = ()
    received: Mapping[str, str] = field(default_factory=dict)
    beside: DraftedLayout | None = None

    @property
    def foreign(self) -> tuple[str, ...]:
        return tuple(currency for currency in self.currencies if currency != HOME_CURRENCY)


@dataclass(frozen=True, slots=True)
class JobDraft:
    """All that a new job file says.

    Attributes:
        tables: payees, shares, advances or opening -> its files.
    """

    name: str
    payer_tax_id: str
    payer_name: str
    period: str
    sources: Sequence[DraftedFiles]
    tables: Mapping[str, DraftedFiles]
    language: str
    four_eyes: bool = False
    key_types: bool = False


def join_files(files: Iterable[DraftedFiles]) -> list[DraftedFiles]:
    """Put files together that are read alike."""
    found: list[DraftedFiles] = []
    for drafted in files:
        alike = next((at for at, other in enumerate(found) if replace(other, files=drafted.files) == drafted), None)
        if alike is None:
            found.append(drafted)
        else:
            found[alike] = replace(found[alike], files=(*found[alike].files, *drafted.files))
    return found


def name_of_file(file_name: str) -> str:
    """Make a job's name of a file's, without the month in it: small letters, digits and hyphens.

    >>> name_of_file("Cachês outubro 2026-10.xlsx"), name_of_file("2026-10.csv")
    ('caches', '2026-10')
    """
    stem = _PERIOD_IN_A_NAME.sub("", file_name.split(".", maxsplit=1)[0]) or file_name.split(".", maxsplit=1)[0]
    words = [word for part in re.split(r"[^\w]|_", stem) if (word := fold(part)) and word.isascii()]
    plain = "-".join([word for word in words if word not in MONTHS] or words)
    return plain[:_LONGEST_NAME].strip("-") or "job"


def received_as_typed(text: str, currencies: Sequence[str], exchanged: str = "") -> dict[str, str]:
    """Read what the bank got for a statement as a person types it; several currencies are parted by semicolons.

    >>> received_as_typed("1.234,56", ["BRL"]), received_as_typed("USD 12.50; EUR 3,00", ["EUR", "USD"])
    ({'BRL': '1234.56'}, {'USD': '12.5', 'EUR': '3'})

    Args:
        currencies: Those of the statement; where it names none, each amount has to name its own.
        exchanged: The currency of the house, in which the bank may have got it instead; "" where that says nothing.

    Raises:
        ValueError: it is no such thing.
    """
    found: dict[str, str] = {}
    for part in text.split(";"):
        amount = read_amount_text(part.strip())
        if amount is None or amount.ambiguous or amount.negative or amount.exponent:
            raise ValueError
        currency = amount.currency or (currencies[0] if len(currencies) == 1 else "")
        value = amount.value(amount.mark or ".")
        is_known = currency in {*currencies, exchanged} - {""} if currencies else ISO_CODE.fullmatch(currency)
        if not is_known or currency in found or not value:
            raise ValueError
        found[currency] = exact_text(value)
    return found


def right_of_received(currencies: Sequence[str]) -> Message:
    """Say how a person writes what the bank got for a statement in these currencies, or in none that it names."""
    if not currencies:
        return Message("new.right.received_open")
    return Message("new.right.received", currencies=", ".join(currencies))


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
    for table, files in draft.tables.items():
        yield f"{table}: {_beside(files)}{comment(f'is.{table}')}"
    if any(source.what == "statement" for source in draft.sources):
        for table in ("payees", "shares"):
            if table not in draft.tables:
                yield f"# {table}: {table}.xlsx{comment(f'is.{table}')}"
    if draft.key_types:
        yield f"pix_key_types: as_shown{comment('key_types')}"
    yield ""
    yield f'rules: {{minimum_payout: "0.00", unmatched: hold, invalid_payee: hold}}{comment("rules")}'
    yield f'account_checks: {{budget: "25.00"}}{comment("checks")}'
    if draft.four_eyes:
        yield f"approval: {{identities: signed_in, other_than_preparer: true}}{comment('approval')}"
    yield f"outputs: {{folder: out, language: {draft.language}}}{comment('outputs')}"


def _source(source: DraftedFiles, language: str) -> Iterator[str]:
    yield f"  - files: {_files(source.files)}"
    yield f"    layout: {_path(source.layout)}    # {render(f'new.what.{source.what}', language)}"
    if source.sheets:
        yield f"    sheet: {_sheets(source.sheets)}"
    if source.columns:
        yield f"    columns: {columns_yaml(source.columns)}    # {render('new.columns', language)}"
    for currency in source.foreign:
        rate = f'{{{currency}: {{rate: "0.0000", date: 2026-01-31, source: PTAX}}}}'
        yield f"    # exchange: {rate}    # {render('new.exchange', language, currency=currency)}"
    if source.what != "payments":
        amounts = source.received or {next(iter(source.currencies), HOME_CURRENCY): "0.00"}
        stated = ", ".join(f'{currency}: "{amount}"' for currency, amount in amounts.items())
        mark = "" if source.received else "# "
        yield f"    {mark}received: {{{stated}}}    # {render('new.received', language)}"


def _beside(files: DraftedFiles) -> str:
    if not (files.sheets or files.columns):
        return _files(files.files)
    parts = [f"files: {_files(files.files)}"]
    parts += [f"sheet: {_sheets(files.sheets)}"] if files.sheets else []
    parts += [f"columns: {columns_yaml(files.columns)}"] if files.columns else []
    return f"{{{', '.join(parts)}}}"


def _sheets(titles: Sequence[str]) -> str:
    written = ", ".join(map(yaml_scalar, titles))
    return written if len(titles) == 1 else f"[{written}]"


def _files(paths: Sequence[str]) -> str:
    written = [_path(path) for path in paths]
    return written[0] if len(written) == 1 else f"[{', '.join(written)}]"


def _path(path: str) -> str:
    return path if _PLAIN_PATH.fullmatch(path) else _quoted(path)


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
