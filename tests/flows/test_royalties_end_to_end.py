"""From statements to payments: shares, later statements, minimum, carry-over and advances over several periods."""

import json
import shutil
from pathlib import Path

import pytest

from tests.flows.books import places
from tests.flows.jobs import line, payee, people, share
from tests.flows.label import summary_of

ANA, BIA = people(2)
SAMPLES = Path(__file__).parents[2] / "sample_data"
pytestmark = pytest.mark.long


@pytest.fixture
def royalties(label):
    """Ana and Bia have a quarter each, the label has the rest; one statement of R$ 100.00."""
    label.write("payees.xlsx", [payee(ANA), payee(BIA)])
    label.write("shares.xlsx", [share(ANA, "25"), share(BIA, "25")])
    label.write("2026-10-a.xlsx", [line("100,00")])
    declare(label)
    return label


def declare(label, period: str = "2026-10", **changes: object) -> None:
    sources = [{"files": "{period}-*.xlsx", "layout": "royalties"}]
    label.declare(**{"period": period, "sources": sources, "payees": "payees.xlsx", "shares": "shares.xlsx"} | changes)


def test_the_samples_are_paid_as_their_known_result_says(label, service, tmp_path):
    shutil.copytree(SAMPLES / "royalties", tmp_path / "royalties", ignore=shutil.ignore_patterns("out"))
    expected = json.loads((SAMPLES / "expected" / "royalties.json").read_text(encoding="utf-8"))
    label.job = tmp_path / "royalties" / "job.yaml"
    report = label.run()
    totals = summary_of(report)["totals_cents"]
    assert {name: cents for name, cents in totals.items() if cents} == expected["totals_cents"]
    assert service.paid == sorted(one["payable_cents"] for one in expected["payees"] if one["payable_cents"])
    assert sum(created["owner_cents"] for created in service.reports) == expected["totals_cents"]["owner"]


def test_a_smaller_statement_takes_nothing_back_and_is_carried_into_the_next_period(royalties, service):
    royalties.write("2026-10-a.xlsx", [line("100,00", month="2026-09")])
    royalties.run()
    royalties.write("2026-10-a.xlsx", [line("60,00", month="2026-09")])
    report = royalties.run()
    assert service.posts == 1
    assert places(summary_of(report))["carried"] == -2000
    royalties.write("2026-11-a.xlsx", [line("100,00", "Choro")])
    declare(royalties, "2026-11")
    royalties.run()
    assert sorted(entry["final_amount_cents"] for entry in service.reports[1]["payments"]) == [1500, 1500]


def test_a_statement_that_was_carried_whole_is_not_counted_again_in_the_next_period(royalties, service):
    declare(royalties, rules={"minimum_payout": "30.00"})
    royalties.run()
    (royalties.folder / "2026-10-a.xlsx").rename(royalties.folder / "2026-11-a.xlsx")
    declare(royalties, "2026-11", rules={"minimum_payout": "30.00"})
    report = royalties.run()
    assert service.paid == []
    assert places(summary_of(report)) == {"held": 10000, "carried": 5000}  # it was carried, and is not paid
