"""A held row says whose it is, as far as it could be read; nobody is handed a statement that names nobody."""

import csv
from collections.abc import Iterator
from pathlib import Path

from openpyxl import load_workbook

from schemas.errors import ExitCode
from tests.flows.jobs import NOBODY, line, payee, payment, people, share
from tests.flows.label import Label
from tests.flows.oracle import Oracle

ANA, BIA, CAIO, DORA = people(4)


def csv_rows(report) -> list[dict[str, str]]:
    (path,) = (path for path in report.outputs if path.name == "payments.csv")
    with path.open(encoding="utf-8-sig", newline="") as stream:
        return list(csv.DictReader(stream, delimiter=";"))


def texts(book: Path, sheet: str) -> set[str]:
    return {str(cell) for row in load_workbook(book)[sheet].values for cell in row if cell is not None}


def statements(report) -> Iterator[Path]:
    return (path for path in report.outputs if path.suffix == ".pdf")


def test_what_was_read_well_of_a_held_row_stands_in_the_csv_and_the_workbook(label: Label, service: Oracle):
    label.declare(outputs={"folder": "out", "statements": False, "formats": ["xlsx", "csv", "json"]})
    label.payments(
        payment(ANA, "10,00"),
        payment(BIA, "20,00", "Nota 17", CPF=NOBODY),
        payment(CAIO, "trinta", "Nota 18"),
        payment(DORA, "40,00", "Nota 19", **{"E-mail": "not an e-mail"}),
    )
    report = label.run()
    held = {row["Referência"]: row for row in csv_rows(report) if row["Situação"] == "Retido"}
    assert {reference: row["Favorecido"] for reference, row in held.items()} == {
        "Nota 17": BIA.name,
        "Nota 18": CAIO.name,
        "Nota 19": DORA.name,
    }
    assert held["Nota 17"]["CPF/CNPJ"] == ""
    assert held["Nota 18"]["CPF/CNPJ"] == CAIO.tax_id
    (book,) = (path for path in report.outputs if path.name == "reconciliation.xlsx")
    assert {BIA.name, "Nota 17", CAIO.name, "Nota 18"} <= texts(book, "Retidos")
    assert service.paid == [1000]


def test_a_trace_of_a_held_payee_names_them(label: Label, service: Oracle):
    label.payments(payment(ANA, "10,00"), payment(CAIO, "trinta", "Nota 18"))
    label.run()
    (traced,) = label.ask("trace", CAIO.name)["traces"]
    assert traced["name"] == CAIO.name
    assert [(obligation["place"], obligation["reason"]) for obligation in traced["obligations"]] == [
        ("held", "AMOUNT_FORMAT")
    ]


def test_two_rows_held_as_one_another_s_double_keep_their_names(label: Label, service: Oracle):
    label.declare(outputs={"folder": "out", "statements": False, "formats": ["csv", "json"]})
    label.payments(payment(BIA, "1,00", "Nota 1"), payment(BIA, "1,00", "Nota 1"))
    assert [row["Favorecido"] for row in csv_rows(label.run())] == [BIA.name, BIA.name]


def test_a_bare_held_row_takes_its_name_from_the_payees(label: Label, service: Oracle):
    label.declare(payees="payees.xlsx", outputs={"folder": "out", "statements": False, "formats": ["csv", "json"]})
    label.write("payees.xlsx", [payee(CAIO)])
    label.payments(payment(CAIO, "trinta", Nome=""))
    assert [row["Favorecido"] for row in csv_rows(label.run())] == [CAIO.name]


def test_no_statement_is_written_to_a_payee_whom_nothing_names(label: Label, service: Oracle):
    """Shares name people by document alone; one whom no payees table holds has no name to write to."""
    label.declare(
        sources=[{"files": "lines.xlsx", "layout": "royalties"}],
        payees="payees.xlsx",
        shares="shares.xlsx",
        outputs={"folder": "out", "statements": True, "formats": ["json"]},
    )
    label.write("payees.xlsx", [payee(ANA)])
    label.write("shares.xlsx", [share(ANA, "50"), share(BIA, "50")])
    label.write("lines.xlsx", [line("10,00")])
    report = label.run()
    assert report.exit_code == ExitCode.ROWS_HELD
    assert service.paid == [500]
    assert len(list(statements(report))) == 1
