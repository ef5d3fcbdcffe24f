"""What people fill in for each act: its fields, how faces ask for them, and, in its docstring, its help.

Terminal, desk and Prefect make their commands and forms of these; light enough to be read for the help alone.
"""

from dataclasses import MISSING, dataclass, fields
from typing import Annotated, Any, ClassVar, get_type_hints

from schemas.acts import ActKind


@dataclass(frozen=True, slots=True)
class Asked:
    """How faces ask for a field.

    Attributes:
        metavar: What stands for its value in a line of help.
        is_positional: On a command line it has no name before it.
        choices: Of a field with few values: each, with what it means; a flag each on a command line.
        is_reason: It is why somebody says something, or what they rely on; never empty.
        ticked: Of a list: what begins the names of the boxes a page has for it.
    """

    what: str
    metavar: str = ""
    is_positional: bool = False
    choices: tuple[tuple[str, str], ...] = ()
    is_reason: bool = False
    ticked: str = ""


@dataclass(frozen=True, slots=True)
class ActForm:
    """What an act takes, beside who does it."""

    act: ClassVar[ActKind]


@dataclass(frozen=True, slots=True)
class Approve(ActForm):
    """Record a person's yes to a plan, or to account checks.

    The next `run` goes on.
    """

    act = ActKind.APPROVE

    digest: Annotated[str, Asked("The plan's digest, as `run` printed it.", "DIGEST", is_positional=True)]
    total: Annotated[str, Asked("The plan's total, typed.", "AMOUNT")]
    seen: Annotated[int, Asked("How many new texts of the plan you have looked at.", "N")] = 0


@dataclass(frozen=True, slots=True)
class Reject(ActForm):
    """Record a person's no to a plan."""

    act = ActKind.REJECT

    digest: Annotated[str, Asked("The plan's digest.", "DIGEST", is_positional=True)]
    why: Annotated[str, Asked("What is wrong with it.", "TEXT", is_reason=True)]


@dataclass(frozen=True, slots=True)
class Receive(ActForm):
    """Say that files which nobody is known to have brought have come to you."""

    act = ActKind.RECEIVE

    digest: Annotated[str, Asked("The plan that rests on them.", "DIGEST", is_positional=True)]


@dataclass(frozen=True, slots=True)
class Decide(ActForm):
    """Record a person's decision on what a payment came to.

    On conflicts, on partial and excluded reports, on payments made outside.
    """

    act = ActKind.DECIDE

    payments: Annotated[
        tuple[str, ...],
        Asked("As the workbook has them (ob-...), or a report (rp-...).", "PAYMENT", is_positional=True),
    ]
    kind: Annotated[
        str,
        Asked(
            "What it came to.",
            choices=(
                ("pay", "Not paid, or more is owed: the next run may pay."),
                ("difference", "Of a row that says more than was paid for it, only the rest."),
                ("paid", "Paid, by the report or outside."),
                ("drop", "Nobody is to be paid for it."),
            ),
        ),
    ]
    evidence: Annotated[str, Asked("What the word relies on.", "TEXT", is_reason=True)]
    all_but: Annotated[tuple[str, ...], Asked("Of a report, all but this one.", "PAYMENT")] = ()
    same_account: Annotated[bool, Asked("What came back is paid again to the account it came back from.")] = False


@dataclass(frozen=True, slots=True)
class RecordReturn(ActForm):
    """Record that a payment came back, whole or in part.

    It is paid again once its account is another one, or by `decide`. A sum
    below zero takes back what was recorded wrongly.
    """

    act = ActKind.RETURNED

    payment: Annotated[str, Asked("As the workbook has it (ob-...).", "PAYMENT", is_positional=True)]
    amount: Annotated[str, Asked("What came back, such as 10,00.", "AMOUNT")]
    day: Annotated[str, Asked("When, such as 2026-11-20.", "DAY")]
    evidence: Annotated[str, Asked("What shows it: a line of the bank, a letter.", "TEXT", is_reason=True)]


@dataclass(frozen=True, slots=True)
class LinkReport(ActForm):
    """Say which report of the service a submission, or an exchange rate, in doubt is."""

    act = ActKind.LINK

    subject: Annotated[str, Asked("What is in doubt (rp-..., xr-...).", "WHAT")]
    report: Annotated[str, Asked("It is this report of the service.", "ID")]


@dataclass(frozen=True, slots=True)
class DeclareAbsent(ActForm):
    """Say that the service never received what is in doubt; of several, all are declared or none."""

    act = ActKind.DECLARE_ABSENT

    subjects: Annotated[tuple[str, ...], Asked("What is in doubt (rp-..., xr-...).", "WHAT")]
    evidence: Annotated[str, Asked("What they rely on.", "TEXT", is_reason=True)]


@dataclass(frozen=True, slots=True)
class TakeLinkBack(ActForm):
    """Say that the report which a submission was linked to by likeness is another one."""

    act = ActKind.TAKE_LINK_BACK

    subjects: Annotated[tuple[str, ...], Asked("What was linked (rp-...).", "WHAT")]
    evidence: Annotated[str, Asked("What they rely on.", "TEXT", is_reason=True)]


@dataclass(frozen=True, slots=True)
class HoldSending(ActForm):
    """Stop all sending, of every job, until `release`."""

    act = ActKind.HOLD

    why: Annotated[str, Asked("Why.", "TEXT", is_reason=True)]


@dataclass(frozen=True, slots=True)
class Release(ActForm):
    """Let sending go on after `hold`."""

    act = ActKind.RELEASE


@dataclass(frozen=True, slots=True)
class Unfreeze(ActForm):
    """Let sending go on after ledger and service disagreed."""

    act = ActKind.UNFREEZE

    accept: Annotated[tuple[str, ...], Asked("What froze sending; every tag by name.", "TAG", ticked="tag:")]
    evidence: Annotated[str, Asked("What they both saw.", "TEXT", is_reason=True)]


@dataclass(frozen=True, slots=True)
class Withdraw(ActForm):
    """Take back a file that was handed in by mistake.

    The next run of its job and month leaves it out, and takes back what of it was posted.
    """

    act = ActKind.WITHDRAW

    file: Annotated[str, Asked("Its path, or the first digits of its SHA-256.", "FILE", is_positional=True)]
    why: Annotated[str, Asked("Why it does not count.", "TEXT", is_reason=True)]
    job: Annotated[str, Asked("Of which job, where several used it.", "NAME")] = ""
    period: Annotated[str, Asked("Of which month, where several used it.", "MONTH")] = ""
    back: Annotated[bool, Asked("Hand in what was withdrawn.")] = False


@dataclass(frozen=True, slots=True)
class SetRate(ActForm):
    """Set the exchange rate of one report, once.

    Of a report in a foreign currency; the service then pays it.
    """

    act = ActKind.EXCHANGE_RATE

    report: Annotated[str, Asked("A report of this ledger: rp-..., or the service's id.", "REPORT", is_positional=True)]
    rate: Annotated[str, Asked("What one unit of its currency is worth in BRL.", "RATE")]
    order_id: Annotated[str | None, Asked("The exchange order at the bank.", "X")] = None
    hide: Annotated[bool, Asked("Do not show payees the exchange.")] = False


@dataclass(frozen=True, slots=True)
class Fund(ActForm):
    """Record what was paid to the service for a report.

    A sum below zero puts right what was recorded before.
    """

    act = ActKind.FUND

    report: Annotated[str, Asked("A report of this ledger: rp-..., or the service's id.", "REPORT", is_positional=True)]
    amount: Annotated[str, Asked("What was paid, such as 10,00.", "AMOUNT")]
    day: Annotated[str, Asked("When, such as 2026-11-20.", "DAY")]
    evidence: Annotated[str, Asked("What shows it: a receipt, a line of the bank's statement.", "TEXT", is_reason=True)]


@dataclass(frozen=True, slots=True)
class ConfirmReceiver(ActForm):
    """Confirm that the receiver of a report's Pix code is the service.

    Codes that pay somebody else are not shown from then on.
    """

    act = ActKind.CONFIRM_RECEIVER

    report: Annotated[str, Asked("A report of this ledger: rp-..., or the service's id.", "REPORT", is_positional=True)]
    receiver: Annotated[str, Asked("The receiver, as `repasse funding` prints them.", "TEXT")]
    evidence: Annotated[str, Asked("How you know.", "TEXT", is_reason=True)]


@dataclass(frozen=True, slots=True)
class ExplainLine(ActForm):
    """Say what a line of the bank is.

    Where the program cannot, or was wrong. It is said by somebody who did not prepare the report.
    """

    act = ActKind.EXPLAIN_LINE

    line: Annotated[str, Asked("As `repasse bank` names it (bk-...).", "LINE", is_positional=True)]
    kind: Annotated[
        str,
        Asked(
            "What it is.",
            choices=(
                ("funding", "Money for a report, its fee included, or some of it that came back."),
                ("returned", "What came back of a payment."),
                ("checks", "The account checks of one day."),
                ("other", "Nothing of the service's."),
                ("open", "Nobody knows: what was said of it is taken back."),
            ),
        ),
    ]
    evidence: Annotated[str, Asked("What shows it.", "TEXT", is_reason=True)]
    of: Annotated[str, Asked("Which report (rp-...), what came back (ob-.../r1), or which day.", "WHAT")] = ""


@dataclass(frozen=True, slots=True)
class FormField:
    """A field of a form, as faces see it."""

    name: str
    kind: Any
    asked: Asked
    default: object

    @property
    def is_wanted(self) -> bool:
        """Whether it has to be filled in."""
        return self.default is MISSING

    @property
    def is_list(self) -> bool:
        return bool(self.kind == tuple[str, ...])

    @property
    def is_box(self) -> bool:
        """Whether it is a yes or a no."""
        return self.kind is bool


def fields_of(form: type[ActForm]) -> tuple[FormField, ...]:
    """Return the fields of a form, in their order."""
    hints, found = get_type_hints(form, include_extras=True), list[FormField]()
    for field in fields(form):
        asked = next(extra for extra in hints[field.name].__metadata__ if isinstance(extra, Asked))
        found.append(FormField(field.name, hints[field.name].__origin__, asked, field.default))
    return tuple(found)
