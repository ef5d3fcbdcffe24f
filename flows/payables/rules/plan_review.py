"""The review of a plan: what changed, what is unusual, and what is not paid."""

import datetime as dt
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from statistics import median
from types import MappingProxyType
from typing import Final, NamedTuple, TypeVar

import pandas as pd

from flows.royalties.rules.parts import OWNER_ROLE
from schemas.journal import AccountKind, EntryKind, JournalEntry
from schemas.obligation import Obligation, Payee, planned_payments, sum_cents
from schemas.plan import KEPT_BACK, BatchPayment, Place
from schemas.plan_view import (
    AMOUNTS_LOOKED_AT,
    MUCH_ABOVE_BY_CENTS,
    MUCH_ABOVE_TIMES,
    SLIP_TIMES,
    Change,
    ChangeKind,
    Notice,
    NotPaid,
    PayeeNotice,
    PlannedDestination,
    PlanRow,
    RateChange,
    Sent,
)
from schemas.reasons import Reasons, because, reasons_text
from schemas.sources import PaidAlike, PaidSum, UsedDestination
from schemas.values.bank_account import BankAccount, Destination, PixKey
from schemas.values.costs_taken import part_after, stated_costs
from schemas.values.masking import mask_account, mask_pix_key, mask_tax_id
from schemas.values.millionths import Millionths, read_millionths
from schemas.values.money import SignedSums
from schemas.values.reading import fold_word
from schemas.values.share_terms import stated_share
from schemas.wire import Institution

_PAID_KINDS: Final = ("payment", "royalty", "returned", "owner")
# What a plan does not pay, of the kinds that are paid.
_NOT_PAID: Final = KEPT_BACK | {Place.CARRIED, Place.RECOUPED}
_SHARE: Final = ["tax_id", "role", "isrc", "upc", "release", "artist"]
_HOW_MUCH: Final = ["share_ppm", "per_unit", "costs", "terms"]
# What is to be paid, summed up: by base key, or by payee. The destination is where what is still to be paid goes; where
# the last part went when all was sent.
Sums = Mapping[str, Obligation]


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """Where something is that a plan does not pay, and why."""

    place: Place
    reasons: Reasons


def sums_of(obligations: Iterable[Obligation]) -> dict[str, Obligation]:
    """Sum up, by base key, what is to be paid: planned and already sent parts of payments, royalties, owner's part."""
    sums: dict[str, Obligation] = {}
    for obligation in filter(_is_paid, obligations):
        sums[obligation.base_key] = _joined(
            sums.get(obligation.base_key), obligation, last=obligation.place is Place.PLANNED
        )
    return sums


def sums_by_payee(obligations: Iterable[Obligation]) -> dict[str, Obligation]:
    """Sum up what is to be paid by payee, the owner's part aside."""
    sums: dict[str, Obligation] = {}
    for obligation in filter(_is_paid, obligations):
        if obligation.kind != "owner":
            payee = obligation.payee.tax_id
            here = replace(obligation, reference="")
            sums[payee] = _joined(sums.get(payee), here, last=obligation.place is Place.PLANNED)
    return sums


def sums_paid(parts: Iterable[BatchPayment], names: Mapping[str, str]) -> dict[str, Obligation]:
    """Sum up by payee what was paid for a period.

    Args:
        names: Tax id -> name, of those that are known.
    """
    sums: dict[str, Obligation] = {}
    for part in parts:
        payee = Payee(part.payee, names.get(part.payee, ""))
        cents, destination = part.amount_cents, part.destination
        paid = Obligation(kind="payment", amount_cents=cents, place=Place.PAID, payee=payee, destination=destination)
        sums[part.payee] = _joined(sums.get(part.payee), paid, last=True)
    return sums


def elsewhere_of(obligations: Iterable[Obligation]) -> dict[str, Elsewhere]:
    """Tell, by tax id, where what is owed to people is while it is not paid: held, in conflict, carried.

    A row that was held for its own problems has no key yet, so that people are the only thing to find it by.
    """
    found: dict[str, Elsewhere] = {}
    for obligation in obligations:
        if obligation.place in _NOT_PAID and obligation.place is not Place.RECOUPED and obligation.payee.tax_id:
            found.setdefault(obligation.payee.tax_id, Elsewhere(obligation.place, obligation.reasons))
    return found


def changes_between(
    before: Sums,
    now: Sums,
    *,
    held_before: Mapping[str, Elsewhere] | None = None,
    held_now: Mapping[str, Elsewhere] | None = None,
    destinations: bool = True,
) -> tuple[Change, ...]:
    """Say what was added, removed, or changed in amount or destination; the largest differences first."""
    changes: list[Change] = []
    for key in sorted(before.keys() | now.keys()):
        old, new = before.get(key), now.get(key)
        if old is None and new is not None:
            changes.append(_placed(_change(ChangeKind.ADDED, new, 0, new.amount_cents), held_before))
        elif new is None and old is not None:
            changes.append(_placed(_change(ChangeKind.REMOVED, old, old.amount_cents, 0), held_now))
        elif old is not None and new is not None:
            changes += _differences(old, new, destinations=destinations)
    order = list(ChangeKind)
    return tuple(
        sorted(changes, key=lambda change: (-abs(change.difference_cents), order.index(change.kind), change.tax_id))
    )


def _change(kind: ChangeKind, obligation: Obligation, before_cents: int, now_cents: int) -> Change:
    return Change(kind, obligation.payee.tax_id, obligation.payee.name, obligation.reference, before_cents, now_cents)


def _differences(old: Obligation, new: Obligation, *, destinations: bool) -> list[Change]:
    named = new if new.payee.name else replace(new, payee=old.payee)
    found = []
    if old.amount_cents != new.amount_cents:
        found.append(_change(ChangeKind.AMOUNT, named, old.amount_cents, new.amount_cents))
    if destinations and new.destination and old.destination and old.destination != new.destination:
        # a difference in the amount is told once
        found.append(_change(ChangeKind.DESTINATION, named, new.amount_cents, new.amount_cents))
    return found


def _placed(change: Change, where: Mapping[str, Elsewhere] | None) -> Change:
    found = (where or {}).get(change.tax_id)
    return replace(change, elsewhere=found.place, reasons=found.reasons) if found else change


def rates_between(before: pd.DataFrame, now: pd.DataFrame) -> tuple[RateChange, ...]:
    """Say which currencies have other exchange rates than before, by the earnings of both plans.

    Several sources may give one currency several rates: they are told together.
    """
    old, new = _rates(before), _rates(now)
    return tuple(
        RateChange(currency, old.get(currency, ""), new.get(currency, ""))
        for currency in sorted(old.keys() & new.keys())
        if old[currency] != new[currency]
    )


def _rates(earnings: pd.DataFrame) -> dict[str, str]:
    found = defaultdict[str, set[str]](set)
    for currency, rate in zip(earnings["currency"], earnings["rate"], strict=True):
        found[str(currency)].add(str(rate))
    return {currency: " / ".join(sorted(rates)) for currency, rates in found.items()}


def shares_changed(before: pd.DataFrame, now: pd.DataFrame) -> int:
    """Count the shares that differ, of assets that both plans have earnings of; the owner's remainder follows them."""
    old, new = _shares(before), _shares(now)
    assets = {key[2:] for key in old} & {key[2:] for key in new}
    return sum(old.get(key) != new.get(key) for key in old.keys() | new.keys() if key[2:] in assets)


def _shares(earnings: pd.DataFrame) -> dict[tuple[str, ...], frozenset[tuple[str, ...]]]:
    found = defaultdict[tuple[str, ...], set[tuple[str, ...]]](set)
    payees = earnings[earnings["tax_id"] != ""]
    for *about, share_ppm, per_unit, costs, terms in payees[[*_SHARE, *_HOW_MUCH]].itertuples(index=False, name=None):
        stated = (stated_share(terms, share_ppm), "" if terms else per_unit, stated_costs(costs))
        found[tuple(about)].add(stated)
    return {key: frozenset(shares) for key, shares in found.items()}


# By so many millionths the owner's part of an asset must change before a person is told.
OWNER_JUMP_PPM: Final = 100_000


class OwnerJump(NamedTuple):
    """An asset of which the owner has another part than in the period before, in millionths."""

    asset: str
    before_ppm: Millionths
    now_ppm: Millionths


def owner_jumps(before: pd.DataFrame, now: pd.DataFrame) -> list[OwnerJump]:
    """Name the assets of both periods of which the owner's part is ten points more or less than it was."""
    old, new = _owners_parts(before), _owners_parts(now)
    return [
        OwnerJump(asset, old[asset], new[asset])
        for asset in sorted(old.keys() & new.keys())
        if abs(Fraction(old[asset] - new[asset])) >= OWNER_JUMP_PPM
    ]


def _owners_parts(earnings: pd.DataFrame) -> dict[str, Millionths]:
    """Return the largest part the owner has of each asset that is shared, by its first name; lines of nobody aside.

    Of the whole: what costs leave to the owner, and the rest that no share claims. Where tiers, caps and costs of an
    amount say so, it is another one each period, and is none here.
    """
    of_sums = dict[tuple[str, int], Millionths]()
    moving = set(
        earnings.loc[(earnings["terms"] != "") | earnings["costs"].str.contains("$", regex=False), "sum_number"]
    )
    columns = ("tax_id", "role", "share_ppm", "costs", "sum_number", "isrc", "upc", "release", "title", "artist")
    rows = zip(*(earnings[name].tolist() for name in columns), strict=True)
    for tax_id, role, share_ppm, costs, number, *names in rows:
        asset = next(filter(None, names), "")
        if asset and number not in moving and (tax_id or role.startswith(OWNER_ROLE)):
            part = 0 if tax_id else part_after(costs, read_millionths(share_ppm))
            of_sums[asset, number] = of_sums.get((asset, number), 0) + part
    found = dict[str, Millionths]()
    for (asset, _), part in of_sums.items():
        found[asset] = max(found.get(asset, 0), part)
    return found


def period_before(periods: Iterable[str], label: str) -> str:
    """Return the last of some periods that began before another; "" when none did. Labels begin with their first day.

    >>> period_before(["2026-09", "2026-08", "2026-11"], "2026-10")
    '2026-09'
    """
    return max((period for period in periods if period < label), default="")


def names_in(people: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Tell people's names by tax id, the first that is told of somebody."""
    names: dict[str, str] = {}
    for tax_id, name in people:
        if name:
            names.setdefault(tax_id, name)
    return names


def _is_paid(obligation: Obligation) -> bool:
    """Whether it was paid, or is to be; what people dropped is not."""
    dropped = obligation.place is Place.EXCLUDED and not obligation.submission_id
    return (
        obligation.kind in _PAID_KINDS
        and obligation.place not in _NOT_PAID
        and not dropped
        and obligation.base_key != ""
    )


def _joined(there: Obligation | None, here: Obligation, *, last: bool) -> Obligation:
    """Add a part to a sum; of the `last` one counts where it goes."""
    if there is None:
        return here
    amount = there.amount_cents + here.amount_cents
    payee = there.payee if there.payee.name else replace(there.payee, name=here.payee.name)
    destination = here.destination if last else there.destination
    return replace(there, payee=payee, amount_cents=amount, destination=destination)


_Dated = TypeVar("_Dated", PaidSum, UsedDestination)


@dataclass(frozen=True, slots=True)
class PaidBefore:
    """What the ledger has paid, as far as it bears on the people of a plan.

    Attributes:
        last_period: Payments of the job's last earlier period; empty when there is none.
    """

    sums: Sequence[PaidSum] = ()
    destinations: Sequence[UsedDestination] = ()
    last_period: Sequence[BatchPayment] = ()


@dataclass(frozen=True, slots=True)
class _Past:
    """What one payee got before."""

    last_paid_at: dt.datetime | None
    this_period_cents: int
    amounts: Sequence[int]
    last_parts: Collection[int]


def notices_of(
    obligations: Sequence[Obligation],
    before: PaidBefore,
    names: Mapping[str, str],
    *,
    job: str,
    period: str,
    currency: str,
) -> tuple[PayeeNotice, ...]:
    """Name the payees a person should look at, the most urgent first, the largest first among equals.

    Sums are compared period by period, with what this period has been paid already: a late statement's small payment
    hides no jump, and is none itself. Amounts of the same job are compared; those of others where it has none.

    Args:
        names: Tax id -> name, for those whom the plan does not name.
    """
    sums, used = _by_payee(before.sums), _by_payee(before.destinations)
    last = defaultdict[str, list[BatchPayment]](list)
    for part in before.last_period:
        last[part.payee].append(part)
    found: list[PayeeNotice] = []
    by_payee = defaultdict[str, list[Obligation]](list)
    for obligation in planned_payments(obligations):
        by_payee[obligation.payee.tax_id].append(obligation)
    for payee, planned in by_payee.items():
        alike = [paid for paid in sums.get(payee, []) if paid.currency == currency]
        past = _past(alike, (job, period), [part.amount_cents for part in last.get(payee, [])])
        known = sums.get(payee)
        found += _look(payee, planned, replace(past, last_paid_at=known[0].last_at) if known else past)
        found += _look_at_destination(payee, planned, used.get(payee, []))
    found += _disappeared(last, {obligation.payee.tax_id for obligation in obligations}, names)
    urgency = list(Notice)
    return tuple(
        sorted(
            found,
            key=lambda notice: (urgency.index(notice.notice), -notice.now_cents, -notice.before_cents, notice.tax_id),
        )
    )


def _by_payee(rows: Iterable[_Dated]) -> dict[str, list[_Dated]]:
    grouped: dict[str, list[_Dated]] = {}
    for row in sorted(rows, key=lambda destination: destination.last_at, reverse=True):
        grouped.setdefault(row.payee, []).append(row)
    return grouped


def _look(payee: str, planned: Sequence[Obligation], past: _Past) -> Iterator[PayeeNotice]:
    name, cents = _name_of(planned), sum_cents(planned)
    if past.last_paid_at is None:
        yield PayeeNotice(Notice.NEW, payee, name, cents)
        return
    now = cents + past.this_period_cents
    parts = {obligation.amount_cents for obligation in planned}
    slip = _slip({now, *parts}, {*past.amounts[:1], *past.last_parts, past.this_period_cents})
    seen = len(past.amounts)
    if slip:
        times = slip * SLIP_TIMES
        yield PayeeNotice(Notice.TIMES_100, payee, name, times, slip, seen, past.last_paid_at)
    elif past.amounts and _is_much_above(now, usual := median(map(Fraction, past.amounts))):
        yield PayeeNotice(Notice.MUCH_ABOVE, payee, name, now, int(usual), seen, past.last_paid_at)


def _name_of(planned: Iterable[Obligation]) -> str:
    return next((obligation.payee.name for obligation in planned if obligation.payee.name), "")


def _past(sums: Sequence[PaidSum], this: tuple[str, str], last_parts: Collection[int]) -> _Past:
    this_period = sum(paid.amount_cents for paid in sums if (paid.job, paid.period) == this)
    earlier = [paid for paid in sums if (paid.job, paid.period) != this]
    own = [paid for paid in earlier if paid.job == this[0]]
    amounts = [paid.amount_cents for paid in (own or earlier)[:AMOUNTS_LOOKED_AT]]
    return _Past(None, this_period, amounts, last_parts)


def _slip(now: Collection[int], before: Collection[int]) -> int:
    """Return the earlier amount of which one is now exactly a hundred times; 0 when there is none."""
    return max((cents for cents in before if cents > 0 and cents * SLIP_TIMES in now), default=0)


def _is_much_above(now_cents: int, usual_cents: Fraction) -> bool:
    return now_cents >= MUCH_ABOVE_TIMES * usual_cents and now_cents - usual_cents >= MUCH_ABOVE_BY_CENTS


def _look_at_destination(
    payee: str, planned: Sequence[Obligation], used: Sequence[UsedDestination]
) -> Iterator[PayeeNotice]:
    """Compare with where the payee was last paid; several destinations may be used in one period."""
    latest = {
        destination.destination
        for destination in used
        if (destination.job, destination.period) == (used[0].job, used[0].period)
    }
    other = {obligation.destination for obligation in planned} - latest
    if used and other:
        uses = [destination.last_at for destination in used if destination.destination in other]
        last_used_at = max(uses, default=None)
        paid_at = used[0].last_at
        name, cents = _name_of(planned), sum_cents(planned)
        notice = PayeeNotice(Notice.DESTINATION, payee, name, cents, last_paid_at=paid_at)
        yield replace(notice, last_used_at=last_used_at)


def notices_of_less(entries: Iterable[JournalEntry], names: Mapping[str, str]) -> Iterator[PayeeNotice]:
    """Tell of whom a plan takes back what was booked for the period: a row, a file or a share is gone, or says less."""
    sums = SignedSums[tuple[str, AccountKind]]()
    for entry in entries:
        for posting in entry.postings if entry.kind is EntryKind.READ else ():
            if posting.account.kind in {AccountKind.PAYEE, AccountKind.PAYMENT}:
                sums[posting.account.payee, posting.account.kind] += posting.amount_cents
    less = SignedSums[str]()
    for (payee, _), cents in sums.items():
        less[payee] += max(0, cents)
    for payee, cents in less.items():
        if cents:
            yield PayeeNotice(Notice.TAKEN_BACK, payee, names.get(payee, ""), 0, cents)


def _disappeared(
    last: Mapping[str, Sequence[BatchPayment]], here: Collection[str], names: Mapping[str, str]
) -> Iterator[PayeeNotice]:
    """People of the last period of whom this one knows nothing: neither paid, nor held, nor carried."""
    for payee, parts in last.items():
        if parts and payee not in here:
            lost = sum(part.amount_cents for part in parts)
            yield PayeeNotice(Notice.DISAPPEARED, payee, names.get(payee, ""), 0, lost)


def rows_of(
    obligations: Iterable[Obligation],
    notices: Iterable[PayeeNotice],
    names: Mapping[str, str],
    alike: Mapping[str, tuple[PaidAlike, ...]] = MappingProxyType({}),
    destinations: Mapping[str, PlannedDestination] = MappingProxyType({}),
    sent: Mapping[str, Mapping[str, Sent]] = MappingProxyType({}),
) -> tuple[tuple[PlanRow, ...], tuple[PlanRow, ...]]:
    """Return the rows of what is planned and of what is not, each the largest first; those to look at come before all.

    Args:
        names: Tax id -> name, for rows that have none of their own.
        alike: Obligation key -> what a planned row looks like that looks paid before.
        destinations: Obligation key -> where a planned payment goes.
        sent: Obligation key -> what else a planned payment sends.
    """
    by_payee = defaultdict[str, list[Notice]](list)
    for notice in notices:
        by_payee[notice.tax_id].append(notice.notice)
    planned, others = list[PlanRow](), list[PlanRow]()
    for obligation in obligations:
        is_planned = obligation.place is Place.PLANNED
        reasons = tuple(by_payee.get(obligation.payee.tax_id, ())) if is_planned else ()
        found = alike.get(obligation.key, ()) if is_planned else ()
        reasons = (Notice.PAID_BEFORE, *reasons) if found else reasons
        row = replace(
            _row(obligation, reasons, names, found),
            destination=destinations.get(obligation.key) if is_planned else None,
            sent=sent.get(obligation.key, {}) if is_planned else {},
        )
        (planned if is_planned else others).append(row)
    return _in_order(planned), _in_order(others)


def destinations_of_plan(
    obligations: Iterable[Obligation],
    listed: Mapping[str, Institution],
    confirmed_at: Mapping[str, dt.datetime],
) -> dict[str, PlannedDestination]:
    """Say where each planned payment goes, masked; by obligation key.

    Args:
        listed: ISPB -> institution; empty where no list is known.
        confirmed_at: Obligation key -> when the service confirmed the account (UTC).
    """
    found = dict[str, PlannedDestination]()
    for obligation in planned_payments(obligations):
        if obligation.account is not None:
            holder = (
                obligation.account_holder
                if fold_word(obligation.account_holder) != fold_word(obligation.payee.name)
                else ""
            )
            shown = _masked_destination(obligation.account, listed)
            found[obligation.key] = replace(shown, holder=holder, confirmed_at=confirmed_at.get(obligation.key))
    return found


def _masked_destination(account: Destination, listed: Mapping[str, Institution]) -> PlannedDestination:
    match account:
        case PixKey(key, key_type):
            return PlannedDestination(f"output.pix.{key_type}", mask_pix_key(key, key_type))
        case BankAccount(bank_code, psp_id, agency, number, account_type):
            institution = listed.get(psp_id)
            name = institution.name if institution else psp_id if bank_code else ""
            bank = " ".join(filter(None, (bank_code or psp_id, name)))
            return PlannedDestination(f"output.account.{account_type}", f"{agency} / {mask_account(number)}", bank)


def notices_of_rows(
    obligations: Iterable[Obligation], alike: Mapping[str, tuple[PaidAlike, ...]]
) -> tuple[PayeeNotice, ...]:
    """Name each row that looks paid before, the largest first."""
    looking = [obligation for obligation in obligations if obligation.key in alike]
    looking.sort(key=lambda obligation: (-obligation.amount_cents, obligation.payee.tax_id, obligation.key))
    return tuple(
        PayeeNotice(
            Notice.PAID_BEFORE,
            obligation.payee.tax_id,
            obligation.payee.name,
            obligation.amount_cents,
            obligation.amount_cents,
            alike=alike[obligation.key],
        )
        for obligation in looking
    )


def not_paid_of(obligations: Iterable[Obligation]) -> tuple[NotPaid, ...]:
    """Sum up what is not planned by place and reason, the largest first.

    What another submission claims is told by its place alone, whatever that submission is called.
    """
    counts, sums = SignedSums[tuple[Place, Reasons]](), SignedSums[tuple[Place, Reasons]]()
    for obligation in obligations:
        if obligation.place is not Place.PLANNED:
            name = (obligation.place, because("claimed") if obligation.submission_id else obligation.reasons)
            counts[name] += 1
            sums[name] += obligation.amount_cents
    found = [NotPaid(*name, counts[name], sums[name]) for name in counts]
    return tuple(sorted(found, key=lambda row: (-abs(row.amount_cents), row.place, reasons_text(row.reasons))))


def _row(
    obligation: Obligation, notices: tuple[Notice, ...], names: Mapping[str, str], alike: tuple[PaidAlike, ...]
) -> PlanRow:
    payee, source = obligation.payee, obligation.source
    return PlanRow(
        name=payee.name or names.get(payee.tax_id, ""),
        tax_id_masked=mask_tax_id(payee.tax_id) if payee.tax_id else "",
        kind=obligation.kind,
        reference=obligation.reference,
        amount_cents=obligation.amount_cents,
        place=obligation.place,
        reasons=obligation.reasons,
        file=source.file,
        sheet=source.sheet,
        row=source.row,
        notices=notices,
        alike=alike,
    )


def _in_order(rows: list[PlanRow]) -> tuple[PlanRow, ...]:
    urgency = {notice: number for number, notice in enumerate(Notice)}

    def key(row: PlanRow) -> tuple[int, int, str, str]:
        most_urgent = min((urgency[notice] for notice in row.notices), default=len(urgency))
        return most_urgent, -abs(row.amount_cents), row.tax_id_masked, row.reference

    return tuple(sorted(rows, key=key))
