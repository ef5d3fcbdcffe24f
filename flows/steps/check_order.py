"""In which order accounts are checked when the budget may not reach all of them: likely-good first.

A check of an account that turns out bad costs as much as any other and lets nothing be paid. So those come first that
will most likely let something be paid, in this order of weight:

1. the service has never called the account invalid;
2. its row bears no warning;
3. the payee was paid at this very destination before;
4. its Pix key is the payee's own CPF or CNPJ, which nobody else can have registered;
5. the larger sum waits for it.

Ties go by fingerprint, so that the order is the same each time.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from flows.steps.account_checks import AccountToCheck
from schemas.issues import Issue, Severity
from schemas.tables.frames import DataFrame, records
from schemas.tables.obligations import Obligations
from schemas.tables.payees import Payees


@dataclass(frozen=True, slots=True)
class KnownOfAccounts:
    """What speaks for and against accounts before they are asked about.

    Attributes:
        refused: Fingerprints of those the service has ever called invalid.
        paid: (payee, destination) of payments that were made.
        doubtful: Tax ids of payees whose row bears a warning.
    """

    refused: Collection[str] = frozenset()
    paid: Collection[tuple[str, str]] = frozenset()
    doubtful: Collection[str] = frozenset()


def likely_good_first(accounts: Iterable[AccountToCheck], known: KnownOfAccounts) -> list[AccountToCheck]:
    """Sort accounts into the order in which they are asked about."""

    def weight(one: AccountToCheck) -> tuple[bool, bool, bool, bool, int, str]:
        return (
            one.fingerprint in known.refused,
            one.payee in known.doubtful,
            (one.payee, one.destination) not in known.paid,
            one.request.pixKey is None or one.request.pixKey != one.payee,
            -one.amount_cents,
            one.fingerprint,
        )

    return sorted(accounts, key=weight)


def payees_with_warnings(
    obligations: DataFrame[Obligations], payees: DataFrame[Payees], issues: Sequence[Issue]
) -> frozenset[str]:
    """Return the tax ids of those whose row, in the payments or the payees table, bears a warning."""
    rows = {(one.file, one.sheet or "", one.row) for one in issues if one.severity is Severity.WARNING and one.row}
    if not rows:
        return frozenset()
    found = [*records(obligations[["file", "sheet", "row", "tax_id"]])]
    found += records(payees[["file", "sheet", "row", "tax_id"]])
    return frozenset(one["tax_id"] for one in found if (one["file"], one["sheet"] or "", int(one["row"])) in rows)
