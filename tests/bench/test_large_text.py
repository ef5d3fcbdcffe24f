"""How long a large statement in CSV takes to read, beside Arrow alone, and how much memory."""

import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import csv

from io_adapters.spreadsheets.declarations import read_layout
from schemas.layouts.recognise import find_header
from tests.bench.conftest import Figures, median_s
from tests.io_adapters.spreadsheets.texts import InThisProcess

pytestmark = [pytest.mark.bench, pytest.mark.timeout(1200)]

ROOT = Path(__file__).parents[2]
MOST_MEMORY_MB = 700
SIZE_MB = int(os.environ.get("BENCH_CSV_MB", "1000"))
HEADERS = [
    *("Period", "Sale Month", "Platform", "Artist", "Title", "ISRC", "UPC", "Label", "Source", "Territory"),
    *("Units", "Currency", "Amount", "Fee", "Share"),
]
# What another process does, and what tells how much memory that took.
BLOCKS = "import sys; from tests.bench.test_large_text import read_blocks; assert read_blocks(sys.argv[1]) > 0"
PEAK = (
    "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True);"
    "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
)


@pytest.fixture(params=["", '"'], ids=["plain", "quoted"])
def statement(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    """A distributor's statement; its titles in quotes, some with quotes and delimiters in them, or without."""
    path = tmp_path / "statement.csv"
    lines = "".join(statement_line(number, request.param) for number in range(20_000)).encode()
    with path.open("wb") as stream:
        stream.write((",".join(HEADERS) + "\n").encode())
        for _ in range(SIZE_MB * 2**20 // len(lines)):
            stream.write(lines)
    yield path
    path.unlink()


def statement_line(number: int, quote: str) -> str:
    title = f"Canção número {number % 977}" + (', lado ""B""' if quote and number % 7 == 0 else " do álbum")
    return (
        f"2026-10,2026-{number % 9 + 1:02d},Loja {number % 10},Artista {number % 313},{quote}{title}{quote},"
        f"BRAUR26{number % 1000:05d},78912345{number % 100_000:05d},Selo Aurora,Streaming,BR,{number % 977},USD,"
        f"{number % 9973 / 1000:.12f},{number % 97 / 1000:.6f},{number % 7 / 10:.2f}\n"
    )


def read_bare(path: Path) -> int:
    texts = csv.ConvertOptions(column_types=dict.fromkeys(HEADERS, pa.string()))
    return sum(batch.num_rows for batch in csv.open_csv(path, convert_options=texts))


def read_blocks(path: Path | str) -> int:
    with Path(path).open("rb") as stream:
        file = InThisProcess(stream)
        fit = find_header(file.views[0], read_layout("royalties", Path()))
        assert fit is not None
        return sum(len(block.cells) for block in file.blocks(fit))


def sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def read_and_hash(path: Path) -> None:
    with ThreadPoolExecutor(1) as beside:
        digest = beside.submit(sha256, path)
        read_blocks(path)
        digest.result()


def peak_mb(path: Path) -> int:
    """Return the most memory that a process takes to read all blocks."""
    command = [sys.executable, "-c", PEAK, sys.executable, "-c", BLOCKS, str(path)]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return int(done.stdout) >> 10


def test_reading_a_large_statement(figures: Figures, statement: Path, request: pytest.FixtureRequest):
    assert read_bare(statement) == read_blocks(statement) > SIZE_MB * 1_000
    what = f"{SIZE_MB:,} MB of CSV, {request.node.callspec.id}"
    bare_s = median_s(lambda: read_bare(statement))
    read_s = median_s(lambda: read_blocks(statement))
    hash_s = median_s(lambda: sha256(statement))
    both_s = median_s(lambda: read_and_hash(statement))
    taken_mb = peak_mb(statement)
    assert taken_mb < MOST_MEMORY_MB
    figures.add(f"read {what}, in {taken_mb} MB of memory", read_s, baseline_median=bare_s, baseline="Arrow alone")
    figures.add(f"hash {what}", hash_s, baseline_median=bare_s, baseline="Arrow alone")
    figures.add(f"read and hash {what}", both_s, baseline_median=bare_s, baseline="Arrow alone")
