"""Months a label might have: random lines, shares, payments and ledgers, small enough to run in many variations."""

from dataclasses import dataclass, replace

import pandas as pd
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st

from flows.intake.rules.inputs import Inputs
from flows.payables.rules.account_checks import CheckResult, CheckVerdict, accounts_to_pay
from flows.royalties.rules.balances import History
from tests.spec.office import Office, inputs, job, statement
from tests.spec.tables import CPF, PEOPLE, advances, held_rows, lines, payees, payments, reais, shares

RATES = {"USD": "5.4312", "EUR": "6.0000001"}
CURRENCIES = st.sampled_from(["BRL", "USD", "EUR"])
RECORDINGS = st.sampled_from(["", "samba", "valsa", "choro"])
ARTISTS = st.sampled_from(["", "Lua", "Sol"])
MONTHS = st.sampled_from(["", "2026-08", "2026-10"])
ANYBODY = st.sampled_from(PEOPLE)
EXACT = st.decimals(-200, 200, allow_nan=False, places=12) | st.sampled_from(["0.005", "-0.01", "0", "33.335"])


def drawn(header: str, rows) -> str:
    """Draw a table."""
    return "\n".join([header, *("| " + " | ".join(map(str, row)) + " |" for row in rows)])


def some_lines(*, at_least=0, at_most=8):
    """Royalty lines of several currencies, some of them returns."""
    row = st.tuples(RECORDINGS, ARTISTS, MONTHS, CURRENCIES, EXACT)
    header = "| recording | artist | month | currency | amount |"
    return st.lists(row, min_size=at_least, max_size=at_most).map(lambda rows: lines(drawn(header, rows)))


@st.composite
def some_shares(draw):
    """Shares of recordings, artists and the catalogue that never exceed the whole; some end in September."""
    rows = []
    for recording, artist in (("samba", ""), ("valsa", ""), ("", "Lua"), ("", "")):
        people = draw(st.lists(ANYBODY, max_size=3, unique=True))
        cuts = sorted(
            draw(st.lists(st.integers(1, 1_000_000), min_size=len(people), max_size=len(people), unique=True))
        )
        ends = draw(st.sampled_from(["", "2026-09-30"]))
        for payee, start, stop in zip(people, [0, *cuts], cuts, strict=False):
            rows.append((payee, recording, artist, f"{(stop - start) / 10_000:.4f}", ends))
    return shares(drawn("| payee | recording | artist | share | to |", rows))


SMALL_CENTS = st.integers(1, 50_000)


@st.composite
def some_payments(draw):
    """Payments rows of different payees, some with the owner's part, some without a destination."""
    people = draw(st.lists(ANYBODY, max_size=4, unique=True))
    owners = st.sampled_from(["", "0.01", "7.50"])
    keys = {payee: st.sampled_from(["", f"{payee}@example.com"]) for payee in people}
    rows = [(payee, reais(draw(SMALL_CENTS)), draw(owners), draw(keys[payee])) for payee in people]
    return payments(drawn("| payee | amount | owner | key |", rows))


@st.composite
def some_held(draw):
    """Rows with problems, their amounts readable or not."""
    row = st.tuples(ANYBODY, EXACT | st.just(""), st.sampled_from(["BRL", "USD"]), st.just("PIX_CPF"))
    return held_rows(drawn("| payee | amount | currency | problem |", draw(st.lists(row, max_size=3))))


@st.composite
def some_advances(draw):
    """Advances, some of one recording."""
    row = st.tuples(
        ANYBODY, st.sampled_from(["a", "b"]), st.sampled_from(["", "2026-01-01", "2025-06-30"]), RECORDINGS,
        SMALL_CENTS.map(reais),
    )  # fmt: skip
    found = draw(st.lists(row, max_size=4))
    return advances(drawn("| payee | reference | date | recording | amount |", found))


@dataclass(frozen=True)
class Month:
    """What came in, and an office whose ledger and rules are as random.

    Attributes:
        came_in: All tables.
        office: Rules, history and account answers.
    """

    came_in: Inputs
    office: Office


@st.composite
def months(draw):
    """A month of statements and payments."""
    known = draw(st.lists(ANYBODY, max_size=len(PEOPLE), unique=True))
    came_in = inputs(
        [statement(draw(some_lines()), held=draw(some_held()), rates=RATES)],
        payments=draw(some_payments()),
        held_payments=draw(some_held()),
        payees=payees(*known),
        payee_problems={CPF[name]: "PIX_CPF" for name in PEOPLE[:2] if name not in known},
        shares=draw(some_shares()),
        advances=draw(some_advances()),
    )
    rules = {
        "unmatched": draw(st.sampled_from(["hold", "owner"])),
        "minimum_payout": draw(st.sampled_from(["0", "20.00"])),
        "recoup_advances": draw(st.booleans()),
        "max_payments_per_batch": draw(st.integers(1, 4)),
    }
    carried = draw(st.dictionaries(ANYBODY.map(CPF.__getitem__), st.integers(-9_000, 9_000), max_size=2))
    history = History(carried, {(CPF["ana"], "a"): draw(st.integers(0, 2_000))})
    return Month(came_in, Office(job=job(rules=rules), history=history))


def answered(draw_answer, month: Month) -> Month:
    """The same month, with an answer for every account that would be paid."""
    obligations = month.office.compute_payables(month.came_in).obligations
    verdicts = {
        account.fingerprint: CheckVerdict(draw_answer()) for account in accounts_to_pay(obligations, ownership=True)
    }
    return replace(month, office=replace(month.office, verdicts=verdicts))


ANSWERS = st.sampled_from(CheckResult)


def shuffled(frame: pd.DataFrame, random) -> pd.DataFrame:
    """The same rows in another order; each keeps the number it has in its file."""
    return frame.iloc[random.sample(range(len(frame)), len(frame))].reset_index(drop=True)


FEW = settings(
    max_examples=max(4, settings.default.max_examples // 25),
    phases=(Phase.explicit, Phase.reuse, Phase.generate),  # a shorter example takes minutes to find
    suppress_health_check=[
        *settings.default.suppress_health_check,
        HealthCheck.data_too_large,
        HealthCheck.function_scoped_fixture,
    ],
)
