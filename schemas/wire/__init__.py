"""The payout service's JSON, field for field. Wire names (camelCase, `snake_case` where the service uses it) stay here.

Requests are strict: amounts are exact decimals with two places, nothing unset is sent. Responses are tolerant: every
field may be null or missing, unknown fields are kept, an unknown status is data, and a field of an unexpected type
reads as None while `unreadable` keeps what stood there.
"""

from schemas.wire.accounts import AccountType, AccountValidation, AccountVerdict, BankAccountData, PixKeyType
from schemas.wire.contacts import (
    AccountDelete,
    Contact,
    ContactAccount,
    ContactCreate,
    ContactDelete,
    ContactEmailUpdate,
)
from schemas.wire.fields import Request, Response, body_of
from schemas.wire.json_text import amount_from_cents, canonical_json, cents_of, parse_json, says_cents
from schemas.wire.pix import AdditionalData, Institution, InstitutionPage, Pagination, QrCode, QrCodeRequest
from schemas.wire.splits import (
    CLOCKS_APART,
    ExchangeRateUpdate,
    PaymentEntry,
    ReportStatus,
    SplitReport,
    SplitRequest,
    latest_made,
    made_at,
)
from schemas.wire.webhooks import Webhook, WebhookCreate

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
