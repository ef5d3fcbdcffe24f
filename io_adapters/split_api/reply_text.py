"""What may be told of a reply: nothing its body says, only how it compares."""

import re
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from schemas.wire import SplitReport, parse_json

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
        if ours.get(name) is not None and theirs is not None and _plain(ours[name]) != _plain(theirs)
    )


def _plain(value: Any) -> Any:  # noqa: ANN401
    """Case, blanks and punctuation make no difference: a document may come back with its dots."""
    return re.sub(r"[\W_]", "", value).casefold() if isinstance(value, str) else value
