"""Obligations and rows with the places they are in, written in a case in the few columns it is about."""

import pandas as pd

from schemas.parsing.row_accounting import runs_of
from schemas.submission import SubmissionState
from schemas.values.money import parse_plain_amount
from tests.obligations import obligation
from tests.spec.tables import CPF, table

S = SubmissionState

PLACES = [
    # state, sent by this run, sent by an earlier one
    (S.PLANNED, "planned", "planned"),
    (S.APPROVED, "planned", "planned"),
    (S.WITHDRAWN, "planned", "planned"),
    (S.NOT_SENT, "not_sent", "not_sent"),
    (S.SENDING, "in_doubt", "in_doubt"),
    (S.IN_DOUBT, "in_doubt", "in_doubt"),
    (S.ABSENT, "in_doubt", "in_doubt"),
    (S.REFUSED, "refused", "refused"),
    (S.ACCEPTED, "processing", "duplicate"),
    (S.PROCESSING, "processing", "duplicate"),
    (S.PAID, "paid", "duplicate"),
    (S.PARTIAL, "undetermined", "undetermined"),
    (S.FAILED, "failed", "failed"),
    (S.EXCLUDED, "excluded", "excluded"),
]


def obligations(drawn):
    """Obligations: amount, and any of payee, kind, place, report (the submission that claims it), withhold, row."""
    return tuple(
        obligation(
            tax_id=CPF.get(row.get("payee", ""), ""),
            kind=row.get("kind", "payment"),
            amount_cents=parse_plain_amount(row["amount"]),
            place=row.get("place", "planned"),
            reason=row.get("reason", ""),
            submission_id=row.get("report", ""),
            withhold=row.get("withhold") == "yes",
            file="payments.xlsx" if row.get("row") else "",
            row=int(row.get("row") or 0),
        )
        for row in table(drawn)
    )


def rows(*dispositions):
    found = [("payments.xlsx", "", n, what, "") for n, what in enumerate(dispositions, start=2)]
    return runs_of(pd.DataFrame(found, columns=["file", "sheet", "row", "disposition", "codes"]))
