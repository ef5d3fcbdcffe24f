"""Documents, keys, accounts, e-mails and the API key stay out of terminals, logs and messages."""

import logging

import pytest

from flows.run import QuietProgress
from tests.flows.jobs import payment, people
from tests.flows.label import Label
from tests.flows.oracle import CREATE

ANA, BIA, CAIO = people(3)
TYPO = "123.456.789-00"


def canaries() -> set[str]:
    """Everything of theirs that must not be told, in each form it can take."""
    found = {TYPO, TYPO.replace(".", "").replace("-", "")}
    for who in (ANA, BIA, CAIO):
        found |= {who.tax_id, who.email, who.destination.pix_key, payment(who, "1,00")["CPF"]}
    return found


@pytest.fixture
def private(label: Label) -> Label:
    label.declare(account_checks={"when": "new_or_changed"})
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"), payment(CAIO, "30,00", CPF=TYPO))
    return label


def assert_private(text: str) -> None:
    told = sorted(canary for canary in canaries() if canary.casefold() in text.casefold())
    assert not told, f"{len(told)} canaries were told"


@pytest.mark.long
@pytest.mark.parametrize("kind", [None, "status"])
def test_a_run_tells_nothing_personal_whatever_the_service_answers(private, service, caplog, capfd, kind):
    caplog.set_level(logging.DEBUG)
    service.behave(invalid_accounts=[BIA.destination.pix_key])
    if kind:
        service.plant(CREATE, kind, when="before", status=500 if kind == "status" else None, body=ANA.email)
    report = private.run()
    out, err = capfd.readouterr()
    assert_private(out + err + caplog.text + "".join(report.messages) + report.summary.to_json())
    assert service.api_key not in out + err + caplog.text


@pytest.mark.parametrize(
    "words", [["check"], ["check", "--json"], ["plan"], ["plan", "--json"], ["run", "--yes"], ["run", "--json"]]
)
def test_commands_tell_nothing_personal(private, caplog, words):
    caplog.set_level(logging.DEBUG)
    code = {"check": 12, "plan": 15, "run": 15}[words[0]]
    result = private.say(words[0], private.job, *words[1:], code=14 if words == ["run", "--json"] else code)
    assert_private(result.output + caplog.text)


class Breaks(QuietProgress):
    """Breaks while a stage is at work, in words that name somebody."""

    def advance(self, what: str, done: int, total: int) -> None:
        raise ValueError(f"no {ANA.name} {ANA.tax_id} {ANA.destination.pix_key}")


def test_a_bug_is_told_without_the_data_that_met_it(private, service, capfd, monkeypatch):
    """An exception's own text may hold anything; its kind and place are enough."""
    report = private.run(progress=Breaks())
    assert report.exit_code == 70
    assert_private("".join(capfd.readouterr()) + "".join(report.messages))
