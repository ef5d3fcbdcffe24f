"""Shares that are missing are listed, filled in by a person, handed back, and pay what was held."""

import pytest
from openpyxl import load_workbook

from flows.intake.read import read
from flows.payables.judge_inputs import judge_inputs
from flows.payables.rules.missing_shares import list_missing_shares
from flows.run import QuietProgress, opened_offline
from flows.run_request import read_run_request
from io_adapters.outputs.corrections import write_missing_shares
from schemas.corrections import MissingShares
from tests.flows.jobs import masked, payee, people, share, write_sheet

ANA, BIA = people(2)
pytestmark = pytest.mark.long


@pytest.fixture
def uncovered(label):
    """A statement of three recordings, of which the shares cover one."""
    rows = [
        {"ISRC": isrc, "Título": title, "Artista": "Banda", "Plataforma": "Loja", "Valor": amount, "Moeda": "BRL"}
        for isrc, title, amount in (
            ("BRAUR2600001", "Samba", "100,00"), ("BRAUR2600002", "Valsa", "60,00"), ("BRAUR2600003", "Choro", "8,00"),
        )
    ]  # fmt: skip
    label.write("lines.xlsx", rows)
    label.write("payees.xlsx", [payee(ANA), payee(BIA)])
    label.write("shares.xlsx", [{"ISRC": "BRAUR2600001"} | share(ANA, "100")])
    return label


def declare(label, *files: str) -> None:
    sources = [{"files": "lines.xlsx", "layout": "royalties"}]
    label.declare(sources=sources, payees="payees.xlsx", shares=list(files), rules={"owner": "remainder"})


def listed(label) -> MissingShares:
    """List what the job's own files leave uncovered."""
    order = read_run_request(label.job)
    with opened_offline(order, QuietProgress()) as run:
        inputs = judge_inputs(run, read(run)).inputs
    first_day = order.period.start.isoformat()
    return list_missing_shares(inputs.statements, inputs.shares, first_day=first_day, currency="BRL")


@pytest.mark.long
@pytest.mark.journey
def test_filled_in_and_given_as_a_second_file_it_is_paid(uncovered, service):
    declare(uncovered, "shares.xlsx")
    first = uncovered.run(yes=True)
    assert (first.exit_code, service.paid) == (15, [10_000])
    path = write_missing_shares(listed(uncovered), uncovered.folder / "missing-shares.xlsx", "pt-BR")
    book = load_workbook(path)
    sheet = book["Participações"]
    column = {sheet.cell(1, n).value: n for n in range(1, sheet.max_column + 1)}
    for row in range(2, sheet.max_row + 1):
        sheet.cell(row, column["CPF/CNPJ"]).value = masked(BIA.tax_id)
        sheet.cell(row, column["Participação"]).value = 50
    book.save(path)
    declare(uncovered, "shares.xlsx", "missing-shares.xlsx")
    assert not listed(uncovered)
    again = uncovered.run(yes=True)
    assert again.exit_code == 0
    assert service.paid == [3_400, 10_000]
    assert sum(report["owner_cents"] for report in service.reports) == 3_400


def test_a_row_that_is_left_empty_is_told_and_pays_nobody(uncovered, service):
    declare(uncovered, "shares.xlsx")
    write_missing_shares(listed(uncovered), uncovered.folder / "missing-shares.xlsx", "pt-BR")
    declare(uncovered, "shares.xlsx", "missing-shares.xlsx")
    report = uncovered.run(yes=True)
    assert service.paid == [10_000]
    assert {issue.file for issue in report.issues if issue.severity == "error"} == {"missing-shares.xlsx"}


def test_pasted_into_the_old_table_it_works_as_well(uncovered, service):
    declare(uncovered, "shares.xlsx")
    both = [{"ISRC": lines.isrc, "Título": lines.title} | share(BIA, "100") for lines in listed(uncovered).named]
    write_sheet(uncovered.folder / "shares.xlsx", [{"ISRC": "BRAUR2600001", "Título": ""} | share(ANA, "100"), *both])
    assert uncovered.run(yes=True).exit_code == 0
    assert service.paid == [6_800, 10_000]


@pytest.mark.parametrize("other", ["", "USD?"])
def test_a_statement_is_handed_back_only_where_something_is_wrong_in_itself(uncovered, service, other):
    """A month without shares has its lines in the list of missing shares; the statement has nothing to put right."""
    declare(uncovered, "shares.xlsx")
    if other:
        book = load_workbook(uncovered.folder / "lines.xlsx")
        book.active.cell(2, 6).value = other
        book.save(uncovered.folder / "lines.xlsx")
    names = {path.name for path in uncovered.run(yes=False).outputs}
    assert ("missing-shares.xlsx" in names, "corrections.xlsx" in names) == (True, bool(other))
