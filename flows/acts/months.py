"""Withdrawing a file that was handed in by mistake, and handing it in once more."""

from flows.acts.act import Done, House, Word
from flows.acts.forms import Withdraw
from io_adapters.ledger.ledger import Ledger
from schemas.acts import Act, ActKind, Delivery, named_deliveries, withdrawn
from schemas.errors import DecisionRefused
from schemas.messages import Listed, Message
from schemas.sources import FEWEST_DIGITS, FileUse, WhoseMoney


def withdraw(house: House, word: Word, said: Withdraw) -> Done:
    """Record that a file counts no more for the month of a job, or counts once more; the next run posts it.

    What it earned is taken back by entries of that run's day. What was sent stays sent: who got too much owes it.

    Raises:
        DecisionRefused: no such file was handed in or planned with, or it is withdrawn already, or it is not clear
            which is meant; or the job counts only words of people who signed in. Nothing is recorded.
    """
    if len(said.file) < FEWEST_DIGITS:
        raise DecisionRefused(Message("error.withdraw_digits", digits=FEWEST_DIGITS))
    delivery, name = _meant(house.ledger, said)
    word.require_counts(house.ledger, [delivery.job])
    uses = [use for use in house.ledger.files.uses_of([delivery.sha256]) if _is_of(use, delivery)]
    whose = {"job": delivery.job, "period": delivery.period}
    kind = ActKind.HAND_IN if said.back else ActKind.WITHDRAW
    house.ledger.acts.record(Act(kind, word.by, delivery.sha256, said.why, house.clock.now(), whose))
    posted = "posted" if uses else "unposted"
    line = Message(f"cli.withdrawn.{'back' if said.back else posted}", file=name, **whose)
    document = {"withdrawn": not said.back, "sha256": delivery.sha256, "file": name, **whose, "posted": bool(uses)}
    return Done("withdrawn", (line,), document)


def _meant(ledger: Ledger, said: Withdraw) -> tuple[Delivery, str]:
    acts = ledger.acts.on_months()
    known = named_deliveries(acts, said.file.lower()) | ledger.files.handed_in(said.file.lower())
    gone = withdrawn(acts)
    meant = [
        delivery
        for delivery in known
        if said.job in {"", delivery.job} and said.period in {"", delivery.period} and (delivery in gone) == said.back
    ]
    if len(meant) != 1:
        places = Listed(tuple(Message("delivery.of", job=d.job, period=d.period, file=known[d]) for d in meant), "; ")
        raise DecisionRefused(Message("error.withdraw_which" if meant else "error.withdraw_none", places=places))
    return meant[0], known[meant[0]]


def _is_of(use: FileUse, delivery: Delivery) -> bool:
    whose: WhoseMoney = use.whose
    return (whose.job, whose.period, use.file_sha256) == delivery
