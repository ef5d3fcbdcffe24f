"""A house with two jobs and three people, of whom one alone does what she likes: desk, terminal, Prefect, database.

The oracle is what the service received. No payment may leave that she alone has brought about, and no paid check
beyond what the house allows.
"""

import os
import re
import shutil
import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from hashlib import sha256
from http.client import FORBIDDEN
from pathlib import Path
from typing import Any, Final

import pytest
from starlette.testclient import TestClient
from typer.testing import CliRunner

from flows.cli import app
from flows.desk.app import Desk, create_app, opened_desk
from flows.desk.guard import DeskSettings
from flows.house_ledger import open_ledger_of
from flows.settings import read_settings
from schemas.approval import Role
from schemas.errors import RepasseError
from tests.flows.desk.office import ORIGIN, PASSWORD, RunsHere, hashed, routes_of
from tests.flows.jobs import PAYER, payee, payment, people, write_sheet
from tests.flows.oracle import Oracle

HER: Final = "Eva Cruz"
ANA: Final = "Ana Lima"
FIRST, SECOND = people(2)
AMOUNTS: Final = {"first": (1001, 2002), "second": (3003, 4004)}
HERS: Final = 6666
CHECKS_A_DAY: Final = 3
TABLES: Final = ("payees", "shares", "advances", "opening", "rates", "taxes", "invoices")
TWO_EYES_MORE: Final = "approval: {approvers: 2, identities: signed_in}\n"
POLICIES: Final = {
    "two must approve": "{approvers: 2, identities: signed_in%s}",
    "another must approve": "{identities: signed_in, other_than_preparer: true%s}",
    "no policy": "",
}


@dataclass
class Rooms:
    """Templates of houses, one for each policy, copied for each history.

    Attributes:
        folder: Where they lie.
        caps_checks: Whether the program knows a house's limits of checks.
    """

    folder: Path
    caps_checks: bool = True

    def build(self, policy: str) -> Path:
        """Make a house as it stands before anything happens in it; once."""
        house = self.folder / policy.replace(" ", "-")
        if house.exists():
            return house
        jobs = house / "jobs"
        jobs.mkdir(parents=True)
        write_sheet(jobs / "payees.xlsx", [payee(FIRST), payee(SECOND)])
        for name, amounts in AMOUNTS.items():
            rows = [
                payment(who, f"{cents // 100},{cents % 100:02}")
                for who, cents in zip((FIRST, SECOND), amounts, strict=True)
            ]
            keyless = [{header: text for header, text in row.items() if "have" not in header} for row in rows]
            write_sheet(jobs / f"{name}.xlsx", keyless)
            (jobs / f"{name}.yaml").write_text(job_text(name, f"{name}.xlsx") + TWO_EYES_MORE, encoding="utf-8")
        caps = f", account_checks: {{per_day: {CHECKS_A_DAY}, approval_above: 2}}" if self.caps_checks else ""
        if POLICIES[policy]:
            (house / "policy.yaml").write_text(POLICIES[policy] % caps, encoding="utf-8")
        if policy == "another must approve":
            for name in AMOUNTS:
                path = jobs / f"{name}.yaml"
                path.write_text(path.read_text("utf-8").replace(TWO_EYES_MORE, ""), encoding="utf-8")
        return house


def job_text(name: str, sheet: str, rule: str = "") -> str:
    return (
        f"job: {name}\npayer: {{tax_id: {PAYER}, name: Selo Aurora}}\nperiod: 2026-10\n"
        f"sources: [{{files: {sheet}, layout: payments}}]\npayees: payees.xlsx\n"
        "account_checks: {when: new_or_changed, budget: '25.00'}\n"
        'settle: {every_s: "0.1", for_s: "0.5"}\n'
        f"outputs: {{folder: out, statements: false, formats: [json]}}\n{rule}"
    )


FORGED: Final = job_text("forged", "first.xlsx", 'approval: {above: "1000000.00"}\n')


@dataclass
class House:
    """One history's house.

    Attributes:
        place: Its folder.
        policy: Which of `POLICIES` it is under.
        service: What was paid and checked.
        desk: The desk.
        launched: Digests of plans that she brought about.
        prepared: Digests of plans that somebody else did.
        actor: In whose name a run is started now.
        judged: The payments that were judged already, in centavos.
        roles: Hers.
    """

    place: Path
    policy: str
    service: Oracle
    desk: Desk
    roles: frozenset[Role]
    hands: dict[str, TestClient] = field(default_factory=dict)
    tokens: dict[str, str] = field(default_factory=dict)
    launched: set[str] = field(default_factory=set)
    prepared: set[str] = field(default_factory=set)
    actor: str = HER
    original: dict[str, bytes] = field(default_factory=dict)
    asks: bool = True
    checks_before: int = 0
    judged: list[int] = field(default_factory=list)

    @property
    def jobs(self) -> Path:
        return self.place / "jobs"

    # What a hand at the desk does; whatever is answered is let go.

    def page(self, path: str, who: str = HER) -> str:
        return self.hands[who].get(path).text

    def token(self, who: str = HER) -> str:
        """Return the token that forms bear as long as somebody is signed in."""
        if who not in self.tokens:
            found = re.search(r'name="token" value="([0-9a-f]+)"', self.page("/", who))
            self.tokens[who] = found[1] if found else ""
        return self.tokens[who]

    def post(self, path: str, who: str = HER, **fields: str) -> str:
        return self.answered(who, path, data=fields | {"token": self.token(who)})

    def bring(self, path: str, field_name: str, name: str, content: bytes, who: str = HER, **fields: str) -> str:
        parts = [("token", (None, self.token(who))), *((key, (None, text)) for key, text in fields.items())]
        return self.answered(who, path, files=[*parts, (field_name, (name, content))])

    def answered(self, who: str, path: str, **sent: Any) -> str:
        answer = self.hands[who].post(path, headers={"Origin": ORIGIN}, **sent)
        if answer.headers.get("location", "").startswith("/sign-in") or answer.status_code == FORBIDDEN:
            self.tokens.pop(who, None)
        return answer.headers.get("location", answer.text)

    def job_pages(self) -> list[str]:
        return [f"/jobs/{line.token}" for line in self.desk.jobs.list()]

    def launch(self, job: str, who: str, files: Sequence[tuple[str, bytes]] = ()) -> None:
        """Look at a job, with files or without, and start its payout."""
        source = next(
            (line.sources[0][0] for line in self.desk.jobs.list() if job.endswith(line.token) and line.sources), "1"
        )
        look = self.bring(f"{job}/preview", f"file:{source}", *(files[0] if files else ("", b"")), who=who)
        if not look.startswith("/previews/"):
            return
        found = self.desk.previews.get(look.rsplit("/", 1)[1])
        with suppress(Exception):
            found.future.result(30)
        nonce = re.search(r'name="launch" value="([^"]+)"', self.page(look, who))
        if nonce:
            self.post(f"{look}/launch", who, launch=nonce[1])

    def note_plans(self) -> None:
        """Note of each plan that was not there before who brought it about; she acts again from here on."""
        with open_ledger_of(read_settings()) as ledger:
            digests = {one.plan_digest for one in ledger.submissions.list(bodies=False)}
        (self.launched if self.actor == HER else self.prepared).update(digests - self.launched - self.prepared)
        self.actor = HER

    def paid_by(self, job: str) -> set[str]:
        """Return the digests of a job's plans that were approved."""
        with open_ledger_of(read_settings()) as ledger:
            plans = [ledger.plans.get(digest) for digest in self.launched | self.prepared]
            return {plan.digest for plan in plans if plan.job == job and plan.approved_at is not None}

    def take(self, job: str, table: str, name: str, content: bytes, adds: str) -> None:
        """Bring a file for a table, and take it whatever was said."""
        page = self.bring(f"{job}/tables/{table}", f"file:{table}", name, content, adds=adds)
        fields = {"sha256": sha256(content).hexdigest(), "name": name, "before": "", "adds": adds}
        shown = dict(re.findall(r'name="(sha256|name|before|adds)" value="([^"]*)"', page))
        fields |= shown if "sha256" in shown else {}
        self.post(f"{job}/tables/{table}/take", **fields)

    def drop(self, name: str, content: bytes) -> None:
        """Put a file into the folder of jobs, past the desk: nobody knows who has."""
        (self.jobs / name).write_bytes(content)

    def edit(self, job: str, change: tuple[str, str]) -> None:
        """Edit a declaration: a pattern, and what is written in its place."""
        page = self.page(f"{job}/files")
        text = self.page(f"{job}/job.yaml")
        before = re.search(r'name="before" value="([0-9a-f]+)"', page[page.find('id="declaration"') :])
        pattern, new = change
        edited = re.sub(pattern, new, text, flags=re.MULTILINE) if pattern else text + new
        self.post(f"{job}/declaration", text=edited, before=before[1] if before else "")

    def plans(self) -> list[tuple[str, int]]:
        with open_ledger_of(read_settings()) as ledger:
            digests = dict.fromkeys(one.plan_digest for one in ledger.submissions.list(bodies=False))
            return [(digest, ledger.plans.get(digest).total_cents) for digest in digests]

    def routes(self) -> list[str]:
        """Every address of the desk that takes a form."""
        found = {route.path for route in routes_of(self.hands[HER].app) if "POST" in route.methods}
        return sorted(found - {"/sign-in", "/sign-out"})

    def press(self, route: str, which: int, fields: dict[str, str]) -> None:
        """Send a form to an address, its parts filled in with what is there."""
        with open_ledger_of(read_settings()) as ledger:
            runs = [run.run_id for run in ledger.runs.list() if run.job]
            asked = [wanted.digest for wanted in ledger.check_requests.waiting(ledger.now())] if self.asks else []
        plans = [digest for digest, _ in self.plans()]
        jobs = [page.rsplit("/", 1)[1] for page in self.job_pages()]
        there = {"token": jobs, "run_id": runs, "digest": asked if "/checks/" in route else plans, "table": TABLES}
        there |= {"place": ("1", *TABLES)}
        filled = re.sub(r"{(\w+)}", lambda part: pick(there.get(part[1], ()), which), route)
        self.post(filled, **fields)

    # The terminal, Prefect and the database.

    def say(self, *words: str) -> None:
        CliRunner().invoke(app, list(words))

    def insert_approvals(self) -> None:
        """Write the yes of everybody into the database, past the program."""
        database = self.place / "home" / "ledger.db"
        with suppress(sqlite3.Error), sqlite3.connect(database, timeout=5) as connection:
            plans = connection.execute("SELECT digest, total_cents FROM plans").fetchall()
            for digest, total in plans:
                for by in ("Bia Reis", "Caio Nunes"):
                    row = (digest, by, "signed_in", total, "2026-01-01 00:00:00.000000", "2099-01-01 00:00:00.000000")
                    names = 'digest, "by", kind, total_cents, at, expires_at'
                    connection.execute(f"INSERT INTO approvals ({names}) VALUES (?, ?, ?, ?, ?, ?)", row)  # noqa: S608
        connection.close()

    # The verdict.

    def untrue(self) -> str:
        """Say what has left that must not; "" while all is well."""
        checks = self.service.checks - self.checks_before
        if self.policy != "no policy" and checks > CHECKS_A_DAY:
            return f"{checks} paid checks"
        received = self.service.paid
        paid = sorted((Counter(received) - Counter(self.judged)).elements())
        self.judged = received  # what she changes later was not what it was paid on
        if not paid:
            return ""
        if self.policy != "another must approve":
            return f"paid with one person's yes: {paid}"
        for name, amounts in AMOUNTS.items():
            if not set(paid) & set(amounts):
                continue
            if Role.APPROVER not in self.roles or self.paid_by(name) - self.prepared:
                return f"{name} was paid by her alone"
            changed = [file for file in (f"{name}.yaml", f"{name}.xlsx", "payees.xlsx") if self.changed(file)]
            if changed:
                return f"{name} was paid on {', '.join(changed)} that she wrote"
        strange = set(paid) - {cents for amounts in AMOUNTS.values() for cents in amounts}
        return f"what she wrote was paid: {sorted(strange)}" if strange else ""

    def changed(self, file: str) -> bool:
        path = self.jobs / file
        return not path.is_file() or path.read_bytes() != self.original[file]


def pick(some: Sequence[str], which: int) -> str:
    return some[which % len(some)] if some else "x"


@contextmanager
def opened_house(template: Path, place: Path, policy: str, service: Oracle, roles: frozenset[Role]) -> Iterator[House]:
    """Open a house: its desk, with Ana and her signed in."""
    shutil.copytree(template, place)
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("REPASSE_")]:
            patch.delenv(name)
        patch.delenv("PREFECT_API_URL", raising=False)
        settings = {"HOME": str(place / "home"), "JOBS": str(place / "jobs"), "API_URL": service.url}
        settings |= {"API_KEY": service.api_key}
        if (place / "policy.yaml").is_file():
            settings["POLICY"] = str(place / "policy.yaml")
        for name, value in settings.items():
            patch.setenv(f"REPASSE_{name}", value)
        with ExitStack() as stack:
            desk = stack.enter_context(opened_desk(read_settings(), place / "jobs", RunsHere()))
            with open_ledger_of(read_settings()) as ledger:
                for name, own in (
                    (ANA, {Role.PREPARER}),
                    (HER, roles),
                    ("Bia Reis", {Role.APPROVER}),
                    ("Caio Nunes", set(Role)),
                ):
                    ledger.desk_users.add(name, own, hashed())
                original = {path.name: path.read_bytes() for path in (place / "jobs").iterdir() if path.is_file()}
                for content in original.values():
                    ledger.authors.record(sha256(content).hexdigest(), ANA)
            house = House(place, policy, service, desk, roles, original=original, checks_before=service.checks)
            limits = DeskSettings(uploads=place / "home" / "uploads", upload_limit_bytes=1_000_000)
            for name in (ANA, HER):
                hand = TestClient(
                    create_app(desk, limits), base_url=ORIGIN, follow_redirects=False, raise_server_exceptions=False
                )
                house.hands[name] = stack.enter_context(hand)
                page = hand.get("/sign-in").text
                token = re.search(r'name="token" value="([0-9a-f]+)"', page)[1]
                hand.post(
                    "/sign-in", data={"token": token, "name": name, "password": PASSWORD}, headers={"Origin": ORIGIN}
                )
            yield house


@contextmanager
def without(name: str) -> Iterator[None]:
    """Take a variable out of the environment for a moment, as whoever types in a terminal can."""
    kept = os.environ.pop(name, None)
    try:
        with suppress(RepasseError):
            yield
    finally:
        if kept is not None:
            os.environ[name] = kept
