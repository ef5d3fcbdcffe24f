"""What becomes of a drawn sheet, in the words in which its truth is drawn."""

import re
from collections.abc import Collection, Iterable, Mapping
from decimal import ROUND_HALF_EVEN, Decimal
from fnmatch import fnmatch
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from ruamel.yaml import YAML

from flows.intake.intake import Intake
from flows.intake.read import read
from flows.payables.draft import draft
from flows.run import QuietProgress, Run, opened_offline
from flows.run_request import read_run_request
from io_adapters.spreadsheets.declarations import check_job, with_columns_of
from schemas.errors import UnreadableFile
from schemas.issues import Issue, IssueCode, Severity
from schemas.job import TableFiles
from schemas.layouts.answers import ColumnAnswer
from schemas.messages import render
from schemas.obligation import planned_payments, sum_cents
from schemas.reasons import reasons_from_json, reasons_text
from schemas.tables.model import records
from schemas.values.money import exact_text
from schemas.wire import Institution

CENTAVO = Decimal("0.01")
# The banks of the drawings, as the service lists them: code -> ISPB.
BANKS = {
    "001": "00000000", "033": "90400888", "077": "00416968", "104": "00360305", "237": "60746948", "260": "18236120",
    "336": "31872495", "341": "60701190",
}  # fmt: skip
LISTED = {ispb: Institution(ispb_number=ispb, compe_number=code, is_active=True) for code, ispb in BANKS.items()}


class KeptProgress(QuietProgress):
    """Keeps what a person is told while a job is read."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def stage(self, name: str) -> None:
        pass

    def show(self, message: str) -> None:
        self.told.append(message)


def read_and_judge(job: Path) -> dict[str, Any]:
    """Read a job's files as `check` does, and say in the words of a drawing's truth what became of them.

    What is proposed for headers that nobody has answered is taken by a person, once.
    """
    issues, found = _judged(job)
    if asked := [issue for issue in issues if issue.code is IssueCode.COLUMN_UNANSWERED]:
        text = job.read_text("utf-8")
        for issue in asked:
            text = with_columns_of(text, *_answered(text, issue))
        job.write_text(text, "utf-8")
        issues, found = _judged(job)
        assert IssueCode.COLUMN_UNANSWERED not in {issue.code for issue in issues}
    return found


def _answered(text: str, issue: Issue) -> tuple[str, dict[str, ColumnAnswer]]:
    """Return the place of a table in a job, and what is said there of its headers once all is taken as proposed."""
    job, file = check_job(text, "job.yaml"), issue.file.partition(" > ")[0]
    places = {str(at): source for at, source in enumerate(job.sources, start=1)} | {
        name: files for name, files in job.tables.items() if files
    }
    place = next(
        name for name, files in places.items() if any(fnmatch(file, Path(pattern).name) for pattern in files.files)
    )
    (said,) = re.findall(r"`columns: ([^`]+)`", render(issue.accepts, "en"))
    answers = TableFiles(files=("-",), columns=YAML(typ="safe").load(said)).answers
    return place, {**places[place].answers, **answers}


def _judged(job: Path) -> tuple[list[Issue], dict[str, Any]]:
    progress = KeptProgress()
    with opened_offline(read_run_request(job), progress) as run:
        run.ledger.institutions = SimpleNamespace(read_at=run.clock.now, all=lambda: LISTED)
        try:
            intake = read(run)
        except UnreadableFile as refused:
            return [], {"refused": _named(refused.issues), "told": [*progress.told, *_texts(refused.issues)]}
        drafted = draft(run, intake)
        planned = planned_payments(drafted.payables.obligations)
        found = _ends(drafted.intake, run, {owed.source.row for owed in planned})
        found |= {"told": [*progress.told, *_texts(run.issues)]}
        if intake.inputs.statements:
            lines = {row: line for row, line in _lines(intake).items() if row not in found["held"]}
            total = sum((Decimal(amount.partition(" ")[0]) for amount in lines.values()), Decimal())
            assert sum_cents(planned) == int(total.quantize(CENTAVO, ROUND_HALF_EVEN) * 100)
            return list(run.issues), found | {"lines": lines}
        rows = {owed.source.row: f"{Decimal(owed.amount_cents).scaleb(-2)}" for owed in planned}
        found |= {"paid": rows, "to": {owed.source.row: str(owed.account) for owed in planned}}
        return list(run.issues), found


def _lines(intake: Intake) -> dict[int, str]:
    frames = [file.read_lines() for file in intake.inputs.files if file.read_lines]
    lines = [line for frame in frames for line in records(frame)]
    return {line["row"]: f"{exact_text(line['amount'])} {line['currency']}" for line in lines}


def _ends(intake: Intake, run: Run, paid: Collection[int]) -> dict[str, Any]:
    """Say which rows are held and set aside; a run of rows may go past others in between, of which more is known."""
    ends: dict[str, dict[int, str]] = {"held": {}, "ignored": {}}
    for row in records(intake.inputs.rows):
        if row["disposition"] in ends:
            why = reasons_text(reasons_from_json(row["reasons"]))
            ends[row["disposition"]] |= dict.fromkeys(range(row["first_row"], row["last_row"] + 1), why)
    held = {row: why for row, why in ends["held"].items() if row not in {*ends["ignored"], *paid}}
    assert len(held) == sum(row["rows"] for row in records(intake.inputs.rows) if row["disposition"] == "held")
    return {"held": held, "aside": ends["ignored"], "problems": _named(run.issues)}


def _named(issues: Iterable[Issue]) -> list[str]:
    """Name the problems of a file, but for what is only noted."""
    return sorted(_place(issue) for issue in issues if issue.severity is not Severity.NOTE)


def _texts(issues: Iterable[Issue]) -> list[str]:
    return [render(issue.message, "pt-BR") for issue in issues]


def _place(issue: Issue) -> str:
    where = issue.cell or (f"row {issue.row}" if issue.row else "")
    return f"{where} {issue.code.value}".strip()


def expected(truth: Mapping[str, Any]) -> dict[str, Any]:
    """Complete a truth: what it leaves out did not happen."""
    if "refused" in truth:
        return {"refused": sorted(truth["refused"])}
    money = "lines" if "lines" in truth else "paid"
    whole = {money: truth.get(money, {}), "held": truth.get("held", {}), "aside": truth.get("aside", {})}
    return whole | {"problems": sorted(truth.get("problems", []))}
