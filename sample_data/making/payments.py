"""The plain payout: one row, one payment, to people and companies at every kind of destination."""

import random
from collections.abc import Sequence
from dataclasses import astuple, dataclass, replace
from decimal import Decimal
from pathlib import Path

from sample_data.making.documents import write_json, write_text
from sample_data.making.jobs import FEES_JOB, PAYMENTS_JOB
from sample_data.making.people import Payee, Registry, masked
from sample_data.making.workbooks import Value, write_workbook
from schemas.values.tax_id import check_digits

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
COMPANIES = (
    *("Ipê Roxo Produções Ltda", "Estúdio Maré Alta Ltda", "Editora Canto Livre Ltda", "Som do Beco Ltda"),
    *("Casa da Rabeca Ltda", "Palco Aberto Eventos Ltda", "Oficina de Timbres Ltda", "Três Pandeiros Ltda"),
    *("Vento Leste Filmes Ltda", "Gravadora Beira-Mar Ltda", "Acorde Final Editora Ltda", "Pedra Lisa Mixagens Ltda"),
    *("Feira de Sons Ltda", "Janela Azul Design Ltda", "Luz de Ribalta Ltda", "Mandacaru Turnês Ltda"),
    "Caixa de Fósforos Ltda",
)
ARTIST_NAMES = ("Naná do Vale", "DJ Jabuticaba", "Zé da Ponte", "Mestre Curió", "Tuca Marinho", "Lia Candeia")
# One E between digits: software that guesses types reads this document as a number.
NUMBER_LIKE_CNPJ = "73512846E001" + check_digits("73512846E001")


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


def write_payments(folder: Path, expected: Path) -> None:
    """Write the payments job, its spreadsheet, and what paying it comes to."""
    payments = invent_payments()
    write_text(folder / "job.yaml", PAYMENTS_JOB)
    write_workbook(folder / "payments.xlsx", SHEET, HEADERS, [payment.cells() for payment in payments])
    write_json(expected / "payments.json", _known_result(payments))


def write_fees(folder: Path) -> None:
    """Write the job of the next month, to twelve of the same payees, and its spreadsheet."""
    write_text(folder / "job.yaml", FEES_JOB)
    write_workbook(folder / "fees.xlsx", SHEET, HEADERS, [payment.cells() for payment in _invent_fees()])


def _invent_fees() -> list[Payment]:
    """Invent twelve payments: one to a payee whose account is another than before, one far above what was paid."""
    rng, known = random.Random("aurora-fees"), _invent_payees()
    payees = [*known[:10], *known[46:48]]
    payees[4] = replace(payees[4], destination=Registry("aurora-new-account").person("random_key").destination)
    fees = [Payment(payee, rng.randrange(30_000, 240_000), reference="cachê de novembro") for payee in payees]
    fees[8] = replace(fees[8], amount_cents=3_980_000)
    return fees


def invent_payments() -> list[Payment]:
    """Invent 64 payments to 63 payees: one advance, one withheld, and one payee with two references."""
    rng = random.Random("aurora-payments")
    payments = [Payment(payee, rng.randrange(3_500, 680_000)) for payee in _invent_payees()]
    rng.shuffle(payments)
    for row, artist_name in zip(range(2, 60, 10), ARTIST_NAMES, strict=True):
        payments[row] = Payment(payments[row].payee, payments[row].amount_cents, artist_name)
    payments[7] = Payment(payments[7].payee, 250_000, advance="sim", withhold="não", anticipation_id="AD-2026-017")
    payments[19] = Payment(payments[19].payee, 118_437, advance="não", withhold="sim")
    payments[30] = Payment(payments[30].payee, 4_875_000, reference="contrato anual")
    twice = payments[41].payee
    payments[41] = Payment(twice, 96_050, reference="estúdio")
    payments.insert(52, Payment(twice, 140_000, reference="show de outubro"))
    return payments


def _invent_payees() -> list[Payee]:
    registry = Registry("aurora-payees-of-payments")
    people = [registry.person(PEOPLE_KINDS[i % len(PEOPLE_KINDS)]) for i in range(44)]
    people += [registry.person("payment_account"), registry.person("salary_account")]
    tax_ids = [registry.cnpj() for _ in range(9)] + [registry.cnpj(letters=True) for _ in range(7)] + [NUMBER_LIKE_CNPJ]
    companies = [
        registry.company(name, COMPANY_KINDS[i % len(COMPANY_KINDS)], tax_id)
        for i, (name, tax_id) in enumerate(zip(COMPANIES, tax_ids, strict=True))
    ]
    return people + companies


def _known_result(payments: list[Payment]) -> dict[str, object]:
    total = sum(payment.amount_cents for payment in payments)
    withheld = sum(payment.amount_cents for payment in payments if payment.withhold == "sim")
    return {
        "job": "aurora-payments",
        "period": "2026-10",
        "currency": "BRL",
        "rows": {"read": len(payments), "used": len(payments), "held": 0, "duplicate": 0, "ignored": 0},
        "payees": len({payment.payee.tax_id for payment in payments}),
        "totals_cents": {"in": total, "paid": total - withheld, "withheld": withheld},
        "payments": [
            {
                "row": row,
                "tax_id": payment.payee.tax_id,
                "name": payment.payee.name,
                "reference": payment.reference,
                "amount_cents": payment.amount_cents,
                "destination": "pix" if payment.payee.destination.pix_key else "bank_account",
                "advance": payment.advance == "sim",
                "withhold": payment.withhold == "sim",
            }
            for row, payment in enumerate(payments, start=2)
        ],
    }
