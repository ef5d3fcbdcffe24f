"""Storage of reports and account checks, in the one SQLite file that outlives the process."""

import datetime as dt
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import Any, Final

import sqlalchemy as sa

from io_adapters.sandbox.assumptions import Behaviour
from io_adapters.sandbox.codes import CITY, RECEIVER_KEY, br_code
from io_adapters.sandbox.models import (
    REPORT_FIELDS,
)
from io_adapters.sandbox.tables import (
    SandboxDatabase,
    account_checks,
    exchange_rates,
    fundings,
    payments,
    reports,
    returns,
)
from schemas.wire import amount_from_cents

NOTHING: Final = dict.fromkeys(REPORT_FIELDS)


@dataclass(frozen=True, slots=True)
class StoredReport:
    """What is known of a report. Times are seconds since 1970 (UTC), money is centavos."""

    split_id: str
    created_at: float
    tax_id: str
    report_id: str | None
    batch_name: str | None
    currency: str
    amount_cents: int
    owner_cents: int
    payments: int
    payments_cents: int
    withheld: int
    withheld_cents: int
    failing: int
    failing_cents: int
    income_tax_cents: int
    fee_rate: str
    fee_cents: int
    exchange_rate: str | None = None
    rated_at: float | None = None
    order_id: str | None = None
    show_exchange_data: bool | None = None
    funded_cents: int = 0
    funded_at: float | None = None
    returned: int = 0
    returned_cents: int = 0
    forced: str = ""
    vanished: bool = False


def cost_cents(report: StoredReport, behaviour: Behaviour) -> int | None:
    """Return what a report costs whoever pays for it, in centavos of BRL; None while it has no exchange rate."""
    rate = "1" if report.currency == "BRL" else report.exchange_rate
    cents = report.amount_cents + (report.fee_cents if behaviour.fee_on_top else 0)
    return None if rate is None else int((cents * Decimal(rate)).to_integral_value())


def begun_at(report: StoredReport, behaviour: Behaviour) -> float | None:
    """Return when a report began to be worked on; None while it waits for its rate or its money."""
    begun = report.created_at if report.currency == "BRL" else report.rated_at
    if behaviour.funding == "none" or begun is None:
        return begun
    return None if report.funded_at is None else max(begun, report.funded_at)


def status_at(report: StoredReport, behaviour: Behaviour, now: float) -> str:
    begun = begun_at(report, behaviour)
    age_s = -1.0 if begun is None else now - begun
    if begun is None or age_s < min(behaviour.processing_after_s, behaviour.done_after_s):
        return "PENDING"
    if age_s < behaviour.done_after_s:
        return "PROCESSING"
    if _is_all_back(report):
        return "ERROR"
    if not report.failing:
        return "DONE"
    everything_failed = report.failing == report.payments - report.withheld
    return "ERROR" if everything_failed else behaviour.partial_ends_as


def _is_all_back(report: StoredReport) -> bool:
    """Whether the report shows that all it had paid came back."""
    paid = report.payments - report.withheld - report.failing
    return bool(report.returned) and report.returned == paid


def describe(report: StoredReport, behaviour: Behaviour, now: float) -> dict[str, Any]:
    """Return every SplitReport field of the interface, nulls where nothing is known.

    Forced fields win over computed ones; a forced status also decides what has been paid.
    """
    forced: dict[str, Any] = json.loads(report.forced, parse_float=Decimal) if report.forced else {}
    by_time = status_at(report, behaviour, now)
    status = forced.get("status", by_time)
    ended = status in {"DONE", "CLOSED"} or (status == by_time == "ERROR" and "status" not in forced)
    created = dt.datetime.fromtimestamp(report.created_at, dt.UTC).isoformat(timespec="milliseconds")
    return NOTHING | {
        "_id": report.split_id,
        "paymentBatchName": report.batch_name if behaviour.echo_name else None,
        "splitDate": created,
        "fee": Decimal(report.fee_rate),
        "feeAmount": amount_from_cents(report.fee_cents),
        "feePaid": ended and not _owes_fee(report, behaviour, now),
        "taxId": report.tax_id,
        "reportId": report.report_id if behaviour.echo_report_id else None,
        "status": status,
        "currency": report.currency,
        "exchangeOrderId": report.order_id,
        "exchangeRate": None if report.exchange_rate is None else Decimal(report.exchange_rate),
        "showExchangeData": report.show_exchange_data,
        "date": created,
        "withholdPayments": report.withheld,
        "withholdAmount": amount_from_cents(report.withheld_cents),
        "totalAmount": amount_from_cents(report.amount_cents),
        **_progress(report, ended=ended),
        **_code_of(report, behaviour, now),
        **forced,
    }


def _owes_fee(report: StoredReport, behaviour: Behaviour, now: float) -> bool:
    ended_at = (begun_at(report, behaviour) or now) + behaviour.done_after_s
    return now < ended_at + behaviour.fee_paid_after_s


def _code_of(report: StoredReport, behaviour: Behaviour, now: float) -> dict[str, Any]:
    """Return the Pix code of what is still to be paid for a report; nothing where nothing is."""
    cents = cost_cents(report, behaviour)
    if behaviour.funding != "pix" or report.funded_at is not None or cents is None:
        return {}
    txid = f"{report.split_id[:18]}{int((now - report.created_at) // behaviour.payload_valid_s):05d}"
    payload = br_code(
        RECEIVER_KEY,
        amount_from_cents(cents),
        txid=txid,
        description="",
        reusable=False,
        name=behaviour.receiver,
        city=CITY,
    )
    return {"pixQrCodeId": txid, "pixQrCodePayload": payload}


def awaits(report: StoredReport, behaviour: Behaviour, now: float) -> str:
    """Name what a report waits for: a rate, the payer's money, its time, its fee, or nothing."""
    if report.currency != "BRL" and report.rated_at is None:
        return "rate"
    if begun_at(report, behaviour) is None:
        return "money"
    if status_at(report, behaviour, now) in {"PENDING", "PROCESSING"}:
        return "time"
    return "fee" if report.fee_cents and _owes_fee(report, behaviour, now) else "nothing"


def _progress(report: StoredReport, *, ended: bool) -> dict[str, Any]:
    """Return how many payments are done and pending, and their money.

    What failed stays pending for ever; what came back is neither.
    """
    payable = report.payments - report.withheld
    payable_cents = report.payments_cents - report.withheld_cents
    done = payable - report.failing if ended else 0
    done_cents = payable_cents - report.failing_cents if ended else 0
    tax_cents = report.income_tax_cents if ended else 0
    return {
        "pendingPayments": payable - done,
        "pendingAmount": amount_from_cents(payable_cents - done_cents),
        "donePayments": done - report.returned,
        "paidAmount": amount_from_cents(done_cents - tax_cents - report.returned_cents),
        "irAmount": amount_from_cents(tax_cents),
    }


REPORT_COLUMNS = [column for column in reports.columns if column.name != "number"]


@dataclass(frozen=True, slots=True)
class StoredPayment:
    ext_payment_id: str | None
    final_amount_cents: int
    withheld: bool


class Store:
    """Reads and writes reports and account checks; may be used from several threads."""

    def __init__(self, database: SandboxDatabase) -> None:
        self._database = database

    def create_report(self, report: StoredReport, entries: Sequence[StoredPayment], *, unique: bool) -> bool:
        """Keep a new report and its payments; False, keeping nothing, when `unique` and its `report_id` is taken."""
        with self._database.writing() as connection:
            same_id = sa.select(reports.c.number).where(reports.c.report_id == report.report_id)
            if unique and report.report_id is not None and connection.execute(same_id).first():
                return False
            connection.execute(sa.insert(reports), asdict(report))
            if entries:
                rows = [{"split_id": report.split_id, **asdict(entry)} for entry in entries]
                connection.execute(sa.insert(payments), rows)
        return True

    def report(self, split_id: str) -> StoredReport | None:
        """Return one report; None when there is none or it has vanished."""
        query = sa.select(*REPORT_COLUMNS).where(reports.c.split_id == split_id, ~reports.c.vanished)
        with self._database.reading() as connection:
            row = connection.execute(query).first()
        return None if row is None else StoredReport(*row)

    def reports(self, created_until: float) -> list[StoredReport]:
        query = (
            sa.select(*REPORT_COLUMNS)
            .where(reports.c.created_at <= created_until, ~reports.c.vanished)
            .order_by(reports.c.number)
        )
        with self._database.reading() as connection:
            return [StoredReport(*row) for row in connection.execute(query)]

    def change_report(self, split_id: str, **columns: Any) -> bool:  # noqa: ANN401
        """Change columns of a report, vanished or not; tell whether there is one."""
        change = sa.update(reports).where(reports.c.split_id == split_id).values(**columns)
        with self._database.writing() as connection:
            return connection.execute(change).rowcount == 1

    def set_exchange_rate(self, split_id: str, at: float, **columns: Any) -> None:  # noqa: ANN401
        """Change the exchange columns of a report and note that it was asked; the first rate starts its clock."""
        change = sa.update(reports).where(reports.c.split_id == split_id)
        change = change.values(rated_at=sa.func.coalesce(reports.c.rated_at, at), **columns)
        note = sa.insert(exchange_rates).values(at=at, split_id=split_id, rate=columns.get("exchange_rate"))
        with self._database.writing() as connection:
            connection.execute(change)
            connection.execute(note)

    def fund(self, report: StoredReport, amount_cents: int, at: float, *, begins: bool) -> None:
        """Add to what was paid for a report; where that is all it costs, it begins."""
        change = sa.update(reports).where(reports.c.split_id == report.split_id)
        change = change.values(funded_cents=report.funded_cents + amount_cents, funded_at=at if begins else None)
        note = {"at": at, "split_id": report.split_id, "amount_cents": amount_cents}
        with self._database.writing() as connection:
            connection.execute(change)
            connection.execute(sa.insert(fundings), note)

    def give_back(self, report: StoredReport, name: str, amount_cents: int, at: float, *, shown: bool) -> bool:
        """Note that so much of a payment came back, less than nothing where it did not after all; False for too much.

        Args:
            shown: Whether the report says so.
        """
        mine = (payments.c.split_id == report.split_id) & (payments.c.ext_payment_id == name)
        back = (returns.c.split_id == report.split_id) & (returns.c.ext_payment_id == name)
        with self._database.writing() as connection:
            whole = connection.execute(sa.select(payments.c.final_amount_cents).where(mine)).scalar() or 0
            rows = connection.execute(sa.select(returns.c.amount_cents, returns.c.shown).where(back)).all()
            before, before_shown = (sum(row[0] for row in own) for own in (rows, [row for row in rows if row[1]]))
            if not 0 <= before + amount_cents <= whole:
                return False
            if shown:
                after = before_shown + amount_cents
                count = report.returned + (after == whole) - (before_shown == whole)
                change = {"returned": count, "returned_cents": report.returned_cents + amount_cents}
                connection.execute(sa.update(reports).where(reports.c.split_id == report.split_id).values(**change))
            note = {"at": at, "split_id": report.split_id, "ext_payment_id": name, "amount_cents": amount_cents}
            connection.execute(sa.insert(returns), note | {"shown": shown})
        return True

    def add_account_check(self, at: float, account: str, *, valid: bool, cost_cents: int) -> None:
        note = {"at": at, "account": account, "valid": valid, "cost_cents": cost_cents}
        with self._database.writing() as connection:
            connection.execute(sa.insert(account_checks), note)
