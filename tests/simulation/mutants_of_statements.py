"""Mutants of how money is known again: statements in another edition, payees and rows that are gone, old answers."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Final

from flows.launch import start_payout
from flows.reports.rules.judge_report import judge_report
from flows.run_options import RunOptions
from io_adapters.ledger.ledger import open_ledger
from io_adapters.payout_api.outcome import PostAnswer, doubt_stale
from schemas.errors import ConfigurationError
from schemas.messages import Message
from schemas.submission import Outcome, SubmissionState
from schemas.wire import SplitReport
from tests.flows.jobs import Row, declare, payee, payment, people, share, write_sheet
from tests.simulation.editing_office import opened_office
from tests.simulation.editions import ADDED_UP, OTHERWISE, Line, cents, comma, each, month_of, number
from tests.simulation.mutants import Change, Mutant, Question
from tests.simulation.office import Office, Silence
from tests.simulation.provider import Provider, cents_of
from tests.spec.reports import report as told_by_service
from tests.spec.reports import submission as sent_to_service

(ANA, BIA) = people(2)
USED, EDITIONS = "flows.intake.rules.used_before", "flows.intake.rules.editions"
MONTH: Final = month_of(9)
NEXT: Final = month_of(10)
Files = dict[str, Sequence[Row]]


def runs(*steps: tuple[Files, dict[str, Any]], owed: Decimal) -> Question:
    """Write files and run a job, step after step with the flag; nobody may get more than is owed in all."""

    def ask(folder: Path, _: Office) -> tuple[str, ...]:
        with opened_office(Path(mkdtemp(prefix="mutant-", dir=folder.parent))) as office:
            for files, changes in steps:
                _run(office.folder, files, changes)
            return _beyond(office.provider, owed)

    return ask


def _run(folder: Path, files: Files, changes: dict[str, Any]) -> None:
    tables: Files = {"payees.csv": [payee(ANA)], "shares.csv": [share(ANA, "100")]}
    for name, rows in (tables | files).items():
        write_sheet(folder / name, rows)
    usual: dict[str, Any] = {
        "period": "2026-09",
        "sources": [{"files": "{period}*.csv", "layout": "royalties"}],
        "payees": "payees.csv",
        "shares": "shares.csv",
        "settle": {"every_s": "0.1", "for_s": "0"},
        "outputs": {"folder": "out", "formats": ["json"], "statements": False},
    }
    job = declare(folder / "job.yaml", **{k: v for k, v in (usual | changes).items() if v is not None})
    start_payout(job, RunOptions(yes=True, by="ana"), progress=Silence(), watched=False)


def _beyond(provider: Provider, owed: Decimal) -> tuple[str, ...]:
    sent = sum(cents_of(entry["finalAmount"]) for entry in provider.entries())
    if not sent:
        return ("nobody is paid at all",)
    return (f"DOUBLE: {sent} centavos were sent, and {owed} are owed",) if sent > owed + 100 else ()


def beside(second: Sequence[Line], first: Sequence[Line] = MONTH) -> Question:
    """Two statements of one month."""
    return runs(({"2026-09-a.csv": first, "2026-09-b.csv": second}, {}), owed=cents(first))


def cumulative(*names: str) -> Question:
    """A month, and with the next one the same again, in other words."""
    again = list(MONTH)
    for name in names:
        again = OTHERWISE[name](again)
    whole = [{name: line.get(name, "") for name in again[0]} for line in (*again, *NEXT)]
    october = {"period": "2026-10"}
    return runs(({"2026-09.csv": MONTH}, {}), ({"2026-10.csv": whole}, october), owed=cents(MONTH) + cents(NEXT))


def few_and_heavy() -> Question:
    """Three of sixty lines come again, and they are nearly all of the money."""
    heavy = [{"Título": f"Sucesso {n}", "Valor": f"{n}000,00", "Moeda": "BRL"} for n in (1, 2, 3)]
    light = [{"Título": f"Faixa {n}", "Valor": "0,01", "Moeda": "BRL"} for n in range(120)]
    first, second = [*heavy, *light[:60]], [*heavy, *light[60:]]
    steps = ({"2026-09.csv": first}, {}), ({"2026-10.csv": second}, {"period": "2026-10"})
    return runs(*steps, owed=cents(heavy) + cents(light))


def another_document() -> Question:
    """Ana's document is corrected in payees and shares, and her account stays."""
    new = replace(ANA, tax_id="11222333000181", name="Outra Grafia Ltda", email="outra@example.com")
    tables = {"payees.csv": [payee(new)], "shares.csv": [share(new, "100")]}
    files = {"2026-09.csv": MONTH}
    return runs((files, {}), (files | tables, {}), owed=cents(MONTH))


def paid_outside_and_taken_out() -> Question:
    """What was paid outside leaves the opening balances."""
    usual = {"payees": None, "shares": None, "sources": [{"files": "list.csv", "layout": "payments"}]}
    rows = {"list.csv": [payment(ANA, "10,00", "show"), payment(BIA, "20,00", "show")]}
    opening = [{"CPF": payee(ANA)["CPF"], "Tipo": "pago", "Período": "2026-09", "Valor": "10,00", "Referência": "show"}]
    first = usual | {"opening": "abertura.csv"}
    return runs((rows | {"abertura.csv": opening}, first), (rows, usual), owed=Decimal(2000))


def a_list_within_a_list() -> Question:
    """A list stands in a sheet twice, under running numbers."""
    usual = {"payees": None, "shares": None, "sources": [{"files": "list.csv", "layout": "payments"}]}
    once = [payment(ANA, "10,00"), payment(BIA, "20,00")]
    rows = [row | {"Referência": str(n)} for n, row in enumerate(once * 2, start=1)]

    def ask(folder: Path, _: Office) -> tuple[str, ...]:
        with opened_office(Path(mkdtemp(prefix="mutant-", dir=folder.parent))) as office:
            _run(office.folder, {"list.csv": rows}, usual)
            return ("DOUBLE: a list within a list was paid",) if office.provider.entries() else ()

    return ask


def an_old_report(_: Path, __: Office) -> tuple[str, ...]:
    """A cache answers with a report of last month, without a name."""
    old = SplitReport.model_validate({"_id": "a", "splitDate": "2026-01-01T00:00:00Z", "status": "PENDING"})
    answer = PostAnswer(Outcome.ACCEPTED, 200, b"", Message("answer.http", status=200), old)
    stands = doubt_stale(answer, "rp-1", dt.datetime(2026, 2, 1, tzinfo=dt.UTC))
    return () if stands.outcome is Outcome.IN_DOUBT else ("an old report is taken for the answer",)


def a_pix_that_came_back(_: Path, __: Office) -> tuple[str, ...]:
    """A report was paid, and fails with nothing paid."""
    paid = sent_to_service(state=SubmissionState.PAID, status="DONE")
    judged = judge_report(paid, told_by_service(status="ERROR", donePayments=0, paidAmount="0.00"))
    return () if judged.state is SubmissionState.PARTIAL else ("money that came back is told as paid",)


def a_clock_that_is_behind(folder: Path, _: Office) -> tuple[str, ...]:
    """The clock goes back a week after something was written."""
    file, today = folder.with_suffix(".clock.db"), dt.datetime(2026, 2, 8, tzinfo=dt.UTC)
    file.unlink(missing_ok=True)
    with open_ledger(f"sqlite:///{file}", clock=lambda: today) as ledger:
        ledger.runs.begin("run-1", "aurora", "2026-01", "payout", "ana", "job.yaml")
    with open_ledger(f"sqlite:///{file}", clock=lambda: today - dt.timedelta(days=7)) as ledger:
        try:
            ledger.runs.require_clock()
        except ConfigurationError:
            return ()
    return ("what had expired counts again",)


def net_of(rows: Sequence[Line]) -> list[Line]:
    """The same statement less a commission."""
    return each(Valor=lambda row: comma(round(number(row["Valor"]) * Decimal("0.85"), 7)))(rows)


def fed_as_a_list() -> Question:
    """What a month of royalties came to stands in a list of payments under another job."""
    amount = comma(round(cents(MONTH) / 100, 2))
    usual = {"job": "lista", "payees": None, "shares": None, "sources": [{"files": "list.csv", "layout": "payments"}]}
    return runs(({"2026-09.csv": MONTH}, {}), ({"list.csv": [payment(ANA, amount)]}, usual), owed=cents(MONTH))


def respelt_advance() -> Question:
    """An advance that one month recouped comes in the next under another spelling."""

    def advance(reference: str) -> list[Row]:
        return [{"CPF": payee(ANA)["CPF"], "Referência": reference, "Valor": "500,00", "Data": "2026-01-05"}]

    first = {"advances": "advances.csv"}
    october = first | {"period": "2026-10"}
    steps = (
        ({"2026-09.csv": MONTH, "advances.csv": advance("adiantamento 1")}, first),
        ({"2026-10.csv": NEXT, "advances.csv": advance("adiantamento-1")}, october),
    )
    held = cents(MONTH) - 50_000

    def ask(folder: Path, _: Office) -> tuple[str, ...]:
        with opened_office(Path(mkdtemp(prefix="mutant-", dir=folder.parent))) as office:
            for files, changes in steps:
                _run(office.folder, files, changes)
            sent = sum(cents_of(entry["finalAmount"]) for entry in office.provider.entries())
        return ("recouped twice",) if sent > held + 100 else ()

    return ask


NO_EDITIONS: Final = Change(f"{USED}:_find_shared", "editions.get(file.name, {})", "dict()")

KNOWN_AGAIN: Final = (
    Mutant(
        "lines in other words are other lines",
        "DOUBLE",
        cumulative("titles corrected", "without months"),
        NO_EDITIONS,
    ),
    Mutant(
        "equal totals are chance",
        "DOUBLE",
        beside(ADDED_UP["as one sum"](MONTH)),
        Change(f"{EDITIONS}:_compare", "query(_FOUND", 'query(_FOUND.replace("tight = 1", "false")'),
    ),
    Mutant(
        "equal proportions are chance",
        "DOUBLE",
        beside(net_of(MONTH)),
        Change(f"{EDITIONS}:_compare", "query(_FOUND", 'query(_FOUND.replace("is_fine AND (", "false AND (")'),
    ),
    Mutant(
        "few lines are few, whatever they are worth",
        "DOUBLE",
        few_and_heavy(),
        Change(f"{USED}:_are_few", " and not heavy", ""),
        NO_EDITIONS,
    ),
    Mutant(
        "a statement may say everything twice",
        "DOUBLE",
        runs(
            ({"2026-10.csv": NEXT}, {"period": "2026-10"}),
            ({"2026-09.csv": [*reversed(MONTH), *MONTH]}, {}),
            owed=cents(MONTH) + cents(NEXT),
        ),
        Change(f"{USED}:_find_shared", "says_twice(file.lines, file.sums)", "None"),
    ),
    Mutant(
        "what was paid as royalties was no payment",
        "DOUBLE",
        fed_as_a_list(),
        Change("io_adapters.ledger.claims:Claims.paid_to", 'claims.c.kind != "owner"', 'claims.c.kind == "payment"'),
    ),
    Mutant(
        "an advance is known by its spelling",
        "recouped twice",
        respelt_advance(),
        Change("flows.royalties.rules.known_sources:doubtful_advances", "if former is not None:", "if False:"),
    ),
    Mutant(
        "another document is another payee of royalties",
        "DOUBLE",
        another_document(),
        Change("flows.payables.snapshot:_replaced", "if not inputs.statements:", "if True:"),
    ),
    Mutant(
        "an opening balance that is gone was never there",
        "DOUBLE",
        paid_outside_and_taken_out(),
        Change("flows.payables.snapshot:_opening_gone", "if row.amount_cents", "if False"),
    ),
    Mutant(
        "running numbers tell payments apart",
        "DOUBLE",
        a_list_within_a_list(),
        Change("flows.payables.plan_review:_rows_twice", "if not twins:", "if True:"),
    ),
    Mutant(
        "any report is the answer, however old",
        "an old report",
        an_old_report,
        Change("io_adapters.payout_api.outcome:doubt_stale", "latest < asked_at", "False"),
    ),
    Mutant(
        "what was paid stays paid",
        "came back",
        a_pix_that_came_back,
        Change("flows.reports.rules.judge_report:_after_the_end", "came_back or is_unverified", "is_unverified"),
    ),
    Mutant(
        "the clock may go back",
        "expired counts again",
        a_clock_that_is_behind,
        Change("io_adapters.ledger.runs:Runs.require_clock", "if newest is not None and", "if newest is None and"),
    ),
)
