"""The drawn tables are what the reader would have made: the decisions are shown nothing they would never see."""

import pytest

from schemas.tables.payees import Advances, Opening, Payees, Payments
from schemas.tables.royalties import RoyaltyLines, Shares
from tests.spec.tables import CPF, PEOPLE, advances, lines, opening, payees, payments, same, shares


@pytest.mark.parametrize(
    ("model", "frame"),
    [
        (
            RoyaltyLines,
            lines("| recording | product | month | amount |\n| samba | album | 2026-09 | -1.5 |\n| | | | 2 |"),
        ),
        (Shares, shares("| payee | recording | share | from |\n| ana | valsa | 33.3333 | 2026-01-01 |")),
        (Payees, payees(*PEOPLE)),
        (
            Payments,
            payments("| payee | amount | key | withhold |\n| ana | 1.00 | a@example.com | yes |\n| bia | 2.00 | | |"),
        ),
        (Opening, opening("| payee | kind | month | amount |\n| ana | to recoup | 2026-07 | 1.00 |")),
        (Advances, advances("| payee | amount | date |\n| ana | 1.00 | 2026-01-31 |")),
    ],
    ids=lambda value: getattr(value, "__name__", "drawn"),
)
def test_a_drawn_table_keeps_its_table_s_promise(model, frame):
    assert len(model.validate(frame)) == len(frame) > 0


def test_the_order_of_names_is_the_order_of_their_tax_ids():
    assert sorted(CPF, key=CPF.__getitem__) == sorted(PEOPLE)


def test_a_result_that_differs_in_one_centavo_is_not_the_same():
    with pytest.raises(AssertionError, match=r"ana \| 1.00"):
        same(advances("| payee | amount |\n| ana | 1.00 |"), "| payee | amount |\n| ana | 1.01 |")
