"""Rules of single tables: which rows of a table contradict themselves or each other, and are held."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any, Final

import numpy as np

from schemas.issues import IssueCode, Severity
from schemas.parsing.amounts import PER_UNIT, ExactAmount, price_text, releases
from schemas.parsing.cells import CellFinding
from schemas.parsing.destinations import check_destinations, flag_shared_keys, hold_two_names, require_names
from schemas.parsing.typed_table import Mask, Rule, TypedTable, read_each
from schemas.plan import HOME_CURRENCY
from schemas.tables.model import ISO_DAY, ColumnKind, columns_of
from schemas.tables.payees import CARRIED, GUARANTEE, PAID, TO_RECOUP, USUAL_MINIMUM, Payees
from schemas.tables.recoup_scope import NAMED, scope_of
from schemas.tables.royalties import CONDITIONS, OF_PART, ON_TOP, UNREAD_UPC
from schemas.values.line_conditions import read_condition
from schemas.values.millionths import WHOLE, read_millionths
from schemas.values.names import invoice_number, normal_reference
from schemas.values.reading import fold_word
from schemas.values.tier_bounds import RETROACTIVE, read_bound
from schemas.words import vocabulary


def _each_other(table: TypedTable, positions: Iterable[int], code: IssueCode) -> Iterator[CellFinding]:
    together = list(positions)
    for position in together:
        yield CellFinding(position, None, code, {"other": table.row_list(together, but=position)})


def _hold_repeated(table: TypedTable, groups: Iterable[Iterable[int]]) -> TypedTable:
    return table.add(found for positions in groups for found in _each_other(table, positions, IssueCode.ROW_DUPLICATE))


# What people write of a payee's terms, folded.
_WORDS: Final = vocabulary("rows")


def _by_word(words: Mapping[str, Sequence[str]]) -> dict[str, str]:
    return {word: meaning for meaning, written in words.items() for word in written}


_TERM_WORDS: Final = {column: _by_word(words) for column, words in _WORDS["terms"].items()}
_NAMES = frozenset(column.name for column in columns_of(Payees) if column.kind is ColumnKind.NAME)


def settle_identities(table: TypedTable) -> TypedTable:
    """Use the first of equal rows; hold all rows of a payee who is described in two ways.

    Names are compared as people read them: capitals, accents and how a keyboard composes them make nobody another.
    """
    findings: list[CellFinding] = []
    ignored: dict[int, str] = {}
    for positions in table.groups("tax_id"):
        described = {
            tuple(
                fold_word(values[position]) if column in _NAMES else values[position]
                for column, values in table.canonical.items()
            )
            for position in positions
        }
        if len(described) > 1:
            findings += _each_other(table, positions, IssueCode.IDENTITY_CONFLICT)
            continue
        facts = {"other": table.row_list(positions[:1])}
        for position in positions[1:]:
            findings.append(CellFinding(position, None, IssueCode.ROW_DUPLICATE, facts, severity=Severity.WARNING))
            ignored[position] = "duplicate"
    return replace(table, ignored=ignored).add(findings)


def read_terms(table: TypedTable) -> TypedTable:
    """Read the terms of each payee's royalties; a word that is none of a term's holds the payee."""
    usual = ExactAmount(Decimal(USUAL_MINIMUM).scaleb(-2), "")
    minimum = (amount or usual for amount in table.canonical["minimum"])
    table = table.assign(minimum=np.fromiter(minimum, dtype=object))
    for column, words in _TERM_WORDS.items():
        written = table.canonical[column]
        folded = read_each(written, fold_word)
        known = np.array([word in words or not text for word, text in zip(folded, written, strict=True)], dtype=bool)
        read = np.array([words.get(word, "") for word in folded], dtype=object)
        table = table.flag(~known & table.sound(column), column, IssueCode.TERM_UNKNOWN).assign(**{column: read})
    return table


def hold_moves_in_question(table: TypedTable) -> TypedTable:
    """Hold payees of whom one is named to have been another who is a payee, too, or whom two are named to have been."""
    own, before = table.canonical["tax_id"], table.canonical["previous_tax_id"]
    own_rows = {tax_id: position for position, tax_id in enumerate(own) if tax_id}
    pairs = [(position, own_rows[tax_id]) for position, tax_id in enumerate(before) if tax_id and tax_id in own_rows]
    for first, *others in table.groups("previous_tax_id"):
        pairs += [(first, other) for other in others if own[first] != own[other]]
    findings: list[CellFinding] = []
    for position, other in pairs:
        for held, named in {position: other, other: position}.items():
            facts = {"other": table.row_list([named])}
            findings.append(CellFinding(held, None, IssueCode.IDENTITY_CONFLICT, facts))
    return table.add(findings)


def hold_repeated_payments(table: TypedTable) -> TypedTable:
    """Hold every row of a payee whose references do not tell them apart: which one is meant is not ours to say."""
    return _hold_repeated(table, table.groups("tax_id", "reference", form=normal_reference))


def hold_beside_negative(table: TypedTable) -> TypedTable:
    """Hold what a payee would get of whom another row is below zero: whether that is taken off is not ours to say."""
    amounts = table.canonical["amount"]
    found = list[CellFinding]()
    for positions in table.groups("tax_id"):
        below = [at for at in positions if amounts[at] is not None and amounts[at].value < 0]
        if below:
            facts = {"other": table.row_list(below)}
            held = (at for at in positions if at not in below)
            found += [CellFinding(at, None, IssueCode.ROW_BESIDE_NEGATIVE, facts) for at in held]
    return table.add(found)


def hold_other_currencies(table: TypedTable) -> TypedTable:
    currencies, expected = table.canonical["currency"], table.currency or HOME_CURRENCY
    other = table.given("currency") & table.sound("currency") & np.asarray(currencies != expected, dtype=bool)
    table = table.assign(currency=np.where(other, currencies, table.currency))
    return table.add(
        CellFinding(
            position, "currency", IssueCode.AMOUNT_CURRENCY, {"found": currencies[position], "expected": expected}
        )
        for position in np.flatnonzero(other).tolist()
    )


_ON_TOP_WORDS: Final = frozenset(_WORDS["on_top"])
_OUT_OF: Final = re.compile(r"(?:da parte d[eoa]s?|out of|de la parte de)\s+(\S.*)", re.IGNORECASE)
_OF_THE_PART: Final = re.compile(r"(?:sobre a parte d[eoa]s?|of the part of|sobre la parte de)\s+(\S.*)", re.IGNORECASE)


def check_validity(table: TypedTable) -> TypedTable:
    first, last = table.canonical["valid_from"], table.canonical["valid_to"]
    reversed_ = np.array([bool(f and t and t < f) for f, t in zip(first, last, strict=True)], dtype=bool)
    return table.flag(reversed_, "valid_to", IssueCode.DATE_ORDER)


def read_bases(table: TypedTable) -> TypedTable:
    """Read what each share is taken from: "por fora", "da parte de artista", or "sobre a parte de artista"."""
    bases = [_base_of(text) for text in table.canonical["base"]]
    unknown = np.array([base is None for base in bases], dtype=bool)
    table = table.flag(unknown & table.sound("base"), "base", IssueCode.SHARE_BASE)
    return table.assign(base=np.array([base or "" for base in bases], dtype=object))


def _base_of(text: str) -> str | None:
    """Return the base that a cell says; None for words that say none.

    >>> _base_of("Por fora"), _base_of("da parte do Artista"), _base_of("out of artist"), _base_of("sobre o líquido")
    ('on top', 'artista', 'artist', None)
    >>> _base_of("sobre a parte de Artista")
    '% artista'
    """
    if not text or fold_word(text) in _ON_TOP_WORDS:
        return ON_TOP if text else ""
    over = _OF_THE_PART.fullmatch(text.strip())
    found = over or _OUT_OF.fullmatch(text.strip())
    return (OF_PART if over else "") + " ".join(found[1].casefold().split()) if found else None


def read_conditions(table: TypedTable) -> TypedTable:
    """Read of which lines each row of shares or costs is."""
    for column in CONDITIONS:
        read = [read_condition(column, text) for text in table.canonical[column]]
        unread = np.array([condition is None for condition in read], dtype=bool)
        table = table.flag(unread & table.sound(column), column, IssueCode.SHARE_CONDITION)
        table = table.assign(**{column: np.array([condition or "" for condition in read], dtype=object)})
    return table


def part_units(table: TypedTable) -> TypedTable:
    """Tell shares of money a unit apart from those of a part; out of a role's part there is none."""
    written = [part or "" for part in table.canonical["share"]]
    is_per_unit = np.array([part.startswith(PER_UNIT) for part in written], dtype=bool)
    amounts = [part.removeprefix(PER_UNIT) if part.startswith(PER_UNIT) else "" for part in written]
    parts = np.where(is_per_unit, "0", table.canonical["share"])
    table = table.assign(share=np.array(parts, dtype=object), per_unit=np.array(amounts, dtype=object))
    of_role = np.array([base not in {"", ON_TOP} for base in table.canonical["base"]], dtype=bool)
    return table.flag(is_per_unit & of_role & table.sound("base"), "base", IssueCode.SHARE_BASE)


def part_days_from_tiers(table: TypedTable) -> TypedTable:
    """Take days that stand in the columns of tiers as the days from and to which a share holds."""
    for tier, day in (("tier_from", "valid_from"), ("tier_to", "valid_to")):
        is_day = np.array([_ISO_DAY.fullmatch(bound) is not None for bound in table.canonical[tier]], dtype=bool)
        table = table.flag(is_day & table.given(day), tier, IssueCode.SHARE_TIER)
        table = table.assign(
            **{
                day: np.where(is_day, table.canonical[tier], table.canonical[day]),
                tier: np.where(is_day, "", table.canonical[tier]),
            }
        )
    return table


_ISO_DAY: Final = re.compile(ISO_DAY)


def check_tiers(table: TypedTable) -> TypedTable:
    """Hold tiers of two measures, that end before they begin, or that are retroactive in another measure than theirs.

    What has its part of everything so far must be of what the tier is of: money a unit of units, a percentage of money.
    """

    def is_wrong(tier: tuple[str, str, str]) -> tuple[bool, bool]:
        first, last, per_unit = tier
        since, until = read_bound(first), read_bound(last)
        ends_wrong = bool(last) and bool(first) and (since.in_units != until.in_units or until.value <= since.value)
        begins_wrong = first.endswith(RETROACTIVE) and since.in_units != bool(per_unit)
        return begins_wrong, ends_wrong or last.endswith(RETROACTIVE)

    tiers = zip(*(table.canonical[name].tolist() for name in ("tier_from", "tier_to", "per_unit")), strict=True)
    wrong = np.array(read_each(tiers, is_wrong), dtype=bool).reshape(-1, 2)
    table = table.flag(wrong[:, 0] & table.sound("tier_from"), "tier_from", IssueCode.SHARE_TIER)
    return table.flag(wrong[:, 1] & table.sound("tier_to"), "tier_to", IssueCode.SHARE_TIER)


def read_releases(table: TypedTable) -> TypedTable:
    """Read when a reserve is given back; a reserve of nothing is none, and none is given back."""
    kept = [part or "0" for part in table.canonical["reserve"]]
    parts = read_each(table.canonical["given_back"], lambda text: releases(text) if text else "")

    def is_wrong(reserve: tuple[str, str | None]) -> bool:
        kept_back, given_back = reserve
        return given_back is None or bool(given_back) != (kept_back != "0") or read_millionths(kept_back) > WHOLE

    wrong = read_each(zip(kept, parts, strict=True), is_wrong)
    sound = table.sound("reserve") & table.sound("given_back")
    table = table.flag(np.array(wrong, dtype=bool) & sound, "given_back", IssueCode.SHARE_RESERVE)
    return table.assign(
        reserve=np.array(["" if part == "0" else part for part in kept], dtype=object),
        given_back=np.array([part or "" for part in parts], dtype=object),
    )


def require_amounts(*columns: str) -> Rule:
    """Hold cells that are units, days or nothing where an amount above zero is meant."""

    def hold(table: TypedTable) -> TypedTable:
        for column in columns:
            amounts = table.canonical[column]
            no_amount = read_each(amounts, lambda text: bool(text) and not _ABOVE_ZERO.fullmatch(text))
            is_wrong = np.array(no_amount, dtype=bool) & table.sound(column)
            table = table.flag(is_wrong, column, IssueCode.AMOUNT_NOT_POSITIVE)
        return table

    return hold


_ABOVE_ZERO: Final = re.compile(r"(?!0+(?:\.0*)?$)[0-9]+(?:\.[0-9]+)?")


def require_part_or_amount(table: TypedTable) -> TypedTable:
    """Hold costs that say neither a part nor an amount, or both; an amount is the most there is and has no other."""
    has_part, has_amount = table.given("share"), table.given("fixed_amount")
    wrong = (has_part == has_amount) & table.sound("share") & table.sound("fixed_amount")
    table = table.flag(wrong, "share", IssueCode.COST_AMOUNT)
    return table.flag(has_amount & table.given("cap") & ~wrong, "cap", IssueCode.COST_AMOUNT)


def require_some_share(table: TypedTable) -> TypedTable:
    """Hold shares of nothing, but for those that say of which lines somebody gets none."""
    asks = np.logical_or.reduce([table.texts[column] != "" for column in CONDITIONS])
    by_unit = np.array([bool(amount) for amount in table.canonical["per_unit"]], dtype=bool)
    of_nothing = np.array([part == "0" for part in table.canonical["share"]], dtype=bool) & table.given("share")
    of_nothing &= ~by_unit
    return table.flag(of_nothing & table.sound("share") & ~asks, "share", IssueCode.PERCENT_RANGE)


def read_scopes(table: TypedTable) -> TypedTable:
    """Read what each advance is recouped from; one of which nothing is ever recouped is none."""
    columns = {name: table.canonical[name] for name in ("isrc", *NAMED)}
    rows = zip(*columns.values(), strict=True)
    scopes = np.array([scope_of(dict(zip(columns, row, strict=True))) for row in rows], dtype=object)
    table = table.assign(isrc=scopes)
    if "recoup" not in table.canonical:
        return table
    never = np.array([part == "0" for part in table.canonical["recoup"]], dtype=bool)
    return table.flag(never & table.sound("recoup"), "recoup", IssueCode.PERCENT_RANGE)


_SCOPE = ("isrc", "upc", "release", "artist")
# What people call the whole catalogue, folded.
_WHOLE_CATALOGUE: Final = frozenset(_WORDS["whole_catalogue"])


def require_scope(table: TypedTable) -> TypedTable:
    """Hold shares that do not say what they are shares of.

    A row without a code, a release and an artist is of the whole catalogue where the table names nothing else, or where
    it says so ("todo o catálogo"). Beside rows that name something, or with a word for "none", it is not. A title
    without a code is one recording, whatever release or artist stands beside it, and names none.
    """
    table, whole = _read_whole_catalogue(table)
    of_nothing = ~np.logical_or.reduce([whole, *(table.given(column) for column in _SCOPE)])
    titled = table.given("title") & ~table.given("isrc") & ~table.given("upc")
    table = table.flag(titled, "title", IssueCode.SHARE_SCOPE)
    said_none = np.zeros(len(table.rows), dtype=bool)
    for column in _SCOPE:
        if column in table.said_nothing:
            none = table.said_nothing[column]
            table = table.flag(of_nothing & ~titled & none, column, IssueCode.CELL_REQUIRED)
            said_none |= none
    if of_nothing.all():
        return table
    return table.flag(of_nothing & ~titled & ~said_none, None, IssueCode.SHARE_SCOPE)


def _read_whole_catalogue(table: TypedTable) -> tuple[TypedTable, Mask]:
    """Blank the cells that say that a share is of the whole catalogue; tell which rows have one."""
    whole = {
        column: np.array(read_each(table.texts[column], lambda text: fold_word(text) in _WHOLE_CATALOGUE), dtype=bool)
        for column in (*_SCOPE, "title")
    }
    blanked = {column: np.where(where, "", table.texts[column]) for column, where in whole.items()}
    values = {column: np.where(where, "", table.canonical[column]) for column, where in whole.items()}
    findings = [
        found for found in table.findings if not (found.column in whole and whole[found.column][found.position])
    ]
    read = replace(table, texts={**table.texts, **blanked}, findings=findings).assign(**values)
    return read, np.logical_or.reduce(list(whole.values()))


# What two rows of one payee agree in that are the same share.
SAME_SHARE: Final = (
    *("isrc", "upc", "release", "artist", "role", "valid_from", "valid_to", "base", "contract"),
    *("tier_from", "tier_to"), *CONDITIONS,
)  # fmt: skip
# What people call what is open at the beginning, folded.
_OPENING_WORDS: Final = _by_word(_WORDS["opening"])


def read_kinds(table: TypedTable) -> TypedTable:
    """Read what each row is; only what is carried may be owed back, and only what was paid may be nothing."""
    kinds = [_OPENING_WORDS.get(fold_word(text), "") for text in table.canonical["kind"]]
    known = np.array([bool(kind) for kind in kinds], dtype=bool)
    table = table.assign(kind=np.array(kinds, dtype=object))
    table = table.flag(table.given("kind") & ~known, "kind", IssueCode.OPENING_KIND)
    least = {CARRIED: None, PAID: Decimal(0), TO_RECOUP: Decimal("0.01")}
    too_little = [
        amount is not None and (floor := least.get(kind)) is not None and amount.value < floor
        for kind, amount in zip(kinds, table.canonical["amount"], strict=True)
    ]
    wrong = np.array(too_little, dtype=bool) & known & table.sound("amount")
    return table.flag(wrong, "amount", IssueCode.AMOUNT_NOT_POSITIVE)


def read_promises(table: TypedTable) -> TypedTable:
    """Tell guarantees from advances; a guarantee has a day, and nothing is recouped for it."""
    kinds = np.array([_ADVANCE_WORDS.get(fold_word(text), "") for text in table.canonical["kind"]], dtype=object)
    table = table.flag(table.given("kind") & (kinds == ""), "kind", IssueCode.ADVANCE_KIND)
    promised = kinds == GUARANTEE
    table = table.flag(promised & ~table.given("date"), "date", IssueCode.CELL_REQUIRED)
    table = table.flag(promised & table.given("recoup"), "recoup", IssueCode.ADVANCE_KIND)
    return table.assign(kind=np.where(promised, GUARANTEE, ""))


_ADVANCE_WORDS: Final = _by_word(_WORDS["advances"])


def hold_repeated_rows(table: TypedTable) -> TypedTable:
    """Hold rows that say the same twice; two payments, or two advances of one reference, bear different dates."""
    kinds = table.canonical["kind"]
    carried = [group for group in table.groups("tax_id", "kind", "period") if kinds[group[0]] == CARRIED]
    others = table.groups("tax_id", "kind", "period", "reference", "isrc", "date")
    paid = [group for group in others if kinds[group[0]] in {TO_RECOUP, PAID}]
    return _hold_repeated(table, [*carried, *paid])


_MOST: Final = Decimal(10**8)
_DECIMALS: Final = 12


def require_rates_above_zero(table: TypedTable) -> TypedTable:
    not_above = [amount is not None and amount.value <= 0 for amount in table.canonical["rate"]]
    return table.flag(np.array(not_above, dtype=bool) & table.sound("rate"), "rate", IssueCode.AMOUNT_NOT_POSITIVE)


def require_few_digits(table: TypedTable) -> TypedTable:
    """Hold rates of more digits than a job file may write: eight before the mark, twelve behind it."""
    rates = [Decimal(0) if amount is None else amount.value for amount in table.canonical["rate"]]
    too_long = [rate >= _MOST or rate != round(rate, _DECIMALS) for rate in rates]
    return table.flag(np.array(too_long, dtype=bool) & table.sound("rate"), "rate", IssueCode.RATE_DIGITS)


def hold_contradictions(table: TypedTable) -> TypedTable:
    """Hold rows that say two rates of one currency and day; the same one twice is no contradiction."""
    rates = table.canonical["rate"]
    return table.add(
        found
        for positions in table.groups("currency", "date")
        if len({rates[position].value for position in positions if rates[position] is not None}) > 1
        for found in _each_other(table, positions, IssueCode.RATE_CONFLICT)
    )


def require_rate_or_amount(table: TypedTable) -> TypedTable:
    percentages, amounts = table.canonical["percentage"], table.canonical["amount"]
    stated = [
        (bool(percentage), amount is not None and amount.value > 0)
        for percentage, amount in zip(percentages, amounts, strict=True)
    ]
    wrong = np.array([rate == amount for rate, amount in stated], dtype=bool)
    wrong |= np.array([bool(percentage) and Decimal(percentage) > 100 for percentage in percentages], dtype=bool)
    wrong &= table.sound("percentage") & table.sound("amount")
    return table.flag(wrong, "percentage", IssueCode.TAX_RATE)


def write_kinds_alike(table: TypedTable) -> TypedTable:
    """Write kinds in capitals, so that irrf and IRRF are one."""
    return table.assign(kind=np.array([kind.upper() for kind in table.canonical["kind"]], dtype=object))


def hold_repeated_taxes(table: TypedTable) -> TypedTable:
    """Hold rows of one payee and kind whose times overlap: which one holds is not ours to say."""
    times = table.canonical["valid_from"].tolist(), table.canonical["valid_to"].tolist()
    groups = table.groups("tax_id", "kind")
    return _hold_repeated(table, (together for group in groups for together in overlapping(*times, group)))


def overlapping(first: Sequence[Any], last: Sequence[Any], positions: Iterable[int]) -> Iterator[list[int]]:
    """Yield the rows whose times overlap, two or more at a time, in the order of their beginnings.

    Args:
        first: The first day of each row (ISO); none or "" for no limit.
    """
    together: list[int] = []
    until = ""
    for position in sorted(positions, key=lambda position: str(first[position] or "")):
        begins, ends = str(first[position] or ""), str(last[position] or _FOR_EVER)
        if together and begins > until:
            if len(together) > 1:
                yield together
            together, until = [], ""
        together.append(position)
        until = max(until, ends)
    if len(together) > 1:
        yield together


_FOR_EVER: Final = "9999-12-31"


def hold_repeated_numbers(table: TypedTable) -> TypedTable:
    """Hold rows of one payee that bear the same number of one year, however written: an invoice is one document."""
    numbers, days = table.canonical["number"], table.canonical["date"]
    same = defaultdict[tuple[int, str], list[int]](list)
    for rows in table.groups("tax_id"):
        for at in rows:
            same[rows[0], invoice_number(numbers[at] or "", days[at] or "")].append(at)
    return _hold_repeated(table, (rows for rows in same.values() if len(rows) > 1))


def settle_currencies(table: TypedTable) -> TypedTable:
    """Give every line its currency, the column's or the layout's; hold lines whose amount or price names another."""
    unsaid = ~table.given("currency") & table.sound("currency")
    currencies = np.where(unsaid, table.currency, table.canonical["currency"])
    table = table.assign(currency=currencies).flag(unsaid & (currencies == ""), "currency", IssueCode.CURRENCY_UNKNOWN)
    for column in ("amount", "price"):
        written = np.array([amount.currency if amount else "" for amount in table.canonical[column]], dtype=object)
        contradicts = (written != "") & (written != "$") & (currencies != "") & (written != currencies)
        table = table.add(
            CellFinding(at, column, IssueCode.AMOUNT_CURRENCY, {"found": written[at], "expected": currencies[at]})
            for at in np.flatnonzero(contradicts).tolist()
        )
    prices = [price_text(price.value) if price else "" for price in table.canonical["price"]]
    return table.assign(price=np.array(prices, dtype=object))


def excuse_upcs(table: TypedTable) -> TypedTable:
    """Let a line with an ISRC pass whose UPC cannot be read: shares by ISRC are looked for first, and those decide."""
    known = table.given("isrc") & table.sound("isrc")
    upcs, findings = table.canonical["upc"].copy(), list(table.findings)
    for at, found in enumerate(findings):
        if found.code is IssueCode.UPC_FORMAT and known[found.position]:
            upcs[found.position] = UNREAD_UPC
            findings[at] = replace(found, code=IssueCode.UPC_UNREAD)
    return replace(table.assign(upc=upcs), findings=findings)


# The rules of each table, in the order in which its rows are held against them.
RULES: Final[Mapping[str, tuple[Rule, ...]]] = {
    "payments": (
        require_names,
        check_destinations,
        hold_repeated_payments,
        hold_beside_negative,
        hold_other_currencies,
        hold_two_names,
        flag_shared_keys,
    ),
    "payees": (
        read_terms,
        require_names,
        check_destinations,
        settle_identities,
        hold_moves_in_question,
        flag_shared_keys,
    ),
    "royalty_lines": (settle_currencies, excuse_upcs),
    "shares": (
        part_days_from_tiers,
        check_validity,
        read_bases,
        read_conditions,
        part_units,
        check_tiers,
        require_amounts("cap"),
        read_releases,
        require_some_share,
        require_scope,
    ),
    "costs": (read_conditions, require_amounts("fixed_amount", "cap"), require_part_or_amount),
    "advances": (read_scopes, read_promises),
    "opening": (read_kinds, read_scopes, hold_repeated_rows),
    "rates": (require_rates_above_zero, require_few_digits, hold_contradictions),
    "taxes": (check_validity, write_kinds_alike, require_rate_or_amount, hold_repeated_taxes),
    "invoices": (hold_repeated_numbers,),
}
