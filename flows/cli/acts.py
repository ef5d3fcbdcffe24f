"""What people do, at a terminal: each act's command is made of its form."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from flows.acts.forms import (
    ActForm,
    Approve,
    Asked,
    Decide,
    DeclareAbsent,
    FormField,
    HoldSending,
    LinkReport,
    RecordReturn,
    Reject,
    Release,
    SetRate,
    TakeLinkBack,
    Unfreeze,
    Withdraw,
    fields_of,
)
from flows.cli.ending import AsJson, By, Result, as_month, at_terminal, console_for, plain_names, terminal_language
from schemas.acts import OF_TWO, ActKind
from schemas.errors import DecisionRefused
from schemas.messages import Message, render

if TYPE_CHECKING:
    from flows.run import Clock

_ByTwo = Annotated[
    list[str],
    typer.Option("--by", metavar="NAME", help="Who says so; twice where it takes two people.", callback=plain_names),
]


def perform_here(people: Sequence[str], said: ActForm, *, as_json: bool, clock: "Clock | None" = None) -> Result:
    """Do what somebody at a terminal asks for, and print what it came to."""
    from flows.acts.act import House, Word
    from flows.acts.perform import perform
    from flows.house_ledger import open_ledger_of
    from flows.run import SYSTEM_CLOCK, QuietProgress
    from flows.runner import opened_run
    from flows.settings import read_settings

    settings, now = read_settings(), clock or SYSTEM_CLOCK
    with open_ledger_of(settings, create=isinstance(said, HoldSending), now=now.now) as ledger:
        house = House(ledger, now, lambda: opened_run(said.act, None, settings, QuietProgress(), now))
        done = perform(house, Word(tuple(people)), said)
    console = console_for(as_json=as_json)
    for line in done.lines:
        console.print(render(line, terminal_language()), soft_wrap=True, markup=False)
    return done.exit_code, done.facts


def command_of(form: type[ActForm], name: str) -> Callable[..., Result]:
    """Make the command of an act: what stands by itself first, then who says it, then the rest as options."""
    of_form = fields_of(form)
    first = [_parameter(field) for field in of_form if field.asked.is_positional]
    rest = [one for field in of_form if not field.asked.is_positional for one in _parameters(field)]
    by = inspect.Parameter("by", _KEYWORD, annotation=_ByTwo if form.act in _MAY_TAKE_TWO else By)
    as_json = inspect.Parameter("as_json", _KEYWORD, default=False, annotation=AsJson)
    every = [*first, by, *rest, as_json]

    def run(*, by: str | list[str], as_json: bool = False, **given: Any) -> Result:  # noqa: ANN401  # of the form's fields
        return perform_here([by] if isinstance(by, str) else by, _said(form, given), as_json=as_json)

    run.__name__, run.__doc__ = name, form.__doc__
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in every}
    run.__signature__ = inspect.Signature(every)  # type: ignore[attr-defined]  # what typer reads
    return run


_MAY_TAKE_TWO: Final = OF_TWO | {ActKind.EXCHANGE_RATE, ActKind.CONFIRM_RECEIVER, ActKind.RETURNED}
_KEYWORD: Final = inspect.Parameter.KEYWORD_ONLY


def _parameters(field: FormField) -> list[inspect.Parameter]:
    """Return the options of a field: one, or a flag for each of its choices."""
    flags = [FormField(choice, bool, Asked(what), default=False) for choice, what in field.asked.choices]
    return [_parameter(one) for one in flags or [field]]


def _parameter(field: FormField) -> inspect.Parameter:
    facts: dict[str, Any] = {"metavar": field.asked.metavar or None, "help": field.asked.what}
    if field.asked.metavar == "MONTH":
        facts["callback"] = as_month
    option = f"--{field.name.replace('_', '-')}"
    asks = typer.Argument(**facts) if field.asked.is_positional else typer.Option(option, **facts)
    annotation: Any = Annotated[(list[str] if field.is_list else field.kind, asks)]
    given = {} if field.is_wanted else {"default": [] if field.is_list else field.default}
    return inspect.Parameter(field.name, _KEYWORD, annotation=annotation, **given)


def _said(form: type[ActForm], given: Mapping[str, Any]) -> ActForm:
    """Fill in a form with what was typed.

    Raises:
        BadParameter: not exactly one of the flags that exclude each other was given.
    """
    values = dict(given)
    for field in fields_of(form):
        if choices := [choice for choice, _ in field.asked.choices]:
            chosen = [choice for choice in choices if values.pop(choice)]
            if len(chosen) != 1:
                raise typer.BadParameter(f"say one of {', '.join(f'--{choice}' for choice in choices)}")
            values[field.name] = chosen[0]
        elif field.is_list:
            values[field.name] = tuple(values[field.name])
        elif field.asked.metavar == "FILE" and Path(values[field.name]).is_file():
            values[field.name] = _digits_of(values[field.name])
    return form(**values)


def _digits_of(file: str) -> str:
    from io_adapters.spreadsheets.files import sha256_of

    return sha256_of(file)


approve = command_of(Approve, "approve")
reject = command_of(Reject, "reject")
decide = command_of(Decide, "decide")
returned = command_of(RecordReturn, "returned")
hold = command_of(HoldSending, "hold")
release = command_of(Release, "release")
unfreeze = command_of(Unfreeze, "unfreeze")
withdraw = command_of(Withdraw, "withdraw")
exchange_rate = command_of(SetRate, "exchange_rate")


def resolve(
    subject: Annotated[
        list[str], typer.Argument(metavar="WHAT", help="What is in doubt, as `status` names it (rp-..., xr-...).")
    ],
    report: Annotated[str | None, typer.Option(metavar="ID", help="It is this report of the service.")] = None,
    absent: Annotated[bool, typer.Option("--absent", help="The service never received it (two people).")] = False,
    unlink: Annotated[
        bool, typer.Option("--unlink", help="What was linked by likeness is not it (two people).")
    ] = False,
    by: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Who says so; twice without --report.", callback=plain_names),
    ] = None,
    evidence: Annotated[str, typer.Option(metavar="TEXT", help="What they rely on.")] = "",
    as_json: AsJson = False,
) -> Result:
    """Record decisions on what is in doubt.

    Of several submissions, or rates, all are declared absent on the same evidence, or none.
    """
    if [report is not None, absent, unlink].count(True) != 1:
        raise typer.BadParameter("say one of --report ID, --absent, --unlink")
    if report is None:
        form = TakeLinkBack if unlink else DeclareAbsent
        return perform_here(by or (), form(tuple(subject), evidence), as_json=as_json)
    if len(subject) != 1:
        raise DecisionRefused(Message("error.one_report"))
    return perform_here(by or [at_terminal()], LinkReport(subject[0], report), as_json=as_json)
