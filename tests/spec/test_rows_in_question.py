"""A share or an advance with a problem: what depends on it is held, and nobody gets the part that is not known."""

from collections import Counter

import pandas as pd
import pytest

from schemas.errors import UnsoundPlan
from tests.spec.office import Office, inputs, job, statement
from tests.spec.tables import CPF, RECORDINGS, lines, payees, shares

MONTH = """
    | recording | amount |
    | samba     | 100.00 |
    | valsa     | 50.00  |
    | choro     | 30.00  |
"""
SPLIT = """
    | payee | recording | share |
    | ana   | samba     | 50    |
    | ana   | valsa     | 60    |
    | bia   | choro     | 100   |
"""
NO_SHARE = inputs().shares_in_question


def came_in(recording="samba", *, asset_read=True, base="", **given):
    row = {"isrc": RECORDINGS.get(recording, ""), "upc": "", "release": "", "artist": "", "asset_read": asset_read}
    tables = {"shares_in_question": pd.DataFrame([row | {"base": base}]), "shares": shares(SPLIT)} | given
    return inputs([statement(lines(MONTH))], payees=payees("ana", "bia"), **tables)


def owed(office, given):
    """Centavos by place."""
    sums = Counter()
    for part in office.compute_payables(given).obligations:
        sums[part.place.value] += part.amount_cents
    return dict(sums)


def test_what_a_share_in_question_names_is_held_whole_and_the_rest_is_paid():
    """Bia's half of the samba cannot be read: it must not become the owner's remainder."""
    assert owed(Office(), came_in()) == {"held": 10_000, "planned": 8_000}


def test_it_is_held_even_where_lines_without_a_share_go_to_the_owner():
    assert owed(Office(job=job(rules={"unmatched": "owner"})), came_in()) == {"held": 10_000, "planned": 8_000}


def test_a_share_in_question_of_the_whole_catalogue_holds_what_no_narrower_share_covers():
    only_samba = shares("| payee | recording | share |\n| ana | samba | 100 |")
    assert owed(Office(), came_in("", shares=only_samba)) == {"held": 8_000, "planned": 10_000}


@pytest.mark.parametrize("base", ["on top", "artista", "% artista", "?"])
def test_what_a_share_in_question_takes_from_others_holds_whatever_it_may_be_taken_from(base):
    """A producer's part of the artist's, of the whole catalogue: no narrower share must be paid in full meanwhile."""
    assert owed(Office(), came_in("", base=base)) == {"held": 18_000}
    assert owed(Office(), came_in("valsa", base=base)) == {"held": 5_000, "planned": 13_000}


def test_a_share_that_does_not_say_of_what_stops_the_plan():
    with pytest.raises(UnsoundPlan, match="what it is a share of"):
        Office().compute_payables(came_in("", asset_read=False))


def test_a_payee_whose_advance_cannot_be_read_is_held_and_the_others_are_paid():
    given = came_in(shares_in_question=NO_SHARE, advance_problems={CPF["ana"]: "AMOUNT_FORMAT"})
    payables = Office().compute_payables(given)
    place = {part.payee.tax_id: part.place for part in payables.obligations if part.kind == "royalty"}
    assert place == {CPF["ana"]: "held", CPF["bia"]: "planned"}


def test_an_advance_that_does_not_say_whose_it_is_stops_the_plan():
    with pytest.raises(UnsoundPlan, match="whose it is"):
        Office().compute_payables(came_in(advance_problems={"": "TAXID_CHECK"}))


UNREAD = lines("| recording | amount |\n| samba | 100.00 |").assign(upc="?")


@pytest.mark.parametrize(
    ("split", "expected"),
    [
        ("| payee | recording | share |\n| ana | samba | 100 |", {"planned": 10_000}),
        ("| payee | recording | product | share |\n| ana | samba | | 50 |\n| bia | | album | 9 |", {"planned": 10_000}),
        ("| payee | artist | share |\n| ana | | 100 |", {"planned": 10_000}),
        ("| payee | product | share |\n| ana | album | 100 |", {"held": 10_000}),
        ("| payee | product | share |\n| ana | album | 50 |\n| bia | | 100 |", {"held": 10_000}),
        (
            "| payee | recording | product | share | base |\n| ana | samba | | 50 | |\n| bia | | album | 9 | on top |",
            {"held": 10_000},
        ),
    ],
)
def test_a_line_whose_upc_cannot_be_read_is_paid_where_no_share_by_upc_could_be_its_own(split, expected):
    came = inputs([statement(UNREAD)], payees=payees("ana", "bia"), shares=shares(split))
    assert owed(Office(), came) == expected


def test_a_line_that_does_not_say_whether_a_share_takes_from_its_group_is_held():
    """Bia has her part of what is sold in Brazil; the line does not say where it was sold."""
    split = """
        | payee | recording | territory | share | role    | base    |
        | ana   | samba     |           | 50    | artista |         |
        | bia   |           | BR        | 9     |         | artista |
    """
    told = {
        place: lines(f"| recording | territory | amount |\n| samba | {place} | 100.00 |") for place in ("", "BR", "PT")
    }
    owed_of = {
        place: owed(
            Office(),
            inputs([statement(of, conditions=["territory"])], payees=payees("ana", "bia"), shares=shares(split)),
        )
        for place, of in told.items()
    }
    assert owed_of == {"": {"held": 10_000}, "BR": {"planned": 10_000}, "PT": {"planned": 10_000}}


def test_such_a_line_is_held_even_where_lines_without_a_share_go_to_the_owner():
    by_upc = shares("| payee | product | share |\n| ana | album | 100 |")
    came = inputs([statement(UNREAD)], payees=payees("ana"), shares=by_upc)
    assert owed(Office(job=job(rules={"unmatched": "owner"})), came) == {"held": 10_000}
