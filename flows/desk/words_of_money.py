"""Words about plans, places and states, Portuguese and English side by side."""

from typing import Final

from schemas.standing_words import CAME_IN, PLACE_WORDS, STATE_WORDS

PLAN: Final[dict[str, tuple[str, str]]] = {
    "plan": ("Plano", "Plan"),
    "plan.total": ("Total a enviar", "Total to be sent"),
    "plan.counts": (
        "{payments} pagamentos a {payees} favorecidos, em {batches} lote(s)",
        "{payments} payments to {payees} payees, in {batches} batch(es)",
    ),
    "plan.owner": ("disso, parte do titular: {amount}", "of it the owner's part: {amount}"),
    "plan.exchange": ("Câmbio dos relatórios", "Exchange rate of the reports"),
    "plan.checks": ("Verificações de conta", "Account checks"),
    "plan.checks_cost": (
        "{count} contas, no máximo {cost} de um orçamento de {budget}",
        "{count} accounts, at most {cost} of a budget of {budget}",
    ),
    "plan.beyond": ("Além do orçamento", "Beyond the budget"),
    "plan.beyond_count": ("{count} contas ficariam retidas", "{count} accounts would be held"),
    "plan.largest": ("Maiores pagamentos", "Largest payments"),
    "plan.largest_one": ("maior:", "largest:"),
    "plan.batches": ("{count} lote(s)", "{count} batch(es)"),
    "plan.all": ("Ver todos os {count}", "See all {count}"),
    "plan.others": ("Ver cada um dos {count}", "See each of the {count}"),
    "plan.prepared": ("Preparado por {by},", "Prepared by {by},"),
    "plan.rejected": ("Rejeitado por", "Rejected by"),
    "plan.replaced": (
        "Este plano foi substituído ou retirado; não há o que aprovar.",
        "This plan was replaced or withdrawn; there is nothing to approve.",
    ),
    "plan.yes": ("sim", "yes"),
    "plan.does_not_count": ("(não conta para este plano)", "(does not count for this plan)"),
    "plan.stopped": (
        "Há linhas com problemas, e o trabalho diz que então nada é enviado.",
        "Rows have problems, and the job says that then nothing is sent.",
    ),
    "plan.empty": ("Nada a pagar.", "Nothing to pay."),
    "notices": ("Para olhar antes de aprovar", "To look at before approving"),
    "notices.none": ("Ninguém a olhar com mais cuidado.", "Nobody to look at more closely."),
    "notices.first_ever": (
        "Este diário ainda não pagou ninguém: todos os favorecidos são novos.",
        "This ledger has never paid anybody: all payees are new.",
    ),
    "notices.why": ("Por quê", "Why"),
    "notice.paid_before": ("parece já pago", "looks paid already"),
    "notice.second_attempt": ("nova tentativa, depois de ERROR", "another attempt, after ERROR"),
    "notice.attempt": ("{number}ª tentativa de {report}, que disse ERROR", "attempt {number}, after {report}: ERROR"),
    "notice.times_100": ("cem vezes o valor anterior", "a hundred times the last amount"),
    "notice.changed_destination": ("destino mudou", "destination changed"),
    "notice.much_above": ("muito acima do histórico", "much above their history"),
    "notice.new": ("nunca pago antes", "never paid before"),
    "notice.disappeared": ("pago antes, ausente agora", "paid before, absent now"),
    "payee": ("Favorecido", "Payee"),
    "payments": ("Pagamentos", "Payments"),
    "kind": ("Tipo", "Kind"),
    "kind.payment": ("Pagamento", "Payment"),
    "kind.royalty": ("Royalties", "Royalties"),
    "kind.owner": ("Parte do titular", "Owner's part"),
    "kind.unmatched": ("Sem participação", "No share"),
    "kind.recouped": ("Adiantamento", "Advance"),
    "kind.carried": ("Saldo levado", "Carried balance"),
    "origin": ("De onde", "From"),
    "before": ("Antes", "Before"),
    "now": ("Agora", "Now"),
    "amount": ("Valor", "Amount"),
    "count": ("Quantos", "How many"),
    "place": ("Lugar", "Place"),
    "totals": ("Onde está cada centavo", "Where every centavo is"),
    "not_paid": ("O que não é pago, e por quê", "What is not paid, and why"),
    "change": ("Mudança", "Change"),
    "changes.last_plan": ("O que mudou desde o último plano", "What changed since the last plan"),
    "changes.last_period": ("O que mudou desde {period}", "What changed since {period}"),
    "changes.nothing": ("Comparação", "Comparison"),
    "changes.none": ("Nada mudou.", "Nothing changed."),
    "changes.first": (
        "Primeiro plano deste trabalho: não há com que comparar.",
        "First plan of this job: there is nothing to compare it with.",
    ),
    "changes.shares": ("{count} participações mudaram", "{count} shares changed"),
    "changes.moved": ("Pagamentos que mudaram", "Payments that changed"),
    "change.added": ("{count} a mais", "{count} added"),
    "change.removed": ("{count} a menos", "{count} removed"),
    "change.amount": ("{count} com outro valor", "{count} with another amount"),
    "change.destination": ("{count} com outro destino", "{count} to another destination"),
    "changed.amount": ("outro valor", "another amount"),
    "changed.destination": ("outro destino", "another destination"),
    "approve": ("A sua decisão", "Your decision"),
    "approve.missing": (
        "Falta o sim de {count} pessoa(s).",
        "The yes of {count} more person(s) is missing.",
    ),
    "approve.complete": (
        (
            "Este plano tem todas as aprovações, e o envio ainda não começou. A próxima execução o envia; "
            "para começar já, quem aprova digita o total outra vez."
        ),
        (
            "This plan has every approval, and sending has not begun. The next run sends it; "
            "to begin now, an approver types the total again."
        ),
    ),
    "approve.job_problem": (
        (
            "O arquivo do trabalho não pode ser lido agora, e é ele que diz quem precisa aprovar. "
            "Uma aprovação fica registrada, mas nada é enviado até que ele seja corrigido:"
        ),
        (
            "The job file cannot be read now, and it says who has to approve. "
            "An approval is recorded, but nothing is sent until it is corrected:"
        ),
    ),
    "approve.only_signed_in": (
        "Só contam aprovações dadas aqui.",
        "Only approvals given here count.",
    ),
    "approve.others_only": (
        "Quem o preparou, lançando ou enviando arquivos, não conta: {people}.",
        "Whoever prepared it, by launching it or uploading a file, does not count: {people}.",
    ),
    "approve.total": ("Digite o total em {currency} para aprovar", "Type the total in {currency} to approve"),
    "approve.total_help": (
        "O sim vale só para este plano e este total. Com a última aprovação, o envio começa.",
        "The yes is good for this plan and this total only. With the last approval, sending begins.",
    ),
    "approve.button": ("Aprovar este total", "Approve this total"),
    "reject.why": ("Ou rejeite, com o motivo", "Or reject it, with the reason"),
    "reject.button": ("Rejeitar o plano", "Reject the plan"),
    "reject.unsent": (
        "Há lotes aprovados que ainda não foram enviados. Rejeitar o plano os retira; o que já foi enviado fica.",
        "Approved batches have not been sent yet. Rejecting the plan withdraws them; what was sent stays.",
    ),
    "fate": ("O que foi feito deste plano", "What became of this plan"),
    "fate.unsent": ("Ainda não enviado", "Not sent yet"),
    "fate.withdrawn": ("Retirado, nunca enviado", "Withdrawn, never sent"),
    "fate.in_doubt": ("Em dúvida, e continua assim", "In doubt, and stays so"),
    "fate.sent": ("Enviado antes, e continua como está", "Sent before, and stays as it is"),
    "fate.ended": ("Terminado antes, sem pagar ninguém", "Ended before, and pays nobody"),
}

PLACES: Final = {"place.in": CAME_IN} | {f"place.{place.value}": words for place, words in PLACE_WORDS.items()}

STATES: Final = {f"state.{state}": words for state, words in STATE_WORDS.items()}

EXITS: Final[dict[str, tuple[str, str]]] = {
    "exit.0": ("Concluído.", "Done."),
    "exit.2": ("O comando foi usado de modo errado.", "The command was used wrongly."),
    "exit.10": ("A configuração está errada.", "The configuration is wrong."),
    "exit.11": ("Um arquivo não pôde ser lido.", "A file could not be read."),
    "exit.12": ("Há linhas com problemas; nada foi enviado.", "Rows have problems; nothing was sent."),
    "exit.13": ("Nenhum plano fecha.", "No plan adds up."),
    "exit.14": ("Espera aprovação.", "Waits for approval."),
    "exit.15": ("Concluído, com linhas retidas ou em conflito.", "Done, with rows held or in conflict."),
    "exit.20": ("O serviço recusou.", "The service refused."),
    "exit.21": ("Nem tudo foi enviado; a próxima execução continua.", "Not all was sent; the next run goes on."),
    "exit.22": ("Um envio está em dúvida; uma pessoa precisa olhar.", "A submission is in doubt; a person must look."),
    "exit.23": ("O serviço ainda não terminou.", "The service has not finished yet."),
    "exit.30": ("Outra execução ocupa o trabalho.", "Another run holds the job."),
    "exit.31": ("Diário e serviço discordam; envios parados.", "Ledger and service disagree; sending is frozen."),
    "exit.40": ("Há divergências.", "There are discrepancies."),
    "exit.70": ("Falha do programa; os números não fecham.", "A fault of the program; the numbers do not add up."),
}
