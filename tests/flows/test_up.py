"""`repasse up`: everything at once for trying things out, with jobs to try, and nothing left behind."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from flows.cli.playground import SAMPLES, Together, jobs_folder
from schemas.errors import ConfigurationError
from tests.flows.label import COMMAND


@pytest.fixture
def together(tmp_path: Path):
    started = Together(os.environ, tmp_path)
    yield started
    started.stop()


def listing(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if "out" not in path.relative_to(folder).parts}


def runs(pid: int) -> bool:
    """Whether a process still does something; one that nobody waited for yet does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def said_by(log: Path) -> str:
    """Wait until a program has written a line."""
    until = time.monotonic() + 60
    while not (said := log.read_text(encoding="utf-8")).endswith("\n") and time.monotonic() < until:
        time.sleep(0.02)
    return said


def test_there_are_copies_of_sample_jobs_to_try(tmp_path, monkeypatch):
    monkeypatch.delenv("REPASSE_JOBS", raising=False)
    before = listing(SAMPLES)
    jobs = jobs_folder(tmp_path / "home")
    assert sorted(path.parent.name for path in jobs.glob("*/job.yaml")) == ["fees", "payments", "royalties"]
    assert not list(jobs.glob("*/out"))
    assert listing(SAMPLES) == before


def test_jobs_that_are_there_are_left_alone(tmp_path, monkeypatch):
    monkeypatch.delenv("REPASSE_JOBS", raising=False)
    jobs = jobs_folder(tmp_path)
    for path in (jobs / "payments").iterdir():
        path.unlink()
    assert jobs_folder(tmp_path) == jobs
    assert list((jobs / "payments").iterdir()) == []


def test_a_folder_that_somebody_named_gets_no_samples(tmp_path, monkeypatch):
    monkeypatch.setenv("REPASSE_JOBS", str(tmp_path / "ours"))
    assert jobs_folder(tmp_path / "home") == tmp_path / "ours"
    assert list((tmp_path / "ours").iterdir()) == []


def test_the_sandbox_keeps_its_state_in_the_home_folder_that_was_named(tmp_path):
    environment = os.environ | {"REPASSE_HOME": str(tmp_path / "home")}
    with subprocess.Popen(
        [*COMMAND, "sandbox", "--port", "0"], stdout=subprocess.PIPE, cwd=tmp_path, env=environment
    ) as served:
        assert served.stdout is not None
        assert b"sandbox at http" in served.stdout.readline()
        served.send_signal(signal.SIGINT)
    assert (tmp_path / "home" / "sandbox.db").is_file()
    assert not (tmp_path / ".repasse").exists()


def test_what_a_program_started_itself_ends_with_it(together, tmp_path):
    child = "import time; time.sleep(120)"
    parent = f"import subprocess, sys; print(subprocess.Popen([sys.executable, '-c', {child!r}]).pid, flush=True)"
    together.start("parent", ["python", "-c", parent])
    pid = int(said_by(tmp_path / "parent.log"))
    assert runs(pid)
    together.stop()
    until = time.monotonic() + 30
    while runs(pid) and time.monotonic() < until:
        time.sleep(0.02)
    assert not runs(pid)


def test_a_program_that_ends_by_itself_is_named_with_its_log(together, tmp_path):
    together.start("desk", ["python", "-c", "print('no more room'); raise SystemExit(3)"])
    said_by(tmp_path / "desk.log")
    together.programs[0].process.wait(60)
    with pytest.raises(ConfigurationError, match=r"desk has ended \(exit 3\); .*desk\.log says why"):
        together.check()
    assert (tmp_path / "desk.log").read_text(encoding="utf-8") == "no more room\n"


def test_a_preparation_that_fails_is_no_bug_of_the_program(together, tmp_path):
    with pytest.raises(ConfigurationError, match=r"failed \(exit 1\); .*preparations\.log says why"):
        together.do("preparations", ["python", "-c", "raise ValueError('no')"])
    assert "ValueError: no" in (tmp_path / "preparations.log").read_text(encoding="utf-8")
