"""What a row looks like that looks paid already: every way in which people give one payment two names."""

from dataclasses import replace

import pytest

from flows.payables.rules.paid_before import paid_alike
from schemas.approval import DecisionKind
from schemas.sources import PaidAlike
from schemas.submission import Claim, SubmissionState
from tests.spec.office import Office, inputs
from tests.spec.tables import CPF, PAYER, destination_of_mail, payments

ANA = Claim(
    obligation_key="ob-1", base_key="ob-1", reference="", kind="payment", payee=CPF["ana"], amount_cents=1000,
    destination=destination_of_mail("ana@example.com"), withheld=False, submission_id="rp-1",
    state=SubmissionState.PAID, run_id="run-1", period="2026-09", payer=PAYER, currency="BRL", job="selo",
)  # fmt: skip
ROW = "| payee | reference | amount | recurring |\n| ana | show | 10.00 | {} |"


def found(*paid, recurring="", office=None):
    office = office or Office()
    payables = office.compute_payables(inputs(payments=payments(ROW.format(recurring))))
    decided = {key for key, word in office.decisions.items() if word.kind is DecisionKind.PAY}
    alike = paid_alike(payables.obligations, paid, office.identity, decided)
    return next(iter(alike.values()), ())


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({}, PaidAlike("selo", "2026-09", "rp-1", other_payer=False, other_payee=False, other_account=False)),
        (
            {"job": "outro", "period": "2026-10"},
            PaidAlike("outro", "2026-10", "rp-1", other_payer=False, other_payee=False, other_account=False),
        ),
        (
            {"payer": "11222333000181", "period": "2026-10"},
            PaidAlike("selo", "2026-10", "rp-1", other_payer=True, other_payee=False, other_account=False),
        ),
        (
            {"payee": CPF["bia"], "period": "2026-10"},
            PaidAlike("selo", "2026-10", "rp-1", other_payer=False, other_payee=True, other_account=False),
        ),
        (
            {"destination": "another"},
            PaidAlike("selo", "2026-09", "rp-1", other_payer=False, other_payee=False, other_account=True),
        ),
    ],
)
def test_the_amount_and_the_payee_or_the_account_are_enough(changes, told):
    assert found(replace(ANA, **changes)) == (told,)


@pytest.mark.parametrize(
    "changes",
    [
        {"amount_cents": 1001},
        {"payee": CPF["bia"], "destination": "another"},
    ],
)
def test_less_than_that_is_not(changes):
    assert found(replace(ANA, **changes)) == ()


@pytest.mark.parametrize(("file", "asks"), [("", False), ("extra.xlsx", True)])
def test_another_row_of_one_amount_is_honest_in_its_own_file_and_a_question_in_another(file, asks):
    office = Office()
    office.send(inputs(payments=payments("| payee | reference | amount |\n| ana | nota | 10.00 |")))
    rows = payments("| payee | reference | amount |\n| ana | nota | 10.00 |\n| ana | show | 10.00 |")
    if file:
        rows.loc[1, "file"] = file
    obligations = office.compute_payables(inputs(payments=rows)).obligations
    (paid,) = (row for row in obligations if row.submission_id)
    here = replace(ANA, obligation_key=paid.key, base_key=paid.base_key, period="2026-10")
    assert bool(paid_alike(obligations, [here], office.identity)) is asks


@pytest.mark.parametrize(
    ("changes", "asks"),
    [
        ({}, False),
        ({"payee": CPF["bia"]}, False),
        ({"period": "2026-09-15..2026-10-14"}, True),
        ({"period": "2026-09-01..2026-09-30"}, False),
        ({"job": "outro"}, True),
        ({"payer": "11222333000181"}, True),
        ({"payee": CPF["bia"], "period": "2026-10"}, True),
    ],
)
def test_a_recurring_row_may_come_back_in_another_period_of_its_job_and_payer_alone(changes, asks):
    assert bool(found(replace(ANA, **changes), recurring="yes")) is asks
    assert found(ANA)


def test_a_word_on_the_row_speaks_for_its_own_job_and_period_alone():
    office = Office()
    rows = inputs(payments=payments(ROW.format("")))
    office.send(inputs(payments=payments("| payee | reference | amount |\n| ana | nota | 10.00 |")))
    office.decide(DecisionKind.PAY, rows)
    here = replace(ANA, payee=CPF["bia"], period="2026-10")
    assert found(here, office=office) == ()
    assert len(found(here, ANA, office=office)) == 1


def test_many_payments_are_told_in_a_few_words():
    from schemas.messages import render
    from schemas.sources import paid_alike_message

    several = found(*(replace(ANA, submission_id=f"rp-{number}") for number in range(5)))
    assert (
        render(paid_alike_message(several), "en")
        == "selo 2026-09, rp-0; selo 2026-09, rp-1; selo 2026-09, rp-2; and 2 more"
    )
