"""The oracle: what the service received and created, against what the ledger says of it."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from io_adapters.ledger.ledger import Ledger
from schemas.errors import ExitCode
from schemas.submission import LIVE, Submission, SubmissionState
from tests.flows.jobs import JOB, PERIOD
from tests.simulation.behaviours import PATIENCE_S
from tests.simulation.clock import BEGINNING
from tests.simulation.service import Created
from tests.simulation.world import World

S = SubmissionState

IN_THE_SERVICE: Final = {S.ACCEPTED, S.PROCESSING, S.PAID, S.PARTIAL, S.FAILED, S.EXCLUDED}
WOKE_TOO_LATE: Final = "was late and has lost the row"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of one scenario.

    Attributes:
        doubles: Payments that were, or could have been, made twice.
        lost: Obligations that are nowhere.
        lies: What the ledger says and the service does not bear out, and other breaches of what is promised.
        needs_a_person: Whether something is still in doubt, or sending is frozen.
        was_all_created: Whether the service has a report for every payment, whatever the ledger knows of it.
        is_frozen: Whether people must look before anything more is sent.
        posts: How many POSTs arrived.
    """

    doubles: tuple[str, ...]
    lost: tuple[str, ...]
    lies: tuple[str, ...]
    needs_a_person: bool
    was_all_created: bool
    is_frozen: bool
    posts: int

    @property
    def violations(self) -> tuple[str, ...]:
        """Everything that must not be."""
        return (*self.doubles, *self.lost, *self.lies)


def judge(world: World, owed: frozenset[str]) -> Verdict:
    """Hold a world's ledger against its service.

    Args:
        world: After everything.
        owed: The obligations that were to be paid.
    """
    with world.ledger() as ledger:
        submissions = ledger.submissions.list()
        lies = [*_untrue(world, submissions), *_unseen(world, submissions), *_ill_posted(world, submissions)]
        lies += _breaches(world, ledger, submissions)
        lies += [
            f"the journal is wrong about {name}" for name in ledger.journal.disagreeing(one.id for one in submissions)
        ]
        lies += ["the journal does not balance"] if sum(ledger.journal.balances().values()) else []
        frozen = ledger.freeze.current() is not None
        mood = world.service.behaviour
        contradicts = mood.freezes or mood.answers_of != "itself"
        waits = world.stopped_at_s is not None or (frozen and contradicts)
        lost = () if waits else tuple(_lost(world, ledger, owed))
    if world.stopped_at_s is not None:
        lies += [
            f"{post.report_id} was posted all the same"
            for post in world.service.posts
            if post.at_s > world.stopped_at_s
        ]
    doubtful = any(submission.state in {S.IN_DOUBT, S.SENDING} for submission in submissions)
    created = {key for report in world.service.created for key in report.post.obligations}
    doubles, posts = tuple(_doubles(world)), len(world.service.posts)
    return Verdict(doubles, lost, tuple(lies), frozen or doubtful, owed <= created, frozen, posts)


def _doubles(world: World) -> Iterator[str]:
    """Nobody ever says a word here: of what was not refused as documented, each person is asked for once, ever.

    Judged by the person, whom the office owes one payment, and not by any key of ours; a report that failed, or was
    never proven to exist, is no excuse.
    """
    may_pay = [post for post in world.service.posts if not post.behaviour.refuses]
    for payee, count in Counter(payee for post in may_pay for payee in post.payees).items():
        if count > 1:
            yield f"payment {_position(world, payee)} was sent {count} times"
    for name, count in Counter(post.report_id for post in world.service.posts).items():
        if count > 1:
            yield f"{name} was posted {count} times"


def _position(world: World, payee: str) -> int:
    """Name a payee by the place of their first payment: no document is told."""
    return [one for post in world.service.posts for one in post.payees].index(payee) + 1


def _lost(world: World, ledger: Ledger, owed: frozenset[str]) -> Iterator[str]:
    paid = {key for report in world.service.created if report.paid_parts for key in report.post.obligations}
    for key in sorted(owed - paid):
        said = {claim.state for claim in ledger.claims.trace(key)}
        if not said & {S.IN_DOUBT, S.REFUSED, S.EXCLUDED, S.PARTIAL, S.FAILED}:
            yield f"{key} is not paid, and the ledger says {sorted(said)}"
    posted = {key for post in world.service.posts for key in post.obligations}
    for key in sorted(posted - owed):
        yield f"{key} was posted and nobody owes it"


def _untrue(world: World, submissions: list[Submission]) -> Iterator[str]:
    """No false paid, no false refused."""
    created = {(report.post.report_id, report.split_id): report for report in world.service.created}
    first = {name: report for (name, _), report in reversed(created.items())}
    for submission in submissions:
        report = created.get((submission.report_id, submission.split_id or ""), first.get(submission.report_id))
        if submission.state in IN_THE_SERVICE and report is None:
            yield f"{submission.report_id} is {submission.state}, and there is no such report"
        elif report is not None and submission.state not in IN_THE_SERVICE | {S.IN_DOUBT, S.SENDING}:
            yield f"{submission.report_id} is {submission.state}, and the report exists"
        elif report is not None and submission.state in IN_THE_SERVICE:
            yield from _untrue_of_report(submission, report)


def _untrue_of_report(one: Submission, report: Created) -> Iterator[str]:
    if one.split_id != report.split_id:
        yield f"{one.report_id} is taken for {one.split_id}, and is {report.split_id}"
    if one.state is S.PAID and report.paid_parts != one.payments:
        yield f"{one.report_id} is paid, and only {report.paid_parts} payments were made"
    if one.state is S.FAILED and report.paid_parts:
        yield f"{one.report_id} has failed, and {report.paid_parts} payments were made"


def _unseen(world: World, submissions: list[Submission]) -> Iterator[str]:
    """Every report is one that the ledger wrote down, and one that the list shows by name does not stay in doubt."""
    stored = {submission.report_id: submission for submission in submissions}
    listing = world.service.listing
    frozen = any(ending.codes and ExitCode.FROZEN in ending.codes for ending in world.endings)
    for report in world.service.created:
        one = stored.get(report.post.report_id)
        if one is None and not frozen:
            yield f"{report.post.report_id} was created and the ledger does not know it"
        elif report.post.behaviour.copies > 1 and not frozen and listing.report_id:
            yield f"{report.post.report_id} exists twice, and sending is not frozen"
        elif one and one.state in {S.IN_DOUBT, S.SENDING} and not frozen and (listing.report_id or listing.batch_name):
            yield f"{one.report_id} is in the list and still {one.state}"


def _ill_posted(world: World, submissions: list[Submission]) -> Iterator[str]:
    """Other bytes than those that were written down, or at another time."""
    stored = {submission.report_id: submission for submission in submissions}
    for post in world.service.posts:
        one = stored.get(post.report_id)
        if one is None:
            continue
        if one.body != post.body:
            yield f"{one.report_id}: other bytes arrived than were written down"
        began_s = (one.sending_at - BEGINNING).total_seconds() if one.sending_at else post.at_s + 1
        if not began_s <= post.at_s <= began_s + PATIENCE_S and not world.wakes_on_the_wire:
            yield f"{one.report_id} was posted outside the time that was written down"


def _breaches(world: World, ledger: Ledger, submissions: list[Submission]) -> Iterator[str]:
    if world.is_restless:
        yield "every run changes something again"
    for ending in world.endings:
        if (
            ending.codes
            and ExitCode.BUG in ending.codes
            and not any(WOKE_TOO_LATE in message for message in ending.messages)
        ):
            yield f"a process ended with a bug: {ending.messages}"
    live = {claim.obligation_key: claim.submission_id for claim in ledger.claims.live_of(JOB, PERIOD)}
    for submission in submissions:
        after_not_sent = [
            line.after for line in ledger.submissions.transitions(submission.id) if line.before is S.NOT_SENT
        ]
        if set(after_not_sent) - {S.APPROVED}:
            yield f"{submission.report_id} was not sent, and does not go under its own name"
        for payment in ledger.claims.payments_of(submission.id) if submission.state in LIVE else ():
            if live.get(payment.obligation_key) != submission.id:
                yield f"{submission.report_id} is {submission.state} and does not claim {payment.obligation_key}"
