"""Advances and invoices that are known: another spelling, payee, month or job recoups and pays nothing twice.

The journal tells which advances were paid and recouped, the table of sources which invoices have counted.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Final

from flows.intake.rules.inputs import Inputs
from flows.royalties.rules.opening_balances import Contradiction
from flows.royalties.rules.recoupment import OfAdvance, advance_reference
from flows.royalties.rules.terms import is_invoice_of
from schemas.issues import IssueCode
from schemas.job import Period
from schemas.sources import SourceKind, UsedSource
from schemas.tables.model import DataFrame, Record, records
from schemas.tables.payees import Advances
from schemas.tables.recoup_scope import SCOPE
from schemas.values.names import invoice_number, normal_reference
from schemas.values.reading import without_accents

_SCOPE: Final = re.compile(SCOPE)


def named_as_known(advances: DataFrame[Advances], paid_ahead: Mapping[OfAdvance, int]) -> DataFrame[Advances]:
    """Write the references of advances as the journal has them, where only case, blanks, dashes or numbers differ."""
    known = {(payee, _normal(name)): name for payee, name in paid_ahead}
    references = []
    for row in records(advances):
        name = known.get((row["tax_id"], _normal(_name(row))), _name(row))
        references.append(name.removesuffix(f"|{row['scope']}") if row["scope"] else name)
    if references == advances["reference"].tolist():
        return advances
    return advances.assign(reference=references).astype(advances.dtypes)


def doubtful_advances(
    advances: DataFrame[Advances],
    paid_ahead: Mapping[OfAdvance, int],
    own: Mapping[OfAdvance, int],
    recouped: Mapping[OfAdvance, int],
) -> list[Contradiction]:
    """Find the advances that are new to the journal and may be one that it knows, whose row is gone.

    An advance that is not recouped yet and gone from the job's table may be any new one of its payee; one that is
    recouped, or that another job lists, the one of its amount, or of its name in letters and digits; and any of them
    the one of its amount and name under another payee. Two rows that both stand in the table are two advances.

    Args:
        paid_ahead: What the journal knows to have been advanced by the payer, in centavos.
        own: The same, by this job.
        recouped: What was recouped of it.

    Returns:
        The row of the new advance, once for its payee and once for the payee of the one that is gone.
    """
    rows = list(records(advances))
    listed = {(row["tax_id"], _name(row)) for row in rows}
    gone = {about: cents for about, cents in paid_ahead.items() if cents and about not in listed}
    found = list[Contradiction]()
    for row in rows:
        new = row["tax_id"], _name(row)
        if new in paid_ahead:
            continue
        cents = row["amount_cents"]
        former = next((f for f, paid in gone.items() if _may_be(new, cents, f, paid, own, recouped)), None)
        if former is not None:
            code, place = IssueCode.ADVANCE_KNOWN, (row["file"], row["sheet"], row["row"])
            name = former[1].replace("|", " ").strip() or "-"
            whose = dict.fromkeys((new[0], former[0]))
            found += [Contradiction(code, *place, "reference", tax_id, name) for tax_id in whose]
    return found


def _may_be(
    new: OfAdvance,
    cents: int,
    former: OfAdvance,
    former_cents: int,
    own: Mapping[OfAdvance, int],
    recouped: Mapping[OfAdvance, int],
) -> bool:
    is_alike = _letters(new[1]) == _letters(former[1])
    if new[0] != former[0]:
        return is_alike and cents == former_cents
    is_open = former in own and recouped.get(former, 0) < former_cents
    return is_open or is_alike or cents == former_cents


def _name(row: Record) -> str:
    return advance_reference(row["reference"], row["scope"])


def _normal(name: str) -> str:
    reference, bar, scope = name.rpartition("|")
    is_linked = bar and _SCOPE.fullmatch(scope)
    return f"{normal_reference(reference)}|{scope}" if is_linked else normal_reference(name)


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, without_accents(name)))


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
