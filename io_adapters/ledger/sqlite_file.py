"""The place of a SQLite ledger: private to its user, and on a disk of this machine."""

import errno
import os
from contextlib import suppress
from pathlib import Path

from schemas.errors import ConfigurationError

_MOUNTS = Path("/proc/self/mountinfo")
# WAL keeps its index in memory shared by processes of one machine: https://www.sqlite.org/wal.html, "Overview".
_NETWORK_FILESYSTEMS = frozenset(
    {"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "glusterfs", "fuse.sshfs"}
)


def prepare_file(path: Path) -> None:
    """Create the file and its folder where they are missing, and keep others from reading it.

    A folder that was there before keeps its permissions: it may hold more than the ledger. A file that is there is not
    opened here. Closing it again would drop the locks that other ledgers of this process hold on it: another program
    would take itself for the last one and remove the write-ahead log, and what this one writes to it is lost
    (https://www.sqlite.org/howtocorrupt.html, "Posix advisory locks canceled by a separate thread doing close()").

    Raises:
        ConfigurationError: the folder cannot be written, or lies on a network filesystem.
    """
    kind = _filesystem_of(path.resolve())
    if kind in _NETWORK_FILESYSTEMS:
        raise ConfigurationError(
            f"the ledger {path} lies on a network filesystem ({kind}), where SQLite cannot keep two programs apart; "
            "use a local disk, or PostgreSQL (REPASSE_LEDGER_URL)"
        )
    try:
        for folder in reversed([p for p in path.parents if not p.exists()]):
            folder.mkdir(mode=0o700, exist_ok=True)
        with suppress(FileExistsError):
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        if not os.access(path, os.R_OK | os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        path.chmod(0o600)  # SQLite gives its -wal and -shm files the same
    except OSError as error:
        raise ConfigurationError(f"the ledger {path} cannot be written: {error.strerror}") from error


def _filesystem_of(path: Path) -> str:
    """Return the type of the filesystem a path lies on; "" where that cannot be known."""
    try:
        lines = _MOUNTS.read_text().splitlines()
    except OSError:
        return ""
    best, kind = "", ""
    for line in lines:
        place, _, rest = line.partition(" - ")
        mount = place.split()[4].replace("\\040", " ")
        # The last of several mounts on one place hides the others.
        if path.is_relative_to(mount) and len(mount) >= len(best):
            best, kind = mount, rest.split()[0]
    return kind
