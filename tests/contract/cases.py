"""What the client and any service that keeps the interface do together; each case is what the business relies on."""

import datetime as dt
import warnings
from collections.abc import Callable
from decimal import Decimal
from typing import Any, Final

import pytest

from io_adapters.payout_api.account_checks import check_body
from io_adapters.payout_api.errors import AlreadyThere, NotFound, NotThere, RefusedByService, Unanswered
from io_adapters.payout_api.outcome import PostAnswer
from schemas.errors import NotSent
from schemas.plan import ExchangeTerms
from schemas.submission import Outcome
from schemas.wire import (
    AccountValidation,
    AdditionalData,
    BankAccountData,
    PaymentEntry,
    QrCodeRequest,
    SplitRequest,
    body_of,
    canonical_json,
)
from tests.contacts import create_contact
from tests.contract.interface import STATUSES
from tests.contract.worlds import World

CPF, OTHER_CPF, CNPJ = "52998224725", "11144477735", "12ABC34501DE35"
CASES: Final[dict[str, Callable[[World], None]]] = {}
BANK: Final = BankAccountData(
    name="Ana Exemplo", bankCode="001", pspId="00000000", agency="0001", account="123456",
    accountType="checking_account", pixKeyType="email", pixDescription="cachê", pixKey="ana@example.com",
)  # fmt: skip


def case(run: Callable[[World], None]) -> Callable[[World], None]:
    """Put a function into the table, under its name."""
    CASES[run.__name__] = run
    return run


@case
def a_contact_is_created_once_and_read_back(world: World) -> None:
    contact = create_contact(world.api.contacts, "Ana Exemplo", CPF, "ana@example.com")
    assert (contact.name, contact.tax_id, contact.email) == ("Ana Exemplo", CPF, "ana@example.com")
    assert contact.id
    assert not contact.has_bank_account
    assert not contact.accounts
    assert world.effects() == {"contacts": 1}


@case
def a_contact_created_again_is_refused_or_handed_back_and_not_made_twice(world: World) -> None:
    first = create_contact(world.api.contacts, "Ana Exemplo", CPF, "ana@example.com")
    world.give_account(first.id or "")
    before = world.effects()
    try:
        again = create_contact(world.api.contacts, "Ana Exemplo", CPF, "ana@example.com")
    except AlreadyThere:
        pass
    else:
        assert (again.id, again.has_bank_account, len(again.accounts or ())) == (first.id, True, 1)
    assert world.effects() == before


@case
def an_email_is_changed_by_id_and_by_tax_id(world: World) -> None:
    made = create_contact(world.api.contacts, "Ana Exemplo", CPF, "ana@example.com")
    assert world.api.contacts.update_email("b@example.com", contact_id=made.id).email == "b@example.com"
    assert world.api.contacts.update_email("c@example.com", tax_id=CPF).email == "c@example.com"
    both = world.api.contacts.update_email("d@example.com", contact_id=made.id, tax_id=CPF)
    assert (both.id, both.email) == (made.id, "d@example.com")
    assert world.effects() == {"contacts": 4}


@case
def a_contact_is_deleted_by_id_and_by_tax_id(world: World) -> None:
    one, _two = (create_contact(world.api.contacts, "Ana", tax_id, "a@example.com") for tax_id in (CPF, OTHER_CPF))
    world.api.contacts.delete(contact_id=one.id)
    world.api.contacts.delete(tax_id=OTHER_CPF)
    for gone in (CPF, OTHER_CPF):
        with pytest.raises(NotFound):
            world.api.contacts.delete(tax_id=gone)
        with pytest.raises(NotFound):
            world.api.contacts.update_email("b@example.com", tax_id=gone)
    assert world.effects() == {"contacts": 4}


@case
def an_account_is_marked_as_the_favorite_and_deleted(world: World) -> None:
    contact = create_contact(world.api.contacts, "Ana Exemplo", CPF, "ana@example.com")
    account_id = world.give_account(contact.id or "")
    before = world.effects()["contacts"]
    marked = world.api.contacts.mark_favorite(account_id)
    assert (marked.id, marked.contact_id, marked.is_favorite) == (account_id, contact.id, True)
    assert (marked.account_number, marked.agency, marked.bank_code) == ("123456", "0001", "001")
    assert (marked.pix_key, marked.pix_key_type, marked.tax_id) == ("ana@example.com", "email", CPF)
    seen = world.api.contacts.update_email("b@example.com", tax_id=CPF)
    assert seen.has_bank_account is True
    assert [(account.id, account.is_favorite) for account in seen.accounts or ()] == [(account_id, True)]
    world.api.contacts.delete_account(account_id)
    for call in (world.api.contacts.delete_account, world.api.contacts.mark_favorite):
        with pytest.raises(NotFound):
            call(account_id)
    assert not world.api.contacts.update_email("c@example.com", tax_id=CPF).accounts
    assert world.effects()["contacts"] == before + 4


@case
def all_institutions_are_read_through_all_pages(world: World) -> None:
    found = world.api.pix.institutions()
    assert len(found) > 14
    assert len({institution.ispb_number for institution in found}) == len(found)
    assert {one.is_active for one in found} == {True, False}
    assert all(
        institution.name and institution.str_start_date and len(institution.ispb_number or "") == 8
        for institution in found
    )


@case
def institutions_are_filtered_by_name_and_start(world: World) -> None:
    everyone = world.api.pix.institutions()
    some = everyone[len(everyone) // 2]
    assert some in world.api.pix.institutions(name=some.name)
    assert world.api.pix.institutions(name="no bank of this name") == ()
    day = dt.date.fromisoformat(some.str_start_date or "")
    since = world.api.pix.institutions(min_start_date=day)
    until = world.api.pix.institutions(max_start_date=day - dt.timedelta(days=1))
    assert some in since
    assert some not in until
    assert len(since) + len(until) == len(everyone)


@case
def a_qr_code_holds_the_key_and_the_amount_asked_for(world: World) -> None:
    request = QrCodeRequest(
        receiver_conciliation_id="rec1", amount=Decimal("12.30"), occurrence_type="registration",
        payer_document_number=CPF, payer_name="Ana Exemplo", payer_person_type="natural", payer_request="pedido",
        pix_key="selo@example.com", qr_code_type="dynamic", expiration_seconds=3600,
        additional_data=(AdditionalData(key_name="lote", value="1"),),
    )  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        code = world.api.pix.create_qr_code(request)
    found = world.api.pix.check_qr_code(request, code)
    assert (found.problems, found.differs, found.is_sound) == ((), (), True)
    assert (code.amount, code.pix_key, code.receiver_conciliation_id) == (Decimal("12.30"), "selo@example.com", "rec1")
    assert code.qr_code_key
    assert code.image
    assert world.effects() == {"qr_codes": 1}


@case
def a_webhook_is_registered_as_it_is(world: World) -> None:
    url = "https://hooks.example/in/3f9c?x=1"
    webhook = world.api.webhooks.register(url)
    assert (webhook.webhook_url, webhook.active) == (url, True)
    assert webhook.id
    assert webhook.created_at
    assert world.effects() == {"webhooks": 1}


@case
def an_account_check_gives_the_verdict_and_costs_once(world: World) -> None:
    by_key = AccountValidation(pixKey="ana@example.com", pixKeyType="email", taxId=CPF, pixDescription="cachê")
    account = AccountValidation(**body_of(BANK) | {"pixKey": None, "pixKeyType": None}, validateOwnership=False)
    assert [world.api.validate_account(one).valid for one in (by_key, account)] == [True, True]
    world.call_invalid("ana@example.com")
    refused = world.api.validate_account(by_key)
    assert (refused.valid, refused.sent) == (False, True)
    assert refused.message
    assert world.effects() == {"account_checks": 3}


@case
def many_accounts_are_checked_at_a_time_each_once(world: World) -> None:
    keys = [f"p{number}@example.com" for number in range(12)]
    world.call_invalid(keys[3])
    with world.api.account_calls(at_a_time=4, give_up_after=5) as calls:
        requests = {key: AccountValidation(pixKey=key, pixKeyType="email", taxId=CPF) for key in keys}
        calls.begin((key, check_body(request)) for key, request in requests.items())
        answers: dict[str, bool | None] = {}
        while len(answers) < len(keys):
            answers |= {key: answer.valid for key, answer in calls.answers()}
    assert answers == {key: key != keys[3] for key in keys}
    assert world.effects() == {"account_checks": 12}


def report_body(currency: str = "BRL", **changed: Any) -> bytes:
    """A report that uses every field there is: two payments, one of them withheld."""
    first = PaymentEntry(
        taxId=CPF, name="Ana Exemplo", email="ana@example.com", amount=Decimal("10.00"), finalAmount=Decimal("10.00"),
        artistName="Ana", percentage=Decimal("12.5"), contactId="c-1", bankAccount=BANK, anticipationId="a-1",
        parentId="p-1", parentName="Editora", originalTaxId=OTHER_CPF, originalName="Eva Exemplo", advance=True,
        isWithhold=False, extPaymentId="ext-1", products=({"name": "single"},), platforms=({"name": "x"},),
        details=({"note": "y"},),
    )  # fmt: skip
    second = PaymentEntry(
        taxId=OTHER_CPF, name="Eva", amount=Decimal("2.50"), finalAmount=Decimal("2.50"), isWithhold=True,
        extPaymentId="ext-2",
    )  # fmt: skip
    request = SplitRequest(
        taxId=CNPJ, amount=Decimal("20.00"), dateStart="2026-10-01", dateEnd="2026-10-31", payments=(first, second),
        paymentBatchName="lote 1", reportId="rp-1", currency=currency, ownerAmount=Decimal("7.50"),
    )  # fmt: skip
    return canonical_json(body_of(request) | changed)


def create(world: World, body: bytes, *, was_in_doubt: bool = False) -> PostAnswer:
    """POST it, without a last look."""
    return world.api.create_report(
        body, report_id="rp-1", was_in_doubt=was_in_doubt, deadline_s=10, before_connect=lambda: None
    )


@case
def a_report_is_created_once_and_found_again(world: World) -> None:
    answer = create(world, report_body())
    assert (answer.outcome, answer.mismatches) == (Outcome.ACCEPTED, ())
    assert answer.report
    split_id = answer.report.id or ""
    assert (answer.report.totalAmount, answer.report.status) == (Decimal("20.00"), "PENDING")
    assert world.api.get_report(split_id) == answer.report
    assert [report.id for report in world.api.list_reports()] == [split_id]
    assert [report.id for report in world.api.list_all_reports()] == [split_id]
    assert (answer.report.pendingPayments, answer.report.withholdPayments) == (1, 1)
    assert world.effects() == {"creates": 1}


@case
def a_report_the_service_does_not_have_is_not_there(world: World) -> None:
    assert world.api.find_report("nothing") is None
    with pytest.raises(NotThere):
        world.api.get_report("nothing")


@case
def reports_are_listed_by_every_status_and_every_field_of_them_is_read(world: World) -> None:
    answer = create(world, report_body())
    split_id = (answer.report and answer.report.id) or ""
    for status in STATUSES:
        said: dict[str, Any] = {
            "status": status, "fee": 0.01, "feeAmount": 0.2, "feePaid": True, "batchId": "b-1", "extId": "x-1",
            "logo": "https://pay.example/l.png", "origin": "API", "exchangeOrderId": "EX-1", "pixQrCodeId": "q-1",
            "pixQrCodePayload": "000201", "exchangeRate": 5.4312, "showExchangeData": True, "pendingPayments": 0,
            "withholdPayments": 1, "donePayments": 1, "pendingAmount": 0, "withholdAmount": 2.5, "irAmount": 1,
            "paidAmount": 9, "totalAmount": 20,
        }  # fmt: skip
        world.force(split_id, {name: _exact(value) for name, value in said.items()})
        (read,) = world.api.list_reports(status)  # type: ignore[arg-type] # one of them
        for name, value in said.items():
            assert getattr(read, name) == _exact(value), name
        assert read.unreadable == {}
        other = STATUSES[STATUSES.index(status) - 1]
        assert world.api.list_reports(other) == ()  # type: ignore[arg-type] # one of them


def _exact(value: Any) -> Any:
    return Decimal(str(value)) if isinstance(value, float) else value


@case
def an_exchange_rate_is_set_digit_for_digit(world: World) -> None:
    created = create(world, report_body("USD"))
    split_id = (created.report and created.report.id) or ""
    terms = ExchangeTerms("USD", Decimal("5.43120"), "EX-1", show_exchange_data=True)
    answer = world.api.update_exchange_rate(
        split_id, terms.body, was_in_doubt=False, deadline_s=10, before_connect=lambda: None
    )
    assert answer.outcome is Outcome.ACCEPTED
    assert answer.report
    assert (answer.report.exchangeRate, answer.report.exchangeOrderId, answer.report.showExchangeData) == (
        Decimal("5.4312"), "EX-1", True,
    )  # fmt: skip
    wrong = ExchangeTerms("USD", Decimal(-1), "EX-1", show_exchange_data=True)
    refused = world.api.update_exchange_rate(
        split_id, wrong.body, was_in_doubt=False, deadline_s=10, before_connect=lambda: None
    )
    assert refused.outcome is Outcome.REFUSED
    assert [error.place for error in refused.validation_errors] == ["body.rate"]
    assert world.effects() == {"creates": 1, "exchange_rates": 1}


@case
def a_report_that_fails_validation_is_refused_at_its_fields_and_nothing_happens(world: World) -> None:
    answer = create(world, report_body(taxId=None))
    assert answer.outcome is Outcome.REFUSED
    assert [error.place for error in answer.validation_errors] == ["body.taxId"]
    assert create(world, report_body(taxId=None), was_in_doubt=True).outcome is Outcome.IN_DOUBT
    assert world.effects() == {}


@case
def a_contact_that_fails_validation_is_refused_at_its_fields(world: World) -> None:
    # What the client's own rules would stop is sent by its parts: the service must refuse it as documented.
    commands = world.api._commands
    with pytest.raises(RefusedByService) as caught:
        commands.do("changing", "PUT", "/contacts", None)
    assert caught.value.validation_errors[0].loc[0] == "body"
    assert world.effects() == {}


@case
def a_stranger_learns_and_changes_nothing(world: World) -> None:
    with world.stranger() as api:
        with pytest.raises(NotSent, match="refused the API key"):
            api.list_reports()
        with pytest.raises(Unanswered, match="HTTP 401"):
            create_contact(api.contacts, "Ana", CPF, "ana@example.com")
        answer = api.create_report(
            report_body(), report_id="rp-1", was_in_doubt=False, deadline_s=10, before_connect=lambda: None
        )
        assert (answer.outcome, answer.http_status) == (Outcome.IN_DOUBT, 401)
    assert world.effects() == {}
