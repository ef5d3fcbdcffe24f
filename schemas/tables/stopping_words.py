"""Words that stop a person ("não pagar", "cancelado"): in cells and comments of a row, and in notes beside the rows."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

import numpy as np

from schemas.issues import Issue, IssueCode, Severity, make_issue
from schemas.layouts.headers import HeaderMatch
from schemas.raw_table import RawTable, column_letter
from schemas.tables.cells import CellFinding
from schemas.tables.draft import TableDraft
from schemas.tables.excluded_rows import ExcludedRows, ExclusionReason
from schemas.tables.unread_columns import words_of

_STOP: Final = re.compile(
    r"\b(?:cancelad[oa]s?|cancele|cancelar|cancell?ed|nao (?:e para )?(?:pagar|pague|pagem|liberar|repassar)|no pagar|"
    r"do not pay|dont pay|don t pay|(?:ja|ya|already) (?:foi )?(?:pag[oa]s?|paid|pagad[oa]s?|quitad[oa]s?)|"
    r"estorn(?:o|os|ad[oa]s?|ar)|suspens[oa]s?|suspendid[oa]s?|suspended|suspender|falecid[oa]s?|faleceu|fallecid[oa]s?|"
    r"deceased|pagamento bloqueado|bloquear pagamento|payment blocked|em disputa|desconsiderar|desconsidere)\b"
)
# Columns in which such words are names of works and acts, or are read for what they say.
_NAMES_OF_WORKS: Final = frozenset({"artist", "release", "artist_name", "hold", "isrc", "upc", "role"})


@lru_cache(maxsize=1 << 14)
def stops(text: str) -> bool:
    """Tell whether a text says that somebody is not to be paid.

    >>> stops("Maria Silva (CANCELADO)"), stops("já pago em 10/10"), stops("Pago"), stops("Estornado Silva")
    (True, True, False, True)
    """
    return _STOP.search(" ".join(words_of(text))) is not None


# What any of them has in it, quickly found in whole columns.
_MAY_STOP: Final = "cancel|pag[oau]|pay|paid|quitad|liberar|repassar|estorn|suspen|falec|deceas|bloque|disput|desconsid"


def hold_stopped_rows(draft: TableDraft, raw: RawTable, match: HeaderMatch) -> None:
    """Hold rows in which a cell or a comment says that they are not to be paid, but for columns that are left unread.

    Args:
        draft: The lines; findings are added.
    """
    columns = {position: column for column, position in match.positions.items()}
    lines = {row: at for at, row in enumerate(draft.rows.tolist())}
    for position in range(len(raw.headers)):
        if position in match.ignored or columns.get(position) in _NAMES_OF_WORKS:
            continue
        cells = raw.cells[position]
        may = cells[cells.str.contains(_MAY_STOP, case=False, regex=True)]
        draft.findings += [
            CellFinding(lines[row], columns.get(position), IssueCode.ROW_STOPPED, at=position)
            for row, text in may.items()
            if row in lines and stops(text)
        ]
    draft.findings += [
        CellFinding(lines[row], columns.get(position), IssueCode.ROW_STOPPED, at=position)
        for row, position, text in raw.oddities.comments
        if row in lines and position < len(raw.headers) and stops(text)
    ]


_COLOUR: Final = re.compile(
    r"\b(?:cor|cores|color(?:es)?|colou?rs?|pintad[oa]s?|vermelh[oa]s?|amarel[oa]s?|verdes?|azul|azuis|laranjas?|rosa|roxo|"
    r"cinza|preto|rojo|amarillo|naranja|gris|red|yellow|green|blue|orange|pink|gr[ae]y|purple|highlighted|destacad[oa]s?)\b"
)


def notes_that_stop(raw: RawTable, excluded: ExcludedRows) -> list[Issue]:
    """Tell of notes above, among and below the rows that say that somebody is not to be paid.

    One that speaks of colours is a legend, of which nobody has seen to whom it applies: an error. Others are warnings.
    """
    return [
        make_issue(
            IssueCode.NOTE_STOPS,
            file=raw.file.name,
            sheet=raw.sheet,
            cell=f"{column_letter(position)}{row}",
            row=row,
            severity=Severity.ERROR if is_legend(text) else None,
        )
        for row, position, text in _notes(raw, excluded)
        if stops(text)
    ]


def is_legend(text: str) -> bool:
    """Tell whether a text says what a colour means.

    >>> is_legend("vermelho = não pagar"), is_legend("não pagar antes do dia 10")
    (True, False)
    """
    return _COLOUR.search(" ".join(words_of(text))) is not None


def _notes(raw: RawTable, excluded: ExcludedRows) -> Iterator[tuple[int, int, str]]:
    for head in raw.above:
        yield from ((head.row, position, text) for position, text in enumerate(head.texts) if text)
    for at in np.flatnonzero(excluded.why == ExclusionReason.NOTE).tolist():
        cells = raw.cells.iloc[at]
        yield from ((int(raw.cells.index[at]), position, text) for position, text in enumerate(cells) if text)
