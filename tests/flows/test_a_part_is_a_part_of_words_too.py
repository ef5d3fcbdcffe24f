"""Who decided that something is paid has a part in the plan that pays it, and is not its approver.

Varied: the word, who says it, who approves, whether another person says it too. Held constant: two payments, declared
names, a rule that somebody other than the preparer approves.
"""

from hashlib import sha256

import pytest

from flows.nights.night import run_night
from flows.run import SYSTEM_CLOCK
from schemas.approval import GOOD_FOR, Role
from schemas.errors import ExitCode
from schemas.plan import Approval, ApprovalKind
from tests.flows.jobs import JOB, Row, payment, people
from tests.flows.label import Label, digest_of
from tests.flows.printed_acts import unnamed_keys

ANA, BIA = people(2)
RULE = {"above": "0.00", "identities": "declared", "other_than_preparer": True}


@pytest.fixture
def in_conflict(label: Label) -> str:
    """A row that was paid says another sum by now; its key."""
    label.declare(approval=RULE)
    label.payments(payment(ANA, "10,00", "a"), payment(BIA, "20,00", "b"))
    plan = digest_of(label.run(yes=False))
    label.receive(plan)
    label.approve(plan, "30,00", "caio")
    label.run(yes=False)
    label.payments(payment(ANA, "15,00", "a"), payment(BIA, "20,00", "b"))
    label.run(yes=False)
    (key,) = unnamed_keys(label)
    return key


def decided(label: Label, key: str, word: str, by: str) -> str:
    label.say("decide", key, f"--{word}", "--by", by, "--evidence", "a second show")
    plan = label.run(yes=False)
    assert plan.exit_code == ExitCode.APPROVAL_WANTED
    label.receive(digest_of(plan))
    return digest_of(plan)


TOTAL = {"pay": "15,00", "difference": "5,00"}


@pytest.mark.parametrize("word", TOTAL)
def test_who_decided_does_not_approve_what_is_paid_by_that_word(label, service, in_conflict, word):
    plan = decided(label, in_conflict, word, "bia")
    label.approve(plan, TOTAL[word], "bia")
    assert label.run(yes=False).exit_code == ExitCode.APPROVAL_WANTED
    assert sum(service.paid) == 3000
    label.approve(plan, TOTAL[word], "caio")
    label.run(yes=False)
    assert sum(service.paid) == {"pay": 4500, "difference": 3500}[word]


def test_whose_word_another_person_has_taken_over_has_no_part_any_more(label, service, in_conflict):
    decided(label, in_conflict, "difference", "bia")
    plan = decided(label, in_conflict, "difference", "caio")
    label.approve(plan, "5,00", "caio")
    assert label.run(yes=False).exit_code == ExitCode.APPROVAL_WANTED
    label.approve(plan, "5,00", "bia")
    label.run(yes=False)
    assert sum(service.paid) == 3500


def test_a_word_that_pays_nothing_is_no_part_in_what_else_is_paid(label, service, in_conflict):
    label.say("decide", in_conflict, "--drop", "--by", "bia", "--evidence", "a slip")
    label.payments(payment(ANA, "15,00", "a"), payment(BIA, "20,00", "b"), payment(BIA, "7,00", "c"))
    plan = digest_of(label.run(yes=False))
    label.receive(plan)
    label.approve(plan, "7,00", "bia")
    label.run(yes=False)
    assert sum(service.paid) == 3700


def planned(label: Label, *rows: object) -> str:
    label.payments(payment(ANA, "10,00", "a"), *rows)
    plan = digest_of(label.run(yes=False))
    label.receive(plan)
    return plan


def test_who_said_what_type_a_key_is_has_a_part_until_others_approve_what_rests_on_it(label, service):
    label.declare(approval=RULE)
    with label.ledger() as ledger:
        ledger.pix_key_types.confirm(JOB, {"0" * 64: "cpf"}, "bia")
    first = planned(label)
    label.approve(first, "10,00", "bia")
    assert label.run(yes=False).exit_code == ExitCode.APPROVAL_WANTED
    label.approve(first, "10,00", "caio")
    label.run(yes=False)
    label.approve(planned(label, payment(BIA, "20,00", "b")), "20,00", "bia")
    label.run(yes=False)
    assert sum(service.paid) == 3000


def test_what_a_night_found_in_the_folder_wants_one_approval_more(label, service):
    label.declare(approval=RULE)
    label.payments(payment(ANA, "10,00", "a"))
    run_night(label.folder, by="ana")
    (plan,) = {batch["plan_digest"] for batch in label.ask("status", code=ExitCode.APPROVAL_WANTED)["planned"]}
    label.approve(plan, "10,00", "bia")
    run_night(label.folder, by="ana")
    assert not service.paid, "Bia may have put it there"
    label.approve(plan, "10,00", "caio")
    run_night(label.folder, by="ana")
    assert service.paid == [1000]


def test_two_people_take_turns_and_neither_is_kept_from_approving_by_what_lies_in_the_folder(label, service):
    label.declare(approval=RULE)
    for month, (runs, approves) in enumerate((("ana", "bia"), ("bia", "ana"), ("ana", "bia"))):
        label.payments(*(payment(ANA, "10,00", f"show {number}") for number in range(month + 1)))
        label.approve(digest_of(label.run(yes=False, by=runs)), "10,00", approves)
        label.run(yes=False, by=runs)
    assert service.paid == [1000] * 3


def test_who_is_paid_by_a_plan_does_not_approve_it(label, service):
    label.declare(approval={"above": "0.00", "identities": "declared"})
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"))
    with label.ledger() as ledger:
        for name in ("bia", "caio"):
            ledger.desk_users.add(name, [Role.APPROVER], "a hash")
    label.say("desk", "user", "payee", "bia", "--document", BIA.tax_id)
    digest = digest_of(label.run(yes=False, by="ana"))
    told = label.say("approve", digest, "--by", "bia", "--total", "30,00").output
    assert "are paid by it" in told
    label.run(yes=False, by="ana")
    assert not service.paid
    label.say("desk", "user", "payee", "bia")
    label.run(yes=False, by="ana")
    assert service.paid == [1000, 2000], "once nobody is linked to the document, her word counts"
    label.say("desk", "user", "payee", "bia", "--document", "123", code=2)


ANSWER = {"above": "0.00", "identities": "signed_in", "other_than_preparer": True}


@pytest.mark.parametrize(("changed", "counts"), [(False, True), (True, False)])
def test_a_part_in_a_declaration_ends_with_a_plan_that_somebody_else_approved(label, service, changed, counts):
    """Ana wrote the job; Bia approved a month of it. Unchanged it is nobody's, and Ana approves what Bia prepares."""
    label.declare(approval=ANSWER)
    with label.ledger() as ledger:
        for name in ("ana", "bia"):
            ledger.desk_users.add(name, [Role.APPROVER, Role.PREPARER], "a hash")

    def month(*rows: Row, prepares: str, approves: str) -> None:
        sheet = label.payments(*rows)
        with label.ledger() as ledger:
            ledger.authors.record(sha256(label.job.read_bytes()).hexdigest(), "ana")
            ledger.authors.record(sha256(sheet.read_bytes()).hexdigest(), prepares)
        digest, now = digest_of(label.run(yes=False, by=prepares)), SYSTEM_CLOCK.now()
        with label.ledger() as ledger:
            total_cents = ledger.plans.get(digest).total_cents
            word = Approval(digest, approves, ApprovalKind.SIGNED_IN, total_cents, now, now + GOOD_FOR)
            ledger.approvals.record(word)
        label.run(yes=False, by=prepares)

    first, second = payment(ANA, "10,00"), payment(BIA, "20,00")
    month(first, prepares="ana", approves="bia")
    assert service.paid == [1000]
    if changed:
        label.job.write_text(label.job.read_text("utf-8") + "# by Ana\n", "utf-8")
    month(first, second, prepares="bia", approves="ana")
    assert service.paid == ([1000, 2000] if counts else [1000])
