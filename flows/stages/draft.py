"""Work out, from what was read and what the ledger knows, what would be paid; nothing is asked, nothing is written."""

from collections.abc import Mapping
from dataclasses import replace

from flows.stages.contact_ids import contact_ids
from flows.stages.institutions import read_institutions
from flows.stages.judge_inputs import judge_inputs
from flows.stages.open_period import open_period
from flows.stages.run import Run
from flows.steps.account_checks import CheckResult, Verdict, accounts_to_pay
from flows.steps.corrected_rows import tell_settled
from flows.steps.owe import destinations_of
from flows.steps.refusal import refused_entries
from flows.steps.work_out import Standing, Worked, identity_of, work_out
from io_adapters.split_api.validation_error import read_validation_errors
from schemas.decision import Decision
from schemas.paid_before import PaidRow
from schemas.submission import SubmissionState
from schemas.wire import Institution

S = SubmissionState


def draft(run: Run) -> None:
    """Work everything out with the account answers already kept; an account nobody knows is taken as payable.

    Raises:
        UnsoundPlan: shares above 100 %, a currency without a rate, or what the job's rules call an error.
    """
    stand(run)
    assume_kept_answers(run)
    work_out_again(run)


def draft_anew(run: Run) -> None:
    """Work everything out again where the ledger knows something new by now."""
    before, inputs = run.standing, run.inputs
    stand(run)
    if run.standing != before or run.inputs is not inputs:
        assume_kept_answers(run)
        work_out_again(run)


def stand(run: Run) -> None:
    """Ask the ledger what was used, claimed, carried and recouped."""
    judge_inputs(run)
    job, period, ledger = run.job, run.order.period, run.ledger
    live = ledger.claims.live_of(job.job, period.label)
    books = (job.payer.tax_id, job.currency)
    claims = tuple(claim for claim in live if (claim.payer, claim.currency) == books)
    opened = open_period(run, claims)
    run.standing = Standing(
        claims=(*claims, *opened.royalties_paid),
        history=opened.history,
        refused=_refused(run),
        repeated=run.used_before.repeated,
        elsewhere=_elsewhere(run),
        other_books=tuple(claim for claim in live if (claim.payer, claim.currency) != books),
        decisions=_decisions(run),
        paid_outside=opened.payments_paid,
        in_question=opened.in_question,
        contact_ids=contact_ids(run),
        institutions=_institutions(run),
    )


def _institutions(run: Run) -> Mapping[str, Institution]:
    """Return the kept list of institutions; nothing where bank accounts do not name theirs by its ISPB."""
    if run.service is not None and not run.service.assumptions.psp_id_is_ispb:
        return {}
    return read_institutions(run.ledger, None, run.clock.now()).by_ispb


def _decisions(run: Run) -> dict[str, Decision]:
    """People's last words on this period's payments rows."""
    identity = identity_of(run.job, run.order.period)
    payments = run.require_inputs().payments
    pairs = payments[["tax_id", "reference"]].itertuples(index=False, name=None)
    return run.ledger.decisions.on_rows([identity.payment_key(tax_id, reference) for tax_id, reference in pairs])


def _elsewhere(run: Run) -> tuple[PaidRow, ...]:
    """What payments rows have paid to the people and the accounts of this run's."""
    payments = run.require_inputs().payments
    destinations = destinations_of(payments, run.require_inputs().payees)
    rows = zip(payments["tax_id"], destinations, payments["amount_cents"].tolist(), strict=True)
    return tuple(run.ledger.claims.payments_alike(rows, run.job.currency))


def _refused(run: Run) -> frozenset[str]:
    """Which payment entries of this job and period the service has named in a refusal."""
    found: set[str] = set()
    refused = run.ledger.submissions.list(job=run.job.job, period=run.order.period.label, states={S.REFUSED})
    for submission in refused:
        for answer in run.ledger.submissions.answers(submission.id):
            places = [(error.loc, error.type) for error in read_validation_errors(answer.raw) or ()]
            found.update(refused_entries(submission.body, places))
    return frozenset(found)


def assume_kept_answers(run: Run) -> None:
    """Take the answers the ledger keeps about the accounts of everybody who might be paid."""
    run.verdicts = {}
    if run.job.account_checks.when == "new_or_changed":
        work_out_again(run)
        run.verdicts = kept_answers(run, run.require_worked())


def kept_answers(run: Run, worked: Worked) -> dict[str, Verdict]:
    """Return the answers the ledger keeps about the accounts of those who would be paid."""
    accounts = accounts_to_pay(worked.obligations, ownership=run.job.account_checks.ownership)
    kept = run.ledger.checks.kept([account.fingerprint for account in accounts], run.clock.now())
    return {
        name: Verdict(CheckResult(answer.result), answer.message)
        for name, answer in kept.items()
        if answer.result != "unknown"  # no answer is kept of a call that had none: another run asks again
    }


def work_out_again(run: Run) -> None:
    """Decide anew from all that is known by now."""
    if run.standing is None:
        stand(run)
    standing = run.standing
    if standing is None:
        raise RuntimeError("the ledger was not asked")
    worked = work_out(run.require_inputs(), run.job, run.order.period, standing, run.verdicts)
    run.worked = replace(worked, obligations=tell_settled(worked.obligations, run.settled))
