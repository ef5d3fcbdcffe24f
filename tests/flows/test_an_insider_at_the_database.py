# ruff: noqa: S608  # statements of an attacker, made of names of ours
"""Somebody who may write to the database, and has neither the key nor anybody's password, moves no money.

Each attack is followed by its control: with the database as it was before, the honest way pays, so that a house that
simply stands still proves nothing. Held constant: one job of two payments, whose approver must be another than whoever
prepared it. Varied: the table, the column and the act that is written, and the moment of writing.
"""

import datetime as dt
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from hashlib import sha256
from pathlib import Path

import pytest

from flows.house_ledger import ACTS_HEAD
from flows.run import SYSTEM_CLOCK
from flows.settings import read_settings
from schemas.approval import GOOD_FOR, Role
from schemas.errors import RepasseError
from schemas.plan import Approval, ApprovalKind
from tests.flows.jobs import JOB, payment, people
from tests.flows.label import Label, digest_of
from tests.flows.oracle import Oracle

ONE, TWO = people(2)
EVA, BIA, ANA = "Eva Cruz", "Bia Reis", "Ana Lima"  # Eva prepares, and may approve what others have prepared
RULE = {"above": "0.00", "identities": "signed_in", "other_than_preparer": True}
Database = sqlite3.Connection


class House:
    """A plan of Eva's that waits, and her own yes to it, which does not count."""

    def __init__(self, label: Label, service: Oracle) -> None:
        self.label, self.service = label, service
        self._database = Path(read_settings().ledger_url.removeprefix("sqlite:///"))
        label.declare(approval=RULE)
        label.payments(payment(ONE, "10,00"), payment(TWO, "20,00"))
        with label.ledger() as ledger:
            for name, roles in ((EVA, [Role.PREPARER, Role.APPROVER]), (BIA, [Role.APPROVER]), (ANA, [Role.PREPARER])):
                ledger.desk_users.add(name, roles, "a hash of a password")
            for path in (label.job, label.folder / "payments.xlsx"):
                ledger.authors.record(sha256(path.read_bytes()).hexdigest(), EVA)
        self.digest = digest_of(label.run(yes=False, by=EVA))

    def approve(self, by: str, *, days_ago: int = 0) -> None:
        at = SYSTEM_CLOCK.now() - dt.timedelta(days=days_ago)
        with self.label.ledger() as ledger:
            word = Approval(self.digest, by, ApprovalKind.SIGNED_IN, 3000, at, at + GOOD_FOR)
            ledger.approvals.record(word)

    def run(self) -> None:
        self.label.run(yes=False, by="the night")

    @contextmanager
    def at_the_database(self) -> Iterator[Database]:
        with closing(sqlite3.connect(self._database)) as connection, connection:
            for name in ("acts", "transitions", "journal_entries"):
                for (trigger,) in connection.execute(
                    "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = ?", (name,)
                ).fetchall():
                    connection.execute(f"DROP TRIGGER {trigger}")
            yield connection

    def copy(self) -> Path:
        kept = self._database.with_name("before.db")
        self._copied(self._database, kept)
        return kept

    def restore(self, kept: Path) -> None:
        self._copied(kept, self._database)
        (read_settings().home / ACTS_HEAD).unlink()  # of the days that are undone

    @staticmethod
    def _copied(source: Path, target: Path) -> None:
        with closing(sqlite3.connect(source)) as before, closing(sqlite3.connect(target)) as after:
            before.backup(after)


@pytest.fixture
def house(label: Label, service: Oracle) -> House:
    return House(label, service)


def evas_yes(house: House) -> None:
    house.approve(EVA)


def bias_lapsed_yes(house: House) -> None:
    house.approve(BIA, days_ago=30)


def bias_yes_and_then_her_no(house: House) -> None:
    house.approve(BIA)
    with house.label.ledger() as ledger:
        ledger.submissions.reject_plan(house.digest, BIA, "not so")
    house.run()


def bias_yes_while_ana_holds(house: House) -> None:
    house.approve(BIA)
    with house.label.ledger() as ledger:
        ledger.hold.put(ANA, "a look first")


def bias_yes_while_frozen(house: House) -> None:
    from schemas.messages import Message

    house.approve(BIA)
    with house.label.ledger() as ledger:
        ledger.freeze.put(Message("alarm.lost_report", name="rp-1"), ["rp-1"])


def paid_herself(house: House) -> None:
    """Bia, who is one of the two who are paid, says yes."""
    house.label.say("desk", "user", "payee", BIA, "--document", ONE.tax_id)
    house.approve(BIA)


def copied_row(database: Database, table: str, where: str, **changes: object) -> None:
    database.row_factory = sqlite3.Row
    row = dict(database.execute(f"SELECT * FROM {table} WHERE {where}").fetchone())
    row = {name: value for name, value in (row | changes).items() if name != "id"}
    names, marks = ", ".join(f'"{name}"' for name in row), ", ".join("?" * len(row))
    database.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", list(row.values()))


Attack = Callable[[Database], object]


def says(*statements: str) -> Attack:
    def attack(database: Database) -> None:
        changed = 0
        for statement in statements:
            changed += database.execute(statement).rowcount
        assert changed, "the attack changes something"

    return attack


LATER = "2099-01-01 00:00:00.000000"
ATTACKS: list[tuple[str, Callable[[House], None], Attack]] = [
    # Words on the plan.
    ("her yes in another's name", evas_yes, says("UPDATE approvals SET by = 'Bia Reis'")),
    ("her yes as a typed one", evas_yes, says("UPDATE approvals SET kind = 'person', by = 'Bia Reis'")),
    ("her yes copied for another", evas_yes, lambda d: copied_row(d, "approvals", "1", by=BIA)),
    ("a yes on the act of preparing", evas_yes, lambda d: copied_row(
        d, "approvals", "1", by=BIA, act=d.execute("SELECT max(id) FROM acts WHERE kind = 'prepare'").fetchone()[0]
    )),
    ("the act of her yes in another's name", evas_yes, says(
        "UPDATE acts SET by = 'Bia Reis' WHERE kind = 'approve'", "UPDATE approvals SET by = 'Bia Reis'"
    )),
    ("an act of a yes without its seal", evas_yes, lambda d: (
        copied_row(d, "acts", "kind = 'approve'", by=BIA, previous="1" * 64, sha256="2" * 64),
        copied_row(d, "approvals", "1", by=BIA, act=d.execute("SELECT max(id) FROM acts").fetchone()[0]),
    )),
    ("the total of her yes", evas_yes, says("UPDATE approvals SET total_cents = 1, by = 'Bia Reis'")),
    ("a lapsed yes made good", bias_lapsed_yes, says(f"UPDATE approvals SET expires_at = '{LATER}'")),
    ("a lapsed yes made younger", bias_lapsed_yes, says(
        f"UPDATE approvals SET at = '{LATER}', expires_at = '{LATER}'"
    )),
    ("a lapsed yes and its act", bias_lapsed_yes, says(
        f"UPDATE approvals SET expires_at = '{LATER}'", f"UPDATE acts SET at = '{LATER}' WHERE kind = 'approve'"
    )),
    ("a yes that a no made void", bias_yes_and_then_her_no, says(
        "UPDATE approvals SET voided_at = NULL", "UPDATE plans SET rejected_at = NULL, rejected_by = NULL"
    )),
    ("the act of the no taken out", bias_yes_and_then_her_no, says(
        "UPDATE approvals SET voided_at = NULL", "UPDATE plans SET rejected_at = NULL",
        "DELETE FROM acts WHERE kind = 'reject'",
    )),
    ("the no made a yes", bias_yes_and_then_her_no, says(
        "UPDATE approvals SET voided_at = NULL, kind = 'signed_in'", "UPDATE plans SET rejected_at = NULL",
        f"UPDATE approvals SET expires_at = '{LATER}'", "UPDATE acts SET kind = 'approve' WHERE kind = 'reject'",
    )),
    # Who has a part.
    ("what she brought", evas_yes, says("DELETE FROM acts WHERE kind = 'bring'")),
    ("the last that she brought", evas_yes, says(
        "DELETE FROM acts WHERE id = (SELECT max(id) FROM acts WHERE kind = 'bring')"
    )),
    ("what she brought, by another", evas_yes, says("UPDATE acts SET by = 'Ana Lima' WHERE kind = 'bring'")),
    ("what she brought is other bytes", evas_yes, says("UPDATE acts SET subject = 'x' WHERE kind = 'bring'")),
    ("what she brought was a sign-in", evas_yes, says("UPDATE acts SET kind = 'sign_in' WHERE kind = 'bring'")),
    ("what she brought was received", evas_yes, says(
        "UPDATE acts SET kind = 'receive', facts_json = '{\"part\": \"no\"}' WHERE kind = 'bring'"
    )),
    ("that she prepared it", evas_yes, says("DELETE FROM acts WHERE kind = 'prepare'")),
    ("another prepared it", evas_yes, says("UPDATE acts SET by = 'Ana Lima' WHERE kind = 'prepare'")),
    ("it was made by another run", evas_yes, says(
        "UPDATE acts SET facts_json = '{\"run\": \"x\", \"read\": \"x\"}' WHERE kind = 'prepare'"
    )),
    ("another plan was prepared", evas_yes, says("UPDATE acts SET subject = 'sha256:x' WHERE kind = 'prepare'")),
    ("nothing was read", evas_yes, says("DELETE FROM run_inputs")),
    ("one file was not read", evas_yes, says("DELETE FROM run_inputs WHERE name = 'payments.xlsx'")),
    ("other bytes were read", evas_yes, says("UPDATE run_inputs SET sha256 = 'x' WHERE name = 'payments.xlsx'")),
    ("every row of who prepared it", evas_yes, says(
        "UPDATE plans SET prepared_by = 'Ana Lima'", "UPDATE runs SET prepared_by = 'Ana Lima'",
        "UPDATE plan_runs SET prepared_by = 'Ana Lima'",
    )),
    ("no run made the plan", evas_yes, says("DELETE FROM plan_runs")),
    # Who they are.
    ("a user of her own", evas_yes, lambda d: (
        copied_row(d, "desk_users", "name = 'Bia Reis'", key="mallory", name="Mallory"),
        copied_row(d, "approvals", "1", by="Mallory"),
    )),
    ("her name is another's", evas_yes, says("UPDATE desk_users SET name = 'Bia Reis 2', key = 'biareis2' "
                                              "WHERE name = 'Eva Cruz'", "UPDATE approvals SET by = 'Bia Reis 2'")),
    ("a preparer becomes an approver", evas_yes, lambda d: (
        d.execute("UPDATE desk_users SET roles = 'approver' WHERE name = 'Ana Lima'"),
        copied_row(d, "approvals", "1", by=ANA),
    )),
    ("she is paid by nothing", paid_herself, says("UPDATE desk_users SET documents = ''")),
    # Past the words.
    ("the plan is approved", evas_yes, says(f"UPDATE plans SET approved_at = '{LATER}'")),
    ("its batches are approved", evas_yes, says("UPDATE attempts SET state = 'approved'")),
    ("plan and batches are approved", evas_yes, says(
        f"UPDATE plans SET approved_at = '{LATER}'", "UPDATE attempts SET state = 'approved'",
        f"UPDATE approvals SET used_at = '{LATER}'",
    )),
    # What stops sending.
    ("the hold is taken out", bias_yes_while_ana_holds, says("DELETE FROM acts WHERE kind = 'hold'")),
    ("the hold is released", bias_yes_while_ana_holds, lambda d: copied_row(
        d, "acts", "kind = 'hold'", kind="release", previous="1" * 64, sha256="2" * 64
    )),
    ("the hold was a release", bias_yes_while_ana_holds, says("UPDATE acts SET kind = 'release' WHERE kind = 'hold'")),
    ("the hold was a sign-in", bias_yes_while_ana_holds, says("UPDATE acts SET kind = 'sign_in' WHERE kind = 'hold'")),
    ("the hold cannot be read", bias_yes_while_ana_holds, says("UPDATE acts SET kind = 'x' WHERE kind = 'hold'")),
    ("the freeze is taken out", bias_yes_while_frozen, says("DELETE FROM freezes")),
    ("the freeze is lifted by its row", bias_yes_while_frozen, says(
        f"UPDATE freezes SET lifted_at = '{LATER}', lifted_by = 'Ana Lima', accepted_tags = tags, lift_act = 1"
    )),
    ("the freeze and its act are taken out", bias_yes_while_frozen, says(
        "DELETE FROM freezes", "DELETE FROM acts WHERE kind = 'freeze'"
    )),
]  # fmt: skip
# Of these, some that show each kind stand in the short suite.
SHORT = {"her yes in another's name", "what she brought", "other bytes were read", "the freeze is taken out"}


def test_there_are_forty_ways() -> None:
    assert len({name for name, _, _ in ATTACKS}) == len(ATTACKS) >= 40


@pytest.mark.parametrize(
    ("before", "attack"),
    [
        pytest.param(before, attack, id=name, marks=[] if name in SHORT else [pytest.mark.long])
        for name, before, attack in ATTACKS
    ],
)
def test_what_is_written_past_the_program_pays_nothing_and_the_honest_way_does(house, before, attack):
    honest = house.copy()
    before(house)
    with house.at_the_database() as database:
        attack(database)
    with suppress(RepasseError):
        house.run()
    assert not house.service.paid
    house.restore(honest)
    house.approve(BIA)
    house.run()
    assert house.service.paid == [1000, 2000]


def test_without_an_attack_evas_own_yes_pays_nothing_and_nothing_is_broken(house):
    house.approve(EVA)
    house.run()
    assert not house.service.paid
    house.approve(BIA)
    house.run()
    assert house.service.paid == [1000, 2000]


def test_a_first_of_two_words_that_nobody_said_is_none(house):
    forged = {"kind": "first_word", "by": ANA, "subject": "rp-1", "facts_json": '{"on": "absent"}'}
    with house.at_the_database() as database:
        copied_row(database, "acts", "kind = 'prepare'", **forged, previous="1" * 64, sha256="2" * 64)
    with house.label.ledger() as ledger:
        assert ledger.first_decisions.pending("absent", "rp-1") is None
        ledger.first_decisions.record("absent", "rp-1", BIA, "the service says so")
        assert ledger.first_decisions.pending("absent", "rp-1").by == BIA


@pytest.mark.parametrize("previous", ["1" * 64, ""])
def test_an_act_that_somebody_adds_neither_counts_nor_keeps_the_honest_way_from_paying(house, previous):
    with house.at_the_database() as database:
        (last,) = database.execute("SELECT sha256 FROM acts ORDER BY id DESC LIMIT 1").fetchone()
        forged = {"kind": "release", "by": ANA, "previous": previous or last, "sha256": "2" * 64}
        copied_row(database, "acts", "kind = 'prepare'", **forged)
    house.approve(BIA)
    house.run()
    assert house.service.paid == [1000, 2000]
    with house.label.ledger() as ledger:
        assert ledger.acts.first_broken() is not None
    with house.at_the_database() as database:
        database.execute("DELETE FROM acts WHERE sha256 = ?", ["2" * 64])
    with house.label.ledger() as ledger:
        assert ledger.acts.first_broken() is None


@pytest.mark.parametrize(
    "attack",
    [
        says("UPDATE pix_key_types SET key_type = 'phone_number'"),
        says("UPDATE pix_key_types SET key_type = 'phone_number', act = act + 1"),
        lambda d: copied_row(d, "pix_key_types", "1", act=999, key_type="phone_number"),
        lambda d: d.execute(
            "UPDATE acts SET facts_json = replace(facts_json, 'a', 'b') WHERE kind = 'confirm_key_types'"
        ),
    ],
)
def test_a_type_that_nobody_confirmed_is_no_keys_type(label, attack):
    """Eleven digits are a CPF or somebody's phone: who may write to the database does not say which."""
    confirmed = {sha256(ONE.tax_id.encode()).hexdigest(): "cpf", "0" * 64: "email"}
    with label.ledger() as ledger:
        ledger.pix_key_types.confirm(JOB, confirmed, "bia")
        assert ledger.pix_key_types.known(JOB) == confirmed
    database = Path(read_settings().ledger_url.removeprefix("sqlite:///"))
    with closing(sqlite3.connect(database)) as connection, connection:
        for (trigger,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            connection.execute(f"DROP TRIGGER {trigger}")
        attack(connection)
    with label.ledger() as ledger:
        assert ledger.pix_key_types.known(JOB) in ({}, confirmed), "what was confirmed, or a question"
