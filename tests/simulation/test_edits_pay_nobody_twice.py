"""Ordinary edits between two runs, one kind after another: the provider is asked once for each debt, and told truly.

Some cases of each kind are played by default, more by the long tests; SIMULATE=all plays all.
"""

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from itertools import product
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Final

import pytest

from schemas.errors import ExitCode
from tests.sampled import EVERYTHING, sampled
from tests.simulation.editing_office import COMPANIES, OTHER_PAYER, PEOPLE, EditingOffice, Line, opened_office
from tests.simulation.points import Point
from tests.simulation.provider import (
    DELIVERED_TWICE,
    DROPPED,
    FAILS,
    FATES,
    OF_ANOTHER,
    OF_ANOTHER_AND_NOT_CREATED,
    REFUSED,
    STATUSES,
    WRONG_ECHOES,
    Fate,
    Meets,
)

# As it was typed first, and as somebody typed it later.
RESPELLED: Final = (
    ("Nota 17", "Nota 17."),
    ("Nota 17", "NOTA  17"),
    ("Nota 17", "nota\u00a017 "),
    ("cachê maio", unicodedata.normalize("NFD", "cachê maio")),
    ("2026-10", "2026\u201310"),
    ("nº 17", "no 17"),
    ("17", "17,0"),
    ("ｎｏｔａ ５", "nota 5"),
)
CORRECTED: Final = (("", "Nota 17"), ("Nota 18", "Nota 81"), ("adiantamento", ""))


def some(cases: Iterable[Any], *, one_in: int) -> Sequence[Any]:
    """Take one case in so many, or all with SIMULATE=all; most of those taken belong to the long tests."""
    return sampled(list(cases)[:: 1 if EVERYTHING else one_in])


def name_of(case: object) -> str:
    """Name a case for people."""
    return str(getattr(case, "__name__", None) or getattr(case, "name", case))


@pytest.fixture
def office(simulated: Path) -> Iterator[Callable[..., EditingOffice]]:
    """Open an office whose rows bear these references, one person each."""
    with ExitStack() as exits:

        def opened(*references: str) -> EditingOffice:
            return exits.enter_context(opened_office(Path(mkdtemp(dir=simulated)), *references))

        yield opened


def paid_once_before(office: Callable[..., EditingOffice], *references: str) -> EditingOffice:
    """An office that has paid its rows."""
    opened = office(*references)
    assert opened.run().exit_code == ExitCode.DONE
    assert opened.violations() == ()
    return opened


def run_in_every_way(office: EditingOffice) -> None:
    """Run what is there with the flag, and where nobody has to look."""
    office.run()
    office.run_unwatched()


@pytest.mark.parametrize("pairs", [RESPELLED, CORRECTED], ids=["respelled", "filled in, corrected or taken away"])
def test_a_reference_that_is_typed_otherwise_is_no_other_payment(office, pairs):
    label = paid_once_before(office, *[before for before, _ in pairs])
    for line, (_, after) in zip(label.rows, pairs, strict=True):
        label.retype(line, Referência=after)
    label.rows.reverse()
    run_in_every_way(label)
    assert label.violations() == ()


def test_a_person_who_decides_that_a_renamed_row_is_another_payment_has_it_paid_once_more(office):
    label = paid_once_before(office, "Nota 1", "Nota 2")
    for line in label.rows:
        label.retype(line, Referência=line.cells["Referência"] + " bis")
    assert label.run().exit_code == ExitCode.ROWS_HELD
    first, second = label.keys_in("Em conflito")
    assert label.decide("pay", first).exit_code == ExitCode.DONE
    assert label.decide("paid", second).exit_code == ExitCode.DONE
    run_in_every_way(label)
    assert len(label.provider.entries()) == 3
    assert label.violations() == ()


def test_two_honest_equal_rows_are_two_payments_and_stay_two_when_they_are_sorted_anew(office):
    label = office()
    first = label.owe(PEOPLE[0], "Show 1")
    label.owe(PEOPLE[0], "Show 2", twin_of=first.debt)
    assert label.run().exit_code == ExitCode.DONE
    label.rows.reverse()
    label.owe(PEOPLE[0], "Show 3", twin_of=first.debt)
    run_in_every_way(label)
    assert len(label.provider.entries()) == 3
    assert label.violations() == ()


def to_own_company(line: Line) -> dict[str, str]:
    """A person's document, replaced by that of their company; the account stays."""
    return {"CPF": COMPANIES.cnpj()}


def test_a_payee_s_own_company_is_paid_only_on_a_person_s_word(office):
    label = paid_once_before(office, "", "Nota 2")
    for line in label.rows:
        label.retype(line, **to_own_company(line))
    run_in_every_way(label)
    assert label.violations() == ()
    assert len(label.provider.entries()) == 2


@pytest.mark.long
@pytest.mark.parametrize(
    "changes",
    [
        {"payer": {"tax_id": OTHER_PAYER, "name": "Selo Aurora"}},
        {"job": "aurora-pagamentos"},
        {"period": "2026-11"},
        {"payer": {"tax_id": OTHER_PAYER, "name": "Selo Aurora"}, "job": "outro", "period": "2026-12"},
    ],
    ids=["payer", "job", "period", "all of them"],
)
def test_a_corrected_job_file_pays_nobody_again_until_a_person_has_seen_who_was_paid(office, changes):
    label = paid_once_before(office, "", "Nota 2", "Nota 3")
    label.declare(**changes)
    label.rows.reverse()
    label.owe(PEOPLE[9], "novo")
    run_in_every_way(label)
    assert label.violations() == ()
    label.run(yes=False, again=["payments.csv"])
    label.approve()
    label.run(yes=False, again=["payments.csv"])
    assert label.violations() == ()
    assert len(label.provider.entries()) == 7


COPIES: Final = ("payments (1).csv", "payments.xlsx", "payments-final.tsv")
COPIED: Final = ("from the first run on", "from the second run on", "in its place")


@pytest.mark.parametrize(("name", "when"), some(product(COPIES, COPIED), one_in=4))
def test_a_copy_of_a_file_pays_nobody_again(office, name, when):
    label = office("", "Nota 2", "Nota 3")
    if when == "from the first run on":
        label.files[name] = label.rows[::-1]
    else:
        label.run()
        copied = label.rows[::-1]
        label.files = {name: copied} if when == "in its place" else label.files | {name: copied}
    run_in_every_way(label)
    assert label.violations() == ()
    assert len(label.provider.entries()) == 3


def test_a_row_that_was_taken_out_and_put_back_is_not_paid_again(office):
    label = paid_once_before(office, "", "Nota 2", "Nota 3")
    taken = label.rows.pop(1)
    label.run()
    label.rows.append(taken)
    run_in_every_way(label)
    assert label.violations() == ()
    assert len(label.provider.entries()) == 3


def fill_in(office: EditingOffice) -> None:
    for line in office.rows:
        office.retype(line, Referência="Nota 17")


def replace_documents(office: EditingOffice) -> None:
    for line in office.rows:
        office.retype(line, **to_own_company(line))


def correct_the_payer(office: EditingOffice) -> None:
    office.declare(payer={"tax_id": OTHER_PAYER, "name": "Selo Aurora"})


def change_amounts(office: EditingOffice) -> None:
    for line in office.rows:
        office.retype(line, Valor=office.new_amount())


def leave_it(office: EditingOffice) -> None:
    """Change nothing."""


EDITS: Final = (leave_it, fill_in, replace_documents, correct_the_payer, change_amounts)
EVERY_MOMENT: Final = (
    Point.BEFORE_APPROVING,
    Point.AFTER_APPROVING,
    Point.BEFORE_INTENT,
    Point.AFTER_INTENT,
    Point.BEFORE_OUTCOME,
    Point.AFTER_OUTCOME,
)


@pytest.mark.parametrize(("point", "edit"), some(product(EVERY_MOMENT, EDITS), one_in=7), ids=name_of)
def test_who_edits_between_a_crash_and_the_next_run_pays_nobody_twice(office, point, edit):
    label = office("", "", "", "")
    assert label.run_and_die(point)
    edit(label)
    run_in_every_way(label)
    assert label.violations() == ()


@pytest.mark.parametrize("edit", some(EDITS, one_in=2), ids=name_of)
def test_what_has_failed_goes_again_only_on_a_person_s_word_whatever_was_edited(office, edit):
    label = office("", "Nota 2")
    label.provider.fates.append(FAILS)
    label.run()
    label.say("settle")
    edit(label)
    run_in_every_way(label)
    assert len(label.provider.entries()) == 2
    assert label.violations() == ()


LOSES: Final = (DROPPED, OF_ANOTHER_AND_NOT_CREATED, *STATUSES[:2])


@pytest.mark.parametrize(("edit", "meets"), some(product(EDITS[1:], LOSES), one_in=5), ids=name_of)
def test_what_is_in_doubt_is_not_sent_again_whatever_was_edited(office, edit, meets):
    label = office("", "Nota 2")
    label.provider.tells = frozenset()
    label.provider.hides = 9
    label.provider.meetings.append(meets)
    label.run()
    edit(label)
    run_in_every_way(label)
    assert label.violations() == ()


def test_whatever_becomes_of_a_report_nobody_is_told_that_what_was_not_paid_was_paid(office):
    label = office(*[str(number) for number in range(12)])
    for number in range(12, 2 * len(FATES)):
        label.owe(PEOPLE[number % 12], str(number))
    label.provider.fates += FATES
    label.run()
    for _ in range(4):
        label.say("settle")
        label.run()
    assert label.violations() == ()


@pytest.mark.parametrize("fate", some(FATES, one_in=4), ids=name_of)
def test_it_is_said_to_be_done_only_when_everything_was_paid(office, fate: Fate):
    label = office("1", "2")
    label.provider.fates.append(fate)
    label.run()
    for _ in range(3):
        label.say("settle")
    end = label.run()
    assert label.violations() == ()
    if end.exit_code == ExitCode.DONE:
        assert label.provider.reached_cents() == sorted(cents for debt in label.debts for cents in debt.cents)


@pytest.mark.parametrize("meets", some([OF_ANOTHER, DELIVERED_TWICE, *WRONG_ECHOES], one_in=2), ids=name_of)
def test_an_answer_that_contradicts_itself_is_noticed_after_one_batch_in_that_run(office, meets: Meets):
    label = office(*"123456")
    label.provider.meetings += [meets] if meets is not OF_ANOTHER else [Meets("well"), meets]
    end = label.run()
    assert len(label.provider.posts) <= (2 if meets is OF_ANOTHER else 1) + (meets is OF_ANOTHER)
    assert meets is OF_ANOTHER or end.exit_code == ExitCode.FROZEN
    posts = len(label.provider.posts)
    if end.exit_code == ExitCode.FROZEN:
        run_in_every_way(label)
        assert len(label.provider.posts) == posts
    assert label.violations() == ()


@pytest.mark.parametrize("meets", some(STATUSES, one_in=5), ids=name_of)
def test_a_service_that_turns_requests_away_is_asked_for_nobody_twice(office, meets: Meets):
    label = office(*"123456")
    label.provider.meetings += [meets] * 2
    label.run()
    if meets.status < 500:
        assert len(label.provider.posts) == 1
    run_in_every_way(label)
    assert label.violations() == ()


def test_standing_doubts_stop_the_sending_across_runs(office):
    label = office(*[str(number) for number in range(12)])
    label.declare(rules={"max_payments_per_batch": 1})
    label.provider.hides = 99
    label.provider.meetings += [DROPPED] * 12
    for _ in range(4):
        label.run()
    assert len(label.provider.posts) == 5
    assert label.violations() == ()


def test_a_plan_that_is_rejected_half_way_sends_nothing_more(office):
    label = office(*"123456")
    assert label.run_and_die(Point.AFTER_OUTCOME)
    digest = label.last_digest()
    assert label.say("reject", digest, "--by", "bia", "--why", "wrong month").exit_code == ExitCode.DONE
    for _ in range(2):
        label.run(yes=False)
    assert len(label.provider.posts) == 1
    label.run()
    assert label.violations() == ()


def test_an_approval_that_has_lapsed_sends_nothing_more(office):
    label = office(*"123456")
    assert label.run_and_die(Point.AFTER_OUTCOME)
    label.run_later(days=30)
    assert len(label.provider.posts) == 1
    label.run()
    assert len(label.provider.entries()) == 6
    assert label.violations() == ()


def test_what_was_refused_as_documented_may_go_again(office):
    label = office("1", "2")
    label.provider.meetings.append(REFUSED)
    assert label.run().exit_code == ExitCode.REFUSED
    label.retype(label.rows[0], Nome="Outra Grafia")
    label.run()
    assert label.violations() == ()
