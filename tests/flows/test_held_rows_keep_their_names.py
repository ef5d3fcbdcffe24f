"""A held row says whose it is, as far as it could be read; nobody is handed a statement that names nobody."""

from collections.abc import Iterator
from pathlib import Path

from schemas.errors import ExitCode
from tests.flows.jobs import line, payee, people, share
from tests.flows.label import Label
from tests.flows.oracle import Oracle

ANA, BIA, CAIO, DORA = people(4)


def statements(report) -> Iterator[Path]:
    return (path for path in report.outputs if path.suffix == ".pdf")


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
