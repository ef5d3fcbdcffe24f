"""What a report's status and figures prove. Null is never zero; what cannot be proven is partial."""

import pytest

from flows.reports.rules.judge_report import judge_report
from schemas.submission import SubmissionState, Withheld
from tests.spec.reports import report, submission
from tests.spec.tables import table

S = SubmissionState
WIRE = {
    "status": "status", "done": "donePayments", "kept": "withholdPayments", "open": "pendingPayments",
    "paid": "paidAmount", "back": "withholdAmount", "tax": "irAmount", "fee": "feeAmount", "left": "pendingAmount",
}  # fmt: skip
COUNTS = {"done", "kept", "open"}

# Two payments over 100.00, of which 10.00 are the owner's; what is kept was to be kept.
CASES = table(
    """
    | what                       | status     | done | kept | open | paid   | back  | tax  | fee  | left  | is |
    | all paid                   | DONE       | 2    |      |      | 100.00 |       |      |      |       | paid       |
    | all paid, else zeros       | DONE       | 2    | 0    | 0    | 100.00 | 0.00  | 0.00 | 0.00 | 0.00  | paid       |
    | closed is as good as done  | CLOSED     | 2    | 0    | 0    | 100.00 |       |      |      |       | paid       |
    | one held back on demand    | DONE       | 1    | 1    | 0    | 70.00  | 30.00 |      |      |       | paid |
    | income tax kept back       | DONE       | 2    | 0    | 0    | 92.50  |       | 7.50 |      |       | paid       |
    | the fee taken out of it    | DONE       | 2    | 0    | 0    | 99.65  |       |      | 0.35 |       | paid       |
    | without the owner's part   | DONE       | 2    | 0    | 0    | 90.00  |       |      |      |       | paid       |
    | kept, taxed, with a fee    | DONE       | 1    | 1    | 0    | 50.00  | 30.00 | 9.65 | 0.35 |       | paid |
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


# The same, DONE; asked: what people asked to hold back, of one payment.
HELD = table(
    """
    | what                       | done | kept | paid   | back   | asked  | is       |
    | one held back on demand    | 1    | 1    | 70.00  | 30.00  | 30.00  | paid     |
    | held on demand, by count   | 1    | 1    | 70.00  |        | 30.00  | partial  |
    | the same, amounts silent   | 1    | 1    |        |        | 30.00  | paid     |
    | held unasked               | 1    | 1    | 70.00  | 30.00  |        | partial  |
    | held unasked, by count     | 1    | 1    |        |        |        | partial  |
    | held unasked, by amount    |      |      | 70.00  | 30.00  |        | partial  |
    | both held, one was asked   | 0    | 2    | 0.00   | 90.00  | 30.00  | partial  |
    | more held than was asked   | 1    | 1    | 65.00  | 35.00  | 30.00  | partial  |
    | less held than was asked   | 1    | 1    | 75.00  | 25.00  | 30.00  | partial  |
    | asked to hold, all paid    | 2    | 0    | 100.00 | 0.00   | 30.00  | paid     |
    | held none, and an amount   | 2    | 0    | 70.00  | 30.00  | 30.00  | partial  |
    """
)
ASKED = Withheld(payments=1, amount_cents=3_000)


def said(case):
    fields = {WIRE[name]: value for name, value in case.items() if name in WIRE and value}
    return report(**{name: int(v) if name in {WIRE[c] for c in COUNTS} else v for name, v in fields.items()})


@pytest.mark.parametrize("case", CASES, ids=[case["what"] for case in CASES])
def test_a_report_is_what_its_figures_prove(case):
    judged = judge_report(submission(owner_cents=1_000), said(case), ASKED if case["kept"] == "1" else Withheld())
    assert judged.state.value == case["is"], judged.reason


@pytest.mark.parametrize("case", HELD, ids=[case["what"] for case in HELD])
def test_what_was_held_back_unasked_leaves_nobody_paid_for_certain(case):
    held = said(case | {"status": "DONE"})
    judged = judge_report(submission(owner_cents=1_000), held, ASKED if case["asked"] else Withheld())
    assert judged.state.value == case["is"], judged.reason


@pytest.mark.parametrize(
    "figures",
    [
        {"paidAmount": "100.00000000000006"},
        {"paidAmount": "100.00", "withholdAmount": "0.00000000000001", "pendingAmount": "0.0000000001"},
        {"paidAmount": "92.499999999999", "irAmount": "7.5000000000003"},
    ],
)
def test_amounts_that_were_added_in_doubles_are_the_same_amounts(figures):
    judged = judge_report(submission(), report(status="DONE", donePayments=2, withholdPayments=0, **figures))
    assert (judged.state, judged.reason, judged.discrepancies) == (S.PAID, None, ())


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
    assert (judged.state, str(judged.reason or "")) == (S.PAID, reason)


def test_an_unknown_status_is_shown_as_it_is():
    assert "'SCHEDULED'" in str(judge_report(submission(), report(status="SCHEDULED")).reason)


def kinds(judged):
    return [discrepancy.kind for discrepancy in judged.discrepancies]


@pytest.mark.parametrize(
    ("figures", "kind", "expected", "found"),
    [
        ({"totalAmount": "99.99"}, "total", "100.00", "99.99"),
        ({"currency": "USD"}, "currency", "BRL", "USD"),
        ({"paidAmount": "100.01"}, "overpaid", "100.00", "100.01"),
    ],
)
def test_what_the_report_says_otherwise_than_planned_is_a_discrepancy(figures, kind, expected, found):
    (discrepancy,) = judge_report(submission(), report(status="PROCESSING", **figures)).discrepancies
    assert (discrepancy.kind, discrepancy.report_id, discrepancy.expected, discrepancy.found) == (
        kind,
        "rp-1",
        expected,
        found,
    )


def test_a_report_that_says_what_was_planned_is_no_discrepancy():
    agreed = report(status="DONE", donePayments=2, paidAmount="100.00", totalAmount="100.00", currency="BRL")
    assert judge_report(submission(), agreed).discrepancies == ()


@pytest.mark.parametrize(
    ("state", "before", "now"),
    [
        (S.PAID, "DONE", "PROCESSING"),
        (S.PAID, "CLOSED", "EXCLUDED"),
        (S.FAILED, "ERROR", "EXCLUDED"),
        (S.EXCLUDED, "EXCLUDED", "PENDING"),
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


ALL_PAID = {"donePayments": 2, "withholdPayments": 0, "pendingPayments": 0, "paidAmount": "100.00"}
NONE_PAID = {"donePayments": 0, "paidAmount": "0.00"}
ONE_PAID = {"donePayments": 1, "paidAmount": "70.00"}
UNVERIFIED = "not verified: the service did not say donePayments and paidAmount"

LATER = [
    # state, the status it had and why, what the service says now, where it is then, what is told
    (S.PARTIAL, "DONE", {"status": "DONE", **ALL_PAID}, S.PAID, []),
    (S.PARTIAL, "ERROR", {"status": "CLOSED", **ALL_PAID}, S.PAID, []),
    (S.PARTIAL, "DONE", {"status": "ERROR", **NONE_PAID}, S.PARTIAL, []),
    (S.PARTIAL, "ERROR", {"status": "PROCESSING"}, S.PARTIAL, []),
    (S.PARTIAL, "ERROR", {"status": "EXCLUDED"}, S.PARTIAL, []),
    (S.FAILED, "ERROR", {"status": "PENDING"}, S.PROCESSING, ["status_changed"]),
    (S.FAILED, "ERROR", {"status": "DONE", **ALL_PAID}, S.PAID, ["status_changed"]),
    (S.FAILED, "ERROR", {"status": "DONE", **ONE_PAID}, S.PARTIAL, ["status_changed"]),
    (S.FAILED, "ERROR", {"status": "ERROR", **ONE_PAID}, S.PARTIAL, ["figures_changed"]),
    (S.FAILED, "ERROR", {"status": "ERROR", **NONE_PAID}, S.FAILED, []),
    (S.EXCLUDED, "EXCLUDED", {"status": "DONE", **ALL_PAID}, S.PAID, ["status_changed"]),
    (S.EXCLUDED, "EXCLUDED", {"status": "DONE", **ONE_PAID}, S.PARTIAL, ["status_changed"]),
    (S.PAID, "DONE", {"status": "DONE", **ONE_PAID}, S.PARTIAL, ["figures_changed"]),
    (S.PAID, "DONE", {"status": "CLOSED", **ALL_PAID}, S.PAID, []),
    (S.PAID, "DONE", {"status": "ERROR", **NONE_PAID}, S.PARTIAL, ["status_changed"]),  # the Pix came back
    (S.PAID, "CLOSED", {"status": "ERROR", **ONE_PAID}, S.PARTIAL, ["status_changed"]),
    (S.PAID, "DONE", {"status": "ERROR"}, S.PARTIAL, ["status_changed"]),
]


@pytest.mark.parametrize(("state", "status", "says", "then", "told"), LATER)
def test_an_end_is_bettered_by_evidence_and_money_that_came_back_is_a_question(state, status, says, then, told):
    judged = judge_report(submission(state=state, status=status), report(**says))
    assert (judged.state, kinds(judged)) == (then, told)


@pytest.mark.parametrize(
    ("says", "then", "reason"),
    [
        ({"status": "DONE", **ALL_PAID}, S.PAID, ""),
        ({"status": "DONE"}, S.PAID, UNVERIFIED),
        ({"status": "PROCESSING"}, S.PAID, UNVERIFIED),
        ({"status": "DONE", **ONE_PAID}, S.PARTIAL, "done and withheld payments do not make up all payments"),
        ({"status": "ERROR", **NONE_PAID}, S.PARTIAL, "the service says ERROR and that nothing was paid"),
    ],
)
def test_what_was_paid_by_its_status_alone_is_judged_by_its_figures_once_they_come(says, then, reason):
    """A status may come before its counters."""
    judged = judge_report(submission(state=S.PAID, status="DONE", reason=UNVERIFIED), report(**says))
    assert (judged.state, str(judged.reason or "")) == (then, reason)


@pytest.mark.parametrize("first", [{}, {"donePayments": 0, "paidAmount": 0, "pendingPayments": 0}])
@pytest.mark.parametrize("last", [ALL_PAID, ONE_PAID])
def test_however_late_the_counters_come_the_end_is_the_same(first, last):
    one = submission()
    for figures in (first, last, last):
        judged = judge_report(one, report(status="DONE", **figures))
        one = submission(state=judged.state, status="DONE", reason=judged.reason)
    assert one.state is judge_report(submission(), report(status="DONE", **last)).state


@pytest.mark.parametrize("total", ["100.00000000000006", "99.99999999999999", "100.004"])
def test_a_total_that_was_added_in_doubles_is_no_discrepancy(total):
    assert judge_report(submission(), report(status="PENDING", totalAmount=total)).discrepancies == ()
