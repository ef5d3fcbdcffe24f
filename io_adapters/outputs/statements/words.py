"""Every word a payee's statement says, Portuguese and English side by side."""

from collections.abc import Iterable, Mapping
from typing import Final

from schemas.plan import Place
from schemas.standing_words import PAID_LESS_TAX

TEXTS: Final[Mapping[str, tuple[str, str]]] = {
    "title": ("Demonstrativo de royalties e pagamentos", "Royalty and payment statement"),
    "payee": ("Favorecido", "Payee"),
    "tax_id": ("CPF/CNPJ", "CPF/CNPJ"),
    "period": ("Período", "Period"),
    "days": ("{first} a {last}", "{first} to {last}"),
    "job": ("Trabalho", "Job"),
    "currency": ("Moeda", "Currency"),
    "page": ("Página", "Page"),
    "of": ("de", "of"),
    "nameless": ("Nome não informado", "Name not given"),
    "not_stated": ("não informado", "not stated"),
    "total": ("Total", "Total"),
    "box.earned": ("Rendimentos", "Earned"),
    "box.payments": ("Pagamentos", "Payments"),
    "box.recouped": ("Adiantamentos", "Advances"),
    "box.carried_in": ("Saldo anterior", "Carried in"),
    "box.carried_out": ("Levado adiante", "Carried forward"),
    "box.held": ("Retido", "Held"),
    "box.total": ("Total do período", "Total of the period"),
    "way": ("Do rendimento ao pagamento", "From what was earned to what is paid"),
    "way.step": ("Passo", "Step"),
    "way.earned": ("Rendimentos do período", "Earned in the period"),
    "way.recouped": ("Adiantamentos recuperados", "Advances recouped"),
    "way.carried_in": ("Saldo trazido de períodos anteriores", "Carried in from earlier periods"),
    "way.net": ("= Saldo do período", "= Balance of the period"),
    "way.below_minimum": (
        "Levado ao próximo período: abaixo do mínimo de {minimum}",
        "Carried to the next period: below the minimum of {minimum}",
    ),
    "way.carried_out": ("Levado ao próximo período", "Carried to the next period"),
    "way.negative": (
        "Levado ao próximo período: saldo negativo, a compensar",
        "Carried to the next period: a negative balance, to be set off",
    ),
    "way.held": ("Retido: {why}", "Held: {why}"),
    "way.payable": ("= A pagar", "= Payable"),
    "way.overpaid": (
        "Enviado a mais antes neste período, a compensar no próximo",
        "Sent in excess earlier in this period, to be set off in the next",
    ),
    "residue": (
        "Rendimento exato: {exact}. Arredondado uma única vez: {rounded}. Resíduo do arredondamento: {residue}.",
        "Earned exactly: {exact}. Rounded once: {rounded}. Residue of rounding: {residue}.",
    ),
    "advances": ("Adiantamentos", "Advances"),
    "advance.reference": ("Referência", "Reference"),
    "advance.recording": ("Gravação", "Recording"),
    "advance.recouped": ("Recuperado agora", "Recouped now"),
    "advance.outstanding": ("Ainda a recuperar", "Still to recoup"),
    "advance.any": ("todas", "all"),
    "payments": ("Pagamentos", "Payments"),
    "payment.what": ("Referência", "Reference"),
    "payment.status": ("Situação", "Status"),
    "payment.report": ("Relatório", "Report"),
    "payment.sent_on": ("Enviado em", "Sent on"),
    "payment.amount": ("Valor", "Amount"),
    "kind.royalty": ("Royalties", "Royalties"),
    "kind.payment": ("Pagamento", "Payment"),
    "recordings": ("Por gravação", "By recording"),
    "recording.title": ("Gravação", "Recording"),
    "recording.untitled": ("Sem título", "Untitled"),
    "recording.units": ("Unid.", "Units"),
    "recording.lines": ("Linhas", "Lines"),
    "recording.source": ("Valor na origem", "Source amount"),
    "recording.rate": ("Câmbio", "Rate"),
    "recording.share": ("Participação", "Share"),
    "part": ("Sua parte", "Your part"),
    "platforms": ("Por plataforma", "By platform"),
    "platform": ("Plataforma", "Platform"),
    "territories": ("Por território", "By territory"),
    "territory": ("Território", "Territory"),
    "months": ("Por mês de venda", "By month of sales"),
    "month": ("Mês", "Month"),
    "quotes": ("Câmbio usado", "Exchange rates used"),
    "quote.currency": ("Moeda", "Currency"),
    "quote.rate": ("Valor de 1 em {currency}", "1 is worth, in {currency}"),
    "quote.day": ("Data", "Date"),
    "quote.origin": ("Origem", "Origin"),
    "how": ("Como estes números foram calculados", "How these numbers were computed"),
    "how.order": (
        (
            "Valor das linhas na moeda de origem → câmbio (cotação, data e origem acima) → participação → "
            "adiantamentos recuperados → saldo trazido → mínimo → centavos finais."
        ),
        (
            "Amount of the lines in their currency → exchange (rate, date and origin above) → share → "
            "advances recouped → carried in → minimum → final centavos."
        ),
    ),
    "how.exact": (
        (
            "As contas são feitas com todas as casas decimais e arredondadas uma única vez, ao centavo, pelo maior "
            "resto sobre todos os favorecidos do período; por isso o arredondamento pode diferir do usual em até um "
            "centavo. Nas tabelas, valores com mais casas do que as mostradas aparecem arredondados (meio para o par); "
            "os totais somam os valores exatos."
        ),
        (
            "All digits are kept while computing; there is one rounding to the centavo, by largest remainder over all "
            "payees of the period, and so it may differ from the usual one by up to a centavo. In the tables, amounts "
            "with more digits than shown appear rounded (half to even); totals add up the exact amounts."
        ),
    ),
}

_PLACES: Final[Mapping[str, tuple[str, str]]] = {
    Place.PAID: ("Pago", "Paid"),
    PAID_LESS_TAX: ("Pago, menos imposto", "Paid, less tax"),
    Place.INCOME_TAX: ("Imposto de renda retido", "Income tax withheld"),
    Place.PROCESSING: ("Em processamento", "Being processed"),
    Place.WITHHELD: ("Reservado a pedido", "Withheld on request"),
    Place.DUPLICATE: ("Enviado anteriormente", "Sent earlier"),
    Place.PLANNED: ("A enviar", "To be sent"),
    Place.NOT_SENT: ("A enviar", "To be sent"),
    Place.HELD: ("Retido", "Held"),
    Place.CONFLICT: ("Em conferência", "Under review"),
    Place.IN_DOUBT: ("Em conferência", "Under review"),
    Place.UNDETERMINED: ("Em conferência", "Under review"),
    Place.REFUSED: ("Não aceito; a enviar de novo", "Not accepted; to be sent again"),
    Place.FAILED: ("Não concluído; a enviar de novo", "Not completed; to be sent again"),
    Place.EXCLUDED: ("Cancelado", "Cancelled"),
}

# By the beginning of a code, the longest first: a payee is told what to do, not which rule of a spreadsheet failed.
_REASONS: Final[Mapping[str, tuple[str, str]]] = {
    "ACCOUNT_UNKNOWN": ("a conta ainda está sendo verificada", "the account is still being verified"),
    "ACCOUNT_BUDGET": ("a conta ainda está sendo verificada", "the account is still being verified"),
    "ACCOUNT_": ("os dados bancários precisam ser corrigidos", "the bank details need correcting"),
    "AGENCY_": ("os dados bancários precisam ser corrigidos", "the bank details need correcting"),
    "BANK_": ("os dados bancários precisam ser corrigidos", "the bank details need correcting"),
    "PIX_": ("a chave Pix precisa ser corrigida", "the Pix key needs correcting"),
    "DESTINATION_MISSING": ("faltam a chave Pix ou os dados bancários", "a Pix key or bank details are missing"),
    "DESTINATION_": ("os dados bancários precisam ser corrigidos", "the bank details need correcting"),
    "TAXID_UNKNOWN_PAYEE": ("o cadastro ainda não foi feito", "the registration is not there yet"),
    "TAXID_": ("o CPF ou CNPJ do cadastro precisa ser corrigido", "the CPF or CNPJ on record needs correcting"),
    "IDENTITY_": ("o cadastro precisa ser corrigido", "the registration needs correcting"),
    "NAME_": ("o nome no cadastro precisa ser corrigido", "the name on record needs correcting"),
    "EMAIL_": ("o e-mail do cadastro precisa ser corrigido", "the e-mail on record needs correcting"),
    "REFUSED_BY_SERVICE": (
        "o serviço de pagamento recusou os dados",
        "the payment service refused the data",
    ),
    "": ("em conferência pelo pagador", "under review by the payer"),
}


class Words:
    """The words of one language.

    >>> Words("en")("page"), Words("pt-BR")("days", first="1", last="2")
    ('Page', '1 a 2')
    """

    def __init__(self, language: str) -> None:
        self._position = 0 if language == "pt-BR" else 1
        self.language = language

    def __call__(self, key: str, **facts: object) -> str:
        """Return a text, its facts filled in.

        Raises:
            KeyError: there is no such text, or it wants a fact that was not given; a bug.
        """
        return TEXTS[key][self._position].format(**facts)

    def of_place(self, place: str) -> str:
        """Say to a payee where their money is; a place nobody has named for them is under review."""
        return _PLACES.get(place, _PLACES[Place.CONFLICT])[self._position]

    def of_reasons(self, codes: Iterable[str]) -> str:
        """Say why something is held, each reason once; without a code it is under review."""
        said = dict.fromkeys(self._of_reason(code) for code in codes)
        return "; ".join(said) or _REASONS[""][self._position]

    def _of_reason(self, code: str) -> str:
        beginning = next(one for one in _REASONS if code.startswith(one))
        return _REASONS[beginning][self._position]
