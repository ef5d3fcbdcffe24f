"""What people are handed to put right: their own sheets with the bad cells marked, and the shares that are missing."""

from pathlib import Path

from flows.intake.intake import Intake
from flows.payables.rules.cross_check import list_missing_shares
from flows.payables.rules.left_out import set_aside
from flows.run import Run
from schemas.issues import Severity


def write_run_corrections(run: Run, intake: Intake, folder: Path) -> list[Path]:
    """Write what there is to put right; nothing, where nothing is wrong.

    Raises:
        OSError: the folder cannot be written.
    """
    return [path for path in (corrections_of(run, intake, folder), missing_shares_of(run, intake, folder)) if path]


def corrections_of(run: Run, intake: Intake, folder: Path) -> Path | None:
    """Write the person's own sheets with the bad cells marked; None when there is nothing to correct."""
    if all(issue.severity is Severity.NOTE for issue in run.issues):
        return None
    # A workbook takes long to import, and most checks have nothing to correct.
    from io_adapters.outputs.corrections import SheetToCorrect, write_corrections  # noqa: PLC0415

    sheets = [
        SheetToCorrect(
            raw, [issue for issue in run.issues if (issue.file, issue.sheet) == (raw.file.name, raw.sheet)], origin
        )
        for raw, origin, _ in intake.sheets
    ]
    return write_corrections(sheets, folder / "corrections.xlsx", run.language)


def missing_shares_of(run: Run, intake: Intake, folder: Path) -> Path | None:
    """List the lines that no share covers, to be filled in; files that were paid before are left out."""
    inputs, _ = set_aside(intake.inputs, intake.used_before.repeated)
    first_day = run.request.period.start.isoformat()
    shares, currency = (inputs.shares, inputs.shares_in_question), run.job.currency
    missing = list_missing_shares(inputs.statements, *shares, currency=currency, first_day=first_day)
    if not missing:
        return None
    from io_adapters.outputs.corrections import write_missing_shares  # noqa: PLC0415 - as above

    return write_missing_shares(missing, folder / "missing-shares.xlsx", run.language)
