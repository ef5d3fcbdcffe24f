"""Every word the desk says to a person, Portuguese and English side by side."""

from collections.abc import Mapping
from typing import Final

from flows.desk.words_of_money import EXITS, PLACES, PLAN, STATES

_FRAME: Final[dict[str, tuple[str, str]]] = {
    "skip": ("Ir para o conteúdo", "Skip to the content"),
    "nav": ("Páginas", "Pages"),
    "nav.home": ("Início", "Home"),
    "nav.runs": ("Execuções", "Runs"),
    "nav.doubts": ("Em dúvida", "In doubt"),
    "crumbs": ("Onde estou", "Where I am"),
    "roles": ("Papéis", "Roles"),
    "role.preparer": ("prepara", "prepares"),
    "role.approver": ("aprova", "approves"),
    "role.resolver": ("resolve dúvidas", "resolves doubts"),
    "foot": (
        (
            "Nada é enviado sem a aprovação que o trabalho pede, nem outra vez sem a palavra de alguém. "
            "Horários de Brasília (UTC−3)."
        ),
        (
            "Nothing is sent without the approval the job asks for, nor again without somebody's word. "
            "Times are those of Brasília (UTC−3)."
        ),
    ),
    "sign_in": ("Entrar", "Sign in"),
    "sign_in.what": ("Aqui pessoas decidem sobre pagamentos.", "This is where people decide about payments."),
    "sign_in.name": ("Nome", "Name"),
    "sign_in.password": ("Senha", "Password"),
    "sign_in.no_user": (
        "Sem acesso? Quem cuida da instalação cria usuários com “repasse desk user add”.",
        "No access? Whoever looks after the installation makes users with “repasse desk user add”.",
    ),
    "sign_in.wrong": ("Nome ou senha não conferem.", "Name or password is not right."),
    "sign_in.too_many": (
        "Tentativas demais. Espere um quarto de hora e tente outra vez.",
        "Too many attempts. Wait a quarter of an hour and try again.",
    ),
    "sign_out": ("Sair", "Sign out"),
    "problem": ("Isto não foi feito", "This was not done"),
    "problem.back": ("Voltar ao início", "Back to the start"),
    "refused.preparer": (
        "Só quem tem o papel de preparar pode fazer isto.",
        "Only those who have the role to prepare can do this.",
    ),
    "refused.approver": (
        "Só quem tem o papel de aprovar pode fazer isto.",
        "Only those who have the role to approve can do this.",
    ),
    "refused.resolver": (
        "Só quem tem o papel de resolver dúvidas pode fazer isto.",
        "Only those who have the role to resolve doubts can do this.",
    ),
    "refused.origin": (
        "O pedido não veio de uma página do Repasse. Nada foi feito.",
        "The request did not come from a page of Repasse. Nothing was done.",
    ),
    "refused.token": (
        "A página era de outra sessão. Volte, recarregue-a e tente outra vez. Nada foi feito.",
        "The page was of another session. Go back, reload it and try again. Nothing was done.",
    ),
    "refused.form": (
        "O formulário não pôde ser lido. Nada foi feito.",
        "The form could not be read. Nothing was done.",
    ),
    "refused.size": (
        "O arquivo é grande demais: o limite é de {limit} MB. Nada foi guardado.",
        "The file is too large: the limit is {limit} MB. Nothing was kept.",
    ),
    "refused.parts": (
        "São arquivos demais de uma vez. Nada foi guardado.",
        "These are too many files at once. Nothing was kept.",
    ),
    "refused.slow": (
        "O arquivo parou de chegar. Verifique a conexão e envie outra vez. Nada foi guardado.",
        "The file stopped coming in. Look at the connection and send it again. Nothing was kept.",
    ),
    "refused.disk": (
        "O arquivo não pôde ser guardado: o disco está cheio ou não aceita escrita. Avise quem cuida da instalação.",
        "The file could not be kept: the disk is full or cannot be written. Tell whoever looks after the installation.",
    ),
    "refused.nothing": ("Não há nada neste endereço.", "There is nothing at this address."),
    "refused.look": (
        "Esta verificação já foi descartada. Verifique o trabalho outra vez.",
        "This check was let go of by now. Check the job again.",
    ),
    "refused.why": ("Diga o motivo. Nada foi feito.", "Say the reason. Nothing was done."),
    "refused.empty": (
        "Falta preencher um campo, ou ele é longo demais. Nada foi feito.",
        "A field is empty, or too long. Nothing was done.",
    ),
    "refused.signed_out": ("A sessão terminou. Entre outra vez.", "The session has ended. Sign in again."),
    "pager.before": ("← anteriores", "← previous"),
    "pager.after": ("próximos →", "next →"),
    "pager.at": ("{first} a {last} de {total}", "{first} to {last} of {total}"),
    "more": ("… e mais {count}", "… and {count} more"),
}

_WORK: Final[dict[str, tuple[str, str]]] = {
    "home.waits": ("O que espera", "What waits"),
    "home.nothing": ("Nada espera por ninguém.", "Nothing waits for anybody."),
    "home.approval": ("Espera aprovação", "Waits for approval"),
    "home.approval_counts": (
        "{payments} pagamentos · falta a palavra de {missing}",
        "{payments} payments · the word of {missing} is missing",
    ),
    "home.approved_counts": (
        "{payments} pagamentos · aprovado, o envio ainda não começou",
        "{payments} payments · approved, sending has not begun",
    ),
    "home.doubts": ("Em dúvida", "In doubt"),
    "home.doubts_what": (
        "Nem a resposta nem a lista do serviço dizem o que houve.",
        "Neither the answer nor the service's list tells what happened.",
    ),
    "home.undetermined": ("Esperam decisão", "Wait for a decision"),
    "home.undetermined_what": (
        "Relatórios que não dizem a quem pagaram.",
        "Reports that do not tell whom they paid.",
    ),
    "home.unsent": ("Aprovados, ainda não enviados", "Approved, not sent yet"),
    "home.unsent_what": ("A próxima execução os envia.", "The next run sends them."),
    "home.open": ("Em processamento no serviço", "Being processed by the service"),
    "home.open_what": ("{count} relatório(s) em aberto", "{count} report(s) open"),
    "home.left.interrupted": (
        "A execução morreu no caminho. Execute o trabalho de novo: o que talvez tenha sido enviado é procurado antes.",
        "The run died on its way. Run the job again: what may have been sent is looked for first.",
    ),
    "home.left.stopped": (
        "A execução parou sem enviar tudo. Resolva o motivo e execute o trabalho de novo.",
        "The run stopped before all was sent. See to the reason, then run the job again.",
    ),
    "home.left.not_sent": ("Execute o trabalho de novo.", "Run the job again."),
    "home.left.refused": (
        "Corrija o que o serviço recusou e execute o trabalho de novo.",
        "Correct what the service refused, then run the job again.",
    ),
    "home.left.failed": ("Olhe no serviço e decida aqui.", "Look in the service, and decide here."),
    "home.left.conflict": (
        "Decida aqui; a conciliação da execução nomeia cada obrigação.",
        "Decide here; the run's reconciliation names each obligation.",
    ),
    "home.left.unmatched": (
        "Baixe missing-shares.xlsx da execução, complete as participações e execute o trabalho de novo.",
        "Download the run's missing-shares.xlsx, complete the shares, and run the job again.",
    ),
    "home.left.held": (
        "Baixe corrections.xlsx da execução, corrija e entregue na página do trabalho.",
        "Download the run's corrections.xlsx, correct it, and hand it in on the job's page.",
    ),
    "home.left.rows": (
        "Baixe corrections.xlsx da execução, corrija e entregue na página do trabalho.",
        "Download the run's corrections.xlsx, correct it, and hand it in on the job's page.",
    ),
    "home.settle": ("Olhar agora", "Look now"),
    "home.settle_what": ("Pergunta ao serviço; não envia nada.", "Asks the service; sends nothing."),
    "told.settle": (
        "O serviço está sendo consultado. Recarregue a página daqui a pouco.",
        "The service is being asked. Reload the page in a moment.",
    ),
    "home.jobs": ("Trabalhos", "Jobs"),
    "home.no_jobs": (
        "Nenhum trabalho. Ponha arquivos de trabalho na pasta que REPASSE_JOBS nomeia.",
        "No jobs. Put job files into the folder that REPASSE_JOBS names.",
    ),
    "home.last_run": ("Última execução", "Latest run"),
    "home.never": ("nunca", "never"),
    "home.runs": ("Últimas execuções", "Latest runs"),
    "home.all_runs": ("Todas as execuções", "All runs"),
    "home.no_runs": ("Ainda não houve execução.", "There has been no run yet."),
    "job": ("Trabalho", "Job"),
    "job.file": ("Arquivo do trabalho", "Job file"),
    "job.broken": ("O arquivo do trabalho tem erros.", "The job file has mistakes."),
    "job.waiting": ("Um plano deste trabalho espera aprovação", "A plan of this job waits for approval"),
    "job.files": ("Verificar o trabalho", "Check the job"),
    "job.files_what": (
        "Traga a planilha recebida, ou nenhuma para usar os arquivos da pasta. Até {limit} MB ao todo.",
        "Bring the spreadsheet that came in, or none to use the files of the folder. Up to {limit} MB in all.",
    ),
    "job.source": ("Arquivo para “{name}”", "File for “{name}”"),
    "job.otherwise": ("Sem arquivo, lê-se", "Without a file, this is read:"),
    "job.look": ("Verificar", "Check"),
    "job.nothing_sent": (
        "Verificar não paga, não envia e não consulta nada.",
        "Checking pays nothing, sends nothing and asks nobody.",
    ),
    "period": ("Período", "Period"),
    "payer": ("Pagador", "Payer"),
    "state": ("Situação", "State"),
    "looking": ("Lendo e verificando", "Reading and checking"),
    "looking.what": (
        "Os arquivos estão sendo lidos. A página se atualiza sozinha.",
        "The files are being read. The page refreshes by itself.",
    ),
    "look": ("O que foi encontrado", "What was found"),
    "look.figures": ("Linhas", "Rows"),
    "look.plan": ("O que seria pago", "What would be paid"),
    "rows.read": ("linhas lidas", "rows read"),
    "rows.used": ("usadas", "used"),
    "rows.held": ("retidas", "held"),
    "rows.duplicate": ("duplicadas", "duplicate"),
    "rows.ignored": ("ignoradas", "ignored"),
    "recognised": ("O que foi reconhecido", "What was recognised"),
    "file": ("Arquivo", "File"),
    "layout": ("Leiaute", "Layout"),
    "header_row": ("Linha do cabeçalho", "Header row"),
    "decisions": ("Como foi lido", "How it was read"),
    "issues": ("Problemas", "Problems"),
    "issues.none": ("Nenhum problema.", "No problems."),
    "issues.errors": ("{count} erros", "{count} errors"),
    "issues.warnings": ("{count} avisos", "{count} warnings"),
    "issues.corrections": ("Baixar corrections.xlsx", "Download corrections.xlsx"),
    "issues.missing_shares": ("Baixar missing-shares.xlsx", "Download missing-shares.xlsx"),
    "issues.corrections_what": (
        "A sua própria planilha, com as células marcadas. Corrija, salve e traga-a de volta: nada é pago duas vezes.",
        "Your own sheet with the cells marked. Correct it, save it and bring it back: nothing is paid twice.",
    ),
    "issues.wrong": ("O que está errado", "What is wrong"),
    "issues.value": ("Valor (mascarado)", "Value (masked)"),
    "issues.accepts": ("O que seria certo", "What would be right"),
    "issues.row": ("linha {row}", "row {row}"),
    "cell": ("Célula", "Cell"),
    "severity.error": ("erro", "error"),
    "severity.warning": ("aviso", "warning"),
    "severity.note": ("nota", "note"),
    "launch": ("Levar adiante", "Take it further"),
    "launch.what": (
        "A execução congela o plano e espera a aprovação que o trabalho pede; só depois algo é enviado.",
        "The run freezes the plan and waits for the approval the job asks for; only then anything is sent.",
    ),
    "launch.checks": (
        "Antes disso verifica {count} conta(s) no serviço, por {cost} no máximo.",
        "Before that it checks {count} account(s) at the service, for {cost} at most.",
    ),
    "launch.button": ("Iniciar a execução", "Start the run"),
    "launched": ("Iniciando", "Starting"),
    "launched.what": (
        "A execução está começando. A página se atualiza sozinha.",
        "The run is starting. The page refreshes by itself.",
    ),
    "launched.ended": ("A execução não começou", "The run did not begin"),
    "launched.no_run": (
        "Nenhuma execução apareceu. Talvez outra ocupe o trabalho, ou nada esteja executando; nada foi enviado.",
        "No run has shown up. Another may hold the job, or nothing may be there to run it; nothing was sent.",
    ),
    "run.started": ("Início", "Started"),
    "run.by": ("Por", "By"),
    "run.night": ("a noite: todos os trabalhos", "the night: all jobs"),
    "run.steps": ("Etapas", "Stages"),
    "run.wants_approval": ("O plano espera aprovação: olhe e decida", "The plan waits for approval: look and decide"),
    "run.discrepancies": ("Divergências", "Discrepancies"),
    "run.checks": ("Contas verificadas: {made}, por {cost}", "Accounts checked: {made}, for {cost}"),
    "run.issues": ("Problemas nas linhas", "Problems in rows"),
    "run.go_on": ("Continuar", "Go on"),
    "run.go_on_what": (
        "Executa o mesmo trabalho outra vez com os mesmos arquivos e termina o que falta; nada é pago duas vezes.",
        "Runs the same job again with the same files and finishes what is left; nothing is paid twice.",
    ),
    "step.read": ("Ler", "Read"),
    "step.checks": ("Verificar contas", "Check accounts"),
    "step.plan": ("Congelar o plano", "Freeze the plan"),
    "step.approval": ("Aprovação", "Approval"),
    "run.rejected": ("O plano foi rejeitado: veja por quem e por quê", "The plan was rejected: see by whom and why"),
    "run.interrupted": (
        (
            "O processo desta execução acabou antes do fim. O que estava registrado continua registrado; continue para "
            "terminar o que falta: um envio sem resposta fica em dúvida e não é repetido."
        ),
        (
            "The process of this run ended before its end. What was recorded stays recorded; go on to finish what is "
            "left: a submission without an answer is in doubt and is not sent again."
        ),
    ),
    "step.send": ("Enviar", "Send"),
    "step.settle": ("Acompanhar", "Settle"),
    "step.books": ("Conciliar", "Reconcile"),
    "step_is.done": ("feito", "done"),
    "step_is.now": ("agora", "now"),
    "step_is.later": ("depois", "later"),
    "batches": ("Lotes", "Batches"),
    "batch": ("Lote", "Batch"),
    "batch.service": ("No serviço", "At the service"),
    "sum": ("Soma", "Sum"),
    "outputs": ("Resultados", "Outputs"),
    "outputs.none": ("Ainda não há arquivos.", "There are no files yet."),
    "outputs.statements": ("{count} demonstrativos", "{count} statements"),
    "statements": ("Demonstrativos", "Statements"),
}

_DOUBTS: Final[dict[str, tuple[str, str]]] = {
    "doubts": ("O que precisa da palavra de alguém", "What needs somebody's word"),
    "doubts.what": (
        "Um envio em dúvida nunca é repetido por si. Toda execução o procura; aqui pessoas dizem o que descobriram.",
        "A submission in doubt is never sent again by itself. Every run looks for it; here people say what they found.",
    ),
    "doubts.none": ("Nada está em dúvida.", "Nothing is in doubt."),
    "doubts.sent_at": ("Enviado", "Sent"),
    "doubts.reason": ("O que se sabe:", "What is known:"),
    "doubts.link": ("Está no serviço", "It is in the service"),
    "doubts.report": ("Id do relatório no serviço", "Id of the report in the service"),
    "doubts.link_button": ("É este relatório", "It is this report"),
    "doubts.absent": ("O serviço nunca o recebeu", "The service never received it"),
    "doubts.absent_what": (
        "Duas pessoas diferentes precisam dizê-lo, um dia depois do envio:",
        "Two different people must say so, a day after it was sent:",
    ),
    "doubts.absent_button": ("Declarar ausente", "Declare it absent"),
    "doubts.confirm": ("Confirmar como segunda pessoa", "Confirm as the second person"),
    "doubts.first_word": ("Já dito por {by},", "Said already by {by},"),
    "evidence": ("Em que se baseia", "What you rely on"),
    "told.linked": ("Registrado: o relatório é este.", "Recorded: it is this report."),
    "told.first": (
        "Registrado. Falta a palavra de uma segunda pessoa.",
        "Recorded. A second person's word is missing.",
    ),
    "told.absent": (
        "Registrado por duas pessoas; a última olhada ao serviço conta.",
        "Recorded by two people; the last look at the service counts.",
    ),
    "told.decided": ("A decisão foi registrada.", "The decision was recorded."),
    "told.held": ("Os envios estão suspensos.", "Sending is on hold."),
    "told.released": ("Os envios podem continuar.", "Sending may go on."),
    "told.lifted": ("Os envios podem continuar.", "Sending may go on."),
    "decide": ("Decidir sobre obrigações", "Decide about obligations"),
    "decide.what": (
        "Para conflitos, relatórios parciais ou excluídos e pagamentos feitos por fora. A conciliação nomeia cada um.",
        "For conflicts, partial or excluded reports, and payments made outside. The reconciliation names each one.",
    ),
    "decide.reports": ("Relatórios que não dizem a quem pagaram", "Reports that do not tell whom they paid"),
    "decide.obligations": ("Obrigações (ob-…)", "Obligations (ob-…)"),
    "decide.kind": ("O que se decide", "What is decided"),
    "decide.pay": ("Não foi pago: a próxima execução pode pagar", "Not paid: the next run may pay"),
    "decide.paid": ("Foi pago, pelo relatório ou por fora", "Paid, by the report or outside"),
    "decide.drop": ("Ninguém deve ser pago", "Nobody is to be paid"),
    "decide.button": ("Registrar a decisão", "Record the decision"),
    "sending": ("Envios", "Sending"),
    "stop.frozen": ("Envios parados: diário e serviço discordam.", "Sending is frozen: ledger and service disagree."),
    "stop.held": ("Envios suspensos.", "Sending is on hold."),
    "stop.look": ("Olhar", "Look"),
    "stop.accept": ("O que parou os envios, e foi entendido", "What froze sending, and is understood"),
    "stop.lift": ("Deixar os envios continuarem", "Let sending go on"),
    "stop.release": ("Liberar os envios", "Release sending"),
    "stop.hold": ("Suspender todos os envios", "Put all sending on hold"),
    "stop.hold_what": (
        "Em caso de alarme, qualquer pessoa pode suspender todos os envios.",
        "In an alarm, anybody can put all sending on hold.",
    ),
    "why": ("Por quê", "Why"),
}

TEXTS: Final[Mapping[str, tuple[str, str]]] = _FRAME | _WORK | _DOUBTS | PLAN | PLACES | STATES | EXITS


def say(language: str, key: str, **facts: object) -> str:
    """Return a text in a language, with its facts filled in.

    >>> say("en", "issues.row", row=7), say("pt-BR", "issues.row", row=7)
    ('row 7', 'linha 7')

    Raises:
        KeyError: there is no such text, or it wants a fact that was not given; a bug.
    """
    return TEXTS[key][0 if language == "pt-BR" else 1].format(**facts)
