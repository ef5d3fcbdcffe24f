"""Ten drawn labels over six months, at the desk and in the terminal, without a word of YAML after the first month.

Each centavo is right every month, and nobody answers more than twice a month beyond the approval. Varied here: lists
and statements, reais and dollars, what files are called, whether their rows say the month, a second file, a list put
right after it was paid, and a file handed in for the wrong month first. Held constant: one job a label, SQLite.
"""

import random
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

import pytest

from flows.house_ledger import open_ledger_of
from flows.settings import read_settings
from schemas.errors import ExitCode
from schemas.messages import period_text
from schemas.values.money import format_cents
from tests.flows.desk.office import plan_of, start
from tests.flows.desk.test_a_month_is_opened_at_the_desk import open_month, ways
from tests.flows.desk.test_jobs_made_and_changed import ANSWERS, ORIGIN
from tests.flows.jobs import Row, line, payee, payment, people, share, write_sheet
from tests.flows.label import Label
from tests.sampled import EVERYTHING

MONTHS = [f"2026-{month:02}" for month in range(5, 11)]
MOST_ANSWERS = 2
# A list, a statement, and one in dollars; at the desk, which takes longer, without the list. Ten with SIMULATE=all.
LABELS = range(10) if EVERYTHING else (0, 1, 3)
AT_THE_DESK = range(10) if EVERYTHING else (1, 3)
TEAM = people(9)
pytestmark = [pytest.mark.long, pytest.mark.usefixtures("service"), pytest.mark.timeout(900)]


@dataclass
class Month:
    """What a label hands in for a month, and what it owes for it, in centavos."""

    label: str
    file: Path
    owed: int
    more: Path | None = None
    more_owed: int = 0
    is_put_right: bool = False
    rate: str = ""


@dataclass
class DrawnLabel:
    """A label with a list of payments, or with statements and the shares of two people."""

    seed: int
    folder: Path
    drawn: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self.drawn = random.Random(self.seed)
        self.has_statements = self.seed % 2 == 1
        self.currency = "USD" if self.seed % 4 == 3 else "BRL"
        self.tables = [
            write_sheet(self.folder / "payees.xlsx", [payee(TEAM[0]), payee(TEAM[1])]),
            write_sheet(self.folder / "shares.xlsx", [share(TEAM[0], "50"), share(TEAM[1], "25")]),
        ]

    def month(self, label: str) -> Month:
        """Draw a month."""
        made = self._statement(label) if self.has_statements else self._list(label)
        if self.currency == "USD":
            made.rate = f"5,{self.drawn.randrange(0, 9)}0"
        return made

    def _name(self, label: str) -> str:
        month = period_text(label, "pt-BR").split()[0]
        return self.drawn.choice(["lista", f"pagamentos {label}", month, f"{month} final", f"{label}_repasses"])

    def _list(self, label: str) -> Month:
        month = period_text(label, "pt-BR").split()[0]
        named = self.drawn.choice(["", f" {month}", f" {label[5:]}/{label[:4]}"])
        cents = [self.drawn.randrange(10_000, 90_000) for _ in TEAM]
        rows = [
            payment(who, format_cents(sum_, "pt-BR"), f"cachê{named}") for who, sum_ in zip(TEAM, cents, strict=True)
        ]
        made = Month(label, self._write(self._name(label), rows), sum(cents))
        extra = self.drawn.randrange(1_000, 9_000)
        row = payment(TEAM[self.drawn.randrange(9)], format_cents(extra, "pt-BR"), f"ajuda de custo {label}")
        if (what := self.drawn.random()) < 1 / 3:
            made.more, made.more_owed = self._write(f"lista 2 {label}", [row]), extra
        elif what < 2 / 3:
            made.more, made.more_owed, made.is_put_right = self._write(f"lista {label}", [*rows, row]), extra, True
        return made

    def _statement(self, label: str) -> Month:
        def lines(count: int) -> list[Row]:
            return [
                line(f"{self.drawn.randrange(100, 900) * 4},00", f"Faixa {label} {self.drawn.random():.9f}")
                | {"Período": label, "Moeda": self.currency}
                for _ in range(count)
            ]

        first, second = lines(30), lines(6)
        made = Month(label, self._write(self._name(label), first), _of_lines(first))
        if (what := self.drawn.random()) < 1 / 3:
            made.more, made.more_owed = self._write(f"loja B {label}", second), _of_lines(second)
        elif what < 2 / 3:
            made.more, made.is_put_right = self._write(f"certo {label}", [*first, *second]), True
            made.more_owed = _of_lines(second)
        return made

    def _write(self, name: str, rows: list[Row]) -> Path:
        return write_sheet(self.folder / f"{name}.xlsx", rows)


def _of_lines(rows: list[Row]) -> int:
    """Three quarters of what the lines come to go to the two people, in centavos of the lines' currency."""
    return sum(int(row["Valor"].split(",")[0]) for row in rows) * 75


def in_reais(month: Month, cents: int) -> int:
    """What centavos of a month are in reais, at its rate of one decimal."""
    return cents * int(month.rate.replace(",", "")) // 100 if month.rate else cents


def digits(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()[:12]


def play(label: DrawnLabel, begin: Callable, hand_in: Callable, add: Callable, service) -> None:
    """Play six months; the fourth month's file is handed in for the third one first."""
    owed = 0
    for label_of_month in MONTHS:
        month = label.month(label_of_month)
        answers = begin(month) if label_of_month == MONTHS[0] else hand_in(month)
        owed += in_reais(month, month.owed)
        assert sum(service.paid) == owed, (label.seed, month)
        if month.more is not None:
            answers += add(month)
            owed += in_reais(month, month.more_owed)
        assert sum(service.paid) == owed, (label.seed, month)
        assert answers <= MOST_ANSWERS, (label.seed, month)


def approve(bia, run: str) -> None:
    plan = plan_of(bia, run)
    with open_ledger_of(read_settings()) as ledger:
        total = format_cents(ledger.plans.get(plan.removeprefix("/plans/")).total_cents, "pt-BR")
    bia.follow(bia.post(f"{plan}/approve", at=plan, total=total))


@pytest.mark.parametrize("seed", AT_THE_DESK)
def test_six_months_at_the_desk(ana, bia, service, tmp_path, seed):
    label = DrawnLabel(seed, tmp_path)
    page: list[str] = []

    def source() -> str:
        return "royalties" if label.has_statements else "payments"

    def begin(month: Month) -> int:
        files = [month.file, *(label.tables if label.has_statements else ())]
        parts = [("token", (None, ana.token("/new-job")))]
        parts += [("file:sheet", (file.name, file.read_bytes())) for file in files]
        draft = ana.http.post("/new-job", files=parts, headers={"Origin": ORIGIN}).headers["location"]
        page.append(ana.post(draft, at=draft, **ANSWERS | {"period": period_text(month.label, "pt-BR")}))
        if month.rate:
            return hand_in(month)
        look = ana.bring(page[0], [])
        approve(bia, start(ana, look))
        return 1

    def hand_in(month: Month) -> int:
        said = {"rates": f"USD {month.rate} {month.label}-28 PTAX"} if month.rate else {}
        look = open_month(ana, page[0], period_text(month.label, "pt-BR"), {source(): month.file}, **said)
        return 1 + answered(look, month)

    def answered(look: str, month: Month, way: str = "") -> int:
        ana.wait_for(look, "O que foi reconhecido")
        found = ways(ana.get(look))
        if not found:
            approve(bia, start(ana, look))
            return 0
        chosen = next(one for one in found if one.startswith(f"{month.label} {way}"))
        approve(bia, start(ana, ana.post(f"{look}/answer", at=look, way=chosen, month="")))
        return 1

    def add(month: Month) -> int:
        look = ana.bring(page[0], [month.more], source=source())
        return answered(look, month, "in_place" if month.is_put_right else "added")

    play(label, begin, hand_in, add, service)
    assert re.search(r"period: 2026-05\b", ana.http.get(f"{page[0]}/job.yaml").text), "no word of YAML was changed"


@pytest.mark.parametrize("seed", LABELS)
def test_six_months_in_the_terminal(service, environment, tmp_path, seed):
    label, house = DrawnLabel(seed, tmp_path), Label(tmp_path / "house")
    house.job.unlink()

    def begin(month: Month) -> int:
        files = [month.file, *(label.tables if label.has_statements else ())]
        payer = ("--payer-tax-id", "12.ABC.345/01DE-35", "--payer-name", "Selo Aurora")
        house.say("new", *files, *payer, "--period", month.label, "--job", house.job)
        run(month)
        return 1

    def run(month: Month, *words: object) -> None:
        rate = ["--rate", f"USD {month.rate} 28/{month.label[5:]}/2026 PTAX"] if month.rate else []
        house.say("run", house.job, *words, *rate, "--yes")

    def hand_in(month: Month) -> int:
        before = house.type("run", house.job, "--file", month.file, "--yes")
        assert before.exit_code == ExitCode.NO_SOUND_PLAN, "without a month it is of the job's own, which has its file"
        run(month, "--file", month.file, "--period", month.label, "--new")
        return 1

    def add(month: Month) -> int:
        how = ["--in-place-of", digits(month.file)] if month.is_put_right else ["--added"]
        run(month, "--file", month.more, "--period", month.label, *how)
        return 1

    play(label, begin, hand_in, add, service)
