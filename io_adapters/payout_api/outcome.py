"""What an answer to POST /split proves: accepted, refused, not sent or, unless proven otherwise, in doubt."""

import datetime as dt
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any, Final
from urllib.parse import urlsplit

import httpx

from io_adapters.payout_api.assumptions import ANY_2XX, Assumptions
from io_adapters.payout_api.connection import NOT_SENT, Reply, fault_of
from io_adapters.payout_api.errors import ValidationError, names_report_id, read_validation_errors
from schemas.messages import Listed, Message
from schemas.plan import names_of, names_of_others
from schemas.submission import Outcome
from schemas.wire import SplitReport, cents_of, latest_made, parse_json, says_cents

_HINTED: Final = frozenset({401, 403, 404, 413, 429})  # statuses of which a text says what to do


def reason_for(status: int, headers: Mapping[str, str]) -> Message:
    """Put a status that proves nothing into words; of a redirect, the host it points to."""
    if 300 <= status < 400:
        host = _host_of(headers.get("location", ""))
        return Message("answer.redirect_to" if host else "answer.redirect", status=status, host=host)
    return Message(f"answer.http_{status}") if status in _HINTED else Message("answer.http", status=status)


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
    theirs_by_name: dict[str, Any] = {
        "amount": report.totalAmount,
        "currency": report.currency,
        "taxId": report.taxId,
        "paymentBatchName": report.paymentBatchName,
    }
    ours = request if isinstance(request, dict) else {}
    return tuple(
        name
        for name, theirs in theirs_by_name.items()
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


UNASKED: Final = Assumptions()


@dataclass(frozen=True, slots=True)
class PostAnswer:
    """What one POST proved.

    Attributes:
        http_status: Status of the reply; None when none came.
        report: The report that was accepted; None with any other outcome, whatever the body shows.
    """

    outcome: Outcome
    http_status: int | None
    body: bytes = field(repr=False)
    reason: Message
    report: SplitReport | None = field(default=None, repr=False)
    validation_errors: tuple[ValidationError, ...] = ()
    mismatches: tuple[str, ...] = ()


def classify_reply(
    reply: Reply,
    *,
    report_id: str,
    was_in_doubt: bool,
    sent: bytes,
    assumed: Assumptions = UNASKED,
) -> PostAnswer:
    """Say what a reply to POST /split proves, complete or not; arguments as in `classify_response`."""
    if reply.failure is not None or reply.status is None:
        return _judge_broken(reply)
    return classify_response(
        reply.status,
        reply.headers,
        reply.body,
        report_id=report_id,
        was_in_doubt=was_in_doubt,
        sent=sent,
        assumed=assumed,
    )


def classify_response(
    status: int,
    headers: Mapping[str, str],
    body: bytes,
    *,
    report_id: str,
    was_in_doubt: bool,
    sent: bytes = b"",
    assumed: Assumptions = UNASKED,
) -> PostAnswer:
    """Say what a complete reply to POST /split proves."""
    if status in assumed.create_statuses and status in ANY_2XX:
        return _judge_success(status, body, report_id, sent)
    judged = _judge_422(body, report_id, was_in_doubt=was_in_doubt) if status == 422 else None
    if judged is not None and (judged.validation_errors or status not in assumed.refusing_statuses):
        return judged
    no_funds = status in assumed.no_funds_statuses
    reason = Message("answer.no_funds", status=status) if no_funds else reason_for(status, headers)
    if status not in assumed.refusing_statuses:
        return PostAnswer(Outcome.IN_DOUBT, status, body, reason)
    return _judge_refusal(status, body, reason, report_id, was_in_doubt=was_in_doubt)


_NOT_ENDED: Final = frozenset({None, "PENDING", "PROCESSING"})


def doubt_stale(answer: PostAnswer, report_id: str, asked_at: dt.datetime) -> PostAnswer:
    """Doubt an accepted report without our name that cannot be the one asked for: made before, or ended at once.

    A cache may answer with an old report while the service has made nothing.
    """
    report = answer.report
    if report is None or answer.outcome is not Outcome.ACCEPTED or report_id.casefold() in names_of(report):
        return answer
    latest = latest_made(report)
    if latest is not None and latest < asked_at:
        reason = Message("answer.older", status=answer.http_status)
    elif report.status not in _NOT_ENDED:
        reason = Message("answer.ended", status=answer.http_status, found=report.status)
    else:
        return answer
    return replace(answer, outcome=Outcome.IN_DOUBT, report=None, reason=reason)


def classify_exception(exc: BaseException, *, status: int | None = None, body: bytes = b"") -> PostAnswer:
    """Say what an exception proves: nothing, unless it can come from the connect phase alone."""
    fault = fault_of(exc)
    if type(exc) in NOT_SENT and status is None:
        # Its text is the operating system's or the TLS library's; nothing had been sent or read yet.
        tells = isinstance(exc, httpx.ConnectError) and str(exc)
        reason = (
            Message("answer.error_told", error=fault, text=str(exc)) if tells else Message("answer.error", error=fault)
        )
        return PostAnswer(Outcome.NOT_SENT, None, body, reason)
    reason = Message("answer.error" if status is None else "answer.cut", error=fault, status=status)
    return PostAnswer(Outcome.IN_DOUBT, status, body, reason)


def classify_update(
    reply: Reply, *, read_id: Callable[[SplitReport], str | None], split_id: str, was_in_doubt: bool
) -> PostAnswer:
    """Say what a reply to POST /split/{split_id}/update_exchange_rate proves.

    The interface shows a report as the answer and says of none of its fields that it is there: any JSON object that is
    not about another report will do, and so will no body at all.
    """
    if reply.failure is not None or reply.status is None:
        return _judge_broken(reply)
    if reply.status == 422:
        return _judge_422(reply.body, "", was_in_doubt=was_in_doubt)
    if reply.status not in ANY_2XX:
        return PostAnswer(Outcome.IN_DOUBT, reply.status, reply.body, reason_for(reply.status, reply.headers))
    if not reply.body.strip():
        return PostAnswer(Outcome.ACCEPTED, reply.status, reply.body, Message("answer.empty", status=reply.status))
    report = _read_object(reply.body)
    if report is None or read_id(report) not in {None, split_id}:
        return PostAnswer(Outcome.IN_DOUBT, reply.status, reply.body, Message("answer.not_this", status=reply.status))
    return PostAnswer(Outcome.ACCEPTED, reply.status, reply.body, Message("answer.http", status=reply.status), report)


def read_report(body: bytes) -> SplitReport | None:
    """Read a split report with an id; None when the body is anything else."""
    report = _read_object(body)
    return report if report is not None and report.id is not None and report.id.strip() else None


def _read_object(body: bytes) -> SplitReport | None:
    try:
        data = parse_json(body)
    except ValueError:
        return None
    return SplitReport.model_validate(data) if isinstance(data, dict) else None


def _judge_broken(reply: Reply) -> PostAnswer:
    if reply.failure is None:
        return PostAnswer(Outcome.IN_DOUBT, reply.status, reply.body, Message("answer.none"))
    return classify_exception(reply.failure, status=reply.status, body=reply.body)


def _judge_success(status: int, body: bytes, report_id: str, sent: bytes) -> PostAnswer:
    report = read_report(body)
    if report is None:
        return PostAnswer(Outcome.IN_DOUBT, status, body, Message("answer.unreadable", status=status))
    if "reportId" in report.unreadable or _is_another(report.reportId, report_id):
        reason = Message("answer.another_report", status=status)
        return PostAnswer(Outcome.IN_DOUBT, status, body, reason, mismatches=("reportId",))
    if names_of_others(report, sent or report_id.encode()):
        reason = Message("answer.another_name", status=status)
        return PostAnswer(Outcome.IN_DOUBT, status, body, reason, mismatches=("paymentBatchName",))
    mismatches = differences(report, sent)
    reason = Message("answer.http", status=status)
    if mismatches:
        reason = Message("answer.differs", status=status, fields=Listed(mismatches))
    return PostAnswer(Outcome.ACCEPTED, status, body, reason, report, mismatches=mismatches)


def _is_another(echoed: str | None, report_id: str) -> bool:
    """Whether an echo is of another report; its case proves nothing."""
    return echoed is not None and echoed.casefold() != report_id.casefold()


def _judge_refusal(status: int, body: bytes, reason: Message, report_id: str, *, was_in_doubt: bool) -> PostAnswer:
    """Judge a status that refuses, by the provider's word; as with 422, only what is certain is a refusal."""
    if was_in_doubt:
        return PostAnswer(Outcome.IN_DOUBT, status, body, Message("answer.maybe_earlier", reason=reason))
    text = body.decode("utf-8", "replace").casefold()
    if report_id.casefold() in text or "reportid" in text.replace("_", "").replace(" ", ""):
        return PostAnswer(Outcome.IN_DOUBT, status, body, Message("answer.about_report_id", reason=reason))
    return PostAnswer(Outcome.REFUSED, status, body, Message("answer.refuses", reason=reason))


def _judge_422(body: bytes, report_id: str, *, was_in_doubt: bool) -> PostAnswer:
    errors = read_validation_errors(body)
    if errors is None:
        return PostAnswer(Outcome.IN_DOUBT, 422, body, Message("answer.undocumented", status=422))
    if was_in_doubt:
        reason = Message("answer.maybe_earlier", reason=Message("answer.http", status=422))
        return PostAnswer(Outcome.IN_DOUBT, 422, body, reason, validation_errors=errors)
    if names_report_id(body, report_id):
        reason = Message("answer.about_report_id", reason=Message("answer.http", status=422))
        return PostAnswer(Outcome.IN_DOUBT, 422, body, reason, validation_errors=errors)
    return PostAnswer(Outcome.REFUSED, 422, body, Message("answer.invalid", status=422), validation_errors=errors)
