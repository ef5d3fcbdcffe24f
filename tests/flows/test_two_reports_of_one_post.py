"""What the service paid twice, since one POST made two reports, is in the books once people have looked into it.

Varied: royalties and rows; whether what the second report paid stays paid, or comes back. Constant: SQLite, the second
report bears the name of the first, and is paid at once. Judged by what the service says that it paid.
"""

import pytest

from schemas.errors import ExitCode
from tests.flows.every_view import look_through
from tests.flows.jobs import line, payee, payment, people, share
from tests.flows.label import run_month
from tests.flows.proxy import standing_before

ANA, BIA = people(2)
pytestmark = pytest.mark.long


@pytest.fixture
def proxy(service, monkeypatch, label):
    with standing_before(service.url) as proxy:
        monkeypatch.setenv("REPASSE_API_URL", proxy.url)
        proxy.deliveries = 2
        yield proxy
        proxy.deliveries = 1


def two_people_let_it_go_on(label):
    tags = label.ask("status", code=31)["freeze"]["tags"]
    named = [word for tag in tags for word in ("--accept", tag)]
    label.say("unfreeze", *named, "--by", "bia", "--by", "carla", "--evidence", "seen at the service")


def paid_cents(label, name):
    """What the books say that the service has paid a payee."""
    entries = [entry for account in label.ask("account", name)["accounts"] for entry in account["entries"]]
    return sum(entry["paid_cents"] for entry in entries)


def test_rows_that_were_paid_twice_stand_in_their_payees_accounts_as_paid_too_much(label, service, proxy):
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"))
    assert label.run().exit_code == ExitCode.FROZEN
    assert service.paid == [1000, 1000, 2000, 2000]
    assert paid_cents(label, ANA.name) == 1000  # nobody has looked into it
    two_people_let_it_go_on(label)
    assert "pagou uma segunda vez" in label.say("settle").output
    assert (paid_cents(label, ANA.name), paid_cents(label, BIA.name)) == (2000, 4000)
    (account,) = label.ask("account", ANA.name)["accounts"]
    assert account["closing_cents"] == -1000
    assert "pagou uma segunda vez" not in label.say("settle").output
    assert paid_cents(label, ANA.name) == 2000
    (month,) = label.ask("month", "2026-10")["jobs"]
    assert (month["paid_cents"], month["owed_cents"]) == (6000, -3000)
    look_through(label.job, at_desk=True)
    label.say("taxes", "--year", "2026", "--out", "taxes.xlsx")


def test_what_comes_back_of_a_second_report_is_no_more_paid_too_much(label, service, proxy):
    label.payments(payment(ANA, "10,00"))
    label.run()
    two_people_let_it_go_on(label)
    label.say("settle")
    assert paid_cents(label, ANA.name) == 2000
    other = service.reports[0]["split_id"]  # the answer was that of the one made later
    service.force_one(other, status="ERROR", donePayments=0, pendingPayments=1, paidAmount=0, pendingAmount=10)
    assert "voltou" in label.type("settle").output
    assert paid_cents(label, ANA.name) == 1000
    assert label.ask("account", ANA.name)["accounts"][0]["closing_cents"] == 0
    look_through(label.job)


def test_royalties_that_were_paid_twice_are_taken_from_what_is_earned_next(label, service, proxy):
    label.write("payees.xlsx", [payee(ANA), payee(BIA)])
    label.write("shares.xlsx", [share(ANA, "50"), share(BIA, "50")])

    def month(label, name, amount):
        label.write(f"{name}-a.xlsx", [line(amount, f"Samba {name}", name)])
        return run_month(label, name, sources=[{"files": "{period}-*.xlsx", "layout": "royalties"}], advances=None)

    assert month(label, "2026-07", "100,00").exit_code == ExitCode.FROZEN
    proxy.deliveries = 1
    two_people_let_it_go_on(label)
    label.say("settle")

    assert month(label, "2026-08", "300,00").exit_code == ExitCode.DONE
    assert service.paid == [5000, 5000, 5000, 5000, 10000, 10000]
    look_through(label.job)
