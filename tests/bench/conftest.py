"""Collects what the benchmarks measure and prints it as one table. Times are told, never judged: machines differ."""

from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import median
from time import perf_counter

import pytest


@dataclass(slots=True)
class Figures:
    """What was measured, in order."""

    lines: list[tuple[str, float, float | None, str]] = field(default_factory=list)

    def tell(self, what: str, seconds: float, *, beside_s: float | None = None, beside: str = "") -> None:
        """Add a figure, and what it is set beside."""
        self.lines.append((what, seconds, beside_s, beside))


FIGURES = pytest.StashKey[Figures]()


@pytest.fixture(scope="session")
def figures(request: pytest.FixtureRequest) -> Figures:
    return request.config.stash.setdefault(FIGURES, Figures())


def median_s(action: Callable[[], object], times: int = 3) -> float:
    """Do something some times; returns the median of the seconds it took."""
    seconds = []
    for _ in range(times):
        began = perf_counter()
        action()
        seconds.append(perf_counter() - began)
    return median(seconds)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print the table."""
    told = config.stash.get(FIGURES, None)
    if told is None:
        return
    terminalreporter.section("figures (medians)")
    for what, seconds, beside_s, beside in told.lines:
        ratio = f"{seconds / beside_s:8.2f} x {beside} ({_readable(beside_s)})" if beside_s else ""
        terminalreporter.write_line(f"{what:<66}{_readable(seconds):>12}{ratio}")


def _readable(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.2f} {unit}"
    return f"{seconds * 1e9:.0f} ns"
