"""How long payee statements take: composing them from the tables of a run, and setting them as pages."""

import datetime as dt
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from time import perf_counter

import pandas as pd
import pyarrow as pa
import pytest

from flows.royalties.rules.statements import StatementTables, compose_statements
from io_adapters.outputs.statements.folder import write_statements
from schemas.obligation import Obligation, Obligations, Payee
from schemas.payee_statement import StatementBasis, StatementHeading
from schemas.plan import Place
from schemas.tables.royalties import EARNED, LINE_SUM
from tests.bench.conftest import Figures, cpu_s

pytestmark = [pytest.mark.bench, pytest.mark.timeout(3600)]

RECORDINGS = 50
HEADING = StatementHeading(
    "Selo Aurora", "selo", "2026-10", dt.date(2026, 10, 1), dt.date(2026, 10, 31), "BRL", "pt-BR"
)
BASIS = StatementBasis(HEADING)


def exactly(texts: list[str], kind: pa.DataType) -> pd.Series:
    """Make a column of exact decimals."""
    return pd.Series(pa.array(map(Decimal, texts), type=kind), dtype=pd.ArrowDtype(kind))


def earnings(payees: int) -> pd.DataFrame:
    """50 recordings per payee, each on one of ten platforms in one of twenty territories, in dollars."""
    count = payees * RECORDINGS
    numbers = range(count)
    return pd.DataFrame(
        {
            "tax_id": [f"{n // RECORDINGS:011d}" for n in numbers],
            "role": "autora",
            "isrc": [f"BRAUR{n % 10_000_000:07d}" for n in numbers],
            "upc": "",
            "release": "",
            "title": [f"Canção número {n % 9_973} da manhã" for n in numbers],
            "artist": [f"Trio {n % 977}" for n in numbers],
            "platform": [f"Loja {n % 10}" for n in numbers],
            "period": "2026-08",
            "units": [n % 100_003 for n in numbers],
            "currency": "USD",
            "lines": [n % 31 + 1 for n in numbers],
            "source_amount": exactly([f"{n % 977}.{n % 9_999_991:07d}" for n in numbers], LINE_SUM),
            "rate": "5.4312",
            "share_ppm": "333333",
            "earned": exactly([f"{n % 1_777}.{n % 9_999_991:07d}{n % 97:02d}1" for n in numbers], EARNED),
        }
    )


def balances(payees: int) -> pd.DataFrame:
    """Everything is payable; the sums are of no matter here."""
    amounts = {f"{name}_cents": 0 for name in ("recouped", "carried_in", "carried_out", "held")}
    rows = {"tax_id": [f"{n:011d}" for n in range(payees)], "name": [f"Pessoa Exemplo {n}" for n in range(payees)]}
    return pd.DataFrame(rows | amounts).assign(earned_cents=123_456, payable_cents=123_456)


def obligations(payees: int) -> Obligations:
    """One payment of royalties each."""
    owed = Obligation(kind="royalty", reference="royalties", amount_cents=123_456, place=Place.PLANNED)
    return tuple(replace(owed, payee=Payee(f"{n:011d}")) for n in range(payees))


@pytest.mark.parametrize("payees", [1_000, 10_000])
def test_statements_of_fifty_recordings_each(figures: Figures, tmp_path: Path, payees: int):
    earned = earnings(payees)
    territories = earned.assign(territory=[f"T{n % 20}" for n in range(len(earned))])
    tables = StatementTables(earned, territories, balances(payees), obligations(payees))
    began = cpu_s()
    composed = sum(len(statement.recordings) for statement in compose_statements(BASIS, tables, run_id="run-1"))
    compose_s = cpu_s() - began
    assert composed == payees * RECORDINGS
    began, began_cpu_s = perf_counter(), cpu_s()
    written = write_statements(compose_statements(BASIS, tables, run_id="run-1"), tmp_path / "statements")
    all_s, all_cpu_s = perf_counter() - began, cpu_s() - began_cpu_s
    assert len(set(written)) == payees
    figures.add(f"compose {payees:,} statements of 50 recordings, CPU", compose_s)
    figures.add(f"compose and write {payees:,} statements", all_s)
    figures.add("    CPU of each", all_cpu_s / payees, at_most=0.06)
