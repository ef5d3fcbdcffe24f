"""Whoever writes what a held column's problem says is rid of it, and pays nobody more than the column itself does.

Constant here: one column more than the table has, in a sheet of two rows. What varies: the column, its words, both
languages, which of the texts stand where, and whether the person obeys the first or the second thing that is offered.
"""

import re
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from schemas.messages import render
from tests.schemas.sheets import PIX_PAYEE, codes, parse

ROWS = (
    PIX_PAYEE | {"amount": "100,00"},
    PIX_PAYEE | {"tax_id": "11144477735", "name": "Ana Lima", "pix_key": "ana@example.com", "amount": "40,00"},
)
NOTHING = Decimal(0)
AS_IT_IS = {"": lambda cents: cents}


def all_or_nothing(paid: str, unpaid: str):
    """Texts with which a row is paid, and with which it is not."""
    whole = {text: lambda amount: amount for text in paid.split("|")}
    return whole | {text: lambda _: NOTHING for text in unpaid.split("|")}


# What the columns say of an amount, read as they are written.
PAYMENTS = {
    ("Status", "Situação", "STATUS PGTO"): all_or_nothing("Pendente|Aprovado|em aberto", "Pago|Cancelado|em análise"),
    ("Pago?", "Quitado"): all_or_nothing("não|n", "sim|s|x"),
    ("Aprovado", "Liberado", "Pagar"): all_or_nothing("sim|s|x", "não|n"),
    ("Forma de pagamento", "Payment method"): all_or_nothing("Pix|TED", "dinheiro|cheque|boleto"),
    ("Empresa pagadora", "Payer"): all_or_nothing("Selo Aurora", "Selo B|Outra"),
    ("Vencimento", "Due date"): dict.fromkeys(("10/03/2027", "2026-12-01"), lambda amount: amount),
    ("Desconto", "IRRF", "Taxa"): AS_IT_IS
    | {"5,00": lambda amount: amount - 5, "12,50": lambda amount: amount - Decimal("12.5")},
    ("Teto", "Limite"): AS_IT_IS
    | {"30,00": lambda amount: min(amount, Decimal(30)), "8,00": lambda amount: min(amount, Decimal(8))},
    ("Rateio", "Parte"): {"30%": lambda amount: amount * Decimal("0.3"), "50%": lambda amount: amount * Decimal("0.5")},
    ("Parcela",): {"1/2": lambda amount: amount / 2, "1/4": lambda amount: amount / 4},
    ("",): AS_IT_IS | {"algo": lambda amount: amount},
}
CASES = [(header, texts) for headers, texts in PAYMENTS.items() for header in headers]
LITERAL = re.compile(r"`(columns: [^`]+)`")


def paid(parsed) -> dict[str, Decimal]:
    """What each payee is paid."""
    return {row.tax_id: Decimal(row.amount_cents) / 100 for row in parsed.frame.itertuples()}


@given(st.sampled_from(CASES), st.sampled_from(["en", "pt-BR"]), st.sampled_from([0, 1]), st.data())
def test_obeying_what_is_told_of_a_column_of_payments_ends_it_and_pays_nobody_more(case, language, choice, data):
    header, says = case
    texts = [data.draw(st.sampled_from(sorted(says))) for _ in ROWS]
    rows = [row | {header: text} for row, text in zip(ROWS, texts, strict=True)]
    literal = {
        row["tax_id"]: says[text](Decimal(row["amount"].replace(",", ".")))
        for row, text in zip(ROWS, texts, strict=True)
    }
    parsed = parse("payments", *rows)
    held = [issue for issue in parsed.issues if issue.code == "COLUMN_CONDITION"]
    if not held:
        return
    (issue,) = held
    obeyed = obey(render(issue.accepts, language), header, rows, literal, choice)
    assert not {"COLUMN_CONDITION", "COLUMN_CLAUSE"} & set(codes(obeyed))
    for payee, amount in paid(obeyed).items():
        assert amount <= literal[payee], (render(issue.accepts, language), texts)


def obey(told, header, rows, literal, choice):
    """Write what is told into the job, or into the sheet."""
    offered = [YAML(typ="safe").load(written) for written in LITERAL.findall(told)]
    if not offered:  # the amounts of the rows themselves, and the column is taken out
        plain = [{name: text for name, text in row.items() if name != header} for row in rows]
        return parse("payments", *(row | {"amount": f"{literal[row['tax_id']]:.2f}"} for row in plain))
    ((name, said),) = offered[min(choice, len(offered) - 1)]["columns"].items()
    if said == {"only": ["..."]}:  # a person fills in the rows that are to be paid
        said = {"only": [row[header] for row in rows if literal[row["tax_id"]] and row[header]] or ["-"]}
    return parse("payments", *rows, columns={name: said})


SHARES = (
    {"isrc": "BRABC2600001", "tax_id": "52998224725", "share": "50%"},
    {"isrc": "BRABC2600002", "tax_id": "11144477735", "share": "20%"},
)


# Which of our columns a clause is, where its header says so.
TERMS = {"Mercado": "territory", "Mídia": "format", "Teto": "cap"}


@pytest.mark.parametrize("language", ["en", "pt-BR"])
@pytest.mark.parametrize(
    ("header", "texts"),
    [
        ("Mercado", ["BR", ""]), ("Mercado", ["BR", "US"]), ("Mídia", ["", "Spotify"]),
        ("Teto", ["100,00", ""]), ("Comissão", ["20%", "10%"]), ("Moeda", ["", "USD"]), ("Taxa", ["5,00", ""]),
        ("Vencimento", ["2026-12-31", ""]),
    ],
)  # fmt: skip
def test_obeying_what_is_told_of_a_clause_of_a_deal_ends_it_and_shares_out_no_more(header, texts, language):
    rows = [row | {header: text} for row, text in zip(SHARES, texts, strict=True)]
    (issue,) = [issue for issue in parse("shares", *rows).issues if issue.code == "COLUMN_CONDITION"]
    offered = LITERAL.search(render(issue.accepts, language))
    assert bool(offered) is (header in TERMS), "no other answer of the job keeps to the clause"
    if offered:
        answer = YAML(typ="safe").load(offered[1].replace("columns:", "", 1))
        assert answer == {header: TERMS[header]}
        obeyed = parse("shares", *rows, columns=answer)
        assert set(codes(obeyed)) == set()
        stated = {row["tax_id"]: str(int(row["share"].rstrip("%")) * 10_000) for row in rows}
        assert dict(zip(obeyed.frame["tax_id"], obeyed.frame["share_ppm"], strict=True)) == stated
        bounded = dict(zip(obeyed.frame["tax_id"], obeyed.frame[TERMS[header]] != "", strict=True))
        assert bounded == {row["tax_id"]: bool(row[header]) for row in rows}, "who was bounded still is"
    left = [{name: text for name, text in row.items() if name != header} for row in rows if not row[header]]
    obeyed = parse("shares", *left) if left else None
    assert obeyed is None or set(codes(obeyed)) == set()
    for row in rows if obeyed is not None else ():
        found = sum(map(int, obeyed.frame[obeyed.frame["tax_id"] == row["tax_id"]]["share_ppm"]))
        assert found <= (0 if row[header] else int(row["share"].rstrip("%")) * 10_000)
