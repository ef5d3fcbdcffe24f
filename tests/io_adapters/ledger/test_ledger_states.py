"""Whatever happens in whatever order: no obligation is live twice, and no state is reached that the table forbids."""

import datetime as dt
import itertools
from collections import Counter

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test
from sqlalchemy import select, text

from io_adapters.ledger.leases import Owner
from io_adapters.ledger.ledger import open_ledger
from io_adapters.ledger.submission_rows import move, read_submission
from io_adapters.ledger.tables import attempts, claims
from schemas.errors import BrokenInvariant, RepasseError
from schemas.submission import LIVE, TRANSITIONS, Outcome, SubmissionState

S = SubmissionState
NOW = dt.datetime(2026, 11, 20, 9, 0, tzinfo=dt.UTC)


def test_only_transitions_of_the_table_happen(make_desk, make_plan):
    with open_ledger("sqlite://", clock=lambda: NOW) as ledger:
        (submission,) = make_desk(ledger, lambda: NOW).approve(make_plan({"ana": 100}))

        def happen(before: SubmissionState, after: SubmissionState) -> None:
            with ledger._database.writing() as connection:
                connection.execute(text("UPDATE attempts SET state = :state"), {"state": before.value})
            with ledger._database.writing() as connection:
                move(connection, read_submission(connection, submission.id), after, at=NOW, by="test")

        for before, after in itertools.product(S, S):
            lines = len(ledger.submissions.transitions(submission.id))
            if after in TRANSITIONS[before]:
                happen(before, after)
                assert ledger.submissions.get(submission.id).state is after
                last = ledger.submissions.transitions(submission.id)[lines]
                assert (last.before, last.after) == (before, after)
            else:
                with pytest.raises(BrokenInvariant, match="cannot go"):
                    happen(before, after)
                assert ledger.submissions.get(submission.id).state is before
                assert len(ledger.submissions.transitions(submission.id)) == lines


def test_any_story_keeps_the_promises(make_desk, make_plan):  # noqa: C901 - the story's rules, one by one
    """Plans that overlap, answers that come late or never, people's words and lists, in any order."""

    class Story(RuleBasedStateMachine):
        def __init__(self) -> None:
            super().__init__()
            self.ledger = open_ledger("sqlite://", clock=lambda: NOW)
            self.desk = make_desk(self.ledger, lambda: NOW)
            self.owner = Owner.current("run-1")
            self.posted: Counter[str] = Counter()
            self.paid_twice: set[str] = set()

        def teardown(self) -> None:
            self.ledger.close()

        def one(self, pick: int) -> str:
            known = self.ledger.submissions.list(bodies=False)
            return known[pick % len(known)].id

        def attempt(self, act) -> None:
            """Do something; where it is refused, nothing may have changed."""
            before = self.ledger.submissions.list()
            try:
                act()
            except RepasseError:
                assert self.ledger.submissions.list() == before

        @rule(amounts=st.dictionaries(st.sampled_from("abcd"), st.integers(1, 3), min_size=1))
        def plan_and_approve(self, amounts):
            plan = make_plan(dict(sorted(amounts.items())))
            self.attempt(lambda: self.desk.store(plan))
            self.attempt(lambda: self.desk.sign(plan))
            self.attempt(lambda: self.ledger.submissions.approve_plan(plan.digest, "run-1", (), NOW))

        @precondition(lambda self: self.ledger.submissions.list(states=[S.APPROVED], bodies=False))
        @rule(pick=st.integers(0, 99), outcome=st.sampled_from([*Outcome, None]))
        def send(self, pick, outcome):
            waiting = self.ledger.submissions.list(states=[S.APPROVED], bodies=False)
            chosen = waiting[pick % len(waiting)]
            if self.ledger.plans.get(chosen.plan_digest).rejected_by:  # people said no, then two that it never arrived
                self.attempt(lambda: self.desk.take(chosen, self.owner))
                return
            assert self.desk.take(chosen, self.owner)
            self.posted[chosen.id] += outcome is not Outcome.NOT_SENT
            if outcome is not None:
                self.answer(chosen.id, outcome)

        def answer(self, submission_id, outcome):
            self.ledger.submissions.record_outcome(
                submission_id, outcome, http_status=None, raw_answer=b"", split_id=None, reason=None
            )

        @precondition(lambda self: self.posted)
        @rule(pick=st.integers(0, 99), outcome=st.sampled_from([Outcome.ACCEPTED, Outcome.REFUSED, Outcome.IN_DOUBT]))
        def an_answer_comes_late(self, pick, outcome):
            self.answer(sorted(self.posted)[pick % len(self.posted)], outcome)

        @rule()
        def the_worker_dies(self):
            self.ledger.submissions.doubt_abandoned(lambda _: True)

        @precondition(lambda self: self.ledger.submissions.list(bodies=False))
        @rule(pick=st.integers(0, 99))
        def found(self, pick):
            submission_id = self.one(pick)

            def find():
                twice = self.ledger.submissions.record_found(
                    submission_id, f"id of {submission_id}", by="x", reason=None
                )
                self.paid_twice.update(twice)

            self.attempt(find)
            self.people_look_at_the_freeze()

        def people_look_at_the_freeze(self):
            """What is paid twice freezes sending in the transaction that finds it; people let it go on."""
            freeze = self.ledger.freeze.current()
            for tag in freeze.tags if freeze else ():
                self.paid_twice.update(payment.obligation_key for payment in self.ledger.claims.payments_of(tag))
            self.ledger.freeze.lift(("Ana", "Bia"), "x", ())

        @precondition(lambda self: self.ledger.submissions.list(bodies=False))
        @rule(pick=st.integers(0, 99))
        def declared_absent(self, pick):
            submission_id = self.one(pick)
            self.attempt(
                lambda: self.ledger.submissions.declare_absent(
                    [submission_id], by=("Ana", "Bia"), evidence="x", run_id="run-2"
                )
            )

        @precondition(lambda self: self.ledger.submissions.list(bodies=False))
        @rule(pick=st.integers(0, 99), state=st.sampled_from(S))
        def status(self, pick, state):
            submission_id = self.one(pick)
            self.attempt(lambda: self.ledger.submissions.record_status(submission_id, b"{}", "X", state, by="run-1"))
            self.people_look_at_the_freeze()

        @precondition(lambda self: self.ledger.submissions.list(bodies=False))
        @rule(pick=st.integers(0, 99), again=st.booleans())
        def taken_back_or_tried_again(self, pick, again):
            submission = self.ledger.submissions.get(self.one(pick))
            if again:
                self.attempt(lambda: self.ledger.submissions.reapprove_not_sent(submission.id, by="run-2"))
            else:
                self.attempt(lambda: self.ledger.submissions.reject_plan(submission.plan_digest, "Ana", "x"))

        @invariant()
        def a_report_id_is_posted_once(self):
            assert all(count <= 1 for count in self.posted.values())

        @invariant()
        def an_obligation_is_live_once_and_exactly_while_its_submission_is(self):
            with self.ledger._database.reading() as connection:
                columns = (claims.c.obligation_key, claims.c.live, attempts.c.state)
                rows = connection.execute(
                    select(*columns).join(attempts, attempts.c.id == claims.c.submission_id)
                ).all()
            assert all(count == 1 for count in Counter(row.obligation_key for row in rows if row.live).values())
            for row in rows:
                assert bool(row.live) == (S(row.state) in LIVE) or row.obligation_key in self.paid_twice

        @invariant()
        def the_journal_tells_the_whole_story(self):
            for submission in self.ledger.submissions.list(bodies=False):
                lines = self.ledger.submissions.transitions(submission.id)
                assert lines[-1].after is submission.state
                assert all(first.after is second.before for first, second in itertools.pairwise(lines))
                assert all(line.after in TRANSITIONS[line.before] for line in lines[1:])

    run_state_machine_as_test(Story, settings=settings(max_examples=15, stateful_step_count=25))
