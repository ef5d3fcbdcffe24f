"""Rows of a payments sheet: one row, one payment, to people and companies at every kind of destination."""

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from decimal import Decimal

from sample_data.making.people import Payee, masked
from sample_data.making.workbooks import Value

SHEET = "Pagamentos"
DESTINATION_HEADERS = (
    *("Chave Pix", "Tipo da chave", "Banco", "ISPB", "Agência", "Conta", "Tipo de conta", "Titular"),
)
HEADERS = (
    *("Nome", "CPF/CNPJ", "E-mail", "Nome artístico", "Valor"),
    *DESTINATION_HEADERS,
    *("Referência", "Adiantamento", "Reter", "anticipation_id"),
)
PEOPLE_KINDS = ("cpf", "phone_number", "checking_account", "email", "random_key", "saving_account", "phone_number")
COMPANY_KINDS = ("cnpj", "checking_account", "email", "random_key")


@dataclass(frozen=True, slots=True)
class Payment:
    """One row of the sheet."""

    payee: Payee
    amount_cents: int
    artist_name: str = ""
    reference: str = ""
    advance: str = ""
    withhold: str = ""
    anticipation_id: str = ""

    def cells(self) -> list[Value]:
        """Return the row as the sheet's cells."""
        destination: Sequence[str] = astuple(self.payee.destination)
        head = (self.payee.name, masked(self.payee.tax_id), self.payee.email, self.artist_name)
        amount = Decimal(self.amount_cents).scaleb(-2)
        return [*head, amount, *destination, self.reference, self.advance, self.withhold, self.anticipation_id]
