"""What was owed and not paid at the end of a day, as records and reports stood then."""

import datetime as dt
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from flows.tracing.books import books_before
from flows.tracing.rules import place_now
from io_adapters.ledger.ledger import Ledger
from schemas.account import GROUPS, Owed, OwedSum
from schemas.job import BRASILIA, Outputs
from schemas.journal import AccountKind, JournalAccount, Series
from schemas.obligation import Obligation, Payee, Reasons, because
from schemas.plan import Place, standing_of
from schemas.submission import SubmissionState
from schemas.values.masking import mask_value


def owed_at(ledger: Ledger, day: dt.date, job: str | None = None) -> Owed:
    """Tell what was owed and not paid at the end of a day: the balances of the journal, and what was in transit.

    Args:
        ledger: The record.
        day: In Brazil.
        job: Only this job, and those it goes on with.
    """
    end = dt.datetime.combine(day + dt.timedelta(days=1), dt.time(), BRASILIA)
    known = _Known(ledger, end, job)
    sums = list[OwedSum]()
    balances = ledger.journal.balances(end)
    for account, cents in balances.items():
        if account.kind in _OWED and job in {None, account.job}:
            sums.append(known.owed(account, -cents))
    for (report, account), cents in ledger.journal.open_claims(end).items():
        if job in {None, account.job}:
            sums.append(known.claimed(account, -cents, report))
    sums += [due for due in known.planned(balances) if job in {None, due.job}]
    return Owed(day, known.language, tuple(sorted(sums, key=lambda due: (due.job, due.period, due.name, due.tax_id))))


_OWED: Final = {
    AccountKind.PAYEE: "royalty",
    AccountKind.PAYMENT: "payment",
    AccountKind.UNASSIGNED: "unmatched",
    AccountKind.SERVICE_HELD: "payment",
}


class _Known:
    """What runs and reports say of balances: whose they are, and why they were not paid."""

    def __init__(self, ledger: Ledger, end: dt.datetime, job: str | None) -> None:
        self._ledger, self._end = ledger, end
        self._names, self._why = dict[str, str](), dict[tuple[str, str], tuple[str, Obligation]]()
        self._periods, self._states = ledger.journal.last_periods(end), ledger.submissions.states_at(end)
        self.language: str = Outputs().language
        for books in books_before(ledger, end, None):
            self.language = books.language if job in {None, books.job} else self.language
            for due in books.obligations:
                if due.payee.name:
                    self._names[due.payee.tax_id] = due.payee.name
                if due.place in _UNPAID and due.amount_cents:
                    about = (books.job, self._about(due))
                    known = self._why.get(about)
                    if known is None or known[0] <= books.period:
                        self._why[about] = books.period, due

    @staticmethod
    def _about(due: Obligation) -> str:
        return due.base_key if due.kind == "payment" and due.base_key else f"{due.payee.tax_id} {due.kind == 'payment'}"

    def owed(self, account: JournalAccount, amount_cents: int) -> OwedSum:
        """Tell of a balance, with the reason that the last run gave for it."""
        is_row = account.kind is AccountKind.PAYMENT
        known = self._why.get((account.job, account.reference)) if is_row else None
        known = known or self._why.get((account.job, f"{account.payee} {is_row}"))
        due = known[1] if known else None
        place = self._place(due) if due else None
        if place is None:
            place = Place.CARRIED if account.kind is AccountKind.PAYEE else Place.HELD
        if account.kind is AccountKind.SERVICE_HELD:
            place = Place.WITHHELD
        elif account.kind is AccountKind.PAYEE and amount_cents < 0:
            place = Place.CARRIED
        kind = "carried" if place is Place.CARRIED and account.kind is AccountKind.PAYEE else _OWED[account.kind]
        reasons = due.reasons if due and self._place(due) is place else ()
        return self._sum(account, amount_cents, kind, place, reasons, due.reference if due and is_row else "")

    def _place(self, due: Obligation) -> Place | None:
        """Return where a sum that is owed again was last, as its report stood; None where that says nothing of it."""
        state = self._states.get(due.submission_id)
        if state is None:
            return None if due.place is Place.PLANNED else due.place
        (submission,) = self._ledger.submissions.with_ids([due.submission_id])
        place = place_now(due, replace(submission, state=state), None)
        return place if place in _UNPAID - {Place.PLANNED} else None

    def claimed(self, account: JournalAccount, amount_cents: int, report: str) -> OwedSum:
        """Tell of what was in transit, as its report stood."""
        (submission,) = self._ledger.submissions.with_ids([report])
        then = replace(submission, state=self._states[report])
        payments = [paid for paid in self._ledger.claims.payments_of(report) if paid.payee == account.payee]
        paid = payments[0]
        due = Obligation(kind=paid.kind, amount_cents=amount_cents, place=Place.PLANNED, payee=Payee(account.payee))
        reasons = because("submission", said=submission.reason) if submission.reason else ()
        reference = paid.reference if paid.kind == "payment" else ""
        return self._sum(account, amount_cents, paid.kind, place_now(due, then, None), reasons, reference, report)

    def planned(self, balances: Mapping[JournalAccount, int]) -> Iterator[OwedSum]:
        """Tell what plans that waited for an approval would pay beyond what was booked."""
        wanted, said = Counter[JournalAccount](), dict[JournalAccount, tuple[str, str]]()
        waiting = [name for name, state in self._states.items() if state is SubmissionState.PLANNED]
        for submission in self._ledger.submissions.with_ids(waiting):
            series = Series(submission.job, self._ledger.plans.get(submission.plan_digest).payer, submission.currency)
            for paid in self._ledger.claims.payments_of(submission.id):
                is_row = paid.kind == "payment"
                kind = AccountKind.PAYMENT if is_row else AccountKind.PAYEE
                if paid.kind != "owner":
                    account = series.account(kind, paid.payee, paid.base_key if is_row else "")
                    wanted[account] += paid.amount_cents
                    said[account] = submission.period, paid.reference if is_row else ""
        for account, cents in wanted.items():
            more = cents - max(0, -balances.get(account, 0))
            if more > 0:
                period, reference = said[account]
                due = self._sum(account, more, _OWED[account.kind], Place.PLANNED, (), reference)
                yield replace(due, period=period)

    def _sum(
        self,
        account: JournalAccount,
        amount_cents: int,
        kind: str,
        place: Place,
        reasons: Reasons,
        reference: str,
        report: str = "",
    ) -> OwedSum:
        return OwedSum(
            job=account.job,
            period=self._periods.get(account, ""),
            currency=account.currency,
            name=self._names.get(account.payee, ""),
            tax_id=account.payee,
            kind=kind,
            reference=mask_value("reference", reference) if reference else "",
            amount_cents=amount_cents,
            standing=standing_of(place, reasons[0].code if reasons else ""),
            reasons=reasons,
            report=report,
        )


_UNPAID: Final = GROUPS["carried_out"] | GROUPS["held"] | GROUPS["open"] | GROUPS["excluded"]
