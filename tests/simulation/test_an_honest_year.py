"""A year of ordinary months: how often people are asked something. A guard that cries wolf is switched off."""

import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import mkdtemp

import pytest

from flows.house_ledger import open_ledger_of
from flows.launch import start_payout
from flows.run_options import RunOptions
from flows.runner import RunReport
from flows.settings import read_settings
from schemas.errors import ExitCode
from schemas.issues import Severity
from schemas.values.money import format_cents
from tests.flows.jobs import Row, declare, payee, payment, people, share, write_sheet
from tests.sampled import EVERYTHING
from tests.simulation.editing_office import EditingOffice, opened_office
from tests.simulation.editions import month_of, rounded
from tests.simulation.office import Silence
from tests.simulation.provider import cents_of

pytestmark = [pytest.mark.long, pytest.mark.timeout(1200)]
MONTHS = [f"2026-{month:02}" for month in range(1, 13)]
TEAM, GUESTS = people(12)[:8], people(12)[8:]
USUAL = {"settle": {"every_s": "0.1", "for_s": "0"}, "outputs": {"folder": "out", "formats": ["json"]}}


@pytest.fixture
def office(simulated: Path) -> Iterator[EditingOffice]:
    with opened_office(Path(mkdtemp(dir=simulated))) as opened:
        yield opened


def run(office: EditingOffice, **changes: object) -> RunReport:
    job = declare(office.folder / "job.yaml", **(USUAL | changes))
    return start_payout(job, RunOptions(yes=True, by="ana"), progress=Silence(), watched=False)


def sent(office: EditingOffice) -> int:
    return sum(cents_of(entry["finalAmount"]) for entry in office.provider.entries())


def the_list_of(month: int, keys: dict[int, str]) -> list[Row]:
    """Fixed fees that recur, and fees of the month."""
    fixed = [payment(who, f"{1500 + 10 * n},00", "mensal", Recorrente="sim") for n, who in enumerate(TEAM)]
    for number, key in keys.items():
        fixed[number] = fixed[number] | {"Chave Pix": key}
    shows = [payment(who, f"{300 + 7 * month + n},50", f"show {month}-{n}") for n, who in enumerate(GUESTS)]
    return [*fixed, *(row | {"Recorrente": ""} for row in shows)]


def test_a_year_of_payments_lists_asks_nothing(office):
    """Recurring fees, rows appended in mid-month, keys that people correct, a list sorted anew: each month twice."""
    asked, runs, owed, keys = Counter[str](), 0, 0, dict[int, str]()
    sources = [{"files": "list.xlsx", "layout": "payments"}]
    for number, month in enumerate(MONTHS, start=1):
        if number % 3 == 0:
            keys[number % len(TEAM)] = f"nova.{number}@example.com"
        rows = the_list_of(number, keys)
        late = [payment(GUESTS[0], f"{90 + number},25", f"extra {number}") | {"Recorrente": ""}]
        for stands in (rows, [*late, *reversed(rows)]):
            write_sheet(office.folder / "list.xlsx", stands)
            report = run(office, period=month, sources=sources)
            asked[report.exit_code.name] += 1
            runs += 1
        owed += sum(int(row["Valor"].replace(",", "")) for row in (*rows, *late))
    assert asked == {"DONE": runs}
    assert sent(office) == owed


@pytest.mark.parametrize("places", [7, 2])
def test_half_a_year_of_statements_asks_nothing(office, places):
    """Two stores a month, and what one of them sends late of the month before; the catalogue is the same all along."""
    (ana,) = people(1)
    write_sheet(office.folder / "payees.csv", [payee(ana)])
    write_sheet(office.folder / "shares.csv", [share(ana, "100")])
    asked = Counter[str]()
    sources = [{"files": "{period}*.csv", "layout": "royalties"}]
    for number, month in enumerate(MONTHS[:6], start=1):
        write_sheet(office.folder / f"{month}-a.csv", rounded(places)(month_of(number, 60)))
        write_sheet(office.folder / f"{month}-b.csv", rounded(places)(month_of(number, 40, seed=100 + number)))
        tables = {"payees": "payees.csv", "shares": "shares.csv"}
        asked[run(office, period=month, sources=sources, **tables).exit_code.name] += 1
        if number > 1:
            late = month_of(number - 1, 12, seed=200 + number)
            write_sheet(office.folder / f"{month}-late.csv", rounded(places)(late))
            asked[run(office, period=month, sources=sources, **tables).exit_code.name] += 1
    assert asked == {"DONE": 11}


def approve(office: EditingOffice) -> None:
    digest = office.last_digest()
    with open_ledger_of(read_settings()) as ledger:
        total = format_cents(ledger.plans.get(digest).total_cents, "pt-BR")
    assert office.say("approve", digest, "--by", "bia", "--total", total).exit_code == ExitCode.DONE


# Years that are drawn: what a house of forty people pays month by month, and how it writes it.
FEES = (300, 400, 500, 600, 800, 1000, 1200, 1500)
YEARS = 20 if EVERYTHING else 2


class House:
    """Forty people: some with a fee every month, some who play now and then, some who are paid back what they spent."""

    def __init__(self, seed: int) -> None:
        self.drawn = random.Random(seed)
        self.people = people(46)
        self.fixed = {n: self.drawn.randrange(900, 4000, 50) for n in range(12)}
        self.is_said_to_recur = seed % 2 == 0
        self.joined = 40

    def month(self, month: int) -> list[Row]:
        drawn = self.drawn
        if month % 3 == 0 and self.joined < len(self.people):  # one leaves, one comes
            self.fixed.pop(drawn.choice(sorted(self.fixed)))
            self.fixed[self.joined] = drawn.randrange(900, 4000, 50)
            self.joined += 1
        rows = [self._row(n, f"{reais},00", "fixo", "sim") for n, reais in sorted(self.fixed.items())]
        for day in sorted(drawn.sample(range(1, 29), 14)):
            who = drawn.randrange(12, self.joined)
            rows.append(self._row(who, f"{drawn.choice(FEES)},00", f"show {day:02}/{month:02}"))
        for number in range(6):
            cents = drawn.randrange(1000, 60_000)
            rows.append(
                self._row(drawn.randrange(self.joined), f"{cents // 100},{cents % 100:02}", f"nota {month}{number}")
            )
        drawn.shuffle(rows)
        return rows

    def _row(self, who: int, amount: str, reference: str, recurs: str = "") -> Row:
        more = {"Recorrente": recurs} if self.is_said_to_recur else {}
        return payment(self.people[who], amount, reference) | more


@pytest.mark.parametrize("seed", range(YEARS))
def test_a_drawn_year_of_payments_lists_asks_less_than_once_a_month(office, seed, record_property):
    house, asked, rows_asked, owed = House(seed), Counter[str](), Counter[str](), 0
    for number, month in enumerate(MONTHS, start=1):
        rows = house.month(number)
        write_sheet(office.folder / "list.xlsx", rows)
        sources = [{"files": "list.xlsx", "layout": "payments"}]
        report = run(office, period=month, sources=sources)
        rows_asked.update(issue.code.value for issue in report.issues if issue.severity is Severity.WARNING)
        if report.exit_code == ExitCode.APPROVAL_WANTED:
            asked[month] += 1
            approve(office)
            report = run(office, period=month, sources=sources)
        assert report.exit_code == ExitCode.DONE
        owed += sum(int(row["Valor"].replace(",", "")) for row in rows)
        assert sent(office) == owed
    record_property("questions", dict(rows_asked))
    said = "said" if house.is_said_to_recur else "not said"
    print(f"year {seed}, what recurs is {said}: {len(asked)} of 12 months asked, rows {dict(rows_asked)}")
    assert len(asked) < 12
