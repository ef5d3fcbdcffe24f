"""What became of rows after they were read: held by a check or a refusal, in conflict, or paid before elsewhere."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from flows.steps.inputs import Inputs
from schemas.issue_texts import make_issue
from schemas.issues import FOUND_AFTER_READING, Issue, IssueCode
from schemas.plan import Place
from schemas.tables.frames import DataFrame, Record, records
from schemas.tables.obligations import Obligations

# Obligation -> the service's words on its account; "" where it has said nothing.
Said = Callable[[Record], str]

# (payee, centavos, destination) -> job and period in which just that was paid.
Elsewhere = Mapping[tuple[str, int, str], str]


def tell_rows(
    obligations: DataFrame[Obligations],
    inputs: Inputs,
    elsewhere: Elsewhere,
    language: str,
    said: Said = lambda _: "",
) -> list[Issue]:
    """Name each row that is not paid, or looks paid already, with its place.

    Args:
        obligations: After claims and checks.
        inputs: Where payees stand, for royalties that have no row of their own.
        elsewhere: Payments made for other jobs and periods.
        language: Of the messages.
        said: What the service said of the account of one that is held for it, fit to be shown.
    """
    payees = {one["tax_id"]: one for one in records(inputs.payees[["tax_id", "file", "sheet", "row"]])}
    issues = []
    for row in records(obligations):
        code, facts = _problem(row, elsewhere)
        if code is None:
            continue
        place = row if row["row"] else payees.get(row["tax_id"], row)
        where = {"file": place["file"], "sheet": place["sheet"] or None, "row": int(place["row"]) or None}
        issue = make_issue(code, language=language, **where, **facts)
        words = said(row) if code is IssueCode.ACCOUNT_INVALID else ""
        issues.append(replace(issue, message=f"{issue.message}: {words}") if words else issue)
    return issues


def _problem(row: Record, elsewhere: Elsewhere) -> tuple[IssueCode | None, dict[str, Any]]:
    if row["place"] == Place.HELD.value and row["reason"] in FOUND_AFTER_READING:
        return IssueCode(row["reason"]), {}
    if row["place"] == Place.CONFLICT.value:
        return IssueCode.ROW_CONFLICT, {"found": row["submission_id"], "key": row["key"]}
    before = paid_before(row, elsewhere)
    return (IssueCode.ROW_PAID_BEFORE, {"found": before}) if before else (None, {})


def paid_before(row: Record, elsewhere: Elsewhere) -> str:
    """Where just this was paid before: job and period; "" when nowhere, or when the row is not about to be paid."""
    if row["kind"] != "payment" or row["place"] != Place.PLANNED.value:
        return ""
    return elsewhere.get((row["tax_id"], int(row["amount_cents"]), row["destination"]), "")
