"""Payees: one row per legal recipient, and the terms of their royalties."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Final

import numpy as np

from schemas.issues import IssueCode, Severity
from schemas.tables.amounts import ExactAmount
from schemas.tables.cells import CellFinding, ColumnKind
from schemas.tables.destinations import check_destinations, require_names, tell_shared_keys
from schemas.tables.draft import TableDraft
from schemas.tables.model import ISO_DAY, Series, cells, columns_of
from schemas.tables.payee_data import PayeeData
from schemas.values.reading import fold_word

# The minimum of a payee who has none of their own.
USUAL_MINIMUM: Final = -1

FREQUENCIES: Final = ("", "monthly", "quarterly", "half_yearly")
LANGUAGES: Final = ("", "pt-BR", "en")
HOLDS: Final = ("", "dispute", "invoice", "court_order", "other")
RECOUPED_FROM: Final = ("", "earned", "earned_and_carried")


class Payees(PayeeData):
    """Shape: one row per payee; "" where a term is the job's own.

    `minimum_cents` is -1 where the payee has none of their own; `frequency` says at the end of which months royalties
    are due; `hold` why all of a payee's money is held back, `hold_until` the last day of it (ISO), "" for no end;
    `recoup_from` what advances may be taken from; `previous_tax_id` the document the payee had before; `must_invoice`
    whether their royalties wait for an invoice.
    """

    tax_id: Series[str] = cells(ColumnKind.TAX_ID, required=True, unique=True)
    minimum_cents: Series[int] = cells(ColumnKind.OPTIONAL_AMOUNT, "minimum", ge=USUAL_MINIMUM)
    frequency: Series[str] = cells(ColumnKind.TEXT, isin=FREQUENCIES)
    language: Series[str] = cells(ColumnKind.TEXT, isin=LANGUAGES)
    hold: Series[str] = cells(ColumnKind.TEXT, isin=HOLDS)
    hold_until: Series[str] = cells(ColumnKind.DATE, str_matches=f"^({ISO_DAY})?$")
    recoup_from: Series[str] = cells(ColumnKind.TEXT, isin=RECOUPED_FROM)
    previous_tax_id: Series[str] = cells(ColumnKind.TAX_ID)
    must_invoice: Series[bool] = cells(ColumnKind.FLAG)


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


RULES = (read_terms, require_names, check_destinations, settle_identities, hold_moves_in_question, tell_shared_keys)
