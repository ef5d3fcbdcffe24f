"""A person's no: what of the plan was not sent never is on the words it had, and people are told what became of it."""

import pytest

from flows.run import QuietProgress
from schemas.errors import ExitCode
from tests.flows.books import places
from tests.flows.jobs import advance, line, payee, payment, people, share
from tests.flows.label import Label, digest_of, summary_of
from tests.flows.oracle import CREATE

ANA, BIA, CAIO = sorted(people(3), key=lambda person: person.tax_id)  # batches are in this order
pytestmark = pytest.mark.long


def held(label: Label, **changes: object) -> str:
    """Approve a plan of one payment a batch, and put sending on hold before any of it leaves."""
    label.declare(rules={"max_payments_per_batch": 1} | dict(changes.pop("rules", {})), **changes)
    digest = digest_of(label.run(yes=False))
    label.say("hold", "--by", "dora", "--why", "wait")
    label.approve(digest, "60,00", "bia")
    assert label.run(yes=False).exit_code == ExitCode.NOT_SENT
    label.say("release", "--by", "dora")
    return digest


class Killed(BaseException):
    """The end of a program that nobody expected."""


class DiesAfterOneBatch(QuietProgress):
    def advance(self, what: str, done: int, total: int) -> None:
        if what == "batches" and done == 1:
            raise Killed


def send_one(label: Label) -> None:
    """Let a run die after it has sent its first batch."""
    with pytest.raises(Killed):
        label.run(yes=False, progress=DiesAfterOneBatch())


@pytest.fixture
def three(label: Label) -> Label:
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"), payment(CAIO, "30,00"))
    return label


@pytest.mark.journey
def test_a_plan_that_was_approved_and_not_sent_is_not_sent_after_a_no(three, service):
    digest = held(three)
    document = three.ask("reject", digest, "--by", "caio", "--why", "wrong month")
    assert [batch["amount_cents"] for batch in document["withdrawn"]] == [1000, 2000, 3000]
    assert document["sent"] == document["in_doubt"] == []
    report = three.run(yes=False)
    assert report.exit_code == ExitCode.APPROVAL_WANTED
    assert places(summary_of(report)) == {"planned": 6000}
    assert service.posts == 0


def test_a_no_to_a_plan_that_was_partly_sent_withdraws_the_rest_and_says_what_was_sent(three, service):
    digest = held(three)
    send_one(three)
    assert service.paid == [1000]
    result = three.say("reject", digest, "--by", "caio", "--why", "wrong month")
    assert "withdrawn, never sent: 2 payments, R$ 50.00" in result.output
    assert "sent before, and stays as it is: 1 payment, R$ 10.00" in result.output
    report = three.run(yes=False)
    assert report.exit_code == ExitCode.APPROVAL_WANTED
    assert places(summary_of(report)) == {"duplicate": 1000, "planned": 5000}
    assert service.paid == [1000]


def test_what_is_in_doubt_stays_in_doubt_after_a_no(three, service):
    digest = held(three)
    service.plant(CREATE, "drop")
    service.behave(echo_report_id=False, echo_name=False)
    send_one(three)
    document = three.ask("reject", digest, "--by", "caio", "--why", "wrong month")
    assert [len(document[what]) for what in ("withdrawn", "in_doubt", "sent")] == [2, 1, 0]
    three.run(yes=False)
    assert service.paid == [1000]


def test_what_people_said_no_to_is_not_small_enough_to_go_by_itself(three, service):
    """The rest of a rejected plan is another plan, and below the sum that needs nobody's word."""
    three.declare(approval={"above": "100.00"}, rules={"max_payments_per_batch": 1})
    three.say("hold", "--by", "dora", "--why", "wait")
    assert three.run(yes=False).exit_code == ExitCode.NOT_SENT
    digest = three.ask("status", code=21)["approved"][0]["plan_digest"]
    three.say("release", "--by", "dora")
    send_one(three)
    three.say("reject", digest, "--by", "caio", "--why", "wrong month")
    for yes in (False, True):
        assert three.run(yes=yes).exit_code == ExitCode.APPROVAL_WANTED
    assert service.paid == [1000]


def test_a_new_word_after_a_no_sends_the_rest_once(three, service):
    digest = held(three)
    send_one(three)
    three.say("reject", digest, "--by", "caio", "--why", "wrong month")
    three.approve(digest_of(three.run(yes=False)), "50,00", "bia")
    assert three.run(yes=False).exit_code == ExitCode.DONE
    assert service.paid == [1000, 2000, 3000]


def test_a_no_that_comes_too_late_says_so(three, service):
    assert three.run(yes=True).exit_code == ExitCode.DONE
    with three.ledger() as ledger:
        digest = ledger.submissions.list(bodies=False)[0].plan_digest
    refused = three.say("reject", digest, "--by", "caio", "--why", "wrong month", code=ExitCode.USAGE)
    assert "sent already" in refused.output


def test_a_no_that_comes_while_a_run_sends_stops_it_before_the_next_batch(three, service):
    digest = held(three)

    class Rejects(QuietProgress):
        def advance(self, what: str, done: int, total: int) -> None:
            if what == "batches" and done == 1:
                three.say("reject", digest, "--by", "caio", "--why", "stop")

    report = three.run(yes=False, progress=Rejects())
    assert report.exit_code == ExitCode.APPROVAL_WANTED
    assert any("withdrawn" in message or "retirado" in message for message in report.messages)
    assert service.paid == [1000]


def royalties(label: Label, month: str, amount: str) -> None:
    """Declare a month of one recording that Ana and Bia share, with an advance of Ana's to recoup."""
    label.write("lines.csv", [line(amount, f"Samba of {month}")])
    label.write("payees.csv", [payee(ANA), payee(BIA)])
    label.write("shares.csv", [share(ANA, "50"), share(BIA, "50")])
    label.write("advances.csv", [advance(ANA, "30,00")])
    label.declare(
        period=month,
        sources=[{"files": "lines.csv", "layout": "royalties"}],
        payees="payees.csv",
        shares="shares.csv",
        advances="advances.csv",
        rules={"max_payments_per_batch": 1},
    )


def test_an_advance_is_not_recouped_by_a_month_that_was_rejected_before_anything_was_sent(label, service):
    royalties(label, "2026-09", "80.00")
    label.say("hold", "--by", "dora", "--why", "wait")
    assert label.run(yes=True).exit_code == ExitCode.NOT_SENT
    (digest,) = {batch["plan_digest"] for batch in label.ask("status", code=21)["approved"]}
    label.say("reject", digest, "--by", "caio", "--why", "these lines are of October")
    label.say("release", "--by", "dora")
    royalties(label, "2026-10", "80.00")
    assert label.run(yes=True).exit_code == ExitCode.DONE
    assert service.paid == [1000, 4000]  # Ana: 40,00 less the advance of 30,00


def test_of_a_month_partly_sent_the_advance_of_those_who_were_paid_stays_recouped(label, service):
    royalties(label, "2026-09", "80.00")
    label.say("hold", "--by", "dora", "--why", "wait")
    assert label.run(yes=True).exit_code == ExitCode.NOT_SENT
    batches = label.ask("status", code=21)["approved"]
    label.say("release", "--by", "dora")
    send_one(label)
    label.say("reject", batches[0]["plan_digest"], "--by", "caio", "--why", "no")
    first = service.paid
    royalties(label, "2026-10", "80.00")
    assert label.run(yes=True).exit_code == ExitCode.DONE
    paid_ana = first == [1000]
    assert service.paid == sorted([*first, 4000, 4000 if paid_ana else 1000])


class RejectsAfter(QuietProgress):
    """Somebody rejects the plan while it is being sent, after so many batches."""

    def __init__(self, label, digest, batches):
        super().__init__()
        self.label, self.digest, self.batches = label, digest, batches

    def advance(self, what: str, done: int, total: int) -> None:
        if what == "batches" and done == self.batches:
            self.label.say("reject", self.digest, "--by", "caio", "--why", "wrong month")


@pytest.mark.parametrize("batches", [1, 2])
def test_a_run_whose_plan_is_rejected_half_way_says_so(three, service, batches):
    digest = held(three)
    report = three.run(yes=False, progress=RejectsAfter(three, digest, batches))
    assert service.posts == batches
    assert report.exit_code == ExitCode.APPROVAL_WANTED
    assert report.state != "done"
    assert any("wrong month" in str(message) for message in report.messages)
    paid = sum([1000, 2000, 3000][:batches])
    assert places(summary_of(report)) == {"paid": paid, "planned": 6000 - paid}


class RejectsBeforeSending(RejectsAfter):
    """Somebody rejects a plan that its run has approved and not begun to send."""

    def stage(self, name: str) -> None:
        super().stage(name)
        if name == "send":
            self.label.say("reject", self.digest, "--by", "caio", "--why", "wrong month")


def test_a_run_whose_plan_is_rejected_before_the_first_batch_says_so(three, service):
    three.declare(rules={"max_payments_per_batch": 1})
    digest = digest_of(three.run(yes=False))
    report = three.run(progress=RejectsBeforeSending(three, digest, 0))
    assert service.posts == 0
    assert report.exit_code == ExitCode.APPROVAL_WANTED
    assert any("wrong month" in str(message) for message in report.messages)
    assert places(summary_of(report)) == {"planned": 6000}
