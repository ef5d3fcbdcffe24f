"""Over months in any order, corrected, failed and run again: everything ever earned is in one place, once.

An example is a handful of runs of a third of a second each, so few are tried each time.
"""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from io_adapters.ledger.ledger import open_ledger
from schemas.obligation import planned_payments
from schemas.parsing.table import empty_table
from tests.property.months import ANYBODY, FEW, RATES, SMALL_CENTS, drawn, some_advances, some_lines, some_shares
from tests.spec.office import inputs, statement
from tests.spec.tables import CPF, opening, payees, reais, taxes
from tests.spec.year import Calendar, Year

MONTHS = ("2026-01", "2026-02", "2026-03")
AFTER_ALL = "2027-01"
EVENTS = st.lists(st.tuples(st.sampled_from(MONTHS), st.sampled_from(["run", "run", "fail"])), min_size=2, max_size=5)


@st.composite
def some_balances(draw):
    """Opening balances of the first month, and payments made outside."""
    carried = draw(st.dictionaries(ANYBODY, st.integers(-9_000, 9_000), max_size=2))
    outside = draw(
        st.lists(st.tuples(ANYBODY, st.sampled_from(MONTHS), SMALL_CENTS), max_size=2, unique_by=lambda one: one[:2])
    )
    rows = [(payee, "carried", MONTHS[0], reais(cents)) for payee, cents in carried.items()]
    rows += [(payee, "paid", month, reais(cents)) for payee, month, cents in outside]
    return drawn("| payee | kind | month | amount |", rows) if rows else ""


@st.composite
def some_payees(draw):
    """Payees, some of them with terms of their own."""
    known = payees(*draw(st.lists(ANYBODY, unique=True)))
    of_each = {
        "minimum_cents": st.sampled_from([-1, -1, 0, 5_000]),
        "frequency": st.sampled_from(["", "", "quarterly"]),
        "recoup_from": st.sampled_from(["", "earned_and_carried"]),
    }
    drawn = {name: [draw(choice) for _ in range(len(known))] for name, choice in of_each.items()}
    return known.assign(**drawn).astype(known.dtypes.to_dict())


@st.composite
def some_taxes(draw):
    """Taxes of some payees, by percentage and by amount."""
    rates = draw(st.dictionaries(ANYBODY, st.sampled_from(["27.5", "1.5", "33.3333", "100"]), max_size=3))
    amounts = draw(st.dictionaries(ANYBODY, st.integers(1, 9_000), max_size=2))
    rows = [(payee, "IRRF", rate, "") for payee, rate in rates.items()]
    rows += [(payee, "INSS", "", reais(cents)) for payee, cents in amounts.items()]
    return taxes(drawn("| payee | kind | rate | amount |", rows)) if rows else empty_table("taxes")


class LabelYear:
    """A year, what came in last for each month, and what everybody has been paid outside."""

    def __init__(self, year, whole_shares):
        self.year, self.shares = year, whole_shares
        self.came_in, self.payables, self.outside = {}, {}, {}
        self.advances = empty_table("advances")
        self.taxes = empty_table("taxes")

    def take_in(self, month, statement_lines, known):
        tables = {"payees": known, "shares": self.shares, "taxes": self.taxes}
        self.came_in[month] = inputs([statement(statement_lines, rates=RATES)], **tables)

    def run(self, month):
        """Run a month as it came in last; returns what is to be paid to others than the owner."""
        came_in = self.year.opened(month, replace(self.came_in[month], advances=self.advances))
        self.payables[month] = payables = self.year.run(month, came_in)
        self.outside[month] = self.year.office.opened.royalties_paid
        return planned_payments(payables.obligations)

    def left(self):
        """What the journal hands on after all months: balances, and what is recouped."""
        found = self.year.history(AFTER_ALL)
        return found.carried_in, found.recouped

    def of(self, payee):
        """What somebody ever earned, and where it is."""
        earned = sum(
            payable.balances.set_index("tax_id")["earned_cents"].get(payee, 0) for payable in self.payables.values()
        )
        outside = sum(one.amount_cents for month in self.outside.values() for one in month if one.payee == payee)
        withheld = sum(
            owed.amount_cents
            for payable in self.payables.values()
            for owed in payable.obligations
            if (owed.payee.tax_id, owed.place) == (payee, "tax")
        )
        recouped = sum(cents for (who, _), cents in self.left()[1].items() if who == payee)
        carried = self.left()[0].get(payee, 0)
        return earned, recouped + self.year.paid(payee) + outside + carried + withheld


@FEW
@given(
    data=st.data(),
    events=EVENTS,
    whole=some_shares(),
    balances=some_balances(),
    minimum=st.sampled_from(["0", "20.00"]),
)
def test_everything_ever_earned_is_recouped_paid_carried_or_held_and_no_run_changes_it_twice(
    tmp_path_factory, data, events, whole, balances, minimum
):
    calendar = Calendar()
    with open_ledger(f"sqlite:///{tmp_path_factory.mktemp('months')}/ledger.db", clock=calendar) as ledger:
        label_year = LabelYear(Year(ledger.journal, calendar, {"minimum_payout": minimum}, balances=balances), whole)
        label_year.taxes = data.draw(some_taxes())
        for month, event in [(MONTHS[0], "run"), *events]:
            if event == "fail":
                label_year.year.fail(month)
                continue
            label_year.advances = data.draw(some_advances())
            label_year.take_in(month, data.draw(some_lines(at_most=5)), data.draw(some_payees()))
            label_year.run(month)
            left, paid = label_year.left(), label_year.year.paid()
            assert not label_year.run(month)
            assert (label_year.left(), label_year.year.paid()) == (left, paid)
        for month in data.draw(
            st.permutations(sorted(label_year.came_in))
        ):  # whatever failed, and whatever is outstanding now
            label_year.run(month)
        left, paid = label_year.left(), label_year.year.paid()
        for month in data.draw(st.permutations(sorted(label_year.came_in))):
            assert not label_year.run(month)
        assert (label_year.left(), label_year.year.paid()) == (left, paid)
        opened = opening(balances) if balances else empty_table("opening")
        carried = opened[opened["kind"] == "carried"].groupby("tax_id")["amount_cents"].sum()
        for payee in CPF.values():
            earned, placed = label_year.of(payee)
            assert earned + carried.get(payee, 0) == placed
