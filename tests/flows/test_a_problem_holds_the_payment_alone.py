"""A cell with a problem decides whether a payment goes, and nothing else: not what is recouped, withheld or owed.

Varied: the table, the cell, and what is written into it. Constant: one payee who moved from CPF to CNPJ, with terms of
their own, an advance, taxes and a balance carried in; the cell is put right after one run.
"""

from dataclasses import replace

import pytest

from sample_data.making.people import masked
from tests.flows.jobs import line, payee, people, share

ANA, BIA = people(2)
FIRMA = replace(ANA, tax_id="11222333000181", name="Rosana Produções Ltda")
SOURCES = [{"files": "{period}-*.xlsx", "layout": "royalties"}]
TERMS = {
    "CPF anterior": payee(ANA)["CPF"], "Recuperar de": "rendimentos", "Mínimo": "1,00", "Periodicidade": "mensal",
    "Idioma": "en", "Bloqueio": "não", "Bloqueado até": "", "Exige nota fiscal": "não",
}  # fmt: skip
TABLES = {
    "payees.xlsx": [payee(FIRMA) | TERMS, payee(BIA) | dict.fromkeys(TERMS, "")],
    "taxes.csv": [
        {"CPF": masked(who), "Imposto": kind, "Alíquota": part, "Válido de": "2026-01-01", "Natureza": "0588"}
        for who, kind, part in ((ANA.tax_id, "IRRF", "5"), (FIRMA.tax_id, "ISS", "2"))
    ],
    "advances.csv": [{"tax_id": masked(ANA.tax_id), "reference": "adv-1", "amount": "50,00", "date": "2026-01-15"}],
    "shares.xlsx": [share(ANA, "50"), share(BIA, "50")],
}
# What is wrong with a cell of the first row of a table. A share of nobody, or of another work, is money.
BROKEN = [
    ("payees.xlsx", "Chave Pix", ""), ("payees.xlsx", "Chave Pix", "não sei"), ("payees.xlsx", "Nome", ""),
    ("payees.xlsx", "Tipo da chave", "fax"), ("payees.xlsx", "Periodicidade", "quando der"),
    ("payees.xlsx", "Idioma", "klingon"), ("payees.xlsx", "Bloqueio", "talvez"), ("payees.xlsx", "Mínimo", "pouco"),
    ("payees.xlsx", "Bloqueado até", "31/02/2026"), ("payees.xlsx", "Exige nota fiscal", "talvez"),
    ("payees.xlsx", "E-mail", "ana@"), ("payees.xlsx", "Recuperar de", "tudo"), ("payees.xlsx", "CPF", "1"),
    ("payees.xlsx", "CPF", ""), ("taxes.csv", "Válido de", "ontem"), ("taxes.csv", "Imposto", ""),
    ("taxes.csv", "Alíquota", "muito"), ("advances.csv", "date", "ontem"), ("advances.csv", "amount", "tudo"),
]  # fmt: skip


@pytest.fixture
def month(label, service):
    """Run October with a balance of 30.00 each from September, of whom nobody reached a minimum."""

    def run(broken: tuple[str, str, str] | None = None, **tables):
        for name, rows in (TABLES | {f"{name}.csv": rows for name, rows in tables.items()}).items():
            first = rows[0] | ({broken[1]: broken[2]} if broken and broken[0] == name else {})
            label.write(name, [first, *rows[1:]])
        label.declare(
            period="2026-10", sources=SOURCES, payees="payees.xlsx", shares="shares.xlsx", advances="advances.csv",
            taxes="taxes.csv", rules={"recoup_from": "earned_and_carried"},
        )  # fmt: skip
        return label.run()

    label.write("payees.xlsx", [payee(ANA), payee(BIA)])
    label.write("shares.xlsx", TABLES["shares.xlsx"])
    label.write("2026-09-a.xlsx", [line("60,00", "Choro")])
    label.declare(
        period="2026-09", sources=SOURCES, payees="payees.xlsx", shares="shares.xlsx",
        rules={"minimum_payout": "500.00"},
    )  # fmt: skip
    label.run()
    label.write("2026-10-a.xlsx", [line("40,00")])
    return run


# Of 20.00 earned and 30.00 carried in, the advance takes the 20.00; 5 % and 2 % of 30.00 are withheld. Bia has 50.00.
SOUND = [2790, 5000]


def paid(service):
    return sorted(service.paid)


@pytest.mark.long
@pytest.mark.journey
def test_both_taxes_count_and_the_payees_own_terms_though_they_stand_under_the_document_before(month, service):
    report = month()
    assert paid(service) == SOUND
    assert (report.summary.totals_cents.recouped, report.summary.totals_cents.tax) == (2000, 210)


@pytest.mark.long
@pytest.mark.parametrize("broken", BROKEN, ids=" ".join)
def test_breaking_a_cell_changes_only_whether_the_payment_goes(month, service, broken):
    report = month(broken)
    assert paid(service) in ([5000], SOUND)
    cents = report.summary.totals_cents
    assert cents.recouped in {2000, 0}
    if broken[0] != "advances.csv" and broken[1] not in {"CPF", "Recuperar de"}:
        assert cents.recouped == 2000, "what may be recouped can be read"
    assert cents.tax == (210 if len(service.paid) > 1 else 0)
    month()
    assert paid(service) == SOUND, "once the cell is put right, what is owed is what it would have been"


@pytest.mark.long
@pytest.mark.parametrize(("kind", "part", "goes"), [("IRRF", "5", False), ("irrf", "3", False), ("ISS", "5", True)])
def test_two_taxes_of_one_kind_are_held_under_whatever_documents_they_stand(month, service, kind, part, goes):
    first, second = TABLES["taxes.csv"]
    report = month(taxes=[first, second | {"Imposto": kind, "Alíquota": part}])
    assert (len(service.paid) == 2) is goes
    told = [(issue.file, issue.row) for issue in report.issues if issue.code.value == "ROW_DUPLICATE"]
    assert told == ([] if goes else [("taxes.csv", 2), ("taxes.csv", 3)])
