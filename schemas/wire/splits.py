"""Split reports and checks of accounts: POST /split, its answers, lists and rate; POST /validate/account."""

import datetime as dt
from decimal import Decimal
from typing import Any, Final, Literal

from pydantic import Field

from schemas.wire.fields import Count, Flag, Number, Request, Response, Text

PixKeyType = Literal["random_key", "cnpj", "cpf", "phone_number", "email"]
AccountType = Literal["saving_account", "payment_account", "checking_account", "salary_account"]


class BankAccountData(Request):
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
    taxId: str | None = None
    validateOwnership: bool = True


class AccountVerdict(Response):
    valid: Flag = None
    message: Text = None


ReportStatus = Literal["PENDING", "DONE", "ERROR", "EXCLUDED", "PROCESSING", "CLOSED"]


class PaymentEntry(Request):
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


# How far the service's clock may be behind ours when it dates a report; a day where it names no time zone, or no time.
CLOCKS_APART: Final = dt.timedelta(minutes=2)
_NO_ZONE: Final = dt.timedelta(days=1)


def made_at(report: SplitReport) -> dt.datetime | None:
    """Read when the service says that it made a report, a date without a zone as UTC; None where it cannot be read."""
    made = _split_date(report)
    return made.replace(tzinfo=made.tzinfo or dt.UTC) if made else None


def latest_made(report: SplitReport) -> dt.datetime | None:
    """Return the latest time, by our clock, that a report can be of; None where its date cannot be read."""
    made = _split_date(report)
    if made is None:
        return None
    try:
        return made + CLOCKS_APART if made.tzinfo else made.replace(tzinfo=dt.UTC) + _NO_ZONE
    except OverflowError:  # the last day of the calendar
        return None


def _split_date(report: SplitReport) -> dt.datetime | None:
    try:
        return dt.datetime.fromisoformat(report.splitDate or "")
    except ValueError:
        return None
