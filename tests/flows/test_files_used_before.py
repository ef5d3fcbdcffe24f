"""The same statement, or the same lines, never pay twice unless a person says so: by name, order, format or period."""

import shutil
from pathlib import Path

import pytest

from schemas.errors import ExitCode
from schemas.messages import render
from tests.flows.books import places
from tests.flows.jobs import line, payee, payment, people, share
from tests.flows.label import summary_of

ANA, BIA, CAIO = people(3)
JANUARY = [line("10,00", "Samba"), line("20,00", "Choro"), line("30,00", "Frevo"), line("40,00", "Valsa")]
LATER = [line("7,00", "Baião"), line("8,00", "Xote")]
pytestmark = pytest.mark.long


@pytest.fixture
def royalties(label):
    """Ana has everything that the statements of a month say."""
    label.write("payees.csv", [payee(ANA)])
    label.write("shares.csv", [share(ANA, "100")])
    declare(label)
    return label


def declare(label, period="2026-01", files="{period}*", **changes):
    sources = changes.pop("sources", [{"files": files, "layout": "royalties"}])
    label.declare(**{"period": period, "sources": sources, "payees": "payees.csv", "shares": "shares.csv"} | changes)


def told(report, code):
    """File -> what is said of it under a code."""
    return {issue.file: render(issue.message, "pt-BR") for issue in report.issues if issue.code.value == code}


@pytest.mark.parametrize(
    ("first", "copy", "rows"),
    [
        ("2026-01.csv", "2026-01 (1).csv", JANUARY),
        ("2026-01.csv", "2026-01-b.xlsx", JANUARY[::-1]),
    ],
    ids=["copied", "sorted otherwise, in another format"],
)
def test_one_statement_twice_in_one_period_is_paid_once_and_the_later_file_is_named(
    royalties, service, first, copy, rows
):
    royalties.write(first, JANUARY)
    royalties.write(copy, rows)
    report = royalties.run()
    assert service.paid == [10000]
    assert list(told(report, "FILE_DUPLICATE")) == [copy]
    assert first in told(report, "FILE_DUPLICATE")[copy]
    assert places(summary_of(report)) == {"paid": 10000, "duplicate": 10000}
    assert summary_of(report)["rows"] == {"read": 10, "used": 6, "held": 0, "duplicate": 4, "ignored": 0}


def test_it_does_not_matter_in_which_order_the_files_are_given(royalties, service):
    one, two = royalties.write("b.csv", JANUARY), royalties.write("a.csv", JANUARY[::-1])
    for files in ([one, two], [two, one]):
        report = royalties.run(files=files)
        assert list(told(report, "FILE_DUPLICATE")) == ["b.csv"]
    assert service.paid == [10000]


def test_one_statement_in_two_sources_is_paid_once(royalties, service):
    sources = [{"files": f"{name}.csv", "layout": "royalties"} for name in ("one", "two")]
    declare(royalties, sources=sources)
    royalties.write("one.csv", JANUARY)
    royalties.write("two.csv", JANUARY)
    report = royalties.run()
    assert service.paid == [10000]
    assert list(told(report, "FILE_DUPLICATE")) == ["two.csv"]


def test_a_copy_that_comes_after_the_statement_was_paid_gives_way_to_the_name_that_was_paid(royalties, service):
    royalties.write("2026-01-z.csv", JANUARY)
    royalties.run()
    royalties.write("2026-01-a.csv", JANUARY)
    report = royalties.run()
    assert service.paid == [10000]
    assert list(told(report, "FILE_DUPLICATE")) == ["2026-01-a.csv"]
    assert places(summary_of(report)) == {"duplicate": 20000}


def test_a_statement_that_was_paid_and_is_called_otherwise_now_pays_nothing_and_takes_nothing_back(royalties, service):
    royalties.write("2026-01.csv", JANUARY)
    royalties.run()
    (royalties.folder / "2026-01.csv").rename(royalties.folder / "2026-01-final.csv")
    report = royalties.run()
    assert service.paid == [10000]
    assert "2026-01.csv" in told(report, "FILE_DUPLICATE")["2026-01-final.csv"]
    assert places(summary_of(report)) == {"duplicate": 10000}
    assert summary_of(report)["rows"]["duplicate"] == 4
    assert "carried" not in places(summary_of(royalties.run()))


def test_an_old_copy_beside_the_statement_that_has_grown_since_is_no_second_statement(royalties, service):
    royalties.write("2026-01.csv", JANUARY)
    royalties.run()
    royalties.write("2026-01-old.csv", JANUARY)
    royalties.write("2026-01.csv", JANUARY + LATER)
    report = royalties.run()
    assert service.paid == [1500, 10000]
    assert list(told(report, "FILE_DUPLICATE")) == ["2026-01-old.csv"]


def test_the_same_statement_run_again_is_no_duplicate_of_itself(royalties, service):
    royalties.write("2026-01.csv", JANUARY)
    royalties.run()
    report = royalties.run()
    assert (service.paid, told(report, "FILE_DUPLICATE")) == ([10000], {})


def test_a_copy_is_paid_only_when_a_person_says_so_who_is_told_its_name(royalties, service):
    royalties.write("2026-01.csv", JANUARY)
    copy = royalties.write("2026-01 (1).csv", JANUARY)
    waiting = royalties.ask("run", royalties.job, "--again", copy, "--yes", code=14)
    assert service.paid == []
    output = royalties.say("run", royalties.job, "--again", copy, code=14).output
    assert "2026-01 (1).csv" in output
    royalties.approve(waiting["plan_digest"], "200,00", "bia")
    royalties.run(yes=False)  # the approval has named the file
    assert service.paid == [20000]
    report = royalties.run()
    assert (service.paid, places(summary_of(report))) == ([20000], {"duplicate": 20000})


def test_a_copy_of_which_nothing_would_be_paid_now_is_not_carried_unseen_either(royalties, service):
    declare(royalties, rules={"minimum_payout": "500.00"})
    royalties.write("2026-01.csv", JANUARY)
    royalties.run()
    copy = royalties.write("2026-01 (1).csv", JANUARY)
    royalties.ask("run", royalties.job, "--again", copy, "--yes", code=14)
    declare(royalties, "2026-02", rules={"minimum_payout": "500.00"})
    royalties.write("2026-02.csv", [line("420,00", "Baião")])
    royalties.run()
    assert service.paid == [52000]


@pytest.mark.journey
def test_a_list_of_payments_beside_its_copy_is_paid_once(label, service):
    label.declare(sources=[{"files": "list*.csv", "layout": "payments"}])
    rows = [payment(ANA, "10,00"), payment(BIA, "20,00"), payment(CAIO, "30,00", "show")]
    label.write("list.csv", rows)
    label.write("list (2).csv", rows[::-1])
    report = label.run()
    assert service.paid == [1000, 2000, 3000]
    assert list(told(report, "FILE_DUPLICATE")) == ["list (2).csv"]
    assert places(summary_of(report)) == {"paid": 6000, "duplicate": 6000}
    assert summary_of(report)["rows"] == {"read": 6, "used": 3, "held": 0, "duplicate": 3, "ignored": 0}


def test_corrections_given_back_are_no_duplicate_of_what_they_correct(royalties, service):
    royalties.write("2026-01.csv", [*JANUARY, line("um real", "Coco")])
    first = royalties.run()
    (corrections,) = (path for path in first.outputs if path.name == "corrections.xlsx")
    given = shutil.copy(corrections, royalties.folder / "given.xlsx")
    for _ in range(2):
        report = royalties.run(files=[Path(given)])
        assert told(report, "FILE_DUPLICATE") == told(report, "LINES_USED_BEFORE") == {}
    assert service.paid == [10000]


def test_check_names_the_copy_before_anything_is_planned(royalties):
    royalties.write("2026-01.csv", JANUARY)
    royalties.write("2026-01 (1).csv", JANUARY)
    checked = royalties.ask("check", royalties.job)
    assert [(issue["code"], issue["file"]) for issue in checked["issues"]] == [("FILE_DUPLICATE", "2026-01 (1).csv")]
    assert checked["rows"] == {"read": 10, "used": 6, "held": 0, "duplicate": 4, "ignored": 0}


# --- lines that were used before


@pytest.mark.long
@pytest.mark.journey
@pytest.mark.parametrize(("name", "mixed"), [("2026-02.csv", False), ("2026-02.xlsx", True)], ids=["below", "sorted"])
def test_a_cumulative_statement_pays_only_what_is_new_in_it(royalties, service, name, mixed):
    royalties.write("2026-01.csv", JANUARY)
    royalties.run()
    declare(royalties, "2026-02")
    rows = JANUARY + LATER
    royalties.write(name, rows[::-1] if mixed else rows)
    report = royalties.run()
    assert report.exit_code == ExitCode.ROWS_HELD
    assert service.paid == [1500, 10000]
    assert places(summary_of(report)) == {"paid": 1500, "held": 10000}
    assert summary_of(report)["rows"] == {"read": 8, "used": 4, "held": 4, "duplicate": 0, "ignored": 0}
    message = told(report, "LINES_USED_BEFORE")[name]
    assert message.startswith("4 linhas")
    assert "aurora 2026-01" in message
    assert "R$ 100,00" in message
    traces = royalties.ask("explain", ANA.tax_id, "--job-file", royalties.job)["explanations"]
    (traced,) = (trace for trace in traces if trace["period"] == "2026-02")
    found = [found for part in traced["parts"] for found in part["found"] if found["file"] == name]
    assert sorted(one["ranges"] for one in found) == ([[[2, 2]], [[3, 3]]] if mixed else [[[6, 6]], [[7, 7]]])
    assert traced["problems"] == []


def test_what_was_held_of_a_cumulative_statement_is_paid_when_a_person_says_so_and_stays_paid(royalties, service):
    royalties.write("2026-01.csv", JANUARY)
    royalties.run()
    declare(royalties, "2026-02")
    february = royalties.write("2026-02.csv", JANUARY + LATER)
    royalties.run()
    waiting = royalties.ask("run", royalties.job, "--again", february, "--yes", code=14)
    assert service.paid == [1500, 10000]
    royalties.approve(waiting["plan_digest"], "100,00", "bia")
    royalties.say("run", royalties.job, "--again", february)
    assert service.paid == [1500, 10000, 10000]
    for period in ("2026-02", "2026-01"):
        declare(royalties, period)
        assert set(places(summary_of(royalties.run()))) == {"duplicate"}
    assert len(service.paid) == 3


@pytest.mark.parametrize(
    ("changes", "asks"),
    [({"job": "boreal"}, False), ({"payer": {"tax_id": "11.222.333/0001-81", "name": "Selo Aurora"}}, True)],
    ids=["job renamed", "payer corrected"],
)
def test_lines_paid_under_another_job_or_payer_are_held_and_the_others_paid(royalties, service, changes, asks):
    royalties.write("2026-01.csv", JANUARY)
    royalties.run()
    declare(royalties, **changes)
    royalties.write("2026-01.csv", JANUARY + LATER)
    report = royalties.run()
    if asks:  # a payer that changes within a period wants a person's word for all of it
        assert (report.exit_code, service.paid) == (ExitCode.APPROVAL_WANTED, [10000])
        royalties.approve(summary_of(report)["plan_digest"], "15,00", "bia")
        report = royalties.run(yes=False)
    assert service.paid == [1500, 10000]
    assert report.exit_code == ExitCode.ROWS_HELD


def test_a_statement_issued_again_beside_the_first_pays_the_difference_alone(royalties, service):
    royalties.write("2026-01-a.csv", JANUARY)
    royalties.write("2026-01-b.csv", [*LATER, *JANUARY[1:]])
    report = royalties.run()
    assert service.paid == [11500]
    assert told(report, "LINES_USED_BEFORE").keys() == {"2026-01-b.csv"}
    assert places(summary_of(report)) == {"paid": 11500, "held": 9000}


def test_a_statement_that_takes_the_place_of_another_in_its_period_pays_the_difference(royalties, service):
    royalties.write("2026-01.csv", JANUARY)
    royalties.run()
    (royalties.folder / "2026-01.csv").unlink()
    royalties.write("2026-01-v2.csv", JANUARY + LATER)
    report = royalties.run()
    assert service.paid == [1500, 10000]
    assert told(report, "LINES_USED_BEFORE") == {}


def honest(count, start=0):
    return [line("1,00", f"Faixa {number}") for number in range(start, start + count)]


@pytest.mark.parametrize(("shared", "of_before", "new", "held"), [(3, 8, 10, 0), (4, 8, 10, 4)])
def test_a_few_lines_that_honest_statements_share_are_paid_and_more_are_held(
    royalties, service, shared, of_before, new, held
):
    royalties.write("2026-01.csv", honest(of_before))
    royalties.run()
    declare(royalties, "2026-02")
    most = [line("1000,00", "Sucesso")]
    royalties.write("2026-02.csv", honest(shared) + honest(new, start=of_before) + most)
    report = royalties.run()
    assert summary_of(report)["rows"]["held"] == held
    assert sorted(service.paid) == sorted([100 * of_before, 100000 + 100 * (shared + new - held)])


def test_equal_lines_count_as_often_as_they_were_used(royalties, service):
    royalties.write("2026-01.csv", [line("5,00")] * 6)
    royalties.run()
    declare(royalties, "2026-02")
    royalties.write("2026-02.csv", [line("5,00")] * 8)
    report = royalties.run()
    assert service.paid == [1000, 3000]
    assert places(summary_of(report)) == {"paid": 1000, "held": 3000}


def test_lines_worth_nothing_are_shared_by_everybody(royalties, service):
    free = [line("0,00", f"Faixa {number}") for number in range(20)]
    royalties.write("2026-01.csv", [*free, line("9,00")])
    royalties.run()
    declare(royalties, "2026-02")
    royalties.write("2026-02.csv", [*free, line("8,00")])
    assert summary_of(royalties.run())["rows"]["held"] == 0
    assert service.paid == [800, 900]


def test_a_statement_that_was_planned_and_never_approved_keeps_no_line_from_being_paid(royalties, service):
    royalties.write("2026-01.csv", JANUARY)
    royalties.run(yes=False)
    declare(royalties, "2026-02")
    royalties.write("2026-02.csv", JANUARY + LATER)
    assert royalties.run().exit_code == ExitCode.DONE
    assert service.paid == [11500]
