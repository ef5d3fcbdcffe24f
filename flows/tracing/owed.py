"""What was owed and not paid at the end of a day, as records and reports stood then."""

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from flows.tracing.books import Books, books_before, rows_gone
from flows.tracing.rules import place_now
from io_adapters.ledger.ledger import Ledger
from schemas.account import GROUPS, Owed, OwedSum
from schemas.approval import Decision, DecisionKind
from schemas.job import BRASILIA, Outputs
from schemas.obligation import Obligation, Payee, because
from schemas.plan import Place, standing_of
from schemas.submission import Submission, SubmissionState
from schemas.values.masking import mask_value

_OF_PEOPLE: Final = frozenset({"royalty", "payment", "carried", "unmatched"})
_UNPAID: Final = GROUPS["carried_out"] | GROUPS["held"] | GROUPS["open"] | GROUPS["excluded"]


def owed_at(ledger: Ledger, day: dt.date, job: str | None = None) -> Owed:
    """Tell what was owed and not paid at the end of a day.

    What a period carried is owed by the last of its job alone, whatever it was called before: later periods have taken
    up what earlier ones carried.

    Args:
        ledger: The record.
        day: In Brazil.
        job: Only this job.
    """
    end = dt.datetime.combine(day + dt.timedelta(days=1), dt.time(), BRASILIA)
    found = list(books_before(ledger, end, job))
    renamed = ledger.accruals.renamed()
    in_order = sorted(found, key=lambda books: books.period)
    last = {(_name_now(books.job, renamed), books.currency): books for books in in_order}
    sums = list[OwedSum]()
    for books in found:
        is_last = last[_name_now(books.job, renamed), books.currency] is books
        obligations = [owed for owed in books.obligations if is_last or owed.kind != "carried"]
        if is_last:
            obligations += _carried_late(ledger, books, end)
        sums += _unpaid(ledger, books, obligations, end)
    language = found[-1].language if found else Outputs().language
    return Owed(day, language, tuple(sorted(sums, key=lambda owed: (owed.job, owed.period, owed.name, owed.tax_id))))


def _name_now(job: str, renamed: Mapping[str, str]) -> str:
    """Return under which name a job goes on."""
    names = [job]
    while (name := renamed.get(names[-1])) is not None and name not in names:
        names.append(name)
    return names[-1]


def _carried_late(ledger: Ledger, books: Books, end: dt.datetime) -> list[Obligation]:
    """What changes of closed periods carry on beside the last period, which has not taken it up."""
    return [
        Obligation(
            kind="carried",
            amount_cents=late.amount_cents,
            place=Place.CARRIED,
            reasons=because("difference"),
            payee=Payee(late.payee, _name_of(late.payee, books.obligations)),
        )
        for late in ledger.accruals.late_carried(books.job, books.currency)
        if late.posted_at < end and (late.booked_in == books.period or late.posted_at > books.began_at)
    ]


def _name_of(tax_id: str, obligations: Iterable[Obligation]) -> str:
    return next((owed.payee.name for owed in obligations if owed.payee.tax_id == tax_id), "")


def _unpaid(ledger: Ledger, books: Books, obligations: Iterable[Obligation], end: dt.datetime) -> Iterator[OwedSum]:
    own = [owed for owed in obligations if owed.kind in _OF_PEOPLE and owed.amount_cents]
    claimed = [owed for owed in rows_gone(ledger, books.job, books.period, own) if owed.kind in _OF_PEOPLE]
    submissions = _as_of(ledger, {owed.submission_id for owed in (*own, *claimed)} - {""}, end)
    own += [owed for owed in claimed if owed.submission_id in submissions]
    decided = ledger.decisions.on_reports({owed.key for owed in own} - {""})
    for owed in own:
        submission = submissions.get(owed.submission_id)
        word = decided.get((owed.key, owed.submission_id))
        word = word if word is not None and word.at < end else None
        placed = replace(owed, place=place_now(owed, submission, word))
        if placed.place in _UNPAID and not _is_dropped(placed, word):
            yield OwedSum(
                job=books.job,
                period=books.period,
                currency=books.currency,
                name=owed.payee.name,
                tax_id=owed.payee.tax_id,
                kind=owed.kind,
                reference=mask_value("reference", owed.reference) if owed.kind == "payment" else "",
                amount_cents=owed.amount_cents,
                standing=standing_of(placed.place, placed.reason),
                reasons=owed.reasons,
                report=owed.submission_id,
            )


def _as_of(ledger: Ledger, names: set[str], end: dt.datetime) -> Mapping[str, Submission]:
    """Return submissions in the states they had at a moment; without those that were made later."""
    found = dict[str, Submission]()
    for submission in ledger.submissions.with_ids(names):
        states = [line.after for line in ledger.submissions.journal(submission.id) if line.at < end]
        if states:
            found[submission.id] = replace(submission, state=SubmissionState(states[-1]))
    return found


def _is_dropped(owed: Obligation, word: Decision | None) -> bool:
    """Whether people have decided that it is not to be paid."""
    on_row = any(reason.code == "decided" and reason.facts["decision"] == DecisionKind.DROP for reason in owed.reasons)
    return on_row or (word is not None and word.kind is DecisionKind.DROP)
