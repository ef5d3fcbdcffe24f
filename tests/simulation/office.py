"""What is to be paid: one job, read once for each state its spreadsheet was ever in."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest

from flows.intake.read import read
from flows.intake.rules.inputs import Inputs
from flows.payables import draft, freeze_plan
from flows.payables.judge_inputs import judge_inputs
from flows.run import Run
from flows.run_options import RunOptions
from flows.run_request import RunRequest, read_run_request
from io_adapters.ledger import ledger
from io_adapters.ledger.leases import Owner
from io_adapters.ledger.ledger import open_ledger
from sample_data.making.people import Payee
from schemas.plan import JobIdentity
from tests.flows.jobs import JOB, PAYER, PERIOD, declare, payment, people, write_sheet
from tests.simulation.clock import VirtualClock

FIRST_SIX: Final = people(6)
# Comes before the others in every plan, so that with it no report is the same as without it.
SEVENTH: Final = min(people(40)[6:], key=lambda who: who.tax_id)


@dataclass(frozen=True, slots=True)
class Spreadsheet:
    """The job with its file as it stands at some time.

    Attributes:
        order: The job, with the caller's yes.
        inputs: What was read.
        owed: The obligations in it.
    """

    order: RunRequest
    inputs: Inputs
    owed: frozenset[str]

    def without_yes(self) -> "Spreadsheet":
        """The same, but the caller approves nothing."""
        return replace(self, order=replace(self.order, options=replace(self.order.options, yes=False)))

    def with_one_more(self) -> "Spreadsheet":
        """The same for a caller who lets one batch go although sending has stopped."""
        return replace(self, order=replace(self.order, options=replace(self.order.options, one_more=True)))


@dataclass(frozen=True, slots=True)
class Office:
    """All that every simulated world begins with.

    Attributes:
        six: Six payments of ten reais, two in a report: every report is of the same total.
        seven: One more, which somebody added later.
        amended: The six, with another amount for one who is in the second report.
        empty_ledger: A ledger's file, just made.
    """

    six: Spreadsheet
    seven: Spreadsheet
    amended: Spreadsheet
    empty_ledger: Path


def open_office(folder: Path) -> Office:
    """Write the job and its files, read them, and make a ledger."""
    amounts = dict.fromkeys(FIRST_SIX, "10,00")
    more = {FIRST_SIX[2]: "11,00", FIRST_SIX[3]: "11,00"}
    return Office(
        six=_read(folder / "six", amounts),
        seven=_read(folder / "seven", amounts | {SEVENTH: "10,00"}),
        amended=_read(folder / "amended", amounts | more),
        empty_ledger=_make_ledger(folder / "ledger.db"),
    )


def _read(folder: Path, amounts: dict[Payee, str]) -> Spreadsheet:
    folder.mkdir()
    write_sheet(folder / "payments.xlsx", [payment(who, amount) for who, amount in amounts.items()])
    rules = {"max_payments_per_batch": 2}
    order = read_run_request(
        declare(folder / "job.yaml", rules=rules, settle={"every_s": "30", "for_s": "60"}),
        RunOptions(yes=True, by="ana"),
    )
    clock = VirtualClock()
    with open_ledger("sqlite://", clock=clock.now) as nothing_known:
        run = Run("", order, nothing_known, None, Owner.current(""), clock.for_run(), Silence(), 60.0)
        inputs = judge_inputs(run, read(run)).inputs
    identity = JobIdentity(JOB, PAYER, PERIOD, "BRL")
    owed = frozenset(identity.payment_key(who.tax_id, "") for who in amounts)
    return Spreadsheet(order, inputs, owed)


def _make_ledger(file: Path) -> Path:
    open_ledger(f"sqlite:///{file}", clock=VirtualClock().now).close()
    return file


class Silence:
    """Progress that nobody watches."""

    def speak(self, language: str) -> None:
        """In which language."""

    def stage(self, name: str) -> None:
        """A stage begins."""

    def show(self, message: str) -> None:
        """Something worth a line."""

    def advance(self, what: str, done: int, total: int) -> None:
        """So many of so many are done."""


class Memory:
    """Answers of pure steps, kept: the same question has the same answer, and validating frames is most of the time.

    Frames are told apart by identity: each one comes from here, and is kept here.
    """

    def __init__(self) -> None:
        self._answers: dict[object, tuple[object, Any]] = {}

    def forget_if(self, steps_changed: bool) -> None:
        """Ask again from now on, if the steps have changed."""
        if steps_changed:
            self._answers.clear()

    def keeping(self, step: Callable[..., Any], *, by_identity: int) -> Callable[..., Any]:
        """Wrap a step; its first so many arguments are told apart by identity, the rest by what they say."""

        def ask(*given: object, **named: object) -> Any:
            same, said = given[:by_identity], given[by_identity:]
            question = (step.__name__, *map(id, same), repr(said), repr(named))
            if question not in self._answers:
                self._answers[question] = (same, step(*given, **named))
            return self._answers[question][1]

        return ask

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Put the memory between stages and steps; a ledger file's engine is kept too, as it knows all statements."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(ledger, "make_engine", cache(ledger.make_engine))
            patch.setattr(draft, "compute_payables", self.keeping(draft.compute_payables, by_identity=2))
            patch.setattr(freeze_plan, "plan_batches", self.keeping(freeze_plan.plan_batches, by_identity=1))
            patch.setattr(freeze_plan, "_named", self.keeping(freeze_plan._named, by_identity=1))
            yield
