"""Reports in the ledger: found, followed to their end, or declared absent."""

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, insert, select, update

from io_adapters.ledger.acts import record_act
from io_adapters.ledger.claims import claim_all, claimed_elsewhere
from io_adapters.ledger.decisions import freeze_for
from io_adapters.ledger.engine import Database, Seal, chunks
from io_adapters.ledger.outbox import write_transitions
from io_adapters.ledger.posting import figures_of, post_beside, post_submissions
from io_adapters.ledger.submission_rows import linked_elsewhere, move, read_submission, write_next_attempt
from io_adapters.ledger.tables import attempts, claims, meta, reports, submissions
from schemas.acts import Act, ActKind
from schemas.errors import ApprovalWanted, BrokenInvariant, DecisionRefused
from schemas.messages import Message
from schemas.submission import (
    ENDED,
    LIKENESS,
    LIVE,
    OPEN,
    PROVISIONAL,
    TAKEN_BACK,
    Alarm,
    Alarms,
    Submission,
    SubmissionState,
)
from schemas.values.names import different_people
from schemas.wire import SplitReport


@dataclass(frozen=True, slots=True)
class ReportSnapshot:
    """A report as the service showed it at one moment."""

    submission_id: str
    status: str | None
    document: bytes
    owes_fee: bool
    went_back: bool
    at: dt.datetime


class Reports:
    """The record of reports; `Submissions.record_status` adds to it."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def latest(self, submission_ids: list[str]) -> dict[str, ReportSnapshot]:
        found: dict[str, ReportSnapshot] = {}
        with self._db.reading() as connection:
            for some in chunks(submission_ids):
                found |= {s.submission_id: s for s in _snapshots(connection, some)}
        return found

    def newest(self, most: int) -> list[ReportSnapshot]:
        """Return the latest snapshots of all submissions, the newest first."""
        with self._db.reading() as connection:
            rows = connection.execute(select(reports).order_by(reports.c.id.desc()).limit(most))
            return [_snapshot(row) for row in rows]

    def history(self, submission_id: str) -> list[ReportSnapshot]:
        """Return all snapshots of a submission, oldest first; consecutive ones differ."""
        with self._db.reading() as connection:
            return _snapshots(connection, [submission_id])


def append_snapshot(connection: Connection, snapshot: ReportSnapshot) -> None:
    """Keep a snapshot, within a transaction, unless it says the same as the last one."""
    mine = reports.c.submission_id == snapshot.submission_id
    last = connection.scalar(select(reports.c.document).where(mine).order_by(reports.c.id.desc()).limit(1))
    if last is None or bytes(last) != snapshot.document:
        values = {name: getattr(snapshot, name) for name in ReportSnapshot.__dataclass_fields__}
        connection.execute(insert(reports).values(**values))


def _snapshots(connection: Connection, submission_ids: list[str]) -> list[ReportSnapshot]:
    query = select(reports).where(reports.c.submission_id.in_(submission_ids)).order_by(reports.c.id)
    return [_snapshot(row) for row in connection.execute(query)]


def _snapshot(row: Row[Any]) -> ReportSnapshot:
    return ReportSnapshot(row.submission_id, row.status, bytes(row.document), row.owes_fee, row.went_back, row.at)


_UNSENT = (SubmissionState.APPROVED, SubmissionState.NOT_SENT)
_MAY_BE_FOUND = frozenset({SubmissionState.IN_DOUBT, SubmissionState.ABSENT, SubmissionState.APPROVED})


class Settling:
    _db: Database

    def record_found(
        self,
        submission_id: str,
        split_id: str,
        *,
        by: str,
        reason: Message,
        linked_by: str | None = None,
        is_persons_word: bool = False,
    ) -> tuple[str, ...]:
        """Write down that a submission in doubt, declared absent, or not even sent, is in the service after all.

        A submission found after it was declared absent claims its obligations again. Whatever else claims them is
        withdrawn, if it has not been sent.

        Raises:
            BrokenInvariant: it is neither in doubt, absent nor approved, nor known under this very id; or the report is
                another submission's.
        """
        with self._db.writing() as connection:
            before = read_submission(connection, submission_id)
            if before.split_id == split_id:
                return ()
            if before.state not in _MAY_BE_FOUND:
                raise BrokenInvariant(f"{submission_id} is {before.state}: no report can be found for it")
            if other := linked_elsewhere(connection, submission_id, split_id):
                raise BrokenInvariant(f"{split_id} is the report of {other}; it cannot be that of {submission_id} too")
            now = self._db.now()
            found = {"split_id": split_id, "linked_by": linked_by}
            if is_persons_word:
                act = Act(ActKind.LINK, by, submission_id, "", now, {"report": split_id})
                record_act(connection, self._db.seal, act)
            move(connection, before, SubmissionState.ACCEPTED, at=now, by=by, reason=reason, **found)
            if before.state is not SubmissionState.ABSENT:
                return ()
            return _claim_again(connection, self._db.seal, before, by, now)

    def record_beside(self, submission_id: str, report: SplitReport, *, is_paid: bool, by: str) -> bool:
        """Write down what another report has paid that the service made of a submission's POST; whether that is new."""
        figures = figures_of(report) if is_paid else None
        with self._db.writing() as connection:
            return post_beside(connection, submission_id, report.id or "", figures, by=by, now=self._db.now())

    def doubt_refused(self, submission_id: str, *, by: str, reason: Message) -> None:
        """Doubt a refusal: the service lists a report like it. What it pays is claimed again until people know.

        Whatever else claims that is withdrawn, if it has not been sent, and freezes sending if it has.
        """
        with self._db.writing() as connection:
            before = read_submission(connection, submission_id)
            if before.state is not SubmissionState.REFUSED:
                return
            now = self._db.now()
            move(connection, before, SubmissionState.IN_DOUBT, at=now, by=by, reason=reason)
            _claim_again(connection, self._db.seal, before, by, now)

    def record_status(  # noqa: PLR0913  (what a look says, each named at the call)
        self,
        submission_id: str,
        report_json: bytes,
        status: str | None,
        new_state: SubmissionState | None,
        *,
        by: str,
        reason: Message | None = None,
        seen: SubmissionState | None = None,
        alarms: Alarms = (),
        owes_fee: bool = False,
        went_back: bool = False,
    ) -> Submission:
        """Keep a report as the service shows it now, and what that means.

        What had ended without being paid and is paid, or on its way, after all claims its obligations again; whatever
        else claims them is withdrawn if it has not been sent, and is an alarm that freezes sending if it has.

        Raises:
            BrokenInvariant: the state cannot follow the one it has.
        """
        with self._db.writing() as connection:
            now = self._db.now()
            before = read_submission(connection, submission_id)
            if seen is not None and before.state is not seen:
                return before
            append_snapshot(connection, ReportSnapshot(submission_id, status, report_json, owes_fee, went_back, now))
            if new_state is None or new_state is before.state:
                connection.execute(update(submissions).where(submissions.c.id == submission_id).values(status=status))
                if before.state is SubmissionState.PAID:
                    _write_reason(connection, submission_id, reason)
                    post_submissions(connection, [submission_id], by=by, now=now)
            elif before.state not in OPEN | ENDED:
                raise BrokenInvariant(f"{submission_id} is {before.state}; a report cannot make it {new_state}")
            else:
                move(connection, before, new_state, at=now, by=by, reason=reason, status=status)
                if before.state in PROVISIONAL and new_state in LIVE:
                    _claim_again(connection, self._db.seal, before, by, now)
            freeze_for(connection, self._db.seal, alarms, now)
            return read_submission(connection, submission_id)

    def take_link_back(self, submission_id: str, *, by: Sequence[str], evidence: str) -> tuple[str, ...]:
        """Take people's word that the report found by likeness is another one: the submission is in doubt again.

        Whatever that report has said since is not said of it; what it pays is claimed again. No report is linked to it
        by likeness any more.

        Raises:
            ApprovalWanted: fewer than two different people.
            DecisionRefused: its report was not found by likeness.
        """
        if len(different_people(by)) < 2:
            raise ApprovalWanted(Message("doubt.two_people"))
        with self._db.writing() as connection:
            now, names = self._db.now(), ", ".join(name.strip() for name in by)
            before = read_submission(connection, submission_id)
            if before.linked_by != LIKENESS:
                raise DecisionRefused(Message("doubt.not_by_likeness", name=submission_id))
            doubt = SubmissionState.IN_DOUBT
            nobodys = {"split_id": None, "status": None, "linked_by": TAKEN_BACK}
            connection.execute(update(submissions).where(submissions.c.id == submission_id).values(**nobodys))
            reason = Message("attempt.evidence", text=evidence)
            doubted = {"state": doubt.value, "reason": reason}
            connection.execute(update(attempts).where(attempts.c.id == submission_id).values(**doubted))
            write_transitions(connection, [submission_id], before.state, doubt, at=now, by=names, reason=reason)
            post_submissions(connection, [submission_id], by=names, now=now)
            record_act(connection, self._db.seal, Act(ActKind.TAKE_LINK_BACK, names, submission_id, evidence, now))
            return _claim_again(connection, self._db.seal, before, names, now)

    def note(self, submission_id: str, reason: Message | None) -> None:
        """Write beside a submission what people should know of it; its state stays."""
        with self._db.writing() as connection:
            _write_reason(connection, submission_id, reason)

    def declare_absent(
        self, submission_ids: Iterable[str], *, by: Sequence[str], evidence: str, run_id: str
    ) -> list[Submission]:
        """Take people's word that submissions in doubt are not in the service, all or none; ready their next attempts.

        Whether it is time for that, and the last look before, are the caller's to judge.

        Raises:
            ApprovalWanted: fewer than two different people.
        """
        if len(different_people(by)) < 2:
            raise ApprovalWanted(Message("doubt.two_people"))
        with self._db.writing() as connection:
            now = self._db.now()
            names = ", ".join(name.strip() for name in by)
            tag = connection.execute(select(meta.c.tag)).scalar_one()
            reason, following = Message("attempt.evidence", text=evidence), []
            for submission_id in submission_ids:
                before = read_submission(connection, submission_id, bodies=True)
                move(connection, before, SubmissionState.ABSENT, at=now, by=names, reason=reason)
                following.append(write_next_attempt(connection, before, tag, run_id=run_id, by=names, now=now))
                record_act(connection, self._db.seal, Act(ActKind.DECLARE_ABSENT, names, submission_id, evidence, now))
            claim_all(connection, [submission.id for submission in following])
            post_submissions(connection, [submission.id for submission in following], by=names, now=now)
            return following


def _write_reason(connection: Connection, submission_id: str, reason: Message | None) -> None:
    connection.execute(update(attempts).where(attempts.c.id == submission_id).values(reason=reason))


def _claim_again(connection: Connection, seal: Seal, found: Submission, by: str, now: dt.datetime) -> tuple[str, ...]:
    """Claim what a submission pays once more; what another one has sent is paid twice, and freezes sending."""
    for other_id in sorted(set(claimed_elsewhere(connection, [found.id]).values())):
        other = read_submission(connection, other_id)
        if other.state in _UNSENT:
            reason = Message("attempt.pays_the_same", report=found.id)
            move(connection, other, SubmissionState.WITHDRAWN, at=now, by=by, reason=reason)
    twice = sorted(claimed_elsewhere(connection, [found.id]))
    mine = claims.c.submission_id == found.id
    connection.execute(update(claims).where(mine, claims.c.obligation_key.not_in(twice)).values(live=True))
    if twice:
        seen = Message("alarm.paid_twice", name=found.id, count=len(twice))
        freeze_for(connection, seal, (Alarm("paid_twice", found.id, seen),), now)
    return tuple(twice)
