"""Writing payees' statements while reports are still followed, so that neither waits for the other."""

from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Final, Self

from flows.payables.draft import Draft
from flows.reconciliation.write import FOLDER, Written, basis_of, follow, output_folder, place
from flows.royalties.rules.statements import StatementTables, compose_statements, statement_token, told_by_payee
from flows.run import Run
from io_adapters.outputs.statements.folder import write_statements
from schemas.payee_statement import PayeeStatement
from schemas.submission import OPEN, Submission, SubmissionState

# Following reports may still change where payments of these are.
_MOVING: Final = OPEN | {SubmissionState.SENDING, SubmissionState.IN_DOUBT, SubmissionState.ABSENT}


class StatementsAhead:
    """The statements of payees whose payments are by now where they will be told to be; a context manager.

    They are written in a thread of its own: no look at the service waits for them. Whoever calls reads the ledger. What
    cannot be written is left to `write_payee_statements`, which tells of it.

    Attributes:
        written: By payee; complete once the context has ended.
    """

    def __init__(self, run: Run, drafted: Draft) -> None:
        """Prepare; nothing is read or written."""
        self.written: dict[str, Written] = {}
        payables = drafted.payables
        self._tables = StatementTables(payables.earnings, payables.territories, payables.balances, payables.obligations)
        self._run = run
        self._basis = basis_of(run, drafted)
        self._folder = output_folder(run) / FOLDER
        self._left: set[str] | None = None
        self._thread = ThreadPoolExecutor(1, "statements")
        self._under_way: Future[None] | None = None
        self._stopped = not run.job.outputs.statements

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Wait for what is being written; where something went wrong, for the pages alone that are being set."""
        self._stopped = self._stopped or error is not None
        self._thread.shutdown()

    def go_on(self) -> None:
        """Begin with those that can be written by now, unless others are still being written."""
        if self._stopped or (self._under_way is not None and not self._under_way.done()):
            return
        followed = follow(self._tables.obligations, self._run.id, self._run.ledger)
        if not any(submission.split_id for submission in followed.own):
            return
        moving = {submission.id for submission in followed.submissions.values() if submission.state in _MOVING}
        waiting = {owed.payee.tax_id for owed in self._tables.obligations if owed.submission_id in moving}
        left = self._tables.payees if self._left is None else self._left
        ready, self._left = left - waiting, left & waiting
        if ready:
            tables = self._tables.of_payees(ready)
            placed = place(tables.obligations, followed, self._run.id, self._run.ledger)
            self._under_way = self._thread.submit(
                self._write, tables._replace(obligations=placed), followed.submissions
            )

    def _write(self, tables: StatementTables, submissions: Mapping[str, Submission]) -> None:
        payee_of = {statement_token(self._run.id, payee): payee for payee in tables.payees}
        payees = list[str]()

        def statements() -> Iterator[PayeeStatement]:
            for statement in compose_statements(
                self._basis,
                tables,
                run_id=self._run.id,
                submissions=submissions,
            ):
                if self._stopped:
                    return
                payees.append(payee_of[statement.token])
                yield statement

        try:
            paths = write_statements(statements(), self._folder, [there.path for there in self.written.values()])
        except OSError:
            self._stopped = True
            return
        of_payee = told_by_payee(tables.obligations)
        self.written |= {
            payee: Written(of_payee.get(payee, []), path) for payee, path in zip(payees, paths, strict=True)
        }
