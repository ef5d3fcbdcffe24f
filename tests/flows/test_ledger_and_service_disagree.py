"""A ledger that was lost, or is not the only one, freezes the sending; it never starts from nothing."""

import shutil

import httpx
import pytest

from schemas.errors import ExitCode
from tests.flows.books import places
from tests.flows.jobs import payment, people
from tests.flows.label import digest_of, summary_of

pytestmark = pytest.mark.long

ANA, BIA = people(2)


@pytest.mark.journey
def test_a_lost_ledger_freezes_the_sending_instead_of_paying_everything_again(label, service, home):
    label.payments(payment(ANA, "10,00"))
    label.run()
    shutil.rmtree(home)
    report = label.run()
    assert report.exit_code == ExitCode.FROZEN
    assert service.posts == 1
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"))
    assert label.run().exit_code == ExitCode.FROZEN
    assert service.posts == 1
    assert label.ask("status", code=31)["freeze"]


def test_a_ledger_restored_from_before_the_last_run_freezes_the_sending(label, service, home, tmp_path):
    label.payments(payment(ANA, "10,00"))
    label.run(yes=False)
    shutil.copytree(home, tmp_path / "backup")
    label.run()
    shutil.rmtree(home)
    shutil.copytree(tmp_path / "backup", home)
    assert label.run().exit_code == ExitCode.FROZEN
    assert service.posts == 1


def put_back(home, backup):
    shutil.rmtree(home)
    shutil.copytree(backup, home)


def accept_all(label):
    """Let two people do what the message says: accept every tag of the freeze."""
    tags = label.ask("status", code=31)["freeze"]["tags"]
    words = [word for tag in tags for word in ("--accept", tag)]
    label.say("unfreeze", *words, "--by", "bia", "--by", "caio", "--evidence", "the backup of yesterday")


@pytest.mark.parametrize("moment", ["before the plan", "planned", "approved"])
def test_what_the_list_shows_is_not_sent_again_when_two_people_have_accepted_it(label, service, home, tmp_path, moment):
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"))
    if moment == "before the plan":
        label.say("status")
        with label.ledger() as ledger:
            ledger.service.ensure_tag()
    else:
        planned = label.run(yes=False)
    if moment == "approved":
        label.approve(digest_of(planned), "30,00", "bia")
    shutil.copytree(home, tmp_path / "backup")
    label.run()
    assert service.paid == [1000, 2000]
    put_back(home, tmp_path / "backup")
    assert label.run().exit_code == ExitCode.FROZEN
    accept_all(label)
    report = label.run()
    assert report.exit_code == ExitCode.DONE
    assert service.posts == 1
    assert places(summary_of(report)) == {"paid": 3000}


@pytest.mark.journey
def test_a_second_home_pays_nobody_again_however_it_spells_the_address(label, service, monkeypatch, tmp_path):
    label.payments(payment(ANA, "10,00"))
    label.run()
    spelled = service.url.replace("127.0.0.1", "localhost").replace("http", "HTTP")
    monkeypatch.setenv("REPASSE_HOME", str(tmp_path / "second"))
    monkeypatch.setenv("REPASSE_API_URL", spelled)
    assert label.run().exit_code == ExitCode.FROZEN
    accept_all(label)
    assert label.run().exit_code == ExitCode.DONE
    assert service.posts == 1


def test_a_name_that_was_accepted_once_freezes_again_when_two_reports_bear_it(label, service, home, tmp_path):
    label.payments(payment(ANA, "10,00"))
    label.run(yes=False)
    shutil.copytree(home, tmp_path / "backup")
    label.run()
    with label.ledger() as ledger:
        (sent,) = ledger.submissions.list()
    put_back(home, tmp_path / "backup")
    label.run()
    accept_all(label)
    headers = {"Authorization": service.api_key, "Content-Type": "application/json"}
    httpx.post(f"{service.url}/split", headers=headers, content=sent.body).raise_for_status()
    assert label.run().exit_code == ExitCode.FROZEN
    assert service.posts == 2, "ours, and the copy that somebody made"


def test_a_ledger_knows_its_service_however_the_address_is_spelled(label, service, monkeypatch):
    label.payments(payment(ANA, "10,00"))
    label.run()
    monkeypatch.setenv("REPASSE_API_URL", service.url.replace("/external", "//external/"))
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"))
    assert label.run().exit_code != ExitCode.CONFIGURATION


def test_a_ledger_is_never_used_with_another_service(label, service, another_service, monkeypatch):
    label.payments(payment(ANA, "10,00"))
    label.run()
    other = another_service()
    monkeypatch.setenv("REPASSE_API_URL", other.url)
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"))
    assert label.run().exit_code == ExitCode.CONFIGURATION
    assert (service.posts, other.posts) == (1, 0)


def test_a_new_api_key_is_used_once_a_person_accepts_it(label, service, monkeypatch):
    label.payments(payment(ANA, "10,00"))
    with label.ledger() as ledger:
        ledger.service.bind_or_check(service.url, "fingerprint-of-the-old-key")
    assert label.run().exit_code == ExitCode.CONFIGURATION
    assert service.posts == 0
    label.say("doctor", "--accept-key", "--by", "ana")
    assert label.run().exit_code == ExitCode.DONE
