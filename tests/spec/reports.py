"""Submissions and the service's reports, written in a case in the few fields it is about."""

from schemas.submission import Submission, SubmissionState
from schemas.wire import SplitReport

SERVICE = "https://pay.example"


def submission(name="rp-1", **fields) -> Submission:
    """A report of two payments over 100.00 that the service has accepted; fields replace what differs."""
    known = {
        "id": name,
        "plan_digest": "sha256:p",
        "batch_number": 1,
        "content_hash": "c",
        "attempt": 1,
        "report_id": name,
        "job": "selo",
        "period": "2026-10",
        "currency": "BRL",
        "state": SubmissionState.ACCEPTED,
        "payments": 2,
        "amount_cents": 10_000,
        "owner_cents": 0,
        "body": b"{}",
        "split_id": "s-1",
        "status": None,
        "run_id": "run-1",
        "sending_at": None,
        "was_in_doubt": False,
        "reason": None,
    }
    return Submission(**(known | fields))


def report(**fields) -> SplitReport:
    """What the service says; money as decimal texts, as exact as it arrives."""
    return SplitReport.model_validate(fields)
