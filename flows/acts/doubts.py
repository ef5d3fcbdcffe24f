"""What is in doubt: submissions and exchange rates that the service may have or not, and what people know of them."""

from collections.abc import Collection, Iterable, Sequence
from typing import Final

from flows.acts.act import FIRST, Done, House, Word, together
from flows.acts.forms import DeclareAbsent, LinkReport, TakeLinkBack
from flows.acts.rates import WAIT, ask_each, declare_rates_absent, link_rate
from flows.acts.rates import old_enough as rate_old_enough
from flows.reports.report_list import accept_found, doubt_abandoned, freeze, linked_ids, poll_reports
from flows.reports.rules.report_list import Candidate, absence_lacks, candidates_of, differs_from, look_alikes
from flows.run import Run
from schemas.errors import ApprovalWanted, DecisionRefused
from schemas.exchange_update import ID_PREFIX, ExchangeUpdate
from schemas.messages import Message
from schemas.submission import LIKENESS, Alarm, Submission, SubmissionState
from schemas.values.names import different_people, same_person
from schemas.wire import SplitReport

S = SubmissionState
ABSENT: Final = "absent"
UNLIKE: Final = "unlike"


def link(house: House, word: Word, said: LinkReport) -> Done:
    """Take a person's word on which report of the service something in doubt is; the report must not contradict it."""
    with house.asking() as run:
        word.require_counts(house.ledger, _jobs_of(run, [said.subject]))
        if said.subject.startswith(ID_PREFIX):
            rate = link_rate(run, said.subject, said.report, word.by)
            return Done("linked", *_told_of_rates([said.subject], [rate]))
        linked = _link_report(run, said.subject, said.report, word.by)
    return Done("linked", *_told([said.subject], [linked]))


def declare_absent(house: House, word: Word, said: DeclareAbsent) -> Done:
    """Take two people's word that the service never had some submissions, or some exchange rates."""
    subjects = list(dict.fromkeys(said.subjects))
    are_rates = {subject.startswith(ID_PREFIX) for subject in subjects}
    if len(are_rates) != 1:
        raise DecisionRefused(Message("error.both_kinds"))
    with house.asking() as run:
        word.require_counts(house.ledger, _jobs_of(run, subjects))
        are_old = rate_old_enough if are_rates == {True} else _old_enough
        if word.is_signed_in:  # a first word is only kept of what can be declared
            ask_each(subjects, lambda subject: are_old(run, subject, different_people(word.people)))
        both = together(house, word, ABSENT, " ".join(subjects), said.evidence, alone=Message("doubt.two_people"))
        if both is None:
            return FIRST
        people, evidence = both
        if are_rates == {True}:
            rates = declare_rates_absent(run, subjects, people.people, evidence)
            return Done("absent", *_told_of_rates(subjects, rates))
        declared = _declare_absent(run, subjects, people.people, evidence)
    return Done("absent", *_told(subjects, declared))


def take_link_back(house: House, word: Word, said: TakeLinkBack) -> Done:
    """Take two people's word that reports found by likeness are others; the submissions are in doubt again."""
    subjects = list(dict.fromkeys(said.subjects))
    with house.asking() as run:
        word.require_counts(house.ledger, _jobs_of(run, subjects))
        ask_each(subjects, lambda subject: _require_likeness(run, subject))
        both = together(house, word, UNLIKE, " ".join(subjects), said.evidence, alone=Message("doubt.two_people"))
        if both is None:
            return FIRST
        people, evidence = both
        taken_back = [_take_link_back(run, subject, people.people, evidence) for subject in subjects]
    lines = tuple(Message("cli.resolved.taken_back", what=subject) for subject in subjects)
    return Done("taken_back", lines, {"resolved": [_facts(*one) for one in zip(subjects, taken_back, strict=True)]})


def _jobs_of(run: Run, subjects: Collection[str]) -> Collection[str]:
    rates = [update.job for update in run.ledger.exchange_updates.list() if update.id in subjects]
    return sorted({*rates, *(submission.job for submission in run.ledger.submissions.with_ids(subjects))})


def _told(subjects: Sequence[str], resolved: Sequence[Submission]) -> tuple[tuple[Message, ...], dict[str, object]]:
    lines, facts = list[Message](), list[dict[str, object]]()
    for subject, stands in zip(subjects, resolved, strict=True):
        key = "cli.resolved.linked" if stands.id == subject else "cli.resolved.absent"
        lines.append(Message(key, what=subject, report=stands.split_id or "-", next=stands.id))
        facts.append(_facts(subject, stands))
    return tuple(lines), {"resolved": facts}


def _facts(subject: str, stands: Submission) -> dict[str, object]:
    return {"submission": stands.id, "state": stands.state.value, "split_id": stands.split_id, "of": subject}


def _told_of_rates(
    subjects: Sequence[str], resolved: Sequence[ExchangeUpdate]
) -> tuple[tuple[Message, ...], dict[str, object]]:
    lines, facts = list[Message](), list[dict[str, object]]()
    for subject, stands in zip(subjects, resolved, strict=True):
        key = "cli.resolved.rate" if stands.id == subject else "cli.resolved.rate_absent"
        state = stands.state.value
        lines.append(Message(key, what=subject, state=Message(f"state.{state}"), next=stands.id))
        rate = {"exchange_update": stands.id, "state": state}
        facts.append({**rate, "report_id": stands.report_id, "of": subject})
    return tuple(lines), {"resolved": facts}


def _link_report(run: Run, submission_id: str, split_id: str, by: str) -> Submission:
    """Take a person's word that a report of the service is the submission in doubt; the report must not contradict it.

    A submission that was declared absent may be found by hand too.

    Raises:
        DecisionRefused: the submission is not in doubt, the service shows no such report, the report is another
            submission's, or it differs in name, payer, currency, total or number of payments.
        ConfigurationError: the environment names another service than the ledger's.
        NotSent: the service cannot be asked.
        SendingFrozen: the payments were sent again since; the report is linked all the same.
    """
    submission = _submission_in(run, submission_id, {S.IN_DOUBT, S.ABSENT})
    if not split_id.strip(" ."):
        raise DecisionRefused(Message("report.none_named"))
    service = run.require_service()
    run.ledger.service.bind_or_check(service.url, service.key_fingerprint)
    report = service.api.find_report(service.path_id(split_id=split_id, report_id=submission.report_id))
    if report is None or report.id not in {None, split_id}:
        raise DecisionRefused(Message("report.unknown", report=split_id))
    found_id = report.id or split_id
    others = [other for other in run.ledger.submissions.list(bodies=False) if other.split_id == found_id]
    if others:
        raise DecisionRefused(Message("report.taken", report=found_id, other=others[0].report_id))
    differences = differs_from(submission, report)
    if differences:
        fields = ", ".join(differences)
        raise DecisionRefused(Message("report.differs", report=found_id, name=submission.report_id, fields=fields))
    reason = Message("attempt.found_by_person")
    alarms = accept_found(run, submission, found_id, by=by, reason=reason, is_persons_word=True)
    if alarms:
        freeze(run, alarms)
    return run.ledger.submissions.get(submission.id)


def look_for(run: Run, submission_id: str) -> tuple[Submission, tuple[Candidate, ...]]:
    """Ask the service which of its reports a submission in doubt could be; takes nobody's word.

    Raises:
        DecisionRefused: the submission is not in doubt.
        NotSent: the service cannot be asked.
    """
    submission = _submission_in(run, submission_id, {S.IN_DOUBT, S.ABSENT})
    reports = run.require_service().api.list_all_reports()
    return submission, candidates_of(submission, reports, linked_ids(run))


def _declare_absent(run: Run, submission_ids: Iterable[str], by: Sequence[str], evidence: str) -> list[Submission]:
    """Take two people's word that the service never received submissions, and make their next attempts ready.

    A last look at the service comes first: what shows up there is accepted instead. The list that lacks the others
    must show our reports of that time (`absence_lacks`). A report without a name that could be one of them must be
    named in the evidence: then both have seen it, and know that it is not. All are declared, or none.

    Raises:
        DecisionRefused: one is not in doubt, or not for a day yet, or the list does not speak for its absence, or a
            report that could be it is not named; of several, each that cannot be declared is named with its reason.
        ApprovalWanted: one of them sent it.
        NotSent: the service cannot be asked; then nothing can be declared.
        SendingFrozen: ledger and service disagree.
    """
    people = different_people(by)
    names = list(dict.fromkeys(submission_ids))
    doubtful = ask_each(names, lambda name: _old_enough(run, name, people))
    reports = poll_reports(run)
    stand = {submission.id: submission for submission in run.ledger.submissions.with_ids(names)}
    left = [submission for submission in doubtful if stand[submission.id].state is S.IN_DOUBT]
    sent, linked = run.ledger.submissions.list(bodies=False), linked_ids(run)
    ask_each(left, lambda submission: _require_absence_shown(run, submission, sent, reports, linked, evidence))
    followed = run.ledger.submissions.declare_absent(
        [submission.id for submission in left], by=by, evidence=evidence, run_id=run.id
    )
    following = {before.id: next_one for before, next_one in zip(left, followed, strict=True)}
    return [following.get(name, stand[name]) for name in names]


def _old_enough(run: Run, name: str, people: Collection[str]) -> Submission:
    """Return a submission that has been in doubt for a day, or had no funds, and that none of these people sent."""
    submission = _submission_in(run, name, {S.IN_DOUBT})
    too_young = submission.sending_at is not None and run.clock.now() < submission.sending_at + WAIT
    if submission.sending_at is not None and too_young and not _had_no_funds(run, submission):
        since = f"{submission.sending_at + WAIT:%Y-%m-%d %H:%M} UTC"
        raise DecisionRefused(Message("doubt.wait", name=submission.report_id, since=since))
    sender = run.ledger.runs.get(submission.run_id)
    if sender is not None and same_person(sender.prepared_by) in people:
        raise ApprovalWanted(Message("doubt.sender_of", name=submission.report_id))
    return submission


def _had_no_funds(run: Run, submission: Submission) -> bool:
    """Whether the service has answered that there is no money for it: then nothing of it is still under way."""
    answers, assumed = run.ledger.submissions.answers(submission.id), run.require_service().assumptions
    return bool(answers) and answers[-1].http_status in assumed.no_funds_statuses


def _require_absence_shown(  # what the list is held against
    run: Run,
    submission: Submission,
    sent: Sequence[Submission],
    reports: Sequence[SplitReport],
    linked: Collection[str],
    evidence: str,
) -> None:
    alike = [report.id or "" for report in look_alikes(submission, reports, linked)]
    unnamed = [split_id for split_id in alike if split_id not in evidence]
    if unnamed:
        raise DecisionRefused(Message("doubt.alike", name=submission.report_id, reports=", ".join(unnamed)))
    lacks = absence_lacks(submission, sent, reports, evidence, is_refused=_had_no_funds(run, submission))
    if lacks is not None:
        raise DecisionRefused(lacks)


def _take_link_back(run: Run, submission_id: str, by: Sequence[str], evidence: str) -> Submission:
    """Take two people's word that a report found by likeness is another one; the submission is in doubt again.

    Raises:
        DecisionRefused: its report was not found by likeness.
        ApprovalWanted: there are not two different people.
        SendingFrozen: what it pays was sent again since; the link is taken back all the same.
    """
    name = submission_id
    paid_twice = run.ledger.submissions.take_link_back(submission_id, by=by, evidence=evidence)
    if paid_twice:
        freeze(run, [Alarm("paid_twice", name, Message("alarm.paid_twice", name=name, count=len(paid_twice)))])
    return run.ledger.submissions.get(submission_id)


def _require_likeness(run: Run, name: str) -> None:
    if name not in {submission.id for submission in run.ledger.submissions.list(linked_by=LIKENESS, bodies=False)}:
        raise DecisionRefused(Message("doubt.not_by_likeness", name=name))


def _submission_in(run: Run, submission_id: str, states: set[SubmissionState]) -> Submission:
    doubt_abandoned(run)
    known = {submission.id: submission for submission in run.ledger.submissions.list(states=states | {S.SENDING})}
    if submission_id not in known:
        raise DecisionRefused(Message("doubt.not_in_doubt", name=submission_id))
    if known[submission_id].state is S.SENDING:
        raise DecisionRefused(Message("doubt.being_sent", name=submission_id))
    return known[submission_id]
