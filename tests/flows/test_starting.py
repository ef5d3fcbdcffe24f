"""A command imports what it needs, and no more: told by the modules it has imported at its end, never by a clock."""

from dataclasses import replace
from pathlib import Path

import pytest

from flows.intake.read import read
from flows.payables.check import NOTHING_KNOWN, opened_check
from flows.payables.corrections import corrections_of
from flows.payables.draft import draft
from flows.run import SYSTEM_CLOCK, QuietProgress
from flows.run_request import read_run_request
from io_adapters.ledger.ledger import open_ledger
from tests.flows.imports import NEVER, imported_by
from tests.payments_job import write_payments_job

SAMPLES = Path(__file__).parents[2] / "sample_data"


def test_help_imports_no_table():
    assert not imported_by("--help") & {*NEVER, "pandas", "numpy", "pyarrow", "pydantic", "xlsxwriter", "duckdb"}


def test_a_check_of_payments_imports_nothing_that_pays_or_writes(tmp_path):
    modules = imported_by("check", str(write_payments_job(tmp_path, 2).path))
    assert not modules & {*NEVER, "xlsxwriter", "duckdb"}
    assert "pandas" in modules, "it was to read them"


@pytest.mark.long
def test_a_check_of_statements_imports_nothing_that_pays(tmp_path):
    assert not imported_by("check", str(SAMPLES / "royalties" / "job.yaml")) & set(NEVER)


class Both:
    """An empty ledger, whose answers are held against those that a check is given in its place."""

    def __init__(self, of: object, answers: dict, asked: set[tuple[str, str]], name: str = "") -> None:
        self._of, self._answers, self._asked, self._name = of, answers, asked, name

    def __getattr__(self, name: str) -> object:
        inner, given = getattr(self._of, name), self._answers[name]
        if isinstance(given, dict):
            return Both(inner, given, self._asked, name)

        def ask(*words: object, **named: object) -> object:
            self._asked.add((self._name, name))
            answer = given(*words, **named)
            assert answer == inner(*words, **named), (self._name, name)
            return answer

        return ask


def test_what_a_check_is_told_in_the_ledger_s_place_is_what_an_empty_ledger_says(tmp_path):
    asked = set()
    for sample in ("royalties", "catalogue", "payments", "broken"):
        order = read_run_request(SAMPLES / sample / "job.yaml", by="test")
        order = replace(order, job=order.job.model_copy(update={"continues": "the-name-before"}))
        with (
            open_ledger("sqlite://", clock=SYSTEM_CLOCK.now) as empty,
            opened_check(order, QuietProgress()) as run,
        ):
            run.ledger = Both(empty, NOTHING_KNOWN, asked)
            drafted = draft(run, read(run))
            corrections_of(run, drafted.intake, tmp_path)
    assert asked == {(part, question) for part, answers in NOTHING_KNOWN.items() for question in answers}
