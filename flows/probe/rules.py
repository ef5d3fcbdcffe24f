"""What a probe asks in which order, what it may cost, and what answers say of our assumptions."""

import math
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from schemas.errors import ConfigurationError
from schemas.messages import Message
from schemas.values.pix_key import read_pix_key, read_pix_key_type
from schemas.values.tax_id import parse_tax_id
from schemas.wire import (
    AccountType,
    AccountValidation,
    BankAccountData,
    InstitutionPage,
    PaymentEntry,
    PixKeyType,
    SplitRequest,
    amount_from_cents,
    body_of,
    canonical_json,
)

PREFIX: Final = "REPASSE_ASSUME_"


class ProbeVerdict(StrEnum):
    """What a probe says of one assumption."""

    CONFIRMED = "confirmed"
    CONTRADICTED = "contradicted"
    NOT_FOUND_OUT = "not found out"


@dataclass(frozen=True, slots=True)
class ProbeFinding:
    """One assumption, held against what was seen.

    Attributes:
        assumed: What Repasse takes to be true, as its setting is written.
        seen: What was seen, likewise; alternatives that both hold are parted by commas. None when nothing was.
        verdict: How the two stand to each other.
        note: How it was seen, or why not; nothing personal.
    """

    name: str
    assumed: str
    seen: str | None
    verdict: ProbeVerdict
    note: str

    @property
    def setting(self) -> str | None:
        """The variable and value that make the assumption true; None where none is to be changed."""
        if self.verdict is not ProbeVerdict.CONTRADICTED or self.seen is None:
            return None
        return f"{PREFIX}{self.name.upper()}={self.seen.split(',')[0]}"


def written(value: Any) -> str:  # noqa: ANN401  # any of the settings' types
    """Write the value of an assumption as its setting is written.

    >>> written(frozenset({404, 410})), written(True), written("_id")
    ('404,410', 'true', '_id')
    """
    match value:
        case bool():
            return str(value).lower()
        case frozenset():
            numbers = sorted(value)
            whole = len(numbers) > 2 and numbers == list(range(numbers[0], numbers[-1] + 1))
            return f"{numbers[0]}-{numbers[-1]}" if whole else ",".join(map(str, numbers))
        case _:
            return str(value)


def agrees(assumed: Any, seen: str, name: str) -> bool:  # noqa: ANN401  # any of the settings' types
    """Say whether what was seen leaves an assumption standing.

    Args:
        assumed: The value of the assumption, in its own type.
        seen: What a probe saw, as the setting is written; alternatives parted by commas.
        name: Of the assumption: a time in which something happens is kept by every shorter one.
    """
    alternatives = seen.split(",")
    if isinstance(assumed, frozenset):
        return {int(alternative) for alternative in alternatives if alternative.isdecimal()} <= assumed
    if name.endswith("_within_s"):
        return seen.isdecimal() and int(seen) <= int(assumed)
    return written(assumed) in alternatives


def judge(name: str, assumed: Any, seen: str | None, note: str) -> ProbeFinding:  # noqa: ANN401
    """Hold what was seen against what was assumed; None is nothing seen, and proves nothing."""
    if seen is None:
        return ProbeFinding(name, written(assumed), None, ProbeVerdict.NOT_FOUND_OUT, note)
    verdict = ProbeVerdict.CONFIRMED if agrees(assumed, seen, name) else ProbeVerdict.CONTRADICTED
    return ProbeFinding(name, written(assumed), seen, verdict, note)


def whole_seconds(seconds: float) -> str:
    """Write a time that was measured, rounded up: a setting in seconds must not be shorter."""
    return str(math.ceil(seconds))


def reais(cents: int) -> str:
    """Write centavos for a price list.

    >>> reais(1)
    'R$ 0.01'
    """
    return f"R$ {Decimal(cents).scaleb(-2)}"


Needs = Literal["nothing", "payee", "account"]


@dataclass(frozen=True, slots=True)
class ProbeStep:
    """Something a probe does.

    Attributes:
        finds: The assumptions it says something of.
        cost_cents: What it can cost at most, beside the fee of a check, which the interface does not tell.
        needs: What the person must name for it.
    """

    key: str
    finds: tuple[str, ...]
    does: str
    cost_cents: int = 0
    fees: int = 0
    needs: Needs = "nothing"


STEPS: Final = (
    ProbeStep(
        "institutions",
        (
            "institutions_name",
            "institutions_min_start_date",
            "institutions_max_start_date",
            "institutions_page_size",
            "institutions_page",
            "institutions_rows",
        ),
        "lists institutions under each query name",
    ),
    ProbeStep("favorite", ("favorite_account",), "marks an account that does not exist as favorite"),
    ProbeStep("missing", ("missing_statuses",), "deletes a contact that does not exist"),
    ProbeStep(
        "create",
        ("create_statuses", "report_id_echoed", "listed_within_s", "get_takes"),
        "creates a report of R$ 0.01, lists until it shows, gets it by each id",
        cost_cents=1,
        needs="payee",
    ),
    ProbeStep("again", ("report_id_unique",), "creates that report once more", cost_cents=1, needs="payee"),
    ProbeStep(
        "sums",
        ("payments_and_owner_make_amount",),
        "creates a report of R$ 0.02 whose one payment is R$ 0.01",
        cost_cents=2,
        needs="payee",
    ),
    ProbeStep(
        "account",
        ("psp_id_is_ispb", "account_check_digit"),
        "checks your own account up to three times: other digit, other pspId",
        cost_cents=3,
        fees=3,
        needs="account",
    ),
)

# Written down as assumptions, and not asked: each leaves something behind in the service for good.
NOT_ASKED: Final = {
    "existing_statuses": "would leave contacts behind; `contacts sync` tells",
    "creating_again_makes": "would leave contacts behind; `contacts sync` tells",
    "registering_again_makes": "would leave webhooks behind, which nobody can delete",
    "deleting_answers": "needs a contact to delete; deleting one by hand tells",
    "qr_base_64_holds": "`repasse qrcode` tells",
    "refusing_statuses": "is the provider's promise about every answer of that status; no single answer can show it",
}


def steps_for(named: Collection[Needs]) -> tuple[ProbeStep, ...]:
    """Return what can be asked when so much is named, free things first."""
    return tuple(step for step in STEPS if step.needs == "nothing" or step.needs in named)


# Names to try where the assumed one is not followed, likeliest first.
OTHER_NAMES: Final = {
    "institutions_name": ("name", "institution_name", "search", "query"),
    "institutions_min_start_date": ("min_str_start_date", "min_start_date", "start_date_from", "min_date"),
    "institutions_max_start_date": ("max_str_start_date", "max_start_date", "start_date_to", "max_date"),
    "institutions_page_size": ("page_size", "rows_per_page", "per_page", "limit", "size"),
    "institutions_page": ("page_number", "page", "current_page"),
}


def names_to_try(name: str, assumed: str) -> tuple[str, ...]:
    """Return query names to try, the assumed one first."""
    return (assumed, *(other for other in OTHER_NAMES[name] if other != assumed))


# Never beginning as our own reports' ids do (rp-): nobody compares a probe's reports with the ledger's.
NAME: str = "repasse-probe-"


def _tax_id(text: str) -> str:
    value = parse_tax_id(text).value
    if value is None:
        raise ValueError("no CPF or CNPJ")
    return value


TaxId = Annotated[str, AfterValidator(_tax_id)]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)


class ProbePayer(_Model):
    """Whose report it is."""

    tax_id: TaxId


class ProbePayee(_Model):
    """Who gets the centavo: best the payer itself."""

    name: str = Field(min_length=1, repr=False)
    tax_id: TaxId = Field(repr=False)
    email: str = Field(min_length=3, repr=False)
    pix_key: str = Field(repr=False)
    pix_key_type: PixKeyType

    @model_validator(mode="before")
    @classmethod
    def _checked_key(cls, data: Any) -> Any:  # noqa: ANN401
        if not (isinstance(data, dict) and {"pix_key", "pix_key_type"} <= set(data)):
            return data
        stated = read_pix_key_type(str(data["pix_key_type"])).value
        key = read_pix_key(str(data["pix_key"]), stated).value if stated else None
        if key is None:
            raise ValueError("pix_key is none of its stated type")
        return data | {"pix_key": key, "pix_key_type": stated}


class OwnAccount(_Model):
    """An account of one's own, good for sure: what the service says of it tells about the service."""

    name: str = Field(min_length=1, repr=False)
    tax_id: TaxId = Field(repr=False)
    bank_code: str = Field(pattern=r"^[0-9]{3}$")
    ispb: str = Field(pattern=r"^[0-9]{8}$")
    agency: str = Field(pattern=r"^[0-9]{1,5}$", repr=False)
    account: str = Field(pattern=r"^[0-9]{1,13}-[0-9Xx]$", repr=False)
    account_type: AccountType = "checking_account"


class ProbeParties(_Model):
    """The file."""

    payer: ProbePayer
    payee: ProbePayee | None = None
    account: OwnAccount | None = None

    @property
    def named(self) -> frozenset[Needs]:
        """What can be probed with it."""
        given: set[Needs] = {"nothing"}
        given |= {"payee"} if self.payee else set()
        given |= {"account"} if self.account else set()
        return frozenset(given)


def read_parties(values: Any, name: str) -> ProbeParties:  # noqa: ANN401
    """Read what a file says.

    Raises:
        ConfigurationError: it says otherwise than it must; names keys, no values.
    """
    try:
        return ProbeParties.model_validate(values)
    except ValidationError as error:
        wrong = "; ".join(
            f"{'.'.join(map(str, problem['loc'])) or 'file'}: {problem['msg']}" for problem in error.errors()
        )
        raise ConfigurationError(Message("error.probe_declared", name=name, wrong=wrong)) from None


def report_body(parties: ProbeParties, report_id: str, date: str, *, amount_cents: int = 1) -> bytes:
    """Write the body of a report with one payment of a centavo.

    Args:
        report_id: Begins with `NAME`.
        date: Of the period, ISO 8601.
        amount_cents: Of the report; what is more than the payment belongs to nobody.
    """
    payee = parties.payee
    if payee is None:
        raise ValueError("a report needs a payee")
    centavo = amount_from_cents(1)
    entry = PaymentEntry(
        taxId=payee.tax_id,
        name=payee.name,
        email=payee.email,
        amount=centavo,
        finalAmount=centavo,
        extPaymentId=report_id,
        bankAccount=BankAccountData(name=payee.name, pixKey=payee.pix_key, pixKeyType=payee.pix_key_type),
    )
    request = SplitRequest(
        taxId=parties.payer.tax_id,
        amount=amount_from_cents(amount_cents),
        dateStart=date,
        dateEnd=date,
        payments=(entry,),
        paymentBatchName=f"Probe, R$ 0.01 [{report_id}]",
        reportId=report_id,
    )
    return canonical_json(body_of(request))


def account_question(account: OwnAccount, *, glued: bool, psp_is_ispb: bool) -> AccountValidation:
    """Write the check of an own account, one way or the other."""
    return AccountValidation(
        name=account.name,
        taxId=account.tax_id,
        bankCode=account.bank_code,
        pspId=account.ispb if psp_is_ispb else account.bank_code,
        agency=account.agency,
        account=account.account.replace("-", "") if glued else account.account,
        accountType=account.account_type,
    )


# What one page of institutions must show for a query name to be the right one.
Follows = Callable[[InstitutionPage], bool]


def total_of(page: InstitutionPage) -> int | None:
    """Return how many rows there are in all; None when the page does not say."""
    return page.pagination.total_rows if page.pagination else None


def follows_name(searched: str, rows_in_all: int) -> Follows:
    """Fewer than all, at least one, and each with the name that was searched."""

    def fits(page: InstitutionPage) -> bool:
        rows = page.data or ()
        alike = all(searched.casefold() in (row.name or "").casefold() for row in rows)
        return len(rows) > 0 and (total_of(page) or len(rows)) < rows_in_all and alike

    return fits


def follows_dates(page: InstitutionPage) -> bool:
    """No institution starts in that time, so none is left."""
    return page.data == ()


def follows_size(rows: int) -> Follows:
    """As many rows as were asked for, on a page that says so."""

    def fits(page: InstitutionPage) -> bool:
        shown = page.pagination.rows_per_page if page.pagination else None
        return len(page.data or ()) == rows and shown in {None, rows}

    return fits


def follows_page(number: int, first: InstitutionPage) -> Follows:
    """Other rows than the first page's, on the page that was asked for."""

    def fits(page: InstitutionPage) -> bool:
        shown = page.pagination.current_page if page.pagination else None
        return shown in {None, number} and bool(page.data) and page.data != first.data

    return fits


def name_wanted(places: Collection[tuple[tuple[str | int, ...], str]], assumed: str) -> str | None:
    """Tell from a 422 which query name was missing: the one it names, or the assumed one when its value is at fault."""
    named = [(str(loc[-1]), kind) for loc, kind in places if len(loc) > 1 and loc[0] == "query"]
    missing = [name for name, kind in named if "missing" in kind or "required" in kind]
    if missing:
        return missing[0]
    return assumed if any(name == assumed and not re.search("extra|unknown", kind) for name, kind in named) else None
