"""What a decision on an obligation refers to: a report's result for it, or its row as it is."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from schemas.approval import Decision, DecisionKind
from schemas.issues import IssueCode
from schemas.obligation import Obligation
from schemas.plan import Place
from schemas.submission import UNTOLD, Claim


@dataclass(frozen=True, slots=True)
class Question:
    """What is open about an obligation; a `schemas.approval.Decision` answers it.

    Attributes:
        submission_id: The report that does not tell whether it paid; "" where it is about a row.
    """

    obligation_key: str
    submission_id: str
    amount_cents: int
    destination: str


def open_question(
    key: str,
    kind: DecisionKind,
    seen: Obligation | None,
    claims: Sequence[Claim],
    *,
    answered: Collection[tuple[str, str]],
    spoken_of: Mapping[str, Decision],
) -> Question | None:
    """Find what a word on an obligation answers.

    A report that ended without telling comes first; once it is explained, a row that contradicts it may be decided.

    Args:
        seen: As the latest run that knew it saw it; None when none did.
        spoken_of: The last word on each row that people have decided on, by its key. Another person may say the same.

    Returns:
        None when nothing is open.
    """
    contested = seen is not None and seen.place is Place.CONFLICT
    untold = next((claim for claim in claims if claim.obligation_key == key and claim.state in UNTOLD), None)
    if (
        untold is not None
        and kind is not DecisionKind.DIFFERENCE
        and not (contested and (key, untold.submission_id) in answered)
    ):
        return Question(key, untold.submission_id, untold.amount_cents, untold.destination)
    if seen is None or seen.kind != "payment":
        return None
    row = Question(seen.base_key, "", seen.amount_cents, seen.destination)
    said = spoken_of.get(row.obligation_key)
    if said is not None and said.kind is kind is DecisionKind.DIFFERENCE:
        return Question(row.obligation_key, "", said.amount_cents, said.destination)
    if any((claim.amount_cents, claim.destination) == (row.amount_cents, row.destination) for claim in claims):
        return None  # it is being paid, or was, exactly as it stands
    if kind is DecisionKind.DIFFERENCE:
        paid_cents = sum(claim.amount_cents for claim in claims)
        return row if contested and 0 < paid_cents < seen.amount_cents else None
    unclaimed = all(claim.obligation_key != key for claim in claims)
    paid_outside = unclaimed and kind is not DecisionKind.PAY
    refused = seen.place is Place.HELD and seen.code == IssueCode.REFUSED_BY_SERVICE
    return row if contested or refused or paid_outside or said is not None else None
