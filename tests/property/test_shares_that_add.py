"""Shares with bases, on random rows and lines, come to what a slow, obvious way of sharing out comes to."""

from collections import Counter
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from flows.intake.rules.inputs import sum_lines
from flows.royalties.rules.allocation import allocate
from flows.royalties.rules.deals import Deals, lines_of
from schemas.errors import UnsoundPlan
from tests.property.months import drawn
from tests.spec.tables import CPF, PEOPLE, lines, shares

LEVELS = ("recording", "release", "artist", "")
RELEASES, ARTISTS, ROLES = ("Ao Vivo", "Disco"), ("Lua", "Sol"), ("artista", "editora")
# At most three groups of two and three additions: never above the whole.
PERCENT = st.sampled_from(["1", "2.5", "7.3333", "10"])
LINE = st.tuples(
    st.sampled_from(["", "samba", "valsa"]),
    st.sampled_from(["", *RELEASES]),
    st.sampled_from(["", *ARTISTS]),
    st.decimals(-50, 50, places=4).map(str),
)


@st.composite
def some_rows(draw):
    """Rows of shares: payee, recording, release, artist, role, share, base; each payee once for each thing and role."""
    rows = {}
    for _ in range(draw(st.integers(1, 9))):
        level = draw(st.sampled_from(LEVELS))
        names = (
            draw(st.sampled_from(["samba", "valsa"])) if level == "recording" else "",
            draw(st.sampled_from(RELEASES)) if level == "release" else "",
            draw(st.sampled_from(["", *ARTISTS])) if level in {"release", "artist"} else "",
        )
        if level == "artist" and not names[2]:
            continue
        base = draw(st.sampled_from(["", "", "", "on top", "artista"]))
        key = (draw(st.sampled_from(PEOPLE)), *names, draw(st.sampled_from(ROLES)), base)
        rows[key] = draw(PERCENT)
    return [(*key[:5], share, key[5]) for key, share in rows.items()]


def level_of(row):
    _, recording, release, artist, *_ = row
    return "recording" if recording else "release" if release else "artist" if artist else ""


def matching(rows, line, level):
    """The rows of a level that name what a line is of; None where the line does not say whose it is."""
    recording, release, artist, _ = line
    of = {"recording": recording, "release": release, "artist": artist, "": ""}
    place = {"recording": 1, "release": 2, "artist": 3, "": 0}[level]
    if level and not of[level]:
        return []
    own = [row for row in rows if level_of(row) == level and (not level or row[place] == of[level])]
    if level != "release":
        return own
    if not artist and len({row[3] for row in own if row[3]}) > 1:
        return None
    return [row for row in own if not row[3] or not artist or row[3] == artist]


def parts_of(rows, line):
    """Who has how many millionths of a line, the obvious way; "held" where that is not known, None where nobody has."""
    group, added = [], []
    for level in LEVELS:
        own = matching(rows, line, level)
        if own is None:
            if not group:
                return None
            if any(row[6] for row in rows if level_of(row) == level and row[2] == line[1]):
                return "held"
            own = [row for row in rows if level_of(row) == level and row[2] == line[1] and not row[6]]
        added += [row for row in own if row[6]]
        group = group or [row for row in own if not row[6]]
    if not group:
        return None
    ppm = [[row[0], row[4], round(Fraction(row[5]) * 10_000)] for row in group]
    taken = sum(round(Fraction(row[5]) * 10_000) for row in added if row[6] == "artista")
    of_role = [part for part in ppm if part[1] == "artista"]
    whole = sum(part[2] for part in of_role)
    if taken > whole:
        return "held"
    parts = Counter()
    given_up = 0
    for part in ppm:
        parts[part[0]] += Fraction(part[2])
    for part in of_role:
        parts[part[0]] -= Fraction(part[2] * taken, whole) if whole else 0
        given_up += Fraction(part[2] * taken, whole) if whole else 0
    assert given_up == taken
    for row in added:
        parts[row[0]] += round(Fraction(row[5]) * 10_000)
    return parts


@given(some_rows(), st.lists(LINE, min_size=1, max_size=6))
def test_bases_and_names_share_out_as_the_obvious_way_does(rows, of_lines):
    header = "| payee | recording | release | artist | role | share | base |"
    table = shares(drawn(header, rows))
    totals = sum_lines(lines(drawn("| recording | release | artist | amount |", of_lines)))
    found = allocate(totals, Deals(table), rates={"BRL": Decimal(1)}, first_day="2026-10-01").earnings
    earned = Counter()
    for tax_id, role, part in zip(found["tax_id"], found["role"], found["earned"], strict=True):
        earned[tax_id or role] += Fraction(part)
    expected = Counter()
    for line in of_lines:
        amount, parts = Fraction(line[3]), parts_of(rows, line)
        if parts is None or parts == "held":
            expected["unmatched" if parts is None else "in question"] += amount
            continue
        for payee, ppm in parts.items():
            expected[CPF[payee]] += amount * ppm / 1_000_000
        expected["owner"] += amount * (1 - sum(parts.values()) / 1_000_000)
    assert sum(earned.values()) == sum(Fraction(line[3]) for line in of_lines)
    # What a role gives up is cut to the millionth: two payees of it may differ by one.
    most = sum(abs(Fraction(line[3])) for line in of_lines) / 1_000_000
    for name in {*earned, *expected}:
        assert abs(earned[name] - expected[name]) <= most


@given(some_rows(), st.lists(LINE, min_size=1, max_size=6), st.data())
def test_percentages_that_are_parted_by_the_column_come_to_what_group_by_group_they_do(rows, of_lines, data):
    """A cap that is never reached says nothing new, but with it a group is looked at row by row."""
    table = shares(drawn("| payee | recording | release | artist | role | share | base |", rows))
    times = data.draw(st.sampled_from([1, 9, 50]), "so that some sum to the whole, nearly or more")
    table["share_ppm"] = pd.Series([str(min(int(ppm) * times, 1_000_000)) for ppm in table["share_ppm"]], dtype="str")
    capped = data.draw(st.lists(st.booleans(), min_size=len(table), max_size=len(table)), "which rows have a cap")
    totals = sum_lines(lines(drawn("| recording | release | artist | amount |", of_lines)))
    ways = list[object]()
    for has_cap in (lambda _: True, capped.__getitem__, lambda _: False):
        caps = ["999999999" if has_cap(at) else "" for at in range(len(table))]
        deals = Deals(table.assign(cap=pd.Series(caps, dtype="str")))
        told: object = None
        with suppress(UnsoundPlan):
            found = allocate(totals, deals, rates={"BRL": Decimal(1)}, first_day="2026-10-01")
            told = [frame.to_csv(index=False) for frame in (found.earnings, found.territories)]
        ways.append((told, deals.decide(lines_of(totals.by_platform), "2026-10-01").complaints))
    assert ways[0] == ways[1] == ways[2]
