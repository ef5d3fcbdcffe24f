"""Any three rewritings of what was paid, one after another: nothing goes twice, and nothing new is lost in silence.

A house pays lists and statements, whose months are opened and whose files are handed in. Then what was paid comes
again: merged, split, respelt, of another date, rounded, twice in a file, beside new rows, as another kind, in another
job, in place of what was there, withdrawn and handed in once more; and each question is answered by one of the
commands that it prints. Judged by what the service received, against the most that anybody was ever owed. Held
constant: one payer, BRL, nobody approves what is doubtful. One history in eight has its ledger on PostgreSQL.
SIMULATE=all plays 5,000.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from hashlib import sha256
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Final

import pytest

from flows.acts.forms import Withdraw
from flows.cli.acts import perform_here
from flows.house_ledger import open_ledger_of
from flows.launch import start_payout
from flows.run_options import RunOptions
from flows.runner import RunReport
from flows.settings import read_settings
from schemas.deliveries import month_after
from schemas.errors import DecisionRefused, ExitCode
from schemas.values.money import format_cents, parse_amount
from tests.flows.jobs import Row, declare, payee, payment, people, share, write_sheet
from tests.sampled import EVERYTHING
from tests.simulation.editing_office import NEVER, opened_office
from tests.simulation.editions import IN_ANOTHER_SHAPE, OTHERWISE, cents, month_of, with_upc
from tests.simulation.office import Silence
from tests.simulation.provider import Provider, cents_of
from tests.throwaway_postgresql import new_database, opened_cluster

pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]
HISTORIES: Final = 5_000 if EVERYTHING else 5
ATTACKS: Final = 3
TEAM: Final = people(8)
(SINGER,) = people(9)[8:]
USUAL: Final = {"settle": {"every_s": "0.1", "for_s": "0"}, "outputs": {"folder": "out", "formats": ["json"]}}
HALF_A_CENTAVO: Final = Decimal("0.5")
Rows = list[Row]


def of_list(row: Row) -> int:
    return parse_amount(row["Valor"])


def with_amount(row: Row, amount: int) -> Row:
    return row | {"Valor": format_cents(amount, "pt-BR")}


class PayingHouse:
    """A house with two jobs for lists and two for statements, and what it owes in truth."""

    def __init__(self, folder: Path, provider: Provider, seed: int) -> None:
        self.folder, self.provider, self.drawn = folder, provider, random.Random(seed)
        self.lists: dict[str, Rows] = {}
        self.statements: dict[str, Rows] = {}
        self.handed: list[tuple[str, str, Path]] = []
        self.month, self.lines, self.told = "2026-01", 0, list[str]()
        write_sheet(folder / "payees.csv", [payee(SINGER)])
        write_sheet(folder / "shares.csv", [share(SINGER, "100")])

    @property
    def owed(self) -> Decimal:
        rows = sum(of_list(row) for rows in self.lists.values() for row in rows)
        return rows + sum((cents(lines) for lines in self.statements.values()), Decimal(0))

    @property
    def sent(self) -> int:
        return sum(cents_of(entry["finalAmount"]) for entry in self.provider.entries())

    # What the house pays.

    def pay_a_month(self) -> None:
        """A new list and a new statement come, and are handed in as what they are."""
        self.month = month_after(self.month)
        number = int(self.month[5:])
        amounts = [self.drawn.randrange(10_000, 99_000) * 2 + 1 for _ in TEAM[:6]]
        rows = [payment(who, format_cents(sum_, "pt-BR"), "") for who, sum_ in zip(TEAM, amounts, strict=False)]
        lines = with_upc(month_of(number, 24, self.drawn.randrange(10**6)))
        self.lists[self.month], self.statements[self.month] = rows, lines
        for job, given in (("lista", rows), ("royalties", lines)):
            before, due = self.sent, sum(map(of_list, rows)) if job == "lista" else cents(lines)
            report = self.hand_in(job, given, self.month, new=True)
            if report.exit_code == ExitCode.DONE and not report.issues:
                assert abs(self.sent - before - due) <= len(given) * HALF_A_CENTAVO, f"{job} {self.month} was lost"

    def hand_in(self, job: str, rows: Sequence[Row], period: str, **how: Any) -> RunReport:
        """Hand rows in as a file, and answer what is asked by one of the ways that are printed."""
        columns = dict.fromkeys(name for row in rows for name in row)
        path = self.folder / f"{job}-{len(self.handed)}.{self.drawn.choice(('csv', 'xlsx'))}"
        write_sheet(path, [dict.fromkeys(columns, "") | dict(row) for row in rows])
        self.lines += len(rows)
        self.handed.append((job, period, path))
        report = self.run(job, period, files=[str(path)], **how)
        if report.exit_code == ExitCode.NO_SOUND_PLAN and not how.get("added"):
            report = self.run(job, period, files=[str(path)], added=True)
        return report

    def run(self, job: str, period: str, **options: Any) -> RunReport:
        layout = "payments" if job.startswith("lista") else "royalties"
        tables = {"payees": "payees.csv", "shares": "shares.csv"} if layout == "royalties" else {}
        sources = [{"files": "-", "layout": layout}]
        path = declare(self.folder / f"{job}.yaml", job=job, period=None, sources=sources, **USUAL, **tables)
        asked = RunOptions(yes=True, by="ana", period=period, **options)
        report = start_payout(path, asked, progress=Silence(), watched=False)
        if report.exit_code in NEVER:
            self.told.append(f"{job} {period} ended with {report.exit_code.name}: {report.messages}")
        return report

    # What comes again.

    def attack(self) -> str:
        """Do one of the things that must not pay again; returns which."""
        name = self.drawn.choice(sorted(ATTACK))
        ATTACK[name](self)
        return name

    def a_month(self) -> str:
        return self.drawn.choice(sorted(self.lists))

    def where(self, month: str) -> str:
        """The month itself, the one at hand, or the next."""
        return self.drawn.choice((month, self.month, month_after(self.month)))

    def again(self, job: str, rows: Sequence[Row], month: str) -> None:
        digest = sha256(self.drawn.choice(self.handed)[2].read_bytes()).hexdigest()[:12]
        how = self.drawn.choice(({}, {"added": True}, {"new": True}, {"in_place_of": digest}))
        self.hand_in(job, rows, self.where(month), **how)


def _list_again(change: Callable[[random.Random, Rows], Rows], job: str = "lista") -> Callable[[PayingHouse], None]:
    def attack(house: PayingHouse) -> None:
        month = house.a_month()
        house.again(job, change(house.drawn, [dict(row) for row in house.lists[month]]), month)

    return attack


def _statement_again(change: Callable[[Rows], Rows], job: str = "royalties") -> Callable[[PayingHouse], None]:
    def attack(house: PayingHouse) -> None:
        month = house.a_month()
        house.again(job, change(house.statements[month]), month)

    return attack


def _merged(_drawn: random.Random, rows: Rows) -> Rows:
    return [with_amount(rows[0], of_list(rows[0])), *rows[1:]]


def _split(_drawn: random.Random, rows: Rows) -> Rows:
    parts = []
    for row in rows:
        half = of_list(row) // 2
        parts += [
            with_amount(row, half) | {"Referência": "parte 1"},
            with_amount(row, of_list(row) - half) | {"Referência": "parte 2"},
        ]
    return parts


def _respelt(drawn: random.Random, rows: Rows) -> Rows:
    return [row | {"Nome": row["Nome"].upper(), "Referência": drawn.choice(("Show", "cachê", "NF 12"))} for row in rows]


def _redated(drawn: random.Random, rows: Rows) -> Rows:
    month = drawn.choice(("março", "04/2026", "show de 12/02"))
    return [row | {"Referência": month} for row in rows]


def _nearly(drawn: random.Random, rows: Rows) -> Rows:
    return [with_amount(row, of_list(row) + drawn.choice((-2, -1, 1, 2))) for row in rows]


def _doubled(_drawn: random.Random, rows: Rows) -> Rows:
    return [row | {"Referência": f"PED-{at}"} for at, row in enumerate(rows * 2)]


def _feed_royalties_as_rows(house: PayingHouse) -> None:
    with open_ledger_of(read_settings()) as ledger:
        paid = [claim for claim in ledger.claims.of_people("royalties") if claim.kind == "royalty"]
    if paid:
        claim = house.drawn.choice(paid)
        row = payment(SINGER, format_cents(claim.amount_cents, "pt-BR"), "repasse")
        house.again(house.drawn.choice(("lista", "lista-2")), [row], house.a_month())


def _mix_with_new(house: PayingHouse) -> None:
    month = house.a_month()
    row = payment(TEAM[7], format_cents(house.drawn.randrange(10_000, 99_000) * 2 + 1, "pt-BR"), "novo")
    house.lists[f"{month}-{len(house.handed)}"] = [row]
    rows = [old for name, old_rows in house.lists.items() if name == month for old in old_rows]
    house.again("lista", [*rows, row], month)


def _withdraw_and_hand_in_again(house: PayingHouse) -> None:
    job, period, path = house.drawn.choice(house.handed)
    digest = sha256(path.read_bytes()).hexdigest()
    try:
        perform_here(["ana"], Withdraw(digest, "engano", job, period), as_json=False)
    except DecisionRefused:
        return
    if house.drawn.random() < 1 / 2:
        house.run(job, period)
    house.run(job, house.where(period), files=[str(path)])


ATTACK: Final[dict[str, Callable[[PayingHouse], None]]] = {
    "rows as they were": _list_again(_merged),
    "rows split": _list_again(_split),
    "rows respelt": _list_again(_respelt),
    "rows of another date": _list_again(_redated),
    "rows a centavo off": _list_again(_nearly),
    "rows twice": _list_again(_doubled),
    "rows in another job": _list_again(_merged, "lista-2"),
    "rows respelt in another job": _list_again(_respelt, "lista-2"),
    "rows a centavo off in another job": _list_again(_nearly, "lista-2"),
    "royalties as rows": _feed_royalties_as_rows,
    "rows beside a new one": _mix_with_new,
    "withdrawn and handed in again": _withdraw_and_hand_in_again,
    "a statement twice": _statement_again(lambda lines: [*lines, *lines]),
    "a statement in another job": _statement_again(lambda lines: lines, "royalties-2"),
    **{f"a statement, {name}": _statement_again(change) for name, change in OTHERWISE.items()},
    **{f"a statement, {name}": _statement_again(change) for name, change in IN_ANOTHER_SHAPE.items()},
}


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    with opened_cluster() as url:
        yield url


@pytest.mark.parametrize("seed", range(HISTORIES))
def test_what_was_paid_is_not_paid_again_in_any_history(simulated, seed, request, monkeypatch):
    url = new_database(request.getfixturevalue("cluster")) if seed % 8 == 7 else ""
    with opened_office(Path(mkdtemp(dir=simulated))) as office:
        if url:
            monkeypatch.setenv("REPASSE_LEDGER_URL", url)
        house, done = PayingHouse(office.folder, office.provider, seed), list[str]()
        for _ in range(2):
            house.pay_a_month()
        for _ in range(ATTACKS):
            done.append(house.attack())
            assert house.told == [], (seed, done)
            assert house.sent <= house.owed + house.lines * HALF_A_CENTAVO, (seed, done)
        house.pay_a_month()
        assert house.sent <= house.owed + house.lines * HALF_A_CENTAVO, (seed, done)
