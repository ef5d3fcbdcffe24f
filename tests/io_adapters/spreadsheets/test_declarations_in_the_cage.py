"""What people declare in YAML is parsed where strangers' files are, and only plain values come back.

Varied: what is declared, how it is read or changed, what a value is, and what a parser that was taken over answers.
Held constant: one document at a time. The layouts that come with the program are its own, and read in its own process.
"""

import datetime as dt
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from io_adapters.spreadsheets.declarations import (
    bank_layouts,
    check_job,
    known_layouts,
    parse_yaml,
    read_house_columns,
    read_job,
    read_layout,
    read_policy,
    with_columns_of,
    with_house_columns,
    with_table_files,
)
from io_adapters.spreadsheets.readers import READERS
from io_adapters.spreadsheets.yaml_text import plain_from, plain_words
from schemas.errors import ConfigurationError
from schemas.job import RowsAsked

JOB = """\
job: pagamentos  # ours
payer: {tax_id: 12.ABC.345/01DE-35, name: Selo Aurora}
sources:
  - files: "royalties.csv"
    layout: distrokid
payees: payees.xlsx
"""
LAYOUT = "layout: house\ntitle: Ours\ntable: payments\ncolumns: {amount: [Valor]}\n"
WAYS: dict[str, Callable[[Path], object]] = {
    "a job that is read": lambda folder: read_job(folder / "job.yaml"),
    "a job that is not written yet": lambda folder: check_job(JOB, "job.yaml"),
    "a policy": lambda folder: read_policy(folder / "policy.yaml"),
    "a house's answers": lambda folder: read_house_columns(folder / "columns.yaml"),
    "a layout of one's own": lambda folder: read_layout("own.yaml", folder),
    "other files of a table": lambda folder: with_table_files(JOB, "payees", ["a.xlsx", "b.xlsx"]),
    "other answers of a job": lambda folder: with_columns_of(JOB, "1", {"Obs": "remark", "Tipo": ("a", "b")}),
    "other answers of a house": lambda folder: with_house_columns(
        folder / "columns.yaml", [("distrokid", {"x": "ignored"})]
    ),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    texts = {"job": JOB, "policy": "approvers: 2\n", "columns": "distrokid: {Notes: ignored}\n", "own": LAYOUT}
    for name, text in texts.items():
        (tmp_path / f"{name}.yaml").write_text(text, "utf-8")
    for name in known_layouts():
        read_layout(name, tmp_path)
    bank_layouts()
    parse_yaml.cache_clear()
    return tmp_path


@pytest.mark.parametrize("way", WAYS)
def test_the_paying_process_parses_nothing_that_people_declare(folder, monkeypatch, way):
    before = WAYS[way](folder)
    parse_yaml.cache_clear()

    def parses(*_: object, **__: object) -> None:
        raise AssertionError("a text was parsed in the process that pays")

    for name in ("load", "scan", "parse", "compose", "dump"):
        monkeypatch.setattr(YAML, name, parses)
    assert WAYS[way](folder) == before


def test_the_watch_sees_what_is_parsed_here(monkeypatch):
    monkeypatch.setattr(YAML, "load", lambda *_: pytest.fail("seen"))
    with pytest.raises(pytest.fail.Exception, match="seen"):
        YAML(typ="safe").load("a: 1")


def test_a_parser_that_has_gone_is_started_again(folder):
    read_job(folder / "job.yaml")
    READERS.end()
    parse_yaml.cache_clear()
    assert read_job(folder / "job.yaml").job.job == "pagamentos"


def test_what_is_changed_leaves_the_rest_as_it_was_written():
    text = with_columns_of(JOB, "1", {"Obs": "remark", "Tipo": ("Devido", "no")})
    assert text.splitlines()[:4] == JOB.splitlines()[:4]
    assert check_job(text, "job.yaml").sources[0].columns == {
        "Obs": "remark",
        "Tipo": RowsAsked(only=("Devido", "no")),
    }
    assert with_columns_of(text, "1", {}) == JOB
    several = with_table_files(JOB, "payees", ["a.xlsx", "b c.xlsx"])
    assert several == JOB.replace("payees: payees.xlsx", "payees: [a.xlsx, b c.xlsx]")
    answered = with_columns_of(several, "payees", {"Obs": "remark"})
    assert answered.splitlines()[-1] == "payees: {files: [a.xlsx, b c.xlsx], columns: {Obs: remark}}"
    assert with_table_files(answered, "payees", ["d.xlsx"]).splitlines()[-1] == (
        "payees: {files: d.xlsx, columns: {Obs: remark}}"
    )


SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text()
    | st.dates()
    | st.datetimes(timezones=st.none() | st.just(dt.UTC))
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.integers(), inner), max_leaves=20
)


@given(VALUES)
def test_every_value_crosses_as_it_is(value):
    assert plain_from(json.loads(json.dumps(plain_words(value)))) == value


@pytest.mark.parametrize(
    "answer",
    [
        {},
        {"map": [1]},
        {"map": [[1, 2, 3]]},
        {"map": [[[], 1]]},
        {"day": "31/10"},
        {"moment": 1},
        {"x": 1},
        [{"day": 2}],
    ],
)
def test_an_answer_that_is_no_value_is_refused(answer):
    with pytest.raises((TypeError, ValueError)):
        plain_from(answer)


@pytest.mark.parametrize("value", ["2026-10-31", "!!binary aGk=", "!!set {a, b}", "!mine {a: 1}", "? [a]\n: b", "0o17"])
def test_a_value_of_any_other_kind_is_a_problem_at_its_place(value):
    with pytest.raises(ConfigurationError) as told:
        check_job(f"{JOB}outputs:\n  folder: {value}\n", "job.yaml")
    assert str(told.value).startswith("job.yaml:"), "the file and the line"


def test_a_job_says_days_and_numbers_as_before():
    document: Any = parse_yaml("a: 2026-10-31\nb: [1, 2.5, yes, ~]\n3: x\n", "x.yaml")
    assert document.values == {"a": dt.date(2026, 10, 31), "b": [1, 2.5, "yes", None], 3: "x"}
    assert [document.at(path) for path in (("a",), ("b", 1), ("b", 9), (3,), ("none",))] == [
        (1, 1), (2, 8), (2, 1), (3, 1), (1, 1),
    ]  # fmt: skip
