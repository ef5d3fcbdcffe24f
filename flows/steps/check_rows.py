"""The account of account checks: one row for every account a run rests on, and one for every call it paid for."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flows.steps.account_checks import AccountToCheck, CheckResult, Verdict
from schemas.masking import mask_account, mask_pix_key, mask_tax_id
from schemas.reconciliation import AccountCheckCounts


@dataclass(frozen=True, slots=True)
class Call:
    """One call a run reserved money for.

    Attributes:
        fingerprint: Of the account.
        result: valid, invalid or unknown.
        message: The service's words, or why there are none.
        cost_cents: What it cost, or may have cost; 0 for one that never left.
    """

    fingerprint: str
    result: str
    message: str
    cost_cents: int


def account_rows(
    accounts: Sequence[AccountToCheck],
    verdicts: Mapping[str, Verdict],
    reused: Collection[str],
    calls: Iterable[Call],
) -> list[dict[str, Any]]:
    """Return the rows of the account: payee, destination_masked, result, made, reused, cost_cents, message.

    Args:
        accounts: Those that were to be paid when checks began.
        verdicts: What is known of each by now.
        reused: Fingerprints of those whose answer somebody else had paid for, or an earlier run.
        calls: Every call of the run, in the order they were begun; the costs of the rows add up to theirs.
    """
    by_account = defaultdict[str, list[Call]](list)
    for call in calls:
        by_account[call.fingerprint].append(call)
    rows = []
    for account in accounts:
        name, verdict = account.fingerprint, verdicts.get(account.fingerprint)
        own = by_account.pop(name, [])
        # What an account came to stands in its last row; calls before that, without an answer, have rows of their own.
        rows += [_row(account, call.result, call.message, call.cost_cents) for call in own[:-1] if call.cost_cents]
        cost_cents = own[-1].cost_cents if own else 0
        if verdict is not None:
            rows.append(_row(account, verdict.result.value, verdict.message, cost_cents, reused=name in reused))
        elif own:
            rows.append(_row(account, own[-1].result, own[-1].message, cost_cents))
    # Of accounts that are not to be paid any more, what their calls cost is told all the same.
    rows += [_row(None, one.result, one.message, one.cost_cents) for own in by_account.values() for one in own]
    return rows


def count_checks(rows: Sequence[Mapping[str, Any]], budget_cents: int) -> AccountCheckCounts:
    """Sum the rows up."""
    results = [row["result"] for row in rows]
    return AccountCheckCounts(
        made=sum(row["made"] for row in rows),
        reused=sum(row["reused"] for row in rows),
        invalid=results.count(CheckResult.INVALID),
        unknown=results.count(CheckResult.UNKNOWN) + results.count(CheckResult.NOT_ASKED),
        cost_cents=sum(row["cost_cents"] for row in rows),
        budget_cents=budget_cents,
    )


def _row(
    account: AccountToCheck | None, result: str, message: str, cost_cents: int, *, reused: bool = False
) -> dict[str, Any]:
    return {
        "payee": mask_tax_id(account.payee) if account else "",
        "destination_masked": _masked(account) if account else "",
        "result": result,
        "made": cost_cents > 0,
        "reused": reused,
        "cost_cents": cost_cents,
        "message": message,
    }


def _masked(account: AccountToCheck) -> str:
    request = account.request
    if request.pixKey and request.pixKeyType:
        return mask_pix_key(request.pixKey, request.pixKeyType)
    return f"{request.bankCode} {request.agency} {mask_account(request.account or '')}"
