"""doctor: checks of environment, ledger and service, one line each."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from flows.cli.ending import AsJson, Result, console_for, plain_names
from schemas.errors import ConfigurationError, DecisionRefused, ExitCode, NotSent, RepasseError, SendingFrozen, worst
from schemas.messages import Message, render

if TYPE_CHECKING:
    from flows.settings import Settings


def doctor(
    accept_key: Annotated[bool, typer.Option("--accept-key", help="Let the ledger know the new API key.")] = False,
    accept_clock: Annotated[
        bool,
        typer.Option("--accept-clock", help="The clock is right; it was ahead when it wrote last."),
    ] = False,
    by: Annotated[str, typer.Option(metavar="NAME", help="Who accepts it.", callback=plain_names)] = "",
    as_json: AsJson = False,
) -> Result:
    """Check environment, ledger and service."""
    from flows.settings import read_settings

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
    look("reader", lambda: _reader(settings))
    look("ledger", lambda: _ledger(settings))
    look("service", lambda: _service(settings))
    look("sending", lambda: _sending(settings))
    look("nights", lambda: _nights(settings))
    for what, found, code in findings:
        mark = "[green]ok[/green]" if code is ExitCode.DONE else f"[red]exit {int(code)}[/red]"
        console.print(f"{what:<12} {mark}  {found}", soft_wrap=True)
    findings_json = {what: {"exit_code": int(code), "message": message} for what, message, code in findings}
    return worst(code for _, _, code in findings), {"findings": findings_json}


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
    from flows.house_ledger import policy_of
    from schemas.approval import rule_of
    from schemas.values.money import format_cents

    policy = policy_of(settings)
    require_enough_approvers(settings)
    if policy is None:
        return "none: each job's own rule counts, and any typed name (REPASSE_POLICY names a file no job can undercut)"
    rule = rule_of(policy)
    amounts = {"above": rule.above_cents, "a payment": rule.payment_limit_cents, "a run": rule.run_limit_cents}
    rules = [f"{what} {format_cents(cents, 'en')}" for what, cents in amounts.items() if cents is not None]
    rules += [f"approvers {rule.approvers}", f"identities {rule.identities}"]
    rules += ["other than the preparer"] if rule.other_than_preparer else []
    lacking = f"; {_missing_people(settings)}" if rule.identities == "signed_in" else ""
    return f"{settings.policy}: {', '.join(rules)}{lacking.rstrip('; ')}"


def _missing_people(settings: "Settings") -> str:
    """Say which parts too few users of the desk have to end every matter that may be open; "" where none."""
    from flows.house_ledger import open_ledger_of
    from schemas.states import missing_parts

    with open_ledger_of(settings, create=False) as ledger:
        users = ledger.desk_users.list()
    lines = [
        render("doctor.few_people", "en", count=count, role=role)
        for role, count in (missing_parts(users) if users else {}).items()
    ]
    return "; ".join(lines)


def require_enough_approvers(settings: "Settings") -> None:
    """Refuse a house in which no plan can ever have the approvals that its policy wants.

    Raises:
        ConfigurationError: there are users of the desk, and too few of them may approve.
    """
    from flows.house_ledger import open_ledger_of
    from schemas.approval import most_approvals

    with open_ledger_of(settings, create=False) as ledger:
        house, users = ledger.decision_rules.house(), ledger.desk_users.list()
    if house is None or not users or house.rule.identities != "signed_in":
        return
    if (most := most_approvals(house.rule, users)) < house.rule.approvers:
        raise ConfigurationError(Message("error.few_approvers", wanted=house.rule.approvers, count=most))


def _reader(settings: "Settings") -> str:
    """Say whether the process that reads strangers' files can do anything else."""
    from io_adapters.spreadsheets.readers import has_a_cage

    try:
        if has_a_cage():
            return "files are read in a cage (Landlock and seccomp)"
    except OSError as error:
        raise ConfigurationError(Message("file.no_reader", reason=type(error).__name__)) from None
    desk = "all the same" if settings.uncaged_workbooks == "read" else "not at all, and other files"
    return (
        f"this system has not both Landlock and seccomp: files are read without a cage; the desk reads workbooks {desk}"
    )


def _ledger(settings: "Settings") -> str:
    from flows.house_ledger import open_ledger_of

    with open_ledger_of(settings, create=False) as ledger:
        ledger.runs.require_clock()
        if broken := ledger.acts.first_broken():
            raise SendingFrozen(Message("error.acts_broken", number=broken))
        binding = ledger.service.current()
        bound = f"belongs to {binding.url}" if binding.url else "belongs to no service yet"
        return f"tag {ledger.tag}, {bound}"


def _service(settings: "Settings") -> str:
    from flows.house_ledger import open_ledger_of
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
    from flows.house_ledger import open_ledger_of

    with open_ledger_of(settings, create=False) as ledger:
        hold, freeze = ledger.hold.current(), ledger.freeze.current()
    if freeze:
        raise SendingFrozen(Message("freeze.standing", reason=freeze.reason))
    if hold:
        raise NotSent(Message("error.on_hold", by=hold.by, why=hold.why))
    return "may go on"


def _nights(settings: "Settings") -> str:
    from flows.house_ledger import open_ledger_of, utc_now
    from flows.nights.due import last_night

    with open_ledger_of(settings, create=False) as ledger:
        night = last_night(ledger, utc_now())
    return render(night, "en") if night else "none has ended yet"


def _accept_key(settings: "Settings", by: str) -> str:
    from flows.house_ledger import open_ledger_of

    service = settings.require_service()
    with open_ledger_of(settings) as ledger:
        ledger.service.accept_key(service.key_fingerprint, by)
    return f"accepted by {by}"


def _accept_clock(settings: "Settings", by: str) -> str:
    from flows.house_ledger import open_ledger_of

    if not by.strip():
        raise DecisionRefused(Message("act.no_name"))
    with open_ledger_of(settings) as ledger:
        newest = ledger.runs.accept_clock(by.strip())
    return f"accepted by {by}: rows up to {newest:%Y-%m-%d %H:%M:%S} UTC" if newest else "the ledger is empty"
