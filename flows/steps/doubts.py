"""When a service loses its answers again and again, sending more into it helps nobody."""

from collections.abc import Iterable
from itertools import takewhile

from schemas.submission import Submission, SubmissionState


def doubts_in_a_row(submissions: Iterable[Submission]) -> int:
    """Count the submissions sent last, of those given, that are all still in doubt."""
    sent = sorted(
        (one for one in submissions if one.sending_at is not None),
        key=lambda one: (one.sending_at, one.batch_number),
        reverse=True,
    )
    return sum(1 for _ in takewhile(lambda one: one.state is SubmissionState.IN_DOUBT, sent))
