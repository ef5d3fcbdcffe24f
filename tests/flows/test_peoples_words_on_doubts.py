"""A doubt the service does not settle is settled by people: it is this report, or the service never received it."""

import httpx
import pytest
from openpyxl import load_workbook

from flows.acts.forms import DeclareAbsent
from flows.cli.acts import perform_here
from schemas.errors import ApprovalWanted, DecisionRefused, ExitCode, NotSent, SendingFrozen
from schemas.messages import Message, render
from schemas.submission import SubmissionState
from tests.flows.books import assert_books_close, places
from tests.flows.jobs import declare, payment, people
from tests.flows.label import Label, summary_of
from tests.flows.moments import later
from tests.flows.oracle import CREATE, LIST

ANA, BIA, CAIO = people(3)
NAMELESS = {"echo_report_id": False, "echo_name": False}
UNLISTED = {"listing_delay_s": 3600}
SLOW = {"processing_after_s": 3600, "done_after_s": 3600}
LISTED = {"listing_delay_s": 0}
pytestmark = pytest.mark.long


@pytest.fixture
def two(label):
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"))
    return label


@pytest.fixture
def nameless(two, service):
    """A run whose answer was lost, at a service that names reports itself: its report is there, unproven."""
    service.behave(**NAMELESS | UNLISTED)
    service.plant(CREATE, "drop", when="after")
    report = two.run()
    assert report.exit_code == ExitCode.IN_DOUBT
    service.behave(**LISTED)
    service.force(paymentBatchName="Lote 7")
    return report


def pay_another(label, reais):
    """Pay something else, in a report of a job of its own: whatever the list shows, it shows this one."""
    label.write(f"other-{reais}.xlsx", [payment(CAIO, f"{reais},00")])
    sources = [{"files": f"other-{reais}.xlsx", "layout": "payments"}]
    label.job, job = declare(label.folder / f"other-{reais}.yaml", job=f"other-{reais}", sources=sources), label.job
    report = label.run()
    label.job = job
    return report


def lose(label, service, when):
    service.plant(CREATE, "drop", when=when)
    report = label.run()
    assert report.exit_code == ExitCode.IN_DOUBT
    return report


@pytest.fixture
def lost(two, service):
    """A run whose request was lost: no report is there, but one of a later run is."""
    report = lose(two, service, "before")
    pay_another(two, 5)
    return report


@pytest.fixture
def unlisted(two, service):
    """A run whose answer was lost, and whose report the service does not show yet; it shows one of a later run."""
    service.behave(**UNLISTED)
    report = lose(two, service, "after")
    service.force(vanished=True)
    service.behave(**LISTED)
    pay_another(two, 5)
    return report


def show(service):
    """Let the service show the report that it did not show."""
    service.force_one(service.reports[0]["split_id"], vanished=False)


def name_of(report):
    (batch,) = summary_of(report)["batches"]
    return batch["report_id"]


def link(label, report, split_id, code=0):
    return label.say("resolve", name_of(report), "--report", split_id, "--by", "bia", code=code)


def declare_absent(report, *by, evidence="the support desk says so, ticket 7", **after):
    people_said = by or ("bia", "caio")
    clock = later(**after or {"hours": 24})
    said = DeclareAbsent((name_of(report),), evidence)
    code, document = perform_here(people_said, said, as_json=False, clock=clock)
    Label.back_to_today()
    (resolved,) = document["resolved"]
    return code, resolved


def states():
    with Label.ledger() as ledger:
        return {submission.id: submission.state for submission in ledger.submissions.list(bodies=False)}


def journal_of(name):
    with Label.ledger() as ledger:
        return ledger.submissions.transitions(name)


@pytest.mark.journey
def test_a_nameless_report_that_could_be_the_one_is_proposed_and_never_taken_for_it(two, service, nameless):
    (listed,) = service.reports
    proposal = f"repasse resolve {name_of(nameless)} --report {listed['split_id']}"
    again = two.run()
    assert any(proposal in message for message in again.messages)
    assert places(summary_of(again)) == {"in_doubt": 3000}
    assert proposal in two.ask("status", code=22)["in_doubt"][0]["reason"]
    assert proposal in two.say("status", code=22).stdout
    assert proposal in two.say("settle", code=22).stdout
    assert two.run().exit_code == ExitCode.IN_DOUBT
    assert service.posts == 1


@pytest.mark.journey
def test_a_doubt_linked_to_its_report_settles_and_its_run_is_told_anew(two, service, nameless):
    (listed,) = service.reports
    (resolved,) = two.ask("resolve", name_of(nameless), "--report", listed["split_id"], "--by", "bia")["resolved"]
    assert (resolved["state"], resolved["split_id"]) == ("accepted", listed["split_id"])
    assert journal_of(name_of(nameless))[-1].by == "bia"
    two.say("settle")
    summary = summary_of(nameless)
    assert_books_close(summary)
    assert (summary["exit_code"], summary["state"], places(summary)) == (0, "done", {"paid": 3000})
    assert two.ask("status")["in_doubt"] == []
    again = two.run()
    assert places(summary_of(again)) == {"duplicate": 3000}
    assert service.posts == 1


def assert_refused_and_unchanged(label, report, service, split_id, said):
    before = journal_of(name_of(report))
    assert said in link(label, report, split_id, code=2).output
    assert states()[name_of(report)] is SubmissionState.IN_DOUBT
    assert journal_of(name_of(report)) == before
    assert label.run().exit_code == ExitCode.IN_DOUBT


@pytest.mark.parametrize(
    ("forced", "said"),
    [
        ({"totalAmount": 30.01}, "total"),
        ({"taxId": "11222333000181"}, "payer"),
        ({"currency": "USD"}, "currency"),
        ({"pendingPayments": 1}, "number of payments"),
        ({"reportId": "rp-7"}, "name"),  # not as any ledger names: that would freeze
    ],
)
def test_a_report_that_says_otherwise_is_refused(two, service, nameless, forced, said):
    service.force(**forced)
    assert_refused_and_unchanged(two, nameless, service, service.reports[0]["split_id"], said)


def test_a_report_nobody_has_is_refused(two, service, nameless):
    assert_refused_and_unchanged(two, nameless, service, "0" * 24, "the service shows no report")


@pytest.mark.parametrize("named", ["", " ", ".", ".."])
def test_what_names_no_report_is_refused(two, service, nameless, named):
    assert "shows no report" in two.say("resolve", name_of(nameless), "--report", named, "--by", "bia", code=2).output


def test_a_report_that_is_another_submission_s_is_refused(two, service, nameless):
    service.behave(**SLOW)
    two.write("other.xlsx", [payment(CAIO, "12,00"), payment(BIA, "18,00")])
    sources = [{"files": "other.xlsx", "layout": "payments"}]
    two.job, job = declare(two.folder / "other.yaml", job="other", sources=sources), two.job
    two.run()
    two.job = job
    taken = service.reports[-1]["split_id"]
    assert_refused_and_unchanged(two, nameless, service, taken, "already")


def test_a_report_of_another_service_is_refused_before_the_key_travels_there(
    two, service, nameless, another_service, monkeypatch
):
    (listed,) = service.reports
    elsewhere = another_service()
    monkeypatch.setenv("REPASSE_API_URL", elsewhere.url)
    link(two, nameless, listed["split_id"], code=10)
    assert states()[name_of(nameless)] is SubmissionState.IN_DOUBT
    assert elsewhere.calls("GET /split/{split_id}/get") == 0


def test_two_reports_that_look_alike_are_not_proposed_and_a_person_may_still_tell_them_apart(two, service):
    two.declare(rules={"max_payments_per_batch": 1})
    two.payments(payment(ANA, "10,00"), payment(BIA, "10,00"))
    service.behave(**NAMELESS | UNLISTED)
    service.plant(CREATE, "drop", when="after", times=2)
    report = two.run()
    service.behave(**LISTED)
    two.say("settle", code=22)
    assert report.exit_code == ExitCode.IN_DOUBT
    assert not any("repasse resolve" in message for message in report.messages)
    batches, listed = summary_of(report)["batches"], service.reports
    for batch, one in zip(batches, listed, strict=True):
        two.say("resolve", batch["report_id"], "--report", one["split_id"], "--by", "bia")
    two.say("settle")
    assert places(summary_of(report)) == {"paid": 2000}
    assert service.posts == 2


def test_a_proposal_is_taken_back_when_a_second_report_could_be_it_too(two, service, nameless, monkeypatch):
    monkeypatch.setenv("REPASSE_HOME", str(two.folder / "another-team"))
    two.run()
    monkeypatch.setenv("REPASSE_HOME", str(two.folder.parent / "home"))
    assert len(service.reports) == 2
    two.say("settle", code=22)
    (waiting,) = two.ask("status", code=22)["in_doubt"]
    assert "repasse resolve" not in waiting["reason"]


@pytest.mark.parametrize("words", [[], ["--absent", "--report", "x"], ["--absent", "--by", "bia", "--by", "caio"]])
def test_a_word_that_says_nothing_or_everything_at_once_is_refused(two, lost, words):
    two.say("resolve", name_of(lost), *words, code=2)
    assert states()[name_of(lost)] is SubmissionState.IN_DOUBT


def test_only_what_is_in_doubt_can_be_resolved(two, service):
    report = two.run()
    for name in (name_of(report), "rp-nobody"):
        two.say("resolve", name, "--report", service.reports[0]["split_id"], code=2)
    with pytest.raises(DecisionRefused, match="not in doubt"):
        declare_absent(report)
    assert service.posts == 1


@pytest.mark.parametrize(
    ("by", "after", "refusal"),
    [
        (("bia", "caio"), {"hours": 23.9}, DecisionRefused),
        (("bia",), {"hours": 25}, ApprovalWanted),
        (("bia", " BIA "), {"hours": 25}, ApprovalWanted),
        (("bia", "Ana"), {"hours": 25}, ApprovalWanted),
        (("ana", "bia", "caio"), {"hours": 25}, ApprovalWanted),
    ],
    ids=["too early", "one person", "one person twice", "the sender", "the sender and two"],
)
def test_absence_takes_a_day_and_two_people_who_did_not_send_it(two, service, lost, by, after, refusal):
    with pytest.raises(refusal):
        declare_absent(lost, *by, **after)
    assert states()[name_of(lost)] is SubmissionState.IN_DOUBT
    assert two.run().exit_code == ExitCode.IN_DOUBT
    assert service.posts == 2


def test_absence_is_not_declared_on_the_command_line_before_a_day_has_passed(two, lost):
    words = ("--absent", "--by", "bia", "--by", "caio", "--evidence", "ticket 7")
    assert "a day after it was sent" in two.say("resolve", name_of(lost), *words, code=2).output


def test_absence_is_not_declared_when_the_service_cannot_be_asked(two, service, lost):
    service.plant(LIST, "status", when="before", status=400, times=None)
    with pytest.raises(NotSent):
        declare_absent(lost)
    assert states()[name_of(lost)] is SubmissionState.IN_DOUBT


def test_what_is_absent_is_sent_once_more_under_a_new_name_and_the_same_payments(two, service, lost):
    code, told = declare_absent(lost)
    assert (code, told["state"]) == (ExitCode.DONE, "approved")
    assert told["submission"] != name_of(lost)
    assert service.posts == 2
    assert two.ask("status", code=21)["approved"][0]["report_id"] == told["submission"]
    report = two.run(yes=False)
    assert report.exit_code == ExitCode.DONE
    assert places(summary_of(report)) == {"paid": 3000}
    _, created = service.reports
    with Label.ledger() as ledger:
        first = [payment.obligation_key for payment in ledger.claims.payments_of(name_of(lost))]
    assert (created["reportId"], created["extPaymentIds"]) == (told["submission"], first)
    assert places(summary_of(two.run())) == {"duplicate": 3000}
    assert service.posts == 3


def test_a_report_that_turns_up_in_the_last_look_is_accepted_instead(two, service, unlisted):
    show(service)
    _, told = declare_absent(unlisted)
    assert (told["submission"], told["state"]) == (name_of(unlisted), "accepted")
    two.say("settle")
    assert places(summary_of(unlisted)) == {"paid": 3000}
    assert places(summary_of(two.run())) == {"duplicate": 3000}
    assert service.posts == 2


def test_a_report_that_turns_up_before_its_next_attempt_is_sent_takes_its_place(two, service, unlisted):
    _, told = declare_absent(unlisted)
    show(service)
    report = two.run()
    assert states()[name_of(unlisted)] is SubmissionState.PAID
    assert states()[told["submission"]] is SubmissionState.WITHDRAWN
    assert places(summary_of(report)) == {"duplicate": 3000}
    assert service.posts == 2


def test_a_report_that_turns_up_after_its_next_attempt_was_sent_is_an_alarm_that_money_went_twice(
    two, service, unlisted
):
    declare_absent(unlisted)
    assert two.run().exit_code == ExitCode.DONE
    show(service)
    two.payments(payment(ANA, "10,00"), payment(BIA, "20,00"), payment(CAIO, "30,00"))
    report = two.run()
    assert report.exit_code == ExitCode.FROZEN
    assert f"{name_of(unlisted)} apareceu depois: 2 de seus pagamentos" in report.messages[0]
    assert service.paid == [500, 1000, 1000, 2000, 2000]
    status = two.ask("status", code=31)
    assert status["freeze"]["tags"] == [name_of(unlisted)]
    assert two.run().exit_code == ExitCode.FROZEN
    assert service.posts == 3


def test_a_nameless_report_that_could_be_it_is_not_declared_absent_unless_both_have_seen_it(two, service, nameless):
    (listed,) = service.reports
    with pytest.raises(DecisionRefused, match=listed["split_id"]):
        declare_absent(nameless)
    assert states() == {name_of(nameless): SubmissionState.IN_DOUBT}
    _, told = declare_absent(nameless, evidence=f"{listed['split_id']} was made by hand in the portal")
    assert told["state"] == "approved"


def test_a_nameless_report_found_by_hand_after_the_next_attempt_was_sent_raises_the_same_alarm(two, service, nameless):
    (listed,) = service.reports
    declare_absent(nameless, evidence=f"{listed['split_id']} was made by hand in the portal")
    service.behave(**SLOW)
    two.declare(settle={"every_s": "0.1", "for_s": "0"})
    assert two.run().exit_code == ExitCode.STILL_OPEN
    link(two, nameless, listed["split_id"], code=31)
    assert states()[name_of(nameless)] is SubmissionState.ACCEPTED
    assert two.ask("status", code=31)["freeze"]["tags"] == [name_of(nameless)]


def test_absence_is_not_declared_while_ledger_and_service_disagree(two, service, lost):
    with Label.ledger() as ledger:
        ledger.freeze.put(Message("attempt.evidence", text="a second ledger"), ["wxyzab"])
    with pytest.raises(SendingFrozen):
        declare_absent(lost)
    assert states()[name_of(lost)] is SubmissionState.IN_DOUBT


def test_nothing_absent_is_sent_while_sending_is_on_hold(two, service, lost):
    declare_absent(lost)
    two.say("hold", "--by", "caio", "--why", "audit")
    report = two.run()
    assert report.exit_code == ExitCode.NOT_SENT
    assert service.posts == 2
    two.say("release", "--by", "caio")
    assert two.run().exit_code == ExitCode.DONE
    assert service.paid == [500, 1000, 2000]


# --- what a list must show to speak for an absence ------------------------------------------------------------------


@pytest.mark.parametrize("after", [False, True])
def test_a_list_that_shows_nothing_from_after_it_speaks_for_no_absence(two, service, after):
    """A list that ends too early would look the same; people are told how to get one that does not."""
    pay_another(two, 4)
    report = lose(two, service, "before")
    if after:
        pay_another(two, 5)
        assert declare_absent(report)[1]["state"] == "approved"
        return
    with pytest.raises(DecisionRefused, match=r"accepted after it.*--one-more"):
        declare_absent(report)
    assert states()[name_of(report)] is SubmissionState.IN_DOUBT


@pytest.mark.parametrize("hidden", [0, 1], ids=["before", "after"])
def test_a_list_that_lacks_our_reports_of_that_time_speaks_for_no_absence(two, service, hidden):
    pay_another(two, 4)
    report = lose(two, service, "before")
    pay_another(two, 5)
    neighbour = service.reports[hidden]
    service.force_one(neighbour["split_id"], vanished=True)
    with pytest.raises(DecisionRefused, match=neighbour["reportId"]):
        declare_absent(report)
    assert states()[name_of(report)] is SubmissionState.IN_DOUBT
    pay_another(two, 6)
    _, told = declare_absent(report, evidence=f"{neighbour['reportId']} was deleted in the portal, ticket 7")
    assert told["state"] == "approved"


def test_nothing_from_before_is_asked_for_where_nothing_was_sent_before(two, service, lost):
    assert declare_absent(lost)[1]["state"] == "approved"


# --- several with one evidence ---------------------------------------------------------------------------------------


@pytest.fixture
def three_lost(label, service):
    """Three reports of one payment each were lost; one from before and one from after are there."""
    label.declare(rules={"max_payments_per_batch": 1})
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"), payment(CAIO, "30,00"))
    pay_another(label, 4)
    service.plant(CREATE, "drop", when="before", times=3)
    report = label.run()
    pay_another(label, 5)
    return [batch["report_id"] for batch in summary_of(report)["batches"]]


def absent_all(names, by=("bia", "caio"), **after):
    said = DeclareAbsent(tuple(names), "ticket 7")
    _, document = perform_here(by, said, as_json=False, clock=later(**after or {"hours": 25}))
    Label.back_to_today()
    return document["resolved"]


def test_many_are_declared_absent_on_one_evidence(label, service, three_lost):
    document = absent_all(three_lost)
    assert [(one["of"], one["state"]) for one in document] == [(name, "approved") for name in three_lost]
    assert label.run(yes=False).exit_code == ExitCode.DONE
    assert service.paid == [400, 500, 1000, 2000, 3000]


def test_one_that_cannot_be_declared_stops_them_all_and_each_is_told(label, service, three_lost):
    with pytest.raises(DecisionRefused, match="nothing was recorded of any") as refused:
        absent_all([*three_lost, "rp-nobody", "rp-nobody-either"])
    assert refused.value.message.count("rp-nobody") == 2
    assert [states()[name] for name in three_lost] == [SubmissionState.IN_DOUBT] * 3
    with pytest.raises(DecisionRefused) as refused:
        absent_all(three_lost, hours=1)
    assert all(name in render(refused.value.content, "pt-BR") for name in three_lost)


def test_one_of_many_that_is_there_after_all_is_accepted_and_the_others_are_declared(label, service, three_lost):
    create_by_hand(service, label, three_lost[1])
    document = absent_all(three_lost)
    assert [one["state"] for one in document] == ["approved", "accepted", "approved"]


def create_by_hand(service, label, name):
    """Let the very body of a submission arrive after all; returns the report's id."""
    with Label.ledger() as ledger:
        body = ledger.submissions.get(name).body
    headers = {"Authorization": service.api_key, "Content-Type": "application/json"}
    return httpx.post(f"{service.url}/split", headers=headers, content=body).raise_for_status().json()["_id"]


# --- by likeness -----------------------------------------------------------------------------------------------------


@pytest.fixture
def alike(two, service):
    """A run whose answer was lost, at a service that echoes nothing: one report there is like it, and no other."""
    service.behave(**NAMELESS)
    service.plant(CREATE, "drop", when="after")
    report = two.run()
    service.behave(echo_report_id=True, echo_name=True)
    return report


@pytest.mark.usefixtures("workbooks")
def test_where_nothing_is_echoed_the_only_report_that_is_like_it_is_linked_and_marked(two, service, alike):
    (listed,) = service.reports
    summary = summary_of(alike)
    assert (alike.exit_code, places(summary), service.posts) == (ExitCode.DONE, {"paid": 3000}, 1)
    (batch,) = summary["batches"]
    assert (batch["split_id"], batch["linked_by"]) == (listed["split_id"], "likeness")
    assert any("semelhança" in message and "--unlink" in message for message in alike.messages)
    (found,) = (line for line in journal_of(name_of(alike)) if line.after is SubmissionState.ACCEPTED)
    assert "by likeness" in str(found.reason)
    (path,) = (path for path in alike.outputs if path.name == "reconciliation.xlsx")
    cells = [str(cell) for sheet in load_workbook(path) for row in sheet.iter_rows(values_only=True) for cell in row]
    assert "pago, por semelhança" in cells
    assert places(summary_of(two.run())) == {"duplicate": 3000}
    assert service.posts == 1


def test_a_report_that_bears_its_name_later_shows_that_the_likeness_was_wrong(two, service, alike):
    (wrong,) = service.reports
    right = create_by_hand(service, two, name_of(alike))
    service.force_one(wrong["split_id"], reportId=None, paymentBatchName=None)
    frozen = two.run()
    assert frozen.exit_code == ExitCode.FROZEN
    assert two.ask("status", code=31)["freeze"]["tags"] == [name_of(alike)]
    unlink = ("resolve", name_of(alike), "--unlink", "--evidence", "seen in the portal")
    two.say(*unlink, "--by", "bia", code=14)
    (resolved,) = two.ask(*unlink, "--by", "bia", "--by", "caio")["resolved"]
    assert resolved["state"] == "in_doubt"
    words = ("--by", "bia", "--by", "caio", "--evidence", "seen in the portal")
    two.say("unfreeze", "--accept", name_of(alike), *words)
    two.say("settle")
    with Label.ledger() as ledger:
        (stands,) = ledger.submissions.list()
    assert (stands.split_id, stands.state) == (right, SubmissionState.PAID)
    assert service.posts == 2  # the second was made by hand, above


def test_a_link_that_was_taken_back_is_never_made_again_by_itself(two, service, alike):
    service.behave(**NAMELESS)
    words = ("--unlink", "--by", "bia", "--by", "caio", "--evidence", "another team made that one by hand")
    two.say("resolve", name_of(alike), *words)
    report = two.run()
    assert (report.exit_code, service.posts) == (ExitCode.IN_DOUBT, 1)
    assert any("repasse resolve" in message and "--report" in message for message in report.messages)
    two.say("resolve", name_of(alike), *words, code=2)


def no_funds(label, service, when, status=402):
    service.plant(CREATE, "status", when=when, status=status)
    report = label.run()
    assert report.exit_code == ExitCode.IN_DOUBT
    return name_of(report), report


def say_absent(label, name, code=0):
    words = ("--absent", "--by", "bia", "--by", "caio", "--evidence", "no balance that day")
    return label.say("resolve", name, *words, code=code).output


def test_what_was_answered_with_no_funds_need_not_wait_a_day_and_is_sent_once_there_are_some(two, service):
    name, report = no_funds(two, service, "before")
    assert any("não há dinheiro" in message for message in report.messages)
    assert service.paid == []
    say_absent(two, name)
    assert two.run().exit_code == ExitCode.DONE
    assert service.paid == [1000, 2000]


def test_a_report_that_is_there_though_the_answer_said_no_funds_is_found_and_not_sent_again(two, service):
    service.plant(CREATE, "status", when="after", status=402)
    service.behave(**UNLISTED)
    assert two.run().exit_code == ExitCode.IN_DOUBT
    service.behave(**LISTED)
    (name,) = states()
    say_absent(two, name)  # the last look finds it
    assert two.run().exit_code == ExitCode.DONE
    assert service.paid == [1000, 2000]


@pytest.mark.parametrize(("status", "assumed"), [(403, ""), (402, "409"), (500, "")])
def test_any_other_answer_waits_its_day(two, service, monkeypatch, status, assumed):
    if assumed:
        monkeypatch.setenv("REPASSE_ASSUME_NO_FUNDS_STATUSES", assumed)
    name, _ = no_funds(two, service, "before", status)
    say_absent(two, name, code=ExitCode.USAGE)
    assert service.paid == []
