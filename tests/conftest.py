"""What every test can rely on."""

import signal
import threading
from pathlib import Path

import pytest

# A shell hands the programs it starts in the background a Ctrl-C that is ignored, and they hand that on: tests of what
# an interrupt does would then wait for one that never comes.
if threading.current_thread() is threading.main_thread():
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> None:
    """Set hypothesis up before the first file that uses it is imported; it takes a second, and most files do not."""
    if file_path.suffix == ".py" and "hypothesis" in file_path.read_text(encoding="utf-8"):
        from hypothesis import settings

        import tests.hypothesis_profile  # noqa: F401

        if not parent.config.getoption("--hypothesis-profile", default=None):
            settings.load_profile("repasse")


# Files that take longest, which must not be the last ones of a run in which other workers have nothing left to do.
LONGEST_FIRST = (
    "simulation", "watched", "flows/test_foreign_currency.py", "property", "contract/test_sandbox_openapi.py",
    "browser", "golden", "docs", "flows",
)  # fmt: skip


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Hand long files out first when several workers share a run."""
    if hasattr(config, "workerinput"):
        items.sort(key=_turn)


def _turn(item: pytest.Item) -> int:
    path = item.path.as_posix()
    return next((turn for turn, name in enumerate(LONGEST_FIRST) if f"/tests/{name}" in path), len(LONGEST_FIRST))
