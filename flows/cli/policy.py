"""policy: the least the house asks of every job, and how two people loosen it."""

import getpass
import sys
from typing import TYPE_CHECKING, Annotated, Final

import typer

from flows.cli.ending import AsJson, Result, command, console_for, ended, opened_ledger, print_text
from schemas.errors import ConfigurationError, DecisionRefused
from schemas.exit_codes import ExitCode
from schemas.messages import Message

if TYPE_CHECKING:
    from flows.settings import Settings
    from io_adapters.ledger.ledger import Ledger
    from schemas.approval import PolicyOnRecord

policy_app = typer.Typer(help="Show the policy of the house; let two people loosen it.", rich_markup_mode=None)

STRICT_POLICY: Final = """\
# O mínimo que a casa pede de todo trabalho; docs/job-file.md explica cada chave.
# The least this house asks of every job; docs/job-file.md says what each key means.
# Pedir menos: mude este arquivo, e duas pessoas confirmem. To ask for less: change it, and let two people say so.
#   repasse policy loosen --by ANA --by BIA --why "..."
above: "0.00"
approvers: 1
identities: signed_in
other_than_preparer: true
account_checks: {per_day: 500, per_month: 5000, approval_above: 100}
reads: {schemes: [], folders: []}
"""


def with_policy(settings: "Settings") -> "Settings":
    """Return settings with a policy; where there is none, a strict one is written into the home folder first.

    Raises:
        ConfigurationError: it cannot be written.
    """
    from dataclasses import replace

    from flows.settings import POLICY
    from io_adapters.outputs.atomic import replace_atomically

    if settings.policy is not None:
        return settings
    path = settings.home / POLICY
    try:
        replace_atomically(path, STRICT_POLICY.encode())
    except OSError as error:
        facts = {"path": str(path), "kind": error.strerror}
        raise ConfigurationError(Message("error.file_unreadable", **facts)) from None
    return replace(settings, policy=path)


@policy_app.callback(invoke_without_command=True)
@ended
def policy(context: typer.Context, as_json: AsJson = False) -> Result | None:
    """Show the strictest policy the ledger has been used under; no job undercuts it."""
    if context.invoked_subcommand is not None:
        return None
    with opened_ledger(create=False) as ledger:
        house = ledger.decision_rules.house()
    console = console_for(as_json=as_json)
    if house is None:
        print_text(console, "cli.policy.none")
        return ExitCode.DONE, {"policy": None}
    document = _document(house)
    for name, value in document.items():
        console.print(f"{name}: {'-' if value is None else value}", soft_wrap=True, markup=False)
    return ExitCode.DONE, {"policy": document}


def _document(house: "PolicyOnRecord") -> dict[str, object]:
    from dataclasses import asdict

    rule = asdict(house.rule)
    checks = {name: value for name, value in asdict(house).items() if name != "rule"}
    return rule | checks


@command(policy_app)
def loosen(
    by: Annotated[list[str], typer.Option(metavar="NAME", help="Who says so; give it twice.")],
    why: Annotated[str, typer.Option(metavar="TEXT", help="What for.")],
    password_stdin: Annotated[
        bool, typer.Option("--password-stdin", help="Read their passwords from standard input, a line each.")
    ] = False,
    as_json: AsJson = False,
) -> Result:
    """Let the policy's file count as it is now, though it asks for less.

    Two people say so. Where there are users of the desk, both are among them, may approve, and type their passwords.
    """
    with opened_ledger() as ledger:
        if ledger.desk_users.list():
            for name in by:
                _require_approver(ledger, name, stdin=password_stdin)
        ledger.decision_rules.loosen(by, why)
    print_text(console_for(as_json=as_json), "cli.policy.loosened")
    return ExitCode.DONE, {"loosened": True}


def _require_approver(ledger: "Ledger", name: str, *, stdin: bool) -> None:
    from flows.desk.sign_in import is_password_of
    from schemas.desk_people import Role

    user = ledger.desk_users.get(name)
    if stdin:
        typed = sys.stdin.readline().rstrip("\r\n")
    elif sys.stdin.isatty():
        typed = getpass.getpass(f"password of {name}: ")
    else:
        raise DecisionRefused(Message("error.no_terminal"))
    if not is_password_of(user, typed) or user is None or Role.APPROVER not in user.roles:
        raise DecisionRefused(Message("error.policy_who"))
