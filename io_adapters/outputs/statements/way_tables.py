"""The tables of centavos: from what was earned to what is paid, the advances, and the payments."""

from io_adapters.outputs.statements.printable import wrappable
from io_adapters.outputs.statements.section import Column, Section, TwoLines, Writer
from schemas.payee_statement import PayeeStatement, StatementPayment, WayToPaid


def way_table(statement: PayeeStatement, write: Writer) -> Section | None:
    """Write the way from earned to payable; None without royalties."""
    way = statement.way
    if way is None:
        return None
    words, cents = write.words, write.numbers.cents
    net = way.earned_cents - way.recouped_cents + way.carried_in_cents
    rows = [
        (words("way.earned"), cents(way.earned_cents)),
        (words("way.recouped"), cents(-way.recouped_cents)),
        (words("way.carried_in"), cents(way.carried_in_cents)),
        (words("way.net"), cents(net)),
        (_carried_out(way, write), cents(-way.carried_out_cents)),
    ]
    if way.held_cents:
        rows.append((words("way.held", why=words.of_reasons(way.held_reasons)), cents(-way.held_cents)))
    rows.append((words("way.payable"), cents(way.payable_cents)))
    strong = (3, len(rows) - 1)
    if way.overpaid_cents:
        rows.append((words("way.overpaid"), cents(way.overpaid_cents)))
    columns = (Column(words("way.step"), wide=True), Column(write.heading.currency, number=True))
    return Section(words("way"), columns, rows, strong=strong)


def _carried_out(way: WayToPaid, write: Writer) -> str:
    if way.carried_out_cents < 0:
        return write.words("way.negative")
    minimum = write.heading.minimum_payout_cents
    if way.carried_out_cents and minimum:
        return write.words("way.below_minimum", minimum=write.numbers.cents(minimum))
    return write.words("way.carried_out")


def advances_table(statement: PayeeStatement, write: Writer) -> Section | None:
    """Write what was recouped of each advance and what is left; None without advances."""
    if not statement.advances:
        return None
    words, cents = write.words, write.numbers.cents
    rows = [
        (
            wrappable(one.reference) or "—",
            one.isrc or words("advance.any"),
            cents(one.recouped_cents),
            "—" if one.outstanding_cents is None else cents(one.outstanding_cents),
        )
        for one in statement.advances
    ]
    columns = (
        Column(words("advance.reference"), wide=True),
        Column(words("advance.recording")),
        Column(words("advance.recouped"), number=True),
        Column(words("advance.outstanding"), number=True),
    )
    left = [one.outstanding_cents for one in statement.advances]
    known = [one for one in left if one is not None]
    total_left = cents(sum(known)) if len(known) == len(left) else "—"
    total = (
        ()
        if len(rows) == 1
        else (words("total"), "", cents(sum(one.recouped_cents for one in statement.advances)), total_left)
    )
    return Section(words("advances"), columns, rows, total)


def payments_table(statement: PayeeStatement, write: Writer) -> Section | None:
    """Write each sum and what became of it; None when there is none."""
    if not statement.payments:
        return None
    words, numbers = write.words, write.numbers
    rows = [
        (
            wrappable(_reference(one, write)),
            _status(one, write),
            wrappable(one.report) or "—",
            numbers.day(one.sent_on) if one.sent_on else "—",
            numbers.cents(one.amount_cents),
        )
        for one in statement.payments
    ]
    columns = (
        Column(words("payment.what")),
        Column(words("payment.status")),
        Column(words("payment.report"), wide=True),
        Column(words("payment.sent_on")),
        Column(words("payment.amount"), number=True),
    )
    total = (
        ()
        if len(rows) == 1
        else (words("total"), "", "", "", numbers.cents(sum(one.amount_cents for one in statement.payments)))
    )
    return Section(words("payments"), columns, rows, total)


def _reference(one: StatementPayment, write: Writer) -> str:
    kind = write.words(f"kind.{one.kind}")
    return kind if one.kind == "royalty" or not one.reference else one.reference


def _status(one: StatementPayment, write: Writer) -> str | TwoLines:
    place = write.words.of_place(one.place)
    return TwoLines(place, write.words.of_reasons(one.reasons)) if one.reasons else place
