"""What a person is handed to put right: their own sheets with the bad cells marked, and the shares that are missing."""

from pathlib import Path

from flows.stages.run import Run
from flows.steps.missing_shares import list_missing_shares
from flows.steps.repeated import set_aside
from io_adapters.outputs.corrections import SheetToCorrect, write_corrections
from io_adapters.outputs.missing_shares import write_missing_shares


def write_correctables(run: Run, folder: Path) -> list[Path]:
    """Write what there is to put right; nothing, where nothing is wrong.

    Raises:
        OSError: the folder cannot be written.
    """
    return [path for path in (corrections_of(run, folder), missing_shares_of(run, folder)) if path]


def corrections_of(run: Run, folder: Path) -> Path | None:
    """Write the person's own sheets with the bad cells marked; None when there is nothing to correct."""
    sheets = [
        SheetToCorrect(raw, [one for one in run.issues if (one.file, one.sheet) == (raw.file.name, raw.sheet)], origin)
        for raw, origin in run.sheets
    ]
    return write_corrections(sheets, folder / "corrections.xlsx", run.language)


def missing_shares_of(run: Run, folder: Path) -> Path | None:
    """List the lines that no share covers, to be filled in; files that were paid before are left out."""
    inputs, _ = set_aside(run.require_inputs(), run.used_before.repeated)
    first_day = run.order.period.start.isoformat()
    shares, currency = (inputs.shares, inputs.shares_in_question), run.job.currency
    missing = list_missing_shares(inputs.statements, *shares, currency=currency, first_day=first_day)
    return write_missing_shares(missing, folder / "missing-shares.xlsx", run.language)
