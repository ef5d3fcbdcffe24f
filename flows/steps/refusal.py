"""Where a refusal points: from the service's `loc` to the payee's cell, row and file."""

import json
from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise

from flows.steps.plan_batches import digest_of_entry
from schemas.issue_texts import make_issue
from schemas.issues import Issue, IssueCode
from schemas.submission import Submission
from schemas.tables.frames import DataFrame
from schemas.tables.obligations import Obligations

Place = tuple[tuple[str | int, ...], str]


def refused_entries(body: bytes, places: Sequence[Place]) -> list[str]:
    """Return the identities of the payment entries that a refusal names; none when it names the report as a whole."""
    entries = json.loads(body, parse_float=Decimal)["payments"]
    indexes = {index for loc, _ in places if (index := _payment_index(loc)) is not None and index < len(entries)}
    return [digest_of_entry(entries[index]) for index in sorted(indexes)]


def _payment_index(loc: tuple[str | int, ...]) -> int | None:
    found = next((part for before, part in pairwise(loc) if before == "payments"), None)
    return found if isinstance(found, int) and found >= 0 else None


def explain_refusal(
    submission: Submission, places: Sequence[Place], obligations: DataFrame[Obligations], language: str
) -> list[Issue]:
    """Turn the places a 422 names into issues of the rows they came from.

    Args:
        submission: The refused one; its body holds the payments in wire order.
        places: (loc, type) of each validation error.
        obligations: Who is paid from which row.
        language: Of the messages.
    """
    entries = json.loads(submission.body)["payments"]
    rows = obligations.set_index("key")
    issues = []
    for loc, kind in places:
        index = _payment_index(loc)
        field = str(loc[-1]) if loc else "body"
        key = entries[index]["extPaymentId"] if index is not None and index < len(entries) else None
        row = rows.loc[key] if key in rows.index else None
        issues.append(
            make_issue(
                IssueCode.REFUSED_BY_SERVICE,
                language=language,
                file=row["file"] if row is not None else "",
                sheet=(row["sheet"] or None) if row is not None else None,
                row=int(row["row"]) or None if row is not None else None,
                column=field,
                kind=kind,
            )
        )
    return issues
