"""The payee columns that payments and payees share."""

import pandas as pd
import pandera.pandas as pa

from schemas.tables.cells import ColumnKind
from schemas.tables.model import Column, PayeeTable, Series, cells

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
        """See `TableModel`."""
        return (Column("account_digit", ColumnKind.ACCOUNT_DIGIT),)  # joined to the account

    @pa.dataframe_check(error="has at most one destination")
    @classmethod
    def _has_one_destination(cls, rows: pd.DataFrame) -> "pd.Series[bool]":
        return (rows["pix_key"] == "") | (rows["account"] == "")
