"""Why a sum is where it is: reasons as code and facts, as people are told them, as tables and programs read them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Annotated, Any, Final

from pydantic import BeforeValidator, PlainSerializer, TypeAdapter

from schemas.approval import Decision
from schemas.messages import Listed, Message, facts_from, facts_json

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
    """One reason, by its code."""

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
