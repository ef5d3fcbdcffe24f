"""A label's desk: hands drawn tables to the decisions and remembers what was sent, so that a case is short."""

import datetime as dt
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

import pandas as pd

from flows.intake.rules.inputs import Inputs, Statement, input_totals, sum_lines
from flows.payables.rules.account_checks import CheckVerdict
from flows.payables.rules.compute import LedgerSnapshot, Payables, compute_payables, identity_of
from flows.payables.rules.obligations import Arrays
from flows.payables.rules.plan_batches import plan_batches
from flows.royalties.rules.balances import History, history_of
from flows.royalties.rules.opening_balances import Opened, open_balances
from schemas.approval import Decision, DecisionKind
from schemas.job import Job, Period, resolve_period
from schemas.journal import JournalEntry, Series
from schemas.obligation import sum_cents
from schemas.parsing.row_accounting import runs_frame
from schemas.parsing.table import empty_table
from schemas.plan import PaymentPlan
from schemas.submission import Claim, SubmissionState
from tests.journal_states import state_of
from tests.spec.tables import PAYER, held_rows

SAID_AT = dt.datetime(2026, 11, 20, tzinfo=dt.UTC)
NOTHING_BEFORE = History(carried_in={}, recouped={})
NO_ROWS = runs_frame([])


def job(**changes: object) -> Job:
    """A job of October 2026; changes replace its keys."""
    declared = {
        "job": "selo",
        "payer": {"tax_id": PAYER, "name": "Selo Aurora"},
        "period": "2026-10",
        "sources": [{"files": "statement.tsv", "layout": "royalties"}],
        "payees": "payees.xlsx",
    }
    return Job.model_validate(declared | changes)


def statement(
    lines,
    *,
    held: pd.DataFrame | None = None,
    rates: Mapping[str, str] | None = None,
    conditions: Sequence[str] = (),
) -> Statement:
    """A source of royalty lines; the real is worth one real. Shares ask about `conditions`."""
    worth = {currency: Decimal(rate) for currency, rate in (rates or {}).items()} | {"BRL": Decimal(1)}
    return Statement(totals=sum_lines(lines, conditions), held=held if held is not None else held_rows(), rates=worth)


def inputs(statements=(), **tables) -> Inputs:
    """What came in; a table that is not named is empty."""
    given = {name: empty_table(name) for name in ("payments", "payees", "shares", "advances")}
    given |= {"held_payments": held_rows(), "payee_problems": {}, "rows": NO_ROWS}
    return Inputs(statements=tuple(statements), files=(), issues=(), decisions=(), **(given | tables))


@dataclass
class Office:
    """One job and its ledger, reduced to what decisions look at.

    Attributes:
        job: The declaration.
        claims: What earlier runs sent.
        history: Carry-over and recoupment of other periods.
        verdicts: What is known of accounts.
        refused: Payment entries the service has refused.
        repeated: Files that were used before, and where.
        decisions: People's last words on payments rows.
        opened: What the last working out made of opening balances.
        contact_ids: Ids of the contacts the service told.
        claims_elsewhere: What was sent for this job and period under another payer or currency.
        on_hold: Why payees' money is held back, by tax id.
        journal: What earlier runs posted.
        opening_gone: Obligation keys that an opening balance said were paid outside, in a row that is gone.
    """

    job: Job = field(default_factory=job)
    claims: tuple[Claim, ...] = ()
    history: History = NOTHING_BEFORE
    verdicts: Mapping[str, CheckVerdict] = field(default_factory=dict)
    refused: frozenset[str] = frozenset()
    repeated: Mapping[str, str] = field(default_factory=dict)
    decisions: Mapping[str, Decision] = field(default_factory=dict)
    opened: Opened | None = None
    contact_ids: Mapping[str, str] = field(default_factory=dict)
    claims_elsewhere: tuple[Claim, ...] = ()
    on_hold: Mapping[str, str] = field(default_factory=dict)
    opening_gone: frozenset[str] = frozenset()
    journal: tuple[JournalEntry, ...] = ()

    @property
    def period(self) -> Period:
        return resolve_period(self.job.period, None)

    @property
    def identity(self):
        return identity_of(self.job, self.period)

    def compute_payables(self, came_in: Inputs) -> Payables:
        """Decide; every centavo of what came in must have a place, whatever the case is about."""
        snapshot = self.stand(came_in)
        payables = compute_payables(came_in, self.job, self.period, snapshot, self.verdicts)
        assert sum_cents(payables.obligations) == input_totals(came_in, snapshot.history.carried_in)
        return payables

    def stand(self, came_in: Inputs) -> LedgerSnapshot:
        """Say what bears on a plan, with the opening balances among what came in."""
        self.opened = open_balances(came_in, self.period, self.identity, history=self._history(), claims=self.claims)
        claims = (*self.claims, *self.opened.royalties_paid)
        paid, asked = self.opened.payments_paid, self.opened.in_question
        known = (self.refused, self.repeated, self.decisions)
        history, ids = self.opened.history, self.contact_ids
        return LedgerSnapshot(
            claims,
            history,
            *known,
            paid_outside=paid,
            in_question=asked,
            contact_ids=ids,
            claims_elsewhere=self.claims_elsewhere,
            on_hold=self.on_hold,
            opening_gone=self.opening_gone,
        )

    def _history(self) -> History:
        """What the journal says, beside what the case says of other periods."""
        if not self.journal:
            return self.history
        series = Series(self.job.job, self.job.payer.tax_id, self.job.currency)
        posted = history_of(state_of(self.journal, series, self.period.label, self.period.start))
        carried_in = Counter(posted.carried_in)
        carried_in.update(self.history.carried_in)
        return replace(posted, carried_in=carried_in, recouped={**posted.recouped, **self.history.recouped})

    def post(self, payables: Payables) -> None:
        """Remember what a run posts."""
        self.journal += payables.entries

    def plan(self, payables: Payables, arrays: Mapping[str, Arrays] | None = None) -> PaymentPlan:
        """Cut what is planned into batches."""
        most = self.job.rules.max_payments_per_batch
        return plan_batches(payables.obligations, self.identity, self.period, max_payments=most, arrays=arrays)

    def send(self, came_in: Inputs, **sent: object) -> PaymentPlan:
        """Plan, post, and remember the plan's payments as claimed by a submission."""
        payables = self.compute_payables(came_in)
        self.post(payables)
        return self.remember(self.plan(payables), **sent)

    def remember(self, plan: PaymentPlan, *, submission="rp-1", run="run-1", state=SubmissionState.PAID) -> PaymentPlan:
        """Take a plan as sent: one submission claims all its payments."""
        self.claims += tuple(
            Claim(p.obligation_key, p.base_key, p.reference, p.kind, p.payee, p.amount_cents, p.destination,
                  p.withheld, submission, state, run, self.period.label, plan.payer, plan.currency)
            for batch in plan.batches
            for p in batch.payments
        )  # fmt: skip
        return plan

    def give_up(self, submission: str, *payees: str) -> None:
        """Release what a submission claims, of all payees or of some."""
        self.claims = tuple(
            claim
            for claim in self.claims
            if claim.submission_id != submission or (payees and claim.payee not in payees)
        )

    def decide(self, kind: DecisionKind, came_in: Inputs) -> None:
        """Take a person's word on every payments row that is in conflict or held, as it stands."""
        self.decisions = dict(self.decisions) | {
            owed.base_key: Decision(
                owed.base_key, "", kind, owed.amount_cents, owed.destination, "bia", "a receipt", SAID_AT
            )
            for owed in self.compute_payables(came_in).obligations
            if owed.place in {"conflict", "held"}
        }

    def correct_payer(self, tax_id: str) -> None:
        """Pay under another payer from now on; what was sent was under the old one."""
        self.job = self.job.model_copy(update={"payer": self.job.payer.model_copy(update={"tax_id": tax_id})})
        self.claims_elsewhere, self.claims = (*self.claims_elsewhere, *self.claims), ()

    def under(self, **rules: object) -> "Office":
        """The same office under other rules."""
        return replace(self, job=job(rules=rules))
