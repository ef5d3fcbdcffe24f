"""However many payments a report has, what people ask takes as many questions to the ledger as for few of them.

Varied: how the payments stand; each command and each page that shows them. Constant: SQLite, one report of one list,
counted and never timed.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from sqlalchemy import event
from sqlalchemy.engine import Engine

from flows.desk.app import opened_desk
from flows.desk.guard import DeskSettings
from flows.settings import read_settings
from schemas.approval import Role
from schemas.errors import ExitCode
from tests.flows.desk.office import Browser, RunsHere, hashed
from tests.flows.jobs import payment, people
from tests.flows.label import Label, digest_of

pytestmark = pytest.mark.long
FEW, MANY = 12, 60
NOTHING_PAID = {"donePayments": 0, "paidAmount": 0}


@contextmanager
def counted() -> Iterator[Counter[str]]:
    """Count the statements that any ledger executes."""
    found = Counter[str]()

    def count(_connection, _cursor, statement, *_rest):
        found[statement.split(" WHERE")[0][:200]] += 1

    event.listen(Engine, "before_cursor_execute", count)
    try:
        yield found
    finally:
        event.remove(Engine, "before_cursor_execute", count)


def on_their_way(label, service, rows):
    service.behave(processing_after_s=3600, done_after_s=3600)
    label.payments(*rows)
    label.run()


def paid(label, service, rows):
    label.payments(*rows)
    label.run()


def failed(label, service, rows):
    on_their_way(label, service, rows)
    service.force(status="ERROR", pendingPayments=len(rows), **NOTHING_PAID)
    label.say("settle", code=ExitCode.DISCREPANCIES)


def untold(label, service, rows):
    on_their_way(label, service, rows)
    service.force(status="EXCLUDED", pendingPayments=len(rows), **NOTHING_PAID)
    label.say("settle", code=ExitCode.DISCREPANCIES)


def waiting(label, service, rows):
    label.payments(*rows)
    label.run(yes=False)


def rejected(label, service, rows):
    label.payments(*rows)
    label.say("reject", digest_of(label.run(yes=False)), "--by", "caio", "--why", "conferir")


def changed(label, service, rows):
    paid(label, service, rows)
    label.payments(*(dict(row) | {"Valor": "11,00"} for row in rows))
    label.run(yes=False)


STATES = (on_their_way, paid, failed, untold, waiting, rejected, changed)


@pytest.mark.parametrize("state", STATES, ids=lambda state: state.__name__)
def test_what_people_ask_takes_as_many_questions_for_many_payments_as_for_few(
    tmp_path, home, another_service, monkeypatch, state
):
    asked = dict[int, Counter[str]]()
    for count in (FEW, MANY):
        service = another_service()
        monkeypatch.setenv("REPASSE_HOME", str(tmp_path / f"home-{count}"))
        monkeypatch.setenv("REPASSE_API_URL", service.url)
        monkeypatch.setenv("REPASSE_API_KEY", service.api_key)
        label = Label(tmp_path / f"job-{count}")
        label.declare(settle={"every_s": "0.1", "for_s": "0"})
        state(label, service, [payment(who, "10,00", f"nota {at}") for at, who in enumerate(people(count))])
        with counted() as asked[count]:
            for words in (("status",), ("owed", "--at", "2026-12-31"), ("month", "2026-10"), ("plan", str(label.job))):
                label.type(*words)
            label.type("taxes", "--year", "2026", "--out", str(tmp_path / "taxes.xlsx"))
            label.type("journal", "--from", "2026-01-01", "--to", "2026-12-31", "--format", "csv")
            label.type("settle")
            the_desk_is_looked_at(label, tmp_path)
    more = {text: n for text, n in (asked[MANY] - asked[FEW]).items() if n > MORE}
    assert asked[FEW]
    assert not more, more


def the_desk_is_looked_at(label, folder):
    """The pages over all payments, the last run and its plan."""
    with opened_desk(read_settings(), label.folder, RunsHere()) as desk:
        desk.ledger.desk_users.add("Vera Reis", set(Role), hashed())
        browser = Browser(desk, DeskSettings(uploads=folder / "uploads", upload_limit_bytes=1_000_000))
        browser.sign_in("Vera Reis")
        (run, *_) = desk.ledger.runs.list(1)
        plans = {submission.plan_digest for submission in desk.ledger.submissions.list(bodies=False)}
        pages = ("/", "/runs", "/payments", "/payments?q=ana", "/months", "/doubts", f"/runs/{run.run_id}")
        for page in (*pages, *(f"/plans/{digest}" for digest in plans)):
            browser.http.get(page)


# A pool opens a connection more or less, and what is asked by the thousand is asked in portions.
MORE = 2
