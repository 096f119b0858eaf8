"""Parquet files."""

import io
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl

from treatise._core.errors import TreatiseError
from treatise.io.source import PARQUET, naming, refuse_unfolding, unpacked_limit

BATCH = 8192  # rows
_BYTES_OF_CELL = 8
_MOST_UNFOLDING = 200
"""Times as large as a file its rows may be in memory without a further look; few real tables repeat themselves more."""
_TEMPORAL = (pl.Date, pl.Datetime, pl.Time, pl.Duration)


def read_parquet(data: bytes) -> pl.DataFrame:
    """The columns of a Parquet file, as the types that a :class:`~treatise.io.Table` holds."""
    if not data.endswith(PARQUET):
        raise TreatiseError("the Parquet file is cut short: its last bytes are missing; get it again")
    try:
        _refuse_bomb(data)
        frame = pl.read_parquet(io.BytesIO(data), use_statistics=False)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError, MemoryError) as error:
        raise TreatiseError(f"the Parquet file is damaged ({str(error).splitlines()[0]}); get it again") from None
    if frame.width == 0:
        raise TreatiseError("the Parquet file has no columns")
    if frame.height == 0:
        raise TreatiseError("the Parquet file has columns but no rows")
    return pl.DataFrame([plain_column(column) for column in frame.iter_columns()])


def ordered_categories(data: bytes) -> dict[str, tuple[str, ...]]:
    """Categories of the columns that a Parquet file says have an order, the lowest first.

    Polars writes them down as Enum. Pandas says only that there is an order, so that its categories are empty here.
    """
    schema = pl.read_parquet_schema(io.BytesIO(data))
    found = {name: () for name in _ordered_by_pandas(pl.read_parquet_metadata(io.BytesIO(data))) if name in schema}
    return found | {name: tuple(kind.categories) for name, kind in schema.items() if isinstance(kind, pl.Enum)}


def _ordered_by_pandas(metadata: dict[str, str]) -> list[str]:
    try:
        columns = json.loads(metadata["pandas"])["columns"]
        return [column["name"] for column in columns if (column["metadata"] or {}).get("ordered") is True]
    except (KeyError, ValueError, TypeError, AttributeError):  # not written by Pandas, or not as it writes
        return []


def _refuse_bomb(data: bytes) -> None:
    """Raise for a few bytes that say they are very many rows, which Polars would end the process for."""
    rows = pl.scan_parquet(io.BytesIO(data)).select(pl.len()).collect().item()
    size = rows * len(pl.read_parquet_schema(io.BytesIO(data))) * _BYTES_OF_CELL
    if size > _MOST_UNFOLDING * len(data):
        refuse_unfolding(size, unpacked_limit())


def parquet_schema(path: Path) -> dict[str, pl.DataType]:
    """Names and types of the columns of a Parquet file."""
    with _sound(path):
        return dict(pl.read_parquet_schema(path))


def parquet_batches(path: Path, columns: list[str] | None = None) -> Iterator[pl.DataFrame]:
    """The rows of a Parquet file, some thousand at a time, all columns or those that are named."""
    with _sound(path):
        lazy = pl.scan_parquet(path)
        if columns is not None:
            lazy = lazy.select(columns)
        for frame in lazy.collect_batches(chunk_size=BATCH, maintain_order=True, lazy=True):
            for first in range(0, frame.height, BATCH):
                part = frame[first : first + BATCH]
                yield pl.DataFrame([plain_column(column) for column in part.iter_columns()])


@contextmanager
def _sound(path: Path) -> Iterator[None]:
    with naming(path):
        try:
            yield
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
            raise TreatiseError(f"the Parquet file is damaged ({str(error).splitlines()[0]}); get it again") from None


def plain_column(column: pl.Series) -> pl.Series:
    """The column as one of the types that a table holds."""
    kind = column.dtype
    if isinstance(kind, (pl.Categorical, pl.Enum, pl.Null)):
        return column.cast(pl.String)
    if isinstance(kind, pl.Decimal):
        return column.cast(pl.Float64)
    if kind.is_float():
        return column.fill_nan(None)
    if kind.is_integer() or isinstance(kind, (pl.Boolean, pl.String, *_TEMPORAL)):
        return column
    raise TreatiseError(f"column {column.name!r} holds {kind}, which is no single value; spread it over columns")
