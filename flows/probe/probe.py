"""The probe: free questions to the service first, then those that cost a centavo."""

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from flows.probe.rules import (
    NAME,
    STEPS,
    Follows,
    OwnAccount,
    ProbeFinding,
    ProbeParties,
    account_question,
    follows_dates,
    follows_name,
    follows_page,
    follows_size,
    judge,
    name_wanted,
    names_to_try,
    report_body,
    steps_for,
    total_of,
    whole_seconds,
)
from flows.run import Run
from flows.sending.send import check_may_send, post_once, send_once
from io_adapters.ledger.leases import is_gone
from io_adapters.ledger.outbox import Proof
from io_adapters.payout_api.client import ProbeApi
from io_adapters.payout_api.outcome import PostAnswer
from schemas.errors import BrokenInvariant, NotSent
from schemas.messages import Listed, Message, Money
from schemas.submission import Outcome
from schemas.wire import InstitutionPage, SplitReport

LONGEST_WAIT_S: Final = 120.0


@dataclass(slots=True)
class Probing:
    """One probe.

    Attributes:
        run: With ledger, service and clock.
        api: The service, asked in a probe's ways.
        parties: Whom the centavos go from and to; None where nobody is named.
        findings: What was found so far.
        first_report: Name and id of the first report it made; None before.
    """

    run: Run
    api: ProbeApi
    parties: ProbeParties | None
    findings: list[ProbeFinding] = field(default_factory=list)
    first_report: tuple[str, str] | None = None

    def assumed(self, name: str) -> Any:  # noqa: ANN401  # any of the settings' types
        """Return what is assumed under a name."""
        return getattr(self.run.require_service().assumptions, name)

    @property
    def wait_s(self) -> float:
        """How long a new report is looked for in the list: twice what is assumed, two minutes at most."""
        return min(2.0 * float(self.assumed("listed_within_s")), LONGEST_WAIT_S)

    def saw(self, name: str, seen: str | None, note: str) -> None:
        """Judge what was seen of an assumption, and keep it with its date; None is nothing seen."""
        finding = judge(name, self.assumed(name), seen, note)
        self.findings.append(finding)
        if seen is not None:
            self.run.ledger.findings.record(name, seen, self.run.require_service().url)
        self.run.show(Listed((name, finding.verdict.value), ": "))

    def note(self, what: str) -> None:
        """Write down what is about to be done, or was, of what may cost something; nothing personal."""
        self.run.ledger.findings.record("probe", what, self.run.require_service().url)


LONGEST_PAUSE_S = 5.0


def probe_create(probing: Probing) -> None:
    """Create a report; see the status, the echo, how soon it is listed, and by which id it is found."""
    report_id = NAME + secrets.token_hex(8)
    answer = _create(probing, report_id)
    if answer.http_status is not None and 200 <= answer.http_status < 300:
        probing.saw("create_statuses", str(answer.http_status), "answer to a report of R$ 0.01")
    if answer.report is None or answer.report.id is None:
        raise NotSent(Message("probe.not_accepted", amount=Money(1, "R$"), reason=answer.reason))
    listed = _listed(probing, answer.report.id)
    echoes = answer.report.reportId == report_id and (listed is None or listed.reportId == report_id)
    where = "the answer and the list" if listed else "the answer"
    probing.saw("report_id_echoed", str(echoes).lower(), f"looked at {where}")
    takes = [
        kind for kind, name in (("_id", answer.report.id), ("reportId", report_id)) if _gets(probing, name, answer)
    ]
    probing.saw("get_takes", ",".join(takes) or None, "got by each of its ids")
    probing.first_report = (report_id, answer.report.id)


def probe_again(probing: Probing) -> None:
    """Create a report of the same reportId once more."""
    if probing.first_report is None:
        raise NotSent(Message("error.probe_no_first"))
    report_id, split_id = probing.first_report
    answer = _create(probing, report_id)
    if answer.outcome is Outcome.ACCEPTED and answer.report is not None:
        same = answer.report.id == split_id
        note = "the first report was handed back" if same else "a second report was made"
        probing.saw("report_id_unique", None if same else "false", note)
    elif answer.http_status in {409, 422}:
        probing.saw("report_id_unique", "true", f"HTTP {answer.http_status} to the same report")
    else:
        probing.saw("report_id_unique", None, str(answer.reason))


def probe_sums(probing: Probing) -> None:
    """Create a report whose payments and owner's part do not make its amount."""
    answer = _create(probing, NAME + secrets.token_hex(8), amount_cents=2)
    seen = {Outcome.ACCEPTED: "false", Outcome.REFUSED: "true"}.get(answer.outcome)
    probing.saw("payments_and_owner_make_amount", seen, str(answer.reason))


def probe_account(probing: Probing) -> None:
    """Check an own account, which is good for sure: the way of writing it that is called valid is the right one."""
    account = _parties(probing).account
    if account is None:
        raise NotSent(Message("error.probe_no_account"))
    assumed_glued = probing.assumed("account_check_digit") == "glued"
    for glued, psp_is_ispb in ((assumed_glued, True), (not assumed_glued, True), (assumed_glued, False)):
        if _is_valid(probing, account, glued=glued, psp_is_ispb=psp_is_ispb):
            probing.saw("psp_id_is_ispb", str(psp_is_ispb).lower(), "your own account was valid that way")
            probing.saw("account_check_digit", "glued" if glued else "hyphen", "your own account was valid that way")
            return
    raise NotSent(Message("error.probe_account"))


def _is_valid(probing: Probing, account: OwnAccount, *, glued: bool, psp_is_ispb: bool) -> bool:
    check_may_send(probing.run)
    how = f"digit {'glued' if glued else 'after a hyphen'}, pspId {'ISPB' if psp_is_ispb else 'bank code'}"
    probing.note(f"account check, {how}: about to be sent")
    answer = probing.api.validate_account(account_question(account, glued=glued, psp_is_ispb=psp_is_ispb))
    verdict = {True: "valid", False: "invalid", None: "refused" if answer.refused else "no verdict"}[answer.valid]
    probing.note(f"account check, {how}: {verdict}")
    if not answer.answered:  # another way that is valid would say nothing of this one
        raise NotSent(Message("error.probe_unanswered"))
    return answer.valid is True


def _create(probing: Probing, report_id: str, *, amount_cents: int = 1) -> PostAnswer:
    """Send one report of a centavo's payment, once; its intent is durable by then."""
    run = probing.run
    if not report_id.startswith(NAME) or amount_cents not in {1, 2}:
        raise BrokenInvariant("a probe sends centavos under a probe's name, and nothing else")
    body = report_body(_parties(probing), report_id, run.clock.now().date().isoformat(), amount_cents=amount_cents)
    attempt = run.ledger.probes.write(report_id, body, run.id)
    post = partial(post_once, run.require_service(), report_id=report_id, was_in_doubt=False)
    sent = send_once(run, run.ledger.probes, attempt, post, lambda answer: Proof(answer.outcome, answer.reason))
    if sent is None:
        raise BrokenInvariant(f"{attempt.id} was taken by another probe")
    return sent[1]


def _listed(probing: Probing, split_id: str) -> SplitReport | None:
    """List until a report shows; None when it does not in the time there is."""
    clock = probing.run.clock
    began_s, pause_s = clock.monotonic_s(), 0.25
    while True:
        found = [report for report in probing.api.list_reports() if report.id == split_id]
        past_s = clock.monotonic_s() - began_s
        if found:
            probing.saw("listed_within_s", whole_seconds(past_s), "time until the list showed the report")
            return found[0]
        if past_s + pause_s > probing.wait_s:
            probing.saw("listed_within_s", None, f"not in the list after {past_s:.0f} s")
            return None
        clock.sleep(pause_s)
        pause_s = min(2 * pause_s, LONGEST_PAUSE_S)


def _gets(probing: Probing, any_id: str, answer: PostAnswer) -> bool:
    found = probing.api.report_by(any_id)
    return found is not None and answer.report is not None and found.id == answer.report.id


def _parties(probing: Probing) -> ProbeParties:
    if probing.parties is None:
        raise NotSent(Message("error.probe_no_payee"))
    return probing.parties


NOBODY: Final = "repasse-probe-nobody"
ROWS: Final = 7  # no page size anybody would have by default


def probe(probing: Probing) -> list[ProbeFinding]:
    """Walk the steps for which enough was named.

    Returns:
        One finding for each assumption that a step can speak of, in the steps' order.

    Raises:
        ConfigurationError: the ledger belongs to another service.
        NotSent: sending is on hold, or the service cannot be reached at all.
        SendingFrozen: ledger and service disagree.
    """
    run = probing.run
    service = run.require_service()
    if run.ledger.service.current().url:  # a key never goes to a service that is not the ledger's
        run.ledger.service.bind_or_check(service.url, service.key_fingerprint)
    check_may_send(run)
    run.ledger.probes.doubt_abandoned(lambda owner: is_gone(owner, run.owner))
    service.api.list_reports()
    run.ledger.service.bind_or_check(service.url, service.key_fingerprint)
    walked = steps_for(probing.parties.named if probing.parties else ())
    for step in walked:
        run.show(Listed((step.does,)))
        before = len(probing.findings)
        why = "not seen"
        try:
            DOES[step.key](probing)
        except NotSent as failure:
            why = failure.message
        known = {finding.name for finding in probing.findings[before:]}
        for name in step.finds:
            if name not in known:
                probing.saw(name, None, why)
    for step in STEPS:
        for name in step.finds if step not in walked else ():
            probing.saw(name, None, f"asked only where the probe's file names {step.needs}")
    return probing.findings


def _institutions(probing: Probing) -> None:
    api = probing.api
    first = api.institutions_page({})
    total = total_of(first) if first else None
    if first is None or not first.data or not total:
        raise NotSent(Message("error.probe_institutions"))
    searched = (
        next(institution.name for institution in first.data if institution.name)
        if any(institution.name for institution in first.data)
        else ""
    )
    _try_names(probing, "institutions_name", searched, follows_name(searched, total))
    _try_names(probing, "institutions_min_start_date", "2999-12-31", follows_dates)
    _try_names(probing, "institutions_max_start_date", "1980-01-01", follows_dates)
    size = _try_names(probing, "institutions_page_size", str(ROWS), follows_size(ROWS))
    few = {size: str(ROWS)} if size else {}
    page = api.institutions_page(few) if few else first
    if page is not None:
        _try_names(probing, "institutions_page", "2", follows_page(2, page), few)
    _see_rows(probing, size, total)


def _see_rows(probing: Probing, size_name: str | None, total: int) -> None:
    """See whether a page holds as many rows as runs will ask for."""
    wanted = int(probing.assumed("institutions_rows"))
    page = probing.api.institutions_page({size_name: str(wanted)} if size_name and wanted else {})
    rows = page.pagination.rows_per_page if page and page.pagination else None
    if page is None:
        probing.saw("institutions_rows", "0", f"{wanted} rows a page are refused; 0 leaves it to the service")
    elif rows is not None and wanted:
        probing.saw("institutions_rows", str(rows), f"asked for {wanted} of {total}")


def _try_names(
    probing: Probing, name: str, value: str, follows: Follows, besides: Mapping[str, str] | None = None
) -> str | None:
    """Find the query name that the service follows; None when it follows none of those tried."""
    tried = names_to_try(name, str(probing.assumed(name)))
    for query in tried:
        page: InstitutionPage | None = probing.api.institutions_page({**(besides or {}), query: value})
        if page is not None and follows(page):
            probing.saw(name, query, "the list follows it")
            return query
    probing.saw(name, None, f"the list follows none of {', '.join(tried)}")
    return None


def _favorite(probing: Probing) -> None:
    name = "favorite_account"
    assumed = str(probing.assumed(name))
    bare = probing.api.favorite_nobody({})
    wanted = name_wanted([(error.loc, error.type) for error in bare.errors], assumed)
    if wanted is not None:
        probing.saw(name, wanted, "HTTP 422 names what is missing")
        return
    answer = probing.api.favorite_nobody({assumed: NOBODY})
    if answer.status in probing.assumed("missing_statuses") and bare.status != answer.status:
        probing.saw(name, assumed, f"HTTP {answer.status} for an account that does not exist")
    else:
        probing.saw(name, None, f"HTTP {bare.status} without it, HTTP {answer.status} with it")


def _missing(probing: Probing) -> None:
    answer = probing.api.delete_nobody(NOBODY)
    if answer.status is not None and 400 <= answer.status < 500 and answer.status not in {401, 403, 429}:
        probing.saw("missing_statuses", str(answer.status), "answer to deleting a contact that does not exist")
    else:
        probing.saw("missing_statuses", None, f"HTTP {answer.status} for a contact that does not exist")


DOES: Final[Mapping[str, Callable[[Probing], None]]] = {
    "institutions": _institutions,
    "favorite": _favorite,
    "missing": _missing,
    "create": probe_create,
    "again": probe_again,
    "sums": probe_sums,
    "account": probe_account,
}
