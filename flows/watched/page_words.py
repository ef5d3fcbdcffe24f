"""What the pages of a run in the Prefect UI say, Portuguese and English side by side."""

from collections.abc import Mapping
from typing import Final

TEXTS: Final[Mapping[str, tuple[str, str]]] = {
    "plan": ("Plano de {job}, {period}", "Plan of {job}, {period}"),
    "nothing": ("Nada a pagar.", "Nothing to pay."),
    "total": ("Total a pagar", "Total to pay"),
    "payments": ("Pagamentos", "Payments"),
    "largest": ("Maior pagamento", "Largest payment"),
    "batches": ("Lotes", "Batches"),
    "checks": ("Consultas de conta feitas", "Account checks made"),
    "checks.cost": ("{made}, por {cost} de {budget}", "{made}, for {cost} of {budget}"),
    "digest": ("Impressão do plano", "Digest of the plan"),
    "rate": ("Câmbio", "Exchange rate"),
    "not_in_plan": ("O que não está no plano", "What is not in the plan"),
    "approve": (
        (
            "Para aprovar: o formulário do *deployment* `approve`, com a impressão e o total acima digitados; "
            "ou `repasse approve {digest} --by NOME --total {total}`."
        ),
        (
            "To approve: the form of the deployment `approve`, with the digest and the total above typed; "
            "or `repasse approve {digest} --by NAME --total {total}`."
        ),
    ),
    "problems": ("Problemas nos arquivos de {job}, {period}", "Problems in the files of {job}, {period}"),
    "problems.more": ("{shown} de {count}; todos em corrections.xlsx", "{shown} of {count}; all in corrections.xlsx"),
    "reconciliation": ("Conciliação de {job}, {period}", "Reconciliation of {job}, {period}"),
    "state": ("Situação", "State"),
    "run": ("Execução", "Run"),
    "in": ("Entrou", "Came in"),
    "place": ("Lugar", "Place"),
    "amount": ("Valor ({currency})", "Amount ({currency})"),
    "rows": (
        "Linhas: {read} lidas = {used} usadas + {held} retidas + {duplicate} duplicadas + {ignored} ignoradas.",
        "Rows: {read} read = {used} used + {held} held + {duplicate} duplicate + {ignored} ignored.",
    ),
    "report": ("Relatório", "Report"),
    "outcome": ("Envio", "Sending"),
    "status": ("No serviço", "At the service"),
    "discrepancies": ("Divergências", "Discrepancies"),
    "more": ("... e mais {count}", "... and {count} more"),
    "outputs": ("Arquivos de {job}, {period}", "Files of {job}, {period}"),
    "progress.account checks": ("consultas de conta", "account checks"),
    "progress.batches": ("lotes enviados", "batches sent"),
    "progress.reports": ("relatórios concluídos", "reports settled"),
    "contacts": ("Contatos de {job}", "Contacts of {job}"),
    "contacts.preview": ("Prévia: nada foi mudado no serviço.", "A preview: nothing was changed in the service."),
    "contacts.done": ("Feito no serviço.", "Done in the service."),
    "contacts.what": ("O quê", "What"),
    "contacts.count": ("Quantos", "How many"),
    "night": ("A noite {run}", "Night {run}"),
    "night.none": ("Não há trabalhos na pasta.", "There are no jobs in the folder."),
    "job": ("Trabalho", "Job"),
    "period": ("Período", "Period"),
    "why": ("Por quê", "Why"),
    "message": ("Recado", "Word"),
    "why.new": ("rodou: arquivos ou regras novos", "run: new files or rules"),
    "why.left_over": ("rodou: algo aprovado esperava o envio", "run: something approved waited to be sent"),
    "why.approved": ("rodou: o plano foi aprovado", "run: its plan was approved"),
    "why.interrupted": ("rodou: a execução anterior morreu no caminho", "run: the run before died on its way"),
    "why.reason_gone": (
        "rodou: o que retinha dinheiro mudou (uma decisão, ou uma conta)",
        "run: what held money back has changed (a decision, or an account)",
    ),
    "why.same": ("nada de novo", "nothing new"),
    "why.no_files": ("os arquivos do período ainda não chegaram", "the period's files have not come yet"),
    "why.other_files": (
        "o plano aprovado é de outros arquivos: rode o trabalho com eles",
        "the approved plan is of other files: run the job with those",
    ),
    "why.": ("não pôde começar", "could not begin"),
}


def page_word(language: str, key: str, **facts: object) -> str:
    """Return a text in a language, "pt-BR" or "en".

    >>> page_word("en", "plan", job="aurora", period="2026-10")
    'Plan of aurora, 2026-10'
    """
    return TEXTS[key][0 if language == "pt-BR" else 1].format(**facts)
