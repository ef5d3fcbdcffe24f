"""However lines are cut into blocks and files, and in whatever order they are added up, the sums are the same."""

from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from decimal import Context, Decimal
from fractions import Fraction
from itertools import pairwise

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import array

from flows.intake.rules.inputs import Statement, merge, nothing, of_files, sum_lines, worth_cents
from flows.royalties.rules.allocation import allocate, exact_cents_by, round_earnings
from flows.royalties.rules.deals import Deals
from io_adapters.statement_lines.sums import Summing, give_memory_back, lines_of, sums_of
from schemas.queries import opened_database
from schemas.tables.model import records
from schemas.tables.royalties import CONDITIONS, LINE_AMOUNT, PLATFORM_KEY, TERRITORY_KEY, TOGETHER, together
from tests.property.months import RATES, drawn, shuffled, some_shares
from tests.spec.tables import held_rows, lines
from tests.spec.tables import shares as shares_of

WORTH = {currency: Decimal(rate) for currency, rate in RATES.items()} | {"BRL": Decimal(1)}
SOME = settings(max_examples=settings.default.max_examples // 4)
RANDOM = st.randoms(use_true_random=False)
ASKED = st.lists(st.sampled_from(CONDITIONS), unique=True)
LARGEST = Decimal("9999999999999.999999999999999999")
EXACT = Context(prec=60)
AMOUNTS = (
    st.integers(-(10**31) + 1, 10**31 - 1).map(lambda n: Decimal(n).scaleb(-18, EXACT))
    | st.integers(-(10**19), 10**19).map(lambda n: Decimal(n).scaleb(-18, EXACT))
    | st.sampled_from([LARGEST, LARGEST.copy_negate(), Decimal("1e-18"), Decimal(0)])
)
ROW = st.tuples(
    st.sampled_from(["", "samba", "valsa"]),
    st.sampled_from(["", "Lua"]),
    st.sampled_from(["", "2026-09", "2026-10-03"]),
    st.sampled_from(["Onda", "Praia"]),
    st.sampled_from(["BRL", "USD", "EUR"]),
)


@st.composite
def files_of_lines(draw, *, at_least=1):
    """Lines of up to three files, on platforms and in territories; amounts as large and as small as any may be."""
    rows = draw(st.lists(ROW, min_size=at_least, max_size=12))
    frame = lines(drawn("| recording | artist | month | store | currency | amount |", [(*row, "0") for row in rows]))

    def column(values):
        return draw(st.lists(values, min_size=len(rows), max_size=len(rows)))

    amounts = array(column(AMOUNTS), type=LINE_AMOUNT)
    return frame.assign(
        amount=pd.Series(amounts, dtype=pd.ArrowDtype(LINE_AMOUNT)),
        units=pd.Series(column(st.integers(-(10**15) + 1, 10**15 - 1)), dtype="int64"),
        territory=pd.Series(column(st.sampled_from(["", "BR", "PT"])), dtype="str"),
        income=pd.Series(column(st.sampled_from(["", "sync", "mecânico"])), dtype="str"),
        file=pd.Series(column(st.sampled_from(["a.csv", "b.csv", "c.csv"])), dtype="str"),
    )


def cut(frame, data):
    """Blocks of lines, some of them perhaps empty."""
    cuts = sorted(data.draw(st.lists(st.integers(0, len(frame)), max_size=4)))
    edges = [0, *cuts, len(frame)]
    return [frame.iloc[a:b].reset_index(drop=True) for a, b in pairwise(edges)]


def added_up(blocks, conditions=()):
    totals = []
    with opened_database() as database:
        for file in ("a.csv", "b.csv", "c.csv"):
            sums = Summing(conditions)
            for block in blocks:
                sums.add(sums_of(database, lines_of(block[block["file"] == file]), conditions))
            totals.append(sums.total(file, None))
    return merge(totals)


def assert_same(found, expected):
    pd.testing.assert_frame_equal(found.by_platform, expected.by_platform, check_frame_type=False)
    pd.testing.assert_frame_equal(found.by_territory, expected.by_territory, check_frame_type=False)


@SOME
@given(files_of_lines(), RANDOM, st.data())
def test_any_cut_and_any_order_of_lines_and_blocks_gives_the_same_sums(frame, random, data):
    blocks = cut(shuffled(frame, random), data)
    random.shuffle(blocks)
    conditions = data.draw(ASKED)
    assert_same(added_up(blocks, conditions), sum_lines(frame, conditions))


@SOME
@given(files_of_lines(), RANDOM, ASKED)
def test_sums_may_be_merged_in_any_grouping_file_by_file_or_at_once(frame, random, conditions):
    of_one_file = [sum_lines(part.reset_index(drop=True), conditions) for _, part in frame.groupby("file")]
    random.shuffle(of_one_file)
    first, *rest = of_one_file
    whole = sum_lines(frame, conditions)
    assert_same(merge([merge([first, nothing()]), merge(rest)]), whole)
    parted = [of_files(whole, {"a.csv"}, keep=keep) for keep in (False, True)]
    assert_same(merge(parted), whole)


@SOME
@given(files_of_lines(), ASKED)
def test_arrow_comes_to_what_plain_integers_come_to(frame, conditions):
    totals = sum_lines(frame, conditions)
    for found, key in ((totals.by_platform, PLATFORM_KEY), (totals.by_territory, TERRITORY_KEY)):
        sums = defaultdict(lambda: [Fraction(0), 0, 0])
        for line in records(frame):
            alike = together(key, conditions)
            known = sums[tuple(TOGETHER if name in alike else line[name] for name in key)]
            known[0] += Fraction(line["amount"])
            known[1] += line["units"]
            known[2] += 1
        told = {
            tuple(row[name] for name in key): [Fraction(row["amount"]), int(row["units"]), row["lines"]]
            for row in records(found)
        }
        assert told == sums


def test_sums_go_where_arrow_s_usual_decimals_would_overflow_without_a_word():
    drawn_lines = "| recording | amount |\n" + "\n".join(["| samba | 99999999999999999999.999999999999999999 |"] * 3)
    totals = merge([sum_lines(lines(drawn_lines))] * 2)
    assert str(totals.by_platform["amount"].iloc[0]) == "599999999999999999999.999999999999999994"
    assert str(totals.by_territory["amount"].iloc[0]) == "599999999999999999999.999999999999999994"


@SOME
@given(files_of_lines(), some_shares(), RANDOM, st.data())
def test_earnings_and_their_centavos_are_the_same_from_any_blocks(frame, shares, random, data):
    def allocated(totals):
        return allocate(totals, Deals(shares), rates=WORTH, first_day="2026-10-01")

    blocks = cut(shuffled(frame, random), data)
    random.shuffle(blocks)
    whole, pieced = allocated(sum_lines(frame)), allocated(added_up(blocks))
    pd.testing.assert_frame_equal(pieced.earnings, whole.earnings)
    pd.testing.assert_frame_equal(pieced.territories, whole.territories)
    assert round_earnings(pieced.earnings) == round_earnings(whole.earnings)


@SOME
@given(files_of_lines(), some_shares())
def test_what_payees_earn_by_territory_is_what_they_earn_by_platform(frame, shares):
    allocation = allocate(sum_lines(frame), Deals(shares), rates=WORTH, first_day="2026-10-01")
    earnings, territories = allocation.earnings, allocation.territories
    key = ["tax_id", "currency"]
    of_payees = {name: cents for name, cents in exact_cents_by(earnings, key).items() if name[0]}
    by_territory = exact_cents_by(territories.assign(role=""), key)
    assert by_territory == of_payees


@SOME
@given(files_of_lines())
def test_the_books_count_what_is_shared_out_without_looking_at_it(frame):
    statement = Statement(sum_lines(frame), held_rows(), WORTH)
    exact = sum(
        (Fraction(a) * Fraction(WORTH[c]) * 100 for a, c in zip(frame["amount"], frame["currency"], strict=True)),
        Fraction(0),
    )
    assert worth_cents(statement) == exact
    nobody = replace(statement, totals=replace(statement.totals, by_platform=nothing().by_platform))
    assert worth_cents(nobody) == exact


@pytest.mark.parametrize("roles", [("", "produtora"), ("autora", "autora")])
def test_a_payee_with_two_shares_of_a_recording_has_its_lines_once_by_territory(roles):
    shared = shares_of(
        f"""
        | payee | recording | share | role       |
        | ana   | samba     | 25    | {roles[0]} |
        | ana   | samba     | 50    | {roles[1]} |
        """
    )
    came_in = lines("| recording | amount |\n| samba | 8.00 |").assign(units=4, territory="BR")
    allocation = allocate(sum_lines(came_in), Deals(shared), rates=WORTH, first_day="2026-10-01")
    (record,) = records(allocation.territories)
    assert (record["territory"], record["source_amount"], record["units"], record["earned"]) == ("BR", 8, 4, 6)


def test_lines_are_added_up_while_another_thread_gives_memory_back():
    """The desk reads what several people have uploaded at the same time."""

    def added(number):
        with opened_database() as database:
            return database.arrow(f"SELECT {number} AS number")["number"].to_pylist()

    with ThreadPoolExecutor(4) as threads:
        reading = [threads.submit(added, number) for number in range(200)]
        while not all(future.done() for future in reading):
            give_memory_back()
        assert [future.result() for future in reading] == [[number] for number in range(200)]
