"""A payee's account: what was booked day by day, and each payment as it stands."""

import datetime as dt
from collections import defaultdict
from dataclasses import replace

from flows.books.payments import PaymentSearch
from flows.books.restated import restated_of_payees
from flows.views.columns import ACCOUNT, ADVANCES
from io_adapters.ledger.ledger import Ledger
from io_adapters.ledger.run_record import read_heads
from schemas.account import AccountEntry, PayeeAccount, PayeeAccounts, PaymentLine
from schemas.job import BRASILIA, Outputs
from schemas.values.masking import mask_tax_id


def accounts_of_payee(
    ledger: Ledger,
    tax_id: str,
    *,
    since: dt.date = dt.date.min,
    until: dt.date | None = None,
    job: str | None = None,
) -> PayeeAccounts:
    """Tell a payee's accounts, with all that stood under former documents.

    Args:
        since, until: The first and the last day that is shown, in Brazil; today where nobody says until when.

    Raises:
        BrokenInvariant: an entry does not add up.
    """
    moves = ledger.journal.payee_moves()
    documents = {tax_id, *(old for old, new in moves.items() if new == tax_id)}
    today = ledger.today()
    last = until or today
    entries, payments = _by_job(ledger, documents, last, is_past=last < today)
    heads = read_heads(ledger, [run.run_id for run in ledger.runs.last_with_results(job=job)])
    payer_names = {head.job: head.payer_name for head in reversed(heads.values())}
    found = list[PayeeAccount]()
    for name, currency in sorted(entries.keys() | payments.keys()):
        own = entries[name, currency]
        before = sum(entry.owed_cents for entry in own if entry.day < since)
        shown = tuple(entry for entry in own if entry.day >= since)
        lines = tuple(line for line in payments[name, currency] if since <= _day_of(line, today) <= last)
        account = PayeeAccount(name, currency, payer_names.get(name, ""), before, shown, lines)
        if job in {None, name} and (before or shown or lines):
            found.append(account)
    name = ledger.payee_names.latest().get(tax_id, "")
    language = next((head.language for head in heads.values()), Outputs().language)
    first = max(since, min((entry.day for account in found for entry in account.entries), default=last))
    advances = tuple(ledger.views.ask(ADVANCES, payees=sorted(documents), until=last))
    code = ledger.journal.payee_codes([tax_id]).get(tax_id, "")
    return PayeeAccounts(name, mask_tax_id(tax_id), language, first, last, tuple(found), advances, code)


def _day_of(line: PaymentLine, today: dt.date) -> dt.date:
    """Return on which day a payment is shown: when it was sent, and today while it was not."""
    return line.sent_at.astimezone(BRASILIA).date() if line.sent_at else today


def _by_job(
    ledger: Ledger, documents: set[str], until: dt.date, *, is_past: bool
) -> tuple[dict[tuple[str, str], list[AccountEntry]], dict[tuple[str, str], list[PaymentLine]]]:
    entries = defaultdict[tuple[str, str], list[AccountEntry]](list)
    restated = restated_of_payees(ledger, documents)
    for entry in ledger.views.ask(ACCOUNT, payees=sorted(documents), until=until):
        entries[entry.job, entry.currency].append(replace(entry, recordings=restated.get(entry.number)))
    payments = defaultdict[tuple[str, str], list[PaymentLine]](list)
    search, end = PaymentSearch(ledger), dt.datetime.combine(until + dt.timedelta(days=1), dt.time(), BRASILIA)
    for line in search.of_payee_before(documents, end) if is_past else search.of_payee(documents):
        payments[line.job, line.currency].append(line)
    return entries, payments
