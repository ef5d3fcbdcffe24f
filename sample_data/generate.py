"""Writes the sample data again, the same bytes every time: `python sample_data/generate.py [--check]`."""

import argparse
import gzip
import sys
import tempfile
import zipfile
from pathlib import Path

HOME = Path(__file__).resolve().parent
sys.path.insert(0, str(HOME.parent))  # started as a script, Python knows this folder only

from sample_data.making.broken import write_broken  # noqa: E402
from sample_data.making.dsr import write_dsr  # noqa: E402
from sample_data.making.payments import write_fees, write_payments  # noqa: E402
from sample_data.making.royalties import write_royalties  # noqa: E402
from sample_data.making.senders.statements import write_statements  # noqa: E402

FOLDERS = ("payments", "fees", "royalties", "catalogue", "broken", "statements", "expected")


def generate(target: Path) -> None:
    """Write all sample folders below `target`, over what is there."""
    payments, fees, royalties, catalogue, broken, statements, expected = (target / folder for folder in FOLDERS)
    for folder in (payments, fees, royalties, catalogue, broken, statements, expected):
        folder.mkdir(parents=True, exist_ok=True)
    write_payments(payments, expected)
    write_fees(fees)
    write_royalties(royalties, catalogue, expected)
    write_broken(broken)
    write_statements(statements, expected)
    write_dsr(statements, expected)


def differences() -> list[str]:
    """Generate into a temporary folder and name each file that is not the same there and here."""
    with tempfile.TemporaryDirectory() as temporary:
        fresh = Path(temporary)
        generate(fresh)
        # Runs of the jobs leave their results in "out"; those are nobody's sample.
        here = {path for folder in FOLDERS for path in _files(HOME / folder, HOME) if "out" not in path.parts}
        there = _files(fresh, fresh)
        changed = [path for path in here & there if _content(HOME / path) != _content(fresh / path)]
        return sorted(str(path) for path in (here ^ there) | set(changed))


def _files(folder: Path, root: Path) -> set[Path]:
    return {path.relative_to(root) for path in folder.rglob("*") if path.is_file()}


def _content(path: Path) -> object:
    # Two builds of zlib pack the same content into different bytes: what counts is what was packed.
    if path.suffix == ".gz":
        return gzip.decompress(path.read_bytes())
    if path.suffix != ".xlsx":
        return path.read_bytes()
    with zipfile.ZipFile(path) as parts:
        return [(part.filename, part.date_time, parts.read(part)) for part in parts.infolist()]


def main() -> int:
    """Write the sample data, or with --check say what would change; 1 when something would."""
    parser = argparse.ArgumentParser(description="Write the sample data again, the same bytes every time.")
    parser.add_argument("--check", action="store_true", help="write nothing; tell which files would change")
    if not parser.parse_args().check:
        generate(HOME)
        return 0
    changed = differences()
    for path in changed:
        print(f"differs: {path}")
    return 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main())
