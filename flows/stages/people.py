"""People's words on what the service does not tell: a report found by hand, one declared absent, a freeze lifted."""

import datetime as dt
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Final, TypeVar

from flows.stages.listing import accept_found, doubt_abandoned, freeze, linked_ids, look_at_service
from flows.stages.run import Run
from flows.steps.propose import absence_lacks, differs_from, look_alikes
from io_adapters.ledger.ledger import Ledger
from schemas.alarm import Alarm
from schemas.errors import ApprovalWanted, WordRefused
from schemas.person import different_people, same_person
from schemas.submission import Submission, SubmissionState
from schemas.told import Told
from schemas.wire import SplitReport

S = SubmissionState

WAIT: Final = dt.timedelta(hours=24)

_Subject = TypeVar("_Subject")
_Found = TypeVar("_Found")


def link_report(run: Run, submission_id: str, split_id: str, by: str) -> Submission:
    """Take a person's word that a report of the service is the submission in doubt; the report must not contradict it.

    A submission that was declared absent may be found by hand too.

    Raises:
        WordRefused: the submission is not in doubt, the service shows no such report, the report is another
            submission's, or it differs in name, payer, currency, total or number of payments.
        ConfigurationError: the environment names another service than the ledger's.
        NotSent: the service cannot be asked.
        SendingFrozen: the payments were sent again since; the report is linked all the same.
    """
    submission = _standing_in(run, submission_id, {S.IN_DOUBT, S.ABSENT})
    if not split_id.strip(" ."):
        raise WordRefused(Told("report.none_named"))
    service = run.require_service()
    run.ledger.service.bind_or_check(service.url, service.key_fingerprint)
    report = service.api.find_report(service.path_id(split_id=split_id, report_id=submission.report_id))
    if report is None or report.id not in {None, split_id}:
        raise WordRefused(Told("report.unknown", report=split_id))
    found_id = report.id or split_id
    others = [one for one in run.ledger.submissions.list(bodies=False) if one.split_id == found_id]
    if others:
        raise WordRefused(Told("report.taken", report=found_id, other=others[0].report_id))
    differences = differs_from(submission, report)
    if differences:
        fields = ", ".join(differences)
        raise WordRefused(Told("report.differs", report=found_id, name=submission.report_id, fields=fields))
    alarms = accept_found(run, submission, found_id, by=by, reason="found by a person")
    if alarms:
        freeze(run, alarms)
    return run.ledger.submissions.get(submission.id)


def declare_absent(run: Run, submission_ids: Iterable[str], by: Sequence[str], evidence: str) -> list[Submission]:
    """Take two people's word that the service never received submissions, and make their next attempts ready.

    A last look at the service comes first: what shows up there is accepted instead. The list that lacks the others
    must show our reports of that time (`absence_lacks`). A report without a name that could be one of them must be
    named in the evidence: then both have seen it, and know that it is not. All are declared, or none.

    Returns:
        For each the submission itself where it was found after all, or its next attempt, approved.

    Raises:
        WordRefused: one is not in doubt, or not for a day yet, or the list does not speak for its absence, or a report
            that could be it is not named; of several, each that cannot be declared is named with its reason.
        ApprovalWanted: there are not two different people, or one of them sent it.
        NotSent: the service cannot be asked; then nothing can be declared.
        SendingFrozen: ledger and service disagree.
    """
    people = different_people(by)
    if len(people) < 2:
        raise ApprovalWanted(Told("doubt.two_people"))
    names = list(dict.fromkeys(submission_ids))
    doubtful = ask_each(names, lambda name: _old_enough(run, name, people))
    reports = look_at_service(run)
    stand = {one.id: one for one in run.ledger.submissions.with_ids(names)}
    left = [one for one in doubtful if stand[one.id].state is S.IN_DOUBT]
    sent, linked = run.ledger.submissions.list(bodies=False), linked_ids(run)
    ask_each(left, lambda one: _require_absence_shown(one, sent, reports, linked, evidence))
    followed = run.ledger.submissions.declare_absent([one.id for one in left], by=by, evidence=evidence, run_id=run.id)
    following = {one.id: next_one for one, next_one in zip(left, followed, strict=True)}
    return [following.get(name, stand[name]) for name in names]


def ask_each(subjects: Sequence[_Subject], ask: Callable[[_Subject], _Found]) -> list[_Found]:
    """Ask about each; several refusals are told together, and one alone as it is."""
    found, refusals = list[_Found](), list[WordRefused | ApprovalWanted]()
    for subject in subjects:
        try:
            found.append(ask(subject))
        except (WordRefused, ApprovalWanted) as refused:
            refusals.append(refused)
    if refusals and len(subjects) == 1:
        raise refusals[0]
    if refusals:
        raise WordRefused(Told("doubt.none_declared", why=tuple(refused.told for refused in refusals)))
    return found


def _old_enough(run: Run, name: str, people: Collection[str]) -> Submission:
    """Return a submission that has been in doubt for a day, and that none of these people sent."""
    submission = _standing_in(run, name, {S.IN_DOUBT})
    if submission.sending_at is not None and run.clock.now() < submission.sending_at + WAIT:
        since = f"{submission.sending_at + WAIT:%Y-%m-%d %H:%M} UTC"
        raise WordRefused(Told("doubt.wait", name=submission.report_id, since=since))
    sender = run.ledger.runs.get(submission.run_id)
    if sender is not None and same_person(sender.prepared_by) in people:
        raise ApprovalWanted(Told("doubt.sender_of", name=submission.report_id))
    return submission


def _require_absence_shown(
    submission: Submission,
    sent: Sequence[Submission],
    reports: Sequence[SplitReport],
    linked: Collection[str],
    evidence: str,
) -> None:
    alike = [report.id or "" for report in look_alikes(submission, reports, linked)]
    unnamed = [split_id for split_id in alike if split_id not in evidence]
    if unnamed:
        raise WordRefused(Told("doubt.alike", name=submission.report_id, reports=", ".join(unnamed)))
    lacks = absence_lacks(submission, sent, reports, evidence)
    if lacks is not None:
        raise WordRefused(lacks)


def take_link_back(run: Run, submission_id: str, by: Sequence[str], evidence: str) -> Submission:
    """Take two people's word that a report found by likeness is another one; the submission is in doubt again.

    Raises:
        WordRefused: its report was not found by likeness.
        ApprovalWanted: there are not two different people.
        SendingFrozen: what it pays was sent again since; the link is taken back all the same.
    """
    name = submission_id
    paid_twice = run.ledger.submissions.take_link_back(submission_id, by=by, evidence=evidence, language=run.language)
    if paid_twice:
        freeze(run, [Alarm("paid_twice", name, Told("alarm.paid_twice", name=name, count=len(paid_twice)))])
    return run.ledger.submissions.get(submission_id)


def _standing_in(run: Run, submission_id: str, states: set[SubmissionState]) -> Submission:
    """Return a submission, with its body, that stands where a word on it makes sense."""
    doubt_abandoned(run)
    known = {one.id: one for one in run.ledger.submissions.list(states=states | {S.SENDING})}
    if submission_id not in known:
        raise WordRefused(Told("doubt.not_in_doubt", name=submission_id))
    if known[submission_id].state is S.SENDING:
        raise WordRefused(Told("doubt.being_sent", name=submission_id))
    return known[submission_id]


def lift_freeze(ledger: Ledger, accepted: Sequence[str], by: Sequence[str], evidence: str) -> tuple[str, ...]:
    """Take two people's word that what froze sending is understood: every tag must be accepted by name.

    Returns:
        The tags that no longer freeze sending.

    Raises:
        WordRefused: nothing is frozen, or a tag of the freeze is not accepted, or one is not of the freeze.
        ApprovalWanted: there are not two different people.
    """
    standing = ledger.freeze.current()
    if standing is None:
        raise WordRefused(Told("freeze.none"))
    if len(different_people(by)) < 2:
        raise ApprovalWanted(Told("freeze.two_people"))
    wrong = sorted(set(standing.tags) ^ set(accepted))
    if wrong:
        raise WordRefused(Told("freeze.names", tags=", ".join(standing.tags), wrong=", ".join(wrong)))
    ledger.freeze.lift(by, evidence, accepted)
    return standing.tags
