"""Every mistake of the broken spreadsheet: a sound payment, what is changed in it, and what must be said of it."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from sample_data.making.payments import HEADERS, Payment
from sample_data.making.people import Payee, Registry, masked
from sample_data.making.workbooks import CellError, Formula, Value
from schemas.issues import IssueCode as Code
from schemas.values.tax_id import check_digits


@dataclass(frozen=True, slots=True)
class Row:
    """One row: a sound payment, what is changed in it, and what must be said of which column (None: of the row)."""

    payment: Payment
    changes: Mapping[str, Value] = field(default_factory=dict)
    errors: tuple[tuple[str | None, Code], ...] = ()

    def cells(self) -> list[Value]:
        """Return the row as the sheet's cells."""
        sound = dict(zip(HEADERS, self.payment.cells(), strict=True))
        return list((sound | dict(self.changes)).values())


class _Bench:
    """Makes rows that differ from a sound payment in one thing."""

    def __init__(self) -> None:
        self.registry = Registry("aurora-broken")
        self._amount_cents = 10_000

    def payment(self, kind: str = "email") -> Payment:
        self._amount_cents += 1_111
        return Payment(self.registry.person(kind), self._amount_cents)

    def company(self, name: str, kind: str = "email") -> Payment:
        self._amount_cents += 1_111
        return Payment(self.registry.company(name, kind, self.registry.cnpj()), self._amount_cents)

    def good(self, changes: Mapping[str, Value] | None = None, kind: str = "email") -> Row:
        return Row(self.payment(kind), changes or {})

    def bad(self, column: str, value: Value, code: Code, kind: str = "email") -> Row:
        return Row(self.payment(kind), {column: value}, ((column, code),))


def invent_rows() -> list[Row | None]:
    """Invent the sheet's rows, good ones among the bad; None is a blank row."""
    bench = _Bench()
    return [
        bench.good(kind="cpf"),
        *_documents(bench),
        bench.good({"Valor": "R$ 1.234,56"}),
        *_amounts(bench),
        None,  # a blank row between data is nobody's mistake
        *_pix_keys(bench),
        bench.good(kind="checking_account"),
        *_destinations(bench),
        *_bank_accounts(bench),
        *_texts(bench),
        *_duplicates(bench),
        bench.good({"Adiantamento": "não", "Reter": ""}, kind="random_key"),
    ]


def _documents(bench: _Bench) -> list[Row]:
    one_digit_off = bench.payment()
    tax_id = one_digit_off.payee.tax_id
    wrong = tax_id[:-1] + str((int(tax_id[-1]) + 1) % 10)
    zero_lost = "093808260"
    blanks = bench.payment()
    company = bench.company("Bambuzal Discos Ltda")
    return [
        Row(one_digit_off, {"CPF/CNPJ": masked(wrong)}, (("CPF/CNPJ", Code.TAXID_CHECK),)),
        bench.bad("CPF/CNPJ", "111.111.111-11", Code.TAXID_CHECK),
        bench.bad("CPF/CNPJ", int(zero_lost + check_digits(zero_lost)), Code.TAXID_LENGTH),
        Row(blanks, {"CPF/CNPJ": _spaced(blanks.payee)}, (("CPF/CNPJ", Code.TAXID_FORMAT),)),
        Row(company, {"CPF/CNPJ": masked(company.payee.tax_id)[:-1] + "X"}, (("CPF/CNPJ", Code.TAXID_FORMAT),)),
    ]


def _spaced(payee: Payee) -> str:
    return " ".join((payee.tax_id[:3], payee.tax_id[3:6], payee.tax_id[6:9], payee.tax_id[9:]))


def _amounts(bench: _Bench) -> list[Row]:
    mistakes: list[tuple[Value, Code]] = [
        ("mil e duzentos", Code.AMOUNT_FORMAT),
        ("1_000", Code.AMOUNT_FORMAT),
        (True, Code.AMOUNT_TYPE),
        (dt.date(2026, 10, 5), Code.AMOUNT_TYPE),
        (Decimal("10.005"), Code.AMOUNT_DECIMALS),
        ("33,333333", Code.AMOUNT_DECIMALS),
        (0, Code.AMOUNT_NOT_POSITIVE),
        (-10, Code.AMOUNT_NOT_POSITIVE),
        ("(10,00)", Code.AMOUNT_NOT_POSITIVE),
        ("US$ 50,00", Code.AMOUNT_CURRENCY),
        ("", Code.CELL_REQUIRED),
        (CellError("#REF!"), Code.CELL_ERROR),
        (Formula("=E2*2"), Code.FORMULA_NO_VALUE),
    ]
    return [bench.bad("Valor", value, code) for value, code in mistakes]


def _pix_keys(bench: _Bench) -> list[Row]:
    stranger = bench.registry.cpf()
    company = bench.company("Quilombo Sonoro Ltda", "cnpj")
    other_company = bench.registry.cnpj()
    # Eleven digits that are a CPF of right check digits and a mobile without its +55 alike.
    both = "119000042" + check_digits("119000042")
    return [
        bench.bad("Tipo da chave", "", Code.PIX_TYPE_PROPOSED),
        bench.bad("Tipo da chave", "Chave fixa", Code.PIX_TYPE_UNKNOWN),
        bench.bad("Chave Pix", "123.456.789-00", Code.PIX_CPF, "cpf"),
        bench.bad("Chave Pix", masked(stranger), Code.PIX_OWNER, "cpf"),
        Row(company, {"Chave Pix": other_company[:-2] + "99"}, (("Chave Pix", Code.PIX_CNPJ),)),
        bench.bad("Chave Pix", "+551133334444", Code.PIX_PHONE, "phone_number"),
        bench.bad("Chave Pix", both, Code.PIX_AMBIGUOUS, "phone_number"),
        bench.bad("Chave Pix", "lua serrana@example.com", Code.PIX_EMAIL),
        bench.bad("Chave Pix", "0f8fad5bd9cb469fa16570867728950e", Code.PIX_EVP, "random_key"),
        bench.bad("Chave Pix", "", Code.PIX_KEY_REQUIRED),
    ]


def _destinations(bench: _Bench) -> list[Row]:
    nowhere, twice = bench.payment(), bench.payment("checking_account")
    return [
        Row(nowhere, {"Chave Pix": "", "Tipo da chave": ""}, ((None, Code.DESTINATION_MISSING),)),
        Row(
            twice,
            {"Chave Pix": twice.payee.email, "Tipo da chave": "E-mail"},
            ((None, Code.DESTINATION_CONFLICT),),
        ),
    ]


def _bank_accounts(bench: _Bench) -> list[Row]:
    mistakes: list[tuple[str, Value, Code]] = [
        ("Agência", "", Code.BANK_FIELD_REQUIRED),
        ("Banco", "", Code.BANK_FIELD_REQUIRED),
        ("Banco", "Banco da Esquina", Code.BANK_CODE),
        ("ISPB", "123456789", Code.BANK_PSP),
        ("Agência", dt.date(2026, 1, 5), Code.AGENCY_FORMAT),
        ("Conta", "12345/67", Code.ACCOUNT_FORMAT),
        ("Conta", "1,23E+10", Code.ACCOUNT_PRECISION),
        ("Conta", 12345678901234567, Code.ACCOUNT_PRECISION),
        ("Tipo de conta", "Conjunta", Code.ACCOUNT_TYPE),
    ]
    return [bench.bad(column, value, code, "checking_account") for column, value, code in mistakes]


def _texts(bench: _Bench) -> list[Row]:
    several = bench.payment()
    return [
        bench.bad("E-mail", "financeiro@@example.com", Code.EMAIL_FORMAT, "random_key"),
        bench.bad("Nome", "", Code.NAME_REQUIRED),
        bench.bad("Nome", "Ana\u202eSerrana", Code.NAME_CONTROL),
        bench.bad("Nome", '=HYPERLINK("http://aurora.example","Ana")', Code.NAME_FORMULA),
        bench.bad("Nome", "M", Code.NAME_LENGTH),
        bench.bad("Reter", "talvez", Code.BOOL_FORMAT),
        Row(
            several,
            {"CPF/CNPJ": "000.000.000-00", "E-mail": "sem arroba", "Valor": -1, "Adiantamento": "quase"},
            (
                ("CPF/CNPJ", Code.TAXID_CHECK),
                ("E-mail", Code.EMAIL_FORMAT),
                ("Valor", Code.AMOUNT_NOT_POSITIVE),
                ("Adiantamento", Code.BOOL_FORMAT),
            ),
        ),
    ]


def _duplicates(bench: _Bench) -> list[Row]:
    once = bench.payment("phone_number")
    again = Payment(once.payee, once.amount_cents + 500)
    referenced = bench.payment("random_key")
    return [
        Row(once, errors=((None, Code.ROW_DUPLICATE),)),
        Row(again, errors=((None, Code.ROW_DUPLICATE),)),
        Row(referenced, {"Referência": "ensaio"}),
        Row(Payment(referenced.payee, 45_000), {"Referência": "gravação"}),
    ]
