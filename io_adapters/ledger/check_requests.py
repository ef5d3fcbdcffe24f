"""Many paid account checks at once: asked of a person before any is made, approved once, used once."""

import datetime as dt
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import ColumnElement, Row, and_, insert, select, update

from io_adapters.ledger.approvals import approval_of, facts_of, people_behind
from io_adapters.ledger.desk import user_of
from io_adapters.ledger.desk_tables import check_approvals, check_requests, desk_users
from io_adapters.ledger.engine import Database
from schemas.approval import GOOD_FOR, PlanRule, approvals_that_count
from schemas.errors import ApprovalWanted
from schemas.messages import Message
from schemas.plan import Approval

_SHORTEST_PREFIX = len("sha256:") + 8


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """Account checks that wait for a person's yes."""

    digest: str
    job: str
    period: str
    run_id: str
    checks: int
    cost_cents: int
    prepared_by: str
    asked_at: dt.datetime


class CheckRequests:
    def __init__(self, database: Database) -> None:
        self._db = database

    def ask(self, request: CheckRequest) -> None:
        """Write a request down; who asked first for the same accounts stays who prepared them."""
        with self._db.writing() as connection:
            known = select(check_requests.c.digest).where(check_requests.c.digest == request.digest)
            if connection.scalar(known) is None:
                connection.execute(insert(check_requests).values(**asdict(request)))

    def find(self, digest: str) -> CheckRequest | None:
        """Return a request by its digest, or by the first digits of it; None where there is none, or several."""
        text = digest.strip().lower()
        text = text if text.startswith("sha256:") else f"sha256:{text}"
        if len(text) < _SHORTEST_PREFIX:
            return None
        query = select(check_requests).where(check_requests.c.digest.startswith(text, autoescape=True)).limit(2)
        with self._db.reading() as connection:
            found = [CheckRequest(*row) for row in connection.execute(query)]
        return found[0] if len(found) == 1 else None

    def waiting(self, now: dt.datetime) -> list[CheckRequest]:
        """Return the requests of the last days that nobody has used an approval of, oldest first."""
        used = select(check_approvals.c.digest).where(check_approvals.c.used_at.is_not(None))
        query = select(check_requests).where(
            check_requests.c.asked_at > now - GOOD_FOR, check_requests.c.digest.not_in(used)
        )
        with self._db.reading() as connection:
            rows = connection.execute(query.order_by(check_requests.c.asked_at)).all()
        return [CheckRequest(*row) for row in rows]

    def approve(self, approval: Approval) -> None:
        """Write a person's yes down; it binds the accounts and what they cost.

        Raises:
            ApprovalWanted: nobody asks for these, or they cost another sum.
        """
        request = self.find(approval.digest)
        if request is None or request.cost_cents != approval.total_cents:
            raise ApprovalWanted(Message("approval.look_again"))
        values = {
            "digest": request.digest,
            "by": approval.by,
            "kind": approval.kind.value,
            "total_cents": approval.total_cents,
            "at": approval.at,
            "expires_at": approval.expires_at,
            "seal": self._db.seal.of(*facts_of(approval)),
        }
        with self._db.writing() as connection:
            connection.execute(insert(check_approvals).values(**values))

    def counting(self, request: CheckRequest, rule: PlanRule, now: dt.datetime) -> frozenset[str]:
        with self._db.reading() as connection:
            rows = connection.execute(select(check_approvals).where(_is_unused(request.digest, now))).all()
            given = [approval_of(row) for row in rows if self._is_ours(row)]
            users = [user_of(row, self._db.seal) for row in connection.execute(select(desk_users))]
            runs = select(check_requests.c.run_id).where(check_requests.c.digest == request.digest)
            preparers = people_behind(connection, runs, request.prepared_by)
        cost_cents = request.cost_cents
        return frozenset(
            approvals_that_count(given, rule, total_cents=cost_cents, needed=1, users=users, preparers=preparers)
        )

    def use(self, request: CheckRequest, run_id: str, now: dt.datetime) -> None:
        """Use the approvals of a request up: its accounts are asked about once."""
        with self._db.writing() as connection:
            unused = update(check_approvals).where(_is_unused(request.digest, now))
            connection.execute(unused.values(used_at=now, used_by_run=run_id))

    def _is_ours(self, row: Row[Any]) -> bool:
        return self._db.seal.is_of(row.seal, *facts_of(approval_of(row)))


def _is_unused(digest: str, now: dt.datetime) -> ColumnElement[bool]:
    c = check_approvals.c
    return and_(c.digest == digest, c.expires_at > now, c.used_at.is_(None))
