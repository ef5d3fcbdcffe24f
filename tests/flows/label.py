"""A label's finance team: its folder, and what its people do with it."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from openpyxl import load_workbook
from typer.testing import CliRunner, Result

from flows.cli import app
from flows.house_ledger import open_ledger_of
from flows.launch import start_payout
from flows.run import QuietProgress
from flows.run_options import RunOptions
from flows.runner import RunReport
from flows.settings import read_settings
from io_adapters.ledger.ledger import Ledger
from tests.flows.books import assert_books_close
from tests.flows.jobs import Row, advance, declare, payee, people, share, write_sheet

COMMAND = (sys.executable, "-c", "from flows.cli import main; main()")


class Label:
    """Runs the real thing: in this process, against the service and ledger the environment names."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        self.folder = folder
        self.job = declare(folder / "job.yaml")

    def declare(self, **changes: object) -> None:
        """Write the job file anew."""
        declare(self.job, **changes)

    def write(self, name: str, rows: Sequence[Row]) -> Path:
        """Write a sheet into the job's folder."""
        return write_sheet(self.folder / name, rows)

    def payments(self, *rows: Row) -> Path:
        """Write the payments sheet anew."""
        return self.write("payments.xlsx", rows)

    def run(
        self,
        *,
        yes: bool = True,
        by: str = "ana",
        files: Sequence[Path] = (),
        progress: QuietProgress | None = None,
        one_more: bool = False,
    ) -> RunReport:
        """Run the payout, and close its books."""
        names = [str(path) for path in files]
        report = start_payout(
            self.job,
            RunOptions(names, yes=yes, by=by, one_more=one_more),
            progress=progress or QuietProgress(),
            watched=False,
        )
        if report.summary is not None:
            summary = summary_of(report)
            assert summary["exit_code"] == report.exit_code
            assert_books_close(summary)
        return report

    def type(self, *words: object, typed: str | None = None) -> Result:
        """Type a command, and what it asks for; no command ever ends with a traceback."""
        result = CliRunner().invoke(app, [str(word) for word in words], input=typed)
        assert result.exception is None or isinstance(result.exception, SystemExit)
        assert "Traceback" not in result.output
        return result

    def say(self, *words: object, code: int = 0) -> Result:
        """Type a command that ends so."""
        result = self.type(*words)
        assert result.exit_code == code, result.output
        return result

    def ask(self, *words: object, code: int = 0) -> dict[str, Any]:
        """Type a command with --json; its standard output is one document."""
        document: dict[str, Any] = json.loads(self.say(*words, "--json", code=code).stdout)
        return document

    def ask_any(self, *words: object) -> dict[str, Any]:
        """Type a command with --json, however it ends."""
        document: dict[str, Any] = json.loads(self.type(*words, "--json").stdout)
        return document

    def approve(self, digest: str | None, total: str, by: str, code: int = 0, seen: int = 0) -> None:
        """Say yes to a plan, and how many texts beside its payments were looked at."""
        self.say("approve", digest, "--by", by, "--total", total, "--seen", seen, code=code)

    def receive(self, digest: str | None, by: str = "ana") -> None:
        """Say that the files of a plan that nobody is known to have brought have come to somebody."""
        with self.ledger() as ledger:
            ledger.approvals.receive(ledger.plans.get(digest or "").digest, by)

    @staticmethod
    def ledger() -> Ledger:
        """Open the ledger, as another program would."""
        return open_ledger_of(read_settings())

    @classmethod
    def back_to_today(cls) -> None:
        """Let the ledger go on by the true clock after something was done by one that is ahead."""
        with cls.ledger() as ledger:
            ledger.runs.accept_clock("tests")


def split_with_ana_and_bia(label: Label) -> Label:
    """Ana has a quarter as composer and a tenth as singer, and an advance of 40.00; Bia a third; the label the rest."""
    ana, bia = people(2)
    label.write("payees.xlsx", [payee(ana), payee(bia)])
    of_ana = [share(ana, "25") | {"Função": "autora"}, share(ana, "10") | {"Função": "intérprete"}]
    label.write("shares.xlsx", [*of_ana, share(bia, "33,3333") | {"Função": ""}])
    label.write("advances.csv", [advance(ana, "40,00")])
    return label


DOLLAR = {"USD": {"rate": "5.4312", "date": "2026-10-31", "source": "PTAX"}}


def run_month(label: Label, month: str, **changes: object) -> RunReport:
    """Share out the statements of a month as `split_with_ana_and_bia` says."""
    sources = [{"files": "{period}-*.xlsx", "layout": "royalties", "exchange": DOLLAR}]
    tables = {"payees": "payees.xlsx", "shares": "shares.xlsx", "advances": "advances.csv"}
    label.declare(**{"period": month, "sources": sources} | tables | changes)
    return label.run()


def summary_of(report: RunReport) -> dict[str, Any]:
    """Read a run's summary.json from where it stands now."""
    (path,) = (path for path in report.outputs if path.name == "summary.json")
    summary: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return summary


def corrections_of(report: RunReport) -> Path:
    """Find the corrections workbook of a run."""
    (path,) = (path for path in report.outputs if path.name == "corrections.xlsx")
    return path


def put_right(workbook: Path, **cells: str) -> Path:
    """Correct cells named SHEET_CELL."""
    book = load_workbook(workbook)
    for name, value in cells.items():
        sheet, _, cell = name.rpartition("_")
        book[sheet][cell] = value
    book.save(workbook)
    return workbook


def digest_of(report: RunReport) -> str:
    """Name the plan of a run."""
    digest: str = summary_of(report)["plan_digest"]
    return digest
