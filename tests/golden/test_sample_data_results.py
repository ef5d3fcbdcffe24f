"""The sample jobs come to what was reckoned for them by hand, payee by payee; the broken sheet is told cell by cell."""

import json
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pytest

from flows.intake.read import read
from flows.payables.draft import draft
from flows.payables.preview import view_plan
from flows.run import QuietProgress, opened_offline
from flows.run_options import RunOptions
from flows.run_request import read_run_request
from schemas.issues import errors_among
from schemas.values.bank_account import PixKey

SAMPLES = Path(__file__).resolve().parents[2] / "sample_data"
BALANCE = ("tax_id", "name", "earned_cents", "recouped_cents", "carried_out_cents", "payable_cents")


def worked_out(folder):
    """Read a sample job and work it out, with an empty ledger and no service."""
    order = read_run_request(SAMPLES / folder / "job.yaml", RunOptions(by="test"))
    with opened_offline(order, QuietProgress()) as run:
        drafted = draft(run, read(run))
        return SimpleNamespace(
            issues=run.issues, payables=drafted.payables, inputs=drafted.inputs, sheets=drafted.intake.sheets
        ), view_plan(run, drafted)


def known(name):
    return json.loads((SAMPLES / name).read_text(encoding="utf-8"))


@pytest.fixture(scope="module", params=["royalties", "catalogue"])
def statements(request):
    return *worked_out(request.param), known(f"expected/{request.param}.json")


def test_every_payee_earns_repays_carries_and_gets_what_was_reckoned(statements):
    run, _, expected = statements
    balances = run.payables.balances
    assert balances[list(BALANCE)].to_dict("records") == [{k: p[k] for k in BALANCE} for p in expected["payees"]]


def test_every_advance_is_recouped_as_reckoned(statements):
    run, _, expected = statements
    reckoned = {
        (a["tax_id"], "|".join(filter(None, (a["reference"], a["isrc"])))): a["recouped_cents"]
        for a in expected["advances"]
    }
    assert run.payables.royalties.recouped == {name: cents for name, cents in reckoned.items() if cents}


def test_the_totals_are_those_reckoned_with_all_that_would_be_paid_still_planned(statements):
    _, view, expected = statements
    reckoned = expected["totals_cents"]
    # Nothing is sent here: what would be paid, and the owner's part that travels with it, are planned.
    planned = reckoned["paid"] + reckoned["owner"]
    told = {place: cents for place, cents in view.totals.model_dump(by_alias=True).items() if cents}
    rest = {place: cents for place, cents in reckoned.items() if cents and place not in {"paid", "owner"}}
    assert told == rest | {"planned": planned}
    assert view.total_cents == planned


def test_every_line_is_used_or_held_as_reckoned(statements):
    run, _, expected = statements
    rows = run.inputs.rows
    for file in expected["lines"]:
        went = Counter(rows[rows["file"] == file["file"]].groupby("disposition")["rows"].sum().to_dict())
        assert {"read": went.total(), "used": went["used"], "held": went["held"]} == {
            name: file[name] for name in ("read", "used", "held")
        }


def test_no_sound_sample_is_told_of_an_error(statements):
    run, _, _ = statements
    assert errors_among(run.issues) == ()


def test_every_payment_of_the_sheet_is_planned_with_its_amount_and_kind_of_destination():
    run, view = worked_out("payments")
    expected = known("expected/payments.json")
    owed = run.payables.obligations
    told = [
        {
            "row": payment.source.row,
            "tax_id": payment.payee.tax_id,
            "name": payment.payee.name,
            "reference": payment.reference,
            "amount_cents": payment.amount_cents,
            "destination": "pix" if isinstance(payment.account, PixKey) else "bank_account",
            "advance": payment.advance,
            "withhold": payment.withhold,
        }
        for payment in owed
    ]
    assert told == expected["payments"]
    assert {payment.place for payment in owed} == {"planned"}
    assert view.rows.model_dump() == expected["rows"]
    assert (view.payees, view.total_cents) == (expected["payees"], expected["totals_cents"]["in"])
    assert errors_among(run.issues) == ()


@pytest.fixture(scope="module")
def broken():
    return *worked_out("broken"), known("broken/expected-issues.json")


def test_every_mistake_is_told_with_its_cell_and_nothing_is_invented(broken):
    run, _, expected = broken
    told = Counter((issue.row, issue.cell, issue.code.value) for issue in errors_among(run.issues))
    planted = Counter((error["row"], error["cell"], error["code"]) for error in expected["errors"])
    assert {"missing": planted - told, "invented": told - planted} == {"missing": Counter(), "invented": Counter()}


def test_every_mistake_names_the_person_s_own_file_sheet_and_column(broken):
    run, _, expected = broken
    columns = {(error["cell"], error["code"]): error["column"] for error in expected["errors"] if error["cell"]}
    for issue in errors_among(run.issues):
        assert (issue.file, issue.sheet) == (expected["file"], expected["sheet"])
        if issue.cell:
            assert issue.column == columns[issue.cell, issue.code.value]
        assert issue.message
        assert issue.accepts


def test_the_good_rows_among_the_bad_are_planned_and_no_other(broken):
    run, view, expected = broken
    owed = run.payables.obligations
    assert sorted(payment.source.row for payment in owed if payment.place == "planned") == expected["good_rows"]
    assert view.total_cents == expected["payable_cents"]
    assert view.rows.model_dump() == expected["rows"]


def test_no_document_key_or_account_of_the_broken_sheet_is_repeated_in_what_is_told(broken):
    run, _, _ = broken
    raw, *_ = run.sheets[0]
    private = {
        text.strip()
        for position, header in enumerate(raw.headers)
        if header in {"CPF/CNPJ", "E-mail", "Chave Pix", "Conta"}
        for text in raw.cells[position]
        if len(text.strip()) > 6
    }
    told = json.dumps([issue.as_json("pt-BR") for issue in run.issues], ensure_ascii=False)
    assert len(private) > 50
    assert [text for text in private if text in told] == []
