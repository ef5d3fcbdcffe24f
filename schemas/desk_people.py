"""Users of the desk: their roles, sessions, uploads and launches."""

import datetime as dt
import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Literal

from schemas.values.names import same_person, scripts_of

Language = Literal["pt-BR", "en"]
LANGUAGES: Final[tuple[Language, ...]] = ("pt-BR", "en")
SHORTEST_PASSWORD: Final = 10
LONGEST_PASSWORD: Final = 200
_NAME: Final = re.compile(r"[^\W_](?:[\w .'-]{0,62}[\w.])?")


class Role(StrEnum):
    """What a user may do."""

    PREPARER = "preparer"
    APPROVER = "approver"
    RESOLVER = "resolver"


@dataclass(frozen=True, slots=True)
class DeskUser:
    """Somebody who may sign in.

    Attributes:
        key: What all writings of the name have in common; identity.
        name: As it is shown, and written beside whatever they say.
        password_hash: Of argon2id, with its own salt and parameters.
        language: They want to be spoken to in.
        disabled: Whether they may no longer sign in.
    """

    key: str
    name: str
    roles: frozenset[Role]
    password_hash: str
    language: Language
    disabled: bool


@dataclass(frozen=True, slots=True)
class Upload:
    """A file somebody uploaded, kept under its content.

    Attributes:
        sha256: Hex digest of its bytes; with `name`, its identity.
        name: As the person called it, made safe.
        at: When (UTC).
    """

    sha256: str
    name: str
    size_bytes: int
    by: str
    at: dt.datetime


@dataclass(frozen=True, slots=True)
class Launch:
    """A run the desk asked for.

    Attributes:
        key: The same key starts nothing twice.
        files: Read instead of those the job names, as "[SOURCE=]PATH".
        plan_digest: The plan whose approval asked for it; None for a first run.
        at: When (UTC).
    """

    key: str
    job_file: str
    files: tuple[str, ...]
    by: str
    plan_digest: str | None
    at: dt.datetime


@dataclass(frozen=True, slots=True)
class FirstDecision:
    """What one person says where it takes two; waits for the second.

    Attributes:
        subject: Which submission, exchange update, or freeze.
        at: When (UTC).
    """

    kind: str
    subject: str
    by: str
    evidence: str
    at: dt.datetime


def is_name(text: str) -> bool:
    """Whether a text can be a user's name: letters of one script and digits, blanks and . ' - between, at most 64.

    No e-mail address: the name stands in the ledger, in logs and beside a run, where no personal data may. Letters of
    several scripts make a name look like somebody else's.

    >>> is_name("Ana Lima"), is_name(" "), is_name("ana@example.com")
    (True, False, False)
    """
    return bool(_NAME.fullmatch(text)) and bool(same_person(text)) and len(scripts_of(text)) <= 1
