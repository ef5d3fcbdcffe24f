"""Any history of statements that are issued again, through any rewritings one after the other: no line pays twice.

The oracle is what the provider was asked to pay in all, against what the stores truly owe: the exact sum of each
month's lines, however often and in whatever words they come. Nobody says a word, so nothing may go beyond that.
"""

import tempfile
from contextlib import ExitStack
from decimal import Decimal
from itertools import count
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import event
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from flows.launch import start_payout
from flows.run_options import RunOptions
from schemas.errors import ExitCode
from tests.flows.jobs import declare, payee, people, share, write_sheet
from tests.sampled import histories
from tests.simulation.conftest import SHARED_MEMORY
from tests.simulation.editing_office import NEVER, opened_office
from tests.simulation.editions import (
    ADDED_UP,
    COLUMNS,
    IN_ANOTHER_SHAPE,
    OTHERWISE,
    TWICE_BY_ITSELF,
    Line,
    cents,
    month_of,
    with_upc,
)
from tests.simulation.office import Silence
from tests.simulation.provider import cents_of

pytestmark = [pytest.mark.long, pytest.mark.timeout(3600)]

(ANA,) = people(1)
# Rounding a line moves it by half a centavo at most.
HALF_A_CENTAVO: Final = Decimal("0.5")
REWRITINGS: Final = st.lists(st.sampled_from(sorted(OTHERWISE)), min_size=1, max_size=2, unique=True)


class AnyEdition(RuleBasedStateMachine):
    """A label of one payee, whose stores send new months, and months again."""

    def __init__(self) -> None:
        super().__init__()
        self.exits = ExitStack()
        memory = SHARED_MEMORY if SHARED_MEMORY.is_dir() else None
        folder = Path(self.exits.enter_context(tempfile.TemporaryDirectory(prefix="editions-", dir=memory)))
        self.provider = self.exits.enter_context(opened_office(folder)).provider
        self.folder = folder / "job"
        self.months: dict[int, list[Line]] = {}
        self.period = 1
        self.names = count(1)
        self.lines = 0
        self.declared: dict[str, Any] = {}
        self.untrue: list[str] = []

    @initialize()
    def begin(self) -> None:
        write_sheet(self.folder / "payees.csv", [payee(ANA)])
        write_sheet(self.folder / "shares.csv", [share(ANA, "100")])

    def teardown(self) -> None:
        event(f"{len(self.provider.posts)} posts")
        self.exits.close()

    # What stores send.

    @rule(seed=st.integers(1, 10_000), size=st.integers(12, 40))
    def a_new_month_comes(self, seed: int, size: int) -> None:
        month = len(self.months) + 1
        if month <= 9:
            self.months[month] = month_of(month, size, seed)
            self.period = month
            self._write(self.months[month])

    @precondition(lambda self: self.months)
    @rule(which=st.integers(0, 99), rewritings=REWRITINGS)
    def a_month_is_issued_again(self, which: int, rewritings: list[str]) -> None:
        self._write(self._rewritten(which, rewritings))

    @precondition(lambda self: self.months)
    @rule(which=st.integers(0, 99), rewritings=REWRITINGS, seed=st.integers(1, 10_000))
    def a_month_is_issued_again_with_the_next_one(self, which: int, rewritings: list[str], seed: int) -> None:
        month = len(self.months) + 1
        if month <= 9:
            again = self._rewritten(which, rewritings)
            self.months[month] = month_of(month, 20, seed)
            self.period = month
            self._write([*again, *self.months[month]])

    @precondition(lambda self: self.months)
    @rule(which=st.integers(0, 99), how=st.sampled_from(sorted(IN_ANOTHER_SHAPE)), seed=st.integers(1, 10_000))
    def a_month_comes_in_another_shape_beside_more_of_it(self, which: int, how: str, seed: int) -> None:
        month = sorted(self.months)[which % len(self.months)]
        more = month_of(month, 6, seed)
        self._write([*IN_ANOTHER_SHAPE[how](with_upc(self.months[month])), *with_upc(more)])
        self.months[month] = [*self.months[month], *more]

    @rule(seed=st.integers(1, 10_000), how=st.sampled_from(sorted(TWICE_BY_ITSELF)))
    def a_new_month_comes_that_says_the_same_twice(self, seed: int, how: str) -> None:
        month = len(self.months) + 1
        if month <= 9:
            self.months[month] = month_of(month, 30, seed)
            self.period = month
            self._write(TWICE_BY_ITSELF[how](self.months[month]))

    @precondition(lambda self: self.months)
    @rule(which=st.integers(0, 99), how=st.sampled_from(sorted(ADDED_UP)))
    def a_summary_of_a_month_comes(self, which: int, how: str) -> None:
        month = sorted(self.months)[which % len(self.months)]
        self._write(ADDED_UP[how](self.months[month]))

    # What the label does.

    @precondition(lambda self: self.months)
    @rule(period=st.integers(1, 9), other_job=st.booleans())
    def run(self, period: int, other_job: bool) -> None:
        job = declare(
            self.folder / "job.yaml",
            job="boreal" if other_job else "aurora",
            period=f"2026-{min(period, self.period):02}",
            sources=[{"files": "{period}*", "layout": "royalties"}],
            payees="payees.csv",
            shares="shares.csv",
            settle={"every_s": "0.1", "for_s": "0"},
            outputs={"folder": "out", "formats": ["json"], "statements": False},
        )
        if not list(self.folder.glob(f"2026-{min(period, self.period):02}*")):
            return
        report = start_payout(job, RunOptions(yes=True, by="ana"), progress=Silence(), watched=False)
        event("done" if report.exit_code == ExitCode.DONE else f"exit {int(report.exit_code)}")
        if report.exit_code in NEVER:
            self.untrue.append(f"a run ended with {report.exit_code}: {report.messages}")

    @precondition(lambda self: self.months)
    @rule()
    def run_the_present_month(self) -> None:
        self.run(self.period, other_job=False)

    def _rewritten(self, which: int, rewritings: list[str]) -> list[Line]:
        lines = self.months[sorted(self.months)[which % len(self.months)]]
        for name in rewritings:
            lines = OTHERWISE[name](lines)
        return lines

    def _write(self, lines: list[Line]) -> None:
        self.lines += len(lines)
        whole = [{name: line.get(name, "") for name in COLUMNS} for line in lines]
        number = next(self.names)
        ending = "xlsx" if number % 3 == 0 else "csv"
        write_sheet(self.folder / f"2026-{self.period:02}-{number:02}.{ending}", whole)

    # What holds at any time.

    @invariant()
    def no_line_pays_twice(self) -> None:
        sent = sum(cents_of(entry["finalAmount"]) for entry in self.provider.entries())
        owed = sum((cents(lines) for lines in self.months.values()), Decimal(0))
        assert sent <= owed + self.lines * HALF_A_CENTAVO
        assert self.untrue == []


AnyEdition.TestCase.settings = histories(count=10, steps=10, every=(300, 20))

TestAnyEdition = AnyEdition.TestCase
