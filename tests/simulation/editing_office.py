"""An office that edits: real files, the real program, a provider that counts, and what the office itself knows.

Which human debt each row stands for is known here and nowhere else, and so is what a person has said of it. No two
debts are of one amount, but twins, so that a centavo amount that reached the provider tells whose debt it was to pay,
whatever document, reference, payer, job or key it came under.
"""

import csv
import datetime as dt
import itertools
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import pytest
from typer.testing import CliRunner, Result

from flows.cli import app
from flows.house_ledger import open_ledger_of, utc_now
from flows.launch import start_payout
from flows.run import SYSTEM_CLOCK
from flows.run_options import RunOptions
from flows.run_request import read_run_request
from flows.runner import PAYOUT, RunReport, opened_run, walk
from flows.settings import read_settings
from sample_data.making.people import Payee, Registry
from schemas.errors import ExitCode
from schemas.issues import Issue, Severity
from schemas.messages import render
from schemas.plan import PAID_LESS_TAX
from schemas.submission import SubmissionState
from schemas.values.money import format_cents, parse_amount
from tests.flows.books import assert_books_close
from tests.flows.jobs import Row, declare, payment, people, write_sheet
from tests.flows.label import summary_of
from tests.simulation.office import Silence
from tests.simulation.points import Point, Points, PowerCut, watched
from tests.simulation.provider import KEY, Provider, cents_of
from tests.simulation.world import NO_SUCH_PROCESS

PEOPLE: Final = people(12)
COMPANIES: Final = Registry("companies of one's own")
OTHER_PAYER: Final = "11222333000181"
LESS_TAX: Final = render(f"place.{PAID_LESS_TAX}", "pt-BR")
ABOVE_ALL: Final = "900000.00"
# What no scenario may end with; nobody here misuses a command or writes a wrong job file.
NEVER: Final = {ExitCode.BUG, ExitCode.USAGE, ExitCode.CONFIGURATION}


@dataclass(eq=False, slots=True)
class Debt:
    """What the office owes one person, once.

    Attributes:
        who: Whom.
        cents: Every amount it ever stood in a file with.
        words: How often a person has said that it may be paid although it was, or may have been, paid.
        settled: Whether a person has said that it is paid, or not to be paid.
    """

    who: Payee
    cents: set[int]
    words: int = 0
    settled: bool = False


@dataclass(slots=True)
class Line:
    """A row of a file: the cells a person typed, and the debt it stands for."""

    debt: Debt
    cells: dict[str, str]


@dataclass(slots=True)
class EditingOffice:
    """Files, job and people of an office.

    Attributes:
        folder: Of the job and its files.
        provider: Whom it pays through.
        debts: All there ever were.
        files: File name -> rows, as they stand.
        declared: What the job file says otherwise than usual.
        digest: Of the plan that was told last.
        report: Of the latest run that came to its end.
        untrue: What was told and is not so, as far as it was noticed on the way.
    """

    folder: Path
    provider: Provider
    debts: list[Debt] = field(default_factory=list)
    files: dict[str, list[Line]] = field(default_factory=lambda: {"payments.csv": []})
    declared: dict[str, Any] = field(default_factory=dict)
    digest: str | None = None
    report: RunReport | None = None
    untrue: list[str] = field(default_factory=list)
    _amounts: Iterator[int] = field(default_factory=lambda: itertools.count(1_001, 7))

    # What the office writes.

    @property
    def rows(self) -> list[Line]:
        """The rows of the first file."""
        return next(iter(self.files.values()))

    def owe(self, who: Payee, reference: str = "", *, twin_of: Debt | None = None, **changes: str) -> Line:
        """Add a debt and its row."""
        cents = next(iter(twin_of.cents)) if twin_of else next(self._amounts)
        debt = Debt(who, {cents})
        self.debts.append(debt)
        line = Line(debt, dict(payment(who, format_cents(cents, "pt-BR"), reference, **changes)))
        self.rows.append(line)
        return line

    def retype(self, line: Line, **cells: str) -> None:
        """Type other words into a row, by header with blanks as underscores; an amount is noted with its debt."""
        typed = {name.replace("_", " "): value for name, value in cells.items()}
        line.cells |= typed
        if "Valor" in typed:
            line.debt.cents.add(parse_amount(typed["Valor"]))

    def new_amount(self) -> str:
        """An amount that nothing else has."""
        return format_cents(next(self._amounts), "pt-BR")

    def declare(self, **changes: object) -> None:
        """Write the job file anew, with these keys changed for good."""
        self.declared |= changes

    @property
    def job(self) -> Path:
        """The job file."""
        return self.folder / "job.yaml"

    def write(self) -> None:
        """Write job and files as they stand; what is no longer there is removed."""
        for leftover in list(self.folder.glob("payments*")):
            leftover.unlink()
        for name, lines in self.files.items():
            _write(self.folder / name, [line.cells for line in lines])
        usual: dict[str, object] = {
            "sources": [{"files": "payments*", "layout": "payments"}],
            "settle": {"every_s": "0.1", "for_s": "0"},
            "rules": {"max_payments_per_batch": 2},
            "outputs": {"folder": "out", "formats": ["csv", "json"], "statements": False},
        }
        declare(self.job, **(usual | self.declared))

    # What people do.

    def run(self, *, yes: bool = True, by: str = "ana", again: Sequence[str] = ()) -> RunReport:
        """Run the payout as it stands on disk, and hold what it tells against what is true."""
        self.write()
        options = RunOptions(yes=yes, by=by, again=list(again))
        report = start_payout(self.job, options, progress=Silence(), watched=False)
        self._heard(report)
        return report

    def run_unwatched(self) -> RunReport:
        """Run it where the job says that no plan needs anybody."""
        self.declare(approval={"above": ABOVE_ALL})
        try:
            return self.run(yes=False)
        finally:
            del self.declared["approval"]

    def run_and_die(self, point: Point, *, of_batch: int = 1, yes: bool = True) -> bool:
        """Run until a point on the way of money, and no further; whether it came there."""
        self.write()

        def strike() -> None:
            raise PowerCut

        points = Points(point, strike)
        points._passes = of_batch
        order = read_run_request(self.job, RunOptions(yes=yes, by="ana"))
        with suppress(PowerCut), opened_run(PAYOUT.name, order, read_settings(), Silence(), SYSTEM_CLOCK) as run:
            run.holder = replace(run.owner, pid=NO_SUCH_PROCESS, process_start="1")
            watched(run.ledger, points)
            walk(PAYOUT, run)
            if run.summary:
                self.digest = run.summary.plan_digest
        return points.is_passed

    def run_later(self, *, yes: bool = False, **by: float) -> frozenset[ExitCode]:
        """Run it once with a clock that is so much ahead."""
        self.write()
        clock = replace(SYSTEM_CLOCK, now=lambda: utc_now() + dt.timedelta(**by))
        with opened_run(
            PAYOUT.name, read_run_request(self.job, RunOptions(yes=yes, by="ana")), read_settings(), Silence(), clock
        ) as run:
            walk(PAYOUT, run)
            run.ledger.runs.accept_clock("ana")  # the others' clocks are right
        return frozenset(run.codes)

    def approve(self, by: str = "bia") -> Result:
        """Let a person say yes to the plan that was told last, knowing what they were told of it."""
        entries = self._entries_of_plan()
        planned = Counter(map(_cents_of_entry, entries))
        result = self.say("approve", self.digest, "--by", by, "--total", format_cents(self._total(), "pt-BR"))
        if result.exit_code == ExitCode.DONE:
            for cents in planned:
                group, beyond = self.group(cents), 0
                beyond = self.posted(group) + sum(planned[one] for one in _amounts_of(group)) - len(group)
                missing = beyond - sum(debt.words for debt in group)
                if missing > 0:
                    if not self._was_told(group):
                        self.untrue.append(
                            f"a person said yes to {cents} centavos and was not told of the payment before"
                        )
                    group[0].words += missing
        return result

    def decide(self, word: str, *keys: str) -> Result:
        """Let a person say a word on obligations."""
        wanted = [self._debt_of_key(key) for key in keys]
        result = self.say("decide", *keys, f"--{word}", "--by", "bia", "--evidence", "a receipt")
        if result.exit_code == ExitCode.DONE:
            for debt in filter(None, wanted):
                debt.words += word == "pay"
                debt.settled = word != "pay"
        return result

    def say(self, *words: object) -> Result:
        """Type a command."""
        result = CliRunner().invoke(app, [str(word) for word in words])
        if "Traceback" in result.output or result.exit_code == ExitCode.BUG:
            self.untrue.append(f"{words[0]} ended with a bug: {result.output}")
        return result

    # What is true, and what was told.

    def group(self, cents: int) -> list[Debt]:
        """The debts that an amount can be for: one, or twins."""
        return [debt for debt in self.debts if cents in debt.cents]

    def posted(self, group: Sequence[Debt]) -> int:
        """How often payments for these debts reached the provider and were not refused as documented."""
        amounts = _amounts_of(group)
        return sum(_cents_of_entry(entry) in amounts for entry in self.provider.entries())

    def paid(self, group: Sequence[Debt]) -> int:
        """How often they are truly paid."""
        amounts = _amounts_of(group)
        return sum(cents in amounts for cents in self.provider.paid_cents())

    def told(self) -> list[dict[str, str]]:
        """The latest payments.csv."""
        assert self.report is not None
        (path,) = (path for path in self.report.outputs if path.name == "payments.csv")
        return list(csv.DictReader(path.read_text(encoding="utf-8-sig").splitlines(), delimiter=";"))

    def keys_in(self, *places: str) -> list[str]:
        """The obligations that the latest payments.csv has in these places."""
        return [row["Código do pagamento"] for row in self.told() if row["Situação"] in places]

    def violations(self) -> tuple[str, ...]:
        """What must not be: payments made or asked for twice without a person's word, and untrue words."""
        return (*self._doubles(), *self.untrue)

    def _doubles(self) -> Iterator[str]:
        seen = set[int]()
        for cents in map(_cents_of_entry, self.provider.entries()):
            group = self.group(cents)
            if not group:
                yield f"{cents} centavos were sent and nobody is owed them"
            elif not seen & _amounts_of(group):
                seen |= _amounts_of(group)
                allowed = len(group) + sum(debt.words for debt in group)
                if (sent := self.posted(group)) > allowed:
                    yield f"DOUBLE: {cents} centavos were sent {sent} times, {allowed} were owed or allowed"

    def _heard(self, report: RunReport) -> None:
        """Take in what a run told, and note what of it is untrue."""
        self.report = report
        if report.exit_code in NEVER:
            self.untrue.append(f"a run ended with {report.exit_code}: {report.messages}")
        if report.summary is None:
            return
        summary = summary_of(report)
        assert_books_close(summary)
        self.digest = summary["plan_digest"] or self.digest
        self.untrue += self._false_paid(summary)
        self.untrue += self._silently_unpaid(report)

    def _false_paid(self, summary: dict[str, Any]) -> Iterator[str]:
        rows, taxed = Counter[int](), Counter(self.provider.taxed_cents())
        for row in self.told():
            cents = parse_amount(row["Valor"])
            if row["Situação"] == LESS_TAX and taxed[cents]:
                taxed[cents] -= 1
            elif row["Situação"].startswith("Pago") and row["Tipo"] != "Parte do titular":
                rows[cents] += 1
        paid = Counter(self.provider.paid_cents())
        for cents, count in rows.items():
            if count > paid[cents]:
                yield f"{cents} centavos are told as paid {count} times, and were paid {paid[cents]} times"
        if summary["totals_cents"]["paid"] > sum(self.provider.paid_cents()) + self.provider.net_cents():
            yield "more is told as paid than was paid"

    def _silently_unpaid(self, report: RunReport) -> Iterator[str]:
        """A run that says that all is done has asked the provider for every row there is."""
        if report.exit_code != ExitCode.DONE:
            return
        for line in itertools.chain(*self.files.values()):
            group = self.group(next(iter(line.debt.cents)))
            if not self.posted(group) and not any(debt.settled for debt in group):
                yield f"done, and {sorted(line.debt.cents)} was never asked for and nobody was told"

    def _was_told(self, group: Sequence[Debt]) -> bool:
        """Whether a problem was told at one of the rows of these debts, at their file, or of the job as a whole."""
        assert self.report is not None
        places = {
            (name, number)
            for name, lines in self.files.items()
            for number, line in enumerate(lines, start=2)
            if line.debt in group
        }
        files = {name for name, _ in places}
        return any(
            (issue.file, issue.row) in places or (issue.row is None and issue.file in {*files, self.job.name})
            for issue in self.report.issues
            if _matters(issue)
        )

    def last_digest(self) -> str:
        """The plan that was made last, told or not."""
        with open_ledger_of(read_settings()) as ledger:
            return ledger.submissions.list()[-1].plan_digest

    def _entries_of_plan(self) -> list[dict[str, Any]]:
        """What the plan would pay; the same plan that was rejected before counts no more."""
        with open_ledger_of(read_settings()) as ledger:
            planned = ledger.submissions.list(plan_digest=self.digest, states={SubmissionState.PLANNED})
        return [entry for batch in planned for entry in json.loads(batch.body)["payments"]]

    def _total(self) -> int:
        with open_ledger_of(read_settings()) as ledger:
            return ledger.plans.get(str(self.digest)).total_cents

    def _debt_of_key(self, key: str) -> Debt | None:
        found = [row for row in self.told() if row["Código do pagamento"] == key]
        return self.group(parse_amount(found[0]["Valor"]))[0] if found else None


def _matters(issue: Issue) -> bool:
    return issue.severity is not Severity.NOTE and not issue.code.name.startswith(("LIMIT_", "HIDDEN_", "TAXID_"))


def _amounts_of(group: Sequence[Debt]) -> set[int]:
    return set().union(*(debt.cents for debt in group))


def _cents_of_entry(entry: dict[str, Any]) -> int:
    return cents_of(entry["finalAmount"])


def _write(path: Path, rows: Sequence[Row]) -> None:
    if path.suffix != ".tsv":
        write_sheet(path, rows)
        return
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]), delimiter="\t")
        writer.writeheader()
        writer.writerows(rows)


@contextmanager
def opened_office(folder: Path, *references: str) -> Iterator[EditingOffice]:
    """An office with a provider and an environment of its own, and a row for each reference, each of another person."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "job").mkdir()
    with Provider() as provider, pytest.MonkeyPatch.context() as patch:
        for name in ("LEDGER_URL", "JOBS", "POLICY"):
            patch.delenv(f"REPASSE_{name}", raising=False)
        patch.delenv("PREFECT_API_URL", raising=False)
        patch.setenv("REPASSE_HOME", str(folder / "home"))
        patch.setenv("REPASSE_API_URL", provider.url)
        patch.setenv("REPASSE_API_KEY", KEY)
        patch.setenv("REPASSE_TIMEOUT_S", "5")
        office = EditingOffice(folder / "job", provider)
        for who, reference in zip(PEOPLE, references, strict=False):
            office.owe(who, reference)
        yield office
