"""Refuses environments that change the meaning of the program silently, before anything is read or sent."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from schemas.errors import ConfigurationError

_REFUSED: Final = (
    ("PANDERA_VALIDATION_ENABLED", {"false", "0"}, "tables would pass unchecked"),
    ("PANDERA_VALIDATION_DEPTH", {"schema_only"}, "values would pass unchecked"),
    (
        "PREFECT_RESULTS_PERSIST_BY_DEFAULT",
        {"true", "1"},
        "a second equal task would be skipped, and people's data kept",
    ),
)
_RETRIES: Final = ("PREFECT_TASKS_DEFAULT_RETRIES", "PREFECT_FLOWS_DEFAULT_RETRIES")


def check_environment(environment: Mapping[str, str] = os.environ) -> None:
    """Stop when a variable, or a foreign package of the same name, would change what a run means.

    Raises:
        ConfigurationError: names the variable or package, what it would do, and the remedy.
    """
    for name, refused, consequence in _REFUSED:
        if environment.get(name, "").strip().lower() in refused:
            raise ConfigurationError(f"{name}={environment[name]}: {consequence}; unset it")
    for name in _RETRIES:
        if environment.get(name, "0").strip() not in {"", "0"}:
            raise ConfigurationError(f"{name}={environment[name]}: nothing that moves money is ever retried; unset it")
    _check_packages()


def _check_packages() -> None:
    """`flows`, `schemas` and `io_adapters` are common names; make sure that all three are ours."""
    import flows  # noqa: PLC0415
    import io_adapters  # noqa: PLC0415
    import schemas  # noqa: PLC0415

    homes = {Path(str(package.__file__)).parents[1] for package in (flows, io_adapters, schemas)}
    if len(homes) != 1:
        places = ", ".join(sorted(map(str, homes)))
        raise ConfigurationError(f"another package took the name of one of ours; they come from {places}")
