"""Tables of payees, and of what adjusts what they are paid: advances, opening balances, taxes, invoices."""

from typing import Final

import pandas as pd
import pandera.pandas as pa

from schemas.tables.model import ISO_DAY, PERCENTAGE, Column, ColumnKind, PayeeTable, Series, cells
from schemas.tables.recoup_scope import NAMED, SCOPE

PIX_KEY_TYPES = ("", "random_key", "cnpj", "cpf", "phone_number", "email")
ACCOUNT_TYPES = ("", "saving_account", "payment_account", "checking_account", "salary_account")


class PayeeData(PayeeTable):
    """Columns of a payee. Texts are "" when absent; either `pix_key` or account may be given, never both."""

    name: Series[str] = cells(ColumnKind.NAME)
    email: Series[str] = cells(ColumnKind.EMAIL)
    artist_name: Series[str] = cells(ColumnKind.TEXT)
    pix_key: Series[str] = cells(ColumnKind.PIX_KEY)
    pix_key_type: Series[str] = cells(ColumnKind.PIX_KEY_TYPE, isin=PIX_KEY_TYPES)
    bank_code: Series[str] = cells(ColumnKind.BANK_CODE, str_matches=r"^([0-9]{3})?$")
    psp_id: Series[str] = cells(ColumnKind.PSP_ID, str_matches=r"^([0-9A-Z]{8})?$")
    agency: Series[str] = cells(ColumnKind.AGENCY, str_matches=r"^([0-9]{4})?$")
    account: Series[str] = cells(ColumnKind.ACCOUNT, str_matches=r"^([0-9]{1,19}[0-9XP])?$")
    account_type: Series[str] = cells(ColumnKind.ACCOUNT_TYPE, isin=ACCOUNT_TYPES)
    account_holder: Series[str] = cells(ColumnKind.NAME)
    original_tax_id: Series[str] = cells(ColumnKind.TAX_ID)
    original_name: Series[str] = cells(ColumnKind.NAME)
    parent_id: Series[str] = cells(ColumnKind.TEXT)
    parent_name: Series[str] = cells(ColumnKind.NAME)
    contact_id: Series[str] = cells(ColumnKind.TEXT)

    @classmethod
    def also_read(cls) -> tuple[Column, ...]:
        return (Column("account_digit", ColumnKind.ACCOUNT_DIGIT),)  # joined to the account

    @pa.dataframe_check(error="has at most one destination")
    @classmethod
    def _has_one_destination(cls, rows: pd.DataFrame) -> "pd.Series[bool]":
        return (rows["pix_key"] == "") | (rows["account"] == "")


# The minimum of a payee who has none of their own.
USUAL_MINIMUM: Final = -1

FREQUENCIES: Final = ("", "monthly", "quarterly", "half_yearly")
LANGUAGES: Final = ("", "pt-BR", "en")
HOLDS: Final = ("", "dispute", "invoice", "court_order", "other")
RECOUPED_FROM: Final = ("", "earned", "earned_and_carried")


class Payees(PayeeData):
    """Shape: one row per payee; "" where a term is the job's own.

    `minimum_cents` is -1 where the payee has none of their own; `frequency` says at the end of which months royalties
    are due; `hold` why all of a payee's money is held back, `hold_until` the last day of it (ISO), "" for no end;
    `recoup_from` what advances may be taken from; `previous_tax_id` the document the payee had before; `must_invoice`
    whether their royalties wait for an invoice. What payments of royalties bear at the service, as rows of payments do:
    `royalty_advance`, `royalty_withhold`, `royalty_percentage` (informs only) and `anticipation_id`.
    """

    tax_id: Series[str] = cells(ColumnKind.TAX_ID, required=True, unique=True)
    minimum_cents: Series[int] = cells(ColumnKind.OPTIONAL_AMOUNT, "minimum", ge=USUAL_MINIMUM)
    frequency: Series[str] = cells(ColumnKind.TEXT, isin=FREQUENCIES)
    language: Series[str] = cells(ColumnKind.TEXT, isin=LANGUAGES)
    hold: Series[str] = cells(ColumnKind.TEXT, isin=HOLDS)
    hold_until: Series[str] = cells(ColumnKind.DATE, str_matches=f"^({ISO_DAY})?$")
    recoup_from: Series[str] = cells(ColumnKind.TEXT, isin=RECOUPED_FROM)
    previous_tax_id: Series[str] = cells(ColumnKind.TAX_ID)
    must_invoice: Series[bool] = cells(ColumnKind.FLAG)
    royalty_advance: Series[bool] = cells(ColumnKind.FLAG)
    royalty_withhold: Series[bool] = cells(ColumnKind.FLAG)
    royalty_percentage: Series[str] = cells(ColumnKind.PERCENTAGE, str_matches=PERCENTAGE)
    anticipation_id: Series[str] = cells(ColumnKind.TEXT)


class Payments(PayeeData):
    """Shape: one row per payment, with its payee's data where the row brings them. Amounts in centavos.

    recurring says that the row comes back from period to period; `owner_amount_cents` is what the row reserves to the
    payer; percentage informs only ("33.3333" or "").
    """

    amount_cents: Series[int] = cells(ColumnKind.PAYABLE, "amount", required=True, gt=0)
    advance: Series[bool] = cells(ColumnKind.FLAG)
    withhold: Series[bool] = cells(ColumnKind.FLAG)
    recurring: Series[bool] = cells(ColumnKind.FLAG)
    reference: Series[str] = cells(ColumnKind.REFERENCE)
    anticipation_id: Series[str] = cells(ColumnKind.TEXT)
    percentage: Series[str] = cells(ColumnKind.PERCENTAGE, str_matches=PERCENTAGE)
    owner_amount_cents: Series[int] = cells(ColumnKind.OPTIONAL_AMOUNT, "owner_amount", ge=0)

    @classmethod
    def also_read(cls) -> tuple[Column, ...]:
        return (*super().also_read(), Column("currency", ColumnKind.CURRENCY))


_SCOPE_COLUMNS: Final = tuple(Column(name, ColumnKind.TEXT) for name in NAMED)


# What an advance is that was not paid.
GUARANTEE: Final = "guarantee"


class Advances(PayeeTable):
    """Shape: one row per advance, in centavos.

    `date` is an ISO text or ""; `scope` says what it is recouped from, as `schemas.tables.recoup_scope` keeps it;
    `recoup_ppm` how much of that a period takes for it at the most (`schemas.values.millionths`), "" for all.
    `kind` is "" for what was paid ahead; what is a guarantee was not: until its `date` the scope earns it, or the owner
    pays what is short.
    """

    reference: Series[str] = cells(ColumnKind.REFERENCE)
    amount_cents: Series[int] = cells(ColumnKind.PAYABLE, "amount", required=True, gt=0)
    date: Series[str] = cells(ColumnKind.DATE, str_matches=f"^({ISO_DAY})?$")
    scope: Series[str] = cells(ColumnKind.ISRC, "isrc", str_matches=f"^({SCOPE})?$")
    recoup_ppm: Series[str] = cells(ColumnKind.SHARE, "recoup", str_matches=r"^([1-9][0-9]*(/[0-9]+)?)?$")
    kind: Series[str] = cells(ColumnKind.TEXT, isin=["", GUARANTEE])

    @classmethod
    def also_read(cls) -> tuple[Column, ...]:
        return _SCOPE_COLUMNS


CARRIED: Final = "carried"
TO_RECOUP: Final = "to_recoup"
PAID: Final = "paid"


class Opening(PayeeTable):
    """Shape: one row per payee and fact of one period, in centavos.

    kind carried: what is carried into the period, negative when owed back; `to_recoup`: what is left of an advance when
    the period begins; paid: what was paid for the period outside Repasse. `period` is "YYYY-MM" or an ISO day of it.
    `reference` is the advance's, or the payment's; `date` and `scope` are the advance's, or "".
    """

    kind: Series[str] = cells(ColumnKind.TEXT, required=True, isin=[CARRIED, TO_RECOUP, PAID])
    period: Series[str] = cells(ColumnKind.PERIOD, required=True, str_matches=r"^[0-9]{4}-[0-9]{2}(-[0-9]{2})?$")
    reference: Series[str] = cells(ColumnKind.REFERENCE)
    amount_cents: Series[int] = cells(ColumnKind.SIGNED_AMOUNT, "amount", required=True)
    date: Series[str] = cells(ColumnKind.DATE, str_matches=f"^({ISO_DAY})?$")
    scope: Series[str] = cells(ColumnKind.ISRC, "isrc", str_matches=f"^({SCOPE})?$")

    @classmethod
    def also_read(cls) -> tuple[Column, ...]:
        return _SCOPE_COLUMNS


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
