"""Waits and alerts: what runs left open, runs that did not end, what to do next, and what people are called for.

Kept by job and period with nobody's name in it, so that it can be told wherever people look.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final, Literal

from schemas.acts import ActKind, digest_of
from schemas.approval import DecisionKind
from schemas.errors import PRECEDENCE, ExitCode
from schemas.funding import WANTS_PAYER, FundingState, ReportFunding
from schemas.messages import Listed, Message, Money
from schemas.plan import HOME_CURRENCY, Place
from schemas.reasons import Reasons, reasons_message
from schemas.states import FUNDINGS, PAYMENTS, PLANS, REPORTS, RUNS, State, Tone, Turn
from schemas.submission import SubmissionState
from schemas.values.money import SignedSums

# The kind of what is counted in rows of files, not in money.
ROW: Final = "row"


@dataclass(frozen=True, slots=True)
class HeldRows:
    """Rows of a run's files that are held and of which no sum is owed; columns of the view `held_rows`.

    Attributes:
        kind: `ROW`; of a row to be paid whose amount cannot be read, "payment".
        reasons: As `schemas.obligation.reasons_json` writes them.
        number: How many there are.
    """

    run_id: str
    kind: str
    reasons: str
    number: int


@dataclass(frozen=True, slots=True)
class OpenItem:
    """What a run has left open for one reason."""

    place: Place
    kind: str
    reasons: Reasons
    count: int
    amount_cents: int


@dataclass(frozen=True, slots=True)
class OpenPeriod:
    """What the last run of a job and period has left open."""

    job: str
    period: str
    run_id: str
    currency: str
    language: str
    folder: str
    items: tuple[OpenItem, ...]


class WaitKind(StrEnum):
    """What kind of thing waits, in the order in which it is told."""

    INTERRUPTED = "interrupted"
    STOPPED = "stopped"
    REJECTED = "rejected"
    NOT_SENT = "not_sent"
    REFUSED = "refused"
    FAILED = "failed"
    CONFLICT = "conflict"
    RETURNED = "returned"
    UNMATCHED = "unmatched"
    HELD = "held"
    ROWS = "rows"

    @property
    def stands(self) -> State:
        """Whose turn it is, its colour, and what can be done about it."""
        return _STATES[self]


_STATES: Final[Mapping[WaitKind, State]] = {
    WaitKind.INTERRUPTED: RUNS["interrupted"],
    WaitKind.STOPPED: State(Tone.TROUBLE, Turn.PREPARER, (ActKind.CORRECT, ActKind.RUN)),
    WaitKind.REJECTED: PLANS["rejected"],
    WaitKind.NOT_SENT: PAYMENTS[Place.NOT_SENT],
    WaitKind.REFUSED: PAYMENTS[Place.REFUSED],
    WaitKind.FAILED: PAYMENTS[Place.FAILED],
    WaitKind.CONFLICT: PAYMENTS[Place.CONFLICT],
    WaitKind.RETURNED: PAYMENTS[Place.RETURNED],
    WaitKind.UNMATCHED: PAYMENTS[Place.HELD],
    WaitKind.HELD: PAYMENTS[Place.HELD],
    WaitKind.ROWS: PAYMENTS[Place.HELD],
}


def is_freed(reasons: Reasons) -> bool:
    """Whether people have said of a payment that it was not made and is to be paid."""
    return any(why.code == "decided" and why.facts["decision"] == DecisionKind.PAY for why in reasons)


@dataclass(frozen=True, slots=True)
class Wait:
    """One thing that waits for somebody.

    Attributes:
        currency: Of the amount; "" where there is none.
        command: What runs the job's period again; "" where nobody knows its job file.
        folder: Where that run has written what is to be put right; "" for beside whatever tells of it.
        obligation_kind: Of `schemas.obligation.Kind`; "" of a run.
    """

    kind: WaitKind
    job: str
    period: str
    run_id: str
    reasons: Reasons
    count: int
    amount_cents: int
    currency: str
    code: ExitCode
    command: str
    folder: str
    language: str
    state: str = ""
    in_desk: bool = False
    obligation_kind: str = ""

    @property
    def step(self) -> WaitKind:
        """By what kind its way on is told: what failed and people have freed is only to be sent."""
        return WaitKind.NOT_SENT if is_freed(self.reasons) else self.kind

    @property
    def is_decided_on(self) -> bool:
        """Whether people decide on single obligations; of royalties that failed they approve the second attempt."""
        if self.step is not self.kind:
            return False
        failed_row = self.kind is WaitKind.FAILED and self.obligation_kind == "payment"
        return self.kind in {WaitKind.CONFLICT, WaitKind.RETURNED} or failed_row

    @property
    def way(self) -> Message:
        facts = {
            "command": self.command or "repasse run JOB",
            "corrections": str(Path(self.folder, "corrections.xlsx")),
            "shares": str(Path(self.folder, "missing-shares.xlsx")),
        }
        if self.is_decided_on:
            return Message(f"wait.{self.kind}.desk" if self.in_desk else f"wait.{self.kind}.way", **facts)
        return Message("wait.failed.again" if self.step is WaitKind.FAILED else f"wait.{self.step}.way", **facts)

    @property
    def what(self) -> Message:
        return Message(f"wait.{self.kind}")

    @property
    def why(self) -> Message | Listed:
        """The rules that were broken, or how the run ended."""
        return Message(f"state.{self.state}") if self.state else reasons_message(self.reasons)


@dataclass(frozen=True, slots=True)
class Matter:
    """What waits of one job, of one kind and with one way on, whatever the reasons and periods: told as one."""

    waits: tuple[Wait, ...]

    @property
    def first(self) -> Wait:
        return self.waits[0]

    @property
    def periods(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(wait.period for wait in self.waits))

    @property
    def count(self) -> int:
        return sum(wait.count for wait in self.waits)

    @property
    def amount_cents(self) -> int:
        return sum(wait.amount_cents for wait in self.waits)

    @property
    def why(self) -> Listed:
        """All reasons, what reads alike once."""
        return Listed(tuple(dict.fromkeys(wait.why for wait in self.waits)), "; ")

    @property
    def line(self) -> Listed:
        """What waits, how much, and why, in one line."""
        wait, counted = self.first, "cli.waits.rows" if self.first.kind is WaitKind.ROWS else "cli.waits.obligations"
        facts = (
            wait.what,
            Money(self.amount_cents, wait.currency) if self.amount_cents else None,
            Message(counted, count=self.count) if self.count else None,
            self.why if any(wait.state or wait.reasons for wait in self.waits) else None,
            wait.run_id or None,
        )
        return Listed(tuple(fact for fact in facts if fact is not None), "  ")


def matters(waits: Iterable[Wait], *, across_periods: bool = False) -> tuple[Matter, ...]:
    """Put together what waits of one job and kind: in each period, or, for one card each, across all of them.

    Returns:
        In the order in which the first of each waits.
    """
    found = dict[tuple[object, ...], list[Wait]]()
    for wait in waits:
        where = () if across_periods else (wait.period, wait.run_id, wait.way)
        found.setdefault((wait.job, wait.kind, wait.step, wait.currency, wait.is_decided_on, *where), []).append(wait)
    return tuple(Matter(tuple(own)) for own in found.values())


AlertKind = Literal["approval_wanted", "doubt", "failure", "funding", "night"]

# Ends of a run for which somebody is wanted; where all is well, or only rows are held, nobody is called.
_KINDS: Final[dict[ExitCode, AlertKind]] = {
    ExitCode.APPROVAL_WANTED: "approval_wanted",
    ExitCode.IN_DOUBT: "doubt",
    ExitCode.FROZEN: "doubt",
    ExitCode.DISCREPANCIES: "doubt",
    ExitCode.REFUSED: "failure",
    ExitCode.NOT_SENT: "failure",
    ExitCode.CONFIGURATION: "failure",
    ExitCode.UNREADABLE_FILE: "failure",
    ExitCode.ROWS_REFUSED: "failure",
    ExitCode.NO_SOUND_PLAN: "failure",
    ExitCode.BUG: "failure",
}


_TURNS: Final[dict[AlertKind, Turn]] = {
    "failure": WaitKind.STOPPED.stands.turn,
    "approval_wanted": PLANS["waiting"].turn,
    "doubt": REPORTS[SubmissionState.IN_DOUBT].turn,
}


def kind_of(codes: Collection[ExitCode]) -> AlertKind | None:
    """Say for what people are called of all that holds of a run: the worst; None where nobody is wanted."""
    code = _worst_called_for(codes)
    return None if code is None else _KINDS[code]


def _worst_called_for(codes: Collection[ExitCode]) -> ExitCode | None:
    return next((code for code in PRECEDENCE if code in codes and code in _KINDS), None)


@dataclass(frozen=True, slots=True)
class Alert:
    """What people are told.

    Attributes:
        page: Address of the page where somebody can act; "" where nobody has said where the desk is.
        codes: Texts of Pix codes to pay; for e-mails alone.
        covers: Keys of the alerts that it stands for; nothing where it stands for itself.
    """

    key: str
    kind: AlertKind
    subject: Message
    facts: dict[str, str | int]
    page: str
    language: str
    notes: tuple[Message | Listed, ...] = ()
    codes: tuple[str, ...] = ()
    sums: tuple[Money, ...] = ()
    turn: Turn = Turn.NOBODY
    covers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WaitingPlan:
    """A plan that waits for approval, summed up."""

    digest: str
    payments: int
    total: Money


def alert_of_run(  # noqa: PLR0913  # each is named at the call
    codes: Collection[ExitCode],
    *,
    run_id: str,
    job: str,
    period: str,
    plan: WaitingPlan | None,
    sums: tuple[Money, ...],
    desk_url: str,
    language: str,
    notes: tuple[Message | Listed, ...] = (),
) -> Alert | None:
    """Say for what people are called after a run: the worst that holds of it; None where nobody is wanted.

    A plan is told of once, whichever run finds it waiting.

    Args:
        plan: What waits for approval; None where nothing does.
        sums: What nobody can tell the fate of, or what was approved and has not been sent.
        desk_url: Where people reach the desk; "" where nobody has said.
    """
    code = _worst_called_for(codes)
    if code is None:
        return None
    kind = _KINDS[code]
    facts: dict[str, str | int] = {"job": job, "period": period, "run": run_id, "state": code.name.lower()}
    if kind == "approval_wanted":
        if plan is None:
            return None
        payments = Message("count.payments", count=plan.payments)
        facts |= {"digest": plan.digest, "payments": plan.payments, "total_cents": plan.total.cents}
        subject = Message("alert.approval_wanted", job=job, period=period, payments=payments, total=plan.total)
        page = f"plans/{plan.digest}"
        where, sums = _address(desk_url, page), (plan.total,)
        key = f"{kind} {plan.digest}"
        return Alert(key, kind, subject, facts, where, language, notes, sums=sums, turn=_TURNS[kind])
    what = Listed((Message(f"desk.exit.{int(code)}"), *sums), " ")
    subject = Message(f"alert.{kind}", job=job, period=period, what=what)
    where = _address(desk_url, "doubts" if kind == "doubt" else f"runs/{run_id}")
    key = f"{kind} {int(code)} {run_id}"
    return Alert(key, kind, subject, facts, where, language, notes, sums=sums, turn=_TURNS[kind])


def alert_of_night(run_id: str, told: Message, state: str, *, desk_url: str, language: str) -> Alert:
    """Tell of a night that has not ended, or after which none has.

    Args:
        desk_url: Where people reach the desk; "" where nobody has said.
    """
    facts: dict[str, str | int] = {"run": run_id, "state": state}
    return Alert(f"night {run_id} {told.id}", "night", told, facts, _address(desk_url, f"runs/{run_id}"), language)


def alerts_of_fundings(fundings: Iterable[ReportFunding], *, desk_url: str, language: str) -> Iterator[Alert]:
    """Call people for what the reports of one job wait for, once whoever confirms receivers and once whoever pays.

    It is told again where a report stands otherwise, or asks by another code.

    Args:
        desk_url: Where people reach the desk; "" where nobody has said.
    """
    by_turn = defaultdict[Turn, list[ReportFunding]](list)
    for stands in fundings:
        if stands.state in WANTS_PAYER:
            by_turn[FUNDINGS[stands.state].turn].append(stands)
    for turn, own in by_turn.items():
        yield _alert_of_fundings(own, turn, desk_url, language)


def _alert_of_fundings(own: Sequence[ReportFunding], turn: Turn, desk_url: str, language: str) -> Alert:
    job, total_cents = own[0].report.job, sum(stands.sum_cents for stands in own)
    facts: dict[str, str | int] = {"job": job, "reports": len(own), "sum_cents": total_cents}
    subject = Message("alert.funding", job=job, count=len(own), sum=Money(total_cents, HOME_CURRENCY))
    as_it_is = digest_of(*((stands.report.id, stands.state, stands.sum_cents, stands.payload) for stands in own))
    codes = tuple(stands.payload for stands in own if stands.state is FundingState.YOURS_TO_PAY)
    told = tuple(stands.line for stands in own)
    key, page = f"funding {as_it_is}", _address(desk_url, "funding")
    sums = (Money(total_cents, HOME_CURRENCY),)
    return Alert(key, "funding", subject, facts, page, language, told, codes, sums, turn)


def alert_of_jobs(run_id: str, jobs: tuple[str, ...], *, desk_url: str, language: str) -> Alert:
    """Tell of jobs that a night could not even begin.

    Args:
        desk_url: Where people reach the desk; "" where nobody has said.
    """
    facts: dict[str, str | int] = {"run": run_id, "state": "could_not_begin", "jobs": len(jobs)}
    subject = Message("alert.jobs", jobs=", ".join(jobs))
    page = _address(desk_url, f"runs/{run_id}")
    return Alert(f"jobs {run_id}", "failure", subject, facts, page, language, turn=_TURNS["failure"])


def alert_after_all(
    night_id: str, told: Sequence[Alert], told_apart: Sequence[Alert], *, desk_url: str, language: str
) -> Alert:
    """Tell in one of all that a night leaves to people: whose turn it is and for what sum, then each matter.

    Args:
        told_apart: Those of them that somebody is also called for on their own; their codes are for those people.
        desk_url: Where people reach the desk; "" where nobody has said.
    """
    by_turn = {turn: [alert for alert in told if alert.turn is turn] for turn in Turn}
    turns, notes = list[Listed](), list[Message | Listed]()
    for turn, own in by_turn.items():
        if not own:
            continue
        who, sums = Message(f"alert.turn.{turn}"), SignedSums[str]()
        for money in (money for alert in own for money in alert.sums):
            sums[money.currency] += money.cents
        turns.append(Listed((who, *(Money(cents, currency) for currency, cents in sums.items())), " "))
        for alert in own:
            notes += [Listed((who, alert.subject), ": "), *alert.notes]
    return Alert(
        key=f"night {night_id}",
        kind="night",
        subject=Message("alert.after_night", turns=Listed(tuple(turns), ", ")),
        facts={"run": night_id, "state": "ended", "alerts": len(told)},
        page=_address(desk_url, ""),
        language=language,
        notes=tuple(notes),
        codes=tuple(code for alert in told if alert not in told_apart for code in alert.codes),
        covers=tuple(alert.key for alert in told if alert not in told_apart),
    )


def _address(desk_url: str, page: str) -> str:
    return f"{desk_url}/{page}" if desk_url else ""
