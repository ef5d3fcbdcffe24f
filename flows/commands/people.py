"""resolve, unfreeze, decide: people's words on what neither ledger nor service can tell."""

from collections.abc import Sequence
from typing import Any

from flows.settings import read_settings
from flows.stages.document import RunDocument
from flows.stages.people import declare_absent, lift_freeze, link_report
from flows.terminal import QuietProgress, console_for
from flows.wiring import open_ledger_of, opened_run, utc_now, whoever_runs_this
from io_adapters.ledger.ledger import Ledger
from schemas.decision import Decision, DecisionKind
from schemas.errors import ApprovalWanted, WordRefused
from schemas.exit_codes import ExitCode
from schemas.plan import Place
from schemas.submission import SubmissionState
from schemas.tables.frames import Record, records

Result = tuple[ExitCode, dict[str, Any]]

RUNS_SEARCHED = 50


def resolve_submission(  # each is named at the call
    submission: str, *, report: str | None, absent: bool, by: Sequence[str], evidence: str, as_json: bool
) -> Result:
    """Take people's word on a submission in doubt: it is this report, or the service never received it."""
    if (report is None) == (not absent):
        raise WordRefused("say either --report ID or --absent")
    people = [name.strip() for name in by if name.strip()]
    if absent and not evidence.strip():
        raise WordRefused("--absent needs --evidence: what do you both rely on?")
    with opened_run("resolve", None, read_settings(), QuietProgress()) as run:
        if report is not None:
            told = link_report(run, submission, report, ", ".join(people) or whoever_runs_this())
        else:
            if len({name.casefold() for name in people}) < 2:
                raise ApprovalWanted("--absent takes the word of two different people: --by A --by B")
            told = declare_absent(run, submission, people, evidence)
    found = told.id == submission
    words = f"{submission} is report {told.split_id}" if found else f"{told.id} goes with the next run"
    console_for(as_json=as_json).print(words, soft_wrap=True)
    return ExitCode.DONE, {"submission": told.id, "state": told.state.value, "split_id": told.split_id}


def unfreeze_sending(accept: Sequence[str], *, by: Sequence[str], evidence: str, as_json: bool) -> Result:
    """Let sending go on after ledger and service disagreed; two people name what they have looked into."""
    if not evidence.strip():
        raise WordRefused("unfreeze needs --evidence: what did you both see?")
    with open_ledger_of(read_settings()) as ledger:
        tags = lift_freeze(ledger, accept, by, evidence)
    console_for(as_json=as_json).print(f"sending goes on; accepted: {', '.join(tags)}", soft_wrap=True)
    return ExitCode.DONE, {"accepted": list(tags)}


def decide_obligations(keys: Sequence[str], kind: DecisionKind, *, by: str, evidence: str, as_json: bool) -> Result:
    """Record a person's word on obligations: in conflict, of partial or excluded reports, or paid outside."""
    if not by.strip() or not evidence.strip():
        raise WordRefused("a decision needs --by NAME and --evidence TEXT")
    with open_ledger_of(read_settings()) as ledger:
        words = [_decision(ledger, key, kind, by.strip(), evidence.strip()) for key in dict.fromkeys(keys)]
        released = ledger.decisions.record(words)
    said = {DecisionKind.PAY: "the next run may pay", DecisionKind.PAID: "paid", DecisionKind.DROP: "dropped"}[kind]
    console_for(as_json=as_json).print(f"{len(words)} obligations: {said}, says {by.strip()}")
    return ExitCode.DONE, {"decided": [word.obligation_key for word in words], "released": released}


def _decision(ledger: Ledger, key: str, kind: DecisionKind, by: str, evidence: str) -> Decision:
    """Bind a word to what was to be paid when it was said.

    Raises:
        WordRefused: the obligation is unknown, or nothing is open about it.
    """
    seen = _last_seen(ledger, key)
    if seen is None:
        raise WordRefused(f"no run of this ledger has seen an obligation {key}")
    claims = [one for one in ledger.claims.live_for([seen["base_key"] or key]) if one.obligation_key == key]
    untold = any(one.state in {SubmissionState.PARTIAL, SubmissionState.EXCLUDED} for one in claims)
    conflict = seen["place"] == Place.CONFLICT.value
    outside = not claims and kind is not DecisionKind.PAY and seen["kind"] == "payment"
    if not (untold or conflict or outside):
        raise WordRefused(f"{key} is {seen['place']}: there is nothing to decide about it")
    amount, destination = int(seen["amount_cents"]), str(seen["destination"])
    return Decision(key, str(seen["base_key"]) or key, kind, amount, destination, by, evidence, utc_now())


def _last_seen(ledger: Ledger, key: str) -> Record | None:
    """Find an obligation as the latest run that knew it saw it."""
    for run in ledger.runs.list(RUNS_SEARCHED):
        stored = ledger.runs.document(run.run_id)
        if stored is None:
            continue
        obligations = RunDocument.from_bytes(stored).obligations
        mine = obligations[obligations["key"] == key]
        if len(mine):
            return records(mine)[0]
    return None
