"""What the command line says to people, Portuguese and English side by side."""

from collections.abc import Mapping
from typing import Final

TEXTS: Final[Mapping[str, tuple[str, str]]] = {
    "issues.cell": ("célula", "cell"),
    "issues.rule": ("regra", "rule"),
    "issues.wrong": ("o que está errado", "what is wrong"),
    "issues.right": ("o que seria certo", "what would be right"),
    "issues.row": ("linha {row}", "row {row}"),
    "issues.more": ("... e mais {count}; todos em {where}", "... and {count} more; all of them in {where}"),
    "rows": (
        "linhas: {read} lidas = {used} usadas + {held} retidas + {duplicate} duplicadas + {ignored} ignoradas",
        "rows: {read} read = {used} used + {held} held + {duplicate} duplicate + {ignored} ignored",
    ),
    "run.nothing": (
        "nada a pagar: tudo já foi pago ou está a caminho",
        "nothing left to pay: all of it is paid or on its way",
    ),
    "batch": (
        "{report}  {payments} pagamentos  {amount}  {outcome}, {status}",
        "{report}  {payments} payments  {amount}  {outcome}, {status}",
    ),
    "checks": (
        "contas: {made} consultadas ({cost} de {budget}), {reused} já sabidas, {invalid} más, {unknown} sem resposta",
        "accounts: {made} checked ({cost} of {budget}), {reused} known, {invalid} invalid, {unknown} unanswered",
    ),
    "check.issues": ("{errors} erros, {warnings} avisos", "{errors} errors, {warnings} warnings"),
    "check.corrections": ("correções: {path}", "corrections: {path}"),
    "settle.nothing": ("nada está aberto, nada está em dúvida", "nothing is open, nothing is in doubt"),
    "plan.total": (
        "favorecidos: {payees}, pagamentos: {payments}, lotes: {batches}",
        "payees: {payees}, payments: {payments}, batches: {batches}",
    ),
    "plan.largest": ("maiores", "largest"),
    "plan.not_paid": ("não pago", "not paid"),
    "plan.checks": (
        "verificações de conta a fazer: {wanted}, no máximo {cost} de um orçamento de {budget}",
        "account checks wanted: {wanted}, at most {cost} of a budget of {budget}",
    ),
    "plan.digest": ("plano: {digest}", "plan: {digest}"),
    "plan.provisional": (
        "plano: ainda provisório, até que as contas sejam verificadas",
        "plan: still provisional, until the accounts are checked",
    ),
}


def say(language: str, key: str, **facts: object) -> str:
    """Return a text in a language, with its facts filled in.

    >>> say("en", "issues.row", row=7), say("pt-BR", "issues.row", row=7)
    ('row 7', 'linha 7')

    Raises:
        KeyError: there is no such text, or it wants a fact that was not given; a bug.
    """
    return TEXTS[key][0 if language == "pt-BR" else 1].format(**facts)
