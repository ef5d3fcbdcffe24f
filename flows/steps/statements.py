"""From the tables of a run to one statement per payee: exact sums by recording, platform and territory."""

import datetime as dt
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import groupby
from operator import itemgetter
from typing import Final, Literal, NamedTuple

import pandas as pd

from flows.steps.accrue import History, Posting, advance_reference
from flows.steps.statement_sums import EarningSums, earnings_by_payee, territories_by_payee
from schemas.job import Job, Period
from schemas.masking import mask_tax_id
from schemas.payee_statement import (
    AdvanceStanding,
    PayeeStatement,
    Quote,
    StatementHeading,
    StatementPayment,
    WayToPaid,
)
from schemas.plan import Place, digest_of, short_token
from schemas.standing_words import standing_of
from schemas.submission import Submission
from schemas.tables.frames import Record, records

TOKEN_LENGTH: Final = 8
# Brazil has had no summer time since 2019 (Decreto 9.772/2019).
BRASILIA: Final = dt.timezone(dt.timedelta(hours=-3))
_TOLD: Final = ("royalty", "payment", "carried")
_DIFFERENCE: Final = "difference"


class StatementTables(NamedTuple):
    """The tables that statements are composed of, of `schemas.tables.obligations`.

    Attributes:
        earnings: Earnings.
        territories: TerritoryEarnings.
        balances: PayeeBalances.
        obligations: Obligations, best after `reconcile`, so that payments stand where they are by now.
    """

    earnings: pd.DataFrame
    territories: pd.DataFrame
    balances: pd.DataFrame
    obligations: pd.DataFrame


def heading_of(job: Job, period: Period) -> StatementHeading:
    """Say what all statements of a job and period share."""
    quotes = {
        Quote(currency, exchange.rate, exchange.date, exchange.source)
        for source in job.sources
        for currency, exchange in source.exchange.items()
    }
    return StatementHeading(
        payer_name=job.payer.name,
        job=job.job,
        period=period.label,
        first_day=period.start,
        last_day=period.end,
        currency=job.currency,
        language=job.outputs.language,
        minimum_payout_cents=job.rules.minimum_payout,
        quotes=tuple(sorted(quotes, key=lambda one: (one.currency, one.day, one.rate, one.origin))),
    )


def stand_of_advances(
    advances: pd.DataFrame, postings: Iterable[Posting], history: History
) -> tuple[AdvanceStanding, ...]:
    """Say for each advance what this period recouped of it and what is left.

    Args:
        advances: `schemas.tables.advances.Advances`.
        postings: What the period leaves in the ledger.
        history: What other periods recouped.

    Returns:
        In order of payee, then oldest first, as they are recouped; fully recouped ones of earlier periods are left out.
    """
    paid = Counter[tuple[str, str, str]]()
    for row in records(advances.sort_values(["tax_id", "date", "reference", "isrc", "row"])):
        paid[row["tax_id"], row["reference"], row["isrc"]] += row["amount_cents"]
    now = Counter[tuple[str, str]]()
    for posting in postings:
        if posting.kind == "recouped":
            now[posting.payee, posting.reference] += posting.amount_cents
    standing = []
    for (payee, reference, isrc), advanced in paid.items():
        named = (payee, advance_reference(reference, isrc))
        left = advanced - history.recouped.get(named, 0) - now[named]
        if now[named] or left > 0:
            standing.append(AdvanceStanding(payee, reference, isrc, now[named], max(left, 0)))
    return tuple(standing)


def compose_statements(
    heading: StatementHeading,
    tables: StatementTables,
    *,
    run_id: str,
    advances: Iterable[AdvanceStanding] = (),
    submissions: Mapping[str, Submission] | None = None,
) -> Iterator[PayeeStatement]:
    """Compose the statement of every payee of royalties or payments, in order of tax id.

    The result does not depend on the order of rows. The owner's part and lines that no share covers are nobody's
    statement; a payments row without a readable tax id is neither, nor is what belongs to a payee whose name nothing
    tells: a page to nobody could only be sent to the wrong person.

    Args:
        heading: What the statements share.
        tables: Of one run.
        run_id: Seeds the tokens of file names: the same for every writing of a run, and unknown to whoever receives a
            page, who thus cannot try tax ids until one gives the token.
        advances: As `stand_of_advances` says; without them the recouped sum stands as one line.
        submissions: By id, for the days on which reports were sent.
    """
    parts, places = earnings_by_payee(tables.earnings), territories_by_payee(tables.territories)
    balance_of: dict[str, Record] = {row["tax_id"]: row for row in records(tables.balances)}
    owed = _obligations_by_payee(tables.obligations)
    advances_of = defaultdict[str, list[AdvanceStanding]](list)
    for one in advances:
        advances_of[one.payee].append(one)
    told = {payee for payee, rows in owed.items() if any(row["kind"] != "carried" for row in rows)}
    for payee in sorted({*parts, *balance_of, *told} - {""}):
        balance, rows = balance_of.get(payee), owed.get(payee, [])
        sums = EarningSums(parts.get(payee, ()), places.get(payee, ()))
        way = _way(balance, sums.total, rows) if balance else None
        names = filter(None, [balance["name"] if balance else "", *sorted(row["name"] for row in rows)])
        name = next(names, "")
        if not name:
            continue
        yield PayeeStatement(
            heading=heading,
            token=short_token(digest_of("statement", run_id, payee), TOKEN_LENGTH),
            name=name,
            tax_id_masked=mask_tax_id(payee),
            recordings=sums.recordings(),
            platforms=sums.by_platform(),
            territories=sums.by_territory(),
            months=sums.by_month(),
            way=way,
            advances=_complete(payee, advances_of[payee], way),
            payments=tuple(_payments(rows, submissions or {})),
        )


def _obligations_by_payee(obligations: pd.DataFrame) -> dict[str, list[Record]]:
    names = ["tax_id", "name", "kind", "reference", "amount_cents", "place", "reason", "submission_id", "key"]
    own = obligations.loc[obligations["kind"].isin(_TOLD) & (obligations["tax_id"] != ""), names]
    in_order = sorted(records(own), key=itemgetter("tax_id", "kind", "reference", "key", "amount_cents", "place"))
    return {payee: list(rows) for payee, rows in groupby(in_order, key=itemgetter("tax_id"))}


def _way(balance: Record, exact: Decimal, rows: Sequence[Record]) -> WayToPaid:
    reasons = [row["reason"] for row in rows if row["kind"] == "royalty" and row["place"] == Place.HELD.value]
    back = sum(row["amount_cents"] for row in rows if row["kind"] == "carried" and row["reason"] == _DIFFERENCE)
    return WayToPaid(
        earned_exact=exact,
        earned_cents=balance["earned_cents"],
        recouped_cents=balance["recouped_cents"],
        carried_in_cents=balance["carried_in_cents"],
        carried_out_cents=balance["carried_out_cents"],
        held_cents=balance["held_cents"],
        held_reasons=_codes(reasons),
        payable_cents=balance["payable_cents"],
        overpaid_cents=back,
    )


def _codes(reasons: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted({code.strip() for reason in reasons for code in reason.split(",") if code.strip()}))


def _complete(payee: str, advances: Sequence[AdvanceStanding], way: WayToPaid | None) -> tuple[AdvanceStanding, ...]:
    """Add what was recouped and is not told by reference, so that the lines add up."""
    untold = (way.recouped_cents if way else 0) - sum(one.recouped_cents for one in advances)
    return (*advances, AdvanceStanding(payee, "", "", untold, None)) if untold else tuple(advances)


def _payments(rows: Iterable[Record], submissions: Mapping[str, Submission]) -> Iterator[StatementPayment]:
    for row in rows:
        if row["kind"] == "carried" or not row["amount_cents"]:
            continue
        kind: Literal["royalty", "payment"] = "royalty" if row["kind"] == "royalty" else "payment"
        held = row["place"] == Place.HELD.value
        submission = submissions.get(row["submission_id"])
        sent_at = submission.sending_at if submission else None
        yield StatementPayment(
            kind=kind,
            reference=row["reference"],
            amount_cents=row["amount_cents"],
            place=standing_of(row["place"], row["reason"]),
            reasons=_codes([row["reason"]]) if held else (),
            report=submission.report_id if submission else row["submission_id"],
            sent_on=sent_at.astimezone(BRASILIA).date() if sent_at else None,
        )
