"""The service by hand: an exchange rate on people's word, and a QR code that is what was asked for."""

from hashlib import sha256

import pytest
from sqlalchemy import select
from typer.testing import CliRunner

from flows.acts.forms import DeclareAbsent
from flows.acts.rates import read_rate
from flows.cli import app
from flows.cli.acts import perform_here
from flows.desk.app import opened_desk
from flows.desk.guard import DeskSettings
from flows.settings import read_settings
from io_adapters.ledger.tables import attempts, plan_exchanges, transitions
from schemas.approval import Role
from schemas.errors import BrokenInvariant, DecisionRefused, ExitCode
from schemas.exchange_update import ID_PREFIX, ExchangeState
from schemas.values.brcode import read_brcode
from tests.flows.another_dialect import AnotherDialect
from tests.flows.books import places
from tests.flows.desk.office import Browser, RunsHere, hashed, words_of
from tests.flows.jobs import payment, people
from tests.flows.label import summary_of
from tests.flows.moments import At, later, power_cut
from tests.flows.oracle import RATE

X = ExchangeState
ANA, BIA = people(2)
TERMS = {"rate": "5.4312", "order_id": "EX-1", "show_exchange_data": True}
DOLLARS = {"currency": "USD", "foreign_currency": TERMS, "settle": {"every_s": "0.1", "for_s": "0.3"}}
REFUSAL = {"detail": [{"loc": ["body", "orderId"], "msg": "unknown order", "type": "value_error"}]}
QR = "POST /create_pix_qrcode"
RANDOM_KEY = "123e4567-e89b-42d3-a456-426614174000"
pytestmark = pytest.mark.long


@pytest.fixture
def abroad(label):
    """Two payments in dollars."""
    label.declare(**DOLLARS)
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"))
    return label


def hold(label):
    with label.ledger() as ledger:
        ledger.hold.put("Bia", "wait")


@pytest.fixture
def unrated(abroad):
    """A report whose approved rate nobody has set yet; returns its name and the run."""
    report = abroad.run(progress=At("exchange_rate", lambda: hold(abroad)))
    abroad.say("release", "--by", "bia")
    return report_of(abroad), report


@pytest.fixture
def refused(abroad, service):
    """A report whose approved rate the service refused."""
    service.plant(RATE, "status", when="before", status=422, body=REFUSAL)
    report = abroad.run()
    assert report.exit_code == ExitCode.REFUSED
    return report_of(abroad), report


@pytest.fixture
def without_terms(abroad, service):
    """A report in dollars whose plan holds no rate, as one from before plans held them."""
    with pytest.raises(KeyboardInterrupt):
        abroad.run(progress=At("exchange_rate", power_cut))
    with abroad.ledger() as ledger, ledger._database.writing() as connection:
        connection.execute(plan_exchanges.delete())
    return report_of(abroad)


def report_of(label):
    with label.ledger() as ledger:
        (submission,) = ledger.submissions.list()
    return submission.report_id


def updates(label):
    with label.ledger() as ledger:
        return ledger.exchange_updates.list()


def rate(label, report, text, *words, by=("bia",), code=0):
    people = [word for name in by for word in ("--by", name)]
    return label.ask("exchange-rate", report, "--rate", text, *people, *words, code=code)


@pytest.mark.journey
def test_the_approved_rate_is_set_on_one_persons_word(abroad, service, unrated):
    name, report = unrated
    told = rate(abroad, name, "5,4312")
    assert (told["state"], told["rate"], told["order_id"]) == ("accepted", "5.4312", "EX-1")
    assert [rate for _, rate in service.rates] == ["5.4312"]
    abroad.say("settle")
    assert places(summary_of(report)) == {"paid": 3000}
    assert service.calls(RATE) == 1


@pytest.mark.journey
def test_the_services_own_id_names_the_report_too(abroad, service, unrated):
    rate(abroad, service.reports[0]["split_id"], "5.4312")
    assert len(service.rates) == 1


def test_a_rate_that_was_set_is_not_set_again(abroad, service, unrated):
    name, _ = unrated
    service.behave(processing_after_s=3600, done_after_s=3600)
    rate(abroad, name, "5.4312")
    rate(abroad, name, "5.4312", code=2)
    rate(abroad, name, "5.50", by=("bia", "caio"), code=2)
    assert service.calls(RATE) == 1


def test_a_rate_somebody_set_in_the_service_is_seen_and_none_is_sent(abroad, service, unrated):
    name, _ = unrated
    service.behave(processing_after_s=3600, done_after_s=3600)
    service.set_rate("5.4312")
    before = service.calls(RATE)
    rate(abroad, name, "5.4312", code=2)
    assert service.calls(RATE) == before


def test_another_rate_than_the_approved_one_is_refused_while_that_can_be_sent(abroad, service, unrated):
    name, _ = unrated
    rate(abroad, name, "5.50", by=("bia", "caio"), code=2)
    rate(abroad, name, "5.4312", "--order-id", "EX-2", by=("bia", "caio"), code=2)
    rate(abroad, name, "5.4312", "--hide", by=("bia", "caio"), code=2)
    assert service.calls(RATE) == 0


def test_after_a_refusal_two_people_give_another_order(abroad, service, refused):
    name, report = refused
    rate(abroad, name, "5.4312", "--order-id", "EX-2", by=("bia",), code=14)
    rate(abroad, name, "5.4312", "--order-id", "EX-2", by=("bia", "BIA "), code=14)
    rate(abroad, name, "5.4312", "--order-id", "EX-2", by=("bia", "ana"), code=14)  # ana sent the refused one
    assert service.calls(RATE) == 1
    told = rate(abroad, name, "5.4312", "--order-id", "EX-2", by=("bia", "caio"))
    assert (told["state"], told["order_id"]) == ("accepted", "EX-2")
    abroad.say("settle")
    assert places(summary_of(report)) == {"paid": 3000}
    assert [update.state for update in updates(abroad)] == [X.ABSENT, X.ACCEPTED]
    (batch,) = summary_of(report)["batches"]
    assert (batch["exchange"]["order_id"], batch["exchange"]["outcome"]) == ("EX-2", "accepted")


def test_a_plan_that_holds_no_rate_gets_one_by_two_people(abroad, service, without_terms):
    name = without_terms
    rate(abroad, name, "5.60", by=("bia",), code=14)
    told = rate(abroad, name, "5.60", by=("bia", "caio"))
    assert (told["state"], told["order_id"]) == ("accepted", None)
    assert [rate for _, rate in service.rates] == ["5.6"]


@pytest.mark.parametrize("kind", ["drop", "reset", "garbage"])
def test_a_lost_answer_is_a_doubt_and_nothing_is_sent_again(abroad, service, without_terms, kind):
    name = without_terms
    service.plant(RATE, kind, when="before")
    rate(abroad, name, "5.60", by=("bia", "caio"), code=22)
    rate(abroad, name, "5.60", by=("bia", "caio"), code=2)
    abroad.say("settle", code=22)
    assert (service.calls(RATE), service.rates) == (1, [])
    assert [update.state for update in updates(abroad)] == [X.IN_DOUBT]


def test_a_lost_answer_whose_rate_the_report_shows_is_found_at_once(abroad, service, without_terms):
    name = without_terms
    service.plant(RATE, "drop", when="after")
    assert rate(abroad, name, "5.60", by=("bia", "caio"))["state"] == "accepted"
    assert service.calls(RATE) == 1


def test_a_doubt_about_a_rate_by_hand_can_be_declared_absent_and_the_same_bytes_go_again(
    abroad, service, without_terms
):
    name = without_terms
    service.plant(RATE, "drop", when="before")
    rate(abroad, name, "5.60", by=("bia", "caio"), code=22)
    (update,) = updates(abroad)
    said = DeclareAbsent((update.id,), "ticket 7")
    perform_here(("bia", "caio"), said, as_json=False, clock=later(hours=25))
    abroad.back_to_today()
    abroad.say("settle")
    assert [rate for _, rate in service.rates] == ["5.6"]
    assert [update.state for update in updates(abroad)] == [X.ABSENT, X.ACCEPTED]


def test_bytes_nobody_gave_their_word_on_are_never_sent(abroad, service, without_terms):
    name = without_terms
    service.plant(RATE, "status", when="before", status=422, body=REFUSAL)
    rate(abroad, name, "5.60", by=("bia", "caio"), code=20)
    with abroad.ledger() as ledger:
        (refused,) = ledger.exchange_updates.list()
        forged = ledger.exchange_updates.declare_absent(refused.id, by=("x", "y"), evidence="-", run_id="run")
        with ledger._database.writing() as connection:
            body = forged.body.replace(b"5.6", b"9.9")
            change = attempts.update().where(attempts.c.id == forged.id)
            connection.execute(change.values(body=body, body_sha256=sha256(body).hexdigest()))
    abroad.say("settle", code=BrokenInvariant.exit_code)
    assert service.rates == []


@pytest.mark.parametrize(
    ("text", "why"),
    [("rp-nobody", "no report of this ledger"), ("", "no report of this ledger")],
    ids=["unknown", "none"],
)
def test_a_report_that_is_not_ours_is_refused(abroad, service, unrated, text, why):
    assert why in abroad.say("exchange-rate", text, "--rate", "5", "--by", "bia", code=2).output
    assert service.calls(RATE) == 0


def test_a_report_in_reais_has_no_rate(label, service):
    service.behave(processing_after_s=3600, done_after_s=3600)
    label.declare(settle={"every_s": "0.1", "for_s": "0.1"})
    label.payments(payment(ANA, "10,00"))
    label.run()
    rate(label, report_of(label), "5", code=2)


def test_an_ended_report_is_given_none(abroad, service):
    assert abroad.run().exit_code == ExitCode.DONE
    rate(abroad, report_of(abroad), "5.4312", code=2)
    assert service.calls(RATE) == 1


def test_a_hold_holds_rates_by_hand(abroad, service, unrated):
    name, _ = unrated
    hold(abroad)
    rate(abroad, name, "5.4312", code=21)
    assert service.calls(RATE) == 0


@pytest.mark.parametrize(("text", "by"), [("5.4312", ["bia"]), ("5.50", ["bia", "caio"])], ids=["approved", "other"])
def test_where_people_have_to_sign_in_typed_names_set_no_rate(abroad, service, text, by):
    abroad.declare(**DOLLARS, approval={"above": "1000.00", "identities": "signed_in"})
    abroad.run(progress=At("exchange_rate", lambda: hold(abroad)))
    with abroad.ledger() as ledger:
        ledger.hold.release("Bia")
    result = abroad.say("exchange-rate", report_of(abroad), "--rate", text, *(f"--by={name}" for name in by), code=2)
    assert "signed_in" in result.output
    assert service.calls(RATE) == 0
    assert [update.state for update in updates(abroad)] == [X.APPROVED]
    abroad.say("settle")  # the approved plan's own rate needs no word of anybody any more
    assert [rate for _, rate in service.rates] == ["5.4312"]


def test_whoever_has_the_approved_rate_set_is_written_down(abroad, service, unrated):
    name, _ = unrated
    rate(abroad, name, "5.4312", by=("bia",))
    with abroad.ledger() as ledger, ledger._database.reading() as connection:
        of_rates = select(transitions.c.after, transitions.c.by).where(transitions.c.attempt_id.startswith(ID_PREFIX))
        lines = connection.execute(of_rates).all()
    assert ("sending", "bia") in [tuple(line) for line in lines]


def test_it_takes_a_name(abroad, unrated):
    name, _ = unrated
    rate(abroad, name, "5.4312", by=(" ",), code=2)


@pytest.mark.parametrize("text", ["0", "-5", "5.4.3", "five", "", "1e3", "5,4,3", "NaN", "٥", "1234567890123"])
def test_what_is_no_rate_is_refused(text):
    with pytest.raises(DecisionRefused):
        read_rate(text)


@pytest.mark.parametrize("takes_effect", [True, False], ids=["answered", "lost"])
def test_where_paths_take_the_report_id_the_rate_is_set_all_the_same(abroad, service, monkeypatch, takes_effect):
    """Both by the run itself and by the look after a lost answer."""
    if not takes_effect:
        service.plant(RATE, "drop", when="after")
    with AnotherDialect(service.url, by_report_id=True) as dialect:
        monkeypatch.setenv("REPASSE_API_URL", dialect.url)
        monkeypatch.setenv("REPASSE_ASSUME_GET_TAKES", "reportId")
        report = abroad.run()
    assert report.exit_code == ExitCode.DONE
    assert places(summary_of(report)) == {"paid": 3000}
    assert [rate for _, rate in service.rates] == ["5.4312"]
    assert service.calls(RATE) == 1


def test_where_paths_take_the_report_id_a_report_missing_from_the_list_is_still_followed(label, service, monkeypatch):
    label.payments(payment(ANA, "10,00"))
    with AnotherDialect(service.url, by_report_id=True) as dialect:
        monkeypatch.setenv("REPASSE_API_URL", dialect.url)
        monkeypatch.setenv("REPASSE_ASSUME_GET_TAKES", "reportId")
        dialect.hides_from_the_list = True
        report = label.run()
    assert report.exit_code == ExitCode.DONE
    assert places(summary_of(report)) == {"paid": 1000}


@pytest.fixture
def key_file(tmp_path):
    def write(text):
        (tmp_path / "key.txt").write_text(text + "\n", encoding="utf-8")
        return f"@{tmp_path / 'key.txt'}"

    return write


def ask_code(label, *words, key=RANDOM_KEY, key_type="random_key", code=0):
    return label.say("funding", "qrcode", "--amount", "10,00", "--key", key, "--key-type", key_type, *words, code=code)


def test_a_qr_code_is_printed_as_it_can_be_pasted_and_called_deprecated(label, service):
    result = ask_code(label)
    reading = read_brcode(result.stdout.strip())
    assert reading.problems == ()
    assert reading.code.amount_cents == 1000
    assert "deprecated" in result.stderr
    assert service.qr_codes == [1000]


def test_it_can_be_had_as_a_document(label):
    document = label.ask("funding", "qrcode", "--amount", "10,00", "--key", RANDOM_KEY, "--key-type", "random_key")
    assert document["deprecated"] is True
    assert read_brcode(document["payload"]).code is not None


@pytest.mark.parametrize("key_type", ["email", "E-mail"])
def test_a_key_that_says_who_somebody_is_is_never_an_argument(label, service, key_file, key_type):
    output = ask_code(label, key=ANA.email, key_type=key_type, code=2).output
    assert ANA.email not in output
    assert service.qr_codes == []
    ask_code(label, key=key_file(ANA.email), key_type=key_type)
    assert service.qr_codes == [1000]


def test_a_key_can_come_from_standard_input(label, service):
    words = ["funding", "qrcode", "--amount", "10,00", "--key", "-", "--key-type", "email"]
    result = CliRunner().invoke(app, words, input=ANA.email + "\n")
    assert result.exit_code == 0, result.output
    assert service.qr_codes == [1000]


@pytest.mark.parametrize(
    "words",
    [
        ("--amount", "0", "--key", RANDOM_KEY, "--key-type", "random_key"),
        ("--amount", "ten", "--key", RANDOM_KEY, "--key-type", "random_key"),
        ("--amount", "10,00", "--key", "nothing", "--key-type", "random_key"),
        ("--amount", "10,00", "--key", RANDOM_KEY, "--key-type", "iban"),
    ],
    ids=["nothing", "words", "no key", "no type"],
)
def test_what_makes_no_sense_is_refused_before_anything_is_sent(label, service, words):
    label.ask("funding", "qrcode", *words, code=2)
    assert service.calls(QR) == 0


@pytest.mark.parametrize(
    "answer", [{"base_64": "000201"}, {"amount": 11, "base_64": None}], ids=["cut", "another amount"]
)
def test_a_code_that_is_not_what_was_asked_for_is_not_printed(label, service, answer):
    service.plant(QR, "status", when="after", status=200, body=answer)
    result = ask_code(label, code=ExitCode.DISCREPANCIES)
    assert result.stdout.strip() == ""
    service.plant(QR, "status", when="after", status=200, body=answer | {"image": "/qr_codes/wrong.png"})
    told = ask_code(label, "--json", code=ExitCode.DISCREPANCIES).stdout
    assert "wrong.png" not in told


def test_a_lost_answer_is_told_as_such(label, service):
    service.plant(QR, "drop", when="after")
    ask_code(label, code=ExitCode.IN_DOUBT)
    assert service.calls(QR) == 1


@pytest.fixture
def two_at_the_desk(tmp_path):
    """Two who resolve, at a desk over the same ledger."""
    with opened_desk(read_settings(), None, RunsHere()) as desk:
        for name in ("Caio", "Dora"):
            desk.ledger.desk_users.add(name, [Role.RESOLVER], hashed(), by="root")
        served = DeskSettings(uploads=tmp_path / "uploads", upload_limit_bytes=1_000_000)
        both = [Browser(desk, served) for _ in range(2)]
        for browser, name in zip(both, ("Caio", "Dora"), strict=True):
            browser.sign_in(name)
        yield both


def test_where_no_plan_has_a_rate_two_people_at_the_desk_give_the_same(abroad, service, without_terms, two_at_the_desk):
    caio, dora = two_at_the_desk
    page = words_of(caio.get("/doubts"))
    assert "Sem taxa de câmbio" in page
    assert without_terms in page
    given = {"report": without_terms, "rate": "5,60"}
    assert caio.post("/doubts/rate", at="/doubts", **given) == "/doubts?done=first"
    assert caio.post("/doubts/rate", at="/doubts", **given) == "/doubts?done=first"  # one person remains one
    other = {"report": without_terms, "rate": "5,61"}
    assert dora.post("/doubts/rate", at="/doubts", **other) == "/doubts?done=first"  # another rate is another word
    assert service.rates == []
    assert "taxa" in dora.post("/doubts/rate", at="/doubts", code=422, report=without_terms, rate="much")
    assert dora.post("/doubts/rate", at="/doubts", **given) == "/doubts?done=rated"
    assert [rate for _, rate in service.rates] == ["5.6"]
    assert "Sem taxa de câmbio" not in words_of(caio.get("/doubts"))
    assert updates(abroad)[0].state is X.ACCEPTED


def test_a_rate_that_was_refused_is_given_again_at_the_desk(abroad, service, refused, two_at_the_desk):
    caio, dora = two_at_the_desk
    name, _ = refused
    given = {"report": name, "rate": "5,4312", "order_id": "EX-2"}
    assert caio.post("/doubts/rate", at="/doubts", **given) == "/doubts?done=first"
    assert dora.post("/doubts/rate", at="/doubts", **given) == "/doubts?done=rated"
    assert updates(abroad)[-1].terms.order_id == "EX-2"
