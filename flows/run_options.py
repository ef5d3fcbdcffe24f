"""What may be asked of a run beside its job, declared once: command, flow, request and launch are made of it."""

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, TypeVar, get_args, get_type_hints

import typer
from typer.models import OptionInfo

Period = Annotated[
    str,
    typer.Option(metavar="MONTH", help="Of another month than the job's, such as 2026-10.", show_default=False),
]
KeyTypes = Annotated[
    bool, typer.Option("--key-types", help="Accept the type that each Pix key's format implies; kept for the job.")
]


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What somebody wants of a run; what is "" or empty is not asked for.

    Attributes:
        files: Each as PATH or SOURCE=PATH, a layout's name or the source's position.
        yes: The caller approves the plan that will be made.
        again: Files to pay although they, or lines of theirs, were used before.
        by: Who asks, and prepares the plan.
        new, added, in_place_of: How the files handed in stand to those that are there for the month; at most one.
        rate: Each as CURRENCY RATE DAY SOURCE, for this month alone.
        received: Each as [SOURCE=]CURRENCY AMOUNT, for this month alone.
    """

    files: Annotated[list[str], typer.Option("--file", metavar="[SOURCE=]F", help="Hand F in for the month.")] = field(
        default_factory=list
    )
    new: Annotated[bool, typer.Option("--new", help="It is the month's first file.")] = False
    added: Annotated[bool, typer.Option("--added", help="It is one more.")] = False
    in_place_of: Annotated[
        str, typer.Option(metavar="HASH", help="It takes the place of that one.", show_default=False)
    ] = ""
    yes: Annotated[bool, typer.Option("--yes", help="Approve the plan just made, up to the job's limits.")] = False
    again: Annotated[list[str], typer.Option("--again", metavar="F", help="Pay file F though it was paid before.")] = (
        field(default_factory=list)
    )
    by: Annotated[
        str, typer.Option(metavar="NAME", help="Who asks; the account it runs under without.", show_default=False)
    ] = ""
    period: Period = ""
    rate: Annotated[list[str], typer.Option(metavar="TEXT", help="The month's rate: USD 5,4312 31/10/2026 PTAX.")] = (
        field(default_factory=list)
    )
    received: Annotated[list[str], typer.Option(metavar="TEXT", help="What the bank got: USD 10.234,56.")] = field(
        default_factory=list
    )
    one_more: Annotated[bool, typer.Option("--one-more", help="Send one batch though five are in doubt.")] = False
    pix_types: KeyTypes = False


NO_OPTIONS = RunOptions()
_HINTS: Final = get_type_hints(RunOptions, include_extras=True)
_DECLARED: Final[dict[str, OptionInfo]] = {name: get_args(hint)[1] for name, hint in _HINTS.items()}
_Result = TypeVar("_Result")


def taking_options(function: Callable[..., _Result]) -> Callable[..., _Result]:
    """Let a function that takes `options` be called with each of them by name, as commands and flows are.

    Its signature names them in the place of `options`; its docstring gets a line on each, which forms show.
    """

    @functools.wraps(function)
    def called(*given: Any, **named: Any) -> _Result:  # noqa: ANN401
        options = RunOptions(**{name: named.pop(name) for name in _DECLARED if name in named})
        return function(*given, **named, options=options)

    def parameter(name: str) -> inspect.Parameter:
        default = getattr(NO_OPTIONS, name)
        return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=_HINTS[name])

    own = dict(inspect.signature(function, eval_str=True).parameters)
    del own["options"]
    first = [known for known in own.values() if known.default is inspect.Parameter.empty]
    rest = [known.replace(kind=inspect.Parameter.KEYWORD_ONLY) for known in own.values() if known not in first]
    shown = [*first, *map(parameter, _DECLARED), *rest]
    setattr(called, "__signature__", inspect.Signature(shown))  # noqa: B010 - no function declares it
    called.__annotations__ = {known.name: known.annotation for known in shown}
    if "Args:" in (called.__doc__ or ""):
        lines = [f"        {name}: {option.help}" for name, option in _DECLARED.items()]
        called.__doc__ = "\n".join([(called.__doc__ or "").rstrip(), *lines])
    return called


def as_words(options: RunOptions) -> list[str]:
    """Write options as the command line takes them.

    >>> as_words(RunOptions(files=["a.csv", "b.csv"], yes=True, period="2026-10"))
    ['--file', 'a.csv', '--file', 'b.csv', '--yes', '--period', '2026-10']
    """
    words = list[str]()
    for name, option in _DECLARED.items():
        value = getattr(options, name)
        # Where a declaration is an annotation, typer keeps the name of the option in the place of a default.
        flag = option.default if isinstance(option.default, str) else f"--{name}"
        if isinstance(value, str):
            words += [flag, value] if value else []
        else:
            words += [flag] if value is True else [word for each in value or () for word in (flag, each)]
    return words
