"""People edit the sheet of a period that was paid: whatever they retype, nobody is paid twice without a word on it."""

import unicodedata

import pytest

from schemas.errors import ExitCode
from tests.flows.books import places
from tests.flows.every_view import look_through
from tests.flows.jobs import payment, people
from tests.flows.label import summary_of

ANA, BIA, CAIO, DAVI = people(4)
pytestmark = pytest.mark.long


@pytest.mark.parametrize(
    ("typed", "again"),
    [
        ("Gravação nº 17", unicodedata.normalize("NFD", "Gravação nº 17")),
        ("Gravação nº 17", "GRAVAÇÃO No. 17"),
        ("Nota 17", "nota\u00a0 17."),
        ("NF-17", "nf – 17"),
        ("17", "17,00"),
        ("017", "17"),
        ("show", " \u200dShow"),
    ],
)
def test_a_reference_that_is_retyped_is_the_same_payment(label, service, typed, again):
    label.payments(payment(ANA, "10,00", typed), payment(BIA, "20,00", typed))
    assert label.run().exit_code == ExitCode.DONE
    label.payments(payment(BIA, "20,00", again), payment(ANA, "10,00", again))
    report = label.run()
    assert (report.exit_code, places(summary_of(report))) == (ExitCode.DONE, {"duplicate": 3000})
    assert service.paid == [1000, 2000]


@pytest.mark.journey
@pytest.mark.parametrize("files", [1, 2])
def test_two_rows_whose_references_differ_in_spelling_alone_are_both_held_and_told(label, service, files):
    rows = [payment(ANA, "10,00", "Nota 17"), payment(ANA, "15,00", "NOTA nº 17"), payment(BIA, "20,00", "Nota 17")]
    label.payments(*(rows if files == 1 else rows[1:]))
    label.write("more.xlsx", rows[:1])
    if files == 2:
        label.declare(sources=[{"files": ["payments.xlsx", "more.xlsx"], "layout": "payments"}])
    report = label.run()
    assert (report.exit_code, places(summary_of(report))) == (ExitCode.ROWS_HELD, {"held": 2500, "paid": 2000})
    assert summary_of(report)["issues"]["ROW_DUPLICATE"] == 2
    assert service.paid == [2000]


EDITS = {
    "a reference filled in": ([("", "10,00")], [("Nota 17", "10,00")]),
    "a reference corrected": ([("Nota 17", "10,00")], [("Nota 71", "10,00")]),
    "a reference taken out": ([("Nota 17", "10,00")], [("", "10,00")]),
    "an accent lost": ([("gravação", "10,00")], [("gravacao", "10,00")]),
    "references exchanged": ([("a", "10,00"), ("b", "20,00")], [("b", "10,00"), ("a", "20,00")]),
    "a reference passed on": ([("a", "10,00")], [("b", "10,00"), ("a", "20,00")]),
    "one of two renamed": ([("a", "10,00"), ("b", "10,00")], [("a", "10,00"), ("c", "10,00")]),
    "reference and amount corrected": ([("a", "10,00")], [("b", "12,00")]),
    "one row split in two": ([("a", "10,00")], [("b", "4,00"), ("c", "6,00")]),
    "two rows merged": ([("a", "10,00"), ("b", "20,00")], [("a and b", "30,00")]),
    "one split, and more added": ([("a", "10,00"), ("b", "20,00")], [("a", "10,00"), ("b1", "5,00"), ("b2", "25,00")]),
}


OFTEN = ("one row split in two",)


@pytest.mark.long
@pytest.mark.parametrize(
    ("paid", "edited"),
    [pytest.param(*edit, id=name, marks=pytest.mark.journey if name in OFTEN else ()) for name, edit in EDITS.items()],
)
def test_a_row_that_was_renamed_is_a_conflict_and_nothing_is_paid_for_it(label, service, workbooks, paid, edited):
    label.payments(*(payment(ANA, amount, reference) for reference, amount in paid))
    label.run()
    before = service.paid
    label.payments(*(payment(ANA, amount, reference) for reference, amount in reversed(edited)))
    for yes in (True, False, True):
        report = label.run(yes=yes)
        assert report.exit_code == ExitCode.ROWS_HELD
        assert "conflict" in places(summary_of(report))
        look_through()
    assert service.paid == before


@pytest.mark.parametrize("amount", ["10,00", "12,50", "7,00"])
def test_a_company_in_the_place_of_its_owner_is_not_paid_on_top_whatever_the_amount(label, service, amount):
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"))
    label.run()
    company = payment(ANA, amount) | {"CPF": "11.222.333/0001-81", "Nome": "Ana Produções"}
    label.payments(company, payment(BIA, "20,00"))
    report = label.run()
    assert report.exit_code == ExitCode.ROWS_HELD
    assert "conflict" in places(summary_of(report))
    assert service.paid == [1000, 2000]


def test_whoever_has_all_paid_rows_standing_is_free_to_get_more(label, service):
    label.payments(payment(ANA, "10,00", "a"), payment(BIA, "20,00", "a"))
    label.run()
    label.payments(payment(ANA, "4,00", "c"), payment(ANA, "6,00", "d"), payment(ANA, "10,00", "a"))
    report = label.run()
    assert report.exit_code == ExitCode.DONE
    assert service.paid == [400, 600, 1000, 2000]


def test_the_message_says_what_was_paid_and_what_the_whole_would_come_to(label, service):
    label.payments(payment(ANA, "10,00", "a"), payment(BIA, "20,00", "a"))
    label.run()
    label.payments(payment(ANA, "4,00", "b"), payment(ANA, "6,50", "c"), payment(BIA, "20,00", "a"))
    issues = [issue for issue in label.run().issues if issue.code == "ROW_RENAMED"]
    assert len(issues) == 2
    for issue in issues:
        assert service.reports[0]["reportId"] in str(issue.message)
        assert "10.00" in str(issue.message)
        assert "20.50" in str(issue.message)


def test_a_renamed_row_is_told_with_its_report_and_what_to_say_about_it(label, service):
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"))
    label.run()
    label.payments(payment(BIA, "20,00"), payment(ANA, "10,00", "Nota 17"))
    report = label.run()
    (issue,) = [issue for issue in report.issues if issue.code == "ROW_RENAMED"]
    assert (issue.file, issue.row) == ("payments.xlsx", 3)
    assert service.reports[0]["reportId"] in str(issue.message)
    assert "repasse decide ob-" in str(issue.accepts)
    assert places(summary_of(report)) == {"conflict": 1000, "duplicate": 2000}


def decide(label, report, kind):
    (issue,) = [issue for issue in report.issues if issue.code == "ROW_RENAMED"]
    key = str(issue.accepts).partition("decide ")[2].split()[0]
    label.say("decide", key, f"--{kind}", "--by", "bia", "--evidence", "the invoices", code=0)


@pytest.mark.parametrize(
    ("kind", "found", "paid"),
    [("pay", "paid", [1000, 1000]), ("paid", "duplicate", [1000]), ("drop", "excluded", [1000])],
)
def test_a_person_decides_what_a_renamed_row_is_and_it_stays_so(label, service, kind, found, paid):
    label.payments(payment(ANA, "10,00", "a"))
    label.run()
    label.payments(payment(ANA, "10,00", "b"))
    decide(label, label.run(), kind)
    report = label.run()
    assert (report.exit_code, places(summary_of(report))) == (ExitCode.DONE, {found: 1000})
    assert label.run().exit_code == ExitCode.DONE
    assert service.paid == paid


def test_two_equal_rows_side_by_side_are_two_payments_also_when_the_second_one_comes_later(label, service):
    label.payments(payment(ANA, "10,00", "show 1"))
    label.run()
    label.payments(payment(ANA, "10,00", "show 2"), payment(ANA, "10,00", "Show 1"))
    report = label.run()
    assert (report.exit_code, places(summary_of(report))) == (ExitCode.DONE, {"paid": 1000, "duplicate": 1000})
    assert service.paid == [1000, 1000]


@pytest.mark.parametrize("broken", [{"CPF": "111.111.111-11"}, {"E-mail": "not an address"}], ids=["CPF", "e-mail"])
def test_a_row_with_a_problem_is_still_there_where_its_payee_and_reference_can_be_read(label, service, broken):
    label.payments(payment(ANA, "10,00", "show 1"))
    label.run()
    label.payments(payment(ANA, "10,00", "show 1") | broken, payment(ANA, "10,00", "show 2"))
    readable = "CPF" not in broken
    label.run()
    assert service.paid == ([1000, 1000] if readable else [1000])


def test_of_several_rows_that_could_be_the_renamed_ones_all_wait(label, service):
    label.payments(payment(ANA, "10,00", "a"), payment(ANA, "10,00", "b"))
    label.run()
    label.payments(*(payment(ANA, "10,00", reference) for reference in "xyz"), payment(ANA, "30,00", "w"))
    report = label.run()
    assert places(summary_of(report)) == {"conflict": 6000}
    assert service.paid == [1000, 1000]


def test_a_cpf_that_becomes_a_cnpj_with_the_same_account_is_a_conflict(label, service):
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"))
    label.run()
    label.payments(payment(BIA, "20,00"), payment(ANA, "10,00", CPF="11.222.333/0001-81", Nome="Ana Produções Ltda"))
    report = label.run()
    assert (report.exit_code, places(summary_of(report))) == (ExitCode.ROWS_HELD, {"conflict": 1000, "duplicate": 2000})
    assert service.paid == [1000, 2000]


# --- a list within a list ---------------------------------------------------------------------------------------------


def numbered(rows, word="", start=1):
    return [row | {"Referência": f"{word}{number}"} for number, row in enumerate(rows, start)]


ONCE = [payment(ANA, "10,00"), payment(BIA, "20,00"), payment(CAIO, "30,00")]


@pytest.mark.parametrize(
    "rows",
    [
        numbered(ONCE * 2),
        numbered(ONCE * 2, "PG-", 7),
        numbered(sorted(ONCE * 2, key=str)),
        numbered(ONCE + ONCE[:1]),
        [row | {"Referência": f"Nota {number}"} for number, row in zip((17, 19, 4, 8, 15, 16), ONCE * 2, strict=True)],
    ],
    ids=["1 to 6", "with a word", "sorted", "one row of it", "every row under numbers of documents"],
)
def test_a_list_pasted_twice_whose_rows_are_numbered_wants_a_persons_eye(label, service, rows):
    label.payments(*rows)
    report = label.run()
    assert (report.exit_code, service.posts) == (ExitCode.APPROVAL_WANTED, 0)
    assert [issue.code.value for issue in report.issues] == ["ROW_TWICE"] * (len(rows) - 3)
    total = sum({"10,00": 10, "20,00": 20, "30,00": 30}[row["Valor"]] for row in rows)
    label.approve(summary_of(report)["plan_digest"], f"{total},00", "bia")
    label.run(yes=False)
    assert len(service.paid) == len(rows)


@pytest.mark.parametrize(
    "rows",
    [
        numbered([payment(ANA, f"{amount},00") for amount in range(10, 16)]),
        [
            row | {"Referência": f"Nota {number}"}
            for number, row in zip((17, 19, 4, 8, 15), [*ONCE, *ONCE[:2]], strict=True)
        ],
        numbered([payment(ANA, "10,00", "show"), payment(ANA, "10,00", "show")], "show "),
    ],
    ids=["other amounts", "some under numbers of documents", "two shows"],
)
def test_honest_numbered_rows_are_paid_without_a_question(label, service, rows):
    label.payments(*rows)
    assert label.run().exit_code == ExitCode.DONE
    assert len(service.paid) == len(rows)
