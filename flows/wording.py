"""What the command line says to people, Portuguese and English side by side."""

from collections.abc import Mapping
from typing import Final

TEXTS: Final[Mapping[str, tuple[str, str]]] = {
    "waits.title": ("{job} {period}, espera por alguém:", "{job} {period}, waits for somebody:"),
    "waits.obligations": ("{count} obrigação(ões)", "{count} obligation(s)"),
    "waits.rows": ("{count} linha(s)", "{count} row(s)"),
    "waits.elsewhere": ("O que mais espera neste trabalho", "What else waits in this job"),
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
    "statements.failed": (
        "os demonstrativos da execução {run} não puderam ser gravados ({reason}); os livros estão completos",
        "the statements of run {run} could not be written ({reason}); the books are complete",
    ),
    "check.missing_shares": ("participações que faltam: {path}", "missing shares: {path}"),
    "approval.wanted": (
        "aguarda a aprovação de {people} pessoa(s): {payments} pagamentos, {batches} lote(s), {currency} {total}",
        "approval wanted from {people} person(s): {payments} payments, {batches} batch(es), {currency} {total}",
    ),
    "approval.how": (
        "repasse approve {digest} --by NOME --total {total}",
        "repasse approve {digest} --by NAME --total {total}",
    ),
    "approval.in_desk": (
        "plano {digest}: só na mesa, por quem entrou com a própria senha",
        "plan {digest}: in the desk alone, by people who signed in",
    ),
    "approval.others_only": (
        "não conta quem o preparou, lançando ou enviando arquivos: {people}",
        "whoever prepared it, by launching it or uploading a file, does not count: {people}",
    ),
    "approval.others_in_desk": (
        "na mesa não conta quem o preparou, lançando ou enviando arquivos: {people}",
        "in the desk, whoever prepared it, by launching it or uploading a file, does not count: {people}",
    ),
    "approval.given": (
        "aprovado: {payments} pagamentos, {batches} lote(s)",
        "approved: {payments} payments, {batches} batch(es)",
    ),
    "approval.again_unpaid": (
        "{files}: usar outra vez um arquivo precisa de uma aprovação, e não há pagamento a aprovar; nada foi lançado",
        "{files}: using a file again wants an approval, and there is no payment to approve; nothing was booked",
    ),
    "approval.yes": (
        "--yes não basta para este plano: uma pessoa precisa olhar",
        "--yes does not cover this plan: a person must look",
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
    "send.withdrawn": (
        "{report} foi retirado antes do envio: {reason}; nada dele foi enviado",
        "{report} was withdrawn before it was sent: {reason}; nothing of it was sent",
    ),
    "recover.withdrawn": (
        (
            "{report} ({payments} pagamentos, {currency} {amount}) estava aprovado e não enviado, e foi retirado: "
            "{reason}; o que dele ainda se deve volta ao plano e precisa de nova aprovação"
        ),
        (
            "{report} ({payments} payments, {currency} {amount}) was approved and unsent, and was withdrawn: {reason}; "
            "what of it is still owed goes back into the plan and needs a new approval"
        ),
    ),
    "recover.lapsed.reason": ("a aprovação venceu", "its approval lapsed"),
    "recover.rejected.reason": ("o plano foi rejeitado", "its plan was rejected"),
    "recover.words.reason": (
        "as aprovações que tinha não bastam mais",
        "the approvals it had are not enough any more",
    ),
    "recover.changed.reason": (
        "o arquivo, um favorecido, uma conta ou uma regra do trabalho mudou desde a aprovação",
        "the file, a payee, an account or a rule of the job has changed since it was approved",
    ),
    "recover.other_period": (
        (
            "{period}: {batches} lote(s) aprovados e não enviados, {amount}; execute o trabalho para esse período, ou "
            "retire-os: repasse reject {digest} --by NOME --why TEXTO"
        ),
        (
            "{period}: {batches} batch(es) approved and not sent, {amount}; run the job for that period, or withdraw "
            "them: repasse reject {digest} --by NAME --why TEXT"
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
        (
            "{count} envios estão em dúvida, de que execução forem: nada mais é enviado até que menos o estejam; "
            "`repasse status` os lista, `repasse resolve` registra o que pessoas sabem deles, e `repasse run TRABALHO "
            "--one-more` envia um só lote, para ver se o serviço voltou a recebê-los"
        ),
        (
            "{count} submissions are in doubt, of whatever run: nothing more is sent until fewer are; "
            "`repasse status` lists them, `repasse resolve` takes people's word on them, and `repasse run JOB "
            "--one-more` sends a single batch, to see whether the service takes them again"
        ),
    ),
    "send.stopped": (
        "depois da resposta a {report} ({reason}) nada mais é enviado: os outros lotes teriam a mesma; eles esperam",
        "after the answer to {report} ({reason}) nothing more is sent: other batches would fare alike; they wait",
    ),
    "rate.doubts": (
        "{count} câmbios estão em dúvida, de que execução forem: nenhum outro é informado até que menos o estejam",
        "{count} exchange rates are in doubt, of whatever run: no other is set until fewer are",
    ),
    "doubt.abandoned": (
        "{report} estava sendo enviado quando sua execução acabou: em dúvida",
        "{report} was being sent when its run ended: in doubt",
    ),
    "doubt.found": (
        "{report} estava em dúvida e está no serviço: aceito",
        "{report} was in doubt and is in the service: accepted",
    ),
    "doubt.likeness": (
        (
            "{report} foi ligado ao relatório {split_id} por semelhança (pagador, moeda, total, número de pagamentos e "
            "hora): o serviço não devolve nome algum, e só este podia ser; se não for, duas pessoas o desfazem:\n"
            "  repasse resolve {report} --unlink --by A --by B --evidence TEXTO"
        ),
        (
            "{report} was linked to report {split_id} by likeness (payer, currency, total, number of payments and "
            "time): the service echoes no name, and it could be no other; if it is not, two people take that back:\n"
            "  repasse resolve {report} --unlink --by A --by B --evidence TEXT"
        ),
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
    "look.changed": ("{report}: estava {before}, agora está {after}", "{report}: was {before}, is now {after}"),
    "undetermined.left": (
        (
            "{report} ({payments} pagamentos) acabou como {state}, sem dizer quem foi pago; nada é pago de novo até "
            "que alguém decida:\n  repasse trace {report}; repasse decide OBRIGAÇÃO ... --pay, --paid ou --drop"
        ),
        (
            "{report} ({payments} payments) ended {state} without telling who was paid; nothing is paid again until "
            "somebody decides:\n  repasse trace {report}; repasse decide OBLIGATION ... --pay, --paid or --drop"
        ),
    ),
    "open.left": (
        "{count} relatório(s) ainda em aberto no serviço; `repasse settle` continua a segui-los",
        "{count} report(s) still open at the service; `repasse settle` goes on following them",
    ),
    "run.rewritten": ("execução {run}: {state}", "run {run}: {state}"),
    "settle.nothing": ("nada está aberto, nada está em dúvida", "nothing is open, nothing is in doubt"),
    "plan.total": (
        "{payees} favorecidos, {payments} pagamentos, {batches} lote(s)",
        "{payees} payees, {payments} payments, {batches} batch(es)",
    ),
    "plan.owner": ("disso, parte do titular: {owner}", "of it the owner's part: {owner}"),
    "plan.largest": ("Maiores pagamentos", "Largest payments"),
    "plan.totals": ("Onde está cada centavo", "Where every centavo is"),
    "plan.not_paid": ("O que não é pago, e por quê", "What is not paid, and why"),
    "plan.more": ("... e mais {count}; todos na planilha", "... and {count} more; all of them in the workbook"),
    "plan.batches": ("Lotes", "Batches"),
    "plan.batch": ("{number}: {payments} pagamentos, {amount}", "{number}: {payments} payments, {amount}"),
    "plan.checks": (
        "contas a verificar: {wanted}, no máximo {cost} de um orçamento de {budget}; sobram {left}",
        "accounts to be checked: {wanted}, at most {cost} of a budget of {budget}; {left} left",
    ),
    "plan.beyond": (
        "o orçamento não alcança {count} conta(s), cujos pagamentos ficariam retidos",
        "the budget does not reach {count} account(s), whose payments would be held",
    ),
    "plan.digest": ("plano: {digest}", "plan: {digest}"),
    "plan.file": ("planilha: {path}", "workbook: {path}"),
    "plan.since_plan": ("Desde o último plano ({run}, {day})", "Since the last plan ({run}, {day})"),
    "plan.since_period": (
        "Primeiro plano do período; comparado com o que se pagou em {period}",
        "First plan of the period; compared with what was paid in {period}",
    ),
    "plan.since_nothing": (
        "Primeiro plano deste trabalho: não há com que comparar",
        "First plan of this job: there is nothing to compare it with",
    ),
    "plan.unchanged": ("nada mudou", "nothing changed"),
    "plan.changed": (
        "{added} a mais, {removed} a menos, {amount} com outro valor, {destination} com outro destino; {sum} ao todo",
        "{added} added, {removed} removed, {amount} with another amount, {destination} elsewhere; {sum} in all",
    ),
    "plan.rate": ("câmbio {currency}: {before} -> {now}", "exchange rate {currency}: {before} -> {now}"),
    "plan.shares": ("{count} participações mudaram", "{count} shares changed"),
    "look.title": ("Para olhar antes de aprovar", "To look at before approving"),
    "look.nothing": ("ninguém a olhar com mais cuidado", "nobody to look at more closely"),
    "look.first_ever": (
        "este diário ainda não pagou ninguém: todos os favorecidos são novos",
        "this ledger has never paid anybody: all payees are new",
    ),
    "look.paid_before": ("{count} linha(s) parece(m) já paga(s)", "{count} row(s) look paid already"),
    "look.second_attempt": ("{count} numa nova tentativa, depois de ERROR", "{count} attempted again after ERROR"),
    "look.times_100": ("{count} com cem vezes o valor anterior", "{count} with a hundred times the last amount"),
    "look.changed_destination": ("{count} com outro destino", "{count} with another destination"),
    "look.much_above": ("{count} muito acima do próprio histórico", "{count} much above their own history"),
    "look.new": ("{count} nunca pago(s) antes", "{count} never paid before"),
    "look.disappeared": (
        "{count} pago(s) no último período e ausente(s) agora",
        "{count} paid in the last period and absent now",
    ),
    "look.short_paid_before": ("já pago?", "paid?"),
    "look.short_second_attempt": ("de novo", "again"),
    "look.short_times_100": ("x100", "x100"),
    "look.short_changed_destination": ("destino", "destination"),
    "look.short_much_above": ("acima", "above"),
    "look.short_new": ("novo", "new"),
    "look.short_disappeared": ("ausente", "absent"),
    "look.attempt": (
        "{number}ª tentativa de {report}, que disse ERROR",
        "attempt {number}, after {report}, which said ERROR",
    ),
    "look.last_amount": ("antes {before}", "{before} before"),
    "look.usual": ("em geral {before}, mediana de {amounts}", "usually {before}, median of {amounts}"),
    "look.destination_new": (
        "destino nunca usado; pago em outro até {paid}",
        "destination never used; paid to another until {paid}",
    ),
    "look.destination_old": (
        "destino usado até {used}; depois outro, até {paid}",
        "destination used until {used}; then another, until {paid}",
    ),
    "look.was_paid": ("recebeu {before}", "was paid {before}"),
    "look.run": ("olhe antes de aprovar: {what}\n  {where}", "look before you approve: {what}\n  {where}"),
    "look.only": ("olhe antes de aprovar: {what}", "look before you approve: {what}"),
    "rate.terms": (
        "câmbio dos relatórios: 1 {currency} = BRL {rate}, ordem {order}",
        "exchange rate of the reports: 1 {currency} = BRL {rate}, order {order}",
    ),
    "rate.batch": ("câmbio {currency} {rate}: {outcome}", "exchange rate {currency} {rate}: {outcome}"),
    "rate.outcome": (
        "câmbio {rate} de {report} ({update}): {outcome} ({reason})",
        "exchange rate {rate} of {report} ({update}): {outcome} ({reason})",
    ),
    "rate.abandoned": (
        "o câmbio de {report} ({update}) estava sendo informado quando sua execução acabou: em dúvida",
        "the exchange rate of {report} ({update}) was being set when its run ended: in doubt",
    ),
    "rate.found": ("{report} mostra o câmbio aprovado: {rate}", "{report} shows the approved exchange rate: {rate}"),
    "rate.not_sent": (
        "o câmbio de {report} não foi informado: {reason}; a próxima execução ou settle o informa",
        "the exchange rate of {report} was not sent: {reason}; the next run or settle sends it",
    ),
    "rate.waits": (
        "o câmbio {rate} de {report} ({update}) ainda não foi informado",
        "the exchange rate {rate} of {report} ({update}) has not been sent yet",
    ),
    "rate.doubt": (
        (
            "o câmbio {rate} de {report} está em dúvida: nem a resposta nem o relatório provam que foi fixado; "
            "toda execução e todo settle o procuram, e ele nunca é enviado outra vez por si:\n"
            "  repasse resolve {update} --report ID --by NOME, ou --absent --by A --by B --evidence TEXTO"
        ),
        (
            "the exchange rate {rate} of {report} is in doubt: neither the answer nor the report proves that it is "
            "set; every run and settle looks for it, and it is never sent again by itself:\n"
            "  repasse resolve {update} --report ID --by NAME, or --absent --by A --by B --evidence TEXT"
        ),
    ),
    "rate.refused": (
        (
            "o serviço recusou o câmbio {rate} de {report}; fixem-no no serviço, ou, quando a causa estiver "
            "corrigida:\n  repasse resolve {update} --absent --by A --by B --evidence TEXTO"
        ),
        (
            "the service refused the exchange rate {rate} of {report}; set it in the service, or, once the cause is "
            "put right:\n  repasse resolve {update} --absent --by A --by B --evidence TEXT"
        ),
    ),
    "rate.differs": (
        "{report} tem outro câmbio que o aprovado, {rate}; nada mais é enviado para ele ({update})",
        "{report} has another exchange rate than the approved one, {rate}; nothing more is sent for it ({update})",
    ),
    "trace.nobody": (
        "ninguém e nada assim no diário; procure por obrigação (ob-...), relatório (rp-...), CPF/CNPJ ou nome inteiro",
        "nobody and nothing like that on record; ask for an obligation (ob-...), a report (rp-...), a tax id or a name",
    ),
    "trace.several": (
        "{count} pessoas diferentes: pergunte pelo CPF/CNPJ ou por uma obrigação",
        "{count} different people: ask for the tax id, or for an obligation",
    ),
    "trace.run": ("livros da execução {run}", "books of run {run}"),
    "trace.no_run": ("a execução não deixou livros", "its run left no books"),
    "trace.kind_payment": ("pagamento", "payment"),
    "trace.kind_royalty": ("royalties", "royalties"),
    "trace.kind_owner": ("parte do titular", "owner's part"),
    "trace.kind_recouped": ("adiantamento", "advance"),
    "trace.kind_carried": ("saldo", "balance"),
    "trace.kind_unmatched": ("sem participação", "without a share"),
    "trace.row": ("de {file}, linha {row}", "from {file}, row {row}"),
    "trace.word": ("{kind}, por {by}, {at}: {evidence}", "{kind}, by {by}, {at}: {evidence}"),
    "trace.royalties": ("De onde vêm os royalties", "Where the royalties come from"),
    "trace.lines": ("{lines} linhas, {currency} {amount}", "{lines} lines, {currency} {amount}"),
    "trace.found": (
        "{file}, linhas {rows}: {lines}, {currency} {amount}",
        "{file}, rows {rows}: {lines}, {currency} {amount}",
    ),
    "trace.rest": (
        "segundo o diário apenas: {lines} linhas, {currency} {amount}",
        "from the ledger alone: {lines} lines, {currency} {amount}",
    ),
    "trace.more": ("... e mais {count}; todos com --json", "... and {count} more; all of them with --json"),
    "trace.others": ("... e mais {count} pagamentos deste relatório:", "... and {count} more payments of this report:"),
    "trace.unread": (
        "linhas dos extratos: repita com --job-file TRABALHO",
        "lines of the statements: ask again with --job-file JOB",
    ),
    "trace.file_same": ("{file}: o mesmo arquivo", "{file}: the same file"),
    "trace.file_changed": (
        "{file}: mudou desde a execução; a sua parte vem do diário apenas",
        "{file}: changed since the run; its part is told from the ledger alone",
    ),
    "trace.file_gone": (
        "{file}: não está mais entre os arquivos do trabalho; a sua parte vem do diário apenas",
        "{file}: no longer among the job's files; its part is told from the ledger alone",
    ),
    "trace.file_unreadable": (
        "{file}: não pode mais ser lido; a sua parte vem do diário apenas",
        "{file}: cannot be read any more; its part is told from the ledger alone",
    ),
    "trace.file_unproven": (
        "{file}: o diário não diz que bytes a execução leu; só as somas o provam",
        "{file}: the ledger does not say which bytes the run read; only the sums prove it",
    ),
    "trace.sum": ("soma exata {exact}, arredondada {cents}", "exact sum {exact}, rounded {cents}"),
    "trace.recouped": ("- adiantamentos recuperados {cents}", "- advances recouped {cents}"),
    "trace.advance": ("{reference}: {cents}", "{reference}: {cents}"),
    "trace.carried_in": ("+ trazido {cents}", "+ carried in {cents}"),
    "trace.carried_from": ("+ trazido de {period} {cents}", "+ carried in from {period} {cents}"),
    "trace.carried_out": ("- levado ao próximo período {cents}", "- carried to the next period {cents}"),
    "trace.held": ("- retido {cents}", "- held {cents}"),
    "trace.payable": ("= a pagar {cents}", "= payable {cents}"),
    "trace.report": ("Relatório {report}: {state}, {cents}", "Report {report}: {state}, {cents}"),
    "trace.plan": (
        "plano {digest}, preparado por {by}, {at}",
        "plan {digest}, prepared by {by}, {at}",
    ),
    "trace.approved": ("aprovado {at}", "approved {at}"),
    "trace.approval": ("aprovação de {by}, {at}", "approval by {by}, {at}"),
    "trace.step": ("{at}  {state}, {by}", "{at}  {state}, {by}"),
    "trace.service": (
        "no serviço: {split_id}, {status}, visto {at}",
        "at the service: {split_id}, {status}, seen {at}",
    ),
    "trace.rate": (
        "câmbio {currency} {rate} ({update}): {state}",
        "exchange rate {currency} {rate} ({update}): {state}",
    ),
    "trace.books": ("{currency} {total} entraram = {places}", "{currency} {total} came in = {places}"),
    "trace.problem_part": (
        "valor, câmbio e participação não dão a parte que o diário guarda",
        "amount, rate and share do not make the part on record",
    ),
    "trace.problem_lines": (
        "as linhas dos extratos não somam o valor que o diário guarda",
        "the lines of the statements do not add up to the amount on record",
    ),
    "trace.problem_earned": (
        "as partes exatas não somam o rendimento que o diário guarda",
        "the exact parts do not add up to the earnings on record",
    ),
    "trace.problem_places": ("os lugares não somam o que entrou", "the places do not add up to what came in"),
}


def say(language: str, key: str, **facts: object) -> str:
    """Return a text in a language, with its facts filled in.

    >>> say("en", "issues.row", row=7), say("pt-BR", "issues.row", row=7)
    ('row 7', 'linha 7')

    Raises:
        KeyError: there is no such text, or it wants a fact that was not given; a bug.
    """
    return TEXTS[key][0 if language == "pt-BR" else 1].format(**facts)
