"""Tables of runs, which other libraries read without copying their numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from netloom import _native

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

__all__ = ["Table"]


class Table:
    """A table in memory, as Arrow arrays.

    Every library that knows the Arrow PyCapsule interface takes it: ``polars.DataFrame(table)``,
    ``pyarrow.table(table)``, and ``duckdb.sql("select ... from flows")`` by the name of the variable. Columns of
    numbers are shared with these libraries, not copied.
    """

    def __init__(self, native: _native.ArrowTable) -> None:
        self._native = native

    def __len__(self) -> int:
        """Number of rows."""
        return self._native.height

    def __repr__(self) -> str:
        return f"Table({len(self):,} rows: {', '.join(self.columns)})"

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The table as a capsule with an Arrow C stream."""
        return self._native.__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> object:
        """The schema of the table as a capsule with an Arrow C schema."""
        return self._native.__arrow_c_schema__()

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return self._native.columns

    @property
    def units(self) -> dict[str, str]:
        """The unit of each column."""
        return {name: unit for name, unit, _ in self._native.meanings()}

    @property
    def meanings(self) -> dict[str, str]:
        """What each column means."""
        return {name: meaning for name, _, meaning in self._native.meanings()}

    @property
    def bytes(self) -> int:
        """Memory of its arrays, in bytes."""
        return self._native.bytes

    def to_polars(self) -> polars.DataFrame:
        """As a frame of polars; numbers are shared, names are categories."""
        import polars

        return polars.DataFrame(self)

    def to_pandas(self) -> pandas.DataFrame:
        """As a frame of pandas; numbers without gaps are shared, names are categories. Needs pandas and pyarrow."""
        frame: pandas.DataFrame = self.to_arrow().to_pandas(split_blocks=True)
        return frame

    def to_arrow(self) -> pyarrow.Table:
        """As a table of pyarrow, which shares all arrays. Needs pyarrow."""
        import pyarrow

        arrow: Any = pyarrow
        return arrow.table(self)
