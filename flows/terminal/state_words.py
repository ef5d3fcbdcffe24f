"""The states of submissions and exchange rates, in people's language; the programs' words are those of summary.json."""

from collections.abc import Mapping
from typing import Final

_PORTUGUESE: Final[Mapping[str, str]] = {
    "planned": "planejado",
    "approved": "aprovado",
    "sending": "sendo enviado",
    "accepted": "aceito",
    "processing": "em processamento",
    "paid": "pago",
    "partial": "parcial",
    "failed": "falhou",
    "excluded": "excluído",
    "refused": "recusado",
    "not_sent": "não enviado",
    "in_doubt": "em dúvida",
    "absent": "ausente",
    "withdrawn": "retirado",
    "differs": "diverge",
}


def state_in_words(state: str, language: str) -> str:
    """Return the word for a state; one nobody has named yet is shown as it is."""
    return _PORTUGUESE.get(state, state) if language == "pt-BR" else state.replace("_", " ")
