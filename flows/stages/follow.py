"""Follow the open reports of all jobs together until they end, or the time for it has run out."""

from collections.abc import Callable

from flows.stages.route import SETTLE, Route
from flows.stages.run import Run
from flows.stages.settle import look_at_open
from flows.stages.settle_all import rewrite
from flows.steps.settlement_pace import next_pause_s
from schemas.submission import OPEN

_EVERY_S = 30.0


def settle_and_follow(for_s: float) -> Route:
    """Make the route of a settlement that stays with open reports for some seconds; one list serves all of them.

    Outputs are written again once, at the end.
    """
    seen: set[str] = set()

    def follow(run: Run) -> None:
        began_s, pause_s, total = run.clock.monotonic_s(), 0.0, 0
        while waiting := run.ledger.submissions.list(job=run.only_job, states=OPEN):
            pause_s = next_pause_s(pause_s, _EVERY_S)
            if run.clock.monotonic_s() - began_s + pause_s > for_s:
                break
            run.clock.sleep(pause_s)
            seen.update(one.run_id for one in waiting)
            total = max(total, len(waiting))
            look_at_open(run, waiting)
            left = run.ledger.submissions.list(job=run.only_job, states=OPEN, bodies=False)
            run.progress.advance("reports", total - len(left), total)

    def rewrite_all(run: Run) -> None:
        run.touched |= seen
        rewrite(run)

    rewrite_all.__name__ = rewrite.__name__
    first_follow: tuple[Callable[[Run], None], ...] = (follow, *SETTLE.stages)
    return Route(SETTLE.name, first_follow, rewrite_all)
