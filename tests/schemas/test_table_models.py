"""Every table is held against its model, and each row that breaks it is named with the rule."""

import pandas as pd
import pytest
from pandera.errors import SchemaErrors
from pyarrow import decimal128

from schemas.parsing.row_accounting import RowRuns
from schemas.tables.model import DataFrame, broken_rows
from schemas.tables.payees import Advances, Opening, Payees, Payments
from schemas.tables.royalties import (
    EARNED,
    LINE_AMOUNT,
    LINE_SUM,
    UNIT_SUM,
    Earnings,
    PayeeBalances,
    PlatformTotals,
    RoyaltyLines,
    Shares,
    TerritoryEarnings,
    TerritoryTotals,
)

MODELS = (
    Advances, Earnings, Opening, PayeeBalances, Payees, Payments, PlatformTotals, RowRuns, RoyaltyLines,
    Shares, TerritoryEarnings, TerritoryTotals,
)  # fmt: skip
EVERY_MODEL = pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
PEOPLE = ["52998224725", "11144477735"]
TEXTS = {
    "kind": "payment", "place": "held", "currency": "BRL", "period": "2026-10", "pix_key": "ana@example.org",
    "share_ppm": "500000",
}  # fmt: skip
NUMBERS = {"row": 2, "first_row": 2, "last_row": 3, "rows": 2, "lines": 1, "amount_cents": 100}
EXACT = {
    PlatformTotals: {"amount": LINE_SUM, "units": UNIT_SUM},
    TerritoryTotals: {"amount": LINE_SUM, "units": UNIT_SUM},
    RoyaltyLines: {"amount": LINE_AMOUNT},
    Earnings: {"source_amount": LINE_SUM, "earned": EARNED},
    TerritoryEarnings: {"source_amount": LINE_SUM, "earned": EARNED},
}


def sound(model, rows=2):
    """Write sound rows of a table."""
    columns = {}
    for name, column in model.to_schema().columns.items():
        if name in EXACT.get(model, {}):
            columns[name] = pd.Series([1] * rows, dtype=pd.ArrowDtype(EXACT[model][name]))
        elif (kind := str(column.dtype)) in {"int64", "bool"}:
            columns[name] = pd.Series([NUMBERS.get(name, 0)] * rows, dtype=kind)
        else:
            text = (
                {Opening: "carried", Advances: ""}.get(model, TEXTS["kind"]) if name == "kind" else TEXTS.get(name, "")
            )
            columns[name] = pd.Series(PEOPLE[:rows] if name == "tax_id" else [text] * rows, dtype="str")
    return pd.DataFrame(columns)


@EVERY_MODEL
@pytest.mark.parametrize("rows", [0, 2])
def test_a_sound_table_comes_back_as_it_was(model, rows):
    frame = sound(model, rows)
    pd.testing.assert_frame_equal(pd.DataFrame(DataFrame[model](frame)), frame)
    assert broken_rows(model, frame) == {}


@EVERY_MODEL
def test_no_column_has_another_type_or_a_gap_or_is_missing(model):
    frame = sound(model)
    exact = EXACT.get(model, {})
    floats, decimals = pd.Series([1.0, 1.0]), pd.Series([1, 1], dtype=pd.ArrowDtype(decimal128(38, 2)))
    for wrong in (
        pd.DataFrame({name: frame[name].where([True, False]) for name in frame.columns}),
        pd.DataFrame({name: decimals if name in exact else floats for name in frame.columns}),
    ):
        with pytest.raises(SchemaErrors) as raised:
            model.validate(wrong, lazy=True)
        assert {error.schema.name for error in raised.value.schema_errors if error.schema.name in frame} == {*frame}
    for name in frame.columns:
        assert broken_rows(model, frame.drop(columns=name)).keys() == {0, 1}
    assert broken_rows(model, frame.assign(more="")).keys() == {0, 1}


@EVERY_MODEL
def test_each_row_that_breaks_a_rule_is_named_with_its_column(model):
    frame = sound(model)
    for name, column in model.to_schema().columns.items():
        broken = frame.assign(**{name: [-2, -2] if frame[name].dtype == "int64" else "no such value"})
        if column.checks:
            found = broken_rows(model, broken.astype(frame.dtypes.to_dict()))
            assert set(found) == {0, 1}, name
            named = {rule.partition(": ")[0] for rule in found.values()}
            assert named == {name} or name == "account"  # which is a second destination, too
        if column.unique:
            assert broken_rows(model, frame.iloc[[0, 0]].reset_index(drop=True))


def test_two_destinations_in_one_row_are_broken():
    twice = sound(Payments).assign(account=["", "123456"]).astype({"account": "str"})
    assert set(broken_rows(Payments, twice)) == {1}


def test_all_that_is_wrong_is_named_at_once():
    wrong = sound(Payments).assign(amount_cents=[0, 5], tax_id=[*PEOPLE[:1], "1"])
    assert broken_rows(Payments, wrong) == {
        0: "amount_cents: greater_than(0)",
        1: "tax_id: is a canonical CPF or CNPJ",
    }
