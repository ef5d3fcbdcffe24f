"""Exceptions, used for control flow only, and one exit code per kind of outcome.

What a person is to read is a `Message`, rendered by whoever shows it, in the reader's language; `str()` is English, for
logs. Plain English is for programming errors alone: `BrokenInvariant`, and the ValueError, TypeError and RuntimeError
of a caller who broke a promise.
"""

import errno
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from enum import IntEnum
from typing import ClassVar, Final

from schemas.issues import Issue
from schemas.messages import Listed, Message, render


class ExitCode(IntEnum):
    """How a command ended, told to the program that called it."""

    DONE = 0
    USAGE = 2
    CONFIGURATION = 10
    UNREADABLE_FILE = 11
    ROWS_REFUSED = 12
    NO_SOUND_PLAN = 13
    APPROVAL_WANTED = 14
    ROWS_HELD = 15
    REFUSED = 20
    NOT_SENT = 21
    IN_DOUBT = 22
    STILL_OPEN = 23
    ANOTHER_RUN = 30
    FROZEN = 31
    DISCREPANCIES = 40
    BUG = 70


# The worst news first. Codes that end a command before it began (2, 10, 11, 13) never meet another one.
PRECEDENCE: Final = (
    ExitCode.BUG,
    ExitCode.FROZEN,
    ExitCode.ANOTHER_RUN,
    ExitCode.USAGE,
    ExitCode.CONFIGURATION,
    ExitCode.UNREADABLE_FILE,
    ExitCode.NO_SOUND_PLAN,
    ExitCode.IN_DOUBT,
    ExitCode.REFUSED,
    ExitCode.NOT_SENT,
    ExitCode.APPROVAL_WANTED,
    ExitCode.DISCREPANCIES,
    ExitCode.STILL_OPEN,
    ExitCode.ROWS_HELD,
    ExitCode.ROWS_REFUSED,
    ExitCode.DONE,
)


def worst(codes: Iterable[ExitCode]) -> ExitCode:
    """Return the code that wins; DONE when there is none."""
    return min(codes, key=PRECEDENCE.index, default=ExitCode.DONE)


class RepasseError(Exception):
    """Something a person must know; shown as one message, without a traceback."""

    exit_code: ClassVar[ExitCode] = ExitCode.BUG
    language = ""  # of its reader, once somebody knows; English until then

    def __init__(self, message: Message | Listed | str, *, issues: tuple[Issue, ...] = ()) -> None:
        super().__init__(str(message))
        self.issues = issues
        self.content = Listed((message,)) if isinstance(message, str) else message

    @property
    def message(self) -> str:
        return render(self.content, self.language)


class ConfigurationError(RepasseError):
    """The job file, a layout or the environment is wrong."""

    exit_code = ExitCode.CONFIGURATION


# What the machine, and nobody's program, has to say: no room, no right, no place.
_OF_THE_MACHINE: Final = frozenset(
    {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOTDIR, errno.EMFILE, errno.ENFILE}
)
# In the words of SQLite, and by the names of psycopg's exceptions.
_NO_ROOM: Final = ("database or disk is full", "disk i/o error", "no space left on device")


def trouble_of_the_machine(error: BaseException) -> ConfigurationError | None:
    """Turn an exception that the machine is the reason of, such as a full disk, into what a person must know.

    Returns:
        What to tell; None for any other exception, which is a bug.
    """
    if isinstance(error, OSError) and error.errno in _OF_THE_MACHINE:
        return ConfigurationError(Message("error.machine", what=error.strerror or "", where=str(error.filename or "-")))
    cause = getattr(error, "orig", None)  # of SQLAlchemy: the database's own exception
    if cause is not None and (type(cause).__name__ == "DiskFull" or any(w in str(cause).lower() for w in _NO_ROOM)):
        return ConfigurationError(Message("error.machine", what="no room left for the ledger", where="-"))
    return None


class UnreadableFile(RepasseError):
    """A file is missing, damaged, or lacks what makes it readable at all."""

    exit_code = ExitCode.UNREADABLE_FILE


@contextmanager
def errors_in_language(language: str) -> Iterator[None]:
    """Let what is wrong with a job, or with its files, be told of in the language of the job."""
    try:
        yield
    except RepasseError as error:
        error.language = language
        raise


class RowsRefused(RepasseError):
    """Rows have problems, and the job says that then nothing is sent."""

    exit_code = ExitCode.ROWS_REFUSED


class DecisionRefused(RepasseError):
    """A person's word contradicts what the ledger or the service knows; nothing was recorded."""

    exit_code = ExitCode.USAGE


class UnsoundPlan(RepasseError):
    """No plan can be made that adds up under the job's rules."""

    exit_code = ExitCode.NO_SOUND_PLAN


class ApprovalWanted(RepasseError):
    """An approval is missing, expired, or speaks of another plan or total."""

    exit_code = ExitCode.APPROVAL_WANTED


class NotSent(RepasseError):
    """Nothing was sent: no connection, a listing that failed, or sending on hold."""

    exit_code = ExitCode.NOT_SENT


class AnotherRun(RepasseError):
    """Another run holds the job, or the ledger was written by a program that this one does not know."""

    exit_code = ExitCode.ANOTHER_RUN


class JobIsBusy(AnotherRun):
    """Another run holds the job at this moment: what it is for is being done."""


class SendingFrozen(RepasseError):
    """Ledger and service disagree; nothing is sent until people have looked."""

    exit_code = ExitCode.FROZEN


class BrokenInvariant(RepasseError):
    """The program contradicts itself; it stops rather than guess."""

    exit_code = ExitCode.BUG


class NotLaunched(RepasseError):
    """A run could not be started; what was recorded before stands, and nothing was sent."""

    exit_code = ExitCode.NOT_SENT
