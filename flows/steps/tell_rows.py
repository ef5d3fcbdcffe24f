"""What became of rows after they were read: held by a check or a refusal, in conflict, or paid before elsewhere."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from flows.steps.claim import RENAMED
from flows.steps.inputs import Inputs
from schemas.issue_texts import make_issue
from schemas.issues import FOUND_AFTER_READING, Issue, IssueCode
from schemas.paid_before import PaidAlike, alike_in_words
from schemas.plan import Place
from schemas.tables.frames import DataFrame, Record, records
from schemas.tables.obligations import Obligations

# Obligation -> the service's words on its account; "" where it has said nothing.
Said = Callable[[Record], str]


def tell_rows(
    obligations: DataFrame[Obligations],
    inputs: Inputs,
    alike: Mapping[str, Sequence[PaidAlike]],
    language: str,
    said: Said = lambda _: "",
) -> list[Issue]:
    """Name each row that is not paid, or looks paid already, with its place.

    Args:
        obligations: After claims and checks.
        inputs: Where payees stand, for royalties that have no row of their own.
        alike: Obligation key -> what a row that is to be paid looks like.
        language: Of the messages.
        said: What the service said of the account of one that is held for it, fit to be shown.
    """
    payees = {one["tax_id"]: one for one in records(inputs.payees[["tax_id", "file", "sheet", "row"]])}
    issues = []
    for row in records(obligations):
        code, facts = _problem(row, alike, language)
        if code is None:
            continue
        place = row if row["row"] else payees.get(row["tax_id"], row)
        where = {"file": place["file"], "sheet": place["sheet"] or None, "row": int(place["row"]) or None}
        issue = make_issue(code, language=language, **where, **facts)
        words = said(row) if code is IssueCode.ACCOUNT_INVALID else ""
        issues.append(replace(issue, message=f"{issue.message}: {words}") if words else issue)
    return issues


def _problem(
    row: Record, alike: Mapping[str, Sequence[PaidAlike]], language: str
) -> tuple[IssueCode | None, dict[str, Any]]:
    if row["place"] == Place.HELD.value and row["reason"] in FOUND_AFTER_READING:
        return IssueCode(row["reason"]), {}
    if row["place"] == Place.CONFLICT.value:
        renamed = row["reason"].startswith(RENAMED)
        code = IssueCode.ROW_RENAMED if renamed else IssueCode.ROW_CONFLICT
        return code, {"found": row["submission_id"], "key": row["key"]}
    found = alike.get(row["key"]) if row["key"] else None
    return (IssueCode.ROW_PAID_BEFORE, {"found": alike_in_words(found, language)}) if found else (None, {})
