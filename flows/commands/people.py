"""resolve, unfreeze, decide: people's words on what neither ledger nor service can tell."""

from collections.abc import Sequence
from typing import Any

from flows.opening import open_ledger_of, utc_now
from flows.settings import read_settings
from flows.stages.decide import Word, decide
from flows.stages.people import declare_absent, lift_freeze, link_report
from flows.stages.rate_words import declare_rate_absent, link_rate
from flows.stages.run import Clock, Run
from flows.stages.words_given import require_typed_word_counts
from flows.terminal.printing import QuietProgress, console_for
from flows.wiring import SYSTEM_CLOCK, opened_run, whoever_runs_this
from schemas.decision import DecisionKind
from schemas.errors import WordRefused
from schemas.exchange_update import ID_PREFIX
from schemas.exit_codes import ExitCode

Result = tuple[ExitCode, dict[str, Any]]


def resolve_submission(  # each is named at the call
    submission: str,
    *,
    report: str | None,
    absent: bool,
    by: Sequence[str],
    evidence: str,
    as_json: bool,
    clock: Clock = SYSTEM_CLOCK,
) -> Result:
    """Take people's word on a submission, or an exchange update, in doubt: it is there, or never arrived."""
    if (report is None) == (not absent):
        raise WordRefused("say either --report ID or --absent")
    people = [name.strip() for name in by if name.strip()]
    if absent and not evidence.strip():
        raise WordRefused("--absent needs --evidence: what do you both rely on?")
    with opened_run("resolve", None, read_settings(), QuietProgress(), clock) as run:
        _require_typed_word_counts(run, submission)
        if submission.startswith(ID_PREFIX):
            return _resolve_rate(run, submission, report, people, evidence.strip(), as_json=as_json)
        if report is not None:
            told = link_report(run, submission, report, ", ".join(people) or whoever_runs_this())
        else:
            told = declare_absent(run, submission, people, evidence.strip())
    found = told.id == submission
    words = f"{submission} is report {told.split_id}" if found else f"{told.id} goes with the next run"
    console_for(as_json=as_json).print(words, soft_wrap=True)
    return ExitCode.DONE, {"submission": told.id, "state": told.state.value, "split_id": told.split_id}


def _require_typed_word_counts(run: Run, subject: str) -> None:
    """Refuse a typed name for a submission, or an exchange update, of a job whose people have to sign in."""
    if subject.startswith(ID_PREFIX):
        jobs = {one.job for one in run.ledger.exchange_updates.list() if one.id == subject}
    else:
        jobs = {one.job for one in run.ledger.submissions.with_ids([subject])}
    for job in jobs:
        require_typed_word_counts(run.ledger, job)


def _resolve_rate(  # each is named at the call
    run: Run, update: str, report: str | None, people: Sequence[str], evidence: str, *, as_json: bool
) -> Result:
    """Take people's word on an exchange rate: the report has it, or the service never set it."""
    if report is not None:
        told = link_rate(run, update, report, ", ".join(people) or whoever_runs_this())
    else:
        told = declare_rate_absent(run, update, people, evidence)
    words = f"{update}: {told.state.value}" if told.id == update else f"{told.id} goes with the next run or settle"
    console_for(as_json=as_json).print(words, soft_wrap=True)
    return ExitCode.DONE, {"exchange_update": told.id, "state": told.state.value, "report_id": told.report_id}


def unfreeze_sending(accept: Sequence[str], *, by: Sequence[str], evidence: str, as_json: bool) -> Result:
    """Let sending go on after ledger and service disagreed; two people name what they have looked into."""
    people = [name.strip() for name in by if name.strip()]
    if not evidence.strip():
        raise WordRefused("unfreeze needs --evidence: what did you both see?")
    with open_ledger_of(read_settings(), create=False) as ledger:
        require_typed_word_counts(ledger, None)
        tags = lift_freeze(ledger, accept, people, evidence.strip())
    console_for(as_json=as_json).print(f"sending goes on; accepted: {', '.join(tags)}", soft_wrap=True)
    return ExitCode.DONE, {"accepted": list(tags)}


def decide_obligations(keys: Sequence[str], kind: DecisionKind, *, by: str, evidence: str, as_json: bool) -> Result:
    """Record a person's word on obligations: in conflict, of partial or excluded reports, or paid outside."""
    if not by.strip() or not evidence.strip():
        raise WordRefused("a decision needs --by NAME and --evidence TEXT")
    word = Word(kind, by.strip(), evidence.strip(), utc_now())
    with open_ledger_of(read_settings(), create=False) as ledger:
        decisions = decide(ledger, keys, word)
    said = {DecisionKind.PAY: "the next run may pay", DecisionKind.PAID: "paid", DecisionKind.DROP: "dropped"}[kind]
    console = console_for(as_json=as_json)
    console.print(f"{len(decisions)} obligations: {said}, says {word.by}; the next `settle` tells it in the books")
    told = [{"obligation": one.obligation_key, "report_id": one.submission_id or None} for one in decisions]
    return ExitCode.DONE, {"decided": told}
