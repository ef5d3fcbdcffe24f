"""Reports in a foreign currency: what a report shows of its exchange rate, and what is done about it.

The plan was approved with the rate 5.4312 for USD. With its rate set the service pays, so the rate is set at most once
without a person's word, and only the report itself can settle a doubt.
"""

from decimal import Decimal

import pytest

from flows.payables.rules.exchange_rate import after_answer, after_look, codes_of, judge_rate, terms_of
from schemas.attempt import check_transition
from schemas.errors import BrokenInvariant
from schemas.exchange_update import TRANSITIONS, ExchangeState, ExchangeUpdate, RateSeen
from schemas.job import Job
from schemas.plan import BatchPayment, ExchangeTerms, PaymentBatch, PaymentPlan
from schemas.submission import Outcome, SubmissionState
from tests.spec.reports import report
from tests.spec.tables import table

X = ExchangeState
TERMS = ExchangeTerms("USD", Decimal("5.4312"), "EX-1", show_exchange_data=True)

# What a look at the report makes of an update in each state. "-" says null; nothing changes where the state stays.
LOOKS = table(
    """
    | the report shows         | rate    | currency | it is   | in_doubt | refused  | approved | accepted | differs  |
    | nothing yet              | -       | USD      | silent  | in_doubt | refused  | approved | accepted | differs  |
    | nothing at all           | -       | -        | silent  | in_doubt | refused  | approved | accepted | differs  |
    | a rate of zero           | 0       | USD      | silent  | in_doubt | refused  | approved | accepted | differs  |
    | our rate                 | 5.4312  | USD      | ours    | accepted | accepted | accepted | accepted | accepted |
    | our rate, more zeros     | 5.43120 | USD      | ours    | accepted | accepted | accepted | accepted | accepted |
    | our rate, no currency    | 5.4312  | -        | ours    | accepted | accepted | accepted | accepted | accepted |
    | our rate for another     | 5.4312  | EUR      | another | differs  | differs  | differs  | differs  | differs  |
    | the rate rounded         | 5.43    | USD      | another | differs  | differs  | differs  | differs  | differs  |
    | off by the last digit    | 5.4313  | USD      | another | differs  | differs  | differs  | differs  | differs  |
    | kept in a double         | 5.43120000000001 | USD | ours | accepted | accepted | accepted | accepted | accepted |
    | off where no double is   | 5.43120001 | USD   | another | differs  | differs  | differs  | differs  | differs  |
    | the rate upside down     | 0.18412 | USD      | another | differs  | differs  | differs  | differs  | differs  |
    | something unreadable     | soon    | USD      | another | differs  | differs  | differs  | differs  | differs  |
    """
)


def shown(case):
    fields = {"exchangeRate": case["rate"], "currency": case["currency"]}
    return report(**{name: value for name, value in fields.items() if value != "-"})


@pytest.mark.parametrize("case", LOOKS, ids=[case["the report shows"] for case in LOOKS])
def test_only_the_report_itself_settles_a_doubt(case):
    seen = judge_rate(TERMS, shown(case))
    assert seen.value == case["it is"]
    for state in (X.IN_DOUBT, X.REFUSED, X.APPROVED, X.ACCEPTED, X.DIFFERS):
        assert after_look(state, seen).value == case[state.value], state


@pytest.mark.parametrize("seen", list(RateSeen))
def test_what_is_being_sent_is_its_senders_and_what_people_declared_absent_stays_absent(seen):
    for state in (X.SENDING, X.ABSENT, X.NOT_SENT):
        assert after_look(state, seen) is state


ANSWERS = table(
    """
    | the answer proves | with a report that shows | leaves it |
    | accepted          | no report                | accepted  |
    | accepted          | -                        | accepted  |
    | accepted          | 5.4312                   | accepted  |
    | accepted          | 5.4300                   | differs   |
    | refused           | no report                | refused   |
    | not_sent          | no report                | not_sent  |
    | in_doubt          | no report                | in_doubt  |
    """
)


@pytest.mark.parametrize("case", ANSWERS, ids=[" ".join(case.values()) for case in ANSWERS])
def test_an_answer_counts_unless_its_report_shows_another_rate(case):
    rate = case["with a report that shows"]
    told = None if rate == "no report" else report() if rate == "-" else report(exchangeRate=rate)
    assert after_answer(Outcome(case["the answer proves"]), TERMS, told).value == case["leaves it"]


# What a run is worth while an update stands somewhere and its report is still open, paid, or taken out.
CODES = table(
    """
    | update   | open | paid | excluded |
    | approved | 21   | 0    | 0        |
    | not_sent | 21   | 0    | 0        |
    | sending  | 22   | 22   | 22       |
    | in_doubt | 22   | 22   | 22       |
    | refused  | 20   | 0    | 0        |
    | differs  | 40   | 40   | 40       |
    | accepted | 0    | 0    | 0        |
    | absent   | 0    | 0    | 0        |
    """
)
REPORTS = {"open": SubmissionState.PROCESSING, "paid": SubmissionState.PAID, "excluded": SubmissionState.EXCLUDED}


def update(state, report_state):
    return ExchangeUpdate(
        "xr-1", "rp-1", 1, TERMS, state, TERMS.body, "run-1", None, was_in_doubt=False, reason=None, job="selo",
        period="2026-10", report_run_id="run-1", split_id="s-1", report_state=report_state,
    )  # fmt: skip


@pytest.mark.parametrize("case", CODES, ids=[case["update"] for case in CODES])
def test_what_is_not_settled_shows_in_the_exit_code(case):
    for name, state in REPORTS.items():
        codes = codes_of([update(ExchangeState(case["update"]), state)])
        assert [int(code) for code in codes] == [int(case[name])] * bool(int(case[name])), name


def test_only_people_make_what_may_have_arrived_go_out_again():
    for state, following in TRANSITIONS.items():
        assert (X.APPROVED in following) == (state is X.NOT_SENT), state
        assert (X.SENDING in following) == (state is X.APPROVED), state
    with pytest.raises(BrokenInvariant, match="cannot go from in_doubt to sending"):
        check_transition(TRANSITIONS, X.IN_DOUBT, X.SENDING)


def plan(exchange, *batches):
    return PaymentPlan("selo", "payer", "2026-10", "USD", batches, exchange)


def batch(content=b"{}"):
    payment = BatchPayment("ob-1", "ob-1", "", "payment", "ana", 100, "there", withheld=False)
    return PaymentBatch(1, content, (payment,), 0, 100)


PLANS = table(
    """
    | what                   | rate    | order | shown | is       |
    | the very same          | 5.4312  | EX-1  | yes   | the same |
    | zeros that say nothing | 5.43120 | EX-1  | yes   | the same |
    | another rate           | 5.4313  | EX-1  | yes   | another  |
    | another order          | 5.4312  | EX-2  | yes   | another  |
    | no order               | 5.4312  | -     | yes   | another  |
    | not shown to payees    | 5.4312  | EX-1  | no    | another  |
    """
)


@pytest.mark.parametrize("case", PLANS, ids=[case["what"] for case in PLANS])
def test_the_rate_is_part_of_what_is_approved(case):
    order = None if case["order"] == "-" else case["order"]
    terms = ExchangeTerms("USD", Decimal(case["rate"]), order, show_exchange_data=case["shown"] == "yes")
    same = plan(terms, batch()).digest == plan(TERMS, batch()).digest
    assert same == (case["is"] == "the same")


def test_a_plan_in_reais_has_the_digest_it_always_had():
    known = "sha256:df5981b09a352a211a895748f0476c2d8ba25bb326aec8e488e4d775c4126f80"
    assert plan(None, batch()).digest != plan(TERMS, batch()).digest
    assert plan(None, batch()).digest == known


def test_what_is_sent_is_the_approved_rate_digit_for_digit():
    assert TERMS.body == b'{"currency":"USD","orderId":"EX-1","rate":5.4312,"showExchangeData":true}'
    whole = ExchangeTerms("USD", Decimal("10.00"), None, show_exchange_data=False)
    assert whole.body == b'{"currency":"USD","rate":10,"showExchangeData":false}'
    long = ExchangeTerms("USD", Decimal("5.1234567890123456789012345678901234567890"), None, show_exchange_data=True)
    assert long.plain_rate == "5.123456789012345678901234567890123456789"


def job(**fields):
    source = {"files": "a.xlsx", "layout": "payments"}
    known = {"job": "selo", "payer": {"tax_id": "12ABC34501DE35", "name": "Selo"}, "period": "2026-10"}
    return Job.model_validate(known | {"sources": [source]} | fields)


def test_reports_in_reais_have_no_rate_whatever_the_job_declares():
    assert terms_of(job(foreign_currency={"rate": "5.4312"})) is None
    abroad = job(currency="USD", foreign_currency={"rate": "5.4312", "order_id": "EX-1"})
    assert terms_of(abroad) == TERMS
