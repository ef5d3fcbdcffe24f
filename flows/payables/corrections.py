"""Collecting what a corrections workbook holds: rows with problems, and missing shares."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from shlex import quote
from string import ascii_uppercase, digits
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from flows.intake.intake import Intake, ReadSheet
from flows.payables.institutions import read_institutions
from flows.payables.rules.institutions import propose_bank
from flows.payables.rules.left_out import set_aside
from flows.payables.rules.missing_shares import codes_of_titles, list_missing_shares
from flows.run import Run
from io_adapters.outputs.atomic import replace_atomically
from io_adapters.spreadsheets.readers import mark_workbook
from io_adapters.spreadsheets.reading import xlsx_of
from schemas.errors import UnreadableFile
from schemas.issues import Issue, IssueCode, Severity
from schemas.layouts.layout import fold
from schemas.messages import Message
from schemas.parsing.find_columns import label_of
from schemas.raw_table import FileIdentity, RawTable, column_letter, with_column
from schemas.values.pix_key import key_digest
from schemas.wire import Institution

if TYPE_CHECKING:
    from io_adapters.outputs.corrections import SheetToCorrect


def write_run_corrections(run: Run, intake: Intake, folder: Path) -> list[Path]:
    """Write what there is to put right; nothing, where nothing is wrong.

    Raises:
        OSError: the folder cannot be written.
    """
    return [path for path in (corrections_of(run, intake, folder), missing_shares_of(run, intake, folder)) if path]


def corrections_of(
    run: Run,
    intake: Intake,
    folder: Path,
    *,
    at_desk: bool = False,
    typed: Mapping[tuple[str, str, str], str] = MappingProxyType({}),
) -> Path | None:
    """Write the person's own sheets with the bad cells marked; None when there is nothing to correct.

    Lines without a share are nothing to correct in their statement: they have a workbook of their own.

    Args:
        typed: File, sheet and A1 reference -> what somebody has typed in that cell's place.
    """
    wrong = [issue for issue in run.issues if issue.code is not IssueCode.SHARE_UNMATCHED]
    if all(issue.severity is Severity.NOTE for issue in wrong):
        return None
    # A workbook takes long to import, and most checks have nothing to correct.
    from io_adapters.outputs.corrections import SheetToCorrect, write_corrections  # noqa: PLC0415

    path, next_step = folder / "corrections.xlsx", _next_step(run, folder / "corrections.xlsx", at_desk=at_desk)
    listed = read_institutions(run.ledger, None, run.clock.now()).by_ispb
    scopeless = any(issue.code is IssueCode.SHARE_SCOPE for issue in run.issues)
    titles = codes_of_titles(intake.inputs.statements) if scopeless else {}
    sheets = []
    for sheet in intake.sheets:
        raw, origin = sheet.raw, sheet.origin
        issues = [issue for issue in wrong if (issue.file, issue.sheet) == (raw.file.name, raw.sheet)]
        types = _types_to_fill_in(sheet, issues, intake.proposed_key_types) if origin.whole else {}
        codes = _codes_to_fill_in(sheet, issues, titles) if origin.whole else {}
        proposals = _proposals(raw, issues, listed) | _typed_in(raw, typed) | types | codes
        added = "pix_key_type" if types else "isrc" if codes and sheet.position_of("isrc") is None else ""
        if added:
            raw = with_column(raw, label_of(sheet.layout, added))
        sheets.append(SheetToCorrect(raw, issues, origin, proposals, added=1 if added else 0))
    if not typed and (own := _own_workbook(run, intake, sheets, next_step)):
        return replace_atomically(path, own)
    return write_corrections(sheets, path, run.language, next_step)


# Marking a workbook takes some fifty times its length of memory.
_MOST_MARKED_BYTES: Final = 8 * 2**20


def _own_workbook(run: Run, intake: Intake, sheets: "Sequence[SheetToCorrect]", next_step: Message) -> bytes | None:
    """Return the person's own workbook with the bad cells marked, where one workbook holds all that is wrong."""
    from io_adapters.outputs.corrections import COPIED_WHOLE, marks_of  # noqa: PLC0415 - as above

    wrong = _files_with(sheets, Severity.ERROR) or _files_with(sheets, Severity.WARNING)
    if len(wrong) != 1:
        return None
    (file,) = wrong
    issues = [issue for sheet in sheets for issue in sheet.issues]
    own = [sheet for sheet in sheets if sheet.table.file.sha256 == file.sha256]
    if not all(sheet.origin.whole and len(sheet.table.cells) <= COPIED_WHOLE for sheet in own):
        return None
    if any(row.file == file.name for row in intake.settled):
        return None  # the file still has these rows as they were before they were put right
    paths = [*(sheet.path for sheet in intake.sheets), *(path for _, path in run.request.files)]
    for path in dict.fromkeys(path for path in paths if path.rsplit("/", 1)[-1] == file.name):
        with suppress(UnreadableFile):
            content = xlsx_of(path, file.sha256, _MOST_MARKED_BYTES)
            if content is not None:
                return mark_workbook(content, marks_of(own, issues, run.language, next_step))
    return None


def _files_with(sheets: "Sequence[SheetToCorrect]", severity: Severity) -> set[FileIdentity]:
    return {sheet.table.file for sheet in sheets if any(issue.severity is severity for issue in sheet.issues)}


# As people write them.
_TYPE_WORDS: Final[Mapping[str, str]] = {
    "cpf": "CPF",
    "cnpj": "CNPJ",
    "email": "E-mail",
    "phone_number": "Celular",
    "random_key": "Aleatória",
}


def _types_to_fill_in(
    sheet: ReadSheet, issues: Sequence[Issue], proposed: Mapping[str, str]
) -> dict[tuple[int, int], str]:
    """Return row and position, right of a sheet without types of Pix keys, of each type that is to be stated."""
    rows = {issue.row for issue in issues if issue.code in _WITHOUT_TYPE and issue.row is not None}
    position = sheet.position_of("pix_key")
    if not rows or position is None or sheet.position_of("pix_key_type") is not None:
        return {}
    keys, added = sheet.raw.cells[position], len(sheet.raw.headers)
    digests = {row: key_digest(keys.loc[row]) for row in rows if row in keys.index}
    return {(row, added): _TYPE_WORDS.get(proposed.get(digest, ""), "") for row, digest in digests.items()}


def _codes_to_fill_in(
    sheet: ReadSheet, issues: Sequence[Issue], codes: Mapping[tuple[str, str], str]
) -> dict[tuple[int, int], str]:
    """Return row and position of the ISRC of each share that has a title instead, as the statements know it."""
    cells = sheet.raw.cells
    rows = [issue.row for issue in issues if issue.code is IssueCode.SHARE_SCOPE and issue.row is not None]
    title, artist, position = (sheet.position_of(column) for column in ("title", "artist", "isrc"))
    if title is None:
        return {}
    found = {}
    for row in (row for row in rows if row in cells.index):
        names = [fold(str(cells.loc[row, at])) if at is not None else "" for at in (title, artist)]
        place = row, len(sheet.raw.headers) if position is None else position
        found[place] = codes.get((names[0], names[1]), "")
    return found if any(found.values()) else {}


_WITHOUT_TYPE: Final = frozenset({IssueCode.PIX_TYPE_REQUIRED, IssueCode.PIX_TYPE_PROPOSED})


def _proposals(raw: RawTable, issues: Sequence[Issue], listed: Mapping[str, Institution]) -> dict[tuple[int, int], str]:
    """Return row and position of each bank that was written by its name -> the code of the one that bears it."""
    letters = {column_letter(position): position for position in range(len(raw.headers))}
    proposals = {}
    for issue in issues:
        if issue.code is not IssueCode.BANK_CODE or not issue.cell or not issue.row or issue.row not in raw.cells.index:
            continue
        position = letters[issue.cell.rstrip("0123456789")]
        code = propose_bank(str(raw.cells.loc[issue.row, position]), listed)
        if code is not None:
            proposals[issue.row, position] = code
    return proposals


def _typed_in(raw: RawTable, typed: Mapping[tuple[str, str, str], str]) -> dict[tuple[int, int], str]:
    letters = {column_letter(position): position for position in range(len(raw.headers))}
    return {
        (int(cell.lstrip(ascii_uppercase)), letters[cell.rstrip(digits)]): text
        for (file, sheet, cell), text in typed.items()
        if (file, sheet) == (raw.file.name, raw.sheet or "")
    }


def _next_step(run: Run, path: Path, *, at_desk: bool) -> Message:
    """Say what to do with the workbook: hand it in at the desk, where that asked for it, or the command."""
    request = run.request
    launches = run.ledger.desk_launches.of_job_file(str(request.job_path.absolute()))
    if at_desk or request.by in {launch.by for launch in launches}:
        return Message("output.note.corrections_desk")
    command = f"repasse run {quote(str(request.job_path))}{request.named} --file {quote(str(path))}"
    return Message("output.note.corrections", command=command)


def missing_shares_of(run: Run, intake: Intake, folder: Path) -> Path | None:
    """List the lines that no share covers, to be filled in; files that were paid before are left out."""
    inputs, _ = set_aside(intake.inputs, intake.used_before.repeated)
    if not any(issue.code is IssueCode.SHARE_UNMATCHED for issue in inputs.issues):
        return None
    first_day = run.request.period.start.isoformat()
    shares, currency = (inputs.shares, inputs.shares_in_question), run.job.currency
    missing = list_missing_shares(inputs.statements, *shares, currency=currency, first_day=first_day)
    if not missing:
        return None
    from io_adapters.outputs.corrections import write_missing_shares  # noqa: PLC0415 - as above

    return write_missing_shares(missing, folder / "missing-shares.xlsx", run.language)
