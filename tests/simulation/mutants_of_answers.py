"""Mutants of what an answer proves, and of what a report's end means."""

from typing import Final

from tests.simulation.mutants import Change, Mutant, when
from tests.simulation.questions import a_refusal_of_bytes_once_in_doubt

CLIENT, OUTCOME, JUDGE = (
    "io_adapters.payout_api.client",
    "io_adapters.payout_api.outcome",
    "flows.reports.rules.judge_report",
)
POST = "reply = exchange(client, request, deadline_s=deadline_s, max_bytes=MAX_REPLY_BYTES)"

ANSWERS: Final = (
    Mutant(
        "a POST without an answer in time is tried again",
        "was posted 2 times",
        when("no answer in time, created"),
        Change(
            f"{CLIENT}:SplitApi.create_report", POST, f"{POST}; {POST} if 'Timeout' in repr(reply.failure) else reply"
        ),
    ),
    Mutant(
        "every exception means that nothing was sent",
        "was posted 2 times",
        when("dropped after the effect", "tells neither"),
        Change(f"{OUTCOME}:classify_exception", "type(exc) in NOT_SENT and status is None", "status is None"),
    ),
    Mutant(
        "a ReadError means that nothing was sent",
        "is not_sent, and the report exists",
        when("dropped after the effect"),
        Change(f"{OUTCOME}:classify_exception", "in NOT_SENT and", "in {*NOT_SENT, httpx.ReadError} and"),
    ),
    Mutant(
        "no answer in time is a refusal",
        "was sent 2 times",
        when("no answer in time, created minutes later"),
        Change(
            f"{OUTCOME}:classify_exception",
            "    return PostAnswer(Outcome.IN_DOUBT,",
            "    return PostAnswer(Outcome.REFUSED if isinstance(exc, httpx.TimeoutException) else Outcome.IN_DOUBT,",
        ),
    ),
    Mutant(
        "a 5xx is a refusal",
        "was sent 2 times",
        when("504, created minutes later", "tells neither"),
        Change(
            f"{OUTCOME}:classify_response",
            "    return PostAnswer(Outcome.IN_DOUBT,",
            "    return PostAnswer(Outcome.REFUSED if status >= 500 else Outcome.IN_DOUBT,",
        ),
    ),
    Mutant(
        "a 429 was not sent",
        "was posted 2 times",
        when("429"),
        Change(
            f"{OUTCOME}:classify_response",
            "    return PostAnswer(Outcome.IN_DOUBT,",
            "    return PostAnswer(Outcome.NOT_SENT if status == 429 else Outcome.IN_DOUBT,",
        ),
    ),
    Mutant(
        "every 422 is a refusal",
        "was sent 2 times",
        when("422 of another shape, created", "tells neither"),
        Change(
            f"{OUTCOME}:_judge_422",
            'Outcome.IN_DOUBT, 422, body, Message("answer.undocumented',
            'Outcome.REFUSED, 422, body, Message("answer.undocumented',
        ),
    ),
    Mutant(
        "a 422 refuses bytes that were once in doubt",
        "bytes once in doubt are refused",
        a_refusal_of_bytes_once_in_doubt,
        Change(f"{OUTCOME}:_judge_422", "if was_in_doubt:", "if False:"),
    ),
    Mutant(
        "every 2xx is an acceptance",
        "there is no such report",
        when("200 with garbage, not created"),
        Change(
            f"{OUTCOME}:_judge_success",
            'Outcome.IN_DOUBT, status, body, Message("answer.unreadable',
            'Outcome.ACCEPTED, status, body, Message("answer.unreadable',
        ),
    ),
    Mutant(
        "an answer about another report is one about ours",
        "is taken for",
        when("answer about another report"),
        Change(f"{OUTCOME}:_judge_success", "_is_another(report.reportId, report_id)", "False"),
        Change(f"{OUTCOME}:_judge_success", "names_of_others(report, sent or report_id.encode())", "False"),
    ),
    Mutant(
        "redirects are followed",
        "was posted 2 times",
        when("redirect, created"),
        Change("io_adapters.payout_api.connection:Connections.open", "follow_redirects=False", "follow_redirects=True"),
    ),
)
ENDS: Final = (
    Mutant(
        "a report that is partly paid has failed",
        "has failed, and 1 payments were made",
        when("accepted, in the end one of two is paid"),
        Change(
            f"{JUDGE}:_judge_settled",
            'SubmissionState.PARTIAL, Message("judged.counts',
            'SubmissionState.FAILED, Message("judged.counts',
        ),
    ),
    Mutant(
        "a report that is partly paid is paid",
        "is paid, and only 1 payments were made",
        when("accepted, in the end one of two is paid"),
        Change(
            f"{JUDGE}:_judge_settled",
            'SubmissionState.PARTIAL, Message("judged.counts',
            'SubmissionState.PAID, Message("judged.counts',
        ),
    ),
    Mutant(
        "an error that says no more has paid nothing",
        "has failed, and",
        when("accepted, in the end an error that says no more"),
        Change(
            f"{JUDGE}:_judge_error",
            "report.donePayments == 0 and report.paidAmount == 0",
            "not report.donePayments and not report.paidAmount",
        ),
    ),
)
