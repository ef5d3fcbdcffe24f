"""approve, reject, hold, release: a person's word, written to the ledger; nothing is sent here."""

import datetime as dt
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from flows.approvals.approve import record_approval
from flows.opening import open_ledger_of, utc_now
from flows.settings import read_settings
from flows.terminal.printing import console_for
from io_adapters.ledger.approvals_missing import approvals_given, approvers_needed, require_typed_name_counts
from io_adapters.ledger.ledger import Ledger
from io_adapters.ledger.plans import StoredPlan
from schemas.approval import stricter
from schemas.errors import DecisionRefused
from schemas.exit_codes import ExitCode
from schemas.plan import ApprovalKind
from schemas.submission import PlanFate, Submission
from schemas.values.money import format_cents
from schemas.values.names import same_person

Result = tuple[ExitCode, dict[str, Any]]

_TOLD_OF: Final = {
    "withdrawn": "withdrawn, never sent",
    "in_doubt": "in doubt, and stays so",
    "sent": "sent before, and stays as it is",
    "ended": "ended before, and pays nobody",
}


@contextmanager
def _ledger() -> Iterator[Ledger]:
    with open_ledger_of(read_settings()) as ledger:
        yield ledger


def approve_plan(digest: str, *, by: str, total: str, as_json: bool) -> Result:
    """Record a yes to a plan, bound to its digest and to the total the person typed.

    Raises:
        DecisionRefused: there is no name, the total is not an amount, or the plan's job counts only signed-in people.
        ApprovalWanted: no such plan, or the total is not the plan's.
    """
    with _ledger() as ledger:
        given = record_approval(ledger, digest, by=by, total_text=total, kind=ApprovalKind.PERSON, now=utc_now())
        stored = ledger.plans.get(given.digest)
        counts = same_person(given.by) in _counting(ledger, stored)
    console = console_for(as_json=as_json)
    console.print(
        f"approved by {given.by}: {stored.payees} payments, "
        f"{stored.currency} {format_cents(given.total_cents, 'pt-BR')}; "
        f"good until {_moment(given.expires_at)}. The next `repasse run` of {stored.job} sends it "
        "once it has every word it needs.",
        soft_wrap=True,
    )
    if not counts:
        console.print("this yes does not count: they prepared the plan, or may not approve", soft_wrap=True)
    expires_at = given.expires_at.isoformat()
    return ExitCode.DONE, {"plan_digest": stored.digest, "by": given.by, "expires_at": expires_at, "counts": counts}


def _counting(ledger: Ledger, plan: StoredPlan) -> frozenset[str]:
    """Return whose yes counts by what the plan was frozen under and the policy; its job file is not read here."""
    rule = stricter(plan.rule, ledger.decision_rules.policy())
    needed = approvers_needed(rule, plan, must_look=True)
    return approvals_given(ledger, rule, plan, needed, utc_now())


def reject_plan(digest: str, *, by: str, why: str, as_json: bool) -> Result:
    """Record a no to a plan: earlier approvals of it are void, and what of it was not sent is withdrawn.

    Raises:
        DecisionRefused: there is no name, the plan's job counts only words of people who signed in, or all was sent.
        ApprovalWanted: no such plan.
    """
    name = _name(by)
    with _ledger() as ledger:
        stored = ledger.plans.get(digest)
        require_typed_name_counts(ledger, stored.job)
        fate = PlanFate(tuple(ledger.submissions.reject_plan(stored.digest, name, why)))
    console = console_for(as_json=as_json)
    console.print(f"rejected by {name}: {stored.digest}", soft_wrap=True)
    for what, batches in fate.groups.items():
        if batches and what in _TOLD_OF:
            cents = sum(batch.amount_cents for batch in batches)
            payments = sum(batch.payments for batch in batches)
            amount = f"{stored.currency} {format_cents(cents, 'pt-BR')}"
            console.print(f"  {_TOLD_OF[what]}: {payments} payments, {amount}", soft_wrap=True)
            for batch in batches:
                console.print(f"    {batch.report_id}  {batch.state.value}", soft_wrap=True, markup=False)
    told = {
        what: [_batch_told(batch) for batch in batches] for what, batches in fate.groups.items() if what != "unsent"
    }
    return ExitCode.DONE, {"plan_digest": stored.digest, "by": name} | told


def _batch_told(batch: Submission) -> dict[str, Any]:
    return {
        "report_id": batch.report_id,
        "state": batch.state.value,
        "payments": batch.payments,
        "amount_cents": batch.amount_cents,
    }


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
        require_typed_name_counts(ledger, None)
        released = ledger.hold.release(name)
    console_for(as_json=as_json).print("sending goes on" if released else "sending was not on hold")
    return ExitCode.DONE, {"released": released}


def _name(by: str) -> str:
    if not by.strip():
        raise DecisionRefused("--by needs a name")
    return by.strip()


def _moment(at: dt.datetime) -> str:
    return f"{at.astimezone():%Y-%m-%d %H:%M %Z}"
