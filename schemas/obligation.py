"""Obligation: what is owed to one payee for one job, period, currency and reference; with its place and its reasons."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Annotated, Any, Final, Literal

from pydantic import BeforeValidator, PlainSerializer, TypeAdapter

from schemas.approval import Decision
from schemas.messages import Listed, Message, facts_from, facts_json
from schemas.plan import Place
from schemas.values.bank_account import Destination

# What is paid: a payments row, a payee's royalties, the owner's part. What is not: lines that no share covers, advances
# recouped, and what goes into the next period.
Kind = Literal["payment", "royalty", "owner", "unmatched", "tax", "recouped", "carried"]

# How programs read reasons that bear facts; every other code, of an issue or of the program's own, stands for itself.
_WITH_FACTS: Final[Mapping[str, str]] = {
    "claimed_by": "claimed by {submission}",
    "renamed_from": "renamed from {submission}",
    "otherwise_than": "another amount or destination than in {submission}",
    "otherwise_than_outside": "another amount than was paid outside",
    "decided": "{decision}, decided by {by}",
    "otherwise_decided": "another amount or destination than was {decision}, decided by {by}",
    "settled_by": "settled by {file}, run {run}",
    "submission": "{said}",
    "used_before": "{where}",
}
# Facts of messages, as pydantic writes and reads them.
Facts = Annotated[Mapping[str, Any], PlainSerializer(facts_json), BeforeValidator(facts_from)]


@dataclass(frozen=True, slots=True)
class Reason:
    """Why an obligation is where it is."""

    code: str
    facts: Facts = field(default_factory=dict, hash=False)

    @property
    def text(self) -> str:
        template = _WITH_FACTS.get(self.code)
        if template is None:
            return self.code
        return (template if "by" in self.facts else template.removesuffix(_DECIDED_BY)).format_map(self.facts)

    @property
    def nameless(self) -> "Reason":
        """The same without whoever decided: their names are theirs."""
        return Reason(self.code, {name: fact for name, fact in self.facts.items() if name != "by"})

    @property
    def message(self) -> Message:
        """The reason as people are told it.

        >>> str(Reason("otherwise_decided", {"decision": "paid", "by": "Bia"}).message)
        'another amount or destination than was decided on (paid, decided by Bia)'
        """
        if "decision" not in self.facts:
            return Message(f"reason.{self.code}", **self.facts)
        by = self.facts.get("by")
        known = f"reason.{'decided' if by else 'decision'}_{self.facts['decision']}"
        decision = Message(known, by=by) if by else Message(known)
        return decision if self.code == "decided" else Message(f"reason.{self.code}", decision=decision)


_DECIDED_BY: Final = ", decided by {by}"

Reasons = tuple[Reason, ...]
_REASONS: Final = TypeAdapter(Reasons)


def reasons_message(reasons: Reasons) -> Listed:
    """Tell people all reasons on one line, what reads alike once; nothing of none.

    >>> from schemas.messages import render
    >>> render(reasons_message(reasons_of("TAXID_CHECK,NAME_REQUIRED")), "en")
    'the check digits are wrong; the name is missing'
    """
    return Listed(tuple(dict.fromkeys(reason.message for reason in reasons)), "; ")


def reasons_text(reasons: Reasons) -> str:
    return ",".join(reason.text for reason in reasons)


def reasons_of(codes: str) -> Reasons:
    """Read codes as rows with problems bear them: "TAXID_CHECK,NAME_REQUIRED"; nothing for ""."""
    return tuple(Reason(code) for code in codes.split(",")) if codes else ()


def reasons_json(reasons: Reasons) -> str:
    """Return reasons as tables keep them: codes with their facts as JSON, "" for none.

    >>> reasons_from_json(reasons_json(because("claimed_by", submission="rp-1")))
    (Reason(code='claimed_by', facts={'submission': 'rp-1'}),)
    """
    return _REASONS.dump_json(reasons).decode() if reasons else ""


def reasons_from_json(kept: str) -> Reasons:
    return _REASONS.validate_json(kept) if kept else ()


@cache
def codes_json(codes: str) -> str:
    """Return codes, as rows with problems bear them, as tables keep reasons."""
    return reasons_json(reasons_of(codes))


def because(code: str, **facts: object) -> Reasons:
    return (Reason(code, facts),)


def as_decided(decision: Decision) -> Reasons:
    """Give a person's decision as the reason."""
    return because("decided", decision=decision.kind.value, by=decision.by)


@dataclass(frozen=True, slots=True)
class Payee:
    """A legal recipient as a report names them; texts are "" when absent."""

    tax_id: str = field(default="", repr=False)
    name: str = field(default="", repr=False)
    email: str = field(default="", repr=False)
    artist_name: str = field(default="", repr=False)
    contact_id: str = ""
    original_tax_id: str = field(default="", repr=False)
    original_name: str = field(default="", repr=False)
    parent_id: str = field(default="", repr=False)
    parent_name: str = field(default="", repr=False)


NOBODY: Final = Payee()


@dataclass(frozen=True, slots=True)
class SourceRow:
    """A row of a payments file; row 0 stands for none."""

    file: str = ""
    sheet: str = ""
    row: int = 0


NO_ROW: Final = SourceRow()


@dataclass(frozen=True, slots=True, kw_only=True)
class Obligation:
    """A sum that came in, by whom it is owed to and where it is; a run's obligations add up to its `in`.

    Attributes:
        key: Its identity, `extPaymentId` on the wire; never made of amount or account; "" for what no report carries.
        account: Pix key or bank account it goes to; None where nothing is known of one.
        account_holder: Whose account that is; "" for the payee's own.
        percentage, anticipation_id: As the row states them; "" when absent.
        deducted_cents: What was recouped and withheld before it was this much.
        submission_id: What claims it; "" while nothing does.
    """

    kind: Kind
    amount_cents: int
    place: Place
    reasons: Reasons = ()
    key: str = ""
    base_key: str = ""
    reference: str = ""
    payee: Payee = NOBODY
    account: Destination | None = field(default=None, repr=False)
    account_holder: str = field(default="", repr=False)
    destination: str = ""
    withhold: bool = False
    advance: bool = False
    recurring: bool = False
    percentage: str = ""
    anticipation_id: str = ""
    deducted_cents: int = 0
    source: SourceRow = NO_ROW
    submission_id: str = ""
    run_id: str = ""

    @property
    def reason(self) -> str:
        return reasons_text(self.reasons)

    @property
    def code(self) -> str:
        """Code of the only reason; "" where there is none, or several."""
        return self.reasons[0].code if len(self.reasons) == 1 else ""

    @property
    def holder(self) -> str:
        """Whose name the account is held under; the payee's own unless the row says otherwise."""
        return self.account_holder or self.payee.name

    @property
    def pays_somebody(self) -> bool:
        """Whether a plan pays it to a payee; the owner's part goes with them."""
        return self.place is Place.PLANNED and self.kind != "owner"


Obligations = tuple[Obligation, ...]


def planned_payments(obligations: Iterable[Obligation]) -> list[Obligation]:
    """List what a plan pays people, in the order given."""
    return [owed for owed in obligations if owed.pays_somebody]


def sum_cents(obligations: Iterable[Obligation]) -> int:
    """Add amounts up, in centavos."""
    return sum(owed.amount_cents for owed in obligations)


def any_in(obligations: Iterable[Obligation], places: Collection[Place]) -> bool:
    return any(owed.place in places for owed in obligations)


def submissions_of(obligations: Iterable[Obligation]) -> set[str]:
    """Name the submissions that claim any of them."""
    return {owed.submission_id for owed in obligations} - {""}
