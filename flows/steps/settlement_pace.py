"""How long to wait between two looks at open reports."""

from typing import Final

FIRST_S: Final = 0.5
GROWTH: Final = 1.5


def next_pause_s(last_s: float, every_s: float) -> float:
    """Grow from half a second to the job's pace: small reports end soon, long ones are not pestered.

    >>> next_pause_s(0.0, 30.0), next_pause_s(0.5, 30.0), next_pause_s(29.0, 30.0)
    (0.5, 0.75, 30.0)
    """
    return min(every_s, max(FIRST_S, last_s * GROWTH))
