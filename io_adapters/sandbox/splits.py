"""Split reports: create, list, fetch, set the exchange rate; and their way from creation to their end."""

import secrets
from decimal import Decimal
from typing import Final

from fastapi import APIRouter, HTTPException, Response

from io_adapters.sandbox.address_book import Destination
from io_adapters.sandbox.assumptions import Behaviour, account_identity, is_planted
from io_adapters.sandbox.context import NOT_FOUND, Answers, Running, Sandbox
from io_adapters.sandbox.models import (
    CENTAVO,
    ExactRoute,
    SandboxBankAccountData,
    SandboxExchangeRateUpdate,
    SandboxPaymentEntry,
    SandboxSplitReport,
    SandboxSplitRequest,
    Status,
    cents_of,
    exact_answer,
)
from io_adapters.sandbox.pix import institution_name
from io_adapters.sandbox.store import StoredPayment, StoredReport, describe
from io_adapters.sandbox.validation import (
    Endpoint,
    Location,
    ValidationProblem,
    missing,
    problem,
    refuse_if_any,
    unknown_fields,
)


def final_amount(entry: SandboxPaymentEntry) -> Decimal:
    """Return what a payment entry moves: `finalAmount`, else `amount`, else nothing."""
    return next((amount for amount in (entry.finalAmount, entry.amount) if amount is not None), Decimal(0))


def broken_rules(body: SandboxSplitRequest, behaviour: Behaviour) -> list[ValidationProblem]:
    found = unknown_fields(body) if behaviour.known_fields_only else []
    if behaviour.whole_centavos:
        found += _fractions_of_centavo(body)
    paid_out = sum(cents_of(final_amount(entry)) for entry in body.payments)
    if behaviour.sums_must_match and paid_out + cents_of(body.ownerAmount) != cents_of(body.amount):
        found.append(problem(("amount",), "finalAmount of all payments and ownerAmount must add up to amount"))
    return found


def _fractions_of_centavo(body: SandboxSplitRequest) -> list[ValidationProblem]:
    amounts: list[tuple[Location, Decimal | None]] = [
        (("amount",), body.amount),
        (("ownerAmount",), body.ownerAmount),
    ]
    for index, entry in enumerate(body.payments):
        amounts.append((("payments", index, "amount"), entry.amount))
        amounts.append((("payments", index, "finalAmount"), entry.finalAmount))
    return [
        problem(loc, "Input should have at most two decimals", "decimal_max_places")
        for loc, amount in amounts
        if amount is not None and amount != amount.quantize(CENTAVO)
    ]


def broken_rate_rules(
    body: SandboxExchangeRateUpdate, report: StoredReport, behaviour: Behaviour
) -> list[ValidationProblem]:
    found = unknown_fields(body) if behaviour.known_fields_only else []
    if not behaviour.strict_exchange_rate:
        return found
    found += [missing(name) for name in ("currency", "rate") if getattr(body, name) is None]
    if body.rate is not None and body.rate <= 0:
        found.append(problem(("rate",), "Input should be greater than 0", "greater_than"))
    if body.currency not in (None, report.currency):
        found.append(problem(("currency",), "Input should be the currency of the report"))
    return found


CPF_LENGTH: Final = 11
GET_ID: Final = "get_split"
RATE_ID: Final = "update_exchange_rate"

BY_ID: Final = {"parameters": {"split_id": "$response.body#/_id"}}
LINKS: Final[Answers] = {
    200: {"links": {"get": BY_ID | {"operationId": GET_ID}, "update_exchange_rate": BY_ID | {"operationId": RATE_ID}}}
}

router = APIRouter(route_class=ExactRoute, tags=["Split reports"])


@router.post(Endpoint.CREATE_SPLIT.path, response_model=SandboxSplitReport, responses=LINKS)
def create_split(body: SandboxSplitRequest, sandbox: Running) -> Response:
    refuse_if_any(broken_rules(body, sandbox.behaviour))
    now = sandbox.clock()
    report = _new_report(body, sandbox.behaviour, now)
    entries = [
        StoredPayment(entry.extPaymentId, cents_of(final_amount(entry)), entry.isWithhold) for entry in body.payments
    ]
    if not sandbox.store.create_report(report, entries, unique=sandbox.behaviour.unique_report_id):
        refuse_if_any([problem(("reportId",), "A report with this reportId exists")])
    sandbox.address_book.learn(
        now,
        [
            destination_of(entry.bankAccount, entry.taxId, body.taxId)
            for entry in body.payments
            if entry.bankAccount is not None and entry.taxId
        ],
    )
    return exact_answer(describe(report, sandbox.behaviour, now))


@router.get(Endpoint.LIST_SPLITS.path, response_model=list[SandboxSplitReport])
def list_splits(sandbox: Running, status: Status | None = None) -> Response:
    now = sandbox.clock()
    stored = sandbox.store.reports(created_until=now - sandbox.behaviour.listing_delay_s)
    described = [describe(report, sandbox.behaviour, now) for report in stored]
    return exact_answer([report for report in described if status in (None, report["status"])])


@router.get(Endpoint.GET_SPLIT.path, response_model=SandboxSplitReport, responses=NOT_FOUND, operation_id=GET_ID)
def get_split(split_id: str, sandbox: Running) -> Response:
    report = _known_report(split_id, sandbox)
    return exact_answer(describe(report, sandbox.behaviour, sandbox.clock()))


@router.post(
    Endpoint.UPDATE_EXCHANGE_RATE.path, response_model=SandboxSplitReport, responses=NOT_FOUND, operation_id=RATE_ID
)
def update_exchange_rate(split_id: str, body: SandboxExchangeRateUpdate, sandbox: Running) -> Response:
    """Set the exchange rate of a batch; a batch in a foreign currency waits for it."""
    report = _known_report(split_id, sandbox)
    refuse_if_any(broken_rate_rules(body, report, sandbox.behaviour))
    rate = None if body.rate is None else format(body.rate, "f")
    columns = {"exchange_rate": rate, "order_id": body.orderId, "show_exchange_data": body.showExchangeData}
    given = {name: value for name, value in columns.items() if value is not None}
    sandbox.store.set_exchange_rate(split_id, sandbox.clock(), **given)
    return exact_answer(describe(_known_report(split_id, sandbox), sandbox.behaviour, sandbox.clock()))


def destination_of(bank: SandboxBankAccountData, tax_id: str | None, manager: str | None) -> Destination:
    """Return where a payment's money goes as an account of a contact; the institution is named as in the list."""
    return Destination(
        bank_name=institution_name(bank.pspId, bank.bankCode),
        bank_code=bank.bankCode,
        bank_ispb=bank.pspId,
        agency=bank.agency,
        account_number=bank.account,
        account_type=bank.accountType,
        pix_key=bank.pixKey,
        pix_key_type=bank.pixKeyType,
        tax_id=tax_id,
        tax_id_manager=manager,
    )


def _known_report(split_id: str, sandbox: Sandbox) -> StoredReport:
    report = sandbox.store.report(split_id)
    if report is None:
        raise HTTPException(404, "No such split report")
    return report


def _new_report(body: SandboxSplitRequest, behaviour: Behaviour, now: float) -> StoredReport:
    """Add up a new report; who fails and what tax is due is decided here, by how the sandbox behaves now."""
    payable = [entry for entry in body.payments if not entry.isWithhold]
    failing = [entry for entry in payable if _fails(entry, behaviour)]
    withheld = [entry for entry in body.payments if entry.isWithhold]
    taxed = [entry for entry in payable if _is_cpf(entry.taxId) and not _fails(entry, behaviour)]
    return StoredReport(
        split_id=secrets.token_hex(12),
        created_at=now,
        tax_id=body.taxId,
        report_id=body.reportId,
        batch_name=body.paymentBatchName,
        currency=body.currency,
        amount_cents=cents_of(body.amount),
        owner_cents=cents_of(body.ownerAmount),
        payments=len(body.payments),
        payments_cents=_sum_cents(body.payments),
        withheld=len(withheld),
        withheld_cents=_sum_cents(withheld),
        failing=len(failing),
        failing_cents=_sum_cents(failing),
        income_tax_cents=sum(cents_of(final_amount(entry) * behaviour.income_tax_rate) for entry in taxed),
        fee_rate=format(behaviour.fee_rate, "f"),
        fee_cents=cents_of(body.amount * behaviour.fee_rate),
    )


def _sum_cents(entries: list[SandboxPaymentEntry]) -> int:
    return sum(cents_of(final_amount(entry)) for entry in entries)


def _is_cpf(tax_id: str | None) -> bool:
    return len(account_identity(tax_id or "")) == CPF_LENGTH


def _fails(entry: SandboxPaymentEntry, behaviour: Behaviour) -> bool:
    bank = entry.bankAccount
    account = (bank.pixKey, bank.account) if bank else ()
    return is_planted(behaviour.failing_payees, entry.taxId, *account)
