"""Somebody who is wanted is called: by e-mail over a real mail server, and by a webhook, once for each occasion."""

import datetime as dt
import json
import ssl
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session

from flows.books.alerts import alert_of_overdue_nights
from flows.nights.due import NIGHTLY
from flows.nights.night import run_night
from flows.settings import read_settings
from io_adapters.alerts import NotAlerted, send_email
from schemas.egress import Egress
from schemas.errors import ConfigurationError, ExitCode
from tests.flows.jobs import PERIOD, payment, people
from tests.flows.label import COMMAND, Label
from tests.flows.mailbox import Mailbox
from tests.flows.oracle import CREATE, LIST, Oracle
from tests.one_certificate import write_own_certificate
from tests.watched.installation import free_port

ANA, BIA = people(2)
DESK = "https://repasse.example.com"
pytestmark = pytest.mark.long


@pytest.fixture
def mailbox(label: Label, monkeypatch: pytest.MonkeyPatch) -> Iterator[Mailbox]:
    box = Mailbox()
    server = Controller(box, hostname="127.0.0.1", port=free_port())
    server.start()
    monkeypatch.setenv("REPASSE_SMTP_URL", f"smtp://127.0.0.1:{server.port}")
    monkeypatch.setenv("REPASSE_ALERT_EMAIL", "financeiro@selo.example, chefe@selo.example")
    monkeypatch.setenv("REPASSE_ALERT_FROM", "repasse@selo.example")
    monkeypatch.setenv("REPASSE_DESK_URL", DESK)
    yield box
    server.stop()


@pytest.fixture
def hook(label: Label, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[dict[str, object]]]:
    """What a webhook was sent."""
    taken: list[dict[str, object]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            taken.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("REPASSE_ALERT_WEBHOOK", f"http://127.0.0.1:{server.server_port}/secret-token")
    yield taken
    server.shutdown()
    server.server_close()


@pytest.mark.journey
def test_a_plan_that_waits_calls_people_once_with_its_total_and_a_link(label: Label, mailbox: Mailbox, hook):
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"))
    for _ in range(2):
        assert label.run(yes=False).exit_code is ExitCode.APPROVAL_WANTED
    (mail,) = mailbox.mails
    assert mail["Subject"] == "Repasse: aurora 2026-10: um plano espera aprovação, 2 pagamentos, R$ 30,00"
    assert mail["To"] == "financeiro@selo.example, chefe@selo.example"
    (document,) = hook
    assert document["event"] == "approval_wanted"
    assert document["total_cents"] == 3000
    for told in (mail.get_content(), document["page"], document["text"]):
        assert f"{DESK}/plans/{document['digest']}" in told


def test_another_plan_is_another_occasion(label: Label, mailbox: Mailbox):
    for amount in ("10,00", "11,00"):
        label.payments(payment(ANA, amount))
        label.run(yes=False)
    assert [subject.rpartition(" ")[2] for subject in mailbox.subjects] == ["10,00", "11,00"]


def test_a_doubt_calls_once_however_often_it_is_looked_at(label: Label, service: Oracle, mailbox: Mailbox, hook):
    label.payments(payment(ANA, "10,00"))
    service.plant(CREATE, "reset", when="before")
    assert label.run().exit_code is ExitCode.IN_DOUBT
    label.say("settle", code=22)
    label.say("settle", code=22)
    assert mailbox.subjects == [
        "Repasse: aurora 2026-10: confira. Um envio está em dúvida; alguém precisa conferir. R$ 10,00"
    ]
    assert [document["page"] for document in hook] == [f"{DESK}/doubts"]


def test_a_service_that_is_away_calls_people_and_says_why(label: Label, service: Oracle, mailbox: Mailbox):
    label.payments(payment(ANA, "10,00"))
    service.plant(LIST, "status", status=503, times=None, when="before")
    assert label.run().exit_code is ExitCode.NOT_SENT
    (mail,) = mailbox.mails
    assert "HTTP 503" in mail.get_content()
    assert f"{DESK}/runs/" in mail.get_content()


def test_what_went_well_calls_nobody_and_neither_do_held_rows(label: Label, mailbox: Mailbox, hook):
    label.payments(payment(ANA, "10,00"), payment(BIA, "zero"))
    assert label.run().exit_code is ExitCode.ROWS_HELD
    assert mailbox.mails == []
    assert hook == []


@pytest.mark.long
@pytest.mark.journey
def test_nobody_is_named_in_what_leaves_the_house(label: Label, service: Oracle, mailbox: Mailbox, hook):
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00", CPF="529.982.247-26"))
    label.run(yes=False)
    service.plant(LIST, "status", status=503, times=None, when="before")
    label.run()
    assert len(mailbox.mails) == len(hook) == 2
    told = repr(hook) + "".join(mail.as_string() + mail.get_content() for mail in mailbox.mails)
    for payee in (ANA, BIA):
        for private in (payee.name, payee.tax_id, payee.email, payee.destination.pix_key):
            assert private not in told
    assert service.api_key not in told


def test_a_mail_server_that_is_down_keeps_nobody_from_being_paid_and_is_tried_again(
    label: Label, service: Oracle, mailbox: Mailbox, monkeypatch, capsys
):
    right = read_settings().alerts.smtp_url
    monkeypatch.setenv("REPASSE_SMTP_URL", "smtp://ana:secret@127.0.0.1:1")
    label.payments(payment(ANA, "10,00"))
    assert label.run(yes=False).exit_code is ExitCode.APPROVAL_WANTED
    said = capsys.readouterr()
    assert "could not be called by e-mail (ConnectionRefusedError)" in said.err
    assert "secret" not in said.err + said.out
    monkeypatch.setenv("REPASSE_SMTP_URL", right)
    label.run(yes=False)
    assert len(mailbox.mails) == 1
    label.run()
    assert service.paid == [1000]


@pytest.mark.parametrize("scheme", ["smtp", "smtps"])
def test_a_password_goes_over_an_encrypted_connection_to_a_server_that_is_known(
    label: Label, tmp_path: Path, monkeypatch, scheme: str
):
    certificate = write_own_certificate(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    box, at_once = Mailbox(), scheme == "smtps"
    server = Controller(
        *(box, "127.0.0.1", free_port()),
        ssl_context=context if at_once else None,
        tls_context=None if at_once else context,
        authenticator=box.authenticate,
        auth_required=True,
        auth_require_tls=not at_once,
    )
    server.start()
    try:
        where, ours = f"{scheme}://conta:s%40fe@127.0.0.1:{server.port}", Egress(ca_file=str(certificate))
        with pytest.raises(NotAlerted, match="SSL"):  # of a stranger's
            send_email(where, "repasse@selo.example", ("ana@selo.example",), "Ação", "já")
        send_email(where, "repasse@selo.example", ("ana@selo.example",), "Ação", "já", egress=ours)
    finally:
        server.stop()
    assert box.logins == [(b"conta", b"s@fe")]
    assert box.subjects == ["Ação"]


class Sealed(Mailbox):
    """A mail server that remembers whether what it was sent came encrypted."""

    def __init__(self) -> None:
        super().__init__()
        self.encrypted: list[bool] = []

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        self.encrypted.append(session.ssl is not None)
        return await super().handle_DATA(server, session, envelope)


@pytest.mark.parametrize("scheme", ["smtp", "smtp+starttls"])
def test_what_is_sent_without_a_password_is_encrypted_where_the_server_can(label: Label, tmp_path: Path, scheme: str):
    certificate = write_own_certificate(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    box = Sealed()
    server = Controller(box, "127.0.0.1", free_port(), tls_context=context)
    server.start()
    try:
        where, ours = f"{scheme}://127.0.0.1:{server.port}", Egress(ca_file=str(certificate))
        send_email(where, "repasse@selo.example", ("ana@selo.example",), "Ação", "já", egress=ours)
    finally:
        server.stop()
    assert box.encrypted == [True]


def test_who_insists_on_encryption_sends_nothing_without(mailbox: Mailbox):
    where = read_settings().alerts.smtp_url.replace("smtp://", "smtp+starttls://")
    with pytest.raises(NotAlerted, match="SMTPNotSupportedError"):
        send_email(where, "repasse@selo.example", ("ana@selo.example",), "x", "y")
    assert mailbox.mails == []


def test_a_server_without_encryption_is_never_told_a_password(mailbox: Mailbox):
    where = read_settings().alerts.smtp_url.replace("smtp://", "smtp://conta:secret@")
    with pytest.raises(NotAlerted, match="SMTPNotSupportedError"):
        send_email(where, "repasse@selo.example", ("ana@selo.example",), "x", "y")
    assert mailbox.logins == []
    assert mailbox.mails == []


def test_one_way_that_works_is_enough(label: Label, mailbox: Mailbox, monkeypatch):
    monkeypatch.setenv("REPASSE_ALERT_WEBHOOK", "http://127.0.0.1:1/x")
    label.payments(payment(ANA, "10,00"))
    label.run(yes=False)
    label.run(yes=False)
    assert len(mailbox.mails) == 1


def test_a_night_that_has_not_ended_calls_once(label: Label, mailbox: Mailbox, hook):
    with label.ledger() as ledger:
        ledger.runs.begin("20261101T023000-abc", "", "", NIGHTLY, "cron", "/jobs")
        began = ledger.now()
    settings = read_settings()
    for hours in (5, 7, 8):
        alert_of_overdue_nights(settings, NIGHTLY, began + dt.timedelta(hours=hours), print)
    (subject,) = mailbox.subjects
    assert subject.startswith("Repasse: a noite que começou em ")
    assert [document["event"] for document in hook] == ["night"]


def test_where_no_night_has_ended_for_a_day_somebody_is_called_once(label: Label, mailbox: Mailbox, hook):
    """The worker is dead, or the schedule off: nothing has begun that could tell."""
    (label.folder.parent / "none").mkdir()
    run_night(label.folder.parent / "none")
    with label.ledger() as ledger:
        ended = ledger.now()
    for hours in (1, 25, 27, 50):
        alert_of_overdue_nights(read_settings(), NIGHTLY, ended + dt.timedelta(hours=hours), print)
    (subject,) = mailbox.subjects
    assert subject.startswith("Repasse: nenhuma noite terminou desde ")
    assert [document["event"] for document in hook] == ["night"]


def test_a_night_tells_of_jobs_it_could_not_begin(label: Label, mailbox: Mailbox, tmp_path: Path):
    folder = tmp_path / "jobs"
    folder.mkdir()
    (folder / "broken.yaml").write_text("job: [", encoding="utf-8")
    run_night(folder, by="cron")
    assert mailbox.subjects == ["Repasse: a noite não pôde começar: broken.yaml"]


@pytest.fixture
def houses_jobs(label: Label) -> Path:
    """A folder of jobs: one whose plan waits for approval, one that is paid without a word, one that makes no sense."""
    folder = label.folder.parent / "jobs"
    folder.mkdir()
    for name, payee, amount, above in (("espera", BIA, "20,00", "0.00"), ("livre", ANA, "10,00", "1000.00")):
        job = Label(folder / name)
        job.declare(job=name, approval={"above": above}, settle={"every_s": "0.1", "for_s": "0.2"})
        job.payments(payment(payee, amount, name))
    (folder / "quebrado.yaml").write_text("job: [", encoding="utf-8")
    return folder


def test_a_night_calls_once_for_all_it_leaves_and_says_whose_turn_it_is_and_for_what_sum(
    houses_jobs: Path, service: Oracle, mailbox: Mailbox, hook
):
    service.plant(CREATE, "drop", when="before")
    for _ in range(2):  # the second night finds the same and calls nobody but for the job that still makes no sense
        run_night(houses_jobs, by="cron")
    mail, again = mailbox.mails
    turns = "quem prepara, quem aprova R$ 20,00, quem resolve R$ 10,00"
    assert mail["Subject"] == f"Repasse: a noite terminou; agora: {turns}"
    told = mail.get_content().splitlines()
    for line in (
        "quem prepara: a noite não pôde começar: quebrado.yaml",
        f"quem aprova: espera {PERIOD}: um plano espera aprovação, 1 pagamento, R$ 20,00",
        f"quem resolve: livre {PERIOD}: confira. Um envio está em dúvida; alguém precisa conferir. R$ 10,00",
    ):
        assert line in told
    assert f"{DESK}/" in told
    assert again["Subject"] == "Repasse: a noite não pôde começar: quebrado.yaml"
    assert [(document["event"], document["page"].startswith(DESK)) for document in hook] == [
        ("night", True),
        ("failure", True),
    ]


@pytest.mark.parametrize("payers", ["", "tesouraria@selo.example"])
def test_after_a_night_the_codes_to_pay_go_to_whoever_pays_and_the_sum_to_all(
    houses_jobs: Path, label: Label, service: Oracle, mailbox: Mailbox, monkeypatch, payers
):
    monkeypatch.setenv("REPASSE_ALERT_FUNDING", payers)
    service.behave(funding="pix")
    run_night(houses_jobs, by="cron")
    assert (
        "quem aprova: livre: 1 relatório no serviço" in "".join(mail.get_content() for mail in mailbox.mails) or payers
    )
    (report,) = label.ask("funding", code=23)["reports"]
    words = ("--receiver", report["receiver"], "--by", "bia", "--evidence", "contrato")
    label.say("funding", "receiver", report["report_id"], *words)
    mailbox.mails.clear()
    run_night(houses_jobs, by="cron")
    with_code = [mail["To"] for mail in mailbox.mails if "\n000201" in mail.get_content()]
    to_all = [mail for mail in mailbox.mails if mail["To"] == "financeiro@selo.example, chefe@selo.example"]
    assert with_code == [payers or to_all[0]["To"]]
    (mail,) = to_all
    assert "quem resolve R$ 10,00" in mail["Subject"]
    assert "quem resolve: livre: 1 relatório no serviço pede a sua atenção, R$ 10,00" in mail.get_content()


def test_a_doubt_that_is_gone_by_the_end_of_the_night_calls_nobody(
    houses_jobs: Path, service: Oracle, mailbox: Mailbox
):
    for name in ("quebrado.yaml", "espera/job.yaml"):
        (houses_jobs / name).unlink()
    service.plant(CREATE, "late", seconds=6.0)  # an error at once, and a report later
    later = Label(houses_jobs / "outro")
    later.declare(job="outro", approval={"above": "1000.00"}, settle={"every_s": "0.1", "for_s": "0.2"})
    later.payments(payment(BIA, "20,00", "outro"))
    service.plant(CREATE, "hang", call=2, seconds=8.0)
    night = run_night(houses_jobs, by="cron")
    assert {job.job: job.state for job in night.jobs} == {"livre": "done", "outro": "done"}
    assert service.paid == [1000, 2000]
    assert mailbox.subjects == []


def test_what_a_killed_night_told_nobody_the_next_one_tells(
    houses_jobs: Path, service: Oracle, mailbox: Mailbox, eventually
):
    (houses_jobs / "quebrado.yaml").unlink()
    service.plant(CREATE, "hang", when="before", seconds=600)
    night = subprocess.Popen([*COMMAND, "nightly", "--jobs", str(houses_jobs)], stderr=subprocess.PIPE)
    try:
        eventually(lambda: service.posts == 1)
    finally:
        night.kill()
        night.communicate(timeout=60)
    assert mailbox.mails == []
    run_night(houses_jobs, by="cron")
    (mail,) = mailbox.mails
    assert f"espera {PERIOD}: um plano espera aprovação" in mail.get_content()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("REPASSE_ALERT_EMAIL", "not an address"),
        ("REPASSE_ALERT_FROM", ""),
        ("REPASSE_SMTP_URL", "mail.example.com"),
        ("REPASSE_ALERT_WEBHOOK", "hooks.example.com/x"),
        ("REPASSE_NIGHT_HOURS", "soon"),
        ("REPASSE_DESK_URL", "repasse.example.com"),
    ],
)
def test_a_setting_without_sense_is_named_before_anything_begins(mailbox: Mailbox, monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    with pytest.raises(ConfigurationError, match=name):
        read_settings()


@pytest.mark.parametrize("payers", ["", "tesouraria@selo.example"])
def test_whoever_pays_is_called_with_the_code_and_again_only_when_it_is_another(
    label: Label, service: Oracle, mailbox: Mailbox, hook, monkeypatch, payers
):
    monkeypatch.setenv("REPASSE_ALERT_FUNDING", payers)
    service.behave(funding="pix")
    label.declare(settle={"every_s": "0.1", "for_s": "0.2"})
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"))
    label.run()
    (report,) = label.ask("funding", code=23)["reports"]
    words = ("--receiver", report["receiver"], "--by", "bia", "--evidence", "contrato")
    label.say("funding", "receiver", report["report_id"], *words)
    for _ in range(2):
        label.say("settle", code=23)
    service.behave(payload_valid_s=0.001)  # the code is renewed
    label.say("settle", code=23)
    codes = [line for mail in mailbox.mails for line in mail.get_content().splitlines() if line.startswith("000201")]
    assert len(codes) == len(set(codes)) == 2
    first, *others = mailbox.mails
    assert first["Subject"] == "Repasse: aurora: 1 relatório no serviço pede a sua atenção, R$ 30,00"
    assert {mail["To"] for mail in [first, *others]} == {payers or "financeiro@selo.example, chefe@selo.example"}
    assert {document["event"] for document in hook} == {"funding"}
    assert {document["page"] for document in hook} == {f"{DESK}/funding"}
    assert codes[0] not in json.dumps(hook)
    assert "SANDBOX" not in json.dumps(hook) + "".join(mail.get_content().replace(codes[0], "") for mail in [first])
