"""The simulation has teeth: each way to get the protocol wrong is found out, and as what it is."""

from pathlib import Path
from typing import Final

import pytest

from tests.simulation.mutants import Mutant
from tests.simulation.mutants_of_answers import ANSWERS, ENDS
from tests.simulation.mutants_of_claims import CLAIMS, WORDS
from tests.simulation.mutants_of_identity import IDENTITY
from tests.simulation.mutants_of_sending import LISTS, ONCE
from tests.simulation.mutants_of_statements import KNOWN_AGAIN
from tests.simulation.office import Memory, Office

pytestmark = pytest.mark.long
MUTANTS: Final = (*ANSWERS, *ENDS, *ONCE, *LISTS, *CLAIMS, *WORDS, *IDENTITY, *KNOWN_AGAIN)


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_mutant_is_found_out(mutant: Mutant, simulated: Path, office: Office, memory: Memory):
    assert mutant.violations(simulated / "world", office) == ()
    memory.forget_if(mutant.changes_steps)
    with mutant.alive(office) as changed:
        found = mutant.violations(simulated / "world", changed)
    memory.forget_if(mutant.changes_steps)
    assert any(mutant.found_by in violation for violation in found), f"it lives; {found or 'nothing'} was found"
