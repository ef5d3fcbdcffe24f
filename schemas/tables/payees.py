"""Payees: one row per legal recipient."""

from schemas.issues import IssueCode, Severity
from schemas.tables.cells import PAYEE_COLUMNS, ColumnKind, Finding
from schemas.tables.contract import CANONICAL_TAX_ID, text
from schemas.tables.destinations import check_destinations, require_names
from schemas.tables.draft import Draft
from schemas.tables.payee_data import PayeeData
from schemas.values.reading import fold_word


class Payees(PayeeData):
    """Shape: one row per payee."""

    tax_id = text(CANONICAL_TAX_ID, unique=True)


COLUMNS = PAYEE_COLUMNS
_NAMES = frozenset(column.name for column in COLUMNS if column.kind is ColumnKind.NAME)


def settle_identities(draft: Draft) -> None:
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
                others = draft.row_list([other for other in positions if other != position])
                draft.findings.append(Finding(position, None, IssueCode.IDENTITY_CONFLICT, {"other": others}))
            elif position != positions[0]:
                facts = {"other": draft.row_list(positions[:1])}
                draft.findings.append(
                    Finding(position, None, IssueCode.ROW_DUPLICATE, facts, severity=Severity.WARNING)
                )
                draft.ignored[position] = "duplicate"


RULES = (require_names, check_destinations, settle_identities)
