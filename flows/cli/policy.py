"""policy: show what the house asks of every job, and let two people loosen it or seal the acts again."""

import getpass
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Final

import typer

from flows.cli.ending import AsJson, Result, command, console_for, ended, opened_ledger, print_text
from schemas.errors import ConfigurationError, DecisionRefused, ExitCode
from schemas.messages import Message

if TYPE_CHECKING:
    from flows.settings import Settings
    from io_adapters.ledger.ledger import Ledger
    from schemas.approval import PolicyOnRecord

_By = Annotated[list[str], typer.Option(metavar="NAME", help="Who says so; give it twice.")]
_FromStdin = Annotated[
    bool, typer.Option("--password-stdin", help="Read their passwords from standard input, a line each.")
]

policy_app = typer.Typer(help="Show the policy of the house; two people may loosen it.", rich_markup_mode=None)

STRICT_POLICY: Final = """\
# O mínimo que a casa pede de todo job; docs/job-file.md explica cada chave.
# The least this house asks of every job; docs/job-file.md says what each key means.
# Pedir menos: mude este arquivo, e duas pessoas confirmem. To ask for less: change it, and let two people say so.
#   repasse policy loosen --by ANA --by BIA --why "..."
above: "0.00"
approvers: 1
identities: signed_in
other_than_preparer: true
account_checks: {per_day: 500, per_month: 5000, approval_above: 100, phone_again_above: "1000.00"}
reads: {schemes: [], folders: []}
"""


def write_policy(settings: "Settings") -> None:
    """Write a strict policy into the home folder; called where there is none.

    Raises:
        ConfigurationError: it cannot be written.
    """
    from flows.settings import POLICY
    from io_adapters.outputs.atomic import replace_atomically

    path = settings.home / POLICY
    try:
        replace_atomically(path, STRICT_POLICY.encode())
    except OSError as error:
        facts = {"path": str(path), "kind": error.strerror}
        raise ConfigurationError(Message("error.file_unreadable", **facts)) from None


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
    by: _By,
    why: Annotated[str, typer.Option(metavar="TEXT", help="What for.")],
    password_stdin: _FromStdin = False,
    as_json: AsJson = False,
) -> Result:
    """Let the policy count as its file is now.

    Though it asks for less than before. Two people say so. Where there are users of the desk, both are among them, may
    approve, and type their passwords.
    """
    with opened_ledger() as ledger:
        _require_approvers(ledger, by, stdin=password_stdin)
        ledger.decision_rules.loosen(by, why)
    print_text(console_for(as_json=as_json), "cli.policy.loosened")
    return ExitCode.DONE, {"loosened": True}


@command(policy_app)
def seal_again(
    by: _By,
    why: Annotated[str, typer.Option(metavar="TEXT", help="What became of the key.")],
    password_stdin: _FromStdin = False,
    as_json: AsJson = False,
) -> Result:
    """Seal the acts again after a lost key.

    They are taken for what they were, after the key of approvals was lost. Two people say so, as for `loosen`. What was
    said under the lost key has to be said again.
    """
    with opened_ledger() as ledger:
        _require_approvers(ledger, by, stdin=password_stdin)
        ledger.acts.seal_again(by, why)
    print_text(console_for(as_json=as_json), "cli.policy.sealed")
    return ExitCode.DONE, {"sealed": True}


def _require_approvers(ledger: "Ledger", names: Sequence[str], *, stdin: bool) -> None:
    """Where there are users of the desk, they are among them and type their passwords."""
    for name in names if ledger.desk_users.list() else ():
        _require_approver(ledger, name, stdin=stdin)


def _require_approver(ledger: "Ledger", name: str, *, stdin: bool) -> None:
    from flows.desk.sign_in import is_password_of
    from schemas.approval import Role

    user = ledger.desk_users.get(name)
    if stdin:
        typed = sys.stdin.readline().rstrip("\r\n")
    elif sys.stdin.isatty():
        typed = getpass.getpass(f"password of {name}: ")
    else:
        raise DecisionRefused(Message("error.no_terminal"))
    if not is_password_of(user, typed) or user is None or Role.APPROVER not in user.roles:
        raise DecisionRefused(Message("error.policy_who"))
