"""What a probe asks, in which order, and what it may cost: told before anything is asked."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final, Literal

Needs = Literal["nothing", "payee", "account"]


@dataclass(frozen=True, slots=True)
class ProbeStep:
    """Something a probe does.

    Attributes:
        key: Its name.
        finds: The assumptions it says something of.
        does: In words.
        cost_cents: What it can cost at most, beside the fee of a check, which the interface does not tell.
        fees: How many such fees.
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
