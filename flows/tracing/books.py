"""The latest records of each job and period, as runs left them, and payments whose rows are gone."""

import datetime as dt
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from flows.run_document import RunDocument
from flows.tracing.trace import owed_of_claims
from io_adapters.ledger.ledger import Ledger
from schemas.job import Outputs
from schemas.obligation import Obligation

EVERY_RUN = 10**9


class Books(NamedTuple):
    """What the last run of a period before a moment wrote down; nobody's names where it left no books."""

    job: str
    period: str
    currency: str
    language: str
    began_at: dt.datetime
    obligations: tuple[Obligation, ...]


def books_before(ledger: Ledger, end: dt.datetime, job: str | None) -> Iterator[Books]:
    """Open, for each job and period, the last books of a run that began before a moment, the earliest run first."""
    runs = [run for run in ledger.runs.list(limit=EVERY_RUN) if run.started_at < end and run.job]
    taken = dict[tuple[str, str], Books]()
    for run in runs:  # newest first
        where = (run.job, run.period)
        if job in {None, run.job} and where not in taken and (stored := ledger.runs.document(run.run_id)) is not None:
            books = RunDocument.from_bytes(stored)
            taken[where] = Books(*where, books.currency, books.language, run.started_at, books.obligations)
    for run in runs:
        where = (run.job, run.period)
        if job in {None, run.job} and where not in taken and (claims := ledger.claims.live_of(*where)):
            owed = owed_of_claims(claims)
            taken[where] = Books(*where, claims[0].currency, Outputs().language, run.started_at, tuple(owed))
    return iter(sorted(taken.values(), key=lambda books: books.began_at))


def rows_gone(ledger: Ledger, job: str, period: str, told: Iterable[Obligation]) -> list[Obligation]:
    """Return what is claimed for a job and period though its books name it no more: its row has left the sheets.

    Args:
        ledger: The record.
        job: Which.
        period: Its label.
        told: What the books tell.
    """
    obligations = list(told)
    keys = {owed.key for owed in obligations}
    gone = [claim for claim in ledger.claims.live_of(job, period) if claim.obligation_key not in keys]
    names = {owed.payee.tax_id: owed.payee.name for owed in obligations} if gone else {}
    return [
        replace(owed, payee=replace(owed.payee, name=names.get(owed.payee.tax_id, ""))) for owed in owed_of_claims(gone)
    ]
