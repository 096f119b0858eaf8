"""A table of any size, some rows at a time."""

import os
from collections.abc import Iterator
from pathlib import Path

import polars as pl
from scipy import sparse

from treatise._core.errors import TreatiseError
from treatise.io.source import (
    PARQUET,
    find_format,
    naming,
    neighbours,
    read_as,
    read_dates,
    refuse_other_than_table,
    stem,
    unpacked_bytes,
)
from treatise.io.tables.delimited_blocks import DelimitedBlocks, kinds_of, located, read_head, text_blocks
from treatise.io.tables.libsvm import read_libsvm
from treatise.io.tables.parquet import parquet_batches, plain_column
from treatise.io.tables.table import Table

_HEAD_ROWS = 20_000


class TableBlocks:
    """The rows of a file in tables of a few thousand, by the rules of :func:`treatise.io.read_table`.

    The first rows (4 MiB of text, or 20 000 rows of Parquet) settle the delimiter, the header and what each column
    holds: numbers, truth values, dates or text. A later value that is none of what its column holds is missing, and
    counted. Use it where the table outgrows the memory; where it does not, :func:`treatise.io.read_table` sees
    every value before it decides. A pass costs the bytes of the file and holds one block of it.

    Parameters
    ----------
    path : str or path
        Delimited text, KEEL, LIBSVM or Parquet; text may be compressed.
    header : bool or None, default=None
        Whether the first line of delimited text names the columns; None looks.

    Attributes
    ----------
    head : Table
        The first rows, with notes on how they were read.
    n_rows : int
        Rows in the file: counted in Parquet, estimated from the first ones in longer text.
    n_bytes : int
        Bytes of the text, decompressed; an estimate where the file is compressed. Of Parquet, the file's.
    kinds : dict of str to str
        What each column of the blocks holds: ``"number"``, ``"truth"``, ``"text"`` or ``"date"``. Columns of times
        of day are not among them.
    unfit : dict of str to int
        Values of the last pass that were taken as missing because their column holds something else.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from treatise.io import TableBlocks
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "fruit.csv")
    ...     _ = path.write_text("mass;kind\\n3,1;fig\\n?;plum\\n")
    ...     table = TableBlocks(path)
    ...     [block.frame.rows() for block in table]
    [[(3.1, 'fig'), (None, 'plum')]]
    >>> table.kinds
    {'mass': 'number', 'kind': 'text'}
    """

    def __init__(self, path: str | os.PathLike[str], *, header: bool | None = None) -> None:
        self.path = Path(path)
        self.unfit: dict[str, int] = {}
        if not self.path.is_file():
            raise TreatiseError(f"{self.path}: no such file{neighbours(self.path)}")
        self._delimited: DelimitedBlocks | None = None
        with naming(self.path):
            with self.path.open("rb") as stream:
                self._is_parquet = stream.read(len(PARQUET)) == PARQUET
            if self._is_parquet:
                self._look_at_parquet()
            else:
                self._look_at_text(header)

    def __iter__(self) -> Iterator[Table]:
        """One pass over the rows."""
        self.unfit = {}
        if self._is_parquet:
            for frame in parquet_batches(self.path, list(self.kinds)):
                yield self._block(frame)
        elif self._delimited is None:
            yield from self._libsvm()
        else:
            for _, records in self._delimited:
                with naming(self.path):
                    frame = self._delimited.columns(records, pl.Float64)
                yield self._block(frame)

    def _look_at_parquet(self) -> None:
        try:
            lazy = pl.scan_parquet(self.path)
            self.n_rows = int(lazy.select(pl.len()).collect().item())
            frame = lazy.head(_HEAD_ROWS).collect()
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
            raise TreatiseError(f"the Parquet file is damaged ({str(error).splitlines()[0]}); get it again") from None
        if frame.height == 0:
            raise TreatiseError("the Parquet file has no rows")
        frame = pl.DataFrame([plain_column(column) for column in frame.iter_columns()])
        self.n_bytes = self.path.stat().st_size
        self.head = Table(stem(self.path), frame, True, ())
        self.kinds = kinds_of(frame)

    def _look_at_text(self, header: bool | None) -> None:
        head = read_head(self.path)
        style = find_format(self.path, head.text)
        refuse_other_than_table(style)
        if style == "libsvm":
            frame, matrix, remarks = read_libsvm(head.text)
            self.head = Table(stem(self.path), frame, False, head.notes + remarks, matrix)
            self._first_index = 0 if "features are numbered from 0" in remarks else 1
        else:
            self._delimited = DelimitedBlocks(self.path, head, header=header)
            self.head = self._delimited.head
        self.kinds = kinds_of(self.head.frame)
        size = len(head.raw)
        self.n_bytes = size if head.whole else max(size, unpacked_bytes(self.path, head.raw))
        self.n_rows = round(self.head.n_rows * self.n_bytes / size)

    def _block(self, frame: pl.DataFrame) -> Table:
        columns = [self._fitted(frame[name]) for name in self.head.frame.columns if name in self.kinds]
        return Table(self.head.name, pl.DataFrame(columns), self.head.header, ())

    def _fitted(self, column: pl.Series) -> pl.Series:
        """A column as its kind, missing where a value is something else."""
        kind = self.kinds[column.name]
        if kind == "text":
            return column.cast(pl.String)
        if kind == "date":
            found = self._dates(column)
        elif kind == "number":
            found = column.cast(pl.Float64, strict=False).fill_nan(None)
        elif column.dtype == pl.String:
            small = column.str.to_lowercase()
            found = pl.select(pl.when(small.is_in(["true", "false"])).then(small == "true")).to_series()
        else:
            found = column.cast(pl.Boolean, strict=False)
        lost = found.null_count() - column.null_count()
        if lost > 0 and column.dtype == pl.String:
            self.unfit[column.name] = self.unfit.get(column.name, 0) + lost
        return found.alias(column.name)

    def _dates(self, column: pl.Series) -> pl.Series:
        kind = self.head.frame.schema[column.name]
        if column.dtype == pl.String:
            how = self.head.written.get(column.name)
            column = read_as(column, how) if how else read_dates(column)
        zone = getattr(kind, "time_zone", None)
        if zone is not None and getattr(column.dtype, "time_zone", None) is None:
            column = column.cast(pl.Datetime("us")).dt.replace_time_zone("UTC")
        return column.cast(kind, strict=False)

    def _libsvm(self) -> Iterator[Table]:
        for before, text in text_blocks(self.path):
            try:
                labels, matrix, notes = read_libsvm(text)
            except TreatiseError as error:
                raise located(self.path, error, before) from None
            from_zero = "features are numbered from 0" in notes
            if from_zero and self._first_index == 1:
                raise TreatiseError(
                    f"{self.path}, after line {before}: a feature is numbered 0 where the first rows count from 1"
                )
            if self._first_index == 0 and not from_zero:
                # Without a feature 0 in the block its reader counted from 1.
                shape = (matrix.shape[0], matrix.shape[1] + 1)
                matrix = sparse.csr_matrix((matrix.data, matrix.indices + 1, matrix.indptr), shape=shape)
            labels = labels.with_columns(pl.col("label").cast(pl.Float64))
            yield Table(self.head.name, labels, False, (), matrix)
