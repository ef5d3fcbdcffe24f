"""Whatever a command comes to, programs get one document with its exit code, and people no traceback."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

COMMAND = Path(sys.executable).parent / "repasse"
ROOT = Path(__file__).parents[2]


def told(*words: str, **environment: str) -> tuple[int, dict[str, object], str]:
    ended = subprocess.run(
        [COMMAND, *words],
        cwd=ROOT,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return ended.returncode, json.loads(ended.stdout), ended.stderr


@pytest.mark.parametrize("words", [["run", "job.yaml", "--bogus", "--json"], ["approve", "--json"]])
def test_wrong_usage_has_its_document_too(words):
    code, document, said = told(*words)
    assert (code, document["exit_code"], document["issues"]) == (2, 2, [])
    assert "--help" in said


def test_a_bug_is_one_line_without_what_the_exception_said(tmp_path):
    (tmp_path / "pandas.py").write_text("raise ZeroDivisionError('12345678909')")
    job = "sample_data/payments/job.yaml"
    code, document, said = told("check", job, "--json", PYTHONPATH=str(tmp_path))
    assert (code, document["exit_code"]) == (70, 70)
    assert "ZeroDivisionError" in said
    assert "Traceback" not in said
    assert "12345678909" not in said
