"""Mutants of writing down first and sending once, and of what the service's list proves."""

from typing import Final

from tests.simulation.mutants import Change, Mutant, when
from tests.simulation.points import Point
from tests.simulation.scenarios import Event, Twist

E, P, T = Event, Point, Twist
OUTBOX, SEND_ONCE = "io_adapters.ledger.outbox", "flows.sending.send"
SEND, LISTING = "flows.sending.send", "flows.reports.report_list"
ANY_TRANSITION = Change(f"{OUTBOX}:try_move", "check_transition(table, before.state, after)", "pass")

ONCE: Final = (
    Mutant(
        "the intent is written down after the POST",
        "was posted 2 times",
        when("accepted", "tells neither", P.AFTER_EFFECT, E.DIES),
        Change(f"{SEND_ONCE}:send_once", "taken = outbox", "take = lambda: outbox"),
        Change(f"{SEND_ONCE}:send_once", "if not taken:", "if False:"),
        Change(
            f"{SEND_ONCE}:send_once", "before_connect=before_connect)\n", "before_connect=lambda: None)\n    take()\n"
        ),
    ),
    Mutant(
        "acceptance is written down before the POST",
        "there is no such report",
        when(),
        Change(
            f"{SEND_ONCE}:send_once",
            "    answer = call",
            "    outbox.record_outcome(\n"
            "        attempt.id, AttemptState.ACCEPTED, http_status=None, raw_answer=b'', reason=None\n"
            "    )\n"
            "    answer = call",
        ),
    ),
    *(
        Mutant(
            f"what is written down need not survive a power cut (synchronous = {mode})",
            "was posted 2 times",
            when("accepted", "tells neither", P.AFTER_EFFECT, E.DIES),
            Change("io_adapters.ledger.engine:_prepare_sqlite", "synchronous = FULL", f"synchronous = {mode}"),
        )
        for mode in ("NORMAL", "OFF")
    ),
    Mutant(
        "whoever has read that a batch is approved may send it",
        "was posted 2 times",
        when(point=P.BEFORE_INTENT, event=E.OVERTAKEN),
        Change(f"{OUTBOX}:Outbox.take_for_sending", "attempt.state != A.APPROVED", "False"),
        ANY_TRANSITION,
    ),
    Mutant(
        "what a dead process was sending can be sent again",
        "was posted 2 times",
        when("accepted", "tells neither", P.AFTER_EFFECT, E.DIES),
        Change(f"{OUTBOX}:Outbox.doubt_abandoned", "before, A.IN_DOUBT", "before, A.APPROVED"),
        ANY_TRANSITION,
    ),
    Mutant(
        "what a process on another machine was sending can be sent again when its time is over",
        "was posted 2 times",
        when("accepted", "tells neither", P.AFTER_EFFECT, E.DIES_FAR_AWAY),
        Change(f"{OUTBOX}:Outbox.doubt_abandoned", "before, A.IN_DOUBT", "before, A.APPROVED"),
        ANY_TRANSITION,
    ),
    Mutant(
        "a worker need not look whether the row is still its own",
        "was posted outside the time",
        when(point=P.AFTER_INTENT, event=E.OVERTAKEN_LATE),
        Change(f"{SEND_ONCE}:_last_check", "if run.clock", "if False and run.clock"),
        Change(f"{SEND_ONCE}:_last_check", "or not outbox", "and not outbox"),
    ),
    Mutant(
        "every try has a name of its own",
        "was created and the ledger does not know it",
        when("no answer in time, created"),
        Change(
            f"{SEND_ONCE}:send_once",
            "call(attempt.body,",
            "call(attempt.body.replace(attempt.id.encode(), str(id(run)).encode()),",
        ),
    ),
    Mutant(
        "the body can be written anew when it is sent",
        "other bytes arrived",
        when(),
        Change(
            f"{SEND_ONCE}:send_once",
            "call(attempt.body,",
            "call(__import__('json').dumps(__import__('json').loads(attempt.body)).encode(),",
        ),
    ),
    Mutant(
        "what was not sent is given up and planned anew",
        "does not go under its own name",
        when("connection refused"),
        Change(f"{OUTBOX}:Outbox.reapprove_not_sent", "before, A.APPROVED", "before, 'withdrawn'"),
        ANY_TRANSITION,
    ),
)
LISTS: Final = (
    Mutant(
        "what the list does not show, once, was never created",
        "was sent 2 times",
        when("504, created minutes later"),
        Change(
            f"{LISTING}:_settle_doubts",
            "        elif finding.matches:",
            "        elif not finding.matches and finding.submission.state is S.IN_DOUBT:\n"
            "            run.ledger.submissions.declare_absent([name], by=('a', 'b'), evidence='list', run_id=run.id)\n"
            "        elif finding.matches:",
        ),
    ),
    Mutant(
        "an empty list frees what is in doubt",
        "was sent 2 times",
        when("504, created minutes later", "tells neither"),
        Change(
            f"{LISTING}:_settle_doubts",
            "        elif finding.matches:",
            "        elif not finding.matches and finding.submission.state is S.IN_DOUBT:\n"
            "            with run.ledger._database.writing() as ledger:\n"
            "                ledger.exec_driver_sql('UPDATE claims SET live = 0 WHERE submission_id = ?', (name,))\n"
            "                ledger.exec_driver_sql('UPDATE attempts SET state = ? WHERE id = ?',"
            " ('refused', name))\n"
            "        elif finding.matches:",
        ),
    ),
    Mutant(
        "a report that the ledger does not know is none of its business",
        "was posted all the same",
        when(twist=T.OLD_LEDGER),
        Change(f"{LISTING}:compare_reports", "freeze(run, [*alarms, *alarms_of(run, look)])", "pass"),
        Change(f"{SEND}:send", "if _is_there(run, submission):", "if False:"),
    ),
    Mutant(
        "the list need not be asked before sending",
        "was posted all the same",
        when(twist=T.OLD_LEDGER),
        Change("flows.sending.recover:recover", "    poll_reports(run)\n", ""),
        Change(f"{SEND}:listing_is_old", "return run.listed_at_s is None or", "return run.listed_at_s is not None and"),
    ),
)
