"""Whom to look at before a plan is approved, and what changed since the last one: drawn cases."""

import datetime as dt
from dataclasses import replace
from decimal import Decimal

import pytest

from flows.intake.rules.inputs import sum_lines
from flows.payables.rules.plan_review import (
    PaidBefore,
    changes_between,
    destinations_of_plan,
    elsewhere_of,
    not_paid_of,
    notices_of,
    owner_jumps,
    period_before,
    rates_between,
    rows_of,
    shares_changed,
    sums_by_payee,
    sums_of,
    sums_paid,
)
from flows.royalties.rules.allocation import allocate
from flows.royalties.rules.deals import Deals
from schemas.messages import render
from schemas.plan import BatchPayment
from schemas.plan_view import ChangeKind, Notice, PayeeNotice, groups_of, largest_of
from schemas.reasons import because
from schemas.sources import PaidSum, UsedDestination
from schemas.submission import SubmissionState
from schemas.values.bank_account import BankAccount
from schemas.values.money import parse_plain_amount
from schemas.wire import Institution
from tests.spec.office import Office, inputs, statement
from tests.spec.tables import CPF, NAMES, costs, destination_of_mail, lines, payees, payments, reais, shares, table

NOVEMBER = dt.datetime(2026, 11, 1, tzinfo=dt.UTC)


def planned(drawn):
    """What an office with an empty ledger would pay for October."""
    return Office().compute_payables(inputs(payments=payments(drawn))).obligations


def sums(drawn):
    """Draw payee, period and amount, and perhaps job and currency; the last line is the latest."""
    return [
        PaidSum(
            CPF[row["payee"]], row.get("job", "selo"), row["period"], row.get("currency", "BRL"),
            parse_plain_amount(row["amount"]), NOVEMBER + dt.timedelta(days=day),
        )
        for day, row in enumerate(table(drawn))
    ]  # fmt: skip


def parts(drawn):
    """Draw the payments of the last period: payee, amount, and perhaps reference and key."""
    return [
        BatchPayment(
            row["payee"], row["payee"], row.get("reference", ""), "payment", CPF[row["payee"]],
            parse_plain_amount(row["amount"]), destination_of_mail(f"{row['payee']}@example.com"), withheld=False,
        )
        for row in table(drawn)
    ]  # fmt: skip


def uses(drawn):
    """Draw where people were paid: payee, key and period; the last line is the latest."""
    return [
        UsedDestination(
            CPF[row["payee"]], destination_of_mail(row["key"]), "selo", row["period"], NOVEMBER + dt.timedelta(days=day)
        )
        for day, row in enumerate(table(drawn))
    ]


def looked_at(obligations, *, past="", last="", used=""):
    """Judge a plan of October in BRL; returns (notice, payee, now, before) drawn."""
    before = PaidBefore(*(read(drawn) if drawn else [] for read, drawn in ((sums, past), (uses, used), (parts, last))))
    notices = notices_of(obligations, before, {}, job="selo", period="2026-10", currency="BRL")
    return [(n.notice.value, NAMES[n.tax_id], reais(n.now_cents), reais(n.before_cents)) for n in notices]


STEADY = """
    | payee | period  | amount |
    | ana   | 2026-07 | 90.00  |
    | ana   | 2026-08 | 110.00 |
    | ana   | 2026-09 | 100.00 |
"""


@pytest.mark.parametrize(
    ("now", "looked"),
    [
        ("100.00", []),
        ("299.99", []),
        ("300.00", [("much_above", "ana", "300.00", "100.00")]),
        ("5000.00", [("much_above", "ana", "5000.00", "100.00")]),
        ("10000.00", [("times_100", "ana", "10000.00", "100.00")]),
        ("10000.01", [("much_above", "ana", "10000.01", "100.00")]),
        ("0.01", []),
    ],
)
def test_a_sum_is_looked_at_from_three_times_the_median_of_the_last_ones(now, looked):
    assert looked_at(planned(f"| payee | amount |\n| ana | {now} |"), past=STEADY) == looked


def test_small_sums_may_jump_up_to_a_hundred_above_their_median():
    past = "| payee | period | amount |\n| ana | 2026-09 | 10.00 |"
    assert looked_at(planned("| payee | amount |\n| ana | 109.99 |"), past=past) == []
    assert looked_at(planned("| payee | amount |\n| ana | 110.00 |"), past=past)[0][0] == "much_above"


def test_an_even_number_of_amounts_has_its_median_between_the_middle_two():
    past = "| payee | period | amount |\n| ana | 2026-08 | 100.00 |\n| ana | 2026-09 | 100.01 |"
    # three times 100.005 is 300.015
    assert looked_at(planned("| payee | amount |\n| ana | 300.01 |"), past=past) == []
    assert looked_at(planned("| payee | amount |\n| ana | 300.02 |"), past=past)[0][3] == "100.00"


def test_only_the_last_twelve_amounts_count():
    old = "\n".join(f"| ana | 2024-{month:02d} | 100000.00 |" for month in range(1, 13))
    new = "\n".join(f"| ana | 2025-{month:02d} | 100.00 |" for month in range(1, 13))
    past = f"| payee | period | amount |\n{old}\n{new}"
    assert looked_at(planned("| payee | amount |\n| ana | 300.00 |"), past=past)[0][0] == "much_above"


def test_a_period_is_one_sum_however_many_payments_it_had():
    now = planned(
        """
        | payee | reference | amount |
        | ana   | a         | 160.00 |
        | ana   | b         | 160.00 |
        """
    )
    assert looked_at(now, past=STEADY) == [("much_above", "ana", "320.00", "100.00")]


def test_what_the_period_has_been_paid_already_counts_and_is_no_history():
    past = STEADY + "    | ana | 2026-10 | 250.00 |"
    assert looked_at(planned("| payee | reference | amount |\n| ana | b | 60.00 |"), past=past) == [
        ("much_above", "ana", "310.00", "100.00")
    ]


def test_amounts_of_the_same_job_are_compared_and_those_of_others_where_it_has_none():
    mixed = """
        | payee | period  | amount  | job   |
        | ana   | 2026-09 | 100.00  | selo  |
        | ana   | 2026-09 | 9000.00 | other |
        | bia   | 2026-09 | 100.00  | other |
    """
    now = planned("| payee | amount |\n| ana | 300.00 |\n| bia | 300.00 |")
    assert looked_at(now, past=mixed) == [
        ("much_above", "ana", "300.00", "100.00"),
        ("much_above", "bia", "300.00", "100.00"),
    ]


def test_amounts_in_another_currency_are_not_compared_but_the_payee_is_known():
    past = "| payee | period | amount | currency |\n| ana | 2026-09 | 1.00 | USD |"
    assert looked_at(planned("| payee | amount |\n| ana | 9000.00 |"), past=past) == []


def test_whom_this_ledger_never_paid_is_new():
    now = planned("| payee | amount |\n| ana | 100.00 |\n| bia | 5.00 |\n| caio | 7.00 |")
    assert looked_at(now, past=STEADY) == [("new", "caio", "7.00", "0.00"), ("new", "bia", "5.00", "0.00")]


def test_one_payment_of_several_that_is_a_hundred_times_one_of_last_month_is_a_slip():
    last = "| payee | amount |\n| ana | 50.00 |\n| ana | 30.00 |"
    now = planned("| payee | reference | amount |\n| ana | a | 50.00 |\n| ana | b | 3000.00 |")
    past = "| payee | period | amount |\n| ana | 2026-09 | 80.00 |"
    assert looked_at(now, past=past, last=last) == [("times_100", "ana", "3000.00", "30.00")]


@pytest.mark.parametrize(
    ("key", "looked"),
    [
        ("ana@example.com", []),
        ("new@example.com", [("changed_destination", None)]),
        ("old@example.com", [("changed_destination", 0)]),
    ],
)
def test_another_destination_than_the_last_one_is_looked_at_with_its_own_last_use(key, looked):
    used = """
        | payee | key             | period  |
        | ana   | old@example.com | 2026-08 |
        | ana   | ana@example.com | 2026-09 |
    """
    now = planned(f"| payee | amount | key |\n| ana | 100.00 | {key} |")
    before = PaidBefore(sums(STEADY), uses(used))
    notices = notices_of(now, before, {}, job="selo", period="2026-10", currency="BRL")
    told = [(n.notice.value, n.last_used_at and (n.last_used_at - NOVEMBER).days) for n in notices]
    assert told == looked
    assert all((n.last_paid_at - NOVEMBER).days == 1 for n in notices)


def test_two_destinations_used_in_one_period_are_both_usual():
    used = "| payee | key | period |\n| ana | one@example.com | 2026-09 |\n| ana | two@example.com | 2026-09 |"
    now = planned(
        """
        | payee | reference | amount | key             |
        | ana   | a         | 50.00  | one@example.com |
        | ana   | b         | 50.00  | two@example.com |
        """
    )
    assert looked_at(now, past=STEADY, used=used) == []


def test_whom_the_last_period_paid_and_this_one_does_not_know_has_disappeared():
    last = "| payee | amount |\n| ana | 100.00 |\n| bia | 20.00 |\n| bia | 3.00 |\n| caio | 40.00 |"
    found = looked_at(planned("| payee | amount |\n| ana | 100.00 |"), past=STEADY, last=last)
    assert found == [("disappeared", "caio", "0.00", "40.00"), ("disappeared", "bia", "0.00", "23.00")]


def test_whose_sum_is_only_carried_has_not_disappeared():
    office = Office().under(minimum_payout="50.00")
    came_in = inputs(
        [statement(lines("| amount |\n| 10.00 |"))],
        payees=payees("ana"),
        shares=shares("| payee | share |\n| ana | 100 |"),
    )
    carried = office.compute_payables(came_in).obligations
    assert looked_at(carried, last="| payee | amount |\n| ana | 100.00 |") == []


def test_the_most_urgent_reason_comes_first():
    assert [notice.value for notice in Notice] == [
        "paid_before", "second_attempt", "times_100", "changed_destination", "much_above", "taken_back", "new",
        "disappeared",
    ]  # fmt: skip


def told(changes):
    """Draw changes: kind, payee, before, now."""
    return [(c.kind.value, NAMES[c.tax_id], reais(c.before_cents), reais(c.now_cents)) for c in changes]


OCTOBER = """
    | payee | reference | amount | key             |
    | ana   |           | 100.00 | ana@example.com |
    | bia   | one       | 20.00  | bia@example.com |
    | bia   | two       | 30.00  | bia@example.com |
"""


@pytest.mark.parametrize(
    ("now", "changed"),
    [
        (OCTOBER, []),
        (OCTOBER + "    | caio |  | 7.00 | caio@example.com |", [("added", "caio", "0.00", "7.00")]),
        (
            OCTOBER.replace("| bia   | two       | 30.00  | bia@example.com |", ""),
            [("removed", "bia", "30.00", "0.00")],
        ),
        (OCTOBER.replace("100.00", "101.50"), [("amount", "ana", "100.00", "101.50")]),
        (OCTOBER.replace("| 100.00 | ana@", "| 100.00 | new@"), [("destination", "ana", "100.00", "100.00")]),
        (
            OCTOBER.replace("| 100.00 | ana@", "| 90.00 | new@"),
            [("amount", "ana", "100.00", "90.00"), ("destination", "ana", "90.00", "90.00")],
        ),
        (OCTOBER.replace("one", "uno"), [("added", "bia", "0.00", "20.00"), ("removed", "bia", "20.00", "0.00")]),
    ],
)
def test_each_payment_is_held_against_the_last_plan(now, changed):
    assert told(changes_between(sums_of(planned(OCTOBER)), sums_of(planned(now)))) == changed


def test_the_order_of_rows_changes_nothing():
    upside_down = "\n".join([OCTOBER.splitlines()[1], *reversed(OCTOBER.splitlines()[2:])])
    assert changes_between(sums_of(planned(OCTOBER)), sums_of(planned(upside_down))) == ()


def test_the_largest_difference_comes_first():
    now = OCTOBER.replace("100.00", "100.01").replace("20.00", "25.00").replace("30.00", "5.00")
    changes = changes_between(sums_of(planned(OCTOBER)), sums_of(planned(now)))
    assert [reais(change.difference_cents) for change in changes] == ["-25.00", "5.00", "0.01"]


def test_what_has_been_sent_meanwhile_is_no_change():
    office = Office()
    came_in = inputs(payments=payments(OCTOBER))
    before = sums_of(office.compute_payables(came_in).obligations)
    office.send(came_in, state=SubmissionState.PAID)
    assert changes_between(before, sums_of(office.compute_payables(came_in).obligations)) == ()


def test_a_late_statement_changes_what_its_payees_get_by_the_difference():
    office = Office()
    half = shares("| payee | share |\n| ana | 50 |")
    first = inputs([statement(lines("| amount |\n| 100.00 |"))], payees=payees("ana"), shares=half)
    before = sums_of(office.compute_payables(first).obligations)
    office.send(first)
    both = inputs([statement(lines("| amount |\n| 100.00 |\n| 40.00 |"))], payees=payees("ana"), shares=half)
    changes = changes_between(before, sums_of(office.compute_payables(both).obligations))
    assert told(changes) == [("amount", "ana", "50.00", "70.00"), ("amount", "owner", "50.00", "70.00")]


def test_what_is_no_longer_paid_says_where_it_is_now():
    office = Office()
    came_in = inputs(payments=payments(OCTOBER))
    before = office.compute_payables(came_in).obligations
    office.send(came_in)
    now = office.compute_payables(inputs(payments=payments(OCTOBER.replace("100.00", "120.00")))).obligations
    (change,) = changes_between(sums_of(before), sums_of(now), held_now=elsewhere_of(now))
    assert (change.kind, change.elsewhere, reais(change.difference_cents)) == (
        ChangeKind.REMOVED,
        "conflict",
        "-100.00",
    )


def test_a_first_plan_of_a_period_is_held_against_the_last_one_by_payee():
    last = sums_paid(parts("| payee | amount |\n| ana | 60.00 |\n| ana | 40.00 |\n| caio | 5.00 |"), {})
    changes = changes_between(last, sums_by_payee(planned(OCTOBER)), destinations=False)
    assert told(changes) == [("added", "bia", "0.00", "50.00"), ("removed", "caio", "5.00", "0.00")]


@pytest.mark.parametrize(
    ("periods", "last"),
    [
        ([], ""),
        (["2026-10", "2026-11"], ""),
        (["2026-08", "2026-09", "2026-10"], "2026-09"),
        (["2025-12", "2026-09-01..2026-09-15"], "2026-09-01..2026-09-15"),
    ],
)
def test_the_last_period_is_the_latest_that_began_before(periods, last):
    assert period_before(periods, "2026-10") == last


def earned(drawn_shares, rate="5.00"):
    came_in = inputs(
        [statement(lines("| recording | amount | currency |\n| samba | 10.00 | USD |"), rates={"USD": rate})],
        payees=payees("ana", "bia"),
        shares=shares(drawn_shares),
    )
    return Office().compute_payables(came_in).earnings


HALF = "| payee | share |\n| ana | 50 |"


def test_another_exchange_rate_is_told_with_both_rates():
    (change,) = rates_between(earned(HALF, "5.00"), earned(HALF, "5.25"))
    assert (change.currency, change.before, change.now) == ("USD", "5", "5.25")
    assert rates_between(earned(HALF), earned(HALF)) == ()


@pytest.mark.parametrize(
    ("now", "count"),
    [
        (HALF, 0),
        ("| payee | share |\n| ana | 40 |", 1),
        ("| payee | share |\n| ana | 50 |\n| bia | 10 |", 1),
        ("| payee | share |\n| bia | 50 |", 2),
        ("| payee | share |\n| ana | 0.10/un |", 1),
    ],
)
def test_shares_of_the_same_asset_that_differ_are_counted(now, count):
    assert shares_changed(earned(HALF), earned(now)) == count


def owned(rows):
    """Earnings of a recording whose costs are these, and of which Ana has half of the rest."""
    totals = sum_lines(lines("| recording | units | amount |\n| samba | 100 | 10.00 |"))
    deals = Deals(shares(HALF), costs(f"| name | share | payee |\n{rows}"))
    return allocate(totals, deals, rates={"BRL": Decimal(1)}, first_day="2026-10-01").earnings


@pytest.mark.parametrize(
    ("now", "count", "jumps"),
    [
        ("| estúdio | 10 | |", 0, []),
        ("| estúdio | 20 | |", 1, []),
        ("| Ecad | 10 | |", 1, []),
        ("| estúdio | 60 | |", 1, [(550_000, 800_000)]),  # its own 60 %, and half of the rest
        ("| estúdio | 60 | bia |", 2, [(550_000, 200_000)]),
    ],
)
def test_other_costs_are_other_shares_and_what_they_leave_the_owner_counts_as_the_owners(now, count, jumps):
    before, after = owned("| estúdio | 10 | |"), owned(now)
    assert shares_changed(before, after) == count
    assert [(jump.before_ppm, jump.now_ppm) for jump in owner_jumps(before, after)] == jumps


def test_a_job_without_royalties_has_neither_rates_nor_shares_to_compare():
    nothing = Office().compute_payables(inputs(payments=payments(OCTOBER))).earnings
    assert rates_between(nothing, nothing) == ()
    assert shares_changed(nothing, nothing) == 0


def test_what_is_not_paid_is_summed_by_reason_whatever_submission_claims_it():
    office = Office()
    came_in = inputs(payments=payments("| payee | amount |\n| ana | 10.00 |\n| bia | 20.00 |"))
    office.send(came_in, submission="rp-1")
    office.send(inputs(payments=payments("| payee | amount |\n| caio | 5.00 |")), submission="rp-2")
    now = inputs(payments=payments("| payee | amount |\n| ana | 10.00 |\n| bia | 20.00 |\n| caio | 5.00 |"))
    (group,) = not_paid_of(office.compute_payables(now).obligations)
    assert (group.place, group.reasons, group.count, reais(group.amount_cents)) == (
        "duplicate",
        because("claimed"),
        3,
        "35.00",
    )


def test_a_plan_of_nothing_has_nobody_to_look_at():
    nothing = planned(OCTOBER)[:0]
    assert sums_of(nothing) == {}
    assert looked_at(nothing) == []


OWNERS_PARTS = """
    | before      | now         | told            |
    | ana 40      | ana 40      |                 |
    | ana 40      | ana 30.01   |                 |
    | ana 40      | ana 30      | 60 % to 70 %    |
    | ana 40      | ana 100     | 60 % to 0 %     |
    | ana 100     | bia 50      | 0 % to 50 %     |
"""


@pytest.mark.parametrize("row", table(OWNERS_PARTS), ids=lambda row: f"{row['before']} then {row['now']}")
def test_an_asset_of_which_the_owner_has_ten_points_more_or_less_is_named(row):
    def earnings(who):
        name, share = who.split()
        drawn = shares(f"| payee | recording | share |\n| {name} | samba | {share} |")
        totals = sum_lines(lines("| recording | amount |\n| samba | 10.00 |\n| valsa | 5.00 |"))
        return allocate(totals, Deals(drawn), rates={"BRL": Decimal(1)}, first_day="2026-10-01").earnings

    found = owner_jumps(earnings(row["before"]), earnings(row["now"]))
    told = [f"{jump.before_ppm / 10_000:g} % to {jump.now_ppm / 10_000:g} %" for jump in found]
    assert told == ([row["told"]] if row["told"] else [])


WHERE = """
    | payee | amount | bank_code | agency | account | psp_id   | account_type     | holder |
    | ana   | 10.00  | 341       | 0001   | 123456  | 60701190 | checking_account |        |
    | bia   | 99.00  | 260       | 0002   | 99887X  | 18236120 | payment_account  | Caio Exemplo |
"""


def test_a_destination_is_told_by_kind_bank_and_holder_and_its_number_is_masked():
    listed = {"60701190": Institution(ispb_number="60701190", name="ITAÚ UNIBANCO S.A.")}
    obligations = [
        replace(
            owed,
            account=BankAccount(
                row["bank_code"], row["psp_id"], row["agency"], row["account"], row["account_type"], row["holder"]
            ),
            account_holder=row["holder"],
        )
        for owed, row in zip(planned("| payee | amount |\n| ana | 10.00 |\n| bia | 99.00 |"), table(WHERE), strict=True)
    ]
    told = destinations_of_plan(obligations, listed, {obligations[0].key: NOVEMBER})
    ana, bia = (told[owed.key] for owed in obligations)
    assert render(ana.message, "pt-BR") == "Conta corrente 0001 / ****6, 341 ITAÚ UNIBANCO S.A."
    assert ana.confirmed_at == NOVEMBER
    assert render(bia.message, "pt-BR") == "Conta de pagamento 0002 / ****X, 260 18236120, Caio Exemplo"
    assert bia.confirmed_at is None


def test_a_pix_key_is_masked_by_its_type_and_the_owners_part_goes_nowhere():
    (owed,) = planned("| payee | amount |\n| ana | 10.00 |")
    told = destinations_of_plan([owed, replace(owed, kind="owner", key="other")], {}, {})
    assert list(told) == [owed.key]
    assert render(told[owed.key].message, "en") == "Pix e-mail a***a@e***.com"


def test_what_must_be_looked_at_comes_first_and_the_largest_first_among_equals():
    obligations = planned("| payee | amount |\n| ana | 10.00 |\n| bia | 5000.00 |\n| caio | 70.00 |\n| davi | 50.00 |")
    notices = [
        PayeeNotice(Notice.NEW, CPF["ana"], "ana", 1_000),
        PayeeNotice(Notice.DESTINATION, CPF["davi"], "davi", 5_000),
        PayeeNotice(Notice.DESTINATION, CPF["caio"], "caio", 7_000),
    ]
    rows, _ = rows_of(obligations, notices, {})
    assert [reais(row.amount_cents) for row in rows] == ["70.00", "50.00", "10.00", "5000.00"]
    assert [reais(row.amount_cents) for row in largest_of(rows, 2)] == ["5000.00", "70.00"]


def test_notices_are_counted_and_summed_by_kind_the_disappeared_by_what_they_got():
    groups = groups_of(
        [
            PayeeNotice(Notice.NEW, CPF["ana"], "ana", 1_000),
            PayeeNotice(Notice.NEW, CPF["bia"], "bia", 250),
            PayeeNotice(Notice.DISAPPEARED, CPF["caio"], "caio", 0, 7_000),
        ]
    )
    assert [(group.notice, group.count, group.amount_cents) for group in groups if group.count] == [
        (Notice.NEW, 2, 1_250),
        (Notice.DISAPPEARED, 1, 7_000),
    ]
