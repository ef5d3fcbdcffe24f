"""Whoever takes over the process that reads workbooks can do nothing with it: each act succeeds outside the cage alone.

Varied: the act, the process (a reader, one that marks a sheet, one of a real workbook), and whether the system has a
cage. Held constant: Linux; the acts are done in Python, by the process itself.
"""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from io_adapters.spreadsheets.readers import ReaderChild, Readers, has_a_cage, mark_workbook
from schemas.corrections import ProblemList, WorkbookMarks
from tests.io_adapters.caged_acts import ACTS, RUNS_ANOTHER
from tests.io_adapters.spreadsheets.workbook_files import read, workbook

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the cage is of the Linux kernel")


@pytest.fixture(scope="module")
def has_cage() -> None:
    if not has_a_cage():
        reason = "this kernel has not both Landlock and seccomp"
        assert "REPASSE_REQUIRE_SYSTEM" not in os.environ, reason
        pytest.skip(reason)


@pytest.fixture
def house(tmp_path: Path) -> Iterator[dict[str, object]]:
    """A payer that runs, with its home, and what listens on its machine."""
    home = tmp_path / "home"
    home.mkdir()
    files = {name: home / name for name in ("ledger", "key", "job")}
    for file in files.values():
        file.write_bytes(b"something")
    waits = "import signal, sys; signal.signal(signal.SIGUSR1, lambda *_: None); print(flush=True); sys.stdin.read()"
    payer = subprocess.Popen([sys.executable, "-c", waits], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    listeners = [socket.socket(), socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)]
    addresses = [("127.0.0.1", 0), str(home / "s"), f"\0repasse-{os.getpid()}"]
    for listener, address in zip(listeners, addresses, strict=True):
        listener.bind(address)
        listener.listen(8)
    assert payer.stdout is not None
    payer.stdout.readline()
    try:
        yield {
            **{name: str(file) for name, file in files.items()},
            "home": str(home), "payer": payer.pid, "tcp": listeners[0].getsockname(),
            "unix": addresses[1], "name": str(addresses[2]).lstrip("\0"),
        }  # fmt: skip
    finally:
        payer.communicate()
        for listener in listeners:
            listener.close()


def acted(place: dict[str, object], *, caged: bool) -> dict[str, str]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.io_adapters.caged_acts"],
        input=json.dumps({"caged": caged, "place": place}), cwd=ROOT, capture_output=True, text=True, timeout=120,
        check=True,
    )  # fmt: skip
    answers: dict[str, str] = json.loads(done.stdout)
    assert answers.pop("entered") is caged, "the confinement did not say truly whether it is a cage"
    return answers


@pytest.mark.usefixtures("has_cage")
def test_a_reader_that_was_taken_over_can_do_none_of_what_its_user_may(house):
    answers = acted(house, caged=True)
    assert set(answers) == {*ACTS, RUNS_ANOTHER}
    assert [act for act, refused in answers.items() if not refused] == []
    assert set(answers.values()) <= {"EPERM", "EACCES"}, "refused by the cage, not for want of what it asked for"
    assert sorted(path.name for path in Path(str(house["home"])).iterdir()) == ["job", "key", "ledger", "s"]


def test_outside_the_cage_each_of_these_acts_succeeds(house):
    assert {act: refused for act, refused in acted(house, caged=False).items() if refused} == {}


def status_of(pid: int) -> dict[str, str]:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return {name: text.strip() for name, _, text in (line.partition(":") for line in lines)}


@pytest.mark.usefixtures("has_cage")
def test_the_process_that_has_read_a_workbook_is_in_the_cage_with_all_its_threads():
    reader = Readers()
    try:
        read(workbook(), reader)
        threads = [int(task.name) for task in Path(f"/proc/{reader.child_pid}/task").iterdir()]
        assert [(status_of(pid)["Seccomp"], status_of(pid)["NoNewPrivs"]) for pid in threads] == [("2", "1")] * len(
            threads
        )
    finally:
        reader.end()


@pytest.mark.usefixtures("has_cage")
def test_the_process_that_marks_a_sheet_is_in_the_cage_too_and_marks_it(tmp_path):
    child = ReaderChild(2**31, 30, str(tmp_path), 10**6)
    try:
        assert child.is_caged
        assert status_of(child.pid)["Seccomp"] == "2"
    finally:
        child.kill()
    assert mark_workbook(
        workbook(), WorkbookMarks((), ProblemList("Problemas", "", (("regra", 10),), 0, ()), {"seen": "yes"})
    )


# As a container does that knows no Landlock: the call is answered as if the kernel had none, here and in all children.
NO_LANDLOCK = """
import ctypes, platform, sys
from io_adapters import cage
which, machine = cage._MACHINES[platform.machine()]
ctypes.CDLL(None).prctl(38, 1, 0, 0, 0)
unknown = cage._returns(cage._ERROR | 38)
steps = [(0x20, 0, 0, 0), *cage._if(444, [unknown]), cage._returns(cage._ALLOW)]
assert cage._seccomp(ctypes.CDLL(None), cage._SECCOMP[which], steps)
"""
OPENS = """
from io_adapters.spreadsheets.readers import read_in_the_cage_alone
from io_adapters.spreadsheets.reading import open_file
from schemas.errors import UnreadableFile
if sys.argv[2] == "caged_alone":
    read_in_the_cage_alone()
try:
    with open_file(sys.argv[1]) as file:
        print("read", len(file.views))
except UnreadableFile as refused:
    print(refused.issues[0].code, refused.message)
"""


@pytest.mark.usefixtures("has_cage")
@pytest.mark.parametrize(
    ("program", "asks_for", "told"),
    [
        (NO_LANDLOCK + OPENS, "caged_alone", "FILE_PARSER"),
        (NO_LANDLOCK + OPENS, "whatever there is", "read"),
        ("import sys" + OPENS, "caged_alone", "read"),
    ],
    ids=["no cage, and the desk asks for one", "no cage, and the house reads all the same", "a cage"],
)
def test_where_the_system_has_no_cage_the_desk_reads_no_workbook(tmp_path, program, asks_for, told):
    (tmp_path / "a.xlsx").write_bytes(workbook())
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "a.xlsx"), asks_for],
        cwd=ROOT, capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    assert done.stdout.startswith(told)
    assert ("CSV" in done.stdout) is (told == "FILE_PARSER"), "the refusal names a way"


def test_whoever_pays_lets_nobody_read_its_memory_nor_leaves_it_in_a_file():
    tells = (
        "import ctypes, resource; from io_adapters.cage import keep_memory_private; keep_memory_private();"
        "print(ctypes.CDLL(None).prctl(3, 0, 0, 0, 0), resource.getrlimit(resource.RLIMIT_CORE)[0])"
    )
    done = subprocess.run([sys.executable, "-c", tells], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["0", "0"]
