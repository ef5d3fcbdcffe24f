"""From sound rows to obligations: who is owed what, under which key, and where the money would go."""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

import pandas as pd

from flows.royalties.rules.allocation import RoundedEarnings
from schemas.issues import IssueCode
from schemas.job import Breakdown, Elements
from schemas.plan import OWNER_REFERENCE, ROYALTIES, JobIdentity, Place
from schemas.tables.contract import DataFrame, Record, records
from schemas.tables.obligations import Obligations, PayeeBalances
from schemas.tables.payees import Payees
from schemas.tables.payments import Payments
from schemas.values.destination import DESTINATION_COLUMNS, destination_fingerprints
from schemas.values.money import round_parts
from schemas.wire import amount_from_cents

PERSON: Final = (
    "name", "email", "artist_name", "contact_id", "original_tax_id", "original_name", "parent_id", "parent_name",
)  # fmt: skip
COLUMNS: Final = tuple(Obligations.to_schema().columns)
FLAGS: Final = frozenset({"withhold", "advance", "recurring"})
NUMBERS: Final = frozenset({"amount_cents", "row"})
_KINDS: Final = {name: "bool" if name in FLAGS else "int64" if name in NUMBERS else "str" for name in COLUMNS}
_EMPTY: Final[dict[str, object]] = {"bool": False, "int64": 0, "str": ""}


def obligation_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """Complete rows with the columns they lack ("" / False / 0) and give every column its type.

    For the parts of what is owed: they are checked once, when `obligations_frame` puts them together.
    """
    lacking = {kind: pd.Series([empty] * len(rows), dtype=kind).array for kind, empty in _EMPTY.items()}
    given = {name: values.array for name, values in rows.items()}
    columns = {name: given[name].astype(kind) if name in given else lacking[kind] for name, kind in _KINDS.items()}
    return pd.DataFrame(columns)


def obligations_frame(rows: pd.DataFrame) -> DataFrame[Obligations]:
    """Complete rows as `obligation_rows` does, and check that they keep the table's promise."""
    return DataFrame[Obligations](obligation_rows(rows))


def owe_payments(
    payments: DataFrame[Payments], payees: DataFrame[Payees], payee_problems: Mapping[str, str], identity: JobIdentity
) -> pd.DataFrame:
    """Turn sound payments rows into obligation rows.

    A row without a destination of its own takes the payee's; what it leaves blank of name, e-mail and the like too.

    Args:
        payments: Sound rows of all payments files.
        payees: Sound rows of the payees table; may be empty.
        payee_problems: Tax id -> codes, for payees whose own row has problems.
        identity: What the keys rest on.
    """
    rows = fill_from_payees(payments, payees)
    reason = _why_unpayable(rows, payee_problems)
    keys = [identity.payment_key(p, r) for p, r in zip(rows["tax_id"], rows["reference"], strict=True)]
    rows = rows.assign(key=keys, base_key=keys, kind="payment", reason=reason)
    rows["place"] = (rows["reason"] == "").map({True: Place.PLANNED.value, False: Place.HELD.value})
    return obligation_rows(_fingerprinted(rows))


def destinations_of(payments: DataFrame[Payments], payees: DataFrame[Payees]) -> pd.Series:
    """Return the fingerprint of where each payments row would go, dtype str, index of the payments."""
    return destination_fingerprints(fill_from_payees(payments, payees))


def owe_royalties(
    balances: DataFrame[PayeeBalances],
    rounded: RoundedEarnings,
    payees: DataFrame[Payees],
    problems: Mapping[str, str],
    identity: JobIdentity,
) -> pd.DataFrame:
    """Turn balances into obligation rows and their other parts: recouped, carried, held, and lines nobody shares.

    Args:
        balances: Each payee's balance; held ones have payable 0 and their sum in held.
        rounded: Earnings, for the lines that no share covers.
        payees: Sound rows of the payees table.
        problems: Tax id -> codes, for payees who cannot be paid for now.
        identity: What the keys rest on.
    """
    parts = pd.concat([_part(balances, *spec) for spec in _PARTS], ignore_index=True)
    parts["reason"] = [
        problems.get(t, "") if p == Place.HELD else why
        for t, p, why in zip(parts["tax_id"], parts["place"], parts["reason"], strict=True)
    ]
    royalty = parts["kind"] == "royalty"
    parts["key"] = [identity.royalty_key(t) if r else "" for t, r in zip(parts["tax_id"], royalty, strict=True)]
    parts["base_key"] = parts["key"]
    parts["reference"] = royalty.map({True: ROYALTIES, False: ""})
    payees_parts = obligation_rows(_fingerprinted(fill_from_payees(parts.reset_index(drop=True), payees)))
    of_nobody = [
        (rounded.unmatched_cents, Place.HELD, IssueCode.SHARE_UNMATCHED.value),
        *(
            (cents, Place.DUPLICATE if code == IssueCode.FILE_DUPLICATE else Place.HELD, code)
            for code, cents in rounded.aside_cents.items()
        ),
    ]
    others = [
        {"kind": "unmatched", "amount_cents": cents, "place": place.value, "reason": code}
        for cents, place, code in of_nobody
        if cents
    ]
    frames = [
        payees_parts,
        obligation_rows(pd.DataFrame(others, columns=["kind", "amount_cents", "place", "reason"])),
    ]
    return pd.concat(frames, ignore_index=True)


# column of the balance, kind, place, reason
_PARTS: Final = (
    ("payable_cents", "royalty", Place.PLANNED.value, ""),
    ("held_cents", "royalty", Place.HELD.value, ""),
    ("recouped_cents", "recouped", Place.RECOUPED.value, "advance"),
    ("carried_out_cents", "carried", Place.CARRIED.value, "below_minimum"),
)


def _part(balances: pd.DataFrame, column: str, kind: str, place: str, reason: str) -> pd.DataFrame:
    chosen = balances[balances[column] != 0]
    return pd.DataFrame(
        {"tax_id": chosen["tax_id"], "amount_cents": chosen[column], "kind": kind, "place": place, "reason": reason}
    )


def owe_owner(amount_cents: int, payer_name: str, identity: JobIdentity) -> pd.DataFrame:
    """The owner's part: an obligation like any other, with the payer as payee.

    A negative one, of returns, stays with the owner: no report can carry it.
    """
    owner = {"key": identity.owner_key(), "base_key": identity.owner_key(), "kind": "owner", "name": payer_name}
    rows = [owner | {"tax_id": identity.payer, "reference": OWNER_REFERENCE, "amount_cents": amount_cents}]
    frame = pd.DataFrame(rows if amount_cents else [], columns=[*owner, "tax_id", "reference", "amount_cents"])
    place = Place.PLANNED if amount_cents > 0 else Place.OWNER
    return obligation_rows(frame.assign(place=place.value))


def fill_from_payees(
    rows: pd.DataFrame, payees: pd.DataFrame, names: Sequence[str] = (*PERSON, *DESTINATION_COLUMNS)
) -> pd.DataFrame:
    """Fill what a row leaves blank from the payees table; a destination is taken whole or not at all.

    Args:
        rows: By tax id; columns that are not there are blank.
        payees: Sound rows of the payees table.
        names: What to fill: the person alone, or the destination too.
    """
    given = {name: rows[name].tolist() if name in rows else [""] * len(rows) for name in names}
    position = {tax_id: number for number, tax_id in enumerate(payees["tax_id"])}
    known = [position.get(tax_id) for tax_id in rows["tax_id"]]
    nowhere = [""] * len(rows)
    accounts = zip(given.get("pix_key", nowhere), given.get("account", nowhere), strict=True)
    bare = [not pix_key and not account for pix_key, account in accounts]
    filled = {}
    for name, values in given.items():
        own = payees[name].tolist()
        blank = [not value for value in values] if name in PERSON else bare
        taken = [
            (own[number] if number is not None else "") if lacks else value
            for value, lacks, number in zip(values, blank, known, strict=True)
        ]
        filled[name] = pd.array(taken, dtype="str")
    return rows.assign(**filled)


def _why_unpayable(rows: pd.DataFrame, payee_problems: Mapping[str, str]) -> list[str]:
    nowhere = (rows["pix_key"] == "") & (rows["account"] == "")
    reasons = []
    for tax_id, name, lost in zip(rows["tax_id"], rows["name"], nowhere, strict=True):
        if lost:
            reasons.append(payee_problems.get(tax_id, IssueCode.DESTINATION_MISSING.value))
        else:
            reasons.append("" if name else IssueCode.NAME_REQUIRED.value)
    return reasons


def _fingerprinted(rows: pd.DataFrame) -> pd.DataFrame:
    return rows.assign(destination=destination_fingerprints(rows))


_KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    "recording": ("isrc", "upc", "release", "title", "artist"),
    "platform": ("platform",),
    "territory": ("territory",),
}

ARRAYS: Final = ("products", "platforms", "details")
Arrays = Mapping[str, Sequence[Mapping[str, Any]]]


def break_down(
    wanted: Breakdown, obligations: DataFrame[Obligations], earnings: pd.DataFrame, territories: pd.DataFrame
) -> dict[str, Arrays]:
    """Make the arrays of every planned payment of royalties.

    Differences to what was sent before bear none: what a period earned is not what a difference is made of.

    Args:
        wanted: What the job declares.
        obligations: What is owed, after claims and checks.
        earnings: `schemas.tables.obligations.Earnings`.
        territories: `TerritoryEarnings` of the same run.

    Returns:
        Obligation key -> name of the array -> its elements, in order of what they stand for. Amounts are the payee's
        part before advances and carry, rounded to centavos over each array by largest remainder.
    """
    declared = {name: shape for name in ARRAYS if (shape := getattr(wanted, name))}
    if not declared:
        return {}
    planned = obligations[(obligations["kind"] == "royalty") & (obligations["place"] == Place.PLANNED.value)]
    keys = {row["tax_id"]: row["key"] for row in records(planned) if row["reference"] == ROYALTIES}
    found: dict[str, dict[str, list[dict[str, Any]]]] = {key: {} for key in keys.values()}
    for name, shape in declared.items():
        table = territories if shape.by == "territory" else earnings
        for tax_id, parts in _by_payee(table[table["tax_id"].isin(list(keys))]):
            found[keys[tax_id]][name] = list(_elements(parts, shape))
    return {key: arrays for key, arrays in found.items() if arrays}


def _by_payee(table: pd.DataFrame) -> Iterator[tuple[str, list[Record]]]:
    for tax_id, rows in table.groupby("tax_id"):
        yield str(tax_id), records(rows)


def _elements(rows: Sequence[Record], shape: Elements) -> Iterator[dict[str, Any]]:
    """Sum a payee's rows by what an element stands for, and write each as declared."""
    sums: dict[tuple[str, ...], tuple[Fraction, int]] = {}
    names = _KEYS[shape.by]
    for row in rows:
        key = tuple(row[name] for name in names)
        exact, units = sums.get(key, (Fraction(0), 0))
        sums[key] = exact + Fraction(Decimal(row["earned"])) * 100, units + row["units"]
    ordered = sorted(sums)
    cents = round_parts([sums[key][0] for key in ordered])
    for key, part in zip(ordered, cents, strict=True):
        about: dict[str, Any] = dict(zip(names, key, strict=True))
        about |= {"amount": amount_from_cents(part), "units": sums[key][1]}
        yield {field: about[what] for field, what in shape.fields.items()}
