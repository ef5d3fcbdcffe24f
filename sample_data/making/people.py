"""Invented people and companies: names, documents with right check digits, e-mails nobody owns, places to be paid."""

import random
import unicodedata
import uuid
from collections.abc import Callable
from dataclasses import dataclass

from sample_data.making.words import FIRST_NAMES, LAST_NAMES
from schemas.values.bank_account import check_account_digit
from schemas.values.tax_id import check_digits

AREA_CODES = ("11", "21", "31", "41", "48", "51", "61", "62", "71", "81", "83", "85", "91", "92")
# COMPE code, ISPB, branch (None: any) and how many digits the account has beside its check digit.
BANKS = (
    ("001", "00000000", None, 8),
    ("341", "60701190", None, 5),
    ("237", "60746948", None, 7),
    ("260", "18236120", "0001", 9),
    ("336", "31872495", "0001", 7),
)
PIX_WORDS = {"cpf": "CPF", "cnpj": "CNPJ", "phone_number": "Celular", "email": "E-mail", "random_key": "Aleatória"}
ACCOUNT_WORDS = {
    "checking_account": "Corrente",
    "saving_account": "Poupança",
    "payment_account": "Pagamento",
    "salary_account": "Salário",
}
LETTERS_AND_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True, slots=True)
class Destination:
    """Where a payee is paid: the cells of a spreadsheet row, each as text, "" when it does not apply."""

    pix_key: str = ""
    pix_key_type: str = ""
    bank_code: str = ""
    psp_id: str = ""
    agency: str = ""
    account: str = ""
    account_type: str = ""
    account_holder: str = ""


@dataclass(frozen=True, slots=True)
class Payee:
    """A person or company; `tax_id` without its mask."""

    tax_id: str
    name: str
    email: str
    destination: Destination


def masked(tax_id: str) -> str:
    """Write a document the way people write it: 999.999.999-99 or XX.XXX.XXX/XXXX-99."""
    if len(tax_id) == 11:
        return f"{tax_id[:3]}.{tax_id[3:6]}.{tax_id[6:9]}-{tax_id[9:]}"
    return f"{tax_id[:2]}.{tax_id[2:5]}.{tax_id[5:8]}/{tax_id[8:12]}-{tax_id[12:]}"


def plain(text: str) -> str:
    """Reduce a name to lower-case ASCII letters, digits and hyphens."""
    ascii_text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return "-".join("".join(c if c.isalnum() else " " for c in ascii_text).split())


class Registry:
    """Hands out people and companies, none twice, the same ones for the same seed."""

    def __init__(self, seed: str) -> None:
        self._rng = random.Random(seed)
        self._names: set[str] = set()
        self._tax_ids: set[str] = set()

    def cpf(self) -> str:
        """Return a CPF not handed out before."""
        return self._new_tax_id(lambda: f"{self._rng.randrange(10**9):09d}")

    def cnpj(self, *, letters: bool = False) -> str:
        """Return a CNPJ not handed out before: a head office in digits, or twelve letters and digits."""
        if letters:
            return self._new_tax_id(lambda: "".join(self._rng.choices(LETTERS_AND_DIGITS, k=12)))
        return self._new_tax_id(lambda: f"{self._rng.randrange(10**8):08d}0001")

    def person(self, destination_kind: str) -> Payee:
        """Invent a person; `destination_kind` is a Pix key type of the wire, or an account type."""
        name = self._new_name()
        first, *_, last = plain(name).split("-")
        tax_id = self.cpf()
        email = f"{first}.{last}@example.com"
        return Payee(tax_id, name, email, self._destination(destination_kind, tax_id, name, email))

    def company(self, name: str, destination_kind: str, tax_id: str) -> Payee:
        """Invent a company; its e-mail lives under the reserved top-level domain .example."""
        email = f"financeiro@{plain(name.removesuffix(' Ltda'))}.example"
        return Payee(tax_id, name, email, self._destination(destination_kind, tax_id, name, email))

    def _new_name(self) -> str:
        # First and last name together are new, for the e-mail is made of them.
        while True:
            first, middle, last = self._rng.choice(FIRST_NAMES), *self._rng.sample(LAST_NAMES, 2)
            if f"{first} {last}" not in self._names:
                self._names.add(f"{first} {last}")
                return f"{first} {middle} {last}" if self._rng.random() < 0.6 else f"{first} {last}"

    def _new_tax_id(self, body_of: Callable[[], str]) -> str:
        while True:
            body = body_of()
            tax_id = body + check_digits(body)
            if len(set(tax_id)) > 1 and tax_id not in self._tax_ids:
                self._tax_ids.add(tax_id)
                return tax_id

    def _destination(self, kind: str, tax_id: str, name: str, email: str) -> Destination:
        match kind:
            case "cpf" | "cnpj":
                key = tax_id
            case "email":
                key = email
            case "phone_number":
                # Subscribers 90000-xxxx: the shape of a mobile, and unlike anybody's number.
                key = f"+55{self._rng.choice(AREA_CODES)}90000{self._rng.randrange(10**4):04d}"
            case "random_key":
                key = str(uuid.UUID(int=self._rng.getrandbits(128), version=4))
            case _:
                return self._bank_account(kind, name)
        return Destination(pix_key=key, pix_key_type=PIX_WORDS[kind])

    def _bank_account(self, kind: str, name: str) -> Destination:
        code, ispb, only_branch, length = self._rng.choice(BANKS)
        branch = only_branch or f"{self._rng.randrange(1, 10**4):04d}"
        body = f"{self._rng.randrange(10 ** (length - 1), 10**length)}"
        digit = next(d for d in "0123456789" if check_account_digit(code, branch, body + d))
        return Destination(
            bank_code=code,
            psp_id=ispb,
            agency=branch,
            account=f"{body}-{digit}",
            account_type=ACCOUNT_WORDS[kind],
            account_holder=name,
        )
