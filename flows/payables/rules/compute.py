"""Computing a plan from inputs: what is owed, claimed, held and left to pay."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction

from flows.intake.rules.hold_lines import HELD_FOR
from flows.intake.rules.inputs import Inputs
from flows.payables.rules.account_checks import CheckVerdict, hold_unchecked
from flows.payables.rules.claims import claim
from flows.payables.rules.institutions import hold_unlisted
from flows.payables.rules.journal_entries import PeriodToPost, entries_of
from flows.payables.rules.left_out import REASON as REPEATED
from flows.payables.rules.left_out import rows_besides, set_aside
from flows.payables.rules.obligations import (
    Arrays,
    RowsByPayee,
    break_down,
    owe_owner,
    owe_payments,
    owe_royalties,
    owe_taxes,
    owe_unreadable,
    rows_by_payee,
)
from flows.payables.rules.plan_batches import fill_contact_ids, hold_refused
from flows.payables.rules.returned import claims_where_rows_go, owe_returned, told_in
from flows.royalties.rules.allocation import (
    Allocation,
    RoundedEarnings,
    allocate,
    join_allocations,
    round_earnings,
    with_guarantees,
)
from flows.royalties.rules.assets import LEVELS
from flows.royalties.rules.balances import (
    Conditions,
    History,
    Royalties,
    ToInvoice,
    work_out_balances,
)
from flows.royalties.rules.deals import UNMATCHED, Deals
from flows.royalties.rules.deals_over_periods import MovedTier, SettledDeals, moved_tiers, settle_deals
from flows.royalties.rules.guarantees import settle_guarantees
from flows.royalties.rules.parts import OWNER_ROLE
from flows.royalties.rules.recoupment import Recoupable, columns_of_scopes, recoupable_of
from flows.royalties.rules.reserves import reserves_of
from flows.royalties.rules.terms import invoiced_of, terms_of
from schemas.approval import Decision, DecisionKind
from schemas.deal_sums import DealsBefore, DealSums
from schemas.errors import UnsoundPlan
from schemas.issues import FOUND_AFTER_READING, IssueCode
from schemas.job import Breakdown, Job, Period
from schemas.journal import JournalEntry, cause_of_statements
from schemas.messages import Listed, Message
from schemas.obligation import Obligation, Obligations
from schemas.plan import JobIdentity, Place
from schemas.reasons import reasons_of
from schemas.returns import Returned
from schemas.sources import UsedSource
from schemas.submission import Claim
from schemas.tables.model import DataFrame, records
from schemas.tables.royalties import Earnings, PayeeBalances, TerritoryEarnings
from schemas.wire import Institution


@dataclass(frozen=True, slots=True)
class LedgerSnapshot:
    """What the ledger knows that bears on a plan.

    Attributes:
        repeated: File name -> where all of it was used before.
        decisions: Obligation key -> the last word people said on that payments row.
        paid_outside: Obligation key of a payments row -> centavos that were paid for it outside Repasse.
        in_question: Tax id -> codes, of payees of whom an opening balance is wrong: what they are owed is not known.
        contact_ids: Exact tax id -> id of its contact, of the contacts the service told.
        institutions: ISPB -> institution, as the service lists them; empty where no list was ever read.
        on_hold: Tax id -> code, of payees whose money people hold back on the day of the run.
        used: What the run uses of invoices, and of what opening balances say was paid outside.
        doubtful_advances: Tax id -> code, of payees with an advance that may be one which the journal knows.
        returned: All that came back of what the job has paid, in whatever period.
        tell_deducted: Whether payments say what was recouped and withheld before they were what they are.
    """

    claims: tuple[Claim, ...]
    history: History
    refused: frozenset[str] = frozenset()
    repeated: Mapping[str, str] = field(default_factory=dict)
    decisions: Mapping[str, Decision] = field(default_factory=dict)
    elsewhere: tuple[Claim, ...] = ()
    claims_elsewhere: tuple[Claim, ...] = ()
    paid_outside: Mapping[str, int] = field(default_factory=dict)
    in_question: Mapping[str, str] = field(default_factory=dict)
    contact_ids: Mapping[str, str] = field(default_factory=dict)
    institutions: Mapping[str, Institution] = field(default_factory=dict)
    on_hold: Mapping[str, str] = field(default_factory=dict)
    used: tuple[UsedSource, ...] = ()
    opening_gone: frozenset[str] = frozenset()
    doubtful_advances: Mapping[str, str] = field(default_factory=dict)
    replaced: frozenset[str] = frozenset()
    moves: tuple[JournalEntry, ...] = ()
    returned: tuple[Returned, ...] = ()
    waiting: tuple[Message, ...] = ()
    epoch: int = field(default=0, compare=False)
    tell_deducted: bool = False


@dataclass(frozen=True, slots=True)
class Payables:
    """What is owed, and where every centavo is so far."""

    obligations: Obligations
    balances: DataFrame[PayeeBalances]
    allocation: Allocation
    entries: tuple[JournalEntry, ...]
    royalties: Royalties
    moved_tiers: Sequence[MovedTier] = ()

    @property
    def to_invoice(self) -> Mapping[str, ToInvoice]:
        """Tax id -> what is to be invoiced and what is, of payees of whom something waits for it."""
        return self.royalties.to_invoice

    @property
    def taxes_cents(self) -> dict[str, Mapping[str, int]]:
        """Obligation key -> kind of tax -> centavos withheld with its payment."""
        return {
            obligation.key: self.royalties.to_withhold[obligation.payee.tax_id]
            for obligation in self.obligations
            if obligation.kind == "royalty"
            and obligation.place is Place.PLANNED
            and obligation.payee.tax_id in self.royalties.to_withhold
        }

    @property
    def earnings(self) -> DataFrame[Earnings]:
        """By payee, asset and platform; made anew each time."""
        return self.allocation.earnings

    @property
    def territories(self) -> DataFrame[TerritoryEarnings]:
        return self.allocation.territories

    def arrays(self, wanted: Breakdown) -> dict[str, Arrays]:
        """Return what payments are made of, by obligation key, as far as a job declares it: see `break_down`."""
        return break_down(wanted, self.obligations, self.earnings, self.territories) if wanted.declared else {}


def identity_of(job: Job, period: Period) -> JobIdentity:
    """Return what every key of the job rests on."""
    return JobIdentity(job.job, job.payer.tax_id, period.label, job.currency)


def compute_payables(
    inputs: Inputs, job: Job, period: Period, snapshot: LedgerSnapshot, verdicts: Mapping[str, CheckVerdict]
) -> Payables:
    """Decide who is owed what, what is claimed already, and what may be paid.

    Args:
        verdicts: Check fingerprint -> what is known of the account; an account without one is taken as payable.

    Raises:
        UnsoundPlan: shares above 100 %, or what the job's rules call an error.
    """
    unsound = rows_besides(inputs, snapshot.repeated)
    inputs, old = set_aside(inputs, snapshot.repeated)
    allocation, settled = share_out(inputs, job, period, snapshot.history.journal.deals)
    guarantees = settle_guarantees(inputs.guarantees, allocation, period, snapshot.history.journal.deals)
    allocation = with_guarantees(allocation, guarantees.owed, job.currency)
    rounded = _rounded(allocation, inputs, job, old.lines_cents)
    problems = {**snapshot.on_hold, **snapshot.doubtful_advances, **snapshot.in_question, **inputs.tax_problems}
    problems |= {**inputs.advance_problems, **inputs.payee_problems}
    problems |= dict.fromkeys(snapshot.replaced - problems.keys(), IssueCode.TAXID_REPLACED.value)
    identity = identity_of(job, period)
    of_royalties = set(rounded.payees) | snapshot.history.payees
    for tax_id in of_royalties if snapshot.opening_gone else ():
        if identity.royalty_key(tax_id) in snapshot.opening_gone:
            problems.setdefault(tax_id, IssueCode.OPENING_GONE.value)
    unsure = {*snapshot.in_question, *snapshot.doubtful_advances}
    unsure |= {*inputs.advance_problems, *inputs.recouped_in_question}
    strangers = of_royalties - set(inputs.payees["tax_id"].tolist()) - set(inputs.payee_problems)
    # One of them is whoever a row is of that does not say so, perhaps with terms of their own.
    unsure |= strangers if "" in inputs.payee_problems else set()
    for tax_id in strangers - set(problems):
        problems[tax_id] = IssueCode.TAXID_UNKNOWN_PAYEE.value
    recoupable = Recoupable({}, {})
    if job.rules.recoup_advances:
        earned = allocation.earned_by(["tax_id", *columns_of_scopes(inputs.advances)])
        recoupable = recoupable_of(inputs.advances, earned, period.end.isoformat())
    terms = terms_of(inputs.terms, job.rules, period, inputs.taxes)
    conditions = Conditions(
        terms,
        unsure=unsure,
        invoiced=invoiced_of(inputs.terms, inputs.invoices, period),
        reserves=reserves_of(snapshot.history.journal.deals, settled.sums, period),
    )
    case = _Case(
        inputs=inputs,
        job=job,
        period=period,
        snapshot=snapshot,
        verdicts=verdicts,
        allocation=allocation,
        rounded=rounded,
        recoupable=recoupable,
        conditions=conditions,
        repeated=old.payments,
        unsound_rows=unsound,
        deal_sums={**settled.sums, **guarantees.sums},
        moved_tiers=moved_tiers(
            settled, snapshot.history.journal.deals_here, snapshot.history.journal.deals, period.start
        ),
    )
    payables = case.decide(problems)
    unpayable = _held_by_checks(payables, problems)
    # What cannot be paid is held whole: no advance is recouped from it, nothing of it is carried.
    return case.decide(problems | unpayable) if unpayable else payables


@dataclass(frozen=True, slots=True)
class _Case:
    inputs: Inputs
    job: Job
    period: Period
    snapshot: LedgerSnapshot
    verdicts: Mapping[str, CheckVerdict]
    allocation: Allocation
    rounded: RoundedEarnings
    recoupable: Recoupable
    conditions: Conditions
    repeated: Sequence[Obligation]
    unsound_rows: Collection[tuple[str, str]]
    deal_sums: DealSums
    moved_tiers: Sequence[MovedTier]

    @property
    def identity(self) -> JobIdentity:
        return identity_of(self.job, self.period)

    def decide(self, problems: Mapping[str, str]) -> Payables:
        """Work out, owe, claim and hold; `problems` says who cannot be paid for now, and why."""
        inputs, snapshot, known = self.inputs, self.snapshot, rows_by_payee(self.inputs.payees)
        named: RowsByPayee = {**{row["tax_id"]: row for row in records(inputs.held_payees)}, **known}
        royalties = work_out_balances(
            self.rounded,
            self.recoupable,
            snapshot.history,
            {tax_id: row["name"] for tax_id, row in named.items()},
            snapshot.claims,
            replace(self.conditions, held=set(problems)),
        )
        owner_of_rows_cents = int(inputs.payments["owner_amount_cents"].sum())
        owner_cents = self.rounded.owner_cents + owner_of_rows_cents
        obligations = [
            *self._questioned(owe_payments(inputs.payments, known, inputs.payee_problems, self.identity)),
            *_owe_held_rows(inputs, known),
            *self.repeated,
            *owe_royalties(
                royalties,
                self.rounded,
                named,
                problems,
                self.identity,
                self.conditions.terms,
                tell_deducted=snapshot.tell_deducted,
            ),
            *owe_taxes(royalties.taxed, named),
            *owe_owner(owner_cents, self.job.payer.name, self.identity, self._stated_before(owner_cents)),
        ]
        claimed = claim(
            fill_contact_ids(obligations, snapshot.contact_ids),
            claims_where_rows_go(snapshot.claims, obligations, snapshot.returned),
            snapshot.decisions,
            self.identity,
            snapshot.paid_outside,
            claims_elsewhere=snapshot.claims_elsewhere,
            unsound_rows=self.unsound_rows,
        )
        told = told_in(snapshot.returned, self.period.label)
        owed_again = owe_returned(told, named, obligations, problems, self._asked)
        again = fill_contact_ids(owed_again, snapshot.contact_ids)
        listed = hold_unlisted((*claimed, *again), snapshot.institutions)
        checked = hold_unchecked(listed, self.verdicts, ownership=self.job.account_checks.ownership)
        allowed = hold_refused(checked, snapshot.refused, self._decided_to_pay())
        to_post = PeriodToPost(
            identity=self.identity,
            start=self.period.start,
            history=snapshot.history,
            rounded=self.rounded,
            recoupable=self.recoupable,
            royalties=royalties,
            obligations=allowed,
            claims=snapshot.claims,
            paid_outside=snapshot.paid_outside,
            owner_of_rows_cents=owner_of_rows_cents,
            opening_gone=snapshot.opening_gone,
            doubtful_advances=snapshot.doubtful_advances,
            deal_sums=self.deal_sums,
            statements=cause_of_statements(
                file.content_sha256
                for file in inputs.files
                if any(file.name in statement.files for statement in inputs.statements)
            ),
        )
        return Payables(
            allowed,
            royalties.balances,
            self.allocation,
            (*snapshot.moves, *entries_of(to_post)),
            royalties,
            self.moved_tiers,
        )

    def _stated_before(self, owner_cents: int) -> int:
        """Return what of the owner's part reports of other periods have stated too much, as far as it is not stated."""
        others = self.snapshot.history.journal.owner.values()
        excess = max(0, sum(stated - own for own, stated in others if stated))
        stated = sum(claim.amount_cents for claim in self.snapshot.claims if claim.kind == "owner")
        return min(excess, max(0, owner_cents - stated))

    def _decided_to_pay(self) -> frozenset[str]:
        return frozenset(key for key, decision in self.snapshot.decisions.items() if decision.kind is DecisionKind.PAY)

    @property
    def _asked(self) -> dict[str, str]:
        return {**self.snapshot.on_hold, **self.snapshot.in_question}

    def _questioned(self, payments: Sequence[Obligation]) -> list[Obligation]:
        """Hold the payments of people whose money is held back, or of whom it is in question what was paid outside."""
        asked = self._asked
        gone = dict.fromkeys(self.snapshot.opening_gone, IssueCode.OPENING_GONE.value)

        def held(obligation: Obligation) -> Obligation:
            code = asked.get(obligation.payee.tax_id) or gone.get(obligation.base_key)
            return replace(obligation, place=Place.HELD, reasons=reasons_of(code)) if code else obligation

        return [held(obligation) if obligation.place is Place.PLANNED else obligation for obligation in payments]


def share_out(inputs: Inputs, job: Job, period: Period, before: DealsBefore) -> tuple[Allocation, SettledDeals]:
    """Share out what came in; whatever lets no plan be made of it is found here.

    Raises:
        UnsoundPlan: shares above 100 %, a currency without a rate, a row that does not say whose or of what it is, or
            what the job's rules call an error.
    """
    for held, problem in ((inputs.shares_in_question, "share"), (inputs.costs_in_question, "cost")):
        if not held["asset_read"].all():
            raise UnsoundPlan(Message(f"error.{problem}_of_nothing"))
    deals = Deals(inputs.shares, inputs.costs, inputs.shares_in_question, inputs.costs_in_question)
    first_day = period.start.isoformat()
    for statement in inputs.statements:
        used = statement.totals.currencies | set(statement.held["currency"]) - {""}
        missing = sorted(used - set(statement.rates))
        if missing:
            raise UnsoundPlan(Message("error.no_rate", currencies=", ".join(missing)))
    settled = settle_deals(
        [(statement.totals, statement.rates) for statement in inputs.statements],
        deals,
        first_day=first_day,
        last_day=period.end.isoformat(),
        before=before,
    )
    joined = join_allocations(
        [
            allocate(statement.totals, deals, rates=statement.rates, first_day=first_day, settled=settled)
            for statement in inputs.statements
        ]
    )
    _check_rules(joined, job)
    for problems, problem in ((inputs.advance_problems, "advance"), (inputs.tax_problems, "tax")):
        if "" in problems:
            raise UnsoundPlan(Message(f"error.{problem}_of_nobody"))
    return joined, settled


def _check_rules(allocation: Allocation, job: Job) -> None:
    for rule, role, problem in (
        (job.rules.unmatched, UNMATCHED, "unshared"),
        (job.rules.owner, OWNER_ROLE, "remainder"),
    ):
        if rule != "error":
            continue
        earnings = allocation.columns(["tax_id", "role", *LEVELS])
        found = earnings[(earnings["role"] == role) & (earnings["tax_id"] == "")]
        if len(found):
            names = found[list(LEVELS)].drop_duplicates().itertuples(index=False, name=None)
            assets = sorted({next(filter(None, named), "") for named in names})
            more = (Message("error.more_assets", count=len(assets) - 10),) if len(assets) > 10 else ()
            raise UnsoundPlan(Message(f"error.{problem}", assets=Listed((*assets[:10], *more))))


def _rounded(allocation: Allocation, inputs: Inputs, job: Job, repeated_cents: Fraction) -> RoundedEarnings:
    held, aside = Fraction(0), {REPEATED: repeated_cents}
    for statement in inputs.statements:
        lines = statement.held
        for amount, currency, codes in zip(lines["amount"], lines["currency"], lines["codes"], strict=True):
            cents = Fraction(amount or 0) * Fraction(statement.rates.get(currency, Decimal(0))) * 100
            if codes in HELD_FOR:
                aside[codes] = aside.get(codes, Fraction(0)) + cents
            else:
                held += cents
    to_owner = job.rules.unmatched == "owner"
    earnings = allocation.earned_by(["tax_id", "role"])
    return round_earnings(earnings, held_cents=held, aside_cents=aside, unmatched_to_owner=to_owner)


def _owe_held_rows(inputs: Inputs, known: RowsByPayee) -> list[Obligation]:
    """Payments rows with problems: nothing of them is sent; what they say, where readable, stays in sight."""
    return [
        owe_unreadable(row, known.get(row["tax_id"], {}), Place.HELD, reasons_of(row["codes"]))
        for row in records(inputs.held_payments)
    ]


def _held_by_checks(payables: Payables, problems: Mapping[str, str]) -> dict[str, str]:
    """Payees of royalties whose account was found wanting; who waits for an invoice is recouped from all the same."""
    known = {*problems, *payables.to_invoice}
    return {
        obligation.payee.tax_id: obligation.code
        for obligation in payables.obligations
        if obligation.kind == "royalty"
        and obligation.place is Place.HELD
        and obligation.code in FOUND_AFTER_READING
        and obligation.payee.tax_id not in known
    }
