"""The reconciliation of a run: the content of `summary.json` and of the workbook."""

import datetime as dt
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    InstanceOf,
    SerializerFunctionWrapHandler,
    field_serializer,
    field_validator,
    model_serializer,
)

from schemas.issues import Issue, IssueCode
from schemas.messages import Listed, Message, Money, catalogue_in, message_from, message_json, render
from schemas.obligation import Obligations
from schemas.plan import Place
from schemas.waits import Wait

if TYPE_CHECKING:  # reading a summary need not load a library of tables
    import pandas as pd


class Strict(BaseModel):
    """Part of `summary.json`; its keys are relied on by other programs."""

    model_config = ConfigDict(extra="forbid")


class BatchExchange(Strict):
    """The exchange rate of a report in a foreign currency, as approved, and what became of setting it."""

    update_id: str
    currency: str
    rate: str
    order_id: str | None
    outcome: str


class BatchSummary(Strict):
    """One report as planned, sent and told by the service.

    `exchange` is there for a foreign currency alone, `linked_by` for a report that was found by likeness.
    """

    report_id: str
    split_id: str | None
    status: str | None
    outcome: str
    payments: int
    amount_cents: int
    exchange: BatchExchange | None = None
    linked_by: str | None = None

    @model_serializer(mode="wrap")
    def _without_what_is_not_there(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        written: dict[str, Any] = write(self)
        return {
            name: value for name, value in written.items() if name not in {"exchange", "linked_by"} or value is not None
        }


class RowCounts(Strict):
    """Where each input row went: read = used + held + duplicate + ignored."""

    read: int = 0
    used: int = 0
    held: int = 0
    duplicate: int = 0
    ignored: int = 0


class AccountCheckCounts(Strict):
    """What the paid account checks of this run did and cost; `unknown` counts those not asked any more too."""

    made: int = 0
    reused: int = 0
    invalid: int = 0
    unknown: int = 0
    cost_cents: int = 0
    budget_cents: int = 0


class Discrepancy(Strict):
    """A mismatch between planned, recorded and reported; data with a kind.

    Attributes:
        report_id: Ours; None where it is of none.
        why: Of a report that ended otherwise, as code and facts; left out where there is nothing to say.
    """

    kind: str
    report_id: str | None
    message: str
    expected: str | None = None
    found: str | None = None
    why: InstanceOf[Message] | None = None

    @field_validator("why", mode="before")
    @classmethod
    def _read_again(cls, told: Any) -> Any:  # noqa: ANN401  # JSON, or the message itself
        return message_from(told) if isinstance(told, dict) else told

    @field_serializer("why", when_used="json-unless-none")
    def _as_code_and_facts(self, why: Message) -> dict[str, Any]:
        return message_json(why)

    @model_serializer(mode="wrap")
    def _without_what_is_not_there(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        written: dict[str, Any] = write(self)
        return {name: value for name, value in written.items() if name != "why" or value is not None}

    @classmethod
    def of(cls, kind: str, report_id: str | None, expected: object = None, found: object = None) -> "Discrepancy":
        shown = {
            name: None if value is None else str(value) for name, value in (("expected", expected), ("found", found))
        }
        return cls(kind=kind, report_id=report_id, message=render(f"discrepancy.{kind}", "en"), **shown)

    def render_in(self, language: str) -> str:
        """Say what does not agree, or why a report ended otherwise."""
        texts = catalogue_in(language)
        if self.why is not None:
            return texts.write(self.why)
        return texts(id_) if (id_ := f"discrepancy.{self.kind}") in texts else self.message


class Totals(Strict):
    """Centavos by place; `in` equals the sum of all the others."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)

    in_: int = Field(default=0, alias="in")
    paid: int = 0
    processing: int = 0
    withheld: int = 0
    income_tax: int = 0
    owner: int = 0
    tax: int = 0
    recouped: int = 0
    carried: int = 0
    held: int = 0
    conflict: int = 0
    duplicate: int = 0
    planned: int = 0
    not_sent: int = 0
    in_doubt: int = 0
    undetermined: int = 0
    refused: int = 0
    failed: int = 0
    excluded: int = 0
    returned: int = 0

    def by_place(self) -> dict[Place, int]:
        return {place: cents for place in Place if (cents := getattr(self, place.value))}

    def placed(self) -> int:
        """Sum of all places; must equal `in`."""
        return sum(getattr(self, place.value) for place in Place)


# Of what was paid before, all is in these places.
_PAID_BEFORE: Final = frozenset(
    {Place.DUPLICATE, Place.PAID, Place.PROCESSING, Place.INCOME_TAX, Place.OWNER, Place.TAX, Place.RECOUPED}
)


class Summary(Strict):
    """Content of `summary.json`."""

    run: str
    job: str
    period: str
    plan_digest: str | None
    currency: str
    state: str
    exit_code: int
    totals_cents: Totals
    batches: list[BatchSummary]
    rows: RowCounts
    account_checks: AccountCheckCounts
    issues: dict[str, int]
    discrepancies: list[Discrepancy]

    @property
    def nothing_sent(self) -> Message:
        """Say of a run that had nothing to send where all that came in is: paid, or still owed, or nowhere at all."""
        where = self.totals_cents.by_place()
        if not where:
            return Message("cli.run.empty")
        is_repeated = IssueCode.FILE_DUPLICATE.value in self.issues  # paid, if at all, as something else
        if Place.DUPLICATE in where and where.keys() <= _PAID_BEFORE and not is_repeated:
            return Message("cli.run.nothing")
        amounts = (
            Message("cli.run.place", place=Message(f"place.{place}"), amount=Money(cents, self.currency))
            for place, cents in where.items()
        )
        return Message("cli.run.not_paid", where=Listed(tuple(amounts)))

    def to_json(self) -> str:
        """Write the document with the wire's key names, indented for people."""
        return self.model_dump_json(by_alias=True, indent=1)


@dataclass(frozen=True, slots=True)
class ReportLine:
    """One report that pays something of a run: when, by whose yes, and what the service says of it by now.

    Attributes:
        split_id: The service's number; None until known.
        status: The service's last word on it; None until known.
        sent_at: When the intent to send was written down (UTC); None before.
        ended_at: When it was seen to have ended as it has (UTC); None while it is open.
        tax_cents, fee_cents, paid_cents: What the service says it kept as income tax and as its fee, and paid; None
            where it is silent.
    """

    submission_id: str
    split_id: str | None
    plan_digest: str
    state: str
    status: str | None
    payments: int
    amount_cents: int
    is_likely: bool = False
    sent_at: dt.datetime | None = None
    ended_at: dt.datetime | None = None
    approved_by: tuple[str, ...] = ()
    tax_cents: int | None = None
    fee_cents: int | None = None
    paid_cents: int | None = None
    exchange: BatchExchange | None = None


@dataclass(frozen=True, slots=True)
class RecordedDecision:
    """What a person decided on a plan, or on a payment.

    Attributes:
        how: By what way; None where that goes without saying.
        plan_digest: The plan; "" for a payment.
        payee: Whose payment; "" for a plan.
    """

    at: dt.datetime
    by: str
    decided: Message
    how: Message | None
    amount_cents: int
    plan_digest: str = ""
    payee: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class Reconciliation:
    """Everything the outputs are written from.

    Attributes:
        checks: The account checks this run rests on: payee, `destination_masked`, result, made (bool), reused (bool),
            `cost_cents`, message; the costs add up to that of the summary.
    """

    summary: Summary
    payer_name: str
    language: str
    obligations: Obligations
    payees: "pd.DataFrame"
    earnings: "pd.DataFrame"
    rows: "pd.DataFrame"
    checks: "pd.DataFrame"
    issues: tuple[Issue, ...] = ()
    decisions: tuple[Message, ...] = field(default=())
    waits: tuple[Wait, ...] = ()
    reports: tuple[ReportLine, ...] = ()
    recorded: tuple[RecordedDecision, ...] = ()
