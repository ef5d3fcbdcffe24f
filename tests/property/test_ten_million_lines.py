"""Millions of lines come to the centavo they were made to come to, in memory that does not grow with them.

The amounts are odd numbers in a scrambled order: the first n of them add up to n squared, so that the true sum is
known without adding anything up. Ten million lines are for `make bench`; every run adds 300,000 up.
"""

import json
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from flows.royalties.rules.allocation import allocate, round_earnings
from flows.royalties.rules.deals import Deals
from io_adapters.statement_lines.sums import Summing, lines_of, sums_of
from schemas.parsing.table import empty_table
from schemas.queries import opened_database
from schemas.tables.royalties import LINE_AMOUNT
from tests.spec.tables import CPF, shares

ROOT = Path(__file__).parents[2]
BLOCK = 65_536
RECORDINGS, PLATFORMS, TERRITORIES = 1_000, 10, 37
# Prime, and so are its steps through any number of lines that it does not divide.
STEP = 1_000_003
SHARED = "| payee | share |\n| ana | 12.3457 |\n| bia | 55.0001 |"
MOST_MEMORY_MB = 600
CHILD = (
    "import json, sys; from tests.peak_memory import peak_bytes;"
    "from tests.property.test_ten_million_lines import added_up;"
    "found = added_up(int(sys.argv[1]));"
    "print(json.dumps([*found, peak_bytes() >> 20]))"
)


def block(first: int, count: int, lines: int) -> pd.DataFrame:
    """Lines number `first` to `first + count` of a statement: thousandths of a millionth of a real, odd numbers."""
    number = np.arange(first, first + count)
    scrambled = number * STEP % lines
    empty = empty_table("royalty_lines")
    columns = {
        name: pd.Series(["" if dtype == "str" else None] * count, dtype=dtype)
        for name, dtype in empty.dtypes.items()
        if dtype.kind != "i"
    }
    columns |= {
        "file": pd.Series(["statement.csv"] * count, dtype="str"),
        "currency": pd.Series(["BRL"] * count, dtype="str"),
        "isrc": pd.Series([f"BRAUR26{n:05d}" for n in (scrambled % RECORDINGS).tolist()], dtype="str"),
        "platform": pd.Series([f"Loja {n}" for n in (number % PLATFORMS).tolist()], dtype="str"),
        "territory": pd.Series([f"T{n}" for n in (number % TERRITORIES).tolist()], dtype="str"),
        "row": pd.Series(number + 2),
        "units": pd.Series(number % 977),
    }
    amounts = pa.array(2 * scrambled + 1).cast(pa.decimal128(19, 0)).cast(pa.decimal128(38, 18))
    scaled = [amount.scaleb(-9) for amount in amounts.to_pylist()]
    columns["amount"] = pd.Series(pa.array(scaled, type=LINE_AMOUNT), dtype=pd.ArrowDtype(LINE_AMOUNT))
    return pd.DataFrame(columns)[list(empty.columns)]


def added_up(lines: int) -> list[object]:
    """Sum of all lines, number of sums kept, and centavos of ana, bia and the owner."""
    sums = Summing()
    with opened_database() as database:
        for first in range(0, lines, BLOCK):
            sums.add(sums_of(database, lines_of(block(first, min(BLOCK, lines - first), lines)), ()))
    totals = sums.total("statement.csv", None)
    earnings = allocate(totals, Deals(shares(SHARED)), rates={"BRL": Decimal(1)}, first_day="2026-10-01").earnings
    rounded = round_earnings(earnings)
    kept = len(totals.by_platform) + len(totals.by_territory)
    cents = [rounded.payees[CPF["ana"]], rounded.payees[CPF["bia"]], rounded.owner_cents]
    return [str(totals.by_platform["amount"].sum()), kept, *cents]


def cents_of(lines: int) -> list[int]:
    """Largest remainders of the shares of n squared thousandths of a millionth, in plain integers."""
    parts = [lines**2 * share_ppm for share_ppm in (123_457, 550_001, 326_542)]
    centavo = 10**9 * 10**6 // 100
    cents = [part // centavo for part in parts]
    missing = (lines**2 * 10**6 + centavo // 2) // centavo - sum(cents)
    for position in sorted(range(3), key=lambda n: -(parts[n] % centavo))[:missing]:
        cents[position] += 1
    return cents


def assert_all_lines_come_out(lines: int) -> int:
    """Add lines up in a process of their own; returns the megabytes it took at most."""
    done = subprocess.run([sys.executable, "-c", CHILD, str(lines)], cwd=ROOT, check=True, capture_output=True)
    total, kept, *cents, taken_mb = json.loads(done.stdout)
    assert Decimal(total) == Decimal(lines**2).scaleb(-9)
    assert cents == cents_of(lines)
    assert kept <= RECORDINGS * (PLATFORMS + TERRITORIES)
    assert taken_mb < MOST_MEMORY_MB
    return int(taken_mb)


@pytest.mark.long
def test_all_lines_come_to_the_centavo_they_were_made_to_come_to():
    assert_all_lines_come_out(300_000)
