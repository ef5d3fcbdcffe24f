"""What a desk leaves behind, and how it ends: no looks of another desk, no full disk, no half-written earnings."""

import datetime as dt
import os
import subprocess
import time
from dataclasses import replace
from pathlib import Path

import pytest

from flows.desk.uploads import QUOTA_TIMES, make_room
from flows.house_ledger import open_ledger_of
from flows.settings import read_settings
from io_adapters.outputs.atomic import replace_atomically, sweep_unfinished
from io_adapters.spreadsheets import limits
from io_adapters.spreadsheets.declarations import read_layout
from io_adapters.spreadsheets.reading import open_file
from schemas.errors import UnreadableFile
from tests.flows.desk.office import Browser, prepare
from tests.flows.jobs import payment, people, write_sheet
from tests.flows.label import COMMAND

(ANA,) = people(1)

pytestmark = pytest.mark.long
GONE = "999999999"


@pytest.mark.long
@pytest.mark.journey
def test_a_second_desk_of_a_home_leaves_the_looks_of_the_first_one_alone(desk, ana, job, the_job, environment):
    sheet = write_sheet(environment / "p.xlsx", [payment(ANA, "x")])
    look = ana.bring(the_job, [sheet])
    ana.wait_for(look, "O que foi reconhecido")
    left = environment / "home" / "desk" / GONE
    left.mkdir(parents=True)
    process = subprocess.Popen([*COMMAND, "desk", "--port", "0"], stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    process.terminate()
    process.wait(20)
    process.stdout.close()
    assert ana.http.get(f"{look}/corrections.xlsx").status_code == 200
    assert not left.exists(), "of a desk that has ended"


def test_uploads_that_come_to_nothing_take_no_more_than_their_room(desk, ana, the_job, settings):
    who = Browser(desk, replace(settings, upload_limit_bytes=40_000))
    who.sign_in("Ana Lima")
    for number in range(60):
        content = os.urandom(30_000)
        parts = [("token", (None, who.token(the_job))), ("file:payments", (f"{number}.xlsx", content))]
        who.http.post(f"{the_job}/preview", files=parts, headers={"Origin": "http://127.0.0.1"})
    kept = sum(path.stat().st_size for path in settings.uploads.rglob("*") if path.is_file())
    assert kept <= (QUOTA_TIMES + 1) * 40_000


def test_what_a_run_has_read_is_kept_however_long_ago_and_what_came_to_nothing_is_not(
    ana, the_job, service, environment, settings, clock
):
    used = write_sheet(environment / "used.xlsx", [payment(ANA, "10,00")])
    prepare(ana, the_job, [used])
    idle = write_sheet(environment / "idle.xlsx", [payment(ANA, "11,00")])
    ana.wait_for(ana.bring(the_job, [idle]), "O que foi reconhecido")
    with open_ledger_of(read_settings()) as ledger:
        later = clock.as_clock().now() + dt.timedelta(days=30)
        make_room(ledger, settings.uploads, later, quota_bytes=10**9)
    names = {path.name for path in settings.uploads.rglob("*.xlsx")}
    assert names == {"used.xlsx"}


@pytest.mark.journey
def test_a_killed_run_leaves_no_half_written_statement_behind_and_no_name_in_its_file(tmp_path):
    folder = tmp_path / "out"
    living = folder / f".writing-{os.getpid()}-x.part"
    left = folder / "2026-10" / "statements" / f".writing-{GONE}-abc.part"
    for path in (living, left):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"of somebody who earned")
    sweep_unfinished(folder)
    assert living.exists(), "its process may still be writing"
    assert not left.exists()
    target = folder / "statement-Ana Souza.pdf"
    replace_atomically(target, b"%PDF-")
    assert target.read_bytes() == b"%PDF-"
    assert sorted(path.name for path in folder.iterdir()) == [living.name, "2026-10", target.name]


def test_a_run_removes_what_a_killed_run_of_its_job_has_left(desk, ana, job, the_job, service):
    left = job.parent / "out" / "aurora" / "2026-10" / "r" / f".writing-{GONE}-abc.part"
    left.parent.mkdir(parents=True)
    left.write_bytes(b"of somebody who earned")
    prepare(ana, the_job)
    assert not left.exists()


def test_a_desk_that_is_asked_to_stop_while_it_reads_ends_at_once(environment, job):
    script = (
        "import time\n"
        "from pathlib import Path\n"
        "from flows.desk.app import opened_desk\n"
        "from flows.settings import read_settings\n"
        "from flows.desk import previews\n"
        "from flows.run_options import RunOptions\n"
        "previews.read_run_request = lambda *a, **k: time.sleep(600)\n"
        "class L:\n"
        "    is_queued = False\n"
        "    def close(self): pass\n"
        f"with opened_desk(read_settings(), Path({str(job.parent.parent)!r}), L()) as desk:\n"
        "    (line,) = desk.jobs.list()\n"
        "    desk.previews.begin(line.token, RunOptions())\n"
    )
    began = time.monotonic()
    subprocess.run([COMMAND[0], "-c", script], check=True, timeout=120, env=os.environ)
    assert time.monotonic() - began < 60


@pytest.mark.journey
@pytest.mark.parametrize("name", ["p.xlsx", "p.csv"])
def test_a_table_of_more_rows_than_are_read_is_refused_with_the_limit(tmp_path: Path, monkeypatch, name):
    monkeypatch.setattr(limits, "MOST_TABLE_ROWS", 5)
    layout = read_layout("payments", tmp_path)
    for rows, is_read in ((5, True), (6, False)):
        sheet = write_sheet(tmp_path / name, [payment(ANA, "10,00", str(number)) for number in range(rows)])
        with open_file(str(sheet)) as file:
            if is_read:
                assert sum(len(table.cells) for table in file.tables(layout)) == rows
            else:
                with pytest.raises(UnreadableFile) as refused:
                    list(file.tables(layout))
                assert "5" in str(refused.value.issues[0].message)
