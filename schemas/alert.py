"""Alerts: what an e-mail or webhook says when a person is needed. They name payouts, never payees."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final, Literal

from schemas.errors import PRECEDENCE, ExitCode
from schemas.messages import Listed, Message, Money

AlertKind = Literal["approval_wanted", "doubt", "failure", "night"]

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


@dataclass(frozen=True, slots=True)
class Alert:
    """What people are told.

    Attributes:
        key: Names the occasion: people are called once for it.
        kind: What sort of thing it is.
        subject: The same in a line.
        facts: For programs: job, period, run, state, and digest, payments and total of a plan.
        page: Address of the page where somebody can act; "" where nobody has said where the desk is.
        notes: What else the run told, for people of the house alone.
    """

    key: str
    kind: AlertKind
    subject: Message
    facts: dict[str, str | int]
    page: str
    language: str
    notes: tuple[Message | Listed, ...] = ()


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
    desk_url: str,
    language: str,
    notes: tuple[Message | Listed, ...] = (),
) -> Alert | None:
    """Say for what people are called after a run: the worst that holds of it; None where nobody is wanted.

    A plan is told of once, whichever run finds it waiting.

    Args:
        plan: What waits for approval; None where nothing does.
        desk_url: Where people reach the desk; "" where nobody has said.
    """
    code = next((code for code in PRECEDENCE if code in codes and code in _KINDS), None)
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
        return Alert(f"{kind} {plan.digest}", kind, subject, facts, _address(desk_url, page), language, notes)
    subject = Message(f"alert.{kind}", job=job, period=period, what=Message(f"desk.exit.{int(code)}"))
    page = "doubts" if kind == "doubt" else f"runs/{run_id}"
    return Alert(f"{kind} {int(code)} {run_id}", kind, subject, facts, _address(desk_url, page), language, notes)


def alert_of_night(run_id: str, began: str, *, desk_url: str, language: str) -> Alert:
    """Tell of a night that has not ended.

    Args:
        began: When it began, as people write it.
        desk_url: Where people reach the desk; "" where nobody has said.
    """
    facts: dict[str, str | int] = {"run": run_id, "state": "running"}
    subject = Message("alert.night", began=began)
    return Alert(f"night {run_id}", "night", subject, facts, _address(desk_url, f"runs/{run_id}"), language)


def alert_of_jobs(run_id: str, jobs: tuple[str, ...], *, desk_url: str, language: str) -> Alert:
    """Tell of jobs that a night could not even begin.

    Args:
        jobs: Their names, or those of their files.
        desk_url: Where people reach the desk; "" where nobody has said.
    """
    facts: dict[str, str | int] = {"run": run_id, "state": "could_not_begin", "jobs": len(jobs)}
    subject = Message("alert.jobs", jobs=", ".join(jobs))
    return Alert(f"jobs {run_id}", "failure", subject, facts, _address(desk_url, f"runs/{run_id}"), language)


def _address(desk_url: str, page: str) -> str:
    return f"{desk_url}/{page}" if desk_url else ""
