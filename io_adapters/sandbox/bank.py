"""The statement of the payer's bank, of what went to the sandbox and came back: as it is, or with a fault."""

import datetime as dt
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any, Final, NamedTuple

from schemas.job import BRASILIA
from schemas.wire import amount_from_cents

ACCOUNT = "sandbox-1"


class SandboxBankLine(NamedTuple):
    """A line, by its day in Brazil; what leaves the account is below zero."""

    day: dt.date
    cents: int
    text: str


def lines_of_bank(
    fundings: Iterable[Mapping[str, Any]], returns: Iterable[Mapping[str, Any]], checks: Iterable[Mapping[str, Any]]
) -> list[SandboxBankLine]:
    """Tell what was paid for reports, what came back of payments, and what checks of accounts cost, by day."""
    of_checks = defaultdict[dt.date, int](int)
    for row in checks:
        of_checks[_day(row)] += row["cost_cents"]
    found = [SandboxBankLine(_day(row), -row["amount_cents"], f"PIX ENVIADO {row['split_id']}") for row in fundings]
    found += [SandboxBankLine(_day(row), row["amount_cents"], "PIX DEVOLVIDO") for row in returns]
    found += [SandboxBankLine(day, -cents, "VERIFICACAO DE CONTAS") for day, cents in of_checks.items() if cents]
    return sorted(found)


def _day(row: Mapping[str, Any]) -> dt.date:
    return dt.datetime.fromtimestamp(row["at"], BRASILIA).date()


class BankFault(StrEnum):
    """What a bank gets wrong in the first line of a statement."""

    DOUBLE = "double"
    MISSING = "missing"
    FEE = "fee"
    REVERSAL = "reversal"
    DAY = "day"
    MERGED = "merged"
    SPLIT = "split"
    CENTAVO = "centavo"
    FOREIGN = "foreign"


_Lines = list[SandboxBankLine]
# What becomes of the first line, and of those after it.
_WITH: Final[Mapping[BankFault, Callable[[SandboxBankLine, _Lines], _Lines]]] = {
    BankFault.DOUBLE: lambda line, rest: [line, line, *rest],
    BankFault.MISSING: lambda _, rest: rest,
    BankFault.FEE: lambda line, rest: [line._replace(cents=line.cents - 601), *rest],
    BankFault.REVERSAL: lambda line, rest: [line, line._replace(cents=-line.cents, text="ESTORNO"), *rest],
    BankFault.DAY: lambda line, rest: [line._replace(day=line.day - dt.timedelta(days=9)), *rest],
    BankFault.MERGED: lambda line, rest: [
        line._replace(cents=line.cents + sum(other.cents for other in rest[:1])),
        *rest[1:],
    ],
    BankFault.SPLIT: lambda line, rest: [
        line._replace(cents=line.cents + 1),
        line._replace(cents=-1, text="RESTO"),
        *rest,
    ],
    BankFault.CENTAVO: lambda line, rest: [line._replace(cents=line.cents - 1), *rest],
    BankFault.FOREIGN: lambda line, rest: [line, line._replace(cents=-123_456, text="ALUGUEL"), *rest],
}


def with_fault(lines: Sequence[SandboxBankLine], fault: BankFault) -> list[SandboxBankLine]:
    """Return lines of which the first, the oldest, is wrong."""
    return _WITH[fault](lines[0], list(lines[1:])) if lines else []


def csv_of(lines: list[SandboxBankLine]) -> str:
    """Write lines as a sheet, as banks let their customers save one; it tells no balance."""
    amounts = (str(amount_from_cents(line.cents)).replace(".", ",") for line in lines)
    rows = (f"{line.day:%d/%m/%Y};{line.text};{amount}" for line, amount in zip(lines, amounts, strict=True))
    return "\n".join(["Data;Histórico;Valor", *rows, ""])


def ofx_of(lines: list[SandboxBankLine], today: dt.date) -> str:
    """Write lines as OFX of an account that began with nothing, until the end of a day."""
    first = min((line.day for line in lines), default=today)
    entries = "".join(
        f"<STMTTRN><DTPOSTED>{line.day:%Y%m%d}<TRNAMT>{amount_from_cents(line.cents)}<FITID>{number}<MEMO>{line.text}"
        "</STMTTRN>\n"
        for number, line in enumerate(lines, start=1)
    )
    closing = amount_from_cents(sum(line.cents for line in lines))
    return (
        f"OFXHEADER:100\n\n<OFX><BANKACCTFROM><ACCTID>{ACCOUNT}<BANKTRANLIST><DTSTART>{first:%Y%m%d}"
        f"<DTEND>{today:%Y%m%d}\n{entries}</BANKTRANLIST><LEDGERBAL><BALAMT>{closing}</LEDGERBAL></OFX>\n"
    )
