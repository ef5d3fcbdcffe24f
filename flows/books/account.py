"""A payee's account over all periods: the postings of the journal, and each payment with what became of it."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from io_adapters.ledger.ledger import Ledger
from schemas.account import GROUPS, AccountLine, AccountPayment, PayeeAccount, PayeeAccounts
from schemas.job import labelled_period
from schemas.journal import DROPPED, GIVEN_UP, AccountKind, BookedPosting, EntryKind
from schemas.plan import Place
from schemas.trace import PayeeTrace
from schemas.values.money import SignedSums

A, K = AccountKind, EntryKind
_PAID_TO_PEOPLE: Final = frozenset({"royalty", "payment", "owner"})
_GROUP_OF: Final = {place: group for group, places in GROUPS.items() for place in places}
_OF_ACCOUNT: Final = {
    A.TAX: "tax",
    A.SERVICE: "paid",
    A.SERVICE_TAX: "income_tax",
    A.SERVICE_FEE: "paid",
    A.SERVICE_HELD: "held",
    A.TRANSIT: "open",
}


def accounts_of_payee(
    ledger: Ledger, tax_id: str, traces: Sequence[PayeeTrace], year: int | None = None, job: str | None = None
) -> PayeeAccounts | None:
    """Tell a payee's accounts, with all that stood under former documents.

    Args:
        traces: Of all periods, in any order: names, and the payments one by one.
        year: Only the periods that begin in it.

    Returns:
        None when no period is told of.
    """
    moves = ledger.journal.payee_moves()
    names = {tax_id, *(old for old, new in moves.items() if new == tax_id)}
    return accounts_of(ledger.journal.of_payees(names), traces, year, job)


def accounts_of(
    postings: Iterable[BookedPosting],
    traces: Sequence[PayeeTrace],
    year: int | None = None,
    job: str | None = None,
) -> PayeeAccounts | None:
    """Sum postings up by job, currency and period; see `accounts_of_payee`.

    Args:
        postings: Of the payee's accounts, under whatever document.
        year: Only the periods that begin in it.
    """
    shown = [trace for trace in traces if year is None or trace.period.startswith(f"{year:04}-")]
    by_account = defaultdict[tuple[str, str], list[BookedPosting]](list)
    for posting in postings:
        if job in {None, posting.series.job}:
            by_account[posting.series.job, posting.series.currency].append(posting)
    for trace in shown:  # of which nothing is posted yet: its plan waits
        by_account[trace.job, trace.currency] += []
    accounts = [
        account
        for (name, currency), own in sorted(by_account.items())
        if (account := _account(name, currency, own, shown, year)).lines
    ]
    if not accounts or not traces:
        return None
    latest = max(traces, key=lambda trace: (trace.run_id != "", trace.period))
    return PayeeAccounts(latest.name, latest.tax_id_masked, latest.language, year, tuple(accounts))


def _account(
    job: str,
    currency: str,
    postings: Sequence[BookedPosting],
    traces: Sequence[PayeeTrace],
    year: int | None,
) -> PayeeAccount:
    own = sorted(
        (trace for trace in traces if (trace.job, trace.currency) == (job, currency)), key=lambda trace: trace.period
    )
    of_period = {trace.period: trace for trace in own}
    lines, balance, left = list[AccountLine](), 0, 0
    has_advances = any(posting.account.kind is A.ADVANCE for posting in postings)
    posted = {posting.period for posting in postings if posting.period_start is not None}
    for number, label in enumerate(sorted(posted | of_period.keys(), key=lambda label: labelled_period(label).start)):
        sums = _sums(posting for posting in postings if posting.period == label or not (number or posting.period))
        trace = of_period.get(label)
        line = _line(label, trace.run_id if trace else "", sums, balance)
        if trace is not None and label not in posted:
            line = _line_of_plan(trace, balance)
        balance = line.groups_cents.get("carried_out", 0)
        left += sum(cents for (kind, *_), cents in sums.items() if kind is A.ADVANCE)
        line = replace(line, advances_left_cents=left) if has_advances else line
        lines += [line] if year is None or label.startswith(f"{year:04}-") else []
    if lines and (last := of_period.get(lines[-1].period)) is not None:
        lines[-1] = _with_held(lines[-1], last)
    return PayeeAccount(
        job=job,
        currency=currency,
        payer_name=next((trace.payer_name for trace in reversed(own) if trace.payer_name), ""),
        lines=tuple(lines),
        payments=tuple(payment for trace in own for payment in _payments(trace)),
    )


def _with_held(line: AccountLine, trace: PayeeTrace) -> AccountLine:
    """Say of a balance how much of it is held, as the last run has it."""
    held = sum(
        obligation.amount_cents
        for obligation in trace.obligations
        if (obligation.kind, obligation.place) == ("royalty", Place.HELD)
    )
    held = min(held, line.groups_cents.get("carried_out", 0))
    if held <= 0:
        return line
    groups = SignedSums(line.groups_cents)
    groups.add({"held": held, "carried_out": -held})
    return replace(line, groups_cents={group: groups[group] for group in GROUPS if groups[group]})


def _line_of_plan(trace: PayeeTrace, balance_cents: int) -> AccountLine:
    """Show a period that nothing is posted about as its plan has it; royalties only while the balance is as planned."""
    earned_cents = trace.way.earned_cents if trace.way else 0
    carried_in_cents = trace.way.carried_in_cents if trace.way else 0
    rows_cents = trace.in_cents - earned_cents - carried_in_cents
    groups = SignedSums[str]()
    if carried_in_cents == balance_cents:
        for place, cents in trace.places_cents:
            groups[_GROUP_OF[place]] += cents
    else:
        for row in trace.obligations:
            if row.kind == "payment":
                groups[_GROUP_OF[row.place]] += row.amount_cents
        groups["carried_out"] += earned_cents + rows_cents + balance_cents - groups.total()
    shown = {group: groups[group] for group in GROUPS if groups[group]}
    return AccountLine(trace.period, trace.run_id, earned_cents, rows_cents, balance_cents, shown, None)


# Kind of account, kind of entry and reference of the account.
_Key = tuple[AccountKind, EntryKind, str]


def _sums(postings: Iterable[BookedPosting]) -> SignedSums[_Key]:
    found = SignedSums[_Key]()
    for posting in postings:
        found[posting.account.kind, posting.kind, posting.account.reference] += posting.amount_cents
    return found


def _line(period: str, run_id: str, sums: Mapping[_Key, int], carried: int) -> AccountLine:
    """Turn what was posted about a period into what came in and where it is."""
    earned = rows = 0
    groups = SignedSums[str]()
    for (kind, entry, reference), cents in sums.items():
        if kind is A.PAYEE and entry is K.READ:
            earned -= cents
        elif kind is A.PAYMENT and entry is K.READ:
            rows -= cents
        elif kind is A.PAYEE and entry in {K.OPENING, K.MOVE}:
            carried -= min(cents, 0) if entry is K.OPENING else cents
            groups["duplicate"] += max(cents, 0) if entry is K.OPENING else 0
        elif kind is A.PAYMENT and entry is K.DECISION:
            groups["duplicate"] += cents
        elif kind is A.ADVANCE and entry is K.RECOUP:
            groups["recouped"] -= cents
        elif kind is A.OUTSIDE and (reference == DROPPED or reference.startswith(GIVEN_UP)):
            groups["excluded"] -= cents
            groups["duplicate"] += cents if reference != DROPPED else 0
        elif kind in _OF_ACCOUNT:
            groups[_OF_ACCOUNT[kind]] -= cents
        if kind is A.PAYMENT:
            groups["held"] -= cents
    groups["carried_out"] = earned + rows + carried - groups.total()
    shown = {group: groups[group] for group in GROUPS if groups[group]}
    return AccountLine(period, run_id, earned, rows, carried, shown, None)


def _payments(trace: PayeeTrace) -> Iterator[AccountPayment]:
    reports = {report.submission_id: report for report in trace.reports}
    for obligation in trace.obligations:
        if obligation.kind not in _PAID_TO_PEOPLE or not obligation.amount_cents:
            continue
        report = reports.get(obligation.submission_id)
        yield AccountPayment(
            period=trace.period,
            run_id=report.run_id if report else trace.run_id,
            kind=obligation.kind,
            reference=obligation.reference if obligation.kind == "payment" else "",
            amount_cents=obligation.amount_cents,
            place=obligation.place,
            reasons=obligation.reasons,
            report=obligation.submission_id,
            sent_at=report.sent_at if report else None,
        )
