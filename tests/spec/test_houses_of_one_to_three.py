"""Whoever is in a house, and whatever their parts: each open matter has somebody who may end it, or that is said.

Held constant: people sign in. Varied: one to three people with any parts, the matter, and who has sent what is open.
"""

from itertools import combinations, combinations_with_replacement

import pytest

from schemas.acts import OF_TWO, ActKind
from schemas.approval import DeskUser, Role
from schemas.states import PART_OF, PAYMENTS, PLANS, REPORTS, Turn, may, missing_parts

PARTS = [frozenset(parts) for size in range(4) for parts in combinations(Role, size)]
HOUSES = [house for size in (1, 2, 3) for house in combinations_with_replacement(PARTS, size)]
# What is open: each state of something that waits for a person.
OPEN = [
    state
    for table in (PAYMENTS, PLANS, REPORTS)
    for state in table.values()
    if state.turn in {Turn.PREPARER, Turn.APPROVER, Turn.RESOLVER}
]
NAMES = ("Ana", "Bia", "Caio")


def users(house: tuple[frozenset[Role], ...]) -> list[DeskUser]:
    named = zip(NAMES, house, strict=False)
    return [DeskUser(name.lower(), name, parts, "", "pt-BR", disabled=False) for name, parts in named]


def can_be_done(act: ActKind, people: list[DeskUser], sender: DeskUser | None) -> bool:
    """Whether as many as an act takes may do it, by trying everybody, and every two."""
    able = [one for one in people if may(act, one.roles) and (act is not ActKind.DECLARE_ABSENT or one is not sender)]
    return any(True for _ in combinations(able, 2 if act in OF_TWO else 1))


def senders(people: list[DeskUser]) -> list[DeskUser | None]:
    return [one for one in people if one.roles & {Role.PREPARER, Role.APPROVER}] or [None]


@pytest.mark.parametrize("house", HOUSES, ids=lambda house: " ".join("+".join(sorted(parts)) or "-" for parts in house))
def test_a_house_of_which_nothing_is_said_can_end_whatever_is_open(house):
    people = users(house)
    missing = missing_parts(people)
    for sender in senders(people):
        undone = {act for state in OPEN for act in state.acts if not can_be_done(act, people, sender)}
        undone |= {act for act in (ActKind.RELEASE, ActKind.UNFREEZE) if not can_be_done(act, people, sender)}
        assert {PART_OF[act] for act in undone} <= set(missing)
    for part, count in missing.items():
        assert 1 <= count <= 3
        told = [*people, *users((frozenset({part}),) * count)]
        renamed = [DeskUser(str(at), str(at), one.roles, "", "pt-BR", disabled=False) for at, one in enumerate(told)]
        assert part not in missing_parts(renamed), "as many as it says are enough"


def test_who_may_not_sign_in_ends_nothing():
    (one,) = users((frozenset(Role),))
    gone = DeskUser(one.key, one.name, one.roles, "", "pt-BR", disabled=True)
    assert missing_parts([gone]) == missing_parts([])
    assert missing_parts([]) == {Role.PREPARER: 1, Role.APPROVER: 1, Role.RESOLVER: 2}
