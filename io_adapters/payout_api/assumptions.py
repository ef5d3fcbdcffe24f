"""The one place for guesses: what the service's interface does not say.

Each guess has a default, a setting (`REPASSE_ASSUME_` and its name in capitals), and a way to find out on staging.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from schemas.errors import ConfigurationError
from schemas.funding import Collects, Covers
from schemas.messages import Message

PREFIX: Final = "REPASSE_ASSUME_"
ANY_2XX: Final = frozenset(range(200, 300))


def _statuses(value: Any) -> Any:  # noqa: ANN401
    return value.replace(" ", "").split(",") if isinstance(value, str) else value


SuccessStatus = Annotated[int, Field(ge=200, le=299)]
FailureStatus = Annotated[int, Field(ge=400, le=499)]
RefusingStatus = Annotated[int, Field(ge=400, le=599)]
QueryName = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.\-]+$")]


class Assumptions(BaseModel):
    """What Repasse takes to be true of the service until someone has looked."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    get_takes: Literal["_id", "reportId"] = "_id"
    """Which id GET /split/{split_id}/get takes. Probe: create a report of R$ 0.01 and get it by each."""

    create_statuses: Annotated[frozenset[SuccessStatus], BeforeValidator(_statuses)] = ANY_2XX
    """Statuses of POST /split that can mean the report exists, e.g. "200,201"; never outside 2xx.
    Probe: the status of a report created."""

    refusing_statuses: Annotated[frozenset[RefusingStatus], BeforeValidator(_statuses)] = frozenset()
    """Statuses of POST /split with which, as the provider has said in writing, no report was created and none will be,
    e.g. "401,403,429". Without its word there are none: such an answer leaves the report in doubt.
    Probe: none; ask the provider."""

    no_funds_statuses: Annotated[frozenset[FailureStatus], BeforeValidator(_statuses)] = frozenset({402})
    """Statuses of POST /split with which the service says that there is no money for a report. It is in doubt all the
    same; but nothing of it is still under way, so two people need not wait a day to say that it is not there.
    Probe: create a report without balance; is it in the list?"""

    report_id_echoed: bool = True
    """Whether reportId comes back in answers and lists; without it a lost ledger cannot be noticed.
    Probe: create a report and list."""

    report_id_unique: bool = False
    """Whether the service refuses a second report of the same reportId. Nothing is ever sent again because of it.
    Probe: POST the same R$ 0.01 report twice."""

    listed_within_s: int = Field(default=600, ge=0)
    """How many seconds after its creation a report is in GET /split at the latest.
    Probe: create reports and list until they show."""

    payments_and_owner_make_amount: bool = True
    """Whether the payments and ownerAmount add up to amount; Repasse holds it of its own batches in any case.
    Probe: POST a report in which they do not."""

    amount_holds: Literal["paid", "earned"] = "paid"
    """What `amount` of a payment holds beside `finalAmount`, which is always what is paid: the same, or what it was
    before advances were recouped and taxes withheld. Probe: ask the provider which of the two moves the money, and what
    the other is for; both are shown on the plan where they differ."""

    funding: Collects = "unknown"
    """How the service collects what a report costs: by the Pix whose code the report carries, from a balance, or nobody
    knows. Only a report without a code asks for it. Probe: create a report on staging; does it carry a code, and does
    it go on without one being paid?"""

    funding_covers: Covers = "unknown"
    """Whether what is paid for a report holds its fee. A code says it by its amount. Probe: compare the amount of a
    report's code with its total and its fee."""

    psp_id_is_ispb: bool = True
    """Whether pspId is the eight digits of the institution's ISPB. Probe: check an own account with it."""

    account_check_digit: Literal["glued", "hyphen"] = "glued"
    """How the check digit is written after the account number: 123456 or 12345-6. Probe: check an own account."""

    institutions_name: QueryName = "name"
    """Query name of GET /pix/financial_institutions for the institution's name. Probe: search a known bank."""

    institutions_min_start_date: QueryName = "min_str_start_date"
    """Query name for the earliest start of operation. Probe: a date in the future leaves none."""

    institutions_max_start_date: QueryName = "max_str_start_date"
    """Query name for the latest start of operation. Probe: a date before the STR leaves none."""

    institutions_page: QueryName = "page_number"
    """Query name for the page. Probe: `pagination.current_page` follows it."""

    institutions_page_size: QueryName = "page_size"
    """Query name for the results per page. Probe: `pagination.rows_per_page` follows it."""

    favorite_account: QueryName = "account_id"
    """Query name of POST /contacts/accounts_favorite for the account. Probe: 422 names what is missing."""

    institutions_rows: int = Field(default=100, ge=0, le=10_000)
    """How many institutions a page is asked to hold; 0 leaves it to the service. Probe: `pagination.rows_per_page`."""

    missing_statuses: Annotated[frozenset[FailureStatus], BeforeValidator(_statuses)] = frozenset({404, 410})
    """Statuses with which the service says that there is no such contact or account, and that nothing was done.
    Probe: delete a contact that does not exist."""

    existing_statuses: Annotated[frozenset[FailureStatus], BeforeValidator(_statuses)] = frozenset({409})
    """Statuses with which the service says that there is such a contact or webhook already, and that nothing was done.
    Probe: create a contact twice."""

    creating_again_makes: Literal["another", "same", "error"] = "another"
    """What creating a contact whose tax id exists already does: makes a second one, hands the first one back, or fails.
    Probe: create a contact twice."""

    registering_again_makes: Literal["another", "same", "error"] = "another"
    """What registering a webhook URL that is registered already does. Probe: register one twice."""

    deleting_answers: Annotated[frozenset[SuccessStatus], BeforeValidator(_statuses)] = ANY_2XX
    """Statuses with which a DELETE says that it is done, body or none. Probe: delete a contact made for it."""

    qr_base_64_holds: Literal["any", "text", "base64_of_text", "image"] = "any"
    """What `base_64` of a QR code holds: the copy-and-paste text, base64 of it, base64 of a picture of it; `any` looks.
    Probe: create one of R$ 0.01."""

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> "Assumptions":
        """Take the defaults, overridden by each `REPASSE_ASSUME_<NAME>` that is set.

        Args:
            environment: Names and values, e.g. `os.environ`; other names are not looked at.

        Raises:
            ConfigurationError: a name that is no assumption, or a value it cannot take.
        """
        found = {
            name.removeprefix(PREFIX).lower(): value for name, value in environment.items() if name.startswith(PREFIX)
        }
        try:
            return cls.model_validate(found)
        except ValidationError as error:
            wrong = sorted({PREFIX + str(problem["loc"][0]).upper() for problem in error.errors()})
            raise ConfigurationError(Message("error.assumptions", names=", ".join(wrong))) from None

    def id_for_get(self, *, split_id: str, report_id: str) -> str:
        """Return the one of a report's two ids that GET /split/{split_id}/get takes."""
        return split_id if self.get_takes == "_id" else report_id
