"""Drafting a plan from inputs and the ledger; nothing is asked of the service or written."""

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from flows.intake.intake import Intake, find_cell
from flows.intake.rules.hold_lines import hold_shared, hold_unread, hold_unreceived
from flows.intake.rules.inputs import Inputs
from flows.intake.rules.used_before import UsedBefore, find_used_before
from flows.payables.institutions import read_institutions
from flows.payables.rules.account_checks import NO_CHECKS, CheckResult, Checks, CheckVerdict, accounts_to_pay
from flows.payables.rules.compute import LedgerSnapshot, Payables, compute_payables, identity_of
from flows.payables.rules.cross_check import cross_check
from flows.payables.rules.institutions import NONE_LISTED, fill_psp_ids
from flows.payables.rules.journal_entries import AccountMoves, Rename
from flows.payables.rules.left_out import report_settled
from flows.payables.rules.moved_payees import (
    gone_payees,
    keys_before,
    moves_of,
    rename_in_claims,
    rename_in_tables,
    renaming,
    replaced_payees,
)
from flows.payables.rules.obligations import destinations_of, rows_by_payee
from flows.payables.rules.plan_batches import conflicting_ids, refused_entries
from flows.royalties.rules.balances import history_of
from flows.royalties.rules.opening_balances import Opened, hold_contradictions, open_balances
from flows.royalties.rules.terms import held_back
from flows.run import Run
from io_adapters.payout_api.errors import read_validation_errors
from schemas.approval import Decision
from schemas.errors import ExitCode, UnsoundPlan
from schemas.issues import Issue, IssueCode, errors_among, make_issue
from schemas.job import Job, Period
from schemas.journal import JournalAccount, JournalEntry, JournalState, Series
from schemas.messages import Message, Money
from schemas.plan import ROYALTIES, PaymentPlan
from schemas.raw_table import column_letter
from schemas.statement_sketches import FileUse, WhoseMoney
from schemas.submission import UNSENT, Claim, FormerPayee, SubmissionState
from schemas.values.masking import mask_tax_id
from schemas.wire import Institution


def judge_inputs(run: Run, intake: Intake, listed: Mapping[str, Institution] = NONE_LISTED) -> Intake:
    """Decide what of the rows that came in may be used, and name what may not; again whenever more is known.

    Args:
        listed: ISPB -> institution, as far as the list is known: accounts that give no ISPB take theirs from it.

    Effects: puts the run's issues of an earlier judgement right.
    """
    came_in = rename_in_tables(fill_psp_ids(intake.came_in, listed))
    here = WhoseMoney(run.job.job, run.job.payer.tax_id, run.request.period.label, run.job.currency)
    again = run.request.again | _again_in_approved(run)
    found = find_used_before(came_in.files, _uses(run, came_in, here), here, again)
    if intake.is_judged and found == intake.used_before and came_in is intake.came_in:
        return intake
    held = hold_unread(hold_unreceived(hold_shared(came_in, found.shared), found.repeated), found.repeated)
    on_hold = held_back(held.payees, run.today)
    checked = cross_check(held, run.job, run.request.period, found.repeated, on_hold)
    judged = replace(checked, issues=(*checked.issues, *_issues_of_files(found)))
    before = frozenset(intake.inputs.issues) if intake.is_judged else frozenset[Issue]()
    run.issues = [*(issue for issue in run.issues if issue not in before), *judged.issues]
    if errors_among(judged.issues):
        run.codes.add(ExitCode.ROWS_HELD)
    return replace(intake, came_in=came_in, inputs=judged, is_judged=True, used_before=found)


def _uses(run: Run, came_in: Inputs, here: WhoseMoney) -> list[FileUse]:
    """Return the earlier uses of files that say the same, and of royalty lines where lines have come in.

    Uses under the number that the payer had before are the payer's own.
    """
    identities = {sha256 for file in came_in.files for sha256 in (file.file_sha256, file.content_sha256)}
    uses = run.ledger.files.uses_of(identities)
    has_lines = any(source.layout != "payments" for source in run.job.sources)
    found = [*uses, *run.ledger.files.uses_of_lines(here)] if has_lines else uses
    before = here._replace(payer=run.job.payer.previous_tax_id or here.payer)
    return [replace(use, whose=here) if use.whose == before else use for use in found]


def _again_in_approved(run: Run) -> frozenset[str]:
    """Name the files that a plan uses again which people approved, and not all of it was sent: they were told so."""
    unsent = run.ledger.submissions.list(job=run.job.job, period=run.request.period.label, states=UNSENT, bodies=False)
    approved = {submission.plan_digest for submission in unsent if submission.state is not SubmissionState.PLANNED}
    planned = {submission.plan_digest for submission in unsent} - approved
    approved |= {digest for digest in planned if run.ledger.approvals.valid(digest, run.clock.now())}
    return run.ledger.files.again_in(approved) if approved else frozenset()


def _issues_of_files(found: UsedBefore) -> list[Issue]:
    named = [
        (IssueCode.FILE_DUPLICATE, found.duplicates),
        (IssueCode.FILE_AGAIN, found.released),
        (IssueCode.FILE_GONE, found.gone),
    ]
    return [make_issue(code, file=file, found=where) for code, files in named for file, where in sorted(files.items())]


@dataclass(frozen=True, slots=True)
class Draft:
    """What is to be paid, as far as it has been decided; each stage makes a new one of what it finds out.

    Attributes:
        intake: What was read, and may be used.
        verdicts: Check fingerprint -> what is known of the account.
        payables: What is owed, and where every centavo is so far.
        checks: What the account checks of the run did.
        plan: The frozen plan; None before there is one.
    """

    intake: Intake
    snapshot: LedgerSnapshot
    verdicts: Mapping[str, CheckVerdict]
    payables: Payables
    checks: Checks = NO_CHECKS
    plan: PaymentPlan | None = None

    @property
    def inputs(self) -> Inputs:
        """What of the rows that came in may be used."""
        return self.intake.inputs


def open_period(run: Run, intake: Intake, claims: Collection[Claim], journal: JournalState) -> tuple[Intake, Opened]:
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
    return _report_contradictions(run, intake, opened), opened


@dataclass(frozen=True, slots=True)
class _Accounts:
    """The accounts of a job's series and of those it goes on with, as the accounts they go on as.

    Attributes:
        moves: What is to be posted so that they stand there.
        payees: Document before -> document since.
        keys: Base keys of rows under a former document or payer -> under the present ones.
        payers: Every tax id of the payer, the present one among them.
        waiting: What is owed, or owed back, elsewhere: a person has to say whether it is this job's.
    """

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
    present = {*inputs.payees["tax_id"], *inputs.payee_problems}
    payees = {old: new for old, new in state.moves.items() if old not in present} | dict(moves_of(inputs))
    former_series = formers_of(job, state.former)
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


def _rows_known(inputs: Inputs, made: Iterable[Claim], moves: Mapping[str, str]) -> set[tuple[str, str]]:
    """Return payee and reference of the rows there are, that were paid, and that payees who moved may have had."""
    held = inputs.held_payments[["tax_id", "reference"]].dropna()
    rows = {*inputs.payments[["tax_id", "reference"]].itertuples(index=False, name=None)}
    rows |= {*held.itertuples(index=False, name=None)}
    rows |= {(moves.get(claim.payee, claim.payee), claim.reference) for claim in made if claim.kind == "payment"}
    return rows | {(new, reference) for new in moves.values() for _, reference in rows}


def _becoming(rename: Rename, former: Series, series: Series) -> Rename:
    """Return what finds the account that one of a former series goes on as."""

    def become(account: JournalAccount) -> JournalAccount:
        job = series.job if account.job == former.job else account.job
        return rename(replace(account, job=job, payer=series.payer))

    return become


def _waiting_elsewhere(
    run: Run, series: Series, state: JournalState, inputs: Inputs, own: Collection[Series]
) -> tuple[Message, ...]:
    """Say what payees are owed, or owe back, under another payer, currency or name of what may be this job."""
    people = {*inputs.payees["tax_id"], *inputs.payments["tax_id"]}
    sums, whose = Counter[tuple[Series, str]](), defaultdict[tuple[Series, str], set[str]](set)
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


def formers_of(job: Job, posted: Iterable[Series]) -> list[Series]:
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


def _report_contradictions(run: Run, intake: Intake, opened: Opened) -> Intake:
    """Name the cell of each opening balance that the ledger or the payments contradict, and hold its row."""
    if not opened.contradictions:
        return intake
    sheets = {(read.raw.file.name, read.raw.sheet or ""): read for read in intake.sheets}
    for contradiction in opened.contradictions:
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
    rows = hold_contradictions(intake.inputs.rows, opened.contradictions)
    return replace(intake, inputs=replace(intake.inputs, rows=rows))


def contact_ids(run: Run, intake: Intake) -> dict[str, str]:
    """Ask the ledger for the contacts of the job's payees, and tell of each row that names another one."""
    inputs = intake.inputs
    ids = run.ledger.contacts.ids([*inputs.payees["tax_id"], *inputs.payments["tax_id"]])
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


S = SubmissionState


def draft(run: Run, intake: Intake) -> Draft:
    """Work everything out with the account answers already kept; an account nobody knows is taken as payable.

    Raises:
        UnsoundPlan: shares above 100 %, a currency without a rate, or what the job's rules call an error.
    """
    return draft_of(run, *stand(run, intake))


def draft_of(run: Run, intake: Intake, snapshot: LedgerSnapshot) -> Draft:
    """Do the same with what the ledger was asked already.

    Raises:
        UnsoundPlan: as `draft` says.
    """
    computed = _compute(run, intake, snapshot, {})
    kept = kept_answers(run, computed) if run.job.account_checks.when == "new_or_changed" else {}
    return Draft(intake, snapshot, kept, _compute(run, intake, snapshot, kept) if kept else computed)


def redraft(run: Run, before: Draft) -> Draft:
    """Work everything out again where the ledger knows something new by now."""
    intake, snapshot = stand(run, before.intake)
    if snapshot == before.snapshot and intake.inputs is before.inputs:
        return replace(before, snapshot=snapshot)
    return replace(draft_of(run, intake, snapshot), checks=before.checks)


def with_verdicts(run: Run, before: Draft, verdicts: Mapping[str, CheckVerdict]) -> Draft:
    """Decide anew with what is known of accounts by now; the same facts are not worked out twice."""
    if verdicts == before.verdicts:
        return before
    payables = _compute(run, before.intake, before.snapshot, verdicts)
    return replace(before, verdicts=dict(verdicts), payables=payables)


def _compute(run: Run, intake: Intake, snapshot: LedgerSnapshot, verdicts: Mapping[str, CheckVerdict]) -> Payables:
    payables = compute_payables(intake.inputs, run.job, run.request.period, snapshot, verdicts)
    return replace(payables, obligations=report_settled(payables.obligations, intake.settled))


def stand(run: Run, intake: Intake) -> tuple[Intake, LedgerSnapshot]:
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
    books = {(payer, job.currency) for payer in accounts.payers}
    claims = tuple(claim for claim in live if (claim.payer, claim.currency) in books)
    intake, opened = open_period(run, intake, claims, accounts.state)
    snapshot = LedgerSnapshot(
        claims=(*claims, *opened.royalties_paid),
        history=opened.history,
        refused=_refused(run),
        repeated=intake.used_before.repeated,
        elsewhere=_elsewhere(run, intake.inputs),
        claims_elsewhere=tuple(claim for claim in live if (claim.payer, claim.currency) not in books),
        decisions=_decisions(run, intake.inputs, accounts.keys),
        paid_outside=opened.payments_paid,
        in_question=opened.in_question,
        contact_ids=contact_ids(run, intake),
        institutions=listed,
        said_paid=opened.said_paid,
        opening_gone=_opening_gone(run, opened, accounts.payees),
        replaced=_replaced(run, intake.inputs),
        on_hold={tax_id: code.value for tax_id, code in held_back(intake.inputs.payees, run.today).items()},
        moves=accounts.moves,
        waiting=accounts.waiting,
        epoch=epoch,
    )
    return intake, snapshot


def _opening_gone(run: Run, opened: Opened, moves: Mapping[str, str]) -> frozenset[str]:
    """Name what an opening balance said was paid outside, in a plan that was made, and says nothing of by now."""
    identity = identity_of(run.job, run.request.period)
    known = run.ledger.opening_rows.known(run.job.job, run.request.period.label)
    gone = {
        (moves.get(payee, payee), reference)
        for (payee, reference), cents in known.items()
        if cents and not {(payee, reference), (moves.get(payee, payee), reference)} & opened.said_paid.keys()
    }
    return frozenset(
        identity.royalty_key(payee) if reference == ROYALTIES else identity.payment_key(payee, reference)
        for payee, reference in gone
    )


def _replaced(run: Run, inputs: Inputs) -> frozenset[str]:
    """Find the payees who may be somebody that the job has paid under a document which is gone from the tables."""
    if not inputs.statements:
        return frozenset()
    paid = run.ledger.claims.royalties_of(run.job.job)
    formers = [_former(run, claims) for claims in gone_payees(paid, inputs).values()]
    return replaced_payees(rows_by_payee(inputs.payees), formers, paid, run.request.period.label)


def _former(run: Run, claims: Sequence[Claim]) -> FormerPayee:
    """Return one who is gone as the last report to them has them."""
    last = claims[-1]
    entries = json.loads(run.ledger.submissions.get(last.submission_id).body)["payments"]
    entry = next(entry for entry in entries if entry["taxId"] == last.payee)
    periods = frozenset(claim.period for claim in claims)
    return FormerPayee(last.payee, entry["name"], entry.get("email") or "", last.destination, periods)


def _institutions(run: Run) -> Mapping[str, Institution]:
    """Return the kept list of institutions; nothing where bank accounts do not name theirs by its ISPB."""
    if run.service is not None and not run.service.assumptions.psp_id_is_ispb:
        return {}
    return read_institutions(run.ledger, None, run.clock.now()).by_ispb


def _decisions(run: Run, inputs: Inputs, keys_now: Mapping[str, str]) -> dict[str, Decision]:
    """People's last words on this period's payments rows, under whatever document and payer."""
    identity = identity_of(run.job, run.request.period)
    rows = inputs.payments[["tax_id", "reference"]].itertuples(index=False, name=None)
    keys = {key: key for key in (identity.payment_key(*row) for row in rows)}
    keys = {**{old: now for old, now in keys_now.items() if now in keys}, **keys}
    found = run.ledger.decisions.on_rows(list(keys))
    return {keys[key]: decision for key, decision in sorted(found.items(), key=lambda item: keys[item[0]] == item[0])}


def _elsewhere(run: Run, inputs: Inputs) -> tuple[Claim, ...]:
    """What payments rows have paid to the people and the accounts of this run's."""
    payments = inputs.payments
    destinations = destinations_of(payments, inputs.payees)
    rows = zip(payments["tax_id"], destinations, payments["amount_cents"].tolist(), strict=True)
    return tuple(run.ledger.claims.payments_alike(rows, run.job.currency))


def _refused(run: Run) -> frozenset[str]:
    """Which payment entries of this job and period the service has named in a refusal."""
    found: set[str] = set()
    refused = run.ledger.submissions.list(job=run.job.job, period=run.request.period.label, states={S.REFUSED})
    for submission in refused:
        for answer in run.ledger.submissions.answers(submission.id):
            places = [(error.loc, error.type) for error in read_validation_errors(answer.raw) or ()]
            found.update(refused_entries(submission.body, places))
    return frozenset(found)


def kept_answers(run: Run, payables: Payables) -> dict[str, CheckVerdict]:
    """Return the answers the ledger keeps about the accounts of those who would be paid."""
    accounts = accounts_to_pay(payables.obligations, ownership=run.job.account_checks.ownership)
    kept = run.ledger.checks.kept([account.fingerprint for account in accounts], run.clock.now())
    return {
        name: CheckVerdict(CheckResult(answer.result), answer.message)
        for name, answer in kept.items()
        if answer.result != "unknown"  # no answer is kept of a call that had none: another run asks again
    }
