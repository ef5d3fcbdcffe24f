"""The month of docs/rules.md, in either language, is what the program makes of the tables on that page."""

import csv
import re
from decimal import Decimal
from pathlib import Path

import pytest

from flows.intake.read import read
from flows.payables.draft import draft
from flows.run import QuietProgress, opened_offline
from flows.run_request import read_run_request
from schemas.obligation import sum_cents
from schemas.plan import Place
from schemas.tables.model import records

DOCS = Path(__file__).parents[2] / "docs"
PAGES = {"rules.md": ("Line", "Payee"), "regras.md": ("Linha", "Favorecido")}
FILES = ("statement", "shares", "payees", "advances", "opening")


def tables_of(page):
    """Return the tables of a page in order, each as lists of cells, header first."""
    blocks = re.findall(r"(?:^\|.*\|\n)+", (DOCS / page).read_text(encoding="utf-8"), re.MULTILINE)
    rows = [
        [[cell.strip() for cell in line.strip("|\n").split("|")] for line in block.splitlines()] for block in blocks
    ]
    return [[row for row in table if not set("".join(row)) <= set("-")] for table in rows]


@pytest.fixture(params=PAGES)
def page(request):
    return request.param


@pytest.fixture
def worked(page, tmp_path):
    """Write the tables of the page as the files of its job, and work the month out."""
    text = (DOCS / page).read_text(encoding="utf-8")
    tables = tables_of(page)
    for name, rows in zip(FILES, tables[: len(FILES)], strict=True):
        with (tmp_path / f"{name}.csv").open("w", encoding="utf-8", newline="") as stream:
            csv.writer(stream, delimiter=";").writerows(rows)
    (tmp_path / "job.yaml").write_text(re.search(r"```yaml\n(.*?)```", text, re.DOTALL)[1], encoding="utf-8")
    with opened_offline(read_run_request(tmp_path / "job.yaml"), QuietProgress()) as run:
        yield draft(run, read(run)).payables, {rows[0][0]: rows for rows in tables[len(FILES) :]}


def amount(cell):
    return Decimal(cell.replace(".", "").replace(",", ".") if "," in cell else cell or 0)


def test_each_payee_comes_to_what_the_page_says(page, worked):
    payables, tables = worked
    _, *said = tables[PAGES[page][1]]
    told = {re.sub(r"\D", "", row[0]): [amount(cell) for cell in row[1:7]] for row in said}
    names = ("earned", "recouped", "carried_in", "carried_out", "held", "payable")
    found = {
        balance["tax_id"]: [Decimal(balance[f"{name}_cents"]).scaleb(-2) for name in names]
        for balance in records(payables.balances)
    }
    assert found == told


def test_the_lines_add_up_to_what_each_earned_and_to_what_is_the_owners_and_held(page, worked):
    payables, tables = worked
    _, *lines, sums = tables[PAGES[page][0]]
    for position in range(1, 8):
        assert sum(amount(line[position]) for line in lines) == amount(sums[position])
    assert sum(amount(cell) for cell in sums[2:8]) == amount(sums[1])
    exact = payables.allocation.columns(["tax_id", "role", "earned"]).groupby(["tax_id", "role"])["earned"].sum()
    by_payee = exact.groupby(level="tax_id").sum().drop("").tolist()
    assert by_payee == [amount(cell) for cell in sums[2:6]]
    assert exact["", "owner"] == amount(sums[6])
    assert exact["", "unmatched"] == amount(sums[7])


def test_every_centavo_that_came_in_has_the_place_that_the_page_names(page, worked):
    payables, _ = worked
    parts = (DOCS / page).read_text(encoding="utf-8").split("\n## ")
    *_, last = next(part for part in parts if part.startswith(("One month", "Um mês"))).strip().split("\n\n")
    came_in, carried_in, paid, recouped, carried, held, owner = re.findall(r"[0-9]+[.,][0-9]{2}", last)[2:]
    owed = payables.obligations
    assert sum_cents(owed) == int(100 * (amount(came_in) + amount(carried_in)))
    planned = [part for part in owed if part.place is Place.PLANNED]
    assert sum_cents(part for part in planned if part.pays_somebody) == 100 * amount(paid)
    assert sum_cents(part for part in planned if part.kind == "owner") == 100 * amount(owner)
    for place, said in ((Place.RECOUPED, recouped), (Place.CARRIED, carried), (Place.HELD, held)):
        assert sum_cents(part for part in owed if part.place is place) == 100 * amount(said)
