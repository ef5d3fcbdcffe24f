"""Files read by the workers of a Dask cluster come to what they come to when they are read here, to the byte."""

import datetime as dt
import gzip
import logging
import os
import shutil
import socket
import sqlite3
import threading
import time
from pathlib import Path

import distributed
import pytest
import s3fs
from openpyxl import Workbook
from prefect import flow
from prefect.client.orchestration import get_client
from prefect.events.worker import EventsWorker
from prefect.settings import PREFECT_API_URL, temporary_settings

from flows.prefect_ui.cluster import task_runner
from flows.prefect_ui.states import watching
from flows.run import Clock, QuietProgress
from flows.run_options import RunOptions
from flows.run_request import read_run_request
from flows.runner import PAYOUT, call, opened_run, walk
from flows.settings import read_settings
from schemas.errors import ConfigurationError, ExitCode
from tests.flows.jobs import declare, payee, people, share, write_sheet
from tests.throwaway_dask import WAYS, opened_dask
from tests.watched.installation import ROOT, Installation

pytestmark = pytest.mark.long
NOW = dt.datetime(2026, 11, 3, 12, tzinfo=dt.UTC)
CLOCK = Clock(now=lambda: NOW, monotonic_s=time.monotonic, sleep=time.sleep)
HEADERS = "Período;Plataforma;ISRC;Título;Quantidade;Valor;Moeda"
TITLES = ("Samba", '"Duas\nlinhas"', '"Um ""lado"" B"', "Canção", "Álbum; não", "")


def statement(first, rows=300):
    """A statement whose fields hold line breaks, quotes and accents; some rows have problems, one says no more."""
    lines = [HEADERS]
    for number in range(first, first + rows):
        title = TITLES[number % len(TITLES)]
        title = f'"{title}"' if ";" in title else title
        amount = {7: "um real", 11: "1.000"}.get(number % 50, f"{number},{number % 100:02d}")
        period = "25/09/2026" if number % 80 == 79 else "03/09/2026"
        lines.append(f"{period};{('Onda', 'Praia')[number % 2]};BRAUR26{number % 30:05d};{title};{number};{amount};BRL")
        if number % 90 == 89:
            lines.append("")
    return "\n".join(lines)


def write_statements(folder):
    (folder / "a-quoted.csv").write_text(statement(1), encoding="utf-8")
    (folder / "b-latin.csv").write_bytes(statement(1_000).replace("\n", "\r\n").encode("cp1252"))
    (folder / "c-wide.csv").write_bytes(statement(2_000).encode("utf-16"))
    (folder / "d-packed.csv.gz").write_bytes(gzip.compress(statement(3_000).encode(), mtime=0))
    plain = [row for row in statement(4_000, 5_000).replace('"', "").replace("Duas\n", "Duas ").split("\n") if row]
    (folder / "e-plain.csv").write_text("\n".join(plain).replace("Álbum; não", "Álbum"), encoding="utf-8")
    book = Workbook()
    for line in (
        statement(9_000, 40).replace("\n", " ").replace(" 03/09", "\n03/09").replace(" 25/09", "\n25/09").split("\n")
    ):
        book.active.append(line.split(";")[:7])
    book.save(folder / "f-sheet.xlsx")


@pytest.fixture
def job(tmp_path, monkeypatch):
    """A job of six statements, whose plan waits for a person."""
    for name in [name for name in os.environ if name.startswith("REPASSE_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("REPASSE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("REPASSE_API_URL", "sandbox")
    monkeypatch.setattr("secrets.token_hex", lambda _: "abcdef")  # of the run
    monkeypatch.setattr("secrets.token_bytes", bytes)  # of the ledger
    folder = tmp_path / "job"
    folder.mkdir()
    write_statements(folder)
    ana, bia = people(2)
    write_sheet(folder / "payees.xlsx", [payee(ana), payee(bia)])
    write_sheet(folder / "shares.csv", [share(ana, "60"), share(bia, "25,5")])
    return declare(
        folder / "job.yaml",
        sources=[{"files": ["?-*.csv", "*.gz", "f-sheet.xlsx"], "layout": "royalties"}],
        payees="payees.xlsx",
        shares="shares.csv",
        outputs={"folder": "out", "statements": False, "formats": ["xlsx", "csv", "json"]},
    )


@pytest.fixture(scope="module")
def prefect(tmp_path_factory):
    """A Prefect server, which this process talks to as well."""
    installation = Installation(tmp_path_factory.mktemp("prefect"), os.environ)
    installation.start_server()
    with temporary_settings({PREFECT_API_URL: installation.url}):
        yield installation
    EventsWorker.drain_all(timeout=30)  # else they are sent to a server that is gone, one by one
    installation.stop()


@pytest.fixture
def cluster(prefect, tmp_path):
    (tmp_path / "dask").mkdir()
    with opened_dask(
        tmp_path / "dask", environment={"PREFECT_API_URL": prefect.url, "PYTHONPATH": str(ROOT)}
    ) as opened:
        yield opened


def the_way():
    """Do what is to be done in a flow; workers are given the flow, and nothing of a test."""
    from tests.throwaway_dask import WAYS

    WAYS.pop()()


def walked(job, *, on_cluster=False):
    """Walk a payout up to its approval; returns how it ended, its files, and all that the ledger then holds."""
    home = Path(os.environ["REPASSE_HOME"])
    shutil.rmtree(home, ignore_errors=True)
    shutil.rmtree(job.parent / "out", ignore_errors=True)
    order = read_run_request(job, RunOptions(by="ana"))
    with opened_run("payout", order, read_settings(), QuietProgress(), CLOCK) as run:

        def way(watch=call):
            walk(PAYOUT, run, watch)

        def under_prefect():
            with watching() as watch:
                way(watch)

        if on_cluster:
            WAYS.append(under_prefect)
            flow(name="payout", task_runner=task_runner(), persist_result=False)(the_way)()
        else:
            way()
    files = {str(path.relative_to(job.parent)): path.read_bytes() for path in sorted(job.parent.glob("out/**/*.*"))}
    with sqlite3.connect(home / "ledger.db") as ledger:
        facts = "\n".join(ledger.iterdump())
    return run, files, facts


def assert_alike(one, other):
    (run, files, facts), (again, files_again, facts_again) = one, other
    assert (run.exit_code, run.messages) == (again.exit_code, again.messages)
    assert run.issues == again.issues
    assert files.keys() == files_again.keys()
    assert [name for name in files if files[name] != files_again[name]] == []
    assert facts == facts_again


def files_read():
    """Count the tasks that the server shows of files read, by state."""
    with get_client(sync_client=True) as client:
        runs = client.read_task_runs(limit=200)
    return [run.state_name for run in runs if run.name.startswith("read file")]


def test_files_and_ledger_are_the_same_to_the_byte_and_each_file_is_a_task_people_see(job, cluster, monkeypatch):
    here, before = walked(job), len(files_read())
    assert here[0].exit_code is ExitCode.APPROVAL_WANTED
    assert any(name.endswith("corrections.xlsx") for name in here[1])
    monkeypatch.setenv("REPASSE_DASK", cluster.address)
    assert_alike(here, walked(job, on_cluster=True))
    wait_until(lambda: len(files_read()) == before + 6 and set(files_read()) == {"Completed"})


def test_a_worker_that_is_killed_costs_time_alone(job, cluster, monkeypatch):
    here = walked(job)
    monkeypatch.setenv("REPASSE_DASK", cluster.address)
    with distributed.Client(cluster.address, set_as_default=False) as eye:
        killed = threading.Thread(target=kill_one_at_work, args=(cluster, eye))
        killed.start()
        there = walked(job, on_cluster=True)
        killed.join()
        assert len(eye.scheduler_info()["workers"]) == 1
    assert_alike(here, there)


def kill_one_at_work(cluster, eye):
    wait_until(lambda: any(eye.processing().values()))
    victim = max(eye.processing().items(), key=lambda item: len(item[1]))[0]
    logs = [(cluster.folder / f"worker-{number}.log").read_text() for number in range(2)]
    cluster.kill(next(number for number, log in enumerate(logs) if victim in log))


def wait_until(happens):
    deadline = time.monotonic() + 60
    while not happens():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def test_a_file_that_cannot_be_read_is_told_as_here_and_nothing_of_it_is_in_the_clusters_logs(
    job, cluster, monkeypatch
):
    (job.parent / "g-broken.csv").write_text(f'{HEADERS}\n"25/09/2026;nobody closes this', encoding="utf-8")
    here = walked(job)
    assert here[0].exit_code is ExitCode.UNREADABLE_FILE
    monkeypatch.setenv("REPASSE_DASK", cluster.address)
    assert_alike(here, walked(job, on_cluster=True))
    for word in ("nobody", "Samba", "BRAUR", "Compute Failed"):
        assert word not in cluster.logs


def test_a_scheduler_that_does_not_answer_is_named_and_nothing_is_sent(job, prefect, monkeypatch):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{taken.getsockname()[1]}"
        monkeypatch.setenv("REPASSE_DASK", address)
        monkeypatch.setenv("DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT", "1s")
        run, _, _ = walked(job, on_cluster=True)
    assert run.exit_code is ExitCode.CONFIGURATION
    assert address in str(run.messages[0])


@pytest.mark.parametrize("address", ["http://127.0.0.1:8786", "tcp://somebody@127.0.0.1:8786", "dask"])
def test_an_address_that_is_none_is_named_before_anything_is_begun(job, monkeypatch, address):
    monkeypatch.setenv("REPASSE_DASK", address)
    with pytest.raises(ConfigurationError, match="REPASSE_DASK"):
        walked(job)


@pytest.fixture
def store(monkeypatch):
    """An object store on loopback, named by the environment as any other would be."""
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_DEFAULT_REGION"):
        monkeypatch.setenv(name, "us-east-1")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    s3fs.S3FileSystem.clear_instance_cache()
    yield s3fs.S3FileSystem()
    server.stop()
    s3fs.S3FileSystem.clear_instance_cache()


def put(store, job):
    """Move a job's statements to the store; the job then names them there."""
    store.makedirs("statements", exist_ok=True)
    for path in sorted(job.parent.glob("[a-f]-*")):
        store.pipe(f"statements/october/{path.name}", path.read_bytes())
        path.unlink()
    text = job.read_text(encoding="utf-8")
    for pattern in ("?-*.csv", "*.gz", "f-sheet.xlsx"):
        text = text.replace(f'"{pattern}"', f'"s3://statements/october/{pattern}"')
    job.write_text(text, encoding="utf-8")


def test_workers_read_from_an_object_store(job, store, cluster, monkeypatch):
    put(store, job)
    here = walked(job)
    assert here[0].exit_code is ExitCode.APPROVAL_WANTED
    monkeypatch.setenv("REPASSE_DASK", cluster.address)
    assert_alike(here, walked(job, on_cluster=True))


def test_a_store_that_lets_nobody_in_is_a_file_that_cannot_be_read(job, store, monkeypatch):
    put(store, job)
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    s3fs.S3FileSystem.clear_instance_cache()
    run, _, _ = walked(job)
    assert run.exit_code is ExitCode.UNREADABLE_FILE
    assert "NoCredentialsError" in str(run.messages[0])
