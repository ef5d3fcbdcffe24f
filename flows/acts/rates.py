"""Exchange rates by hand, and what people know of one in doubt: the report has it, or the service never set it."""

import datetime as dt
from collections.abc import Callable, Collection, Iterable, Sequence
from decimal import Decimal, InvalidOperation
from typing import Final, TypeVar

from flows.acts.act import FIRST, Done, House, Word, report_called, together
from flows.acts.forms import SetRate
from flows.payables.rules.exchange_rate import ENDED, codes_of, judge_rate
from flows.reports.report_list import poll_reports
from flows.run import Run
from flows.sending.exchange_rates import find_report_of, record_rate, set_rate
from flows.sending.send import LEASE_S, check_may_send
from io_adapters.ledger.leases import Owner, is_gone
from io_adapters.ledger.ledger import Ledger
from schemas.acts import digest_of
from schemas.errors import ApprovalWanted, DecisionRefused, worst
from schemas.exchange_update import ExchangeState, ExchangeUpdate, RateSeen
from schemas.messages import Listed, Message
from schemas.plan import HOME_CURRENCY, ExchangeTerms
from schemas.submission import OPEN, Submission
from schemas.values.names import different_people, same_person
from schemas.wire import SplitReport

X = ExchangeState
WAIT: Final = dt.timedelta(hours=24)
_MOST_DIGITS: Final = 12
RATE: Final = "rate"
_NEEDS_TWO: Final = Message("error.rate_two")

_Subject = TypeVar("_Subject")
_Found = TypeVar("_Found")


def approved_terms(ledger: Ledger, report: Submission) -> ExchangeTerms | None:
    """Return the rate the report's plan was approved with; None where it has none."""
    return ledger.exchange_updates.terms_of(report.plan_digest)


def set_by_hand(house: House, word: Word, said: SetRate) -> Done:
    """Set the exchange rate of one report; two people say a rate that no plan has.

    Raises:
        DecisionRefused: the rate is none, or the report waits for none, has one, or one may be on its way already; or
            its job counts only words of people who signed in.
        ApprovalWanted: there are fewer people than it takes.
        NotSent: sending is on hold, or nothing could be sent.
        SendingFrozen: ledger and service disagree.
        AnotherRun: a run of the job is at it.
    """
    rate = read_rate(said.rate)
    with house.asking() as run:
        report = report_called(run.ledger, said.report)
        word.require_counts(run.ledger, [report.job])
        terms = _terms(run, report, rate, said)
        if word.is_signed_in and lacks_rate(run.ledger, report):
            same = digest_of(report.id, terms.body.decode())  # both say the same rate, order and showing
            both = together(house, word, RATE, same, f"{report.report_id} {terms.plain_rate}", alone=_NEEDS_TWO)
            if both is None:
                return FIRST
            word = both[0]
        stands = _rate_by_hand(run, report, terms, word.people)
    state, terms = stands.state.value, stands.terms
    facts = {"report": stands.report_id, "currency": terms.currency, "rate": terms.plain_rate}
    line = Message("cli.rate.stands", **facts, state=Message(f"state.{state}"), home=HOME_CURRENCY)
    document: dict[str, object] = {"exchange_update": stands.id, "report_id": stands.report_id}
    document |= {"currency": terms.currency, "rate": terms.plain_rate, "order_id": terms.order_id, "state": state}
    lines = (Listed((line, stands.reason), ": ") if stands.reason else line,)
    return Done("rated" if stands.state is X.ACCEPTED else "rate_open", lines, document, worst(codes_of([stands])))


def lacks_rate(ledger: Ledger, report: Submission) -> bool:
    """Whether no plan has a rate for a report in a foreign currency, or the one that it has was refused."""
    if report.currency == HOME_CURRENCY:
        return False
    counts = ledger.exchange_updates.of_reports([report.id]).get(report.id)
    return counts.state is X.REFUSED if counts else approved_terms(ledger, report) is None


def read_rate(text: str) -> Decimal:
    """Read a rate: digits, with a comma or a point before the decimals, and nothing else.

    Raises:
        DecisionRefused: it is none, or not above zero.
    """
    plain = text.strip().replace(",", ".")
    try:
        rate = Decimal(plain) if plain.count(".") <= 1 and plain.replace(".", "").isdecimal() else Decimal(0)
    except InvalidOperation:
        rate = Decimal(0)
    if rate <= 0 or len(plain) > _MOST_DIGITS or not plain.isascii():
        raise DecisionRefused(Message("error.rate"))
    return rate


def _terms(run: Run, report: Submission, rate: Decimal, said: SetRate) -> ExchangeTerms:
    approved, order_id = approved_terms(run.ledger, report), said.order_id
    if order_id is None and approved is not None:
        order_id = approved.order_id
    shown = approved.show_exchange_data if approved is not None and not said.hide else not said.hide
    return ExchangeTerms(report.currency, rate, order_id, show_exchange_data=shown)


def _rate_by_hand(run: Run, report: Submission, terms: ExchangeTerms, by: Sequence[str]) -> ExchangeUpdate:
    if report.currency == HOME_CURRENCY:
        raise DecisionRefused(Message("error.rate_home", report=report.report_id, currency=HOME_CURRENCY))
    if report.state not in OPEN:
        raise DecisionRefused(
            Message("error.rate_state", report=report.report_id, state=Message(f"state.{report.state}"))
        )
    if terms.currency != report.currency:
        raise DecisionRefused(
            Message("error.rate_currency", report=report.report_id, currency=report.currency, other=terms.currency)
        )
    check_may_send(run)
    run.ledger.leases.take(report.job, run.owner, LEASE_S)
    try:
        poll_reports(run)
        run.ledger.exchange_updates.prepare(report.job, run.id)
        return set_rate(run, _prepared(run, report, terms, by), by=", ".join(by))
    finally:
        run.ledger.leases.release(report.job, run.owner)


def _prepared(run: Run, report: Submission, terms: ExchangeTerms, by: Sequence[str]) -> ExchangeUpdate:
    """Have the update ready that is to be sent, once the service has shown that the report has no rate yet."""
    updates = run.ledger.exchange_updates
    counts = updates.of_reports([report.id]).get(report.id)
    _require_unrated(run, report, terms, counts)
    if counts is not None and counts.state in {X.APPROVED, X.NOT_SENT}:
        if counts.body != terms.body:
            raise DecisionRefused(
                Message(
                    "error.rate_about_to_go",
                    update=counts.id,
                    rate=counts.terms.plain_rate,
                    order=counts.terms.order_id or "-",
                )
            )
        return counts if counts.state is X.APPROVED else updates.reapprove_not_sent(counts.id, by=run.id)
    if counts is not None and counts.state is not X.REFUSED:
        raise DecisionRefused(Message("error.rate_resolve", update=counts.id, state=Message(f"state.{counts.state}")))
    _require_two(run, counts, by)
    return updates.prepare_by_hand(report.id, terms, by=by, run_id=run.id)


def _require_unrated(run: Run, report: Submission, terms: ExchangeTerms, counts: ExchangeUpdate | None) -> None:
    """Look once more at what the service shows: a report with a rate, whoever set it, is given none."""
    service = run.require_service()
    path_id = service.path_id(split_id=report.split_id or "", report_id=report.report_id)
    shown = service.api.find_report(path_id) if path_id else None
    if shown is None:
        raise DecisionRefused(Message("error.report_gone", report=report.split_id or report.report_id))
    if counts is not None:
        counts = record_rate(run, counts, shown)
    if judge_rate(terms, shown) is not RateSeen.SILENT:
        theirs = Message("error.rate_unread") if shown.exchangeRate is None else f"{shown.exchangeRate}"
        raise DecisionRefused(Message("error.rate_there", report=report.report_id, shown=theirs))
    if counts is not None and counts.state in {X.ACCEPTED, X.DIFFERS}:
        raise DecisionRefused(
            Message(
                "error.rate_before", report=report.report_id, update=counts.id, state=Message(f"state.{counts.state}")
            )
        )
    if shown.status in ENDED:
        raise DecisionRefused(Message("error.report_done", report=report.report_id, status=shown.status))


def _require_two(run: Run, refused: ExchangeUpdate | None, by: Sequence[str]) -> None:
    people = different_people(by)
    if len(people) < 2:
        raise ApprovalWanted(_NEEDS_TWO)
    sender = run.ledger.runs.get(refused.run_id) if refused is not None else None
    if sender is not None and same_person(sender.prepared_by) in people:
        raise ApprovalWanted(Message("error.rate_sender"))


def link_rate(run: Run, update_id: str, split_id: str, by: str) -> ExchangeUpdate:
    """Take a person's word that the report has the approved rate; the service must not contradict it.

    Raises:
        DecisionRefused: the update is neither in doubt nor refused, the report is another one, or shows another rate.
        ConfigurationError: the environment names another service than the ledger's.
        NotSent: the service cannot be asked.
    """
    update = _standing(run, update_id)
    if split_id != update.split_id:
        raise DecisionRefused(Message("rate.other_report", name=update_id, own=update.split_id, report=split_id))
    report = _require_last_poll(run, update)
    if judge_rate(update.terms, report) is RateSeen.ANOTHER:
        raise DecisionRefused(Message("rate.another", report=split_id, rate=update.terms.plain_rate))
    return run.ledger.exchange_updates.record_seen(update, X.ACCEPTED, by=by, reason=Message("rate.found_set"))


def declare_rates_absent(run: Run, update_ids: Iterable[str], by: Sequence[str], evidence: str) -> list[ExchangeUpdate]:
    """Take two people's word that the service never set rates, and make the next attempts ready: the same bytes.

    A last look comes first: what the reports show by then counts instead. One in doubt has to be a day old; one that
    was refused need not be, for nothing of it can still arrive. Nothing is declared where one of them cannot be.

    Raises:
        DecisionRefused: an update is neither in doubt nor refused, or in doubt for less than a day; of several, each
            that cannot be declared is named with its reason.
        ApprovalWanted: one of them sent it.
        NotSent: the service cannot be asked; then nothing can be declared.
        SendingFrozen: ledger and service disagree.
    """
    people = different_people(by)
    updates = ask_each(list(dict.fromkeys(update_ids)), lambda name: old_enough(run, name, people))
    poll_reports(run)
    shown = ask_each(updates, lambda update: _require_last_poll(run, update))
    stand = [record_rate(run, update, report) for update, report in zip(updates, shown, strict=True)]
    return [
        now
        if now.state is not update.state
        else run.ledger.exchange_updates.declare_absent(update.id, by=by, evidence=evidence, run_id=run.id)
        for update, now in zip(updates, stand, strict=True)
    ]


def old_enough(run: Run, name: str, people: Collection[str]) -> ExchangeUpdate:
    """Return an update that was refused, or has been in doubt for a day, and that none of these people sent."""
    update = _standing(run, name)
    if update.state is X.IN_DOUBT and update.sending_at is not None and run.clock.now() < update.sending_at + WAIT:
        raise DecisionRefused(Message("doubt.wait", name=name, since=f"{update.sending_at + WAIT:%Y-%m-%d %H:%M} UTC"))
    sender = run.ledger.runs.get(update.run_id)
    if sender is not None and same_person(sender.prepared_by) in people:
        raise ApprovalWanted(Message("doubt.sender_of", name=name))
    return update


def _standing(run: Run, update_id: str) -> ExchangeUpdate:
    def gone(owner: Owner) -> bool:
        return is_gone(owner, run.owner)

    run.ledger.exchange_updates.doubt_abandoned(gone)
    update = run.ledger.exchange_updates.get(update_id)
    if update.state is X.SENDING:
        raise DecisionRefused(Message("doubt.being_sent", name=update_id))
    if update.state not in {X.IN_DOUBT, X.REFUSED}:
        raise DecisionRefused(Message("doubt.neither", name=update_id))
    return update


def _require_last_poll(run: Run, update: ExchangeUpdate) -> SplitReport:
    service = run.require_service()
    run.ledger.service.bind_or_check(service.url, service.key_fingerprint)
    report = find_report_of(run, update)
    if report is None:
        raise DecisionRefused(Message("report.unknown", report=update.split_id))
    return report


def ask_each(subjects: Sequence[_Subject], ask: Callable[[_Subject], _Found]) -> list[_Found]:
    """Ask about each; several refusals are told together, and one alone as it is."""
    found, refusals = list[_Found](), list[DecisionRefused | ApprovalWanted]()
    for subject in subjects:
        try:
            found.append(ask(subject))
        except (DecisionRefused, ApprovalWanted) as refused:
            refusals.append(refused)
    if refusals and len(subjects) == 1:
        raise refusals[0]
    if refusals:
        raise DecisionRefused(Message("doubt.none_declared", why=tuple(refused.content for refused in refusals)))
    return found
