"""doctor --probe: find out on staging what the interface does not say, after a clear question, for a few centavos."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import typer
from rich.console import Console
from rich.table import Table

from flows.probe.probe import probe
from flows.probe.rules import NOT_ASKED, ProbeFinding, ProbeParties, Verdict, read_parties, reais, steps_for
from flows.runner import opened_probe
from flows.settings import Settings, read_settings
from flows.terminal.printing import QuietProgress, console_for
from io_adapters.spreadsheets.declarations import parse_yaml
from schemas.errors import DecisionRefused, UnreadableFile
from schemas.exit_codes import ExitCode

Result = tuple[ExitCode, dict[str, Any]]

LONGEST_FILE: Final = 65_536
_COLOURS: Final = {Verdict.CONFIRMED: "green", Verdict.CONTRADICTED: "red", Verdict.NOT_FOUND_OUT: "yellow"}


def probe_service(*, staging: bool, yes_probe: str | None, parties_file: Path | None, as_json: bool) -> Result:
    """Probe the service the environment names, and say which settings it contradicts.

    Args:
        staging: Whether a person says that it is staging; so does REPASSE_STAGING=1.
        yes_probe: The service's host, typed by a script in place of the answer to the question.
        parties_file: Names whom a report of R$ 0.01 goes from and to, and an own account; free questions alone without.
        as_json: Whether standard output is kept for one document.

    Returns:
        Exit 40 when an assumption is contradicted.

    Raises:
        DecisionRefused: nobody says that this is staging, or the host was not typed; nothing was sent.
        ConfigurationError: the file says otherwise than it must.
    """
    settings = read_settings()
    host = probed_host(settings)
    if not (staging or os.environ.get("REPASSE_STAGING") == "1"):
        raise DecisionRefused(f"a probe is for staging: if {host} is that, say --staging or set REPASSE_STAGING=1")
    parties = _read_file(parties_file) if parties_file else None
    console = console_for(as_json=as_json)
    _tell_price(console, parties, host)
    typed = yes_probe if yes_probe is not None else _ask(host)
    if typed.strip() != host:
        raise DecisionRefused(f"the host is {host}; something else was typed, and nothing was sent")
    with opened_probe(settings, parties, QuietProgress()) as probing:
        findings = probe(probing)
    show_findings(console, findings)
    contradicted = [finding for finding in findings if finding.verdict is Verdict.CONTRADICTED]
    told = [
        {
            "name": finding.name,
            "assumed": finding.assumed,
            "seen": finding.seen,
            "verdict": finding.verdict.value,
            "setting": finding.setting,
            "note": finding.note,
        }
        for finding in findings
    ]
    code = ExitCode.DISCREPANCIES if contradicted else ExitCode.DONE
    return code, {"host": host, "probed": told, "not_asked": dict(NOT_ASKED)}


def probed_host(settings: Settings) -> str:
    """Name what a person has to type: the host, with its port where it has one; "sandbox" for the embedded one."""
    service = settings.require_service()
    return service.url if service.embedded else urlsplit(service.url).netloc


def show_findings(console: Console, findings: Sequence[ProbeFinding]) -> None:
    """Print what was found, and the settings that would make it true."""
    table = Table(show_edge=False)
    for column in ("assumption", "assumed", "seen", "", "how"):
        table.add_column(column, overflow="fold")
    for finding in findings:
        verdict = f"[{_COLOURS[finding.verdict]}]{finding.verdict.value}[/]"
        table.add_row(finding.name, finding.assumed, finding.seen or "-", verdict, finding.note)
    console.print(table)
    for name, why in NOT_ASKED.items():
        console.print(f"not asked: {name} ({why})", soft_wrap=True, markup=False)
    settings = [finding.setting for finding in findings if finding.setting]
    if settings:
        console.print("\nto change:")
        for setting in settings:
            console.print(f"  export {setting}", soft_wrap=True, markup=False)


def _tell_price(console: Console, parties: ProbeParties | None, host: str) -> None:
    steps = steps_for(parties.named if parties else ())
    for step in steps:
        fees = f" + {step.fees} fees" if step.fees else ""
        price = f"at most {reais(step.cost_cents)}{fees}" if step.cost_cents else "free"
        console.print(f"  {step.does}: {price}", soft_wrap=True, markup=False)
    total = reais(sum(step.cost_cents for step in steps))
    count = sum(step.fees for step in steps)
    also = f" and {count} fees of an account check" if count else ""
    console.print(f"at {host}, at most {total}{also}; what it makes there stays there", soft_wrap=True, markup=False)


def _ask(host: str) -> str:
    if not sys.stdin.isatty():
        raise DecisionRefused(f"nobody is there to ask; a script says --yes-probe {host}")
    answer: str = typer.prompt("type the host to go on", default="", show_default=False, err=True)
    return answer


def _read_file(path: Path) -> ProbeParties:
    try:
        with path.open(encoding="utf-8") as stream:
            text = stream.read(LONGEST_FILE)
    except (OSError, UnicodeDecodeError):
        raise UnreadableFile(f"{path}: the probe's file cannot be read") from None
    return read_parties(parse_yaml(text, path.name).values, path.name)
