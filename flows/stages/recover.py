"""Before anything new: meet the service, settle what is in doubt, and finish what is stored."""

from flows.stages.draft import draft_anew
from flows.stages.exchange_rate import set_rates
from flows.stages.listing import doubt_abandoned, look_at_service
from flows.stages.run import Run
from flows.stages.send import send


def recover(run: Run) -> None:
    """Finish stored approved batches, byte for byte, and their exchange rates; then work out again what is left.

    Raises:
        NotSent: the service cannot be reached or refuses the key, or sending is on hold with batches waiting.
        SendingFrozen: ledger and service disagree.
    """
    doubt_abandoned(run)
    look_at_service(run)
    send(run)
    set_rates(run, run.job.job)
    draft_anew(run)
