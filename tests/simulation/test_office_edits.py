"""Any history of ordinary edits, runs, deaths, words and moods of the service: nobody is paid twice without a word.

The oracle is what the provider received, held against the debts that the office knows of (`editing_office`), never
against a key of ours. A history takes seconds, so a few are played by default, the same ones each time; SIMULATE=all
plays many.
"""

import os
import random
import shutil
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import event
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from schemas.errors import ExitCode
from tests.flows.every_view import FORMATS, look_through
from tests.sampled import histories
from tests.simulation.conftest import SHARED_MEMORY
from tests.simulation.editing_office import COMPANIES, OTHER_PAYER, PEOPLE, Line, opened_office
from tests.simulation.points import Point
from tests.simulation.provider import FATES, MEETINGS, PAYS, Fate, Meets

pytestmark = [pytest.mark.long, pytest.mark.timeout(3600)]

WHICH: Final = st.integers(0, 99)
RESPELL: Final = (
    lambda text: f" {text.upper()} ",
    lambda text: text.replace(" ", "\u00a0"),
    lambda text: text.replace("-", "\u2013") + ".",
    lambda text: text.replace("1", "１"),
    lambda text: text.replace("e", "e\u200b"),
)
MOMENTS: Final = (
    Point.BEFORE_APPROVING,
    Point.AFTER_APPROVING,
    Point.BEFORE_INTENT,
    Point.AFTER_INTENT,
    Point.BEFORE_OUTCOME,
    Point.AFTER_OUTCOME,
)


class AnyOffice(RuleBasedStateMachine):
    """An office, its files and its people, which have everything happen to them.

    A debt may be disguised in one way that takes more than its reference to see through: by another document, another
    account or another amount. Two such disguises at once make it another payment in everybody's eyes.
    """

    def __init__(self) -> None:
        super().__init__()
        self.exits = ExitStack()
        memory = SHARED_MEMORY if SHARED_MEMORY.is_dir() else None
        folder = self.exits.enter_context(tempfile.TemporaryDirectory(prefix="office-", dir=memory))
        self.office = self.exits.enter_context(opened_office(Path(folder), "", "Nota 1"))
        self.disguised: dict[int, str] = {}
        self.is_elsewhere = False
        self.dangerous = 0
        self.looks = False

    def teardown(self) -> None:
        event(f"{len(self.office.provider.posts)} posts")
        self.exits.close()

    def line(self, which: int) -> Line:
        return self.office.rows[which % len(self.office.rows)]

    def may_disguise(self, line: Line, how: str) -> bool:
        return self.disguised.setdefault(id(line.debt), how) == how

    @initialize(looks=st.sampled_from([True, False, False]))
    def look_through_every_view_on_the_way(self, *, looks: bool) -> None:
        self.looks = looks
        if looks:
            self.office.declare(outputs={"folder": "out", "formats": list(FORMATS), "statements": True})

    # What people do with the files.

    @rule(who=st.integers(0, 11), reference=st.sampled_from(["", "Nota 1", "Nota 2", "Show - maio"]))
    def owe_somebody(self, who: int, reference: str) -> None:
        rows = self.office.rows
        if not any(row.debt.who is PEOPLE[who] and row.cells["Referência"] == reference for row in rows):
            self.office.owe(PEOPLE[who], reference)

    @rule(which=WHICH, number=st.integers(3, 9))
    def owe_the_same_once_more_beside_it(self, which: int, number: int) -> None:
        line = self.line(which)
        if len(line.debt.cents) == 1 and id(line.debt) not in self.disguised:
            self.disguised[id(line.debt)] = "a twin"
            twin = self.office.owe(line.debt.who, f"Nota {number}{which}", twin_of=line.debt)
            self.disguised[id(twin.debt)] = "a twin"

    @rule(which=WHICH, reference=st.sampled_from(["Nota 17", "Nota 18", "nº 4", "31", ""]))
    def fill_in_or_correct_a_reference(self, which: int, reference: str) -> None:
        line = self.line(which)
        # In one of two copies of a file it would make two rows that nobody could tell from two payments.
        copies = sum(row.debt is line.debt for rows in self.office.files.values() for row in rows)
        if copies == 1 and self.disguised.get(id(line.debt)) not in {"amount", "a twin"}:
            self.disguised.setdefault(id(line.debt), "reference")
            self.office.retype(line, Referência=reference)

    @rule(which=WHICH, how=st.sampled_from(RESPELL))
    def respell_a_reference_and_a_name(self, which: int, how: Any) -> None:
        line = self.line(which)
        self.office.retype(line, Referência=how(line.cells["Referência"]), Nome=line.cells["Nome"].upper())

    @rule(which=WHICH)
    def put_a_company_in_a_person_s_place(self, which: int) -> None:
        line = self.line(which)
        if self.may_disguise(line, "document"):
            self.office.retype(line, CPF=COMPANIES.cnpj())

    @rule(which=WHICH, number=st.integers(0, 9))
    def correct_an_account(self, which: int, number: int) -> None:
        line = self.line(which)
        if not self.is_elsewhere and self.may_disguise(line, "account"):
            self.office.retype(line, Chave_Pix=f"conta{number}.{which}@example.com")

    @rule(which=WHICH)
    def correct_an_amount(self, which: int) -> None:
        line = self.line(which)
        if not self.is_elsewhere and self.may_disguise(line, "amount"):
            self.office.retype(line, Valor=self.office.new_amount())

    @rule(which=WHICH, back=st.booleans())
    def take_a_row_out_or_put_it_back(self, which: int, back: bool) -> None:
        rows = self.office.rows
        if back:
            there = {id(row.debt) for row in rows}
            self.office.files[next(iter(self.office.files))] += [
                line for line in getattr(self, "taken", []) if id(line.debt) not in there
            ]
        elif len(rows) > 1:
            self.taken = [*getattr(self, "taken", []), rows.pop(which % len(rows))]

    @rule(seed=WHICH)
    def sort_anew(self, seed: int) -> None:
        random.Random(seed).shuffle(self.office.rows)

    @rule(name=st.sampled_from(["payments (1).csv", "payments-2.xlsx", "payments.tsv"]), stays=st.booleans())
    def copy_or_save_as(self, name: str, stays: bool) -> None:
        rows = self.office.rows
        copied = [Line(line.debt, dict(line.cells)) for line in reversed(rows)]
        self.office.files = {next(iter(self.office.files)): rows, name: copied} if stays else {name: rows}

    # What people do with the job file.

    @precondition(lambda self: not {"amount", "account"} & set(self.disguised.values()))
    @rule(
        changes=st.sampled_from(
            [
                {"payer": {"tax_id": OTHER_PAYER, "name": "Selo Aurora"}},
                {"job": "aurora-2"},
                {"period": "2026-11"},
            ]
        )
    )
    def correct_the_job_file(self, changes: dict[str, object]) -> None:
        self.is_elsewhere = True
        self.office.declare(**changes)

    # What people do with the program.

    @rule(fates=st.lists(st.sampled_from([PAYS, *FATES]), max_size=2), unwatched=st.booleans())
    def run(self, fates: list[Fate], unwatched: bool) -> None:
        self.office.provider.fates += fates
        self.office.run_unwatched() if unwatched else self.office.run()

    @rule(moment=st.sampled_from(MOMENTS), batch=st.sampled_from([1, 2]), edits=st.booleans())
    def run_and_die(self, moment: Point, batch: int, edits: bool) -> None:
        self.office.run_and_die(moment, of_batch=batch)
        if edits:
            self.fill_in_or_correct_a_reference(0, "Nota 99")

    @rule(meets=st.lists(st.sampled_from(MEETINGS), min_size=1, max_size=2), hides=st.booleans())
    def run_while_the_service_has_a_mood(self, meets: list[Meets], hides: bool) -> None:
        provider = self.office.provider
        provider.meetings = meets
        provider.hides = int(hides)
        self.office.run()
        provider.hides, provider.meetings = 0, []

    @rule(again=st.booleans())
    def look_and_say_yes(self, again: bool) -> None:
        files = list(self.office.files) if again else []
        self.office.run(yes=False, again=files)
        if self.office.digest and self.office.report and self.office.report.exit_code == ExitCode.APPROVAL_WANTED:
            self.office.approve()
            self.office.run(yes=False, again=files)

    @precondition(lambda self: self.office.report and self.office.report.summary)
    @rule(word=st.sampled_from(["pay", "paid", "drop"]), which=WHICH)
    def decide_a_conflict(self, word: str, which: int) -> None:
        keys = self.office.keys_in("Em conflito")
        if keys:
            self.office.decide(word, keys[which % len(keys)])

    @precondition(lambda self: self.office.digest)
    @rule()
    def reject(self) -> None:
        self.office.say("reject", self.office.digest, "--by", "caio", "--why", "not sure")

    @rule()
    def settle(self) -> None:
        self.office.say("settle")

    @rule()
    def run_a_month_later(self) -> None:
        self.office.run_later(days=31)

    @rule()
    def run_in_a_copied_folder(self) -> None:
        """Somebody copies the home folder and runs there; what they send, the first one must notice."""
        home = Path(os.environ["REPASSE_HOME"])
        copied = home.with_name("copied-home")
        if not home.exists():
            return
        shutil.copytree(home, copied, dirs_exist_ok=True)
        os.environ["REPASSE_HOME"] = str(copied)
        try:
            self.office.run()
        finally:
            os.environ["REPASSE_HOME"] = str(home)
            shutil.rmtree(copied)

    # What holds at any time.

    @invariant()
    def nobody_is_paid_twice_without_a_word_and_nothing_untrue_is_told(self) -> None:
        assert self.office.violations() == ()

    @invariant()
    def every_view_can_be_shown_and_adds_up(self) -> None:
        """After every act: while plans wait, after doubts, rejections, deaths and decisions."""
        if self.looks:
            look_through()


AnyOffice.TestCase.settings = histories(count=8, steps=10, every=(400, 25))


TestAnyOffice = AnyOffice.TestCase
