"""What a report waits for is told alike wherever people look: at a terminal, at the desk, in Prefect and by mail.

Eight ways in which paying for a report can go. Held constant: one report of 30.00, looked at after one settlement, by
people who may see names. Varied: what becomes of the payer's money, and where people look.
"""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import pytest
from aiosmtpd.controller import Controller
from prefect.client.orchestration import get_client

from flows.desk.app import opened_desk
from flows.desk.guard import DeskSettings
from flows.house_ledger import open_ledger_of
from flows.payout import payout
from flows.settings import read_settings
from flows.settle import settle
from io_adapters.sandbox import EmbeddedSandbox, SandboxSettings
from schemas.job import BRASILIA
from tests.flows.desk.office import ALL_ROLES, Browser, RunsHere, hashed, words_of
from tests.flows.jobs import payment, people
from tests.flows.label import Label
from tests.flows.mailbox import Mailbox
from tests.flows.oracle import Oracle
from tests.watched.installation import free_port

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("prefect_database")]
TODAY = datetime.now(BRASILIA).date().isoformat()
BY = ("--by", "bia", "--evidence", "comprovante")


@dataclass
class House:
    """A label, its service and its mailbox, with a report of two payments that waits for its Pix."""

    label: Label
    service: Oracle
    mailbox: Mailbox

    def begin(self, **behaviour: object) -> None:
        self.service.behave(**behaviour)
        payout(str(self.label.job), yes=True, return_state=True)

    def confirm(self) -> None:
        (report,) = self.told()
        self.label.say("funding", "receiver", report["report_id"], "--receiver", report["receiver"], *BY)

    def told(self) -> list[dict]:
        code = self.label.type("funding", "--json").exit_code
        return self.label.ask("funding", code=code)["reports"]

    def pay(self, amount: str) -> None:
        assert self.service.fund(amount=float(amount.replace(",", "."))) == 200
        self.record(amount)

    def record(self, amount: str) -> None:
        (report,) = self.told()
        self.label.type("funding", "paid", report["report_id"], f"--amount={amount}", "--day", TODAY, *BY)


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, payments_job: Path) -> Iterator[House]:
    folder = tmp_path / "jobs"
    folder.mkdir()
    label, mailbox = Label(folder / "aurora"), Mailbox()
    label.declare(settle={"every_s": "0.1", "for_s": "0.2"})
    label.payments(*(payment(payee, amount) for payee, amount in zip(people(2), ("10,00", "20,00"), strict=True)))
    server = Controller(mailbox, hostname="127.0.0.1", port=free_port())
    server.start()
    monkeypatch.setenv("REPASSE_SMTP_URL", f"smtp://127.0.0.1:{server.port}")
    monkeypatch.setenv("REPASSE_ALERT_EMAIL", "financeiro@selo.example")
    monkeypatch.setenv("REPASSE_ALERT_FROM", "repasse@selo.example")
    monkeypatch.setenv("REPASSE_JOBS", str(folder))
    monkeypatch.setenv("REPASSE_NAMES", "1")
    monkeypatch.setenv("LC_ALL", "pt_BR.UTF-8")
    with EmbeddedSandbox(settings=SandboxSettings(processing_after_s=0, done_after_s=0)) as sandbox:
        monkeypatch.setenv("REPASSE_API_URL", sandbox.url)
        monkeypatch.setenv("REPASSE_API_KEY", sandbox.api_key)
        oracle = Oracle(sandbox)
        yield House(label, oracle, mailbox)
        oracle.close()
    server.stop()


def never(house: House) -> None:
    house.begin(funding="pix")
    house.confirm()


def late(house: House) -> None:
    never(house)
    house.record("30,00")  # the bank takes its time


def short(house: House) -> None:
    never(house)
    house.pay("12,34")


def over(house: House) -> None:
    never(house)
    house.pay("40,00")


def expired(house: House) -> None:
    never(house)
    house.service.behave(payload_valid_s=0.001)
    settle(return_state=True)
    house.service.behave(payload_valid_s=3600)


def changed(house: House) -> None:
    never(house)
    house.service.behave(receiver="OUTRO NOME")


def fee_unpaid(house: House) -> None:
    house.begin(fee_rate="0.05", fee_paid_after_s=3600)


def prefunded(house: House) -> None:
    house.begin(funding="balance")


class Told(NamedTuple):
    """How one way is told; `by_mail` says whether whoever pays is called at all."""

    state: str
    at_terminal: str
    card: str
    in_prefect: str
    by_mail: bool = True


EIGHT_WAYS = {
    never: Told("yours_to_pay", "aguarda o seu Pix de R$ 30,00", "Pague agora", "o seu Pix"),
    late: Told(
        "paid_waiting", "o serviço, já pago", "Pago, ainda sem confirmação", "o serviço, já pago", by_mail=False
    ),
    short: Told("short", "faltam R$ 17,66", "Falta parte do Pix", "o resto do seu Pix"),
    over: Told("over", "R$ 10,00 a mais", "Pago a mais ao serviço", "pago a mais"),
    expired: Told("yours_to_pay", "aguarda o seu Pix de R$ 30,00", "Pague agora", "o seu Pix"),
    changed: Told("mismatch", "não pague", "Não pague este código", "não pague"),
    fee_unpaid: Told("fee_unpaid", "a tarifa de R$ 1,50", "Tarifa por pagar", "a tarifa"),
    prefunded: Told("not_said", "o serviço não diz", "não diz o que espera", "o serviço não diz", by_mail=False),
}


@pytest.mark.parametrize("happens", EIGHT_WAYS, ids=lambda way: way.__name__)
def test_what_a_report_waits_for_is_told_alike_in_four_places(
    house: House, tmp_path: Path, happens: Callable[[House], None]
):
    told = EIGHT_WAYS[happens]
    happens(house)
    settled = settle(return_state=True)
    (report,) = house.told()
    assert report["funding"] == told.state
    assert told.at_terminal in house.label.type("funding").output
    assert told.card in words_of(of_desk(tmp_path))
    assert told.in_prefect in artifact("funding-aurora")
    mails = [mail.get_content() for mail in house.mailbox.mails]
    assert any(told.at_terminal in mail for mail in mails) == told.by_mail, house.mailbox.subjects
    if told.by_mail:
        assert told.in_prefect in settled.message
    if told.state == "yours_to_pay":
        assert report["payload"] in mails[-1]
    elif mails:
        assert "000201" not in mails[-1]


def of_desk(place: Path) -> str:
    with open_ledger_of(read_settings()) as ledger:
        ledger.desk_users.add("Ana Lima", ALL_ROLES, hashed())
    with opened_desk(read_settings(), place / "jobs", RunsHere()) as desk:
        browser = Browser(desk, DeskSettings(uploads=place / "uploads", upload_limit_bytes=1_000_000))
        browser.sign_in("Ana Lima")
        return browser.get("/")


def artifact(key: str) -> str:
    """What Prefect shows of it, in its newest edition."""

    async def ask() -> str:
        async with get_client() as client:
            pages = [page for page in await client.read_artifacts() if page.key == key]
            return str(max(pages, key=lambda page: page.created).data)

    return asyncio.run(ask())
