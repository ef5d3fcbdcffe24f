"""What may be told of a reply: nothing its body says, only how it compares."""

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final
from urllib.parse import urlsplit

from schemas.wire import SplitReport, cents_of, parse_json, says_cents

_HINTS: Final = {
    401: "the API key was not accepted",
    403: "the API key does not allow it",
    404: "check the service's address",
    413: "the report is too large; fewer payments per batch may pass",
    429: "the service asks for fewer requests",
}


def reason_for(status: int, headers: Mapping[str, str]) -> str:
    """Put a status that proves nothing into words; of a redirect, the host it points to."""
    if 300 <= status < 400:
        host = _host_of(headers.get("location", ""))
        return f"HTTP {status}: a redirect{f' to {host}' if host else ''}, not followed; check the service's address"
    return f"HTTP {status}: {_HINTS[status]}" if status in _HINTS else f"HTTP {status}"


def _host_of(location: str) -> str:
    try:
        host = urlsplit(location).hostname or ""
    except ValueError:
        return ""
    return host if re.fullmatch(r"[a-z0-9.\-]{1,253}", host) else ""


def differences(report: SplitReport, sent: bytes) -> tuple[str, ...]:
    """Name the fields in which the report contradicts what was sent; what it leaves out contradicts nothing."""
    try:
        request = parse_json(sent)
    except ValueError:
        return ()
    said: dict[str, Any] = {
        "amount": report.totalAmount,
        "currency": report.currency,
        "taxId": report.taxId,
        "paymentBatchName": report.paymentBatchName,
    }
    ours = request if isinstance(request, dict) else {}
    return tuple(
        name
        for name, theirs in said.items()
        if ours.get(name) is not None and theirs is not None and not _says_the_same(ours[name], theirs)
    )


def _says_the_same(ours: Any, theirs: Any) -> bool:  # noqa: ANN401
    """Amounts are the same to the centavo; of texts, case, blanks and punctuation make no difference."""
    if isinstance(ours, int | Decimal) and isinstance(theirs, Decimal):
        return says_cents(theirs, cents_of(Decimal(ours)))
    return bool(_plain(ours) == _plain(theirs))


def _plain(value: Any) -> Any:  # noqa: ANN401
    """Leave the letters and digits: a document may come back with its dots."""
    return re.sub(r"[\W_]", "", value).casefold() if isinstance(value, str) else value
