"""What cannot be read or makes no sense is told in one clear message, with its exit code, and nothing is sent."""

import os
import shutil
from pathlib import Path

import pytest
from sqlalchemy import create_engine
from sqlalchemy import text as sql
from sqlalchemy.exc import OperationalError

from flows.settings import APPROVAL_KEY, read_settings
from schemas.errors import ExitCode, trouble_of_the_machine
from tests.flows.jobs import payment, people

ANA = people(1)[0]


@pytest.fixture
def ready(label):
    label.payments(payment(ANA, "10,00"))
    return label


def refused(label, service, code: int, *says: str) -> None:
    """The run is refused with a code and words, for people and for programs alike, and leaves the service alone."""
    result = label.say("run", label.job, "--yes", code=code)
    document = label.ask("run", label.job, "--yes", code=code)
    assert document["exit_code"] == code
    assert "issues" in document
    for text in (" ".join(result.output.split()), " ".join(document["error"].split())):
        assert all(word in text for word in says), text
    assert service.posts == 0


def test_a_misspelt_key_of_the_job_is_told_with_line_and_column(ready, service):
    ready.job.write_text(ready.job.read_text().replace('"period"', '"perod"'))
    refused(ready, service, 10, "perod", "job.yaml:7:2")


def test_a_file_that_is_not_there(ready, service):
    (ready.folder / "payments.xlsx").unlink()
    refused(ready, service, 11, "payments.xlsx")


def test_a_file_that_is_no_workbook(ready, service):
    (ready.folder / "payments.xlsx").write_bytes(b"%PDF-1.7 not a workbook at all")
    refused(ready, service, 11, "payments.xlsx")


def test_a_layout_nobody_knows(ready, service):
    ready.declare(sources=[{"files": "payments.xlsx", "layout": "no-such-layout"}])
    refused(ready, service, 10, "no-such-layout")


def test_a_layout_that_is_not_of_money(ready, service):
    ready.declare(sources=[{"files": "payments.xlsx", "layout": "payees"}])
    refused(ready, service, 10, "payees")


def test_two_files_of_one_name_that_could_not_be_told_apart(ready, service):
    (ready.folder / "more").mkdir()
    shutil.copy(ready.folder / "payments.xlsx", ready.folder / "more" / "payments.xlsx")
    ready.declare(sources=[{"files": ["payments.xlsx", "more/payments.xlsx"], "layout": "payments"}])
    refused(ready, service, 10, "payments.xlsx", "renomeie")


def test_a_service_that_is_not_named_is_never_guessed(ready, service, monkeypatch):
    monkeypatch.delenv("REPASSE_API_URL")
    refused(ready, service, 10, "REPASSE_API_URL")


def test_a_real_service_without_a_place_for_the_ledger(ready, service, monkeypatch):
    monkeypatch.delenv("REPASSE_HOME")
    refused(ready, service, 10, "REPASSE_HOME")


def test_a_service_without_a_key(ready, service, monkeypatch):
    monkeypatch.delenv("REPASSE_API_KEY")
    refused(ready, service, 10, "REPASSE_API_KEY")


def test_the_key_never_travels_in_the_open(ready, service, monkeypatch):
    monkeypatch.setenv("REPASSE_API_URL", "http://payouts.example/external")
    refused(ready, service, 10, "https")


def test_secrets_are_taken_from_where_the_system_keeps_them(ready, service, monkeypatch, tmp_path):
    """Varied: the secret. Held constant: a folder that the system names; one of containers is read alike."""
    api_key, seal = os.environ["REPASSE_API_KEY"], "s" * 32
    monkeypatch.delenv("REPASSE_API_KEY")
    for name, secret in (("repasse_api_key", api_key), ("repasse_approval_key", seal)):
        (tmp_path / name).write_text(secret)
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(tmp_path))
    assert ready.run().exit_code == ExitCode.DONE
    assert service.paid
    assert read_settings().key_of_approvals() == seal.encode()
    assert not (read_settings().home / APPROVAL_KEY).exists(), "no key lies where the ledger lies"
    monkeypatch.setenv("REPASSE_APPROVAL_KEY", "e" * 32)
    assert read_settings().key_of_approvals() == b"e" * 32, "the environment goes first"
    assert seal not in repr(read_settings())


def test_an_environment_that_would_switch_checks_off(ready, service, monkeypatch):
    monkeypatch.setenv("PANDERA_VALIDATION_ENABLED", "False")
    refused(ready, service, 10, "PANDERA_VALIDATION_ENABLED")


def test_a_file_given_by_hand_that_is_not_there(ready, service):
    ready.declare(sources=[{"files": "payments.xlsx", "layout": "payments"}] * 2)
    ready.say("run", ready.job, "--file", "other.xlsx", code=11)
    assert service.posts == 0


# --- the machine ------------------------------------------------------------------------------------------------------


def no_room_for_sqlite(tmp_path):
    """Let SQLite run out of room, in its own words."""
    engine = create_engine(f"sqlite:///{tmp_path / 'small.db'}")
    with engine.connect() as connection:
        connection.execute(sql("CREATE TABLE rows (words TEXT)"))
        connection.execute(sql("PRAGMA max_page_count = 3"))
        connection.execute(sql("INSERT INTO rows VALUES (:words)"), {"words": "x" * 100_000})


def no_room_for_files(_):
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        full.write("x")


def no_right_to_it(tmp_path):
    (tmp_path / "file").write_text("")
    (tmp_path / "file" / "out").mkdir()


@pytest.mark.parametrize("gives_out", [no_room_for_sqlite, no_room_for_files, no_right_to_it])
def test_what_the_machine_says_is_no_bug_of_repasse(tmp_path, gives_out):
    with pytest.raises((OSError, OperationalError)) as caught:
        gives_out(tmp_path)
    assert trouble_of_the_machine(caught.value).exit_code == ExitCode.CONFIGURATION
    assert trouble_of_the_machine(ValueError("no")) is None


def test_a_place_that_cannot_be_written_is_told_and_what_was_sent_stands(label, service):
    label.payments(payment(ANA, "10,00"))
    label.declare(outputs={"folder": "payments.xlsx/out"})
    report = label.run()
    assert report.exit_code == ExitCode.CONFIGURATION
    assert any("a máquina diz" in message for message in report.messages)
    assert service.paid == [1000]
    label.declare()
    assert label.run().exit_code == ExitCode.DONE
    assert service.posts == 1
