"""The same cases on the sandbox over a socket and on a service in memory behind httpx's transport."""

import pytest

from tests.contract.cases import CASES
from tests.contract.worlds import WORLDS


@pytest.mark.parametrize("open_world", WORLDS.values(), ids=WORLDS)
@pytest.mark.parametrize("run", CASES.values(), ids=CASES)
def test_the_client_and(open_world, run):
    with open_world() as world:
        run(world)
