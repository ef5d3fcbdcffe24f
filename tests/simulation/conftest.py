"""One office for all simulations, in memory where the system has a place for files there."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.simulation.office import Memory, Office, open_office

SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 (a fsync costs nothing here, and no power is really cut)


@pytest.fixture(scope="session")
def simulated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder for everything simulated."""
    if not SHARED_MEMORY.is_dir():
        yield tmp_path_factory.mktemp("simulated")
        return
    folder = Path(tempfile.mkdtemp(prefix="repasse-", dir=SHARED_MEMORY))
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def office(simulated: Path) -> Office:
    return open_office(simulated)


@pytest.fixture(scope="session")
def memory() -> Iterator[Memory]:
    """Pure steps whose answers are kept, for all tests of this folder."""
    kept = Memory()
    with kept.at_work():
        yield kept
