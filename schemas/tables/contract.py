"""What the tables' models share: checks that hold of whole columns."""

import pandas as pd

from schemas.tax_id_column import read_tax_ids


def is_canonical_tax_id(tax_ids: pd.Series) -> "pd.Series[bool]":
    """Tell for each text whether it is a valid CPF or CNPJ without a mask."""
    read = read_tax_ids(tax_ids)
    return (read.tax_ids == tax_ids) & (tax_ids != "")
