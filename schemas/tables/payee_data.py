"""The payee columns that payments and payees share."""

import pandas as pd

from schemas.tables.contract import CANONICAL_TAX_ID, Rule, TableModel, text, whole

PIX_KEY_TYPES = ("", "random_key", "cnpj", "cpf", "phone_number", "email")
ACCOUNT_TYPES = ("", "saving_account", "payment_account", "checking_account", "salary_account")


def _has_one_destination(rows: pd.DataFrame) -> "pd.Series[bool]":
    return (rows["pix_key"] == "") | (rows["account"] == "")


class PayeeData(TableModel):
    """Columns of a payee. Texts are "" when absent; either `pix_key` or account may be given, never both."""

    file = text()
    sheet = text()
    row = whole(at_least=1)
    name = text()
    tax_id = text(CANONICAL_TAX_ID)
    email = text()
    artist_name = text()
    pix_key = text()
    pix_key_type = text(among=PIX_KEY_TYPES)
    bank_code = text(matches=r"^([0-9]{3})?$")
    psp_id = text(matches=r"^([0-9A-Z]{8})?$")
    agency = text(matches=r"^([0-9]{4})?$")
    account = text(matches=r"^([0-9]{1,19}[0-9XP])?$")
    account_type = text(among=ACCOUNT_TYPES)
    account_holder = text()
    original_tax_id = text()
    original_name = text()
    parent_id = text()
    parent_name = text()
    contact_id = text()

    rules = (Rule("has at most one destination", _has_one_destination),)
