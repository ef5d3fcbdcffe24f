"""Setting the exchange rate of each report in a foreign currency, at most once."""

from collections.abc import Collection, Iterable, Sequence
from functools import partial
from typing import Final

from flows.approvals.decisions import WAIT, ask_each
from flows.payables.rules.exchange_rate import ENDED, after_answer, after_look, codes_of, judge_rate
from flows.reports.report_list import poll_reports
from flows.reports.rules.report_list import MOST_DOUBTS
from flows.run import Run
from flows.sending.send import LEASE_S, check_may_send, listing_is_old, send_once
from io_adapters.ledger.approvals_missing import require_typed_name_counts
from io_adapters.ledger.leases import Owner, is_gone
from io_adapters.ledger.outbox import Proof
from io_adapters.payout_api.outcome import PostAnswer
from schemas.errors import (
    AnotherRun,
    ApprovalWanted,
    BrokenInvariant,
    DecisionRefused,
    ExitCode,
    NotSent,
    SendingFrozen,
    worst,
)
from schemas.exchange_update import LOOKED_UP, UNSETTLED, ExchangeState, ExchangeUpdate, RateSeen
from schemas.messages import Listed, Message
from schemas.plan import HOME_CURRENCY, ExchangeTerms
from schemas.reconciliation import Discrepancy
from schemas.submission import OPEN, Submission
from schemas.values.names import different_people, same_person
from schemas.wire import SplitReport

X = ExchangeState


def set_rate(run: Run, update: ExchangeUpdate, *, by: str = "") -> ExchangeUpdate:
    """Set one rate, unless the report has one already, has ended, or another worker has taken it."""
    if update.body != update.terms.body:
        raise BrokenInvariant(f"{update.id}: the stored body is not what was approved")
    report = find_report_of(run, update)
    if report is None or report.status in ENDED:
        return update
    stands = record_rate(run, update, report)
    if stands.state is not X.APPROVED:
        return stands

    def classify(answer: PostAnswer) -> Proof:
        reason, places = answer.reason, tuple(error.place for error in answer.validation_errors)
        if places:
            reason = Message("answer.places", reason=reason, places=Listed(places))
        return Proof(after_answer(answer.outcome, update.terms, answer.report), reason)

    api = run.require_service().api
    post = partial(api.update_exchange_rate, _path_id(run, update), was_in_doubt=update.was_in_doubt)
    sent = send_once(run, run.ledger.exchange_updates, update, post, classify, by=by)
    if sent is None:
        run.show(Message("cli.send.taken", report=update.id))
        return run.ledger.exchange_updates.get(update.id)
    stands, answer = sent
    return _act_on(run, stands, answer.report)


def find_report_of(run: Run, update: ExchangeUpdate) -> SplitReport | None:
    """Ask for the report an update is for, by whichever of its ids the service takes.

    None when the service shows none, or the report was found in a list that did not tell its id.
    """
    path_id = _path_id(run, update)
    return run.require_service().api.find_report(path_id) if path_id else None


def _path_id(run: Run, update: ExchangeUpdate) -> str:
    return run.require_service().path_id(split_id=update.split_id, report_id=update.report_id)


def _act_on(run: Run, stands: ExchangeUpdate, report: SplitReport | None) -> ExchangeUpdate:
    """Tell what came of it; look a doubt up at once, and stop where going on is of no use."""
    facts = {"update": stands.id, "report": stands.report_id, "rate": stands.terms.plain_rate}
    run.show(Message("cli.rate.outcome", **facts, outcome=Message(f"state.{stands.state}"), reason=stands.reason))
    match stands.state:
        case X.NOT_SENT:
            raise NotSent(Message("cli.rate.not_sent", **facts, reason=stands.reason))
        case X.IN_DOUBT:
            return look_up(run, stands)
        case X.DIFFERS if report is not None:
            _note_difference(run, stands, report)
    return stands


def look_up(run: Run, update: ExchangeUpdate) -> ExchangeUpdate:
    """Ask for the report of an update; a look that fails is no information."""
    try:
        report = find_report_of(run, update)
    except NotSent as unreachable:
        run.show(Message("cli.poll.none", reason=unreachable.content))
        return update
    return update if report is None else record_rate(run, update, report)


def record_rate(run: Run, update: ExchangeUpdate, report: SplitReport) -> ExchangeUpdate:
    """Write down what a look at a report says of its exchange rate; another rate than ours is for people to explain."""
    after = after_look(update.state, judge_rate(update.terms, report))
    if after is update.state:
        return update
    shown = report.exchangeRate
    reason = Message("rate.shown", rate=str(shown)) if shown is not None else Message("rate.shown_unreadable")
    stands = run.ledger.exchange_updates.record_seen(update, after, by=run.id, reason=reason)
    if stands.state is X.DIFFERS:
        _note_difference(run, stands, report)
    elif stands.state is X.ACCEPTED:
        run.show(Message("cli.rate.found", report=update.report_id, rate=update.terms.plain_rate))
    return stands


def _note_difference(run: Run, stands: ExchangeUpdate, report: SplitReport) -> None:
    ours = stands.terms
    theirs = "unreadable" if report.exchangeRate is None else f"{report.exchangeRate} {report.currency or ''}".strip()
    expected = f"{ours.plain_rate} {ours.currency}"
    run.note_discrepancies([Discrepancy.of("exchange_rate", stands.report_id, expected, theirs)])
    run.codes.add(ExitCode.DISCREPANCIES)


_WORDS: Final = {
    X.SENDING: "rate.doubt",
    X.IN_DOUBT: "rate.doubt",
    X.REFUSED: "rate.refused",
    X.DIFFERS: "rate.differs",
    X.APPROVED: "rate.waits",
    X.NOT_SENT: "rate.waits",
}


def exchange_rate(run: Run) -> None:
    """Set the rate of every report of the job that waits for it, whatever run sent the report.

    Raises:
        NotSent: sending is on hold, no connection could be made, or the listing failed in between.
        SendingFrozen: ledger and service disagree.
    """
    set_rates(run, run.job.job)


def set_rates_left(run: Run, only_job: str | None) -> None:
    """Do the same for all jobs, or one, outside a run of them; a job that another run holds is left to that run."""
    for job in run.ledger.exchange_updates.jobs(only_job):
        try:
            run.ledger.leases.take(job, run.owner, LEASE_S)
        except AnotherRun as busy:
            run.show(busy.content)
            continue
        try:
            set_rates(run, job)
        except (NotSent, SendingFrozen, AnotherRun) as stopped:
            run.end_with(stopped.exit_code, stopped.content)
        finally:
            run.ledger.leases.release(job, run.owner)


def set_rates(run: Run, job: str) -> None:
    """Settle what is in doubt of a job's exchange rates, then send what nobody has sent yet."""
    updates = run.ledger.exchange_updates
    if not updates.jobs(job):
        return
    _doubt_abandoned(run)
    updates.prepare(job, run.id)
    for doubtful in updates.list(job=job, states=LOOKED_UP):
        look_up(run, doubtful)
    for waiting in updates.list(job=job, states={X.NOT_SENT}):
        updates.reapprove_not_sent(waiting.id, by=run.id)
    _send_all(run, [update for update in updates.list(job=job, states={X.APPROVED}) if update.report_state in OPEN])


def note_rates(run: Run, job: str | None) -> None:
    """Say in the run's outcome what of a job's exchange rates, or of all, is not settled."""
    for update in run.ledger.exchange_updates.list(job=job, states=UNSETTLED):
        codes = codes_of([update])
        if codes:
            words = Message(
                f"cli.{_WORDS[update.state]}", update=update.id, report=update.report_id, rate=update.terms.plain_rate
            )
            run.end_with(worst(codes), Listed((words, update.reason), "; ") if update.reason else words)


def _doubt_abandoned(run: Run) -> None:
    def gone(owner: Owner) -> bool:
        return is_gone(owner, run.owner)

    for update in run.ledger.exchange_updates.doubt_abandoned(gone):
        run.show(Message("cli.rate.abandoned", update=update.id, report=update.report_id))


def _send_all(run: Run, approved: list[ExchangeUpdate]) -> None:
    for done, update in enumerate(approved, start=1):
        check_may_send(run)
        if listing_is_old(run):
            poll_reports(run)
        doubts = len(run.ledger.exchange_updates.list(states={X.IN_DOUBT}))
        if doubts >= MOST_DOUBTS:
            run.end_with(ExitCode.IN_DOUBT, Message("cli.rate.doubts", count=doubts))
            return
        stands = set_rate(run, update)
        run.progress.advance("exchange rates", done, len(approved))
        run.ledger.leases.renew(update.job, run.owner, LEASE_S)
        if stands.state is X.DIFFERS:
            return


def report_called(run: Run, name: str) -> Submission:
    """Find a report of this ledger by our id for it (rp-...) or by the service's.

    Raises:
        DecisionRefused: it is none of ours.
    """
    for submission in run.ledger.submissions.list(bodies=False):
        if name and name in {submission.report_id, submission.split_id}:
            return submission
    raise DecisionRefused(Message("error.rate_no_report", name=name))


def approved_terms(run: Run, report: Submission) -> ExchangeTerms | None:
    """Return the rate the report's plan was approved with; None where it has none."""
    return run.ledger.exchange_updates.terms_of(report.plan_digest)


def rate_by_hand(run: Run, report: Submission, terms: ExchangeTerms, by: Sequence[str]) -> ExchangeUpdate:
    """Set the exchange rate of one report.

    Raises:
        DecisionRefused: the report waits for no rate, has one, or one may be on its way already; or its job counts only
            words of people who signed in.
        ApprovalWanted: there are fewer people than it takes.
        NotSent: sending is on hold, or nothing could be sent.
        SendingFrozen: ledger and service disagree.
        AnotherRun: a run of the job is at it.
    """
    require_typed_name_counts(run.ledger, report.job)
    if report.currency == HOME_CURRENCY:
        raise DecisionRefused(Message("error.rate_home", report=report.report_id, currency=HOME_CURRENCY))
    if report.state not in OPEN:
        raise DecisionRefused(
            Message("error.rate_state", report=report.report_id, state=Message(f"state.{report.state}"))
        )
    if terms.currency != report.currency:
        raise DecisionRefused(
            Message("error.rate_currency", report=report.report_id, currency=report.currency, other=terms.currency)
        )
    check_may_send(run)
    run.ledger.leases.take(report.job, run.owner, LEASE_S)
    try:
        poll_reports(run)
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
            raise DecisionRefused(
                Message(
                    "error.rate_about_to_go",
                    update=counts.id,
                    rate=counts.terms.plain_rate,
                    order=counts.terms.order_id or "-",
                )
            )
        return counts if counts.state is X.APPROVED else updates.reapprove_not_sent(counts.id, by=run.id)
    if counts is not None and counts.state is not X.REFUSED:
        raise DecisionRefused(Message("error.rate_resolve", update=counts.id, state=Message(f"state.{counts.state}")))
    _require_two(run, counts, by)
    return updates.prepare_by_hand(report.id, terms, by=by, run_id=run.id)


def _require_unrated(run: Run, report: Submission, terms: ExchangeTerms, counts: ExchangeUpdate | None) -> None:
    """Look once more at what the service shows: a report with a rate, whoever set it, is given none."""
    service = run.require_service()
    path_id = service.path_id(split_id=report.split_id or "", report_id=report.report_id)
    shown = service.api.find_report(path_id) if path_id else None
    if shown is None:
        raise DecisionRefused(Message("error.report_gone", report=report.split_id or report.report_id))
    if counts is not None:
        counts = record_rate(run, counts, shown)
    if judge_rate(terms, shown) is not RateSeen.SILENT:
        theirs = Message("error.rate_unread") if shown.exchangeRate is None else f"{shown.exchangeRate}"
        raise DecisionRefused(Message("error.rate_there", report=report.report_id, shown=theirs))
    if counts is not None and counts.state in {X.ACCEPTED, X.DIFFERS}:
        raise DecisionRefused(
            Message(
                "error.rate_before", report=report.report_id, update=counts.id, state=Message(f"state.{counts.state}")
            )
        )
    if shown.status in ENDED:
        raise DecisionRefused(Message("error.report_done", report=report.report_id, status=shown.status))


def _require_two(run: Run, refused: ExchangeUpdate | None, by: Sequence[str]) -> None:
    people = different_people(by)
    if len(people) < 2:
        raise ApprovalWanted(Message("error.rate_two"))
    sender = run.ledger.runs.get(refused.run_id) if refused is not None else None
    if sender is not None and same_person(sender.prepared_by) in people:
        raise ApprovalWanted(Message("error.rate_sender"))


def link_rate(run: Run, update_id: str, split_id: str, by: str) -> ExchangeUpdate:
    """Take a person's word that the report has the approved rate; the service must not contradict it.

    Raises:
        DecisionRefused: the update is neither in doubt nor refused, the report is another one, or shows another rate.
        ConfigurationError: the environment names another service than the ledger's.
        NotSent: the service cannot be asked.
    """
    update = _standing(run, update_id)
    if split_id != update.split_id:
        raise DecisionRefused(Message("rate.other_report", name=update_id, own=update.split_id, report=split_id))
    report = _require_last_poll(run, update)
    if judge_rate(update.terms, report) is RateSeen.ANOTHER:
        raise DecisionRefused(Message("rate.another", report=split_id, rate=update.terms.plain_rate))
    return run.ledger.exchange_updates.record_seen(update, X.ACCEPTED, by=by, reason=Message("rate.found_set"))


def declare_rates_absent(run: Run, update_ids: Iterable[str], by: Sequence[str], evidence: str) -> list[ExchangeUpdate]:
    """Take two people's word that the service never set rates, and make the next attempts ready: the same bytes.

    A last look comes first: what the reports show by then counts instead. One in doubt has to be a day old; one that
    was refused need not be, for nothing of it can still arrive. Nothing is declared where one of them cannot be.

    Raises:
        DecisionRefused: an update is neither in doubt nor refused, or in doubt for less than a day; of several, each
            that cannot be declared is named with its reason.
        ApprovalWanted: there are not two different people, or one of them sent it.
        NotSent: the service cannot be asked; then nothing can be declared.
        SendingFrozen: ledger and service disagree.
    """
    people = different_people(by)
    if len(people) < 2:
        raise ApprovalWanted(Message("doubt.two_people"))
    updates = ask_each(list(dict.fromkeys(update_ids)), lambda name: _old_enough(run, name, people))
    poll_reports(run)
    shown = ask_each(updates, lambda update: _require_last_poll(run, update))
    stand = [record_rate(run, update, report) for update, report in zip(updates, shown, strict=True)]
    return [
        now
        if now.state is not update.state
        else run.ledger.exchange_updates.declare_absent(update.id, by=by, evidence=evidence, run_id=run.id)
        for update, now in zip(updates, stand, strict=True)
    ]


def _old_enough(run: Run, name: str, people: Collection[str]) -> ExchangeUpdate:
    """Return an update that was refused, or has been in doubt for a day, and that none of these people sent."""
    update = _standing(run, name)
    if update.state is X.IN_DOUBT and update.sending_at is not None and run.clock.now() < update.sending_at + WAIT:
        raise DecisionRefused(Message("doubt.wait", name=name, since=f"{update.sending_at + WAIT:%Y-%m-%d %H:%M} UTC"))
    sender = run.ledger.runs.get(update.run_id)
    if sender is not None and same_person(sender.prepared_by) in people:
        raise ApprovalWanted(Message("doubt.sender_of", name=name))
    return update


def _standing(run: Run, update_id: str) -> ExchangeUpdate:
    def gone(owner: Owner) -> bool:
        return is_gone(owner, run.owner)

    run.ledger.exchange_updates.doubt_abandoned(gone)
    update = run.ledger.exchange_updates.get(update_id)
    if update.state is X.SENDING:
        raise DecisionRefused(Message("doubt.being_sent", name=update_id))
    if update.state not in {X.IN_DOUBT, X.REFUSED}:
        raise DecisionRefused(Message("doubt.neither", name=update_id))
    return update


def _require_last_poll(run: Run, update: ExchangeUpdate) -> SplitReport:
    service = run.require_service()
    run.ledger.service.bind_or_check(service.url, service.key_fingerprint)
    report = find_report_of(run, update)
    if report is None:
        raise DecisionRefused(Message("report.unknown", report=update.split_id))
    return report
