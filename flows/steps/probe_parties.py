"""Whom a probe's centavo goes from and to: named by a person in a file, checked like everybody else."""

from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from flows.steps.probe_plan import Needs
from schemas.errors import ConfigurationError
from schemas.pix_key import read_pix_key, read_pix_key_type
from schemas.tax_id import parse_tax_id
from schemas.wire import (
    AccountType,
    AccountValidation,
    BankAccountData,
    PaymentEntry,
    PixKeyType,
    SplitRequest,
    amount_from_cents,
    body_of,
    canonical_json,
)

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


class Payer(_Model):
    """Whose report it is."""

    tax_id: TaxId


class Payee(_Model):
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

    payer: Payer
    payee: Payee | None = None
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

    Args:
        values: Plain values, as YAML gives them.
        name: Of the file, for messages.

    Raises:
        ConfigurationError: it says otherwise than it must; names keys, no values.
    """
    try:
        return ProbeParties.model_validate(values)
    except ValidationError as error:
        wrong = "; ".join(f"{'.'.join(map(str, one['loc'])) or 'file'}: {one['msg']}" for one in error.errors())
        raise ConfigurationError(f"{name}: {wrong}") from None


def report_body(parties: ProbeParties, report_id: str, date: str, *, amount_cents: int = 1) -> bytes:
    """Write the body of a report with one payment of a centavo.

    Args:
        parties: With a payee.
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
