"""A table of any size, some rows at a time."""

import bz2
import lzma
import os
import re
import zlib
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

import polars as pl
from scipy import sparse

from treatise._core.errors import TreatiseError
from treatise.io._column_types import MISSING
from treatise.io._delimited import DELIMITERS, Canonical, _parse, canonical, find_delimiter, read_delimited
from treatise.io._files import _BZIP2, _GZIP, _XZ, _ZSTANDARD, _neighbours, stem
from treatise.io._keel import is_keel, split_keel
from treatise.io._libsvm import is_libsvm, read_libsvm
from treatise.io._parquet import MAGIC, _plain
from treatise.io._stream_lines import line_blocks
from treatise.io._table import Table
from treatise.io._text import plain_text

_HEAD_BLOCKS = 8
_HEAD_ROWS = 20_000
_BATCH = 8192
# Zstandard shrinks text about as much as this.
_COMPRESSIONS: dict[bytes, Callable[[bytes], bytes]] = {
    _GZIP: zlib.compress,
    _ZSTANDARD: zlib.compress,
    _BZIP2: bz2.compress,
    _XZ: lzma.compress,
}


class TableBlocks:
    """The rows of a file in tables of a few thousand, by the rules of :func:`treatise.io.read_table`.

    The first rows (4 MiB of text, or 20 000 rows of Parquet) settle the delimiter, the header and what each column
    holds: numbers, truth values or text. A later value that is none of what its column holds is missing, and
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
        What each column of the blocks holds: ``"number"``, ``"truth"`` or ``"text"``. Columns of dates and times
        are not among them.
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
            raise TreatiseError(f"{self.path}: no such file{_neighbours(self.path)}")
        with self.path.open("rb") as stream:
            self._magic = stream.read(6)
        try:
            if self._magic.startswith(MAGIC):
                self._look_at_parquet()
            else:
                self._look_at_text(header)
        except TreatiseError as error:
            raise TreatiseError(f"{self.path}: {str(error).removeprefix(f'{self.path}: ')}") from None

    def __iter__(self) -> Iterator[Table]:
        """One pass over the rows."""
        self.unfit = {}
        if self._magic.startswith(MAGIC):
            yield from self._parquet()
        elif self.head.matrix is not None:
            yield from self._libsvm()
        else:
            yield from self._delimited()

    def _look_at_parquet(self) -> None:
        try:
            lazy = pl.scan_parquet(self.path)
            self.n_rows = int(lazy.select(pl.len()).collect().item())
            frame = lazy.head(_HEAD_ROWS).collect()
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
            raise TreatiseError(f"the Parquet file is damaged ({str(error).splitlines()[0]}); get it again") from None
        if frame.height == 0:
            raise TreatiseError("the Parquet file has no rows")
        frame = pl.DataFrame([_plain(column) for column in frame.iter_columns()])
        self.n_bytes = self.path.stat().st_size
        self.head = Table(stem(self.path), frame, True, ())
        self.kinds = _kinds(frame)

    def _look_at_text(self, header: bool | None) -> None:
        blocks = [block.tobytes() for block in islice(line_blocks(self.path, quoted=True), _HEAD_BLOCKS)]
        if not blocks:
            raise TreatiseError("the file is empty")
        if blocks[0].startswith((b"\xff\xfe", b"\xfe\xff")):
            raise TreatiseError("UTF-16 text is not read in blocks; save it as UTF-8")
        text, notes = plain_text(b"".join(blocks))
        self._names: tuple[str, ...] = ()
        matrix = None
        if is_libsvm(text):
            frame, matrix, remarks = read_libsvm(text)
            named = False
            self._first_index = 0 if "features are numbered from 0" in remarks else 1
        else:
            body = text
            if is_keel(text):
                self._names, body = split_keel(text)
            self._delimiter = find_delimiter(body, _delimiters(self.path))
            frame, named, remarks = read_delimited(
                body, delimiters=self._delimiter, header=header, names=self._names
            )  # fmt: skip
            self._header = named
        self.head = Table(stem(self.path), frame, named or bool(self._names), notes + remarks, matrix)
        self.kinds = _kinds(frame)
        size = len(b"".join(blocks))
        self.n_bytes = size if len(blocks) < _HEAD_BLOCKS else max(size, self._decompressed_bytes(b"".join(blocks)))
        self.n_rows = round(frame.height * self.n_bytes / size)

    def _decompressed_bytes(self, sample: bytes) -> int:
        """Bytes of the whole text, if all of it shrinks as the sample does."""
        size = self.path.stat().st_size
        for magic, compress in _COMPRESSIONS.items():
            if self._magic.startswith(magic):
                return round(size * len(sample) / len(compress(sample)))
        return size

    def _texts(self) -> Iterator[tuple[int, bytes]]:
        """Whole lines as UTF-8, with the number of lines before them."""
        before = 0
        for block in line_blocks(self.path, quoted=True):
            raw = block.tobytes()
            if not raw.isspace():
                try:
                    text, _ = plain_text(raw)
                except TreatiseError as error:
                    raise self._located(error, before) from None
                yield before, text
            before += raw.count(b"\n")

    def _delimited(self) -> Iterator[Table]:
        names = self.head.frame.columns
        n_fields = None
        for before, text in self._texts():
            first = n_fields is None
            try:
                if first and self._names:
                    declared, text = text, split_keel(text)[1]
                    before = declared[: -len(text)].count(b"\n")
                records = canonical(text, self._delimiter)
                if n_fields is not None and records.n_fields != n_fields:
                    raise TreatiseError(f"a row has {records.n_fields} fields where the first has {n_fields}")
                n_fields = records.n_fields
                skip = first and self._header and not self._names
                body = records.text[records.head :] if skip else records.text
                rows = records.n_records - skip
                if rows:
                    yield self._block(self._typed(records, body, rows, names))
            except TreatiseError as error:
                raise self._located(error, before) from None

    def _typed(self, records: Canonical, body: bytes, rows: int, names: list[str]) -> pl.DataFrame:
        """The block's columns of the kinds of the first rows; the fast way, or cell by cell where that fails."""
        comma = self._delimiter == ";"
        wanted = [self.kinds.get(name, "text") for name in names]
        wanted += ["text"] * (records.n_fields - len(wanted))
        types: list[type[pl.DataType]] = [
            pl.Float64 if kind == "number" and not comma else pl.String for kind in wanted
        ]
        try:
            frame = _parse(records, body, rows, kinds=types)
        except TreatiseError:
            frame = _parse(records, body, rows)
        columns = {name: frame.to_series(i) for i, name in enumerate(names) if name in self.kinds}
        return pl.DataFrame({name: self._fitted(column.alias(name), comma) for name, column in columns.items()})

    def _fitted(self, column: pl.Series, comma: bool = False) -> pl.Series:
        """A column as its kind, missing where a value is something else."""
        kind = self.kinds[column.name]
        if kind == "number" and column.dtype == pl.Float64:
            return column.fill_nan(None)
        if column.dtype == pl.String:
            column = pl.select(pl.when(~column.is_in(MISSING)).then(column)).to_series().alias(column.name)
        if kind == "text":
            return column.cast(pl.String)
        if kind == "truth" and column.dtype == pl.String:
            small = column.str.to_lowercase()
            found = pl.select(pl.when(small.is_in(["true", "false"])).then(small == "true")).to_series()
        elif kind == "truth":
            found = column.cast(pl.Boolean, strict=False)
        else:
            pointed = column.str.replace(",", ".", literal=True) if comma and column.dtype == pl.String else column
            found = pointed.cast(pl.Float64, strict=False).fill_nan(None)
        lost = found.null_count() - column.null_count()
        if lost > 0 and column.dtype == pl.String:
            self.unfit[column.name] = self.unfit.get(column.name, 0) + lost
        return found.alias(column.name)

    def _libsvm(self) -> Iterator[Table]:
        for before, text in self._texts():
            try:
                labels, matrix, notes = read_libsvm(text)
            except TreatiseError as error:
                raise self._located(error, before) from None
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

    def _parquet(self) -> Iterator[Table]:
        try:
            lazy = pl.scan_parquet(self.path).select(list(self.kinds))
            for frame in lazy.collect_batches(chunk_size=_BATCH, maintain_order=True, lazy=True):
                for first in range(0, frame.height, _BATCH):
                    part = frame[first : first + _BATCH]
                    yield self._block(pl.DataFrame([self._fitted(_plain(column)) for column in part.iter_columns()]))
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
            raise TreatiseError(f"{self.path}: the Parquet file is damaged ({str(error).splitlines()[0]})") from None

    def _located(self, error: TreatiseError, before: int) -> TreatiseError:
        """The error of a block with the line counted from the file's beginning."""
        text, named = re.subn(r"\bline (\d+)", lambda found: f"line {before + int(found[1])}", str(error), count=1)
        return TreatiseError(f"{self.path}: {text}" if named else f"{self.path}, after line {before}: {text}")

    def _block(self, frame: pl.DataFrame) -> Table:
        return Table(self.head.name, frame, self.head.header, ())


def _kinds(frame: pl.DataFrame) -> dict[str, str]:
    kinds = {}
    for column in frame.iter_columns():
        if column.dtype.is_numeric():
            kinds[column.name] = "number"
        elif column.dtype == pl.Boolean:
            kinds[column.name] = "truth"
        elif column.dtype == pl.String:
            kinds[column.name] = "text"
    return kinds


def _delimiters(path: Path) -> str:
    """What may divide the fields of a file with this name."""
    endings = [ending.lower() for ending in path.suffixes]
    if ".tsv" in endings or ".tab" in endings:
        return "\t"
    return DELIMITERS.replace(" ", "") if ".csv" in endings else DELIMITERS
