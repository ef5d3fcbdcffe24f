"""From sound rows to obligations: who is owed what, under which key, and where the money would go."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Final

import pandas as pd

from flows.intake.rules.inputs import readable_cents
from flows.royalties.rules.allocation import RoundedEarnings
from flows.royalties.rules.balances import Royalties
from flows.royalties.rules.terms import Terms, TermsOfPayees
from schemas.issues import IssueCode
from schemas.job import Breakdown, Elements
from schemas.obligation import Kind, Obligation, Payee, SourceRow
from schemas.plan import OWNER_REFERENCE, ROYALTIES, JobIdentity, Place
from schemas.reasons import Reasons, because, reasons_of
from schemas.tables.model import DataFrame, Record, records
from schemas.tables.payees import Payees, Payments
from schemas.values.bank_account import DESTINATION_COLUMNS, Destination, destination_of
from schemas.values.money import round_parts
from schemas.wire import amount_from_cents

PERSON: Final = (
    "name", "email", "artist_name", "contact_id", "original_tax_id", "original_name", "parent_id", "parent_name",
)  # fmt: skip
RowsByPayee = Mapping[str, Record]


def owe_payments(
    payments: DataFrame[Payments], known: RowsByPayee, payee_problems: Mapping[str, str], identity: JobIdentity
) -> list[Obligation]:
    """Turn sound payments rows into obligations.

    A row without a destination of its own takes the payee's; what it leaves blank of name, e-mail and the like too.

    Args:
        payee_problems: Tax id -> codes, for payees whose own row has problems.
    """
    obligations = []
    for row in records(payments):
        own = known.get(row["tax_id"], {})
        payee, account = payee_of(row, own), account_of(_row_of_account(row, own))
        reasons = _why_unpayable(payee, account, payee_problems)
        key = identity.payment_key(payee.tax_id, row["reference"])
        obligations.append(
            Obligation(
                kind="payment",
                amount_cents=row["amount_cents"],
                place=Place.HELD if reasons else Place.PLANNED,
                reasons=reasons,
                key=key,
                base_key=key,
                reference=row["reference"],
                payee=payee,
                account=account,
                account_holder=row["account_holder"],
                destination=account.fingerprint if account else "",
                **_wishes_of(row),
                source=source_of(row),
            )
        )
    return obligations


def owe_repeated(row: Record, reasons: Reasons) -> Obligation:
    """Turn a sound payments row of a file that was used before into what it stands for: nothing is paid of it."""
    return Obligation(
        kind="payment",
        amount_cents=row["amount_cents"] + row["owner_amount_cents"],
        place=Place.DUPLICATE,
        reasons=reasons,
        reference=row["reference"],
        payee=payee_of(row),
        account=account_of(row),
        account_holder=row["account_holder"],
        **_wishes_of(row),
        source=source_of(row),
    )


def owe_unreadable(row: Record, own: Mapping[str, Any], place: Place, reasons: Reasons) -> Obligation:
    """Turn a payments row with problems into what can be read of it: nothing of it is sent, and it stays in sight.

    Args:
        own: The payee's row of the payees table; empty where there is none.
    """
    person = payee_of(row, own)
    return Obligation(
        kind="payment",
        amount_cents=readable_cents(row["amount"]),
        place=place,
        reasons=reasons,
        reference=row.get("reference", ""),
        payee=Payee(person.tax_id, person.name, person.email, person.artist_name),
        source=source_of(row),
    )


def destinations_of(payments: DataFrame[Payments], payees: DataFrame[Payees]) -> list[str]:
    """Return the fingerprint of where each payments row would go; "" for nowhere."""
    known = rows_by_payee(payees[payees["tax_id"].isin(payments["tax_id"].unique())])
    accounts = (account_of(_row_of_account(row, known.get(row["tax_id"], {}))) for row in records(payments))
    return [account.fingerprint if account else "" for account in accounts]


def owe_royalties(
    royalties: Royalties,
    rounded: RoundedEarnings,
    known: RowsByPayee,
    problems: Mapping[str, str],
    identity: JobIdentity,
    terms: TermsOfPayees,
    *,
    tell_deducted: bool = False,
) -> list[Obligation]:
    """Turn balances into obligations and their other parts: recouped, carried, held, and lines nobody shares.

    Args:
        problems: Tax id -> codes, for payees who cannot be paid for now.
        tell_deducted: Whether payments say what was recouped and withheld before; the first of a period alone does.
    """
    obligation, rows, to_invoice = list[Obligation](), records(royalties.balances), royalties.to_invoice
    for column, kind, place, code in _PARTS:
        for balance in (row for row in rows if row[column]):
            tax_id = balance["tax_id"]
            reserved_cents = _reserved_cents(balance, royalties) if place is Place.CARRIED else 0
            cents = reserved_cents if code == _RESERVED else balance[column] - reserved_cents
            if not cents:
                continue
            own = known.get(tax_id, {})
            account = account_of(own)
            is_rest = place is Place.HELD and balance["payable_cents"]  # of it another part is paid
            key = identity.royalty_key(tax_id) if kind == "royalty" and not is_rest else ""
            waits = to_invoice[tax_id].code if tax_id in to_invoice else None
            problem = problems.get(tax_id) or (waits.value if waits else "")
            obligation.append(
                Obligation(
                    kind=kind,
                    amount_cents=cents,
                    place=place,
                    reasons=because("difference")
                    if place is Place.CARRIED and cents < 0 and tax_id in royalties.paid
                    else _why_there(place, code, problem, cents, terms.of(tax_id)),
                    key=key,
                    base_key=key,
                    reference=ROYALTIES if kind == "royalty" else "",
                    payee=payee_of({"tax_id": tax_id}, own),
                    account=account,
                    destination=account.fingerprint if account else "",
                    deducted_cents=_deducted_cents(balance)
                    if tell_deducted and key and tax_id not in royalties.paid
                    else 0,
                    **_royalty_wishes_of(own) if key else {},
                )
            )
    of_nobody = [
        (rounded.unmatched_cents, Place.HELD, IssueCode.SHARE_UNMATCHED.value),
        *(
            (cents, Place.DUPLICATE if code == IssueCode.FILE_DUPLICATE else Place.HELD, code)
            for code, cents in rounded.aside_cents.items()
        ),
    ]
    obligation += [
        Obligation(kind="unmatched", amount_cents=cents, place=place, reasons=reasons_of(code))
        for cents, place, code in of_nobody
        if cents
    ]
    return obligation


def _reserved_cents(balance: Record, royalties: Royalties) -> int:
    """Return what is in reserve of what is carried out; a payee who owes back has nothing there."""
    in_reserve = royalties.ways[balance["tax_id"]].reserved_cents
    return min(in_reserve, max(0, int(balance["carried_out_cents"])))


def _deducted_cents(balance: Record) -> int:
    return int(balance["recouped_cents"] + balance["taxed_cents"])


def _royalty_wishes_of(own: Mapping[str, Any]) -> dict[str, Any]:
    """Tell what a payee's payments of royalties bear at the service, by their row of the payees table."""
    if "royalty_withhold" not in own:  # of whom the table of payees has no row
        return {}
    wishes = {name: own[f"royalty_{name}"] for name in ("withhold", "advance", "percentage")}
    return wishes | {"anticipation_id": own["anticipation_id"]}


def _why_there(place: Place, code: str, problem: str, cents: int, terms: Terms) -> Reasons:
    if place is Place.HELD:
        return reasons_of(problem)
    waits = place is Place.CARRIED and code != _RESERVED and cents > 0 and not terms.is_due
    return because("not_due") if waits else reasons_of(code)


_RESERVED: Final = "reserved"
# column of the balance, kind, place, reason
_PARTS: Final[tuple[tuple[str, Kind, Place, str], ...]] = (
    ("payable_cents", "royalty", Place.PLANNED, ""),
    ("held_cents", "royalty", Place.HELD, ""),
    ("recouped_cents", "recouped", Place.RECOUPED, "advance"),
    ("carried_out_cents", "carried", Place.CARRIED, _RESERVED),
    ("carried_out_cents", "carried", Place.CARRIED, "below_minimum"),
)


def owe_taxes(withheld: Mapping[tuple[str, str], int], known: RowsByPayee) -> list[Obligation]:
    """Turn what is withheld into obligations: the payer owes it to the tax office, and no report carries it.

    Args:
        withheld: Payee and kind of tax -> centavos.
    """
    return [
        Obligation(
            kind="tax",
            amount_cents=cents,
            place=Place.TAX,
            reference=tax,
            payee=payee_of({"tax_id": tax_id}, known.get(tax_id, {})),
        )
        for (tax_id, tax), cents in sorted(withheld.items())
    ]


def owe_owner(
    amount_cents: int, payer_name: str, identity: JobIdentity, stated_before_cents: int = 0
) -> list[Obligation]:
    """The owner's part: an obligation like any other, with the payer as payee; none where it is nothing.

    A negative one, of returns, stays with the owner: no report can carry it. So does what reports of other periods
    have stated too much.
    """
    found = [_owner_part(amount_cents - stated_before_cents, payer_name, identity)]
    if stated_before_cents:
        before = _owner_part(stated_before_cents, payer_name, identity)
        reasons = because("stated_before")
        found.append(replace(before, place=Place.OWNER, reasons=reasons, key="", base_key="", reference=""))
    return [owner for owner in found if owner.amount_cents]


def _owner_part(amount_cents: int, payer_name: str, identity: JobIdentity) -> Obligation:
    return Obligation(
        kind="owner",
        amount_cents=amount_cents,
        place=Place.PLANNED if amount_cents > 0 else Place.OWNER,
        key=identity.owner_key(),
        base_key=identity.owner_key(),
        reference=OWNER_REFERENCE,
        payee=Payee(identity.payer, payer_name),
    )


def rows_by_payee(payees: DataFrame[Payees]) -> RowsByPayee:
    """Return the rows of the payees table by tax id."""
    return {row["tax_id"]: row for row in records(payees)}


def payee_of(row: Mapping[str, Any], own: Mapping[str, Any] = MappingProxyType({})) -> Payee:
    """Tell whom a row is for; what it leaves blank, the payee's own row tells.

    Args:
        own: The payee's row of the payees table; empty where there is none.
    """
    return Payee(row["tax_id"], **{name: row.get(name) or own.get(name, "") for name in PERSON})


def source_of(row: Mapping[str, Any]) -> SourceRow:
    """Tell where a row of a payments file stands."""
    return SourceRow(row["file"], row["sheet"], row["row"])


def _row_of_account(row: Mapping[str, Any], own: Mapping[str, Any]) -> Mapping[str, Any]:
    return row if row["pix_key"] or row["account"] else own


def account_of(row: Mapping[str, Any]) -> Destination | None:
    """Return the destination that a row states; None for none."""
    columns = DESTINATION_COLUMNS[:2] if row.get("pix_key") else DESTINATION_COLUMNS
    return destination_of(**{name: row.get(name, "") for name in columns})


def _wishes_of(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: row[name] for name in ("withhold", "advance", "recurring", "percentage", "anticipation_id")}


def _why_unpayable(payee: Payee, account: Destination | None, payee_problems: Mapping[str, str]) -> Reasons:
    if account is None:
        return reasons_of(payee_problems.get(payee.tax_id, IssueCode.DESTINATION_MISSING.value))
    return () if payee.name else reasons_of(IssueCode.NAME_REQUIRED.value)


_KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    "recording": ("isrc", "upc", "release", "title", "artist"),
    "platform": ("platform",),
    "territory": ("territory",),
}

ARRAYS: Final = ("products", "platforms", "details")
Arrays = Mapping[str, Sequence[Mapping[str, Any]]]


def break_down(
    wanted: Breakdown, obligations: Iterable[Obligation], earnings: pd.DataFrame, territories: pd.DataFrame
) -> dict[str, Arrays]:
    """Make the arrays of every planned payment: of royalties by what earned them, of rows by what each says.

    Differences to what was sent before bear none: what a period earned is not what a difference is made of.

    Returns:
        Obligation key -> name of the array -> its elements, in order of what they stand for. Amounts are the payee's
        part before advances and carry, rounded to centavos over each array by largest remainder.
    """
    declared = wanted.declared
    rows = {name: shape for name, shape in declared.items() if shape.by == "row"}
    of_rows = {
        owed.key: {name: [_element_of(owed, shape)] for name, shape in rows.items()}
        for owed in obligations
        if rows and owed.kind == "payment" and owed.place is Place.PLANNED
    }
    keys = {
        obligation.payee.tax_id: obligation.key
        for obligation in obligations
        if obligation.kind == "royalty" and obligation.place is Place.PLANNED and obligation.reference == ROYALTIES
    }
    found: dict[str, dict[str, list[dict[str, Any]]]] = {key: {} for key in keys.values()}
    for name, shape in declared.items():
        if shape.by == "row":
            continue
        table = territories if shape.by == "territory" else earnings
        for tax_id, parts in _by_payee(table[table["tax_id"].isin(list(keys))]):
            found[keys[tax_id]][name] = list(_elements(parts, shape))
    return {key: arrays for key, arrays in (found | of_rows).items() if arrays}


def _element_of(owed: Obligation, shape: Elements) -> dict[str, Any]:
    about = {
        "reference": owed.reference,
        "artist_name": owed.payee.artist_name,
        "name": owed.payee.name,
        "amount": amount_from_cents(owed.amount_cents),
    }
    return {field: about[what] for field, what in shape.fields.items()}


def _by_payee(table: pd.DataFrame) -> Iterator[tuple[str, list[Record]]]:
    for tax_id, rows in table.groupby("tax_id"):
        yield str(tax_id), records(rows)


def _elements(rows: Sequence[Record], shape: Elements) -> Iterator[dict[str, Any]]:
    sums: dict[tuple[str, ...], tuple[Fraction, int]] = {}
    names = _KEYS[shape.by]
    for row in rows:
        key = tuple(row[name] for name in names)
        exact, units = sums.get(key, (Fraction(0), 0))
        sums[key] = exact + Fraction(row["earned"]) * 100, units + row["units"]
    ordered = sorted(sums)
    cents = round_parts([sums[key][0] for key in ordered])
    for key, part in zip(ordered, cents, strict=True):
        about: dict[str, Any] = dict(zip(names, key, strict=True))
        about |= {"amount": amount_from_cents(part), "units": sums[key][1]}
        yield {field: about[what] for field, what in shape.fields.items()}
