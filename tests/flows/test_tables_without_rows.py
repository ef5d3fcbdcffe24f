"""A table of which only the header is there is an empty table, in whatever format, and whatever it is a table of."""

import json

import pytest
from openpyxl import Workbook

from schemas.errors import ExitCode
from tests.flows.jobs import advance, line, payee, payment, people, share
from tests.flows.label import summary_of

(ANA,) = people(1)
ROWS = {
    "payees": payee(ANA),
    "shares": share(ANA, "50"),
    "advances": advance(ANA, "1,00"),
    "statement": line("10,00", month="2026-10"),
    "payments": payment(ANA, "3,00"),
}
BESIDE = ("payees", "shares", "advances")
# What is paid, in centavos, when each table in turn is empty.
PAID = {"payees": [300], "shares": [300], "advances": [300, 500], "statement": [300], "payments": [400]}


def write(label, empty, suffix):
    for name, row in ROWS.items():
        path = label.folder / f"{name}.{suffix}"
        if name != empty:
            label.write(path.name, [row])
        elif suffix == "csv":
            path.write_text(";".join(row) + "\n", encoding="utf-8")
        else:
            book = Workbook()
            book.active.append(list(row))
            book.save(path)
    sources = [
        {"files": f"{name}.{suffix}", "layout": layout}
        for name, layout in (("statement", "royalties"), ("payments", "payments"))
    ]
    label.declare(sources=sources, rules={"unmatched": "owner"}, **{name: f"{name}.{suffix}" for name in BESIDE})


@pytest.mark.parametrize("suffix", [pytest.param("xlsx", marks=pytest.mark.long), "csv"])
@pytest.mark.parametrize("empty", ROWS)
def test_what_is_in_the_others_is_paid_and_nothing_is_refused(label, service, empty, suffix):
    write(label, empty, suffix)
    checked = json.loads(label.type("check", label.job, "--json").stdout)
    assert checked["exit_code"] not in {ExitCode.UNREADABLE_FILE, ExitCode.BUG}
    assert label.type("plan", label.job).exit_code not in {ExitCode.UNREADABLE_FILE, ExitCode.BUG}
    report = label.run()
    assert report.exit_code in {ExitCode.DONE, ExitCode.ROWS_HELD}, report.messages
    assert service.paid == PAID[empty]
    assert summary_of(label.run())["totals_cents"]["paid"] == 0
