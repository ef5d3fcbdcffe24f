"""Where each obligation and row of a run is: reported against recorded against planned, every centavo and row once."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType

from flows.reports.rules.judge_report import held_nothing
from schemas.approval import Decision, DecisionKind
from schemas.errors import BrokenInvariant
from schemas.obligation import Obligation, Obligations, sum_cents
from schemas.parsing.row_accounting import RowRun, RowRuns, move_rows
from schemas.plan import LESS_TAX, TAX_WITHHELD, Inferred, Place
from schemas.reasons import as_decided, because, reasons_json
from schemas.reconciliation import RowCounts, Totals
from schemas.submission import UNTOLD, Submission, SubmissionState
from schemas.tables.model import DataFrame
from schemas.values.money import SignedSums
from schemas.wire import SplitReport, cents_of

S = SubmissionState
_PLACES = {
    S.PLANNED: Place.PLANNED,
    S.APPROVED: Place.PLANNED,
    S.WITHDRAWN: Place.PLANNED,
    S.SENDING: Place.IN_DOUBT,
    S.IN_DOUBT: Place.IN_DOUBT,
    S.ABSENT: Place.IN_DOUBT,
    S.NOT_SENT: Place.NOT_SENT,
    S.ACCEPTED: Place.PROCESSING,
    S.PROCESSING: Place.PROCESSING,
    S.PAID: Place.PAID,
    S.PARTIAL: Place.UNDETERMINED,
    S.FAILED: Place.FAILED,
    S.EXCLUDED: Place.EXCLUDED,
    S.REFUSED: Place.REFUSED,
}
# What people say a report did that ended without telling whom it paid.
_DECIDED = {DecisionKind.PAY: Place.FAILED, DecisionKind.PAID: Place.PAID, DecisionKind.DROP: Place.EXCLUDED}


def place_of(obligation: Obligation, submission: Submission, run_id: str, decided: DecisionKind | None = None) -> Place:
    """Say where an obligation is, from the submission that claims it and what people have decided.

    What an earlier run paid or has in processing is a duplicate here; everything else is told as it stands, whatever
    run it was sent by. People's words count where the report itself does not tell.
    """
    if is_duplicate(submission, run_id):
        return Place.DUPLICATE
    place = _PLACES[submission.state]
    if decided is not None and submission.state in UNTOLD:
        place = _DECIDED[decided]
    if place is Place.PAID and submission.run_id != run_id:
        return Place.DUPLICATE
    if place is Place.PAID and obligation.kind == "owner":
        return Place.OWNER
    if place is Place.PAID and obligation.withhold:
        return Place.WITHHELD
    return place


def place_now(obligation: Obligation, submission: Submission | None, decided: Decision | None) -> Place:
    """Say where an obligation is by now, whichever run sent it: paid is paid, also by an earlier one.

    Args:
        decided: The last word on what that report did for it.
    """
    if obligation.place is not Place.CONFLICT and submission is not None:
        return place_of(obligation, submission, submission.run_id, decided.kind if decided else None)
    unclaimed = obligation.place is Place.PLANNED and obligation.kind == "owner"
    return Place.OWNER if unclaimed else obligation.place


def is_duplicate(submission: Submission, run_id: str) -> bool:
    """Whether an earlier run has paid it, or has it in processing."""
    return submission.run_id != run_id and _PLACES[submission.state] in {Place.PAID, Place.PROCESSING}


def with_what_was_kept(obligation: Obligation, submission: Submission, report: SplitReport | None) -> list[Obligation]:
    """Tell a paid sum as what the report says of it: less the tax, or paid although people asked to hold it back.

    Returns:
        The obligation; where the report is of this one payment, the net and the tax apart, since only then is the net
        known. Of a tax as large as the payment, nothing is paid.
    """
    if report is None or submission.state is not S.PAID:
        return [obligation]
    if obligation.place is Place.WITHHELD and held_nothing(report):
        obligation = replace(obligation, place=Place.PAID)
    tax_cents = cents_of(report.irAmount) if report.irAmount is not None else 0
    if obligation.place is not Place.PAID or not tax_cents:
        return [obligation]
    net_cents = obligation.amount_cents - tax_cents
    is_alone = submission.payments == 1 and not submission.owner_cents and net_cents >= 0 and tax_cents > 0
    less_tax = replace(obligation, reasons=because(LESS_TAX))
    if not is_alone or (report.paidAmount is not None and cents_of(report.paidAmount) != net_cents):
        return [less_tax]
    tax = replace(obligation, amount_cents=tax_cents, place=Place.INCOME_TAX, reasons=because(TAX_WITHHELD))
    return [replace(less_tax, amount_cents=net_cents), tax] if net_cents else [tax]


def reconcile(
    obligations: Iterable[Obligation],
    submissions: Mapping[str, Submission],
    run_id: str,
    *,
    reports: Mapping[str, SplitReport] = MappingProxyType({}),
    decisions: Mapping[tuple[str, str], Decision] = MappingProxyType({}),
    inferred: Mapping[tuple[str, str], Inferred] = MappingProxyType({}),
    planned_owner: bool = False,
) -> Obligations:
    """Give every claimed obligation the place its submission has reached; conflicts stay conflicts.

    The owner's part that no report carries stays with the owner, unless batches that would carry it are only a draft.

    Args:
        submissions: By id, those that claim any of them.
        reports: Last report of each submission, by submission id.
        decisions: (Obligation key, submission id) -> the last word on what that report did for it.
        inferred: (Obligation key, submission id) -> what the figures of a partial report leave no doubt about.
        planned_owner: Whether the owner's part is only a draft.
    """
    placed = list[Obligation]()
    for obligation in obligations:
        submission = submissions.get(obligation.submission_id)
        if submission is not None and obligation.place is not Place.CONFLICT:
            decided = decisions.get((obligation.key, submission.id))
            known = because("submission", said=submission.reason) if submission.reason else obligation.reasons
            place, reasons = (
                place_of(obligation, submission, run_id, decided.kind if decided else None),
                as_decided(decided) if decided else known,
            )
            if place is Place.UNDETERMINED and (reported := inferred.get((obligation.key, submission.id))):
                reasons = (*because(reported.value), *reasons)
            here = replace(obligation, place=place, reasons=reasons)
            placed += with_what_was_kept(here, submission, reports.get(submission.id))
        elif obligation.kind == "owner" and obligation.place is Place.PLANNED and not planned_owner:
            placed.append(replace(obligation, place=Place.OWNER))
        else:
            placed.append(obligation)
    return tuple(placed)


def total_up(
    obligations: Obligations,
    in_cents: int,
    submissions: Mapping[str, Submission],
    reports: Mapping[str, SplitReport],
    run_id: str,
) -> Totals:
    """Add up by place, move what the reports say was taxed out of paid, and check the sum.

    Args:
        obligations: After `reconcile`.
        in_cents: What came in, carried in included, counted on its own way.
        reports: Last report of each submission, by submission id.

    Raises:
        BrokenInvariant: the places do not make up what came in.
    """
    sums = SignedSums[str]()
    for obligation in obligations:
        sums[obligation.place.value] += obligation.amount_cents
    for submission in submissions.values():
        report = reports.get(submission.id)
        if report is not None and submission.state is S.PAID and submission.run_id == run_id:
            _move_tax(sums, obligations, submission, report)
    totals = Totals.model_validate({"in": in_cents} | dict(sums))
    if totals.placed() != in_cents:
        raise BrokenInvariant(f"the run does not add up: {in_cents} centavos came in, {totals.placed()} have a place")
    return totals


def _move_tax(sums: SignedSums[str], obligations: Obligations, submission: Submission, report: SplitReport) -> None:
    """Take out of paid what a report of several payments kept of them; of which is not known."""
    if report.irAmount is not None:
        taxed = (
            obligation
            for obligation in obligations
            if obligation.submission_id == submission.id and obligation.place is Place.INCOME_TAX
        )
        more = cents_of(report.irAmount) - sum_cents(taxed)
        sums[Place.PAID.value] -= more
        sums[Place.INCOME_TAX.value] += more


def count_rows(rows: DataFrame[RowRuns]) -> RowCounts:
    """Count where each input row went, and check that each went somewhere.

    Raises:
        BrokenInvariant: a row has no place, or one the books do not know.
    """
    counts = SignedSums[str]()
    for disposition, count in zip(rows["disposition"], rows["rows"], strict=True):
        counts[disposition] += int(count)
    known = {name: counts[name] for name in ("used", "held", "duplicate", "ignored")}
    if sum(known.values()) != counts.total():
        raise BrokenInvariant("an input row has no place")
    return RowCounts(read=counts.total(), **known)


def place_rows(rows: DataFrame[RowRuns], obligations: Iterable[Obligation]) -> DataFrame[RowRuns]:
    """Carry what became of payments rows back to the rows: held, dropped or duplicate ones were not used."""
    moved, used = dict[tuple[str, str, int], RowRun](), set[tuple[str, str, int]]()
    for obligation in obligations:
        file, sheet, row = obligation.source.file, obligation.source.sheet, obligation.source.row
        if not row:
            continue
        if obligation.place in {Place.HELD, Place.CONFLICT}:
            end = "held"
        elif obligation.place is Place.DUPLICATE:
            end = "duplicate"
        elif obligation.place is Place.EXCLUDED and not obligation.submission_id:
            end = "ignored"
        else:
            used.add((file, sheet, row))  # also where a part of it was paid before
            continue
        moved[file, sheet, row] = RowRun(file, sheet, row, row, 1, end, reasons_json(obligation.reasons))
    return move_rows(rows, [run for place, run in moved.items() if place not in used])
