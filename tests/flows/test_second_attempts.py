"""What a report failed to pay is paid again only when a person says so, who knows that it is another attempt."""

import pytest
from openpyxl import load_workbook
from pypdf import PdfReader

from schemas.errors import ExitCode
from tests.flows.books import places
from tests.flows.jobs import line, payee, payment, people, share
from tests.flows.label import digest_of, summary_of

ANA, BIA, CAIO = people(3)
pytestmark = pytest.mark.long


@pytest.fixture
def failed(label, service):
    """A report of two payments that said ERROR, and that nothing was paid; the cause has gone since."""
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"))
    return fail(label, service, ANA, BIA)


def fail(label, service, *who):
    service.behave(failing_payees=[one.tax_id for one in who])
    report = label.run()
    assert report.exit_code == ExitCode.DISCREPANCIES
    service.behave(failing_payees=[])
    return report


def first_report(report):
    return summary_of(report)["batches"][0]["report_id"]


def cells_of(report, name):
    (path,) = (path for path in report.outputs if path.name == name)
    book = load_workbook(path)
    return [str(cell) for sheet in book for row in sheet.iter_rows(values_only=True) for cell in row if cell]


def plan_cells(label):
    (path,) = sorted(label.folder.glob("out/**/plan.xlsx"), key=lambda path: path.stat().st_mtime)[-1:]
    book = load_workbook(path)
    return [str(cell) for sheet in book for row in sheet.iter_rows(values_only=True) for cell in row if cell]


@pytest.mark.long
@pytest.mark.journey
@pytest.mark.usefixtures("workbooks")
def test_a_second_attempt_takes_a_person_who_is_told_of_the_first(label, service, failed):
    waiting = label.run(yes=True)
    assert (waiting.exit_code, service.posts) == (ExitCode.APPROVAL_WANTED, 1)
    name = first_report(failed)
    told = f"2ª tentativa de {name}, que disse ERROR"
    assert any(told in message and "30,00" in message for message in waiting.messages)
    attempts = [issue for issue in waiting.issues if issue.code == "ROW_SECOND_ATTEMPT"]
    assert [(issue.row, name in str(issue.message)) for issue in attempts] == [(2, True), (3, True)]
    cells = plan_cells(label)
    assert "Nova tentativa" in cells
    assert told in cells
    assert not [cell for cell in cells if "todos os favorecidos são novos" in cell]
    screen = label.say("plan", label.job).stdout
    assert "2ª tentativa" in screen
    assert "nunca pago" not in screen
    assert "ainda não pagou ninguém" not in screen
    document = label.ask("plan", label.job)
    assert (document["first_ever"], document["notices"]["second_attempt"], document["notices"]["new"]) == (False, 2, 0)
    label.approve(digest_of(waiting), "30,00", "bia")
    report = label.run(yes=False)
    assert (report.exit_code, service.posts) == (ExitCode.DONE, 2)
    assert places(summary_of(report)) == {"paid": 3000}
    assert places(summary_of(label.run())) == {"duplicate": 3000}


@pytest.mark.long
@pytest.mark.journey
def test_nobody_pays_again_unwatched_however_little_it_is(label, service, failed):
    label.declare(approval={"above": "1000.00"})
    assert label.run(yes=False).exit_code == ExitCode.APPROVAL_WANTED
    assert label.run(yes=True).exit_code == ExitCode.APPROVAL_WANTED
    assert service.posts == 1


@pytest.mark.parametrize(
    "changes",
    [
        {"job": "aurora-renamed"},
        {"payer": {"tax_id": "11222333000181", "name": "Selo Aurora"}},
        {"period": "2026-11"},
        {"rules": {"max_payments_per_batch": 1}},
    ],
    ids=["job", "payer", "period", "batches"],
)
def test_another_name_for_the_same_payment_makes_it_no_first_attempt(label, service, failed, changes):
    label.declare(**changes)
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"), payment(CAIO, "5,00"))
    assert label.run(yes=True).exit_code == ExitCode.APPROVAL_WANTED
    assert service.posts == 1


@pytest.mark.parametrize("change", [{"Valor": "10,01"}, {"Nome": "Ana Outra"}, {"Referência": "Nota 17"}])
def test_a_row_that_was_edited_since_is_still_a_second_attempt(label, service, failed, change):
    label.payments(payment(ANA, "10,00") | change, payment(BIA, "20,00"))
    assert label.run(yes=True).exit_code == ExitCode.APPROVAL_WANTED
    assert service.posts == 1


def test_a_third_attempt_is_called_so(label, service, failed):
    service.behave(failing_payees=[ANA.tax_id, BIA.tax_id])
    waiting = label.run()
    label.approve(digest_of(waiting), "30,00", "bia")
    again = label.run(yes=False)
    assert (again.exit_code, service.posts) == (ExitCode.DISCREPANCIES, 2)
    waiting = label.run(yes=True)
    assert waiting.exit_code == ExitCode.APPROVAL_WANTED
    assert any(f"3ª tentativa de {first_report(again)}" in message for message in waiting.messages)


def test_once_it_is_paid_the_next_month_s_like_payment_is_nobody_s_second_attempt(label, service, failed):
    waiting = label.run()
    label.approve(digest_of(waiting), "30,00", "bia")
    assert label.run(yes=False).exit_code == ExitCode.DONE
    label.declare(period="2026-11")
    label.payments(payment(ANA, "10,00", "novembro"), payment(CAIO, "5,00"))
    codes = {issue.code for issue in label.run(yes=False).issues}
    assert "ROW_SECOND_ATTEMPT" not in codes


def test_royalties_that_failed_take_a_person_too(label, service):
    label.declare(
        sources=[{"files": "statement.csv", "layout": "royalties"}], payees="payees.xlsx", shares="shares.xlsx"
    )
    label.write("statement.csv", [line("100,00")])
    label.write("payees.xlsx", [payee(ANA), payee(BIA)])
    label.write("shares.xlsx", [share(ANA, "60%"), share(BIA, "40%")])
    fail(label, service, ANA, BIA)
    waiting = label.run(yes=True)
    assert (waiting.exit_code, service.posts) == (ExitCode.APPROVAL_WANTED, 1)
    places_told = {(issue.file, issue.row) for issue in waiting.issues if issue.code == "ROW_SECOND_ATTEMPT"}
    assert places_told == {("payees.xlsx", 2), ("payees.xlsx", 3)}


def test_a_report_that_has_paid_after_all_is_looked_up_before_its_payments_are_made_again(label, service, failed):
    """Nothing lists it any more; asked for by its id, it says that it is done."""
    waiting = label.run()
    label.approve(digest_of(waiting), "30,00", "bia")
    service.behave(listing_delay_s=3600)
    service.force(status="DONE", donePayments=2, paidAmount=30.00)
    report = label.run(yes=False)
    assert (report.exit_code, service.posts) == (ExitCode.FROZEN, 1)


def test_a_refused_report_was_never_there_and_is_no_first_attempt(label, service):
    label.payments(payment(ANA, "10,00"))
    service.plant(
        "POST /split", "status", when="before", status=422,
        body={"detail": [{"loc": ["body", "dateStart"], "msg": "too early", "type": "value_error"}]},
    )  # fmt: skip
    assert label.run().exit_code == ExitCode.REFUSED
    assert label.run().exit_code == ExitCode.DONE


def test_royalties_that_failed_and_that_another_month_would_pay_with_its_own_take_a_person_too(label, service):
    label.write("payees.xlsx", [payee(ANA), payee(BIA)])
    label.write("shares.xlsx", [share(ANA, "50"), share(BIA, "50")])
    tables = {"payees": "payees.xlsx", "shares": "shares.xlsx"}
    sources = [{"files": "{period}.xlsx", "layout": "royalties"}]
    label.write("2026-07.xlsx", [line("100,00", "Samba")])
    label.declare(period="2026-07", sources=sources, **tables)
    failed = fail(label, service, ANA, BIA)
    label.write("2026-08.xlsx", [line("40,00", "Valsa")])
    label.declare(period="2026-08", sources=sources, **tables)
    waiting = label.run(yes=True)
    assert (waiting.exit_code, service.posts) == (ExitCode.APPROVAL_WANTED, 1)
    assert any(f"2ª tentativa de {first_report(failed)}" in message for message in waiting.messages)
    label.approve(digest_of(waiting), "140,00", "bia")
    assert label.run(yes=False).exit_code == ExitCode.DONE
    assert [entry["final_amount_cents"] for entry in service.reports[-1]["payments"]] == [7000, 7000]
    label.write("2026-09.xlsx", [line("20,00", "Choro")])
    label.declare(period="2026-09", sources=sources, **tables)
    assert label.run(yes=True).exit_code == ExitCode.DONE  # what had failed has been paid since


@pytest.mark.parametrize("language", ["pt-BR", "en"])
def test_the_statement_of_a_report_that_failed_says_that_it_is_not_paid_and_still_owed(label, service, language):
    label.write("payees.xlsx", [payee(ANA)])
    label.write("shares.xlsx", [share(ANA, "100")])
    label.write("statement.csv", [line("100,00")])
    label.declare(
        sources=[{"files": "statement.csv", "layout": "royalties"}], payees="payees.xlsx", shares="shares.xlsx",
        outputs={"folder": "out", "statements": True, "formats": ["json"], "language": language},
    )  # fmt: skip
    report = fail(label, service, ANA)
    (page,) = report.outputs[0].parent.rglob("statement-*.pdf")
    text = " ".join(" ".join(part.extract_text() for part in PdfReader(page).pages).split())
    said = {"pt-BR": "o valor continua devido", "en": "the amount is still owed"}[language]
    assert said in text
