"""Funding: how a report of the service stands towards whoever pays for it, by what it says and what was paid for it.

The service does not say how it collects its money. A report that has not begun may carry the text of a Pix code: then
it waits for the payer, and not for the service.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Final, Literal

from schemas.errors import ExitCode
from schemas.messages import Listed, Message, Money
from schemas.plan import HOME_CURRENCY
from schemas.submission import ENDED, Submission, SubmissionState
from schemas.values.brcode import BrCode, read_brcode
from schemas.values.money import round_half_even_cents
from schemas.wire import SplitReport, cents_of


class FundingState(StrEnum):
    """How a report stands towards whoever pays for it."""

    ENDED = "ended"  # without being paid, or in a word that nobody knows: the report's own state says it
    MISMATCH = "mismatch"  # its code cannot be read, or is not of this report, or of somebody else
    RECEIVER_UNKNOWN = "receiver_unknown"  # nobody has said yet that the code's receiver is the service
    OVER = "over"  # more was paid than it costs
    PAID_WAITING = "paid_waiting"  # it was paid, and the service has not begun
    SHORT = "short"  # less was paid than it costs
    YOURS_TO_PAY = "yours_to_pay"
    RATE_WANTED = "rate_wanted"  # of a report in a foreign currency
    AT_SERVICE = "at_service"
    FROM_BALANCE = "from_balance"  # the service takes it from the payer's balance
    NOT_SAID = "not_said"  # it has not begun, and does not say what it waits for
    FEE_UNPAID = "fee_unpaid"  # all payees have been paid
    DONE = "done"

    @property
    def exit_code(self) -> ExitCode:
        return _CODES.get(self, ExitCode.STILL_OPEN)


_CODES: Final[Mapping[FundingState, ExitCode]] = {
    FundingState.ENDED: ExitCode.DONE,
    FundingState.DONE: ExitCode.DONE,
    FundingState.MISMATCH: ExitCode.DISCREPANCIES,
    FundingState.OVER: ExitCode.ROWS_HELD,
    FundingState.FEE_UNPAID: ExitCode.ROWS_HELD,
}
# In these the payer has something to do, and money is wanted or too much.
WANTS_PAYER: Final = frozenset(
    {
        FundingState.MISMATCH,
        FundingState.RECEIVER_UNKNOWN,
        FundingState.OVER,
        FundingState.SHORT,
        FundingState.YOURS_TO_PAY,
        FundingState.FEE_UNPAID,
    }
)


class CodeStanding(StrEnum):
    """Whether the Pix code of a report may be paid."""

    NONE = "none"
    RIGHT = "right"
    UNCONFIRMED = "unconfirmed"  # right, and nobody has confirmed any receiver yet
    OTHER_RECEIVER = "other_receiver"  # right, but for a receiver who is not the one that was confirmed
    WRONG = "wrong"  # unreadable, or of another amount


Covers = Literal["unknown", "total", "total_and_fee"]
Collects = Literal["unknown", "pix", "balance"]

_PENDING, _PROCESSING = "PENDING", "PROCESSING"


def funding_state(  # noqa: PLR0913  # each is named at the call
    state: SubmissionState,
    status: str | None,
    code: CodeStanding,
    *,
    due_cents: int | None,
    funded_cents: int,
    lacks_rate: bool,
    owes_fee: bool,
    collects: Collects,
) -> FundingState:
    """Say how a report stands towards whoever pays for it: every report that the service has stands in one way.

    Args:
        status: The report's own word.
        due_cents: What it costs whoever pays for it, in centavos of the home currency; None where nobody can tell.
        funded_cents: What people have said was paid for it.
        lacks_rate: It is in a foreign currency and has no exchange rate.
        owes_fee: It names a fee that is not paid.
    """
    is_paid = state is SubmissionState.PAID
    is_pending, is_begun = not is_paid and status in {None, _PENDING}, not is_paid and status == _PROCESSING
    is_partly_funded = due_cents is not None and 0 < funded_cents < due_cents
    table = (
        (FundingState.ENDED, not is_paid and (state in ENDED or not (is_pending or is_begun))),
        (FundingState.MISMATCH, is_pending and code in {CodeStanding.WRONG, CodeStanding.OTHER_RECEIVER}),
        (FundingState.RECEIVER_UNKNOWN, is_pending and code is CodeStanding.UNCONFIRMED),
        (FundingState.OVER, due_cents is not None and funded_cents > due_cents),
        (FundingState.PAID_WAITING, is_pending and 0 < funded_cents == due_cents),
        (FundingState.SHORT, not is_paid and is_partly_funded),
        (FundingState.YOURS_TO_PAY, is_pending and code is CodeStanding.RIGHT),
        (FundingState.RATE_WANTED, is_pending and lacks_rate),
        (FundingState.AT_SERVICE, is_begun),
        (FundingState.FROM_BALANCE, is_pending and collects == "balance"),
        (FundingState.NOT_SAID, is_pending),
        (FundingState.FEE_UNPAID, owes_fee),
        (FundingState.DONE, True),
    )
    return next(found for found, holds in table if holds)


@dataclass(frozen=True, slots=True)
class ReportFunding:
    """How one report stands towards whoever pays for it, with what people need to pay it.

    Attributes:
        standing: Of its Pix code.
        code: What that says; None where it has none, or none that can be read.
        payload: The code's text; "" where it has none, or one that is not to be paid.
        wrong: What is wrong with it.
        due_cents: What it costs, in centavos of the home currency; None where nobody can tell.
    """

    report: Submission
    state: FundingState
    standing: CodeStanding
    code: BrCode | None
    payload: str
    wrong: tuple[Message, ...]
    due_cents: int | None
    funded_cents: int
    fee_cents: int

    @property
    def receiver(self) -> str:
        return receiver_of(self.code) if self.code else ""

    @property
    def left_cents(self) -> int:
        """What is still to be paid for it; below nothing, what was paid too much."""
        return (self.due_cents or 0) - self.funded_cents

    @property
    def sum_cents(self) -> int:
        """What the state is about: what is to be paid, what is missing, what is too much, or the fee."""
        if self.state is FundingState.FEE_UNPAID:
            return self.fee_cents
        return abs(self.left_cents) if self.state in WANTS_PAYER else self.due_cents or 0

    @property
    def sum(self) -> Money:
        """The same; of what the payer has nothing to do about, what it pays in its own currency."""
        if self.state in WANTS_PAYER:
            return Money(self.sum_cents, HOME_CURRENCY)
        return Money(self.report.amount_cents, self.report.currency)

    @property
    def told(self) -> Message:
        """The state, for people."""
        facts: dict[str, object] = {"sum": Money(self.sum_cents, HOME_CURRENCY), "receiver": self.receiver}
        facts |= {"status": self.report.status or _PENDING, "why": Listed(self.wrong, "; ")}
        return Message(f"funding.{self.state}", **facts)

    @property
    def line(self) -> Listed:
        """The same with the report and its job before it."""
        report = self.report
        return Listed((f"{report.job} {report.period}", report.report_id, self.told), "  ")


def stand_towards_payer(
    submission: Submission,
    report: SplitReport | None,
    *,
    funded_cents: int,
    receivers: Collection[str],
    collects: Collects,
    covers: Covers,
) -> ReportFunding:
    """Judge what a report says of its funding.

    Args:
        report: As the service showed it last; None where it has not been seen.
        funded_cents: What people have said was paid for it.
        receivers: Those that people have confirmed.
        covers: Whether what is paid for a report holds its fee.
    """
    said = report or SplitReport()
    total_cents = _total_cents(submission, said)
    fee_cents = 0 if said.feeAmount is None else cents_of(said.feeAmount)
    amounts = () if total_cents is None else tuple(dict.fromkeys((total_cents, total_cents + fee_cents)))
    standing, code, wrong = judge_code(said.pixQrCodePayload, amounts, receivers)
    is_payable = standing in {CodeStanding.RIGHT, CodeStanding.UNCONFIRMED}
    due_cents = (code.amount_cents if code and is_payable else None) or _due(amounts, funded_cents, covers)
    state = funding_state(
        submission.state,
        submission.status if report is None else report.status,
        standing,
        due_cents=due_cents,
        funded_cents=funded_cents,
        lacks_rate=total_cents is None,
        owes_fee=owes_fee(said) and not (amounts and funded_cents in {fee_cents, amounts[-1]}),
        collects=collects,
    )
    payload = (said.pixQrCodePayload or "") if is_payable else ""
    return ReportFunding(submission, state, standing, code, payload, wrong, due_cents, funded_cents, fee_cents)


def owes_fee(report: SplitReport) -> bool:
    """Whether a report names a fee, and says that the fee is not paid."""
    return report.feePaid is False and report.feeAmount is not None and cents_of(report.feeAmount) > 0


def judge_code(
    payload: str | None, amounts: Collection[int], receivers: Collection[str]
) -> tuple[CodeStanding, BrCode | None, tuple[Message, ...]]:
    """Say whether a report's Pix code may be paid, and if not, why.

    Args:
        amounts: What may be asked for, in centavos; where nobody can tell what the report costs none is compared. A
            code that names no amount leaves it to whoever pays.
    """
    if not payload:
        return CodeStanding.NONE, None, ()
    reading = read_brcode(payload)
    code = reading.code
    if code is None or reading.problems:
        return CodeStanding.WRONG, code, tuple(Message(f"brcode.{each.name.lower()}") for each in reading.problems)
    if amounts and code.amount_cents and code.amount_cents not in amounts:
        asked = Money(code.amount_cents, HOME_CURRENCY)
        return CodeStanding.WRONG, code, (Message("funding.other_amount", sum=asked),)
    receiver = receiver_of(code)
    if receiver in receivers:
        return CodeStanding.RIGHT, code, ()
    if not receivers:
        return CodeStanding.UNCONFIRMED, code, ()
    return CodeStanding.OTHER_RECEIVER, code, (Message("funding.other_receiver", receiver=receiver),)


def receiver_of(code: BrCode) -> str:
    """Name whom a code pays: by name, city, and the key, or the host at which the charge is kept."""
    where = code.key or (code.url or code.recurrence_url or "").removeprefix("https://").partition("/")[0]
    return ", ".join(" ".join(part.split()) for part in (code.merchant_name, code.merchant_city, where) if part)


def _total_cents(submission: Submission, report: SplitReport) -> int | None:
    """Return what the payments and the owner's part of a report come to at home; None where it has no rate."""
    if submission.currency == HOME_CURRENCY:
        return submission.amount_cents
    rate = report.exchangeRate
    return round_half_even_cents(submission.amount_cents * Fraction(rate)) if rate else None


def _due(amounts: tuple[int, ...], funded_cents: int, covers: Covers) -> int | None:
    """Return what a report costs whose code names no amount: with its fee where that is known, or was paid."""
    with_fee = covers == "total_and_fee" or funded_cents in amounts[1:]
    return next(reversed(amounts) if with_fee else iter(amounts), None)
