"""The sample data of the repository, copied for people to try things on; the originals are never written to."""

import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Final

SAMPLES: Final = Path(__file__).resolve().parents[2] / "sample_data"


def copy_samples(names: Iterable[str], folder: Path) -> None:
    """Copy these sample jobs into a folder, without the outputs of earlier runs.

    Raises:
        FileNotFoundError: the program was installed without the repository's sample data.
    """
    for name in names:
        shutil.copytree(SAMPLES / name, folder / name, ignore=shutil.ignore_patterns("out"))
