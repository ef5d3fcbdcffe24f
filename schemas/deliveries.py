"""The month of a job as people have opened it: the files handed in for it, and what holds for that month alone."""

import datetime as dt
import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import Final, NamedTuple

from pydantic import TypeAdapter

from schemas.acts import Act, ActKind, Delivery, withdrawn
from schemas.job import Amount, Currency, Exchange, Job, labelled_period
from schemas.job_draft import received_as_typed

# Source, by its layout's name or position, "" where it is alone -> currency -> what the bank got.
Received = Mapping[str, Mapping[Currency, Decimal]]
Rates = Mapping[Currency, Exchange]
_RECEIVED: Final = TypeAdapter(dict[str, dict[Currency, Amount]])
_RATES: Final = TypeAdapter(dict[Currency, Exchange])


class How(StrEnum):
    """How a file stands to those that are there for its month."""

    NEW = "new"  # the first of its source
    ADDED = "added"  # one more
    IN_PLACE = "in_place"  # of one that counts no more


class HandedFile(NamedTuple):
    """A file that was handed in for a month of a job.

    Attributes:
        source: Layout or position of its source, "" where the job has one alone; or the name of a table beside.
    """

    source: str
    name: str
    sha256: str
    how: How


@dataclass(frozen=True, slots=True)
class Month:
    """What people have said of one month of a job.

    Attributes:
        files: What counts of the files handed in, in the order of the acts.
        gone: Digests of files that count no more, whether they were handed in or lay where the job reads.
        rates, received: Said for this month alone; the last word on each.
        confirmed: Digests of files that somebody has said to be of this month.
        acts: Who did them has a part in whatever rests on the month.
    """

    period: str
    files: tuple[HandedFile, ...] = ()
    gone: frozenset[str] = frozenset()
    rates: Rates = field(default_factory=dict)
    received: Received = field(default_factory=dict)
    confirmed: frozenset[str] = frozenset()
    acts: tuple[Act, ...] = ()

    @property
    def is_open(self) -> bool:
        return any(act.kind is ActKind.OPEN_MONTH for act in self.acts)

    def of_source(self, names: Iterable[str]) -> list[HandedFile]:
        known = set(names)
        return [file for file in self.files if file.source in known]


NO_MONTH: Final = Month("")


def month_of(acts: Sequence[Act], job: str, period: str) -> Month:
    """Return what the acts say of a month of a job."""
    own = [act for act in acts if (act.facts["job"], act.facts["period"]) == (job, period)]
    gone = withdrawn(own)
    handed, hows = dict[str, Mapping[str, str]](), dict[str, How]()
    for act in own:
        if act.kind is ActKind.HAND_IN and "name" in act.facts:
            handed[act.subject], how = act.facts, How(act.facts["how"])
            # What takes the place of the month's first file is its first file.
            hows[act.subject] = hows.get(act.facts.get("of", ""), how) if how is How.IN_PLACE else how
    rates, received = dict[Currency, Exchange](), dict[str, dict[Currency, Decimal]]()
    for act in own:
        rates |= _RATES.validate_json(act.facts.get("rates", "{}"))
        for source, sums in _RECEIVED.validate_json(act.facts.get("received", "{}")).items():
            received[source] = received.get(source, {}) | sums
    return Month(
        period,
        tuple(
            HandedFile(facts["source"], facts["name"], sha256, hows[sha256])
            for sha256, facts in handed.items()
            if Delivery(job, period, sha256) not in gone
        ),
        frozenset(delivery.sha256 for delivery in gone),
        rates,
        received,
        frozenset(handed),
        tuple(own),
    )


def last_opened(acts: Iterable[Act], job: str) -> str:
    """Return the latest month that was opened of a job; "" where none was."""
    opened = (act.facts["period"] for act in acts if act.kind is ActKind.OPEN_MONTH and act.facts["job"] == job)
    return max(opened, default="")


def open_month(job: str, period: str, by: str, at: dt.datetime, rates: Rates, received: Received) -> Act:
    """Return the act that opens a month of a job, or says more of one that is open."""
    facts = {"job": job, "period": period}
    facts |= {"rates": _RATES.dump_json(dict(rates)).decode()} if rates else {}
    facts |= (
        {"received": _RECEIVED.dump_json({name: dict(of) for name, of in received.items()}).decode()}
        if received
        else {}
    )
    return Act(ActKind.OPEN_MONTH, by, job, "", at, facts)


def hand_in(job: str, period: str, file: HandedFile, by: str, at: dt.datetime, of: str = "") -> Act:
    """Return the act that hands a file in.

    Args:
        of: Digest of the file whose place it takes; "" for none.
    """
    facts = {"job": job, "period": period, "source": file.source, "name": file.name, "how": file.how.value}
    facts |= {"of": of} if of else {}
    return Act(ActKind.HAND_IN, by, file.sha256, "", at, facts)


def in_month(job: Job, month: Month, *, is_own: bool) -> Job:
    """Return a job as it stands in a month: rates and sums received are of the month that they were said for.

    Args:
        is_own: Whether the month is the one that the job itself is for, and its own words hold in it.
    """
    sources = []
    for position, source in enumerate(job.sources, start=1):
        stated = [month.received.get(name, {}) for name in ("", source.layout_name, str(position))]
        received = dict(source.received) if is_own else {}
        for sums in stated:
            received |= sums
        exchange = (source.exchange if is_own else {}) | dict(month.rates)
        sources.append(source.model_copy(update={"exchange": exchange, "received": received}))
    return job.model_copy(update={"sources": tuple(sources)})


_RATE: Final = re.compile(
    r"(?P<currency>[A-Z]{3}) +(?P<rate>[0-9]+(?:[.,][0-9]+)?) +(?P<day>[0-9/-]+)(?: +(?P<source>.+))?"
)
_CODE: Final = re.compile(r"[A-Z]{3}")


def rate_as_typed(text: str, by: str) -> dict[Currency, Exchange]:
    """Read a rate as a person types it: currency, rate, day, and who says so, which is whoever types it without.

    >>> rate = rate_as_typed("USD 5,4312 31/10/2026 PTAX", "Ana")["USD"]
    >>> str(rate.rate), rate.date.isoformat(), rate.source
    ('5.4312', '2026-10-31', 'PTAX')

    Raises:
        ValueError: it is no such thing.
    """
    found = _RATE.fullmatch(text.strip())
    if found is None:
        raise ValueError
    day = "-".join(reversed(found["day"].split("/")))
    date = dt.date.fromisoformat(day)
    return {found["currency"]: Exchange(rate=found["rate"].replace(",", "."), date=date, source=found["source"] or by)}


def sum_as_typed(text: str, sources: Container[str], currency: Currency) -> dict[str, dict[Currency, Decimal]]:
    """Read what the bank got for a source as a person types it: [SOURCE=]CURRENCY AMOUNT.

    Args:
        currency: Which is meant where the text names none.

    Raises:
        ValueError: it is no such thing.
    """
    source, named, sums = text.rpartition("=")
    if named and source not in sources:
        raise ValueError
    codes = list(dict.fromkeys(_CODE.findall(sums))) or [currency]
    return {source: {code: Decimal(value) for code, value in received_as_typed(sums, codes).items()}}


def month_after(label: str, months: int = 1) -> str:
    """Return the label of a month so many months later.

    >>> month_after("2026-12"), month_after("2026-01", -1)
    ('2027-01', '2025-12')
    """
    start = labelled_period(label).start
    count = start.year * 12 + start.month - 1 + months
    return f"{count // 12:04}-{count % 12 + 1:02}"


def months_between(earlier: str, later: str) -> int:
    """Count the months from one to another; less than none where the other is before.

    >>> months_between("2026-11", "2027-01"), months_between("2026-10", "2026-09")
    (2, -1)
    """
    first, second = (labelled_period(label).start for label in (earlier, later))
    return (second.year - first.year) * 12 + second.month - first.month
