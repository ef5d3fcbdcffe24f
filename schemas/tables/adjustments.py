"""Tables that adjust what a payee is paid: advances, opening balances, taxes, invoices."""

from typing import Final

from schemas.tables.model import ISO_DAY, ISRC, PERCENTAGE, ColumnKind, PayeeTable, Series, cells


class Advances(PayeeTable):
    """Shape: one row per advance, in centavos.

    `date` is an ISO text or ""; `isrc` ties the advance to one recording, or is "".
    """

    reference: Series[str] = cells(ColumnKind.REFERENCE)
    amount_cents: Series[int] = cells(ColumnKind.PAYABLE, "amount", required=True, gt=0)
    date: Series[str] = cells(ColumnKind.DATE, str_matches=f"^({ISO_DAY})?$")
    isrc: Series[str] = cells(ColumnKind.ISRC, str_matches=f"^({ISRC})?$")


CARRIED: Final = "carried"
TO_RECOUP: Final = "to_recoup"
PAID: Final = "paid"


class Opening(PayeeTable):
    """Shape: one row per payee and fact of one period, in centavos.

    kind carried: what is carried into the period, negative when owed back; `to_recoup`: what is left of an advance when
    the period begins; paid: what was paid for the period outside Repasse. `period` is "YYYY-MM" or an ISO day of it.
    `reference` is the advance's, or the payment's; `date` and `isrc` are the advance's, or "".
    """

    kind: Series[str] = cells(ColumnKind.TEXT, required=True, isin=[CARRIED, TO_RECOUP, PAID])
    period: Series[str] = cells(ColumnKind.PERIOD, required=True, str_matches=r"^[0-9]{4}-[0-9]{2}(-[0-9]{2})?$")
    reference: Series[str] = cells(ColumnKind.REFERENCE)
    amount_cents: Series[int] = cells(ColumnKind.SIGNED_AMOUNT, "amount", required=True)
    date: Series[str] = cells(ColumnKind.DATE, str_matches=f"^({ISO_DAY})?$")
    isrc: Series[str] = cells(ColumnKind.ISRC, str_matches=f"^({ISRC})?$")


class Taxes(PayeeTable):
    """Shape: one row per payee, kind and time. Either `percentage` ("27.5", "" for none) or `amount_cents` is given.

    kind is a short word such as IRRF; nature the code of the income, for the accountant; days are ISO texts, "" for no
    limit.
    """

    kind: Series[str] = cells(ColumnKind.TEXT, required=True)
    percentage: Series[str] = cells(ColumnKind.PERCENTAGE, str_matches=PERCENTAGE)
    amount_cents: Series[int] = cells(ColumnKind.OPTIONAL_AMOUNT, "amount", ge=0)
    nature: Series[str] = cells(ColumnKind.TEXT)
    valid_from: Series[str] = cells(ColumnKind.DATE, str_matches=f"^({ISO_DAY})?$")
    valid_to: Series[str] = cells(ColumnKind.DATE, str_matches=f"^({ISO_DAY})?$")


class Invoices(PayeeTable):
    """Shape: one row per invoice, in centavos. `date` is an ISO text; `period` "YYYY-MM" or an ISO day of it."""

    number: Series[str] = cells(ColumnKind.REFERENCE, required=True)
    date: Series[str] = cells(ColumnKind.DATE, required=True, str_matches=f"^{ISO_DAY}$")
    amount_cents: Series[int] = cells(ColumnKind.PAYABLE, "amount", required=True, gt=0)
    period: Series[str] = cells(ColumnKind.PERIOD, required=True, str_matches=r"^[0-9]{4}-[0-9]{2}(-[0-9]{2})?$")
