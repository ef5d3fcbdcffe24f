"""Mutants of writing down first and sending once, and of what the service's list proves."""

from typing import Final

from tests.simulation.mutants import Change, Mutant, when
from tests.simulation.points import Point
from tests.simulation.scenarios import Event, Twist

E, P, T = Event, Point, Twist
SENDING, SEND, LISTING = "io_adapters.ledger.attempts", "flows.sending.send", "flows.reports.report_list"
ANY_TRANSITION = Change("io_adapters.ledger.claims:try_move", "check_transition(submission.state, after)", "pass")

ONCE: Final = (
    Mutant(
        "the intent is written down after the POST",
        "was posted 2 times",
        when("accepted", "tells neither", P.AFTER_EFFECT, E.DIES),
        Change(f"{SEND}:_send_one", "taken = run.ledger", "take = lambda: run.ledger"),
        Change(f"{SEND}:_send_one", "if not taken:", "if False:"),
        Change(
            f"{SEND}:_send_one",
            "_last_look(run, submission, run.clock.monotonic_s() + timeout_s),\n    )\n",
            "lambda: None,\n    )\n    take()\n",
        ),
    ),
    Mutant(
        "acceptance is written down before the POST",
        "there is no such report",
        when(),
        Change(
            f"{SEND}:_send_one",
            "    answer = post",
            "    run.ledger.submissions.record_outcome(\n"
            "        submission.id, Outcome.ACCEPTED, http_status=None, raw_answer=b'', split_id=None, reason=''\n"
            "    )\n"
            "    answer = post",
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
        Change(f"{SENDING}:Sending.take_for_sending", "submission.state is not SubmissionState.APPROVED", "False"),
        ANY_TRANSITION,
    ),
    Mutant(
        "what a dead process was sending can be sent again",
        "was posted 2 times",
        when("accepted", "tells neither", P.AFTER_EFFECT, E.DIES),
        Change(
            f"{SENDING}:Sending.doubt_abandoned", "before, SubmissionState.IN_DOUBT", "before, SubmissionState.APPROVED"
        ),
        ANY_TRANSITION,
    ),
    Mutant(
        "what a process on another machine was sending can be sent again when its time is over",
        "was posted 2 times",
        when("accepted", "tells neither", P.AFTER_EFFECT, E.DIES_FAR_AWAY),
        Change(
            f"{SENDING}:Sending.doubt_abandoned", "before, SubmissionState.IN_DOUBT", "before, SubmissionState.APPROVED"
        ),
        ANY_TRANSITION,
    ),
    Mutant(
        "a worker need not look whether the row is still its own",
        "was posted outside the time",
        when(point=P.AFTER_INTENT, event=E.OVERTAKEN_LATE),
        Change(f"{SEND}:_last_look", "if run.clock", "if False and run.clock"),
        Change(f"{SEND}:_last_look", "or not run.ledger", "and not run.ledger"),
    ),
    Mutant(
        "every try has a name of its own",
        "was created and the ledger does not know it",
        when("no answer in time, created"),
        Change(
            f"{SEND}:_send_one",
            "        submission.body,\n",
            "        submission.body.replace(submission.report_id.encode(), str(id(run)).encode()),\n",
        ),
    ),
    Mutant(
        "the body can be written anew when it is sent",
        "other bytes arrived",
        when(),
        Change(
            f"{SEND}:_send_one",
            "        submission.body,\n",
            "        json.dumps(json.loads(submission.body)).encode(),\n",
        ),
    ),
    Mutant(
        "what was not sent is given up and planned anew",
        "does not go under its own name",
        when("connection refused"),
        Change(
            f"{SENDING}:Sending.reapprove_not_sent",
            "before, SubmissionState.APPROVED",
            "before, SubmissionState.WITHDRAWN",
        ),
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
            "                ledger.exec_driver_sql('UPDATE submissions SET state = ? WHERE id = ?',"
            " ('refused', name))\n"
            "        elif finding.matches:",
        ),
    ),
    Mutant(
        "a report that the ledger does not know is none of its business",
        "was posted all the same",
        when(twist=T.OLD_LEDGER),
        Change(f"{LISTING}:compare_reports", "freeze(run, alarms)", "pass"),
    ),
    Mutant(
        "the list need not be asked before sending",
        "was posted all the same",
        when(twist=T.OLD_LEDGER),
        Change("flows.sending.recover:recover", "    poll_reports(run)\n", ""),
        Change(f"{SEND}:listing_is_old", "return run.listed_at_s is None or", "return run.listed_at_s is not None and"),
    ),
)
