"""Nothing is paid without the word of the people the job asks for, on this very plan and total."""

import datetime as dt
from dataclasses import replace

import pytest
from openpyxl import load_workbook

from flows.house_ledger import utc_now
from flows.run import SYSTEM_CLOCK, QuietProgress
from flows.run_options import RunOptions
from flows.run_request import read_run_request
from flows.runner import PAYOUT, opened_run, walk
from flows.settings import read_settings
from schemas.errors import ExitCode
from schemas.job import BRASILIA
from schemas.plan import short_digest
from tests.flows.books import places
from tests.flows.jobs import payment, people
from tests.flows.label import Label, digest_of, summary_of

ANA, BIA, CAIO = people(3)
pytestmark = pytest.mark.long


@pytest.fixture
def waiting(label: Label) -> Label:
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"))
    return label


@pytest.mark.journey
def test_a_first_run_without_a_word_sends_nothing_and_says_what_to_approve(waiting, service):
    report = waiting.run(yes=False)
    assert report.exit_code == ExitCode.APPROVAL_WANTED
    assert service.posts == 0
    assert summary_of(report)["state"] == "awaiting_approval"
    assert places(summary_of(report)) == {"planned": 3000}
    assert f"repasse approve {short_digest(digest_of(report))} --by NOME --total 30,00" in report.messages[0]


@pytest.mark.journey
def test_an_approved_plan_is_sent_by_the_next_run_exactly(waiting, service):
    waiting.approve(digest_of(waiting.run(yes=False)), "30,00", "bia")
    report = waiting.run(yes=False)
    assert report.exit_code == ExitCode.DONE
    assert service.paid == [1000, 2000]
    assert places(summary_of(report)) == {"paid": 3000}


def test_a_word_on_another_total_is_refused_and_not_recorded(waiting, service):
    waiting.approve(digest_of(waiting.run(yes=False)), "30,01", "bia", code=14)
    assert waiting.run(yes=False).exit_code == ExitCode.APPROVAL_WANTED
    assert service.posts == 0


@pytest.mark.parametrize("digest", ["sha256:" + "0" * 64, "not-a-digest"])
def test_a_plan_nobody_made_cannot_be_approved(waiting, digest):
    waiting.run(yes=False)
    waiting.approve(digest, "30,00", "bia", code=14)


def test_a_rejected_plan_is_not_sent_though_it_was_approved_before(waiting, service):
    digest = digest_of(waiting.run(yes=False))
    waiting.approve(digest, "30,00", "bia")
    waiting.say("reject", digest, "--by", "caio", "--why", "wrong month")
    waiting.approve(digest, "30,00", "dora", code=14)
    assert waiting.run(yes=False).exit_code == ExitCode.APPROVAL_WANTED
    assert service.posts == 0


def test_a_word_on_a_plan_says_nothing_about_the_plan_of_a_changed_file(waiting, service):
    waiting.approve(digest_of(waiting.run(yes=False)), "30,00", "bia")
    waiting.payments(payment(ANA, "10,00"), payment(BIA, "20,00"), payment(CAIO, "30,00"))
    report = waiting.run(yes=False)
    assert report.exit_code == ExitCode.APPROVAL_WANTED
    assert places(summary_of(report)) == {"planned": 6000}
    assert service.posts == 0


def test_an_approval_lapses(waiting, service):
    waiting.approve(digest_of(waiting.run(yes=False)), "30,00", "bia")
    later = replace(SYSTEM_CLOCK, now=lambda: utc_now() + dt.timedelta(days=8))
    order = read_run_request(waiting.job, RunOptions(by="ana"))
    with opened_run("payout", order, read_settings(), QuietProgress(), later) as run:
        walk(PAYOUT, run)
    assert run.exit_code == ExitCode.APPROVAL_WANTED
    assert service.posts == 0


@pytest.mark.journey
def test_four_eyes_are_not_those_of_the_one_who_prepared_the_plan(waiting, service):
    waiting.declare(approval={"approvers": 2})
    digest = digest_of(waiting.run(yes=False, by="ana"))
    for name in ("Ana", "bia", "BIA"):
        waiting.approve(digest, "30,00", name)
        assert waiting.run(yes=False, by="ana").exit_code == ExitCode.APPROVAL_WANTED
    assert service.posts == 0
    waiting.approve(digest, "30,00", "caio")
    assert waiting.run(yes=False, by="ana").exit_code == ExitCode.DONE
    assert service.paid == [1000, 2000]


def test_whoever_starts_the_run_that_sends_has_not_prepared_the_plan_for_that(waiting, service):
    waiting.declare(approval={"approvers": 2})
    digest = digest_of(waiting.run(yes=False, by="ana"))
    waiting.approve(digest, "30,00", "ana")
    waiting.approve(digest, "30,00", "bia")
    assert waiting.run(yes=False, by="caio").exit_code == ExitCode.APPROVAL_WANTED
    waiting.approve(digest, "30,00", "caio")
    assert waiting.run(yes=False, by="caio").exit_code == ExitCode.DONE
    assert service.paid == [1000, 2000]


@pytest.mark.parametrize("limits", [{"payment": "19.99"}, {"run": "29.99"}])
def test_yes_does_not_go_beyond_the_limits_of_the_job(waiting, service, limits):
    waiting.declare(rules={"limits": limits})
    report = waiting.run(yes=True, by="ana")
    assert report.exit_code == ExitCode.APPROVAL_WANTED
    assert service.posts == 0
    for name in ("bia", "caio"):
        waiting.approve(digest_of(report), "30,00", name)
    assert waiting.run(yes=False, by="ana").exit_code == ExitCode.DONE
    assert service.paid == [1000, 2000]


def test_yes_is_enough_up_to_the_limits(waiting, service):
    waiting.declare(rules={"limits": {"payment": "20.00", "run": "30.00"}})
    assert waiting.run(yes=True).exit_code == ExitCode.DONE
    assert service.paid == [1000, 2000]


def test_yes_is_nobodys_word_where_people_have_to_sign_in(waiting, service):
    waiting.declare(approval={"identities": "signed_in"})
    assert waiting.run(yes=True).exit_code == ExitCode.APPROVAL_WANTED
    assert service.posts == 0


def test_a_name_that_was_only_typed_does_not_count_where_people_have_to_sign_in(waiting, service):
    waiting.declare(approval={"identities": "signed_in"})
    digest = digest_of(waiting.run(yes=False))
    result = waiting.say("approve", digest, "--by", "carla", "--total", "30,00", code=ExitCode.USAGE)
    assert "counts only decisions of people who signed in" in result.output
    assert waiting.run(yes=False).exit_code == ExitCode.APPROVAL_WANTED
    assert service.posts == 0


@pytest.mark.parametrize(("above", "code", "paid"), [("30.00", 0, [1000, 2000]), ("29.99", 14, [])])
def test_small_plans_need_no_word(waiting, service, above, code, paid):
    waiting.declare(approval={"above": above})
    assert waiting.run(yes=False).exit_code == code
    assert service.paid == paid


def test_the_workbook_tells_when_each_payment_was_sent_and_ended_and_whose_yes_it_had(waiting, service):
    waiting.declare(outputs={"folder": "out", "statements": False})
    digest = digest_of(waiting.run(yes=False))
    waiting.approve(digest, "30,00", "bia")
    began = dt.datetime.now(tz=BRASILIA).replace(tzinfo=None)
    (path,) = (path for path in waiting.run(yes=False).outputs if path.name == "reconciliation.xlsx")
    book = load_workbook(path)
    headers = [cell.value for cell in book["Pagamentos"][1]]
    for row in book["Pagamentos"].iter_rows(min_row=2, max_row=3, values_only=True):
        told = dict(zip(headers, row, strict=True))
        assert began - dt.timedelta(seconds=5) <= told["Enviado em (Brasília)"] <= told["Concluído em (Brasília)"]
        assert told["Aprovado por"] == "bia"
    (word,) = book["Aprovações"].iter_rows(min_row=3, values_only=True)
    assert word[1:6] == ("bia", "aprovou, e foi enviado com isso", "digitou o nome", 30, digest[7:15])


def test_the_workbook_keeps_every_yes_and_no_to_its_plan(waiting, service):
    waiting.declare(outputs={"folder": "out", "statements": False})
    digest = digest_of(waiting.run(yes=False))
    waiting.approve(digest, "30,00", "bia")
    waiting.say("reject", digest, "--by", "caio", "--why", "wrong month")
    (path,) = (path for path in waiting.run(yes=False).outputs if path.name == "reconciliation.xlsx")
    rows = [row[1:8] for row in load_workbook(path)["Aprovações"].iter_rows(min_row=3, values_only=True)]
    assert [(row[0], row[1]) for row in rows] == [
        ("bia", "aprovou, perdeu a validade antes do uso"),
        ("caio", "rejeitou"),
    ]
    assert service.posts == 0


@pytest.mark.parametrize("name", ["Bia\u202e", "B\x07ia", "Bi\u0430", "Bia\u200b Prado"])
@pytest.mark.parametrize("word", ["approve", "hold", "decide", "resolve", "unfreeze", "run"])
def test_a_name_that_is_not_what_it_looks_like_is_refused_wherever_people_say_who_they_are(
    waiting, service, word, name
):
    digest = digest_of(waiting.run(yes=False))
    words = {
        "approve": (digest, "--by", name, "--total", "30,00"),
        "hold": ("--by", name, "--why", "wait"),
        "decide": ("ob-x", "--pay", "--by", name, "--evidence", "x"),
        "resolve": ("rp-x", "--absent", "--by", "ana", "--by", name, "--evidence", "x"),
        "unfreeze": ("--accept", "x", "--by", "ana", "--by", name, "--evidence", "x"),
        "run": (waiting.job, "--yes", "--by", name),
    }
    assert "one script" in waiting.say(word, *words[word], code=2).output
    assert service.posts == 0
