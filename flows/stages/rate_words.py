"""People's words on an exchange rate that the service does not tell: it is set, or it was never received."""

from collections.abc import Collection, Iterable, Sequence

from flows.stages.listing import look_at_service
from flows.stages.people import WAIT, ask_each
from flows.stages.run import Run
from flows.stages.set_rate import find_report_of, look_at_rate
from flows.steps.exchange_rate import judge_rate
from io_adapters.ledger.owner import Owner, is_gone
from schemas.errors import ApprovalWanted, WordRefused
from schemas.exchange_update import ExchangeState, ExchangeUpdate, RateSeen
from schemas.person import different_people, same_person
from schemas.told import Told
from schemas.wire import SplitReport

X = ExchangeState


def link_rate(run: Run, update_id: str, split_id: str, by: str) -> ExchangeUpdate:
    """Take a person's word that the report has the approved rate; the service must not contradict it.

    Raises:
        WordRefused: the update is neither in doubt nor refused, the report is another one, or shows another rate.
        ConfigurationError: the environment names another service than the ledger's.
        NotSent: the service cannot be asked.
    """
    update = _standing(run, update_id)
    if split_id != update.split_id:
        raise WordRefused(Told("rate.other_report", name=update_id, own=update.split_id, report=split_id))
    report = _last_look(run, update)
    if judge_rate(update.terms, report) is RateSeen.ANOTHER:
        raise WordRefused(Told("rate.another", report=split_id, rate=update.terms.plain_rate))
    return run.ledger.exchange_updates.record_seen(update, X.ACCEPTED, by=by, reason="set, as a person has found")


def declare_rates_absent(run: Run, update_ids: Iterable[str], by: Sequence[str], evidence: str) -> list[ExchangeUpdate]:
    """Take two people's word that the service never set rates, and make the next attempts ready: the same bytes.

    A last look comes first: what the reports show by then counts instead. One in doubt has to be a day old; one that
    was refused need not be, for nothing of it can still arrive. Nothing is declared where one of them cannot be.

    Returns:
        For each the update as the last look leaves it, or its next attempt, approved.

    Raises:
        WordRefused: an update is neither in doubt nor refused, or in doubt for less than a day; of several, each that
            cannot be declared is named with its reason.
        ApprovalWanted: there are not two different people, or one of them sent it.
        NotSent: the service cannot be asked; then nothing can be declared.
        SendingFrozen: ledger and service disagree.
    """
    people = different_people(by)
    if len(people) < 2:
        raise ApprovalWanted(Told("doubt.two_people"))
    updates = ask_each(list(dict.fromkeys(update_ids)), lambda name: _old_enough(run, name, people))
    look_at_service(run)
    shown = ask_each(updates, lambda update: _last_look(run, update))
    stand = [look_at_rate(run, update, report) for update, report in zip(updates, shown, strict=True)]
    return [
        now
        if now.state is not update.state
        else run.ledger.exchange_updates.declare_absent(update.id, by=by, evidence=evidence, run_id=run.id)
        for update, now in zip(updates, stand, strict=True)
    ]


def _old_enough(run: Run, name: str, people: Collection[str]) -> ExchangeUpdate:
    """Return an update that was refused, or has been in doubt for a day, and that none of these people sent."""
    update = _standing(run, name)
    if update.state is X.IN_DOUBT and update.sending_at is not None and run.clock.now() < update.sending_at + WAIT:
        raise WordRefused(Told("doubt.wait", name=name, since=f"{update.sending_at + WAIT:%Y-%m-%d %H:%M} UTC"))
    sender = run.ledger.runs.get(update.run_id)
    if sender is not None and same_person(sender.prepared_by) in people:
        raise ApprovalWanted(Told("doubt.sender_of", name=name))
    return update


def _standing(run: Run, update_id: str) -> ExchangeUpdate:
    """Return an update that stands where a word on it makes sense."""

    def gone(owner: Owner) -> bool:
        return is_gone(owner, run.owner)

    run.ledger.exchange_updates.doubt_abandoned(gone)
    update = run.ledger.exchange_updates.get(update_id)
    if update.state is X.SENDING:
        raise WordRefused(Told("doubt.being_sent", name=update_id))
    if update.state not in {X.IN_DOUBT, X.REFUSED}:
        raise WordRefused(Told("doubt.neither", name=update_id))
    return update


def _last_look(run: Run, update: ExchangeUpdate) -> SplitReport:
    service = run.require_service()
    run.ledger.service.bind_or_check(service.url, service.key_fingerprint)
    report = find_report_of(run, update)
    if report is None:
        raise WordRefused(Told("report.unknown", report=update.split_id))
    return report
