"""The service's JSON as the interface describes it, read independently of the client that is tested against it."""

from decimal import Decimal
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool

from io_adapters.sandbox.wire_values import IsoDate, Number, ToldNumber

Status = Literal["PENDING", "DONE", "ERROR", "EXCLUDED", "PROCESSING", "CLOSED"]
AccountType = Literal["saving_account", "payment_account", "checking_account", "salary_account"]
PixKeyType = Literal["random_key", "cnpj", "cpf", "phone_number", "email"]


def closed_schema(schema: dict[str, Any]) -> None:
    """Describe a body as it is taken by default: with no field that it does not name."""
    schema["additionalProperties"] = False


class Body(BaseModel):
    """A request body; fields that it does not name are kept, to be noticed later."""

    model_config = ConfigDict(extra="allow", frozen=True, json_schema_extra=closed_schema)


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


BANK_ACCOUNT_FIELDS: Final = ("agency", "pspId", "accountType", "name", "bankCode")
_GIVEN: Final = {"type": "string", "minLength": 1}
_NOT_GIVEN: Final = {"enum": [None, ""]}


def _conditional_rules(schema: dict[str, Any]) -> None:
    """Describe rules 1 to 4 of the interface; an empty text supplies nothing."""
    closed_schema(schema)
    key = ("pixKey", "pixKeyType")
    account = ("account", *BANK_ACCOUNT_FIELDS)
    by_key = {"required": list(key), "properties": dict.fromkeys(key, _GIVEN)}
    by_account = {"required": list(account), "properties": dict.fromkeys(account, _GIVEN) | {"pixKey": _NOT_GIVEN}}
    owned = {"required": ["taxId"], "properties": {"taxId": _GIVEN}}
    whoever = {"required": ["validateOwnership"], "properties": {"validateOwnership": {"const": False}}}
    schema["allOf"] = [{"anyOf": [by_key, by_account]}, {"anyOf": [owned, whoever]}]


class AccountValidation(BankAccountData):
    """Body of POST /validate/account."""

    model_config = ConfigDict(json_schema_extra=_conditional_rules)

    taxId: str | None = None
    validateOwnership: StrictBool = True


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
    advance: StrictBool = False
    isWithhold: StrictBool = False
    extPaymentId: str | None = None
    products: list[Any] | None = None
    platforms: list[Any] | None = None
    details: list[Any] | None = None


class SplitRequest(Body):
    """Body of POST /split."""

    taxId: str
    amount: Number
    dateStart: IsoDate
    dateEnd: IsoDate
    payments: list[PaymentEntry]
    paymentBatchName: str | None = None
    reportId: str | None = None
    currency: str = "BRL"
    ownerAmount: Number = Decimal(0)


class ExchangeRateUpdate(Body):
    """Body of POST /split/{split_id}/update_exchange_rate; which fields are required is not shown."""

    currency: str | None = None
    rate: Number | None = None
    showExchangeData: StrictBool | None = None
    orderId: str | None = None


class SplitReport(BaseModel):
    """What the service says of a report. Describes answers; `reports.describe` makes them."""

    id: str | None = Field(alias="_id")
    paymentBatchName: str | None
    splitDate: str | None
    fee: ToldNumber | None
    feeAmount: ToldNumber | None
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
    exchangeRate: ToldNumber | None
    showExchangeData: bool | None
    date: str | None
    pendingPayments: int | None
    withholdPayments: int | None
    donePayments: int | None
    pendingAmount: ToldNumber | None
    withholdAmount: ToldNumber | None
    irAmount: ToldNumber | None
    paidAmount: ToldNumber | None
    totalAmount: ToldNumber | None


class AccountVerdict(BaseModel):
    """Answer of POST /validate/account."""

    valid: bool
    message: str


REPORT_FIELDS: Final = tuple(field.alias or name for name, field in SplitReport.model_fields.items())
