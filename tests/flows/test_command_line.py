"""The command line as people and programs meet it: one exit code, one document, no traceback."""

import json
import os
import shlex
import subprocess

import pytest
import typer
from typer.main import get_command

from flows.cli.app import EXAMPLES, GROUPS, app
from schemas.plan import short_digest
from tests.flows.books import assert_books_close, places
from tests.flows.jobs import payment, people
from tests.flows.label import COMMAND

ANA, BIA = people(2)


@pytest.fixture
def two(label):
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"))
    return label


def typed(*words: object) -> subprocess.CompletedProcess[str]:
    """Type a command in a shell of its own."""
    return subprocess.run(
        [*COMMAND, *map(str, words)], capture_output=True, text=True, timeout=60, check=False, env=dict(os.environ)
    )


def test_a_run_prints_one_document_on_standard_output_and_its_progress_beside_it(two, service):
    done = typed("run", two.job, "--yes", "--json")
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert summary["exit_code"] == 0
    assert_books_close({name: value for name, value in summary.items() if name != "outputs"})
    assert service.paid == [1000, 2000]
    assert "envio ..." in done.stderr, "in the language of the job"


def test_a_wrong_file_is_one_message_on_standard_error(two, service):
    (two.folder / "payments.xlsx").unlink()
    done = typed("run", two.job, "--yes")
    assert done.returncode == 11
    assert "payments.xlsx" in done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr


def test_a_check_touches_neither_service_nor_ledger(two, service, home):
    document = two.ask("check", two.job)
    assert document["rows"] == {"read": 2, "used": 2, "held": 0, "duplicate": 0, "ignored": 0}
    assert document["issues"] == []
    assert not home.exists()


def test_a_check_names_each_problem_by_cell(two):
    two.payments(payment(ANA, "dez"), payment(BIA, "20,00"))
    document = two.ask("check", two.job, code=12)
    (issue,) = (issue for issue in document["issues"] if issue["severity"] == "error")
    assert set(issue) >= {"code", "severity", "file", "sheet", "cell", "row", "column", "message"}
    assert (issue["file"], issue["cell"], issue["row"]) == ("payments.xlsx", "D2", 2)


def test_a_plan_shows_what_a_run_would_pay_and_leaves_no_trace(two, service, home):
    plan = two.ask("plan", two.job)
    assert places(plan) == {"planned": 3000}
    assert plan["provisional"] is False
    assert not home.exists()
    assert service.posts == 0
    assert two.ask("run", two.job, code=14)["plan_digest"] == plan["plan_digest"]


def test_a_plan_with_checks_outstanding_has_no_digest(two, service):
    two.declare(account_checks={"when": "new_or_changed"})
    plan = two.ask("plan", two.job)
    assert (plan["plan_digest"], plan["provisional"], plan["account_checks"]["wanted"]) == (None, True, 2)
    assert service.checks == 0


def test_the_way_of_a_plan_through_the_command_line(two, service):
    waiting = two.ask("run", two.job, code=14)
    assert two.ask("status", code=14)["planned"][0]["plan_digest"] == waiting["plan_digest"]
    approved = two.ask("approve", waiting["plan_digest"], "--by", "bia", "--total", "30,00")
    assert approved["by"] == "bia"
    done = two.ask("run", two.job)
    assert (done["exit_code"], places(done)) == (0, {"paid": 3000})
    assert two.ask("status", done["run"])["totals_cents"] == done["totals_cents"]
    assert [run["exit_code"] for run in two.ask("runs")["runs"]] == [0, 14]


@pytest.mark.parametrize("total", ["abc", "", "10.0.0"])
def test_a_total_that_is_no_amount_is_a_usage_error(two, total):
    two.ask("run", two.job, code=14)
    two.say("approve", "0" * 64, "--by", "bia", "--total", total, code=2)


def test_every_act_of_a_person_needs_a_name(two):
    two.say("hold", "--by", "  ", "--why", "x", code=2)


def test_a_run_nobody_made_has_no_status(two):
    two.say("status", "no-such-run", code=10)


@pytest.mark.parametrize("words", [["status"], ["runs"], ["layouts"], ["doctor"]])
def test_commands_that_look_answer_on_a_ledger_that_is_not_there_yet(two, words, home):
    document = two.ask(*words)
    assert document["exit_code"] == 0
    assert not home.exists()


def commands(group, words=()):
    """Walk through every command there is, groups before their own."""
    yield words, group
    for name, command in getattr(group, "commands", {}).items():
        yield from commands(command, (*words, name))


@pytest.mark.parametrize(
    ("words", "command"), [pytest.param(*one, id=" ".join(one[0])) for one in commands(get_command(app))]
)
def test_help_fits_a_screen_and_cuts_no_sentence_off(words, command):
    told = command.get_help(typer.Context(command, info_name=" ".join(("repasse", *words)), terminal_width=80))
    lines = told.splitlines()
    assert max(map(len, lines)) <= 80
    assert len(lines) <= (40 if words else 51)  # the list of all commands is longer than any of them
    assert [line for line in lines if line.endswith("...") and not line.startswith("Usage")] == []


def test_the_version_is_told():
    assert typed("--version").stdout.startswith("repasse ")


@pytest.mark.parametrize("words", [["help", "layouts", "new"], ["layouts", "new", "-h"], ["layouts", "new", "--help"]])
def test_help_is_asked_for_in_three_ways(words):
    shown = typed(*words)
    assert shown.returncode == 0
    assert " layouts new [OPTIONS]" in shown.stdout.splitlines()[0]


def test_help_of_what_is_not_there_is_refused():
    assert typed("help", "pay").returncode == 2


def test_each_command_stands_in_one_group_of_the_help():
    named = [name for names in GROUPS.values() for name in names]
    assert sorted(named) == sorted(set(get_command(app).commands) - {"help"})


def test_examples_of_the_help_are_commands_there_are():
    of_all = get_command(app).commands
    for name, examples in EXAMPLES.items():
        for example in examples:
            program, command, *words = shlex.split(example)
            assert (program, command) == ("repasse", name)
            options = {option for parameter in of_all[name].params for option in parameter.opts}
            assert {word for word in words if word.startswith("--")} <= options


def test_a_spreadsheet_in_the_place_of_a_job_and_a_name_nearly_right_say_what_to_type(two):
    told = two.say("run", two.folder / "payments.xlsx", code=10).output
    assert f"`repasse new {two.folder / 'payments.xlsx'}`" in told.replace("\n", " ").replace("  ", " ")
    assert str(two.job) in two.say("run", two.folder / "jobs.yml", code=10).output.replace("\n", "")


@pytest.mark.long
def test_the_standing_says_how_to_approve_what_waits(two, service):
    waiting = two.ask("run", two.job, code=14)
    shown = typed("status")
    assert f"repasse approve {short_digest(waiting['plan_digest'])} --by NAME --total 30,00" in shown.stdout
