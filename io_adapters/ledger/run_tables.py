"""Database tables of what each run read and decided; the journal, acts and attempts say what became of it."""

from typing import Any, Final

from sqlalchemy import BigInteger, Boolean, Column, ForeignKey, Index, Integer, String, Table

from io_adapters.ledger.tables import Cents, MessageColumn, Packed, Zipped, metadata, text_column


def _of_run(name: str, *columns: Column[Any] | Index) -> Table:
    """Return a table whose rows are numbered in each run, in the order in which the run had them."""
    run_id = Column[Any]("run_id", ForeignKey("runs.run_id"), primary_key=True)
    number = Column("number", Integer, primary_key=True, autoincrement=False)
    return Table(name, metadata, run_id, number, *columns)


# What a run was asked for and came to, as a whole: one row of each run that got as far as working things out.
run_results: Final = Table(
    "run_results",
    metadata,
    Column("run_id", ForeignKey("runs.run_id"), primary_key=True),
    text_column("job"),
    text_column("period"),
    text_column("currency"),
    text_column("payer"),
    text_column("payer_name"),
    text_column("language"),
    text_column("folder"),  # where its outputs are written
    text_column("formats"),  # with blanks between them
    text_column("plan_digest", nullable=True),
    Column("in_cents", Cents, nullable=False),
    text_column("codes"),  # exit codes that following reports does not change, with blanks between them
    Column("with_statements", Boolean, nullable=False),
    text_column("first_day"),  # of the period
    text_column("last_day"),
    Column("minimum_payout_cents", Cents, nullable=False),
    Column("checks_made", Integer, nullable=False),
    Column("checks_reused", Integer, nullable=False),
    Column("checks_invalid", Integer, nullable=False),
    Column("checks_unknown", Integer, nullable=False),
    Column("checks_cost_cents", Cents, nullable=False),
    Column("checks_budget_cents", Cents, nullable=False),
    Column("readings", MessageColumn, nullable=False),  # how cells were read that may be read in two ways
)

# Each sum that came in: whose it is, where it was when the run had worked it out, and why it is not paid.
run_obligations: Final = _of_run(
    "run_obligations",
    text_column("kind"),
    Column("amount_cents", Cents, nullable=False),
    text_column("place"),
    text_column("reasons"),  # codes with their facts, as JSON; "" for none
    Column("key", Packed, nullable=False),
    Column("base_key", Packed, nullable=False),
    text_column("reference"),
    Column("tax_id", String(32), nullable=False),
    text_column("name"),
    text_column("email"),
    text_column("artist_name"),
    text_column("contact_id"),
    text_column("original_tax_id"),
    text_column("original_name"),
    text_column("parent_id"),
    text_column("parent_name"),
    text_column("account"),  # as JSON; "" for none
    text_column("account_holder"),
    text_column("destination"),
    Column("withhold", Boolean, nullable=False),
    Column("advance", Boolean, nullable=False),
    Column("recurring", Boolean, nullable=False),
    text_column("percentage"),
    text_column("anticipation_id"),
    Column("deducted_cents", Cents, nullable=False),
    text_column("file"),
    text_column("sheet"),
    Column("row", BigInteger, nullable=False),
    text_column("submission_id"),
    text_column("obligation_run"),
    Index("ix_run_obligations_key", "key"),
    Index("ix_run_obligations_tax_id", "tax_id"),
)

# How each payee's royalties became what is payable; amounts are missing of those who only have terms of their own.
run_payees: Final = _of_run(
    "run_payees",
    Column("tax_id", String(32), nullable=False),
    text_column("name"),
    *(
        Column(f"{part}_cents", Cents)
        for part in ("earned", "recouped", "carried_in", "carried_out", "held", "taxed", "payable")
    ),
    text_column("way"),  # terms and figures from the balance to what is payable, as JSON; "" for none
    text_column("nature"),  # code of the nature of the income; "" where the table of taxes gives none
    text_column("language"),  # of the statement; "" for the job's
    Column("minimum_cents", Cents),  # their own; none for the job's
    Index("ix_run_payees_tax_id", "tax_id"),
)

# What a period recouped of each advance.
run_advances: Final = _of_run(
    "run_advances",
    Column("tax_id", String(32), nullable=False),
    text_column("reference"),
    text_column("scope"),
    Column("recouped_cents", Cents, nullable=False),
    Column("outstanding_cents", Cents),
)

# What rows of deals say that go on over periods; `schemas.deal_standing.DealTerm`.
run_deals: Final = _of_run(
    "run_deals",
    text_column("kind"),
    Column("payee", String(32), nullable=False),
    text_column("name"),
    text_column("what"),
    Column("about", MessageColumn, nullable=False),
    text_column("row"),
    text_column("bounds"),
    text_column("day"),
)

# The exchange rates of its sources.
run_quotes: Final = _of_run(
    "run_quotes", text_column("currency"), text_column("rate"), text_column("day"), text_column("origin")
)

# Rows of files as used, held, duplicate or ignored; `schemas.parsing.row_accounting.RowRuns`.
run_rows: Final = _of_run(
    "run_rows",
    text_column("file"),
    text_column("sheet"),
    Column("first_row", BigInteger, nullable=False),
    Column("last_row", BigInteger, nullable=False),
    Column("rows", BigInteger, nullable=False),
    text_column("disposition"),
    text_column("reasons"),
)

# What the checks of accounts came to.
run_checks: Final = _of_run(
    "run_checks",
    text_column("payee"),  # masked, as the account is
    text_column("destination_masked"),
    text_column("result"),
    Column("made", Boolean, nullable=False),
    Column("reused", Boolean, nullable=False),
    Column("cost_cents", Cents, nullable=False),
    text_column("message"),
)

# Problems of its files, cell by cell.
run_problems: Final = _of_run(
    "run_problems",
    text_column("code"),
    text_column("severity"),
    text_column("file"),
    text_column("sheet", nullable=True),
    text_column("cell", nullable=True),
    Column("row", BigInteger),
    text_column("column", nullable=True),
    text_column("value_masked"),
    Column("message", MessageColumn, nullable=False),
    Column("accepts", MessageColumn, nullable=False),
)

# What did not agree between planned, recorded and reported.
run_discrepancies: Final = _of_run(
    "run_discrepancies",
    text_column("kind"),
    text_column("report_id", nullable=True),
    text_column("message"),
    text_column("expected", nullable=True),
    text_column("found", nullable=True),
)

# Parts of royalties, one table of Parquet each: payee x recording, payee x territory, recording x file x rows.
run_parts: Final = Table(
    "run_parts",
    metadata,
    Column("run_id", ForeignKey("runs.run_id"), primary_key=True),
    Column("part", String(16), primary_key=True),
    Column("content", Zipped, nullable=False),
)
