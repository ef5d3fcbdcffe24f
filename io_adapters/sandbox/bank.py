"""The statement that the payer's bank would write of what went to the sandbox, and of what came back."""

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

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
