"""The deprecated Pix QR code: a payload that says what was asked for, and no picture."""

import base64
import uuid
from typing import Final

import sqlalchemy as sa
from fastapi import APIRouter, Response

from io_adapters.sandbox.assumptions import Behaviour
from io_adapters.sandbox.br_code import br_code
from io_adapters.sandbox.context import Running
from io_adapters.sandbox.endpoints import Endpoint
from io_adapters.sandbox.exact_json import ExactRoute, exact_answer
from io_adapters.sandbox.money import CENTAVO, cents_of
from io_adapters.sandbox.pix_models import QrCode, QrCodeRequest
from io_adapters.sandbox.tables import qr_codes
from io_adapters.sandbox.validation import ValidationProblem, problem, refuse_if_any, unknown_fields

RECEIVER: Final = "SANDBOX"
CITY: Final = "SAO PAULO"

router = APIRouter(route_class=ExactRoute, tags=["Pix"])


@router.post(Endpoint.CREATE_QR_CODE.path, response_model=QrCode, deprecated=True)
def create_qr_code(body: QrCodeRequest, sandbox: Running) -> Response:
    """Make a QR code for a deposit by Pix. Deprecated: the service points to /pix/create_dynamic_pix_payment."""
    refuse_if_any(_broken_rules(body, sandbox.behaviour))
    amount = None if body.amount is None else body.amount.quantize(CENTAVO)
    payload = br_code(
        body.pix_key,
        amount,
        txid=body.receiver_conciliation_id or "",
        description=body.payer_request or "",
        reusable=body.qr_code_type == "static",
        name=RECEIVER,
        city=CITY,
    )
    key = str(uuid.uuid4())
    note = {"at": sandbox.clock(), "qr_code_key": key, "amount_cents": None if amount is None else cents_of(amount)}
    with sandbox.database.writing() as connection:
        connection.execute(sa.insert(qr_codes), note | {"expiration_seconds": body.expiration_seconds})
    return exact_answer(
        {
            "amount": amount,
            "receiver_conciliation_id": body.receiver_conciliation_id,
            "pix_key": body.pix_key,
            "qr_code_key": key,
            "base_64": base64.b64encode(payload.encode("ascii")).decode("ascii"),
            "image": f"/qr_codes/{key}.png",
        }
    )


def _broken_rules(body: QrCodeRequest, behaviour: Behaviour) -> list[ValidationProblem]:
    found = unknown_fields(body) if behaviour.known_fields_only else []
    if behaviour.whole_centavos and body.amount is not None and body.amount != body.amount.quantize(CENTAVO):
        found.append(problem(("amount",), "Input should have at most two decimals", "decimal_max_places"))
    return found
