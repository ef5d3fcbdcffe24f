"""Over many nights nobody is told to wait for the wrong party, judged by the service's own record of what it waits for.

Each night payments may be added, somebody may pay (all, a part, too much, an old code), people may record it or not,
the receiver may change, and the service goes on when it has its money. Held constant: one job in BRL, at a terminal.
Varied: everything else, by a seed that is printed. NIGHTS=1000 plays as many as were promised, 40 to a house.
"""

import os
import random
from datetime import UTC, datetime, timedelta

import pytest

from schemas.funding import FundingState
from schemas.states import FUNDINGS, Turn
from tests.flows.jobs import payment, people

ANA, BIA, CAIO = people(3)
NIGHTS = int(os.environ.get("NIGHTS", "40"))
OF_A_HOUSE = 40
SEED = int(os.environ.get("SEED", "55"))
DAY = (datetime.now(UTC) - timedelta(days=1)).date().isoformat()
WORDS = ("--by", "bia", "--evidence", "slip")
pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]


class Nights:
    """A label whose reports wait for money, its bank, and what its people write down."""

    def __init__(self, label, service, seed):
        self.label, self.service, self.random = label, service, random.Random(seed)
        self.codes = dict[str, str]()
        service.behave(funding="pix", done_after_s=0, processing_after_s=0)
        label.declare(settle={"every_s": "0.05", "for_s": "0.05"})
        self.rows = list[dict[str, object]]()

    def told(self):
        """What people are told of each report, by its name."""
        self.label.type("settle")
        return {report["report_id"]: report for report in self.label.ask_any("funding")["reports"]}

    def owed(self):
        """What each report waits for, by the service's own record, and by its name."""
        names = {report["split_id"]: report["reportId"] for report in self.service.reports}
        return {names[split_id]: what for split_id, what in self.service.awaits_by_id.items()}

    def pay_more_people(self):
        who = self.random.choice([ANA, BIA, CAIO])
        cents = self.random.randrange(100, 90_000)
        reference = f"n{len(self.rows)}"
        self.rows.append(payment(who, f"{cents // 100},{cents % 100:02}", reference=reference))
        self.label.payments(*self.rows)
        self.label.run()

    def confirm(self, told):
        for name, report in told.items():
            if report["funding"] in {"receiver_unknown", "mismatch"} and report["receiver"]:
                words = ("funding", "receiver", name, "--receiver", report["receiver"], *WORDS)
                self.label.type(*words)

    def pay(self, told):
        """Somebody at the bank pays one report: what is asked, or not quite."""
        waiting = [report for report in told.values() if report["funding"] in {"yours_to_pay", "short"}]
        if not waiting:
            return
        report = self.random.choice(waiting)
        left = report["due_cents"] - report["funded_cents"]
        cents = self.random.choice([left, left, left, max(1, left // 2), left + 1])
        old = self.codes.get(report["report_id"], "")
        payload = self.random.choice([report["payload"], report["payload"], old]) if cents == left else ""
        paid = {"amount": cents / 100} | ({"payload": payload} if payload else {})
        if self.service.fund_report(report["report_id"], **paid) == 200 and self.random.random() < 0.7:
            written = f"{cents // 100},{cents % 100:02}"
            self.label.type("funding", "paid", report["report_id"], "--amount", written, "--day", DAY, *WORDS)
        self.codes |= {name: told_of["payload"] for name, told_of in told.items()}

    def change_the_service(self):
        self.service.behave(
            receiver=self.random.choice(["SERVICO UM", "SERVICO UM", "SERVICO DOIS"]),
            payload_valid_s=self.random.choice([3600, 0.001]),
        )


@pytest.mark.parametrize("seed", range(SEED, SEED + NIGHTS // OF_A_HOUSE))
def test_nobody_is_told_to_wait_for_the_wrong_party(label, service, seed):
    nights = Nights(label, service, seed)
    seen = set[str]()
    for number in range(OF_A_HOUSE):
        act = nights.random.choice(["pay_more_people", "pay", "pay", "confirm", "change_the_service", "nothing"])
        if number == 0 or act == "pay_more_people":
            nights.pay_more_people()
        elif act == "confirm":
            nights.confirm(nights.told())
        elif act == "pay":
            nights.confirm(nights.told())
            nights.pay(nights.told())
        elif act == "change_the_service":
            nights.change_the_service()
        told = nights.told()
        for name, waits_for in nights.owed().items():
            state = FundingState(told[name]["funding"]) if name in told else FundingState.DONE
            seen.add(f"{waits_for} {state}")
            where = f"seed {seed}, night {number}, {name}: waits for {waits_for}, told {state}"
            is_recorded = name in told and told[name]["funded_cents"] >= (told[name]["due_cents"] or 0)
            if waits_for == "money":
                assert FUNDINGS[state].turn is not Turn.SERVICE or is_recorded, where
                assert name in told, where
            else:
                assert state not in {FundingState.YOURS_TO_PAY, FundingState.RECEIVER_UNKNOWN}, where
    assert service.paid == sorted(cents_of(row) for row in nights.rows)
    assert seed != 55 or {"money yours_to_pay", "money receiver_unknown", "nothing done"} <= seen, seen


def cents_of(row):
    return int(str(row["Valor"]).replace(",", ""))
