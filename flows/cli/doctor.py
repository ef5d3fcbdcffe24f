"""doctor: checks of environment, ledger and service, one line each; with --probe, questions to staging."""

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final
from urllib.parse import urlsplit

import typer

from flows.cli.ending import AsJson, Result, console_for, plain_names
from schemas.errors import DecisionRefused, ExitCode, NotSent, RepasseError, SendingFrozen, UnreadableFile, worst
from schemas.messages import Message, render

if TYPE_CHECKING:
    from rich.console import Console

    from flows.probe.rules import ProbeFinding, ProbeParties
    from flows.settings import Settings

LONGEST_FILE: Final = 65_536


def doctor(
    accept_key: Annotated[bool, typer.Option("--accept-key", help="Let the ledger know the new API key.")] = False,
    accept_clock: Annotated[
        bool,
        typer.Option("--accept-clock", help="The clock is right; it was ahead when it wrote last."),
    ] = False,
    by: Annotated[str, typer.Option(metavar="NAME", help="Who accepts it.", callback=plain_names)] = "",
    probe: Annotated[bool, typer.Option("--probe", help="Find out on staging what the interface leaves open.")] = False,
    staging: Annotated[bool, typer.Option("--staging", help="With --probe: the service is staging.")] = False,
    probe_file: Annotated[
        Path | None, typer.Option(metavar="F", help="With --probe: payer, payee, account (YAML); may cost centavos.")
    ] = None,
    yes_probe: Annotated[
        str | None, typer.Option(metavar="HOST", help="With --probe: go on without asking; the service's host.")
    ] = None,
    as_json: AsJson = False,
) -> Result:
    """Say what is wrong with environment, ledger and service."""
    from flows.settings import read_settings

    if probe:
        return _probe(staging=staging, yes_probe=yes_probe, parties_file=probe_file, as_json=as_json)
    console = console_for(as_json=as_json)
    settings = read_settings()
    findings = list[tuple[str, str, ExitCode]]()

    def look(what: str, at: Callable[[], str]) -> None:
        try:
            findings.append((what, at(), ExitCode.DONE))
        except RepasseError as error:
            findings.append((what, error.message, error.exit_code))

    if accept_key:
        look("API key", lambda: _accept_key(settings, by))
    if accept_clock:
        look("clock", lambda: _accept_clock(settings, by))
    look("environment", lambda: _environment(settings))
    look("egress", lambda: _egress(settings))
    look("policy", lambda: _policy(settings))
    look("ledger", lambda: _ledger(settings))
    look("service", lambda: _service(settings))
    look("sending", lambda: _sending(settings))
    look("nights", lambda: _nights(settings))
    for what, found, code in findings:
        mark = "[green]ok[/green]" if code is ExitCode.DONE else f"[red]exit {int(code)}[/red]"
        console.print(f"{what:<12} {mark}  {found}", soft_wrap=True)
    findings_json = {what: {"exit_code": int(code), "message": message} for what, message, code in findings}
    return worst(code for _, _, code in findings), {
        "findings": findings_json,
        "assumptions": _show_seen(console, settings),
    }


def _show_seen(console: "Console", settings: "Settings") -> list[dict[str, Any]]:
    """Print what probes have seen of the service where its interface is silent, and where a setting says otherwise.

    A warning and no more: what was seen may have changed since, and people decide what they set.
    """
    from flows.probe.rules import judge
    from flows.run import open_ledger_of
    from io_adapters.payout_api.assumptions import Assumptions

    try:
        assumed = Assumptions.from_environment(settings.assumptions).model_dump()
        url = settings.require_service().url
        with open_ledger_of(settings, create=False) as ledger:
            seen = {name: finding for name, finding in ledger.findings.latest(url).items() if name in assumed}
    except RepasseError:  # told above, in a line of its own
        return []
    findings = [
        judge(name, assumed[name], finding.value, f"{finding.seen_at:%Y-%m-%d}")
        for name, finding in sorted(seen.items())
    ]
    _show_findings(console, findings, "seen by probes")
    return [
        {
            "name": finding.name,
            "assumed": finding.assumed,
            "seen": finding.seen,
            "seen_at": seen[finding.name].seen_at.isoformat(),
            "contradicted": finding.setting is not None,
        }
        for finding in findings
    ]


def _environment(settings: "Settings") -> str:
    from flows.runner import describe_service
    from flows.settings import check_environment

    check_environment()
    return f"home {settings.home}, service {describe_service(settings.service)}"


def _egress(settings: "Settings") -> str:
    """Say how requests leave the house; a file of certificates that cannot be used is told here."""
    from urllib.parse import urlsplit

    from io_adapters.tls import tls_context

    tls_context(settings.egress)
    egress, proxy = settings.egress, urlsplit(settings.egress.proxy)
    ways = [f"proxy {proxy.hostname}:{proxy.port or 80}"] if egress.proxy else ["no proxy"]
    ways += [f"certificates of {egress.ca_file} beside the usual ones"] if egress.ca_file else []
    ways += [f"client certificate {egress.client_cert}"] if egress.client_cert else []
    return ", ".join(ways)


def _policy(settings: "Settings") -> str:
    """Say what no job may undercut."""
    from flows.run import policy_of
    from schemas.approval import rule_of
    from schemas.values.money import format_cents

    policy = policy_of(settings)
    if policy is None:
        return "none: each job's own rule counts, and any typed name (REPASSE_POLICY names a file no job can undercut)"
    rule = rule_of(policy)
    amounts = {"above": rule.above_cents, "a payment": rule.payment_limit_cents, "a run": rule.run_limit_cents}
    rules = [f"{what} {format_cents(cents, 'en')}" for what, cents in amounts.items() if cents is not None]
    rules += [f"approvers {rule.approvers}", f"identities {rule.identities}"]
    rules += ["other than the preparer"] if rule.other_than_preparer else []
    return f"{settings.policy}: {', '.join(rules)}"


def _ledger(settings: "Settings") -> str:
    from flows.run import open_ledger_of

    with open_ledger_of(settings, create=False) as ledger:
        ledger.runs.require_clock()
        binding = ledger.service.current()
        bound = f"belongs to {binding.url}" if binding.url else "belongs to no service yet"
        return f"tag {ledger.tag}, {bound}"


def _service(settings: "Settings") -> str:
    from flows.run import open_ledger_of
    from flows.runner import opened_service
    from schemas.plan import names_of

    with opened_service(settings) as service, open_ledger_of(settings, create=False) as ledger:
        reports = service.api.list_all_reports()
        if ledger.service.current().url:
            ledger.service.bind_or_check(service.url, service.key_fingerprint)
        ours = {submission.split_id for submission in ledger.submissions.list(bodies=False) if submission.split_id}
    seen = [report for report in reports if report.id in ours]
    if seen and not any(names_of(report) for report in seen):
        return (
            f"answers, and lists {len(reports)} reports, but echoes neither reportId nor paymentBatchName: "
            "a lost ledger or a second one cannot be noticed, and only people can settle a doubt"
        )
    return f"answers, and lists {len(reports)} reports"


def _sending(settings: "Settings") -> str:
    from flows.run import open_ledger_of

    with open_ledger_of(settings, create=False) as ledger:
        hold, freeze = ledger.hold.current(), ledger.freeze.current()
    if freeze:
        raise SendingFrozen(Message("freeze.standing", reason=freeze.reason))
    if hold:
        raise NotSent(Message("error.on_hold", by=hold.by, why=hold.why))
    return "may go on"


def _nights(settings: "Settings") -> str:
    from flows.nights.due import last_night
    from flows.run import open_ledger_of, utc_now

    with open_ledger_of(settings, create=False) as ledger:
        night = last_night(ledger, utc_now())
    return render(night, "en") if night else "none has ended yet"


def _accept_key(settings: "Settings", by: str) -> str:
    from flows.run import open_ledger_of

    service = settings.require_service()
    with open_ledger_of(settings) as ledger:
        ledger.service.accept_key(service.key_fingerprint, by)
    return f"accepted by {by}"


def _accept_clock(settings: "Settings", by: str) -> str:
    from flows.run import open_ledger_of

    if not by.strip():
        raise DecisionRefused(Message("approval.needs_name"))
    with open_ledger_of(settings) as ledger:
        newest = ledger.runs.accept_clock(by.strip())
    return f"accepted by {by}: rows up to {newest:%Y-%m-%d %H:%M:%S} UTC" if newest else "the ledger is empty"


def _probe(*, staging: bool, yes_probe: str | None, parties_file: Path | None, as_json: bool) -> Result:
    """Find out on staging what the interface does not say, after a clear question, for a few centavos.

    Args:
        staging: Whether a person says that it is staging; so does REPASSE_STAGING=1.
        yes_probe: The service's host, typed by a script in place of the answer to the question.
        parties_file: Names whom a report of R$ 0.01 goes from and to, and an own account; free questions alone without.
        as_json: Whether standard output is kept for one document.

    Returns:
        Exit 40 when an assumption is contradicted.
    """
    from flows.probe.probe import probe
    from flows.probe.rules import NOT_ASKED, ProbeVerdict
    from flows.run import QuietProgress
    from flows.runner import opened_probe
    from flows.settings import read_settings

    settings = read_settings()
    host = _probed_host(settings)
    if not (staging or os.environ.get("REPASSE_STAGING") == "1"):
        raise DecisionRefused(Message("error.probe_staging", host=host))
    parties = _read_file(parties_file) if parties_file else None
    console = console_for(as_json=as_json)
    _report_price(console, parties, host)
    typed = yes_probe if yes_probe is not None else _ask(host)
    if typed.strip() != host:
        raise DecisionRefused(Message("error.probe_host", host=host))
    with opened_probe(settings, parties, QuietProgress()) as probing:
        findings = probe(probing)
    _show_findings(console, findings, "probed")
    for name, why in NOT_ASKED.items():
        console.print(f"not asked: {name} ({why})", soft_wrap=True, markup=False)
    contradicted = [finding for finding in findings if finding.verdict is ProbeVerdict.CONTRADICTED]
    document = [
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
    return code, {"host": host, "probed": document, "not_asked": dict(NOT_ASKED)}


def _probed_host(settings: "Settings") -> str:
    """Name what a person has to type: the host, with its port where it has one; "sandbox" for the embedded one."""
    service = settings.require_service()
    return service.url if service.embedded else urlsplit(service.url).netloc


def _show_findings(console: "Console", findings: "Sequence[ProbeFinding]", title: str) -> None:
    """Print what was found, and the settings that would make it true."""
    from flows.cli.printing import show_grid
    from flows.probe.rules import ProbeVerdict
    from io_adapters.outputs.grid import Grid, GridColumn, Tone, Toned

    tones = {
        ProbeVerdict.CONFIRMED: Tone.GOOD,
        ProbeVerdict.CONTRADICTED: Tone.TROUBLE,
        ProbeVerdict.NOT_FOUND_OUT: Tone.WAITING,
    }
    columns = [GridColumn(name) for name in ("assumption", "assumed", "seen", "verdict", "how")]
    rows = [
        (
            *(finding.name, finding.assumed, finding.seen),
            Toned(finding.verdict.value, tones[finding.verdict]),
            finding.note,
        )
        for finding in findings
    ]
    show_grid(console, Grid(title, columns, rows), "en", most_rows=len(rows))
    for finding in findings:
        if finding.setting:
            console.print(f"warning: the probe saw otherwise; export {finding.setting}", soft_wrap=True, markup=False)


def _report_price(console: "Console", parties: "ProbeParties | None", host: str) -> None:
    from flows.probe.rules import reais, steps_for

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
        raise DecisionRefused(Message("error.probe_nobody", host=host))
    answer: str = typer.prompt("type the host to go on", default="", show_default=False, err=True)
    return answer


def _read_file(path: Path) -> "ProbeParties":
    from flows.probe.rules import read_parties
    from io_adapters.spreadsheets.declarations import parse_yaml

    try:
        with path.open(encoding="utf-8") as stream:
            text = stream.read(LONGEST_FILE)
    except (OSError, UnicodeDecodeError):
        raise UnreadableFile(Message("error.probe_file", path=str(path))) from None
    return read_parties(parse_yaml(text, path.name).values, path.name)
