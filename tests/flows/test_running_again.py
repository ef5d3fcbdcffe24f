"""The same job may be run as often as one likes: it pays what is new, once, and says what it left out and why."""

from schemas.errors import ExitCode
from tests.flows.books import places
from tests.flows.jobs import payment, people
from tests.flows.label import summary_of

ANA, BIA, CAIO, DORA, EVA = people(5)


def test_a_second_run_of_the_same_file_pays_nothing_and_says_so(label, service):
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"))
    first, second = label.run(), label.run()
    assert (first.exit_code, second.exit_code) == (ExitCode.DONE, ExitCode.DONE)
    assert service.posts == 1
    assert places(summary_of(second)) == {"duplicate": 3000}
    assert summary_of(second)["rows"] == {"read": 2, "used": 0, "held": 0, "duplicate": 2, "ignored": 0}
    assert summary_of(second)["state"] == "nothing_to_pay"
    assert summary_of(second)["plan_digest"] is None


def test_rows_added_later_are_paid_and_no_others(label, service):
    old = [payment(ANA, "10,00"), payment(BIA, "20,00")]
    label.payments(*old)
    label.run()
    label.payments(payment(CAIO, "30,00"), *old, payment(DORA, "40,00"), payment(EVA, "50,00"))
    report = label.run()
    assert report.exit_code == ExitCode.DONE
    assert service.paid == [1000, 2000, 3000, 4000, 5000]
    assert len(set(service.paid_for)) == 5
    assert places(summary_of(report)) == {"paid": 12000, "duplicate": 3000}


def test_another_amount_for_somebody_already_paid_is_held_and_the_rest_is_paid(label, service):
    label.payments(payment(ANA, "10,00"))
    label.run()
    label.payments(payment(ANA, "12,00"), payment(BIA, "20,00"))
    report = label.run()
    assert report.exit_code == ExitCode.ROWS_HELD
    assert service.paid == [1000, 2000]
    assert places(summary_of(report)) == {"conflict": 1200, "paid": 2000}


def test_another_account_for_somebody_already_paid_is_held(label, service):
    label.payments(payment(ANA, "10,00"))
    label.run()
    label.payments(payment(ANA, "10,00", Chave_Pix="outra@example.com"))
    report = label.run()
    assert report.exit_code == ExitCode.ROWS_HELD
    assert service.posts == 1
    assert places(summary_of(report)) == {"conflict": 1000}


def test_a_list_sorted_otherwise_and_saved_as_csv_pays_nothing(label, service):
    rows = [payment(ANA, "10,00"), payment(BIA, "1.020,00"), payment(CAIO, "30,00")]
    label.payments(*rows)
    label.run()
    report = label.run(files=[label.write("again.csv", rows[::-1])])
    assert report.exit_code == ExitCode.DONE
    assert service.posts == 1
    assert places(summary_of(report)) == {"duplicate": 106000}


def test_two_rows_of_one_person_are_held_unless_references_tell_them_apart(label, service):
    label.payments(payment(ANA, "10,00"), payment(ANA, "11,00"), payment(BIA, "20,00"))
    report = label.run()
    assert report.exit_code == ExitCode.ROWS_HELD
    assert service.paid == [2000]
    assert places(summary_of(report)) == {"held": 2100, "paid": 2000}
    label.payments(payment(ANA, "10,00", "show"), payment(ANA, "11,00", "merch"), payment(BIA, "20,00"))
    assert label.run().exit_code == ExitCode.DONE
    assert service.paid == [1000, 1100, 2000]


def test_the_sheet_of_the_next_period_is_owed_anew(label, service):
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"))
    label.run()
    label.declare(period="2026-11")
    label.payments(payment(ANA, "11,00"), payment(BIA, "21,00"))
    assert label.run().exit_code == ExitCode.DONE
    assert service.paid == [1000, 1100, 2000, 2100]


def test_last_months_sheet_pays_nothing_in_this_month_unasked_though_it_is_called_otherwise(label, service):
    rows = [payment(ANA, "10,00"), payment(BIA, "20,00")]
    label.payments(*rows)
    label.run()
    label.declare(period="2026-11")
    report = label.run(files=[label.write("november.csv", rows[::-1])])
    assert (report.exit_code, service.posts) == (ExitCode.APPROVAL_WANTED, 1)
    assert summary_of(report)["issues"] == {"ROW_PAID_BEFORE": 2}
    assert "2026-10" in " ".join(str(issue.message) for issue in report.issues)


def test_a_sheet_given_for_the_wrong_month_and_never_approved_is_free_for_the_right_one(label, service):
    label.payments(payment(ANA, "10,00"))
    label.declare(period="2026-09")
    label.run(yes=False)
    label.declare(period="2026-10")
    assert label.run().exit_code == ExitCode.DONE
    assert service.paid == [1000]


def test_paying_a_sheet_again_on_purpose_takes_the_word_of_a_person_and_not_yes(label, service):
    sheet = label.payments(payment(ANA, "10,00"))
    label.run()
    label.declare(period="2026-11")
    waiting = label.ask("run", label.job, "--again", sheet, "--yes", code=14)
    assert service.posts == 1
    label.approve(waiting["plan_digest"], "10,00", "bia")
    label.say("run", label.job, "--again", sheet)
    assert service.paid == [1000, 1000]
