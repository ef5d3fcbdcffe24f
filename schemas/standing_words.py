"""Words for where centavos are and for how runs, submissions and rates stand, Portuguese and English side by side.

Programs read the English names of `summary.json`; people read these, wherever they look.
"""

from collections.abc import Mapping
from typing import Final

from schemas.plan import LESS_TAX, Place

PLACE_WORDS: Final[Mapping[Place, tuple[str, str]]] = {
    Place.PAID: ("Pago", "Paid"),
    Place.PROCESSING: ("Em processamento", "Processing"),
    Place.WITHHELD: ("Reservado a pedido", "Withheld on request"),
    Place.INCOME_TAX: ("Imposto de renda", "Income tax"),
    Place.OWNER: ("Parte do titular", "Owner's part"),
    Place.RECOUPED: ("Adiantamento recuperado", "Advance recouped"),
    Place.CARRIED: ("Levado ao próximo período", "Carried to the next period"),
    Place.HELD: ("Retido", "Held"),
    Place.CONFLICT: ("Em conflito", "In conflict"),
    Place.DUPLICATE: ("Duplicado", "Duplicate"),
    Place.PLANNED: ("Planejado", "Planned"),
    Place.NOT_SENT: ("Não enviado", "Not sent"),
    Place.IN_DOUBT: ("Em dúvida", "In doubt"),
    Place.UNDETERMINED: ("Indeterminado", "Undetermined"),
    Place.REFUSED: ("Recusado", "Refused"),
    Place.FAILED: ("Falhou", "Failed"),
    Place.EXCLUDED: ("Excluído", "Excluded"),
}
CAME_IN: Final = ("Entrou", "Came in")
PAID_LESS_TAX: Final = "paid_less_tax"
# What people read of one sum: a place, or paid and the service kept tax of it, so that it was not paid whole.
STANDING_WORDS: Final[Mapping[str, tuple[str, str]]] = {place.value: words for place, words in PLACE_WORDS.items()} | {
    PAID_LESS_TAX: ("Pago, menos imposto", "Paid, less tax")
}

STATE_WORDS: Final[Mapping[str, tuple[str, str]]] = {
    "interrupted": ("interrompida", "interrupted"),
    "running": ("em andamento", "running"),
    "done": ("concluída", "done"),
    "paid": ("pago", "paid"),
    "planned": ("planejado", "planned"),
    "waiting": ("espera aprovação", "waits for approval"),
    "awaiting_approval": ("espera aprovação", "waits for approval"),
    "approved": ("aprovado", "approved"),
    "rejected": ("rejeitado", "rejected"),
    "replaced": ("substituído", "replaced"),
    "sending": ("sendo enviado", "being sent"),
    "accepted": ("aceito", "accepted"),
    "processing": ("em processamento", "processing"),
    "settling": ("em processamento", "settling"),
    "settled": ("liquidada", "settled"),
    "partial": ("parcial", "partial"),
    "failed": ("falhou", "failed"),
    "excluded": ("excluído", "excluded"),
    "refused": ("recusado", "refused"),
    "not_sent": ("não enviado", "not sent"),
    "in_doubt": ("em dúvida", "in doubt"),
    "absent": ("ausente", "absent"),
    "withdrawn": ("retirado", "withdrawn"),
    "frozen": ("envios parados", "frozen"),
    "discrepancies": ("divergências", "discrepancies"),
    "stopped": ("parou", "stopped"),
    "nothing_to_pay": ("nada a pagar", "nothing to pay"),
    "done_with_rows_held": ("concluída, com retidos", "done, with rows held"),
    "rows_refused": ("linhas com problemas", "rows with problems"),
    "another_run": ("trabalho ocupado", "job is busy"),
    "no_sound_plan": ("nenhum plano fecha", "no plan adds up"),
    "configuration": ("configuração errada", "wrong configuration"),
    "unreadable_file": ("arquivo ilegível", "unreadable file"),
    "approval_wanted": ("espera aprovação", "waits for approval"),
    "still_open": ("em processamento", "settling"),
    "went_on": ("continuada por outra", "taken up by another"),
    "bug": ("falha do programa", "fault of the program"),
    "differs": ("diverge", "differs"),
    "could_not_begin": ("não pôde começar", "could not begin"),
}


def standing_of(place: str, reason: str) -> str:
    """Return which of `STANDING_WORDS` tells of one sum.

    >>> standing_of("paid", "less_tax"), standing_of("paid", "")
    ('paid_less_tax', 'paid')
    """
    return PAID_LESS_TAX if place == Place.PAID.value and reason == LESS_TAX else place


def state_in_words(state: str, language: str) -> str:
    """Return the word for a state; one nobody has named yet is shown as it is.

    >>> state_in_words("in_doubt", "pt-BR"), state_in_words("in_doubt", "en")
    ('em dúvida', 'in doubt')
    """
    words = STATE_WORDS.get(state)
    return words[0 if language == "pt-BR" else 1] if words else state.replace("_", " ")
