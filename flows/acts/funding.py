"""Words on what reports cost: what was paid for one, and that the receiver of the service's codes is the service."""

import datetime as dt
from typing import Final

from flows.acts.act import FIRST, Done, House, Word, report_called, together
from flows.acts.forms import ConfirmReceiver, Fund
from flows.reports.funding import fundings_of
from io_adapters.ledger.approvals_missing import approvers_needed
from io_adapters.ledger.ledger import Ledger
from schemas.acts import digest_of
from schemas.approval import stricter
from schemas.errors import DecisionRefused
from schemas.funding import CodeStanding, ReportFunding
from schemas.messages import Message, Money
from schemas.plan import HOME_CURRENCY
from schemas.submission import ENDED, OPEN, Submission
from schemas.values.money import parse_amount

RECEIVER: Final = "receiver"
_TWO: Final = 2


def record_paid(house: House, word: Word, said: Fund) -> Done:
    """Write down what was paid to the service for a report, and post it.

    Raises:
        DecisionRefused: no report of this ledger that the service has, no amount, a day to come, less than nothing in
            all; or its job counts only words of people who signed in.
    """
    report = report_called(house.ledger, said.report)
    word.require_counts(house.ledger, [report.job])
    if report.state not in OPEN | ENDED:
        raise DecisionRefused(Message("funding.not_there", report=report.report_id))
    amount_cents, day = cents_said(said.amount), day_said(said.day, house.ledger.today())
    paid_cents = house.ledger.fundings.record(report.id, amount_cents, day, by=word.by, evidence=said.evidence)
    (stands,) = fundings_of(house.ledger, [report])
    facts = {"report": report.report_id, "amount_cents": amount_cents, "funded_cents": paid_cents}
    paid = Money(paid_cents, HOME_CURRENCY)
    line = Message("funding.recorded", report=report.report_id, sum=paid, stands=stands.told)
    return Done("funded", (line,), facts | {"funding": stands.state.value}, stands.state.exit_code)


def confirm_receiver(house: House, word: Word, said: ConfirmReceiver) -> Done:
    """Write down that the receiver of a report's code is the service; two people where its plan asked for two.

    Raises:
        DecisionRefused: the report has no code that names a receiver, is wrong otherwise, or names another one than was
            looked at; or its job counts only words of people who signed in.
        ApprovalWanted: there are not two different people, where it takes two.
    """
    report = report_called(house.ledger, said.report)
    word.require_counts(house.ledger, [report.job])
    (stands,) = fundings_of(house.ledger, [report])
    if stands.standing not in {CodeStanding.UNCONFIRMED, CodeStanding.OTHER_RECEIVER}:
        raise DecisionRefused(Message("funding.no_receiver", report=report.report_id, stands=stands.told))
    if " ".join(said.receiver.split()) != stands.receiver:
        raise DecisionRefused(Message("funding.receiver_differs", receiver=stands.receiver))
    evidence = said.evidence
    if takes_two(house.ledger, report):
        subject, alone = digest_of(stands.receiver), Message("funding.receiver_two")
        both = together(house, word, RECEIVER, subject, evidence, alone=alone)
        if both is None:
            return FIRST
        word, evidence = both
    house.ledger.fundings.confirm_receiver(report.id, stands.receiver, by=word.by, evidence=evidence)
    (stands,) = fundings_of(house.ledger, [report])
    line = Message("funding.confirmed", receiver=stands.receiver, stands=stands.told)
    return Done("confirmed", (line,), {"report": report.report_id, "funding": stands.state.value})


def takes_two(ledger: Ledger, report: Submission) -> bool:
    """Whether words on a report's money are of two people: its plan asked for two."""
    plan = ledger.plans.get(report.plan_digest)
    return approvers_needed(stricter(plan.rule, ledger.decision_rules.policy()), plan, needs_review=True) >= _TWO


def first_word_on(ledger: Ledger, stands: ReportFunding) -> str:
    """Return who has said first that a receiver is the service; "" where nobody has."""
    first = ledger.first_decisions.pending(RECEIVER, digest_of(stands.receiver)) if stands.receiver else None
    return first.by if first else ""


def cents_said(text: str) -> int:
    """Read an amount that somebody typed; one below zero with its sign.

    Raises:
        DecisionRefused: it is none, or nothing.
    """
    plain = text.strip()
    try:
        cents = parse_amount(plain.removeprefix("-"))
    except ValueError:
        cents = 0
    if not cents:
        raise DecisionRefused(Message("funding.no_amount"))
    return -cents if plain.startswith("-") else cents


def day_said(text: str, today: dt.date) -> dt.date:
    """Read a day that somebody typed.

    Raises:
        DecisionRefused: it is none, or to come.
    """
    try:
        day = dt.date.fromisoformat(text.strip())
    except ValueError:
        raise DecisionRefused(Message("funding.no_day")) from None
    if day > today:
        raise DecisionRefused(Message("funding.day_to_come"))
    return day
