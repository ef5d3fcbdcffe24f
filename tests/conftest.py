"""What every test can rely on."""

import gc
import os
import shutil
import signal
import sys
import tempfile
import threading
from pathlib import Path

import pytest

from tests.one_certificate import write_one_certificate

# A shell hands the programs it starts in the background a Ctrl-C that is ignored, and they hand that on: tests of what
# an interrupt does would then wait for one that never comes.
if threading.current_thread() is threading.main_thread():
    signal.signal(signal.SIGINT, signal.default_int_handler)

# What belongs to no job speaks the language of the terminal, which is each developer's own; the tests read English.
os.environ["LC_ALL"] = "C.UTF-8"

# A ledger waits for its disk some fifty times in a run; where memory has room for what tests write, nothing waits.
IN_MEMORY = Path("/dev/shm")  # noqa: S108 - pytest and tempfile make folders of their own in it
if "TMPDIR" not in os.environ and IN_MEMORY.is_dir() and shutil.disk_usage(IN_MEMORY).free > 4 << 30:
    os.environ["TMPDIR"], tempfile.tempdir = str(IN_MEMORY), None


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> None:
    """Set hypothesis up before the first file that uses it is imported; it takes a second, and most files do not."""
    if file_path.suffix == ".py" and "hypothesis" in file_path.read_text(encoding="utf-8"):
        from hypothesis import settings

        import tests.hypothesis_profile  # noqa: F401

        if not parent.config.getoption("--hypothesis-profile", default=None):
            settings.load_profile("repasse")


def pytest_collection_finish(session: pytest.Session) -> None:
    """Set aside what lives as long as the run, which the collector of garbage would look through again and again.

    And make ledgers in a fraction of the time, where tests make any.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 10, 10)
    if "io_adapters.ledger.ledger" in sys.modules:
        from tests.migrations import install

        install()


@pytest.fixture(scope="session", autouse=True)
def _one_certificate(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Trust one authority: reading all of them takes longer than many a test, and tests speak over loopback alone."""
    os.environ["SSL_CERT_FILE"] = str(write_one_certificate(tmp_path_factory.mktemp("trusted")))


# Files that take longest, which must not be the last ones of a run in which other workers have nothing left to do.
LONGEST_FIRST = (
    "simulation", "watched", "flows/test_foreign_currency.py", "property", "contract/test_sandbox_openapi.py",
    "browser", "golden", "docs", "flows",
)  # fmt: skip


def pytest_xdist_auto_num_workers() -> int:
    """Take half as many workers again as there are processors: a good part of the time they wait for servers."""
    return (os.cpu_count() or 2) * 3 // 2


# TURN=N plays every twelfth of the long tests from the one of that number on, as each run of CI plays the next twelfth.
PARTS = 12


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the long tests of other turns out, and hand long files out first when several workers share a run."""
    if turn := os.environ.get("TURN"):
        in_turns = [
            item for item in items if item.get_closest_marker("long") and not item.get_closest_marker("journey")
        ]
        later = {item: None for place, item in enumerate(in_turns) if (place - int(turn)) % PARTS}
        config.hook.pytest_deselected(items=list(later))
        items[:] = [item for item in items if item not in later]
    if hasattr(config, "workerinput"):
        items.sort(key=_turn)


def _turn(item: pytest.Item) -> int:
    path = item.path.as_posix()
    return next((turn for turn, name in enumerate(LONGEST_FIRST) if f"/tests/{name}" in path), len(LONGEST_FIRST))
