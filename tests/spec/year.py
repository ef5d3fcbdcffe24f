"""A label over months: each run finds what the ledger says and leaves in it what the next one finds."""

import datetime as dt
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import count

from flows.intake.rules.inputs import Inputs, left_of_advances
from flows.payables.rules.compute import Payables
from flows.royalties.rules.balances import History, history_of
from io_adapters.ledger.journal import Journal
from schemas.job import Job, resolve_period
from schemas.journal import (
    ClaimedSum,
    EntryKind,
    JournalEntry,
    Posting,
    Series,
    entry_id,
    postings_of,
    where_claims_are,
)
from schemas.plan import PaymentPlan
from schemas.submission import Claim, SubmissionState
from tests.spec.office import Office, inputs, job, statement
from tests.spec.tables import CPF, RECORDINGS, Row, advances, lines, opening, payees, reais, shares, table

_JOBS = count(1)
HEADER = "| recording | amount |"


@dataclass
class Calendar:
    """A ledger's clock, in which every run is in a month of its own."""

    now: dt.datetime = dt.datetime(2026, 11, 20, tzinfo=dt.UTC)

    def __call__(self) -> dt.datetime:
        return self.now

    def next_month(self) -> dt.date:
        self.now += dt.timedelta(days=31)
        return self.now.date()


@dataclass
class Year:
    """A job and its ledger. Whatever is planned is sent and paid at once.

    Attributes:
        journal: The ledger's own journal.
        calendar: Its clock.
        rules: The job's rules; they may change between runs.
        known: Who is in the payees table.
        paid_ahead: The advances table, drawn.
        balances: The opening balances, drawn.
        office: The office of the last run.
    """

    journal: Journal
    calendar: Calendar
    rules: dict[str, object] = field(default_factory=dict)
    known: tuple[str, ...] = ("ana", "bia")
    paid_ahead: str = ""
    balances: str = ""
    office: Office = field(default_factory=Office)
    _claims: dict[str, tuple[Claim, ...]] = field(default_factory=dict)
    _sent: dict[str, list[JournalEntry]] = field(default_factory=dict)
    _number: int = field(default_factory=lambda: next(_JOBS))

    def job_of(self, month: str) -> Job:
        return job(job=f"selo-{self._number}", period=month, rules=self.rules)

    def history(self, month: str) -> History:
        """What the journal says a month finds."""
        period = resolve_period(month, None)
        return history_of(self.journal.state(self.series, period.label, period.start, self.calendar.now.date()))

    @property
    def series(self) -> Series:
        declared = self.job_of("2026-01")
        return Series(declared.job, declared.payer.tax_id, declared.currency)

    def came_in(self, month: str, earned: Mapping[str, str], of: str = "ana") -> Inputs:
        """A month's statement of which somebody has everything: recording -> amount."""
        drawn = "\n".join([HEADER, *(f"| {recording} | {amount} |" for recording, amount in earned.items())])
        whole = shares(f"| payee | share |\n| {of} | 100 |")
        return self.opened(month, inputs([statement(lines(drawn))], payees=payees(*self.known), shares=whole))

    def opened(self, month: str, came_in: Inputs, **tables: object) -> Inputs:
        """The same with this year's advances and opening balances, as the reader hands them on."""
        declared = opening(self.balances) if self.balances else came_in.opening
        ahead = advances(self.paid_ahead) if self.paid_ahead else came_in.advances
        left = left_of_advances(ahead, declared, resolve_period(month, None))
        return replace(came_in, opening=declared, advances=left, **tables)

    def run(self, month: str, came_in: Inputs) -> Payables:
        """Work a month out, send what is planned, and post what it leaves."""
        self.calendar.next_month()
        declared = self.job_of(month)
        self.office = Office(job=declared, claims=self._claims.get(month, ()), history=self.history(month))
        payables = self.office.compute_payables(came_in)
        self._send_and_post(month, payables)
        return payables

    def _send_and_post(self, month: str, payables: Payables) -> None:
        name = f"rp-{self._number}-{month}-{self.calendar.now:%Y-%m-%d}"
        plan = self.office.remember(self.office.plan(payables), submission=name)
        self._claims[month] = self.office.claims
        sent = self._entry(month, name, self._sums(plan, payables))
        self._sent.setdefault(month, []).append(sent)
        self.journal.post((*payables.entries, sent), "run")

    def _sums(self, plan: PaymentPlan, payables: Payables) -> list[ClaimedSum]:
        taxes = payables.taxes_cents
        return [
            ClaimedSum(p.obligation_key, p.base_key, p.kind, p.payee, p.amount_cents, taxes.get(p.obligation_key, {}))
            for batch in plan.batches
            for p in batch.payments
        ]

    def _entry(self, month: str, name: str, sums: list[ClaimedSum]) -> JournalEntry:
        period = resolve_period(month, None)
        postings = postings_of(where_claims_are(self.series, sums, SubmissionState.PAID))
        about = (self.series, period.label, period.start, name, postings)
        return JournalEntry(entry_id(EntryKind.SEND, name), EntryKind.SEND, *about)

    def fail(self, month: str) -> None:
        """All reports of a month failed for certain: nothing of it was paid, and nothing of it is claimed."""
        self._claims[month] = ()
        for sent in self._sent.pop(month, []):
            back = tuple(Posting(posting.account, -posting.amount_cents) for posting in sent.postings)
            name = entry_id(EntryKind.RELEASE, sent.id)
            self.journal.post([replace(sent, id=name, kind=EntryKind.RELEASE, postings=back)], "run")

    def paid(self, payee: str = "") -> int:
        """Centavos ever paid to somebody (a tax id), or to everybody but the owner."""
        claims = [claim for month in self._claims.values() for claim in month if claim.kind != "owner"]
        return sum(claim.amount_cents for claim in claims if payee in {"", claim.payee})

    def plays(self, text: str, of: str = "ana") -> bool:
        """Run months as a drawn table says, in its order, and hold each run's result against its row.

        month and the names of recordings say what somebody earned in all; the other columns what the run came to:
        recouped, carried in, carried out, held, paid before, paid now, and question (a code).

        Raises:
            AssertionError: it came to something else; shows what was found, drawn the same way.
        """
        expected = table(text)
        found = []
        for row in expected:
            earned = {name: amount for name, amount in row.items() if name in RECORDINGS and amount}
            payables = self.run(row["month"], self.came_in(row["month"], earned, of))
            told = _told(payables, self.office, of)
            found.append({name: told.get(name, row[name]) for name in row})
        if found != expected:
            shown = [" | ".join(expected[0]), *(" | ".join(row.values()) for row in found)]
            raise AssertionError("found instead:\n" + "\n".join(shown))
        return True


def _told(payables: Payables, office: Office, payee: str) -> Row:
    own = [owed for owed in payables.obligations if owed.payee.tax_id == CPF[payee]]
    sums = Counter[str]()
    for owed in own:
        sums[owed.place] += owed.amount_cents
    history = office.opened.history if office.opened else office.history
    return {
        "recouped": reais(sums["recouped"]),
        "carried in": reais(history.carried_in.get(CPF[payee], 0)),
        "carried out": reais(sums["carried"]),
        "held": reais(sums["held"]),
        "paid before": reais(sums["duplicate"]),
        "paid now": reais(sums["planned"]),
        "question": office.opened.in_question.get(CPF[payee], "") if office.opened else "",
    }
