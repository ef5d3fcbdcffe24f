"""Which accounts need the paid check, in which order, and what the answers mean for what is owed."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal

from flows.steps.owe import obligations_frame
from schemas.destination import DESTINATION_COLUMNS
from schemas.issues import IssueCode
from schemas.plan import Place, digest_of
from schemas.tables.frames import DataFrame, Record, records
from schemas.tables.obligations import Obligations
from schemas.wire import AccountValidation

ONE_CENTAVO = 1


class CheckResult(StrEnum):
    """What is known of an account."""

    VALID = "valid"
    INVALID = "invalid"
    UNKNOWN = "unknown"  # asked and not answered: counts as spent, and the payment is held
    NOT_ASKED = "not_asked"  # no connection was found, or too many before it went unanswered; nothing was spent on it
    OVER_BUDGET = "over_budget"
    IN_FLIGHT = "in_flight"  # another run asks, and its answer did not come in time


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is known of one account, and the service's words on it."""

    result: CheckResult
    message: str = ""


@dataclass(frozen=True, slots=True)
class AccountToCheck:
    """One paid check.

    Attributes:
        fingerprint: What the answer is kept under: account, holder and whether ownership is asked.
        payee: Tax id of the payee.
        destination: Fingerprint of the account alone, as obligations have it.
        amount_cents: What waits to be paid there.
        request: The body to send.
    """

    fingerprint: str
    payee: str
    destination: str
    amount_cents: int
    request: AccountValidation


def check_cost_cents(fee_cents: int) -> int:
    """What one check costs: the centavo that is transferred, and the fee."""
    return ONE_CENTAVO + fee_cents


def accounts_to_pay(obligations: DataFrame[Obligations], *, ownership: bool) -> list[AccountToCheck]:
    """List the accounts of all planned payments once each, in order of the payees' names in the plan."""
    planned = (obligations["place"] == Place.PLANNED.value) & (obligations["kind"] != "owner")
    first = dict[str, Record]()
    sums = defaultdict[str, int](int)
    for row in records(obligations[planned]):
        fingerprint = check_fingerprint(row, ownership=ownership)
        first.setdefault(fingerprint, row)
        sums[fingerprint] += int(row["amount_cents"])
    return [
        AccountToCheck(
            fingerprint, row["tax_id"], row["destination"], sums[fingerprint], _request(row, ownership=ownership)
        )
        for fingerprint, row in first.items()
    ]


def accounts_to_ask(
    accounts: Sequence[AccountToCheck],
    kept: Mapping[str, Verdict],
    when: Literal["never", "new_or_changed", "always"],
) -> list[AccountToCheck]:
    """Choose the accounts whose check must be paid for; a kept answer, good or bad, is used until it expires."""
    if when == "never":
        return []
    if when == "always":
        return list(accounts)
    return [account for account in accounts if account.fingerprint not in kept]


def hold_unchecked(
    obligations: DataFrame[Obligations], verdicts: Mapping[str, Verdict], *, ownership: bool
) -> DataFrame[Obligations]:
    """Hold every planned payment whose account is known to be bad, or is not known to be good.

    Args:
        obligations: What is owed, after claims.
        verdicts: Fingerprint -> verdict; an account without one is paid (no check was asked of it).
        ownership: As in `accounts_to_pay`.
    """
    if not verdicts:
        return obligations
    rows = records(obligations)
    for row in rows:
        if row["place"] != Place.PLANNED.value or row["kind"] == "owner":
            continue
        verdict = verdicts.get(check_fingerprint(row, ownership=ownership))
        code = why_held(verdict)
        if code:
            row |= {"place": Place.HELD.value, "reason": code.value}
    return obligations_frame(type(obligations)(rows, columns=list(obligations.columns)))


def broke_off(results: Iterable[CheckResult]) -> bool:
    """Whether asking ended for want of answers: it was given up, or most of what was asked has none.

    Whom the few are that were answered is chance; a plan of them alone is not what anybody asked for.
    """
    counts = Counter(results)
    answered = counts[CheckResult.VALID] + counts[CheckResult.INVALID]
    return counts[CheckResult.NOT_ASKED] > 0 or counts[CheckResult.UNKNOWN] > answered


def why_held(verdict: Verdict | None) -> IssueCode | None:
    """Name the problem that a verdict is; None when the account may be paid."""
    match verdict:
        case None | Verdict(result=CheckResult.VALID):
            return None
        case Verdict(result=CheckResult.INVALID):
            return IssueCode.ACCOUNT_INVALID
        case Verdict(result=CheckResult.OVER_BUDGET):
            return IssueCode.ACCOUNT_BUDGET
        case _:
            return IssueCode.ACCOUNT_UNKNOWN


def check_fingerprint(row: Mapping[str, Any], *, ownership: bool) -> str:
    """Identity of what a check says: the account, whose it should be, and whether that was asked."""
    return digest_of("check", row["destination"], row["tax_id"], holder(row), str(ownership))


def holder(row: Mapping[str, Any]) -> str:
    """Name the account is held under; the payee's own unless the row says otherwise."""
    return str(row["account_holder"] or row["name"])


def _request(row: Mapping[str, Any], *, ownership: bool) -> AccountValidation:
    if row["pix_key"]:
        return AccountValidation(
            pixKey=row["pix_key"], pixKeyType=row["pix_key_type"], taxId=row["tax_id"], validateOwnership=ownership
        )
    account = {name: row[name] for name in DESTINATION_COLUMNS if row[name]}
    return AccountValidation(
        name=holder(row),
        bankCode=account["bank_code"],
        pspId=account["psp_id"],
        agency=account["agency"],
        account=account["account"],
        accountType=account["account_type"],
        taxId=row["tax_id"],
        validateOwnership=ownership,
    )
