"""Every payment of all jobs and periods in its present state, for search; receipts of those paid."""

import datetime as dt
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from types import MappingProxyType
from typing import Final

from flows.payables.rules.places import place_now, reconcile
from flows.payables.unpaid import Unpaid
from flows.reports.report_list import inferred_payments
from flows.views.columns import REFERENCES
from io_adapters.ledger.ledger import Ledger
from io_adapters.ledger.run_record import last_obligations, read_heads, read_obligations
from io_adapters.outputs.reconciliation_workbook import destination_of
from schemas.account import PaymentLine, Receipt, payee_token
from schemas.layouts.layout import fold
from schemas.messages import catalogue_in
from schemas.obligation import Obligation, sum_cents
from schemas.plan import LESS_TAX, Place, shown_place
from schemas.reasons import because
from schemas.returns import without_returns
from schemas.submission import LIVE, UNTOLD, Claim, SubmissionState
from schemas.values.masking import mask_tax_id, mask_value
from schemas.values.money import SignedSums
from schemas.wire import SplitReport, parse_json

_LEAST_DIGITS: Final = 5
_NEVER: Final = dt.datetime.max.replace(tzinfo=dt.UTC)
_NAME: Final = re.compile(r"(?:ob|rp)-[a-z0-9-]+(?:/r[0-9]+)*")  # of an obligation or a report
# Of so many who may be meant the database is asked by name; of more, all payments are read and looked through.
_MOST_MEANT: Final = 5_000


@dataclass(frozen=True, slots=True)
class Search:
    """What somebody looks for; "" leaves a thing open.

    Attributes:
        words: Of a name, a document or five digits of it, a reference, a report or an obligation.
        job, period, place: As a payment has them.
    """

    words: str = field(default="", repr=False)
    job: str = ""
    period: str = ""
    place: str = ""


class PaymentSearch:
    """The payments of the ledger: what submissions claim, and what is owed beside them."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._names = cache(ledger.payee_names.latest)

    def periods(self) -> list[tuple[str, str]]:
        """Return each job and period that was ever run, the newest periods first."""
        found = {(run.job, run.period) for run in self._ledger.runs.list(None) if run.job}
        return sorted(found, key=lambda where: (where[1], where[0]), reverse=True)

    def find(self, search: Search) -> tuple[PaymentLine, ...]:
        """Return the payments somebody looks for, the newest period first, by name."""
        payees = self._meant(search.words.strip())
        claims = self._ledger.claims.of_people(search.job, search.period, payees)
        return _in_order(filter(_wanted(search), (*self._lines_of(claims), *self._unpaid(search, payees))))

    def _meant(self, words: str) -> set[str] | None:
        """Find who may be meant, by name, document, or what a row or report of theirs is called; None for everybody."""
        if not words:
            return None
        ledger, is_meant = self._ledger, _meaning(words)
        names = self._names()  # a run that died has claimed for people whom nothing names
        found = {tax_id for tax_id in names.keys() | ledger.journal.payees() if is_meant(names.get(tax_id, ""), tax_id)}
        rows = ledger.views.ask(REFERENCES)
        found |= {row.tax_id for row in rows if is_meant(mask_value("reference", row.reference))}
        for name in {words, without_returns(words)} if _NAME.fullmatch(words) else ():
            found |= {payment.payee for payment in ledger.claims.payments_of(name)}
            found |= {claim.payee for claim in ledger.claims.trace(name)}
            found |= {owed.payee.tax_id for _, owed in last_obligations(ledger, [name]).values()}
        return found if len(found) <= _MOST_MEANT else None

    def of_payee(self, documents: Collection[str]) -> tuple[PaymentLine, ...]:
        """Return the payments of one payee, under whatever document, in the order of `find`."""
        claims = self._ledger.claims.of_payee(documents)
        return _in_order((*self._lines_of(claims), *self._unpaid(Search(), documents)))

    def of_payee_before(self, documents: Collection[str], end: dt.datetime) -> tuple[PaymentLine, ...]:
        """Return what was claimed for one payee before a moment, as it stood then: asked again, it is the same."""
        ledger, states = self._ledger, self._ledger.submissions.states_at(end)
        claims = [claim for document in sorted(documents) for claim in ledger.claims.trace(document)]
        stood = [claim for claim in claims if states.get(claim.submission_id) in LIVE and claim.kind != "owner"]
        return _in_order(self._lines_of(stood, states, end))

    def undecided(self, places: Collection[str]) -> tuple[PaymentLine, ...]:
        """Return the payments in some places that no submission claims, in the order of `find`."""
        return _in_order(line for line in self._unpaid(Search()) if line.place in places)

    def of_report(self, submission_id: str) -> tuple[PaymentLine, ...]:
        """Return the payments of one report, by where they stand."""
        claims = [claim for claim in self._ledger.claims.live_in([submission_id]) if claim.kind != "owner"]
        return tuple(sorted(self._lines_of(claims), key=lambda line: line.place))

    def tax_id_of(self, token: str) -> str | None:
        """Return the payee that an address names; None where there is none."""
        listed = {tax_id for tax_id, _ in self._ledger.payee_names.all()} | self._ledger.journal.payees()
        return next((tax_id for tax_id in listed if payee_token(tax_id) == token), None)

    def _lines_of(
        self,
        claims: Sequence[Claim],
        states: Mapping[str, SubmissionState] = MappingProxyType({}),
        end: dt.datetime = _NEVER,
    ) -> Iterator[PaymentLine]:
        """Tell of what is paid, on its way, in doubt, or planned and waits for an approval.

        Args:
            states, end: Of submissions that stood otherwise at a moment, and that moment.
        """
        ledger, names = self._ledger, self._names()
        named = ledger.submissions.with_ids({claim.submission_id for claim in claims})
        submissions = {submission.id: submission for submission in named}
        untold = [submission for submission in named if submission.state in UNTOLD]
        doubtful = {submission.id for submission in untold}
        decided = ledger.decisions.on_reports(
            [claim.obligation_key for claim in claims if claim.submission_id in doubtful]
        )
        inferred, back = inferred_payments(ledger, untold), SignedSums[tuple[str, str]]()
        for each in ledger.returns.of_payments({claim.obligation_key for claim in claims}):
            back[each.obligation_key, each.submission_id] += each.amount_cents if each.counts and each.at < end else 0
        for claim in claims:
            now, where = submissions[claim.submission_id], (claim.obligation_key, claim.submission_id)
            submission = replace(now, state=states.get(now.id, now.state))
            stands = submission.state is now.state
            reasons = because("submission", said=now.reason) if now.reason and stands else ()
            obligation = Obligation(
                kind=claim.kind, amount_cents=claim.amount_cents, place=Place.PLANNED, withhold=claim.withheld
            )
            word = decided.get(where)
            place = place_now(obligation, submission, word if word and word.at < end else None)
            if place is Place.UNDETERMINED and stands and (lines := inferred.get(where)):
                reasons = (*because(lines.value), *reasons)
            if back[where] == claim.amount_cents:  # its payee has nothing of it
                continue
            yield PaymentLine(
                job=submission.job,
                period=submission.period,
                currency=submission.currency,
                name=names.get(claim.payee, ""),
                tax_id=claim.payee,
                kind=claim.kind,
                reference=mask_value("reference", claim.reference) if claim.kind == "payment" else "",
                amount_cents=claim.amount_cents - back[where],
                place=shown_place(place, reasons[0].code if reasons else ""),
                reasons=reasons,
                key=claim.obligation_key,
                run_id=submission.run_id,
                report=submission.report_id if submission.sending_at else "",
                plan_digest=submission.plan_digest,
                sent_at=submission.sending_at,
                has_receipt=place is Place.PAID and submission.state is SubmissionState.PAID and not back[where],
            )

    def _unpaid(self, search: Search, payees: Collection[str] | None = None) -> Iterator[PaymentLine]:
        """Tell of what is owed and in no submission, or in none that counts any more."""
        ledger = self._ledger
        runs = {(run.job, run.period): run.run_id for run in ledger.runs.last_with_results(job=search.job or None)}
        for due in Unpaid(ledger, ledger.today(), with_plans=False, payees=payees).sums():
            where = due.job, due.period
            in_submission = due.report or due.place in {Place.PLANNED, Place.WITHHELD}
            if in_submission or not due.tax_id or where not in runs or search.period not in {"", due.period}:
                continue
            asked = due.place in {Place.CONFLICT, Place.FAILED}  # a person decides on the whole of it
            yield PaymentLine(
                job=due.job,
                period=due.period,
                currency=due.currency,
                name=due.name,
                tax_id=due.tax_id,
                kind=due.kind if due.kind in {"payment", "returned"} else "royalty",
                reference=due.reference,
                amount_cents=due.obligation_cents if asked else due.amount_cents,
                place=due.place,
                reasons=due.reasons,
                key=due.key,
                run_id=runs[where],
                report="",
                plan_digest="",
                sent_at=None,
            )


def _in_order(lines: Iterable[PaymentLine]) -> tuple[PaymentLine, ...]:
    """Put payments in order: the newest period first, by name."""
    by_name = sorted(lines, key=lambda line: (line.job, fold(line.name), -line.amount_cents))
    return tuple(sorted(by_name, key=lambda line: line.period, reverse=True))


def _wanted(search: Search) -> Callable[[PaymentLine], bool]:
    """Return what tells whether a payment is looked for."""
    whole = search.words.strip()
    is_meant = _meaning(whole)

    def is_wanted(line: PaymentLine) -> bool:
        if search.place and line.place != search.place:
            return False
        return (
            is_meant(line.name, line.tax_id)
            or is_meant(line.reference)
            or whole in {line.report, line.key, without_returns(line.key)}
        )

    return is_wanted


def _meaning(whole: str) -> Callable[..., bool]:
    """Return what tells whether words mean somebody, by a name or reference, or by five characters of a document."""
    words = [fold(word) for word in whole.split() if fold(word)]
    digits = "".join(filter(str.isalnum, whole)).upper()
    document = digits if len(digits) >= _LEAST_DIGITS and any(map(str.isdigit, digits)) else ""

    def is_meant(text: str, tax_id: str = "") -> bool:
        if not whole or (document and document in tax_id):
            return True
        folded = fold(text) if words else ""
        return bool(words) and all(word in folded for word in words)

    return is_meant


def receipt_of(ledger: Ledger, key: str) -> Receipt | None:
    """Tell of one payment that the service says was paid; None of any other, and of what only people say was paid."""
    claims = [claim for claim in ledger.claims.trace(key) if claim.obligation_key == key and claim.kind != "owner"]
    mine = next((claim for claim in claims if claim.state is SubmissionState.PAID), None)
    head = read_heads(ledger, [mine.run_id]).get(mine.run_id) if mine else None
    if mine is None or head is None or any(each.counts for each in ledger.returns.of_payments([key])):
        return None
    same_key = read_obligations(ledger, [mine.run_id], keys=[key])[mine.run_id]
    (submission,) = ledger.submissions.with_ids([mine.submission_id])
    reports = {
        name: SplitReport.model_validate(parse_json(seen.document))
        for name, seen in ledger.reports.latest([submission.id]).items()
    }
    own = [obligation for obligation in same_key if obligation.submission_id == submission.id]
    placed = reconcile(own, {submission.id: submission}, submission.run_id, reports=reports)
    if not placed or not {obligation.place for obligation in placed} <= {Place.PAID, Place.INCOME_TAX}:
        return None
    obligation, labels = placed[0], catalogue_in(head.language)
    is_split = len(placed) > 1
    tax_cents = sum_cents(part for part in placed if part.place is Place.INCOME_TAX)
    kind, destination = destination_of(obligation.account, labels)
    return Receipt(
        payer_name=head.payer_name,
        job=head.job,
        period=head.period,
        currency=head.currency,
        language=head.language,
        name=obligation.payee.name,
        tax_id_masked=mask_tax_id(obligation.payee.tax_id),
        kind=obligation.kind,
        reference=mask_value("reference", obligation.reference) if obligation.kind == "payment" else "",
        amount_cents=sum_cents(placed),
        tax_cents=None if obligation.code == LESS_TAX and not is_split else tax_cents,
        destination=" ".join(filter(None, (kind, destination))),
        report_id=submission.report_id,
        split_id=submission.split_id or "",
        sent_at=submission.sending_at,
        ended_at=ledger.submissions.ended_at([submission.id]).get(submission.id),
        approved_by=tuple(
            approval.by for approval in ledger.approvals.decisions_on([submission.plan_digest]) if approval.is_used
        ),
    )
