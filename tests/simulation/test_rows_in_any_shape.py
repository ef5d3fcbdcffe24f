"""Rows that are split, merged, amended in any two respects and run elsewhere, in any order: nobody gets more than owed.

The oracle is what the provider was asked to pay to each person, under whatever document and account, against the most
that the files ever said that person is owed. Nobody says a word, so nothing may go beyond that.
"""

import os
import shutil
import tempfile
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import event
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from flows.launch import start_payout
from flows.run_options import RunOptions
from flows.runner import RunReport
from schemas.errors import ExitCode
from schemas.values.money import format_cents
from tests.flows.jobs import declare, payment, write_sheet
from tests.sampled import histories
from tests.simulation.conftest import SHARED_MEMORY
from tests.simulation.editing_office import ABOVE_ALL, COMPANIES, NEVER, PEOPLE, opened_office
from tests.simulation.office import Silence
from tests.simulation.provider import cents_of

pytestmark = [pytest.mark.long, pytest.mark.timeout(3600)]

WHICH: Final = st.integers(0, 99)
PERSONS: Final = 4
RESPECTS: Final = ("reference", "amount", "account", "document")
ASKS: Final = {ExitCode.APPROVAL_WANTED, ExitCode.ROWS_HELD, ExitCode.ROWS_REFUSED, ExitCode.FROZEN}


@dataclass(slots=True)
class Row:
    """A row of the list: for whom it is, what it says, and in what a person could not tell any more whose it was.

    Attributes:
        who: Number of the person.
        cents: What it says.
        reference: What it says for what.
        cpf: Document it bears; "" for the person's own.
        key: Pix key it bears; "" for the person's own.
    """

    who: int
    cents: int
    reference: str
    cpf: str = ""
    key: str = ""
    is_nudged: bool = False

    @property
    def cells(self) -> dict[str, str]:
        """As it stands in the sheet."""
        cells = dict(payment(PEOPLE[self.who], format_cents(self.cents, "pt-BR"), self.reference))
        return cells | ({"CPF": self.cpf} if self.cpf else {}) | ({"Chave Pix": self.key} if self.key else {})


@dataclass(slots=True)
class Owed:
    """Who is behind a document or an account, and the most that the files ever said they are owed."""

    persons: dict[str, int] = field(default_factory=dict)
    most: Counter[int] = field(default_factory=Counter)


class AnyShape(RuleBasedStateMachine):
    """A list of payments whose rows come in any shape; nobody ever approves or decides anything."""

    def __init__(self) -> None:
        super().__init__()
        self.exits = ExitStack()
        memory = SHARED_MEMORY if SHARED_MEMORY.is_dir() else None
        self.folder = Path(self.exits.enter_context(tempfile.TemporaryDirectory(prefix="shapes-", dir=memory)))
        self.provider = self.exits.enter_context(opened_office(self.folder)).provider
        self.rows: list[Row] = []
        self.owed = Owed()
        self.declared: dict[str, Any] = {}
        self.moments: list[Path] = []
        self.numbers = count(1)
        self.is_elsewhere = False
        self.is_twice = False
        self.is_reshaped = False  # elsewhere, another amount is another payment to anybody's eyes
        self.untrue: list[str] = []

    @initialize(sums=st.lists(st.integers(1_000, 90_000), min_size=PERSONS, max_size=PERSONS, unique=True))
    def begin(self, sums: list[int]) -> None:
        for who, cents in enumerate(sums):
            self.owed.persons |= {PEOPLE[who].tax_id: who, str(PEOPLE[who].destination.pix_key): who}
            self.rows.append(Row(who, cents, f"Nota {next(self.numbers)}"))

    def teardown(self) -> None:
        event(f"{len(self.provider.posts)} posts")
        self.exits.close()

    # What people do with the list.

    @precondition(lambda self: not self.is_elsewhere)
    @rule(who=st.integers(0, PERSONS - 1), cents=st.integers(1_000, 90_000))
    def owe_more(self, who: int, cents: int) -> None:
        self.rows.append(Row(who, cents, f"Nota {next(self.numbers)}"))

    @rule(which=WHICH, part=st.integers(1, 99), keeps=st.booleans())
    def split(self, which: int, part: int, keeps: bool) -> None:
        if self.is_elsewhere or not self.rows:
            return
        row = self.rows.pop(which % len(self.rows))
        first, self.is_reshaped = max(1, row.cents * part // 100), True
        if first < row.cents:
            reference = row.reference if keeps else f"Nota {next(self.numbers)}"
            self.rows += [
                replace(row, cents=first, reference=reference),
                replace(row, cents=row.cents - first, reference=f"Nota {next(self.numbers)}"),
            ]
        else:
            self.rows.append(row)

    @rule(which=WHICH, keeps=st.booleans())
    def merge(self, which: int, keeps: bool) -> None:
        if self.is_elsewhere or not self.rows:
            return
        row = self.rows[which % len(self.rows)]
        other = next((one for one in self.rows if one.who == row.who and one is not row), None)
        if other is not None and (other.cpf, other.key) == (row.cpf, row.key):
            self.rows = [one for one in self.rows if one is not other]
            row.cents += other.cents
            self.is_reshaped = True
            row.reference = row.reference if keeps else f"Nota {next(self.numbers)}"

    @rule(which=WHICH, respects=st.lists(st.sampled_from(RESPECTS), min_size=1, max_size=2, unique=True), by=WHICH)
    def amend(self, which: int, respects: list[str], by: int) -> None:
        """Amend a row in one or two respects; one of whom both document and account are others is somebody else."""
        if not self.rows:
            return
        row = self.rows[which % len(self.rows)]
        for respect in respects:
            if respect == "reference":
                row.reference = f"Nota {next(self.numbers)}"
            elif respect == "amount" and not self.is_elsewhere:
                row.cents = max(1, row.cents + (by - 50) * 10)
                self.is_reshaped = True
            elif respect == "account" and not row.cpf:
                row.key = f"conta{by}.{row.who}@example.com"
                self.owed.persons[row.key] = row.who
            elif respect == "document" and not row.key:
                row.cpf = COMPANIES.cnpj()
                self.owed.persons["".join(filter(str.isalnum, row.cpf))] = row.who

    @precondition(lambda self: self.declared in ({}, {"job": "boreal"}))
    @rule(which=WHICH, cents=st.integers(1, 4))
    def write_a_few_centavos_more(self, which: int, cents: int) -> None:
        """Under another job too, a few centavos make no other payment of one month; many do."""
        row = self.rows[which % len(self.rows)] if self.rows else None
        if row is not None and not row.is_nudged:
            row.cents, row.is_nudged = row.cents + cents, True

    @rule()
    def let_the_list_stand_twice_under_order_numbers(self) -> None:
        self.is_twice = not self.is_twice

    @precondition(lambda self: len(self.rows) > 1)
    @rule(which=WHICH)
    def take_out(self, which: int) -> None:
        self.rows.pop(which % len(self.rows))

    @precondition(lambda self: not self.is_reshaped)
    @rule(changes=st.sampled_from([{"job": "boreal"}, {"period": "2026-11"}, {"period": "2026-09", "job": "boreal"}]))
    def run_the_list_under_another_name_or_month(self, changes: dict[str, Any]) -> None:
        self.is_elsewhere = True
        self.declared |= changes

    # What people do with the program.

    @rule(unwatched=st.booleans())
    def run(self, unwatched: bool) -> None:
        self._run(unwatched=unwatched)

    @precondition(lambda self: self._home().exists())
    @rule()
    def keep_a_copy_of_the_ledger(self) -> None:
        copy = self.folder / f"copy-{len(self.moments)}"
        shutil.copytree(self._home(), copy)
        self.moments.append(copy)

    @precondition(lambda self: self.moments)
    @rule(which=WHICH)
    def put_an_earlier_ledger_back(self, which: int) -> None:
        shutil.rmtree(self._home(), ignore_errors=True)
        shutil.copytree(self.moments[which % len(self.moments)], self._home())

    @rule(spelled=st.sampled_from(["localhost", "capitals", "slashes"]), new_home=st.booleans())
    def run_at_another_spelling_of_the_address(self, spelled: str, new_home: bool) -> None:
        """From the same home, or from one that knows of nothing."""
        url, home = self.provider.url, self._home()
        respelled = {
            "localhost": url.replace("127.0.0.1", "localhost"),
            "capitals": url.replace("http", "HTTP"),
            "slashes": url + "//",
        }[spelled]
        os.environ["REPASSE_API_URL"] = respelled
        if new_home:
            os.environ["REPASSE_HOME"] = str(self.folder / f"home-{next(self.numbers)}")
        try:
            self._run(unwatched=False)
        finally:
            os.environ |= {"REPASSE_API_URL": url, "REPASSE_HOME": str(home)}

    def _run(self, *, unwatched: bool) -> None:
        if not self.rows:
            return
        sums = Counter[int]()
        for row in self.rows:
            sums[row.who] += row.cents
        self.owed.most |= sums
        rows = [row.cells for row in self.rows]
        if self.is_twice:
            rows = [row | {"Referência": f"PED-{number * 37 % 911}"} for number, row in enumerate(rows * 2)]
        write_sheet(self.folder / "job" / "payments.csv", rows)
        job = declare(
            self.folder / "job" / "job.yaml",
            sources=[{"files": "payments.csv", "layout": "payments"}],
            settle={"every_s": "0.1", "for_s": "0"},
            rules={"max_payments_per_batch": 2},
            outputs={"folder": "out", "formats": ["json"], "statements": False},
            **({"approval": {"above": ABOVE_ALL}} if unwatched else {}),
            **self.declared,
        )
        report = start_payout(job, RunOptions(yes=not unwatched, by="ana"), progress=Silence(), watched=False)
        event("asked" if report.exit_code in ASKS else "done" if report.exit_code == ExitCode.DONE else "other")
        self._hear(report)

    def _hear(self, report: RunReport) -> None:
        if report.exit_code in NEVER:
            self.untrue.append(f"a run ended with {report.exit_code}: {report.messages}")

    def _home(self) -> Path:
        return Path(os.environ["REPASSE_HOME"])

    # What holds at any time.

    @invariant()
    def nobody_gets_more_than_the_files_ever_said_they_are_owed(self) -> None:
        sent = Counter[int]()
        for entry in self.provider.entries():
            by_document = self.owed.persons.get(entry["taxId"])
            who = self.owed.persons[entry["bankAccount"]["pixKey"]] if by_document is None else by_document
            sent[who] += cents_of(entry["finalAmount"])
        assert {who: cents for who, cents in sent.items() if cents > self.owed.most[who]} == {}
        assert self.untrue == []


AnyShape.TestCase.settings = histories(count=12, steps=12, every=(400, 25))

TestAnyShape = AnyShape.TestCase
