"""From the tables of a run to one statement per payee: sums by recording, platform and territory."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, NamedTuple, TypeVar

import pandas as pd

from flows.royalties.rules.balances import History
from flows.royalties.rules.recoupment import OfAdvance, advance_reference
from schemas.job import BRASILIA, Job, Period
from schemas.obligation import Obligation, Obligations, sum_cents
from schemas.payee_statement import (
    EXACT,
    AdvanceBalance,
    PaidKind,
    PartOf,
    PayeeStatement,
    Quote,
    RecordingPart,
    Restated,
    StatementBasis,
    StatementHeading,
    StatementPayment,
    WayToPaid,
)
from schemas.plan import Place, shown_place
from schemas.reasons import Reason
from schemas.submission import Submission
from schemas.tables.model import Record, records
from schemas.values.masking import digest_of, mask_tax_id, short_token
from schemas.values.millionths import read_millionths
from schemas.values.money import SignedSums


class PayeeEarning(NamedTuple):
    """The columns of Earnings that a statement rests on."""

    tax_id: str
    role: str
    isrc: str
    upc: str
    release: str
    title: str
    artist: str
    platform: str
    period: str
    currency: str
    units: int
    lines: int
    source_amount: Decimal
    rate: str
    share_ppm: str
    per_unit: str
    costs: str
    terms: str
    earned: Decimal


_Recording = tuple[str, str, str, str, str]
_Writing = tuple[str, str, str]
_PartKey = tuple[_Recording, str, str, str, str, str, str, str]
_Name = TypeVar("_Name")
_NOTHING = Decimal(0)


@dataclass(slots=True)
class _StatementPart:
    units: int = 0
    lines: int = 0
    source_amount: Decimal = _NOTHING
    earned: Decimal = _NOTHING


class EarningSums:
    """Sums of one payee.

    Attributes:
        total: Of everything, exact.
    """

    def __init__(self, earnings: Iterable[PayeeEarning], territories: Iterable[tuple[str, Decimal]] = ()) -> None:
        """Add everything up."""
        self.total = _NOTHING
        self._platforms: dict[str, Decimal] = {}
        self._territories: dict[str, Decimal] = {}
        self._months: dict[str, Decimal] = {}
        self._of_recording: dict[_Recording, Decimal] = {}
        self._writings: dict[_Recording, SignedSums[_Writing]] = {}
        self._parts: dict[_PartKey, _StatementPart] = {}
        for earning in earnings:
            self._add(earning)
        for territory, earned in territories:
            _add_to(self._territories, territory, earned)

    def _add(self, earning: PayeeEarning) -> None:
        recording = (
            (earning.isrc, "", "", "", "")
            if earning.isrc
            else ("", earning.upc, earning.release, earning.title, earning.artist)
        )
        earned = earning.earned
        self.total = EXACT.add(self.total, earned)
        _add_to(self._platforms, earning.platform, earned)
        _add_to(self._months, earning.period, earned)
        _add_to(self._of_recording, recording, earned)
        # Senders write a title in many ways; the recording is the same.
        writing = (earning.title or earning.release, earning.artist, earning.upc)
        self._writings.setdefault(recording, SignedSums())[writing] += earning.lines
        shared = earning.role, earning.share_ppm, earning.per_unit, earning.costs, earning.terms
        part = self._parts.setdefault((recording, earning.currency, earning.rate, *shared), _StatementPart())
        part.units += earning.units
        part.lines += earning.lines
        part.source_amount = EXACT.add(part.source_amount, earning.source_amount)
        part.earned = EXACT.add(part.earned, earned)

    def recordings(self) -> tuple[RecordingPart, ...]:
        """Tell the parts, the recording that earned most first, its currencies, rates and roles in order."""
        return tuple(self._recording(key) for key in sorted(self._parts, key=self._place))

    def by_platform(self) -> tuple[PartOf, ...]:
        return _largest_first(self._platforms)

    def by_territory(self) -> tuple[PartOf, ...]:
        return _largest_first(self._territories)

    def by_month(self) -> tuple[PartOf, ...]:
        return tuple(PartOf(name, earned) for name, earned in sorted(self._months.items()))

    def _place(self, key: _PartKey) -> tuple[object, ...]:
        recording, currency, rate, role, share_ppm, per_unit, costs, terms = key
        most = self._of_recording[recording].copy_negate()
        return (
            most,
            self._written(recording),
            recording,
            currency,
            Decimal(rate),
            role,
            read_millionths(share_ppm),
            per_unit,
            costs,
            terms,
        )

    def _recording(self, key: _PartKey) -> RecordingPart:
        recording, currency, rate, role, share_ppm, per_unit, costs, terms = key
        title, artist, upc = self._written(recording)
        part = self._parts[key]
        return RecordingPart(
            recording[0], upc, title, artist, role, part.units, part.lines, part.source_amount,
            currency, Decimal(rate), read_millionths(share_ppm), per_unit, costs, terms, part.earned,
        )  # fmt: skip

    def _written(self, recording: _Recording) -> _Writing:
        return max(self._writings[recording].items(), key=lambda writing: (writing[1], writing[0]))[0]


def earnings_by_payee(earnings: pd.DataFrame) -> dict[str, list[PayeeEarning]]:
    """Group the rows of payees in one pass."""
    own = earnings[earnings["tax_id"] != ""]
    columns = [own[name].tolist() for name in PayeeEarning._fields]
    grouped = dict[str, list[PayeeEarning]]()
    for earning in map(PayeeEarning._make, zip(*columns, strict=True)):
        grouped.setdefault(earning.tax_id, []).append(earning)
    return grouped


def territories_by_payee(territories: pd.DataFrame) -> dict[str, list[tuple[str, Decimal]]]:
    """Group what payees earned by territory: payee -> (territory, exact part in the job's currency)."""
    grouped = dict[str, list[tuple[str, Decimal]]]()
    columns = (territories[name].tolist() for name in ("tax_id", "territory", "earned"))
    for payee, territory, earned in zip(*columns, strict=True):
        grouped.setdefault(payee, []).append((territory, earned))
    return grouped


def _add_to(sums: dict[_Name, Decimal], key: _Name, earned: Decimal) -> None:
    sums[key] = EXACT.add(sums.get(key, _NOTHING), earned)


def _largest_first(sums: dict[str, Decimal]) -> tuple[PartOf, ...]:
    # `copy_negate`: the minus sign would round to the 28 digits of the current context.
    in_order = sorted(sums.items(), key=lambda item: (item[1].copy_negate(), item[0]))
    return tuple(PartOf(name, earned) for name, earned in in_order)


TOKEN_LENGTH: Final = 8
_TOLD: Final = ("royalty", "payment", "returned", "carried", "tax")
_DIFFERENCE: Final = "difference"


class StatementTables(NamedTuple):
    """The tables that statements are composed of, of `schemas.tables.royalties`."""

    earnings: pd.DataFrame
    territories: pd.DataFrame
    balances: pd.DataFrame
    obligations: Obligations


def statement_token(run_id: str, payee: str) -> str:
    """Name a payee's statement of a run, so that whoever does not know the run cannot tell whose it is."""
    return short_token(digest_of("statement", run_id, payee), TOKEN_LENGTH)


def heading_of(job: Job, period: Period, quotes: Iterable[Quote] = ()) -> StatementHeading:
    """Say what all statements of a job and period share; `quotes` are the exchange rates of its sources."""
    return StatementHeading(
        payer_name=job.payer.name,
        job=job.job,
        period=period.label,
        first_day=period.start,
        last_day=period.end,
        currency=job.currency,
        language=job.outputs.language,
        minimum_payout_cents=job.rules.minimum_payout,
        quotes=tuple(sorted(set(quotes), key=lambda quote: (quote.currency, quote.day, quote.rate, quote.origin))),
    )


def stand_of_advances(
    advances: pd.DataFrame, recouped: Mapping[OfAdvance, int], history: History
) -> tuple[AdvanceBalance, ...]:
    """Say for each advance what this period recouped of it and what is left.

    Returns:
        In order of payee, then oldest first, as they are recouped; fully recouped ones of earlier periods are left out.
    """
    paid = SignedSums[tuple[str, str, str]]()
    for row in records(advances.sort_values(["tax_id", "date", "reference", "scope", "row"])):
        paid[row["tax_id"], row["reference"], row["scope"]] += row["amount_cents"]
    now, balances = SignedSums(recouped), []
    for (payee, reference, scope), advanced in paid.items():
        named = (payee, advance_reference(reference, scope))
        left = advanced - history.recouped.get(named, 0) - now[named]
        if now[named] or left > 0:
            balances.append(AdvanceBalance(payee, reference, scope, now[named], max(left, 0)))
    return tuple(balances)


def compose_statements(
    basis: StatementBasis,
    tables: StatementTables,
    *,
    run_id: str,
    submissions: Mapping[str, Submission] | None = None,
    whose: Collection[str] | None = None,
    restated: Mapping[str, tuple[Restated, ...]] | None = None,
) -> Iterator[PayeeStatement]:
    """Compose the statement of every payee of royalties or payments, or of some, in order of tax id.

    The result does not depend on the order of rows. The owner's part and lines that no share covers are nobody's
    statement; a payments row without a readable tax id is neither, nor is what belongs to a payee whose name nothing
    tells: a page to nobody could only be sent to the wrong person.
    """
    parts, places = earnings_by_payee(tables.earnings), territories_by_payee(tables.territories)
    balance_of: dict[str, Record] = {row["tax_id"]: row for row in records(tables.balances)}
    obligations_of = obligations_by_payee(tables.obligations)
    advances_of = defaultdict[str, list[AdvanceBalance]](list)
    for advance in basis.advances:
        advances_of[advance.payee].append(advance)
    payees = {
        payee
        for payee, parts_owed in obligations_of.items()
        if any(part.kind in {"royalty", "payment", "returned"} for part in parts_owed)
    }
    everybody = {*parts, *balance_of, *payees} - {""}
    for payee in sorted(everybody if whose is None else everybody.intersection(whose)):
        balance, rows = balance_of.get(payee), obligations_of.get(payee, [])
        sums = EarningSums(parts.get(payee, ()), places.get(payee, ()))
        way = _way(balance, sums.total, rows, (restated or {}).get(payee, ())) if balance else None
        names = filter(None, [balance["name"] if balance else "", *sorted(part.payee.name for part in rows)])
        name = next(names, "")
        if not name:
            continue
        yield PayeeStatement(
            heading=basis.heading_for(payee),
            token=statement_token(run_id, payee),
            name=name,
            tax_id_masked=mask_tax_id(payee),
            recordings=sums.recordings(),
            platforms=sums.by_platform(),
            territories=sums.by_territory(),
            months=sums.by_month(),
            way=way,
            advances=_complete(payee, advances_of[payee], way),
            payments=tuple(_payments(rows, submissions or {})),
        )


def obligations_by_payee(obligations: Iterable[Obligation]) -> dict[str, list[Obligation]]:
    """Group what statements tell of by payee, whatever order it came in."""
    own = [obligation for obligation in obligations if obligation.kind in _TOLD and obligation.payee.tax_id]
    own.sort(
        key=lambda obligation: (
            obligation.kind,
            obligation.reference,
            obligation.key,
            obligation.amount_cents,
            obligation.place,
        )
    )
    by_payee = dict[str, list[Obligation]]()
    for obligation in own:
        by_payee.setdefault(obligation.payee.tax_id, []).append(obligation)
    return by_payee


def _way(
    balance: Record, exact: Decimal, obligations: Sequence[Obligation], restated: tuple[Restated, ...]
) -> WayToPaid:
    reasons = [
        why
        for obligation in obligations
        if obligation.kind == "royalty" and obligation.place is Place.HELD
        for why in obligation.reasons
    ]
    back = sum_cents(
        obligation for obligation in obligations if obligation.kind == "carried" and obligation.code == _DIFFERENCE
    )
    reserved = sum_cents(obligation for obligation in obligations if obligation.code == "reserved")
    return WayToPaid(
        earned_exact=exact,
        earned_cents=balance["earned_cents"],
        recouped_cents=balance["recouped_cents"],
        carried_in_cents=balance["carried_in_cents"],
        carried_out_cents=balance["carried_out_cents"] - back - reserved,
        reserved_cents=reserved,
        held_cents=balance["held_cents"],
        held_reasons=_codes(reasons),
        payable_cents=balance["payable_cents"] + back,
        overpaid_cents=back,
        taxes=tuple(
            (obligation.reference, obligation.amount_cents) for obligation in obligations if obligation.kind == "tax"
        ),
        is_due=all(obligation.code != "not_due" for obligation in obligations),
        restated=restated,
    )


def _codes(reasons: Iterable[Reason]) -> tuple[str, ...]:
    return tuple(sorted({reason.text for reason in reasons}))


def _complete(payee: str, advances: Sequence[AdvanceBalance], way: WayToPaid | None) -> tuple[AdvanceBalance, ...]:
    """Add what was recouped and is not told by reference, so that the lines add up."""
    untold = (way.recouped_cents if way else 0) - sum(advance.recouped_cents for advance in advances)
    return (*advances, AdvanceBalance(payee, "", "", untold, None)) if untold else tuple(advances)


def _payments(obligations: Iterable[Obligation], submissions: Mapping[str, Submission]) -> Iterator[StatementPayment]:
    for obligation in obligations:
        if obligation.kind in {"carried", "tax"} or not obligation.amount_cents:
            continue
        kind: PaidKind = obligation.kind if obligation.kind in {"royalty", "returned"} else "payment"
        held = obligation.place is Place.HELD
        submission = submissions.get(obligation.submission_id)
        sent_at = submission.sending_at if submission else None
        yield StatementPayment(
            kind=kind,
            reference=obligation.reference,
            amount_cents=obligation.amount_cents,
            # What is inferred is for the finance team; a payee is told what is known.
            place=obligation.place.value
            if obligation.place is Place.UNDETERMINED
            else shown_place(obligation.place, obligation.reason),
            reasons=_codes(obligation.reasons) if held else (),
            report=submission.report_id if submission else obligation.submission_id,
            sent_on=sent_at.astimezone(BRASILIA).date() if sent_at else None,
        )
