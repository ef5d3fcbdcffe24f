"""The exchange rate of one report, on people's word: the approved one at once, or one that no plan has.

The discipline is that of every rate (`set_rate`): an update stored before anything is said, the exact bytes once, in
doubt when unanswered. One person may have the approved rate set now. Another rate than the approved one, or one for a
report whose plan has none, takes two different people; and it has its chance only while no rate can have reached the
service: before the first update, or after a documented refusal.
"""

from collections.abc import Sequence

from flows.stages.listing import look_at_service
from flows.stages.run import Run
from flows.stages.send import LEASE_S, check_may_send
from flows.stages.set_rate import look_at_rate, set_rate
from flows.stages.words_given import require_typed_word_counts
from flows.steps.exchange_rate import ENDED, judge_rate
from schemas.errors import ApprovalWanted, WordRefused
from schemas.exchange_terms import HOME_CURRENCY, ExchangeTerms
from schemas.exchange_update import ExchangeState, ExchangeUpdate, RateSeen
from schemas.person import different_people, same_person
from schemas.submission import OPEN, Submission

X = ExchangeState


def report_called(run: Run, name: str) -> Submission:
    """Find a report of this ledger by our id for it (rp-...) or by the service's.

    Raises:
        WordRefused: it is none of ours.
    """
    for one in run.ledger.submissions.list(bodies=False):
        if name and name in {one.report_id, one.split_id}:
            return one
    raise WordRefused(f"{name} is no report of this ledger; `repasse status` lists what is open")


def approved_terms(run: Run, report: Submission) -> ExchangeTerms | None:
    """Return the rate the report's plan was approved with; None where it has none."""
    return run.ledger.exchange_updates.terms_of(report.plan_digest)


def rate_by_hand(run: Run, report: Submission, terms: ExchangeTerms, by: Sequence[str]) -> ExchangeUpdate:
    """Set the exchange rate of one report.

    Returns:
        The update as it stands: accepted, or what became of it.

    Raises:
        WordRefused: the report waits for no rate, has one, or one may be on its way already; or its job counts only
            words of people who signed in.
        ApprovalWanted: there are fewer people than it takes.
        NotSent: sending is on hold, or nothing could be sent.
        SendingFrozen: ledger and service disagree.
        AnotherRun: a run of the job is at it.
    """
    require_typed_word_counts(run.ledger, report.job)
    if report.currency == HOME_CURRENCY:
        raise WordRefused(f"{report.report_id} is in {HOME_CURRENCY}: it has no exchange rate")
    if report.state not in OPEN:
        raise WordRefused(
            f"{report.report_id} is {report.state.value}: only a report the service works on can have one"
        )
    if terms.currency != report.currency:
        raise WordRefused(f"{report.report_id} is in {report.currency}, not in {terms.currency}")
    check_may_send(run)
    run.ledger.leases.take(report.job, run.owner, LEASE_S)
    try:
        look_at_service(run)
        run.ledger.exchange_updates.prepare(report.job, run.id)
        return set_rate(run, _prepared(run, report, terms, by), by=", ".join(by))
    finally:
        run.ledger.leases.release(report.job, run.owner)


def _prepared(run: Run, report: Submission, terms: ExchangeTerms, by: Sequence[str]) -> ExchangeUpdate:
    """Have the update ready that is to be sent, once the service has shown that the report has no rate yet."""
    updates = run.ledger.exchange_updates
    counts = updates.of_reports([report.id]).get(report.id)
    _require_unrated(run, report, terms, counts)
    if counts is not None and counts.state in {X.APPROVED, X.NOT_SENT}:
        if counts.body != terms.body:
            raise WordRefused(
                f"{counts.id} is approved and about to be sent, with the rate {counts.terms.plain_rate} and the order "
                f"{counts.terms.order_id or '-'}; another one can be given only once the service has refused it"
            )
        return counts if counts.state is X.APPROVED else updates.reapprove_not_sent(counts.id, by=run.id)
    if counts is not None and counts.state is not X.REFUSED:
        raise WordRefused(
            f"{counts.id} is {counts.state.value}: `repasse resolve {counts.id}` takes people's word on it"
        )
    _require_two(run, counts, by)
    return updates.prepare_by_hand(report.id, terms, by=by, run_id=run.id)


def _require_unrated(run: Run, report: Submission, terms: ExchangeTerms, counts: ExchangeUpdate | None) -> None:
    """Look once more at what the service shows: a report with a rate, whoever set it, is given none."""
    service = run.require_service()
    path_id = service.path_id(split_id=report.split_id or "", report_id=report.report_id)
    shown = service.api.find_report(path_id) if path_id else None
    if shown is None:
        raise WordRefused(f"the service shows no report {report.split_id or report.report_id} any more")
    if counts is not None:
        counts = look_at_rate(run, counts, shown)
    if judge_rate(terms, shown) is not RateSeen.SILENT:
        told = "one that nobody can read" if shown.exchangeRate is None else f"{shown.exchangeRate}"
        raise WordRefused(f"{report.report_id} has an exchange rate already: the service shows {told}")
    if counts is not None and counts.state in {X.ACCEPTED, X.DIFFERS}:
        raise WordRefused(
            f"the exchange rate of {report.report_id} was set before: {counts.id} is {counts.state.value}"
        )
    if shown.status in ENDED:
        raise WordRefused(f"the service has done with {report.report_id}: it is {shown.status}")


def _require_two(run: Run, refused: ExchangeUpdate | None, by: Sequence[str]) -> None:
    people = different_people(by)
    if len(people) < 2:
        raise ApprovalWanted("a rate that no approved plan has takes the word of two different people: --by A --by B")
    sender = run.ledger.runs.get(refused.run_id) if refused is not None else None
    if sender is not None and same_person(sender.prepared_by) in people:
        raise ApprovalWanted("whoever sent the refused rate cannot be one of the two who give another")
