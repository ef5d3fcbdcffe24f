"""plan.xlsx: what a person who is to approve a plan finds in it."""

import datetime as dt
import io
from decimal import Decimal

import pytest
from openpyxl import load_workbook
from python_calamine import CalamineWorkbook

from io_adapters.outputs.plan_grids import plan_xlsx, write_plan_workbook
from schemas.issues import IssueCode
from schemas.messages import catalogue_in, render
from schemas.plan import BatchPayment, ExchangeTerms, PaymentBatch, PaymentPlan, Place
from schemas.plan_view import (
    Against,
    BatchLine,
    Change,
    ChangeKind,
    ChecksView,
    Notice,
    NotPaid,
    PayeeNotice,
    PlanChanges,
    PlanRow,
    PlanView,
    RateChange,
)
from schemas.reasons import Reason, because, reasons_message, reasons_of
from schemas.reconciliation import RowCounts, Totals

ANA, MASKED = "52998224725", "***.982.247-**"
ON = dt.datetime(2026, 9, 30, 12, tzinfo=dt.UTC)
PAID = BatchPayment("ob-1", "ob-1", "", "payment", ANA, 100_000, "fingerprint", withheld=False)
PLAN = PaymentPlan("aurora", "12ABC34501DE35", "2026-10", "BRL", (PaymentBatch(1, b"{}", (PAID,), 0, 100_000),))


def row(name, cents, place=Place.PLANNED, codes="", notices=(), **given):
    """One obligation of a plan."""
    values = {"tax_id_masked": MASKED, "kind": "payment", "reference": "", "file": "a.xlsx", "sheet": "Out"}
    return PlanRow(
        name=name, amount_cents=cents, place=place, reasons=reasons_of(codes), row=2, notices=notices, **values | given
    )


NOTICES = (
    PayeeNotice(Notice.TIMES_100, MASKED, "Ana Exemplo", 100_000, 1_000, 3, ON),
    PayeeNotice(Notice.DESTINATION, MASKED, "Ana Exemplo", 100_000, last_paid_at=ON),
    PayeeNotice(Notice.DISAPPEARED, MASKED, "Bia Exemplo", 0, 2_500),
)
CHANGES = PlanChanges(
    Against.LAST_PLAN, "run-1", ON, "2026-10", 3_500, 100_000,
    (
        Change(ChangeKind.AMOUNT, MASKED, "Ana Exemplo", "", 1_000, 100_000),
        Change(ChangeKind.REMOVED, MASKED, "Bia Exemplo", "x", 2_500, 0, Place.HELD, because("TAXID_CHECK")),
    ),
    (RateChange("USD", "5.4", "5.5"),), 2,
)  # fmt: skip


def view(**given):
    """A plan of one payment, with everything there is to tell of it."""
    values = {
        "language": "pt-BR",
        "digest": PLAN.digest,
        "job": "aurora",
        "period": "2026-10",
        "currency": "BRL",
        "payer_name": "Selo Aurora",
        "exchange": None,
        "total_cents": 100_000,
        "batches": (BatchLine(1, 1, 100_000, 0),),
        "totals": Totals(**{"in": 100_500, "planned": 100_000, "held": 500}),
        "rows": RowCounts(read=2, used=1, held=1),
        "payees": 1,
        "planned": (row("Ana Exemplo", 100_000, notices=(Notice.TIMES_100, Notice.DESTINATION)),),
        "others": (row("=Bia", 500, Place.HELD, "TAXID_CHECK,NAME_REQUIRED"),),
        "not_paid": (NotPaid(Place.HELD, reasons_of("TAXID_CHECK,NAME_REQUIRED"), 1, 500),),
        "checks": ChecksView(3, 36, 100),
        "notices": NOTICES,
        "first_ever": False,
        "changes": CHANGES,
    }
    return PlanView(**values | given)


def sheets_of(given):
    book = CalamineWorkbook.from_filelike(io.BytesIO(plan_xlsx(given)))
    return {name: book.get_sheet_by_name(name).to_python() for name in book.sheet_names}


def facts(sheet):
    """The first sheet as label -> what stands beside it."""
    return {line[0]: line[1] for line in sheet if line and line[0] != ""}


def table(sheet):
    """A sheet as rows by header."""
    return [dict(zip(sheet[0], line, strict=True)) for line in sheet[1:]]


@pytest.mark.parametrize(
    ("language", "names"),
    [
        ("pt-BR", ["Plano", "Conferir antes", "Mudanças", "Não pagos", "A pagar"]),
        ("en", ["Plan", "Look first", "Changes", "Not paid", "To be paid"]),
    ],
)
def test_the_sheets_are_named_in_the_language_of_the_job(language, names):
    assert list(sheets_of(view(language=language))) == names


def test_without_anybody_to_look_at_and_without_changes_there_are_no_such_sheets():
    quiet = view(notices=(), changes=PlanChanges(Against.NOTHING))
    assert list(sheets_of(quiet)) == ["Plano", "Não pagos", "A pagar"]
    assert "Primeiro plano deste job: não há com que comparar" in facts(sheets_of(quiet)["Plano"])


def test_the_first_sheet_tells_total_plan_and_how_many_to_look_at():
    told = facts(sheets_of(view())["Plano"])
    assert told["Total dos relatórios"] == pytest.approx(1000.00)
    assert told["Plano"] == PLAN.digest
    assert (
        told["Cem vezes o valor anterior"]
        == told["Destino mudou"]
        == told["Pago no último período, ausente agora"]
        == 1
    )
    assert "Nunca pago antes" not in told
    assert told["Entrou"] == pytest.approx(1005.00)
    assert {"Câmbio USD: 5.4 → 5.5", "2 participações mudaram"} < told.keys()


def test_the_cost_of_checks_is_told_with_what_the_budget_does_not_reach():
    told = facts(sheets_of(view())["Plano"])
    assert (told["Contas"], told["Custo máximo"], told["Orçamento"], told["Sobra do orçamento"]) == (3, 1.08, 1.0, 0)
    short = "o orçamento não alcança 1 conta, cujos pagamentos ficariam retidos"
    assert short in told
    assert short not in facts(sheets_of(view(checks=ChecksView(2, 36, 100)))["Plano"])


def test_the_rule_for_much_above_is_told_with_its_figures():
    much = view(notices=(PayeeNotice(Notice.MUCH_ABOVE, MASKED, "Ana Exemplo", 100_000, 1_000, 3, ON),))
    words = repr(sheets_of(much)["Plano"])
    assert "Ao menos 3 vezes a mediana dos últimos valores (até 12), e ao menos 100,00 acima dela." in words


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"digest": None}, "ainda provisório: há contas a verificar"),
        ({"digest": None, "stopped": True}, "nenhum: há linhas com problemas, e o job não envia nada assim"),
        ({"digest": None, "batches": ()}, "nada a pagar"),
    ],
)
def test_a_plan_without_a_name_says_why(given, words):
    assert facts(sheets_of(view(**given))["Plano"])["Plano"] == words


def test_the_rate_of_foreign_reports_is_told():
    terms = ExchangeTerms("USD", Decimal("5.4312"), None, show_exchange_data=True)
    assert (
        facts(sheets_of(view(currency="USD", exchange=terms))["Plano"])["Câmbio dos relatórios"] == "1 USD = BRL 5.4312"
    )


def test_whom_to_look_at_is_told_with_the_figures_it_rests_on():
    slip, moved, gone = table(sheets_of(view())["Conferir antes"])
    assert (slip["Motivo"], slip["Favorecido"], slip["CPF/CNPJ"]) == (
        "Cem vezes o valor anterior", "Ana Exemplo", MASKED,
    )  # fmt: skip
    assert (slip["Antes"], slip["Agora"], slip["Diferença"], slip["Vezes"]) == (10.0, 1000.0, 990.0, 100.0)
    assert slip["Antes é"] == "um valor anterior"
    assert (moved["Antes"], moved["Antes é"]) == ("", "destino nunca usado; pago em outro até 30/09/2026")
    assert (gone["Agora"], gone["Diferença"], gone["Antes é"]) == (0, -25.0, "último período")


def test_changes_are_told_by_how_much_and_where_the_money_is():
    grown, removed = table(sheets_of(view())["Mudanças"])
    assert (grown["Mudança"], grown["Diferença"]) == ("Valor mudou", 990.0)
    assert (removed["Mudança"], removed["Diferença"]) == ("Retirado", -25.0)
    assert removed["Onde está"].startswith("agora retido: ")


def test_what_is_not_paid_is_told_row_by_row_in_words():
    (held,) = table(sheets_of(view())["Não pagos"])
    assert (held["Valor"], held["Arquivo"], held["Planilha"], held["Linha"]) == (5.0, "a.xlsx", "Out", 2)
    assert held["Motivo"] == render(reasons_message(reasons_of("TAXID_CHECK,NAME_REQUIRED")), "pt-BR")
    assert ";" in held["Motivo"]


def test_nothing_a_stranger_could_use_is_in_it():
    everything = repr(sheets_of(view()))
    assert not any(secret in everything for secret in (ANA, "fingerprint"))


def test_a_name_that_looks_like_a_formula_stays_a_name():
    sheet = load_workbook(io.BytesIO(plan_xlsx(view())))["Não pagos"]
    cell = next(cell for cell in sheet[2] if cell.value == "=Bia")
    assert cell.data_type == "s"


def test_the_same_plan_gives_the_same_bytes(tmp_path):
    path = write_plan_workbook(view(), (), tmp_path / "plan" / "plan.xlsx")
    assert path.read_bytes() == plan_xlsx(view())


@pytest.mark.parametrize("language", ["pt-BR", "en"])
@pytest.mark.parametrize("code", list(IssueCode))
def test_every_rule_has_words_that_need_no_facts(language, code):
    words = render(reasons_message(because(code.value)), language)
    assert words != code.value
    assert "{" not in words


@pytest.mark.parametrize(
    ("reasons", "words"),
    [
        ((), ""),
        (because("below_minimum"), "below the minimum, or negative"),
        (because("claimed_by", submission="rp-1"), "is in submission rp-1 already"),
        (
            because("otherwise_than", submission="rp-1"),
            "another amount or destination than in submission rp-1",
        ),
        (because("decided", decision="paid", by="Bia"), "paid, decided by Bia"),
        ((Reason("submission", {"said": "somebody's own words"}),), "somebody's own words"),
        (because("as a_b.xlsx says"), "as a_b.xlsx says"),
    ],
)
def test_reasons_are_said_in_words(reasons, words):
    assert render(reasons_message(reasons), "en") == words


@pytest.mark.parametrize("family", [Notice, ChangeKind])
def test_every_notice_and_change_has_words(family):
    prefix = {Notice: "notice", ChangeKind: "change"}[family]
    assert all(f"output.{prefix}.{one}" in catalogue_in("en") for one in family)
