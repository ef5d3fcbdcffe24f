"""The job file: what came in, who shares it, under which rules, and where results go.

A job is a declaration. This module says what it must hold; `io_adapters.spreadsheets` reads it from YAML.
"""

import datetime as dt
import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, RootModel, WithJsonSchema, model_validator

from schemas.layouts.answers import REMARK, CellsOf, ColumnAnswer, IgnoredWhile
from schemas.layouts.layout import Layout
from schemas.values.money import parse_plain_amount
from schemas.values.reading import months_named
from schemas.values.tax_id import require_tax_id


def _exact(value: Any) -> Any:  # noqa: ANN401
    if isinstance(value, bool | float):
        raise ValueError('write numbers of money and rates in quotes, e.g. "50.00", so that no digit is lost')
    return value


def _cents(value: Any) -> Any:  # noqa: ANN401
    value = _exact(value)
    return parse_plain_amount(str(value)) if isinstance(value, str | int) else value


def _several(value: Any) -> Any:  # noqa: ANN401
    return (value,) if isinstance(value, str) else value


def _default_as_written(schema: dict[str, Any]) -> None:
    # The default is in centavos, what people write is not: 2500 in a job file means 2,500.00.
    if isinstance(schema.get("default"), int):
        schema["default"] = f"{Decimal(schema['default']).scaleb(-2)}"


Cents = Annotated[
    int, BeforeValidator(_cents, json_schema_input_type=str | int), Field(ge=0, json_schema_extra=_default_as_written)
]
Rate = Annotated[
    Decimal,
    BeforeValidator(_exact, json_schema_input_type=str | int),
    Field(gt=0, max_digits=20, decimal_places=12),
]
Amount = Annotated[Decimal, BeforeValidator(_exact, json_schema_input_type=str | int)]
TaxId = Annotated[str, BeforeValidator(require_tax_id)]
Currency = Annotated[str, Field(pattern=r"^[A-Z]{3}$")]
Patterns = Annotated[
    tuple[str, ...],
    BeforeValidator(_several, json_schema_input_type=str | list[str]),
    Field(min_length=1),
]
# The layout of a source whose files are recognised by their headers.
AUTO: Final = "auto"


class Declaration(BaseModel):
    """Part of a job file; a key it does not name is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class PayerIdentity(Declaration):
    """Who pays: the party responsible for the reports."""

    tax_id: TaxId = Field(description="CPF or CNPJ of whoever pays, with or without its marks.")
    name: str = Field(min_length=1, description="Their name, as reports and statements show it.")
    previous_tax_id: TaxId | None = Field(
        default=None, description="The number they had before: what was owed, paid and recouped under it goes on."
    )


class FormerCurrency(Declaration):
    """The currency that a job's reports had before."""

    currency: Currency = Field(description="ISO code.")
    rate: Rate = Field(description='How much of the job\'s currency one unit is worth, in quotes: "5.4312".')


class PeriodRange(Declaration):
    """A period given by its first and last day."""

    start: dt.date = Field(description="First day, such as 2026-10-01.")
    end: dt.date = Field(description="Last day; it belongs to the period.")

    @model_validator(mode="after")
    def _ordered(self) -> "PeriodRange":
        if self.end < self.start:
            raise ValueError("the period ends before it starts")
        return self


class Exchange(Declaration):
    """What one unit of a source's currency is worth in the job's currency, and who says so."""

    rate: Rate = Field(description='How much of the job\'s currency one unit is worth, in quotes: "5.4312".')
    date: dt.date = Field(description="The day the rate is of.")
    source: str = Field(description="Who says so, such as PTAX or the bank's contract.")


class RowsAsked(Declaration):
    """Which rows of a table are used, by what stands in one of its columns."""

    only: Annotated[tuple[str, ...], BeforeValidator(_several, json_schema_input_type=str | list[str])] = Field(
        description="Texts; rows with another text there are left out."
    )

    @property
    def said(self) -> ColumnAnswer:
        return self.only


class IgnoredColumn(Declaration):
    """A column that is left aside as long as its cells are of one kind."""

    ignored: Annotated[CellsOf, WithJsonSchema({"enum": list(CellsOf)})] = Field(
        description="What its cells are; of another kind, it is asked about again."
    )

    @property
    def said(self) -> ColumnAnswer:
        return IgnoredWhile(self.ignored)


AnswersDeclared = dict[str, str | RowsAsked | IgnoredColumn]


def answers_of(columns: AnswersDeclared) -> dict[str, ColumnAnswer]:
    """Return header -> what is said of it."""
    return {header: answer if isinstance(answer, str) else answer.said for header, answer in columns.items()}


class HouseColumns(RootModel[dict[str, AnswersDeclared]]):
    """Layout of a sender -> what a house has answered of columns that the layout does not know, for all its jobs."""

    model_config = ConfigDict(frozen=True, hide_input_in_errors=True)
    root: dict[str, AnswersDeclared] = {}

    @model_validator(mode="after")
    def _statements_have_no_remarks(self) -> "HouseColumns":
        if any(answer == REMARK for columns in self.root.values() for answer in columns.values()):
            raise ValueError("remark is for what people write beside payments; a statement's column is ignored")
        return self

    def of(self, layout: Layout) -> dict[str, ColumnAnswer]:
        return answers_of(self.root.get(layout.layout, {})) if layout.is_of_a_sender else {}


NO_HOUSE_COLUMNS: Final = HouseColumns()


class TableFiles(Declaration):
    """Files of one table, and what of them is read as what, where their layout does not know."""

    files: Patterns = Field(
        description="Names, patterns or URLs (s3://...), relative to the job file; {period} becomes the period's label."
    )
    sheet: Annotated[tuple[str, ...], BeforeValidator(_several, json_schema_input_type=str | list[str])] = Field(
        default=(), description="The sheet to read, or several; left out, the only one with the columns wanted."
    )
    columns: AnswersDeclared = Field(
        default={},
        description="Header as the file has it -> what it is: a column such as amount, remark, ignored, "
        "{ignored: text} for as long as its cells are that, or {only: [...]} for the rows to use by it; goes before "
        "what the layout says.",
    )
    dates: Literal["day_first", "month_first"] | None = Field(
        default=None,
        description="What comes first in dates such as 01/09/2026; null is as the layout and the cells say.",
    )

    @property
    def answers(self) -> dict[str, ColumnAnswer]:
        """Header -> what the job says of it."""
        return answers_of(self.columns)


def _only_files(value: Any) -> Any:  # noqa: ANN401
    return {"files": value} if isinstance(value, str | list | tuple) else value


BesideFiles = Annotated[TableFiles, BeforeValidator(_only_files, json_schema_input_type=str | list[str] | TableFiles)]


class Source(TableFiles):
    """Files of one layout; `auto` recognises each file by its headers."""

    layout: str | Layout = Field(
        description="How the sender lays it out: a name of `repasse layouts`, auto, or a path to a YAML file."
    )
    read: Annotated[tuple[str, ...], BeforeValidator(_several, json_schema_input_type=str | list[str])] = Field(
        default=(),
        description="Sheets whose money is added only when the house says so, such as ONErpm's Shares In & Out.",
    )
    ignore: Annotated[tuple[str, ...], BeforeValidator(_several, json_schema_input_type=str | list[str])] = Field(
        default=(),
        description="Sheets, members of archives, or files that are not to be read although there is money in them.",
    )
    currency: Currency | None = Field(
        default=None,
        description="Of statement lines that say none themselves; null is what the sender is known to write.",
    )
    exchange: dict[Currency, Exchange] = Field(
        default={}, description="Rate of each currency of the lines that is not the job's."
    )
    received: dict[Currency, Amount] = Field(
        default={},
        description="What the bank got for these files, by currency; lines that do not add up to it are held.",
    )

    @property
    def layout_name(self) -> str:
        return self.layout if isinstance(self.layout, str) else self.layout.layout


class Limits(Declaration):
    """Above these a second approver is needed; None is no limit."""

    payment: Cents | None = Field(default=None, description="Reais of one payment; null is no limit.")
    run: Cents | None = Field(default=None, description="Reais of a whole plan; null is no limit.")


class Rules(Declaration):
    """What to do where the data leaves a choice."""

    owner: Literal["remainder", "error"] = Field(
        default="remainder",
        description="What no share claims: remainder leaves it to the payer (ownerAmount), error makes no plan.",
    )
    unmatched: Literal["hold", "owner", "error"] = Field(
        default="hold",
        description="Lines no share covers: hold keeps them, owner gives them to the payer, error makes no plan.",
    )
    invalid_payee: Literal["hold", "stop"] = Field(
        default="hold",
        description="A payee or row with a problem: hold leaves it out and pays the others, stop sends nothing.",
    )
    minimum_payout: Cents = Field(
        default=0,
        description="Reais below which royalties are carried to the next period; payments rows are always paid.",
    )
    recoup_advances: bool = Field(
        default=True, description="Whether advances are taken from what their payees have earned."
    )
    recoup_from: Literal["earned", "earned_and_carried"] = Field(
        default="earned",
        description="What advances are taken from: what was earned in the period, or that and the balance carried in.",
    )
    max_payments_per_batch: int = Field(
        default=200,
        ge=1,
        description="How many payments one report has at most; small ones tell more of who was paid in part.",
    )
    limits: Limits = Field(
        default=Limits(),
        description="Above these amounts a second person has to approve.",
    )


class ValidDays(Declaration):
    """For how many days an answer about an account is believed, by what the key can do.

    A telephone's key may pass to whoever gets the number; the owner of an e-mail's or a random key cannot change.
    """

    phone_number: int = Field(default=30, ge=1, description="Of a telephone's key, which may pass to another person.")
    email: int = Field(default=180, ge=1, description="Of an e-mail's key, which cannot.")
    random_key: int = Field(default=365, ge=1, description="Of a random key, which cannot.")
    document: int = Field(default=180, ge=1, description="Of the key of a CPF or CNPJ.")
    account: int = Field(default=90, ge=1, description="Of branch and account.")


class AccountCheckRules(Declaration):
    """When the paid account check is made, and how much of it."""

    when: Literal["never", "new_or_changed", "always"] = Field(
        default="new_or_changed",
        description="Of which accounts the service is asked before they are paid to; each costs a centavo and the fee.",
    )
    fee: Cents = Field(default=35, description="Reais that one check costs beside the centavo.")
    budget: Cents = Field(
        default=2500, description="Reais that the checks of one run may cost; accounts beyond it are held."
    )
    valid_for_days: ValidDays = Field(
        default=ValidDays(), description="How long an answer is believed, by kind of key."
    )
    phone_again_above: Cents | None = Field(
        default=None,
        description="Reais above which a telephone's key is checked again before each payment; null is none.",
    )
    ownership: bool = Field(default=True, description="Whether the account has to be the payee's own.")
    at_a_time: int = Field(default=8, ge=1, le=100, description="How many checks are asked at once.")


class ServiceUse(Declaration):
    """How hard the payout service may be asked: requests a second, of every kind together; None is no limit."""

    requests_per_s: Annotated[Decimal, Field(gt=0)] | None = Field(
        default=None, description="Requests a second, of every kind together; null is no limit."
    )


class ForeignCurrency(Declaration):
    """The exchange rate of reports that are not in BRL."""

    rate: Rate = Field(description='Reais for one unit of the job\'s currency, in quotes: "5.4312".')
    order_id: str | None = Field(default=None, description="The exchange order's number at the service.")
    show_exchange_data: bool = Field(default=True, description="Whether payees are shown the exchange.")


Identities = Literal["declared", "signed_in"]


class ApprovalRule(Declaration):
    """Whose word a plan needs.

    `other_than_preparer`: whether whoever launched the run, or uploaded a file of it, counts as one who approves. Left
    out, they count by a typed name and do not by an approval in the desk.
    """

    above: Cents = Field(
        default=0, description="Reais from which a plan needs approval; at or below it none is needed."
    )
    approvers: int = Field(default=1, ge=1, le=2, description="How many people: 2 is four eyes.")
    identities: Identities = Field(
        default="declared",
        description="declared takes a typed name, signed_in only users of the desk, for every act of a person.",
    )
    other_than_preparer: bool | None = Field(
        default=None,
        description="Whether whoever launched the run, or uploaded its files, may not approve it; null: only the desk "
        "keeps them from it.",
    )


class PolicyChecks(Declaration):
    """How many paid account checks a house allows, of all jobs together."""

    per_day: int | None = Field(default=None, ge=0, description="Checks a day at most; null is no limit.")
    per_month: int | None = Field(default=None, ge=0, description="Checks a month at most; null is no limit.")
    approval_above: int | None = Field(
        default=None,
        ge=0,
        description="Checks of one run from which a person has to approve them before any is made; null is none.",
    )
    phone_again_above: Cents | None = Field(
        default=None,
        description="Reais above which a telephone's key is checked again before each payment; null is none.",
    )


class PolicyReads(Declaration):
    """Where jobs may read beside their own folder and the folder of jobs."""

    schemes: tuple[str, ...] = Field(default=(), description="Of URLs, such as s3; without any, no URL is read.")
    folders: tuple[str, ...] = Field(default=(), description="Absolute paths of folders that any job may read.")


class HousePolicy(Declaration):
    """The least a house asks of every job, in a file of its own; what it leaves out it leaves to the jobs.

    The keys mean what they mean in a job; `limits` are those of a job's rules.
    """

    above: Cents | None = Field(
        default=None,
        description="Reais up to which a job may do without approval; left out, what the job says, and 0.00 where "
        "approvers, identities or other_than_preparer ask for more than the least.",
    )
    approvers: int = Field(default=1, ge=1, le=2, description="How many people at least.")
    limits: Limits = Field(
        default=Limits(),
        description="Amounts from which a second person has to approve.",
    )
    identities: Identities = Field(
        default="declared", description="signed_in: only users of the desk count, in every job."
    )
    other_than_preparer: bool = Field(
        default=False, description="Whether nobody may approve what they launched or uploaded, in any job."
    )
    account_checks: PolicyChecks = Field(
        default=PolicyChecks(), description="How many paid account checks all jobs together may make."
    )
    reads: PolicyReads = Field(
        default=PolicyReads(), description="Where jobs may read beside their own folder and the folder of jobs."
    )


class Settle(Declaration):
    """How long a run follows its reports, and how often it asks at most."""

    every_s: Annotated[Decimal, Field(gt=0)] = Field(
        default=Decimal(30), description="Seconds between two questions, at least."
    )
    for_s: Annotated[Decimal, Field(ge=0)] = Field(
        default=Decimal(1800), description="Seconds after which the run ends, whatever is still open."
    )


_OfLines = Literal["isrc", "upc", "release", "title", "artist", "platform", "territory", "units", "amount"]
Told = _OfLines | Literal["reference", "artist_name", "name"]
_TOLD_BY: Final = {
    "recording": frozenset({"isrc", "upc", "release", "title", "artist", "units", "amount"}),
    "platform": frozenset({"platform", "units", "amount"}),
    "territory": frozenset({"territory", "units", "amount"}),
    "row": frozenset({"reference", "artist_name", "name", "amount"}),
}


class Elements(Declaration):
    """The shape of an array's elements, which the interface does not show: one for each of what `by` names.

    `fields` says for each field of an element what it holds. Recordings, platforms and territories make up payments of
    royalties; a row is one of a payments sheet, which is one element.
    """

    by: Literal["recording", "platform", "territory", "row"] = Field(description="What there is one element for.")
    fields: dict[str, Told] = Field(min_length=1, description="Field of an element -> what it holds.")

    @model_validator(mode="after")
    def _fields_are_known_of_it(self) -> "Elements":
        strange = sorted(set(self.fields.values()) - _TOLD_BY[self.by])
        if strange:
            raise ValueError(f"by: {self.by} does not tell {', '.join(strange)}")
        return self


class Breakdown(Declaration):
    """What payments are made of, sent only as declared here."""

    products: Elements | None = Field(default=None, description="Elements of the array products; null sends none.")
    platforms: Elements | None = Field(default=None, description="Elements of the array platforms; null sends none.")
    details: Elements | None = Field(default=None, description="Elements of the array details; null sends none.")

    @property
    def declared(self) -> dict[str, Elements]:
        """The arrays that are sent, by name."""
        shapes = {"products": self.products, "platforms": self.platforms, "details": self.details}
        return {name: shape for name, shape in shapes.items() if shape}


class Outputs(Declaration):
    """Where results go and in which form."""

    folder: str = Field(default="out", description="Where results go, relative to the job file.")
    formats: tuple[Literal["xlsx", "csv", "json", "parquet"], ...] = Field(
        default=("xlsx", "csv", "json"),
        description="What is written: workbooks, CSV, JSON; and the payments as Parquet, for programs.",
    )
    statements: bool = Field(default=True, description="Whether a PDF is set for each payee.")
    language: Literal["pt-BR", "en"] = Field(default="pt-BR", description="Of all that people read.")


PREVIOUS_MONTH: Final = "previous_month"
# In the pattern of a file it stands for the label of the period.
PERIOD_MARK: Final = "{period}"
PeriodSpec = Annotated[str, Field(pattern=r"^(\d{4}-(0[1-9]|1[0-2])|previous_month)$")] | PeriodRange


class Job(Declaration):
    """One payout, declared. The name is part of every key in the ledger."""

    job: str = Field(
        pattern=r"^[a-z0-9][a-z0-9-]{0,62}$",
        description="Name; part of every key in the ledger, so a renamed job is another one.",
    )
    continues: str | None = Field(
        default=None,
        pattern=r"^[a-z0-9][a-z0-9-]{0,62}$",
        description="The name this job had before: it goes on from what that one carried and recouped.",
    )
    currency_was: FormerCurrency | None = Field(
        default=None, description="The currency of the reports before: what is owed in it goes on at this rate."
    )
    payer: PayerIdentity
    period: PeriodSpec | None = Field(
        default=None,
        description="A month (2026-10), previous_month, or first and last day; left out, the month opened last.",
    )
    currency: Currency = Field(default="BRL", description="Of the reports.")
    sources: tuple[Source, ...] = Field(min_length=1, description="What came in.")
    pix_key_types: Literal["asked", "as_shown"] = Field(
        default="asked",
        description="as_shown takes each Pix key without a type for the one that it shows; asked wants a word on them.",
    )
    payees: BesideFiles | None = Field(
        default=None, description="Who is paid where; payments rows may carry it themselves."
    )
    shares: BesideFiles | None = Field(default=None, description="Who has which part of what.")
    costs: BesideFiles | None = Field(
        default=None, description="What is taken off the top of lines, before they are shared out."
    )
    advances: BesideFiles | None = Field(default=None, description="What was paid ahead and is taken from royalties.")
    opening: BesideFiles | None = Field(default=None, description="What stood in the books before Repasse kept them.")
    rates: BesideFiles | None = Field(
        default=None, description="Exchange rates by currency and day, for sources whose exchange does not name them."
    )
    taxes: BesideFiles | None = Field(
        default=None, description="Taxes to withhold from royalties, by payee and kind, as the accountant gives them."
    )
    invoices: BesideFiles | None = Field(
        default=None, description="Invoices (notas fiscais) of payees who must send one before they are paid."
    )
    rules: Rules = Rules()
    account_checks: AccountCheckRules = AccountCheckRules()
    service: ServiceUse = ServiceUse()
    foreign_currency: ForeignCurrency | None = Field(
        default=None, description="Rate and order of reports that are not in BRL."
    )
    breakdown: Breakdown = Breakdown()
    approval: ApprovalRule = ApprovalRule()
    settle: Settle = Settle()
    outputs: Outputs = Outputs()

    @property
    def tables(self) -> dict[str, TableFiles | None]:
        """The tables beside the sources, by name, in the order in which they are read."""
        names = ("payees", "shares", "costs", "advances", "opening", "rates", "taxes", "invoices")
        return {name: getattr(self, name) for name in names}

    @model_validator(mode="after")
    def _says_nothing_of_one_month_alone(self) -> "Job":
        if self.period is None and any(source.received for source in self.sources):
            raise ValueError("received is of one month, and the job names none: it is said when a month is opened")
        if self.period == PREVIOUS_MONTH:
            fixed = [p for source in self.sources for p in source.files if PERIOD_MARK not in p]
            if fixed:
                raise ValueError(
                    "with period: previous_month every pattern of sources.files needs {period}, "
                    f"or last month's file would be paid again; it is missing in {', '.join(fixed)}"
                )
        return self

    @model_validator(mode="after")
    def _goes_on_from_another_job(self) -> "Job":
        if self.continues == self.job:
            raise ValueError(f"continues is the name the job had before, and {self.job} is the one it has")
        return self

    @model_validator(mode="after")
    def _goes_on_from_another_currency(self) -> "Job":
        if self.currency_was is not None and self.currency_was.currency == self.currency:
            raise ValueError(
                f"currency_was is the currency the reports had before, and {self.currency} is what they have"
            )
        if self.payer.previous_tax_id == self.payer.tax_id:
            raise ValueError("previous_tax_id is the number the payer had before, and not the one it has")
        return self

    @model_validator(mode="after")
    def _foreign_reports_have_a_rate(self) -> "Job":
        if self.currency != "BRL" and self.foreign_currency is None:
            raise ValueError(f"reports in {self.currency} need foreign_currency with a rate")
        return self


# Payouts are Brazilian: days turn, and people meet, by this clock, wherever the machine stands.
# No summer time since 2019 (Decreto 9.772/2019).
BRASILIA: Final = dt.timezone(dt.timedelta(hours=-3))


@dataclass(frozen=True, slots=True)
class Period:
    """The days a job pays for.

    Attributes:
        label: "2026-10" for a month, "2026-10-01..2026-10-15" otherwise; part of every key and of the output folder.
        start: First day.
        end: Last day.
    """

    label: str
    start: dt.date
    end: dt.date


def resolve_period(spec: str | PeriodRange, today: dt.date) -> Period:
    """Turn what the job says into days.

    A range that covers exactly one month is that month, so that both ways of saying it give one key.

    >>> resolve_period("previous_month", dt.date(2026, 11, 20)).label
    '2026-10'
    """
    if isinstance(spec, PeriodRange):
        month = _month(spec.start.year, spec.start.month)
        if (month.start, month.end) == (spec.start, spec.end):
            return month
        return Period(f"{spec.start}..{spec.end}", spec.start, spec.end)
    if spec == PREVIOUS_MONTH:
        last_day = today.replace(day=1) - dt.timedelta(days=1)
        return _month(last_day.year, last_day.month)
    return _month(int(spec[:4]), int(spec[5:]))


def labelled_period(label: str) -> Period:
    """Return the period of a label.

    >>> labelled_period("2026-10").end
    datetime.date(2026, 10, 31)
    """
    start, _, end = label.partition("..")
    if end:
        return Period(label, dt.date.fromisoformat(start), dt.date.fromisoformat(end))
    return _month(int(label[:4]), int(label[5:]))


def month_label(text: str, today: dt.date) -> str:
    """Return the label of the month that somebody names, however it is written; any other text is returned as it is.

    A month without a year is the last one that has begun.

    >>> today = dt.date(2026, 11, 3)
    >>> [month_label(text, today) for text in ("10/2026", "out/26", "Outubro", "dezembro", "2026-10", "logo")]
    ['2026-10', '2026-10', '2026-10', '2025-12', '2026-10', 'logo']
    """
    named = months_named(text)
    if len(named) != 1 or ".." in text:
        return text
    ((year, month),) = named
    if year is None:
        year = today.year if month <= today.month else today.year - 1
    return _month(year, month).label


def month_near(text: str, day: dt.date) -> str:
    """Return the one month that a text names, without a year the nearest to a day; "" for none, or for several.

    >>> month_near("lista_dez_2026", dt.date(2026, 11, 1)), month_near("cachê janeiro", dt.date(2026, 11, 1))
    ('2026-12', '2027-01')
    """
    named = months_named(text)
    if len(named) != 1:
        return ""
    ((year, month),) = named
    years = [year] if year is not None else [day.year - 1, day.year, day.year + 1]
    return min((_month(some, month) for some in years), key=lambda found: abs(found.start - day)).label


def period_asked(declared: str | PeriodRange | None, asked: str) -> str | PeriodRange:
    """Return the period somebody asks a job for; where the job says first and last day, there is no other.

    What was planned in one month may be approved in the next, and another month may be opened of a job that names one:
    the files it names are of its own month, those of the other are handed in.

    Raises:
        ValueError: it is not a month, or the job is for some days.
    """
    if isinstance(declared, PeriodRange):
        own = resolve_period(declared, dt.date.min).label  # the same on every day
        if asked != own:
            raise ValueError(f"the job is for {own}, first and last day; only a job for months can be run for another")
        return declared
    if not re.fullmatch(r"[0-9]{4}-(0[1-9]|1[0-2])", asked):
        raise ValueError("a period is a month, such as 2026-10")
    return asked


def _month(year: int, month: int) -> Period:
    start = dt.date(year, month, 1)
    following = dt.date(year + month // 12, month % 12 + 1, 1)
    return Period(f"{start:%Y-%m}", start, following - dt.timedelta(days=1))
