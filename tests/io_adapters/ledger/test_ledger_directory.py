"""The directory: what the service said of contacts, institutions and itself is kept as it said it, with its date."""

import datetime as dt
import hashlib

import pytest
from sqlalchemy.exc import IntegrityError

from io_adapters.ledger.ledger import open_ledger
from schemas.attempt import AttemptState
from schemas.contact_book import ContactState
from schemas.wire import Contact, ContactAccount, Institution

ANA, BIA = "52998224725", "11144477735"
MAIL = "ana@example.com"
KEY = {"id": "acc-1", "pix_key": MAIL, "pix_key_type": "email", "is_favorite": False}
BANK = {"id": "acc-2", "bank_code": "001", "agency": "0001", "account_number": "123-4", "is_favorite": True}
TOLD = {"id": "c-1", "tax_id": ANA, "name": "Ana Maria", "email": MAIL, "accounts": [KEY, BANK]}


def told(ledger, tax_id=ANA, asked_email=MAIL, **changes):
    return ledger.contacts.as_answered(tax_id, Contact.model_validate(TOLD | changes), asked_email=asked_email)


def take(ledger, owner):
    """Have the creation of Ana's contact on record as it is when the call is made."""
    attempt = ledger.contacts.begin(ANA, b"{}", "run-1")
    sha256 = hashlib.sha256(attempt.body).hexdigest()
    deadline_at = ledger.now() + dt.timedelta(seconds=30)
    assert ledger.contacts.take_for_sending(attempt.id, owner, "run-1", body_sha256=sha256, deadline_at=deadline_at)
    return attempt


@pytest.fixture
def gone():
    return lambda _owner: True


class TestContacts:
    def test_a_contact_is_kept_as_the_service_told_it_with_its_accounts(self, ledger, clock):
        told(ledger)
        (known,) = ledger.contacts.all().values()
        assert (known.tax_id, known.contact_id, known.name, known.email) == (ANA, "c-1", "Ana Maria", MAIL)
        assert [account.document() for account in known.accounts] == [
            ContactAccount.model_validate(one).document() for one in (KEY, BANK)
        ]
        assert (known.favorite_account_id, known.state, known.told_at) == ("acc-2", ContactState.KNOWN, clock())

    def test_it_is_found_by_tax_id_by_id_and_by_account(self, ledger):
        known = told(ledger)
        assert ledger.contacts.of([ANA, BIA]) == {ANA: known}
        assert ledger.contacts.ids([ANA, BIA]) == {ANA: "c-1"}
        assert ledger.contacts.by_id("c-1") == ledger.contacts.with_account("acc-2") == known
        assert ledger.contacts.by_id("c-2") is ledger.contacts.with_account("acc-3") is None

    def test_an_answer_that_leaves_things_out_leaves_what_was_known(self, ledger):
        before = told(ledger)
        after = ledger.contacts.as_answered(ANA, Contact(), asked_email="new@example.com")
        assert (after.contact_id, after.name, after.accounts) == (before.contact_id, before.name, before.accounts)
        assert after.email == "new@example.com"

    def test_an_answer_with_no_accounts_at_all_says_that_there_are_none(self, ledger):
        told(ledger)
        assert told(ledger, accounts=[]).accounts == ()

    def test_a_creation_is_on_record_before_it_is_answered_and_its_id_is_not_used(self, ledger, ledger_url, clock, me):
        take(ledger, me)
        with open_ledger(ledger_url, clock=clock) as after_a_crash:
            known = after_a_crash.contacts.of([ANA])[ANA]
            assert (known.state, known.asked_at, known.contact_id) == (ContactState.CREATING, clock(), None)
            assert after_a_crash.contacts.all() == {ANA: known}
            assert after_a_crash.contacts.ids([ANA]) == {}
        assert told(ledger).state is ContactState.KNOWN
        assert ledger.contacts.of([ANA])[ANA].state is ContactState.KNOWN

    @pytest.mark.parametrize("outcome", [AttemptState.NOT_SENT, AttemptState.REFUSED])
    def test_a_creation_that_certainly_was_not_begun_is_forgotten_and_a_known_contact_is_not(self, ledger, me, outcome):
        attempt = take(ledger, me)
        ledger.contacts.record_outcome(attempt.id, outcome, http_status=None, raw_answer=b"", reason=None)
        told(ledger, tax_id=BIA)
        assert list(ledger.contacts.all()) == [BIA]

    def test_a_contact_is_created_by_one_sync_at_a_time_and_anew_once_the_service_has_none(self, ledger, me, gone):
        first = take(ledger, me)
        assert ledger.contacts.begin(ANA, b"{}", "run-2") is None
        (doubtful,) = ledger.contacts.doubt_abandoned(gone)
        assert (doubtful.id, doubtful.state) == (first.id, AttemptState.IN_DOUBT)
        second = ledger.contacts.begin(ANA, b"{}", "run-2")
        assert second.id != first.id
        assert [line.after for line in ledger.contacts.transitions(first.id)] == [
            "approved",
            "sending",
            "in_doubt",
            "absent",
        ]
        third = ledger.contacts.begin(ANA, b"{}", "run-3")  # the sync that was to send the second one ended before
        assert [line.after for line in ledger.contacts.transitions(second.id)] == ["approved", "absent"]
        assert third.state == AttemptState.APPROVED

    def test_a_creation_in_doubt_has_taken_effect_once_the_service_shows_the_contact(self, ledger, me, gone):
        attempt = take(ledger, me)
        ledger.contacts.doubt_abandoned(gone)
        told(ledger)
        assert [line.after for line in ledger.contacts.transitions(attempt.id)][-1] == "accepted"

    def test_a_contact_that_is_created_anew_has_nothing_of_the_one_that_was_deleted(self, ledger, me):
        told(ledger)
        ledger.contacts.gone(ANA)
        attempt = take(ledger, me)
        ledger.contacts.record_outcome(attempt.id, AttemptState.ACCEPTED, http_status=200, raw_answer=b"", reason=None)
        known = ledger.contacts.as_answered(ANA, Contact(), asked_email=MAIL)
        assert (known.state, known.contact_id, known.accounts) == (ContactState.KNOWN, None, ())

    def test_a_hold_stops_no_contact_for_it_pays_nobody(self, ledger, me):
        ledger.hold.put("ana", "month end")
        assert take(ledger, me)

    def test_one_account_is_the_favorite_and_no_other(self, ledger):
        told(ledger)
        ledger.contacts.favorite(ANA, "acc-1")
        known = ledger.contacts.of([ANA])[ANA]
        assert known.favorite_account_id == "acc-1"
        assert {account.id: account.is_favorite for account in known.accounts} == {"acc-1": True, "acc-2": False}

    def test_a_deleted_account_is_forgotten(self, ledger):
        told(ledger)
        ledger.contacts.account_gone(ANA, "acc-2")
        known = ledger.contacts.of([ANA])[ANA]
        assert ([account.id for account in known.accounts], known.favorite_account_id) == (["acc-1"], None)

    def test_a_deleted_contact_lends_its_id_to_nobody_until_the_service_tells_it_again(self, ledger):
        told(ledger)
        ledger.contacts.gone(ANA)
        assert (ledger.contacts.ids([ANA]), ledger.contacts.all()[ANA].state) == ({}, ContactState.GONE)
        ledger.contacts.still_there(ANA)
        assert ledger.contacts.ids([ANA]) == {ANA: "c-1"}

    def test_a_contact_nobody_remembers_is_nothing_to_change(self, ledger):
        for change in (ledger.contacts.favorite, ledger.contacts.account_gone):
            change(ANA, "acc-1")
        ledger.contacts.gone(ANA)
        ledger.contacts.still_there(ANA)
        assert ledger.contacts.all() == {}


def bank(ispb, name="Banco", **fields):
    return Institution.model_validate({"ispb_number": ispb, "name": name, "is_active": True} | fields)


class TestInstitutions:
    def test_before_the_first_list_nothing_is_known(self, ledger):
        assert (dict(ledger.institutions.all()), ledger.institutions.read_at()) == ({}, None)

    def test_a_list_is_kept_field_for_field_with_the_moment_it_was_read(self, ledger, clock):
        one = bank("60701190", "Itaú", compe_number="341", is_compe_participant=True, str_start_date="2002-04-22",
                   created_at="2020-01-01T00:00:00Z", is_active=False)  # fmt: skip
        ledger.institutions.replace([one], clock())
        assert ledger.institutions.all() == {"60701190": one}
        assert ledger.institutions.read_at() == clock()

    def test_a_new_list_takes_the_place_of_the_old_one_as_a_whole(self, ledger, clock):
        ledger.institutions.replace([bank("00000001"), bank("00000002")], clock())
        clock.move(hours=24)
        ledger.institutions.replace([bank("00000002", "Outro")], clock())
        assert {ispb: institution.name for ispb, institution in ledger.institutions.all().items()} == {
            "00000002": "Outro"
        }
        assert ledger.institutions.read_at() == clock()

    def test_an_ispb_has_eight_digits_whatever_a_sender_made_of_its_zeros(self, ledger, clock):
        ledger.institutions.replace([bank("0"), bank("360305")], clock())
        assert list(ledger.institutions.all()) == ["00000000", "00360305"]

    def test_one_without_an_ispb_is_left_out_and_of_two_the_active_one_counts(self, ledger, clock):
        twice = [("old", False), ("new", True), ("dead", False)]
        listed = [bank(None), *(bank("00000001", name, is_active=active) for name, active in twice)]
        ledger.institutions.replace(listed, clock())
        assert [institution.name for institution in ledger.institutions.all().values()] == ["new"]


class TestWebhooks:
    def test_deliveries_are_taken_from_the_moment_before_registration(self, ledger):
        number = ledger.webhooks.begin("https://label.example/hooks", "unguessable")
        assert ledger.webhooks.knows("unguessable")
        assert not ledger.webhooks.knows("guessed")
        assert ledger.webhooks.all()[0].registered_at is None
        ledger.webhooks.registered(number, "w-1", active=True)
        (kept,) = ledger.webhooks.all()
        assert (kept.webhook_id, kept.active, kept.base_url) == ("w-1", True, "https://label.example/hooks")

    def test_a_retired_url_is_taken_no_more(self, ledger, clock):
        number = ledger.webhooks.begin("https://label.example/hooks", "unguessable")
        ledger.webhooks.retire(number)
        assert not ledger.webhooks.knows("unguessable")
        retired_at = clock()
        clock.move(hours=1)
        ledger.webhooks.retire(number)
        assert ledger.webhooks.all()[0].retired_at == retired_at

    def test_the_unguessable_part_is_nowhere_in_the_ledger(self, tmp_path, clock):
        with open_ledger(f"sqlite:///{tmp_path}/ledger.db", clock=clock) as ledger:
            ledger.webhooks.begin("https://label.example/hooks", "unguessable")
        assert b"unguessable" not in b"".join(file.read_bytes() for file in tmp_path.iterdir())

    def test_one_path_is_registered_once(self, ledger):
        ledger.webhooks.begin("https://label.example/hooks", "unguessable")
        with pytest.raises(IntegrityError):
            ledger.webhooks.begin("https://label.example/hooks", "unguessable")
