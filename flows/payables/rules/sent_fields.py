"""What a payment sends beside who is paid, how much and where to, read from the very bytes that would be sent."""

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

from schemas.plan import PaymentPlan
from schemas.plan_view import Sent
from schemas.values.masking import mask_email, mask_tax_id

# Shown in columns of their own: payee, amount, destination.
_IN_COLUMNS: Final = frozenset({"taxId", "name", "amount", "bankAccount"})
_MASKS: Final = {"email": mask_email, "originalTaxId": mask_tax_id}


def sent_fields(plan: PaymentPlan) -> dict[str, dict[str, Sent]]:
    """Return what each payment of a plan sends, by obligation key: name on the wire -> value as it may be shown.

    What is not set is missing: null, no, nothing. The final amount is there where it is not the amount; of a list its
    length.
    """
    return {
        entry["extPaymentId"]: {
            name: _shown(name, value) for name, value in entry.items() if _is_told(name, value, entry)
        }
        for batch in plan.batches
        for entry in json.loads(batch.content, parse_float=Decimal)["payments"]
    }


def _is_told(name: str, value: Any, entry: Mapping[str, Any]) -> bool:  # noqa: ANN401  # JSON
    return bool(value) and name not in _IN_COLUMNS and not (name == "finalAmount" and value == entry["amount"])


def _shown(name: str, value: Any) -> Sent:  # noqa: ANN401  # JSON
    match value:
        case bool():
            return value
        case list():
            return len(value)
        case _:
            return _MASKS.get(name, str)(str(value))
