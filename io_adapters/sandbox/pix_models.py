"""The JSON of /pix and of the deprecated QR code as the interface describes it (this part is snake_case)."""

from decimal import Decimal
from typing import Annotated, Final

from pydantic import AfterValidator, BaseModel, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

from io_adapters.sandbox.models import Body
from io_adapters.sandbox.wire_values import Number, ToldNumber, Whole

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


class Institution(BaseModel):
    """A financial institution."""

    created_at: str | None
    is_active: bool | None
    is_compe_participant: bool | None
    name: str | None
    str_start_date: str | None
    compe_number: str | None
    ispb_number: str | None


class Pagination(BaseModel):
    """Where a page stands among all; the last has no next."""

    current_page: int
    rows_per_page: int
    total_pages: int
    total_rows: int
    next_page: int | None


class InstitutionPage(BaseModel):
    """Answer of GET /pix/financial_institutions."""

    data: list[Institution]
    pagination: Pagination


class AdditionalData(Body):
    """Element of `additional_data`."""

    key_name: str | None = None
    value: str | None = None


class QrCodeRequest(Body):
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
    additional_data: list[AdditionalData] | None = None
    expiration_seconds: Expiration = ONE_DAY_S


class QrCode(BaseModel):
    """Answer of POST /create_pix_qrcode."""

    amount: ToldNumber | None
    receiver_conciliation_id: str | None
    pix_key: str | None
    qr_code_key: str | None
    base_64: str | None
    image: str | None
