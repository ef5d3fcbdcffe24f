"""Money that a statement states twice, by itself or beside new lines of the same month, is paid once and asked about.

Held constant: one payee, CSV, one currency, nobody releases anything. `test_statements_in_any_edition` draws histories.
"""

import random
from decimal import Decimal

import pytest

from schemas.errors import ExitCode
from schemas.messages import render
from tests.flows.jobs import payee, people, share
from tests.sampled import in_turn
from tests.simulation.editions import COLUMNS, IN_ANOTHER_SHAPE, TWICE_BY_ITSELF, cents, comma, month_of, with_upc

(ANA,) = people(1)
pytestmark = pytest.mark.long


@pytest.fixture
def royalties(label):
    label.write("payees.csv", [payee(ANA)])
    label.write("shares.csv", [share(ANA, "100")])
    declare(label, "2026-09")
    return label


def declare(label, period, **changes):
    sources = [{"files": "{period}*", "layout": "royalties"}]
    label.declare(period=period, sources=sources, payees="payees.csv", shares="shares.csv", **changes)


def whole(lines):
    return [{name: line.get(name, "") for name in COLUMNS} for line in lines]


def asked(report):
    codes = ("STATEMENT_AGAIN", "STATEMENT_TWICE", "LINES_USED_BEFORE", "FILE_OVERLAP", "FILE_DUPLICATE")
    return {issue.file: render(issue.message, "pt-BR") for issue in report.issues if issue.code.value in codes}


@pytest.mark.parametrize("name", TWICE_BY_ITSELF)
def test_what_a_statement_says_twice_by_itself_is_not_paid_twice(royalties, service, name):
    royalties.write("2026-09.csv", whole(TWICE_BY_ITSELF[name](month_of(9))))
    report = royalties.run()
    assert sum(service.paid, Decimal(0)) <= cents(month_of(9)) + 1
    assert list(asked(report)) == ["2026-09.csv"]


def test_what_a_statement_says_twice_is_paid_twice_when_people_say_so(royalties, service):
    path = royalties.write("2026-09.csv", whole(TWICE_BY_ITSELF["every line twice"](month_of(9))))
    royalties.run()
    assert service.paid == []
    waiting = royalties.ask("run", royalties.job, "--again", path, "--yes", code=14)
    amount = comma(Decimal(waiting["totals_cents"]["planned"]).scaleb(-2))
    royalties.approve(waiting["plan_digest"], amount, "bia")
    royalties.say("run", royalties.job, "--again", path)
    assert service.paid == [pytest.approx(float(2 * cents(month_of(9))), abs=1)]
    report = royalties.run()
    assert (len(service.paid), asked(report)) == (1, {})


@pytest.mark.parametrize(("name", "other"), in_turn(IN_ANOTHER_SHAPE, ["next month", "same month", "another job"]))
def test_a_month_in_another_shape_beside_new_lines_of_it_is_not_paid_twice(royalties, service, name, other):
    old, new = with_upc(month_of(9, 60)), with_upc(month_of(9, 10, seed=77))
    royalties.write("2026-09-a.csv", whole(old))
    if other != "same month":
        royalties.run()
        declare(royalties, "2026-10", **({"job": "boreal"} if other == "another job" else {}))
    edition = whole([*IN_ANOTHER_SHAPE[name](old), *new])
    royalties.write("2026-09-b.csv" if other == "same month" else "2026-10.csv", edition)
    report = royalties.run()
    assert sum(service.paid, Decimal(0)) <= cents(old) + cents(new) + 60
    assert service.paid
    assert asked(report)


def fees(month, amounts):
    return [
        {"Período": f"2026-{month:02}", "ISRC": f"BRAUR26{at:05}", "Título": f"F {at}", "Valor": amount, "Moeda": "BRL"}
        for at, amount in enumerate(amounts)
    ]


def sales(month):
    """Sales one by one, a line each, at the few prices of a shop."""
    drawn = random.Random(month)
    return [
        {
            "Período": f"2026-{month:02}-{drawn.randint(1, 28):02}",
            "Plataforma": "Loja",
            "Território": drawn.choice(["BR", "US", "PT"]),
            "ISRC": f"BRAUR26{drawn.randrange(4):05}",
            "Valor": drawn.choice(["0,85", "0,85", "6,79", "24,65"]),
            "Moeda": "BRL",
        }
        for _ in range(120)
    ]


HONEST = {
    "late lines of the same months": lambda month: [*month_of(month), *month_of(month - 1, 8, seed=month + 300)],
    "streams at one price": lambda month: [
        row | {"Valor": comma(Decimal(n % 3 + 1) * Decimal("0.0012")), "Quantidade": str(n % 3 + 1)}
        for n, row in enumerate(month_of(month, 60))
    ]
    + month_of(month, 30, seed=month + 60),
    "sales one by one": sales,
    "flat fees": lambda month: fees(month, ["150,00"] * 20),
    "flat fees with centavos": lambda month: fees(month, ["1234,56"] * 6),
    "one recording a fee": lambda month: fees(month, ["987,65"]),
    "adjustments": lambda month: [*month_of(month), *fees(month - 1, ["-12,34", "-3,21"])],
    "a correction and its reversal": lambda month: [
        *month_of(month), *fees(month, ["55,55", "-55,55"]),
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", HONEST)
def test_honest_months_raise_no_question(royalties, service, name):
    for month in (9, 10, 11):
        declare(royalties, f"2026-{month:02}")
        lines = HONEST[name](month)
        royalties.write(f"2026-{month:02}.csv", whole(lines))
        report = royalties.run()
        assert (report.exit_code, asked(report)) == (ExitCode.DONE, {})
    assert len(service.paid) == 3
