"""What a row says of a payee, in the payments and in the payees alike."""

import pandas as pd
import pandera.pandas as pa
from pandera.typing import Series

from schemas.tables.contract import TableModel, is_canonical_tax_id

PIX_KEY_TYPES = ("", "random_key", "cnpj", "cpf", "phone_number", "email")
ACCOUNT_TYPES = ("", "saving_account", "payment_account", "checking_account", "salary_account")


class PayeeData(TableModel):
    """Columns of a payee. Texts are "" when absent; either pix_key or account may be given, never both."""

    file: Series[str]
    sheet: Series[str]
    row: Series[int] = pa.Field(ge=1)
    name: Series[str]
    tax_id: Series[str]
    email: Series[str]
    artist_name: Series[str]
    pix_key: Series[str]
    pix_key_type: Series[str] = pa.Field(isin=PIX_KEY_TYPES)
    bank_code: Series[str] = pa.Field(str_matches=r"^([0-9]{3})?$")
    psp_id: Series[str] = pa.Field(str_matches=r"^([0-9A-Z]{8})?$")
    agency: Series[str] = pa.Field(str_matches=r"^([0-9]{4})?$")
    account: Series[str] = pa.Field(str_matches=r"^([0-9]{1,19}[0-9XP])?$")
    account_type: Series[str] = pa.Field(isin=ACCOUNT_TYPES)
    account_holder: Series[str]
    original_tax_id: Series[str]
    original_name: Series[str]
    parent_id: Series[str]
    parent_name: Series[str]
    contact_id: Series[str]

    @pa.check("tax_id", name="is a canonical CPF or CNPJ")
    def _tax_ids(cls, tax_ids: "pd.Series[str]") -> "pd.Series[bool]":  # noqa: N805
        return is_canonical_tax_id(tax_ids)

    @pa.dataframe_check(name="has at most one destination")
    def _one_destination(cls, rows: pd.DataFrame) -> "pd.Series[bool]":  # noqa: N805
        return (rows["pix_key"] == "") | (rows["account"] == "")

    class Config:
        """A column that is not named here is an error."""

        strict = True
