"""A file that was handed in by mistake is withdrawn: before it was posted, and after, by entries of their own day."""

import hashlib
import sqlite3

import pytest

from flows.settings import read_settings
from schemas.errors import ExitCode
from tests.flows.jobs import line, payee, payment, people, share

ANA, BIA = people(2)
pytestmark = pytest.mark.long
OCTOBER, NOVEMBER = [line("100,00", "Samba")], [line("70,00", "Choro")]


@pytest.fixture
def royalties(label):
    label.write("payees.csv", [payee(ANA)])
    label.write("shares.csv", [share(ANA, "100")])
    declare(label, "2026-10")
    return label


def declare(label, period, **changes):
    sources = [{"files": "{period}*.csv", "layout": "royalties"}]
    label.declare(period=period, sources=sources, payees="payees.csv", shares="shares.csv", **changes)


def withdraw(label, path, *more, code=0):
    return label.say("withdraw", path, "--by", "bia", "--why", "é de novembro", *more, code=code)


def test_a_statement_of_another_month_that_was_paid_is_taken_back_and_counts_in_its_month(royalties, service):
    royalties.write("2026-10.csv", OCTOBER)
    wrong = royalties.write("2026-10-b.csv", NOVEMBER)
    royalties.run()
    assert service.paid == [17000]
    assert "takes back" in withdraw(royalties, wrong).output
    assert royalties.run().exit_code == ExitCode.DONE
    right = wrong.rename(royalties.folder / "2026-11.csv")
    declare(royalties, "2026-11")
    royalties.write("2026-11-more.csv", [line("5,00", "Valsa")])
    royalties.run()
    assert service.paid == [17000]  # 70.00 were paid in October: 65.00 are owed back until people say that it counts
    again = royalties.ask("run", royalties.job, "--again", right, "--yes", code=ExitCode.APPROVAL_WANTED)
    royalties.approve(again["plan_digest"], "5,00", "bia")
    royalties.say("run", royalties.job, "--again", right)
    assert service.paid == [500, 17000]


@pytest.mark.parametrize("changes", [{"job": "outro"}, {"job": "aurora", "period": "2026-11"}])
@pytest.mark.parametrize("is_taken_back", [True, False])
def test_what_was_withdrawn_after_it_was_paid_pays_nowhere_else_by_itself(royalties, service, changes, is_taken_back):
    path = royalties.write("2026-10.csv", OCTOBER)
    royalties.run()
    withdraw(royalties, path)
    if is_taken_back:
        royalties.run()
    path = path.rename(royalties.folder / f"{changes.get('period', '2026-10')}.csv")
    declare(royalties, **({"period": "2026-10"} | changes))
    royalties.run()
    assert service.paid == [10000]


def test_what_was_withdrawn_before_anybody_approved_is_not_planned(royalties, service):
    royalties.write("2026-10.csv", OCTOBER)
    wrong = royalties.write("2026-10-b.csv", NOVEMBER)
    royalties.run(yes=False)
    assert "nothing of it" in withdraw(royalties, wrong).output
    royalties.run()
    assert service.paid == [10000]


@pytest.mark.parametrize("by_digest", [True, False])
def test_it_is_named_by_path_or_digest_and_comes_back_by_the_same_act(royalties, service, by_digest):
    path = royalties.write("2026-10.csv", OCTOBER)
    royalties.run()
    name = hashlib.sha256(path.read_bytes()).hexdigest()[:12] if by_digest else path
    withdraw(royalties, name)
    withdraw(royalties, name, code=ExitCode.USAGE)
    royalties.run()
    withdraw(royalties, name, "--back")
    royalties.run()
    assert service.paid == [10000]


def test_a_file_that_two_jobs_used_is_withdrawn_from_the_one_that_is_said(royalties, service):
    path = royalties.write("2026-10.csv", OCTOBER)
    royalties.run()
    declare(royalties, "2026-10", job="outro")
    royalties.run()
    output = withdraw(royalties, path, code=ExitCode.USAGE).output
    assert "--job" in output
    withdraw(royalties, path, "--job", "aurora")
    royalties.run()
    assert service.paid == [10000]  # what was sent for the file was sent for the other job's as well


def test_rows_of_a_list_that_is_withdrawn_are_not_sent(label, service):
    label.write("list-a.csv", [payment(ANA, "10,00", "a")])
    label.declare(sources=[{"files": "list-*.csv", "layout": "payments"}], payees=None, shares=None)
    label.run()
    wrong = label.write("list-b.csv", [payment(BIA, "20,00", "b")])
    label.run(yes=False)
    withdraw(label, wrong)
    label.run()
    assert service.paid == [1000]


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ("UPDATE acts SET \"by\" = 'caio' WHERE id = 1", "row 1 on"),
        ("DELETE FROM acts WHERE id = 1", "row 2 on"),  # the first that follows from none that is there
        ("UPDATE acts SET at = '2020-01-01'", "row 1 on"),
    ],
)
def test_an_act_that_somebody_changed_or_took_out_is_named(royalties, change, named):
    path = royalties.write("2026-10.csv", OCTOBER)
    royalties.run()
    withdraw(royalties, path)
    withdraw(royalties, path, "--back")
    assert "exit" not in royalties.say("doctor").output.split("ledger")[1].splitlines()[0]
    with sqlite3.connect(read_settings().home / "ledger.db") as connection:
        for verb in ("update", "delete"):
            connection.execute(f"DROP TRIGGER acts_refuses_{verb}")
        connection.execute(change)
    assert named in royalties.say("doctor", code=ExitCode.FROZEN).output
