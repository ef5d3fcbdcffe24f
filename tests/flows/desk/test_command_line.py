"""`repasse desk`: who may sign in, and where it may be served."""

import pytest
from typer.testing import CliRunner

from flows.cli import app
from flows.desk.sign_in import is_password_of
from flows.house_ledger import open_ledger_of
from flows.settings import read_settings
from schemas.errors import ExitCode
from tests.flows.desk.office import PASSWORD


def say(*words: str, typed: str = "", code: int = 0) -> str:
    done = CliRunner().invoke(app, list(words), input=typed)
    assert done.exit_code == code, done.output
    assert PASSWORD not in done.output
    return done.output


def user(name: str):
    with open_ledger_of(read_settings()) as ledger:
        return ledger.desk_users.get(name)


def test_users_are_added_listed_given_passwords_and_disabled(environment):
    add = ("desk", "user", "add", "Ana Lima", "--password-stdin", "--role", "approver", "--role", "resolver")
    assert "Ana Lima may sign in: approver, resolver" in say(*add, typed=f"{PASSWORD}\n")
    assert is_password_of(user("ana lima"), PASSWORD)
    say("desk", "user", "password", "ana lima", "--password-stdin", typed="quite another one\n")
    assert not is_password_of(user("ana lima"), PASSWORD)
    assert is_password_of(user("ana lima"), "quite another one")
    say("desk", "user", "disable", "Ana Lima")
    assert not is_password_of(user("ana lima"), "quite another one")
    assert "Ana Lima: approver, resolver (disabled)" in say("desk", "user", "list")


def test_whoever_was_disabled_may_be_let_in_again_and_roles_may_change(environment):
    add = ("desk", "user", "add", "Ana Lima", "--password-stdin", "--role", "approver")
    say(*add, typed=f"{PASSWORD}\n")
    say("desk", "user", "disable", "Ana Lima")
    say("desk", "user", "enable", "ana  lima")
    assert is_password_of(user("ana lima"), PASSWORD)
    say("desk", "user", "roles", "Ana Lima", "--role", "preparer", "--role", "resolver")
    assert sorted(user("ana lima").roles) == ["preparer", "resolver"]


@pytest.mark.parametrize(
    ("words", "typed"),
    [
        (("add", "ana@selo.example", "--role", "approver", "--password-stdin"), f"{PASSWORD}\n"),
        (("enable", "nobody"), ""),
        (("roles", "nobody", "--role", "approver"), ""),
        (("add", "ana", "--role", "approver", "--password-stdin"), "short\n"),
        (("add", "ana", "--role", "boss", "--password-stdin"), f"{PASSWORD}\n"),
        (("add", "ana", "--role", "approver"), ""),
        (("disable", "nobody"), ""),
        (("password", "nobody", "--password-stdin"), f"{PASSWORD}\n"),
    ],
)
def test_what_will_not_do_is_told_in_one_line_and_adds_nobody(environment, words, typed):
    assert say("desk", "user", *words, typed=typed, code=ExitCode.USAGE).count("\n") == 1
    assert user("ana") is None


def test_passwords_never_travel_in_the_clear(environment):
    assert "in the clear" in say("desk", "--host", "192.0.2.1", code=ExitCode.CONFIGURATION)
