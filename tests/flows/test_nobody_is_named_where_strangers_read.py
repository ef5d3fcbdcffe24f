"""Payees, files and what stands in cells are named to people at their own work, and nowhere where strangers read.

Held constant: the words that are looked for, each of which can be nobody else's. Varied: how a run ends, which command
is given, which column or name holds the word, and where it could come out.
"""

import json
import logging
import os
import subprocess
from pathlib import Path

import pytest

from schemas.readers import for_strangers
from tests.flows.canaries import ANA, BIA, CAIO, COLUMNS, WORDS, declare, named_in, row, sheet_of, write
from tests.flows.jobs import advance, line, payee, share
from tests.flows.label import COMMAND, Label
from tests.flows.oracle import CREATE, Oracle


def remarked(label: Label, service: Oracle) -> None:
    declare(label, columns={"Jabuticaba": {"ignored": "text"}, "Obs": "remark"})


def clean(label: Label, service: Oracle) -> None:
    declare(label, columns={"Jabuticaba": {"ignored": "text"}, "Obs": {"ignored": "text"}})


def broken(label: Label, service: Oracle) -> None:
    clean(label, service)
    sheet_of(label).write_bytes(b"PK no workbook of anybody")


def held(label: Label, service: Oracle) -> None:
    declare(label)
    rows = [row(ANA, "10,00")]
    rows += [row(BIA, "20,00") | {column: f"{WORDS['cell']} {place}"} for place, column in enumerate(COLUMNS)]
    write(label, [{"Banco": "", "Agência": "", "Conta": ""} | each for each in rows])


def half(label: Label, service: Oracle) -> None:
    """Some rows are held, each for another column, and the rest is paid."""
    held(label, service)
    clean(label, service)


def refused(label: Label, service: Oracle) -> None:
    clean(label, service)
    places = f'[{{"loc": ["entries", 0], "msg": "{WORDS["name"]} {ANA.email}", "type": "value_error"}}]'
    service.plant(CREATE, "status", when="before", status=422, body=f'{{"detail": {places}}}')


def doubtful(label: Label, service: Oracle) -> None:
    clean(label, service)
    service.plant(CREATE, "status", when="before", status=500, body=f"{WORDS['name']} {ANA.email}")


# How the sheet, or the service, is -> what `run --yes` then ends with.
STATES = [
    pytest.param(state, ends, marks=[pytest.mark.long] if state is not half else [])
    for state, ends in (
        (clean, 0), (remarked, 0), (broken, 11), (held, 12), (half, 15), (refused, 20), (doubtful, 22),
    )
]  # fmt: skip


@pytest.fixture
def private(label: Label, tmp_path: Path) -> Label:
    """A team whose folder, too, bears somebody's name."""
    theirs = Label(tmp_path / f"{WORDS['folder']} e filhos")
    write(theirs, [row(ANA, "10,00"), row(BIA, "20,00")])
    return theirs


COMMANDS = [
    ["check", "JOB"], ["check", "JOB", "--json"], ["check", "SHEET"], ["check", "SHEET", "--json"], ["plan", "JOB"],
    ["plan", "JOB", "--json"], ["run", "JOB"], ["run", "JOB", "--json"], ["APPROVE"], ["run", "JOB", "--yes"],
    ["status"], ["status", "--json"], ["settle"], ["settle", "--json"], ["nightly"], ["nightly", "--json"],
    ["runs", "--json"], ["acts", "--json"],
]  # fmt: skip


def approving(label: Label) -> list[str]:
    """Approve what waits, every new text of it looked at; or say what waits, where nothing does."""
    seen = label.ask("plan", label.job, code=label.type("plan", label.job).exit_code).get("texts_to_check", 0)
    with label.ledger() as ledger:
        plans = [ledger.plans.get(batch.plan_digest) for batch in ledger.submissions.list(bodies=False)]
    for plan in plans:
        total = f"{plan.total_cents / 100:.2f}".replace(".", ",")
        return ["approve", plan.digest, "--by", "bia", "--total", total, "--seen", str(seen)]
    return ["status"]


@pytest.mark.parametrize(("state", "ends"), STATES)
def test_no_command_names_anybody_where_no_terminal_shows_it(private, service, state, ends, caplog, monkeypatch):
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("REPASSE_JOBS", str(private.folder))
    state(private, service)
    places = {"JOB": str(private.job), "SHEET": str(sheet_of(private))}
    told, codes = {}, {}
    with for_strangers():
        for words in COMMANDS:
            typed = approving(private) if words == ["APPROVE"] else [places.get(word, word) for word in words]
            result = private.type(*typed)
            assert result.output
            told[" ".join(words)] = named_in(result.output + caplog.text)
            codes[" ".join(words)] = result.exit_code
    assert {command: found for command, found in told.items() if found} == {}
    assert codes["run JOB --yes"] == ends


def test_a_person_at_a_terminal_is_told_what_stands_where(private, service):
    """The control: the same words are there for whoever works with them."""
    held(private, service)
    told = private.type("check", private.job).output
    assert {"sheet", "file", "unknown header"} <= set(named_in(told))
    half(private, service)
    assert {"file", "sheet", "cell"} <= set(named_in(private.type("check", private.job).output))


@pytest.mark.parametrize("names", [False, True])
def test_a_program_that_reads_the_output_is_given_names_only_when_it_asks(private, service, names):
    half(private, service)
    words = [*COMMAND, *(["--names"] if names else []), "check", str(private.job), "--json"]
    ran = subprocess.run(words, capture_output=True, text=True, check=False, env=dict(os.environ))
    issues = json.loads(ran.stdout)["issues"]
    assert issues
    assert bool(named_in(ran.stdout)) == names
    assert bool(named_in(ran.stderr)) == names


@pytest.mark.long
def test_shares_statements_and_payees_name_nobody_either(label, service):
    label.write("payees.xlsx", [dict(payee(ANA)) | {"Nome": WORDS["name"]}, dict(payee(BIA)) | {"CPF": WORDS["cell"]}])
    shares = [dict(share(ANA, "25")) | {"Função": WORDS["role"]}, dict(share(CAIO, "5")) | {"Função": ""}]
    label.write("shares.xlsx", shares)
    label.write("advances.csv", [dict(advance(ANA, "40,00")) | {"reference": WORDS["reference"]}])
    lines = [dict(line("10,00", WORDS["title"])) | {"Artista": WORDS["artist"], "Plataforma": WORDS["platform"]}]
    label.write(f"{WORDS['file']}.xlsx", [*lines, *[dict(lines[0]) | {"Valor": WORDS["cell"]}]])
    tables = {"payees": "payees.xlsx", "shares": "shares.xlsx", "advances": "advances.csv"}
    label.declare(sources=[{"files": f"{WORDS['file']}.xlsx", "layout": "royalties"}], **tables)
    with for_strangers():
        told = [label.type(*words, label.job).output for words in (["check"], ["plan"], ["run", "--yes"])]
    assert [named_in(text) for text in told] == [[], [], []]


def test_a_workbook_s_own_properties_name_nobody(private, service, workbooks):
    """Whoever gets a sheet of one payee must not find another, or who made it, in its properties."""
    from zipfile import ZipFile

    clean(private, service)
    report = private.run()
    for path in (path for path in report.outputs if path.suffix == ".xlsx"):
        with ZipFile(path) as package:
            properties = "".join(
                package.read(name).decode() for name in package.namelist() if name.startswith("docProps")
            )
        assert properties
        assert named_in(properties) == []


def test_names_of_files_that_runs_leave_name_nobody(private, service, home):
    half(private, service)
    private.run()
    made = [*home.rglob("*"), *(private.folder / "out").rglob("*")]
    assert [path.name for path in made if named_in(path.name)] == []
