"""Reading every cell of a file into a draft, and what several cells of a row say together: a sign, a destination."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from schemas.issues import IssueCode
from schemas.layouts.layout import Layout, Sign
from schemas.raw_table import RawTable
from schemas.sheet_cells import CellKind
from schemas.tables.amounts import AmountColumn
from schemas.tables.cells import Cells, Column, ColumnKind, ColumnReading, Finding, Telling, unreadable
from schemas.tables.dates import NO_EVIDENCE, Evidence, dates
from schemas.tables.draft import Draft, Mask, label_of
from schemas.tables.excluded_rows import positions_under, rows_holding
from schemas.tables.readers import Convention, reader_factory
from schemas.values.bank_account import (
    check_account_digit,
    read_account_with_operation,
    read_agency_with_digit,
    with_digit,
)
from schemas.values.pix_key import document_type, read_pix_key
from schemas.values.reading import BLANKS, fold_word, says_nothing
from schemas.values.tax_id import read_tax_ids


def apply_sign(draft: Draft, raw: RawTable, sign: Sign, *, payable: bool) -> None:
    """Count the amounts of rows that say they went out below zero, whatever sign they bear.

    Args:
        draft: Rows as read, in the order of the file.
        raw: The file.
        sign: Which column says it, and how.
        payable: Whether the amounts are to be paid, and none of them may be below zero.
    """
    out = np.zeros(len(raw.cells), dtype=bool)
    for position in positions_under(raw, sign.column):
        out |= rows_holding(raw, position, sign.negative)
    amounts = draft.canonical["amount"]
    named = {found.position for found in draft.findings if found.code is IssueCode.AMOUNT_NOT_POSITIVE}
    for position in np.flatnonzero(np.isin(draft.rows, raw.cells.index.to_numpy()[out])).tolist():
        amount = amounts[position]
        if amount is None or not amount.value:
            continue
        amounts[position] = amount._replace(value=amount.value.copy_abs().copy_negate())
        if payable and position not in named:
            draft.findings.append(Finding(position, "amount", IssueCode.AMOUNT_NOT_POSITIVE))


_ACCOUNT_FIELDS = ("bank_code", "psp_id", "agency", "account", "account_type")

_WITHOUT_DIGIT = re.compile(r"(?:sem|s)o?(?:digito|dv)")

_BANK_OF_ZEROS = "001"  # Banco do Brasil, ISPB 00000000


def check_destinations(draft: Draft) -> None:
    """Check and complete the destination columns; a destination given partly is checked as given.

    Reads Pix keys by their stated type, names every missing field of an account, lets the payee's name stand in for the
    holder's, and clears account columns beside a Pix key, which alone decides. An ISPB may be missing: the service's
    list of institutions has it for the bank's code.
    """
    key, key_type = draft.given("pix_key"), draft.given("pix_key_type")
    account = draft.given("account")
    bank = np.logical_or.reduce([draft.given(name) for name in _ACCOUNT_FIELDS])
    draft.report(key & (account | draft.given("agency")), None, IssueCode.DESTINATION_CONFLICT)
    draft.report(key & ~key_type, "pix_key_type", IssueCode.PIX_TYPE_REQUIRED)
    draft.report(key_type & ~key, "pix_key", IssueCode.PIX_KEY_REQUIRED)
    if draft.payee_data_required:
        draft.report(~key & ~key_type & ~bank, None, IssueCode.DESTINATION_MISSING)
    _tell_documents_apart(draft, key & key_type)
    _read_pix_keys(draft, key & key_type)
    _read_by_bank(draft)
    _join_digits(draft, account)
    _complete_accounts(draft, account | (bank & ~key))
    _check_lone_zeros(draft)
    _check_account_digits(draft, account)
    for name in (*_ACCOUNT_FIELDS, "account_holder"):
        draft.canonical[name][key] = ""


def _tell_documents_apart(draft: Draft, typed: Mask) -> None:
    """Settle the type of keys that are stated to be a CPF or a CNPJ."""
    types = draft.canonical["pix_key_type"]
    for position in np.flatnonzero(typed & draft.sound("pix_key_type") & (types == "")).tolist():
        owner = draft.canonical["tax_id"][position] or ""
        types[position] = document_type(draft.texts["pix_key"][position], owner) or ""
        if not types[position]:
            draft.findings.append(Finding(position, "pix_key_type", IssueCode.PIX_TYPE_UNKNOWN))


def _read_pix_keys(draft: Draft, typed: Mask) -> None:
    readable = typed & draft.sound("pix_key_type") & draft.sound("pix_key")
    owners = np.where(draft.sound("tax_id"), draft.canonical["tax_id"], "")
    keys, types = draft.canonical["pix_key"], draft.canonical["pix_key_type"]
    for position in np.flatnonzero(readable).tolist():
        reading = read_pix_key(keys[position], types[position], owners[position])
        keys[position] = reading.value or ""
        if reading.code is not None:
            draft.findings.append(Finding(position, "pix_key", reading.code))


def _read_by_bank(draft: Draft) -> None:
    """Read agencies with a check digit, and accounts behind an operation, where the bank's own rule proves them."""
    banks, agencies = (draft.canonical[name] for name in ("bank_code", "agency"))
    for column, wrong, told in (
        ("agency", IssueCode.AGENCY_FORMAT, IssueCode.AGENCY_DIGIT),
        ("account", IssueCode.ACCOUNT_FORMAT, IssueCode.ACCOUNT_OPERATION),
    ):
        for at, found in enumerate(draft.findings):
            if (found.column, found.code) != (column, wrong):
                continue
            text, bank = draft.texts[column][found.position], banks[found.position]
            if column == "agency":
                value = read_agency_with_digit(text, bank)
            else:
                value = read_account_with_operation(text, bank, agencies[found.position])
            if value:
                draft.canonical[column][found.position] = value
                draft.findings[at] = Finding(found.position, column, told)


def _join_digits(draft: Draft, account: Mask) -> None:
    """Join accounts and the check digits of a column of their own; hold those that are without one, or have two."""
    says_without = _WITHOUT_DIGIT.search(fold_word(draft.labels["account"])) is not None
    if not says_without and not draft.given("account_digit").any():
        return
    wrong = "account_digit" if "account_digit" in draft.evidence else "account"
    joinable = account & draft.sound("account") & draft.sound("account_digit")
    columns = [draft.canonical[name] for name in ("account", "account_digit", "bank_code", "agency")]
    for position in np.flatnonzero(joinable).tolist():
        account_number, digit, bank, agency = (column[position] for column in columns)
        whole = with_digit(draft.texts["account"][position], account_number, digit, bank, agency)
        if whole is None:
            draft.findings.append(Finding(position, wrong, IssueCode.ACCOUNT_DIGIT_FORMAT))
        else:
            columns[0][position] = whole


def _complete_accounts(draft: Draft, with_account: Mask) -> None:
    by_code = with_account & ~draft.given("psp_id")
    draft.report(by_code & draft.given("bank_code") & draft.sound("bank_code"), "psp_id", IssueCode.BANK_PSP_LISTED)
    for name in _ACCOUNT_FIELDS:
        if name == "psp_id":
            continue
        missing = with_account & ~draft.given(name)
        draft.report(missing, name, IssueCode.BANK_FIELD_REQUIRED, missing=draft.labels[name])
    holders = draft.canonical["account_holder"]
    defaulted = with_account & ~draft.given("account_holder")
    holders[defaulted] = draft.canonical["name"][defaulted]
    nameless = defaulted & ~draft.given("name")
    if draft.payee_data_required:
        draft.report(nameless, "account_holder", IssueCode.BANK_FIELD_REQUIRED, missing=draft.labels["account_holder"])


def _check_lone_zeros(draft: Draft) -> None:
    """Refuse an account's ISPB of fewer than eight zeros where its bank's code is another's: 0 may mean none."""
    texts = draft.texts["psp_id"]
    lone = draft.given("psp_id") & np.array([len(text) < 8 and not text.strip("0.") for text in texts], dtype=bool)
    another = ~draft.given("pix_key") & (draft.canonical["bank_code"] != _BANK_OF_ZEROS)
    draft.report(lone & another, "psp_id", IssueCode.BANK_PSP)


def _check_account_digits(draft: Draft, with_account: Mask) -> None:
    needed = ("bank_code", "agency", "account")
    whole = with_account & np.logical_and.reduce([draft.given(name) & draft.sound(name) for name in needed])
    banks, agencies, accounts = (draft.canonical[name] for name in needed)
    for position in np.flatnonzero(whole).tolist():
        if check_account_digit(banks[position], agencies[position], accounts[position]) is False:
            draft.findings.append(Finding(position, "account", IssueCode.ACCOUNT_DIGIT))


def require_names(draft: Draft) -> None:
    """Require the payee's name where rows must bring the payee's own data."""
    if draft.payee_data_required:
        draft.report(~draft.given("name") & draft.sound("name"), "name", IssueCode.NAME_REQUIRED)


def read_draft(  # all of it is one file's
    raw: RawTable,
    layout: Layout,
    positions: Mapping[str, int],
    wanted: Mask,
    columns: tuple[Column, ...],
    *,
    payee_data_required: bool,
    evidence: Evidence = NO_EVIDENCE,
) -> Draft:
    """Read the wanted rows of a file, each column by its kind.

    Args:
        raw: The file as text.
        layout: How its sender lays it out.
        positions: Canonical column -> position in the file.
        wanted: Which rows; misshapen ones are left out besides.
        columns: The table's declaration; a column the file lacks is read as empty, without a finding.
        payee_data_required: See `schemas.tables.parsing.parse_table`.
        evidence: What other blocks of the file prove.
    """
    wanted = wanted & ~raw.cells.index.isin(list(raw.misshapen_rows)) if raw.misshapen_rows else wanted
    rows = raw.cells.index.to_numpy(dtype=np.int64)[wanted]
    labels = {
        column.name: raw.headers[at] if at < len(raw.headers) else label_of(layout, column.name)
        for column in columns
        for at in [positions.get(column.name, len(raw.headers))]
    }
    draft = Draft(rows, labels, layout.currency or "", payee_data_required)
    zeros = _zeros_by_column(raw)
    convention = _convention(raw, layout, positions, wanted, evidence)
    days = _days_told(raw, positions, wanted, columns) if layout.dates == "auto" else ()
    for column in columns:
        reading = None
        if column.name in positions:
            position = positions[column.name]
            texts = raw.cells[position][wanted].reset_index(drop=True)
            kinds = raw.kinds_of(position)[wanted]
            digits = zeros.get(position, {}) if column.kind in _WITH_ZEROS else {}
            padded = _padded(texts.tolist(), kinds == CellKind.NUMBER, rows, digits) if digits else {}
            texts[list(padded)] = list(padded.values())
            if layout.table != "royalty_lines":  # there, a dash may be a title
                draft.said_nothing[column.name] = _blank_nothing(texts, column)
            cells = Cells(column.name, texts, kinds)
            known = (*evidence.of(column.name), *days) if column.kind in _DAYS else evidence.of(column.name)
            reading = _read_column(cells, column, convention, known)
            draft.evidence[column.name] = reading.telling
            draft.texts[column.name] = cells.stripped()
            draft.findings += reading.findings
            draft.report(texts.index.isin(list(padded)) & draft.sound(column.name), column.name, IssueCode.ZEROS_SHOWN)
            if reading.decision:
                draft.decisions[column.name] = reading.decision
        draft.canonical[column.name] = reading.canonical if reading else filled(len(rows), column.absent)
        draft.texts.setdefault(column.name, filled(len(rows), ""))
    return draft


def _convention(
    raw: RawTable, layout: Layout, positions: Mapping[str, int], wanted: Mask, evidence: Evidence
) -> Convention:
    """Return what the layout says of numbers and dates; nothing of dates where the file was saved again elsewhere."""
    said = Convention(layout.decimal, layout.currency or "BRL", layout.dates)
    if layout.decimal == "auto" or layout.dates == "auto" or "amount" not in positions:
        return said
    position = positions["amount"]
    cells = Cells("amount", raw.cells[position][wanted], raw.kinds_of(position)[wanted])
    amounts = AmountColumn([*evidence.of("amount"), *cells.distinct], layout.decimal, scientific=True)
    return replace(said, dates="auto") if amounts.saved_again else said


_DAYS: Final = frozenset({ColumnKind.DATE, ColumnKind.PERIOD})


def _days_told(
    raw: RawTable, positions: Mapping[str, int], wanted: Mask, columns: tuple[Column, ...]
) -> tuple[tuple[str, CellKind], ...]:
    """Return cells that prove whether the day or the month comes first, in any column: one hand wrote them all."""
    told: list[tuple[str, CellKind]] = []
    for column in columns:
        if column.kind in _DAYS and column.name in positions:
            position = positions[column.name]
            cells = Cells(column.name, raw.cells[position][wanted], raw.kinds_of(position)[wanted])
            told += dates(cells.distinct, "auto").telling
    return tuple(told)


# Artists and albums are called "NA", "Nada", "Sem".
_NAMED: Final = frozenset({"artist", "artist_name", "release"})


def _blank_nothing(texts: "pd.Series[str]", column: Column) -> Mask:
    """Blank the cells of a column in which a word or a dash stands for nothing, and return which."""
    is_name = column.kind is ColumnKind.NAME or column.name in _NAMED
    words = [text for text in texts.unique() if says_nothing(text.strip(BLANKS), is_name=is_name)]
    blanked = texts.isin(words).to_numpy(dtype=bool)
    texts[blanked] = ""
    return blanked


# A tax id is a CPF or a CNPJ with all its digits; numbers of other columns mean the same without zeros before them.
_WITH_ZEROS: Final = frozenset({ColumnKind.TAX_ID, ColumnKind.PIX_KEY})
_WHOLE_TAX_IDS: Final = frozenset({11, 14})


def _zeros_by_column(raw: RawTable) -> Mapping[int, Mapping[int, int]]:
    """Return position -> physical row -> how many digits the sheet shows there, where it shows a whole tax id."""
    found = defaultdict[int, dict[int, int]](dict)
    for row, position, digits in raw.oddities.zeros:
        if digits in _WHOLE_TAX_IDS:
            found[position][row] = digits
    return found


def _padded(
    texts: Sequence[str], numbers: Mask, rows: npt.NDArray[np.int64], digits: Mapping[int, int]
) -> dict[int, str]:
    """Return which numbers of a column the sheet shows with zeros before them, and what it shows, by their position."""
    shown = {at: texts[at].zfill(digits.get(rows[at], 0)) for at in np.flatnonzero(numbers).tolist()}
    return {at: text for at, text in shown.items() if text != texts[at]}


def filled(count: int, value: object) -> npt.NDArray[Any]:
    """Return an array of objects that are all the same."""
    filled = np.empty(count, dtype=object)
    filled[:] = value
    return filled


def _read_column(cells: Cells, column: Column, convention: Convention, known: Telling) -> ColumnReading:
    required = IssueCode.CELL_REQUIRED if column.required else None
    if column.kind is not ColumnKind.TAX_ID:
        factory = reader_factory(column.kind, convention)
        return cells.read(lambda distinct: factory([*known, *distinct]), absent=column.absent, required=required)
    read = read_tax_ids(cells.texts)
    findings = []
    suspects = np.union1d(
        np.array(sorted(read.readings), dtype=np.int64), np.flatnonzero(read.tax_ids.to_numpy(dtype=object) == "")
    )
    texts = cells.stripped()
    for position in suspects.tolist():
        kind = CellKind(int(cells.kinds[position]))
        reading = unreadable(texts[position], kind) or read.readings.get(position)
        code = reading.code if reading else required
        if code is not None:
            findings.append(Finding(position, column.name, code, reading.facts if reading else {}))
    return ColumnReading(read.tax_ids.to_numpy(dtype=object, copy=True), findings)


def report_misshapen(draft: Draft, raw: RawTable, lines: Mask) -> None:
    """Add lines with too many or too few fields: their cells were not read, since none is sure of its column."""
    rows = raw.cells.index[lines]
    extra = np.array([row for row in raw.misshapen_rows if row in rows], dtype=np.int64)
    first = len(draft.rows)
    draft.rows = np.concatenate([draft.rows, extra])
    for name, values in draft.canonical.items():
        absent = None if name == "amount" else ""
        draft.canonical[name] = np.concatenate([values, filled(len(extra), absent)])
    facts = {"expected": len(raw.headers)}
    draft.findings += [Finding(first + n, None, IssueCode.ROW_WIDTH, facts) for n in range(len(extra))]
