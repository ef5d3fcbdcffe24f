"""What of a report that was paid came back, by what it says now against what it said when it was paid."""

from collections import Counter
from collections.abc import Mapping, Sequence

from flows.reports.rules.tell_apart import certain_amounts
from schemas.plan import BatchPayment
from schemas.returns import ReportWentBack, Returned, Witness
from schemas.wire import SplitReport, cents_of


def what_came_back(
    before: SplitReport, now: SplitReport, payments: Sequence[BatchPayment], known: Sequence[Returned]
) -> ReportWentBack | None:
    """Hold what a report says is paid against what it said when all was: the difference alone came back.

    Whose it is follows from arithmetic where one choice of payments fits, as with partial reports; else a person says.

    Args:
        before: As it was when all was paid.
        known: What is on record for the report.

    Returns:
        None where the figures do not tell how much it is.
    """
    if before.paidAmount is None or now.paidAmount is None:
        return None
    shown = [each for each in known if Witness.REPORT in each.seen_by and Witness.WITHDRAWN not in each.seen_by]
    back_cents = cents_of(before.paidAmount) - cents_of(now.paidAmount)
    new_cents = back_cents - _sum(shown)
    if back_cents < 0 or (not back_cents and not shown):
        return None
    if new_cents <= 0:
        return ReportWentBack(paid_again=_chosen(shown, -new_cents) if new_cents else ())
    return _told_anew(before, now, payments, known, new_cents)


def _told_anew(
    before: SplitReport, now: SplitReport, payments: Sequence[BatchPayment], known: Sequence[Returned], cents: int
) -> ReportWentBack:
    """Say what a report shows beside what it had shown: what people have recorded first, and others beside it."""
    recorded = tuple(each for each in known if Witness.REPORT not in each.seen_by and each.counts)
    rest_cents, left = cents - _sum(recorded), _left(payments, known)
    if not rest_cents:
        return ReportWentBack(borne_out=recorded)
    is_sure = not any(each.is_nobodys and each.counts for each in known)  # else nobody can tell which are left
    if is_sure and rest_cents > 0 and (seen := _whose(left, left, before, now, rest_cents)):
        return ReportWentBack(seen, recorded)
    if borne_out := _chosen(recorded, cents):
        return ReportWentBack(borne_out=borne_out)
    shown_before = _left(payments, [each for each in known if each not in recorded])
    if is_sure and recorded and (seen := _whose(left, shown_before, before, now, cents)):
        return ReportWentBack(seen)
    return ReportWentBack((), recorded, rest_cents) if rest_cents > 0 else ReportWentBack(nobodys_cents=cents)


def _sum(returned: Sequence[Returned]) -> int:
    return sum(each.amount_cents for each in returned)


def _chosen(returned: Sequence[Returned], cents: int) -> tuple[Returned, ...]:
    """Choose the returns that come to a sum: all of them, or the only one of that sum; none where that is unclear."""
    if _sum(returned) == cents:
        return tuple(returned)
    alone = [each for each in returned if each.amount_cents == cents]
    return tuple(alone) if len(alone) == 1 else ()


def _left(payments: Sequence[BatchPayment], known: Sequence[Returned]) -> dict[str, int]:
    """Return what people have of each payment, by all that is known."""
    left = {payment.obligation_key: payment.amount_cents for payment in payments if payment.kind != "owner"}
    for each in known:
        if each.counts and not each.is_nobodys:
            left[each.obligation_key] -= each.amount_cents
    return left


def _whose(
    left: Mapping[str, int], told: Mapping[str, int], before: SplitReport, now: SplitReport, cents: int
) -> tuple[tuple[str, int], ...]:
    """Choose the payments that a sum is of, where one choice alone fits; nothing where several do.

    Args:
        left: What people have of each payment.
        told: The same as the report would have it without that sum; of what is gone it counts none as done.
    """
    open_ones = {key: rest for key, rest in left.items() if rest > 0}
    if len(left) == len(open_ones) == 1 and cents <= sum(open_ones.values()):
        return ((next(iter(open_ones)), cents),)
    if before.donePayments is None or now.donePayments is None:
        return ()
    amounts, gone = Counter(open_ones.values()), sum(not rest for rest in told.values())
    certain = certain_amounts(amounts, before.donePayments - now.donePayments - gone, [cents])
    if not certain or certain.keys() != amounts.keys():
        return ()
    return tuple((key, rest) for key, rest in open_ones.items() if certain[rest])
