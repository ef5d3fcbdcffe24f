"""A message in every language people are spoken to in: what an error says is chosen by whoever shows it.

An error is raised where nobody knows who will read it: the terminal of a colleague, the desk in Portuguese, a log.
"""

from collections.abc import Mapping

from schemas.told_texts import TOLD


class Told:
    """One message.

    Args:
        key: Of `TOLD`.
        **facts: What the text names: ids, totals, moments, names people gave, other messages, one or several, each then
            on a line of its own; never a document, a key or an account.

    >>> Told("approval.not_waiting").in_words("en")
    'this plan does not wait for a word any more; nothing was recorded'
    """

    def __init__(self, key: str, **facts: object) -> None:
        self.key = key
        self.facts: Mapping[str, object] = facts

    def in_words(self, language: str) -> str:
        """Write it in Portuguese ("pt-BR") or in English (any other).

        Raises:
            KeyError: no such text, or a fact it names is missing; a bug.
        """
        facts = {name: _written(fact, language) for name, fact in self.facts.items()}
        return TOLD[self.key][0 if language == "pt-BR" else 1].format_map(facts)

    def __str__(self) -> str:
        return self.in_words("en")


def _written(fact: object, language: str) -> object:
    if isinstance(fact, Told):
        return fact.in_words(language)
    return "\n  ".join(str(_written(one, language)) for one in fact) if isinstance(fact, tuple) else fact
