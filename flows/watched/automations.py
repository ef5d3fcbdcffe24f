"""The automations that belong to an installation: dead hosts are told, and people are called."""

from pathlib import Path
from typing import Final

from prefect.client.orchestration import get_client
from prefect.events.schemas.automations import AutomationCore
from ruamel.yaml import YAML

DECLARED: Final = Path(__file__).resolve().parents[2] / "deployments" / "automations.yaml"


def ensure_automations(path: Path = DECLARED) -> list[str]:
    """Make the automations that are not there yet; those that are, and were perhaps changed by people, are left alone.

    Returns:
        The names of those that were made.
    """
    declared = [AutomationCore.model_validate(one) for one in YAML(typ="safe").load(path)["automations"]]
    with get_client(sync_client=True) as client:
        missing = [one for one in declared if not client.read_automations_by_name(one.name)]
        for one in missing:
            client.create_automation(one)
    return [one.name for one in missing]
