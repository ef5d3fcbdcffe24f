"""From earnings to what is payable: advances recouped, carry-over from earlier periods, and the minimum.

Order, as the workbook prints it: earned -> advances recouped, oldest first -> carried in -> minimum -> payable. All in
whole centavos; a payee who cannot be paid for now keeps everything as held, and nothing of theirs is posted. Who is
owed nothing, or owes, is not held but carried: a debt is not forgotten because its payee has left the payees table.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import pandas as pd

from flows.steps.allocate import RoundedEarnings
from schemas.tables.advances import Advances
from schemas.tables.frames import DataFrame
from schemas.tables.obligations import PayeeBalances


@dataclass(frozen=True, slots=True)
class Posting:
    """What a period leaves in the ledger for later ones.

    Attributes:
        payee: Tax id.
        kind: recouped (of an advance) or carried (into the next period; negative when owed back).
        reference: Reference of the advance; "" for carried.
        amount_cents: How much.
    """

    payee: str
    kind: Literal["recouped", "carried"]
    reference: str
    amount_cents: int


@dataclass(frozen=True, slots=True)
class Closed:
    """What stands of a period after which another was posted.

    Attributes:
        left: (payee, kind, reference) -> centavos that it left, with what changed since it was closed.
        recouped: (payee, advance reference) -> centavos recouped by all periods, later ones too.
    """

    left: Mapping[tuple[str, str, str], int]
    recouped: Mapping[tuple[str, str], int]


@dataclass(frozen=True, slots=True)
class History:
    """What a period finds when it begins, whenever it is run.

    Attributes:
        carried_in: Payee -> centavos carried out of the latest earlier period, or declared as an opening balance.
        recouped: (payee, advance reference) -> centavos recouped by earlier periods.
        closed: What stands of the period itself, once a later one has been posted; None while it is open.
    """

    carried_in: Mapping[str, int]
    recouped: Mapping[tuple[str, str], int]
    closed: Closed | None = None


@dataclass(frozen=True, slots=True)
class AccrualRules:
    """The job's words on advances and minimum."""

    minimum_payout_cents: int
    recoup_advances: bool


def advance_reference(reference: str, isrc: str) -> str:
    """Name an advance within its payee: the same reference on two recordings is two advances."""
    return f"{reference}|{isrc}" if isrc else reference


def accrue(
    rounded: RoundedEarnings,
    linked: Mapping[tuple[str, str], Fraction],
    advances: DataFrame[Advances],
    history: History,
    rules: AccrualRules,
    names: Mapping[str, str],
    held: Collection[str],
) -> tuple[DataFrame[PayeeBalances], list[Posting]]:
    """Work out each payee's balance.

    Args:
        rounded: Earnings in centavos.
        linked: (payee, ISRC) -> exact centavos earned from that recording; caps advances linked to it.
        advances: Advances paid earlier.
        history: Carry-over and recoupment of other periods.
        rules: Minimum and whether advances are recouped.
        names: Payee -> name, for people.
        held: Payees who cannot be paid for now.

    Returns:
        One balance per payee with earnings or carry-over, in order of tax id; and the postings to make.
    """
    rows, postings = [], []
    for payee in sorted({*rounded.payees, *history.carried_in}):
        earned, carried_in = rounded.payees.get(payee, 0), history.carried_in.get(payee, 0)
        if payee in held and earned + carried_in > 0:
            rows.append((payee, names.get(payee, ""), earned, 0, carried_in, 0, earned + carried_in, 0))
            continue
        recoupments = recoup(payee, earned, linked, advances, history.recouped) if rules.recoup_advances else []
        recouped = sum(posting.amount_cents for posting in recoupments)
        net = earned - recouped + carried_in
        payable = net if net > 0 and net >= rules.minimum_payout_cents else 0
        postings += recoupments
        if net != payable:
            postings.append(Posting(payee, "carried", "", net - payable))
        rows.append((payee, names.get(payee, ""), earned, recouped, carried_in, net - payable, 0, payable))
    return balances_frame(pd.DataFrame(rows, columns=list(PayeeBalances.to_schema().columns))), postings


def balances_frame(rows: pd.DataFrame) -> DataFrame[PayeeBalances]:
    """Give the columns of balances their types, and check that they keep the table's promise."""
    types = {name: "int64" if name.endswith("_cents") else "str" for name in rows.columns}
    return DataFrame[PayeeBalances](rows.astype(types))


def recoup(
    payee: str,
    earned: int,
    linked: Mapping[tuple[str, str], Fraction],
    advances: pd.DataFrame,
    recouped: Mapping[tuple[str, str], int],
) -> list[Posting]:
    """Take outstanding advances out of positive earnings, oldest first; linked ones only from their recording.

    Args:
        payee: Whose.
        earned: Centavos that may be taken at most; nothing is taken out of less than nothing.
        linked: (payee, ISRC) -> exact centavos of the recording that may be taken at most.
        advances: `schemas.tables.advances.Advances`; one that is not listed any more is not recouped any further.
        recouped: (payee, advance reference) -> what has been recouped already.
    """
    left, left_of = max(earned, 0), dict[str, int]()
    postings = []
    own = advances[advances["tax_id"] == payee].sort_values(["date", "reference", "isrc", "row"])
    paid: dict[tuple[str, str], int] = {}
    for reference, isrc, cents in own[["reference", "isrc", "amount_cents"]].itertuples(index=False, name=None):
        paid[reference, isrc] = paid.get((reference, isrc), 0) + cents
    for (reference, isrc), advanced in paid.items():
        name = advance_reference(reference, isrc)
        outstanding = advanced - recouped.get((payee, name), 0)
        limit = left
        if isrc:
            limit = min(left, left_of.setdefault(isrc, max(0, int(linked.get((payee, isrc), Fraction(0)) // 1))))
        taken = max(0, min(outstanding, limit))
        if taken:
            left -= taken
            if isrc:
                left_of[isrc] -= taken
            postings.append(Posting(payee, "recouped", name, taken))
    return postings
