"""The payout service's JSON, field for field. Wire names (camelCase, `snake_case` where the service uses it) stay here.

Requests are strict: amounts are exact decimals with two places, nothing unset is sent. Responses are tolerant: every
field may be null or missing, unknown fields are kept, an unknown status is data, and a field of an unexpected type
reads as None while `unreadable` keeps what stood there.
"""

from schemas.wire.contacts import (
    AccountDelete,
    Contact,
    ContactAccount,
    ContactCreate,
    ContactDelete,
    ContactEmailUpdate,
    Webhook,
    WebhookCreate,
)
from schemas.wire.fields import (
    Request,
    Response,
    amount_from_cents,
    body_of,
    canonical_json,
    cents_of,
    parse_json,
    says_cents,
)
from schemas.wire.pix import AdditionalData, Institution, InstitutionPage, Pagination, QrCode, QrCodeRequest
from schemas.wire.splits import (
    CLOCKS_APART,
    AccountType,
    AccountValidation,
    AccountVerdict,
    BankAccountData,
    ExchangeRateUpdate,
    PaymentEntry,
    PixKeyType,
    ReportStatus,
    SplitReport,
    SplitRequest,
    latest_made,
    made_at,
)

__all__ = [
    "CLOCKS_APART",
    "AccountDelete",
    "AccountType",
    "AccountValidation",
    "AccountVerdict",
    "AdditionalData",
    "BankAccountData",
    "Contact",
    "ContactAccount",
    "ContactCreate",
    "ContactDelete",
    "ContactEmailUpdate",
    "ExchangeRateUpdate",
    "Institution",
    "InstitutionPage",
    "Pagination",
    "PaymentEntry",
    "PixKeyType",
    "QrCode",
    "QrCodeRequest",
    "ReportStatus",
    "Request",
    "Response",
    "SplitReport",
    "SplitRequest",
    "Webhook",
    "WebhookCreate",
    "amount_from_cents",
    "body_of",
    "canonical_json",
    "cents_of",
    "latest_made",
    "made_at",
    "parse_json",
    "says_cents",
]
