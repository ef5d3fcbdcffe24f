"""What was changed of periods that had been told before, on which day, and by which recordings."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from decimal import Decimal

from flows.views.columns import RESTATED_BEFORE, RESTATED_OF_PAYEES
from io_adapters.ledger.ledger import Ledger
from io_adapters.ledger.run_record import read_earned
from schemas.account import RestatedEntry
from schemas.payee_statement import Restated
from schemas.values.money import SignedSums


def restated_before(ledger: Ledger, run_id: str) -> dict[str, tuple[Restated, ...]]:
    """Tell by payee what a run's statements say of earlier periods, by day; payees by their present document.

    A change is told once: by the first statement of another period after it, and by its own period's.
    """
    moves, found = ledger.journal.payee_moves(), defaultdict[str, list[Restated]](list)
    entries = ledger.views.ask(RESTATED_BEFORE, run=run_id)
    names = recordings_of(ledger, entries)
    sums = SignedSums[tuple[str, str]]()
    first = dict[tuple[str, str], RestatedEntry]()  # a run changes amounts and recoupment by an entry each
    for entry in entries:
        first.setdefault((entry.run_id, entry.tax_id), entry)
        sums[entry.run_id, entry.tax_id] += entry.amount_cents
    for of_run, entry in first.items():
        if cents := sums[of_run]:
            payee = moves.get(entry.tax_id, entry.tax_id)
            found[payee].append(Restated(entry.day, entry.period, cents, names[entry.number, entry.tax_id]))
    return {payee: tuple(own) for payee, own in found.items()}


def restated_of_payees(ledger: Ledger, documents: Collection[str]) -> dict[int, tuple[str, ...]]:
    """Tell of each entry that changed a period of some payees which recordings changed, by number of the entry."""
    entries = ledger.views.ask(RESTATED_OF_PAYEES, payees=sorted(documents))
    return {number: own for (number, _), own in recordings_of(ledger, entries).items()}


def recordings_of(ledger: Ledger, entries: Iterable[RestatedEntry]) -> dict[tuple[int, str], tuple[str, ...]]:
    """Name the recordings that earn a payee something else than in the run before, by entry and payee."""
    payees = defaultdict[tuple[str, str], set[str]](set)
    wanted = list(entries)
    for entry in wanted:
        payees[entry.run_id, entry.run_before].add(entry.tax_id)
    changed = {runs: _changed(ledger, *runs, own) for runs, own in payees.items()}
    return {
        (entry.number, entry.tax_id): changed[entry.run_id, entry.run_before].get(entry.tax_id, ()) for entry in wanted
    }


def _changed(ledger: Ledger, run_id: str, before: str, payees: Collection[str]) -> Mapping[str, tuple[str, ...]]:
    now, then = (read_earned(ledger, run, payees) for run in (run_id, before))
    found = defaultdict[str, list[str]](list)
    if now is None or then is None:
        return {}
    for payee, recording in sorted(now.keys() | then.keys()):
        if now.get((payee, recording), Decimal(0)) != then.get((payee, recording), Decimal(0)):
            found[payee].append(recording)
    return {payee: tuple(own) for payee, own in found.items()}
