"""Prefect's whole database, searched for what people wrote; and the processes that the desk starts.

Held constant: a real server on its own SQLite file, every byte of which is searched. Varied: how the run ends, who
starts it (a person at a terminal, the desk's launcher, a night), and how files come (from the folder, given by hand).
"""

import os
import sqlite3
import time
from pathlib import Path

import pytest

from flows.launch import ChildLauncher, start_payout
from flows.nightly import nightly
from flows.payout import payout
from flows.prefect_ui.deployments import DeploymentLauncher, deploy
from flows.run import QuietProgress
from flows.run_options import RunOptions
from flows.settings import read_settings
from schemas.readers import for_strangers
from tests.flows.canaries import ANA, BIA, COLUMNS, WORDS, declare, named_in, row, sheet_of, write
from tests.flows.label import Label
from tests.flows.oracle import CREATE, Oracle
from tests.sandboxes import opened_sandbox

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("prefect_database")]
ANSWERED = {"Jabuticaba": {"ignored": "text"}, "Obs": {"ignored": "text"}}


@pytest.fixture
def theirs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A team whose folder, files, sheets, headers and cells all name somebody."""
    for name in [name for name in os.environ if name.startswith("REPASSE_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    with opened_sandbox() as sandbox:
        oracle = Oracle(sandbox)
        monkeypatch.setenv("REPASSE_HOME", str(tmp_path / "home"))
        monkeypatch.setenv("REPASSE_API_URL", oracle.url)
        monkeypatch.setenv("REPASSE_API_KEY", oracle.api_key)
        label = Label(tmp_path / f"{WORDS['folder']} e filhos")
        monkeypatch.setenv("REPASSE_JOBS", str(label.folder))
        write(label, [row(ANA, "10,00"), row(BIA, "20,00")])
        declare(label, columns=ANSWERED)
        yield label, oracle


def recorded(database: Path) -> str:
    """Return all that the server keeps, what is still in its log of changes included."""
    time.sleep(2)  # records of tasks come with a delay
    with sqlite3.connect(database) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    kept = b"".join(path.read_bytes() for path in database.parent.iterdir() if path.is_file())
    return kept.decode("utf-8", "replace")


def clean(label: Label, service: Oracle) -> None:
    """Every row is sound."""


def held(label: Label, service: Oracle) -> None:
    rows = [row(ANA, "10,00")]
    rows += [row(BIA, "20,00") | {column: f"{WORDS['cell']} {place}"} for place, column in enumerate(COLUMNS)]
    write(label, [{"Banco": "", "Agência": "", "Conta": ""} | each for each in rows])


def broken(label: Label, service: Oracle) -> None:
    sheet_of(label).write_bytes(b"PK no workbook of anybody")


def unanswered(label: Label, service: Oracle) -> None:
    declare(label)


def refused(label: Label, service: Oracle) -> None:
    body = f'{{"detail": [{{"loc": ["entries", 0], "msg": "{WORDS["name"]} {ANA.email}", "type": "value_error"}}]}}'
    service.plant(CREATE, "status", when="before", status=422, body=body)


def doubtful(label: Label, service: Oracle) -> None:
    service.plant(CREATE, "status", when="before", status=500, body=f"{WORDS['name']} {ANA.email}")


@pytest.mark.parametrize("state", [clean, held, broken, unanswered, refused, doubtful])
def test_whatever_becomes_of_a_run_prefect_keeps_nobodys_name(theirs, prefect_database, state):
    label, service = theirs
    state(label, service)
    with for_strangers():
        payout("aurora", yes=True, return_state=True)
        start_payout(label.job, RunOptions(yes=True), progress=QuietProgress(), watched=True)
    kept = recorded(prefect_database)
    assert "payout aurora" in kept, "the server's database is what was searched"
    assert named_in(kept) == []


class Breaks(QuietProgress):
    def advance(self, what: str, done: int, total: int) -> None:
        raise ValueError(f"no {WORDS['name']} {ANA.tax_id} in {WORDS['file']}")


def test_a_bug_is_kept_without_the_words_it_was_told_in(theirs, prefect_database):
    label, _ = theirs
    start_payout(label.job, RunOptions(yes=True), progress=Breaks(), watched=True)
    assert named_in(recorded(prefect_database)) == []


def test_a_person_at_a_terminal_who_hands_a_file_in_leaves_its_name_to_nobody(theirs, prefect_database):
    """To them themselves names are told; Prefect, which sees the same run, keeps the hash of the file."""
    label, _ = theirs
    beside = label.folder.parent / f"Lista da {WORDS['file']}.xlsx"
    sheet_of(label).rename(beside)
    report = start_payout(label.job, RunOptions([str(beside)], yes=True), progress=QuietProgress(), watched=True)
    assert report.summary is not None
    assert report.summary.totals_cents.in_ == 3000
    assert named_in(recorded(prefect_database)) == []


def test_a_night_and_runs_that_the_desk_asks_for_name_nobody(theirs, prefect_database):
    label, _ = theirs
    deploy()
    uploads = Path(os.environ["REPASSE_HOME"]) / "uploads" / ("ab" * 32)
    uploads.mkdir(parents=True)
    kept = uploads / f"Lista da {WORDS['file']}.xlsx"
    sheet_of(label).rename(kept)
    DeploymentLauncher().payout(label.job, RunOptions([f"payments={kept}"], by="ana"), key="launch 1")
    nightly(return_state=True)
    assert named_in(recorded(prefect_database)) == []


def test_no_list_of_processes_names_a_job_s_folder_or_a_file(theirs, monkeypatch):
    label, service = theirs
    monkeypatch.delenv("PREFECT_API_URL", raising=False)
    launcher = ChildLauncher(read_settings())
    launcher.payout(label.job, RunOptions([str(sheet_of(label))], by="ana"), key="launch 2")
    seen, until = set(), time.monotonic() + 60
    while time.monotonic() < until and not service.paid:
        for place in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                words = place.read_bytes().replace(b"\0", b" ").decode()
            except OSError:
                continue
            if "flows" in words:
                seen.add(words)
        with label.ledger() as ledger:
            if any(run.exit_code is not None for run in ledger.runs.list()):
                break
    assert any("flows.launch" in words for words in seen)
    assert [words for words in seen if named_in(words)] == []
