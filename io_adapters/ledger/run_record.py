"""The record of a run, kept in the ledger as Parquet tables: from it outputs are written again and payments traced."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache
from io import BytesIO
from typing import Any, Final

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pydantic import TypeAdapter

from io_adapters.ledger.ledger import Ledger
from schemas.issues import Issue, IssueCode, Severity
from schemas.messages import Message, message_from, message_json
from schemas.obligation import Obligation, Obligations, Payee, SourceRow, reasons_from_json, reasons_json
from schemas.parsing.row_accounting import RowRuns, runs_frame
from schemas.payee_statement import Quote, StatementBasis
from schemas.plan import Place
from schemas.reconciliation import AccountCheckCounts, Discrepancy
from schemas.tables.model import DataFrame, records
from schemas.tables.royalties import SUM_NUMBER, earnings_frame, frame_of, sum_numbers, territories_frame
from schemas.trace import PayableWay
from schemas.values.bank_account import Destination


@dataclass(frozen=True, slots=True)
class RecordHead:
    """What a run's record says of the run itself.

    Attributes:
        job, period, currency, payer, payer_name, language: As in the job; the payer by their tax id.
        folder: Where this run's outputs are written (absolute).
        plan_digest: None when nothing was left to pay.
        natures: Tax id -> code of the nature of the income, as the table of taxes gives it.
    """

    job: str
    period: str
    currency: str
    payer: str
    payer_name: str
    language: str
    folder: str
    formats: tuple[str, ...]
    plan_digest: str | None
    in_cents: int
    natures: Mapping[str, str] = field(default_factory=dict, kw_only=True)


@dataclass(frozen=True, slots=True)
class RunRecord(RecordHead):
    """Everything a reconciliation needs that does not change after planning.

    Attributes:
        obligations, balances, earnings, rows, checks: As in `schemas.reconciliation.Reconciliation`; earnings that were
            read have the number of their sum of lines as well, `SUM_NUMBER`.
        codes: Exit codes that will not change any more by following reports.
        territories: `TerritoryEarnings`.
        statements: What payees' statements rest on; None when the job wants none.
        quotes: The exchange rates of the sources.
        ways: Tax id -> how what was due for the period became what is paid.
    """

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
    ways: Mapping[str, PayableWay] = field(default_factory=dict)

    def with_discrepancies(self, more: Sequence[Discrepancy]) -> "RunRecord":
        """Return the record with what was seen later."""
        return replace(self, discrepancies=(*self.discrepancies, *more))

    @property
    def names(self) -> dict[str, str]:
        """Tax id -> name, of everybody the run knew one of."""
        known = [(obligation.payee.tax_id, obligation.payee.name) for obligation in self.obligations]
        known += [(row["tax_id"], row["name"]) for row in records(self.balances)]
        return {tax_id: name for tax_id, name in known if tax_id and name}


def save_record(ledger: Ledger, run_id: str, record: RunRecord) -> None:
    """Keep, or replace, the record of a run, and the names of its payees."""
    tables = {name: pa.Table.from_pandas(getattr(record, name), preserve_index=False) for name in _FRAMES}
    if SUM_NUMBER not in record.earnings:
        tables["earnings"] = tables["earnings"].append_column(SUM_NUMBER, pa.array(sum_numbers(record.earnings)))
    tables["obligations"] = _table_of(record.obligations)
    ways = [_adapter(PayableWay).dump_json(way).decode() for way in record.ways.values()]
    tables["ways"] = pa.table({"tax_id": list(record.ways), "way": ways}, schema=_WAYS)
    parts = {"head": _head_json(record), "notes": _notes_json(record)}
    ledger.runs.save_record(run_id, parts | {name: _parquet(table) for name, table in tables.items()})
    ledger.payee_names.note(record.names)


def read_record(ledger: Ledger, run_id: str, payee: str | None = None) -> RunRecord | None:
    """Read the record of a run; None where it left none.

    Args:
        payee: Only what is this payee's, of the tables that name payees; None for all.
    """
    parts = ledger.runs.record([run_id], _PARTS).get(run_id)
    if parts is None:
        return None
    of_payee = None if payee is None else pc.field("tax_id") == payee
    plain: dict[str, Any] = json.loads(parts["head"]) | json.loads(parts["notes"])
    tables = {name: _read(parts[name], None if name in _OF_NO_PAYEE else of_payee) for name in _TABLES}
    plain |= {name: frame_of(tables[name]) for name in ("balances", "checks")}
    plain["rows"] = runs_frame(tables["rows"].to_pylist())
    numbers = tables["earnings"].column(SUM_NUMBER).to_pandas()
    plain["earnings"] = earnings_frame(tables["earnings"]).assign(**{SUM_NUMBER: numbers})
    plain["territories"] = territories_frame(tables["territories"])
    plain["obligations"] = tuple(_obligations_of(tables["obligations"]))
    ways = zip(tables["ways"]["tax_id"].to_pylist(), tables["ways"]["way"].to_pylist(), strict=True)
    plain["ways"] = {tax_id: _adapter(PayableWay).validate_json(way) for tax_id, way in ways}
    plain["check_counts"] = AccountCheckCounts.model_validate(plain["check_counts"])
    if plain["statements"] is not None:
        plain["statements"] = _adapter(StatementBasis).validate_python(plain["statements"], strict=False)
    plain["issues"] = tuple(map(_issue, plain["issues"]))
    plain["discrepancies"] = tuple(map(Discrepancy.model_validate, plain["discrepancies"]))
    plain["decisions"] = tuple(map(message_from, plain["decisions"]))
    plain["quotes"] = _adapter(tuple[Quote, ...]).validate_python(plain["quotes"], strict=False)
    return RunRecord(**plain | {name: tuple(plain[name]) for name in ("formats", "codes")})


def read_heads(ledger: Ledger, run_ids: Iterable[str]) -> dict[str, RecordHead]:
    """Read what the records of runs say of the runs themselves, by run; those that left none are missing."""
    found = ledger.runs.record(run_ids, ["head"])
    heads = {run_id: json.loads(parts["head"]) for run_id, parts in found.items()}
    return {run_id: RecordHead(**head | {"formats": tuple(head["formats"])}) for run_id, head in heads.items()}


def read_obligations(
    ledger: Ledger, run_ids: Iterable[str], where: pc.Expression | None = None
) -> dict[str, Obligations]:
    """Read the obligations of runs, as each worked them out, by run; those that left no record are missing.

    Args:
        where: Which, over the columns of `OBLIGATION_COLUMNS`; None for all.
    """
    found = ledger.runs.record(run_ids, ["obligations"])
    return {run_id: tuple(_obligations_of(_read(parts["obligations"], where))) for run_id, parts in found.items()}


_FRAMES: Final = ("balances", "earnings", "territories", "rows", "checks")
_TABLES: Final = ("obligations", "ways", *_FRAMES)
_WAYS: Final = pa.schema([("tax_id", pa.string()), ("way", pa.string())])
_OF_NO_PAYEE: Final = frozenset({"rows", "checks"})
_PARTS: Final = ("head", "notes", *_TABLES)


def _parquet(table: pa.Table) -> bytes:
    stream = BytesIO()
    pq.write_table(table, stream, compression="none")  # the ledger compresses what it keeps
    return stream.getvalue()


def _read(content: bytes, where: pc.Expression | None) -> pa.Table:
    return pq.read_table(pa.BufferReader(content), filters=where)


def _head_json(record: RunRecord) -> bytes:
    return _json({name.name: getattr(record, name.name) for name in fields(RecordHead)})


def _notes_json(record: RunRecord) -> bytes:
    statements = record.statements
    plain = {
        "check_counts": record.check_counts.model_dump(),
        "issues": [_plain(issue) for issue in record.issues],
        "decisions": [message_json(decision) for decision in record.decisions],
        "discrepancies": [discrepancy.model_dump() for discrepancy in record.discrepancies],
        "codes": record.codes,
        "statements": statements and _adapter(StatementBasis).dump_python(statements, mode="json"),
        "quotes": _adapter(tuple[Quote, ...]).dump_python(record.quotes, mode="json"),
    }
    return _json(plain)


def _json(plain: Mapping[str, Any]) -> bytes:
    return json.dumps(plain, ensure_ascii=False, separators=(",", ":")).encode()


_PAYEE: Final = tuple(part.name for part in fields(Payee))
_ROW: Final = tuple(part.name for part in fields(SourceRow))
_NESTED: Final = frozenset({"payee", "source", "reasons", "account", "place"})
_PLAIN: Final = tuple(part.name for part in fields(Obligation) if part.name not in _NESTED)
_TYPES: Final = {"amount_cents": pa.int64(), "row": pa.int64()} | dict.fromkeys(
    ("withhold", "advance", "recurring"), pa.bool_()
)
# The columns of a record's obligations: a payee's and a row's fields beside the obligation's own; reasons and account
# as JSON, "" for none.
OBLIGATION_COLUMNS: Final = (*_PLAIN, "place", "reasons", "account", *_PAYEE, *_ROW)


def _table_of(obligations: Obligations) -> pa.Table:
    columns: dict[str, list[Any]] = {name: [getattr(obligation, name) for obligation in obligations] for name in _PLAIN}
    columns["place"] = [obligation.place.value for obligation in obligations]
    columns["reasons"] = [reasons_json(obligation.reasons) for obligation in obligations]
    columns["account"] = [
        _adapter(Destination).dump_json(obligation.account).decode() if obligation.account else ""
        for obligation in obligations
    ]
    columns |= {name: [getattr(obligation.payee, name) for obligation in obligations] for name in _PAYEE}
    columns |= {name: [getattr(obligation.source, name) for obligation in obligations] for name in _ROW}
    kinds = [(name, _TYPES.get(name, pa.string())) for name in OBLIGATION_COLUMNS]
    return pa.table(columns, schema=pa.schema(kinds))


def _obligations_of(table: pa.Table) -> Iterator[Obligation]:
    for row in table.to_pylist():
        reasons, account, place = row.pop("reasons"), row.pop("account"), row.pop("place")
        payee = Payee(**{name: row.pop(name) for name in _PAYEE})
        source = SourceRow(**{name: row.pop(name) for name in _ROW})
        yield Obligation(
            place=Place(place),
            reasons=reasons_from_json(reasons),
            account=_adapter(Destination).validate_json(account) if account else None,
            payee=payee,
            source=source,
            **row,
        )


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:  # noqa: ANN401  # a class, or a tuple of some
    """Return what writes and reads a class; it takes long to make, and most commands need none."""
    return TypeAdapter(kind)


def _plain(issue: Issue) -> dict[str, Any]:
    messages = {"message": message_json(issue.message), "accepts": message_json(issue.accepts)}
    return issue.as_json("en") | messages


def _issue(plain: dict[str, Any]) -> Issue:
    messages = {"message": message_from(plain["message"]), "accepts": message_from(plain["accepts"])}
    return Issue(**plain | messages | {"code": IssueCode(plain["code"]), "severity": Severity(plain["severity"])})
