"""From findings to issues: the place, the header as written, the masked value and the text."""

from collections import Counter

from schemas.issue_texts import make_issue
from schemas.issues import Issue, IssueCode
from schemas.raw_table import RawTable, column_letter
from schemas.tables.cells import Finding
from schemas.tables.draft import Draft
from schemas.values.masking import mask_pix_key, mask_value
from schemas.values.reading import PIX_KEY_TYPES, fold_word


def count_normalised(draft: Draft) -> Counter[str | None]:
    """Count the cells of each canonical column that are told of as VALUE_NORMALISED."""
    return Counter(found.column for found in draft.findings if found.code is IssueCode.VALUE_NORMALISED)


def to_issues(draft: Draft, raw: RawTable, positions: dict[str, int], language: str) -> list[Issue]:
    """Make the issues of a file, in order of row and column.

    VALUE_NORMALISED is told once per column, at its first cell and with a count: a column of bank codes without
    leading zeros is one thing to know, not thousands.
    """
    ordered = sorted(
        draft.findings, key=lambda found: (draft.rows[found.position], positions.get(found.column or "", -1))
    )
    counts = count_normalised(draft)
    issues = []
    for found in ordered:
        facts = dict(found.facts)
        if found.code is IssueCode.VALUE_NORMALISED:
            count = counts.pop(found.column, None)
            if count is None:
                continue
            facts["count"] = count
        issues.append(_to_issue(found, facts, draft, raw, positions, language))
    return issues


def _to_issue(
    found: Finding, facts: dict[str, object], draft: Draft, raw: RawTable, positions: dict[str, int], language: str
) -> Issue:
    row = int(draft.rows[found.position])
    position = positions.get(found.column or "")
    return make_issue(
        found.code,
        language=language,
        file=raw.file.name,
        sheet=raw.sheet,
        cell=None if position is None else f"{column_letter(position)}{row}",
        row=row,
        column=None if position is None else raw.headers[position],
        value_masked=_masked(found, draft),
        severity=found.severity,
        **facts,
    )


def _masked(found: Finding, draft: Draft) -> str:
    if found.column is None:
        return ""
    text = draft.texts[found.column][found.position]
    if found.column == "pix_key":
        key_type = PIX_KEY_TYPES.get(fold_word(draft.texts["pix_key_type"][found.position]))
        return mask_pix_key(text, key_type) if text and key_type else mask_value("pix_key", text)
    return mask_value(found.column, text)
