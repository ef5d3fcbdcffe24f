"""What the models of all tables share: declaring columns, and validating a frame against its model.

A model names its columns with `text`, `whole`, `flag` and `exact`; those of its bases come first. What is plainly sound
passes at a glance. Everything else is left to pandera, which finds all that is wrong and tells it: it takes half a
second to import, and is wanted only then.
"""

from collections.abc import Callable, Sequence
from types import GenericAlias
from typing import TYPE_CHECKING, Any, ClassVar, Final, Generic, NamedTuple, Self, TypeVar

import numpy as np
import pandas as pd
import pyarrow as pa

from schemas.values.tax_id import read_tax_ids

if TYPE_CHECKING:
    from pandera.pandas import DataFrameSchema

STR: Final = pd.Series(dtype="str").dtype
INT: Final = np.dtype("int64")
BOOL: Final = np.dtype("bool")


class Rule(NamedTuple):
    """What every value of a column keeps, or every row of a table.

    Attributes:
        name: As it is told.
        holds: Tells for each value, or each row, whether it does.
    """

    name: str
    holds: "Callable[[Any], pd.Series[bool]]"


class Field(NamedTuple):
    """A column as a model declares it; no value of it may be missing."""

    dtype: Any  # numpy's or an extension's
    rules: tuple[Rule, ...] = ()
    unique: bool = False


def text(*rules: Rule, matches: str = "", among: Sequence[str] = (), unique: bool = False) -> Field:
    """Declare a column of texts: all that match an expression from their beginning, or of some words alone."""
    pattern = (Rule(f"str_matches({matches!r})", lambda texts: texts.str.match(matches)),) if matches else ()
    words = (Rule(f"isin({among!r})", lambda texts: texts.isin(among)),) if among else ()
    return Field(STR, (*pattern, *words, *rules), unique)


def whole(*, above: int | None = None, at_least: int | None = None, at_most: int | None = None) -> Field:
    """Declare a column of whole numbers, of 64 bits."""
    rules = []
    if above is not None:
        rules.append(Rule(f"greater_than({above})", lambda numbers: numbers > above))
    if at_least is not None:
        rules.append(Rule(f"greater_than_or_equal_to({at_least})", lambda numbers: numbers >= at_least))
    if at_most is not None:
        rules.append(Rule(f"less_than_or_equal_to({at_most})", lambda numbers: numbers <= at_most))
    return Field(INT, tuple(rules))


def flag() -> Field:
    """Declare a column of yes and no."""
    return Field(BOOL)


def exact(kind: pa.DataType) -> Field:
    """Declare a column of exact decimals, of one of Arrow's types."""
    return Field(pd.ArrowDtype(kind))


class TableModel:
    """The base of every table's model.

    Attributes:
        columns: Column -> its declaration, in order. A frame has these and no others.
        rules: What each row keeps.
    """

    columns: ClassVar[dict[str, Field]] = {}
    rules: ClassVar[tuple[Rule, ...]] = ()

    def __init_subclass__(cls) -> None:
        declared = {name: value for name, value in vars(cls).items() if isinstance(value, Field)}
        cls.columns = cls.columns | declared

    @classmethod
    def validate(cls, frame: pd.DataFrame) -> "DataFrame[Self]":
        """Return a frame as a table of this model.

        Raises:
            pandera.errors.SchemaErrors: it breaks the model; `failure_cases` says where and how, all cases at once.
        """
        if not cls.is_plainly_sound(frame):
            cls.to_schema().validate(frame, lazy=True)
        return DataFrame(frame)

    @classmethod
    def failures(cls, frame: pd.DataFrame) -> list[tuple[str, str, Any]]:
        """Return how a frame breaks the model: column, rule, and index label, None for what is of no single row."""
        if cls.is_plainly_sound(frame):
            return []
        from pandera.errors import SchemaErrors  # noqa: PLC0415 - see above

        try:
            cls.validate(frame)
        except SchemaErrors as failure:
            return list(failure.failure_cases[["column", "check", "index"]].itertuples(index=False, name=None))
        return []

    @classmethod
    def is_plainly_sound(cls, frame: pd.DataFrame) -> bool:
        """Tell whether a frame keeps each promise of the model; False where that is not plain, whatever the reason."""
        if len(frame.columns) != len(cls.columns) or set(frame.columns) != cls.columns.keys():
            return False
        dtypes = dict(zip(frame.columns, frame.dtypes, strict=True))
        if any(dtypes[name] != field.dtype for name, field in cls.columns.items()):
            return False
        if not len(frame):
            return True  # the other promises of all models are of rows
        return all(_keeps(field, frame[name]) for name, field in cls.columns.items()) and _all_keep(cls.rules, frame)

    @classmethod
    def to_schema(cls) -> "DataFrameSchema":
        """Return the model as pandera has it."""
        from pandera.pandas import Check, Column, DataFrameSchema  # noqa: PLC0415 - see above

        def checks(rules: Sequence[Rule]) -> list[Check]:
            return [Check(rule.holds, name=rule.name, error=rule.name) for rule in rules]

        columns = {
            name: Column(field.dtype, checks(field.rules), unique=field.unique) for name, field in cls.columns.items()
        }
        return DataFrameSchema(columns, checks=checks(cls.rules), strict=True, name=cls.__name__)


def _keeps(field: Field, values: pd.Series) -> bool:
    if field.unique and not values.is_unique:
        return False
    if (field.dtype not in {INT, BOOL}) and values.hasnans:
        return False
    return _all_keep(field.rules, values)


def _all_keep(rules: Sequence[Rule], values: pd.DataFrame | pd.Series) -> bool:
    return all(bool(rule.holds(values).all()) for rule in rules)


Model = TypeVar("Model", bound=TableModel)


class _TableOf(GenericAlias):
    """What `DataFrame[Model]` is: a type to name, and the way to hold a frame against the model."""

    def __call__(self, frame: pd.DataFrame) -> "DataFrame[Any]":
        model: type[TableModel] = self.__args__[0]
        return model.validate(frame)


class DataFrame(pd.DataFrame, Generic[Model]):
    """A frame that keeps the promises of a model; `DataFrame[Model](frame)` makes sure of it."""

    def __class_getitem__(cls, model: Any) -> _TableOf:  # noqa: ANN401 - a model, or a type variable
        return _TableOf(cls, (model,))


def is_canonical_tax_id(tax_ids: pd.Series) -> "pd.Series[bool]":
    """Tell for each text whether it is a valid CPF or CNPJ without a mask."""
    read = read_tax_ids(tax_ids)
    return (read.tax_ids == tax_ids) & (tax_ids != "")


CANONICAL_TAX_ID: Final = Rule("is a canonical CPF or CNPJ", is_canonical_tax_id)

Record = dict[str, Any]


def records(frame: pd.DataFrame) -> list[Record]:
    """Return a frame's rows, column name -> value, for decisions that look at one row at a time."""
    if not len(frame):
        return []
    names = [str(name) for name in frame.columns]
    # A whole column is made plain at once; `to_dict` goes by cell.
    columns = [frame[name].tolist() for name in frame.columns]
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
