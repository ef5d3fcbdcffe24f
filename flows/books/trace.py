"""Gathering a trace: the records of runs, the ledger, and the statements read again."""

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Final

from flows.books.lines import Statements
from flows.books.rules.trace import (
    MOST_RANGES,
    came_in_cents,
    problems_of,
    royalty_parts,
    way_of,
    with_lines,
    with_recorded,
)
from flows.payables.rules.places import place_now, with_what_was_kept
from flows.payables.rules.returned import less_what_came_back
from flows.run_request import RunRequest
from flows.views.columns import ACCOUNT, PERIODS_OF_PAYEE
from io_adapters.ledger.ledger import Ledger
from io_adapters.ledger.run_record import (
    RunRecord,
    last_obligations,
    read_heads,
    read_line_sums,
    read_obligations,
    read_record,
)
from schemas.approval import Decision
from schemas.job import Outputs, labelled_period
from schemas.layouts.layout import fold
from schemas.obligation import Obligation, Payee
from schemas.plan import SHOWN_PLACES, Place, shown_place
from schemas.returns import payment_of
from schemas.submission import Claim, Submission
from schemas.tables.model import records
from schemas.trace import (
    FileState,
    PayeeTrace,
    TracedApproval,
    TracedDecision,
    TracedObligation,
    TracedRate,
    TracedReport,
)
from schemas.values.masking import mask_tax_id, mask_value
from schemas.values.money import SignedSums
from schemas.values.tax_id import parse_tax_id
from schemas.wire import SplitReport, parse_json


@dataclass(frozen=True, slots=True)
class TraceWanted:
    """One payee in one period of a job; `keys` narrows it to some obligations, `run_id` says whose record to open."""

    job: str
    period: str
    tax_id: str = field(repr=False)
    keys: frozenset[str] = frozenset()
    run_id: str = ""


OBLIGATION: Final = "ob-"
REPORT: Final = "rp-"
# Payees of a report that are followed one by one; the others are named by their obligations alone.
MOST_PAYEES: Final = 20


@dataclass(frozen=True, slots=True)
class Traced:
    """What was found.

    Attributes:
        candidates: Masked tax ids and an obligation of each, where a name or mask fits several people; then
            nothing is traced.
        left_out: Obligations of a report beyond those that were followed.
        people: Tax ids of those who were traced.
    """

    payees: tuple[PayeeTrace, ...] = ()
    candidates: tuple[tuple[str, str], ...] = ()
    left_out: tuple[str, ...] = ()
    language: str = Outputs().language
    people: tuple[str, ...] = field(default=(), repr=False)


# Says for a job what its statements are read again by; None where they cannot be.
OrderOf = Callable[[str], RunRequest | None]


def trace(
    ledger: Ledger,
    asked: str,
    *,
    job: str | None = None,
    period: str | None = None,
    order_of: OrderOf = lambda _job: None,
    most_ranges: int | None = MOST_RANGES,
) -> Traced:
    """Follow a payee or a payment.

    Args:
        asked: An obligation (ob-...), a report (rp-...), a tax id, plain or masked, or a name.
        order_of: Whose statements are read again; without it, royalties are told from the ledger alone.
        most_ranges: How many ranges of rows are told of each part and sheet; None for all.

    Returns:
        Nothing when nobody is found.

    Raises:
        ConfigurationError: a layout of the job is unknown.
    """
    found, wanted = _find(ledger, asked.strip(), job, period)
    gatherer = _Gatherer(ledger, order_of, most_ranges)
    payees = tuple(trace for subject in wanted if (trace := gatherer.gather(subject)))
    return replace(found, payees=payees, language=payees[0].language if payees else found.language)


def find_people(ledger: Ledger, asked: str, *, job: str | None = None) -> Traced:
    """Find whom an obligation, a report, a tax id or a name means, as `trace` does, without following anything."""
    return _find(ledger, asked.strip(), job, None)[0]


def _find(ledger: Ledger, asked: str, job: str | None, period: str | None) -> tuple[Traced, list[TraceWanted]]:
    last = [run.run_id for run in ledger.runs.last_with_results()]  # the latest first
    language = next((head.language for head in read_heads(ledger, last[:1]).values()), Outputs().language)
    left_out, candidates = tuple[str, ...](), tuple[tuple[str, str], ...]()
    if asked.startswith(REPORT):
        found = _of_report(ledger, asked)
        left_out = tuple(key for subject in found[MOST_PAYEES:] for key in sorted(subject.keys))
        found = found[:MOST_PAYEES]
        people = list(dict.fromkeys(subject.tax_id for subject in found))
    elif asked.startswith(OBLIGATION):
        found = _of_obligation(ledger, asked)
        people = [subject.tax_id for subject in found]
    else:
        people = _people_meant(ledger, asked, job, period)
        found = [subject for tax_id in people[:1] for subject in _of_payee(ledger, tax_id)]
        if len(people) > 1:
            candidates = tuple(sorted((mask_tax_id(tax_id), _key_of(ledger, tax_id)) for tax_id in people))
            found = []
    wanted = [subject for subject in found if _is_asked(subject, job, period)]
    return Traced((), candidates, left_out, language, tuple(people) if wanted else ()), wanted


def _is_asked(subject: TraceWanted, job: str | None, period: str | None) -> bool:
    return job in {None, subject.job} and period in {None, subject.period}


def _of_report(ledger: Ledger, submission_id: str) -> list[TraceWanted]:
    """Find everybody a report pays, or was to pay, in the order of its payments."""
    keys: dict[str, set[str]] = {}
    for payment in ledger.claims.payments_of(submission_id):
        keys.setdefault(payment.payee, set()).add(payment.obligation_key)
    return [
        TraceWanted(submission.job, submission.period, tax_id, frozenset(mine), submission.run_id)
        for submission in ledger.submissions.with_ids([submission_id])
        for tax_id, mine in keys.items()
    ]


def _of_obligation(ledger: Ledger, key: str) -> list[TraceWanted]:
    """Find whose obligation it is: by what has ever claimed it, else by the last run that had it."""
    if claims := ledger.claims.trace(key):
        last = claims[-1]
        (submission,) = ledger.submissions.with_ids([last.submission_id])
        return [TraceWanted(submission.job, submission.period, last.payee, frozenset({key}), last.run_id)]
    return [
        TraceWanted(run.job, run.period, obligation.payee.tax_id, frozenset({key}), run_id)
        for run_id, obligation in last_obligations(ledger, [key]).values()
        if (run := ledger.runs.get(run_id))
    ]


def _of_payee(ledger: Ledger, tax_id: str) -> list[TraceWanted]:
    """Find every period of every job in which a payee has anything, under a former document where only that has."""
    moves = ledger.journal.payee_moves()
    wanted = dict[tuple[str, str], TraceWanted]()
    for document in (tax_id, *(old for old, new in moves.items() if new == tax_id)):
        named = ledger.submissions.with_ids({claim.submission_id for claim in ledger.claims.trace(document)})
        known = ledger.views.ask(PERIODS_OF_PAYEE, payees=[document])
        periods = [(period.job, period.period) for period in known]
        periods += [(submission.job, submission.period) for submission in named]
        for where in periods:
            wanted.setdefault(where, TraceWanted(*where, document))
    return [wanted[where] for where in sorted(wanted)]


def _key_of(ledger: Ledger, tax_id: str) -> str:
    """Return the newest obligation of a payee; "" where they never had one."""
    last = [known.run_id for known in ledger.views.ask(PERIODS_OF_PAYEE, payees=[tax_id])]
    found = read_obligations(ledger, sorted(last, reverse=True), payees=[tax_id]).values()
    return next((obligation.key for own in found for obligation in own if obligation.key), "")


def _people_meant(ledger: Ledger, asked: str, job: str | None, period: str | None) -> list[str]:
    """Find whom a document, plain or masked, or a name means, of those in the periods that are looked at.

    A name that is exactly somebody's means nobody else.
    """
    tax_id = parse_tax_id(asked).value
    if tax_id is not None:
        return [tax_id]
    exact, alike = dict[str, None](), dict[str, None]()
    for person, name in ledger.payee_names.all():
        if name == asked or mask_tax_id(person) == asked:
            exact[person] = None
        elif fold(name) == fold(asked):
            alike[person] = None
    for meant in (exact, alike):
        if found := [p for p in meant if any(_is_asked(subject, job, period) for subject in _of_payee(ledger, p))]:
            return found
    return []


class _Gatherer:
    """Gathers one payee's trace after the other."""

    def __init__(self, ledger: Ledger, order_of: OrderOf, most_ranges: int | None) -> None:
        self._most_ranges = most_ranges
        self._ledger = ledger
        self._order_of = order_of

    def gather(self, wanted: TraceWanted) -> PayeeTrace | None:
        """Gather a payee's trace in a period; None when neither ledger nor records know of any."""
        submissions, claims = self._claims(wanted)
        opened = self._record(wanted)
        if opened is None:
            return self._of_claims(wanted, submissions, claims) if claims else None
        run_id, record = opened
        own, balances = record.obligations, records(record.balances)
        obligations = self._obligations(own, submissions)
        asked = [obligation for obligation in obligations if not wanted.keys or obligation.key in wanted.keys]
        balance = next(iter(balances), None)
        royalties = not wanted.keys or any(obligation.kind == "royalty" for obligation in asked)
        parts = royalty_parts(record.earnings) if royalties else ()
        parts = with_recorded(parts, read_line_sums(self._ledger, run_id)) if parts else ()
        files: dict[str, FileState] | None = None
        order = self._order_of(wanted.job)
        if order is not None:
            statements = Statements(self._ledger, order, run_id, record, self._most_ranges)
            parts = with_lines(parts, statements.lines_of(parts))
            files = statements.states
        before = self._carried_from(wanted.job, wanted.period, wanted.tax_id)
        way = way_of(balance, parts, record.ways.get(wanted.tax_id), before) if balance and royalties else None
        places, in_cents = _places(obligations), came_in_cents(own, balance)
        return PayeeTrace(
            job=wanted.job,
            period=wanted.period,
            currency=record.currency,
            language=record.language,
            run_id=run_id,
            name=next(filter(None, [*(row["name"] for row in balances), *(due.payee.name for due in own)]), ""),
            tax_id_masked=mask_tax_id(wanted.tax_id),
            obligations=tuple(asked),
            way=way,
            parts=parts,
            files=tuple(sorted((files or {}).items())),
            reports=self._reports(wanted, asked, submissions, claims),
            in_cents=in_cents,
            places_cents=places,
            problems=problems_of(parts, way, files, in_cents=in_cents, placed_cents=sum(c for _, c in places)),
            statements_read=files is not None,
            payer_name=record.payer_name,
            advances_left_cents=_advances_left(record, wanted.tax_id),
        )

    def _of_claims(
        self, wanted: TraceWanted, submissions: Mapping[str, Submission], claims: Sequence[Claim]
    ) -> PayeeTrace:
        """Tell what was sent by a run that left no record: it died before it could write them."""
        claimed = obligations_of_claims(
            [claim for claim in claims if not wanted.keys or claim.obligation_key in wanted.keys]
        )
        obligations = self._obligations(claimed, submissions)
        return PayeeTrace(
            job=wanted.job,
            period=wanted.period,
            currency=next(iter(submissions.values())).currency,
            language=Outputs().language,
            run_id="",
            name="",
            tax_id_masked=mask_tax_id(wanted.tax_id),
            obligations=tuple(obligations),
            way=None,
            parts=(),
            files=(),
            reports=self._reports(wanted, obligations, submissions, claims),
            in_cents=sum(obligation.amount_cents for obligation in obligations),
            places_cents=_places(obligations),
        )

    def _reports(
        self,
        wanted: TraceWanted,
        asked: Sequence[TracedObligation],
        submissions: Mapping[str, Submission],
        claims: Sequence[Claim],
    ) -> tuple[TracedReport, ...]:
        """Tell every submission that has, or ever had, what was asked for."""
        named = {obligation.submission_id for obligation in asked} - {""}
        named |= {claim.submission_id for claim in claims if not wanted.keys or claim.obligation_key in wanted.keys}
        return tuple(self._report(submissions[name], claims) for name in sorted(named & set(submissions)))

    def _record(self, wanted: TraceWanted) -> tuple[str, RunRecord] | None:
        """Open the record of the run that is meant, or of the last that knew anything of the payee."""
        last = {
            (known.job, known.period): known.run_id
            for known in self._ledger.views.ask(PERIODS_OF_PAYEE, payees=[wanted.tax_id])
        }
        for run_id in filter(None, (wanted.run_id, last.get((wanted.job, wanted.period)))):
            record = read_record(self._ledger, run_id, wanted.tax_id)
            if record is not None and (record.obligations or len(record.balances)):
                return run_id, record
        return None

    def _claims(self, wanted: TraceWanted) -> tuple[dict[str, Submission], list[Claim]]:
        """What was ever sent, or planned, for the payee in this period."""
        claims = self._ledger.claims.trace(wanted.tax_id)
        submissions = {
            submission.id: submission
            for submission in self._ledger.submissions.with_ids({claim.submission_id for claim in claims})
            if (submission.job, submission.period) == (wanted.job, wanted.period)
        }
        return submissions, [claim for claim in claims if claim.submission_id in submissions]

    def _obligations(self, own: Sequence[Obligation], submissions: Mapping[str, Submission]) -> list[TracedObligation]:
        keys = {key for obligation in own for key in (obligation.key, obligation.base_key)} - {""}
        on_rows, on_reports = self._ledger.decisions.on_rows(keys), self._ledger.decisions.on_reports(keys)
        reports, traced, back = self._seen(submissions), list[TracedObligation](), SignedSums[str]()
        for each in self._ledger.returns.of_payments(keys):
            back[each.obligation_key] += each.amount_cents if each.counts else 0
        told = SignedSums[str]()
        for owed in own:
            told[payment_of(owed.key)] += owed.amount_cents if owed.kind == "returned" else 0
        for obligation in own:
            submission = submissions.get(obligation.submission_id)
            decided = on_reports.get((obligation.key, obligation.submission_id))
            decisions = [
                on_rows.get(obligation.base_key),
                *(decision for (key, _), decision in on_reports.items() if key == obligation.key),
            ]
            placed = replace(obligation, place=place_now(obligation, submission, decided))
            report = reports.get(obligation.submission_id)
            parts = with_what_was_kept(placed, submission, report) if submission else [placed]
            cents = back[obligation.key], told[obligation.key]
            parts = [less for part in parts for less in less_what_came_back(part, *cents)]
            traced += [_traced(part, [decision for decision in decisions if decision is not None]) for part in parts]
        return traced

    def _seen(self, submissions: Mapping[str, Submission]) -> dict[str, SplitReport]:
        """Read what the service said last of each report."""
        latest = self._ledger.reports.latest(list(submissions))
        return {name: SplitReport.model_validate(parse_json(snapshot.document)) for name, snapshot in latest.items()}

    def _carried_from(self, job: str, period: str, tax_id: str) -> str:
        """Name the last period before that the payee has anything posted about; "" for none."""
        entries = self._ledger.views.ask(ACCOUNT, payees=[tax_id], until=dt.date.max)
        periods = {labelled_period(entry.period) for entry in entries if entry.job == job and entry.period}
        earlier = [known for known in periods if known.start < labelled_period(period).start]
        return max(earlier, key=attrgetter("start")).label if earlier else ""

    def _report(self, submission: Submission, claims: Sequence[Claim]) -> TracedReport:
        ledger = self._ledger
        plan, seen = ledger.plans.get(submission.plan_digest), ledger.reports.latest([submission.id]).get(submission.id)
        rate = ledger.exchange_updates.of_reports([submission.id]).get(submission.id)
        given = ledger.approvals.given(submission.plan_digest)
        return TracedReport(
            submission_id=submission.id,
            amount_cents=sum(claim.amount_cents for claim in claims if claim.submission_id == submission.id),
            payments=submission.payments,
            state=submission.state.value,
            reason=submission.reason,
            split_id=submission.split_id,
            status=submission.status,
            sent_at=submission.sending_at,
            seen_at=seen.at if seen else None,
            run_id=submission.run_id,
            plan_digest=submission.plan_digest,
            prepared_by=plan.prepared_by,
            planned_at=plan.created_at,
            approved_at=plan.approved_at,
            approvals=tuple(TracedApproval(approval.by, approval.kind.value, approval.at) for approval in given),
            steps=tuple((line.after.value, line.at, line.by) for line in ledger.submissions.transitions(submission.id)),
            rate=TracedRate(rate.id, rate.terms.currency, rate.terms.plain_rate, rate.state.value) if rate else None,
        )


def obligations_of_claims(claims: Sequence[Claim]) -> list[Obligation]:
    """Tell of what was claimed as obligations, where no run's record does: each by the last of its claims."""
    last = {claim.obligation_key: claim for claim in claims}
    return [
        Obligation(
            kind=claim.kind,
            amount_cents=claim.amount_cents,
            place=Place.PLANNED,
            key=key,
            base_key=claim.base_key,
            reference=claim.reference,
            payee=Payee(claim.payee),
            withhold=claim.withheld,
            submission_id=claim.submission_id,
        )
        for key, claim in last.items()
    ]


def _advances_left(record: RunRecord, tax_id: str) -> int | None:
    """Sum what is left of a payee's advances; None where the run made no statements, or did not know."""
    if record.statements is None:
        return None
    left = [advance.outstanding_cents for advance in record.statements.advances if advance.payee == tax_id]
    known = [cents for cents in left if cents is not None]
    return sum(known) if len(known) == len(left) else None


def _places(obligations: Sequence[TracedObligation]) -> tuple[tuple[str, int], ...]:
    sums = SignedSums[str]()
    for obligation in obligations:
        sums[obligation.place] += obligation.amount_cents
    return tuple((place, sums[place]) for place in SHOWN_PLACES if sums[place])


def _traced(obligation: Obligation, decisions: Sequence[Decision]) -> TracedObligation:
    return TracedObligation(
        key=obligation.key,
        kind=obligation.kind,
        reference=mask_value("reference", obligation.reference),
        amount_cents=obligation.amount_cents,
        place=shown_place(obligation.place, obligation.reason),
        reasons=obligation.reasons,
        file=obligation.source.file,
        sheet=obligation.source.sheet,
        row=obligation.source.row,
        submission_id=obligation.submission_id,
        decisions=tuple(map(_decision, decisions)),
    )


def _decision(decision: Decision) -> TracedDecision:
    return TracedDecision(
        decision.kind.value, decision.by, decision.at, mask_value("evidence", decision.evidence), decision.submission_id
    )
