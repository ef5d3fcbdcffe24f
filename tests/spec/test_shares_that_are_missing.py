"""Which rows the table of shares lacks: one for each thing that lines are about and no share covers."""

from decimal import Decimal

import pytest

from flows.intake.rules.inputs import sum_lines
from flows.payables.rules.missing_shares import list_missing_shares
from flows.royalties.rules.allocation import allocate
from flows.royalties.rules.deals import Deals
from tests.spec.office import statement
from tests.spec.tables import CPF, PRODUCTS, RECORDINGS, lines, shares

OCTOBER = "2026-10-01"


def missing(lines_drawn, shares_drawn="| payee | recording | share |"):
    """List what is missing; a dollar is worth 5.25."""
    source = statement(lines(lines_drawn), rates={"USD": "5.25"})
    return list_missing_shares([source], shares(shares_drawn), first_day=OCTOBER, currency="BRL")


def money(one) -> str:
    """Write an exact amount with two decimals; none of these cases needs more."""
    return "" if one.amount is None else f"{one.amount:.2f}"


def named(found):
    """Draw what was found: recording or whatever else names it, and the amount."""
    titles = {code: name for name, code in RECORDINGS.items()}
    return [(titles.get(one.isrc) or one.upc or one.release or one.artist, money(one)) for one in found.named]


def test_one_row_a_recording_the_largest_sum_first():
    found = missing(
        """
        | recording | store | month   | amount |
        | samba     | A     | 2026-09 | 10.00  |
        | samba     | B     | 2026-10 | 2.50   |
        | valsa     | A     | 2026-10 | 99.00  |
        | choro     | A     | 2026-10 | -50.00 |
        """
    )
    assert named(found) == [("valsa", "99.00"), ("choro", "-50.00"), ("samba", "12.50")]
    samba = found.named[2]
    assert (samba.lines, samba.periods) == (2, ("2026-09", "2026-10"))


def test_what_a_share_covers_is_not_missing():
    drawn = "| recording | artist | amount |\n| samba | Lua | 10.00 |\n| valsa | Sol | 5.00 |"
    assert named(missing(drawn, "| payee | artist | share |\n| ana | Lua | 100 |")) == [("valsa", "5.00")]
    assert not missing(drawn, "| payee | share |\n| ana | 10 |")


def test_a_share_that_does_not_hold_on_the_day_of_the_line_leaves_it_missing():
    drawn = "| recording | month | amount |\n| samba | 2026-09 | 10.00 |\n| samba | 2026-10 | 7.00 |"
    found = missing(drawn, "| payee | recording | share | from |\n| ana | samba | 100 | 2026-10-01 |")
    assert [(share.amount, share.periods) for share in found.named] == [(Decimal("10.00"), ("2026-09",))]


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("| samba | album | Dia | Lua |", ("isrc", "upc", "release", "artist")),
        ("|       | album | Dia | Lua |", ("upc", "release", "artist")),
        ("|       |       | Dia | Lua |", ("release", "artist")),
        ("|       |       |     | Lua |", ("artist",)),
    ],
)
def test_a_row_bears_the_names_that_the_statement_has(line, kept):
    (found,) = missing(f"| recording | product | release | artist | amount |\n{line} 1.00 |").named
    assert tuple(name for name in ("isrc", "upc", "release", "artist") if getattr(found, name)) == kept


def test_titles_alone_cannot_be_shared_and_are_told_apart():
    found = missing("| title | amount |\n| Faixa 1 | 2.00 |\n| Faixa 2 | 3.00 |")
    assert found.named == ()
    assert [(share.title, money(share)) for share in found.nameless] == [("Faixa 2", "3.00"), ("Faixa 1", "2.00")]


MIXED = """
    | recording | product | artist | amount |
    | samba     | album   | Lua    | 10.00  |
    | samba     | single  | Lua    | 4.00   |
    | valsa     | single  | Lua    | 1.00   |
    | choro     |         | Sol    | 2.00   |
    |           |         | Sol    | 3.00   |
"""
ALBUM = "| payee | recording | product | artist | share |\n| ana | | album | | 100 |"


def test_a_share_by_isrc_must_not_take_lines_from_a_wider_share():
    # Samba of the album is Ana's; a share by its ISRC would take it from her, so that its single is listed by product.
    assert [
        (share.isrc != "", share.upc[-2:], share.artist, money(share)) for share in missing(MIXED, ALBUM).named
    ] == [
        (False, "01", "Lua", "4.00"),
        (False, "", "Sol", "3.00"),
        (True, "", "Sol", "2.00"),
        (True, "01", "Lua", "1.00"),
    ]


def test_filled_in_the_list_covers_all_that_was_missing_and_moves_nothing_that_was_covered():
    titles, products = ({code: name for name, code in known.items()} for known in (RECORDINGS, PRODUCTS))
    filled = [
        f"| bia | {titles.get(share.isrc, '')} | {products.get(share.upc, '')} | {share.artist} | 100 |"
        for share in missing(MIXED, ALBUM).named
    ]
    both = "\n".join([ALBUM, *filled])
    assert not missing(MIXED, both)
    found = allocate(
        sum_lines(lines(MIXED)), Deals(shares(both)), rates={"BRL": Decimal(1)}, first_day=OCTOBER
    ).earnings
    assert {name: money_of(found, name) for name in ("ana", "bia")} == {"ana": "10.00", "bia": "10.00"}


def money_of(earnings, name: str) -> str:
    """Sum what one payee earns."""
    return f"{sum(map(Decimal, earnings[earnings['tax_id'] == CPF[name]]['earned'])):.2f}"


def test_amounts_are_in_the_jobs_currency_and_unknown_where_a_rate_is_missing():
    drawn = "| recording | currency | amount |\n| samba | USD | 10.00 |\n| samba | BRL | 1.00 |\n| valsa | EUR | 9.00 |"
    assert named(missing(drawn)) == [("samba", "53.50"), ("valsa", "")]
