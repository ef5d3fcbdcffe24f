"""Every payment of all jobs and periods in its present state, for search."""

import datetime as dt
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from threading import Lock
from typing import Final

from flows.reports.inferred import inferred_payments
from flows.run_document import RunDocument
from flows.tracing.books import EVERY_RUN, rows_gone
from flows.tracing.rules import place_now
from io_adapters.ledger.ledger import Ledger
from schemas.layouts.layout import fold
from schemas.obligation import Obligation, Payee, Reasons, because
from schemas.plan import Place, standing_of
from schemas.submission import Submission
from schemas.values.masking import mask_tax_id, mask_value

_BOOKS_KEPT: Final = 24
_PAID_TO_PEOPLE: Final = frozenset({"royalty", "payment"})
_LEAST_DIGITS: Final = 5


@dataclass(frozen=True, slots=True)
class PaymentLine:
    """One payment, or what is owed and not paid yet.

    Attributes:
        job, period, currency: Of what.
        name: The payee's.
        tax_id: In full, to be found by; never shown.
        kind: Royalties, or a row of a payments sheet.
        reference: As the row states it, masked; "" for royalties.
        amount_cents: How much.
        standing: One of `schemas.plan.STANDINGS`.
        reasons: Why it stands so.
        key: The obligation's.
        run_id: The run that made its report, or whose books tell it.
        report: Id of the report; "" before.
        plan_digest: The plan it was sent with; "" before.
        sent_at: When its report was sent (UTC); None before.
    """

    job: str
    period: str
    currency: str
    name: str = field(repr=False)
    tax_id: str = field(repr=False)
    kind: str
    reference: str
    amount_cents: int
    standing: str
    reasons: Reasons
    key: str
    run_id: str
    report: str
    plan_digest: str
    sent_at: dt.datetime | None

    @property
    def tax_id_masked(self) -> str:
        """The document as it may be shown."""
        return mask_tax_id(self.tax_id) if self.tax_id else ""

    @property
    def payee(self) -> str:
        """Names the payee in addresses, without the document."""
        return payee_token(self.tax_id)


@dataclass(frozen=True, slots=True)
class Search:
    """What somebody looks for; "" leaves a thing open.

    Attributes:
        words: Of a name, a document or five digits of it, a reference, a report or an obligation.
        job, period, standing: As a payment has them.
    """

    words: str = field(default="", repr=False)
    job: str = ""
    period: str = ""
    standing: str = ""


def payee_token(tax_id: str) -> str:
    """Name a payee in addresses, without the document."""
    return sha256(f"payee {tax_id}".encode()).hexdigest()[:24]


class Payments:
    """The payments of the ledger; the books of a run, which never change, are read once and kept a while.

    Args:
        ledger: The record.
    """

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._kept: OrderedDict[str, tuple[Obligation, ...]] = OrderedDict()
        self._currencies: dict[str, str] = {}
        self._lock = Lock()

    def periods(self) -> dict[tuple[str, str], list[str]]:
        """Return job and period -> the runs of it, the newest first; the newest periods first."""
        found: dict[tuple[str, str], list[str]] = {}
        for run in self._ledger.runs.list(EVERY_RUN):
            if run.job:
                found.setdefault((run.job, run.period), []).append(run.run_id)
        return dict(sorted(found.items(), key=lambda item: (item[0][1], item[0][0]), reverse=True))

    def find(self, search: Search) -> tuple[PaymentLine, ...]:
        """Return the payments somebody looks for, the newest period first, by name."""
        found = []
        for (job, period), runs in self.periods().items():
            if search.job in {"", job} and search.period in {"", period}:
                lines = self._of_period(job, period, runs)
                found += sorted(filter(_wanted(search), lines), key=lambda line: (fold(line.name), -line.amount_cents))
        return tuple(found)

    def tax_id_of(self, token: str) -> str | None:
        """Return the payee that an address names; None where there is none."""
        for runs in self.periods().values():
            for owed in self._books(runs)[1]:
                if owed.payee.tax_id and payee_token(owed.payee.tax_id) == token:
                    return owed.payee.tax_id
        return None

    def _of_period(self, job: str, period: str, runs: Sequence[str]) -> Iterator[PaymentLine]:
        run_id, listed = self._books(runs)
        gone = filter(_is_listed, rows_gone(self._ledger, job, period, listed))
        obligations = [*listed, *gone]
        named = self._ledger.submissions.with_ids({owed.submission_id for owed in obligations} - {""})
        submissions = {submission.id: submission for submission in named}
        decided = self._ledger.decisions.on_reports([owed.key for owed in obligations if owed.key])
        inferred = inferred_payments(self._ledger, named)
        for owed in obligations:
            submission = submissions.get(owed.submission_id)
            place = place_now(owed, submission, decided.get((owed.key, owed.submission_id)))
            reasons = owed.reasons
            if place is Place.UNDETERMINED and (told := inferred.get((owed.key, owed.submission_id))):
                reasons = (*because(told.value), *reasons)
            placed = replace(owed, place=place, reasons=reasons)
            currency = self._currencies.get(run_id) or (submission.currency if submission else "")
            yield _line(placed, submission, job, period, currency, run_id)

    def _books(self, runs: Iterable[str]) -> tuple[str, tuple[Obligation, ...]]:
        """Return the newest books of a period, and whose they are; nothing where no run left any."""
        for run_id in runs:
            with self._lock:
                known = self._kept.get(run_id)
            if known is None:
                stored = self._ledger.runs.document(run_id)
                if stored is None:
                    continue
                document = RunDocument.from_bytes(stored)
                known = tuple(_slim(owed) for owed in document.obligations if _is_listed(owed))
                with self._lock:
                    self._kept[run_id], self._currencies[run_id] = known, document.currency
                    while len(self._kept) > _BOOKS_KEPT:
                        self._kept.popitem(last=False)
            return run_id, known
        return "", ()


def _is_listed(owed: Obligation) -> bool:
    return owed.kind in _PAID_TO_PEOPLE and bool(owed.amount_cents)


def _slim(owed: Obligation) -> Obligation:
    """Keep what is shown: books of many payees are kept for as long as the desk runs."""
    payee = Payee(owed.payee.tax_id, owed.payee.name)
    return replace(owed, payee=payee, account=None, destination="", account_holder="", base_key="")


def _line(
    owed: Obligation, submission: Submission | None, job: str, period: str, currency: str, run_id: str
) -> PaymentLine:
    return PaymentLine(
        job=job,
        period=period,
        currency=currency,
        name=owed.payee.name,
        tax_id=owed.payee.tax_id,
        kind=owed.kind,
        reference=mask_value("reference", owed.reference) if owed.kind == "payment" else "",
        amount_cents=owed.amount_cents,
        standing=standing_of(owed.place, owed.reason),
        reasons=owed.reasons,
        key=owed.key,
        run_id=submission.run_id if submission else run_id,
        report=submission.report_id if submission and submission.sending_at else "",
        plan_digest=submission.plan_digest if submission else "",
        sent_at=submission.sending_at if submission else None,
    )


def _wanted(search: Search) -> Callable[[PaymentLine], bool]:
    """Return what tells whether a payment is looked for."""
    whole = search.words.strip()
    words = [fold(word) for word in whole.split() if fold(word)]
    digits = "".join(filter(str.isalnum, whole)).upper()
    document = digits if len(digits) >= _LEAST_DIGITS and any(map(str.isdigit, digits)) else ""

    def is_wanted(line: PaymentLine) -> bool:
        if search.standing and line.standing != search.standing:
            return False
        texts = (fold(line.name), fold(line.reference))
        return (
            not whole
            or any(bool(words) and all(word in text for word in words) for text in texts)
            or (bool(document) and document in line.tax_id)
            or whole in {line.report, line.key}
        )

    return is_wanted
