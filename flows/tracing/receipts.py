"""The receipt of one payment, from the run that sent it and from the service's report."""

import pyarrow.compute as pc

from flows.reconciliation.rules.reconcile import reconcile
from flows.run_record import read_heads, read_obligations
from io_adapters.ledger.ledger import Ledger
from io_adapters.outputs.reconciliation_workbook import destination_of
from schemas.account import Receipt
from schemas.messages import catalogue_in
from schemas.obligation import sum_cents
from schemas.plan import LESS_TAX, Place
from schemas.submission import SubmissionState
from schemas.values.masking import mask_tax_id, mask_value
from schemas.wire import SplitReport, parse_json


def receipt_of(ledger: Ledger, key: str) -> Receipt | None:
    """Tell of one payment that the service says was paid; None of any other, and of what only people say was paid.

    Args:
        ledger: The record.
        key: The obligation's.
    """
    claims = [claim for claim in ledger.claims.trace(key) if claim.obligation_key == key and claim.kind != "owner"]
    mine = next((claim for claim in claims if claim.state is SubmissionState.PAID), None)
    head = read_heads(ledger, [mine.run_id]).get(mine.run_id) if mine else None
    if mine is None or head is None:
        return None
    same_key = read_obligations(ledger, [mine.run_id], pc.field("key") == key)[mine.run_id]
    (submission,) = ledger.submissions.with_ids([mine.submission_id])
    reports = {
        name: SplitReport.model_validate(parse_json(seen.document))
        for name, seen in ledger.reports.latest([submission.id]).items()
    }
    own = [owed for owed in same_key if owed.submission_id == submission.id]
    placed = reconcile(own, {submission.id: submission}, submission.run_id, reports=reports)
    if not placed or not {owed.place for owed in placed} <= {Place.PAID, Place.INCOME_TAX}:
        return None
    owed, words = placed[0], catalogue_in(head.language)
    is_split = len(placed) > 1
    tax_cents = sum_cents(part for part in placed if part.place is Place.INCOME_TAX)
    kind, destination = destination_of(owed.account, words)
    return Receipt(
        payer_name=head.payer_name,
        job=head.job,
        period=head.period,
        currency=head.currency,
        language=head.language,
        name=owed.payee.name,
        tax_id_masked=mask_tax_id(owed.payee.tax_id),
        kind=owed.kind,
        reference=mask_value("reference", owed.reference) if owed.kind == "payment" else "",
        amount_cents=sum_cents(placed),
        tax_cents=None if owed.code == LESS_TAX and not is_split else tax_cents,
        destination=" ".join(filter(None, (kind, destination))),
        report_id=submission.report_id,
        split_id=submission.split_id or "",
        sent_at=submission.sending_at,
        ended_at=ledger.submissions.ended_at([submission.id]).get(submission.id),
        approved_by=tuple(word.by for word in ledger.approvals.said_of([submission.plan_digest]) if word.is_used),
    )
