"""Messages: an id with facts, which becomes text only where somebody reads it, in that reader's language.

The texts are in `schemas/locale`, one gettext catalogue per language, by the message's id. Numbers, dates and money in
a text are facts, written as readers of the language write them.
"""

import datetime as dt
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal, localcontext
from enum import Enum
from functools import cache, lru_cache
from gettext import c2py  # the rule of plurals, as Babel reads it
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from schemas.readers import fact_shown, shown

if TYPE_CHECKING:
    from babel.messages.catalog import Catalog

_LOCALE: Final = Path(__file__).parent / "locale"
_FACT: Final = re.compile(r"\{[a-z_0-9]+\}")
_WRONG: Final = re.compile(r"issue\.([A-Z_0-9]+)\.wrong")
_MONTH: Final = re.compile(r"\d{4}-\d{2}")
_OF_DATA: Final = ("reason.", "state.")  # a value nobody has named is shown as it is


@dataclass(frozen=True, slots=True)
class Money:
    """An amount of money, as a fact of a message.

    Attributes:
        currency: ISO 4217, whose sign stands before the amount; "" writes the bare amount.
    """

    cents: int
    currency: str = ""


@dataclass(frozen=True, slots=True)
class Listed:
    """Several facts as one, on one line."""

    parts: tuple[object, ...]
    by: str = ", "

    def __str__(self) -> str:
        return render(self, "en")


class Said(str):
    """A text that a catalogue has written for its present readers: as a fact of another it is not weighed again."""

    __slots__ = ()


def as_read(text: str) -> str:
    """Return a text as whoever reads now may see it: what a catalogue wrote as it is, any other by `readers.shown`."""
    return text if isinstance(text, Said) else shown(text)


@dataclass(frozen=True, slots=True, init=False)
class Message:
    """What somebody is told: an id of the catalogues and the facts its text names.

    >>> render(Message("approval.too_few", plan="sha256:ab", given=1, wanted=2), "en")
    'plan sha256:ab has 1 of 2 approvals'
    >>> Message("review.rows_more", count=2) == Message("review.rows_more", count=2)
    True
    """

    id: str
    given: tuple[tuple[str, object], ...]

    def __init__(self, id_: str, /, **facts: object) -> None:
        object.__setattr__(self, "id", id_)
        object.__setattr__(self, "given", tuple(sorted(facts.items())))

    @property
    def facts(self) -> dict[str, object]:
        return dict(self.given)

    def __str__(self) -> str:
        return render(self, "en")


def render(message: Message | Listed | str, language: str, /, **facts: object) -> str:
    """Write a message, several on a line, or an id's text with its facts, in Portuguese ("pt-BR") or else in English.

    >>> render("cli.issues.row", "pt-BR", row=7)
    'linha 7'

    Raises:
        KeyError: there is no such text, or a fact it names is missing; a bug.
    """
    catalogue = catalogue_in(language)
    return catalogue(message, **facts) if isinstance(message, str) else catalogue.write(message)


def for_desk(note: Message | Listed) -> Message | Listed:
    """Return a note in the words it has for people at the desk, where its own name a command of the terminal.

    >>> render(for_desk(Message("cli.hold.standing", by="Ana", why="a look first")), "en")
    'sending was put on hold by Ana: a look first'
    """
    if isinstance(note, Listed):
        parts = (for_desk(part) if isinstance(part, Message | Listed) else part for part in note.parts)
        return Listed(tuple(parts), note.by)
    id_ = f"desk.note.{note.id}"
    return Message(id_, **note.facts) if id_ in catalogue_in("en") else note


def message_json(message: Message) -> dict[str, Any]:
    """Return a message as plain JSON values, for the ledger."""
    return {"id": message.id, "facts": facts_json(message.facts)}


def message_from(plain: Mapping[str, Any]) -> Message:
    """Read what `message_json` returned.

    >>> by_day = (dt.date(2026, 10, 31), Money(5, "BRL"))
    >>> told = Message("cli.open.left", count=2, days=by_day, amounts=Listed((Money(5), Decimal("1.50"))))
    >>> message_from(message_json(told)) == told
    True
    """
    return Message(plain["id"], **facts_from(plain["facts"]))


def facts_json(facts: Mapping[str, object]) -> dict[str, object]:
    """Return facts as plain JSON values."""
    return {name: fact_json(fact) for name, fact in facts.items()}


def facts_from(plain: Mapping[str, Any]) -> dict[str, Any]:
    """Read what `facts_json` returned."""
    return {name: fact_from(fact) for name, fact in plain.items()}


def fact_json(fact: object) -> object:
    """Return a fact as plain JSON values, for the ledger."""
    plain: object
    match fact:
        case Message():
            plain = message_json(fact)
        case Listed():
            plain = {"parts": [fact_json(part) for part in fact.parts], "by": fact.by}
        case tuple():
            plain = {"lines": [fact_json(part) for part in fact]}
        case Money():
            plain = {"cents": fact.cents, "currency": fact.currency}
        case Decimal():
            plain = {"decimal": str(fact)}
        case dt.datetime():
            plain = {"moment": fact.isoformat()}
        case dt.date():
            plain = {"day": fact.isoformat()}
        case str() | int() | None:
            plain = fact
        case _:
            raise TypeError(f"a fact of the kind {type(fact).__name__} is not kept")
    return plain


def fact_from(plain: Any) -> Any:  # noqa: ANN401  # whatever JSON holds
    """Read what `fact_json` returned."""
    fact = plain
    match plain:
        case {"id": str()}:
            fact = message_from(plain)
        case {"parts": parts, "by": by}:
            fact = Listed(tuple(map(fact_from, parts)), by)
        case {"lines": lines}:
            fact = tuple(map(fact_from, lines))
        case {"cents": cents, "currency": currency}:
            fact = Money(cents, currency)
        case {"decimal": digits}:
            fact = Decimal(digits)
        case {"moment": moment}:
            fact = dt.datetime.fromisoformat(moment)
        case {"day": day}:
            fact = dt.date.fromisoformat(day)
    return fact


def state_text(state: str, language: str) -> str:
    """Return the word for how a run, a submission or a rate stands; one nobody has named yet is shown as it is.

    >>> state_text("in_doubt", "pt-BR"), state_text("on_the_moon", "en")
    ('em dúvida', 'on the moon')
    """
    return catalogue_in(language)(f"state.{state}")


def currency_sign(currency: str) -> str:
    """Return how people write a currency before an amount.

    >>> currency_sign("BRL"), currency_sign("USD")
    ('R$', 'USD')
    """
    return "R$" if currency == "BRL" else currency


def period_text(label: str, language: str) -> str:
    """Write a period's label as people say it: a month by its name, days from and to; another label as it is.

    >>> period_text("2026-10", "pt-BR"), period_text("2026-10-01..2026-10-15", "pt-BR"), period_text("2026-10", "en")
    ('outubro de 2026', '01/10/2026 a 15/10/2026', 'October 2026')
    """
    from babel.dates import format_date  # noqa: PLC0415  # as below

    locale, month = ("pt_BR", "MMMM 'de' y") if language == "pt-BR" else ("en", "MMMM y")
    day = "dd/MM/yyyy" if language == "pt-BR" else "yyyy-MM-dd"
    try:
        if _MONTH.fullmatch(label):
            return Said(format_date(dt.date.fromisoformat(f"{label}-01"), month, locale=locale))
        days = [dt.date.fromisoformat(written) for written in label.split("..")]
    except ValueError:
        return label
    between = " a " if language == "pt-BR" else " to "
    return Said(between.join(str(format_date(written, day, locale=locale)) for written in days))


@cache
def catalogue_in(language: str) -> "Catalogue":
    """Return the texts of a language, "pt-BR" or, for any other, English; read once in a process."""
    from babel.messages.pofile import read_po  # noqa: PLC0415  # a tenth of a second, for programs that tell people something

    locale = "pt_BR" if language == "pt-BR" else "en"
    with (_LOCALE / f"{locale}.po").open("rb") as file:
        return Catalogue("pt-BR" if locale == "pt_BR" else "en", read_po(file, locale=locale, abort_invalid=True))


class Catalogue:
    """The texts of one language.

    >>> catalogue_in("en")("place.held"), catalogue_in("pt-BR")("place.held"), "place.moon" in catalogue_in("en")
    ('Held', 'Retido', False)
    """

    def __init__(self, language: str, catalog: "Catalog") -> None:
        self.language = language
        self._locale = str(catalog.locale)
        self._plural: Callable[[Any], int] = c2py(catalog.plural_expr)
        self._texts: dict[str, Any] = {  # a text, or those of each grammatical number
            entry.id if isinstance(entry.id, str) else entry.id[0]: entry.string for entry in catalog if entry.id
        }
        for id_ in list(self._texts):  # what is wrong with one cell, said of many, is their reason
            if wrong := _WRONG.fullmatch(id_):
                self._texts.setdefault(f"reason.{wrong[1]}", _FACT.sub("…", self.template(id_)))

    def __contains__(self, id_: object) -> bool:
        return id_ in self._texts

    def __call__(self, id_: str, /, **facts: object) -> str:
        """Return a text, its facts filled in.

        Raises:
            KeyError: there is no such text, or it wants a fact that was not given; a bug.
        """
        given = _Lenient(facts) if id_.startswith("issue.") else facts
        is_named = id_ in self._texts or not id_.startswith(_OF_DATA)
        text = self._texts[id_] if is_named else _as_it_is(id_)
        if not isinstance(text, str):
            text = text[self._plural(count) if isinstance(count := given["count"], int) else -1]
        written = {name: self._write_fact(id_, name, fact) for name, fact in given.items()}
        return Said(text.format_map(written if given is facts else _Lenient(written)))

    def write(self, message: Message | Listed) -> str:
        if isinstance(message, Message):
            return self(message.id, **message.facts)
        return str(self._write_fact("", "", message))

    def of_value(self, family: str, value: str) -> str:
        """Return the text of a value that comes from data; one nobody has named yet is shown as it is.

        >>> catalogue_in("en").of_value("place", "in_doubt"), catalogue_in("en").of_value("reason", "as a_b.xlsx says")
        ('In doubt', 'as a_b.xlsx says')
        """
        return self(f"{family}.{value}") if f"{family}.{value}" in self else shown(value)

    def template(self, id_: str) -> str:
        """Return a text with the names of its facts in braces; the plural of one that counts."""
        text = self._texts[id_]
        return text if isinstance(text, str) else str(text[-1])

    def _write_fact(self, id_: str, name: str, fact: object) -> object:
        match fact:
            case Message():
                return self.write(fact)
            case tuple():
                return self._write_listed(id_, name, Listed(fact, "\n  "))
            case Listed():
                return self._write_listed(id_, name, fact)
            case Money() | Decimal() | dt.date():
                return self._write_typed(fact)
            case int() if name == "count":
                return self._write_typed(Decimal(fact))
        return fact if isinstance(fact, int | Said | Enum | None) else self._write_text(id_, name, str(fact))

    def _write_listed(self, id_: str, name: str, listed: Listed) -> str:
        return Said(listed.by.join(str(self._write_fact(id_, name, part)) for part in listed.parts))

    def _write_text(self, id_: str, name: str, text: str) -> str:
        return currency_sign(text) if name == "currency" else fact_shown(id_, name, text)

    def _write_typed(self, fact: Money | Decimal | dt.date) -> str:
        from babel.dates import format_date, format_datetime  # noqa: PLC0415  # as above

        match fact:
            case Money():
                return f"{currency_sign(fact.currency)} {self._write_typed(Decimal(fact.cents).scaleb(-2))}".lstrip()
            case Decimal():
                return _decimal_text(str(fact), self._locale)
            case dt.datetime():
                pattern = "dd/MM/yyyy HH:mm" if self.language == "pt-BR" else "yyyy-MM-dd HH:mm"
                return format_datetime(fact, pattern, locale=self._locale)
            case _:
                pattern = "dd/MM/yyyy" if self.language == "pt-BR" else "yyyy-MM-dd"
                return format_date(fact, pattern, locale=self._locale)


@lru_cache(maxsize=20_000)  # of a file with a problem in each row the same small numbers are written again and again
def _decimal_text(digits: str, locale: str) -> str:
    """Write a number as readers of a locale do, with the decimals it has; equal numbers may have others."""
    from babel.numbers import format_decimal  # noqa: PLC0415  # as above

    number = Decimal(digits)
    decimals = max(0, -int(number.as_tuple().exponent))
    pattern = f"#,##0.{'0' * decimals}".rstrip(".")
    with localcontext(prec=200):  # as many digits as a statement can write
        return format_decimal(number, pattern, locale=locale)


def _as_it_is(id_: str) -> str:
    family, _, value = id_.partition(".")
    value = shown(value)
    return (value.replace("_", " ") if family == "state" else value).replace("{", "{{").replace("}", "}}")


class _Lenient(dict[str, Any]):
    """Facts of an issue; one that nobody gave reads "?", since telling of a problem must never fail."""

    def __missing__(self, key: str) -> str:
        return "?"
