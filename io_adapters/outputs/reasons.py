"""Reasons as the decisions name them, in words for people."""

import re
from typing import Final

from io_adapters.outputs.labels import TEXTS as LABELS
from io_adapters.outputs.labels import Labels
from schemas.issue_texts import TEXTS as ISSUES
from schemas.issues import IssueCode
from schemas.standing_words import state_in_words
from schemas.waits import Wait, WaitKind

# Reasons that hold a fact, as `flows.payables.rules.claims` and `schemas.decision` write them.
_WITH_FACT: Final = {
    "settled_by": re.compile(r"settled by (?P<found>.+)"),
    "claimed_by": re.compile(r"claimed by (?P<found>.+)"),
    "otherwise_than": re.compile(r"another amount or destination than in (?P<found>.+)"),
    "renamed_from": re.compile(r"renamed from (?P<found>.+)"),
    "otherwise_decided": re.compile(r"another amount or destination than was (?P<found>.+)"),
    "decided_pay": re.compile(r"pay, decided by (?P<found>.+)"),
    "decided_paid": re.compile(r"paid, decided by (?P<found>.+)"),
    "decided_drop": re.compile(r"drop, decided by (?P<found>.+)"),
}

# What a message tells of one row alone.
_FACTS: Final = re.compile(r"\{[a-z_]+\}")
_CODES: Final = frozenset(code.value for code in IssueCode)


def reason_in_words(reason: str, labels: Labels) -> str:
    """Say why something is where it is: rules by what they say, several of them one after the other.

    >>> reason_in_words("TAXID_CHECK,NAME_REQUIRED", Labels("en"))
    'the check digits are wrong; the name is missing'

    Args:
        reason: As an obligation or a row has it; a person's own words are shown as they are.
        labels: The words.
    """
    if f"reason.{reason}" in LABELS:
        return labels(f"reason.{reason}")
    for key, pattern in _WITH_FACT.items():
        if found := pattern.fullmatch(reason):
            return labels(f"reason.{key}").format(**found.groupdict())
    codes = reason.split(",")
    if all(code in _CODES for code in codes):
        return "; ".join(dict.fromkeys(_code_in_words(IssueCode(code), labels) for code in codes))
    return reason


def wait_in_words(wait: Wait, labels: Labels) -> str:
    """Say why something waits: the rules that were broken, or how the run ended."""
    if wait.kind in {WaitKind.STOPPED, WaitKind.NOT_SENT}:
        return state_in_words(wait.reason, labels.language) if wait.reason else ""
    return reason_in_words(wait.reason, labels) if wait.reason else ""


def _code_in_words(code: IssueCode, labels: Labels) -> str:
    own = f"reason.{code}"
    return labels(own) if own in LABELS else _FACTS.sub("…", ISSUES[labels.language][code][0])
