"""Whatever people do, whatever goes wrong and wherever the power is cut: nobody is paid twice, and the books close.

A history takes seconds, so few are tried each time; `--hypothesis-profile=thorough` tries many. What fails is printed
with a line that repeats it.
"""

import random
import tempfile
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, event, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from typer.testing import CliRunner

from flows.cli import app
from flows.runner import PAYOUT
from io_adapters.sandbox import EmbeddedSandbox, SandboxSettings
from schemas.errors import ExitCode, RepasseError
from schemas.submission import SubmissionState
from schemas.values.money import format_cents
from tests.crash import workers
from tests.crash.payday import IN_THE_SERVICE, NOT_IN_THE_SERVICE, WARM
from tests.flows.jobs import Row, declare, payment, people
from tests.flows.label import Label
from tests.flows.oracle import CREATE, LIST, Oracle
from tests.stages import stages_of

pytestmark = [pytest.mark.crash, pytest.mark.timeout(900)]

S = SubmissionState
WHO: Final = st.integers(0, 4)
AMOUNT: Final = st.sampled_from([1_000, 2_000, 3_000])
# Ends a command may come to here. 70 is a bug; nobody misuses a command (2) or writes a wrong job file (10, 11).
DOCUMENTED: Final = frozenset(ExitCode) - {
    ExitCode.BUG,
    ExitCode.USAGE,
    ExitCode.CONFIGURATION,
    ExitCode.UNREADABLE_FILE,
}
ANSWERS: Final = ["status", "html", "garbage", "empty", "redirect", "drop", "reset", "cut", "cut_head"]
REFUSAL: Final = {"detail": [{"loc": ["body", "payments", 0, "name"], "msg": "not today", "type": "value_error"}]}
FAULTS: Final = st.one_of(
    st.fixed_dictionaries({"kind": st.sampled_from(ANSWERS), "when": st.sampled_from(["before", "after"])}),
    st.sampled_from(
        [
            {"kind": "wrong_report_id"},
            {"kind": "late", "seconds": 0.1},
            {"kind": "hang", "when": "before", "seconds": 0.5},
            {"kind": "hang", "when": "after", "seconds": 0.5},
            {"kind": "drip", "seconds": 0.1},
            {"kind": "status", "when": "before", "status": 422, "body": REFUSAL},
        ]
    ),
)
FORCED: Final = st.sampled_from(
    [
        {"status": "DONE"},
        {"status": "CLOSED"},
        {"status": "PROCESSING"},
        {"status": "DONE", "donePayments": 0},
        {"status": "ERROR", "donePayments": 0, "paidAmount": 0, "pendingPayments": 1},
        {"status": "ERROR", "donePayments": None},
        {"status": "EXCLUDED"},
        {"status": "SOMETHING_NEW"},
        {"status": None},
        {"vanished": True},
        {},
    ]
)


class AnyHistory(RuleBasedStateMachine):
    """One team with one ledger at one service, which both have everything happen to them."""

    def __init__(self) -> None:
        super().__init__()
        self.exits = ExitStack()
        folder = Path(self.exits.enter_context(tempfile.TemporaryDirectory(prefix="history-")))
        sandbox = self.exits.enter_context(
            EmbeddedSandbox(settings=SandboxSettings(processing_after_s=0, done_after_s=0))
        )
        self.service = Oracle(sandbox)
        self.exits.callback(self.service.close)
        self.environment = {
            "REPASSE_HOME": str(folder / "home"),
            "REPASSE_LEDGER_URL": f"sqlite:///{folder}/home/ledger.db",
            "REPASSE_API_URL": self.service.url,
            "REPASSE_API_KEY": self.service.api_key,
            "REPASSE_TIMEOUT_S": "0.3",
        }
        patch = self.exits.enter_context(pytest.MonkeyPatch.context())
        patch.delenv("PREFECT_API_URL", raising=False)
        for name, value in self.environment.items():
            patch.setenv(name, value)
        self.label = Label(folder / "job")
        quick: dict[str, Any] = {
            "settle": {"every_s": "0.1", "for_s": "0.1"},
            "rules": {"max_payments_per_batch": 2},
            "outputs": {"folder": "out", "formats": ["json"]},
        }
        self.label.declare(**quick)
        self.elsewhere = {
            "another job": declare(self.label.folder / "another-job.yaml", job="borealis", **quick),
            "another period": declare(self.label.folder / "another-period.yaml", period="2026-11", **quick),
        }
        self.service_contradicts_itself = False
        self.digest: str | None = None
        self.allowed = Counter[int]()
        self.paid_contents: set[frozenset[tuple[int, int]]] = set()
        self.rows = {0: 1_000, 1: 2_000}
        self.write_rows()

    def teardown(self) -> None:
        event(f"{len(self.service.reports)} reports, {len(self.paid_contents)} files paid")
        self.exits.close()

    def write_rows(self) -> None:
        self.label.payments(*[self.row(who) for who in self.rows])

    def row(self, who: int) -> Row:
        return payment(people(5)[who], format_cents(self.rows[who] + who, "pt-BR"))  # an amount tells who is paid

    # What people do with the file.

    @rule(rows=st.dictionaries(WHO, AMOUNT, min_size=1))
    def write_the_file(self, rows: dict[int, int]) -> None:
        self.rows = rows
        self.write_rows()

    @rule(who=WHO, amount=AMOUNT, seed=st.integers(0, 9))
    def add_or_change_a_row_and_sort_anew(self, who: int, amount: int, seed: int) -> None:
        order = list(self.rows | {who: amount})
        random.Random(seed).shuffle(order)
        self.rows = {one: amount if one == who else self.rows[one] for one in order}
        self.write_rows()

    # What people tell Repasse to do.

    @initialize(first=st.booleans())
    def begin(self, first: bool) -> None:
        if first:
            self.run_and_say_yes()

    @rule()
    def run_and_say_yes(self) -> None:
        self.run(yes=True)

    @rule()
    def sort_the_file_anew_and_run_it_again(self) -> None:
        self.rows = dict(reversed(self.rows.items()))
        self.write_rows()
        self.run(yes=True)

    @rule()
    def run_without_a_word(self) -> None:
        self.run(yes=False)

    def run(self, *, yes: bool) -> None:
        before = len(self.service.reports)
        try:
            report = self.label.run(yes=yes)
        except RepasseError as error:
            self.check_end(error.exit_code, error.message)
            return
        self.check_end(report.exit_code, report.messages)
        if report.summary and report.summary.plan_digest:
            self.digest = report.summary.plan_digest
        if report.exit_code in {ExitCode.DONE, ExitCode.ROWS_HELD} and len(self.service.reports) > before:
            self.paid_contents.add(frozenset(self.rows.items()))

    @rule(where=st.sampled_from(["another job", "another period"]))
    def run_the_same_file_elsewhere(self, where: str) -> None:
        before = len(self.service.reports)
        self.say("run", self.elsewhere[where], "--yes")
        if frozenset(self.rows.items()) in self.paid_contents:
            assert len(self.service.reports) == before, "a file was paid twice"

    @precondition(lambda self: self.digest)
    @rule(cents_off=st.sampled_from([0, 0, 1]))
    def approve(self, cents_off: int) -> None:
        total = format_cents(self.total() + cents_off, "pt-BR")
        end = self.say("approve", self.digest, "--by", "bia", "--total", total)
        assert not cents_off or end == ExitCode.APPROVAL_WANTED
        if end == ExitCode.DONE:
            self.allow_once_more()

    @precondition(lambda self: self.digest)
    @rule()
    def reject(self) -> None:
        if self.say("reject", self.digest, "--by", "bia", "--why", "not sure", refusable=True) == ExitCode.USAGE:
            with self.label.ledger() as ledger:
                unsent = ledger.submissions.list(states=[S.PLANNED, S.APPROVED])
            assert all(submission.plan_digest != self.digest for submission in unsent)

    @rule()
    def settle(self) -> None:
        self.say("settle")

    @rule(runs=st.booleans())
    def hold_and_release(self, runs: bool) -> None:
        self.say("hold", "--by", "bia", "--why", "wait")
        before = self.service.posts
        if runs:
            self.run_and_say_yes()
        assert self.service.posts == before, "something was sent while sending was on hold"
        self.say("release", "--by", "bia")

    def say(self, *words: object, refusable: bool = False) -> ExitCode:
        """Say it as a person would; `refusable` words may be about something that is not there any more (2)."""
        result = CliRunner().invoke(app, [str(word) for word in words])
        assert "Traceback" not in result.output
        if not (refusable and result.exit_code == ExitCode.USAGE):
            self.check_end(result.exit_code, result.output)
        return ExitCode(result.exit_code)

    def check_end(self, code: int, told: object) -> None:
        """Every end is a documented one, and ledger and service disagree only where the service contradicts itself."""
        assert code in DOCUMENTED, told
        assert code != ExitCode.FROZEN or self.service_contradicts_itself, told

    def allow_once_more(self) -> None:
        """A person has said yes to a plan: each of its payments may go, whatever went before."""
        sent = self.sent()
        with self.label.ledger() as ledger:
            submissions = [
                submission for submission in ledger.submissions.list() if submission.plan_digest == self.digest
            ]
            planned = [one.amount_cents for each in submissions for one in ledger.claims.payments_of(each.id)]
        self.allowed |= {cents: max(self.allowed[cents], sent[cents] + 1) for cents in planned}

    def sent(self) -> Counter[int]:
        """How often each amount is in a report of the service."""
        return Counter(entry["final_amount_cents"] for report in self.service.reports for entry in report["payments"])

    def total(self) -> int:
        with self.label.ledger() as ledger:
            return ledger.plans.get(str(self.digest)).total_cents

    # What goes wrong.

    @rule(fault=FAULTS, call=st.integers(1, 3))
    def plant_a_fault_where_reports_are_made(self, fault: dict[str, Any], call: int) -> None:
        self.service_contradicts_itself |= fault["kind"] == "wrong_report_id"
        self.service.plant(CREATE, **fault, call=call)

    @rule(fault=FAULTS.filter(lambda one: one["kind"] not in {"late", "wrong_report_id"}), call=st.integers(1, 9))
    def plant_a_fault_in_the_list(self, fault: dict[str, Any], call: int) -> None:
        self.service.plant(LIST, **fault, call=call)

    @rule()
    def clear_faults(self) -> None:
        self.service.clear()

    @precondition(lambda self: self.service.reports)
    @rule(which=st.integers(0, 9), fields=FORCED)
    def force_a_report(self, which: int, fields: dict[str, Any]) -> None:
        reports = self.service.reports
        self.service_contradicts_itself = True
        self.service.force_one(reports[which % len(reports)]["split_id"], **fields)

    @rule(moment=st.sampled_from(workers.Moment), batch=st.sampled_from([1, 1, 2]), who=WHO, amount=AMOUNT)
    def add_a_row_and_cut_the_power_while_sending(
        self, moment: workers.Moment, batch: int, who: int, amount: int
    ) -> None:
        self.rows = {who: amount} | self.rows
        self.write_rows()
        self.cut_the_power(workers.pay_and_die, moment, batch)

    @rule(stage=st.sampled_from(stages_of(PAYOUT)))
    def cut_the_power_between_stages(self, stage: str) -> None:
        self.cut_the_power(workers.pay_and_die_before, stage)

    def cut_the_power(self, does: Any, *more: object) -> None:
        hears, tells = WARM.Pipe(duplex=False)
        process = WARM.Process(target=does, args=(self.label.job, self.environment, *more, tells))
        process.start()
        tells.close()
        process.join(60)
        hears.close()
        assert process.exitcode in {workers.DIED, *DOCUMENTED}

    # What holds at any time.

    @invariant()
    def nobody_is_paid_twice_and_the_ledger_tells_the_truth(self) -> None:
        if not Path(self.environment["REPASSE_HOME"], "ledger.db").exists():
            assert self.service.posts == 0
            return
        reports = self.service.reports
        there = Counter(report["reportId"] for report in reports)
        with self.label.ledger() as ledger:
            submissions = {one.id: one for one in ledger.submissions.list(bodies=False)}
            assert ledger.journal.disagreeing(submissions) == [], "the journal and the record of reports disagree"
            assert sum(ledger.journal.balances().values()) == 0, "the journal does not balance"
            intents = sum(
                line.after is S.SENDING for name in submissions for line in ledger.submissions.transitions(name)
            )
            approved = {
                name: {one.obligation_key: one.amount_cents for one in ledger.claims.payments_of(name)}
                for name, submission in submissions.items()
                if ledger.plans.get(submission.plan_digest).approved_at is not None
            }
        assert set(there) <= set(approved), "what nobody has approved was sent"
        assert self.service.posts <= intents, "something was sent without its intent written down"
        for name, one in submissions.items():
            expected = {1} if one.state in IN_THE_SERVICE else {0} if one.state in NOT_IN_THE_SERVICE else {0, 1}
            assert there[name] in expected, f"the ledger says {one.state}, the service has it {there[name]} times"
        for report in reports:
            paid = {entry["extPaymentId"]: entry["final_amount_cents"] for entry in report["payments"]}
            assert paid == approved[report["reportId"]], "another payment than the approved one"
        twice = {cents: times for cents, times in self.sent().items() if times > max(1, self.allowed[cents])}
        assert not twice, "paid twice without a person's word, after a failed report too"


AnyHistory.TestCase.settings = settings(
    max_examples=max(10, settings.default.max_examples // 5),
    stateful_step_count=15,
    print_blob=True,
    suppress_health_check=[
        *settings.default.suppress_health_check,
        HealthCheck.data_too_large,
        HealthCheck.filter_too_much,
    ],
)


TestAnyHistory = AnyHistory.TestCase
