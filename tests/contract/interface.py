"""Every field of the service's interface, by endpoint: what can be sent, and what can come back.

A field inside another is written with a point, one inside the elements of a list with `[]`. Where the interface shows
no name, that of the client's assumption stands.
"""

from typing import Final


def _names(text: str) -> list[str]:
    return text.split()


_CONTACT_ACCOUNT: Final = _names(
    "id bank_name bank_code bank_ispb agency account_number account_type pix_key pix_key_type tax_id tax_id_manager"
    " contact_id is_favorite"
)
_CONTACT: Final = [
    *_names("id tax_id tax_id_manager name email has_bank_account accounts"),
    *(f"accounts[].{name}" for name in _CONTACT_ACCOUNT),
]
_BANK_ACCOUNT: Final = _names("name bankCode pspId agency account accountType pixKeyType pixDescription pixKey")
_REPORT: Final = _names(
    "_id paymentBatchName splitDate fee feeAmount feePaid taxId batchId reportId extId status logo origin currency"
    " exchangeOrderId pixQrCodeId pixQrCodePayload exchangeRate showExchangeData date pendingPayments withholdPayments"
    " donePayments pendingAmount withholdAmount irAmount paidAmount totalAmount"
)
_PAYMENT: Final = [
    *_names("taxId name email amount finalAmount artistName percentage contactId bankAccount anticipationId parentId"),
    *_names("parentName originalTaxId originalName advance isWithhold extPaymentId products platforms details"),
    *(f"bankAccount.{name}" for name in _BANK_ACCOUNT),
]
_INSTITUTION: Final = _names("created_at is_active is_compe_participant name str_start_date compe_number ispb_number")
_PAGINATION: Final = _names("current_page rows_per_page total_pages total_rows next_page")

SENT: Final[dict[str, list[str]]] = {
    "PUT /contacts": _names("email contact_id tax_id"),
    "POST /contacts": _names("name tax_id email"),
    "DELETE /contacts": _names("contact_id tax_id"),
    "DELETE /contacts/accounts": ["account_id"],
    "POST /contacts/accounts_favorite": [],
    "GET /pix/financial_institutions": [],
    "POST /create_pix_qrcode": _names(
        "receiver_conciliation_id amount occurrence_type payer_document_number payer_name payer_person_type"
        " payer_request pix_key qr_code_type additional_data additional_data[].key_name additional_data[].value"
        " expiration_seconds"
    ),
    "POST /validate/account": [*_BANK_ACCOUNT, "taxId", "validateOwnership"],
    "POST /split": [
        *_names("taxId amount dateStart dateEnd payments paymentBatchName reportId currency ownerAmount"),
        *(f"payments[].{name}" for name in _PAYMENT),
    ],
    "GET /split/{split_id}/get": [],
    "GET /split": [],
    "POST /split/{split_id}/update_exchange_rate": _names("currency rate showExchangeData orderId"),
    "POST /webhooks": ["webhook_url"],
}
ASKED: Final[dict[str, list[str]]] = {
    "POST /contacts/accounts_favorite": ["account_id"],
    "GET /pix/financial_institutions": _names("name min_str_start_date max_str_start_date page_number page_size"),
    "GET /split": ["status"],
}
READ: Final[dict[str, list[str]]] = {
    "PUT /contacts": _CONTACT,
    "POST /contacts": _CONTACT,
    "POST /contacts/accounts_favorite": _CONTACT_ACCOUNT,
    "GET /pix/financial_institutions": [
        "data",
        "pagination",
        *(f"data[].{name}" for name in _INSTITUTION),
        *(f"pagination.{name}" for name in _PAGINATION),
    ],
    "POST /create_pix_qrcode": _names("amount receiver_conciliation_id pix_key qr_code_key base_64 image"),
    "POST /validate/account": _names("valid message"),
    "POST /split": _REPORT,
    "GET /split/{split_id}/get": _REPORT,
    "GET /split": [f"[].{name}" for name in _REPORT],
    "POST /split/{split_id}/update_exchange_rate": _REPORT,
    "POST /webhooks": _names("id webhook_url active created_at"),
}
REFUSAL: Final = _names("detail detail[].loc detail[].msg detail[].type")
STATUSES: Final = _names("PENDING DONE ERROR EXCLUDED PROCESSING CLOSED")


def endpoint_of(method: str, path: str) -> str:
    """Name the endpoint of a request, ids taken out.

    >>> endpoint_of("GET", "/split/65f0/get")
    'GET /split/{split_id}/get'
    """
    parts = path.strip("/").split("/")
    if parts[0] == "split" and len(parts) == 3:
        parts[1] = "{split_id}"
    return f"{method} /{'/'.join(parts)}"


def fields_in(document: object, within: str = "") -> set[str]:
    """Return the fields of a JSON document that hold something, written as above."""
    found: set[str] = set()
    if isinstance(document, dict):
        for name, value in document.items():
            if value is not None:
                path = f"{within}.{name}" if within else name
                found |= {path} | fields_in(value, path)
    elif isinstance(document, list):
        for value in document:
            found |= fields_in(value, f"{within}[]")
    return found
