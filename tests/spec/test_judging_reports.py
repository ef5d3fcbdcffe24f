"""What a report's status and figures prove. Null is never zero; what cannot be proven is partial."""

import pytest

from flows.steps.judge_report import judge_report
from schemas.submission import SubmissionState
from tests.spec.reports import report, submission
from tests.spec.tables import table

S = SubmissionState
WIRE = {
    "status": "status", "done": "donePayments", "kept": "withholdPayments", "open": "pendingPayments",
    "paid": "paidAmount", "back": "withholdAmount", "tax": "irAmount", "fee": "feeAmount", "left": "pendingAmount",
}  # fmt: skip
COUNTS = {"done", "kept", "open"}

# Two payments over 100.00, of which 10.00 are the owner's.
CASES = table(
    """
    | what                       | status     | done | kept | open | paid   | back  | tax  | fee  | left  | is         |
    | all paid                   | DONE       | 2    |      |      | 100.00 |       |      |      |       | paid       |
    | all paid, else zeros       | DONE       | 2    | 0    | 0    | 100.00 | 0.00  | 0.00 | 0.00 | 0.00  | paid       |
    | closed is as good as done  | CLOSED     | 2    | 0    | 0    | 100.00 |       |      |      |       | paid       |
    | one held back on demand    | DONE       | 1    | 1    | 0    | 70.00  | 30.00 |      |      |       | paid       |
    | income tax kept back       | DONE       | 2    | 0    | 0    | 92.50  |       | 7.50 |      |       | paid       |
    | the fee taken out of it    | DONE       | 2    | 0    | 0    | 99.65  |       |      | 0.35 |       | paid       |
    | without the owner's part   | DONE       | 2    | 0    | 0    | 90.00  |       |      |      |       | paid       |
    | kept, taxed, with a fee    | DONE       | 1    | 1    | 0    | 50.00  | 30.00 | 9.65 | 0.35 |       | paid       |
    | no figures at all          | DONE       |      |      |      |        |       |      |      |       | paid       |
    | no amount                  | DONE       | 2    |      |      |        |       |      |      |       | paid       |
    | no count                   | DONE       |      |      |      | 100.00 |       |      |      |       | paid       |
    | one payment short          | DONE       | 1    | 0    | 0    | 100.00 |       |      |      |       | partial    |
    | one short, one not said    | DONE       | 1    |      |      | 70.00  | 30.00 |      |      |       | partial    |
    | one payment too many       | DONE       | 3    | 0    | 0    | 100.00 |       |      |      |       | partial    |
    | one still pending          | DONE       | 2    | 0    | 1    | 100.00 |       |      |      |       | partial    |
    | something still to pay     | DONE       | 2    | 0    | 0    | 100.00 |       |      |      | 0.01  | partial    |
    | a centavo short, no reason | DONE       | 2    | 0    | 0    | 99.99  |       |      |      |       | partial    |
    | a centavo too much         | DONE       | 2    | 0    | 0    | 100.01 |       |      |      |       | partial    |
    | failed, nothing was paid   | ERROR      | 0    | 0    | 2    | 0.00   |       |      |      | 90.00 | failed     |
    | failed, silent on figures  | ERROR      |      |      |      |        |       |      |      |       | partial    |
    | failed, one was paid       | ERROR      | 1    | 0    | 1    | 30.00  |       |      |      |       | partial    |
    | failed, amount not said    | ERROR      | 0    |      |      |        |       |      |      |       | partial    |
    | failed, count not said     | ERROR      |      |      |      | 0.00   |       |      |      |       | partial    |
    | taken out by the service   | EXCLUDED   | 0    |      |      |        |       |      |      |       | excluded   |
    | not begun                  | PENDING    |      |      |      |        |       |      |      |       | processing |
    | under way                  | PROCESSING | 1    |      | 1    | 30.00  |       |      |      |       | processing |
    | an unheard-of status       | SCHEDULED  | 2    |      |      | 100.00 |       |      |      |       | accepted   |
    | no status                  |            | 2    |      |      | 100.00 |       |      |      |       | accepted   |
    """
)


def said(case):
    fields = {WIRE[name]: value for name, value in case.items() if name in WIRE and value}
    return report(**{name: int(v) if name in {WIRE[c] for c in COUNTS} else v for name, v in fields.items()})


@pytest.mark.parametrize("case", CASES, ids=[case["what"] for case in CASES])
def test_a_report_is_what_its_figures_prove(case):
    judged = judge_report(submission(owner_cents=1_000), said(case))
    assert judged.state.value == case["is"], judged.reason


@pytest.mark.parametrize(
    ("figures", "reason"),
    [
        ({}, "not verified: the service did not say donePayments and paidAmount"),
        ({"donePayments": 2}, "not verified: the service did not say paidAmount"),
        ({"donePayments": 2, "paidAmount": "100.00"}, ""),
    ],
)
def test_paid_without_figures_is_marked_unverified(figures, reason):
    judged = judge_report(submission(), report(status="DONE", **figures))
    assert (judged.state, judged.reason) == (S.PAID, reason)


def test_an_unknown_status_is_shown_as_it_is():
    assert "'SCHEDULED'" in judge_report(submission(), report(status="SCHEDULED")).reason


def kinds(judged):
    return [one.kind for one in judged.discrepancies]


@pytest.mark.parametrize(
    ("figures", "kind", "expected", "found"),
    [
        ({"totalAmount": "99.99"}, "total", "100.00", "99.99"),
        ({"currency": "USD"}, "currency", "BRL", "USD"),
        ({"paidAmount": "100.01"}, "overpaid", "100.00", "100.01"),
    ],
)
def test_what_the_report_says_otherwise_than_planned_is_a_discrepancy(figures, kind, expected, found):
    (one,) = judge_report(submission(), report(status="PROCESSING", **figures)).discrepancies
    assert (one.kind, one.report_id, one.expected, one.found) == (kind, "rp-1", expected, found)


def test_a_report_that_says_what_was_planned_is_no_discrepancy():
    agreed = report(status="DONE", donePayments=2, paidAmount="100.00", totalAmount="100.00", currency="BRL")
    assert judge_report(submission(), agreed).discrepancies == ()


@pytest.mark.parametrize(
    ("state", "before", "now"),
    [
        (S.PAID, "DONE", "PROCESSING"),
        (S.PAID, "DONE", "ERROR"),
        (S.FAILED, "ERROR", "PENDING"),
        (S.EXCLUDED, "EXCLUDED", "DONE"),
    ],
)
def test_a_status_that_goes_back_is_an_alarm_and_never_opens_a_payment_again(state, before, now):
    judged = judge_report(submission(state=state, status=before), report(status=now))
    assert judged.state is state
    assert kinds(judged) == ["status_changed"]


def test_a_status_that_stays_is_no_news():
    judged = judge_report(submission(state=S.PAID, status="DONE", reason="as before"), report(status="DONE"))
    assert (judged.state, judged.reason, judged.discrepancies) == (S.PAID, "as before", ())


def test_a_paid_report_that_pays_more_later_is_an_alarm():
    judged = judge_report(submission(state=S.PAID, status="DONE"), report(status="DONE", paidAmount="200.00"))
    assert (judged.state, kinds(judged)) == (S.PAID, ["overpaid"])
