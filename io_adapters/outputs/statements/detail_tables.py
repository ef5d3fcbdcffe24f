"""The tables of exact amounts: by recording, platform, territory and month of sales, and the exchange rates used."""

from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal

from io_adapters.outputs.statements.numbers import column_decimals
from io_adapters.outputs.statements.printable import wrappable
from io_adapters.outputs.statements.section import Column, Section, TwoLines, Writer
from schemas.payee_statement import EXACT, PartOf, PayeeStatement, RecordingPart


def detail_tables(statement: PayeeStatement, write: Writer) -> list[Section | None]:
    """Write the tables that take the whole width."""
    return [_recordings_table(statement.recordings, write)] if statement.recordings else []


def detail_pairs(statement: PayeeStatement, write: Writer) -> list[list[Section | None]]:
    """Write the tables that stand side by side; those of which the source says nothing are left out."""
    tables = [
        _parts_table("platforms", "platform", statement.platforms, write),
        _parts_table("territories", "territory", statement.territories, write),
        _parts_table("months", "month", statement.months, write, write.numbers.month),
        _quotes_table(statement, write),
    ]
    told: list[Section | None] = [table for table in tables if table is not None]
    return [told[position : position + 2] for position in range(0, len(told), 2)]


def _quotes_table(statement: PayeeStatement, write: Writer) -> Section | None:
    """Write the rates this payee's amounts were changed at; None when there was nothing to change."""
    used = {(one.source_currency, one.rate) for one in statement.recordings} - {(write.heading.currency, Decimal(1))}
    if not used:
        return None
    words, numbers = write.words, write.numbers
    quoted = [one for one in write.heading.quotes if (one.currency, one.rate) in used]
    rows = [(one.currency, numbers.exact(one.rate), numbers.day(one.day), wrappable(one.origin)) for one in quoted]
    untold = sorted(used - {(one.currency, one.rate) for one in quoted})
    rows += [(currency, numbers.exact(rate), "—", "—") for currency, rate in untold]
    columns = (
        Column(words("quote.currency")),
        Column(words("quote.rate", currency=write.heading.currency), number=True),
        Column(words("quote.day")),
        Column(words("quote.origin"), wide=True),
    )
    return Section(words("quotes"), columns, rows)


def _recordings_table(parts: Sequence[RecordingPart], write: Writer) -> Section:
    words, numbers = write.words, write.numbers
    own = (write.heading.currency, Decimal(1))
    foreign = any((one.source_currency, one.rate) != own for one in parts)
    counted = any(one.units for one in parts)
    columns = [
        Column(words("recording.title"), wide=True),
        *([Column(words("recording.units"), number=True)] if counted else []),
        Column(words("recording.lines"), number=True),
        Column(words("recording.source"), number=True),
        *([Column(words("recording.rate"), number=True)] if foreign else []),
        Column(words("recording.share"), number=True),
        Column(f"{words('part')} ({write.heading.currency})", number=True),
    ]
    of_source = column_decimals(one.source_amount for one in parts)
    total = _sum(one.earned for one in parts)
    of_part = column_decimals([*(one.earned for one in parts), total])
    rows = []
    for one in parts:
        share, role = numbers.percent(one.share_ppm), wrappable(one.role)
        amount = numbers.decimal(one.source_amount, of_source)
        rows.append(
            [
                _title(one, write),
                *([numbers.whole(one.units)] if counted else []),
                numbers.whole(one.lines),
                TwoLines(amount, one.source_currency) if foreign else amount,
                *(["—" if one.source_currency == own[0] else numbers.exact(one.rate)] if foreign else []),
                TwoLines(share, role) if role else share,
                numbers.decimal(one.earned, of_part),
            ]
        )
    last = [words("total"), *[""] * (len(columns) - 2), numbers.decimal(total, of_part)]
    return Section(words("recordings"), columns, rows, last)


def _title(one: RecordingPart, write: Writer) -> TwoLines:
    code = one.isrc or one.upc
    below = " · ".join(filter(None, (wrappable(one.artist), code)))
    return TwoLines(wrappable(one.title) or write.words("recording.untitled"), below)


def _parts_table(
    title: str, what: str, parts: Sequence[PartOf], write: Writer, shown: Callable[[str], str] = str
) -> Section | None:
    if not any(one.name for one in parts):
        return None
    words, numbers = write.words, write.numbers
    total = _sum(one.earned for one in parts)
    decimals = column_decimals([*(one.earned for one in parts), total])
    rows = [(wrappable(shown(one.name)) or words("not_stated"), numbers.decimal(one.earned, decimals)) for one in parts]
    columns = (
        Column(words(what), wide=True),
        Column(f"{words('part')} ({write.heading.currency})", number=True),
    )
    return Section(words(title), columns, rows, (words("total"), numbers.decimal(total, decimals)))


def _sum(values: Iterable[Decimal]) -> Decimal:
    total = Decimal(0)
    for value in values:
        total = EXACT.add(total, value)
    return total
