"""What one written value says: its canonical form, or the rule it breaks; closed lists of words for wire values."""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Generic, TypeVar

from schemas.issues import IssueCode
from schemas.wire import AccountType, PixKeyType

T = TypeVar("T")

# Blanks that spreadsheets put around a value. A line break is not one: it means two values in one cell.
BLANKS: Final = " \t\u00a0\u2007\u202f"


@dataclass(frozen=True, slots=True)
class Reading(Generic[T]):
    """A value as read.

    Attributes:
        value: Canonical value; None when there is none that may be used.
        code: The rule it breaks, or the note that goes with it; None when there is nothing to say.
        facts: What the message of `code` needs to know (in `schemas/locale`), without the value itself.
    """

    value: T | None
    code: IssueCode | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)


PIX_KEY_TYPES: Final[dict[str, PixKeyType]] = {
    "cpf": "cpf",
    "cnpj": "cnpj",
    "phonenumber": "phone_number",
    "phone": "phone_number",
    "celular": "phone_number",
    "telefone": "phone_number",
    "telefonecelular": "phone_number",
    "email": "email",
    "randomkey": "random_key",
    "aleatoria": "random_key",
    "chavealeatoria": "random_key",
    "evp": "random_key",
}
ACCOUNT_TYPES: Final[dict[str, AccountType]] = {
    "checkingaccount": "checking_account",
    "checking": "checking_account",
    "corrente": "checking_account",
    "contacorrente": "checking_account",
    "cc": "checking_account",  # C/C; CP is none, being Poupança to some and Pagamento to others
    "savingaccount": "saving_account",
    "savingsaccount": "saving_account",
    "savings": "saving_account",
    "poupanca": "saving_account",
    "contapoupanca": "saving_account",
    "paymentaccount": "payment_account",
    "payment": "payment_account",
    "pagamento": "payment_account",
    "contapagamento": "payment_account",
    "contadepagamento": "payment_account",
    "salaryaccount": "salary_account",
    "salary": "salary_account",
    "salario": "salary_account",
    "contasalario": "salary_account",
}
FLAGS: Final[dict[str, bool]] = {
    "true": True, "verdadeiro": True, "sim": True, "s": True, "yes": True, "y": True, "1": True, "x": True,
    "false": False, "falso": False, "nao": False, "n": False, "no": False, "0": False,
}  # fmt: skip
_MONTHS: Final = (
    ("january", "janeiro"), ("february", "fevereiro"), ("march", "marco"), ("april", "abril"), ("may", "maio"),
    ("june", "junho"), ("july", "julho"), ("august", "agosto"), ("september", "setembro"), ("october", "outubro"),
    ("november", "novembro"), ("december", "dezembro"),
)  # fmt: skip
# Folded name of a month, whole or its first three letters, in English and Portuguese -> its number.
MONTHS: Final[dict[str, int]] = {
    written: number for number, names in enumerate(_MONTHS, start=1) for name in names for written in (name, name[:3])
} | {"sept": 9}


def fold_word(text: str) -> str:
    """Reduce a word to letters and digits, without case and accents.

    >>> fold_word("Poupança"), fold_word("E-mail"), fold_word("phone_number")
    ('poupanca', 'email', 'phonenumber')
    """
    return "".join(mark for mark in unicodedata.normalize("NFKD", text.casefold()) if mark.isalnum())
