"""The bytes a run has read, written down with who brought them: whoever did is no approver of what comes of them."""

from pathlib import Path

from flows.intake.intake import Intake
from flows.run import Run
from io_adapters.spreadsheets.declarations import is_path
from io_adapters.spreadsheets.files import sha256_of


def record_inputs(run: Run, intake: Intake) -> None:
    """Write down the bytes of everything that a run rests on; safe to repeat.

    A file given at a terminal, which nobody is known to have brought, is brought by whoever runs the program there.
    """
    request, ledger = run.request, run.ledger
    layouts = [source.layout for source in run.job.sources if isinstance(source.layout, str) and is_path(source.layout)]
    read = {(request.job_path.name, request.job_sha256), *intake.files}
    read |= {(Path(layout).name, sha256_of(str(request.folder / layout))) for layout in layouts}
    ledger.files.record_inputs(run.id, read, ((row.run_id, row.corrections_file) for row in intake.settled))
    given = {Path(path).name for _, path in request.files}
    for name, sha256 in sorted(intake.files):
        if name in given and not ledger.authors.of(sha256):
            ledger.authors.record(sha256, request.by)
