"""Approvals in the ledger: recorded once, used once, and the plans that they approve or withdraw."""

import datetime as dt
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from sqlalchemy import ColumnElement, Connection, Row, and_, bindparam, delete, func, insert, or_, select, update

from io_adapters.ledger.acts import acts_where, record_act, sound_acts
from io_adapters.ledger.authors import Parts, authors_of_runs, parts_in, receive_bytes
from io_adapters.ledger.claims import claim_all, require_epoch
from io_adapters.ledger.decisions import who_decided
from io_adapters.ledger.desk import user_of
from io_adapters.ledger.desk_tables import desk_users
from io_adapters.ledger.engine import Database, Seal, chunks, seal_of
from io_adapters.ledger.posting import post, take_back
from io_adapters.ledger.submission_rows import move, select_submissions, submission_of, try_move
from io_adapters.ledger.tables import (
    acts,
    approvals,
    approved_plans,
    attempts,
    claims,
    live_or_not,
    plan_rules,
    plan_texts,
    plans,
    run_inputs,
    submissions,
    submitted,
    transitions,
)
from schemas.acts import Act, ActKind, digest_of
from schemas.approval import (
    GOOD_FOR,
    REJECTED,
    PlanDecision,
    PlanRule,
    ReadBytes,
    approvals_that_count,
    good_until,
    stricter,
)
from schemas.errors import ApprovalWanted, DecisionRefused, SendingFrozen
from schemas.journal import JournalEntry
from schemas.messages import Message
from schemas.plan import Approval, ApprovalKind
from schemas.submission import LIVE, UNSENT, Submission, SubmissionState
from schemas.values.names import same_person


class Approvals:
    """The record of approvals, and of rejections: these are void from the start, and never forgotten."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def record(self, approval: Approval) -> None:
        """Write a person's word down; it binds the plan's digest and total.

        Raises:
            ApprovalWanted: no such plan is stored, its total is another, or it stands rejected.
        """
        with self._db.writing() as connection:
            plan = _plan_that_stands(connection, approval.digest)
            if plan.total_cents != approval.total_cents:
                raise ApprovalWanted(Message("approval.look_again"))
            read = bytes_behind(connection, approval.digest)
            brought = {one.sha256[:_DIGITS]: " ".join(map(same_person, one.people)) for one in read}
            act = act_of_approval(ActKind.APPROVE, approval, {"brought": json.dumps(brought, sort_keys=True)})
            number = record_act(connection, self._db.seal, act)
            connection.execute(insert(approvals).values(**row_of_approval(approval), act=number))

    def receive(self, digest: str, by: str) -> tuple[str, ...]:
        """Take somebody's word that what nobody has brought of a plan has come to them; they have a part in it then.

        Returns:
            The names of these files.
        """
        with self._db.writing() as connection:
            read = bytes_behind(connection, _plan(connection, digest).digest)
            found = {one.sha256: one.name for one in read if not one.is_claimed}
            receive_bytes(connection, self._db.seal, found, by, self._db.now())
        return tuple(found.values())

    def void(self, digest: str) -> None:
        """Let no approval of a plan count that has not been used: there is something that nobody has seen yet."""
        with self._db.writing() as connection:
            _void_unused(connection, digest, self._db.now())

    def any_rejected(self, digest: str, obligation_keys: Iterable[str]) -> bool:
        """Say whether people have ever rejected a plan, or another one that paid any of these obligations."""
        rejected = select(approvals.c.digest).where(approvals.c.kind == REJECTED)
        with self._db.reading() as connection:
            if connection.scalar(rejected.where(approvals.c.digest == digest).limit(1)) is not None:
                return True
            paid = (
                select(claims.c.obligation_key)
                .join(submissions, submissions.c.id == claims.c.submission_id)
                .where(submissions.c.plan_digest.in_(rejected))
                .limit(1)
            )
            return any(
                connection.scalar(paid.where(live_or_not(claims.c.obligation_key.in_(some)))) is not None
                for some in chunks(obligation_keys)
            )

    def valid(self, digest: str, now: dt.datetime) -> list[Approval]:
        with self._db.reading() as connection:
            return _read(connection, _is_valid(digest, now))

    def last_by_person(self, job: str) -> dt.datetime | None:
        """Return when a person last approved a plan of a job that was then sent (UTC); None where nobody has."""
        a = approvals.c
        people = a.kind.in_([ApprovalKind.PERSON.value, ApprovalKind.SIGNED_IN.value])
        of_job = select(func.max(a.at)).join(plans, plans.c.digest == a.digest).where(plans.c.job == job)
        with self._db.reading() as connection:
            last: dt.datetime | None = connection.scalar(of_job.where(people, a.used_at.is_not(None)))
        return last

    def given(self, digest: str) -> list[Approval]:
        """Return the approvals of a plan that were used or may still be, oldest first; not those that became void."""
        with self._db.reading() as connection:
            return _read(connection, and_(approvals.c.digest == digest, approvals.c.voided_at.is_(None)))

    def decisions_on(self, digests: Iterable[str]) -> list[PlanDecision]:
        a, p = approvals.c, plans.c
        this_no = and_(a.kind == REJECTED, a.at == p.rejected_at)
        columns = (a.digest, a.by, a.kind, a.total_cents, a.at, a.used_at, a.voided_at, p.rejected_why)
        query = select(*columns, this_no.label("stands")).select_from(approvals.join(plans)).order_by(a.id)
        with self._db.reading() as connection:
            found = [row for some in chunks(digests) for row in connection.execute(query.where(a.digest.in_(some)))]
        words = [
            PlanDecision(
                digest=row.digest,
                by=row.by,
                kind=row.kind,
                total_cents=row.total_cents,
                at=row.at,
                is_used=row.used_at is not None,
                is_void=row.voided_at is not None,
                why=row.rejected_why if row.stands else "",
            )
            for row in found
        ]
        return sorted(words, key=lambda word: word.at)

    def counting(
        self,
        digest: str,
        rule: PlanRule,
        needed: int,
        now: dt.datetime,
        *,
        by_flag: bool = True,
        used: bool = False,
    ) -> dict[str, Approval]:
        """Return, by person, the approvals of a plan that count for what its people are now."""
        approved_at = select(plans.c.approved_at).where(plans.c.digest == digest).scalar_subquery()
        of_use = and_(approvals.c.digest == digest, approvals.c.used_at == approved_at)
        with self._db.reading() as connection:
            self._db.require_whole(connection)
            which = of_use if used else _is_valid(digest, now)
            return _counting(connection, digest, rule, needed, which, self._db.seal, by_flag=by_flag)


def record_rejection(connection: Connection, seal: Seal, digest: str, by: str, why: str, now: dt.datetime) -> None:
    """Write a person's no down, within a transaction: approvals that were not used are void.

    Raises:
        ApprovalWanted: no such plan is stored.
    """
    total_cents = _plan(connection, digest).total_cents
    rejection = {"rejected_at": now, "rejected_by": by, "rejected_why": why}
    connection.execute(update(plans).where(plans.c.digest == digest).values(**rejection))
    _void_unused(connection, digest, now)
    number = record_act(connection, seal, Act(ActKind.REJECT, by, digest, why, now))
    approval = {"digest": digest, "by": by, "kind": REJECTED, "total_cents": total_cents}
    connection.execute(insert(approvals).values(**approval, at=now, expires_at=now, voided_at=now, act=number))


def rule_of_plan(connection: Connection, digest: str) -> PlanRule | None:
    """Return the rule a plan was frozen under; None for one without."""
    columns = (plan_rules.c[name] for name in PlanRule.__dataclass_fields__)
    row = connection.execute(select(*columns).where(plan_rules.c.plan_digest == digest)).one_or_none()
    return None if row is None else PlanRule(*row)


def tighten_rule(connection: Connection, digest: str, rule: PlanRule) -> None:
    """Keep the rule a plan was frozen under; one that was frozen before keeps the stricter of both."""
    combined = stricter(rule_of_plan(connection, digest), rule)
    connection.execute(delete(plan_rules).where(plan_rules.c.plan_digest == digest))
    values = {name: getattr(combined, name) for name in PlanRule.__dataclass_fields__}
    connection.execute(insert(plan_rules).values(plan_digest=digest, **values))


# Ends of the names of what people answer in: declarations, and corrections that runs have offered.
_ANSWERS: Final = (".yaml", ".yml", "corrections.xlsx")


class _Preparation(NamedTuple):
    """Of what runs a plan was made, and by whom; as acts have it.

    Attributes:
        by: Who launched the first of them; "" where no act says so.
        is_whole: Whether what these runs have read is written down as it was.
    """

    run_ids: tuple[str, ...]
    by: str
    is_whole: bool


def act_of_preparing(connection: Connection, digest: str, run_id: str, by: str, now: dt.datetime) -> Act:
    """Return the act that a plan was made by a run: it names all that the run has read."""
    return Act(ActKind.PREPARE, by, digest, "", now, {"run": run_id, "read": _digest_of_read(connection, run_id)})


def _digest_of_read(connection: Connection, run_id: str) -> str:
    c = run_inputs.c
    rows = connection.execute(select(c.name, c.sha256).where(c.run_id == run_id).order_by(c.sha256, c.name))
    return digest_of(*(part for row in rows for part in row))


def _preparation_of(connection: Connection, digest: str) -> _Preparation:
    """Read how a plan was made; whoever launched it anew after a rejection is its preparer from then on."""
    run_ids, by, is_whole = list[str](), "", True
    kinds = (ActKind.PREPARE, ActKind.REJECT)
    for act, _ in acts_where(connection, seal_of(connection), kinds, acts.c.subject == digest):
        if act.kind is ActKind.REJECT:
            by = ""
            continue
        by = by or act.by
        run_ids.append(run_id := act.facts.get("run", ""))
        is_whole = is_whole and act.facts.get("read") == _digest_of_read(connection, run_id)
    return _Preparation(tuple(run_ids), by, bool(run_ids) and is_whole)


def preparers_of(connection: Connection, digest: str) -> frozenset[str]:
    """Name those who prepared a plan, or have a part in it.

    That is who launched its first run; everybody who ever put the bytes of anything that a run of it has read where it
    was read: the job's file, a layout, a sheet or a corrections workbook, through whichever job or page; those on whose
    word something of it is paid; and those who said what types the job's Pix keys are. A part in an answer (a type, the
    job's file, a correction) ends with a plan that rests on it and was sent on the approval of somebody without one.
    """
    made, plan = _preparation_of(connection, digest), _plan(connection, digest)
    others = _approved_before(connection, digest, plan.job)
    confirmed = acts_where(connection, seal_of(connection), [ActKind.CONFIRM_KEY_TYPES], acts.c.subject == plan.job)
    said = [word.by for word, _ in confirmed if not any(_ends(yes, word.by, word.at) for yes in others)]
    words = (*said, *who_decided(connection, digest))
    ended = _answers_that_others_approved(connection, made.run_ids, others)
    people = people_behind(connection, made.run_ids, made.by or plan.prepared_by, ended)
    return frozenset({same_person(name): name for name in (*words, *people)}.values())


def _approved_before(connection: Connection, digest: str, job: str) -> list[Act]:
    """Return the approvals that other plans of a job were sent on."""
    sent = select(plans.c.digest).where(plans.c.job == job, plans.c.digest != digest, plans.c.approved_at.is_not(None))
    found = acts_where(connection, seal_of(connection), [ActKind.APPROVE], acts.c.subject.in_(sent))
    return [act for act, is_sound in found if is_sound]


def _ends(approval: Act, by: str, at: dt.datetime) -> bool:
    """Whether an approval ends the part of whoever said something at a moment: it is later, and somebody else's."""
    return approval.at > at and same_person(approval.by) != same_person(by)


def _answers_that_others_approved(connection: Connection, run_ids: Sequence[str], others: Sequence[Act]) -> set[str]:
    """Return the declarations and corrections among what runs have read that are nobody's any more, by their hashes.

    A plan that rested on the same bytes was sent on the approval of somebody who had no part in them.
    """
    c = run_inputs.c
    answers = or_(*(c.name.like(f"%{ending}") for ending in _ANSWERS))
    asked = set(connection.scalars(select(c.sha256).where(c.run_id.in_(run_ids), answers)))
    parts, ended = parts_in(connection, asked), set[str]()
    for approval in others if asked else ():
        made = _preparation_of(connection, approval.subject)
        read = select(c.sha256).where(c.run_id.in_(made.run_ids), c.sha256.in_(asked))
        for sha256 in connection.scalars(read) if made.is_whole else ():
            if same_person(approval.by) not in parts.get(sha256, Parts()).people:
                ended.add(sha256)
    return ended


def bytes_behind(connection: Connection, digest: str) -> list[ReadBytes]:
    """Return what the runs of a plan have read, each with who is known to have brought it."""
    runs = _preparation_of(connection, digest).run_ids
    query = select(run_inputs.c.name, run_inputs.c.sha256).where(run_inputs.c.run_id.in_(runs)).distinct()
    rows = connection.execute(query.order_by(run_inputs.c.name, run_inputs.c.sha256)).all()
    parts, users = parts_in(connection, {row.sha256 for row in rows}), _names_of_users(connection)
    found = []
    for row in rows:
        theirs = parts.get(row.sha256, Parts())
        people = tuple(sorted(users.get(person, person) for person in theirs.people))
        found.append(ReadBytes(row.name, row.sha256, people, theirs.is_claimed))
    return found


def _names_of_users(connection: Connection) -> dict[str, str]:
    return {row.key: row.name for row in connection.execute(select(desk_users.c.key, desk_users.c.name))}


def people_behind(
    connection: Connection, run_ids: Iterable[str], launched_by: str, ended: Collection[str] = ()
) -> frozenset[str]:
    """Name whoever launched a run, and everybody with a part in what runs have read; but for bytes of nobody's."""
    users = _names_of_users(connection)
    brought = [users.get(person, person) for person in authors_of_runs(connection, run_ids, ended)]
    return frozenset({same_person(name): name for name in (*brought, launched_by)}.values())


def _counting(
    connection: Connection,
    digest: str,
    rule: PlanRule,
    needed: int,
    which: ColumnElement[bool],
    seal: Seal,
    *,
    by_flag: bool,
) -> dict[str, Approval]:
    if not _preparation_of(connection, digest).is_whole:
        raise SendingFrozen(Message("error.read_changed", plan=digest[:15]))
    approvals = _read(connection, which)
    return approvals_that_count(
        (approval for approval in approvals if by_flag or approval.kind is not ApprovalKind.YES_FLAG),
        stricter(rule, rule_of_plan(connection, digest)),
        total_cents=_plan(connection, digest).total_cents,
        needed=needed,
        users=[user_of(row, seal) for row in connection.execute(select(desk_users))],
        preparers=preparers_of(connection, digest),
        paid=_payees_of(connection, [submission.id for submission in _submissions_of(connection, digest)]),
    )


def _void_unused(connection: Connection, digest: str, now: dt.datetime) -> None:
    unused = and_(approvals.c.digest == digest, approvals.c.used_at.is_(None), approvals.c.voided_at.is_(None))
    connection.execute(update(approvals).where(unused).values(voided_at=now))


def _is_valid(digest: str, now: dt.datetime) -> ColumnElement[bool]:
    return and_(
        approvals.c.digest == digest,
        approvals.c.expires_at > now,
        approvals.c.used_at.is_(None),
        approvals.c.voided_at.is_(None),
    )


def _read(connection: Connection, which: ColumnElement[bool]) -> list[Approval]:
    """Read approvals that nobody has rejected the plan after; a *no* counts as said, whatever its row says by now."""
    query = select(approvals).where(which, approvals.c.kind != REJECTED).order_by(approvals.c.id)
    rows = connection.execute(query).all()
    digests = {row.digest for row in rows}
    rejected = select(acts.c.subject, func.max(acts.c.id)).where(acts.c.kind == ActKind.REJECT.value)
    last = connection.execute(rejected.where(acts.c.subject.in_(digests)).group_by(acts.c.subject))
    after: dict[str, int] = {subject: number for subject, number in last}  # noqa: C416 - rows are no pairs to mypy
    sound = sound_approvals(connection, ActKind.APPROVE, [row for row in rows if row.act > after.get(row.digest, 0)])
    return [approval for _, approval in sound]


def row_of_approval(approval: Approval) -> dict[str, Any]:
    names = ("digest", "by", "total_cents", "at", "expires_at")
    return {name: getattr(approval, name) for name in names} | {"kind": approval.kind.value}


_NOTHING: Final[Mapping[str, str]] = {}


def act_of_approval(kind: ActKind, approval: Approval, beside: Mapping[str, str] = _NOTHING) -> Act:
    """Return the act by which an approval counts: it names all that the approval's row says."""
    facts = {"how": approval.kind.value, "total_cents": str(approval.total_cents), "word": _word(approval)}
    return Act(kind, approval.by, approval.digest, "", approval.at, facts | dict(beside))


def sound_approvals(connection: Connection, kind: ActKind, rows: Sequence[Row[Any]]) -> list[tuple[Row[Any], Approval]]:
    """Return those rows of approvals that were written with their act, as they are; all others are none."""
    acts_by_number = sound_acts(connection, seal_of(connection), {row.act for row in rows}) if rows else {}
    found = []
    for row in rows:
        approval = Approval(row.digest, row.by, ApprovalKind(row.kind), row.total_cents, row.at, row.expires_at)
        act = acts_by_number.get(row.act)
        if act is not None and act.kind is kind and act.facts.get("word") == _word(approval):
            found.append((row, approval))
    return found


def _word(approval: Approval) -> str:
    times = map(_written, (approval.at, approval.expires_at))
    return digest_of(approval.digest, approval.by, approval.kind.value, approval.total_cents, *times)


_DIGITS: Final = 8


def _plan_that_stands(connection: Connection, digest: str) -> Row[Any]:
    plan = _plan(connection, digest)
    if plan.rejected_at is not None:
        raise ApprovalWanted(Message("approval.rejected", by=plan.rejected_by, why=plan.rejected_why))
    return plan


def _plan(connection: Connection, digest: str) -> Row[Any]:
    row = connection.execute(select(plans).where(plans.c.digest == digest)).one_or_none()
    if row is None:
        raise ApprovalWanted(Message("plan.not_stored", plan=digest[:15]))
    return row


# The service may have, or has had, a report of it; with what is approved, it has not been undone.
_SENT: Final = frozenset(SubmissionState) - {SubmissionState.PLANNED, SubmissionState.WITHDRAWN}


class Approving:
    _db: Database

    def approve_plan(  # noqa: PLR0913  (each is named at the call)
        self,
        digest: str,
        run_id: str,
        entries: Sequence[JournalEntry],
        now: dt.datetime,
        *,
        taxes_cents: Mapping[str, Mapping[str, int]] = MappingProxyType({}),
        approvers: int = 1,
        rule: PlanRule | None = None,
        by_flag: bool = True,
        epoch: int | None = None,
        texts: Collection[str] = (),
    ) -> list[Submission]:
        """Make a plan ready to be sent, in one transaction.

        What the inputs say is posted, its submissions become approved and claim what they pay, and the approvals are
        judged once more and used up. Approving a plan that has been approved already does nothing.

        Args:
            texts: Tokens of the texts that stand beside its payments now, and that its approvers have looked at.

        Raises:
            ApprovalWanted: approvals are missing, or the plan was rejected, withdrawn or replaced.
            ClaimCollision: others pay some of it; nothing was changed.
            LedgerMoved: something was claimed, posted or decided since that epoch; nothing was changed.
        """
        with self._db.writing() as connection:
            of_plan = _submissions_of(connection, digest)
            planned = [submission for submission in of_plan if submission.state is SubmissionState.PLANNED]
            if not planned:
                if any(submission.state in LIVE for submission in of_plan):
                    return []
                raise ApprovalWanted(Message("plan.gone", plan=digest[:15]))
            require_epoch(connection, epoch)
            which = _is_valid(digest, now)
            counting = self._require_approvals(
                connection, digest, rule or PlanRule(), approvers, which, by_flag=by_flag
            )
            connection.execute(update(approvals).where(which).values(used_at=now, used_by_run=run_id))
            post(connection, entries, by=run_id, now=now)
            _withhold(connection, [submission.id for submission in planned], taxes_cents)
            claim_all(connection, [submission.id for submission in planned])
            for submission in planned:
                move(connection, submission, SubmissionState.APPROVED, at=now, by=run_id, run_id=run_id)
            connection.execute(update(plans).where(plans.c.digest == digest).values(approved_at=now))
            looked_at = (plan_texts.c.plan_digest == digest, plan_texts.c.token.in_(list(texts)))
            connection.execute(update(plan_texts).where(*looked_at).values(seen=True))
            self._seal(connection, digest, approvers, good_until(counting.values(), approvers, now), planned)
            approved = {submission.id for submission in planned}
            return [submission for submission in _submissions_of(connection, digest) if submission.id in approved]

    def _seal(
        self, connection: Connection, digest: str, approvers: int, until: dt.datetime, planned: list[Submission]
    ) -> None:
        """Write down under the seal what was approved: the bytes of a plan, by how many people, good until when."""
        connection.execute(delete(approved_plans).where(approved_plans.c.plan_digest == digest))
        values = {
            "plan_digest": digest,
            "approvers": approvers,
            "good_until": until,
            "content_hashes": json.dumps(sorted({submission.content_hash for submission in planned})),
        }
        seal = self._db.seal.of("approved plan", *map(_written, values.values()))
        connection.execute(insert(approved_plans).values(**values, seal=seal))

    def _require_approvals(
        self,
        connection: Connection,
        digest: str,
        rule: PlanRule,
        needed: int,
        which: ColumnElement[bool],
        *,
        by_flag: bool,
    ) -> dict[str, Approval]:
        """Return, by person, the standing approvals of a plan, judged within a transaction that uses them up.

        Raises:
            ApprovalWanted: fewer people than needed approve it at this moment, or it stands rejected.
        """
        _plan_that_stands(connection, digest)
        counting = _counting(connection, digest, rule, needed, which, self._db.seal, by_flag=by_flag)
        if len(counting) < needed:
            raise ApprovalWanted(Message("approval.too_few", plan=digest[:15], given=len(counting), wanted=needed))
        return counting

    def reject_plan(self, digest: str, by: str, why: str) -> list[Submission]:
        """Take a person's no to a plan, and with it, in one transaction, back whatever of it has not been sent.

        Approvals so far are void, and no other counts until a later run arrives at the plan again. What was withdrawn
        is claimed no more; what was sent stays.

        Raises:
            ApprovalWanted: no such plan is stored.
            DecisionRefused: all of it was sent, or ended, before; nothing was recorded.
        """
        with self._db.writing() as connection:
            now, of_plan = self._db.now(), _submissions_of(connection, digest)
            if any(submission.state in LIVE for submission in of_plan) and not any(
                submission.state in UNSENT for submission in of_plan
            ):
                raise DecisionRefused(Message("reject.too_late"))
            record_rejection(connection, self._db.seal, digest, by, why, now)
            reason = Message("attempt.rejected", by=by, why=why)
            _withdraw(connection, of_plan, by=by, reason=reason, now=now)
            latest = {submission.batch_number: submission for submission in _submissions_of(connection, digest)}
        return [latest[number] for number in sorted(latest)]

    def withdraw_unsent(self, submission_ids: Sequence[str], *, run_id: str, reason: Message) -> list[Submission]:
        """Take back approved submissions that were never sent, in one transaction."""
        with self._db.writing() as connection:
            found = []
            for some in chunks(submission_ids):
                query = select_submissions(bodies=False).where(submissions.c.id.in_(some))
                found += [submission_of(row) for row in connection.execute(query.order_by(submissions.c.batch_number))]
            return _withdraw(connection, found, by=run_id, reason=reason, now=self._db.now())

    def good_until(self, submission_ids: Sequence[str]) -> dict[str, dt.datetime]:
        """Say until when each approved submission may be sent; one that is not named may not be sent at all."""
        with self._db.reading() as connection:
            return sendable_until(connection, submission_ids, self._db.seal)

    def approvers_of(self, digest: str) -> int:
        """Return how many people had to approve a plan when it was approved; 0 where it never was."""
        query = select(approved_plans.c.approvers).where(approved_plans.c.plan_digest == digest)
        with self._db.reading() as connection:
            return connection.scalar(query) or 0


def sendable_until(connection: Connection, submission_ids: Sequence[str], seal: Seal) -> dict[str, dt.datetime]:
    """Return until when approved submissions may be sent: as long as the approval of their plan is good for.

    Nothing may be sent of which the seal of that approval does not tell.

    An attempt that was written down after its plan was approved rests on the word of those who declared the one before
    it absent, and is good for as long from then on. Nothing of a plan that stands rejected may be sent.
    """
    found: dict[str, dt.datetime] = {}
    sealed = tuple(approved_plans.c[name] for name in ("plan_digest", "approvers", "good_until", "content_hashes"))
    attempted = (submissions.c.id, attempts.c.subject, attempts.c.created_at)
    columns = (*attempted, plans.c.approved_at, *sealed, approved_plans.c.seal)
    joined = submitted.join(plans, plans.c.digest == submissions.c.plan_digest).join(
        approved_plans, approved_plans.c.plan_digest == plans.c.digest
    )
    for some in chunks(submission_ids):
        of_them = submissions.c.id.in_(some) & plans.c.rejected_at.is_(None)
        for row in connection.execute(select(*columns).select_from(joined).where(of_them)):
            facts = (row.plan_digest, row.approvers, row.good_until, row.content_hashes)
            known = seal.is_of(row.seal, "approved plan", *map(_written, facts))
            if not known or row.subject not in json.loads(row.content_hashes):
                continue
            on_a_word = row.approved_at is not None and row.created_at > row.approved_at
            found[row.id] = max(row.good_until, row.created_at + GOOD_FOR) if on_a_word else row.good_until
    return found


def _written(fact: object) -> object:
    return f"{fact.astimezone(dt.UTC):%Y-%m-%dT%H:%M:%S.%f}" if isinstance(fact, dt.datetime) else fact


def _withhold(
    connection: Connection, submission_ids: Sequence[str], taxes_cents: Mapping[str, Mapping[str, int]]
) -> None:
    claimed = select(claims.c.submission_id, claims.c.obligation_key).where(claims.c.submission_id.in_(submission_ids))
    rows = [
        {"submission": name, "obligation": key, "taxes": json.dumps(dict(sorted(taxes_cents[key].items())))}
        for name, key in connection.execute(claimed)
        if taxes_cents.get(key)
    ]
    if rows:
        claim = (claims.c.submission_id == bindparam("submission")) & (
            claims.c.obligation_key == bindparam("obligation")
        )
        connection.execute(update(claims).where(claim).values(taxes_json=bindparam("taxes")), rows)


def _withdraw(
    connection: Connection, given: Collection[Submission], *, by: str, reason: Message, now: dt.datetime
) -> list[Submission]:
    """Withdraw the unsent of some submissions, and what was booked of the inputs of those who get nothing by them."""
    withdrawn = [
        submission
        for submission in given
        if submission.state in UNSENT
        and try_move(connection, submission, SubmissionState.WITHDRAWN, at=now, by=by, reason=reason)
    ]
    approved = [submission for submission in withdrawn if submission.state is not SubmissionState.PLANNED]
    for digest in {submission.plan_digest for submission in approved}:
        mine = [submission.id for submission in approved if submission.plan_digest == digest]
        live = [submission.id for submission in _submissions_of(connection, digest) if submission.state in LIVE]
        payees = _payees_of(connection, mine) - _payees_of(connection, live) if live else None
        runs = select(transitions.c.by).where(transitions.c.attempt_id.in_(mine))
        runs = runs.where(transitions.c.after == SubmissionState.APPROVED.value).distinct()
        period = next((sent.job, sent.period) for sent in approved if sent.plan_digest == digest)
        take_back(connection, list(connection.scalars(runs)), period, payees, by=by, now=now)
        if not any(submission.state in _SENT for submission in _submissions_of(connection, digest)):
            connection.execute(update(plans).where(plans.c.digest == digest).values(approved_at=None))
    return withdrawn


def _payees_of(connection: Connection, submission_ids: Sequence[str]) -> frozenset[str]:
    found: set[str] = set()
    for some in chunks(submission_ids):
        query = select(claims.c.payee).where(claims.c.submission_id.in_(some), claims.c.kind != "owner")
        found.update(connection.scalars(query))
    return frozenset(found)


def _submissions_of(connection: Connection, digest: str) -> list[Submission]:
    query = select_submissions(bodies=False).where(submissions.c.plan_digest == digest)
    rows = connection.execute(query.order_by(submissions.c.batch_number, attempts.c.number))
    return [submission_of(row) for row in rows]
