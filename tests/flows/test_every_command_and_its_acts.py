"""Every command of the terminal either only looks, or leaves the acts that are listed here; one without a line fails.

What a command refuses leaves none. Held constant: one house on SQLite, whose service answers. Varied: the command, and
what is wrong with it.
"""

import ast
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import typer

import flows
from flows.acts.perform import DOES
from flows.cli.app import app
from schemas.acts import ActKind
from schemas.approval import Role
from schemas.messages import Message
from tests.flows.address_book import AddressBook
from tests.flows.jobs import payment, people
from tests.flows.label import Label, digest_of
from tests.flows.oracle import CREATE, Oracle
from tests.flows.printed_acts import unnamed_keys

ANA, BIA = people(2)
K = ActKind
FLOWS = Path(flows.__file__).parent
pytestmark = pytest.mark.long

# Commands that look, ask the service without changing anything there, or write files of their own.
LOOKS = frozenset(
    {
        *(
            "check",
            "plan",
            "status",
            "runs",
            "acts",
            "explain",
            "account",
            "owed",
            "deals",
            "month",
            "taxes",
            "journal",
        ),
        *(
            "bank",
            "bank institutions",
            "funding",
            "funding qrcode",
            "reports",
            "help",
            "contacts list",
            "desk webhook list",
        ),
        *("desk user list", "settle"),
        *("new", "schema", "layouts", "layouts new", "policy", "deploy"),
    }
)
# Programs that serve until they are ended, or play with a house of their own.
SERVES = frozenset({"desk", "sandbox", "demo", "up"})

WORD, TWO = ("--by", "bia"), ("--by", "bia", "--by", "caio")
Setup = Callable[[Label, Oracle], tuple[str, ...]]


def a_plan(label: Label, _service: Oracle) -> tuple[str, ...]:
    return (digest_of(label.run(yes=False)),)


def a_payment(label: Label, service: Oracle) -> tuple[str, ...]:
    service.behave(failing_payees=[ANA.tax_id, BIA.tax_id])
    label.run()
    return (min(unnamed_keys(label)),)


def in_doubt(label: Label, service: Oracle) -> tuple[str, ...]:
    service.behave(echo_report_id=False, echo_name=False, listing_delay_s=3600)
    service.plant(CREATE, "drop", when="after")
    label.run()
    service.behave(listing_delay_s=0)
    service.force(paymentBatchName="Lote 7")
    with label.ledger() as ledger:
        (submission,) = ledger.submissions.list(bodies=False)
    return (submission.report_id, "--report", service.reports[0]["split_id"])


def frozen(label: Label, _service: Oracle) -> tuple[str, ...]:
    with label.ledger() as ledger:
        ledger.freeze.put(Message("alarm.lost_report", name="rp-1"), ["rp-1"])
    return ()


def paid(label: Label, _service: Oracle) -> tuple[str, ...]:
    label.run()
    return (str(label.folder / "payments.xlsx"),)


def a_report(label: Label, service: Oracle) -> tuple[str, ...]:
    label.run()
    return (service.reports[0]["reportId"],)


def held(label: Label, _service: Oracle) -> tuple[str, ...]:
    label.say("hold", *WORD, "--why", "a look")
    return ()


def user(label: Label, _service: Oracle) -> tuple[str, ...]:
    with label.ledger() as ledger:
        ledger.desk_users.add("Vera Reis", [Role.PREPARER], "a hash of a password")
    return ("Vera Reis",)


def webhook(label: Label, _service: Oracle) -> tuple[str, ...]:
    label.say("desk", "webhook", "register", "http://127.0.0.1:9")
    return ("1",)


def job(label: Label, _service: Oracle) -> tuple[str, ...]:
    return (str(label.job),)


def contacts(label: Label, service: Oracle) -> tuple[str, ...]:
    label.say("contacts", "sync", *job(label, service), "--apply")
    return ()


def contact(label: Label, service: Oracle) -> tuple[str, ...]:
    contacts(label, service)
    with label.ledger() as ledger:
        return ("--id", str(next(iter(ledger.contacts.all().values())).contact_id))


def account(label: Label, service: Oracle) -> tuple[str, ...]:
    book = AddressBook(service)
    known = book.add(ANA.name, ANA.tax_id, ANA.email)
    given = book.give_account(known["id"], pixKey="outra@example.com", pixKeyType="email")
    contacts(label, service)
    return (given["id"],)


def nothing(_label: Label, _service: Oracle) -> tuple[str, ...]:
    return ()


# Of each command: what is there before, what is typed behind that, and the acts that it leaves.
ACTS: dict[str, tuple[Setup, tuple[str, ...], set[ActKind]]] = {
    "run": (job, ("--yes",), {K.RUN, K.PREPARE, K.APPROVE}),
    "nightly": (lambda label, _: ("--jobs", str(label.folder)), (), {K.PREPARE}),
    "approve": (a_plan, (*WORD, "--total", "30,00"), {K.APPROVE}),
    "reject": (a_plan, (*WORD, "--why", "no"), {K.REJECT}),
    "hold": (nothing, (*WORD, "--why", "a look"), {K.HOLD}),
    "release": (held, WORD, {K.RELEASE}),
    "resolve": (in_doubt, WORD, {K.LINK}),
    "funding paid": (
        a_report,
        ("--amount", "30,00", "--day", "2026-10-31", *WORD, "--evidence", "a receipt"),
        {K.FUND},
    ),
    "decide": (a_payment, ("--paid", *WORD, "--evidence", "the bank"), {K.DECIDE}),
    "withdraw": (paid, (*WORD, "--why", "another month's"), {K.WITHDRAW}),
    "unfreeze": (frozen, ("--accept", "rp-1", *TWO, "--evidence", "both saw it"), {K.UNFREEZE}),
    "doctor": (nothing, ("--accept-clock", *WORD), {K.ACCEPT_CLOCK}),
    "desk user add": (nothing, ("Vera Reis", "--role", "approver", "--password-stdin"), {K.ADD_USER}),
    "desk user disable": (user, (), {K.CHANGE_USER}),
    "desk user enable": (user, (), {K.CHANGE_USER}),
    "desk user roles": (user, ("--role", "approver"), {K.CHANGE_USER}),
    "desk user payee": (user, ("--document", ANA.tax_id), {K.CHANGE_USER}),
    "desk user unlock": (user, (), {K.CHANGE_USER}),
    "desk user password": (user, ("--password-stdin",), {K.CHANGE_USER}),
    "desk webhook register": (nothing, ("http://127.0.0.1:9",), {K.SET_WEBHOOK}),
    "desk webhook retire": (webhook, (), {K.SET_WEBHOOK}),
    "contacts sync": (job, ("--apply",), {K.CHANGE_CONTACTS}),
    "contacts check": (lambda label, _: (str(label.job), ANA.name), ("--yes",), set()),
    "contacts delete": (contact, ("--yes",), {K.CHANGE_CONTACTS}),
    "contacts delete-account": (account, ("--yes",), {K.CHANGE_CONTACTS}),
    "contacts favorite": (account, (), {K.CHANGE_CONTACTS}),
}
# Their acts are told where what they need is set up.
ELSEWHERE = {
    "bank read": "tests/flows/test_the_month_closes_against_the_bank.py",
    "bank explain": "tests/flows/test_the_month_closes_against_the_bank.py",
    "contacts set": "tests/flows/test_every_field_of_the_service.py",
    "funding receiver": "tests/flows/test_funding.py",
    "returned": "tests/flows/test_what_came_back.py",
    "exchange-rate": "tests/flows/test_service_commands.py",
    "policy loosen": "tests/flows/test_the_house_has_a_policy.py",
    "policy seal-again": "tests/flows/test_acts_are_on_record.py",
}


def leaves(command: object, path: tuple[str, ...] = ()) -> Iterator[str]:
    commands = getattr(command, "commands", {})
    if path and (not commands or getattr(command, "invoke_without_command", False)):
        yield " ".join(path)
    for name, inner in commands.items():
        yield from leaves(inner, (*path, name))


def test_every_command_has_a_line_and_every_line_a_command():
    found = set(leaves(typer.main.get_command(app)))
    assert found == LOOKS | SERVES | set(ACTS) | set(ELSEWHERE)


def handed_to(function: str, *folders: str) -> set[str]:
    """The names that calls of a function are given, in the modules of some folders."""
    trees = [ast.parse(path.read_text("utf-8")) for folder in folders for path in (FLOWS / folder).glob("*.py")]
    calls = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call)]
    named = [call for call in calls if getattr(call.func, "id", "") == function]
    return {given.id for call in named for given in call.args if isinstance(given, ast.Name)}


def test_each_act_is_done_by_one_function_at_the_desk_and_at_the_terminal():
    """Where people have to sign in nothing is left that only a terminal could do."""
    forms = {form.__name__ for form in DOES}
    assert len(set(DOES.values())) == len(forms), "one function each"
    assert forms <= handed_to("act_here", "desk")
    assert forms - handed_to("command_of", "cli") == {"Receive", "LinkReport", "DeclareAbsent", "TakeLinkBack"}
    resolve = (FLOWS / "cli" / "acts.py").read_text("utf-8").split("def resolve(")[1]
    assert all(name in resolve for name in ("LinkReport", "DeclareAbsent", "TakeLinkBack"))


@pytest.fixture
def house(label: Label, service: Oracle) -> Label:
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"))
    with label.ledger():
        return label


def kinds() -> list[ActKind]:
    with Label.ledger() as ledger:
        return [told.act.kind for told in ledger.acts.since()]


def code_of(name: str) -> int:
    return 14 if name == "nightly" else 0


@pytest.mark.parametrize("name", ACTS)
def test_what_a_command_does_is_on_record(house, service, name):
    setup, words, expected = ACTS[name]
    given = setup(house, service)
    before = len(kinds())
    result = house.type(*name.split(), *given, *words, typed="a good long password\n")
    assert result.exit_code == code_of(name), result.output
    assert set(kinds()[before:]) == expected


# What is wrong, beside what was right.
WRONG = {
    "approve": ((*WORD, "--total", "30,01"), (*WORD, "--total", "much"), ("--by", " ", "--total", "30,00")),
    "reject": ((*WORD, "--why", " "), ("--by", " ", "--why", "no")),
    "hold": ((*WORD, "--why", " "), ("--by", " ", "--why", "no")),
    "release": (("--by", " "),),
    "decide": (("--paid", *WORD, "--evidence", " "), ("--paid", "--drop", *WORD, "--evidence", "x")),
    "withdraw": ((*WORD, "--why", " "), (*WORD, "--why", "x", "--back")),
    "unfreeze": (
        ("--accept", "rp-1", *WORD, "--evidence", "x"),
        ("--accept", "rp-1", *TWO, "--evidence", " "),
        ("--accept", "rp-2", *TWO, "--evidence", "x"),
    ),
    "desk user roles": (("--role", "owner"),),
    "desk user payee": (("--document", "123"),),
    "desk webhook register": (("ftp://127.0.0.1",),),
}


@pytest.mark.parametrize(("name", "words"), [(name, words) for name, every in WRONG.items() for words in every])
def test_what_is_refused_leaves_no_act(house, service, name, words):
    given = ACTS[name][0](house, service)
    before = kinds()
    assert house.type(*name.split(), *given, *words).exit_code != 0
    assert kinds() == before


def test_looking_at_a_house_leaves_no_act(house):
    house.say("check", house.job)
    for command in ("status", "runs", "acts", "owed", "month 2026-10", "taxes --year 2026", "policy", "doctor"):
        house.type(*command.split())
    assert kinds() == []
