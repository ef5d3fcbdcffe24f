"""One act, one function: whichever face an act is done at, it is done here."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Final

from flows.acts import bank, doubts, forms, funding, months, payments, plans, rates, returns, stops
from flows.acts.act import Done, House, Word
from flows.acts.forms import ActForm, fields_of
from schemas.errors import DecisionRefused
from schemas.messages import Message

DOES: Final[Mapping[type[ActForm], Callable[[House, Word, Any], Done]]] = MappingProxyType(
    {
        forms.Approve: plans.approve,
        forms.Reject: plans.reject,
        forms.Receive: plans.receive,
        forms.Decide: payments.decide,
        forms.RecordReturn: returns.record_return,
        forms.LinkReport: doubts.link,
        forms.DeclareAbsent: doubts.declare_absent,
        forms.TakeLinkBack: doubts.take_link_back,
        forms.HoldSending: stops.hold,
        forms.Release: stops.release,
        forms.Unfreeze: stops.unfreeze,
        forms.Withdraw: months.withdraw,
        forms.SetRate: rates.set_by_hand,
        forms.Fund: funding.record_paid,
        forms.ConfirmReceiver: funding.confirm_receiver,
        forms.ExplainLine: bank.explain_line,
    }
)


def perform(house: House, word: Word, said: ActForm) -> Done:
    """Do what somebody has asked for, and record it with its effect; what is refused is not done, and not recorded.

    Raises:
        DecisionRefused: nobody says it, or a reason is missing; or as the act's own function says.
    """
    people = tuple(name.strip() for name in word.people if name.strip())
    if not people:
        raise DecisionRefused(Message("act.no_name"))
    of_form = fields_of(type(said))
    texts = {one.name: text.strip() for one in of_form if isinstance(text := getattr(said, one.name), str)}
    if any(one.asked.is_reason and not texts[one.name] for one in of_form):
        raise DecisionRefused(Message("act.no_reason"))
    return DOES[type(said)](house, replace(word, people=people), replace(said, **texts))
