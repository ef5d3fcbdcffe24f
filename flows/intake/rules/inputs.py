"""Inputs: the sound rows of every table, what was held back, and what came in."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction

import pandas as pd

from flows.intake.rules.sum_lines import sum_up
from schemas.issues import Issue
from schemas.messages import Message
from schemas.payee_statement import Quote
from schemas.statement_sketches import NO_SKETCHES, Account, Sketches
from schemas.tables.advances import Advances
from schemas.tables.contract import DataFrame
from schemas.tables.invoices import Invoices
from schemas.tables.line_sums import LineTotals
from schemas.tables.opening import Opening
from schemas.tables.parsing import empty_table
from schemas.tables.payees import Payees
from schemas.tables.payments import Payments
from schemas.tables.row_accounting import ASSET_NAMES, PAYEE_NAMES, RowRuns
from schemas.tables.royalty_lines import RoyaltyLines
from schemas.tables.shares import Shares
from schemas.tables.taxes import Taxes
from schemas.values.money import round_half_even_cents


def readable_cents(amount: Decimal | None) -> int:
    """Centavos that a payments row with problems stands for: what can be read of it, never less than nothing.

    >>> readable_cents(Decimal("12.345")), readable_cents(Decimal(-5)), readable_cents(None)
    (1234, 0, 0)
    """
    return max(0, int((amount or Decimal(0)) * 100))


@dataclass(frozen=True, slots=True)
class Statement:
    """The royalty lines of one source, and what its currencies are worth.

    Attributes:
        totals: What the sound lines of all files of the source add up to.
        held: Lines with problems, each or added up: file, sheet, row (the first), `tax_id`, amount (exact or None),
            currency, codes.
        rates: Currency -> worth of one unit in the job's currency; the job's own is 1.
        received: Currency -> what the bank got for it; empty where the job does not say.
        quotes: The rates with their days and who says so, of the source's exchange or of the table of rates.
    """

    totals: LineTotals
    held: pd.DataFrame
    rates: Mapping[str, Decimal]
    received: Mapping[str, Decimal] = field(default_factory=dict)
    quotes: tuple[Quote, ...] = ()

    @property
    def files(self) -> frozenset[str]:
        """Names of the files it has lines of."""
        return frozenset({*self.totals.by_platform["file"], *self.held["file"]})


@dataclass(frozen=True, slots=True)
class UsedFile:
    """A file that was read, so that last month's can be recognised whatever it is called now.

    Attributes:
        source: Name of the layout it was read with.
        name: Base name.
        file_sha256: Identity of its bytes.
        content_sha256: Identity of its canonical rows.
        stands_for: Names of the files whose corrections it is.
        sketches: Which royalty lines it holds; what is held of them is left out once the inputs are judged.
        accounts: What they add up to, by currency and month; empty until the inputs are judged.
        lines: Reads all its royalty lines once more, one by one; None for a file of more than are kept.
    """

    source: str
    name: str
    file_sha256: str
    content_sha256: str
    stands_for: frozenset[str] = frozenset()
    sketches: Sketches = NO_SKETCHES
    accounts: tuple[Account, ...] = ()
    lines: Callable[[], DataFrame[RoyaltyLines]] | None = field(default=None, repr=False)

    @property
    def names(self) -> frozenset[str]:
        """What it is called, and what it stands for."""
        return self.stands_for | {self.name}


def in_question(held: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """Return what held shares are shares of, see `Inputs.shares_in_question`."""
    nothing = pd.DataFrame({name: pd.Series(dtype="str") for name in ASSET_NAMES})
    frames = [nothing.assign(asset_read=pd.Series(dtype="bool")), *(frame for frame in held if len(frame))]
    return pd.concat(frames, ignore_index=True)[[*ASSET_NAMES, "asset_read"]].astype({"asset_read": "bool"})


@dataclass(frozen=True, slots=True)
class Inputs:
    """All that came in.

    Attributes:
        payments: Sound payments rows.
        held_payments: Payments rows with problems, shaped as `Statement.held`, and what could be read of whose they
            are: name, email, `artist_name`, reference.
        statements: One per source of royalty lines.
        payees: Sound payees.
        payee_problems: Tax id -> codes, of payees whose row has problems.
        held_payees: What can be read of whose these rows are: `tax_id` and `PAYEE_NAMES`.
        shares: Sound shares.
        advances: Sound advances; of those with an opening balance, what was left of them.
        opening: Sound opening balances.
        opening_problems: Tax id -> codes, of opening balances with problems; "" where it cannot be read whose it is.
        advance_problems: Tax id -> codes, of advances with problems; "" where it cannot be read whose it is.
        shares_in_question: Shares with problems: isrc, upc, release, artist; `asset_read`: whether those can be read.
        taxes: Sound taxes to withhold.
        tax_problems: Tax id -> codes, of taxes with problems; "" where it cannot be read whose it is.
        invoices: Sound invoices of payees.
        unread_money: Names of files of the sources in which money is that nothing reads.
        rows: Where the rows of each file went so far, in runs.
        files: Files of the sources.
        issues: All problems of all files.
        decisions: What was decided while reading, one line per file.
    """

    payments: DataFrame[Payments]
    held_payments: pd.DataFrame
    statements: tuple[Statement, ...]
    payees: DataFrame[Payees]
    payee_problems: Mapping[str, str]
    shares: DataFrame[Shares]
    advances: DataFrame[Advances]
    rows: DataFrame[RowRuns]
    files: tuple[UsedFile, ...]
    issues: tuple[Issue, ...]
    decisions: tuple[Message, ...]
    opening: DataFrame[Opening] = field(default_factory=lambda: DataFrame[Opening](empty_table("opening")))
    opening_problems: Mapping[str, str] = field(default_factory=dict)
    advance_problems: Mapping[str, str] = field(default_factory=dict)
    unread_money: frozenset[str] = frozenset()
    taxes: DataFrame[Taxes] = field(default_factory=lambda: DataFrame[Taxes](empty_table("taxes")))
    tax_problems: Mapping[str, str] = field(default_factory=dict)
    invoices: DataFrame[Invoices] = field(default_factory=lambda: DataFrame[Invoices](empty_table("invoices")))
    shares_in_question: pd.DataFrame = field(default_factory=lambda: in_question(()))
    held_payees: pd.DataFrame = field(
        default_factory=lambda: pd.DataFrame(columns=["tax_id", *PAYEE_NAMES], dtype="str")
    )


def input_totals(inputs: Inputs, carried_in: Mapping[str, int]) -> int:
    """Count the centavos a run answers for: payments rows, statements in the job's currency, and what was carried in.

    Counted without shares, advances or batches, so that a mistake in any of them shows as a sum that does not close.
    """
    payments = int(inputs.payments["amount_cents"].sum()) + int(inputs.payments["owner_amount_cents"].sum())
    held = sum(readable_cents(amount) for amount in inputs.held_payments["amount"])
    lines = round_half_even_cents(sum((worth_cents(statement) for statement in inputs.statements), Fraction(0)))
    return payments + held + lines + sum(carried_in.values())


def worth_cents(statement: Statement) -> Fraction:
    """Sum a statement's lines, sound and held, in exact centavos of the job's currency.

    By territory, while they are shared out by platform: sums made apart from each other prove each other.
    """
    sums: dict[str, Fraction] = defaultdict(Fraction)
    for total in sum_up(statement.totals.by_territory, ["currency"]):
        sums[str(total["currency"])] += Fraction(str(total["amount"]))
    for amount, currency in zip(statement.held["amount"], statement.held["currency"], strict=True):
        sums[currency] += Fraction(amount or 0)
    return sum((total * Fraction(statement.rates.get(name, 0)) for name, total in sums.items()), Fraction(0)) * 100
