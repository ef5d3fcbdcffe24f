"""A label over months, in files of its own, through the real program, one day a step; and what is true of its money.

What is true is kept without the program: plain accounts of payees, plain rows, and what the service received.
"""

import datetime as dt
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field, replace
from fractions import Fraction
from http.client import OK
from pathlib import Path
from typing import Final

import pytest
import time_machine

from flows.runner import RunReport
from io_adapters.sandbox import EmbeddedSandbox
from sample_data.making.people import Payee, masked
from schemas.errors import ExitCode
from schemas.job import BRASILIA
from schemas.values.money import format_cents
from tests.flows.jobs import PAYER, Row, line, payee, payment, people
from tests.flows.label import Label, digest_of, summary_of
from tests.flows.oracle import Oracle
from tests.property.plain_balances import Deal, PlainAccount
from tests.sandboxes import AT_ONCE
from tests.simulation.office import Silence

NAMES: Final = ("ana", "bia", "caio")
COMPANIES: Final = ("11222333000181", "11444777000161", "19131243000197")
OTHER_PAYER: Final = "45997418000153"
BEGINNING: Final = dt.datetime(2026, 2, 3, 12, tzinfo=dt.UTC)
STEP: Final = dt.timedelta(days=11)
NOTHING_PAID: Final = {
    "status": "ERROR", "donePayments": 0, "withholdPayments": 0, "paidAmount": 0, "withholdAmount": 0
}  # fmt: skip
ROW_CHANGES: Final = {"as it was": 0, "more": 31, "less": -17}


@dataclass(slots=True)
class PlainRow:
    """A row of a payments sheet: what it says now, and what was paid for it.

    Attributes:
        cents: What it says; None while it stands in no sheet.
        paid: What was paid for it.
    """

    cents: int | None = None
    paid: int = 0

    @property
    def owed(self) -> int:
        """What it leaves open."""
        return 0 if self.cents is None else self.cents - self.paid


@dataclass(frozen=True, slots=True)
class Told:
    """What a label knows of a month when it runs it.

    Attributes:
        deals: Of each payee.
        rows: Name -> one of `ROW_CHANGES`, of whoever stands in the payments sheet.
        keys: Name -> what stands as their Pix key: "sound", "none", "wrong".
        pays_difference: Whether somebody says of rows that say more than was paid that the rest is owed.
    """

    deals: Mapping[str, Deal]
    rows: Mapping[str, str]
    keys: Mapping[str, str]
    pays_difference: bool = False

    def __str__(self) -> str:
        deals = "; ".join(f"{name} {deal} {self.keys[name]}" for name, deal in self.deals.items())
        return f"{deals}; rows {dict(self.rows)}{', differences' if self.pays_difference else ''}"


@dataclass(slots=True)
class MonthsOfALabel:
    """A label, its files, and the plain truth of its money.

    Attributes:
        label: What it does.
        service: What was received.
        today: The clock.
        who: Name -> the person, or the company they have become.
        documents: Name -> every document they had.
        listed: Name -> the document they were listed with last.
        plain, rows: What is true of royalties, and of rows by month and name.
        taxed: Calendar month -> name -> centavos withheld in it.
        paid_for: Month -> centavos paid for it.
        unpaid: Numbers of the reports that paid nothing, or whose money came back.
        owed_on: Day -> name -> what was owed at its end.
    """

    label: Label
    service: Oracle
    today: time_machine.Traveller
    who: dict[str, Payee] = field(default_factory=lambda: dict(zip(NAMES, people(3), strict=True)))
    documents: dict[str, list[str]] = field(default_factory=dict)
    listed: dict[str, str] = field(default_factory=dict)
    plain: dict[str, PlainAccount] = field(default_factory=lambda: {name: PlainAccount() for name in NAMES})
    rows: dict[tuple[str, str], PlainRow] = field(default_factory=lambda: defaultdict(PlainRow))
    taxed: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    paid_for: Counter[str] = field(default_factory=Counter)
    unpaid: set[int] = field(default_factory=set)
    owed_on: dict[dt.date, Counter[str]] = field(default_factory=dict)
    _job: str = "selo"
    _job_before: str = ""
    _payer: str = PAYER
    _payer_before: str = ""
    _ran: dict[str, str] = field(default_factory=dict)
    _written: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.documents = {name: [who.tax_id] for name, who in self.who.items()}

    # What the label does.

    def next_day(self) -> None:
        """Let some days pass."""
        self.today.shift(STEP)

    def change(self, what: str, name: str) -> None:
        """Let somebody be a company from now on, or the job or its payer go by another name or number."""
        if what == "move" and len(self.documents[name]) == 1:
            self.who[name] = replace(self.who[name], tax_id=COMPANIES[NAMES.index(name)])
            self.documents[name].append(self.who[name].tax_id)
        elif what == "rename":
            # A name that never ran anything is not what the next one goes on with.
            self._job_before = self._job if self._job in self._ran.values() else self._job_before
            self._job = f"{self._job}-novo"
        elif what == "payer" and not self._payer_before:
            self._payer_before, self._payer = self._payer, OTHER_PAYER

    def run(self, month: str, told: Told, ending: str) -> None:
        """Run a month as often as it takes to have everything approved; its reports are paid, fail, or come back."""
        if any(other >= month and job != self._job for other, job in self._ran.items()):
            return  # an old name has run it, or a later one: refused under the new name
        self._ran[month] = self._job
        self.listed |= {name: who.tax_id for name, who in self.who.items()}
        self._write(month, told)
        failing = [who.tax_id for who in self.who.values()] if ending == "fails" else []
        self.service.behave(failing_payees=failing)
        before = len(self.service.reports)
        report = self._until_approved()
        paid_cents = summary_of(report)["totals_cents"]["paid"]
        if told.pays_difference and (keys := self._differences(month, told)):
            self.label.say("decide", *keys, "--difference", "--by", "bia", "--evidence", "the invoice")
            report = self._until_approved()
            paid_cents += summary_of(report)["totals_cents"]["paid"]
        assert report.exit_code not in {ExitCode.BUG, ExitCode.USAGE, ExitCode.CONFIGURATION}, report.messages
        new = range(before, len(self.service.reports))
        if ending == "paid":
            sent = (entry for number in new for entry in self.service.reports[number]["payments"])
            assert paid_cents == sum(entry["final_amount_cents"] for entry in sent), "summaries and the service"
        if ending == "comes back":
            self._comes_back(new)
        if ending == "paid anew":
            self._comes_back_and_is_paid_anew(new)
        is_paid = ending in {"paid", "paid anew"}
        self.unpaid |= set() if is_paid else set(new)
        self._know(month, told, is_paid=is_paid)

    def _until_approved(self) -> RunReport:
        report = self.label.run(progress=Silence())
        for _ in range(3):
            if report.exit_code != ExitCode.APPROVAL_WANTED:
                break
            cents = summary_of(report)["totals_cents"]["planned"]
            self.label.approve(digest_of(report), format_cents(cents, "pt-BR"), "bia")
            report = self.label.run(yes=False, progress=Silence())
        assert report.exit_code != ExitCode.APPROVAL_WANTED, report.messages
        return report

    def _differences(self, month: str, told: Told) -> list[str]:
        """Name the rows that say more than was paid for them."""
        more = {
            self.who[name].name
            for name, change in told.rows.items()
            if 0 < self.rows[month, name].paid < _row_cents(month, name, change)
        }
        owed = self.label.ask("owed", "--at", self._date.isoformat())["owed"]
        return [due["key"] for due in owed if due["place"] == "conflict" and due["name"] in more]

    def _comes_back(self, numbers: Iterable[int]) -> None:
        """What reports paid comes back, and somebody who knows says so."""
        for number in numbers:
            report = self.service.reports[number]
            figures = dict.fromkeys(NOTHING_PAID)  # it does not say how much came back
            self.service.force_one(report["split_id"], **figures | {"status": "ERROR"})
            self.label.say("settle", code=ExitCode.DISCREPANCIES)
            with self.label.ledger() as ledger:  # the owner's part is not among the service's payments
                keys = [claim.obligation_key for claim in ledger.claims.live_in([report["reportId"]])]
            self.label.say("decide", *keys, "--pay", "--by", "bia", "--evidence", "it came back")

    def _comes_back_and_is_paid_anew(self, numbers: Iterable[int]) -> None:
        """Each payment comes back, whole or in part; somebody says so, and has it paid again to where it was."""
        for number in numbers:
            for entry in self.service.reports[number]["payments"]:
                key, cents = entry["extPaymentId"], max(1, entry["final_amount_cents"] // (1 + number % 2))
                assert self.service.give_back(key, f"{cents / 100:.2f}", shown=False) == OK
                said = ("--amount", format_cents(cents, "pt-BR"), "--day", self._date.isoformat())
                self.label.say("returned", key, *said, "--by", "bia", "--evidence", "the bank")
                self.label.say("decide", f"{key}/r1", "--pay", "--same-account", "--by", "bia", "--evidence", "a call")
        if numbers:
            self._until_approved()

    @property
    def _date(self) -> dt.date:
        return dt.datetime.now(tz=BRASILIA).date()

    # What is true.

    def _know(self, month: str, told: Told, *, is_paid: bool) -> None:
        now = self._date
        for name, account in self.plain.items():
            label = account.months[month]
            before = deepcopy(label)
            paid = account.run(month, told.deals[name], now.year * 12 + now.month)
            if paid and not is_paid:
                label.paid, label.percentage, label.fixed = before.paid, before.percentage, before.fixed
                label.fixed_in = before.fixed_in
            withheld = label.percentage + label.fixed - before.percentage - before.fixed
            self.taxed[f"{now:%Y-%m}"][name] += withheld
            self.paid_for[month] += label.paid - before.paid
            self._know_row(month, name, told, is_paid=is_paid)
        self.owed_on[now] = Counter({name: self.owed_to(name) for name in NAMES})

    def _know_row(self, month: str, name: str, told: Told, *, is_paid: bool) -> None:
        row, change = self.rows[month, name], told.rows.get(name)
        row.cents = None if change is None else _row_cents(month, name, change)
        if row.cents is None or not is_paid:
            return
        more = row.cents - row.paid
        if not row.paid or (told.pays_difference and more > 0):
            row.paid += more
            self.paid_for[month] += more

    def owed_to(self, name: str) -> int:
        """What is owed to somebody: the balance of royalties, and rows that are not paid."""
        return self.plain[name].balance + self.owed_of_rows(name)

    def owed_of_rows(self, name: str) -> int:
        """What rows of payments sheets leave open; less than nothing where more was paid than they say."""
        return sum(row.owed for (_, other), row in self.rows.items() if other == name)

    def paid_to(self, name: str) -> int:
        """What was paid to somebody."""
        rows = sum(row.paid for (_, other), row in self.rows.items() if other == name)
        return sum(month.paid for month in self.plain[name].months.values()) + rows

    def was_seen(self, name: str) -> bool:
        """Whether somebody has earned or was owed anything, ever."""
        rows = any(row.cents or row.paid for (_, other), row in self.rows.items() if other == name)
        return rows or any(month.earned for month in self.plain[name].months.values())

    def paid(self) -> int:
        """What was paid to everybody."""
        return sum(map(self.paid_to, NAMES))

    def received(self) -> int:
        """What the service has paid, and has not come back, in centavos."""
        paid = [report for number, report in enumerate(self.service.reports) if number not in self.unpaid]
        return sum(entry["final_amount_cents"] for report in paid for entry in report["payments"]) - self.service.back

    # What the label writes.

    def _write(self, month: str, told: Told) -> None:
        self._written[month] += 1
        number = self._written[month]
        unique = 100_000 + int(month[-2:]) * 7_919 + number * 613
        lines = [_line(month, f"Casa {month} {number}", "Casa", unique)]
        lines += [
            _line(month, f"{name} {month} {number}", f"Banda {name}", deal.earned)
            for name, deal in told.deals.items()
            if deal.earned
        ]
        self.label.write(f"{month}-lines.csv", lines)
        tables = {"payees": [self._payee(name, told) for name in NAMES]}
        tables["shares"] = [
            {"CPF": masked(who.tax_id), "Artista": f"Banda {name}", "Participação": "100"}
            for name, who in self.who.items()
        ]
        tables |= dict(self._tables(month, told))
        for table, written in tables.items():
            if written:
                self.label.write(f"{table}.csv", written)
        sources = [{"files": "{period}-lines.csv", "layout": "royalties"}]
        if told.rows:
            sheet = [
                payment(self.who[name], _text(_row_cents(month, name, change)), f"nota {month}")
                for name, change in told.rows.items()
            ]
            self.label.write(f"{month}-rows.csv", sheet)
            sources.append({"files": "{period}-rows.csv", "layout": "payments"})
        payer = {"tax_id": self._payer, "name": "Selo Aurora"}
        minimum = next(iter(told.deals.values())).minimum
        self.label.declare(
            job=self._job,
            payer=payer | ({"previous_tax_id": self._payer_before} if self._payer_before else {}),
            period=month,
            sources=sources,
            rules={"unmatched": "owner", "minimum_payout": f"{minimum / 100:.2f}"},
            **({"continues": self._job_before} if self._job_before else {}),
            **{table: f"{table}.csv" for table, written in tables.items() if written},
        )

    def _payee(self, name: str, told: Told) -> Row:
        deal, row = told.deals[name], dict(payee(self.who[name]))
        if told.keys[name] == "none":
            row |= {"Chave Pix": "", "Tipo da chave": ""}
        elif told.keys[name] == "wrong":
            row |= {"Chave Pix": "123.456.789-00", "Tipo da chave": "CPF"}
        row["CPF anterior"] = masked(self.documents[name][0]) if len(self.documents[name]) > 1 else ""
        row["Periodicidade"] = "Trimestral" if deal.is_quarterly else ""
        return row | {"Exige nota fiscal": "sim" if deal.invoiced is not None else "não"}

    def _tables(self, month: str, told: Told) -> Iterator[tuple[str, list[Row]]]:
        documents = {name: masked(who.tax_id) for name, who in self.who.items()}
        yield (
            "advances",
            [
                {"tax_id": documents[name], "reference": reference, "amount": _text(cents), "date": day}
                for name, deal in told.deals.items()
                for reference, (day, cents) in deal.advances.items()
            ],
        )
        withheld = [
            {
                "CPF": documents[name],
                "Imposto": "IRRF",
                "Alíquota": _percent(deal.rate),
                "Valor": "",
            }
            for name, deal in told.deals.items()
            if deal.rate
        ]
        withheld += [
            {"CPF": documents[name], "Imposto": "INSS", "Alíquota": "", "Valor": _text(deal.fixed)}
            for name, deal in told.deals.items()
            if deal.fixed
        ]
        yield "taxes", withheld
        yield (
            "invoices",
            [
                {
                    "CPF": documents[name],
                    "Número": month[-2:],  # one of a number that is known is asked about
                    "Data": f"{month}-20",
                    "Valor": _text(deal.invoiced),
                    "Período": month,
                }
                for name, deal in told.deals.items()
                if deal.invoiced
            ],
        )


def _line(month: str, title: str, artist: str, cents: int) -> Row:
    return dict(line(_text(cents), title, month)) | {"Artista": artist}


def _row_cents(month: str, name: str, change: str) -> int:
    """What a row says: of no other row's amount."""
    return 70_000 + int(month[-2:]) * 1_000 + NAMES.index(name) * 100 + ROW_CHANGES[change]


def _percent(rate: Fraction) -> str:
    return f"{float(rate):g}".replace(".", ",")


def _text(cents: int) -> str:
    return format_cents(cents, "pt-BR")


@contextmanager
def opened_label(folder: Path) -> Iterator[MonthsOfALabel]:
    """Open a label with a service and an environment of its own, in February 2026."""
    with (
        time_machine.travel(BEGINNING) as today,
        EmbeddedSandbox(settings=AT_ONCE) as sandbox,
        pytest.MonkeyPatch.context() as patch,
    ):
        for name in ("LEDGER_URL", "JOBS", "POLICY"):
            patch.delenv(f"REPASSE_{name}", raising=False)
        patch.delenv("PREFECT_API_URL", raising=False)
        settings = {"HOME": str(folder / "home"), "API_URL": sandbox.url, "API_KEY": sandbox.api_key}
        for name, value in settings.items():
            patch.setenv(f"REPASSE_{name}", value)
        service = Oracle(sandbox)
        yield MonthsOfALabel(Label(folder / "job"), service, today)
        service.close()
