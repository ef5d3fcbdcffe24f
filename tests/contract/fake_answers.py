"""What the service in memory says: every field of the interface, filled."""

from decimal import Decimal
from typing import Any, Final

NOW: Final = "2026-11-01T12:00:00Z"
INSTITUTIONS: Final = [
    {
        "created_at": NOW,
        "is_active": number % 7 != 0,
        "is_compe_participant": number % 2 == 0,
        "name": f"Banco Número {number:02}",
        "str_start_date": f"{2000 + number}-01-01",
        "compe_number": f"{number:03}",
        "ispb_number": f"{number:08}",
    }
    for number in range(1, 24)
]


def contact(id_: str, body: dict[str, Any]) -> dict[str, Any]:
    """A new contact."""
    kept = {name: body[name] for name in ("name", "tax_id", "email")}
    return kept | {"id": id_, "tax_id_manager": "12ABC34501DE35", "has_bank_account": False, "accounts": []}


def account(id_: str, contact_id: str, tax_id: str) -> dict[str, Any]:
    """An account of a contact, as bank account and Pix key in one."""
    return {
        "id": id_,
        "bank_name": "Banco Número 01",
        "bank_code": "001",
        "bank_ispb": "00000001",
        "agency": "0001",
        "account_number": "123456",
        "account_type": "checking_account",
        "pix_key": "ana@example.com",
        "pix_key_type": "email",
        "tax_id": tax_id,
        "tax_id_manager": "12ABC34501DE35",
        "contact_id": contact_id,
        "is_favorite": False,
    }


def qr_code(body: dict[str, Any], text: str) -> dict[str, Any]:
    """A QR code, its text as it is."""
    kept = {name: body[name] for name in ("amount", "receiver_conciliation_id", "pix_key") if name in body}
    return kept | {"qr_code_key": "key-1", "base_64": text, "image": "https://pay.example/1.png"}


def report(id_: str, body: dict[str, Any]) -> dict[str, Any]:
    """A new report."""
    withheld = [payment for payment in body["payments"] if payment.get("isWithhold")]
    return {
        "_id": id_,
        "paymentBatchName": body.get("paymentBatchName"),
        "splitDate": NOW,
        "fee": Decimal("0.01"),
        "feeAmount": Decimal("0.10"),
        "feePaid": False,
        "taxId": body["taxId"],
        "batchId": "batch-1",
        "reportId": body.get("reportId"),
        "extId": "ext-1",
        "status": "PENDING",
        "logo": "https://pay.example/logo.png",
        "origin": "API",
        "currency": body.get("currency", "BRL"),
        "exchangeOrderId": "EX-0",
        "pixQrCodeId": "qr-1",
        "pixQrCodePayload": "000201",
        "exchangeRate": 1,
        "showExchangeData": False,
        "date": NOW,
        "pendingPayments": len(body["payments"]) - len(withheld),
        "withholdPayments": len(withheld),
        "donePayments": 0,
        "pendingAmount": sum(payment["finalAmount"] for payment in body["payments"]) - _sum(withheld),
        "withholdAmount": _sum(withheld),
        "irAmount": 0,
        "paidAmount": 0,
        "totalAmount": body["amount"],
    }


def webhook(id_: str, body: dict[str, Any]) -> dict[str, Any]:
    """A registration."""
    return {"id": id_, "webhook_url": body["webhook_url"], "active": True, "created_at": NOW}


def _sum(entries: list[dict[str, Any]]) -> Decimal:
    return sum((entry["finalAmount"] for entry in entries), Decimal("0.00"))
