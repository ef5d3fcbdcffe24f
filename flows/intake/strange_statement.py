"""A statement that no layout reads: its columns are summed up, and what came in says which of them is the money."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Final

from flows.intake.examine import all_layouts
from io_adapters.spreadsheets.reading import open_file
from schemas.layouts.drafting import Guess, KnownMoney, draft_layout, guess_table
from schemas.layouts.headers import match_headers
from schemas.layouts.layout import Layout, fold
from schemas.layouts.recognise import Fit
from schemas.messages import Listed, Message, Money
from schemas.parsing.column_sums import ColumnSum, figures_in, nearest, sum_columns, which_came_in, which_is_stated
from schemas.raw_table import joined
from schemas.sheet_cells import View
from schemas.values.money import round_half_even_cents

NOTHING_RECEIVED: Final[Mapping[str, str]] = {}


@dataclass(frozen=True, slots=True)
class StrangeStatement:
    """What is known of a file before anybody has said how to read it.

    Attributes:
        sums: Of its columns of numbers; none, where it has no table of lines.
        figures: Amounts that stand apart from its lines, in centavos.
    """

    views: Sequence[View]
    known: Sequence[Layout]
    guess: Guess | None
    sums: tuple[ColumnSum, ...]
    figures: frozenset[int]

    @property
    def currencies(self) -> tuple[str, ...]:
        return tuple(sorted({currency for found in self.sums for currency in found.cents} - {""}))

    @property
    def headers(self) -> tuple[str, ...]:
        """Headers of the columns that may be the money."""
        return tuple(dict.fromkeys(found.header for found in self.sums))

    def shown_sums(self, received: Mapping[str, str] = NOTHING_RECEIVED) -> Listed:
        """Say what each column comes to, and the rate at which it would be what came in in another currency."""
        return Listed(tuple(_shown(found, _cents(received)) for found in self.sums), "; ")

    def money(self, received: Mapping[str, str] = NOTHING_RECEIVED, said: str = "") -> KnownMoney | None:
        """Return the column that is the money: the one that people name, or whose sum came in or is stated.

        Args:
            received: Currency -> what the bank got, as `schemas.job_draft.received_as_typed` has it.
            said: The header that people name; "" where they name none.
        """
        currency = next(iter(received), "") if len(received) == 1 else ""
        cents = _cents(received)

        def known(found: ColumnSum | None, why: str) -> KnownMoney | None:
            if found is None:
                return None
            is_it = which_came_in([found], cents) or nearest([found], cents)  # else it may have been exchanged
            unsaid = currency if set(found.cents) == {""} and is_it else ""
            return KnownMoney(found.position, found.mark, unsaid, Message(why, amount=found.amounts))

        if said:
            return known(
                next((column for column in self.sums if fold(column.header) == fold(said)), None), "draft.said"
            )
        if cents:
            return known(which_came_in(self.sums, cents), "draft.came_in")
        if found := which_is_stated(self.sums, self.figures):
            return known(found, "draft.stated")
        ends = [column for column in self.sums if column.is_end]
        by_words = self.guess is not None and "amount" in self.guess.columns
        return known(ends[0], "draft.made_up") if len(ends) == 1 and not by_words else None

    def nearest(self, received: Mapping[str, str]) -> tuple[str, Message] | None:
        """Return the column that comes to a little more than what came in, and how much: the bank's costs, perhaps."""
        found = nearest(self.sums, _cents(received))
        if found is None:
            return None
        (currency,) = received
        more = Money(found.cents, currency)
        amount = Money(sum(found.column.cents.values()), currency)
        return found.column.header, Message("new.nearest", column=found.column.header, amount=amount, more=more)

    def agrees(self, money: KnownMoney | None, received: Mapping[str, str]) -> bool:
        """Tell whether what came in is the sum of a column, so that the job may say so."""
        columns = [
            found for found in self.sums if money and (found.position, found.mark) == (money.position, money.mark)
        ]
        return which_came_in(columns, _cents(received)) is not None

    def header_of(self, money: KnownMoney | None) -> str:
        return next((found.header for found in self.sums if money and found.position == money.position), "")

    def draft(self, name: str, language: str, money: KnownMoney | None) -> str:
        return draft_layout(self.views, self.known, name, language=language, money=money)


def _shown(found: ColumnSum, received: Mapping[str, int]) -> Message:
    others = received.keys() - found.cents.keys()
    (cents,) = found.cents.values() if len(found.cents) == 1 else (0,)
    if len(received) != 1 or not others or cents <= 0:
        return Message("new.sum_of_column", column=found.header, amount=found.amounts)
    ((currency, came_in),) = received.items()
    rate = (Decimal(came_in) / cents).quantize(_OF_A_RATE)
    facts = {"column": found.header, "amount": found.amounts, "rate": rate, "currency": currency}
    return Message("new.sum_exchanged", **facts)


_OF_A_RATE: Final = Decimal("0.0001")


def _cents(received: Mapping[str, str]) -> dict[str, int]:
    return {currency: round_half_even_cents(Fraction(amount) * 100) for currency, amount in received.items()}


def read_strange(path: Path) -> StrangeStatement:
    """Open a file that no layout reads, and sum up its columns.

    Raises:
        UnreadableFile: it cannot be read.
    """
    known = all_layouts()
    with open_file(str(path)) as file:
        views = list(file.views)
        guess = guess_table(views, known)
        if guess is None or guess.table != "royalty_lines":
            return StrangeStatement(views, known, guess, (), frozenset())
        layout = Layout(layout="strange", title="", table="royalty_lines", columns={}, header_row=guess.header.row)
        fit = Fit(layout, guess.view, guess.header, match_headers(guess.header.texts, layout))
        sums = tuple(sum_columns(joined(list(file.blocks(fit)))))
    apart = [row.texts for view in views if view != guess.view and view.sheet is not None for row in view.head]
    apart += [row.texts for row in guess.view.head if row.row < guess.header.row]
    return StrangeStatement(views, known, guess, sums, figures_in(text for texts in apart for text in texts))
