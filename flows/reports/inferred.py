"""Inferring which payments of a partial report were made, from its latest figures."""

from collections.abc import Iterable

from flows.reports.rules.tell_apart import tell_apart
from io_adapters.ledger.ledger import Ledger
from schemas.plan import Inferred
from schemas.submission import Submission, SubmissionState
from schemas.wire import SplitReport, parse_json


def inferred_payments(ledger: Ledger, submissions: Iterable[Submission]) -> dict[tuple[str, str], Inferred]:
    """Infer, for each partial report among these, which of its payments were made.

    Returns:
        Obligation key and submission id -> what is inferred; nothing of what is not known.
    """
    partial = {sent.id: sent for sent in submissions if sent.state is SubmissionState.PARTIAL}
    found: dict[tuple[str, str], Inferred] = {}
    for name, seen in ledger.reports.latest(list(partial)).items():
        report = SplitReport.model_validate(parse_json(seen.document))
        payments = ledger.claims.payments_of(name)
        for key, inferred in tell_apart(payments, report, owner_cents=partial[name].owner_cents).items():
            found[key, name] = inferred
    return found
