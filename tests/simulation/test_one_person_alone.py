"""One person alone moves nothing: any history of her acts at desk, terminal, Prefect and database, under any policy.

HISTORIES says how many are played, SIMULATE=all plays ten thousand, SEED plays others; each has up to twelve acts.
"""

import os
import re
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import pytest
from hypothesis import HealthCheck, Phase, event, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from flows.nights.night import run_night
from flows.run_options import RunOptions
from flows.runner import run_payout
from io_adapters.sandbox import EmbeddedSandbox, SandboxSettings
from schemas.approval import Role
from schemas.values.names import same_person
from tests.flows.desk.office import PASSWORD
from tests.flows.jobs import payee, payment, write_sheet
from tests.flows.oracle import Oracle
from tests.sampled import EVERYTHING
from tests.simulation.conftest import SHARED_MEMORY
from tests.simulation.one_person import (
    ANA,
    FIRST,
    FORGED,
    HER,
    HERS,
    POLICIES,
    SECOND,
    TABLES,
    House,
    Rooms,
    job_text,
    opened_house,
    without,
)

HISTORIES: Final = int(os.environ.get("HISTORIES", "10000" if EVERYTHING else "20"))
SEED: Final = os.environ.get("SEED")
# Of another program, whose policies know nothing of checks.
CAPS_CHECKS: Final = os.environ.get("POLICY_WITHOUT_CHECKS") is None

pytestmark = [pytest.mark.timeout(60 + 10 * HISTORIES), pytest.mark.long]

NAMES: Final = (
    *("x.yaml", "x.yml", "job.yaml", "first.yaml", "second.yaml", "policy.yaml", "JOB.YAML", "x.layout.yaml"),
    *("payees.xlsx", "first.xlsx", "second.xlsx", "hers.xlsx", "taxes.csv", "../second.yaml", ".hidden.xlsx", "x"),
)
CHANGES: Final = (
    (r"^approval:.*$", 'approval: {above: "1000000.00"}'),
    (r"^approval:.*$", "approval: {identities: declared}"),
    ("", 'approval: {above: "1000000.00"}\n'),
    (r"when: new_or_changed, budget: '25.00'", "when: always, budget: '100000.00'"),
    ("", "taxes: job.yaml\n"),
    ("", "taxes: second.yaml\n"),
    (r"^payees: .*$", "payees: /etc/passwd"),
    (r"^payees: .*$", "payees: http://127.0.0.1:1/payees.xlsx"),
    (r"^payees: .*$", "payees: hers.xlsx"),
    (r"folder: out", "folder: ."),
    (r"^job: .*$", "job: other"),
    (r"^period: .*$", "period: 2026-09"),
    ("", "rules: {limits: {run: '9.00'}}\n"),
    ("", "# nothing\n"),
)
ANY_FORM: Final = {
    "act": "save",
    "kind": "pay",
    "evidence": "e",
    "why": "w",
    "password": PASSWORD,
    "new": PASSWORD,
    "again": PASSWORD,
}
TOTALS: Final = ("0,72", "30,03", "70,07", "10,01")
OWN_KEY: Final = {"Chave Pix": "eva.cruz@example.com", "Tipo da chave": "E-mail"}
INVENTED: Final = ("Somebody Invented", "Bia Reis", "bia reis", HER, "E.v.a Cruz", ANA)
DECISIONS: Final = (
    ("release", "--why", "w"),
    ("unfreeze", "--accept", "rp-x"),
    ("decide", "ob-x", "--pay"),
    ("resolve", "rp-x", "--absent"),
    ("policy", "loosen", "--why", "w", "--by", HER),
)
WHICH: Final = st.integers(0, 9)


class OnePerson(RuleBasedStateMachine):
    """A house in which one person does what she likes; Ana goes on preparing what is there."""

    rooms: Rooms
    sheets: dict[str, bytes]

    def __init__(self) -> None:
        super().__init__()
        self.exits = ExitStack()
        self.house: House | None = None

    @initialize(
        policy=st.sampled_from(sorted(POLICIES)),
        roles=st.sets(st.sampled_from(sorted(Role)), min_size=1).map(frozenset),
    )
    def open_it(self, policy: str, roles: frozenset[Role]) -> None:
        memory = SHARED_MEMORY if SHARED_MEMORY.is_dir() else None
        folder = Path(self.exits.enter_context(tempfile.TemporaryDirectory(prefix="alone-", dir=memory)))
        template = self.rooms.build(policy)
        self.house = self.exits.enter_context(opened_house(template, folder / "house", policy, service(), roles))

    def job(self, which: int) -> str:
        pages = self.house.job_pages()
        return pages[which % len(pages)]

    @rule(which=WHICH, table=st.sampled_from(TABLES), name=st.sampled_from(NAMES), sheet=WHICH, adds=st.booleans())
    def takes_a_table(self, which: int, table: str, name: str, sheet: int, adds: bool) -> None:
        self.house.take(self.job(which), table, name, self.sheet(sheet), "yes" if adds else "no")

    @rule(name=st.sampled_from(("first.xlsx", "second.xlsx", "payees.xlsx")), sheet=WHICH)
    def drops_a_sheet_into_the_folder(self, name: str, sheet: int) -> None:
        self.house.drop(name, self.sheet(sheet))

    @rule()
    def says_that_she_has_received_what_nobody_brought(self) -> None:
        for digest, _ in self.house.plans():
            self.house.post(f"/plans/{digest}/received")

    @rule(which=WHICH, change=st.sampled_from(CHANGES))
    def edits_a_declaration(self, which: int, change: tuple[str, str]) -> None:
        self.house.edit(self.job(which), change)

    @rule(which=WHICH, sheet=st.none() | WHICH)
    def prepares(self, which: int, sheet: int | None) -> None:
        files = [("p.xlsx", self.sheet(sheet))] if sheet is not None else []
        self.house.launch(self.job(which), HER, files)

    @rule(which=WHICH)
    def another_prepares_what_is_there(self, which: int) -> None:
        self.house.actor = ANA
        self.house.launch(self.job(which), ANA)

    @rule(name=st.sampled_from(("new", "first", "second", "forged", "../x")), sheet=WHICH)
    def makes_a_job(self, name: str, sheet: int) -> None:
        draft = self.house.bring("/new-job", "file:sheet", "hers.xlsx", self.sheet(sheet))
        if draft.startswith("/new-job/"):
            answers = {"payer_tax_id": "12.ABC.345/01DE-35", "payer_name": "Selo Aurora", "period": "2026-10"}
            self.house.post(draft, **answers, name=name, act="make")

    @rule(at_desk=st.booleans(), by=st.sampled_from(INVENTED))
    def says_yes_to_all_plans(self, at_desk: bool, by: str) -> None:
        for digest, cents in self.house.plans():
            total = f"{cents // 100},{cents % 100:02}"
            if at_desk:
                self.house.post(f"/plans/{digest}/approve", total=total)
            else:
                self.house.say("approve", digest, "--by", by, "--total", total)

    @rule(route=st.integers(0, 99), which=WHICH, total=st.sampled_from(TOTALS))
    def presses_anything(self, route: int, which: int, total: str) -> None:
        routes = self.house.routes()
        path = routes[route % len(routes)]
        self.house.press(path, which, ANY_FORM | {"total": total})

    @rule(path=st.sampled_from(("/settle", "/sending/hold", "/sending/release", "/sending/unfreeze")))
    def presses(self, path: str) -> None:
        self.house.post(path, why="because", evidence="because")

    @rule(cost=st.sampled_from(("0,36", "0,72", "1,08")))
    def agrees_to_checks(self, cost: str) -> None:
        for wanted in re.findall(r'href="(/checks/[^"]+)"', self.house.page("/")):
            self.house.post(f"{wanted}/agree", total=cost)

    @rule(which=WHICH, yes=st.booleans(), by=st.sampled_from(INVENTED), sheet=st.none() | WHICH, blind=st.booleans())
    def runs_in_a_terminal(self, which: int, yes: bool, by: str, sheet: int | None, blind: bool) -> None:
        if same_person(by) != same_person(HER):
            self.house.actor = by  # whoever reaches the house's machine is the house, and starts runs in any name
        path = sorted(self.house.jobs.glob("*.yaml"))[which % 2]
        files = []
        if sheet is not None:
            (self.house.place / "p.xlsx").write_bytes(self.sheet(sheet))
            files = [str(self.house.place / "p.xlsx")]
        with without("REPASSE_POLICY" if blind else "REPASSE_NOTHING"):
            run_payout(path, RunOptions(files, yes=yes, by=by))

    @rule(blind=st.booleans())
    def a_night_passes(self, blind: bool) -> None:
        self.house.actor = ANA
        with without("REPASSE_POLICY" if blind else "REPASSE_NOTHING"):
            run_night(self.house.jobs)

    @rule()
    def writes_into_the_database(self) -> None:
        self.house.insert_approvals()

    @rule(words=st.sampled_from(DECISIONS), by=st.sampled_from(INVENTED))
    def decides_in_a_terminal(self, words: tuple[str, ...], by: str) -> None:
        self.house.say(*words, "--by", by, "--evidence", "e")

    @rule(text=st.text(max_size=40), table=st.sampled_from(TABLES), name=st.text(min_size=1, max_size=12))
    def brings_anything(self, text: str, table: str, name: str) -> None:
        self.house.take(self.job(0), table, name, text.encode(), "no")

    def sheet(self, which: int) -> bytes:
        return list(self.sheets.values())[which % len(self.sheets)]

    @invariant()
    def nothing_has_left(self) -> None:
        if self.house is not None:
            event(self.house.policy)
            self.house.note_plans()
            untrue = self.house.untrue()
            assert not untrue, untrue

    def teardown(self) -> None:
        self.exits.close()


_services: list[tuple[EmbeddedSandbox, Oracle]] = []


def service() -> Oracle:
    """A service that nobody was paid through yet."""
    if not _services or _services[-1][1].posts:
        sandbox = EmbeddedSandbox(settings=SandboxSettings(processing_after_s=0, done_after_s=0))
        sandbox.__enter__()
        _services.append((sandbox, Oracle(sandbox)))
    return _services[-1][1]


def test_one_person_alone_moves_nothing(tmp_path: Path):
    hers = payee(FIRST) | OWN_KEY
    place = tmp_path / "sheets"
    place.mkdir()
    row = payment(FIRST, f"{HERS // 100},{HERS % 100:02}", "dela") | OWN_KEY
    sheets = {
        "payees": write_sheet(place / "a.xlsx", [hers, payee(SECOND)]).read_bytes(),
        "payments": write_sheet(place / "b.xlsx", [row]).read_bytes(),
        "forged": FORGED.encode(),
        "second": job_text("second", "second.xlsx", 'approval: {above: "1000000.00"}\n').encode(),
        "policy": b"{above: '1000000.00'}",
        "taxes": b"CPF;Tipo;Valor\n",
    }
    with tempfile.TemporaryDirectory(prefix="rooms-") as folder:
        OnePerson.rooms, OnePerson.sheets = Rooms(Path(folder), CAPS_CHECKS), sheets
        played = settings(
            max_examples=HISTORIES,
            stateful_step_count=12,
            deadline=None,
            derandomize=SEED is None,
            print_blob=True,
            phases=(Phase.explicit, Phase.generate),
            suppress_health_check=list(HealthCheck),
        )
        try:
            run_state_machine_as_test(seed(int(SEED))(OnePerson) if SEED else OnePerson, settings=played)
        finally:
            while _services:
                sandbox, oracle = _services.pop()
                oracle.close()
                sandbox.__exit__(None, None, None)
