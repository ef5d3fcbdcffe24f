"""Problems of a job's files on the desk: grouped by rule, with each row's payee and the cell's value."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from flows.intake.intake import Intake, ReadSheet
from schemas.issues import Issue, IssueCode, Severity
from schemas.messages import Message
from schemas.raw_table import column_letter

_ORDER: Final = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.NOTE: 2}
LONGEST_VALUE: Final = 200
FIELD: Final = "cell-"

# A cell of a file that was read: file, sheet ("" for text), and its A1 reference.
Place = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class CellProblem:
    """One problem, and what stands in its cell."""

    number: int
    issue: Issue
    name: str = field(repr=False)
    value: str = field(repr=False)
    place: Place | None


@dataclass(frozen=True, slots=True)
class ProblemGroup:
    code: IssueCode
    severity: Severity
    problems: Sequence[CellProblem]

    @property
    def what(self) -> Message:
        return Message(f"reason.{self.code}")

    @property
    def can_be_put_right(self) -> bool:
        return any(problem.place for problem in self.problems)


def problems_of(issues: Iterable[Issue], intake: Intake) -> tuple[CellProblem, ...]:
    sheets = {(sheet.raw.file.name, sheet.raw.sheet or ""): sheet for sheet in intake.sheets}
    payees = intake.inputs.payees
    by_tax_id = dict(zip(payees["tax_id"], payees["name"], strict=True))
    found = []
    for number, issue in enumerate(issues):
        sheet = sheets.get((issue.file, issue.sheet or ""))
        found.append(CellProblem(number, issue, *_row_of(issue, sheet, by_tax_id)))
    return tuple(found)


def _row_of(issue: Issue, sheet: ReadSheet | None, names: Mapping[str, str]) -> tuple[str, str, Place | None]:
    if sheet is None or issue.row is None or issue.row not in sheet.raw.cells.index:
        return "", "", None
    cells = sheet.raw.cells.loc[issue.row]
    position = sheet.position_of("name")
    name = str(cells[position]) if position is not None else ""
    if not name and (place := sheet.position_of("tax_id")) is not None:
        name = names.get("".join(filter(str.isalnum, str(cells[place]))), "")
    letter = (issue.cell or "").rstrip("0123456789")
    if not letter or issue.severity is Severity.NOTE:
        return name, "", None
    written = {column_letter(at): str(text) for at, text in enumerate(cells)}
    if letter not in written:
        return name, "", None
    return name, written[letter], (issue.file, issue.sheet or "", issue.cell or "")


def group_problems(problems: Iterable[CellProblem]) -> tuple[ProblemGroup, ...]:
    """Group problems by rule: errors first, then the rules that most rows break; notes are left out."""
    groups = defaultdict[tuple[Severity, IssueCode], list[CellProblem]](list)
    for problem in problems:
        if problem.issue.severity is not Severity.NOTE:
            groups[problem.issue.severity, problem.issue.code].append(problem)
    found = [ProblemGroup(code, severity, tuple(some)) for (severity, code), some in groups.items()]
    return tuple(sorted(found, key=lambda group: (_ORDER[group.severity], -len(group.problems), group.code)))


def typed_values(form: Mapping[str, str], problems: Sequence[CellProblem]) -> dict[Place, str]:
    """Return what somebody has typed in the place of what stands in a cell; what they left alone is not in it."""
    typed = dict[Place, str]()
    for name, text in islice(form.items(), len(problems) + 10):
        digits = name.removeprefix(FIELD)
        if digits == name or not digits.isdecimal() or int(digits) >= len(problems):
            continue
        problem = problems[int(digits)]
        value = text.strip()[:LONGEST_VALUE]
        if problem.place is not None and value != problem.value:
            typed[problem.place] = value
    return typed
