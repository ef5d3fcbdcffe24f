"""approve, reject, hold, release: a person's word, written to the ledger; nothing is sent here."""

import datetime as dt
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from flows.opening import open_ledger_of, utc_now
from flows.settings import read_settings
from flows.stages.approve import GOOD_FOR
from flows.terminal import console_for
from io_adapters.ledger.ledger import Ledger
from schemas.errors import ApprovalWanted, RepasseError
from schemas.exit_codes import ExitCode
from schemas.money import format_cents, parse_amount
from schemas.plan import Approval, ApprovalKind

Result = tuple[ExitCode, dict[str, Any]]


class _UsageError(RepasseError):
    exit_code = ExitCode.USAGE


@contextmanager
def _ledger() -> Iterator[Ledger]:
    with open_ledger_of(read_settings()) as ledger:
        yield ledger


def approve_plan(digest: str, *, by: str, total: str, as_json: bool) -> Result:
    """Record a yes to a plan, bound to its digest and to the total the person typed.

    Raises:
        ApprovalWanted: no such plan, or the total is not the plan's.
    """
    name = _name(by)
    try:
        total_cents = parse_amount(total)
    except ValueError as error:
        raise _UsageError(f"--total: {error}") from None
    with _ledger() as ledger:
        stored = ledger.plans.get(digest)
        if total_cents != stored.total_cents:
            theirs, ours = (format_cents(cents, "pt-BR") for cents in (total_cents, stored.total_cents))
            raise ApprovalWanted(f"the plan's total is {ours}, not {theirs}; nothing was recorded")
        if stored.approved_at is not None:
            raise ApprovalWanted("this plan was approved and taken up already; nothing was recorded")
        now = utc_now()
        ledger.approvals.record(Approval(stored.digest, name, ApprovalKind.PERSON, total_cents, now, now + GOOD_FOR))
    expires = now + GOOD_FOR
    console_for(as_json=as_json).print(
        f"approved by {name}: {stored.payees} payments, {stored.currency} {format_cents(total_cents, 'pt-BR')}; "
        f"good until {_moment(expires)}. The next `repasse run` of {stored.job} sends it "
        "once it has every word it needs.",
        soft_wrap=True,
    )
    return ExitCode.DONE, {"plan_digest": stored.digest, "by": name, "expires_at": expires.isoformat()}


def reject_plan(digest: str, *, by: str, why: str, as_json: bool) -> Result:
    """Record a no to a plan; earlier approvals of it are void."""
    name = _name(by)
    with _ledger() as ledger:
        stored = ledger.plans.get(digest)
        ledger.approvals.reject(stored.digest, name, why)
    console_for(as_json=as_json).print(f"rejected by {name}: {stored.digest}", soft_wrap=True)
    return ExitCode.DONE, {"plan_digest": stored.digest, "by": name}


def hold_sending(*, by: str, why: str, as_json: bool) -> Result:
    """Stop all sending, of every job of this ledger."""
    name = _name(by)
    with _ledger() as ledger:
        ledger.hold.put(name, why)
    console_for(as_json=as_json).print("sending is on hold; `repasse release --by NAME` lets it go on")
    return ExitCode.DONE, {"held_by": name, "why": why}


def release_sending(*, by: str, as_json: bool) -> Result:
    """Let sending go on."""
    name = _name(by)
    with _ledger() as ledger:
        released = ledger.hold.release(name)
    console_for(as_json=as_json).print("sending goes on" if released else "sending was not on hold")
    return ExitCode.DONE, {"released": released}


def _name(by: str) -> str:
    if not by.strip():
        raise _UsageError("--by needs a name")
    return by.strip()


def _moment(at: dt.datetime) -> str:
    return f"{at.astimezone():%Y-%m-%d %H:%M %Z}"
