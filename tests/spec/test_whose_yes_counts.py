"""Whose yes a plan needs, and which count at this moment: decided from values alone."""

import datetime as dt
from itertools import combinations, combinations_with_replacement

import pytest

from schemas.approval import (
    GOOD_FOR,
    DeskUser,
    PlanRule,
    Role,
    approvals_that_count,
    good_until,
    is_name,
    most_approvals,
    rule_of,
    stricter,
)
from schemas.job import HousePolicy, Limits
from schemas.plan import Approval, ApprovalKind
from schemas.values.names import different_people, same_person

NOW = dt.datetime(2026, 11, 20, 9, tzinfo=dt.UTC)
TYPED, SIGNED_IN, YES = ApprovalKind.PERSON, ApprovalKind.SIGNED_IN, ApprovalKind.YES_FLAG


def yes(by, kind=TYPED, *, total=100, days=7):
    return Approval("sha256:00", by, kind, total, NOW, NOW + dt.timedelta(days=days))


def user(name, *roles, disabled=False, documents=()):
    key = same_person(name)
    return DeskUser(key, name, frozenset(roles), "", "en", disabled=disabled, documents=frozenset(documents))


def counting(*approvals, rule=None, needed=1, users=(), preparers=(), paid=()):
    found = approvals_that_count(
        approvals, rule or PlanRule(), total_cents=100, needed=needed, users=users, preparers=preparers, paid=paid
    )
    return set(found)


ALIKE = [
    "ana lima",
    "Ána Líma",
    "\u0410n\u0430 Lim\u0430",  # Cyrillic A and a
    "\u0391na Lima",  # Greek A
    "\uff21\uff4e\uff41 Lima",  # full width
    "A\u200bna\u00a0\u2009Lima",  # what nobody sees, and other blanks
    "\U0001d400na Lima",  # mathematical bold
    "Ana Lim\u0251",
    "Ana\u3164 Lima",
    "Ana-Lima",
    "Ana. Lima.",
    "Ana 'Lima'",
    "Ana\u202e Lima\u202c",
    "Ana\x07Lima",
]


@pytest.mark.parametrize("other", ALIKE)
def test_names_that_look_alike_are_one_person(other):
    assert different_people(["Ana Lima", other]) == {"analima"}
    assert counting(yes("Ana Lima"), yes(other), needed=2) == {"analima"}


@pytest.mark.parametrize(("one", "other"), [("Ana", "Anna"), ("Bia", "Bea"), ("Ana Lima", "Ana Lins"), ("Ivo", "Lvo")])
def test_names_that_do_not_look_alike_are_two_people(one, other):
    assert len(different_people([one, other])) == 2


@pytest.mark.parametrize("name", ["\u0410na Lima", "Ana \u03a3ouza", "An\u0430"])
def test_a_name_of_letters_of_several_scripts_is_no_users_name(name):
    assert not is_name(name)


@pytest.mark.parametrize("name", ["Zoë Núñez", "João d'Ávila", "\u0410\u043d\u043d\u0430", "田中"])
def test_a_name_of_one_script_is(name):
    assert is_name(name)


ROLES = [frozenset(roles) for size in range(4) for roles in combinations(Role, size)]


@pytest.mark.parametrize("size", [0, 1, 2, 3])
@pytest.mark.parametrize("other", [True, False, None])
@pytest.mark.parametrize("approvers", [1, 2, 3])
def test_in_houses_of_up_to_three_it_is_known_whether_any_plan_can_be_approved(size, other, approvers):
    """Everybody who may says yes at the desk, whoever has prepared the plan: so many count, and no more."""
    rule = PlanRule(above_cents=0, approvers=approvers, identities="signed_in", other_than_preparer=other)
    for roles in combinations_with_replacement(ROLES, size):
        users = [user(name, *theirs) for name, theirs in zip(("Ana", "Bia", "Caio"), roles, strict=False)]
        words = [yes(one.name, SIGNED_IN) for one in users]
        found = [
            len(counting(*words, rule=rule, needed=approvers, users=users, preparers=[one.name]))
            for one in users
            if Role.PREPARER in one.roles
        ]
        # Nobody prepares: the night does, of files that nobody has brought, which want one approval more.
        of_the_night = len(counting(*words, rule=rule, needed=approvers, users=users)) - bool(other)
        assert most_approvals(rule, users) == max(found, default=max(of_the_night, 0)), roles


@pytest.mark.parametrize("kind", [TYPED, SIGNED_IN])
@pytest.mark.parametrize(("paid", "counts"), [(("1",), False), (("2", "3"), True), ((), True)])
def test_nobody_approves_what_pays_themselves(kind, paid, counts):
    bia = user("Bia", Role.APPROVER, documents=["1", "4"])
    assert counting(yes("Bia", kind), users=[bia], paid=paid) == ({"bia"} if counts else set())


def test_a_user_counts_while_they_may_approve():
    words = [yes("Ana", SIGNED_IN), yes("Bia", SIGNED_IN), yes("Caio", SIGNED_IN), yes("Dora", SIGNED_IN)]
    users = [user("ana", Role.APPROVER), user("bia", Role.PREPARER), user("caio", Role.APPROVER, disabled=True)]
    assert counting(*words, users=users) == {"ana"}


@pytest.mark.parametrize("kind", [TYPED, YES])
def test_who_may_not_approve_does_not_by_typing_their_name_either(kind):
    users = [user("ana", Role.APPROVER, disabled=True), user("bia", Role.PREPARER)]
    assert counting(yes("\u0410na", kind), yes("BIA", kind), yes("caio", kind), users=users) == {"caio"}


def test_a_yes_to_another_total_does_not_count():
    assert counting(yes("ana", total=101)) == set()


def test_only_who_signed_in_counts_where_people_have_to():
    rule = PlanRule(identities="signed_in")
    assert counting(yes("ana"), yes("bia", SIGNED_IN), rule=rule, users=[user("bia", Role.APPROVER)]) == {"bia"}


@pytest.mark.parametrize(
    ("declared", "typed", "signed_in"), [(True, False, False), (None, True, False), (False, True, True)]
)
def test_who_prepared_the_plan_counts_as_declared_and_left_out_only_by_a_typed_name(declared, typed, signed_in):
    rule = PlanRule(other_than_preparer=declared)
    users = [user("ana", Role.APPROVER, Role.PREPARER)]
    for kind, counts in ((TYPED, typed), (SIGNED_IN, signed_in)):
        assert counting(yes("ANA", kind), rule=rule, users=users, preparers=["\u0410na"]) == (
            {"ana"} if counts else set()
        )


@pytest.mark.parametrize(("rule", "needed"), [(PlanRule(approvers=2), 2), (PlanRule(), 2), (PlanRule(approvers=2), 1)])
def test_who_prepared_the_plan_is_never_one_of_two(rule, needed):
    rule = stricter(rule, PlanRule(other_than_preparer=False))
    assert counting(yes("ana"), yes("bia"), rule=rule, needed=needed, preparers=["Ana"]) == {"bia"}


LOOSE = PlanRule(10_000, 1, None, 50_000, "declared", other_than_preparer=None)
STRICT = PlanRule(500, 2, 1_000, 70_000, "signed_in", other_than_preparer=True)


@pytest.mark.parametrize("rules", [(LOOSE, STRICT), (STRICT, LOOSE), (LOOSE, None, STRICT)])
def test_of_several_rules_the_strictest_counts_in_each_respect(rules):
    assert stricter(*rules) == PlanRule(500, 2, 1_000, 50_000, "signed_in", other_than_preparer=True)


@pytest.mark.parametrize(("one", "other", "stands"), [(False, None, None), (None, True, True), (False, False, False)])
def test_a_preparer_is_left_out_as_soon_as_one_rule_says_so(one, other, stands):
    assert (
        stricter(PlanRule(other_than_preparer=one), PlanRule(other_than_preparer=other)).other_than_preparer is stands
    )


def test_a_policy_that_says_nothing_leaves_a_job_as_it_is():
    for rule in (LOOSE, STRICT):
        assert stricter(rule, rule_of(HousePolicy())) == rule


def test_a_policy_lowers_what_goes_by_itself_and_what_one_may_approve():
    policy = rule_of(HousePolicy(above="2.00", limits=Limits(run="100.00")))
    rule = stricter(LOOSE, policy)
    needed = [rule.approvers_needed(total, total, needs_review=False) for total in (200, 201, 10_000, 10_001)]
    assert needed == [0, 1, 1, 2]


@pytest.mark.parametrize(("needed", "days"), [(1, 5), (2, 3), (3, 1)])
def test_what_is_approved_may_be_sent_as_long_as_enough_of_its_words_last(needed, days):
    words = [yes("ana", days=1), yes("bia", days=5), yes("caio", days=3)]
    assert good_until(words, needed, NOW) == NOW + dt.timedelta(days=days)
    assert good_until([], 0, NOW) == NOW + GOOD_FOR
