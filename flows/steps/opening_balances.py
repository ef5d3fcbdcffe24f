"""Opening balances: what was carried in, what was left of advances, and what was paid outside, declared by people.

They count in the period they name, so that the same file may lie beside every month's job and nothing counts twice:

* *carried* is what the named period finds carried in. Once an earlier period is posted the ledger says that, and the
  row contradicts it; and a period that is never run hands nothing on;
* *to recoup* is what was left of an advance when the named period began: from then on it stands in the place of the
  advance in the advances table, and what the ledger recouped since is taken off. An advance of which the ledger has
  recouped something before then contradicts it;
* *paid* counts as claimed. Its reference is that of a payments row; "royalties", or nothing where the payee has no
  payments row without a reference, means the payee's royalties of the period.

A row that contradicts is an error that names its cell, and its payee is held: nobody knows what they are owed. So is
the payee of a row that cannot be read.
"""

import datetime as dt
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import pandas as pd

from flows.steps.accrue import History
from flows.steps.inputs import Inputs
from flows.steps.job_identity import ROYALTIES, JobIdentity
from flows.steps.opening_contradictions import Contradiction, KnownToLedger, When, first_day, when_is
from schemas.errors import UnsoundPlan
from schemas.job import Period
from schemas.reference import normal_reference
from schemas.submission import Claim, SubmissionState
from schemas.tables.advances import Advances
from schemas.tables.frames import DataFrame, Record, records
from schemas.tables.opening import CARRIED, PAID, TO_RECOUP, Opening
from schemas.tables.row_runs import RowRuns, Run, move_rows

OTHER_PERIOD: Final = "other_period"


@dataclass(frozen=True, slots=True)
class Opened:
    """A period with its opening balances.

    Attributes:
        history: With what was declared as carried in.
        royalties_paid: Royalties paid outside, as claims without a submission.
        payments_paid: Obligation key of a payments row -> centavos paid for it outside.
        contradictions: Rows that were not taken at their word.
        in_question: Tax id -> codes, of payees whose rows have problems or contradict.
    """

    history: History
    royalties_paid: tuple[Claim, ...]
    payments_paid: Mapping[str, int]
    contradictions: tuple[Contradiction, ...]
    in_question: Mapping[str, str]


def open_balances(
    inputs: Inputs,
    period: Period,
    identity: JobIdentity,
    *,
    history: History,
    posted: Sequence[tuple[dt.date, str]],
    claims: Collection[Claim],
) -> Opened:
    """Take opening balances at their word, as far as the ledger does not contradict them.

    Args:
        inputs: All that came in.
        period: The job's.
        identity: What keys rest on.
        history: What the ledger says the period finds.
        posted: First day and label of every period posted so far, earliest first.
        claims: Live claims of this job and period.

    Raises:
        UnsoundPlan: a row has problems and does not say whose it is.
    """
    if "" in inputs.opening_problems:
        raise UnsoundPlan("an opening balance does not say whose it is: correct its CPF or CNPJ, or take the row out")
    pairs = inputs.payments[["tax_id", "reference"]].itertuples(index=False, name=None)
    rows = {(tax_id, normal_reference(reference)) for tax_id, reference in pairs}
    claimed = {one.obligation_key: one.submission_id for one in claims if one.kind == "payment"}
    ledger = KnownToLedger(period, history, tuple(posted), claimed, {identity.payment_key(*row) for row in rows})
    carried, royalties, payments = dict(history.carried_in), list[Claim](), dict[str, int]()
    contradictions = []
    for row in records(inputs.opening):
        named = _named(row, rows) if row["kind"] == PAID else None
        key = identity.payment_key(row["tax_id"], named) if named is not None else ""
        fault = ledger.contradicts(row, key)
        if fault:
            contradictions.append(fault)
        elif when_is(row, period) is not When.NOW or row["kind"] == TO_RECOUP:
            continue
        elif row["kind"] == CARRIED:
            carried[row["tax_id"]] = carried.get(row["tax_id"], 0) + row["amount_cents"]
        elif key:
            payments[key] = payments.get(key, 0) + row["amount_cents"]
        else:
            royalties.append(_claim(row, identity))
    questions = dict(inputs.opening_problems) | {one.tax_id: one.code.value for one in contradictions}
    opened = replace(history, carried_in=carried)
    return Opened(opened, tuple(royalties), payments, tuple(contradictions), questions)


def left_of_advances(advances: DataFrame[Advances], opening: DataFrame[Opening], period: Period) -> DataFrame[Advances]:
    """Put what was left of advances in the place of the advances, from the period on that a row names.

    Args:
        advances: As the advances table says.
        opening: Opening balances; of several for one advance the latest counts.
        period: The job's.
    """
    begun = [one for one in records(opening) if one["kind"] == TO_RECOUP and when_is(one, period) is not When.LATER]
    if not begun:
        return advances
    latest = dict[tuple[str, str, str], dt.date]()
    for one in begun:
        latest[_advance(one)] = max(first_day(one), latest.get(_advance(one), dt.date.min))
    left = pd.DataFrame([one for one in begun if first_day(one) == latest[_advance(one)]])
    others = [_advance(one) not in latest for one in records(advances)]
    columns = list(advances.columns)
    return DataFrame[Advances](pd.concat([advances[others], left[columns]], ignore_index=True).astype(advances.dtypes))


def of_other_periods(rows: DataFrame[RowRuns], opening: DataFrame[Opening], period: Period) -> DataFrame[RowRuns]:
    """Tell the rows of opening balances that say nothing about this period as ignored.

    Args:
        rows: Where the rows of all files went so far.
        opening: Opening balances.
        period: The job's.
    """
    silent = [
        _moved(one["file"], one["sheet"], one["row"], "ignored", OTHER_PERIOD)
        for one in records(opening)
        if when_is(one, period) is When.LATER or (when_is(one, period) is When.EARLIER and one["kind"] != TO_RECOUP)
    ]
    return move_rows(rows, silent)


def hold_contradictions(rows: DataFrame[RowRuns], contradictions: Sequence[Contradiction]) -> DataFrame[RowRuns]:
    """Tell the rows of opening balances that contradict as held."""
    return move_rows(rows, [_moved(one.file, one.sheet, one.row, "held", one.code.value) for one in contradictions])


def _moved(file: str, sheet: str, row: int, disposition: str, reason: str) -> Run:
    return Run(file, sheet, row, row, 1, disposition, reason)


def _advance(row: Record) -> tuple[str, str, str]:
    return row["tax_id"], row["reference"], row["isrc"]


def _named(row: Record, payments: Collection[tuple[str, str]]) -> str | None:
    """Return the reference of the payments row that was paid outside; None when it was royalties."""
    reference = normal_reference(row["reference"])
    known = (row["tax_id"], reference) in payments
    return row["reference"] if known or reference not in {"", ROYALTIES} else None


def _claim(row: Record, identity: JobIdentity) -> Claim:
    """Royalties paid outside: claimed, by no submission and no run."""
    base = identity.royalty_key(row["tax_id"])
    return Claim(
        obligation_key="",
        base_key=base,
        reference=ROYALTIES,
        kind="royalty",
        payee=row["tax_id"],
        amount_cents=row["amount_cents"],
        destination="",
        withheld=False,
        submission_id="",
        state=SubmissionState.PAID,
        run_id="",
        period=identity.period,
    )
