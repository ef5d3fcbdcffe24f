"""Writing into the folder of jobs: the one way in which anything of the desk gets there.

A job before the change is compared with the job after it. What decides who must approve, what may be spent and where
results go is the house's, and is changed by the administrator, in the file itself.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Final

from flows.intake.proposal import NO_ANSWERS, Answers, ProposedTable
from flows.run_request import leads_outside, paths_in
from flows.settings import Folders
from io_adapters.ledger.ledger import Ledger
from io_adapters.outputs.atomic import replace_atomically
from io_adapters.spreadsheets.declarations import check_job, read_job, with_house_columns
from io_adapters.spreadsheets.kinds import WORKBOOKS, FileKind, is_sheet_by_name
from io_adapters.spreadsheets.readers import kind_of_content
from schemas.errors import ExitCode, RepasseError
from schemas.job import Job
from schemas.messages import Message

# Keys of a job that say who must approve, what may be spent, and where results go.
HOUSE_KEYS: Final = ("job", "payer", "approval", "account_checks", "outputs")
LAYOUT_SUFFIX: Final = ".layout.yaml"
_PACKED: Final = (".gz", ".zip")
_SHEETS: Final = WORKBOOKS | {FileKind.TEXT}


class NotTheDesks(RepasseError):
    """A change of a job that the desk does not make, whoever asks; nothing was written."""

    exit_code = ExitCode.USAGE


@dataclass(frozen=True, slots=True)
class JobChange:
    """What somebody puts in the place of a job's files."""

    text: str
    by: str
    tables: Mapping[str, bytes] = field(default_factory=dict)
    layouts: Mapping[str, bytes] = field(default_factory=dict)


def write_job(ledger: Ledger, uploads: Path, path: Path, change: JobChange) -> None:
    """Write a change of a job into its folder, its own file last, and keep what was there and who changed it.

    The job's own text is edited: whoever had a part in it before has one in what it says now. A sheet is whoever's who
    put it there.

    Raises:
        NotTheDesks: it changes what is the house's, or writes what is no table of the job; nothing was written.
        ConfigurationError: the job would not be a sound one; nothing was written.
    """
    is_new = not path.exists()
    after = check_job(change.text, path.name)
    _require_the_desks(after, None if is_new else _read_before(path), is_new=is_new)
    for name, content in change.tables.items():
        _require_table(after, path, name, content)
    if change.layouts and not is_new:
        raise NotTheDesks(Message("desk.files.house"))
    for name in change.layouts:
        _require_layout(path, name)
    own = {path.name: change.text.encode()}
    for name, content in {**change.tables, **change.layouts, **own}.items():
        if (path.parent / name).is_file() and (path.parent / name).read_bytes() == content:
            continue
        _put_in_place(ledger, uploads, path, name, content, change.by, carries_on=name == path.name)


def answer_for_the_house(
    ledger: Ledger, uploads: Path, tables: Iterable[ProposedTable], by: str, declared: Answers = NO_ANSWERS
) -> None:
    """Write what somebody has answered of senders' statements for all jobs; what was there stays, and who wrote it."""
    path = Folders().columns
    if content := with_house_columns(path, [(table.kind, table.of_house(declared)) for table in tables]):
        _put_in_place(ledger, uploads, path, path.name, content, by, carries_on=True)


def _read_before(path: Path) -> Job:
    try:
        return read_job(path).job
    except RepasseError:  # a job that cannot be read says nothing of what is the house's
        raise NotTheDesks(Message("desk.files.house")) from None


def _require_the_desks(after: Job, before: Job | None, *, is_new: bool) -> None:
    """Refuse a job that says otherwise than before what is the house's, or that leads out of its folder."""
    if before is not None and any(getattr(after, key) != getattr(before, key) for key in HOUSE_KEYS):
        raise NotTheDesks(Message("desk.files.house"))
    if before is not None and after.rules.limits != before.rules.limits:
        raise NotTheDesks(Message("desk.files.house"))
    if is_new and not (after.approval.identities == "signed_in" and after.approval.other_than_preparer):
        raise NotTheDesks(Message("desk.files.house"))
    known = set(paths_in(before)) if before is not None else set[str]()
    outside = [path for path in paths_in(after) if path not in known and leads_outside(path)]
    if outside:
        raise NotTheDesks(Message("desk.files.outside", paths=", ".join(outside)))


def is_plainly_inside(path: Path, name: str) -> bool:
    parts = PurePosixPath(name).parts
    plain = bool(parts) and not leads_outside(name) and not any(part.startswith(".") for part in parts)
    return plain and (path.parent / name).resolve() == path.parent.resolve() / name


def _require_table(job: Job, path: Path, name: str, content: bytes) -> None:
    """Refuse what is no sheet under a name by which the job reads a table.

    A YAML file beside a job is a job, or a layout: neither comes by this way, whatever the job calls it.
    """
    named = {file for files in (*job.sources, *job.tables.values()) if files for file in files.files}
    if name not in named or not is_plainly_inside(path, name) or not is_sheet_by_name(name):
        raise NotTheDesks(Message("desk.files.no_table", name=PurePosixPath(name).name))
    if not name.lower().endswith(_PACKED) and kind_of_content(content) not in _SHEETS:
        raise NotTheDesks(Message("desk.files.no_table", name=PurePosixPath(name).name))


def _require_layout(path: Path, name: str) -> None:
    if not name.endswith(LAYOUT_SUFFIX) or len(PurePosixPath(name).parts) != 1 or not is_plainly_inside(path, name):
        raise NotTheDesks(Message("desk.files.no_table", name=PurePosixPath(name).name))


def digest_of(path: Path | None) -> str:
    """Return the digest of a file's bytes; "" where there is none."""
    return sha256(path.read_bytes()).hexdigest() if path and path.is_file() else ""


def _put_in_place(
    ledger: Ledger, uploads: Path, job_path: Path, name: str, content: bytes, by: str, *, carries_on: bool
) -> None:
    target = job_path.parent / name
    before = target.read_bytes() if target.is_file() else b""
    digests = [_keep(uploads, Path(name).name, bytes_) if bytes_ else "" for bytes_ in (before, content)]
    ledger.authors.record(digests[1], by, carried_on_from=digests[0] if carries_on else "")
    ledger.job_versions.record(str(job_path.absolute()), name, digests[0], digests[1], by)
    replace_atomically(target, content, like_its_folder=True)


def _keep(uploads: Path, name: str, content: bytes) -> str:
    digest = sha256(content).hexdigest()
    home = uploads / digest
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    if not (home / name).exists():
        replace_atomically(home / name, content)
    return digest
