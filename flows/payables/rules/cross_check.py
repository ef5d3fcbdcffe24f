"""Checks between tables: every payee is known, every line has a share, no payment stands twice."""

import datetime as dt
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from itertools import chain
from types import MappingProxyType
from typing import Final, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
import pandas as pd

from flows.intake.rules.inputs import EXACT, Inputs, Statement, in_question, left_of_advances
from flows.payables.rules.left_out import set_aside
from flows.royalties.rules.assets import LEVELS, Asset, Place, day_of
from flows.royalties.rules.costs import CostBook
from flows.royalties.rules.plain_shares import NOT_PLAIN, OF_NOBODY
from flows.royalties.rules.share_book import AMBIGUOUS, SILENT, ShareBook, ShareOf
from schemas.corrections import MissingShare, MissingShares
from schemas.issues import Issue, IssueCode, make_issue
from schemas.job import Job, Period
from schemas.layouts.layout import fold
from schemas.messages import Listed, Message
from schemas.parsing.row_accounting import ASSET_NAMES, PERSON_NAMES, RowRun, RowRuns, move_rows
from schemas.parsing.row_rules import overlapping
from schemas.reasons import codes_json
from schemas.tables.model import DataFrame, TableModel, names_of
from schemas.tables.payees import CARRIED, Advances
from schemas.tables.royalties import CONDITIONS, UNREAD_UPC, Costs, Shares, asked_about
from schemas.values.line_conditions import conditions_of, shown_word, word_of
from schemas.values.names import invoice_number, normal_reference
from schemas.wire import amount_from_cents

KEY = ["tax_id", "reference"]
PLACE = ["file", "sheet", "row"]
ASSET = [*Asset._fields, "period"]
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
    costs = CostBook(inputs.costs, inputs.costs_in_question)
    book = ShareBook(inputs.shares, inputs.shares_in_question, costs)
    new, _ = set_aside(inputs, repeated)
    uncovered = _uncovered_lines(new, book, job, first_day)
    doubled += [*shared_twice, *taken_twice, *taxed_twice, *invoiced_twice, *opened_twice, *advanced_twice]
    findings = [*doubled, *_unknown_payees(new, job), *uncovered, *_overfull(inputs, book), *_without_rate(new)]
    notices = [*_shut_out(new, book, first_day), *_nearly_whole(book), *_rates_of_other_days(new, period, rates_said)]
    notices += [*_never_met(new), *_without_units(new, book, first_day), *_on_hold(inputs, on_hold)]
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
    held = shares.loc[later, list(ASSET_NAMES)].assign(asset_read=True)
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


def _overfull(inputs: Inputs, book: ShareBook) -> list[_Finding]:
    """Assets of which more is shared out than there is; found while the lines were held against the shares."""
    return [
        _Finding(
            IssueCode.PERCENT_SUM, inputs.shares["file"].iloc[0], "", 0, held=False, facts={"found": name, "sum": s}
        )
        for name, s in sorted(book.overfull.items())
    ] + [
        _Finding(
            IssueCode.SHARE_ROLE, inputs.shares["file"].iloc[0], "", 0, held=False, facts={"found": name, "role": role}
        )
        for name, role in sorted(book.baseless.items())
    ] + [
        _Finding(
            IssueCode.SHARE_CONDITIONS_CLASH, file, sheet, row, held=False,
            facts={"found": name, "rows": Listed(tuple(str(row) for _, _, row in places))},
        )
        for name, places in sorted(book.clashing.items())
        for file, sheet, row in places[:1]
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


def _shut_out(inputs: Inputs, book: ShareBook, first_day: str) -> list[_Finding]:
    """Shares of more whose payees get nothing of some lines, one finding each, with the first of what they lose."""
    lost = dict[Place, dict[str, None]]()
    if not book.has_wider_groups:
        return []
    for statement in inputs.statements:
        assets = statement.totals.by_platform[ASSET].drop_duplicates()
        for *names, period in zip(*(assets[name].tolist() for name in ASSET), strict=True):
            for place in book.shut_out(Asset(*names), day_of(period, first_day)):
                lost.setdefault(place, {}).setdefault(next(filter(None, names), ""))
    return [
        _Finding(
            IssueCode.SHARE_SHUT_OUT, file, sheet, row, held=False,
            facts={"found": _first_names(list(names))},
        )
        for (file, sheet, row), names in sorted(lost.items())
    ]  # fmt: skip


def _without_units(inputs: Inputs, book: ShareBook, first_day: str) -> list[_Finding]:
    """Lines of money and of no units, of which shares have money a unit: one finding for each file."""
    if not (inputs.shares["per_unit"] != "").any():
        return []
    found = dict[str, dict[str, None]]()
    for statement in inputs.statements:
        totals = statement.totals.by_platform
        silent = totals.loc[(totals["units"] == 0) & (totals["amount"] != 0), ["file", *ASSET]].drop_duplicates()
        for file, *names, period in silent.itertuples(index=False, name=None):
            if any(share.per_unit for share in book.covering(Asset(*names), day_of(period, first_day))):
                found.setdefault(file, {}).setdefault(next(filter(None, names), ""))
    code = IssueCode.SHARE_WITHOUT_UNITS
    return [
        _Finding(code, file, "", 0, held=False, facts={"found": _first_names(list(names))})
        for file, names in sorted(found.items())
    ]


def _first_names(names: Sequence[str]) -> Listed:
    more = len(names) - _NAMED
    return Listed((*names[:_NAMED], Message("error.more_assets", count=more)) if more > 0 else tuple(names))


def _nearly_whole(book: ShareBook) -> list[_Finding]:
    """Groups of shares that miss the whole by a hair; found while the lines were held against the shares."""
    return [
        _Finding(IssueCode.SHARE_NEARLY_WHOLE, *place, held=False, facts={"found": name, "sum": percent})
        for name, (percent, place) in sorted(book.nearly_whole.items())
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


def _uncovered_lines(inputs: Inputs, book: ShareBook, job: Job, first_day: str) -> list[_Finding]:
    """Lines that no share covers, held unless the job gives them to the owner, and those silent on whose they are."""
    of_nobody: dict[tuple[ShareOf, ...], tuple[IssueCode, bool]] = {
        (): (IssueCode.SHARE_UNMATCHED, job.rules.unmatched == "hold"),
        (AMBIGUOUS,): (IssueCode.SHARE_AMBIGUOUS, True),
        (SILENT,): (IssueCode.SHARE_LINE_SILENT, True),
    }
    return [
        finding
        for statement in inputs.statements
        for finding in _lines_of_nobody(statement.totals.by_platform, of_nobody, book, first_day)
    ]


def _told_apart(totals: pd.DataFrame, book: ShareBook) -> tuple[npt.NDArray[np.int64], pd.DataFrame]:
    """Number lines by what tells which shares are theirs; returns the numbers too, with one line of each."""
    columns = list(book.columns)
    numbers = totals.groupby(columns, sort=False).ngroup() if columns else pd.Series(0, index=totals.index)
    return np.asarray(numbers, dtype=np.int64), totals.loc[~numbers.duplicated(), ASSET]


def _covering(assets: pd.DataFrame, book: ShareBook, first_day: str) -> list[tuple[ShareOf, ...] | None]:
    """Return the shares of each line; None for those of a group of percentages alone."""
    named = {name: assets[name].tolist() for name in Asset._fields}
    days = [day_of(period, first_day) for period in assets["period"].tolist()]
    groups = book.plain_groups(named, days)
    found: list[tuple[ShareOf, ...] | None] = [() if group == OF_NOBODY else None for group in groups.tolist()]
    for at in np.flatnonzero(groups == NOT_PLAIN).tolist():
        found[at] = book.covering(Asset(*(texts[at] for texts in named.values())), days[at])
    return found


def _lines_of_nobody(
    totals: pd.DataFrame,
    of_nobody: Mapping[tuple[ShareOf, ...], tuple[IssueCode, bool]],
    book: ShareBook,
    first_day: str,
) -> Iterator[_Finding]:
    numbers, assets = _told_apart(totals, book)
    covering = _covering(assets, book, first_day)
    for shares, (code, held) in of_nobody.items():
        bare = [number for number, found in enumerate(covering) if found == shares]
        if not bare:
            continue
        uncovered = totals[np.isin(numbers, bare)]
        texts = zip(*(uncovered[name].tolist() for name in NAMES), strict=True)
        named = uncovered.assign(name=[next(filter(None, words), "") for words in texts])
        groups = named.groupby(["file", "sheet", "name"], as_index=False, dropna=False)
        scattered = groups.agg(row=("first_row", "min"), last=("last_row", "max"), lines=("lines", "sum"))
        counts = scattered.groupby(["file", "name"])["lines"].sum().to_dict()
        for file, sheet, name, row, last, lines in scattered.sort_values(PLACE).itertuples(index=False, name=None):
            facts = {"found": name, "count": int(counts[file, name])}
            found = _Finding(code, file, sheet, row, held=held, facts=facts)
            yield replace(found, last_row=last, rows=lines)


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


_COLUMNS: Final = (*Asset._fields, "title", "period", "currency", "amount", "lines")


class _Line(NamedTuple):
    isrc: str
    upc: str
    release: str
    artist: str
    territory: str
    income: str
    platform: str
    format: str
    price: str
    title: str
    period: str
    currency: str
    amount: Decimal
    lines: int

    @property
    def asset(self) -> Asset:
        return Asset._make(self[: len(Asset._fields)])


@dataclass(slots=True)
class _Group:
    """Lines that one share would cover; shown by the names of the largest of them."""

    level: str
    periods: set[str] = field(default_factory=set)
    lines: int = 0
    amount: Decimal | None = Decimal(0)
    shown: tuple[Decimal, tuple[str, ...]] = (Decimal(-1), ())

    def add(self, line: _Line, rate: Decimal | None) -> None:
        self.periods.add(line.period)
        self.lines += line.lines
        worth = None if rate is None else EXACT.multiply(line.amount, rate)
        self.amount = None if self.amount is None or worth is None else EXACT.add(self.amount, worth)
        self.shown = max(self.shown, (abs(line.amount), (line.isrc, line.upc, line.release, line.artist, line.title)))

    def missing(self) -> MissingShare:
        names = dict(zip((*LEVELS, "title"), self.shown[1], strict=True))
        names["upc"] = names["upc"].replace(UNREAD_UPC, "")
        for level in LEVELS:
            if level == self.level:
                break
            names[level] = ""  # a share by it would take lines from others
        return MissingShare(**names, periods=tuple(sorted(self.periods)), lines=self.lines, amount=self.amount)


def codes_of_titles(statements: Iterable[Statement]) -> Mapping[tuple[str, str], str]:
    """Return title and artist, as people compare them -> the one ISRC that statements have; "" for any artist's."""
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for statement in statements:
        named = statement.totals.by_platform[["title", "artist", "isrc"]].drop_duplicates()
        for title, artist, isrc in named[(named["title"] != "") & (named["isrc"] != "")].itertuples(index=False):
            found[fold(title), fold(artist)].add(isrc)
            found[fold(title), ""].add(isrc)
    return {name: isrcs.pop() for name, isrcs in found.items() if len(isrcs) == 1}


def list_missing_shares(
    statements: Iterable[Statement],
    shares: DataFrame[Shares],
    in_question: pd.DataFrame | None = None,
    *,
    first_day: str,
    currency: str,
) -> MissingShares:
    """List what no share covers, so that a person can add every missing share in one go.

    A row stands for one ISRC; without an ISRC for one UPC, then release, then artist. Where lines of the same ISRC are
    covered by a wider share already, the row stands for the UPC instead, and so on: a share by ISRC would take those
    lines away from whom they belong to.

    Args:
        first_day: First day of the job's period (ISO), for lines that do not say their own.
    """
    statements, book = tuple(statements), ShareBook(shares, in_question)
    if all(_is_covered(statement.totals.by_platform, book, first_day) for statement in statements):
        return MissingShares(currency, (), ())
    lines = [
        (line, statement.rates.get(line.currency))
        for statement in statements
        for line in _lines(statement.totals.by_platform)
    ]
    covered = [(line, bool(book.covering(line.asset, day_of(line.period, first_day)))) for line, _ in lines]
    taken = _taken(book, (line for line, is_covered in covered if is_covered), first_day)
    groups: dict[tuple[str, str], _Group] = {}
    for (line, rate), (_, is_covered) in zip(lines, covered, strict=True):
        if not is_covered:
            level, name = _name_for(line, taken)
            groups.setdefault((level, name), _Group(level)).add(line, rate)
    missing = {name: group.missing() for name, group in groups.items()}
    named = [share for (level, _), share in missing.items() if level]
    nameless = [share for (level, _), share in missing.items() if not level]
    return MissingShares(currency, _largest_first(named), _largest_first(nameless))


def _is_covered(totals: pd.DataFrame, book: ShareBook, first_day: str) -> bool:
    """Tell whether shares cover all lines."""
    return () not in _covering(_told_apart(totals, book)[1], book, first_day)


def _lines(frame: pd.DataFrame) -> Iterator[_Line]:
    columns = [frame[name].tolist() for name in _COLUMNS]
    for values in zip(*columns, strict=True):
        line = _Line(*values)
        yield line._replace(amount=Decimal(line.amount), lines=int(line.lines))


def _names(asset: Asset) -> Iterator[tuple[str, str]]:
    for level in LEVELS:
        if (text := " ".join(getattr(asset, level).casefold().split())) and text != UNREAD_UPC:
            yield level, text


def _taken(book: ShareBook, covered: Iterable[_Line], first_day: str) -> set[tuple[str, str]]:
    taken = set[tuple[str, str]]()
    for asset, day in {(line.asset, day_of(line.period, first_day)) for line in covered}:
        for level, name in _names(asset):
            nothing = asset._replace(**dict.fromkeys(LEVELS, ""))
            alone = nothing._replace(**{level: getattr(asset, level)})
            if book.covering(alone, day) != book.covering(nothing, day):
                break
            taken.add((level, name))
    return taken


def _name_for(line: _Line, taken: set[tuple[str, str]]) -> tuple[str, str]:
    """Choose what a missing share should be of; ("", title) for a line that only the whole catalogue has."""
    names = list(_names(line.asset))
    free = (name for name in names if name not in taken)
    return next(free, names[0] if names else ("", line.title))


def _largest_first(missing: Iterable[MissingShare]) -> tuple[MissingShare, ...]:
    def order(share: MissingShare) -> tuple[Decimal, tuple[str, ...]]:
        return -abs(share.amount or Decimal(0)), (share.isrc, share.upc, share.release, share.artist, share.title)

    return tuple(sorted(missing, key=order))
