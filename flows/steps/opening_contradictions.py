"""Which rows of the opening balances the ledger, or the payments of the period, contradict."""

import datetime as dt
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import Enum

from flows.steps.accrue import History, advance_reference
from schemas.issues import IssueCode
from schemas.job import Period
from schemas.tables.frames import Record
from schemas.tables.opening import CARRIED, TO_RECOUP

# Code, column at fault, and what the message names.
_Fault = tuple[IssueCode, str, str]


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A row of the opening balances that cannot be taken at its word.

    Attributes:
        code: Why.
        file, sheet, row: Where.
        column: Canonical column of the cell at fault.
        tax_id: Whose row.
        found: What its message names.
    """

    code: IssueCode
    file: str
    sheet: str
    row: int
    column: str
    tax_id: str
    found: str


class When(Enum):
    """Whether a row names an earlier period than the job's, this one or a later one."""

    EARLIER = "earlier"
    NOW = "now"
    LATER = "later"


def first_day(row: Record) -> dt.date:
    """Return the day a row names, or the first one of the month it names."""
    named: str = row["period"]
    return dt.date.fromisoformat(named if len(named) > len("2026-10") else f"{named}-01")


def when_is(row: Record, period: Period) -> When:
    """A month is named by its number or any of its days; other periods by any of theirs."""
    day = first_day(row)
    if day < period.start:
        return When.EARLIER
    return When.NOW if day <= period.end else When.LATER


@dataclass(frozen=True, slots=True)
class KnownToLedger:
    """What opening balances may contradict.

    Attributes:
        period: The job's.
        history: What the ledger says the period finds.
        posted: First day and label of every period posted so far, earliest first.
        claimed: Obligation key of a payments row -> the submission that claims it.
        payments: Obligation keys of the payments rows there are.
    """

    period: Period
    history: History
    posted: tuple[tuple[dt.date, str], ...]
    claimed: Mapping[str, str]
    payments: Collection[str]

    def contradicts(self, row: Record, key: str) -> Contradiction | None:
        """Say what is wrong with a row; `key` names the payments row that it says was paid outside."""
        found = {CARRIED: self._carried, TO_RECOUP: self._to_recoup}.get(row["kind"], self._paid)(row, key)
        if found is None:
            return None
        code, column, told = found
        return Contradiction(code, row["file"], row["sheet"], row["row"], column, row["tax_id"], told)

    def _before(self) -> str:
        """Label of the latest period posted before this one; "" when there is none."""
        return next((label for start, label in reversed(self.posted) if start < self.period.start), "")

    def _carried(self, row: Record, _key: str) -> _Fault | None:
        when = when_is(row, self.period)
        if when is When.NOW and self._before():
            return IssueCode.OPENING_LEDGER, "period", self._before()
        day = first_day(row)
        never_run = not any(start == day or label == f"{day:%Y-%m}" for start, label in self.posted)
        if when is When.EARLIER and never_run:
            return IssueCode.OPENING_PERIOD, "period", self.posted[0][1] if self.posted else self.period.label
        return None

    def _to_recoup(self, row: Record, _key: str) -> _Fault | None:
        name = advance_reference(row["reference"], row["isrc"])
        recouped = self.history.recouped.get((row["tax_id"], name), 0)
        if recouped and self._before() and when_is(row, self.period) is When.NOW:
            return IssueCode.OPENING_LEDGER, "amount", self._before()
        return None

    def _paid(self, row: Record, key: str) -> _Fault | None:
        if when_is(row, self.period) is not When.NOW or not key:
            return None
        if key in self.claimed:
            return IssueCode.OPENING_LEDGER, "reference", self.claimed[key]
        return None if key in self.payments else (IssueCode.OPENING_PAYMENT, "reference", row["reference"])
