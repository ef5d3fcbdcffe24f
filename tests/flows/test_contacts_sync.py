"""A sync makes the service's address book what the payees' rows say, once, whatever happens on the way."""

import json
import subprocess
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from flows.address_book.sync import AT_A_TIME, sync_job_contacts
from flows.run import QuietProgress
from io_adapters.ledger.leases import Owner
from schemas.contact_book import ContactState
from tests.flows.address_book import CREATE, DELETE, DELETE_ACCOUNT, FAVORITE, LOOK_UP, AddressBook
from tests.flows.jobs import payment, people
from tests.flows.label import COMMAND, digest_of
from tests.flows.moments import later

ANA, BIA = people(2)
ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.long


@pytest.fixture
def book(service):
    return AddressBook(service)


@pytest.fixture
def ready(label):
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"))
    return label


def synced(label, code=0):
    return label.ask("contacts", "sync", label.job, "--apply", code=code)


def key_of(who):
    return {"pixKey": who.destination.pix_key, "pixKeyType": "email"}


@pytest.mark.journey
def test_a_preview_says_what_would_be_done_calls_nobody_and_leaves_no_trace(ready, book, home):
    document = ready.ask("contacts", "sync", ready.job)
    assert (document["applied"], document["planned"]["create"], document["results"]) == (
        False,
        2,
        {"favorite_marked": 0},
    )
    assert book.calls == 0
    assert not home.exists()


@pytest.mark.journey
def test_the_missing_are_created_and_the_second_sync_makes_no_call(ready, book):
    assert synced(ready)["results"] == {"created": 2, "favorite_marked": 0}
    assert {(contact["name"], contact["tax_id"], contact["email"]) for contact in book.contacts} == {
        (who.name, who.tax_id, who.email) for who in (ANA, BIA)
    }
    calls = book.calls
    assert synced(ready)["results"] == {"favorite_marked": 0}
    assert book.calls == calls


def test_a_contact_the_service_has_already_is_found_and_never_made_twice(ready, book, service):
    service.behave(known_contact="create")  # a service that would make a second one of the same tax id
    there = book.add("Somebody", ANA.tax_id, "old@example.com")
    document = synced(ready)
    assert document["results"] == {"created": 1, "found": 1, "favorite_marked": 0}
    (ana,) = (contact for contact in book.contacts if contact["tax_id"] == ANA.tax_id)
    assert (ana["id"], ana["email"], ana["name"]) == (there["id"], ANA.email, "Somebody")
    assert [contact["name_differs"] for contact in document["contacts"]].count(True) == 1
    assert service.calls(CREATE) == 2  # the one above, and Bia's


def test_a_changed_e_mail_is_changed_and_nothing_else_is_called(ready, book):
    synced(ready)
    calls = book.calls
    ready.payments(payment(replace(ANA, email="nova@example.com"), "10,00"), payment(BIA, "20,00"))
    assert ready.ask("contacts", "sync", ready.job)["planned"]["change_email"] == 1
    assert synced(ready)["results"] == {"email_changed": 1, "favorite_marked": 0}
    assert book.calls == calls + 1
    assert "nova@example.com" in {contact["email"] for contact in book.contacts}


def test_the_account_that_is_paid_becomes_the_favorite_and_stays_it_without_another_call(ready, book, service):
    contact = book.add(ANA.name, ANA.tax_id, ANA.email)
    book.give_account(contact["id"], pixKey="outra@example.com", pixKeyType="email")
    paid = book.give_account(contact["id"], **key_of(ANA))
    assert synced(ready)["results"] == {"created": 1, "found": 1, "favorite_marked": 1}
    (ana,) = (one for one in book.contacts if one["id"] == contact["id"])
    assert {account["id"]: account["is_favorite"] for account in ana["accounts"]}[paid["id"]] is True
    calls = book.calls
    synced(ready)
    assert (book.calls, service.calls(FAVORITE)) == (calls, 1)


def test_accounts_that_appear_later_are_learned_when_asked_for(ready, book):
    synced(ready)
    for contact in book.contacts:
        book.give_account(contact["id"], **key_of(ANA if contact["tax_id"] == ANA.tax_id else BIA))
    document = ready.ask("contacts", "sync", ready.job, "--apply", "--ask-again")
    assert document["results"] == {"kept": 2, "favorite_marked": 2}
    assert book.changes.count("account_favored") == 2


def test_a_contact_whose_payee_left_the_sheet_is_told_and_never_deleted(ready, book, service):
    synced(ready)
    ready.payments(payment(ANA, "10,00"))
    assert synced(ready)["not_named"] == 1
    assert (len(book.contacts), service.calls(DELETE), service.calls(DELETE_ACCOUNT)) == (2, 0, 0)


def test_a_payee_with_a_problem_in_its_row_is_left_out_and_told(ready, book):
    ready.payments(payment(ANA, "10,00"), payment(BIA, "20,00", Chave_Pix="not a key"))
    document = synced(ready, code=15)
    assert [(row["because"], row["row"]) for row in document["left_out"]] == [("row_problem", 3)]
    assert len(book.contacts) == 1


def test_what_the_service_refuses_is_told_at_its_cell(ready, book, service):
    body = {"detail": [{"loc": ["body", "email"], "msg": "not deliverable", "type": "value_error"}]}
    service.plant(CREATE, "status", status=422, body=body, when="before", times=None)
    document = synced(ready, code=20)
    assert document["results"] == {"refused": 2, "favorite_marked": 0}
    cells = {(issue["code"], issue["cell"], issue["column"]) for issue in document["issues"]}
    assert {("CONTACT_REFUSED", "C2", "E-mail"), ("CONTACT_REFUSED", "C3", "E-mail")} <= cells
    service.clear()
    assert synced(ready)["results"] == {"created": 2, "favorite_marked": 0}


class TestALostAnswer:
    """The service may have made the contact or not; it is looked for, and never made twice."""

    @pytest.fixture
    def alone(self, label):
        label.payments(payment(ANA, "10,00"))
        return label

    def test_of_a_creation_that_happened_is_found_by_the_next_sync(self, alone, book, service):
        service.behave(known_contact="create")
        service.plant(CREATE, "drop", when="after")
        assert synced(alone, code=22)["results"] == {"in_doubt": 1, "favorite_marked": 0}
        assert synced(alone)["results"] == {"found": 1, "favorite_marked": 0}
        assert (book.changes.count("created"), service.calls(CREATE)) == (1, 1)

    def test_of_one_that_did_not_is_begun_anew_only_when_it_can_no_longer_come(self, alone, book, service):
        service.plant(CREATE, "drop", when="before")
        synced(alone, code=22)
        assert synced(alone, code=22)["results"] == {"waiting": 1, "favorite_marked": 0}
        assert (service.calls(CREATE), service.calls(LOOK_UP)) == (1, 2)
        report = sync_job_contacts(alone.job, apply=True, progress=QuietProgress(), clock=later(minutes=11))
        assert report.sync.results == {"created": 1}
        assert (len(book.contacts), service.calls(CREATE)) == (1, 2)

    def test_of_one_that_comes_late_is_found_and_not_made_twice(self, alone, book, service, eventually):
        service.behave(known_contact="create")
        service.plant(CREATE, "late", seconds=0.5)
        synced(alone, code=22)
        eventually(lambda: bool(book.contacts))
        assert synced(alone)["results"] == {"found": 1, "favorite_marked": 0}
        assert len(book.contacts) == 1

    def test_of_a_look_up_is_simply_asked_again(self, alone, book, service):
        service.plant(LOOK_UP, "drop", when="after")
        synced(alone, code=22)
        assert synced(alone)["results"] == {"created": 1, "favorite_marked": 0}
        assert len(book.contacts) == 1

    def test_of_a_favorite_is_marked_again(self, alone, book, service):
        contact = book.add(ANA.name, ANA.tax_id, ANA.email)
        book.give_account(contact["id"], **key_of(ANA))
        service.plant(FAVORITE, "drop", when="before")
        assert synced(alone, code=22)["results"] == {"found": 1, "favorite_marked": 0}
        assert synced(alone)["results"] == {"kept": 1, "favorite_marked": 1}

    def test_a_program_killed_while_it_creates_leaves_a_record_to_look_up_by(self, alone, book, service):
        with alone.ledger() as ledger:
            attempt = ledger.contacts.begin(ANA.tax_id, b"{}", "run-1")  # what is on record when the call is made
            taken = {"body_sha256": sha256(b"{}").hexdigest(), "deadline_at": ledger.now()}
            assert ledger.contacts.take_for_sending(attempt.id, Owner.current("run-1"), "run-1", **taken)
        book.add(ANA.name, ANA.tax_id, ANA.email)
        assert synced(alone)["results"] == {"found": 1, "favorite_marked": 0}
        assert book.changes.count("created") == 1


def test_another_service_than_the_ledger_s_is_told_nothing(ready, book, another_service, monkeypatch):
    synced(ready)
    other = another_service()
    monkeypatch.setenv("REPASSE_API_URL", other.url)
    document = ready.ask("contacts", "sync", ready.job, "--apply", "--ask-again", code=10)
    assert "belongs to" in document["error"]
    assert AddressBook(other).calls == 0


def test_a_service_that_cannot_be_reached_leaves_nothing_in_doubt_and_is_not_the_ledger_s(ready, service, monkeypatch):
    monkeypatch.setenv("REPASSE_API_URL", "http://127.0.0.1:9/external")
    document = synced(ready, code=21)
    assert document["results"] == {"not_reached": 2, "favorite_marked": 0}
    with ready.ledger() as ledger:
        assert ledger.contacts.all() == {}
    monkeypatch.setenv("REPASSE_API_URL", service.url)
    assert synced(ready)["results"] == {"created": 2, "favorite_marked": 0}


def test_a_service_that_leaves_everything_unanswered_is_not_asked_about_everybody(label, book, service):
    many = people(40)
    label.payments(*(payment(who, "10,00") for who in many))
    service.plant(LOOK_UP, "drop", when="before", times=None)
    document = synced(label, code=22)
    assert 5 <= book.calls <= 5 + AT_A_TIME
    assert set(document["results"]) == {"in_doubt", "not_reached", "favorite_marked"}
    service.clear()
    assert synced(label)["results"] == {"created": 40, "favorite_marked": 0}
    assert len(book.contacts) == 40


def test_a_sync_killed_while_the_service_creates_makes_no_second_contact(label, book, service, eventually):
    label.payments(payment(ANA, "10,00"))
    service.behave(known_contact="create")
    service.plant(CREATE, "hang", seconds=30, when="after")
    words = ["contacts", "sync", str(label.job), "--apply"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen([*COMMAND, *words], cwd=ROOT, **quiet) as program:
        eventually(lambda: bool(book.contacts))
        program.kill()
    assert synced(label)["results"] == {"found": 1, "favorite_marked": 0}
    assert (len(book.contacts), service.calls(CREATE)) == (1, 1)


def test_two_syncs_at_once_are_one(ready, book):
    with ready.ledger() as ledger:
        ledger.leases.take("contacts", Owner.current("another"), 60)
        document = synced(ready, code=30)
        assert "contacts is held" in document["error"]
        ledger.leases.release("contacts", Owner.current("another"))
    assert book.calls == 0
    synced(ready)


class TestIdsInPlans:
    def test_a_payment_carries_the_id_of_its_payee_s_contact(self, ready, book):
        synced(ready)
        report = ready.run()
        assert report.exit_code == 0
        assert self.ids_sent(ready) == {contact["tax_id"]: contact["id"] for contact in book.contacts}

    def test_a_job_that_was_never_synced_sends_none(self, ready):
        ready.run()
        assert set(self.ids_sent(ready).values()) == {None}

    def test_a_row_s_own_id_is_sent_and_the_other_one_is_told(self, ready, book):
        synced(ready)
        ready.payments(payment(ANA, "10,00") | {"contact_id": "their-own"}, payment(BIA, "20,00") | {"contact_id": ""})
        (issue_shown,) = (
            issue for issue in ready.ask("plan", ready.job)["issues"] if issue["code"] == "CONTACT_DIFFERS"
        )
        assert (issue_shown["cell"], issue_shown["severity"]) == ("H2", "warning")
        ready.run()
        assert self.ids_sent(ready)[ANA.tax_id] == "their-own"

    def test_a_sync_between_plan_and_approval_makes_another_plan_that_is_paid_once(self, ready, service):
        before = ready.run(yes=False)
        synced(ready)
        after = ready.run(yes=False)
        assert (before.exit_code, after.exit_code) == (14, 14)
        assert digest_of(before) != digest_of(after)
        ready.approve(digest_of(after), "30,00", "bia")
        assert ready.run(yes=False).exit_code == 0
        assert service.paid == [1000, 2000]

    def test_a_sync_after_the_payment_pays_nothing_again(self, ready, service):
        ready.run()
        synced(ready)
        ready.run()
        assert service.paid == [1000, 2000]

    def ids_sent(self, label):
        with label.ledger() as ledger:
            bodies = [json.loads(submission.body) for submission in ledger.submissions.list()]
        return {entry["taxId"]: entry.get("contactId") for body in bodies for entry in body["payments"]}


def ids_of(contact):
    return [account["id"] for account in contact["accounts"]]


class TestByHand:
    def contact(self, label, book):
        synced(label)
        return next(contact for contact in book.contacts if contact["tax_id"] == ANA.tax_id)

    def test_a_contact_is_deleted_only_after_a_yes(self, ready, book, service):
        contact = self.contact(ready, book)
        ready.say("contacts", "delete", "--id", contact["id"], code=2)
        assert (len(book.contacts), service.calls(DELETE)) == (2, 0)
        ready.say("contacts", "delete", "--id", contact["id"], "--yes")
        assert [contact["tax_id"] for contact in book.contacts] == [BIA.tax_id]

    def test_a_deleted_contact_lends_no_id_and_a_sync_creates_it_anew(self, ready, book):
        ready.say("contacts", "delete", "--id", self.contact(ready, book)["id"], "--yes")
        states = {contact["state"] for contact in ready.ask("contacts", "list")["contacts"]}
        assert states == {"known", "gone"}
        assert synced(ready)["results"] == {"created": 1, "favorite_marked": 0}

    def test_a_tax_id_is_asked_for_and_never_on_the_command_line(self, ready, book):
        self.contact(ready, book)
        from typer.testing import CliRunner

        from flows.cli import app

        done = CliRunner().invoke(app, ["contacts", "delete", "--ask-tax-id", "--yes"], input=f"{ANA.tax_id}\n")
        assert done.exit_code == 0, done.output
        assert ANA.tax_id not in done.output
        assert [contact["tax_id"] for contact in book.contacts] == [BIA.tax_id]

    def test_a_deletion_without_an_answer_lends_no_id_until_a_sync_finds_the_contact(self, ready, book, service):
        contact = self.contact(ready, book)
        service.plant(DELETE, "drop", when="before")
        ready.say("contacts", "delete", "--id", contact["id"], "--yes", code=22)
        with ready.ledger() as ledger:
            assert ledger.contacts.ids([ANA.tax_id]) == {}
            assert synced(ready)["results"] == {"found": 1, "favorite_marked": 0}
            assert ledger.contacts.ids([ANA.tax_id]) == {ANA.tax_id: contact["id"]}

    def test_a_deletion_the_service_refuses_changes_nothing(self, ready, book, service):
        contact = self.contact(ready, book)
        body = {"detail": [{"loc": ["body", "contact_id"], "msg": "no", "type": "value_error"}]}
        service.plant(DELETE, "status", status=422, body=body, when="before")
        ready.say("contacts", "delete", "--id", contact["id"], "--yes", code=20)
        with ready.ledger() as ledger:
            assert ledger.contacts.of([ANA.tax_id])[ANA.tax_id].state is ContactState.KNOWN

    def test_an_account_is_made_the_favorite_and_deleted_by_hand(self, ready, book):
        contact = self.contact(ready, book)
        one, two = (book.give_account(contact["id"], pixKey=key, pixKeyType="email") for key in ("a@x.com", "b@x.com"))
        ready.say("contacts", "sync", ready.job, "--apply", "--ask-again")
        ready.say("contacts", "favorite", two["id"])
        (contact_shown,) = (c for c in ready.ask("contacts", "list")["contacts"] if c["contact_id"] == contact["id"])
        assert (contact_shown["favorite"], ids_of(contact_shown)) == (two["id"], [one["id"], two["id"]])
        ready.say("contacts", "delete-account", two["id"], code=2)
        ready.say("contacts", "delete-account", two["id"], "--yes")
        (contact_shown,) = (c for c in ready.ask("contacts", "list")["contacts"] if c["contact_id"] == contact["id"])
        assert (contact_shown["favorite"], ids_of(contact_shown)) == (None, [one["id"]])

    def test_nothing_personal_is_shown(self, ready, book):
        output = (
            ready.say("contacts", "sync", ready.job).output + ready.say("contacts", "sync", ready.job, "--apply").output
        )
        output += ready.say("contacts", "list").output + json.dumps(ready.ask("contacts", "list"))
        output += json.dumps(ready.ask("contacts", "sync", ready.job))
        for who in (ANA, BIA):
            assert not [text for text in (who.tax_id, who.name, who.email, who.destination.pix_key) if text in output]
