"""Parquet files."""

import io

import polars as pl

from treatise._core.errors import TreatiseError

MAGIC = b"PAR1"
_TEMPORAL = (pl.Date, pl.Datetime, pl.Time, pl.Duration)


def read_parquet(data: bytes) -> pl.DataFrame:
    """The columns of a Parquet file, as the types that a :class:`~treatise.io.Table` holds."""
    if not data.endswith(MAGIC):
        raise TreatiseError("the Parquet file is cut short: its last bytes are missing; get it again")
    try:
        frame = pl.read_parquet(io.BytesIO(data), use_statistics=False)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError, MemoryError) as error:
        raise TreatiseError(f"the Parquet file is damaged ({str(error).splitlines()[0]}); get it again") from None
    if frame.width == 0:
        raise TreatiseError("the Parquet file has no columns")
    if frame.height == 0:
        raise TreatiseError("the Parquet file has columns but no rows")
    return pl.DataFrame([_plain(column) for column in frame.iter_columns()])


def _plain(column: pl.Series) -> pl.Series:
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
