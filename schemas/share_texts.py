"""Parts of a whole, and costs that were taken before them, as people read them in their own language."""

from schemas.messages import Listed
from schemas.values.costs_taken import read_costs
from schemas.values.millionths import fraction_text, percent_of, read_millionths


def share_text(share_ppm: str) -> Listed | str:
    """Write a part, as tables keep it, in percent where a decimal says it, else as a fraction."""
    part = read_millionths(share_ppm)
    percent = percent_of(part)
    return fraction_text(part) if percent is None else Listed((percent.normalize(), "%"), " ")


def costs_text(costs: str) -> Listed:
    """Write costs, as tables keep them, by name and part, in the order in which they were taken."""
    return Listed(tuple(Listed((name, share_text(str(part_ppm))), " ") for name, part_ppm in read_costs(costs)))
