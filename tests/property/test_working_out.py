"""Whatever came in, whatever was sent before and whatever accounts are like: every centavo has one place, once.

A month takes a good part of a second, so few are tried each time; `--hypothesis-profile=thorough` tries many.
"""

from dataclasses import replace

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from flows.intake.rules.inputs import input_totals
from flows.payables.rules.places import reconcile, total_up
from schemas.submission import LIVE
from schemas.tables.royalties import LineTotals
from tests.property.months import ANSWERS, answered, months, shuffled
from tests.spec.reports import submission

FEW = settings(
    max_examples=max(5, settings.default.max_examples // 20),
    suppress_health_check=[*settings.default.suppress_health_check, HealthCheck.data_too_large],
)
RANDOM = st.randoms(use_true_random=False)
STATES = st.sampled_from(sorted(LIVE))


def mixed_up(totals, random):
    return LineTotals(shuffled(totals.by_platform, random), shuffled(totals.by_territory, random))


def planned_keys(plan):
    return [payment.obligation_key for batch in plan.batches for payment in batch.payments]


@FEW
@given(months(), months(), st.data())
def test_every_centavo_has_a_place_also_when_something_else_was_sent_before(month, corrected, data):
    office = answered(lambda: data.draw(ANSWERS), month).office
    office.send(month.came_in)
    came_in, state = corrected.came_in, data.draw(STATES)
    payables = office.compute_payables(came_in)  # `Office.compute_payables` holds the sum against what came in
    sent = {"rp-1": submission(state=state, run_id="run-1")}
    for run in ("run-1", "run-2"):
        placed = reconcile(payables.obligations, sent, run)
        totals = total_up(placed, input_totals(came_in, office.history.carried_in), sent, {}, run)
        assert totals.placed() == totals.in_


@FEW
@given(months(), st.data())
def test_run_again_with_everything_claimed_nothing_is_left_to_pay(month, data):
    month = answered(lambda: data.draw(ANSWERS), month)
    office = month.office
    first = office.compute_payables(month.came_in)
    office.post(first)
    office.remember(office.plan(first))
    again = office.compute_payables(month.came_in)
    assert office.plan(again).batches == ()
    assert again.entries == ()


@FEW
@given(months(), months())
def test_no_obligation_is_ever_claimed_twice_however_the_file_changes(month, corrected):
    office = month.office
    sent = planned_keys(office.send(month.came_in, submission="rp-1"))
    for number, came_in in enumerate((corrected.came_in, month.came_in), start=2):
        new = planned_keys(office.send(came_in, submission=f"rp-{number}"))
        assert not set(new) & set(sent)
        assert len(new) == len(set(new))
        sent += new


@FEW
@given(months(), RANDOM)
def test_the_plan_does_not_depend_on_the_order_of_any_row(month, random):
    came_in, office = month.came_in, month.office
    (statement,) = came_in.statements
    mixed = replace(
        came_in,
        statements=(
            replace(statement, totals=mixed_up(statement.totals, random), held=shuffled(statement.held, random)),
        ),
        **{
            name: shuffled(getattr(came_in, name), random)
            for name in ("payments", "held_payments", "payees", "shares", "advances")
        },
    )
    first, second = office.compute_payables(came_in), office.compute_payables(mixed)
    assert office.plan(second).digest == office.plan(first).digest
    assert second.entries == first.entries


@FEW
@given(months())
def test_no_payment_is_of_nothing_or_less_and_every_report_adds_up(month):
    office = month.office
    plan = office.plan(office.compute_payables(month.came_in))
    for batch in plan.batches:
        assert min(payment.amount_cents for payment in batch.payments) > 0
        assert sum(payment.amount_cents for payment in batch.payments) == batch.amount_cents
        assert batch.payees <= office.job.rules.max_payments_per_batch
