"""What is owed and not paid: balances of the journal, sums in transit, and what runs worked out and have not booked."""

import datetime as dt
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Final

from flows.payables.rules.journal_entries import account_of
from flows.payables.rules.places import place_now
from flows.views.columns import OWED, OWED_SINCE, OWED_TO_PAYEES
from io_adapters.ledger.engine import chunks
from io_adapters.ledger.ledger import Ledger
from io_adapters.ledger.run_record import RecordHead, read_heads, read_obligations
from schemas.account import OwedBalance, OwedSum
from schemas.job import BRASILIA, Outputs
from schemas.journal import AccountKind, JournalAccount
from schemas.obligation import Kind, Obligation, Obligations, submissions_of
from schemas.plan import BatchPayment, JobIdentity, Place, shown_place
from schemas.reasons import Reasons, as_decided, because
from schemas.submission import UNTOLD, SubmissionState
from schemas.values.masking import mask_value
from schemas.values.money import SignedSums

_OWED: Final[Mapping[AccountKind, Kind]] = {
    AccountKind.PAYEE: "royalty",
    AccountKind.PAYMENT: "payment",
    AccountKind.UNASSIGNED: "unmatched",
    AccountKind.SERVICE_HELD: "payment",
    AccountKind.RETURNED: "returned",
}
_KINDS: Final[tuple[Kind, ...]] = ("royalty", "payment", "returned", "carried", "unmatched")
_DONE: Final = {Place.PAID, Place.INCOME_TAX, Place.TAX, Place.OWNER, Place.RECOUPED, Place.DUPLICATE}
_UNPAID: Final = frozenset(Place) - _DONE


class Unpaid:
    """Everything that was owed and not paid at the end of a day, each sum with the reason that the last run gave.

    Args:
        with_plans: Whether what plans pay that wait for an approval is told as well, and since when each sum is owed.
        payees: Whose alone; None for everybody's.
    """

    def __init__(
        self, ledger: Ledger, day: dt.date, *, with_plans: bool = True, payees: Collection[str] | None = None
    ) -> None:
        end = dt.datetime.combine(day + dt.timedelta(days=1), dt.time(), BRASILIA)
        self._ledger = ledger
        self._names = cache(ledger.payee_names.latest)
        self._payments_of = cache(self._by_payee)
        self._states = ledger.submissions.states_at(end)
        last = [run.run_id for run in ledger.runs.last_with_results(before=end)]
        self._heads = read_heads(ledger, last)  # the latest first
        booked = ledger.journal.booked_by(last, end)
        unbooked = [run_id for run_id in last if run_id not in booked]
        standing = _standing(ledger, day, unbooked, payees)
        self._periods = {about.account: about.period for about in standing if not about.report}
        found = [about for about in standing if about.amount_cents]
        self._balances = {about.account: about.amount_cents for about in found if not about.report}
        self._transit = [about for about in found if about.report]
        people = {account.payee for account in self._balances} | {about.payee for about in self._transit}
        waiting = self._plans_in(SubmissionState.PLANNED)
        self._open = waiting | self._plans_in(SubmissionState.WITHDRAWN)
        told = dict.fromkeys(unbooked, _UNPAID)
        self._planned = set[JournalAccount]()
        for run_id in unbooked if not with_plans else ():
            if self._heads[run_id].plan_digest in waiting:
                told[run_id] = _UNPAID - {Place.PLANNED}
                own = _unpaid(ledger, run_id, {Place.PLANNED}, people)
                self._planned.update(_account(self._heads[run_id], due) for due in own)
        self._unbooked = {run_id: _unpaid(ledger, run_id, told[run_id], payees) for run_id in unbooked}
        days = ledger.views.ask(OWED_SINCE, until=day) if with_plans else []
        self._since = {(about.account, about.report): about.since for about in days}
        self._why, self._counts = dict[JournalAccount, Obligation](), SignedSums[JournalAccount]()
        self._explain(last)
        in_order = sorted(self._heads.values(), key=lambda head: head.period)
        self._latest = {head.job: head.period for head in in_order}
        told_of = [*self._why.values(), *(due for own in self._unbooked.values() for due in own)]
        named = submissions_of(told_of) | {about.report for about in self._transit}
        self._submissions = {submission.id: submission for submission in ledger.submissions.with_ids(named)}
        untold = {name for name in named if self._states.get(name) in UNTOLD}
        keys = [due.key for due in told_of if due.submission_id in untold]
        words = ledger.decisions.on_reports(keys) if keys else {}
        self._words = {about: word for about, word in words.items() if word.at < end}

    def _by_payee(self, report: str) -> dict[str, BatchPayment]:
        """Return what a report pays, the first payment to each payee."""
        return {paid.payee: paid for paid in reversed(self._ledger.claims.payments_of(report))}

    def _plans_in(self, state: SubmissionState) -> set[str]:
        names = [name for name, its_state in self._states.items() if its_state is state]
        return {submission.plan_digest for submission in self._ledger.submissions.with_ids(names)}

    def _explain(self, run_ids: Iterable[str]) -> None:
        """Find the last word on each account: of the latest period whose run knew it, and so on back."""
        silent = {account.payee for account in self._balances}
        for run_id in sorted(run_ids, key=lambda name: self._heads[name].period, reverse=True):
            own = self._unbooked.get(run_id)
            if own is None:
                own = _unpaid(self._ledger, run_id, _UNPAID, silent) if silent else ()
            accounts = {_account(self._heads[run_id], due): due for due in own}
            self._counts.add(SignedSums.counted(_account(self._heads[run_id], due) for due in own))
            self._why = accounts | self._why
            silent = {account.payee for account in self._balances if account not in self._why}

    def language(self, job: str | None) -> str:
        """Return the language to speak to people in: the newest record's, of a job or of all."""
        spoken = (head.language for head in self._heads.values() if job in {None, head.job})
        return next(spoken, Outputs().language)

    def sums(self) -> Iterator[OwedSum]:
        """Tell of every sum: what a run has worked out and not booked, the balances, and what was in transit."""
        shown = set(self._planned)
        for run_id, obligations in self._unbooked.items():
            head = self._heads[run_id]
            for due in obligations:
                account = _account(head, due)
                if head.plan_digest in self._open or account not in self._periods:
                    shown.add(account)
                    place, reasons = self._by_now(due)
                    yield replace(self._sum(account, replace(due, place=place, reasons=reasons)), period=head.period)
        for account, cents in self._balances.items():
            if account not in shown:
                yield self._balance(account, cents)
        for about in self._transit:
            yield self._in_transit(about)

    def _balance(self, account: JournalAccount, amount_cents: int) -> OwedSum:
        """Tell of a balance, with the reason that the last run gave for it."""
        due = self._why.get(account)
        known, why = self._place(due) if due else (None, ())
        place = known or Place.HELD
        if account.kind is AccountKind.SERVICE_HELD:
            place = Place.WITHHELD
        elif account.kind is AccountKind.RETURNED and place is not Place.FAILED:
            place = Place.RETURNED
        elif account.kind is AccountKind.PAYEE and (known is None or amount_cents < 0):
            place = Place.CARRIED
        is_carried = place is Place.CARRIED and account.kind is AccountKind.PAYEE
        key = account.reference if account.kind is AccountKind.RETURNED else ""  # also before a run has told of it
        obligation = due or Obligation(kind="carried", amount_cents=amount_cents, place=place, key=key)
        reasons = why if known is place else ()
        kind: Kind = "carried" if is_carried else _OWED[account.kind]
        balance = replace(obligation, kind=kind, amount_cents=amount_cents, place=place, reasons=reasons)
        count = 1 if account.kind is AccountKind.PAYEE else max(1, self._counts[account])
        return replace(self._sum(account, balance), obligation_cents=obligation.amount_cents, count=count)

    def _place(self, due: Obligation) -> tuple[Place | None, Reasons]:
        """Return where a sum that is owed again was last, and why; None where that says nothing of it."""
        place, reasons = self._by_now(due)
        return (place, reasons) if place in _UNPAID - {Place.PLANNED} else (None, ())

    def _by_now(self, due: Obligation) -> tuple[Place, Reasons]:
        """Return where a sum was last, as its report stood, and why."""
        state = self._states.get(due.submission_id)
        if state is None or due.place is Place.CONFLICT:
            return due.place, due.reasons
        submission = self._submissions[due.submission_id]
        word = self._words.get((due.key, submission.id))
        place = place_now(due, replace(submission, state=state), word)
        if word is not None:
            return place, as_decided(word)
        is_so_still = state is submission.state and submission.reason is not None
        return place, because("submission", said=submission.reason) if is_so_still else due.reasons

    def _in_transit(self, about: OwedBalance) -> OwedSum:
        """Tell of what was in transit, as its report stood."""
        submission = self._submissions[about.report]
        then = replace(submission, state=self._states[about.report])
        paid = self._payments_of(about.report)[about.payee]
        due = Obligation(
            kind=paid.kind,
            amount_cents=about.amount_cents,
            place=Place.PLANNED,
            reasons=because("submission", said=submission.reason) if submission.reason else (),
            key=paid.obligation_key,
            reference=paid.reference,
        )
        own = self._sum(about.account, replace(due, place=place_now(due, then, None)), about.report)
        return replace(own, period=about.period)

    def _sum(self, account: JournalAccount, obligation: Obligation, report: str = "") -> OwedSum:
        return OwedSum(
            job=account.job,
            period=self._periods.get(account) or self._latest.get(account.job, ""),  # moves are about no period
            currency=account.currency,
            name=self._names().get(account.payee, ""),
            tax_id=account.payee,
            kind=obligation.kind,
            reference=mask_value("reference", obligation.reference)
            if obligation.kind == "payment" and obligation.reference
            else "",
            amount_cents=obligation.amount_cents,
            place=shown_place(obligation.place, obligation.reasons[0].code if obligation.reasons else ""),
            reasons=obligation.reasons,
            report=report,
            key=obligation.key,
            obligation_cents=obligation.amount_cents,
            since=self._since.get((account, report)),
        )


def _standing(ledger: Ledger, day: dt.date, unbooked: list[str], payees: Collection[str] | None) -> list[OwedBalance]:
    if payees is None:
        return ledger.views.ask(OWED, until=day, runs=unbooked)
    return [
        about
        for some in chunks(payees)
        for about in ledger.views.ask(OWED_TO_PAYEES, until=day, runs=unbooked, payees=some)
    ]


def _unpaid(ledger: Ledger, run_id: str, places: Collection[Place], payees: Collection[str] | None) -> Obligations:
    found = read_obligations(ledger, [run_id], places=places, payees=payees).get(run_id, ())
    return tuple(due for due in found if due.kind in _KINDS and due.amount_cents)


def _account(head: RecordHead, due: Obligation) -> JournalAccount:
    return account_of(JobIdentity(head.job, head.payer, head.period, head.currency), due)
