"""approve, reject, hold, release, resolve, decide, unfreeze: people's decisions, written to the ledger."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from flows.cli.ending import (
    AsJson,
    By,
    Result,
    as_month,
    console_for,
    in_brazil,
    opened_ledger,
    plain_names,
    print_text,
    terminal_language,
)
from schemas.errors import DecisionRefused, ExitCode
from schemas.messages import Message, Money, render, state_text

if TYPE_CHECKING:
    from flows.run import Clock, Run
    from io_adapters.ledger.ledger import Ledger
    from io_adapters.ledger.plans import StoredPlan
    from schemas.submission import Submission

_FATES: Final = ("withdrawn", "in_doubt", "sent", "ended")


def approve(
    digest: Annotated[str, typer.Argument(metavar="DIGEST", help="The plan's digest, as `run` printed it.")],
    by: By,
    total: Annotated[str, typer.Option(metavar="AMOUNT", help="The plan's total, typed.")],
    seen: Annotated[int, typer.Option(metavar="N", help="How many new texts of the plan you have looked at.")] = 0,
    as_json: AsJson = False,
) -> Result:
    """Record a person's yes to a plan, or to account checks.

    The next `run` goes on.
    """
    from flows.approvals.approve import record_approval, record_consent
    from flows.house_ledger import utc_now
    from schemas.plan import ApprovalKind
    from schemas.values.names import same_person

    typed = ApprovalKind.PERSON
    with opened_ledger() as ledger:
        if (request := ledger.check_requests.find(digest)) is not None:
            agreed = record_consent(ledger, request, by=by, total_text=total, kind=typed, now=utc_now())
            facts = {"by": agreed.by, "count": request.checks, "job": request.job, "cost": Money(request.cost_cents)}
            print_text(console_for(as_json=as_json), "cli.checks.approved", **facts)
            return ExitCode.DONE, {"checks_digest": request.digest, "by": agreed.by}
        given = record_approval(ledger, digest, by=by, total_text=total, seen=seen, kind=typed, now=utc_now())
        stored = ledger.plans.get(given.digest)
        counts = same_person(given.by) in _counting(ledger, stored)
    console = console_for(as_json=as_json)
    facts = {"by": given.by, "currency": stored.currency, "total": Money(given.total_cents), "job": stored.job}
    payments = Message("count.payments", count=stored.payees)
    print_text(console, "cli.approved", payments=payments, until=in_brazil(given.expires_at), **facts)
    if not counts:
        print_text(console, "cli.approved.does_not_count")
    expires_at = given.expires_at.isoformat()
    return ExitCode.DONE, {"plan_digest": stored.digest, "by": given.by, "expires_at": expires_at, "counts": counts}


def _counting(ledger: "Ledger", plan: "StoredPlan") -> frozenset[str]:
    """Return whose yes counts by what the plan was frozen under and the policy; its job file is not read here."""
    from flows.house_ledger import utc_now
    from io_adapters.ledger.approvals_missing import approvals_given, approvers_needed
    from schemas.approval import stricter

    rule = stricter(plan.rule, ledger.decision_rules.policy())
    needed = approvers_needed(rule, plan, needs_review=True)
    return approvals_given(ledger, rule, plan, needed, utc_now())


def reject(
    digest: Annotated[str, typer.Argument(metavar="DIGEST", help="The plan's digest.")],
    by: By,
    why: Annotated[str, typer.Option(metavar="TEXT", help="What is wrong with it.")],
    as_json: AsJson = False,
) -> Result:
    """Record a person's no to a plan."""
    from io_adapters.ledger.approvals_missing import require_typed_name_counts
    from schemas.plan import short_digest
    from schemas.submission import PlanFate

    name = _name(by)
    with opened_ledger() as ledger:
        stored = ledger.plans.get(digest)
        require_typed_name_counts(ledger, stored.job)
        fate = PlanFate(tuple(ledger.submissions.reject_plan(stored.digest, name, why)))
    console = console_for(as_json=as_json)
    print_text(console, "cli.rejected", by=name, plan=short_digest(stored.digest))
    for what, batches in fate.groups.items():
        if batches and what in _FATES:
            cents = sum(batch.amount_cents for batch in batches)
            payments = sum(batch.payments for batch in batches)
            facts = {"currency": stored.currency, "total": Money(cents)}
            counted = Message("count.payments", count=payments)
            print_text(console, f"cli.rejected.{what}", payments=counted, **facts)
            for batch in batches:
                state = state_text(batch.state.value, terminal_language())
                console.print(f"    {batch.report_id}  {state}", soft_wrap=True, markup=False)
    groups = {
        what: [_batch_document(batch) for batch in batches] for what, batches in fate.groups.items() if what != "unsent"
    }
    return ExitCode.DONE, {"plan_digest": stored.digest, "by": name} | groups


def _batch_document(batch: "Submission") -> dict[str, Any]:
    return {
        "report_id": batch.report_id,
        "state": batch.state.value,
        "payments": batch.payments,
        "amount_cents": batch.amount_cents,
    }


def hold(by: By, why: Annotated[str, typer.Option(metavar="TEXT", help="Why.")], as_json: AsJson = False) -> Result:
    """Stop all sending, of every job, until `release`."""
    name = _name(by)
    with opened_ledger() as ledger:
        ledger.hold.put(name, why)
        in_desk = ledger.decision_rules.any_wants_signed_in()
    print_text(console_for(as_json=as_json), "cli.hold.in_desk" if in_desk else "cli.hold.put")
    return ExitCode.DONE, {"held_by": name, "why": why}


def release(by: By, as_json: AsJson = False) -> Result:
    """Let sending go on after `hold`."""
    from io_adapters.ledger.approvals_missing import require_typed_name_counts

    name = _name(by)
    with opened_ledger() as ledger:
        require_typed_name_counts(ledger, None)
        released = ledger.hold.release(name)
    print_text(console_for(as_json=as_json), "cli.hold.released" if released else "cli.hold.none")
    return ExitCode.DONE, {"released": released}


def _name(by: str) -> str:
    if not by.strip():
        raise DecisionRefused(Message("error.by_name"))
    return by.strip()


def resolve(
    subject: Annotated[
        list[str], typer.Argument(metavar="WHAT", help="What is in doubt, as `status` names it (rp-..., xr-...).")
    ],
    report: Annotated[str | None, typer.Option(metavar="ID", help="It is this report of the service.")] = None,
    absent: Annotated[bool, typer.Option("--absent", help="The service never received it (two people).")] = False,
    unlink: Annotated[
        bool, typer.Option("--unlink", help="What was linked by likeness is not it (two people).")
    ] = False,
    by: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Who says so; twice without --report.", callback=plain_names),
    ] = None,
    evidence: Annotated[str, typer.Option(metavar="TEXT", help="What they rely on.")] = "",
    as_json: AsJson = False,
) -> Result:
    """Record decisions on what is in doubt.

    Of several submissions, or rates, all are declared absent on the same evidence, or none.
    """
    if unlink and (absent or report is not None):
        raise typer.BadParameter("say one of --report ID, --absent, --unlink")
    if unlink:
        return _take_links_back(subject, by=by or [], evidence=evidence, as_json=as_json)
    return resolve_doubts(subject, report=report, absent=absent, by=by or [], evidence=evidence, as_json=as_json)


def resolve_doubts(  # each is named at the call
    subjects: Sequence[str],
    *,
    report: str | None = None,
    absent: bool = False,
    by: Sequence[str],
    evidence: str,
    as_json: bool,
    clock: "Clock | None" = None,
) -> Result:
    """Record decisions on submissions, or exchange updates, in doubt: they are there, or never arrived."""
    from flows.approvals.decisions import declare_absent, link_report
    from flows.run import SYSTEM_CLOCK, QuietProgress
    from flows.run_request import current_user
    from flows.runner import opened_run
    from flows.settings import read_settings
    from schemas.exchange_update import ID_PREFIX

    if (report is None) == (not absent):
        raise DecisionRefused(Message("error.report_or_absent"))
    if report is not None and len(subjects) != 1:
        raise DecisionRefused(Message("error.one_report"))
    if len({subject.startswith(ID_PREFIX) for subject in subjects}) != 1:
        raise DecisionRefused(Message("error.both_kinds"))
    people = [name.strip() for name in by if name.strip()]
    if absent and not evidence.strip():
        raise DecisionRefused(Message("error.absent_evidence"))
    with opened_run("resolve", None, read_settings(), QuietProgress(), clock or SYSTEM_CLOCK) as run:
        for subject in subjects:
            _require_typed_name_counts(run, subject)
        if subjects[0].startswith(ID_PREFIX):
            return _resolve_rates(run, subjects, report, people, evidence.strip(), as_json=as_json)
        if report is not None:
            resolved = [link_report(run, subjects[0], report, ", ".join(people) or current_user())]
        else:
            resolved = list(declare_absent(run, subjects, people, evidence.strip()))
    console, document = console_for(as_json=as_json), []
    for subject, stands in zip(dict.fromkeys(subjects), resolved, strict=True):
        key = "cli.resolved.linked" if stands.id == subject else "cli.resolved.absent"
        print_text(console, key, what=subject, report=stands.split_id or "-", next=stands.id)
        document.append(
            {"submission": stands.id, "state": stands.state.value, "split_id": stands.split_id, "of": subject}
        )
    return ExitCode.DONE, {"resolved": document}


def _take_links_back(subjects: Sequence[str], *, by: Sequence[str], evidence: str, as_json: bool) -> Result:
    """Take people's word that the reports some submissions were linked to by likeness are others."""
    from flows.approvals.decisions import take_link_back
    from flows.run import QuietProgress
    from flows.runner import opened_run
    from flows.settings import read_settings

    people = [name.strip() for name in by if name.strip()]
    if not evidence.strip():
        raise DecisionRefused(Message("error.unlink_evidence"))
    console, taken_back = console_for(as_json=as_json), []
    with opened_run("resolve", None, read_settings(), QuietProgress()) as run:
        for subject in subjects:
            _require_typed_name_counts(run, subject)
        for subject in dict.fromkeys(subjects):
            stands = take_link_back(run, subject, people, evidence.strip())
            print_text(console, "cli.resolved.taken_back", what=subject)
            taken_back.append({"submission": stands.id, "state": stands.state.value, "split_id": None, "of": subject})
    return ExitCode.DONE, {"resolved": taken_back}


def _require_typed_name_counts(run: "Run", subject: str) -> None:
    """Refuse a typed name for a submission, or an exchange update, of a job whose people have to sign in."""
    from io_adapters.ledger.approvals_missing import require_typed_name_counts
    from schemas.exchange_update import ID_PREFIX

    if subject.startswith(ID_PREFIX):
        jobs = {update.job for update in run.ledger.exchange_updates.list() if update.id == subject}
    else:
        jobs = {submission.job for submission in run.ledger.submissions.with_ids([subject])}
    for job in jobs:
        require_typed_name_counts(run.ledger, job)


def _resolve_rates(  # each is named at the call
    run: "Run", updates: Sequence[str], report: str | None, people: Sequence[str], evidence: str, *, as_json: bool
) -> Result:
    """Take people's word on exchange rates: the report has it, or the service never set it."""
    from flows.run_request import current_user
    from flows.sending.exchange_rates import declare_rates_absent, link_rate

    if report is not None:
        resolved = [link_rate(run, updates[0], report, ", ".join(people) or current_user())]
    else:
        resolved = declare_rates_absent(run, updates, people, evidence)
    console, document = console_for(as_json=as_json), []
    for update, stands in zip(dict.fromkeys(updates), resolved, strict=True):
        key = "cli.resolved.rate" if stands.id == update else "cli.resolved.rate_absent"
        print_text(console, key, what=update, state=Message(f"state.{stands.state.value}"), next=stands.id)
        facts = {"exchange_update": stands.id, "state": stands.state.value, "report_id": stands.report_id}
        document.append(facts | {"of": update})
    return ExitCode.DONE, {"resolved": document}


def decide(
    obligation: Annotated[
        list[str],
        typer.Argument(metavar="PAYMENT", help="As the workbook has them (ob-...), or a report (rp-...)."),
    ],
    by: By,
    evidence: Annotated[str, typer.Option(metavar="TEXT", help="What the word relies on.")],
    all_but: Annotated[
        list[str] | None, typer.Option("--all-but", metavar="PAYMENT", help="Of a report, all but this one.")
    ] = None,
    pay: Annotated[bool, typer.Option("--pay", help="Not paid, or more is owed: the next run may pay.")] = False,
    difference: Annotated[
        bool, typer.Option("--difference", help="Of a row that says more than was paid for it, only the rest.")
    ] = False,
    paid: Annotated[bool, typer.Option("--paid", help="Paid, by the report or outside.")] = False,
    drop: Annotated[bool, typer.Option("--drop", help="Nobody is to be paid for it.")] = False,
    as_json: AsJson = False,
) -> Result:
    """Record a person's decision on what a payment came to.

    On conflicts, on partial and excluded reports, on payments made outside.
    """
    choices = {"pay": pay, "difference": difference, "paid": paid, "drop": drop}
    if [*choices.values()].count(True) != 1:
        raise typer.BadParameter("say one of --pay, --difference, --paid, --drop")
    if not by.strip() or not evidence.strip():
        raise DecisionRefused(Message("error.decision_evidence"))
    from flows.approvals import decisions
    from flows.house_ledger import open_ledger_of, utc_now
    from flows.run import QuietProgress
    from flows.runner import opened_run
    from flows.settings import read_settings
    from schemas.approval import DecisionKind

    kind = next(DecisionKind(choice) for choice, is_chosen in choices.items() if is_chosen)
    decision = decisions.PersonsDecision(kind, by.strip(), evidence.strip(), utc_now())
    settings = read_settings()
    with open_ledger_of(settings, create=False) as ledger:
        decided = decisions.decide(
            ledger, obligation, decision, lambda: opened_run("decide", None, settings, QuietProgress()), all_but or ()
        )
        beside = decisions.paid_beside(ledger, decided)
    console = console_for(as_json=as_json)
    print_text(console, f"cli.decided.{kind.value}", count=len(decided), by=decision.by)
    for message in beside:
        console.print(render(message, terminal_language()), soft_wrap=True, markup=False)
    document = [{"obligation": each.obligation_key, "report_id": each.submission_id or None} for each in decided]
    return ExitCode.DONE, {"decided": document}


def withdraw(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Its path, or the first digits of its SHA-256.")],
    by: By,
    why: Annotated[str, typer.Option(metavar="TEXT", help="Why it does not count.")],
    job: Annotated[str, typer.Option(metavar="NAME", help="Of which job, where several used it.")] = "",
    period: Annotated[
        str, typer.Option(metavar="MONTH", help="Of which month, where several used it.", callback=as_month)
    ] = "",
    back: Annotated[bool, typer.Option("--back", help="Hand in what was withdrawn.")] = False,
    as_json: AsJson = False,
) -> Result:
    """Take back a file that was handed in by mistake.

    The next run of its job and month leaves it out, and takes back what of it was posted.
    """
    from flows.approvals import withdraw as acts
    from flows.house_ledger import utc_now
    from io_adapters.spreadsheets.files import sha256_of
    from schemas.acts import Delivery

    which = Delivery(job, period, sha256_of(file) if Path(file).is_file() else file)
    with opened_ledger(create=False) as ledger:
        found = acts.withdraw(ledger, which, by, why, utc_now(), back=back)
    console, delivery = console_for(as_json=as_json), found.delivery
    facts = {"file": found.name, "job": delivery.job, "period": delivery.period}
    posted = "posted" if found.uses else "unposted"
    print_text(console, f"cli.withdrawn.{'back' if back else posted}", **facts)
    return ExitCode.DONE, {"withdrawn": not back, "sha256": delivery.sha256, **facts, "posted": bool(found.uses)}


def unfreeze(
    accept: Annotated[list[str], typer.Option(metavar="TAG", help="What froze sending; every tag by name.")],
    by: Annotated[list[str], typer.Option(metavar="NAME", help="Who says so; two people.", callback=plain_names)],
    evidence: Annotated[str, typer.Option(metavar="TEXT", help="What they both saw.")],
    as_json: AsJson = False,
) -> Result:
    """Let sending go on after ledger and service disagreed."""
    from flows.approvals.decisions import lift_freeze
    from io_adapters.ledger.approvals_missing import require_typed_name_counts

    people = [name.strip() for name in by if name.strip()]
    if not evidence.strip():
        raise DecisionRefused(Message("error.unfreeze_evidence"))
    with opened_ledger(create=False) as ledger:
        require_typed_name_counts(ledger, None)
        tags = lift_freeze(ledger, accept, people, evidence.strip())
    print_text(console_for(as_json=as_json), "cli.unfrozen", tags=", ".join(tags))
    return ExitCode.DONE, {"accepted": list(tags)}
