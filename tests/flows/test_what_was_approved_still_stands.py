"""What was approved and never sent is sent only while it stands: after a crash byte for byte, not after a change."""

import datetime as dt
from dataclasses import replace

import pytest

from flows.house_ledger import utc_now
from flows.run import SYSTEM_CLOCK, QuietProgress
from flows.run_options import RunOptions
from flows.run_request import read_run_request
from flows.runner import PAYOUT, opened_run, walk
from flows.settings import read_settings
from schemas.errors import ExitCode
from schemas.messages import render
from tests.flows.books import places
from tests.flows.jobs import payment, people
from tests.flows.label import Label, digest_of, summary_of

ANA, BIA, CAIO, DORA = sorted(people(4), key=lambda person: person.tax_id)
ROWS = [payment(ANA, "10,00"), payment(BIA, "20,00"), payment(CAIO, "30,00")]
pytestmark = pytest.mark.long


class Killed(BaseException):
    """The end of a program that nobody expected."""


class DiesAfterOneBatch(QuietProgress):
    def advance(self, what: str, done: int, total: int) -> None:
        if what == "batches" and done == 1:
            raise Killed


@pytest.fixture
def cut_short(label: Label) -> Label:
    """A run of three batches, approved by bia, that died when the first was sent."""
    label.payments(*ROWS)
    label.declare(rules={"max_payments_per_batch": 1})
    label.approve(digest_of(label.run(yes=False)), "60,00", "bia")
    with pytest.raises(Killed):
        label.run(yes=False, progress=DiesAfterOneBatch())
    return label


def run_after(label: Label, **passed: float):
    later = replace(SYSTEM_CLOCK, now=lambda: utc_now() + dt.timedelta(**passed))
    with opened_run(
        "payout", read_run_request(label.job, RunOptions(by="ana")), read_settings(), QuietProgress(), later
    ) as run:
        walk(PAYOUT, run)
    return run


@pytest.mark.long
@pytest.mark.journey
def test_a_run_that_died_is_finished_by_the_next_one_without_another_word(cut_short, service):
    assert service.paid == [1000]
    assert cut_short.run(yes=False).exit_code == ExitCode.DONE
    assert service.paid == [1000, 2000, 3000]


@pytest.mark.long
@pytest.mark.journey
def test_it_is_finished_though_rows_were_added_which_wait_for_a_word_of_their_own(cut_short, service):
    cut_short.payments(*ROWS, payment(DORA, "40,00"))
    report = cut_short.run(yes=False)
    assert report.exit_code == ExitCode.APPROVAL_WANTED
    assert places(summary_of(report)) == {"duplicate": 1000, "paid": 5000, "planned": 4000}
    assert service.paid == [1000, 2000, 3000]


def test_what_was_approved_lapses_as_a_word_does(cut_short, service):
    run = run_after(cut_short, days=8)
    assert run.exit_code == ExitCode.APPROVAL_WANTED
    assert sum("venceu" in render(message, "pt-BR") for message in run.messages) == 2
    assert service.paid == [1000]


def test_what_lapsed_is_sent_once_on_a_new_word(cut_short, service):
    digest = run_after(cut_short, days=8).summary.plan_digest
    cut_short.back_to_today()
    cut_short.approve(digest, "50,00", "caio")
    assert cut_short.run(yes=False).exit_code == ExitCode.DONE
    assert service.paid == [1000, 2000, 3000]


def test_a_plan_none_of_which_was_sent_can_be_approved_again_when_it_has_lapsed(label, service):
    """It is the very same plan, and its first word is used up."""
    label.payments(*ROWS)
    digest = digest_of(label.run(yes=False))
    label.approve(digest, "60,00", "bia")
    label.say("hold", "--by", "dora", "--why", "wait")
    assert label.run(yes=False).exit_code == ExitCode.NOT_SENT
    label.say("release", "--by", "dora")
    assert run_after(label, days=8).summary.plan_digest == digest
    label.back_to_today()
    assert service.posts == 0
    label.approve(digest, "60,00", "caio")
    assert label.run(yes=False).exit_code == ExitCode.DONE
    assert service.paid == [1000, 2000, 3000]


CHANGED = {
    "a row that is gone": [ROWS[0], ROWS[2]],
    "another amount": [ROWS[0], payment(BIA, "20,01"), ROWS[2]],
    "another e-mail": [ROWS[0], payment(BIA, "20,00") | {"E-mail": "x@y.example"}, ROWS[2]],
    "another account": [ROWS[0], payment(BIA, "20,00") | {"Chave Pix": "nova@example.com"}, ROWS[2]],
    "another name": [ROWS[0], payment(BIA, "20,00") | {"Nome": "Outro Nome"}, ROWS[2]],
    "a payee who cannot be paid": [ROWS[0], payment(BIA, "20,00") | {"Chave Pix": "not a key"}, ROWS[2]],
}


@pytest.mark.parametrize("rows", CHANGED.values(), ids=CHANGED)
def test_a_batch_behind_which_something_changed_wants_a_new_word_and_the_others_go(cut_short, service, rows):
    cut_short.payments(*rows)
    report = cut_short.run(yes=False)
    assert report.exit_code in {ExitCode.APPROVAL_WANTED, ExitCode.ROWS_HELD, ExitCode.DONE}
    assert any("mudou desde a aprovação" in message for message in report.messages)
    assert service.paid == [1000, 3000]
    cut_short.run(yes=False)
    assert service.paid == [1000, 3000]


def test_how_payments_are_cut_into_batches_does_not_change_what_was_approved(label, service):
    label.payments(*ROWS)
    label.declare(rules={"max_payments_per_batch": 1})
    digest = digest_of(label.run(yes=False))
    label.say("hold", "--by", "dora", "--why", "wait")
    label.approve(digest, "60,00", "bia")
    assert label.run(yes=False).exit_code == ExitCode.NOT_SENT
    label.say("release", "--by", "dora")
    label.declare(rules={"max_payments_per_batch": 2})
    assert label.run(yes=False).exit_code == ExitCode.DONE
    assert service.paid == [1000, 2000, 3000]


@pytest.mark.parametrize(
    "stricter",
    [
        {"approval": {"approvers": 2}},
        {"approval": {"identities": "signed_in"}},
        {"rules": {"max_payments_per_batch": 1, "limits": {"run": "59.99"}}},
    ],
)
def test_a_rule_that_became_stricter_counts_for_what_was_approved_and_not_sent(cut_short, service, stricter):
    cut_short.declare(**({"rules": {"max_payments_per_batch": 1}} | stricter))
    assert cut_short.run(yes=False).exit_code == ExitCode.APPROVAL_WANTED
    assert service.paid == [1000]


def test_another_period_does_not_send_what_was_approved_of_this_one(cut_short, service):
    cut_short.declare(period="2026-11", rules={"max_payments_per_batch": 1})
    report = cut_short.run(yes=False)
    assert any("2026-10" in message for message in report.messages)
    assert service.paid == [1000]
