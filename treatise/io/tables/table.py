"""A table as it was read: a frame with named columns, and what the reader did to get there."""

from dataclasses import dataclass

import polars as pl
from scipy import sparse

from treatise.io.source import column_name


@dataclass(frozen=True, eq=False)
class Table:
    """Rows and named columns, with a record of how they were read.

    Parameters
    ----------
    name : str
        The file's name without its endings, or the name of a bundled table.
    frame : polars.DataFrame
        Every column in the order of the file: numbers, Boolean, text, dates, times and durations.
    header : bool
        Whether the column names came from the file; otherwise they are ``column_0``, ``column_1`` and on.
    notes : tuple of str
        Sentences on what the reader decided, for the person who holds the file.
    matrix : scipy.sparse.csr_matrix or None, default=None
        The features of a LIBSVM file; ``frame`` then holds the single column ``"label"``.
    target : str or None, default=None
        The column to predict, where the table itself says which it is.

    Examples
    --------
    >>> import polars as pl
    >>> from treatise.io import Table
    >>> table = Table("fruit", pl.DataFrame({"mass": [3.1, 2.9], "kind": ["fig", "plum"]}), True, ())
    >>> table.n_rows, table.column(-1), table.column("0")
    (2, 'kind', 'mass')
    """

    name: str
    frame: pl.DataFrame
    header: bool
    notes: tuple[str, ...]
    matrix: sparse.csr_matrix | None = None
    target: str | None = None

    @property
    def n_rows(self) -> int:
        """Number of rows, the header not counted."""
        return self.frame.height

    def column(self, key: str | int) -> str:
        """The name of a column given by name, or by number from the left (0) or from the right (-1).

        Text that is an integer and no column's name counts as a number.
        """
        return column_name(key, self.frame.columns, self.name)
