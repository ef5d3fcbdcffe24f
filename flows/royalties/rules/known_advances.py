"""Advances that the journal knows: a spelling that changes, or a row that moves, recoups nothing twice."""

from collections.abc import Mapping

from flows.royalties.rules.balances import OfAdvance, advance_reference
from flows.royalties.rules.opening_balances import Contradiction
from schemas.issues import IssueCode
from schemas.tables.model import DataFrame, Record, records
from schemas.tables.payees import Advances
from schemas.values.names import normal_reference
from schemas.values.reading import without_accents


def named_as_known(advances: DataFrame[Advances], paid_ahead: Mapping[OfAdvance, int]) -> DataFrame[Advances]:
    """Write the references of advances as the journal has them, where only case, blanks, dashes or numbers differ."""
    known = {(payee, _normal(name)): name for payee, name in paid_ahead}
    names = [known.get((row["tax_id"], _normal(_name(row))), _name(row)) for row in records(advances)]
    references = [name.partition("|")[0] for name in names]
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
    return advance_reference(row["reference"], row["isrc"])


def _normal(name: str) -> str:
    reference, bar, isrc = name.partition("|")
    return f"{normal_reference(reference)}{bar}{isrc}"


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, without_accents(name)))
