"""The ledger's file: made, migrated and protected by the program itself."""

import datetime as dt
import re
import shutil
import sqlite3
import stat
import subprocess
import sys
import threading
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine, inspect, text
from sqlalchemy.exc import DBAPIError

from io_adapters.ledger import engine as schema_version
from io_adapters.ledger.engine import REVISIONS
from io_adapters.ledger.ledger import open_ledger
from io_adapters.ledger.tables import APPEND_ONLY, Packed, metadata
from schemas.acts import Act, ActKind
from schemas.approval import Decision, DecisionKind
from schemas.bank import BankMatter, BankStatement, Explained, lines_of
from schemas.deal_sums import DealSum, DealSumKind
from schemas.errors import AnotherRun, ConfigurationError
from schemas.journal import EntryKind, JournalEntry, Series
from schemas.plan import ExchangeTerms
from schemas.submission import Outcome, SubmissionState

OPEN_IT = """
import datetime as dt, sys
from io_adapters.ledger.ledger import open_ledger
ledger = open_ledger(sys.argv[1], clock=lambda: dt.datetime(2026, 11, 20, tzinfo=dt.UTC))
print(ledger.tag, "alembic" in sys.modules)
"""


@pytest.mark.parametrize(
    "stored", ["ob-inwcggubukl6cxddfjrmecystw", "ob-" + "7" * 26, "0f" * 32, "", "OB-A", "ob-ação", "k", "0F" * 32]
)
def test_keys_and_fingerprints_come_back_as_the_text_they_were(stored):
    packed = Packed().process_bind_param(stored, None)
    assert Packed().process_result_value(packed, None) == stored
    assert len(packed) <= max(len(stored.encode()) + 1, 33)


def test_the_migrations_build_the_tables_the_program_uses(ledger_url, clock):
    open_ledger(ledger_url, clock=clock).close()
    engine = create_engine(ledger_url)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": True})
        assert compare_metadata(context, metadata) == []
    engine.dispose()


def test_the_migrations_build_the_very_sql_of_the_tables_partial_indexes_included(tmp_path, clock):
    open_ledger(f"sqlite:///{tmp_path}/migrated.db", clock=clock).close()
    metadata.create_all(create_engine(f"sqlite:///{tmp_path}/direct.db"))

    def schema(name: str) -> set[str]:
        rows = sqlite3.connect(tmp_path / name).execute(
            "SELECT sql FROM sqlite_master WHERE type IN ('table', 'index') AND tbl_name <> 'alembic_version'"
        )
        return {re.sub(r"\s+", " ", sql).replace(chr(34), "").strip() for (sql,) in rows if sql}

    assert schema("migrated.db") == schema("direct.db")
    assert any("WHERE live" in sql for sql in schema("migrated.db"))


def test_the_program_knows_every_migration_there_is():
    config = Config()
    config.set_main_option("script_location", str(schema_version.MIGRATIONS))
    scripts = ScriptDirectory.from_config(config)
    assert tuple(script.revision for script in reversed(list(scripts.walk_revisions()))) == REVISIONS


@pytest.mark.parametrize(
    ("revision", "sentence"), [("v9999", "newer Repasse"), ("0007", "before the first release"), ("0001", "which does")]
)
def test_a_ledger_written_by_another_program_is_refused_untouched(ledger_url, clock, revision, sentence):
    open_ledger(ledger_url, clock=clock).close()
    engine = create_engine(ledger_url)
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = :revision"), {"revision": revision})
    with pytest.raises(AnotherRun, match=sentence):
        open_ledger(ledger_url, clock=clock)
    with engine.connect() as connection:
        assert connection.scalar(text("SELECT version_num FROM alembic_version")) == revision
    engine.dispose()


LATER = f"v{len(REVISIONS) + 1}"
LATER_REVISION = f"""
import sqlalchemy as sa
from alembic import op

revision, down_revision = "{LATER}", "{REVISIONS[-1]}"


def upgrade() -> None:
    op.add_column("alerts", sa.Column("colour", sa.Text, nullable=False, server_default="red"))
    op.create_table("later", sa.Column("id", sa.Integer, primary_key=True))
"""


@pytest.fixture
def later_program(tmp_path, monkeypatch):
    """A program that has one migration more than this one; returns the file of that migration."""
    shutil.copytree(schema_version.MIGRATIONS, tmp_path / "migrations")
    monkeypatch.setattr(schema_version, "MIGRATIONS", tmp_path / "migrations")
    monkeypatch.setattr(schema_version, "REVISIONS", (*REVISIONS, LATER))
    file = tmp_path / "migrations/versions/9999_later.py"
    file.write_text(LATER_REVISION)
    return file


def alerts_of(ledger_url: str) -> tuple[str, list[tuple[str, ...]], bool]:
    engine = create_engine(ledger_url)
    with engine.connect() as connection:
        revision = connection.scalar(text("SELECT version_num FROM alembic_version"))
        rows = [tuple(row)[:1] + tuple(row)[2:] for row in connection.execute(text("SELECT * FROM alerts"))]
        has_later = inspect(connection).has_table("later")
    engine.dispose()
    return revision, rows, has_later


def test_a_ledger_of_an_earlier_program_is_upgraded_with_all_it_holds(ledger, ledger_url, clock, later_program):
    ledger.runs.note_alert("r-1 held")
    assert alerts_of(ledger_url) == (REVISIONS[-1], [("r-1 held",)], False)
    with open_ledger(ledger_url, clock=clock) as upgraded:
        assert upgraded.tag == ledger.tag
    assert alerts_of(ledger_url) == (LATER, [("r-1 held", "red")], True)


def test_an_upgrade_that_fails_leaves_the_ledger_as_it_was(ledger, ledger_url, clock, later_program):
    ledger.runs.note_alert("r-1 held")
    later_program.write_text(LATER_REVISION + "    raise ArithmeticError\n")
    with pytest.raises(ArithmeticError):
        open_ledger(ledger_url, clock=clock)
    assert alerts_of(ledger_url) == (REVISIONS[-1], [("r-1 held",)], False)


@pytest.mark.long
def test_a_ledger_that_is_up_to_date_is_opened_without_alembic(ledger_url, clock):
    tag = open_ledger(ledger_url, clock=clock).tag
    done = subprocess.run([sys.executable, "-c", OPEN_IT, ledger_url], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [tag, "False"]


@pytest.mark.long
def test_programs_that_start_at_once_make_one_ledger(ledger_url):
    programs = [
        subprocess.Popen([sys.executable, "-c", OPEN_IT, ledger_url], stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    tags = {program.communicate(timeout=60)[0].split()[0] for program in programs}
    assert [program.returncode for program in programs] == [0] * 3
    assert len(tags) == 1
    assert re.fullmatch("[a-z2-7]{6}", tags.pop())


def test_what_is_append_only_refuses_to_be_changed(ledger, ledger_url, desk, make_plan, me, clock):
    dollars = ExchangeTerms("USD", Decimal("5.4312"), None, show_exchange_data=True)
    (submission,) = desk.approve(replace(make_plan({"ana": 100}), currency="USD", exchange=dollars))
    desk.take(submission, me)
    ledger.submissions.record_outcome(
        submission.id, Outcome.ACCEPTED, http_status=200, raw_answer=b"{}", split_id="s1", reason=None
    )
    ledger.submissions.record_status(submission.id, b"{}", "DONE", SubmissionState.PAID, by="run-1")
    (payment,) = ledger.claims.payments_of(submission.id)
    ledger.returns.record(payment.obligation_key, 100, clock().date(), by="Ana", evidence="the bank")
    ledger.exchange_updates.prepare("aurora-royalties", "run-1")
    ledger.service.accept_key("fp", "Ana")
    facts = {"job": "aurora-royalties", "period": "2026-10"}
    ledger.acts.record(Act(ActKind.WITHDRAW, "Ana", "0" * 64, "November's", clock(), facts))
    ledger.decisions.record([Decision("ob-1", "", DecisionKind.PAID, 100, "there", "Ana", "a receipt", clock())])
    sums = ((DealSum(DealSumKind.TAKEN, "", "studio"), Fraction(100)),)
    series = Series("aurora-royalties", "12ABC34501DE35", "BRL")
    entry = JournalEntry("je-1", EntryKind.READ, series, "2026-10", dt.date(2026, 10, 1), "", (), deal_sums=sums)
    ledger.journal.post([entry], "run-1")
    day = dt.date(2026, 10, 5)
    line = lines_of("itau", [(day, -100, "pix")])
    ledger.bank.keep(BankStatement("itau", "0" * 64, day, day, None, None, line), by="Ana")
    ledger.bank.explain([Explained(line[0].id, BankMatter.OTHER, "", 100, "person")], by="Ana")
    engine = create_engine(ledger_url)
    columns = {"journal_entries": "number", "journal_postings": "amount_cents", "journal_deal_sums": "quantity"}
    for table in APPEND_ONLY:
        column = columns.get(table, "id")
        for statement in (f"UPDATE {table} SET {column} = {column}", f"DELETE FROM {table}"):  # noqa: S608 - our own names
            with pytest.raises(DBAPIError, match=f"{table} is append-only"), engine.begin() as connection:
                connection.execute(text(statement))
    engine.dispose()
    assert len(ledger.submissions.transitions(submission.id)) == 5


def test_the_file_and_the_folder_made_for_it_are_private(tmp_path, clock):
    with open_ledger(f"sqlite:///{tmp_path}/home/inner/ledger.db", clock=clock) as ledger:
        ledger.hold.put("Ana", "so that there is a -wal file")
        files = list((tmp_path / "home/inner").iterdir())
        assert {f.name for f in files} == {"ledger.db", "ledger.db-wal", "ledger.db-shm"}
        assert {stat.S_IMODE(f.stat().st_mode) for f in files} == {0o600}
    assert stat.S_IMODE((tmp_path / "home").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "home/inner").stat().st_mode) == 0o700


def test_sqlite_is_set_to_survive_a_power_cut(tmp_path, clock):
    with (
        open_ledger(f"sqlite:///{tmp_path}/ledger.db", clock=clock) as ledger,
        ledger._database.writing() as connection,
    ):
        pragmas = {
            name: connection.exec_driver_sql(f"PRAGMA {name}").scalar()
            for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
        }
    assert pragmas == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "busy_timeout": 10_000}


def test_a_writer_that_never_ends_is_named(ledger_url, clock, monkeypatch):
    monkeypatch.setattr("io_adapters.ledger.engine.BUSY_TIMEOUT_S", 1)
    with open_ledger(ledger_url, clock=clock) as slow, open_ledger(ledger_url, clock=clock) as other:
        with slow._database.writing(), pytest.raises(AnotherRun, match="has been writing"):
            other.hold.put("Ana", "x")
        other.hold.put("Ana", "x")
        assert slow.hold.current().by == "Ana"


def test_looking_without_creating_leaves_no_trace(tmp_path, clock, make_plan):
    with open_ledger(f"sqlite:///{tmp_path}/home/ledger.db", clock=clock, create=False) as ledger:
        assert len(ledger.plans.store(make_plan({"ana": 100}), "run-1", "Ana", "https://x")) == 1
        assert ledger.runs.list() == []
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("url", ["mysql://localhost/x", "not a url", "postgresql+psycopg://127.0.0.1:1/none"])
def test_a_database_that_cannot_be_the_ledger_is_a_matter_of_configuration(url, clock):
    with pytest.raises(ConfigurationError):
        open_ledger(url, clock=clock)


def test_a_file_that_is_no_database_is_a_matter_of_configuration(tmp_path, clock):
    (tmp_path / "ledger.db").write_text("this is not a database" * 100)
    with pytest.raises(ConfigurationError, match="not a database"):
        open_ledger(f"sqlite:///{tmp_path}/ledger.db", clock=clock)


def test_a_ledger_that_another_program_is_just_making_is_waited_for(tmp_path, clock):
    file = tmp_path / "ledger.db"
    other = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    other.execute("CREATE TABLE being_made (id)")
    done = threading.Timer(0.3, other.close)
    done.start()
    open_ledger(f"sqlite:///{file}", clock=clock).close()
    done.join()
