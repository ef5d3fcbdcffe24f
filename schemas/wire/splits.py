"""Split reports: POST /split, its answers and lists, and POST /split/{split_id}/update_exchange_rate."""

from decimal import Decimal
from typing import Any, Literal

from pydantic import Field

from schemas.wire.accounts import BankAccountData
from schemas.wire.fields import Count, Flag, Number, Request, Response, Text

ReportStatus = Literal["PENDING", "DONE", "ERROR", "EXCLUDED", "PROCESSING", "CLOSED"]


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
    products: tuple[dict[str, Any], ...] | None = None
    platforms: tuple[dict[str, Any], ...] | None = None
    details: tuple[dict[str, Any], ...] | None = None


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

    id: Text = Field(default=None, alias="_id")
    paymentBatchName: Text = None
    splitDate: Text = None
    fee: Number = None
    feeAmount: Number = None
    feePaid: Flag = None
    taxId: Text = None
    batchId: Text = None
    reportId: Text = None
    extId: Text = None
    status: Text = None
    logo: Text = None
    origin: Text = None
    currency: Text = None
    exchangeOrderId: Text = None
    pixQrCodeId: Text = None
    pixQrCodePayload: Text = None
    exchangeRate: Number = None
    showExchangeData: Flag = None
    date: Text = None
    pendingPayments: Count = None
    withholdPayments: Count = None
    donePayments: Count = None
    pendingAmount: Number = None
    withholdAmount: Number = None
    irAmount: Number = None
    paidAmount: Number = None
    totalAmount: Number = None
