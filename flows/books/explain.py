"""Explaining a payment in words: each sum from statement rows to what was paid, to be repeated by hand."""

import datetime as dt
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final, NamedTuple

from flows.books.rules.trace import MOST_RANGES, earned_of, exact_sum
from flows.intake.rules.inputs import EXACT
from schemas.job import BRASILIA
from schemas.messages import Listed, Message, Money, currency_sign
from schemas.plan import short_digest
from schemas.reasons import reasons_message
from schemas.share_texts import costs_text, role_text, share_text, terms_text, unit_amount
from schemas.tables.recoup_scope import scope_text
from schemas.trace import (
    AdvanceTaken,
    FileState,
    LinesFound,
    PayableWay,
    PayeeTrace,
    RoyaltyPart,
    ShareTaken,
    TracedObligation,
    TracedReport,
    TracedWay,
)
from schemas.values.costs_taken import left_of
from schemas.values.millionths import WHOLE, fraction_text, percent_of, plain
from schemas.values.money import exact_text

# Parts of a payee's royalties that are shown one by one unless all are asked for.
SHOWN_PARTS: Final = 20
_ROWS: Final = frozenset({"payment", "owner", "returned"})
_OTHER_SUMS: Final = _ROWS | {"recouped"}


class ExplainedLine(NamedTuple):
    """One line of an explanation, indented so deep."""

    depth: int
    text: Message | Listed


def explain(trace: PayeeTrace, most_parts: int | None = SHOWN_PARTS) -> list[ExplainedLine]:
    """Explain what a payee gets for a period, down to rows of files and forward to the reports that pay it.

    Args:
        trace: What the ledger and the statements say.
        most_parts: How many recordings are shown one by one; the others are one sum. None for all, with every row.

    Returns:
        A: what the recordings earned; B: what advances took; C: what was carried in; D = A - B + C; E: the balance of
        the account; F: what is paid of it, and why no more; G: that less taxes; where D is; then the rows of payments
        sheets, the files that are not the same any more, and each report, day by day.
    """
    trace = replace(trace, parts=by_recording(trace.parts, MOST_RANGES if most_parts else None))
    steps = royalty_steps(trace, most_parts)
    of_royalties = [obligation for obligation in trace.obligations if obligation.kind not in _OTHER_SUMS]
    if trace.way is not None:
        steps.append(ExplainedLine(0, Message("explain.where")))
        steps += [step for obligation in of_royalties for step in (_placed(obligation), *_about(obligation))]
    rows = [obligation for obligation in trace.obligations if obligation.kind in _ROWS]
    if rows:
        steps.append(ExplainedLine(0, Message("explain.rows")))
        steps += [step for obligation in rows for step in (_row(obligation), *_about(obligation))]
    changed = [(file, state) for file, state in trace.files if state is not FileState.SAME]
    steps += [ExplainedLine(0, Message(f"cli.trace.file_{state}", file=file)) for file, state in changed]
    return [*steps, *(step for report in trace.reports for step in _report(report))]


def adding_up(trace: PayeeTrace) -> Iterator[ExplainedLine]:
    """Say that what came in is where the places say, and what of it does not add up."""
    places = tuple(Listed((Message(f"place.{place}"), Money(cents)), " ") for place, cents in trace.places_cents)
    facts = {"currency": trace.currency, "total": Money(trace.in_cents)}
    yield ExplainedLine(0, Message("cli.trace.books", places=Listed(places, " + ") if places else "0", **facts))
    for problem in trace.problems:
        yield ExplainedLine(1, Message(f"cli.trace.problem_{problem}"))


def _about(obligation: TracedObligation) -> Iterator[ExplainedLine]:
    """By what key it is decided on, and what people have said of it."""
    if obligation.key:
        yield ExplainedLine(2, Message("cli.trace.key", key=obligation.key))
    for decision in obligation.decisions:
        facts = {"by": decision.by, "at": _in_brazil(decision.at), "evidence": decision.evidence}
        yield ExplainedLine(2, Message("cli.trace.word", kind=decision.kind, **facts))


def _report(report: TracedReport) -> Iterator[ExplainedLine]:
    because = [Message("explain.because", why=report.reason)] if report.reason else []
    state = Listed((Message(f"state.{report.state}"), *because), "")
    facts = {"report": report.submission_id, "cents": Money(report.amount_cents)}
    yield ExplainedLine(0, Message("cli.trace.report", state=state, **facts))
    planned = {"by": report.prepared_by, "at": _in_brazil(report.planned_at)}
    yield ExplainedLine(1, Message("cli.trace.plan", digest=short_digest(report.plan_digest), **planned))
    for approval in report.approvals:
        yield ExplainedLine(1, Message("cli.trace.approval", by=approval.by, at=_in_brazil(approval.at)))
    if report.approved_at:
        yield ExplainedLine(1, Message("cli.trace.approved", at=_in_brazil(report.approved_at)))
    for name, at, by in report.steps:
        yield ExplainedLine(1, Message("cli.trace.step", state=Message(f"state.{name}"), at=_in_brazil(at), by=by))
    if report.split_id:
        seen = _in_brazil(report.seen_at) if report.seen_at else "-"
        facts = {"split_id": report.split_id, "status": report.status or "-", "at": seen}
        yield ExplainedLine(1, Message("cli.trace.service", **facts))
    if report.rate:
        rate = {"currency": report.rate.currency, "rate": report.rate.rate, "update": report.rate.update_id}
        yield ExplainedLine(1, Message("cli.trace.rate", state=Message(f"state.{report.rate.state}"), **rate))


def _in_brazil(at: dt.datetime) -> dt.datetime:
    return at.astimezone(BRASILIA)


_ASKED: Final = ("territory", "income", "format")


def by_recording(parts: Iterable[RoyaltyPart], most_ranges: int | None = MOST_RANGES) -> tuple[RoyaltyPart, ...]:
    """Put parts together that differ in platform, month and writing alone, the recording that earned most first.

    Args:
        most_ranges: How many ranges of rows are kept of each recording and sheet; None for all.
    """
    found = dict[object, RoyaltyPart]()
    for part in parts:
        recording = part.isrc or (part.upc, part.release, part.title, part.artist)
        shares = tuple((share.role, share.share_ppm, share.costs, share.per_unit, share.terms) for share in part.shares)
        key = (recording, part.currency, part.rate, shares)
        known = found.get(key)
        first = replace(
            part,
            platform="",
            period="",
            **_asked(part, part),
            found=tuple(_cut(lines, most_ranges) for lines in part.found),
            recorded=_in_sheets(part.recorded),
        )
        found[key] = _together(known, part, most_ranges) if known else first
    return tuple(sorted(found.values(), key=lambda part: earned_of(part).copy_negate()))


def _together(part: RoyaltyPart, other: RoyaltyPart, most_ranges: int | None) -> RoyaltyPart:
    lines = {(found.file, found.sheet): found for found in part.found}
    for found in other.found:
        known = lines.get((found.file, found.sheet))
        lines[found.file, found.sheet] = _joined(known, found, most_ranges) if known else found
    shares = zip(part.shares, other.shares, strict=True)
    return replace(
        part,
        **_asked(part, other),
        lines=part.lines + other.lines,
        units=part.units + other.units,
        source_amount=EXACT.add(part.source_amount, other.source_amount),
        shares=tuple(replace(share, earned=EXACT.add(share.earned, more.earned)) for share, more in shares),
        found=tuple(lines.values()),
        recorded=_in_sheets((*part.recorded, *other.recorded)),
    )


def _asked(part: RoyaltyPart, other: RoyaltyPart) -> dict[str, Any]:
    """Return what two parts agree in of what share rows ask about, beside the platform."""
    said = {name: getattr(part, name).strip() for name in _ASKED}
    return {name: text if getattr(other, name).strip() == text else "" for name, text in said.items()}


def _in_sheets(recorded: Iterable[LinesFound]) -> tuple[LinesFound, ...]:
    """Put what is kept of the lines of each sheet together: between which rows they all are."""
    of_sheet = dict[tuple[str, str], LinesFound]()
    for lines in recorded:
        where = lines.file, lines.sheet
        of_sheet[where] = _spanned(of_sheet[where], lines) if where in of_sheet else lines
    return tuple(of_sheet.values())


def _spanned(recorded: LinesFound, other: LinesFound) -> LinesFound:
    rows = [row for ends in (*recorded.ranges, *other.ranges) for row in ends]
    amount = EXACT.add(recorded.amount, other.amount)
    return replace(recorded, ranges=((min(rows), max(rows)),), lines=recorded.lines + other.lines, amount=amount)


def _joined(found: LinesFound, other: LinesFound, most_ranges: int | None) -> LinesFound:
    """Put lines of one sheet together, neighbours as one range, at most so many of them; None for all."""
    ranges = list[tuple[int, int]]()
    for first, last in sorted({*found.ranges, *other.ranges}):
        if ranges and ranges[-1][1] + 1 >= first:
            ranges[-1] = (ranges[-1][0], max(last, ranges[-1][1]))
        else:
            ranges.append((first, last))
    amount = EXACT.add(found.amount, other.amount)
    return _cut(replace(found, ranges=tuple(ranges), lines=found.lines + other.lines, amount=amount), most_ranges)


def _cut(found: LinesFound, most_ranges: int | None) -> LinesFound:
    return replace(found, ranges=found.ranges[:most_ranges])


def royalty_steps(trace: PayeeTrace, most_parts: int | None = SHOWN_PARTS) -> list[ExplainedLine]:
    """Explain what of a period's royalties is due and paid: A to G of `explain`; nothing without royalties."""
    if trace.way is None:
        return []
    paid = _paid(trace.way, trace.way.payable) if trace.way.payable else ()
    return [*_earned(trace, trace.way, most_parts), *_due(trace.way), *paid]


def _earned(trace: PayeeTrace, way: TracedWay, most_parts: int | None) -> Iterator[ExplainedLine]:
    """A: the parts, their exact sum, and that in centavos."""
    yield ExplainedLine(0, Message("explain.earned"))
    shown = trace.parts if most_parts is None else trace.parts[:most_parts]
    for part in shown:
        yield from part_steps(part, trace.currency, depth=1)
    rest = trace.parts[len(shown) :]
    if rest:
        together = _plain(exact_sum(map(earned_of, rest)))
        yield ExplainedLine(1, Message("explain.more", count=len(rest), currency=trace.currency, amount=together))
    facts = {"currency": trace.currency, "exact": _plain(way.earned_exact), "cents": Money(way.earned_cents)}
    yield ExplainedLine(1, Message("explain.rounded", **facts))


def _due(way: TracedWay) -> Iterator[ExplainedLine]:
    """B, C, and D = A - B + C."""
    yield ExplainedLine(0, Message("explain.recouped", cents=Money(way.recouped_cents)))
    for advance in way.payable.advances if way.payable else ():
        yield ExplainedLine(1, _advance(advance))
    before = Message("explain.carried_from", period=way.carried_from) if way.carried_from else ""
    yield ExplainedLine(0, Message("explain.carried_in", cents=Money(way.carried_in_cents), before=before))
    facts = {"a": way.earned_cents, "b": way.recouped_cents, "c": abs(way.carried_in_cents), "d": _due_cents(way)}
    sign = "+" if way.carried_in_cents >= 0 else "-"
    yield ExplainedLine(0, Message("explain.due", sign=sign, **{name: Money(cents) for name, cents in facts.items()}))


def _due_cents(way: TracedWay) -> int:
    return way.earned_cents - way.recouped_cents + way.carried_in_cents


def _advance(advance: AdvanceTaken) -> Message:
    """What was taken of an advance, and what there was to take."""
    name = advance.reference or Message("explain.no_reference")
    if advance.advanced_cents is None:
        return Message("explain.advance_gone", reference=name, cents=Money(advance.taken_cents))
    left = advance.advanced_cents - advance.elsewhere_cents
    facts = {"advanced": advance.advanced_cents, "elsewhere": advance.elsewhere_cents, "left": left}
    facts |= {"cents": advance.taken_cents}
    most: Message | str = ""
    if advance.ceiling_cents is not None:
        earned = Message("explain.advance_of", scope=scope_text(advance.scope)) if advance.scope else ""
        most_ppm = advance.part_ppm
        part = Message("explain.advance_part", part=share_text(most_ppm)) if most_ppm else ""
        most = Message("explain.advance_most", ceiling=Money(advance.ceiling_cents), part=part, earned=earned)
    return Message(
        "explain.advance", reference=name, most=most, **{fact: Money(cents) for fact, cents in facts.items()}
    )


def _paid(way: TracedWay, payable: PayableWay) -> Iterator[ExplainedLine]:
    """E: the balance of the account; F: what is paid of it, by which terms; G: that less taxes."""
    due, balance = _due_cents(way), payable.balance_cents
    others = {
        "later": payable.later_cents,
        "paid": -payable.paid_before_cents,
        "withheld": -payable.withheld_before_cents,
        "reserved": -payable.reserved_cents,
    }
    shown = tuple(
        Listed(("+" if cents > 0 else "-", Money(abs(cents)), Message(f"explain.balance_{name}")), " ")
        for name, cents in others.items()
        if cents
    )
    yield ExplainedLine(0, Message("explain.balance", sum=Listed((Money(due), *shown), " "), e=Money(balance)))
    yield from (ExplainedLine(1, Message(f"explain.{term}", **facts)) for term, facts in _terms(payable))
    yield ExplainedLine(0, Message("explain.payable", f=Money(payable.payable_cents)))
    for tax in payable.taxes if payable.payable_cents else ():
        facts: dict[str, object] = {"tax": tax.kind, "cents": Money(tax.taken_cents), "f": Money(payable.payable_cents)}
        if tax.percent is not None:
            yield ExplainedLine(1, Message("explain.tax_part", percent=_plain(tax.percent), **facts))
        else:
            facts |= {"amount": Money(tax.amount_cents), "before": Money(tax.in_month_cents)}
            yield ExplainedLine(1, Message("explain.tax_amount", **facts))
    taxes_cents = sum(payable.withheld_cents.values())
    if taxes_cents:
        sums = {"f": payable.payable_cents, "taxes": taxes_cents, "g": payable.payable_cents - taxes_cents}
        yield ExplainedLine(0, Message("explain.net", **{name: Money(cents) for name, cents in sums.items()}))


def _terms(payable: PayableWay) -> Iterator[tuple[str, dict[str, Money]]]:
    """Each term that E was held against, until one keeps it."""
    balance, minimum = payable.balance_cents, {"minimum": Money(payable.minimum_cents)}
    if payable.is_held:
        yield "is_held", {}
    elif balance <= 0:
        yield "nothing_owed", {}
    elif not payable.is_due:
        yield "not_due", {}
    elif balance < payable.minimum_cents:
        yield "below_minimum", minimum
    else:
        if payable.minimum_cents:
            yield "reaches_minimum", minimum
        if payable.invoiced_cents is not None:
            yield "invoiced", {"invoiced": Money(payable.invoiced_cents), "e": Money(balance)}


def _placed(obligation: TracedObligation) -> ExplainedLine:
    """Where a part of D is, and why."""
    return ExplainedLine(1, Message("explain.place", cents=Money(obligation.amount_cents), where=_where(obligation)))


def _row(obligation: TracedObligation) -> ExplainedLine:
    """A row of a payments sheet, or the owner's part, and where it is."""
    kind = Message(f"cli.trace.kind_{obligation.kind}")
    what: Message | Listed = kind
    if obligation.row:
        row = Message("cli.trace.row", file=sheet_text(obligation.file, obligation.sheet), row=obligation.row)
        what = Listed(tuple(filter(None, (kind, obligation.reference, row))))
    return ExplainedLine(
        1, Message("explain.row", what=what, cents=Money(obligation.amount_cents), where=_where(obligation))
    )


def _where(obligation: TracedObligation) -> Listed:
    """The place, the reasons in brackets, and the report."""
    parts: list[object] = [Message(f"place.{obligation.place}")]
    if obligation.reasons:
        parts.append(Message("explain.because", why=reasons_message(obligation.reasons)))
    if obligation.submission_id:
        parts.append(Message("explain.report", report=obligation.submission_id))
    return Listed(tuple(parts), "")


def part_steps(part: RoyaltyPart, currency: str, depth: int) -> Iterator[ExplainedLine]:
    """Tell of one part of the royalties: what it is, in which rows its lines are, and each share as a product."""
    names = (part.title or part.release, part.artist, part.isrc or part.upc, part.platform, part.period)
    asked = (getattr(part, name).strip() for name in _ASKED)
    said = tuple(filter(None, (*names, *asked)))
    yield ExplainedLine(depth, Listed(said or tuple({role_text(share.role) for share in part.shares})))
    for lines in part.found:
        facts = {"currency": part.currency, "amount": _plain(lines.amount), "count": lines.lines}
        file = sheet_text(lines.file, lines.sheet)
        yield ExplainedLine(depth + 1, Message("cli.trace.found", file=file, rows=_rows_text(lines), **facts))
    for lines in part.only_recorded:
        (first, last), facts = lines.ranges[0], {"currency": part.currency, "amount": _plain(lines.amount)}
        facts |= {"file": sheet_text(lines.file, lines.sheet), "first": first, "last": last}
        yield ExplainedLine(depth + 1, Message("cli.trace.recorded", count=lines.lines, **facts))
    rest = part.lines - part.lines_found - sum(lines.lines for lines in part.only_recorded)
    if rest:
        amount = EXACT.subtract(
            part.source_amount, exact_sum(lines.amount for lines in (*part.found, *part.only_recorded))
        )
        facts = {"currency": part.currency, "amount": _plain(amount)}
        yield ExplainedLine(depth + 1, Message("cli.trace.rest", count=rest, **facts))
    for share in part.shares:
        earned = Listed((currency_sign(currency), _plain(share.earned)), " ")
        if share.per_unit:
            units = Message("explain.units", count=part.units)
            yield ExplainedLine(depth + 1, Listed((Listed((units, *_rate_of(share, currency)), " x "), earned), " = "))
            continue
        factors: list[object] = [Listed((currency_sign(part.currency), _plain(part.source_amount)), " ")]
        if part.currency != currency:
            source = [str(fact) for fact in (part.rate_day, part.rate_origin) if fact]
            factors.append(_with_remark(_plain(part.rate), source))
        if share.costs:
            left = left_of(share.costs)
            costs = costs_text(share.costs, EXACT.multiply(part.source_amount, part.rate), currency)
            factors.append(_with_remark(_factor(left), [Message("explain.after_costs", costs=costs)]))
        factors += _rate_of(share, currency)
        yield ExplainedLine(depth + 1, Listed((Listed(tuple(factors), " x "), earned), " = "))


def _rate_of(share: ShareTaken, currency: str) -> list[object]:
    """Tell a share as it is stated, and how much of it its tier and its cap leave."""
    if share.terms:
        return [_with_remark(terms_text(share.terms, currency), [role_text(share.role)])]
    if share.per_unit:
        unit = unit_amount(share.per_unit)
        shown = _plain(unit) if isinstance(unit, Decimal) else unit
        return [_with_remark(Listed((currency_sign(currency), shown), " "), [role_text(share.role)])]
    percent = percent_of(share.share_ppm)
    if percent is None:
        return [_with_remark(fraction_text(share.share_ppm), [role_text(share.role)])]
    return [Listed((_plain(percent), _with_remark("%", [role_text(share.role)])), " ")]


def _factor(left: Fraction) -> object:
    """What is left after costs: a decimal where one says it exactly."""
    percent = percent_of(plain(left * WHOLE))
    return str(left) if percent is None else _plain(percent.scaleb(-2))


def _with_remark(value: object, remarks: Sequence[Message | str]) -> object:
    said = tuple(filter(None, remarks))
    return Listed((value, Listed(("(", Listed(said), ")"), "")), " ") if said else value


def _rows_text(lines: LinesFound) -> str:
    shown = [f"{first}-{last}" if last > first else str(first) for first, last in lines.ranges]
    count = sum(last - first + 1 for first, last in lines.ranges)
    return ", ".join([*shown, "..."] if count < lines.lines else shown)


def sheet_text(file: str, sheet: str) -> str:
    """Name a sheet with its file."""
    return f"{file} > {sheet}" if sheet else file


def _plain(amount: Decimal) -> Decimal:
    """Return an exact amount with the digits it has and no zeros behind them."""
    return Decimal(exact_text(amount))
