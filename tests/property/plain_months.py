"""Deals that go over months, worked out line by line as docs/rules.md has them, with nothing of the program.

Rows are those of `tests.property.plain_deals`, and say besides: a share `above`, `below` and `measure` of its tier (""
or "un"), `retroactive`, `cap` and `reserve` (centavos and percent, "" for none); a cost its `amount`, `cap` (centavos)
and `date`. A share is a percentage, a fraction, "0.10/un" (money a unit) or "10/price" (a percentage of the price).
"""

from collections import defaultdict
from fractions import Fraction

from tests.property.plain_deals import Held, deciding, is_silent, meets, names, part


class PlainMonths:
    """What each month came to when it ran last; a month that runs looks at the others as they stand."""

    def __init__(self, shares, costs):
        self.shares, self.costs = shares, sorted(costs, key=lambda cost: (cost["order"], cost["row"]))
        self.sums = {}
        self.of_contracts = {}  # of each month: payee and contract -> exact centavos of shares

    def run(self, month, lines):
        """Everybody's exact centavos of a month: payees by name, "owner", "held", and "kept" in reserve."""
        found, here = defaultdict(Fraction), defaultdict(Fraction)
        self.of_contracts[month] = defaultdict(Fraction)
        sound = []
        for line in lines:
            if self._is_held(line):
                found["held"] += line["cents"]
            else:
                sound.append(line | {"left": Fraction(line["cents"]), "group": deciding(self.shares, line)})
        earlier, others = defaultdict(Fraction), defaultdict(Fraction)
        for other, sums in self.sums.items():
            for name, quantity in sums.items() if other != month else ():
                others[name] += quantity
                earlier[name] += quantity if other < month else 0
        self._take_costs(month, sound, others, here, found)
        tiers = self._tiers(sound, earlier, here)
        given = [(line, parts_of(line, tiers)) for line in sound]
        caps = self._caps(given, others, here)
        for line, parts in given:
            for row, rate, unit in parts:
                of_row = (line["left"] * rate + line["units"] * unit) * caps.get(row["row"], 1)
                found[row["payee"]] += of_row
                self.of_contracts[month][row["payee"], row.get("contract", "")] += of_row
                line["left_over"] = line.get("left_over", line["left"]) - of_row
            found["owner"] += line["left_over"]
        self.sums[month] = here
        return {name: cents for name, cents in found.items() if cents}

    def _is_held(self, line):
        try:
            group, _ = deciding(self.shares, line)
            parts_of(line | {"group": deciding(self.shares, line)}, {})
        except Held:
            return True
        return not group or any(names(cost, line) and is_silent(cost, line) for cost in self.costs)

    def _take_costs(self, month, lines, others, here, found):
        for cost in self.costs:
            of_cost = [line for line in lines if names(cost, line) and meets(cost, line)]
            whole = sum(line["left"] for line in of_cost)
            is_due = not cost["date"] or cost["date"] <= f"{month_named(month)}-31"
            taken = part(cost["share"]) if cost["share"] and is_due else Fraction(0)
            most, name = cost["amount"] or cost["cap"], ("cost", cost["name"])
            if most:
                room = most - min(most, max(0, others[name])) if is_due else 0
                if cost["amount"]:
                    taken = min(room, whole) / whole if whole > 0 else Fraction(0)
                elif whole > 0:
                    taken = min(taken, room / whole)
                here[name] += whole * taken
            for line in of_cost:
                found[cost["payee"] or "owner"] += line["left"] * taken
                line["left"] -= line["left"] * taken

    def _tiers(self, lines, earlier, here):
        """Which part of its lines each row of a ladder has: row -> fraction."""
        for line in lines:
            rows = [row for rows in line["group"] for row in rows if has_tier(row)]
            for ladder in {ladder_of(row) for row in rows}:
                here["money", ladder] += line["left"]
                here["units", ladder] += line["units"]
        return {row["row"]: self._part(row, earlier, here) for row in self.shares if has_tier(row)}

    def _part(self, row, earlier, here):
        name = ("units" if row["measure"] else "money", ladder_of(row))
        start, end = earlier[name], earlier[name] + here[name]
        low, high = row["above"], row["below"]

        def reached(stand):
            return (low == "" or stand >= low) and (high == "" or stand < high)

        if start == end:
            return Fraction(reached(start))
        if row["retroactive"]:
            return Fraction(end * reached(end) - start * reached(start)) / (end - start)
        first, last = min(start, end), max(start, end)
        within = (last if high == "" else min(last, high)) - (first if low == "" else max(first, low))
        return max(Fraction(0), Fraction(within)) / (last - first)

    def _caps(self, given, others, here):
        """Which part of what it would give each row gives; and what is kept in reserve."""
        wish = defaultdict(Fraction)
        for line, parts in given:
            for row, rate, unit in parts:
                wish[row["row"]] += line["left"] * rate + line["units"] * unit
        found = {}
        for row in self.shares:
            if row["row"] not in wish:
                continue
            gives = wish[row["row"]]
            if row["cap"] != "":
                name = ("given", ladder_of(row), row["above"], row["below"])
                room = row["cap"] - min(row["cap"], max(0, others[name]))
                found[row["row"]] = min(Fraction(1), room / gives) if gives > 0 else Fraction(1)
                gives *= found[row["row"]]
                here[name] += gives
            if row["reserve"] and gives > 0:
                here["kept", row["payee"]] += gives * part(row["reserve"])
        return found


def month_named(month):
    """Months are numbered from January 2026 on."""
    return f"{2026 + (month - 1) // 12}-{(month - 1) % 12 + 1:02}"


def has_tier(row):
    return row["above"] != "" or row["below"] != ""


def ladder_of(row):
    return tuple(row[name] for name in ("payee", "role", "recording", "release", "artist", "territory", "base"))


def rates_of(row, line, tiers):
    """What a row has of a line: a part of its money, and centavos a unit."""
    share, tier = row["share"], tiers.get(row["row"], Fraction(1))
    if share.endswith("/un"):
        return Fraction(0), Fraction(share.removesuffix("/un")) * 100 * tier
    if share.endswith("/price"):
        if line["price"] == "":
            raise Held
        return Fraction(0), part(share.removesuffix("/price")) * Fraction(line["price"]) * 100 * tier
    return part(share) * tier, Fraction(0)


def parts_of(line, tiers):
    """Rows with what each has of a line, after all that is taken out of roles."""
    group, added = line["group"]
    rows = [[row, *rates_of(row, line, tiers)] for row in group]
    adding = [[row, *rates_of(row, line, tiers)] for row in added]
    theirs = [one for one in rows if one[0]["role"] == "artista"]
    out_of, whole = sum(one[1] for one in adding if one[0]["base"] == "artista"), sum(one[1] for one in theirs)
    if whole < out_of:
        if not tiers:
            raise Held
        for one in (one for one in adding if one[0]["base"] == "artista"):  # a tier that is not reached has less
            one[1] *= whole / out_of
        out_of = whole
    for one in theirs:
        one[1] -= out_of * one[1] / whole if whole else 0
    beside = [one for one in adding if not one[0]["base"].startswith("% ")]
    for row, rate, _ in (one for one in adding if one[0]["base"].startswith("% ")):
        if not theirs:
            raise Held
        beside.append([row, rate * sum(one[1] for one in theirs), Fraction(0)])
        for one in theirs:
            one[1] *= 1 - rate
    return [*rows, *beside]
