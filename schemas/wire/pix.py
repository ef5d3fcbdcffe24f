"""Pix: the list of financial institutions, and the deprecated dynamic QR code."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Annotated, Any

from pydantic import BeforeValidator

from schemas.wire.fields import Count, Flag, Number, Request, Response, Text


class Institution(Response):
    """A financial institution; every field may be absent."""

    created_at: Text = None
    is_active: Flag = None
    is_compe_participant: Flag = None
    name: Text = None
    str_start_date: Text = None
    compe_number: Text = None
    ispb_number: Text = None


class Pagination(Response):
    current_page: Count = None
    rows_per_page: Count = None
    total_pages: Count = None
    total_rows: Count = None
    next_page: Count = None


def _institutions(value: Any) -> Any:  # noqa: ANN401
    fits = isinstance(value, Sequence) and all(isinstance(element, dict | Institution) for element in value)
    return tuple(value) if fits and not isinstance(value, str) else None


def _pagination(value: Any) -> Any:  # noqa: ANN401
    return value if isinstance(value, dict | Pagination) else None


class InstitutionPage(Response):
    """Answer of GET /pix/financial_institutions: one page."""

    data: Annotated[tuple[Institution, ...] | None, BeforeValidator(_institutions)] = None
    pagination: Annotated[Pagination | None, BeforeValidator(_pagination)] = None


class AdditionalData(Request):
    key_name: str
    value: str


class QrCodeRequest(Request):
    """Body of POST /create_pix_qrcode. Which fields are required is not shown: what is unset is not sent."""

    receiver_conciliation_id: str | None = None
    amount: Decimal | None = None
    occurrence_type: str | None = None
    payer_document_number: str | None = None
    payer_name: str | None = None
    payer_person_type: str | None = None
    payer_request: str | None = None
    pix_key: str | None = None
    qr_code_type: str | None = None
    additional_data: tuple[AdditionalData, ...] | None = None
    expiration_seconds: int | None = None


class QrCode(Response):
    amount: Number = None
    receiver_conciliation_id: Text = None
    pix_key: Text = None
    qr_code_key: Text = None
    base_64: Text = None
    image: Text = None
