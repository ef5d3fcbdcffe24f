"""doctor: environment, ledger and service, each looked at and told in one line."""

from collections.abc import Callable
from typing import Any

from rich.console import Console
from rich.table import Table

from flows.opening import open_ledger_of, policy_of
from flows.probe.rules import contradicted_by, judge, written
from flows.runner import describe_service, opened_service
from flows.settings import Settings, check_environment, read_settings
from flows.terminal.printing import console_for
from io_adapters.payout_api.assumptions import Assumptions
from schemas.errors import NotSent, RepasseError, SendingFrozen
from schemas.exit_codes import ExitCode, worst
from schemas.plan import names_of
from schemas.values.money import format_cents

Result = tuple[ExitCode, dict[str, Any]]


def examine(*, accept_key: bool, by: str, as_json: bool) -> Result:
    """Look at everything a run rests on; with accept_key, first let the ledger know the new API key."""
    console = console_for(as_json=as_json)
    settings = read_settings()
    findings: list[tuple[str, str, ExitCode]] = []

    def look(what: str, at: Callable[[], str]) -> None:
        try:
            findings.append((what, at(), ExitCode.DONE))
        except RepasseError as error:
            findings.append((what, error.message, error.exit_code))

    if accept_key:
        look("API key", lambda: _accept_key(settings, by))
    look("environment", lambda: _environment(settings))
    look("policy", lambda: _policy(settings))
    look("ledger", lambda: _ledger(settings))
    look("service", lambda: _service(settings))
    look("sending", lambda: _sending(settings))
    for what, told, code in findings:
        mark = "[green]ok[/green]" if code is ExitCode.DONE else f"[red]exit {int(code)}[/red]"
        console.print(f"{what:<12} {mark}  {told}", soft_wrap=True)
    findings_json = {what: {"exit_code": int(code), "message": message} for what, message, code in findings}
    return worst(code for _, _, code in findings), {
        "findings": findings_json,
        "assumptions": _show_seen(console, settings),
    }


def _show_seen(console: Console, settings: Settings) -> list[dict[str, Any]]:
    """Print what probes have seen of the service where its interface is silent, and where a setting says otherwise.

    A warning and no more: what was seen may have changed since, and people decide what they set.
    """
    try:
        assumed = Assumptions.from_environment(settings.assumptions).model_dump()
        url = settings.require_service().url
        with open_ledger_of(settings, create=False) as ledger:
            seen = {name: one for name, one in ledger.findings.latest(url).items() if name in assumed}
    except RepasseError:  # told above, in a line of its own
        return []
    if not seen:
        return []
    wrong = {name for name, _, _ in contradicted_by(assumed, {name: one.value for name, one in seen.items()})}
    table = Table(title="seen by probes", title_justify="left", show_edge=False)
    for column in ("assumption", "assumed", "seen", "when", ""):
        table.add_column(column, overflow="fold")
    told = []
    for name, one in sorted(seen.items()):
        mark = "[red]contradicted[/red]" if name in wrong else "[green]ok[/green]"
        table.add_row(name, written(assumed[name]), one.value, f"{one.seen_at:%Y-%m-%d}", mark)
        told.append(
            {
                "name": name,
                "assumed": written(assumed[name]),
                "seen": one.value,
                "seen_at": one.seen_at.isoformat(),
                "contradicted": name in wrong,
            }
        )
    console.print(table)
    for name in sorted(wrong):
        setting = judge(name, assumed[name], seen[name].value, "").setting
        console.print(f"warning: a probe saw otherwise; export {setting}", soft_wrap=True, markup=False)
    return told


def _environment(settings: Settings) -> str:
    check_environment()
    return f"home {settings.home}, service {describe_service(settings.service)}"


def _policy(settings: Settings) -> str:
    """Say what no job may undercut."""
    rule = policy_of(settings)
    if rule is None:
        return "none: each job's own rule counts (REPASSE_POLICY names a file that no job can undercut)"
    amounts = {"above": rule.above_cents, "a payment": rule.payment_limit_cents, "a run": rule.run_limit_cents}
    said = [f"{what} {format_cents(cents, 'en')}" for what, cents in amounts.items() if cents is not None]
    said += [f"approvers {rule.approvers}", f"identities {rule.identities}"]
    said += ["other than the preparer"] if rule.other_than_preparer else []
    return f"{settings.policy}: {', '.join(said)}"


def _ledger(settings: Settings) -> str:
    with open_ledger_of(settings, create=False) as ledger:
        binding = ledger.service.current()
        bound = f"belongs to {binding.url}" if binding.url else "belongs to no service yet"
        return f"tag {ledger.tag}, {bound}"


def _service(settings: Settings) -> str:
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


def _sending(settings: Settings) -> str:
    with open_ledger_of(settings, create=False) as ledger:
        hold, freeze = ledger.hold.current(), ledger.freeze.current()
    if freeze:
        raise SendingFrozen(f"frozen: {freeze.reason}")
    if hold:
        raise NotSent(f"on hold by {hold.by}: {hold.why}")
    return "may go on"


def _accept_key(settings: Settings, by: str) -> str:
    service = settings.require_service()
    with open_ledger_of(settings) as ledger:
        ledger.service.accept_key(service.key_fingerprint, by)
    return f"accepted by {by}"
