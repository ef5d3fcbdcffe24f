"""The service's JSON as the interface describes it, read independently of the client that is tested against it."""

from decimal import Decimal
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

Status = Literal["PENDING", "DONE", "ERROR", "EXCLUDED", "PROCESSING", "CLOSED"]
AccountType = Literal["saving_account", "payment_account", "checking_account", "salary_account"]
PixKeyType = Literal["random_key", "cnpj", "cpf", "phone_number", "email"]

_DIGITS_BEFORE_POINT: Final = 13
_DIGITS_AFTER_POINT: Final = 18


def _number(value: Any) -> Any:  # noqa: ANN401
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise PydanticCustomError("number_type", "Input should be a valid number")
    number = Decimal(value)
    exponent = number.as_tuple().exponent
    if not isinstance(exponent, int) or exponent < -_DIGITS_AFTER_POINT or number.adjusted() >= _DIGITS_BEFORE_POINT:
        raise PydanticCustomError("number_range", "Input should have at most 13 digits before and 18 after the point")
    return number


Number = Annotated[Decimal, BeforeValidator(_number), WithJsonSchema({"type": "number"})]


class Body(BaseModel):
    """A request body; fields that it does not name are kept, to be noticed later."""

    model_config = ConfigDict(extra="allow", frozen=True)


class BankAccountData(Body):
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


class PaymentEntry(Body):
    """Element of `payments`; the interface does not show which of its fields are required."""

    taxId: str | None = None
    name: str | None = None
    email: str | None = None
    amount: Number | None = None
    finalAmount: Number | None = None
    artistName: str | None = None
    percentage: Number | None = None
    contactId: str | None = None
    bankAccount: BankAccountData | None = None
    anticipationId: str | None = None
    parentId: str | None = None
    parentName: str | None = None
    originalTaxId: str | None = None
    originalName: str | None = None
    advance: bool = False
    isWithhold: bool = False
    extPaymentId: str | None = None
    products: list[Any] | None = None
    platforms: list[Any] | None = None
    details: list[Any] | None = None


class SplitRequest(Body):
    """Body of POST /split."""

    taxId: str
    amount: Number
    dateStart: str
    dateEnd: str
    payments: list[PaymentEntry]
    paymentBatchName: str | None = None
    reportId: str | None = None
    currency: str = "BRL"
    ownerAmount: Number = Decimal(0)


class ExchangeRateUpdate(Body):
    """Body of POST /split/{split_id}/update_exchange_rate; which fields are required is not shown."""

    currency: str | None = None
    rate: Number | None = None
    showExchangeData: bool | None = None
    orderId: str | None = None


class SplitReport(BaseModel):
    """What the service says of a report. Describes answers; `reports.describe` makes them."""

    id: str | None = Field(alias="_id")
    paymentBatchName: str | None
    splitDate: str | None
    fee: Number | None
    feeAmount: Number | None
    feePaid: bool | None
    taxId: str | None
    batchId: str | None
    reportId: str | None
    extId: str | None
    status: str | None
    logo: str | None
    origin: str | None
    currency: str | None
    exchangeOrderId: str | None
    pixQrCodeId: str | None
    pixQrCodePayload: str | None
    exchangeRate: Number | None
    showExchangeData: bool | None
    date: str | None
    pendingPayments: int | None
    withholdPayments: int | None
    donePayments: int | None
    pendingAmount: Number | None
    withholdAmount: Number | None
    irAmount: Number | None
    paidAmount: Number | None
    totalAmount: Number | None


class AccountVerdict(BaseModel):
    """Answer of POST /validate/account."""

    valid: bool
    message: str


REPORT_FIELDS: Final = tuple(field.alias or name for name, field in SplitReport.model_fields.items())
