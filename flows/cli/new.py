"""new, layouts: a job file from spreadsheets, asking what they do not say; model sheets; known layouts."""

import json
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from flows.cli.ending import AsJson, Result, as_month, command, console_for, ended
from schemas.errors import ConfigurationError, ExitCode, errors_in_language
from schemas.messages import Message, render
from schemas.readers import for_people

if TYPE_CHECKING:
    from flows.intake.proposal import Answers, BroughtFile, OpenedTable, ProposedTable
    from schemas.job_draft import DraftedFiles, JobDraft
    from schemas.layouts.drafting import KnownMoney
    from schemas.layouts.layout import Layout
    from schemas.layouts.recognise import Possibilities
    from schemas.sheet_cells import View


# What a file is whose layout has to be drafted, as an answer.
DRAFT: Final = "draft"
_NOT_KNOWN: Final = "-"
_YES: Final = frozenset({"s", "sim", "y", "yes"})
_MONTH: Final = re.compile(r"[0-9]{4}-(?:0[1-9]|1[0-2])|previous_month")

Sheets = Annotated[list[Path] | None, typer.Argument(metavar="[SHEET...]", help="Spreadsheets.", show_default=False)]


def new(  # an option for every answer
    sheets: Sheets = None,
    payer_tax_id: Annotated[str, typer.Option(metavar="DOC", help="CPF or CNPJ of whoever pays.")] = "",
    payer_name: Annotated[str, typer.Option(metavar="NAME", help="Who pays.")] = "",
    period: Annotated[str, typer.Option(metavar="MONTH", help="Such as 2026-10.")] = "",
    table: Annotated[list[str] | None, typer.Option("--as", metavar="[FILE=]TABLE", help="What a file is.")] = None,
    column: Annotated[
        list[str] | None, typer.Option(metavar="HEADER=COLUMN", help="What a header is; or remark, ignored.")
    ] = None,
    only: Annotated[list[str] | None, typer.Option(metavar="HEADER=TEXT", help="Which rows are asked for.")] = None,
    sheet: Annotated[list[str] | None, typer.Option(metavar="[FILE=]SHEET", help="Which sheet is meant.")] = None,
    received: Annotated[
        list[str] | None, typer.Option(metavar="[FILE=]AMOUNT", help="What the bank got for a statement.")
    ] = None,
    key_types: Annotated[
        bool, typer.Option("--key-types", help="Accept the type that each Pix key's format implies.")
    ] = False,
    as_proposed: Annotated[
        bool, typer.Option("--as-proposed", help="Answer each other header as proposed: remark or ignored.")
    ] = False,
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
            tuple(received or ()),
            key_types,
            as_proposed,
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
    received: tuple[str, ...]
    key_types: bool
    as_proposed: bool

    def of_file(self, options: Sequence[str], file: str) -> str:
        """Return what an option says of a file: by its name, or of all files."""
        named = [option.removeprefix(f"{file}=") for option in options if option.startswith(f"{file}=")]
        plain = [option for option in options if "=" not in option]
        return next(iter((*named, *plain)), "")

    @property
    def of_headers(self) -> "Answers":
        """What is said of headers, in whichever file they stand."""
        pairs = [option.partition("=") for option in self.only]
        only = {header: tuple(text for of, _, text in pairs if of == header) for header, _, _ in pairs}
        columns = {header: column for header, _, column in (option.rpartition("=") for option in self.columns)}
        return columns | only

    def unmatched(
        self,
        sheets: Collection[tuple[str, str]],
        headers: Collection[str],
        statements: Collection[str],
        amounts: Collection[str],
    ) -> list[str]:
        """Return the options that speak of a file, a sheet or a header which nothing of what was given is called.

        Args:
            sheets: File and sheet of all that was given; "" for a text.
            headers: Headers of the tables that are read.
            statements: Files with a statement, of which something can have been received.
            amounts: Headers that may be the amount, those of tables whose layout is drafted among them.
        """
        from schemas.layouts.layout import fold

        files, known, amounts = {file for file, _ in sheets}, set(map(fold, headers)), set(map(fold, amounts))
        from schemas.job_draft import EVERY_SHEET

        titles = {sheet for _, sheet in sheets} | {f"{file}={sheet}" for file, sheet in sheets}
        titles |= {EVERY_SHEET} | {f"{file}={EVERY_SHEET}" for file in files}
        unmatched = {
            "--as": [option for option in self.tables if not _is_of(files, option)],
            "--sheet": [option for option in self.sheets if option not in titles],
            "--received": [option for option in self.received if not _is_of(statements, option)],
            "--column": [
                option
                for option, header, column in ((option, *option.rpartition("=")[::2]) for option in self.columns)
                if fold(header) not in (amounts if column == "amount" else known)
            ],
            "--only": [option for option in self.only if fold(option.partition("=")[0]) not in known],
        }
        return [f"{name} {option}" for name, options in unmatched.items() for option in options]


def _is_of(files: Collection[str], option: str) -> bool:
    """Tell whether an option speaks of one of some files, or of all of them where there are any."""
    file, named, _ = option.partition("=")
    return file in files if named else bool(files)


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
            typed = typer.prompt(self._written(question), err=self.to_stderr)
            try:
                return check(typed.strip())
            except ValueError:
                self.show(right)

    def show(self, message: Message) -> None:
        """Tell a person at the terminal what they are asked about; nobody else."""
        if self.is_answered:
            typer.echo(self._written(message), err=self.to_stderr)

    @for_people()
    def _written(self, message: Message) -> str:
        return render(message, self.language)

    def require_answered(self) -> None:
        """Refuse to go on where something was not answered.

        Raises:
            ConfigurationError: names the options that answer it.
        """
        if self.unanswered:
            raise ConfigurationError(Message("error.new_answers", options=", ".join(dict.fromkeys(self.unanswered))))

    def agrees(self, question: str, **facts: object) -> bool:
        """Ask for a yes or a no; where nobody sits at the terminal it is a no."""
        if not self.is_answered:
            return False
        asked = f"{self._written(Message(question, **facts))} {self._written(Message('new.ask.yes_or_no'))}"
        typed: str = typer.prompt(asked, default="", show_default=False, err=self.to_stderr)
        return typed.strip().casefold() in _YES

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
    label = as_month(text) or ""
    if not _MONTH.fullmatch(label):
        raise ValueError
    return label


def _sound_name(text: str) -> str:
    if not text:
        raise ValueError
    return text


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
    """Propose a job, ask what is open, write it, and say what to do next."""
    from flows.intake.proposal import keys_that_show_a_type, open_table, propose_job
    from flows.settings import Folders
    from io_adapters.outputs.atomic import replace_atomically
    from io_adapters.spreadsheets.declarations import read_job, with_house_columns
    from schemas.job_draft import job_yaml, name_of_file

    console = console_for(as_json=as_json)
    if target.exists():
        raise ConfigurationError(Message("error.new_there", path=str(target)))
    tables = _tables(sheets, target.parent, given, asking)
    _require_matched(given, tables)
    for table in tables:
        what = Message(f"new.is.{table.table if table.kind else 'drafted'}", layout=table.kind or _layout_file(table))
        title = Message("examined.title", file=table.file.name, what=what)
        console.print(render(title, asking.language), soft_wrap=True, markup=False)
    payer, period = _payer(asking, payer), _month(asking, period)
    asking.require_answered()
    read: list[tuple[str, DraftedFiles]] = []
    for table in tables:
        opened = open_table(table)
        received = _received(opened, given, asking)
        read.append((table.table, opened.in_job(asking.language, received, _money(opened, received, given, asking))))
    asking.require_answered()
    layouts = {target.parent / files.beside.name: files.beside.text for _, files in read if files.beside}
    shown = keys_that_show_a_type(tables)
    key_types = given.key_types or (bool(shown) and asking.agrees("new.ask.key_types", count=shown))
    draft = propose_job(
        read,
        name=name_of_file(sheets[0].name),
        payer=payer,
        period=period,
        language=asking.language,
        key_types=key_types,
    )
    written = [replace_atomically(path, text.encode()) for path, text in layouts.items()]
    columns = Folders().columns
    if answered := with_house_columns(columns, [(table.kind, table.of_house()) for table in tables]):
        columns.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        written.append(replace_atomically(columns, answered))
    written.append(replace_atomically(target, job_yaml(draft).encode()))
    read_job(target)  # what was written is a sound declaration, or this is a bug that is told
    open_headers = [line for table in tables for line in table.open_headers]
    open_keys = [Message("new.keys_without_type", count=shown)] if shown and not key_types else []
    lines = [*(Message("new.written", path=str(path)) for path in written), *open_headers, *open_keys]
    lines += _next(draft, target)
    for line in lines:
        console.print(render(line, asking.language), soft_wrap=True, markup=False)
    kinds = {path.name: [table.table for table in tables if table.file.path == path] for path in sheets}
    document: dict[str, Any] = {"job": str(target), "written": [str(path) for path in written]}
    return ExitCode.DONE, document | {"files": kinds}


def _require_matched(given: _Given, tables: "Sequence[ProposedTable]") -> None:
    """Refuse options that would be passed over.

    Raises:
        ConfigurationError: some name nothing of what was given; it says what that is called.
    """
    from flows.intake.proposal import headers_of, views_of

    files = dict.fromkeys(table.file for table in tables)
    sheets = [(file.name, view.sheet or "") for file in files for view in views_of(file)]
    headers = dict.fromkeys(header for table in tables for header in headers_of(table))
    known = [header for table in tables if table.kind for header in headers_of(table)]
    statements = {table.file.name for table in tables if table.table == "royalty_lines"}
    if unmatched := given.unmatched(sheets, known, statements, [*headers]):
        facts = {
            "files": ", ".join(file.name for file in files),
            "sheets": ", ".join(dict.fromkeys(sheet for _, sheet in sheets if sheet)) or "-",
            "headers": ", ".join(_repeatable([*headers])) or "-",
        }
        raise ConfigurationError(
            Message("error.new_unmatched", options=", ".join(unmatched), names=Message("new.names", **facts))
        )


def _repeatable(headers: Sequence[str]) -> Sequence[str]:
    """Return headers that may be repeated in an error: none of a row that is somebody's data."""
    from schemas.layouts.recognise import is_data

    return () if is_data(headers) else headers


def _payer(asking: Asking, given: tuple[str, str]) -> tuple[str, str]:
    tax_id, name = Message("new.ask.payer_tax_id"), Message("new.ask.payer_name")
    return (
        asking.answer(given[0], tax_id, "--payer-tax-id", _sound_tax_id, Message("new.right.tax_id")),
        asking.answer(given[1], name, "--payer-name", _sound_name, Message("new.right.name")),
    )


def _month(asking: Asking, given: str) -> str:
    return asking.answer(given, Message("new.ask.period"), "--period", _sound_month, Message("new.right.period"))


def _next(draft: "JobDraft", target: Path) -> Iterator[Message]:
    statements = [source for source in draft.sources if source.what != "payments"]
    if statements and not {"payees", "shares"} <= draft.tables.keys():
        yield Message("new.needs_tables")
    for currency in dict.fromkeys(currency for source in statements for currency in source.foreign):
        yield Message("new.needs_rate", currency=currency)
    yield Message("new.next", path=str(target))


def _tables(sheets: Sequence[Path], folder: Path, given: _Given, asking: Asking) -> "tuple[ProposedTable, ...]":
    """Say what the tables of the files are; ask which, and which sheet and column is meant, where that is open."""
    from flows.intake.proposal import BroughtFile, is_a_table, propose_tables
    from flows.settings import Folders
    from io_adapters.spreadsheets.declarations import read_house_columns

    files = [BroughtFile(path.name, path, Path(os.path.relpath(path, folder)).as_posix()) for path in sheets]
    answers, (house, _) = dict[str, str](), read_house_columns(Folders().columns)
    for ask in (_kind, _sheet, _columns):
        for table in propose_tables(files, answers, partial(_identify, given), given.of_headers, house):
            answers |= ask(table, given, asking)
    tables = propose_tables(files, answers, partial(_identify, given), given.of_headers, house)
    if not given.as_proposed and not _all_as_proposed(tables, asking):
        tables = tuple(table.without_proposals for table in tables)
    for table in tables:
        if not is_a_table(table):
            raise ConfigurationError(Message("error.new_not_a_table", file=table.file.name))
        if not table.kind and (folder / _layout_file(table)).exists():
            raise ConfigurationError(Message("error.new_there", path=str(folder / _layout_file(table))))
    return tables


def _all_as_proposed(tables: "Sequence[ProposedTable]", asking: Asking) -> bool:
    """Show a person what is proposed for headers that nothing reads, and ask whether all are answered so."""
    shown = [
        Message("new.proposal", column=header.text, answer=header.proposal, texts=" · ".join(header.seen))
        for table in tables
        for header in table.proposed
    ]
    for line in shown:
        asking.show(line)
    return bool(shown) and asking.agrees("new.ask.as_proposed", count=len(shown))


def _layout_file(table: "ProposedTable") -> str:
    from schemas.job_draft import name_of_file

    return f"{name_of_file(table.file.name)}.layout.yaml"


def _identify(given: _Given, file: "BroughtFile", views: "Sequence[View]") -> "tuple[Possibilities, ...]":
    """Say what each table of a file could be, or is by the options."""
    from flows.intake.examine import all_layouts
    from schemas.layouts.recognise import as_table, identify, variants_of

    known, layout = all_layouts(), given.of_file(given.tables, file.name)
    sheet = given.of_file(given.sheets, file.name)
    views = [view for view in views if sheet in {"", view.sheet}] or views
    if layout == DRAFT:
        return ()
    if layout:
        table = as_table(views, known, layout)
        if not table:
            right = Message("new.right.choice", choices=", ".join(layout.layout for layout in known))
            raise ConfigurationError(Message("error.new_answer", option=f"--as {file.name}={layout}", right=right))
        return (table,)
    near = variants_of(views, known)
    return identify(views, known) or ((near,) if near else ())


def _kind(table: "ProposedTable", _given: _Given, asking: Asking) -> dict[str, str]:
    """Ask which table it is, where it could be several or is nearly a sender's statement."""
    key, kinds = f"kind-{table.number}", table.kinds
    if table.is_variant:
        option = f"--as {table.file.name}={kinds[0]}"
        chosen = asking.choose("", "new.ask.variant", option, [*kinds, DRAFT], file=table.file.name)
        return {key: "" if chosen == DRAFT else chosen} if chosen else {}
    if len(kinds) > 1:
        option = f"--as {table.file.name}={kinds[0]}"
        return {key: asking.choose("", "new.ask.table", option, kinds, file=table.file.name) or kinds[0]}
    return {}


def _sheet(table: "ProposedTable", given: _Given, asking: Asking) -> dict[str, str]:
    """Ask which sheet is meant, where several are alike."""
    from schemas.job_draft import EVERY_SHEET

    stated = given.of_file(given.sheets, table.file.name)
    if not table.sheets and not stated:
        return {}
    file, choices = table.file.name, (*table.sheets, EVERY_SHEET) if table.sheets else (stated,)
    option = " | ".join(f"--sheet '{file}={title}'" for title in dict.fromkeys((choices[0], choices[-1])))
    return {f"sheet-{table.number}": asking.choose(stated, "new.ask.sheet", option, choices, file=file)}


def _columns(table: "ProposedTable", _given: _Given, asking: Asking) -> dict[str, str]:
    """Ask for each column that several headers could be, or that none is called."""
    answers = dict[str, str]()
    for column, headers in table.missing.items():
        option = f"--column '{next(iter(_repeatable(headers)[-1:]), '...')}={column}'"
        chosen = asking.choose("", "new.ask.column", option, headers, file=table.file.name, column=column)
        answers |= {
            f"col-{table.number}-{header.position}": column
            for header in table.headers
            if chosen and header.text == chosen
        }
    return answers


def _received(opened: "OpenedTable", given: _Given, asking: Asking) -> dict[str, str]:
    """Ask what the bank got for a statement; nobody has to know."""
    from schemas.job_draft import received_as_typed, right_of_received
    from schemas.plan import HOME_CURRENCY

    file, currencies = opened.table.file.name, opened.currencies
    exchanged = HOME_CURRENCY if opened.strange else ""
    stated = given.of_file(given.received, file)
    if not opened.is_statement or not (stated or asking.is_answered):
        return {}
    question = Message("new.ask.received", file=file, right=right_of_received(currencies))
    option = f"--received {file}="

    def check(text: str) -> str:
        if text != _NOT_KNOWN:
            received_as_typed(text, currencies, exchanged)
        return text

    typed = asking.answer(stated, question, option, check, right_of_received(currencies))
    return {} if typed == _NOT_KNOWN else received_as_typed(typed, currencies, exchanged)


def _money(opened: "OpenedTable", received: dict[str, str], given: _Given, asking: Asking) -> "KnownMoney | None":
    """Return which column of a strange statement is the money; ask where what came in is the sum of none."""
    from schemas.layouts.layout import fold

    strange = opened.strange
    if strange is None:
        return None
    named = {fold(header) for header, column in given.of_headers.items() if column == "amount"}
    said = next((header for header in strange.headers if fold(header) in named), "")
    money = strange.money(received, said)
    if money or not received:
        return money
    file, nearest = opened.table.file.name, strange.nearest(received)
    if nearest and asking.agrees("new.ask.nearest", nearest=nearest[1]):
        return strange.money(received, nearest[0])
    option = f"--column '{nearest[0] if nearest else strange.headers[-1]}=amount'"
    sums = strange.shown_sums(received)
    chosen = asking.choose("", "new.ask.money", option, strange.headers, file=file, sums=sums)
    return strange.money(received, chosen) if chosen else None


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
    received: Annotated[
        str, typer.Option(metavar="AMOUNT", help="What the bank got for it; its sum says which column is the money.")
    ] = "",
    language: Annotated[str, typer.Option(metavar="LANG", help="pt-BR or en.")] = "pt-BR",
    as_json: AsJson = False,
) -> Result:
    """Draft a layout from a file, for a person to finish.

    Prints YAML, with every guess marked.
    """
    from flows.intake.strange_statement import read_strange
    from schemas.job_draft import received_as_typed, right_of_received
    from schemas.plan import HOME_CURRENCY

    with errors_in_language("en" if language == "en" else "pt-BR"):
        strange = read_strange(file)
        try:
            came_in = received_as_typed(received, strange.currencies, HOME_CURRENCY) if received else {}
        except ValueError:
            right = right_of_received(strange.currencies)
            raise ConfigurationError(Message("error.new_answer", option="--received", right=right)) from None
    money = strange.money(came_in)
    draft = strange.draft(name or _name_of(file), language, money)
    nearest = strange.nearest(came_in) if came_in else None
    unfit = [nearest[1] if nearest else Message("draft.nothing_came_in")] if came_in and not money else []
    notes = [*unfit, *([Message("draft.sums", sums=strange.shown_sums(came_in))] if strange.sums else [])]
    if not as_json:
        sys.stdout.write("\n".join([draft, *(f"# {render(note, language)}" for note in notes), ""]))
    sums = {found.header: render(found.amounts, language) for found in strange.sums}
    return ExitCode.DONE, {"layout": draft, "sums": sums, "amount": strange.header_of(money)}


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
