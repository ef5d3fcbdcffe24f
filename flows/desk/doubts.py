"""Words of people who signed in on what neither ledger nor service can tell; two of them where it takes two."""

import datetime as dt
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from typing import Final

from flows.approvals.decisions import WAIT, Word, decide, declare_absent, lift_freeze, link_report
from flows.desk.looks import Silence
from flows.run import Clock, Run
from flows.runner import opened_run
from flows.sending.exchange_rates import declare_rates_absent, link_rate
from flows.settings import Settings
from io_adapters.desk.ports import Doubt, Stop
from io_adapters.ledger.ledger import Ledger
from schemas.approval import DecisionKind
from schemas.errors import DecisionRefused
from schemas.exchange_update import ID_PREFIX, ExchangeState, ExchangeUpdate
from schemas.submission import UNTOLD, Submission, SubmissionState
from schemas.told import Told
from schemas.values.names import same_person

S = SubmissionState
X = ExchangeState
ABSENT: Final = "absent"
FREEZE: Final = "freeze"


class Unresolved:
    """What waits for people's words.

    Args:
        ledger: Where it is written.
        settings: Of the service, which is asked before a word counts.
        clock: Time.
    """

    def __init__(self, ledger: Ledger, settings: Callable[[], Settings], clock: Clock) -> None:
        self._ledger = ledger
        self._settings = settings
        self._clock = clock

    def list(self) -> tuple[Doubt, ...]:
        """Return everything in doubt: submissions, then exchange rates."""
        submissions = self._ledger.submissions.list(states={S.IN_DOUBT}, bodies=False)
        rates = self._ledger.exchange_updates.list(states={X.IN_DOUBT, X.REFUSED})
        return (*map(self._of_submission, submissions), *map(self._of_rate, rates))

    def undetermined(self) -> tuple[Submission, ...]:
        """Return the reports that wait for a decision."""
        ended = self._ledger.submissions.list(states=UNTOLD, bodies=False)
        undecided = self._ledger.decisions.undecided(one.id for one in ended)
        return tuple(one for one in ended if one.id in undecided)

    def link(self, subject: str, report_id: str, *, by: str) -> None:
        """Take a person's word that a report is the one in doubt."""
        with self._asking() as run:
            if subject.startswith(ID_PREFIX):
                link_rate(run, subject, report_id, by)
            else:
                link_report(run, subject, report_id, by)
        self._ledger.first_approvals.forget(ABSENT, subject)

    def declare_absent(self, subject: str, *, by: str, evidence: str) -> bool:
        """Keep the first word; with that of a second person, declare it absent."""
        doubt = next((one for one in self.list() if one.subject == subject), None)
        if doubt is None:
            raise DecisionRefused(Told("doubt.settled", name=subject))
        if doubt.absent_from is not None and self._clock.now() < doubt.absent_from:
            raise DecisionRefused(Told("doubt.wait", name=subject, since=f"{doubt.absent_from:%Y-%m-%d %H:%M} UTC"))
        first = self._ledger.first_approvals.standing(ABSENT, subject)
        if first is None or same_person(first.by) == same_person(by):
            self._ledger.first_approvals.say(ABSENT, subject, by, evidence)
            return False
        people, both = (first.by, by), f"{first.by}: {first.evidence}; {by}: {evidence}"
        with self._asking() as run:
            if subject.startswith(ID_PREFIX):
                declare_rates_absent(run, [subject], people, both)
            else:
                declare_absent(run, [subject], people, both)
        self._ledger.first_approvals.forget(ABSENT, subject)
        return True

    def decide(self, keys: Sequence[str], kind: DecisionKind, *, by: str, evidence: str) -> int:
        """Take a person's word on obligations."""
        word = Word(kind, by, evidence, self._clock.now(), signed_in=True)
        return len(decide(self._ledger, keys, word, self._asking))

    def stop(self) -> Stop:
        """Return what stops all sending."""
        hold, freeze = self._ledger.hold.current(), self._ledger.freeze.current()
        first = self._ledger.first_approvals.standing(FREEZE, _name_of(freeze.tags)) if freeze else None
        return Stop(
            hold=f"{hold.by}: {hold.why}" if hold else "",
            freeze=freeze.reason if freeze else "",
            tags=freeze.tags if freeze else (),
            first_word=first,
        )

    def hold(self, *, by: str, why: str) -> None:
        """Stop all sending."""
        self._ledger.hold.put(by, why)

    def release(self, *, by: str) -> None:
        """Let sending go on after a hold."""
        self._ledger.hold.release(by)

    def unfreeze(self, tags: Sequence[str], *, by: str, evidence: str) -> bool:
        """Keep the first word on a freeze; with that of a second person on the same tags, lift it."""
        standing = self._ledger.freeze.current()
        if standing is None:
            raise DecisionRefused(Told("freeze.none"))
        if set(tags) != set(standing.tags):
            raise DecisionRefused(Told("freeze.changed"))
        subject = _name_of(standing.tags)
        first = self._ledger.first_approvals.standing(FREEZE, subject)
        if first is None or same_person(first.by) == same_person(by):
            self._ledger.first_approvals.say(FREEZE, subject, by, evidence)
            return False
        lift_freeze(self._ledger, tags, (first.by, by), f"{first.by}: {first.evidence}; {by}: {evidence}")
        self._ledger.first_approvals.forget(FREEZE, subject)
        return True

    @contextmanager
    def _asking(self) -> Iterator[Run]:
        with opened_run("resolve", None, self._settings(), Silence(), self._clock) as run:
            yield run

    def _of_submission(self, one: Submission) -> Doubt:
        return Doubt(
            one.id,
            one.job,
            one.period,
            one.currency,
            one.payments,
            one.amount_cents,
            one.sending_at,
            _from(one.sending_at),
            one.reason,
            self._ledger.first_approvals.standing(ABSENT, one.id),
        )

    def _of_rate(self, one: ExchangeUpdate) -> Doubt:
        first = self._ledger.first_approvals.standing(ABSENT, one.id)
        terms = f"{one.terms.currency} {one.terms.plain_rate}, {one.report_id}, {one.split_id}"
        reason = f"{terms}: {one.reason}" if one.reason else terms
        sent = one.sending_at
        return Doubt(one.id, one.job, one.period, one.terms.currency, 0, 0, sent, _from(sent), reason, first)


def _from(sent_at: dt.datetime | None) -> dt.datetime | None:
    return sent_at + WAIT if sent_at else None


def _name_of(tags: Sequence[str]) -> str:
    """Name a freeze by what froze it: a word on other tags is a word on another freeze."""
    return sha256("\0".join(sorted(tags)).encode()).hexdigest()
