"""Judging what came in: which rows may be used, and what is wrong with those that may not."""

from collections.abc import Collection, Mapping
from dataclasses import replace

from flows.intake.hand_in import of_later_months
from flows.intake.intake import Intake
from flows.intake.rules.hold_lines import hold_files, hold_shared, hold_unreceived
from flows.intake.rules.inputs import Inputs
from flows.intake.rules.used_before import UsedBefore, find_used_before
from flows.payables.rules.cross_check import cross_check
from flows.payables.rules.institutions import NONE_LISTED, fill_psp_ids
from flows.payables.rules.moved_payees import (
    rename_in_tables,
)
from flows.royalties.rules.terms import held_back
from flows.run import Run
from schemas.errors import ExitCode
from schemas.issues import Issue, IssueCode, errors_among, make_issue
from schemas.sources import FileUse, WhoseMoney
from schemas.submission import UNSENT, SubmissionState
from schemas.wire import Institution


def judge_inputs(run: Run, intake: Intake, listed: Mapping[str, Institution] = NONE_LISTED) -> Intake:
    """Decide what of the rows that came in may be used, and name what may not; again whenever more is known.

    Args:
        listed: ISPB -> institution, as far as the list is known: accounts that give no ISPB take theirs from it.

    Effects: puts the run's issues of an earlier judgement right.
    """
    came_in = rename_in_tables(fill_psp_ids(intake.came_in, listed), run.ledger.journal.payee_moves())
    here = WhoseMoney(run.job.job, run.job.payer.tax_id, run.request.period.label, run.job.currency)
    again = run.request.again | _again_in_approved(run)
    found = find_used_before(came_in.files, _uses(run, came_in, here, intake.gone), here, again)
    if intake.is_judged and found == intake.used_before and came_in is intake.came_in:
        return intake
    later = list(of_later_months(run, intake))
    held = hold_unreceived(hold_shared(came_in, found.shared), found.repeated)
    held = hold_files(held, came_in.unread_money - set(found.repeated), IssueCode.MONEY_UNREAD)
    held = hold_files(held, {issue.file for issue in later} - set(found.repeated), IssueCode.FILE_OTHER_MONTH)
    on_hold = held_back(held.terms, run.today)
    checked = cross_check(held, run.job, run.request.period, found.repeated, on_hold, run.request.month.rates)
    judged = replace(checked, issues=(*checked.issues, *_issues_of_files(found), *later))
    before = frozenset(intake.inputs.issues) if intake.is_judged else frozenset[Issue]()
    run.issues = [*(issue for issue in run.issues if issue not in before), *judged.issues]
    if errors_among(judged.issues):
        run.codes.add(ExitCode.ROWS_HELD)
    return replace(intake, came_in=came_in, inputs=judged, is_judged=True, used_before=found)


def _uses(run: Run, came_in: Inputs, here: WhoseMoney, gone: Collection[str]) -> list[FileUse]:
    """Return the earlier uses of files that say the same, and of royalty lines where lines have come in.

    Uses under the number that the payer had before are the payer's own. What was withdrawn from this very period was
    not used by it; for any other it was used all the same, since what it earned may have been sent.
    """
    identities = {sha256 for file in came_in.files for sha256 in (file.file_sha256, file.content_sha256)}
    uses = run.ledger.files.uses_of(identities)
    has_lines = any(source.layout != "payments" for source in run.job.sources)
    found = [*uses, *run.ledger.files.uses_of_lines(here)] if has_lines else uses
    before = here._replace(payer=run.job.payer.previous_tax_id or here.payer)
    own = [replace(use, whose=here) if use.whose == before else use for use in found]
    return [use for use in own if use.whose != here or use.file_sha256 not in gone]


def _again_in_approved(run: Run) -> frozenset[str]:
    """Name the files that a plan uses again which people approved, and not all of it was sent: they were told so."""
    unsent = run.ledger.submissions.list(job=run.job.job, period=run.request.period.label, states=UNSENT, bodies=False)
    approved = {submission.plan_digest for submission in unsent if submission.state is not SubmissionState.PLANNED}
    planned = {submission.plan_digest for submission in unsent} - approved
    approved |= {digest for digest in planned if run.ledger.approvals.valid(digest, run.clock.now())}
    return run.ledger.files.again_in(approved) if approved else frozenset()


def _issues_of_files(found: UsedBefore) -> list[Issue]:
    named = [
        (IssueCode.FILE_DUPLICATE, found.duplicates),
        (IssueCode.FILE_AGAIN, found.released),
        (IssueCode.FILE_GONE, found.gone),
    ]
    slips = [make_issue(IssueCode.FILE_IN_PLACE, **slip.facts) for slip in found.in_place]
    return slips + [
        make_issue(code, file=file, found=where) for code, files in named for file, where in sorted(files.items())
    ]
