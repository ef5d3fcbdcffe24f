"""The service's JSON as the interface describes it, written independently of the client under test."""

import datetime as dt
import json
from collections.abc import Callable, Coroutine
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Annotated, Any, Final, Literal, NoReturn

from fastapi import Request, Response
from fastapi.routing import APIRoute
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StrictBool, WithJsonSchema
from pydantic_core import PydanticCustomError, Url
from pydantic_core import ValidationError as CoreError

from schemas.wire import canonical_json


def read_exact_json(body: bytes) -> Any:  # noqa: ANN401
    """Read a JSON document, numbers with a point as `Decimal`.

    Raises:
        json.JSONDecodeError: not JSON, or JSON that cannot be kept exactly (NaN, lone surrogates, absurd numbers).
    """
    try:
        value = json.loads(body, parse_float=Decimal, parse_constant=_refuse_constant)
        if b"\\ud" in body.lower():  # an escaped surrogate; alone it is no character and could not be written back
            json.dumps(value, ensure_ascii=False, default=str).encode()
    except json.JSONDecodeError:
        raise
    except (ValueError, ArithmeticError, RecursionError):
        raise json.JSONDecodeError("not a document that can be kept exactly", "", 0) from None
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


class ExactRequest(Request):
    """A request whose body is read by `read_exact_json`."""

    async def json(self) -> Any:  # noqa: ANN401
        return read_exact_json(await self.body())


class ExactRoute(APIRoute):
    """A route that hands FastAPI an `ExactRequest`; with the usual one an amount would have passed through a float."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return FastAPI's own handler behind the exact request."""
        handle = super().get_route_handler()

        async def handle_exactly(request: Request) -> Response:
            return await handle(ExactRequest(request.scope, request.receive))

        return handle_exactly


def exact_answer(value: Any, status_code: int = 200) -> Response:  # noqa: ANN401
    return Response(canonical_json(value), status_code=status_code, media_type="application/json")


CENTAVO: Final = Decimal("0.01")


def cents_of(amount: Decimal) -> int:
    return int(amount.quantize(CENTAVO, ROUND_HALF_EVEN).scaleb(2))


_DIGITS_BEFORE_POINT: Final = 13
_DIGITS_AFTER_POINT: Final = 400  # as many as any float has
_BEYOND: Final = 10**_DIGITS_BEFORE_POINT


def _number(value: Any) -> Any:  # noqa: ANN401
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise PydanticCustomError("number_type", "Input should be a valid number")
    number = Decimal(value)
    exponent = number.as_tuple().exponent
    if not isinstance(exponent, int) or exponent < -_DIGITS_AFTER_POINT or number.adjusted() >= _DIGITS_BEFORE_POINT:
        raise PydanticCustomError("number_range", "Input should have at most 13 digits before the point")
    return number


Number = Annotated[
    Decimal,
    BeforeValidator(_number),
    WithJsonSchema({"type": "number", "exclusiveMinimum": -_BEYOND, "exclusiveMaximum": _BEYOND}),
]
ToldNumber = Annotated[Decimal, WithJsonSchema({"type": "number"})]


def _whole(value: Any) -> Any:  # noqa: ANN401
    number = _number(value)
    if number != number.to_integral_value():
        raise PydanticCustomError("int_from_float", "Input should be a valid integer")
    return int(number)


Whole = Annotated[int, BeforeValidator(_whole)]  # 86400.0 is an integer too, where JSON is concerned


def _iso_8601(text: str) -> str:
    try:
        dt.datetime.fromisoformat(text)
    except ValueError:
        raise PydanticCustomError("datetime_parsing", "Input should be a date in ISO 8601") from None
    return text


IsoDate = Annotated[
    str,
    AfterValidator(_iso_8601),
    WithJsonSchema({"type": "string", "anyOf": [{"format": "date"}, {"format": "date-time"}]}),
]
Status = Literal["PENDING", "DONE", "ERROR", "EXCLUDED", "PROCESSING", "CLOSED"]
AccountType = Literal["saving_account", "payment_account", "checking_account", "salary_account"]
PixKeyType = Literal["random_key", "cnpj", "cpf", "phone_number", "email"]


def closed_schema(schema: dict[str, Any]) -> None:
    """Describe a body as it is taken by default: with no field that it does not name."""
    schema["additionalProperties"] = False


class Body(BaseModel):
    """A request body; fields that it does not name are kept, to be noticed later."""

    model_config = ConfigDict(extra="allow", frozen=True, json_schema_extra=closed_schema)


class SandboxBankAccountData(Body):
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


class SandboxAccountValidation(SandboxBankAccountData):
    model_config = ConfigDict(json_schema_extra=_conditional_rules)

    taxId: str | None = None
    validateOwnership: StrictBool = True


class SandboxPaymentEntry(Body):
    """Element of `payments`; the interface does not show which of its fields are required."""

    taxId: str | None = None
    name: str | None = None
    email: str | None = None
    amount: Number | None = None
    finalAmount: Number | None = None
    artistName: str | None = None
    percentage: Number | None = None
    contactId: str | None = None
    bankAccount: SandboxBankAccountData | None = None
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


class SandboxSplitRequest(Body):
    taxId: str
    amount: Number
    dateStart: IsoDate
    dateEnd: IsoDate
    payments: list[SandboxPaymentEntry]
    paymentBatchName: str | None = None
    reportId: str | None = None
    currency: str = "BRL"
    ownerAmount: Number = Decimal(0)


class SandboxExchangeRateUpdate(Body):
    """Body of POST /split/{split_id}/update_exchange_rate; which fields are required is not shown."""

    currency: str | None = None
    rate: Number | None = None
    showExchangeData: StrictBool | None = None
    orderId: str | None = None


class SandboxSplitReport(BaseModel):
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


class SandboxAccountVerdict(BaseModel):
    valid: bool
    message: str


REPORT_FIELDS: Final = tuple(field.alias or name for name, field in SandboxSplitReport.model_fields.items())
NonEmpty = Annotated[str, Field(min_length=1)]
_EITHER: Final = {
    "anyOf": [
        {"required": ["contact_id"], "properties": {"contact_id": _GIVEN}},
        {"required": ["tax_id"], "properties": {"tax_id": _GIVEN}},
    ]
}


def _names_a_contact(schema: dict[str, Any]) -> None:
    closed_schema(schema)
    schema |= _EITHER


class ContactCreation(Body):
    name: NonEmpty
    tax_id: NonEmpty
    email: NonEmpty


class ContactName(Body):
    """Body of DELETE /contacts: at least one of both."""

    model_config = ConfigDict(json_schema_extra=_names_a_contact)

    contact_id: str | None = None
    tax_id: str | None = None


class EmailUpdate(ContactName):
    email: NonEmpty


class AccountName(Body):
    account_id: NonEmpty


class SandboxContactAccount(BaseModel):
    id: str | None
    bank_name: str | None
    bank_code: str | None
    bank_ispb: str | None
    agency: str | None
    account_number: str | None
    account_type: str | None
    pix_key: str | None
    pix_key_type: str | None
    tax_id: str | None
    tax_id_manager: str | None
    contact_id: str | None
    is_favorite: bool = False


class SandboxContact(BaseModel):
    id: str | None
    tax_id: str
    tax_id_manager: str | None
    name: str
    email: str
    has_bank_account: bool | None = False
    accounts: list[SandboxContactAccount] | None


ONE_DAY_S: Final = 86_400
LONGEST_EXPIRATION_S: Final = 10**9
LONGEST_PIX_KEY: Final = 77
SMALLEST_AMOUNT: Final = Decimal("0.01")
LARGEST_AMOUNT: Final = Decimal("9999999999.99")  # 13 characters is all a payload has for it
PixKey = Annotated[str, Field(min_length=1, max_length=LONGEST_PIX_KEY, pattern=r"^[!-~]+$")]


def _fits(amount: Decimal) -> Decimal:
    if not SMALLEST_AMOUNT <= amount <= LARGEST_AMOUNT:
        raise PydanticCustomError("number_range", "Input should be between 0.01 and 9999999999.99")
    return amount


QrAmount = Annotated[
    Number,
    AfterValidator(_fits),
    WithJsonSchema({"type": "number", "minimum": float(SMALLEST_AMOUNT), "maximum": float(LARGEST_AMOUNT)}),
]
Expiration = Annotated[
    Whole,
    Field(ge=1, le=LONGEST_EXPIRATION_S),
    WithJsonSchema({"type": "integer", "minimum": 1, "maximum": LONGEST_EXPIRATION_S}),
]


class SandboxInstitution(BaseModel):
    created_at: str | None
    is_active: bool | None
    is_compe_participant: bool | None
    name: str | None
    str_start_date: str | None
    compe_number: str | None
    ispb_number: str | None


class SandboxPagination(BaseModel):
    """Where a page stands among all; the last has no next."""

    current_page: int
    rows_per_page: int
    total_pages: int
    total_rows: int
    next_page: int | None


class SandboxInstitutionPage(BaseModel):
    data: list[SandboxInstitution]
    pagination: SandboxPagination


class SandboxAdditionalData(Body):
    key_name: str | None = None
    value: str | None = None


class SandboxQrCodeRequest(Body):
    """Body of POST /create_pix_qrcode; the interface does not show which of its fields are required."""

    pix_key: PixKey
    amount: QrAmount | None = None
    receiver_conciliation_id: str | None = None
    occurrence_type: str | None = None
    payer_document_number: str | None = None
    payer_name: str | None = None
    payer_person_type: str | None = None
    payer_request: str | None = None
    qr_code_type: str | None = None
    additional_data: list[SandboxAdditionalData] | None = None
    expiration_seconds: Expiration = ONE_DAY_S


class SandboxQrCode(BaseModel):
    amount: ToldNumber | None
    receiver_conciliation_id: str | None
    pix_key: str | None
    qr_code_key: str | None
    base_64: str | None
    image: str | None


LONGEST_URL: Final = 2083
_SCHEMA: Final[dict[str, Any]] = {
    "type": "string",
    "format": "uri",
    "minLength": 1,
    "maxLength": LONGEST_URL,
    "pattern": r"^https?://[A-Za-z0-9]",
}


def _reachable(text: str) -> str:
    try:
        url = Url(text)
    except (CoreError, ValueError):
        url = None
    if url is None or url.scheme not in {"http", "https"} or not url.host:
        raise PydanticCustomError("url_parsing", "Input should be a valid http or https URL")
    return text


WebhookUrl = Annotated[
    str, Field(min_length=1, max_length=LONGEST_URL), AfterValidator(_reachable), WithJsonSchema(_SCHEMA)
]


class WebhookCreation(Body):
    webhook_url: WebhookUrl


class SandboxWebhook(BaseModel):
    id: str | None
    webhook_url: str | None
    active: bool | None
    created_at: str | None
