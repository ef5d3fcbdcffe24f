"""The steps of a probe that cost a centavo: each intent is written down before anything is sent, and sent once.

A probe's reports bear names that begin with `repasse-probe-`, never with the `rp-` of a payout's: the comparison of
ledger and service, which freezes sending over reports it does not know, does not look at them; and no payout can bear
such a name. They stand in the ledger as notes of the probe, not as submissions: they pay nobody anything that is owed.
"""

import secrets

from flows.stages.probing import Probing
from flows.stages.send import check_may_send, post_once
from flows.steps.probe import whole_seconds
from flows.steps.probe_parties import NAME, OwnAccount, ProbeParties, account_question, report_body
from io_adapters.split_api.outcome import Answer
from schemas.errors import BrokenInvariant, NotSent
from schemas.submission import Outcome
from schemas.wire import SplitReport

LONGEST_PAUSE_S = 5.0


def probe_create(probing: Probing) -> None:
    """Create a report; see the status, the echo, how soon it is listed, and by which id it is found."""
    report_id = NAME + secrets.token_hex(8)
    answer = _create(probing, report_id)
    if answer.http_status is not None and 200 <= answer.http_status < 300:
        probing.saw("create_statuses", str(answer.http_status), "answer to a report of R$ 0.01")
    if answer.report is None or answer.report.id is None:
        raise NotSent(f"the report of R$ 0.01 was not accepted: {answer.reason}")
    listed = _listed(probing, answer.report.id)
    echoes = answer.report.reportId == report_id and (listed is None or listed.reportId == report_id)
    where = "the answer and the list" if listed else "the answer"
    probing.saw("report_id_echoed", str(echoes).lower(), f"looked at {where}")
    takes = [kind for kind, one in (("_id", answer.report.id), ("reportId", report_id)) if _gets(probing, one, answer)]
    probing.saw("get_takes", ",".join(takes) or None, "got by each of its ids")
    probing.first_report = (report_id, answer.report.id)


def probe_again(probing: Probing) -> None:
    """Create a report of the same reportId once more."""
    if probing.first_report is None:
        raise NotSent("there is no first report to repeat")
    report_id, split_id = probing.first_report
    answer = _create(probing, report_id)
    if answer.outcome is Outcome.ACCEPTED and answer.report is not None:
        same = answer.report.id == split_id
        note = "the first report was handed back" if same else "a second report was made"
        probing.saw("report_id_unique", None if same else "false", note)
    elif answer.http_status in {409, 422}:
        probing.saw("report_id_unique", "true", f"HTTP {answer.http_status} to the same report")
    else:
        probing.saw("report_id_unique", None, answer.reason)


def probe_sums(probing: Probing) -> None:
    """Create a report whose payments and owner's part do not make its amount."""
    answer = _create(probing, NAME + secrets.token_hex(8), amount_cents=2)
    seen = {Outcome.ACCEPTED: "false", Outcome.REFUSED: "true"}.get(answer.outcome)
    probing.saw("payments_and_owner_make_amount", seen, answer.reason)


def probe_account(probing: Probing) -> None:
    """Check an own account, which is good for sure: the way of writing it that is called valid is the right one."""
    account = _parties(probing).account
    if account is None:
        raise NotSent("no account is named")
    assumed_glued = probing.assumed("account_check_digit") == "glued"
    for glued, psp_is_ispb in ((assumed_glued, True), (not assumed_glued, True), (assumed_glued, False)):
        if _is_valid(probing, account, glued=glued, psp_is_ispb=psp_is_ispb):
            probing.saw("psp_id_is_ispb", str(psp_is_ispb).lower(), "your own account was valid that way")
            probing.saw("account_check_digit", "glued" if glued else "hyphen", "your own account was valid that way")
            return
    raise NotSent("your own account was valid in no way of writing it")


def _is_valid(probing: Probing, account: OwnAccount, *, glued: bool, psp_is_ispb: bool) -> bool:
    check_may_send(probing.run)
    how = f"digit {'glued' if glued else 'after a hyphen'}, pspId {'ISPB' if psp_is_ispb else 'bank code'}"
    probing.note(f"account check, {how}: about to be sent")
    told = probing.api.validate_account(account_question(account, glued=glued, psp_is_ispb=psp_is_ispb))
    verdict = {True: "valid", False: "invalid", None: "refused" if told.refused else "no verdict"}[told.valid]
    probing.note(f"account check, {how}: {verdict}")
    if not told.answered:  # another way that is valid would say nothing of this one
        raise NotSent("a check was not answered; nothing more is spent on it")
    return told.valid is True


def _create(probing: Probing, report_id: str, *, amount_cents: int = 1) -> Answer:
    """Send one report of a centavo's payment, once; its intent is durable by then."""
    run = probing.run
    if not report_id.startswith(NAME) or amount_cents not in {1, 2}:
        raise BrokenInvariant("a probe sends centavos under a probe's name, and nothing else")
    body = report_body(_parties(probing), report_id, run.clock.now().date().isoformat(), amount_cents=amount_cents)
    probing.api.await_turn()
    probing.note(f"{report_id}: about to be sent")
    answer = post_once(
        run.require_service(),
        body,
        report_id,
        was_in_doubt=False,
        deadline_s=run.timeout_s,
        before_connect=lambda: check_may_send(run),
    )
    probing.note(f"{report_id}: {answer.outcome.value} ({answer.reason})")
    return answer


def _listed(probing: Probing, split_id: str) -> SplitReport | None:
    """List until a report shows; None when it does not in the time there is."""
    clock = probing.run.clock
    began_s, pause_s = clock.monotonic_s(), 0.25
    while True:
        found = [one for one in probing.api.list_reports() if one.id == split_id]
        past_s = clock.monotonic_s() - began_s
        if found:
            probing.saw("listed_within_s", whole_seconds(past_s), "time until the list showed the report")
            return found[0]
        if past_s + pause_s > probing.wait_s:
            probing.saw("listed_within_s", None, f"not in the list after {past_s:.0f} s")
            return None
        clock.sleep(pause_s)
        pause_s = min(2 * pause_s, LONGEST_PAUSE_S)


def _gets(probing: Probing, any_id: str, answer: Answer) -> bool:
    found = probing.api.report_by(any_id)
    return found is not None and answer.report is not None and found.id == answer.report.id


def _parties(probing: Probing) -> ProbeParties:
    if probing.parties is None:
        raise NotSent("nobody is named to pay")
    return probing.parties
