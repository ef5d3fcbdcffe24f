"""What a run is called in a list: its job and period, as far as the job file tells them."""

from pathlib import Path

from flows.wiring import read_order
from schemas.errors import RepasseError


def name_of_job(path: str) -> str:
    """Return job and period; the name of the file where it cannot be read, which the run itself will say.

    >>> name_of_job("jobs/nowhere.yaml")
    'jobs/nowhere.yaml'
    """
    try:
        order = read_order(Path(path))
    except (RepasseError, OSError):
        return "/".join(Path(path).parts[-2:])
    return f"{order.job.job} {order.period.label}"
