"""Approvals and decisions, the people of the desk who make them, and how many must agree."""

import datetime as dt
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Literal

from schemas.job import HousePolicy, Identities, Job
from schemas.plan import Approval, ApprovalKind
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
        documents: Tax ids under which they are paid themselves; their word counts for no plan that pays one of these.
    """

    key: str
    name: str
    roles: frozenset[Role]
    password_hash: str
    language: Language
    disabled: bool
    documents: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Upload:
    """A file somebody uploaded, kept under its content.

    Attributes:
        sha256: Hex digest of its bytes; with `name`, its identity.
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
        plan_digest: The plan whose approval asked for it; None for a first run.
    """

    key: str
    job_file: str
    files: tuple[str, ...]
    by: str
    plan_digest: str | None
    at: dt.datetime


@dataclass(frozen=True, slots=True)
class FirstDecision:
    """What one person says where it takes two; waits for the second."""

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


# How long a yes may wait to be used, and what was approved to be sent.
GOOD_FOR: Final = dt.timedelta(days=7)

# Who starts a run from Prefect with a yes goes by this name.
APPROVING: Final = "approve"


@dataclass(frozen=True, slots=True)
class PlanRule:
    """Whose yes a plan needs.

    Attributes:
        above_cents: Up to this total nobody's; None where nothing is said.
        payment_limit_cents: A payment above it needs two people; None for no limit.
        run_limit_cents: A total above it needs two people; None for no limit.
        other_than_preparer: Whether those who prepared the plan do not count; None where it is not said: then they
            count by a typed name, and not by an approval in the desk.
    """

    above_cents: int | None = None
    approvers: int = 1
    payment_limit_cents: int | None = None
    run_limit_cents: int | None = None
    identities: Identities = "declared"
    other_than_preparer: bool | None = False

    def is_beyond_limits(self, total_cents: int, largest_cents: int) -> bool:
        """Whether a plan holds a payment, or a total, above what one person may approve."""
        return (self.payment_limit_cents is not None and largest_cents > self.payment_limit_cents) or (
            self.run_limit_cents is not None and total_cents > self.run_limit_cents
        )

    def approvers_needed(self, total_cents: int, largest_cents: int, *, needs_review: bool) -> int:
        """How many people must approve a plan."""
        if self.is_beyond_limits(total_cents, largest_cents):
            return 2
        small = self.above_cents is not None and total_cents <= self.above_cents
        return 0 if small and not needs_review else self.approvers


def rule_of(declared: Job | HousePolicy) -> PlanRule:
    """Return the rule that a job file, or a policy, declares.

    A policy that says whose yes is needed, and not from which amount, needs it from the first centavo.
    """
    given = declared.approval if isinstance(declared, Job) else declared
    wants = given.approvers > 1 or given.identities == "signed_in" or bool(given.other_than_preparer)
    above = 0 if given.above is None and wants else given.above
    limits = declared.rules.limits if isinstance(declared, Job) else declared.limits
    return PlanRule(
        above_cents=above,
        approvers=given.approvers,
        payment_limit_cents=limits.payment,
        run_limit_cents=limits.run,
        identities=given.identities,
        other_than_preparer=given.other_than_preparer,
    )


def stricter(*rules: PlanRule | None) -> PlanRule:
    """Combine rules so that none is undercut: in each respect the strictest of them counts; None says nothing.

    >>> stricter(PlanRule(above_cents=500, approvers=2), None, PlanRule(above_cents=100)).above_cents
    100
    """
    given = [rule for rule in rules if rule is not None]
    return PlanRule(
        above_cents=least(rule.above_cents for rule in given),
        approvers=max((rule.approvers for rule in given), default=1),
        payment_limit_cents=least(rule.payment_limit_cents for rule in given),
        run_limit_cents=least(rule.run_limit_cents for rule in given),
        identities="signed_in" if any(rule.identities == "signed_in" for rule in given) else "declared",
        other_than_preparer=max((rule.other_than_preparer for rule in given), key=_STRICTNESS.index, default=False),
    )


@dataclass(frozen=True, slots=True)
class PolicyOnRecord:
    """What a ledger knows of the policies it has been opened under: the strictest of each."""

    rule: PlanRule
    checks_per_day: int | None = None
    checks_per_month: int | None = None
    checks_approval_above: int | None = None
    phone_again_above_cents: int | None = None


def on_record(policy: HousePolicy) -> PolicyOnRecord:
    checks = policy.account_checks
    most = (checks.per_day, checks.per_month, checks.approval_above)
    return PolicyOnRecord(rule_of(policy), *most, checks.phone_again_above)


def strictest(*policies: PolicyOnRecord | None) -> PolicyOnRecord | None:
    """Combine policies so that none is undercut; None where there is none."""
    given = [policy for policy in policies if policy is not None]
    if not given:
        return None
    return PolicyOnRecord(
        stricter(*(policy.rule for policy in given)),
        least(policy.checks_per_day for policy in given),
        least(policy.checks_per_month for policy in given),
        least(policy.checks_approval_above for policy in given),
        least(policy.phone_again_above_cents for policy in given),
    )


_STRICTNESS: Final = (False, None, True)


def least(values: Iterable[int | None]) -> int | None:
    """Return the strictest of some bounds; None where there is none."""
    return min((value for value in values if value is not None), default=None)


def approvals_that_count(
    approvals: Iterable[Approval],
    rule: PlanRule,
    *,
    total_cents: int,
    needed: int,
    users: Collection[DeskUser],
    preparers: Collection[str],
    paid: Collection[str] = (),
) -> dict[str, Approval]:
    """Choose the approvals that count for what their people are now.

    A desk user counts while they are enabled and have the role to approve, also where they only typed their name; a
    signed-in approval by somebody who is no user any more does not count. Where two people are needed, or the rule says
    so, those who prepared the plan do not count. Nobody's word counts for what pays themselves.

    Args:
        paid: Tax ids of those who are paid.

    Returns:
        By person, the approval of each that lasts longest.
    """
    user_of = {same_person(user.name): user for user in users}
    prepared = {same_person(name) for name in preparers}
    counting: dict[str, Approval] = {}
    for approval in approvals:
        person, signed_in = same_person(approval.by), approval.kind is ApprovalKind.SIGNED_IN
        user = user_of.get(person)
        may = Role.APPROVER in user.roles and not user.disabled if user else not signed_in
        knows = signed_in or rule.identities == "declared"
        excludes_preparers = needed > 1 or rule.approvers > 1 or rule.other_than_preparer
        if rule.other_than_preparer is None and signed_in:
            excludes_preparers = True
        if not (person and may and knows) or approval.total_cents != total_cents:
            continue
        if user and not user.documents.isdisjoint(paid):
            continue
        if excludes_preparers and person in prepared:
            continue
        if person not in counting or approval.expires_at > counting[person].expires_at:
            counting[person] = approval
    return counting


def most_approvals(rule: PlanRule, users: Collection[DeskUser]) -> int:
    """Return how many approvals a plan can have at the most in a house of these users, whoever of them prepares it.

    Fewer than `rule.approvers` of them: plans of this house wait for ever.
    """
    enabled = [user for user in users if not user.disabled]
    approvers = {user.key for user in enabled if Role.APPROVER in user.roles}
    if rule.other_than_preparer is False and rule.approvers < 2:
        return len(approvers)
    preparers = {user.key for user in enabled if Role.PREPARER in user.roles}
    of_the_night = max(len(approvers) - bool(rule.other_than_preparer), 0)  # of files that nobody has brought
    return max((len(approvers - {preparer}) for preparer in preparers), default=of_the_night)


def good_until(counting: Collection[Approval], needed: int, now: dt.datetime) -> dt.datetime:
    """Say until when what is approved now may be sent: as long as enough of its approvals last.

    Where nobody's word is needed, as long as a word would be good for.
    """
    last_longest = sorted((approval.expires_at for approval in counting), reverse=True)[:needed]
    return min(last_longest, default=now + GOOD_FOR)


class DecisionKind(StrEnum):
    """What the person says."""

    PAY = "pay"  # it was not paid, or more is owed: the next plan may pay it
    DIFFERENCE = "difference"  # of a row that says more than was paid for it: only the rest is owed
    PAID = "paid"  # it was paid, by the report or outside: nothing more is owed
    DROP = "drop"  # nobody is to be paid for it


@dataclass(frozen=True, slots=True)
class Decision:
    """One word, bound to what was to be paid when it was said: another amount or destination is another question.

    Attributes:
        submission_id: The partial or excluded report that the word explains; "" for a word on the row as it stood.
    """

    obligation_key: str
    submission_id: str
    kind: DecisionKind
    amount_cents: int
    destination: str
    by: str
    evidence: str
    at: dt.datetime

    @property
    def reason(self) -> str:
        return f"{self.kind.value}, decided by {self.by}"


@dataclass(frozen=True, slots=True)
class ReadBytes:
    """A file that a plan was made of.

    Attributes:
        sha256: Hex digest of its bytes.
        people: Who has a part in these bytes.
        is_claimed: Whether somebody is known to have brought them, or has received them.
    """

    name: str
    sha256: str
    people: tuple[str, ...]
    is_claimed: bool


@dataclass(frozen=True, slots=True)
class PlanDecision:
    """A yes or a no to a plan, as it was said and whatever became of it."""

    digest: str
    by: str
    kind: str
    total_cents: int
    at: dt.datetime
    is_used: bool
    is_void: bool
    why: str = ""


REJECTED: Final = "rejected"
