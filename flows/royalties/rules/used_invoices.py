"""Invoices that have counted: a number counts once for its payee and year, whatever period or job lists it again."""

from collections.abc import Iterable

from flows.intake.rules.inputs import Inputs
from flows.royalties.rules.opening_balances import Contradiction
from flows.royalties.rules.terms import is_invoice_of
from schemas.issues import IssueCode
from schemas.job import Period
from schemas.sources import SourceKind, UsedSource
from schemas.tables.model import records
from schemas.values.names import invoice_number


def invoices_to_count(
    inputs: Inputs, period: Period, job: str, payer: str, known: Iterable[UsedSource]
) -> tuple[list[UsedSource], list[Contradiction]]:
    """Part the invoices of a period into those that count and those that have counted, or stand there already.

    Args:
        known: Those that counted for any job of the payer.
    """
    used = {(source.payee, source.reference): source for source in known}
    counted, again = dict[tuple[str, str], UsedSource](), list[Contradiction]()
    for row in records(inputs.invoices):
        if not is_invoice_of(row, period):
            continue
        about = row["tax_id"], invoice_number(row["number"], row["date"])
        before = used.get(about)
        if before is not None and (before.job, before.period) == (job, period.label):
            before = None
        before = counted.get(about, before)
        if before is None:
            counted[about] = UsedSource(SourceKind.INVOICE, payer, job, period.label, *about, row["amount_cents"])
            continue
        place = row["file"], row["sheet"], row["row"]
        found = f"{before.job} {before.period}"
        again.append(Contradiction(IssueCode.INVOICE_USED, *place, "number", row["tax_id"], found))
    return list(counted.values()), again
