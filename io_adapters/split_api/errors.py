"""How a call that is not a payment can fail, told apart by what the caller may conclude.

    RepasseError
    |-- RuleBroken        a rule of the interface is broken; nothing was sent
    |-- NotSent           certainly nothing happened (of `schemas.errors`)
    |   |-- NotThere      a question about something the service does not have
    |   `-- QuestionRefused   a question the service finds fault with
    |-- Refused           422 as documented: nothing happened, and these fields are at fault
    |   `-- AlreadyThere  the service has one already: nothing happened, as far as we assume
    |-- NotFound          the service has no such thing: nothing happened, as far as we assume
    `-- Unanswered        sent, and whether anything happened is unknown

No message holds anything that a reply said, but in the closed vocabulary of `excerpt`.
"""

from io_adapters.split_api.validation_error import ValidationError
from schemas.errors import NotSent, RepasseError
from schemas.exit_codes import ExitCode


class RuleBroken(RepasseError, ValueError):
    """What was asked for breaks a rule of the interface; nothing was sent.

    Attributes:
        rules: Each broken rule in words; names of fields, no values.
    """

    exit_code = ExitCode.USAGE

    def __init__(self, *rules: str) -> None:
        super().__init__("; ".join(rules))
        self.rules = rules


class Refused(RepasseError):
    """The service answered 422 as documented: nothing happened.

    Attributes:
        validation_errors: What it finds fault with: places and kinds, no values.
    """

    exit_code = ExitCode.REFUSED

    def __init__(self, message: str, validation_errors: tuple[ValidationError, ...]) -> None:
        super().__init__(message)
        self.validation_errors = validation_errors


class AlreadyThere(Refused):
    """The service says, by a status that is assumed to mean it, that there is one already; names no fields."""


class NotFound(RepasseError):
    """The service says, by a status that is assumed to mean it, that there is no such thing."""

    exit_code = ExitCode.REFUSED


class Unanswered(RepasseError):
    """Sent, and no answer proves what became of it: it may have happened.

    Attributes:
        status: HTTP status of the answer; None when none came.
    """

    exit_code = ExitCode.IN_DOUBT

    def __init__(self, message: str, *, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class NotThere(NotSent, NotFound):
    """404 to a question; the status is not documented, so an alarm and never proof."""


class QuestionRefused(NotSent, Refused):
    """422 to a question: no information, and the fields at fault."""
