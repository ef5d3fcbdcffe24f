"""A PostgreSQL of its own for tests: a cluster in a temporary folder, on a free loopback port, gone afterwards."""

import os
import shutil
import socket
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import pytest


@contextmanager
def opened_cluster() -> Iterator[str]:
    """Start a cluster; its URL has no database name yet. Skips the test where PostgreSQL cannot run."""
    pg_ctl = max(Path("/usr/lib/postgresql").glob("*/bin/pg_ctl"), default=None) or shutil.which("pg_ctl")
    if pg_ctl is None:
        go_without("PostgreSQL's programs are not installed")
    as_user: list[str] = []
    folder = Path(tempfile.mkdtemp(prefix="repasse-pg-"))
    if os.geteuid() == 0:  # PostgreSQL refuses to run as root
        if shutil.which("runuser") is None or _no_user_postgres():
            go_without("PostgreSQL refuses to run as root, and there is no user postgres to run it as")
        as_user = ["runuser", "-u", "postgres", "--"]
        shutil.chown(folder, "postgres")
    data, port = folder / "data", _free_port()

    def run(*arguments: str) -> None:
        command = [*as_user, str(pg_ctl), "-D", str(data), *arguments]
        subprocess.run(command, check=True, cwd=folder, timeout=60, stdout=subprocess.DEVNULL)

    run("initdb", "-s", "-o", "--auth=trust --username=repasse --no-sync")
    options = f"-p {port} -k {folder} -c listen_addresses=127.0.0.1 -c fsync=off -c timezone=America/Sao_Paulo"
    run("-w", "-s", "-l", str(folder / "log"), "-o", options, "start")
    try:
        yield f"postgresql+psycopg://repasse@127.0.0.1:{port}"
    finally:
        run("-m", "immediate", "-s", "stop")
        shutil.rmtree(folder, ignore_errors=True)


def new_database(cluster: str) -> str:
    """Create an empty database in a cluster; returns its URL."""
    import psycopg

    name = f"ledger_{uuid.uuid4().hex}"
    with psycopg.connect(cluster.replace("+psycopg", "") + "/postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return f"{cluster}/{name}"


def go_without(reason: str) -> NoReturn:
    """Skip a test for want of a system program, or fail it where all of them are promised to be there."""
    if os.environ.get("REPASSE_REQUIRE_SYSTEM"):
        pytest.fail(f"REPASSE_REQUIRE_SYSTEM is set, and {reason}")
    pytest.skip(reason)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _no_user_postgres() -> bool:
    return subprocess.run(["id", "postgres"], check=False, capture_output=True).returncode != 0
