"""Withdrawing a file that was handed in by mistake, and handing it in once more."""

import datetime as dt
from typing import NamedTuple

from io_adapters.ledger.approvals_missing import require_typed_name_counts
from io_adapters.ledger.ledger import Ledger
from schemas.acts import Act, ActKind, Delivery, named_deliveries, withdrawn
from schemas.errors import DecisionRefused
from schemas.messages import Listed, Message
from schemas.sources import FEWEST_DIGITS, FileUse, WhoseMoney


class Withdrawal(NamedTuple):
    """What was withdrawn, or handed in once more.

    Attributes:
        uses: What runs with an effect made of it; none, where nothing was posted.
    """

    delivery: Delivery
    name: str
    uses: tuple[FileUse, ...]


def withdraw(
    ledger: Ledger,
    which: Delivery,
    by: str,
    why: str,
    now: dt.datetime,
    *,
    back: bool = False,
    signed_in: bool = False,
) -> Withdrawal:
    """Record that a file counts no more for the month of a job, or counts once more; the next run posts it.

    What it earned is taken back by entries of that run's day. What was sent stays sent: who got too much owes it.

    Args:
        which: By the beginning of its digest, eight digits or more; job and period may be "" where one alone is meant.
        back: Hand in what was withdrawn.
        signed_in: Whether `by` is whoever has signed in, and not a name that was typed.

    Raises:
        DecisionRefused: no such file was handed in or planned with, or it is withdrawn already, or it is not clear
            which is meant; or the job counts only words of people who signed in. Nothing is recorded.
    """
    if len(which.sha256) < FEWEST_DIGITS or not by.strip() or not why.strip():
        raise DecisionRefused(Message("error.withdraw_facts", digits=FEWEST_DIGITS))
    acts = ledger.acts.on_months()
    known = named_deliveries(acts, which.sha256.lower()) | ledger.files.handed_in(which.sha256.lower())
    gone = withdrawn(acts)
    meant = [
        delivery
        for delivery in known
        if which.job in {"", delivery.job} and which.period in {"", delivery.period} and (delivery in gone) == back
    ]
    if len(meant) != 1:
        places = Listed(tuple(Message("delivery.of", job=d.job, period=d.period, file=known[d]) for d in meant), "; ")
        raise DecisionRefused(Message("error.withdraw_which" if meant else "error.withdraw_none", places=places))
    (delivery,) = meant
    if not signed_in:
        require_typed_name_counts(ledger, delivery.job)
    uses = tuple(use for use in ledger.files.uses_of([delivery.sha256]) if _is_of(use, delivery))
    facts = {"job": delivery.job, "period": delivery.period}
    kind = ActKind.HAND_IN if back else ActKind.WITHDRAW
    ledger.acts.record(Act(kind, by.strip(), delivery.sha256, why.strip(), now, facts))
    return Withdrawal(delivery, known[delivery], uses)


def _is_of(use: FileUse, delivery: Delivery) -> bool:
    whose: WhoseMoney = use.whose
    return (whose.job, whose.period, use.file_sha256) == delivery
