"""From a statement to the texts of its page, numbers and words in the reader's language."""

import datetime as dt
import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Context, Decimal
from typing import Final

from schemas.messages import Catalogue, catalogue_in, currency_sign, period_text
from schemas.payee_statement import (
    EXACT,
    PartOf,
    PayeeStatement,
    RecordingPart,
    Restated,
    StatementHeading,
    StatementPayment,
    WayToPaid,
)
from schemas.plan import KEPT_BACK, Place
from schemas.readers import for_people
from schemas.share_texts import costs_text, terms_texts, unit_amount
from schemas.tables.payees import GUARANTEE
from schemas.tables.recoup_scope import scope_text
from schemas.values.millionths import Millionths, fraction_text, percent_of

# Quantizing an exact sum must not fail for want of digits.
_EXACT: Final = Context(prec=200, rounding=ROUND_HALF_EVEN)
_FEWEST, _USUAL, _MOST = 2, 6, 12
_MINUS: Final = "−"
_MONTHS: Final = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]


class Numbers:
    """Writes numbers in one language.

    >>> Numbers("pt-BR").cents(-123456), Numbers("en").cents(123456)
    ('−1.234,56', '1,234.56')
    """

    def __init__(self, language: str) -> None:
        self._brazilian = language == "pt-BR"

    def cents(self, cents: int) -> str:
        return self.decimal(Decimal(cents).scaleb(-2, _EXACT), 2)

    def whole(self, number: int) -> str:
        return self.decimal(Decimal(number), 0)

    def exact(self, value: Decimal) -> str:
        return self.decimal(value, max(_FEWEST, _decimals_of(value)))

    def percent(self, share_ppm: Millionths) -> str:
        """Write a part as percent with as many decimals as there are, or as a fraction where no decimal is exact.

        >>> Numbers("pt-BR").percent(333_333), Numbers("en").percent(500_000)
        ('33,3333 %', '50 %')
        """
        value = percent_of(share_ppm)
        if value is None:
            return fraction_text(share_ppm)
        return f"{self.decimal(value, _decimals_of(value))} %"

    def decimal(self, value: Decimal, decimals: int) -> str:
        rounded = value.quantize(Decimal(1).scaleb(-decimals), context=_EXACT)
        written = f"{_MINUS if rounded < 0 else ''}{rounded.copy_abs():,f}"
        return written.translate(str.maketrans(",.", ".,")) if self._brazilian else written

    def day(self, day: dt.date) -> str:
        """Write a day.

        >>> Numbers("pt-BR").day(dt.date(2026, 10, 31)), Numbers("en").day(dt.date(2026, 10, 31))
        ('31/10/2026', '31 Oct 2026')
        """
        return f"{day:%d/%m/%Y}" if self._brazilian else f"{day.day} {_MONTHS[day.month - 1]} {day.year}"

    def month(self, text: str) -> str:
        """Write a period of sales; what is not an ISO month or day is shown as it is.

        >>> Numbers("pt-BR").month("2026-10"), Numbers("en").month("2026-10"), Numbers("en").month("2026-10-05")
        ('10/2026', 'Oct 2026', '5 Oct 2026')
        """
        try:
            if len(text) == len("2026-10"):
                first = dt.date.fromisoformat(f"{text}-01")
                return f"{first:%m/%Y}" if self._brazilian else f"{_MONTHS[first.month - 1]} {first.year}"
            return self.day(dt.date.fromisoformat(text))
        except ValueError:
            return text


def column_decimals(values: Iterable[Decimal]) -> int:
    """Say how many decimals a column shows: what its values have, two to six, and more where a value would vanish.

    >>> column_decimals([Decimal("1.5")]), column_decimals([Decimal("0.123456789"), Decimal("0.00000004")])
    (2, 9)
    """
    values = [value for value in values if value]
    needed = max((_decimals_of(value) for value in values), default=0)
    two_digits_of_smallest = max((1 - value.adjusted() for value in values), default=0)
    return max(_FEWEST, min(needed, max(_USUAL, two_digits_of_smallest), _MOST))


def _decimals_of(value: Decimal) -> int:
    text = f"{value:f}"
    return len(text.partition(".")[2].rstrip("0"))


LONGEST: Final = 500
_LONGEST_WORD: Final = 24
_KEPT_JOINERS: Final = "\u200c\u200d"  # Persian, Indic scripts and emoji are written with them
_LONG_WORD: Final = re.compile(rf"\S{{{_LONGEST_WORD}}}(?=\S)")
_BREAK: Final = "\u200b"


def printable(text: str) -> str:
    r"""Return a text as a page can bear it.

    White space becomes one space; direction marks, zero-width and other invisible characters go; what cannot be shown
    at all becomes U+FFFD; more than 500 characters are cut, with an ellipsis. Nothing is interpreted.

    >>> printable("a\u202egnp.exe"), printable("two\nlines"), printable("nul\0")
    ('agnp.exe', 'two lines', 'nul�')
    """
    plain = " ".join(unicodedata.normalize("NFC", text).split())
    kept = "".join(map(_shown, plain))
    return kept if len(kept) <= LONGEST else kept[: LONGEST - 1] + "…"


def wrappable(text: str) -> str:
    return _LONG_WORD.sub(lambda found: found[0] + _BREAK, printable(text))


def _shown(character: str) -> str:
    category = unicodedata.category(character)
    if category == "Cf":
        return character if character in _KEPT_JOINERS else ""
    never_a_character = ord(character) & 0xFFFE == 0xFFFE or "\ufdd0" <= character <= "\ufdef"
    return "\ufffd" if category in {"Cc", "Cs"} or never_a_character else character


@dataclass(frozen=True, slots=True)
class Writer:
    labels: Catalogue
    numbers: Numbers
    heading: StatementHeading


@dataclass(frozen=True, slots=True)
class PageColumn:
    """One column: its header, whether numbers stand in it, and whether it takes the room that is left."""

    name: str
    number: bool = False
    wide: bool = False


@dataclass(frozen=True, slots=True)
class TwoLines:
    main: str
    sub: str


Cell = str | TwoLines


@dataclass(frozen=True, slots=True)
class Section:
    """A titled table."""

    title: str
    columns: Sequence[PageColumn]
    rows: Sequence[Sequence[Cell]]
    total: Sequence[str] = ()
    strong: Sequence[int] = ()
    note: str = ""

    def as_json(self) -> dict[str, object]:
        return {
            "title": self.title,
            "columns": [{"name": column.name, "number": column.number, "wide": column.wide} for column in self.columns],
            "rows": [[_plain(cell) for cell in row] for row in self.rows],
            "total": list(self.total),
            "strong": list(self.strong),
            "note": self.note,
        }


def _plain(cell: Cell) -> str | dict[str, str]:
    return {"main": cell.main, "sub": cell.sub} if isinstance(cell, TwoLines) else cell


def way_table(statement: PayeeStatement, write: Writer) -> Section | None:
    """Write the way from earned to payable; None without royalties."""
    way = statement.way
    if way is None:
        return None
    labels, cents = write.labels, write.numbers.cents
    net = way.earned_cents - way.recouped_cents + way.carried_in_cents
    before = way.carried_in_cents - sum(own.amount_cents for own in way.restated)
    rows = [
        (labels("statement.way.earned"), cents(way.earned_cents)),
        (labels("statement.way.recouped"), cents(-way.recouped_cents)),
        (
            labels("statement.way.carried_in"),
            cents(before),
        ),
        *((_restated(own, write), cents(own.amount_cents)) for own in way.restated),
        (labels("statement.way.net"), cents(net)),
        (_carried_out(way, write), cents(-way.carried_out_cents)),
    ]
    if way.reserved_cents:
        rows.append((labels("statement.way.reserved"), cents(-way.reserved_cents)))
    if way.held_cents:
        rows.append((labels("statement.way.held", why=reasons_text(way.held_reasons, labels)), cents(-way.held_cents)))
    if way.taxes:
        gross = way.payable_cents + sum(tax_cents for _, tax_cents in way.taxes)
        rows.append((labels("statement.way.gross"), cents(gross)))
        rows += [(labels("statement.way.tax", kind=kind), cents(-tax_cents)) for kind, tax_cents in way.taxes]
    rows.append((labels("statement.way.payable"), cents(way.payable_cents)))
    strong = (3 + len(way.restated), len(rows) - 1)
    if way.overpaid_cents:
        rows.append((labels("statement.way.overpaid"), cents(way.overpaid_cents)))
    columns = (PageColumn(labels("statement.way.step"), wide=True), PageColumn(write.heading.currency, number=True))
    return Section(labels("statement.way"), columns, rows, strong=strong)


def _restated(own: Restated, write: Writer) -> str:
    period = period_text(own.period, write.labels.language)
    what = correction_text(own.recordings, write.labels)
    return wrappable(write.labels("statement.way.restated", day=own.day, period=period, what=what))


_MOST_RECORDINGS: Final = 3


def correction_text(recordings: Sequence[str], labels: Catalogue) -> str:
    """Say that amounts were corrected, and name up to three of the recordings that earn something else since."""
    if not recordings:
        return labels("account.entry.correction")
    names = ", ".join(recordings[:_MOST_RECORDINGS])
    if (more := len(recordings) - _MOST_RECORDINGS) > 0:
        return labels("account.entry.correction_of_more", names=names, count=more)
    return labels("account.entry.correction_of", names=names)


def _carried_out(way: WayToPaid, write: Writer) -> str:
    if way.carried_out_cents < 0:
        return write.labels("statement.way.negative")
    if not way.is_due:
        return write.labels("statement.way.not_due")
    minimum = write.heading.minimum_payout_cents
    if way.carried_out_cents and minimum:
        return write.labels("statement.way.below_minimum", minimum=write.numbers.cents(minimum))
    return write.labels("statement.way.carried_out")


def advances_table(statement: PayeeStatement, write: Writer) -> Section | None:
    """Write what was recouped of each advance and what is left; None without advances."""
    if not statement.advances:
        return None
    labels, cents = write.labels, write.numbers.cents
    rows = [
        (
            wrappable(advance.reference) or "—",
            labels.write(scope_text(advance.scope)) if advance.scope else labels("statement.advance.any"),
            cents(advance.recouped_cents),
            "—" if advance.outstanding_cents is None else cents(advance.outstanding_cents),
        )
        for advance in statement.advances
    ]
    columns = (
        PageColumn(labels("statement.advance.reference"), wide=True),
        PageColumn(labels("statement.advance.recording")),
        PageColumn(labels("statement.advance.recouped"), number=True),
        PageColumn(labels("statement.advance.outstanding"), number=True),
    )
    left = [advance.outstanding_cents for advance in statement.advances]
    known = [amount for amount in left if amount is not None]
    total_left = cents(sum(known)) if len(known) == len(left) else "—"
    total = (
        ()
        if len(rows) == 1
        else (
            labels("statement.total"),
            "",
            cents(sum(advance.recouped_cents for advance in statement.advances)),
            total_left,
        )
    )
    return Section(labels("statement.advances"), columns, rows, total)


def payments_table(statement: PayeeStatement, write: Writer) -> Section | None:
    """Write each sum and what became of it; None when there is none."""
    if not statement.payments:
        return None
    labels, numbers = write.labels, write.numbers
    rows = [
        (
            wrappable(_reference(payment, write)),
            _status(payment, write),
            wrappable(payment.report) or "—",
            numbers.day(payment.sent_on) if payment.sent_on else "—",
            numbers.cents(payment.amount_cents),
        )
        for payment in statement.payments
    ]
    columns = (
        PageColumn(labels("statement.payment.what")),
        PageColumn(labels("statement.payment.status")),
        PageColumn(labels("statement.payment.report"), wide=True),
        PageColumn(labels("statement.payment.sent_on")),
        PageColumn(labels("statement.payment.amount"), number=True),
    )
    total = (
        ()
        if len(rows) == 1
        else (
            labels("statement.total"),
            "",
            "",
            "",
            numbers.cents(sum(payment.amount_cents for payment in statement.payments)),
        )
    )
    return Section(labels("statement.payments"), columns, rows, total)


def _reference(payment: StatementPayment, write: Writer) -> str:
    kind = write.labels(f"statement.kind.{payment.kind}")
    return payment.reference if payment.kind == "payment" and payment.reference else kind


def _status(payment: StatementPayment, write: Writer) -> str | TwoLines:
    place = place_text(payment.place, write.labels)
    return TwoLines(place, reasons_text(payment.reasons, write.labels)) if payment.reasons else place


def detail_tables(statement: PayeeStatement, write: Writer) -> list[Section | None]:
    return [_recordings_table(statement.recordings, write)] if statement.recordings else []


def detail_pairs(statement: PayeeStatement, write: Writer) -> list[list[Section | None]]:
    """Write the tables that stand side by side; those of which the source says nothing are left out."""
    tables = [
        _parts_table("platforms", "platform", statement.platforms, write),
        _parts_table("territories", "territory", statement.territories, write),
        _parts_table("months", "month", statement.months, write, write.numbers.month),
        _quotes_table(statement, write),
    ]
    sections: list[Section | None] = [table for table in tables if table is not None]
    return [sections[position : position + 2] for position in range(0, len(sections), 2)]


def _quotes_table(statement: PayeeStatement, write: Writer) -> Section | None:
    """Write the rates this payee's amounts were changed at; None when there was nothing to change."""
    used = {(recording.source_currency, recording.rate) for recording in statement.recordings} - {
        (write.heading.currency, Decimal(1))
    }
    if not used:
        return None
    labels, numbers = write.labels, write.numbers
    quoted = [quote for quote in write.heading.quotes if (quote.currency, quote.rate) in used]
    rows = [
        (quote.currency, numbers.exact(quote.rate), numbers.day(quote.day), wrappable(quote.origin)) for quote in quoted
    ]
    untold = sorted(used - {(quote.currency, quote.rate) for quote in quoted})
    rows += [(currency, numbers.exact(rate), "—", "—") for currency, rate in untold]
    columns = (
        PageColumn(labels("statement.quote.currency")),
        PageColumn(labels("statement.quote.rate", currency=write.heading.currency), number=True),
        PageColumn(labels("statement.quote.day")),
        PageColumn(labels("statement.quote.origin"), wide=True),
    )
    return Section(labels("statement.quotes"), columns, rows)


def _recordings_table(parts: Sequence[RecordingPart], write: Writer) -> Section:
    labels, numbers = write.labels, write.numbers
    own = (write.heading.currency, Decimal(1))
    foreign = any((part.source_currency, part.rate) != own for part in parts)
    counted = any(part.units for part in parts)
    columns = [
        PageColumn(labels("statement.recording.title"), wide=True),
        *([PageColumn(labels("statement.recording.units"), number=True)] if counted else []),
        PageColumn(labels("statement.recording.lines"), number=True),
        PageColumn(labels("statement.recording.source"), number=True),
        *([PageColumn(labels("statement.recording.rate"), number=True)] if foreign else []),
        PageColumn(
            labels("statement.recording.share"), number=True, wide=any(part.terms or part.costs for part in parts)
        ),
        PageColumn(f"{labels('statement.part')} ({currency_sign(write.heading.currency)})", number=True),
    ]
    of_source = column_decimals(part.source_amount for part in parts)
    total = _sum(part.earned for part in parts)
    of_part = column_decimals([*(part.earned for part in parts), total])
    rows = []
    for part in parts:
        costs = costs_text(part.costs, EXACT.multiply(part.source_amount, part.rate), write.heading.currency)
        after = [labels("statement.after_costs", costs=costs)] if part.costs else []
        share = numbers.percent(part.share_ppm)
        if part.per_unit:
            unit = unit_amount(part.per_unit)
            share = labels("statement.a_unit", amount=numbers.exact(unit) if isinstance(unit, Decimal) else unit)
        if part.terms:
            given, why = terms_texts(part.terms, write.heading.currency)
            share, after = labels.write(given), [labels.write(why), *after]
        role = wrappable(", ".join(filter(None, (part.role, *after))))
        if part.role == GUARANTEE:
            share, role = "—", ""
        amount = numbers.decimal(part.source_amount, of_source)
        rows.append(
            [
                _title(part, write),
                *([numbers.whole(part.units) if part.lines else "—"] if counted else []),
                numbers.whole(part.lines) if part.lines else "—",
                TwoLines(amount, part.source_currency) if foreign else amount,
                *(["—" if part.source_currency == own[0] else numbers.exact(part.rate)] if foreign else []),
                TwoLines(share, role) if role else share,
                numbers.decimal(part.earned, of_part),
            ]
        )
    last = [labels("statement.total"), *[""] * (len(columns) - 2), numbers.decimal(total, of_part)]
    return Section(labels("statement.recordings"), columns, rows, last)


def _title(part: RecordingPart, write: Writer) -> TwoLines:
    code = part.isrc or part.upc
    below = " · ".join(filter(None, (wrappable(part.artist), code)))
    untitled = "deal.role_guarantee" if part.role == GUARANTEE else "statement.recording.untitled"
    return TwoLines(wrappable(part.title) or write.labels(untitled), below)


def _parts_table(
    title: str, what: str, parts: Sequence[PartOf], write: Writer, shown: Callable[[str], str] = str
) -> Section | None:
    if not any(part.name for part in parts):
        return None
    labels, numbers = write.labels, write.numbers
    total = _sum(part.earned for part in parts)
    decimals = column_decimals([*(part.earned for part in parts), total])
    rows = [
        (wrappable(shown(part.name)) or labels("statement.not_stated"), numbers.decimal(part.earned, decimals))
        for part in parts
    ]
    columns = (
        PageColumn(labels(f"statement.{what}"), wide=True),
        PageColumn(f"{labels('statement.part')} ({currency_sign(write.heading.currency)})", number=True),
    )
    return Section(
        labels(f"statement.{title}"), columns, rows, (labels("statement.total"), numbers.decimal(total, decimals))
    )


def place_text(place: str, labels: Catalogue) -> str:
    """Say to a payee where their money is; a place nobody has named for them is under review."""
    id_ = f"statement.place.{place}"
    return labels(id_ if id_ in labels else f"statement.place.{Place.CONFLICT}")


def reasons_text(codes: Iterable[str], labels: Catalogue) -> str:
    """Say why something is held, each reason once; without a code it is under review."""
    texts = dict.fromkeys(_reason_text(code, labels) for code in codes)
    return "; ".join(texts) or labels("statement.reason.unknown")


def _reason_text(code: str, labels: Catalogue) -> str:
    """Say what to do by a code's own text, else by its family's: the part before the first underscore."""
    known = (id_ for id_ in (f"statement.reason.{code}", f"statement.reason.{code.partition('_')[0]}") if id_ in labels)
    return labels(next(known, "statement.reason.unknown"))


def _sum(values: Iterable[Decimal]) -> Decimal:
    total = Decimal(0)
    for value in values:
        total = EXACT.add(total, value)
    return total


Page = dict[str, object]
_NOT_PAID: Final = frozenset(place.value for place in (*KEPT_BACK, Place.EXCLUDED))


@for_people()
def page_of(statement: PayeeStatement) -> Page:
    """Write out what `statement.typ` shows, as plain JSON values; nothing of it is markup."""
    heading = statement.heading
    write = Writer(catalogue_in(heading.language), Numbers(heading.language), heading)
    labels, numbers = write.labels, write.numbers
    days = labels("statement.days", first=numbers.day(heading.first_day), last=numbers.day(heading.last_day))
    name = printable(statement.name) or labels("statement.nameless")
    tables = [way_table(statement, write), advances_table(statement, write), payments_table(statement, write)]
    return {
        "lang": "pt" if heading.language == "pt-BR" else "en",
        "region": "BR" if heading.language == "pt-BR" else "US",
        "title": f"{labels('statement.title')} {heading.period}",
        "running": f"{name} · {days}",
        "payer": printable(heading.payer_name),
        "payee": wrappable(statement.name) or labels("statement.nameless"),
        "tax_id": f"{labels('statement.tax_id')} {statement.tax_id_masked}",
        "facts": [
            [labels("statement.period"), days],
            [labels("statement.currency"), heading.currency],
            [labels("statement.job"), heading.job],
        ],
        "boxes": _boxes(statement, write),
        "sections": _as_json([*tables, *detail_tables(statement, write)]),
        "pairs": [_as_json(pair) for pair in detail_pairs(statement, write)],
        "how": {"title": labels("statement.how"), "lines": _how(statement, write)},
        "words": {key: labels(f"statement.{key}") for key in ("payee", "page", "of")},
    }


def _as_json(sections: list[Section | None]) -> list[Page]:
    return [section.as_json() for section in sections if section is not None]


def _boxes(statement: PayeeStatement, write: Writer) -> list[dict[str, str]]:
    """Sum the statement up: what came in, advances, carried, and what it comes to."""
    way, figures = statement.way, list[tuple[str, int]]()
    if way is not None:
        figures = [
            ("box.earned", way.earned_cents),
            ("box.recouped", -way.recouped_cents),
            ("box.carried_in", way.carried_in_cents),
            ("box.carried_out", -(way.carried_out_cents + way.reserved_cents + way.overpaid_cents)),
        ]
        if way.held_cents:
            figures.append(("box.held", -way.held_cents))
        if way.taxes:
            figures.append(("box.tax", -sum(tax_cents for _, tax_cents in way.taxes)))
    for kind, box in (("payment", "box.payments"), ("returned", "box.returned")):
        if cents := sum(payment.amount_cents for payment in statement.payments if payment.kind == kind):
            figures.append((box, cents))
    going = [payment for payment in statement.payments if payment.place not in _NOT_PAID]
    total = sum(payment.amount_cents for payment in going)
    states = list(dict.fromkeys(place_text(payment.place, write.labels) for payment in going))
    boxes = [
        {"name": write.labels(f"statement.{key}"), "amount": write.numbers.cents(cents), "note": ""}
        for key, cents in figures
    ]
    amount = f"{currency_sign(write.heading.currency)} {write.numbers.cents(total)}"
    return [*boxes, {"name": write.labels("statement.box.total"), "amount": amount, "note": " · ".join(states[:2])}]


def _how(statement: PayeeStatement, write: Writer) -> list[str]:
    way = statement.way
    if way is None:
        return []
    facts = {
        "exact": write.numbers.exact(way.earned_exact),
        "rounded": write.numbers.cents(way.earned_cents),
        "residue": write.numbers.exact(way.residue),
    }
    return [
        write.labels("statement.how.order"),
        write.labels("statement.how.exact"),
        write.labels("statement.residue", **facts),
    ]
