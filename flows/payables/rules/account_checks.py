"""Which accounts need the paid check, in which order, and what its answers mean."""

import datetime as dt
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Final, Literal

from schemas.issues import Issue, IssueCode, Severity
from schemas.messages import Message
from schemas.obligation import Obligation, Obligations, planned_payments
from schemas.plan import Place
from schemas.reasons import because
from schemas.reconciliation import AccountCheckCounts
from schemas.tables.model import DataFrame
from schemas.tables.payees import Payees
from schemas.values.bank_account import BankAccount, PixKey
from schemas.values.masking import digest_of, mask_account, mask_pix_key, mask_tax_id
from schemas.values.money import SignedSums
from schemas.wire import AccountValidation

ONE_CENTAVO = 1


class CheckResult(StrEnum):
    """What is known of an account."""

    VALID = "valid"
    INVALID = "invalid"
    UNKNOWN = "unknown"  # asked and not answered: counts as spent, and the payment is held
    # No connection was found, too many before it went unanswered, or an approved plan goes first; nothing was spent.
    NOT_ASKED = "not_asked"
    OVER_BUDGET = "over_budget"
    IN_FLIGHT = "in_flight"  # another run asks, and its answer did not come in time


@dataclass(frozen=True, slots=True)
class CheckVerdict:
    """What is known of one account, and the service's words on it."""

    result: CheckResult
    message: str = ""


@dataclass(frozen=True, slots=True)
class AccountToCheck:
    """One paid check."""

    fingerprint: str
    obligation: Obligation
    request: AccountValidation

    @property
    def kind(self) -> str:
        """Which of `ValidDays` says how long an answer about it is believed."""
        key_type = self.request.pixKeyType or "account"
        return "document" if key_type in {"cpf", "cnpj"} else key_type


def check_cost_cents(fee_cents: int) -> int:
    """Return what one check costs: the centavo and its fee."""
    return ONE_CENTAVO + fee_cents


def accounts_to_pay(obligations: Iterable[Obligation], *, ownership: bool) -> list[AccountToCheck]:
    """List the accounts of all planned payments once each, in order of the payees' names in the plan."""
    first = dict[str, Obligation]()
    sums = defaultdict[str, int](int)
    for obligation in planned_payments(obligations):
        fingerprint = check_fingerprint(obligation, ownership=ownership)
        first.setdefault(fingerprint, obligation)
        sums[fingerprint] += obligation.amount_cents
    return [
        AccountToCheck(
            fingerprint, replace(obligation, amount_cents=sums[fingerprint]), _request(obligation, ownership=ownership)
        )
        for fingerprint, obligation in first.items()
    ]


def accounts_to_ask(
    accounts: Sequence[AccountToCheck],
    kept: Mapping[str, CheckVerdict],
    when: Literal["never", "new_or_changed", "always"],
) -> list[AccountToCheck]:
    """Choose the accounts whose check must be paid for; a kept answer, good or bad, is used until it expires."""
    if when == "never":
        return []
    if when == "always":
        return list(accounts)
    return [account for account in accounts if account.fingerprint not in kept]


def asked_again(
    accounts: Iterable[AccountToCheck],
    checked_at: Mapping[str, dt.datetime],
    last_paid_at: Mapping[tuple[str, str], dt.datetime],
    above_cents: int | None,
) -> frozenset[str]:
    """Name the telephones' keys whose kept answer a payment has used up: they may have passed to another person since.

    Args:
        checked_at: Fingerprint -> when the kept answer was given.
        last_paid_at: Payee and destination -> when a payment was last sent there.
        above_cents: Of payments of more than so much; None of none.
    """
    return frozenset(
        account.fingerprint
        for account in accounts
        if above_cents is not None
        if account.kind == "phone_number" and account.obligation.amount_cents > above_cents
        if (paid_at := last_paid_at.get((account.obligation.payee.tax_id, account.obligation.destination)))
        if account.fingerprint in checked_at and checked_at[account.fingerprint] < paid_at
    )


def hold_unchecked(obligations: Obligations, verdicts: Mapping[str, CheckVerdict], *, ownership: bool) -> Obligations:
    """Hold every planned payment whose account is known to be bad, or is not known to be good.

    Args:
        verdicts: Fingerprint -> verdict; an account without one is paid (no check was asked of it).
    """
    if not verdicts:
        return obligations

    def judged(obligation: Obligation) -> Obligation:
        if not obligation.pays_somebody:
            return obligation
        code = why_held(verdicts.get(check_fingerprint(obligation, ownership=ownership)))
        return replace(obligation, place=Place.HELD, reasons=because(code.value)) if code else obligation

    return tuple(map(judged, obligations))


def broke_off(results: Iterable[CheckResult]) -> bool:
    """Whether asking ended for want of answers: it was given up, or most of what was asked has none.

    Whom the few are that were answered is chance; a plan of them alone is not what anybody asked for.
    """
    counts = SignedSums.counted(results)
    answered = counts[CheckResult.VALID] + counts[CheckResult.INVALID]
    return counts[CheckResult.NOT_ASKED] > 0 or counts[CheckResult.UNKNOWN] > answered


def why_held(verdict: CheckVerdict | None) -> IssueCode | None:
    """Name the problem that a verdict is; None when the account may be paid."""
    match verdict:
        case None | CheckVerdict(result=CheckResult.VALID):
            return None
        case CheckVerdict(result=CheckResult.INVALID):
            return IssueCode.ACCOUNT_INVALID
        case CheckVerdict(result=CheckResult.OVER_BUDGET):
            return IssueCode.ACCOUNT_BUDGET
        case _:
            return IssueCode.ACCOUNT_UNKNOWN


def check_fingerprint(obligation: Obligation, *, ownership: bool) -> str:
    """Identity of what a check says: the account, whose it should be, and whether that was asked."""
    return digest_of("check", obligation.destination, obligation.payee.tax_id, obligation.holder, str(ownership))


def _request(obligation: Obligation, *, ownership: bool) -> AccountValidation:
    match obligation.account:
        case PixKey(key, key_type):
            return AccountValidation(
                pixKey=key, pixKeyType=key_type, taxId=obligation.payee.tax_id, validateOwnership=ownership
            )
        case BankAccount(bank_code, psp_id, agency, account, account_type):
            return AccountValidation(
                name=obligation.holder,
                bankCode=bank_code,
                pspId=psp_id,
                agency=agency,
                account=account,
                accountType=account_type,
                taxId=obligation.payee.tax_id,
                validateOwnership=ownership,
            )
        case None:
            raise ValueError("a planned payment has no account")


@dataclass(frozen=True, slots=True)
class KnownOfAccounts:
    """What speaks for and against accounts before they are asked about."""

    refused: Collection[str] = frozenset()
    paid: Collection[tuple[str, str]] = frozenset()
    doubtful: Collection[str] = frozenset()


def likely_good_first(accounts: Iterable[AccountToCheck], known: KnownOfAccounts) -> list[AccountToCheck]:
    """Sort accounts into the order in which they are asked about."""

    def weight(account: AccountToCheck) -> tuple[bool, bool, bool, bool, int, str]:
        return (
            account.fingerprint in known.refused,
            account.obligation.payee.tax_id in known.doubtful,
            (account.obligation.payee.tax_id, account.obligation.destination) not in known.paid,
            account.request.pixKey is None or account.request.pixKey != account.obligation.payee.tax_id,
            -account.obligation.amount_cents,
            account.fingerprint,
        )

    return sorted(accounts, key=weight)


def payees_with_warnings(
    obligations: Iterable[Obligation], payees: DataFrame[Payees], issues: Sequence[Issue]
) -> frozenset[str]:
    """Return the tax ids of those whose row, in the payments or the payees table, bears a warning."""
    rows = {
        (issue.file, issue.sheet or "", issue.row)
        for issue in issues
        if issue.severity is Severity.WARNING and issue.row
    }
    if not rows:
        return frozenset()
    found = [
        (obligation.source.file, obligation.source.sheet, obligation.source.row, obligation.payee.tax_id)
        for obligation in obligations
    ]
    found += payees[["file", "sheet", "row", "tax_id"]].itertuples(index=False, name=None)
    return frozenset(tax_id for file, sheet, row, tax_id in found if (file, sheet or "", int(row)) in rows)


@dataclass(frozen=True, slots=True)
class Call:
    """One call a run reserved money for.

    Attributes:
        message: The service's words, or why there are none.
    """

    fingerprint: str
    result: str
    message: str
    cost_cents: int


@dataclass(frozen=True, slots=True)
class Checks:
    """What the account checks of a run did.

    Attributes:
        broke_off: Why asking ended for want of answers; None when it did not.
        short: How many accounts the budget did not reach, and what it would take; None where it reached all.
    """

    counts: AccountCheckCounts = field(default_factory=AccountCheckCounts)
    rows: Sequence[Mapping[str, object]] = ()
    broke_off: Message | None = None
    short: Message | None = None


NO_CHECKS: Final = Checks()


def account_rows(
    accounts: Sequence[AccountToCheck],
    verdicts: Mapping[str, CheckVerdict],
    reused: Collection[str],
    calls: Iterable[Call],
) -> list[dict[str, Any]]:
    """Return the rows of the account: payee, `destination_masked`, result, made, reused, `cost_cents`, message."""
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
    rows += [_row(None, call.result, call.message, call.cost_cents) for own in by_account.values() for call in own]
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
        "payee": mask_tax_id(account.obligation.payee.tax_id) if account else "",
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


_LONGEST: Final = 200
_HIDDEN: Final = "…"


def mask_words(text: str, known: Iterable[str]) -> str:
    """Hide in a sentence whatever may be an address, a number, or part of a name that is known.

    >>> mask_words("conta 1234-5 de Maria Souza inexistente", ["Maria de Souza"])
    'conta … de … inexistente'
    """
    names = {part.casefold() for name in known for part in re.findall(r"\w+", name) if len(part) > 2}
    texts: list[str] = []
    for word in text.split():
        bare = "".join(re.findall(r"\w", word)).casefold()
        shown = _HIDDEN if "@" in word or re.search(r"\d", word) or bare in names else word
        if shown != _HIDDEN or texts[-1:] != [_HIDDEN]:
            texts.append(shown)
    sentence = " ".join(texts)
    return sentence if len(sentence) <= _LONGEST else sentence[:_LONGEST] + _HIDDEN
