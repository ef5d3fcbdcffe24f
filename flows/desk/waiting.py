"""What waits for whom, over all jobs."""

import datetime as dt
from collections.abc import Callable

from flows.desk.doubts import Unresolved
from flows.desk.plans import Plans
from flows.reconciliation.waits import gather_waits
from io_adapters.desk.ports import LeftOpen, Waits
from io_adapters.ledger.ledger import Ledger
from io_adapters.outputs.labels import Labels, wait_in_words
from schemas.desk_people import LANGUAGES
from schemas.submission import OPEN, SubmissionState
from schemas.waits import Wait

S = SubmissionState


class Waiting:
    """Asks the ledger what waits."""

    def __init__(self, ledger: Ledger, plans: Plans, doubts: Unresolved, now: Callable[[], dt.datetime]) -> None:
        self._ledger = ledger
        self._now = now
        self._plans = plans
        self._doubts = doubts

    def now(self) -> Waits:
        """Return what waits at this moment."""
        states = {S.PLANNED, S.APPROVED, S.NOT_SENT, *OPEN}
        found = self._ledger.submissions.list(states=states, bodies=False)
        digests = dict.fromkeys(one.plan_digest for one in found if one.state is S.PLANNED)
        plans = [self._plans.standing_of(self._ledger.plans.get(digest)) for digest in digests]
        return Waits(
            approvals=tuple(plan for plan in plans if plan.state == "waiting"),
            doubts=len(self._doubts.list()),
            undetermined=len(self._doubts.undetermined()),
            unsent=tuple(one for one in found if one.state in {S.APPROVED, S.NOT_SENT}),
            open=tuple(one for one in found if one.state in OPEN),
            left=tuple(_left_open(wait) for wait in gather_waits(self._ledger, self._now())),
        )


def _left_open(wait: Wait) -> LeftOpen:
    return LeftOpen(wait, {language: wait_in_words(wait, Labels(language)) for language in LANGUAGES})
