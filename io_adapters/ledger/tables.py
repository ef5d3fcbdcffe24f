"""Database tables of the ledger. The migrations build exactly these; a test compares the two.

Everything here is plain SQL that SQLite and PostgreSQL share, partial unique indexes included. Tables named in
`APPEND_ONLY` refuse UPDATE and DELETE by triggers, which the migrations create.
"""

import datetime as dt
import json
import re
from base64 import b32decode, b32encode
from typing import Final

import pyarrow as pa
from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ColumnElement,
    Date,
    DateTime,
    Dialect,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
    and_,
    or_,
    text,
)

from schemas.errors import BrokenInvariant
from schemas.messages import Listed, Message, fact_from, fact_json

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


class Utc(TypeDecorator[dt.datetime]):
    """A moment, always with its time zone in the program and always UTC in the store."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: dt.datetime | None, dialect: Dialect) -> dt.datetime | None:  # noqa: ARG002
        """Refuse a moment without a time zone; it would mean something else on another machine."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise BrokenInvariant("a moment without a time zone must not enter the ledger")
        return value.astimezone(dt.UTC)

    def process_result_value(self, value: dt.datetime | None, dialect: Dialect) -> dt.datetime | None:  # noqa: ARG002
        """SQLite forgets the zone; PostgreSQL may answer in the session's."""
        if value is None:
            return None
        return value.replace(tzinfo=dt.UTC) if value.tzinfo is None else value.astimezone(dt.UTC)


class Zipped(TypeDecorator[bytes]):
    """A document, compressed in the store: documents of many payees would be most of a ledger."""

    impl = LargeBinary
    cache_ok = True

    def process_bind_param(self, value: bytes | None, dialect: Dialect) -> bytes | None:  # noqa: ARG002
        return None if value is None else pa.compress(value, codec="zstd", asbytes=True)

    def process_result_value(self, value: bytes | None, dialect: Dialect) -> bytes | None:  # noqa: ARG002
        if value is None:
            return None
        with pa.CompressedInputStream(pa.py_buffer(value), "zstd") as stream:
            stored: bytes = stream.read()
            return stored


_KEY: Final = re.compile(r"ob-[a-z2-7]{26}")
_SHA256: Final = re.compile(r"[0-9a-f]{64}")


class Packed(TypeDecorator[str]):
    """An obligation's key or a fingerprint, kept as its bytes, half of its text; any other text is kept as it is.

    What a month of many payees keeps is keys and fingerprints above all, once in its rows and once in each index.
    """

    impl = LargeBinary
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> bytes | None:  # noqa: ARG002
        if value is None:
            return None
        if _KEY.fullmatch(value):  # 26 digits of 5 bits each
            return b"k" + b32decode(value[3:].upper() + "A" * 6)[:17]
        if _SHA256.fullmatch(value):
            return b"s" + bytes.fromhex(value)
        return b"t" + value.encode()

    def process_result_value(self, value: bytes | None, dialect: Dialect) -> str | None:  # noqa: ARG002
        if value is None:
            return None
        sign, rest = value[:1], value[1:]
        if sign == b"k":
            return "ob-" + b32encode(rest + bytes(3))[:26].decode().lower()
        return rest.hex() if sign == b"s" else rest.decode()


class MessageColumn(TypeDecorator[Message | Listed]):
    """A message, kept by its id and facts; "" in the store is none."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Message | Listed | None, dialect: Dialect) -> str:  # noqa: ARG002
        return "" if value is None else json.dumps(fact_json(value), ensure_ascii=False, sort_keys=True)

    def process_result_value(self, value: str | None, dialect: Dialect) -> Message | Listed | None:  # noqa: ARG002
        """Read the message; who shows it renders it."""
        return fact_from(json.loads(value)) if value else None


# SQLite numbers rows by itself only when the key's type is exactly INTEGER.
Serial: Final = BigInteger().with_variant(Integer(), "sqlite")
Cents: Final = BigInteger()


def _serial() -> Column[int]:
    return Column("id", Serial, primary_key=True, autoincrement=True)


def text_column(name: str, *, nullable: bool = False) -> Column[str]:
    return Column(name, Text, nullable=nullable)


def _index_where(name: str, column: str, condition: str, postgresql: str = "", *, unique: bool = False) -> Index:
    """Return an index of the rows for which a condition holds, in PostgreSQL's words where these are others."""
    elsewhere = text(postgresql or condition)
    return Index(name, column, unique=unique, sqlite_where=text(condition), postgresql_where=elsewhere)


def _unique_where(name: str, column: str, condition: str) -> Index:
    return _index_where(name, column, condition, unique=True)


def _moment(name: str, *, nullable: bool = False) -> Column[dt.datetime]:
    return Column(name, Utc, nullable=nullable)


meta = Table(
    "meta",
    metadata,
    Column("only_row", Integer, primary_key=True, autoincrement=False),
    text_column("tag"),
    text_column("service_url", nullable=True),
    text_column("key_fingerprint", nullable=True),
    _moment("created_at"),
    _moment("clock_accepted_at", nullable=True),  # rows up to then were written by a clock that was ahead
    text_column("clock_accepted_by", nullable=True),
)

# Rises with all that changes what may be paid: a plan rests on a look at the ledger that an epoch names.
epochs = Table(
    "epochs",
    metadata,
    Column("only_row", Integer, primary_key=True, autoincrement=False),
    Column("epoch", Integer, nullable=False),
)

accepted_keys = Table(
    "accepted_keys",
    metadata,
    _serial(),
    text_column("key_fingerprint"),
    text_column("accepted_by"),
    _moment("accepted_at"),
)

runs = Table(
    "runs",
    metadata,
    Column("run_id", String(64), primary_key=True),
    text_column("job"),
    text_column("period"),
    text_column("payer"),  # their tax id; "" of a run without a job
    text_column("command"),
    text_column("prepared_by"),
    text_column("job_file"),
    text_column("state"),
    Column("exit_code", Integer),
    text_column("summary_json", nullable=True),
    _moment("started_at"),
    _moment("finished_at", nullable=True),
    Index("ix_runs_job_started_at", "job", "started_at"),
)

# The stages of a run in the order they began; one without an end goes on, or died with its run.
run_stages = Table(
    "run_stages",
    metadata,
    Column("run_id", ForeignKey("runs.run_id"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    text_column("name"),
    _moment("began_at"),
    _moment("ended_at", nullable=True),
    Column("exit_code", Integer),
    Column("stopped", Boolean, nullable=False),
    Column("notes", MessageColumn, nullable=False),
)

# What people have been called for, so that nobody is called twice for one thing.
alerts = Table("alerts", metadata, Column("key", String(160), primary_key=True), _moment("sent_at"))

# Every name that a payee was ever listed with, and when last.
payee_names = Table(
    "payee_names",
    metadata,
    Column("tax_id", String(32), primary_key=True),
    Column("name", String(320), primary_key=True),
    _moment("seen_at"),
)

corrected_rows = Table(
    "corrected_rows",
    metadata,
    _serial(),
    Column("run_id", ForeignKey("runs.run_id"), nullable=False),
    Column("job", String(64), nullable=False),
    Column("period", String(64), nullable=False),
    text_column("file"),
    text_column("sheet"),
    Column("row", Integer, nullable=False),
    Column("original_sha256", String(64), nullable=False),
    text_column("cells_json"),
    text_column("corrections_file"),
    Index("ix_corrected_rows_job_period", "job", "period"),
)

pix_key_types = Table(
    "pix_key_types",
    metadata,
    Column("job", String(64), primary_key=True),
    Column("key_sha256", String(64), primary_key=True),
    Column("act", Integer, primary_key=True),  # by which it was confirmed; it names a digest of all that it confirmed
    text_column("key_type"),
)

leases = Table(
    "leases",
    metadata,
    Column("name", String(128), primary_key=True),
    text_column("owner"),
    _moment("since"),
    _moment("until"),
)

files = Table(
    "files",
    metadata,
    _serial(),
    text_column("run_id"),
    text_column("job"),
    text_column("period"),
    text_column("source"),
    text_column("name"),
    text_column("file_sha256"),
    text_column("content_sha256"),
    _moment("recorded_at"),
    Index("ix_files_file_sha256", "file_sha256"),
    Index("ix_files_content_sha256", "content_sha256"),
    UniqueConstraint("run_id", "source", "name"),
)

# The bytes of everything that a run has read: its job's file, layouts, sheets and corrections workbooks.
run_inputs = Table(
    "run_inputs",
    metadata,
    Column("run_id", String(64), primary_key=True),
    Column("name", String(256), primary_key=True),
    Column("sha256", String(64), primary_key=True),
)

# What a run has made of a file: whether anything of it was used, on purpose again, and which of its royalty lines.
file_uses = Table(
    "file_uses",
    metadata,
    Column("file_id", ForeignKey("files.id"), primary_key=True, autoincrement=False),
    Column("used", Boolean, nullable=False),
    Column("again", Boolean, nullable=False),
    Column("lines_sha256", String(64)),
)

# Which lines a file holds (`schemas.line_sketch`), and what they add up to (`schemas.stated_sums`, as Parquet), once
# however many runs have read it.
file_lines = Table(
    "file_lines",
    metadata,
    Column("sha256", String(64), primary_key=True),
    Column("sketch", LargeBinary, nullable=False),
    Column("sums", LargeBinary, nullable=False),
)

# What money came from that neither journal nor claims tell: invoices that counted, and what opening balances have said
# was paid outside Repasse, when a plan was made that left it out. The last run that said it counts.
sources = Table(
    "sources",
    metadata,
    Column("kind", String(16), primary_key=True),
    Column("payer", String(32), primary_key=True),
    Column("job", String(64), primary_key=True),
    Column("period", String(64), primary_key=True),
    Column("payee", String(64), primary_key=True),
    Column("reference", String(200), primary_key=True),  # in the form by which two spellings are one
    Column("amount_cents", BigInteger, nullable=False),
    Column("run_id", ForeignKey("runs.run_id"), nullable=False),
)

plans = Table(
    "plans",
    metadata,
    Column("digest", String(80), primary_key=True),
    text_column("job"),
    text_column("payer"),
    text_column("period"),
    text_column("currency"),
    text_column("service_url"),
    Column("batches", Integer, nullable=False),
    Column("payees", Integer, nullable=False),
    Column("total_cents", Cents, nullable=False),
    Column("largest_cents", Cents, nullable=False),
    text_column("run_id"),
    text_column("prepared_by"),
    _moment("created_at"),
    _moment("approved_at", nullable=True),
    _moment("rejected_at", nullable=True),
    text_column("rejected_by", nullable=True),
    text_column("rejected_why", nullable=True),
    Index("ix_plans_job_period", "job", "period"),
)

# Every run that arrived at a plan; `plans.run_id` is only the latest of them.
plan_runs = Table(
    "plan_runs",
    metadata,
    Column("digest", ForeignKey("plans.digest"), primary_key=True),
    Column("run_id", String(64), primary_key=True),
    text_column("prepared_by"),
    _moment("stored_at"),
    Index("ix_plan_runs_run_id", "run_id"),
)

# Whose yes a plan needs, as strict as any run that arrived at it found it declared.
plan_rules = Table(
    "plan_rules",
    metadata,
    Column("plan_digest", ForeignKey("plans.digest"), primary_key=True),
    Column("above_cents", Cents),
    Column("approvers", Integer, nullable=False),
    Column("payment_limit_cents", Cents),
    Column("run_limit_cents", Cents),
    Column("identities", String(16), nullable=False),
    Column("other_than_preparer", Boolean),
)

# Which texts beside payments whoever approves a plan has to look at (`schemas.parsing.written`); those of a plan that
# was approved since are seen.
plan_texts = Table(
    "plan_texts",
    metadata,
    Column("plan_digest", ForeignKey("plans.digest"), primary_key=True),
    Column("token", String(16), primary_key=True),
    Column("seen", Boolean, nullable=False),
)

# What an approval that was used is good for: until when its batches may be sent.
approved_plans = Table(
    "approved_plans",
    metadata,
    Column("plan_digest", ForeignKey("plans.digest"), primary_key=True),
    Column("approvers", Integer, nullable=False),
    _moment("good_until"),
    text_column("content_hashes", nullable=True),  # JSON, sorted: of the batches that were approved
    Column("seal", String(64)),
)

approvals = Table(
    "approvals",
    metadata,
    _serial(),
    Column("digest", ForeignKey("plans.digest"), nullable=False),
    text_column("by"),
    text_column("kind"),
    Column("total_cents", Cents, nullable=False),
    _moment("at"),
    _moment("expires_at"),
    _moment("voided_at", nullable=True),
    _moment("used_at", nullable=True),
    text_column("used_by_run", nullable=True),
    Column("act", Integer, nullable=False),
    Index("ix_approvals_digest", "digest"),
)

# One effect asked of the service each, written down before it is asked for, and asked for once. The bytes stand last:
# what is read without them is read faster.
attempts = Table(
    "attempts",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("kind", String(16), nullable=False),
    text_column("subject"),
    Column("number", Integer, nullable=False),
    text_column("state"),
    text_column("run_id"),
    text_column("owner", nullable=True),
    _moment("created_at"),
    _moment("sending_at", nullable=True),
    _moment("deadline_at", nullable=True),
    Column("was_in_doubt", Boolean, nullable=False),
    Column("cost_cents", Cents, nullable=False),  # what asking costs at most, whatever comes of it
    Column("reason", MessageColumn, nullable=False),
    text_column("body_sha256"),
    Column("body", Zipped, nullable=False),
    UniqueConstraint("kind", "subject", "number"),
    Index("ix_attempts_kind_state", "kind", "state"),
    Index("ix_attempts_run_id", "run_id", "kind"),
    # Of the attempts to set the rate of one report at most one counts; people have declared the others absent.
    _unique_where("uq_attempts_one_rate_counts", "subject", "kind = 'exchange_rate' AND state <> 'absent'"),
    # One account is checked by one worker at a time.
    _unique_where("uq_attempts_one_check_in_flight", "subject", "kind = 'account_check' AND state = 'sending'"),
    # A contact is created anew only once an earlier creation is known to have come to nothing.
    _unique_where(
        "uq_attempts_one_contact_created",
        "subject",
        "kind = 'contact' AND state IN ('approved', 'sending', 'in_doubt')",
    ),
)

# What an attempt of kind "report" is about; its subject is the hash of the batch's content.
submissions = Table(
    "submissions",
    metadata,
    Column("id", ForeignKey("attempts.id"), primary_key=True),
    Column("plan_digest", ForeignKey("plans.digest"), nullable=False),
    Column("batch_number", Integer, nullable=False),
    text_column("job"),
    text_column("period"),
    text_column("currency"),
    Column("payments", Integer, nullable=False),
    Column("amount_cents", Cents, nullable=False),
    Column("owner_cents", Cents, nullable=False),
    text_column("split_id", nullable=True),
    text_column("status", nullable=True),
    text_column("linked_by", nullable=True),
    Index("ix_submissions_plan_digest", "plan_digest"),
    Index("ix_submissions_job_period", "job", "period"),
    # One report of the service is one submission; "" is one whose id the service does not tell.
    _unique_where("uq_submissions_split_id", "split_id", "split_id <> ''"),
)

# A query by states names the kind too, for the index; one by claims does not, or it would begin at every report.
submitted: Final = submissions.join(attempts)

# What each submission pays. A row claims its obligation while `live`; at most one does.
claims = Table(
    "claims",
    metadata,
    Column("submission_id", ForeignKey("submissions.id"), primary_key=True),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("obligation_key", Packed, nullable=False),
    Column("base_key", Packed, nullable=False),
    text_column("reference"),
    text_column("kind"),
    text_column("payee"),
    Column("amount_cents", Cents, nullable=False),
    Column("destination", Packed, nullable=False),
    Column("withheld", Boolean, nullable=False),
    text_column("taxes_json", nullable=True),  # kind of tax -> centavos that are withheld with it
    Column("live", Boolean, nullable=False),
    # Two halves of one index, one of them unique: a query says of which it asks, or names both.
    _index_where("uq_claims_one_live_per_obligation", "obligation_key", "live = 1", "live", unique=True),
    _index_where("ix_claims_obligation_key", "obligation_key", "live = 0", "NOT live"),
    # The key of most is their base key, and is found by that.
    _index_where("ix_claims_base_key", "base_key", "base_key <> obligation_key"),
    Index("ix_claims_payee", "payee"),
    Index("ix_claims_destination", "destination"),
)


def live_or_not(on_obligations: ColumnElement[bool]) -> ColumnElement[bool]:
    """Say of a condition on the claims' obligations, in the words of both indexes, that it holds of all claims."""
    return or_(and_(on_obligations, claims.c.live), and_(on_obligations, ~claims.c.live))


transitions = Table(
    "transitions",
    metadata,
    _serial(),
    Column("attempt_id", ForeignKey("attempts.id"), nullable=False),
    text_column("before", nullable=True),
    text_column("after"),
    _moment("at"),
    text_column("by"),
    Column("reason", MessageColumn, nullable=False),
    Index("ix_transitions_attempt_id", "attempt_id"),
)

answers = Table(
    "answers",
    metadata,
    _serial(),
    Column("attempt_id", ForeignKey("attempts.id"), nullable=False),
    text_column("outcome"),
    Column("http_status", Integer),
    Column("raw", Zipped, nullable=False),
    _moment("at"),
    Index("ix_answers_attempt_id", "attempt_id"),
)

reports = Table(
    "reports",
    metadata,
    _serial(),
    Column("submission_id", ForeignKey("submissions.id"), nullable=False),
    text_column("status", nullable=True),
    Column("document", Zipped, nullable=False),
    Column("owes_fee", Boolean, nullable=False),
    Column("went_back", Boolean, nullable=False),  # what came back is apart: its figures are not what it had paid
    _moment("at"),
    Index("ix_reports_submission_id", "submission_id"),
)

# What the service said in answer to an attempt of kind "account_check"; its subject is the account's fingerprint.
account_verdicts = Table(
    "account_verdicts",
    metadata,
    Column("attempt_id", ForeignKey("attempts.id"), primary_key=True),
    Column("valid", Boolean, nullable=False),
    _moment("checked_at"),
    _moment("expires_at"),
)

# Where centavos stand; of each account one row, for as long as the ledger lives.
journal_accounts = Table(
    "journal_accounts",
    metadata,
    _serial(),
    Column("kind", String(16), nullable=False),
    Column("job", String(64), nullable=False),
    Column("payer", String(32), nullable=False),
    Column("payee", String(32), nullable=False),
    Column("reference", String(256), nullable=False),
    Column("currency", String(3), nullable=False),
    UniqueConstraint("payee", "payer", "job", "currency", "kind", "reference"),
    Index("ix_journal_accounts_job", "job", "payer", "currency", "kind"),
)

journal_entries = Table(
    "journal_entries",
    metadata,
    Column("number", Serial, primary_key=True, autoincrement=True),
    Column("id", String(32), nullable=False, unique=True),
    Column("kind", String(16), nullable=False),
    Column("job", String(64), nullable=False),
    Column("payer", String(32), nullable=False),
    Column("currency", String(3), nullable=False),
    Column("period", String(64), nullable=False),
    Column("period_start", Date),
    Column("cause", String(128), nullable=False),
    text_column("by"),
    Column("reason", MessageColumn, nullable=False),
    _moment("at"),
    Column("day", String(10), nullable=False),  # of `at` in Brazil; and its month: views know no time zones
    Column("month", String(7), nullable=False),
    Index("ix_journal_entries_job", "job", "payer", "currency", "period", "kind"),
    Index("ix_journal_entries_cause", "cause"),
    Index("ix_journal_entries_at", "at"),
)

# The postings of an entry sum to zero in each currency; those of an account are its balance.
journal_postings = Table(
    "journal_postings",
    metadata,
    Column("account_id", ForeignKey("journal_accounts.id"), primary_key=True, autoincrement=False),
    Column("entry_number", ForeignKey("journal_entries.number"), primary_key=True, autoincrement=False),
    Column("amount_cents", Cents, nullable=False),
    Index("ix_journal_postings_entry_number", "entry_number"),
    sqlite_with_rowid=False,
)

# What an entry adds to sums that deals rest on (`schemas.deal_sums`): exact, and no money of any account.
journal_deal_sums = Table(
    "journal_deal_sums",
    metadata,
    Column("entry_number", ForeignKey("journal_entries.number"), primary_key=True, autoincrement=False),
    Column("kind", String(16), primary_key=True),
    Column("payee", String(32), primary_key=True),
    Column("row", Text, primary_key=True),
    text_column("quantity"),
)

freezes = Table(
    "freezes",
    metadata,
    _serial(),
    Column("reason", MessageColumn, nullable=False),
    text_column("tags"),
    _moment("frozen_at"),
    text_column("accepted_tags", nullable=True),
    text_column("lifted_by", nullable=True),
    text_column("evidence", nullable=True),
    _moment("lifted_at", nullable=True),
    Column("lift_act", Integer, nullable=True),
    Column("act", Integer, nullable=False),
)

decisions = Table(
    "decisions",
    metadata,
    _serial(),
    Column("obligation_key", Packed, nullable=False),
    text_column("submission_id"),
    text_column("kind"),
    Column("amount_cents", Cents, nullable=False),
    Column("destination", Packed, nullable=False),
    text_column("by"),
    text_column("evidence"),
    _moment("at"),
    Column("act", Integer, nullable=False),
    Index("ix_decisions_obligation_key", "obligation_key"),
    Index("ix_decisions_submission_id", "submission_id"),
)

# The rate the reports of a plan in a foreign currency are to have, as it was approved with the plan.
plan_exchanges = Table(
    "plan_exchanges",
    metadata,
    Column("plan_digest", ForeignKey("plans.digest"), primary_key=True),
    text_column("currency"),
    text_column("rate"),
    text_column("order_id", nullable=True),
    Column("show_exchange_data", Boolean, nullable=False),
)

# Statements of the bank, and their lines; a line that several files have is kept once.
bank_statements = Table(
    "bank_statements",
    metadata,
    _serial(),
    Column("account", String(128), nullable=False),
    Column("sha256", String(64), nullable=False),
    Column("first_day", String(10), nullable=False),
    Column("last_day", String(10), nullable=False),
    Column("opening_cents", Cents),
    Column("closing_cents", Cents),
    Column("gap_cents", Cents, nullable=False),
    text_column("by"),
    _moment("at"),
    UniqueConstraint("sha256", "account"),
)
bank_lines = Table(
    "bank_lines",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("account", String(128), nullable=False),
    Column("day", String(10), nullable=False),
    Column("amount_cents", Cents, nullable=False),
    text_column("text"),
    Column("sha256", String(64), nullable=False),
    Index("ix_bank_lines_day", "day"),
)
# What a line is, in as many rows as it is of several things; said once.
bank_words = Table(
    "bank_words",
    metadata,
    _serial(),
    Column("line_id", ForeignKey("bank_lines.id"), nullable=False),
    Column("matter", String(16), nullable=False),
    Column("subject", String(128), nullable=False),
    Column("cents", Cents, nullable=False),
    Column("how", String(16), nullable=False),
    text_column("by"),
    text_column("evidence"),
    _moment("at"),
    Index("ix_bank_words_line_id", "line_id"),
)

# What came back of payments: a row for each who says so (`schemas.returns.Witness`). Of a report that went back and of
# which nobody can tell whose money it is, the key is the report's own.
returns = Table(
    "returns",
    metadata,
    _serial(),
    Column("obligation_key", Packed, nullable=False),
    Column("number", Integer, nullable=False),
    Column("witness", String(16), nullable=False),
    Column("submission_id", ForeignKey("submissions.id"), nullable=False),
    Column("amount_cents", Cents, nullable=False),
    Column("day", String(10), nullable=False),
    text_column("by"),
    Column("act", Integer, nullable=False),
    UniqueConstraint("obligation_key", "number", "witness"),
    Index("ix_returns_submission_id", "submission_id"),
)

# What people did, each act chained to the one before (`schemas.acts`); written by one function, with its effect.
acts = Table(
    "acts",
    metadata,
    _serial(),
    Column("kind", String(32), nullable=False),
    text_column("by"),
    Column("subject", String(128), nullable=False),
    text_column("facts_json"),
    text_column("why"),
    _moment("at"),
    Column("previous", String(64), nullable=False),
    Column("sha256", String(64), nullable=False),
    Column("seal", String(64), nullable=False),
    Index("ix_acts_kind", "kind"),
    Index("ix_acts_subject", "subject"),
)

APPEND_ONLY: Final = (
    "acts",
    "transitions",
    "journal_accounts",
    "journal_entries",
    "journal_postings",
    "journal_deal_sums",
    "answers",
    "reports",
    "accepted_keys",
    "decisions",
    "bank_statements",
    "bank_lines",
    "bank_words",
    "returns",
)
