"""Why obligations and rows are where they are, in words: the reasons that the ledger keeps, as people read them."""

import re
from typing import Final

from schemas.issues import IssueCode
from schemas.messages import Catalogue, state_text
from schemas.waits import Wait, WaitKind

# Reasons that hold a fact, as `schemas.obligation.Reason.text` writes them.
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

_CODES: Final = frozenset(code.value for code in IssueCode)


def reason_text(reason: str, texts: Catalogue) -> str:
    """Say why something is where it is: rules by what they say, several of them one after the other.

    >>> from schemas.messages import catalogue_in
    >>> reason_text("TAXID_CHECK,NAME_REQUIRED", catalogue_in("en"))
    'the check digits are wrong; the name is missing'

    Args:
        reason: As an obligation or a row has it; a person's own words are shown as they are.
        texts: Of the reader's language.
    """
    if f"reason.{reason}" in texts:
        return texts(f"reason.{reason}")
    for name, pattern in _WITH_FACT.items():
        if found := pattern.fullmatch(reason):
            return texts(f"reason.{name}", **found.groupdict())
    codes = reason.split(",")
    if all(code in _CODES for code in codes):
        return "; ".join(dict.fromkeys(_code_text(code, texts) for code in codes))
    return reason


def wait_text(wait: Wait, texts: Catalogue) -> str:
    """Say why something waits: the rules that were broken, or how the run ended."""
    if wait.kind in {WaitKind.STOPPED, WaitKind.NOT_SENT}:
        return state_text(wait.reason, texts.language) if wait.reason else ""
    return reason_text(wait.reason, texts) if wait.reason else ""


def _code_text(code: str, texts: Catalogue) -> str:
    return texts(f"reason.{code}") if f"reason.{code}" in texts else texts.without_facts(f"issue.{code}.wrong")
