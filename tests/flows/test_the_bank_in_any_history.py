"""What the payer's bank writes of any history closes it: nothing without an explanation, nothing missing, nothing off.

Reports are paid for at once or in parts, people say so of all, of some or of no part, with a fee on top or without;
payments come back whole or in part, shown by the report or recorded by people; checks cost; the statement is read again
and again, as OFX or as a sheet, with the names of reports or without. Held constant: one account, one job, sums that
all differ. Varied: everything else, by a seed that is printed. HISTORIES=1000 plays as many.
"""

import os
import random
from datetime import datetime

import pytest

from schemas.job import BRASILIA
from tests.flows.jobs import payment, people

HISTORIES = int(os.environ.get("HISTORIES", "2"))
SEED = int(os.environ.get("SEED", "8"))
TODAY = datetime.now(BRASILIA).date()
MONTH, DAY = f"{TODAY:%Y-%m}", TODAY.isoformat()
WORDS = ("--day", DAY, "--by", "bia", "--evidence", "contrato")
WHO = people(12)
pytestmark = [pytest.mark.long, pytest.mark.timeout(120 + 90 * HISTORIES)]


def written(cents):
    return f"{cents // 100},{cents % 100:02}"


class AtTheBank:
    """A label, what it owes, and a bank that writes what went to the service and what came back."""

    def __init__(self, label, service, seed):
        self.label, self.service, self.random = label, service, random.Random(seed)
        self.rows, self.keeps_texts, self.returned = [], self.random.random() < 0.5, set()
        has_fee, self.has_checks = (self.random.random() < 0.4 for _ in range(2))
        service.behave(
            funding="pix", fee_on_top=has_fee, fee_rate="0.01" if has_fee else "0", processing_after_s=0, done_after_s=0
        )
        checks = {"account_checks": {"when": "new_or_changed"}} if self.has_checks else {}
        label.declare(settle={"every_s": "0.1", "for_s": "0.2"}, **checks)
        self.another_report()
        (report,) = label.ask_any("funding")["reports"]
        label.say(
            "funding",
            "receiver",
            report["report_id"],
            "--receiver",
            report["receiver"],
            "--by",
            "bia",
            "--evidence",
            "contrato",
        )

    def another_report(self):
        for _ in range(self.random.randint(1, 3)):
            if len(self.rows) < len(WHO):
                self.rows.append(self.random.randrange(10_000, 900_000))
        self.label.payments(*(payment(WHO[n], written(cents), reference=f"r{n}") for n, cents in enumerate(self.rows)))
        self.label.run()

    def pay(self):
        """Pay for some report what it still wants, or a part of it; perhaps somebody says so."""
        if not self.unpaid():
            return
        name = self.random.choice(self.unpaid())
        before = self.service.funded_of(name)
        part = self.keeps_texts and self.random.random() < 0.3  # of parts without a name nobody knows what they are of
        assert self.service.fund_report(name, **({"amount": 12.34} if part else {})) == 200
        cents = self.service.funded_of(name) - before
        if self.random.random() < 0.3:
            self.label.type("funding", "paid", name, f"--amount={written(cents)}", *WORDS)

    def unpaid(self):
        """The reports of which the service awaits money."""
        awaits = self.service.awaits_by_id
        return [report["reportId"] for report in self.service.reports if awaits[report["split_id"]] == "money"]

    def come_back(self):
        """Some payment comes back once the ledger has seen it paid; who told of it is the report, or else a person."""
        self.label.type("settle")
        paid = [p for report in self.service.reports for p in report["payments"]]
        entry = self.random.choice(paid)
        key = entry["extPaymentId"]
        if key in self.returned:
            return
        cents = self.random.choice([entry["final_amount_cents"], entry["final_amount_cents"] // 3])
        shown = self.random.random() < 0.5
        if self.service.give_back(key, f"{cents / 100:.2f}", shown=shown) != 200:
            return
        self.returned.add(key)
        self.label.type("settle")
        with self.label.ledger() as ledger:
            is_told = key in {
                each.obligation_key for each in ledger.returns.all() if each.counts and not each.is_nobodys
            }
        if not is_told:
            self.label.say("returned", key, f"--amount={written(cents)}", *WORDS)

    def settle(self):
        self.label.type("settle")

    def read(self, *, at_the_end=False):
        """Read the statement; checks of a day are one line, which grows while the day lasts."""
        if self.has_checks and not at_the_end:
            return
        form = self.random.choice(["ofx", "csv"])
        text = self.service.statement(form)
        if text.count("\n") < 2 and form == "csv":
            return
        for report in () if self.keeps_texts else self.service.reports:
            text = text.replace(report["split_id"], "AUT")
        path = self.label.folder / f"{len(list(self.label.folder.iterdir()))}.{form}"
        path.write_text(text, encoding="cp1252")
        self.label.ask_any("bank", "read", path, "--account", "77", "--by", "caio")


@pytest.mark.parametrize("number", range(HISTORIES))
def test_the_bank_closes_whatever_happened(label, service, number):
    seed = SEED * 1_000_000 + number
    print(f"SEED={SEED} {number=}")
    world = AtTheBank(label, service, seed)
    acts = [world.another_report, world.pay, world.pay, world.come_back, world.settle, world.read]
    for _ in range(world.random.randint(4, 14)):
        world.random.choice(acts)()
    while world.unpaid():
        world.pay()
    world.settle()
    world.read(at_the_end=True)
    month = label.ask_any("bank")
    assert month["unexplained"] == month["missing"] == month["gaps"] == []
    assert {row["difference_cents"] for row in month["rows"]} <= {0}
    bank = sum(row["bank_cents"] for row in month["rows"])
    assert bank == sum(service.funded_cents) + service.checks_cost_cents - service.back
