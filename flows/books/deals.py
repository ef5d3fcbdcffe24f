"""Where the rows of deals stand: costs still to recover, tiers, caps, guarantees, reserves, and advances to recoup."""

import datetime as dt
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from flows.books.rules.standings import standings
from flows.views.columns import ADVANCES, DEALS
from io_adapters.ledger.engine import chunks
from io_adapters.ledger.ledger import Ledger
from io_adapters.ledger.run_record import read_heads
from schemas.deal_standing import DealStanding, TermKind, TermOfJob
from schemas.job import Outputs
from schemas.journal import Series
from schemas.messages import Money
from schemas.tables.recoup_scope import scope_text


@dataclass(frozen=True, slots=True)
class DealsView:
    """The standing of each row, by job; in the language of the last run."""

    language: str
    standings: tuple[DealStanding, ...]


def deals_now(ledger: Ledger, job: str | None = None) -> DealsView:
    """Tell the standing of all rows that go on over periods, as posted by now; of one job, or of all."""
    terms = defaultdict[Series, list[TermOfJob]](list)
    for term in ledger.views.ask(DEALS):
        if job in {None, term.job}:
            terms[Series(term.job, term.payer, term.currency)].append(term)
    sums, names = ledger.journal.deals(), ledger.payee_names.latest()
    every = dict.fromkeys((*terms, *(series for series in sums if job in {None, series.job})))
    found = [row for series in every for row in standings(series, terms[series], sums.get(series, {}), names)]
    heads = read_heads(ledger, [run.run_id for run in ledger.runs.last_with_results(job=job)])
    language = next((head.language for head in heads.values()), Outputs().language)
    return DealsView(language, (*found, *_advances(ledger, ledger.today(), job)))


def _advances(ledger: Ledger, until: dt.date, job: str | None) -> Iterator[DealStanding]:
    """Tell what of each advance is still to be recouped; one of a name is the payer's, of no job alone."""
    names = ledger.payee_names.latest()
    for payees in chunks(sorted(ledger.journal.payees())):
        for row in ledger.views.ask(ADVANCES, payees=payees, until=until):
            reference, _, scope = row.reference.partition("|")
            if job in {None, row.job} or not row.job:
                yield DealStanding(
                    row.job, row.currency, TermKind.ADVANCE, names.get(row.payee, ""), reference, scope_text(scope),
                    None, None, Money(row.left_cents, row.currency), "",
                )  # fmt: skip
