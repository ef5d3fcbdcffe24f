"""Files read by the workers of a Dask cluster come to what they come to when they are read here, to the byte."""

import datetime as dt
import gzip
import logging
import operator
import os
import shutil
import signal
import socket
import sqlite3
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import distributed
import pytest
import s3fs
from openpyxl import Workbook

from flows.run import Clock, QuietProgress
from flows.run_request import read_run_request
from flows.runner import PAYOUT, opened_run, walk
from flows.settings import read_settings
from io_adapters import cluster as cluster_module
from io_adapters.cluster import Cluster, opened_cluster
from schemas.errors import ExitCode
from tests.flows.jobs import declare, payee, people, share, write_sheet
from tests.throwaway_dask import opened_dask

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


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    with opened_dask(tmp_path_factory.mktemp("dask")) as opened:
        yield opened


@pytest.fixture
def job(tmp_path, home, monkeypatch):
    """A job of six statements, whose plan waits for a person."""
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


def walked(job):
    """Walk a payout up to its approval; returns how it ended, its files, and all that the ledger then holds."""
    home = Path(os.environ["REPASSE_HOME"])
    shutil.rmtree(home, ignore_errors=True)
    shutil.rmtree(job.parent / "out", ignore_errors=True)
    order = read_run_request(job, by="ana")
    with opened_run("payout", order, read_settings(), QuietProgress(), CLOCK) as run:
        walk(PAYOUT, run)
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


@pytest.mark.journey
def test_files_that_are_read_at_once_do_not_cancel_each_other(cluster, monkeypatch):
    monkeypatch.setattr(cluster_module, "_LOOK_EVERY_S", 0.003)  # many looks end while another thread fetches
    with opened_cluster(cluster.address) as opened, ThreadPoolExecutor(8) as threads:
        read = list(threads.map(lambda number: opened.merged(abs, [-number, number], operator.add), range(60)))
    assert read == [2 * number for number in range(60)]


@pytest.mark.parametrize("range_bytes", [5_000, pytest.param(100_000, marks=pytest.mark.journey), 2**25])
def test_files_and_ledger_are_the_same_to_the_byte_whatever_the_cut(job, cluster, monkeypatch, range_bytes):
    here = walked(job)
    assert here[0].exit_code is ExitCode.APPROVAL_WANTED
    assert any(name.endswith("corrections.xlsx") for name in here[1])
    monkeypatch.setenv("REPASSE_DASK", cluster.address)
    monkeypatch.setattr(Cluster, "range_bytes", range_bytes)
    assert_alike(here, walked(job))


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


@pytest.mark.parametrize("range_bytes", [10_000, 100_000])
def test_workers_read_their_parts_from_an_object_store(job, store, tmp_path, monkeypatch, range_bytes):
    put(store, job)
    here = walked(job)
    assert here[0].exit_code is ExitCode.APPROVAL_WANTED
    (tmp_path / "dask").mkdir()
    with opened_dask(tmp_path / "dask") as cluster:
        monkeypatch.setenv("REPASSE_DASK", cluster.address)
        monkeypatch.setattr(Cluster, "range_bytes", range_bytes)
        assert_alike(here, walked(job))


def test_a_store_that_lets_nobody_in_is_a_file_that_cannot_be_read(job, store, monkeypatch):
    put(store, job)
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    s3fs.S3FileSystem.clear_instance_cache()
    run, _, _ = walked(job)
    assert run.exit_code is ExitCode.UNREADABLE_FILE
    assert "NoCredentialsError" in str(run.messages[0])


def test_nothing_of_a_file_is_in_the_logs_of_the_cluster(job, cluster, monkeypatch):
    monkeypatch.setenv("REPASSE_DASK", cluster.address)
    (job.parent / "g-broken.csv").write_text(f'{HEADERS}\n"25/09/2026;nobody closes this', encoding="utf-8")
    run, _, _ = walked(job)
    assert run.exit_code is ExitCode.UNREADABLE_FILE
    assert "g-broken.csv" in str(run.messages[0])
    for word in ("broken", "csv", "nobody", "Samba", "BRAUR", str(job.parent), "Compute Failed"):
        assert word not in cluster.logs


def test_a_worker_that_is_killed_costs_time_alone(job, tmp_path, monkeypatch):
    here = walked(job)
    (tmp_path / "dask").mkdir()
    with opened_dask(tmp_path / "dask") as cluster, distributed.Client(cluster.address, set_as_default=False) as eye:
        monkeypatch.setenv("REPASSE_DASK", cluster.address)
        monkeypatch.setattr(Cluster, "range_bytes", 10_000)
        ended = []
        thread = threading.Thread(target=lambda: ended.append(walked(job)))
        thread.start()
        wait_until(lambda: any(eye.has_what().values()))
        victim = max(eye.has_what().items(), key=lambda item: len(item[1]))[0]
        number = next(
            number for number in range(2) if f"{victim}\n" in (cluster.folder / f"worker-{number}.log").read_text()
        )
        cluster.kill(number)
        assert not ended
        thread.join()
        assert len(eye.scheduler_info()["workers"]) == 1
    assert_alike(here, ended[0])


def wait_until(happens):
    deadline = time.monotonic() + 60
    while not happens():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def ends_with(job, monkeypatch, address, *words):
    """Run on a cluster that cannot do it; nothing is planned, and a person is told why."""
    monkeypatch.setenv("REPASSE_DASK", address)
    run, _, _ = walked(job)
    assert run.exit_code is ExitCode.CONFIGURATION
    for word in words:
        assert word in str(run.messages[0])


def test_workers_that_die_over_the_same_part_end_the_run(job, tmp_path, monkeypatch):
    (tmp_path / "dask").mkdir()
    none_may_fail = {"DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "0"}
    with opened_dask(tmp_path / "dask", workers=1, environment=none_may_fail) as cluster:
        worker = cluster.workers[0]
        os.kill(worker.pid, signal.SIGSTOP)  # it takes work, and does none

        def kill_it_at_work():
            with distributed.Client(cluster.address, set_as_default=False) as eye:
                wait_until(lambda: any(eye.processing().values()))
            cluster.kill(0)

        thread = threading.Thread(target=kill_it_at_work)
        thread.start()
        ends_with(job, monkeypatch, cluster.address, "died one after the other")
        thread.join()


def test_a_scheduler_that_is_lost_ends_the_run(job, tmp_path, monkeypatch):
    (tmp_path / "dask").mkdir()
    with opened_dask(tmp_path / "dask", workers=1) as cluster:
        os.kill(cluster.workers[0].pid, signal.SIGSTOP)

        def kill_the_scheduler():
            with distributed.Client(cluster.address, set_as_default=False) as eye:
                wait_until(lambda: any(eye.processing().values()))
            cluster.scheduler.kill()

        thread = threading.Thread(target=kill_the_scheduler)
        thread.start()
        ends_with(job, monkeypatch, cluster.address, "was lost")
        thread.join()
        os.kill(cluster.workers[0].pid, signal.SIGCONT)


def test_a_cluster_without_workers_is_waited_for_and_then_named(job, tmp_path, monkeypatch):
    monkeypatch.setattr(cluster_module, "PATIENCE_S", 3.0)
    (tmp_path / "dask").mkdir()
    with opened_dask(tmp_path / "dask", workers=0) as cluster:
        ends_with(job, monkeypatch, cluster.address, "had no worker for 3 s")


def test_a_scheduler_that_does_not_answer_is_named(job, monkeypatch):
    monkeypatch.setattr(cluster_module, "_CONNECT_S", 1)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        ends_with(job, monkeypatch, f"tcp://127.0.0.1:{taken.getsockname()[1]}", "no Dask scheduler answers")


def another_version(folder):
    for package in ("flows", "io_adapters", "schemas"):
        shutil.copytree(Path(__file__).parents[2] / package, folder / package)
    (folder / "flows" / "another.py").write_text("# one line more\n")


def another_program(folder):
    (folder / "io_adapters.py").write_text("# not ours\n")


@pytest.mark.parametrize(
    ("install", "words"),
    [(another_version, ["other versions", "repasse"]), (another_program, ["cannot load Repasse"])],
)
def test_workers_that_run_another_program_are_refused(job, tmp_path, monkeypatch, install, words):
    folder = tmp_path / "dask"
    folder.mkdir()
    install(folder)
    with opened_dask(folder, workers=1) as cluster:
        ends_with(job, monkeypatch, cluster.address, *words)


@pytest.mark.parametrize(
    ("engine", "address", "told"),
    [
        ("dask", "", "REPASSE_DASK não está definida"),
        (None, "http://127.0.0.1:8786", "REPASSE_DASK tem de ser o endereço"),
        ("dask", "tcp://somebody@127.0.0.1:8786", "REPASSE_DASK tem de ser o endereço"),
    ],
)
def test_an_environment_that_names_no_cluster_is_told_before_anything_is_read(
    label, monkeypatch, engine, address, told
):
    label.declare(engine=engine)
    monkeypatch.setenv("REPASSE_DASK", address)
    assert told in " ".join(label.say("check", label.job, code=10).output.split())


def test_a_job_may_say_that_it_is_read_here_whatever_the_environment_names(label, monkeypatch):
    label.declare(engine="local")
    monkeypatch.setenv("REPASSE_DASK", "tcp://127.0.0.1:9")
    assert read_run_request(label.job).cluster is None
