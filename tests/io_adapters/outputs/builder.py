"""Builds reconciliations of synthetic people, whole and balanced, for the tests of the outputs."""

import pandas as pd

from schemas.issues import Issue, IssueCode, Severity
from schemas.parsing.row_accounting import RowRuns
from schemas.plan import Place
from schemas.reasons import codes_json
from schemas.reconciliation import (
    AccountCheckCounts,
    BatchSummary,
    Discrepancy,
    Reconciliation,
    RowCounts,
    Summary,
    Totals,
)
from schemas.tables.royalties import Earnings, PayeeBalances
from tests.obligations import obligation as obligation_of
from tests.written import saying


def obligation(amount_cents, place, **given):
    """Return one obligation of its columns."""
    columns = {"kind": "payment", "key": "ob-x", "base_key": "ob-x"} | given
    return obligation_of(amount_cents=amount_cents, place=place, **columns)


SAMPLE = (
    obligation(
        12_345, Place.PAID, key="ob-1", name="Ana Exemplo", tax_id="52998224725", file="pagamentos.xlsx", sheet="Out",
        row=2, pix_key="ana@exemplo.test", pix_key_type="email", submission_id="rp-1",
    ),
    obligation(
        100, Place.HELD, key="ob-2", name="Bento Exemplo", reason="CPF inválido", file="pagamentos.xlsx", sheet="Out",
        row=3, bank_code="001", agency="1234", account="99887766-5", account_type="checking_account",
    ),
    obligation(-45, Place.CARRIED, key="ob-3", kind="carried", name="Célia Exemplo"),
    obligation(50_000, Place.RECOUPED, key="ob-4", kind="recouped", name="Célia Exemplo"),
    obligation(7, Place.OWNER, key="ob-5", kind="owner", name="Selo Aurora"),
    obligation(9_900, Place.IN_DOUBT, key="ob-6", name="Davi Exemplo", submission_id="rp-0"),
)  # fmt: skip

ISSUE = Issue(
    IssueCode.TAXID_CHECK, Severity.ERROR, "pagamentos.xlsx", "Out", "B3", 3, "CPF/CNPJ", "***.456.789-**",
    saying("o dígito verificador não confere"),
    saying("um CPF ou CNPJ válido"),
)  # fmt: skip


def summary(obligations, **given):
    """Return a summary whose totals are those of the obligations."""
    totals = dict.fromkeys((place.value for place in Place), 0)
    for owed in obligations:
        totals[owed.place.value] += owed.amount_cents
    values = {
        "run": "run-1",
        "job": "aurora",
        "period": "2026-10",
        "plan_digest": "sha256:abc",
        "currency": "BRL",
        "state": "Settled",
        "exit_code": 15,
        "totals_cents": Totals(**{"in": sum(totals.values())}, **totals),
        "batches": [
            BatchSummary(
                report_id="rp-1", split_id="64f0", status="DONE", outcome="accepted", payments=1, amount_cents=12_345
            )
        ],
        "rows": RowCounts(read=5, used=2, held=1, duplicate=1, ignored=1),
        "account_checks": AccountCheckCounts(made=2, cost_cents=72, budget_cents=2_500),
        "issues": {"TAXID_CHECK": 1},
        "discrepancies": [Discrepancy(kind="amount", report_id="rp-1", message="difere", expected="1", found="2")],
    }
    return Summary(**values | given)


def reconciliation(obligations=SAMPLE, language="pt-BR", issues=(ISSUE,), **given):
    """Return a reconciliation of the obligations; the other tables are small and fixed unless given."""
    values = {
        "summary": summary(obligations),
        "payer_name": "Selo Aurora",
        "payees": frame(PayeeBalances),
        "earnings": frame(Earnings),
        "rows": pd.DataFrame(
            [
                ("pagamentos.xlsx", "Out", 2, 4, 2, "used", ""),
                ("pagamentos.xlsx", "Out", 3, 3, 1, "held", codes_json("CPF inválido")),
                ("pagamentos.xlsx", "Out", 5, 5, 1, "duplicate", codes_json("paga pela execução run-0")),
                ("pagamentos.xlsx", "Out", 6, 6, 1, "ignored", codes_json("linha em branco")),
            ],
            columns=list(RowRuns.to_schema().columns),
        ),
        "checks": pd.DataFrame(
            [("Ana Exemplo", "a***@exemplo.test", "valid", True, 36, "confere")],
            columns=["payee", "destination_masked", "result", "made", "cost_cents", "message"],
        ),
        "decisions": ("pagamentos.xlsx: cabeçalho na linha 1",),
    }
    return Reconciliation(language=language, obligations=tuple(obligations), issues=tuple(issues), **values | given)


def frame(model, *rows):
    """Return a table of a model, validated; empty when there are no rows."""
    columns = list(model.to_schema().columns)
    if not rows:
        return model.to_schema().coerce_dtype(pd.DataFrame(columns=columns))
    return model.validate(pd.DataFrame([list(row) for row in rows], columns=columns))
