"""Write each payee's statement beside a run's outputs, once there is something to tell of."""

from pathlib import Path

from flows.stages.document import RunDocument
from flows.stages.run import Run
from flows.steps.statements import StatementTables, compose_statements, heading_of, stand_of_advances
from io_adapters.ledger.ledger import Ledger
from io_adapters.outputs.statements.folder import write_statements
from schemas.payee_statement import StatementBasis
from schemas.reconciliation import Reconciliation

FOLDER = "statements"


def basis_of(run: Run) -> StatementBasis:
    """Gather what statements need to know of a run beside its tables."""
    worked, inputs = run.require_worked(), run.require_inputs()
    heading = heading_of(run.job, run.order.period)
    history = run.standing.history if run.standing else None
    advances = stand_of_advances(inputs.advances, worked.postings, history) if history else ()
    return StatementBasis(heading, advances)


def tell_payees(run: Run, document: RunDocument, reconciliation: Reconciliation, run_id: str) -> None:
    """Write the statements of a run, this one or an earlier one; what cannot be written is told, and changes nothing.

    The money has gone out by then and the books are written: a full disk must not make a paid run look like a failed
    one.
    """
    try:
        run.outputs += statements_of(document, reconciliation, run_id, run.ledger)
    except OSError as error:
        run.messages.append(run.say("statements.failed", run=run_id, reason=type(error).__name__))


def statements_of(document: RunDocument, reconciliation: Reconciliation, run_id: str, ledger: Ledger) -> list[Path]:
    """Write the statements of a run whose reports the service knows; before that nobody has anything to be told.

    Returns:
        Where they are; nothing when the job wants none.

    Raises:
        OSError: the folder cannot be written.
    """
    basis = document.statements
    if basis is None or not any(batch.split_id for batch in reconciliation.summary.batches):
        return []
    obligations = reconciliation.obligations
    named = ledger.submissions.with_ids(set(obligations["submission_id"]) - {""})
    tables = StatementTables(document.earnings, document.territories, document.balances, obligations)
    statements = compose_statements(
        basis.heading,
        tables,
        run_id=run_id,
        advances=basis.advances,
        submissions={one.id: one for one in named},
    )
    return write_statements(statements, Path(document.folder) / FOLDER)
