"""Collects what the benchmarks measure: one table on the screen, and the same in build/bench.json.

Times are shown beside a baseline of the same run and beside an aim, never asserted: machines differ, and are busy.
"""

import json
import os
import platform
import resource
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import median
from time import perf_counter

import pytest


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure.

    Attributes:
        work: What was done.
        median: What it took, in `unit`.
        baseline: The barest program that does part of it; "" for none.
        baseline_median: What that took.
        at_most: The aim: a ratio to the baseline, or so many of `unit` where there is none; None for no aim.
        unit: "s", or "MB".
    """

    work: str
    median: float
    baseline: str
    baseline_median: float | None
    at_most: float | None
    unit: str

    @property
    def ratio(self) -> float | None:
        """The work's median in baselines."""
        return self.median / self.baseline_median if self.baseline_median else None

    @property
    def is_met(self) -> bool | None:
        """Whether the aim is met; None where there is none."""
        return None if self.at_most is None else (self.ratio or self.median) <= self.at_most

    def as_json(self) -> dict[str, object]:
        """The figure with what follows from it."""
        named = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return named | {"ratio": self.ratio, "met": self.is_met}

    def cells(self) -> tuple[str, ...]:
        """The figure as a row of the table."""
        beside = f"{self.baseline} ({self._written(self.baseline_median)})" if self.baseline_median else ""
        ratio = f"{self.ratio:.3g} x" if self.ratio else ""
        aim = "" if self.at_most is None else f"{self.at_most:.3g} x" if self.ratio else self._written(self.at_most)
        return (
            self.work,
            self._written(self.median),
            beside,
            ratio,
            aim,
            {None: "", True: "yes", False: "NO"}[self.is_met],
        )

    def _written(self, amount: float) -> str:
        if self.unit != "s":
            return f"{amount:.1f} {self.unit}"
        for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
            if amount >= size:
                return f"{amount / size:.2f} {unit}"
        return f"{amount * 1e9:.0f} ns"


HEADERS = ("work", "median", "beside", "ratio", "at most", "met")


@dataclass(slots=True)
class Figures:
    """What was measured, in order."""

    rows: list[Figure] = field(default_factory=list)

    def add(
        self,
        work: str,
        median: float,
        *,
        baseline: str = "",
        baseline_median: float | None = None,
        at_most: float | None = None,
        unit: str = "s",
    ) -> None:
        """Add a figure; the arguments are as of `Figure`."""
        self.rows.append(Figure(work, median, baseline, baseline_median, at_most, unit))


FIGURES = pytest.StashKey[Figures]()


@pytest.fixture(scope="session")
def figures(request: pytest.FixtureRequest) -> Figures:
    return request.config.stash.setdefault(FIGURES, Figures())


def median_s(action: Callable[[], object], times: int = 3) -> float:
    """Do something some times; returns the median of the seconds it took."""
    return median(_taken(action, perf_counter) for _ in range(times))


def cpu_s() -> float:
    """Return the seconds of CPU that this process and its ended children have used."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def median_cpu_s(action: Callable[[], object], *others: Callable[[], object], times: int = 3) -> tuple[float, ...]:
    """Do some things in turn, some times; returns the median of the seconds of CPU of each."""
    taken = [[_taken(each, cpu_s) for each in (action, *others)] for _ in range(times)]
    return tuple(map(median, zip(*taken, strict=True)))


def _taken(action: Callable[[], object], clock: Callable[[], float]) -> float:
    began = clock()
    action()
    return clock() - began


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print the table, and write the file."""
    figures = config.stash.get(FIGURES, None)
    if figures is None:
        return
    terminalreporter.section("figures (medians)")
    rows = [HEADERS, *(figure.cells() for figure in figures.rows)]
    widths = [max(len(row[position]) for row in rows) for position in range(len(HEADERS))]
    for row in rows:
        terminalreporter.write_line("  ".join(map(str.ljust, row, widths)).rstrip())
    path = config.rootpath / "build" / "bench.json"
    path.parent.mkdir(exist_ok=True)
    machine = {"python": platform.python_version(), "processors": os.cpu_count(), "machine": platform.machine()}
    document = machine | {"figures": [figure.as_json() for figure in figures.rows]}
    path.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    terminalreporter.write_line(f"written to {path.relative_to(config.rootpath)}")
