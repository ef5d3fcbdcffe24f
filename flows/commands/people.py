"""resolve, unfreeze, decide: people's words on what neither ledger nor service can tell."""

from collections.abc import Sequence
from typing import Any

from flows.approvals.decisions import Word, decide, declare_absent, lift_freeze, link_report, take_link_back
from flows.opening import open_ledger_of, utc_now
from flows.run import Clock, Run
from flows.runner import SYSTEM_CLOCK, opened_run, whoever_runs_this
from flows.sending.exchange_rates import declare_rates_absent, link_rate
from flows.settings import read_settings
from flows.terminal.printing import QuietProgress, console_for
from io_adapters.ledger.approvals_missing import require_typed_name_counts
from schemas.approval import DecisionKind
from schemas.errors import DecisionRefused
from schemas.exchange_update import ID_PREFIX
from schemas.exit_codes import ExitCode
from schemas.submission import Submission

Result = tuple[ExitCode, dict[str, Any]]


def resolve_doubts(  # each is named at the call
    subjects: Sequence[str],
    *,
    report: str | None = None,
    absent: bool = False,
    by: Sequence[str],
    evidence: str,
    as_json: bool,
    clock: Clock = SYSTEM_CLOCK,
) -> Result:
    """Take people's word on submissions, or exchange updates, in doubt: they are there, or never arrived."""
    if (report is None) == (not absent):
        raise DecisionRefused("say either --report ID or --absent")
    if report is not None and len(subjects) != 1:
        raise DecisionRefused("--report names the report of one submission")
    if len({subject.startswith(ID_PREFIX) for subject in subjects}) != 1:
        raise DecisionRefused("speak of submissions (rp-...) and of exchange rates (xr-...) in words of their own")
    people = [name.strip() for name in by if name.strip()]
    if absent and not evidence.strip():
        raise DecisionRefused("--absent needs --evidence: what do you both rely on?")
    with opened_run("resolve", None, read_settings(), QuietProgress(), clock) as run:
        for subject in subjects:
            _require_typed_word_counts(run, subject)
        if subjects[0].startswith(ID_PREFIX):
            return _resolve_rates(run, subjects, report, people, evidence.strip(), as_json=as_json)
        if report is not None:
            told = [link_report(run, subjects[0], report, ", ".join(people) or whoever_runs_this())]
        else:
            told = declare_absent(run, subjects, people, evidence.strip())
    console = console_for(as_json=as_json)
    for subject, stands in zip(dict.fromkeys(subjects), told, strict=True):
        console.print(_resolved(subject, stands), soft_wrap=True)
    resolved = [
        {"submission": stands.id, "state": stands.state.value, "split_id": stands.split_id, "of": subject}
        for subject, stands in zip(dict.fromkeys(subjects), told, strict=True)
    ]
    return ExitCode.DONE, {"resolved": resolved}


def _resolved(subject: str, stands: Submission) -> str:
    if stands.id != subject:
        return f"{stands.id} goes with the next run"
    return f"{subject} is report {stands.split_id}"


def take_links_back(subjects: Sequence[str], *, by: Sequence[str], evidence: str, as_json: bool) -> Result:
    """Take people's word that the reports some submissions were linked to by likeness are others."""
    people = [name.strip() for name in by if name.strip()]
    if not evidence.strip():
        raise DecisionRefused("--unlink needs --evidence: what do you both rely on?")
    console, taken_back = console_for(as_json=as_json), []
    with opened_run("resolve", None, read_settings(), QuietProgress()) as run:
        for subject in subjects:
            _require_typed_word_counts(run, subject)
        for subject in dict.fromkeys(subjects):
            stands = take_link_back(run, subject, people, evidence.strip())
            console.print(f"{subject} is in doubt again", soft_wrap=True)
            taken_back.append({"submission": stands.id, "state": stands.state.value, "split_id": None, "of": subject})
    return ExitCode.DONE, {"resolved": taken_back}


def _require_typed_word_counts(run: Run, subject: str) -> None:
    """Refuse a typed name for a submission, or an exchange update, of a job whose people have to sign in."""
    if subject.startswith(ID_PREFIX):
        jobs = {update.job for update in run.ledger.exchange_updates.list() if update.id == subject}
    else:
        jobs = {one.job for one in run.ledger.submissions.with_ids([subject])}
    for job in jobs:
        require_typed_name_counts(run.ledger, job)


def _resolve_rates(  # each is named at the call
    run: Run, updates: Sequence[str], report: str | None, people: Sequence[str], evidence: str, *, as_json: bool
) -> Result:
    """Take people's word on exchange rates: the report has it, or the service never set it."""
    if report is not None:
        told = [link_rate(run, updates[0], report, ", ".join(people) or whoever_runs_this())]
    else:
        told = declare_rates_absent(run, updates, people, evidence)
    console = console_for(as_json=as_json)
    resolved = []
    for update, stands in zip(dict.fromkeys(updates), told, strict=True):
        same = stands.id == update
        words = f"{update}: {stands.state.value}" if same else f"{stands.id} goes with the next run or settle"
        console.print(words, soft_wrap=True)
        facts = {"exchange_update": stands.id, "state": stands.state.value, "report_id": stands.report_id}
        resolved.append(facts | {"of": update})
    return ExitCode.DONE, {"resolved": resolved}


def unfreeze_sending(accept: Sequence[str], *, by: Sequence[str], evidence: str, as_json: bool) -> Result:
    """Let sending go on after ledger and service disagreed; two people name what they have looked into."""
    people = [name.strip() for name in by if name.strip()]
    if not evidence.strip():
        raise DecisionRefused("unfreeze needs --evidence: what did you both see?")
    with open_ledger_of(read_settings(), create=False) as ledger:
        require_typed_name_counts(ledger, None)
        tags = lift_freeze(ledger, accept, people, evidence.strip())
    console_for(as_json=as_json).print(f"sending goes on; accepted: {', '.join(tags)}", soft_wrap=True)
    return ExitCode.DONE, {"accepted": list(tags)}


def decide_obligations(keys: Sequence[str], kind: DecisionKind, *, by: str, evidence: str, as_json: bool) -> Result:
    """Record a person's word on obligations: in conflict, of partial or excluded reports, or paid outside."""
    if not by.strip() or not evidence.strip():
        raise DecisionRefused("a decision needs --by NAME and --evidence TEXT")
    word = Word(kind, by.strip(), evidence.strip(), utc_now())
    with open_ledger_of(read_settings(), create=False) as ledger:
        decisions = decide(ledger, keys, word, lambda: opened_run("decide", None, read_settings(), QuietProgress()))
    said = {DecisionKind.PAY: "the next run may pay", DecisionKind.PAID: "paid", DecisionKind.DROP: "dropped"}[kind]
    console = console_for(as_json=as_json)
    console.print(f"{len(decisions)} obligations: {said}, says {word.by}; the next `settle` tells it in the books")
    told = [
        {"obligation": decision.obligation_key, "report_id": decision.submission_id or None} for decision in decisions
    ]
    return ExitCode.DONE, {"decided": told}
