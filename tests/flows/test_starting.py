"""A command imports what it needs, and no more: told by the modules it has imported at its end, never by a clock."""

from pathlib import Path

import pytest

from tests.flows.imports import NEVER, imported_by
from tests.payments_job import write_payments_job

SAMPLES = Path(__file__).parents[2] / "sample_data"


def test_help_imports_no_table():
    assert not imported_by("--help") & {
        *NEVER,
        "pandas",
        "pandera",
        "pyarrow",
        "sqlalchemy",
        "pydantic",
        "xlsxwriter",
        "duckdb",
    }


@pytest.mark.long
def test_a_check_of_payments_imports_nothing_that_pays_or_writes(tmp_path):
    modules = imported_by("check", str(write_payments_job(tmp_path, 2).path))
    assert not modules & {*NEVER, "xlsxwriter", "duckdb"}
    assert "pandas" in modules, "it was to read them"


@pytest.mark.long
def test_a_check_of_statements_imports_nothing_that_pays(tmp_path):
    assert not imported_by("check", str(SAMPLES / "royalties" / "job.yaml")) & set(NEVER)
