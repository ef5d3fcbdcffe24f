"""Whom and what a trace is asked for: the books that runs left in the ledger, and what they and its claims know."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from flows.stages.document import RunDocument
from io_adapters.ledger.ledger import Ledger
from schemas.layouts.headers import fold
from schemas.masking import mask_tax_id
from schemas.tables.frames import records
from schemas.tax_id import parse_tax_id

_EVERY_RUN: Final = 10**9


@dataclass(frozen=True, slots=True)
class Wanted:
    """One payee in one period of a job; `keys` narrows it to some obligations, `run_id` says whose books to open."""

    job: str
    period: str
    tax_id: str = field(repr=False)
    keys: frozenset[str] = frozenset()
    run_id: str = ""


class Shelf:
    """The books that runs left in the ledger, the newest first."""

    def __init__(self, ledger: Ledger, job: str | None, period: str | None) -> None:
        """Look what runs there were, of all jobs and periods or of one."""
        self._ledger = ledger
        self._open: dict[str, RunDocument] = {}
        self.runs: dict[tuple[str, str], list[str]] = {}
        for run in ledger.runs.list(limit=_EVERY_RUN):
            if job in {None, run.job} and period in {None, run.period}:
                self.runs.setdefault((run.job, run.period), []).append(run.run_id)

    def books(self, run_id: str, holding: str) -> RunDocument | None:
        """Open the books of a run; None when it left none, or when nothing in them is called like that.

        Args:
            run_id: The run.
            holding: A payee's tax id, or the key of an obligation.
        """
        if run_id not in self._open:
            stored = self._ledger.runs.document(run_id)
            if stored is None or f'"{holding}"'.encode() not in stored:
                return None
            self._open[run_id] = RunDocument.from_bytes(stored)
        books = self._open[run_id]
        owed = books.obligations
        told = (owed["key"], owed["tax_id"], books.balances["tax_id"])
        return books if any((column == holding).any() for column in told) else None

    def newest(self, where: tuple[str, str], holding: str) -> tuple[str, RunDocument] | None:
        """Open the newest books of a period that hold a payee or an obligation."""
        for run_id in self.runs.get(where, []):
            if (books := self.books(run_id, holding)) is not None:
                return run_id, books
        return None

    def all_books(self) -> Iterator[RunDocument]:
        """Open the books of every run, one after the other."""
        for run_id in (run_id for runs in self.runs.values() for run_id in runs):
            stored = self._ledger.runs.document(run_id)
            if stored is not None:
                yield RunDocument.from_bytes(stored)


def of_report(ledger: Ledger, shelf: Shelf, submission_id: str) -> list[Wanted]:
    """Find everybody a report pays, or was to pay, in the order of its payments."""
    keys: dict[str, set[str]] = {}
    for payment in ledger.claims.payments_of(submission_id):
        keys.setdefault(payment.payee, set()).add(payment.obligation_key)
    return [
        Wanted(one.job, one.period, tax_id, frozenset(mine), one.run_id)
        for one in ledger.submissions.with_ids([submission_id])
        if (one.job, one.period) in shelf.runs
        for tax_id, mine in keys.items()
    ]


def of_obligation(ledger: Ledger, shelf: Shelf, key: str) -> list[Wanted]:
    """Find whose obligation it is: by what has ever claimed it, else by the books that hold it."""
    claims = ledger.claims.trace(key)
    if claims:
        last = claims[-1]
        (submission,) = ledger.submissions.with_ids([last.submission_id])
        where = (submission.job, submission.period)
        return [Wanted(*where, last.payee, frozenset({key}), last.run_id)] if where in shelf.runs else []
    for where in shelf.runs:
        if (found := shelf.newest(where, key)) is not None:
            frame = found[1].obligations
            payees = frame.loc[frame["key"] == key, "tax_id"].tolist()
            if payees:
                return [Wanted(*where, payees[0], frozenset({key}), found[0])]
    return []


def of_payee(ledger: Ledger, shelf: Shelf, tax_id: str) -> list[Wanted]:
    """Find every period of every job in which a payee has anything, in order."""
    claims = ledger.claims.trace(tax_id)
    claimed = {(one.job, one.period) for one in ledger.submissions.with_ids({one.submission_id for one in claims})}
    places = {where for where in shelf.runs if where in claimed or shelf.newest(where, tax_id)}
    return [Wanted(*where, tax_id) for where in sorted(places)]


def people_meant(shelf: Shelf, asked: str) -> dict[str, str]:
    """Find whom a tax id, a masked one or a name may mean: tax id -> an obligation of theirs."""
    tax_id = parse_tax_id(asked).value
    if tax_id is not None:
        return {tax_id: ""}
    exact: dict[str, str] = {}
    alike: dict[str, str] = {}
    for books in shelf.all_books():
        rows = [*records(books.balances), *records(books.obligations)]
        for row in rows:
            person, name = row["tax_id"], row["name"]
            if person and (name == asked or mask_tax_id(person) == asked):
                exact[person] = exact.get(person) or row.get("key", "")
            elif person and name and fold(name) == fold(asked):
                alike[person] = alike.get(person) or row.get("key", "")
    return exact or alike
