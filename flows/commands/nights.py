"""nightly: every job of a folder that is due."""

from pathlib import Path
from typing import Any

from rich.markdown import Markdown

from flows.night import JobNight
from flows.prefect_ui.artifacts import night_page
from flows.start import start_night
from flows.terminal.printing import console_for, progress_on
from schemas.exit_codes import ExitCode
from schemas.job import Outputs

Result = tuple[ExitCode, dict[str, Any]]


def run_nightly(jobs: Path | None, *, as_json: bool) -> Result:
    """Run a night and tell what it came to for each job."""
    console = console_for(as_json=as_json)
    with progress_on(console) as progress:
        report = start_night(str(jobs) if jobs else None, progress=progress)
    console.print(Markdown(night_page(report, Outputs().language)))
    return report.exit_code, {
        "run": report.run_id,
        "state": report.state,
        "messages": list(report.messages),
        "jobs": [_document(job) for job in report.jobs],
    }


def _document(one: JobNight) -> dict[str, Any]:
    return {
        "file": one.file,
        "job": one.job,
        "period": one.period,
        "why": one.why.value if one.why else None,
        "was_run": one.was_run,
        "run": one.run_id or None,
        "state": one.state,
        "exit_code": int(one.exit_code),
        "message": one.message,
    }
