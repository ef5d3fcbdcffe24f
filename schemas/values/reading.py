"""The result of reading one value: its canonical form, or the rule it breaks; and the words for wire values."""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Generic, TypeVar

from schemas.issues import IssueCode
from schemas.wire import AccountType, PixKeyType

T = TypeVar("T")

# Blanks that spreadsheets put around a value, and the line end of another system (`_x000D_`) behind it. A line break
# within one means two values in one cell.
BLANKS: Final = " \t\r\n\u00a0\u2007\u202f"


@dataclass(frozen=True, slots=True)
class Reading(Generic[T]):
    """A value as read.

    Attributes:
        value: Canonical value; None when there is none that may be used.
        code: The rule it breaks, or the note that goes with it; None when there is nothing to say.
    """

    value: T | None
    code: IssueCode | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)


_WORDS_OF_KEY_TYPES: Final[dict[PixKeyType, str]] = {
    "cpf": "cpf",
    "cnpj": "cnpj",
    "phone_number": "phone celular cel telefone tel fone mobile cell cellphone movil telefono",
    "email": "email mail correo",
    "random_key": "random aleatoria aleatorio evp uuid",
}
_KEY_TYPES: Final = {word: key_type for key_type, words in _WORDS_OF_KEY_TYPES.items() for word in words.split()}
# Words that may stand beside these and say nothing of the type.
_BESIDE_KEY_TYPES: Final = frozenset(
    {"chave", "pix", "tipo", "de", "do", "da", "ou", "or", "numero", "number", "n", "no", "key", "clave", "address"}
)
_E_MAIL: Final = re.compile(r"\be[ -]?mail\b")
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


_MONTH_OF_YEAR: Final = re.compile(
    r"(?<!\d)(?:(?P<y>20\d\d)[-/._](?P<m>0?[1-9]|1[0-2])|(?P<m2>0?[1-9]|1[0-2])[-/._](?P<y2>20\d\d|\d\d))(?![-/._]?\d)"
)
_NAMED_MONTH: Final = re.compile(r"(?<![^\W_])([^\W\d_]{3,})(?:\.?(?: de |[-/._ ])(20\d\d|\d\d))?(?!\d)")


def months_named(text: str) -> frozenset[tuple[int | None, int]]:
    """Return the months that a text names, each with its year, or None where it names none.

    >>> sorted(months_named("cachê out/26")), sorted(months_named("10/2026")), months_named("Outubro")
    ([(2026, 10)], [(2026, 10)], frozenset({(None, 10)}))
    >>> months_named("Mensalidade"), months_named("parcela 3"), months_named("show de 12/10")
    (frozenset(), frozenset(), frozenset({(None, 10)}))
    """
    found = set[tuple[int | None, int]]()
    for match in _MONTH_OF_YEAR.finditer(text):
        year = _year(match["y"] or match["y2"])
        is_day = year <= 2000 + 12  # a day and a month, as in 12/10
        found.add((None, year - 2000) if is_day else (year, int(match["m"] or match["m2"])))
    for word, year in _NAMED_MONTH.findall(without_accents(text)):
        if word in MONTHS:
            found.add((_year(year) if year else None, MONTHS[word]))
    return frozenset(found)


def _year(written: str) -> int:
    return int(written) if len(written) == 4 else 2000 + int(written)


def key_types_of(text: str) -> frozenset[PixKeyType]:
    """Return the types of Pix keys that a text names; none, where it says anything else.

    >>> sorted(key_types_of("Chave aleatória (EVP)")), sorted(key_types_of("CPF/CNPJ")), sorted(key_types_of("Pix"))
    (['random_key'], ['cnpj', 'cpf'], [])
    """
    words = re.findall(r"[^\W_]+", _E_MAIL.sub("email", without_accents(text)))
    known = frozenset(_KEY_TYPES[word] for word in words if word in _KEY_TYPES)
    return known if all(word in _KEY_TYPES or word in _BESIDE_KEY_TYPES for word in words) else frozenset()


_NOTHING: Final = re.compile(
    r"[-\u2010-\u2015\u2212]+|n ?[/.] ?[ad]\.?|"
    r"nao (?:tem|ha|possui|informad[oa]|consta|se aplica|aplicavel|cadastrad[oa]|existe)|no tiene|"
    r"not (?:available|applicable)|"
    r"(?:nao tem|nao possui|sem) (?:pix|chave|chave pix|conta|banco|e-?mail|documento|referencia|nome artistico)"
)
_NOTHING_IN_A_WORD: Final = frozenset(
    {"sem", "na", "nd", "nao", "nenhum", "nenhuma", "nada", "ninguno", "ninguna", "none", "null", "nil", "vazio"}
)


def says_nothing(text: str, *, is_name: bool) -> bool:
    """Tell whether a text says that there is no value, as people write into cells instead of leaving them blank.

    >>> says_nothing("não tem", is_name=True), says_nothing("NA", is_name=True), says_nothing("N/D", is_name=False)
    (True, False, True)
    """
    plain = without_accents(" ".join(text.split()))
    return _NOTHING.fullmatch(plain) is not None or (not is_name and plain in _NOTHING_IN_A_WORD)


def without_accents(text: str) -> str:
    """Return a text in small letters without accents, its blanks and marks as they are.

    >>> without_accents("NÃO Possui")
    'nao possui'
    """
    plain = text.casefold()
    if plain.isascii():
        return plain
    return "".join(mark for mark in unicodedata.normalize("NFKD", plain) if not unicodedata.combining(mark))


def fold_word(text: str) -> str:
    """Reduce a word to letters and digits, without case and accents.

    >>> fold_word("Poupança"), fold_word("E-mail"), fold_word("phone_number")
    ('poupanca', 'email', 'phonenumber')
    """
    plain = text.casefold()
    return "".join(filter(str.isalnum, plain if plain.isascii() else unicodedata.normalize("NFKD", plain)))
