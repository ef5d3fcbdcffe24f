"""How royalties are taken apart again: lines -> exchange -> share -> exact part -> rounded -> payable, and back."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import pandas as pd
import pytest

from flows.books.rules.trace import (
    MOST_RANGES,
    LineFinder,
    SourceLines,
    came_in_cents,
    exact_sum,
    problems_of,
    royalty_parts,
    way_of,
    with_lines,
)
from flows.royalties.rules.balances import History
from schemas.job import Exchange
from schemas.tables.model import records
from schemas.trace import FileState, TraceProblem
from tests.spec.office import Office, inputs, job, statement
from tests.spec.tables import CPF, advances, lines, payees, shares, table

SPLIT = """
    | payee | recording | role     | share |
    | ana   | samba     | composer | 25    |
    | ana   | samba     | singer   | 10    |
    | bia   | samba     |          | 33.3333 |
    | ana   | valsa     |          | 100   |
"""
SEPTEMBER = """
    | recording | store | currency | amount |
    | samba     | one   | USD      | 10.00  |
    | samba     | two   | USD      | 5.00   |
    | samba     | one   | USD      | -0.01  |
    | valsa     | one   | BRL      | 3.335  |
    | samba     | one   | USD      | 0.001  |
"""
QUOTE = Exchange.model_validate({"rate": "5.4312", "date": "2026-10-31", "source": "PTAX"})


def parts_of(worked_out, payee):
    """Take what a record keeps of a payee's earnings apart."""
    earnings = worked_out.earnings
    return royalty_parts(earnings[earnings["tax_id"] == CPF[payee]])


def payables(statements, *, people=("ana", "bia"), split=SPLIT, **tables):
    """Work a month out, and return it with ana's balance."""
    history = tables.pop("history", History(carried_in={}, recouped={}))
    office = Office(job=job(rules=tables.pop("rules", {})), history=history)
    found = office.compute_payables(inputs(statements, payees=payees(*people), shares=shares(split), **tables))
    (balance,) = (row for row in records(found.balances) if row["tax_id"] == CPF["ana"])
    return found, balance


def source(parts, *frames, exchange=None):
    """One source whose files hold these lines."""
    finder = LineFinder(parts)
    for frame in frames:
        finder.add(frame)
    return SourceLines(exchange or {}, "BRL", finder.found())


def drawn(parts):
    """Parts in words: their recording by number, store, currency, lines, amount, and each share."""
    return {
        (part.isrc[-1], part.platform, part.currency, part.lines, str(part.source_amount.normalize())): {
            share.role: (share.share_ppm // 10_000, str(share.earned.normalize())) for share in part.shares
        }
        for part in parts
    }


def test_a_payees_parts_are_told_by_recording_store_and_role():
    found, _ = payables([statement(lines(SEPTEMBER), rates={"USD": "5"})])
    assert drawn(parts_of(found, "ana")) == {
        ("1", "one", "USD", 3, "9.991"): {"composer": (25, "12.48875"), "singer": (10, "4.9955")},
        ("1", "two", "USD", 1, "5"): {"composer": (25, "6.25"), "singer": (10, "2.5")},
        ("2", "one", "BRL", 1, "3.335"): {"": (100, "3.335")},
    }
    assert len(parts_of(found, "bia")) == 2
    assert parts_of(found, "caio") == ()


def test_parts_add_up_to_what_was_earned_before_it_was_rounded():
    found, balance = payables([statement(lines(SEPTEMBER), rates={"USD": "5"})])
    parts = parts_of(found, "ana")
    way = way_of(balance, parts, [], "")
    assert (way.earned_exact, way.earned_cents) == (Decimal("29.56925"), 2957)
    assert way.earned_exact == exact_sum(share.earned for part in parts for share in part.shares)
    assert problems_of(parts, way, None, in_cents=2957, placed_cents=2957) == ()


# One sum of lines has one amount, however many shares a payee has of it; two sources that look alike have two.
ALIKE = """
    | case                                  | sources | shares of ana | lines | amount | percent | earned |
    | one source, one share                 | 1       | 25            | 1     | 10     | 25      | 2.5    |
    | one source, two shares of one role    | 1       | 25 25         | 1     | 10     | 50      | 5      |
    | two sources, one share                | 2       | 25            | 2     | 20     | 25      | 5      |
    | two sources, two shares of one role   | 2       | 25 25         | 2     | 20     | 50      | 10     |
    | three sources, shares that make all   | 3       | 50 30 20      | 3     | 30     | 100     | 30     |
"""


@pytest.mark.parametrize("case", table(ALIKE), ids=lambda case: case["case"])
def test_sums_that_look_alike_are_told_apart(case):
    split = "| payee | share |\n" + "\n".join(f"| ana | {percent} |" for percent in case["shares of ana"].split())
    files = [lines("| recording | amount |\n| samba | 10.00 |", f"{n}.tsv") for n in range(int(case["sources"]))]
    found, _ = payables([statement(file) for file in files], split=split)
    (part,) = parts_of(found, "ana")
    (share,) = part.shares
    told = (part.lines, part.source_amount, share.share_ppm // 10_000, share.earned)
    assert told == (int(case["lines"]), Decimal(case["amount"]), int(case["percent"]), Decimal(case["earned"]))
    assert problems_of([part], None, None, in_cents=0, placed_cents=0) == ()


# Rows of one recording in one sheet; the header is row 1.
ROWS = """
    | rows of samba            | told as           | lines |
    | 2                        | 2-2               | 1     |
    | 2 3 4                    | 2-4               | 3     |
    | 2 3 5 9 10               | 2-3 5-5 9-10      | 5     |
    | 7 2 3                    | 2-3 7-7           | 3     |
"""


@pytest.mark.parametrize("case", table(ROWS), ids=lambda case: case["rows of samba"])
@pytest.mark.parametrize("block", [1, 2, 100])
def test_rows_of_lines_are_told_in_ranges_however_a_file_is_cut_into_blocks(case, block):
    found = found_rows(sorted(map(int, case["rows of samba"].split())), block)
    assert " ".join(f"{first}-{last}" for first, last in found.ranges) == case["told as"]
    assert (found.lines, found.amount) == (int(case["lines"]), Decimal(int(case["lines"])))


def test_only_the_first_ranges_are_told_and_all_lines_are_counted():
    found = found_rows(list(range(2, 200, 2)), 7)
    assert (len(found.ranges), found.ranges[0], found.lines) == (MOST_RANGES, (2, 2), 99)


def test_rows_beyond_the_ranges_told_never_lengthen_the_last_of_them():
    scattered = [*range(2, 2 + 2 * MOST_RANGES, 2)]
    first_after = scattered[-1] + 2
    assert found_rows([*scattered, first_after, first_after + 1], 100).ranges[-1] == (scattered[-1], scattered[-1])


def found_rows(rows, block):
    """Look for samba, a real each, in blocks of so many lines."""
    text = "| recording | amount |\n" + "| samba | 1.00 |\n" * len(rows)
    frame = lines(text).assign(row=rows)
    whole, _ = payables([statement(frame)], split="| payee | share |\n| ana | 100 |", people=("ana",))
    parts = parts_of(whole, "ana")
    blocks = [frame.iloc[start : start + block] for start in range(0, len(frame), block)]
    ((_, found),) = source(parts, *blocks).found
    return found


def test_lines_are_found_again_in_every_file_and_make_each_part():
    first, second = lines(SEPTEMBER, "a.tsv"), lines("| recording | store | amount |\n| valsa | one | 1.00 |", "b.tsv")
    both = pd.concat([first, second], ignore_index=True)
    found, _ = payables([statement(both, rates={"USD": "5.4312"})])
    parts = parts_of(found, "ana")
    told = with_lines(parts, [source(parts, first, second, exchange={"USD": QUOTE})])
    where = {(part.isrc[-1], part.platform): [(lines.file, lines.ranges) for lines in part.found] for part in told}
    assert where == {
        ("1", "one"): [("a.tsv", ((2, 2), (4, 4), (6, 6)))],
        ("1", "two"): [("a.tsv", ((3, 3),))],
        ("2", "one"): [("a.tsv", ((5, 5),)), ("b.tsv", ((2, 2),))],
    }
    same = {"a.tsv": FileState.SAME, "b.tsv": FileState.UNPROVEN}
    assert problems_of(told, None, same, in_cents=0, placed_cents=0) == ()
    assert {(part.currency, part.rate_origin) for part in told} == {("USD", "PTAX"), ("BRL", "")}


def test_lines_alike_but_for_their_rate_go_to_the_source_that_has_the_rate():
    text = "| recording | currency | amount |\n| valsa | USD | {} |"
    cheap, dear = lines(text.format("2.00"), "cheap.tsv"), lines(text.format("3.00"), "dear.tsv")
    found, _ = payables([statement(cheap, rates={"USD": "5"}), statement(dear, rates={"USD": "6"})])
    parts = parts_of(found, "ana")
    sources = [
        source(
            parts, frame, exchange={"USD": Exchange.model_validate({"rate": rate, "date": "2026-10-31", "source": "x"})}
        )
        for frame, rate in ((cheap, "5"), (dear, "6.0"))
    ]
    told = {str(part.rate): [lines.file for lines in part.found] for part in with_lines(parts, sources)}
    assert told == {"5": ["cheap.tsv"], "6": ["dear.tsv"]}


WAYS = """
    | case               | advance | carried in | earned | recouped | carried out | payable |
    | all is paid        |         | 0.00       | 100.00 | 0.00     | 0.00        | 100.00  |
    | an advance         | 40.00   | 0.00       | 100.00 | 40.00    | 0.00        | 60.00   |
    | below the minimum  | 90.00   | 5.00       | 100.00 | 90.00    | 15.00       | 0.00    |
    | owed back          | 100.00  | -7.00      | 100.00 | 100.00   | -7.00       | 0.00    |
"""


@pytest.mark.parametrize("case", table(WAYS), ids=lambda case: case["case"])
def test_the_way_to_what_is_payable_is_told_in_centavos_and_closes(case):
    cents = {name: int(Decimal(case[name] or 0) * 100) for name in case if name != "case"}
    ahead = advances(f"| payee | reference | amount |\n| ana | A1 | {case['advance']} |") if case["advance"] else None
    found, balance = payables(
        [statement(lines("| recording | amount |\n| valsa | 100.00 |"))],
        history=History(carried_in={CPF["ana"]: cents["carried in"]} if cents["carried in"] else {}, recouped={}),
        rules={"minimum_payout": "20.00"},
        **({"advances": ahead} if ahead is not None else {}),
    )
    payable = found.royalties.ways[CPF["ana"]]
    way = way_of(balance, parts_of(found, "ana"), payable, "2026-09")
    told = (way.earned_cents, way.recouped_cents, way.carried_in_cents, way.carried_out_cents, way.payable_cents)
    assert told == tuple(cents[n] for n in ("earned", "recouped", "carried in", "carried out", "payable"))
    assert way.carried_from == ("2026-09" if cents["carried in"] else "")
    taken = {advance.reference: advance.taken_cents for advance in payable.advances}
    assert taken == ({"A1": way.recouped_cents} if case["advance"] else {})
    assert payable.balance_cents == way.earned_cents - way.recouped_cents + way.carried_in_cents
    assert payable.payable_cents == way.payable_cents
    own = [owed for owed in found.obligations if owed.payee.tax_id == CPF["ana"]]
    assert came_in_cents(own, balance) == sum(owed.amount_cents for owed in own)


def traced():
    """Parts of which everything fits."""
    frame = lines(SEPTEMBER)
    found, balance = payables([statement(frame, rates={"USD": "5"})])
    parts = parts_of(found, "ana")
    told = with_lines(parts, [source(parts, frame)])
    return told, way_of(balance, told, None, "")


def with_first(parts, **changes):
    return (replace(parts[0], **changes), *parts[1:])


def shifted(parts, amount):
    share, *others = parts[0].shares
    return with_first(parts, shares=(replace(share, earned=share.earned + Decimal(amount)), *others))


SAME = {"statement.tsv": FileState.SAME}
# What is done to books that fit, and what is told of it, with all files there and with one gone.
WRONG = {
    "nothing": (lambda parts: parts, set(), set()),
    "a part of a centavo more in a share": (
        lambda parts: shifted(parts, "0.00001"),
        {TraceProblem.PART},
        {TraceProblem.PART},
    ),
    "another rate": (lambda parts: with_first(parts, rate=Decimal("5.1")), {TraceProblem.PART}, {TraceProblem.PART}),
    "a line not found": (lambda parts: with_first(parts, found=()), {TraceProblem.LINES}, set()),
    "a line too many": (
        lambda parts: with_first(parts, found=parts[0].found * 2),
        {TraceProblem.LINES},
        {TraceProblem.LINES},
    ),
    "lines of another amount": (
        lambda parts: with_first(parts, found=(replace(parts[0].found[0], amount=Decimal(1)),)),
        {TraceProblem.LINES},
        {TraceProblem.LINES},
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_does_not_fit_is_told(what):
    spoil, with_all, with_one_gone = WRONG[what]
    parts, way = traced()
    for files, expected in ((SAME, with_all), (SAME | {"b.tsv": FileState.GONE}, with_one_gone)):
        assert set(problems_of(spoil(parts), way, files, in_cents=1, placed_cents=1)) == expected


@pytest.mark.parametrize(("cents", "fits"), [(2956, True), (2957, True), (2955, False), (2958, False)])
def test_rounding_moves_less_than_a_centavo(cents, fits):
    """Ana has 29.56925: by largest remainder she may get 29.56 or 29.57, and nothing else."""
    parts, way = traced()
    assert Fraction(way.earned_exact) == Fraction("29.56925")
    found = problems_of(parts, replace(way, earned_cents=cents), None, in_cents=1, placed_cents=1)
    assert found == (() if fits else (TraceProblem.EARNED,))


def test_places_that_do_not_make_what_came_in_are_told():
    assert problems_of((), None, None, in_cents=100, placed_cents=99) == (TraceProblem.PLACES,)
