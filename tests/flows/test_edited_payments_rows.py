"""People edit the sheet of a period that was paid: whatever they retype, nobody is paid twice without a word on it."""

import unicodedata

import pytest

from schemas.exit_codes import ExitCode
from tests.flows.books import places
from tests.flows.jobs import payment, people
from tests.flows.label import summary_of

ANA, BIA, CAIO, DAVI = people(4)


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
