"""The run's document in the ledger, from which its outputs can be written again."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import pandas as pd
import pyarrow as pa
from pydantic import TypeAdapter

from schemas.issues import Issue, IssueCode, Severity
from schemas.messages import Message, message_from, message_json
from schemas.obligation import Obligation, Obligations
from schemas.payee_statement import Quote, StatementBasis
from schemas.reconciliation import AccountCheckCounts, Discrepancy
from schemas.tables.contract import DataFrame, records
from schemas.tables.obligations import earnings_frame, territories_frame
from schemas.tables.row_accounting import RowRuns, runs_frame
from schemas.values.money import exact_text


@dataclass(frozen=True, slots=True)
class RunDocument:
    """Everything a reconciliation needs that does not change after planning.

    Attributes:
        job, period, currency, payer_name, language: As in the job.
        folder: Where this run's outputs are written (absolute).
        formats: Which outputs.
        plan_digest: None when nothing was left to pay.
        in_cents: What came in.
        obligations, balances, earnings, rows, checks: As in `schemas.reconciliation.Reconciliation`.
        check_counts: Account checks of the run.
        issues, decisions: As told.
        discrepancies: Seen so far.
        codes: Exit codes that will not change any more by following reports.
        territories: `TerritoryEarnings`.
        statements: What payees' statements rest on; None when the job wants none.
        quotes: The exchange rates of the sources.
        natures: Tax id -> code of the nature of the income, as the table of taxes gives it.
    """

    job: str
    period: str
    currency: str
    payer_name: str
    language: str
    folder: str
    formats: tuple[str, ...]
    plan_digest: str | None
    in_cents: int
    obligations: Obligations
    balances: pd.DataFrame
    earnings: pd.DataFrame
    territories: pd.DataFrame
    rows: DataFrame[RowRuns]
    checks: pd.DataFrame
    check_counts: AccountCheckCounts
    issues: tuple[Issue, ...]
    decisions: tuple[Message, ...]
    discrepancies: tuple[Discrepancy, ...]
    codes: tuple[int, ...]
    statements: StatementBasis | None = None
    quotes: tuple[Quote, ...] = ()
    natures: Mapping[str, str] = field(default_factory=dict)

    def with_discrepancies(self, more: Sequence[Discrepancy]) -> "RunDocument":
        """Return the document with what was seen later."""
        return replace(self, discrepancies=(*self.discrepancies, *more))

    def to_bytes(self) -> bytes:
        """Write the document for the ledger."""
        plain = {name: getattr(self, name) for name in self.__dataclass_fields__}
        plain |= {name: _columns(plain[name]) for name in _FRAMES}
        plain["check_counts"] = self.check_counts.model_dump()
        plain["issues"] = [_plain(issue) for issue in self.issues]
        plain["decisions"] = [message_json(decision) for decision in self.decisions]
        written = _adapter(Obligations).dump_python(self.obligations, mode="json", exclude_defaults=True)
        plain["obligations"] = list(map(_without_fingerprint, self.obligations, written))
        if self.statements is not None:
            plain["statements"] = _adapter(StatementBasis).dump_python(self.statements, mode="json")
        plain["quotes"] = _adapter(tuple[Quote, ...]).dump_python(self.quotes, mode="json")
        plain["discrepancies"] = [discrepancy.model_dump() for discrepancy in self.discrepancies]
        return json.dumps(plain, ensure_ascii=False, separators=(",", ":")).encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> "RunDocument":
        """Read what `to_bytes` wrote."""
        plain: dict[str, Any] = json.loads(data)
        plain |= {name: pd.DataFrame(plain[name]) for name in ("balances", "rows", "checks")}
        plain["earnings"] = earnings_frame(pa.table(plain["earnings"]))
        plain["territories"] = territories_frame(pa.table(plain["territories"]))
        read = _adapter(Obligations).validate_python(plain["obligations"])
        plain["obligations"] = tuple(map(_with_fingerprint, read, plain["obligations"]))
        plain["rows"] = runs_frame(records(plain["rows"]))
        plain["check_counts"] = AccountCheckCounts.model_validate(plain["check_counts"])
        if plain["statements"] is not None:
            plain["statements"] = _adapter(StatementBasis).validate_python(plain["statements"], strict=False)
        plain["issues"] = tuple(_issue(issue) for issue in plain["issues"])
        plain["discrepancies"] = tuple(
            Discrepancy.model_validate(discrepancy) for discrepancy in plain["discrepancies"]
        )
        plain["decisions"] = tuple(map(message_from, plain["decisions"]))
        plain["quotes"] = _adapter(tuple[Quote, ...]).validate_python(plain.get("quotes", ()), strict=False)
        for name in ("formats", "codes"):
            plain[name] = tuple(plain[name])
        return cls(**plain)


_FRAMES = ("balances", "earnings", "territories", "rows", "checks")


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:  # noqa: ANN401  # a class, or a tuple of some
    """Return what writes and reads a class; it takes long to make, and most commands need none."""
    return TypeAdapter(kind)


def _without_fingerprint(owed: Obligation, plain: dict[str, Any]) -> dict[str, Any]:
    """Leave out a fingerprint that the account beside it has: of many payees, these are a third of a document."""
    if owed.account is None:
        return plain
    if owed.destination == owed.account.fingerprint:
        return {name: value for name, value in plain.items() if name != "destination"}
    return plain | {"destination": owed.destination}


def _with_fingerprint(owed: Obligation, plain: dict[str, Any]) -> Obligation:
    if owed.account is None or "destination" in plain:
        return owed
    return replace(owed, destination=owed.account.fingerprint)


def _columns(frame: pd.DataFrame) -> dict[str, list[object]]:
    return {str(name): _values(frame[name]) for name in frame.columns}


def _values(column: pd.Series) -> list[object]:
    exact = isinstance(column.dtype, pd.ArrowDtype)
    return list(map(exact_text, column)) if exact else column.tolist()


def _plain(issue: Issue) -> dict[str, Any]:
    messages = {"message": message_json(issue.message), "accepts": message_json(issue.accepts)}
    return issue.as_json("en") | messages


def _issue(plain: dict[str, Any]) -> Issue:
    messages = {"message": message_from(plain["message"]), "accepts": message_from(plain["accepts"])}
    return Issue(**plain | messages | {"code": IssueCode(plain["code"]), "severity": Severity(plain["severity"])})
