"""Contacts: who is looked up, created, changed or left alone; which account is the favorite; which ids are sent."""

import datetime as dt
from dataclasses import replace

import pytest

from flows.address_book.rules import (
    SETTLED_AFTER,
    Action,
    Favorite,
    FavoriteNote,
    LeftOutBecause,
    choose_favorite,
    plan_contacts,
    wanted_contacts,
)
from flows.payables.rules.plan_batches import conflicting_ids
from schemas.contact_book import ContactState, KnownContact
from schemas.values.bank_account import BankAccount, PixKey
from schemas.wire import ContactAccount
from tests.spec.office import Office, inputs
from tests.spec.tables import CPF, NAMES, held_rows, payees, payments, table

NOW = dt.datetime(2026, 11, 20, 9, 0, tzinfo=dt.UTC)


def people(*names, **emails):
    """Payees with an e-mail each."""
    frame = payees(*names)
    frame["email"] = [emails.get(name, f"{name}@example.com") for name in names]
    return frame


def known(who, /, **changes):
    contact = KnownContact(
        CPF[who], f"c-{who}", who.title(), f"{who}@example.com", (), None, ContactState.KNOWN, None, NOW
    )
    return replace(contact, **changes)


def book(*contacts):
    return {contact.tax_id: contact for contact in contacts}


def planned(came_in, remembered, **options):
    plan = plan_contacts(wanted_contacts(came_in), remembered, NOW, **options)
    return {NAMES[step.wanted.tax_id]: step.action.value for step in plan.steps}


class TestWhatIsDone:
    @pytest.mark.parametrize("case", table("""
        | remembered       | done         |
        | nothing          | create       |
        | the same         | keep         |
        | another e-mail   | change_email |
        | other capitals   | keep         |
        | no e-mail        | change_email |
        | another name     | keep         |
        | begun            | finish       |
        | gone             | create       |
    """), ids=lambda case: case["remembered"])  # fmt: skip
    def test_about_one_contact(self, case):
        ana = known("ana")
        remembered = {
            "nothing": {},
            "the same": book(ana),
            "another e-mail": book(replace(ana, email="old@example.com")),
            "other capitals": book(replace(ana, email="Ana@Example.com")),
            "no e-mail": book(replace(ana, email=None)),
            "another name": book(replace(ana, name="Mariana")),
            "begun": book(replace(ana, state=ContactState.CREATING, contact_id=None, asked_at=NOW)),
            "gone": book(replace(ana, state=ContactState.GONE)),
        }[case["remembered"]]
        assert planned(inputs(payees=people("ana")), remembered) == {"ana": case["done"]}

    def test_only_the_exact_tax_id_is_the_same_person(self):
        namesake = replace(known("bia"), name="Ana", email="ana@example.com")
        assert planned(inputs(payees=people("ana")), book(namesake)) == {"ana": "create"}

    def test_what_needs_no_change_is_asked_again_only_on_request(self):
        came_in, remembered = inputs(payees=people("ana", "bia")), book(known("ana"), known("bia", email="old@x.com"))
        assert planned(came_in, remembered, ask_again=True) == {"ana": "ask_again", "bia": "change_email"}

    def test_another_name_in_the_service_is_told_and_accents_make_no_other_name(self):
        came_in = inputs(payees=people("ana", "bia"))
        remembered = book(known("ana", name="Mariana"), known("bia", name="BÍA"))
        steps = plan_contacts(wanted_contacts(came_in), remembered, NOW).steps
        assert [step.name_differs for step in steps] == [True, False]
        assert not any(step.calls for step in steps)

    @pytest.mark.parametrize(("age", "may"), [(0, False), (SETTLED_AFTER.total_seconds() - 1, False),
                                              (SETTLED_AFTER.total_seconds(), True)])  # fmt: skip
    def test_a_creation_without_an_answer_is_begun_anew_only_when_it_must_have_settled(self, age, may):
        asked_at = NOW - dt.timedelta(seconds=age)
        begun = known("ana", state=ContactState.CREATING, contact_id=None, asked_at=asked_at)
        (step,) = plan_contacts(wanted_contacts(inputs(payees=people("ana"))), book(begun), NOW).steps
        assert (step.action, step.may_create) == (Action.FINISH, may)

    def test_a_contact_whose_payee_is_not_in_the_sheet_is_told_and_left_alone(self):
        remembered = book(known("ana"), known("bia"), known("caio", state=ContactState.GONE))
        plan = plan_contacts(wanted_contacts(inputs(payees=people("ana"))), remembered, NOW)
        assert [NAMES[one.tax_id] for one in plan.not_named] == ["bia"]
        assert [step.action for step in plan.steps] == [Action.KEEP]

    def test_a_payee_left_out_is_in_the_sheet_all_the_same(self):
        came_in = inputs(held_payments=held_rows("| payee | amount | problem |\n| bia | 1.00 | PIX_CPF |"))
        assert plan_contacts(wanted_contacts(came_in), book(known("bia")), NOW).not_named == ()


class TestWhoIsWanted:
    def told(self, came_in):
        wanted = wanted_contacts(came_in)
        return (
            [(NAMES[contact.tax_id], contact.name, contact.email) for contact in wanted.contacts],
            [(NAMES[row.tax_id], row.because) for row in wanted.left_out],
        )

    def test_a_payee_is_one_contact_however_many_payments_it_gets(self):
        paid = payments("| payee | amount | reference |\n| ana | 1.00 | a |\n| ana | 2.00 | b |")
        paid["email"] = ["ana@example.com", "ANA@example.com"]
        assert self.told(inputs(payments=paid)) == ([("ana", "Ana", "ANA@example.com")], [])

    def test_the_payees_table_says_who_somebody_is_and_payments_rows_fill_what_it_leaves_blank(self):
        paid = payments("| payee | amount | name |\n| ana | 1.00 | Ana Show |\n| bia | 1.00 | Bia |")
        paid["email"] = ["show@example.com", "bia@show.com"]
        came_in = inputs(payments=paid, payees=people("ana", "bia", bia=""))
        assert self.told(came_in) == ([("ana", "Ana", "ana@example.com"), ("bia", "Bia", "bia@show.com")], [])

    def test_rows_that_disagree_make_no_contact(self):
        paid = payments("| payee | amount | reference |\n| ana | 1.00 | a |\n| ana | 2.00 | b |")
        paid["email"] = ["ana@example.com", "other@example.com"]
        assert self.told(inputs(payments=paid)) == ([], [("ana", LeftOutBecause.ROWS_DIFFER)])

    def test_without_an_e_mail_or_with_a_row_in_question_there_is_no_contact(self):
        came_in = inputs(
            payees=people("ana", ana=""),
            payee_problems={CPF["caio"]: "IDENTITY_CONFLICT"},
            held_payments=held_rows(
                "| payee | amount | problem |\n| bia | 1.00 | PIX_CPF |\n|  | 2.00 | TAXID_CHECK |"
            ),
        )
        assert self.told(came_in) == (
            [],
            [("bia", LeftOutBecause.ROW_PROBLEM), ("", LeftOutBecause.ROW_PROBLEM),
             ("caio", LeftOutBecause.ROW_PROBLEM), ("ana", LeftOutBecause.NO_EMAIL)],
        )  # fmt: skip

    def test_a_sound_payees_row_makes_a_contact_whatever_is_wrong_with_a_payment(self):
        held = held_rows("| payee | amount | problem |\n| ana | 1.00 | AMOUNT_FORMAT |")
        assert self.told(inputs(payees=people("ana"), held_payments=held))[1] == []

    def test_where_payments_go_to_several_places_there_is_no_favorite_to_choose(self):
        paid = payments(
            "| payee | amount | reference | key |\n| ana | 1.00 | a | a@x.com |\n| ana | 2.00 | b | b@x.com |"
        )
        paid["email"] = "ana@example.com"
        (one,) = wanted_contacts(inputs(payments=paid)).contacts
        assert one.destination is None


KEY = PixKey("ana@example.com", "email")
CPF_KEY = PixKey("52998224725", "cpf")
PHONE = PixKey("+5511987654321", "phone_number")
BANK = BankAccount("001", "00000000", "0012", "123456", "checking_account")


class TestTheFavorite:
    @pytest.mark.parametrize(("destination", "account"), [
        (KEY, {"pix_key": "Ana@Example.com", "pix_key_type": "e-mail"}),
        (KEY, {"pix_key": "ana@example.com", "pix_key_type": None}),
        (KEY, {"pix_key": "ana@example.com", "pix_key_type": "whatever they call it"}),
        (CPF_KEY, {"pix_key": "529.982.247-25", "pix_key_type": "CPF"}),
        (PHONE, {"pix_key": "(11) 98765-4321", "pix_key_type": "phone"}),
        (BANK, {"bank_code": "1", "agency": "12", "account_number": "12345-6"}),
        (BANK, {"bank_ispb": "00000000", "agency": "0012", "account_number": "0000123456", "account_type": "corrente"}),
    ])  # fmt: skip
    def test_is_the_account_that_is_the_destination_however_it_is_written(self, destination, account):
        accounts = [ContactAccount(id="other", pix_key="x@example.com"), ContactAccount(id="it", **account)]
        assert choose_favorite(destination, accounts) == Favorite(mark="it")

    @pytest.mark.parametrize(("destination", "account"), [
        (KEY, {"pix_key": "ana@example.com", "pix_key_type": "CPF"}),
        (KEY, {"pix_key": "bia@example.com", "pix_key_type": "email"}),
        (KEY, {"bank_code": "001", "agency": "0012", "account_number": "123456"}),
        (BANK, {"bank_code": "237", "agency": "0012", "account_number": "123456"}),
        (BANK, {"bank_code": "001", "bank_ispb": "60746948", "agency": "0012", "account_number": "123456"}),
        (BANK, {"bank_code": "001", "agency": "0013", "account_number": "123456"}),
        (BANK, {"bank_code": "001", "agency": "0012", "account_number": "123457"}),
        (BANK, {"agency": "0012", "account_number": "123456"}),
        (BANK, {"pix_key": "123456"}),
        (BANK, {}),
    ])  # fmt: skip
    def test_is_never_an_account_that_may_be_another(self, destination, account):
        told = choose_favorite(destination, [ContactAccount(id="it", **account)])
        assert told == Favorite(note=FavoriteNote.NO_SUCH_ACCOUNT)

    def test_that_is_one_already_is_not_marked_again(self):
        account = ContactAccount(id="it", pix_key=KEY.key, is_favorite=True)
        assert choose_favorite(KEY, [account]) == Favorite()

    def test_is_not_chosen_among_several_that_look_like_it(self):
        accounts = [ContactAccount(id=name, pix_key=KEY.key) for name in ("one", "two")]
        assert choose_favorite(KEY, accounts) == Favorite(note=FavoriteNote.SEVERAL_ACCOUNTS)

    def test_needs_an_id_and_a_destination(self):
        assert choose_favorite(KEY, [ContactAccount(pix_key=KEY.key)]).mark is None
        assert choose_favorite(None, [ContactAccount(id="it", pix_key=KEY.key)]) == Favorite()
        assert choose_favorite(KEY, []) == Favorite()

    def test_is_planned_from_what_is_remembered(self):
        account = ContactAccount(id="it", pix_key=CPF["ana"], pix_key_type="CPF")
        (step,) = plan_contacts(
            wanted_contacts(inputs(payees=people("ana"))), book(known("ana", accounts=(account,))), NOW
        ).steps
        assert (step.action, step.favorite.mark, step.calls) == (Action.KEEP, "it", True)


class TestIdsOnTheWire:
    CAME_IN = "| payee | amount |\n| ana | 1.00 |\n| bia | 2.00 |"

    def plan(self, ids, own=None):
        office, paid = Office(), payments(self.CAME_IN + "\n| caio | 3.00 |")
        paid["contact_id"] = [(own or {}).get(NAMES[tax_id], "") for tax_id in paid["tax_id"]]
        came_in = inputs(payments=paid)
        office.contact_ids = {CPF[name]: contact for name, contact in ids.items()}
        payables = office.compute_payables(came_in)
        sent = {owed.payee.tax_id: owed.payee.contact_id for owed in payables.obligations}
        return {NAMES[tax_id]: contact for tax_id, contact in sent.items()}, office.plan(payables).digest

    def test_are_those_of_the_very_tax_id_and_a_row_s_own_id_stays(self):
        sent, _ = self.plan({"ana": "c-ana", "bia": "c-bia"}, own={"bia": "c-row"})
        assert sent == {"ana": "c-ana", "bia": "c-row", "caio": ""}

    def test_make_another_plan_and_contacts_of_others_do_not(self):
        _, without = self.plan({})
        assert self.plan({"flora": "c-flora"})[1] == without
        assert self.plan({"ana": "c-ana"})[1] != without

    def test_that_contradict_a_row_are_told_with_its_place(self):
        paid = payments(self.CAME_IN)
        paid["contact_id"] = ["c-ana", "c-row"]
        ids = {CPF["ana"]: "c-ana", CPF["bia"]: "c-bia"}
        (found,) = conflicting_ids(inputs(payments=paid), ids)
        assert (found.file, found.row) == ("payments.xlsx", 3)
        assert conflicting_ids(inputs(payments=paid), {}) == ()
