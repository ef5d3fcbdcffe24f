"""Which contact ids a plan may use: those the service told, for the very tax ids of this job's rows."""

from flows.stages.cells import find_cell
from flows.stages.run import Run
from flows.steps.contacts_ids import conflicting_ids
from schemas.issue_texts import make_issue
from schemas.issues import IssueCode


def contact_ids(run: Run) -> dict[str, str]:
    """Ask the ledger for the contacts of the job's payees, and tell of each row that names another one."""
    inputs = run.require_inputs()
    ids = run.ledger.contacts.ids([*inputs.payees["tax_id"], *inputs.payments["tax_id"]])
    for conflict in conflicting_ids(inputs, ids):
        found = find_cell(run, conflict.file, conflict.sheet, conflict.row, "contact_id")
        issue = make_issue(
            IssueCode.CONTACT_DIFFERS,
            language=run.language,
            file=conflict.file,
            sheet=conflict.sheet or None,
            cell=found.cell,
            row=conflict.row,
            column=found.header,
        )
        run.issues += [issue] if issue not in run.issues else []
    return ids
