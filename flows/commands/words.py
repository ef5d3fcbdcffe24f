"""approve, reject, hold, release: a person's word, written to the ledger; nothing is sent here."""

import datetime as dt
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from flows.opening import open_ledger_of, utc_now
from flows.settings import read_settings
from flows.stages.record_approval import record_approval
from flows.stages.words_given import require_typed_word_counts
from flows.terminal.printing import console_for
from io_adapters.ledger.ledger import Ledger
from schemas.errors import WordRefused
from schemas.exit_codes import ExitCode
from schemas.money import format_cents
from schemas.plan import ApprovalKind

Result = tuple[ExitCode, dict[str, Any]]


@contextmanager
def _ledger() -> Iterator[Ledger]:
    with open_ledger_of(read_settings()) as ledger:
        yield ledger


def approve_plan(digest: str, *, by: str, total: str, as_json: bool) -> Result:
    """Record a yes to a plan, bound to its digest and to the total the person typed.

    Raises:
        WordRefused: there is no name, the total is not an amount, or the plan's job counts only people who signed in.
        ApprovalWanted: no such plan, or the total is not the plan's.
    """
    with _ledger() as ledger:
        given = record_approval(ledger, digest, by=by, total_text=total, kind=ApprovalKind.PERSON, now=utc_now())
        stored = ledger.plans.get(given.digest)
    console_for(as_json=as_json).print(
        f"approved by {given.by}: {stored.payees} payments, "
        f"{stored.currency} {format_cents(given.total_cents, 'pt-BR')}; "
        f"good until {_moment(given.expires_at)}. The next `repasse run` of {stored.job} sends it "
        "once it has every word it needs.",
        soft_wrap=True,
    )
    return ExitCode.DONE, {"plan_digest": stored.digest, "by": given.by, "expires_at": given.expires_at.isoformat()}


def reject_plan(digest: str, *, by: str, why: str, as_json: bool) -> Result:
    """Record a no to a plan; earlier approvals of it are void.

    Raises:
        WordRefused: there is no name, or the plan's job counts only words of people who signed in.
        ApprovalWanted: no such plan.
    """
    name = _name(by)
    with _ledger() as ledger:
        stored = ledger.plans.get(digest)
        require_typed_word_counts(ledger, stored.job)
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
        require_typed_word_counts(ledger, None)
        released = ledger.hold.release(name)
    console_for(as_json=as_json).print("sending goes on" if released else "sending was not on hold")
    return ExitCode.DONE, {"released": released}


def _name(by: str) -> str:
    if not by.strip():
        raise WordRefused("--by needs a name")
    return by.strip()


def _moment(at: dt.datetime) -> str:
    return f"{at.astimezone():%Y-%m-%d %H:%M %Z}"
