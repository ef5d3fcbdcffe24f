"""What a run read and decided, kept in tables: outputs are written again from it, and payments followed."""

import datetime as dt
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from decimal import Decimal
from functools import cache
from io import BytesIO
from typing import Any, Final

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pydantic import TypeAdapter
from sqlalchemy import ColumnElement, Table

from io_adapters.ledger.ledger import Ledger
from io_adapters.ledger.run_tables import (
    run_advances,
    run_checks,
    run_deals,
    run_discrepancies,
    run_obligations,
    run_parts,
    run_payees,
    run_problems,
    run_quotes,
    run_results,
    run_rows,
)
from schemas.deal_standing import DealTerm
from schemas.issues import Issue, IssueCode, Severity
from schemas.messages import Listed, Message
from schemas.obligation import Obligation, Obligations, Payee, SourceRow
from schemas.parsing.row_accounting import RowRuns, runs_frame
from schemas.payee_statement import EXACT, AdvanceBalance, Quote, StatementBasis, StatementHeading
from schemas.plan import Place
from schemas.reasons import reasons_from_json, reasons_json
from schemas.reconciliation import AccountCheckCounts, Discrepancy
from schemas.tables.model import DataFrame, Record, names_of, records
from schemas.tables.royalties import PayeeBalances, earnings_frame, frame_of, territories_frame
from schemas.trace import PayableWay
from schemas.values.bank_account import Destination


@dataclass(frozen=True, slots=True)
class RecordHead:
    """What is kept of a run as a whole.

    Attributes:
        job, period, currency, payer, payer_name, language: As in the job; the payer by their tax id.
        folder: Where this run's outputs are written (absolute).
        plan_digest: None when nothing was left to pay.
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


@dataclass(frozen=True, slots=True)
class RunRecord(RecordHead):
    """Everything a reconciliation needs that does not change after planning.

    Attributes:
        obligations, balances, earnings, rows, checks: As in `schemas.reconciliation.Reconciliation`.
        codes: Exit codes that will not change any more by following reports.
        territories: `TerritoryEarnings`.
        line_sums: `PlatformTotals` with the rate of each, text: in which rows the lines of earnings are. None where it
            was not read with the record: `read_line_sums` does.
        statements: What payees' statements rest on; None when the job wants none.
        quotes: The exchange rates of the sources, in the order of their heading.
        ways: Tax id -> how what was due for the period became what is paid.
        natures: Tax id -> code of the nature of the income, as the table of taxes gives it.
        deals: What rows of deals say that go on over periods; kept for the view `deals`, and not read with the record.
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
    natures: Mapping[str, str] = field(default_factory=dict)
    line_sums: pd.DataFrame | None = None
    deals: tuple[DealTerm, ...] = ()

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
    """Keep what a run read and decided, and the names of its payees; again changes what was kept."""
    earnings = pa.Table.from_pandas(record.earnings, preserve_index=False)
    territories = pa.Table.from_pandas(record.territories, preserve_index=False)
    advances = record.statements.advances if record.statements else ()
    numbered: dict[Table, Iterable[Record]] = {
        run_obligations: map(_row_of_obligation, record.obligations),
        run_payees: _payees_of(record),
        run_advances: ({"tax_id": advance.payee} | _fields_of(advance, _ADVANCE) for advance in advances),
        run_deals: (_fields_of(term, _DEAL) for term in record.deals),
        run_quotes: (
            _fields_of(quote, _QUOTE) | {"rate": str(quote.rate), "day": str(quote.day)} for quote in record.quotes
        ),
        run_rows: records(record.rows),
        run_checks: records(record.checks),
        run_problems: ({name: getattr(issue, name) for name in _ISSUE} for issue in record.issues),
        run_discrepancies: (found.model_dump(exclude={"why"}) for found in record.discrepancies),
    }
    kept: dict[Table, list[Record]] = {
        table: [row | {"number": number} for number, row in enumerate(rows)] for table, rows in numbered.items()
    }
    parts = {"earnings": earnings, "territories": territories}
    if record.line_sums is not None:
        parts[_LINE_SUMS] = pa.Table.from_pandas(record.line_sums, preserve_index=False)
    kept[run_parts] = [{"part": name, "content": _parquet(table)} for name, table in parts.items()]
    ledger.runs.keep(run_id, {run_results: [_result_of(record)]} | kept)
    ledger.payee_names.note(record.names)


def read_record(ledger: Ledger, run_id: str, payee: str | None = None) -> RunRecord | None:
    """Read what is kept of a run; None where it kept nothing.

    Args:
        payee: Only what is this payee's, of the tables that name payees; None for all.
    """

    def rows_of(table: Table) -> list[Record]:
        where = () if payee is None or "tax_id" not in table.c else (table.c.tax_id == payee,)
        return [dict(row._mapping) for row in ledger.runs.kept(table, [run_id], *where)]  # noqa: SLF001 - its public name

    result = next(iter(rows_of(run_results)), None)
    if result is None:
        return None
    payees, head = rows_of(run_payees), _head_of(result)
    quotes = tuple(_quote_of(row) for row in rows_of(run_quotes))
    kept = ledger.runs.kept(run_parts, [run_id], run_parts.c.part != _LINE_SUMS)
    parts = {row.part: _read(row.content, payee) for row in kept}
    balances = [row for row in payees if row["earned_cents"] is not None]
    return RunRecord(
        **head,
        obligations=tuple(map(_obligation_of, rows_of(run_obligations))),
        balances=pd.DataFrame(balances, columns=names_of(PayeeBalances)),
        earnings=earnings_frame(parts["earnings"]),
        territories=territories_frame(parts["territories"]),
        rows=runs_frame(_fields_in(rows_of(run_rows), names_of(RowRuns))),
        checks=pd.DataFrame(rows_of(run_checks), columns=list(CHECKS)),
        check_counts=AccountCheckCounts(**{name: result[f"checks_{name}"] for name in AccountCheckCounts.model_fields}),
        issues=tuple(map(_issue_of, rows_of(run_problems))),
        decisions=result["readings"].parts if result["readings"] else (),
        discrepancies=tuple(Discrepancy(**_without_place(row)) for row in rows_of(run_discrepancies)),
        codes=tuple(map(int, result["codes"].split())),
        statements=_basis_of(result, payees, rows_of(run_advances), quotes) if result["with_statements"] else None,
        quotes=quotes,
        ways={row["tax_id"]: _adapter(PayableWay).validate_json(row["way"]) for row in payees if row["way"]},
        natures={row["tax_id"]: row["nature"] for row in payees if row["nature"]},
    )


def read_heads(ledger: Ledger, run_ids: Iterable[str]) -> dict[str, RecordHead]:
    """Read what is kept of runs as a whole, by run in the order given; those that kept nothing are missing."""
    wanted = list(run_ids)
    found = {row.run_id: row._mapping for row in ledger.runs.kept(run_results, wanted)}  # noqa: SLF001 - its public name
    return {run_id: RecordHead(**_head_of(found[run_id])) for run_id in dict.fromkeys(wanted) if run_id in found}


def read_line_sums(ledger: Ledger, run_id: str) -> pd.DataFrame:
    """Read in which rows of which files the lines are that a run has summed: `RunRecord.line_sums`."""
    (kept,) = ledger.runs.kept(run_parts, [run_id], run_parts.c.part == _LINE_SUMS)
    return frame_of(_read(kept.content, None))


def read_earned(ledger: Ledger, run_id: str, payees: Collection[str]) -> dict[tuple[str, str], Decimal] | None:
    """Read what some payees earned from each recording, exact: (tax id, title or release) -> sum.

    Returns:
        None where the run kept nothing: it died first, or it was no run but people who took a plan back.
    """
    kept = next(iter(ledger.runs.kept(run_parts, [run_id], run_parts.c.part == "earnings")), None)
    if kept is None:
        return None
    earned = pq.read_table(pa.BufferReader(kept.content), filters=pc.field("tax_id").isin(list(payees)))
    sums = earned.group_by(["tax_id", "title", "release"]).aggregate([("earned", "sum")]).to_pylist()
    found = dict[tuple[str, str], Decimal]()
    for row in sums:
        recording = (row["tax_id"], row["title"] or row["release"])
        found[recording] = EXACT.add(found.get(recording, Decimal(0)), row["earned_sum"])
    return found


def read_natures(ledger: Ledger, run_ids: Iterable[str]) -> dict[str, str]:
    """Read the nature of each payee's income, by tax id, as the last of some runs that knew one has it."""
    return {row.tax_id: row.nature for row in ledger.runs.kept(run_payees, run_ids, run_payees.c.nature != "")}


def read_obligations(
    ledger: Ledger,
    run_ids: Iterable[str],
    *,
    keys: Collection[str] | None = None,
    places: Collection[Place] | None = None,
    payees: Collection[str] | None = None,
) -> dict[str, Obligations]:
    """Read the obligations of runs, as each worked them out, by run as `read_heads`.

    Args:
        keys, places, payees: Which; None for all. Keys are those of obligations, payees tax ids.
    """
    columns, where = run_obligations.c, list[ColumnElement[bool]]()
    for column, wanted in ((columns.key, keys), (columns.tax_id, payees)):
        if wanted is not None and len(wanted) <= _MOST_ASKED:
            where.append(column.in_(list(wanted)))
    if places is not None:
        where.append(columns.place.in_([place.value for place in places]))
    found: dict[str, list[Obligation]] = {run_id: [] for run_id in read_heads(ledger, run_ids)}
    for row in ledger.runs.kept(run_obligations, found, *where):
        if (keys is None or row.key in keys) and (payees is None or row.tax_id in payees):
            found[row.run_id].append(_obligation_of(row._mapping))  # noqa: SLF001 - its public name
    return {run_id: tuple(own) for run_id, own in found.items()}


def last_obligations(ledger: Ledger, keys: Collection[str]) -> dict[str, tuple[str, Obligation]]:
    """Read obligations as the last run that had them worked them out: key -> that run's id, and the obligation."""
    found = ledger.runs.kept(run_obligations, None, run_obligations.c.key.in_(list(keys)))
    return {row.key: (row.run_id, _obligation_of(row._mapping)) for row in found}  # noqa: SLF001 - its public name


# So many keys or payees are asked of the database; of more, all are read and looked through.
_MOST_ASKED: Final = 5_000


_LINE_SUMS: Final = "line_sums"
CHECKS: Final = ("payee", "destination_masked", "result", "made", "reused", "cost_cents", "message")
_DEAL: Final = tuple(part.name for part in fields(DealTerm))
_ADVANCE: Final = ("reference", "scope", "recouped_cents", "outstanding_cents")
_QUOTE: Final = ("currency", "origin")
_ISSUE: Final = tuple(part.name for part in fields(Issue))
_PAYEE: Final = tuple(part.name for part in fields(Payee))
_ROW: Final = tuple(part.name for part in fields(SourceRow))
_NESTED: Final = frozenset({"payee", "source", "reasons", "account", "place", "run_id"})
_PLAIN: Final = tuple(part.name for part in fields(Obligation) if part.name not in _NESTED)


def _fields_of(value: object, names: Sequence[str]) -> Record:
    return {name: getattr(value, name) for name in names}


def _fields_in(rows: Iterable[Record], names: Sequence[str]) -> Iterator[Record]:
    return ({name: row[name] for name in names} for row in rows)


def _without_place(row: Record) -> Record:
    return {name: value for name, value in row.items() if name not in {"run_id", "number"}}


def _parquet(table: pa.Table) -> bytes:
    stream = BytesIO()
    pq.write_table(table, stream, compression="none")  # the ledger compresses what it keeps
    return stream.getvalue()


def _read(content: bytes, payee: str | None) -> pa.Table:
    is_theirs = None if payee is None else pc.field("tax_id") == payee
    return pq.read_table(pa.BufferReader(content), filters=is_theirs)


def _result_of(record: RunRecord) -> Record:
    heading = record.statements.heading if record.statements else None
    return {
        **{name.name: getattr(record, name.name) for name in fields(RecordHead)},
        "formats": " ".join(record.formats),
        "codes": " ".join(map(str, record.codes)),
        "with_statements": heading is not None,
        "first_day": str(heading.first_day) if heading else "",
        "last_day": str(heading.last_day) if heading else "",
        "minimum_payout_cents": heading.minimum_payout_cents if heading else 0,
        **{f"checks_{name}": count for name, count in record.check_counts.model_dump().items()},
        "readings": Listed(record.decisions, "\n") if record.decisions else None,
    }


def _head_of(result: Mapping[Any, Any]) -> dict[str, Any]:
    head = {name.name: result[name.name] for name in fields(RecordHead)}
    return head | {"formats": tuple(head["formats"].split())}


def _payees_of(record: RunRecord) -> Iterator[Record]:
    """Tell of each payee of the royalties, in order, and then of those who only have terms of their own."""
    languages = record.statements.languages if record.statements else {}
    minimums = record.statements.minimums_cents if record.statements else {}
    amounts = {row["tax_id"]: row for row in records(record.balances)}
    nothing: Record = dict.fromkeys(names_of(PayeeBalances)) | {"name": ""}
    for tax_id in dict.fromkeys([*amounts, *record.ways, *record.natures, *languages, *minimums]):
        way = record.ways.get(tax_id)
        yield (amounts.get(tax_id) or nothing) | {
            "tax_id": tax_id,
            "way": _adapter(PayableWay).dump_json(way).decode() if way else "",
            "nature": record.natures.get(tax_id, ""),
            "language": languages.get(tax_id, ""),
            "minimum_cents": minimums.get(tax_id),
        }


def _basis_of(
    result: Record, payees: Sequence[Record], advances: Sequence[Record], quotes: tuple[Quote, ...]
) -> StatementBasis:
    heading = StatementHeading(
        **{name: result[name] for name in ("payer_name", "job", "period", "currency", "language")},
        first_day=_day(result["first_day"]),
        last_day=_day(result["last_day"]),
        minimum_payout_cents=result["minimum_payout_cents"],
        quotes=quotes,
    )
    return StatementBasis(
        heading,
        tuple(AdvanceBalance(row["tax_id"], **{name: row[name] for name in _ADVANCE}) for row in advances),
        {row["tax_id"]: row["language"] for row in payees if row["language"]},
        {row["tax_id"]: row["minimum_cents"] for row in payees if row["minimum_cents"] is not None},
    )


def _quote_of(row: Record) -> Quote:
    return Quote(**{name: row[name] for name in _QUOTE}, rate=Decimal(row["rate"]), day=_day(row["day"]))


def _row_of_obligation(obligation: Obligation) -> Record:
    account = obligation.account
    return {
        **_fields_of(obligation, _PLAIN),
        **_fields_of(obligation.payee, _PAYEE),
        **_fields_of(obligation.source, _ROW),
        "place": obligation.place.value,
        "reasons": reasons_json(obligation.reasons),
        "account": _adapter(Destination).dump_json(account).decode() if account else "",
        "obligation_run": obligation.run_id,
    }


def _obligation_of(row: Mapping[Any, Any]) -> Obligation:
    account = row["account"]
    return Obligation(
        **{name: row[name] for name in _PLAIN},
        place=Place(row["place"]),
        reasons=reasons_from_json(row["reasons"]),
        account=_adapter(Destination).validate_json(account) if account else None,
        payee=Payee(**{name: row[name] for name in _PAYEE}),
        source=SourceRow(**{name: row[name] for name in _ROW}),
        run_id=row["obligation_run"],
    )


def _issue_of(row: Record) -> Issue:
    plain = {name: row[name] for name in _ISSUE}
    return Issue(**plain | {"code": IssueCode(row["code"]), "severity": Severity(row["severity"])})


_day: Final = dt.date.fromisoformat


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:  # noqa: ANN401  # a class, or a tuple of some
    """Return what writes and reads a class; it takes long to make, and most commands need none."""
    return TypeAdapter(kind)
