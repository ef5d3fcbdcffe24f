"""A snapshot of the ledger: all it knows that bears on a plan, claims, accounts and decisions among it."""

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from flows.intake.intake import Intake, find_cell
from flows.intake.rules.inputs import Inputs
from flows.payables.institutions import read_institutions
from flows.payables.judge_inputs import judge_inputs
from flows.payables.rules.compute import LedgerSnapshot, identity_of
from flows.payables.rules.journal_entries import AccountMoves, Rename
from flows.payables.rules.moved_payees import (
    gone_payees,
    keys_before,
    moves_of,
    rename_in_claims,
    renaming,
    replaced_payees,
)
from flows.payables.rules.obligations import destinations_of, rows_by_payee
from flows.payables.rules.plan_batches import conflicting_ids, refused_entries
from flows.royalties.rules.balances import History, history_of
from flows.royalties.rules.known_sources import doubtful_advances, invoices_to_count, named_as_known
from flows.royalties.rules.opening_balances import Contradiction, Opened, hold_contradictions, open_balances
from flows.royalties.rules.terms import held_back
from flows.run import Run
from flows.settings import read_settings
from io_adapters.payout_api.assumptions import Assumptions
from io_adapters.payout_api.errors import read_validation_errors
from schemas.approval import Decision
from schemas.errors import ExitCode, UnsoundPlan
from schemas.issues import IssueCode, make_issue
from schemas.job import Job, Period
from schemas.journal import JournalAccount, JournalEntry, JournalState, Series, to_the_last
from schemas.messages import Message, Money
from schemas.plan import ROYALTIES
from schemas.raw_table import column_letter
from schemas.sources import SourceKind, UsedSource
from schemas.submission import Claim, FormerPayee, SubmissionState
from schemas.tables.model import records
from schemas.values.masking import mask_tax_id
from schemas.values.money import SignedSums
from schemas.wire import Institution


def take_snapshot(run: Run, intake: Intake) -> tuple[Intake, LedgerSnapshot]:
    """Judge what came in, and ask the ledger what was used, claimed, carried and recouped.

    Raises:
        UnsoundPlan: an opening balance has problems and does not say whose it is.
    """
    epoch = run.ledger.claims.epoch()
    listed = _institutions(run)
    intake = judge_inputs(run, intake, listed)
    job, period, ledger = run.job, run.request.period, run.ledger
    if job.continues and ledger.claims.live_of(job.continues, period.label):
        raise UnsoundPlan(Message("error.run_by_old_name", job=job.continues, period=period.label))
    made, identity = ledger.claims.live_of(job.job, period.label), identity_of(job, period)
    accounts = _accounts(run, intake.inputs, made)
    live = rename_in_claims(made, accounts.payees, identity, accounts.payers, accounts.keys)
    own = {(payer, job.currency) for payer in accounts.payers}
    live = tuple(claim for claim in live if claim.kind != "returned")  # owed and claimed apart
    claims = tuple(claim for claim in live if (claim.payer, claim.currency) in own)
    intake, opened = _open_period(run, intake, claims, accounts.state)
    intake, invoices = _new_invoices(run, intake)
    intake, doubtful = _known_advances(run, intake, accounts.state, opened.history)
    snapshot = LedgerSnapshot(
        claims=(*claims, *opened.royalties_paid),
        history=opened.history,
        refused=_refused(run),
        repeated=intake.used_before.repeated,
        elsewhere=_elsewhere(run, intake.inputs),
        claims_elsewhere=tuple(claim for claim in live if (claim.payer, claim.currency) not in own),
        decisions=_decisions(run, intake.inputs, accounts.keys),
        paid_outside=opened.payments_paid,
        in_question=opened.in_question,
        contact_ids=_contact_ids(run, intake),
        institutions=listed,
        used=(*_said_paid(run, opened), *invoices),
        opening_gone=_opening_gone(run, opened, accounts.payees),
        doubtful_advances=doubtful,
        replaced=_replaced(run, intake.inputs),
        on_hold={tax_id: code.value for tax_id, code in held_back(intake.inputs.terms, run.today).items()},
        moves=accounts.moves,
        returned=tuple(ledger.returns.of_series(Series(job.job, job.payer.tax_id, job.currency))),
        waiting=accounts.waiting,
        epoch=epoch,
        tell_deducted=_assumptions(run).amount_holds == "earned",
    )
    return intake, snapshot


def _assumptions(run: Run) -> Assumptions:
    """Return what is assumed of the service; a plan that is made without one assumes the same."""
    return run.service.assumptions if run.service else Assumptions.from_environment(read_settings().assumptions)


def _institutions(run: Run) -> Mapping[str, Institution]:
    """Return the kept list of institutions; nothing where bank accounts do not name theirs by its ISPB."""
    if not _assumptions(run).psp_id_is_ispb:
        return {}
    return read_institutions(run.ledger, None, run.clock.now()).by_ispb


@dataclass(frozen=True, slots=True)
class _Accounts:
    """The accounts of a job's series and of those it goes on with, as the accounts they go on as."""

    state: JournalState
    moves: tuple[JournalEntry, ...]
    payees: Mapping[str, str]
    keys: Mapping[str, str]
    payers: frozenset[str] = frozenset()
    waiting: tuple[Message, ...] = ()


def _accounts(run: Run, inputs: Inputs, made: Iterable[Claim]) -> _Accounts:
    """Ask the journal of the job's series, and of its former names.

    Raises:
        UnsoundPlan: the job goes on under another name, or its old name has run this period, or a later one.
    """
    job, period, journal = run.job, run.request.period, run.ledger.journal
    series = Series(job.job, job.payer.tax_id, job.currency)
    state = journal.state(series, period.label, period.start, run.today)
    if state.moved_to is not None and state.moved_to.job != job.job:
        raise UnsoundPlan(Message("error.continued_by", job=job.job, by=state.moved_to.job))
    present = {*inputs.payees["tax_id"].tolist(), *inputs.payee_problems}
    earlier = {old: new for old, new in state.moves.items() if old not in present}
    payees = to_the_last(earlier | dict(moves_of(inputs)))
    former_series = _formers_of(job, state.former)
    before = dict[Series, JournalState]()
    for former in former_series:  # which grows by those that went on as one of these
        before[former] = journal.state(former, period.label, period.start, run.today)
        _require_handed_over(before[former], former, series, period)
        former_series += [other for other in before[former].former if other not in {*former_series, series}]
    payers = {series.payer, *(former.payer for former in former_series)}
    keys = keys_before(payees, identity_of(job, period), payers, _rows_known(inputs, made, payees))
    rename, moves = renaming(payees, keys), AccountMoves(series, state)
    moves.of_payees(payees, rename)
    joined, with_shared = state.renamed(rename), {series.payer}
    for former in former_series:
        become = _becoming(rename, former, series)
        moves.of_series(former, before[former], become)
        own = before[former] if former.payer not in with_shared else before[former].without_what_payers_share()
        with_shared.add(former.payer)
        joined = joined.joined(own.renamed(become))
    moves.of_rows(period.label, rename)
    if job.currency_was is not None:
        former = replace(series, currency=job.currency_was.currency)
        in_it = journal.state(former, period.label, period.start, run.today)
        if any(label == period.label for _, label in in_it.periods):
            facts = {"period": period.label, "was": former.currency, "currency": series.currency}
            raise UnsoundPlan(Message("error.period_in_currency", **facts))
        joined = joined.joined(JournalState(before=moves.of_currency(former, in_it, job.currency_was.rate)))
        former_series.append(former)
    waiting = _waiting_elsewhere(run, series, joined, inputs, {series, *former_series})
    return _Accounts(joined, moves.entries, payees, keys, frozenset(payers), waiting)


def _formers_of(job: Job, posted: Iterable[Series]) -> list[Series]:
    """Return the series that a job goes on with: as it declares now, and as it has declared."""
    names = filter(None, (job.job, job.continues))
    payers = [payer for payer in (job.payer.tax_id, job.payer.previous_tax_id) if payer]
    declared = [Series(name, payer, job.currency) for name in names for payer in payers]
    own = Series(job.job, job.payer.tax_id, job.currency)
    same = (former for former in (*declared, *posted) if former.currency == job.currency and former != own)
    return list(dict.fromkeys(same))


def _require_handed_over(before: JournalState, former: Series, series: Series, period: Period) -> None:
    """Refuse a period that a job's old name has run, or one before that.

    Raises:
        UnsoundPlan: it has.
    """
    if former.job == series.job or before.moved_to is not None:
        return
    for start, label in before.periods:
        if start >= period.start:
            raise UnsoundPlan(Message("error.run_by_old_name", job=former.job, period=label))


def _rows_known(inputs: Inputs, made: Iterable[Claim], moves: Mapping[str, str]) -> set[tuple[str, str]]:
    """Return payee and reference of the rows there are, that were paid, and that payees who moved may have had."""
    held = inputs.held_payments[["tax_id", "reference"]].dropna()
    rows = {*inputs.payments[["tax_id", "reference"]].itertuples(index=False, name=None)}
    rows |= {*held.itertuples(index=False, name=None)}
    rows |= {(moves.get(claim.payee, claim.payee), claim.reference) for claim in made if claim.kind == "payment"}
    return rows | {(new, reference) for new in moves.values() for _, reference in rows}


def _becoming(rename: Rename, former: Series, series: Series) -> Rename:
    def become(account: JournalAccount) -> JournalAccount:
        job = series.job if account.job == former.job else account.job
        return rename(replace(account, job=job, payer=series.payer))

    return become


def _waiting_elsewhere(
    run: Run, series: Series, state: JournalState, inputs: Inputs, own: Collection[Series]
) -> tuple[Message, ...]:
    """Say what payees are owed, or owe back, under another payer, currency or name of what may be this job."""
    people = {*inputs.payees["tax_id"].tolist(), *inputs.payments["tax_id"].tolist()}
    sums, whose = SignedSums[tuple[Series, str]](), defaultdict[tuple[Series, str], set[str]](set)
    for account, cents in run.ledger.journal.balances_of_payees(people).items():
        other = Series(account.job, account.payer, account.currency)
        is_same_job = account.job == series.job
        is_new_name = not state.periods and (account.payer, account.currency) == (series.payer, series.currency)
        if cents and other not in own and (is_same_job or is_new_name):
            about = other, "owed" if cents < 0 else "debt"
            sums[about] += abs(cents)
            whose[about].add(account.payee)
    return tuple(
        Message(
            f"review.{what}_elsewhere" if other.job == series.job else f"review.{what}_by_job",
            job=other.job,
            payer=mask_tax_id(other.payer),
            currency=other.currency,
            amount=Money(cents),
            count=len(whose[other, what]),
        )
        for (other, what), cents in sorted(sums.items(), key=lambda item: (item[0][0].job, item[0][1]))
    )


def _open_period(run: Run, intake: Intake, claims: Collection[Claim], journal: JournalState) -> tuple[Intake, Opened]:
    """Take opening balances at their word; rows that contradict the ledger are told and held.

    Raises:
        UnsoundPlan: an opening balance has problems and does not say whose it is.
    """
    opened = open_balances(
        intake.inputs,
        run.request.period,
        identity_of(run.job, run.request.period),
        history=history_of(journal),
        claims=claims,
    )
    return _report_contradictions(run, intake, opened.contradictions), opened


def _known_advances(
    run: Run, intake: Intake, journal: JournalState, history: History
) -> tuple[Intake, Mapping[str, str]]:
    """Call advances as the journal does; tell of those that may be known by another name, and return their payees."""
    paid_ahead, own = (
        {(account.payee, account.reference): cents for account, cents in sums.items()}
        for sums in (journal.paid_ahead, journal.paid_ahead_here)
    )
    recouped = SignedSums(history.recouped)
    recouped.add(history.own_recouped)
    advances = named_as_known(intake.inputs.advances, paid_ahead)
    if advances is not intake.inputs.advances:
        intake = replace(intake, inputs=replace(intake.inputs, advances=advances))
    doubtful = doubtful_advances(advances, paid_ahead, own, recouped)
    codes = {contradiction.tax_id: contradiction.code.value for contradiction in doubtful}
    return _report_contradictions(run, intake, doubtful), codes


def _report_contradictions(run: Run, intake: Intake, contradictions: Sequence[Contradiction]) -> Intake:
    """Name the cell of each opening balance or advance that the ledger or the payments contradict, and hold its row."""
    if not contradictions:
        return intake
    sheets = {(read.raw.file.name, read.raw.sheet or ""): read for read in intake.sheets}
    for contradiction in contradictions:
        raw = sheets[contradiction.file, contradiction.sheet].raw
        position = sheets[contradiction.file, contradiction.sheet].position_of(contradiction.column)
        issue = make_issue(
            contradiction.code,
            file=contradiction.file,
            sheet=raw.sheet,
            cell=None if position is None else f"{column_letter(position)}{contradiction.row}",
            row=contradiction.row,
            column=None if position is None else raw.headers[position],
            found=contradiction.found,
        )
        run.issues += [issue] if issue not in run.issues else []
        run.codes.add(ExitCode.ROWS_HELD)
    rows = hold_contradictions(intake.inputs.rows, contradictions)
    return replace(intake, inputs=replace(intake.inputs, rows=rows))


def _contact_ids(run: Run, intake: Intake) -> dict[str, str]:
    """Ask the ledger for the contacts of the job's payees, and tell of each row that names another one."""
    inputs = intake.inputs
    ids = run.ledger.contacts.ids([*inputs.payees["tax_id"].tolist(), *inputs.payments["tax_id"].tolist()])
    for conflict in conflicting_ids(inputs, ids):
        found = find_cell(intake, conflict.file, conflict.sheet, conflict.row, "contact_id")
        issue = make_issue(
            IssueCode.CONTACT_DIFFERS,
            file=conflict.file,
            sheet=conflict.sheet or None,
            cell=found.cell,
            row=conflict.row,
            column=found.header,
        )
        run.issues += [issue] if issue not in run.issues else []
    return ids


def _opening_gone(run: Run, opened: Opened, moves: Mapping[str, str]) -> frozenset[str]:
    """Name what an opening balance said was paid outside, in a plan that was made, and says nothing of by now."""
    identity = identity_of(run.job, run.request.period)
    known = run.ledger.sources.of_period(SourceKind.OPENING, run.job.job, run.request.period.label)
    gone = {
        (moves.get(row.payee, row.payee), row.reference)
        for row in known
        if row.amount_cents
        and not {(row.payee, row.reference), (moves.get(row.payee, row.payee), row.reference)} & opened.said_paid.keys()
    }
    return frozenset(
        identity.royalty_key(payee) if reference == ROYALTIES else identity.payment_key(payee, reference)
        for payee, reference in gone
    )


def _said_paid(run: Run, opened: Opened) -> list[UsedSource]:
    whose = SourceKind.OPENING, run.job.payer.tax_id, run.job.job, run.request.period.label
    return [UsedSource(*whose, payee, reference, cents) for (payee, reference), cents in opened.said_paid.items()]


def _new_invoices(run: Run, intake: Intake) -> tuple[Intake, list[UsedSource]]:
    """Leave out the invoices that counted for another period or job, or stand twice, and tell of each."""
    payer, period = run.job.payer.tax_id, run.request.period
    known = run.ledger.sources.of_payer(SourceKind.INVOICE, payer)
    counted, used_before = invoices_to_count(intake.inputs, period, run.job.job, payer, known)
    if used_before:
        places = {(fault.file, fault.sheet, fault.row) for fault in used_before}
        invoices = intake.inputs.invoices
        stays = [(row["file"], row["sheet"], row["row"]) not in places for row in records(invoices)]
        intake = replace(intake, inputs=replace(intake.inputs, invoices=invoices[stays].reset_index(drop=True)))
    return _report_contradictions(run, intake, used_before), counted


def _replaced(run: Run, inputs: Inputs) -> frozenset[str]:
    """Find the payees who may be somebody that the job has paid under a document which is gone from the tables."""
    if not inputs.statements:
        return frozenset()
    paid = run.ledger.claims.royalties_of(run.job.job)
    formers = [_former(run, claims) for claims in gone_payees(paid, inputs, run.ledger.journal.payee_moves()).values()]
    if not formers:
        return frozenset()
    return replaced_payees(rows_by_payee(inputs.payees), formers, paid, run.request.period.label)


def _former(run: Run, claims: Sequence[Claim]) -> FormerPayee:
    last = claims[-1]
    entries = json.loads(run.ledger.submissions.get(last.submission_id).body)["payments"]
    entry = next(entry for entry in entries if entry["taxId"] == last.payee)
    periods = frozenset(claim.period for claim in claims)
    return FormerPayee(last.payee, entry["name"], entry.get("email") or "", last.destination, periods)


def _decisions(run: Run, inputs: Inputs, keys_now: Mapping[str, str]) -> dict[str, Decision]:
    identity = identity_of(run.job, run.request.period)
    rows = inputs.payments[["tax_id", "reference"]].itertuples(index=False, name=None)
    keys = {key: key for key in (identity.payment_key(*row) for row in rows)}
    keys = {**{old: now for old, now in keys_now.items() if now in keys}, **keys}
    found = run.ledger.decisions.on_rows(list(keys))
    return {keys[key]: decision for key, decision in sorted(found.items(), key=lambda item: keys[item[0]] == item[0])}


def _elsewhere(run: Run, inputs: Inputs) -> tuple[Claim, ...]:
    payments = inputs.payments
    destinations = destinations_of(payments, inputs.payees)
    rows = list(zip(payments["tax_id"], destinations, payments["amount_cents"].tolist(), strict=True))
    sums = payments.groupby(["tax_id", "file"], sort=False)["amount_cents"].sum()
    rows += zip(sums.index.get_level_values("tax_id"), [""] * len(sums), sums.tolist(), strict=True)
    return tuple(run.ledger.claims.paid_to(rows, run.job.currency, run.request.period.label))


def _refused(run: Run) -> frozenset[str]:
    found: set[str] = set()
    refused = run.ledger.submissions.list(
        job=run.job.job, period=run.request.period.label, states={SubmissionState.REFUSED}
    )
    for submission in refused:
        for answer in run.ledger.submissions.answers(submission.id):
            places = [(error.loc, error.type) for error in read_validation_errors(answer.raw) or ()]
            found.update(refused_entries(submission.body, places))
    return frozenset(found)
