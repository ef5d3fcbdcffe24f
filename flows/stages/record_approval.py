"""A person's yes to a plan, wherever it was given: the command line, the desk, or a form in the Prefect UI."""

import datetime as dt

from flows.stages.words_given import require_typed_word_counts
from io_adapters.ledger.ledger import Ledger
from schemas.approval import GOOD_FOR
from schemas.errors import ApprovalWanted, WordRefused
from schemas.money import format_cents, parse_amount
from schemas.plan import Approval, ApprovalKind
from schemas.submission import SubmissionState
from schemas.told import Told


def record_approval(
    ledger: Ledger, digest: str, *, by: str, total_text: str, kind: ApprovalKind, now: dt.datetime
) -> Approval:
    """Write a person's yes down, bound to the plan's digest and to the total the person typed. Sends nothing.

    Args:
        ledger: Where plans and words are kept.
        digest: The plan, or at least the first eight hexadecimal digits of its digest.
        by: Who says yes; blanks around the name do not matter.
        total_text: The plan's total as the person typed it, such as "1.234,56".
        kind: How the name is known: typed, or signed in.
        now: The present moment (UTC).

    Returns:
        What was recorded; its digest is the whole one.

    Raises:
        WordRefused: there is no name, the total is not an amount, or the name was only typed where people have to sign
            in.
        ApprovalWanted: no such plan, or the total is another, or the plan was taken up already or rejected.
    """
    name = by.strip()
    if not name:
        raise WordRefused(Told("approval.needs_name"))
    try:
        total_cents = parse_amount(total_text)
    except ValueError:
        raise WordRefused(Told("approval.total_unreadable")) from None
    stored = ledger.plans.get(digest)
    if kind is ApprovalKind.PERSON:
        require_typed_word_counts(ledger, stored.job)
    if total_cents != stored.total_cents:
        theirs, ours = (format_cents(cents, "pt-BR") for cents in (total_cents, stored.total_cents))
        raise ApprovalWanted(Told("approval.other_total", ours=ours, theirs=theirs))
    waits = any(one.state is SubmissionState.PLANNED for one in stored.submissions)
    if stored.approved_at is not None and not waits:
        raise ApprovalWanted(Told("approval.taken_up"))
    approval = Approval(stored.digest, name, kind, total_cents, now, now + GOOD_FOR)
    ledger.approvals.record(approval)
    return approval
