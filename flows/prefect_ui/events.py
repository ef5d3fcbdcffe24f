"""Prefect events and automations that alert people: which run, never which payee."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from prefect.client.orchestration import get_client
from prefect.events.schemas.automations import AutomationCore
from ruamel.yaml import YAML

from schemas.exit_codes import ExitCode

IN_DOUBT: Final = "repasse.in-doubt"
FROZEN: Final = "repasse.frozen"
DISCREPANCIES: Final = "repasse.discrepancies"
APPROVAL_WANTED: Final = "repasse.approval-wanted"

_NAMES: Final = {
    ExitCode.IN_DOUBT: IN_DOUBT,
    ExitCode.FROZEN: FROZEN,
    ExitCode.DISCREPANCIES: DISCREPANCIES,
    ExitCode.APPROVAL_WANTED: APPROVAL_WANTED,
}


@dataclass(frozen=True, slots=True)
class RunEvent:
    """Something a person should know of at once.

    Attributes:
        name: What happened.
        resource: Which run, of which job and period; identities only.
        payload: Counts, totals and digests; nothing that names a payee.
    """

    name: str
    resource: dict[str, str]
    payload: dict[str, str | int]


def events_of(
    codes: Iterable[ExitCode], *, run_id: str, job: str, period: str, payload: dict[str, str | int]
) -> list[RunEvent]:
    """Say which events a run gives rise to.

    Args:
        codes: All that holds of the run, not only the worst.
        run_id: Identity of the run.
        job: Name of the job; "" for a run of several.
        period: Label of the period; "" likewise.
        payload: What else to tell.
    """
    resource = {
        "prefect.resource.id": f"repasse.run.{run_id}",
        "prefect.resource.name": " ".join(part for part in (job, period, run_id) if part),
        "repasse.job": job,
        "repasse.period": period,
    }
    return [RunEvent(_NAMES[code], resource, payload) for code in sorted(set(codes)) if code in _NAMES]


DECLARED: Final = Path(__file__).resolve().parents[2] / "deployments" / "automations.yaml"


def ensure_automations(path: Path = DECLARED) -> list[str]:
    """Make the automations that are not there yet; those that are, and were perhaps changed by people, are left alone.

    Returns:
        The names of those that were made.
    """
    declared = [AutomationCore.model_validate(automation) for automation in YAML(typ="safe").load(path)["automations"]]
    with get_client(sync_client=True) as client:
        missing = [automation for automation in declared if not client.read_automations_by_name(automation.name)]
        for automation in missing:
            client.create_automation(automation)
    return [automation.name for automation in missing]
