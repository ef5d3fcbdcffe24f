"""Checks between tables: every payee is known, every line has a share, no payment stands twice."""

import datetime as dt
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from types import MappingProxyType
from typing import Final, NamedTuple, TypeVar

import numpy as np
import pandas as pd

from flows.intake.rules.inputs import Inputs, in_question, left_of_advances
from flows.payables.rules.left_out import set_aside
from flows.royalties.rules.assets import LINE_IS_OF, Place
from flows.royalties.rules.deals import (
    AMBIGUOUS,
    SILENT,
    UNMATCHED,
    Complaints,
    Deals,
    DecidedLines,
    join_complaints,
    lines_of,
)
from schemas.issues import Issue, IssueCode, make_issue
from schemas.job import Job, Period
from schemas.messages import Listed, Message
from schemas.parsing.row_accounting import ASSET_NAMES, PERSON_NAMES, RowRun, RowRuns, move_rows
from schemas.parsing.row_rules import overlapping
from schemas.reasons import codes_json
from schemas.tables.model import DataFrame, TableModel, names_of
from schemas.tables.payees import CARRIED, Advances
from schemas.tables.royalties import CONDITIONS, Costs, asked_about
from schemas.values.line_conditions import conditions_of, shown_word, word_of
from schemas.values.names import invoice_number, normal_reference
from schemas.wire import amount_from_cents

KEY = ["tax_id", "reference"]
PLACE = ["file", "sheet", "row"]
# What makes two rows say the same: a share twice would be paid twice, an advance twice recouped twice.
SAME_SHARE = [
    "tax_id",
    "isrc",
    "upc",
    "release",
    "artist",
    "role",
    "share_ppm",
    "valid_from",
    "valid_to",
    "base",
    "contract",
    "per_unit",
    "tier_from",
    "tier_to",
    "cap",
    "reserve_ppm",
    "given_back",
    *CONDITIONS,
]
SAME_ADVANCE = ["tax_id", "reference", "scope", "date"]  # and two guarantees
_NAMED: Final = 5
_Table = TypeVar("_Table", bound=TableModel)
# By what an asset without a share is called, the first that is there.
NAMES = ["isrc", "upc", "release", "title", "artist"]


_RATE_DAYS_AFTER: Final = dt.timedelta(days=10)


@dataclass(frozen=True, slots=True)
class _Finding:
    code: IssueCode
    file: str
    sheet: str
    row: int
    held: bool
    facts: Mapping[str, object]
    last_row: int = 0
    rows: int = 1

    def issue(self) -> Issue:
        place = {"file": self.file, "sheet": self.sheet or None, "row": self.row or None}
        return make_issue(self.code, **place, **self.facts)  # type: ignore[arg-type]


def cross_check(
    inputs: Inputs,
    job: Job,
    period: Period,
    repeated: Collection[str] = (),
    on_hold: Mapping[str, IssueCode] = MappingProxyType({}),
    rates_said: Collection[str] = (),
) -> Inputs:
    """Hold the tables against each other.

    Args:
        on_hold: Tax id -> why, of payees whose money people hold back.
        rates_said: Currencies whose rate somebody has said for this very period, whatever its day.

    Returns:
        The inputs with the issues added, rows that contradict each other taken out of the payments, and the rows that
        are held marked so.
    """
    first_day = period.start.isoformat()
    inputs, doubled = _hold_doubled_payments(inputs, repeated)
    inputs, shared_twice = _hold_doubled_shares(inputs)
    inputs, taxed_twice = _hold_doubled_taxes(inputs)
    inputs, invoiced_twice = _hold_doubled_invoices(inputs)
    inputs, opened_twice = _hold_doubled_opening(inputs)
    inputs = replace(inputs, advances=left_of_advances(inputs.advances, inputs.opening, period))
    inputs, advanced_twice = _hold_doubled_advances(inputs)
    inputs, taken_twice = _hold_doubled_costs(inputs)
    deals = Deals(inputs.shares, inputs.costs, inputs.shares_in_question, inputs.costs_in_question)
    new, _ = set_aside(inputs, repeated)
    totals = [statement.totals.by_platform for statement in new.statements]
    decided = [_Decided(sums, deals.decide(lines_of(sums), first_day)) for sums in totals]
    wrong = join_complaints(of.decisions.complaints for of in decided)
    doubled += [*shared_twice, *taken_twice, *taxed_twice, *invoiced_twice, *opened_twice, *advanced_twice]
    findings = [*doubled, *_unknown_payees(new, job), *_uncovered_lines(decided, job), *_wrong_groups(inputs, wrong)]
    findings += _without_rate(new)
    notices = [*_shut_out(decided), *_nearly_whole(wrong), *_rates_of_other_days(new, period, rates_said)]
    notices += [*_never_met(new), *_without_units(decided), *_on_hold(inputs, on_hold)]
    issues = tuple(finding.issue() for finding in (*_once(findings), *notices))
    return replace(inputs, issues=(*inputs.issues, *issues), rows=_marked(inputs.rows, findings))


def _hold_doubled_payments(inputs: Inputs, repeated: Collection[str]) -> tuple[Inputs, list[_Finding]]:
    """Two rows of one payee without distinct references are both held, also when they stand in different files."""
    payments = inputs.payments
    new = payments[~payments["file"].isin(list(repeated))]
    payment_keys = new[KEY].assign(reference=new["reference"].map(normal_reference))
    doubled = new[payment_keys.duplicated(keep=False)]
    if doubled.empty:
        return inputs, []
    findings = []
    for _, group in doubled.groupby([payment_keys[name] for name in KEY]):
        places = list(group[PLACE].itertuples(index=False, name=None))
        for (file, sheet, row), (other_file, _, other) in zip(places, [*places[1:], places[0]], strict=True):
            where = str(other) if other_file == file else f"{other} ({other_file})"
            findings.append(_Finding(IssueCode.ROW_DUPLICATE, file, sheet, row, held=True, facts={"other": where}))
    held = doubled[[*PLACE, "tax_id", *PERSON_NAMES]].assign(currency="", codes=IssueCode.ROW_DUPLICATE.value)
    amounts = [amount_from_cents(int(cents)) for cents in doubled["amount_cents"]]
    held["amount"] = pd.Series(amounts, index=held.index, dtype=object)
    sound = payments.drop(index=doubled.index).reset_index(drop=True)
    all_held = pd.concat([inputs.held_payments, held], ignore_index=True)
    return replace(inputs, payments=sound, held_payments=all_held), findings


def _hold_doubled_shares(inputs: Inputs) -> tuple[Inputs, list[_Finding]]:
    """Hold every later copy of a share; until it is taken out, what it is a share of is in question."""
    shares = inputs.shares
    first, later = _copies(shares, SAME_SHARE)
    held = shares.loc[later, [*ASSET_NAMES, "base"]].assign(asset_read=True)
    sound = shares[~later].reset_index(drop=True)
    asked = in_question([inputs.shares_in_question, held])
    return replace(inputs, shares=sound, shares_in_question=asked), _findings_of_copies(shares, first, later)


def _hold_doubled_costs(inputs: Inputs) -> tuple[Inputs, list[_Finding]]:
    """Hold every later copy of a cost; until it is taken out, what it is taken from is in question."""
    costs = inputs.costs
    first, later = _copies(costs, [name for name in names_of(Costs) if name not in PLACE])
    held = costs.loc[later, list(ASSET_NAMES)].assign(asset_read=True)
    sound = costs[~later].reset_index(drop=True)
    asked = in_question([inputs.costs_in_question, held])
    return replace(inputs, costs=sound, costs_in_question=asked), _findings_of_copies(costs, first, later)


def _hold_doubled_advances(inputs: Inputs) -> tuple[Inputs, list[_Finding]]:
    """Hold every later copy of an advance; until it is taken out, what its payee is owed is not known."""
    sound, findings, problems = list[DataFrame[Advances]](), list[_Finding](), dict(inputs.advance_problems)
    for rows in (inputs.advances, inputs.guarantees):
        first, later = _copies(rows, SAME_ADVANCE)
        problems = dict.fromkeys(rows.loc[later, "tax_id"].tolist(), IssueCode.ROW_DUPLICATE.value) | problems
        sound.append(rows[~later].reset_index(drop=True))
        findings += _findings_of_copies(rows, first, later)
    return replace(inputs, advances=sound[0], guarantees=sound[1], advance_problems=problems), findings


def _hold_doubled_taxes(inputs: Inputs) -> tuple[Inputs, list[_Finding]]:
    """Hold taxes of one payee and kind whose times overlap, in whatever files and under whatever document they are."""
    taxes = inputs.taxes
    times = taxes["valid_from"].tolist(), taxes["valid_to"].tolist()
    together = [rows for group in _alike(taxes, ["tax_id", "kind"]) for rows in overlapping(*times, group)]
    sound, problems, findings = _hold_groups(taxes, together)
    return replace(inputs, taxes=sound, tax_problems={**problems, **inputs.tax_problems}), findings


def _hold_doubled_opening(inputs: Inputs) -> tuple[Inputs, list[_Finding]]:
    """Hold opening balances that say one thing of one payee twice, in whatever files and under whatever document."""
    opening = inputs.opening
    columns = ["tax_id", "kind", "period", "reference", "scope", "date"]
    nothing = opening[columns].assign(reference="", scope="", date="")
    about = opening[columns].where(opening["kind"].ne(CARRIED), nothing)
    sound, problems, findings = _hold_groups(opening, _alike(about, columns))
    return replace(inputs, opening=sound, opening_problems={**problems, **inputs.opening_problems}), findings


def _hold_doubled_invoices(inputs: Inputs) -> tuple[Inputs, list[_Finding]]:
    """Hold invoices of one payee that bear one number, however written, in whatever files and under what document."""
    invoices = inputs.invoices
    numbers = map(invoice_number, invoices["number"], invoices["date"])
    named = invoices.assign(number=pd.Series(list(numbers), index=invoices.index, dtype="str"))
    sound, _, findings = _hold_groups(invoices, _alike(named, ["tax_id", "number"]))
    return replace(inputs, invoices=sound), findings


def _alike(rows: pd.DataFrame, columns: Sequence[str]) -> list[list[int]]:
    groups = defaultdict[tuple[object, ...], list[int]](list)
    for position, values in enumerate(zip(*(rows[name].tolist() for name in columns), strict=True)):
        groups[values].append(position)
    return [group for group in groups.values() if len(group) > 1]


def _hold_groups(
    rows: DataFrame[_Table], groups: Sequence[Sequence[int]]
) -> tuple[DataFrame[_Table], dict[str, str], list[_Finding]]:
    """Take groups of rows out that contradict each other; returns the others, whose they are, and what is told."""
    findings, places = list[_Finding](), rows[PLACE].to_numpy().tolist()
    for group in groups:
        for at, (file, sheet, row) in zip(group, [places[at] for at in group], strict=True):
            others = [places[other] for other in group if other != at]
            named = [str(other) if where == file else f"{other} ({where})" for where, _, other in others[:_NAMED]]
            facts = {"other": ", ".join(named)}
            findings.append(_Finding(IssueCode.ROW_DUPLICATE, file, sheet, row, held=True, facts=facts))
    held = [at for group in groups for at in group]
    problems = dict.fromkeys(rows["tax_id"].iloc[held].tolist(), IssueCode.ROW_DUPLICATE.value)
    return rows.drop(index=rows.index[held]).reset_index(drop=True), problems, findings


def _copies(rows: pd.DataFrame, same: list[str]) -> tuple["pd.Series[int]", "pd.Series[bool]"]:
    """Return the position of the first row that says the same as each row, and which rows are later ones."""
    positions = pd.Series(range(len(rows)), index=rows.index, dtype="int64")
    first = positions.groupby([rows[name] for name in same], sort=False).transform("min") if len(rows) else positions
    return first, first != positions


def _findings_of_copies(rows: pd.DataFrame, first: "pd.Series[int]", later: "pd.Series[bool]") -> list[_Finding]:
    findings = []
    places = rows[PLACE].to_numpy().tolist()
    for (file, sheet, row), of in zip(rows.loc[later, PLACE].to_numpy().tolist(), first[later].tolist(), strict=True):
        other_file, _, other = places[of]
        where = str(other) if other_file == file else f"{other} ({other_file})"
        findings.append(_Finding(IssueCode.ROW_DUPLICATE, file, sheet, row, held=True, facts={"other": where}))
    return findings


def _unknown_payees(inputs: Inputs, job: Job) -> list[_Finding]:
    known = set(inputs.payees["tax_id"].tolist()) | set(inputs.payee_problems)
    named: list[tuple[pd.DataFrame, bool]] = [
        (inputs.shares, False),
        (inputs.costs[inputs.costs["tax_id"] != ""], False),
    ]
    if job.payees is not None:
        payments = inputs.payments
        bare = (payments["pix_key"] == "") & (payments["account"] == "")
        named += [(inputs.advances, False), (inputs.guarantees, False), (payments[bare], True)]
    return [
        _Finding(IssueCode.TAXID_UNKNOWN_PAYEE, file, sheet, row, held=held, facts={})
        for rows, held in named
        for tax_id, file, sheet, row in zip(*(rows[name].tolist() for name in ("tax_id", *PLACE)), strict=True)
        if tax_id not in known
    ]


def _wrong_groups(inputs: Inputs, found: Complaints) -> list[_Finding]:
    """Groups of shares that are of more than there is, that take what a role has not, or that contradict each other."""
    file = inputs.shares["file"].iloc[0] if len(inputs.shares) else ""
    return [
        *(
            _Finding(IssueCode.PERCENT_SUM, file, "", 0, held=False, facts={"found": name, "sum": percent})
            for name, percent in sorted(found.overfull.items())
        ),
        *(
            _Finding(IssueCode.SHARE_ROLE, file, "", 0, held=False, facts={"found": name, "role": role})
            for name, role in sorted(found.baseless.items())
        ),
        *(
            _Finding(
                IssueCode.SHARE_CONDITIONS_CLASH, *places[0], held=False,
                facts={"found": name, "rows": Listed(tuple(str(row) for _, _, row in places))},
            )
            for name, places in sorted(found.clashing.items())
        ),
    ]  # fmt: skip


def _never_met(inputs: Inputs) -> list[_Finding]:
    """Shares and costs that ask for a word which no line of the period says; with the words that lines say there."""
    found, tables = list[_Finding](), (inputs.shares, inputs.costs)
    for column in (name for name in asked_about(tables) if name in CONDITIONS):
        texts = [statement.totals.by_platform[column].unique().tolist() for statement in inputs.statements]
        said = {word_of(column, text): text for text in chain.from_iterable(texts) if text}
        asking = [table.loc[table[column] != "", [*PLACE, column]] for table in tables if said]
        for file, sheet, row, text in chain.from_iterable(rows.itertuples(index=False, name=None) for rows in asking):
            (condition,) = conditions_of({column: text})
            missing = [shown_word(column, word) for word in sorted(condition.words - said.keys())]
            facts = {"found": Listed(tuple(missing)), "said": _first_names(sorted(said.values()))}
            if missing:
                found.append(_Finding(IssueCode.SHARE_NEVER_MET, file, sheet, row, held=False, facts=facts))
    return found


class _Decided(NamedTuple):
    """Sums of the lines of a statement, what decides of them, and what they are called."""

    totals: pd.DataFrame
    decisions: DecidedLines

    @property
    def names(self) -> pd.Series:
        """What the lines of each sum are called: the first of the things that they are of."""
        named = zip(*(self.totals[name].tolist() for name in LINE_IS_OF), strict=True)
        return pd.Series([next(filter(None, names), "") for names in named], dtype="str")


def _shut_out(decided: Iterable[_Decided]) -> list[_Finding]:
    """Shares of more whose payees get nothing of some lines, one finding each, with the first of what they lose."""
    lost = defaultdict[Place, dict[str, None]](dict)
    for of in decided:
        numbers, rows = of.decisions.shut_out
        if not len(rows):
            continue
        lines = pd.DataFrame({"number": of.decisions.of_lines, "name": of.names}).drop_duplicates()
        places = of.decisions.shares[PLACE].iloc[rows].assign(number=numbers)
        for *place, name in places.merge(lines, on="number")[[*PLACE, "name"]].itertuples(index=False, name=None):
            lost[place[0], place[1], place[2]].setdefault(name)
    code = IssueCode.SHARE_SHUT_OUT
    return [
        _Finding(code, file, sheet, row, held=False, facts={"found": _first_names(list(names))})
        for (file, sheet, row), names in sorted(lost.items())
    ]


def _without_units(decided: Iterable[_Decided]) -> list[_Finding]:
    """Lines of money and of no units, of which shares have money a unit: one finding for each file."""
    found = defaultdict[str, dict[str, None]](dict)
    for of in decided:
        statuses, others = of.decisions.statuses, of.decisions.others.items()
        asking = [at for at, decision in others if not statuses[at] and any(row.per_unit for row in decision.stated)]
        is_silent = (of.totals["units"] == 0) & (of.totals["amount"] != 0)
        silent = np.flatnonzero(is_silent.to_numpy(dtype=bool) & np.isin(of.decisions.of_lines, asking))
        for file, name in zip(of.totals["file"].iloc[silent], of.names.iloc[silent], strict=True):
            found[file].setdefault(name)
    code = IssueCode.SHARE_WITHOUT_UNITS
    return [
        _Finding(code, file, "", 0, held=False, facts={"found": _first_names(list(names))})
        for file, names in sorted(found.items())
    ]


def _first_names(names: Sequence[str]) -> Listed:
    more = len(names) - _NAMED
    return Listed((*names[:_NAMED], Message("error.more_assets", count=more)) if more > 0 else tuple(names))


def _nearly_whole(found: Complaints) -> list[_Finding]:
    """Groups of shares that miss the whole by a hair."""
    return [
        _Finding(IssueCode.SHARE_NEARLY_WHOLE, *place, held=False, facts={"found": name, "sum": percent})
        for name, (percent, place) in sorted(found.nearly_whole.items())
    ]


def _on_hold(inputs: Inputs, on_hold: Mapping[str, IssueCode]) -> list[_Finding]:
    rows = inputs.payees.loc[inputs.payees["tax_id"].isin(list(on_hold)), [*PLACE, "tax_id"]]
    return [
        _Finding(on_hold[tax_id], file, sheet, row, held=False, facts={})
        for file, sheet, row, tax_id in rows.itertuples(index=False, name=None)
    ]


def _without_rate(inputs: Inputs) -> list[_Finding]:
    found = set[tuple[str, str]]()
    for statement in inputs.statements:
        for frame in (statement.totals.by_platform, statement.held):
            pairs = frame[["file", "currency"]].drop_duplicates().itertuples(index=False, name=None)
            found |= {(file, currency) for file, currency in pairs if currency and currency not in statement.rates}
    code = IssueCode.CURRENCY_NO_RATE
    return [_Finding(code, file, "", 0, held=False, facts={"currency": c, "found": c}) for file, c in sorted(found)]


def _rates_of_other_days(inputs: Inputs, period: Period, said: Collection[str]) -> list[_Finding]:
    """Name the rates of no day of the period, nor of those just after it, in which money of it comes in."""
    last = period.end + _RATE_DAYS_AFTER
    found = dict[tuple[str, str, object], _Finding]()
    for statement in inputs.statements:
        of_currency = {quote.currency: quote for quote in statement.quotes}
        pairs = statement.totals.by_platform[["file", "currency"]].drop_duplicates()
        for file, currency in pairs.itertuples(index=False, name=None):
            quote = of_currency.get(currency)
            if quote is not None and currency not in said and not period.start <= quote.day <= last:
                facts = {"currency": currency, "found": quote.day, "rate": quote.rate}
                finding = _Finding(IssueCode.RATE_OUTSIDE_PERIOD, file, "", 0, held=False, facts=facts)
                found.setdefault((file, currency, quote.day), finding)
    return [found[key] for key in sorted(found, key=str)]


def _uncovered_lines(decided: Iterable[_Decided], job: Job) -> list[_Finding]:
    """Lines that no share covers, held unless the job gives them to the owner, and those silent on whose they are."""
    of_nobody = {
        UNMATCHED: (IssueCode.SHARE_UNMATCHED, job.rules.unmatched == "hold"),
        AMBIGUOUS: (IssueCode.SHARE_AMBIGUOUS, True),
        SILENT: (IssueCode.SHARE_LINE_SILENT, True),
    }
    return [
        finding
        for lines in decided
        for status, (code, held) in of_nobody.items()
        for finding in _lines_of_nobody(lines.totals[lines.decisions.are(status)], code, held=held)
    ]


def _lines_of_nobody(uncovered: pd.DataFrame, code: IssueCode, *, held: bool) -> Iterator[_Finding]:
    if uncovered.empty:
        return
    texts = zip(*(uncovered[name].tolist() for name in NAMES), strict=True)
    named = uncovered.assign(name=[next(filter(None, words), "") for words in texts])
    groups = named.groupby(["file", "sheet", "name"], as_index=False, dropna=False)
    scattered = groups.agg(row=("first_row", "min"), last=("last_row", "max"), lines=("lines", "sum"))
    counts = scattered.groupby(["file", "name"])["lines"].sum().to_dict()
    for file, sheet, name, row, last, count in scattered.sort_values(PLACE).itertuples(index=False, name=None):
        facts = {"found": name, "count": int(counts[file, name])}
        yield _Finding(code, file, sheet, row, held=held, facts=facts, last_row=last, rows=count)


def _once(findings: Iterable[_Finding]) -> list[_Finding]:
    """One issue an asset, at its first line: a person adds the missing share once."""
    seen, once = set[tuple[object, ...]](), []
    for finding in findings:
        asset = finding.facts.get("found")
        name = (finding.code, finding.file, asset or finding.row)
        if name not in seen:
            seen.add(name)
            once.append(finding)
    return once


def _marked(rows: DataFrame[RowRuns], findings: Iterable[_Finding]) -> DataFrame[RowRuns]:
    held = {
        (finding.file, finding.sheet, finding.row, finding.facts.get("found")): finding
        for finding in findings
        if finding.held
    }
    return move_rows(
        rows,
        [
            RowRun(
                *(rows.file, rows.sheet, rows.row, rows.last_row or rows.row, rows.rows),
                disposition="held",
                reasons=codes_json(rows.code.value),
            )
            for rows in held.values()
        ],
    )
