"""A SQLite ledger lives on a disk of this machine, readable by its owner alone."""

import stat
from pathlib import Path

import pytest

from io_adapters.ledger import engine as sqlite_file
from io_adapters.ledger.ledger import open_ledger
from schemas.errors import ConfigurationError

LOCAL = "25 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"


def mounts(folder: Path, kind: str, place: Path) -> Path:
    """Write the kernel's list of mounts (proc(5), mountinfo) with one more filesystem; mounting one takes root."""
    listed = folder / "mountinfo"
    name = str(place).replace(" ", "\\040")
    listed.write_text(f"{LOCAL}90 25 0:50 / {name} rw - {kind} server:/share rw\n", encoding="utf-8")
    return listed


@pytest.mark.parametrize("kind", ["nfs", "nfs4", "cifs", "smb3", "9p", "fuse.sshfs", "ceph"])
def test_a_ledger_on_a_network_filesystem_is_refused_with_the_remedy(tmp_path: Path, clock, monkeypatch, kind: str):
    share = tmp_path / "team share"
    monkeypatch.setattr(sqlite_file, "_MOUNTS", mounts(tmp_path, kind, share))
    with pytest.raises(ConfigurationError, match=rf"network filesystem \({kind}\).*PostgreSQL"):
        open_ledger(f"sqlite:///{share}/home/ledger.db", clock=clock)
    assert not share.exists(), "nothing was made there"


def test_a_link_to_a_network_filesystem_is_one(tmp_path: Path, clock, monkeypatch):
    share = tmp_path / "share"
    share.mkdir()
    (tmp_path / "home").symlink_to(share)
    monkeypatch.setattr(sqlite_file, "_MOUNTS", mounts(tmp_path, "nfs4", share))
    with pytest.raises(ConfigurationError, match="network filesystem"):
        open_ledger(f"sqlite:///{tmp_path}/home/ledger.db", clock=clock)


def test_a_local_disk_beside_a_network_filesystem_is_fine(tmp_path: Path, clock, monkeypatch):
    monkeypatch.setattr(sqlite_file, "_MOUNTS", mounts(tmp_path, "nfs4", tmp_path / "share"))
    open_ledger(f"sqlite:///{tmp_path}/shared-disk/ledger.db", clock=clock).close()
    assert stat.S_IMODE((tmp_path / "shared-disk/ledger.db").stat().st_mode) == 0o600
