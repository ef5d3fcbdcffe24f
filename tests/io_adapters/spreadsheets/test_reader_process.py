"""Workbooks are read in a process of their own: whatever becomes of it, this one answers and reads the next file."""

import io
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from io_adapters.spreadsheets import child
from io_adapters.spreadsheets.readers import ReaderChild, Readers, ReaderStopped
from io_adapters.spreadsheets.transfer import receive, send
from schemas.errors import UnreadableFile
from schemas.issues import IssueCode
from tests.io_adapters.spreadsheets.workbook_files import (
    ANA,
    HEADERS,
    opened,
    read,
    table_of,
    with_shared_texts,
    with_sheet,
    workbook,
)

ROOT = Path(__file__).parents[3]
SMALL = workbook()
needs_proc = pytest.mark.skipif(not Path("/proc/self").exists(), reason="looks at processes as Linux shows them")
pytestmark = pytest.mark.long


@pytest.fixture
def reader() -> Iterator[Readers]:
    reader = Readers()
    yield reader
    reader.end()


def large(rows: int = 50_000) -> bytes:
    cells = '<c r="A{0}"><v>{0}</v></c><c r="B{0}" t="inlineStr"><is><t>Pessoa {0}</t></is></c>'
    lines = (f'<row r="{n}">{cells.format(n)}</row>' for n in range(1, rows))
    return with_sheet(f"<sheetData>{''.join(lines)}</sheetData>")


def refused(content: bytes, reader: Readers) -> tuple[IssueCode, str]:
    with pytest.raises(UnreadableFile) as caught:
        read(content, reader)
    (issue,) = caught.value.issues
    return issue.code, str(issue.message)


def runs(pid: int) -> bool:
    """Tell whether a process runs; one that has ended and that nobody has waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def ends_soon(pid: int) -> bool:
    for _ in range(200):
        if not runs(pid):
            return True
        time.sleep(0.05)
    return False


@pytest.mark.journey
def test_one_process_reads_one_workbook_after_the_other(reader):
    assert reader.child_pid is None
    tables = [read(SMALL, reader)]
    first = reader.child_pid
    tables += [read(workbook([HEADERS, ("Bia", "x", 2)]), reader)]
    assert reader.child_pid == first != os.getpid()
    assert [table.cells.loc[2, 0] for table in tables] == ["Ana", "Bia"]


def test_workbooks_that_are_open_at_once_are_not_mixed_up(reader):
    with opened(SMALL, reader) as one, opened(workbook([HEADERS, ("Bia", "x", 2)]), reader) as other:
        for _ in range(2):
            assert table_of(one).cells.loc[2, 0] == "Ana"
            assert table_of(other).cells.loc[2, 0] == "Bia"


def test_threads_may_read_at_once(reader):
    contents = [workbook([HEADERS, (f"Pessoa {n}", "x", n)]) for n in range(8)]
    with ThreadPoolExecutor(8) as pool:
        tables = list(pool.map(lambda content: read(content, reader), contents * 2))
    assert [table.cells.loc[2, 0] for table in tables] == [f"Pessoa {n}" for n in range(8)] * 2


@pytest.mark.journey
def test_a_killed_reader_is_replaced_even_between_two_questions_about_one_workbook(reader):
    with opened(SMALL, reader) as book:
        os.kill(reader.child_pid, signal.SIGKILL)
        assert table_of(book).cells.loc[2, 0] == "Ana"
    first = reader.child_pid
    os.kill(first, signal.SIGKILL)
    assert read(SMALL, reader).cells.loc[2, 0] == "Ana"
    assert reader.child_pid != first


def test_a_reader_killed_in_the_middle_is_told_and_the_next_file_is_read(reader):
    read(SMALL, reader)
    content, pid = large(), reader.child_pid
    timer = threading.Timer(0.05, os.kill, (pid, signal.SIGKILL))
    timer.start()
    code, message = refused(content, reader)
    assert code is IssueCode.FILE_PARSER
    assert "more than 3 GB of memory" in message
    assert read(SMALL, reader).cells.loc[2, 0] == "Ana"


@pytest.mark.journey
def test_a_workbook_that_takes_too_long_is_given_up_in_time():
    reader = Readers(seconds=0.1)
    try:
        content = large(150_000)
        assert refused(content, reader) == (
            IssueCode.FILE_PARSER,
            "reading the file was stopped, since it took more than 0.1 s",
        )
    finally:
        reader.end()


def test_a_reader_that_never_answers_is_given_up_in_time():
    child = ReaderChild(2**31, 0.3)
    os.kill(child.pid, signal.SIGSTOP)
    with pytest.raises(ReaderStopped) as caught:
        child.ask({"ask": "close"})
    assert caught.value.out_of_time
    assert not child.is_there()


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere address space is not limited")
@pytest.mark.parametrize("memory_mb", [200, 400, 600])
def test_a_workbook_that_takes_too_much_memory_is_given_up(reader, memory_mb):
    text = "A" * 30_000
    rows = "".join(f'<row r="{n}"><c r="A{n}" t="s"><v>0</v></c></row>' for n in range(1, 30_000))
    poor = Readers(memory_bytes=memory_mb * 2**20)
    try:
        code, message = refused(with_shared_texts(f"<si><t>{text}</t></si>", rows), poor)
        assert (code, message.endswith(f"more than {memory_mb} MB of memory")) == (IssueCode.FILE_PARSER, True)
    finally:
        poor.end()
    assert read(SMALL, reader).cells.loc[2, 0] == "Ana"


def test_an_interrupted_answer_is_not_taken_for_the_next_one(reader):
    read(SMALL, reader)
    content = large()
    timer = threading.Timer(0.05, signal.raise_signal, (signal.SIGINT,))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        read(content, reader)
    assert read(SMALL, reader).cells.loc[2, 0] == "Ana"


def test_a_reader_that_cannot_start_is_told(reader, monkeypatch):
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    code, message = refused(SMALL, reader)
    assert code is IssueCode.FILE_PARSER
    assert "could not be started" in message


@needs_proc
def test_a_forked_process_starts_a_reader_of_its_own():
    script = """
        import os
        from io_adapters.spreadsheets import readers
        from tests.io_adapters.spreadsheets.workbook_files import read, workbook
        shared = readers.READERS
        read(workbook())
        first = shared.child_pid
        if os.fork() == 0:
            assert shared.child_pid is None
            read(workbook())
            assert shared.child_pid not in (None, first)
            shared.end()
            os._exit(0)
        assert os.wait()[1] == 0
        read(workbook())
        assert shared.child_pid == first
        print("read")
    """
    assert ran(script).stdout == "read\n"


@needs_proc
def test_a_reader_ends_with_the_process_that_started_it():
    script = """
        import os, sys
        from io_adapters.spreadsheets import readers
        from tests.io_adapters.spreadsheets.workbook_files import read, workbook
        read(workbook())
        print(readers.READERS.child_pid, flush=True)
    """
    assert ends_soon(int(ran(script).stdout))
    killed = ran(script + "    os.kill(os.getpid(), 9)\n", check=False)
    assert killed.returncode == -signal.SIGKILL
    assert ends_soon(int(killed.stdout))


@pytest.mark.journey
@needs_proc
def test_the_reader_is_given_no_secrets(reader, monkeypatch):
    monkeypatch.setenv("REPASSE_API_KEY", "k-123")
    read(SMALL, reader)
    assert b"REPASSE_API_KEY" not in Path(f"/proc/{reader.child_pid}/environ").read_bytes()


def test_modules_in_the_current_folder_are_not_taken_for_the_readers_own(reader, tmp_path, monkeypatch):
    (tmp_path / "zipfile.py").write_text("raise SystemExit('taken in')")
    monkeypatch.chdir(tmp_path)
    assert read(SMALL, reader).cells.loc[2, 0] == "Ana"


def test_the_reader_starts_without_the_heavy_libraries():
    script = """
        import sys
        import io_adapters.spreadsheets.child, io_adapters.spreadsheets.workbook.xlsx
        print(sorted({"pandas", "pydantic", "pandera", "openpyxl", "fsspec"} & set(sys.modules)))
    """
    assert ran(script).stdout == "[]\n"


def test_what_libraries_print_does_not_disturb_the_answers():
    script = """
        import io, os, sys
        from io_adapters.spreadsheets import child
        answers = child._own_stdout()
        print("noise"); sys.stdout.flush(); os.write(1, b"noise")
        answers.write(b"answer"); answers.flush()
    """
    assert ran(script).stdout == "answer"


def test_a_child_ends_when_it_is_asked_nonsense():
    child = ReaderChild(2**31, 10)
    send(child._requests, {"ask": "open", "kind": "../x", "name": "x", "seconds": 5})
    assert "refused" in child._receive()[0]
    child._requests.write(b"\xff" * 64)
    child._requests.flush()
    child._requests.close()
    assert child._process.wait(10) != 0
    child.kill()


def test_a_table_may_be_read_twice(reader):
    with opened(workbook([HEADERS, ANA, ("Bia", "y", 2)]), reader) as book:
        assert table_of(book).cells.equals(table_of(book).cells)


def ran(script: str, *, check: bool = True) -> subprocess.CompletedProcess[str]:
    code = "\n".join(line.removeprefix("        ") for line in script.splitlines())
    return subprocess.run(
        [sys.executable, "-c", code], check=check, capture_output=True, text=True, cwd=ROOT, timeout=60
    )


def test_an_error_that_nobody_foresaw_is_told_by_its_class_and_place_and_without_its_text():
    class Falling:
        def answers(self, _words, _given, _spare):
            raise KeyError("529.982.247-25")

    stream = io.BytesIO()
    child._answer(stream, Falling(), {"ask": "open"}, io.BytesIO(), io.BytesIO())
    stream.seek(0)
    words, _ = receive(stream)
    assert words["refused"]["code"] == "FILE_CORRUPT"
    assert re.fullmatch(r"KeyError, test_reader_process\.py:[0-9]+", words["refused"]["message"]["facts"]["reason"])
