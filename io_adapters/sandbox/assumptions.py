"""What the sandbox does where the service's interface is silent: each choice in one place, with a name and a switch.

Choices that have no switch:

* A request whose `Authorization` header is not exactly the API key is answered 401 with `{"detail": "..."}`. The
  interface names the header and shows no answer for a wrong one.
* An unknown `split_id` is answered 404 with `{"detail": "..."}`. The interface shows no such answer.
* Numbers are JSON numbers, never text; at most 13 digits before and 18 after the point.
* A bank account check looks at the fields of rule 3 only where no `pixKey` is given.
* A report in another currency than BRL stays PENDING until its exchange rate is set.
* `_id` is 24 hexadecimal digits; `date` is the time of creation, as `splitDate` is; fields the sandbox has nothing to
  say about are null.

All others are fields of `Behaviour`.
"""

from decimal import Decimal
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class Behaviour(BaseModel):
    """How the sandbox behaves; may be changed while it runs.

    Attributes:
        processing_after_s: Age at which a report turns from PENDING to PROCESSING.
        done_after_s: Age at which it ends.
        listing_delay_s: Age from which GET /split shows a report.
        echo_report_id: Whether answers carry the `reportId` they were given.
        echo_name: Whether answers carry the `paymentBatchName` they were given.
        unique_report_id: Refuse a second report of the same `reportId` (422). The interface promises nothing.
        sums_must_match: Refuse a report whose `finalAmount`s and `ownerAmount` do not add up to `amount` (422).
        whole_centavos: Refuse money with more than two decimals (422); without it, money is rounded half to even.
        known_fields_only: Refuse fields the interface does not name (422), so that a misspelt one is noticed.
        strict_exchange_rate: Setting a rate needs a positive `rate` and the report's own `currency` (422).
        failing_payees: Tax ids, Pix keys and account numbers that cannot be paid. Looked at when a report is created.
        partial_ends_as: Status of a report of which some payments failed; when all fail it is ERROR.
        invalid_accounts: Tax ids, Pix keys and account numbers that POST /validate/account calls invalid.
        account_check_fee_cents: What one account check costs beside the centavo, in centavos.
        fee_rate: Part of a report's amount that the service takes, e.g. 0.01. Looked at when a report is created.
        income_tax_rate: Part withheld from payments to a CPF, e.g. 0.275. Looked at when a report is created.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    processing_after_s: float = Field(default=0.3, ge=0)
    done_after_s: float = Field(default=0.8, ge=0)
    listing_delay_s: float = Field(default=0.0, ge=0)
    echo_report_id: bool = True
    echo_name: bool = True
    unique_report_id: bool = False
    sums_must_match: bool = True
    whole_centavos: bool = True
    known_fields_only: bool = True
    strict_exchange_rate: bool = True
    failing_payees: frozenset[str] = frozenset()
    partial_ends_as: Literal["DONE", "ERROR"] = "DONE"
    invalid_accounts: frozenset[str] = frozenset()
    account_check_fee_cents: int = Field(default=35, ge=0)
    fee_rate: Decimal = Field(default=Decimal(0), ge=0, le=1)
    income_tax_rate: Decimal = Field(default=Decimal(0), ge=0, le=1)


class SandboxSettings(Behaviour):
    """What a sandbox is started with.

    Attributes:
        prefix: Path that every endpoint of the service sits under.
        api_key: The one `Authorization` header that is let in.
    """

    prefix: str = Field(default="/external", pattern=r"^(/[A-Za-z0-9_.-]+)*$")
    api_key: str = Field(default="sandbox-key", min_length=1, repr=False)


def account_identity(text: str) -> str:
    """Return a tax id, Pix key or account number in the form in which two writings of it are compared.

    >>> account_identity("12.abc.345/01de-35") == account_identity("12ABC34501DE35")
    True
    """
    return "".join(character for character in text.upper() if character.isalnum())


def is_planted(planted: frozenset[str], *texts: str | None) -> bool:
    """Tell whether one of the texts is among those planted as bad."""
    bad = {account_identity(text) for text in planted}
    return any(account_identity(text) in bad for text in texts if text)
