"""A payee who moves from CPF to CNPJ keeps what they are owed, and is paid nothing twice."""

import datetime as dt
import json
from dataclasses import replace

import pytest

from schemas.errors import ExitCode
from schemas.job import BRASILIA
from tests.flows.jobs import advance, line, payee, payment, people, private, share

ANA, BIA = people(2)
FIRMA = replace(ANA, tax_id="11222333000181", name="Rosana Produções Ltda")
SOURCES = [{"files": "{period}-*.xlsx", "layout": "royalties"}]
pytestmark = pytest.mark.long


@pytest.fixture
def halves(label, service):
    """Ana and Bia have half of everything each; Ana has an advance of 30.00; less than 20.00 is carried."""
    label.write("advances.csv", [advance(ANA, "30,00")])
    return label


def run(label, month, who, *, moved=False, shared=None, sources=SOURCES):
    """Run a month; Ana is who she is by then."""
    before = {"CPF anterior": payee(ANA)["CPF"] if moved else ""}
    label.write("payees.xlsx", [payee(who) | before, payee(BIA) | {"CPF anterior": ""}])
    label.write("shares.xlsx", [share(shared or who, "50"), share(BIA, "50")])
    label.declare(
        period=month, sources=sources, payees="payees.xlsx", shares="shares.xlsx", advances="advances.csv",
        rules={"minimum_payout": "20.00"},
    )  # fmt: skip
    return label.run()


def paid(service):
    return [sorted(entry["final_amount_cents"] for entry in report["payments"]) for report in service.reports]


def codes(report):
    return [(issue.code.value, issue.file, issue.row) for issue in report.issues]


@pytest.mark.journey
def test_what_was_carried_and_recouped_of_the_cpf_is_the_cnpjs(halves, service):
    halves.write("2026-07-a.xlsx", [line("80,00")])
    run(halves, "2026-07", ANA)  # 40.00 less 30.00: 10.00 carried
    halves.write("2026-08-a.xlsx", [line("30,00", "Choro")])
    report = run(halves, "2026-08", FIRMA, moved=True)
    assert paid(service) == [[4000], [2500]]  # 15.00 and the 10.00; Bia's 15.00 is carried
    assert codes(report) == [("TAXID_MOVED", "advances.csv", 2)]


def test_no_view_of_one_who_moved_says_a_document(halves, service):
    """A move's cause names both documents: no command's output may."""
    halves.write("2026-07-a.xlsx", [line("80,00")])
    run(halves, "2026-07", ANA)
    halves.write("2026-08-a.xlsx", [line("90,00", "Choro")])
    run(halves, "2026-08", FIRMA, moved=True)
    today = dt.datetime.now(BRASILIA).date()
    commands = (
        ("account", FIRMA.tax_id), ("account", ANA.tax_id), ("explain", FIRMA.tax_id), ("explain", ANA.tax_id),
        ("owed", "--at", today.isoformat()), ("month", "2026-08"), ("month", f"{today:%Y-%m}"), ("status",),
    )  # fmt: skip
    for words in commands:
        told = halves.say(*words).output + json.dumps(halves.ask(*words))
        assert private(told.replace(words[-1], "")), words
        assert FIRMA.tax_id not in told.replace(words[-1], ""), words


def test_the_account_of_the_cnpj_tells_what_the_cpf_was_paid_though_it_has_earned_nothing_yet(halves):
    halves.write("2026-07-a.xlsx", [line("200,00")])
    run(halves, "2026-07", ANA)  # 100.00 less 30.00
    halves.write("2026-08-a.xlsx", [line("0,01", "Choro")])
    run(halves, "2026-08", FIRMA, moved=True, shared=BIA)
    (account,) = halves.ask("account", FIRMA.tax_id)["accounts"]
    assert [(payment["period"], payment["amount_cents"]) for payment in account["payments"]] == [("2026-07", 7000)]
    assert [sum(entry[name] for entry in account["entries"]) for name in ("recouped_cents", "paid_cents")] == [
        3000,
        7000,
    ]


def test_a_period_paid_to_the_cpf_is_never_paid_again_to_the_cnpj(halves, service):
    halves.write("2026-07-a.xlsx", [line("200,00")])
    run(halves, "2026-07", ANA)
    run(halves, "2026-07", FIRMA, moved=True)
    assert len(service.reports) == 1
    halves.write("2026-07-b.xlsx", [line("50,00", "Valsa")])
    run(halves, "2026-07", FIRMA, moved=True)
    assert paid(service) == [[7000, 10000], [2500, 2500]]


def test_a_closed_period_of_the_cpf_run_again_books_only_the_difference(halves, service):
    halves.write("2026-07-a.xlsx", [line("80,00")])
    run(halves, "2026-07", ANA)
    halves.write("2026-08-a.xlsx", [line("30,00", "Choro")])
    run(halves, "2026-08", FIRMA, moved=True)
    halves.write("2026-07-b.xlsx", [line("2,00", "Valsa")])
    run(halves, "2026-07", FIRMA, moved=True)
    halves.write("2026-09-a.xlsx", [line("100,00", "Frevo")])
    run(halves, "2026-09", FIRMA, moved=True)
    everything = sum(cents for found in paid(service) for cents in found)
    # Ana: 40 + 15 + 1 + 50 less 30; Bia: 40 + 15 + 1 + 50.
    assert everything == (106_00 - 30_00) + 106_00


def test_rows_that_still_bear_the_old_document_are_read_as_the_new_ones_and_named(halves, service):
    halves.write("2026-07-a.xlsx", [line("200,00")])
    report = run(halves, "2026-07", FIRMA, moved=True, shared=ANA)
    assert paid(service) == [[7000, 10000]]
    assert codes(report) == [("TAXID_MOVED", "shares.xlsx", 2), ("TAXID_MOVED", "advances.csv", 2)]


def test_a_payments_row_paid_to_the_cpf_is_not_paid_to_the_cnpj(halves, service):
    sources = [{"files": "payments.xlsx", "layout": "payments"}]
    halves.payments(payment(ANA, "12,00", "show"))
    run(halves, "2026-07", ANA, sources=sources)
    halves.payments(payment(FIRMA, "12,00", "show"))
    report = run(halves, "2026-07", FIRMA, moved=True, sources=sources)
    assert len(service.reports) == 1
    assert report.summary.totals_cents.duplicate + report.summary.totals_cents.conflict == 1200


def test_whoever_is_a_payee_of_their_own_cannot_have_been_another(halves, service):
    halves.write("2026-07-a.xlsx", [line("200,00")])
    before = {"CPF anterior": payee(BIA)["CPF"]}
    halves.write("payees.xlsx", [payee(ANA) | before, payee(BIA) | {"CPF anterior": ""}])
    halves.write("shares.xlsx", [share(ANA, "50"), share(BIA, "50")])
    halves.declare(period="2026-07", sources=SOURCES, payees="payees.xlsx", shares="shares.xlsx")
    report = halves.run()
    assert service.posts == 0
    assert [code for code, _, _ in codes(report)].count("IDENTITY_CONFLICT") == 2


CHANGED = {
    "the same account": {"name": "Rosana Produções Ltda", "email": "outra@exemplo.com.br"},
    "the same name and e-mail": {"destination": people(3)[2].destination},
    "the same name with an accent": {"name": "Rosana Cardoso Sampáio", "destination": people(3)[2].destination},
}


@pytest.mark.parametrize("changed", CHANGED.values(), ids=CHANGED)
@pytest.mark.parametrize("month", ["2026-07", "2026-08"])
def test_whoever_looks_like_a_payee_who_is_gone_is_paid_nothing_until_people_say(halves, service, month, changed):
    new = replace(ANA, tax_id="11222333000181", **changed)
    halves.write("2026-07-a.xlsx", [line("200,00")])
    run(halves, "2026-07", ANA)
    halves.write("2026-08-a.xlsx", [line("300,00", "Choro")])
    report = run(halves, month, new)
    assert paid(service) == {"2026-07": [[7000, 10000]], "2026-08": [[7000, 10000], [15000]]}[month]
    assert report.exit_code == ExitCode.ROWS_HELD
    assert ("TAXID_REPLACED", "payees.xlsx", 2) in codes(report)
    run(halves, month, new, moved=True)
    assert sum(cents for found in paid(service) for cents in found) == {
        "2026-07": 200_00 - 30_00, "2026-08": 500_00 - 30_00
    }[month]  # fmt: skip


def test_two_people_who_share_an_account_are_paid_as_long_as_both_are_in_the_table(halves, service):
    halves.write("2026-07-a.xlsx", [line("200,00")])
    run(halves, "2026-07", ANA)
    halves.write("2026-08-a.xlsx", [line("300,00", "Choro")])
    halves.write("payees.xlsx", [payee(ANA), payee(FIRMA), payee(BIA)])
    halves.write("shares.xlsx", [share(FIRMA, "50"), share(BIA, "50")])
    halves.declare(
        period="2026-08", sources=SOURCES, payees="payees.xlsx", shares="shares.xlsx", advances="advances.csv"
    )
    report = halves.run()
    assert paid(service)[1] == [15000, 15000]
    assert "TAXID_REPLACED" not in {code for code, _, _ in codes(report)}


def test_who_moves_keeps_one_account_whatever_else_is_wrong_with_their_row(halves, service):
    halves.write("2026-07-a.xlsx", [line("80,00")])
    run(halves, "2026-07", ANA)  # 40.00 less 30.00: 10.00 carried
    halves.write("2026-08-a.xlsx", [line("30,00", "Choro")])
    wrong = payee(FIRMA) | {"Chave Pix": "no key", "CPF anterior": payee(ANA)["CPF"]}
    halves.write("payees.xlsx", [wrong, payee(BIA) | {"CPF anterior": ""}])
    halves.write("shares.xlsx", [share(FIRMA, "50"), share(BIA, "50")])
    halves.declare(
        period="2026-08", sources=SOURCES, payees="payees.xlsx", shares="shares.xlsx", advances="advances.csv",
        rules={"minimum_payout": "20.00"},
    )  # fmt: skip
    halves.run()
    tomorrow = dt.datetime.now(tz=BRASILIA).date() + dt.timedelta(days=1)
    owed = {due["name"]: (due["amount_cents"], due["place"]) for due in halves.ask("owed", "--at", tomorrow)["owed"]}
    assert owed == {FIRMA.name: (2500, "held"), BIA.name: (1500, "carried")}
    run(halves, "2026-08", FIRMA, moved=True)
    assert paid(service) == [[4000], [2500]]


def test_who_moves_twice_each_time_naming_the_document_before_keeps_everything(halves, service):
    """From CPF to CNPJ to another; the advance stays under the CPF, and a statement of the first month comes late."""
    third = replace(ANA, tax_id="11444777000161", name="Rosana Edições Ltda")
    halves.write("2026-07-a.xlsx", [line("80,00")])
    run(halves, "2026-07", ANA)  # 10.00 carried
    halves.write("2026-08-a.xlsx", [line("30,00", "Choro")])
    run(halves, "2026-08", FIRMA, moved=True)
    halves.write("2026-09-a.xlsx", [line("60,00", "Valsa")])
    before = {"CPF anterior": payee(FIRMA)["CPF"]}
    halves.write("payees.xlsx", [payee(third) | before, payee(BIA) | {"CPF anterior": ""}])
    halves.write("shares.xlsx", [share(third, "50"), share(BIA, "50")])
    tables = {"payees": "payees.xlsx", "shares": "shares.xlsx", "advances": "advances.csv"}
    halves.declare(period="2026-09", sources=SOURCES, **tables, rules={"minimum_payout": "20.00"})
    report = halves.run()
    assert report.exit_code == ExitCode.DONE
    assert paid(service) == [[4000], [2500], [3000, 4500]]  # Bia with what was carried
    halves.write("2026-07-b.xlsx", [line("50,00", "Frevo")])
    halves.declare(period="2026-07", sources=SOURCES, **tables, rules={"minimum_payout": "20.00"})
    assert halves.run().exit_code == ExitCode.DONE
    assert paid(service)[-1] == [2500, 2500]
