"""What people do is on record, with its effect; a row that the program did not write is named, and no word is taken.

Varied: the act, the face (terminal and desk), the row that is forged, its column, and how. Held constant: one house,
SQLite; whoever forges can write to the database and has not the key.
"""

import datetime as dt
import json
import random
import shutil
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from flows.desk.app import opened_desk
from flows.desk.guard import DeskSettings
from flows.settings import ACTS_HEAD, read_settings
from schemas.acts import Act, ActKind, chained
from schemas.approval import Decision, DecisionKind, Role
from schemas.errors import ExitCode
from tests.flows.desk.office import ORIGIN, Browser, RunsHere, hashed
from tests.flows.jobs import payment, people
from tests.flows.label import Label
from tests.flows.printed_acts import unnamed_keys

ANA, BIA = people(2)
K = ActKind
COLUMNS = ("kind", "by", "subject", "facts_json", "why", "at", "previous", "sha256", "seal")


@pytest.fixture
def lived_in(label: Label, service) -> Label:
    """Two payments failed, one was paid by hand; sending was held and went on."""
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"))
    service.behave(failing_payees=[ANA.tax_id, BIA.tax_id])
    label.run()
    label.say("decide", key_of(label), "--paid", "--by", "bia", "--evidence", f"in cash, to {ANA.name}")
    label.say("hold", "--by", "bia", "--why", "a look first")
    label.say("release", "--by", "ana")
    return label


def key_of(label: Label) -> str:
    return min(unnamed_keys(label))


def ledger_file() -> Path:
    return read_settings().home / "ledger.db"


def kinds() -> list[ActKind]:
    with Label.ledger() as ledger:
        return [told.act.kind for told in ledger.acts.since()]


def first_broken() -> int | None:
    with Label.ledger() as ledger:
        return ledger.acts.first_broken()


def forge(*statements: tuple[str, tuple[Any, ...]]) -> None:
    """Write past the program: its triggers are taken away first."""
    with closing(sqlite3.connect(ledger_file())) as connection, connection:
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            connection.execute(f'DROP TRIGGER "{name}"')
        for statement, values in statements:
            connection.execute(statement, values)


def rows() -> list[dict[str, Any]]:
    with closing(sqlite3.connect(ledger_file())) as connection:
        connection.row_factory = sqlite3.Row
        return [dict(row) for row in connection.execute("SELECT * FROM acts ORDER BY id")]


def test_what_a_team_does_at_the_terminal_is_on_record_in_its_order(lived_in):
    assert kinds() == [K.RUN, K.RECEIVE, K.RECEIVE, K.PREPARE, K.APPROVE, K.DECIDE, K.HOLD, K.RELEASE]
    with Label.ledger() as ledger:
        assert [told.act.by for told in ledger.acts.since()] == ["ana", "ana", "ana", "ana", "ana", "bia", "bia", "ana"]
    assert first_broken() is None


def test_what_is_told_to_other_programs_names_nobody_who_is_paid(lived_in):
    told = lived_in.say("acts", "--lines").output
    lines = [json.loads(line) for line in told.splitlines()]
    assert [line["kind"] for line in lines[3:]] == ["prepare", "approve", "decide", "hold", "release"]
    assert lines[5]["facts"]["says"] == "paid"
    for who in (ANA, BIA):
        assert not any(text in told for text in (who.name, who.tax_id, who.name.split()[0]))
    shown = lived_in.say("acts", "--since", "2999-01-01").output
    assert "nothing yet" in shown


def test_what_is_done_at_the_desk_is_on_record_too(lived_in, tmp_path):
    before = Counter(kinds())
    with opened_desk(read_settings(), lived_in.folder, RunsHere()) as desk:
        desk.ledger.desk_users.add("Vera Reis", set(Role), hashed(), by="root")
        browser = Browser(desk, DeskSettings(uploads=tmp_path / "uploads", upload_limit_bytes=1_000_000))
        wrong = {"name": "Vera Reis", "password": "no", "token": browser.token("/sign-in")}
        assert browser.http.post("/sign-in", data=wrong, headers={"Origin": ORIGIN}).status_code == 401
        browser.sign_in("Vera Reis")
        held = {"why": "lunch", "token": browser.token("/doubts")}
        assert browser.http.post("/sending/hold", data=held, headers={"Origin": ORIGIN}).status_code == 303
        assert browser.http.get("/payments.csv").status_code == 200
        page = browser.get("/acts")
        assert "baixou dados de recebedores" in page
        assert "Vera Reis" in page
        assert ANA.name not in page
        browser.http.post("/sign-out", data={"token": browser.token("/")}, headers={"Origin": ORIGIN})
    done = Counter(kinds()) - before
    assert done == Counter([K.ADD_USER, K.SIGN_IN_REFUSED, K.SIGN_IN, K.HOLD, K.DOWNLOAD, K.SIGN_OUT])
    assert first_broken() is None


def changed(value: Any, drawn: random.Random) -> Any:
    if isinstance(value, str) and value:
        at = drawn.randrange(len(value))
        return value[:at] + drawn.choice("abc019") + value[at + 1 :]
    return drawn.choice(("x", "2020-01-01 00:00:00.000000", "{}"))


def forgeries(known: list[dict[str, Any]], drawn: random.Random) -> Iterator[tuple[int, str, tuple[Any, ...]]]:
    """Draw forgeries of single rows, each with the number of the first act that does not hold any more."""
    last = known[-1]["id"]
    while True:
        row = drawn.choice(known)
        way = drawn.choice(("change", "change", "take out", "put in"))
        if way == "take out":
            yield min(row["id"] + 1, last), "DELETE FROM acts WHERE id = ?", (row["id"],)
        elif way == "put in":
            mine = dict(row) | {"id": last + 1, "previous": known[-1]["sha256"], "by": "bia", "seal": "0" * 64}
            act = Act(ActKind(row["kind"]), "bia", row["subject"], row["why"], moment(row["at"]), facts(row))
            mine["sha256"] = chained(known[-1]["sha256"], act)  # all but the seal is as the program would write it
            names = ", ".join(f'"{name}"' for name in mine)
            values = ", ".join("?" * len(mine))
            yield last + 1, f"INSERT INTO acts ({names}) VALUES ({values})", tuple(mine.values())  # noqa: S608
        else:
            column = drawn.choice(COLUMNS)
            value = (
                drawn.choice(sorted({*ActKind} - {row["kind"]})) if column == "kind" else changed(row[column], drawn)
            )
            if not says_the_same(column, value, row[column]):
                yield row["id"], f'UPDATE acts SET "{column}" = ? WHERE id = ?', (value, row["id"])  # noqa: S608


def says_the_same(column: str, one: str, other: str) -> bool:
    """Whether two texts of a column are one to whoever reads it: a moment with another letter between day and time."""
    with suppress(ValueError):
        if column in {"at", "facts_json"}:
            return moment(one) == moment(other) if column == "at" else json.loads(one) == json.loads(other)
    return one == other


def moment(text: str) -> dt.datetime:
    return dt.datetime.fromisoformat(text).replace(tzinfo=dt.UTC)


def facts(row: dict[str, Any]) -> dict[str, str]:
    found: dict[str, str] = json.loads(row["facts_json"])
    return found


@pytest.mark.parametrize("count", [40, pytest.param(1_000, marks=[pytest.mark.long, pytest.mark.timeout(600)])])
def test_each_row_that_somebody_wrote_changed_or_took_out_is_named(lived_in, count):
    known, whole = rows(), ledger_file().with_name("whole.db")
    with closing(sqlite3.connect(ledger_file())) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    shutil.copy(ledger_file(), whole)
    drawn = forgeries(known, random.Random(count))
    for _ in range(count):
        number, statement, values = next(drawn)
        shutil.copy(whole, ledger_file())
        forge((statement, values))
        assert first_broken() == number, (statement, values)


def test_an_end_that_is_cut_off_is_missed_by_whoever_saw_it(lived_in):
    last = rows()[-1]["id"]
    forge(("DELETE FROM acts WHERE id > 2", ()))
    assert first_broken() == last
    lived_in.say("doctor", code=ExitCode.FROZEN)
    (read_settings().home / ACTS_HEAD).write_text('{"number": 2, "sha256": "x", "seal": "y"}')
    assert first_broken() is not None, "nor does it help to write another head"


def put_in(kind: ActKind, by: str, **said: str) -> tuple[str, tuple[Any, ...]]:
    """Forge an act that follows from the last one in all but its seal."""
    last = rows()[-1]
    now = dt.datetime.now(dt.UTC)
    act = Act(kind, by, "", "", now, said)
    values = (kind.value, by, json.dumps(said), now.strftime("%Y-%m-%d %H:%M:%S.%f"), last["sha256"])
    values = (*values, chained(last["sha256"], act), "0" * 64)
    columns = 'kind, "by", facts_json, at, previous, sha256, seal, subject, why'
    return f"INSERT INTO acts ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?, '', '')", values  # noqa: S608


def test_a_release_that_nobody_said_releases_nothing(lived_in, service):
    lived_in.say("hold", "--by", "bia", "--why", "stop")
    forge(put_in(ActKind.RELEASE, "bia"))
    with Label.ledger() as ledger:
        assert ledger.hold.current() is not None
    sent = len(service.paid)
    lived_in.payments(payment(BIA, "20,00", "more"))
    lived_in.run()
    assert len(service.paid) == sent, "nothing is sent on the word of a row"


def decided(keys: list[str]) -> Decision:
    with Label.ledger() as ledger:
        (last,) = [*ledger.decisions.on_rows(keys).values(), *ledger.decisions.on_reports(keys).values()]
    return last


@pytest.mark.parametrize(("word", "counts"), [("pay", False), ("drop", True), ("paid", True)])
def test_a_decision_without_its_act_is_none_but_where_it_keeps_something_from_being_paid(lived_in, word, counts):
    columns = 'obligation_key, submission_id, kind, amount_cents, destination, "by", evidence, at, act'
    copied = "SELECT obligation_key, submission_id, ?, amount_cents, destination, 'bia', 'x', at, act FROM decisions"
    forge((f"INSERT INTO decisions ({columns}) {copied}", (word,)))
    last = decided(unnamed_keys(lived_in))
    assert last.kind is (DecisionKind(word) if counts else DecisionKind.PAID)
    assert (last.evidence == "x") is counts


def test_a_freeze_that_a_row_alone_lifts_stands(lived_in):
    with Label.ledger() as ledger:
        from schemas.messages import Message

        ledger.freeze.put(Message("attempt.rejected", by="x", why="y"), ["tag"])
    accepted = json.dumps([["lost_report", "tag"]])
    forge(
        (
            "UPDATE freezes SET lifted_at = frozen_at, lifted_by = 'ana, bia', accepted_tags = ?, lift_act = 1",
            (accepted,),
        )
    )
    with Label.ledger() as ledger:
        assert ledger.freeze.current() is not None
        assert ledger.freeze.accepted() == frozenset()
        assert ledger.freeze.lift(["ana", "bia"], "looked", ["tag"])
        assert ledger.freeze.current() is None


def test_after_the_key_was_lost_two_people_seal_what_is_there_and_nobody_else_does(lived_in, monkeypatch):
    lived_in.say("hold", "--by", "bia", "--why", "the server moves")
    lived_in.say("release", "--by", "ana")
    sealing = ("policy", "seal-again", "--why", "the old server burned")
    lived_in.say(*sealing, "--by", "ana", "--by", "bia", code=ExitCode.USAGE)  # all of it is sealed
    monkeypatch.setenv("REPASSE_APPROVAL_KEY", "another-key-" * 6)
    assert first_broken() == 1
    with Label.ledger() as ledger:
        assert ledger.hold.current() is not None, "a release under the lost key is none"
    for names in (("ana",), ("ana", "A.n.a.")):
        lived_in.say(*sealing, *(word for name in names for word in ("--by", name)), code=ExitCode.USAGE)
    assert first_broken() == 1
    lived_in.say(*sealing, "--by", "ana", "--by", "bia")
    assert first_broken() is None
    assert kinds()[-1] is K.SEAL_AGAIN
    lived_in.say("release", "--by", "ana")
    with Label.ledger() as ledger:
        assert ledger.hold.current() is None
    forge(("UPDATE acts SET \"by\" = 'caio' WHERE id = 2", ()))
    assert first_broken() == 2


def test_nobody_seals_what_was_changed_before(lived_in, monkeypatch):
    forge(("UPDATE acts SET \"by\" = 'caio' WHERE id = 2", ()))
    monkeypatch.setenv("REPASSE_APPROVAL_KEY", "another-key-" * 6)
    lived_in.say("policy", "seal-again", "--by", "ana", "--by", "bia", "--why", "x", code=ExitCode.USAGE)
    assert first_broken() is not None
