"""Every act that is printed or offered, in whatever state, is taken when somebody does it; and what ends, ends.

Varied here: how the state came to be, who offers the act (the terminal's texts, a workbook, the desk's forms), the
language, and which of several answers is given. Each is done in a copy of the house, so that all can be tried.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from flows.desk.app import opened_desk
from flows.desk.guard import DeskSettings
from flows.settings import read_settings
from schemas.approval import Role
from schemas.errors import ExitCode
from tests.flows.desk.office import ORIGIN, Browser, RunsHere, hashed, words_of
from tests.flows.every_view import LANGUAGES, look_through
from tests.flows.jobs import line, payee, payment, people, share
from tests.flows.label import Label, digest_of, summary_of
from tests.flows.printed_acts import Act, acts_of, cells, copied, take, unnamed_keys

ANA, BIA, CAIO = people(3)
pytestmark = [pytest.mark.long, pytest.mark.usefixtures("workbooks")]
NOTHING_PAID = {"donePayments": 0, "pendingPayments": 2, "paidAmount": 0}
ONE_OF_TWO = {"status": "DONE", "donePayments": 1, "pendingPayments": 1, "paidAmount": 10}
TABLES = {"payees": "payees.xlsx", "shares": "shares.xlsx"}


def changed(label, service, amount):
    label.payments(payment(ANA, "10,00", "a"), payment(BIA, "20,00", "b"))
    label.run()
    label.payments(payment(ANA, amount, "a"), payment(BIA, "20,00", "b"))


def renamed(label, service):
    changed(label, service, "10,00")
    label.payments(payment(ANA, "10,00", "z"), payment(BIA, "20,00", "b"))


def failed(label, service):
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"))
    service.behave(failing_payees=[ANA.tax_id, BIA.tax_id])
    label.run()
    service.behave(failing_payees=[])


def royalties(label, month="2026-07", amount="100,00", title="Samba"):
    label.write("payees.xlsx", [payee(ANA), payee(BIA)])
    label.write("shares.xlsx", [share(ANA, "50"), share(BIA, "50")])
    label.write(f"{month}.xlsx", [line(amount, title)])
    label.declare(period=month, sources=[{"files": "{period}.xlsx", "layout": "royalties"}], **TABLES)


def failed_royalties(label, service):
    royalties(label)
    service.behave(failing_payees=[ANA.tax_id, BIA.tax_id])
    label.run()
    service.behave(failing_payees=[])


def ended(label, service, **figures):
    service.behave(processing_after_s=3600, done_after_s=3600)
    label.declare(settle={"every_s": "0.1", "for_s": "0"})
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"))
    label.run()
    service.force(**figures)
    label.say("settle", code=ExitCode.DISCREPANCIES)


def in_doubt(label, service):
    label.payments(payment(ANA, "10,00"))
    service.plant("POST /split", "drop", when="after")
    service.behave(listing_delay_s=3600)
    label.run()
    service.clear()


def planned(label, service):
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"))
    label.run(yes=False)


def rejected(label, service):
    planned(label, service)
    label.say("reject", digest_of(label.run(yes=False)), "--by", "caio", "--why", "not sure")


def held(label, service):
    label.payments(payment(ANA, "10,00"), payment(BIA, "vinte"))
    label.run()
    label.say("hold", "--by", "caio", "--why", "holiday")


STATES: dict[str, Callable[[Label, object], None]] = {
    "a row says more than was paid": lambda *world: changed(*world, "12,00"),
    "a row says less than was paid": lambda *world: changed(*world, "7,00"),
    "a row was renamed": renamed,
    "a report of rows failed": failed,
    "a report of royalties failed": failed_royalties,
    "a report paid one of two": lambda *world: ended(*world, **ONE_OF_TWO),
    "a report was excluded": lambda *world: ended(*world, **NOTHING_PAID | {"status": "EXCLUDED"}),
    "an answer was lost": in_doubt,
    "a plan waits": planned,
    "a plan was rejected": rejected,
    "a row is held, and sending too": held,
}  # fmt: skip

OFTEN = ("a report of rows failed",)


@pytest.fixture(
    params=[pytest.param(name, id=name, marks=pytest.mark.journey if name in OFTEN else ()) for name in STATES]
)
def state(request, label, service):
    STATES[request.param](label, service)
    return request.param


def test_whatever_act_is_printed_is_taken(label, state):
    """Before the job is run again, and after it."""
    printed = look_through(label.job, languages=LANGUAGES)
    tried = take_each(label, acts_of(label, "\n".join([printed, *cells(label.folder / "out")])))
    report = label.run(yes=False)
    printed = [
        look_through(label.job, languages=LANGUAGES),
        *report.messages,
        *(str(issue.accepts) for issue in report.issues),
    ]
    tried |= take_each(label, acts_of(label, "\n".join([*printed, *cells(report.outputs[0].parent)])))
    assert tried, "nothing that is open may be without an act"


def take_each(label: Label, acts: set[Act]) -> set[Act]:
    for act in sorted(acts):
        with copied():
            take(label, act)
    return acts


@pytest.mark.long
def test_whatever_the_desk_offers_to_decide_is_taken(label, state, tmp_path):
    if state.startswith("a row") and "held" not in state:
        label.run(yes=False)
    for key, kind in offered_at_desk(label, tmp_path):
        with copied(), at_desk(label, tmp_path) as browser:
            fields = {f"key:{key}": "on", "kind": kind, "evidence": "x", "token": browser.token("/doubts")}
            answer = browser.http.post("/doubts/decide", data=fields, headers={"Origin": ORIGIN})
            assert answer.status_code == 303, (key, kind, words_of(answer.text))


@contextmanager
def at_desk(label: Label, folder: Path) -> Iterator[Browser]:
    with opened_desk(read_settings(), label.folder, RunsHere()) as desk:
        desk.ledger.desk_users.add("Vera Reis", set(Role), hashed())
        browser = Browser(desk, DeskSettings(uploads=folder / "uploads", upload_limit_bytes=1_000_000))
        browser.sign_in("Vera Reis")
        yield browser


def offered_at_desk(label: Label, folder: Path) -> list[tuple[str, str]]:
    with copied(), at_desk(label, folder) as browser:
        page = browser.get("/doubts")
    forms = re.findall(r'<form[^>]*action="/doubts/decide">(.*?)</form>', page, re.DOTALL)
    return [
        (key, kind)
        for form in forms
        for key in re.findall(r'name="key:([^"]+)"', form)
        for kind in re.findall(r'name="kind" value="([^"]+)"', form)
    ]


def test_the_desk_offers_what_is_open(label, service, tmp_path):
    renamed(label, service)
    label.run()
    assert {kind for _, kind in offered_at_desk(label, tmp_path)} == {"pay", "paid", "drop"}


def test_of_what_failed_a_second_attempt_is_offered_and_ends_it(label, service):
    failed(label, service)
    shown = label.say("status", code=ExitCode.DISCREPANCIES).output
    assert "--pay," not in shown
    assert "approve the second attempt" in shown
    waiting = label.run()
    label.approve(digest_of(waiting), "30,00", "bia")
    assert label.run(yes=False).exit_code == ExitCode.DONE
    assert label.say("status").exit_code == ExitCode.DONE


@pytest.mark.parametrize("word", ["paid", "drop"])
def test_a_failed_payment_of_which_people_say_that_it_is_settled_waits_for_nobody(label, service, word):
    failed(label, service)
    label.say("decide", *unnamed_keys(label), f"--{word}", "--by", "bia", "--evidence", "a receipt")
    assert label.ask("status")["waits"] == []


@pytest.mark.long
@pytest.mark.journey
def test_what_failed_in_one_month_and_was_paid_with_the_next_waits_for_nobody(label, service):
    failed_royalties(label, service)
    (wait,) = label.ask("status", code=ExitCode.DISCREPANCIES)["waits"]
    assert (wait["kind"], wait["count"], wait["amount_cents"]) == ("failed", 2, 10000)
    royalties(label, "2026-08", "40,00", "Valsa")
    waiting = label.run()
    assert label.ask("status", code=ExitCode.APPROVAL_WANTED)["waits"] == []  # the plan that waits tells of it
    label.approve(digest_of(waiting), "140,00", "bia")
    assert label.run(yes=False).exit_code == ExitCode.DONE
    assert label.ask("status")["waits"] == []


def test_of_a_failed_report_waits_what_is_owed_still_once_and_with_the_reason_of_now(label, service):
    """One of two was paid since; the other is owed the 50.00 that failed and 20.00 more, and has no account."""
    failed_royalties(label, service)
    royalties(label, "2026-08", "40,00", "Valsa")
    label.write("shares.xlsx", [share(ANA, "50"), share(BIA, "50")])
    label.write("payees.xlsx", [payee(ANA), dict(payee(BIA)) | {"Chave Pix": "", "Tipo da chave": ""}])
    waiting = label.run()
    label.approve(digest_of(waiting), "70,00", "bia")
    report = label.run(yes=False)
    assert summary_of(report)["totals_cents"]["paid"] == 7000
    waits = label.ask("status", code=ExitCode.ROWS_HELD)["waits"]
    (held,) = [wait for wait in waits if wait["amount_cents"]]
    told = held["kind"], held["reason"], held["count"], held["amount_cents"]
    assert told == ("held", "DESTINATION_MISSING", 1, 7000)
