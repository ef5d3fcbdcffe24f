"""States are told in the language of the job."""

import pytest

from flows.terminal.state_words import state_in_words
from schemas.exchange_update import ExchangeState
from schemas.submission import SubmissionState


@pytest.mark.parametrize("state", sorted({*SubmissionState, *ExchangeState}))
def test_every_state_has_a_portuguese_word(state):
    assert state_in_words(state, "pt-BR") != state
    assert state_in_words(state, "en") == state.replace("_", " ")


def test_a_run_tells_its_reports_in_portuguese(label, service, capsys):
    from flows.commands.payouts import tell_report
    from tests.flows.jobs import payment, people

    label.payments(payment(people(1)[0], "10,00"))
    report = label.run()
    tell_report(report, as_json=False)
    assert "aceito, DONE" in capsys.readouterr().out
