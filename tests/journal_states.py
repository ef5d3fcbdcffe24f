"""What a journal says of a series, summed up entry by entry: the plain way, beside the ledger's queries."""

import datetime as dt
from collections import Counter
from collections.abc import Iterable

from schemas.journal import (
    STATED,
    STATEMENTS,
    AccountKind,
    EntryKind,
    JournalAccount,
    JournalEntry,
    JournalState,
    Series,
)

A, K = AccountKind, EntryKind


def state_of(entries: Iterable[JournalEntry], series: Series, label: str, start: dt.date) -> JournalState:
    """Sum entries up as the ledger does for a period; all of them are booked in one month, and nobody has moved."""
    rows = [(entry, posting.account, posting.amount_cents) for entry in entries for posting in entry.postings]
    payers = [(e, a, cents) for e, a, cents in rows if (a.payer, a.currency) == (series.payer, series.currency)]
    mine = [(e, a, cents) for e, a, cents in payers if a.job in {series.job, ""}]
    here = [(e, a, cents) for e, a, cents in rows if e.series == series and e.period == label]
    others = [(e, a, cents) for e, a, cents in mine if (e.series, e.period) != (series, label)]
    advances = [(e, a, cents) for e, a, cents in mine if a.kind is A.ADVANCE]
    paid_ahead = [(e, a, cents) for e, a, cents in advances if e.kind is K.OPENING]
    payees = [(e, a, cents) for e, a, cents in mine if a.kind is A.PAYEE and e.period != label]
    earlier = [row for row in payees if row[0].period_start is None or row[0].period_start < start]
    taxes = [(e, series.account(A.TAX, a.payee, a.reference), cents) for e, a, cents in payers if a.kind is A.TAX]
    owners = [(e, a, cents) for e, a, cents in mine if a.kind is A.OWNER and e.period != label]
    own, stated = Counter[str](), Counter[str]()
    for entry, account, cents in owners:
        own[entry.period] -= cents
        stated[entry.period] -= cents if account.reference == STATED else 0
    about = [entry for entry in entries if entry.series == series]
    kinds = Counter(entry.kind for entry in about if entry.period == label)
    return JournalState(
        before=_summed(earlier),
        after=_summed(row for row in payees if row not in earlier),
        posted={kind: found for kind in kinds if (found := _summed(row for row in here if row[0].kind is kind))},
        recouped=_summed(row for row in others if row[0].kind is K.RECOUP and row[1].kind is A.ADVANCE),
        paid_ahead=_summed(paid_ahead),
        paid_ahead_here=_summed(row for row in paid_ahead if row[0].series == series),
        taxed_in_month=_summed(taxes),
        owner={period: (own[period], stated[period]) for period in own},
        periods=tuple(sorted({(entry.period_start, entry.period) for entry in about if entry.period_start})),
        statements=next((e.cause for e in reversed(about) if e.period == label and e.cause.startswith(STATEMENTS)), ""),
        entries=dict(kinds),
        balances=_summed(row for row in mine if row[1].kind in {A.PAYEE, A.PAYMENT, A.ADVANCE}),
    )


def _summed(rows: Iterable[tuple[JournalEntry, JournalAccount, int]]) -> dict[JournalAccount, int]:
    sums = Counter[JournalAccount]()
    for _, account, cents in rows:
        sums[account] += cents
    return {account: cents for account, cents in sums.items() if cents}


def balances_of(entries: Iterable[JournalEntry]) -> dict[JournalAccount, int]:
    """Sum entries up by account; accounts that come to nothing are left out."""
    found = Counter[JournalAccount]()
    for posting in (posting for entry in entries for posting in entry.postings):
        found[posting.account] += posting.amount_cents
    return {account: cents for account, cents in found.items() if cents}
