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
    "approval.wanted": (
        (
            "aguarda a aprovação de {people} pessoa(s): {payments} pagamentos, {batches} lote(s), {currency} {total}\n"
            "  repasse approve {digest} --by NOME --total {total}"
        ),
        (
            "approval wanted from {people} person(s): {payments} payments, {batches} batch(es), {currency} {total}\n"
            "  repasse approve {digest} --by NAME --total {total}"
        ),
    ),
    "approval.given": (
        "aprovado: {payments} pagamentos, {batches} lote(s)",
        "approved: {payments} payments, {batches} batch(es)",
    ),
    "approval.yes": (
        "--yes não basta para este plano: uma pessoa precisa olhar (limites, rejeição, ou algo que parece já pago)",
        "--yes does not cover this plan: a person must look (limits, a rejection, or what looks paid already)",
    ),
    "rows.stop": (
        "há linhas com problemas, e o trabalho diz que então nada é enviado (rules.invalid_payee: stop)",
        "rows have problems, and the job says that then nothing is sent (rules.invalid_payee: stop)",
    ),
    "hold.standing": (
        "envios suspensos por {by}: {why}; `repasse release --by NOME` os libera",
        "sending is on hold by {by}: {why}; `repasse release --by NAME` lets it go on",
    ),
    "freeze.standing": (
        (
            "envios parados, diário e serviço discordam: {reason}; duas pessoas que entendam por quê os liberam:\n"
            "  repasse unfreeze --accept {tags} --by A --by B --evidence TEXTO"
        ),
        (
            "sending is frozen, ledger and service disagree: {reason}; two people who understand why let it go on:\n"
            "  repasse unfreeze --accept {tags} --by A --by B --evidence TEXT"
        ),
    ),
    "send.outcome": ("{report}: {outcome} ({reason})", "{report}: {outcome} ({reason})"),
    "send.taken": ("{report} está com outro processo", "{report} was taken by another worker"),
    "send.not_sent": (
        "{report} não foi enviado: {reason}; a próxima execução o envia",
        "{report} was not sent: {reason}; the next run sends it",
    ),
    "send.refused": ("{report} foi recusado: {reason}", "{report} was refused: {reason}"),
    "send.differs": (
        "{report}: a resposta difere do que foi enviado ({fields}); nada mais é enviado nesta execução",
        "{report}: the answer differs from what was sent ({fields}); nothing more is sent in this run",
    ),
    "send.doubts": (
        "{count} respostas seguidas se perderam; os lotes restantes esperam",
        "{count} answers in a row were lost; the remaining batches wait",
    ),
    "doubt.abandoned": (
        "{report} estava sendo enviado quando sua execução acabou: em dúvida",
        "{report} was being sent when its run ended: in doubt",
    ),
    "doubt.found": (
        "{report} estava em dúvida e está no serviço: aceito",
        "{report} was in doubt and is in the service: accepted",
    ),
    "doubt.standing": (
        (
            "{report} ({payments} pagamentos) está em dúvida: nem a resposta nem a lista do serviço dizem o que houve; "
            "toda execução e todo settle o procuram, e ele nunca é enviado outra vez por si"
        ),
        (
            "{report} ({payments} payments) is in doubt: neither the answer nor the service's list proves its fate; "
            "every run and settle looks for it, and it is never sent again by itself"
        ),
    ),
    "doubt.proposed": (
        "pode ser o relatório {split_id}: `repasse resolve {report} --report {split_id} --by NOME`",
        "it could be report {split_id}: `repasse resolve {report} --report {split_id} --by NAME`",
    ),
    "look.none": ("desta vez não foi possível olhar: {reason}", "no look this time: {reason}"),
    "look.ended": ("{report}: {state} ({reason})", "{report}: {state} ({reason})"),
    "open.left": (
        "{count} relatório(s) ainda em aberto no serviço; `repasse settle` continua a segui-los",
        "{count} report(s) still open at the service; `repasse settle` goes on following them",
    ),
    "run.rewritten": ("execução {run}: {state}", "run {run}: {state}"),
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
