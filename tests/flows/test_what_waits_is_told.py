"""Nothing waits only when nothing waits: held money, rows, runs that died or stopped, wherever a person looks."""

import json
import subprocess

import pytest
from openpyxl import load_workbook

from io_adapters.ledger.leases import Owner
from schemas.errors import ExitCode
from tests.flows.jobs import NOBODY, line, payee, payment, people, share
from tests.flows.label import Label, corrections_of, put_right
from tests.flows.oracle import LIST, Oracle

ANA, BIA, CAIO = people(3)
NOTHING = "nada espera por ninguém"
pytestmark = pytest.mark.long


@pytest.fixture(autouse=True)
def _terminal_of_a_treasurer_in_brazil(monkeypatch):
    monkeypatch.setenv("LC_ALL", "")
    monkeypatch.setenv("LANG", "pt_BR.UTF-8")


def told(label: Label, code: int) -> list[dict]:
    """What `status` tells that is left open; the words for people and the document for programs go together."""
    document = label.ask("status", code=code)
    output = label.say("status", code=code).output
    assert (NOTHING in output) == (code == ExitCode.DONE)
    for batch in document["waits"]:
        assert f"{batch['job']} {batch['period']}" in output
        assert batch["way"] in output
        assert batch["run"] in output
    return document["waits"]


def facts(waits: list[dict], *names: str) -> list[tuple]:
    return [tuple(wait[name] for name in names) for wait in waits]


@pytest.mark.journey
def test_a_held_payment_waits_until_it_is_paid(label: Label, service: Oracle):
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00", CPF=NOBODY))
    workbook = corrections_of(label.run())
    (one,) = told(label, ExitCode.ROWS_HELD)
    assert (one["kind"], one["amount_cents"], one["count"], one["reason"]) == ("held", 2000, 1, "TAXID_CHECK")
    assert str(workbook) in one["way"]
    assert str(label.job) in one["way"]
    label.run(files=[put_right(workbook, Dados_B3=BIA.tax_id)])
    assert service.paid == [1000, 2000]
    assert told(label, ExitCode.DONE) == []


@pytest.mark.journey
def test_nobody_is_named_where_what_waits_is_told(label: Label, service: Oracle):
    label.payments(payment(ANA, "10,00"), payment(BIA, "vinte", "Nota 17"))
    label.run()
    output = label.say("status", code=ExitCode.ROWS_HELD).output + json.dumps(told(label, ExitCode.ROWS_HELD))
    for personal in (BIA.name, BIA.tax_id, BIA.email, BIA.destination.pix_key, "Nota 17"):
        assert personal not in output


def test_what_an_earlier_period_holds_stays_in_sight_when_the_next_is_paid(label: Label, service: Oracle):
    label.declare(period="2026-09")
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00", CPF=NOBODY))
    label.run()
    label.declare(period="2026-10")
    label.payments(payment(ANA, "11,00"))
    assert label.run().exit_code == ExitCode.DONE
    assert facts(told(label, ExitCode.ROWS_HELD), "period", "amount_cents") == [("2026-09", 2000)]


def test_lines_that_no_share_covers_wait_with_their_list(label: Label, service: Oracle):
    label.declare(sources=[{"files": "lines.xlsx", "layout": "royalties"}], payees="payees.xlsx", shares="shares.xlsx")
    label.write("payees.xlsx", [payee(ANA)])
    label.write("shares.xlsx", [share(ANA, "100") | {"Artista": "Outra"}])
    label.write("lines.xlsx", [line("10,00"), line("7,00") | {"Artista": "Outra"}])
    label.run()
    waits = told(label, ExitCode.ROWS_HELD)
    assert ("unmatched", 1000) in facts(waits, "kind", "amount_cents")
    assert all("missing-shares.xlsx" in wait["way"] for wait in waits)
    assert service.paid == [700]


def test_held_payees_without_money_are_rows_that_wait(label: Label, service: Oracle):
    label.declare(payees="payees.xlsx")
    label.write("payees.xlsx", [payee(ANA), payee(BIA) | {"CPF": NOBODY}])
    label.payments(payment(ANA, "10,00"))
    label.run()
    assert facts(told(label, ExitCode.ROWS_HELD), "kind", "count", "amount_cents") == [("rows", 1, 0)]


def test_a_sheet_stopped_as_a_whole_tells_what_was_planned_too(label: Label, service: Oracle):
    label.declare(rules={"invalid_payee": "stop"})
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00", CPF=NOBODY))
    label.run()
    waits = told(label, ExitCode.ROWS_REFUSED)
    assert facts(waits, "kind", "amount_cents") == [("not_sent", 1000), ("held", 2000)]
    assert service.posts == 0


def test_a_conflict_names_the_command_that_decides(label: Label, service: Oracle):
    label.payments(payment(ANA, "10,00"))
    label.run()
    label.payments(payment(ANA, "12,00"))
    label.run()
    (one,) = told(label, ExitCode.ROWS_HELD)
    assert (one["kind"], one["amount_cents"]) == ("conflict", 200)  # what of the row's 12.00 is owed still
    assert "repasse decide" in one["way"]


def test_a_service_that_was_away_leaves_money_unsent_and_says_so(label: Label, service: Oracle):
    label.payments(payment(ANA, "10,00"))
    service.plant(LIST, "status", times=None)
    label.run()
    (one,) = told(label, ExitCode.NOT_SENT)
    assert (one["kind"], one["amount_cents"]) == ("not_sent", 1000)
    service.clear()
    label.run()
    assert told(label, ExitCode.DONE) == []


def test_a_rejected_plan_leaves_its_money_in_sight(label: Label, service: Oracle):
    label.payments(payment(ANA, "10,00"))
    report = label.run(yes=False)
    assert told(label, ExitCode.APPROVAL_WANTED) == []  # the plan tells of itself
    label.say("reject", report.summary.plan_digest, "--by", "bia", "--why", "wrong month")
    assert label.ask("status", code=ExitCode.APPROVAL_WANTED)["exit_code"] == ExitCode.APPROVAL_WANTED


def test_a_run_that_was_killed_waits_and_the_next_one_takes_it_up(label: Label, service: Oracle):
    label.payments(payment(ANA, "10,00"))
    killed = _begin(label, dead=True)
    (one,) = told(label, ExitCode.NOT_SENT)
    assert (one["kind"], one["run"]) == ("interrupted", killed)
    assert label.run().exit_code == ExitCode.DONE
    assert told(label, ExitCode.DONE) == []


def test_a_run_that_goes_on_is_not_told_as_interrupted(label: Label, service: Oracle):
    _begin(label, dead=False)
    assert told(label, ExitCode.DONE) == []


def _begin(label: Label, *, dead: bool) -> str:
    """Begin a run as a process does, that then dies, or lives."""
    run_id = "20261001T000000-abcdef"
    owner = Owner.current(run_id)
    if dead:
        child = subprocess.Popen(["sleep", "60"])
        owner = Owner(**{name: getattr(owner, name) for name in Owner.__dataclass_fields__} | {"pid": child.pid})
        child.kill()
        child.wait()
    with label.ledger() as ledger:
        ledger.leases.take("aurora", owner, 900)
        ledger.runs.begin(run_id, "aurora", "2026-10", "payout", "ana", str(label.job))
    return run_id


def test_no_sound_plan_waits_until_the_period_is_run_again(label: Label, service: Oracle):
    label.declare(
        sources=[{"files": "lines.xlsx", "layout": "royalties"}],
        payees="payees.xlsx",
        shares="shares.xlsx",
        period="2026-09",
    )
    label.write("payees.xlsx", [payee(ANA)])
    label.write("shares.xlsx", [share(ANA, "100")])
    label.write("lines.xlsx", [line("10,00") | {"Moeda": "USD"}])
    assert label.run().exit_code == ExitCode.NO_SOUND_PLAN
    label.declare(period="2026-10")
    label.payments(payment(ANA, "1,00"))
    label.run()
    assert facts(told(label, ExitCode.NO_SOUND_PLAN), "kind", "period", "reason") == [
        ("stopped", "2026-09", "no_sound_plan")
    ]


def test_files_that_could_not_be_read_wait_until_the_job_is_run_again(label: Label, service: Oracle):
    (label.folder / "payments.xlsx").write_text("no workbook")
    assert label.run().exit_code == ExitCode.UNREADABLE_FILE
    assert facts(told(label, ExitCode.UNREADABLE_FILE), "kind", "reason") == [("stopped", "unreadable_file")]
    label.payments(payment(ANA, "10,00"))
    label.run()
    assert told(label, ExitCode.DONE) == []


@pytest.mark.usefixtures("workbooks")
@pytest.mark.parametrize("corrected", [False, True])
def test_plan_tells_what_else_the_job_holds(label: Label, service: Oracle, *, corrected: bool):
    label.declare(period="2026-09")
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00", CPF=NOBODY))
    workbook = corrections_of(label.run())
    if corrected:
        label.run(files=[put_right(workbook, Dados_B3=BIA.tax_id)])
    label.declare(period="2026-10")
    label.payments(payment(ANA, "11,00"))
    document = label.ask("plan", label.job)
    assert facts(document["waits"], "period", "amount_cents") == ([] if corrected else [("2026-09", 2000)])
    assert ("O que mais espera neste job" in label.say("plan", label.job).output) != corrected
    cells = {str(cell) for row in load_workbook(document["workbook"]).worksheets[0].values for cell in row}
    assert ("O que espera" in cells) != corrected


def test_the_workbook_tells_what_waits_of_its_own_run_and_of_earlier_periods(label: Label, service: Oracle):
    label.declare(period="2026-09", outputs={"folder": "out", "statements": False, "language": "en"})
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00", CPF=NOBODY))
    label.run()
    label.declare(period="2026-10", outputs={"folder": "out", "statements": False, "language": "en"})
    label.payments(payment(ANA, "11,00"), payment(CAIO, "trinta", "x"))
    report = label.run()
    (path,) = (path for path in report.outputs if path.name == "reconciliation.xlsx")
    rows = [[str(cell) for cell in row if cell is not None] for row in load_workbook(path).worksheets[0].values]
    at = rows.index(["What waits"])
    assert [row[-1] for row in rows[at + 2 : at + 4]] == ["September 2026", "October 2026"]
    assert any("corrections.xlsx" in cell for cell in rows[at + 2])
