"""What the sandbox does where the service's interface is silent: each choice in one place, with a name and a switch.

Choices that have no switch:

* A request whose `Authorization` header is not exactly the API key is answered 401 with `{"detail": "..."}`. The
  interface names the header and shows no answer for a wrong one.
* An unknown `split_id` is answered 404 with `{"detail": "..."}`. The interface shows no such answer.
* Numbers are JSON numbers, never text, with at most 13 digits before the point.
* A bank account check looks at the fields of rule 3 only where no `pixKey` is given.
* A report in another currency than BRL stays PENDING until its exchange rate is set.
* Nobody pays for a report before it begins, unless `funding` says so; then it stays PENDING until it was paid for by a
  control call. With "pix" it carries the text of a code for what it costs until then, a new one whenever the last is no
  longer valid; with "balance" it says nothing. The fee counts as paid so long after the report has ended.
* `_id` is 24 hexadecimal digits; `date` is the time of creation, as `splitDate` is; fields the sandbox has nothing to
  say about are null.

Contacts:

* POST /contacts needs all of `name`, `tax_id` and `email`; an empty text supplies nothing, any other is taken as it is.
* Tax ids are compared without their marks. Where `contact_id` and `tax_id` are both given they must mean one contact.
* An unknown contact or account is answered 404 with `{"detail": "..."}`.
* **The interface has no endpoint that creates an account.** Here a contact gets one from each destination that a
  payment of a POST /split gives for its tax id while the contact exists, or from a control call. `account_type` and
  `pix_key_type` then have the words of the split endpoints. None is a favourite until it is marked as one, which
  takes the mark from the contact's other account; a deleted contact takes its accounts along.
* `tax_id_manager` of an account is the `taxId` of the report it came with; of a contact it is null.

Institutions: the query names below; the page size is 1 to 500; a page beyond the last is empty; the last page has no
`next_page` (null); `name` is looked for anywhere in the name, whatever the case and accents. Who is active is partly
made up, `created_at` is.

QR codes: `pix_key` is required. The payload always carries the key and never a URL, which would lead nowhere; with
`qr_code_type` "static" it may be used again. The receiver is called SANDBOX and sits in SAO PAULO. The path in `image`
leads to nothing.

Webhooks: the URL must be http or https with a host. **The interface shows no event, payload or delivery**: the sandbox
keeps what is registered, and calls nobody.

All others are fields of `Behaviour`.
"""

import unicodedata
from decimal import Decimal
from functools import lru_cache
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field

INSTITUTION_NAME: Final = "name"
INSTITUTION_MIN_START: Final = "min_str_start_date"
INSTITUTION_MAX_START: Final = "max_str_start_date"
INSTITUTION_PAGE: Final = "page_number"
INSTITUTION_PAGE_SIZE: Final = "page_size"
LARGEST_PAGE: Final = 500
FAVORITE_ACCOUNT: Final = "account_id"


class Behaviour(BaseModel):
    """How the sandbox behaves; may be changed while it runs.

    Attributes:
        latency_s: How long after its arrival a request is answered at the earliest; its effect comes at once. Any
            number of answers wait at the same time.
        processing_after_s: Age at which a report turns from PENDING to PROCESSING.
        listing_delay_s: Age from which GET /split shows a report.
        echo_report_id: Whether answers carry the `reportId` they were given.
        echo_name: Whether answers carry the `paymentBatchName` they were given.
        unique_report_id: Refuse a second report of the same `reportId` (422). The interface promises nothing.
        sums_must_match: Refuse a report whose `finalAmount`s and `ownerAmount` do not add up to `amount` (422).
        whole_centavos: Refuse money with more than two decimals (422); without it, money is rounded half to even.
        known_fields_only: Refuse fields and query names that the interface or the assumptions above do not name (422),
            so that a misspelt one is noticed.
        strict_exchange_rate: Setting a rate needs a positive `rate` and the report's own `currency` (422).
        failing_payees: Tax ids, Pix keys and account numbers that cannot be paid. Looked at when a report is created.
        partial_ends_as: Status of a report of which some payments failed; when all fail it is ERROR.
        invalid_accounts: Tax ids, Pix keys and account numbers that POST /validate/account calls invalid.
        account_check_fee_cents: What one account check costs beside the centavo, in centavos.
        fee_rate: Part of a report's amount that the service takes, e.g. 0.01. Looked at when a report is created.
        fee_on_top: Whether a report costs its fee beside its amount.
        fee_paid_after_s: How long after a report's end its fee counts as paid.
        funding: How a report is paid for before it begins: not at all, by the Pix whose code it carries, or from a
            balance.
        receiver: Name in these codes.
        payload_valid_s: How long such a code is valid.
        income_tax_rate: Part withheld from payments to a CPF, e.g. 0.275. Looked at when a report is created.
        known_contact: What POST /contacts does with a tax id that has a contact: refuse it (409), answer the contact
            there is, unchanged, or create another.
        delete_answers: What the two DELETE endpoints answer: the object that was deleted (200), or nothing (204).
        inactive_institutions: ISPBs of institutions that are listed as inactive beside those that always are.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    latency_s: float = Field(default=0.0, ge=0)
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
    fee_on_top: bool = False
    fee_paid_after_s: float = Field(default=0.0, ge=0)
    funding: Literal["none", "pix", "balance"] = "none"
    receiver: str = Field(default="SANDBOX", min_length=1, max_length=25, pattern=r"^[ -~]+$")
    payload_valid_s: float = Field(default=86_400.0, gt=0)
    income_tax_rate: Decimal = Field(default=Decimal(0), ge=0, le=1)
    known_contact: Literal["refuse", "answer", "create"] = "refuse"
    delete_answers: Literal["object", "nothing"] = "object"
    inactive_institutions: frozenset[str] = frozenset()
    institutions_page_size: int = Field(default=20, ge=1, le=LARGEST_PAGE)


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


def searched_form(name: str) -> str:
    """Return a name in the form in which it is searched: without case and accents.

    >>> searched_form("Itaú UNIBANCO")
    'itau unibanco'
    """
    letters = unicodedata.normalize("NFKD", name.casefold())
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def is_planted(planted: frozenset[str], *texts: str | None) -> bool:
    """Tell whether one of the texts is among those planted as bad."""
    bad = _identities(planted)
    return bool(bad) and any(account_identity(text) in bad for text in texts if text)


@lru_cache(maxsize=8)
def _identities(planted: frozenset[str]) -> frozenset[str]:
    return frozenset(account_identity(text) for text in planted)
