"""Send what is approved. The one place that may POST /split, and at most once per submission.

Before each batch, check that sending may go on and that these bytes are the approved ones. Whatever is not proven is in
doubt, and is never sent again without people's word.
"""

import datetime as dt
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal
from hashlib import sha256
from typing import Any, Final, Protocol, TypeVar

from flows.payables.earlier_reports import check_before_paying_again
from flows.payables.rules.plan_batches import explain_refusal
from flows.reports.report_list import accept_found, freeze, frozen_message, note_doubts, poll_reports
from flows.reports.rules.report_list import MOST_DOUBTS, made_before, stops_sending, wrong_echo
from flows.run import Run, Service
from io_adapters.ledger.outbox import Outbox, Proof
from io_adapters.payout_api.outcome import PostAnswer, doubt_stale
from schemas.attempt import Attempt, AttemptState
from schemas.errors import BrokenInvariant, ExitCode, NotSent, SendingFrozen
from schemas.messages import Listed, Message
from schemas.obligation import Obligations
from schemas.plan import Place, names_of
from schemas.reconciliation import Discrepancy
from schemas.submission import ENDED, OPEN, Alarm, Outcome, Submission, SubmissionState
from schemas.wire import amount_from_cents, canonical_json

Kept = TypeVar("Kept", bound=Attempt[Any])


class AttemptAnswer(Protocol):
    """What every kind's answer tells: its status, None when none came, and its body as far as it was read."""

    @property
    def http_status(self) -> int | None: ...
    @property
    def body(self) -> bytes: ...


AnyAnswer = TypeVar("AnyAnswer", bound=AttemptAnswer)


def send_once(
    run: Run,
    outbox: Outbox[Kept],
    attempt: Kept,
    call: Callable[..., AnyAnswer],
    classify: Callable[[AnyAnswer], Proof],
    *,
    by: str = "",
) -> tuple[Kept, AnyAnswer] | None:
    """Make an approved attempt.

    Args:
        call: Sends these bytes, once, over a fresh connection; takes them, and by name `deadline_s`, for connecting,
            writing and reading together, and `before_connect`, called immediately before connecting: if that raises,
            nothing is sent and it propagates.
        by: The people who asked for it by hand; "" where nobody did.

    Returns:
        The attempt as it stands now, and the answer; None when it is not to be sent any more, or another worker has it.

    Raises:
        NotSent: sending is on hold, or this worker was late; nothing was sent.
        SendingFrozen: ledger and service disagree.
        ApprovalWanted: what approved it has lapsed.
        BrokenInvariant: its bytes are not those that people approved.
    """
    run.require_service().api.await_turn()
    timeout_s, began_s = run.timeout_s, run.clock.monotonic_s()
    taken = outbox.take_for_sending(
        attempt.id,
        owner=run.owner,
        run_id=run.id,
        body_sha256=sha256(attempt.body).hexdigest(),
        deadline_at=run.clock.now() + dt.timedelta(seconds=timeout_s),
        by=by,
    )
    if not taken:
        return None
    timeout_s = max(0.0, timeout_s - (run.clock.monotonic_s() - began_s))  # the deadline is the one written down
    before_connect = _last_check(run, outbox, attempt, run.clock.monotonic_s() + timeout_s)
    answer = call(attempt.body, deadline_s=timeout_s, before_connect=before_connect)
    proven = classify(answer)
    stands = outbox.record_outcome(
        attempt.id,
        proven.state,
        http_status=answer.http_status,
        raw_answer=answer.body,
        reason=proven.reason,
        split_id=proven.split_id,
        alarms=proven.alarms,
    )
    return stands, answer


def _last_check(run: Run, outbox: Outbox[Kept], attempt: Kept, deadline_s: float) -> Callable[[], None]:
    """Make the check that runs immediately before connecting: the row is still ours, and there is time left.

    A worker that is late says that it has sent nothing; if nobody has doubted it by then, the next run may send.
    """

    def look() -> None:
        if run.clock.monotonic_s() >= deadline_s or not outbox.still_mine(attempt.id, run.owner):
            why = Message("attempt.late")
            outbox.record_outcome(attempt.id, AttemptState.NOT_SENT, http_status=None, raw_answer=b"", reason=why)
            raise NotSent(Listed((attempt.id, why), ": "))

    return look


S = SubmissionState

LIST_AGAIN_AFTER_S: Final = 600.0
LEASE_S: Final = 900.0


def send(run: Run, obligations: Obligations) -> None:
    """Send every approved submission of the job and period, whatever run approved it.

    Raises:
        ApprovalWanted: an approval lapsed meanwhile.
        NotSent: sending is on hold, no connection could be made, or the listing failed in between.
        SendingFrozen: ledger and service disagree.
    """
    job, period = run.job.job, run.request.period.label  # what stands approved of other periods rests on other input
    for waiting in run.ledger.submissions.list(job=job, period=period, states={S.NOT_SENT}, bodies=False):
        run.ledger.submissions.reapprove_not_sent(waiting.id, by=run.id)
    approved = run.ledger.submissions.list(job=job, period=period, states={S.APPROVED})
    doubtful = False
    for done, submission in enumerate(approved, start=1):
        check_may_send(run)
        if doubtful or listing_is_old(run) or nothing_accepted_was_listed(run):
            poll_reports(run)
        if _doubts_stop(run):
            break
        if _is_there(run, submission):
            continue
        answer = _send_one(run, submission, obligations)
        doubtful = answer is not None and answer.outcome is Outcome.IN_DOUBT
        if answer is not None and answer.mismatches:
            break
        if run.sending_stopped:
            break
        run.progress.advance("batches", done, len(approved))
        run.ledger.leases.renew(run.job.job, run.owner, LEASE_S)
    if doubtful:
        poll_reports(run)
    _report_what_was_taken_back(run, obligations)
    note_doubts(run, run.job.job)


def _doubts_stop(run: Run) -> bool:
    """Stop where too many doubts stand, of whatever run and job, or one that every batch would share.

    One batch more goes where a person asked for it; once the service has taken one again, the others follow.
    """
    doubts = run.ledger.submissions.list(states={S.IN_DOUBT}, bodies=False)
    shared = _shared_by_all(run, doubts)
    if len(doubts) < MOST_DOUBTS and shared is None:
        return False
    if run.request.options.one_more and not run.one_more_sent:
        run.one_more_sent = True
        return False
    many = Message("cli.send.doubts", count=len(doubts))
    run.end_with(ExitCode.IN_DOUBT, shared if shared and len(doubts) < MOST_DOUBTS else many)
    return True


def _shared_by_all(run: Run, doubts: Sequence[Submission]) -> Message | None:
    """Say of which doubt every batch would have its share: its answer was about none of them, and none was taken since.

    Asking for the list proves nothing: a key may read and not write.
    """
    for doubt in doubts:
        answers = run.ledger.submissions.answers(doubt.id)
        if not answers or not stops_sending(answers[-1].http_status) or doubt.sending_at is None:
            continue
        taken = run.ledger.submissions.list(states=OPEN | ENDED, bodies=False)
        if not any(other.sending_at is not None and other.sending_at > doubt.sending_at for other in taken):
            return Message("cli.send.doubt_of_all", report=doubt.report_id, status=answers[-1].http_status)
    return None


def check_may_send(run: Run) -> None:
    """Stop where a person's hold stands, or a freeze.

    Raises:
        NotSent: sending is on hold.
        SendingFrozen: ledger and service disagree.
    """
    hold = run.ledger.hold.current()
    if hold:
        raise NotSent(Message("cli.hold.standing", by=hold.by, why=hold.why))
    check_not_frozen(run)


def check_not_frozen(run: Run) -> None:
    """Stop where a freeze stands.

    Raises:
        SendingFrozen: ledger and service disagree.
    """
    freeze = run.ledger.freeze.current()
    if freeze:
        raise SendingFrozen(frozen_message(freeze))


def listing_is_old(run: Run) -> bool:
    return run.listed_at_s is None or run.clock.monotonic_s() - run.listed_at_s > LIST_AGAIN_AFTER_S


def nothing_accepted_was_listed(run: Run) -> bool:
    """Whether no list was looked at since the run's first batch was accepted.

    Two ledgers on one account, a copied one, and whatever delivers twice are noticed after one batch by that list.
    """
    return run.accepted > 0 and run.accepted_when_listed == 0


def _is_there(run: Run, submission: Submission) -> bool:
    """Take the report that the last list shows of this very attempt, whatever ledger named it: it is not sent again.

    Raises:
        SendingFrozen: the list shows several of them.
    """
    made = made_before(submission, run.listed)
    if not made:
        return False
    name = submission.report_id
    if len(made) > 1:
        seen = Message("alarm.duplicate_report", count=len(made), name=name)
        freeze(run, [Alarm("duplicate_report", name, seen)])
    reason = Message("attempt.found_before_sending", report=", ".join(sorted(names_of(made[0]))))
    freeze(run, accept_found(run, submission, made[0].id or "", by=run.id, reason=reason))
    run.messages.append(Message("cli.send.there", report=name, payments=submission.payments))
    return True


def _send_one(run: Run, submission: Submission, obligations: Obligations) -> PostAnswer | None:
    """Send one submission; None when another worker has taken it."""
    _check_bytes(submission)
    check_before_paying_again(run, submission)

    def classify(answer: PostAnswer) -> Proof:
        split_id = answer.report.id if answer.report else None
        return Proof(S(answer.outcome.value), answer.reason, split_id, _alarms_of(submission, answer))

    def post(body: bytes, *, deadline_s: float, before_connect: Callable[[], None]) -> PostAnswer:
        asked_at = run.clock.now()
        answer = post_once(
            run.require_service(),
            body,
            report_id=submission.report_id,
            was_in_doubt=submission.was_in_doubt,
            deadline_s=deadline_s,
            before_connect=before_connect,
        )
        return doubt_stale(answer, submission.report_id, asked_at)

    sent = send_once(run, run.ledger.submissions, submission, post, classify)
    if sent is None:
        _report_taken(run, submission.id)
        return None
    stands, answer = sent
    if answer.outcome is Outcome.ACCEPTED and stands.state is S.IN_DOUBT:
        answer = replace(answer, outcome=Outcome.IN_DOUBT, report=None, reason=stands.reason or answer.reason)
    _act_on(run, submission, answer, obligations)
    return answer


def _report_taken(run: Run, submission_id: str) -> None:
    """Say why a submission is not sent by this worker: another has it, or people took it back."""
    stands = run.ledger.submissions.get(submission_id)
    if stands.state is S.WITHDRAWN:
        _report_withdrawn(run, stands)
    else:
        run.show(Message("cli.send.taken", report=stands.report_id))


def _report_what_was_taken_back(run: Run, obligations: Obligations) -> None:
    planned = {
        payment.submission_id for payment in obligations if payment.place is Place.PLANNED and payment.submission_id
    }
    for submission in run.ledger.submissions.with_ids(planned):
        if submission.state is S.WITHDRAWN:
            _report_withdrawn(run, submission)


def _report_withdrawn(run: Run, submission: Submission) -> None:
    """Say, once, that people took a batch back while its plan was being sent."""
    withdrawn = Message("cli.send.withdrawn", report=submission.report_id, reason=submission.reason)
    if withdrawn not in run.messages:
        run.end_with(ExitCode.APPROVAL_WANTED, withdrawn)


def _alarms_of(submission: Submission, answer: PostAnswer) -> tuple[Alarm, ...]:
    report, name = answer.report, submission.report_id
    if report is None:
        return ()
    alarms = {
        "amount": wrong_echo("amount", name, report.totalAmount, amount_from_cents(submission.amount_cents)),
        "currency": wrong_echo("currency", name, report.currency, submission.currency),
        "taxId": wrong_echo("payer", name),
    }
    return tuple(alarm for field, alarm in alarms.items() if field in answer.mismatches)


def post_once(  # each is named at the call
    service: Service,
    body: bytes,
    *,
    report_id: str,
    was_in_doubt: bool,
    deadline_s: float,
    before_connect: Callable[[], None],
) -> PostAnswer:
    """POST /split: the one call of it there is. Whoever calls this has written the intent down, durably.

    Arguments and return value are those of `SplitApi.create_report`.
    """
    return service.api.create_report(
        body,
        report_id=report_id,
        was_in_doubt=was_in_doubt,
        deadline_s=deadline_s,
        before_connect=before_connect,
    )


def _check_bytes(submission: Submission) -> None:
    """What is sent is what was approved: the body without the attempt's two names has the approved hash."""
    content = json.loads(submission.body, parse_float=Decimal)
    if content.pop("reportId") != submission.report_id or "paymentBatchName" not in content:
        raise BrokenInvariant(f"{submission.report_id}: the stored body does not bear its name")
    del content["paymentBatchName"]
    if sha256(canonical_json(content)).hexdigest() != submission.content_hash:
        raise BrokenInvariant(f"{submission.report_id}: the stored body is not the approved one")


def _act_on(run: Run, submission: Submission, answer: PostAnswer, obligations: Obligations) -> None:
    name = submission.report_id
    run.show(Message("cli.send.outcome", report=name, outcome=answer.outcome.value, reason=answer.reason))
    if answer.outcome is Outcome.NOT_SENT:
        raise NotSent(Message("cli.send.not_sent", report=name, reason=answer.reason))
    if answer.outcome is Outcome.REFUSED:
        places = [(error.loc, error.type) for error in answer.validation_errors]
        run.issues += explain_refusal(submission, places, obligations)
        run.end_with(ExitCode.REFUSED, Message("cli.send.refused", report=name, reason=answer.reason))
    if stops_sending(answer.http_status):
        code = ExitCode.REFUSED if answer.outcome is Outcome.REFUSED else ExitCode.IN_DOUBT
        run.sending_stopped = Message("cli.send.stopped", report=name, reason=answer.reason)
        run.end_with(code, run.sending_stopped)
    run.accepted += answer.outcome is Outcome.ACCEPTED
    if answer.mismatches:
        for what in answer.mismatches:
            run.discrepancies.append(Discrepancy(kind="answer", report_id=name, message=what))
        fields = ", ".join(answer.mismatches)
        run.end_with(ExitCode.DISCREPANCIES, Message("cli.send.differs", report=name, fields=fields))
    check_not_frozen(run)
