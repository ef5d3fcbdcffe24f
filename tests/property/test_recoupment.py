"""What is taken for advances, whoever has how many of them, is what a slow, obvious way of taking it comes to."""

from fractions import Fraction

import pandas as pd
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from flows.royalties.rules.recoupment import advance_reference, recoup, recoupable_of
from schemas.tables.royalties import TOLD_APART, earnings_frame
from tests.property.months import ANYBODY, some_advances
from tests.spec.tables import CPF, PEOPLE, RECORDINGS

EARNED = st.integers(-20_000, 60_000)
EXACT = st.decimals(-200, 600, places=6).map(str)
OF_RECORDINGS = st.lists(st.tuples(ANYBODY, st.sampled_from([*RECORDINGS.values(), ""]), EXACT), max_size=6)
BEFORE = st.dictionaries(
    st.tuples(ANYBODY.map(CPF.__getitem__), st.sampled_from(["a", "b", f"a|{RECORDINGS['samba']}"])),
    st.integers(0, 40_000),
    max_size=4,
)


def earnings(parts):
    """Earnings of recordings, and nothing else told of them."""
    about = {
        "units": 1,
        "lines": 1,
        "source_amount": "1",
        "rate": "1",
        "share_ppm": "1000000",
        "sum_number": 0,
        "currency": "BRL",
    }
    texts = [
        "role",
        "upc",
        "release",
        "title",
        "artist",
        "platform",
        "period",
        "contract",
        "costs",
        "per_unit",
        "terms",
    ]
    about |= dict.fromkeys([*texts, *TOLD_APART], "")
    rows = [about | {"tax_id": CPF[payee], "isrc": isrc, "earned": earned} for payee, isrc, earned in parts]
    return earnings_frame(pa.Table.from_pylist(rows) if rows else None)


def taken_slowly(payee, earned, advances, parts, before):
    """Look through everything for every single advance."""
    own = advances[advances["tax_id"] == payee].sort_values(["date", "reference", "scope", "row"])
    left, taken = max(earned, 0), dict[str, int]()
    for reference, isrc in dict.fromkeys(own[["reference", "scope"]].itertuples(index=False, name=None)):
        name = advance_reference(reference, isrc)
        alike = own[(own["reference"] == reference) & (own["scope"] == isrc)]
        most = min(left, int(alike["amount_cents"].sum()) - before.get((payee, name), 0))
        if isrc:
            exact = sum(
                (Fraction(earned) * 100 for of, code, earned in parts if (CPF[of], code) == (payee, isrc)), Fraction(0)
            )
            others = sum(cents for other, cents in taken.items() if other.endswith(f"|{isrc}"))
            most = min(most, max(0, exact.numerator // exact.denominator) - others)
        if most > 0:
            taken[name] = most
            left -= most
    return taken


@given(some_advances(), OF_RECORDINGS, BEFORE, EARNED)
def test_advances_are_taken_as_the_obvious_way_takes_them(advances, parts, before, earned):
    recoupable = recoupable_of(pd.DataFrame(advances), earnings(parts))
    for payee in map(CPF.__getitem__, PEOPLE):
        found = recoup(payee, earned, recoupable, before, {}, max(earned, 0))
        assert found == taken_slowly(payee, earned, advances, parts, before)
