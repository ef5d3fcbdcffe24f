"""Drafting a plan from inputs and the ledger; nothing is asked of the service or written."""

import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from flows.intake.intake import Intake, find_cell
from flows.intake.rules.inputs import Inputs
from flows.payables.institutions import read_institutions
from flows.payables.judge_inputs import judge_inputs
from flows.payables.rules.account_checks import NO_CHECKS, CheckResult, Checks, Verdict, accounts_to_pay
from flows.payables.rules.compute import LedgerSnapshot, Payables, compute_payables, identity_of
from flows.payables.rules.left_out import tell_settled
from flows.payables.rules.moved_payees import (
    gone_payees,
    moves_of,
    rename_in_claims,
    rename_in_history,
    replaced_payees,
)
from flows.payables.rules.obligations import destinations_of, rows_by_payee
from flows.payables.rules.plan_batches import conflicting_ids, refused_entries
from flows.royalties.rules.accrue import Closed, History
from flows.royalties.rules.opening_balances import Opened, hold_contradictions, open_balances
from flows.royalties.rules.terms import held_back
from flows.run import Run
from io_adapters.payout_api.errors import read_validation_errors
from schemas.approval import Decision
from schemas.errors import UnsoundPlan
from schemas.exit_codes import ExitCode
from schemas.issues import IssueCode, make_issue
from schemas.job import Job, Period
from schemas.messages import Message
from schemas.plan import ROYALTIES, PaymentPlan
from schemas.raw_table import column_letter
from schemas.submission import Claim, FormerPayee, SubmissionState
from schemas.wire import Institution

if TYPE_CHECKING:  # see flows.run
    from io_adapters.ledger.accruals import Accruals


@dataclass(frozen=True, slots=True)
class Draft:
    """What is to be paid, as far as it has been decided; each stage makes a new one of what it finds out.

    Attributes:
        intake: What was read, and may be used.
        standing: What the ledger knows that bears on it.
        verdicts: Check fingerprint -> what is known of the account.
        payables: What is owed, and where every centavo is so far.
        checks: What the account checks of the run did.
        plan: The frozen plan; None before there is one.
    """

    intake: Intake
    standing: LedgerSnapshot
    verdicts: Mapping[str, Verdict]
    payables: Payables
    checks: Checks = NO_CHECKS
    plan: PaymentPlan | None = None

    @property
    def inputs(self) -> Inputs:
        """What of the rows that came in may be used."""
        return self.intake.inputs


def open_period(run: Run, intake: Intake, claims: Collection[Claim]) -> tuple[Intake, Opened]:
    """Ask the ledger, and take opening balances at their word; rows that contradict it are told and held.

    Args:
        run: Of which job and period.
        intake: What it has read.
        claims: Live claims of the job and period.

    Raises:
        UnsoundPlan: an opening balance has problems and does not say whose it is.
    """
    job, period, accruals = run.job, run.request.period, run.ledger.accruals
    opened = open_balances(
        intake.inputs,
        period,
        identity_of(job, period),
        history=rename_in_history(history_of(accruals, job, period), moves_of(intake.inputs.payees)),
        posted=[
            posting
            for name in filter(None, (job.continues, job.job))
            for posting in accruals.posted_periods(name, job.payer.tax_id, job.currency)
        ],
        claims=claims,
    )
    return _tell_contradictions(run, intake, opened), opened


def history_of(accruals: "Accruals", job: Job, period: Period) -> History:
    """Ask the ledger what a period finds when it begins, and what stands of it if a later one has been posted.

    A period that was left out, and is run after a later one was posted, finds nothing carried in: the later one has
    taken that up. A job that was renamed finds what its old name left, as long as it has posted nothing itself.

    Raises:
        UnsoundPlan: the job goes on under another name, or its old name has run this period, or a later one.
    """
    series = (job.job, job.payer.tax_id, job.currency)
    handed_over = accruals.handover(*series)
    if handed_over is not None:
        raise UnsoundPlan(Message("error.continued_by", job=job.job, by=handed_over[0]))
    carried_in = accruals.carried_in(*series, period.start)
    recouped = accruals.recouped(*series, period.label, period.start)
    if job.continues:
        began = not any(start < period.start for start, _ in accruals.posted_periods(*series))
        carried, own = _left_by_old_name(accruals, job, period)
        own.update(recouped)
        carried_in, recouped = carried if began else carried_in, own
    closed = accruals.closed(*series, period.label, period.start)
    if closed is None:
        return History(carried_in, recouped)
    return History(carried_in if closed.was_posted else {}, recouped, Closed(closed.left, closed.recouped))


def _left_by_old_name(
    accruals: "Accruals", job: Job, period: Period
) -> tuple[dict[str, int], Counter[tuple[str, str]]]:
    """Return what a renamed job's old name carried, and recouped of advances without a reference.

    Those with one are found under any name.

    Raises:
        UnsoundPlan: the old name has run this period, or a later one.
    """
    old = (job.continues or "", job.payer.tax_id, job.currency)
    handed_over = accruals.handover(*old)
    until = handed_over[1] if handed_over else period.start
    for start, label in accruals.posted_periods(*old):
        if start >= period.start and (handed_over is None or start < until):
            raise UnsoundPlan(Message("error.run_by_old_name", job=old[0], period=label))
    nameless = Counter[tuple[str, str]]()
    before = {new: name for name, new in accruals.renamed().items()}
    name: str | None = old[0]
    while name:
        recouped = accruals.recouped(name, *old[1:], "", until)
        nameless.update({key: cents for key, cents in recouped.items() if not key[1] or key[1].startswith("|")})
        name = before.pop(name, None)
    return accruals.carried_in(*old, min(until, period.start)), nameless


def _tell_contradictions(run: Run, intake: Intake, opened: Opened) -> Intake:
    """Name the cell of each opening balance that the ledger or the payments contradict, and hold its row."""
    if not opened.contradictions:
        return intake
    sheets = {(read.raw.file.name, read.raw.sheet or ""): read for read in intake.sheets}
    for contradiction in opened.contradictions:
        raw = sheets[contradiction.file, contradiction.sheet].raw
        position = sheets[contradiction.file, contradiction.sheet].position_of(contradiction.column)
        issue = make_issue(
            contradiction.code,
            file=contradiction.file,
            sheet=raw.sheet,
            cell=None if position is None else f"{column_letter(position)}{contradiction.row}",
            row=contradiction.row,
            column=None if position is None else raw.headers[position],
            found=contradiction.found,
        )
        run.issues += [issue] if issue not in run.issues else []
        run.codes.add(ExitCode.ROWS_HELD)
    rows = hold_contradictions(intake.inputs.rows, opened.contradictions)
    return replace(intake, inputs=replace(intake.inputs, rows=rows))


def contact_ids(run: Run, intake: Intake) -> dict[str, str]:
    """Ask the ledger for the contacts of the job's payees, and tell of each row that names another one."""
    inputs = intake.inputs
    ids = run.ledger.contacts.ids([*inputs.payees["tax_id"], *inputs.payments["tax_id"]])
    for conflict in conflicting_ids(inputs, ids):
        found = find_cell(intake, conflict.file, conflict.sheet, conflict.row, "contact_id")
        issue = make_issue(
            IssueCode.CONTACT_DIFFERS,
            file=conflict.file,
            sheet=conflict.sheet or None,
            cell=found.cell,
            row=conflict.row,
            column=found.header,
        )
        run.issues += [issue] if issue not in run.issues else []
    return ids


S = SubmissionState


def draft(run: Run, intake: Intake) -> Draft:
    """Work everything out with the account answers already kept; an account nobody knows is taken as payable.

    Raises:
        UnsoundPlan: shares above 100 %, a currency without a rate, or what the job's rules call an error.
    """
    return draft_of(run, *stand(run, intake))


def draft_of(run: Run, intake: Intake, standing: LedgerSnapshot) -> Draft:
    """Do the same with what the ledger was asked already.

    Raises:
        UnsoundPlan: as `draft` says.
    """
    computed = _compute(run, intake, standing, {})
    kept = kept_answers(run, computed) if run.job.account_checks.when == "new_or_changed" else {}
    return Draft(intake, standing, kept, _compute(run, intake, standing, kept) if kept else computed)


def draft_anew(run: Run, before: Draft) -> Draft:
    """Work everything out again where the ledger knows something new by now."""
    intake, standing = stand(run, before.intake)
    if standing == before.standing and intake.inputs is before.inputs:
        return replace(before, standing=standing)
    return replace(draft_of(run, intake, standing), checks=before.checks)


def with_verdicts(run: Run, before: Draft, verdicts: Mapping[str, Verdict]) -> Draft:
    """Decide anew with what is known of accounts by now; the same facts are not worked out twice."""
    if verdicts == before.verdicts:
        return before
    payables = _compute(run, before.intake, before.standing, verdicts)
    return replace(before, verdicts=dict(verdicts), payables=payables)


def _compute(run: Run, intake: Intake, standing: LedgerSnapshot, verdicts: Mapping[str, Verdict]) -> Payables:
    payables = compute_payables(intake.inputs, run.job, run.request.period, standing, verdicts)
    return replace(payables, obligations=tell_settled(payables.obligations, intake.settled))


def stand(run: Run, intake: Intake) -> tuple[Intake, LedgerSnapshot]:
    """Judge what came in, and ask the ledger what was used, claimed, carried and recouped.

    Raises:
        UnsoundPlan: an opening balance has problems and does not say whose it is.
    """
    epoch = run.ledger.claims.epoch()
    listed = _institutions(run)
    intake = judge_inputs(run, intake, listed)
    job, period, ledger = run.job, run.request.period, run.ledger
    if job.continues and ledger.claims.live_of(job.continues, period.label):
        raise UnsoundPlan(Message("error.run_by_old_name", job=job.continues, period=period.label))
    moves, references = moves_of(intake.inputs.payees), intake.inputs.payments["reference"].tolist()
    live = rename_in_claims(ledger.claims.live_of(job.job, period.label), moves, identity_of(job, period), references)
    books = (job.payer.tax_id, job.currency)
    claims = tuple(claim for claim in live if (claim.payer, claim.currency) == books)
    intake, opened = open_period(run, intake, claims)
    snapshot = LedgerSnapshot(
        claims=(*claims, *opened.royalties_paid),
        history=opened.history,
        refused=_refused(run),
        repeated=intake.used_before.repeated,
        elsewhere=_elsewhere(run, intake.inputs),
        other_books=tuple(claim for claim in live if (claim.payer, claim.currency) != books),
        decisions=_decisions(run, intake.inputs),
        paid_outside=opened.payments_paid,
        in_question=opened.in_question,
        contact_ids=contact_ids(run, intake),
        institutions=listed,
        said_paid=opened.said_paid,
        opening_gone=_opening_gone(run, opened, moves),
        replaced=_replaced(run, intake.inputs),
        on_hold={tax_id: code.value for tax_id, code in held_back(intake.inputs.payees, run.today).items()},
        epoch=epoch,
    )
    return intake, snapshot


def _opening_gone(run: Run, opened: Opened, moves: Mapping[str, str]) -> frozenset[str]:
    """Name what an opening balance said was paid outside, in a plan that was made, and says nothing of by now."""
    identity = identity_of(run.job, run.request.period)
    known = run.ledger.opening_rows.known(run.job.job, run.request.period.label)
    gone = {
        (moves.get(payee, payee), reference)
        for (payee, reference), cents in known.items()
        if cents and not {(payee, reference), (moves.get(payee, payee), reference)} & opened.said_paid.keys()
    }
    return frozenset(
        identity.royalty_key(payee) if reference == ROYALTIES else identity.payment_key(payee, reference)
        for payee, reference in gone
    )


def _replaced(run: Run, inputs: Inputs) -> frozenset[str]:
    """Find the payees who may be somebody that the job has paid under a document which is gone from the tables."""
    if not inputs.statements:
        return frozenset()
    paid = run.ledger.claims.royalties_of(run.job.job)
    formers = [_former(run, claims) for claims in gone_payees(paid, inputs).values()]
    return replaced_payees(rows_by_payee(inputs.payees), formers, paid, run.request.period.label)


def _former(run: Run, claims: Sequence[Claim]) -> FormerPayee:
    """Return one who is gone as the last report to them has them."""
    last = claims[-1]
    entries = json.loads(run.ledger.submissions.get(last.submission_id).body)["payments"]
    entry = next(entry for entry in entries if entry["taxId"] == last.payee)
    periods = frozenset(claim.period for claim in claims)
    return FormerPayee(last.payee, entry["name"], entry.get("email") or "", last.destination, periods)


def _institutions(run: Run) -> Mapping[str, Institution]:
    """Return the kept list of institutions; nothing where bank accounts do not name theirs by its ISPB."""
    if run.service is not None and not run.service.assumptions.psp_id_is_ispb:
        return {}
    return read_institutions(run.ledger, None, run.clock.now()).by_ispb


def _decisions(run: Run, inputs: Inputs) -> dict[str, Decision]:
    """People's last words on this period's payments rows."""
    identity = identity_of(run.job, run.request.period)
    before = {new: old for old, new in moves_of(inputs.payees).items()}
    keys = dict[str, str]()
    for tax_id, reference in inputs.payments[["tax_id", "reference"]].itertuples(index=False, name=None):
        now = keys[identity.payment_key(tax_id, reference)] = identity.payment_key(tax_id, reference)
        if tax_id in before:
            keys[identity.payment_key(before[tax_id], reference)] = now
    found = run.ledger.decisions.on_rows(list(keys))
    return {keys[key]: word for key, word in sorted(found.items(), key=lambda item: keys[item[0]] == item[0])}


def _elsewhere(run: Run, inputs: Inputs) -> tuple[Claim, ...]:
    """What payments rows have paid to the people and the accounts of this run's."""
    payments = inputs.payments
    destinations = destinations_of(payments, inputs.payees)
    rows = zip(payments["tax_id"], destinations, payments["amount_cents"].tolist(), strict=True)
    return tuple(run.ledger.claims.payments_alike(rows, run.job.currency))


def _refused(run: Run) -> frozenset[str]:
    """Which payment entries of this job and period the service has named in a refusal."""
    found: set[str] = set()
    refused = run.ledger.submissions.list(job=run.job.job, period=run.request.period.label, states={S.REFUSED})
    for submission in refused:
        for answer in run.ledger.submissions.answers(submission.id):
            places = [(error.loc, error.type) for error in read_validation_errors(answer.raw) or ()]
            found.update(refused_entries(submission.body, places))
    return frozenset(found)


def kept_answers(run: Run, payables: Payables) -> dict[str, Verdict]:
    """Return the answers the ledger keeps about the accounts of those who would be paid."""
    accounts = accounts_to_pay(payables.obligations, ownership=run.job.account_checks.ownership)
    kept = run.ledger.checks.kept([account.fingerprint for account in accounts], run.clock.now())
    return {
        name: Verdict(CheckResult(answer.result), answer.message)
        for name, answer in kept.items()
        if answer.result != "unknown"  # no answer is kept of a call that had none: another run asks again
    }
