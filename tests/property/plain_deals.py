"""Deals worked out line by line, as docs/rules.md has them, with nothing of the program: the obvious way, and slow.

Lines, shares and costs are plain dictionaries of what a person writes. Amounts are whole centavos, parts fractions.
"""

from fractions import Fraction

TERRITORIES = {"brasil": "br", "brazil": "br", "portugal": "pt"}
ASKED = ("territory", "income", "service", "format")
NAMED = ("recording", "release", "artist")


class NoPlan(Exception):
    """Shares above the whole, or rows of which it is not said which decides."""


class Held(Exception):
    """What a line comes to cannot be known."""


def word(column, text):
    folded = text.casefold().replace("â", "a")
    return TERRITORIES.get(folded, folded) if column == "territory" else folded


def part(text):
    return Fraction(text) if "/" in text else Fraction(text) / 100


def names(row, line):
    """Whether a row is of a line by what it names: the narrowest thing, and an artist beside a release."""
    if row["recording"]:
        return row["recording"] == line["recording"]
    if row["release"]:
        beside = not row["artist"] or not line["artist"] or row["artist"] == line["artist"]
        return row["release"] == line["release"] and beside
    return not row["artist"] or row["artist"] == line["artist"]


def level(row):
    return next((name for name in NAMED if row[name]), "catalogue")


def is_silent(row, line):
    return any(row[column] and not line[column] for column in ASKED)


def meets(row, line):
    for column in filter(row.get, ASKED):
        text = row[column].removeprefix("except ")
        says_it = word(column, line[column]) in {word(column, one) for one in text.split(" or ")}
        if says_it is (text != row[column]):
            return False
    return True


def conditions(row):
    found = []
    for column in filter(row.get, ASKED):
        text = row[column].removeprefix("except ")
        found.append((column, text != row[column], frozenset(word(column, one) for one in text.split(" or "))))
    return frozenset(found)


def deciding(shares, line):
    """The rows that decide, and those that are added to them, the narrowest level first."""
    group, added = [], []
    for here in (*NAMED, "catalogue"):
        rows = [row for row in shares if level(row) == here and (here == "catalogue" or row[here] == line[here])]
        adding, own = [row for row in rows if row["base"]], [row for row in rows if not row["base"]]
        is_one_of_several = not line["artist"] and len({row["artist"] for row in rows if row["artist"]}) > 1
        if here == "release" and is_one_of_several and (adding or not group):
            raise Held
        rows, adding, own = ([row for row in some if names(row, line)] for some in (rows, adding, own))
        if any(is_silent(row, line) for row in (*adding, *(own if not group else ()))):
            raise Held
        added += [row for row in sorted(adding, key=lambda row: row["row"]) if meets(row, line)]
        met = [row for row in own if meets(row, line)]
        if not group and met:
            most = max(len(conditions(row)) for row in met)
            group = [row for row in met if len(conditions(row)) == most]
    if len({conditions(row) for row in group}) > 1:
        raise NoPlan
    return group, added


def parts_of(shares, line):
    """Payee -> fraction of what is left of a line; None where nobody has a share of it."""
    group, added = deciding(shares, line)
    if not group:
        return None
    rows = [[row["payee"], row["role"], part(row["share"])] for row in group]
    out_of = sum(part(row["share"]) for row in added if row["base"] == "artista")
    theirs = of_role(rows, "artista")
    whole = sum(row[2] for row in theirs)
    if whole < out_of:
        raise Held
    for row in theirs:
        row[2] -= out_of * row[2] / whole if whole else 0
    beside = [[row["payee"], row["role"], part(row["share"])] for row in added if not row["base"].startswith("% ")]
    for row in (row for row in added if row["base"].startswith("% ")):
        theirs = of_role(rows, row["base"].removeprefix("% "))
        if not theirs:
            raise Held
        beside.append([row["payee"], row["role"], part(row["share"]) * sum(one[2] for one in theirs)])
        for one in theirs:
            one[2] *= 1 - part(row["share"])
    everybody = [*rows, *beside]
    if sum(row[2] for row in everybody) > 1:
        raise NoPlan
    return everybody


def of_role(rows, role):
    return [row for row in rows if row[1] == role]


def work_out(lines, shares, costs):
    """Everybody's exact centavos: payees by name, "owner", "held".

    Raises:
        NoPlan: as it says; where a line that is held would also make no plan, either may be told first.
    """
    found = {"owner": Fraction(0), "held": Fraction(0)}
    for line in lines:
        taken = [cost for cost in sorted(costs, key=lambda cost: (cost["order"], cost["row"])) if names(cost, line)]
        try:
            parts = parts_of(shares, line)
        except Held:
            parts = None
        if any(is_silent(cost, line) for cost in taken):
            parts = None
        if parts is None:
            found["held"] += line["cents"]
            continue
        left = Fraction(line["cents"])
        for cost in taken:
            if meets(cost, line):
                whose = cost["payee"] or "owner"
                found[whose] = found.get(whose, Fraction(0)) + left * part(cost["share"])
                left -= left * part(cost["share"])
        for payee, _, share in parts:
            found[payee] = found.get(payee, Fraction(0)) + left * share
        found["owner"] += left * (1 - sum(share for _, _, share in parts))
    return {name: cents for name, cents in found.items() if cents}
