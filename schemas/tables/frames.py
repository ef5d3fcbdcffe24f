"""The word for a frame that keeps a table's promise: `DataFrame[Payments]`; pandera itself stays in this package."""

from pandera.typing import DataFrame

__all__ = ["DataFrame"]
