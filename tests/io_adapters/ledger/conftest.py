"""Ledgers to test on: SQLite files, and a throw-away PostgreSQL where its programs are installed."""

import datetime as dt
import hashlib
import os
import shutil
import socket
import subprocess
import tempfile
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from io_adapters.ledger import Ledger, Owner, open_ledger
from schemas.plan import Approval, ApprovalKind, BatchPayment, PaymentBatch, PaymentPlan, obligation_key
from schemas.submission import Submission
from schemas.wire import amount_from_cents, canonical_json

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
    """A cluster on a free loopback port; the URL has no database name yet."""
    pg_ctl = max(Path("/usr/lib/postgresql").glob("*/bin/pg_ctl"), default=None) or shutil.which("pg_ctl")
    if pg_ctl is None:
        pytest.skip("PostgreSQL's programs are not installed")
    as_user: list[str] = []
    folder = Path(tempfile.mkdtemp(prefix="repasse-pg-"))
    if os.geteuid() == 0:  # PostgreSQL refuses to run as root
        if shutil.which("runuser") is None or _no_user_postgres():
            pytest.skip("PostgreSQL refuses to run as root, and there is no user postgres to run it as")
        as_user = ["runuser", "-u", "postgres", "--"]
        shutil.chown(folder, "postgres")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    data = folder / "data"

    def run(*arguments: str) -> None:
        subprocess.run(
            [*as_user, str(pg_ctl), "-D", str(data), *arguments],
            check=True,
            cwd=folder,
            timeout=60,
            stdout=subprocess.DEVNULL,
        )

    run("initdb", "-s", "-o", "--auth=trust --username=repasse --no-sync")
    options = f"-p {port} -k {folder} -c listen_addresses=127.0.0.1 -c fsync=off -c timezone=America/Sao_Paulo"
    run("-w", "-s", "-l", str(folder / "log"), "-o", options, "start")
    try:
        yield f"postgresql+psycopg://repasse@127.0.0.1:{port}"
    finally:
        run("-m", "immediate", "-s", "stop")
        shutil.rmtree(folder, ignore_errors=True)


def _no_user_postgres() -> bool:
    return subprocess.run(["id", "postgres"], check=False, capture_output=True).returncode != 0


@pytest.fixture(params=["sqlite", "postgresql"])
def ledger_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/home/ledger.db"
    import psycopg

    server = request.getfixturevalue("postgresql_server")
    name = f"ledger_{uuid.uuid4().hex}"
    with psycopg.connect(server.replace("+psycopg", "") + "/postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return f"{server}/{name}"


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
        return self.ledger.submissions.approve_plan(plan.digest, run_id, None, self.clock())

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
