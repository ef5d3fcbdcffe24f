"""Rules of single tables: which rows of a table contradict themselves or each other, and are held."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Final

import numpy as np

from schemas.issues import IssueCode, Severity
from schemas.parsing.amounts import ExactAmount
from schemas.parsing.cells import CellFinding
from schemas.parsing.destinations import check_destinations, hold_two_names, report_shared_keys, require_names
from schemas.parsing.draft import TableDraft
from schemas.plan import HOME_CURRENCY
from schemas.tables.adjustments import CARRIED, PAID, TO_RECOUP
from schemas.tables.model import (
    ColumnKind,
    columns_of,
)
from schemas.tables.payees import USUAL_MINIMUM, Payees
from schemas.tables.royalties import ON_TOP, UNREAD_UPC
from schemas.values.names import normal_reference
from schemas.values.reading import fold_word

# What people write, folded.
_WORDS: Final[Mapping[str, Mapping[str, str]]] = {
    "frequency": {
        **dict.fromkeys(("mensal", "mes", "monthly", "month"), "monthly"),
        **dict.fromkeys(("trimestral", "trimestre", "quarterly", "quarter"), "quarterly"),
        **dict.fromkeys(("semestral", "semestre", "halfyearly", "biannual"), "half_yearly"),
    },
    "language": {
        **dict.fromkeys(("ptbr", "pt", "portugues", "portuguese"), "pt-BR"),
        **dict.fromkeys(("en", "ingles", "english"), "en"),
    },
    "hold": {
        **dict.fromkeys(("disputa", "litigio", "dispute"), "dispute"),
        **dict.fromkeys(("notafiscal", "nf", "faltanotafiscal", "invoice"), "invoice"),
        **dict.fromkeys(("ordemjudicial", "judicial", "penhora", "courtorder"), "court_order"),
        **dict.fromkeys(("outro", "outros", "sim", "other", "yes"), "other"),
        **dict.fromkeys(("nao", "no"), ""),
    },
    "recoup_from": {
        **dict.fromkeys(("rendimentos", "rendimento", "earned", "earnings"), "earned"),
        **dict.fromkeys(("rendimentosesaldo", "rendimentoesaldo", "earnedandcarried"), "earned_and_carried"),
    },
}
_NAMES = frozenset(column.name for column in columns_of(Payees) if column.kind is ColumnKind.NAME)


def settle_identities(draft: TableDraft) -> None:
    """Use the first of equal rows; hold all rows of a payee who is described in two ways.

    Names are compared as people read them: capitals, accents and how a keyboard composes them make nobody another.
    """
    for positions in draft.groups("tax_id"):
        described = {
            tuple(
                fold_word(values[position]) if column in _NAMES else values[position]
                for column, values in draft.canonical.items()
            )
            for position in positions
        }
        for position in positions:
            if len(described) > 1:
                others = draft.row_list(positions, but=position)
                draft.findings.append(CellFinding(position, None, IssueCode.IDENTITY_CONFLICT, {"other": others}))
            elif position != positions[0]:
                facts = {"other": draft.row_list(positions[:1])}
                draft.findings.append(
                    CellFinding(position, None, IssueCode.ROW_DUPLICATE, facts, severity=Severity.WARNING)
                )
                draft.ignored[position] = "duplicate"


def read_terms(draft: TableDraft) -> None:
    """Read the terms of each payee's royalties; a word that is none of a term's holds the payee."""
    minimum = draft.canonical["minimum"]
    usual = ExactAmount(Decimal(USUAL_MINIMUM).scaleb(-2), "")
    draft.canonical["minimum"] = np.array([*(amount or usual for amount in minimum), None], dtype=object)[:-1]
    for column, words in _WORDS.items():
        written = draft.canonical[column]
        known = np.array([fold_word(text) in words or not text for text in written], dtype=bool)
        draft.report(~known & draft.sound(column), column, IssueCode.TERM_UNKNOWN)
        draft.canonical[column] = np.array([words.get(fold_word(text), "") for text in written], dtype=object)


def hold_moves_in_question(draft: TableDraft) -> None:
    """Hold payees of whom one is said to have been another who is a payee, too, or whom two are said to have been."""
    own, before = draft.canonical["tax_id"], draft.canonical["previous_tax_id"]
    own_rows = {tax_id: position for position, tax_id in enumerate(own) if tax_id}
    for position, tax_id in enumerate(before):
        if tax_id and tax_id in own_rows:
            _hold_both(draft, position, own_rows[tax_id])
    for first, *others in draft.groups("previous_tax_id"):
        for other in others:
            if own[first] != own[other]:
                _hold_both(draft, first, other)


def _hold_both(draft: TableDraft, position: int, other: int) -> None:
    for held, named in {position: other, other: position}.items():
        facts = {"other": draft.row_list([named])}
        draft.findings.append(CellFinding(held, None, IssueCode.IDENTITY_CONFLICT, facts))


PAYEE_RULES = (
    read_terms,
    require_names,
    check_destinations,
    settle_identities,
    hold_moves_in_question,
    report_shared_keys,
)


def hold_repeated_payments(draft: TableDraft) -> None:
    """Hold every row of a payee whose references do not tell them apart: which one is meant is not ours to say."""
    for positions in draft.groups("tax_id", "reference", form=normal_reference):
        for position in positions:
            facts = {"other": draft.row_list(positions, but=position)}
            draft.findings.append(CellFinding(position, None, IssueCode.ROW_DUPLICATE, facts))


def hold_other_currencies(draft: TableDraft) -> None:
    """Hold rows whose own column says another currency than the one that is paid in."""
    currencies, expected = draft.canonical["currency"], draft.currency or HOME_CURRENCY
    other = draft.given("currency") & draft.sound("currency") & np.asarray(currencies != expected, dtype=bool)
    for position in np.flatnonzero(other).tolist():
        facts = {"found": currencies[position], "expected": expected}
        draft.findings.append(CellFinding(position, "currency", IssueCode.AMOUNT_CURRENCY, facts))
    currencies[~other] = draft.currency


PAYMENT_RULES = (
    require_names,
    check_destinations,
    hold_repeated_payments,
    hold_other_currencies,
    hold_two_names,
    report_shared_keys,
)
_ON_TOP_WORDS: Final = frozenset({"ontop", "porfora", "amais", "adicional", "encima", "additional"})
_OUT_OF: Final = re.compile(r"(?:da parte d[eoa]s?|out of|de la parte de)\s+(\S.*)", re.IGNORECASE)


def check_validity(draft: TableDraft) -> None:
    """Hold shares that end before they begin."""
    first, last = draft.canonical["valid_from"], draft.canonical["valid_to"]
    reversed_ = np.array([bool(f and t and t < f) for f, t in zip(first, last, strict=True)], dtype=bool)
    draft.report(reversed_, "valid_to", IssueCode.DATE_ORDER)


def read_bases(draft: TableDraft) -> None:
    """Read what each share is taken from: "por fora", or "da parte de artista"."""
    bases = [_base_of(text) for text in draft.canonical["base"]]
    unknown = np.array([base is None for base in bases], dtype=bool)
    draft.report(unknown & draft.sound("base"), "base", IssueCode.SHARE_BASE)
    draft.canonical["base"] = np.array([base or "" for base in bases], dtype=object)


def _base_of(text: str) -> str | None:
    """Return the base that a cell says; None for words that say none.

    >>> _base_of("Por fora"), _base_of("da parte do Artista"), _base_of("out of artist"), _base_of("sobre o líquido")
    ('on top', 'artista', 'artist', None)
    """
    if not text or fold_word(text) in _ON_TOP_WORDS:
        return ON_TOP if text else ""
    found = _OUT_OF.fullmatch(text.strip())
    return " ".join(found[1].casefold().split()) if found else None


_SCOPE = ("isrc", "upc", "release", "artist")
# Of the whole catalogue.
_WHOLE_CATALOGUE: Final = frozenset(
    {
        *("todoocatalogo", "catalogo", "catalogointeiro", "catalogocompleto", "todocatalogo", "todasasfaixas", "todas"),
        *("todos", "tudo", "geral", "all", "wholecatalogue", "wholecatalog", "entirecatalogue", "entirecatalog"),
        *("fullcatalogue", "fullcatalog", "catalogue", "catalog", "todoelcatalogo", "alltracks"),
    }
)


def require_scope(draft: TableDraft) -> None:
    """Hold shares that do not say what they are shares of.

    A row without a code, a release and an artist is of the whole catalogue where the table names nothing else, or where
    it says so ("todo o catálogo"). Beside rows that name something, or with a word for "none", it is not. A title
    without a code is one recording, whatever release or artist stands beside it, and names none.
    """
    whole = np.zeros(len(draft.rows), dtype=bool)
    for column in (*_SCOPE, "title"):
        says_whole = np.array([fold_word(text) in _WHOLE_CATALOGUE for text in draft.texts[column]], dtype=bool)
        draft.canonical[column][says_whole], draft.texts[column][says_whole] = "", ""
        draft.findings = [
            finding for finding in draft.findings if finding.column != column or not says_whole[finding.position]
        ]
        whole |= says_whole
    of_nothing = ~np.logical_or.reduce([whole, *(draft.given(column) for column in _SCOPE)])
    titled = draft.given("title") & ~draft.given("isrc") & ~draft.given("upc")
    draft.report(titled, "title", IssueCode.SHARE_SCOPE)
    said_none = np.zeros(len(draft.rows), dtype=bool)
    for column in _SCOPE:
        if column in draft.said_nothing:
            draft.report(of_nothing & ~titled & draft.said_nothing[column], column, IssueCode.CELL_REQUIRED)
            said_none |= draft.said_nothing[column]
    if not of_nothing.all():
        draft.report(of_nothing & ~titled & ~said_none, None, IssueCode.SHARE_SCOPE)


# What two rows of one payee agree in that are the same share.
SAME_SHARE: Final = ("isrc", "upc", "release", "artist", "role", "valid_from", "valid_to", "base")
SHARE_RULES = (check_validity, read_bases, require_scope)
# What people write, folded.
WORDS: Final[dict[str, str]] = {
    "carried": CARRIED,
    "carriedin": CARRIED,
    "balance": CARRIED,
    "saldo": CARRIED,
    "saldoanterior": CARRIED,
    "torecoup": TO_RECOUP,
    "arecuperar": TO_RECOUP,
    "paid": PAID,
    "paidoutside": PAID,
    "pago": PAID,
    "pagofora": PAID,
}


def read_kinds(draft: TableDraft) -> None:
    """Read what each row is; only what is carried may be owed back, and only what was paid may be nothing."""
    kinds = [WORDS.get(fold_word(text), "") for text in draft.canonical["kind"]]
    draft.canonical["kind"] = np.array(kinds, dtype=object)
    known = np.array([bool(kind) for kind in kinds], dtype=bool)
    draft.report(draft.given("kind") & ~known, "kind", IssueCode.OPENING_KIND)
    least = {CARRIED: None, PAID: Decimal(0), TO_RECOUP: Decimal("0.01")}
    too_little = [
        amount is not None and (floor := least.get(kind)) is not None and amount.value < floor
        for kind, amount in zip(kinds, draft.canonical["amount"], strict=True)
    ]
    wrong = np.array(too_little, dtype=bool) & known & draft.sound("amount")
    draft.report(wrong, "amount", IssueCode.AMOUNT_NOT_POSITIVE)


def hold_repeated_rows(draft: TableDraft) -> None:
    """Hold rows that say the same twice; two payments, or two advances of one reference, bear different dates."""
    kinds = draft.canonical["kind"]
    carried = [group for group in draft.groups("tax_id", "kind", "period") if kinds[group[0]] == CARRIED]
    others = draft.groups("tax_id", "kind", "period", "reference", "isrc", "date")
    for positions in [*carried, *(group for group in others if kinds[group[0]] in {TO_RECOUP, PAID})]:
        for position in positions:
            facts = {"other": draft.row_list(positions, but=position)}
            draft.findings.append(CellFinding(position, None, IssueCode.ROW_DUPLICATE, facts))


OPENING_RULES = (read_kinds, hold_repeated_rows)
_MOST: Final = Decimal(10**8)
_DECIMALS: Final = 12


def require_rates_above_zero(draft: TableDraft) -> None:
    """Hold rows whose rate is nothing or less."""
    not_above = [amount is not None and amount.value <= 0 for amount in draft.canonical["rate"]]
    draft.report(np.array(not_above, dtype=bool) & draft.sound("rate"), "rate", IssueCode.AMOUNT_NOT_POSITIVE)


def require_few_digits(draft: TableDraft) -> None:
    """Hold rates of more digits than a job file may write: eight before the mark, twelve behind it."""
    rates = [Decimal(0) if amount is None else amount.value for amount in draft.canonical["rate"]]
    too_long = [rate >= _MOST or rate != round(rate, _DECIMALS) for rate in rates]
    draft.report(np.array(too_long, dtype=bool) & draft.sound("rate"), "rate", IssueCode.RATE_DIGITS)


def hold_contradictions(draft: TableDraft) -> None:
    """Hold rows that say two rates of one currency and day; the same one twice is no contradiction."""
    rates = draft.canonical["rate"]
    for positions in draft.groups("currency", "date"):
        if len({rates[position].value for position in positions if rates[position] is not None}) < 2:
            continue
        for position in positions:
            others = draft.row_list(positions, but=position)
            draft.findings.append(CellFinding(position, None, IssueCode.RATE_CONFLICT, {"other": others}))


RATE_RULES = (require_rates_above_zero, require_few_digits, hold_contradictions)


def require_rate_or_amount(draft: TableDraft) -> None:
    """Hold rows that state both a percentage and an amount, or neither, or more than all."""
    percentages, amounts = draft.canonical["percentage"], draft.canonical["amount"]
    stated = [
        (bool(percentage), amount is not None and amount.value > 0)
        for percentage, amount in zip(percentages, amounts, strict=True)
    ]
    wrong = np.array([rate == amount for rate, amount in stated], dtype=bool)
    wrong |= np.array([bool(percentage) and Decimal(percentage) > 100 for percentage in percentages], dtype=bool)
    draft.report(wrong & draft.sound("percentage") & draft.sound("amount"), "percentage", IssueCode.TAX_RATE)


def write_kinds_alike(draft: TableDraft) -> None:
    """Write kinds in capitals, so that irrf and IRRF are one."""
    draft.canonical["kind"] = np.array([kind.upper() for kind in draft.canonical["kind"]], dtype=object)


def hold_repeated_taxes(draft: TableDraft) -> None:
    """Hold rows of one payee and kind whose times overlap: which one holds is not ours to say."""
    for positions in draft.groups("tax_id", "kind"):
        for together in _overlapping(draft, positions):
            draft.findings += [
                CellFinding(position, None, IssueCode.ROW_DUPLICATE, {"other": draft.row_list(together, but=position)})
                for position in together
            ]


def _overlapping(draft: TableDraft, positions: Iterable[int]) -> Iterator[list[int]]:
    """Yield the rows whose times overlap, two or more at a time, in the order of their beginnings."""
    first, last = draft.canonical["valid_from"], draft.canonical["valid_to"]
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
TAX_RULES = (check_validity, write_kinds_alike, require_rate_or_amount, hold_repeated_taxes)


def hold_repeated_numbers(draft: TableDraft) -> None:
    """Hold rows of one payee that bear the same number: an invoice is one document."""
    for positions in draft.groups("tax_id", "number"):
        for position in positions:
            others = draft.row_list(positions, but=position)
            draft.findings.append(CellFinding(position, None, IssueCode.ROW_DUPLICATE, {"other": others}))


INVOICE_RULES = (hold_repeated_numbers,)


def settle_currencies(draft: TableDraft) -> None:
    """Give every line its currency, the column's or the layout's, and hold lines whose amount names another one."""
    currencies = draft.canonical["currency"]
    unsaid = ~draft.given("currency") & draft.sound("currency")
    currencies[unsaid] = draft.currency
    draft.report(unsaid & (currencies == ""), "currency", IssueCode.CURRENCY_UNKNOWN)
    written = np.array([amount.currency if amount else "" for amount in draft.canonical["amount"]], dtype=object)
    contradicts = (written != "") & (written != "$") & (currencies != "") & (written != currencies)
    for position in np.flatnonzero(contradicts).tolist():
        facts = {"found": written[position], "expected": currencies[position]}
        draft.findings.append(CellFinding(position, "amount", IssueCode.AMOUNT_CURRENCY, facts))


def excuse_upcs(draft: TableDraft) -> None:
    """Let a line with an ISRC pass whose UPC cannot be read: shares by ISRC are looked for first, and those decide."""
    known = draft.given("isrc") & draft.sound("isrc")
    for at, found in enumerate(draft.findings):
        if found.code is IssueCode.UPC_FORMAT and known[found.position]:
            draft.findings[at] = replace(found, code=IssueCode.UPC_UNREAD)
            draft.canonical["upc"][found.position] = UNREAD_UPC


LINE_RULES = (settle_currencies, excuse_upcs)
