"""A statement of another month where a period had its own: nothing is paid or taken back before people say so.

Varied here: whether it bears the other's name, whether its lines say their months, how much it has in common with what
was there, who looks first (a preview or a run), and which way back is taken.
"""

import hashlib

import pytest

from schemas.errors import ExitCode
from schemas.messages import render
from tests.flows.every_view import look_through
from tests.flows.jobs import line, payee, people, share

ANA, BIA = people(2)
pytestmark = pytest.mark.long


def lines(month, *amounts, said=True):
    return [
        line(amount, f"Faixa {month} {at}") | {"Período": month if said else ""} for at, amount in enumerate(amounts)
    ]


@pytest.fixture
def october(label, service):
    """October is paid from its statement; November's is dropped into the same folder."""
    label.write("payees.csv", [payee(ANA), payee(BIA)])
    label.write("shares.csv", [share(ANA, "60"), share(BIA, "40")])
    return label


def declare(label, **changes):
    sources = [{"files": "statement*.csv", "layout": "royalties"}]
    label.declare(sources=sources, payees="payees.csv", shares="shares.csv", **changes)


def paid(label, *amounts, said=True):
    declare(label)
    written = label.write("statement.csv", lines("2026-10", *amounts, said=said))
    assert label.run().exit_code == ExitCode.DONE
    return hashlib.sha256(written.read_bytes()).hexdigest()


def balance(label):
    with label.ledger() as ledger:
        return sum(ledger.journal.balances_of_payees([ANA.tax_id, BIA.tax_id]).values())


@pytest.mark.parametrize("name", ["statement.csv", "statement-2.csv"], ids=["under its name", "under another"])
@pytest.mark.parametrize("said", [True, False], ids=["months said", "no months"])
@pytest.mark.parametrize("amounts", [("7,04", "3,00"), ("900,00", "80,00")], ids=["less", "more"])
def test_a_statement_that_shares_nothing_with_the_one_whose_place_it_takes_stops_the_run(
    october, service, name, said, amounts
):
    old = paid(october, "75,42", "20,00", said=said)
    (october.folder / "statement.csv").unlink()
    october.write(name, lines("2026-11", *amounts, said=said))
    assert october.type("plan", october.job).exit_code == ExitCode.NO_SOUND_PLAN
    for yes in (True, False):
        report = october.run(yes=yes)
        assert report.exit_code == ExitCode.NO_SOUND_PLAN
        told = " ".join(report.messages)
        assert ("2026-11" in told and "2026-10" in told) is said
        assert f"repasse withdraw {old[:12]}" in told
        assert [issue.code for issue in report.issues if issue.code == "FILE_IN_PLACE"]
    assert (sum(service.paid), balance(october)) == (9542, 0)  # nobody owes anything back
    look_through(october.job, at_desk=True)
    (october.folder / name).unlink()
    october.write("statement.csv", lines("2026-10", "75,42", "20,00", said=said))
    assert october.run().exit_code == ExitCode.DONE
    assert sum(service.paid) == 9542


def withdraw(label, digest):
    label.say("withdraw", digest[:12], "--by", "Ana", "--why", "de outro mês")


@pytest.mark.long
@pytest.mark.journey
def test_whoever_means_it_withdraws_the_other_and_the_way_back_is_the_same(october, service):
    old = paid(october, "50,00")
    october.write("statement.csv", lines("2026-11", "70,00", "10,00"))
    assert october.run().exit_code == ExitCode.NO_SOUND_PLAN
    withdraw(october, old)
    assert [issue.code for issue in october.run().issues] == ["FILE_OTHER_MONTH"]
    file = october.folder / "statement.csv"
    october.say("run", october.job, "--file", file, "--period", "2026-10", "--new", "--yes")
    assert sum(service.paid) == 8000
    november = hashlib.sha256((october.folder / "statement.csv").read_bytes()).hexdigest()
    october.write("statement.csv", lines("2026-10", "50,00"))
    withdraw(october, november)
    october.say("withdraw", old[:12], "--by", "Ana", "--why", "era este", "--back")
    october.run()
    assert (sum(service.paid), balance(october)) == (8000, 3000)  # what was paid for November is owed back


def test_a_statement_corrected_in_every_line_is_of_the_same_month_and_pays_the_difference(october, service):
    paid(october, "50,00", "20,00")
    october.write("statement.csv", lines("2026-10", "55,00", "25,00"))
    assert october.run().exit_code == ExitCode.DONE
    assert sum(service.paid) == 8000


def test_a_statement_of_which_one_line_is_left_is_another_edition(october, service):
    paid(october, "50,00", "20,00", said=False)
    october.write("statement.csv", [lines("2026-10", "50,00", said=False)[0], *lines("2026-11", "30,00", said=False)])
    report = october.run()
    assert report.exit_code != ExitCode.NO_SOUND_PLAN


def test_a_statement_beside_the_one_that_stays_is_one_more(october, service):
    paid(october, "50,00")
    october.write("statement-2.csv", lines("2026-10", "30,00"))
    assert october.run().exit_code == ExitCode.DONE
    assert sum(service.paid) == 8000


def test_a_statement_of_a_later_month_beside_the_one_that_stays_waits_for_a_word(october, service):
    paid(october, "50,00")
    october.write("statement-2.csv", lines("2026-11", "30,00"))
    report = october.run()
    assert report.exit_code == ExitCode.ROWS_HELD
    assert [(issue.code, issue.file) for issue in report.issues] == [("FILE_OTHER_MONTH", "statement-2.csv")]
    assert sum(service.paid) == 5000


def test_each_language_says_which_months_they_are_of(october, service):
    paid(october, "50,00")
    october.write("statement.csv", lines("2026-11", "30,00"))
    (issue,) = [issue for issue in october.run().issues if issue.code == "FILE_IN_PLACE"]
    for language in ("en", "pt-BR"):
        text = render(issue.message, language)
        assert "2026-11" in text
        assert "2026-10" in text
