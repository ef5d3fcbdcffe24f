"""What errors about people's words say, Portuguese and English side by side."""

from collections.abc import Mapping
from typing import Final

_APPROVAL: Final[dict[str, tuple[str, str]]] = {
    "approval.needs_name": (
        "uma aprovação precisa do nome de quem a dá",
        "an approval needs the name of whoever gives it",
    ),
    "approval.total_unreadable": ("o total não é um valor como 1.234,56", "the total is no amount such as 1.234,56"),
    "approval.other_total": (
        "o total do plano é {ours}, não {theirs}; nada foi registrado",
        "the plan's total is {ours}, not {theirs}; nothing was recorded",
    ),
    "approval.taken_up": (
        "este plano já foi aprovado e seguiu; nada foi registrado",
        "this plan was approved and taken up already; nothing was recorded",
    ),
    "approval.replaced": (
        "este plano foi substituído ou retirado; nada foi registrado",
        "this plan was replaced or withdrawn; nothing was recorded",
    ),
    "approval.not_waiting": (
        "este plano não espera mais palavra nenhuma; nada foi registrado",
        "this plan does not wait for a word any more; nothing was recorded",
    ),
    "approval.lapsed": (
        "{report}: a aprovação venceu, ou o plano foi rejeitado, antes do envio; a próxima execução o retira",
        "{report}: its approval lapsed, or its plan was rejected, before it was sent; the next run withdraws it",
    ),
    "reject.too_late": (
        "tudo deste plano já foi enviado: não há o que retirar; nada foi registrado",
        "all of this plan was sent already: there is nothing to withdraw; nothing was recorded",
    ),
    "approval.look_again": (
        "o total confirmado não é o do plano: olhe o plano de novo",
        "the total that was confirmed is not the plan's total: look at the plan again",
    ),
    "approval.too_few": (
        "o plano {plan} tem {given} de {wanted} aprovações",
        "plan {plan} has {given} of {wanted} approvals",
    ),
    "approval.rejected": (
        "este plano foi rejeitado por {by}: {why}; execute o trabalho de novo antes",
        "this plan was rejected by {by}: {why}; run the job again first",
    ),
    "approval.rejection_bare": (
        "uma rejeição precisa de um nome e de um motivo",
        "a rejection needs a name and a reason",
    ),
    "approval.signed_in_job": (
        (
            "{job} só aceita a palavra de quem entrou na mesa (approval.identities: signed_in): diga-a lá; "
            "nada foi registrado"
        ),
        (
            "{job} counts only the words of people who signed in (approval.identities: signed_in): say it in the desk; "
            "nothing was recorded"
        ),
    ),
    "approval.signed_in_any": (
        (
            "um trabalho deste diário só aceita a palavra de quem entrou na mesa (approval.identities: signed_in): "
            "diga-a lá; nada foi registrado"
        ),
        (
            "a job of this ledger counts only the words of people who signed in (approval.identities: signed_in): say "
            "it in the desk; nothing was recorded"
        ),
    ),
}

_PLANS: Final[dict[str, tuple[str, str]]] = {
    "plan.digest_short": (
        "um plano é nomeado pela sua impressão: ao menos os 8 primeiros dígitos hexadecimais",
        "a plan is named by its digest: at least its first 8 hexadecimal digits",
    ),
    "plan.none": (
        "nenhum plano tem impressão que comece com {wanted}",
        "no plan has a digest that begins with {wanted}",
    ),
    "plan.several": (
        "mais de um plano tem impressão que começa com {wanted}",
        "more than one plan has a digest that begins with {wanted}",
    ),
    "plan.not_stored": ("nenhum plano {plan} está guardado", "no plan {plan} is stored"),
    "plan.gone": (
        "o plano {plan} não está guardado ou foi substituído: execute o trabalho de novo",
        "plan {plan} is not stored, or was replaced: run the job again",
    ),
}

_DOUBTS: Final[dict[str, tuple[str, str]]] = {
    "doubt.two_people": (
        "declarar ausente exige a palavra de duas pessoas diferentes",
        "to declare it absent takes the word of two different people",
    ),
    "doubt.wait": (
        "{name} só pode ser declarado ausente a partir de {since}, um dia depois do envio",
        "{name} can be declared absent from {since} on, a day after it was sent",
    ),
    "doubt.sender_of": (
        "{name}: quem o enviou não pode ser um dos dois que declaram a ausência",
        "{name}: whoever sent it cannot be one of the two who declare it absent",
    ),
    "doubt.none_declared": (
        "nada foi registrado de nenhum deles:\n  {why}",
        "nothing was recorded of any of them:\n  {why}",
    ),
    "doubt.list_lacks": (
        (
            "{name}: a lista do serviço tampouco mostra {other}, que ele aceitou na mesma época; uma lista incompleta "
            "não prova ausência alguma: pergunte ao serviço, e nomeie {other} nas evidências ao saber por que falta"
        ),
        (
            "{name}: the service's list does not show {other} either, which it accepted at about that time; a list "
            "that is not whole proves no absence: ask the service, and name {other} in the evidence once you know "
            "why it is missing"
        ),
    ),
    "doubt.none_after": (
        (
            "{name}: a lista não mostra relatório aceito depois dele, e uma lista cortada teria o mesmo aspecto; envie "
            "antes outro lote (`repasse run TRABALHO --one-more` onde os envios pararam) ou crie à mão um relatório no "
            "serviço e nomeie seu identificador nas evidências"
        ),
        (
            "{name}: the list shows no report that was accepted after it, and a list that was cut would look the "
            "same; send another batch first (`repasse run JOB --one-more` where sending has stopped), or make a "
            "report by hand in the service and name its id in the evidence"
        ),
    ),
    "doubt.not_by_likeness": (
        "{name} não foi ligado a um relatório por semelhança; não há o que desfazer",
        "{name} was not linked to a report by likeness; there is nothing to take back",
    ),
    "doubt.alike": (
        (
            "{name} pode ser {reports}, criado desde então com o mesmo pagador, total e número de pagamentos: ligue-o "
            "como relatório encontrado ou diga nas evidências, nomeando-o, o que fala contra"
        ),
        (
            "{name} could be {reports}, made since with the same payer, total and number of payments: link it as the "
            "report that was found, or say in the evidence, naming it, what speaks against it"
        ),
    ),
    "doubt.not_in_doubt": (
        "{name} não está em dúvida; `repasse status` lista o que está",
        "{name} is not in doubt; `repasse status` lists what is",
    ),
    "doubt.neither": (
        "{name} não está em dúvida nem recusado; `repasse status` lista o que está",
        "{name} is neither in doubt nor refused; `repasse status` lists what is",
    ),
    "doubt.settled": (
        "{name} não está mais em dúvida; nada foi registrado",
        "{name} is not in doubt any more; nothing was recorded",
    ),
    "doubt.being_sent": ("{name} está sendo enviado neste momento", "{name} is being sent at this moment"),
    "report.none_named": (
        "o serviço não mostra relatório sem identificador; nomeie um",
        "the service shows no report without an id; name one",
    ),
    "report.unknown": ("o serviço não mostra o relatório {report}", "the service shows no report {report}"),
    "report.taken": ("o relatório {report} já é o de {other}", "report {report} is that of {other} already"),
    "report.differs": (
        "o relatório {report} não é {name}: difere em {fields}",
        "report {report} is not {name}: it differs in {fields}",
    ),
    "rate.other_report": (
        "{name} é do relatório {own} do serviço, não de {report}",
        "{name} is about report {own} of the service, not {report}",
    ),
    "rate.another": (
        "o relatório {report} não tem a taxa {rate}: mostra outra",
        "report {report} does not have the rate {rate}: it shows another one",
    ),
    "rate.two_people": (
        "uma taxa que nenhum plano aprovado tem exige a palavra de duas pessoas diferentes",
        "a rate that no approved plan has takes the word of two different people",
    ),
}

_DECISIONS: Final[dict[str, tuple[str, str]]] = {
    "decide.unknown": (
        "nenhuma execução deste diário viu a obrigação {obligation}; nada foi registrado",
        "no run of this ledger has seen an obligation {obligation}; nothing was recorded",
    ),
    "decide.service_says_paid": (
        (
            "o serviço diz {status} de {report}, com mais pago do que deixaria estes pagamentos por fazer; nada foi "
            "registrado: `repasse settle` olha de novo, `--paid` os diz pagos"
        ),
        (
            "the service says {status} of {report}, with more paid than would leave these payments unmade; nothing was "
            "recorded: `repasse settle` looks again, `--paid` says that they were made"
        ),
    ),
    "decide.nothing": (
        "não há o que decidir sobre {obligation}; nada foi registrado",
        "there is nothing to decide about {obligation}; nothing was recorded",
    ),
    "freeze.none": ("os envios não estão parados", "sending is not frozen"),
    "freeze.two_people": (
        "liberar os envios exige a palavra de duas pessoas diferentes",
        "to let sending go on takes the word of two different people",
    ),
    "freeze.names": (
        "nomeie exatamente o que parou os envios: {tags} (não assim: {wrong})",
        "name exactly what froze sending: {tags} (not so: {wrong})",
    ),
    "freeze.changed": (
        "nomeie tudo o que parou os envios; a esta altura é mais, ou menos",
        "name everything that froze sending; by now that is more, or less",
    ),
    "hold.standing": ("os envios foram suspensos por {by}: {why}", "sending is on hold, by {by}: {why}"),
    "freeze.standing": ("os envios estão parados: {reason}", "sending is frozen: {reason}"),
}

_ALARMS: Final[dict[str, tuple[str, str]]] = {
    "alarm.lost_report": (
        "o serviço tem {name}, que este diário não conhece",
        "the service has {name}, this ledger does not know it",
    ),
    "alarm.second_ledger": (
        "o diário {tag} também envia para esta conta",
        "ledger {tag} also sends to this account",
    ),
    "alarm.duplicate_report": (
        "{count} relatórios do serviço têm o nome {name}",
        "{count} reports bear the name {name}",
    ),
    "alarm.linked_twice": (
        "o serviço deu a {name} o relatório {report}, que já é o de {other}",
        "the service gave {name} the report {report}, which is that of {other} already",
    ),
    "alarm.wrong_name": (
        "o serviço mostra o relatório {report}, de {name}, com o nome {found}",
        "the service shows report {report}, which is that of {name}, under the name {found}",
    ),
    "alarm.wrong_amount": (
        "o serviço diz de {name} outro valor do que foi enviado: {found} em vez de {expected}",
        "the service tells of {name} another amount than was sent: {found} instead of {expected}",
    ),
    "alarm.wrong_currency": (
        "o serviço diz de {name} outra moeda do que foi enviada: {found} em vez de {expected}",
        "the service tells of {name} another currency than was sent: {found} instead of {expected}",
    ),
    "alarm.wrong_payer": (
        "o serviço diz de {name} outro pagador do que foi enviado",
        "the service tells of {name} another payer than was sent",
    ),
    "alarm.wrong_likeness": (
        "{name} foi tomado pelo relatório {report} por semelhança, e é {found}",
        "{name} was taken for report {report} by likeness, and is {found}",
    ),
    "alarm.paid_meanwhile": (
        (
            "{name} dissera ERROR e agora diz {found}: o que ele devia pagar não é pago de novo; se ele pagou, "
            "`repasse decide OBRIGAÇÃO --paid` o diz de cada pagamento"
        ),
        (
            "{name} had said ERROR and now says {found}: what it was to pay is not paid again; if it has paid, "
            "`repasse decide OBLIGATION --paid` says so of each payment"
        ),
    ),
    "alarm.paid_twice": (
        "{name} apareceu depois: {count} de seus pagamentos já tinham sido enviados outra vez",
        "{name} came late: {count} of its payments were sent again before",
    ),
    "alarm.status_changed": (
        "{name} tinha falhado e agora está {found}",
        "{name} had failed and is now {found}",
    ),
}

_WORK: Final[dict[str, tuple[str, str]]] = {
    "job.unknown": ("não há trabalho chamado {job}", "there is no job called {job}"),
    "job.unknown_near": (
        "não há trabalho chamado {job}; o nome mais próximo é {near}",
        "there is no job called {job}; the nearest name is {near}",
    ),
    "lease.held": ("{name} está com {owner} desde {since}", "{name} is held by {owner} since {since}"),
    "lease.taken": (
        "{name} foi assumido por outra execução; esta para aqui",
        "{name} was taken over by another run; this one stops",
    ),
    "ledger.busy": (
        "outro programa grava no diário há {seconds} s; espere que termine e execute de novo",
        "another program has been writing to the ledger for {seconds} s; wait for it to end, then run again",
    ),
    "ledger.newer": (
        (
            "o diário foi gravado por um Repasse mais novo (esquema {stored}; este programa conhece {known}): atualize "
            "esta instalação; nada foi mudado"
        ),
        (
            "the ledger was written by a newer Repasse (schema {stored}; this program knows {known}): update "
            "this installation; nothing was changed"
        ),
    ),
    "ledger.unreleased": (
        (
            "o diário foi gravado por um Repasse de antes da primeira versão (esquema {stored}; este programa conhece "
            "{known}) e não pode ser atualizado; nada foi mudado. Guarde-o e aponte REPASSE_LEDGER_URL para um novo, "
            "que não sabe o que este já pagou"
        ),
        (
            "the ledger was written by a Repasse from before the first release (schema {stored}; this program knows "
            "{known}) and cannot be updated; nothing was changed. Keep it, and point REPASSE_LEDGER_URL to a new one, "
            "which does not know what this one has paid"
        ),
    ),
}

# Why a person must look at a plan before it is sent.
_LOOK: Final[dict[str, tuple[str, str]]] = {
    "look.again": (
        "arquivos que já foram pagos são pagos de novo (--again): {files}",
        "files that were paid before are paid again (--again): {files}",
    ),
    "look.used_again": (
        "{file} é usado outra vez; ele, ou linhas dele, já foi usado: {found}",
        "{file} is used again; it, or lines of it, was used before: {found}",
    ),
    "look.paid_before": (
        "{rows} linha(s), {total} ao todo, parecem já pagas: {places}",
        "{rows} row(s), {total} in all, look paid already: {places}",
    ),
    "look.row": ("{file}, linha {row}: {found}", "{file}, row {row}: {found}"),
    "look.rows_more": ("e mais {count}", "and {count} more"),
    "look.other_payer": (
        (
            "este período já teve {payments} pagamento(s), {total} ao todo, sob outro pagador ({payer}): confira se "
            "não é o mesmo dinheiro outra vez"
        ),
        (
            "this period had {payments} payment(s), {total} in all, under another payer ({payer}): make sure that "
            "this is not the same money again"
        ),
    ),
    "look.other_currency": (
        (
            "este período já teve {payments} pagamento(s), {total} ao todo, em outra moeda ({currency}): confira se "
            "não é o mesmo dinheiro outra vez"
        ),
        (
            "this period had {payments} payment(s), {total} in all, in another currency ({currency}): make sure that "
            "this is not the same money again"
        ),
    ),
    "look.rejected": (
        "este plano, ou parte dele, já foi rejeitado",
        "this plan, or part of it, was rejected before",
    ),
    "look.second_attempt": (
        "{number}ª tentativa de {report}, que disse ERROR: {payments} pagamento(s), {total}",
        "attempt {number}, after {report}, which said ERROR: {payments} payment(s), {total}",
    ),
    "look.checks_broke_off": (
        (
            "{missing} conta(s) ficaram sem resposta: seus pagamentos estão retidos, e os outros não são pagos sem que "
            "uma pessoa os aprove; a próxima execução pergunta de novo"
        ),
        (
            "{missing} account(s) have no answer: their payments are held, and the others are not paid unless a person "
            "approves them; the next run asks again"
        ),
    ),
}

# What a row that looks paid already looks like.
_PAID: Final[dict[str, tuple[str, str]]] = {
    "paid.other_payer": ("outro pagador", "another payer"),
    "paid.other_payee": ("outro CPF ou CNPJ, mesma conta", "another CPF or CNPJ, the same account"),
    "paid.other_account": ("mesmo favorecido, outra conta", "the same payee, another account"),
    "paid.more": ("e mais {count}", "and {count} more"),
}

TOLD: Final[Mapping[str, tuple[str, str]]] = _PAID | _LOOK | _APPROVAL | _PLANS | _DOUBTS | _DECISIONS | _ALARMS | _WORK
