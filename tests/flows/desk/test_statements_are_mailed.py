"""Statements go to their payees by e-mail, over a real mail server: on a person's word, each to its own payee, once."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import Envelope

from flows.royalties.rules.statements import statement_token
from schemas.approval import Role
from tests.flows.desk.office import bring_and_take, plan_of, words_of
from tests.flows.jobs import declare, payee, people, share, write_sheet
from tests.flows.jobs import line as royalty_line
from tests.flows.mailbox import Mailbox
from tests.watched.installation import free_port

ANA, BIA, CAIO = people(3)
SILENT = replace(CAIO, email="")
pytestmark = pytest.mark.long


class Refusing(Mailbox):
    """A mail server that takes nothing while it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = 0
        self.refuses = False

    async def handle_DATA(self, server: object, session: object, envelope: Envelope) -> str:  # noqa: N802
        self.asked += 1
        return "554 no" if self.refuses else await super().handle_DATA(server, session, envelope)


@pytest.fixture(autouse=True)
def mailbox(environment, monkeypatch: pytest.MonkeyPatch) -> Iterator[Refusing]:
    box = Refusing()
    server = Controller(box, hostname="127.0.0.1", port=free_port())
    server.start()
    monkeypatch.setenv("REPASSE_SMTP_URL", f"smtp://127.0.0.1:{server.port}")
    monkeypatch.setenv("REPASSE_ALERT_FROM", "repasse@selo.example")
    yield box
    server.stop()


@pytest.fixture
def both(at_desk):
    return at_desk("Ana Lima", Role.PREPARER), at_desk("Bia Reis", Role.APPROVER)


@pytest.fixture
def paid(both, desk, job, mailbox, service) -> str:
    """The page of a run that paid royalties to three people, one of whom has no address."""
    ana, bia = both
    folder = job.parent
    write_sheet(folder / "royalties.csv", [royalty_line("100,00")])
    write_sheet(
        folder / "payees.xlsx",
        [payee(ANA) | {"Idioma": ""}, payee(BIA) | {"Idioma": "en"}, payee(SILENT) | {"Idioma": ""}],
    )
    write_sheet(folder / "shares.xlsx", [share(ANA, "50"), share(BIA, "30"), share(SILENT, "20")])
    sources = [{"files": "royalties.csv", "layout": "royalties"}]
    outputs = {"folder": "out", "statements": True, "formats": ["json"]}
    declare(job, sources=sources, payees="payees.xlsx", shares="shares.xlsx", outputs=outputs)
    (line,) = desk.jobs.list()
    look = ana.bring(f"/jobs/{line.token}", [], source="royalties")
    ana.wait_for(look, "O que foi reconhecido")
    nonce = re.search(r'name="launch" value="([^"]+)"', ana.get(look))[1]
    plan = plan_of(bia, ana.follow(ana.post(f"{look}/launch", at=look, launch=nonce)))
    total = re.search(r"Total a enviar R\$ ([\d.,]+)", words_of(bia.get(plan)))[1]
    return bia.follow(bia.post(f"{plan}/approve", at=plan, total=total))


def send(who, run: str) -> None:
    who.post(f"{run}/statements/mail", at=f"{run}/statements")


@pytest.mark.long
@pytest.mark.journey
def test_each_payee_gets_their_own_statement_in_their_language_once(both, paid, mailbox):
    _, bia = both
    page = words_of(bia.get(f"{paid}/statements"))
    assert "0 enviados, 2 a enviar, 1 sem endereço" in page
    assert mailbox.mails == [], "nothing goes without a person's word"
    send(bia, paid)
    mails = {str(mail["To"]): mail for mail in mailbox.mails}
    assert set(mails) == {ANA.email, BIA.email}
    assert "seu demonstrativo de outubro de 2026" in str(mails[ANA.email]["Subject"])
    assert "your statement of October 2026" in str(mails[BIA.email]["Subject"])
    for who, mail in ((ANA, mails[ANA.email]), (BIA, mails[BIA.email])):
        (attached,) = mail.iter_attachments()
        assert attached.get_content_type() == "application/pdf"
        assert attached.get_content()[:5] == b"%PDF-"
        assert statement_token(paid.rpartition("/")[2], who.tax_id) in attached.get_filename()
        assert who.tax_id not in mail.as_string()
    assert "2 enviados, 0 a enviar, 1 sem endereço" in words_of(bia.get(f"{paid}/statements"))
    token = re.search(r'name="token" value="([0-9a-f]+)"', bia.get("/"))[1]
    bia.post(f"{paid}/statements/mail", token=token)
    assert len(mailbox.mails) == 2


def test_only_whoever_may_approve_sends_them(both, paid, mailbox):
    ana, _ = both
    page = ana.get(f"{paid}/statements")
    assert "/statements/mail" not in page
    assert "Quem pode aprovar planos pode enviá-los" in words_of(page)
    token = re.search(r'name="token" value="([0-9a-f]+)"', ana.get("/"))[1]
    ana.post(f"{paid}/statements/mail", code=403, token=token)
    assert mailbox.mails == []


def test_what_the_mail_server_refuses_is_told_and_may_be_sent_again(both, paid, mailbox):
    _, bia = both
    mailbox.refuses = True
    send(bia, paid)
    page = words_of(bia.get(f"{paid}/statements"))
    assert "0 enviados, 2 a enviar" in page
    assert "2 foram recusados" in page
    mailbox.refuses = False
    send(bia, paid)
    assert len(mailbox.mails) == 2
    assert "foram recusados" not in words_of(bia.get(f"{paid}/statements"))


def test_a_statement_that_was_begun_and_never_ended_is_not_sent_again_by_itself(both, paid, mailbox, desk):
    _, bia = both
    run_id = paid.rpartition("/")[2]
    send(bia, paid)
    (first, *_) = desk.ledger.statement_mails.of_run(run_id)
    assert desk.ledger.statement_mails.begin(run_id, first.token, first.sha256, "Bia Reis") is False
    assert desk.ledger.statement_mails.begin(run_id, first.token, "0" * 64, "Bia Reis") is True, "another content"


def test_without_a_mail_server_nothing_is_offered(both, paid, monkeypatch, desk):
    _, bia = both
    bia.http.app.state.desk = replace(desk, alerts=replace(desk.alerts, smtp_url=""))
    assert "por e-mail" not in words_of(bia.get(f"{paid}/statements"))


@pytest.fixture
def clerk(at_desk):
    """Somebody who prepares, and may approve what others have prepared."""
    return at_desk("Eva Cruz", Role.PREPARER, Role.APPROVER)


def run_again(both, job: Path, the_job: str) -> tuple[str, str]:
    """Pay another month of the job; returns the page of the run, and what the plan's page said."""
    ana, bia = both
    text = job.read_text("utf-8").replace("2026-10", "2026-11")
    job.write_text(text, encoding="utf-8")
    write_sheet(job.parent / "royalties.csv", [royalty_line("60,00", "Choro")])
    look = ana.bring(the_job, [], source="royalties")
    ana.wait_for(look, "O que foi reconhecido")
    nonce = re.search(r'name="launch" value="([^"]+)"', ana.get(look))[1]
    plan = plan_of(bia, ana.follow(ana.post(f"{look}/launch", at=look, launch=nonce)))
    words = words_of(bia.get(plan))
    total = re.search(r"Total a enviar R\$ ([\d.,]+)", words)[1]
    return bia.follow(bia.post(f"{plan}/approve", at=plan, total=total)), words


@pytest.mark.long
@pytest.mark.journey
def test_a_changed_address_is_shown_and_first_used_by_somebody_who_did_not_bring_it(
    both, clerk, paid, job, mailbox, desk
):
    _, bia = both
    (line,) = desk.jobs.list()
    the_job = f"/jobs/{line.token}"
    send(bia, paid)
    mailbox.mails.clear()
    rows = [payee(ANA) | {"E-mail": "eva.cruz@example.com"}, payee(BIA) | {"Idioma": "en"}, payee(SILENT)]
    sheet = write_sheet(job.parent.parent.parent / "payees.xlsx", [row | {"Idioma": ""} for row in rows])
    assert bring_and_take(clerk, the_job, "payees", "payees.xlsx", sheet.read_bytes()) == 303
    run, words = run_again(both, job, the_job)
    assert "não é aquele para onde foram os demonstrativos antes: 1" in words
    page = words_of(clerk.get(f"{run}/statements"))
    assert "Favorecidos cujo endereço não é o de antes: 1" in page
    assert "outra pessoa envia primeiro" in page
    assert "eva.cruz" not in page
    send(clerk, run)
    assert [str(mail["To"]) for mail in mailbox.mails] == [BIA.email]
    send(bia, run)
    assert [str(mail["To"]) for mail in mailbox.mails] == [BIA.email, "eva.cruz@example.com"]
    assert "o de antes" not in words_of(bia.get(f"{run}/statements"))
