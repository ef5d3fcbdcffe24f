"""Mutants of claims, and of people's words."""

from typing import Final

from tests.simulation.mutants import Change, Mutant, when
from tests.simulation.points import Point
from tests.simulation.questions import a_second_live_claim_on_one_obligation
from tests.simulation.scenarios import Event, Twist

E, P, T = Event, Point, Twist
ONE_LIVE_CLAIM: Final = "uq_claims_one_live_per_obligation"

CLAIMS: Final = (
    Mutant(
        "an approved plan claims nothing",
        "does not claim",
        when(),
        Change(
            "io_adapters.ledger.approvals:Approving.approve_plan",
            "claim_all(connection, [submission.id for submission in planned])",
            "pass",
        ),
    ),
    Mutant(
        "what is in doubt claims nothing",
        "was sent 2 times",
        when("504, created minutes later", "tells neither"),
        Change(
            "io_adapters.ledger.submissions:try_move",
            "after not in LIVE",
            "after not in LIVE - {SubmissionState.IN_DOUBT}",
        ),
    ),
    Mutant(
        "two plans may claim one obligation",
        "was sent 2 times",
        when(point=P.BEFORE_FREEZING, event=E.OVERTAKEN, twist=T.EXTENDED),
        Change(
            "io_adapters.ledger.claims:claim_all",
            "taken := claimed_elsewhere(connection, submission_ids)",
            "taken := ()",
        ),
        Change("io_adapters.ledger.approvals:Approving.approve_plan", "require_epoch(connection, epoch)", "pass"),
        without_index=ONE_LIVE_CLAIM,
    ),
    Mutant(
        "one look before claiming is enough, and the file needs no index",
        "an obligation is claimed twice",
        a_second_live_claim_on_one_obligation,
        without_index=ONE_LIVE_CLAIM,
    ),
    Mutant(
        "an equal amount is the same payment",
        "is not paid",
        when(twist=T.EXTENDED),
        Change(
            "flows.payables.rules.claims:claim",
            "known = by_base.get(obligation.base_key, []) if obligation.base_key else []",
            "known = [one for some in by_base.values() for one in some if one.amount_cents == obligation.amount_cents]",
        ),
    ),
)
WORDS: Final = (
    Mutant(
        "a plan needs nobody's word",
        "was posted all the same",
        when(twist=T.NO_YES),
        Change("flows.acts.approve:_approve", "if len(given) < wanted:", "if False:"),
        Change("io_adapters.ledger.approvals:Approving._require_approvals", "if len(counting) < needed:", "if False:"),
    ),
    Mutant(
        "a hold can wait",
        "was posted all the same",
        when(point=P.BETWEEN_BATCHES, twist=T.ON_HOLD),
        Change("flows.sending.send:check_may_send", "    if hold:\n", "    if False:\n"),
        Change(
            "io_adapters.ledger.decisions:require_free_to_send",
            "if (hold := _current_hold(connection, seal)) is not None:",
            "if False:",
        ),
    ),
)
