"""What a royalties job comes to, reckoned from the invented records in plain fractions.

Written apart from the product and kept simple on purpose: the two must agree to the centavo. The rules:

1. Line amount x exchange rate x share = earning, exact.
2. A line's shares are those of the most specific level (isrc, upc, release, artist, whole catalogue) of which any is
   valid on the first day of the line's month; wider ones do not count then.
3. What the shares of a line leave is the owner's; a line without shares is held.
4. One rounding to centavos over all payees (by document), the owner and what is held, in this order: the exact total
   is rounded half to even, each part down, and the centavos left go to the largest fractions, on a tie to the earlier.
5. Advances are taken back from positive earnings, the oldest first (date, then reference); one linked to a recording
   takes at most what the payee earned with that recording, in whole centavos.
6. What is then below the minimum, zero or negative is carried to the next period; the rest is payable.
"""

import datetime as dt
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from fractions import Fraction

from sample_data.making.catalogue import Share
from sample_data.making.people import Payee
from sample_data.making.statements import DISTROKID_FILE, REAL_FILE, Line

RATES = {"USD": Fraction("5.4312"), "BRL": Fraction(1)}
MINIMUM_CENTS = 2_000
LEVELS = ("isrc", "upc", "release", "artist", "catalogue")
OWNER, HELD = "owner", "held"


@dataclass(frozen=True, slots=True)
class Advance:
    """Money paid before it was earned; `isrc` is "" when any earning may repay it."""

    tax_id: str
    reference: str
    amount_cents: int
    date: dt.date
    isrc: str = ""


@dataclass(frozen=True, slots=True)
class Balance:
    """What became of a payee's earnings, in centavos: earned = recouped + carried out + payable."""

    tax_id: str
    name: str
    earned_cents: int
    recouped_cents: int
    carried_out_cents: int
    payable_cents: int


@dataclass(slots=True)
class Parts:
    """Exact earnings in reais: of each payee, of a payee from one recording, of the owner, and what is held."""

    payees: dict[str, Fraction] = field(default_factory=lambda: defaultdict(Fraction))
    recordings: dict[tuple[str, str], Fraction] = field(default_factory=lambda: defaultdict(Fraction))
    owner: Fraction = Fraction(0)
    held: Fraction = Fraction(0)
    held_lines: dict[str, int] = field(default_factory=lambda: defaultdict(int))


def known_result(
    job: str, lines: Sequence[Line], shares: Sequence[Share], payees: Sequence[Payee], advances: Sequence[Advance]
) -> dict[str, object]:
    """Return what the job must come to, as plain JSON values; money in centavos of BRL."""
    parts = _share_out(lines, shares)
    cents = _round_once({**dict(sorted(parts.payees.items())), OWNER: parts.owner, HELD: parts.held})
    recouped = _recoup(cents, parts, advances)
    names = {payee.tax_id: payee.name for payee in payees}
    balances = [_balance(tax_id, names[tax_id], cents[tax_id], recouped) for tax_id in sorted(parts.payees)]
    return {
        "job": job,
        "period": "2026-10",
        "currency": "BRL",
        "lines": [_line_counts(file, lines, parts.held_lines) for file in (DISTROKID_FILE, REAL_FILE)],
        "totals_cents": {
            "in": sum(cents.values()),
            "paid": sum(balance.payable_cents for balance in balances),
            "owner": cents[OWNER],
            "recouped": sum(balance.recouped_cents for balance in balances),
            "carried": sum(balance.carried_out_cents for balance in balances),
            "held": cents[HELD],
        },
        "payees": [asdict(balance) for balance in balances],
        "advances": [
            {
                "tax_id": advance.tax_id,
                "reference": advance.reference,
                "isrc": advance.isrc,
                "amount_cents": advance.amount_cents,
                "recouped_cents": recouped[advance.tax_id, advance.reference],
            }
            for advance in advances
        ],
    }


def _share_out(lines: Sequence[Line], shares: Sequence[Share]) -> Parts:
    by_target: dict[tuple[str, str], list[Share]] = defaultdict(list)
    for share in shares:
        by_target[share.level, share.target].append(share)
    parts = Parts()
    for line in lines:
        amount = Fraction(line.amount) * RATES[line.currency]
        winners = _winners(line, by_target)
        if not winners:
            parts.held += amount
            parts.held_lines[line.file] += 1
            continue
        left = amount
        for share in winners:
            earned = amount * Fraction(share.percent) / 100
            parts.payees[share.tax_id] += earned
            parts.recordings[share.tax_id, line.track.isrc] += earned
            left -= earned
        parts.owner += left
    return parts


def _winners(line: Line, by_target: Mapping[tuple[str, str], Sequence[Share]]) -> list[Share]:
    targets = (line.track.isrc, line.track.upc, line.release, line.track.artist, "")
    for level, target in zip(LEVELS, targets, strict=True):
        valid = [
            share
            for share in by_target.get((level, target), ())
            if (share.valid_from or dt.date.min) <= line.month <= (share.valid_to or dt.date.max)
        ]
        if valid:
            return valid
    return []


def _round_once(parts: Mapping[str, Fraction]) -> dict[str, int]:
    exact = {key: part * 100 for key, part in parts.items()}
    cents = {key: part.numerator // part.denominator for key, part in exact.items()}
    left = round(sum(exact.values(), Fraction(0))) - sum(cents.values())
    by_fraction = sorted(exact, key=lambda key: cents[key] - exact[key])  # stable: the earlier part on a tie
    for key in by_fraction[:left]:
        cents[key] += 1
    return cents


def _recoup(cents: Mapping[str, int], parts: Parts, advances: Sequence[Advance]) -> dict[tuple[str, str], int]:
    available = {tax_id: max(amount, 0) for tax_id, amount in cents.items()}
    recouped: dict[tuple[str, str], int] = {}
    for advance in sorted(advances, key=lambda advance: (advance.date, advance.reference)):
        most = min(advance.amount_cents, available[advance.tax_id])
        if advance.isrc:
            earned = parts.recordings[advance.tax_id, advance.isrc] * 100
            most = min(most, max(earned.numerator // earned.denominator, 0))
        available[advance.tax_id] -= most
        recouped[advance.tax_id, advance.reference] = most
    return recouped


def _balance(tax_id: str, name: str, earned: int, recouped: Mapping[tuple[str, str], int]) -> Balance:
    taken = sum(amount for (payee, _), amount in recouped.items() if payee == tax_id)
    net = earned - taken
    payable = net if net >= MINIMUM_CENTS else 0
    return Balance(tax_id, name, earned, taken, carried_out_cents=net - payable, payable_cents=payable)


def _line_counts(file: str, lines: Sequence[Line], held_lines: Mapping[str, int]) -> dict[str, object]:
    read = sum(line.file == file for line in lines)
    held = held_lines.get(file, 0)
    return {"file": file, "read": read, "used": read - held, "held": held}
