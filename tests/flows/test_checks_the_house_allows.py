"""What the house allows of paid account checks: so many a day and a month, and many at once after a person's yes."""

import json
import re
from pathlib import Path

import pytest

from schemas.errors import ExitCode
from tests.flows.jobs import line, payment, people
from tests.flows.label import Label, split_with_ana_and_bia

pytestmark = pytest.mark.long

PEOPLE = people(6)
COST = 36


@pytest.fixture
def house(label: Label, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Write the policy of the house, for a job that asks about every account each time."""
    label.payments(*(payment(person, "10,00") for person in PEOPLE))
    label.declare(account_checks={"when": "always", "budget": "10000.00"}, approval={"above": "10000.00"})
    path = tmp_path / "rules" / "policy.yaml"
    path.parent.mkdir()
    monkeypatch.setenv("REPASSE_POLICY", str(path))

    def write(**checks: int) -> None:
        path.write_text(json.dumps({"account_checks": checks}), encoding="utf-8")

    return write


def asked_for(report) -> str:
    """The digest of the checks that a run wants a yes to."""
    return re.search(r"repasse approve ([0-9a-f:sh]+)", report.messages[0])[1]


@pytest.mark.long
@pytest.mark.journey
@pytest.mark.parametrize(
    ("limits", "made"), [({"per_day": 4}, 4), ({"per_month": 3}, 3), ({"per_day": 5, "per_month": 2}, 2)]
)
def test_all_runs_together_make_no_more_checks_than_the_house_allows(label, service, house, limits, made):
    house(**limits)
    for _ in range(3):
        label.run(yes=False)
    assert service.checks == made


def test_many_checks_at_once_are_asked_of_a_person_before_any_is_made(label, service, house):
    house(approval_above=5)
    report = label.run(yes=True, by="ana")
    assert report.exit_code == ExitCode.APPROVAL_WANTED
    assert service.checks == 0
    assert service.posts == 0
    assert "2,16" in report.messages[0]
    label.approve(asked_for(report), "2,15", "bia", code=14)
    assert label.run(yes=True, by="ana").exit_code == ExitCode.APPROVAL_WANTED
    label.approve(asked_for(report), "2,16", "bia")
    assert label.run(yes=True, by="ana").exit_code == ExitCode.DONE
    assert service.checks == 6
    assert service.paid == [1000] * 6


@pytest.mark.journey
def test_a_yes_to_checks_is_used_once(label, service, house):
    label.declare(account_checks={"when": "always", "budget": "10000.00"})
    house(approval_above=5)
    report = label.run(yes=False)
    label.approve(asked_for(report), "2,16", "bia")
    assert label.run(yes=False).exit_code == ExitCode.APPROVAL_WANTED
    assert service.checks == 6
    label.run(yes=False)
    assert service.checks == 6, "they were agreed to once"


def test_a_house_that_lets_no_run_check_by_itself_is_asked_where_royalties_are_paid_too(label, service, house):
    split_with_ana_and_bia(label)
    label.write("royalties.csv", [line("100,00")])
    sources = [{"files": "payments.xlsx", "layout": "payments"}, {"files": "royalties.csv", "layout": "royalties"}]
    tables = {"payees": "payees.xlsx", "shares": "shares.xlsx"}
    label.declare(sources=sources, **tables, account_checks={"when": "always", "budget": "10000.00"})
    house(approval_above=0)
    assert label.run(yes=True).exit_code == ExitCode.APPROVAL_WANTED
    assert service.checks == 0


def test_few_checks_need_nobody(label, service, house):
    house(approval_above=6)
    assert label.run(yes=True).exit_code == ExitCode.DONE
    assert service.checks == 6


def test_more_accounts_are_another_question(label, service, house):
    house(approval_above=4)
    report = label.run(yes=True)
    label.approve(asked_for(report), "2,16", "bia")
    label.payments(*(payment(person, "10,00") for person in PEOPLE[:5]))
    assert label.run(yes=True).exit_code == ExitCode.APPROVAL_WANTED
    assert service.checks == 0


def test_whoever_asks_does_not_agree_where_two_are_asked_for(label, service, house):
    label.declare(
        account_checks={"when": "always", "budget": "10000.00"},
        approval={"above": "10000.00", "other_than_preparer": True},
    )
    house(approval_above=5)
    report = label.run(yes=True, by="ana")
    for name in ("ana", "A.N.A"):
        label.approve(asked_for(report), "2,16", name)
        assert label.run(yes=True, by="ana").exit_code == ExitCode.APPROVAL_WANTED
    assert service.checks == 0
    label.approve(asked_for(report), "2,16", "bia")
    label.run(yes=True, by="ana")
    assert service.checks == 6
