"""Every word the outputs say to a person, Portuguese and English side by side."""

import re
from collections.abc import Mapping
from typing import Final

from schemas.issue_texts import TEXTS as ISSUES
from schemas.issues import IssueCode
from schemas.standing_words import CAME_IN, STANDING_WORDS, state_in_words
from schemas.waits import Wait, WaitKind

# What is said of a plan before anybody says yes to it.
PLAN: Final[dict[str, tuple[str, str]]] = {
    "sheet.plan": ("Plano", "Plan"),
    "sheet.notices": ("Olhar antes", "Look first"),
    "sheet.changes": ("Mudanças", "Changes"),
    "sheet.not_paid": ("Não pagos", "Not paid"),
    "sheet.planned": ("A pagar", "To be paid"),
    "plan.title": ("Plano de pagamento", "Payment plan"),
    "plan.nothing_sent": ("Nada foi enviado.", "Nothing has been sent."),
    "plan.total": ("Total dos relatórios", "Total of the reports"),
    "plan.payees": ("Favorecidos", "Payees"),
    "plan.exchange": ("Câmbio dos relatórios", "Exchange rate of the reports"),
    "plan.provisional": (
        "ainda provisório: há contas a verificar",
        "still provisional: accounts are to be checked",
    ),
    "plan.stopped": (
        "nenhum: há linhas com problemas, e o trabalho não envia nada assim",
        "none: rows have problems, and the job then sends nothing",
    ),
    "plan.empty": ("nada a pagar", "nothing to pay"),
    "plan.notices": ("Para olhar antes de aprovar", "To look at before approving"),
    "plan.first_ever": (
        "Este diário ainda não pagou ninguém: todos os favorecidos são novos.",
        "This ledger has never paid anybody: all payees are new.",
    ),
    "plan.largest": ("Maiores pagamentos", "Largest payments"),
    "plan.not_paid": ("O que não é pago, e por quê", "What is not paid, and why"),
    "plan.checks": ("Verificações de conta por fazer", "Account checks to be made"),
    "plan.checks_wanted": ("Contas", "Accounts"),
    "plan.checks_cost": ("Custo máximo", "Cost at most"),
    "plan.checks_left": ("Sobra do orçamento", "Left of the budget"),
    "plan.checks_beyond": ("Contas que o orçamento não alcança", "Accounts beyond the budget"),
    "plan.owner": ("Parte do titular", "Owner's part"),
    "plan.against_nothing": ("Primeiro plano deste trabalho", "First plan of this job"),
    "plan.against_last_plan": ("Desde o último plano", "Since the last plan"),
    "plan.against_last_period": (
        "Primeiro plano do período; comparado com o que se pagou em {period}",
        "First plan of the period; compared with what was paid in {period}",
    ),
    "plan.unchanged": ("nada mudou", "nothing changed"),
    "plan.paid_then": ("A pagar e já enviado, antes", "To be paid and sent already, then"),
    "plan.paid_now": ("A pagar e já enviado, agora", "To be paid and sent already, now"),
    "plan.rate": ("Câmbio {currency}: {before} → {now}", "Exchange rate {currency}: {before} → {now}"),
    "plan.shares": ("Participações que mudaram", "Shares that changed"),
    "notice.paid_before": ("Parece já pago", "Looks paid already"),
    "notice.second_attempt": ("Nova tentativa", "Another attempt"),
    "notice.times_100": ("Cem vezes o valor anterior", "A hundred times the last amount"),
    "notice.changed_destination": ("Destino mudou", "Destination changed"),
    "notice.much_above": ("Muito acima do histórico", "Much above their history"),
    "notice.new": ("Nunca pago antes", "Never paid before"),
    "notice.disappeared": ("Pago no último período, ausente agora", "Paid in the last period, absent now"),
    "rule.paid_before": (
        "O mesmo valor já foi ao mesmo favorecido ou à mesma conta: outro período, trabalho, pagador ou CPF/CNPJ.",
        "The same amount went to the same payee or account under another period, job, payer or tax id.",
    ),
    "rule.second_attempt": (
        "Um relatório que devia pagá-lo disse ERROR: confira no serviço que nada foi pago. Exige uma pessoa.",
        "A report that was to pay them said ERROR: see in the service that nothing was paid. Takes a person.",
    ),
    "rule.times_100": (
        "O valor, ou um dos pagamentos, é exatamente cem vezes um anterior: vírgula perdida?",
        "The sum, or one payment, is exactly a hundred times an earlier one: a lost decimal mark?",
    ),
    "rule.changed_destination": (
        "O dinheiro iria para outro lugar que da última vez.",
        "The money would go elsewhere than last time.",
    ),
    "rule.much_above": (
        "Ao menos {times} vezes a mediana dos últimos valores (até {amounts}), e ao menos {by} acima dela.",
        "At least {times} times the median of the last amounts (up to {amounts}), and at least {by} above it.",
    ),
    "rule.new": ("Este diário nunca pagou este CPF ou CNPJ.", "This ledger has never paid this tax id."),
    "rule.disappeared": (
        "Recebeu no último período deste trabalho, e agora nada lhe é devido.",
        "Was paid in this job's last period, and nothing is owed now.",
    ),
    "basis.second_attempt": (
        "{number}ª tentativa de {report}, que disse ERROR",
        "attempt {number}, after {report}, which said ERROR",
    ),
    "basis.times_100": ("um valor anterior", "an earlier amount"),
    "basis.much_above": ("mediana de {amounts} valor(es)", "median of {amounts} amount(s)"),
    "basis.disappeared": ("último período", "last period"),
    "change.added": ("Acrescentado", "Added"),
    "change.removed": ("Retirado", "Removed"),
    "change.amount": ("Valor mudou", "Amount changed"),
    "change.destination": ("Outro destino", "Another destination"),
    "now_in": ("agora", "now"),
    "was_in": ("antes", "before"),
    "never": ("nunca", "never"),
    "notice": ("Motivo", "Reason to look"),
    "now": ("Agora", "Now"),
    "before": ("Antes", "Before"),
    "times": ("Vezes", "Times"),
    "basis": ("Antes é", "Before is"),
    "last_paid": ("Pago por último", "Last paid"),
    "last_used": ("Destino usado por último", "Destination last used"),
    "change": ("Mudança", "Change"),
    "difference": ("Diferença", "Difference"),
    "where": ("Onde está", "Where it is"),
    "meaning": ("O que significa", "What it means"),
    "number": ("Lote", "Batch"),
}

# Why something is not paid, for reasons whose message names facts of a single row.
REASONS: Final[dict[str, tuple[str, str]]] = {
    "reason.claimed": ("já está em um envio", "is in a submission already"),
    "reason.settled_by": ("acertado por {found}", "settled by {found}"),
    "reason.claimed_by": ("já está no envio {found}", "is in submission {found} already"),
    "reason.otherwise_than": (
        "outro valor ou destino que no envio {found}",
        "another amount or destination than in submission {found}",
    ),
    "reason.renamed_from": (
        "parece a linha paga no envio {found}, que sumiu dos arquivos: foi renomeada?",
        "looks like the row that submission {found} pays, which is not in the files any more: was it renamed?",
    ),
    "reason.otherwise_decided": (
        "outro valor ou destino que aquele sobre o qual se decidiu ({found})",
        "another amount or destination than was decided on ({found})",
    ),
    "reason.decided_pay": ("a pagar, por decisão de {found}", "to be paid, decided by {found}"),
    "reason.decided_paid": ("pago, por decisão de {found}", "paid, decided by {found}"),
    "reason.decided_drop": ("descartado, por decisão de {found}", "dropped, decided by {found}"),
    "reason.FILE_DUPLICATE": ("o arquivo já foi usado", "the file was used before"),
    "reason.LINES_USED_BEFORE": ("linhas que já foram usadas", "lines that were used before"),
    "reason.FILE_OVERLAP": (
        "um relatório com linhas que já foram usadas, retido inteiro",
        "a statement with lines that were used before, all of it held",
    ),
    "reason.RECEIVED_MISMATCH": (
        "as linhas da fonte não somam o que o banco recebeu",
        "the lines of the source are not what the bank got",
    ),
    "reason.TOTAL_MISMATCH": (
        "o total do próprio arquivo não é a soma de suas linhas",
        "the file's own total is not the sum of its rows",
    ),
    "reason.ROW_WIDTH": ("a linha tem campos a mais ou a menos", "the row has more or fewer fields than the header"),
    "reason.ROW_DUPLICATE": (
        "outra linha tem o mesmo favorecido e a mesma referência ou participação",
        "another row has the same payee and the same reference or share",
    ),
    "reason.ROW_CONTRACT": ("a linha não cumpre o que a tabela promete", "the row breaks what the table promises"),
    "reason.NAME_LENGTH": ("o nome é curto ou longo demais", "the name is too short or too long"),
    "reason.NAME_CONTROL": ("há um caractere invisível no nome", "the name holds an invisible character"),
    "reason.NAME_CONFUSABLE": ("o nome mistura alfabetos", "the name mixes alphabets"),
    "reason.TEXT_CONTROL": ("há um caractere invisível no texto", "a text holds an invisible character"),
    "reason.TAXID_LENGTH": ("CPF ou CNPJ com dígitos a mais ou a menos", "the tax id has too few or too many digits"),
    "reason.AMOUNT_DECIMALS": ("o valor tem casas decimais demais", "the amount has too many decimals"),
    "reason.AMOUNT_CURRENCY": ("o valor está em outra moeda", "the amount is in another currency"),
    "reason.CURRENCY_NO_RATE": ("falta o câmbio da moeda", "the exchange rate of the currency is missing"),
    "reason.BANK_FIELD_REQUIRED": ("faltam dados da conta bancária", "the bank account lacks data"),
    "reason.PERCENT_SUM": ("as participações passam de 100 %", "the shares are above 100 %"),
    "reason.SHARE_UNMATCHED": ("linhas que nenhuma participação cobre", "lines that no share covers"),
    "reason.IDENTITY_CONFLICT": (
        "outra linha diz outra coisa do mesmo favorecido",
        "another row says something else about the same payee",
    ),
}

# The list of shares that are missing; its headers are those of the shares layout, or ones that it leaves alone.
MISSING_SHARES: Final[dict[str, tuple[str, str]]] = {
    "sheet.missing_shares": ("Participações", "Shares"),
    "sheet.how_to": ("Como usar", "How to use"),
    "missing.isrc": ("ISRC", "isrc"),
    "missing.upc": ("UPC", "upc"),
    "missing.release": ("Álbum", "release"),
    "missing.artist": ("Artista", "artist"),
    "missing.title": ("Título", "title"),
    "missing.tax_id": ("CPF/CNPJ", "tax_id"),
    "missing.role": ("Função", "role"),
    "missing.share": ("Participação", "share"),
    "missing.lines": ("Linhas sem participação", "lines without a share"),
    "missing.amount": ("Valor sem participação", "amount without a share"),
    "missing.periods": ("Períodos sem participação", "periods without a share"),
    "missing.fill_in": (
        "1. Preencha as células amarelas: de quem é, e quantos por cento (50, e não 0,5).",
        "1. Fill in the yellow cells: whose it is, and how many percent (50, not 0.5).",
    ),
    "missing.several": ("   Sendo vários, copie a linha.", "   Where there are several, copy the row."),
    "missing.delete": (
        "2. Apague as linhas que não souber preencher.",
        "2. Delete the rows you cannot fill in.",
    ),
    "missing.hand_in": (
        "3. Cole as linhas na tabela de participações; ou guarde este arquivo na pasta do trabalho e dê os dois:",
        "3. Paste the rows into the table of shares; or keep this file in the job's folder and give both:",
    ),
    "missing.shares_key": (
        "   shares: [shares.xlsx, missing-shares.xlsx]",
        "   shares: [shares.xlsx, missing-shares.xlsx]",
    ),
    "missing.holds_for": (
        "Cada linha vale para tudo o que tem o mesmo ISRC; sem ISRC, o mesmo UPC; depois álbum, depois artista.",
        "Each row holds for all that has the same ISRC; without one, the same UPC; then release, then artist.",
    ),
    "missing.amounts": (
        "Valores em {currency}, em ordem de grandeza.",
        "Amounts in {currency}, the largest first.",
    ),
    "missing.nameless": (
        "Estas linhas não trazem ISRC, UPC, álbum nem artista: só uma participação no catálogo inteiro as cobriria.",
        "These lines bear no ISRC, UPC, release or artist: only a share of the whole catalogue would cover them.",
    ),
}


_EXITS: Final[dict[str, tuple[str, str]]] = {
    "exit.0": ("concluído", "done"),
    "exit.2": ("uso incorreto do comando", "the command was used wrongly"),
    "exit.10": ("configuração incorreta", "the configuration is wrong"),
    "exit.11": ("um arquivo não pôde ser lido", "a file could not be read"),
    "exit.12": ("linhas com problemas; nada foi enviado", "rows with problems; nothing was sent"),
    "exit.13": ("não há plano que feche", "no plan adds up"),
    "exit.14": ("aguarda aprovação", "waits for approval"),
    "exit.15": ("concluído, com linhas retidas ou em conflito", "done, with rows held or in conflict"),
    "exit.20": ("o serviço recusou", "the service refused"),
    "exit.21": ("nada foi enviado", "nothing was sent"),
    "exit.22": ("envio em dúvida; uma pessoa precisa olhar", "a submission is in doubt; a person must look"),
    "exit.23": ("liquidação ainda aberta", "settlement is still open"),
    "exit.30": ("outra execução ocupa o trabalho", "another run holds the job"),
    "exit.31": ("diário e serviço discordam; envios parados", "ledger and service disagree; sending is frozen"),
    "exit.40": ("há divergências", "there are discrepancies"),
    "exit.70": ("falha do programa; os números não fecham", "a fault of the program; the numbers do not add up"),
}

_PLACES: Final = {f"place.{standing}": words for standing, words in STANDING_WORDS.items()}

_WORDS: Final[dict[str, tuple[str, str]]] = {
    "kind.payment": ("Pagamento", "Payment"),
    "kind.royalty": ("Royalties", "Royalties"),
    "kind.owner": ("Parte do titular", "Owner's part"),
    "kind.unmatched": ("Sem participação", "No share"),
    "kind.recouped": ("Adiantamento recuperado", "Advance recouped"),
    "kind.carried": ("Saldo levado", "Carried balance"),
    "reason.less_tax": (
        "o serviço reteve imposto de renda neste relatório",
        "the service withheld income tax in this report",
    ),
    "reason.tax_withheld": ("imposto de renda retido pelo serviço", "income tax withheld by the service"),
    "reason.advance": ("adiantamento", "advance"),
    "reason.below_minimum": ("abaixo do mínimo, ou negativo", "below the minimum, or negative"),
    "reason.paid_outside": ("pago fora do Repasse", "paid outside Repasse"),
    "reason.other_period": ("de outro período", "of another period"),
    "reason.difference": ("diferença em relação ao que já foi enviado", "difference to what was sent before"),
    "pix.cpf": ("Pix CPF", "Pix CPF"),
    "pix.cnpj": ("Pix CNPJ", "Pix CNPJ"),
    "pix.phone_number": ("Pix celular", "Pix phone"),
    "pix.email": ("Pix e-mail", "Pix e-mail"),
    "pix.random_key": ("Pix aleatória", "Pix random key"),
    "account.checking_account": ("Conta corrente", "Checking account"),
    "account.saving_account": ("Conta poupança", "Savings account"),
    "account.payment_account": ("Conta de pagamento", "Payment account"),
    "account.salary_account": ("Conta salário", "Salary account"),
    "account.": ("Conta bancária", "Bank account"),
    "severity.error": ("Erro", "Error"),
    "severity.warning": ("Aviso", "Warning"),
    "severity.note": ("Nota", "Note"),
    "disposition.used": ("Usada", "Used"),
    "disposition.held": ("Retida", "Held"),
    "disposition.duplicate": ("Duplicada", "Duplicate"),
    "disposition.ignored": ("Ignorada", "Ignored"),
    "check.valid": ("Válida", "Valid"),
    "check.invalid": ("Inválida", "Invalid"),
    "check.unknown": ("Sem resposta", "Unanswered"),
    "check.not_asked": ("Não perguntada: serviço sem resposta", "Not asked: service unanswering"),
    "check.over_budget": ("Fora do orçamento", "Over budget"),
    "check.in_flight": ("À espera de outra execução", "Waiting for another run"),
    "yes": ("sim", "yes"),
    "no": ("não", "no"),
}

_SHEETS: Final[dict[str, tuple[str, str]]] = {
    "sheet.summary": ("Resumo", "Summary"),
    "sheet.payments": ("Pagamentos", "Payments"),
    "sheet.held": ("Retidos", "Held and conflicts"),
    "sheet.payees": ("Favorecidos", "Payees"),
    "sheet.earnings": ("Rendimentos", "Earnings"),
    "sheet.rows": ("Linhas", "Rows"),
    "sheet.checks": ("Verificações", "Account checks"),
    "sheet.issues": ("Problemas", "Issues"),
    "note.payees": (
        "Ordem do cálculo: rendimento − adiantamento recuperado + trazido = levado + retido + a pagar",
        "Order of computing: earned − advances recouped + carried in = carried out + held + payable",
    ),
    "note.earnings": (
        "Ordem do cálculo: valor das linhas na moeda de origem → câmbio → participação. Vale a coluna exata.",
        "Order of computing: amount of the lines in their currency → exchange → share. The exact column rules.",
    ),
    "note.checks": (
        "Uma linha por conta, e por chamada paga. Chamada sem resposta conta como paga. A soma da coluna é o custo.",
        "One row for each account, and each call paid for. A call without an answer counts as paid. Costs add up.",
    ),
    "note.corrections": (
        "Corrija as células marcadas, salve e rode: repasse run JOB --file corrections.xlsx. Nada é pago duas vezes.",
        "Correct the marked cells, save, and run: repasse run JOB --file corrections.xlsx. Nothing is paid again.",
    ),
    "note.only_rows_with_issues": (
        "Planilha grande: só as linhas com problemas foram copiadas, cada uma em sua linha original: ",
        "Large sheet: only the rows with problems were copied, each in its original row: ",
    ),
}

_SUMMARY: Final[dict[str, tuple[str, str]]] = {
    "summary.title": ("Conciliação", "Reconciliation"),
    "summary.job": ("Trabalho", "Job"),
    "summary.payer": ("Pagador", "Payer"),
    "summary.period": ("Período", "Period"),
    "summary.run": ("Execução", "Run"),
    "summary.plan_digest": ("Plano", "Plan"),
    "summary.meaning": ("Resultado", "Outcome"),
    "summary.currency": ("Moeda", "Currency"),
    "summary.totals": ("Onde está cada centavo", "Where every centavo is"),
    "summary.place": ("Lugar", "Place"),
    "summary.count": ("Obrigações", "Obligations"),
    "summary.in": CAME_IN,
    "summary.sum": ("Soma dos lugares", "Sum of all places"),
    "summary.rows": ("Linhas dos arquivos", "Rows of the files"),
    "summary.rows_read": ("Lidas", "Read"),
    "summary.rows_sum": ("Soma dos destinos", "Sum of all below"),
    "summary.balanced": ("✓ fecha", "✓ adds up"),
    "summary.unbalanced": ("✗ NÃO FECHA", "✗ DOES NOT ADD UP"),
    "summary.batches": ("Lotes", "Batches"),
    "summary.checks": ("Verificações de conta", "Account checks"),
    "checks.made": ("Chamadas pagas", "Calls paid for"),
    "checks.reused": ("Respostas reaproveitadas", "Answers reused"),
    "checks.cost": ("Custo", "Cost"),
    "checks.budget": ("Orçamento", "Budget"),
    "summary.discrepancies": ("Divergências", "Discrepancies"),
    "summary.none": ("nenhuma", "none"),
    "summary.waits": ("O que espera", "What waits"),
    "waits.what": ("O quê", "What"),
    "waits.way": ("Como seguir", "The way on"),
    "summary.decisions": ("Como os arquivos foram lidos", "How the files were read"),
}

_COLUMNS: Final[dict[str, tuple[str, str]]] = {
    "name": ("Favorecido", "Payee"),
    "tax_id": ("CPF/CNPJ", "CPF/CNPJ"),
    "reference": ("Referência", "Reference"),
    "kind": ("Tipo", "Kind"),
    "destination_type": ("Tipo de destino", "Destination type"),
    "destination": ("Destino", "Destination"),
    "amount": ("Valor", "Amount"),
    "place": ("Situação", "Place"),
    "reason": ("Motivo", "Reason"),
    "submission": ("Relatório (envio)", "Report (submission)"),
    "file": ("Arquivo", "File"),
    "sheet": ("Planilha", "Sheet"),
    "row": ("Linha", "Row"),
    "last_row": ("Até a linha", "To row"),
    "key": ("Chave da obrigação", "Obligation key"),
    "earned": ("1. Rendimento", "1. Earned"),
    "recouped": ("2. − Adiantamento recuperado", "2. − Advance recouped"),
    "carried_in": ("3. + Trazido", "3. + Carried in"),
    "carried_out": ("4. Levado", "4. Carried out"),
    "held": ("5. Retido", "5. Held"),
    "payable": ("6. A pagar", "6. Payable"),
    "role": ("Função", "Role"),
    "isrc": ("ISRC", "ISRC"),
    "upc": ("UPC", "UPC"),
    "release": ("Álbum", "Release"),
    "title": ("Título", "Title"),
    "artist": ("Artista", "Artist"),
    "platform": ("Plataforma", "Platform"),
    "lines": ("Linhas", "Lines"),
    "source_amount": ("Valor de origem", "Source amount"),
    "source_currency": ("Moeda de origem", "Source currency"),
    "rate": ("Câmbio", "Rate"),
    "share": ("Participação (%)", "Share (%)"),
    "earned_rounded": ("Rendimento", "Earned"),
    "earned_exact": ("Rendimento exato", "Earned, exact"),
    "disposition": ("Destino da linha", "Disposition"),
    "row_count": ("Linhas", "Rows"),
    "sale_period": ("Período da venda", "Sale period"),
    "units": ("Quantidade", "Units"),
    "payee": ("Favorecido", "Payee"),
    "result": ("Resultado", "Result"),
    "made": ("Feita agora", "Made now"),
    "reused": ("Reaproveitada", "Reused"),
    "cost": ("Custo", "Cost"),
    "message": ("Mensagem", "Message"),
    "severity": ("Gravidade", "Severity"),
    "code": ("Código", "Code"),
    "cell": ("Célula", "Cell"),
    "column": ("Coluna", "Column"),
    "value_masked": ("Valor (mascarado)", "Value (masked)"),
    "problem": ("O que está errado", "What is wrong"),
    "accepts": ("O que é aceito", "What is accepted"),
    "exchange_rate": ("Câmbio", "Exchange rate"),
    "exchange_outcome": ("Situação do câmbio", "Exchange rate is"),
    "report_id": ("Relatório", "Report"),
    "split_id": ("Número no serviço", "Id at the service"),
    "status": ("Situação no serviço", "Status at the service"),
    "by_likeness": ("por semelhança", "by likeness"),
    "outcome": ("Resultado do envio", "Outcome of sending"),
    "payments": ("Pagamentos", "Payments"),
    "expected": ("Esperado", "Expected"),
    "found": ("Encontrado", "Found"),
}

TEXTS: Final[Mapping[str, tuple[str, str]]] = (
    _EXITS | _PLACES | _WORDS | _SHEETS | _SUMMARY | _COLUMNS | PLAN | REASONS | MISSING_SHARES
)


class Labels:
    """The words of one language.

    >>> Labels("en")("place.held"), Labels("pt-BR")("place.held")
    ('Held', 'Retido')
    """

    def __init__(self, language: str) -> None:
        self._position = 0 if language == "pt-BR" else 1
        self.language = language

    def __call__(self, key: str) -> str:
        """Return a text the outputs themselves name.

        Raises:
            KeyError: there is no such text; a bug.
        """
        return TEXTS[key][self._position]

    def of_value(self, family: str, value: str) -> str:
        """Return the word for a value that comes from data; one nobody has named yet is shown as it is."""
        texts = TEXTS.get(f"{family}.{value}")
        return texts[self._position] if texts else value


# Reasons that hold a fact, as `flows.payables.rules.claims` and `schemas.approval` write them.
_WITH_FACT: Final = {
    "settled_by": re.compile(r"settled by (?P<found>.+)"),
    "claimed_by": re.compile(r"claimed by (?P<found>.+)"),
    "otherwise_than": re.compile(r"another amount or destination than in (?P<found>.+)"),
    "renamed_from": re.compile(r"renamed from (?P<found>.+)"),
    "otherwise_decided": re.compile(r"another amount or destination than was (?P<found>.+)"),
    "decided_pay": re.compile(r"pay, decided by (?P<found>.+)"),
    "decided_paid": re.compile(r"paid, decided by (?P<found>.+)"),
    "decided_drop": re.compile(r"drop, decided by (?P<found>.+)"),
}

# What a message tells of one row alone.
_FACTS: Final = re.compile(r"\{[a-z_]+\}")
_CODES: Final = frozenset(code.value for code in IssueCode)


def reason_in_words(reason: str, labels: Labels) -> str:
    """Say why something is where it is: rules by what they say, several of them one after the other.

    >>> reason_in_words("TAXID_CHECK,NAME_REQUIRED", Labels("en"))
    'the check digits are wrong; the name is missing'

    Args:
        reason: As an obligation or a row has it; a person's own words are shown as they are.
        labels: The words.
    """
    if f"reason.{reason}" in TEXTS:
        return labels(f"reason.{reason}")
    for key, pattern in _WITH_FACT.items():
        if found := pattern.fullmatch(reason):
            return labels(f"reason.{key}").format(**found.groupdict())
    codes = reason.split(",")
    if all(code in _CODES for code in codes):
        return "; ".join(dict.fromkeys(_code_in_words(IssueCode(code), labels) for code in codes))
    return reason


def wait_in_words(wait: Wait, labels: Labels) -> str:
    """Say why something waits: the rules that were broken, or how the run ended."""
    if wait.kind in {WaitKind.STOPPED, WaitKind.NOT_SENT}:
        return state_in_words(wait.reason, labels.language) if wait.reason else ""
    return reason_in_words(wait.reason, labels) if wait.reason else ""


def _code_in_words(code: IssueCode, labels: Labels) -> str:
    own = f"reason.{code}"
    return labels(own) if own in TEXTS else _FACTS.sub("…", ISSUES[labels.language][code][0])
