"""The service's list against the ledger: what was lost is found, what nobody here knows stops sending."""

import pytest

from flows.reports.rules.report_list import compare_listing, find_doubtful, made_before
from schemas.messages import render
from schemas.plan import names_of, report_id
from schemas.submission import SentReport, SubmissionState
from tests.spec.reports import report, submission

OURS, SECOND = (report_id("abcd", content, 1) for content in ("one", "two"))
OTHER_LEDGER = report_id("wxyz", "one", 1)


def found(reports, name=OURS):
    (finding,) = find_doubtful([submission(name, state=SubmissionState.IN_DOUBT)], reports)
    return [match.id for match in finding.matches]


def alarms(*reports, known=((OURS, None),)):
    sent = [SentReport(name, split_id, "11222333000181", "BRL", 10_000) for name, split_id in dict(known).items()]
    seen = compare_listing(reports, sent, ledger_tag="abcd")
    return [(alarm.kind, alarm.tag) for alarm in seen]


@pytest.mark.parametrize(
    ("listed", "why"),
    [
        ({"reportId": OURS}, "by its report id"),
        ({"paymentBatchName": f"Selo Aurora 2026-10 [{OURS}]"}, "by the token in its name"),
        ({"reportId": None, "paymentBatchName": f"[x] Selo [{OURS}]"}, "by the last token, whatever a job is called"),
        ({"reportId": OURS, "paymentBatchName": f"Selo [{OURS}]"}, "by both, once"),
        (
            {"reportId": "renamed", "paymentBatchName": f"Selo [{OURS}]"},
            "by the name, when the service made its own id",
        ),
    ],
)
def test_a_doubtful_report_is_found(listed, why):
    assert found([report(_id="s-9"), report(_id="s-1", **listed)]) == ["s-1"], why


@pytest.mark.parametrize(
    "listed",
    [
        {},
        {"reportId": SECOND},
        {"paymentBatchName": OURS},
        {"paymentBatchName": f"[{OURS}] Selo"},
        {"reportId": OURS[:-1]},
    ],
    ids=["nameless", "another", "not in brackets", "not at the end", "cut"],
)
def test_a_report_that_bears_another_name_proves_nothing(listed):
    assert found([report(_id="s-1", **listed)]) == []


def test_two_reports_of_one_name_are_both_shown():
    assert found([report(_id="s-1", reportId=OURS), report(_id="s-2", paymentBatchName=f"Selo [{OURS}]")]) == [
        "s-1",
        "s-2",
    ]


def test_every_doubt_is_answered_on_its_own():
    doubts = [submission(name, state=SubmissionState.IN_DOUBT) for name in (OURS, SECOND)]
    findings = find_doubtful(doubts, [report(_id="s-2", reportId=SECOND)])
    assert [(f.submission.id, len(f.matches)) for f in findings] == [(OURS, 0), (SECOND, 1)]


def test_a_list_of_what_the_ledger_knows_and_of_strangers_is_no_alarm():
    strangers = [
        report(reportId="invoice-7"),
        report(paymentBatchName="Folha [rp-old]"),
        report(),
        report(reportId="rp-1-2"),
    ]
    assert alarms(report(reportId=OURS), *strangers) == []


def test_a_report_of_ours_that_the_ledger_does_not_know_was_lost_with_it():
    assert alarms(report(reportId=OURS), report(reportId=SECOND)) == [("lost_report", SECOND)]
    assert alarms(report(paymentBatchName=f"Selo [{SECOND}]")) == [("lost_report", SECOND)]


def test_a_second_ledger_on_the_account_is_named_once_by_its_tag():
    another = report_id("wxyz", "two", 1)
    assert alarms(report(reportId=OTHER_LEDGER), report(reportId=another)) == [("second_ledger", "wxyz")]


def test_a_name_that_two_reports_bear_is_an_alarm_also_when_it_is_known():
    assert alarms(report(reportId=OURS), report(reportId=OURS)) == [("duplicate_report", OURS)]


def test_a_name_is_known_in_whatever_case_it_comes_back():
    assert found([report(_id="s-1", reportId=OURS.upper())]) == ["s-1"]
    assert found([report(_id="s-1", paymentBatchName=f"SELO [{OURS.upper()}]")]) == ["s-1"]
    assert alarms(report(reportId=SECOND.title())) == [("lost_report", SECOND)]


def test_names_that_earlier_programs_gave_with_an_address_in_them_are_watched_as_well():
    before = {tag: f"rp-k3x7qa-{tag}-{'a' * 26}" for tag in ("abcd", "wxyz")}
    assert alarms(*(report(reportId=name) for name in before.values())) == [
        ("lost_report", before["abcd"]),
        ("second_ledger", "wxyz"),
    ]


def test_what_people_have_accepted_of_a_name_hides_no_other_alarm_about_it():
    twice = [report(_id="s-1", reportId=OURS), report(_id="s-2", reportId=OURS)]
    seen = compare_listing(twice, [], ledger_tag="abcd", accepted={("lost_report", OURS)})
    assert [(alarm.kind, alarm.tag) for alarm in seen] == [("duplicate_report", OURS)]


@pytest.mark.parametrize("ledger", ["abcd", "wxyz"])
def test_the_same_attempt_at_the_same_batch_is_found_under_any_ledgers_name(ledger):
    about_to_be_sent = submission(OURS, state=SubmissionState.APPROVED)
    there = [report(_id="s-1", reportId=report_id(ledger, "one", 1)), report(_id="s-2", reportId=SECOND)]
    assert [made.id for made in made_before(about_to_be_sent, there)] == ["s-1"]


@pytest.mark.parametrize("name", [report_id("abcd", "one", 2), report_id("abcd", "other", 1), "rp-abcd", ""])
def test_another_batch_or_another_attempt_at_it_is_not_it(name):
    assert made_before(submission(OURS, state=SubmissionState.APPROVED), [report(_id="s-1", reportId=name)]) == []


def test_a_report_bears_the_names_that_are_written_on_it():
    assert names_of(report(reportId=OURS, paymentBatchName=f"Selo [{SECOND}]")) == {OURS, SECOND}
    assert names_of(report(reportId="invoice", paymentBatchName="Selo [ok]")) == frozenset()


def test_a_report_that_bears_our_name_and_is_not_the_one_we_were_given_is_a_second_one():
    linked = ((OURS, "s-1"),)
    assert alarms(report(_id="s-2", reportId=OURS), known=linked) == [("duplicate_report", OURS)]
    assert alarms(report(_id="s-1", reportId=OURS), report(_id="s-2", reportId=OURS), known=linked) == [
        ("duplicate_report", OURS)
    ]
    assert alarms(report(_id="s-1", reportId=OURS), known=linked) == []
    assert alarms(report(reportId=OURS), known=linked) == []


SENT = {"_id": "s-1", "reportId": OURS, "totalAmount": "100.00", "currency": "BRL", "taxId": "11.222.333/0001-81"}


@pytest.mark.parametrize(
    ("says", "alarm"),
    [
        ({}, None),
        ({"totalAmount": "100.00000000000006"}, None),
        ({"totalAmount": None, "currency": None, "taxId": None, "reportId": None}, None),
        ({"totalAmount": "100.01"}, ("wrong_amount", f"{OURS}:amount")),
        ({"currency": "USD"}, ("wrong_currency", f"{OURS}:currency")),
        ({"taxId": "11222333000182"}, ("wrong_payer", f"{OURS}:payer")),
        ({"reportId": SECOND}, ("wrong_name", f"{OURS}:name")),
    ],
)
def test_a_report_of_ours_that_is_told_otherwise_than_it_was_sent_is_an_alarm(says, alarm):
    known = ((OURS, "s-1"), (SECOND, None))
    assert alarms(report(**SENT | says), known=known) == ([alarm] if alarm else [])


def test_what_people_have_accepted_of_one_report_is_no_alarm_again_and_other_fields_are():
    sent = [SentReport(OURS, "s-1", "11222333000181", "BRL", 10_000)]
    wrong = report(**SENT | {"totalAmount": "1.00", "currency": "USD"})
    seen = compare_listing([wrong], sent, ledger_tag="abcd", accepted={("wrong_amount", f"{OURS}:amount")})
    assert [alarm.kind for alarm in seen] == ["wrong_currency"]


@pytest.mark.parametrize("language", ["pt-BR", "en"])
def test_alarms_name_reports_and_nobody(language):
    wrong = report(**SENT | {"taxId": "98765432000198", "totalAmount": "7.00", "reportId": SECOND})
    sent = [SentReport(OURS, "s-1", "11222333000181", "BRL", 10_000)]
    texts = [render(alarm.message, language) for alarm in compare_listing([wrong], sent, ledger_tag="abcd")]
    assert len(texts) == 4
    assert not any(document in text for text in texts for document in ("98765432000198", "11222333000181"))
