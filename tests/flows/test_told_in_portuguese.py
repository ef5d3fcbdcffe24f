"""A Portuguese job is told in Portuguese."""

import re

import pytest

from flows.cli.payouts import show_report
from tests.flows.jobs import payment, people
from tests.flows.label import Label


def test_a_run_tells_its_reports_in_portuguese(label: Label, capsys: pytest.CaptureFixture[str]):
    label.payments(payment(people(1)[0], "10,00"))
    show_report(label.run(), as_json=False)
    assert re.search(r"aceito +DONE", capsys.readouterr().out)
