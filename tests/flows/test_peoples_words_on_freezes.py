"""Ledger and service disagree: nothing is sent until two people name what they have understood; settling goes on."""

import pytest
from openpyxl import load_workbook

from schemas.errors import ExitCode
from schemas.messages import Message, render
from tests.flows.books import assert_books_close, places
from tests.flows.jobs import payment, people
from tests.flows.label import summary_of

ANA, BIA, CAIO = people(3)
SLOW = {"processing_after_s": 3600, "done_after_s": 3600}
AT_ONCE = {"processing_after_s": 0, "done_after_s": 0}
pytestmark = pytest.mark.long


def tag_of(report_id):
    """The ledger's tag within a report id."""
    return report_id.split("-")[1]


def unfreeze(label, *tags, by=("bia", "caio"), code=0):
    words = [word for tag in tags for word in ("--accept", tag)] + [word for name in by for word in ("--by", name)]
    return label.say("unfreeze", *words, "--evidence", "the other team has its own jobs", code=code)


def run_with_a_persons_eye(label, total):
    """Whoever lets sending go on has one look at what is planned then: the other ledger may have paid it."""
    waiting = label.run()
    assert waiting.exit_code == ExitCode.APPROVAL_WANTED
    label.approve(summary_of(waiting)["plan_digest"], total, "dora")
    report = label.run(yes=False)
    assert report.exit_code == ExitCode.DONE
    return report


@pytest.fixture
def another_team(label, service, monkeypatch):
    """Let a team with a ledger of its own pay through the same account; return its ledger's tag."""
    folders = iter("bcd")

    def pay(who, amount):
        home = label.folder.parent / "home"
        monkeypatch.setenv("REPASSE_HOME", str(label.folder.parent / next(folders)))
        label.payments(payment(who, amount))
        if label.run().exit_code == ExitCode.FROZEN:  # it finds our ledger as we find theirs
            unfreeze(label, *label.ask("status", code=31)["freeze"]["tags"])
            run_with_a_persons_eye(label, amount)
        monkeypatch.setenv("REPASSE_HOME", str(home))
        return tag_of(service.reports[-1]["reportId"])

    return pay


@pytest.fixture
def frozen(label, service, another_team):
    """A run that found a second ledger on the account; return the run and the ledger's tag."""
    tag = another_team(BIA, "5,00")
    label.payments(payment(ANA, "10,00"))
    return label.run(), tag


@pytest.mark.journey
@pytest.mark.usefixtures("workbooks")
def test_a_second_ledger_freezes_the_sending_and_everybody_is_told(label, service, frozen):
    report, tag = frozen
    summary = summary_of(report)
    assert (report.exit_code, summary["state"], places(summary)) == (31, "frozen", {"planned": 1000})
    assert f"repasse unfreeze --accept {tag} --by A --by B" in report.messages[0]
    assert service.paid == [500]
    (workbook,) = (path for path in report.outputs if path.suffix == ".xlsx")
    told = [cell for row in load_workbook(workbook).worksheets[0].iter_rows(values_only=True) for cell in row]
    assert any("envios parados" in str(cell) for cell in told)
    status = label.ask("status", code=31)
    assert status["freeze"]["tags"] == [tag]
    assert tag in label.say("status", code=31).stdout
    label.say("settle", code=31)


def test_two_people_who_name_the_ledger_let_the_sending_go_on_for_good(label, service, frozen, another_team):
    _, tag = frozen
    unfreeze(label, tag)
    status = label.ask("status", code=ExitCode.NOT_SENT)
    assert status["freeze"] is None
    assert [(statu["kind"], statu["amount_cents"]) for statu in status["waits"]] == [("not_sent", 1000)]
    label.payments(payment(ANA, "10,00"))
    report = run_with_a_persons_eye(label, "10,00")
    assert places(summary_of(report)) == {"paid": 1000}
    assert service.paid == [500, 1000]
    another = another_team(BIA, "7,00")
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"))
    assert label.run().exit_code == ExitCode.FROZEN
    assert label.ask("status", code=31)["freeze"]["tags"] == [another]


@pytest.mark.parametrize(
    ("tags", "by", "code"),
    [
        (["wxyzab"], ("bia", "caio"), 2),
        (["TAG", "wxyzab"], ("bia", "caio"), 2),
        (["TAG"], ("bia",), 14),
        (["TAG"], ("bia", "Bia "), 14),
        (["TAG"], ("bia", " "), 14),
    ],
    ids=["another tag", "one too many", "one person", "one person twice", "nobody else"],
)
def test_a_freeze_is_lifted_by_two_people_and_exactly_by_name(label, service, frozen, tags, by, code):
    _, tag = frozen
    unfreeze(label, *(tag if word == "TAG" else word for word in tags), by=by, code=code)
    assert label.run().exit_code == ExitCode.FROZEN
    assert label.ask("status", code=31)["freeze"]["tags"] == [tag]
    assert service.posts == 1


def test_nothing_is_lifted_where_nothing_is_frozen_or_nobody_says_why(label, frozen):
    _, tag = frozen
    label.say("unfreeze", "--accept", tag, "--by", "bia", "--by", "caio", "--evidence", " ", code=2)
    unfreeze(label, tag)
    unfreeze(label, tag, code=2)


def test_a_freeze_stands_whether_or_not_the_list_still_shows_why(label, service):
    label.payments(payment(ANA, "10,00"))
    with label.ledger() as ledger:
        ledger.freeze.put(Message("attempt.evidence", text="money went twice"), ["rp-1"])
    report = label.run()
    assert report.exit_code == ExitCode.FROZEN
    assert places(summary_of(report)) == {"planned": 1000}
    assert (service.posts, service.checks) == (0, 0)
    unfreeze(label, "rp-1")
    assert label.run().exit_code == ExitCode.DONE


def test_looking_again_and_again_finds_the_same_disagreement_once(label, frozen):
    label.run()
    label.say("settle", code=31)
    with label.ledger() as ledger:
        assert render(ledger.freeze.current().reason, "pt-BR").count("também envia") == 1


def test_settling_goes_on_while_the_sending_is_frozen(label, service, another_team):
    label.declare(settle={"every_s": "0.1", "for_s": "0.2"})
    service.behave(**SLOW)
    label.payments(payment(ANA, "10,00"))
    still_open = label.run()
    assert still_open.exit_code == ExitCode.STILL_OPEN
    service.behave(**AT_ONCE)
    tag = another_team(BIA, "5,00")
    label.say("settle", code=31)
    summary = summary_of(still_open)
    assert_books_close(summary)
    assert (summary["exit_code"], places(summary)) == (0, {"paid": 1000})
    unfreeze(label, tag)
    label.say("settle")


def test_a_report_lost_with_its_ledger_is_understood_by_its_name(label, service, monkeypatch):
    label.payments(payment(ANA, "10,00"))
    with label.ledger() as ledger:
        tag = ledger.tag
    label.run()
    (lost,) = service.reports
    (label.folder.parent / "home" / "ledger.db").rename(label.folder.parent / "kept.db")
    for leftover in (label.folder.parent / "home").glob("ledger.db*"):
        leftover.unlink()
    assert label.run().exit_code == ExitCode.FROZEN
    assert label.ask("status", code=31)["freeze"]["tags"] == [tag]
    assert tag == tag_of(lost["reportId"])
    assert service.posts == 1


def test_what_a_lost_ledger_has_paid_is_not_paid_by_a_flag_once_its_reports_are_accepted(label, service):
    """The list is another by now: its batches are none that the service shows."""
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"))
    label.run()
    for leftover in (label.folder.parent / "home").glob("ledger.db*"):
        leftover.unlink()
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"), payment(CAIO, "30,00"))
    label.run()
    tags = label.ask("status", code=31)["freeze"]["tags"]
    unfreeze(label, *tags)
    assert label.run().exit_code == ExitCode.FROZEN  # the acts that this machine has seen are lost, too
    label.say("policy", "seal-again", "--by", "ana", "--by", "bia", "--why", "the disk broke")
    report = label.run()
    assert (report.exit_code, service.posts) == (ExitCode.APPROVAL_WANTED, 1)
    assert any(tags[0] in message for message in report.messages)
    label.approve(summary_of(report)["plan_digest"], "60,00", "dora")
    label.run(yes=False)
    assert service.posts == 2
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"), payment(CAIO, "30,00"), payment(ANA, "5,00", "extra"))
    assert label.run().exit_code == ExitCode.DONE  # it was asked once


def test_a_plan_says_that_nothing_can_be_sent(label, service, another_team):
    another_team(BIA, "20,00")
    label.payments(payment(ANA, "10,00"))
    label.run()
    said = label.say("plan", label.job).output
    assert "unfreeze" in said
    assert any("unfreeze" in reason for reason in label.ask("plan", label.job)["review_reasons"])


def test_a_plan_says_that_sending_is_on_hold(label):
    label.payments(payment(ANA, "10,00"))
    label.say("hold", "--by", "dora", "--why", "wrong month")
    assert "wrong month" in label.say("plan", label.job).output
