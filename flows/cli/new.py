"""new, layouts: a job file from spreadsheets, asking what they do not say; model sheets; known layouts."""

import json
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from flows.cli.ending import AsJson, Result, command, console_for, ended
from schemas.errors import ConfigurationError, ExitCode, errors_in_language
from schemas.messages import Message, render

if TYPE_CHECKING:
    from schemas.job_draft import DraftedFiles, JobDraft
    from schemas.layouts.drafting import Possibilities, Possibility
    from schemas.layouts.layout import Layout
    from schemas.sheet_cells import View


# What a file is whose layout has to be drafted, as an answer.
DRAFT: Final = "draft"
_NOT_KNOWN: Final = "-"
_MONTH: Final = re.compile(r"[0-9]{4}-(?:0[1-9]|1[0-2])|previous_month")

Sheets = Annotated[list[Path] | None, typer.Argument(metavar="[SHEET...]", help="Spreadsheets.", show_default=False)]


def new(  # an option for every answer
    sheets: Sheets = None,
    payer_tax_id: Annotated[str, typer.Option(metavar="DOC", help="CPF or CNPJ of whoever pays.")] = "",
    payer_name: Annotated[str, typer.Option(metavar="NAME", help="Who pays.")] = "",
    period: Annotated[str, typer.Option(metavar="MONTH", help="Such as 2026-10.")] = "",
    table: Annotated[list[str] | None, typer.Option("--as", metavar="[FILE=]TABLE", help="What a file is.")] = None,
    column: Annotated[list[str] | None, typer.Option(metavar="HEADER=COLUMN", help="Which column a header is.")] = None,
    only: Annotated[list[str] | None, typer.Option(metavar="HEADER=TEXT", help="Which rows are asked for.")] = None,
    ignore_column: Annotated[
        list[str] | None, typer.Option(metavar="HEADER", help="A column that says nothing of what is to be paid.")
    ] = None,
    sheet: Annotated[list[str] | None, typer.Option(metavar="[FILE=]SHEET", help="Which sheet is meant.")] = None,
    received: Annotated[
        list[str] | None, typer.Option(metavar="[FILE=]AMOUNT", help="What the bank got for a statement.")
    ] = None,
    job: Annotated[Path | None, typer.Option(metavar="FILE", help="The job file; job.yaml beside the sheet.")] = None,
    models: Annotated[Path | None, typer.Option(metavar="DIR", help="Write model sheets there instead.")] = None,
    language: Annotated[str, typer.Option(metavar="LANG", help="pt-BR or en.")] = "pt-BR",
    as_json: AsJson = False,
) -> Result:
    """Make a job file from spreadsheets; --models writes some.

    Asks at the terminal what the files do not tell; each answer is an option, too.
    """
    if language not in {"pt-BR", "en"}:
        raise ConfigurationError(Message("error.new_answer", option="--language", right="pt-BR, en"))
    with errors_in_language("en" if language == "en" else "pt-BR"):
        if models is not None:
            return _write_models(models, language, as_json=as_json)
        if not sheets:
            raise ConfigurationError(Message("error.new_nothing"))
        given = _Given(
            tuple(table or ()),
            tuple(column or ()),
            tuple(sheet or ()),
            tuple(only or ()),
            tuple(ignore_column or ()),
            tuple(received or ()),
        )
        asking = Asking(language, to_stderr=as_json, is_answered=sys.stdin.isatty())
        payer = (payer_tax_id, payer_name)
        return _write_job(sheets, given, asking, payer, period, job or sheets[0].parent / "job.yaml", as_json=as_json)


@dataclass(frozen=True, slots=True)
class _Given:
    """Answers given as options."""

    tables: tuple[str, ...]
    columns: tuple[str, ...]
    sheets: tuple[str, ...]
    only: tuple[str, ...]
    ignored: tuple[str, ...]
    received: tuple[str, ...]

    def of_file(self, options: Sequence[str], file: str) -> str:
        """Return what an option says of a file: by its name, or of all files."""
        named = [option.removeprefix(f"{file}=") for option in options if option.startswith(f"{file}=")]
        plain = [option for option in options if "=" not in option]
        return next(iter((*named, *plain)), "")

    def header_of(self, column: str, headers: Sequence[str]) -> str:
        """Return the header that is said to be a column, of those a file has."""
        pairs = [option.rpartition("=") for option in self.columns]
        return next((header for header, _, of in pairs if of == column and header in headers), "")

    def only_in(self, headers: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """Return header -> texts of the rows that are asked for, of the headers a file has."""
        pairs = [option.partition("=") for option in self.only]
        found = {header: tuple(text for of, _, text in pairs if of == header) for header in headers}
        return {header: texts for header, texts in found.items() if texts}


@dataclass(slots=True)
class Asking:
    """Asks a person at the terminal; where nobody sits there, collects what would have been asked.

    Attributes:
        to_stderr: Whether questions go there, since a document goes to standard output.
        is_answered: Whether somebody is at the terminal.
        unanswered: Options that would have answered.
    """

    language: str
    to_stderr: bool
    is_answered: bool
    unanswered: list[str] = field(default_factory=list)

    def answer(self, given: str, question: Message, option: str, check: Callable[[str], str], right: Message) -> str:
        """Return a sound answer: the one given, or the one a person types.

        Args:
            given: By an option; "" when it was not.
            check: Returns the answer as it is written down; raises ValueError for a wrong one.

        Raises:
            ConfigurationError: the answer given is wrong.
        """
        if given:
            try:
                return check(given)
            except ValueError:
                raise ConfigurationError(Message("error.new_answer", option=option, right=right)) from None
        if not self.is_answered:
            self.unanswered.append(option)
            return ""
        while True:
            typed = typer.prompt(render(question, self.language), err=self.to_stderr)
            try:
                return check(typed.strip())
            except ValueError:
                typer.echo(render(right, self.language), err=self.to_stderr)

    def choose(self, given: str, question: str, option: str, choices: Sequence[str], **facts: object) -> str:
        """Return one of several choices; by number, too, when it is typed."""
        shown = ", ".join(f"{number} {choice}" for number, choice in enumerate(choices, start=1))

        def check(text: str) -> str:
            if text in choices:
                return text
            return choices[range(1, len(choices) + 1).index(int(text))]

        right = Message("new.right.choice", choices=", ".join(choices))
        return self.answer(given, Message(question, choices=shown, **facts), option, check, right)


def _sound_tax_id(text: str) -> str:
    from schemas.values.tax_id import require_tax_id

    require_tax_id(text)
    return text


def _sound_month(text: str) -> str:
    if not _MONTH.fullmatch(text):
        raise ValueError
    return text


def _sound_name(text: str) -> str:
    if not text:
        raise ValueError
    return text


@dataclass(frozen=True, slots=True)
class _Found:
    """What one file turned out to be.

    Attributes:
        table: The key of the job it belongs under, or `royalty_lines` or `payments`.
        files: As the job says it.
        draft: A layout to be written beside the job; "" when one is known.
        open: Columns that may bear on payments, and of which nobody has said what they mean.
    """

    table: str
    files: "DraftedFiles"
    draft: str
    what: Message
    open: tuple[Message, ...] = ()


def _write_job(
    sheets: Sequence[Path],
    given: _Given,
    asking: Asking,
    payer: tuple[str, str],
    period: str,
    target: Path,
    *,
    as_json: bool,
) -> Result:
    """Look at each file, ask, write the job, and say what to do next."""
    from io_adapters.outputs.atomic import replace_atomically
    from io_adapters.spreadsheets.declarations import read_job
    from schemas.job_draft import job_yaml, name_of_file

    console = console_for(as_json=as_json)
    if target.exists():
        raise ConfigurationError(Message("error.new_there", path=str(target)))
    found: list[_Found] = []
    kinds: dict[str, list[str]] = {}
    for path in sheets:
        tables = _identified(path, target.parent, given, asking)
        found += tables
        kinds[path.name] = [table.table for table in tables]
        for table in tables:
            title = Message("look.title", file=path.name, what=table.what)
            console.print(render(title, asking.language), soft_wrap=True, markup=False)
    draft = _declared(name_of_file(sheets[0].name), found, asking, payer, period)
    drafts = {target.parent / read.files.layout: read.draft for read in found if read.draft}
    written = [replace_atomically(path, text.encode()) for path, text in drafts.items()]
    written.append(replace_atomically(target, job_yaml(draft).encode()))
    read_job(target)  # what was written is a sound declaration, or this is a bug that is told
    open_columns = [line for table in found for line in table.open]
    lines = [*(Message("new.written", path=str(path)) for path in written), *open_columns, *_next(draft, target)]
    for line in lines:
        console.print(render(line, asking.language), soft_wrap=True, markup=False)
    document: dict[str, Any] = {"job": str(target), "written": [str(path) for path in written]}
    return ExitCode.DONE, document | {"files": kinds}


def _declared(name: str, found: "Sequence[_Found]", asking: Asking, payer: tuple[str, str], period: str) -> "JobDraft":
    """Ask who pays and for which month, and put the files in their places.

    Raises:
        ConfigurationError: an answer is missing, nothing came in that is paid from, or one table is in unlike files.
    """
    from schemas.job_draft import SOURCE_TABLES, JobDraft, join_files

    tax_id = asking.answer(
        payer[0], Message("new.ask.payer_tax_id"), "--payer-tax-id", _sound_tax_id, Message("new.right.tax_id")
    )
    payer_name = asking.answer(
        payer[1], Message("new.ask.payer_name"), "--payer-name", _sound_name, Message("new.right.name")
    )
    month = asking.answer(period, Message("new.ask.period"), "--period", _sound_month, Message("new.right.period"))
    if asking.unanswered:
        raise ConfigurationError(Message("error.new_answers", options=", ".join(dict.fromkeys(asking.unanswered))))
    sources = join_files(read.files for read in found if read.table in SOURCE_TABLES)
    if not sources:
        raise ConfigurationError(Message("error.new_no_source"))
    kinds = dict.fromkeys(read.table for read in found if read.table not in SOURCE_TABLES)
    beside = {table: join_files(read.files for read in found if read.table == table) for table in kinds}
    if unlike := next((table for table, files in beside.items() if len(files) > 1), None):
        raise ConfigurationError(Message("error.new_unlike", table=unlike))
    only = {table: files[0] for table, files in beside.items()}
    return JobDraft(name, tax_id, payer_name, month, sources, only, asking.language)


def _next(draft: "JobDraft", target: Path) -> Iterator[Message]:
    statements = [source for source in draft.sources if source.what != "payments"]
    if statements and not {"payees", "shares"} <= draft.beside.keys():
        yield Message("new.needs_tables")
    for currency in dict.fromkeys(currency for source in statements for currency in source.foreign):
        yield Message("new.needs_rate", currency=currency)
    yield Message("new.next", path=str(target))


def _identified(path: Path, folder: Path, given: _Given, asking: Asking) -> list[_Found]:
    """Say what each table of a file is; ask where it could be several, or several of its columns or sheets be meant."""
    from flows.intake.look import all_layouts
    from io_adapters.spreadsheets.reading import open_file
    from schemas.layouts.drafting import as_table, identify, variants_of

    known = all_layouts()
    sheet, layout = given.of_file(given.sheets, path.name), given.of_file(given.tables, path.name)
    with open_file(str(path)) as file:
        views = [view for view in file.views if sheet in {"", view.sheet}] or file.views
        tables = (as_table(views, known, layout),) if layout else identify(views, known)
    relative = Path(os.path.relpath(path, folder)).as_posix()
    if layout == DRAFT:
        return [_drafted(path, folder, relative, views, known, asking)]
    if layout and not any(tables):
        right = Message("new.right.choice", choices=", ".join(layout.layout for layout in known))
        raise ConfigurationError(Message("error.new_answer", option=f"--as {path.name}={layout}", right=right))
    near = variants_of(views, known) if not tables else ()
    if near:
        names = [possibility.layout.layout for possibility in near]
        option = f"--as {path.name}={names[0]}"
        chosen = asking.choose("", "new.ask.variant", option, [*names, DRAFT], file=path.name)
        tables = tuple((possibility,) for possibility in near if possibility.layout.layout == chosen)
    if not tables:
        return [_drafted(path, folder, relative, views, known, asking)]
    return [_table(path, relative, table, given, asking, is_alone=len(tables) == 1) for table in tables]


def _drafted(
    path: Path, folder: Path, relative: str, views: "Sequence[View]", known: "list[Layout]", asking: Asking
) -> _Found:
    """Draft a layout for a statement that nobody has declared."""
    from schemas.job_draft import DraftedFiles, name_of_file
    from schemas.layouts.drafting import draft_layout, guess_table

    if guess_table(views, known) is None:
        raise ConfigurationError(Message("error.new_not_a_table", file=path.name))
    layout = f"{name_of_file(path.name)}.layout.yaml"
    if (folder / layout).exists():
        raise ConfigurationError(Message("error.new_there", path=str(folder / layout)))
    draft = draft_layout(views, known, name_of_file(path.name), language=asking.language)
    files = DraftedFiles((relative,), f"./{layout}", "drafted")
    return _Found("royalty_lines", files, draft, Message("new.is.drafted", layout=layout))


def _table(
    path: Path, relative: str, table: "Possibilities", given: _Given, asking: Asking, *, is_alone: bool
) -> _Found:
    from flows.intake.look import currencies_of
    from schemas.job_draft import DraftedFiles
    from schemas.layouts.headers import with_columns

    names = [possibility.layout.layout for possibility in table]
    option = f"--as {path.name}={names[0]}"
    name = names[0] if len(names) == 1 else asking.choose("", "new.ask.table", option, names, file=path.name)
    possibility = table[names.index(name or names[0])]
    kind = possibility.layout.table
    sheet = _sheet(path, possibility, given, asking)
    if not sheet and not is_alone and possibility.fits[0].view.sheet:
        sheet = possibility.fits[0].view.sheet
    headers = [text.strip() for text in possibility.fits[0].header.texts]
    columns = _columns(path, possibility, given, asking)
    is_whole = not asking.unanswered
    currencies = currencies_of(path, with_columns(possibility.layout, columns)) if is_whole else ()
    files = DraftedFiles(
        (relative,),
        possibility.layout.layout,
        "payments" if kind == "payments" else "statement",
        sheet,
        columns,
        given.only_in(headers),
        tuple(header for header in given.ignored if header in headers),
        currencies,
        _received(path.name, currencies, given, asking),
    )
    what = Message(f"new.is.{kind}", layout=possibility.layout.layout)
    return _Found(kind, files, "", what, tuple(_open(path, possibility, files)))


def _received(file: str, currencies: Sequence[str], given: _Given, asking: Asking) -> dict[str, str]:
    """Ask what the bank got for a statement; nobody has to know."""
    from schemas.job_draft import received_as_typed

    if not currencies:
        return {}
    stated = given.of_file(given.received, file)
    question = Message("new.ask.received", file=file, currencies=", ".join(currencies))
    option, right = f"--received {file}=", Message("new.right.received", currencies=", ".join(currencies))
    if not stated and not asking.is_answered:
        return {}

    def check(text: str) -> str:
        if text != _NOT_KNOWN:
            received_as_typed(text, currencies)
        return text

    typed = asking.answer(stated, question, option, check, right)
    return {} if typed == _NOT_KNOWN else received_as_typed(typed, currencies)


def _open(path: Path, possibility: "Possibility", files: "DraftedFiles") -> "Iterator[Message]":
    """Name the columns of which the job has to say what they mean before any row is used."""
    from schemas.parsing.unread_columns import quoted, unread_in_head

    fit = possibility.fits[0]
    for column in unread_in_head(fit.view.head, fit.header, possibility.layout):
        if column.condition and column.header not in {*files.columns, *files.only, *files.ignore_columns}:
            texts = quoted(column.texts) if column.texts else Message(f"condition.{column.condition}")
            yield Message("new.needs_word", file=path.name, column=column.header, texts=texts)


def _sheet(path: Path, possibility: "Possibility", given: _Given, asking: Asking) -> str:
    choices = possibility.sheets
    sheet = given.of_file(given.sheets, path.name)
    if not choices and not sheet:
        return ""
    option = f"--sheet {path.name}={choices[0] if choices else sheet}"
    return asking.choose(sheet, "new.ask.sheet", option, choices or (sheet,), file=path.name)


def _columns(path: Path, possibility: "Possibility", given: _Given, asking: Asking) -> dict[str, str]:
    """Ask for each column that several headers could be, or that none is called."""
    chosen = {}
    for column, headers in possibility.open_columns.items():
        option = f"--column '{headers[-1] if headers else '...'}={column}'"
        header = given.header_of(column, headers)
        header = asking.choose(header, "new.ask.column", option, headers, file=path.name, column=column)
        if header:
            chosen[header] = column
    return chosen


def _write_models(folder: Path, language: str, *, as_json: bool) -> Result:
    from io_adapters.outputs.atomic import replace_atomically
    from io_adapters.outputs.models import MODELS, model_file, model_xlsx

    console = console_for(as_json=as_json)
    paths = {table: folder / model_file(table, language) for table in MODELS}
    for path in paths.values():
        if path.exists():
            raise ConfigurationError(Message("error.new_there", path=str(path)))
    for table, path in paths.items():
        replace_atomically(path, model_xlsx(table, language))
        console.print(render("new.written", language, path=str(path)), soft_wrap=True, markup=False)
    console.print(render("model.next", language), soft_wrap=True)
    return ExitCode.DONE, {"models": {table: str(path) for table, path in paths.items()}}


layouts_app = typer.Typer(help="List what Repasse can read; draft a layout.", rich_markup_mode=None)


@layouts_app.callback(invoke_without_command=True)
@ended
def layouts(context: typer.Context, as_json: AsJson = False) -> Result | None:
    """List the statements and tables Repasse can read; `layouts new FILE` drafts a layout."""
    if context.invoked_subcommand is not None:
        return None
    console = console_for(as_json=as_json)
    known = _known()
    by_table = Counter(layout.table for layout in known)
    width = max(len(layout.layout) for layout in known)
    for layout in known:
        is_assumed = layout.rests_on is not None and layout.rests_on.kind == "assumption"
        line = f"{layout.layout:<{width}}  {layout.table:<13}  {layout.title}{' (assumed)' if is_assumed else ''}"
        console.print(line, soft_wrap=True, markup=False)
    rests_on = {layout.layout: layout.rests_on.model_dump() for layout in known if layout.rests_on}
    names = [layout.layout for layout in known]
    return ExitCode.DONE, {"layouts": names, "tables": dict(by_table), "rests_on": rests_on}


@command(layouts_app, "new")
def layouts_new(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A statement of the sender.", show_default=False)],
    name: Annotated[str | None, typer.Option(metavar="NAME", help="Of the layout; made of the file's without.")] = None,
    as_json: AsJson = False,
) -> Result:
    """Draft a layout from a file, for a person to finish.

    Prints YAML, with every guess marked.
    """
    from flows.intake.read_files import sum_money
    from io_adapters.spreadsheets.reading import open_file
    from schemas.layouts.drafting import draft_layout, money_candidates
    from schemas.messages import render

    known = _known()
    with open_file(str(file)) as opened:
        draft = draft_layout(opened.views, known, name or _name_of(file))
        candidates = money_candidates(opened.views, known)
    sums = {column.name: render(quoted, "en") for column in candidates if (quoted := sum_money(str(file), column))}
    if not as_json:
        lines = [f"#   {header}: {total}\n" for header, total in sums.items()]
        sys.stdout.write(draft + "".join([f"\n# {render('draft.sums', 'en')}\n", *lines] if lines else []))
    return ExitCode.DONE, {"layout": draft, "sums": sums}


def schema(
    what: Annotated[str, typer.Argument(metavar="WHAT", help="job or layout", show_default=True)] = "job",
) -> None:
    """Print the JSON Schema of a job or a layout, for editors."""
    from io_adapters.spreadsheets.declarations import job_schema, layout_schema, policy_schema

    schemas = {"job": job_schema, "layout": layout_schema, "policy": policy_schema}
    if what not in schemas:
        sys.stderr.write(f"repasse: there is no schema of {what}; there are: {', '.join(schemas)}\n")
        raise typer.Exit(int(ExitCode.USAGE))
    sys.stdout.write(json.dumps(schemas[what](), ensure_ascii=False, indent=1) + "\n")


def _known() -> "list[Layout]":
    from io_adapters.spreadsheets.declarations import known_layouts, read_layout

    return [read_layout(name, Path()) for name in known_layouts()]


def _name_of(file: Path) -> str:
    """Make a layout's name of a file's: letters, digits and hyphens."""
    stem = "".join(mark if mark.isascii() and mark.isalnum() else "-" for mark in file.name.split(".")[0].lower())
    return "-".join(filter(None, stem.split("-"))) or "mine"
