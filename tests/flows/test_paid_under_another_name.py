"""The same money under another payer, job, payee or period goes again only when a person who saw it says so."""

import pytest

from schemas.errors import ExitCode
from tests.flows.jobs import PAYER, line, payee, payment, people, share
from tests.flows.label import digest_of, summary_of

ANA, BIA, CAIO = people(3)
ANOTHER_PAYER = {"tax_id": "11.222.333/0001-81", "name": "Selo Aurora"}
SHEET = [payment(ANA, "10,00"), payment(BIA, "20,00", "show")]
pytestmark = pytest.mark.long


def paid_once(label, rows=SHEET, **declared):
    label.declare(**declared)
    label.payments(*rows)
    assert label.run().exit_code == ExitCode.DONE


CHANGES = {
    "another payer": {"payer": ANOTHER_PAYER},
    "another job": {"job": "aurora-2"},
    "another period": {"period": "2026-11"},
    "a part of the period": {"period": {"start": "2026-10-01", "end": "2026-10-30"}},
    "all of it": {"payer": ANOTHER_PAYER, "job": "aurora-2", "period": "2026-11"},
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
@pytest.mark.parametrize("above", ["0.00", "1000.00"])
def test_no_flag_and_no_limit_pays_it_again_and_a_person_who_is_told_does(label, service, change, above):
    paid_once(label)
    rules = {"approval": {"above": above}}
    more = payment(CAIO, "30,00")  # another file than before
    label.declare(**change, **rules)
    label.payments(*reversed(SHEET), more)
    for yes in (True, False):
        report = label.run(yes=yes)
        assert report.exit_code == ExitCode.APPROVAL_WANTED
    assert service.paid == [1000, 2000]
    assert summary_of(report)["issues"]["ROW_PAID_BEFORE"] == 2
    text = "\n".join(report.messages)
    for words in ("payments.xlsx, linha 2: aurora 2026-10", "linha 3: aurora 2026-10", service.reports[0]["reportId"]):
        assert words in text
    label.approve(digest_of(report), "60,00", "bia")
    assert label.run(yes=False).exit_code == ExitCode.DONE
    assert service.paid == [1000, 1000, 2000, 2000, 3000]


@pytest.mark.long
@pytest.mark.journey
def test_a_row_of_another_person_at_the_same_account_asks_while_the_first_one_is_still_there(label, service):
    paid_once(label, [payment(ANA, "10,00")])
    agent = {"Chave Pix": ANA.destination.pix_key}
    label.payments(payment(ANA, "10,00"), payment(BIA, "10,00", **agent))
    report = label.run()
    assert report.exit_code == ExitCode.APPROVAL_WANTED
    assert "outro CPF ou CNPJ, mesma conta" in "\n".join(report.messages)
    label.approve(digest_of(report), "10,00", "caio")
    assert label.run(yes=False).exit_code == ExitCode.DONE
    assert service.paid == [1000, 1000]


@pytest.mark.parametrize("period", ["2026-10", "2026-11"])
def test_a_new_account_of_the_same_person_is_no_other_money(label, service, period):
    paid_once(label, [payment(ANA, "10,00", "a")])
    label.declare(period=period)
    label.payments(payment(ANA, "10,00", "b", **{"Chave Pix": CAIO.destination.pix_key}))
    assert label.run().exit_code == (ExitCode.ROWS_HELD if period == "2026-10" else ExitCode.APPROVAL_WANTED)
    assert service.paid == [1000]


def test_another_amount_or_the_amount_of_nobody_here_is_no_reason_to_ask(label, service):
    paid_once(label)
    label.declare(period="2026-11")
    label.payments(payment(ANA, "10,01"), payment(BIA, "10,00"), payment(CAIO, "20,00"))
    assert label.run().exit_code == ExitCode.DONE
    assert service.paid == [1000, 1000, 1001, 2000, 2000]


def test_what_was_refused_is_no_payment_that_a_row_could_look_like(label, service):
    refusal = '{"detail": [{"loc": ["body", "amount"], "msg": "no", "type": "value_error"}]}'
    service.plant("POST /split", "status", when="before", status=422, body=refusal)
    label.payments(*SHEET)
    assert label.run().exit_code == ExitCode.REFUSED
    label.declare(job="aurora-2")
    label.payments(*SHEET, payment(CAIO, "30,00"))
    assert label.run().exit_code == ExitCode.DONE
    assert service.paid == [1000, 2000, 3000]


# --- rows that come back ---------------------------------------------------------------------------------------------

MONTHLY = [payment(ANA, "10,00", "mensal", Recorrente="sim"), payment(BIA, "20,00", Recorrente="não")]


def once(amount):
    """A row that says nothing of coming back."""
    return payment(CAIO, amount, Recorrente="")


def test_a_recurring_row_is_paid_in_every_period_without_a_word(label, service):
    for number, period in enumerate(["2026-10", "2026-11", "2026-12"], start=1):
        label.declare(period=period)
        label.payments(MONTHLY[0], once(f"{number}1,00"))
        assert label.run().exit_code == ExitCode.DONE
    assert service.paid.count(1000) == 3


@pytest.mark.parametrize(
    "change",
    [{"payer": ANOTHER_PAYER}, {"job": "aurora-2"}, {"period": {"start": "2026-10-05", "end": "2026-11-04"}}],
    ids=["payer", "job", "overlapping period"],
)
def test_a_recurring_row_asks_under_another_payer_or_job_and_within_one_period(label, service, change):
    paid_once(label, MONTHLY[:1])
    label.declare(**change)
    label.payments(MONTHLY[0], once("30,00"))
    assert label.run().exit_code == ExitCode.APPROVAL_WANTED
    assert service.paid == [1000]


def test_a_recurring_row_that_is_renamed_within_its_period_is_a_conflict(label, service):
    paid_once(label, MONTHLY[:1])
    label.payments(payment(ANA, "10,00", "outubro", Recorrente="sim"))
    assert label.run().exit_code == ExitCode.ROWS_HELD
    assert service.paid == [1000]


def test_a_row_beside_it_that_is_not_recurring_still_asks(label, service):
    paid_once(label, MONTHLY)
    label.declare(period="2026-11")
    label.payments(*MONTHLY, once("30,00"))
    report = label.run()
    assert report.exit_code == ExitCode.APPROVAL_WANTED
    assert summary_of(report)["issues"]["ROW_PAID_BEFORE"] == 1


# --- a payer that changes --------------------------------------------------------------------------------------------


def royalties(label, *more, **declared):
    sources = [{"files": "statement.csv", "layout": "royalties"}]
    label.declare(sources=sources, payees="payees.xlsx", shares="shares.xlsx", **declared)
    label.write("statement.csv", [line("100,00"), *more])
    label.write("payees.xlsx", [payee(ANA), payee(BIA)])
    label.write("shares.xlsx", [share(ANA, "50%"), share(BIA, "30%")])


def test_a_payer_that_changes_within_a_period_wants_a_word_for_royalties_too(label, service):
    royalties(label)
    assert label.run().exit_code == ExitCode.DONE
    royalties(label, line("40,00", "Choro"), payer=ANOTHER_PAYER, approval={"above": "1000.00"})
    report = label.run()
    assert report.exit_code == ExitCode.APPROVAL_WANTED
    assert "outro pagador" in "\n".join(report.messages)
    assert service.paid == [3000, 5000]
    label.approve(digest_of(report), "40,00", "bia")
    assert label.run(yes=False).exit_code == ExitCode.ROWS_HELD  # the line that the other payer has paid
    assert service.paid == [1200, 2000, 3000, 5000]


def test_new_rows_under_a_changed_payer_want_a_word_and_the_old_payer_is_not_named_in_full(label, service):
    paid_once(label)
    label.declare(payer=ANOTHER_PAYER)
    label.payments(payment(CAIO, "30,00"))
    report = label.run()
    text = "\n".join(report.messages)
    assert report.exit_code == ExitCode.APPROVAL_WANTED
    assert "2 pagamentos, 30,00 ao todo, sob outro pagador" in text
    assert PAYER not in text


# --- what the person has seen ----------------------------------------------------------------------------------------


def test_a_yes_that_was_given_before_there_was_a_reason_to_look_does_not_count(label, service):
    label.payments(*SHEET)
    waiting = label.run(yes=False)
    label.approve(digest_of(waiting), "30,00", "bia")
    paid_once(label, [*SHEET, payment(CAIO, "30,00")], job="aurora-2")
    label.declare()
    label.payments(*SHEET)
    report = label.run(yes=False)
    assert (report.exit_code, digest_of(report)) == (ExitCode.APPROVAL_WANTED, digest_of(waiting))
    assert service.paid == [1000, 2000, 3000]
    label.approve(digest_of(report), "30,00", "bia")
    assert label.run(yes=False).exit_code == ExitCode.DONE
    assert service.paid == [1000, 1000, 2000, 2000, 3000]


@pytest.mark.usefixtures("workbooks")
def test_the_plan_and_its_workbook_show_what_looks_paid(label, service):
    from openpyxl import load_workbook

    paid_once(label)
    label.declare(job="aurora-2")
    label.payments(*SHEET, payment(CAIO, "30,00"))
    shown = label.ask("plan", label.job)
    assert any("linha 2: aurora 2026-10" in reason for reason in shown["review_reasons"])
    assert shown["notices"]["paid_before"] == 2
    (path,) = label.folder.glob("out/**/plan.xlsx")
    cells = [str(cell) for sheet in load_workbook(path) for row in sheet.iter_rows(values_only=True) for cell in row]
    assert sum("aurora 2026-10, " in cell for cell in cells) >= 3  # the reason to look, and each of the two rows
    assert "linha 2: aurora 2026-10" in label.say("plan", label.job).stdout.replace("\n", " ").replace("  ", " ")


# --- a whole list that comes back -------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.journey
@pytest.mark.parametrize("saved_as", ["payments.xlsx", "november.csv"])
def test_a_list_of_fixed_fees_that_recur_is_paid_in_every_period(label, service, saved_as):
    fees = [payment(ANA, "10,00", "mensal", Recorrente="sim"), payment(BIA, "20,00", Recorrente="sim")]
    for number, period in enumerate(["2026-10", "2026-11", "2026-12"], start=1):
        name = "payments.xlsx" if number == 1 else saved_as
        label.declare(period=period, sources=[{"files": name, "layout": "payments"}])
        label.write(name, fees)
        for _ in range(2):  # the second run of a month has nothing left to send
            assert label.run().exit_code == ExitCode.DONE
            assert service.paid == [1000] * number + [2000] * number


@pytest.mark.parametrize("yes", [True, False])
def test_a_list_that_comes_back_without_recurring_asks_of_each_row_and_is_nowhere_said_to_be_paid(label, service, yes):
    rows = [payment(ANA, "10,00"), payment(BIA, "20,00")]
    paid_once(label, rows)
    label.declare(period="2026-11")
    report = label.run(yes=yes)
    assert (report.exit_code, summary_of(report)["issues"]) == (ExitCode.APPROVAL_WANTED, {"ROW_PAID_BEFORE": 2})
    assert service.paid == [1000, 2000]
    shown = label.say("run", label.job, "--yes" if yes else "--period", *([] if yes else ["2026-11"]), code=14).output
    assert "tudo já foi pago" not in shown


def test_a_month_in_which_nothing_was_paid_says_where_the_money_is(label, service):
    royalties(label, period="2026-10")
    label.run()
    label.declare(
        period="2026-11", sources=[{"files": "statement.csv", "layout": "royalties"}], payees="payees.xlsx",
        shares="shares.xlsx",
    )  # fmt: skip
    shown = label.say("run", label.job, "--yes").output
    assert "tudo já foi pago" not in shown
    assert "nada é enviado agora: Duplicado R$ 100,00" in shown
    royalties(label, period="2026-12", rules={"minimum_payout": "500.00"})
    label.write("statement.csv", [line("60,00", "Novo")])
    shown = label.say("run", label.job, "--yes").output
    assert "nada é enviado agora" in shown
