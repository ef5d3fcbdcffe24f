"""The control plane, for tests: records, faults, forced reports, other behaviour. Not part of the service."""

import datetime as dt
import ipaddress
from collections import defaultdict
from typing import Any, Final, Literal

from fastapi import APIRouter, Depends, HTTPException, Request, Response
from pydantic import BaseModel, ConfigDict, ValidationError

from io_adapters.sandbox import tables
from io_adapters.sandbox.assumptions import Behaviour
from io_adapters.sandbox.bank import BankFault, csv_of, lines_of_bank, ofx_of, with_fault
from io_adapters.sandbox.context import Fault, Running
from io_adapters.sandbox.models import (
    REPORT_FIELDS,
    ExactRoute,
    Number,
    SandboxBankAccountData,
    cents_of,
    exact_answer,
)
from io_adapters.sandbox.splits import destination_of
from io_adapters.sandbox.store import awaits, cost_cents, describe, status_at
from io_adapters.sandbox.validation import problem, refuse_if_any, unknown_fields
from schemas.job import BRASILIA
from schemas.wire import canonical_json

TIMES: Final = {"at", "created_at"}


def require_loopback(request: Request) -> None:
    """Let in only who runs on this machine: there is no key here.

    Raises:
        HTTPException: 403 for anybody else.
    """
    if request.client is None or not ipaddress.ip_address(request.client.host).is_loopback:
        raise HTTPException(403, "The control plane answers this machine alone")


router = APIRouter(
    prefix="/_sandbox", route_class=ExactRoute, tags=["Control plane"], dependencies=[Depends(require_loopback)]
)


@router.get("/audit")
def audit(sandbox: Running) -> Response:
    """Return every effect there ever was, and how often each endpoint was called.

    `{requests: {endpoint: calls}, creates: [{split_id, reportId, paymentBatchName, created_at, currency, amount_cents,
    owner_cents, extPaymentIds, payments: [{extPaymentId, final_amount_cents, withheld}]}], exchange_rates: [{at,
    split_id, rate}], fundings: [{at, split_id, amount_cents}], returns: [{at, split_id,
    ext_payment_id, amount_cents, shown}], account_checks: [{at, account, valid, cost_cents}],
    account_checks_cost_cents, contacts: [{at, change, contact_id, account_id}], qr_codes: [{at, qr_code_key,
    amount_cents, expiration_seconds}], webhooks: [{id, webhook_url, active, created_at}]}`.

    An account is named by a fingerprint, a contact by its id. `change` is created, `email_changed`, deleted,
    `account_learned`, `account_deleted` or `account_favored`. Calls are counted before faults and refusals.
    """
    sandbox.requests.save()
    rows = sandbox.database.rows
    entries: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows(tables.payments):
        entry = {"extPaymentId": row["ext_payment_id"], "final_amount_cents": row["final_amount_cents"]}
        entries[row["split_id"]].append(entry | {"withheld": row["withheld"]})
    checks = rows(tables.account_checks)
    return exact_answer(
        {
            "requests": {row["endpoint"]: row["count"] for row in rows(tables.requests)},
            "creates": [_create(row, entries[row["split_id"]]) for row in rows(tables.reports)],
            "exchange_rates": [_plain(row) for row in rows(tables.exchange_rates)],
            "fundings": [_plain(row) for row in rows(tables.fundings)],
            "returns": [_plain(row) for row in rows(tables.returns)],
            "account_checks": [_plain(row) for row in checks],
            "account_checks_cost_cents": sum(row["cost_cents"] for row in checks),
            "contacts": [_plain(row) for row in rows(tables.contact_changes)],
            "qr_codes": [_plain(row) for row in rows(tables.qr_codes)],
            "webhooks": [_plain(row) for row in rows(tables.webhooks)],
        }
    )


def _create(row: dict[str, Any], entries: list[dict[str, Any]]) -> dict[str, Any]:
    kept = ("split_id", "currency", "amount_cents", "owner_cents")
    return {name: row[name] for name in kept} | {
        "created_at": str(row["created_at"]),
        "reportId": row["report_id"],
        "paymentBatchName": row["batch_name"],
        "extPaymentIds": [entry["extPaymentId"] for entry in entries],
        "payments": entries,
    }


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    return {name: str(value) if name in TIMES else value for name, value in row.items() if name != "number"}


@router.post("/faults")
async def plant_fault(fault: Fault, sandbox: Running) -> dict[str, int]:
    """Plant a fault; calls are counted from here."""
    return {"planted": sandbox.faults.plant(fault)}


@router.delete("/faults")
async def clear_faults(sandbox: Running) -> dict[str, int]:
    sandbox.faults.clear()
    return {"planted": 0}


@router.post("/reports/{split_id}")
def force_report(split_id: str, fields: dict[str, Any], sandbox: Running) -> dict[str, str]:
    """Force what the service says of a report: any of its fields, and `vanished`; replaces what was forced before."""
    vanished = fields.pop("vanished", False)
    known = set(REPORT_FIELDS) - {"_id"}
    refuse_if_any([problem((name,), "Not a field of a report") for name in fields if name not in known])
    if not sandbox.store.change_report(split_id, forced=canonical_json(fields).decode(), vanished=bool(vanished)):
        raise HTTPException(404, "No such split report")
    return {"forced": split_id}


class Payment(BaseModel):
    """Money for a report.

    Attributes:
        amount: What is paid; what is still missing without.
        payload: The code that is paid; one that is no longer valid is refused, as banks do.
    """

    model_config = ConfigDict(extra="forbid")

    amount: Number | None = None
    payload: str | None = None


@router.post("/reports/{split_id}/fund")
def fund_report(split_id: str, payment: Payment, sandbox: Running) -> dict[str, str]:
    """Pay for a report, as the payer's bank or a balance does; once all it costs is there, it begins."""
    report, now = sandbox.store.report(split_id), sandbox.clock()
    cost = cost_cents(report, sandbox.behaviour) if report else None
    if report is None or cost is None:
        raise HTTPException(404, "No such split report, or none that can be paid for yet")
    if payment.payload and payment.payload != describe(report, sandbox.behaviour, now)["pixQrCodePayload"]:
        raise HTTPException(409, "That code is not valid any more")
    cents = cost - report.funded_cents if payment.amount is None else cents_of(payment.amount)
    sandbox.store.fund(report, cents, now, begins=report.funded_cents + cents >= cost)
    return {"funded": split_id}


class ComesBack(BaseModel):
    """A payment that comes back to whoever paid, whole or in part.

    Attributes:
        amount: Less than nothing where it does not after all.
        shows_in_report: Whether the report says so.
    """

    model_config = ConfigDict(extra="forbid")

    extPaymentId: str
    amount: Number
    shows_in_report: bool = True


@router.post("/reports/{split_id}/return")
def return_payment(split_id: str, back: ComesBack, sandbox: Running) -> dict[str, str]:
    """Give a payment back, as the payee's bank does."""
    report, now = sandbox.store.report(split_id), sandbox.clock()
    if report is None or status_at(report, sandbox.behaviour, now) not in {"DONE", "CLOSED", "ERROR"}:
        raise HTTPException(404, "No such split report, or none that has ended")
    cents = cents_of(back.amount)
    if not sandbox.store.give_back(report, back.extPaymentId, cents, now, shown=back.shows_in_report):
        raise HTTPException(409, "No such payment, or less of it was paid")
    return {"returned": split_id}


@router.get("/statement.{form}")
def statement(form: Literal["ofx", "csv"], sandbox: Running, fault: BankFault | None = None) -> Response:
    """Return the statement of the payer's bank until today: what went to the service, and what came back."""
    rows, today = sandbox.database.rows, dt.datetime.fromtimestamp(sandbox.clock(), BRASILIA).date()
    lines = lines_of_bank(rows(tables.fundings), rows(tables.returns), rows(tables.account_checks))
    lines = with_fault(lines, fault) if fault else lines
    written = ofx_of(lines, today) if form == "ofx" else csv_of(lines)
    return Response(written, media_type="application/x-ofx" if form == "ofx" else "text/csv")


@router.get("/awaits")
def what_reports_wait_for(sandbox: Running) -> dict[str, str]:
    """Return what each report waits for: `rate`, `money`, `time`, `fee` or `nothing`."""
    now = sandbox.clock()
    return {report.split_id: awaits(report, sandbox.behaviour, now) for report in sandbox.store.reports(now)}


@router.get("/contacts")
def contacts(sandbox: Running) -> Response:
    """Return the address book, oldest contact first, as the service tells each: the interface cannot list it."""
    return exact_answer([contact.model_dump() for contact in sandbox.address_book.contacts()])


@router.post("/contacts/{contact_id}/accounts")
def add_account(contact_id: str, account: SandboxBankAccountData, sandbox: Running) -> Response:
    """Give a contact an account, which no endpoint of the interface does; return the contact."""
    refuse_if_any(unknown_fields(account))
    tax_ids = (contact.tax_id for contact in sandbox.address_book.contacts() if contact.id == contact_id)
    destination = destination_of(account, next(tax_ids, None), None)
    contact = sandbox.address_book.add_account(sandbox.clock(), contact_id, destination)
    if contact is None:
        raise HTTPException(404, "No such contact")
    return exact_answer(contact.model_dump())


@router.post("/settings")
async def change_behaviour(changes: dict[str, Any], sandbox: Running) -> Behaviour:
    """Change the named fields of `Behaviour`, until the sandbox stops; return all of them."""
    current = {name: getattr(sandbox.behaviour, name) for name in Behaviour.model_fields}
    try:
        sandbox.behaviour = Behaviour(**current | changes)
    except ValidationError as error:
        refuse_if_any([problem(found["loc"], found["msg"], found["type"]) for found in error.errors()])
    return sandbox.behaviour
