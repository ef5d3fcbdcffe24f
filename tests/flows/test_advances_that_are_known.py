"""An advance is recouped once, however its reference is spelled and whoever its row names; and an honest one at once.

Held constant: one currency, one advance of 1,000.00 against 300.00 a month, nobody decides anything.
"""

import pytest

from schemas.errors import ExitCode
from tests.flows.jobs import line, masked, payee, people, share

ANA, BIA = people(2)
pytestmark = pytest.mark.long


def advance(who, reference, amount="1000,00", isrc=""):
    return {"CPF": masked(who.tax_id), "Referência": reference, "Valor": amount, "Data": "2026-01-05", "ISRC": isrc}


@pytest.fixture
def royalties(label):
    """Ana and Bia have halves of everything; 600.00 come in each month."""
    label.write("payees.csv", [payee(ANA), payee(BIA)])
    label.write("shares.csv", [share(ANA, "50"), share(BIA, "50")])
    return label


def month(label, number, advances, job="selo"):
    label.write("advances.csv", advances)
    label.write(f"2026-{number:02}.csv", [line(f"{600 + number},00", f"Faixa {number}")])
    label.declare(
        job=job, period=f"2026-{number:02}", sources=[{"files": "{period}.csv", "layout": "royalties"}],
        payees="payees.csv", shares="shares.csv", advances="advances.csv",
    )  # fmt: skip
    report = label.run()
    return report, {issue.code.value for issue in report.issues}


@pytest.mark.parametrize(
    ("before", "after"),
    [("adiantamento 1", "Adiantamento  1"), ("adv – 2", "ADV-2"), ("Nº 07", "7"), ("álbum", "A\u0301LBUM")],
)
def test_case_blanks_dashes_and_numbers_make_no_new_advance(royalties, service, before, after):
    month(royalties, 1, [advance(ANA, before, "100,00")])
    report, codes = month(royalties, 2, [advance(ANA, after, "100,00")])
    assert (report.exit_code, codes & {"ADVANCE_KNOWN"}) == (ExitCode.DONE, set())
    assert sorted(service.paid) == [20050, 30050, 30100, 30100]


@pytest.mark.parametrize("amount", ["1000,00", "100,00"], ids=["not recouped yet", "recouped"])
@pytest.mark.parametrize(
    ("before", "after"),
    [("adiantamento 1", "adiantamento-1"), ("album", "álbum"), ("", "album"), ("album", "single"), ("a|b", "a b")],
)
def test_a_known_advance_in_another_spelling_is_recouped_from_nobody_again(royalties, service, before, after, amount):
    month(royalties, 1, [advance(ANA, before, amount)])
    paid = list(service.paid)
    for number in (2, 3):
        report, codes = month(royalties, number, [advance(ANA, after, amount)])
        assert (report.exit_code, "ADVANCE_KNOWN" in codes) == (ExitCode.ROWS_HELD, True)
    assert sorted(service.paid) == sorted([*paid, 30100, 30150])  # Bia's
    month(royalties, 4, [advance(ANA, before, amount)])
    recouped = 30050 + 30200 if amount == "1000,00" else 10_000  # nothing is taken of what is held
    assert sum(service.paid) == 2 * (30050 + 30100 + 30150 + 30200) - recouped


def test_an_advance_under_the_wrong_payee_that_is_put_right_is_recouped_from_one(royalties, service):
    month(royalties, 1, [advance(BIA, "adv")])
    for number in (2, 3):
        report, codes = month(royalties, number, [advance(ANA, "adv")])
        assert (report.exit_code, "ADVANCE_KNOWN" in codes) == (ExitCode.ROWS_HELD, True)
    assert service.paid == [30050]  # Ana's first month; since then neither is paid, nor recouped


def test_references_with_a_bar_are_two_advances_and_an_isrc_is_none_of_a_reference(royalties, service):
    two = [advance(ANA, "a|b", "100,00"), advance(ANA, "a|c", "50,00"), advance(BIA, "d", "10,00", "BRAUR2600009")]
    report, codes = month(royalties, 1, two)
    assert (report.exit_code, codes & {"ADVANCE_KNOWN", "ROW_DUPLICATE"}) == (ExitCode.DONE, set())
    month(royalties, 2, [advance(ANA, "A|B", "100,00"), advance(ANA, "A|C", "50,00"), *two[2:]])
    assert sorted(service.paid) == [15050, 30050, 30100, 30100]


@pytest.mark.parametrize(
    "later",
    [
        [advance(ANA, "album", "100,00"), advance(ANA, "single", "100,00")],
        [advance(ANA, "single", "250,00")],
        [advance(ANA, "album", "100,00"), advance(BIA, "album", "100,00")],
    ],
    ids=["beside the old one", "in place of one that is recouped", "of somebody else"],
)
def test_honest_advances_are_no_question(royalties, service, later):
    month(royalties, 1, [advance(ANA, "album", "100,00")])
    report, codes = month(royalties, 2, later)
    assert (report.exit_code, "ADVANCE_KNOWN" in codes) == (ExitCode.DONE, False)


def test_another_job_that_lists_an_advance_in_another_spelling_is_asked(royalties, service):
    month(royalties, 1, [advance(ANA, "adiantamento 1")])
    _, codes = month(royalties, 2, [advance(ANA, "adiantamento-1")], job="outro")
    assert "ADVANCE_KNOWN" in codes
    _, codes = month(royalties, 3, [advance(ANA, "ADIANTAMENTO 1")], job="outro")
    assert "ADVANCE_KNOWN" not in codes
