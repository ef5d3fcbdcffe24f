"""In any history of payments and of money that comes back nobody is paid twice, and nothing is lost.

Payments come back whole or in part, more than once, seen by the report or not; people record it then or later, change
accounts, decide, and cut runs off. Judged by what the service received and gave back. Held constant: one job of rows in
BRL whose people say what is so. Varied: everything else, by a seed that is printed. HISTORIES=10000 plays as many.
"""

import os
import random
from datetime import UTC, datetime, timedelta

import pytest

from flows.books.payments import PaymentSearch, Search
from schemas.returns import ReturnState, Witness
from tests.flows.every_view import look_through
from tests.flows.jobs import payment, people
from tests.flows.moments import At, power_cut

WHO = people(6)
HISTORIES = int(os.environ.get("HISTORIES", "3"))
SEED = int(os.environ.get("SEED", "55"))
DAY = (datetime.now(UTC) - timedelta(hours=3)).date().isoformat()
WORDS = ("--by", "bia", "--by", "caio", "--evidence", "bank")
STAGES = ("read", "draft", "freeze", "send", "settle", "write")
pytestmark = [pytest.mark.long, pytest.mark.timeout(120 + 90 * HISTORIES)]


def written(cents):
    return f"{cents // 100},{cents % 100:02}"


class MoneyComesBack:
    """A label, its bank, and what its people know of what came back."""

    def __init__(self, label, service, seed):
        self.label, self.service, self.random = label, service, random.Random(seed)
        self.owed = {n: self.random.choice([1000, 2000, 2000, 3003]) for n in range(self.random.randint(2, 4))}
        self.accounts = dict.fromkeys(self.owed, 0)
        self.unrecorded, self.dropped = list[tuple[str, int]](), dict[str, int]()
        self.run()
        rows = {p["final_amount_cents"]: p["extPaymentId"] for p in service.reports[0]["payments"]}
        assert len(rows) == len(set(self.owed.values()))

    def run(self, **given):
        keys = {n: {"Chave_Pix": WHO[(n + at) % len(WHO)].destination.pix_key} for n, at in self.accounts.items()}
        self.label.payments(
            *(payment(WHO[n], written(cents), reference=f"r{n}", **keys[n]) for n, cents in self.owed.items())
        )
        return self.label.run(**given)

    def is_cut_off(self):
        try:
            self.run(progress=At(self.random.choice(STAGES), power_cut))
        except KeyboardInterrupt:
            """As a person or the system does it."""

    def comes_back(self):
        """The bank of some payee gives back what they have of a payment, or a part; the service tells or not."""
        paid = [p for report in self.service.reports for p in report["payments"]]
        entry = self.random.choice(paid)
        back = self.service.given_back(entry["extPaymentId"])
        if left := entry["final_amount_cents"] - back:
            cents = self.random.choice([left, left, max(1, left // 3)])
            shown = self.random.random() < 0.6
            assert self.service.give_back(entry["extPaymentId"], f"{cents / 100:.2f}", shown=shown) == 200
            self.unrecorded.append((entry["extPaymentId"], cents))

    def record(self):
        """People say of one payment what came back of it."""
        if not self.unrecorded:
            return
        key, cents = self.unrecorded.pop(self.random.randrange(len(self.unrecorded)))
        said = ("returned", key, f"--amount={written(cents)}", "--day", DAY, *WORDS)
        if self.label.type(*said).exit_code:  # the report's figures seemed to say otherwise
            for each in self.returns():
                if each.obligation_key == key and Witness.PERSON not in each.seen_by and each.counts:
                    self.label.say("decide", each.key, "--paid", *WORDS[2:])
            self.label.say(*said)

    def returns(self):
        with self.label.ledger() as ledger:
            return ledger.returns.all()

    def decide(self, *, all_of_them=False):
        for each in self.returns():
            if each.state is ReturnState.OPEN and (all_of_them or self.random.random() < 0.6):
                is_dropped = not all_of_them and self.random.random() < 0.2
                words = ("--drop",) if is_dropped else ("--pay", "--same-account")
                self.label.say("decide", each.key, *words, *WORDS[2:])
                root = each.key.partition("/r")[0]
                self.dropped[root] = self.dropped.get(root, 0) + (each.amount_cents if is_dropped else 0)

    def change_an_account(self):
        self.accounts[self.random.choice(list(self.accounts))] += 1

    def settle(self):
        self.label.type("settle")

    def nobody_has_too_much(self):
        """No payment is sent twice under one name, and with all that was sent of it nobody has more than is owed."""
        names = self.service.paid_for
        assert len(names) == len(set(names))
        for entry in self.service.reports[0]["payments"]:
            assert self.service.held_by(entry["extPaymentId"]) <= entry["final_amount_cents"]

    def explanations_add_up(self):
        for n in self.owed:
            self.label.say("explain", WHO[n].name)

    def everybody_has_theirs(self):
        for entry in self.service.reports[0]["payments"]:
            key = entry["extPaymentId"]
            assert self.service.held_by(key) == entry["final_amount_cents"] - self.dropped.get(key, 0), key
        with self.label.ledger() as ledger:
            lines = PaymentSearch(ledger).find(Search(place="paid"))
            assert not ledger.journal.disagreeing([s.id for s in ledger.submissions.list(bodies=False)])
        held = sum(self.service.held_by(entry["extPaymentId"]) for entry in self.service.reports[0]["payments"])
        assert sum(line.amount_cents for line in lines) == held
        assert self.label.ask("owed", "--at", DAY)["owed"] == []


@pytest.mark.parametrize("number", range(HISTORIES))
def test_nobody_is_paid_twice_and_nothing_is_lost_whatever_comes_back(label, service, number):
    seed = SEED + number
    print(f"seed {seed}")
    history = MoneyComesBack(label, service, seed)
    acts = [
        *[history.comes_back] * 4,
        *[history.record] * 3,
        *[history.settle] * 2,
        *[history.run] * 2,
        history.decide,
        history.change_an_account,
        history.is_cut_off,
    ]
    for _ in range(history.random.randint(5, 12)):
        act = history.random.choice(acts)
        print(act.__name__)
        act()
        history.nobody_has_too_much()
        history.explanations_add_up()
        look_through(label.job if act == history.run else None, newest=1)
    while history.unrecorded:
        history.record()
    history.settle()
    history.decide(all_of_them=True)
    history.run()
    history.run()
    history.settle()
    history.nobody_has_too_much()
    history.everybody_has_theirs()
    history.explanations_add_up()
    look_through(label.job, at_desk=True, newest=1)
