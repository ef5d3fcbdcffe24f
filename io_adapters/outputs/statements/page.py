"""From a statement to the texts of its page: every number and word as the reader sees it, in the template's order."""

from typing import Final

from io_adapters.outputs.statements.detail_tables import detail_pairs, detail_tables
from io_adapters.outputs.statements.numbers import Numbers
from io_adapters.outputs.statements.printable import printable, wrappable
from io_adapters.outputs.statements.section import Section, Writer
from io_adapters.outputs.statements.way_tables import advances_table, payments_table, way_table
from io_adapters.outputs.statements.words import Words
from schemas.payee_statement import PayeeStatement
from schemas.plan import Place

Page = dict[str, object]
_NOT_PAID: Final = frozenset({Place.HELD.value, Place.CONFLICT.value, Place.EXCLUDED.value})


def page_of(statement: PayeeStatement) -> Page:
    """Write out what `statement.typ` shows, as plain JSON values; nothing of it is markup."""
    heading = statement.heading
    write = Writer(Words(heading.language), Numbers(heading.language), heading)
    words, numbers = write.words, write.numbers
    days = words("days", first=numbers.day(heading.first_day), last=numbers.day(heading.last_day))
    name = printable(statement.name) or words("nameless")
    tables = [way_table(statement, write), advances_table(statement, write), payments_table(statement, write)]
    return {
        "lang": "pt" if heading.language == "pt-BR" else "en",
        "region": "BR" if heading.language == "pt-BR" else "US",
        "title": f"{words('title')} {heading.period}",
        "running": f"{name} · {days}",
        "payer": printable(heading.payer_name),
        "payee": wrappable(statement.name) or words("nameless"),
        "tax_id": f"{words('tax_id')} {statement.tax_id_masked}",
        "facts": [
            [words("period"), days],
            [words("currency"), heading.currency],
            [words("job"), heading.job],
        ],
        "boxes": _boxes(statement, write),
        "sections": _plain([*tables, *detail_tables(statement, write)]),
        "pairs": [_plain(pair) for pair in detail_pairs(statement, write)],
        "how": {"title": words("how"), "lines": _how(statement, write)},
        "words": {key: words(key) for key in ("payee", "page", "of")},
    }


def _plain(sections: list[Section | None]) -> list[Page]:
    return [section.as_json() for section in sections if section is not None]


def _boxes(statement: PayeeStatement, write: Writer) -> list[dict[str, str]]:
    """Sum the statement up: what came in, advances, carried, and what it comes to."""
    way, figures = statement.way, list[tuple[str, int]]()
    if way is not None:
        figures = [
            ("box.earned", way.earned_cents),
            ("box.recouped", -way.recouped_cents),
            ("box.carried_in", way.carried_in_cents),
            ("box.carried_out", -(way.carried_out_cents + way.overpaid_cents)),
        ]
        if way.held_cents:
            figures.append(("box.held", -way.held_cents))
    rows = sum(one.amount_cents for one in statement.payments if one.kind == "payment")
    if rows:
        figures.append(("box.payments", rows))
    going = [one for one in statement.payments if one.place not in _NOT_PAID]
    total = sum(one.amount_cents for one in going)
    states = list(dict.fromkeys(write.words.of_place(one.place) for one in going))
    boxes = [{"name": write.words(key), "amount": write.numbers.cents(cents), "note": ""} for key, cents in figures]
    amount = f"{write.heading.currency} {write.numbers.cents(total)}"
    return [*boxes, {"name": write.words("box.total"), "amount": amount, "note": " · ".join(states[:2])}]


def _how(statement: PayeeStatement, write: Writer) -> list[str]:
    way = statement.way
    if way is None:
        return []
    facts = {
        "exact": write.numbers.exact(way.earned_exact),
        "rounded": write.numbers.cents(way.earned_cents),
        "residue": write.numbers.exact(way.residue),
    }
    return [write.words("how.order"), write.words("how.exact"), write.words("residue", **facts)]
