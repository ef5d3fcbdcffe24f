"""What all steps of a probe have at hand, and how what they see is kept."""

from dataclasses import dataclass, field
from typing import Any, Final

from flows.stages.run import Run
from flows.steps.probe import ProbeFinding, judge
from flows.steps.probe_parties import ProbeParties
from io_adapters.split_api.probing import ProbeApi

LONGEST_WAIT_S: Final = 120.0


@dataclass(slots=True)
class Probing:
    """One probe.

    Attributes:
        run: With ledger, service and clock.
        api: The service, asked in a probe's ways.
        parties: Whom the centavos go from and to; None where nobody is named.
        findings: What was found so far.
        first_report: Name and id of the first report it made; None before.
    """

    run: Run
    api: ProbeApi
    parties: ProbeParties | None
    findings: list[ProbeFinding] = field(default_factory=list)
    first_report: tuple[str, str] | None = None

    def assumed(self, name: str) -> Any:  # noqa: ANN401  # any of the settings' types
        """Return what is assumed under a name."""
        return getattr(self.run.require_service().assumptions, name)

    @property
    def wait_s(self) -> float:
        """How long a new report is looked for in the list: twice what is assumed, two minutes at most."""
        return min(2.0 * float(self.assumed("listed_within_s")), LONGEST_WAIT_S)

    def saw(self, name: str, seen: str | None, note: str) -> None:
        """Judge what was seen of an assumption, and keep it with its date; None is nothing seen."""
        finding = judge(name, self.assumed(name), seen, note)
        self.findings.append(finding)
        if seen is not None:
            self.run.ledger.findings.record(name, seen, self.run.require_service().url)
        self.run.progress.tell(f"{name}: {finding.verdict.value}")

    def note(self, what: str) -> None:
        """Write down what is about to be done, or was, of what may cost something; nothing personal."""
        self.run.ledger.findings.record("probe", what, self.run.require_service().url)
