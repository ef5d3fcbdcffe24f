"""What many kills came to, in one line."""

from dataclasses import dataclass, field

from tests.crash.payday import Books


@dataclass(slots=True)
class Tally:
    """Sums over all rounds; a round whose books do not agree with the service ends its test and is not among them.

    Attributes:
        kills: Processes that SIGKILL ended, by kind of ledger.
        rounds: Ledgers and services that were used up.
        intents: Intents to send that were written down.
        ambiguous: Submissions that were ever in doubt.
        with_people: Those of them that nothing could settle, and that wait for a person.
        seconds: How long it took.
        seed: Of all random choices.
    """

    kills: dict[str, int] = field(default_factory=dict)
    rounds: int = 0
    intents: int = 0
    ambiguous: int = 0
    with_people: int = 0
    seconds: float = 0.0
    seed: int = 0

    def add(self, books: Books) -> None:
        """Count one round whose books have been held against the service."""
        self.rounds += 1
        self.intents += books.intents
        self.ambiguous += books.ambiguous
        self.with_people += books.with_people

    def __str__(self) -> str:
        kills = " + ".join(f"{count} {kind}" for kind, count in self.kills.items())
        share = self.with_people / self.ambiguous if self.ambiguous else 0.0
        return (
            f"SEED={self.seed}: {sum(self.kills.values())} kills ({kills}) in {self.rounds} rounds, "
            f"{self.intents} intents, {self.seconds / 60:.1f} minutes: 0 doubles, 0 lost; "
            f"{self.ambiguous} ambiguous answers, {share:.1%} of them ended with a person"
        )
