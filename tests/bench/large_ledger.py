"""A ledger of very many payments, written through the ledger's own doors, and sent to a real service."""

import datetime as dt
from collections.abc import Iterator

from io_adapters.ledger.ledger import Ledger
from schemas.approval import GOOD_FOR
from schemas.plan import Approval, ApprovalKind, BatchPayment, PaymentBatch, PaymentPlan, obligation_key
from schemas.wire import amount_from_cents, canonical_json
from tests.payments_job import PAYER, PERIOD

PER_BATCH = 500
PLANS = 20


def approve_many(ledger: Ledger, job: str, service_url: str, batches: int) -> None:
    """Store and approve so many batches of 500 payments, in plans of a twentieth each."""
    each = batches // PLANS
    for number in range(PLANS):
        plan = PaymentPlan(job, PAYER, PERIOD, "BRL", tuple(_batches(job, number * each, each)))
        run_id = f"run-{number}"
        now = dt.datetime.now(dt.UTC)
        ledger.plans.store(plan, run_id, "ana", service_url)
        yes = Approval(plan.digest, "Bia Souza", ApprovalKind.PERSON, plan.total_cents, now, now + GOOD_FOR)
        ledger.approvals.record(yes)
        ledger.submissions.approve_plan(plan.digest, run_id, (), now, approvers=1)


def _batches(job: str, first: int, count: int) -> Iterator[PaymentBatch]:
    for number in range(1, count + 1):
        begin = (first + number - 1) * PER_BATCH
        payments = [_payment(job, n) for n in range(begin, begin + PER_BATCH)]
        cents = sum(payment.amount_cents for payment in payments)
        content = {
            "taxId": PAYER,
            "dateStart": "2026-10-01",
            "dateEnd": "2026-10-31",
            "currency": "BRL",
            "amount": amount_from_cents(cents),
            "payments": [_entry(payment) for payment in payments],
        }
        yield PaymentBatch(number, canonical_json(content), tuple(payments), owner_cents=0, amount_cents=cents)


def _payment(job: str, number: int) -> BatchPayment:
    payee, reference = f"{number:011d}", ""
    key = obligation_key(job, PAYER, payee, PERIOD, "BRL", reference)
    return BatchPayment(
        key, key, reference, "payment", payee, 1_000 + number % 977, f"destination {number}", withheld=False
    )


def _entry(payment: BatchPayment) -> dict[str, object]:
    amount = amount_from_cents(payment.amount_cents)
    return {
        "taxId": payment.payee,
        "name": f"Pessoa {payment.payee}",
        "email": f"pessoa-{payment.payee}@example.com",
        "amount": amount,
        "finalAmount": amount,
        "extPaymentId": payment.obligation_key,
        "bankAccount": {"pixKey": f"pessoa-{payment.payee}@example.com", "pixKeyType": "email"},
    }
