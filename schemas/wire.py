"""The payout service's JSON, field for field. Wire names (camelCase, snake_case where the service uses it) stay here.

Requests are strict: amounts are exact decimals with two places, nothing unset is sent. Responses are tolerant: every
field may be null or missing, unknown fields are kept, an unknown status is data.
"""

import json
from decimal import Decimal
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

PixKeyType = Literal["random_key", "cnpj", "cpf", "phone_number", "email"]
AccountType = Literal["saving_account", "payment_account", "checking_account", "salary_account"]
ReportStatus = Literal["PENDING", "DONE", "ERROR", "EXCLUDED", "PROCESSING", "CLOSED"]


class Request(BaseModel):
    """A body we send: what is not named here cannot be sent."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Response(BaseModel):
    """A body we read: nothing in it surprises us."""

    model_config = ConfigDict(extra="allow", frozen=True)


class BankAccountData(Request):
    """`bankAccount` of a payment entry."""

    name: str | None = None
    bankCode: str | None = None
    pspId: str | None = None
    agency: str | None = None
    account: str | None = None
    accountType: AccountType | None = None
    pixKeyType: PixKeyType | None = None
    pixDescription: str | None = None
    pixKey: str | None = None


class AccountValidation(BankAccountData):
    """Body of POST /validate/account."""

    taxId: str | None = None
    validateOwnership: bool = True


class PaymentEntry(Request):
    """Element of `payments` in POST /split."""

    taxId: str
    name: str
    email: str | None = None
    amount: Decimal
    finalAmount: Decimal
    artistName: str | None = None
    percentage: Decimal | None = None
    contactId: str | None = None
    bankAccount: BankAccountData | None = None
    anticipationId: str | None = None
    parentId: str | None = None
    parentName: str | None = None
    originalTaxId: str | None = None
    originalName: str | None = None
    advance: bool = False
    isWithhold: bool = False
    extPaymentId: str


class SplitRequest(Request):
    """Body of POST /split."""

    taxId: str
    amount: Decimal
    dateStart: str
    dateEnd: str
    payments: tuple[PaymentEntry, ...]
    paymentBatchName: str | None = None
    reportId: str | None = None
    currency: str = "BRL"
    ownerAmount: Decimal = Decimal("0.00")


class ExchangeRateUpdate(Request):
    """Body of POST /split/{split_id}/update_exchange_rate."""

    currency: str
    rate: Decimal
    showExchangeData: bool
    orderId: str | None = None


class SplitReport(Response):
    """What the service says of a report; every field may be absent."""

    id: str | None = Field(default=None, alias="_id")
    paymentBatchName: str | None = None
    splitDate: str | None = None
    fee: Decimal | None = None
    feeAmount: Decimal | None = None
    feePaid: bool | None = None
    taxId: str | None = None
    batchId: str | None = None
    reportId: str | None = None
    extId: str | None = None
    status: str | None = None
    logo: str | None = None
    origin: str | None = None
    currency: str | None = None
    exchangeOrderId: str | None = None
    pixQrCodeId: str | None = None
    pixQrCodePayload: str | None = None
    exchangeRate: Decimal | None = None
    showExchangeData: bool | None = None
    date: str | None = None
    pendingPayments: int | None = None
    withholdPayments: int | None = None
    donePayments: int | None = None
    pendingAmount: Decimal | None = None
    withholdAmount: Decimal | None = None
    irAmount: Decimal | None = None
    paidAmount: Decimal | None = None
    totalAmount: Decimal | None = None


class AccountVerdict(Response):
    """Answer of POST /validate/account."""

    valid: bool | None = None
    message: str | None = None


def amount_from_cents(cents: int) -> Decimal:
    """Return centavos as the exact two-place decimal the wire carries.

    >>> amount_from_cents(123456)
    Decimal('1234.56')
    """
    return Decimal(cents).scaleb(-2)


def canonical_json(value: Any) -> bytes:  # noqa: ANN401
    """Write JSON with sorted keys, no blanks, UTF-8, and exact decimals.

    The same value gives the same bytes on every machine: digests and stored bodies rest on it.

    Raises:
        TypeError: a value that JSON has no exact form for; floats are among them.
    """
    return _write(value).encode()


def _write(value: Any) -> str:  # noqa: ANN401
    match value:
        case None | bool() | int() | str():
            return json.dumps(value, ensure_ascii=False)
        case Decimal():
            if not value.is_finite():
                raise TypeError("JSON has no form for NaN or infinity")
            return format(value, "f")
        case dict():
            return "{" + ",".join(f"{_write(str(key))}:{_write(value[key])}" for key in sorted(value)) + "}"
        case list() | tuple():
            return "[" + ",".join(map(_write, value)) + "]"
        case _:
            raise TypeError(f"no exact JSON form for {type(value).__name__}")


def body_of(request: Request) -> dict[str, Any]:
    """Return a request as plain values, without what is unset."""
    return request.model_dump(exclude_none=True)
