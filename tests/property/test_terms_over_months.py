"""Terms, advances and taxes over random months come to what a plain reckoning in fractions comes to, month by month."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from io_adapters.ledger.ledger import open_ledger
from schemas.plan import Place
from tests.property.months import FEW
from tests.spec.tables import CPF, payees, reais, taxes
from tests.spec.year import Calendar, Year

MONTHS = tuple(f"2026-{month:02}" for month in range(2, 8))
DUE = {"": range(1, 13), "monthly": range(1, 13), "quarterly": (3, 6, 9, 12), "half_yearly": (6, 12)}
ANA = CPF["ana"]


def half_even(exact: Fraction) -> int:
    """Round a positive fraction of centavos, half a centavo to the even one."""
    whole, rest = divmod(exact.numerator * 2, exact.denominator * 2)
    above, half = rest * 2 > exact.denominator * 2, rest * 2 == exact.denominator * 2
    return whole + (1 if above or (half and whole % 2) else 0)


def reckon(earned, *, minimum, frequency, from_carried, advanced, rates, amount):
    """Each month's recouped, withheld, carried and paid centavos, the plain way; months in order, each run once."""
    carried, outstanding, found = 0, advanced, []
    for month, cents in zip(MONTHS, earned, strict=True):
        most = max(0, cents + carried if from_carried else cents)
        recouped = min(outstanding, most)
        outstanding -= recouped
        net = cents - recouped + carried
        is_paid = int(month[-2:]) in DUE[frequency] and net > 0 and net >= minimum
        gross, withheld = net if is_paid else 0, 0
        for kind in sorted([*rates, *(["INSS"] if amount else [])]):
            tax = amount if kind == "INSS" else half_even(Fraction(rates[kind]) / 100 * gross)
            withheld += min(gross - withheld, tax)
        carried = net - gross
        found.append((recouped, withheld, carried, gross - withheld))
    return found


@FEW
@given(
    earned=st.lists(st.integers(-5_000, 30_000), min_size=len(MONTHS), max_size=len(MONTHS)),
    minimum=st.sampled_from([0, 1, 5_000, 20_000]),
    frequency=st.sampled_from(sorted(DUE)),
    from_carried=st.booleans(),
    advanced=st.sampled_from([0, 7_777, 40_000]),
    rates=st.dictionaries(st.sampled_from(["IRRF", "ISS"]), st.sampled_from(["27.5", "0.5", "33.3333"])),
    amount=st.sampled_from([0, 0, 2_500]),
)
def test_each_month_comes_to_what_a_plain_reckoning_does(tmp_path_factory, earned, **deal):
    drawn = [f"| ana | {kind} | {rate} | |" for kind, rate in deal["rates"].items()]
    drawn += [f"| ana | INSS | | {reais(deal['amount'])} |"] if deal["amount"] else []
    table = taxes("\n".join(["| payee | kind | rate | amount |", *drawn]))
    known = payees("ana").assign(
        minimum_cents=deal["minimum"],
        frequency=deal["frequency"],
        recoup_from="earned_and_carried" if deal["from_carried"] else "",
    )
    calendar = Calendar()
    with open_ledger(f"sqlite:///{tmp_path_factory.mktemp('terms')}/ledger.db", clock=calendar) as ledger:
        year, found = Year(ledger.journal, calendar), []
        if deal["advanced"]:
            year.paid_ahead = f"| payee | reference | amount |\n| ana | disco | {reais(deal['advanced'])} |"
        for month, cents in zip(MONTHS, earned, strict=True):
            came_in = year.came_in(month, {"samba": reais(cents)})
            payables = year.run(
                month, year.opened(month, came_in, payees=known.astype(came_in.payees.dtypes.to_dict()), taxes=table)
            )
            own = [owed for owed in payables.obligations if owed.payee.tax_id == ANA]
            places = (Place.RECOUPED, Place.TAX, Place.CARRIED, Place.PLANNED)
            found.append(tuple(sum(owed.amount_cents for owed in own if owed.place is place) for place in places))
    assert found == reckon(earned, **deal)
