"""Words on what came back of payments: that it did, and what is to become of it."""

from itertools import compress
from typing import Final

from flows.acts.act import FIRST, Done, House, Word, together
from flows.acts.forms import RecordReturn
from flows.acts.funding import cents_said, day_said, takes_two
from schemas.approval import DecisionKind
from schemas.errors import DecisionRefused
from schemas.messages import Message, Money
from schemas.returns import Returned, ReturnState, next_number, return_key

RETURN: Final = "return"
# What may be said of what came back; that its account is another one is said in the tables.
_SAID: Final = frozenset({DecisionKind.PAY, DecisionKind.PAID, DecisionKind.DROP})


def record_return(house: House, word: Word, said: RecordReturn) -> Done:
    """Write down that so much of a payment came back; two people where its plan asked for two.

    A sum below zero takes back what somebody has recorded wrongly, while nothing came of it. Two people it takes also
    where a report alone has shown it: reports are provisional, and it is paid again on this word.

    Raises:
        DecisionRefused: no report says that it was paid, less of it is paid than that, no amount, a day to come or
            before it was sent; or its job counts only words of people who signed in.
        ApprovalWanted: there are not two different people, where it takes two.
    """
    ledger = house.ledger
    paid = ledger.returns.paid_claim(said.payment)
    if paid is None:
        raise DecisionRefused(Message("returned.not_paid", obligation=said.payment))
    word.require_counts(ledger, [paid.job])
    amount_cents, day = cents_said(said.amount), day_said(said.day, ledger.today())
    if amount_cents < 0:
        wrong = ledger.returns.take_back(said.payment, -amount_cents, by=word.by, evidence=said.evidence)
        line = Message("returned.taken_back", sum=Money(-amount_cents, wrong.currency), obligation=wrong.key)
        return Done("returned", (line,), {"obligation": wrong.key, "amount_cents": amount_cents})
    if day < paid.sent_on:
        raise DecisionRefused(Message("returned.before_it_was_sent", day=paid.sent_on.isoformat()))
    evidence, (report,) = said.evidence, ledger.submissions.with_ids([paid.submission_id])
    known = ledger.returns.of_payments([said.payment])
    is_seen = (each.state is ReturnState.UNCONFIRMED and each.amount_cents == amount_cents for each in known)
    seen = next(compress(known, is_seen), None)
    if takes_two(ledger, report) or seen is not None:
        number = seen.number if seen else next_number(known)
        subject = f"{return_key(said.payment, number)} {amount_cents} {day}"
        both = together(house, word, RETURN, subject, evidence, alone=Message("returned.two"))
        if both is None:
            return FIRST
        word, evidence = both
    found = ledger.returns.record(said.payment, amount_cents, day, by=word.by, evidence=evidence)
    line = Message("returned.recorded", sum=Money(amount_cents, found.currency), obligation=found.key)
    facts = {"obligation": found.key, "amount_cents": amount_cents, "report": report.report_id}
    return Done("returned", (line,), facts)


def may_say(returned: Returned, kind: DecisionKind, *, same_account: bool) -> bool:
    """Whether people may say something of what came back: while it is not paid again, and nothing ended it.

    That it is paid to the account it came back from is said in so many words, and of what the bank or a person has
    seen to be back.
    """
    if kind not in _SAID or returned.is_nobodys:
        return False
    if kind is DecisionKind.PAY:
        return returned.state is ReturnState.OPEN and same_account
    return returned.state in {ReturnState.OPEN, ReturnState.UNCONFIRMED}
