"""One life of money, with every kind of entry of the journal, and where every centavo is at its end."""

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from beancount import loader
from beancount.core.data import Balance

from sample_data.making.people import masked
from schemas.errors import ExitCode
from schemas.journal import AccountKind, EntryKind
from tests.flows.jobs import line, payee, payment, people, share
from tests.flows.label import digest_of, summary_of
from tests.flows.oracle import CREATE

A = AccountKind
ANA, BIA, CAIO, DORA = people(4)
TODAY = (datetime.now(UTC) - timedelta(hours=3)).date().isoformat()  # in Brazil
LTDA = replace(ANA, tax_id="11222333000181", name="Ana Produções Ltda")
VIDEO = "BRAUR2600001"
PARTS = {
    "Ana": (ANA, "80", "750,00"),  # 600,00, and 150,00 of the label
    "Bia": (BIA, "95", "200,00"),  # 190,00 and 10,00
    "Vídeo": (BIA, "100", "10,00"),
    "Caio": (CAIO, "60,6061", "33,00"),  # 20,00 and 13,00
    "Ninguém": (None, "", "7,00"),
}
pytestmark = pytest.mark.long


class Life:
    """A label in October and November of a year."""

    def __init__(self, label) -> None:
        self.label, self.ana = label, ANA
        self.parts = {artist: (who, percent) for artist, (who, percent, _) in PARTS.items() if who}
        self.opening = [_opening(CAIO, "saldo", "3,00")]
        lines = [self.line(amount, artist) for artist, (_, _, amount) in PARTS.items()]
        label.write("2026-10-a.csv", lines)
        label.write("impostos.csv", [{"CPF": masked(ANA.tax_id), "Imposto": "IRRF", "Alíquota": "10"}])
        columns = ("tax_id", "reference", "amount", "date", "isrc")
        ahead = ((ANA, "Album", "150,00", ""), (BIA, "Video", "50,00", VIDEO))
        rows = [(masked(who.tax_id), name, amount, "2026-01-15", isrc) for who, name, amount, isrc in ahead]
        label.write("adiantamentos.csv", [dict(zip(columns, row, strict=True)) for row in rows])

    @staticmethod
    def line(amount, artist):
        return dict(line(amount, f"Faixa {artist}")) | {"Artista": artist, "ISRC": VIDEO if artist == "Vídeo" else ""}

    def run(self, month="2026-10", **changes):
        moved = {"CPF anterior": masked(ANA.tax_id) if self.ana is LTDA else ""}
        rows = [payee(self.ana) | moved, *(payee(who) | {"CPF anterior": ""} for who in (BIA, CAIO, DORA))]
        self.label.write("favorecidos.csv", rows)
        shares = [(self.ana if who is ANA else who, artist, percent) for artist, (who, percent) in self.parts.items()]
        self.label.write("participações.csv", [share(who, cut) | {"Artista": artist} for who, artist, cut in shares])
        self.label.write("abertura.csv", self.opening)
        tables = {"payees": "favorecidos.csv", "shares": "participações.csv", "advances": "adiantamentos.csv"}
        tables |= {"taxes": "impostos.csv", "opening": "abertura.csv"}
        sources = [{"files": "{period}-*.csv", "layout": "royalties"}]
        self.label.declare(
            **{"period": month, "sources": sources, "rules": {"minimum_payout": "25.00"}} | tables | changes
        )
        report = self.label.run()
        if report.exit_code == ExitCode.APPROVAL_WANTED:
            cents = summary_of(report)["totals_cents"]["planned"]
            self.label.approve(digest_of(report), f"{cents // 100},{cents % 100:02}", "bia")
            report = self.label.run(yes=False)
        return report

    def balances(self):
        """What stands by kind of account and payee, as the journal has it: debits positive."""
        names = {ANA.tax_id: "ana", LTDA.tax_id: "ltda", BIA.tax_id: "bia", CAIO.tax_id: "caio", DORA.tax_id: "dora"}
        found = Counter()
        with self.label.ledger() as ledger:
            for account, cents in ledger.journal.balances().items():
                found[account.kind.value, names.get(account.payee, "")] += cents
        return {about: cents for about, cents in found.items() if cents}

    def owed(self, name):
        return -self.balances().get(("payee", name), 0)


def _opening(who, kind, amount):
    return {"CPF": masked(who.tax_id), "Tipo": kind, "Período": "2026-10", "Valor": amount, "Referência": ""}


def test_one_life_of_money_ends_where_every_centavo_can_be_found(label, service, tmp_path):
    life = Life(label)
    service.behave(income_tax_rate="0.01")
    life.run()
    service.behave(income_tax_rate=0)
    assert service.paid == [19000, 40500]  # Ana's 600 less 150 and 10 % of tax; Bia's 200 less 10 of the video
    assert life.owed("caio") == 2300  # below the minimum
    assert life.balances()["service_tax", ""] == -595  # which the service kept itself

    life.parts["Ana"] = (ANA, "66,6667")
    life.run()
    assert life.owed("ana") == -10000  # she owes back
    label.write("2026-10-b.csv", [life.line("140,00", "Ana B")])
    life.parts["Ana B"] = (ANA, "50")
    life.run()
    assert (life.owed("ana"), len(service.paid)) == (-3000, 2)

    life.parts["Ninguém"] = (CAIO, "100")
    service.behave(failing_payees=[CAIO.tax_id])
    life.run()
    assert life.owed("caio") == 3000  # the report failed for certain
    service.behave(failing_payees=[])
    life.run()
    assert (life.owed("caio"), service.paid) == (0, [3000, 3000, 19000, 40500])

    rp1 = service.reports[0]["split_id"]
    service.force_one(
        rp1, status="ERROR", donePayments=1, pendingPayments=1, irAmount=5.95, paidAmount=399.05, feeAmount=1.25
    )
    label.say("settle", code=40)
    keys = {entry["final_amount_cents"]: entry["extPaymentId"] for entry in service.reports[0]["payments"]}
    bias, words = keys[19000], ("--by", "ana prado", "--evidence", "the bank's list")
    label.say("returned", bias, "--amount", "190,00", "--day", TODAY, "--by", "bia reis", *words)
    assert -life.balances()["returned", "bia"] == 19000  # it came back
    label.say("decide", f"{bias}/r1", "--paid", *words)
    life.run()
    assert ("returned", "bia") not in life.balances()  # paid by hand

    life.ana = LTDA
    life.run()
    assert (life.owed("ana"), life.owed("ltda")) == (0, -3000)

    service.plant(CREATE, "status", when="before", status=500)
    label.write("2026-11-notas.csv", [payment(DORA, "300,00", "Nota 17")])
    checks = {"when": "new_or_changed", "fee": "0.35", "budget": "25.00"}
    life.run("2026-11", sources=[{"files": "2026-11-notas.csv", "layout": "payments"}], account_checks=checks)

    assert life.balances() == {
        ("source", ""): 100000 + 14000 + 30000,
        ("owner", ""): -17300 - 10000 - 7000,
        ("payee", "ltda"): 3000,
        ("advance", "bia"): 4000,
        ("tax", "ana"): -4500,
        ("service", "ana"): -40500,
        ("service", "caio"): -3000,
        ("service", ""): 595,
        ("service_tax", ""): -595,
        ("expense", ""): 125 + 36,  # its fee, which it did not take out of what it paid; and a check of Dora's account
        ("float", ""): -161 - 19000,
        ("bank", ""): 19000,
        ("outside", ""): -19700 - 19000,
        ("transit", "dora"): -30000,  # the report is in doubt
    }
    with label.ledger() as ledger:
        kinds = {entry.kind for _, _, entry in ledger.journal.entries()}
    assert kinds == set(EntryKind) - {EntryKind.WITHHOLD, EntryKind.FUND}
    books = tmp_path / "books.beancount"
    label.say("journal", "--from", "2020-01-01", "--to", "2099-12-31", "--format", "beancount", "--out", books)
    entries, errors, _ = loader.load_file(str(books))
    assert (errors, any(isinstance(entry, Balance) for entry in entries)) == ([], True)
