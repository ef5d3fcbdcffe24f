"""Mutants of whose word counts and for how long, of words about what was sent, and of what an answer may be linked to.

Each is found out by an office with files, a provider and the real program.
"""

from collections.abc import Callable
from pathlib import Path
from tempfile import mkdtemp
from typing import Final

from flows.acts.forms import DeclareAbsent
from flows.cli.acts import perform_here
from schemas.errors import ExitCode, RepasseError
from tests.flows.moments import later
from tests.simulation.editing_office import EditingOffice, opened_office
from tests.simulation.mutants import Change, Mutant, Question, when
from tests.simulation.office import Office
from tests.simulation.points import Point
from tests.simulation.provider import DELIVERED_TWICE, DROPPED, Fate, Meets

SIX: Final = tuple("123456")
DENIED: Final = Meets("denied", creates=0, status=403, body={"detail": "no"})


def asking(question: Callable[[EditingOffice], tuple[str, ...]], *references: str) -> Question:
    """Put a question to an office whose rows bear these references; six payments in three batches without."""

    def ask(folder: Path, _: Office) -> tuple[str, ...]:
        with opened_office(Path(mkdtemp(prefix="mutant-", dir=folder.parent)), *(references or SIX)) as office:
            return (*question(office), *office.violations())

    return ask


def sent_more(office: EditingOffice, than: int, why: str) -> tuple[str, ...]:
    """Whether more than so many batches were sent, and why that must not be."""
    return (why,) if len(office.provider.posts) > than else ()


def rejected_half_way(office: EditingOffice) -> tuple[str, ...]:
    office.run_and_die(Point.AFTER_OUTCOME)
    office.say("reject", office.last_digest(), "--by", "bia", "--why", "wrong month")
    office.run(yes=False)
    return sent_more(office, 1, "sent after it was rejected")


def a_month_later(office: EditingOffice) -> tuple[str, ...]:
    office.run_and_die(Point.AFTER_OUTCOME)
    office.run_later(days=31)
    return sent_more(office, 1, "sent after its approval had lapsed")


def changed_since(office: EditingOffice) -> tuple[str, ...]:
    office.run_and_die(Point.AFTER_OUTCOME)
    for line in office.rows:
        office.retype(line, **{"E-mail": f"nova.{line.cells['E-mail']}"})
    office.run(yes=False)
    return sent_more(office, 1, "sent as it was before it was changed")


def a_rule_that_was_loosened(office: EditingOffice) -> tuple[str, ...]:
    office.declare(approval={"approvers": 2})
    office.run(yes=False)
    office.declare(approval={"approvers": 1})
    office.run(yes=True)
    return sent_more(office, 0, "sent under a looser rule than it was frozen under")


def approved_by(*people: str, **rule: object) -> Callable[[EditingOffice], tuple[str, ...]]:
    """Ask an office whose plan these people approve; it must not go."""

    def ask(office: EditingOffice) -> tuple[str, ...]:
        office.declare(approval=rule)
        office.run(yes=False)
        for person in people:
            office.approve(by=person)
        office.run(yes=False)
        return sent_more(office, 0, "sent on words that do not count")

    return ask


def decided_against_the_service(office: EditingOffice) -> tuple[str, ...]:
    office.provider.fates.append(Fate("partly paid when it was looked at", "all", ("part", "part", "done")))
    office.run()
    keys = office.keys_in("Indeterminado")
    office.provider.reports[0].looks = 9
    said = office.decide("pay", *keys[:1]) if keys else None
    if said is None:
        return ("nothing was undetermined",)
    return ("a word freed what the service says it has paid",) if said.exit_code == ExitCode.DONE else ()


def absent_of_an_empty_list(office: EditingOffice) -> tuple[str, ...]:
    office.provider.meetings.append(DROPPED)
    office.provider.hides = 9
    office.run()
    (doubtful,) = {row["Relatório (envio)"] for row in office.told() if row["Situação"] == "Em dúvida"}
    try:
        said = DeclareAbsent((doubtful,), "its list")
        perform_here(["bia", "caio"], said, as_json=True, clock=later(hours=30))
    except RepasseError:
        return ()
    return ("declared absent of a list that shows nothing of that time",)


def lost_in_every_run(office: EditingOffice) -> tuple[str, ...]:
    office.declare(rules={"max_payments_per_batch": 1})
    office.provider.hides = 99
    office.provider.meetings += [DROPPED] * 12
    for _ in range(3):
        office.run()
    return sent_more(office, 5, "sent although five stood in doubt")


def turned_away(office: EditingOffice) -> tuple[str, ...]:
    office.provider.meetings += [DENIED] * 3
    office.run()
    return sent_more(office, 1, "sent although the service turns everything away")


def delivered_twice(office: EditingOffice) -> tuple[str, ...]:
    office.provider.meetings.append(DELIVERED_TWICE)
    office.run()
    return sent_more(office, 1, "sent on although each batch arrives twice")


PEOPLE: Final = (
    Mutant(
        "a rejected plan is withdrawn in words alone",
        "sent after it was rejected",
        asking(rejected_half_way),
        Change("io_adapters.ledger.approvals:Approving.reject_plan", "_withdraw(connection, of_plan,", "dict("),
        Change("io_adapters.ledger.approvals:sendable_until", " & plans.c.rejected_at.is_(None)", ""),
    ),
    Mutant(
        "what was approved may be sent for ever",
        "sent after its approval had lapsed",
        asking(a_month_later),
        Change("flows.sending.recover:withdraw_what_lapsed", "until[submission.id] <= now", "False"),
        Change("flows.sending.recover:withdraw_what_lapsed", "until[submission.id] > now", "True"),
        Change("io_adapters.ledger.submissions:Submissions._may_go", "until is None or now >= until", "False"),
    ),
    Mutant(
        "what was approved is sent as it was, whatever has changed since",
        "as it was before it was changed",
        asking(changed_since),
        Change("flows.sending.recover:_changed", "if not stands(batch)", "if False"),
    ),
    Mutant(
        "the job file as it is now has the last word on its rule",
        "under a looser rule",
        asking(a_rule_that_was_loosened),
        Change("io_adapters.ledger.approvals_missing:rule_for", "plan.rule if plan else None", "None"),
        Change("io_adapters.ledger.approvals:_counting", "stricter(rule, rule_of_plan(connection, digest))", "rule"),
    ),
    Mutant(
        "two names that look alike are two people",
        "words that do not count",
        asking(approved_by("Bia Lima", "Вiа  Lima", approvers=2)),
        Change("schemas.values.names:same_person", "seen.translate(_LOOKS_LIKE)", "seen"),
    ),
    Mutant(
        "whoever prepared a plan may approve it",
        "words that do not count",
        asking(approved_by("ana", other_than_preparer=True)),
        Change("schemas.approval:approvals_that_count", "excludes_preparers and person in prepared", "False"),
    ),
)
DOUBTS: Final = (
    Mutant(
        "what has failed was never sent",
        "was sent 2 times",
        when("accepted, in the end an error and nothing paid"),
        Change("flows.payables.plan_review:review_reasons", "*_second_attempts(run, drafted, plan),", ""),
    ),
    Mutant(
        "a person knows better than the service whether it has paid",
        "a word freed",
        asking(decided_against_the_service, "1", "2"),
        Change("flows.acts.payments:_require_unpaid", "if report is not None and says_paid", "if False and says_paid"),
    ),
    Mutant(
        "any list that lacks a report proves its absence",
        "of a list that shows nothing",
        asking(absent_of_an_empty_list, "1", "2"),
        Change("flows.acts.doubts:_require_absence_shown", "if lacks is not None:", "if False:"),
    ),
    Mutant(
        "doubts of other runs are theirs",
        "five stood in doubt",
        asking(lost_in_every_run, *"123456789"),
        Change("flows.sending.send:_doubts_stop", "list(states", "list(run_id=run.id, states"),
    ),
    Mutant(
        "a service that turns one batch away may take the next",
        "turns everything away",
        asking(turned_away),
        Change("flows.sending.send:send", "if run.sending_stopped:", "if False:"),
    ),
    Mutant(
        "one report may be two submissions",
        "is taken for",
        when("answer of the first report, created", "tells neither"),
        Change("io_adapters.ledger.submissions:Submissions._hold_against_others", "if other is None:", "if True:"),
        without_index="uq_submissions_split_id",
    ),
    Mutant(
        "an answer of another amount is an answer",
        "and no people must look",
        when("answer of another total"),
        Change("flows.sending.send:_alarms_of", "if field in answer.mismatches", "if False"),
    ),
    Mutant(
        "the list need not be looked at again before the second batch",
        "each batch arrives twice",
        asking(delivered_twice),
        Change("flows.sending.send:send", " or nothing_accepted_was_listed(run)", ""),
    ),
)
