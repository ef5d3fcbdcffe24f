"""Ledgers to test on: SQLite files, and a throw-away PostgreSQL where its programs are installed."""

import datetime as dt
import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from io_adapters.ledger.leases import Owner
from io_adapters.ledger.ledger import Ledger, open_ledger
from schemas.messages import Message
from schemas.plan import Approval, ApprovalKind, BatchPayment, PaymentBatch, PaymentPlan, obligation_key
from schemas.submission import Submission
from schemas.wire import amount_from_cents, canonical_json
from tests.throwaway_postgresql import new_database, opened_cluster

SERVICE = "https://payouts.example/external"


class Clock:
    """A clock that stands still until it is told to move."""

    def __init__(self) -> None:
        self.moment = dt.datetime(2026, 11, 20, 9, 0, tzinfo=dt.UTC)

    def __call__(self) -> dt.datetime:
        return self.moment

    def move(self, **by: float) -> None:
        self.moment += dt.timedelta(**by)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[str]:
    with opened_cluster() as url:
        yield url


# On PostgreSQL each time: claims and sending, which are transactions; the other subjects in the long run.
@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.long)])
def ledger_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/home/ledger.db"
    return new_database(request.getfixturevalue("postgresql_server"))


@pytest.fixture
def ledger(ledger_url: str, clock: Clock) -> Iterator[Ledger]:
    with open_ledger(ledger_url, clock=clock) as opened:
        yield opened


@pytest.fixture
def me() -> Owner:
    return Owner.current("run-1")


def plan_of(*batches: dict[str, int], job: str = "aurora-royalties", period: str = "2026-10") -> PaymentPlan:
    """Make a plan; each batch says how many centavos each payee gets."""
    return PaymentPlan(
        job=job,
        payer="payer",
        period=period,
        currency="BRL",
        batches=tuple(_batch(number, batch, job, period) for number, batch in enumerate(batches, start=1)),
    )


def _batch(number: int, amounts: dict[str, int], job: str, period: str) -> PaymentBatch:
    payments = tuple(
        BatchPayment(
            obligation_key=key_of(payee, job, period),
            base_key=key_of(payee, job, period),
            reference="",
            kind="royalty",
            payee=payee,
            amount_cents=cents,
            destination=f"fingerprint of {payee}",
            withheld=False,
        )
        for payee, cents in amounts.items()
    )
    total = sum(amounts.values())
    entries = [
        {
            "taxId": p.payee,
            "name": "Júlia",
            "amount": amount_from_cents(p.amount_cents),
            "extPaymentId": p.obligation_key,
        }
        for p in payments
    ]
    content = {"taxId": "payer", "amount": amount_from_cents(total), "payments": entries, "currency": "BRL"}
    return PaymentBatch(number, canonical_json(content), payments, owner_cents=0, amount_cents=total)


def key_of(payee: str, job: str = "aurora-royalties", period: str = "2026-10") -> str:
    return obligation_key(job, "payer", payee, period, "BRL", "")


class Desk:
    """What people and flows do with a ledger, in as few words as tests need."""

    def __init__(self, ledger: Ledger, clock: Callable[[], dt.datetime]) -> None:
        self.ledger = ledger
        self.clock = clock

    def store(self, plan: PaymentPlan, run_id: str = "run-1") -> list[Submission]:
        return self.ledger.plans.store(plan, run_id, "Ana", SERVICE)

    def sign(self, plan: PaymentPlan, by: str = "Ana", hours: float = 24) -> None:
        at = self.clock()
        approval = Approval(plan.digest, by, ApprovalKind.PERSON, plan.total_cents, at, at + dt.timedelta(hours=hours))
        self.ledger.approvals.record(approval)

    def approve(self, plan: PaymentPlan, run_id: str = "run-1") -> list[Submission]:
        self.store(plan, run_id)
        self.sign(plan)
        return self.ledger.submissions.approve_plan(plan.digest, run_id, (), self.clock())

    def take(self, submission: Submission, owner: Owner) -> bool:
        body = self.ledger.submissions.get(submission.id).body
        return self.ledger.submissions.take_for_sending(
            submission.id,
            owner,
            owner.run_id,
            body_sha256=hashlib.sha256(body).hexdigest(),
            deadline_at=self.clock() + dt.timedelta(seconds=60),
        )


@pytest.fixture
def desk(ledger: Ledger, clock: Clock) -> Desk:
    return Desk(ledger, clock)


@pytest.fixture
def make_desk() -> Callable[[Ledger, Callable[[], dt.datetime]], Desk]:
    return Desk


@pytest.fixture
def make_plan() -> Callable[..., PaymentPlan]:
    return plan_of


@pytest.fixture
def key() -> Callable[..., str]:
    return key_of


def evidence(text: str) -> Message:
    """A reason in a person's words."""
    return Message("attempt.evidence", text=text)
