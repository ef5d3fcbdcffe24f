"""A ledger that was lost, or is not the only one, freezes the sending; it never starts from nothing."""

import shutil

from schemas.exit_codes import ExitCode
from tests.flows.jobs import payment, people

ANA, BIA = people(2)


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
