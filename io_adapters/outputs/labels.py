"""Every word the outputs say to a person, Portuguese and English side by side."""

from collections.abc import Mapping
from typing import Final

from io_adapters.outputs.plan_labels import MISSING_SHARES, PLAN, REASONS
from schemas.standing_words import CAME_IN, STANDING_WORDS

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
