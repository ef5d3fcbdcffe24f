"""Opening balances as carried in and paid outside, and rows that contradict ledger or payments."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from flows.intake.rules.inputs import Inputs, When, _moved, first_day, when_is
from flows.royalties.rules.balances import History
from flows.royalties.rules.recoupment import advance_reference
from schemas.errors import UnsoundPlan
from schemas.issues import IssueCode
from schemas.job import Period
from schemas.messages import Message
from schemas.parsing.row_accounting import RowRuns, move_rows
from schemas.plan import ROYALTIES, JobIdentity
from schemas.submission import Claim, SubmissionState
from schemas.tables.model import DataFrame, Record, records
from schemas.tables.payees import CARRIED, PAID, TO_RECOUP
from schemas.values.names import normal_reference

# Code, column at fault, and what the message names.
_Fault = tuple[IssueCode, str, str]


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A row of the opening balances that cannot be taken at its word."""

    code: IssueCode
    file: str
    sheet: str
    row: int
    column: str
    tax_id: str
    found: str


@dataclass(frozen=True, slots=True)
class KnownToLedger:
    """What opening balances may contradict.

    Attributes:
        claimed: Obligation key of a payments row -> the submission that claims it.
    """

    period: Period
    history: History
    claimed: Mapping[str, str]
    payments: Collection[str]

    def contradicts(self, row: Record, key: str) -> Contradiction | None:
        """Say what is wrong with a row; `key` names the payments row that it says was paid outside."""
        found = {CARRIED: self._carried, TO_RECOUP: self._to_recoup}.get(row["kind"], self._paid)(row, key)
        if found is None:
            return None
        code, column, message = found
        return Contradiction(code, row["file"], row["sheet"], row["row"], column, row["tax_id"], message)

    def _before(self) -> str:
        """Label of the latest period posted before this one; "" when there is none."""
        return next((label for start, label in reversed(self.history.journal.periods) if start < self.period.start), "")

    def _carried(self, row: Record, _key: str) -> _Fault | None:
        when = when_is(row, self.period)
        if when is When.NOW and self._before():
            return IssueCode.OPENING_LEDGER, "period", self._before()
        day, posted = first_day(row), self.history.journal.periods
        never_run = not any(start == day or label == f"{day:%Y-%m}" for start, label in posted)
        if when is When.EARLIER and never_run:
            return IssueCode.OPENING_PERIOD, "period", posted[0][1] if posted else self.period.label
        return None

    def _to_recoup(self, row: Record, _key: str) -> _Fault | None:
        name = advance_reference(row["reference"], row["scope"])
        recouped = self.history.recouped.get((row["tax_id"], name), 0)
        if recouped and self._before() and when_is(row, self.period) is When.NOW:
            return IssueCode.OPENING_LEDGER, "amount", self._before()
        return None

    def _paid(self, row: Record, key: str) -> _Fault | None:
        if when_is(row, self.period) is not When.NOW or not key:
            return None
        if key in self.claimed:
            return IssueCode.OPENING_LEDGER, "reference", self.claimed[key]
        return None if key in self.payments else (IssueCode.OPENING_PAYMENT, "reference", row["reference"])


@dataclass(frozen=True, slots=True)
class Opened:
    """A period with its opening balances.

    Attributes:
        payments_paid: Obligation key of a payments row -> centavos paid for it outside.
        said_paid: Payee and reference -> centavos of every row of the period that says what was paid outside; nothing
            where it says that nothing was after all.
        in_question: Tax id -> codes, of payees whose rows have problems or contradict.
    """

    history: History
    royalties_paid: tuple[Claim, ...]
    payments_paid: Mapping[str, int]
    said_paid: Mapping[tuple[str, str], int]
    contradictions: tuple[Contradiction, ...]
    in_question: Mapping[str, str]


def open_balances(
    inputs: Inputs,
    period: Period,
    identity: JobIdentity,
    *,
    history: History,
    claims: Collection[Claim],
) -> Opened:
    """Take opening balances at their word, as far as the ledger does not contradict them.

    Raises:
        UnsoundPlan: a row has problems and does not say whose it is.
    """
    if "" in inputs.opening_problems:
        raise UnsoundPlan(Message("error.opening_of_nobody"))
    pairs = inputs.payments[["tax_id", "reference"]].itertuples(index=False, name=None)
    rows = {(tax_id, normal_reference(reference)) for tax_id, reference in pairs}
    claimed = {claim.obligation_key: claim.submission_id for claim in claims if claim.kind == "payment"}
    ledger = KnownToLedger(period, history, claimed, {identity.payment_key(*row) for row in rows})
    carried, royalties, payments = dict(history.carried_in), list[Claim](), dict[str, int]()
    contradictions, stated = [], dict[tuple[str, str], int]()
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
        else:
            what = row["tax_id"], normal_reference(ROYALTIES if named is None else named)
            stated[what] = stated.get(what, 0) + row["amount_cents"]
            if key and row["amount_cents"]:
                payments[key] = payments.get(key, 0) + row["amount_cents"]
            elif row["amount_cents"]:
                royalties.append(_claim(row, identity))
    questions = dict(inputs.opening_problems) | {
        contradiction.tax_id: contradiction.code.value for contradiction in contradictions
    }
    opened = replace(history, carried_in=carried)
    return Opened(opened, tuple(royalties), payments, stated, tuple(contradictions), questions)


def hold_contradictions(rows: DataFrame[RowRuns], contradictions: Sequence[Contradiction]) -> DataFrame[RowRuns]:
    """Tell the rows of opening balances that contradict as held."""
    return move_rows(
        rows,
        [
            _moved(contradiction.file, contradiction.sheet, contradiction.row, "held", contradiction.code.value)
            for contradiction in contradictions
        ],
    )


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
