"""Writing files atomically: whole, or not at all."""

import os
import stat
import tempfile
from pathlib import Path

OTHER_NAMES = 9
# Of temporary files, before the number of the process; what they will be called is not in it.
_UNFINISHED = ".writing-"


def replace_atomically(target: Path, content: bytes, *, like_its_folder: bool = False) -> Path:
    """Write a file so that a reader, or a crash, meets the old content or the new, never a part.

    The content goes to a temporary file in the same folder (mode 0600, where nothing else is asked for), is forced to
    disk, and takes the target's name; then the folder is forced to disk too. Missing folders are made (mode 0700).

    Raises:
        OSError: the folder cannot be written, or the disk is full; the old file is untouched.
    """
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=target.parent, prefix=f"{_UNFINISHED}{os.getpid()}-", suffix=".part")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if like_its_folder:
            Path(temporary).chmod(_shared_mode(target))
        written = _take_name(Path(temporary), target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    _force_to_disk(target.parent)
    return written


def sweep_unfinished(folder: Path) -> None:
    """Remove what processes that have ended left half written anywhere below a folder; it may hold people's data."""
    for path in folder.rglob(f"{_UNFINISHED}*.part"):
        if not is_running(path.name.removeprefix(_UNFINISHED).partition("-")[0]):
            path.unlink(missing_ok=True)


def is_running(process: str) -> bool:
    """Whether a process of this machine runs; a name that is no process number is of none."""
    if not process.isdecimal():
        return False
    try:
        os.kill(int(process), 0)
    except PermissionError:
        return True
    except (OSError, OverflowError):
        return False
    return True


def _shared_mode(target: Path) -> int:
    mode = (target if target.exists() else target.parent).stat().st_mode
    return stat.S_IMODE(mode) & ~(
        stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH | stat.S_ISUID | stat.S_ISGID | stat.S_ISVTX
    )


def _take_name(temporary: Path, target: Path) -> Path:
    refused = PermissionError(f"{target.name} cannot be replaced")
    for number in range(1, OTHER_NAMES + 1):
        candidate = target if number == 1 else target.with_name(f"{target.stem} ({number}){target.suffix}")
        if _is_read_only(candidate):
            continue
        try:
            temporary.replace(candidate)
        except PermissionError as error:  # Windows: another program holds it open
            refused = error
        else:
            return candidate
    raise refused


def _is_read_only(path: Path) -> bool:
    # The mark itself is asked for, not os.access: an administrator's right to overwrite is not a wish to.
    return path.exists() and not path.stat().st_mode & stat.S_IWUSR


def _force_to_disk(folder: Path) -> None:
    if os.name == "nt":  # Windows cannot open a folder; it writes names through
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
