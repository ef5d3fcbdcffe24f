"""A row with a problem is never paid, is named to the cell, and is paid once when it has been put right."""

from schemas.errors import ExitCode
from tests.flows.books import places
from tests.flows.jobs import NOBODY, payment, people
from tests.flows.label import summary_of

ANA, BIA, CAIO = people(3)


def test_where_the_job_says_stop_one_broken_row_stops_everything(label, service):
    label.declare(rules={"invalid_payee": "stop"})
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00", CPF=NOBODY))
    report = label.run()
    assert report.exit_code == ExitCode.ROWS_REFUSED
    assert service.posts == 0
    assert places(summary_of(report)) == {"planned": 1000, "held": 2000}
