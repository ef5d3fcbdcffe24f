"""What a second worker of a Dask cluster saves: a large statement read by two, and by one, a core each."""

import os
from pathlib import Path
from time import sleep

import pytest

from flows.intake.read_lines import GivenFile, read_remote
from io_adapters.cluster import RANGE_BYTES, opened_cluster
from io_adapters.spreadsheets.declarations import read_layout
from tests.bench.conftest import Figures, median_s
from tests.bench.lines import MILLION, write_lines
from tests.throwaway_dask import opened_dask

pytestmark = [pytest.mark.bench, pytest.mark.timeout(3600)]

LINES = 5 * MILLION


def idle_cores(over_s: float = 3.0) -> float:
    """Return how many cores have nothing to do."""

    def idle_ticks() -> int:
        return int(Path("/proc/stat").read_text(encoding="ascii").split(maxsplit=5)[4])

    began = idle_ticks()
    sleep(over_s)
    return (idle_ticks() - began) / os.sysconf("SC_CLK_TCK") / over_s


def test_a_second_worker(figures: Figures, tmp_path: Path):
    """Reading alone: from the file to what its lines add up to, the survey and the joining included."""
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) < 2:
        pytest.skip("a second worker needs a second core")
    if (free := idle_cores()) < 1.5:
        pytest.skip(f"a second worker needs a second free core, and {free:.1f} are free")
    write_lines(tmp_path / "statement.csv", LINES)
    write_lines(tmp_path / "small.csv", MILLION // 10)
    layouts = (read_layout("royalties", tmp_path),)
    taken_s = []
    for workers in (1, 2):
        folder = tmp_path / f"dask-{workers}"
        folder.mkdir()
        with opened_dask(folder, workers=workers, cores=cores[:2]) as there, opened_cluster(there.address) as engine:

            def read(name: str, size: int, engine=engine) -> None:
                assert read_remote(engine, GivenFile(str(tmp_path / name), layouts, size)) is not None

            read("small.csv", 2**20)  # workers import what they need
            taken_s.append(median_s(lambda read=read: read("statement.csv", RANGE_BYTES)))
    one_s, two_s = taken_s
    figures.add("two Dask workers, 5 million lines", two_s, baseline="one", baseline_median=one_s, at_most=1 / 1.7)
