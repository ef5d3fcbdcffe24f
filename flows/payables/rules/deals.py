"""What deals come to in a sentence each: rows of shares, costs and advances that say more than who has how much."""

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Final

import pandas as pd

from flows.intake.rules.inputs import Inputs
from flows.royalties.rules.assets import LEVELS, Place
from flows.royalties.rules.costs import costs_in_order
from flows.royalties.rules.share_rows import resting_on_periods, share_rows
from schemas.deal_standing import DealTerm, TermKind
from schemas.messages import Listed, Message, Money
from schemas.share_texts import money_of, share_text, tier_texts
from schemas.tables.model import DataFrame, Record, records
from schemas.tables.payees import Advances
from schemas.tables.recoup_scope import scope_text
from schemas.tables.royalties import CONDITIONS, OF_PART, ON_TOP
from schemas.values.line_conditions import conditions_of, shown_word
from schemas.values.millionths import OF_PRICE
from schemas.values.tier_bounds import RETROACTIVE

_SAY_MORE: Final = ("base", "contract", "per_unit", "tier_from", "tier_to", "cap", "reserve_ppm")
# As many sentences as somebody reads; those who wrote more know their table.
MOST_TOLD: Final = 20


def told_deals(inputs: Inputs, currency: str) -> list[Message | Listed]:
    """Say back what rows of deals mean, each under its place, in the order of their tables.

    A plain share or advance says itself; so only those are told that have conditions, a base, a contract, a fraction, a
    tier, a cap, a scope or a part to recoup, and every cost.
    """
    names = dict(zip(*(inputs.payees[column].tolist() for column in ("tax_id", "name")), strict=True))
    told = [*_shares(inputs, names, currency), *_costs(inputs, names, currency), *_advances(inputs, names, currency)]
    more = len(told) - MOST_TOLD
    return [*told[:MOST_TOLD], Message("deal.more", count=more)] if more > 0 else told


def _shares(inputs: Inputs, names: Mapping[str, str], currency: str) -> Iterator[Message | Listed]:
    has_costs = len(inputs.costs) > 0
    says_more = (inputs.shares[[*CONDITIONS, *_SAY_MORE]] != "").any(axis=1)
    for row in records(inputs.shares[says_more | inputs.shares["share_ppm"].str.contains("/")]):
        contract = [Message("scope.contract", name=row["contract"])] if row["contract"] else []
        part: Message | Listed = Listed((share_text(row["share_ppm"]), _base(row["base"], has_costs=has_costs)), " ")
        if row["per_unit"]:
            part = _of_units(row["per_unit"])
        of_tier = tier_texts(row["tier_from"], row["tier_to"], row["cap"], currency)
        if row["reserve_ppm"]:
            given = Listed(tuple(share_text(part_ppm) for part_ppm in row["given_back"].split(",")))
            of_tier.append(Message("deal.reserve", part=share_text(row["reserve_ppm"]), release=given))
        payee = Message("deal.to", payee=names.get(row["tax_id"], "?"))
        yield _sentence(row, [part, *of_tier, *_of(row), *contract, payee])


def _costs(inputs: Inputs, names: Mapping[str, str], currency: str) -> Iterator[Message | Listed]:
    for row in records(inputs.costs.sort_values(["order", "file", "sheet", "row"])):
        whose = Message("deal.to", payee=names.get(row["tax_id"], "?")) if row["tax_id"] else Message("deal.to_owner")
        if row["fixed_amount"]:
            taken = Message("deal.cost_amount", name=row["name"], amount=money_of(row["fixed_amount"], currency))
        else:
            taken = Message("deal.cost", name=row["name"], part=share_text(row["share_ppm"]))
        most = tier_texts("", "", row["cap"], currency)
        day = [Message("deal.not_before", day=dt.date.fromisoformat(row["date"]))] if row["date"] else []
        yield _sentence(row, [taken, *most, *day, *_of(row), whose])


def _advances(inputs: Inputs, names: Mapping[str, str], currency: str) -> Iterator[Message | Listed]:
    for row in records(inputs.guarantees):
        facts = {"amount": Money(row["amount_cents"], currency), "day": dt.date.fromisoformat(row["date"])}
        of = [scope_text(row["scope"])] if row["scope"] else []
        payee = Message("deal.to", payee=names.get(row["tax_id"], "?"))
        yield _sentence(row, [Message("deal.guarantee", **facts), *of, payee])
    for row in records(_that_say_more(inputs.advances)):
        scope = Message("deal.recouped_from", scope=scope_text(row["scope"])) if row["scope"] else ""
        most = Message("deal.recouped_most", part=share_text(row["recoup_ppm"])) if row["recoup_ppm"] else ""
        amount = Message("deal.advance", amount=Money(row["amount_cents"], currency))
        said = [amount, scope, most, Message("deal.advance_to", payee=names.get(row["tax_id"], "?"))]
        yield _sentence(row, [part for part in said if part])


def _of_units(per_unit: str) -> Message:
    if per_unit.startswith(OF_PRICE):
        return Message("deal.of_price", part=share_text(per_unit.removeprefix(OF_PRICE)))
    return Message("deal.a_unit", amount=Decimal(per_unit))


def terms_of_deals(inputs: Inputs) -> Iterator[DealTerm]:
    """Tell what goes on over periods: costs of an amount or with a cap, tiers, caps, reserves, guarantees."""
    names = dict(zip(*(inputs.payees[column].tolist() for column in ("tax_id", "name")), strict=True))
    shares = inputs.shares[resting_on_periods(inputs.shares)]
    rows = {_place(row): row for table in (shares, inputs.costs) for row in records(table)}

    def term(kind: TermKind, place: Place, payee: str, what: str, row: str, bounds: str) -> DealTerm:
        return DealTerm(kind, payee, names.get(payee, ""), what, Listed(tuple(_of(rows[place]))), row, bounds, "")

    for cost in costs_in_order(inputs.costs):
        if cost.rests_on_periods:
            yield term(TermKind.COST, cost.place, cost.tax_id, cost.name, cost.row_name, cost.amount or cost.cap)
    for share in share_rows(shares.sort_values(["file", "sheet", "row"])):
        if share.has_tier:
            bounds = "|".join(filter(None, (share.tier_from.removesuffix(RETROACTIVE), share.tier_to)))
            yield term(TermKind.TIER, share.place, share.tax_id, share.role, share.ladder, bounds)
        if share.cap:
            yield term(TermKind.CAP, share.place, share.tax_id, share.role, share.row_name, share.cap)
        if share.reserve_ppm:
            yield term(TermKind.RESERVE, share.place, share.tax_id, share.role, share.given_back, "")
    for row in records(inputs.guarantees):
        amount, about = str(Decimal(row["amount_cents"]).scaleb(-2)), scope_text(row["scope"])
        name, key = names.get(row["tax_id"], ""), f"{row['reference']}|{row['scope']}"
        yield DealTerm(TermKind.GUARANTEE, row["tax_id"], name, row["reference"], about, key, amount, row["date"])


def _place(row: Record) -> Place:
    return row["file"], row["sheet"], row["row"]


def _that_say_more(advances: DataFrame[Advances]) -> pd.DataFrame:
    return advances[(advances["scope"] != "") | (advances["recoup_ppm"] != "")]


def _sentence(row: Record, said: Sequence[Message | Listed | str]) -> Message:
    return Message("deal.row", file=row["file"], row=row["row"], said=Listed(tuple(said)))


def _base(base: str, *, has_costs: bool) -> Message:
    if not base:
        return Message("deal.of_the_rest" if has_costs else "deal.of_the_whole")
    if base == ON_TOP:
        return Message("deal.on_top")
    role = base.removeprefix(OF_PART)
    return Message("deal.of_the_part" if base != role else "deal.out_of", role=role)


def _of(row: Record) -> Iterator[Message]:
    """Say of which lines a row is: what it names, and what it asks."""
    for level in LEVELS:
        if row[level]:
            yield Message(f"deal.{level}", name=row[level])
    for condition in conditions_of({name: row[name] for name in CONDITIONS}):
        kind = "except" if condition.is_except else "only"
        words = Listed(tuple(shown_word(condition.column, word) for word in sorted(condition.words)))
        yield Message(f"deal.{kind}", column=Message(f"model.column.{condition.column}"), words=words)
